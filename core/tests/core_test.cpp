// The core without Python: what must come out the same in every build, and what Python cannot provoke.
//
// Built with -DTENGEN_NATIVE_TESTS=ON. The digests are those of GCC on x86-64; other compilers, standard libraries,
// word sizes and the fallbacks of portable.hpp must give the same ones.
#ifndef TENGEN_INVARIANTS
#define TENGEN_INVARIANTS 1
#endif
#include <tengen/move_pattern.hpp>
#include <tengen/pattern_table.hpp>
#include <tengen/playout_gradient.hpp>
#include <tengen/response_pattern.hpp>
#include <tengen/search.hpp>
#include <tengen/workers.hpp>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

// When at 0 or above: allocations that the threads besides the main one may still make.
std::atomic<long> allocations_left{-1};
const std::thread::id main_thread = std::this_thread::get_id();

bool may_allocate() {
    if (allocations_left.load() < 0 || std::this_thread::get_id() == main_thread) return true;
    if (allocations_left.load() == 0) return false;
    --allocations_left;
    return true;
}

}  // namespace

void* operator new(std::size_t size) {
    void* memory = may_allocate() ? std::malloc(size > 0 ? size : 1) : nullptr;
    if (!memory) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace tengen;

int failures = 0;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    ++failures;
}

class Digest {
public:
    void add(std::uint64_t number) { value_ = scatter(value_ + number + 0x9e3779b97f4a7c15ULL); }
    void require_equal(std::uint64_t expected, const char* what) const {
        if (value_ != expected) std::fprintf(stderr, "digest 0x%016" PRIx64 "\n", value_);
        require(value_ == expected, what);
    }

private:
    std::uint64_t value_ = 0;
};

std::vector<std::int8_t> random_stones(int points, Random& random) {
    std::vector<std::int8_t> stones;
    for (int i = 0; i < points; ++i) stones.push_back(static_cast<std::int8_t>(random.below(3) - 1));
    return stones;
}

