// Binds the reference of `tengen bench playouts`, core/benchmarks/plain_playout.hpp.
#include <nanobind/stl/pair.h>

#include "interruptible.hpp"
#include "plain_playout.hpp"

namespace {

// n games from the empty board: moves in all, and the sum of Black's areas.
std::pair<std::int64_t, std::int64_t> plain_playouts(int side, int n, std::uint64_t seed) {
    if (n < 0 || n > 100'000'000) throw nb::value_error("playouts: 0 to 100,000,000");
    auto run = side == 9    ? plain::playouts<9>
               : side == 13 ? plain::playouts<13>
               : side == 19 ? plain::playouts<19>
                            : nullptr;
    if (run == nullptr) throw nb::value_error("a side of 9, 13 or 19");
    const plain::Totals totals =
        interruptible([&](tengen::Interrupt& interrupt) { return run(n, seed, [&] { interrupt.check(); }); });
    return {totals.moves, totals.black_area};
}

}  // namespace

void bind_plain(nb::module_& module) {
    module.def("plain_playouts", &plain_playouts, nb::arg("side"), nb::arg("n"), nb::arg("seed"));
}
