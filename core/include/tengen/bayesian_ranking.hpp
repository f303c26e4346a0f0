// Bayesian move prediction, position by position: each level has a Gaussian belief about its weight, and every position
// changes the beliefs once. Wistuba, Schaefers & Platzner (2012) compare the two ways below with Bradley–Terry.
//
// - BayesianApproximation: the position is a series of games of two teams, the winner against each other move, with the
//   updates of Weng & Lin (2011) for the Bradley–Terry model.
// - LoopyRanking: each move performs as the sum of its weights plus Gaussian noise, and the winner performed better
// than
//   each other move (Stern, Herbrich & Graepel 2006). The comparisons share the winner's performance, so their messages
//   go round until they settle; then each performance informs the weights of its levels.
#pragma once

#include "competitions.hpp"

#include <cmath>

namespace tengen {

struct Beliefs {
    double* means;  // by flat number
    double* variances;
};

// The levels that two moves do not share: +1 in the first, −1 in the second. What they share says nothing about who
// wins.
class Difference {
public:
    explicit Difference(std::size_t levels) : counts_(levels) {}

    template <class Visit>
    void visit(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second, Visit visit_level) {
        for (const std::uint32_t level : first) ++counts_[level];
        for (const std::uint32_t level : second) --counts_[level];
        for (const auto& levels : {first, second})
            for (const std::uint32_t level : levels)
                if (counts_[level] != 0) visit_level(level, counts_[level]), counts_[level] = 0;
    }

private:
    std::vector<int> counts_;
};

class BayesianApproximation {
public:
    BayesianApproximation(const Competitions& data, Beliefs beliefs) : beliefs_(beliefs), difference_(data.levels) {}

    void learn(const Candidates& moves) {
        for (std::size_t move = 0; move < moves.count; ++move)
            if (move != moves.winner) play(moves[moves.winner], moves[move]);
    }

private:
    // Half of the noise in a game, β²: beliefs without variance give P = 1 / (1 + exp(−difference)), so that means are
    // ln γ.
    static constexpr double NOISE = 0.5, LEAST_SHRINKAGE = 1e-4;

    Beliefs beliefs_;
    Difference difference_;
    std::vector<std::pair<std::uint32_t, int>> levels_;

    void play(std::span<const std::uint32_t> winner, std::span<const std::uint32_t> loser) {
        double mean = 0, variance = 0;
        levels_.clear();
        difference_.visit(winner, loser, [&](std::uint32_t level, int sign) {
            mean += sign * beliefs_.means[level];
            variance += sign * sign * beliefs_.variances[level];
            levels_.emplace_back(level, sign);
        });
        const double scale = std::sqrt(variance + 2 * NOISE), loses = 1 / (1 + std::exp(mean / scale));
        const double pull = loses / scale;
        const double shrinkage = std::sqrt(variance) / scale * loses * (1 - loses) / (scale * scale);
        for (const auto& [level, sign] : levels_) {
            const double before = beliefs_.variances[level];
            beliefs_.means[level] += sign * before * pull;
            beliefs_.variances[level] = before * std::max(1 - before * sign * sign * shrinkage, LEAST_SHRINKAGE);
        }
    }
};

class LoopyRanking {
public:
    LoopyRanking(const Competitions& data, Beliefs beliefs)
        : beliefs_(beliefs), precision_(data.levels), shift_(data.levels), seen_(data.levels) {}

    void learn(const Candidates& moves) {
        sides_.assign(moves.count, Side{});
        for (std::size_t move = 0; move < moves.count; ++move)
            for (const std::uint32_t level : moves[move]) {
                sides_[move].mean += beliefs_.means[level];
                sides_[move].variance += beliefs_.variances[level];
            }
        compare(moves.winner);
        for (std::size_t move = 0; move < moves.count; ++move) inform(moves[move], sides_[move]);
        for (const std::uint32_t level : occurring_) apply(level);
        occurring_.clear();
    }

private:
    // β²: the variance of Gumbel noise, with which performances would give exactly the Bradley–Terry model.
    static constexpr double NOISE = 1.6449340668482264;
    static constexpr int SWEEPS = 20;
    static constexpr double SETTLED = 1e-4;

