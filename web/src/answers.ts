// Answers of the service that follow the state of the page.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask, preparedAnswer } from "./api";

export interface Answer<T> {
  /** The last answer about the subject; while another is on its way, the one before. */
  value: T | null;
  /** Why what is wanted now cannot be answered. */
  error: string;
  /** Whether what is wanted now has been answered or refused. */
  done: boolean;
}

/** Milliseconds before a long request is sent: the page is painted first, and one that is dropped soon costs nothing. */
const PAUSE = 150;

/**
 * The service's answer to a request that depends on the state, at once if it was prepared. While one is on its way, only
 * the newest waits; a long one is dropped as soon as another is wanted, and the service stops working on it. An answer
 * about another subject is forgotten.
 */
export function useAnswer<T>(path: string, body: object | null, subject: unknown, long = false): Answer<T> {
  const [, draw] = useState({});
  const wanted = useRef({ key: "", body, subject });
  const held = useRef({ key: "", subject, value: null as T | null, error: "" });
  const busy = useRef<AbortController | null>(null);
  const key = body ? JSON.stringify(body) : "";
  wanted.current = { key, body, subject };
  if (held.current.subject !== subject) held.current = { key: "", subject, value: null, error: "" };
  const ready = body && preparedAnswer<T>(path, body);
  if (ready) held.current = { key, subject, value: ready, error: "" };
  const run = () => {
    const asked = wanted.current;
    if (!asked.body || busy.current || (held.current.key === asked.key && !held.current.error)) return;
    const stop = new AbortController();
    busy.current = stop;
    const settle = (value: T | null, error: string) => {
      if (stop.signal.aborted || wanted.current.subject !== asked.subject || (error && wanted.current.key !== asked.key)) return;
      held.current = { key: asked.key, subject: asked.subject, value, error };
      draw({});
    };
    ask<T>(path, asked.body, stop.signal)
      .then((value) => settle(value, ""))
      .catch((problem: Error) => settle(null, problem.message))
      .finally(() => {
        busy.current = null;
        // A long one was aborted if another is wanted, which has its own timer.
        if (!long && (wanted.current.key !== asked.key || wanted.current.subject !== asked.subject)) run();
      });
  };
  useLayoutEffect(() => {
    if (!long) return run(); // before the browser paints the board, which takes longer than the answer
    const timer = setTimeout(run, PAUSE);
    return () => {
      clearTimeout(timer);
      busy.current?.abort();
    };
  }, [key, subject]);
  const { value, error } = held.current;
  return { value: body ? value : null, error: body ? error : "", done: held.current.key === key };
}
