// A network with the topology of the augmented common fate graph (Low §2.2): who owns each node, learned from owners.
//
// Reading guide: FateNet::evaluate() and learn(). Every layer has one unit for each node of the graph, with the belief
// a_v that Black owns the node. Beliefs are kept as signs s = 2a − 1 and logits z, a = 1 / (1 + e^−z). With the input
// z⁰ = 0 (a = ½),
//     z¹_v = z⁰_v + b¹[L(v)],      z^{l+1}_v = b^{l+1}[L(v)] + Σ_u W[L(u), L(v), relation(u, v), l] · s^l_u,
// where L is a node's label and u are the neighbours of v and v itself (relation SELF; Low's text gives a unit no path
// from its own node). A recurrent network feeds z of the last layer back as z⁰, for some rounds or until no belief
// changes. So a network has few units but many weights, which all boards share by their labels.
//
// The network says "Black" for the colour whose view it takes. It runs in Black's view and, with swapped labels, in
// White's; the answer is the mean, so swapping the colours of a board negates the ownership exactly.
//
// Weights are created by learn() when a board first needs them; a weight that no board needed is 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "augmented_graph.hpp"
#include "key_rows.hpp"
#include "shape.hpp"

namespace tengen {

// A graph in the view of one colour, with the signs of all units.
struct FateView {
    struct Arc {
        std::uint32_t source, destination, row;  // row: of weights
    };
    std::vector<std::size_t> labels;
    std::vector<Arc> arcs;
    std::vector<double> signs;   // [round, layer, node]
    std::vector<double> logits;  // of the last layer
    std::size_t layers = 0, rounds = 0;

    std::size_t at(std::size_t round, std::size_t layer) const { return (round * layers + layer) * labels.size(); }
    const double* layer(std::size_t round, std::size_t layer) const { return signs.data() + at(round, layer); }
    const double* top() const { return layer(rounds - 1, layers - 1); }
};

// The memory of one thread.
struct FateScratch {
    std::array<FateView, 2> views;            // Black's and White's
    std::vector<double> derivatives, before;  // by the logits of a layer, by the signs of the one before
};

class FateNet {
public:
    static constexpr int SELF = EDGE + 1, RELATIONS = SELF + 1;
    static constexpr double SPREAD = 0.1;    // standard deviation of new weights
    static constexpr double SELF_START = 2;  // mean of new weights from a node to itself; 0 for all others
    static constexpr double CLIP = 5;        // largest derivative of a weight in a step
    static constexpr int MOST_LAYERS = 8, MOST_ROUNDS = 1000;

    struct Settings {
        int layers = 3;
        int rounds = 1;
        double tolerance = 0;         // rounds end when no belief a changes by this much
        bool sides = false;           // whether regions of influence have labels of their own
        bool through_rounds = false;  // whether learn() follows the derivatives into earlier rounds
        std::uint64_t seed = 0;       // of the values of new weights
    };

    // The numbers of a network. Rows of weights are in the order of their keys, layer by layer in a row.
    struct Parameters {
        std::vector<std::uint32_t> keys;    // ((label of u · labels) + label of v) · RELATIONS + relation
        std::vector<double> weights;        // [row, layers − 1]
        std::vector<std::uint32_t> visits;  // [row]: how often learn() used it
        std::vector<double> biases;         // [label, layers]
        std::vector<std::uint32_t> bias_visits;
    };

    explicit FateNet(const Settings& given)
        : settings(given),
          labels(settings.sides ? AugmentedGraph::SIDED_LABELS : AugmentedGraph::LABELS),
          layers_(static_cast<std::size_t>(settings.layers)),
          steps_(layers_ - 1) {
        Parameters none;
        none.biases.resize(static_cast<std::size_t>(labels) * layers_);
        none.bias_visits.resize(static_cast<std::size_t>(labels));
        set_parameters(none);
    }

