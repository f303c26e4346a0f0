// Tactics: ladders, atari, self-atari, and the effects of a single move on the chains around it.
//
// Reading guide: LadderReader::attack() reads whether a chain of one or two liberties is captured if its enemy moves
// first, defend() if its owner does. The attacker must leave the chain one liberty with every move; the defender
// extends, or captures an adjacent chain in atari; three liberties are an escape. The rules are simple ko, from the
// current board, and no suicide. So throw-ins and snapbacks are found, and a line fails for the side that would have to
// retake a ko at once. Reading is exact within its limits; beyond them the answer is `unknown`, to be treated as an
// escape. outcome() and examine() return the effects of a single move; MoveFacts lists them.
//
// A reader plays on the given board and undoes everything. It allocates only while its journal grows, so reuse it.
#pragma once

#include <algorithm>

#include "board.hpp"

namespace tengen {

enum class Fate : std::uint8_t { escapes, captured, unknown };

struct Reading {
    Fate fate;
    Point move = NO_POINT;  // the move that captures (attack) or escapes (defend, if a move is needed)
};

struct LadderLimits {
    int moves = 1000;  // tried in one reading, all lines together
    int depth = 400;   // moves in one line
};

template <class Shape>
using PointSet = typename Board<Shape>::Liberties;

// Removes and returns the first point of a set; NO_POINT if it is empty.
template <class Shape>
Point take_first(PointSet<Shape>& set) {
    for (std::size_t i = 0; i < set.size(); ++i)
        if (set[i] != 0) {
            const Point p = Shape::at_bit(static_cast<int>(i) * 64 + std::countr_zero(set[i]));
            set[i] &= set[i] - 1;
            return p;
        }
    return NO_POINT;
}

// The point of a set that has `before` points before it; the set has more than that.
template <class Shape>
Point nth_point(const PointSet<Shape>& set, int before) {
    std::size_t i = 0;
    for (int count; before >= (count = std::popcount(set[i])); ++i) before -= count;
    std::uint64_t bits = set[i];
    for (; before > 0; --before) bits &= bits - 1;
    return Shape::at_bit(static_cast<int>(i) * 64 + std::countr_zero(bits));
}

template <class Shape>
Point only_liberty(const Board<Shape>& board, Point head) {
    PointSet<Shape> set = board.liberties(head);
    return take_first<Shape>(set);
}

template <class Shape>
void include(PointSet<Shape>& set, Point p) {
    set[static_cast<std::size_t>(Shape::bit(p)) / 64] |= std::uint64_t{1} << (Shape::bit(p) % 64);
}

template <class Shape>
void exclude(PointSet<Shape>& set, Point p) {
    set[static_cast<std::size_t>(Shape::bit(p)) / 64] &= ~(std::uint64_t{1} << (Shape::bit(p) % 64));
}

template <class Shape>
void unite(PointSet<Shape>& set, const PointSet<Shape>& more) {
    for (std::size_t i = 0; i < set.size(); ++i) set[i] |= more[i];
}

template <class Shape>
int size_of(const PointSet<Shape>& set) {
    int count = 0;
    for (std::uint64_t bits : set) count += std::popcount(bits);
    return count;
}

// A set of chains of limited size.
template <int most>
class ChainSet {
public:
    // Returns false if it is already there.
    bool add(Point head) {
        if (has(head)) return false;
        heads_[static_cast<std::size_t>(count_++)] = head;
        return true;
    }
    bool has(Point head) const { return std::find(begin(), end(), head) != end(); }
    template <class Wanted>
    void keep(Wanted wanted) {
        const auto last =
            std::remove_if(heads_.begin(), heads_.begin() + count_, [&](Point head) { return !wanted(head); });
        count_ = static_cast<int>(last - heads_.begin());
    }
    int count() const { return count_; }
    const Point* begin() const { return heads_.data(); }
    const Point* end() const { return heads_.data() + count_; }

private:
    std::array<Point, static_cast<std::size_t>(most)> heads_;
    int count_ = 0;
};

// The chains of a colour next to a point.
struct Chains : ChainSet<4> {
    template <class Shape>
    Chains(const Board<Shape>& board, Point p, Colour colour) {
        for (Point n : Shape::neighbours(p))
            if (board.colour(n) == colour) add(board.chain(n));
    }
};

// The liberties of a stone at the empty point p if it captures nothing.
template <class Shape>
PointSet<Shape> liberties_at(const Board<Shape>& board, Point p, Colour colour) {
    PointSet<Shape> set{};
    for (Point n : Shape::neighbours(p)) {
        if (board.colour(n) == EMPTY) include<Shape>(set, n);
        if (board.colour(n) == colour) unite<Shape>(set, board.liberties(board.chain(n)));
    }
    exclude<Shape>(set, p);
    return set;
}

// The result of a move: liberties and stones of its chain, and the number of captured stones.
struct Outcome {
    int liberties, stones, taken;
};

// Exact, without playing. A suicide has no liberties.
template <class Shape>
Outcome outcome(const Board<Shape>& board, Point p, Colour colour) {
    PointSet<Shape> set = liberties_at(board, p, colour);
    const Chains friends(board, p, colour);
    Outcome result{0, 1, 0};
    for (Point head : friends) result.stones += board.stone_count(head);
    for (Point head : Chains(board, p, opponent(colour))) {
        if (board.liberty_count(head) != 1) continue;
        result.taken += board.stone_count(head);
        Point stone = head;
        do
            for (Point n : Shape::neighbours(stone))
                if (n == p || (board.colour(n) == colour && friends.has(board.chain(n)))) include<Shape>(set, stone);
        while ((stone = board.next(stone)) != head);
    }
    result.liberties = size_of<Shape>(set);
    return result;
}

// Whether the neighbours of p alone show that a stone there has at least two liberties: two of them are empty, or one
// is a friend with at least three liberties, of which it keeps two. No branch in the loop: neighbours cannot be
// predicted.
template <class Shape>
bool has_room(const Board<Shape>& board, Point p, Colour colour) {
    int empties = 0;
    bool strong = false;
    for (Point n : Shape::neighbours(p)) {
        empties += board.colour(n) == EMPTY;
        strong = either(strong, both(board.colour(n) == colour, board.liberty_count(board.chain(n)) > 2));
    }
    return either(strong, empties > 1);
}

// Whether a legal move leaves its own chain in atari.
template <class Shape>
bool is_self_atari(const Board<Shape>& board, Point p, Colour colour) {
    return !has_room(board, p, colour) && outcome(board, p, colour).liberties == 1;
}

// Whether the stones of a move at p, once captured, leave an eye space that is at most one eye: three in any shape, a
// square or a T of four, a bulky or a crossed five, a rabbity six.
template <class Shape>
bool is_killing_shape(const Board<Shape>& board, Point p, Colour colour, int stones) {
    if (stones < 4 || stones > 6) return stones == 3;
    std::array<Point, 6> shape{p};
    std::size_t size = 1;
    for (Point head : Chains(board, p, colour)) {
        Point stone = head;
        do shape[size++] = stone;
        while ((stone = board.next(stone)) != head);
    }
    int most = 0, sides = 0;
    for (std::size_t i = 0; i < size; ++i) {
        int touching = 0;
        for (Point n : Shape::neighbours(shape[i]))
            touching += std::find(shape.begin(), shape.begin() + size, n) != shape.begin() + size;
        most = std::max(most, touching);
        sides += touching;
    }
    if (stones == 4) return most == 3 || sides == 8;
    if (stones == 5) return most == 4 || (most == 3 && sides == 10);
    return most == 4 && sides == 12;
}

// Whether a stone at p shares its last liberty with an enemy chain, which is then in atari: to capture the stone the
// enemy must fill its own space.
template <class Shape>
bool is_inside(const Board<Shape>& board, Point p, Colour colour) {
    const PointSet<Shape> own = liberties_at(board, p, colour);
    for (Point head : Chains(board, p, opponent(colour))) {
        if (board.liberty_count(head) != 2) continue;
        PointSet<Shape> other = board.liberties(head);
        exclude<Shape>(other, p);
        if (other == own) return true;
    }
    return false;
}

// A self-atari that captures nothing but is a useful sacrifice: in a killing shape, or one or two stones inside an eye.
template <class Shape>
bool is_sacrifice(const Board<Shape>& board, Point p, Colour colour, const Outcome& after) {
    if (after.liberties != 1 || after.taken > 0) return false;
    return after.stones > 2 ? is_killing_shape(board, p, colour, after.stones) : is_inside(board, p, colour);
}

template <class Shape>
bool is_bad_self_atari(const Board<Shape>& board, Point p, Colour colour) {
    if (has_room(board, p, colour)) return false;
    const Outcome after = outcome(board, p, colour);
    return after.liberties == 1 && after.taken == 0 && !is_sacrifice(board, p, colour, after);
}

template <class Shape>
bool is_allowed(const Board<Shape>& board, Point p, Colour colour) {
    return board.colour(p) == EMPTY && !board.is_ko(p, colour) && !board.is_suicide(p, colour);
}

// Where the owner of a chain can capture an adjacent enemy chain.
template <class Shape>
PointSet<Shape> capturing_moves(const Board<Shape>& board, Point head) {
    PointSet<Shape> set{};
    const Colour enemy = opponent(board.colour(head));
    Point stone = head;
    do
        for (Point n : Shape::neighbours(stone))
            if (board.colour(n) == enemy && board.liberty_count(board.chain(n)) == 1)
                unite<Shape>(set, board.liberties(board.chain(n)));
    while ((stone = board.next(stone)) != head);
    return set;
}

template <class Shape>
class LadderReader {
public:
    explicit LadderReader(LadderLimits limits = {}) : limits_(limits) {}

