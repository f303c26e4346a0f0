// Binds move_features.hpp: the levels of all moves of many positions.
#include "move_rows.hpp"

using namespace tengen;

namespace {

// [n, points + 1, feature]; the pass is last.
Array<Level> move_features(nb::handle stones, nb::handle to_play, nb::handle ko, nb::handle last_moves,
                           nb::handle passes, bool oakfoam) {
    const GivenRows rows(stones, to_play, ko, last_moves, passes);
    Level* levels;
    auto array = new_array<Level>({rows.count(), rows.points() + 1, MOVE_FEATURES}, levels);
    rows.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        LadderReader<Shape> reader;
        rows.each<Shape>([&](std::size_t, Board<Shape>& board, Colour colour, const LastTwo& moves) {
            MoveFeatures<Shape> features(board, reader, colour, moves, oakfoam);
            for (int move = 0; move <= static_cast<int>(rows.points()); ++move) {
                const MoveLevels found = features.levels(rows.point<Shape>(move));
                levels = std::copy(found.begin(), found.end(), levels);
            }
        });
    });
    return array;
}

}  // namespace

void bind_move_features(nb::module_& module) {
    module.def("move_features", &move_features, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"),
               nb::arg("last_moves"), nb::arg("passes"), nb::arg("oakfoam") = false);
}
