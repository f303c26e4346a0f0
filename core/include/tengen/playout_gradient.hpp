// The gradient of the mean result of learned playouts by the logarithms of their weights (Silver & Tesauro 2009).
//
// Reading guide: PlayoutGradient::add(). With ψ = Σ over the moves of a playout of its levels minus the expected levels
// of the position, the gradient of the mean result z is E[z ψ]. Since E[ψ] = 0, sums of ψ and of z ψ are returned
// and the caller may subtract a baseline.
#pragma once

#include "learned_playout.hpp"

namespace tengen {

class PlayoutGradient {
public:
    std::vector<double> sum, sum_won;  // Σ ψ over all playouts and over those that Black won, by level; a draw is half

    explicit PlayoutGradient(const PlayoutWeights& weights) : weights_(weights) {
        for (std::size_t table = 0; table < PLAYOUT_TABLES; ++table) {
            starts_[table] = sum.size();
            sum.resize(sum.size() + static_cast<std::size_t>(PLAYOUT_LEVELS[table]));
        }
        sum_won = psi_ = sum;
    }

    // Plays one game and adds its ψ; returns 1 if Black wins, 0 if White wins.
    template <class Shape>
    double add(Board<Shape> board, Colour colour, Random random, double komi) {
        LearnedPlayer<Shape> player(weights_, board, NO_POINT, NO_POINT);
        std::fill(psi_.begin(), psi_.end(), 0.0);
        const auto choose = [&](Colour mover) {
            moves_.clear();
            double total = 0;
            player.each(board, mover, [&](Point p, const PlayoutLevels& levels, std::uint32_t weight) {
                if (weight > 0) moves_.push_back({p, levels, static_cast<double>(weight)}), total += weight;
            });
            const Point chosen = player.choose(board, mover, random);
            for (const Move& move : moves_) count(move.levels, (move.point == chosen) - move.weight / total);
            return chosen;
        };
        play_to_end(board, colour, choose, no_report);
        const double lead = OwnerCounts<Shape>{}.tally(board) - komi, won = lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
        for (std::size_t i = 0; i < psi_.size(); ++i) sum[i] += psi_[i], sum_won[i] += won * psi_[i];
        return won;
    }

private:
    struct Move {
        Point point;
        PlayoutLevels levels;
        double weight;
    };

    const PlayoutWeights& weights_;
    std::array<std::size_t, PLAYOUT_TABLES> starts_{};
    std::vector<double> psi_;
    std::vector<Move> moves_;

    void count(const PlayoutLevels& levels, double share) {
        for (std::size_t table = 0; table < PLAYOUT_TABLES; ++table)
            if (levels[table] != 0) psi_[starts_[table] + levels[table] - 1U] += share;
    }
};

}  // namespace tengen
