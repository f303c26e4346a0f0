// Binds competitions.hpp with bradley_terry.hpp, latent_factors.hpp and bayesian_ranking.hpp.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/bayesian_ranking.hpp"
#include "tengen/latent_factors.hpp"

using namespace tengen;

namespace {

using Numbers = Given<const std::int64_t, 1>;

constexpr std::size_t MOST_LEVELS = std::size_t{1} << 24;

[[noreturn]] void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

int checked_threads(int threads) {
    if (threads < 1 || threads > 256) refuse("threads: 1 to 256");
    return threads;
}

// Competitions with the arrays they lie in. Arrays are kept, not copied, and must not change.
class BoundCompetitions {
public:
    // levels, columns: of each table.
    BoundCompetitions(nb::handle starts, nb::handle winners, const nb::list& columns, const std::vector<long>& levels,
                      const std::vector<long>& widths)
        : starts_(given_array<const std::int64_t, 1>(starts, "starts")),
          winners_(given_array<const std::int64_t, 1>(winners, "winners")) {
        add_tables(levels, widths, columns.size());
        data.positions = winners_.shape(0), data.starts = starts_.data(), data.winners = winners_.data();
        for (const nb::handle column : columns) add_column(column);
        interruptible([&](Interrupt& interrupt) { check(interrupt); });
    }

    Competitions data;

    // Positions given by number.
    std::span<const std::int64_t> checked_order(const Numbers& order) const {
        for (std::size_t i = 0; i < order.size(); ++i)
            if (order.data()[i] < 0 || order.data()[i] >= static_cast<std::int64_t>(data.positions))
                refuse("order: a number of no position");
        return {order.data(), order.size()};
    }

private:
    Numbers starts_, winners_;
    std::vector<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>> columns_;

    void add_tables(const std::vector<long>& levels, const std::vector<long>& widths, std::size_t columns) {
        if (levels.size() != widths.size()) refuse("one number of columns for each table");
        std::size_t column = 0;
        for (std::size_t t = 0; t < levels.size(); ++t) {
            if (levels[t] < 1 || widths[t] < 1) refuse("a table has at least one level and one column");
            const auto count = static_cast<std::size_t>(levels[t]), width = static_cast<std::size_t>(widths[t]);
            if (count > MOST_LEVELS || data.levels + count > MOST_LEVELS) refuse("at most 16,777,215 levels");
            if (width > MOST_COLUMNS || column + width > MOST_COLUMNS) refuse("at most 40 columns");
            data.tables.push_back({data.levels - 1, count, column, width});
            data.levels += count, column += width;
        }
        if (column != columns) refuse("one array for each column of the tables");
    }

    void add_column(nb::handle given) {
        nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
        if (!nb::try_cast(given, array, false))
            throw nb::type_error(
                ("a column is a contiguous array with one dimension, not " + described(given)).c_str());
        if (array.dtype() == nb::dtype<std::uint8_t>())
            data.columns.emplace_back(static_cast<const std::uint8_t*>(array.data()));
        else if (array.dtype() == nb::dtype<std::uint16_t>())
            data.columns.emplace_back(static_cast<const std::uint16_t*>(array.data()));
        else if (array.dtype() == nb::dtype<std::uint32_t>())
            data.columns.emplace_back(static_cast<const std::uint32_t*>(array.data()));
        else throw nb::type_error(("a column is of uint8, uint16 or uint32, not " + described(given)).c_str());
        columns_.push_back(array);
    }

