// Monte-Carlo tree search: plain UCT as in Low (§6), the strong search with RAVE, priors and knowing playouts, and PUCT
// with the policy and the values of a guide.
//
// Reading guide: Search::simulate() is one playout: descend() walks down the tree by select() and grows it by expand(),
// then the rest of the game is played at random, and back_up() updates every node of the path. run() does many of them,
// on several threads that share the tree.
//
// UCT: V(s) = X(s) + √(2 ln T(c) / T(s)); a leaf gets all its children at once, and a random one is played out. Strong:
// the mean of playouts and prior is blended with RAVE, the result of playouts in which the move was played later: β = r
// / (r + n + r·n/K). Children are sorted by their priors, so widening opens the best first. A guide (guide.hpp)
// evaluates a node when it is expanded, or later in catch_up(). Dynamic komi (dynamic_komi.hpp) affects selection,
// never the report.
//
// PUCT (Puct): the guide is asked about every leaf. Its policy is the prior of the moves, and its winrate, which may be
// mixed with a playout, is backed up. The root is expanded by the first playout, which goes on to one of its moves.
//
// A game ends after two passes. Under area scoring it is counted as it stands; under territory scoring it is played out
// to find the dead stones, and the lead is the area minus the difference in stones played, up to the first pass of the
// playout: a move in one's own territory costs a point.
//
// Playout i uses the random stream (seed, i): with one thread the same calls give the same tree, however the playouts
// are divided among calls.
#pragma once

#include <chrono>
#include <cmath>
#include <deque>

#include "dynamic_komi.hpp"
#include "guide.hpp"
#include "interrupt.hpp"
#include "knowing_playout.hpp"
#include "learned_playout.hpp"
#include "move_policy.hpp"
#include "portable.hpp"
#include "position.hpp"
#include "prior.hpp"

namespace tengen {

// Progressive widening: how many moves of a position are considered, the best by their priors. The (n + 1)-th is opened
// when the measure reaches first·(1 + growth + … + growth^(n−1))·(1 − ease·p), where p is the share of wins of the move
// that led here. The measure is the number of visits, or of those wins.
struct Widening {
    double first = 40, growth = 1.4, ease = 0;
    bool by_wins = false;

    std::uint32_t open(double visits, double wins, std::uint32_t count) const {
        const double measure = by_wins ? wins : visits, share = visits > 0 ? std::min(wins / visits, 1.0) : 0;
        double step = first * (1 - ease * share), next = step;
        std::uint32_t open = 1;
        for (; next <= measure && open < count; ++open) next += step *= growth;
        return open;
    }
};

// Selection by the policy and the values of a guide: a move with the probability p and n of the N visits of its
// position has the urgency mean + explore·p·√N / (1 + n). The mean of a move without visits is that of the position,
// less reduction·√(the probability of the moves with visits): the more of the policy has been tried, the less is
// expected of the rest.
struct Puct {
    double explore = 0.6, reduction = 0.1;
    double mix = 0;  // weight of a playout in the value of a leaf; the guide has the rest

    double bonus(double probability, double visits, double parent_visits) const {
        return explore * probability * std::sqrt(parent_visits) / (1 + visits);
    }
};

struct SearchSettings {
    bool strong = true;
    std::uint64_t seed = 0;
    std::uint32_t nodes = 1 << 20;  // maximum number of nodes
    double komi = 7.5;              // White's compensation, including handicap bonus
    bool territory = false;
    std::uint32_t expand_visits = 8;  // visits at which a leaf is expanded
    double rave = 3500;               // K: number of visits at which RAVE and playouts have equal weight
    double lead_weight = 0.005;       // weight of the lead in the value of a move
    std::optional<Widening> widening;
    std::optional<Puct> puct;  // if given, the guide takes the place of priors and playouts
    DynamicKomi dynamic_komi = DynamicKomi::off;
    std::optional<Knowledge> knowledge = Knowledge{};  // without it playouts are uniform
    std::shared_ptr<const PlayoutWeights> learned;     // if given, playouts use these weights
    PriorWeights priors{};
    const MovePolicy* policy = nullptr;  // a model of moves for the priors, which must outlive the search
    double bias = 0;  // of the policy's probabilities, see strong_urgency(); 0: they are virtual wins
};

// A move of the root: wins are those of the player to move, leads are Black's; both are summed over the visits.
struct MoveReport {
    int move;  // row·width + column; width·height is a pass
    std::int64_t visits;
    double wins, lead, prior;
    std::vector<int> line;                  // the moves with most visits, starting with this move
    std::vector<std::int64_t> line_visits;  // number of visits of each move of the line

