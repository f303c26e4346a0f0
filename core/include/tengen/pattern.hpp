// Pattern keys: hashes of the stones around a point within nested templates (Sanner et al. §2).
//
// Template i (1 ≤ i ≤ 13) holds the offsets Δ with gradual distance |dr| + |dc| + max(|dr|, |dc|) ≤ i; template 14 is
// the whole board. A pattern is the colour (empty, black, white, off the board) of every offset; patterns that are
// equal under rotation, reflection or colour reversal form one class. Its key comes from Zobrist numbers: the XOR of
// number(gΔ, colour) over the offsets is kept for each of the 8 symmetries g with the original colours (lanes 0–7) and
// with reversed colours (lanes 8–15); the class is the least lane, hashed with a salt for the template. Empty points
// have the number 0, so that only stones and points off the board are summed.
//
// The sign is +1 if the least lane has the original colours, −1 if it has reversed ones, 0 if the class is its own
// reversal. Start reading at class_key; PatternBoard computes all keys of a board, PatternKeys updates them after each
// stone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "portable.hpp"
#include "shape.hpp"

namespace tengen {

inline constexpr int NESTED = 13, WHOLE_BOARD = 14, MAX_TEMPLATES = 14;
inline constexpr int MAX_DISTANCE = 15;  // of the offsets in Templates: move_pattern.hpp goes beyond NESTED
inline constexpr int REACH = 7;          // distance from the centre to the last of these offsets on a line
inline constexpr int OFFSETS = 161;      // the number of these offsets
inline constexpr int FAR = MAX_SIDE;     // reach of the whole board, including the first point outside it

constexpr int gradual_distance(int dr, int dc) {
    const int r = dr < 0 ? -dr : dr, c = dc < 0 ? -dc : dc;
    return r + c + (r > c ? r : c);
}

// The sixteen lanes, two to a vector.
struct Lanes {
    std::array<Pair, 8> pairs{};

    void add(const Lanes& other) {
        for (std::size_t i = 0; i < 8; ++i) pairs[i] ^= other.pairs[i];
    }
    void set(int lane, std::uint64_t number) {
        pairs[static_cast<std::size_t>(lane / 2)][static_cast<std::size_t>(lane % 2)] =
            static_cast<std::int64_t>(number);
    }
};

constexpr Colour reversed(Colour colour) { return colour == BLACK || colour == WHITE ? opponent(colour) : colour; }

constexpr std::uint64_t pattern_number(int dr, int dc, Colour colour) {
    if (colour == EMPTY) return 0;
    return scatter(0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(((dr + 32) * 64 + dc + 32) * 4 + colour) ^
                   0x5851f42d4c957f2dULL);
}

// Symmetry g as in tengen.go.symmetry: 1 turns upside down, 2 swaps left and right, 4 then swaps rows with columns.
constexpr std::pair<int, int> turned(int dr, int dc, int g) {
    const int r = g & 1 ? -dr : dr, c = g & 2 ? -dc : dc;
    return g & 4 ? std::pair{c, r} : std::pair{r, c};
}

inline Lanes lanes_of(int dr, int dc, Colour colour) {
    Lanes lanes;
    for (int g = 0; g < 8; ++g) {
        const auto [r, c] = turned(dr, dc, g);
        lanes.set(g, pattern_number(r, c, colour));
        lanes.set(8 + g, pattern_number(r, c, reversed(colour)));
    }
    return lanes;
}

struct ClassKey {
    std::uint64_t key;
    std::int8_t sign;
};

inline std::int64_t least_of(Pair a, Pair b, Pair c, Pair d) {
    const Pair two = least(least(a, b), least(c, d));
    return std::min(two[0], two[1]);
}

constexpr std::uint64_t template_salt(int level) { return 0xd1342543de82ef95ULL * static_cast<std::uint64_t>(level); }

// The key of a pattern from its least lane.
constexpr std::uint64_t hashed(std::int64_t lane, int level) {
    return scatter((static_cast<std::uint64_t>(lane) ^ template_salt(level)) + 0x9e3779b97f4a7c15ULL);
}

// The class of a pattern from the sums of its lanes; lanes are compared as signed numbers.
inline ClassKey class_key(const Lanes& sum, int level) {
    const auto& p = sum.pairs;
    const std::int64_t straight = least_of(p[0], p[1], p[2], p[3]), reverse = least_of(p[4], p[5], p[6], p[7]);
    return {hashed(std::min(straight, reverse), level),
            static_cast<std::int8_t>((straight < reverse) - (reverse < straight))};
}

// The offsets up to MAX_DISTANCE, nearest first, and the numbers of each.
struct Templates {
    struct Offset {
        std::int8_t dr, dc, level;
    };
    static constexpr int stride = MAX_SIDE + 2 * REACH;
    static constexpr int area = stride * stride;

