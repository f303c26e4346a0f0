// The marks that are drawn on the board in each mode.

import type { Estimate, Score, Suggestion } from "./api";
import { linesOf, nameOf, type Rows } from "./board";
import type { Marks } from "./goban";

/** Owners of empty points and dead stones, fates of groups, and the chosen group. */
export function countMarks(score: Score, rows: Rows, chosen: string | null): Marks {
  if (score.board.join() !== linesOf(rows).join()) return {};
  const living = new Set(score.verdicts.filter((each) => each.status !== "dead").flatMap((each) => each.points));
  const open = score.verdicts.find((each) => chosen !== null && each.points.includes(chosen));
  return {
    owner: score.owner.map((row, y) =>
      [...row].map((owner, x) => (living.has(nameOf([x, y], rows.length)) ? 0 : owner === "X" ? 1 : owner === "O" ? -1 : 0)),
    ),
    dead: new Set(score.dead.filter((name) => !score.unclear.includes(name))),
    seki: new Set(score.seki),
    unclear: new Set(score.verdicts.filter((each) => each.status === "unclear").map((each) => each.points[0])),
    selected: new Set(open?.points),
  };
}

export function estimateMarks(estimate: Estimate, rows: Rows, chosen: string | null): Marks {
  const fits = estimate.ownership.length === rows.length && estimate.ownership[0].length === rows[0].length;
  return fits ? { owner: estimate.ownership, selected: new Set(chosen ? [chosen] : []) } : {};
}

export const moveMarks = (moves: Suggestion[]): Marks => ({
  labels: new Map(moves.map((each, i) => [each.move, String.fromCharCode(65 + i)])),
});
