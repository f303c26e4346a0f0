// The board: stones, chains with their true liberties, ko, hash, and undo.
//
// Reading guide: start at play(). A chain is identified by one of its stones, its head; next[] is a cyclic list of its
// stones, liberties[head] is the set of its liberties as bits and liberty_count[head] their number. Points without a
// stone have chain 0, a dummy that absorbs writes, so that the inner loops need no tests. The same structure serves
// playouts (no log) and ladders and search (a Journal undoes a move exactly).
//
// Only a Journal allocates memory. Superko, passes and the player to move are in position.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "portable.hpp"
#include "shape.hpp"

#ifdef TENGEN_INVARIANTS
#define TENGEN_ASSERT(condition) ((condition) ? void() : std::abort())
#else
#define TENGEN_ASSERT(condition) void()
#endif

namespace tengen {

// The log of a playout: discards all changes.
struct NoLog {
    template <class T>
    void save(const void*, const T&) {}
};

// Old values of changed fields, newest last. Offsets are relative to the board, so a copied board may use a copied
// journal.
class Journal {
public:
    template <class T>
    void save(const void* base, const T& field) {
        static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);  // see rewind()
        Entry entry{static_cast<std::uint32_t>(reinterpret_cast<const char*>(&field) - static_cast<const char*>(base)),
                    sizeof(T), 0};
        std::memcpy(&entry.value, &field, sizeof(T));
        entries_.push_back(entry);
    }
    void begin() { marks_.push_back(entries_.size()); }
    std::size_t depth() const { return marks_.size(); }
    void clear() { entries_.clear(), marks_.clear(); }
    // Undoes all changes since the last begin().
    void rewind(void* base) {
        for (const std::size_t mark = marks_.back(); entries_.size() > mark; entries_.pop_back()) {
            const Entry& entry = entries_.back();
            char* field = static_cast<char*>(base) + entry.offset;
            // A copy of constant size is a single instruction.
            if (entry.size == 2) std::memcpy(field, &entry.value, 2);
            else if (entry.size == 8) std::memcpy(field, &entry.value, 8);
            else if (entry.size == 1) std::memcpy(field, &entry.value, 1);
            else std::memcpy(field, &entry.value, 4);
        }
        marks_.pop_back();
    }

private:
    struct Entry {
        std::uint32_t offset, size;
        std::uint64_t value;
    };
    std::vector<Entry> entries_;
    std::vector<std::size_t> marks_;
};

// By the colours of the four diagonals, two bits each: the colours (as bits) for which a simple eye is real.
inline constexpr auto WHOLE_EYES = [] {
    std::array<Colour, 256> whole{};
    for (unsigned corners = 0; corners < 256; ++corners)
        for (Colour colour : {BLACK, WHITE}) {
            int held = 0;
            bool edge = false;
            for (unsigned shift = 0; shift < 8; shift += 2) {
                held += (corners >> shift & 3) == opponent(colour);
                edge |= (corners >> shift & 3) == OFF;
            }
            if (held + edge < 2) whole[corners] |= colour;
        }
    return whole;
}();

template <class Shape>
class Board : public Shape {
public:
    using shape = Shape;
    using Shape::area, Shape::words, Shape::bit, Shape::neighbours, Shape::keys;
    using Liberties = std::array<std::uint64_t, static_cast<std::size_t>(Shape::words)>;

    explicit Board(int width = MAX_SIDE, int height = MAX_SIDE) : Shape(width, height) { clear(); }

    Colour colour(Point p) const { return colour_[p]; }
    Point chain(Point p) const { return chain_[p]; }  // the head of the chain at p; 0 where there is no stone
    Point next(Point p) const { return next_[p]; }    // the next stone of the same chain, cyclically
    int liberty_count(Point head) const { return liberty_count_[head]; }
    int stone_count(Point head) const { return stone_count_[head]; }
    const Liberties& liberties(Point head) const { return liberties_[head]; }
    bool is_liberty(Point head, Point p) const { return test(liberties_[head], p); }
    int empty_count() const { return empty_count_; }
    Point empty(int index) const { return empties_[static_cast<std::size_t>(index)]; }
    Point ko() const { return ko_; }
    Colour ko_colour() const { return ko_colour_; }  // the colour that may not play at ko()
    std::uint64_t hash() const { return hash_; }
    int captures(Colour by) const {
        return captures_[by];
    }  // stones captured by the colour, including suicides of the other side

    void clear() {
        colour_.fill(OFF);
        chain_.fill(0), next_.fill(0), where_.fill(0), empties_.fill(0), liberty_count_.fill(0), stone_count_.fill(0);
        liberties_.fill({});
        captures_.fill(0);
        empty_count_ = 0, ko_ = NO_POINT, ko_colour_ = EMPTY, hash_ = 0;
        for (int r = 0; r < this->height(); ++r)
            for (int c = 0; c < this->width(); ++c) {
                const Point p = Shape::point(r, c);
                colour_[p] = EMPTY;
                where_[p] = empty_count_;
                empties_[empty_count_++] = p;
            }
    }

