"""Models of patterns: counts, tree averages by enumeration, what they say and what they refuse."""

import dataclasses
import math

import numpy as np
import pytest

import tengen
from models.boards import EXAMPLES
from models.learning import Positions, positions, taught
from tengen._core import PatternTable
from tengen.errors import ModelError, TengenError
from tengen.territory import compact
from tengen.territory.bma import BmaTree, log_gamma
from tengen.territory.counts import UNIT, LevelCounts, PatternCounts, count_boards
from tengen.territory.harvest import count_data
from tengen.territory.logistic import Logistic
from tengen.territory.patterns import Largest, Shrunk, Smallest
from tengen.views.patterns import pattern_keys, template_offsets
from tests.naive import pattern as naive


def toy(seed=0, boards=12, size=4):
    """Random little boards with random owners, some of them unknown."""
    random = np.random.default_rng(seed)
    stones = random.choice(np.array([-1, 0, 1], np.int8), size=(boards, size, size), p=[0.2, 0.6, 0.2])
    owners = random.integers(-100, 101, stones.shape) / 100
    owners[random.random(stones.shape) < 0.1] = np.nan
    return Positions(stones, owners, np.ones(boards))


def events(data, templates):
    """Every labelled point: its keys, its signs, what it adds to Black."""
    keys, signs = pattern_keys(data.boards, templates)
    known = np.isfinite(data.targets)
    return keys[known], signs[known], (1 + data.targets[known]) / 2


def test_counts_are_those_of_the_events_one_by_one():
    data = toy()
    keys, signs, black = events(data, 5)
    table = count_data([data], templates=5, min_count=0)
    assert table.keys.tolist() == sorted(set(keys.ravel().tolist()))
    for entry in range(len(table)):
        level = int(table.level[entry]) - 1
        met = keys[:, level] == table.keys[entry]
        sign = signs[met, level]
        share = np.where(sign > 0, black[met], np.where(sign < 0, 1 - black[met], 0.5))
        assert math.isclose(table.black[entry], share.sum(), abs_tol=1e-9)
        assert math.isclose(table.black[entry] + table.white[entry], met.sum(), abs_tol=1e-9)
        if level:
            assert table.keys[table.parent[entry]] == keys[met, level - 1][0]
            assert table.relation[entry] == sign[0] * signs[met, level - 1][0]
        assert table.neutral[entry] == (sign[0] == 0)


def test_a_pattern_that_stays_is_counted_once():
    whole = [tengen.read(path) for path in EXAMPLES if "9x9" in path.name][:2]
    games = [[game.board(turn).stones for turn in range(0, 24, 3)] for game in whole]
    owners = [np.where(game.board().playouts(16, seed=1).ownership > 0, 1.0, -1.0) for game in whole]
    assert games
    boards, number = np.concatenate(games), np.repeat(np.arange(len(games)), 8)
    targets = np.repeat(owners, 8, axis=0)
    for level, counts in enumerate(count_boards(boards, targets, templates=4, games=number), start=1):
        found = np.stack([counts.black, counts.white, counts.met], 1) / UNIT
        met = sorted((*sorted(row[:2]), row[2]) for row in found.tolist())
        assert met == naive.counted(games, owners, level, 4)
    again = count_boards(boards[[0, 0, 0]], targets[[0, 0, 0]], templates=4, games=np.array([0, 0, 1]))
    assert sum(level.black.sum() + level.white.sum() for level in again) == 4 * 2 * UNIT * boards[0].size


def test_batches_add_up_and_rare_patterns_go():
    one, other = toy(1), toy(2)
    both = Positions(*(np.concatenate([getattr(one, k), getattr(other, k)]) for k in ("boards", "targets", "weights")))
    parts, whole = count_data([one, other], templates=6), count_data([both], templates=6)
    for name in ("keys", "level", "parent", "relation", "neutral", "black", "white"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name))
    assert (whole.black + whole.white >= 3).all()


