// Facts about every point of a position, seen from the player to move: the input planes of the small network.
//
// Reading guide: PointFacts::write() gives each point a word; bit i of the word is plane i, named by PointFact. Facts
// of stones are those of their chain, facts of empty points those of a move there. Exchanging the colours of the stones
// and the player to move changes nothing. Ladders and moves are read under simple ko, without suicide (tactics.hpp).
#pragma once

#include <array>

#include "benson.hpp"
#include "rows.hpp"
#include "tactics.hpp"

namespace tengen {

enum class PointFact : int {
    board,  // every point: beyond the edge all planes are 0
    own,
    enemy,
    own_1,  // a stone of the player to move whose chain has one liberty
    own_2,
    own_3,
    enemy_1,
    enemy_2,
    enemy_3,
    own_attacked,  // its chain is captured in a ladder if the enemy moves first
    own_lost,      // and also if its owner does
    enemy_attacked,
    enemy_lost,
    forbidden,         // the player to move may not play here: ko or suicide
    captures,          // a move here captures stones
    self_atari,        // it leaves its own chain one liberty
    ladder,            // it is an atari that captures a chain in a ladder
    saves,             // it saves a chain that was in atari
    enemy_self_atari,  // a move of the enemy here would be self-atari or suicide
    own_safe,          // unconditionally alive stones and their safe territory (Benson)
    enemy_safe,
    last_1,  // where the last move was played, and the four moves before it
    last_2,
    last_3,
    last_4,
    last_5,
};

template <class Shape>
class PointFacts {
public:
    using Word = std::uint32_t;

    PointFacts(int width, int height) : width_(width), height_(height) {}

    // `last` are the last moves, newest first; NO_POINT for a pass or none. Words are written row by row.
    void write(Board<Shape>& board, Colour player, const std::array<Point, LAST_MOVES>& last, Word* words) {
        words_.fill(0);
        read_.fill(false);
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) {
                const Point p = Shape::point(r, c);
                set(p, PointFact::board);
                if (board.colour(p) == EMPTY) note_move(board, p, player);
                else if (!read_[board.chain(p)]) note_chain(board, board.chain(p), player);
            }
        note_safe(board, player, PointFact::own_safe);
        note_safe(board, opponent(player), PointFact::enemy_safe);
        for (std::size_t i = 0; i < LAST_MOVES; ++i)
            if (last[i] != NO_POINT) set(last[i], after(PointFact::last_1, static_cast<int>(i)));
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) *words++ = words_[Shape::point(r, c)];
    }

private:
    int width_, height_;
    LadderReader<Shape> reader_;
    std::array<Word, Shape::area> words_;
    std::array<bool, Shape::area> read_;  // chains whose facts are noted, by head

    static PointFact after(PointFact fact, int steps) { return static_cast<PointFact>(static_cast<int>(fact) + steps); }
    static Word bit(PointFact fact) { return Word{1} << static_cast<int>(fact); }
    void set(Point p, PointFact fact) { words_[p] |= bit(fact); }

    void note_chain(Board<Shape>& board, Point head, Colour player) {
        read_[head] = true;
        const bool own = board.colour(head) == player;
        const int liberties = board.liberty_count(head);
        Word facts = bit(own ? PointFact::own : PointFact::enemy);
        if (liberties <= 3) facts |= bit(after(own ? PointFact::own_1 : PointFact::enemy_1, liberties - 1));
        if (liberties <= 2 && reader_.attack(board, head).fate == Fate::captured) {
            facts |= bit(own ? PointFact::own_attacked : PointFact::enemy_attacked);
            if (reader_.defend(board, head).fate == Fate::captured)
                facts |= bit(own ? PointFact::own_lost : PointFact::enemy_lost);
        }
        Point stone = head;
        do words_[stone] |= facts;
        while ((stone = board.next(stone)) != head);
    }

    void note_move(Board<Shape>& board, Point p, Colour player) {
        const MoveFacts facts = examine(reader_, board, p, player);
        const auto note = [&](MoveFacts::Bit holds, PointFact fact) {
            if (facts.bits & holds) set(p, fact);
        };
        if (!(facts.bits & MoveFacts::legal)) set(p, PointFact::forbidden);
        note(MoveFacts::captures, PointFact::captures);
        note(MoveFacts::self_atari, PointFact::self_atari);
        note(MoveFacts::ladder, PointFact::ladder);
        note(MoveFacts::saves, PointFact::saves);
        if (outcome(board, p, opponent(player)).liberties <= 1) set(p, PointFact::enemy_self_atari);
    }

    void note_safe(const Board<Shape>& board, Colour colour, PointFact fact) {
        const SafeArea safe = Benson(board, colour).area();
        for (Point p = 0; p < Shape::area; ++p)
            if (safe.alive[p] || safe.territory[p]) set(p, fact);
    }
};

}  // namespace tengen
