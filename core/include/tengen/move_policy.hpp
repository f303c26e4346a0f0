// How likely each move is: the features of a move, looked up in tables of learned weights.
//
// A MovePolicy finds the levels of every move in one pass over the empty points, and scores() adds up their weights.
// The columns are those of Competitions (competitions.hpp), the tables in this order: the tactical features, the
// contact features, the patterns (one column with the largest known pattern, or one for each size), the response
// patterns, and the trees of a forest. The score is ln γ of the move, so that e^score is its strength against the other
// moves; with factors it is that of latent_factors.hpp.
//
// A policy does not change and may serve many threads, each with a PolicyScratch of its own for boards of one size.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "contact_features.hpp"
#include "decision_forest.hpp"
#include "latent_factors.hpp"
#include "move_features.hpp"
#include "move_pattern.hpp"
#include "response_pattern.hpp"

namespace tengen {

inline constexpr float ILLEGAL = -std::numeric_limits<float>::infinity();

class MovePolicy;

// Memory to score the moves of boards of one size.
template <class Shape>
class PolicyScratch {
public:
    PolicyScratch(const MovePolicy& policy, int width, int height);

private:
    friend class MovePolicy;
    LadderReader<Shape> reader_;
    MoverBoard mover_;
    StoneGraph<Shape> graph_;
    std::vector<std::int32_t> patterns_;  // numbers of patterns: [points, columns]
    std::vector<std::uint32_t> levels_;   // of one move, by column
};

// Where the levels come from. Patterns and forest must outlive the policy; either may be missing.
struct PolicyFeatures {
    const MovePatterns* patterns = nullptr;
    bool nested = false;  // patterns of all sizes instead of the largest
    const Forest* forest = nullptr;
    bool oakfoam = false;                     // see move_features.hpp
    bool contact = false;                     // see contact_features.hpp
    const MovePatterns* responses = nullptr;  // see response_pattern.hpp
};

class MovePolicy {
public:
    // `rows` has weight and factors of each level in the flat numbering of Competitions; row 0 is not used.
    MovePolicy(const PolicyFeatures& features, std::vector<FactorRow> rows) : features_(features) {
        for (const Level levels : TACTICAL_LEVELS) add_table(levels, 1);
        if (features.contact)
            for (const Level levels : MOST_CONTACT) add_table(levels, 1);
        if (features.patterns != nullptr) add_table(features.patterns->count(), pattern_columns());
        if (features.responses != nullptr) add_table(features.responses->count(), RESPONSES);
        if (features.forest != nullptr)
            for (const std::int32_t leaves : features.forest->leaf_counts())
                add_table(static_cast<std::size_t>(leaves), 1);
        if (rows.size() != levels_ + 1)
            throw std::invalid_argument("rows: " + std::to_string(levels_ + 1) +
                                        " are needed, one for each level of the tables and one before them");
        for (const FactorRow& row : rows) weights_.push_back(row[0]);
        if (std::any_of(rows.begin() + 1, rows.end(), [](const FactorRow& row) {
                return std::any_of(row.begin() + 1, row.end(), [](float factor) { return factor != 0; });
            }))
            rows_ = std::move(rows);
    }

    std::size_t columns() const { return bases_.size(); }
    const PolicyFeatures& features() const { return features_; }

