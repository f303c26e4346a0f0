// Generalised Bradley–Terry model: P(move) = its strength / the strengths of all moves of its position, where the
// strength of a move is the product of the weights γ of its levels (Coulom 2007; Hunter 2004).
//
// MinorizationMaximization changes all weights of one table at once and never lowers the penalised log-likelihood
//     Σ_j ln(S_winner / E_j) + Σ_i (ln γ_i − 2 ln(1 + γ_i)),
// where the last sum is a prior of one win and one loss of each level against a weight of 1.
//
// The update. Let x_i = γ_i / γ_i(old) for the levels of one table, and let a move have n of them. −ln E is at least
// 1 − ln E(old) − E / E(old), and by the inequality of arithmetic and geometric means a strength S(old) Π x_i is at
// most S(old) Σ x_i^n / n; both are equalities at x = 1. So with A_in = Σ S(old) / E(old) over the moves with n levels
// of the table, level i among them, the objective is bounded from below, up to a constant, by
//     Σ_i [(W_i + 1) ln x_i − Σ_n A_in x_i^n / n − 2 x_i γ_i / (1 + γ_i)],      W_i = wins of level i.
// Each level has its own maximum: Σ_n A_in x^n + 2 x γ / (1 + γ) = W + 1. With one level per move this is the usual
//     γ ← (W + 1) / (Σ_j C_ij / E_j + 2 / (γ + 1)),      C_ij = Σ strength / γ_i over the moves with level i.
//
// softmax_gradient() gives the derivatives of the likelihood with respect to ln γ, for other optimisers.
#pragma once

#include <cmath>
#include <numeric>

#include "competitions.hpp"

namespace tengen {

// Weights stay between these bounds, so that a product of MOST_COLUMNS of them is an ordinary number.
inline constexpr double LEAST_GAMMA = 0x1p-25, MOST_GAMMA = 0x1p25;
inline constexpr std::size_t MOST_COLUMNS = 40;

class MinorizationMaximization {
public:
    MinorizationMaximization(const Competitions& data, int threads, Interrupt& interrupt)
        : data_(data),
          threads_(threads),
          gammas_(data.levels, 1.0),
          wins_(data.levels, 0.0),
          strengths_(data.rows(), 1.0),
          totals_(data.positions) {
        for (const WeightTable& table : data.tables)
            for (std::size_t c = table.first_column; c < table.first_column + table.columns; ++c)
                for (std::size_t j = 0; j < data.positions; ++j)
                    data.with_levels(c, j, [&](auto levels) {
                        if (const auto level = levels[data.winner(j)]; level != 0) wins_[table.base + level] += 1;
                    });
        refresh(interrupt);
    }

    const std::vector<double>& gammas() const { return gammas_; }
    double objective() const { return objective_; }  // per position

    // Computes the strengths anew, without the rounding errors of many updates.
    void refresh(Interrupt& interrupt) {
        stale_ = true;
        std::fill(strengths_.begin(), strengths_.end(), 1.0);
        for (std::size_t t = 0; t < data_.tables.size(); ++t) multiply(data_.tables[t], gammas_, interrupt);
        stale_ = false;
    }

    // Updates all weights of a table; returns what the objective gained. After an interrupt, call again.
    double update(std::size_t number, Interrupt& interrupt) {
        if (stale_) refresh(interrupt);
        const WeightTable& table = data_.tables[number];
        const double before = objective_;
        const std::vector<double> expected = expected_wins(table, interrupt);
        std::vector<double> ratios(data_.levels, 1.0);
        stale_ = true;
        for (std::size_t i = table.base + 1; i <= table.base + table.levels; ++i) {
            double& gamma = gammas_[i];
            const double bound = 2 * gamma / (1 + gamma);
            const double* terms = expected.data() + (i - table.base) * table.columns;
            const double changed = gamma * best_ratio({terms, table.columns}, bound, wins_[i] + 1);
            const double kept = std::clamp(changed, LEAST_GAMMA, MOST_GAMMA);
            ratios[i] = kept / gamma;
            gamma = kept;
        }
        multiply(table, ratios, interrupt);
        stale_ = false;
        return objective_ - before;
    }

private:
    const Competitions& data_;
    int threads_;
    std::vector<double> gammas_, wins_;       // by flat number
    std::vector<double> strengths_, totals_;  // by row and by position
    double objective_ = 0;
    bool stale_ = true;  // strengths do not belong to the weights, because an interrupt stopped their change

