// The count: result, table, and a card with reasons for each group.

import type { Mark, Score, Verdict } from "./api";
import { vertexOf } from "./board";
import { Sentence } from "./sentence";
import type { Strings } from "./strings";

const ORDER = { unclear: 0, seki: 1, dead: 2, alive: 3 };

interface ResultProps {
  score: Score;
  text: Strings;
  onShow: (name: string) => void;
  onMark: (marks: Record<string, Mark>) => void;
}

export function Result({ score, text, onShow, onMark }: ResultProps) {
  return (
    <section>
      <p class="result">{score.result}{score.state !== "safe" && <small> {text.states[score.state] ?? score.state}</small>}</p>
      {score.recorded && <p>{text.recorded}: {score.recorded}</p>}
      {score.explanations.length > 0 && (
        <div class="differs">
          <b>{text.differs}</b>
          <ul>
            {score.explanations.map(({ sentence, marks }) => (
              <li key={sentence}>
                <Sentence sentence={sentence} text={text} />{" "}
                {Object.keys(marks).length > 0 && (
                  <span class="choice">
                    <button type="button" onClick={() => onShow(Object.keys(marks)[0])}>{text.show}</button>{" "}
                    <button type="button" onClick={() => onMark(marks)}>{text.countSo}</button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      <CountTable score={score} text={text} />
    </section>
  );
}

interface GroupsProps {
  score: Score;
  marks: Record<string, Mark>;
  chosen: string | null;
  text: Strings;
  onOpen: (name: string | null) => void;
  onMark: (name: string, status: Mark) => void;
  onReset: () => void;
}

export function Groups({ score, marks, chosen, text, onOpen, onMark, onReset }: GroupsProps) {
  const sorted = [...score.verdicts].sort((a, b) => ORDER[a.status] - ORDER[b.status] || b.points.length - a.points.length);
  const colourAt = (name: string) => {
    const vertex = vertexOf(name, score.board.length);
    return vertex ? text[score.board[vertex[1]][vertex[0]] === "X" ? "black" : "white"] : "";
  };
  return (
    <section>
      <h2>{text.groups}</h2>
      <p class="quiet">{text.tapHint} {text.legend}</p>
      {Object.keys(marks).length > 0 && <button type="button" onClick={onReset}>{text.resetMarks}</button>}
      <ul class="cards">
        {sorted.map((verdict) => {
          const name = verdict.points[0];
          const open = chosen !== null && verdict.points.includes(chosen);
          return (
            <GroupCard
              key={name} verdict={verdict} colour={colourAt(name)} marks={marks} open={open} text={text}
              onOpen={() => onOpen(open ? null : name)} onMark={(status) => onMark(name, status)}
            />
          );
        })}
      </ul>
    </section>
  );
}

const signed = (value: number) => (Number.isInteger(value) ? `${value}` : value.toFixed(1));

function CountTable({ score, text }: { score: Score; text: Strings }) {
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
function GroupCard({ verdict, colour, marks, open, text, onOpen, onMark }: GroupProps) {
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
          <ul>{verdict.reasons.map(({ sentence }) => <li key={sentence}><Sentence sentence={sentence} text={text} /></li>)}</ul>
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