    void check(Interrupt& interrupt) const {
        if (starts_.shape(0) != data.positions + 1) refuse("starts has one number more than winners");
        if (starts_.data()[0] != 0) refuse("starts begins with 0");
        for (std::size_t j = 0; j < data.positions; ++j) {
            if (starts_.data()[j + 1] <= starts_.data()[j]) refuse("starts rises: a position has at least one move");
            if (winners_.data()[j] < starts_.data()[j] || winners_.data()[j] >= starts_.data()[j + 1])
                refuse("a winner is a row of its position");
        }
        for (const auto& column : columns_)
            if (column.shape(0) != data.rows()) refuse("a column has one level for each row");
        for (const WeightTable& table : data.tables)
            for (std::size_t c = table.first_column; c < table.first_column + table.columns; ++c)
                for (std::size_t j = 0; j < data.positions; ++j) {
                    interrupt.work(data.moves(j) / 8);
                    data.with_levels(c, j, [&](auto levels) {
                        std::uint32_t most = 0;
                        for (std::size_t move = 0, moves = data.moves(j); move < moves; ++move)
                            most = std::max<std::uint32_t>(most, levels[move]);
                        if (most > table.levels)
                            refuse("column " + std::to_string(c) + " holds level " + std::to_string(most) +
                                   ", its table ends at " + std::to_string(table.levels));
                    });
                }
    }
};

// Numbers by level, all finite.
template <class T>
Given<T, 1> by_level(const BoundCompetitions& bound, nb::handle given, const char* name) {
    const auto array = given_array<T, 1>(given, name);
    if (array.shape(0) != bound.data.levels)
        refuse(std::string(name) + ": one number for each level, and one for none");
    for (std::size_t i = 0; i < array.size(); ++i) given_number(array.data()[i], name);
    return array;
}

// Rows of FACTORS floats by level.
template <class T>
Given<T, 2> factor_rows(const BoundCompetitions& bound, nb::handle given, const char* name) {
    const auto array = given_array<T, 2>(given, name);
    if (array.shape(0) != bound.data.levels || array.shape(1) != FACTORS)
        refuse(std::string(name) + ": eight numbers for each level, and for none");
    for (std::size_t i = 0; i < array.size(); ++i) given_number(static_cast<double>(array.data()[i]), name);
    return array;
}

template <class T>
auto* as_rows(const Given<T, 2>& array) {
    using Row = std::conditional_t<std::is_const_v<T>, const FactorRow, FactorRow>;
    return reinterpret_cast<Row*>(array.data());
}

// loss, gradient, curvature (zeros unless asked for)
std::tuple<double, Array<double>, Array<double>> gradient(const BoundCompetitions& bound, nb::handle given,
                                                          std::size_t first, std::size_t last, bool curvature,
                                                          int threads) {
    const auto weights = by_level<const double>(bound, given, "weights");
    checked_threads(threads);
    if (first > last || last > bound.data.positions) refuse("a range of positions lies between 0 and their number");
    double *slopes, *bends;
    auto slope_array = new_array<double>({bound.data.levels}, slopes);
    auto bend_array = new_array<double>({curvature ? bound.data.levels : 0}, bends);
    const double loss = interruptible([&](Interrupt& interrupt) {
        return softmax_gradient(bound.data, weights.data(), {first, last}, threads, slopes, curvature ? bends : nullptr,
                                interrupt);
    });
    return {loss, slope_array, bend_array};
}

double learn(const BoundCompetitions& bound, nb::handle given_rows, nb::handle given_squares, nb::handle given_order,
             double rate, double decay) {
    const auto rows = factor_rows<float>(bound, given_rows, "factors");
    const auto squares = factor_rows<float>(bound, given_squares, "squares");
    if (rows.data() == squares.data()) refuse("factors and squares are two arrays");
    const auto numbers = given_array<const std::int64_t, 1>(given_order, "order");
    const auto order = bound.checked_order(numbers);
    if (given_number(rate, "rate") < 0 || given_number(decay, "decay") < 0) refuse("rate and decay are at least 0");
    const FactorLearner learner{as_rows(rows), as_rows(squares), static_cast<float>(rate), static_cast<float>(decay)};
    return interruptible([&](Interrupt& interrupt) { return learn_factors(bound.data, order, learner, interrupt); });
}

// ranks and −ln P of the winners
std::pair<Array<double>, Array<double>> winner_ranks(const BoundCompetitions& bound, nb::handle given, int threads) {
    const auto rows = factor_rows<const float>(bound, given, "factors");
    checked_threads(threads);
    double *ranks, *losses;
    auto rank_array = new_array<double>({bound.data.positions}, ranks);
    auto loss_array = new_array<double>({bound.data.positions}, losses);
    interruptible(
        [&](Interrupt& interrupt) { rank_winners(bound.data, as_rows(rows), threads, ranks, losses, interrupt); });
    return {rank_array, loss_array};
}

template <class Learner>
void learn_beliefs_in_order(const BoundCompetitions& bound, nb::handle given_means, nb::handle given_variances,
                            nb::handle given_order) {
    const auto means = by_level<double>(bound, given_means, "means");
    const auto variances = by_level<double>(bound, given_variances, "variances");
    if (means.data() == variances.data()) refuse("means and variances are two arrays");
    for (std::size_t i = 0; i < variances.size(); ++i)
        if (!(variances.data()[i] > 0)) refuse("variances are positive");
    const auto numbers = given_array<const std::int64_t, 1>(given_order, "order");
    const auto order = bound.checked_order(numbers);
    interruptible([&](Interrupt& interrupt) {
        learn_beliefs<Learner>(bound.data, order, {means.data(), variances.data()}, interrupt);
    });
}

class BoundMaximization {
    const Competitions& data_;
    std::optional<MinorizationMaximization> state_;
    std::timed_mutex queue_;

