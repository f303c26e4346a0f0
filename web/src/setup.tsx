// The form of the set-up: tools, new boards and the player to move.

import { useState } from "preact/hooks";
import type { Colour } from "./board";
import { TOOLS, type Tool } from "./modes";
import type { Strings } from "./strings";

interface Props {
  text: Strings;
  tool: Tool;
  first: Colour;
  onTool: (tool: Tool) => void;
  onNew: (width: number, height: number) => void;
  onFirst: () => void;
}

export function SetUp({ text, tool, first, onTool, onNew, onFirst }: Props) {
  const [size, setSize] = useState("19");
  const sides = size.split(/[×x:]/).map(Number);
  const [width, height = width] = sides;
  const fits = sides.length <= 2 && sides.every((side) => Number.isInteger(side) && side >= 2 && side <= 25);
  return (
    <section>
      <p class="quiet">{text.setupHint}</p>
      <div class="choice" role="group">
        {TOOLS.map((each) => (
          <button key={each} type="button" aria-pressed={tool === each} onClick={() => onTool(each)}>{text[each]}</button>
        ))}
      </div>
      <div class="choice" role="group">
        {["9", "13", "19"].map((each) => <button key={each} type="button" onClick={() => onNew(Number(each), Number(each))}>{text.newBoard} {each}×{each}</button>)}
      </div>
      <label>{text.size} <input value={size} size={5} onInput={(event) => setSize(event.currentTarget.value)} /></label>{" "}
      <button type="button" disabled={!fits} onClick={() => onNew(width, height)}>{text.newBoard}</button>{" "}
      <button type="button" onClick={onFirst}>⇄ {text[first]} {text.toPlay}</button>
    </section>
  );
}
