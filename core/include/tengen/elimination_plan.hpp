// The order in which to sum out the variables of a graph, and the resulting tables (bucket elimination, Dechter 1999).
//
// Summing out a node connects its remaining neighbours. The node with those neighbours is its bucket; the sum is a
// message to the bucket of the neighbour that is eliminated next. On a grid in row order this is the frontier method:
// every table spans one row and one point. Start reading at plan_elimination.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>

#include "interrupt.hpp"
#include "ising.hpp"

namespace tengen {

struct Bucket {
    struct Link {
        int edge, bit;
    };
    struct Child {
        int bucket;
        std::uint32_t mask;  // the bits of this bucket's index that form the index of the child's message
    };

    int variable = 0;
    std::vector<int>
        scope;  // the variable, then its neighbours in elimination order; bit b of an index is set if scope[b] is −1
    std::vector<Link> links;  // edges from the variable to scope[bit]
    std::vector<Child> children;

    int bits() const { return static_cast<int>(scope.size()); }
};

struct EliminationPlan {
    std::vector<Bucket> buckets;  // in elimination order
    int width = 0;                // the largest number of variables in a bucket
    double entries = 0;           // total number of entries of all messages
};

namespace elimination {

constexpr int MOST_VARIABLES = 22;  // per bucket: tables of four million entries

// The neighbours of each remaining node, as rows of bits.
class Neighbours {
public:
    explicit Neighbours(const IsingGraph& graph)
        : words_((IsingGraph::at(graph.nodes) + 63) / 64), rows_(IsingGraph::at(graph.nodes) * words_) {
        for (const auto& edge : graph.edges) set(edge.first, edge.second), set(edge.second, edge.first);
    }

    std::vector<int> of(int node) const { return listed(row(node)); }

    // The nodes and their neighbours.
    std::vector<int> around(const std::vector<int>& nodes) const {
        std::vector<std::uint64_t> found(words_);
        for (int node : nodes) {
            found[IsingGraph::at(node) / 64] |= std::uint64_t{1} << (node % 64);
            for (std::size_t w = 0; w < words_; ++w) found[w] |= row(node)[w];
        }
        return listed(found.data());
    }

    // Twice the number of pairs of neighbours that removing the node would connect, plus the number of neighbours.
    int fill(int node) const {
        int missing = 0;
        each(row(node), [&](int near) {
            for (std::size_t w = 0; w < words_; ++w) missing += std::popcount(row(node)[w] & ~row(near)[w]);
        });
        return missing;
    }

    std::size_t words() const { return words_; }

    // Connects the neighbours and removes the node; returns those neighbours.
    std::vector<int> remove(int node) {
        const std::vector<int> near = of(node);
        for (int one : near) {
            for (std::size_t w = 0; w < words_; ++w) row(one)[w] |= row(node)[w];
            clear(one, one), clear(one, node);
        }
        for (int one : near) clear(node, one);
        return near;
    }

private:
    template <class Task>
    void each(const std::uint64_t* bits, Task task) const {
        for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t rest = bits[w]; rest; rest &= rest - 1)
                task(static_cast<int>(w * 64) + std::countr_zero(rest));
    }
    std::vector<int> listed(const std::uint64_t* bits) const {
        std::vector<int> found;
        each(bits, [&](int node) { found.push_back(node); });
        return found;
    }
    std::uint64_t* row(int node) { return rows_.data() + IsingGraph::at(node) * words_; }
    const std::uint64_t* row(int node) const { return rows_.data() + IsingGraph::at(node) * words_; }
    void set(int node, int other) { row(node)[other / 64] |= std::uint64_t{1} << (other % 64); }
    void clear(int node, int other) { row(node)[other / 64] &= ~(std::uint64_t{1} << (other % 64)); }

