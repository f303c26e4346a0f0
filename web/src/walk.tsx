// Buttons and a slider that walk through a game.

import type { Game } from "./game";
import type { Strings } from "./strings";

export function Walk({ game, text, walk }: { game: Game; text: Strings; walk: (to: (at: number) => number) => void }) {
  return (
    <div class="walk">
      <button type="button" aria-label={text.first} onClick={() => walk(() => 0)}>|◀</button>
      <button type="button" aria-label={text.back} onClick={() => walk((at) => at - 1)}>◀</button>
      <input
        type="range" min={0} max={game.moves.length} value={game.at} aria-label={text.move}
        onInput={(event) => {
          const at = Number(event.currentTarget.value);
          walk(() => at);
        }}
      />
      <button type="button" aria-label={text.forward} onClick={() => walk((at) => at + 1)}>▶</button>
      <button type="button" aria-label={text.last} onClick={() => walk(() => Infinity)}>▶|</button>
      <span>{game.at}/{game.moves.length}</span>
    </div>
  );
}
