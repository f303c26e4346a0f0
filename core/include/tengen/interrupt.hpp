// Stopping a long computation from outside, for example by Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace tengen {

// Belongs to the thread that started a computation, which calls check() or work() every few milliseconds. About twenty
// times a second these call `look`, which throws if the computation is to stop. Without `look` nothing is interrupted.
class Interrupt {
public:
    using Clock = std::chrono::steady_clock;

    Interrupt() = default;
    explicit Interrupt(std::function<void()> look) : look_(std::move(look)), next_(Clock::now() + PERIOD) {}

    // Called after n steps of a few nanoseconds each; reads the clock only occasionally.
    void work(std::size_t steps) {
        if ((steps_ += steps) >= STEPS_PER_CHECK) [[unlikely]]
            check();
    }

    // Never inlined, so that the calling loops stay small.
    [[gnu::noinline]] void check() {
        steps_ = 0;
        if (!look_ || Clock::now() < next_) return;
        next_ = Clock::now() + PERIOD;
        look_();
    }

    static constexpr std::chrono::milliseconds PERIOD{50};

private:
    static constexpr std::size_t STEPS_PER_CHECK = 1 << 14;

    std::function<void()> look_;
    Clock::time_point next_{};
    std::size_t steps_ = 0;
};

}  // namespace tengen
