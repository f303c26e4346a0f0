// Tables of patterns: a value for every class that occurred often enough, looked up by key.
//
// Keys are hashes, so sorted keys are evenly distributed: a directory with one entry per four keys or so tells where to
// search. The prediction for a point is the value of the largest class known there, in the orientation of its
// occurrence (sign · value). A table contains the parent of every class in it, so the classes known at a point are
// those of the templates 1 to m. Start reading at table_ownership. Logistic learns such a table by gradient descent.
#pragma once

#include <cmath>
#include <limits>

#include "pattern.hpp"
#include "portable.hpp"

namespace tengen {

class KeyIndex {
public:
    static constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();

    // The keys in rising order, which must outlive the index. Only the upper `bits` of a key are compared; the other
    // bits of keys in the table are 0.
    KeyIndex(const std::uint64_t* keys, std::size_t count, int bits = 64)
        : keys_(keys), count_(count), buckets_(count / 4 + 1), mask_(~std::uint64_t{0} << (64 - bits)) {
        starts_.resize(buckets_ + 1);
        std::size_t next = 0;
        for (std::size_t i = 0; i < count; ++i)
            for (const std::size_t last = bucket(keys[i]); next <= last; ++next)
                starts_[next] = static_cast<std::uint32_t>(i);
        for (; next <= buckets_; ++next) starts_[next] = static_cast<std::uint32_t>(count);
    }

    std::size_t bucket(std::uint64_t key) const { return static_cast<std::size_t>(((key >> 32) * buckets_) >> 32); }
    std::size_t find(std::uint64_t key) const { return find_in(bucket(key), key); }
    std::size_t find_in(std::size_t bucket, std::uint64_t key) const {
        key &= mask_;
        std::size_t i = starts_[bucket];
        const std::size_t end = starts_[bucket + 1];
        while (i < end && keys_[i] < key) ++i;
        return i < end && keys_[i] == key ? i : NONE;
    }
    void prefetch_start(std::size_t bucket) const { prefetch(&starts_[bucket]); }
    void prefetch_keys(std::size_t bucket) const {
        const std::uint64_t* first = keys_ + starts_[bucket];
        prefetch(first);
    }
    std::size_t count() const { return count_; }
    std::size_t bytes() const { return starts_.size() * sizeof(std::uint32_t); }

private:
    const std::uint64_t* keys_;
    std::size_t count_, buckets_;
    std::uint64_t mask_;
    std::vector<std::uint32_t> starts_;
};

// A point at which patterns are looked up: the sum so far, and the last key with its bucket.
template <class Sum>
struct LookUp {
    Sum sum;
    std::uint64_t key;
    std::size_t bucket;
    int place;  // in the padded array of a PatternBoard
};

// Looks up make_key(point) for each of the live points, all together, so that memory accesses of different points
// overlap. Known ones are reported to note(point, entry); the others are live no more.
template <class Sum, class MakeKey, class Note>
void look_up(const KeyIndex& index, std::vector<std::uint16_t>& live, std::vector<LookUp<Sum>>& work, MakeKey make_key,
             Note note) {
    for (const std::uint16_t v : live) {
        work[v].key = make_key(v);
        work[v].bucket = index.bucket(work[v].key);
        index.prefetch_start(work[v].bucket);
    }
    for (const std::uint16_t v : live) index.prefetch_keys(work[v].bucket);
    std::size_t kept = 0;
    for (const std::uint16_t v : live) {
        const std::size_t entry = index.find_in(work[v].bucket, work[v].key);
        if (entry == KeyIndex::NONE) continue;
        note(v, entry);
        live[kept++] = v;
    }
    live.resize(kept);
}

// The places in a table of the classes of one board: the largest known class at every point, and the smaller ones found
// before it.
class Matches {
public:
    Matches(int width, int height, int levels)
        : board_(width, height),
          levels_(levels),
          points_(static_cast<std::size_t>(width * height)),
          found_(points_),
          work_(points_) {
        signs_.resize(points_ * static_cast<std::size_t>(levels));
        entries_.resize(points_ * static_cast<std::size_t>(levels));
        live_.reserve(points_);
        for (std::size_t v = 0; v < points_; ++v) work_[v].place = PatternBoard::place(row(v), column(v));
    }

    // Searches template by template, all points together. A table contains all parents, so the search may begin with a
    // larger template; smaller classes than `first` are then looked up only if that one is not known.
    void find(const KeyIndex& index, const std::int8_t* stones, int first) {
        board_.set_all(stones);
        std::fill(found_.begin(), found_.end(), std::uint8_t{0});
        live_.clear();
        for (std::size_t v = 0; v < points_; ++v) {
            work_[v].sum = Lanes{};
            live_.push_back(static_cast<std::uint16_t>(v));
        }
        const int start = std::min({first, levels_, NESTED});
        step(index, 0, start);
        for (std::size_t v = 0; start > 1 && v < points_; ++v)
            if (found_[v] == 0) descend(index, v, start - 1);
        for (int level = start + 1; level <= levels_ && !live_.empty(); ++level) step(index, level - 1, level);
    }

