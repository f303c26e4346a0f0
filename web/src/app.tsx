// The page: state, requests to the service, and layout.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, type Estimate, type GameRecord, type Mark, type Position, type Reply, type Review, type Score, type Suggestion } from "./api";
import { chainAt, nameOf, opposite, place, replay, signOf, vertexOf, type Colour, type Vertex } from "./board";
import { after, shown, useTurn, type Time } from "./clock";
import {
  capturesUnknown, gameOfLink, gameOfRecord, isOver, KOMI, lastPoint, marksOf, newGame, recordOf, request, RULES, toPlay,
  withMove, withStone, type Game,
} from "./game";
import { BoardView, type Marks } from "./goban";
import { LeadGraph } from "./graph";
import { fragmentOf, readFragment } from "./link";
import { Candidates, CountTable, GroupCard, Lead } from "./panels";
import { download, pngOf, sgfOf } from "./save";
import { LANGUAGES, type Language, type Strings } from "./strings";

type Mode = "count" | "estimate" | "moves" | "setup" | "play";
type Tool = "black" | "white" | "erase" | "alternate";
const MODES: Mode[] = ["count", "estimate", "moves", "setup", "play"];
const NEXT: Record<string, Mark> = { alive: "dead", dead: "seki", seki: "alive", unclear: "dead" };
const EXAMPLE = "(;SZ[9]KM[7]RU[Chinese]RE[W+8];B[fd];W[cf];B[fg];W[dc];B[fc];W[dg];B[dd];W[cc];B[cd];W[bd];B[be];W[bc];B[ce];W[eb];B[bf];W[gb];B[hd];W[hc];B[gc];W[hb];B[fb];W[id];B[he];W[fa];B[ie];W[ec];B[eh];W[ed];B[ch];W[fe];B[ef];W[gf];B[gg];W[hf];B[hg];W[if];B[ig];W[ff];B[ee];W[gd];B[ad];W[ac];B[ae];W[];B[])";

interface Opponent {
  you: Colour;
  seconds: number;
  times: Record<Colour, Time | null> | null;
  lost: Colour | null;
}

/** The service's answer to a request that depends on the state. While one is on its way, only the newest waits. */
function useAnswer<T>(path: string, body: object | null, onError: (error: string) => void): T | null {
  const [answer, setAnswer] = useState<T | null>(null);
  const wanted = useRef({ key: "", body });
  const busy = useRef(false);
  const key = body ? JSON.stringify(body) : "";
  wanted.current = { key, body };
  const run = () => {
    const asked = wanted.current;
    if (!asked.body || busy.current) return;
    busy.current = true;
    ask<T>(path, asked.body)
      .then((value) => {
        onError("");
        setAnswer(() => value);
      })
      .catch((problem: Error) => {
        if (wanted.current.key === asked.key) onError(problem.message);
      })
      .finally(() => {
        busy.current = false;
        if (wanted.current.key !== asked.key) run();
      });
  };
  useEffect(run, [key]);
  return body ? answer : null;
}

function useStored(name: string, usual: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(name) ?? usual);
  return [value, (next) => {
    localStorage.setItem(name, next);
    setValue(next);
  }];
}

