// Downloads: the game as SGF with marks, and the board as a picture.

import { nameOf, vertexOf, type Edit, type Move, type Rows } from "./board";

export interface Saved {
  start: Rows;
  moves: Move[];
  later: Edit[];
  rules: string;
  komi: number;
  handicap: number;
  black: string;
  white: string;
  result: string;
}

const escape = (text: string) => text.replace(/([\]\\])/g, "\\$1");
const letters = (x: number, y: number) => String.fromCharCode(97 + x, 97 + y);

/** The game as SGF; its last node has the territory, the dead stones and a comment. */
export function sgfOf(game: Saved, last: Rows, owner: string[], dead: string[], comment: string): string {
  const [width, height] = [game.start[0].length, game.start.length];
  const point = (name: string) => {
    const vertex = vertexOf(name, height);
    return vertex ? letters(...vertex) : "";
  };
  const points = (key: string, names: string[]) => (names.length ? key + names.map((name) => `[${point(name)}]`).join("") : "");
  const stones = (sign: number) =>
    game.start.flatMap((row, y) => row.flatMap((there, x) => (there === sign ? nameOf([x, y], height) : [])));
  const gone = new Set(dead);
  const territory = (letter: string) =>
    owner.flatMap((row, y) =>
      [...row].flatMap((there, x) => {
        const name = nameOf([x, y], height);
        return there === letter && (last[y][x] === 0 || gone.has(name)) ? name : [];
      }),
    );
  const head = [
    `FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[${width === height ? width : `${width}:${height}`}]`,
    `RU[${escape(game.rules)}]KM[${game.komi}]`,
    game.handicap ? `HA[${game.handicap}]` : "",
    game.black ? `PB[${escape(game.black)}]` : "",
    game.white ? `PW[${escape(game.white)}]` : "",
    game.result ? `RE[${escape(game.result)}]` : "",
    points("AB", stones(1)),
    points("AW", stones(-1)),
  ].join("");
  const marks = points("TB", territory("X")) + points("TW", territory("O")) + points("MA", dead);
  const end = `${marks}${comment ? `C[${escape(comment)}]` : ""}`;
  const edits = (after: number) => {
    const here = game.later.filter((edit) => edit[0] === after);
    const set = { AB: "black", AW: "white", AE: "empty" };
    const values = Object.entries(set).map(([key, colour]) => points(key, here.filter((edit) => edit[1] === colour).map((edit) => edit[2])));
    return here.length ? `;${values.join("")}` : "";
  };
  const moves = game.moves.map(([colour, name], i) => `;${colour === "black" ? "B" : "W"}[${point(name)}]${edits(i + 1)}`);
  return `(;${head}${moves.join("\n")}${end})\n`;
}

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Font sizes are attributes of the drawing: browsers with a smallest font size would give another one here. */
const STYLES = ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-weight", "text-anchor", "vector-effect", "shape-rendering"];

/** The board of the page, which is SVG, as a PNG. */
export async function pngOf(board: SVGSVGElement, cell = 40): Promise<Blob> {
  const { width, height } = board.viewBox.baseVal;
  const canvas = document.createElement("canvas");
  canvas.width = width * cell;
  canvas.height = height * cell;
  const picture = await loaded(standalone(board, canvas.width, canvas.height));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture")))));
}

/** Copy a drawing with the style that it has on the page. */
function standalone(drawing: SVGSVGElement, width: number, height: number): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const shown = [...drawing.querySelectorAll("*")];
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(shown[i]);
    for (const key of STYLES) element.setAttribute(key, style.getPropertyValue(key));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", `${width}`);
  copy.setAttribute("height", `${height}`);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
}

function loaded(url: string): Promise<HTMLImageElement> {
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => fail(new Error("no picture"));
    image.src = url;
  });
}
