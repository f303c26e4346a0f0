// The augmented common fate graph: chains, regions of influence, and chains related by connecting shapes (Low §2.1).
//
// Reading guide: read() merges stones into chains and connected empty points of one sign of influence into regions;
// every other empty point is a node of its own. Nodes are joined by an edge if they are adjacent, and two chains of one
// colour also if some of their stones form a shape that connects them. look_diagonally() and look_ahead() are the table
// of these shapes. Low names only the bamboo joint; the others are the common connections of Go books. A pair of chains
// gets the first relation that holds, in the order of Relation. label() is what the weights of models are shared by.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "graph.hpp"
#include "influence.hpp"
#include "shape.hpp"

namespace tengen {

// How two nodes are joined, the first one that holds. Relations of shape exist only between two chains of one colour,
// which are never adjacent.
enum Relation : int { ADJACENT, BAMBOO, KOSUMI, HANGING, ONE_SPACE, KEIMA, EDGE };

class AugmentedGraph {
public:
    static constexpr int LABELS = 3 * 6 * 5 * 7, SIDED_LABELS = 5 * 6 * 5 * 7;

    struct Node {
        int type;  // 1 Black's stones, −1 White's stones, 0 empty
        int side;  // the colour of stones, the sign of influence of empty points
        int size, liberties, eyes;

        // Type, eyes, size and liberties as one number; with sides, regions of influence have types of their own.
        int label(bool sides) const {
            const int empty = !sides || side == 0 ? 2 : side > 0 ? 3 : 4;
            const int code = type == 0 ? empty : type > 0 ? 0 : 1;
            return ((code * 6 + std::min(eyes, 5)) * 5 + std::min(size, 5) - 1) * 7 + std::min(liberties, 6);
        }
    };
    struct Edge {
        int first, second;    // first < second
        int relation, pairs;  // pairs of adjacent points; 0 unless ADJACENT

        std::tuple<int, int, int> order() const { return {first, second, relation}; }
    };

    AugmentedGraph(int width, int height)
        : width_(width), height_(height), stride_(width + 2), influence_(width, height), graph_(width, height) {
        colours_.fill(OUTSIDE);
        sides_.resize(static_cast<std::size_t>(width * height));
    }

    // Reads stones row by row: 1 Black, −1 White, 0 empty. One graph can read many boards, reusing its memory.
    void read(const std::int8_t* stones) {
        influence_.spread(stones);
        auto side = sides_.begin();
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) {
                const int value = influence_.at(r, c);
                *side++ = static_cast<std::int8_t>((value > 0) - (value < 0));
            }
        graph_.read(stones, sides_.data());
        nodes.clear();
        for (const BoardGraph::Node& node : graph_.nodes)
            nodes.push_back({node.kind == STONE ? node.colour : 0, node.colour, node.size, node.liberties, node.eyes});
        find_relations(stones);
        join_edges();
    }

    int influence(int row, int column) const { return influence_.at(row, column); }
    const std::vector<int>& node_of() const { return graph_.node_of; }  // row by row
    std::vector<Node> nodes;                                            // numbered by their first points, row by row
    std::vector<Edge> edges;                                            // in the order of their nodes

private:
    static constexpr std::int8_t OUTSIDE = 2;

    const int width_, height_, stride_;
    Influence<std::int8_t> influence_;
    BoardGraph graph_;
    std::vector<std::int8_t> sides_;
    // Stones with two points off the board on every side, as shapes reach two points far, and the nodes of the points.
    std::array<std::int8_t, (MAX_SIDE + 4) * (MAX_SIDE + 2) + 2> colours_;
    std::array<int, (MAX_SIDE + 4) * (MAX_SIDE + 2) + 2> node_at_{};
    std::vector<Edge> relations_;

    int place(int row, int column) const { return (row + 2) * stride_ + column + 2; }
    int colour(int place) const { return colours_[static_cast<std::size_t>(place)]; }
    int node(int place) const { return node_at_[static_cast<std::size_t>(place)]; }