    bool operator==(const MoveReport&) const = default;
};

struct RootReport {
    int width = 0, height = 0;
    std::int64_t playouts = 0;  // since this position became the root, like the following sums
    double lead = 0, lead_squares = 0;
    std::vector<std::int64_t> black, white;  // number of playouts in which each colour owned a point, row by row
    std::vector<MoveReport> moves;
};

// The limits of a run.
struct RunLimits {
    std::int64_t playouts;  // maximum
    double seconds;         // maximum, including catching up with the guide
    int threads = 1;
    std::int64_t least = 0;  // minimum number of playouts, even if the time is over
};

// A search on a board of any shape.
class AnySearch {
public:
    virtual ~AnySearch() = default;
    // `barred` has for every move of Black, then of White, the number of plies from the root in which it is left out
    // (empty: none). Returns the number of playouts. An exception of the guide ends the run.
    virtual std::int64_t run(const RunLimits& limits, const std::vector<int>& barred, const Guide& guide,
                             Interrupt& interrupt) = 0;
    // Whether the guide has evaluated all positions it should.
    virtual bool caught_up() const = 0;
    virtual bool advance(int move) = 0;  // plays a move; false if it is not in the tree
    virtual RootReport report() const = 0;
    virtual std::uint32_t nodes() const = 0;
};

template <class Shape>
class Search : public AnySearch {
public:
    Search(const SearchSettings& settings, const Board<Shape>& board, const Position& position)
        : settings_(settings),
          arena_(settings.nodes),
          board_(board),
          to_play_(position.to_play()),
          ko_(position.ko_rule()),
          recent_(recent_moves(position)),
          aims_{MovingAim(settings.dynamic_komi), MovingAim(settings.dynamic_komi)} {
        for (std::size_t i = 0; i < position.past().size(); ++i)
            past_.push_back(key(position.past()[i].hash, position.past()[i].to_play));
        std::sort(past_.begin(), past_.end());
        const std::vector<Move>& moves = position.moves();
        auto played = [&](std::size_t back) {
            return position.undoable() < back ? NO_POINT : here(moves[moves.size() - back].point);
        };
        last_ = played(1), before_ = played(2);
        passed_ = position.undoable() > 0 && last_ == NO_POINT;
        for (Colour by : {BLACK, WHITE}) board_.set_captures(by, position.board().captures(by));
        stones_ = board_.captures(WHITE) - board_.captures(BLACK);
        for (Point p = 0; p < Shape::area; ++p) stones_ += (board.colour(p) == BLACK) - (board.colour(p) == WHITE);
    }

    std::int64_t run(const RunLimits& limits, const std::vector<int>& barred, const Guide& guide,
                     Interrupt& interrupt) override {
        using Time = std::chrono::steady_clock;
        const auto start = Time::now();
        const auto elapsed = [&] { return std::chrono::duration<double>(Time::now() - start).count(); };
        bar(barred);
        const AdviceOfRun advice(*this, guide);
        if (settings_.puct && (!advice_.covers(0) || guide.after_moves))
            throw std::invalid_argument("this search needs a guide with a policy and a winrate");
        if (settings_.bias > 0 && advice_.covers(0))
            throw std::invalid_argument("a search with a progressive bias has no guide");
        catch_up([&] { return elapsed() >= limits.seconds; }, interrupt);
        std::atomic<std::int64_t> begun{0}, done{0};
        const auto in_time = [&] {
            return begun.load(std::memory_order_relaxed) < limits.least || elapsed() < limits.seconds;
        };
        auto work = [&](int number, const std::atomic<bool>& stop, std::int64_t most) {
            while (!stop && !advice_.failed() && in_time() && begun.fetch_add(1) < most) {
                if (number == 0) interrupt.check();
                done += simulate(*workers_[static_cast<std::size_t>(number)], next_.fetch_add(1)) ? 1 : 0;
            }
        };
        workers_.resize(std::max(workers_.size(), static_cast<std::size_t>(limits.threads)));
        for (auto& worker : workers_)
            if (!worker) worker = std::make_unique<Worker>(board_);
        // Threads that wait to ask the guide give up when the time is over. A single thread always gets its answer, so
        // the tree does not depend on the time.
        if (limits.threads > 1) advice_.too_late = [&] { return !in_time(); };
        // A single playout first: it expands the root.
        if (limits.threads > 1) work(0, false, std::min<std::int64_t>(limits.playouts, 1)), begun = done.load();
        run_workers(limits.threads,
                    [&](int number, const std::atomic<bool>& stop) { work(number, stop, limits.playouts); });
        advice_.rethrow();
        return done;
    }

    bool caught_up() const override { return !unasked_ || unasked_->empty(); }

