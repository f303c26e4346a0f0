// Binds rows.hpp and afterstates.hpp: positions as arrays, their legal moves, and the positions after them.
#include <nanobind/stl/vector.h>

#include "points.hpp"
#include "row_arrays.hpp"
#include "tengen/afterstates.hpp"

using namespace tengen;

namespace {

using GivenPositions = std::vector<const Position*>;

// The board of the first of some positions, which all have one size.
const GeneralBoard& checked_board(const GivenPositions& positions) {
    if (positions.empty()) throw nb::value_error("no positions");
    const GeneralBoard& first = positions[0]->board();
    for (const Position* position : positions)
        if (position->board().width() != first.width() || position->board().height() != first.height())
            throw nb::value_error("positions of different sizes");
    return first;
}

RowArrays position_rows(const GivenPositions& positions) {
    const GeneralBoard& first = checked_board(positions);
    const NewRows rows(positions.size(), first.width(), first.height());
    for (std::size_t i = 0; i < positions.size(); ++i)
        rows.rows.write(i, positions[i]->board(), positions[i]->to_play(), recent_moves(*positions[i]));
    return rows.arrays();
}

// Writes where a colour may play, row by row, then the pass.
void write_legal(const Position& position, Colour colour, bool* legal) {
    const int points = position.board().width() * position.board().height();
    for (int i = 0; i <= points; ++i)
        legal[i] = legal[i] || position.objection(position.point(i), colour) == Objection::none;
}

// The legal moves of the player to move [n, points + 1], given the history of each position.
Array<bool> legal_rows(const GivenPositions& positions) {
    const GeneralBoard& first = checked_board(positions);
    const auto moves = static_cast<std::size_t>(first.width() * first.height() + 1);
    bool* legal;
    auto result = new_array<bool>({positions.size(), moves}, legal);
    std::fill(legal, legal + positions.size() * moves, false);
    for (const Position* position : positions) {
        write_legal(*position, position->to_play(), legal);
        legal += moves;
    }
    return result;
}

// The moves of each position as an array of rows: where those of each position begin [n + 1], the moves [rows], and the
// positions after them.
std::tuple<Array<std::int64_t>, Array<std::int32_t>, RowArrays> rows_after(const GivenPositions& positions) {
    const GeneralBoard& board = checked_board(positions);
    std::int64_t* first;
    std::int32_t* move;
    auto starts = new_array<std::int64_t>({positions.size() + 1}, first);
    std::vector<std::vector<Point>> moves;
    first[0] = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        moves.push_back(considered_moves(*positions[i]));
        first[i + 1] = first[i] + static_cast<std::int64_t>(moves[i].size());
    }
    const auto total = static_cast<std::size_t>(first[positions.size()]);
    auto played = new_array<std::int32_t>({total}, move);
    const NewRows rows(total, board.width(), board.height());
    const auto points = static_cast<std::size_t>(board.width() * board.height());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        for (const Point p : moves[i]) *move++ = positions[i]->index(p);
        write_after(*positions[i], moves[i], rows.rows.from(static_cast<std::size_t>(first[i]), points));
    }
    return {starts, played, rows.arrays()};
}

}  // namespace

void bind_rows(nb::module_& module) {
    module.attr("LAST_MOVES") = LAST_MOVES;
    module.def("position_rows", &position_rows, nb::arg("positions"));
    module.def("legal_rows", &legal_rows, nb::arg("positions"));
    module.def("rows_after", &rows_after, nb::arg("positions"));
}
