// A position with its history: the player to move, ko and suicide rules, superko, passes, undo.
//
// Reading guide: objection() returns why a move is illegal, play() plays it, undo() takes it back, replay() plays a
// record. Every situation since the last setup is stored in a Past, where superko looks up the hash that a move would
// lead to. A record is replayed without a journal, which would cost more than the moves; the first undo() after it
// plays the moves again, with a journal.
#pragma once

#include <array>
#include <vector>

#include "event.hpp"
#include "past.hpp"

namespace tengen {

enum class Ko : std::uint8_t { simple, positional, situational };

// Why a move is illegal.
enum class Objection : std::uint8_t { none, off_board, occupied, ko, superko, suicide };

struct Move {
    Point point;  // NO_POINT is a pass
    Colour colour;
};

constexpr bool is_stone(Colour colour) { return colour == BLACK || colour == WHITE; }

// A board without the stone at p and without ko.
template <class Shape>
Board<Shape> without(const Board<Shape>& board, Point p) {
    Board<Shape> result(board.width(), board.height());
    for (Point q = 0; q < Shape::area; ++q)
        if (q != p && is_stone(board.colour(q))) result.put(q, board.colour(q));
    for (Colour by : {BLACK, WHITE}) result.set_captures(by, board.captures(by));
    return result;
}

class Position {
public:
    Position(int width, int height, Ko ko, bool suicide) : board_(width, height), ko_(ko), suicide_(suicide) {
        start();
    }

    const GeneralBoard& board() const { return board_; }
    Colour to_play() const { return to_play_; }
    void set_to_play(Colour colour) {
        to_play_ = colour;
        past_.pop();
        remember();
    }
    const std::vector<Move>& moves() const { return moves_; }
    const Past& past() const { return past_; }              // the situations since the last setup, the present one last
    std::size_t undoable() const { return turns_.size(); }  // number of moves since the last setup
    Ko ko_rule() const { return ko_; }
    bool suicide_allowed() const { return suicide_; }
    void set_rules(Ko ko, bool suicide) { ko_ = ko, suicide_ = suicide; }
    // Only before the first move: sets the captures of earlier, unknown moves.
    void set_captures(Colour by, int stones) { board_.set_captures(by, taken_[by] = stones); }
    // Only before the first move: sets a ko that the player to move may not retake.
    void set_ko(Point p) { board_.set_ko(p, to_play_); }
    // Only before the first move: sets the moves that led here, oldest first, by players in turn. They are in moves()
    // but cannot be undone.
    void set_earlier(const std::vector<Point>& points) {
        moves_.clear();
        Colour colour = points.size() % 2 == 0 ? to_play_ : opponent(to_play_);
        for (Point p : points) moves_.push_back({p, std::exchange(colour, opponent(colour))});
    }

    int passes() const {
        int passes = 0;
        for (auto move = moves_.rbegin(); move != moves_.rend() && move->point == NO_POINT; ++move) ++passes;
        return passes;
    }

    // Starts from a new setup: earlier moves stay in moves(), but cannot be undone, and superko ignores their
    // positions.
    void setup(const GeneralBoard& board, Colour to_play) {
        board_ = board;
        to_play_ = to_play;
        start();
    }

    Objection objection(Point p, Colour colour) const {
        if (p == NO_POINT) return Objection::none;
        if (board_.colour(p) == OFF) return Objection::off_board;
        if (board_.colour(p) != EMPTY) return Objection::occupied;
        if (board_.is_suicide(p, colour) && !(suicide_ && board_.has_own_neighbour(p, colour)))
            return Objection::suicide;
        if (ko_ == Ko::simple) return board_.is_ko(p, colour) ? Objection::ko : Objection::none;
        return repeats(p, colour) ? Objection::superko : Objection::none;
    }

    // Plays at the empty point p (or passes) without checking the rules; call objection() first.
    void play(Point p, Colour colour) {
        journal_.begin();
        execute(journal_, p, colour);
        note(p, colour);
    }

