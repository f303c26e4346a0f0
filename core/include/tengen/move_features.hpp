// Tactical features of a move: what it captures, saves and threatens, and where it is (van Niekerk and Kroon, table 1).
//
// Reading guide: MoveFeatures::levels() gives the level of each of the ten features, 0 where a feature does not apply.
// Where several levels apply, the highest counts, so a ladder is read only if no higher level is already certain.
// Ladders are read by playing them out, and a chain of two liberties is usually read once for both its liberties.
//
// With `oakfoam` the levels are those of Oakfoam, the program the paper was written with, where it differs from the
// words of the table: a capture in a ladder asks for an own chain that a ladder does not catch, an atari in a ladder
// for a ladder that does not work, ladders are followed without reading (see follow()), liberties gained by a capture
// are not counted, and the second-last move has no fate distance if the last move was a pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fate_distances.hpp"
#include "tactics.hpp"

namespace tengen {

constexpr std::size_t MOVE_FEATURES = 10;
using Level = std::uint8_t;
// pass, capture, extension, self-atari, atari, border, distance to the last and second-last move, fate distance to the
// last and second-last move
using MoveLevels = std::array<Level, MOVE_FEATURES>;
inline constexpr MoveLevels TACTICAL_LEVELS{2, 6, 2, 2, 3, 4, 10, 10, 10, 10};  // the highest level of each

// The two moves before a position; NO_POINT for a pass, or if there was none.
struct LastTwo {
    Point last = NO_POINT, second_last = NO_POINT;
    bool passed = false;  // whether the last move was a pass
};

// δx + δy + max(δx, δy)
template <class Shape>
int circular_distance(Point a, Point b) {
    const int rows = std::abs(Shape::row(a) - Shape::row(b)), columns = std::abs(Shape::column(a) - Shape::column(b));
    return rows + columns + std::max(rows, columns);
}

// The features of the moves of one position. It plays on the given board and undoes everything.
template <class Shape>
class MoveFeatures {
public:
    static constexpr Level LINES = 4, FARTHEST = 10;                // levels of the border and of the distances
    static constexpr int LARGE_SELF_ATARI = 6, LARGE_CAPTURE = 10;  // stones from which the higher level applies

    MoveFeatures(Board<Shape>& board, LadderReader<Shape>& reader, Colour colour, LastTwo moves, bool oakfoam = false)
        : board_(board),
          reader_(reader),
          colour_(colour),
          moves_(moves),
          oakfoam_(oakfoam),
          from_last_(board, moves.last),
          from_second_last_(board, oakfoam && moves.passed ? NO_POINT : moves.second_last) {}

    // NO_POINT is the pass. All levels of a move that simple ko or suicide forbids are 0.
    MoveLevels levels(Point p) {
        if (p == NO_POINT) return {static_cast<Level>(moves_.passed ? 2 : 1)};
        if (!is_allowed(board_, p, colour_)) return {};
        const Chains friends(board_, p, colour_), enemies(board_, p, opponent(colour_));
        return {0,
                capture(p, friends, enemies),
                extension(p, friends),
                self_atari(p),
                atari(p, enemies),
                within(line(p), LINES),
                circular(p, moves_.last),
                circular(p, moves_.second_last),
                within(from_last_[p], FARTHEST),
                within(from_second_last_[p], FARTHEST)};
    }

private:
    Board<Shape>& board_;
    LadderReader<Shape>& reader_;
    const Colour colour_;
    const LastTwo moves_;
    const bool oakfoam_;
    const FateDistances<Shape, FARTHEST + 1> from_last_, from_second_last_;
    std::array<bool, static_cast<std::size_t>(Shape::area)> is_read_{};
    std::array<Reading, static_cast<std::size_t>(Shape::area)> readings_;  // of chains of two liberties, by head

    static Level within(int distance, Level farthest) {
        return distance <= farthest ? static_cast<Level>(distance) : Level{0};
    }

    static Level circular(Point p, Point from) {
        return from == NO_POINT ? Level{0} : within(circular_distance<Shape>(p, from), FARTHEST);
    }

    int line(Point p) const {
        const int row = Shape::row(p), column = Shape::column(p);
        return 1 + std::min({row, board_.height() - 1 - row, column, board_.width() - 1 - column});
    }

    bool in_atari(Point head) const { return board_.liberty_count(head) == 1; }

    bool any_in_atari(const Chains& chains) const {
        return std::any_of(chains.begin(), chains.end(), [&](Point head) { return in_atari(head); });
    }

    int liberties_after(Point p, Colour colour) const {
        return oakfoam_ ? size_of<Shape>(liberties_at(board_, p, colour)) : outcome(board_, p, colour).liberties;
    }

    Level capture(Point p, const Chains& friends, const Chains& enemies) {
        Chains prey = enemies;
        prey.keep([&](Point head) { return in_atari(head); });
        if (prey.count() == 0) return 0;
        Level level = 0;
        for (Point head : prey)
            if (touches_atari(head)) level = std::max<Level>(level, board_.stone_count(head) < LARGE_CAPTURE ? 5 : 6);
        if (level > 0) return level;
        if (prey.has(board_.chain(moves_.last))) return 4;
        if (prey.count() < enemies.count() && liberties_after(p, opponent(colour_)) > 1) return 3;
        return captures_in_ladder(p, friends, prey) ? 2 : 1;
    }

