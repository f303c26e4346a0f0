// A network that passes messages on the augmented common fate graph: Low's network with its weights factored, so that
// rare labels share what common ones learn.
//
// Reading guide: FateBoard (fate_board.hpp) reads a board. FateMessages::forward gives every node a vector from tables
// of its features, updates the vectors in ROUNDS of messages along the edges, and reads the owner of each point from
// the nodes around it. FateGradient adds up the gradient.
//
// Colours: a vector has two halves that change places when the colours are swapped, the node as Black and as White see
// it. They are kept as their sum (even) and their difference (odd), which swapping negates. Linear maps act on each
// alone, and the activation max(0, ·) is applied to even + odd and even − odd. So the network answers a reversed board
// with exactly the opposite, at the cost of one evaluation:
//
//     E = b + Σ_k A_k even_k,   O = Σ_k B_k odd_k,   h± = max(0, E ± O),   even += h₊ + h₋,   odd += h₊ − h₋
//
// with k over the node itself, the mean of its neighbours by pairs of adjacent points, half their sum, and the sum of
// related chains scaled by a gain for each relation. The player to move adds an even vector to the nodes of his side,
// by their liberties, subtracts it from those of the other, and adds an odd one to all nodes and points. Every product
// is a loop over outputs that the compiler vectorises.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fate_board.hpp"

namespace tengen {

// y += x W, with W stored input by input. The sums stay in registers: GCC keeps them in memory where this is inlined,
// and unrolls loops of 16 or fewer before it could vectorise them, so every width of the network is larger.
template <std::size_t In, std::size_t Out>
[[gnu::noinline]] void add_product(const float* x, const float* weights, float* y) {
    std::array<float, Out> sum;
    std::copy_n(y, Out, sum.begin());
    for (std::size_t i = 0; i < In; ++i)
        for (std::size_t j = 0; j < Out; ++j) sum[j] += x[i] * weights[i * Out + j];
    std::copy_n(sum.begin(), Out, y);
}

// y += scale · x
template <std::size_t Count>
inline void add(const float* x, float scale, float* y) {
    for (std::size_t i = 0; i < Count; ++i) y[i] += scale * x[i];
}

// The parameters: one flat array, block after block.
struct FateParameters {
    static constexpr std::size_t WIDTH = 24, ROUNDS = 3, PATTERN = 20, HIDDEN = 24;
    static constexpr std::size_t PARTS = 4;  // of a message: own, mean, sum, related
    static constexpr std::size_t RELATIONS = 6, READ = 1 + FateBoard::SHELLS;

    struct Block {
        std::string_view name;
        std::array<std::size_t, 4> shape;  // 1 for dimensions that are not there
        constexpr std::size_t size() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
    };
    enum Name : std::size_t {
        PATTERNS,
        LABELS,
        EYES,
        FACTS,
        NODE_PATTERN,
        ROUND,
        GAINS,
        BIAS,
        READOUT,
        PLACES,
        INFLUENCE,
        POINT_PATTERN,
        OWNER,
        TURNS,
        TEMPO
    };
    // The parameters in their order; [2, …] is even, then odd.
    static constexpr std::array<Block, 15> BLOCKS{{
        {"patterns", {1, 1, 3 * RingClasses::COUNT, PATTERN}},
        {"labels", {1, 2, FateBoard::KINDS * FateBoard::LIBERTIES * FateBoard::SIZES, WIDTH}},
        {"eyes", {1, 2, FateBoard::KINDS * FateBoard::EYES, WIDTH}},
        {"facts", {1, 2, FateBoard::KINDS * FateBoard::FACTS, WIDTH}},
        {"node_pattern", {1, 2, PATTERN, WIDTH}},
        {"rounds", {ROUNDS, 2, PARTS * WIDTH, WIDTH}},
        {"gains", {1, ROUNDS, RELATIONS, WIDTH}},
        {"biases", {1, 1, ROUNDS, WIDTH}},
        {"readout", {2, READ, WIDTH, HIDDEN}},
        {"places", {1, 1, FateBoard::LINES * FateBoard::LINES, HIDDEN}},
        {"influence", {1, 1, 2, HIDDEN}},
        {"point_pattern", {1, 2, PATTERN, HIDDEN}},
        {"owner", {1, 1, 1, HIDDEN}},
        {"turns", {1, 2, FateBoard::KINDS * FateBoard::LIBERTIES, WIDTH}},
        {"tempo", {1, 1, 1, HIDDEN}},
    }};
};

class FateMessages : public FateParameters {
public:
    // Where each block begins, and the number of all parameters; a table, so that no loop looks for a block.
    static constexpr auto STARTS = [] {
        std::array<std::size_t, BLOCKS.size() + 1> starts{};
        for (std::size_t i = 0; i < BLOCKS.size(); ++i) starts[i + 1] = starts[i] + BLOCKS[i].size();
        return starts;
    }();
    static constexpr std::size_t PARAMETERS = STARTS.back();

