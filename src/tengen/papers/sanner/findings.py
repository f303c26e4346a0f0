"""The findings of the paper, checked on our numbers.

Start at `findings`. Models are compared position by position, resampling games: a claim is confirmed if the interval of
every difference it rests on, at 99 % as in the paper, lies on its side of 0; it fails if one lies on the other side,
and otherwise it is not decided. A sampler that is far from the exact means has not mixed and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tengen.measure.compare import Comparison
from tengen.measure.intervals import Interval, quantiles
from tengen.papers.report import Finding
from tengen.papers.sanner import models as m
from tengen.papers.sanner.answers import STRICT, Answers, Floats

Said = Mapping[str, Answers]
Times = Mapping[str, float]
BoardTimes = Mapping[str, Floats]

COMPARABLE = 0.1
"""Two errors are comparable if they differ by at most this share."""
MIXED = 0.05
"""A sampler has mixed if its means are on average at most this far from the exact ones."""

WORDS = {
    "vertex": "vertex",
    "net": "net",
    "surprise": "−log-likelihood",
    "joint": "−log-likelihood of boards",
    "overconfidence": "overconfidence",
}


def findings(said: Said, milliseconds: BoardTimes, seconds: Times) -> Iterator[Finding]:
    """Check every finding of the paper."""
    yield from _closed_forms(said)
    yield faster("BMA-Tree answers at least ten times as fast as a CRF by loopy BP", milliseconds)
    yield training("Closed forms train faster than gradients, and the CRF by loopy BP is slowest", seconds)
    yield from _couplings(said)
    yield from _confidence(said)
    yield best_balance(said)


def _closed_forms(said: Said) -> Iterator[Finding]:
    others = [name for name in m.CLOSED_FORMS if name != m.EXPONENTIAL]
    claim = "BMA-Tree exponential has the lowest vertex error of the models trained without gradients"
    yield lower(claim, said, [(m.EXPONENTIAL, name, "vertex") for name in others])
    order = [(m.EXPONENTIAL, m.UNIFORM, "surprise"), (m.UNIFORM, m.LARGEST, "surprise")]
    yield lower(
        "The exponential prior is likelier than the uniform one, and that than the largest pattern", said, order
    )
    trade = [(m.LOGISTIC, m.EXPONENTIAL, "vertex"), (m.EXPONENTIAL, m.LOGISTIC, "net")]
    yield lower("Logistic regression has a lower vertex error than closed forms, but a worse net error", said, trade)


def _couplings(said: Said) -> Iterator[Finding]:
    coupled = (
        ("Boltzmann5 against BMA", m.BOLTZMANN5, m.EXPONENTIAL),
        ("shared-unary piecewise", m.PATTERN_SUPW, m.EXPONENTIAL),
        ("pseudolikelihood, Edge", m.PATTERN_EDGE, m.LOGISTIC),
    )
    for how, crf, alone in coupled:
        claim = f"Coupling lowers vertex error, but raises net error under BP ({how})"
        yield lower(claim, said, [(crf, alone, "vertex"), (alone, crf, "net")])
    poor = [(name, m.PATTERN_PW, "net") for name in (*m.CLOSED_FORMS, m.LOGISTIC)]
    claim = "Trained piecewise, a pattern CRF has a poor net error under BP: higher than all models without couplings"
    yield lower(claim, said, poor)
    for measure in ("vertex", "net"):
        claim = f"A CRF trained by maximum likelihood is comparable with Boltzmann5: {WORDS[measure]}"
        yield within(claim, said, m.CRF_BP, m.BOLTZMANN5, measure)
    for how, crf in (("Boltzmann5", m.BOLTZMANN5), ("shared-unary piecewise", m.PATTERN_SUPW)):
        claim = f"A lower −log-likelihood can go with a higher net error under BP ({how} against BMA)"
        yield lower(claim, said, [(crf, m.EXPONENTIAL, "joint"), (m.EXPONENTIAL, crf, "net")])
    better = [(m.PATTERN_PW, m.PATTERN_OWN, measure) for measure in ("vertex", "surprise")]
    yield lower("Trained piecewise, a pattern CRF is better with BMA's unaries than with its own", said, better)


def _confidence(said: Said) -> Iterator[Finding]:
    sampled = ((m.BOLTZMANN5, m.BOLTZMANN5_SW, m.BOLTZMANN5_EXACT), (m.CRF_BP, m.CRF_SW, m.CRF_EXACT))
    for under_bp, *unbiased in (*sampled, (m.PATTERN_PW, m.PATTERN_PW_EXACT)):
        for name in unbiased:
            model, _, inference = name.rpartition(" / ")
            claim = f"Unbiased inference repairs part of the net error under BP: {model}, {inference}"
            yield if_mixed(lower(claim, said, [(name, under_bp, "net")]), said, name)
    for name in (m.BOLTZMANN5, m.CRF_BP, m.PATTERN_SUPW):
        gap = said[name].beyond("overconfidence")
        evidence = f"overconfidence {_signed(gap.difference)} points, three steps or more from every stone"
        yield Finding(f"Under BP it is overconfident in sparse areas: {name}", _side(gap, above=True), evidence)
    for under_bp, sampled_by_sw, _ in sampled:
        claim = f"In sparse areas BP is more overconfident than Swendsen–Wang: {under_bp.rpartition(' / ')[0]}"
        yield if_mixed(lower(claim, said, [(sampled_by_sw, under_bp, "overconfidence")]), said, sampled_by_sw)


def best_balance(said: Said) -> Finding:
    """Check that no model beats playouts in both errors."""
    playouts = said[m.MONTE_CARLO]
    beaten: list[str] = []
    near: list[str] = []
    for name in (*m.CLOSED_FORMS, m.LOGISTIC, *m.BY_PROPAGATION):
        sides = [_side(said[name].against(playouts, measure), above=False) for measure in ("vertex", "net")]
        beaten += [name] if all(sides) else []
        near += [name] if None in sides and False not in sides else []
    held = False if beaten else None if near else True
    words = (
        f"beaten in both by {'; '.join(beaten)}" if beaten else f"in both perhaps by {'; '.join(near)}" if near else ""
    )
    numbers = f"vertex {playouts.mean('vertex').value:.2f} %, net {playouts.mean('net').value:.2f} %"
    claim = "Monte Carlo has the best balance: no model beats both its vertex and its net error"
    return Finding(claim, held, f"{numbers}; {words or 'no model does'}")


def lower(claim: str, said: Said, pairs: Sequence[tuple[str, str, str]]) -> Finding:
    """Check that the first of each pair has the lower measure; report the differences of the most important pairs."""
    found = [(pair, said[pair[0]].against(said[pair[1]], pair[2])) for pair in pairs]
    sides = [_side(comparison, above=False) for _, comparison in found]
    held = False if False in sides else None if None in sides else True
    shown = [entry for entry, side in zip(found, sides, strict=True) if side is held]
    shown = sorted(shown, key=lambda entry: -entry[1].difference.value)[:2]  # the closest, or the worst
    return Finding(claim, held, "; ".join(_words(*pair, comparison) for pair, comparison in shown))


def within(claim: str, said: Said, first: str, second: str, measure: str) -> Finding:
    """Check that two models differ by at most a tenth of the second's measure."""
    found = said[first].against(said[second], measure)
    reach, (_, low, high) = COMPARABLE * found.second.value, found.difference
    held = True if -reach <= low <= high <= reach else False if low > reach or high < -reach else None
    return Finding(claim, held, f"{_words(first, second, measure, found)}; comparable within ±{reach:.2g}")


