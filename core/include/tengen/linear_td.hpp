// A linear value of positions after a move, learned by temporal differences (Largman & Pham §2.2).
//
// Reading guide: LinearValue says who wins, TdLearner changes its weights along a game, LinearPlayer chooses moves,
// play_game() plays one game and learn_game() follows a recorded one. The value is
//     V(s) = sigmoid(θ · φ(s)),   φ = the patches of the position (patch_features.hpp) and own komi / 10,
// in the view of the player who moved last, or always in Black's. With U(s) = P(Black wins), which is V or 1 − V,
//     δ = U(s') − U(s) (at the end: the result − U(s)),   e ← λ e + ∇,   θ ← θ + α δ e,
// where ∇ is the derivative of U by θ (squared loss) or of its logit (logistic loss). In the view of the players this
// is the difference 1 − V(s') − V(s), because s' is seen by the opponent. The paper prints V(s) for both terms of δ.
// The empty board is the first position of a game.
//
// All moves of a position are valued by the change of θ · φ: only windows that see a changed point count.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "patch_features.hpp"
#include "playout.hpp"
#include "tactics.hpp"

namespace tengen {

class LinearValue {
public:
    static constexpr double KOMI_UNIT = 10;

    // The last weight is that of the own komi.
    LinearValue(std::shared_ptr<const PatchFeatures> given, std::vector<double> start, bool only_black)
        : features(std::move(given)), weights(std::move(start)), black_view(only_black) {}

    Colour view(Colour mover) const { return black_view ? BLACK : mover; }
    static double own_komi(Colour view, double komi) { return (view == BLACK ? -komi : komi) / KOMI_UNIT; }

    // The logit of Black's win after a move of a colour.
    double logit(const PatchCodes& codes, Colour mover, double komi) const {
        return logit(codes.view(view(mover)), view(mover), komi);
    }
    double logit(const PatchCodes::Codes& codes, Colour seen_by, double komi) const {
        double sum = weights.back() * own_komi(seen_by, komi);
        for (std::size_t w = 0; w < codes.size(); ++w) sum += features->score(weights, w, codes[w]);
        return seen_by == BLACK ? sum : -sum;
    }

    std::shared_ptr<const PatchFeatures> features;
    std::vector<double> weights;
    bool black_view;
};

inline double sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

// Learns one game; a rate of 0 learns nothing.
class TdLearner {
public:
    struct Settings {
        double alpha = 0, lambda = 0;
        bool logistic = false;
    };

    TdLearner(LinearValue& value, const Settings& settings)
        : value_(value), settings_(settings), trace_(value.weights.size()), is_traced_(value.weights.size()) {}

    void begin(const PatchCodes& codes, double komi) {
        komi_ = komi;
        fade(0);
        remember(codes, WHITE);
    }

    // The position after the next move.
    void reach(const PatchCodes& codes, Colour mover) {
        if (settings_.alpha == 0) return;
        learn(sigmoid(value_.logit(codes, mover, komi_)));
        remember(codes, mover);
    }

    // The game is over: 1 Black has won, 0 White, ½ nobody.
    void end(double result) {
        if (settings_.alpha != 0) learn(result);
    }

private:
    LinearValue& value_;
    const Settings settings_;
    double komi_ = 0;
    PatchCodes::Codes before_;  // the position to learn
    Colour view_ = BLACK;
    std::vector<double> trace_;
    std::vector<std::uint8_t> is_traced_;
    std::vector<std::size_t> traced_;  // the weights with a trace

    void remember(const PatchCodes& codes, Colour mover) {
        view_ = value_.view(mover);
        before_ = codes.view(view_);
    }

    void learn(double target) {
        const double chance = sigmoid(value_.logit(before_, view_, komi_));
        fade(settings_.lambda);
        const double slope = (view_ == BLACK ? 1 : -1) * (settings_.logistic ? 1 : chance * (1 - chance));
        const auto add = [&](std::size_t feature, double by) {
            if (!is_traced_[feature]) is_traced_[feature] = true, traced_.push_back(feature);
            trace_[feature] += slope * by;
        };
        for (std::size_t w = 0; w < before_.size(); ++w)
            value_.features->each_feature(w, before_[w], [&](std::size_t feature, float by) { add(feature, by); });
        add(trace_.size() - 1, LinearValue::own_komi(view_, komi_));
        const double step = settings_.alpha * (target - chance);
        for (const std::size_t feature : traced_) value_.weights[feature] += step * trace_[feature];
    }