    explicit FateMessages(const float* parameters) : p_(parameters) {}

    // Computes z of every point, row by row; its ownership is tanh z, and Black owns it with the log-odds 2z.
    void forward(const FateBoard& board, float* logits) {
        embed_points(board);
        embed_nodes(board);
        for (std::size_t r = 0; r < ROUNDS; ++r) pass(board, r);
        read_points(board, logits);
    }

    // Computes the ownership of every point, from −1 (White) to 1 (Black).
    void evaluate(const FateBoard& board, float* ownership) {
        forward(board, ownership);
        for (std::size_t point = 0; point < board.spots.size(); ++point) ownership[point] = std::tanh(ownership[point]);
    }

private:
    static constexpr std::size_t BOTH = 2 * WIDTH;  // even, then odd
    using Vector = std::array<float, BOTH>;
    using Parts = std::array<std::array<float, PARTS * WIDTH>, 2>;  // [parity][part, channel]
    using PointVector = std::array<float, 2 * HIDDEN>;
    using State = std::vector<Vector>;

    friend class FateGradient;

    const float* p_;
    std::vector<std::array<float, 2 * PATTERN>> point_patterns_, node_patterns_;
    std::array<State, ROUNDS + 1> states_;
    std::array<State, ROUNDS + 1> sums_;  // E and O of the features, then of each round
    std::array<std::vector<Parts>, ROUNDS> parts_;
    std::vector<std::array<PointVector, READ>> read_;
    std::vector<PointVector> hidden_;

    const float* block(std::size_t name, std::size_t index = 0) const {
        return p_ + STARTS[name] + index * BLOCKS[name].shape[2] * BLOCKS[name].shape[3];
    }

    // even + odd and even − odd of a vector, without what is negative, as even and odd again.
    template <std::size_t Count>
    static void activate(const float* sums, float* into) {
        for (std::size_t i = 0; i < Count; ++i) {
            const float black = std::max(sums[i] + sums[Count + i], 0.0f);
            const float white = std::max(sums[i] - sums[Count + i], 0.0f);
            into[i] += black + white, into[Count + i] += black - white;
        }
    }

    void embed_points(const FateBoard& board) {
        point_patterns_.assign(board.spots.size(), {});
        node_patterns_.assign(board.nodes.size(), {});
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            const FateBoard::Spot& spot = board.spots[point];
            if (spot.pattern == RingClasses::NONE) continue;
            const float *black = p_ + spot.pattern * PATTERN, *white = p_ + spot.reversed * PATTERN;
            auto& both = point_patterns_[point];
            for (std::size_t i = 0; i < PATTERN; ++i)
                both[i] = black[i] + white[i], both[PATTERN + i] = black[i] - white[i];
            add<2 * PATTERN>(both.data(), 1 / board.nodes[spot.node].size, node_patterns_[spot.node].data());
        }
    }

