// The game on the page with the earlier ones for undo, and settings that the browser keeps.

import { useEffect, useMemo, useState } from "preact/hooks";
import { replay, type Rows } from "./board";
import { fromHere, gameOfLink, newGame, type Game } from "./game";
import { fragmentOf, readFragment } from "./link";

export interface State {
  game: Game;
  /** The position before every move and after the last one. */
  positions: Rows[];
  rows: Rows;
  /** Whether there is a stone on the board. */
  stones: boolean;
  undoable: boolean;
  /** The address of the page with the game. */
  link: () => string;
  /** Show another game; undo brings the present one back. */
  change: (next: Game) => void;
  /** Change the game without a step for undo. */
  adjust: (next: (now: Game) => Game) => void;
  walk: (to: (at: number) => number) => void;
  undo: () => void;
}

/** Milliseconds of rest before the address follows the game: browsers are slow at that, and some limit how often. */
const REST = 250;

const linked = () => readFragment(location.hash.slice(1));

/** Whether the address holds a position. */
export const hasLink = (): boolean => linked() !== null;

export function useGame(): State {
  const [game, setGame] = useState<Game>(() => {
    const link = linked();
    return link ? gameOfLink(link) : newGame(19);
  });
  const [earlier, setEarlier] = useState<Game[]>([]);
  const positions = useMemo(() => replay(game.start, game.moves, game.later), [game.start, game.moves, game.later]);
  const rows = positions[game.at];
  const stones = rows.some((row) => row.some((sign) => sign));
  const link = () => `#${fragmentOf(game.later.length ? fromHere(game, rows) : game)}`;
  useEffect(() => {
    if (!stones && !game.moves.length) return;
    const timer = setTimeout(() => history.replaceState(null, "", link()), REST);
    return () => clearTimeout(timer);
  }, [game]);
  return {
    game, positions, rows, stones,
    link: () => new URL(link(), location.href).href,
    undoable: earlier.length > 0,
    change: (next) => {
      setEarlier((list) => [...list.slice(-200), game]);
      setGame(next);
    },
    adjust: setGame,
    walk: (to) => setGame((now) => ({ ...now, at: Math.max(0, Math.min(now.moves.length, to(now.at))), marks: {} })),
    undo: () => {
      const last = earlier[earlier.length - 1];
      if (!last) return;
      setEarlier(earlier.slice(0, -1));
      setGame(last);
    },
  };
}

export function useStored(name: string, usual: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(name) ?? usual);
  return [value, (next) => {
    localStorage.setItem(name, next);
    setValue(next);
  }];
}