    bool advance(int move) override {
        const Point p = point(move);
        const std::uint32_t child = find(p);
        if (child == Arena::NONE) return false;
        arena_.keep(child);
        play(no_log_, board_, p, to_play_);
        recent_.add(move, p == NO_POINT);
        if (p != NO_POINT) stones_ += to_play_ == BLACK ? 1 : -1;
        to_play_ = opponent(to_play_);
        const std::uint64_t now = key(board_.hash(), to_play_);
        past_.insert(std::lower_bound(past_.begin(), past_.end(), now), now);
        passed_ = p == NO_POINT;
        before_ = last_, last_ = p;
        workers_.clear();
        unasked_.reset();
        return true;
    }

    RootReport report() const override {
        RootReport report;
        report.width = board_.width(), report.height = board_.height();
        OwnerCounts<Shape> owners;
        for (const auto& worker : workers_) {
            if (!worker) continue;
            owners.add(worker->owners);
            report.playouts += worker->playouts, report.lead += worker->lead,
                report.lead_squares += worker->lead_squares;
        }
        for (int i = 0; i < board_.width() * board_.height(); ++i)
            report.black.push_back(owners.black[point(i)]), report.white.push_back(owners.white[point(i)]);
        const Node& root = arena_[Arena::ROOT];
        const std::uint32_t first = root.children.load();
        double total = 0;
        for (std::uint32_t i = first; first >= Arena::ROOT && i < first + root.child_count; ++i) {
            const Node& child = arena_[i];
            MoveReport move{index(child.move), child.visits, child.wins, child.lead, child.prior().wins, {}, {}};
            for (const std::uint32_t node : line(i))
                move.line.push_back(index(arena_[node].move)), move.line_visits.push_back(arena_[node].visits);
            report.moves.push_back(std::move(move));
            total += child.prior().wins;
        }
        for (MoveReport& move : report.moves)
            move.prior = total > 0 ? move.prior / total : 1.0 / static_cast<double>(report.moves.size());
        return report;
    }

    std::uint32_t nodes() const override { return arena_.used() - Arena::ROOT; }

private:
    using Moves = std::vector<std::pair<Point, Prior>>;

    // The board and sums of one thread.
    struct Worker {
        explicit Worker(const Board<Shape>& start) : board(start) {}

        Board<Shape> board;
        LadderReader<Shape> reader{LadderLimits{.moves = 200, .depth = 200}};
        std::vector<std::uint32_t> path;
        std::vector<std::uint64_t> keys;  // of the situations on the path, for superko
        std::array<Colour, static_cast<std::size_t>(Shape::area)> first{};  // the colour that first played on a point
        Moves moves;
        std::optional<PolicyScratch<Shape>> policy;
        std::vector<float> scores;     // of the policy, by index of the move
        std::optional<Guidance> said;  // by the guide about the position at the end of the path
        std::uint32_t spare = 0;       // the first of `spare_size` nodes of an abandoned expansion
        std::size_t spare_size = 0;
        OwnerCounts<Shape> owners{};
        std::int64_t playouts = 0;
        double lead = 0, lead_squares = 0;
    };

    // The state at the end of a descent.
    struct Place {
        Colour to_play;
        Point last, before;
        bool passed, over = false;
        int stones;  // number of stones played by Black minus those played by White
    };

    // What is backed up: Black's lead, wins, and wins against the adjusted komi, which are used for selection.
    struct Outcome {
        double lead = 0, wins = 0, gains = 0;

        // Adds the guide's opinion with the rest of the weight.
        void mix(double share, const Guidance& said) {
            lead = share * lead + (1 - share) * (std::isnan(said.lead) ? 0 : said.lead);
            wins = gains = share * wins + (1 - share) * said.winrate;
        }
    };

    SearchSettings settings_;
    Arena arena_;
    Board<Shape> board_;
    Colour to_play_;
    Ko ko_;
    std::vector<std::uint64_t> past_;  // sorted
    Point last_, before_;
    RecentMoves recent_;
    bool passed_;
    int stones_;
    std::array<std::array<int, static_cast<std::size_t>(Shape::area)>, 2> barred_{};  // Black's moves, White's
    int barred_depth_ = 0;  // beyond this depth no move is barred
    Advice advice_;
    // Paths to positions expanded without the guide, nearest to the root first; none: to be collected again.
    std::optional<std::deque<std::vector<std::uint32_t>>> unasked_;
    int asked_depth_ = 0;            // depth of the last guide
    std::array<MovingAim, 2> aims_;  // Black's, White's
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<std::uint64_t> next_{0};
    NoLog no_log_;

    // Sets the guide for the duration of a run.
    class AdviceOfRun {
    public:
        AdviceOfRun(Search& search, const Guide& guide) : search_(search) {
            if (guide.depth > search.asked_depth_) search.unasked_.reset();  // collect positions again
            search.asked_depth_ = guide.depth;
            search.advice_.start(guide);
        }
        ~AdviceOfRun() {
            if (search_.advice_.failed()) search_.unasked_.reset();  // some positions got no answer
            search_.advice_.end();
        }
        AdviceOfRun(const AdviceOfRun&) = delete;
        AdviceOfRun& operator=(const AdviceOfRun&) = delete;