    void embed_nodes(const FateBoard& board) {
        sums_[0].assign(board.nodes.size(), {});
        states_[0].assign(board.nodes.size(), {});
        for (std::size_t n = 0; n < board.nodes.size(); ++n) {
            const FateBoard::Node& node = board.nodes[n];
            for (std::size_t odd = 0; odd < 2; ++odd) {
                float* sum = sums_[0][n].data() + odd * WIDTH;
                const float side = odd ? node.side : 1;
                add<WIDTH>(block(LABELS, odd) + node.label * WIDTH, side, sum);
                add<WIDTH>(block(EYES, odd) + node.eyes * WIDTH, side, sum);
                add<WIDTH>(block(TURNS, odd) + node.label / FateBoard::SIZES * WIDTH,
                           odd ? board.turn : board.turn * node.side, sum);
                for (std::size_t f = 0; f < FateBoard::FACTS; ++f)
                    add<WIDTH>(block(FACTS, odd) + (node.kind * FateBoard::FACTS + f) * WIDTH, side * node.facts[f],
                               sum);
                add_product<PATTERN, WIDTH>(node_patterns_[n].data() + odd * PATTERN, block(NODE_PATTERN, odd), sum);
            }
            activate<WIDTH>(sums_[0][n].data(), states_[0][n].data());
        }
    }

    // One round of messages.
    void pass(const FateBoard& board, std::size_t round) {
        const State& before = states_[round];
        std::vector<Parts>& parts = parts_[round];
        parts.assign(before.size(), {});
        for (std::size_t n = 0; n < before.size(); ++n)
            for (std::size_t odd = 0; odd < 2; ++odd)
                std::copy_n(&before[n][odd * WIDTH], WIDTH, parts[n][odd].begin());
        for (const FateBoard::Message& message : board.messages)
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const float* from = before[message.from].data() + odd * WIDTH;
                float* to = parts[message.to][odd].data();
                if (message.relation == ADJACENT) {
                    add<WIDTH>(from, message.share, to + WIDTH);
                    add<WIDTH>(from, 0.5f, to + 2 * WIDTH);
                } else {
                    const float* gain = gains(round, message.relation);
                    for (std::size_t i = 0; i < WIDTH; ++i) to[3 * WIDTH + i] += gain[i] * from[i];
                }
            }
        sums_[round + 1].assign(before.size(), {});
        states_[round + 1] = before;
        for (std::size_t n = 0; n < before.size(); ++n) {
            float* sums = sums_[round + 1][n].data();
            std::copy_n(block(BIAS) + round * WIDTH, WIDTH, sums);
            for (std::size_t odd = 0; odd < 2; ++odd)
                add_product<PARTS * WIDTH, WIDTH>(parts[n][odd].data(), block(ROUND, 2 * round + odd),
                                                  sums + odd * WIDTH);
            activate<WIDTH>(sums, states_[round + 1][n].data());
        }
    }
    const float* gains(std::size_t round, int relation) const {
        return block(GAINS, round) + static_cast<std::size_t>(relation - 1) * WIDTH;
    }

    void read_points(const FateBoard& board, float* logits) {
        const State& last = states_[ROUNDS];
        read_.assign(last.size(), {});
        for (std::size_t n = 0; n < last.size(); ++n)
            for (std::size_t odd = 0; odd < 2; ++odd)
                for (std::size_t k = 0; k < READ; ++k)
                    add_product<WIDTH, HIDDEN>(last[n].data() + odd * WIDTH, readout(odd, k),
                                               read_[n][k].data() + odd * HIDDEN);
        hidden_.assign(board.spots.size(), {});
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            const FateBoard::Spot& spot = board.spots[point];
            float* hidden = hidden_[point].data();
            add<2 * HIDDEN>(read_[spot.node][0].data(), 1, hidden);
            add<HIDDEN>(block(PLACES) + spot.place * HIDDEN, 1, hidden);
            add<HIDDEN>(block(INFLUENCE), std::abs(spot.influence), hidden);
            add<HIDDEN>(block(INFLUENCE) + HIDDEN, spot.influence, hidden + HIDDEN);
            add<HIDDEN>(block(TEMPO), board.turn, hidden + HIDDEN);
            for (std::size_t odd = 0; odd < 2; ++odd)
                add_product<PATTERN, HIDDEN>(point_patterns_[point].data() + odd * PATTERN, block(POINT_PATTERN, odd),
                                             hidden + odd * HIDDEN);
        }
        for (std::size_t k = 1; k < READ; ++k)
            for (const auto& [point, neighbour] : board.shells[k - 1])
                add<2 * HIDDEN>(read_[board.spots[neighbour].node][k].data(), 1, hidden_[point].data());
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            PointVector active{};
            activate<HIDDEN>(hidden_[point].data(), active.data());
            float sum = 0;
            for (std::size_t i = 0; i < HIDDEN; ++i) sum += active[HIDDEN + i] * block(OWNER)[i];
            logits[point] = sum;
        }
    }
    const float* readout(std::size_t odd, std::size_t k) const {
        return p_ + STARTS[READOUT] + (odd * READ + k) * WIDTH * HIDDEN;
    }
};

