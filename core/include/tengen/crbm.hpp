// A convolutional restricted Boltzmann machine on boards, trained by contrastive divergence (Lee et al. 2009,
// Largman & Pham).
//
// A hidden unit sees the m×m window at its location through one of K filters. Every filter has an orbit: itself alone,
// or turned, mirrored and with colours swapped; a unit is off or on in one of these orientations o:
//
//     a_ko = b_k + Σ_cells W_ko[colour of the cell],   P(h_k = o | v) = exp(a_ko) / (1 + Σ_o' exp(a_ko'))
//     I_pc = c_c + Σ over units that are on and see p of W_ko[cell of p, c]
//     P(v_p = c | h) = softmax_c I_pc,  or v_pc = I_pc for real-valued units (mean field)
//     F(v) = −Σ_p c_{v_p} − Σ_{k, location} ln(1 + Σ_o exp(a_ko))
//
// Reading guide: CrbmShape says how parameters are laid out; CrbmFilters has all orientations of the filters. CrbmPass
// takes a board up to the hidden units, down and up again, and adds up the gradient; CrbmLearner takes the steps.
// Boards may have further planes, such as liberties, which hidden units see but do not reconstruct.
//
// A batch is cut into PARTS whose gradients are added in their order, and every board has a random stream of its own,
// so the result has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "random.hpp"
#include "workers.hpp"

namespace tengen {

// x = exp(x) to 3e-7; numbers outside ±40 count as ±40. Two loops, because GCC vectorises each but not both in one.
inline void bounded_exp(float* x, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) x[i] = std::min(std::max(x[i], -40.0f), 40.0f);
    for (std::size_t i = 0; i < count; ++i) {
        const float shifted = x[i] * 1.44269504f + 12582912.0f;  // rounds to an integer, in the lowest bits
        const float n = shifted - 12582912.0f;
        const float r = (x[i] - n * 0.693359375f) + n * 2.12194440e-4f;
        const float high = (1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f;
        const float series = ((high * r + 4.1665795894e-2f) * r + 1.6666665459e-1f) * r + 5.0000001201e-1f;
        const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3f800000u;
        x[i] = (series * r * r + r + 1.0f) * std::bit_cast<float>(power);
    }
}

// y += the sum of Rows rows of `count` numbers.
template <std::size_t Rows>
inline void add_rows(const float* const* rows, std::size_t count, float* __restrict y) {
    for (std::size_t j = 0; j < count; ++j) {
        float sum = y[j];
        for (std::size_t r = 0; r < Rows; ++r) sum += rows[r][j];
        y[j] = sum;
    }
}

// y += scale · x
inline void add_scaled(const float* x, float scale, std::size_t count, float* __restrict y) {
    for (std::size_t j = 0; j < count; ++j) y[j] += scale * x[j];
}

struct CrbmShape {
    static constexpr std::size_t COLOURS = 3;  // empty, own, other

    std::size_t side, filters;
    std::size_t channels;               // the colours, then those of further planes
    std::vector<std::uint16_t> turned;  // [orientation, row]: the row of the filter that becomes this row
    bool real;                          // visible units are real-valued, not multinomial

    std::size_t cells() const { return side * side; }
    std::size_t rows() const { return channels * cells(); }  // channel · cells + cell
    std::size_t orientations() const { return turned.size() / rows(); }
    std::size_t units() const { return orientations() * filters; }  // orientation · filters + filter
    // Parameters: weights [row, filter], biases of hidden units [filter], biases of colours.
    std::size_t weights() const { return rows() * filters; }
    std::size_t parameters() const { return weights() + filters + COLOURS; }
    std::size_t turned_colour(std::size_t orientation, std::size_t colour) const {
        return turned[orientation * rows() + colour * cells()] / cells();
    }
};

// Boards of one size. Stones are 1 own, −1 other, 0 empty; planes hold a channel from COLOURS on, or −1 for none.
struct CrbmBoards {
    std::size_t count, height, width, groups;
    const std::int8_t *stones, *planes;  // [count, height, width], [count, groups, height, width]

