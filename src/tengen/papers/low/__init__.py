"""Low: Learning an Evaluation Function for Go (2008).

Start at `reproduce`, and at `report` for another `Scale`. The games are chosen in data.py, the evaluators learned in
networks.py; positions.py and hand_made.py have the boards of the paper, rare.py its rare weights, owners.py and
subtrees.py its future work, far_ahead.py, pruning.py and checkpoints.py its games; the claims are checked in
findings.py. Figures 3 to 5 are plots without numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.measure.intervals import Interval
from tengen.models.estimate import evaluator_of
from tengen.papers import StageProgress
from tengen.papers.low import far_ahead as f
from tengen.papers.low import findings as check
from tengen.papers.low import networks as n
from tengen.papers.low.answers import Answers
from tengen.papers.low.checkpoints import TrainedRuns, Training, rows_not_trained, why_not_trained
from tengen.papers.low.data import Games, chosen_games, first_positions
from tengen.papers.low.hand_made import SAID, HandMadeAnswers
from tengen.papers.low.owners import Verdicts, verdicts
from tengen.papers.low.positions import BAMBOO, POSITIONS
from tengen.papers.low.pruning import (
    GUIDES,
    SHARES,
    Pruning,
    best_moves,
    chosen_share,
    kept,
    pruning_rows,
    shares_needed,
    standing_row,
    tuned,
)
from tengen.papers.low.published import GAMES
from tengen.papers.low.rare import Nodes, nodes_of
from tengen.papers.report import Finding, Row
from tengen.views.augmented_graph import RELATIONS, augmented_graph

NULLS = {"nothing learned: territory/naive": "territory/naive", "nothing learned: Bouzy's 5/21": "territory/influence"}


@dataclass(frozen=True)
class Scale:
    """The size of the experiments."""

    games: int | None = None
    """Training games of each draw; None for all."""
    draws: int = 3
    test_positions: int = 2000
    chain_positions: int = 6000
    """Training positions whose chains are learned."""
    ahead_positions: int = 20
    ahead_playouts: int = 2000
    judged: int = 5000
    """Playouts that value a move."""
    pruning: Pruning = field(default_factory=Pruning)
    training: Training = field(default_factory=Training)


QUICK = Scale(
    test_positions=300,
    chain_positions=100,
    ahead_positions=6,
    ahead_playouts=200,
    judged=400,
    pruning=Pruning(
        games=2,
        other_games=2,
        playouts=20,
        tuning_games=0,
        seconds=None,
        positions=6,
        searched=200,
        guides=("network",),
        policies=("uniform",),
        plies=(0,),
        levels=(),
    ),
    training=Training(runs=("network", "self-play"), games=4, checkpoints=2, tested=2),
)


def reproduce(
    corpus: Path,
    *,
    labels: str | None,
    games: int | None,
    quick: bool,
    work: Path | None,
    pictures: Path | None,
    progress: StageProgress,
) -> Iterator[Row | Finding]:
    """Learn and compare the evaluators, play their games; yield tables and findings."""
    scale = replace(QUICK if quick else Scale(), games=games)
    chosen = chosen_games(corpus, labels, scale.draws)
    yield from report(chosen, scale, work, pictures, progress, played=quick or work is not None)


def report(
    games: Games,
    scale: Scale,
    work: Path | None,
    pictures: Path | None,
    progress: StageProgress,
    *,
    played: bool = True,
) -> Iterator[Row | Finding]:
    """Yield everything at a given scale; long games only if they are `played`."""

    def tell(stage: str) -> None:
        progress(stage, None)

    with _folder(games, scale, work) as folder:
        answers = Answers(games.held_out("test", scale.test_positions))
        drawn = [n.learned(games, draw, scale.games, folder, tell) for draw in range(scale.draws)]
        answers.ask({name: evaluator_of(model) for name, model in NULLS.items()})
        for models in drawn:
            answers.ask(models)
        yield from _games(games, answers.test, drawn, scale)
        yield from _figure_1()
        positions = HandMadeAnswers(drawn)
        yield from positions.rows()
        yield from _held_out(answers)
        nodes = nodes_of(answers, drawn[0][n.NETWORK], {n.NETWORK: "network", n.MESSAGES: "message network"})
        yield from _rare(nodes)
        yield from _own_stones(answers)
        if pictures is not None:
            from tengen.papers.low import pictures as p

            p.draw_bamboo(pictures)
            for position in POSITIONS:
                p.draw_position(pictures, position, positions.of(position.name))
            p.draw_rare(pictures, {name: nodes.by_visits(name) for name in nodes.errors})
        said = {name: answers.ownership[name][0] for name in (n.NETWORK, n.MESSAGES)}
        train = first_positions(games.training(0, scale.games), scale.chain_positions)
        assert train is not None
        valid = games.held_out("valid", max(10, scale.chain_positions // 10))
        owners = verdicts(train, valid, answers.test, said, tell)
        yield from _chains(owners)
        middle = games.halfway("test", scale.ahead_positions)
        ahead = f.measured(middle, scale.ahead_playouts, scale.judged, folder / "lost", tell)
        yield from _ahead(ahead, scale)
        yield from check.evaluator_findings(answers, nodes)
        yield from check.hand_made_findings(positions.errors, positions.centre)
        yield from check.chain_findings(owners)
        yield from check.ahead_findings(ahead)
        middle = games.halfway("valid", scale.pruning.positions)
        yield from _pruning(middle, drawn[0], scale.pruning, folder, pictures, tell, played)
        yield from _training(games, scale.training, folder if played else None, pictures, tell)


@contextmanager
def _folder(games: Games, scale: Scale, work: Path | None) -> Iterator[Path]:
    """Yield the folder of this corpus and number of games, a temporary one without --work."""
    if work is None:
        with TemporaryDirectory() as folder:
            yield Path(folder)
        return
    store = games.store
    learned = [list(n.configurations(draw)) for draw in range(scale.draws)]
    same = repr((store.path.resolve(), store.shard_games, games.labels, scale.games, learned))
    name = f"{store.path.name}-{games.labels}-{scale.games or 'all'}"
    yield work / f"{name}-{blake2b(same.encode(), digest_size=4).hexdigest()}"


def _games(games: Games, test: Batch, drawn: Sequence[dict[str, Any]], scale: Scale) -> Iterator[Row]:
    title = "Games"
    which = "the last ten positions of each" if games.outcomes else "each position with its own label"
    batches = list(games.training(0, scale.games))
    count = len(np.unique(np.concatenate([batch.games for batch in batches])))
    note = f"labels {games.labels}, {which}; {scale.draws} draws without a common game"
    yield Row(title, "learned from, each draw", GAMES, count, note=note)
    positions = sum(map(len, batches))
    yield Row(title, "positions", 10 * GAMES, positions)
    where = "the last ten" if games.outcomes else "the middle game"
    yield Row(title, "tested on", None, len(np.unique(test.games)), note=f"{len(test):,} positions of {where}")
    yield Row(title, "weights of the network", None, int(drawn[0][n.NETWORK].weights_.size), note="first draw")


def _figure_1() -> Iterator[Row]:
    graph = augmented_graph(BAMBOO)
    title = "Figures 1 and 2: the bamboo joint"
    chains = [graph.sizes[graph.types == colour].tolist() for colour in (1, -1)]
    words = f"{len(chains[0])} black of {' and '.join(map(str, sorted(chains[0], reverse=True)))} stones"
    yield Row(title, "chains", 3, sum(map(len, chains)), note=f"{words}, {len(chains[1])} white of {chains[1][0]}")
    joined = [RELATIONS[relation] for relation in graph.relations.tolist() if relation]
    yield Row(title, "related chains", "a bamboo joint", ", ".join(joined))
    regions = (graph.types == 0) & (graph.sides != 0)
    sizes = " and ".join(str(size) for size in graph.sizes[regions].tolist())
    yield Row(title, "regions of influence", "a picture", int(regions.sum()), note=f"of {sizes} points")


def _held_out(answers: Answers) -> Iterator[Row]:
    title = "Held-out positions: vertex error (%)"
    for name in (*NULLS, *n.NAMES):
        yield _row(title, name, answers.error(name))
    title = "Held-out positions: vertex error minus that of the network, percentage points"
    for name in n.NAMES:
        if name != n.NETWORK:
            yield _row(title, name, answers.gap(name, n.NETWORK))


def _rare(nodes: Nodes) -> Iterator[Row]:
    for name in nodes.errors:
        title = f"Rare weights, {name}: vertex error (%) by visits of a node's rarest weight, first draw"
        for words, found in nodes.by_visits(name).items():
            yield _row(title, words, found, f"{nodes.share(words):.1f} % of the points")


def _own_stones(answers: Answers) -> Iterator[Row]:
    title = "Mean ownership of own stones"
    yield _row(title, "labels", answers.own_stones())
    for name in (*NULLS, *n.NAMES):
        published = "neutral or the opponent's" if name in SAID else None
        found = answers.own_stones(name)
        yield Row(title, name, published, found.value, (found.low, found.high))


def _chains(owners: Verdicts) -> Iterator[Row]:
    title = "Future work: chains whose owner is right (%), first draw"
    for name in owners.right:
        yield _row(title, name, owners.against(name, name).first, owners.notes.get(name, ""))


def _ahead(losses: f.Losses, scale: Scale) -> Iterator[Row]:
    title = f"Points lost per move, {scale.ahead_playouts:,} playouts"
    words = {"ahead": f"{f.AHEAD} points ahead", "even": "even", "behind": f"{f.AHEAD} points behind"}
    for player, condition in losses.lost:
        found = losses.against((player, condition), (player, condition)).first
        yield _row(title, f"{player}, {words[condition]}", found, f"{len(losses.games)} positions")


def _pruning(
    middle: Batch,
    models: dict[str, Any],
    scale: Pruning,
    folder: Path,
    pictures: Path | None,
    tell: n.Tell,
    played: bool,
) -> Iterator[Row | Finding]:
    """Yield the choice of the share and the table, by the message network and then by Low's network."""
    curves: dict[str, dict[str, Interval]] = {}
    tell("pruning: best moves of other games")
    best = best_moves(middle, scale.searched)
    guides = dict(zip(GUIDES, (n.MESSAGES, n.NETWORK), strict=True))
    for words in scale.guides:
        name = guides[words]
        guide = (folder / f"{words.replace(' ', '-')}.safetensors").resolve()
        models[name].save(guide)
        home = folder / "games" / words.replace(" ", "-")
        needed = {}
        for plies in (0, 1):
            tell(f"pruning: what the {words} keeps, {plies}-ply evaluation")
            needed[plies] = shares_needed(best, models[name], plies)
            title = f"Best moves kept by the {words}, {plies}-ply evaluation, on other games (%)"
            curve = {f"{share:g}": kept(needed[plies], share) for share in SHARES}
            curves[f"best moves kept, {words}, {plies}-ply evaluation"] = curve
            yield from (_row(title, each, found) for each, found in curve.items())
        keeps = {}
        for policy in scale.policies_with(words):
            standings = tuned(guide, policy, scale, home, tell) if played else {}
            title = f"Share of moves kept: games won with the {words}, {policy} playouts (%)"
            for share, standing in standings.items():
                yield standing_row(title, f"{share:g}", None, standing, "openings of two random moves")
            if standings:
                curves[f"games won, {words}, {policy} playouts"] = {
                    f"{share:g}": Interval(*(100 * value for value in each.score)) for share, each in standings.items()
                }
            keeps[policy] = chosen_share(standings, needed[0])
        rows = []
        for row in pruning_rows(guide, words, keeps, scale, home if played else None, tell):
            rows.append(row)
            yield row
        for title in dict.fromkeys(row.table for row in rows):
            yield from check.pruning_findings([row for row in rows if row.table == title])
    if pictures is not None:
        from tengen.papers.low.pictures import draw_kept

        draw_kept(pictures, curves)


def _training(
    games: Games, scale: Training, folder: Path | None, pictures: Path | None, tell: n.Tell
) -> Iterator[Row | Finding]:
    reason = why_not_trained(folder)
    if reason or folder is None:
        yield from rows_not_trained(scale, reason)
        return
    runs = TrainedRuns(games, scale, folder, tell)
    for run in scale.runs:
        yield from runs.rows(run)
    positions = HandMadeAnswers([runs.models])
    yield from positions.rows("after training by playing (the positions are ours)")
    yield from runs.findings()
    if pictures is not None:
        from tengen.papers.low.pictures import draw_position, draw_training

        for run, curve in runs.curves.items():
            draw_training(pictures, run, curve.shares)
        for position in POSITIONS:
            draw_position(pictures / "trained", position, positions.of(position.name))


def _row(table: str, name: str, found: Interval, note: str = "") -> Row:
    return Row(table, name, None, found.value, (found.low, found.high), note)