    // Plays a record as SGF requires, including illegal moves, until `limit` moves are played and the next one is
    // reached. Returns the numbers (from 1) of the illegal moves.
    std::vector<int> replay(const std::int32_t* events, std::size_t count, std::size_t limit) {
        std::vector<int> irregular;
        if (count > moves_.size()) {  // otherwise memory grows in steps
            const std::size_t most = moves_.size() + count;
            moves_.reserve(most), turns_.reserve(most), past_.reserve(past_.size() + count);
        }
        std::size_t played = 0;
        for (std::size_t i = 0; i < count;) {
            const Event event(events[i]);
            if (event.kind == Event::setup) {
                i = replay_setup(events, i, count);
                continue;
            }
            if (event.kind == Event::move && played++ == limit) {
                set_to_play(event.colour);
                break;
            }
            ++i;
            if (event.kind == Event::to_play) {
                set_to_play(event.colour);
                continue;
            }
            const Point p = point(event.index);
            if (objection(p, event.colour) != Objection::none) irregular.push_back(static_cast<int>(played));
            if (p != NO_POINT && board_.colour(p) != EMPTY) clear_point(p);
            NoLog log;
            execute(log, p, event.colour);
            note(p, event.colour);
        }
        return irregular;
    }

    // The point of an index row·width + column; NO_POINT outside the board.
    Point point(int index) const {
        if (index < 0 || index >= board_.width() * board_.height()) return NO_POINT;
        return GeneralBoard::point(index / board_.width(), index % board_.width());
    }
    int index(Point p) const {
        return p == NO_POINT ? board_.width() * board_.height()
                             : GeneralBoard::row(p) * board_.width() + GeneralBoard::column(p);
    }

    void undo() {
        if (journal_.depth() == 0) write_journal();
        journal_.rewind(&board_);
        moves_.pop_back();
        past_.pop();
        to_play_ = turns_.back();
        turns_.pop_back();
    }

private:
    GeneralBoard board_;
    Ko ko_;
    bool suicide_;
    Colour to_play_ = BLACK;
    std::vector<Move> moves_;
    Journal journal_;             // of the last moves; the earlier ones may have been replayed without it
    std::vector<Move> stones_;    // the stones after the last setup
    std::array<int, 3> taken_{};  // the number of stones each colour had captured by then
    std::vector<Colour> turns_;   // the player to move before each undoable move
    Past past_;                   // the situations since the last setup, the present one last

    template <class Log>
    void execute(Log& log, Point p, Colour colour) {
        if (p == NO_POINT) board_.clear_ko(log);
        else board_.play(log, p, colour);
    }

    void note(Point p, Colour colour) {
        turns_.push_back(to_play_);
        moves_.push_back({p, colour});
        to_play_ = opponent(colour);
        remember();
    }

    // Plays everything since the last setup again, this time with a journal.
    void write_journal() {
        board_.clear();
        for (const Move& stone : stones_) board_.put(stone.point, stone.colour);
        for (Colour by : {BLACK, WHITE}) board_.set_captures(by, taken_[by]);
        for (std::size_t i = moves_.size() - turns_.size(); i < moves_.size(); ++i) {
            journal_.begin();
            execute(journal_, moves_[i].point, moves_[i].colour);
        }
    }

    void start() {
        stones_.clear();
        for (Point p = 0; p < GeneralBoard::area; ++p)
            if (is_stone(board_.colour(p))) stones_.push_back({p, board_.colour(p)});
        for (Colour by : {BLACK, WHITE}) taken_[by] = board_.captures(by);
        journal_.clear();
        turns_.clear();
        past_.clear();
        remember();
    }

    void remember() { past_.push({board_.hash(), to_play_}); }

    bool repeats(Point p, Colour colour) const {
        const Situation after{board_.hash_after(p, colour), opponent(colour)};
        return ko_ == Ko::positional ? past_.contains(after.hash) : past_.contains(after);
    }

    // A move onto a stone, as in broken records: the stone is removed.
    void clear_point(Point p) { setup(without(board_, p), to_play_); }

    // Consecutive setup events from `first` on; returns the index of the first event behind them.
    std::size_t replay_setup(const std::int32_t* events, std::size_t first, std::size_t count) {
        GeneralBoard board(board_.width(), board_.height());
        std::array<Colour, static_cast<std::size_t>(GeneralBoard::area)> stones{};
        for (Point q = 0; q < GeneralBoard::area; ++q)
            stones[q] = is_stone(board_.colour(q)) ? board_.colour(q) : EMPTY;
        std::size_t i = first;
        for (; i < count && Event(events[i]).kind == Event::setup; ++i) {
            const Event event(events[i]);
            const Point p = point(event.index);
            if (p != NO_POINT) stones[p] = event.colour;
        }
        for (Point q = 0; q < GeneralBoard::area; ++q)
            if (stones[q] != EMPTY) board.put(q, stones[q]);
        for (Colour by : {BLACK, WHITE}) board.set_captures(by, board_.captures(by));
        setup(board, to_play_);
        return i;
    }
};

}  // namespace tengen
