// The board as one SVG drawing, with a point as its unit. Taps, swipes and a keyboard cursor are read here.

import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { handicapPoints, letterOf, nameOf, type Rows, type Vertex } from "./board";

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

const EDGE = 1; // coordinates on each side
const RADIUS = 0.465; // of a stone

/** Wood, lines, star points and coordinates. */
function Grid({ width, height }: { width: number; height: number }) {
  const columns = Array.from({ length: width }, (_, x) => `M${x + 0.5} .5v${height - 1}`);
  const lines = Array.from({ length: height }, (_, y) => `M.5 ${y + 0.5}h${width - 1}`);
  const stars = Math.min(width, height) < 7 ? 0 : width % 2 && height % 2 ? (Math.min(width, height) > 12 ? 9 : 5) : 4;
  const rim = (end: number) => [-0.5 * EDGE, end + 0.5 * EDGE];
  return (
    <>
      <rect class="wood" x={-EDGE} y={-EDGE} width={width + 2 * EDGE} height={height + 2 * EDGE} />
      <path class="lines" d={[...columns, ...lines].join("")} />
      {handicapPoints(width, height, stars).map(([x, y]) => <circle key={`${x} ${y}`} class="star" cx={x + 0.5} cy={y + 0.5} r={0.1} />)}
      <g class="names" font-size={0.45}>
        {columns.flatMap((_, x) => rim(height).map((y) => <text key={`${x} ${y}`} x={x + 0.5} y={y + 0.15}>{letterOf(x)}</text>))}
        {lines.flatMap((_, y) => rim(width).map((x) => <text key={`${x} ${y}`} x={x} y={y + 0.65}>{height - y}</text>))}
      </g>
    </>
  );
}

/** The stones: one path for those of a colour and one for its dead ones, because hundreds of elements take long to draw. */
function Stones({ rows, dead }: { rows: Rows; dead: Set<string> }) {
  const kinds: Record<string, string[]> = { black: [], white: [], "black dead": [], "white dead": [] };
  rows.forEach((row, y) =>
    row.forEach((sign, x) => {
      if (!sign) return;
      const kind = (sign > 0 ? "black" : "white") + (dead.has(nameOf([x, y], rows.length)) ? " dead" : "");
      const half = `a${RADIUS} ${RADIUS} 0 0 1`;
      kinds[kind].push(`M${x + 0.5 - RADIUS} ${y + 0.5}${half} ${2 * RADIUS} 0${half} ${-2 * RADIUS} 0z`);
    }),
  );
  return <g class="stones">{Object.entries(kinds).map(([kind, circles]) => <path key={kind} class={kind} d={circles.join("")} />)}</g>;
}

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
  const drawing = useRef<SVGSVGElement>(null);
  const [cursor, setCursor] = useState<Vertex | null>(null);
  const swiping = useRef<string | null>(null);

  const pointOf = (event: PointerEvent): Vertex | null => {
    const box = drawing.current?.getBoundingClientRect();
    if (!box) return null;
    const x = Math.floor(((event.clientX - box.left) / box.width) * (width + 2 * EDGE) - EDGE);
    const y = Math.floor(((event.clientY - box.top) / box.height) * (height + 2 * EDGE) - EDGE);
    return x >= 0 && x < width && y >= 0 && y < height ? [x, y] : null;
  };
  const down = (event: PointerEvent) => {
    const point = pointOf(event);
    setCursor(null);
    if (!point || event.button > 0) return;
    if (!swipe) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
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

  const grid = useMemo(() => <Grid width={width} height={height} />, [width, height]);
  const stones = useMemo(() => <Stones rows={rows} dead={marks.dead ?? new Set()} />, [rows, marks.dead]);
  const [across, along] = [width + 2 * EDGE, height + 2 * EDGE];

  return (
    <div
      class={swipe ? "goban swipe" : "goban"}
      style={{ "--across": across, "--down": along }}
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
      <svg ref={drawing} viewBox={`${-EDGE} ${-EDGE} ${across} ${along}`} aria-hidden="true">
        {grid}
        {stones}
        <g class="marks" font-size={0.55}>
          {shapes(rows, marks)}
          {cursor && <rect class="cursor" x={cursor[0] + 0.05} y={cursor[1] + 0.05} width={0.9} height={0.9} rx={0.1} />}
        </g>
      </svg>
    </div>
  );
}