    std::size_t points() const { return height * width; }
    std::size_t locations(std::size_t side) const { return (height - side + 1) * (width - side + 1); }
    const std::int8_t* board(std::size_t i) const { return stones + i * points(); }
    const std::int8_t* given(std::size_t i) const { return planes + i * groups * points(); }
};

// The filters in all orientations: [row, unit] for the way up, [unit, cell, colour of 4] for the way down. As most
// points are empty, the way up begins with the input from an empty board, to which a stone adds its difference from
// empty.
struct CrbmFilters {
    const CrbmShape& shape;
    std::vector<float> up, down, empty;  // empty: biases and the weights of empty cells [unit]
    std::array<float, CrbmShape::COLOURS> colours{};

    explicit CrbmFilters(const CrbmShape& s)
        : shape(s), up(s.rows() * s.units()), down(s.units() * s.cells() * 4), empty(s.units()) {}
    CrbmFilters(const CrbmShape& s, const float* parameters) : CrbmFilters(s) { read(parameters); }

    void read(const float* parameters) {
        const std::size_t filters = shape.filters, units = shape.units(), cells = shape.cells();
        for (std::size_t o = 0; o < shape.orientations(); ++o) {
            std::copy_n(parameters + shape.weights(), filters, &empty[o * filters]);
            for (std::size_t row = 0; row < shape.rows(); ++row) {
                const float* from = parameters + shape.turned[o * shape.rows() + row] * filters;
                std::copy_n(from, filters, &up[row * units + o * filters]);
                if (row >= CrbmShape::COLOURS * cells) continue;  // planes are not reconstructed
                float* to = &down[(o * filters * cells + row % cells) * 4 + row / cells];
                for (std::size_t k = 0; k < filters; ++k) to[k * cells * 4] = from[k];
            }
        }
        for (std::size_t cell = 0; cell < cells; ++cell) {
            add_scaled(&up[cell * units], 1, units, empty.data());
            for (std::size_t c = 1; c < CrbmShape::COLOURS; ++c)
                add_scaled(&up[cell * units], -1, units, &up[(c * cells + cell) * units]);
        }
        std::copy_n(parameters + shape.weights() + filters, colours.size(), colours.begin());
    }
};

// The difference of what data and reconstructions show, summed over boards.
struct CrbmGradient {
    std::vector<float> weights, biases;  // [row, unit], [unit]
    std::vector<float> activity;         // P(h | data) [unit]
    std::array<double, CrbmShape::COLOURS> colours{};

    explicit CrbmGradient(const CrbmShape& shape)
        : weights(shape.rows() * shape.units()), biases(shape.units()), activity(shape.units()) {}

    // Computes the rows of empty cells: where units are multinomial, the rows of all colours add up to the biases.
    void complete(const CrbmShape& shape) {
        const std::size_t units = shape.units(), cells = shape.cells();
        for (std::size_t cell = 0; cell < cells; ++cell) {
            std::copy(biases.begin(), biases.end(), &weights[cell * units]);
            for (std::size_t c = 1; c < CrbmShape::COLOURS; ++c)
                add_scaled(&weights[(c * cells + cell) * units], -1, units, &weights[cell * units]);
        }
    }

    void clear() {
        for (auto* part : {&weights, &biases, &activity}) std::fill(part->begin(), part->end(), 0.0f);
        colours.fill(0);
    }
    void add(const CrbmGradient& other) {
        for (const auto& [to, from] : {std::pair{&weights, &other.weights}, std::pair{&biases, &other.biases},
                                       std::pair{&activity, &other.activity}})
            add_scaled(from->data(), 1, from->size(), to->data());
        for (std::size_t c = 0; c < colours.size(); ++c) colours[c] += other.colours[c];
    }
};

// How well boards are reconstructed, summed over points.
struct CrbmTotals {
    double cost = 0;     // −ln P(colour | hidden units), or the squared error of real values
    double correct = 0;  // points whose colour is the most likely one

