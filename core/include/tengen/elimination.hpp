// Exact inference by elimination: log Z, all means, exact samples and the likeliest state. Sanner et al. §3.2 call it
// impractical, but on a 19×19 board the tables have only 2^20 entries.
//
// upward() sums out one variable after the other; downward() propagates the factor of the rest of the graph back to
// every bucket; decode() goes down with states instead of tables. Tables are never stored whole: a bucket's entries are
// computed in blocks of 256. If the messages do not fit in memory, only some are kept and the others are recomputed on
// the way down.
//
// Underflow is bounded. upward() raises every message entry that would underflow to a floor, so ln Z can only become
// too large; downward() adds up the probability of the states that use such an entry. That sum bounds the relative
// error of Z and of every probability. If it exceeds MOST_LOST, std::range_error is thrown and the caller retries with
// a wider type, and finally with LogSum, which needs no floor.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "elimination_plan.hpp"
#include "random.hpp"

namespace tengen {

// Sums of products, scaled so that the largest factor is 1. All factors are at most 1, so precision is lost only when a
// product falls below the smallest normal number.
template <class T>
struct SumProduct {
    using Real = T;
    static constexpr Real ONE = 1;
    static constexpr Real LEAST = std::numeric_limits<Real>::min();
    static constexpr double MOST_ENERGY = std::numeric_limits<double>::infinity();
    static Real factor(double energy, double most) { return static_cast<Real>(std::exp(energy - most)); }
    static Real times(Real a, Real b) { return a * b; }
    static Real plus(Real a, Real b) { return a + b; }
    // A message entry divided by the largest one and raised to the floor, above which entries have full precision.
    static Real floor(Real most) { return LEAST / std::min(most, Real{1}); }
    static Real scaled(Real value, Real most) { return std::max(value / most, floor(most)); }
    static double log(Real most) { return std::log(static_cast<double>(most)); }
    // The unnormalised probability of a table's entry; and the factor of the rest of the graph from probabilities.
    static Real belief(Real entry, Real outside, Real) { return entry * outside; }
    static Real outside(Real share, Real message) { return share / message; }
    static bool takes_plus(double u, Real plus, Real minus) {
        return u * (static_cast<double>(plus) + static_cast<double>(minus)) < static_cast<double>(plus);
    }
};

// Sums of logarithms instead of products.
struct LogScale {
    using Real = double;
    static constexpr Real ONE = 0, LEAST = std::numeric_limits<Real>::min();
    static constexpr double MOST_ENERGY = std::numeric_limits<double>::infinity();
    static Real factor(double energy, double most) { return energy - most; }
    static Real times(Real a, Real b) { return a + b; }
    static Real floor(Real) { return -std::numeric_limits<Real>::infinity(); }
    static Real scaled(Real value, Real most) { return value - most; }
    static double log(Real most) { return most; }
};

// The best state instead of the sum.
struct MaxSum : LogScale {
    static Real plus(Real a, Real b) { return std::max(a, b); }
};

// The same sums as SumProduct, several times slower and without underflow. Energies are rounded to 16 digits, so their
// sum is limited: at 10^8, ln Z of a 19×19 board is accurate to about 10^−5.
struct LogSum : LogScale {
    static constexpr double MOST_ENERGY = 1e8;
    static Real plus(Real a, Real b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }
    static Real belief(Real entry, Real outside, Real most) { return std::exp(entry + outside - most); }
    static Real outside(Real share, Real message) { return std::log(share) - message; }
    static bool takes_plus(double u, Real plus, Real minus) { return u * (1 + std::exp(minus - plus)) < 1; }
};

template <class Semiring>
class Elimination {
public:
    using Real = typename Semiring::Real;

    Elimination(const EliminationPlan& plan, const IsingNumbers& numbers, Interrupt& interrupt)
        : plan_(plan),
          numbers_(numbers),
          interrupt_(interrupt),
          messages_(plan.buckets.size()),
          most_(plan.buckets.size()),
          floored_(plan.buckets.size()),
          stride_(plan.entries * sizeof(Real) <= KEPT_BYTES
                      ? 1
                      : std::max(1, static_cast<int>(std::sqrt(plan.buckets.size())))) {}

    // Returns ln Z, or the largest energy.
    double upward() {
        double sum = 0, energy = 0;
        for (int i = 0; i < count(); ++i) {
            look_for_interrupt(i);
            sum += make_message(i);
            const Bucket& bucket = plan_.buckets[at(i)];
            energy += std::abs(numbers_.fields[bucket.variable]);
            for (const auto& link : bucket.links) energy += std::abs(numbers_.couplings[link.edge]);
            for (const auto& child : bucket.children)
                if (child.bucket % stride_ != 0) forget(messages_[at(child.bucket)]);
        }
        if (energy > Semiring::MOST_ENERGY) throw_lost();
        return sum + energy;
    }

