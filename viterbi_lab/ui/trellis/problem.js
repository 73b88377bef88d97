/* What the picture means, from the arrays of Python: cells and their events, candidates, the last column, paths.
 * Ties are decided in S, never here. */

export const asObject = (value) => (value instanceof Map ? Object.fromEntries(value) : value || {});

function asArray(value, Type) {
  if (value instanceof DataView) value = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
  if (typeof value === "string") value = Uint8Array.from(atob(value), (c) => c.charCodeAt(0)).buffer;
  if (value instanceof ArrayBuffer) return new Type(value);
  return value instanceof Type ? value : Type.from(value || []);
}

/** The problem as the rest of this file uses it, with its events numbered: 1…cells, maximise, path. */
export function readProblem(message) {
  const m = asObject(message);
  if (!m.T) return null;
  const { T, N, window, K } = m;
  const states = N ** window;
  const P = {
    T, N, window, K, states, kmin: m.kmin, offset: m.offset, title: m.title, revision: m.revision, reset: m.reset, place: m.place || 0,
    labels: m.labels, keep: N ** (window - 1), start: window - 1,
    y: asArray(m.y, Int32Array), cost: asArray(m.cost, Int32Array),
    first: asArray(m.first, Float64Array), steps: asArray(m.steps, Float64Array),
    max: { word: "max", least: false, L: asArray(m.L, Float64Array), S: asArray(m.S, Int16Array) },
    min: { word: "min", least: true, L: asArray(m.L_min, Float64Array), S: asArray(m.S_min, Int16Array) },
  };
  P.at = (t, k, s) => (t * (K + 1) + k) * states + s;
  P.last = (s) => Math.floor(s / P.keep); // j_ℓ, the label of site t
  P.tuple = (s) => Array.from({ length: window }, (_, age) => Math.floor(s / N ** age) % N);
  P.name = (s) => P.tuple(s).map((j) => P.labels[j]).join(P.labels.some((l) => l.length > 1) ? "," : "");
  P.args = (s) => P.tuple(s).map((j) => P.labels[j]).join(",");
  P.before = (s, i) => i + N * (s % P.keep); // the state (i, j_1, …, j_{ℓ-1})
  P.climb = (t, s) => P.cost[t * N + P.last(s)];
  P.number = new Int32Array(T * (K + 1) * states); // which event fills this cell, 0: none
  P.columnEnd = new Int32Array(T);
  const places = new Int32Array(P.number.length + 1); // and back
  P.cells = 0;
  for (let at = P.at(P.start, 0, 0), t = P.start; t < T; t++) {
    for (; at < P.at(t + 1, 0, 0); at++) if (P.max.L[at] > -Infinity) places[(P.number[at] = ++P.cells)] = at;
    P.columnEnd[t] = P.cells;
  }
  P.cell = (e) => {
    const floor = Math.floor(places[e] / states);
    return { t: Math.floor(floor / (K + 1)), k: floor % (K + 1), s: places[e] % states };
  };
  P.maximise = P.cells + 1;
  P.count = P.maximise + (T - P.start);
  return P;
}

/** The N candidates of one cell, (i → L + g), winner and ties marked; null in the first column. */
export function candidates(P, { t, k, s }, table = P.max) {
  if (t === P.start) return null;
  const winner = table.S[P.at(t, k, s)];
  const below = k - P.climb(t, s);
  const rows = [];
  for (let i = 0; i < P.N; i++) {
    const from = P.before(s, i);
    const L = below < 0 ? NaN : table.L[P.at(t - 1, below, from)];
    const g = P.steps[((t - P.window) * P.states + s) * P.N + i];
    rows.push({ i, from, k: below, L, g, sum: L + g, defined: Number.isFinite(L) && g > -Infinity, winner: i === winner });
  }
  for (const row of rows) row.tie = row.defined && !row.winner && row.sum === rows[winner].sum;
  return rows;
}

/** The best candidate among the first `upto`; of all of them it is the one that S names. */
export function leader(rows, upto, { least }) {
  if (upto >= rows.length) return rows.find((row) => row.winner);
  const behind = (best, row) => (least ? best.sum <= row.sum : best.sum >= row.sum);
  return rows.slice(0, upto).reduce((best, row) => (row.defined && !(best && behind(best, row)) ? row : best), null);
}

/** The last column under ⊙ and h, (16): every cell's value and the first best one, by k, then state.
 *  With `maxAlone` as if there were no table of minima, which Proposition 1 of Bauer et al. forgets. */
export function weigh(P, h, op, maxAlone = false) {
  const cells = [];
  let best = null;
  for (let k = P.kmin; k <= P.K; k++) {
    const smallest = op === "times" && h[k] < 0 && !maxAlone; // a negative factor wants the smallest sum
    for (let s = 0; s < P.states; s++) {
      const at = P.at(P.T - 1, k, s);
      if (!P.number[at]) continue;
      const sum = (smallest ? P.min : P.max).L[at];
      const value = (op === "plain" ? sum : op === "plus" ? sum + P.offset + h[k] : (sum + P.offset) * h[k]) + 0;
      const cell = { t: P.T - 1, k, s, sum, smallest, value };
      cells.push(cell);
      if (!best || value > best.value) best = cell;
    }
  }
  return { cells, best, minima: cells.some((cell) => cell.smallest) };
}

/** Follow S back from a cell: its cells from right to left and the labels of the sites 0…t. */
export function follow(P, cell, table = P.max) {
  const cells = [];
  const y = P.tuple(cell.s).reverse();
  for (let { t, k, s } = cell; ; t--) {
    cells.push({ t, k, s });
    if (t === P.start) return { cells, y: y.reverse() };
    const i = table.S[P.at(t, k, s)];
    y.push(i);
    k -= P.climb(t, s);
    s = P.before(s, i);
  }
}

/** How many labels are still unknown after `reached` cells of the path; its first cell gives ℓ of them. */
export const unknown = (P, reached) => (reached ? P.T - P.start - reached : P.T);
