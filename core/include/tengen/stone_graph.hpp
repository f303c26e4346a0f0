// A board seen from a candidate move: the augmented stone graph (van Niekerk & Kroon §3.2, Appendix A).
//
// Reading guide: set() makes the graph of a board for one player; look_from() makes an empty point node 0, the centre.
// The other nodes are the stones row by row and then the four sides: top, left, right, bottom. Every two nodes have a
// Manhattan distance; a side is 0 away from its first line. nearest() finds the next node of a descent by the
// conditions of Appendix A, or several if these cannot tell them apart. With GraphNodes::chains the nodes are chains
// instead of stones, as in the common fate graph, and distances are those of their nearest stones.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "board.hpp"

namespace tengen {

enum class GraphNodes : std::uint8_t { stones, chains };

// "Black" in the paper's queries is the player to move.
enum Status : std::uint8_t { OWN, OPPONENT, SIDE };
inline constexpr int STATUSES = 3, EVERY_STATUS = 7;  // sets of statuses have the bits 1 << status

inline constexpr int MOST = 100;      // sizes and liberties are counted up to here; also the distance of "none"
inline constexpr int MAX_FOUND = 12;  // nodes that a descent discovers, at most
inline constexpr int MAX_NODES = 1 + MAX_SIDE * MAX_SIDE + 4;

struct GraphNode {
    Status status;
    std::uint8_t size, liberties;  // of its chain; 0 for a side
    Point point;                   // the stone, or the first one of the chain; NO_POINT for a side
};

// The nodes that a descent has discovered: the centre and up to MAX_FOUND others, oldest first.
struct Discovered {
    std::array<std::uint16_t, MAX_FOUND + 1> nodes{};
    int found = 0;

    std::uint16_t operator[](int i) const { return nodes[static_cast<std::size_t>(i)]; }
    void add(std::uint16_t node) { nodes[static_cast<std::size_t>(++found)] = node; }
    bool contains(std::uint16_t node) const {
        for (int i = 1; i <= found; ++i)
            if ((*this)[i] == node) return true;
        return false;
    }
};

// Nodes that the conditions of Appendix A cannot tell apart, in the order of their numbers.
struct Choice {
    Status status{};
    int count = 0;
    std::array<std::uint16_t, MAX_NODES> nodes;

    // Keeps the nodes of the least cost.
    template <class Cost>
    void keep_least(Cost cost) {
        if (count < 2) return;
        int least = cost(nodes[0]), kept = 0;
        for (int i = 0; i < count; ++i) {
            const std::uint16_t node = nodes[static_cast<std::size_t>(i)];
            const int value = cost(node);
            if (value > least) continue;
            if (value < least) least = value, kept = 0;
            nodes[static_cast<std::size_t>(kept++)] = node;
        }
        count = kept;
    }
};

template <class Shape>
class StoneGraph {
public:
    explicit StoneGraph(GraphNodes kind) : kind_(kind) {}

    void set(const Board<Shape>& board, Colour mover) {
        find_nodes(board, mover);
        find_distances();
    }

    // Makes the point node 0.
    void look_from(Point p) {
        nodes_[0].point = p;
        std::uint8_t* row = distances_.data();
        std::fill(row, row + size(), FAR);
        const int r = Shape::row(p), c = Shape::column(p);
        for (const Stone& stone : stones_)
            row[stone.node] = std::min(row[stone.node], byte(std::abs(stone.row - r) + std::abs(stone.column - c)));
        for (int side = 0; side < 4; ++side) row[first_side() + side] = line(side, r, c);
        sort_by_distance();
    }

    int size() const { return static_cast<int>(nodes_.size()); }
    const GraphNode& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
    // Of two nodes; y is not the centre unless x is.
    int distance(int x, int y) const { return distances_[static_cast<std::size_t>(x * size() + y)]; }

    // The distance from the centre to the nearest undiscovered node of a status; MOST if there is none.
    int nearest_distance(Status status, const Discovered& discovered) const {
        const std::uint16_t* node = first_undiscovered(status, discovered);
        return node == end(status) ? MOST : distance(0, *node);
    }

    // Finds the undiscovered nodes of the statuses within the distance that Appendix A prefers; count 0 if there is
    // none.
    void nearest(int statuses, int limit, const Discovered& discovered, Choice& choice) const {
        choice.count = 0;
        const std::uint16_t* first = nullptr;
        for (int s = 0; s < STATUSES; ++s) {
            if ((statuses >> s & 1) == 0) continue;
            const Status status = static_cast<Status>(s);
            const std::uint16_t* node = first_undiscovered(status, discovered);
            if (node == end(status) || distance(0, *node) > limit) continue;
            limit = distance(0, *node) - 1;  // a later status must be nearer
            first = node, choice.status = status;
        }
        if (first == nullptr) return;
        const int near = distance(0, *first);
        for (; first != end(choice.status) && distance(0, *first) == near; ++first)
            if (!discovered.contains(*first)) choice.nodes[static_cast<std::size_t>(choice.count++)] = *first;
        for (int i = discovered.found; i >= 1; --i)
            choice.keep_least([&](int node) { return distance(discovered[i], node); });
        choice.keep_least([&](int i) { return -node(i).size; });
        choice.keep_least([&](int i) { return -node(i).liberties; });
    }

private:
    struct Stone {
        std::int16_t row, column;
        std::uint16_t node;
    };
    static constexpr std::uint8_t FAR = 255;
    static constexpr int DISTANCES = 2 * MAX_SIDE;  // more than any distance

