// A clock with main time and byo-yomi periods for both players.

import { useEffect, useState } from "preact/hooks";
import type { Colour } from "./board";

export interface Time {
  main: number;
  period: number;
  periods: number;
}

/** Use up seconds; a period that runs out is lost. Null: the time is over. */
export function after(time: Time, seconds: number): Time | null {
  if (seconds <= time.main) return { ...time, main: time.main - seconds };
  const lost = time.period > 0 ? Math.floor((seconds - time.main) / time.period) : Infinity;
  return lost < time.periods ? { main: 0, period: time.period, periods: time.periods - lost } : null;
}

export const shown = (time: Time | null, seconds: number): string => {
  if (!time) return "0:00";
  const over = seconds - time.main;
  const left = over < 0 ? -over : time.period - (over % time.period);
  const periods = time.period ? ` (${after(time, seconds)?.periods ?? 0} × ${time.period} s)` : "";
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}${periods}`;
};

/** The seconds since the turn changed, updated while somebody's clock runs. */
export function useTurn(running: Colour | null, turn: number): number {
  const [start, setStart] = useState(Date.now());
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setStart(Date.now());
    setNow(Date.now());
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [running, turn]);
  return running ? Math.max(0, now - start) / 1000 : 0;
}