    // The chain at `stone` is attacked by the other colour, which moves first.
    Reading attack(Board<Shape>& board, Point stone) {
        tried_ = 0;
        Reading reading{Fate::unknown};
        reading.fate = attacked(board, stone, 0, reading.move);
        return reading;
    }

    // The chain at `stone` is attacked, but its owner moves first (or need not move at all).
    Reading defend(Board<Shape>& board, Point stone) {
        tried_ = 0;
        Reading reading{Fate::unknown};
        if (board.liberty_count(board.chain(stone)) > 1 && attacked(board, stone, 0, reading.move) == Fate::escapes)
            return {Fate::escapes};
        reading.move = NO_POINT;
        reading.fate = defended(board, stone, 0, reading.move);
        return reading;
    }

    int tried() const { return tried_; }  // moves tried in the last reading

    // Plays a move, calls `ask`, and undoes the move.
    template <class Ask>
    auto after(Board<Shape>& board, Point p, Colour colour, Ask ask) {
        journal_.begin();
        board.play(journal_, p, colour);
        const auto answer = ask();
        journal_.rewind(&board);
        return answer;
    }

private:
    LadderLimits limits_;
    Journal journal_;
    int tried_ = 0;

    bool exhausted(int depth) const { return tried_ >= limits_.moves || depth >= limits_.depth; }

