// Binds search.hpp.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "points.hpp"
#include "tengen/search.hpp"

using namespace tengen;

namespace {

// A search with the size of its board, behind one door for all shapes. Calls from several Python threads wait for each other.
struct BoundSearch {
    int width, height;
    std::unique_ptr<AnySearch> search;
    std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();

    std::size_t moves() const { return static_cast<std::size_t>(width * height + 1); }

    template <class Use>
    auto with(Use use) const {
        nb::gil_scoped_release release;
        const std::lock_guard lock(*mutex);
        return use(*search);
    }
};

void make_search(BoundSearch* place, const Position& position, bool strong, std::uint64_t seed, std::uint32_t nodes, double komi,
                 bool territory, std::uint32_t expand_visits, double rave, double lead_weight, bool widening) {
    if (nodes < 1000 || nodes > 1'000'000'000) throw nb::value_error("a tree has 1,000 to 1,000,000,000 nodes");
    if (!std::isfinite(komi)) throw nb::value_error("komi is a number");
    if (!(rave > 0) || expand_visits < 1) throw nb::value_error("rave and expand_visits are positive");
    SearchSettings settings;
    settings.strong = strong, settings.seed = seed, settings.nodes = nodes, settings.komi = komi, settings.territory = territory;
    settings.expand_visits = strong ? expand_visits : 1, settings.rave = rave, settings.lead_weight = lead_weight;
    settings.widening = widening;
    auto search = on_its_shape(position.board(), [&](auto board) -> std::unique_ptr<AnySearch> {
        return std::make_unique<Search<typename decltype(board)::shape>>(settings, board, position);
    });
    new (place) BoundSearch{position.board().width(), position.board().height(), std::move(search)};
}

std::int64_t run(BoundSearch& bound, std::int64_t playouts, double seconds, int threads, std::vector<bool> allowed) {
    if (threads < 1 || threads > 256) throw nb::value_error("threads: 1 to 256");
    if (!allowed.empty() && allowed.size() != bound.moves()) throw nb::value_error("allowed: one for every point, and the pass");
    return bound.with([&](AnySearch& search) { return search.run(playouts, seconds, threads, allowed); });
}

bool advance(BoundSearch& bound, int move) {
    if (move < 0 || move >= static_cast<int>(bound.moves())) throw nb::index_error("no such point");
    return bound.with([&](AnySearch& search) { return search.advance(move); });
}

void believe(BoundSearch& bound, const std::vector<double>& probabilities) {
    if (probabilities.size() != bound.moves()) throw nb::value_error("probabilities: one for every point, and the pass");
    for (double p : probabilities)
        if (!(p >= 0 && p <= 1)) throw nb::value_error("a probability is between 0 and 1");
    bound.with([&](AnySearch& search) { search.believe(probabilities); });
}

using MoveTuple = std::tuple<int, std::int64_t, double, double, double, std::vector<int>, std::vector<std::int64_t>>;

// The moves of the root: move, visits, wins of the player to move, Black's lead (sums), prior, line, visits along it.
std::vector<MoveTuple> moves(const BoundSearch& bound) {
    std::vector<MoveTuple> found;
    for (MoveReport& move : bound.with([](const AnySearch& search) { return search.report(); }).moves)
        found.emplace_back(move.move, move.visits, move.wins, move.lead, move.prior, std::move(move.line), std::move(move.line_visits));
    return found;
}

// Of the playouts since the root is the root: how many, sums of the lead and of its square, owner counts [row, column].
std::tuple<std::int64_t, double, double, Array<std::int32_t>, Array<std::int32_t>> owners(const BoundSearch& bound) {
    const RootReport report = bound.with([](const AnySearch& search) { return search.report(); });
    auto array = [&](const std::vector<std::int32_t>& counts) {
        std::int32_t* data;
        auto result = new_array<std::int32_t>({static_cast<std::size_t>(bound.height), static_cast<std::size_t>(bound.width)}, data);
        std::copy(counts.begin(), counts.end(), data);
        return result;
    };
    return {report.playouts, report.lead, report.lead_squares, array(report.black), array(report.white)};
}

}  // namespace

void bind_search(nb::module_& module) {
    const SearchSettings usual;
    nb::class_<BoundSearch>(module, "Search")
        .def("__init__", &make_search, nb::arg("position"), nb::arg("strong"), nb::arg("seed"), nb::arg("nodes"), nb::arg("komi"),
             nb::arg("territory"), nb::arg("expand_visits") = usual.expand_visits, nb::arg("rave") = usual.rave,
             nb::arg("lead_weight") = usual.lead_weight, nb::arg("widening") = usual.widening)
        .def("run", &run, nb::arg("playouts"), nb::arg("seconds"), nb::arg("threads"), nb::arg("allowed"))
        .def("advance", &advance, nb::arg("move"))
        .def("believe", &believe, nb::arg("probabilities"))
        .def("moves", &moves)
        .def("owners", &owners)
        .def_prop_ro("nodes", [](const BoundSearch& bound) {
            return bound.with([](const AnySearch& search) { return search.nodes(); });
        });
    module.attr("NODE_BYTES") = sizeof(Node);
}