    std::array<Offset, OFFSETS> offsets{};
    std::array<int, OFFSETS> steps{};                                 // the same in a padded array
    std::array<int, MAX_DISTANCE + 1> ends{};                         // template i has the offsets before ends[i]
    alignas(64) std::array<std::array<Lanes, 4>, OFFSETS> numbers{};  // [offset][colour]

    static const Templates& get() {
        static const Templates templates;
        return templates;
    }

private:
    Templates() {
        int n = 0;
        for (int level = 1; level <= MAX_DISTANCE; ++level) {
            for (int dr = -REACH; dr <= REACH; ++dr)
                for (int dc = -REACH; dc <= REACH; ++dc)
                    // The centre alone has distance 0; it is template 1.
                    if (std::max(1, gradual_distance(dr, dc)) == level) put(n++, dr, dc, level);
            ends[static_cast<std::size_t>(level)] = n;
        }
    }

    void put(int n, int dr, int dc, int level) {
        const auto at = static_cast<std::size_t>(n);
        offsets[at] = {static_cast<std::int8_t>(dr), static_cast<std::int8_t>(dc), static_cast<std::int8_t>(level)};
        steps[at] = dr * stride + dc;
        for (Colour colour : {BLACK, WHITE, OFF}) numbers[at][colour] = lanes_of(dr, dc, colour);
    }
};

// The numbers of every offset a board can have, for the whole board.
class FarNumbers {
public:
    static const FarNumbers& get() {
        static const FarNumbers numbers;
        return numbers;
    }
    const Lanes& of(int dr, int dc, Colour colour) const {
        return numbers_[static_cast<std::size_t>(((dr + FAR) * (2 * FAR + 1) + dc + FAR) * 3 + colour - 1)];
    }

private:
    std::vector<Lanes> numbers_;
    FarNumbers() {
        for (int dr = -FAR; dr <= FAR; ++dr)
            for (int dc = -FAR; dc <= FAR; ++dc)
                for (Colour colour : {BLACK, WHITE, OFF}) numbers_.push_back(lanes_of(dr, dc, colour));
    }
};

// A board with a margin as wide as the largest nested template; computes keys from scratch.
class PatternBoard {
public:
    PatternBoard(int width, int height) : width_(width), height_(height) {
        colours_.fill(OFF);
        for (int r = 0; r < height; ++r) std::memset(&colours_[at(r, 0)], EMPTY, static_cast<std::size_t>(width));
    }

    int width() const { return width_; }
    int height() const { return height_; }
    Colour colour(int row, int column) const { return colours_[at(row, column)]; }
    void set(int row, int column, Colour colour) { colours_[at(row, column)] = colour; }

    // Stones as signs, row by row: 1 Black, −1 White.
    void set_all(const std::int8_t* signs) {
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) set(r, c, colour_of(*signs++));
    }
    static Colour colour_of(std::int8_t sign) { return sign > 0 ? BLACK : sign < 0 ? WHITE : EMPTY; }

    // Computes the sums of template `level` from those of template `from` (0: from nothing).
    void extend(int row, int column, int from, int level, Lanes& sum) const {
        if (level == WHOLE_BOARD) sum = whole(row, column);
        else extend_near(Templates::get(), static_cast<int>(at(row, column)), from, level, sum);
    }
    // The same for a point given by its index in the padded array, for nested templates only. Sum has add(Lanes).
    template <class Sum>
    void extend_near(const Templates& templates, int place, int from, int level, Sum& sum) const {
        const Colour* centre = &colours_[static_cast<std::size_t>(place)];
        Sum total = sum;
        const auto end = static_cast<std::size_t>(templates.ends[static_cast<std::size_t>(level)]);
        for (auto k = static_cast<std::size_t>(templates.ends[static_cast<std::size_t>(from)]); k < end; ++k)
            total.add(templates.numbers[k][centre[templates.steps[k]]]);
        sum = total;
    }
    static int place(int row, int column) { return static_cast<int>(at(row, column)); }
    Colour at_place(int place) const { return colours_[static_cast<std::size_t>(place)]; }