    template <class Job>
    auto alone(Job job) {
        return interruptible([&](Interrupt& interrupt) {
            const Turn turn(queue_, interrupt, "these weights are being changed: a signal handler cannot use them");
            return job(interrupt);
        });
    }

public:
    BoundMaximization(const BoundCompetitions& bound, int threads) : data_(bound.data) {
        checked_threads(threads);
        interruptible([&](Interrupt& interrupt) { state_.emplace(data_, threads, interrupt); });
    }

    double update(std::size_t table) {
        if (table >= data_.tables.size()) refuse("no such table");
        return alone([&](Interrupt& interrupt) { return state_->update(table, interrupt); });
    }
    void refresh() {
        alone([&](Interrupt& interrupt) { state_->refresh(interrupt); });
    }
    double objective() {
        return alone([&](Interrupt&) { return state_->objective(); });
    }
    Array<double> gammas() {
        double* out;
        auto array = new_array<double>({data_.levels}, out);
        alone([&](Interrupt&) { std::copy(state_->gammas().begin(), state_->gammas().end(), out); });
        return array;
    }
};

}  // namespace

void bind_bradley_terry(nb::module_& module) {
    nb::class_<BoundCompetitions>(module, "Competitions")
        .def(nb::init<nb::handle, nb::handle, const nb::list&, const std::vector<long>&, const std::vector<long>&>(),
             nb::arg("starts"), nb::arg("winners"), nb::arg("columns"), nb::arg("levels"), nb::arg("widths"))
        .def_prop_ro("levels", [](const BoundCompetitions& bound) { return bound.data.levels; })
        .def("gradient", &gradient, nb::arg("weights"), nb::arg("first"), nb::arg("last"), nb::arg("curvature"),
             nb::arg("threads"))
        .def("learn", &learn, nb::arg("factors"), nb::arg("squares"), nb::arg("order"), nb::arg("rate"),
             nb::arg("decay"))
        .def("ranks", &winner_ranks, nb::arg("factors"), nb::arg("threads"))
        .def("approximate", &learn_beliefs_in_order<BayesianApproximation>, nb::arg("means"), nb::arg("variances"),
             nb::arg("order"))
        .def("compare", &learn_beliefs_in_order<LoopyRanking>, nb::arg("means"), nb::arg("variances"),
             nb::arg("order"));
    nb::class_<BoundMaximization>(module, "MinorizationMaximization")
        .def(nb::init<const BoundCompetitions&, int>(), nb::arg("competitions"), nb::arg("threads"),
             nb::keep_alive<1, 2>())
        .def_prop_ro("objective", &BoundMaximization::objective)
        .def("gammas", &BoundMaximization::gammas)
        .def("update", &BoundMaximization::update, nb::arg("table"))
        .def("refresh", &BoundMaximization::refresh);
}