    // Sets up a stone: no capture, no ko. Chains may be left without liberties, see lifeless().
    void put(Point p, Colour colour) {
        NoLog log;
        settle(log, p, colour);
        ko_ = NO_POINT;
    }

    // Returns a chain without liberties, or 0. Only put() can make one.
    Point lifeless() const {
        for (Point p = 0; p < area; ++p)
            if (colour_[p] != OFF && colour_[p] != EMPTY && liberty_count_[chain_[p]] == 0) return p;
        return NO_POINT;
    }

    void set_ko(Point p, Colour colour) { ko_ = p, ko_colour_ = colour; }
    void set_captures(Colour by, int stones) { captures_[by] = stones; }

    template <class Log>
    void clear_ko(Log& log) {
        if (ko_ != NO_POINT) write(log, ko_, NO_POINT);
    }

    bool is_ko(Point p, Colour colour) const { return p == ko_ && colour == ko_colour_; }

    // Whether a stone at the empty point p would leave its own chain without liberties.
    bool is_suicide(Point p, Colour colour) const {
        for (Point n : neighbours(p)) {
            const Colour there = colour_[n];
            if (there == EMPTY) return false;
            // A friend must have another liberty, an enemy must have none.
            if (both(there != OFF, (there == colour) == (liberty_count_[chain_[n]] > 1))) return false;
        }
        return true;
    }

    bool has_own_neighbour(Point p, Colour colour) const {
        for (Point n : neighbours(p))
            if (colour_[n] == colour) return true;
        return false;
    }

    // All four neighbours are the colour's own stones or off the board.
    bool is_simple_eye(Point p, Colour colour) const {
        Colour all = colour;
        for (Point n : neighbours(p)) all &= colour_[n];
        return all != 0;
    }

    // A simple eye of which the opponent holds at most one diagonal, and none at the edge.
    bool is_eye(Point p, Colour colour) const {
        if (!is_simple_eye(p, colour)) return false;
        unsigned corners = 0;
        for (Point d : Shape::diagonals(p)) corners = corners << 2 | colour_[d];
        return (WHOLE_EYES[corners] & colour) != 0;
    }

    // Plays a stone at the empty point p without checking ko and suicide; returns the number of captured stones.
    template <class Log>
    int play(Log& log, Point p, Colour colour) {
        const Colour enemy = opponent(colour);
        clear_ko(log);
        settle(log, p, colour);
        int taken = 0;
        Point last = NO_POINT;
        if (takes(p, enemy))
            for (Point n : neighbours(p))
                if (colour_[n] == enemy && liberty_count_[chain_[n]] == 0) {
                    last = n;
                    taken += remove(log, chain_[n]);
                }
        const Point head = chain_[p];
        if (taken == 1 && stone_count_[head] == 1 && liberty_count_[head] == 1) {
            write(log, ko_, last);
            write(log, ko_colour_, enemy);
        }
        if (taken > 0) write(log, captures_[colour], captures_[colour] + taken);
        if (liberty_count_[head] == 0) {
            const int lost = remove(log, head);
            write(log, captures_[enemy], captures_[enemy] + lost);
        }
        TENGEN_ASSERT(consistent());
        return taken;
    }
    int play(Point p, Colour colour) {
        NoLog log;
        return play(log, p, colour);
    }

    // The hash that play(p, colour) would lead to.
    std::uint64_t hash_after(Point p, Colour colour) const {
        std::uint64_t result = hash_ ^ keys[colour][p];
        std::array<Point, 4> gone{};
        bool breathes = false;
        for (std::size_t i = 0; i < 4; ++i) {
            const Point n = neighbours(p)[i], head = chain_[n];
            breathes |= colour_[n] == EMPTY || (colour_[n] == colour && liberty_count_[head] > 1);
            if (colour_[n] != opponent(colour) || liberty_count_[head] != 1) continue;
            breathes = true;
            if (gone[0] == head || gone[1] == head || gone[2] == head) continue;
            gone[i] = head;
            result ^= chain_hash(head);
        }
        return breathes ? result : hash_ ^ own_hash(p, colour);
    }

