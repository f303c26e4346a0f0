// Parts of the panel beside the board.

import type { Estimate, Mark, Score, Suggestion, Verdict } from "./api";
import type { Strings } from "./strings";

const signed = (value: number) => (Number.isInteger(value) ? `${value}` : value.toFixed(1));

export function CountTable({ score, text }: { score: Score; text: Strings }) {
  const sum = (colour: "black" | "white") => score.lines.reduce((total, line) => total + line[colour], 0);
  return (
    <table class="count">
      <thead>
        <tr><td /><th scope="col">{text.black}</th><th scope="col">{text.white}</th></tr>
      </thead>
      <tbody>
        {score.lines.map((line) => (
          <tr key={line.label}>
            <th scope="row">{text.lines[line.label] ?? line.label}</th>
            <td>{signed(line.black)}</td>
            <td>{signed(line.white)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr><th scope="row">{text.total}</th><td>{signed(sum("black"))}</td><td>{signed(sum("white"))}</td></tr>
      </tfoot>
    </table>
  );
}

interface GroupProps {
  verdict: Verdict;
  colour: string;
  marks: Record<string, Mark>;
  open: boolean;
  text: Strings;
  onOpen: () => void;
  onMark: (status: Mark) => void;
}

/** A group with its verdict; opened, the reasons and a choice of its fate. */
export function GroupCard({ verdict, colour, marks, open, text, onOpen, onMark }: GroupProps) {
  const own = verdict.points.some((point) => marks[point]);
  const sure = own ? text.marked : verdict.p === 1 ? "100%" : `${Math.min(99.9, verdict.p * 100).toFixed(verdict.p > 0.995 ? 1 : 0)}%`;
  return (
    <li class={open ? "card open" : "card"}>
      <button type="button" class="row" aria-expanded={open} onClick={onOpen}>
        <span class={`badge ${verdict.status}`}>{text[verdict.status]}</span>
        <span>{colour} {verdict.points[0]} ({verdict.points.length})</span>
        <span class="quiet">{sure}</span>
      </button>
      {open && (
        <div class="reasons">
          <ul lang="en">{verdict.reasons.map((reason) => <li key={reason.sentence}>{reason.sentence}</li>)}</ul>
          <div class="choice" role="group">
            {(["alive", "dead", "seki"] as Mark[]).map((status) => (
              <button key={status} type="button" aria-pressed={verdict.status === status} onClick={() => onMark(status)}>
                {text[status]}
              </button>
            ))}
          </div>
        </div>
      )}
    </li>
  );
}

export function Lead({ estimate, text }: { estimate: Estimate; text: Strings }) {
  const who = estimate.lead >= 0 ? text.black : text.white;
  return (
    <section>
      <p class="result">{who} +{Math.abs(estimate.lead).toFixed(1)} <small>± {estimate.lead_sd.toFixed(1)}</small></p>
      <p>{text.winrate}: {(100 * estimate.winrate).toFixed(0)}%</p>
      <meter min={0} max={1} value={estimate.winrate} aria-label={text.winrate} />
      <p class="quiet">{text.legendEstimate}</p>
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