    Parameters parameters() const {
        Parameters found{{}, {}, {}, biases_, bias_visits_};
        std::vector<std::pair<std::uint32_t, std::size_t>> order;
        for (std::size_t row = 1; row < rows_.size(); ++row) order.emplace_back(rows_.key(row), row);
        std::sort(order.begin(), order.end());
        for (const auto& [key, row] : order) {
            found.keys.push_back(key);
            found.visits.push_back(visits_[row]);
            for (std::size_t l = 0; l < steps_; ++l) found.weights.push_back(weights_[row * steps_ + l]);
        }
        return found;
    }

    void set_parameters(const Parameters& given) {
        rows_ = {};
        for (const std::uint32_t key : given.keys) rows_.add(key);
        weights_.assign(steps_, 0.0), visits_.assign(1, 0);
        weights_.insert(weights_.end(), given.weights.begin(), given.weights.end());
        visits_.insert(visits_.end(), given.visits.begin(), given.visits.end());
        biases_ = given.biases, bias_visits_ = given.bias_visits;
    }

    std::size_t rows() const { return rows_.size() - 1; }

    // Writes the ownership of every node, from −1 (White) to 1 (Black).
    void evaluate(const AugmentedGraph& graph, FateScratch& scratch, std::vector<double>& ownership) const {
        look(graph, scratch);
        ownership.resize(graph.nodes.size());
        const FateView &black = scratch.views[0], &white = scratch.views[1];
        for (std::size_t v = 0; v < ownership.size(); ++v) ownership[v] = (black.top()[v] - white.top()[v]) / 2;
    }

    // Writes how much the logit of Black's ownership of one node owes to another: for each edge that of the second node
    // to the first and that of the first to the second, then for each node its own, bias included.
    void pushes(const AugmentedGraph& graph, FateScratch& scratch, std::vector<double>& push) const {
        look(graph, scratch);
        push.assign(scratch.views[0].arcs.size(), 0.0);
        const std::size_t loops = push.size() - graph.nodes.size();
        for (std::size_t side = 0; side < 2; ++side) {
            const FateView& view = scratch.views[side];
            const double half = side == 0 ? 0.5 : -0.5;
            const double* before = view.layer(view.rounds - 1, layers_ - 2);
            for (std::size_t i = 0; i < push.size(); ++i)
                push[i] += half * weights_[view.arcs[i].row * steps_ + steps_ - 1] * before[view.arcs[i].source];
            for (std::size_t v = 0; v < graph.nodes.size(); ++v)
                push[loops + v] += half * biases_[view.labels[v] * layers_ + layers_ - 1];
        }
    }

    // The owners of nodes to learn: from −1 to 1, each with the weight of its labelled points.
    struct Targets {
        std::vector<double> owners, weights;
    };

    // One step of gradient descent on the loss Σ_v weight_v · CE(target_v, a_v), the mean of both views. The step of a
    // weight is rate / √visits times its derivative, which is clipped. Returns the loss before the step.
    double learn(const AugmentedGraph& graph, const Targets& targets, double rate, FateScratch& scratch) {
        for (std::size_t side = 0; side < 2; ++side)
            arrange(graph, side, scratch.views[side], [&](std::uint32_t key) { return row_for(key); });
        if (gradient_.size() < weights_.size()) gradient_.resize(weights_.size()), uses_.resize(visits_.size());
        bias_gradient_.resize(biases_.size()), bias_uses_.resize(bias_visits_.size());
        double loss = 0;
        for (std::size_t side = 0; side < 2; ++side) {
            FateView& view = scratch.views[side];
            forward(view);
            loss += top_derivatives(view, targets, side == 0 ? 1 : -1, scratch);
            backward(view, scratch);
        }
        descend(rate);
        return loss;
    }

