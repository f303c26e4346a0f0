// Playouts whose moves are drawn by learned weights of small patterns and tactics (Coulom 2007).
//
// Reading guide: LearnedPlayer::choose(). A move's weight is the product of the weights of its levels, one in each of
// the tables of PlayoutTable: its 3×3 neighbourhood, its place beside the last two moves, and what it does to chains
// there. The probability of a move is its weight divided by the sum over all moves. A player passes when no move has a
// weight; its own eyes have none.
//
// Weights are whole numbers in units of 1/1024, so that a seed gives the same games on every machine. The weights of
// neighbourhoods are kept for all empty points and both colours, with sums by row, and updated around every stone.
// For a choice, the few points near the last moves get their weight with tactics. Ko, suicide and self-atari can only
// lower a weight, and are looked at only for a point that is drawn: it is rejected in proportion to what it loses, and
// its weight is corrected before the next draw. This gives exactly the probabilities of the true weights: if W is the
// sum of the weights as they stand and d_i what point i has too much, a correct point has the probability
// w/W · (1 + Σ d_i / (W − Σ d_i)) = w / (W − Σ d_i).
#pragma once

#include "local_pattern.hpp"
#include "playout.hpp"
#include "tactics.hpp"

namespace tengen {

enum PlayoutTable : std::size_t {
    PATTERN,     // 1 … classes: the 3×3 neighbourhood, by symmetry
    LAST,        // 1 beside the last move, 2 diagonal to it
    BEFORE,      // the same for the move before it
    ANSWER,      // at a chain in atari that is or touches one of the two moves; see Answer
    ATTACK,      // a liberty of the last move's chain: 1 of three, 2 of two
    DEFENCE,     // a liberty of an own chain beside the last move: 1 of three, 2 of two
    SELF_ATARI,  // 1 a bad self-atari of one stone, 2 of two, 3 of more
    PLAYOUT_TABLES
};

enum Answer : std::uint8_t {
    EXTENDS = 1,     // to two liberties
    ESCAPES = 2,     // to three or more
    CAPTURES = 3,    // one stone
    TAKES_MORE = 4,  // two stones or more
    FREES = 5,       // captures beside an own chain in atari
};

using PlayoutLevels = std::array<std::uint16_t, PLAYOUT_TABLES>;

// The classes of neighbourhoods under the eight symmetries, numbered from 1 in the order of their least code. Codes are
// those of neighbourhood() for Black; 0 where the edge of the board has an impossible shape.
class PatternClasses {
public:
    PatternClasses() {
        for (unsigned code = 0; code < 65536; ++code) {
            if (of_[code] != 0 || !is_possible(code)) continue;
            ++count_;
            for (int symmetry = 0; symmetry < 8; ++symmetry)
                of_[image(code, symmetry)] = static_cast<std::uint16_t>(count_);
        }
    }

    int count() const { return count_; }
    std::uint16_t of(unsigned code, Colour mover) const { return of_[mover == BLACK ? code : reversed(code)]; }

    static unsigned reversed(unsigned code) {
        const unsigned low = code & 0x5555, high = code >> 1 & 0x5555, stones = low ^ high;
        return code ^ (stones | stones << 1);
    }

private:
    std::array<std::uint16_t, 65536> of_{};
    int count_ = 0;

    static unsigned at(unsigned code, int row, int column) {
        const int cell = row * 3 + column, neighbour = cell - (cell > 4);
        return cell == 4 ? 0 : code >> (2 * neighbour) & 3;
    }

    static unsigned image(unsigned code, int symmetry) {
        unsigned result = 0;
        for (int neighbour = 0; neighbour < 8; ++neighbour) {
            const int cell = neighbour + (neighbour > 3);
            int row = cell / 3, column = cell % 3;
            if (symmetry & 1) row = 2 - row;
            if (symmetry & 2) column = 2 - column;
            if (symmetry & 4) std::swap(row, column);
            result |= at(code, row, column) << (2 * neighbour);
        }
        return result;
    }

