"""The findings of the paper, checked on our numbers.

Start at `findings`. Models are compared position by position, resampling games: a claim is confirmed if the interval of
every difference it rests on, at 99 % as in the paper, lies on its side of 0; it fails if one lies on the other side,
and otherwise it is not decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tengen.measure.compare import Comparison
from tengen.measure.intervals import Interval
from tengen.papers.report import Finding
from tengen.papers.sanner import models as m
from tengen.papers.sanner.answers import Answers

Said = Mapping[str, Answers]
Times = Mapping[str, float]

WORDS = {"vertex": "vertex", "net": "net", "surprise": "−log-likelihood", "overconfidence": "overconfidence"}


def findings(said: Said, milliseconds: Times, seconds: Times) -> Iterator[Finding]:
    """Check every finding of the paper."""
    yield from _closed_forms(said)
    yield _faster("BMA-Tree answers at least ten times as fast as a CRF by loopy BP", milliseconds)
    yield _training("Closed forms train faster than gradients, and the CRF by loopy BP is slowest", seconds)
    yield from _couplings(said)
    yield from _confidence(said)
    yield _best_balance(said)


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
    rest = [name for name in (*m.CLOSED_FORMS, m.LOGISTIC, *m.BY_PROPAGATION) if name != m.PATTERN_PW]
    worst = [(name, m.PATTERN_PW, "net") for name in rest]
    yield lower("The pattern CRF trained piecewise has the worst net error under BP", said, worst)
    better = [(m.PATTERN_PW, m.PATTERN_OWN, measure) for measure in ("vertex", "surprise")]
    yield lower("Trained piecewise, a pattern CRF is better with BMA's unaries than with its own", said, better)


def _confidence(said: Said) -> Iterator[Finding]:
    sampled = ((m.BOLTZMANN5, m.BOLTZMANN5_SW, m.BOLTZMANN5_EXACT), (m.CRF_BP, m.CRF_SW, m.CRF_EXACT))
    for under_bp, *unbiased in (*sampled, (m.PATTERN_PW, m.PATTERN_PW_EXACT)):
        for name in unbiased:
            model, _, inference = name.rpartition(" / ")
            claim = f"Unbiased inference repairs part of the net error under BP: {model}, {inference}"
            yield lower(claim, said, [(name, under_bp, "net")])
    for name in (m.BOLTZMANN5, m.CRF_BP, m.PATTERN_SUPW):
        gap = said[name].beyond("overconfidence")
        evidence = f"overconfidence {_signed(gap.difference)} points, three steps or more from every stone"
        yield Finding(f"Under BP it is overconfident in sparse areas: {name}", _side(gap, above=True), evidence)
    for under_bp, sampled_by_sw, _ in sampled:
        claim = f"In sparse areas BP is more overconfident than Swendsen–Wang: {under_bp.rpartition(' / ')[0]}"
        yield lower(claim, said, [(sampled_by_sw, under_bp, "overconfidence")])


def _best_balance(said: Said) -> Finding:
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


def _faster(claim: str, milliseconds: Times) -> Finding:
    bma, crf = milliseconds[m.EXPONENTIAL], min(milliseconds[m.CRF_BP], milliseconds[m.PATTERN_SUPW])
    return Finding(claim, crf >= 10 * bma, f"{bma:.3g} against {crf:.3g} ms per board: {crf / bma:.1f} times as fast")


def _training(claim: str, seconds: Times) -> Finding:
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
