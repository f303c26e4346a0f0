// The page: what is shown in each mode, put together from the state (state.ts), the service's answers (answers.ts), taps
// (taps.ts), keys and records (input.ts) and the game against the engine (opponent.ts).

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "./answers";
import { ask, prepare, type Estimate, type GameRecord, type Position, type Review, type Score, type Suggestion } from "./api";
import { opposite, vertexOf } from "./board";
import { Groups, Result } from "./count";
import { countMarks, estimateMarks, moveMarks } from "./drawn";
import { capturesUnknown, fromHere, gameOfRecord, lastPoint, newGame, request, toPlay, type Game } from "./game";
import { BoardView, type Marks } from "./goban";
import { LeadGraph } from "./graph";
import { Header } from "./header";
import { useAddress, useKeys, useRecords } from "./input";
import { MODES, type Mode, type Tool } from "./modes";
import { useOpponent } from "./opponent";
import { Candidates, Lead, PointCard } from "./panels";
import { PlayForm } from "./play";
import { Settings } from "./settings";
import { SetUp } from "./setup";
import { Share } from "./share";
import { linkedGame, useGame, useStored } from "./state";
import { LANGUAGES, type Language, type Strings } from "./strings";
import { useTaps } from "./taps";
import { Walk } from "./walk";

export function App() {
  const [language, setLanguage] = useStored("language", navigator.language.startsWith("de") ? "de" : "en");
  const [theme, setTheme] = useStored("theme", "");
  const text: Strings = LANGUAGES[language as Language] ?? LANGUAGES.en;
  const [mode, setMode] = useState<Mode>(() => (linkedGame() ? "count" : "setup"));
  const state = useGame();
  const [tool, setTool] = useState<Tool>("black");
  const [chosen, setChosen] = useState<string | null>(null);
  const [pasting, setPasting] = useState(false);
  const [problem, setProblem] = useState("");
  const [said, setSaid] = useState("");
  const left = useRef<HTMLDivElement>(null);

  const { game, rows } = state;
  const height = rows.length;
  const position = request(game);
  const captures = capturesUnknown(game) ? { captures: game.captures } : {};
  const subject = game.record ?? game.start;

  const counted = useAnswer<Score>("score", mode === "count" && state.stones ? { ...position, ...captures, marks: game.marks } : null, subject);
  const score = counted.value;
  const vertex = chosen === null ? null : vertexOf(chosen, height);
  const explain = chosen !== null && vertex && rows[vertex[1]]?.[vertex[0]] !== undefined ? [chosen] : [];
  const estimated = useAnswer<Estimate>("estimate", mode === "estimate" ? { ...position, explain } : null, subject);
  const estimate = estimated.value;
  const suggestions = useAnswer<{ moves: Suggestion[] }>("moves", mode === "moves" ? { ...position, top: 8 } : null, subject);
  const suggested = suggestions.value;
  // The review waits for the first count of a game, which would share the processor with it, and until it is painted.
  const reviewable = useRef<unknown>(null);
  if (mode === "estimate" || mode === "moves" || (mode === "count" && counted.done)) reviewable.current = subject;
  const shown = mode !== "play" && mode !== "setup" && reviewable.current === subject;
  const whole = game.moves.length > 3 && shown ? request({ ...game, at: game.moves.length }) : null;
  const reviewed = useAnswer<Review>("game", whole, subject, true);
  const review = reviewed.value;
  const trouble = problem || counted.error || estimated.error || suggestions.error || reviewed.error;

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = text.title;
  }, [language]);
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
  }, [theme]);

  const change = (next: Game) => {
    state.change(next);
    setSaid("");
    setProblem("");
  };
  const walk = (to: (at: number) => number) => {
    setChosen(null);
    state.walk(to);
  };
  const { opponent, setOpponent, resume, yourTurn, running, spent } = useOpponent({ game, mode, text, adjust: state.adjust, setMode, setSaid, setProblem });
  const undo = () => {
    if (!state.undoable) return;
    state.undo();
    resume();
    setProblem("");
  };
  const { tap, swipe, playAt, mark } = useTaps({ ...state, change, mode, tool, score, yourTurn, chosen, text, setChosen, setSaid });
  const open = (next: Game) => {
    setOpponent(null);
    setChosen(null);
    setMode("count");
    change(next);
  };
  const latest = useRef(0);
  const read = async (source: Position) => {
    const mine = ++latest.current; // another record may be dropped while this one is read
    try {
      const [record] = await Promise.all([ask<GameRecord>("record", source), prepare("score", { ...source, marks: {} })]);
      if (mine !== latest.current) return;
      setProblem("");
      setPasting(false);
      open(gameOfRecord(record, source, text.onlyLast));
    } catch (error) {
      if (mine === latest.current) setProblem((error as Error).message);
    }
  };
  useRecords(read);
  useKeys(walk, undo, setMode);
  useAddress(() => {
    const linked = linkedGame();
    if (linked) open(linked);
  });

  const marks: Marks = useMemo(() => ({
    last: lastPoint(game),
    ...(mode === "count" && score ? countMarks(score, rows, chosen) : {}),
    ...(mode === "estimate" && estimate ? estimateMarks(estimate, rows, chosen) : {}),
    ...(mode === "moves" && suggested ? moveMarks(suggested.moves) : {}),
  }), [game, mode, score, estimate, suggested, chosen]);
  const warnings = (mode === "count" ? score?.warnings : mode === "estimate" ? estimate?.warnings : null) ?? [];
  const notes = [...new Set([...game.notes, ...warnings])];

  return (
    <>
      <Header {...{ text, language, theme, pasting, setLanguage, setTheme, setPasting, read }} />
      <nav role="tablist">
        {MODES.map((each) => (
          <button key={each} type="button" role="tab" aria-selected={mode === each} onClick={() => { setMode(each); setProblem(""); }}>
            {text[each]}
          </button>
        ))}
      </nav>
      {trouble && <p class="problem" role="alert" lang={trouble === "offline" ? language : "en"}>{trouble === "offline" ? text.offline : trouble}</p>}

      <main>
        <div class="left" ref={left}>
          {(game.black || game.white) && (
            <p class="players"><i class="stone black" /> {game.black || "?"} – <i class="stone white" /> {game.white || "?"}</p>
          )}
          <BoardView
            rows={rows}
            label={`${text.board} ${rows[0].length}×${height}, ${text[toPlay(game)]} ${text.toPlay}`}
            swipe={mode === "setup"}
            onTap={tap}
            onSwipe={swipe}
            {...marks}
          />
          {game.moves.length > 0 && <Walk game={game} text={text} walk={walk} />}
          <div class="tools">
            <button type="button" disabled={!state.undoable} onClick={undo}>{text.undo}</button>
            {mode !== "count" && mode !== "estimate" && <button type="button" onClick={() => playAt("pass")}>{text.pass}</button>}
            <span class="quiet">{text[toPlay(game)]} {text.toPlay}</span>
            <span class="quiet" role="status">{said}</span>
          </div>
        </div>

        <aside>
          {mode === "count" && score && <Result score={score} text={text} onShow={setChosen} onMark={mark} />}
          {mode === "estimate" && estimate && <Lead estimate={estimate} text={text} />}
          {mode === "estimate" && estimate && chosen && <PointCard estimate={estimate} point={chosen} text={text} />}
          {mode === "moves" && suggested && <Candidates moves={suggested.moves} text={text} onPlay={playAt} />}
          {mode === "setup" && (
            <SetUp
              text={text} tool={tool} onTool={setTool} first={toPlay(game)}
              onNew={(width, high) => { change(newGame(width, high, game.rules)); setOpponent(null); }}
              onFirst={() => change({ ...fromHere(game, rows), first: opposite(toPlay(game)), record: null, given: null })}
            />
          )}
          {mode === "play" && (
            <PlayForm
              text={text} opponent={opponent} spent={spent} running={running}
              onStart={(size, handicap, you, seconds, time) => {
                change({ ...newGame(size, size, game.rules, handicap), black: you === "black" ? "" : "Tengen", white: you === "white" ? "" : "Tengen" });
                setOpponent({ you, seconds, times: time && { black: time, white: time }, lost: null, hopeless: 0 });
              }}
            />
          )}
          <Settings game={game} text={text} playing={mode === "play"} change={change} />
          {mode === "count" && score && (
            <Groups
              score={score} marks={game.marks} chosen={chosen} text={text} onOpen={setChosen} onMark={(name, status) => mark({ [name]: status })}
              onReset={() => change({ ...game, marks: {} })}
            />
          )}
          {review && whole && <LeadGraph review={review} at={game.at} text={text} onGo={(at) => walk(() => at)} />}
          {whole && !review && <p class="quiet">{text.reviewing}</p>}
          {notes.length > 0 && (
            <details class="notes" lang="en"><summary>{text.warnings} ({notes.length})</summary><ul>{notes.map((note) => <li key={note}>{note}</li>)}</ul></details>
          )}
          <Share game={game} rows={rows} score={score} text={text} link={state.link} board={() => left.current?.querySelector<SVGSVGElement>(".goban svg")} onSaid={setSaid} />
          <p class="quiet keys">{text.help}</p>
        </aside>
      </main>
    </>
  );
}