    private:
        Search& search_;
    };

    static Point here(Point p) {
        return p == NO_POINT ? NO_POINT : Shape::point(GeneralBoard::row(p), GeneralBoard::column(p));
    }
    Point point(int index) const {
        const int width = board_.width();
        return index >= width * board_.height() ? NO_POINT : Shape::point(index / width, index % width);
    }
    int index(Point p) const {
        return p == NO_POINT ? board_.width() * board_.height() : Shape::row(p) * board_.width() + Shape::column(p);
    }

    std::uint64_t key(std::uint64_t hash, Colour to_play) const {
        return ko_ == Ko::situational && to_play == WHITE ? hash ^ WHITE_TO_PLAY : hash;
    }

    void bar(const std::vector<int>& barred) {
        const std::size_t moves = static_cast<std::size_t>(board_.width() * board_.height() + 1);
        barred_depth_ = 0;
        for (std::size_t i = 0; i < barred.size(); ++i) {
            barred_[i / moves][point(static_cast<int>(i % moves))] = barred[i];
            barred_depth_ = std::max(barred_depth_, barred[i]);
        }
    }

    std::uint32_t find(Point move) const {
        const Node& root = arena_[Arena::ROOT];
        const std::uint32_t first = root.children.load();
        for (std::uint32_t i = first; first >= Arena::ROOT && i < first + root.child_count; ++i)
            if (arena_[i].move == move) return i;
        return Arena::NONE;
    }

    std::vector<std::uint32_t> line(std::uint32_t from) const {
        std::vector<std::uint32_t> nodes{from};
        for (std::uint32_t first; (first = arena_[from].children.load()) >= Arena::ROOT;) {
            std::uint32_t best = first;
            for (std::uint32_t i = first; i < first + arena_[from].child_count; ++i)
                if (arena_[i].visits > arena_[best].visits) best = i;
            if (arena_[best].visits == 0) break;
            nodes.push_back(from = best);
        }
        return nodes;
    }

    // Returns false if the guide gave no answer, because it failed or it was too late.
    bool simulate(Worker& worker, std::uint64_t number) {
        Random random(settings_.seed, number);
        Place place = descend(worker, random);
        if (settings_.puct && !place.over) {
            if (!worker.said) worker.said = ask(worker.board, worker.path, {}, place.to_play);
            if (!worker.said) {
                for (const std::uint32_t node : worker.path) --arena_[node].visits;
                return false;
            }
        }
        const int sign = to_play_ == BLACK ? 1 : -1;
        MovingAim& aim = aims_[to_play_ == BLACK ? 0 : 1];
        Outcome outcome;
        const double share = settings_.puct && !place.over ? settings_.puct->mix : 1;  // of the playout
        if (share > 0) outcome = played_out(worker, random, place, sign * aim.lead());
        if (share < 1) outcome.mix(share, *worker.said);
        ++worker.playouts;
        worker.lead += outcome.lead, worker.lead_squares += outcome.lead * outcome.lead;
        if (settings_.dynamic_komi != DynamicKomi::off) aim.note(sign * outcome.lead);
        back_up(worker, outcome);
        return true;
    }

    // The result of a playout from the end of a descent; aim: Black's lead that counts as even.
    Outcome played_out(Worker& worker, Random& random, Place& place, double aim) {
        worker.first.fill(EMPTY);
        if (!place.over || settings_.territory) play_out(worker, random, place);
        const int area = worker.owners.tally(worker.board);
        const double lead = area - settings_.komi - (settings_.territory ? place.stones : 0);
        return {lead, win_by(lead), win_by(lead - aim)};
    }

    // Walks from the root to a leaf, which may be expanded.
    Place descend(Worker& worker, Random& random) {
        worker.board = board_;
        worker.path.assign(1, Arena::ROOT);
        worker.keys.clear();
        worker.said.reset();
        Place place{to_play_, last_, before_, passed_, false, stones_};
        ++arena_[Arena::ROOT].visits;
        for (bool fresh = false; !place.over && !fresh;) {
            const std::uint32_t node = worker.path.back();
            if (arena_[node].children.load(std::memory_order_acquire) < Arena::ROOT) {
                if (node != Arena::ROOT && arena_[node].visits < settings_.expand_visits) break;
                if (!expand(worker, node, place, random)) break;
                if (settings_.puct && node != Arena::ROOT) break;
                fresh = !settings_.puct;
            }
            const std::uint32_t child = select(node, place.to_play, static_cast<int>(worker.path.size()) - 1);
            if (child == Arena::NONE) break;
            ++arena_[child].visits;
            worker.path.push_back(child);
            step(worker, place, arena_[child].move);
        }
        return place;
    }

