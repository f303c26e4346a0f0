"""The claims of the paper, checked against our numbers.

A difference decides a claim if its 95 % interval is on one side of 0, or of 50 % in a match, where it includes the
choice of the pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tengen.papers.largman.filters import Learned
from tengen.papers.largman.players import CRBM, INVARIANT, TEMPLATES, Outcome
from tengen.papers.largman.published import ITERATIONS
from tengen.papers.largman.winners import Accuracy
from tengen.papers.report import Finding

FROM = 60
"""Training boards from which the order of the features is compared."""


def match_finding(claim: str, found: Outcome) -> Finding:
    """Check that the first player wins."""
    share = found.share
    return Finding(claim, _wins(found), f"{share.value:.0f} % [{share.low:.0f}, {share.high:.0f}]: {found.note}")


def _wins(found: Outcome) -> bool | None:
    """Whether the first player wins; None if that is not decided."""
    share = found.share
    return True if share.low > 50 else False if share.high < 50 else None


def progress_finding(curve: Mapping[int, Outcome], words: str) -> Finding:
    """Check that the learner is ahead of its frozen copy."""
    last = list(curve)[-1]
    games = next((games for games in curve if games >= ITERATIONS), last)
    share, held = curve[games].share, _wins(curve[games])
    later = f"; after {last:,} games {curve[last].share.value:.0f} %"
    said = (
        f"{share.value:.0f} % [{share.low:.0f}, {share.high:.0f}] after {games} games{later if last != games else ''}"
    )
    return Finding(f"the learner consistently beats its former self within {ITERATIONS} games ({words})", held, said)


def filter_finding(found: Mapping[str, list[Learned]]) -> Finding:
    """Check that multinomial filters react more to empty points."""
    many, few = ([one.machine.empty_share for one in found[kind]] for kind in ("multinomial", "real-valued"))
    held = True if min(many) > max(few) else False if max(many) < min(few) else None
    texts = (" and ".join(f"{100 * share:.0f} %" for share in shares) for shares in (many, few))
    return Finding(
        "multinomial filters are more sensitive to empty points than real-valued ones", held, " against ".join(texts)
    )


def winner_findings(tables: Mapping[str, Mapping[str, Accuracy]]) -> Iterator[Finding]:
    """Check the order of the features for every kind of boards."""
    for words, table in tables.items():
        for better, worse, claim in (
            (TEMPLATES, CRBM, "templates tell the winner better than a CRBM"),
            (TEMPLATES, INVARIANT, "templates tell it better than an invariant CRBM"),
            (INVARIANT, CRBM, "invariance improves the CRBM's features for telling the winner"),
        ):
            first, second = table[better], table[worse]
            places = [place for place, size in enumerate(first.sizes) if size >= FROM] or [len(first.sizes) - 1]
            gaps = [first.against(second, place) for place in places]
            held = None
            if all(gap.value > 0 for gap in gaps) and gaps[-1].low > 0:
                held = True
            elif all(gap.value < 0 for gap in gaps) and gaps[-1].high < 0:
                held = False
            last = gaps[-1]
            said = f"{last.value:+.1f} points [{last.low:+.1f}, {last.high:+.1f}] with {first.sizes[-1]} boards"
            yield Finding(f"{claim} ({words})", held, said)
