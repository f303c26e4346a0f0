// Contact features of a move: the chains it touches, where exactly it is, and how full the board is.
//
// Reading guide: ContactFeatures::levels() gives the level of each of the eight features, 0 where one does not apply.
// They add to the tactical features (move_features.hpp) what pairs of levels can use (latent_factors.hpp).
#pragma once

#include "move_features.hpp"

namespace tengen {

constexpr std::size_t CONTACT_FEATURES = 8;
// liberties of the move's chain (6: or more); the weakest enemy chain that it touches, and the weakest own one; numbers
// of own and enemy chains that it touches; offset to the last and second-last move; lines; stones on the board
using ContactLevels = std::array<Level, CONTACT_FEATURES>;
inline constexpr ContactLevels MOST_CONTACT{6, 16, 16, 24, 36, 36, 55, 12};  // the highest level of each

template <class Shape>
class ContactFeatures {
public:
    ContactFeatures(const Board<Shape>& board, Colour colour, const LastTwo& moves)
        : board_(board), colour_(colour), moves_(moves) {
        const int points = board.width() * board.height();
        fullness_ = level(1 + std::min(FULLNESSES * (points - board.empty_count()) / points, FULLNESSES - 1));
    }

    // The pass, NO_POINT, has only the number of stones, which all moves share.
    ContactLevels levels(Point p) const {
        if (p == NO_POINT) return {0, 0, 0, 0, 0, 0, 0, fullness_};
        const Chains friends(board_, p, colour_), enemies(board_, p, opponent(colour_));
        return {level(std::min(outcome(board_, p, colour_).liberties, LIBERTIES)),
                weakest(enemies),
                weakest(friends),
                level(static_cast<int>(friends.count()) * 5 + static_cast<int>(enemies.count())),
                offset(p, moves_.last),
                offset(p, moves_.second_last),
                lines(p),
                fullness_};
    }

private:
    static constexpr int LIBERTIES = 6, FULLNESSES = 12, REACH = 7, LINES = 10;

    const Board<Shape>& board_;
    const Colour colour_;
    const LastTwo moves_;
    Level fullness_;

    static Level level(int value) { return static_cast<Level>(value); }

    // Classes of 1, 2, 3 or 4, and more stones with 1, 2, 3, and more liberties. Of chains with equally few liberties,
    // the largest counts.
    Level weakest(const Chains& chains) const {
        int liberties = 0, stones = 0;
        for (Point head : chains) {
            const int free = std::min(board_.liberty_count(head), 4), count = board_.stone_count(head);
            if (liberties != 0 && (free > liberties || (free == liberties && count < stones))) continue;
            liberties = free, stones = count;
        }
        if (liberties == 0) return 0;
        return level(1 + 4 * (liberties - 1) + (stones > 4 ? 3 : stones > 2 ? 2 : stones - 1));
    }

    // Up to symmetry: the longer side first.
    static Level offset(Point p, Point from) {
        if (from == NO_POINT) return 0;
        const int rows = std::abs(Shape::row(p) - Shape::row(from));
        const int columns = std::abs(Shape::column(p) - Shape::column(from));
        const int most = std::max(rows, columns), least = std::min(rows, columns);
        return most > REACH ? Level{0} : level(1 + most * (most + 1) / 2 + least);
    }

    Level lines(Point p) const {
        const int row = Shape::row(p), column = Shape::column(p);
        const int one = std::min({row, board_.height() - 1 - row, LINES - 1});
        const int other = std::min({column, board_.width() - 1 - column, LINES - 1});
        const int most = std::max(one, other), least = std::min(one, other);
        return level(1 + most * (most + 1) / 2 + least);
    }
};

}  // namespace tengen
