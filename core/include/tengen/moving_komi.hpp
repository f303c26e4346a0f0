// Dynamic komi: in a lopsided game wins are counted against a komi that moves, so that moves still make a difference.
//
// Reading guide: while nearly all playouts win (or lose), their results say little about the moves. Every PERIOD
// playouts MovingKomi looks at the share that the player to move has won; outside LOW … HIGH it moves the aim, the lead
// that counts as even, by STEP points towards what the playouts say (value-situational komi, Baudiš 2011). The aim is
// Black's lead; it stays when a move is played.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tengen {

class MovingKomi {
public:
    static constexpr int PERIOD = 100;
    static constexpr double LOW = 0.4, HIGH = 0.6, STEP = 1, MOST = 30;

    double aim() const { return aim_.load(std::memory_order_relaxed); }

    // A playout ended with this lead; sign is 1 if Black is to move at the root, −1 if White is.
    void note(double lead, int sign) {
        wins_ += sign * (lead - aim()) > 0;
        if (++playouts_ % PERIOD != 0) return;
        const double share = static_cast<double>(wins_.exchange(0)) / PERIOD;
        if (share >= LOW && share <= HIGH) return;
        aim_ = std::clamp(aim() + (share > HIGH ? sign : -sign) * STEP, -MOST, MOST);
    }

private:
    std::atomic<double> aim_{0};
    std::atomic<int> wins_{0};
    std::atomic<std::uint64_t> playouts_{0};
};

}  // namespace tengen
