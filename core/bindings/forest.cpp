// Binds stone_graph.hpp, decision_forest.hpp and forest_growth.hpp.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/forest_growth.hpp"
#include "tengen/workers.hpp"

using namespace tengen;

namespace {

using Queries = Given<const std::int8_t, 2>;

GraphNodes checked_nodes(int nodes) {
    if (nodes != static_cast<int>(GraphNodes::stones) && nodes != static_cast<int>(GraphNodes::chains))
        throw nb::value_error("nodes of a graph are stones (0) or chains (1)");
    return static_cast<GraphNodes>(nodes);
}

Colour mover_of(int to_play) {
    if (to_play != 1 && to_play != -1) throw nb::value_error("to_play is 1 (Black) or -1 (White)");
    return to_play == 1 ? BLACK : WHITE;
}

// Stones and players to move, checked.
struct GivenPositions {
    Given<const std::int8_t, 3> stones;
    Given<const std::int8_t, 1> to_play;

    GivenPositions(nb::handle given_boards, nb::handle given_turns)
        : stones(given_stones<3>(given_boards)), to_play(given_array<const std::int8_t, 1>(given_turns, "to_play")) {
        if (std::min(stones.shape(1), stones.shape(2)) < MIN_SIDE ||
            std::max(stones.shape(1), stones.shape(2)) > MAX_SIDE)
            throw nb::value_error("a side has 2 to 25 points");
        if (to_play.shape(0) != count()) throw nb::value_error("one to_play for each board");
        for (std::size_t i = 0; i < count(); ++i) mover_of(to_play.data()[i]);
    }
    std::size_t count() const { return stones.shape(0); }
    int width() const { return static_cast<int>(stones.shape(2)); }
    int height() const { return static_cast<int>(stones.shape(1)); }
    std::size_t points() const { return stones.shape(1) * stones.shape(2); }
    Colour mover(std::size_t i) const { return mover_of(to_play.data()[i]); }

    // Calls work(shape) with a board's shape that is compiled for the size.
    template <class Work>
    auto on_shape(Work work) const {
        const int side = width() == height() ? width() : 0;
        if (side == 9) return work(Square<9>{});
        if (side == 13) return work(Square<13>{});
        if (side == 19) return work(Square<19>{});
        return work(AnyShape(width(), height()));
    }

