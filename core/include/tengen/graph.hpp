// A board as a graph of chains and empty regions: common fate graph, block graph and group graph (Kamenetsky et al.
// §2–§3).
//
// Reading guide: BoardGraph gives every point a kind and a colour, merges equal neighbours into nodes, and counts. An
// empty point is Black's surround if the nearest black stone is nearer than the nearest white one, in steps along the
// lines regardless of stones between; White's in the opposite case; neutral if both are equally near. group() then
// merges every chain with the adjacent surrounds of its colour. All these graphs are the grid with connected sets of
// points merged, and therefore planar.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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

    // Stones row by row: 1 Black, −1 White, 0 empty.
    BoardGraph(std::vector<std::int8_t> stones, int width, int height, Division division)
        : stones_(std::move(stones)), width_(width), height_(height) {
        find_neighbours();
        std::vector<int> likeness = classify(division);
        const bool apart = division == Division::SINGLE || division == Division::POINTS;
        number_nodes(
            [&](int p, int q) { return likeness[at(p)] == likeness[at(q)] && !(apart && stones_[at(p)] == 0); });
        count();
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

    const std::vector<std::int8_t> stones_;
    const int width_, height_;
    std::vector<std::array<int, 4>> near_;  // neighbours of every point, then −1
    std::vector<std::int8_t> kind_, colour_;

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

    // Steps along the lines to the nearest stone of a colour.
    std::vector<int> distances(std::int8_t colour) const {
        std::vector<int> steps(at(points()), FAR), queue;
        for (int p = 0; p < points(); ++p)
            if (stones_[at(p)] == colour) steps[at(p)] = 0, queue.push_back(p);
        for (std::size_t i = 0; i < queue.size(); ++i)
            each_neighbour(queue[i], [&](int q) {
                if (steps[at(q)] == FAR) steps[at(q)] = steps[at(queue[i])] + 1, queue.push_back(q);
            });
        return steps;
    }

    // Sets kinds and colours; neighbours with equal returned numbers belong to one node.
    std::vector<int> classify(Division division) {
        const std::vector<int> black = distances(1), white = distances(-1);
        kind_.assign(at(points()), STONE);
        colour_ = stones_;
        std::vector<int> likeness(at(points()));
        for (int p = 0; p < points(); ++p) {
            if (stones_[at(p)] == 0) {
                const int b = black[at(p)], w = white[at(p)];
                const int side = division == Division::SINGLE || b == w ? 0 : b < w ? 1 : -1;
                kind_[at(p)] = side == 0 ? NEUTRAL : SURROUND;
                colour_[at(p)] = static_cast<std::int8_t>(side);
            }
            const bool touches = division == Division::LIBERTIES && std::min(black[at(p)], white[at(p)]) == 1;
            likeness[at(p)] = 6 * kind_[at(p)] + 2 * (colour_[at(p)] + 1) + touches;
        }
        return likeness;
    }

    template <class Joined>
    void number_nodes(Joined joined) {
        node_of.assign(at(points()), -1);
        nodes.clear();
        std::vector<int> queue;
        for (int start = 0; start < points(); ++start) {
            if (node_of[at(start)] >= 0) continue;
            const int node = static_cast<int>(nodes.size());
            nodes.push_back({});
            node_of[at(start)] = node;
            queue.assign(1, start);
            while (!queue.empty()) {
                const int p = queue.back();
                queue.pop_back();
                each_neighbour(p, [&](int q) {
                    if (node_of[at(q)] < 0 && joined(p, q)) node_of[at(q)] = node, queue.push_back(q);
                });
            }
        }
    }

    void count() {
        for (Node& node : nodes) node.kind = NEUTRAL;
        std::vector<Contact> contacts;
        for (int p = 0; p < points(); ++p) {
            Node& node = nodes[at(node_of[at(p)])];
            node.kind = std::min(node.kind, kind_[at(p)]);
            node.colour = colour_[at(p)];
            ++node.size;
            ++node.shape[at(add_contacts(p, contacts))];
            if (stones_[at(p)] == 0) count_liberty(p);
        }
        join_contacts(contacts);
    }

    // A point of one node with a number of neighbours in another.
    struct Contact {
        int from, to, neighbours;
        std::pair<int, int> edge() const { return {std::min(from, to), std::max(from, to)}; }
    };

    // Adds a contact for every other node the point touches; returns the number of neighbours in its own node.
    int add_contacts(int p, std::vector<Contact>& contacts) const {
        const int own = node_of[at(p)];
        const std::size_t first = contacts.size();
        int inside = 0;
        each_neighbour(p, [&](int q) {
            const int other = node_of[at(q)];
            if (other == own) {
                ++inside;
                return;
            }
            const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
            const auto known = std::find_if(begin, contacts.end(), [&](const Contact& c) { return c.to == other; });
            if (known == contacts.end()) contacts.push_back({own, other, 1});
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

    void join_contacts(std::vector<Contact>& contacts) {
        std::sort(contacts.begin(), contacts.end(),
                  [](const Contact& a, const Contact& b) { return a.edge() < b.edge(); });
        edges.clear();
        for (const Contact& contact : contacts) {
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
