// Binds pattern.hpp and pattern_table.hpp.
#include <cmath>

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/pattern_replay.hpp"
#include "tengen/pattern_table.hpp"

using namespace tengen;

namespace {

using OneBoard = Given<const std::int8_t, 2>;
using KeyArray = Given<const std::uint64_t, 1>;
using Values = Given<const float, 1>;
using Keys = std::pair<Array<std::uint64_t>, Array<std::int8_t>>;

void check_sides(std::size_t width, std::size_t height) {
    if (std::min(width, height) < MIN_SIDE || std::max(width, height) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
}
void check_templates(int templates) {
    if (templates < 1 || templates > MAX_TEMPLATES) throw nb::value_error("templates: 1 to 14");
}

// The class keys and signs of every point of many boards: [board, row, column, template].
Keys pattern_keys(nb::handle boards, int templates) {
    check_templates(templates);
    const auto stones = given_stones<3>(boards);
    const std::size_t n = stones.shape(0), height = stones.shape(1), width = stones.shape(2);
    check_sides(width, height);
    const auto levels = static_cast<std::size_t>(templates);
    std::uint64_t* keys;
    std::int8_t* signs;
    auto key_array = new_array<std::uint64_t>({n, height, width, levels}, keys);
    auto sign_array = new_array<std::int8_t>({n, height, width, levels}, signs);
    interruptible([&](Interrupt& interrupt) {
        PatternBoard board(static_cast<int>(width), static_cast<int>(height));
        for (std::size_t i = 0; i < n; ++i) {
            interrupt.check();
            board.set_all(stones.data() + i * width * height);
            for (int r = 0; r < board.height(); ++r)
                for (int c = 0; c < board.width(); ++c)
                    board.keys(r, c, templates,
                               [&](int, ClassKey found) { *keys++ = found.key, *signs++ = found.sign; });
        }
    });
    return {key_array, sign_array};
}

// The keys of one board, updated stone by stone. Threads that share an object wait for each other.
class LiveKeys {
public:
    LiveKeys(nb::handle stones, int templates) : LiveKeys(given_stones<2>(stones), templates) {}

    void set(int row, int column, int sign) {
        const PatternBoard& board = keys_.board();
        if (row < 0 || column < 0 || row >= board.height() || column >= board.width())
            throw nb::value_error("no point of the board");
        if (sign < -1 || sign > 1) throw nb::value_error("stones are 1, -1 or 0");
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        keys_.set(row, column, PatternBoard::colour_of(static_cast<std::int8_t>(sign)));
    }
    void update(nb::handle given) {
        const OneBoard stones = given_stones<2>(given);
        const PatternBoard& board = keys_.board();
        if (static_cast<int>(stones.shape(0)) != board.height() || static_cast<int>(stones.shape(1)) != board.width())
            throw nb::value_error("a board of another size");
        put(stones);
    }
    Keys keys() const {
        const auto height = static_cast<std::size_t>(keys_.board().height()),
                   width = static_cast<std::size_t>(keys_.board().width());
        const auto levels = static_cast<std::size_t>(keys_.levels());
        std::uint64_t* keys;
        std::int8_t* signs;
        auto key_array = new_array<std::uint64_t>({height, width, levels}, keys);
        auto sign_array = new_array<std::int8_t>({height, width, levels}, signs);
        {
            nb::gil_scoped_release release;
            const std::lock_guard lock(mutex_);
            std::copy(keys_.keys().begin(), keys_.keys().end(), keys);
            std::copy(keys_.signs().begin(), keys_.signs().end(), signs);
        }
        return {key_array, sign_array};
    }

private:
    PatternKeys keys_;
    mutable std::mutex mutex_;

    LiveKeys(const OneBoard& stones, int templates)
        : keys_(checked(stones, templates), static_cast<int>(stones.shape(0)), templates) {
        put(stones);
    }

    void put(const OneBoard& stones) {
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        const std::int8_t* sign = stones.data();
        for (int r = 0; r < keys_.board().height(); ++r)
            for (int c = 0; c < keys_.board().width(); ++c) keys_.set(r, c, PatternBoard::colour_of(*sign++));
    }

    static int checked(const OneBoard& stones, int templates) {
        check_templates(templates);
        check_sides(stones.shape(1), stones.shape(0));
        return static_cast<int>(stones.shape(1));
    }
};

// The number of key changes of each template in each game, including the first position: [game, template].
Array<std::int64_t> replay_keys(int width, int height, nb::handle given_events, nb::handle given_offsets,
                                int templates) {
    check_templates(templates);
    const auto events = given_array<const std::uint16_t, 1>(given_events, "events");
    const auto offsets = given_array<const std::int64_t, 1>(given_offsets, "event_offsets");
    check_sides(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    if (offsets.shape(0) < 1 || offsets.data()[0] != 0) throw nb::value_error("offsets do not fit the events");
    for (std::size_t i = 1; i < offsets.shape(0); ++i)
        if (offsets.data()[i] < offsets.data()[i - 1] || offsets.data()[i] > static_cast<std::int64_t>(events.shape(0)))
            throw nb::value_error("offsets do not fit the events");
    std::int64_t* changes;
    const auto levels = static_cast<std::size_t>(templates);
    auto array = new_array<std::int64_t>({offsets.shape(0) - 1, levels}, changes);
    interruptible([&](Interrupt& interrupt) {
        const PatternKeys empty(width, height, templates);
        for (std::size_t game = 0; game + 1 < offsets.shape(0); ++game) {
            interrupt.check();
            const std::int64_t first = offsets.data()[game], last = offsets.data()[game + 1];
            count_changes(empty, events.data() + first, static_cast<std::size_t>(last - first),
                          changes + game * levels);
        }
    });
    return array;
}

// A table of values by key; contiguous arrays are kept, others copied. It is immutable, so threads share it freely.
class Table {
public:
    Table(nb::handle keys, nb::handle values, int bits)
        : keys_(given_array<const std::uint64_t, 1>(keys, "keys")),
          values_(given_array<const float, 1>(values, "values")),
          index_(checked(keys_, values_, bits), keys_.shape(0), bits) {}

    std::size_t size() const { return index_.count(); }
    std::size_t bytes() const { return index_.bytes() + size() * (sizeof(std::uint64_t) + sizeof(float)); }

    Array<double> ownership(nb::handle boards, int templates) const {
        check_templates(templates);
        const auto stones = given_stones<3>(boards);
        const std::size_t n = stones.shape(0), height = stones.shape(1), width = stones.shape(2);
        check_sides(width, height);
        double* ownership;
        auto array = new_array<double>({n, height, width}, ownership);
        interruptible([&](Interrupt& interrupt) {
            Matches matches(static_cast<int>(width), static_cast<int>(height), templates);
            for (std::size_t i = 0; i < n; ++i) {
                interrupt.check();
                table_ownership(matches, index_, values_.data(), stones.data() + i * width * height,
                                ownership + i * width * height);
            }
        });
        return array;
    }

    // The index of each key in the table, or −1.
    Array<std::int64_t> find(nb::handle given) const {
        const auto keys = given_array<const std::uint64_t, 1>(given, "keys");
        std::int64_t* places;
        auto array = new_array<std::int64_t>({keys.shape(0)}, places);
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < keys.shape(0); ++i) {
            const std::size_t found = index_.find(keys.data()[i]);
            places[i] = found == KeyIndex::NONE ? -1 : static_cast<std::int64_t>(found);
        }
        return array;
    }

    // One pass of AdaGrad over boards; targets are ownership, NaN where unlabelled. Returns the summed loss. Weights
    // and squares are the caller's arrays; concurrent passes over a table wait for each other.
    double learn(nb::handle boards, nb::handle given_targets, nb::handle given_importance, int templates,
                 nb::handle given_weights, nb::handle given_squares, double rate, double decay) {
        check_templates(templates);
        given_number(rate, "rate"), given_number(decay, "decay");
        const auto stones = given_stones<3>(boards);
        const auto targets = given_array<const float, 3>(given_targets, "targets");
        const auto importance = given_array<const float, 3>(given_importance, "importance");
        const auto weights = given_array<double, 1>(given_weights, "weights"),
                   squares = given_array<double, 1>(given_squares, "squares");
        const std::size_t n = stones.shape(0), height = stones.shape(1), width = stones.shape(2),
                          points = height * width;
        check_sides(width, height);
        for (const auto* array : {&targets, &importance})
            if (array->shape(0) != n || array->shape(1) != height || array->shape(2) != width)
                throw nb::value_error("targets and weights have the shape of the boards");
        if (weights.shape(0) != size() || squares.shape(0) != size())
            throw nb::value_error("one weight for each entry of the table");
        if (weights.data() == squares.data() && size() > 0) throw nb::value_error("weights and squares are two arrays");
        for (std::size_t i = 0; i < n * points; ++i) {
            if (std::abs(targets.data()[i]) > 1)
                throw nb::value_error("targets are from -1 to 1, or NaN where unlabelled");
            if (!(importance.data()[i] >= 0 && std::isfinite(importance.data()[i])))
                throw nb::value_error("importance is finite, from 0");
        }
        return interruptible([&](Interrupt& interrupt) {
            const Turn turn(learning_, interrupt, "this table is learning: a signal handler cannot let it learn");
            Matches matches(static_cast<int>(width), static_cast<int>(height), templates);
            Logistic logistic{weights.data(), squares.data(), rate, decay};
            double loss = 0;
            for (std::size_t i = 0; i < n; ++i) {
                interrupt.check();
                matches.find(index_, stones.data() + i * points, 1);
                for (std::size_t v = 0; v < points; ++v) {
                    const float target = targets.data()[i * points + v];
                    if (!std::isnan(target))
                        loss += logistic.learn(matches, v, (1.0 + target) / 2, importance.data()[i * points + v]);
                }
            }
            return loss;
        });
    }

private:
    KeyArray keys_;
    Values values_;
    KeyIndex index_;
    std::timed_mutex learning_;

    static const std::uint64_t* checked(const KeyArray& keys, const Values& values, int bits) {
        if (bits < 32 || bits > 64) throw nb::value_error("32 to 64 bits of a key are compared");
        if (keys.shape(0) != values.shape(0)) throw nb::value_error("one value for each key");
        if (keys.shape(0) >= (std::size_t{1} << 32)) throw nb::value_error("too many keys");
        for (std::size_t i = 1; i < keys.shape(0); ++i)
            if (keys.data()[i] <= keys.data()[i - 1]) throw nb::value_error("keys rise");
        return keys.data();
    }
};

}  // namespace

void bind_pattern(nb::module_& module) {
    module.def("pattern_keys", &pattern_keys, nb::arg("stones"), nb::arg("templates"));
    module.def("replay_keys", &replay_keys, nb::arg("width"), nb::arg("height"), nb::arg("events"),
               nb::arg("event_offsets"), nb::arg("templates"));
    nb::class_<LiveKeys>(module, "PatternKeys")
        .def(nb::init<nb::handle, int>(), nb::arg("stones"), nb::arg("templates"))
        .def("set", &LiveKeys::set, nb::arg("row"), nb::arg("column"), nb::arg("sign"))
        .def("update", &LiveKeys::update, nb::arg("stones"))
        .def("keys", &LiveKeys::keys);
    nb::class_<Table>(module, "PatternTable")
        .def(nb::init<nb::handle, nb::handle, int>(), nb::arg("keys"), nb::arg("values"), nb::arg("bits") = 64)
        .def("__len__", &Table::size)
        .def_prop_ro("bytes", &Table::bytes)
        .def("ownership", &Table::ownership, nb::arg("stones"), nb::arg("templates"))
        .def("find", &Table::find, nb::arg("keys"))
        .def("learn", &Table::learn, nb::arg("stones"), nb::arg("targets"), nb::arg("importance"), nb::arg("templates"),
             nb::arg("weights"), nb::arg("squares"), nb::arg("rate"), nb::arg("decay"));
}