    void add(const CrbmTotals& other) { cost += other.cost, correct += other.correct; }
};

class CrbmPass {
public:
    using Colours = std::vector<std::uint8_t>;

    CrbmPass(const CrbmFilters& filters, const CrbmBoards& boards)
        : f_(filters),
          s_(filters.shape),
          height_(boards.height),
          width_(boards.width),
          groups_(boards.groups),
          data_(boards.points()),
          other_(boards.points()),
          seen_((1 + groups_) * s_.cells()),
          before_(locations() * s_.units()),
          after_(before_.size()),
          totals_(s_.filters),
          chances_(s_.filters + 1),
          active_(s_.filters + 1),
          visible_(4 * boards.points()) {}

    // P(h | v) [location, unit].
    const std::vector<float>& hidden(const std::int8_t* stones, const std::int8_t* planes) {
        read(stones, data_);
        up(data_, planes, before_);
        return before_;
    }

    // P(v | h), or the values of real units, for a sample of the hidden units [point, 4]; the fourth is not used.
    const std::vector<float>& reconstruct(const std::int8_t* stones, const std::int8_t* planes, Random& random) {
        down(hidden(stones, planes), random);
        return visible_;
    }

    // The sums are in single precision, all else in double.
    double free_energy(const std::int8_t* stones, const std::int8_t* planes) {
        read(stones, data_);
        double energy = s_.real ? 0.5 * static_cast<double>(data_.size()) : 0;
        for (std::uint8_t colour : data_) energy -= static_cast<double>(f_.colours[colour]);
        for_locations([&](std::size_t, std::size_t corner) {
            sum(data_, planes, corner, before_.data());
            for (std::size_t k = 0; k < s_.filters; ++k) energy -= softplus(before_.data() + k);
        });
        return energy;
    }

    // Adds the gradient of F(others) − F(stones), incomplete.
    void contrast(const std::int8_t* stones, const std::int8_t* others, const std::int8_t* planes,
                  CrbmGradient& gradient) {
        read(others, other_);
        up(other_, planes, after_);
        hidden(stones, planes);
        add_gradient(planes, gradient);
    }

    // Adds the gradient of one step of contrastive divergence, incomplete unless units are real-valued. With a chain,
    // which moves on, the step is from there.
    CrbmTotals learn(const std::int8_t* stones, const std::int8_t* planes, std::int8_t* chain, Random& random,
                     CrbmGradient& gradient) {
        down(hidden(stones, planes), random);
        const CrbmTotals totals = compare();
        if (s_.real) {
            up_real(planes);
            add_real_gradient(planes, gradient);
            return totals;
        }
        if (chain != nullptr) {
            read(chain, other_);
            up(other_, planes, after_);
            down(after_, random);
        }
        draw_colours(random);
        if (chain != nullptr) write(other_, chain);
        up(other_, planes, after_);
        add_gradient(planes, gradient);
        return totals;
    }

private:
    const CrbmFilters& f_;
    const CrbmShape& s_;
    const std::size_t height_, width_, groups_;
    Colours data_, other_;
    std::vector<const float*> seen_;
    std::vector<float> before_, after_;  // P(h | v) of data and of the reconstruction
    std::vector<float> totals_, chances_;
    std::vector<std::size_t> active_;
    std::vector<float> visible_;  // [point, 4]

    std::size_t locations() const { return (height_ - s_.side + 1) * (width_ - s_.side + 1); }