    template <class Shape>
    void put(std::size_t i, Board<Shape>& board) const {
        board.clear();
        const std::int8_t* stone = stones.data() + i * points();
        for (int r = 0; r < height(); ++r)
            for (int c = 0; c < width(); ++c, ++stone)
                if (*stone != 0) board.put(Shape::point(r, c), *stone == 1 ? BLACK : WHITE);
    }
};

// Calls visit(point's index, graph) for every empty point of a board, in the order of the points.
template <class Shape, class Visit>
void each_centre(const Board<Shape>& board, StoneGraph<Shape>& graph, Visit visit) {
    for (int r = 0; r < board.height(); ++r)
        for (int c = 0; c < board.width(); ++c) {
            const Point p = Shape::point(r, c);
            if (board.colour(p) != EMPTY) continue;
            graph.look_from(p);
            visit(static_cast<std::size_t>(r * board.width() + c), p);
        }
}

// Calls visit(place, graph) for every empty point of every position; place = position · points + point.
template <class Visit>
void each_graph(const GivenPositions& positions, GraphNodes kind, Visit visit) {
    interruptible([&](Interrupt& interrupt) {
        positions.on_shape([&](auto shape) {
            using Shape = decltype(shape);
            Board<Shape> board(positions.width(), positions.height());
            StoneGraph<Shape> graph(kind);
            for (std::size_t i = 0; i < positions.count(); ++i) {
                interrupt.check();
                positions.put(i, board);
                graph.set(board, positions.mover(i));
                each_centre(board, graph,
                            [&](std::size_t point, Point) { visit(i * positions.points() + point, graph); });
            }
        });
    });
}

// Calls use(graph) with the graph of one empty point.
template <class Use>
auto with_graph(const GivenPositions& position, int move, GraphNodes kind, Use use) {
    if (position.count() != 1) throw nb::value_error("one board is needed");
    if (move < 0 || move >= static_cast<int>(position.points()) || position.stones.data()[move] != 0)
        throw nb::value_error("the move is not an empty point of the board");
    return position.on_shape([&](auto shape) {
        using Shape = decltype(shape);
        Board<Shape> board(position.width(), position.height());
        StoneGraph<Shape> graph(kind);
        position.put(0, board);
        graph.set(board, position.mover(0));
        graph.look_from(Shape::point(move / position.width(), move % position.width()));
        return use(graph);
    });
}

// Of each node: status, point, size, liberties; −1 for the status of the centre and the point of a side. Then the
// distances of all nodes.
std::pair<Array<std::int32_t>, Array<std::int32_t>> stone_graph(nb::handle stones, nb::handle to_play, int move,
                                                                int nodes) {
    const GivenPositions position(stones, to_play);
    return with_graph(position, move, checked_nodes(nodes), [&]<class Shape>(const StoneGraph<Shape>& graph) {
        const auto count = static_cast<std::size_t>(graph.size());
        std::int32_t *attributes, *distances;
        auto attribute_array = new_array<std::int32_t>({count, 4}, attributes);
        auto distance_array = new_array<std::int32_t>({count, count}, distances);
        for (int x = 0; x < graph.size(); ++x) {
            const GraphNode& node = graph.node(x);
            *attributes++ = x == 0 ? -1 : node.status;
            *attributes++ =
                node.point == NO_POINT ? -1 : Shape::row(node.point) * position.width() + Shape::column(node.point);
            *attributes++ = node.size, *attributes++ = node.liberties;
            for (int y = 0; y < graph.size(); ++y)
                *distances++ = x == y ? 0 : graph.distance(y == 0 ? 0 : x, y == 0 ? x : y);
        }
        return std::pair(attribute_array, distance_array);
    });
}

Array<std::int8_t> query_array(const std::vector<Query>& queries) {
    std::int8_t* rows;
    auto result = new_array<std::int8_t>({queries.size(), 5}, rows);
    for (const Query& query : queries)
        for (std::int8_t value : {query.kind, query.x, query.y, query.equal, query.value}) *rows++ = value;
    return result;
}

std::vector<Query> given_queries(nb::handle given) {
    const auto rows = given_array<const std::int8_t, 2>(given, "queries");
    if (rows.shape(1) != 5) throw nb::value_error("a query has 5 numbers: kind, x, y, equal, value");
    if (rows.shape(0) >= std::size_t{1} << 28) throw nb::value_error("too many queries");
    std::vector<Query> queries(rows.shape(0));
    const std::int8_t* row = rows.data();
    for (Query& query : queries) query = {row[0], row[1], row[2], row[3], row[4]}, row += 5;
    return queries;
}

// A forest does not change, so threads share it without waiting.
Array<std::int32_t> leaves_of(const Forest& forest, nb::handle stones, nb::handle to_play) {
    const GivenPositions positions(stones, to_play);
    const std::size_t places = positions.count() * positions.points(), count = forest.trees().size();
    std::int32_t* data;
    auto result = new_array<std::int32_t>({positions.count(), positions.points(), count}, data);
    std::fill(data, data + places * count, 0);
    each_graph(positions, forest.kind(),
               [&](std::size_t place, const auto& graph) { forest.leaves(graph, data + place * count); });
    return result;
}

// All leaves; those of (position, point, tree) are found[offsets[i] : offsets[i + 1]], where i counts them. Then the
// number of ways of each descent.
std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<std::int32_t>> all_leaves(const Forest& forest,
                                                                                     nb::handle stones,
                                                                                     nb::handle to_play) {
    const GivenPositions positions(stones, to_play);
    const std::size_t count = forest.trees().size(), descents = positions.count() * positions.points() * count;
    std::int64_t* offsets;
    auto offset_array = new_array<std::int64_t>({descents + 1}, offsets);
    std::fill(offsets, offsets + descents + 1, 0);
    std::int32_t* ways;
    auto way_array = new_array<std::int32_t>({positions.count(), positions.points(), count}, ways);
    std::fill(ways, ways + descents, 0);
    std::vector<std::int32_t> found, some;
    each_graph(positions, forest.kind(), [&](std::size_t place, const auto& graph) {
        for (std::size_t t = 0; t < count; ++t) {
            ways[place * count + t] = static_cast<std::int32_t>(Forest::all_leaves(forest.trees()[t], graph, some));
            found.insert(found.end(), some.begin(), some.end());
            offsets[place * count + t + 1] = static_cast<std::int64_t>(some.size());
        }
    });
    for (std::size_t i = 0; i < descents; ++i) offsets[i + 1] += offsets[i];
    std::int32_t* data;
    auto leaf_array = new_array<std::int32_t>({found.size()}, data);
    std::copy(found.begin(), found.end(), data);
    return {offset_array, leaf_array, way_array};
}

// The left-most leaf of one tree for one move, and the nodes of the graph discovered on the way to it.
std::pair<int, std::vector<int>> trace(const Forest& forest, nb::handle stones, nb::handle to_play, int move,
                                       int tree) {
    if (tree < 0 || tree >= static_cast<int>(forest.trees().size())) throw nb::index_error("no such tree");
    return with_graph(GivenPositions(stones, to_play), move, forest.kind(), [&](const auto& graph) {
        const auto [leaf, discovered] = Forest::leftmost(forest.trees()[static_cast<std::size_t>(tree)], graph);
        const auto first = discovered.nodes.begin();
        return std::pair<int, std::vector<int>>(leaf, {first, first + discovered.found + 1});
    });
}

// Trees that grow; positions are numbered in the order in which they come, however they are divided into batches.
class Growth {
public:
    Growth(int trees, int nodes, int criterion, int split_after, int test_every, double threshold, double sample,
           int max_leaves, int max_depth, int max_found, std::uint64_t seed)
        : kind_(checked_nodes(nodes)) {
        if (trees < 1 || trees > 1000) throw nb::value_error("a forest has 1 to 1000 trees");
        if (criterion != static_cast<int>(Criterion::even) && criterion != static_cast<int>(Criterion::gain))
            throw nb::value_error("the criterion is even (0) or gain (1)");
        if (split_after < 1 || test_every < 1) throw nb::value_error("split_after and test_every are at least 1");
        if (!(given_number(threshold, "threshold") >= 0)) throw nb::value_error("threshold is at least 0");
        if (!(given_number(sample, "sample") >= 0 && sample <= 1)) throw nb::value_error("sample is from 0 to 1");
        if (max_leaves < 1) throw nb::value_error("max_leaves is at least 1");
        if (max_depth < 0 || max_depth > 1000) throw nb::value_error("max_depth is from 0 to 1000");
        if (max_found < 1 || max_found > MAX_FOUND) throw nb::value_error("max_found is from 1 to 12");
        const GrowthRules rules{static_cast<Criterion>(criterion),
                                split_after,
                                test_every,
                                threshold,
                                sample,
                                max_leaves,
                                max_depth,
                                max_found,
                                seed};
        for (int t = 0; t < trees; ++t) trees_.emplace_back(rules, static_cast<std::uint64_t>(t));
    }

