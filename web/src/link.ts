// A position in the fragment of the page's address: nothing of it reaches a server.

import { emptyRows, nameOf, signOf, vertexOf, type Colour, type Move, type Rows, type Vertex } from "./board";
import type { Mark } from "./api";

export interface Linked {
  start: Rows;
  first: Colour;
  moves: Move[];
  at: number;
  rules: string;
  komi: number;
  handicap: number;
  marks: Record<string, Mark>;
}

const letters = (x: number, y: number): string => String.fromCharCode(97 + x, 97 + y);
const MARKS: Mark[] = ["alive", "dead", "seki"];

export function fragmentOf(game: Linked): string {
  const [width, height] = [game.start[0].length, game.start.length];
  const stones = (sign: number) =>
    game.start.flatMap((row, y) => row.flatMap((there, x) => (there === sign ? letters(x, y) : []))).join("");
  const point = (name: string) => {
    const vertex = vertexOf(name, height);
    return vertex ? letters(...vertex) : "zz";
  };
  const fields: Record<string, string> = {
    s: width === height ? `${width}` : `${width}:${height}`,
    b: stones(1),
    w: stones(-1),
    f: game.first === "white" ? "w" : "",
    m: game.moves.map(([colour, name]) => (colour === "black" ? point(name) : point(name).toUpperCase())).join(""),
    n: game.at === game.moves.length ? "" : `${game.at}`,
    r: game.rules,
    k: `${game.komi}`,
    h: game.handicap ? `${game.handicap}` : "",
  };
  for (const mark of MARKS)
    fields[mark] = Object.keys(game.marks).filter((name) => game.marks[name] === mark).map(point).join("");
  return new URLSearchParams(Object.entries(fields).filter(([, value]) => value)).toString();
}

export function readFragment(fragment: string): Linked | null {
  const fields = new URLSearchParams(fragment);
  const [width, height = width] = (fields.get("s") ?? "").split(":").map(Number);
  if (!(width >= 2 && width <= 25 && height >= 2 && height <= 25)) return null;
  const pairs = (key: string) => (fields.get(key) ?? "").match(/[a-z]{2}/gi) ?? [];
  const vertex = (pair: string): Vertex | null => {
    const [x, y] = [...pair.toLowerCase()].map((letter) => letter.charCodeAt(0) - 97);
    return x < width && y < height ? [x, y] : null;
  };
  const start = emptyRows(width, height);
  for (const [key, colour] of [["b", "black"], ["w", "white"]] as [string, Colour][])
    for (const pair of pairs(key)) {
      const point = vertex(pair);
      if (point) start[point[1]][point[0]] = signOf(colour);
    }
  const name = (pair: string) => {
    const point = vertex(pair);
    return point ? nameOf(point, height) : "pass";
  };
  const moves = pairs("m").map((pair): Move => [pair === pair.toLowerCase() ? "black" : "white", name(pair)]);
  const marks: Record<string, Mark> = {};
  for (const mark of MARKS) for (const pair of pairs(mark)) marks[name(pair)] = mark;
  const number = (key: string, usual: number) => {
    const value = Number(fields.get(key) ?? usual);
    return Number.isFinite(value) ? value : usual;
  };
  return {
    start,
    first: fields.get("f") === "w" ? "white" : "black",
    moves,
    at: Math.max(0, Math.min(moves.length, Math.round(number("n", moves.length)))),
    rules: fields.get("r") ?? "japanese",
    komi: number("k", 6.5),
    handicap: Math.max(0, Math.round(number("h", 0))),
    marks,
  };
}
