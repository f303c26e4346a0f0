// The log potentials of Low's random field on the augmented common fate graph (Low §2.3), shared by the labels of
// nodes.
//
// Reading guide: lookup() writes a table of two numbers for each node (White, Black) and of four for each edge (by the
// owners of its first and its second node); add() changes the tables by the derivatives of a likelihood. Inference is
// elsewhere: see territory/pair_tables.py.
//
// A node has one label at each level: with all its facts, with sizes, liberties and eyes in coarse bins, and its type
// only. The log potential is the sum over the levels, each of which learns, so labels that are rare in games rely on
// the coarser ones. Without back-off there is the first level only, as in the paper.
//
// All ways to look at one pair of nodes share a table: the other node first, or colours swapped. The table is stored
// for the way with the smallest key. If several ways have that key (two nodes with one label), the mean over them is
// used, so the ends of such an edge are interchangeable, and a label that has no colour prefers none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "augmented_graph.hpp"
#include "key_rows.hpp"

namespace tengen {

class FateTables {
public:
    static constexpr int RELATIONS = EDGE + 1;
    static constexpr double MOST = 6;  // bound of a number in a table

    struct Settings {
        bool sides = false;  // whether regions of influence have labels of their own
        bool back_off = true;
    };

    // Rows are in the order of their keys.
    struct Parameters {
        std::vector<std::uint32_t> keys;    // ((label of first · labels) + label of second) · RELATIONS + relation
        std::vector<double> tables;         // [row, 4]
        std::vector<std::uint32_t> visits;  // [row]: how often add() used it
        std::vector<double> node_tables;    // [label, 2]
        std::vector<std::uint32_t> node_visits;
    };

    explicit FateTables(const Settings& given)
        : settings(given), tables_(1), node_tables_(at(full_labels() + (given.back_off ? COARSE + TYPES : 0))) {}

    Parameters parameters() const {
        Parameters found;
        std::vector<std::pair<std::uint32_t, std::size_t>> order;
        for (std::size_t row = 1; row < rows_.size(); ++row) order.emplace_back(rows_.key(row), row);
        std::sort(order.begin(), order.end());
        for (const auto& [key, row] : order) {
            found.keys.push_back(key);
            found.visits.push_back(tables_[row].visits);
            for (const double value : tables_[row].values) found.tables.push_back(value);
        }
        for (const auto& table : node_tables_) {
            found.node_visits.push_back(table.visits);
            for (const double value : table.values) found.node_tables.push_back(value);
        }
        return found;
    }

    void set_parameters(const Parameters& given) {
        rows_ = {};
        for (const std::uint32_t key : given.keys) rows_.add(key);
        tables_.assign(rows_.size(), {});
        for (std::size_t i = 0; i < given.visits.size(); ++i) tables_[i + 1].set(&given.tables[4 * i], given.visits[i]);
        for (std::size_t i = 0; i < node_tables_.size(); ++i)
            node_tables_[i].set(&given.node_tables[2 * i], given.node_visits[i]);
    }

    std::size_t rows() const { return rows_.size() - 1; }
    std::size_t labels() const { return node_tables_.size(); }  // of all levels

    // Writes log potentials: two numbers for each node, four for each edge.
    void lookup(const std::vector<AugmentedGraph::Node>& nodes, const std::vector<AugmentedGraph::Edge>& edges,
                double* node_potentials, double* edge_potentials) {
        each_use(
            nodes, edges,
            [&](std::size_t i, std::size_t label, unsigned ways) {
                node_tables_[label].read(ways, node_potentials + 2 * i);
            },
            [&](std::size_t e, std::uint32_t key, unsigned ways) {
                tables_[rows_.find(key)].read(ways, edge_potentials + 4 * e);
            });
    }

    struct Step {
        double rate;    // a number changes by rate / √visits times its derivative
        double shrink;  // the derivative of a number x loses shrink · x
    };

    // Adds the derivatives of a log-likelihood by the log potentials, given as lookup() writes these.
    void add(const std::vector<AugmentedGraph::Node>& nodes, const std::vector<AugmentedGraph::Edge>& edges,
             const double* node_slopes, const double* edge_slopes, const Step& step) {
        each_use(
            nodes, edges,
            [&](std::size_t i, std::size_t label, unsigned ways) {
                node_tables_[label].collect(ways, node_slopes + 2 * i, label, used_labels_);
            },
            [&](std::size_t e, std::uint32_t key, unsigned ways) {
                const std::size_t row = rows_.add(key);
                if (row == tables_.size()) tables_.emplace_back();
                tables_[row].collect(ways, edge_slopes + 4 * e, row, used_rows_);
            });
        for (const std::size_t label : used_labels_) node_tables_[label].climb(step);
        for (const std::size_t row : used_rows_) tables_[row].climb(step);
        used_labels_.clear(), used_rows_.clear();
    }

