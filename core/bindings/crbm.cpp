// Binds crbm.hpp: the shape of a machine, whose parameters are arrays of the caller.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "tengen/crbm.hpp"

using namespace tengen;

namespace {

constexpr std::size_t MAX_WINDOW = 7, MAX_CHANNELS = 32, MAX_UNITS = 1 << 16, MAX_ORIENTATIONS = 64,
                      MAX_SIDE_OF_BOARD = 25;

[[noreturn]] void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

class BoundCrbm {
public:
    CrbmShape shape;

    BoundCrbm(std::size_t side, std::size_t filters, nb::handle given, bool real) : shape{side, filters, 0, {}, real} {
        const auto turned = given_array<const std::uint16_t, 2>(given, "turned");
        if (side < 1 || side > MAX_WINDOW) refuse("side: a window has 1 to 7 points on a side");
        const std::size_t rows = turned.shape(1);
        shape.channels = rows / shape.cells();
        if (rows % shape.cells() != 0 || shape.channels < CrbmShape::COLOURS || shape.channels > MAX_CHANNELS)
            refuse("turned: 3 to 32 channels of every cell of the window are needed");
        if (turned.shape(0) < 1 || turned.shape(0) > MAX_ORIENTATIONS)
            refuse("turned: 1 to 64 orientations are needed");
        if (filters < 1 || filters * turned.shape(0) > MAX_UNITS) refuse("filters: 1 to 65536 in all orientations");
        shape.turned.assign(turned.data(), turned.data() + turned.size());
        for (std::size_t o = 0; o < turned.shape(0); ++o) check_orientation(o);
    }

    // T is const unless the parameters change.
    template <class T>
    Given<T, 1> numbers(nb::handle given, const char* name) const {
        const auto array = given_array<T, 1>(given, name);
        if (array.size() != shape.parameters())
            refuse(std::string(name) + ": " + std::to_string(shape.parameters()) + " numbers are needed");
        if (!std::all_of(array.data(), array.data() + array.size(), [](float value) { return std::isfinite(value); }))
            refuse(std::string(name) + " must be finite numbers");
        return array;
    }

private:
    // Every row comes once; a whole channel becomes a whole channel, and colours become colours.
    void check_orientation(std::size_t o) const {
        std::vector<bool> seen(shape.rows());
        for (std::size_t row = 0; row < shape.rows(); ++row) {
            const std::size_t from = shape.turned[o * shape.rows() + row], channel = row / shape.cells();
            if (from >= shape.rows() || seen[from]) refuse("turned: an orientation has every row once");
            seen[from] = true;
            const std::size_t first = shape.turned[o * shape.rows() + channel * shape.cells()];
            if (from / shape.cells() != first / shape.cells() ||
                (channel < CrbmShape::COLOURS) != (from / shape.cells() < CrbmShape::COLOURS))
                refuse("turned: a channel becomes one channel, and a colour becomes a colour");
        }
    }
};

// Boards with their planes, which hold a channel after the colours for every point, or −1.
class GivenBoards {
public:
    Given<const std::int8_t, 3> stones;
    Given<const std::int8_t, 4> planes;
    CrbmBoards boards;

