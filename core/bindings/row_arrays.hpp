// Rows of positions as numpy arrays.
#pragma once

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "tengen/rows.hpp"

// stones, to_play, ko, last_moves, captures, passes; see PositionRows.
using RowArrays = std::tuple<Array<std::int8_t>, Array<std::int8_t>, Array<std::int16_t>, Array<std::int16_t>,
                             Array<std::int32_t>, Array<std::int8_t>>;

// Arrays for n positions; `rows` is where to write.
class NewRows {
public:
    tengen::PositionRows rows{};

    NewRows(std::size_t n, int width, int height)
        : stones_(new_array<std::int8_t>({n, static_cast<std::size_t>(height), static_cast<std::size_t>(width)},
                                         rows.stones)),
          to_play_(new_array<std::int8_t>({n}, rows.to_play)),
          ko_(new_array<std::int16_t>({n}, rows.ko)),
          last_moves_(new_array<std::int16_t>({n, tengen::LAST_MOVES}, rows.last_moves)),
          captures_(new_array<std::int32_t>({n, 2}, rows.captures)),
          passes_(new_array<std::int8_t>({n}, rows.passes)) {}

    RowArrays arrays() const { return {stones_, to_play_, ko_, last_moves_, captures_, passes_}; }

private:
    Array<std::int8_t> stones_, to_play_;
    Array<std::int16_t> ko_, last_moves_;
    Array<std::int32_t> captures_;
    Array<std::int8_t> passes_;
};

// Positions given as arrays: stones [n, height, width] and the players to move [n], 1 or −1.
struct GivenTurns {
    Given<const std::int8_t, 3> stones;
    Given<const std::int8_t, 1> to_play;
    std::size_t n;
    int width, height;

    GivenTurns(nb::handle given_boards, nb::handle turns)
        : stones(given_stones<3>(given_boards)),
          to_play(given_array<const std::int8_t, 1>(turns, "to_play")),
          n(stones.shape(0)),
          width(static_cast<int>(stones.shape(2))),
          height(static_cast<int>(stones.shape(1))) {
        if (std::min(stones.shape(1), stones.shape(2)) < tengen::MIN_SIDE ||
            std::max(stones.shape(1), stones.shape(2)) > tengen::MAX_SIDE)
            throw nb::value_error("a side has 2 to 25 points");
        if (to_play.shape(0) != n) throw nb::value_error("to_play: one player for each position");
        for (std::size_t i = 0; i < n; ++i)
            if (to_play.data()[i] != 1 && to_play.data()[i] != -1) throw nb::value_error("to_play is 1 or -1");
    }
};