    const Settings settings;

private:
    static constexpr int LEVELS = 3, TYPES = 5, COARSE = TYPES * 3 * 3 * 4;
    static constexpr int FACTS = AugmentedGraph::LABELS / 3;  // labels of one type
    // Ways to look at a pair, as bits of a set: as it is, the other node first, colours swapped, both.
    enum Way : unsigned { TURNED = 1, SWAPPED = 2, WAYS = 4 };

    // A table of 2 or 4 numbers by states, with the derivatives of a step in progress.
    template <unsigned States>
    struct Table {
        std::array<double, States> values{}, slopes{};
        std::uint32_t visits = 0, uses = 0;

        // The state of the stored table for a state of the nodes as they are: 2 · owner of first + owner of second.
        static std::size_t state(unsigned way, unsigned seen) {
            if (way & TURNED) seen = (seen >> 1) | ((seen & 1) << 1);
            return way & SWAPPED ? States - 1 - seen : seen;
        }

        void set(const double* given, std::uint32_t visited) {
            std::copy_n(given, States, values.begin());
            visits = visited;
        }

        void read(unsigned ways, double* out) const {
            for_states(ways,
                       [&](unsigned seen, std::size_t stored, double share) { out[seen] += share * values[stored]; });
        }

        void collect(unsigned ways, const double* given, std::size_t number, std::vector<std::size_t>& used) {
            for_states(ways,
                       [&](unsigned seen, std::size_t stored, double share) { slopes[stored] += share * given[seen]; });
            if (uses++ == 0) used.push_back(number);
        }

        void climb(const Step& step) {
            visits += std::min(uses, std::numeric_limits<std::uint32_t>::max() - visits);
            uses = 0;
            const double pace = step.rate / std::sqrt(static_cast<double>(visits));
            for (std::size_t i = 0; i < States; ++i) {
                values[i] = std::clamp(values[i] + pace * (slopes[i] - step.shrink * values[i]), -MOST, MOST);
                slopes[i] = 0;
            }
        }

    private:
        template <class Task>
        static void for_states(unsigned ways, Task task) {
            const double share = 1.0 / std::popcount(ways);
            for (unsigned way = 0; way < WAYS; ++way)
                if (ways >> way & 1)
                    for (unsigned seen = 0; seen < States; ++seen) task(seen, state(way, seen), share);
        }
    };

    using Labels = std::array<int, LEVELS>;
    struct Both {
        Labels black, white;  // in the view of each colour
    };

    KeyRows rows_;
    std::vector<Table<4>> tables_;  // row 0 stays 0, for unknown keys
    std::vector<Table<2>> node_tables_;
    std::vector<Both> seen_;
    std::vector<std::size_t> used_rows_, used_labels_;

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    int full_labels() const { return settings.sides ? AugmentedGraph::SIDED_LABELS : AugmentedGraph::LABELS; }

    Labels labels_of(const AugmentedGraph::Node& node) const {
        const int full = node.label(settings.sides), type = full / FACTS;
        const int size = node.size == 1 ? 0 : node.size <= 4 ? 1 : 2;
        const int liberties = node.liberties <= 1 ? 0 : node.liberties == 2 ? 1 : node.liberties <= 4 ? 2 : 3;
        const int coarse = ((type * 3 + std::min(node.eyes, 2)) * 3 + size) * 4 + liberties;
        return {full, full_labels() + coarse, full_labels() + COARSE + type};
    }

    // Calls node_task(node, label, ways) and edge_task(edge, key, ways) for every table that a graph uses.
    template <class NodeTask, class EdgeTask>
    void each_use(const std::vector<AugmentedGraph::Node>& nodes, const std::vector<AugmentedGraph::Edge>& edges,
                  NodeTask node_task, EdgeTask edge_task) {
        seen_.clear();
        for (const auto& node : nodes)
            seen_.push_back(
                {labels_of(node), labels_of({-node.type, -node.side, node.size, node.liberties, node.eyes})});
        const int count = static_cast<int>(labels());
        const std::size_t levels = settings.back_off ? LEVELS : 1;
        for (std::size_t level = 0; level < levels; ++level) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const int black = seen_[i].black[level], white = seen_[i].white[level];
                const unsigned ways = (black <= white ? 1u : 0u) | (white <= black ? 1u << SWAPPED : 0u);
                node_task(i, at(std::min(black, white)), ways);
            }
            for (std::size_t e = 0; e < edges.size(); ++e) {
                const Both &first = seen_[at(edges[e].first)], &second = seen_[at(edges[e].second)];
                const int a = first.black[level], b = second.black[level];
                const int c = first.white[level], d = second.white[level];
                const std::array<int, WAYS> keys{a * count + b, b * count + a, c * count + d, d * count + c};
                const int least = *std::min_element(keys.begin(), keys.end());
                unsigned ways = 0;
                for (unsigned way = 0; way < WAYS; ++way) ways |= keys[way] == least ? 1u << way : 0u;
                edge_task(e, static_cast<std::uint32_t>(least * RELATIONS + edges[e].relation), ways);
            }
        }
    }
};

}  // namespace tengen
