// The situations of a game, for superko: a stack that is also a hash set.
//
// Reading guide: push() and pop() follow play and undo, contains() tests whether a situation has occurred. Situations
// in the same bucket form a list through `earlier`, newest first, so pop() only moves the head of one list back.
// Repeated situations are not linked, so lists stay short even in a game with a hundred thousand passes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "board.hpp"

namespace tengen {

// A situation as compared by superko.
struct Situation {
    std::uint64_t hash;
    Colour to_play;
};

class Past {
public:
    using Index = std::uint32_t;

    Past() { clear(); }

    std::size_t size() const { return entries_.size(); }
    Situation operator[](std::size_t i) const { return {entries_[i].hash, entries_[i].to_play}; }

    void clear() {
        entries_.clear();
        heads_.assign(FEWEST_BUCKETS, NONE);
    }

    // Reserves memory for n situations.
    void reserve(std::size_t count) {
        entries_.reserve(count);
        if (count > heads_.size()) rehash(std::bit_ceil(count));
    }

    void push(const Situation& situation) {
        if (entries_.size() >= heads_.size()) rehash(2 * heads_.size());
        Index& head = heads_[bucket(situation.hash)];
        const bool repeated = contains(situation);
        entries_.push_back({situation.hash, repeated ? REPEATED : head, situation.to_play});
        if (!repeated) head = static_cast<Index>(entries_.size() - 1);
    }

    void pop() {
        const Entry& last = entries_.back();
        if (last.earlier != REPEATED) heads_[bucket(last.hash)] = last.earlier;
        entries_.pop_back();
    }

    // Whether these stones have been on the board, with either player to move.
    bool contains(std::uint64_t hash) const {
        return find(hash, [](Colour) { return true; });
    }
    bool contains(const Situation& situation) const {
        return find(situation.hash, [&](Colour to_play) { return to_play == situation.to_play; });
    }

private:
    static constexpr Index NONE = std::numeric_limits<Index>::max(), REPEATED = NONE - 1;
    static constexpr std::size_t FEWEST_BUCKETS = 16;
    static constexpr int LONGEST_LIST =
        64;  // at most one situation per bucket on average, so lists of twenty practically never occur

    struct Entry {
        std::uint64_t hash;
        Index earlier;  // the next in the list of its bucket, NONE, or REPEATED
        Colour to_play;
    };
    std::vector<Entry> entries_;
    std::vector<Index> heads_;  // by bucket; a power of two of them, at least as many as entries

    std::size_t bucket(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (heads_.size() - 1); }

    template <class Matches>
    bool find(std::uint64_t hash, Matches matches) const {
        [[maybe_unused]] int steps = 0;
        for (Index i = heads_[bucket(hash)]; i != NONE; i = entries_[i].earlier) {
            TENGEN_ASSERT(++steps <= LONGEST_LIST);
            if (entries_[i].hash == hash && matches(entries_[i].to_play)) return true;
        }
        return false;
    }

    void rehash(std::size_t buckets) {
        heads_.assign(buckets, NONE);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            Entry& entry = entries_[i];
            if (entry.earlier == REPEATED) continue;
            Index& head = heads_[bucket(entry.hash)];
            entry.earlier = head;
            head = static_cast<Index>(i);
        }
    }
};

}  // namespace tengen