    // A Gaussian message, by its precision and its precision times its mean.
    struct Message {
        double precision = 0, shift = 0;
    };
    struct Side {
        double mean = 0, variance = 0;  // of the sum of weights, before the position
        Message to_winner, to_self;     // from the comparison of this move with the winner
    };

    Beliefs beliefs_;
    std::vector<Side> sides_;
    std::vector<double> precision_, shift_;  // messages to the levels, by flat number
    std::vector<bool> seen_;
    std::vector<std::uint32_t> occurring_;

    // Messages between the performances until the winner's settles; its own is left in to_self.
    void compare(std::size_t winner) {
        Message all{};
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
            double change = 0;
            for (std::size_t move = 0; move < sides_.size(); ++move) {
                if (move == winner) continue;
                Side& side = sides_[move];
                all.precision -= side.to_winner.precision, all.shift -= side.to_winner.shift;
                const double prior = 1 / (sides_[winner].variance + NOISE), precision = prior + all.precision;
                const double mean = (prior * sides_[winner].mean + all.shift) / precision;
                const double own = side.variance + NOISE;
                change += exceed(mean, 1 / precision, side.mean, own, side);
                all.precision += side.to_winner.precision, all.shift += side.to_winner.shift;
            }
            if (change < SETTLED) break;
        }
        sides_[winner].to_self = all;
    }

    // The messages of "the winner exceeds the loser": the difference is cut off at 0 and its moments are matched.
    // Returns how much the message to the winner changed.
    static double exceed(double winner, double winner_variance, double loser, double loser_variance, Side& side) {
        const double variance = winner_variance + loser_variance, deviation = std::sqrt(variance);
        const double t = (winner - loser) / deviation, v = hazard(t);
        const double w = std::clamp(v * (v + t), 1e-12, 1 - 1e-12);
        // The message about the difference alone, then passed on with the other side's variance.
        const double precision = w / (variance * (1 - w));
        const double mean = (winner - loser) + v * deviation / w;
        const Message before = side.to_winner;
        side.to_winner.precision = 1 / (1 / precision + loser_variance);
        side.to_winner.shift = side.to_winner.precision * (mean + loser);
        side.to_self.precision = 1 / (1 / precision + winner_variance);
        side.to_self.shift = side.to_self.precision * (winner - mean);
        return std::abs(side.to_winner.precision - before.precision) + std::abs(side.to_winner.shift - before.shift);
    }

    // The normal density divided by the normal distribution, by its asymptote where both vanish.
    static double hazard(double t) {
        if (t < -30) return -t;
        return std::exp(-t * t / 2) * 0.3989422804014327 / (std::erfc(-t * 0.7071067811865476) / 2);
    }

    // Passes what a performance says to each of its levels.
    void inform(std::span<const std::uint32_t> levels, const Side& side) {
        if (side.to_self.precision <= 0) return;
        for (const std::uint32_t level : levels) {
            const double others = side.variance - beliefs_.variances[level];
            const double precision = 1 / (1 / side.to_self.precision + NOISE + others);
            const double mean = side.to_self.shift / side.to_self.precision - (side.mean - beliefs_.means[level]);
            if (!seen_[level]) seen_[level] = true, occurring_.push_back(level);
            precision_[level] += precision;
            shift_[level] += precision * mean;
        }
    }

    void apply(std::uint32_t level) {
        const double prior = 1 / beliefs_.variances[level], precision = prior + precision_[level];
        beliefs_.means[level] = (prior * beliefs_.means[level] + shift_[level]) / precision;
        beliefs_.variances[level] = 1 / precision;
        precision_[level] = shift_[level] = 0;
        seen_[level] = false;
    }
};

// Changes the beliefs by each position of a list, in its order.
template <class Learner>
void learn_beliefs(const Competitions& data, std::span<const std::int64_t> order, Beliefs beliefs,
                   Interrupt& interrupt) {
    Candidates moves;
    Learner learner(data, beliefs);
    for (const std::int64_t position : order) {
        moves.read(data, static_cast<std::size_t>(position));
        interrupt.work(moves.count * data.columns.size());
        learner.learn(moves);
    }
}

}  // namespace tengen
