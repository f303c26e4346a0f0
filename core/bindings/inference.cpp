// Binds ising.hpp with propagation.hpp, double_loop.hpp, sampling.hpp and elimination.hpp: one graph, many rows of
// fields and couplings.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/double_loop.hpp"
#include "tengen/elimination.hpp"
#include "tengen/propagation.hpp"
#include "tengen/sampling.hpp"

using namespace tengen;

namespace {

using Edges = Given<const std::int32_t, 2>;
using Rows = Given<const double, 2>;
using Doubles = Array<double>;

constexpr int MOST_NODES = 4096, FLOAT_WIDTH = 18;
constexpr std::size_t MOST_EDGES = 1 << 20;

class BoundGraph {
public:
    BoundGraph(int nodes, nb::handle edges)
        : graph(checked_nodes(nodes), edge_list(given_array<const std::int32_t, 2>(edges, "edges"))) {}

    // Computed on first use, without Python's lock; a failure is stored as well.
    const EliminationPlan& plan(Interrupt& interrupt) {
        const Turn turn(planning_, interrupt, "this graph is being planned: a signal handler cannot use its plan");
        if (!plan_ && refusal_.empty()) {
            try {
                plan_ = plan_elimination(graph, interrupt);
            } catch (const std::invalid_argument& problem) {
                refusal_ = problem.what();
            }
        }
        if (!plan_) throw std::invalid_argument(refusal_);
        return *plan_;
    }

    const IsingGraph graph;

private:
    static int checked_nodes(int nodes) {
        if (nodes < 1 || nodes > MOST_NODES) throw nb::value_error("a graph has 1 to 4096 nodes");
        return nodes;
    }

    static std::vector<IsingGraph::Edge> edge_list(const Edges& edges) {
        if (edges.shape(1) != 2) throw nb::type_error("edges have two columns, the nodes that they join");
        if (edges.shape(0) > MOST_EDGES) throw nb::value_error("a graph has at most 1,048,576 edges");
        std::vector<IsingGraph::Edge> list;
        for (std::size_t e = 0; e < edges.shape(0); ++e) list.push_back({edges.data()[2 * e], edges.data()[2 * e + 1]});
        return list;
    }

    std::optional<EliminationPlan> plan_;
    std::string refusal_;
    std::timed_mutex planning_;
};

// Rows of finite fields and couplings that fit a graph.
class Batch {
public:
    Batch(const IsingGraph& graph, nb::handle fields, nb::handle couplings)
        : fields_(given_array<const double, 2>(fields, "fields")),
          couplings_(given_array<const double, 2>(couplings, "couplings")),
          rows(fields_.shape(0)),
          nodes(static_cast<std::size_t>(graph.nodes)),
          edges(graph.edges.size()) {
        if (fields_.shape(1) != nodes) throw nb::value_error("fields have one column for every node");
        if (couplings_.shape(1) != edges) throw nb::value_error("couplings have one column for every edge");
        if (couplings_.shape(0) != rows) throw nb::value_error("fields and couplings have the same number of rows");
        check(fields_, "a field is not a finite number");
        check(couplings_, "a coupling is not a finite number");
    }

