// Circular patterns around moves (van Niekerk & Kroon): the stones around an empty point as its player sees them.
//
// A pattern of size s (3 ≤ s ≤ 15) is the colour (empty, own, enemy, off the board) of every point within circular
// distance |dr| + |dc| + max(|dr|, |dc|) ≤ s of the move; the centre is always empty and says nothing. Patterns that
// are equal under rotation or reflection have the same key. The hashing is that of pattern.hpp on a board where the
// player's stones are Black: lanes 0–7 are then the eight symmetries, and the key is made of the least.
//
// Start reading at MovePatterns, a table of known patterns. If a pattern is in the table, all smaller ones around the
// same move should be too, as a harvest by count guarantees: the search for the largest ends at the first unknown size.
#pragma once

#include <utility>

#include "board.hpp"
#include "pattern_table.hpp"

namespace tengen {

inline constexpr int MIN_SIZE = 3, MAX_SIZE = MAX_DISTANCE, SIZES = MAX_SIZE - MIN_SIZE + 1;

// Lanes 0–7 of a sum.
struct MoverLanes {
    std::array<Pair, 4> pairs{};

    void add(const Lanes& other) {
        for (std::size_t i = 0; i < 4; ++i) pairs[i] ^= other.pairs[i];
    }
    void add(const MoverLanes& other) {
        for (std::size_t i = 0; i < 4; ++i) pairs[i] ^= other.pairs[i];
    }
    std::uint64_t key(int salt) const { return hashed(least_of(pairs[0], pairs[1], pairs[2], pairs[3]), salt); }

    // The lanes of something at an offset that has a number at each.
    template <class Number>
    static MoverLanes of(int dr, int dc, Number number) {
        MoverLanes lanes;
        for (int g = 0; g < 8; ++g) {
            const auto [r, c] = turned(dr, dc, g);
            lanes.pairs[static_cast<std::size_t>(g / 2)][static_cast<std::size_t>(g % 2)] =
                static_cast<std::int64_t>(number(r, c));
        }
        return lanes;
    }
};

// A board in the colours of the player to move, and memory to look up its patterns: one for each thread.
class MoverBoard {
public:
    MoverBoard(int width, int height)
        : board_(width, height), work_(static_cast<std::size_t>(width * height)), live_(work_.size()) {
        for (std::size_t v = 0; v < work_.size(); ++v)
            work_[v].place = PatternBoard::place(static_cast<int>(v) / width, static_cast<int>(v) % width);
    }

    std::size_t points() const { return work_.size(); }
    bool is_empty(std::size_t point) const { return board_.at_place(work_[point].place) == EMPTY; }

    // Stones and mover as signs: 1 Black, −1 White.
    void set(const std::int8_t* stones, std::int8_t mover) {
        for (int r = 0; r < board_.height(); ++r)
            for (int c = 0; c < board_.width(); ++c)
                board_.set(r, c, PatternBoard::colour_of(static_cast<std::int8_t>(*stones++ * mover)));
    }
    template <class Shape>
    void set(const Board<Shape>& board, Colour mover) {
        for (int r = 0; r < board_.height(); ++r)
            for (int c = 0; c < board_.width(); ++c) {
                const Colour colour = board.colour(Shape::point(r, c));
                board_.set(r, c, mover == BLACK ? colour : reversed(colour));
            }
    }

    // Adds the stones around a point to those up to the size `from`, so that `sum` is that of `size`.
    void extend(std::size_t point, int from, int size, MoverLanes& sum) const {
        board_.extend_near(Templates::get(), work_[point].place, from, size, sum);
    }

    // Writes the keys of a move at an empty point, one for each size.
    void keys(std::size_t point, std::uint64_t* keys) {
        work_[point].sum = {};
        for (int size = MIN_SIZE; size <= MAX_SIZE; ++size) *keys++ = next_key(point, size);
    }

    // Calls take(point, size, entry) for the patterns of all empty points that are in the table, smaller sizes first.
    template <class Take>
    void find(const KeyIndex& index, Take take) {
        live_.clear();
        for (std::size_t v = 0; v < points(); ++v)
            if (is_empty(v)) {
                work_[v].sum = {};
                live_.push_back(static_cast<std::uint16_t>(v));
            }
        for (int size = MIN_SIZE; size <= MAX_SIZE && !live_.empty(); ++size)
            look_up(
                index, live_, work_, [&](std::size_t v) { return next_key(v, size); },
                [&](std::size_t v, std::size_t entry) { take(v, size, entry); });
    }

private:
    PatternBoard board_;
    std::vector<LookUp<MoverLanes>> work_;
    std::vector<std::uint16_t> live_;  // the empty points whose patterns so far are known

    // The key of a size, after those of all smaller sizes.
    std::uint64_t next_key(std::size_t point, int size) {
        LookUp<MoverLanes>& work = work_[point];
        extend(point, size == MIN_SIZE ? 0 : size - 1, size, work.sum);
        return work.sum.key(size);
    }
};

// A table of patterns by their keys in rising order; the number of a pattern is its place from 1, and 0 is none.
class MovePatterns {
public:
    // Only the upper `bits` of a key are compared; the others are 0 in the table.
    explicit MovePatterns(std::vector<std::uint64_t> keys, int bits = 64)
        : keys_(std::move(keys)), index_(keys_.data(), keys_.size(), bits) {}
    MovePatterns(const MovePatterns&) = delete;
    MovePatterns& operator=(const MovePatterns&) = delete;

    std::size_t count() const { return keys_.size(); }
    // The number of the pattern with a key; 0 if it is not in the table.
    std::uint32_t find(std::uint64_t key) const {
        const std::size_t entry = index_.find(key);
        return entry == KeyIndex::NONE ? 0 : static_cast<std::uint32_t>(entry) + 1;
    }
    std::size_t bytes() const { return keys_.size() * sizeof(std::uint64_t) + index_.bytes(); }

    // Writes the number of the largest pattern at every point, row by row; 0 for stones and where nothing is known.
    void largest(MoverBoard& board, std::int32_t* numbers) const {
        std::fill_n(numbers, board.points(), 0);
        board.find(index_, [&](std::size_t v, int, std::size_t entry) { numbers[v] = number(entry); });
    }
    template <class Shape>
    void largest(MoverBoard& scratch, const Board<Shape>& board, Colour mover, std::int32_t* numbers) const {
        scratch.set(board, mover);
        largest(scratch, numbers);
    }

    // Writes the numbers of all sizes: [points][SIZES].
    void nested(MoverBoard& board, std::int32_t* numbers) const {
        std::fill_n(numbers, board.points() * SIZES, 0);
        board.find(index_, [&](std::size_t v, int size, std::size_t entry) {
            numbers[v * SIZES + static_cast<std::size_t>(size - MIN_SIZE)] = number(entry);
        });
    }

private:
    std::vector<std::uint64_t> keys_;
    KeyIndex index_;

    static std::int32_t number(std::size_t entry) { return static_cast<std::int32_t>(entry) + 1; }
};

}  // namespace tengen
