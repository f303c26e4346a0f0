// Random numbers: SplitMix64. The stream of playout i under a seed is Random(seed, i) on any machine and thread.
#pragma once

#include "shape.hpp"

namespace tengen {

class Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream)
        : state_(scatter(seed + 0x632be59bd9b4e019ULL) + scatter(~stream)) {
        next();
    }

    std::uint64_t next() {
        const std::uint64_t number = ahead_;
        ahead_ = scatter(state_ += 0x9e3779b97f4a7c15ULL);
        return number;
    }

    // 0 … bound − 1, with a bias below 2^-22 for the bounds a board has.
    int below(int bound) { return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32); }

private:
    std::uint64_t state_, ahead_ = 0;  // ahead_: the next number, computed in advance
};

}  // namespace tengen