    void step(Worker& worker, Place& place, Point move) {
        play(no_log_, worker.board, move, place.to_play);
        worker.said.reset();
        if (move == NO_POINT) place.over = place.passed;
        else place.stones += place.to_play == BLACK ? 1 : -1;
        place.passed = move == NO_POINT;
        place.to_play = opponent(place.to_play);
        place.before = place.last, place.last = move;
        worker.keys.push_back(key(worker.board.hash(), place.to_play));
    }

    // Selects the child to follow from a node at this depth.
    std::uint32_t select(std::uint32_t node, Colour to_play, int depth) {
        const std::uint32_t first = arena_[node].children.load(std::memory_order_acquire);
        const std::int64_t visits = arena_[node].visits.load(std::memory_order_relaxed) - 1;
        const std::uint32_t end = first + arena_[node].child_count;
        std::uint32_t open = open_children(arena_[node], visits);
        const double explore = 2 * std::log(static_cast<double>(std::max<std::int64_t>(visits, 1)));
        const int* barred = depth < barred_depth_ ? barred_[to_play == BLACK ? 0 : 1].data() : nullptr;
        const double sign = to_play == BLACK ? 1 : -1;
        const double unseen = settings_.puct ? unseen_value(arena_[node], sign) : 0;
        std::uint32_t best = Arena::NONE;
        double most = -1e9;
        for (std::uint32_t i = first; i < end && open > 0; ++i) {
            if (barred && depth < barred[arena_[i].move]) continue;
            --open;
            const double urgency = settings_.puct     ? puct_urgency(arena_[i], sign, visits + 1, unseen)
                                   : settings_.strong ? strong_urgency(arena_[i], sign)
                                                      : uct_urgency(arena_[i], explore);
            if (urgency > most) most = urgency, best = i;
        }
        return best;
    }

    static double uct_urgency(const Node& node, double explore) {
        const auto visits = static_cast<double>(node.visits.load(std::memory_order_relaxed));
        if (visits == 0) return 1e8;
        return node.gains.load(std::memory_order_relaxed) / visits + std::sqrt(explore / visits);
    }

    // The bonus of a lead in the value of a move: among equal moves prefer the one that wins by more.
    double comfort(double lead) const { return settings_.lead_weight * lead / (10 + std::abs(lead)); }

    // sign: 1 if Black made the move, −1 if White did. For a progressive bias (Chaslot et al. 2008) the prior's wins
    // are the probability of the move, and its visits are those of a move about which nothing is known.
    double strong_urgency(const Node& node, double sign) const {
        const Prior prior = node.prior();
        if (settings_.bias == 0) return strong_value(node, sign, prior);
        const auto visits = static_cast<double>(node.visits.load(std::memory_order_relaxed));
        return strong_value(node, sign, {prior.visits, settings_.priors.of_move().wins}) +
               settings_.bias * double{prior.wins} / (visits + 1);
    }

    double strong_value(const Node& node, double sign, const Prior& prior) const {
        constexpr auto relaxed = std::memory_order_relaxed;
        const double visits = static_cast<double>(node.visits.load(relaxed)), n = visits + double{prior.visits},
                     r = node.rave_visits.load(relaxed);
        double mean = (node.gains.load(relaxed) + double{prior.wins}) / n;
        if (visits > 0) mean += comfort(sign * node.lead.load(relaxed) / visits);
        if (r == 0) return mean;
        const double beta = r / (r + n + r * n / settings_.rave);
        return beta * node.rave_wins.load(relaxed) / r + (1 - beta) * mean;
    }

    // The mean of a node's playouts for the player who moved there, or for the one to move.
    double mean(const Node& node, double sign, double visits, bool moved) const {
        const double wins = node.wins.load(std::memory_order_relaxed) / visits;
        return (moved ? wins : 1 - wins) + comfort(sign * node.lead.load(std::memory_order_relaxed) / visits);
    }

    double puct_urgency(const Node& node, double sign, std::int64_t parent_visits, double unseen) const {
        const auto visits = static_cast<double>(node.visits.load(std::memory_order_relaxed));
        const double value = visits > 0 ? mean(node, sign, visits, true) : unseen;
        return value + settings_.puct->bonus(double{node.prior().wins}, visits, static_cast<double>(parent_visits));
    }

    // What a move without visits is worth, to the player with this sign.
    double unseen_value(const Node& node, double sign) const {
        const auto visits = static_cast<double>(node.visits.load(std::memory_order_relaxed) - 1);
        if (visits <= 0) return 0.5;
        double seen = 0;
        const std::uint32_t first = node.children.load(std::memory_order_acquire);
        for (std::uint32_t i = first; i < first + node.child_count; ++i)
            if (arena_[i].visits.load(std::memory_order_relaxed) > 0) seen += double{arena_[i].prior().wins};
        return mean(node, sign, visits, false) - settings_.puct->reduction * std::sqrt(seen);
    }

