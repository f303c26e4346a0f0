// What the page shows: a start position, moves, and the settings of the count.

import type { GameRecord, Position } from "./api";
import {
  emptyRows, handicapPoints, linesOf, nameOf, opposite, put, replay, rowsOf, signOf, vertexOf,
  type Colour, type Edit, type Move, type Rows, type Vertex,
} from "./board";
import type { Linked } from "./link";

export interface Game extends Linked {
  /** Stones set up or taken off in the middle of a record; a game without a record has none. */
  later: Edit[];
  black: string;
  white: string;
  result: string;
  /** The record as it was given, as long as the position is one of its main line. */
  record: Position | null;
  /** Rules and komi of the record; the service is told only what differs from them. */
  given: { rules: string; komi: number } | null;
  captures: [number, number];
  notes: string[];
}

export const KOMI: Record<string, number> = {
  japanese: 6.5, korean: 6.5, "japanese-ogs": 6.5, chinese: 7.5, "chinese-ogs": 7.5, "chinese-kgs": 7.5, aga: 7.5, bga: 7.5,
  french: 7.5, "aga-button": 7, "new-zealand": 7, "tromp-taylor": 7.5, ing: 8, stone: 7.5, "ancient-territory": 6.5,
};
export const RULES = Object.keys(KOMI);

export function newGame(width: number, height = width, rules = "japanese", handicap = 0): Game {
  const start = emptyRows(width, height);
  const stones = handicap > 1 ? handicapPoints(width, height, handicap) : [];
  for (const [x, y] of stones) start[y][x] = 1;
  return {
    start, first: stones.length ? "white" : "black", moves: [], at: 0, rules, handicap: stones.length,
    komi: stones.length ? 0.5 : (KOMI[rules] ?? 6.5), marks: {}, later: [], black: "", white: "", result: "", record: null,
    given: null, captures: [0, 0], notes: [],
  };
}

export const gameOfLink = (link: Linked): Game => ({ ...newGame(link.start[0].length, link.start.length), ...link });

/** The game of a record that the service has read. */
export function gameOfRecord(read: GameRecord, source: Position, onlyLast: string): Game {
  let start = emptyRows(read.width, read.height);
  for (const [colour, name] of read.setup) {
    const point = vertexOf(name, read.height);
    if (point) start = put(start, point, signOf(colour));
  }
  let { moves, later } = read;
  const notes = [...read.warnings];
  if (linesOf(replay(start, moves, later)[moves.length]).join() !== read.board.join()) {
    start = rowsOf(read.board);
    notes.push(onlyLast);
    [moves, later] = [[], []];
  }
  const { rules, komi, handicap, black, white, result } = read;
  return {
    ...newGame(read.width, read.height), start, moves, later, at: moves.length, rules, komi, handicap, black, white, result,
    first: moves[0]?.[0] ?? (handicap > 1 ? "white" : "black"), given: { rules, komi }, notes,
    record: source,
  };
}

export const toPlay = (game: Game): Colour =>
  game.moves[game.at]?.[0] ?? (game.at > 0 ? opposite(game.moves[game.at - 1][0]) : game.first);

/** The current position as the start of a game without moves. */
export const fromHere = (game: Game, rows: Rows): Game => ({ ...game, start: rows, moves: [], later: [], at: 0, first: toPlay(game) });

/** The position as the service wants it. */
export function request(game: Game): Position {
  const { record, given, rules, komi } = game;
  if (record && given)
    return {
      ...record,
      ...(game.at < game.moves.length ? { move: game.at } : {}),
      ...(rules === given.rules ? {} : { rules }),
      ...(komi === given.komi ? {} : { komi }),
    };
  const played = game.at > 0 || game.handicap > 1 || game.start.every((row) => row.every((sign) => sign === 0));
  return {
    board: linesOf(game.start), to_play: game.first, rules, komi, handicap: game.handicap,
    ...(played ? { moves: game.moves.slice(0, game.at) } : {}),
  };
}

/** Whether the captured stones have to be given by the user. */
export const capturesUnknown = (game: Game): boolean => !("moves" in request(game)) && !game.record;

/** The game with a move at the current position; later moves are dropped. */
export function withMove(game: Game, name: string): Game {
  if (game.moves[game.at]?.[1] === name) return { ...game, at: game.at + 1, marks: {} };
  const { moves, at, ...kept } = game.later.length ? fromHere(game, replay(game.start, game.moves, game.later)[game.at]) : game;
  const played: Move[] = [...moves.slice(0, at), [toPlay(game), name]];
  return { ...kept, moves: played, at: played.length, marks: {}, ...cut };
}

/** The current position as the start of a new game, with one point changed. */
export function withStone(game: Game, rows: Rows, point: Vertex, sign: 0 | 1 | -1): Game {
  return { ...fromHere(game, put(rows, point, sign)), marks: {}, handicap: 0, ...cut };
}

/** A changed game has no record; its rules and komi stay. */
const cut = { record: null, given: null, result: "" };

export const isOver = (game: Game): boolean =>
  game.at > 1 && game.moves[game.at - 1][1] === "pass" && game.moves[game.at - 2][1] === "pass";

export const lastPoint = (game: Game): string => (game.at ? game.moves[game.at - 1][1] : "");

export const marksOf = (stones: Vertex[], height: number): string[] => stones.map((stone) => nameOf(stone, height));