    IsingNumbers row(std::size_t r) const { return {fields_.data() + r * nodes, couplings_.data() + r * edges}; }

private:
    Rows fields_, couplings_;

public:
    const std::size_t rows, nodes, edges;

private:
    static void check(const Rows& numbers, const char* what) {
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (!std::isfinite(numbers.data()[i])) throw nb::value_error(what);
    }
};

// means, edge means, Bethe log Z, messages [2 edges], converged, sweeps
using Iterated = std::tuple<Doubles, Doubles, Doubles, Doubles, Array<bool>, Array<std::int32_t>>;

template <class Method, class Limits>
Iterated iterate(const IsingGraph& graph, nb::handle fields, nb::handle couplings, const Limits& limits) {
    const Batch batch(graph, fields, couplings);
    if (!(given_number(limits.tolerance, "tolerance") > 0) || limits.sweeps < 1 || limits.sweeps > 1'000'000)
        throw nb::value_error("propagation: a positive tolerance and 1 to 1,000,000 sweeps");
    double *means, *edge_means, *log_z, *messages;
    bool* converged;
    std::int32_t* sweeps;
    auto mean_array = new_array<double>({batch.rows, batch.nodes}, means);
    auto edge_array = new_array<double>({batch.rows, batch.edges}, edge_means);
    auto log_array = new_array<double>({batch.rows}, log_z);
    auto message_array = new_array<double>({batch.rows, 2 * batch.edges}, messages);
    auto converged_array = new_array<bool>({batch.rows}, converged);
    auto sweep_array = new_array<std::int32_t>({batch.rows}, sweeps);
    interruptible([&](Interrupt& interrupt) {
        Method method(graph);
        for (std::size_t r = 0; r < batch.rows; ++r) {
            const Convergence end = method.run(batch.row(r), limits, interrupt);
            converged[r] = end.reached;
            sweeps[r] = end.sweeps;
            method.means(means + r * batch.nodes);
            method.edge_means(edge_means + r * batch.edges);
            log_z[r] = method.log_partition();
            method.messages(messages + r * 2 * batch.edges);
        }
    });
    return {mean_array, edge_array, log_array, message_array, converged_array, sweep_array};
}

Iterated propagate(const BoundGraph& bound, nb::handle fields, nb::handle couplings, double tolerance, int sweeps,
                   double step) {
    if (!(given_number(step, "step") >= 0) || step > 1) throw nb::value_error("propagation: a step from 0 to 1");
    return iterate<Propagation>(bound.graph, fields, couplings, PropagationLimits{tolerance, sweeps, step});
}

Iterated double_loop(const BoundGraph& bound, nb::handle fields, nb::handle couplings, double tolerance, int sweeps) {
    return iterate<DoubleLoop>(bound.graph, fields, couplings, DoubleLoopLimits{tolerance, sweeps});
}

// means, standard errors, edge means
template <class Sampler>
std::tuple<Doubles, Doubles, Doubles> sample(const BoundGraph& bound, nb::handle fields, nb::handle couplings,
                                             int burn_in, int sweeps, std::uint64_t seed) {
    const Batch batch(bound.graph, fields, couplings);
    if (burn_in < 0 || sweeps < 1 || burn_in > 100'000'000 || sweeps > 100'000'000)
        throw nb::value_error("sampling: 1 to 100,000,000 sweeps");
    double *means, *errors, *edge_means;
    auto mean_array = new_array<double>({batch.rows, batch.nodes}, means);
    auto error_array = new_array<double>({batch.rows, batch.nodes}, errors);
    auto edge_array = new_array<double>({batch.rows, batch.edges}, edge_means);
    interruptible([&](Interrupt& interrupt) {
        for (std::size_t r = 0; r < batch.rows; ++r)
            sample_means<Sampler>(bound.graph, batch.row(r), {burn_in, sweeps, seed},
                                  {means + r * batch.nodes, errors + r * batch.nodes, edge_means + r * batch.edges},
                                  interrupt);
    });
    return {mean_array, error_array, edge_array};
}

// Calls task with the fastest arithmetic that is accurate enough: single precision for large tables, then double, then
// logarithms.
template <class Task>
void exactly(const EliminationPlan& plan, Task task) {
    if (plan.width > FLOAT_WIDTH) try {
            return task(SumProduct<float>{});
        } catch (const std::range_error&) {}
    try {
        return task(SumProduct<double>{});
    } catch (const std::range_error&) {}
    task(LogSum{});
}

// means may be null
void eliminate_row(const EliminationPlan& plan, const IsingNumbers& numbers, double* means, double* edge_means,
                   double& log_z, Interrupt& interrupt) {
    exactly(plan, [&](auto semiring) {
        Elimination<decltype(semiring)> elimination(plan, numbers, interrupt);
        log_z = elimination.upward();
        if (means != nullptr) elimination.downward(means, edge_means);
        else elimination.verify();
    });
}

// means, edge means, log Z
std::tuple<Doubles, Doubles, Doubles> eliminate(BoundGraph& bound, nb::handle fields, nb::handle couplings) {
    const Batch batch(bound.graph, fields, couplings);
    double *means, *edge_means, *log_z;
    auto mean_array = new_array<double>({batch.rows, batch.nodes}, means);
    auto edge_array = new_array<double>({batch.rows, batch.edges}, edge_means);
    auto log_array = new_array<double>({batch.rows}, log_z);
    interruptible([&](Interrupt& interrupt) {
        const EliminationPlan& plan = bound.plan(interrupt);
        for (std::size_t r = 0; r < batch.rows; ++r)
            eliminate_row(plan, batch.row(r), means + r * batch.nodes, edge_means + r * batch.edges, log_z[r],
                          interrupt);
    });
    return {mean_array, edge_array, log_array};
}

Doubles log_partition(BoundGraph& bound, nb::handle fields, nb::handle couplings) {
    const Batch batch(bound.graph, fields, couplings);
    double* log_z;
    auto array = new_array<double>({batch.rows}, log_z);
    interruptible([&](Interrupt& interrupt) {
        const EliminationPlan& plan = bound.plan(interrupt);
        for (std::size_t r = 0; r < batch.rows; ++r)
            eliminate_row(plan, batch.row(r), nullptr, nullptr, log_z[r], interrupt);
    });
    return array;
}

// The likeliest state of every row, and its energy.
std::pair<Array<std::int8_t>, Doubles> best_state(BoundGraph& bound, nb::handle fields, nb::handle couplings) {
    const Batch batch(bound.graph, fields, couplings);
    std::int8_t* states;
    double* energies;
    auto state_array = new_array<std::int8_t>({batch.rows, batch.nodes}, states);
    auto energy_array = new_array<double>({batch.rows}, energies);
    interruptible([&](Interrupt& interrupt) {
        const EliminationPlan& plan = bound.plan(interrupt);
        for (std::size_t r = 0; r < batch.rows; ++r) {
            Elimination<MaxSum> elimination(plan, batch.row(r), interrupt);
            energies[r] = elimination.upward();
            elimination.decode(states + r * batch.nodes, 1,
                               [](int, double plus, double minus) { return plus >= minus; });
        }
    });
    return {state_array, energy_array};
}

void draw_row(const EliminationPlan& plan, const IsingNumbers& numbers, std::int8_t* states, int n, std::uint64_t seed,
              Interrupt& interrupt) {
    exactly(plan, [&](auto semiring) {
        Elimination<decltype(semiring)> elimination(plan, numbers, interrupt);
        elimination.upward();
        if (elimination.verify()) elimination.upward();
        std::vector<Random> randoms;
        for (int k = 0; k < n; ++k) randoms.emplace_back(seed, static_cast<std::uint64_t>(k));
        elimination.decode(states, n, [&](int k, auto plus, auto minus) {
            const double u = static_cast<double>(randoms[static_cast<std::size_t>(k)].next() >> 11) * 0x1p-53;
            return decltype(semiring)::takes_plus(u, plus, minus);
        });
    });
}

// n independent states [rows, n, nodes].
Array<std::int8_t> exact_samples(BoundGraph& bound, nb::handle fields, nb::handle couplings, int n,
                                 std::uint64_t seed) {
    const Batch batch(bound.graph, fields, couplings);
    if (n < 0 || n > 10'000'000) throw nb::value_error("samples: 0 to 10,000,000");
    std::int8_t* states;
    auto array = new_array<std::int8_t>({batch.rows, static_cast<std::size_t>(n), batch.nodes}, states);
    interruptible([&](Interrupt& interrupt) {
        const EliminationPlan& plan = bound.plan(interrupt);
        for (std::size_t r = 0; r < batch.rows; ++r)
            draw_row(plan, batch.row(r), states + r * static_cast<std::size_t>(n) * batch.nodes, n, seed, interrupt);
    });
    return array;
}

}  // namespace

