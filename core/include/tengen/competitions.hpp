// Positions as competitions between their moves: one move won, the one that was played (Coulom 2007).
//
// A move is a row. Each column of a row holds a level of a feature, 0 for "nothing". A table holds the weights of one
// feature and has one column, or several where a move can have several of its levels. All tables share one flat
// numbering of levels: 0 is "nothing", which has no weight, and level l of a table is number base + l.
//
// Start at Competitions. for_each_position() runs over positions on several threads, Candidates reads the rows of one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "interrupt.hpp"
#include "workers.hpp"

namespace tengen {

using LevelColumn = std::variant<const std::uint8_t*, const std::uint16_t*, const std::uint32_t*>;

struct WeightTable {
    std::size_t base, levels;           // flat numbers base + 1 … base + levels
    std::size_t first_column, columns;  // its columns follow each other
};

// A view: the arrays belong to the caller and have been checked.
struct Competitions {
    std::size_t positions = 0;
    const std::int64_t* starts = nullptr;   // first row of each position, and the number of rows
    const std::int64_t* winners = nullptr;  // row of the winner
    std::vector<LevelColumn> columns;
    std::vector<WeightTable> tables;
    std::size_t levels = 1;  // flat numbers, 0 included

    std::size_t rows() const { return start(positions); }
    std::size_t start(std::size_t position) const { return static_cast<std::size_t>(starts[position]); }
    std::size_t moves(std::size_t position) const { return start(position + 1) - start(position); }
    // The winner's place among the moves of its position.
    std::size_t winner(std::size_t position) const {
        return static_cast<std::size_t>(winners[position]) - start(position);
    }
    // Calls visit(levels) with a pointer to a column's levels in the rows of a position.
    template <class Visit>
    void with_levels(std::size_t column, std::size_t position, Visit visit) const {
        std::visit([&](auto first) { visit(first + start(position)); }, columns[column]);
    }
};

// Sums are made for each block of positions apart and added in the order of blocks, so that results do not depend on
// the number of threads.
inline constexpr std::size_t BLOCKS = 8;

struct PositionRange {
    std::size_t first, last;
};

// Calls work(worker, block, position) for a range of positions, in order within each block.
template <class Work>
void for_each_position(const Competitions& data, PositionRange range, int threads, Interrupt& interrupt, Work work) {
    const auto bound = [&](std::size_t block) { return range.first + (range.last - range.first) * block / BLOCKS; };
    std::atomic<std::size_t> next{0};
    run_workers(threads, [&](int worker, const std::atomic<bool>& stop) {
        for (std::size_t block; (block = next++) < BLOCKS;)
            for (std::size_t position = bound(block); position < bound(block + 1); ++position) {
                if (stop) return;
                if (worker == 0) interrupt.work(data.moves(position) * data.columns.size());
                work(static_cast<std::size_t>(worker), block, position);
            }
    });
}

// The moves of one position, each as the flat numbers of its levels.
class Candidates {
public:
    void read(const Competitions& data, std::size_t position) {
        count = data.moves(position), winner = data.winner(position), width_ = data.columns.size();
        counts_.assign(count, 0);
        numbers_.resize(count * width_);
        for (const WeightTable& table : data.tables)
            for (std::size_t c = table.first_column; c < table.first_column + table.columns; ++c)
                data.with_levels(c, position, [&](auto levels) {
                    for (std::size_t move = 0; move < count; ++move) {
                        numbers_[move * width_ + counts_[move]] = static_cast<std::uint32_t>(table.base + levels[move]);
                        counts_[move] += levels[move] != 0;
                    }
                });
    }
    std::span<const std::uint32_t> operator[](std::size_t move) const {
        return {numbers_.data() + move * width_, counts_[move]};
    }

    std::size_t count = 0, winner = 0;

private:
    std::size_t width_ = 0;
    std::vector<std::uint32_t> numbers_, counts_;
};

}  // namespace tengen