    // Calls visit(location, its top left point).
    template <class Visit>
    void for_locations(Visit visit) const {
        std::size_t location = 0;
        for (std::size_t r = 0; r + s_.side <= height_; ++r)
            for (std::size_t c = 0; c + s_.side <= width_; ++c) visit(location++, r * width_ + c);
    }
    // Calls visit(cell, point).
    template <class Visit>
    void for_cells(std::size_t corner, Visit visit) const {
        std::size_t cell = 0;
        for (std::size_t r = 0; r < s_.side; ++r)
            for (std::size_t c = 0; c < s_.side; ++c) visit(cell++, corner + r * width_ + c);
    }
    // Calls visit(row) for the planes at a point.
    template <class Visit>
    void for_planes(const std::int8_t* planes, std::size_t cell, std::size_t point, Visit visit) const {
        for (std::size_t g = 0; g < groups_; ++g)
            if (const std::int8_t channel = planes[g * data_.size() + point]; channel >= 0)
                visit(static_cast<std::size_t>(channel) * s_.cells() + cell);
    }

    static void read(const std::int8_t* stones, Colours& colours) {
        for (std::uint8_t& colour : colours) colour = static_cast<std::uint8_t>(*stones < 0 ? 2 : *stones), ++stones;
    }
    static void write(const Colours& colours, std::int8_t* stones) {
        for (std::uint8_t colour : colours) *stones++ = static_cast<std::int8_t>(colour == 2 ? -1 : colour);
    }

    // a of all units at a location.
    void sum(const Colours& colours, const std::int8_t* planes, std::size_t corner, float* a) {
        const std::size_t units = s_.units();
        std::size_t count = 0, i = 0;
        for_cells(corner, [&](std::size_t cell, std::size_t point) {
            if (colours[point] != 0) seen_[count++] = &f_.up[(colours[point] * s_.cells() + cell) * units];
            for_planes(planes, cell, point, [&](std::size_t row) { seen_[count++] = &f_.up[row * units]; });
        });
        std::copy(f_.empty.begin(), f_.empty.end(), a);
        for (; i + 3 <= count; i += 3) add_rows<3>(&seen_[i], units, a);
        for (; i < count; ++i) add_rows<1>(&seen_[i], units, a);
    }

    // Makes P(h | v) of a.
    void activate(float* a) {
        const std::size_t filters = s_.filters;
        float* total = totals_.data();
        std::fill_n(total, filters, 1.0f);
        bounded_exp(a, s_.units());
        for (float* o = a; o != a + s_.units(); o += filters) add_scaled(o, 1, filters, total);
        for (float* o = a; o != a + s_.units(); o += filters)
            for (std::size_t k = 0; k < filters; ++k) o[k] /= total[k];
    }

    // ln(1 + Σ_o exp a_o) of a filter.
    double softplus(const float* a) const {
        double most = 0, total = 0;
        for (std::size_t u = 0; u < s_.units(); u += s_.filters) most = std::max(most, static_cast<double>(a[u]));
        for (std::size_t u = 0; u < s_.units(); u += s_.filters) total += std::exp(static_cast<double>(a[u]) - most);
        return most + std::log(std::exp(-most) + total);
    }

    void up(const Colours& colours, const std::int8_t* planes, std::vector<float>& hidden) {
        for_locations([&](std::size_t location, std::size_t corner) {
            float* a = &hidden[location * s_.units()];
            sum(colours, planes, corner, a);
            activate(a);
        });
    }

    // The same from the real values of the visible units.
    void up_real(const std::int8_t* planes) {
        const std::size_t units = s_.units();
        for_locations([&](std::size_t location, std::size_t corner) {
            float* a = &after_[location * units];
            std::copy(f_.empty.begin(), f_.empty.end(), a);
            for_cells(corner, [&](std::size_t cell, std::size_t point) {
                const float* v = &visible_[4 * point];
                add_scaled(&f_.up[cell * units], v[0] + v[1] + v[2] - 1, units, a);
                for (std::size_t c = 1; c < CrbmShape::COLOURS; ++c)
                    add_scaled(&f_.up[(c * s_.cells() + cell) * units], v[c], units, a);
                for_planes(planes, cell, point, [&](std::size_t row) { add_scaled(&f_.up[row * units], 1, units, a); });
            });
            activate(a);
        });
    }

