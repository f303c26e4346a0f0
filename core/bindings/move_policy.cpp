// Binds move_policy.hpp.
#include "tengen/move_policy.hpp"
#include "move_rows.hpp"

using namespace tengen;

namespace {

std::vector<FactorRow> given_rows(nb::handle given) {
    const auto rows = given_array<const float, 2>(given, "rows");
    if (rows.shape(1) != FACTORS) throw nb::value_error("a row has 8 numbers: the weight and seven factors");
    std::vector<FactorRow> copies(rows.shape(0));
    const float* next = rows.data();
    for (FactorRow& row : copies)
        for (float& value : row) value = static_cast<float>(given_number(*next++, "rows"));
    return copies;
}

// The level of each move in each column: [n, points + 1, columns].
Array<std::uint32_t> levels(const MovePolicy& policy, nb::handle stones, nb::handle to_play, nb::handle ko,
                            nb::handle last_moves, nb::handle passes) {
    const GivenRows rows(stones, to_play, ko, last_moves, passes);
    const std::size_t moves = rows.points() + 1, columns = policy.columns();
    std::uint32_t* data;
    auto array = new_array<std::uint32_t>({rows.count(), moves, columns}, data);
    std::fill_n(data, rows.count() * moves * columns, 0);
    rows.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        PolicyScratch<Shape> scratch(policy, rows.width(), rows.height());
        rows.each<Shape>([&](std::size_t i, Board<Shape>& board, Colour colour, const LastTwo& last) {
            policy.each_move(board, colour, last, scratch, [&](std::size_t index, const auto& found) {
                std::copy(found.begin(), found.end(), data + (i * moves + index) * columns);
            });
        });
    });
    return array;
}

// The score of each move: [n, points + 1].
Array<float> scores(const MovePolicy& policy, nb::handle stones, nb::handle to_play, nb::handle ko,
                    nb::handle last_moves, nb::handle passes) {
    const GivenRows rows(stones, to_play, ko, last_moves, passes);
    float* data;
    auto array = new_array<float>({rows.count(), rows.points() + 1}, data);
    rows.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        PolicyScratch<Shape> scratch(policy, rows.width(), rows.height());
        rows.each<Shape>([&](std::size_t i, Board<Shape>& board, Colour colour, const LastTwo& last) {
            policy.scores(board, colour, last, scratch, data + i * (rows.points() + 1));
        });
    });
    return array;
}

// The keys of response patterns around one move of each position [n, RESPONSES]; 0 for a pass.
Array<std::uint64_t> response_keys(nb::handle stones, nb::handle to_play, nb::handle ko, nb::handle last_moves,
                                   nb::handle passes, nb::handle given_moves) {
    const GivenRows rows(stones, to_play, ko, last_moves, passes);
    const auto moves = given_array<const std::int32_t, 1>(given_moves, "moves");
    if (moves.shape(0) != rows.count()) throw nb::value_error("one move for each position");
    for (std::size_t i = 0; i < rows.count(); ++i)
        if (moves.data()[i] < 0 || moves.data()[i] > static_cast<std::int32_t>(rows.points()))
            throw nb::value_error("a move is not on the board");
    std::uint64_t* keys;
    auto array = new_array<std::uint64_t>({rows.count(), RESPONSES}, keys);
    std::fill_n(keys, rows.count() * RESPONSES, 0);
    rows.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        MoverBoard view(rows.width(), rows.height());
        rows.each<Shape>([&](std::size_t i, Board<Shape>& board, Colour colour, const LastTwo& last) {
            const Point p = rows.point<Shape>(moves.data()[i]);
            if (p == NO_POINT) return;
            if (board.colour(p) != EMPTY) throw nb::value_error("a move is on an occupied point");
            view.set(board, colour);
            const auto found = ResponseKeys<Shape>(board, view, colour, last.last).at(p);
            std::copy(found.begin(), found.end(), keys + i * RESPONSES);
        });
    });
    return array;
}

}  // namespace

void bind_move_policy(nb::module_& module) {
    module.attr("RESPONSES") = RESPONSES;
    module.def("response_keys", &response_keys, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"),
               nb::arg("last_moves"), nb::arg("passes"), nb::arg("moves"));
    nb::class_<MovePolicy>(module, "MovePolicy")
        .def(
            "__init__",
            [](MovePolicy* self, nb::handle rows, const MovePatterns* patterns, bool nested, const Forest* forest,
               bool oakfoam, bool contact, const MovePatterns* responses) {
                new (self) MovePolicy({patterns, nested, forest, oakfoam, contact, responses}, given_rows(rows));
            },
            nb::arg("rows"), nb::arg("patterns").none() = nb::none(), nb::arg("nested") = false,
            nb::arg("forest").none() = nb::none(), nb::arg("oakfoam") = false, nb::arg("contact") = false,
            nb::arg("responses").none() = nb::none(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 5>(),
            nb::keep_alive<1, 8>())
        .def_prop_ro("columns", &MovePolicy::columns)
        .def("levels", &levels, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"), nb::arg("last_moves"),
             nb::arg("passes"))
        .def("scores", &scores, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"), nb::arg("last_moves"),
             nb::arg("passes"));
}