def test_weights_count_and_hard_labels_go_by_sign():
    data = toy()
    twice = Positions(data.boards, data.targets, 2 * data.weights)
    assert np.array_equal(
        count_data([twice], templates=3, min_count=0).black, 2 * count_data([data], templates=3, min_count=0).black
    )
    signs = Positions(data.boards, np.sign(data.targets), data.weights)
    hard = count_data([data], templates=3, min_count=0, hard=True)
    assert np.array_equal(hard.black, count_data([signs], templates=3, min_count=0).black)


def test_fewer_templates_are_those_counted_alone():
    cut, alone = count_data([toy()], templates=7).up_to(3), count_data([toy()], templates=3)
    for name in ("keys", "level", "parent", "relation", "neutral", "black", "white"):
        assert np.array_equal(getattr(cut, name), getattr(alone, name))


def test_a_class_without_its_parent_is_noticed():
    data = toy()
    levels = count_boards(data.boards, data.targets, templates=3)
    with pytest.raises(TengenError, match="has no parent"):
        PatternCounts.joined([levels[0], levels[1].take(slice(0, 1)), levels[2]])


def test_a_class_met_more_often_than_its_parent_is_noticed():
    data = toy()
    one, two = count_boards(data.boards, data.targets, templates=2)
    more = LevelCounts(two.keys, two.parents, two.relation, two.neutral, two.black + 10**9, two.white, two.met)
    with pytest.raises(TengenError, match="more counts than its parent"):
        PatternCounts.joined([one, more])


# The tree average, by listing the trees and sorting every event into their leaves.


def leaf_evidence(model, black, white, neutral):
    count = black + white
    if neutral:
        return count * math.log(0.5)
    if model.evidence == "ml":
        return sum(x * math.log(x / count) for x in (black, white) if x > 1e-12)
    a = model.smoothing
    return (
        math.lgamma(black + a) + math.lgamma(white + a) - math.lgamma(count + 2 * a)
        - 2 * math.lgamma(a) + math.lgamma(2 * a)
    )  # fmt: skip


def brute_force(model, data, keys, signs):
    """The ownership of a point with these keys and signs, all of them known."""
    seen, seen_signs, black = events(data, len(keys))
    depth = np.cumprod(seen == keys, axis=1).sum(axis=1)  # how many templates each event shares with the point

    def counts(rows, level):
        if level == 0:
            return rows.sum() / 2, rows.sum() / 2, True
        same = seen_signs[rows, level - 1] * signs[level - 1]
        share = np.where(same > 0, black[rows], np.where(same < 0, 1 - black[rows], 0.5))
        return share.sum(), rows.sum() - share.sum(), signs[level - 1] == 0

    log_weights, values = [], []
    for j in range(len(keys) + 1):
        leaves = [counts(depth == i, i) for i in range(j)] + [counts(depth >= j, j)]
        evidence = sum(leaf_evidence(model, *leaf) for leaf in leaves)
        prior = 0 if model.prior == "uniform" else -model.kappa * (2 * j + 1)
        log_weights.append(evidence / model.tempering + prior)
        b, w, neutral = counts(depth >= j, j)
        centre = averaged(log_weights[:-1], values) if j and model.centre == "parent" else 0.0
        values.append(0.0 if neutral else (b - w + 2 * model.smoothing * centre) / (b + w + 2 * model.smoothing))
    return averaged(log_weights, values)


def averaged(log_weights, values):
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return float(weights @ values / weights.sum())


@pytest.mark.parametrize("evidence", ["ml", "beta"])
@pytest.mark.parametrize("prior", ["uniform", "exponential"])
@pytest.mark.parametrize("tempering", [1.0, 10.0])
@pytest.mark.parametrize("centre", ["half", "parent"])
def test_the_tree_average_is_that_of_all_trees_listed(evidence, prior, tempering, centre):
    settings = {"evidence": evidence, "prior": prior, "tempering": tempering, "centre": centre}
    data = toy(boards=6)
    model = BmaTree(templates=5, min_count=0, smoothing=0.5, **settings).fit([data])
    keys, signs = pattern_keys(data.boards, 5)
    known = np.isfinite(data.targets)
    said = model.ownership_many(data.boards)
    for place in list(zip(*np.nonzero(known), strict=True))[::3]:
        assert math.isclose(said[place], brute_force(model, data, keys[place], signs[place]), abs_tol=1e-6)


