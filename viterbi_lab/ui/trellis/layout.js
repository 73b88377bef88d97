/* Where everything stands in a stage of a given size. */

const CIRCLE_ROW = 19; // px; lower rows become heat cells
const DIGIT_ROW = 11; // px; lower ones still cannot hold digits

export const CARD = { width: 350, least: 280, slim: 316, margin: 6, height: (N) => 108 + 20 * Math.max(3, N) };
export const HEAD = 56; // px above the floors: site numbers, true labels, answer
export const SIGN = 14; // px that a negative price is longer
export const OTHER = 44; // px for the sums of the other table beside the last column, where they decide
const widest = (width) => Math.max(240, 0.25 * width); // px between columns, else edges become too flat to read
const NARROW = 820; // px; in a narrower stage the card stands under the floors
const LEAST_FLOORS = 560; // px the floors keep where the card stands beside them
export const ZOOM = { row: 32, step: 1.5 }; // px that a row has at most by zooming; one press of the button

/** Where everything stands in a stage of the given size: floors fill the height, k = 0 at the bottom; the card stands
 *  inside the empty triangle, beside the floors, below them, or aside with Algorithm 1. Through `view` a part of the
 *  table is looked at, `zoom` times as large: `view.t` is its first column, `view.k` its lowest floor. */
export function geometry(P, width, height, view, { minima, controls, em }, forced = "") {
  const whole = height / (P.K + 1);
  const rowOf = (lane) => (lane - 2 * Math.min(7, lane * 0.08)) / P.states;
  const most = rowOf(whole) < CIRCLE_ROW ? ZOOM.row / rowOf(whole) : 1;
  const zoom = Math.min(view.zoom, most);
  const lane = whole * zoom;
  const circles = rowOf(lane) >= CIRCLE_ROW;
  const written = rowOf(lane) >= DIGIT_ROW; // digits in the cells, names beside the rows
  const pad = written ? Math.min(7, lane * 0.08) : 0;
  const row = (lane - 2 * pad) / P.states;
  const r = Math.min(20, row * 0.47);
  const left = circles || written ? 82 : 48;
  const right = circles ? 196 + (minima ? OTHER + SIGN : 0) : controls ? 196 : 150;
  const room = circles ? (1.9 * r) / (em * (r < 11.5 ? 11.5 : r > 17 ? 15 : 13)) : 34 / (em * 10.5); // digits
  const G = { height, lane, pad, row, circles, written, r, left, right, room, minima, most, zoom, stands: forced };
  const place = (available) => {
    G.width = available;
    const span = available - left - right - 44;
    const gap = Math.min(widest(available), span / Math.max(1, P.T - 1));
    G.gap = gap * zoom;
    G.cell = circles ? 2 * r : Math.max(2, Math.min(written ? 34 : 26, G.gap * 0.62));
    G.end = left + 22 + gap * (P.T - 1) + G.cell / 2; // where the last column ends, or would end
    G.columns = gap ? span / G.gap : 1; // that are seen, and so many floors
    G.floors = height / lane;
  };
  G.x = (t) => left + 22 + (t - view.t) * G.gap;
  G.y = (k, s) => height - (k - view.k + 1) * lane + pad + (s + 0.5) * row;
  G.siteAt = (x) => view.t + (x - left - 22) / (G.gap || 1);
  G.floorAt = (y) => view.k + (height - y) / lane;
  /** Keep the view on the table. */
  G.clamp = () => {
    view.t = zoom > 1 ? Math.max(0, Math.min(P.T - 1 - G.columns, view.t)) : 0;
    view.k = zoom > 1 ? Math.max(0, Math.min(P.K + 1 - G.floors, view.k)) : 0;
  };
  /** The columns and floors that may be seen, [first, last] of each. */
  G.range = () => ({
    t: [Math.max(P.start, Math.floor(view.t) - 1), Math.min(P.T - 1, Math.ceil(view.t + G.columns) + 1)],
    k: [Math.max(0, Math.floor(view.k)), Math.min(P.K, Math.ceil(view.k + G.floors))],
  });
  const highest = (t) => {
    for (let k = P.K; k > 0; k--) for (let s = 0; s < P.states; s++) if (P.number[P.at(t, k, s)]) return G.y(k, s) - r;
    return height - lane;
  };
  if (zoom === 1) view.t = view.k = 0;
  place(width);
  const bottom = CARD.margin + CARD.height(P.N);
  let free = width - right;
  if (zoom > 1) free = 0;
  else for (let t = P.T - 1; t >= P.start; t--) if (highest(t) < bottom + 4) free = G.x(t) - (t > P.start ? G.gap * 0.5 : r + 10);
  free = Math.min(CARD.width, free - left - 2);
  const beside = width - CARD.width - 20;
  if (!forced) G.stands = width < NARROW ? "below" : bottom <= height && free >= CARD.least ? "inside" : beside >= LEAST_FLOORS ? "beside" : "below";
  if (G.stands === "beside") place(beside);
  G.card = G.stands === "beside" ? { left: beside + 10, width: CARD.width } : { left: left + 2, width: free };
  return G;
}

const curve = (x1, y1, x2, y2) => {
  const half = (x1 + x2) / 2;
  return `M${x1.toFixed(1)} ${y1.toFixed(1)}C${half.toFixed(1)} ${y1.toFixed(1)} ${half.toFixed(1)} ${y2.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
};

export const edge = (G, from, to) => curve(G.x(from.t) + G.cell / 2, G.y(from.k, from.s), G.x(to.t) - G.cell / 2, G.y(to.k, to.s));
