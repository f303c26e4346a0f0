// Binds fate_tables.hpp. Python's lock is held throughout: the work for a board takes microseconds.
#include "tengen/fate_tables.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"

using namespace tengen;

namespace {

using Doubles = Array<double>;

// Nodes [node, 5] and edges [edge, 4] as augmented_graphs() returns them; the nodes of edges are numbered from 0.
struct GivenGraph {
    std::vector<AugmentedGraph::Node> nodes;
    std::vector<AugmentedGraph::Edge> edges;

    GivenGraph(nb::handle given_nodes, nb::handle given_edges) {
        const auto facts = given_array<const std::int32_t, 2>(given_nodes, "nodes");
        const auto links = given_array<const std::int32_t, 2>(given_edges, "edges");
        if (facts.shape(1) != 5) throw nb::value_error("nodes: five numbers for each node are needed");
        if (links.shape(1) != 4) throw nb::value_error("edges: four numbers for each edge are needed");
        const auto count = static_cast<std::int64_t>(facts.shape(0));
        for (const std::int32_t* fact = facts.data(); fact < facts.data() + facts.size(); fact += 5) {
            const AugmentedGraph::Node node{fact[0], fact[1], fact[2], fact[3], fact[4]};
            if (node.type < -1 || node.type > 1 || node.side < -1 || node.side > 1 || node.size < 1 ||
                node.liberties < 0 || node.eyes < 0)
                throw nb::value_error(
                    "nodes: types and sides are 1, -1 or 0, sizes positive, liberties and eyes counts");
            nodes.push_back(node);
        }
        for (const std::int32_t* link = links.data(); link < links.data() + links.size(); link += 4) {
            const AugmentedGraph::Edge edge{link[0], link[1], link[2], link[3]};
            if (edge.first < 0 || edge.first >= count || edge.second < 0 || edge.second >= count)
                throw nb::value_error("edges: an edge ends at a node that does not exist");
            if (edge.relation < 0 || edge.relation >= FateTables::RELATIONS)
                throw nb::value_error("edges: relations are 0 to 6");
            edges.push_back(edge);
        }
    }
};

// log potentials of nodes [node, 2] and of edges [edge, 2, 2]
std::tuple<Doubles, Doubles> lookup(FateTables& tables, nb::handle nodes, nb::handle edges) {
    const GivenGraph graph(nodes, edges);
    double *node_potentials, *edge_potentials;
    auto node_array = new_array<double>({graph.nodes.size(), 2}, node_potentials);
    auto edge_array = new_array<double>({graph.edges.size(), 2, 2}, edge_potentials);
    std::fill_n(node_potentials, 2 * graph.nodes.size(), 0.0);
    std::fill_n(edge_potentials, 4 * graph.edges.size(), 0.0);
    tables.lookup(graph.nodes, graph.edges, node_potentials, edge_potentials);
    return {node_array, edge_array};
}

void add(FateTables& tables, nb::handle nodes, nb::handle edges, nb::handle node_slopes, nb::handle edge_slopes,
         double rate, double shrink) {
    const GivenGraph graph(nodes, edges);
    const auto of_nodes = copied<double, 2>(node_slopes, "node_slopes", {graph.nodes.size(), 2});
    const auto of_edges = copied<double, 3>(edge_slopes, "edge_slopes", {graph.edges.size(), 2, 2});
    if (!(given_number(rate, "rate") >= 0 && rate <= 100)) throw nb::value_error("rate: 0 to 100");
    if (!(given_number(shrink, "shrink") >= 0 && shrink <= 1)) throw nb::value_error("shrink: 0 to 1");
    tables.add(graph.nodes, graph.edges, of_nodes.data(), of_edges.data(), {rate, shrink});
}

// keys [row], tables [row, 4], visits [row], tables of nodes [label, 2], visits of nodes [label]
std::tuple<Array<std::uint32_t>, Doubles, Array<std::uint32_t>, Doubles, Array<std::uint32_t>> parameters(
    const FateTables& tables) {
    FateTables::Parameters found = tables.parameters();
    const std::size_t rows = found.keys.size(), labels = found.node_visits.size();
    return {array_of(found.keys, {rows}), array_of(found.tables, {rows, 4}), array_of(found.visits, {rows}),
            array_of(found.node_tables, {labels, 2}), array_of(found.node_visits, {labels})};
}

void set_parameters(FateTables& tables, nb::handle keys, nb::handle edge_tables, nb::handle visits,
                    nb::handle node_tables, nb::handle node_visits) {
    const std::size_t labels = tables.labels();
    const auto rows = given_array<const std::uint32_t, 1>(keys, "keys").shape(0);
    FateTables::Parameters given;
    given.keys = copied<std::uint32_t, 1>(keys, "keys", {rows});
    for (std::size_t i = 0; i < rows; ++i)
        if (given.keys[i] >= labels * labels * FateTables::RELATIONS || (i > 0 && given.keys[i] <= given.keys[i - 1]))
            throw nb::value_error("keys: rising numbers of two labels and a relation are needed");
    given.tables = copied<double, 2>(edge_tables, "tables", {rows, 4});
    given.visits = copied<std::uint32_t, 1>(visits, "visits", {rows});
    given.node_tables = copied<double, 2>(node_tables, "node_tables", {labels, 2});
    given.node_visits = copied<std::uint32_t, 1>(node_visits, "node_visits", {labels});
    tables.set_parameters(given);
}

}  // namespace

void bind_fate_tables(nb::module_& module) {
    nb::class_<FateTables>(module, "FateTables")
        .def(
            "__init__", [](FateTables* place, bool sides, bool back_off) { new (place) FateTables({sides, back_off}); },
            nb::arg("sides"), nb::arg("back_off"))
        .def("__len__", &FateTables::rows)
        .def("lookup", &lookup, nb::arg("nodes"), nb::arg("edges"))
        .def("add", &add, nb::arg("nodes"), nb::arg("edges"), nb::arg("node_slopes"), nb::arg("edge_slopes"),
             nb::arg("rate"), nb::arg("shrink"))
        .def("parameters", &parameters)
        .def("set_parameters", &set_parameters, nb::arg("keys"), nb::arg("tables"), nb::arg("visits"),
             nb::arg("node_tables"), nb::arg("node_visits"));
}
