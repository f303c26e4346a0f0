// Shapes of boards: how points are numbered.
//
// A point is an index into a padded array: point = (row + 1) * stride + column + 1, row 0 at the top. Column 0 of every
// padded row and the rows above and below the board are off the board, so a point has four neighbours and four
// diagonals without any test. Index 0 is always off the board; it also means "no point" and is the chain of points
// without a stone.
//
// Square<9>, Square<13> and Square<19> have their size as a constant. AnyShape is for every other board from 2x2 to
// 25x25; its stride is a constant too, but not its width and height.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tengen {

using Point = std::uint16_t;
inline constexpr Point NO_POINT = 0;
inline constexpr int MIN_SIDE = 2, MAX_SIDE = 25;

// The colours are bits, and off the board is both: "own stone or off the board" is one AND.
using Colour = std::uint8_t;
inline constexpr Colour EMPTY = 0, BLACK = 1, WHITE = 2, OFF = 3;
constexpr Colour opponent(Colour colour) { return static_cast<Colour>(3 - colour); }

// SplitMix64's finaliser: a bijection that scatters consecutive numbers.
constexpr std::uint64_t scatter(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// Zobrist numbers depend only on row, column and colour, so every build gives a position the same hash.
constexpr std::uint64_t zobrist(int row, int column, Colour colour) {
    return scatter(0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>((row * 32 + column) * 4 + colour + 1));
}
inline constexpr std::uint64_t WHITE_TO_PLAY = scatter(0x9e3779b97f4a7c15ULL * 8191);

template <int MaxSide>
struct Layout {
    static constexpr int stride = MaxSide + 1;
    static constexpr int area = (MaxSide + 2) * stride + 1;  // padded points
    static constexpr int points = MaxSide * MaxSide;         // points on the board, at most
    static constexpr int bit_count = MaxSide * stride;       // a bit for every point; see bit()
    static constexpr int words = (bit_count + 63) / 64;

    static constexpr Point point(int row, int column) { return static_cast<Point>((row + 1) * stride + column + 1); }
    static constexpr int row(Point point) { return point / stride - 1; }
    static constexpr int column(Point point) { return point % stride - 1; }
    static constexpr int bit(Point point) { return point - stride - 1; }
    static constexpr Point at_bit(int bit) { return static_cast<Point>(bit + stride + 1); }

    static constexpr std::array<Point, 4> neighbours(Point p) {
        return {static_cast<Point>(p - stride), static_cast<Point>(p - 1), static_cast<Point>(p + 1),
                static_cast<Point>(p + stride)};
    }
    static constexpr std::array<Point, 4> diagonals(Point p) {
        return {static_cast<Point>(p - stride - 1), static_cast<Point>(p - stride + 1),
                static_cast<Point>(p + stride - 1), static_cast<Point>(p + stride + 1)};
    }

    // Bits of a set that begin at bit `first`, in the two words where they lie. Those above the board (first < 0, but
    // not below −63) are dropped; those below the board must be 0.
    struct Window {
        std::size_t low, high;
        std::uint64_t low_bits, high_bits;
    };
    static constexpr Window window(int first, std::uint64_t bits) {
        const int above = first < 0 ? -first : 0, begin = first + above, shift = begin % 64;
        bits >>= above;
        const std::size_t low = static_cast<std::size_t>(begin) / 64, high = low + 1 < words ? low + 1 : low;
        return {low, high, bits << shift, bits >> 1 >> (63 - shift)};
    }

    static constexpr auto make_keys() {
        std::array<std::array<std::uint64_t, area>, 3> numbers{};
        for (int r = 0; r < MaxSide; ++r)
            for (int c = 0; c < MaxSide; ++c)
                for (Colour colour : {BLACK, WHITE}) numbers[colour][point(r, c)] = zobrist(r, c, colour);
        return numbers;
    }
    static constexpr auto keys = make_keys();
};

template <int Side>
struct Square : Layout<Side> {
    constexpr Square(int = Side, int = Side) {}
    static constexpr int width() { return Side; }
    static constexpr int height() { return Side; }
};

struct AnyShape : Layout<MAX_SIDE> {
    constexpr AnyShape(int width, int height)
        : width_(static_cast<std::int16_t>(width)), height_(static_cast<std::int16_t>(height)) {}
    int width() const { return width_; }
    int height() const { return height_; }

private:
    std::int16_t width_, height_;
};

}  // namespace tengen