    // Calls visit(index, levels) for every move that simple ko and suicide allow, the pass last, with its level in each
    // column. It plays on the board and undoes everything.
    template <class Shape, class Visit>
    void each_move(Board<Shape>& board, Colour colour, const LastTwo& moves, PolicyScratch<Shape>& scratch,
                   Visit visit) const {
        const int width = board.width(), pass = width * board.height();
        MoveFeatures<Shape> tactical(board, scratch.reader_, colour, moves, features_.oakfoam);
        find_patterns(board, colour, scratch);
        if (features_.forest != nullptr) scratch.graph_.set(board, colour);
        const ContactFeatures<Shape> contact(board, colour, moves);
        const ResponseKeys<Shape> responses(board, scratch.mover_, colour, moves.last);
        const auto copy_levels = [&](Point p) {
            const MoveLevels found = tactical.levels(p);
            const auto next = std::copy(found.begin(), found.end(), scratch.levels_.begin());
            if (!features_.contact) return next;
            const ContactLevels more = contact.levels(p);
            return std::copy(more.begin(), more.end(), next);
        };
        for (int index = 0; index < pass; ++index) {
            const Point p = Shape::point(index / width, index % width);
            if (!is_allowed(board, p, colour)) continue;
            auto next = copy_levels(p);
            if (features_.patterns != nullptr)
                next = std::copy_n(scratch.patterns_.begin() + index * static_cast<int>(pattern_columns()),
                                   pattern_columns(), next);
            if (features_.responses != nullptr)
                for (const std::uint64_t key : responses.at(p)) *next++ = key == 0 ? 0 : features_.responses->find(key);
            if (features_.forest != nullptr) {
                scratch.graph_.look_from(p);
                for (const Tree& tree : features_.forest->trees())
                    *next++ = static_cast<std::uint32_t>(Forest::leftmost(tree, scratch.graph_).first);
            }
            visit(static_cast<std::size_t>(index), scratch.levels_);
        }
        std::fill(copy_levels(NO_POINT), scratch.levels_.end(), 0);
        visit(static_cast<std::size_t>(pass), scratch.levels_);
    }

    // Writes the score of every point, row by row, and of the pass; ILLEGAL where simple ko or suicide forbids a move.
    template <class Shape>
    void scores(Board<Shape>& board, Colour colour, const LastTwo& moves, PolicyScratch<Shape>& scratch,
                float* scores) const {
        std::fill_n(scores, board.width() * board.height() + 1, ILLEGAL);
        each_move(board, colour, moves, scratch, [&](std::size_t index, const std::vector<std::uint32_t>& levels) {
            scores[index] = rows_.empty() ? sum(levels) : with_factors(levels);
        });
    }

private:
    PolicyFeatures features_;
    std::size_t levels_ = 0;            // of all tables
    std::vector<std::uint32_t> bases_;  // of each column: its levels have the flat numbers base + 1, …
    std::vector<float> weights_;        // by flat number
    std::vector<FactorRow> rows_;       // the same with factors; empty if all factors are 0

    std::size_t pattern_columns() const { return features_.nested ? std::size_t{SIZES} : 1; }

    void add_table(std::size_t levels, std::size_t columns) {
        bases_.insert(bases_.end(), columns, static_cast<std::uint32_t>(levels_));
        levels_ += levels;
    }

    template <class Shape>
    void find_patterns(const Board<Shape>& board, Colour colour, PolicyScratch<Shape>& scratch) const {
        if (features_.patterns != nullptr || features_.responses != nullptr) scratch.mover_.set(board, colour);
        if (features_.patterns == nullptr) return;
        if (features_.nested) features_.patterns->nested(scratch.mover_, scratch.patterns_.data());
        else features_.patterns->largest(scratch.mover_, scratch.patterns_.data());
    }

    float sum(const std::vector<std::uint32_t>& levels) const {
        float total = 0;
        for (std::size_t c = 0; c < levels.size(); ++c)
            if (levels[c] != 0) total += weights_[bases_[c] + levels[c]];
        return total;
    }

    float with_factors(const std::vector<std::uint32_t>& levels) const {
        FactorSum sum;
        for (std::size_t c = 0; c < levels.size(); ++c)
            if (levels[c] != 0) sum.add(rows_[bases_[c] + levels[c]]);
        return static_cast<float>(sum.score());
    }

    template <class Shape>
    friend class PolicyScratch;
};

template <class Shape>
PolicyScratch<Shape>::PolicyScratch(const MovePolicy& policy, int width, int height)
    : mover_(width, height),
      graph_(policy.features_.forest == nullptr ? GraphNodes::stones : policy.features_.forest->kind()),
      patterns_(mover_.points() * policy.pattern_columns()),
      levels_(policy.columns()) {}

}  // namespace tengen