    // The attacker moves: one of the ataris must work.
    Fate attacked(Board<Shape>& board, Point stone, int depth, Point& best) {
        const Point head = board.chain(stone);
        const Colour attacker = opponent(board.colour(stone));
        if (board.liberty_count(head) > 2) return Fate::escapes;
        PointSet<Shape> set = board.liberties(head);
        Point near = take_first<Shape>(set), far = take_first<Shape>(set);
        if (far == NO_POINT) {
            if (board.is_ko(near, attacker)) return Fate::escapes;
            best = near;
            return Fate::captured;
        }
        // An atari at one liberty drives the chain to the other: first try the atari after which the extension has
        // fewer liberties.
        int room = room_at(board, far, near, opponent(attacker)),
            other_room = room_at(board, near, far, opponent(attacker));
        if (other_room < room) std::swap(near, far), std::swap(room, other_room);
        bool doubt = false;
        for (const auto& [p, after_extension] : {std::pair{near, room}, std::pair{far, other_room}}) {
            if (after_extension > 2 || !is_allowed(board, p, attacker)) continue;
            if (exhausted(depth)) return Fate::unknown;
            ++tried_;
            Point ignored = NO_POINT;
            const Fate fate = after(board, p, attacker, [&] { return defended(board, stone, depth + 1, ignored); });
            if (fate == Fate::captured) {
                best = p;
                return Fate::captured;
            }
            doubt |= fate == Fate::unknown;
        }
        return doubt ? Fate::unknown : Fate::escapes;
    }

    // The defender moves: one of the captures or extensions must work.
    Fate defended(Board<Shape>& board, Point stone, int depth, Point& best) {
        const Point head = board.chain(stone);
        const Colour defender = board.colour(stone);
        PointSet<Shape> captures = capturing_moves(board, head), extensions = board.liberties(head);
        for (std::size_t i = 0; i < captures.size(); ++i) extensions[i] &= ~captures[i];
        bool doubt = false;
        for (PointSet<Shape>* moves : {&captures, &extensions})
            for (Point p; (p = take_first<Shape>(*moves)) != NO_POINT;) {
                if (!is_allowed(board, p, defender)) continue;
                const Fate fate = defence(board, stone, p, depth);
                if (fate == Fate::escapes) {
                    best = p;
                    return Fate::escapes;
                }
                doubt |= fate == Fate::unknown;
            }
        return doubt ? Fate::unknown : Fate::captured;
    }

