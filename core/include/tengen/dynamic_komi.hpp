// Dynamic komi: when one side is clearly ahead, wins are counted against an adjusted komi, so moves still differ.
//
// Reading guide: while nearly all playouts win (or lose), their results do not distinguish moves. Every PERIOD playouts
// MovingAim checks the share that its player won; outside LOW … HIGH it shifts the aim, the lead that counts as even,
// by STEP points towards the mean lead of the playouts (value-situational komi, Baudiš 2011). The search has an aim for
// each player, moved by the playouts of positions in which that player is to move, and keeps both when a move is
// played.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tengen {

enum class DynamicKomi : std::uint8_t {
    off,    // the real komi
    ahead,  // an aim of 0 or more: a player that is ahead tries to stay so
    both    // also below 0: a player that is behind tries to come closer
};

// The lead at which a player counts a playout as even, from that player's side.
class MovingAim {
public:
    static constexpr int PERIOD = 100;
    static constexpr double LOW = 0.4, HIGH = 0.6, STEP = 1, MOST = 30;

    explicit MovingAim(DynamicKomi kind) : least_(kind == DynamicKomi::both ? -MOST : 0) {}

    double lead() const { return aim_.load(std::memory_order_relaxed); }

    // Counts a playout that ended with this lead of the player.
    void note(double lead_at_end) {
        wins_ += lead_at_end > lead();
        if (++playouts_ % PERIOD != 0) return;
        const double share = static_cast<double>(wins_.exchange(0)) / PERIOD;
        const double step = share > HIGH ? STEP : share < LOW ? -STEP : 0;
        aim_ = std::clamp(lead() + step, least_, MOST);
    }

private:
    double least_;
    std::atomic<double> aim_{0};
    std::atomic<int> wins_{0};
    std::atomic<std::uint64_t> playouts_{0};
};

}  // namespace tengen
