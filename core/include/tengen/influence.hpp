// Bouzy's influence: stones spread by dilations, erosions take back what is not enclosed, and the rest is territory.
//
// Reading guide: spread() runs all steps of one board. A dilation adds to a point the number of its neighbours of one
// colour, unless it has the other colour or a neighbour of it; an erosion subtracts the number of neighbours that are
// not of the point's colour, down to 0. Every step changes all points at once, so it reads one array and writes
// another. Points off the board keep the value 0, which is no colour in a dilation; erosions count the neighbours on
// the board less those of the point's colour. With this the loops need no test and the compiler vectorises them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "portable.hpp"
#include "shape.hpp"

namespace tengen {

// Value: int8_t holds stones of 100 with 5 dilations (at most 100 + 5·4).
template <class Value>
class Influence {
public:
    Influence(int width, int height) : width_(width), height_(height) {
        for (int r = 0; r < height; ++r)
            for (int c = 0; c < width; ++c)
                neighbours_[place(r, c)] = static_cast<Value>((r > 0) + (r < height - 1) + (c > 0) + (c < width - 1));
    }

    // Computes the influence of stones given row by row: 1 Black, −1 White, 0 empty.
    void spread(const std::int8_t* stones, int stone = 100, int dilations = 5, int erosions = 21) {
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) values_[place(r, c)] = static_cast<Value>(*stones++ * stone);
        for (int i = 0; i < dilations; ++i) step<dilated>();
        for (int i = 0; i < erosions; ++i) step<eroded>();
    }

    // Black's influence is positive.
    Value at(int row, int column) const { return values_[place(row, column)]; }

private:
    using Values = std::array<Value, (MAX_SIDE + 2) * (MAX_SIDE + 1) + 1>;

    const int width_, height_;
    Values values_{}, next_{}, neighbours_{};  // neighbours on the board; 0 for points off the board

    // One column between the rows is off the board, so are a row above and one below.
    std::size_t place(int row, int column) const {
        return static_cast<std::size_t>((row + 1) * (width_ + 1) + column + 1);
    }

    template <auto Change>
    void step() {
        const std::size_t down = place(1, 0) - place(0, 0), end = place(height_, -1);
        for (std::size_t i = place(0, 0); i < end; ++i) {
            const Value above = values_[i - down], left = values_[i - 1], right = values_[i + 1],
                        below = values_[i + down];
            const Value black = static_cast<Value>((above > 0) + (left > 0) + (right > 0) + (below > 0));
            const Value white = static_cast<Value>((above < 0) + (left < 0) + (right < 0) + (below < 0));
            next_[i] = Change(values_[i], black, white, neighbours_[i]);
        }
        std::copy(next_.begin() + static_cast<std::ptrdiff_t>(place(0, 0)),
                  next_.begin() + static_cast<std::ptrdiff_t>(end),
                  values_.begin() + static_cast<std::ptrdiff_t>(place(0, 0)));
    }

    static Value dilated(Value value, Value black, Value white, Value neighbours) {
        const Value gain = both(value >= 0, white == 0) ? black : Value{0};
        const Value loss = both(value <= 0, black == 0) ? white : Value{0};
        return neighbours == 0 ? Value{0} : static_cast<Value>(value + gain - loss);
    }

    static Value eroded(Value value, Value black, Value white, Value neighbours) {
        const Value less = std::max(static_cast<Value>(value - neighbours + black), Value{0});
        const Value more = std::min(static_cast<Value>(value + neighbours - white), Value{0});
        return value > 0 ? less : value < 0 ? more : Value{0};
    }
};

}  // namespace tengen
