// The modes of the page, the keys that choose them, and the tools of the set-up.

export type Mode = "count" | "estimate" | "moves" | "setup" | "play";
export const MODES: Mode[] = ["count", "estimate", "moves", "setup", "play"];
export const MODE_KEYS: Record<string, Mode> = { c: "count", e: "estimate", m: "moves", s: "setup", p: "play" };

export type Tool = "black" | "white" | "erase" | "alternate";
export const TOOLS: Tool[] = ["black", "white", "erase", "alternate"];
