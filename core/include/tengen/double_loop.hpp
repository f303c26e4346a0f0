// A double loop that always converges to a stationary point of the Bethe free energy (Yuille 2001), for models on which
// propagation does not converge.
//
// The fixed points of propagation are the stationary points of the Bethe free energy
//     F(b) = −Σ_ij (H(b_ij) + J_ij E[s_i s_j]) + Σ_i ((d_i − 1) H(b_i) − h_i E[s_i]),
// a function of beliefs b_ij of edges with common marginals b_i; d_i is the degree of node i. The first sum is convex
// and the entropies H(b_i) of the second are concave. A tangent at the present beliefs b° lies above a concave
// function and turns it into fields: with t° = atanh E°[s],
//     G(b) = −Σ_ij (H(b_ij) + J_ij E[s_i s_j]) − Σ_i (h_i + (d_i − 1) t°_i) E[s_i]
// is, up to a constant, at least F everywhere and equal to it at b°. The outer loop moves b° to the minimum b of G,
// where F is lower by at least the distance Σ_i (d_i − 1) KL(b_i, b°_i) between tangent and function, and lower
// strictly unless b° is stationary.
//
// The inner loop minimises G, which is convex. Its dual divides the field of every node among the node's edges:
//     b_ij ∝ exp(J_ij s_i s_j + a_ij s_i + a_ji s_j),  Σ_j a_ij = h_i + (d_i − 1) t°_i,
// and minimises Σ_ij ln Z_ij, a convex function of the shares a. The marginal of i in b_ij is tanh(a_ij + u(j→i)) with
// the message u(j→i) = atanh(tanh J_ij · tanh a_ji) of propagation. At the minimum over the shares of one node, its
// marginals agree: a_ij + u(j→i) = t_i for all its edges, and the sum over them gives
//     t_i = ((d_i − 1) t°_i + h_i + Σ_j u(j→i)) / d_i.
// That is propagation with cavity fields a_ij = t_i − u(j→i), except that the field of a node is averaged with t°. A
// sweep visits all nodes one after another, and no visit increases the dual. Where both loops rest, t = t° and
// t_i = h_i + Σ_j u(j→i), a fixed point of propagation.
//
// The exact minimum of G is not needed: the inner loop makes two sweeps and doubles their number until F has fallen by
// half the distance, so the steps of the outer loop shrink to nothing. F is evaluated at the marginals tanh t_i and the
// best belief of every edge with these marginals (Welling & Teh 2001), so results are consistent even if the loop is
// stopped early. Start reading at DoubleLoop::run.
#pragma once

#include <algorithm>
#include <utility>

#include "interrupt.hpp"
#include "ising.hpp"

namespace tengen {

struct DoubleLoopLimits {
    double tolerance = 1e-6;  // the largest |h_i + Σ_j u(j→i) − t_i| at convergence
    int sweeps = 20000;       // of the inner loop, in all
};

// The belief of an edge between nodes with marginals tanh t and tanh t' that minimises −H − j E[s s']: the one with the
// odds ratio e^{4j}. The part with j ≥ 0 and t ≥ |t'| holds all cases, by turning over one spin, both spins, or the
// edge.
class EdgeBelief {
public:
    EdgeBelief(double j, double t, double other) : coupling_(j) {
        if (j < 0) other = -other;
        if (std::abs(other) > std::abs(t)) std::swap(t, other);
        if (t < 0) t = -t, other = -other;
        const double minus = chance(-t), plus = chance(other);
        apart_ = chance(t) * chance(-other) * -std::expm1(2 * (other - t));
        // The rarest state (−, +) is the positive root of (plus − x)(minus − x) = e^{4|j|} x (apart + x).
        const double r = std::exp(-4 * std::abs(j)), half = apart_ + r * (plus + minus), product = r * plus * minus;
        rare_ = product > 0 ? 2 * product / (half + std::sqrt(half * half + 4 * (1 - r) * product)) : 0;
        entropy_ = part(plus - rare_) + part(minus - rare_) + part(apart_ + rare_) + part(rare_);
    }

    double mean() const {  // E[s s']
        const double turned = 1 - 2 * (apart_ + 2 * rare_);
        return coupling_ < 0 ? -turned : turned;
    }
    double free_energy() const { return -entropy_ - coupling_ * mean(); }

    // P(s = 1) if E[s] = tanh t.
    static double chance(double t) { return 1 / (1 + std::exp(-2 * t)); }
    static double part(double p) { return p > 0 ? -p * std::log(p) : 0; }

private:
    double coupling_, apart_, rare_, entropy_;
};

class DoubleLoop {
public:
    explicit DoubleLoop(const IsingGraph& graph)
        : graph_(graph),
          incoming_(graph.halves.size()),
          total_(IsingGraph::at(graph.nodes)),
          anchor_(IsingGraph::at(graph.nodes)) {}

