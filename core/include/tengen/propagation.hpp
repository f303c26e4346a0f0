// Damped loopy belief propagation (Sanner et al. §3.2; cavity fields as in Mézard & Parisi).
//
// With fields u(i→j) = atanh(tanh J_ij · tanh(h_i + Σ_{k≠j} u(k→i))). Every message is stored as the ratio m = e^{2u},
// which needs no transcendental function: with t = e^{2h_i} Π_k m(k→i), K = e^{2J} and m' the message from j,
//     m(i→j) = (m' + K t) / (K m' + t),
// and damping u by half is a square root: m ← √(m · m_new). All messages are updated at once, so the result commutes
// with the symmetries of a board. Where many points agree, the iteration converges slowly but steadily, so every tenth
// sweep extrapolates. A fixed step ε instead (Heskes 2002: u ← u + ε (u_new − u); 1 is undamped) is the textbook
// method; it neither extrapolates nor changes the damping. Start reading at Propagation::run.
#pragma once

#include <algorithm>

#include "interrupt.hpp"
#include "ising.hpp"

namespace tengen {

struct PropagationLimits {
    double tolerance = 1e-6;  // the largest change of a field message at convergence
    int sweeps = 200;         // for each of the four dampings ½, ¼, ⅛, 1/16, or in all with a fixed step
    double step = 0;          // the share ε of every new message; 0: the four dampings in turn, with extrapolation
};

class Propagation {
public:
    explicit Propagation(const IsingGraph& graph)
        : graph_(graph),
          before_(graph.halves.size()),
          earlier_(graph.halves.size()),
          incoming_(graph.halves.size()),
          outgoing_(graph.halves.size()),
          strength_(graph.halves.size()),
          bias_(IsingGraph::at(graph.nodes)),
          total_(IsingGraph::at(graph.nodes)) {
        for (const auto& half : graph.halves) reverse_.push_back(static_cast<std::uint32_t>(half.reverse));
    }

    // Iterates to a fixed point.
    Convergence run(const IsingNumbers& numbers, const PropagationLimits& limits, Interrupt& interrupt) {
        load(numbers);
        Convergence end{0, false};
        if (limits.step > 0) end = fixed(limits, interrupt);
        else
            for (int halvings = 1; !end.reached && halvings <= MOST_HALVINGS; ++halvings) {
                const Convergence next = rests(halvings, limits, interrupt);
                end = {end.sweeps + next.sweeps, next.reached};
            }
        gather();
        return end;
    }

    // E[s_i] = tanh(h_i + Σ u).
    void means(double* out) const {
        for (std::size_t i = 0; i < total_.size(); ++i) out[i] = (total_[i] - 1) / (total_[i] + 1);
    }

    // E[s_i s_j] = (tanh J + tanh a tanh b) / (1 + tanh J tanh a tanh b), a and b the cavity fields. With large numbers
    // of opposite signs the fraction approaches 0 / 0, and logarithms of the weights of both signs are used.
    void edge_means(double* out) const {
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
            const double a = cavity(2 * e), b = cavity(2 * e + 1), k = strength(e);
            const double product = (a - 1) / (a + 1) * ((b - 1) / (b + 1)), coupling = (k - 1) / (k + 1);
            const double divisor = 1 + coupling * product;
            out[e] = divisor > LEAST_DIVISOR ? (coupling + product) / divisor : Weights(*this, e).mean();
        }
    }

    // Bethe: Σ_edges ln Z_ij − Σ_i (d_i − 1) ln Z_i.
    double log_partition() const {
        double sum = 0;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) sum += Weights(*this, e).log_sum();
        for (int i = 0; i < graph_.nodes; ++i)
            sum -= (graph_.degree(i) - 1) * log_two_cosh(std::log(total_[IsingGraph::at(i)]) / 2);
        return sum;
    }

    // u from the first end of edge e to its second at out[2e], back at out[2e + 1].
    void messages(double* out) const {
        for (std::size_t k = 0; k < graph_.outgoing.size(); ++k) {
            const auto& half = graph_.halves[IsingGraph::at(graph_.outgoing[k])];
            out[k] = std::log(incoming_[IsingGraph::at(half.reverse)]) / 2;
        }
    }