    // Whether a chain touches an enemy chain in atari.
    bool touches_atari(Point head) const {
        const Colour enemy = opponent(board_.colour(head));
        Point stone = head;
        do
            for (Point n : Shape::neighbours(stone))
                if (board_.colour(n) == enemy && in_atari(board_.chain(n))) return true;
        while ((stone = board_.next(stone)) != head);
        return false;
    }

    bool captures_in_ladder(Point p, const Chains& friends, const Chains& prey) {
        if (oakfoam_) return any_ladder(p, friends, false);
        return std::all_of(prey.begin(), prey.end(),
                           [&](Point head) { return reader_.defend(board_, head).fate == Fate::captured; });
    }

    Level extension(Point p, const Chains& friends) {
        if (!any_in_atari(friends)) return 0;
        const int liberties = liberties_after(p, colour_);
        if (liberties < 2) return 0;
        const bool lost =
            oakfoam_ ? any_ladder(p, friends, true) : liberties == 2 && reader_.after(board_, p, colour_, [&] {
                return reader_.attack(board_, p).fate == Fate::captured;
            });
        return lost ? 2 : 1;
    }

    Level self_atari(Point p) const {
        if (!is_self_atari_move(p)) return 0;
        return outcome(board_, p, colour_).stones < LARGE_SELF_ATARI ? 1 : 2;
    }

    bool is_self_atari_move(Point p) const {
        if (!oakfoam_) return is_self_atari(board_, p, colour_);
        return liberties_after(p, colour_) < 2 && outcome(board_, p, colour_).taken < 2;
    }

    Level atari(Point p, const Chains& enemies) {
        const bool ko = board_.ko() != NO_POINT && board_.ko_colour() == colour_;
        Level level = 0;
        for (Point head : enemies) {
            if (board_.liberty_count(head) != 2) continue;
            if (oakfoam_ ? is_open_ladder(p, head) : catches(p, head)) return 3;
            level = ko ? 2 : 1;
        }
        return level;
    }

    // Whether a chain of two liberties cannot escape after an atari at p. If it is read as escaping, neither atari
    // catches it.
    bool catches(Point p, Point head) {
        Reading& reading = readings_[head];
        if (!is_read_[head]) is_read_[head] = true, reading = reader_.attack(board_, head);
        if (reading.fate == Fate::escapes) return false;
        if (reading.move == p) return true;
        return reader_.after(board_, p, colour_, [&] { return reader_.defend(board_, head).fate == Fate::captured; });
    }

    // Oakfoam: whether the last liberty of a chain touches at most two empty points, not counting the attacker's move.
    bool is_ladder_shape(Point liberty, Point attack) const {
        int empties = 0;
        for (Point n : Shape::neighbours(liberty)) empties += board_.colour(n) == EMPTY && n != attack;
        return empties <= 2;
    }

    // Oakfoam: whether a chain in atari with its last liberty at p is in the shape of a ladder that works, or does not.
    bool any_ladder(Point p, const Chains& chains, bool works) const {
        return is_ladder_shape(p, NO_POINT) && std::any_of(chains.begin(), chains.end(), [&](Point head) {
                   return in_atari(head) && follow(head, p, NO_POINT) == works;
               });
    }

    // Oakfoam: whether an atari at p leaves a chain in the shape of a ladder that does not work.
    bool is_open_ladder(Point p, Point head) const {
        PointSet<Shape> set = board_.liberties(head);
        exclude<Shape>(set, p);
        const Point liberty = take_first<Shape>(set);
        return is_ladder_shape(liberty, p) && (is_self_atari_move(p) || !follow(head, liberty, p));
    }

    // Oakfoam: whether a ladder catches a chain that flees to its last liberty; `attack` counts as filled. Where the
    // chain could turn to either side, one side is enough; Oakfoam looked at only one, depending on the board's
    // orientation.
    bool follow(Point head, Point liberty, Point attack) const {
        const Colour owner = board_.colour(head);
        for (Point n : Shape::neighbours(liberty))
            if (board_.colour(n) == owner && board_.chain(n) != head) return false;
        if (touches_atari(head)) return false;
        for (Point stone : Shape::neighbours(liberty))
            for (Point turn : Shape::neighbours(liberty)) {
                const int ahead = liberty - stone, aside = turn - liberty;
                if (board_.chain(stone) == head && board_.colour(turn) == EMPTY && turn != attack && ahead != aside &&
                    follow_zigzag(liberty, ahead, aside, owner))
                    return true;
            }
        return false;
    }

    // Follows the zigzag from p until it meets a stone or the edge, or passes a stone of the fleeing colour that no
    // stone of the attacker covers.
    bool follow_zigzag(Point p, int ahead, int aside, Colour owner) const {
        const Colour attacker = opponent(owner);
        const auto at = [&](int step) { return board_.colour(static_cast<Point>(p + step)); };
        for (;;) {
            const bool by_the_edge = line(p) <= 3;
            const Colour next = at(by_the_edge ? aside : ahead), then = at(by_the_edge ? ahead : aside);
            if (next == OFF) return then != attacker;
            if (next != EMPTY) return next == attacker;
            if (then != EMPTY) return then != owner;
            const Colour behind = at(-aside) == OFF ? OFF : at(-2 * aside), across = at(ahead - aside);
            if ((behind == owner && across != attacker) || (across == owner && behind != attacker)) return false;
            p = static_cast<Point>(p + aside);
            if (line(p) > 3) std::swap(ahead, aside);
        }
    }
};

}  // namespace tengen
