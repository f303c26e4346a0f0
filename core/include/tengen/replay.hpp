// Positions of many games as arrays, for training.
//
// A record is a run of 16-bit events (event.hpp). positions() replays one game and stops at each requested turn, in
// order; nothing is undone, so no journal is needed and the game is played once.
#pragma once

#include <cstdint>

#include "rows.hpp"

namespace tengen {

template <class Shape>
class Replayer {
public:
    Replayer(int width, int height) : board_(width, height) {}

    // The positions after turns[0] ≤ turns[1] ≤ … moves of a game. Setup, and moves onto stones in broken records, do
    // what they do in Position::replay.
    void positions(const std::uint16_t* events, std::size_t count, const std::int32_t* turns, std::size_t wanted,
                   const PositionRows& rows) {
        board_.clear();
        to_play_ = BLACK;
        recent_ = {};
        std::int32_t played = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < wanted; ++i) {
            for (; at < count; ++at) {
                const Event event(events[at]);
                if (event.kind == Event::move && played == turns[i]) {
                    to_play_ = event.colour;
                    break;
                }
                played += event.kind == Event::move;
                step(event);
            }
            rows.write(i, board_, to_play_, recent_);
        }
    }

private:
    Board<Shape> board_;
    Colour to_play_ = BLACK;
    RecentMoves recent_;
    NoLog no_log_;

    void step(const Event& event) {
        if (event.kind == Event::to_play) {
            to_play_ = event.colour;
            return;
        }
        const int width = board_.width();
        const bool pass = event.index >= width * board_.height();
        const Point p = pass ? NO_POINT : Shape::point(event.index / width, event.index % width);
        if (event.kind == Event::move) {
            to_play_ = opponent(event.colour);
            recent_.add(event.index, pass);
            if (pass) board_.clear_ko(no_log_);
        }
        if (pass) return;
        if (event.kind == Event::setup) board_.clear_ko(no_log_);
        if (board_.colour(p) != EMPTY) board_ = without(board_, p);
        if (!is_stone(event.colour)) return;
        if (event.kind == Event::move) board_.play(p, event.colour);
        else board_.put(p, event.colour);
    }
};

}  // namespace tengen
