// The reference that `tengen bench playouts` measures against: a plain, fast playout program as textbooks describe it.
//
// One square board whose side is compiled in; chains as linked lists with pseudo-liberties (a point counts once for
// every stone that touches it); a list of the empty points. The game is the one of tengen/playout.hpp: a uniform draw
// among the legal moves that fill no own eye, simple ko, no suicide, two passes or 3·side² moves. Nothing here is used
// by Tengen itself.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace plain {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_((seed * 0x9e3779b97f4a7c15ULL + 0xd1b54a32d192ed03ULL) | 1) {}
    int below(int bound) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<int>(((state_ >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
    }

private:
    std::uint64_t state_;
};

template <int Side>
class Game {
public:
    Game() {
        for (int p = 0; p < area; ++p) colour_[p] = OFF;
        for (int row = 0; row < Side; ++row)
            for (int column = 0; column < Side; ++column) {
                const int p = (row + 1) * stride + column + 1;
                colour_[p] = EMPTY;
                where_[p] = empty_count_;
                empties_[empty_count_++] = p;
            }
    }

    // Plays to the end, Black first; returns the number of moves, passes included.
    int play(Random& random) {
        int moves = 0, passes = 0, colour = BLACK;
        for (; moves < 3 * Side * Side && passes < 2; ++moves, colour = 3 - colour) {
            const int p = draw(colour, random);
            passes = p == 0 ? passes + 1 : 0;
            if (p == 0) ko_ = 0;
            else place(p, colour);
        }
        return moves;
    }

    // Black's stones and the empty points that touch Black alone.
    int black_area() const {
        int total = Side * Side - empty_count_ - stones_[WHITE];
        for (int i = 0; i < empty_count_; ++i) {
            bool black = false, white = false;
            for (int step : steps) {
                black |= colour_[empties_[i] + step] == BLACK;
                white |= colour_[empties_[i] + step] == WHITE;
            }
            total += black && !white;
        }
        return total;
    }

private:
    enum : int { EMPTY, BLACK, WHITE, OFF };
    static constexpr int stride = Side + 1, area = (Side + 2) * stride + 1;
    static constexpr int steps[4] = {-stride, -1, 1, stride};
    static constexpr int diagonals[4] = {-stride - 1, -stride + 1, stride - 1, stride + 1};

    int colour_[area];
    int chain_[area];   // the stone that names the chain
    int next_[area];    // round the chain
    int pseudo_[area];  // by the naming stone: pseudo-liberties
    int size_[area];    // by the naming stone: stones
    int empties_[Side * Side];
    int where_[area];
    int empty_count_ = 0;
    int stones_[4] = {};
    int ko_ = 0;

    int draw(int colour, Random& random) {
        for (int left = empty_count_; left > 0;) {
            const int index = random.below(left), p = empties_[index];
            if (p != ko_ && !is_eye(p, colour) && is_legal(p, colour)) return p;
            --left;
            std::swap(where_[p], where_[empties_[left]]);
            std::swap(empties_[index], empties_[left]);
        }
        return 0;
    }

    bool is_eye(int p, int colour) const {
        for (int step : steps)
            if (colour_[p + step] != colour && colour_[p + step] != OFF) return false;
        int held = 0, edge = 0;
        for (int step : diagonals) {
            held += colour_[p + step] == 3 - colour;
            edge |= colour_[p + step] == OFF;
        }
        return held + edge < 2;
    }

    // Not suicide: an empty neighbour, a friend with a liberty elsewhere, or an enemy whose last liberty this is.
    bool is_legal(int p, int colour) {
        for (int step : steps)
            if (colour_[p + step] == EMPTY) return true;
        touch(p, -1);
        bool legal = false;
        for (int step : steps) {
            const int there = colour_[p + step];
            if (there != OFF) legal |= (there == colour) == (pseudo_[chain_[p + step]] > 0);
        }
        touch(p, 1);
        return legal;
    }

    // Adds to the pseudo-liberties of every chain round p, once for every stone that touches it.
    void touch(int p, int change) {
        for (int step : steps)
            if (is_stone(p + step)) pseudo_[chain_[p + step]] += change;
    }

    bool is_stone(int p) const { return colour_[p] == BLACK || colour_[p] == WHITE; }

    void place(int p, int colour) {
        ko_ = 0;
        const int last = empties_[--empty_count_];
        empties_[where_[p]] = last;
        where_[last] = where_[p];
        colour_[p] = colour;
        ++stones_[colour];
        chain_[p] = next_[p] = p;
        size_[p] = 1;
        pseudo_[p] = 0;
        bool surrounded = true;
        for (int step : steps) {
            pseudo_[p] += colour_[p + step] == EMPTY;
            surrounded &= colour_[p + step] == OFF || colour_[p + step] == 3 - colour;
        }
        touch(p, -1);
        for (int step : steps)
            if (colour_[p + step] == colour && chain_[p + step] != chain_[p]) join(chain_[p], chain_[p + step]);
        int taken = 0, point = 0;
        for (int step : steps)
            if (colour_[p + step] == 3 - colour && pseudo_[chain_[p + step]] == 0) taken += remove(point = p + step);
        if (taken == 1 && surrounded) ko_ = point;
    }

    void join(int a, int b) {
        if (size_[a] < size_[b]) std::swap(a, b);
        size_[a] += size_[b];
        pseudo_[a] += pseudo_[b];
        int stone = b;
        do chain_[stone] = a;
        while ((stone = next_[stone]) != b);
        std::swap(next_[a], next_[b]);
    }

    int remove(int p) {
        int taken = 0, stone = p;
        stones_[colour_[p]] -= size_[chain_[p]];
        do {
            colour_[stone] = EMPTY;
            where_[stone] = empty_count_;
            empties_[empty_count_++] = stone;
            touch(stone, 1);
            ++taken;
        } while ((stone = next_[stone]) != p);
        return taken;
    }
};

struct Totals {
    std::int64_t moves = 0, black_area = 0;
};

// n games from the empty board; `before_game` may throw to stop.
template <int Side>
Totals playouts(int n, std::uint64_t seed, const std::function<void()>& before_game) {
    const Game<Side> empty;
    Random random(seed);
    Totals totals;
    for (int i = 0; i < n; ++i) {
        before_game();
        Game<Side> game = empty;
        totals.moves += game.play(random);
        totals.black_area += game.black_area();
    }
    return totals;
}

}  // namespace plain