    // The positive x with Σ_n terms[n − 1] x^n + linear x = wins, by Newton's method from the right of it: the left
    // side is convex and rising.
    static double best_ratio(std::span<const double> terms, double linear, double wins) {
        double x = wins / (linear + terms[0]);
        if (terms.size() == 1) return x;
        for (std::size_t n = 2; n <= terms.size(); ++n)
            if (terms[n - 1] > 0) x = std::min(x, std::pow(wins / terms[n - 1], 1.0 / static_cast<double>(n)));
        for (int step = 0; step < 60; ++step) {
            double value = 0, slope = 0;
            for (std::size_t n = terms.size(); n-- > 0;) {
                slope = slope * x + value;
                value = value * x + terms[n];
            }
            value += linear;  // the polynomial divided by x
            const double change = (value * x - wins) / (value + slope * x);
            x -= change;
            if (std::abs(change) <= 1e-13 * x) break;
        }
        return x;
    }

    // A_in by level of the table and n.
    std::vector<double> expected_wins(const WeightTable& table, Interrupt& interrupt) const {
        // A single column has two sums for each level, for even and odd moves, as equal levels in succession would wait
        // for each other's addition.
        const std::size_t slots = std::max<std::size_t>(table.columns, 2), size = (table.levels + 1) * slots;
        std::vector<double> sums(BLOCKS * size);
        std::vector<std::vector<std::uint8_t>> counts(static_cast<std::size_t>(threads_));
        for_each_position(data_, {0, data_.positions}, threads_, interrupt,
                          [&](std::size_t worker, std::size_t block, std::size_t j) {
                              const double* strengths = strengths_.data() + data_.start(j);
                              double* sum = sums.data() + block * size;
                              const double scale = 1 / totals_[j];
                              const std::size_t moves = data_.moves(j);
                              if (table.columns == 1) {
                                  data_.with_levels(table.first_column, j, [&](auto levels) {
                                      for (std::size_t move = 0; move < moves; ++move)
                                          sum[2 * static_cast<std::size_t>(levels[move]) + move % 2] +=
                                              strengths[move] * scale;
                                  });
                                  return;
                              }
                              std::vector<std::uint8_t>& count = counts[worker];
                              count.assign(moves, 0);
                              for_columns(table, j, [&](std::size_t move, std::size_t level) {
                                  count[move] = static_cast<std::uint8_t>(count[move] + (level != 0));
                              });
                              for_columns(table, j, [&](std::size_t move, std::size_t level) {
                                  if (level != 0) sum[level * slots + count[move] - 1] += strengths[move] * scale;
                              });
                          });
        for (std::size_t block = 1; block < BLOCKS; ++block)
            for (std::size_t i = 0; i < size; ++i) sums[i] += sums[block * size + i];
        if (table.columns == 1)
            for (std::size_t level = 0; level <= table.levels; ++level)
                sums[level] = sums[2 * level] + sums[2 * level + 1];
        return sums;
    }

