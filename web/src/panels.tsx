// The panels of an estimate and of candidate moves.

import type { Estimate, Suggestion } from "./api";
import { vertexOf } from "./board";
import type { Strings } from "./strings";

export function Lead({ estimate, text }: { estimate: Estimate; text: Strings }) {
  const who = estimate.lead >= 0 ? text.black : text.white;
  return (
    <section>
      <p class="result">{who} +{Math.abs(estimate.lead).toFixed(1)} <small>± {estimate.lead_sd.toFixed(1)}</small></p>
      <p>{text.winrate}: {(100 * estimate.winrate).toFixed(0)}%</p>
      <meter min={0} max={1} value={estimate.winrate} aria-label={text.winrate} />
      <p class="quiet">{text.legendEstimate} {text.tapPoint}</p>
    </section>
  );
}

const NEUTRAL = 0.25;

/** Who owns a point, and why. */
export function PointCard({ estimate, point, text }: { estimate: Estimate; point: string; text: Strings }) {
  const [x, y] = vertexOf(point, estimate.ownership.length) ?? [0, 0];
  const owner = estimate.ownership[y]?.[x] ?? 0;
  const reasons = estimate.reasons?.[point];
  if (!reasons) return null;
  return (
    <section class="card open point">
      <h2>{point}: {Math.abs(owner) < NEUTRAL ? text.neutral : owner > 0 ? text.black : text.white} {Math.abs(owner).toFixed(2)}</h2>
      <div class="reasons" lang="en"><ul>{reasons.map((reason) => <li key={reason.sentence}>{reason.sentence}</li>)}</ul></div>
    </section>
  );
}

export function Candidates({ moves, text, onPlay }: { moves: Suggestion[]; text: Strings; onPlay: (move: string) => void }) {
  return (
    <section>
      <h2>{text.candidates}</h2>
      <ol class="candidates">
        {moves.map((each) => (
          <li key={each.move}>
            <button type="button" class="row" onClick={() => onPlay(each.move)}>
              <b>{each.move}</b> <span>{(100 * each.p).toFixed(0)}%</span>
              <span class="quiet" lang="en">{each.reasons.map((reason) => reason.sentence).join("; ")}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