    const Settings settings;
    const int labels;

private:
    const std::size_t layers_, steps_;  // steps between layers
    KeyRows rows_;
    std::vector<double> weights_, biases_;
    std::vector<std::uint32_t> visits_, bias_visits_;
    // Of the step being learned: derivatives, 0 between steps, and how often each row is used.
    std::vector<double> gradient_, bias_gradient_;
    std::vector<std::uint32_t> uses_, bias_uses_, used_, used_labels_;

    // Labels and arcs in the order of edges, both directions, then the arcs of nodes to themselves.
    template <class RowOf>
    void arrange(const AugmentedGraph& graph, std::size_t side, FateView& view, RowOf row_of) const {
        view.labels.clear(), view.arcs.clear();
        view.layers = layers_;
        const int sign = side == 0 ? 1 : -1;
        for (const AugmentedGraph::Node& node : graph.nodes) {
            const AugmentedGraph::Node seen{sign * node.type, sign * node.side, node.size, node.liberties, node.eyes};
            view.labels.push_back(static_cast<std::size_t>(seen.label(settings.sides)));
        }
        const auto add = [&](int from, int to, int relation) {
            const auto u = static_cast<std::uint32_t>(from), v = static_cast<std::uint32_t>(to);
            const std::size_t pair = view.labels[u] * static_cast<std::size_t>(labels) + view.labels[v];
            view.arcs.push_back(
                {u, v, row_of(static_cast<std::uint32_t>(pair * RELATIONS + static_cast<std::size_t>(relation)))});
        };
        for (const AugmentedGraph::Edge& edge : graph.edges) {
            add(edge.second, edge.first, edge.relation);
            add(edge.first, edge.second, edge.relation);
        }
        for (int v = 0; v < static_cast<int>(graph.nodes.size()); ++v) add(v, v, SELF);
    }

    void look(const AugmentedGraph& graph, FateScratch& scratch) const {
        for (std::size_t side = 0; side < 2; ++side) {
            arrange(graph, side, scratch.views[side], [&](std::uint32_t key) { return rows_.find(key); });
            forward(scratch.views[side]);
        }
    }

    void forward(FateView& view) const {
        view.logits.assign(view.labels.size(), 0.0);
        view.rounds = 0;
        double change = std::numeric_limits<double>::infinity();
        while (view.rounds < static_cast<std::size_t>(settings.rounds) && change >= settings.tolerance) {
            const std::size_t round = view.rounds++;
            view.signs.resize(view.at(view.rounds, 0));
            for (std::size_t l = 0; l < layers_; ++l) forward(view, round, l);
            change = 0;
            for (std::size_t v = 0; v < view.labels.size(); ++v) {
                const double last = round == 0 ? 0 : view.layer(round - 1, layers_ - 1)[v];
                change = std::max(change, std::abs(view.top()[v] - last) / 2);
            }
        }
    }

    void forward(FateView& view, std::size_t round, std::size_t l) const {
        for (std::size_t v = 0; v < view.labels.size(); ++v)
            view.logits[v] = (l == 0 ? view.logits[v] : 0) + biases_[view.labels[v] * layers_ + l];
        if (l > 0)
            for (const FateView::Arc& arc : view.arcs)
                view.logits[arc.destination] +=
                    weights_[arc.row * steps_ + l - 1] * view.layer(round, l - 1)[arc.source];
        std::transform(view.logits.begin(), view.logits.end(),
                       view.signs.begin() + static_cast<std::ptrdiff_t>(view.at(round, l)),
                       [](double logit) { return 1 - 2 / (1 + std::exp(logit)); });
    }