    // Off the board are no points, one side or two sides that meet.
    static bool is_possible(unsigned code) {
        const bool top = at(code, 0, 1) == OFF, left = at(code, 1, 0) == OFF, right = at(code, 1, 2) == OFF,
                   bottom = at(code, 2, 1) == OFF;
        if ((top && bottom) || (left && right)) return false;
        for (int row : {0, 2})
            for (int column : {0, 2}) {
                const bool off = (row == 0 ? top : bottom) || (column == 0 ? left : right);
                if ((at(code, row, column) == OFF) != off) return false;
            }
        return true;
    }
};

inline const PatternClasses pattern_classes;

// The levels of each table from 1; level 0 has the weight 1.
inline const std::array<int, PLAYOUT_TABLES> PLAYOUT_LEVELS{pattern_classes.count(), 2, 2, 5, 2, 2, 3};

// Weights by table and level, in units of 1/1024.
class PlayoutWeights {
public:
    static constexpr std::uint32_t UNIT = 1024, MOST = 1 << 22;  // the sum of 625 points stays below 2^32

    // All levels in the order of the tables. Those of self-atari are at most UNIT.
    explicit PlayoutWeights(const std::uint32_t* levels) {
        const std::uint32_t* patterns = levels;
        for (std::size_t table = 0; table < PLAYOUT_TABLES; levels += PLAYOUT_LEVELS[table++])
            if (table != PATTERN) {
                tactics_[table].fill(UNIT);
                std::copy(levels, levels + PLAYOUT_LEVELS[table], tactics_[table].begin() + 1);
            }
        for (unsigned code = 0; code < 65536; ++code)
            for (Colour mover : {BLACK, WHITE}) {
                const std::uint16_t level = pattern_classes.of(code, mover);
                if (level != 0 && !is_eye(code, mover)) by_code_[code] |= for_colour(patterns[level - 1], mover);
            }
    }

    // The weights of a point for both colours by its neighbourhood; 0 for an own eye.
    std::uint64_t at(unsigned code) const { return by_code_[code]; }

    std::uint32_t times(std::uint32_t weight, std::size_t table, unsigned level) const {
        const std::uint64_t product = std::uint64_t{weight} * tactics_[table][level] / UNIT;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(product, MOST));
    }

    // Weights for both colours are one number, Black's in the lower half: sums and differences, modulo 2^64, are those
    // of both halves at once.
    static std::uint64_t for_colour(std::uint64_t weight, Colour colour) {
        return weight << (colour == BLACK ? 0 : 32);
    }
    static std::uint32_t of_colour(std::uint64_t both, Colour colour) {
        return static_cast<std::uint32_t>(both >> (colour == BLACK ? 0 : 32));
    }

private:
    std::array<std::array<std::uint32_t, 8>, PLAYOUT_TABLES> tactics_{};
    std::vector<std::uint64_t> by_code_ = std::vector<std::uint64_t>(65536);

    static bool is_eye(unsigned code, Colour mover) {
        unsigned all = mover, corners = 0;
        for (int neighbour : {1, 3, 4, 6}) all &= code >> (2 * neighbour);
        for (int neighbour : {0, 2, 5, 7}) corners = corners << 2 | (code >> (2 * neighbour) & 3);
        return (all & mover) != 0 && (WHOLE_EYES[corners] & mover) != 0;
    }
};

// 0, or the level of a bad self-atari.
template <class Shape>
unsigned self_atari_level(const Board<Shape>& board, Point p, Colour colour) {
    if (!is_bad_self_atari(board, p, colour)) return 0;
    int stones = 1;
    for (Point head : Chains(board, p, colour)) stones += board.stone_count(head);
    return static_cast<unsigned>(std::min(stones, 3));
}

template <class Shape>
class LearnedPlayer {
public:
    LearnedPlayer(const PlayoutWeights& weights, const Board<Shape>& board, Point last, Point before)
        : weights_(weights), last_(last), before_(before), around_(board) {
        for (int i = 0; i < board.empty_count(); ++i) weigh(board.empty(i));
    }

    // A move for the colour, or NO_POINT for a pass; remembered as the last one. The board is as after the last choice
    // and its move.
    Point choose(const Board<Shape>& board, Colour colour, Random& random) {
        update(board);
        look_around(board, colour);
        const Point p = draw(board, colour, random);
        forget();
        before_ = last_;
        last_ = p;
        played_ = true;
        return p;
    }