    std::size_t words_;
    std::vector<std::uint64_t> rows_;
};

// Eliminates the node that connects the fewest pairs first, and the lowest number among equals. None if a bucket gets
// too large.
inline std::optional<std::vector<int>> min_fill_order(const IsingGraph& graph, Interrupt& interrupt) {
    Neighbours left(graph);
    std::vector<int> order, cost(IsingGraph::at(graph.nodes)), waiting(IsingGraph::at(graph.nodes));
    std::iota(waiting.begin(), waiting.end(), 0);
    const auto fill = [&](int node) {
        interrupt.work(left.words() * IsingGraph::at(graph.degree(node) + 1));
        return left.fill(node);
    };
    for (int node : waiting) cost[IsingGraph::at(node)] = fill(node);
    while (!waiting.empty()) {
        const auto cheaper = [&](int a, int b) { return cost[IsingGraph::at(a)] < cost[IsingGraph::at(b)]; };
        const auto chosen = std::min_element(waiting.begin(), waiting.end(), cheaper);
        const int node = *chosen;
        order.push_back(node);
        waiting.erase(chosen);
        const std::vector<int> joined = left.remove(node);
        if (joined.size() >= IsingGraph::at(MOST_VARIABLES)) return {};
        for (int near : left.around(joined)) cost[IsingGraph::at(near)] = fill(near);
    }
    return order;
}

inline void add_links(const IsingGraph& graph, const std::vector<int>& place, Bucket& bucket) {
    const auto variable = IsingGraph::at(bucket.variable);
    for (auto k = IsingGraph::at(graph.start[variable]); k < IsingGraph::at(graph.start[variable + 1]); ++k) {
        const auto& half = graph.halves[k];
        if (place[IsingGraph::at(half.neighbour)] < place[variable]) continue;
        const auto found = std::find(bucket.scope.begin(), bucket.scope.end(), half.neighbour);
        bucket.links.push_back({half.edge, static_cast<int>(found - bucket.scope.begin())});
    }
}

// Registers a message with the bucket of its first remaining variable.
inline void send_message(std::vector<Bucket>& buckets, const std::vector<int>& place, int sender) {
    const std::vector<int>& scope = buckets[IsingGraph::at(sender)].scope;
    if (scope.size() < 2) return;
    Bucket& home = buckets[IsingGraph::at(place[IsingGraph::at(scope[1])])];
    std::uint32_t mask = 0;
    for (std::size_t bit = 0, next = 1; bit < home.scope.size() && next < scope.size(); ++bit)
        if (home.scope[bit] == scope[next]) mask |= std::uint32_t{1} << bit, ++next;
    home.children.push_back({sender, mask});
}

// None if a bucket gets too large.
inline std::optional<EliminationPlan> planned(const IsingGraph& graph, const std::vector<int>& order,
                                              Interrupt& interrupt) {
    EliminationPlan plan;
    std::vector<int> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[IsingGraph::at(order[i])] = static_cast<int>(i);
    const auto sooner = [&](int a, int b) { return place[IsingGraph::at(a)] < place[IsingGraph::at(b)]; };
    Neighbours left(graph);
    for (int variable : order) {
        Bucket bucket{variable, left.remove(variable), {}, {}};
        std::sort(bucket.scope.begin(), bucket.scope.end(), sooner);
        bucket.scope.insert(bucket.scope.begin(), variable);
        if (bucket.bits() > MOST_VARIABLES) return {};
        interrupt.work(left.words() * bucket.scope.size());
        plan.width = std::max(plan.width, bucket.bits());
        plan.entries += std::ldexp(1, bucket.bits() - 1);
        plan.buckets.push_back(std::move(bucket));
    }
    for (Bucket& bucket : plan.buckets) add_links(graph, place, bucket);
    for (std::size_t i = 0; i < order.size(); ++i) send_message(plan.buckets, place, static_cast<int>(i));
    return plan;
}

}  // namespace elimination

// The better of the nodes' own order and min-fill; throws if both need tables that are too large.
inline EliminationPlan plan_elimination(const IsingGraph& graph, Interrupt& interrupt) {
    std::vector<int> natural(IsingGraph::at(graph.nodes));
    std::iota(natural.begin(), natural.end(), 0);
    std::optional<EliminationPlan> plan = elimination::planned(graph, natural, interrupt);
    if (const auto order = elimination::min_fill_order(graph, interrupt)) {
        std::optional<EliminationPlan> other = elimination::planned(graph, *order, interrupt);
        if (other && (!plan || other->entries < plan->entries)) plan = std::move(other);
    }
    if (!plan)
        throw std::invalid_argument("this graph is too dense for exact inference: a table would span more than " +
                                    std::to_string(elimination::MOST_VARIABLES) + " nodes; use bp or sampling");
    return *std::move(plan);
}

}  // namespace tengen
