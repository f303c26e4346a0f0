// Positions as rows of arrays, which corpora, searches and models exchange.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "position.hpp"

namespace tengen {

constexpr std::size_t LAST_MOVES = 5;

// The moves before a position, newest first. A move is row·width + column, a pass width·height, −1 is none.
struct RecentMoves {
    std::array<std::int16_t, LAST_MOVES> moves;
    int passes = 0;  // consecutive passes at the end

    RecentMoves() { moves.fill(-1); }

    void add(int move, bool pass) {
        std::copy_backward(moves.begin(), moves.end() - 1, moves.end());
        moves[0] = static_cast<std::int16_t>(move);
        passes = pass ? passes + 1 : 0;
    }
};

inline RecentMoves recent_moves(const Position& position) {
    RecentMoves recent;
    const std::vector<Move>& moves = position.moves();
    for (std::size_t i = 0; i < std::min(moves.size(), LAST_MOVES); ++i)
        recent.moves[i] = static_cast<std::int16_t>(position.index(moves[moves.size() - 1 - i].point));
    recent.passes = position.passes();
    return recent;
}

// Sets up the stones of a row: 1 Black, −1 White, 0 empty.
template <class Shape>
void set_up(Board<Shape>& board, const std::int8_t* stones) {
    board.clear();
    for (int r = 0; r < board.height(); ++r)
        for (int c = 0; c < board.width(); ++c, ++stones)
            if (*stones != 0) board.put(Shape::point(r, c), *stones > 0 ? BLACK : WHITE);
}

// The output of rows: the arrays of n positions of one size.
struct PositionRows {
    std::int8_t* stones;       // [n, height, width]: 1 Black, −1 White, 0 empty
    std::int8_t* to_play;      // [n]: 1 Black, −1 White
    std::int16_t* ko;          // [n]: the point that the ko rule forbids to the player to move, −1 for none
    std::int16_t* last_moves;  // [n, LAST_MOVES]
    std::int32_t* captures;    // [n, 2]: stones captured by Black and by White
    std::int8_t* passes;       // [n]: consecutive passes at the end of the moves, at most 127

    template <class Shape>
    void write(std::size_t row, const Board<Shape>& board, Colour player, const RecentMoves& recent) const {
        std::int8_t* stone = stones + row * static_cast<std::size_t>(board.width() * board.height());
        for (int r = 0; r < board.height(); ++r)
            for (int c = 0; c < board.width(); ++c) {
                const Colour colour = board.colour(Shape::point(r, c));
                *stone++ = static_cast<std::int8_t>((colour == BLACK) - (colour == WHITE));
            }
        to_play[row] = player == BLACK ? 1 : -1;
        const Point p = board.ko();
        const bool forbidden = p != NO_POINT && board.ko_colour() == player;
        ko[row] = static_cast<std::int16_t>(forbidden ? Shape::row(p) * board.width() + Shape::column(p) : -1);
        std::copy(recent.moves.begin(), recent.moves.end(), last_moves + row * LAST_MOVES);
        captures[2 * row] = board.captures(BLACK), captures[2 * row + 1] = board.captures(WHITE);
        passes[row] = static_cast<std::int8_t>(std::min(recent.passes, 127));
    }

    PositionRows from(std::size_t row, std::size_t points) const {
        return {stones + row * points,         to_play + row,      ko + row,
                last_moves + row * LAST_MOVES, captures + 2 * row, passes + row};
    }
};

}  // namespace tengen
