// What the page shows: a start position, moves, and the settings of the count.

import { recordOf, type GameRecord, type Mark, type Position } from "./api";
import {
  emptyRows, handicapPoints, linesOf, nameOf, opposite, put, replay, rowsOf, signOf, vertexOf,
  type Colour, type Move, type Rows, type Vertex,
} from "./board";
import type { Linked } from "./link";

export interface Game extends Linked {
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
  japanese: 6.5, korean: 6.5, "japanese-ogs": 6.5, chinese: 7.5, aga: 7.5, "aga-button": 7, "new-zealand": 7,
  "tromp-taylor": 7.5, ing: 8, stone: 7.5, "ancient-territory": 6.5,
};
export const RULES = Object.keys(KOMI);

export function newGame(width: number, height = width, rules = "japanese", handicap = 0): Game {
  const start = emptyRows(width, height);
  const stones = handicap > 1 ? handicapPoints(width, height, handicap) : [];
  for (const [x, y] of stones) start[y][x] = 1;
  return {
    start, first: stones.length ? "white" : "black", moves: [], at: 0, rules, handicap: stones.length,
    komi: stones.length ? 0.5 : (KOMI[rules] ?? 6.5), marks: {}, black: "", white: "", result: "", record: null,
    given: null, captures: [0, 0], notes: [],
  };
}

export const gameOfLink = (link: Linked): Game => ({ ...newGame(link.start[0].length, link.start.length), ...link });

/** The game of a record that the service has read. */
export function gameOfRecord(read: GameRecord, source: Position, laterSetup: string): Game {
  let start = emptyRows(read.width, read.height);
  for (const [colour, name] of read.setup) {
    const point = vertexOf(name, read.height);
    if (point) start = put(start, point, signOf(colour));
  }
  let moves = read.moves;
  const notes = [...read.warnings];
  if (linesOf(replay(start, moves)[moves.length]).join() !== read.board.join()) {
    start = rowsOf(read.board);
    notes.push(laterSetup);
    moves = [];
  }
  const { rules, komi, handicap, black, white, result } = read;
  return {
    ...newGame(read.width, read.height), start, moves, at: moves.length, rules, komi, handicap, black, white, result,
    first: moves[0]?.[0] ?? (handicap > 1 ? "white" : "black"), given: { rules, komi }, notes,
    record: moves.length === read.moves.length ? source : { ...source },
  };
}

export const toPlay = (game: Game): Colour =>
  game.at > 0 ? opposite(game.moves[game.at - 1][0]) : (game.moves[0]?.[0] ?? game.first);

/** The position as the service wants it. */
export function request(game: Game): Position {
  const { record, given, rules, komi } = game;
  if (record && given)
    return {
      ...record,
      ...(game.moves.length ? { move: game.at } : {}),
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
  const moves: Move[] = [...game.moves.slice(0, game.at), [toPlay(game), name]];
  const same = game.moves[game.at]?.[1] === name;
  return same
    ? { ...game, at: game.at + 1, marks: {} }
    : { ...game, moves, at: moves.length, marks: {}, ...cut(game) };
}

/** The current position as the start of a new game, with one point changed. */
export function withStone(game: Game, rows: Rows, point: Vertex, sign: 0 | 1 | -1): Game {
  const captures: [number, number] = game.captures;
  return {
    ...game, start: put(rows, point, sign), moves: [], at: 0, marks: {}, captures, handicap: 0, first: toPlay(game),
    ...cut(game),
  };
}

/** A changed game has no record; its rules and komi stay. */
const cut = (_game: Game) => ({ record: null, given: null, result: "" });

export const isOver = (game: Game): boolean =>
  game.at > 1 && game.moves[game.at - 1][1] === "pass" && game.moves[game.at - 2][1] === "pass";

export const lastPoint = (game: Game): string => (game.at ? game.moves[game.at - 1][1] : "");

export const marksOf = (stones: Vertex[], height: number): string[] => stones.map((stone) => nameOf(stone, height));

export { recordOf, type Mark };
