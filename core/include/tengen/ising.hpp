// Binary pairwise models in Ising form on any sparse graph: p(s) ∝ exp(Σ J_ij s_i s_j + Σ h_i s_i), every s_i = ±1.
// A graph has no fields h and couplings J of its own: they are arguments of inference, so one graph serves all boards
// of a size. Inference is in propagation.hpp, double_loop.hpp, sampling.hpp and elimination.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tengen {

struct IsingGraph {
    struct Edge {
        int first, second;
    };
    // One end of an edge, at the node it belongs to.
    struct Half {
        int neighbour, edge, reverse;  // reverse: the half edge of the neighbour
    };

    int nodes = 0;
    std::vector<Edge> edges;
    std::vector<int> start;  // halves[start[i] … start[i + 1] − 1] belong to node i
    std::vector<Half> halves;
    std::vector<int> outgoing;  // outgoing[2e]: the half of edge e at its first end, outgoing[2e + 1]: at its second

    IsingGraph(int node_count, std::vector<Edge> edge_list) : nodes(node_count), edges(std::move(edge_list)) {
        if (nodes < 0) throw std::invalid_argument("the number of nodes cannot be negative");
        for (const Edge& edge : edges) {
            if (edge.first < 0 || edge.first >= nodes || edge.second < 0 || edge.second >= nodes)
                throw std::invalid_argument("an edge ends at a node that does not exist");
            if (edge.first == edge.second) throw std::invalid_argument("an edge must join two different nodes");
        }
        index_halves();
    }

    int degree(int node) const { return start[at(node) + 1] - start[at(node)]; }

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

private:
    void index_halves() {
        start.assign(at(nodes) + 1, 0);
        for (const Edge& edge : edges) ++start[at(edge.first) + 1], ++start[at(edge.second) + 1];
        for (std::size_t i = 0; i < at(nodes); ++i) start[i + 1] += start[i];
        std::vector<int> next(start.begin(), start.end() - 1);
        halves.resize(2 * edges.size());
        outgoing.resize(2 * edges.size());
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const int near = next[at(edges[e].first)]++, far = next[at(edges[e].second)]++;
            halves[at(near)] = {edges[e].second, static_cast<int>(e), far};
            halves[at(far)] = {edges[e].first, static_cast<int>(e), near};
            outgoing[2 * e] = near;
            outgoing[2 * e + 1] = far;
        }
    }
};

// The parameters of one model: a field for every node, a coupling for every edge.
struct IsingNumbers {
    const double* fields;
    const double* couplings;
};

// ln 2 cosh x without overflow.
inline double log_two_cosh(double x) { return std::abs(x) + std::log1p(std::exp(-2 * std::abs(x))); }

// How an iteration ended.
struct Convergence {
    int sweeps;
    bool reached;
};

}  // namespace tengen
