// Stones on a board: names of points, chains and captures. Counting stays in Python.

export type Sign = 0 | 1 | -1;
export type Rows = Sign[][];
export type Colour = "black" | "white";
export type Move = [Colour, string];
/** A stone put on the board or taken off it after a number of moves. */
export type Edit = [after: number, colour: Colour | "empty", point: string];
export type Vertex = [x: number, y: number];

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

export const signOf = (colour: Colour): Sign => (colour === "black" ? 1 : -1);
export const opposite = (colour: Colour): Colour => (colour === "black" ? "white" : "black");
export const letterOf = (x: number): string => LETTERS[x];

export const emptyRows = (width: number, height: number): Rows =>
  Array.from({ length: height }, () => new Array<Sign>(width).fill(0));

/** The name of a point, such as D4. */
export const nameOf = ([x, y]: Vertex, height: number): string => `${LETTERS[x]}${height - y}`;

/** The point of a name; null for a pass. */
export function vertexOf(name: string, height: number): Vertex | null {
  const match = /^([A-Z])(\d+)$/.exec(name);
  return match ? [LETTERS.indexOf(match[1]), height - Number(match[2])] : null;
}

export const rowsOf = (lines: string[]): Rows =>
  lines.map((line) => [...line].map((sign): Sign => (sign === "X" ? 1 : sign === "O" ? -1 : 0)));

export const linesOf = (rows: Rows): string[] => rows.map((row) => row.map((sign) => ".XO".at(sign)).join(""));

const around = ([x, y]: Vertex, rows: Rows): Vertex[] =>
  ([[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]] as Vertex[]).filter(([a, b]) => rows[b]?.[a] !== undefined);

/** The stones of the chain at a point; if a liberty ends the search, null as soon as one is found. */
function flood(rows: Rows, start: Vertex, libertyEnds: boolean): Vertex[] | null {
  const sign = rows[start[1]][start[0]];
  const width = rows[0].length;
  const seen = new Set([start[1] * width + start[0]]);
  const stones: Vertex[] = [start];
  for (let i = 0; i < stones.length; i++) {
    for (const next of around(stones[i], rows)) {
      const there = rows[next[1]][next[0]];
      if (!there && libertyEnds) return null;
      const place = next[1] * width + next[0];
      if (there !== sign || seen.has(place)) continue;
      seen.add(place);
      stones.push(next);
    }
  }
  return stones;
}

export const chainAt = (rows: Rows, start: Vertex): Vertex[] => flood(rows, start, false) ?? [];
const capturedAt = (rows: Rows, start: Vertex): Vertex[] => flood(rows, start, true) ?? [];

/** The board after a stone, without the chains it captures; null if the point is taken or the move is suicide. */
export function place(rows: Rows, point: Vertex, sign: Sign): Rows | null {
  if (rows[point[1]][point[0]] !== 0) return null;
  let after = put(rows, point, sign);
  for (const next of around(point, after)) {
    if (after[next[1]][next[0]] !== -sign) continue;
    for (const stone of capturedAt(after, next)) after = put(after, stone, 0);
  }
  return capturedAt(after, point).length ? null : after;
}

/**
 * The position before every move and after the last one, with the stones that are set up before the next move. A move
 * that cannot be played only puts its stone down.
 */
export function replay(start: Rows, moves: Move[], later: Edit[]): Rows[] {
  const positions = [start];
  for (const [colour, name] of moves) {
    let rows = positions[positions.length - 1];
    const point = vertexOf(name, rows.length);
    if (point) rows = place(rows, point, signOf(colour)) ?? put(rows, point, signOf(colour));
    for (const [after, stone, where] of later) {
      const there = after === positions.length ? vertexOf(where, rows.length) : null;
      if (there) rows = put(rows, there, stone === "empty" ? 0 : signOf(stone));
    }
    positions.push(rows);
  }
  return positions;
}

/** The board with one point changed; the other rows are shared. */
export function put(rows: Rows, [x, y]: Vertex, sign: Sign): Rows {
  const after = [...rows];
  after[y] = [...rows[y]];
  after[y][x] = sign;
  return after;
}

/** The places of 2–9 handicap stones, as GTP has them. */
export function handicapPoints(width: number, height: number, stones: number): Vertex[] {
  const [left, top] = [width > 12 ? 3 : 2, height > 12 ? 3 : 2];
  const [right, bottom] = [width - 1 - left, height - 1 - top];
  const [x, y] = [Math.floor(width / 2), Math.floor(height / 2)];
  const corners: Vertex[] = [[left, bottom], [right, top], [left, top], [right, bottom]];
  const sides: Vertex[] = [[left, y], [right, y], [x, bottom], [x, top]];
  const places = stones < 8 ? [...corners, ...sides.slice(0, 2)] : [...corners, ...sides];
  return stones % 2 && stones > 4 ? [...places.slice(0, stones - 1), [x, y]] : places.slice(0, stones);
}