    // Multiplies the strengths by the ratio of each level of a table; sums them up again.
    void multiply(const WeightTable& table, const std::vector<double>& by_level, Interrupt& interrupt) {
        std::array<double, BLOCKS> evidence{};
        std::vector<double> ratios(by_level.begin() + static_cast<std::ptrdiff_t>(table.base),
                                   by_level.begin() + static_cast<std::ptrdiff_t>(table.base + table.levels + 1));
        ratios[0] = 1;
        for_each_position(
            data_, {0, data_.positions}, threads_, interrupt, [&](std::size_t, std::size_t block, std::size_t j) {
                double* strengths = strengths_.data() + data_.start(j);
                for_columns(table, j, [&](std::size_t move, std::size_t level) { strengths[move] *= ratios[level]; });
                totals_[j] = sum({strengths, data_.moves(j)});
                evidence[block] += std::log(strengths[data_.winner(j)] / totals_[j]);
            });
        double prior = 0;
        for (std::size_t i = 1; i < data_.levels; ++i) prior += std::log(gammas_[i]) - 2 * std::log1p(gammas_[i]);
        objective_ = (std::accumulate(evidence.begin(), evidence.end(), 0.0) + prior) /
                     static_cast<double>(std::max<std::size_t>(data_.positions, 1));
    }

    template <class Visit>
    void for_columns(const WeightTable& table, std::size_t j, Visit visit) const {
        for (std::size_t c = table.first_column; c < table.first_column + table.columns; ++c)
            data_.with_levels(c, j, [&](auto levels) {
                for (std::size_t move = 0, moves = data_.moves(j); move < moves; ++move) visit(move, levels[move]);
            });
    }

    static double sum(std::span<const double> values) {
        std::array<double, 4> lanes{};
        std::size_t i = 0;
        for (; i + 4 <= values.size(); i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += values[i + lane];
        for (; i < values.size(); ++i) lanes[0] += values[i];
        return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
};

// Turns scores into probabilities; returns −ln of the winner's.
inline double softmax(std::span<double> scores, std::size_t winner) {
    const double most = *std::max_element(scores.begin(), scores.end()), own = scores[winner] - most;
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - most);
    for (double& score : scores) score /= total;
    return std::log(total) - own;
}

// Σ −ln P(winner) over a range of positions, with its gradient by ln γ; unless it is null, also with the diagonal of
// its second derivative, if no move has a level twice.
inline double softmax_gradient(const Competitions& data, const double* weights, PositionRange range, int threads,
                               double* gradient, double* curvature, Interrupt& interrupt) {
    struct Worker {
        Candidates moves;
        std::vector<double> chances;
        std::vector<double> expected;          // wins of each level in this position
        std::vector<std::uint32_t> occurring;  // levels with expected wins
    };
    std::vector<Worker> workers(static_cast<std::size_t>(threads));
    for (Worker& worker : workers) worker.expected.resize(data.levels);
    std::array<double, BLOCKS> losses{};
    const std::size_t kinds = curvature == nullptr ? 1 : 2;
    std::vector<double> sums(kinds * BLOCKS * data.levels);
    for_each_position(data, range, threads, interrupt, [&](std::size_t number, std::size_t block, std::size_t j) {
        auto& [moves, chances, expected, occurring] = workers[number];
        moves.read(data, j);
        chances.assign(moves.count, 0);
        for (std::size_t move = 0; move < moves.count; ++move)
            for (const std::uint32_t level : moves[move]) chances[move] += weights[level];
        losses[block] += softmax(chances, moves.winner);
        double *slope = sums.data() + kinds * block * data.levels, *bend = slope + data.levels;
        for (const std::uint32_t level : moves[moves.winner]) slope[level] -= 1;
        for (std::size_t move = 0; move < moves.count; ++move)
            for (const std::uint32_t level : moves[move]) {
                if (curvature == nullptr) {
                    slope[level] += chances[move];
                    continue;
                }
                if (expected[level] == 0) occurring.push_back(level);
                expected[level] += chances[move];
            }
        for (const std::uint32_t level : occurring) {
            slope[level] += expected[level];
            bend[level] += expected[level] * (1 - expected[level]);
            expected[level] = 0;
        }
        occurring.clear();
    });
    const auto add_up = [&](std::size_t kind, double* out) {
        std::fill(out, out + data.levels, 0.0);
        for (std::size_t block = 0; block < BLOCKS; ++block)
            for (std::size_t i = 0; i < data.levels; ++i) out[i] += sums[(kinds * block + kind) * data.levels + i];
    };
    add_up(0, gradient);
    if (curvature != nullptr) add_up(1, curvature);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace tengen