def test_weights_of_the_trees_give_the_answer():
    model, board = taught("territory/bma"), tengen.read("examples/finished-9x9.sgf").board(40)
    model = BmaTree(centre="half").fit(positions())
    found = model.matches(board, "E5")
    weights = model.weights(found)
    assert math.isclose(sum(weights), 1, abs_tol=1e-12)
    own = [(m.black - m.white) / (m.black + m.white + 2 * model.smoothing) * (not m.neutral) for m in found]
    said = float(model.ownership(board)[tengen.point("E5", 9)])
    assert math.isclose(said, np.dot(weights[1:], own), abs_tol=1e-4)


def test_log_gamma_is_right():
    x = np.concatenate([np.linspace(0.1, 30, 200), np.logspace(2, 9, 50)])
    assert np.allclose(log_gamma(x), [math.lgamma(v) for v in x], rtol=1e-12, atol=1e-12)


# What they say.


def test_the_smallest_pattern_says_nothing_of_an_empty_point():
    board = tengen.read("examples/finished-9x9.sgf").board(30)
    said = Smallest(templates=1).fit(positions()).ownership(board)
    assert (said[board.stones == 0] == 0).all()
    assert (said * board.stones >= 0).all()
    assert len({abs(v) for v in said[board.stones != 0].tolist()}) == 1


def test_the_largest_pattern_is_the_share_of_its_games():
    # One board, one label for every point: whatever is known says so, but for shapes that are their own reversal.
    stones = np.zeros((1, 5, 5), np.int8)
    stones[0, 2, 2] = 1
    data = Positions(stones, np.ones(stones.shape), np.ones(1))
    said = Largest(min_count=0, smoothing=0).fit([data]).ownership_many(stones)[0]
    assert said[2, 2] == 1
    assert said[0, 0] == 1  # T8 in the corner sees the stone in the middle
    assert said[1, 2] == 1


def test_drawing_to_the_parent_without_strength_is_the_largest_pattern():
    shrunk, largest = Shrunk(strength=0, min_count=1).fit([toy()]), Largest(smoothing=0, min_count=1).fit([toy()])
    assert np.allclose(shrunk.values_, largest.values_, atol=1e-7)


def test_regression_lowers_the_loss_and_keeps_colours():
    data = positions()
    before, after = Logistic(epochs=0).fit(data), Logistic(epochs=8).fit(data)

    def loss(model):
        p = (1 + np.clip(model.ownership_many(data[0].boards), -0.9999, 0.9999)) / 2
        q = (1 + data[0].targets) / 2
        return -(q * np.log(p) + (1 - q) * np.log(1 - p)).mean()

    assert loss(after) < loss(before)


def test_reasons_name_the_patterns_with_counts_and_weights():
    board = tengen.read("examples/finished-9x9.sgf").board(40)
    reasons = taught("territory/bma").explain(board, "E5")
    assert {reason.kind for reason in reasons} == {"pattern"}
    assert reasons[0].points == ("E5",)
    assert len(reasons[1].points) == len(template_offsets(2))
    assert "E5 alone looked like this" in reasons[0].sentence
    assert "of the weight." in reasons[-1].sentence
    assert "the largest known pattern" in taught("territory/largest").explain(board, "E5")[-1].sentence
    assert "favours" in taught("territory/logistic").explain(board, "E5")[-1].sentence


# Small tables.


def pruned_naively(counts, values, most):
    """Leave out the class that tells least, again and again, never a parent of one that stays."""
    share = lambda value: np.clip((1 + value) / 2, 1e-4, 1 - 1e-4)  # noqa: E731
    told = []
    for i in range(len(counts)):
        up = counts.parent[i]
        p, q = share(values[i]), share(counts.relation[i] * values[up] if up >= 0 else 0.0)
        told.append((counts.black[i] + counts.white[i]) * (p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))))
    kept = set(range(len(counts)))
    while len(kept) > most:
        leaves = kept - {counts.parent[i] for i in kept}
        kept.remove(min(leaves, key=lambda i: told[i]))
    return kept


