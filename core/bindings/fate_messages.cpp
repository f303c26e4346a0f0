// Binds fate_messages.hpp: a network with its parameters, which do not change.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/fate_messages.hpp"

using namespace tengen;

namespace {

using Boards = Given<const std::int8_t, 3>;
using Numbers = Given<const float, 3>;

class BoundMessages {
public:
    explicit BoundMessages(nb::handle given) {
        const auto array = given_array<const float, 1>(given, "parameters");
        if (array.size() != FateMessages::PARAMETERS)
            throw nb::value_error(
                ("parameters: " + std::to_string(FateMessages::PARAMETERS) + " numbers are needed").c_str());
        parameters.assign(array.data(), array.data() + array.size());
        for (float value : parameters)
            if (!std::isfinite(value)) throw nb::value_error("parameters must be finite numbers");
    }
    std::vector<float> parameters;
};

Boards given_boards(nb::handle given) {
    const auto stones = given_stones<3>(given);
    if (std::min(stones.shape(1), stones.shape(2)) < MIN_SIDE || std::max(stones.shape(1), stones.shape(2)) > MAX_SIDE)
        throw nb::value_error("a side has 2 to 25 points");
    return stones;
}

Numbers given_for(const Boards& stones, nb::handle given, const char* name, float least, float most) {
    const auto numbers = given_array<const float, 3>(given, name);
    for (std::size_t i = 0; i < 3; ++i)
        if (numbers.shape(i) != stones.shape(i))
            throw nb::value_error((std::string(name) + ": one number for each point of the boards").c_str());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!(numbers.data()[i] >= least && numbers.data()[i] <= most))
            throw nb::value_error((std::string(name) + ": a number is out of range").c_str());
    return numbers;
}

using Turns = Given<const std::int8_t, 1>;

Turns given_turns(const Boards& stones, nb::handle given) {
    const auto turns = given_array<const std::int8_t, 1>(given, "turns");
    if (turns.shape(0) != stones.shape(0)) throw nb::value_error("turns: one number for each board");
    for (std::size_t i = 0; i < turns.size(); ++i)
        if (turns.data()[i] < -1 || turns.data()[i] > 1) throw nb::value_error("turns: 1 Black, -1 White, 0 unknown");
    return turns;
}

FateBoard board_for(const Boards& stones) {
    return {static_cast<int>(stones.shape(2)), static_cast<int>(stones.shape(1))};
}

// The owner of every point [board, row, column].
Array<float> evaluate(const BoundMessages& bound, nb::handle given, nb::handle given_players) {
    const auto stones = given_boards(given);
    const auto turns = given_turns(stones, given_players);
    const std::size_t points = stones.shape(1) * stones.shape(2);
    float* ownership;
    auto array = new_array<float>({stones.shape(0), stones.shape(1), stones.shape(2)}, ownership);
    interruptible([&](Interrupt& interrupt) {
        FateBoard board = board_for(stones);
        FateMessages network(bound.parameters.data());
        for (std::size_t i = 0; i < stones.size(); i += points) {
            board.read(stones.data() + i, turns.data()[i / points]);
            network.evaluate(board, ownership + i);
            interrupt.work(points * 1000);
        }
    });
    return array;
}

// The loss, summed over all boards, and its gradient.
std::pair<double, Array<float>> gradient(const BoundMessages& bound, nb::handle given, nb::handle given_targets,
                                         nb::handle given_weights, nb::handle given_players) {
    const auto stones = given_boards(given);
    const auto turns = given_turns(stones, given_players);
    const auto targets = given_for(stones, given_targets, "targets", -1, 1);
    const auto weights = given_for(stones, given_weights, "weights", 0, 1e6f);
    const std::size_t points = stones.shape(1) * stones.shape(2);
    float* slopes;
    auto array = new_array<float>({FateMessages::PARAMETERS}, slopes);
    const double loss = interruptible([&](Interrupt& interrupt) {
        FateBoard board = board_for(stones);
        FateGradient learner(bound.parameters.data());
        double sum = 0;
        for (std::size_t i = 0; i < stones.size(); i += points) {
            board.read(stones.data() + i, turns.data()[i / points]);
            sum += learner.learn(board, targets.data() + i, weights.data() + i);
            interrupt.work(points * 1000);
        }
        std::copy(learner.gradient.begin(), learner.gradient.end(), slopes);
        return sum;
    });
    return {loss, array};
}

// Name and shape of the blocks of parameters, in their order.
std::vector<std::pair<std::string, std::vector<std::size_t>>> blocks() {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> found;
    for (const auto& block : FateMessages::BLOCKS)
        found.emplace_back(std::string(block.name), std::vector(block.shape.begin(), block.shape.end()));
    return found;
}

}  // namespace

void bind_fate_messages(nb::module_& module) {
    nb::class_<BoundMessages>(module, "FateMessages")
        .def(nb::init<nb::handle>(), nb::arg("parameters"))
        .def("evaluate", &evaluate, nb::arg("stones"), nb::arg("turns"))
        .def("gradient", &gradient, nb::arg("stones"), nb::arg("targets"), nb::arg("weights"), nb::arg("turns"))
        .def_static("blocks", &blocks);
}
