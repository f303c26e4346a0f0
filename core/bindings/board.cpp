// Binds board.hpp, position.hpp and benson.hpp. In Python points are row·width + column, a pass is width·height;
// colours are 1 (Black) and 2 (White), in arrays of stones 1, −1 and 0.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "points.hpp"
#include "tengen/benson.hpp"

using namespace tengen;

namespace {

constexpr std::int64_t MOST_CAPTURES = 1'000'000'000;  // the sum for both colours still fits an int

int sign(Colour colour) { return colour == BLACK ? 1 : colour == WHITE ? -1 : 0; }

Ko checked_ko(int ko) {
    if (ko < 0 || ko > 2) throw nb::value_error("ko is 0 (simple), 1 (positional) or 2 (situational)");
    return static_cast<Ko>(ko);
}

void make_position(Position* place, int width, int height, int ko, bool suicide) {
    if (width < MIN_SIDE || width > MAX_SIDE || height < MIN_SIDE || height > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
    new (place) Position(width, height, checked_ko(ko), suicide);
}

void set_captures(Position& position, int by, std::int64_t stones) {
    if (stones < 0 || stones > MOST_CAPTURES) throw nb::value_error("captures: 0 to 1,000,000,000");
    position.set_captures(checked_colour(by), static_cast<int>(stones));
}

// Starts from these stones; returns the index of a chain without liberties, in which case nothing has changed, or −1.
int set_up(Position& position, nb::handle given, int to_play) {
    const auto stones = given_stones<2>(given);
    const int width = position.board().width(), height = position.board().height();
    if (stones.shape(0) != static_cast<std::size_t>(height) || stones.shape(1) != static_cast<std::size_t>(width))
        throw nb::value_error("the array does not have the shape of the board");
    GeneralBoard board(width, height);
    const std::int8_t* value = stones.data();
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c, ++value)
            if (*value != 0) board.put(GeneralBoard::point(r, c), *value == 1 ? BLACK : WHITE);
    if (const Point lifeless = board.lifeless()) return position.index(lifeless);
    for (Colour by : {BLACK, WHITE}) board.set_captures(by, position.board().captures(by));
    position.setup(board, checked_colour(to_play));
    return -1;
}

Array<std::int32_t> move_codes(const Position& position) {
    std::int32_t* data;
    auto result = new_array<std::int32_t>({position.moves().size()}, data);
    for (const Move& move : position.moves())
        *data++ = Event::packed(Event::move, move.colour, position.index(move.point));
    return result;
}

std::vector<int> chain_points(const Position& position, int index) {
    const Point p = checked_point(position, index);
    std::vector<int> points;
    if (!is_stone(position.board().colour(p))) return points;
    Point stone = p;
    do points.push_back(position.index(stone));
    while ((stone = position.board().next(stone)) != p);
    std::sort(points.begin(), points.end());
    return points;
}

std::vector<int> chain_liberties(const Position& position, int index) {
    const GeneralBoard& board = position.board();
    const Point head = board.chain(checked_point(position, index));
    std::vector<int> points;
    for (int i = 0; head != NO_POINT && i < board.width() * board.height(); ++i)
        if (board.is_liberty(head, position.point(i))) points.push_back(i);
    return points;
}

void set_earlier(Position& position, const std::vector<int>& moves) {
    if (position.undoable() > 0) throw nb::value_error("earlier moves are set before the first move");
    const int pass = position.board().width() * position.board().height();
    std::vector<Point> points;
    for (int index : moves) points.push_back(index == pass ? NO_POINT : checked_point(position, index));
    position.set_earlier(points);
}

std::pair<Array<std::int8_t>, Array<std::int8_t>> benson(const Position& position) {
    const GeneralBoard& board = position.board();
    const SafeArea black = Benson(board, BLACK).area(), white = Benson(board, WHITE).area();
    auto alive = per_point<std::int8_t>(board, [&](Point p) { return black.alive[p] - white.alive[p]; });
    auto territory = per_point<std::int8_t>(board, [&](Point p) { return black.territory[p] - white.territory[p]; });
    return {alive, territory};
}

std::vector<int> replay(Position& position, nb::handle given, std::int64_t limit) {
    const auto events = given_array<const std::int32_t, 1>(given, "events");
    for (std::size_t i = 0; i < events.shape(0); ++i) {
        const Event event(events.data()[i]);
        const bool colour_ok = is_stone(event.colour) || (event.kind == Event::setup && event.colour == EMPTY);
        const int points = position.board().width() * position.board().height();
        if (event.kind > Event::to_play || !colour_ok || event.index < 0 || event.index > points)
            throw nb::value_error("not an event of this board");
    }
    return position.replay(events.data(), events.shape(0), static_cast<std::size_t>(limit));
}

}  // namespace

