// Binds rows.hpp: positions as arrays, and their legal moves.
#include <nanobind/stl/vector.h>

#include "points.hpp"
#include "row_arrays.hpp"

using namespace tengen;

namespace {

RowArrays position_rows(const std::vector<const Position*>& positions) {
    if (positions.empty()) throw nb::value_error("no positions");
    const int width = positions[0]->board().width(), height = positions[0]->board().height();
    NewRows rows(positions.size(), width, height);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const GeneralBoard& board = positions[i]->board();
        if (board.width() != width || board.height() != height) throw nb::value_error("positions of different sizes");
        rows.rows.write(i, board, positions[i]->to_play(), recent_moves(*positions[i]));
    }
    return rows.arrays();
}

// Writes where a colour may play, row by row, then the pass.
void write_legal(const Position& position, Colour colour, bool* legal) {
    const int points = position.board().width() * position.board().height();
    for (int i = 0; i <= points; ++i)
        legal[i] = legal[i] || position.objection(position.point(i), colour) == Objection::none;
}

// The legal moves of the player to move [n, points + 1], given the history of each position.
Array<bool> legal_rows(const std::vector<const Position*>& positions) {
    if (positions.empty()) throw nb::value_error("no positions");
    const GeneralBoard& first = positions[0]->board();
    const auto moves = static_cast<std::size_t>(first.width() * first.height() + 1);
    bool* legal;
    auto result = new_array<bool>({positions.size(), moves}, legal);
    std::fill(legal, legal + positions.size() * moves, false);
    for (const Position* position : positions) {
        const GeneralBoard& board = position->board();
        if (board.width() != first.width() || board.height() != first.height())
            throw nb::value_error("positions of different sizes");
        write_legal(*position, position->to_play(), legal);
        legal += moves;
    }
    return result;
}

}  // namespace

void bind_rows(nb::module_& module) {
    module.attr("LAST_MOVES") = LAST_MOVES;
    module.def("position_rows", &position_rows, nb::arg("positions"));
    module.def("legal_rows", &legal_rows, nb::arg("positions"));
}
