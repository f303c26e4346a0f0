// Binds tactics.hpp: results for the whole board as arrays [row, column].
#include <nanobind/stl/tuple.h>

#include "interruptible.hpp"
#include "points.hpp"
#include "tengen/tactics.hpp"

using namespace tengen;

namespace {

// The result of a reading at every point of a board, row by row.
template <class Answer, class Shape, class Ask>
std::vector<Answer> read_points(const Board<Shape>& board, Ask ask) {
    return interruptible([&](Interrupt& interrupt) {
        std::vector<Answer> answers;
        answers.reserve(static_cast<std::size_t>(board.width() * board.height()));
        for (int r = 0; r < board.height(); ++r)
            for (int c = 0; c < board.width(); ++c) {
                interrupt.check();
                answers.push_back(ask(Shape::point(r, c)));
            }
        return answers;
    });
}

// An array of one field of these results.
template <class T, class Answer, class Value>
Array<T> column(const GeneralBoard& board, const std::vector<Answer>& answers, Value value) {
    auto answer = answers.begin();
    return per_point<T>(board, [&](Point) { return value(*answer++); });
}

LadderLimits checked_limits(int moves, int depth) {
    if (moves < 0 || depth < 0 || depth > 1000)
        throw nb::value_error("limits of a reading: moves from 0, depth from 0 to 1000");
    return {moves, depth};
}

template <class Shape>
int index_of(const Board<Shape>& board, Point p) {
    return p == NO_POINT ? -1 : Shape::row(p) * board.width() + Shape::column(p);
}

struct ChainReading {
    int attack = -1, capture = -1, defence = -1, escape = -1;
};

using LadderArrays = std::tuple<Array<std::int8_t>, Array<std::int32_t>, Array<std::int8_t>, Array<std::int32_t>>;

// Every chain read once, attacked and defended; −1 where there is no stone or no move.
LadderArrays ladders(const Position& position, int moves, int depth) {
    const LadderLimits limits = checked_limits(moves, depth);
    const auto answers = on_its_shape(position.board(), [&](auto board) {
        LadderReader<typename decltype(board)::shape> reader(limits);
        std::vector<ChainReading> read(static_cast<std::size_t>(board.area));
        std::vector<bool> done(read.size());
        return read_points<ChainReading>(board, [&](Point p) {
            const Point head = board.chain(p);
            if (head == NO_POINT || done[head]) return read[head];
            done[head] = true;
            const Reading attack = reader.attack(board, head), defence = reader.defend(board, head);
            return read[head] = {static_cast<int>(attack.fate), index_of(board, attack.move),
                                 static_cast<int>(defence.fate), index_of(board, defence.move)};
        });
    });
    return {column<std::int8_t>(position.board(), answers, [](const ChainReading& chain) { return chain.attack; }),
            column<std::int32_t>(position.board(), answers, [](const ChainReading& chain) { return chain.capture; }),
            column<std::int8_t>(position.board(), answers, [](const ChainReading& chain) { return chain.defence; }),
            column<std::int32_t>(position.board(), answers, [](const ChainReading& chain) { return chain.escape; })};
}

using FactArrays = std::tuple<Array<std::uint16_t>, Array<std::int16_t>, Array<std::int16_t>, Array<std::int16_t>>;

// The effects of a move of the colour at each point: bits of MoveFacts, then liberties and stones of its chain and the
// number of captured stones.
FactArrays move_facts(const Position& position, int colour, int moves, int depth) {
    const LadderLimits limits = checked_limits(moves, depth);
    const Colour mover = checked_colour(colour);
    const auto answers = on_its_shape(position.board(), [&](auto board) {
        LadderReader<typename decltype(board)::shape> reader(limits);
        return read_points<MoveFacts>(board, [&](Point p) { return examine(reader, board, p, mover); });
    });
    return {
        column<std::uint16_t>(position.board(), answers, [](const MoveFacts& facts) { return facts.bits; }),
        column<std::int16_t>(position.board(), answers, [](const MoveFacts& facts) { return facts.outcome.liberties; }),
        column<std::int16_t>(position.board(), answers, [](const MoveFacts& facts) { return facts.outcome.stones; }),
        column<std::int16_t>(position.board(), answers, [](const MoveFacts& facts) { return facts.outcome.taken; })};
}

}  // namespace

void bind_tactics(nb::module_& module) {
    const LadderLimits limits;
    module.def("ladders", &ladders, nb::arg("position"), nb::arg("moves") = limits.moves,
               nb::arg("depth") = limits.depth);
    module.def("move_facts", &move_facts, nb::arg("position"), nb::arg("colour"), nb::arg("moves") = limits.moves,
               nb::arg("depth") = limits.depth);
}