    // The number of children to consider.
    std::uint32_t open_children(const Node& node, std::int64_t visits) const {
        if (!settings_.widening) return node.child_count;
        return settings_.widening->open(static_cast<double>(visits), node.wins.load(std::memory_order_relaxed),
                                        node.child_count);
    }

    // Expands a leaf; false if another thread is doing so or there is no room.
    bool expand(Worker& worker, std::uint32_t index, const Place& place, Random& random) {
        Node& node = arena_[index];
        std::uint32_t none = Arena::NONE;
        if (!arena_.has_room(static_cast<std::size_t>(board_.width() * board_.height() + 1))) return false;
        if (!node.children.compare_exchange_strong(none, Arena::BUSY)) return false;
        try {
            return grow(worker, node, place, random);
        } catch (...) {
            node.children.store(Arena::NONE);
            throw;
        }
    }

    // Expands a leaf that is marked as busy.
    bool grow(Worker& worker, Node& node, const Place& place, Random& random) {
        gather(worker, place, random);
        // Allocate the children before asking the guide, so that no answer is lost.
        const std::size_t taken = worker.moves.size();
        const std::uint32_t first = take_room(worker, taken);
        if (first == Arena::NONE) {
            node.children.store(Arena::NONE);
            return false;
        }
        std::optional<Guidance> guidance;
        if (settings_.puct || advice_.covers(worker.path.size() - 1)) {
            guidance = ask(worker.board, worker.path, worker.moves, place.to_play);
            if (!guidance) {
                worker.spare = first, worker.spare_size = taken;
                node.children.store(Arena::NONE);
                return false;
            }
        }
        arrange(worker.moves, node, guidance, place.to_play);
        if (settings_.puct) worker.said = std::move(guidance);
        if (worker.moves.size() < taken) arena_.give_back(first, taken, worker.moves.size());
        for (std::size_t i = 0; i < worker.moves.size(); ++i)
            new (&arena_[first + static_cast<std::uint32_t>(i)]) Node(worker.moves[i].first, worker.moves[i].second);
        node.set_child_count(worker.moves.size());
        node.children.store(first, std::memory_order_release);
        return true;
    }

    std::uint32_t take_room(Worker& worker, std::size_t nodes) {
        return nodes <= std::exchange(worker.spare_size, 0) ? worker.spare : arena_.take(nodes);
    }

    // The moves of a position in random order, with priors: all legal moves that do not fill a real eye, and the pass.
    void gather(Worker& worker, const Place& place, Random& random) {
        Board<Shape>& board = worker.board;
        worker.moves.clear();
        for (int i = 0; i < board.width() * board.height(); ++i)
            if (const Point p = point(i); is_move(worker, p, place.to_play)) worker.moves.push_back({p, {}});
        worker.moves.push_back({NO_POINT, {}});
        for (int left = static_cast<int>(worker.moves.size()); left > 1; --left)
            std::swap(worker.moves[static_cast<std::size_t>(random.below(left))],
                      worker.moves[static_cast<std::size_t>(left - 1)]);
        if (!settings_.strong || settings_.puct) return;
        if (settings_.policy != nullptr) return ask_policy(worker, place);
        Priors<Shape> priors(settings_.priors, board, worker.reader, place.last);
        for (auto& [move, prior] : worker.moves)
            prior = move == NO_POINT ? settings_.priors.of_pass() : priors.of(move, place.to_play);
    }

    // Puts the gathered moves in the order of their probabilities, which give the priors: their square roots as virtual
    // wins, or themselves for a progressive bias.
    void ask_policy(Worker& worker, const Place& place) {
        Board<Shape>& board = worker.board;
        if (!worker.policy) worker.policy.emplace(*settings_.policy, board.width(), board.height());
        worker.scores.resize(static_cast<std::size_t>(board.width() * board.height() + 1));
        settings_.policy->scores(board, place.to_play, {place.last, place.before, place.passed}, *worker.policy,
                                 worker.scores.data());
        const auto score = [&](const auto& move) { return worker.scores[static_cast<std::size_t>(index(move.first))]; };
        std::stable_sort(worker.moves.begin(), worker.moves.end(),
                         [&](const auto& a, const auto& b) { return score(a) > score(b); });
        const float most = score(worker.moves.front());
        float sum = 0;
        for (const auto& move : worker.moves) sum += std::exp(score(move) - most);
        for (auto& move : worker.moves) {
            move.second = move.first == NO_POINT ? settings_.priors.of_pass() : settings_.priors.of_move();
            const float probability = std::exp(score(move) - most) / sum;
            if (settings_.bias > 0) move.second.wins = probability;
            else move.second.good(settings_.priors.policy * std::sqrt(probability));
        }
    }