    // Multiplies all traces; 0 forgets them.
    void fade(double by) {
        for (const std::size_t feature : traced_) trace_[feature] *= by;
        if (by > 0) return;
        for (const std::size_t feature : traced_) is_traced_[feature] = false;
        traced_.clear();
    }
};

// Whether a player that values positions may choose a point: it never commits suicide.
template <class Shape>
bool may_play(const Board<Shape>& board, Point p, Colour mover, bool forbid_own_eye) {
    return is_allowed(board, p, mover) && !(forbid_own_eye && board.is_eye(p, mover));
}

// Values the moves of a position.
class LinearPlayer {
public:
    explicit LinearPlayer(const LinearValue& value)
        : codes(*value.features), value_(value), scores_(codes.view(BLACK).size()), change_(scores_.size()) {}

    // Calls visit(p, gain) for every move the player may choose: how much it adds to the logit of the mover's win,
    // compared with a pass.
    template <class Shape, class Visit>
    void each_move(const Board<Shape>& board, Colour mover, bool forbid_own_eye, Visit visit) {
        const PatchFeatures& features = *value_.features;
        const Colour view = value_.view(mover);
        const PatchCodes::Codes& seen = codes.view(view);
        for (std::size_t w = 0; w < seen.size(); ++w) scores_[w] = features.score(value_.weights, w, seen[w]);
        for (int r = 0; r < board.height(); ++r)
            for (int c = 0; c < board.width(); ++c)
                if (const Point p = Shape::point(r, c); may_play(board, p, mover, forbid_own_eye)) {
                    const double gain = captures(board, p, mover)
                                            ? with_captures(board, p, mover, view)
                                            : without_captures(codes.index<Shape>(p), mover, view);
                    visit(p, view == mover ? gain : -gain);
                }
    }

    // The best move, or with probability epsilon any; NO_POINT passes. Among equals the choice is random. A player that
    // may not fill its eyes passes only if it has no other move; for others a pass is a move like any other, as they
    // would never end a game otherwise.
    template <class Shape>
    Point choose(const Board<Shape>& board, Colour mover, bool forbid_own_eye, double epsilon, Random& random) {
        const bool greedy = static_cast<double>(random.next() >> 11) * 0x1p-53 >= epsilon;
        Point best = NO_POINT;
        double most = 0;
        int equals = forbid_own_eye ? 0 : 1;
        const auto consider = [&](Point p, double gain) {
            if (equals > 0 && gain < most) return;
            if (equals == 0 || gain > most) equals = 0, most = gain;
            if (random.below(++equals) == 0) best = p;
        };
        if (greedy) each_move(board, mover, forbid_own_eye, consider);
        else
            for (int i = 0; i < board.empty_count(); ++i)
                if (may_play(board, board.empty(i), mover, forbid_own_eye)) consider(board.empty(i), 0);
        return best;
    }

    PatchCodes codes;

private:
    const LinearValue& value_;
    std::vector<double> scores_;  // of the windows of the position
    std::vector<int> change_;     // of the codes of windows; 0 between moves
    std::vector<std::uint32_t> changed_;

    template <class Shape>
    static bool captures(const Board<Shape>& board, Point p, Colour mover) {
        bool any = false;
        for (Point n : Shape::neighbours(p))
            any = either(any, both(board.colour(n) == opponent(mover), board.liberty_count(board.chain(n)) == 1));
        return any;
    }

    double without_captures(std::size_t point, Colour mover, Colour view) const {
        const PatchCodes::Codes& seen = codes.view(view);
        const auto own = static_cast<std::size_t>(PatchCodes::digit(mover, view));
        double gain = 0;
        for (const auto [window, power] : value_.features->sights(point))
            gain += value_.features->score(value_.weights, window, seen[window] + own * power) - scores_[window];
        return gain;
    }