    GivenBoards(const CrbmShape& shape, nb::handle given, nb::handle given_planes)
        : stones(given_stones<3>(given)),
          planes(given_array<const std::int8_t, 4>(given_planes, "planes")),
          boards{stones.shape(0), stones.shape(1), stones.shape(2), planes.shape(1), stones.data(), planes.data()} {
        if (std::min(boards.height, boards.width) < shape.side ||
            std::max(boards.height, boards.width) > MAX_SIDE_OF_BOARD)
            refuse("stones: boards are as large as a window, and have at most 25 points on a side");
        if (planes.shape(0) != boards.count || planes.shape(2) != boards.height || planes.shape(3) != boards.width)
            refuse("planes: one number for each point of the boards");
        if (boards.groups > MAX_CHANNELS) refuse("planes: at most 32 groups");
        for (std::size_t i = 0; i < planes.size(); ++i)
            if (const int channel = planes.data()[i];
                channel != -1 &&
                (channel < static_cast<int>(CrbmShape::COLOURS) || channel >= static_cast<int>(shape.channels)))
                refuse("planes: a channel after the colours, or -1");
    }
};

// P(h | v) [board, row, column, orientation, filter].
Array<float> hidden(const BoundCrbm& bound, nb::handle parameters, nb::handle stones, nb::handle planes) {
    const CrbmShape& shape = bound.shape;
    const auto values = bound.numbers<const float>(parameters, "parameters");
    const GivenBoards given(shape, stones, planes);
    const CrbmBoards& boards = given.boards;
    float* to;
    auto array = new_array<float>({boards.count, boards.height - shape.side + 1, boards.width - shape.side + 1,
                                   shape.orientations(), shape.filters},
                                  to);
    interruptible([&](Interrupt& interrupt) {
        const CrbmFilters filters(shape, values.data());
        CrbmPass pass(filters, boards);
        for (std::size_t i = 0; i < boards.count; ++i) {
            const std::vector<float>& found = pass.hidden(boards.board(i), boards.given(i));
            to = std::copy(found.begin(), found.end(), to);
            interrupt.work(found.size());
        }
    });
    return array;
}

// P(v | h) or real values for a sample of the hidden units [board, row, column, colour].
Array<float> reconstruct(const BoundCrbm& bound, nb::handle parameters, nb::handle stones, nb::handle planes,
                         std::uint64_t seed) {
    const auto values = bound.numbers<const float>(parameters, "parameters");
    const GivenBoards given(bound.shape, stones, planes);
    const CrbmBoards& boards = given.boards;
    float* to;
    auto array = new_array<float>({boards.count, boards.height, boards.width, CrbmShape::COLOURS}, to);
    interruptible([&](Interrupt& interrupt) {
        const CrbmFilters filters(bound.shape, values.data());
        CrbmPass pass(filters, boards);
        for (std::size_t i = 0; i < boards.count; ++i) {
            Random random(seed, i);
            const std::vector<float>& found = pass.reconstruct(boards.board(i), boards.given(i), random);
            for (std::size_t p = 0; p < boards.points(); ++p) to = std::copy_n(&found[4 * p], CrbmShape::COLOURS, to);
            interrupt.work(bound.shape.units() * boards.points());
        }
    });
    return array;
}

// F of every board.
Array<double> free_energy(const BoundCrbm& bound, nb::handle parameters, nb::handle stones, nb::handle planes) {
    const auto values = bound.numbers<const float>(parameters, "parameters");
    const GivenBoards given(bound.shape, stones, planes);
    const CrbmBoards& boards = given.boards;
    double* energies;
    auto array = new_array<double>({boards.count}, energies);
    interruptible([&](Interrupt& interrupt) {
        const CrbmFilters filters(bound.shape, values.data());
        CrbmPass pass(filters, boards);
        for (std::size_t i = 0; i < boards.count; ++i) {
            energies[i] = pass.free_energy(boards.board(i), boards.given(i));
            interrupt.work(4 * bound.shape.units() * boards.points());
        }
    });
    return array;
}

// The gradient of F(others) − F(stones): means over boards, and over locations or points.
Array<float> contrast(const BoundCrbm& bound, nb::handle parameters, nb::handle stones, nb::handle others,
                      nb::handle planes) {
    const auto values = bound.numbers<const float>(parameters, "parameters");
    const GivenBoards given(bound.shape, stones, planes);
    const auto second = given_stones<3>(others);
    const CrbmBoards& boards = given.boards;
    if (second.shape(0) != boards.count || second.shape(1) != boards.height || second.shape(2) != boards.width)
        refuse("others: as many boards of the same size");
    if (boards.count == 0) refuse("stones: at least one board");
    float* to;
    auto array = new_array<float>({bound.shape.parameters()}, to);
    interruptible([&](Interrupt& interrupt) {
        const CrbmFilters filters(bound.shape, values.data());
        CrbmPass pass(filters, boards);
        CrbmGradient gradient(bound.shape);
        for (std::size_t i = 0; i < boards.count; ++i) {
            pass.contrast(boards.board(i), second.data() + i * boards.points(), boards.given(i), gradient);
            interrupt.work(8 * bound.shape.units() * boards.points());
        }
        gradient.complete(bound.shape);
        const std::vector<float> slopes = crbm_slopes(bound.shape, gradient, boards, boards.count);
        std::copy(slopes.begin(), slopes.end(), to);
    });
    return array;
}

float in_range(double value, const char* name, double most) {
    if (!(value >= 0 && value <= most)) refuse(std::string(name) + ": 0 to " + std::to_string(static_cast<int>(most)));
    return static_cast<float>(value);
}

// Learns in place; returns cost and share of correct colours per point, and the mean activity of a hidden unit.
std::tuple<double, double, double> learn(const BoundCrbm& bound, nb::handle parameters, nb::handle velocities,
                                         nb::handle stones, nb::handle planes, std::size_t batch, double rate,
                                         double momentum, double decay, double sparsity, double target,
                                         std::uint64_t seed, std::uint64_t first, int threads, nb::handle chains) {
    const CrbmShape& shape = bound.shape;
    const auto values = bound.numbers<float>(parameters, "parameters");
    const auto speeds = bound.numbers<float>(velocities, "velocities");
    const GivenBoards given(shape, stones, planes);
    const CrbmBoards& boards = given.boards;
    if (values.data() == speeds.data()) refuse("parameters and velocities are two arrays");
    if (batch < 1 || boards.count == 0) refuse("at least one board, and one in a batch");
    if (threads < 1 || threads > 256) refuse("threads: 1 to 256");
    const CrbmSettings settings{batch,
                                in_range(rate, "rate", 100),
                                in_range(momentum, "momentum", 1),
                                in_range(decay, "decay", 1),
                                in_range(sparsity, "sparsity", 100),
                                in_range(target, "target", 1),
                                seed,
                                first,
                                threads};
    std::int8_t* moving = nullptr;
    if (!chains.is_none()) {
        const auto array = given_array<std::int8_t, 3>(chains, "chains");
        given_stones<3>(chains);
        if (shape.real || boards.groups > 0) refuse("chains are for multinomial units without planes");
        if (array.shape(0) != batch || array.shape(1) != boards.height || array.shape(2) != boards.width)
            refuse("chains: one board for each of a batch");
        moving = array.data();
    }
    const auto [totals, activity] = interruptible([&](Interrupt& interrupt) {
        return CrbmLearner(shape, values.data(), speeds.data()).learn(boards, settings, moving, interrupt);
    });
    const auto points = static_cast<double>(boards.count * boards.points());
    const auto units = static_cast<double>(boards.count * boards.locations(shape.side) * shape.filters);
    return {totals.cost / points, totals.correct / points, activity / units};
}

}  // namespace

