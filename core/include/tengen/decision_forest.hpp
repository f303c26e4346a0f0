// Decision trees whose queries look at the stone graph of a candidate move (van Niekerk & Kroon §3).
//
// Reading guide: a Query asks about the nodes discovered so far, or discovers another one; descend() follows the
// answers from the root of a tree to a leaf. Nodes that cannot be told apart lead to several leaves: leftmost() gives
// the first of them, the paper's choice, all_leaves() gives all. A tree is stored as its queries in pre-order, which
// needs no links, so a malformed tree can only end too early or ask for nodes that were not discovered. Trees grow in
// forest_growth.hpp.
#pragma once

#include <bit>
#include <optional>
#include <stdexcept>

#include "stone_graph.hpp"

namespace tengen {

// NEW: is there another node of the statuses `x` (a set) within `value` of the centre? Outcomes: each status of the
// set, in the order own, opponent, side, and none.
// DISTANCE of nodes x < y, SIZE and LIBERTIES of node x: is it less than (or, with `equal`, equal to) `value`?
// Outcomes: yes, no. Nodes are numbered in the order of their discovery.
enum QueryKind : std::int8_t { LEAF, NEW, DISTANCE, SIZE, LIBERTIES };

struct Query {
    std::int8_t kind = LEAF, x = 0, y = 0, equal = 0, value = 0;

    int outcomes() const { return kind == LEAF ? 0 : kind == NEW ? std::popcount(static_cast<unsigned>(x)) + 1 : 2; }
    // Whether an outcome of a NEW query adds a node.
    bool discovers(int outcome) const { return kind == NEW && outcome < outcomes() - 1; }

    // Whether the query can be asked when `found` nodes are discovered besides the centre.
    bool valid(int found) const {
        if (kind == LEAF) return x == 0 && y == 0 && equal == 0 && value == 0;
        if (value < 0 || value > MOST || (equal != 0 && equal != 1)) return false;
        if (kind == NEW) return x >= 1 && x <= EVERY_STATUS && y == 0 && equal == 0 && found < MAX_FOUND;
        if (kind == DISTANCE) return x >= 0 && x < y && y <= found;
        return (kind == SIZE || kind == LIBERTIES) && x >= 1 && x <= found && y == 0;
    }

    // What the query compares; for NEW the distance of the nearest undiscovered node, MOST if there is none.
    template <class Graph>
    int quantity(const Graph& graph, const Discovered& discovered) const {
        if (kind == DISTANCE) return graph.distance(discovered[x], discovered[y]);
        const GraphNode& node = graph.node(discovered[x]);
        return kind == SIZE ? node.size : node.liberties;
    }
};

struct TreeNode {
    Query query;
    std::int32_t next = 0;  // the first of its children, which lie side by side; for a leaf its number
};

using Tree = std::vector<TreeNode>;  // the root comes first

// Follows a tree, calling leaf(index, discovered) at the end of each way. If the conditions of Appendix A leave several
// nodes, each of them is a way, up to MAX_WAYS in all: regular boards have thousands.
template <class Graph, class Leaf>
class Descent {
public:
    static constexpr int MAX_WAYS = 64;

    Descent(const Tree& tree, const Graph& graph, Leaf leaf) : tree_(tree), graph_(graph), leaf_(leaf) {
        follow(0, Discovered{});
    }

private:
    const Tree& tree_;
    const Graph& graph_;
    Leaf leaf_;
    int ways_ = 0;

    void follow(std::size_t at, Discovered discovered) {
        while (tree_[at].query.kind != LEAF) {
            const Query query = tree_[at].query;
            int outcome;
            if (query.kind == NEW) {
                Choice choice;
                graph_.nearest(query.x, query.value, discovered, choice);
                const unsigned before = choice.count == 0 ? EVERY_STATUS : (1u << choice.status) - 1;
                outcome = std::popcount(static_cast<unsigned>(query.x) & before);
                if (choice.count > 1) return branch(child(at, outcome), discovered, choice);
                if (choice.count == 1) discovered.add(choice.nodes[0]);
            } else {
                const int quantity = query.quantity(graph_, discovered);
                outcome = (query.equal ? quantity == query.value : quantity < query.value) ? 0 : 1;
            }
            at = child(at, outcome);
        }
        ++ways_;
        leaf_(at, discovered);
    }

