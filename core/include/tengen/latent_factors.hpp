// Latent-factor ranking: levels have a weight w and a few factors v, and the score of a move is
//     Σ_i w_i + Σ_{i<j} ⟨v_i, v_j⟩
// over its levels (Wistuba & Schmidt-Thieme 2013). The scores are trained as a softmax over the moves of a position, as
// Xiao & Müller (2016) do, by AdaGrad with one step per position.
//
// Weight and factors of a level lie together in FACTORS floats, the weight first; unused factors are 0 and stay 0, so
// that a model without factors is softmax regression. With s = Σ_i v_i a score is Σ w + ½ Σ_f (s_f² − Σ_i v_if²), and
// its derivative by v_if is s_f − v_if. Start at learn_factors.
#pragma once

#include "bradley_terry.hpp"

namespace tengen {

inline constexpr std::size_t FACTORS = 8;
using FactorRow = std::array<float, FACTORS>;

// The rows of a move's levels, added up.
struct FactorSum {
    FactorRow sum{}, squares{};

    void add(const FactorRow& row) {
        for (std::size_t f = 0; f < FACTORS; ++f) {
            sum[f] += row[f];
            squares[f] += row[f] * row[f];
        }
    }
    double score() const {
        double twice = 0;
        for (std::size_t f = 1; f < FACTORS; ++f) twice += static_cast<double>(sum[f] * sum[f] - squares[f]);
        return static_cast<double>(sum[0]) + twice / 2;
    }
};

// The scores of the moves of one position.
class FactorScores {
public:
    // `rows` has a row for each flat number; row 0 is not used.
    void read(const FactorRow* rows, const Candidates& moves) {
        sums_.resize(moves.count);
        scores.resize(moves.count);
        for (std::size_t move = 0; move < moves.count; ++move) {
            FactorSum total;
            for (const std::uint32_t level : moves[move]) total.add(rows[level]);
            scores[move] = total.score();
            sums_[move] = total.sum;
            sums_[move][0] = 1;  // the derivative by w
        }
    }
    // The derivative of a move's score by any of its rows, to which −v_if is still to be added.
    const FactorRow& slope(std::size_t move) const { return sums_[move]; }

    std::vector<double> scores;

private:
    std::vector<FactorRow> sums_;
};

struct FactorLearner {
    FactorRow* rows;
    FactorRow* squares;  // the squared gradients so far
    float rate, decay;

    // AdaGrad on one row, given Σ g and Σ g s_f over the moves with this level, g = P(move) − [move won].
    void step(std::uint32_t level, const FactorRow& slopes) {
        for (std::size_t f = 0; f < FACTORS; ++f) {
            float& value = rows[level][f];
            const float gradient = slopes[f] - (f > 0 ? slopes[0] * value : 0.0f) + decay * value;
            squares[level][f] += gradient * gradient;
            value -= rate * gradient / std::sqrt(squares[level][f] + 1e-12f);
        }
    }
};

// One step for each position of a list, in its order; returns the sum of −ln P(winner), each before its step. The decay
// applies to levels that occur.
inline double learn_factors(const Competitions& data, std::span<const std::int64_t> order, FactorLearner learner,
                            Interrupt& interrupt) {
    Candidates moves;
    FactorScores scores;
    std::vector<FactorRow> slopes(data.levels, FactorRow{});
    std::vector<bool> seen(data.levels);
    std::vector<std::uint32_t> occurring;
    double loss = 0;
    for (const std::int64_t position : order) {
        moves.read(data, static_cast<std::size_t>(position));
        interrupt.work(moves.count * data.columns.size());
        scores.read(learner.rows, moves);
        loss += softmax(scores.scores, moves.winner);
        scores.scores[moves.winner] -= 1;
        for (std::size_t move = 0; move < moves.count; ++move) {
            const auto error = static_cast<float>(scores.scores[move]);
            for (const std::uint32_t level : moves[move]) {
                if (!seen[level]) seen[level] = true, occurring.push_back(level);
                for (std::size_t f = 0; f < FACTORS; ++f) slopes[level][f] += error * scores.slope(move)[f];
            }
        }
        for (const std::uint32_t level : occurring) {
            learner.step(level, slopes[level]);
            slopes[level] = FactorRow{};
            seen[level] = false;
        }
        occurring.clear();
    }
    return loss;
}

// Rank and −ln P of each winner; moves of equal score share the mean of their ranks.
inline void rank_winners(const Competitions& data, const FactorRow* rows, int threads, double* ranks, double* losses,
                         Interrupt& interrupt) {
    struct Worker {
        Candidates moves;
        FactorScores scores;
    };
    std::vector<Worker> workers(static_cast<std::size_t>(threads));
    for_each_position(data, {0, data.positions}, threads, interrupt,
                      [&](std::size_t number, std::size_t, std::size_t j) {
                          auto& [moves, scores] = workers[number];
                          moves.read(data, j);
                          scores.read(rows, moves);
                          const double own = scores.scores[moves.winner];
                          double better = 0, equal = 0;
                          for (const double score : scores.scores) better += score > own, equal += score == own;
                          ranks[j] = better + (equal + 1) / 2;
                          losses[j] = softmax(scores.scores, moves.winner);
                      });
}

}  // namespace tengen