export function App() {
  const [language, setLanguage] = useStored("language", navigator.language.startsWith("de") ? "de" : "en");
  const [theme, setTheme] = useStored("theme", "");
  const text: Strings = LANGUAGES[language as Language] ?? LANGUAGES.en;
  const [game, setGame] = useState<Game>(() => {
    const link = readFragment(location.hash.slice(1));
    return link ? gameOfLink(link) : newGame(19);
  });
  const [earlier, setEarlier] = useState<Game[]>([]);
  const [mode, setMode] = useState<Mode>(() => (readFragment(location.hash.slice(1)) ? "count" : "setup"));
  const [tool, setTool] = useState<Tool>("black");
  const [swipeSign, setSwipeSign] = useState<0 | 1 | -1>(1);
  const [chosen, setChosen] = useState<string | null>(null);
  const [pasting, setPasting] = useState(false);
  const [problem, setProblem] = useState("");
  const [said, setSaid] = useState("");
  const [opponent, setOpponent] = useState<Opponent | null>(null);
  const marksSvg = useRef<HTMLDivElement>(null);

  const positions = useMemo(() => replay(game.start, game.moves), [game.start, game.moves]);
  const rows = positions[game.at];
  const height = rows.length;
  const position = request(game);
  const stones = rows.some((row) => row.some((sign) => sign));
  const captures = capturesUnknown(game) ? { captures: game.captures } : {};
  const fail = useCallback((message: string) => setProblem(message), []);

  const counted = useAnswer<Score>("score", mode === "count" && stones ? { ...position, ...captures, marks: game.marks } : null, fail);
  const score = counted && counted.board.length === height && counted.board[0].length === rows[0].length ? counted : null;
  const estimate = useAnswer<Estimate>("estimate", mode === "estimate" ? position : null, fail);
  const suggested = useAnswer<{ moves: Suggestion[] }>("moves", mode === "moves" ? { ...position, top: 8 } : null, fail);
  const whole = game.moves.length > 3 && mode !== "play" && mode !== "setup" ? { ...request({ ...game, at: game.moves.length }) } : null;
  if (whole) delete whole.move;
  const review = useAnswer<Review>("game", whole, fail);

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = text.title;
  }, [language]);
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    if (stones || game.moves.length) history.replaceState(null, "", `#${fragmentOf(game)}`);
  }, [game]);

  const change = (next: Game) => {
    setEarlier((list) => [...list.slice(-200), game]);
    setGame(next);
    setSaid("");
  };
  const walk = (to: (at: number) => number) => {
    setChosen(null);
    setGame((now) => ({ ...now, at: Math.max(0, Math.min(now.moves.length, to(now.at))), marks: {} }));
  };
  const go = (at: number) => walk(() => at);
  const undo = () => {
    const last = earlier[earlier.length - 1];
    if (!last) return;
    setEarlier(earlier.slice(0, -1));
    setGame(last);
    setProblem("");
  };

  const readRecord = async (source: Position) => {
    try {
      const read = await ask<GameRecord>("record", source);
      setProblem("");
      setPasting(false);
      setOpponent(null);
      setChosen(null);
      setMode("count");
      change(gameOfRecord(read, source, text.laterSetup));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };

  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      const words = event.dataTransfer?.getData("text");
      if (file) void recordOf(file).then(readRecord);
      else if (words) void readRecord({ sgf: words });
    };
    const paste = (event: ClipboardEvent) => {
      const words = event.clipboardData?.getData("text") ?? "";
      if (!(event.target instanceof HTMLTextAreaElement) && words.trim().startsWith("(")) void readRecord({ sgf: words });
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  });

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const modes: Record<string, Mode> = { c: "count", e: "estimate", m: "moves", s: "setup", p: "play" };
      const steps: Record<string, (at: number) => number> = {
        ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1, Home: () => 0, End: () => Infinity,
      };
      const letter = event.key.toLowerCase();
      if (event.key in steps) walk(steps[event.key]);
      else if (letter === "u") undo();
      else if (letter in modes) setMode(modes[letter]);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  });

  // Taps.

  const markGroup = (point: string, status: Mark) => {
    const vertex = vertexOf(point, height);
    if (!vertex || !rows[vertex[1]]?.[vertex[0]]) return;
    const chain = marksOf(chainAt(rows, vertex).stones, height);
    const others = Object.entries(game.marks).filter(([name]) => !chain.includes(name));
    change({ ...game, marks: { ...Object.fromEntries(others), [chain[0]]: status } });
    setChosen(chain[0]);
  };
  const legal = (point: Vertex): boolean => {
    const next = place(rows, point, signOf(toPlay(game)));
    const before = positions[game.at - 1];
    return next !== null && !(before && JSON.stringify(next) === JSON.stringify(before));
  };
  const playAt = (name: string) => {
    const point = vertexOf(name, height);
    if (point && !legal(point)) {
      setSaid(text.notEmpty);
      return;
    }
    change(withMove(game, name));
  };
  const tap = (point: Vertex) => {
    const name = nameOf(point, height);
    const sign = rows[point[1]][point[0]];
    if (mode === "setup") {
      if (tool === "alternate") {
        if (legal(point)) change(withMove(game, name));
        else setSaid(text.notEmpty);
        return;
      }
      const wanted = tool === "erase" ? 0 : signOf(tool);
      const put = sign === wanted ? 0 : wanted;
      setSwipeSign(put);
      change(withStone(game, rows, point, put));
    } else if (mode === "play") {
      if (opponent && toPlay(game) === opponent.you && !opponent.lost && !isOver(game)) playAt(name);
    } else if (mode === "count" && sign && score) {
      const verdict = score.verdicts.find((each) => each.points.includes(name));
      if (!verdict) return;
      markGroup(name, NEXT[verdict.status]);
    } else if (mode !== "count" && !sign) playAt(name);
  };
  const swipe = (point: Vertex) => {
    if (tool !== "alternate") setGame((now) => withStone(now, replay(now.start, now.moves)[now.at], point, swipeSign));
  };

  // The game against the engine.

  const engine = opponent ? opposite(opponent.you) : null;
  const turn = toPlay(game);
  const running = opponent?.times && !opponent.lost && !isOver(game) && mode === "play" ? turn : null;
  const spent = useTurn(running, game.at);
  useEffect(() => {
    const time = running ? opponent?.times?.[running] : null;
    if (opponent && running && time && !after(time, spent)) setOpponent({ ...opponent, lost: running });
  }, [spent]);
  const clockOf = useRef({ at: 0, start: Date.now() });
  useEffect(() => {
    const { at, start } = clockOf.current;
    clockOf.current = { at: game.at, start: Date.now() };
    if (opponent?.times && game.at === at + 1) {
      const mover = game.moves[at][0];
      const time = opponent.times[mover];
      const left = time && after(time, (Date.now() - start) / 1000);
      setOpponent({ ...opponent, times: { ...opponent.times, [mover]: left }, lost: left ? opponent.lost : mover });
    }
    if (mode !== "play" || !opponent || turn !== engine || opponent.lost) return undefined;
    if (isOver(game)) return undefined;
    const stop = new AbortController();
    const time = opponent.times?.[engine];
    const limit = time ? { clock: { ...time, ...(time.main ? {} : { period_left: time.period }) }, seconds: 10 } : { seconds: opponent.seconds };
    setSaid(text.thinking);
    ask<Reply>("play", { ...request(game), ...limit }, stop.signal)
      .then((reply) => {
        setGame((now) => withMove(now, reply.move));
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

  // What is drawn.

  const marks: Marks = useMemo(() => {
    const drawn: Marks = { last: lastPoint(game) };
    if (mode === "count" && score && score.board.join() === rows.map((row) => row.map((sign) => ".XO".at(sign)).join("")).join()) {
      const living = new Set(score.verdicts.filter((each) => each.status !== "dead").flatMap((each) => each.points));
      drawn.owner = score.owner.map((row, y) =>
        [...row].map((owner, x) => (living.has(nameOf([x, y], height)) ? 0 : owner === "X" ? 1 : owner === "O" ? -1 : 0)),
      );
      drawn.dead = new Set(score.dead.filter((name) => !score.unclear.includes(name)));
      drawn.seki = new Set(score.seki);
      drawn.unclear = new Set(score.verdicts.filter((each) => each.status === "unclear").map((each) => each.points[0]));
      const open = score.verdicts.find((each) => chosen !== null && each.points.includes(chosen));
      drawn.selected = new Set(open?.points);
    }
    if (mode === "estimate" && estimate?.ownership.length === height && estimate.ownership[0].length === rows[0].length) drawn.owner = estimate.ownership;
    if (mode === "moves" && suggested)
      drawn.labels = new Map(suggested.moves.map((each, i) => [each.move, String.fromCharCode(65 + i)]));
    return drawn;
  }, [game, mode, score, estimate, suggested, chosen]);

  const saveSgf = () => {
    const comment = score ? [score.headline, ...score.differences].join("\n") : "";
    const kept = { ...game, moves: game.moves.slice(0, game.at) };
    download("tengen.sgf", new Blob([sgfOf(kept, rows, score?.owner ?? [], score?.dead ?? [], comment)], { type: "application/x-go-sgf" }));
  };
  const savePng = async () => {
    const svg = marksSvg.current?.querySelector<SVGSVGElement>("svg.marks");
    if (svg) download("tengen.png", await pngOf(rows, svg));
  };
  const copyLink = async () => {
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    setSaid(text.copied);
  };
  const openFile = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    if (input.files?.[0]) void recordOf(input.files[0]).then(readRecord);
    input.value = "";
  };

  const order = { unclear: 0, seki: 1, dead: 2, alive: 3 };
  const verdicts = score ? [...score.verdicts].sort((a, b) => order[a.status] - order[b.status] || b.points.length - a.points.length) : [];
  const colourAt = (name: string) => {
    const vertex = vertexOf(name, height);
    return vertex && score ? text[score.board[vertex[1]][vertex[0]] === "X" ? "black" : "white"] : "";
  };
  const rulesKnown = RULES.includes(game.rules) ? RULES : [game.rules, ...RULES];
  const notes = [...game.notes, ...(mode === "count" ? (score?.warnings.filter((note) => !game.notes.includes(note)) ?? []) : []), ...(mode === "estimate" ? (estimate?.warnings ?? []) : [])];

  return (
    <>
      <header>
        <h1>{text.title}</h1>
        <label class="button">
          {text.open}
          <input type="file" accept=".sgf,.gz,text/plain" onChange={openFile} />
        </label>
        <button type="button" onClick={() => setPasting(!pasting)}>{text.paste}</button>
        <button type="button" onClick={() => void readRecord({ sgf: EXAMPLE })}>{text.example}</button>
        <span class="grow" />
        <button type="button" aria-label={`${language === "de" ? "EN" : "DE"} ${text.language}`} title={text.language} onClick={() => setLanguage(language === "de" ? "en" : "de")}>
          {language === "de" ? "EN" : "DE"}
        </button>
        <button type="button" aria-label={text.theme} title={text.theme} onClick={() => setTheme(isDark(theme) ? "light" : "dark")}>◐</button>
      </header>

      {pasting && <PasteBox text={text} onRead={(sgf) => void readRecord({ sgf })} onClose={() => setPasting(false)} />}
      <nav role="tablist">
        {MODES.map((each) => (
          <button key={each} type="button" role="tab" aria-selected={mode === each} onClick={() => { setMode(each); setProblem(""); }}>
            {text[each]}
          </button>
        ))}
      </nav>
      {problem && <p class="problem" role="alert">{problem === "offline" ? text.offline : problem}</p>}

      <main>
        <div class="left" ref={marksSvg}>
          {(game.black || game.white) && (
            <p class="players">● {game.black || "?"} – ○ {game.white || "?"}</p>
          )}
          <BoardView
            rows={rows}
            label={`${text.board} ${rows[0].length}×${height}, ${text[toPlay(game)]} ${text.toPlay}`}
            swipe={mode === "setup"}
            onTap={tap}
            onSwipe={swipe}
            onSwipeEnd={() => undefined}
            {...marks}
          />
          {game.moves.length > 0 && (
            <div class="walk">
              <button type="button" aria-label={text.first} onClick={() => go(0)}>|◀</button>
              <button type="button" aria-label={text.back} onClick={() => walk((at) => at - 1)}>◀</button>
              <input
                type="range" min={0} max={game.moves.length} value={game.at} aria-label={text.move}
                onInput={(event) => go(Number(event.currentTarget.value))}
              />
              <button type="button" aria-label={text.forward} onClick={() => walk((at) => at + 1)}>▶</button>
              <button type="button" aria-label={text.last} onClick={() => go(game.moves.length)}>▶|</button>
              <span>{game.at}/{game.moves.length}</span>
            </div>
          )}
          <div class="tools">
            <button type="button" disabled={!earlier.length} onClick={undo}>{text.undo}</button>
            {mode !== "count" && mode !== "estimate" && <button type="button" onClick={() => playAt("pass")}>{text.pass}</button>}
            <span class="quiet">{text[toPlay(game)]} {text.toPlay}</span>
            <span class="quiet" role="status">{said}</span>
          </div>
        </div>

        <aside>
          {mode === "count" && score && (
            <section>
              <p class="result">{score.result}{score.state !== "safe" && <small> {score.state}</small>}</p>
              {score.recorded && <p>{text.recorded}: {score.recorded}</p>}
              {score.differences.length > 0 && (
                <div class="differs" lang="en"><b>{text.differs}</b><ul>{score.differences.map((each) => <li key={each}>{each}</li>)}</ul></div>
              )}
              <CountTable score={score} text={text} />
            </section>
          )}
          {mode === "estimate" && estimate && <Lead estimate={estimate} text={text} />}
          {mode === "moves" && suggested && <Candidates moves={suggested.moves} text={text} onPlay={playAt} />}
          {mode === "setup" && (
            <SetUp
              text={text} tool={tool} onTool={setTool} first={toPlay(game)}
              onNew={(width, high) => { change(newGame(width, high, game.rules)); setOpponent(null); }}
              onFirst={() => change({ ...game, start: rows, moves: [], at: 0, first: opposite(toPlay(game)), record: null, given: null })}
            />
          )}
          {mode === "play" && (
            <PlayForm
              text={text} opponent={opponent} spent={spent} running={running}
              onStart={(size, handicap, you, seconds, time) => {
                change({ ...newGame(size, size, game.rules, handicap), black: you === "black" ? "" : "Tengen", white: you === "white" ? "" : "Tengen" });
                setOpponent({ you, seconds, times: time && { black: time, white: time }, lost: null });
              }}
            />
          )}
          <fieldset class="settings">
            <label>{text.rules}
              <select value={game.rules} onChange={(event) => {
                const rules = event.currentTarget.value;
                change({ ...game, rules, komi: game.komi === KOMI[game.rules] && !game.record ? (KOMI[rules] ?? game.komi) : game.komi });
              }}>
                {rulesKnown.map((name) => <option key={name} value={name}>{name.length > 24 ? `${name.slice(0, 22)}…` : name}</option>)}
              </select>
            </label>
            <label>{text.komi}
              <input type="number" step="0.5" min={-999} max={999} value={game.komi} onChange={(event) => {
                const komi = Number(event.currentTarget.value);
                if (Number.isFinite(komi)) change({ ...game, komi });
              }} />
            </label>
            {!game.record && mode !== "play" && (
              <label>{text.handicap}
                <input type="number" min={0} max={99} value={game.handicap} onChange={(event) => change({ ...game, handicap: Math.max(0, Math.round(Number(event.currentTarget.value)) || 0) })} />
              </label>
            )}
            {capturesUnknown(game) && ([0, 1] as const).map((side) => (
              <label key={side}>{text.captures} {side ? text.byWhite : text.byBlack}
                <input type="number" min={0} max={999} value={game.captures[side]} onChange={(event) => {
                  const captured: [number, number] = [...game.captures];
                  captured[side] = Math.max(0, Math.round(Number(event.currentTarget.value)) || 0);
                  change({ ...game, captures: captured });
                }} />
              </label>
            ))}
          </fieldset>
          {mode === "count" && score && (
            <section>
              <h2>{text.groups}</h2>
              <p class="quiet">{text.tapHint} {text.legend}</p>
              {Object.keys(game.marks).length > 0 && <button type="button" onClick={() => change({ ...game, marks: {} })}>{text.resetMarks}</button>}
              <ul class="cards">
                {verdicts.map((verdict) => {
                  const name = verdict.points[0];
                  const open = chosen !== null && verdict.points.includes(chosen);
                  return (
                    <GroupCard
                      key={name} verdict={verdict} colour={colourAt(name)} marks={game.marks} open={open} text={text}
                      onOpen={() => setChosen(open ? null : name)} onMark={(status) => markGroup(name, status)}
                    />
                  );
                })}
              </ul>
            </section>
          )}
          {review && whole && <LeadGraph review={review} at={game.at} text={text} onGo={go} />}
          {whole && !review && <p class="quiet">{text.reviewing}</p>}
          {notes.length > 0 && (
            <details class="notes" lang="en"><summary>{text.warnings} ({notes.length})</summary><ul>{notes.map((note) => <li key={note}>{note}</li>)}</ul></details>
          )}
          <div class="save">
            <button type="button" onClick={() => void copyLink()}>{text.link}</button>
            <button type="button" onClick={saveSgf}>SGF</button>
            <button type="button" onClick={() => void savePng()}>PNG</button>
            <button type="button" onClick={() => window.print()}>{text.print}</button>
          </div>
          <p class="quiet keys">{text.help}</p>
        </aside>
      </main>
    </>
  );
}

const isDark = (theme: string) => (theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

function PasteBox({ text, onRead, onClose }: { text: Strings; onRead: (sgf: string) => void; onClose: () => void }) {
  const [value, setValue] = useState("");
  return (
    <section class="paste">
      <textarea rows={5} placeholder={text.pasteHint} aria-label={text.pasteHint} value={value} onInput={(event) => setValue(event.currentTarget.value)} />
      <button type="button" onClick={() => onRead(value)}>{text.read}</button>
      <button type="button" onClick={onClose}>{text.cancel}</button>
    </section>
  );
}

interface SetUpProps {
  text: Strings;
  tool: Tool;
  first: Colour;
  onTool: (tool: Tool) => void;
  onNew: (width: number, height: number) => void;
  onFirst: () => void;
}

function SetUp({ text, tool, first, onTool, onNew, onFirst }: SetUpProps) {
  const [size, setSize] = useState("19");
  const sides = size.split(/[×x:]/).map(Number);
  const [width, height = width] = sides;
  const fits = sides.length <= 2 && sides.every((side) => Number.isInteger(side) && side >= 2 && side <= 25);
  return (
    <section>
      <p class="quiet">{text.setupHint}</p>
      <div class="choice" role="group">
        {(["black", "white", "erase", "alternate"] as Tool[]).map((each) => (
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

interface PlayProps {
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

function PlayForm({ text, opponent, spent, running, onStart }: PlayProps) {
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
      {opponent?.lost && <p role="alert">{text[opponent.lost]} {text.lostOnTime}.</p>}
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
