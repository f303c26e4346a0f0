// tengen._dev: what only tests and benchmarks call. Built with -DTENGEN_DEV=ON, never by a plain installation.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "plain_playout.hpp"
#include "tengen/elimination.hpp"
#include "tengen/local_pattern.hpp"

using namespace tengen;

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

template <int Side>
std::int64_t count_legal(Interrupt& interrupt) {
    std::int64_t total = 1, legal = 0;
    for (int i = 0; i < Side * Side; ++i) total *= 3;
    Board<Square<Side>> board(Side, Side);
    for (std::int64_t code = 0; code < total; ++code) {
        interrupt.work(Side * Side);
        board.clear();
        std::int64_t rest = code;
        for (int i = 0; i < Side * Side; ++i, rest /= 3)
            if (rest % 3 != 0) board.put(Square<Side>::point(i / Side, i % Side), static_cast<Colour>(rest % 3));
        legal += board.lifeless() == NO_POINT;
    }
    return legal;
}

// How many positions of a square board are legal: every chain has a liberty. Tromp & Farnebäck (2006) publish the
// counts.
std::int64_t count_legal_positions(int side) {
    if (side < 2 || side > 4) throw nb::value_error("a side of 2, 3 or 4");
    return interruptible([&](Interrupt& interrupt) {
        return side == 2   ? count_legal<2>(interrupt)
               : side == 3 ? count_legal<3>(interrupt)
                           : count_legal<4>(interrupt);
    });
}

// The drawings, and for each code of eight neighbours whether one of them fits.
std::pair<std::vector<std::string>, Array<bool>> bound_patterns() {
    bool* fits;
    auto array = new_array<bool>({65536}, fits);
    for (unsigned code = 0; code < 65536; ++code) fits[code] = local_patterns.has(code);
    return {{LOCAL_PATTERNS.begin(), LOCAL_PATTERNS.end()}, array};
}

// Exact inference in one arithmetic, "single", "double" or "log": means, edge means and ln Z of one model, or an error
// where that arithmetic is not enough.
std::tuple<Array<double>, Array<double>, double> eliminate(int nodes, nb::handle edges, nb::handle fields,
                                                           nb::handle couplings, const std::string& arithmetic) {
    const auto pairs = given_array<const std::int32_t, 2>(edges, "edges");
    const auto field = given_array<const double, 1>(fields, "fields"),
               coupling = given_array<const double, 1>(couplings, "couplings");
    std::vector<IsingGraph::Edge> list;
    for (std::size_t e = 0; e < pairs.shape(0); ++e) list.push_back({pairs.data()[2 * e], pairs.data()[2 * e + 1]});
    const IsingGraph graph(nodes, std::move(list));
    if (field.size() != static_cast<std::size_t>(nodes) || coupling.size() != graph.edges.size())
        throw nb::value_error("a field for every node and a coupling for every edge");
    double *means, *edge_means, log_z = 0;
    auto mean_array = new_array<double>({static_cast<std::size_t>(nodes)}, means);
    auto edge_array = new_array<double>({graph.edges.size()}, edge_means);
    interruptible([&](Interrupt& interrupt) {
        const EliminationPlan plan = plan_elimination(graph, interrupt);
        const auto run = [&](auto semiring) {
            Elimination<decltype(semiring)> elimination(plan, {field.data(), coupling.data()}, interrupt);
            log_z = elimination.upward();
            elimination.downward(means, edge_means);
        };
        if (arithmetic == "single") run(SumProduct<float>{});
        else if (arithmetic == "double") run(SumProduct<double>{});
        else run(LogSum{});
    });
    return {mean_array, edge_array, log_z};
}

}  // namespace

NB_MODULE(_dev, module) {
#ifdef NDEBUG
    nb::set_leak_warnings(false);  // as in core/bindings/module.cpp
#endif
    module.doc() = "References and checks for Tengen's own tests and benchmarks.";
    module.def("plain_playouts", &plain_playouts, nb::arg("side"), nb::arg("n"), nb::arg("seed"));
    module.def("count_legal_positions", &count_legal_positions, nb::arg("side"));
    module.def("local_patterns", &bound_patterns);
    module.def("eliminate", &eliminate, nb::arg("nodes"), nb::arg("edges"), nb::arg("fields"), nb::arg("couplings"),
               nb::arg("arithmetic"));
}
