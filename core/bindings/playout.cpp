// Binds playout.hpp and knowing_playout.hpp, and plays by all policies.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "points.hpp"
#include "tengen/knowing_playout.hpp"
#include "tengen/learned_playout.hpp"

using namespace tengen;

namespace {

Eye checked_eye(int eye) {
    if (eye < 0 || eye > 1) throw nb::value_error("eye is 0 (simple) or 1 (diagonal)");
    return static_cast<Eye>(eye);
}

void make_knowledge(Knowledge* place, int atari, int pattern, int shun_self_atari, int shun_random_self_atari,
                    int ladder) {
    for (int percent : {atari, pattern, shun_self_atari, shun_random_self_atari, ladder})
        if (percent < 0 || percent > 100) throw nb::value_error("knowledge is used in 0 to 100 percent");
    new (place) Knowledge{atari, pattern, shun_self_atari, shun_random_self_atari, ladder};
}

using GivenPolicy = std::optional<std::variant<Knowledge, std::shared_ptr<PlayoutWeights>>>;

// Without knowledge or weights a policy is uniform; with them, eyes are diagonal.
template <class Use>
auto with_policy(int eye, const GivenPolicy& knowledge, Use use) {
    if (knowledge && knowledge->index() == 0) return use(Knowing{std::get<0>(*knowledge)});
    if (knowledge) return use(Learned{*std::get<1>(*knowledge)});
    return checked_eye(eye) == Eye::simple ? use(Uniform<Eye::simple>{}) : use(Uniform<Eye::diagonal>{});
}

using OwnerArrays = std::tuple<Array<std::int32_t>, Array<std::int32_t>, std::int64_t, Array<std::int16_t>>;

template <class Policy, class Shape>
OwnerArrays counted(const Policy& policy, const Position& position, const Board<Shape>& start, First first,
                    std::uint64_t seed, int n, int threads) {
    std::int16_t* leads;
    auto lead_array = new_array<std::int16_t>({static_cast<std::size_t>(n)}, leads);
    const OwnerCounts<Shape> counts = interruptible(
        [&](Interrupt& interrupt) { return count_owners(policy, start, first, seed, n, threads, leads, interrupt); });
    auto at = [](Point p) { return Shape::point(GeneralBoard::row(p), GeneralBoard::column(p)); };
    auto black = per_point<std::int32_t>(position.board(), [&](Point p) { return counts.black[at(p)]; });
    auto white = per_point<std::int32_t>(position.board(), [&](Point p) { return counts.white[at(p)]; });
    return {black, white, counts.moves, lead_array};
}

OwnerArrays owner_counts(const Position& position, int n, std::uint64_t seed, int threads, int eye, int first,
                         const GivenPolicy& knowledge) {
    if (n < 0 || n > 100'000'000) throw nb::value_error("playouts: 0 to 100,000,000");
    if (threads < 1 || threads > 1024) throw nb::value_error("threads: 1 to 1024");
    if (first < 1 || first > 3) throw nb::value_error("first is 1 (Black), 2 (White) or 3 (both in turn)");
    return on_its_shape(position.board(), [&](auto start) {
        return with_policy(eye, knowledge, [&](auto policy) {
            return counted(policy, position, start, static_cast<First>(first), seed, n, threads);
        });
    });
}

// The moves of playout `index` of a seed, a pass as width·height.
std::vector<int> playout_moves(const Position& position, int colour, std::uint64_t seed, std::uint64_t index, int eye,
                               const GivenPolicy& knowledge) {
    const Colour first = checked_colour(colour);
    return on_its_shape(position.board(), [&](auto board) {
        std::vector<int> moves;
        Random random(seed, index);
        using Shape = typename decltype(board)::shape;
        auto report = [&](Point p, Colour) {
            const int width = board.width();
            moves.push_back(p == NO_POINT ? width * board.height() : Shape::row(p) * width + Shape::column(p));
        };
        with_policy(eye, knowledge, [&](auto policy) { return policy(board, first, random, report); });
        return moves;
    });
}

}  // namespace

void bind_playouts(nb::module_& module, nb::class_<Position>& position) {
    const Knowledge usual;
    nb::class_<Knowledge>(module, "Knowledge")
        .def("__init__", &make_knowledge, nb::arg("atari") = usual.atari, nb::arg("pattern") = usual.pattern,
             nb::arg("shun_self_atari") = usual.shun_self_atari,
             nb::arg("shun_random_self_atari") = usual.shun_random_self_atari, nb::arg("ladder") = usual.ladder)
        .def_ro("atari", &Knowledge::atari)
        .def_ro("pattern", &Knowledge::pattern)
        .def_ro("shun_self_atari", &Knowledge::shun_self_atari)
        .def_ro("shun_random_self_atari", &Knowledge::shun_random_self_atari)
        .def_ro("ladder", &Knowledge::ladder);
    position
        .def("owner_counts", &owner_counts, nb::arg("n"), nb::arg("seed"), nb::arg("threads"), nb::arg("eye"),
             nb::arg("first"), nb::arg("knowledge") = nb::none())
        .def("playout_moves", &playout_moves, nb::arg("colour"), nb::arg("seed"), nb::arg("index"), nb::arg("eye"),
             nb::arg("knowledge") = nb::none());
}
