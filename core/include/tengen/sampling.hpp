// Means by Markov chains: Gibbs sampling and Swendsen–Wang clusters with fields and couplings of either sign (Stern et
// al. 2004). Both average conditional expectations instead of spins (Rao–Blackwell), and give standard errors from the
// means of consecutive batches.
#pragma once

#include <algorithm>

#include "interrupt.hpp"
#include "ising.hpp"
#include "random.hpp"

namespace tengen {

struct SamplingPlan {
    int burn_in, sweeps;
    std::uint64_t seed;
};

struct SampledMeans {
    double* means;
    double* errors;  // standard errors of the means
    double* edge_means;
};

// Averages over sweeps, and the spread of the averages of batches of sweeps.
class BatchMeans {
public:
    BatchMeans(std::size_t values, int sweeps)
        : sums_(values), batch_(values), squares_(values), sweeps_(sweeps), batches_(std::min(sweeps, BATCHES)) {}

    void add(std::size_t value, double amount) { batch_[value] += amount; }

    void end_sweep() {
        ++in_batch_;
        if (done_ + 1 < batches_ && in_batch_ < sweeps_ / batches_) return;
        if (done_ + 1 == batches_ && seen_ + in_batch_ < sweeps_) return;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            sums_[i] += batch_[i];
            squares_[i] += batch_[i] * batch_[i] / in_batch_;
            batch_[i] = 0;
        }
        seen_ += in_batch_;
        in_batch_ = 0;
        ++done_;
    }

    double mean(std::size_t value) const { return sums_[value] / sweeps_; }

    double error(std::size_t value) const {
        const double average = mean(value), spread = squares_[value] - sweeps_ * average * average;
        return batches_ < 2 ? 1 : std::sqrt(std::max(spread, 0.0) / (batches_ - 1) / sweeps_);
    }

private:
    static constexpr int BATCHES = 25;
    std::vector<double> sums_, batch_, squares_;
    int sweeps_, batches_, in_batch_ = 0, done_ = 0, seen_ = 0;
};

// A chain of spins on a graph; Step makes one sweep of it.
class Chain {
public:
    Chain(const IsingGraph& graph, const IsingNumbers& numbers, std::uint64_t seed)
        : graph_(graph), numbers_(numbers), random_(seed, 0), spins_(IsingGraph::at(graph.nodes)) {
        for (auto& spin : spins_) spin = uniform() < 0.5 ? 1.0 : -1.0;
    }

protected:
    double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

    const IsingGraph& graph_;
    IsingNumbers numbers_;
    Random random_;
    std::vector<double> spins_;
};

// Draws every spin in turn given its neighbours: P(s_i = + | rest) = 1 / (1 + e^{−2(h_i + Σ J_ij s_j)}).
class Gibbs : Chain {
public:
    using Chain::Chain;

    void sweep(BatchMeans* nodes, std::vector<double>* edges) {
        for (int i = 0; i < graph_.nodes; ++i) {
            const auto node = IsingGraph::at(i);
            const double expected = std::tanh(local_field(node));
            spins_[node] = 2 * uniform() < 1 + expected ? 1 : -1;
            if (nodes == nullptr) continue;
            nodes->add(node, expected);
            for (auto k = first(node); k < last(node); ++k)
                (*edges)[IsingGraph::at(graph_.halves[k].edge)] +=
                    expected * spins_[IsingGraph::at(graph_.halves[k].neighbour)] / 2;
        }
    }

private:
    std::size_t first(std::size_t node) const { return IsingGraph::at(graph_.start[node]); }
    std::size_t last(std::size_t node) const { return IsingGraph::at(graph_.start[node + 1]); }

    double local_field(std::size_t node) const {
        double field = numbers_.fields[node];
        for (auto k = first(node); k < last(node); ++k)
            field += numbers_.couplings[IsingGraph::at(graph_.halves[k].edge)] *
                     spins_[IsingGraph::at(graph_.halves[k].neighbour)];
        return field;
    }
};

// Bonds where J s_i s_j > 0 with probability 1 − e^{−2|J|}; then every cluster keeps its spins with probability 1 / (1
// + e^{−2 Σ h s}).
class SwendsenWang : Chain {
public:
    SwendsenWang(const IsingGraph& graph, const IsingNumbers& numbers, std::uint64_t seed)
        : Chain(graph, numbers, seed), root_(spins_.size()), pull_(spins_.size()), turn_(spins_.size()) {}

    void sweep(BatchMeans* nodes, std::vector<double>* edges) {
        bond();
        std::fill(pull_.begin(), pull_.end(), 0.0);
        for (std::size_t i = 0; i < spins_.size(); ++i) pull_[find(i)] += numbers_.fields[i] * spins_[i];
        for (std::size_t i = 0; i < spins_.size(); ++i)
            if (root_[i] == i) pull_[i] = std::tanh(pull_[i]), turn_[i] = 2 * uniform() < 1 + pull_[i] ? 1 : -1;
        if (nodes != nullptr) count(*nodes, *edges);
        for (std::size_t i = 0; i < spins_.size(); ++i) spins_[i] *= turn_[find(i)];
    }

private:
    void bond() {
        for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = i;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
            const auto i = IsingGraph::at(graph_.edges[e].first), j = IsingGraph::at(graph_.edges[e].second);
            const double agreement = numbers_.couplings[e] * spins_[i] * spins_[j];
            if (agreement > 0 && uniform() < -std::expm1(-2 * agreement)) join(i, j);
        }
    }

    // Given the bonds, a cluster's spins keep their signs relative to each other, and clusters are independent.
    void count(BatchMeans& nodes, std::vector<double>& edges) {
        for (std::size_t i = 0; i < spins_.size(); ++i) nodes.add(i, spins_[i] * pull_[find(i)]);
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
            const auto i = IsingGraph::at(graph_.edges[e].first), j = IsingGraph::at(graph_.edges[e].second);
            const auto one = find(i), other = find(j);
            edges[e] += spins_[i] * spins_[j] * (one == other ? 1 : pull_[one] * pull_[other]);
        }
    }

    std::size_t find(std::size_t i) {
        while (root_[i] != i) i = root_[i] = root_[root_[i]];
        return i;
    }

    void join(std::size_t i, std::size_t j) {
        i = find(i), j = find(j);
        root_[std::max(i, j)] = std::min(i, j);
    }

    std::vector<std::size_t> root_;
    std::vector<double> pull_, turn_;  // by cluster: mean of its sign, new sign
};

// Runs a chain and writes the means.
template <class Sampler>
void sample_means(const IsingGraph& graph, const IsingNumbers& numbers, const SamplingPlan& plan,
                  const SampledMeans& out, Interrupt& interrupt) {
    const std::size_t steps = graph.halves.size() + IsingGraph::at(graph.nodes);
    Sampler chain(graph, numbers, plan.seed);
    BatchMeans nodes(IsingGraph::at(graph.nodes), plan.sweeps);
    std::vector<double> edges(graph.edges.size());
    for (int sweep = 0; sweep < plan.burn_in; ++sweep) {
        interrupt.work(steps);
        chain.sweep(nullptr, nullptr);
    }
    for (int sweep = 0; sweep < plan.sweeps; ++sweep) {
        interrupt.work(steps);
        chain.sweep(&nodes, &edges);
        nodes.end_sweep();
    }
    for (std::size_t i = 0; i < IsingGraph::at(graph.nodes); ++i)
        out.means[i] = nodes.mean(i), out.errors[i] = nodes.error(i);
    for (std::size_t e = 0; e < edges.size(); ++e) out.edge_means[e] = edges[e] / plan.sweeps;
}

}  // namespace tengen
