// Response patterns: the stones around a move together with the last move and the liberties next to the move.
//
// Reading guide: ResponseKeys::at() gives the keys of a move, one for each column, 0 where a column does not apply:
// - columns 0 to 5: the circular patterns of sizes 4 to 9 (move_pattern.hpp) with the last move marked, if it lies
//   within the size;
// - column 6: the eight neighbours of the move, where a stone next to it has the liberties of its chain (1, 2, 3 or
//   more);
// - column 7: the same with the offset of the last move, if it lies within circular distance 9.
// Colours are the mover's, and patterns that are equal under rotation or reflection have the same key. A MovePatterns
// table of such keys gives their numbers.
#pragma once

#include "move_features.hpp"
#include "move_pattern.hpp"

namespace tengen {

inline constexpr int FIRST_RESPONSE = 4, LAST_RESPONSE = 9;  // sizes
inline constexpr std::size_t MARKED = LAST_RESPONSE - FIRST_RESPONSE + 1, RESPONSES = MARKED + 2;

// The numbers of what a point may be besides its colour: the last move, or a stone with 1, 2, 3 or more liberties.
class ResponseNumbers {
public:
    static const ResponseNumbers& get() {
        static const ResponseNumbers numbers;
        return numbers;
    }
    const MoverLanes& mark(int dr, int dc) const { return of(dr, dc, 0); }
    const MoverLanes& liberties(int dr, int dc, bool own, int count) const {
        return of(dr, dc, (own ? 0 : 3) + std::min(count, 3));
    }

private:
    static constexpr int SIDE = 2 * REACH + 1, TOKENS = 7;
    std::vector<MoverLanes> numbers_;

    ResponseNumbers() {
        for (int dr = -REACH; dr <= REACH; ++dr)
            for (int dc = -REACH; dc <= REACH; ++dc)
                for (int token = 0; token < TOKENS; ++token) numbers_.push_back(lanes(dr, dc, token));
    }

    const MoverLanes& of(int dr, int dc, int token) const {
        return numbers_[static_cast<std::size_t>(((dr + REACH) * SIDE + dc + REACH) * TOKENS + token)];
    }

    static MoverLanes lanes(int dr, int dc, int token) {
        MoverLanes lanes;
        for (int g = 0; g < 8; ++g) {
            int r = g & 1 ? -dr : dr, c = g & 2 ? -dc : dc;
            if (g & 4) std::swap(r, c);
            const auto place = static_cast<std::uint64_t>(((r + 32) * 64 + c + 32) * 8 + token);
            lanes.pairs[static_cast<std::size_t>(g / 2)][static_cast<std::size_t>(g % 2)] =
                static_cast<std::int64_t>(scatter(0x2545f4914f6cdd1dULL * (place + 1)));
        }
        return lanes;
    }
};

template <class Shape>
class ResponseKeys {
public:
    ResponseKeys(const Board<Shape>& board, Colour mover, Point last) : board_(board), mover_(mover), last_(last) {}

    std::array<std::uint64_t, RESPONSES> at(Point p) const {
        std::array<std::uint64_t, RESPONSES> keys{};
        const MoverLanes contacts = around(p);
        keys[MARKED] = key(contacts, MARKED);
        if (last_ == NO_POINT) return keys;
        const int dr = Shape::row(last_) - Shape::row(p), dc = Shape::column(last_) - Shape::column(p);
        const int distance = gradual_distance(dr, dc);
        if (distance > LAST_RESPONSE) return keys;
        const MoverLanes& mark = ResponseNumbers::get().mark(dr, dc);
        keys[MARKED + 1] = key(joined(contacts, mark), MARKED + 1);
        MoverLanes sum;
        int from = 0;
        for (int size = std::max(distance, FIRST_RESPONSE); size <= LAST_RESPONSE; from = size++) {
            extend(p, from, size, sum);
            const auto column = static_cast<std::size_t>(size - FIRST_RESPONSE);
            keys[column] = key(joined(sum, mark), column);
        }
        return keys;
    }

private:
    const Board<Shape>& board_;
    const Colour mover_;
    const Point last_;

    static MoverLanes joined(MoverLanes sum, const MoverLanes& more) {
        sum.add(more);
        return sum;
    }

    static std::uint64_t key(const MoverLanes& sum, std::size_t column) {
        const auto& p = sum.pairs;
        return hashed(least_of(p[0], p[1], p[2], p[3]), 32 + static_cast<int>(column));
    }

    Colour seen(Colour colour) const { return mover_ == BLACK ? colour : reversed(colour); }

    // Adds the stones of the sizes after `from` up to `size`.
    void extend(Point p, int from, int size, MoverLanes& sum) const {
        const Templates& templates = Templates::get();
        const int row = Shape::row(p), column = Shape::column(p);
        const auto end = static_cast<std::size_t>(templates.ends[static_cast<std::size_t>(size)]);
        for (auto k = static_cast<std::size_t>(templates.ends[static_cast<std::size_t>(from)]); k < end; ++k) {
            const int r = row + templates.offsets[k].dr, c = column + templates.offsets[k].dc;
            const bool inside = r >= 0 && c >= 0 && r < board_.height() && c < board_.width();
            const Colour colour = inside ? seen(board_.colour(Shape::point(r, c))) : OFF;
            if (colour != EMPTY) sum.add(templates.numbers[k][colour]);
        }
    }

    // The eight neighbours, with liberties for the four next to the move.
    MoverLanes around(Point p) const {
        MoverLanes sum;
        extend(p, 0, MIN_SIZE, sum);
        constexpr std::array<std::pair<int, int>, 4> steps{{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}};
        for (const auto& [dr, dc] : steps) {
            const Point n = static_cast<Point>(p + dr * Shape::stride + dc);
            if (board_.chain(n) == NO_POINT) continue;
            sum.add(ResponseNumbers::get().liberties(dr, dc, board_.colour(n) == mover_,
                                                     board_.liberty_count(board_.chain(n))));
        }
        return sum;
    }
};

}  // namespace tengen
