// A game against the engine: whose turn it is, both clocks, and the engine's moves.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Reply } from "./api";
import { opposite, type Colour } from "./board";
import { after, useTurn, type Time } from "./clock";
import { isOver, request, toPlay, withMove, type Game } from "./game";
import type { Mode } from "./modes";
import type { Strings } from "./strings";

export interface Opponent {
  you: Colour;
  seconds: number;
  times: Record<Colour, Time | null> | null;
  lost: { by: "time" | "resignation"; colour: Colour } | null;
  /** What the engine wants to know again, so that it resigns as elsewhere: the service keeps nothing. */
  hopeless: number;
}

interface Table {
  game: Game;
  mode: Mode;
  text: Strings;
  adjust: (next: (now: Game) => Game) => void;
  setMode: (mode: Mode) => void;
  setSaid: (words: string) => void;
  setProblem: (problem: string) => void;
}

export interface Match {
  opponent: Opponent | null;
  setOpponent: (opponent: Opponent | null) => void;
  /** Go on with a game that the engine resigned, after the last move is taken back. */
  resume: () => void;
  /** Whether the person may move now. */
  yourTurn: boolean;
  /** The colour whose clock runs, and the seconds it has used for this move. */
  running: Colour | null;
  spent: number;
}

export function useOpponent({ game, mode, text, adjust, setMode, setSaid, setProblem }: Table): Match {
  const [opponent, setOpponent] = useState<Opponent | null>(null);
  const turn = toPlay(game);
  const engine = opponent ? opposite(opponent.you) : null;
  const running = opponent?.times && !opponent.lost && !isOver(game) && mode === "play" ? turn : null;
  const spent = useTurn(running, game.at);
  useEffect(() => {
    const time = running ? opponent?.times?.[running] : null;
    if (opponent && running && time && !after(time, spent)) setOpponent({ ...opponent, lost: { by: "time", colour: running } });
  }, [spent]);

  const clockOf = useRef({ at: 0, start: Date.now() });
  useEffect(() => {
    const { at, start } = clockOf.current;
    clockOf.current = { at: game.at, start: Date.now() };
    if (opponent?.times && game.at === at + 1) {
      const mover = game.moves[at][0];
      const time = opponent.times[mover];
      const left = time && after(time, (Date.now() - start) / 1000);
      setOpponent({ ...opponent, times: { ...opponent.times, [mover]: left }, lost: left ? opponent.lost : { by: "time", colour: mover } });
    }
    if (mode !== "play" || !opponent || turn !== engine || opponent.lost || isOver(game)) return undefined;
    const stop = new AbortController();
    const time = opponent.times?.[engine];
    const limit = time ? { clock: { ...time, ...(time.main ? {} : { period_left: time.period }) }, seconds: 10 } : { seconds: opponent.seconds };
    setSaid(text.thinking);
    ask<Reply>("play", { ...request(game), ...limit, hopeless: opponent.hopeless }, stop.signal)
      .then(({ move, hopeless }) => {
        const lost = move === "resign" ? { by: "resignation" as const, colour: engine } : null;
        setOpponent((now) => now && { ...now, hopeless, lost: now.lost ?? lost });
        if (!lost) adjust((now) => withMove(now, move));
        setSaid("");
      })
      .catch((error: Error) => {
        if (!stop.signal.aborted) setProblem(error.message);
      });
    return () => stop.abort();
  }, [game.at, game.moves, mode, opponent?.you]);

  useEffect(() => {
    if (mode === "play" && opponent && isOver(game)) {
      setMode("count");
      setSaid(text.gameOver);
    }
  }, [game.at, mode]);
  const resume = () => {
    if (opponent?.lost?.by === "resignation") setOpponent({ ...opponent, lost: null, hopeless: 0 });
  };
  const yourTurn = opponent !== null && turn === opponent.you && !opponent.lost && !isOver(game);
  return { opponent, setOpponent, resume, yourTurn, running, spent };
}
