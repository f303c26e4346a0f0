// Dynamic komi: when one side is far ahead, wins are counted against an adjusted komi, so moves still differ.
//
// Reading guide: while nearly all playouts win (or lose), their results do not distinguish moves. Every PERIOD playouts
// MovingKomi checks the share won by the player to move; outside LOW … HIGH it shifts the aim, the lead that counts as
// even, by STEP points towards the mean lead of the playouts (value-situational komi, Baudiš 2011). The aim is Black's
// lead; it is kept when a move is played.
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

    // Counts a playout that ended with this lead; sign is 1 if Black is to move at the root, −1 if White is.
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