    void branch(std::size_t at, const Discovered& discovered, const Choice& choice) {
        for (int i = 0; i < choice.count && ways_ < MAX_WAYS; ++i) {
            Discovered more = discovered;
            more.add(choice.nodes[static_cast<std::size_t>(i)]);
            follow(at, more);
        }
    }

    std::size_t child(std::size_t at, int outcome) const { return static_cast<std::size_t>(tree_[at].next + outcome); }
};

// Several trees over one kind of graph. Leaves of each tree are numbered from 1 in pre-order.
class Forest {
public:
    // Queries of all trees in pre-order, one tree behind the other.
    Forest(const std::vector<Query>& queries, GraphNodes kind) : kind_(kind) {
        for (std::size_t i = 0; i < queries.size();) i = read_tree(queries, i);
    }

    GraphNodes kind() const { return kind_; }
    const std::vector<Tree>& trees() const { return trees_; }
    const std::vector<std::int32_t>& leaf_counts() const { return leaf_counts_; }

    // The left-most leaf of each tree for the graph's centre.
    template <class Graph>
    void leaves(const Graph& graph, std::int32_t* leaves) const {
        for (const Tree& tree : trees_) *leaves++ = leftmost(tree, graph).first;
    }

    // The left-most leaf of a tree and the nodes discovered on the first way to it.
    template <class Graph>
    static std::pair<std::int32_t, Discovered> leftmost(const Tree& tree, const Graph& graph) {
        std::pair<std::int32_t, Discovered> best{};
        Descent(tree, graph, [&](std::size_t leaf, const Discovered& discovered) {
            const std::int32_t number = tree[leaf].next;
            if (best.first == 0 || number < best.first) best = {number, discovered};
        });
        return best;
    }

    // All leaves of a tree that are reached, in their order, each once. Returns the number of ways.
    template <class Graph>
    static std::size_t all_leaves(const Tree& tree, const Graph& graph, std::vector<std::int32_t>& found) {
        found.clear();
        Descent(tree, graph, [&](std::size_t leaf, const Discovered&) { found.push_back(tree[leaf].next); });
        const std::size_t ways = found.size();
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return ways;
    }

private:
    GraphNodes kind_;
    std::vector<Tree> trees_;
    std::vector<std::int32_t> leaf_counts_;

    // Reads a tree that begins at a query; returns where the next one begins.
    std::size_t read_tree(const std::vector<Query>& queries, std::size_t i) {
        struct Place {
            std::size_t at;
            int found;
        };
        Tree tree(1);
        std::int32_t leaves = 0;
        std::vector<Place> open{{0, 0}};  // nodes to be read, the next one last
        for (; !open.empty(); ++i) {
            if (i == queries.size()) throw std::invalid_argument("the last tree is not complete");
            const auto [at, found] = open.back();
            open.pop_back();
            const Query& query = queries[i];
            if (!query.valid(found)) throw std::invalid_argument("query " + std::to_string(i) + " is not valid there");
            const std::size_t first = tree.size();
            tree[at] = {query, query.kind == LEAF ? ++leaves : static_cast<std::int32_t>(first)};
            for (int outcome = query.outcomes(); outcome-- > 0;)
                open.push_back({first + static_cast<std::size_t>(outcome), found + query.discovers(outcome)});
            tree.resize(first + static_cast<std::size_t>(query.outcomes()));
        }
        trees_.push_back(std::move(tree));
        leaf_counts_.push_back(leaves);
        return i;
    }
};

}  // namespace tengen
