// Binds move_features.hpp: the levels of all moves of many positions.
#include "tengen/move_features.hpp"
#include "interruptible.hpp"
#include "row_arrays.hpp"

using namespace tengen;

namespace {

// The arrays of n positions that tactical features depend on; see PositionRows.
struct GivenRows {
    Given<const std::int8_t, 3> stones;
    Given<const std::int8_t, 1> to_play;
    Given<const std::int16_t, 1> ko;
    Given<const std::int16_t, 2> last_moves;
    Given<const std::int8_t, 1> passes;

    std::size_t count() const { return stones.shape(0); }
    int height() const { return static_cast<int>(stones.shape(1)); }
    int width() const { return static_cast<int>(stones.shape(2)); }
    std::size_t points() const { return stones.shape(1) * stones.shape(2); }

    void check() const {
        if (std::min(width(), height()) < MIN_SIDE || std::max(width(), height()) > MAX_SIDE)
            throw nb::value_error("a side has 2 to 25 points");
        if (to_play.shape(0) != count() || ko.shape(0) != count() || passes.shape(0) != count() ||
            last_moves.shape(0) != count() || last_moves.shape(1) != LAST_MOVES)
            throw nb::value_error("one turn, ko, row of last moves and number of passes for each board");
        for (std::size_t i = 0; i < count(); ++i) check_row(i);
    }

    void check_row(std::size_t i) const {
        const int pass = width() * height(), forbidden = ko.data()[i];
        if (to_play.data()[i] != 1 && to_play.data()[i] != -1) throw nb::value_error("to_play is 1 or -1");
        if (passes.data()[i] < 0) throw nb::value_error("passes are counted from 0");
        if (forbidden < -1 || forbidden >= pass) throw nb::value_error("ko is a point, or -1");
        if (forbidden >= 0 && stones.data()[i * points() + static_cast<std::size_t>(forbidden)] != 0)
            throw nb::value_error("ko is an empty point, or -1");
        for (std::size_t k = 0; k < LAST_MOVES; ++k)
            if (const int move = last_moves.data()[i * LAST_MOVES + k]; move < -1 || move > pass)
                throw nb::value_error("a last move is a point, the pass or -1");
    }
};

template <class Shape>
void write_levels(const GivenRows& rows, bool oakfoam, Level* levels, Interrupt& interrupt) {
    Board<Shape> board(rows.width(), rows.height());
    LadderReader<Shape> reader;
    const int pass = rows.width() * rows.height();
    const auto point = [&](int index) {
        return index < 0 || index == pass ? NO_POINT : Shape::point(index / rows.width(), index % rows.width());
    };
    for (std::size_t i = 0; i < rows.count(); ++i) {
        interrupt.check();
        set_up(board, rows.stones.data() + i * rows.points());
        if (board.lifeless() != NO_POINT) throw nb::value_error("a chain on the board has no liberties");
        const Colour colour = rows.to_play.data()[i] > 0 ? BLACK : WHITE;
        if (rows.ko.data()[i] >= 0) board.set_ko(point(rows.ko.data()[i]), colour);
        const std::int16_t* last = rows.last_moves.data() + i * LAST_MOVES;
        MoveFeatures<Shape> features(board, reader, colour, {point(last[0]), point(last[1]), rows.passes.data()[i] > 0},
                                     oakfoam);
        for (int move = 0; move <= pass; ++move) {
            const MoveLevels found = features.levels(point(move));
            levels = std::copy(found.begin(), found.end(), levels);
        }
    }
}

// [n, points + 1, feature]; the pass is last.
Array<Level> move_features(nb::handle stones, nb::handle to_play, nb::handle ko, nb::handle last_moves,
                           nb::handle passes, bool oakfoam) {
    const GivenRows rows{given_stones<3>(stones), given_array<const std::int8_t, 1>(to_play, "to_play"),
                         given_array<const std::int16_t, 1>(ko, "ko"),
                         given_array<const std::int16_t, 2>(last_moves, "last_moves"),
                         given_array<const std::int8_t, 1>(passes, "passes")};
    rows.check();
    Level* levels;
    auto array = new_array<Level>({rows.count(), rows.points() + 1, MOVE_FEATURES}, levels);
    interruptible([&](Interrupt& interrupt) {
        const int side = rows.width() == rows.height() ? rows.width() : 0;
        auto write = side == 9    ? write_levels<Square<9>>
                     : side == 13 ? write_levels<Square<13>>
                     : side == 19 ? write_levels<Square<19>>
                                  : write_levels<AnyShape>;
        write(rows, oakfoam, levels, interrupt);
    });
    return array;
}

}  // namespace

void bind_move_features(nb::module_& module) {
    module.def("move_features", &move_features, nb::arg("stones"), nb::arg("to_play"), nb::arg("ko"),
               nb::arg("last_moves"), nb::arg("passes"), nb::arg("oakfoam") = false);
}