    static float chance(std::uint64_t bits) { return static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-24f; }

    // Draws the units that are on at a location, two filters from each random number; returns how many.
    std::size_t draw_units(const float* p, Random& random) {
        const std::size_t filters = s_.filters;
        const float* on = p;
        if (s_.orientations() > 1) {
            std::copy_n(p, filters, totals_.begin());
            for (std::size_t u = filters; u < s_.units(); u += filters) add_scaled(p + u, 1, filters, totals_.data());
            on = totals_.data();
        }
        std::size_t count = 0;
        const auto try_one = [&](std::size_t k, float drawn) {
            active_[count] = k, chances_[count] = drawn;
            count += static_cast<std::size_t>(drawn < on[k]);
        };
        for (std::size_t k = 0; k < filters; k += 2) {
            const std::uint64_t bits = random.next();
            try_one(k, chance(bits >> 40));
            if (k + 1 < filters) try_one(k + 1, chance((bits & 0xffffffff) >> 8));
        }
        for (std::size_t i = 0; i < count && s_.orientations() > 1; ++i)
            for (float below = p[active_[i]]; chances_[i] >= below && active_[i] + filters < s_.units();
                 below += p[active_[i]])
                active_[i] += filters;
        return count;
    }

    // A sample of the hidden units, and what the visible units are given it.
    void down(const std::vector<float>& hidden, Random& random) {
        const std::size_t row = 4 * s_.side;
        for (std::size_t p = 0; p < data_.size(); ++p)
            std::copy(f_.colours.begin(), f_.colours.end(), &visible_[4 * p]);
        for_locations([&](std::size_t location, std::size_t corner) {
            const std::size_t count = draw_units(&hidden[location * s_.units()], random);
            for (std::size_t i = 0; i < count; ++i) {
                const float* from = &f_.down[active_[i] * s_.cells() * 4];
                for (std::size_t r = 0; r < s_.side; ++r, from += row)
                    add_scaled(from, 1, row, &visible_[4 * (corner + r * width_)]);
            }
        });
        if (s_.real) return;
        for (std::size_t p = 0; p < data_.size(); ++p) {
            float* v = &visible_[4 * p];
            const float most = std::max({v[0], v[1], v[2]});
            for (std::size_t c = 0; c < 3; ++c) v[c] -= most;
            bounded_exp(v, 3);
            const float total = v[0] + v[1] + v[2];
            for (std::size_t c = 0; c < 3; ++c) v[c] /= total;
        }
    }

    CrbmTotals compare() const {
        CrbmTotals totals;
        for (std::size_t p = 0; p < data_.size(); ++p) {
            const float* v = &visible_[4 * p];
            const std::size_t colour = data_[p];
            totals.correct += v[colour] >= std::max({v[0], v[1], v[2]}) ? 1 : 0;
            if (!s_.real) totals.cost -= std::log(static_cast<double>(v[colour]));
            for (std::size_t c = 0; c < 3 && s_.real; ++c) {
                const double error = static_cast<double>(v[c]) - (c == colour ? 1 : 0);
                totals.cost += error * error;
            }
        }
        return totals;
    }

    void draw_colours(Random& random) {
        for (std::size_t p = 0; p < data_.size(); ++p) {
            const float* v = &visible_[4 * p];
            const float drawn = chance(random.next() >> 40);
            other_[p] = drawn < v[0] ? 0 : drawn < v[0] + v[1] ? 1 : 2;
        }
    }