def test_a_small_table_keeps_the_patterns_that_tell_most():
    counts = count_data([toy(boards=40)], templates=6, min_count=1)
    model = BmaTree(templates=6).fit_counts(counts)
    values = model.values_.astype(float)
    rows = set(compact.telling(counts, values, 300).tolist())
    naive = pruned_naively(counts, values, 300)
    assert 200 < len(rows) <= 300
    assert rows - naive == set() or len(rows - naive) <= 0.1 * len(rows)  # ties and order of leaving differ a little
    assert all(counts.parent[i] < 0 or counts.parent[i] in rows for i in rows)


@pytest.mark.parametrize("kind", [Largest, Shrunk, BmaTree, Logistic])
def test_a_packed_table_with_room_for_all_says_the_same(kind, tmp_path):
    boards = np.concatenate([part.boards for part in positions() if part.boards.shape[1] == 9])
    whole, packed = kind().fit(positions()), kind(most=10**9).fit(positions())
    assert len(packed.keys_) == len(whole.keys_)
    assert np.abs(packed.ownership_many(boards) - whole.ownership_many(boards)).max() <= 0.5 / 127 + 1e-6
    packed.save(tmp_path / "packed.safetensors")
    again = tengen.load(tmp_path / "packed.safetensors")
    assert np.array_equal(again.ownership_many(boards), packed.ownership_many(boards))
    board = tengen.Board.from_stones(boards[-1])
    for one, other in zip(packed.matches(board, "E5"), whole.matches(board, "E5"), strict=True):
        assert one.template == other.template
        assert 1 + one.black == pytest.approx(1 + other.black, rel=0.05)  # packed by steps of log(1 + count)


def test_of_patterns_with_equal_packed_keys_the_commonest_stays():
    counts = count_data([toy()], templates=3, min_count=1)
    keys = counts.keys.copy()
    common, rare = np.argsort(-(counts.black + counts.white))[[1, -1]]
    keys[rare] = keys[common] ^ np.uint64(1)
    twins = dataclasses.replace(counts, keys=keys)
    rows = compact.telling(twins, Largest().fit_counts(counts).values_.astype(float), 10**9)
    assert common in rows
    assert rare not in rows
    assert len(rows) == len(counts) - 1


def test_only_the_upper_bits_of_keys_are_compared():
    keys = np.array([1 << 40, 3 << 40], np.uint64)
    table = PatternTable(keys, np.zeros(2, np.float32), 32)
    assert table.find(keys + np.uint64(5)).tolist() == [0, 1]
    assert table.find(keys + np.uint64(1 << 33)).tolist() == [-1, -1]
    assert PatternTable(keys, np.zeros(2, np.float32)).find(keys + np.uint64(5)).tolist() == [-1, -1]
    with pytest.raises(ValueError, match="32 to 64"):
        PatternTable(keys, np.zeros(2, np.float32), 31)


# What they refuse.


def test_a_model_that_has_learned_nothing_says_how_to_teach_it():
    with pytest.raises(ModelError, match="tengen fit territory/bma"):
        BmaTree().ownership(tengen.Board(9))


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(TengenError, match="no labelled position"):
        BmaTree().fit([])


@pytest.mark.parametrize(
    "settings",
    [{"prior": "flat"}, {"evidence": "mdl"}, {"tempering": 0}, {"labels": "odd"}, {"templates": 15}, {"most": 0}],
)
def test_settings_that_mean_nothing_are_refused(settings):
    with pytest.raises(TengenError):
        BmaTree(**settings)


@pytest.mark.parametrize("name", ["keys_", "values_", "black_"])
def test_a_file_with_broken_arrays_is_no_model(name, tmp_path):
    model = Largest().fit(positions())
    setattr(model, name, getattr(model, name)[::-1].copy() if name == "keys_" else getattr(model, name)[:-1].copy())
    model.save(tmp_path / "broken.safetensors")
    with pytest.raises(ModelError, match="not a table of patterns"):
        tengen.load(tmp_path / "broken.safetensors")


def test_values_that_are_no_ownership_are_refused(tmp_path):
    model = Largest().fit(positions())
    model.values_ = model.values_ * np.float32("nan")
    model.save(tmp_path / "broken.safetensors")
    with pytest.raises(ModelError, match="not an ownership"):
        tengen.load(tmp_path / "broken.safetensors")