void bind_crbm(nb::module_& module) {
    nb::class_<BoundCrbm>(module, "Crbm")
        .def(nb::init<std::size_t, std::size_t, nb::handle, bool>(), nb::arg("side"), nb::arg("filters"),
             nb::arg("turned"), nb::arg("real"))
        .def_prop_ro("parameters", [](const BoundCrbm& bound) { return bound.shape.parameters(); })
        .def("hidden", &hidden, nb::arg("parameters"), nb::arg("stones"), nb::arg("planes"))
        .def("reconstruct", &reconstruct, nb::arg("parameters"), nb::arg("stones"), nb::arg("planes"), nb::arg("seed"))
        .def("free_energy", &free_energy, nb::arg("parameters"), nb::arg("stones"), nb::arg("planes"))
        .def("contrast", &contrast, nb::arg("parameters"), nb::arg("stones"), nb::arg("others"), nb::arg("planes"))
        .def("learn", &learn, nb::arg("parameters"), nb::arg("velocities"), nb::arg("stones"), nb::arg("planes"),
             nb::kw_only(), nb::arg("batch"), nb::arg("rate"), nb::arg("momentum"), nb::arg("decay"),
             nb::arg("sparsity"), nb::arg("target"), nb::arg("seed"), nb::arg("first"), nb::arg("threads"),
             nb::arg("chains").none());
}