    // Calls use(point, levels, weight) for every move that has a weight, row by row.
    template <class Use>
    void each(const Board<Shape>& board, Colour colour, Use use) {
        update(board);
        look_around(board, colour);
        for (int row = 0; row < board.height(); ++row)
            for (int column = 0; column < board.width(); ++column) {
                const Point p = Shape::point(row, column);
                if (weight_of(p, colour) == 0 || !is_allowed(board, p, colour)) continue;
                PlayoutLevels levels{};
                levels[PATTERN] = pattern_classes.of(around_.at(p), colour);
                for (std::size_t table = LAST; table < SELF_ATARI; ++table) levels[table] = facts_[p][table];
                levels[SELF_ATARI] = static_cast<std::uint16_t>(self_atari_level(board, p, colour));
                use(p, levels, weights_.times(weight_of(p, colour), SELF_ATARI, levels[SELF_ATARI]));
            }
        forget();
    }

private:
    template <class T>
    using PerPoint = std::array<T, static_cast<std::size_t>(Shape::area)>;
    // Levels of the tables between PATTERN and SELF_ATARI, by table; the other two places are flags.
    using Facts = std::array<std::uint8_t, 8>;
    static constexpr std::size_t FINAL = PATTERN, TOUCHED = SELF_ATARI;  // FINAL: nothing lowers the weight any more

    const PlayoutWeights& weights_;
    Point last_, before_;
    bool played_ = false;  // whether the neighbourhoods do not have the move of the last choice yet
    Neighbourhoods<Shape> around_;
    PerPoint<std::uint64_t> point_weights_{};  // for both colours; 0 where there is a stone
    std::array<std::uint64_t, MAX_SIDE> row_sums_{};
    PerPoint<Facts> facts_{};
    std::array<Point, static_cast<std::size_t>(Shape::points) + 1> touched_;  // points with facts
    std::size_t touched_count_ = 0;

    std::uint32_t weight_of(Point p, Colour colour) const {
        return PlayoutWeights::of_colour(point_weights_[p], colour);
    }

    void set(Point p, std::uint64_t weights) {
        row_sums_[static_cast<std::size_t>(Shape::row(p))] += weights - point_weights_[p];
        point_weights_[p] = weights;
    }

    void set(Point p, std::uint32_t weight, Colour colour) {
        set(p, point_weights_[p] + PlayoutWeights::for_colour(std::uint64_t{weight} - weight_of(p, colour), colour));
    }

    void weigh(Point p) { set(p, weights_.at(around_.at(p))); }

    // Brings neighbourhoods and weights up to date with the move of the last choice.
    void update(const Board<Shape>& board) {
        if (!std::exchange(played_, false) || last_ == NO_POINT) return;
        set(last_, 0);
        around_.follow(board, last_, [&](Point p) {
            if (board.colour(p) == EMPTY) weigh(p);
        });
    }

    Facts& touch(Point p) {
        if (facts_[p][TOUCHED] == 0) {
            facts_[p][TOUCHED] = 1;
            touched_[touched_count_++] = p;
        }
        return facts_[p];
    }

    void note(Point p, std::size_t table, std::uint8_t level) {
        std::uint8_t& known = touch(p)[table];
        known = std::max(known, level);
    }

    // Without a branch: whether a point near the last moves is empty cannot be predicted.
    void note_if(bool holds, Point p, std::size_t table, std::uint8_t level) {
        Facts& facts = facts_[p];
        facts[table] = holds ? std::max(facts[table], level) : facts[table];
        touched_[touched_count_] = p;
        touched_count_ += both(holds, facts[TOUCHED] == 0);
        facts[TOUCHED] = static_cast<std::uint8_t>(facts[TOUCHED] | static_cast<unsigned>(holds));
    }

    void note_all(PointSet<Shape> points, std::size_t table, std::uint8_t level) {
        for (Point p; (p = take_first<Shape>(points)) != NO_POINT;) note(p, table, level);
    }

