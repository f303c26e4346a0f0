"""The positions of a training run and what they learn."""

import numpy as np
import pytest

import tengen
from engines.processes import GTP, needs_gnugo
from tengen.errors import EngineError, TengenError
from tengen.go.counting import find_territory
from tengen.search.match import Contestant
from tengen.search.plies import afterstates, read, shares
from tengen.territory.fate_net import FateNet
from tengen.training.learner import learner_of
from tengen.training.lessons import AgainstEngine, Finals, Play, SelfPlay
from training.toy import ToyLearner, passer

SMALL = Play(size=5)


def test_a_position_learns_what_the_engine_sees_two_moves_later(tmp_path):
    lesson = AgainstEngine(passer(tmp_path), SMALL).lesson(0, ToyLearner())
    n = len(lesson.stones) - 1
    assert n > 6
    assert not lesson.stones[0].any()
    for k in range(n - 2):
        seen = np.clip(lesson.stones[k + 2] - (k + 2) / 100, -1, 1)
        assert np.allclose(lesson.targets[k], seen, atol=1e-6)


def test_the_last_positions_learn_the_final_status(tmp_path):
    lesson = AgainstEngine(passer(tmp_path), SMALL).lesson(0, ToyLearner())
    last = lesson.stones[-1]
    assert np.array_equal(lesson.targets[-3:], [last + find_territory(last)[0]] * 3)
    facts = {"colour": "black", "score": 1.0, "result": "B+3.5", "moves": len(lesson.stones) - 1}
    assert lesson.facts == facts


def test_after_a_resignation_they_learn_what_the_engine_saw_last(tmp_path):
    lesson = AgainstEngine(passer(tmp_path, "resign"), Play(size=5, temperature=0)).lesson(1, ToyLearner())
    assert lesson.facts == {"colour": "white", "score": 1.0, "result": "W+R", "moves": 4}
    assert np.allclose(lesson.targets[-3:], np.clip(lesson.stones[-1] - 0.04, -1, 1))


def test_colours_alternate_and_every_game_has_its_own_moves(tmp_path):
    games, learner = AgainstEngine(passer(tmp_path), SMALL), ToyLearner()
    first, second, third = (games.lesson(number, learner) for number in (0, 1, 2))
    assert [game.facts["colour"] for game in (first, second, third)] == ["black", "white", "black"]
    assert first.stones[1].any()
    assert not second.stones[1].any()
    assert not np.array_equal(first.stones[:4], third.stones[:4])
    again = games.lesson(2, learner)
    assert np.array_equal(again.stones, third.stones)
    assert np.array_equal(again.targets, third.targets)


@pytest.mark.parametrize(
    ("habit", "said"), [("die", "ended while"), ("hang", "did not answer in time"), ("copy", "the engine played")]
)
def test_an_engine_that_fails_is_an_error(tmp_path, habit, said):
    greedy = Play(size=5, temperature=0)
    with pytest.raises(EngineError, match=said):
        AgainstEngine(passer(tmp_path, habit), greedy, patience=0.5 if habit == "hang" else 20).lesson(0, ToyLearner())


def test_an_engine_that_cannot_teach_is_refused():
    double = f"gtp:{' '.join(GTP)} genmove play clear_board"
    for text, said in (("gtp:no-such-program", "cannot teach"), (double, "does not know initial_influence")):
        with pytest.raises(EngineError, match=said):
            AgainstEngine(Contestant(text), SMALL).check()


def test_in_self_play_a_position_learns_the_answer_one_move_later():
    learner = ToyLearner()
    learner.bias[:] = np.linspace(-1, 1, 25).reshape(5, 5)
    lesson = SelfPlay(SMALL).lesson(3, learner)
    assert np.allclose(lesson.targets[:-1], np.tanh(lesson.stones[1:] + learner.bias))
    last = lesson.stones[-1]
    assert np.array_equal(lesson.targets[-1], last + find_territory(last)[0])
    assert np.abs(lesson.targets[-1]).mean() > 0.8
    lead = float(lesson.targets[-1].sum()) - 7.5
    assert lesson.facts["result"] == f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def test_self_play_passes_only_without_another_move():
    lesson = SelfPlay(SMALL).lesson(0, ToyLearner())
    same = [k for k in range(1, len(lesson.stones)) if np.array_equal(lesson.stones[k - 1], lesson.stones[k])]
    assert same[-2:] == [len(lesson.stones) - 2, len(lesson.stones) - 1]
    for k in same:
        board = tengen.Board.from_stones(lesson.stones[k], to_play="black" if k % 2 else "white")
        moves = afterstates([board]).moves
        assert moves.tolist() == [25] or len(moves) <= 2  # a ko at most: the history of the board is not here


