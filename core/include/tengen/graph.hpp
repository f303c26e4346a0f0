// A board as a graph of chains and empty regions: common fate graph, block graph and group graph (Kamenetsky et al.
// §2–§3).
//
// Reading guide: read() gives every point a kind and a colour, merges equal neighbours into nodes, and counts. An
// empty point is Black's surround if the nearest black stone is nearer than the nearest white one, in steps along the
// lines regardless of stones between; White's in the opposite case; neutral if both are equally near. group() then
// merges every chain with the adjacent surrounds of its colour. All these graphs are the grid with connected sets of
// points merged, and therefore planar.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace tengen {

enum Kind : std::int8_t { STONE, SURROUND, NEUTRAL };

// How empty points are divided.
enum class Division {
    SINGLE,     // every empty point separate and neutral: the common fate graph
    NEAREST,    // by the nearest stone: the block graph
    LIBERTIES,  // by the nearest stone, liberties separate from points further away
    POINTS,     // by the nearest stone, every empty point separate
};

class BoardGraph {
public:
    struct Node {
        std::int8_t kind, colour;  // colour: 1 Black's, −1 White's, 0 neutral
        int size, liberties, eyes;
        std::array<int, 5> shape;  // number of points with k neighbours in the node
    };
    struct Edge {
        int first, second, pairs;                    // first < second; pairs of neighbouring points
        std::array<int, 4> from_first, from_second;  // number of points with k = 1…4 neighbours in the other node
    };

    BoardGraph(int width, int height) : width_(width), height_(height) { find_neighbours(); }

    // Reads stones row by row: 1 Black, −1 White, 0 empty. One graph can read many boards, reusing its memory.
    void read(const std::int8_t* stones, Division division) {
        start(stones);
        const bool single = division == Division::SINGLE, apart = single || division == Division::POINTS;
        if (!single) find_distances(1, to_black_), find_distances(-1, to_white_);
        for (int p = 0; p < points(); ++p) {
            const int b = single ? 0 : to_black_[at(p)], w = single ? 0 : to_white_[at(p)];
            describe(p, (b < w) - (b > w), apart, division == Division::LIBERTIES && std::min(b, w) == 1);
        }
        merge();
    }

    // The same with empty points divided by given sides, those without a side separate.
    void read(const std::int8_t* stones, const std::int8_t* sides) {
        start(stones);
        for (int p = 0; p < points(); ++p) describe(p, sides[p], sides[p] == 0, false);
        merge();
    }

    // Merges every chain with its own surrounds; the result is a stone node.
    void group() {
        const std::vector<int> block = node_of;
        number_nodes([&](int p, int q) {
            return block[at(p)] == block[at(q)] || (colour_[at(p)] != 0 && colour_[at(p)] == colour_[at(q)]);
        });
        count();
    }

    std::vector<int> node_of;  // the node of every point; nodes are numbered by their first points
    std::vector<Node> nodes;
    std::vector<Edge> edges;  // in the order of their nodes

private:
    static constexpr int FAR = std::numeric_limits<int>::max();

    // A point of one node with a number of neighbours in another.
    struct Contact {
        int from, to, neighbours;
        std::pair<int, int> edge() const { return {std::min(from, to), std::max(from, to)}; }
    };

    const int width_, height_;
    std::vector<std::array<int, 4>> near_;  // neighbours of every point, then −1
    std::vector<std::int8_t> stones_, kind_, colour_;
    std::vector<int> likeness_;  // neighbours with equal numbers belong to one node
    std::vector<int> to_black_, to_white_, queue_, places_;
    std::vector<Contact> contacts_, sorted_;

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    int points() const { return width_ * height_; }

    void find_neighbours() {
        near_.assign(at(points()), {-1, -1, -1, -1});
        for (int p = 0; p < points(); ++p) {
            auto next = near_[at(p)].begin();
            if (p >= width_) *next++ = p - width_;
            if (p % width_ > 0) *next++ = p - 1;
            if (p % width_ < width_ - 1) *next++ = p + 1;
            if (p < points() - width_) *next++ = p + width_;
        }
    }

    template <class Visit>
    void each_neighbour(int p, Visit visit) const {
        for (int q : near_[at(p)]) {
            if (q < 0) return;
            visit(q);
        }
    }

    void start(const std::int8_t* stones) {
        stones_.assign(stones, stones + points());
        kind_.assign(at(points()), STONE);
        colour_ = stones_;
        likeness_.assign(stones_.begin(), stones_.end());
    }

