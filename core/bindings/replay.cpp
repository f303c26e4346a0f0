// Binds replay.hpp.
#include "tengen/replay.hpp"
#include "interruptible.hpp"
#include "row_arrays.hpp"

using namespace tengen;

namespace {

using Events = Given<const std::uint16_t, 1>;
using Offsets = Given<const std::int64_t, 1>;
using Turns = Given<const std::int32_t, 1>;

// Checks that offsets increase from 0 to the end.
void check_ladder(const Offsets& offsets, std::size_t end, const char* what) {
    if (offsets.shape(0) < 1 || offsets.data()[0] != 0 ||
        offsets.data()[offsets.shape(0) - 1] != static_cast<std::int64_t>(end))
        throw nb::value_error(what);
    for (std::size_t i = 1; i < offsets.shape(0); ++i)
        if (offsets.data()[i] < offsets.data()[i - 1]) throw nb::value_error(what);
}

template <class Shape>
void replay_all(int width, int height, const Events& events, const Offsets& event_offsets, const Turns& turns,
                const Offsets& turn_offsets, const PositionRows& rows, Interrupt& interrupt) {
    Replayer<Shape> replayer(width, height);
    const auto points = static_cast<std::size_t>(width * height);
    for (std::size_t game = 0; game + 1 < event_offsets.shape(0); ++game) {
        interrupt.check();
        const std::int64_t first = event_offsets.data()[game], last = event_offsets.data()[game + 1];
        const std::int64_t begin = turn_offsets.data()[game], end = turn_offsets.data()[game + 1];
        replayer.positions(events.data() + first, static_cast<std::size_t>(last - first), turns.data() + begin,
                           static_cast<std::size_t>(end - begin), rows.from(static_cast<std::size_t>(begin), points));
    }
}

// Game g has events[event_offsets[g] : event_offsets[g + 1]] and gives the positions after turns[turn_offsets[g] :
// turn_offsets[g + 1]] moves; the turns of a game must increase.
RowArrays replay_positions(int width, int height, nb::handle given_events, nb::handle given_event_offsets,
                           nb::handle given_turns, nb::handle given_turn_offsets) {
    const auto events = given_array<const std::uint16_t, 1>(given_events, "events");
    const auto event_offsets = given_array<const std::int64_t, 1>(given_event_offsets, "event_offsets");
    const auto turns = given_array<const std::int32_t, 1>(given_turns, "turns");
    const auto turn_offsets = given_array<const std::int64_t, 1>(given_turn_offsets, "turn_offsets");
    if (width < MIN_SIDE || width > MAX_SIDE || height < MIN_SIDE || height > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
    check_ladder(event_offsets, events.shape(0), "event_offsets do not fit the events");
    check_ladder(turn_offsets, turns.shape(0), "turn_offsets do not fit the turns");
    if (event_offsets.shape(0) != turn_offsets.shape(0))
        throw nb::value_error("events and turns are of different numbers of games");
    NewRows rows(turns.shape(0), width, height);
    interruptible([&](Interrupt& interrupt) {
        auto run = width != height ? replay_all<AnyShape>
                   : width == 9    ? replay_all<Square<9>>
                   : width == 13   ? replay_all<Square<13>>
                   : width == 19   ? replay_all<Square<19>>
                                   : replay_all<AnyShape>;
        run(width, height, events, event_offsets, turns, turn_offsets, rows.rows, interrupt);
    });
    return rows.arrays();
}

}  // namespace

void bind_replay(nb::module_& module) {
    module.def("replay_positions", &replay_positions, nb::arg("width"), nb::arg("height"), nb::arg("events"),
               nb::arg("event_offsets"), nb::arg("turns"), nb::arg("turn_offsets"));
}
