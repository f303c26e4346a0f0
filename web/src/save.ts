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

const COLOURS = { wood: "#ecc681", line: "#6b4a1e", ink: "#54391a" };

/** Draw the board and the marks of the page, which are SVG, into a PNG. */
export async function pngOf(rows: Rows, marks: SVGSVGElement, cell = 40): Promise<Blob> {
  const [height, width] = [rows.length, rows[0].length];
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2) * cell;
  canvas.height = (height + 2) * cell;
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.fillStyle = COLOURS.wood;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.strokeStyle = COLOURS.line;
  pen.fillStyle = COLOURS.ink;
  pen.font = `${cell * 0.4}px sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const at = (i: number) => (i + 1.5) * cell;
  for (let x = 0; x < width; x++) {
    line(pen, at(x), at(0), at(x), at(height - 1));
    for (const y of [0.5, height + 1.5]) pen.fillText(nameOf([x, 0], height).replace(/\d+/, ""), at(x), y * cell);
  }
  for (let y = 0; y < height; y++) {
    line(pen, at(0), at(y), at(width - 1), at(y));
    for (const x of [0.5, width + 1.5]) pen.fillText(`${height - y}`, x * cell, at(y));
  }
  rows.forEach((row, y) =>
    row.forEach((sign, x) => {
      if (!sign) return;
      pen.beginPath();
      pen.arc(at(x), at(y), cell * 0.46, 0, 7);
      pen.fillStyle = sign === 1 ? "#1c1c1e" : "#fcfbf7";
      pen.fill();
      pen.strokeStyle = "#2b2118";
      pen.stroke();
    }),
  );
  const picture = await loaded(standalone(marks, width, height, cell));
  pen.drawImage(picture, cell, cell, width * cell, height * cell);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture")))));
}

function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** Copy the marks with the style that they have on the page. */
function standalone(marks: SVGSVGElement, columns: number, rows: number, cell: number): string {
  const copy = marks.cloneNode(true) as SVGSVGElement;
  const shown = [...marks.querySelectorAll("*")];
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(shown[i]);
    for (const key of ["fill", "stroke", "stroke-width", "font-size", "font-family", "font-weight", "text-anchor"])
      element.setAttribute(key, style.getPropertyValue(key));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
  copy.setAttribute("width", `${columns * cell}`);
  copy.setAttribute("height", `${rows * cell}`);
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