// Gradients of the cross-entropy −Σ_points weight · (q ln p + (1 − q) ln(1 − p)), p = (1 + ownership)/2 and q the same
// of the target.
class FateGradient {
    using F = FateMessages;

public:
    explicit FateGradient(const float* parameters)
        : gradient(F::PARAMETERS), net_(parameters), transposed_(F::PARAMETERS) {
        for (std::size_t name : {F::NODE_PATTERN, F::ROUND, F::READOUT, F::POINT_PATTERN}) {
            const auto& shape = F::BLOCKS[name].shape;
            for (std::size_t matrix = 0; matrix < shape[0] * shape[1]; ++matrix) {
                const std::size_t first = F::STARTS[name] + matrix * shape[2] * shape[3];
                for (std::size_t i = 0; i < shape[2]; ++i)
                    for (std::size_t j = 0; j < shape[3]; ++j)
                        transposed_[first + j * shape[2] + i] = parameters[first + i * shape[3] + j];
            }
        }
    }

    // Adds the gradient of one board and returns its loss.
    double learn(const FateBoard& board, const float* targets, const float* weights) {
        slopes_.resize(board.spots.size());
        net_.forward(board, slopes_.data());
        double loss = 0;
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            // −q ln p − (1 − q) ln(1 − p) = |z| − z·target + ln(1 + exp(−2|z|))
            const double z = static_cast<double>(slopes_[point]), target = static_cast<double>(targets[point]);
            loss += static_cast<double>(weights[point]) *
                    (std::abs(z) - z * target + std::log1p(std::exp(-2 * std::abs(z))));
            slopes_[point] = (std::tanh(slopes_[point]) - targets[point]) * weights[point];
        }
        backward(board);
        return loss;
    }

    std::vector<float> gradient;  // summed over the boards so far

