// Dynamic komi: when one side is far ahead, wins are counted against an adjusted komi, so moves still differ.
//
// Reading guide: while nearly all playouts win (or lose), their results do not distinguish moves. Every PERIOD playouts
// MovingKomi checks the share won by the player to move; outside LOW … HIGH it shifts the aim, the lead that counts as
// even, by STEP points towards the mean lead of the playouts (value-situational komi, Baudiš 2011). The aim is Black's
// lead; it is kept when a move is played. With Aim::ahead each colour has its own aim, which is never less than a win.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace tengen {

enum class Aim : std::uint8_t {
    off,    // the komi does not move
    ahead,  // it moves against the player to move, and back at most to the real komi
    both    // also in favour of the player to move
};

class MovingKomi {
public:
    static constexpr int PERIOD = 100;
    static constexpr double LOW = 0.4, HIGH = 0.6, STEP = 1, MOST = 30;

    explicit MovingKomi(Aim kind) : kind_(kind) {}

    // sign is 1 if Black is to move at the root, −1 if White is.
    double aim(int sign) const { return aims_[slot(sign)].load(std::memory_order_relaxed); }

    // Counts a playout that ended with this lead.
    void note(double lead, int sign) {
        wins_ += sign * (lead - aim(sign)) > 0;
        if (++playouts_ % PERIOD != 0) return;
        const double share = static_cast<double>(wins_.exchange(0)) / PERIOD;
        const double step = share > HIGH ? STEP : share < LOW ? -STEP : 0;
        aims_[slot(sign)] = sign * std::clamp(sign * aim(sign) + step, kind_ == Aim::both ? -MOST : 0, MOST);
    }

private:
    Aim kind_;
    std::array<std::atomic<double>, 2> aims_{};
    std::atomic<int> wins_{0};
    std::atomic<std::uint64_t> playouts_{0};

    std::size_t slot(int sign) const { return kind_ == Aim::ahead && sign < 0 ? 1 : 0; }
};

}  // namespace tengen
