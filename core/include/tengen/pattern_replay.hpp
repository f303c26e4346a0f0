// Pattern keys of whole games: the number of changed keys of each template (Sanner et al. §2 count a pattern whenever
// the key at a point differs from the previous position).
#pragma once

#include "pattern.hpp"
#include "position.hpp"

namespace tengen {

// Replays a game and updates the keys; invalid events of a broken record are skipped.
class KeyedGame {
public:
    explicit KeyedGame(const PatternKeys& empty)
        : keys_(empty), board_(empty.board().width(), empty.board().height()) {}

    const PatternKeys& keys() const { return keys_; }

    void step(const Event& event) {
        const int width = board_.width();
        if (event.kind == Event::to_play || event.index >= width * board_.height() || !is_stone(event.colour)) return;
        const int row = event.index / width, column = event.index % width;
        const Point p = GeneralBoard::point(row, column);
        if (board_.colour(p) != EMPTY) return;
        if (event.kind == Event::setup) {
            board_.put(p, event.colour);
            set(row, column);
            return;
        }
        const int before = board_.captures(BLACK) + board_.captures(WHITE);
        board_.play(p, event.colour);
        if (board_.captures(BLACK) + board_.captures(WHITE) == before) set(row, column);
        else compare();
    }

private:
    PatternKeys keys_;
    GeneralBoard board_;

    void set(int row, int column) { keys_.set(row, column, board_.colour(GeneralBoard::point(row, column))); }
    // After a capture.
    void compare() {
        for (int r = 0; r < board_.height(); ++r)
            for (int c = 0; c < board_.width(); ++c)
                if (board_.colour(GeneralBoard::point(r, c)) != keys_.board().colour(r, c)) set(r, c);
    }
};

// The number of changed keys of each template in a game, including those of the empty board. A key that a capture
// changes more than once counts each time.
inline void count_changes(const PatternKeys& empty, const std::uint16_t* events, std::size_t count,
                          std::int64_t* changes) {
    KeyedGame game(empty);
    for (std::size_t i = 0; i < count; ++i) game.step(Event(events[i]));
    std::copy_n(game.keys().changes().begin(), empty.levels(), changes);
}

}  // namespace tengen
