// A board as the message network reads it: the augmented common fate graph, with the rows of tables that its nodes and
// points look up.
//
// Reading guide: FateBoard::read(). RingClasses numbers the eight points around a point up to rotation and reflection.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "augmented_graph.hpp"

namespace tengen {

// Classes of the eight points around a point up to rotation and reflection, by their code: two bits for each, clockwise
// from a corner; 0 empty, 1 Black, 2 White, 3 off the board.
class RingClasses {
public:
    static constexpr std::size_t COUNT = 1107;
    static constexpr std::uint16_t NONE = 0xffff;  // a board of two lines

    static const RingClasses& table() {
        static const RingClasses classes;
        return classes;
    }
    std::uint16_t operator[](std::uint32_t code) const { return classes_[code]; }
    static std::uint32_t reversed(std::uint32_t code) { return (code & 0x5555) << 1 | (code >> 1 & 0x5555); }

private:
    std::vector<std::uint16_t> classes_;

    RingClasses() : classes_(1 << 16, NONE) {
        std::uint16_t count = 0;
        for (std::uint32_t code = 0; code < 1 << 16; ++code) {
            if (classes_[code] != NONE || !exists(code)) continue;
            for (std::uint32_t turned = code, i = 0; i < 4; ++i, turned = (turned << 4 | turned >> 12) & 0xffff)
                classes_[turned] = classes_[mirrored(turned)] = count;
            ++count;
        }
    }
    static std::uint32_t point(std::uint32_t code, std::uint32_t k) { return code >> 2 * (k % 8) & 3; }
    static std::uint32_t mirrored(std::uint32_t code) {
        std::uint32_t other = 0;
        for (std::uint32_t k = 0; k < 8; ++k) other |= point(code, 8 - k) << 2 * k;
        return other;
    }
    // Off the board are whole sides, which begin at even numbers, and never two opposite ones.
    static bool exists(std::uint32_t code) {
        std::uint32_t off = 0, sides = 0;
        for (std::uint32_t k = 0; k < 8; ++k) off |= static_cast<std::uint32_t>(point(code, k) == 3) << k;
        std::uint32_t covered = 0;
        for (std::uint32_t side = 0; side < 4; ++side) {
            const std::uint32_t points = (7u << 2 * side | 7u << 2 * side >> 8) & 0xff;
            if ((off & points) == points) sides |= 1u << side, covered |= points;
        }
        return off == covered && (sides & 5) != 5 && (sides & 10) != 10;
    }
};

class FateBoard {
public:
    static constexpr std::size_t KINDS = 3, LIBERTIES = 7, SIZES = 7, EYES = 4, FACTS = 7, LINES = 5;
    static constexpr std::size_t SHELLS = 4;  // a point's neighbours by their offset: (0,1), (1,1), (0,2), (1,2)

    struct Node {
        float side;
        std::size_t label, eyes, kind;     // rows of the tables
        std::array<float, FACTS> facts{};  // shares on the first three lines and in corners, influence, logs of counts
        float size;
    };
    struct Message {
        std::size_t from, to;
        int relation;  // as in AugmentedGraph
        float share;   // of the pairs of adjacent points of `to`
    };
    struct Spot {
        std::size_t node, place;
        float influence;
        std::uint16_t pattern, reversed;  // 3×3 points, or RingClasses::NONE
    };

    FateBoard(int width, int height) : width_(width), height_(height), graph_(width, height) {
        colours_.assign(at((width + 2) * (height + 2)), 3);
        for (int r = 0; r < height; ++r)
            for (int c = 0; c < width; ++c) add_point(r, c);
    }

    // `player` is to move: 1 Black, −1 White, 0 if that is not known.
    void read(const std::int8_t* stones, std::int8_t player) {
        turn = player;
        graph_.read(stones);
        read_spots(stones);
        read_nodes();
        read_messages();
    }

    float turn = 0;
    std::vector<Node> nodes;
    std::vector<Message> messages;
    std::vector<Spot> spots;                                               // row by row
    std::array<std::vector<std::array<std::uint16_t, 2>>, SHELLS> shells;  // pairs of points (at, neighbour)

private:
    const int width_, height_;
    AugmentedGraph graph_;
    std::vector<std::uint8_t> colours_;  // with a margin
    std::vector<float> pairs_;           // of adjacent points, of every node

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    std::size_t place(int r, int c) const { return at((r + 1) * (width_ + 2) + c + 1); }
    int line(int i, int side) const { return std::min({i, side - 1 - i, static_cast<int>(LINES) - 1}); }

