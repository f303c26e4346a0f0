// Playouts with some Go knowledge: they answer ataris, play common shapes near the last moves, and avoid self-atari.
//
// Reading guide: KnowingPlayer::choose(). It captures or rescues chains in atari next to the last two moves, then plays
// where a 3×3 pattern matches around them (local_pattern.hpp), and otherwise chooses from the whole board like a
// uniform playout. Knowledge has the probability of each. Candidates are sets, so a choice depends only on the position
// and the random numbers.
//
// Ladders are read only with the probability in Knowledge: a rescue that leaves two liberties is dropped if a ladder
// captures it.
//
// Knowing is a policy like Uniform in playout.hpp: it plays one game from a board and reports the moves.
#pragma once

#include "local_pattern.hpp"
#include "playout.hpp"
#include "tactics.hpp"

namespace tengen {

// The probability of using each kind of knowledge, in percent.
struct Knowledge {
    int atari = 95;                   // answer ataris next to the last two moves
    int pattern = 95;                 // play patterns around the last two moves
    int shun_self_atari = 95;         // reject a bad self-atari among the answers
    int shun_random_self_atari = 95;  // and among the moves from the whole board
    int ladder = 0;                   // reject a rescue that ends in a ladder
};

template <class Shape>
class KnowingPlayer {
public:
    KnowingPlayer(const Knowledge& knowledge, Random& random, const Board<Shape>& board, Point last, Point before)
        : knowledge_(knowledge), random_(random), last_(last), before_(before), around_(board) {}

    // A move for the colour, or NO_POINT for a pass; remembered as the last one. The board is as after the last choice
    // and its move.
    Point choose(Board<Shape>& board, Colour colour) {
        if (std::exchange(played_, true) && last_ != NO_POINT) around_.follow(board, last_, [](Point) {});
        const Point p = answer(board, colour);
        before_ = last_;
        last_ = p;
        return p;
    }

private:
    const Knowledge& knowledge_;
    Random& random_;
    Point last_, before_;
    bool played_ = false;  // whether last_ was chosen here
    Neighbourhoods<Shape> around_;
    LadderReader<Shape> reader_;

    bool happens(int percent) { return percent > 0 && random_.below(100) < percent; }

    Point answer(Board<Shape>& board, Colour colour) {
        Point p = NO_POINT;
        if (happens(knowledge_.atari)) p = pick(board, colour, atari_answers(board, colour));
        if (p == NO_POINT && happens(knowledge_.pattern)) p = pick(board, colour, pattern_answers(board));
        return p == NO_POINT ? draw(board, colour) : p;
    }

    // One of the allowed candidates; a bad self-atari only occasionally.
    Point pick(const Board<Shape>& board, Colour colour, PointSet<Shape> candidates) {
        for (int left = size_of<Shape>(candidates); left > 0; --left) {
            const Point p = nth_point<Shape>(candidates, random_.below(left));
            if (is_allowed(board, p, colour) &&
                !(is_bad_self_atari(board, p, colour) && happens(knowledge_.shun_self_atari)))
                return p;
            exclude<Shape>(candidates, p);
        }
        return NO_POINT;
    }

    // Captures and rescues of the chains in atari at and next to the last two moves.
    PointSet<Shape> atari_answers(Board<Shape>& board, Colour colour) {
        PointSet<Shape> answers{};
        const bool reads = happens(knowledge_.ladder);
        ChainSet<10> seen;
        for (Point centre : {last_, before_}) {
            if (centre == NO_POINT) continue;
            const auto [up, left, right, down] = Shape::neighbours(centre);
            for (Point p : {centre, up, left, right, down}) {
                const Point head = board.chain(p);
                if (!both(head != NO_POINT, board.liberty_count(head) == 1) || !seen.add(head)) continue;
                const Point liberty = only_liberty(board, head);
                if (board.colour(head) == opponent(colour)) {
                    include<Shape>(answers, liberty);
                } else {
                    unite<Shape>(answers, capturing_moves(board, head));
                    if (rescues(board, liberty, colour, reads)) include<Shape>(answers, liberty);
                }
            }
        }
        return answers;
    }

    bool rescues(Board<Shape>& board, Point liberty, Colour colour, bool reads) {
        const int liberties = outcome(board, liberty, colour).liberties;
        if (liberties != 2 || !reads || board.is_ko(liberty, colour)) return liberties > 1;
        return reader_.after(board, liberty, colour,
                             [&] { return reader_.attack(board, liberty).fate != Fate::captured; });
    }

    // The empty points around the last two moves where a pattern matches.
    PointSet<Shape> pattern_answers(const Board<Shape>& board) const {
        PointSet<Shape> answers{};
        for (Point centre : {last_, before_})
            if (centre != NO_POINT) include_patterns(board, centre, answers);
        return answers;
    }

    // Adds the empty points around a centre where a pattern matches, without a branch for each.
    void include_patterns(const Board<Shape>& board, Point centre, PointSet<Shape>& answers) const {
        constexpr int row = Shape::stride;
        static_assert(2 * row + 2 < 64);
        const Point corner = static_cast<Point>(centre - row - 1);
        std::uint64_t square = 0;
        for (int offset : {0, 1, 2, row, row + 2, 2 * row, 2 * row + 1, 2 * row + 2}) {
            const Point p = static_cast<Point>(corner + offset);
            const bool matches = both(board.colour(p) == EMPTY, local_patterns.has(around_.at(p)));
            square |= std::uint64_t{matches} << offset;
        }
        const auto window = Shape::window(Shape::bit(corner), square);
        answers[window.low] |= window.low_bits;
        answers[window.high] |= window.high_bits;
    }

    // As in a uniform playout, but a bad self-atari may be rejected.
    Point draw(Board<Shape>& board, Colour colour) {
        for (int left = board.empty_count(); left > 0;) {
            const int index = random_.below(left);
            const Point p = board.empty(index);
            if (playable<Eye::diagonal>(board, p, colour) &&
                !(is_bad_self_atari(board, p, colour) && happens(knowledge_.shun_random_self_atari)))
                return p;
            board.swap_empties(index, --left);
        }
        return NO_POINT;
    }
};

// The policy: plays one game to its end, answering the last two moves if given. `report` is called with every move.
struct Knowing {
    Knowledge knowledge;

    template <class Shape, class Report>
    int operator()(Board<Shape>& board, Colour colour, Random& random, Report report, Point last = NO_POINT,
                   Point before = NO_POINT) const {
        KnowingPlayer<Shape> player(knowledge, random, board, last, before);
        return play_to_end(board, colour, [&](Colour mover) { return player.choose(board, mover); }, report);
    }
};

}  // namespace tengen
