// Positions with the moves before them as numpy arrays: what features of moves depend on.
#pragma once

#include <algorithm>

#include "interruptible.hpp"
#include "row_arrays.hpp"
#include "tengen/move_features.hpp"

// The arrays of n positions that features of moves depend on; see PositionRows.
struct GivenRows {
    Given<const std::int8_t, 3> stones;
    Given<const std::int8_t, 1> to_play;
    Given<const std::int16_t, 1> ko;
    Given<const std::int16_t, 2> last_moves;
    Given<const std::int8_t, 1> passes;

    GivenRows(nb::handle given_boards, nb::handle turns, nb::handle forbidden, nb::handle moves,
              nb::handle given_passes)
        : stones(given_stones<3>(given_boards)),
          to_play(given_array<const std::int8_t, 1>(turns, "to_play")),
          ko(given_array<const std::int16_t, 1>(forbidden, "ko")),
          last_moves(given_array<const std::int16_t, 2>(moves, "last_moves")),
          passes(given_array<const std::int8_t, 1>(given_passes, "passes")) {
        check();
    }

    std::size_t count() const { return stones.shape(0); }
    int height() const { return static_cast<int>(stones.shape(1)); }
    int width() const { return static_cast<int>(stones.shape(2)); }
    std::size_t points() const { return stones.shape(1) * stones.shape(2); }

    // The point of a move; NO_POINT for a pass, or if there is none.
    template <class Shape>
    tengen::Point point(int move) const {
        const bool none = move < 0 || move == width() * height();
        return none ? tengen::NO_POINT : Shape::point(move / width(), move % width());
    }

    // Calls work(shape) with a board's shape that is compiled for the size.
    template <class Work>
    void on_shape(Work work) const {
        const int side = width() == height() ? width() : 0;
        if (side == 9) work(tengen::Square<9>{});
        else if (side == 13) work(tengen::Square<13>{});
        else if (side == 19) work(tengen::Square<19>{});
        else work(tengen::AnyShape(width(), height()));
    }

    // Calls visit(i, board, player to move, last two moves) for each position, without the lock of Python.
    template <class Shape, class Visit>
    void each(Visit visit) const {
        interruptible([&](tengen::Interrupt& interrupt) {
            tengen::Board<Shape> board(width(), height());
            for (std::size_t i = 0; i < count(); ++i) {
                interrupt.check();
                set_up(board, stones.data() + i * points());
                if (board.lifeless() != tengen::NO_POINT)
                    throw nb::value_error("a chain on the board has no liberties");
                const tengen::Colour colour = to_play.data()[i] > 0 ? tengen::BLACK : tengen::WHITE;
                if (ko.data()[i] >= 0) board.set_ko(point<Shape>(ko.data()[i]), colour);
                const std::int16_t* last = last_moves.data() + i * tengen::LAST_MOVES;
                visit(i, board, colour,
                      tengen::LastTwo{point<Shape>(last[0]), point<Shape>(last[1]), passes.data()[i] > 0});
            }
        });
    }

private:
    void check() const {
        if (std::min(width(), height()) < tengen::MIN_SIDE || std::max(width(), height()) > tengen::MAX_SIDE)
            throw nb::value_error("a side has 2 to 25 points");
        if (to_play.shape(0) != count() || ko.shape(0) != count() || passes.shape(0) != count() ||
            last_moves.shape(0) != count() || last_moves.shape(1) != tengen::LAST_MOVES)
            throw nb::value_error("one turn, ko, row of last moves and number of passes for each board");
        for (std::size_t i = 0; i < count(); ++i) check_row(i);
    }

    void check_row(std::size_t i) const {
        const int pass = width() * height(), forbidden = ko.data()[i];
        if (to_play.data()[i] != 1 && to_play.data()[i] != -1) throw nb::value_error("to_play is 1 or -1");
        if (passes.data()[i] < 0) throw nb::value_error("passes are counted from 0");
        if (forbidden < -1 || forbidden >= pass) throw nb::value_error("ko is a point, or -1");
        if (forbidden >= 0 && stones.data()[i * points() + static_cast<std::size_t>(forbidden)] != 0)
            throw nb::value_error("ko is an empty point, or -1");
        for (std::size_t k = 0; k < tengen::LAST_MOVES; ++k)
            if (const int move = last_moves.data()[i * tengen::LAST_MOVES + k]; move < -1 || move > pass)
                throw nb::value_error("a last move is a point, the pass or -1");
    }
};