    // Writes E[s_i] and E[s_i s_j]; after upward(). Throws std::range_error if this type loses too much.
    void downward(double* means, double* edge_means) {
        lost_ = 0;
        std::vector<std::vector<Real>> from_above(messages_.size());
        for (int i = count() - 1; i >= 0; --i) {
            require_children(i);
            look_for_interrupt(i);
            auto& above = from_above[at(i)];
            if (above.empty()) above.assign(1, Semiring::ONE);
            believe(i, above, from_above, means, edge_means);
            forget(above);
            for (const auto& child : plan_.buckets[at(i)].children) forget(messages_[at(child.bucket)]);
        }
    }

    // Runs downward() if an entry was raised, to bound the error; returns whether it did, which uses up the messages.
    bool verify() {
        if (std::find(floored_.begin(), floored_.end(), true) == floored_.end()) return false;
        std::size_t edges = 0;
        for (const Bucket& bucket : plan_.buckets) edges += bucket.links.size();
        std::vector<double> means(messages_.size()), edge_means(edges);
        downward(means.data(), edge_means.data());
        return true;
    }

    // Sets every variable given those eliminated after it, after upward(); choose(k, plus, minus) returns whether the
    // variable is +1 in state k.
    template <class Choose>
    void decode(std::int8_t* states, int state_count, Choose choose) {
        for (int i = count() - 1; i >= 0; --i) {
            require_children(i);
            const Bucket& bucket = plan_.buckets[at(i)];
            for (int k = 0; k < state_count; ++k) {
                std::int8_t* state = states + at(k) * at(count());
                const Real plus = entry(bucket, state, 1), minus = entry(bucket, state, -1);
                state[bucket.variable] = choose(k, plus, minus) ? 1 : -1;
                interrupt_.work(bucket.scope.size());
            }
            for (const auto& child : bucket.children) forget(messages_[at(child.bucket)]);
        }
    }

private:
    static constexpr int BLOCK_BITS = 8;
    static constexpr double KEPT_BYTES = 1 << 28, MOST_LOST = 1e-9;
    using Block = std::array<Real, 1 << BLOCK_BITS>;

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    // Called once per table: even a call that is never executed keeps the compiler from vectorising the inner loops.
    void look_for_interrupt(int i) { interrupt_.work(std::size_t{1} << plan_.buckets[at(i)].bits()); }

    static void forget(std::vector<Real>& table) { std::vector<Real>().swap(table); }
    int count() const { return static_cast<int>(plan_.buckets.size()); }
    static int sign(std::uint32_t index, int bit) { return (index >> bit & 1) ? -1 : 1; }

    // The bits of an index selected by a mask, packed together.
    static std::uint32_t extract(std::uint32_t index, std::uint32_t mask) {
        std::uint32_t found = 0;
        for (std::uint32_t place = 1; mask; mask &= mask - 1, place <<= 1)
            if (index & mask & -mask) found |= place;
        return found;
    }

    Real coupling(const Bucket::Link& link, int product) const {
        const double j = numbers_.couplings[link.edge];
        return Semiring::factor(product * j, std::abs(j));
    }

    Real field(int variable, int spin) const {
        const double h = numbers_.fields[variable];
        return Semiring::factor(spin * h, std::abs(h));
    }

    // A bucket that computes its entries block by block.
    class Table {
    public:
        Table(const Elimination& home, const Bucket& bucket)
            : home_(home), bucket_(bucket), low_bits(std::min(bucket.bits(), BLOCK_BITS)) {
            for (const auto& link : bucket.links) links_.push_back({home.coupling(link, 1), home.coupling(link, -1)});
            set_pattern();
            for (const auto& child : bucket.children) add_offsets(child.mask);
        }

        std::uint32_t size() const { return std::uint32_t{1} << low_bits; }
        std::uint32_t blocks() const { return std::uint32_t{1} << (bucket_.bits() - low_bits); }

        // Computes entries block · size() … of the product of all factors of the bucket.
        void fill(std::uint32_t block, Block& out) const {
            const std::array<Real, 2> high = high_links(block << low_bits);
            for (std::uint32_t x = 0; x < size(); x += 2) {
                out[x] = Semiring::times(pattern_[x], high[0]);
                out[x + 1] = Semiring::times(pattern_[x + 1], high[1]);
            }
            for (std::size_t c = 0; c < bucket_.children.size(); ++c) multiply(c, block, out);
        }

        // The first index of a block's entries in the message of child c.
        std::uint32_t base(std::size_t c, std::uint32_t block) const {
            return extract(block << low_bits, bucket_.children[c].mask & ~(size() - 1)) << shift(c);
        }
        std::uint32_t offset(std::size_t c, std::uint32_t x) const { return contiguous_[c] ? x : offsets_[c][x]; }
        bool contiguous(std::size_t c) const { return contiguous_[c]; }