void bind_board(nb::module_& module) {
    auto position_class = nb::class_<Position>(module, "Position");
    position_class
        .def("__init__", &make_position, nb::arg("width"), nb::arg("height"), nb::arg("ko") = 0,
             nb::arg("suicide") = false)
        .def("copy", [](const Position& position) { return Position(position); })
        .def_prop_ro("width", [](const Position& position) { return position.board().width(); })
        .def_prop_ro("height", [](const Position& position) { return position.board().height(); })
        .def_prop_ro("hash", [](const Position& position) { return position.board().hash(); })
        .def_prop_ro("passes", &Position::passes)
        .def_prop_ro("undoable", &Position::undoable)
        .def_prop_ro("move_count", [](const Position& position) { return position.moves().size(); })
        .def_prop_rw(
            "to_play", [](const Position& position) { return static_cast<int>(position.to_play()); },
            [](Position& position, int colour) { position.set_to_play(checked_colour(colour)); })
        .def_prop_ro("ko", [](const Position& position) { return position.index(position.board().ko()); })
        .def("set_rules", [](Position& position, int ko, bool suicide) { position.set_rules(checked_ko(ko), suicide); })
        .def("captures", [](const Position& position, int by) { return position.board().captures(checked_colour(by)); })
        .def("set_captures", &set_captures)
        .def("set_ko", [](Position& position, int index) { position.set_ko(checked_point(position, index)); })
        .def("set_earlier", &set_earlier)
        .def("moves", &move_codes)
        .def("stones",
             [](const Position& position) {
                 return per_point<std::int8_t>(position.board(),
                                               [&](Point p) { return sign(position.board().colour(p)); });
             })
        .def("objection",
             [](const Position& position, int point, int colour) {
                 return static_cast<int>(position.objection(checked_point(position, point), checked_colour(colour)));
             })
        .def("legal_mask",
             [](const Position& position, int colour) {
                 const Colour mover = checked_colour(colour);
                 return per_point<bool>(position.board(),
                                        [&](Point p) { return position.objection(p, mover) == Objection::none; });
             })
        .def("play",
             [](Position& position, int index, int colour) {
                 const Point p = checked_point(position, index);
                 if (p != NO_POINT && position.board().colour(p) != EMPTY)
                     throw nb::value_error("the point is occupied");
                 position.play(p, checked_colour(colour));
             })
        .def("undo",
             [](Position& position) {
                 if (position.undoable() == 0) throw nb::value_error("nothing to undo");
                 position.undo();
             })
        .def("set_up", &set_up, nb::arg("stones"), nb::arg("to_play"))
        .def("replay", &replay, nb::arg("events"), nb::arg("limit"))
        .def("chain_heads",
             [](const Position& position) {
                 return per_point<std::int32_t>(position.board(), [&](Point p) {
                     const Point head = position.board().chain(p);
                     return head == NO_POINT ? -1 : position.index(head);
                 });
             })
        .def("liberty_counts",
             [](const Position& position) {
                 const GeneralBoard& board = position.board();
                 return per_point<std::int32_t>(
                     board, [&](Point p) { return board.chain(p) ? board.liberty_count(board.chain(p)) : 0; });
             })
        .def("chain_points", &chain_points)
        .def("chain_liberties", &chain_liberties)
        .def("benson", &benson);
    bind_playouts(module, position_class);
    bind_learned_playouts(module, position_class);
}