    template <class Shape>
    double with_captures(const Board<Shape>& board, Point p, Colour mover, Colour view) {
        const auto note = [&](Point point, int by) {
            for (const auto [window, power] : value_.features->sights(codes.index<Shape>(point))) {
                if (change_[window] == 0) changed_.push_back(window);
                change_[window] += by * power;
            }
        };
        note(p, PatchCodes::digit(mover, view));
        each_captured(board, p, mover, [&](Point stone) { note(stone, -PatchCodes::digit(opponent(mover), view)); });
        const PatchCodes::Codes& seen = codes.view(view);
        double gain = 0;
        for (const std::uint32_t window : changed_) {
            if (change_[window] == 0) continue;  // listed twice, because its changes added up to 0 in between
            const auto code = static_cast<std::size_t>(seen[window] + change_[window]);
            gain += value_.features->score(value_.weights, window, code) - scores_[window];
            change_[window] = 0;
        }
        changed_.clear();
        return gain;
    }
};

struct GameSettings {
    double komi = 5.5;
    int max_moves = 0;  // a longer game has no winner; 0: every game is counted, after 3 · points moves at the latest
    bool forbid_own_eye = false;
};

struct PlayedGame {
    std::vector<std::int16_t> moves;  // row · width + column, width · height for a pass; Black begins
    double lead = 0;                  // Black's area minus White's and komi; NaN if there is no winner
};

inline double result_of(double lead) { return lead > 0 ? 1 : lead < 0 ? 0 : 0.5; }

// One side of a game.
struct TdSide {
    LinearPlayer& player;
    double epsilon;
};

// Plays a game from the empty board, counted by area as it stands; the learner follows it.
template <class Shape>
PlayedGame play_game(const TdSide& black, const TdSide& white, const PatchFeatures& learned, TdLearner& learner,
                     const GameSettings& settings, Random& random) {
    Board<Shape> board(learned.width(), learned.height());
    PatchCodes codes(learned);  // for the learner
    learner.begin(codes, settings.komi);
    black.player.codes.clear(), white.player.codes.clear();
    const int points = board.width() * board.height(), most = settings.max_moves > 0 ? settings.max_moves : 3 * points;
    PlayedGame game;
    Colour mover = BLACK;
    int passes = 0;
    NoLog log;
    for (int moves = 0; moves < most && passes < 2; ++moves, mover = opponent(mover)) {
        const TdSide& side = mover == BLACK ? black : white;
        const Point p = side.player.choose(board, mover, settings.forbid_own_eye, side.epsilon, random);
        if (p == NO_POINT) {
            ++passes;
            board.clear_ko(log);
        } else {
            passes = 0;
            for (PatchCodes* each : {&codes, &black.player.codes}) each->play(board, p, mover);
            if (&white.player != &black.player) white.player.codes.play(board, p, mover);
            board.play(log, p, mover);
        }
        game.moves.push_back(
            static_cast<std::int16_t>(p == NO_POINT ? points : static_cast<int>(codes.index<Shape>(p))));
        learner.reach(codes, mover);
    }
    if (settings.max_moves > 0 && passes < 2) {
        game.lead = std::nan("");
        return game;
    }
    game.lead = OwnerCounts<Shape>().tally(board) - settings.komi;
    learner.end(result_of(game.lead));
    return game;
}

// Calls visit(codes, mover) after each move of a recorded game; throws on a move that cannot be played.
template <class Shape, class Visit>
void replay_moves(const PatchFeatures& features, std::span<const std::int16_t> moves, PatchCodes& codes, Visit visit) {
    Board<Shape> board(features.width(), features.height());
    codes.clear();
    NoLog log;
    Colour mover = BLACK;
    for (const std::int16_t move : moves) {
        if (move == board.width() * board.height()) {
            board.clear_ko(log);
        } else {
            if (move < 0 || move > board.width() * board.height())
                throw std::invalid_argument("moves: no such point: " + std::to_string(move));
            const Point p = Shape::point(move / board.width(), move % board.width());
            if (board.colour(p) != EMPTY) throw std::invalid_argument("moves: a stone on a stone");
            const bool suicide = board.is_suicide(p, mover);
            if (!suicide) codes.play(board, p, mover);
            board.play(log, p, mover);
            if (suicide) codes.read(board);
        }
        visit(mover);
        mover = opponent(mover);
    }
}

// Learns a recorded game.
template <class Shape>
void learn_game(const PatchFeatures& features, std::span<const std::int16_t> moves, double result, double komi,
                PatchCodes& codes, TdLearner& learner) {
    codes.clear();
    learner.begin(codes, komi);
    replay_moves<Shape>(features, moves, codes, [&](Colour mover) { learner.reach(codes, mover); });
    learner.end(result);
}

}  // namespace tengen