    private:
        int shift(std::size_t c) const { return std::popcount(bucket_.children[c].mask & (size() - 1)); }

        // The field and the edges to variables within a block.
        void set_pattern() {
            const Real field[2] = {home_.field(bucket_.variable, 1), home_.field(bucket_.variable, -1)};
            for (std::uint32_t x = 0; x < size(); ++x) pattern_[x] = field[x & 1];
            for (std::size_t l = 0; l < links_.size(); ++l)
                if (bucket_.links[l].bit < low_bits)
                    for (std::uint32_t x = 0; x < size(); ++x)
                        pattern_[x] = Semiring::times(pattern_[x], links_[l][(x ^ x >> bucket_.links[l].bit) & 1]);
        }

        void add_offsets(std::uint32_t mask) {
            contiguous_.push_back(std::countr_one(mask) >= low_bits);
            offsets_.emplace_back();
            if (contiguous_.back()) return;
            offsets_.back().resize(size());
            for (std::uint32_t x = 0; x < size(); ++x) offsets_.back()[x] = extract(x, mask & (size() - 1));
        }

        // The edges to variables that are constant within a block, for +1 and −1.
        std::array<Real, 2> high_links(std::uint32_t index) const {
            std::array<Real, 2> product{Semiring::ONE, Semiring::ONE};
            for (std::size_t l = 0; l < links_.size(); ++l)
                if (bucket_.links[l].bit >= low_bits) {
                    const std::uint32_t minus = index >> bucket_.links[l].bit & 1;
                    product[0] = Semiring::times(product[0], links_[l][minus]);
                    product[1] = Semiring::times(product[1], links_[l][minus ^ 1]);
                }
            return product;
        }

        void multiply(std::size_t c, std::uint32_t block, Block& out) const {
            const Real* message = home_.messages_[at(bucket_.children[c].bucket)].data() + base(c, block);
            if (contiguous_[c])
                for (std::uint32_t x = 0; x < size(); ++x) out[x] = Semiring::times(out[x], message[x]);
            else
                for (std::uint32_t x = 0; x < size(); ++x) out[x] = Semiring::times(out[x], message[offsets_[c][x]]);
        }

        const Elimination& home_;
        const Bucket& bucket_;
        Block pattern_;
        std::vector<std::array<Real, 2>> links_;  // factors of the links for equal and opposite spins
        std::vector<std::vector<std::uint32_t>> offsets_;
        std::vector<char> contiguous_;

    public:
        const int low_bits;
    };

    // Sums the variable out of a bucket; returns the logarithm of the divisor of the message.
    double make_message(int i) {
        const Bucket& bucket = plan_.buckets[at(i)];
        const Table table(*this, bucket);
        auto& message = messages_[at(i)];
        message.resize(std::size_t{1} << (bucket.bits() - 1));
        Block values;
        Real most = std::numeric_limits<Real>::lowest(), least = std::numeric_limits<Real>::max();
        for (std::uint32_t block = 0; block < table.blocks(); ++block) {
            table.fill(block, values);
            Real* out = message.data() + (std::size_t{block} << table.low_bits) / 2;
            for (std::uint32_t x = 0; x < table.size(); x += 2) {
                out[x / 2] = Semiring::plus(values[x], values[x + 1]);
                most = std::max(most, out[x / 2]);
                least = std::min(least, out[x / 2]);
            }
        }
        if (!(Semiring::floor(most) <= 1)) throw_lost();
        for (Real& value : message) value = Semiring::scaled(value, most);
        most_[at(i)] = most;
        floored_[at(i)] = Semiring::scaled(least, most) <= Semiring::floor(most);
        return Semiring::log(most);
    }

    void require_children(int i) {
        for (const auto& child : plan_.buckets[at(i)].children)
            if (messages_[at(child.bucket)].empty()) {
                require_children(child.bucket);
                look_for_interrupt(child.bucket);
                make_message(child.bucket);
            }
    }

    // Σ over a bucket's calibrated table, for the means of its variable and edges.
    struct Sums {
        std::array<double, 1 << BLOCK_BITS> low{};  // by the low bits of the index
        std::vector<double> links;                  // Σ s_v s_j for links to high bits
    };