    Convergence run(const IsingNumbers& numbers, const DoubleLoopLimits& limits, Interrupt& interrupt) {
        numbers_ = numbers;
        std::fill(incoming_.begin(), incoming_.end(), 0.0);
        std::copy_n(numbers.fields, total_.size(), total_.begin());
        double energy = free_energy();
        for (int sweeps = 0; sweeps < limits.sweeps;) {
            const double before = energy + ROUNDING * (1 + std::abs(energy));
            double change = 0;
            anchor_ = total_;
            bool fallen = false;
            for (int count = FEWEST_SWEEPS; !fallen && sweeps < limits.sweeps; count *= 2) {
                for (int k = 0; k < count && sweeps < limits.sweeps; ++k, ++sweeps) {
                    interrupt.work(WORK_PER_MESSAGE * incoming_.size());
                    change = sweep();
                }
                energy = free_energy();
                fallen = energy <= before - distance() / 2;
            }
            if (std::max(change, outer_step()) <= limits.tolerance) return {sweeps, true};
        }
        return {limits.sweeps, false};
    }

    void means(double* out) const {
        for (std::size_t i = 0; i < total_.size(); ++i) out[i] = std::tanh(total_[i]);
    }

    void edge_means(double* out) const {
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) out[e] = belief(e).mean();
    }

    double log_partition() const { return -free_energy(); }

    // u from the first end of edge e to its second at out[2e], back at out[2e + 1].
    void messages(double* out) const {
        for (std::size_t k = 0; k < graph_.outgoing.size(); ++k)
            out[k] = incoming_[IsingGraph::at(graph_.halves[IsingGraph::at(graph_.outgoing[k])].reverse)];
    }

private:
    static constexpr int FEWEST_SWEEPS = 2;    // with 1 or 4, spin glasses take up to twice as many in all
    static constexpr double ROUNDING = 1e-12;  // relative to F
    static constexpr std::size_t WORK_PER_MESSAGE = 20;

    // (d − 1) of the formulas above; an isolated node keeps its field.
    double anchor_weight(int node) const { return std::max(graph_.degree(node) - 1, 0); }

    // Visits every node once; returns the largest change of h_i + Σ_j u(j→i).
    double sweep() {
        double most = 0;
        for (int i = 0; i < graph_.nodes; ++i) {
            const auto node = IsingGraph::at(i);
            const std::size_t first = IsingGraph::at(graph_.start[node]), last = IsingGraph::at(graph_.start[node + 1]);
            double field = numbers_.fields[i];
            for (std::size_t k = first; k < last; ++k) field += incoming_[k];
            const double weight = anchor_weight(i), total = (weight * anchor_[node] + field) / (weight + 1);
            most = std::max(most, (weight + 1) * std::abs(total - total_[node]));
            total_[node] = total;
            for (std::size_t k = first; k < last; ++k) {
                const auto& half = graph_.halves[k];
                incoming_[IsingGraph::at(half.reverse)] = message(numbers_.couplings[half.edge], total - incoming_[k]);
            }
        }
        return most;
    }

    double outer_step() const {
        double most = 0;
        for (int i = 0; i < graph_.nodes; ++i)
            most = std::max(most, anchor_weight(i) * std::abs(total_[IsingGraph::at(i)] - anchor_[IsingGraph::at(i)]));
        return most;
    }

    // Σ_i (d_i − 1) KL(b_i, b°_i).
    double distance() const {
        double sum = 0;
        for (int i = 0; i < graph_.nodes; ++i) {
            const double t = total_[IsingGraph::at(i)], t0 = anchor_[IsingGraph::at(i)];
            sum += anchor_weight(i) * (log_two_cosh(t0) - log_two_cosh(t) + (t - t0) * std::tanh(t));
        }
        return sum;
    }

    // atanh(tanh j · tanh a) without overflow.
    static double message(double j, double a) { return (log_two_cosh(j + a) - log_two_cosh(j - a)) / 2; }

    EdgeBelief belief(std::size_t e) const {
        return {numbers_.couplings[e], total_[IsingGraph::at(graph_.edges[e].first)],
                total_[IsingGraph::at(graph_.edges[e].second)]};
    }

    double free_energy() const {
        double sum = 0;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) sum += belief(e).free_energy();
        for (int i = 0; i < graph_.nodes; ++i) {
            const double t = total_[IsingGraph::at(i)];
            const double entropy = EdgeBelief::part(EdgeBelief::chance(t)) + EdgeBelief::part(EdgeBelief::chance(-t));
            sum += (graph_.degree(i) - 1) * entropy - numbers_.fields[i] * std::tanh(t);
        }
        return sum;
    }

    const IsingGraph& graph_;
    IsingNumbers numbers_{};
    std::vector<double> incoming_;        // by half edge: u
    std::vector<double> total_, anchor_;  // by node: t and t°
};

}  // namespace tengen
