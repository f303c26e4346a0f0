// Many positions of many games at once, for training: records in, arrays of stones out.
//
// A record is a run of 16-bit events (see Event in position.hpp). positions() replays one game and stops at each turn
// asked for, in order; nothing is undone, so there is no journal and the whole game is played once.
#pragma once

#include <cstdint>

#include "position.hpp"

namespace tengen {

// Where the positions of a game go: `stones` holds width·height signs for each turn, `to_play` one sign.
struct PositionSink {
    std::int8_t* stones;
    std::int8_t* to_play;
};

template <class Shape>
class Replayer {
public:
    Replayer(int width, int height) : board_(width, height) {}

    // The positions after turns[0] ≤ turns[1] ≤ … moves of a game. Events of a broken record are passed over.
    void positions(const std::uint16_t* events, std::size_t count, const std::int32_t* turns, std::size_t wanted,
                   PositionSink sink) {
        board_.clear();
        to_play_ = BLACK;
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
            write(sink, i);
        }
    }

private:
    Board<Shape> board_;
    Colour to_play_ = BLACK;

    void step(const Event& event) {
        if (event.kind == Event::to_play) {
            to_play_ = event.colour;
            return;
        }
        const int width = board_.width();
        const bool pass = event.index >= width * board_.height();
        const Point p = pass ? NO_POINT : Shape::point(event.index / width, event.index % width);
        if (event.kind == Event::move) to_play_ = opponent(event.colour);
        if (pass || board_.colour(p) != EMPTY || !is_stone(event.colour)) return;
        if (event.kind == Event::move) board_.play(p, event.colour);
        else board_.put(p, event.colour);
    }

    void write(PositionSink sink, std::size_t i) const {
        std::int8_t* stone = sink.stones + i * static_cast<std::size_t>(board_.width() * board_.height());
        for (int r = 0; r < board_.height(); ++r)
            for (int c = 0; c < board_.width(); ++c) {
                const Colour colour = board_.colour(Shape::point(r, c));
                *stone++ = static_cast<std::int8_t>((colour == BLACK) - (colour == WHITE));
            }
        sink.to_play[i] = to_play_ == BLACK ? 1 : -1;
    }
};

}  // namespace tengen