    // The board seen from a stone: (1, 0) is one step ahead, (0, 1) one step aside.
    struct View {
        const AugmentedGraph& graph;
        int stone, ahead, aside, own;

        int at(int i, int j) const { return graph.colour(stone + i * ahead + j * aside); }
        bool mine(int i, int j) const { return at(i, j) == own; }
        bool enemy(int i, int j) const { return at(i, j) == -own; }
        bool empty(int i, int j) const { return at(i, j) == 0; }
    };

    void find_relations(const std::int8_t* stones) {
        auto node_number = graph_.node_of.begin();
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) {
                const auto here = static_cast<std::size_t>(place(r, c));
                colours_[here] = *stones++, node_at_[here] = *node_number++;
            }
        relations_.clear();
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) {
                const int stone = place(r, c), own = colour(stone);
                if (own == 0) continue;
                for (int aside : {1, -1}) {
                    look_diagonally({*this, stone, stride_, aside, own});
                    look_ahead({*this, stone, stride_, aside, own});
                    look_ahead({*this, stone, 1, aside * stride_, own});
                }
            }
    }

    // Only views to the right and down are needed, as every shape has two ends.
    void look_diagonally(const View& v) {
        if (!v.mine(1, 1)) return;
        if (v.empty(1, 0) && v.empty(0, 1)) relate(v, 1, 1, KOSUMI);
        else if ((v.empty(1, 0) && (v.enemy(0, 1) || v.mine(2, 0) || v.mine(1, -1))) ||
                 (v.empty(0, 1) && (v.enemy(1, 0) || v.mine(0, 2) || v.mine(-1, 1))))
            relate(v, 1, 1, HANGING);
    }

    void look_ahead(const View& v) {
        if (v.mine(2, 0)) {
            if (v.empty(1, 0)) {
                if (v.mine(0, 1) && v.empty(1, 1) && v.mine(2, 1)) relate(v, 2, 0, BAMBOO);
                else if (v.mine(1, 1)) relate(v, 2, 0, HANGING);
                else if (!(v.enemy(1, 1) && v.enemy(1, -1))) relate(v, 2, 0, ONE_SPACE);
            }
            const bool second_line = v.at(0, 1) != OUTSIDE && v.at(0, 2) == OUTSIDE;
            if (second_line && !v.enemy(0, 1) && !v.enemy(1, 1) && !v.enemy(2, 1)) relate(v, 2, 0, EDGE);
        }
        if (v.mine(2, 1) && v.empty(1, 0) && v.empty(1, 1)) relate(v, 2, 1, KEIMA);
    }

    // Relates the chains of the stone and of another point, if they are two.
    void relate(const View& v, int i, int j, Relation relation) {
        const auto [first, second] = std::minmax({node(v.stone), node(v.stone + i * v.ahead + j * v.aside)});
        if (first != second) relations_.push_back({first, second, relation, 0});
    }

    // Merges the edges of adjacency, which are in order, with the best relation of every pair.
    void join_edges() {
        const auto before = [](const Edge& a, const Edge& b) { return a.order() < b.order(); };
        const auto same = [](const Edge& a, const Edge& b) { return a.first == b.first && a.second == b.second; };
        std::sort(relations_.begin(), relations_.end(), before);
        relations_.erase(std::unique(relations_.begin(), relations_.end(), same), relations_.end());
        edges.clear();
        auto relation = relations_.begin();
        for (const BoardGraph::Edge& edge : graph_.edges) {
            const Edge next{edge.first, edge.second, ADJACENT, edge.pairs};
            while (relation != relations_.end() && before(*relation, next)) edges.push_back(*relation++);
            edges.push_back(next);
        }
        edges.insert(edges.end(), relation, relations_.end());
    }
};

}  // namespace tengen
