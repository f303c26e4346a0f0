// The board: Shudan's stones, with our marks drawn over them. Taps, swipes and a keyboard cursor are read here.

import { Goban } from "@sabaki/shudan";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { letterOf, nameOf, vertexOf, type Rows, type Vertex } from "./board";

export interface Marks {
  /** Expected owner of each point, from −1 (White) to 1 (Black); the size of a square is its certainty. */
  owner?: number[][];
  dead?: Set<string>;
  seki?: Set<string>;
  unclear?: Set<string>;
  selected?: Set<string>;
  labels?: Map<string, string>;
  last?: string;
}

interface Props extends Marks {
  rows: Rows;
  label: string;
  swipe: boolean;
  onTap: (point: Vertex) => void;
  onSwipe: (point: Vertex) => void;
}

const EDGE = 1; // coordinates on each side, in points
const BORDER = 3; // border of .goban on each side, in pixels

/** The marks of the points as SVG. A square on a stone shows only that the stone belongs to the other side. */
export function shapes(rows: Rows, marks: Marks): JSX.Element[] {
  const found: JSX.Element[] = [];
  rows.forEach((row, y) =>
    row.forEach((sign, x) => {
      const name = nameOf([x, y], rows.length);
      const [cx, cy] = [x + 0.5, y + 0.5];
      const owner = marks.owner?.[y]?.[x] ?? 0;
      if (marks.selected?.has(name))
        found.push(<rect key={`c${name}`} class="chosen" x={x + 0.04} y={y + 0.04} width={0.92} height={0.92} rx={0.2} />);
      if (Math.abs(owner) >= 0.1 && sign !== Math.sign(owner) && !marks.dead?.has(name)) {
        const side = 0.44 * Math.min(1, Math.abs(owner));
        const colour = owner > 0 ? "own black" : "own white";
        found.push(<rect key={name} class={colour} x={cx - side / 2} y={cy - side / 2} width={side} height={side} />);
      }
      if (marks.dead?.has(name))
        found.push(
          <path key={`d${name}`} class={`cross s${sign}`} d={`M${x + 0.28} ${y + 0.28}l.44 .44m0 -.44l-.44 .44`} />,
        );
      if (marks.seki?.has(name)) found.push(<circle key={`s${name}`} class={`seki s${sign}`} cx={cx} cy={cy} r={0.2} />);
      if (marks.unclear?.has(name)) found.push(<text key={`u${name}`} class={`sign s${sign}`} x={cx} y={cy + 0.2}>?</text>);
      const label = marks.labels?.get(name);
      if (label) {
        if (!sign) found.push(<circle key={`b${name}`} class="spot" cx={cx} cy={cy} r={0.4} />);
        found.push(<text key={`l${name}`} class={`sign s${sign}`} x={cx} y={cy + 0.19}>{label}</text>);
      }
      if (marks.last === name && !marks.dead?.has(name) && !marks.unclear?.has(name) && !marks.seki?.has(name))
        found.push(<circle key="last" class={`last s${sign}`} cx={cx} cy={cy} r={0.24} />);
    }),
  );
  return found;
}

export function BoardView({ rows, label, swipe, onTap, onSwipe, ...marks }: Props) {
  const [height, width] = [rows.length, rows[0].length];
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState(20);
  const [cursor, setCursor] = useState<Vertex | null>(null);
  const swiping = useRef<string | null>(null);

  useEffect(() => {
    const fit = () => {
      const parent = frame.current?.parentElement;
      if (!parent) return;
      const tall = window.innerWidth <= 820 ? 10_000 : window.innerHeight - 215;
      const room = Math.min((parent.clientWidth - 2 * BORDER) / (width + 2 * EDGE), tall / (height + 2 * EDGE));
      setSize(Math.max(8, Math.min(60, Math.floor(room * 4) / 4)));
    };
    fit();
    window.addEventListener("resize", fit);
    return () => window.removeEventListener("resize", fit);
  }, [width, height]);

  const pointOf = (event: PointerEvent): Vertex | null => {
    const content = frame.current?.querySelector(".shudan-content")?.getBoundingClientRect();
    if (!content) return null;
    const x = Math.floor(((event.clientX - content.left) / content.width) * width);
    const y = Math.floor(((event.clientY - content.top) / content.height) * height);
    return x >= 0 && x < width && y >= 0 && y < height ? [x, y] : null;
  };
  const down = (event: PointerEvent) => {
    const point = pointOf(event);
    setCursor(null);
    if (!point || event.button > 0) return;
    if (!swipe) return;
    frame.current?.setPointerCapture(event.pointerId);
    swiping.current = String(point);
    onTap(point);
  };
  const moved = (event: PointerEvent) => {
    const point = swiping.current === null ? null : pointOf(event);
    if (!point || String(point) === swiping.current) return;
    swiping.current = String(point);
    onSwipe(point);
  };
  const up = () => {
    swiping.current = null;
  };
  const click = (event: MouseEvent) => {
    const point = pointOf(event as PointerEvent);
    if (point && !swipe) onTap(point);
  };
  const key = (event: KeyboardEvent) => {
    const [x, y] = cursor ?? [Math.floor(width / 2), Math.floor(height / 2)];
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) setCursor([Math.min(width - 1, Math.max(0, x + step[0])), Math.min(height - 1, Math.max(0, y + step[1]))]);
    else if ((event.key === "Enter" || event.key === " ") && cursor) onTap(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Shudan draws every point anew, so it is asked only if something has changed.
  const board = useMemo(() => (
    <Goban
      vertexSize={size}
      signMap={rows}
      dimmedVertices={[...(marks.dead ?? [])].map((name) => vertexOf(name, height) as Vertex)}
      showCoordinates coordX={letterOf}
      coordY={(y: number) => height - y}
    />
  ), [size, rows, marks.dead]);

  return (
    <div
      ref={frame}
      class={swipe ? "goban swipe" : "goban"}
      tabIndex={0}
      role="application"
      aria-label={cursor ? `${label}, ${nameOf(cursor, height)}` : label}
      onPointerDown={down}
      onPointerMove={moved}
      onPointerUp={up}
      onPointerCancel={up}
      onClick={click}
      onKeyDown={key}
      onBlur={() => setCursor(null)}
    >
      {board}
      <svg
        class="marks"
        viewBox={`${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 2 * EDGE}`}
        aria-hidden="true"
      >
        {shapes(rows, marks)}
        {cursor && <rect class="cursor" x={cursor[0] + 0.05} y={cursor[1] + 0.05} width={0.9} height={0.9} rx={0.1} />}
      </svg>
    </div>
  );
}