def if_mixed(finding: Finding, said: Said, sampled: str) -> Finding:
    """Return a finding that rests on a sampler, undecided if its means are far from the exact ones."""
    exact = {m.BOLTZMANN5_SW: m.BOLTZMANN5_EXACT, m.CRF_SW: m.CRF_EXACT}.get(sampled)
    if exact is None:
        return finding
    draws = zip(said[sampled].draws("ownership"), said[exact].draws("ownership"), strict=True)
    far = float(np.nanmean([np.abs(one - other) for one, other in draws]))
    if far <= MIXED:
        return finding
    said_so = f"the sampler has not mixed: its means are {far:.2f} from the exact ones; {finding.evidence}"
    return Finding(finding.claim, None, said_so)


def faster(claim: str, milliseconds: BoardTimes) -> Finding:
    """Compare the medians over boards, with an interval by resampling boards."""
    bma = milliseconds[m.EXPONENTIAL]
    crf = min((milliseconds[name] for name in (m.CRF_BP, m.PATTERN_SUPW)), key=np.median)
    random = np.random.default_rng(0)
    tops, bottoms = (np.median(random.choice(each, (4000, len(each))), axis=1) for each in (crf, bma))
    ratio, (low, high) = float(np.median(crf) / np.median(bma)), quantiles(tops / bottoms, STRICT.confidence)
    held = True if low >= 10 else False if high < 10 else None
    numbers = f"{np.median(bma):.3g} against {np.median(crf):.3g} ms per board"
    return Finding(claim, held, f"{numbers}: {ratio:.1f} [{low:.1f}, {high:.1f}] times as fast")


def training(claim: str, seconds: Times) -> Finding:
    """Compare times for the same positions: the time for couplings is scaled up from a sample."""
    closed = max(seconds[name] for name in (m.LARGEST, m.EXPONENTIAL, m.PATTERN_PW))
    gradients = [seconds[name] for name in (m.LOGISTIC, m.PATTERN_PL)]
    slowest = seconds[m.CRF_BP]
    held = closed < min(gradients) and max(gradients) < slowest
    most = f"closed forms {closed:,.0f} s at most, gradients {min(gradients):,.0f} to {max(gradients):,.0f} s"
    evidence = f"{most}, the CRF by loopy BP {slowest:,.0f} s, scaled to all positions"
    return Finding(claim, held, evidence)


def _side(comparison: Comparison, *, above: bool) -> bool | None:
    """Return whether the difference is on the claimed side of 0; None if its interval contains 0."""
    if not comparison.clear:
        return None
    return (comparison.difference.value > 0) is above


def _words(first: str, second: str, measure: str, comparison: Comparison) -> str:
    means = f"{comparison.first.value:.3g} against {comparison.second.value:.3g}".replace("-", "−")
    return f"{WORDS[measure]} {means}: {_signed(comparison.difference)} ({first}, {second})"


def _signed(gap: Interval) -> str:
    numbers = [f"{value:+.2g}".replace("-", "−") for value in gap]
    return f"{numbers[0]} [{numbers[1]}, {numbers[2]}]"