    void learn(nb::handle stones, nb::handle to_play, nb::handle given_ko, nb::handle given_moves, int threads) {
        const GivenPositions positions(stones, to_play);
        const auto ko = given_array<const std::int16_t, 1>(given_ko, "ko");
        const auto moves = given_array<const std::int32_t, 1>(given_moves, "moves");
        if (ko.shape(0) != positions.count() || moves.shape(0) != positions.count())
            throw nb::value_error("one ko and one move for each board");
        for (std::size_t i = 0; i < positions.count(); ++i)
            if (moves.data()[i] < 0 || moves.data()[i] > static_cast<int>(positions.points()))
                throw nb::value_error("moves are points of the board, row by row, or the pass");
        if (threads < 1 || threads > 1000) throw nb::value_error("threads: 1 to 1000");
        interruptible([&](Interrupt& interrupt) {
            const Turn turn(learning_, interrupt, "this forest is growing: a signal handler cannot let it learn");
            const int workers = std::min(threads, static_cast<int>(trees_.size()));
            run_workers(workers, [&](int worker, const std::atomic<bool>& stop) {
                positions.on_shape([&](auto shape) {
                    learn_some(worker, workers, positions, ko.data(), moves.data(), shape, [&] {
                        if (worker == 0) interrupt.check();
                        return stop.load();
                    });
                });
            });
            learned_ += positions.count();
        });
    }

