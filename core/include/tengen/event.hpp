// One step of a record packed in an integer: kind | colour << 2 | index << 4, where index = row·width + column and
// width·height is a pass. The layout is also used in src/tengen/go/events.py.
#pragma once

#include "shape.hpp"

namespace tengen {

struct Event {
    enum Kind : std::uint8_t { move, setup, to_play };  // setup: EMPTY removes a stone

    explicit Event(std::int32_t code)
        : kind(static_cast<Kind>(code & 3)), colour(static_cast<Colour>(code >> 2 & 3)), index(code >> 4) {}

    static std::int32_t packed(Kind kind, std::int32_t colour, std::int32_t index) {
        return kind | colour << 2 | index << 4;
    }

    // The index of this move in a table of all moves of a board: four entries for each point, by colour.
    int table_index() const { return colour | index << 2; }

    Kind kind;
    Colour colour;
    int index;
};

}  // namespace tengen