    // Checks the invariant: chains, liberties, empty points and hash equal those found by a flood fill.
    bool consistent() const {
        std::array<bool, static_cast<std::size_t>(Shape::area)> seen{};
        std::uint64_t hash = 0;
        int empties = 0;
        for (Point p = 0; p < area; ++p) {
            if (colour_[p] == EMPTY && empties_[where_[p]] != p) return false;
            empties += colour_[p] == EMPTY;
            if (colour_[p] == EMPTY || colour_[p] == OFF) continue;
            hash ^= keys[colour_[p]][p];
            if (!seen[p] && !chain_consistent(p, seen)) return false;
        }
        return hash == hash_ && empties == empty_count_;
    }

    // For choosing among the empty points without repetition: moves the one at `index` to `last`.
    void swap_empties(int index, int last) {
        Point& a = empties_[static_cast<std::size_t>(index)];
        Point& b = empties_[static_cast<std::size_t>(last)];
        std::swap(where_[a], where_[b]);
        std::swap(a, b);
    }

private:
    template <class T, int Size>
    using Array = std::array<T, static_cast<std::size_t>(Size)>;

    Array<Colour, area> colour_;
    Array<Point, area> chain_, next_, where_;  // where_: the index of an empty point in empties_
    Array<Point, Shape::points> empties_;
    Array<std::uint16_t, area> liberty_count_, stone_count_;
    Array<Liberties, area> liberties_;
    std::array<std::int32_t, 4> captures_;  // a game of 2^31 captures is out of reach
    std::uint16_t empty_count_;
    Point ko_;
    Colour ko_colour_;
    std::uint64_t hash_;

    template <class Log, class T>
    void write(Log& log, T& field, T value) {
        log.save(this, field);
        field = value;
    }

    static std::size_t word(Point p) { return static_cast<std::size_t>(bit(p)) / 64; }
    static std::uint64_t mask(Point p) { return std::uint64_t{1} << (bit(p) % 64); }
    static bool test(const Liberties& set, Point p) { return (set[word(p)] & mask(p)) != 0; }

    template <class Log>
    void drop_liberty(Log& log, Point head, Point p) {
        std::uint64_t& bits = liberties_[head][word(p)];
        const bool had = (bits & mask(p)) != 0;
        write(log, liberty_count_[head], static_cast<std::uint16_t>(liberty_count_[head] - had));
        write(log, bits, bits & ~mask(p));
    }

    template <class Log>
    void add_liberty(Log& log, Point head, Point p) {
        std::uint64_t& bits = liberties_[head][word(p)];
        const bool had = (bits & mask(p)) != 0;
        write(log, liberty_count_[head], static_cast<std::uint16_t>(liberty_count_[head] + !had));
        write(log, bits, bits | mask(p));
    }

    // Puts a stone on the empty point p and joins it to its friends.
    template <class Log>
    void settle(Log& log, Point p, Colour colour) {
        take_from_empties(log, p);
        write(log, colour_[p], colour);
        write(log, hash_, hash_ ^ keys[colour][p]);
        for (Point n : neighbours(p)) drop_liberty(log, chain_[n], p);
        Point head = largest_friend(p, colour);
        if (head == NO_POINT) head = start_chain(log, p);
        else extend_chain(log, head, p);
        add_empty_neighbours(log, head, p);
        if (joins(p, colour, head))
            for (Point n : neighbours(p))
                if (colour_[n] == colour && chain_[n] != head) merge(log, head, chain_[n]);
    }

    // takes() and joins() test all four neighbours at once: most moves capture and join nothing, so that the branch is
    // well predicted.
    bool takes(Point p, Colour enemy) const {
        bool any = false;
        for (Point n : neighbours(p)) any = either(any, both(colour_[n] == enemy, liberty_count_[chain_[n]] == 0));
        return any;
    }

    bool joins(Point p, Colour colour, Point head) const {
        bool any = false;
        for (Point n : neighbours(p)) any = either(any, both(colour_[n] == colour, chain_[n] != head));
        return any;
    }

    // The empty neighbours of p become liberties of a chain. They lie within 2·stride bits, so in two words at most.
    template <class Log>
    void add_empty_neighbours(Log& log, Point head, Point p) {
        static_assert(2 * Shape::stride < 64);
        constexpr std::array offsets{0, Shape::stride - 1, Shape::stride + 1, 2 * Shape::stride};
        std::uint64_t cross = 0;
        for (std::size_t i = 0; i < 4; ++i) cross |= std::uint64_t{colour_[neighbours(p)[i]] == EMPTY} << offsets[i];
        const auto window = Shape::window(bit(p) - Shape::stride, cross);
        int added = add_bits(log, liberties_[head][window.low], window.low_bits);
        added += add_bits(log, liberties_[head][window.high], window.high_bits);
        write(log, liberty_count_[head], static_cast<std::uint16_t>(liberty_count_[head] + added));
    }

    // Returns the number of new bits.
    template <class Log>
    int add_bits(Log& log, std::uint64_t& word, std::uint64_t bits) {
        const int added = std::popcount(bits & ~word);
        write(log, word, word | bits);
        return added;
    }