    // Steps along the lines to the nearest stone of a colour.
    void find_distances(std::int8_t colour, std::vector<int>& steps) {
        steps.assign(at(points()), FAR);
        queue_.clear();
        for (int p = 0; p < points(); ++p)
            if (stones_[at(p)] == colour) steps[at(p)] = 0, queue_.push_back(p);
        for (std::size_t i = 0; i < queue_.size(); ++i)
            each_neighbour(queue_[i], [&](int q) {
                if (steps[at(q)] == FAR) steps[at(q)] = steps[at(queue_[i])] + 1, queue_.push_back(q);
            });
    }

    // Sets the kind and colour of an empty point.
    void describe(int p, int side, bool apart, bool touches) {
        if (stones_[at(p)] != 0) return;
        kind_[at(p)] = side == 0 ? NEUTRAL : SURROUND;
        colour_[at(p)] = static_cast<std::int8_t>(side);
        likeness_[at(p)] = apart ? 9 + p : 3 + 2 * (side + 1) + touches;
    }

    void merge() {
        number_nodes([&](int p, int q) { return likeness_[at(p)] == likeness_[at(q)]; });
        count();
    }

    template <class Joined>
    void number_nodes(Joined joined) {
        node_of.assign(at(points()), -1);
        nodes.clear();
        for (int first = 0; first < points(); ++first) {
            if (node_of[at(first)] >= 0) continue;
            const int node = static_cast<int>(nodes.size());
            nodes.push_back({});
            node_of[at(first)] = node;
            queue_.assign(1, first);
            while (!queue_.empty()) {
                const int p = queue_.back();
                queue_.pop_back();
                each_neighbour(p, [&](int q) {
                    if (node_of[at(q)] < 0 && joined(p, q)) node_of[at(q)] = node, queue_.push_back(q);
                });
            }
        }
    }

    void count() {
        for (Node& node : nodes) node.kind = NEUTRAL;
        contacts_.clear();
        for (int p = 0; p < points(); ++p) {
            Node& node = nodes[at(node_of[at(p)])];
            node.kind = std::min(node.kind, kind_[at(p)]);
            node.colour = colour_[at(p)];
            ++node.size;
            ++node.shape[at(add_contacts(p))];
            if (stones_[at(p)] == 0) count_liberty(p);
        }
        join_contacts();
    }

    // Adds a contact for every other node the point touches; returns the number of neighbours in its own node.
    int add_contacts(int p) {
        const int own = node_of[at(p)];
        const std::size_t first = contacts_.size();
        int inside = 0;
        each_neighbour(p, [&](int q) {
            const int other = node_of[at(q)];
            if (other == own) {
                ++inside;
                return;
            }
            const auto begin = contacts_.begin() + static_cast<std::ptrdiff_t>(first);
            const auto known = std::find_if(begin, contacts_.end(), [&](const Contact& c) { return c.to == other; });
            if (known == contacts_.end()) contacts_.push_back({own, other, 1});
            else ++known->neighbours;
        });
        return inside;
    }

    // An empty point is a liberty of every other node it touches, and an eye if all its neighbours are stones of one
    // colour.
    void count_liberty(int p) {
        const std::int8_t side = stones_[at(near_[at(p)][0])];
        bool eye = side != 0;
        each_neighbour(p, [&](int q) { eye = eye && stones_[at(q)] == side; });
        std::array<int, 5> seen{node_of[at(p)]};
        auto end = seen.begin() + 1;
        nodes[at(seen[0])].eyes += eye;
        each_neighbour(p, [&](int q) {
            const int other = node_of[at(q)];
            if (std::find(seen.begin(), end, other) != end) return;
            *end++ = other;
            ++nodes[at(other)].liberties;
            nodes[at(other)].eyes += eye;
        });
    }

    // Sorts contacts by the number of a node; contacts with equal numbers keep their order. Faster than std::sort().
    template <class NodeOf>
    void sort_contacts(NodeOf node) {
        places_.assign(nodes.size() + 1, 0);
        for (const Contact& contact : contacts_) ++places_[at(node(contact)) + 1];
        std::partial_sum(places_.begin(), places_.end(), places_.begin());
        sorted_.resize(contacts_.size());
        for (const Contact& contact : contacts_) sorted_[at(places_[at(node(contact))]++)] = contact;
        contacts_.swap(sorted_);
    }

    void join_contacts() {
        sort_contacts([](const Contact& contact) { return contact.edge().second; });
        sort_contacts([](const Contact& contact) { return contact.edge().first; });
        edges.clear();
        for (const Contact& contact : contacts_) {
            const auto [first, second] = contact.edge();
            if (edges.empty() || edges.back().first != first || edges.back().second != second)
                edges.push_back({first, second, 0, {}, {}});
            Edge& edge = edges.back();
            ++(contact.from == first ? edge.from_first : edge.from_second)[at(contact.neighbours - 1)];
            if (contact.from == first) edge.pairs += contact.neighbours;
        }
    }
};

}  // namespace tengen