    std::size_t points() const { return points_; }
    int depth(std::size_t point) const { return found_[point]; }  // the largest template known there, or 0
    std::size_t entry(std::size_t point, int level) const { return entries_[slot(point, level)]; }
    int sign(std::size_t point, int level) const { return signs_[slot(point, level)]; }

private:
    PatternBoard board_;
    int levels_;
    std::size_t points_;
    std::vector<std::uint8_t> found_;
    std::vector<LookUp<Lanes>> work_;
    std::vector<std::int8_t> signs_;
    std::vector<std::uint32_t> entries_;
    std::vector<std::uint16_t> live_;  // the points whose largest class is not reached yet

    std::size_t slot(std::size_t point, int level) const {
        return point * static_cast<std::size_t>(levels_) + static_cast<std::size_t>(level - 1);
    }
    int row(std::size_t point) const { return static_cast<int>(point) / board_.width(); }
    int column(std::size_t point) const { return static_cast<int>(point) % board_.width(); }

    void note(std::size_t v, int level, std::size_t entry) {
        entries_[slot(v, level)] = static_cast<std::uint32_t>(entry);
        found_[v] = static_cast<std::uint8_t>(level);
    }

    void step(const KeyIndex& index, int from, int level) {
        const Templates& templates = Templates::get();
        const auto make_key = [&](std::uint16_t v) {
            LookUp<Lanes>& work = work_[v];
            if (level == WHOLE_BOARD) board_.extend(row(v), column(v), from, level, work.sum);
            else board_.extend_near(templates, work.place, from, level, work.sum);
            const ClassKey made = class_key(work.sum, level);
            signs_[slot(v, level)] = made.sign;
            return made.key;
        };
        look_up(index, live_, work_, make_key, [&](std::uint16_t v, std::size_t entry) { note(v, level, entry); });
    }

    // Looks for the largest class known among the templates 1 to `last`, for a point whose larger ones are unknown.
    void descend(const KeyIndex& index, std::size_t v, int last) {
        std::array<ClassKey, NESTED> made;
        board_.keys(row(v), column(v), last,
                    [&](int level, ClassKey key) { made[static_cast<std::size_t>(level - 1)] = key; });
        for (int level = last; level >= 1; --level) {
            const ClassKey& key = made[static_cast<std::size_t>(level - 1)];
            const std::size_t entry = index.find(key.key);
            if (entry == KeyIndex::NONE) continue;
            signs_[slot(v, level)] = key.sign;
            note(v, level, entry);
            return;
        }
    }
};

inline constexpr int USUALLY_KNOWN = 4;  // most classes of this template are in every useful table

// The value of the largest known class at every point, signed; 0 where nothing is known.
inline void table_ownership(Matches& matches, const KeyIndex& index, const float* values, const std::int8_t* stones,
                            double* ownership) {
    matches.find(index, stones, USUALLY_KNOWN);
    for (std::size_t v = 0; v < matches.points(); ++v)
        if (matches.depth(v) > 0) prefetch(values + matches.entry(v, matches.depth(v)));
    for (std::size_t v = 0; v < matches.points(); ++v) {
        const int depth = matches.depth(v);
        ownership[v] = depth == 0 ? 0.0 : matches.sign(v, depth) * static_cast<double>(values[matches.entry(v, depth)]);
    }
}

// Logistic regression P(Black) = 1 / (1 + exp(−Σ sign · weight)) over the classes known at a point (Sanner et al.,
// Eq. 2), by AdaGrad.
struct Logistic {
    double* weights;  // one for each entry of the table
    double* squares;  // the squared gradients so far
    double rate, decay;

    // One step on one point with the target q in [0, 1]; returns the loss before it.
    double learn(const Matches& matches, std::size_t point, double q, double importance) {
        const int depth = matches.depth(point);
        double field = 0;
        for (int level = 1; level <= depth; ++level)
            field += matches.sign(point, level) * weights[matches.entry(point, level)];
        const double p = 1 / (1 + std::exp(-field));
        for (int level = 1; level <= depth; ++level) {
            const int sign = matches.sign(point, level);
            if (sign == 0) continue;
            const std::size_t entry = matches.entry(point, level);
            const double gradient = importance * (p - q) * sign + decay * weights[entry];
            squares[entry] += gradient * gradient;
            weights[entry] -= rate * gradient / std::sqrt(squares[entry] + 1e-12);
        }
        return importance * (std::log1p(std::exp(-std::abs(field))) + std::max(field, 0.0) - q * field);
    }
};

}  // namespace tengen