def test_games_that_repeat_themselves_end():
    games = SelfPlay(Play(size=2))
    moves = [games.lesson(number, ToyLearner(2)).facts["moves"] for number in range(10)]
    assert max(moves) == 3 * 2**2


def test_moves_are_drawn_by_their_values():
    board, learner, random = tengen.Board(5), ToyLearner(), np.random.default_rng(0)
    learner.bias[:], learner.bias[2, 2] = 0.9, 0
    reading = read(board, learner, 1)
    best = reading.moves[reading.order[0]]

    def share(**how):
        play = Play(size=5, **how)
        return np.mean([play.draw(board, learner, random, may_pass=True) == best for _ in range(400)])

    assert best == "C3"
    assert share(temperature=0) == 1
    for temperature in (8, 0.3):
        wanted = shares(25 * reading.values, temperature)[reading.order[0]]
        assert abs(share(temperature=temperature) - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / 400) + 1e-9
    assert abs(share(temperature=0, epsilon=0.5) - (0.5 + 0.5 / 26)) < 0.1


def test_the_ends_of_games_learn_the_owners_of_the_final_position():
    games = [tengen.read(f"examples/{name}.sgf") for name in ("finished-9x9", "unsafe-9x9", "finished-13x13")]
    finals = Finals(games, positions=4, teacher="territory/naive", seed=1)
    lessons = [finals.lesson(number, ToyLearner()) for number in range(6)]
    for half in (lessons[:3], lessons[3:]):  # every game once in each pass
        assert sorted(lesson.facts["moves"] for lesson in half) == sorted(map(len, games))
        assert [len(lesson.stones) for lesson in half] == [4, 4, 4]
        assert sorted(lesson.stones.shape[1] for lesson in half) == [9, 9, 13]
    thirteen = next(lesson for lesson in lessons if lesson.stones.shape[1] == 13)
    assert np.array_equal(thirteen.stones[-1], games[2].board().stones)
    assert np.array_equal(thirteen.stones[0], games[2].board(len(games[2]) - 3).stones)
    owners = tengen.load("territory/naive").ownership(games[2].board())
    assert all(np.array_equal(target, owners) for target in thirteen.targets)


def test_other_records_are_another_run():
    first = tengen.read("examples/finished-9x9.sgf")
    other = tengen.read("examples/finished-9x9.sgf")
    move = other.main_line()[1]
    key = "B" if "B" in move else "W"
    move.set(key, "aa")
    assert len(first) == len(other)
    described = [Finals([game], teacher="territory/naive").described() for game in (first, other)]
    assert described[0] != described[1]


def test_bad_conditions_are_refused():
    for how in ({"size": 1}, {"temperature": -1}, {"epsilon": 2}, {"plies": 3}, {"seed": -1}):
        with pytest.raises(TengenError):
            Play(**how)
    with pytest.raises(TengenError, match="no games"):
        Finals([])


@needs_gnugo
def test_gnu_go_teaches_while_it_plays():
    game = AgainstEngine(Contestant("gnugo:level=1"), Play(size=7, temperature=0.01))
    game.check()
    learner = learner_of(FateNet())
    lesson = game.lesson(1, learner)
    assert lesson.facts["result"].startswith("B+")
    assert lesson.facts["score"] == 0.0
    assert np.abs(lesson.targets).max() <= 1
    assert lesson.targets[-1].sum() > 20  # Black's: GNU Go won
    assert lesson.turns.tolist() == [1, -1] * (len(lesson.turns) // 2) + [1] * (len(lesson.turns) % 2)
    assert learner.learn(lesson.stones, lesson.targets, np.ones_like(lesson.targets), lesson.turns) > 0
    again = game.lesson(1, learner_of(FateNet()))
    assert np.array_equal(again.stones, lesson.stones)
    assert np.array_equal(again.targets, lesson.targets)
