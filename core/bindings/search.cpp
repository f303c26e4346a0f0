// Binds search.hpp.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "points.hpp"
#include "row_arrays.hpp"
#include "tengen/search.hpp"

using namespace tengen;

namespace {

// A search on a board of any shape. Calls from several Python threads wait for each other.
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

void make_widening(Widening* place, double first, double growth, double ease, bool by_wins) {
    if (!(given_number(first, "first") > 0) || !(given_number(growth, "growth") >= 1) ||
        !(given_number(ease, "ease") >= 0 && ease < 1))
        throw nb::value_error("widening: first is positive, growth at least 1, ease from 0 to below 1");
    new (place) Widening{first, growth, ease, by_wins};
}

void make_puct(Puct* place, double explore, double reduction, double mix) {
    if (!(given_number(explore, "explore") >= 0) || !(given_number(reduction, "reduction") >= 0) ||
        !(given_number(mix, "mix") >= 0 && mix <= 1))
        throw nb::value_error("PUCT: explore and reduction are not negative, mix is from 0 to 1");
    new (place) Puct{explore, reduction, mix};
}

void make_search(BoundSearch* place, const Position& position, bool strong, std::uint64_t seed, std::uint32_t nodes,
                 double komi, bool territory,
                 const std::optional<std::variant<Knowledge, std::shared_ptr<PlayoutWeights>>>& knowledge,
                 std::uint32_t expand_visits, double rave, double lead_weight, const std::optional<Widening>& widening,
                 int dynamic_komi, const MovePolicy* policy, double policy_weight, const std::optional<Puct>& puct,
                 double bias) {
    if (nodes < 1000 || nodes > 1'000'000'000) throw nb::value_error("a tree has 1,000 to 1,000,000,000 nodes");
    given_number(komi, "komi"), given_number(lead_weight, "lead_weight");
    if (!(given_number(rave, "rave") > 0) || expand_visits < 1)
        throw nb::value_error("rave and expand_visits are positive");
    if (dynamic_komi < 0 || dynamic_komi > 2) throw nb::value_error("dynamic_komi is 0 (off), 1 (ahead) or 2 (both)");
    if (!(given_number(bias, "bias") >= 0) || (bias > 0 && policy == nullptr))
        throw nb::value_error("a bias is not negative and needs a policy");
    SearchSettings settings;
    settings.strong = strong, settings.seed = seed, settings.nodes = nodes, settings.komi = komi,
    settings.territory = territory;
    settings.puct = puct;
    settings.expand_visits = strong && !puct ? expand_visits : 1, settings.rave = rave,
    settings.lead_weight = lead_weight;
    settings.widening = widening, settings.dynamic_komi = static_cast<DynamicKomi>(dynamic_komi);
    settings.policy = policy, settings.priors.policy = static_cast<float>(policy_weight), settings.bias = bias;
    settings.knowledge.reset();
    if (knowledge && knowledge->index() == 0) settings.knowledge = std::get<0>(*knowledge);
    else if (knowledge) settings.learned = std::get<1>(*knowledge);
    auto search = on_its_shape(position.board(), [&](auto board) -> std::unique_ptr<AnySearch> {
        return std::make_unique<Search<typename decltype(board)::shape>>(settings, board, position);
    });
    new (place) BoundSearch{position.board().width(), position.board().height(), std::move(search)};
}

// Converts the result of a guide in Python: the policy [points + 1], Black's winrate in each given position, Black's
// winrate in the position itself, and Black's lead there, which may be left out. Each may be None.
std::vector<double> probabilities(nb::handle given, std::size_t count, const char* name) {
    const auto array = given_array<const double, 1>(given, name);
    if (array.size() != count)
        throw nb::value_error("a guide returns a value for each point and the pass, or each row");
    for (std::size_t i = 0; i < count; ++i)
        if (!(array.data()[i] >= 0 && array.data()[i] <= 1)) throw nb::value_error("a probability is between 0 and 1");
    return {array.data(), array.data() + count};
}

Guidance read_answer(nb::handle answer, const Question& question, std::size_t moves) {
    const std::size_t length = nb::isinstance<nb::tuple>(answer) ? nb::len(answer) : 0;
    if (length != 3 && length != 4) {
        const std::string problem =
            "a guide returns (policy, values, winrate), each of them or None, and perhaps a lead, not " +
            described(answer);
        throw nb::type_error(problem.c_str());
    }
    Guidance guidance;
    const nb::object policy = answer[0], values = answer[1], winrate = answer[2];
    if (!policy.is_none()) guidance.policy = probabilities(policy, moves, "policy");
    if (!values.is_none()) {
        const std::vector<double> rows = probabilities(values, question.moves.size(), "values");
        guidance.values.assign(moves, 0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            guidance.values[static_cast<std::size_t>(question.moves[i])] = rows[i];
    }
    if (!winrate.is_none() &&
        (!nb::try_cast(winrate, guidance.winrate) || !(guidance.winrate >= 0 && guidance.winrate <= 1)))
        throw nb::value_error("a winrate is a number between 0 and 1");
    if (const nb::object lead = length == 4 ? nb::object(answer[3]) : nb::none();
        !lead.is_none() && (!nb::try_cast(lead, guidance.lead) || !std::isfinite(guidance.lead)))
        throw nb::value_error("a lead is a finite number");
    return guidance;
}

// Calls a guide in Python with the arrays of `RowArrays`.
Guide guide_of(const std::optional<nb::callable>& guide, int depth, bool after_moves, double keep,
               const BoundSearch& bound) {
    if (!guide) return {};
    const auto ask = [&guide, &bound](const Question& question) -> std::optional<Guidance> {
        const Callback callback(*bound.queue);
        if (question.too_late && question.too_late()) return {};
        const NewRows rows(question.rows, bound.width, bound.height);
        question.write(rows.rows);
        return read_answer((*guide)(*nb::cast(rows.arrays())), question, bound.moves());
    };
    return {ask, depth, after_moves, keep};
}

std::int64_t run(BoundSearch& bound, std::int64_t playouts, double seconds, int threads, std::vector<int> barred,
                 std::optional<nb::callable> guide, int guided, bool after_moves, double keep, std::int64_t least) {
    if (threads < 1 || threads > 256) throw nb::value_error("threads: 1 to 256");
    if (std::isnan(seconds)) throw nb::value_error("seconds is a number");
    if (guided < 0) throw nb::value_error("guided is a number of moves");
    if (!(keep >= 0 && keep <= 1e6)) throw nb::value_error("keep is a number of moves, or a share below 1");
    if (!barred.empty() && barred.size() != 2 * bound.moves())
        throw nb::value_error("barred: a depth for both colours' every point and pass");
    return bound.with([&](AnySearch& search, Interrupt& interrupt) {
        const Guide asked = guide_of(guide, guided, after_moves, keep, bound);
        return search.run({playouts, seconds, threads, least}, barred, asked, interrupt);
    });
}

bool advance(BoundSearch& bound, int move) {
    if (move < 0 || move >= static_cast<int>(bound.moves())) throw nb::index_error("no such point");
    return bound.with([&](AnySearch& search, Interrupt&) { return search.advance(move); });
}

RootReport report(const BoundSearch& bound) {
    return bound.with([](const AnySearch& search, Interrupt&) { return search.report(); });
}

// The number of playouts in which a colour owned each point [row, column].
template <std::vector<std::int64_t> RootReport::* Counts>
Array<std::int64_t> owned(const RootReport& report) {
    std::int64_t* data;
    auto result = new_array<std::int64_t>(
        {static_cast<std::size_t>(report.height), static_cast<std::size_t>(report.width)}, data);
    std::copy((report.*Counts).begin(), (report.*Counts).end(), data);
    return result;
}

}  // namespace

void bind_search(nb::module_& module) {
    const SearchSettings usual;
    nb::class_<MoveReport>(module, "MoveReport")
        .def_ro("move", &MoveReport::move)
        .def_ro("visits", &MoveReport::visits)
        .def_ro("wins", &MoveReport::wins)
        .def_ro("lead", &MoveReport::lead)
        .def_ro("prior", &MoveReport::prior)
        .def_ro("line", &MoveReport::line)
        .def_ro("line_visits", &MoveReport::line_visits)
        .def(nb::self == nb::self);
    nb::class_<RootReport>(module, "RootReport")
        .def_ro("playouts", &RootReport::playouts)
        .def_ro("lead", &RootReport::lead)
        .def_ro("lead_squares", &RootReport::lead_squares)
        .def_prop_ro("black", &owned<&RootReport::black>, nb::rv_policy::move)
        .def_prop_ro("white", &owned<&RootReport::white>, nb::rv_policy::move)
        .def_ro("moves", &RootReport::moves);
    const Widening coulom;
    nb::class_<Widening>(module, "Widening")
        .def("__init__", &make_widening, nb::arg("first") = coulom.first, nb::arg("growth") = coulom.growth,
             nb::arg("ease") = coulom.ease, nb::arg("by_wins") = coulom.by_wins)
        .def("open", &Widening::open, nb::arg("visits"), nb::arg("wins"), nb::arg("count"));
    const Puct puct;
    nb::class_<Puct>(module, "Puct")
        .def("__init__", &make_puct, nb::arg("explore") = puct.explore, nb::arg("reduction") = puct.reduction,
             nb::arg("mix") = puct.mix);
    nb::class_<BoundSearch>(module, "Search")
        .def("__init__", &make_search, nb::arg("position"), nb::arg("strong"), nb::arg("seed"), nb::arg("nodes"),
             nb::arg("komi"), nb::arg("territory"), nb::arg("knowledge").none(),
             nb::arg("expand_visits") = usual.expand_visits, nb::arg("rave") = usual.rave,
             nb::arg("lead_weight") = usual.lead_weight, nb::arg("widening") = nb::none(),
             nb::arg("dynamic_komi") = static_cast<int>(usual.dynamic_komi), nb::arg("policy").none() = nb::none(),
             nb::arg("policy_weight") = usual.priors.policy, nb::arg("puct") = nb::none(), nb::arg("bias") = usual.bias,
             nb::keep_alive<1, 14>())
        .def("run", &run, nb::arg("playouts"), nb::arg("seconds"), nb::arg("threads"), nb::arg("barred"),
             nb::arg("guide") = nb::none(), nb::arg("guided") = 1, nb::arg("after_moves") = false,
             nb::arg("keep") = 0.0, nb::arg("least") = 0)
        .def("advance", &advance, nb::arg("move"))
        .def("report", &report)
        .def_prop_ro("nodes",
                     [](const BoundSearch& bound) {
                         return bound.with([](const AnySearch& search, Interrupt&) { return search.nodes(); });
                     })
        .def_prop_ro("caught_up", [](const BoundSearch& bound) {
            return bound.with([](const AnySearch& search, Interrupt&) { return search.caught_up(); });
        });
    module.attr("NODE_BYTES") = sizeof(Node);
}
