// Binds move_pattern.hpp.
#include "tengen/move_pattern.hpp"
#include "interruptible.hpp"
#include "row_arrays.hpp"

using namespace tengen;

namespace {

// Calls visit(board, i) with each position in the colours of its mover.
template <class Visit>
void each_position(const GivenTurns& given, Visit visit) {
    interruptible([&](Interrupt& interrupt) {
        MoverBoard board(given.width, given.height);
        for (std::size_t i = 0; i < given.n; ++i) {
            interrupt.check();
            board.set(given.stones.data() + i * board.points(), given.to_play.data()[i]);
            visit(board, i);
        }
    });
}

// The keys of the moves given, [n, SIZES], or of all points, [n, points, SIZES]; 0 for a pass and for occupied points.
Array<std::uint64_t> move_pattern_keys(nb::handle stones, nb::handle to_play, nb::handle given_moves) {
    const GivenTurns given(stones, to_play);
    const auto points = static_cast<std::size_t>(given.width * given.height);
    std::uint64_t* keys;
    if (given_moves.is_none()) {
        auto array = new_array<std::uint64_t>({given.n, points, SIZES}, keys);
        std::fill_n(keys, given.n * points * SIZES, 0);
        each_position(given, [&](MoverBoard& board, std::size_t i) {
            for (std::size_t v = 0; v < points; ++v)
                if (board.is_empty(v)) board.keys(v, keys + (i * points + v) * SIZES);
        });
        return array;
    }
    const auto moves = given_array<const std::int32_t, 1>(given_moves, "moves");
    if (moves.shape(0) != given.n) throw nb::value_error("one move for each position");
    for (std::size_t i = 0; i < given.n; ++i) {
        const std::int32_t move = moves.data()[i];
        if (move < 0 || move > static_cast<std::int32_t>(points)) throw nb::value_error("a move is not on the board");
        if (move < static_cast<std::int32_t>(points) &&
            given.stones.data()[i * points + static_cast<std::size_t>(move)] != 0)
            throw nb::value_error("a move is on an occupied point");
    }
    auto array = new_array<std::uint64_t>({given.n, SIZES}, keys);
    std::fill_n(keys, given.n * SIZES, 0);
    each_position(given, [&](MoverBoard& board, std::size_t i) {
        const auto move = static_cast<std::size_t>(moves.data()[i]);
        if (move < points) board.keys(move, keys + i * SIZES);
    });
    return array;
}

std::vector<std::uint64_t> rising(nb::handle given, int bits) {
    const auto keys = given_array<const std::uint64_t, 1>(given, "keys");
    if (bits < 32 || bits > 64) throw nb::value_error("bits: 32 to 64 of a key are compared");
    if (keys.shape(0) >= (std::size_t{1} << 31)) throw nb::value_error("too many keys");
    for (std::size_t i = 1; i < keys.shape(0); ++i)
        if (keys.data()[i] <= keys.data()[i - 1]) throw nb::value_error("keys rise");
    for (std::size_t i = 0; bits < 64 && i < keys.shape(0); ++i)
        if (keys.data()[i] << bits != 0) throw nb::value_error("bits of keys that are not compared are 0");
    return {keys.data(), keys.data() + keys.shape(0)};
}

Array<std::int32_t> largest(const MovePatterns& table, nb::handle stones, nb::handle to_play) {
    const GivenTurns given(stones, to_play);
    std::int32_t* numbers;
    const auto points = static_cast<std::size_t>(given.width * given.height);
    auto array = new_array<std::int32_t>({given.n, points}, numbers);
    each_position(given, [&](MoverBoard& board, std::size_t i) { table.largest(board, numbers + i * points); });
    return array;
}

Array<std::int32_t> nested(const MovePatterns& table, nb::handle stones, nb::handle to_play) {
    const GivenTurns given(stones, to_play);
    std::int32_t* numbers;
    const auto points = static_cast<std::size_t>(given.width * given.height);
    auto array = new_array<std::int32_t>({given.n, points, SIZES}, numbers);
    each_position(given, [&](MoverBoard& board, std::size_t i) { table.nested(board, numbers + i * points * SIZES); });
    return array;
}

}  // namespace

void bind_move_pattern(nb::module_& module) {
    module.def("move_pattern_keys", &move_pattern_keys, nb::arg("stones"), nb::arg("to_play"),
               nb::arg("moves") = nb::none());
    nb::class_<MovePatterns>(module, "MovePatterns")
        .def(
            "__init__",
            [](MovePatterns* self, nb::handle keys, int bits) { new (self) MovePatterns(rising(keys, bits), bits); },
            nb::arg("keys"), nb::arg("bits") = 64)
        .def("__len__", &MovePatterns::count)
        .def_prop_ro("bytes", &MovePatterns::bytes)
        .def("largest", &largest, nb::arg("stones"), nb::arg("to_play"))
        .def("nested", &nested, nb::arg("stones"), nb::arg("to_play"));
}
