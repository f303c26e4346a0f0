// Black's lead over the moves of a game, with its largest swings.

import type { Review } from "./api";
import type { Strings } from "./strings";

interface Props {
  review: Review;
  at: number;
  text: Strings;
  onGo: (move: number) => void;
}

const [WIDTH, HEIGHT] = [600, 120];

export function LeadGraph({ review, at, text, onGo }: Props) {
  const leads = [review.start.lead, ...review.moves.map((move) => move.lead)];
  const top = Math.max(5, ...leads.map(Math.abs));
  const x = (move: number) => (leads.length > 1 ? (move / (leads.length - 1)) * WIDTH : 0);
  const y = (lead: number) => HEIGHT / 2 - (lead / top) * (HEIGHT / 2 - 8);
  const line = leads.map((lead, move) => `${x(move).toFixed(1)},${y(lead).toFixed(1)}`).join(" ");
  const here = Math.min(at, leads.length - 1);
  const now = leads[here];
  const go = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onGo(Math.round(((event.clientX - box.left) / box.width) * (leads.length - 1)));
  };
  const name = (colour: "black" | "white") => text[colour];
  return (
    <section class="graph">
      <h2>
        {text.lead}: {now >= 0 ? `${text.black} +${now.toFixed(1)}` : `${text.white} +${(-now).toFixed(1)}`}
      </h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" onClick={go} role="img" aria-label={text.review}>
        <polygon class="area" points={`0,${HEIGHT / 2} ${line} ${WIDTH},${HEIGHT / 2}`} />
        <line class="even" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        <polyline class="lead" points={line} />
        {review.swings.map((swing) => (
          <line
            key={swing.move} class="swing" x1={x(swing.move)} x2={x(swing.move)}
            y1={y(leads[swing.move]) - 9} y2={y(leads[swing.move]) + 9}
          />
        ))}
        <line class="now" x1={x(here)} x2={x(here)} y1={0} y2={HEIGHT} />
      </svg>
      <h3>{text.swings}</h3>
      {review.swings.length === 0 && <p class="quiet">{text.noSwings}</p>}
      <ul class="swings">
        {review.swings.slice(0, 6).map((swing) => (
          <li key={swing.move}>
            <button type="button" class="row" onClick={() => onGo(swing.move)}>
              <b>{swing.move}</b> {name(swing.colour)} {swing.point}: {name(swing.loser)} {text.loses}{" "}
              {swing.points.toFixed(1)} ± {swing.noise.toFixed(1)}
              {swing.better ? `; ${text.better} ${swing.better}` : ""}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
