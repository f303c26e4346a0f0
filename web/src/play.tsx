// The form of a game against the engine, and its clocks.

import { useState } from "preact/hooks";
import type { Colour } from "./board";
import { shown, type Time } from "./clock";
import type { Opponent } from "./opponent";
import type { Strings } from "./strings";

interface Props {
  text: Strings;
  opponent: Opponent | null;
  spent: number;
  running: Colour | null;
  onStart: (size: number, handicap: number, you: Colour, seconds: number, time: Time | null) => void;
}

const CLOCKS: Record<string, Time> = {
  "1 + 3×10 s": { main: 60, period: 10, periods: 3 },
  "5 + 5×20 s": { main: 300, period: 20, periods: 5 },
  "20 + 5×30 s": { main: 1200, period: 30, periods: 5 },
};

export function PlayForm({ text, opponent, spent, running, onStart }: Props) {
  const [size, setSize] = useState(9);
  const [handicap, setHandicap] = useState(0);
  const [you, setYou] = useState<Colour>("black");
  const [seconds, setSeconds] = useState(1);
  const [clock, setClock] = useState("");
  return (
    <section>
      {opponent?.times && (
        <p class="clocks">
          {(["black", "white"] as Colour[]).map((colour) => (
            <span key={colour} class={running === colour ? "running" : ""}>
              {text[colour]} {shown(opponent.times?.[colour] ?? null, running === colour ? spent : 0)}{" "}
            </span>
          ))}
        </p>
      )}
      {opponent?.lost && <p role="alert">{text[opponent.lost.colour]} {opponent.lost.by === "time" ? text.lostOnTime : text.resigns}.</p>}
      <fieldset class="settings">
        <label>{text.size}
          <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
            {[9, 13, 19].map((each) => <option key={each} value={each}>{each}×{each}</option>)}
          </select>
        </label>
        <label>{text.handicap}
          <select value={handicap} onChange={(event) => setHandicap(Number(event.currentTarget.value))}>
            {[0, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </label>
        <label>{text.yourColour}
          <select value={you} onChange={(event) => setYou(event.currentTarget.value as Colour)}>
            <option value="black">{text.black}</option>
            <option value="white">{text.white}</option>
          </select>
        </label>
        <label>{text.clock}
          <select value={clock} onChange={(event) => setClock(event.currentTarget.value)}>
            <option value="">{text.noClock}</option>
            {Object.keys(CLOCKS).map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </label>
        {!clock && (
          <label>{text.seconds}
            <input type="number" min={0.5} max={20} step={0.5} value={seconds} onChange={(event) => setSeconds(Math.min(20, Math.max(0.1, Number(event.currentTarget.value) || 1)))} />
          </label>
        )}
      </fieldset>
      <button type="button" class="main" onClick={() => onStart(size, handicap, you, seconds, CLOCKS[clock] ?? null)}>{text.startGame}</button>
    </section>
  );
}