    // Adds to the rows of stones and planes only; those of empty cells follow from them. Where data and reconstruction
    // agree, a row gets the difference of the hidden units at once; it replaces `before_`.
    void add_gradient(const std::int8_t* planes, CrbmGradient& gradient) {
        const std::size_t units = s_.units();
        for (std::size_t p = 0; p < data_.size(); ++p)
            gradient.colours[data_[p]] += 1, gradient.colours[other_[p]] -= 1;
        for_locations([&](std::size_t location, std::size_t corner) {
            float* before = &before_[location * units];
            const float* after = &after_[location * units];
            const auto add = [&](const float* hidden, float sign, std::size_t colour, std::size_t cell) {
                if (colour != 0)
                    add_scaled(hidden, sign, units, &gradient.weights[(colour * s_.cells() + cell) * units]);
            };
            add_scaled(before, 1, units, gradient.activity.data());
            for_cells(corner, [&](std::size_t cell, std::size_t point) {
                if (data_[point] == other_[point]) return;
                add(before, 1, data_[point], cell);
                add(after, -1, other_[point], cell);
            });
            add_scaled(after, -1, units, before);
            add_scaled(before, 1, units, gradient.biases.data());
            for_cells(corner, [&](std::size_t cell, std::size_t point) {
                if (data_[point] == other_[point]) add(before, 1, data_[point], cell);
                for_planes(planes, cell, point,
                           [&](std::size_t row) { add_scaled(before, 1, units, &gradient.weights[row * units]); });
            });
        });
    }

    void add_real_gradient(const std::int8_t* planes, CrbmGradient& gradient) {
        const std::size_t units = s_.units();
        for (std::size_t p = 0; p < data_.size(); ++p) {
            gradient.colours[data_[p]] += 1;
            for (std::size_t c = 0; c < 3; ++c) gradient.colours[c] -= static_cast<double>(visible_[4 * p + c]);
        }
        for_locations([&](std::size_t location, std::size_t corner) {
            const float *before = &before_[location * units], *after = &after_[location * units];
            add_scaled(before, 1, units, gradient.activity.data());
            add_scaled(before, 1, units, gradient.biases.data());
            add_scaled(after, -1, units, gradient.biases.data());
            for_cells(corner, [&](std::size_t cell, std::size_t point) {
                float* weights = &gradient.weights[cell * units];
                add_scaled(before, 1, units, weights + data_[point] * s_.cells() * units);
                for (std::size_t c = 0; c < 3; ++c)
                    add_scaled(after, -visible_[4 * point + c], units, weights + c * s_.cells() * units);
                for_planes(planes, cell, point, [&](std::size_t row) {
                    add_scaled(before, 1, units, &gradient.weights[row * units]);
                    add_scaled(after, -1, units, &gradient.weights[row * units]);
                });
            });
        });
    }
};

// Turns the gradient of all orientations back into that of the parameters: means over locations for weights and hidden
// biases, over points for colours. Filters whose colours are swapped share the biases of these colours.
inline std::vector<float> crbm_slopes(const CrbmShape& shape, const CrbmGradient& gradient, const CrbmBoards& boards,
                                      std::size_t count) {
    const std::size_t filters = shape.filters, units = shape.units();
    const float mean = 1 / static_cast<float>(count * boards.locations(shape.side));
    std::vector<float> slopes(shape.parameters());
    for (std::size_t o = 0; o < shape.orientations(); ++o) {
        for (std::size_t row = 0; row < shape.rows(); ++row)
            add_scaled(&gradient.weights[row * units + o * filters], mean, filters,
                       &slopes[shape.turned[o * shape.rows() + row] * filters]);
        add_scaled(&gradient.biases[o * filters], mean, filters, &slopes[shape.weights()]);
        for (std::size_t c = 0; c < CrbmShape::COLOURS; ++c)
            slopes[shape.weights() + filters + shape.turned_colour(o, c)] += static_cast<float>(
                gradient.colours[c] / static_cast<double>(count * boards.points() * shape.orientations()));
    }
    return slopes;
}

struct CrbmSettings {
    std::size_t batch;
    float rate, momentum;
    float decay;                    // of weights
    float sparsity, target;         // rate at which biases drive the mean activity of every filter to the target
    std::uint64_t seed, first = 0;  // board i has the random stream first + i
    int threads = 1;
};

class CrbmLearner {
public:
    static constexpr std::size_t PARTS = 8;

