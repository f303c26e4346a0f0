// The service's answers, and how to ask for them.

import type { Colour, Edit, Move } from "./board";

export type Status = "alive" | "dead" | "seki" | "unclear";
export type Mark = "alive" | "dead" | "seki";

export interface Reason {
  kind: string;
  points: string[];
  sentence: string;
}

export interface Verdict {
  points: string[];
  status: Status;
  p: number;
  reasons: Reason[];
}

export interface Line {
  label: string;
  black: number;
  white: number;
}

export interface Score {
  board: string[];
  captures: { black: number; white: number };
  rules: string;
  komi: number;
  state: string;
  headline: string;
  result: string;
  lead: number;
  recorded: string;
  safe: boolean;
  dead: string[];
  seki: string[];
  unclear: string[];
  owner: string[];
  lines: Line[];
  verdicts: Verdict[];
  warnings: string[];
  dame: string[];
  unsealed: string[];
  protections: string[];
  differences: string[];
  explanations: Explanation[];
}

/** What would lead to the recorded result; the marks are empty if it is not the fate of a group. */
export interface Explanation {
  sentence: string;
  marks: Record<string, Mark>;
}

export interface Estimate {
  ownership: number[][];
  lead: number;
  lead_sd: number;
  winrate: number;
  warnings: string[];
  reasons?: Record<string, Reason[]>;
}

export interface Suggestion {
  move: string;
  p: number;
  reasons: Reason[];
}

export interface ReviewedMove {
  move: number;
  colour: Colour;
  point: string;
  lead: number;
  winrate: number;
  lead_sd: number;
  swing: number;
}

export interface Swing {
  move: number;
  colour: Colour;
  point: string;
  loser: Colour;
  points: number;
  noise: number;
  better: string | null;
}

export interface Review {
  start: { lead: number; winrate: number };
  moves: ReviewedMove[];
  swings: Swing[];
  method: string;
}

export interface GameRecord {
  width: number;
  height: number;
  rules: string;
  komi: number;
  handicap: number;
  black: string;
  white: string;
  result: string;
  setup: Move[];
  moves: Move[];
  later: Edit[];
  board: string[];
  warnings: string[];
}

export interface Reply {
  /** A point, pass or resign. */
  move: string;
  hopeless: number;
  winrate: number;
  lead: number;
}

export type Position = Record<string, unknown>;

/** Ask the service; an error has a sentence for the user. */
export async function ask<T>(path: string, request: object, signal?: AbortSignal): Promise<T> {
  let response: Response | undefined;
  let answer;
  try {
    response = await fetch(`api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal,
    });
    answer = await response.json();
  } catch (problem) {
    if (signal?.aborted) throw problem; // also while the body arrives
    throw new Error(response && !response.ok ? `HTTP ${response.status}` : "offline");
  }
  if (!response.ok) throw new Error(answer.error ?? `HTTP ${response.status}`);
  return answer as T;
}

let prepared = { key: "", answer: null as unknown };
const keyOf = (path: string, request: object) => `${path} ${JSON.stringify(request)}`;

/** Ask for what the page is about to want, so that it can be drawn at once; an error is left to who asks then. */
export async function prepare(path: string, request: object): Promise<void> {
  try {
    const answer = await ask(path, request);
    prepared = { key: keyOf(path, request), answer };
  } catch {
    // asked again when it is wanted
  }
}

/** The answer to a request if it is the one that was prepared last. */
export const preparedAnswer = <T>(path: string, request: object | null): T | null =>
  request && prepared.key === keyOf(path, request) ? (prepared.answer as T) : null;

/** The text of a file, or its bytes in base64 if they are not UTF-8: the service finds their encoding. */
export async function recordOf(file: Blob): Promise<Position> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return { sgf: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return { sgf_base64: btoa(binary) };
  }
}
