// Growing decision trees from positions (van Niekerk & Kroon §3.3).
//
// Reading guide: every legal move of a position descends the tree, and observe() counts at its leaf what each candidate
// query would see: one exact histogram per query. When enough moves have come, split() turns the leaf into the best
// query. "Best" is the most even split (the paper), or the largest information gain about which moves were played.
#pragma once

#include <cmath>
#include <cstdint>

#include "decision_forest.hpp"
#include "random.hpp"

namespace tengen {

enum class Criterion : std::uint8_t { even, gain };

struct GrowthRules {
    Criterion criterion = Criterion::even;
    int split_after = 1000;   // descents to a leaf before it may split
    int test_every = 10;      // and between two attempts
    double threshold = 0.40;  // least quality 1 − 2|0.5 − s|; by gain, least log-likelihood ratio (nats)
    double sample = 0.10;     // share of the positions that a tree learns from
    int max_leaves = 1 << 24;
    int max_depth = 40;
    int max_found = MAX_FOUND;
    std::uint64_t seed = 0;
};

class GrowingTree {
public:
    GrowingTree(const GrowthRules& rules, std::uint64_t number) : rules_(rules), stream_(scatter(rules.seed) + number) {
        add_leaf(0, 0, 0);
    }

    int leaf_count() const { return static_cast<int>(leaf_count_); }

    // Whether the tree learns from a position, by its place in the stream of positions.
    bool samples(std::uint64_t position) const {
        const double draw = static_cast<double>(Random(stream_, position).next() >> 11) * 0x1p-53;
        return draw < rules_.sample && leaf_count() < rules_.max_leaves;
    }

    // Learns from one legal move, the centre of the graph.
    template <class Graph>
    void learn(const Graph& graph, bool played) {
        if (leaf_count() >= rules_.max_leaves) return;
        std::size_t best = tree_.size();
        Discovered way;
        Descent(tree_, graph, [&](std::size_t leaf, const Discovered& discovered) {
            if (best == tree_.size() || (leaf != best && left_of(leaf, best))) best = leaf, way = discovered;
        });
        Leaf& leaf = leaves_[static_cast<std::size_t>(tree_[best].next)];
        if (leaf.depth >= rules_.max_depth) return;
        observe(leaf, graph, way, played);
        const auto over = static_cast<std::int64_t>(leaf.descents) - rules_.split_after;
        if (over >= 0 && over % rules_.test_every == 0)
            if (const Query query = best_query(leaf); query.kind != LEAF) split(best, query);
    }

    // Appends the queries in pre-order.
    void write(std::vector<Query>& queries) const {
        std::vector<std::size_t> open{0};
        while (!open.empty()) {
            const TreeNode& node = tree_[open.back()];
            open.pop_back();
            queries.push_back(node.query);
            for (int outcome = node.query.outcomes(); outcome-- > 0;)
                open.push_back(static_cast<std::size_t>(node.next + outcome));
        }
    }

private:
    static constexpr std::size_t BINS = MOST + 1;
    using Histogram = std::array<std::uint32_t, BINS>;

    struct Leaf {
        int depth, found;
        std::uint32_t descents = 0, played = 0;
        std::vector<Histogram> all, wins;  // of each candidate query: all moves, and the played ones if by gain
    };

    const GrowthRules rules_;
    const std::uint64_t stream_;
    Tree tree_;  // `next` of a leaf is its place in leaves_
    std::vector<std::size_t> parent_;
    std::vector<Leaf> leaves_;
    std::size_t leaf_count_ = 0;

    void add_leaf(int depth, int found, std::size_t parent) {
        tree_.push_back({Query{}, static_cast<std::int32_t>(leaves_.size())});
        parent_.push_back(parent);
        leaves_.push_back({depth, found, 0, 0, {}, {}});
        ++leaf_count_;
    }

    // Whether one leaf comes before another in pre-order: children lie side by side in that order.
    bool left_of(std::size_t one, std::size_t other) const {
        const auto depth = [&](std::size_t leaf) { return leaves_[static_cast<std::size_t>(tree_[leaf].next)].depth; };
        int down = depth(one) - depth(other);
        for (; down > 0; --down) one = parent_[one];
        for (; down < 0; ++down) other = parent_[other];
        while (parent_[one] != parent_[other]) one = parent_[one], other = parent_[other];
        return one < other;
    }

    // Calls visit(query) for every query, without its value, that can follow `found` discovered nodes.
    template <class Visit>
    void each_candidate(int found, Visit visit) const {
        const auto small = [](int value) { return static_cast<std::int8_t>(value); };
        if (found < rules_.max_found)
            for (int statuses = 1; statuses <= EVERY_STATUS; ++statuses) visit(Query{NEW, small(statuses), 0, 0, 0});
        for (int y = 1; y <= found; ++y)
            for (int x = 0; x < y; ++x) visit(Query{DISTANCE, small(x), small(y), 0, 0});
        for (int x = 1; x <= found; ++x) visit(Query{SIZE, small(x), 0, 0, 0});
        for (int x = 1; x <= found; ++x) visit(Query{LIBERTIES, small(x), 0, 0, 0});
    }