private:
    // The logarithms of the weights of equal and of opposite spins at the ends of edge e.
    struct Weights {
        double alike, unlike;

        Weights(const Propagation& home, std::size_t e) {
            const double a = std::log(home.cavity(2 * e)) / 2, b = std::log(home.cavity(2 * e + 1)) / 2;
            const double j = std::log(home.strength(e)) / 2;
            alike = j + log_two_cosh(a + b), unlike = -j + log_two_cosh(a - b);
        }
        double mean() const { return std::tanh((alike - unlike) / 2); }
        double log_sum() const { return std::max(alike, unlike) + std::log1p(std::exp(-std::abs(alike - unlike))); }
    };

    static constexpr double LEAST_DIVISOR = 1e-9;  // the fraction loses at most half of its digits
    static constexpr int MOST_HALVINGS = 4, LEAP_EVERY = 10, LOOK_EVERY = 5;
    static constexpr double MOST_LEAP = 60;
    static constexpr int FEW = 6;  // the product of this many messages does not overflow
    static constexpr double MOST_FIELD = 100, MOST_COUPLING = 50, MOST_TOTAL = 200;
    static constexpr double LEAST = 4.248354255291589e-18;  // e^−40: |u| ≤ 20

    void load(const IsingNumbers& numbers) {
        for (std::size_t i = 0; i < bias_.size(); ++i)
            bias_[i] = std::exp(2 * std::clamp(numbers.fields[i], -MOST_FIELD, MOST_FIELD));
        for (std::size_t k = 0; k < graph_.halves.size(); ++k)
            strength_[k] = std::exp(2 * std::clamp(numbers.couplings[IsingGraph::at(graph_.halves[k].edge)],
                                                   -MOST_COUPLING, MOST_COUPLING));
        std::fill(incoming_.begin(), incoming_.end(), 1.0);
        std::fill(before_.begin(), before_.end(), 1.0);
    }

    void gather() {
        for (int i = 0; i < graph_.nodes; ++i) {
            const int first = graph_.start[IsingGraph::at(i)], last = graph_.start[IsingGraph::at(i) + 1];
            double product = bias_[IsingGraph::at(i)];
            if (last - first <= FEW)
                for (int k = first; k < last; ++k) product *= incoming_[IsingGraph::at(k)];
            else product = many(product, first, last);
            total_[IsingGraph::at(i)] = product;
            for (int k = first; k < last; ++k) outgoing_[IsingGraph::at(k)] = product;
        }
    }

    double many(double bias, int first, int last) const {
        double sum = std::log(bias);
        for (int k = first; k < last; ++k) sum += std::log(incoming_[IsingGraph::at(k)]);
        return std::exp(std::clamp(sum, -2 * MOST_TOTAL, 2 * MOST_TOTAL));
    }

    // Sweeps until no message changes by more than the tolerance; tested every few sweeps.
    Convergence rests(int halvings, const PropagationLimits& limits, Interrupt& interrupt) {
        for (int sweep = 1; sweep <= limits.sweeps; ++sweep) {
            interrupt.work(incoming_.size());
            want();
            if ((sweep % LOOK_EVERY == 0 || sweep == limits.sweeps) && at_rest(2 * limits.tolerance))
                return {sweep, true};
            damp(halvings);
            if (sweep % LEAP_EVERY == 0) leap();
        }
        return {limits.sweeps, false};
    }

    // The same with one step, without extrapolation, tested after every sweep.
    Convergence fixed(const PropagationLimits& limits, Interrupt& interrupt) {
        for (int sweep = 1; sweep <= limits.sweeps; ++sweep) {
            interrupt.work(incoming_.size());
            want();
            if (at_rest(2 * limits.tolerance)) return {sweep, true};
            if (limits.step == 0.5) damp(1);
            else if (limits.step < 1)
                for (std::size_t k = 0; k < incoming_.size(); ++k)
                    incoming_[k] = before_[k] * std::pow(incoming_[k] / before_[k], limits.step);
        }
        return {limits.sweeps, false};
    }

    // Moves the incoming messages to before_ and computes the next ones in incoming_. Plain loops that can be
    // vectorised.
    void want() {
        gather();
        const std::size_t count = incoming_.size();
        double *in = incoming_.data(), *out = outgoing_.data();
        const double* strength = strength_.data();
        for (std::size_t k = 0; k < count; ++k)
            out[k] = (in[k] + strength[k] * out[k]) / (strength[k] * in[k] + out[k]);
        earlier_.swap(before_);
        before_.swap(incoming_);
        for (std::size_t k = 0; k < count; ++k) incoming_[k] = out[reverse_[k]];
        for (std::size_t k = 0; k < count; ++k) incoming_[k] = clipped(incoming_[k]);
    }

    // Tests 2u, whose change is the relative change of m.
    bool at_rest(double tolerance) const {
        for (std::size_t k = 0; k < incoming_.size(); ++k)
            if (!(std::abs(incoming_[k] - before_[k]) <= tolerance * before_[k])) return false;
        return true;
    }

    // u ← u + 2^−halvings (u_wanted − u).
    void damp(int halvings) {
        double* in = incoming_.data();
        const double* before = before_.data();
        for (int h = 0; h < halvings; ++h)
            for (std::size_t k = 0; k < incoming_.size(); ++k) in[k] = std::sqrt(in[k] * before[k]);
    }

    static double clipped(double message) {
        const double raised = message < LEAST ? LEAST : message;
        return raised > 1 / LEAST ? 1 / LEAST : raised;
    }

    // Aitken's extrapolation: the slowest mode of the iteration shrinks by a constant factor every sweep, so its limit
    // is known. No message moves by more than 1. Logarithms and exponentials of small numbers are approximated by
    // fractions that are antisymmetric in the colours.
    void leap() {
        double along = 0, square = 0;
        for (std::size_t k = 0; k < incoming_.size(); ++k) {
            const double last = change(before_[k], earlier_[k]);
            along += last * change(incoming_[k], before_[k]);
            square += last * last;
        }
        if (along <= 0 || along >= square) return;
        const double steps = std::min(along / (square - along), MOST_LEAP);
        for (std::size_t k = 0; k < incoming_.size(); ++k) {
            const double wide = steps * change(incoming_[k], before_[k]), step = std::max(-1.0, std::min(1.0, wide));
            incoming_[k] = clipped(incoming_[k] * ((2 + step) / (2 - step)));
        }
    }

    // Approximates ln(now / before).
    static double change(double now, double before) { return 2 * (now - before) / (now + before); }

    double cavity(std::size_t outgoing) const {
        const std::size_t k = IsingGraph::at(graph_.outgoing[outgoing]);
        const int node = graph_.halves[IsingGraph::at(graph_.halves[k].reverse)].neighbour;
        return total_[IsingGraph::at(node)] / incoming_[k];
    }

    double strength(std::size_t e) const { return strength_[IsingGraph::at(graph_.outgoing[2 * e])]; }

    const IsingGraph& graph_;
    std::vector<std::uint32_t> reverse_;    // by half edge: the half edge at the other end
    std::vector<double> before_, earlier_;  // incoming messages one and two sweeps ago
    std::vector<double> incoming_, outgoing_,
        strength_;                      // by half edge: incoming and outgoing message, e^{2J}
    std::vector<double> bias_, total_;  // by node: e^{2h}, and its product with all incoming messages
};

}  // namespace tengen
