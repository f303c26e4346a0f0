// Binds patch_features.hpp and linear_td.hpp.
#include "tengen/linear_td.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "interruptible.hpp"
#include "points.hpp"

using namespace tengen;

namespace {

using Features = std::shared_ptr<const PatchFeatures>;
using Moves = Given<const std::int16_t, 1>;

std::shared_ptr<PatchFeatures> make_features(int width, int height, const std::vector<int>& sizes, bool shared,
                                             nb::handle given_table) {
    if (std::min(width, height) < MIN_SIDE || std::max(width, height) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
    if (sizes.empty()) throw nb::value_error("sizes: name at least one");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] < 1 || sizes[i] > std::min({PatchFeatures::MAX_WINDOW, width, height}) ||
            (i > 0 && sizes[i] <= sizes[i - 1]))
            throw nb::value_error("sizes: rising numbers from 1 to 3, at most the sides of the board");
    if (given_table.is_none())
        return std::make_shared<PatchFeatures>(width, height, sizes, shared, std::vector<float>{}, 0);
    const auto table = given_array<const float, 2>(given_table, "table");
    if (sizes.size() > 1) throw nb::value_error("a table needs windows of a single size");
    if (table.shape(0) != PatchFeatures::patch_count(sizes[0]) || table.shape(1) < 1 || table.shape(1) > 10'000)
        throw nb::value_error("table: a row for each patch, with 1 to 10000 features");
    if (std::any_of(table.data(), table.data() + table.size(), [](float x) { return !(std::abs(x) <= 1e6f); }))
        throw nb::value_error("table: a number is not finite, or above 1e6");
    return std::make_shared<PatchFeatures>(
        width, height, sizes, shared, std::vector<float>(table.data(), table.data() + table.size()), table.shape(1));
}

// Boards and the colour whose view is taken of each (1 or −1), read one after the other.
class ViewedBoards {
public:
    ViewedBoards(const PatchFeatures& features, nb::handle given, nb::handle given_own)
        : stones_(given_stones<3>(given)), own_(given_array<const std::int8_t, 1>(given_own, "own")), codes_(features) {
        if (stones_.shape(1) != static_cast<std::size_t>(features.height()) ||
            stones_.shape(2) != static_cast<std::size_t>(features.width()))
            throw nb::value_error(("stones: boards of " + std::to_string(features.width()) + "×" +
                                   std::to_string(features.height()) + " points are needed")
                                      .c_str());
        if (own_.shape(0) != size()) throw nb::value_error("own: one colour for each board");
        for (std::size_t i = 0; i < size(); ++i)
            if (own_.data()[i] != 1 && own_.data()[i] != -1) throw nb::value_error("own: colours are 1 or -1");
    }

    std::size_t size() const { return stones_.shape(0); }
    Colour own(std::size_t i) const { return own_.data()[i] == 1 ? BLACK : WHITE; }