    bool is_move(const Worker& worker, Point p, Colour colour) const {
        const Board<Shape>& board = worker.board;
        return is_allowed(board, p, colour) && !board.is_eye(p, colour) && !repeats(worker, p, colour);
    }

    // Superko: whether the move repeats a position of the game or of the path, which requires a capture.
    bool repeats(const Worker& worker, Point p, Colour colour) const {
        if (worker.board.captures(BLACK) + worker.board.captures(WHITE) == 0) return false;
        const std::uint64_t after = key(worker.board.hash_after(p, colour), opponent(colour));
        return std::binary_search(past_.begin(), past_.end(), after) ||
               std::find(worker.keys.begin(), worker.keys.end(), after) != worker.keys.end();
    }

    template <class Log>
    static void play(Log& log, Board<Shape>& board, Point move, Colour player) {
        if (move == NO_POINT) board.clear_ko(log);
        else board.play(log, move, player);
    }

    // Asks the guide about the position on a board, at the end of a path, and its moves.
    std::optional<Guidance> ask(Board<Shape>& board, const std::vector<std::uint32_t>& path, const Moves& moves,
                                Colour player) {
        RecentMoves recent = recent_;
        const auto add = [this](RecentMoves& to, Point move) { to.add(index(move), move == NO_POINT); };
        for (std::size_t i = 1; i < path.size(); ++i) add(recent, arena_[path[i]].move);
        const auto write_after = [&](const PositionRows& rows) {
            Journal journal;
            for (std::size_t i = 0; i < moves.size(); ++i) {
                RecentMoves with_move = recent;
                add(with_move, moves[i].first);
                journal.begin();
                play(journal, board, moves[i].first, player);
                rows.write(i, board, opponent(player), with_move);
                journal.rewind(&board);
            }
        };
        const auto write = [&](const PositionRows& rows) { rows.write(0, board, player, recent); };
        Question question{{}, 1, write, path.size() > 1 ? advice_.too_late : nullptr};
        if (advice_.guide().after_moves) question.rows = moves.size(), question.write = write_after;
        for (const auto& [move, prior] : moves) question.moves.push_back(index(move));
        std::optional<Guidance> said = advice_.ask(question);
        if (settings_.puct && said && (said->policy.empty() || std::isnan(said->winrate)))
            throw std::invalid_argument("this search needs a guide with a policy and a winrate");
        return said;
    }

    // Sorts the moves of a position by their priors and the guide's answer; removes moves that the guide does not keep.
    void arrange(Moves& moves, Node& node, const std::optional<Guidance>& guidance, Colour player) const {
        if (settings_.puct && guidance) {
            node.guided = true;
            take_policy(moves, guidance->policy);
        } else if (guidance) {
            // A node that lost its children when the tree was cut already has the value.
            const bool first_time = !node.guided;
            node.guided = true;
            if (first_time && !std::isnan(guidance->winrate))
                node.believe(opinion(chances(guidance->winrate, opponent(player))));
            for (auto& [move, prior] : moves) {
                const auto i = static_cast<std::size_t>(index(move));
                if (!guidance->policy.empty())
                    prior.good(settings_.priors.guide * static_cast<float>(std::sqrt(guidance->policy[i])));
                if (!guidance->values.empty()) prior.add(opinion(chances(guidance->values[i], player)));
            }
        }
        if (settings_.strong) put_in_order(moves);
        if (guidance && advice_.guide().keep > 0) prune(moves, *guidance, player);
    }

    // Makes the probabilities of the moves their priors. They sum to 1, without the moves that are left out.
    void take_policy(Moves& moves, const std::vector<double>& policy) const {
        double sum = 0;
        for (const auto& [move, prior] : moves) sum += policy[static_cast<std::size_t>(index(move))];
        for (auto& [move, prior] : moves) {
            const double p = policy[static_cast<std::size_t>(index(move))];
            prior = {1, static_cast<float>(sum > 0 ? p / sum : 1 / static_cast<double>(moves.size()))};
        }
    }

    // Keeps the pass and the best moves by policy, or by the value after each.
    void prune(Moves& moves, const Guidance& guidance, Colour player) const {
        const auto score = [&](Point move) {
            const auto i = static_cast<std::size_t>(index(move));
            return guidance.policy.empty() ? chances(guidance.values[i], player) : guidance.policy[i];
        };
        if (guidance.policy.empty() && guidance.values.empty()) return;
        std::vector<Point> best;
        for (const auto& [move, prior] : moves)
            if (move != NO_POINT) best.push_back(move);
        std::stable_sort(best.begin(), best.end(), [&](Point a, Point b) { return score(a) > score(b); });
        best.resize(std::min(best.size(), advice_.guide().kept(best.size())));
        best.push_back(NO_POINT);
        std::erase_if(moves,
                      [&](const auto& move) { return std::find(best.begin(), best.end(), move.first) == best.end(); });
    }