// Keys of random boards, and the values that a table of some of them gives.
void test_patterns() {
    Digest digest;
    Random random(1, 2);
    std::vector<std::uint64_t> known;
    for (const auto& [width, height] : {std::pair{9, 9}, {7, 5}, {19, 19}, {25, 25}}) {
        PatternBoard board(width, height);
        board.set_all(random_stones(width * height, random).data());
        for (int r = 0; r < height; r += 2)
            for (int c = 0; c < width; c += 2)
                board.keys(r, c, WHOLE_BOARD, [&](int level, ClassKey found) {
                    digest.add(found.key), digest.add(static_cast<std::uint64_t>(found.sign + 1));
                    if (level < 6) known.push_back(found.key);
                });
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::vector<float> values;
    for (const std::uint64_t key : known) values.push_back(static_cast<float>(key >> 48) / 65536);
    const KeyIndex index(known.data(), known.size());
    Matches matches(9, 9, NESTED);
    std::vector<double> ownership(81);
    for (int i = 0; i < 20; ++i) {
        table_ownership(matches, index, values.data(), random_stones(81, random).data(), ownership.data());
        for (const double value : ownership) digest.add(static_cast<std::uint64_t>((value + 1) * 65536));
    }
    digest.require_equal(0x0840796be557afdb, "pattern keys and tables are the same in every build");
}

// Keys of moves on a random board, and a table of some of them that answers the same for stones and for boards.
template <class Shape>
void add_move_patterns(Digest& digest, int width, int height) {
    Random random(3, static_cast<std::uint64_t>(width));
    Board<Shape> board(width, height);
    Colour mover = BLACK;
    for (int i = 0; i < width * height / 2; ++i, mover = opponent(mover)) {
        const Point p = board.empty(random.below(board.empty_count()));
        if (!board.is_suicide(p, mover)) board.play(p, mover);
    }
    std::vector<std::int8_t> stones;
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c) {
            const Colour colour = board.colour(Shape::point(r, c));
            stones.push_back(static_cast<std::int8_t>((colour == BLACK) - (colour == WHITE)));
        }
    MoverBoard view(width, height), other(width, height);
    std::vector<std::uint64_t> known;
    for (const std::int8_t sign : {std::int8_t{1}, std::int8_t{-1}}) {
        view.set(stones.data(), sign);
        for (std::size_t v = 0; v < view.points(); ++v) {
            std::array<std::uint64_t, SIZES> keys{};
            if (view.is_empty(v)) view.keys(v, keys.data());
            for (const std::uint64_t key : keys) digest.add(key);
            if (view.is_empty(v))
                known.insert(known.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(v % SIZES));
        }
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const MovePatterns table(known);
    std::vector<std::int32_t> one(stones.size()), two(stones.size());
    for (const std::int8_t sign : {std::int8_t{1}, std::int8_t{-1}}) {
        view.set(stones.data(), sign);
        table.largest(view, one.data());
        table.largest(other, board, sign == 1 ? BLACK : WHITE, two.data());
        require(one == two, "a table of patterns answers the same for stones and for boards");
        for (const std::int32_t number : one) digest.add(static_cast<std::uint64_t>(number));
    }
}

void test_move_patterns() {
    Digest digest;
    add_move_patterns<Square<9>>(digest, 9, 9);
    add_move_patterns<Square<19>>(digest, 19, 19);
    add_move_patterns<AnyShape>(digest, 6, 11);
    digest.require_equal(0x61ebfb3b2193e831, "patterns of moves are the same in every build");
}

// Keys of every move of a random game.
template <class Shape>
void add_response_patterns(Digest& digest, int width, int height) {
    Random random(4, static_cast<std::uint64_t>(width));
    Board<Shape> board(width, height);
    MoverBoard view(width, height);
    Colour mover = BLACK;
    Point last = NO_POINT;
    for (int i = 0; i < width * height; ++i, mover = opponent(mover)) {
        const Point p = board.empty(random.below(board.empty_count()));
        if (board.is_suicide(p, mover)) continue;
        view.set(board, mover);
        for (const std::uint64_t key : ResponseKeys<Shape>(board, view, mover, last).at(p)) digest.add(key);
        board.play(p, mover);
        last = p;
    }
}

void test_response_patterns() {
    Digest digest;
    add_response_patterns<Square<9>>(digest, 9, 9);
    add_response_patterns<Square<19>>(digest, 19, 19);
    add_response_patterns<AnyShape>(digest, 6, 11);
    digest.require_equal(0x397033f93a047757, "response patterns are the same in every build");
}

template <class Shape>
void add_playouts(Digest& digest, int width, int height) {
    Interrupt interrupt;
    std::vector<std::int16_t> leads(100);
    const Board<Shape> board(width, height);
    const auto uniform = count_owners(Uniform<Eye::diagonal>{}, board, First::both, 3, 50, 2, leads.data(), interrupt);
    const auto knowing =
        count_owners(Knowing{Knowledge{}}, board, First::black, 4, 50, 2, leads.data() + 50, interrupt);
    for (const auto& counts : {uniform, knowing})
        for (std::size_t p = 0; p < counts.black.size(); ++p)
            digest.add(static_cast<std::uint64_t>(counts.black[p])),
                digest.add(static_cast<std::uint64_t>(counts.white[p]));
    for (const std::int16_t lead : leads) digest.add(static_cast<std::uint64_t>(lead + 1000));
}

template <class Shape>
void add_learned_playouts(Digest& digest, const PlayoutWeights& weights, int width, int height) {
    const Board<Shape> start(width, height);
    PlayoutGradient gradient(weights);
    for (std::uint64_t i = 0; i < 20; ++i) {
        Board<Shape> board = start;
        Random random(5, i);
        Learned{weights}(board, BLACK, random, [&](Point p, Colour) { digest.add(p); });
        digest.add(static_cast<std::uint64_t>(2 * gradient.add(start, WHITE, Random(6, i), 0.5)));
    }
}

// Plays random games; after every move the neighbourhoods that were kept must equal those of the board.
template <class Shape>
bool keeps_neighbourhoods(int width, int height) {
    bool same = true;
    for (std::uint64_t i = 0; i < 10; ++i) {
        Board<Shape> board(width, height);
        Random random(7, i);
        Neighbourhoods<Shape> around(board);
        Point last = NO_POINT;
        const auto choose = [&](Colour colour) {
            if (last != NO_POINT) around.follow(board, last, [](Point) {});
            for (int row = 0; row < height; ++row)
                for (int column = 0; column < width; ++column) {
                    const Point p = Shape::point(row, column);
                    same = both(same, around.at(p) == neighbourhood(board, p));
                }
            return last = draw<Eye::diagonal>(board, colour, random);
        };
        play_to_end(board, BLACK, choose, no_report);
    }
    return same;
}

void test_neighbourhoods() {
    const bool small = keeps_neighbourhoods<Square<9>>(9, 9), large = keeps_neighbourhoods<Square<19>>(19, 19),
               narrow = keeps_neighbourhoods<AnyShape>(2, 25), full = keeps_neighbourhoods<AnyShape>(25, 25);
    require(small && large && narrow && full, "neighbourhoods are kept up to date");
}

void test_learned_playouts() {
    std::vector<std::uint32_t> levels;
    for (int count : PLAYOUT_LEVELS)
        for (int i = 0; i < count; ++i) levels.push_back(static_cast<std::uint32_t>(scatter(levels.size()) % 1024));
    const PlayoutWeights weights(levels.data());
    Digest digest;
    add_learned_playouts<Square<9>>(digest, weights, 9, 9);
    add_learned_playouts<Square<19>>(digest, weights, 19, 19);
    add_learned_playouts<AnyShape>(digest, weights, 6, 11);
    digest.require_equal(0x5ef99100df12fbf7, "learned playouts are the same in every build");
}

void test_playouts() {
    Digest digest;
    add_playouts<Square<9>>(digest, 9, 9);
    add_playouts<Square<19>>(digest, 19, 19);
    add_playouts<AnyShape>(digest, 6, 11);
    digest.require_equal(0xbd84262af070c9ac, "playouts are the same in every build");
}

// Threads add to one number; no addition is lost.
void test_atomic_sums() {
    std::atomic<double> total{0};
    run_workers(4, [&](int, const std::atomic<bool>&) {
        for (int i = 0; i < 20'000; ++i) add_to(total, 0.5);
    });
    require(total == 40'000, "additions from several threads all count");
}

void test_workers() {
    std::atomic<int> ended{0};
    bool caught = false;
    try {
        run_workers(8, [&](int worker, const std::atomic<bool>& stop) {
            if (worker == 5) throw std::runtime_error("five");
            while (!stop) std::this_thread::yield();
            ++ended;
        });
    } catch (const std::runtime_error&) {
        caught = true;
    }
    require(caught && ended == 7, "an exception stops the other workers and reaches the caller");
}

SearchSettings small_search() {
    SearchSettings settings;
    settings.nodes = 100'000;
    settings.expand_visits = 2;
    return settings;
}

// Memory runs out on some thread after more and more allocations: each time the caller is told, and the search goes on
// afterwards.
void test_out_of_memory() {
    const Position position(5, 5, Ko::positional, false);
    Interrupt interrupt;
    int failed = 0;
    for (long allowed = 0; allowed < 60; allowed += 3) {
        Search<AnyShape> search(small_search(), Board<AnyShape>(5, 5), position);
        allocations_left = allowed;
        try {
            search.run({300, 1e9, 4}, {}, {}, interrupt);
        } catch (const std::bad_alloc&) {
            ++failed;
        }
        allocations_left = -1;
        require(search.run({300, 1e9, 4}, {}, {}, interrupt) == 300, "a search goes on after it ran out of memory");
        std::int64_t visits = 0;
        for (const MoveReport& move : search.report().moves) visits += move.visits;
        require(visits > 250, "and its tree grows");
    }
    require(failed > 0, "running out of memory on a thread is an exception in the caller");
}

void test_counters() {
    Node node(NO_POINT, {});
    node.visits = std::int64_t{1} << 32;
    ++node.visits;
    require(node.visits == 4'294'967'297, "visits pass 2^32");
    OwnerCounts<Square<9>> counts;
    counts.black.fill(std::int64_t{1} << 31);
    counts.add(counts);
    require(counts.black[0] == std::int64_t{1} << 32, "owner counts pass 2^31");
    for (int i = 0; i < (1 << 20) + 10; ++i) node.add_rave(0.5);
    require(node.rave_visits == 1 << 20 && node.rave_wins == 1 << 19,
            "RAVE stops counting while a float is still exact");
}

// Random pushes and pops against a plain list. TENGEN_INVARIANTS bounds the steps of every look-up.
void test_past() {
    Past past;
    std::vector<Situation> plain;
    Random random(5, 6);
    for (int i = 0; i < 20'000; ++i) {
        const Situation situation{scatter(static_cast<std::uint64_t>(random.below(300))),
                                  random.below(2) == 0 ? BLACK : WHITE};
        if (!plain.empty() && random.below(5) < 2) past.pop(), plain.pop_back();
        const auto same_stones = [&](const Situation& other) { return other.hash == situation.hash; };
        const auto same = [&](const Situation& other) {
            return same_stones(other) && other.to_play == situation.to_play;
        };
        if (past.contains(situation.hash) != std::any_of(plain.begin(), plain.end(), same_stones) ||
            past.contains(situation) != std::any_of(plain.begin(), plain.end(), same))
            return require(false, "the past is what was pushed and not popped");
        past.push(situation), plain.push_back(situation);
        if (i % 4000 == 0) past.clear(), plain.clear();
    }
    for (std::uint64_t i = 0; i < 1'000'000; ++i) past.push({i % 3 == 0 ? 77 : scatter(i), BLACK});
    require(past.contains(scatter(999'998)) && !past.contains(scatter(999'999)),
            "a long past is looked up in a few steps");
}

}  // namespace

int main() {
    test_patterns();
    test_move_patterns();
    test_response_patterns();
    test_playouts();
    test_neighbourhoods();
    test_learned_playouts();
    test_atomic_sums();
    test_workers();
    test_out_of_memory();
    test_counters();
    test_past();
    if (failures == 0) std::puts("core_test: all passed");
    return failures == 0 ? 0 : 1;
}
