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
    // Boards set up by hand may have chains without liberties: they count as chains with one.
    const MoverLanes& liberties(int dr, int dc, bool own, int count) const {
        return of(dr, dc, (own ? 0 : 3) + std::clamp(count, 1, 3));
    }

private:
    static constexpr int FARTHEST = LAST_RESPONSE / 2, SIDE = 2 * FARTHEST + 1, TOKENS = 7;
    std::vector<MoverLanes> numbers_;

    ResponseNumbers() {
        for (int dr = -FARTHEST; dr <= FARTHEST; ++dr)
            for (int dc = -FARTHEST; dc <= FARTHEST; ++dc)
                for (int token = 0; token < TOKENS; ++token)
                    numbers_.push_back(MoverLanes::of(dr, dc, [&](int r, int c) {
                        const auto place = static_cast<std::uint64_t>(((r + 32) * 64 + c + 32) * 8 + token);
                        return scatter(0x2545f4914f6cdd1dULL * (place + 1));
                    }));
    }

    const MoverLanes& of(int dr, int dc, int token) const {
        return numbers_[static_cast<std::size_t>(((dr + FARTHEST) * SIDE + dc + FARTHEST) * TOKENS + token)];
    }
};

template <class Shape>
class ResponseKeys {
public:
    // `view` is the board in the colours of the mover, and `last` the last move, NO_POINT after a pass.
    ResponseKeys(const Board<Shape>& board, const MoverBoard& view, Colour mover, Point last)
        : board_(board), view_(view), mover_(mover), last_(last) {}

    std::array<std::uint64_t, RESPONSES> at(Point p) const {
        std::array<std::uint64_t, RESPONSES> keys{};
        const MoverLanes contacts = around(p);
        keys[MARKED] = key(contacts, MARKED);
        if (last_ == NO_POINT) return keys;
        const int dr = Shape::row(last_) - Shape::row(p), dc = Shape::column(last_) - Shape::column(p);
        const int distance = gradual_distance(dr, dc);
        if (distance > LAST_RESPONSE) return keys;
        const MoverLanes& mark = ResponseNumbers::get().mark(dr, dc);
        keys[MARKED + 1] = key(contacts, MARKED + 1, mark);
        MoverLanes sum;
        int from = 0;
        for (int size = std::max(distance, FIRST_RESPONSE); size <= LAST_RESPONSE; from = size++) {
            view_.extend(index(p), from, size, sum);
            const auto column = static_cast<std::size_t>(size - FIRST_RESPONSE);
            keys[column] = key(sum, column, mark);
        }
        return keys;
    }

private:
    const Board<Shape>& board_;
    const MoverBoard& view_;
    const Colour mover_;
    const Point last_;

    std::size_t index(Point p) const {
        return static_cast<std::size_t>(Shape::row(p) * board_.width() + Shape::column(p));
    }

    // The salts 3 to 15 are those of move_pattern.hpp.
    static std::uint64_t key(MoverLanes sum, std::size_t column, const MoverLanes& mark = {}) {
        sum.add(mark);
        return sum.key(32 + static_cast<int>(column));
    }

    // The eight neighbours, with liberties for the four next to the move.
    MoverLanes around(Point p) const {
        MoverLanes sum;
        view_.extend(index(p), 0, MIN_SIZE, sum);
        for (const auto& [dr, dc] : {std::pair{-1, 0}, {0, -1}, {0, 1}, {1, 0}}) {
            const Point n = static_cast<Point>(p + dr * Shape::stride + dc), head = board_.chain(n);
            if (head == NO_POINT) continue;
            sum.add(ResponseNumbers::get().liberties(dr, dc, board_.colour(n) == mover_, board_.liberty_count(head)));
        }
        return sum;
    }
};

}  // namespace tengen
