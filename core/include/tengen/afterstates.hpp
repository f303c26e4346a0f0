// The positions after each move of a position, for players that evaluate them without a tree.
//
// Reading guide: considered_moves() lists the moves that the tree of search.hpp would get in its root; write_after()
// plays each of them on a copy of the board and writes the position as a row.
#pragma once

#include <vector>

#include "rows.hpp"
#include "tactics.hpp"

namespace tengen {

// All moves of the player to move that are neither suicide nor a ko, fill no real eye and repeat no position of the
// game, whatever the ko rule; then the pass.
inline std::vector<Point> considered_moves(const Position& position) {
    const GeneralBoard& board = position.board();
    const Colour player = position.to_play();
    const auto repeats = [&](Point p) {
        if (board.captures(BLACK) + board.captures(WHITE) == 0) return false;
        const Situation after{board.hash_after(p, player), opponent(player)};
        return position.ko_rule() == Ko::situational ? position.past().contains(after)
                                                     : position.past().contains(after.hash);
    };
    std::vector<Point> moves;
    for (int i = 0; i < board.width() * board.height(); ++i)
        if (const Point p = position.point(i); is_allowed(board, p, player) && !board.is_eye(p, player) && !repeats(p))
            moves.push_back(p);
    moves.push_back(NO_POINT);
    return moves;
}

// Writes the position after each of the moves.
inline void write_after(const Position& position, const std::vector<Point>& moves, const PositionRows& rows) {
    GeneralBoard board = position.board();
    const Colour player = position.to_play();
    const RecentMoves recent = recent_moves(position);
    Journal journal;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        RecentMoves with_move = recent;
        with_move.add(position.index(moves[i]), moves[i] == NO_POINT);
        journal.begin();
        if (moves[i] == NO_POINT) board.clear_ko(journal);
        else board.play(journal, moves[i], player);
        rows.write(i, board, opponent(player), with_move);
        journal.rewind(&board);
    }
}

}  // namespace tengen
