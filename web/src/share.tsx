// Links, downloads and the print view of the position.

import type { Score } from "./api";
import type { Rows } from "./board";
import type { Game } from "./game";
import { download, pngOf, sgfOf } from "./save";
import type { Strings } from "./strings";

interface Props {
  game: Game;
  rows: Rows;
  score: Score | null;
  text: Strings;
  /** The marks on the board. */
  marks: () => SVGSVGElement | null | undefined;
  onSaid: (words: string) => void;
}

export function Share({ game, rows, score, text, marks, onSaid }: Props) {
  const copyLink = async () => {
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    onSaid(text.copied);
  };
  const saveSgf = () => {
    const comment = score ? [score.headline, ...score.differences].join("\n") : "";
    const kept = { ...game, moves: game.moves.slice(0, game.at), later: game.later.filter(([after]) => after <= game.at) };
    download("tengen.sgf", new Blob([sgfOf(kept, rows, score?.owner ?? [], score?.dead ?? [], comment)], { type: "application/x-go-sgf" }));
  };
  const savePng = async () => {
    const svg = marks();
    if (svg) download("tengen.png", await pngOf(rows, svg));
  };
  return (
    <div class="save">
      <button type="button" onClick={() => void copyLink()}>{text.link}</button>
      <button type="button" onClick={saveSgf}>SGF</button>
      <button type="button" onClick={() => void savePng()}>PNG</button>
      <button type="button" onClick={() => window.print()}>{text.print}</button>
    </div>
  );
}