void bind_inference(nb::module_& module) {
    nb::class_<BoundGraph>(module, "IsingGraph")
        .def(nb::init<int, nb::handle>(), nb::arg("nodes"), nb::arg("edges"))
        .def_prop_ro("nodes", [](const BoundGraph& bound) { return bound.graph.nodes; })
        .def_prop_ro("edge_count", [](const BoundGraph& bound) { return bound.graph.edges.size(); })
        .def_prop_ro("width",
                     [](BoundGraph& bound) {
                         return interruptible([&](Interrupt& interrupt) { return bound.plan(interrupt).width; });
                     })
        .def("propagate", &propagate, nb::arg("fields"), nb::arg("couplings"), nb::arg("tolerance"), nb::arg("sweeps"),
             nb::arg("step") = 0.0)
        .def("double_loop", &double_loop, nb::arg("fields"), nb::arg("couplings"), nb::arg("tolerance"),
             nb::arg("sweeps"))
        .def("gibbs", &sample<Gibbs>, nb::arg("fields"), nb::arg("couplings"), nb::arg("burn_in"), nb::arg("sweeps"),
             nb::arg("seed"))
        .def("swendsen_wang", &sample<SwendsenWang>, nb::arg("fields"), nb::arg("couplings"), nb::arg("burn_in"),
             nb::arg("sweeps"), nb::arg("seed"))
        .def("eliminate", &eliminate, nb::arg("fields"), nb::arg("couplings"))
        .def("log_partition", &log_partition, nb::arg("fields"), nb::arg("couplings"))
        .def("best_state", &best_state, nb::arg("fields"), nb::arg("couplings"))
        .def("exact_samples", &exact_samples, nb::arg("fields"), nb::arg("couplings"), nb::arg("n"), nb::arg("seed"));
}
