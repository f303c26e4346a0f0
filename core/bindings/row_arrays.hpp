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