    // Calls take(level, sums) with the sums of the templates 1 to `levels` around a point.
    template <class Take>
    void sums(int row, int column, int levels, Take take) const {
        Lanes sum;
        for (int level = 1; level <= levels; ++level) {
            extend(row, column, level - 1, level, sum);
            take(level, sum);
        }
    }

    template <class Take>
    void keys(int row, int column, int levels, Take take) const {
        sums(row, column, levels, [&](int level, const Lanes& sum) { take(level, class_key(sum, level)); });
    }

private:
    int width_, height_;
    std::array<Colour, Templates::area> colours_;

    static std::size_t at(int row, int column) {
        return static_cast<std::size_t>((row + REACH) * Templates::stride + column + REACH);
    }

    // All stones, and the four points where the lines through the centre leave the board: these encode the position of
    // the edges.
    Lanes whole(int row, int column) const {
        const FarNumbers& numbers = FarNumbers::get();
        Lanes sum;
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c)
                if (colour(r, c) != EMPTY) sum.add(numbers.of(r - row, c - column, colour(r, c)));
        sum.add(numbers.of(-1 - row, 0, OFF));
        sum.add(numbers.of(height_ - row, 0, OFF));
        sum.add(numbers.of(0, -1 - column, OFF));
        sum.add(numbers.of(0, width_ - column, OFF));
        return sum;
    }
};

// The keys of every point of a board, updated incrementally: a stone changes only the templates that contain it.
class PatternKeys {
public:
    PatternKeys(int width, int height, int levels) : board_(width, height), levels_(levels) {
        const auto count = static_cast<std::size_t>(width * height * levels);
        sums_.resize(count);
        keys_.resize(count);
        signs_.resize(count);
        for (int r = 0; r < height; ++r)
            for (int c = 0; c < width; ++c)
                board_.sums(r, c, levels, [&](int level, const Lanes& sum) {
                    sums_[slot(r, c, level)] = sum;
                    refresh(r, c, level);
                });
    }

    const PatternBoard& board() const { return board_; }
    int levels() const { return levels_; }
    const std::vector<std::uint64_t>& keys() const { return keys_; }  // [row][column][level]
    const std::vector<std::int8_t>& signs() const { return signs_; }
    const std::array<std::int64_t, MAX_TEMPLATES>& changes() const {
        return changes_;
    }  // number of changed keys of each template so far

    // Sets the colour of a point; EMPTY removes a stone.
    void set(int row, int column, Colour colour) {
        const Colour before = board_.colour(row, column);
        if (before == colour) return;
        board_.set(row, column, colour);
        const Templates& templates = Templates::get();
        const int near = std::min(levels_, NESTED);
        for (std::size_t k = 0; k < static_cast<std::size_t>(templates.ends[static_cast<std::size_t>(near)]); ++k) {
            const Templates::Offset& offset = templates.offsets[k];
            const int r = row - offset.dr, c = column - offset.dc;
            if (r < 0 || c < 0 || r >= board_.height() || c >= board_.width()) continue;
            Lanes change = templates.numbers[k][before];
            change.add(templates.numbers[k][colour]);
            for (int level = offset.level; level <= near; ++level) add(r, c, level, change);
        }
        if (levels_ == WHOLE_BOARD) set_whole(row, column, before, colour);
    }

private:
    PatternBoard board_;
    int levels_;
    std::vector<Lanes> sums_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::int8_t> signs_;
    std::array<std::int64_t, MAX_TEMPLATES> changes_{};

    std::size_t slot(int row, int column, int level) const {
        return static_cast<std::size_t>((row * board_.width() + column) * levels_ + level - 1);
    }
    void refresh(int row, int column, int level) {
        const std::size_t i = slot(row, column, level);
        const ClassKey found = class_key(sums_[i], level);
        changes_[static_cast<std::size_t>(level - 1)] += keys_[i] != found.key;
        keys_[i] = found.key;
        signs_[i] = found.sign;
    }
    void add(int row, int column, int level, const Lanes& change) {
        sums_[slot(row, column, level)].add(change);
        refresh(row, column, level);
    }
    void set_whole(int row, int column, Colour before, Colour after) {
        const FarNumbers& numbers = FarNumbers::get();
        for (int r = 0; r < board_.height(); ++r)
            for (int c = 0; c < board_.width(); ++c) {
                Lanes change;
                if (before != EMPTY) change.add(numbers.of(row - r, column - c, before));
                if (after != EMPTY) change.add(numbers.of(row - r, column - c, after));
                add(r, c, WHOLE_BOARD, change);
            }
    }
};

}  // namespace tengen