    GraphNodes kind_;
    int width_ = 0, height_ = 0;
    std::vector<GraphNode> nodes_;
    std::vector<Stone> stones_;
    std::vector<std::uint8_t> distances_;  // [x, y]
    std::vector<std::uint16_t> order_;     // nodes by status and distance from the centre
    std::array<int, STATUSES + 1> starts_{};

    static std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }
    static std::uint8_t counted(int value) { return byte(std::min(value, MOST)); }
    int first_side() const { return size() - 4; }

    void find_nodes(const Board<Shape>& board, Colour mover) {
        width_ = board.width(), height_ = board.height();
        nodes_.assign(1, GraphNode{SIDE, 0, 0, NO_POINT});
        stones_.clear();
        std::array<std::uint16_t, static_cast<std::size_t>(Shape::area)> known{};  // by head
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c) {
                const Point p = Shape::point(r, c), head = board.chain(p);
                if (head == NO_POINT) continue;
                std::uint16_t& first = known[head];
                if (first == 0 || kind_ == GraphNodes::stones) {
                    GraphNode node = first == 0 ? described(board, head, mover) : nodes_[first];
                    node.point = p;
                    if (first == 0) first = static_cast<std::uint16_t>(nodes_.size());
                    nodes_.push_back(node);
                }
                const std::size_t node = kind_ == GraphNodes::stones ? nodes_.size() - 1 : first;
                stones_.push_back(
                    {static_cast<std::int16_t>(r), static_cast<std::int16_t>(c), static_cast<std::uint16_t>(node)});
            }
        nodes_.insert(nodes_.end(), 4, GraphNode{SIDE, 0, 0, NO_POINT});
    }

    // The attributes of a chain. Its liberties are pseudo-liberties, pairs of a stone and an empty neighbour, but 1 in
    // atari (the paper's footnote 2).
    static GraphNode described(const Board<Shape>& board, Point head, Colour mover) {
        int pairs = 0;
        Point stone = head;
        do {
            for (Point n : Shape::neighbours(stone)) pairs += board.colour(n) == EMPTY;
            stone = board.next(stone);
        } while (stone != head);
        const int liberties = board.liberty_count(head) == 1 ? 1 : pairs;
        return {board.colour(head) == mover ? OWN : OPPONENT, counted(board.stone_count(head)), counted(liberties), 0};
    }

    std::uint8_t line(int side, int r, int c) const {
        return byte(side == 0 ? r : side == 1 ? c : side == 2 ? width_ - 1 - c : height_ - 1 - r);
    }

    void find_distances() {
        const auto count = static_cast<std::size_t>(size());
        distances_.assign(count * count, FAR);
        for (std::size_t i = 0; i < stones_.size(); ++i) {
            const Stone& one = stones_[i];
            std::uint8_t* row = distances_.data() + one.node * count;
            for (const Stone& other : stones_)
                row[other.node] = std::min(row[other.node],
                                           byte(std::abs(one.row - other.row) + std::abs(one.column - other.column)));
            for (int side = 0; side < 4; ++side) {
                const auto there = static_cast<std::size_t>(first_side() + side);
                row[there] = std::min(row[there], line(side, one.row, one.column));
                distances_[there * count + one.node] = row[there];
            }
        }
        // Opposite sides are a board apart, neighbouring ones meet in a corner.
        for (int one = 0; one < 4; ++one)
            for (int other = 0; other < 4; ++other)
                distances_[static_cast<std::size_t>(first_side() + one) * count +
                           static_cast<std::size_t>(first_side() + other)] = byte(one + other != 3       ? 0
                                                                                  : one == 0 || one == 3 ? height_
                                                                                                         : width_);
    }

    // A counting sort, so that nodes of one status and distance stay in the order of their numbers.
    void sort_by_distance() {
        std::array<std::uint16_t, static_cast<std::size_t>(STATUSES * DISTANCES + 1)> places{};
        auto key = [&](int i) { return static_cast<std::size_t>(node(i).status * DISTANCES + distance(0, i)); };
        for (int i = 1; i < size(); ++i) ++places[key(i) + 1];
        for (std::size_t k = 1; k < places.size(); ++k)
            places[k] = static_cast<std::uint16_t>(places[k] + places[k - 1]);
        for (int s = 0; s <= STATUSES; ++s)
            starts_[static_cast<std::size_t>(s)] = places[static_cast<std::size_t>(s * DISTANCES)];
        order_.resize(nodes_.size());
        for (int i = 1; i < size(); ++i) order_[places[key(i)]++] = static_cast<std::uint16_t>(i);
    }

    const std::uint16_t* end(Status status) const { return order_.data() + starts_[status + std::size_t{1}]; }

    const std::uint16_t* first_undiscovered(Status status, const Discovered& discovered) const {
        const std::uint16_t* node = order_.data() + starts_[status];
        while (node != end(status) && discovered.contains(*node)) ++node;
        return node;
    }
};

}  // namespace tengen
