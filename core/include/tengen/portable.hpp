// Features that differ between compilers and standard libraries, each with a fallback in standard C++.
//
// The fast paths are chosen by feature tests. TENGEN_PORTABLE (a CMake option) forces all fallbacks, so that they are
// tested on compilers that do not need them; both give the same results.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tengen {

// Logical operators without a branch: both sides are evaluated. The built-in && and || would make the compiler branch
// in inner loops, and & and | on bools are warned about.
constexpr bool both(bool a, bool b) { return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0; }
constexpr bool either(bool a, bool b) { return (static_cast<unsigned>(a) | static_cast<unsigned>(b)) != 0; }

// Prefetches a cache line. A hint only: it may do nothing.
inline void prefetch([[maybe_unused]] const void* where) {
#if defined(__GNUC__) && !defined(TENGEN_PORTABLE)
    __builtin_prefetch(where);
#endif
}

// total += value; libc++ before version 18 has no fetch_add for atomic floating-point numbers.
inline void add_to(std::atomic<double>& total, double value) {
#if defined(__cpp_lib_atomic_float) && !defined(TENGEN_PORTABLE)
    total.fetch_add(value, std::memory_order_relaxed);
#else
    double before = total.load(std::memory_order_relaxed);
    while (!total.compare_exchange_weak(before, before + value, std::memory_order_relaxed)) {}
#endif
}

// Two signed 64-bit numbers side by side, with ^= and [], in one vector register where the compiler has them.
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON)) && !defined(TENGEN_PORTABLE)
using Pair = std::int64_t __attribute__((vector_size(16)));
inline Pair least(Pair a, Pair b) { return a < b ? a : b; }
#else
struct alignas(16) Pair {
    std::int64_t numbers[2];

    std::int64_t& operator[](std::size_t i) { return numbers[i]; }
    std::int64_t operator[](std::size_t i) const { return numbers[i]; }
    Pair& operator^=(const Pair& other) {
        numbers[0] ^= other.numbers[0], numbers[1] ^= other.numbers[1];
        return *this;
    }
};
inline Pair least(const Pair& a, const Pair& b) { return {{std::min(a[0], b[0]), std::min(a[1], b[1])}}; }
#endif

}  // namespace tengen
