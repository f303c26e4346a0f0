// What a tap or a swipe on the board does in each mode.

import { useState } from "preact/hooks";
import type { Mark, Score } from "./api";
import { chainAt, nameOf, place, replay, signOf, vertexOf, type Sign, type Vertex } from "./board";
import { marksOf, toPlay, withMove, withStone } from "./game";
import type { Mode, Tool } from "./modes";
import type { State } from "./state";
import type { Strings } from "./strings";

const NEXT: Record<string, Mark> = { alive: "dead", dead: "seki", seki: "alive", unclear: "dead" };

interface Table extends Pick<State, "game" | "rows" | "positions" | "change" | "adjust"> {
  mode: Mode;
  tool: Tool;
  score: Score | null;
  yourTurn: boolean;
  chosen: string | null;
  text: Strings;
  setChosen: (point: string | null) => void;
  setSaid: (words: string) => void;
}

export function useTaps({ game, rows, positions, change, adjust, mode, tool, score, yourTurn, chosen, text, setChosen, setSaid }: Table) {
  const [swipeSign, setSwipeSign] = useState<Sign>(1);
  const height = rows.length;

  /** Mark groups, each by one of its stones; the first is shown. */
  const mark = (fates: Record<string, Mark>) => {
    let marks = game.marks;
    for (const [point, status] of Object.entries(fates)) {
      const vertex = vertexOf(point, height);
      if (!vertex || !rows[vertex[1]]?.[vertex[0]]) return;
      const chain = marksOf(chainAt(rows, vertex), height);
      const others = Object.entries(marks).filter(([name]) => !chain.includes(name));
      marks = { ...Object.fromEntries(others), [point]: status };
    }
    change({ ...game, marks });
    setChosen(Object.keys(fates)[0]);
  };
  const legal = (point: Vertex): boolean => {
    const next = place(rows, point, signOf(toPlay(game)));
    const before = positions[game.at - 1];
    return next !== null && !(before && JSON.stringify(next) === JSON.stringify(before));
  };
  const playAt = (name: string) => {
    const point = vertexOf(name, height);
    if (point && !legal(point)) setSaid(text.notEmpty);
    else change(withMove(game, name));
  };
  const setUp = (point: Vertex) => {
    if (tool === "alternate") return playAt(nameOf(point, height));
    const wanted = tool === "erase" ? 0 : signOf(tool);
    const put = rows[point[1]][point[0]] === wanted ? 0 : wanted;
    setSwipeSign(put);
    return change(withStone(game, rows, point, put));
  };
  const tap = (point: Vertex) => {
    const name = nameOf(point, height);
    const sign = rows[point[1]][point[0]];
    if (mode === "setup") setUp(point);
    else if (mode === "play") {
      if (yourTurn) playAt(name);
    } else if (mode === "count") {
      const verdict = sign ? score?.verdicts.find((each) => each.points.includes(name)) : undefined;
      if (verdict) mark({ [name]: NEXT[verdict.status] });
    } else if (mode === "estimate") setChosen(name === chosen ? null : name);
    else if (!sign) playAt(name);
  };
  const swipe = (point: Vertex) => {
    if (tool !== "alternate") adjust((now) => withStone(now, replay(now.start, now.moves, now.later)[now.at], point, swipeSign));
  };
  return { tap, swipe, playAt, mark };
}