    // Finds the facts of the points near the last two moves, and weighs these points with them.
    void look_around(const Board<Shape>& board, Colour colour) {
        ChainSet<10> seen;
        for (const auto& [centre, table] : {std::pair{last_, LAST}, std::pair{before_, BEFORE}}) {
            if (centre == NO_POINT) continue;
            for (Point p : Shape::neighbours(centre)) note_if(board.colour(p) == EMPTY, p, table, 1);
            for (Point p : Shape::diagonals(centre)) note_if(board.colour(p) == EMPTY, p, table, 2);
            const auto [up, left, right, down] = Shape::neighbours(centre);
            for (Point p : {centre, up, left, right, down}) {
                const Point head = board.chain(p);
                if (both(head != NO_POINT, board.liberty_count(head) < (table == LAST ? 4 : 2)) && seen.add(head))
                    look_at(board, colour, head);
            }
        }
        for (std::size_t i = 0; i < touched_count_; ++i) {
            const Point p = touched_[i];
            std::uint32_t weight = weight_of(p, colour);
            weight = weights_.times(weight, LAST, facts_[p][LAST]);
            weight = weights_.times(weight, BEFORE, facts_[p][BEFORE]);
            for (std::size_t table = ANSWER; table < SELF_ATARI; ++table)
                if (facts_[p][table] != 0) weight = weights_.times(weight, table, facts_[p][table]);
            set(p, weight, colour);
        }
    }

    // The answers at a chain in atari near the last two moves, or with two or three liberties beside the last one.
    void look_at(const Board<Shape>& board, Colour colour, Point head) {
        const int liberties = board.liberty_count(head);
        const bool own = board.colour(head) == colour;
        if (liberties == 1) {
            const Point liberty = only_liberty(board, head);
            if (own) {
                note_all(capturing_moves(board, head), ANSWER, FREES);
                const int after = outcome(board, liberty, colour).liberties;
                if (after > 1) note(liberty, ANSWER, after == 2 ? EXTENDS : ESCAPES);
            } else {
                note(liberty, ANSWER, board.stone_count(head) == 1 ? CAPTURES : TAKES_MORE);
            }
        } else {
            note_all(board.liberties(head), own ? DEFENCE : ATTACK, liberties == 2 ? 2 : 1);
        }
    }

    // The remainder of the number that drew a point is uniform below its weight, and decides whether it is rejected.
    Point draw(const Board<Shape>& board, Colour colour, Random& random) {
        std::uint64_t both = 0;
        for (int row = 0; row < board.height(); ++row) both += row_sums_[static_cast<std::size_t>(row)];
        auto sum = PlayoutWeights::of_colour(both, colour);
        while (sum > 0) {
            auto rest = static_cast<std::uint32_t>((random.next() >> 32) * sum >> 32);
            const Point p = point_at(rest, colour);
            if (facts_[p][FINAL] != 0) return p;
            const std::uint32_t bound = weight_of(p, colour);
            std::uint32_t weight = 0;
            if (!board.is_ko(p, colour) && !board.is_suicide(p, colour))
                weight = weights_.times(bound, SELF_ATARI, self_atari_level(board, p, colour));
            if (rest < weight) return p;
            touch(p)[FINAL] = 1;
            set(p, weight, colour);
            sum -= bound - weight;
        }
        return NO_POINT;
    }

    // The point at which the sum of weights, row by row, passes `rest`, which becomes what is left there.
    Point point_at(std::uint32_t& rest, Colour colour) const {
        std::uint32_t left = rest, weight;
        const std::uint64_t* row = row_sums_.data();
        while (left >= (weight = PlayoutWeights::of_colour(*row, colour))) left -= weight, ++row;
        const Point first = Shape::point(static_cast<int>(row - row_sums_.data()), 0);
        const std::uint64_t* point = &point_weights_[first];
        while (left >= (weight = PlayoutWeights::of_colour(*point, colour))) left -= weight, ++point;
        rest = left;
        return static_cast<Point>(point - point_weights_.data());
    }

    void forget() {
        for (std::size_t i = 0; i < touched_count_; ++i) {
            facts_[touched_[i]] = {};
            weigh(touched_[i]);
        }
        touched_count_ = 0;
    }
};

// The policy: plays one game to its end, answering the last two moves if they are given. `report` is called with every
// move.
struct Learned {
    const PlayoutWeights& weights;

    template <class Shape, class Report>
    int operator()(Board<Shape>& board, Colour colour, Random& random, Report report, Point last = NO_POINT,
                   Point before = NO_POINT) const {
        LearnedPlayer<Shape> player(weights, board, last, before);
        return play_to_end(board, colour, [&](Colour mover) { return player.choose(board, mover, random); }, report);
    }
};

}  // namespace tengen
