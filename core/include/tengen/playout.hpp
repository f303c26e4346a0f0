// Uniform random playouts and their owner maps.
//
// Reading guide: a policy such as Uniform plays one game to its end, tally() counts the owners of points there,
// count_owners() runs many playouts on several threads. knowing_playout.hpp has another policy. A player chooses
// uniformly among the legal moves that do not fill one of its own eyes and passes if there are none; two passes or
// 3·width·height moves end the game. Simple ko, no suicide, area owners (Sanner et al. §2, with single-point eyes
// counted for their owner).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "board.hpp"
#include "interrupt.hpp"
#include "random.hpp"
#include "workers.hpp"

namespace tengen {

enum class Eye : std::uint8_t { simple, diagonal };
enum class First : std::uint8_t {
    black = 1,
    white = 2,
    both = 3
};  // both: Black starts the even playouts, White the odd ones

// Whether the colour may play at the empty point p in a playout.
template <Eye eye, class Shape>
bool playable(const Board<Shape>& board, Point p, Colour colour) {
    const auto n = Shape::neighbours(p);
    // Next to an empty point a move is never an eye, a ko or a suicide.
    if (either(either(board.colour(n[0]) == EMPTY, board.colour(n[1]) == EMPTY),
               either(board.colour(n[2]) == EMPTY, board.colour(n[3]) == EMPTY)))
        return true;
    if (eye == Eye::simple ? board.is_simple_eye(p, colour) : board.is_eye(p, colour)) return false;
    return !board.is_ko(p, colour) && !board.is_suicide(p, colour);
}

// A uniform draw: rejected points are moved behind the remaining ones, so that no point is drawn twice.
template <Eye eye, class Shape>
Point draw(Board<Shape>& board, Colour colour, Random& random) {
    for (int left = board.empty_count(); left > 0;) {
        const int index = random.below(left);
        const Point p = board.empty(index);
        if (playable<eye>(board, p, colour)) return p;
        board.swap_empties(index, --left);
    }
    return NO_POINT;
}

// Plays to the end with the moves of `choose(colour)`; returns the number of moves, passes included.
// `report(point, colour)` is called before every move, with NO_POINT for a pass.
template <class Shape, class Choose, class Report>
int play_to_end(Board<Shape>& board, Colour colour, Choose choose, Report report) {
    NoLog log;
    const int cap = 3 * board.width() * board.height();
    int passes = 0, moves = 0;
    for (; moves < cap && passes < 2; ++moves, colour = opponent(colour)) {
        const Point p = choose(colour);
        report(p, colour);
        if (p == NO_POINT) {
            ++passes;
            board.clear_ko(log);
        } else {
            passes = 0;
            board.play(log, p, colour);
        }
    }
    return moves;
}

inline constexpr auto no_report = [](Point, Colour) {};

// The policy of a uniform playout: plays one game to its end. `report` is called with every move.
template <Eye eye>
struct Uniform {
    template <class Shape, class Report>
    int operator()(Board<Shape>& board, Colour colour, Random& random, Report report) const {
        return play_to_end(board, colour, [&](Colour mover) { return draw<eye>(board, mover, random); }, report);
    }
};

// The empty region of p, and the colours of the stones around it as bits.
template <class Shape>
struct Region {
    std::array<Point, static_cast<std::size_t>(Shape::points)> points;
    int size = 0;
    Colour border = 0;

    // Flood fill from the empty point p; marks the region in `seen`.
    void flood(const Board<Shape>& board, Point p, std::array<bool, static_cast<std::size_t>(Shape::area)>& seen) {
        size = 0, border = 0;
        auto add = [&](Point q) { seen[q] = true, points[static_cast<std::size_t>(size++)] = q; };
        add(p);
        for (int i = 0; i < size; ++i)
            for (Point n : Shape::neighbours(points[static_cast<std::size_t>(i)])) {
                const Colour there = board.colour(n);
                if (there == BLACK || there == WHITE) border |= there;
                if (there == EMPTY && !seen[n]) add(n);
            }
    }
};

// The number of playouts in which each colour owned each padded point. 64 bits: a search may run for days.
template <class Shape>
struct OwnerCounts {
    std::array<std::int64_t, static_cast<std::size_t>(Shape::area)> black{}, white{};
    std::int64_t moves = 0;

    // Adds a final position; returns Black's area minus White's.
    int tally(const Board<Shape>& board) {
        int lead = 0;
        for (Point p = 0; p < Shape::area; ++p) {
            const int is_black = board.colour(p) == BLACK, is_white = board.colour(p) == WHITE;
            black[p] += is_black;
            white[p] += is_white;
            lead += is_black - is_white;
        }
        return lead + tally_empties(board);
    }

    void add(const OwnerCounts& other) {
        for (std::size_t p = 0; p < black.size(); ++p) black[p] += other.black[p], white[p] += other.white[p];
        moves += other.moves;
    }

private:
    int tally_empties(const Board<Shape>& board) {
        std::array<bool, static_cast<std::size_t>(Shape::area)> seen{};
        Region<Shape> region;
        int lead = 0;
        for (int i = 0; i < board.empty_count(); ++i) {
            const Point p = board.empty(i);
            if (board.is_simple_eye(p, BLACK)) {
                ++black[p], ++lead;
            } else if (board.is_simple_eye(p, WHITE)) {
                ++white[p], --lead;
            } else if (!seen[p]) {
                region.flood(board, p, seen);
                const int sign = region.border == BLACK ? 1 : region.border == WHITE ? -1 : 0;
                for (int k = 0; k < region.size; ++k) {
                    const Point q = region.points[static_cast<std::size_t>(k)];
                    black[q] += sign == 1, white[q] += sign == -1;
                }
                lead += sign * region.size;
            }
        }
        return lead;
    }
};

// Playouts first … first+count−1 of a seed; leads[i] becomes Black's area minus White's at the end of playout i.
template <class Policy, class Shape>
void run_playouts(const Policy& policy, const Board<Shape>& start, First first, std::uint64_t seed, int begin, int end,
                  OwnerCounts<Shape>& counts, std::int16_t* leads) {
    for (int i = begin; i < end; ++i) {
        Board<Shape> board = start;
        Random random(seed, static_cast<std::uint64_t>(i));
        const Colour colour = first == First::both ? (i % 2 == 0 ? BLACK : WHITE) : static_cast<Colour>(first);
        counts.moves += policy(board, colour, random, no_report);
        leads[i] = static_cast<std::int16_t>(counts.tally(board));
    }
}

// n playouts on several threads. The same seed gives the same counts for any number of threads.
template <class Policy, class Shape>
OwnerCounts<Shape> count_owners(const Policy& policy, const Board<Shape>& start, First first, std::uint64_t seed, int n,
                                int threads, std::int16_t* leads, Interrupt& interrupt) {
    constexpr int batch = 16;
    std::atomic<int> next{0};
    std::vector<OwnerCounts<Shape>> counts(static_cast<std::size_t>(threads));
    run_workers(threads, [&](int worker, const std::atomic<bool>& stop) {
        OwnerCounts<Shape> mine;
        for (int begin; !stop && (begin = next.fetch_add(batch)) < n;) {
            if (worker == 0) interrupt.check();
            run_playouts(policy, start, first, seed, begin, begin + batch < n ? begin + batch : n, mine, leads);
        }
        counts[static_cast<std::size_t>(worker)] = mine;
    });
    for (std::size_t worker = 1; worker < counts.size(); ++worker) counts[0].add(counts[worker]);
    return counts[0];
}

}  // namespace tengen