    static double chances(double black, Colour colour) { return colour == BLACK ? black : 1 - black; }

    Prior opinion(double wins) const {
        const float weight = settings_.priors.chances;
        return {weight, weight * static_cast<float>(wins)};
    }

    static void put_in_order(Moves& moves) {
        const auto more = [](const auto& a, const auto& b) {
            return a.second.wins * b.second.visits > b.second.wins * a.second.visits;
        };
        std::stable_sort(moves.begin(), moves.end(), more);
    }

    // Asks the guide about positions that were expanded without it, or were too far from the root. When the time is
    // over the rest is left for the next run, except for the root. No thread may search meanwhile.
    template <class TimeIsOver>
    void catch_up(TimeIsOver time_is_over, Interrupt& interrupt) {
        if (!advice_.covers(0) || settings_.puct) {
            unasked_.reset();  // new positions will need the guide later
            return;
        }
        if (!unasked_) unasked_.emplace().push_back({Arena::ROOT});
        while (!unasked_->empty() && !advice_.failed()) {
            interrupt.check();
            const std::vector<std::uint32_t> path = unasked_->front();
            if (path.size() > 1 && time_is_over()) return;
            Node& node = arena_[path.back()];
            if (has_children(node)) {
                if (!node.guided) advise(node, path);
                if (advice_.covers(path.size())) add_unasked(path);
            }
            unasked_->pop_front();
        }
    }

    void add_unasked(std::vector<std::uint32_t> path) {
        const Node& node = arena_[path.back()];
        const std::uint32_t first = node.children.load();
        path.push_back(0);
        for (std::uint32_t i = first; i < first + node.child_count; ++i)
            if (has_children(arena_[i])) path.back() = i, unasked_->push_back(path);
    }

    static bool has_children(const Node& node) { return node.children.load() >= Arena::ROOT; }

    // Gives the moves of a position new priors and a new order; their counts are kept.
    void advise(Node& node, const std::vector<std::uint32_t>& path) {
        const std::uint32_t first = node.children.load();
        Moves moves;
        for (std::uint32_t i = first; i < first + node.child_count; ++i)
            moves.push_back({arena_[i].move, arena_[i].prior()});
        Board<Shape> board = board_;
        Colour player = to_play_;
        for (std::size_t i = 1; i < path.size(); ++i, player = opponent(player))
            play(no_log_, board, arena_[path[i]].move, player);
        const std::optional<Guidance> guidance = ask(board, path, moves, player);
        if (!guidance) return;
        arrange(moves, node, guidance, player);
        arena_.reorder(node, moves);
    }

    void play_out(Worker& worker, Random& random, Place& place) {
        bool counting = !place.over;
        auto report = [&](Point p, Colour colour) {
            if (p == NO_POINT) {
                counting = false;
                return;
            }
            if (worker.first[p] == EMPTY) worker.first[p] = colour;
            if (counting) place.stones += colour == BLACK ? 1 : -1;
        };
        if (settings_.learned)
            worker.owners.moves +=
                Learned{*settings_.learned}(worker.board, place.to_play, random, report, place.last, place.before);
        else if (settings_.knowledge)
            worker.owners.moves +=
                Knowing{*settings_.knowledge}(worker.board, place.to_play, random, report, place.last, place.before);
        else worker.owners.moves += Uniform<Eye::diagonal>{}(worker.board, place.to_play, random, report);
    }

    void back_up(Worker& worker, const Outcome& outcome) {
        const auto [lead, wins, gains] = outcome;
        for (std::size_t depth = worker.path.size(); depth-- > 0;) {
            Node& node = arena_[worker.path[depth]];
            const Colour next = depth % 2 == 0 ? to_play_ : opponent(to_play_), mover = opponent(next);
            add_to(node.wins, mover == BLACK ? wins : 1 - wins);
            add_to(node.gains, mover == BLACK ? gains : 1 - gains);
            add_to(node.lead, lead);
            if (settings_.strong && !settings_.puct)
                tell_children(worker, node, next, next == BLACK ? gains : 1 - gains);
            if (node.move != NO_POINT) worker.first[node.move] = mover;
        }
    }

    static double win_by(double lead) { return lead > 0 ? 1 : lead < 0 ? 0 : 0.5; }

    // RAVE: updates the children whose move the player made first on its point, here or later in the game.
    void tell_children(const Worker& worker, const Node& node, Colour colour, double win) {
        const std::uint32_t first = node.children.load(std::memory_order_acquire);
        for (std::uint32_t i = first; first >= Arena::ROOT && i < first + node.child_count; ++i)
            if (const Point move = arena_[i].move; worker.first[move] == colour) arena_[i].add_rave(win);
    }
};

}  // namespace tengen