    // Parameters and their velocities change in place.
    CrbmLearner(const CrbmShape& shape, float* parameters, float* velocities)
        : shape_(shape),
          parameters_(parameters),
          velocities_(velocities),
          filters_(shape),
          gradients_(PARTS, CrbmGradient(shape)) {}

    // Takes a step for each batch of boards; chains [batch, height, width] may be null. Returns sums over all points,
    // and the sum of the activity of all hidden units.
    std::pair<CrbmTotals, double> learn(const CrbmBoards& boards, const CrbmSettings& settings, std::int8_t* chains,
                                        Interrupt& interrupt) {
        const int threads = std::min(settings.threads, static_cast<int>(PARTS));
        std::vector<CrbmPass> passes(static_cast<std::size_t>(threads), CrbmPass(filters_, boards));
        CrbmTotals totals;
        double activity = 0;
        for (std::size_t first = 0; first < boards.count; first += settings.batch) {
            const std::size_t count = std::min(settings.batch, boards.count - first);
            filters_.read(parameters_);
            std::array<CrbmTotals, PARTS> of_parts{};
            std::atomic<std::size_t> next{0};
            run_workers(threads, [&](int worker, const std::atomic<bool>& stop) {
                for (std::size_t part; !stop && (part = next++) < PARTS;)
                    of_parts[part] = learn_part(boards, settings, chains, first, count, part,
                                                passes[static_cast<std::size_t>(worker)]);
            });
            for (const CrbmTotals& part : of_parts) totals.add(part);
            for (std::size_t part = 1; part < PARTS; ++part) gradients_[0].add(gradients_[part]);
            for (float p : gradients_[0].activity) activity += static_cast<double>(p);
            if (!shape_.real) gradients_[0].complete(shape_);
            step(boards, settings, count);
            interrupt.check();
        }
        return {totals, activity};
    }

private:
    const CrbmShape& shape_;
    float *parameters_, *velocities_;
    CrbmFilters filters_;
    std::vector<CrbmGradient> gradients_;

    CrbmTotals learn_part(const CrbmBoards& boards, const CrbmSettings& settings, std::int8_t* chains,
                          std::size_t first, std::size_t count, std::size_t part, CrbmPass& pass) {
        CrbmTotals totals;
        gradients_[part].clear();
        for (std::size_t i = count * part / PARTS; i < count * (part + 1) / PARTS; ++i) {
            Random random(settings.seed, settings.first + first + i);
            totals.add(pass.learn(boards.board(first + i), boards.given(first + i),
                                  chains == nullptr ? nullptr : chains + i * boards.points(), random,
                                  gradients_[part]));
        }
        return totals;
    }

    void step(const CrbmBoards& boards, const CrbmSettings& settings, std::size_t count) {
        const std::vector<float> slopes = crbm_slopes(shape_, gradients_[0], boards, count);
        const std::size_t filters = shape_.filters, weights = shape_.weights();
        for (std::size_t i = 0; i < slopes.size(); ++i)
            velocities_[i] = settings.momentum * velocities_[i] + settings.rate * slopes[i];
        add_scaled(parameters_, -settings.rate * settings.decay, weights, velocities_);
        const float share = settings.sparsity / static_cast<float>(count * boards.locations(shape_.side));
        for (std::size_t k = 0; k < filters; ++k) velocities_[weights + k] += settings.sparsity * settings.target;
        for (std::size_t u = 0; u < shape_.units(); u += filters)
            add_scaled(&gradients_[0].activity[u], -share, filters, velocities_ + weights);
        add_scaled(velocities_, 1, slopes.size(), parameters_);
    }
};

}  // namespace tengen
