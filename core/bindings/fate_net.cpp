// Binds fate_net.hpp.
#include "tengen/fate_net.hpp"

#include <nanobind/stl/tuple.h>

#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "arrays.hpp"
#include "interruptible.hpp"

using namespace tengen;

namespace {

using Boards = Given<const std::int8_t, 3>;
using Floats = Given<const float, 3>;

void check_sides(std::size_t height, std::size_t width) {
    if (std::min(width, height) < MIN_SIDE || std::max(width, height) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
}

// A network that several threads may ask; while it learns a board, they wait. No lock is held while Python runs.
class BoundNet {
public:
    explicit BoundNet(const FateNet::Settings& settings) : net(settings) {}

    FateNet net;
    std::shared_mutex changing;
};

void make_net(BoundNet* place, int layers, int rounds, double tolerance, bool sides, bool through_rounds,
              std::uint64_t seed) {
    if (layers < 2 || layers > FateNet::MOST_LAYERS) throw nb::value_error("layers: 2 to 8");
    if (rounds < 1 || rounds > FateNet::MOST_ROUNDS) throw nb::value_error("rounds: 1 to 1000");
    if (!(given_number(tolerance, "tolerance") >= 0)) throw nb::value_error("tolerance: at least 0");
    new (place) BoundNet({layers, rounds, tolerance, sides, through_rounds, seed});
}

// Calls task(board, graph) for each board.
template <class Task>
void each_board(const Boards& stones, Task task) {
    const std::size_t points = stones.shape(1) * stones.shape(2);
    interruptible([&](Interrupt& interrupt) {
        AugmentedGraph graph(static_cast<int>(stones.shape(2)), static_cast<int>(stones.shape(1)));
        for (std::size_t i = 0; i < stones.shape(0); ++i) {
            graph.read(stones.data() + i * points);
            task(i, graph);
            interrupt.work(10'000);
        }
    });
}

// the ownership of each point [n, row, column]
Array<double> evaluate(BoundNet& bound, nb::handle given) {
    const auto stones = given_stones<3>(given);
    check_sides(stones.shape(1), stones.shape(2));
    double* owner;
    auto array = new_array<double>({stones.shape(0), stones.shape(1), stones.shape(2)}, owner);
    FateScratch scratch;
    std::vector<double> nodes;
    each_board(stones, [&](std::size_t, const AugmentedGraph& graph) {
        {
            const std::shared_lock lock(bound.changing);
            bound.net.evaluate(graph, scratch, nodes);
        }
        for (const int node : graph.node_of()) *owner++ = nodes[static_cast<std::size_t>(node)];
    });
    return array;
}

// The pushes of both directions of each edge of the augmented graph of a board, then those of the nodes themselves.
Array<double> pushes(BoundNet& bound, nb::handle given) {
    const auto stones = given_stones<2>(given);
    check_sides(stones.shape(0), stones.shape(1));
    std::vector<double> found;
    {
        nb::gil_scoped_release release;
        AugmentedGraph graph(static_cast<int>(stones.shape(1)), static_cast<int>(stones.shape(0)));
        graph.read(stones.data());
        FateScratch scratch;
        const std::shared_lock lock(bound.changing);
        bound.net.pushes(graph, scratch, found);
    }
    double* push;
    auto array = new_array<double>({found.size()}, push);
    std::copy(found.begin(), found.end(), push);
    return array;
}

// The mean owner of the labelled points of each node, and the sum of their weights.
void find_targets(const AugmentedGraph& graph, const float* owners, const float* weights, FateNet::Targets& targets) {
    targets.owners.assign(graph.nodes.size(), 0.0);
    targets.weights.assign(graph.nodes.size(), 0.0);
    for (const int node : graph.node_of()) {
        const auto v = static_cast<std::size_t>(node);
        const double owner = *owners++, weight = *weights++;
        if (std::isnan(owner)) continue;
        targets.owners[v] += weight * owner;
        targets.weights[v] += weight;
    }
    for (std::size_t v = 0; v < graph.nodes.size(); ++v)
        if (targets.weights[v] > 0) targets.owners[v] /= targets.weights[v];
}

// Learns boards one after the other; returns the loss per point of each board before its step.
Array<double> learn(BoundNet& bound, nb::handle given, nb::handle given_targets, nb::handle given_weights,
                    double rate) {
    const auto stones = given_stones<3>(given);
    const auto owners = given_array<const float, 3>(given_targets, "targets");
    const auto weights = given_array<const float, 3>(given_weights, "weights");
    check_sides(stones.shape(1), stones.shape(2));
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (owners.shape(axis) != stones.shape(axis) || weights.shape(axis) != stones.shape(axis))
            throw nb::value_error("targets and weights: one number for each point of stones");
    for (std::size_t i = 0; i < stones.size(); ++i) {
        if (std::abs(owners.data()[i]) > 1) throw nb::value_error("targets are from -1 to 1, or NaN for no label");
        if (!(weights.data()[i] >= 0 && weights.data()[i] <= 1e6f)) throw nb::value_error("weights are 0 to 1000000");
    }
    if (!(given_number(rate, "rate") >= 0 && rate <= 100)) throw nb::value_error("rate: 0 to 100");
    double* losses;
    auto array = new_array<double>({stones.shape(0)}, losses);
    const std::size_t points = stones.shape(1) * stones.shape(2);
    FateScratch scratch;
    FateNet::Targets targets;
    each_board(stones, [&](std::size_t i, const AugmentedGraph& graph) {
        find_targets(graph, owners.data() + i * points, weights.data() + i * points, targets);
        const std::unique_lock lock(bound.changing);
        losses[i] = bound.net.learn(graph, targets, rate, scratch) / static_cast<double>(points);
    });
    return array;
}

// keys [row], weights [row, layers − 1], visits [row], biases [label, layers], visits of biases [label]
std::tuple<Array<std::uint32_t>, Array<double>, Array<std::uint32_t>, Array<double>, Array<std::uint32_t>> parameters(
    BoundNet& bound) {
    FateNet::Parameters found = [&] {
        nb::gil_scoped_release release;
        const std::shared_lock lock(bound.changing);
        return bound.net.parameters();
    }();
    const auto layers = static_cast<std::size_t>(bound.net.settings.layers);
    const std::size_t rows = found.keys.size(), labels = found.bias_visits.size();
    return {array_of(found.keys, {rows}), array_of(found.weights, {rows, layers - 1}), array_of(found.visits, {rows}),
            array_of(found.biases, {labels, layers}), array_of(found.bias_visits, {labels})};
}

void set_parameters(BoundNet& bound, nb::handle keys, nb::handle weights, nb::handle visits, nb::handle biases,
                    nb::handle bias_visits) {
    const auto layers = static_cast<std::size_t>(bound.net.settings.layers);
    const auto labels = static_cast<std::size_t>(bound.net.labels);
    FateNet::Parameters given;
    const auto rows = given_array<const std::uint32_t, 1>(keys, "keys").shape(0);
    given.keys = copied<std::uint32_t, 1>(keys, "keys", {rows});
    for (std::size_t i = 0; i < rows; ++i)
        if (given.keys[i] >= labels * labels * FateNet::RELATIONS || (i > 0 && given.keys[i] <= given.keys[i - 1]))
            throw nb::value_error("keys: rising numbers of two labels and a relation are needed");
    given.weights = copied<double, 2>(weights, "weights", {rows, layers - 1});
    given.visits = copied<std::uint32_t, 1>(visits, "visits", {rows});
    given.biases = copied<double, 2>(biases, "biases", {labels, layers});
    given.bias_visits = copied<std::uint32_t, 1>(bias_visits, "bias_visits", {labels});
    nb::gil_scoped_release release;
    const std::unique_lock lock(bound.changing);
    bound.net.set_parameters(given);
}

}  // namespace

void bind_fate_net(nb::module_& module) {
    nb::class_<BoundNet>(module, "FateNet")
        .def("__init__", &make_net, nb::arg("layers"), nb::arg("rounds"), nb::arg("tolerance"), nb::arg("sides"),
             nb::arg("through_rounds"), nb::arg("seed"))
        .def("__len__", [](const BoundNet& bound) { return bound.net.rows(); })
        .def("evaluate", &evaluate, nb::arg("stones"))
        .def("pushes", &pushes, nb::arg("stones"))
        .def("learn", &learn, nb::arg("stones"), nb::arg("targets"), nb::arg("weights"), nb::arg("rate"))
        .def("parameters", &parameters)
        .def("set_parameters", &set_parameters, nb::arg("keys"), nb::arg("weights"), nb::arg("visits"),
             nb::arg("biases"), nb::arg("bias_visits"));
}