    template <class Graph>
    void observe(Leaf& leaf, const Graph& graph, const Discovered& discovered, bool played) const {
        ++leaf.descents, leaf.played += played;
        std::array<int, EVERY_STATUS + 1> nearest;  // by set of statuses
        nearest[0] = MOST;
        for (int s = 0; s < STATUSES; ++s) {
            const int distance = graph.nearest_distance(static_cast<Status>(s), discovered);
            for (std::size_t rest = 0; rest < (std::size_t{1} << s); ++rest)
                nearest[rest | std::size_t{1} << s] = std::min(nearest[rest], distance);
        }
        const bool by_gain = rules_.criterion == Criterion::gain;
        if (leaf.all.empty()) {
            std::size_t count = 0;
            each_candidate(leaf.found, [&](Query) { ++count; });
            leaf.all.resize(count);
            if (by_gain) leaf.wins.resize(count);
        }
        std::size_t i = 0;
        each_candidate(leaf.found, [&](Query query) {
            const auto value = static_cast<std::size_t>(query.kind == NEW ? nearest[static_cast<std::size_t>(query.x)]
                                                                          : query.quantity(graph, discovered));
            ++leaf.all[i][value];
            if (by_gain) leaf.wins[i][value] += played;
            ++i;
        });
    }

    // The best query with its value, or LEAF if none is good enough. The first of equals wins.
    Query best_query(const Leaf& leaf) const {
        Query best;
        double most = 0;
        std::size_t i = 0;
        each_candidate(leaf.found, [&](Query query) {
            const auto consider = [&](bool equal, std::size_t value, double quality) {
                if (quality < rules_.threshold || quality <= most) return;
                most = quality;
                best = query;
                best.equal = equal;
                best.value = static_cast<std::int8_t>(query.kind == NEW ? value - 1 : value);  // x < m is x ≤ m − 1
            };
            if (rules_.criterion == Criterion::even) weigh_evenness(leaf, i, query.kind == NEW, consider);
            else weigh_gain(leaf, i, query.kind == NEW, consider);
            ++i;
        });
        return best;
    }

    // The quality 1 − 2|0.5 − s| of the splits at the median.
    template <class Consider>
    static void weigh_evenness(const Leaf& leaf, std::size_t i, bool fresh, Consider consider) {
        const Histogram& count = leaf.all[i];
        const std::uint32_t total = leaf.descents;
        const auto quality = [&](std::uint32_t part) { return 2.0 * std::min(part, total - part) / total; };
        std::size_t low = 0, high;  // the middle one of the values, or the middle two
        std::uint32_t below = count[0];
        while (below <= (total - 1) / 2) below += count[++low];
        for (high = low; below <= total / 2;) below += count[++high];
        for (std::size_t median : {(low + high) / 2, (low + high + 1) / 2}) {
            std::uint32_t less = 0;
            for (std::size_t value = 0; value < median; ++value) less += count[value];
            consider(false, median, quality(less));
            if (!fresh) consider(true, median, quality(count[median]));
        }
    }

    // The gain in log-likelihood when a split says how often moves are played, for all values.
    template <class Consider>
    static void weigh_gain(const Leaf& leaf, std::size_t i, bool fresh, Consider consider) {
        const double whole = surprise(leaf.descents, leaf.played);
        const auto gain = [&](std::uint32_t moves, std::uint32_t wins) {
            return whole - (surprise(moves, wins) + surprise(leaf.descents - moves, leaf.played - wins));
        };
        std::uint32_t moves = 0, wins = 0;
        for (std::size_t value = 0; value < MOST; ++value) {
            const std::uint32_t here = leaf.all[i][value];
            if (here == 0) continue;
            moves += here, wins += leaf.wins[i][value];
            consider(false, value + 1, gain(moves, wins));
            if (!fresh) consider(true, value, gain(here, leaf.wins[i][value]));
        }
    }

    // Minus the log-likelihood of `wins` played moves among `moves`, at their own rate.
    static double surprise(std::uint32_t moves, std::uint32_t wins) {
        const auto part = [](double n) { return n > 0 ? n * std::log(n) : 0.0; };
        return part(moves) - part(wins) - part(moves - wins);
    }

    void split(std::size_t at, Query query) {
        const Leaf leaf = std::move(leaves_[static_cast<std::size_t>(tree_[at].next)]);
        tree_[at] = {query, static_cast<std::int32_t>(tree_.size())};
        --leaf_count_;
        for (int outcome = 0; outcome < query.outcomes(); ++outcome)
            add_leaf(leaf.depth + 1, leaf.found + query.discovers(outcome), at);
    }
};

}  // namespace tengen