    Fate defence(Board<Shape>& board, Point stone, Point p, int depth) {
        const Colour defender = board.colour(stone);
        if (board.is_liberty(board.chain(stone), p) && size_of<Shape>(liberties_at(board, p, defender)) > 2)
            return Fate::escapes;
        if (exhausted(depth)) return Fate::unknown;
        ++tried_;
        Point ignored = NO_POINT;
        return after(board, p, defender, [&] { return attacked(board, stone, depth + 1, ignored); });
    }

    // A lower bound of the defender's liberties after the attacker's move at `closed` and an extension at p.
    static int room_at(const Board<Shape>& board, Point p, Point closed, Colour defender) {
        PointSet<Shape> set = liberties_at(board, p, defender);
        exclude<Shape>(set, closed);
        return size_of<Shape>(set);
    }
};

// The effects of a move, as bits.
struct MoveFacts {
    enum Bit : std::uint16_t {
        legal = 1,
        captures = 2,      // it captures stones
        self_atari = 4,    // its own chain has one liberty afterwards
        atari = 8,         // it reduces an adjacent enemy chain from two liberties to one
        ladder = 16,       // and such a chain can no longer escape
        extends = 32,      // a chain of its own in atari has two or more liberties afterwards
        saves = 64,        // and such a chain is not captured in a ladder
        connects = 128,    // it joins two or more chains
        fills_eye = 256,   // the point is a real eye of its own colour
        false_eye = 512,   // the point is a false eye of its own colour
        sacrifice = 1024,  // a self-atari in a killing shape or inside an eye
    };
    std::uint16_t bits = 0;
    Outcome outcome{0, 0, 0};

    void note(bool holds, Bit bit) { bits = static_cast<std::uint16_t>(bits | (holds ? bit : 0)); }
};

// The chains of a colour that a move at p may free from atari: those it extends and those next to captured chains.
template <class Shape>
struct Endangered : ChainSet<Shape::points> {
    Endangered(const Board<Shape>& board, Point p, Colour colour) {
        auto note = [&](Point head) {
            if (board.liberty_count(head) == 1) this->add(head);
        };
        for (Point head : Chains(board, p, colour)) note(head);
        for (Point prey : Chains(board, p, opponent(colour))) {
            if (board.liberty_count(prey) != 1) continue;
            Point stone = prey;
            do
                for (Point n : Shape::neighbours(stone))
                    if (board.colour(n) == colour) note(board.chain(n));
            while ((stone = board.next(stone)) != prey);
        }
    }
};

// Returns all effects of one move under simple ko without suicide.
template <class Shape>
MoveFacts examine(LadderReader<Shape>& reader, Board<Shape>& board, Point p, Colour colour) {
    MoveFacts facts;
    if (!is_allowed(board, p, colour)) return facts;
    facts.outcome = outcome(board, p, colour);
    facts.note(true, MoveFacts::legal);
    facts.note(facts.outcome.taken > 0, MoveFacts::captures);
    facts.note(facts.outcome.liberties == 1, MoveFacts::self_atari);
    facts.note(is_sacrifice(board, p, colour, facts.outcome), MoveFacts::sacrifice);
    facts.note(Chains(board, p, colour).count() > 1, MoveFacts::connects);
    facts.note(board.is_simple_eye(p, colour), board.is_eye(p, colour) ? MoveFacts::fills_eye : MoveFacts::false_eye);
    const Endangered<Shape> endangered(board, p, colour);
    Chains attacked(board, p, opponent(colour));
    attacked.keep([&](Point head) { return board.liberty_count(head) == 2; });
    facts.note(attacked.count() > 0, MoveFacts::atari);
    if (attacked.count() + endangered.count() == 0) return facts;
    return reader.after(board, p, colour, [&] {
        for (Point stone : attacked) facts.note(reader.defend(board, stone).fate == Fate::captured, MoveFacts::ladder);
        for (Point stone : endangered) {
            if (board.liberty_count(board.chain(stone)) < 2) continue;
            facts.note(true, MoveFacts::extends);
            facts.note(reader.attack(board, stone).fate != Fate::captured, MoveFacts::saves);
        }
        return facts;
    });
}

}  // namespace tengen
