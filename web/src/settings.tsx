// Rules, komi, handicap and captures of the game on the page.

import { capturesUnknown, KOMI, RULES, type Game } from "./game";
import type { Strings } from "./strings";

interface Props {
  game: Game;
  text: Strings;
  /** In a game against the engine the handicap is on the board. */
  playing: boolean;
  change: (next: Game) => void;
}

export function Settings({ game, text, playing, change }: Props) {
  const known = RULES.includes(game.rules) ? RULES : [game.rules, ...RULES];
  const setRules = (rules: string) =>
    change({ ...game, rules, komi: game.komi === KOMI[game.rules] && !game.record ? (KOMI[rules] ?? game.komi) : game.komi });
  const setCaptures = (side: 0 | 1, value: number) => {
    const captures: [number, number] = [...game.captures];
    captures[side] = value;
    change({ ...game, captures });
  };
  return (
    <fieldset class="settings">
      <label>{text.rules}
        <select value={game.rules} onChange={(event) => setRules(event.currentTarget.value)}>
          {known.map((name) => <option key={name} value={name}>{text.ruleNames[name] ?? (name.length > 24 ? `${name.slice(0, 22)}…` : name)}</option>)}
        </select>
      </label>
      <label>{text.komi}
        <input type="number" step="0.5" min={-999} max={999} value={game.komi} onChange={(event) => {
          const komi = Number(event.currentTarget.value);
          if (Number.isFinite(komi)) change({ ...game, komi });
        }} />
      </label>
      {!game.record && !playing && (
        <label>{text.handicap}
          <input type="number" min={0} max={99} value={game.handicap} onChange={(event) => change({ ...game, handicap: countIn(event) })} />
        </label>
      )}
      {capturesUnknown(game) && ([0, 1] as const).map((side) => (
        <label key={side}>{text.captures} {side ? text.byWhite : text.byBlack}
          <input type="number" min={0} max={999} value={game.captures[side]} onChange={(event) => setCaptures(side, countIn(event))} />
        </label>
      ))}
    </fieldset>
  );
}

const countIn = (event: { currentTarget: HTMLInputElement }) => Math.max(0, Math.round(Number(event.currentTarget.value)) || 0);