    // Writes the derivatives of the loss by the logits of the last layer; returns the loss.
    double top_derivatives(const FateView& view, const Targets& targets, double sign, FateScratch& scratch) const {
        double loss = 0;
        scratch.derivatives.resize(view.labels.size());
        for (std::size_t v = 0; v < view.labels.size(); ++v) {
            const double z = view.logits[v], target = (1 + sign * targets.owners[v]) / 2,
                         weight = targets.weights[v] / 2;
            loss += weight * (std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))) - target * z);
            scratch.derivatives[v] = weight * ((1 + view.top()[v]) / 2 - target);
        }
        return loss;
    }

    // Adds the derivatives of a view to those of the step, from the last layer of the last round backwards.
    void backward(const FateView& view, FateScratch& scratch) {
        const std::size_t nodes = view.labels.size();
        std::vector<double>&derivatives = scratch.derivatives, &before = scratch.before;
        for (const FateView::Arc& arc : view.arcs)
            if (uses_[arc.row]++ == 0) used_.push_back(arc.row);
        for (const std::size_t label : view.labels)
            if (bias_uses_[label]++ == 0) used_labels_.push_back(static_cast<std::uint32_t>(label));
        for (std::size_t round = view.rounds; round-- > 0;) {
            for (std::size_t l = layers_; l-- > 0;) {
                for (std::size_t v = 0; v < nodes; ++v) bias_gradient_[view.labels[v] * layers_ + l] += derivatives[v];
                if (l == 0) break;
                const double* signs = view.layer(round, l - 1);
                before.assign(nodes, 0.0);
                for (const FateView::Arc& arc : view.arcs) {
                    gradient_[arc.row * steps_ + l - 1] += derivatives[arc.destination] * signs[arc.source];
                    before[arc.source] += derivatives[arc.destination] * weights_[arc.row * steps_ + l - 1];
                }
                for (std::size_t v = 0; v < nodes; ++v)
                    derivatives[v] = bounded(before[v] * (1 - signs[v] * signs[v]) / 2, LARGE);
            }
            if (!settings.through_rounds) break;
        }
    }

    static constexpr double LARGE = 1e6;  // keeps derivatives finite over many rounds
    static double bounded(double value, double most) { return std::clamp(value, -most, most); }

    // Changes the weights that were used.
    void descend(double rate) {
        const auto step = [rate](std::uint32_t& visits, std::uint32_t& uses, double* values, double* derivatives,
                                 std::size_t count) {
            visits += std::min(uses, std::numeric_limits<std::uint32_t>::max() - visits);
            uses = 0;
            const double pace = rate / std::sqrt(static_cast<double>(visits));
            for (std::size_t i = 0; i < count; ++i) {
                values[i] -= pace * bounded(derivatives[i], CLIP);
                derivatives[i] = 0;
            }
        };
        for (const std::uint32_t row : used_)
            step(visits_[row], uses_[row], &weights_[row * steps_], &gradient_[row * steps_], steps_);
        for (const std::uint32_t label : used_labels_)
            step(bias_visits_[label], bias_uses_[label], &biases_[label * layers_], &bias_gradient_[label * layers_],
                 layers_);
        used_.clear(), used_labels_.clear();
    }

    std::uint32_t row_for(std::uint32_t key) {
        const std::uint32_t row = rows_.add(key);
        if (row == visits_.size()) {
            visits_.push_back(0);
            for (std::size_t l = 0; l < steps_; ++l) weights_.push_back(first_value(key, l));
        }
        return row;
    }

    // The first value of a weight, which depends on the seed, its key and its layer only: the sum of four uniform
    // numbers, which is nearly normal, scaled to the standard deviation SPREAD. A node passes its belief on to its own
    // next unit from the start: with weights near 0 everywhere only the last layer would learn for a long time.
    double first_value(std::uint32_t key, std::size_t layer) const {
        const std::uint64_t bits = scatter(scatter(settings.seed) + (std::uint64_t{key} << 8) + layer);
        double sum = 0;
        for (int i = 0; i < 64; i += 16) sum += static_cast<double>((bits >> i) & 0xffff) / 0xffff - 0.5;
        return (key % RELATIONS == SELF ? SELF_START : 0.0) + SPREAD * std::sqrt(3.0) * sum;
    }
};

}  // namespace tengen
