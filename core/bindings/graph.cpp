// Binds graph.hpp, influence.hpp and augmented_graph.hpp.
#include <nanobind/stl/tuple.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "tengen/augmented_graph.hpp"
#include "tengen/graph.hpp"
#include "tengen/influence.hpp"
#include "tengen/shape.hpp"

using namespace tengen;

namespace {

using OneBoard = Given<const std::int8_t, 2>;
using Boards = Given<const std::int8_t, 3>;
using Ints = Array<std::int32_t>;
using Longs = Array<std::int64_t>;

void check_sides(std::size_t height, std::size_t width) {
    if (std::min(width, height) < MIN_SIDE || std::max(width, height) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
}

BoardGraph made(const OneBoard& stones, int division, bool grouped) {
    check_sides(stones.shape(0), stones.shape(1));
    if (division < 0 || division > static_cast<int>(Division::POINTS)) throw nb::value_error("division: 0 to 3");
    nb::gil_scoped_release release;
    BoardGraph graph(static_cast<int>(stones.shape(1)), static_cast<int>(stones.shape(0)));
    graph.read(stones.data(), static_cast<Division>(division));
    if (grouped) graph.group();
    return graph;
}

// node of every point [row, column]; kind, colour, size, liberties, eyes and shape of every node [node, 10]; ends
// [edge, 2]; pairs of neighbours, then the shapes of both directions [edge, 9]
std::tuple<Ints, Ints, Ints, Ints> board_graph(nb::handle given, int division, bool grouped) {
    const auto stones = given_stones<2>(given);
    const BoardGraph graph = made(stones, division, grouped);
    std::int32_t *node_of, *nodes, *ends, *edges;
    auto point_array = new_array<std::int32_t>({stones.shape(0), stones.shape(1)}, node_of);
    auto node_array = new_array<std::int32_t>({graph.nodes.size(), 10}, nodes);
    auto end_array = new_array<std::int32_t>({graph.edges.size(), 2}, ends);
    auto edge_array = new_array<std::int32_t>({graph.edges.size(), 9}, edges);
    std::copy(graph.node_of.begin(), graph.node_of.end(), node_of);
    for (const auto& node : graph.nodes) {
        for (int fact : {int{node.kind}, int{node.colour}, node.size, node.liberties, node.eyes}) *nodes++ = fact;
        nodes = std::copy(node.shape.begin(), node.shape.end(), nodes);
    }
    for (const auto& edge : graph.edges) {
        *ends++ = edge.first, *ends++ = edge.second, *edges++ = edge.pairs;
        edges = std::copy(edge.from_first.begin(), edge.from_first.end(), edges);
        edges = std::copy(edge.from_second.begin(), edge.from_second.end(), edges);
    }
    return {point_array, node_array, end_array, edge_array};
}

// The graphs of many boards one after another, their nodes numbered on.
struct PackedGraphs {
    std::vector<std::int32_t> node_of, nodes, edges;
    std::vector<std::int64_t> first_node{0}, first_edge{0};

    explicit PackedGraphs(const Boards& stones) {
        if (stones.shape(0) == 0) return;
        const std::size_t points = stones.shape(1) * stones.shape(2);
        node_of.reserve(stones.size());
        AugmentedGraph graph(static_cast<int>(stones.shape(2)), static_cast<int>(stones.shape(1)));
        for (std::size_t board = 0; board < stones.shape(0); ++board) {
            graph.read(stones.data() + board * points);
            add(graph);
        }
    }

private:
    void add(const AugmentedGraph& graph) {
        const int start = static_cast<int>(first_node.back());
        for (int node : graph.node_of()) node_of.push_back(start + node);
        for (const auto& [type, side, size, liberties, eyes] : graph.nodes)
            nodes.insert(nodes.end(), {type, side, size, liberties, eyes});
        for (const auto& [first, second, relation, pairs] : graph.edges)
            edges.insert(edges.end(), {start + first, start + second, relation, pairs});
        first_node.push_back(first_node.back() + static_cast<std::int64_t>(graph.nodes.size()));
        first_edge.push_back(first_edge.back() + static_cast<std::int64_t>(graph.edges.size()));
        if (first_node.back() > std::numeric_limits<std::int32_t>::max())
            throw std::length_error("too many boards for one call: nodes are numbered by 32 bits");
    }
};

// node of every point [board, row, column]; first node of every board and the end [board + 1]; type, side, size,
// liberties and eyes of every node [node, 5]; first edge of every board and the end [board + 1]; first node, second
// node, relation and pairs of every edge [edge, 4]
std::tuple<Ints, Longs, Ints, Longs, Ints> augmented_graphs(nb::handle given) {
    const auto stones = given_stones<3>(given);
    if (stones.shape(0) > 0) check_sides(stones.shape(1), stones.shape(2));
    PackedGraphs graphs = [&] {
        nb::gil_scoped_release release;
        return PackedGraphs(stones);
    }();
    const std::size_t boards = stones.shape(0), nodes = graphs.nodes.size() / 5, edges = graphs.edges.size() / 4;
    return {array_of(graphs.node_of, {boards, stones.shape(1), stones.shape(2)}),
            array_of(graphs.first_node, {boards + 1}), array_of(graphs.nodes, {nodes, 5}),
            array_of(graphs.first_edge, {boards + 1}), array_of(graphs.edges, {edges, 4})};
}

// Bouzy's influence on every point [board, row, column]
Ints influence(nb::handle given, int stone, int dilations, int erosions) {
    const auto stones = given_stones<3>(given);
    const std::size_t height = stones.shape(1), width = stones.shape(2);
    if (stones.shape(0) > 0) check_sides(height, width);
    if (stone < 1 || stone > 1'000'000) throw nb::value_error("stone: 1 to 1000000");
    if (std::min(dilations, erosions) < 0 || std::max(dilations, erosions) > 1000)
        throw nb::value_error("dilations and erosions: 0 to 1000 steps");
    std::int32_t* value;
    auto array = new_array<std::int32_t>({stones.shape(0), height, width}, value);
    if (stones.shape(0) == 0) return array;
    nb::gil_scoped_release release;
    Influence<std::int32_t> field(static_cast<int>(width), static_cast<int>(height));
    for (const std::int8_t* board = stones.data(); board < stones.data() + stones.size(); board += height * width) {
        field.spread(board, stone, dilations, erosions);
        for (int r = 0; r < static_cast<int>(height); ++r)
            for (int c = 0; c < static_cast<int>(width); ++c) *value++ = field.at(r, c);
    }
    return array;
}

// the label of every node, given as augmented_graphs() returns them [node, 5]
Ints node_labels(nb::handle given, bool sides) {
    const auto nodes = given_array<const std::int32_t, 2>(given, "nodes");
    if (nodes.shape(1) != 5) throw nb::value_error("nodes: five numbers for each node are needed");
    std::int32_t* labels;
    auto array = new_array<std::int32_t>({nodes.shape(0)}, labels);
    for (const std::int32_t* fact = nodes.data(); fact < nodes.data() + nodes.size(); fact += 5) {
        const AugmentedGraph::Node node{fact[0], fact[1], fact[2], fact[3], fact[4]};
        if (std::abs(node.type) > 1 || std::abs(node.side) > 1 || node.size < 1 || node.liberties < 0 || node.eyes < 0)
            throw nb::value_error("nodes: types and sides are 1, -1 or 0, sizes positive, liberties and eyes counts");
        *labels++ = node.label(sides);
    }
    return array;
}

}  // namespace

void bind_graph(nb::module_& module) {
    module.def("board_graph", &board_graph, nb::arg("stones"), nb::arg("division"), nb::arg("grouped"));
    module.def("augmented_graphs", &augmented_graphs, nb::arg("stones"));
    module.def("influence", &influence, nb::arg("stones"), nb::arg("stone"), nb::arg("dilations"), nb::arg("erosions"));
    module.def("node_labels", &node_labels, nb::arg("nodes"), nb::arg("sides"));
    module.attr("NODE_LABELS") = AugmentedGraph::LABELS;
    module.attr("SIDED_NODE_LABELS") = AugmentedGraph::SIDED_LABELS;
}
