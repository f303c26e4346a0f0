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
  /** The address of the page with the game. */
  link: () => string;
  /** The board as it is drawn. */
  board: () => SVGSVGElement | null | undefined;
  onSaid: (words: string) => void;
}

export function Share({ game, rows, score, text, link, board, onSaid }: Props) {
  const copyLink = async () => {
    const copied = await navigator.clipboard?.writeText(link()).then(() => true, () => false);
    if (copied) onSaid(text.copied);
    else prompt(text.link, link()); // without https the page has no clipboard
  };
  const saveSgf = () => {
    const comment = score ? [score.headline, ...score.differences].join("\n") : "";
    const kept = { ...game, moves: game.moves.slice(0, game.at), later: game.later.filter(([after]) => after <= game.at) };
    download("tengen.sgf", new Blob([sgfOf(kept, rows, score?.owner ?? [], score?.dead ?? [], comment)], { type: "application/x-go-sgf" }));
  };
  const savePng = async () => {
    const svg = board();
    if (svg) download("tengen.png", await pngOf(svg));
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
