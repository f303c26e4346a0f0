// Conversion of positions: checked points and colours, and arrays [row, column] of values per point.
#pragma once

#include "arrays.hpp"
#include "tengen/position.hpp"

namespace tengen {

inline Colour checked_colour(int colour) {
    if (colour != BLACK && colour != WHITE) throw nb::value_error("a colour is 1 (Black) or 2 (White)");
    return static_cast<Colour>(colour);
}

inline Point checked_point(const Position& position, int index) {
    if (index < 0 || index > position.board().width() * position.board().height())
        throw nb::index_error("no such point");
    return position.point(index);
}

// An array [row, column] of value(point).
template <class T, class Value>
Array<T> per_point(const GeneralBoard& board, Value value) {
    T* data;
    auto result =
        new_array<T>({static_cast<std::size_t>(board.height()), static_cast<std::size_t>(board.width())}, data);
    for (int r = 0; r < board.height(); ++r)
        for (int c = 0; c < board.width(); ++c) *data++ = static_cast<T>(value(GeneralBoard::point(r, c)));
    return result;
}

// The same stones and ko rebuilt on a board of another shape, so that playouts depend only on the position, not on the
// moves that led to it.
template <class Shape>
Board<Shape> rebuild(const GeneralBoard& board) {
    Board<Shape> result(board.width(), board.height());
    auto moved = [](Point p) { return Shape::point(GeneralBoard::row(p), GeneralBoard::column(p)); };
    for (Point p = 0; p < GeneralBoard::area; ++p)
        if (is_stone(board.colour(p))) result.put(moved(p), board.colour(p));
    if (board.ko() != NO_POINT) result.set_ko(moved(board.ko()), board.ko_colour());
    return result;
}

// Calls a function with the position on a board compiled for its size.
template <class Ask>
auto on_its_shape(const GeneralBoard& board, Ask ask) {
    const int side = board.width() == board.height() ? board.width() : 0;
    if (side == 9) return ask(rebuild<Square<9>>(board));
    if (side == 13) return ask(rebuild<Square<13>>(board));
    if (side == 19) return ask(rebuild<Square<19>>(board));
    return ask(rebuild<AnyShape>(board));
}

}  // namespace tengen

void bind_playouts(nb::module_& module, nb::class_<tengen::Position>& position);
void bind_learned_playouts(nb::module_& module, nb::class_<tengen::Position>& position);
