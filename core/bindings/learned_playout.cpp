// Binds learned_playout.hpp and playout_gradient.hpp.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "points.hpp"
#include "tengen/playout_gradient.hpp"

using namespace tengen;

namespace {

std::size_t level_count() {
    std::size_t count = 0;
    for (int levels : PLAYOUT_LEVELS) count += static_cast<std::size_t>(levels);
    return count;
}

void make_weights(PlayoutWeights* place, nb::handle given) {
    const auto array = given_array<const std::int32_t, 1>(given, "weights");
    const std::size_t count = level_count(), free = count - static_cast<std::size_t>(PLAYOUT_LEVELS[SELF_ATARI]);
    if (array.size() != count)
        throw nb::value_error(("weights: one for each of " + std::to_string(count) + " levels").c_str());
    std::vector<std::uint32_t> weights(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t weight = array.data()[i];
        if (weight < 0 || weight > static_cast<std::int32_t>(PlayoutWeights::MOST))
            throw nb::value_error("a weight of a playout is between 0 and 4,194,304; 1,024 stands for 1");
        if (i >= free && weight > static_cast<std::int32_t>(PlayoutWeights::UNIT))
            throw nb::value_error("the weight of a self-atari is at most 1,024");
        weights[i] = static_cast<std::uint32_t>(weight);
    }
    new (place) PlayoutWeights(weights.data());
}

// A move before the position: a point, or −1 for none; a pass is none too.
template <class Shape>
Point point_of(const Position& position, int move) {
    const int width = position.board().width(), pass = width * position.board().height();
    if (move < -1 || move > pass) throw nb::value_error("a last move is a point, the pass or -1");
    return move < 0 || move == pass ? NO_POINT : Shape::point(move / width, move % width);
}

// [points, table]: the levels of the moves that a playout may draw; 0 in all tables for other points.
Array<std::uint16_t> playout_levels(const Position& position, int colour, int last, int before,
                                    const PlayoutWeights& weights) {
    const Colour mover = checked_colour(colour);
    const std::size_t points = static_cast<std::size_t>(position.board().width() * position.board().height());
    std::uint16_t* data;
    auto array = new_array<std::uint16_t>({points, std::size_t{PLAYOUT_TABLES}}, data);
    std::fill(data, data + points * PLAYOUT_TABLES, std::uint16_t{0});
    on_its_shape(position.board(), [&](auto board) {
        using Shape = typename decltype(board)::shape;
        LearnedPlayer<Shape> player(weights, board, point_of<Shape>(position, last), point_of<Shape>(position, before));
        player.each(board, mover, [&](Point p, const PlayoutLevels& levels, std::uint32_t) {
            const int index = Shape::row(p) * board.width() + Shape::column(p);
            std::copy(levels.begin(), levels.end(), data + static_cast<std::size_t>(index) * PLAYOUT_TABLES);
        });
        return 0;
    });
    return array;
}

// Wins of n playouts, Σ ψ and Σ ψ of the playouts that Black won, by level.
using GradientSums = std::tuple<double, std::vector<double>, std::vector<double>>;

GradientSums playout_gradient(const Position& position, int n, std::uint64_t seed, int colour, double komi,
                              const PlayoutWeights& weights) {
    if (n < 0 || n > 100'000'000) throw nb::value_error("playouts: 0 to 100,000,000");
    given_number(komi, "komi");
    const Colour first = checked_colour(colour);
    return on_its_shape(position.board(), [&](auto board) {
        return interruptible([&](Interrupt& interrupt) {
            PlayoutGradient gradient(weights);
            double won = 0;
            for (int i = 0; i < n; ++i) {
                interrupt.check();
                won += gradient.add(board, first, Random(seed, static_cast<std::uint64_t>(i)), komi);
            }
            return GradientSums{won, gradient.sum, gradient.sum_won};
        });
    });
}

}  // namespace

void bind_learned_playouts(nb::module_& module, nb::class_<Position>& position) {
    nb::class_<PlayoutWeights>(module, "PlayoutWeights").def("__init__", &make_weights, nb::arg("weights"));
    module.attr("PLAYOUT_UNIT") = static_cast<int>(PlayoutWeights::UNIT);
    module.attr("PLAYOUT_MOST") = static_cast<int>(PlayoutWeights::MOST);
    module.attr("PLAYOUT_LEVELS") = nb::tuple(nb::cast(std::vector<int>(PLAYOUT_LEVELS.begin(), PLAYOUT_LEVELS.end())));
    module.def(
        "playout_class",
        [](int code) {
            if (code < 0 || code > 65535) throw nb::value_error("the code of a neighbourhood is between 0 and 65,535");
            return static_cast<int>(pattern_classes.of(static_cast<unsigned>(code), BLACK));
        },
        nb::arg("code"));
    position
        .def("playout_levels", &playout_levels, nb::arg("colour"), nb::arg("last"), nb::arg("before"),
             nb::arg("weights"))
        .def("playout_gradient", &playout_gradient, nb::arg("n"), nb::arg("seed"), nb::arg("colour"), nb::arg("komi"),
             nb::arg("weights"));
}
