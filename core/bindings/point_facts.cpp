// Binds point_facts.hpp: the facts of every point of many positions.
#include "tengen/point_facts.hpp"
#include "move_rows.hpp"

using namespace tengen;

namespace {

// [n, row, column]: bit i of a point's word is plane i.
Array<std::uint32_t> point_facts(nb::handle stones, nb::handle to_play, nb::handle ko, nb::handle last_moves,
                                 nb::handle passes) {
    const GivenRows rows(stones, to_play, ko, last_moves, passes);
    std::uint32_t* words;
    auto array = new_array<std::uint32_t>(
        {rows.count(), static_cast<std::size_t>(rows.height()), static_cast<std::size_t>(rows.width())}, words);
    rows.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        PointFacts<Shape> facts(rows.width(), rows.height());
        rows.each<Shape>([&](std::size_t i, Board<Shape>& board, Colour colour, const LastTwo&) {
            std::array<Point, LAST_MOVES> last;
            for (std::size_t k = 0; k < LAST_MOVES; ++k)
                last[k] = rows.point<Shape>(rows.last_moves.data()[i * LAST_MOVES + k]);
            facts.write(board, colour, last, words + i * rows.points());
        });
    });
    return array;
}

}  // namespace

void bind_point_facts(nb::module_& module) {
    module.def("point_facts", &point_facts, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"), nb::arg("last_moves"),
               nb::arg("passes"));
}
