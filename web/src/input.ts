// Keys, dropped files and pasted records, anywhere on the page.

import { useEffect } from "preact/hooks";
import { recordOf, type Position } from "./api";
import { MODE_KEYS, type Mode } from "./modes";

const STEPS: Record<string, (at: number) => number> = {
  ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1, Home: () => 0, End: () => Infinity,
};
const FIELDS = "input, textarea, select";

export function useKeys(walk: (to: (at: number) => number) => void, undo: () => void, setMode: (mode: Mode) => void): void {
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.target instanceof Element && event.target.matches(FIELDS)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const letter = event.key.toLowerCase();
      if (event.key in STEPS) walk(STEPS[event.key]);
      else if (letter === "u") undo();
      else if (letter in MODE_KEYS) setMode(MODE_KEYS[letter]);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  });
}

export function useRecords(read: (source: Position) => Promise<void>): void {
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      const words = event.dataTransfer?.getData("text");
      if (file) void recordOf(file).then(read);
      else if (words) void read({ sgf: words });
    };
    const paste = (event: ClipboardEvent) => {
      const words = event.clipboardData?.getData("text") ?? "";
      if (!(event.target instanceof HTMLTextAreaElement) && words.trim().startsWith("(")) void read({ sgf: words });
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
}

/** Follow the address when a link to another position is opened in this tab, or by Back. */
export function useAddress(open: () => void): void {
  useEffect(() => {
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  });
}
