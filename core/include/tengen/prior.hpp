// The prior of a move before any playout, in virtual visits and wins: captures, ladders, rescues, shapes, distance to
// the last move.
//
// Reading guide: Priors::of(). The weights are those of michi, with ladders and rescues added. Nearness to the last
// move has less than half of michi's weight, which won slightly more short 9×9 matches of the search against itself.
#pragma once

#include "fate_distances.hpp"
#include "local_pattern.hpp"
#include "tactics.hpp"
#include "tree.hpp"

namespace tengen {

struct PriorWeights {
    float even = 10;
    float self_atari = 10;
    float take_one = 15, take_more = 30;  // one or more stones captured, caught in a ladder or saved
    float pattern = 10;
    std::array<float, 3> near{10, 8, 4};     // at common-fate distance 1, 2, 3 from the last move
    float open_edge = 10, open_third = 10;   // far from all stones: against lines 1 and 2, for line 3
    float open_fourth = 8, open_centre = 5;  // the same on a large board: for line 4, against higher lines
    float corner = 20;  // common points of an empty corner of a large board; half for less common ones
    float pass = 10;
    float policy = 100;  // times the square root of a probability given by a model of moves, instead of all above
    float guide = 100;   // times the square root of a probability given by a guide
    float chances = 20;  // virtual visits for a guide's value of a position

    Prior of_move() const { return {even, even / 2}; }
    Prior of_pass() const { return {even + pass, even / 2}; }
};

template <class Shape>
class Priors {
public:
    static constexpr int LARGE = 13;  // side length from which opening moves in corners are preferred

    Priors(const PriorWeights& weights, Board<Shape>& board, LadderReader<Shape>& reader, Point last)
        : weights_(weights), board_(board), reader_(reader), distances_(board, last) {}

    // The prior of a legal move at p.
    Prior of(Point p, Colour colour) {
        Prior prior = weights_.of_move();
        const MoveFacts facts = examine(reader_, board_, p, colour);
        auto holds = [&](MoveFacts::Bit bit) { return (facts.bits & bit) != 0; };
        if (holds(MoveFacts::captures)) prior.good(by_size(facts.outcome.taken));
        if (holds(MoveFacts::ladder)) prior.good(by_size(largest_with(p, opponent(colour), 2)));
        if (holds(MoveFacts::saves)) prior.good(by_size(facts.outcome.stones - 1));
        if (holds(MoveFacts::self_atari) && !holds(MoveFacts::captures) && !holds(MoveFacts::sacrifice))
            prior.bad(weights_.self_atari);
        if (local_patterns.has(neighbourhood(board_, p))) prior.good(weights_.pattern);
        if (const int distance = distances_[p]; distance > 0 && distance < 4)
            prior.good(weights_.near[static_cast<std::size_t>(distance - 1)]);
        judge_opening(prior, p);
        return prior;
    }

private:
    const PriorWeights& weights_;
    Board<Shape>& board_;
    LadderReader<Shape>& reader_;
    FateDistances<Shape, 4> distances_;

    float by_size(int stones) const { return stones > 1 ? weights_.take_more : weights_.take_one; }

    // The size of the largest chain of a colour next to p with a given number of liberties.
    int largest_with(Point p, Colour colour, int liberties) const {
        int most = 0;
        for (Point head : Chains(board_, p, colour))
            if (board_.liberty_count(head) == liberties) most = std::max(most, board_.stone_count(head));
        return most;
    }

    void judge_opening(Prior& prior, Point p) const {
        const int row = Shape::row(p), column = Shape::column(p);
        const int up = std::min(row, board_.height() - 1 - row), along = std::min(column, board_.width() - 1 - column);
        const int line = std::min(up, along);
        const bool large = std::min(board_.height(), board_.width()) >= LARGE;
        if (large && std::max(up, along) <= 4 && line >= 2 && up + along <= 6 && is_corner_empty(row, column)) {
            const bool usual = up == 3 || along == 3;  // 4-4, 3-4; the others are 3-3 and 3-5
            prior.good(usual ? weights_.corner : weights_.corner / 2);
        } else if ((large || line <= 2) && is_lonely(row, column)) {
            if (line == 2) prior.good(weights_.open_third);
            else if (line == 3) prior.good(weights_.open_fourth);
            else prior.bad(line < 2 ? weights_.open_edge : weights_.open_centre);
        }
    }

    // No stone in the seven by seven points of the corner.
    bool is_corner_empty(int row, int column) const {
        const int top = 2 * row < board_.height() ? 0 : board_.height() - 7,
                  left = 2 * column < board_.width() ? 0 : board_.width() - 7;
        for (int r = top; r < top + 7; ++r)
            for (int c = left; c < left + 7; ++c)
                if (board_.colour(Shape::point(r, c)) != EMPTY) return false;
        return true;
    }

    // No stone within three steps.
    bool is_lonely(int row, int column) const {
        for (int r = std::max(row - 3, 0); r <= std::min(row + 3, board_.height() - 1); ++r) {
            const int reach = 3 - std::abs(r - row);
            for (int c = std::max(column - reach, 0); c <= std::min(column + reach, board_.width() - 1); ++c)
                if (board_.colour(Shape::point(r, c)) != EMPTY) return false;
        }
        return true;
    }
};

}  // namespace tengen
