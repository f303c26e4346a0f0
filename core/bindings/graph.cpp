// Binds graph.hpp.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "tengen/graph.hpp"
#include "tengen/shape.hpp"

using namespace tengen;

namespace {

using OneBoard = Given<const std::int8_t, 2>;
using Ints = Array<std::int32_t>;

BoardGraph made(const OneBoard& stones, int division, bool grouped) {
    const std::size_t height = stones.shape(0), width = stones.shape(1);
    if (std::min(width, height) < MIN_SIDE || std::max(width, height) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
    if (division < 0 || division > static_cast<int>(Division::POINTS)) throw nb::value_error("division: 0 to 3");
    std::vector<std::int8_t> signs(stones.data(), stones.data() + stones.size());
    nb::gil_scoped_release release;
    BoardGraph graph(std::move(signs), static_cast<int>(width), static_cast<int>(height),
                     static_cast<Division>(division));
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

}  // namespace

void bind_graph(nb::module_& module) {
    module.def("board_graph", &board_graph, nb::arg("stones"), nb::arg("division"), nb::arg("grouped"));
}