    Array<std::int8_t> queries() {
        std::vector<Query> queries;
        interruptible([&](Interrupt& interrupt) {
            const Turn turn(learning_, interrupt, "this forest is growing: a signal handler cannot read it");
            for (const GrowingTree& tree : trees_) tree.write(queries);
        });
        return query_array(queries);
    }

private:
    const GraphNodes kind_;
    std::vector<GrowingTree> trees_;
    std::uint64_t learned_ = 0;  // positions
    std::timed_mutex learning_;

    // Every `workers`-th tree learns from the positions that it samples.
    template <class Shape, class Stop>
    void learn_some(int worker, int workers, const GivenPositions& positions, const std::int16_t* ko,
                    const std::int32_t* moves, Shape, Stop stop) {
        Board<Shape> board(positions.width(), positions.height());
        StoneGraph<Shape> graph(kind_);
        std::vector<GrowingTree*> learners;
        for (std::size_t i = 0; i < positions.count() && !stop(); ++i) {
            learners.clear();
            for (std::size_t t = static_cast<std::size_t>(worker); t < trees_.size();
                 t += static_cast<std::size_t>(workers))
                if (trees_[t].samples(learned_ + i)) learners.push_back(&trees_[t]);
            if (learners.empty()) continue;
            positions.put(i, board);
            const Colour mover = positions.mover(i);
            graph.set(board, mover);
            each_centre(board, graph, [&](std::size_t point, Point p) {
                if (static_cast<int>(point) == ko[i] || board.is_suicide(p, mover)) return;
                for (GrowingTree* tree : learners) tree->learn(graph, static_cast<int>(point) == moves[i]);
            });
        }
    }
};

}  // namespace

void bind_forest(nb::module_& module) {
    module.attr("MAX_FOUND") = MAX_FOUND;
    module.def("stone_graph", &stone_graph, nb::arg("stones"), nb::arg("to_play"), nb::arg("move"), nb::arg("nodes"));
    nb::class_<Forest>(module, "Forest")
        .def(
            "__init__",
            [](Forest* self, nb::handle queries, int nodes) {
                new (self) Forest(given_queries(queries), checked_nodes(nodes));
            },
            nb::arg("queries"), nb::arg("nodes") = 0)
        .def_prop_ro("leaf_counts", [](const Forest& forest) { return forest.leaf_counts(); })
        .def("leaves", &leaves_of, nb::arg("stones"), nb::arg("to_play"))
        .def("all_leaves", &all_leaves, nb::arg("stones"), nb::arg("to_play"))
        .def("trace", &trace, nb::arg("stones"), nb::arg("to_play"), nb::arg("move"), nb::arg("tree"));
    nb::class_<Growth>(module, "ForestGrowth")
        .def(nb::init<int, int, int, int, int, double, double, int, int, int, std::uint64_t>(), nb::arg("trees"),
             nb::arg("nodes"), nb::arg("criterion"), nb::arg("split_after"), nb::arg("test_every"),
             nb::arg("threshold"), nb::arg("sample"), nb::arg("max_leaves"), nb::arg("max_depth"), nb::arg("max_found"),
             nb::arg("seed"))
        .def("learn", &Growth::learn, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"), nb::arg("moves"),
             nb::arg("threads"))
        .def("queries", &Growth::queries);
}
