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
const REST = 100;

/** The game that the address holds. */
export function linkedGame(): Game | null {
  const link = readFragment(location.hash.slice(1));
  return link && gameOfLink(link);
}

export function useGame(): State {
  const [game, setGame] = useState<Game>(() => linkedGame() ?? newGame(19));
  const [earlier, setEarlier] = useState<Game[]>([]);
  const positions = useMemo(() => replay(game.start, game.moves, game.later), [game.start, game.moves, game.later]);
  const rows = positions[game.at];
  const stones = rows.some((row) => row.some((sign) => sign));
  const link = () => `#${fragmentOf(game.later.length ? fromHere(game, rows) : game)}`;
  useEffect(() => {
    if (!stones && !game.moves.length && !location.hash) return; // nothing has happened yet
    const write = () => {
      clearTimeout(timer);
      history.replaceState(null, "", link());
    };
    const timer = setTimeout(write, REST);
    addEventListener("pagehide", write);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", write);
    };
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
