// Answers of the service that follow the state of the page.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask, preparedAnswer } from "./api";

/**
 * The service's answer to a request that depends on the state, at once if it was prepared. While one is on its way, only
 * the newest waits; a long one is dropped as soon as another is wanted, and the service stops working on it.
 */
export function useAnswer<T>(path: string, body: object | null, onError: (error: string) => void, long = false): T | null {
  const answer = useRef<T | null>(null);
  const [, draw] = useState({});
  const wanted = useRef({ key: "", body });
  const busy = useRef<AbortController | null>(null);
  const key = body ? JSON.stringify(body) : "";
  wanted.current = { key, body };
  const ready = preparedAnswer<T>(path, body);
  if (ready) answer.current = ready;
  const run = () => {
    const asked = wanted.current;
    if (!asked.body || busy.current) return;
    const stop = new AbortController();
    busy.current = stop;
    ask<T>(path, asked.body, stop.signal)
      .then((value) => {
        onError("");
        answer.current = value;
        draw({});
      })
      .catch((problem: Error) => {
        if (wanted.current.key === asked.key && !stop.signal.aborted) onError(problem.message);
      })
      .finally(() => {
        busy.current = null;
        if (wanted.current.key !== asked.key || stop.signal.aborted) run();
      });
  };
  useLayoutEffect(() => {
    if (!ready) run(); // before the browser paints the board, which takes longer than the answer
    return long ? () => busy.current?.abort() : undefined;
  }, [key]);
  return body ? answer.current : null;
}