private:
    F net_;
    std::vector<float> transposed_, slopes_;
    std::vector<std::array<float, 2 * F::PATTERN>> by_node_pattern_, by_point_pattern_;
    std::vector<std::array<F::PointVector, F::READ>> by_read_;
    std::vector<F::PointVector> by_hidden_;
    F::State by_state_;
    std::vector<F::Parts> by_parts_;

    float* of(std::size_t name, std::size_t index = 0) {
        return gradient.data() + F::STARTS[name] + index * F::BLOCKS[name].shape[2] * F::BLOCKS[name].shape[3];
    }
    const float* back(std::size_t name, std::size_t index) const {
        return transposed_.data() + F::STARTS[name] + index * F::BLOCKS[name].shape[2] * F::BLOCKS[name].shape[3];
    }

    // W's gradient += x yᵀ.
    template <std::size_t In, std::size_t Out>
    static void add_outer(const float* x, const float* y, float* weights) {
        for (std::size_t i = 0; i < In; ++i)
            if (x[i] != 0) add<Out>(y, x[i], weights + i * Out);
    }
    // Derivatives by even and odd after the activation become those by E and O.
    template <std::size_t Count>
    static void deactivate(const float* sums, const float* by_result, float* by_sums) {
        for (std::size_t i = 0; i < Count; ++i) {
            const float black = sums[i] + sums[Count + i] > 0 ? by_result[i] + by_result[Count + i] : 0;
            const float white = sums[i] - sums[Count + i] > 0 ? by_result[i] - by_result[Count + i] : 0;
            by_sums[i] = black + white, by_sums[Count + i] = black - white;
        }
    }

    void backward(const FateBoard& board) {
        by_state_.assign(board.nodes.size(), {});
        by_point_pattern_.assign(board.spots.size(), {});
        by_node_pattern_.assign(board.nodes.size(), {});
        read_points(board);
        for (std::size_t round = F::ROUNDS; round-- > 0;) pass(board, round);
        embed_nodes(board);
        embed_points(board);
    }

    void read_points(const FateBoard& board) {
        by_hidden_.assign(board.spots.size(), {});
        by_read_.assign(board.nodes.size(), {});
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            const FateBoard::Spot& spot = board.spots[point];
            F::PointVector active{}, by_active{};
            F::activate<F::HIDDEN>(net_.hidden_[point].data(), active.data());
            add<F::HIDDEN>(&active[F::HIDDEN], slopes_[point], of(F::OWNER));
            add<F::HIDDEN>(net_.block(F::OWNER), slopes_[point], &by_active[F::HIDDEN]);
            float* by = by_hidden_[point].data();
            deactivate<F::HIDDEN>(net_.hidden_[point].data(), by_active.data(), by);
            add<2 * F::HIDDEN>(by, 1, by_read_[spot.node][0].data());
            add<F::HIDDEN>(by, 1, of(F::PLACES) + spot.place * F::HIDDEN);
            add<F::HIDDEN>(by, std::abs(spot.influence), of(F::INFLUENCE));
            add<F::HIDDEN>(by + F::HIDDEN, spot.influence, of(F::INFLUENCE) + F::HIDDEN);
            add<F::HIDDEN>(by + F::HIDDEN, board.turn, of(F::TEMPO));
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const float* slope = by + odd * F::HIDDEN;
                add_outer<F::PATTERN, F::HIDDEN>(&net_.point_patterns_[point][odd * F::PATTERN], slope,
                                                 of(F::POINT_PATTERN, odd));
                add_product<F::HIDDEN, F::PATTERN>(slope, back(F::POINT_PATTERN, odd),
                                                   &by_point_pattern_[point][odd * F::PATTERN]);
            }
        }
        for (std::size_t k = 1; k < F::READ; ++k)
            for (const auto& [point, neighbour] : board.shells[k - 1])
                add<2 * F::HIDDEN>(by_hidden_[point].data(), 1, by_read_[board.spots[neighbour].node][k].data());
        for (std::size_t n = 0; n < board.nodes.size(); ++n)
            for (std::size_t odd = 0; odd < 2; ++odd)
                for (std::size_t k = 0; k < F::READ; ++k) {
                    const std::size_t matrix = F::STARTS[F::READOUT] + (odd * F::READ + k) * F::WIDTH * F::HIDDEN;
                    const float* slope = by_read_[n][k].data() + odd * F::HIDDEN;
                    add_outer<F::WIDTH, F::HIDDEN>(&net_.states_[F::ROUNDS][n][odd * F::WIDTH], slope,
                                                   gradient.data() + matrix);
                    add_product<F::HIDDEN, F::WIDTH>(slope, transposed_.data() + matrix, &by_state_[n][odd * F::WIDTH]);
                }
    }

    void pass(const FateBoard& board, std::size_t round) {
        by_parts_.assign(board.nodes.size(), {});
        for (std::size_t n = 0; n < board.nodes.size(); ++n) {
            F::Vector by_sums;
            deactivate<F::WIDTH>(net_.sums_[round + 1][n].data(), by_state_[n].data(), by_sums.data());
            add<F::WIDTH>(by_sums.data(), 1, of(F::BIAS) + round * F::WIDTH);
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const float* slope = by_sums.data() + odd * F::WIDTH;
                add_outer<F::PARTS * F::WIDTH, F::WIDTH>(net_.parts_[round][n][odd].data(), slope,
                                                         of(F::ROUND, 2 * round + odd));
                add_product<F::WIDTH, F::PARTS * F::WIDTH>(slope, back(F::ROUND, 2 * round + odd),
                                                           by_parts_[n][odd].data());
            }
        }
        for (std::size_t n = 0; n < board.nodes.size(); ++n)
            for (std::size_t odd = 0; odd < 2; ++odd)
                add<F::WIDTH>(by_parts_[n][odd].data(), 1, &by_state_[n][odd * F::WIDTH]);
        for (const FateBoard::Message& message : board.messages)
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const float *by_to = by_parts_[message.to][odd].data(),
                            *from = net_.states_[round][message.from].data() + odd * F::WIDTH;
                float* by_from = by_state_[message.from].data() + odd * F::WIDTH;
                if (message.relation == ADJACENT) {
                    add<F::WIDTH>(by_to + F::WIDTH, message.share, by_from);
                    add<F::WIDTH>(by_to + 2 * F::WIDTH, 0.5f, by_from);
                } else {
                    const float* gain = net_.gains(round, message.relation);
                    float* by_gain = of(F::GAINS, round) + static_cast<std::size_t>(message.relation - 1) * F::WIDTH;
                    for (std::size_t i = 0; i < F::WIDTH; ++i) {
                        by_from[i] += by_to[3 * F::WIDTH + i] * gain[i];
                        by_gain[i] += by_to[3 * F::WIDTH + i] * from[i];
                    }
                }
            }
    }

    void embed_nodes(const FateBoard& board) {
        for (std::size_t n = 0; n < board.nodes.size(); ++n) {
            const FateBoard::Node& node = board.nodes[n];
            F::Vector by_sums;
            deactivate<F::WIDTH>(net_.sums_[0][n].data(), by_state_[n].data(), by_sums.data());
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const float* slope = by_sums.data() + odd * F::WIDTH;
                const float side = odd ? node.side : 1;
                add<F::WIDTH>(slope, side, of(F::LABELS, odd) + node.label * F::WIDTH);
                add<F::WIDTH>(slope, side, of(F::EYES, odd) + node.eyes * F::WIDTH);
                add<F::WIDTH>(slope, odd ? board.turn : board.turn * node.side,
                              of(F::TURNS, odd) + node.label / FateBoard::SIZES * F::WIDTH);
                for (std::size_t f = 0; f < FateBoard::FACTS; ++f)
                    add<F::WIDTH>(slope, side * node.facts[f],
                                  of(F::FACTS, odd) + (node.kind * FateBoard::FACTS + f) * F::WIDTH);
                add_outer<F::PATTERN, F::WIDTH>(&net_.node_patterns_[n][odd * F::PATTERN], slope,
                                                of(F::NODE_PATTERN, odd));
                add_product<F::WIDTH, F::PATTERN>(slope, back(F::NODE_PATTERN, odd),
                                                  &by_node_pattern_[n][odd * F::PATTERN]);
            }
        }
    }

    void embed_points(const FateBoard& board) {
        for (std::size_t point = 0; point < board.spots.size(); ++point) {
            const FateBoard::Spot& spot = board.spots[point];
            if (spot.pattern == RingClasses::NONE) continue;
            float* by = by_point_pattern_[point].data();
            add<2 * F::PATTERN>(by_node_pattern_[spot.node].data(), 1 / board.nodes[spot.node].size, by);
            add<F::PATTERN>(by, 1, gradient.data() + spot.pattern * F::PATTERN);
            add<F::PATTERN>(by + F::PATTERN, 1, gradient.data() + spot.pattern * F::PATTERN);
            add<F::PATTERN>(by, 1, gradient.data() + spot.reversed * F::PATTERN);
            add<F::PATTERN>(by + F::PATTERN, -1, gradient.data() + spot.reversed * F::PATTERN);
        }
    }
};

}  // namespace tengen