    void add_point(int r, int c) {
        const auto [low, high] = std::minmax({line(r, height_), line(c, width_)});
        spots.push_back({0, at(low) * LINES + at(high), 0, 0, 0});
        for (int dr = -2; dr <= 2; ++dr)
            for (int dc = -2; dc <= 2; ++dc) {
                if (r + dr < 0 || r + dr >= height_ || c + dc < 0 || c + dc >= width_) continue;
                const int squares = dr * dr + dc * dc, shell = squares == 5 ? 3 : squares == 4 ? 2 : squares - 1;
                if (squares == 0 || squares > 5) continue;
                shells[at(shell)].push_back({static_cast<std::uint16_t>(r * width_ + c),
                                             static_cast<std::uint16_t>((r + dr) * width_ + c + dc)});
            }
    }

    void read_spots(const std::int8_t* stones) {
        const std::int8_t* stone = stones;
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c, ++stone)
                colours_[place(r, c)] = static_cast<std::uint8_t>(*stone < 0 ? 2 : *stone);
        const RingClasses& rings = RingClasses::table();
        auto spot = spots.begin();
        auto node = graph_.node_of().begin();
        const auto row = static_cast<std::ptrdiff_t>(width_) + 2;
        for (int r = 0; r < height_; ++r)
            for (int c = 0; c < width_; ++c, ++spot) {
                const std::uint8_t* here = &colours_[place(r, c)];
                std::uint32_t code = 0, shift = 0;
                for (std::ptrdiff_t step :
                     {-row - 1, -row, -row + 1, std::ptrdiff_t{1}, row + 1, row, row - 1, std::ptrdiff_t{-1}})
                    code |= static_cast<std::uint32_t>(here[step]) << shift, shift += 2;
                spot->node = at(*node++);
                spot->influence = static_cast<float>(graph_.influence(r, c)) / 100;
                spot->pattern = pattern(*here, rings[code]);
                spot->reversed = pattern(*here == 0 ? 0 : 3 - *here, rings[RingClasses::reversed(code)]);
            }
    }
    static std::uint16_t pattern(int centre, std::uint16_t ring) {
        if (ring == RingClasses::NONE) return ring;
        return static_cast<std::uint16_t>(at(centre) * RingClasses::COUNT + ring);
    }

    void read_nodes() {
        nodes.clear();
        for (const AugmentedGraph::Node& node : graph_.nodes) {
            const std::size_t kind = node.type != 0 ? 0 : node.side != 0 ? 1 : 2;
            const std::size_t size = node.size < 4    ? at(node.size) - 1
                                     : node.size < 6  ? 3
                                     : node.size < 10 ? 4
                                     : node.size < 20 ? 5
                                                      : 6;
            Node& made = nodes.emplace_back();
            made.side = static_cast<float>(node.side), made.size = static_cast<float>(node.size), made.kind = kind;
            made.label = (kind * LIBERTIES + std::min(at(node.liberties), LIBERTIES - 1)) * SIZES + size;
            made.eyes = kind * EYES + std::min(at(node.eyes), EYES - 1);
            made.facts[5] = std::log(made.size);
            made.facts[6] = std::log1p(static_cast<float>(node.liberties));
        }
        for (const Spot& spot : spots) {
            Node& node = nodes[spot.node];
            const std::size_t line = spot.place / LINES;
            if (line < 3) node.facts[line] += 1 / node.size;
            if (spot.place == 0) node.facts[3] += 1 / node.size;
            node.facts[4] += std::abs(spot.influence) / node.size;
        }
    }

    void read_messages() {
        messages.clear();
        pairs_.assign(nodes.size(), 0);
        for (const AugmentedGraph::Edge& edge : graph_.edges)
            pairs_[at(edge.first)] += static_cast<float>(edge.pairs),
                pairs_[at(edge.second)] += static_cast<float>(edge.pairs);
        for (const AugmentedGraph::Edge& edge : graph_.edges) {
            const std::size_t first = at(edge.first), second = at(edge.second);
            const auto pairs = static_cast<float>(edge.pairs);
            messages.push_back({first, second, edge.relation, pairs / std::max(pairs_[second], 1.0f)});
            messages.push_back({second, first, edge.relation, pairs / std::max(pairs_[first], 1.0f)});
        }
    }
};

}  // namespace tengen
