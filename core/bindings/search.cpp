// Binds search.hpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "points.hpp"
#include "tengen/search.hpp"

using namespace tengen;

namespace {

// A search with the size of its board, behind one door for all shapes. Calls from several Python threads wait for each
// other.
struct BoundSearch {
    int width, height;
    std::unique_ptr<AnySearch> search;
    std::unique_ptr<std::timed_mutex> queue = std::make_unique<std::timed_mutex>();

    std::size_t moves() const { return static_cast<std::size_t>(width * height + 1); }

    template <class Use>
    auto with(Use use) const {
        return interruptible([&](Interrupt& interrupt) {
            const Turn turn(*queue, interrupt,
                            "this search is running: neither its guide nor a signal handler can use it");
            return use(*search, interrupt);
        });
    }
};

void make_search(BoundSearch* place, const Position& position, bool strong, std::uint64_t seed, std::uint32_t nodes,
                 double komi, bool territory, std::optional<Knowledge> knowledge, std::uint32_t expand_visits,
                 double rave, double lead_weight, bool widening, bool moving_komi, int guided) {
    if (nodes < 1000 || nodes > 1'000'000'000) throw nb::value_error("a tree has 1,000 to 1,000,000,000 nodes");
    given_number(komi, "komi"), given_number(lead_weight, "lead_weight");
    if (!(given_number(rave, "rave") > 0) || expand_visits < 1)
        throw nb::value_error("rave and expand_visits are positive");
    if (guided < 0) throw nb::value_error("guided is a number of moves");
    SearchSettings settings;
    settings.strong = strong, settings.seed = seed, settings.nodes = nodes, settings.komi = komi,
    settings.territory = territory;
    settings.expand_visits = strong ? expand_visits : 1, settings.rave = rave, settings.lead_weight = lead_weight;
    settings.widening = widening, settings.moving_komi = moving_komi, settings.guided = guided,
    settings.knowledge = knowledge;
    auto search = on_its_shape(position.board(), [&](auto board) -> std::unique_ptr<AnySearch> {
        return std::make_unique<Search<typename decltype(board)::shape>>(settings, board, position);
    });
    new (place) BoundSearch{position.board().width(), position.board().height(), std::move(search)};
}

// A guide in Python: called with the moves from the root, it returns probabilities, what to keep, and Black's chances,
// or None for each.
using Advised = std::tuple<std::optional<std::vector<double>>, std::optional<std::vector<bool>>, std::optional<double>>;

Guidance checked(const Advised& advised, std::size_t moves) {
    const auto& [probabilities, keep, chances] = advised;
    if ((probabilities && probabilities->size() != moves) || (keep && keep->size() != moves))
        throw nb::value_error("a guide speaks of every point, and the pass");
    auto is_probability = [](double p) { return p >= 0 && p <= 1; };
    if ((probabilities && !std::all_of(probabilities->begin(), probabilities->end(), is_probability)) ||
        (chances && !is_probability(*chances)))
        throw nb::value_error("a probability is between 0 and 1");
    Guidance guidance;
    if (probabilities) guidance.probabilities = *probabilities;
    if (keep) guidance.keep = *keep;
    if (chances) guidance.chances = *chances;
    return guidance;
}

Guide guide_of(const std::optional<nb::callable>& guide, const BoundSearch& bound) {
    if (!guide) return {};
    return [&guide, &bound](const std::vector<int>& line) {
        const Callback callback(*bound.queue);
        const nb::object answer = (*guide)(line);
        Advised advised;
        if (!nb::try_cast(answer, advised)) {
            const std::string problem =
                "a guide returns (list of probabilities, list of bool, chances), each of them or None, not " +
                std::string(nb::type_name(answer.type()).c_str());
            throw nb::type_error(problem.c_str());
        }
        return checked(advised, bound.moves());
    };
}

std::int64_t run(BoundSearch& bound, std::int64_t playouts, double seconds, int threads, std::vector<int> barred,
                 std::optional<nb::callable> guide, std::int64_t least) {
    if (threads < 1 || threads > 256) throw nb::value_error("threads: 1 to 256");
    if (std::isnan(seconds)) throw nb::value_error("seconds is a number");
    if (!barred.empty() && barred.size() != 2 * bound.moves())
        throw nb::value_error("barred: a depth for both colours' every point and pass");
    return bound.with([&](AnySearch& search, Interrupt& interrupt) {
        return search.run({playouts, seconds, threads, least}, barred, guide_of(guide, bound), interrupt);
    });
}

bool advance(BoundSearch& bound, int move) {
    if (move < 0 || move >= static_cast<int>(bound.moves())) throw nb::index_error("no such point");
    return bound.with([&](AnySearch& search, Interrupt&) { return search.advance(move); });
}

using MoveTuple = std::tuple<int, std::int64_t, double, double, double, std::vector<int>, std::vector<std::int64_t>>;

// The moves of the root: move, visits, wins of the player to move, Black's lead (sums), prior, line, visits along it.
std::vector<MoveTuple> moves(const BoundSearch& bound) {
    std::vector<MoveTuple> found;
    for (MoveReport& move : bound.with([](const AnySearch& search, Interrupt&) { return search.report(); }).moves)
        found.emplace_back(move.move, move.visits, move.wins, move.lead, move.prior, std::move(move.line),
                           std::move(move.line_visits));
    return found;
}

// Of the playouts since the root is the root: how many, sums of the lead and of its square, owner counts [row, column].
std::tuple<std::int64_t, double, double, Array<std::int64_t>, Array<std::int64_t>> owners(const BoundSearch& bound) {
    const RootReport report = bound.with([](const AnySearch& search, Interrupt&) { return search.report(); });
    auto array = [&](const std::vector<std::int64_t>& counts) {
        std::int64_t* data;
        auto result = new_array<std::int64_t>(
            {static_cast<std::size_t>(bound.height), static_cast<std::size_t>(bound.width)}, data);
        std::copy(counts.begin(), counts.end(), data);
        return result;
    };
    return {report.playouts, report.lead, report.lead_squares, array(report.black), array(report.white)};
}

}  // namespace

void bind_search(nb::module_& module) {
    const SearchSettings usual;
    nb::class_<BoundSearch>(module, "Search")
        .def("__init__", &make_search, nb::arg("position"), nb::arg("strong"), nb::arg("seed"), nb::arg("nodes"),
             nb::arg("komi"), nb::arg("territory"), nb::arg("knowledge").none(),
             nb::arg("expand_visits") = usual.expand_visits, nb::arg("rave") = usual.rave,
             nb::arg("lead_weight") = usual.lead_weight, nb::arg("widening") = usual.widening,
             nb::arg("moving_komi") = usual.moving_komi, nb::arg("guided") = usual.guided)
        .def("run", &run, nb::arg("playouts"), nb::arg("seconds"), nb::arg("threads"), nb::arg("barred"),
             nb::arg("guide") = nb::none(), nb::arg("least") = 0)
        .def("advance", &advance, nb::arg("move"))
        .def("moves", &moves)
        .def("owners", &owners)
        .def_prop_ro("nodes",
                     [](const BoundSearch& bound) {
                         return bound.with([](const AnySearch& search, Interrupt&) { return search.nodes(); });
                     })
        .def_prop_ro("caught_up", [](const BoundSearch& bound) {
            return bound.with([](const AnySearch& search, Interrupt&) { return search.caught_up(); });
        });
    module.attr("NODE_BYTES") = sizeof(Node);
}