    void believe(int i, const std::vector<Real>& above, std::vector<std::vector<Real>>& from_above, double* means,
                 double* edge_means) {
        const Bucket& bucket = plan_.buckets[at(i)];
        const Table table(*this, bucket);
        for (const auto& child : bucket.children)
            from_above[at(child.bucket)].assign(messages_[at(child.bucket)].size(), 0);
        Sums sums;
        sums.links.resize(bucket.links.size());
        Block values;
        for (std::uint32_t block = 0; block < table.blocks(); ++block) {
            table.fill(block, values);
            const Real* outside = above.data() + (std::size_t{block} << table.low_bits) / 2;
            for (std::uint32_t x = 0; x < table.size(); ++x)
                values[x] = Semiring::belief(values[x], outside[x / 2], most_[at(i)]);
            add_sums(bucket, table, block, values, sums);
            for (std::size_t c = 0; c < bucket.children.size(); ++c)
                pass_down(table, c, block, values, from_above[at(bucket.children[c].bucket)]);
        }
        const double total = write_means(bucket, table.low_bits, sums, means, edge_means);
        lost_ += std::ldexp(Semiring::LEAST / total, bucket.bits());  // at most all entries are below LEAST
        for (const auto& child : bucket.children) divide(from_above[at(child.bucket)], child.bucket, total);
        if (!(lost_ <= MOST_LOST)) throw_lost();
    }

    static void add_sums(const Bucket& bucket, const Table& table, std::uint32_t block, const Block& values,
                         Sums& sums) {
        double difference = 0;
        for (std::uint32_t x = 0; x < table.size(); x += 2) {
            sums.low[x] += values[x], sums.low[x + 1] += values[x + 1];
            difference += static_cast<double>(values[x]) - static_cast<double>(values[x + 1]);
        }
        for (std::size_t l = 0; l < bucket.links.size(); ++l)
            if (bucket.links[l].bit >= table.low_bits)
                sums.links[l] += difference * sign(block << table.low_bits, bucket.links[l].bit);
    }

    static void pass_down(const Table& table, std::size_t c, std::uint32_t block, const Block& values,
                          std::vector<Real>& sums) {
        Real* out = sums.data() + table.base(c, block);
        if (table.contiguous(c))
            for (std::uint32_t x = 0; x < table.size(); ++x) out[x] += values[x];
        else
            for (std::uint32_t x = 0; x < table.size(); ++x) out[table.offset(c, x)] += values[x];
    }

    // The factor of the rest of the graph is the whole probability divided by the message sent up. The shares of all
    // entries sum to 1, so a share too small for the type is negligible, and one divided by a floor does not overflow.
    void divide(std::vector<Real>& sums, int child, double total) {
        const std::vector<Real>& message = messages_[at(child)];
        const Real floor = Semiring::floor(most_[at(child)]), scale = static_cast<Real>(1 / total);
        if (floored_[at(child)])
            for (std::size_t x = 0; x < sums.size(); ++x)
                if (message[x] <= floor) lost_ += static_cast<double>(sums[x]) / total;
        for (std::size_t x = 0; x < sums.size(); ++x) sums[x] = Semiring::outside(sums[x] * scale, message[x]);
    }

    [[noreturn]] static void throw_lost() {
        throw std::range_error("fields and couplings are too far apart for exact inference");
    }

    // Returns the sum of the table.
    static double write_means(const Bucket& bucket, int low_bits, const Sums& sums, double* means, double* edge_means) {
        const std::uint32_t size = std::uint32_t{1} << low_bits;
        double total = 0, mean = 0;
        for (std::uint32_t x = 0; x < size; ++x) total += sums.low[x], mean += sign(x, 0) * sums.low[x];
        if (!(total > 0)) throw_lost();
        means[bucket.variable] = mean / total;
        for (std::size_t l = 0; l < bucket.links.size(); ++l) {
            double both = sums.links[l];
            if (bucket.links[l].bit < low_bits)
                for (std::uint32_t x = 0; x < size; ++x)
                    both += sign(x, 0) * sign(x, bucket.links[l].bit) * sums.low[x];
            edge_means[bucket.links[l].edge] = both / total;
        }
        return total;
    }

    // One entry of a bucket's table, for a spin of its variable and the other spins of a state.
    Real entry(const Bucket& bucket, const std::int8_t* state, int spin) const {
        Real product = field(bucket.variable, spin);
        for (const auto& link : bucket.links)
            product = Semiring::times(product, coupling(link, spin * state[bucket.scope[at(link.bit)]]));
        std::uint32_t index = spin < 0;
        for (int bit = 1; bit < bucket.bits(); ++bit)
            if (state[bucket.scope[at(bit)]] < 0) index |= std::uint32_t{1} << bit;
        for (const auto& child : bucket.children)
            product = Semiring::times(product, messages_[at(child.bucket)][extract(index, child.mask)]);
        return product;
    }

    const EliminationPlan& plan_;
    IsingNumbers numbers_;
    Interrupt& interrupt_;
    std::vector<std::vector<Real>> messages_;  // by bucket; empty: not computed yet, or no longer needed
    std::vector<Real> most_;                   // by bucket: the divisor of its message
    std::vector<bool> floored_;                // by bucket: whether an entry of its message was raised
    double lost_ = 0;                          // the total probability of states that use a raised entry
    int stride_;                               // one of this many messages is kept
};

}  // namespace tengen