    const PatchCodes& read(std::size_t i) {
        const std::size_t points = stones_.shape(1) * stones_.shape(2);
        codes_.clear();
        for (std::size_t p = 0; p < points; ++p)
            if (const int stone = stones_.data()[i * points + p]; stone != 0)
                codes_.change(p, EMPTY, stone == 1 ? BLACK : WHITE);
        return codes_;
    }

private:
    Given<const std::int8_t, 3> stones_;
    Given<const std::int8_t, 1> own_;
    PatchCodes codes_;
};

// Calls task(board, own, codes) for each board without Python's lock.
template <class Task>
void each_board(ViewedBoards& boards, Task task) {
    interruptible([&](Interrupt& interrupt) {
        for (std::size_t i = 0; i < boards.size(); ++i) {
            task(i, boards.own(i), boards.read(i));
            interrupt.work(1000);
        }
    });
}

// the codes of all windows [n, window]
Array<std::uint16_t> codes(const PatchFeatures& features, nb::handle stones, nb::handle own) {
    ViewedBoards boards(features, stones, own);
    std::uint16_t* data;
    auto array = new_array<std::uint16_t>({boards.size(), features.windows()}, data);
    each_board(boards, [&](std::size_t, Colour view, const PatchCodes& found) {
        data = std::copy(found.view(view).begin(), found.view(view).end(), data);
    });
    return array;
}

// all features [n, feature]
Array<float> matrix(const PatchFeatures& features, nb::handle stones, nb::handle own) {
    ViewedBoards boards(features, stones, own);
    float* data;
    auto array = new_array<float>({boards.size(), features.size()}, data);
    std::fill_n(data, boards.size() * features.size(), 0.0f);
    each_board(boards, [&](std::size_t i, Colour view, const PatchCodes& found) {
        float* row = data + i * features.size();
        for (std::size_t w = 0; w < features.windows(); ++w)
            features.each_feature(w, found.view(view)[w], [&](std::size_t feature, float by) { row[feature] += by; });
    });
    return array;
}

double checked(double value, double least, double most, const char* name) {
    if (given_number(value, name) < least || value > most)
        throw nb::value_error((std::string(name) + " is out of range").c_str());
    return value;
}

std::shared_ptr<LinearValue> make_value(const std::shared_ptr<PatchFeatures>& features, nb::handle given,
                                        bool black_view) {
    const auto weights = given_array<const double, 1>(given, "weights");
    if (weights.shape(0) != features->size() + 1)
        throw nb::value_error("weights: one for each feature and one for komi are needed");
    if (std::any_of(weights.data(), weights.data() + weights.size(), [](double x) { return !(std::abs(x) <= 1e9); }))
        throw nb::value_error("weights: a number is not finite, or above 1e9");
    return std::make_shared<LinearValue>(features, std::vector<double>(weights.data(), weights.data() + weights.size()),
                                         black_view);
}

Array<double> weights(const LinearValue& value) {
    double* data;
    auto array = new_array<double>({value.weights.size()}, data);
    std::copy(value.weights.begin(), value.weights.end(), data);
    return array;
}

// the logit of Black's win [n]; movers: who moved last
Array<double> logits(const LinearValue& value, nb::handle stones, nb::handle movers, nb::handle given_komi) {
    ViewedBoards boards(*value.features, stones, movers);
    const auto komi = given_array<const double, 1>(given_komi, "komi");
    if (komi.shape(0) != boards.size()) throw nb::value_error("komi: one number for each board");
    for (std::size_t i = 0; i < boards.size(); ++i) checked(komi.data()[i], -1000, 1000, "komi");
    double* data;
    auto array = new_array<double>({boards.size()}, data);
    each_board(boards, [&](std::size_t i, Colour mover, const PatchCodes& found) {
        data[i] = value.logit(found, mover, komi.data()[i]);
    });
    return array;
}

// the logit of Black's win after each move [points + 1], the pass last; NaN where the player may not play
Array<double> after_moves(const LinearValue& value, const Position& position, double komi, bool forbid_own_eye) {
    const GeneralBoard& board = position.board();
    if (board.width() != value.features->width() || board.height() != value.features->height())
        throw nb::value_error("position: the board has another size");
    checked(komi, -1000, 1000, "komi");
    const auto points = static_cast<std::size_t>(board.width() * board.height());
    const Colour mover = position.to_play();
    double* data;
    auto array = new_array<double>({points + 1}, data);
    std::fill_n(data, points, std::nan(""));
    LinearPlayer player(value);
    player.codes.read(board);
    const double pass = data[points] = value.logit(player.codes, mover, komi);
    player.each_move(board, mover, forbid_own_eye, [&](Point p, double gain) {
        data[player.codes.index<AnyShape>(p)] = pass + (mover == BLACK ? gain : -gain);
    });
    return array;
}

TdLearner::Settings learner_settings(double alpha, double lambda, bool logistic) {
    return {checked(alpha, 0, 1e6, "alpha"), checked(lambda, 0, 1, "lambda"), logistic};
}

template <class Ask>
auto for_shape(const PatchFeatures& features, Ask ask) {
    const int side = features.width() == features.height() ? features.width() : 0;
    if (side == 9) return ask.template operator()<Square<9>>();
    if (side == 19) return ask.template operator()<Square<19>>();
    return ask.template operator()<AnyShape>();
}

// Learns recorded games, all checked before the first is learned: game g has the moves from offsets[g] on, Black first.
std::shared_ptr<LinearValue> learn(const LinearValue& value, nb::handle given_moves, nb::handle given_offsets,
                                   nb::handle given_results, nb::handle given_komi, double alpha, double lambda,
                                   bool logistic) {
    const auto moves = given_array<const std::int16_t, 1>(given_moves, "moves");
    const auto offsets = given_array<const std::int64_t, 1>(given_offsets, "offsets");
    const auto results = given_array<const double, 1>(given_results, "results");
    const auto komi = given_array<const double, 1>(given_komi, "komi");
    const std::size_t games = results.shape(0);
    if (offsets.shape(0) != games + 1 || komi.shape(0) != games)
        throw nb::value_error("offsets, results and komi are of different numbers of games");
    for (std::size_t g = 0; g <= games; ++g)
        if (offsets.data()[g] < (g == 0 ? 0 : offsets.data()[g - 1]) || (g == 0 && offsets.data()[0] != 0) ||
            (g == games && offsets.data()[g] != static_cast<std::int64_t>(moves.shape(0))))
            throw nb::value_error("offsets do not fit the moves");
    for (std::size_t g = 0; g < games; ++g) {
        checked(results.data()[g], 0, 1, "results");
        checked(komi.data()[g], -1000, 1000, "komi");
    }
    const TdLearner::Settings settings = learner_settings(alpha, lambda, logistic);
    auto learned = std::make_shared<LinearValue>(value);
    interruptible([&](Interrupt& interrupt) {
        for_shape(*value.features, [&]<class Shape>() {
            const auto game = [&](std::size_t g) {
                interrupt.check();
                const auto first = static_cast<std::size_t>(offsets.data()[g]);
                const auto end = static_cast<std::size_t>(offsets.data()[g + 1]);
                return std::span<const std::int16_t>(moves.data() + first, end - first);
            };
            PatchCodes codes(*value.features);
            for (std::size_t g = 0; g < games; ++g) replay_moves<Shape>(*value.features, game(g), codes, [](Colour) {});
            TdLearner learner(*learned, settings);
            for (std::size_t g = 0; g < games; ++g)
                learn_game<Shape>(*value.features, game(g), results.data()[g], komi.data()[g], codes, learner);
        });
    });
    return learned;
}

using Played = std::tuple<std::shared_ptr<LinearValue>, Array<std::int16_t>, Array<std::int64_t>, Array<double>>;

// Plays games first … first + games − 1 of a seed: against another value, which does not learn, with Black in the even
// ones, or against itself. Epsilon falls in equal steps from `epsilon` to `last_epsilon`; the opponent's is constant.
// Returns the learned value, the moves, where the moves of each game begin, and Black's leads.
Played play(const LinearValue& value, const LinearValue* opponent, std::int64_t games, std::int64_t first,
            std::uint64_t seed, double epsilon, double last_epsilon, double opponent_epsilon, double komi,
            int max_moves, bool forbid_own_eye, double alpha, double lambda, bool logistic) {
    if (games < 0 || games > 10'000'000 || first < 0) throw nb::value_error("games: 0 to 10000000");
    if (max_moves < 0 || max_moves > 10'000) throw nb::value_error("max_moves: 0 to 10000");
    for (const double each : {epsilon, last_epsilon, opponent_epsilon}) checked(each, 0, 1, "epsilon");
    if (opponent != nullptr && (opponent->features->width() != value.features->width() ||
                                opponent->features->height() != value.features->height()))
        throw nb::value_error("opponent: its board has another size");
    const GameSettings settings{checked(komi, -1000, 1000, "komi"), max_moves, forbid_own_eye};
    const TdLearner::Settings learning = learner_settings(alpha, lambda, logistic);
    auto learned = std::make_shared<LinearValue>(value);
    std::vector<std::int16_t> moves;
    std::vector<std::int64_t> offsets{0};
    std::vector<double> leads;
    interruptible([&](Interrupt& interrupt) {
        for_shape(*value.features, [&]<class Shape>() {
            TdLearner learner(*learned, learning);
            LinearPlayer player(*learned), frozen(opponent != nullptr ? *opponent : *learned);
            for (std::int64_t i = 0; i < games; ++i) {
                interrupt.check();
                const double done = games > 1 ? static_cast<double>(i) / static_cast<double>(games - 1) : 0;
                const TdSide mine{player, epsilon + (last_epsilon - epsilon) * done};
                const TdSide other = opponent != nullptr ? TdSide{frozen, opponent_epsilon} : mine;
                const bool black = (first + i) % 2 == 0;
                Random random(seed, static_cast<std::uint64_t>(first + i));
                const PlayedGame game = play_game<Shape>(black ? mine : other, black ? other : mine, *value.features,
                                                         learner, settings, random);
                moves.insert(moves.end(), game.moves.begin(), game.moves.end());
                offsets.push_back(static_cast<std::int64_t>(moves.size()));
                leads.push_back(game.lead);
            }
        });
    });
    std::int16_t* move;
    std::int64_t* offset;
    double* lead;
    auto result = Played(learned, new_array<std::int16_t>({moves.size()}, move),
                         new_array<std::int64_t>({offsets.size()}, offset), new_array<double>({leads.size()}, lead));
    std::copy(moves.begin(), moves.end(), move);
    std::copy(offsets.begin(), offsets.end(), offset);
    std::copy(leads.begin(), leads.end(), lead);
    return result;
}

}  // namespace

void bind_linear_td(nb::module_& module) {
    nb::class_<PatchFeatures>(module, "PatchFeatures")
        .def(nb::new_(&make_features), nb::arg("width"), nb::arg("height"), nb::arg("sizes"), nb::arg("shared"),
             nb::arg("table").none())
        .def("__len__", &PatchFeatures::size)
        .def_prop_ro("width", &PatchFeatures::width)
        .def_prop_ro("height", &PatchFeatures::height)
        .def_prop_ro("windows", &PatchFeatures::windows)
        .def("codes", &codes, nb::arg("stones"), nb::arg("own"))
        .def("matrix", &matrix, nb::arg("stones"), nb::arg("own"));
    // Never changed: learning makes a new one.
    nb::class_<LinearValue>(module, "LinearValue")
        .def(nb::new_(&make_value), nb::arg("features"), nb::arg("weights"), nb::arg("black_view"))
        .def("weights", &weights)
        .def("logits", &logits, nb::arg("stones"), nb::arg("movers"), nb::arg("komi"))
        .def("after_moves", &after_moves, nb::arg("position"), nb::arg("komi"), nb::arg("forbid_own_eye"))
        .def("learn", &learn, nb::arg("moves"), nb::arg("offsets"), nb::arg("results"), nb::arg("komi"),
             nb::arg("alpha"), nb::arg("decay"), nb::arg("logistic"))
        .def("play", &play, nb::arg("opponent").none(), nb::arg("games"), nb::arg("first"), nb::arg("seed"),
             nb::arg("epsilon"), nb::arg("last_epsilon"), nb::arg("opponent_epsilon"), nb::arg("komi"),
             nb::arg("max_moves"), nb::arg("forbid_own_eye"), nb::arg("alpha"), nb::arg("decay"), nb::arg("logistic"));
}