    Point largest_friend(Point p, Colour colour) const {
        Point best = NO_POINT;
        for (Point n : neighbours(p)) {
            const bool better =
                both(colour_[n] == colour, either(best == NO_POINT, stone_count_[chain_[n]] > stone_count_[best]));
            best = better ? chain_[n] : best;
        }
        return best;
    }

    template <class Log>
    Point start_chain(Log& log, Point p) {
        for (std::uint64_t& bits : liberties_[p]) write(log, bits, std::uint64_t{0});
        write(log, liberty_count_[p], std::uint16_t{0});
        write(log, stone_count_[p], std::uint16_t{1});
        write(log, next_[p], p);
        write(log, chain_[p], p);
        return p;
    }

    template <class Log>
    void extend_chain(Log& log, Point head, Point p) {
        write(log, stone_count_[head], static_cast<std::uint16_t>(stone_count_[head] + 1));
        write(log, next_[p], next_[head]);
        write(log, next_[head], p);
        write(log, chain_[p], head);
    }

    // The chain `small` becomes part of `head`.
    template <class Log>
    void merge(Log& log, Point head, Point small) {
        Point stone = small;
        do {
            write(log, chain_[stone], head);
            stone = next_[stone];
        } while (stone != small);
        const Point after = next_[head];
        write(log, next_[head], next_[small]);
        write(log, next_[small], after);
        write(log, stone_count_[head], static_cast<std::uint16_t>(stone_count_[head] + stone_count_[small]));
        int count = 0;
        for (std::size_t i = 0; i < liberties_[head].size(); ++i) {
            const std::uint64_t bits = liberties_[head][i] | liberties_[small][i];
            write(log, liberties_[head][i], bits);
            count += std::popcount(bits);
        }
        write(log, liberty_count_[head], static_cast<std::uint16_t>(count));
    }

    // Removes a chain; every point it leaves becomes a liberty of its neighbours. Returns its size.
    template <class Log>
    int remove(Log& log, Point head) {
        const Colour colour = colour_[head];
        int stones = 0;
        Point stone = head;
        do {
            write(log, colour_[stone], EMPTY);
            write(log, chain_[stone], NO_POINT);
            write(log, hash_, hash_ ^ keys[colour][stone]);
            return_to_empties(log, stone);
            for (Point n : neighbours(stone)) add_liberty(log, chain_[n], stone);
            stone = next_[stone];
            ++stones;
        } while (stone != head);
        return stones;
    }

    bool chain_consistent(Point p, std::array<bool, static_cast<std::size_t>(Shape::area)>& seen) const {
        std::vector<Point> stones{p};
        Liberties found{};
        seen[p] = true;
        for (std::size_t i = 0; i < stones.size(); ++i)
            for (Point n : neighbours(stones[i])) {
                if (colour_[n] == EMPTY) found[word(n)] |= mask(n);
                if (colour_[n] == colour_[p] && !seen[n]) seen[n] = true, stones.push_back(n);
            }
        const Point head = chain_[p];
        int count = 0, ring = 0;
        for (std::uint64_t set : found) count += std::popcount(set);
        Point stone = head;
        do ++ring;
        while (chain_[stone] == head && (stone = next_[stone]) != head && ring <= area);
        return found == liberties_[head] && count == liberty_count_[head] && ring == stone_count_[head] &&
               stones.size() == static_cast<std::size_t>(ring);
    }

    template <class Log>
    void take_from_empties(Log& log, Point p) {
        const Point last = empties_[static_cast<std::size_t>(empty_count_ - 1)];
        write(log, empties_[where_[p]], last);
        write(log, where_[last], where_[p]);
        write(log, empty_count_, static_cast<std::uint16_t>(empty_count_ - 1));
    }

    template <class Log>
    void return_to_empties(Log& log, Point p) {
        write(log, where_[p], empty_count_);
        write(log, empties_[empty_count_], p);
        write(log, empty_count_, static_cast<std::uint16_t>(empty_count_ + 1));
    }

    std::uint64_t chain_hash(Point head) const {
        std::uint64_t result = 0;
        Point stone = head;
        do result ^= keys[colour_[head]][stone];
        while ((stone = next_[stone]) != head);
        return result;
    }

    // The stones that a suicide at p removes besides the new one.
    std::uint64_t own_hash(Point p, Colour colour) const {
        std::array<Point, 4> seen{};
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const Point n = neighbours(p)[i], head = chain_[n];
            if (colour_[n] != colour || seen[0] == head || seen[1] == head || seen[2] == head) continue;
            seen[i] = head;
            result ^= chain_hash(head);
        }
        return result;
    }
};

using GeneralBoard = Board<AnyShape>;

}  // namespace tengen
