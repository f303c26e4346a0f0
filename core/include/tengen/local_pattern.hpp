// Patterns of 3×3 points that suggest a move: hanes, cuts, moves at the edge (Gelly et al. 2006).
//
// LOCAL_PATTERNS are drawn for a move at the middle point: X and O are stones of different colours, # is off the board,
// x is anything but X, o anything but O, ? anything. A pattern also matches rotated, reflected and with colours
// reversed. neighbourhood() makes a code of the eight neighbours of a point; LocalPatterns is a table of all 65,536
// codes, computed once; Neighbourhoods keeps the codes of all points during a game.
#pragma once

#include <string_view>

#include "board.hpp"

namespace tengen {

inline constexpr std::array<std::string_view, 13> LOCAL_PATTERNS{
    "XOX"
    "..."
    "???",  // hane, enclosing
    "XO."
    "..."
    "?.?",  // hane, not cutting
    "XO?"
    "X.."
    "x.?",  // turn
    ".O."
    "X.."
    "...",  // attachment from the diagonal
    "XO?"
    "O.o"
    "?o?",  // cut that nobody protects
    "XO?"
    "O.X"
    "???",  // cut where there was a peep
    "?X?"
    "O.O"
    "ooo",  // cut between two stones
    "OX?"
    "o.O"
    "???",  // cut through a knight's move
    "X.?"
    "O.?"
    "###",  // chase along the edge
    "OX?"
    "X.O"
    "###",  // block a cut at the edge
    "?X?"
    "x.O"
    "###",  // block a connection at the edge
    "?XO"
    "x.x"
    "###",  // descent
    "?OX"
    "X.O"
    "###",  // cut at the edge
};

class LocalPatterns {
public:
    LocalPatterns() {
        for (std::string_view drawing : LOCAL_PATTERNS)
            for (int symmetry = 0; symmetry < 8; ++symmetry)
                for (bool changed : {false, true}) draw(drawing, symmetry, changed, 0, 0);
    }

    bool has(unsigned code) const { return (codes_[code / 64] >> (code % 64) & 1) != 0; }

private:
    std::array<std::uint64_t, 1024> codes_{};

    // Visits the neighbours from the top left and adds every code that matches the drawing.
    void draw(std::string_view drawing, int symmetry, bool changed, int neighbour, unsigned code) {
        if (neighbour == 8) {
            codes_[code / 64] |= std::uint64_t{1} << (code % 64);
            return;
        }
        const char letter = drawing[seen_at(neighbour + (neighbour > 3), symmetry)];
        for (Colour colour : {EMPTY, BLACK, WHITE, OFF})
            if (allows(letter, changed && colour != EMPTY && colour != OFF ? opponent(colour) : colour))
                draw(drawing, symmetry, changed, neighbour + 1,
                     code | static_cast<unsigned>(colour) << (2 * neighbour));
    }

    // The cell of a drawing that appears at a cell under one of the eight symmetries.
    static std::size_t seen_at(int cell, int symmetry) {
        int row = cell / 3, column = cell % 3;
        if (symmetry & 1) row = 2 - row;
        if (symmetry & 2) column = 2 - column;
        if (symmetry & 4) std::swap(row, column);
        return static_cast<std::size_t>(row * 3 + column);
    }

    static bool allows(char letter, Colour colour) {
        switch (letter) {
            case '.': return colour == EMPTY;
            case 'X': return colour == BLACK;
            case 'O': return colour == WHITE;
            case '#': return colour == OFF;
            case 'x': return colour != BLACK;
            case 'o': return colour != WHITE;
            default: return true;
        }
    }
};

inline const LocalPatterns local_patterns;

// From a point to its eight neighbours, from the top left. The opposite of neighbour i is neighbour 7 − i.
template <class Shape>
inline constexpr std::array AROUND{-Shape::stride - 1, -Shape::stride, -Shape::stride + 1, -1, 1,
                                   Shape::stride - 1,  Shape::stride,  Shape::stride + 1};

// The colours of the eight neighbours, two bits each, from the top left.
template <class Shape>
unsigned neighbourhood(const Board<Shape>& board, Point p) {
    unsigned code = 0;
    for (std::size_t i = 0; i < AROUND<Shape>.size(); ++i)
        code |= static_cast<unsigned>(board.colour(static_cast<Point>(p + AROUND<Shape>[i]))) << (2 * i);
    return code;
}

// The neighbourhoods of all points of a board on which a game is played, kept up to date move by move.
template <class Shape>
class Neighbourhoods {
public:
    explicit Neighbourhoods(const Board<Shape>& board) : empties_(board.empty_count()) {
        for (Point p = Shape::point(0, 0); p < Shape::area - Shape::stride; ++p)
            if (board.colour(p) != OFF) codes_[p] = static_cast<std::uint16_t>(neighbourhood(board, p));
    }

    unsigned at(Point p) const { return codes_[p]; }

    // Brings the codes up to date with a move just played on the board, whose list of empty points ends with those it
    // captured. Calls `changed` with the captured points and with all neighbours of these and of the move: some of them
    // more than once, some with stones, some off the board.
    template <class Changed>
    void follow(const Board<Shape>& board, Point move, Changed changed) {
        const int taken = board.empty_count() - (empties_ - 1);
        empties_ = board.empty_count();
        for (int i = empties_ - taken; i < empties_; ++i) write(board.empty(i), EMPTY, changed);
        write(move, board.colour(move), changed);
        for (int i = empties_ - taken; i < empties_; ++i) changed(board.empty(i));
    }

private:
    std::array<std::uint16_t, static_cast<std::size_t>(Shape::area)> codes_{};
    int empties_;

    // Writes the colour of p into the codes of its neighbours.
    template <class Changed>
    void write(Point p, Colour colour, Changed changed) {
        for (std::size_t i = 0; i < AROUND<Shape>.size(); ++i) {
            const Point n = static_cast<Point>(p + AROUND<Shape>[i]);
            const std::size_t shift = 2 * (7 - i);
            codes_[n] =
                static_cast<std::uint16_t>((codes_[n] & ~(3U << shift)) | static_cast<unsigned>(colour) << shift);
            changed(n);
        }
    }
};

}  // namespace tengen
