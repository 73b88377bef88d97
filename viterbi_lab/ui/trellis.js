/*
 * The trellis: Algorithm 1 of Bauer et al. 2014 drawn as a building, stepped in the browser.
 *
 * Floor k holds the prefixes with exactly k wrong labels. A right label runs level, a wrong one climbs:
 * that is Theorem 1. Python computes L and S once; this file derives every step, candidate, card and
 * path from the arrays, so nothing travels while somebody steps. Ties are decided in S, never here.
 *
 * It knows no host. What it asks for is the anywidget model (get, set, save_changes, on):
 *   problem   {revision, reset, title, T, N, window, K, kmin, offset, labels,
 *              y, cost, first, steps, L, S, L_min, S_min}        one consistent message, typed arrays
 *             or of a problem too big to be drawn {revision, title, words: sentences}
 *   h         {rule name: K+1 numbers}, rule  which of them is meant, op  "plain" | "plus" | "times"
 *   step      events done so far, written at most every 150 ms, read when somebody else sets it
 *   edit      {serial, kind, index | site, text}: a wish of the reader; reply {serial, error} answers it
 *   copy      {serial, text}: to be put on the clipboard
 *   caption   {number, count, title, text, marks}: one beat of a story, told above the stage; see framesHtml.
 *             The wish for another beat is an edit of kind "beat", index 1 or -1
 *   editable  may g and y be edited;  controls  show ⊙ and h inside the stage;  height  px, else all there is
 *
 * First part: what the picture means (pure). Second part: drawing. Third part: the reader's hands.
 */

const CIRCLE_ROW = 19; // px; lower rows become heat cells
const DIGIT_ROW = 11; // px; lower ones still cannot hold digits
const HEAT_LEVELS = 12;
const SPEEDS = [0.5, 1, 2, 4];
const TICK = 800; // ms per step at speed 1
const REPORT = 150; // ms between reports of the step
const TYPE = { least: 0.85, most: 1.6, step: 1.15, present: 1.25, design: 620 }; // sizes of type, 1 is normal; px of height the picture is drawn for
const MOST_SPELT = 24; // labels that the card writes out; the row ŷ has them all
const PAPER = { dark: "#15181c", light: "#ffffff" };
const FEW_BARS = 12; // of h
const OWN = "own list"; // the rule of h that the reader draws
const OPS = { plain: "plain", plus: "+ margin", times: "· slack" };

// ---- What the picture means ---------------------------------------------------------------------

const asObject = (value) => (value instanceof Map ? Object.fromEntries(value) : value || {});

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
function leader(rows, upto, { least }) {
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

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const signed = (text) => text.replaceAll("-", "−").replace("Infinity", "∞");
const sub = (text) => `<sub>${text}</sub>`;
const floors = (c) => (c === 1 ? "one floor up" : `${c} floors up`);

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
const power = (value, digits) => value.toExponential(digits).replace(/\.?0*e\+?/, "e");

/** A number as people write it: at most `digits` decimals, but two digits of a small one; never 0 for what is none. */
export function show(value, digits = 2) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return signed(String(value + 0));
  if (size >= 1e6 || size < 1e-4) return signed(power(value, 1));
  return signed(trimmed(value.toFixed(Math.max(digits, 1 - Math.floor(Math.log10(size))))));
}

const wide = (text) => text.length - 0.5 * text.split(".").length + 0.5; // in digits

/** The same where there is room for so many digits only: fewer decimals, no 0 before the point, at last ≈0. */
export function fit(value, room) {
  const exact = show(value);
  if (wide(exact) <= room || !Number.isFinite(value)) return exact;
  const shorter = [1, 0].map((digits) => trimmed(value.toFixed(digits))).filter(Number);
  shorter.push(...[2, 1].map((digits) => trimmed(value.toFixed(digits)).replace(/^(-?)0\./, "$1.")), power(value, 0));
  const found = shorter.find((text) => Number(text) && wide(text) <= room);
  return found ? signed(found) : Math.abs(value) < 1 ? "≈0" : signed(power(value, 0));
}

const plus = (value) => (value < 0 ? `− ${show(-value)}` : `+ ${show(value)}`);
const braced = (value) => (value < 0 ? `(${show(value)})` : show(value));

/** Left edge and width, in percent, of a bar that starts at zero. */
function extent(value, low, high) {
  const [a, b] = [Math.min(low, 0), Math.max(high, 0)];
  const span = b - a || 1;
  return { left: (100 * (Math.min(value, 0) - a)) / span, width: Math.max(1, (100 * Math.abs(value)) / span) };
}

function bar(value, values) {
  const { left, width } = extent(value, Math.min(...values), Math.max(...values));
  return `<span class="track"><span class="fill" style="margin-left:${left}%;width:${width}%"></span></span>`;
}

/** L or S of one of the two tables; the maxima need no mark. */
const letter = (name, { least }) => `<i>${name}</i>${least ? "<sup>min</sup>" : ""}`;

/** "Why this cell": what stands in the card, as HTML and in words. `upto` candidates have been looked at. */
export function cellCard(P, cell, upto = P.N, table = P.max) {
  const { t, k, s } = cell;
  const [T1, j, y] = [t + 1, P.last(s), P.y[t]];
  const args = escape(P.args(s));
  const name = `${letter("L", table)}${sub(`${T1},${k}`)}(${args})`;
  const label = escape(P.labels[j]);
  const up = P.climb(t, s);
  const L = table.L[P.at(t, k, s)];
  const right = j === y;
  const rows = candidates(P, cell, table);
  if (!rows) {
    const where = P.window === 1 ? `t = 1` : `t = 1…${T1}`;
    const verdict = right && P.window === 1 ? `<i>j</i> = ${label} = <i>y</i>${sub(1)} → floor 0` : `${k} wrong → floor ${k}`;
    return {
      html: `<h3>First column <span class="chip ${k ? "up" : "level"}">${verdict}</span></h3>
        <p>${name} = ${firstName(P)}(${args}) = <b>${show(L)}</b></p>
        <p class="note">Nothing to choose yet: one labelling of ${where}${k ? `, ${k} wrong` : ", all right"}.</p>`,
      words: `First column, labels ${P.args(s)}, ${k} wrong: L = ${show(L)}.`,
    };
  }
  const verdict = right
    ? `<i>j</i> = ${label} = <i>y</i>${sub(T1)} → ${up ? floors(up) : "same floor"}`
    : `<i>j</i> = ${label} ≠ <i>y</i>${sub(T1)} = ${escape(P.labels[y])} → ${up ? floors(up) : "same floor"}`;
  const open = rows.slice(0, upto).filter((row) => row.defined);
  const best = leader(rows, upto, table);
  const sums = rows.filter((row) => row.defined).map((row) => row.sum);
  const source = ["<i>i</i>", ...P.tuple(s).slice(0, -1).map((n) => escape(P.labels[n]))].join(",");
  const line = (row, n) => {
    const head = `<th scope="row">${escape(P.labels[row.i])}</th>`;
    if (n >= upto) return `<tr class="later">${head}<td>·</td><td>·</td><td>·</td><td></td></tr>`;
    if (!row.defined) return `<tr class="void">${head}<td colspan="4">${Number.isFinite(row.L) ? "forbidden" : `no prefix with ${row.k} wrong ends here`}</td></tr>`;
    const kind = row === best ? "win" : row.tie && upto === P.N ? "tie" : "";
    const mark = row === best ? "←" : kind ? "tie" : "";
    return `<tr class="${kind}">${head}<td>${show(row.L)}</td><td>${plus(row.g)}</td><td>${show(row.sum)}</td><td>${bar(row.sum, sums)}<span class="mark">${mark}</span></td></tr>`;
  };
  const ties = rows.filter((row) => row.tie).map((row) => P.labels[row.i]);
  const done = upto >= P.N;
  const winner = best ? escape(P.labels[best.i]) : "";
  const result = !best
    ? `nothing yet`
    : `${name} ${done ? "=" : table.least ? "≤" : "≥"} ${show(best.L)} ${plus(best.g)} = <b>${show(best.sum)}</b>` +
      (done ? `<span class="gap"></span>${letter("S", table)}${sub(`${T1},${k}`)}(${args}) = <b>${winner}</b>${ties.length ? ", the smallest" : ""}` : "");
  const tied = done && ties.length ? `Tie: ${[P.labels[best.i], ...ties].map(escape).join(" and ")} give ${show(L)}; the smallest is kept.` : "";
  return {
    html: `<h3>${done ? `Why ${show(L)}${ties.length ? ", a tie" : ""}` : "So far"} <span class="chip ${up ? "up" : "level"}">${verdict}</span></h3>
      <p>${name} = ${table.word}${sub("<i>i</i>")} ${letter("L", table)}${sub(`${t},${k - up}`)}(${source}) + <i>g</i>${sub(T1)}(<i>i</i>,${args})</p>
      <table><thead><tr><th><i>i</i></th><th>${letter("L", table)}${sub(`${t},${k - up}`)}</th><th><i>g</i>${sub(T1)}</th><th>sum</th><th></th></tr></thead>
      <tbody>${rows.map(line).join("")}</tbody></table>
      <p class="result">${result}</p>`,
    words:
      `${table.least ? "Table of minima. " : ""}t = ${T1}, k = ${k}, label ${P.args(s)}. ${right ? "Right label" : `Wrong label, y is ${P.labels[y]}`}: ${up ? floors(up) : "same floor"}. ` +
      open.map((row) => `From ${P.labels[row.i]}: ${show(row.L)} ${plus(row.g)} = ${show(row.sum)}.`).join(" ") +
      (done ? ` L = ${show(L)}, S = ${P.labels[best.i]}. ${tied}` : ""),
  };
}

function firstName(P) {
  return Array.from({ length: P.window }, (_, t) => `<i>g</i>${sub(t + 1)}`).join("+");
}

/** One cell of the last column as arithmetic: "13 · 4", "(13 + 0.5) · 4", "16 + 3". */
function arithmetic(P, cell, h, op) {
  if (op === "plain") return show(cell.sum);
  const inner = P.offset && op === "times" ? `(${show(cell.sum)} ${plus(P.offset)})` : P.offset ? `${show(cell.sum)} ${plus(P.offset)}` : op === "times" ? braced(cell.sum) : show(cell.sum);
  return op === "times" ? `${inner} · ${braced(h[cell.k])}` : `${inner} ${plus(h[cell.k])}`;
}

function objective(P, op, L) {
  const inner = `<i>L</i>${sub(L)}(${P.window === 1 ? "<i>j</i>" : "<b>j</b>"})`;
  const c = P.offset ? (op === "times" ? `(${inner} ${plus(P.offset)})` : `${inner} ${plus(P.offset)}`) : inner;
  return op === "plain" ? inner : op === "plus" ? `${c} + <i>h</i>(<i>k</i>)` : `${c} · <i>h</i>(<i>k</i>)`;
}

/** Where h is negative: that the smallest sum decides, and what the largest alone would answer. */
function negativeFloors(P, W, h, op) {
  const negative = [...new Set(W.cells.filter((cell) => cell.smallest).map((cell) => cell.k))];
  if (!negative.length) return "";
  const which = negative.length > 4 ? `${negative.length} floors` : `k = ${negative.join(", ")}`;
  const alone = weigh(P, h, op, true).best;
  const fails = alone.value < W.best.value ? `<br>With max alone: ${arithmetic(P, alone, h, op)} = ${show(alone.value)} on floor ${alone.k}, not the best.` : "";
  return `<p class="note"><i>h</i> is negative at ${which}: there the <b>smallest</b> sum decides (min).${fails}</p>`;
}

/** The last column: the three best cells, and why. `upto` is the highest floor looked at so far. */
export function maximiseCard(P, W, h, op, upto = P.K) {
  const seen = W.cells.filter((cell) => cell.k <= upto);
  const sorted = seen.slice().sort((a, b) => b.value - a.value || a.k - b.k || a.s - b.s);
  const top = sorted.slice(0, 3);
  const values = W.cells.map((cell) => cell.value);
  const best = sorted[0];
  const equal = sorted.filter((cell) => best && cell !== best && cell.value === best.value).length;
  const line = (cell) => `<tr data-trace="${P.number[P.at(P.T - 1, cell.k, cell.s)]}" class="${cell === best ? "win" : ""}"><th scope="row">${cell.k}</th><td>${escape(P.name(cell.s))}</td>
      <td>${cell.smallest ? "min " : ""}${arithmetic(P, cell, h, op)}</td><td>${show(cell.value)}</td><td>${bar(cell.value, values)}</td></tr>`;
  return {
    html: `<h3>Maximise <span class="chip plain">${W.cells.length} cells of the last column</span></h3>
      <p><i>L</i>* = max${sub("<i>k</i>,<i>j</i>")} ${objective(P, op, `${P.T},<i>k</i>`)}</p>
      <table><thead><tr><th><i>k</i></th><th><i>j</i></th><th></th><th>value</th><th></th></tr></thead><tbody>${top.map(line).join("")}</tbody></table>
      <p class="result">${best ? `<i>L</i>* ${upto < P.K ? "≥" : "="} <b>${show(best.value)}</b> on floor <i>k</i> = ${best.k}` : "nothing yet"}</p>
      ${equal && upto >= P.K ? `<p class="note">Tie: ${equal + 1} cells give ${show(best.value)}; the lowest floor, then the smallest label is kept.</p>` : ""}${negativeFloors(P, W, h, op)}`,
    words: best ? `Maximise: the best of ${seen.length} cells is ${arithmetic(P, best, h, op)} = ${show(best.value)} at k = ${best.k}, label ${P.args(best.s)}.` : "",
  };
}

/** The two cells that come after the best, to be looked at by a click. */
function runnersUp(P, W, h, op) {
  const rest = W.cells.filter((cell) => cell !== W.best).sort((a, b) => b.value - a.value || a.k - b.k || a.s - b.s).slice(0, 2);
  const one = (cell) => `<button type="button" data-trace="${P.number[P.at(P.T - 1, cell.k, cell.s)]}">${arithmetic(P, cell, h, op)}${op === "plain" ? "" : ` = ${show(cell.value)}`}</button>`;
  return rest.length ? `<p class="note">Next best: ${rest.map(one).join(" ")}</p>` : "";
}

/** A labelling, known from site `from` on; of a long one the two ends. */
function spelt(P, y, from = 0) {
  const labels = y.map((j, t) => (t < from ? "·" : `<span class="${j === P.y[t] ? "right" : "wrong"}">${escape(P.labels[j])}</span>`));
  if (labels.length > MOST_SPELT) labels.splice(MOST_SPELT / 2, labels.length - MOST_SPELT, "…");
  return labels.join(", ");
}

/** A cell of the last column that somebody chose: the labelling behind it, and how far it is from the best. */
export function tracedCard(P, W, e, h, op) {
  const { k, s } = P.cell(e);
  const cell = W.cells.find((other) => other.k === k && other.s === s);
  if (!cell) return { html: `<h3>Not asked for</h3><p>Floor <i>k</i> = ${k} is excluded: <i>k</i> starts at ${P.kmin}.</p>`, words: `Floor ${k} is excluded.` };
  const { y } = follow(P, cell, cell.smallest ? P.min : P.max);
  const behind = W.best.value - cell.value;
  const rank = 1 + W.cells.filter((other) => other.value > cell.value).length;
  const place = cell === W.best ? "the best" : behind ? `number ${rank} of ${W.cells.length}, ${show(behind)} behind the best` : "as good as the best; the tie rule decides";
  return {
    html: `<h3>Path to this cell <span class="chip plain">score ${show(cell.sum)}, ${k} wrong</span></h3>
      <p class="answer"><i>y</i> = (${spelt(P, y)})</p>
      <p class="result">${arithmetic(P, cell, h, op)}${op === "plain" ? "" : ` = <b>${show(cell.value)}</b>`}</p><p class="note">${place[0].toUpperCase() + place.slice(1)}.</p>`,
    words: `Path to this cell: ${y.map((j) => P.labels[j]).join(", ")}, value ${show(cell.value)}, ${place}.`,
  };
}

/** How many labels are still unknown after `reached` cells of the path; its first cell gives ℓ of them. */
const unknown = (P, reached) => (reached ? P.T - P.start - reached : P.T);

/** Following S back: the cell just reached, and the answer as far as it is known. */
export function pathCard(P, W, path, h, op, reached) {
  const { t, k, s } = path.cells[reached - 1];
  const table = W.best.smallest ? P.min : P.max;
  const whole = reached === path.cells.length;
  const S = `${letter("S", table)}${sub(`${t + 1},${k}`)}(${escape(P.args(s))})`;
  const next = whole ? "" : `<p>${S} = <b>${escape(P.labels[table.S[P.at(t, k, s)]])}</b>: go to t = ${t} on ${P.climb(t, s) ? (P.climb(t, s) === 1 ? "the floor below" : `floor ${k - P.climb(t, s)}`) : "the same floor"}</p>`;
  const score = `score ${show(W.best.sum)}, ${W.best.k} wrong`;
  return {
    html: `<h3><span>${whole ? "The answer" : "Follow <i>S</i> back"}</span> <span class="chip plain">${score}</span></h3>${next}
      <p class="answer"><i>y</i>* = (${spelt(P, path.y, unknown(P, reached))})</p>
      <p class="result"><i>L</i>* = ${arithmetic(P, W.best, h, op)}${op === "plain" && !P.offset ? "" : ` = <b>${show(W.best.value)}</b>`} on floor <i>k</i> = ${W.best.k}</p>
      ${whole && path.y.some((j, at) => j !== P.y[at]) ? `<p class="note"><span class="wrong">Underlined</span>: differs from the true <i>y</i>.</p>` : ""}${whole ? runnersUp(P, W, h, op) : ""}${negativeFloors(P, W, h, op)}`,
    words: whole
      ? `The answer is ${path.y.map((j) => P.labels[j]).join(", ")}, ${score}, value ${show(W.best.value)}.`
      : `Back at t = ${t + 1}, k = ${k}, label ${P.args(s)}.`,
  };
}

/** Before the first step: what is asked, and how to read the picture. */
export function startCard(P, W, op) {
  const score = P.offset && op !== "plain" ? (op === "times" ? `(score ${plus(P.offset)})` : `score ${plus(P.offset)}`) : "score";
  const aim = op === "plain" ? score : `${score} ${op === "times" ? "·" : "+"} <i>h</i>(wrong labels)`;
  return {
    html: `<h3>What is asked</h3><p>Which of ${show(P.N ** P.T, 0)} labellings has the largest<br>${aim}?</p>
      <p class="note"><b>Floor <i>k</i></b> holds prefixes with <i>k</i> wrong labels.<br>
      A <span class="right">right label</span> runs level, a <span class="wrong">wrong one</span> climbs one floor.<br>
      ${W.minima ? "Where <i>h</i> is negative, <b>small</b> scores win: look at the table <b>min</b> too.<br>" : ""}<kbd>→</kbd> one cell, <kbd>Shift →</kbd> one column, <kbd>Space</kbd> play</p>`,
    words: `Trellis with T = ${P.T} sites, N = ${P.N} labels, ${P.K + 1} floors. Press the right arrow for the first cell.`,
  };
}

/** Algorithm 1, condensed: [depth, line]. */
function pseudocode(P, W, op, table) {
  const [j, cost] = P.window === 1 ? ["<i>j</i>", "[<i>j</i> ≠ <i>y</i><sub>t</sub>]"] : ["<b>j</b>", "cost of the newest label"];
  const first = P.window === 1 ? "1" : String(P.window);
  return [
    [0, `for each ${j}: <i>L</i><sub>${first},<i>k</i></sub>(${j}) ← ${firstName(P)}(${j}), <i>k</i> its wrong labels`],
    [0, `for <i>t</i> = ${P.window + 1} … ${P.T}`],
    [1, "for <i>k</i> = 0 … <i>t</i>, for each " + j],
    [2, `<i>c</i> ← ${cost}`],
    [2, `${letter("L", table)}<sub><i>t</i>,<i>k</i></sub>(${j}) ← ${table.word}<sub><i>i</i></sub> ${letter("L", table)}<sub><i>t</i>−1,<i>k</i>−<i>c</i></sub>(<i>i</i>${P.window > 1 ? ",…" : ""}) + <i>g</i><sub><i>t</i></sub>(<i>i</i>,${j})`],
    [2, `${letter("S", table)}<sub><i>t</i>,<i>k</i></sub>(${j}) ← the smallest <i>i</i> that attains it`],
    [0, `<i>k</i>, ${j} ← argmax<sub><i>k</i>,${j}</sub> ${objective(P, op, "<i>T</i>,<i>k</i>")}${W.minima ? ", with <i>L</i><sup>min</sup> where <i>h</i>(<i>k</i>) &lt; 0" : ""}`],
    [0, `for <i>t</i> = ${P.T} … ${P.window + 1}: note ${j}, then`],
    [1, `<i>i</i> ← <i>S</i><sub><i>t</i>,<i>k</i></sub>(${j}), <i>k</i> ← <i>k</i> − <i>c</i>, ${j} ← <i>i</i>`],
  ];
}

/** Which of its lines the step is at, from 0. */
function linesAt(P, pos, part) {
  if (pos === 0) return [];
  if (pos <= P.cells) return P.cell(pos).t === P.start ? [0] : part < P.N ? [4] : [4, 5];
  return pos === P.maximise ? [6] : [8];
}

// ---- Drawing ------------------------------------------------------------------------------------

const CARD = { width: 350, least: 280, slim: 316, margin: 6, height: (N) => 108 + 20 * Math.max(3, N) };
const HEAD = 56; // px above the floors: site numbers, true labels, answer
const SIGN = 14; // px that a negative price is longer
const OTHER = 44; // px for the sums of the other table beside the last column, where they decide
const widest = (width) => Math.max(240, 0.25 * width); // px between columns, else edges become too flat to read
const PACKED = 1060; // px; in a narrower stage the scrub bar has a line of its own if there are many buttons
const ONE_LINE = 780; // px; in a narrower one not even the buttons have one line
const LINE = 40; // px; a higher toolbar has two
const NARROW = 820; // px; in a narrower stage the card stands under the floors
const LEAST_FLOORS = 560; // px the floors keep where the card stands beside them
const LETTERS = 9; // px between columns; closer ones have no room for a label
const MOST_EDGES = 3000; // best edges drawn in a heat map at once
const OVERVIEW = 140; // px, the height of the picture of the whole table
const ZOOM = { row: 32, step: 1.5 }; // px that a row has at most by zooming; one press of the button

/** Where everything stands in a stage of the given size: floors fill the height, k = 0 at the bottom; the card stands
 *  inside the empty triangle, beside the floors, below them, or aside with Algorithm 1. Through `view` a part of the
 *  table is looked at, `zoom` times as large: `view.t` is its first column, `view.k` its lowest floor. */
function geometry(P, width, height, view, { minima, controls, em }, forced = "") {
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

const edge = (G, from, to) => curve(G.x(from.t) + G.cell / 2, G.y(from.k, from.s), G.x(to.t) - G.cell / 2, G.y(to.k, to.s));

function backgroundHtml(P, G) {
  const every = [1, 5, 10, 20, 50].find((n) => n * G.lane >= 13) || 100;
  const band = G.lane < 6 ? every : 1; // floors that share a shade where one alone is only a hair
  const [lanes, texts] = [[], []];
  const [low, high] = G.range().k;
  for (let k = low; k <= high; k++) {
    const top = G.y(k, 0) - G.row / 2 - G.pad;
    lanes.push(`<rect class="lane${Math.floor(k / band) % 2}" x="0" y="${top}" width="${G.width}" height="${G.lane + (band > 1 ? 0.5 : 0)}"/>`);
    if (k % every === 0) {
      const y = G.zoom > 1 ? top + G.lane / 2 : Math.max(7, Math.min(G.height - 7, top + G.lane / 2));
      texts.push(`<text class="k" x="22" y="${y}">${G.written ? `<tspan class="it">k</tspan> = ${k}` : k}</text>`);
    }
    if (G.written) for (let s = 0; s < P.states; s++) texts.push(`<text class="state" x="${G.left - 6}" y="${G.y(k, s)}">${escape(P.name(s))}</text>`);
  }
  const axis = `<text class="axis" transform="translate(9 ${G.height / 2}) rotate(-90)">wrong labels so far${G.written ? "" : ", k"}</text>`;
  return lanes.join("") + texts.join("") + axis;
}

/** Smallest and largest sum of a column, between which its heat goes. */
function extremes(P, table, t) {
  let [low, high] = [Infinity, -Infinity];
  for (let at = P.at(t, 0, 0); at < P.at(t + 1, 0, 0); at++)
    if (P.number[at]) [low, high] = [Math.min(low, table.L[at]), Math.max(high, table.L[at])];
  return [low, high];
}

const heat = (L, [low, high]) => (high > low ? Math.floor(((L - low) / (high - low)) * (HEAT_LEVELS - 0.001)) : HEAT_LEVELS - 1);

/** The cells that can be seen, as elements if they can be read, and the best edges into them. */
function tableHtml(P, G, table) {
  const dots = [], edges = [], nodes = [], events = [];
  const { t: [first, last], k: [low, high] } = G.range();
  const many = G.circles ? false : (last - first + 1) * (high - low + 1) * P.states > MOST_EDGES || G.row < 4;
  for (let t = first; t <= last && (G.written || !many); t++) {
    const range = extremes(P, table, t);
    for (let k = low; k <= high; k++)
      for (let s = 0; s < P.states; s++) {
        const at = P.at(t, k, s);
        if (!P.number[at]) continue;
        const [x, y, L] = [G.x(t), G.y(k, s), table.L[at]];
        const source = t > P.start ? { t: t - 1, k: k - P.climb(t, s), s: P.before(s, table.S[at]) } : null;
        events.push(P.number[at]);
        edges.push(source && !many ? edge(G, source, { t, k, s }) : "");
        if (G.circles) {
          dots.push(`<circle cx="${x}" cy="${y}" r="2.5"/>`);
          const tied = (candidates(P, { t, k, s }, table) || []).some((row) => row.tie);
          const tie = tied ? `<g class="tie" transform="translate(${-G.r * 0.95} ${G.r * 0.8})"><circle r="5.5"/><path d="M-2.6 -1.5H2.6M-2.6 1.5H2.6"/><title>Tie between predecessors; the smallest is kept</title></g>` : "";
          nodes.push(`<g class="off" transform="translate(${x} ${y})"><circle r="${G.r}"/><text>${fit(L, G.room)}</text>${tie}</g>`);
        } else if (G.written) {
          const box = `x="${(x - G.cell / 2).toFixed(1)}" y="${(y - (G.row - 1) / 2).toFixed(1)}" width="${G.cell.toFixed(1)}" height="${(G.row - 1).toFixed(1)}"`;
          const text = G.cell > 25 ? `<text x="${x}" y="${y}">${fit(L, G.room)}</text>` : "";
          nodes.push(`<g class="off" data-h="${heat(L, range)}"><rect ${box} rx="2"/>${text}</g>`);
        }
      }
  }
  return { dots: dots.join(""), edges, nodes: nodes.join(""), events };
}

/** The whole table as an image of one pixel per cell: columns from left to right, k = 0 at the bottom. */
function heatImage(P, table, colours) {
  const rows = (P.K + 1) * P.states;
  const image = new ImageData(P.T, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let t = P.start; t < P.T; t++) {
    const range = extremes(P, table, t);
    for (let k = 0; k <= P.K; k++)
      for (let s = 0; s < P.states; s++) {
        const at = P.at(t, k, s);
        if (P.number[at]) pixels[((P.K - k) * P.states + s) * P.T + t] = colours[heat(table.L[at], range)];
      }
  }
  const canvas = Object.assign(document.createElement("canvas"), { width: P.T, height: rows });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Draw the first `done` cells of the heat image where they stand. */
function drawHeat(P, G, pen, image, done) {
  const { t: [first, last], k: [low, high] } = G.range();
  const highest = G.y(P.K, 0) - G.row / 2;
  pen.save();
  pen.beginPath();
  pen.rect(G.left, 0, G.end - G.left + 1, G.height);
  pen.clip();
  pen.imageSmoothingEnabled = G.row < 1; // then several cells share a pixel
  /** `rows` rows of column t from `from` on, counted from the top. */
  const strip = (t, from, rows) => {
    if (rows > 0) pen.drawImage(image, t, from, 1, rows, G.x(t) - G.cell / 2, highest + from * G.row, G.cell, rows * G.row);
  };
  for (let t = first; t <= last; t++) {
    if (done >= P.columnEnd[t]) strip(t, 0, image.height);
    else if (done > (t > P.start ? P.columnEnd[t - 1] : 0)) {
      const { k, s } = P.cell(done); // whole floors below, and a part of this one
      strip(t, (P.K + 1 - k) * P.states, k * P.states);
      strip(t, (P.K - k) * P.states, s + 1);
    }
  }
  if (G.row > 4) for (let k = low; k <= high; k++) for (let s = 0; s < P.states; s++) pen.clearRect(G.left, G.y(k, s) - G.row / 2, G.end - G.left, 1);
  pen.restore();
}

/** What one cell was made from: candidate edges, their g, the sources, the cell itself. */
function cellHtml(P, G, cell, upto, now, table) {
  const all = candidates(P, cell, table) || [];
  const rows = all.slice(0, upto).filter((row) => row.defined);
  const best = leader(all, upto, table) || null;
  const [x, y] = [G.x(cell.t), G.y(cell.k, cell.s)];
  const parts = [];
  const ordered = rows.filter((row) => row !== best).concat(best ? [best] : []);
  for (const row of ordered) {
    const source = { t: cell.t - 1, k: row.k, s: row.from };
    const kind = row === best ? "win" : "lose";
    parts.push(`<path class="${kind}" d="${edge(G, source, cell)}"/>`);
    const [sx, sy] = [G.x(source.t), G.y(source.k, source.s)];
    parts.push(G.circles ? `<circle class="${kind}" cx="${sx}" cy="${sy}" r="${G.r}"/>` : `<rect class="${kind}" x="${sx - G.cell / 2}" y="${sy - Math.max(3, G.row) / 2}" width="${G.cell}" height="${Math.max(3, G.row)}"/>`);
  }
  if (G.circles)
    for (const row of ordered) {
      const text = plus(row.g).replace(" ", "");
      const width = 12 + 7 * text.length;
      const px = G.x(cell.t - 1) + G.r + 10 + width / 2;
      const py = G.y(row.k, row.from) + (G.y(cell.k, cell.s) - G.y(row.k, row.from)) * 0.06;
      parts.push(`<g class="pill ${row === best ? "win" : ""}" transform="translate(${px} ${py})"><rect x="${-width / 2}" y="-9" width="${width}" height="18" rx="9"/><text>${text}</text></g>`);
    }
  if (G.circles) {
    const value = best ? best.sum : table.L[P.at(cell.t, cell.k, cell.s)];
    const unknown = cell.t > P.start && !best;
    parts.push(`<g class="${now ? "now" : "hovered"}" transform="translate(${x} ${y})"><circle r="${G.r + (now ? 1 : 0)}"/><text>${unknown ? "?" : fit(value, G.room)}</text></g>`);
  } else {
    const h = Math.max(5, G.row);
    parts.push(`<rect class="${now ? "now" : "hovered"}" x="${x - G.cell / 2 - 1}" y="${y - h / 2}" width="${G.cell + 2}" height="${h}"/>`);
    if (now && G.written && best) parts.push(`<text class="now" x="${x}" y="${y}">${fit(best.sum, G.room)}</text>`);
  }
  return parts.join("");
}

/** A ring around a chosen cell of the last column. */
const endHtml = (P, G, { t, k, s }) =>
  G.circles ? `<circle class="end" cx="${G.x(t)}" cy="${G.y(k, s)}" r="${G.r + 1}"/>` : `<rect class="hovered" x="${G.x(t) - G.cell / 2 - 1}" y="${G.y(k, s) - Math.max(5, G.row) / 2}" width="${G.cell + 2}" height="${Math.max(5, G.row)}"/>`;

/** The last column under ⊙ and h: the price of each floor, the values, their bars. */
function finalHtml(P, G, W, h, op, table) {
  const values = W.cells.map((cell) => cell.value);
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  const x = G.end;
  const parts = [];
  const price = op === "plain" ? () => "" : op === "plus" ? (k) => plus(h[k]) : (k) => `· ${braced(h[k])}`;
  const shift = W.minima ? OTHER : 0;
  const valueAt = G.circles ? x + shift + 98 + (W.minima ? SIGN : 0) : 0;
  const barFrom = G.circles ? valueAt + 9 : x + 14;
  const barSpan = Math.max(20, G.width - barFrom - (G.circles ? 12 : 62));
  const [lowest, highest] = G.range().k;
  for (let k = Math.max(P.kmin, lowest); G.circles && k <= highest; k++) {
    const rows = W.cells.filter((cell) => cell.k === k);
    if (!rows.length || op === "plain") continue;
    const ys = rows.map((cell) => G.y(k, cell.s));
    const [a, b] = [Math.min(...ys) - G.r, Math.max(...ys) + G.r];
    parts.push(`<path class="brace" d="M${x + shift + 8} ${a}h4V${b}h-4"/><text class="price" x="${x + shift + 18}" y="${(a + b) / 2}">${price(k)}</text>`);
  }
  const shown = W.cells.filter(({ k }) => k >= lowest && k <= highest).map((cell) => {
    const y = G.y(cell.k, cell.s);
    const { left, width } = extent(cell.value, low, high);
    const best = cell === W.best ? " best" : "";
    const height = G.circles ? 10 : Math.max(1, G.row * 0.7);
    const other = cell.smallest !== table.least && W.minima && G.circles ? `<text class="least" x="${x + 6}" y="${y}">${cell.smallest ? "min" : "max"} ${fit(cell.sum, 3.6)}</text>` : "";
    const text = G.circles
      ? `<text class="value${best}" x="${valueAt}" y="${y}">${fit(cell.value, 6)}</text>`
      : best ? `<text class="value best" x="${G.width - 8}" y="${Math.max(8, Math.min(G.height - 8, y))}">${fit(cell.value, 7)}</text>` : "";
    return `<g data-k="${cell.k}">${other}${text}<rect class="bar${best}" x="${barFrom + (left * barSpan) / 100}" y="${y - height / 2}" width="${(width * barSpan) / 100}" height="${height}" rx="${Math.min(2, height / 2)}"/></g>`;
  });
  return { prices: parts.join(""), rows: shown.join("") };
}

/** The path as far as it has been followed back: `reached` cells from the right. */
function pathHtml(P, G, path, reached, table, thin = false) {
  const cells = path.cells.slice(0, reached);
  const parts = [];
  for (let n = 1; n < cells.length; n++) parts.push(`<path class="${thin ? "trace" : "path"}" d="${edge(G, cells[n], cells[n - 1])}"/>`);
  if (thin) return parts.join("");
  for (const { t, k, s } of cells) {
    const [x, y] = [G.x(t), G.y(k, s)];
    parts.push(
      G.circles
        ? `<g class="path" transform="translate(${x} ${y})"><circle r="${G.r + 1}"/><text>${fit(table.L[P.at(t, k, s)], G.room)}</text></g>`
        : `<rect class="path" x="${x - G.cell / 2}" y="${y - Math.max(4, G.row) / 2}" width="${G.cell}" height="${Math.max(4, G.row)}"/>` +
          (G.written ? `<text class="path" x="${x}" y="${y}">${fit(table.L[P.at(t, k, s)], G.room)}</text>` : "")
    );
  }
  return parts.join("");
}

/** What a beat of a story points at: {floor: k}, {site: t}, {cell: [t, k, s]}, {path: labels}, {part: "final"}; all from 0. */
function framesHtml(P, G, marks) {
  const box = (x, y, width, height) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="7"/>`;
  const half = G.cell / 2 + 7;
  const node = ({ t, k, s }) => box(G.x(t) - G.cell / 2 - 4, G.y(k, s) - Math.max(3, G.circles ? G.r : G.row / 2) - 4, G.cell + 8, 2 * Math.max(3, G.circles ? G.r : G.row / 2) + 8);
  return marks.map(({ floor, site, cell, path, part }) => {
    if (floor !== undefined) return box(3, G.y(floor, 0) - G.row / 2 - G.pad + 2, G.width - 6, G.lane - 4);
    if (site !== undefined) return box(G.x(site) - half, 3, 2 * half, G.height - 6);
    if (cell) return node({ t: cell[0], k: cell[1], s: cell[2] });
    if (part === "final") return box(G.end - G.cell - 7, 3, G.width - G.end + G.cell + 3, G.height - 6);
    if (!path) return "";
    let k = path.slice(0, P.start).reduce((sum, j, t) => sum + P.cost[t * P.N + j], 0);
    const cells = path.slice(P.start).map((j, n) => {
      const s = path.slice(n, n + P.window).reduce((sum, label, age) => sum + label * P.N ** age, 0);
      return { t: n + P.start, k: (k += P.cost[(n + P.start) * P.N + j]), s };
    });
    return `<path d="${cells.slice(1).map((to, n) => edge(G, cells[n], to)).join("")}"/>${cells.map(node).join("")}`;
  }).join("");
}

// ---- The grids of g -----------------------------------------------------------------------------

/** The scores of column t as blocks of rows (leaving label i) and columns (new label j). */
function gridOf(P, t) {
  const labels = P.labels;
  const all = Array.from({ length: P.N }, (_, j) => j);
  const middle = P.window === 1 ? 1 : P.N ** (P.window - 2);
  const heads = (count, digitsOf) => Array.from({ length: count }, (_, r) => Array.from({ length: digitsOf }, (_, age) => labels[Math.floor(r / P.N ** age) % P.N]));
  if (t === P.start) {
    const name = P.window === 1 ? `g${sub(1)}` : firstName(P);
    const rows = (r) =>
      P.window === 1
        ? [{ head: "", cells: all.map((j) => ({ index: j, value: P.first[j], args: labels[j] })) }]
        : all.map((i) => ({ head: labels[i], cells: all.map((j) => { const s = i + P.N * r + P.keep * j; return { index: s, value: P.first[s], args: P.args(s) }; }) }));
    return { t, name, kind: "first", blocks: heads(middle, P.window - 2).map((head, r) => ({ head, rows: rows(r) })) };
  }
  const rows = (r) =>
    all.map((i) => ({
      head: labels[i],
      cells: all.map((j) => {
        const s = r + P.keep * j;
        const index = ((t - P.window) * P.states + s) * P.N + i;
        return { index, value: P.steps[index], args: [labels[i], ...P.tuple(s).map((n) => labels[n])].join(", "), i, s };
      }),
    }));
  return { t, name: `g${sub(t + 1)}`, kind: "step", blocks: heads(P.keep, P.window - 1).map((head, r) => ({ head, rows: rows(r) })) };
}

const inputRoom = (width, em) => (width - 4) / (13 * em); // digits of 13 px

function gridHtml(P, grid, width, editable, em) {
  const block = ({ head, rows }) => {
    const caption = head.length ? `<span class="mid">(<i>i</i>, ${escape(head.join(", "))}, <i>j</i>)</span>` : "";
    const top = P.labels.map((l, j) => `<span class="to${j === P.y[grid.t] ? " right" : ""}">${escape(l)}</span>`).join("");
    const lines = rows.map(({ head: i, cells }) => `<span class="from">${escape(i)}</span>` + cells.map((c) => `<input type="text" inputmode="decimal" spellcheck="false" autocomplete="off" ${editable ? "" : "readonly"} data-kind="${grid.kind}" data-index="${c.index}" aria-label="g ${grid.t + 1} (${escape(c.args)})" value="${fit(c.value, inputRoom(width, em))}">`).join(""));
    return `<div class="block" style="grid-template-columns:14px repeat(${P.N},${width}px)">${caption}<span></span>${top}${lines.join("")}</div>`;
  };
  return `<b class="name"><i>${grid.name}</i></b>${grid.blocks.map(block).join("")}`;
}

// ---- The bars of h -------------------------------------------------------------------------------

/** A step of 1, 2 or 5 times a power of ten, at least `least`. */
const niceStep = (least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((n) => n * power >= least * 0.999);
};

/** What a drawing of h spans: zero, every value, and room to drag above and below. */
function spanOf(h) {
  const [low, high] = [Math.min(0, ...h), Math.max(0, ...h)];
  const size = high - low || 1;
  return { low: low - 0.3 * size, high: high + 0.3 * size, step: niceStep(size / 50) };
}

function barsHtml(h, { low, high }, chosen, width) {
  const share = 100 / h.length;
  const roomy = width / h.length >= 30;
  const every = roomy ? 1 : [5, 10, 20, 50].find((n) => (n * width) / h.length >= 26) || 100;
  const up = (value) => (100 * (value - low)) / (high - low);
  const bars = h.map((value, k) => {
    const [bottom, top] = [up(Math.min(0, value)), up(Math.max(0, value))];
    const label = k % every === 0 || k === chosen ? `<small>${k}</small>` : "";
    const text = roomy || k === chosen ? `<b style="bottom:${top}%">${fit(value, 6)}</b>` : "";
    return `<div class="column${k === chosen ? " chosen" : ""}" style="left:${k * share}%;width:${share}%"><i style="bottom:${bottom}%;height:${Math.max(0.5, top - bottom)}%"></i>${text}${label}</div>`;
  });
  return `<div class="zero" style="bottom:${up(0)}%"></div>${bars.join("")}`;
}

// ---- The reader's hands ---------------------------------------------------------------------------

const ICONS = {
  first: "M3 3h2v10H3zM14 3v10L6 8z", columnBack: "M8 3v10L1 8zM15 3v10L8 8z", back: "M11.5 3v10L4 8z",
  play: "M4.5 2.5l9 5.5-9 5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  code: "M2 3h12v1.6H2zM5 7.2h9v1.6H5zM5 11.4h7V13H5z", present: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  help: "M7.1 10.2h1.7c0-2 2.7-2.3 2.7-4.8C11.5 3.5 10 2.3 8 2.3S4.6 3.6 4.5 5.6h1.8C6.4 4.6 7 3.900 8 3.900s1.700.6 1.700 1.600c0 1.600-2.600 1.900-2.600 4.700zM7 11.700h2v2H7z",
  save: "M7 1h2v7h3l-4 4.500-4-4.500h3zM2 13h12v2H2z",
  shape: "M1 12h3v3H1zM5 9h3v6H5zM9 5h3v10H9zM13 1h2v14h-2z",
  zoomOut: "M2 7h12v2H2z", zoomIn: "M2 7h5V2h2v5h5v2H9v5H7V9H2z", whole: "M2 2h5v2H4v3H2zM14 14H9v-2h3V9h2z",
  next: "M4.5 3v10L12 8z", columnNext: "M1 3v10l7-5zM8 3v10l7-5z", last: "M2 3v10l8-5zM11 3h2v10h-2z",
};

const button = (act, name, key, more = "") =>
  `<button type="button" data-act="${act}" aria-label="${name}" title="${name} (${key})"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[act]}"/></svg>${more}</button>`;

const TOOLBAR = `
  ${button("first", "Back to the start", "Home")}${button("columnBack", "Previous column", "Shift ←")}${button("back", "Previous step", "←")}
  ${button("play", "Play", "Space", '<span class="word">Play</span>')}
  ${button("next", "Next step", "→")}${button("columnNext", "Next column", "Shift →")}${button("last", "Result", "End")}
  <label>by <select data-set="size" aria-label="Step by"><option value="candidate">candidate</option><option value="cell" selected>cell</option><option value="column">column</option></select></label>
  <select data-set="speed" aria-label="Speed">${SPEEDS.map((v) => `<option value="${v}"${v === 1 ? " selected" : ""}>${v}×</option>`).join("")}</select>
  <span class="ops sense" role="radiogroup" aria-label="Table" hidden><button type="button" role="radio" data-sense="max" title="Table of the largest sums (M)">max</button><button type="button" role="radio" data-sense="min" title="Table of the smallest sums (M)">min</button></span>
  <span class="zoom" role="group" aria-label="Zoom" hidden>${button("zoomOut", "Zoom out", "Shift+Z")}${button("whole", "Whole table", "0")}${button("zoomIn", "Zoom in", "Z")}</span>
  <div class="scrub" role="slider" tabindex="0" aria-label="Step" aria-valuemin="0"><div class="segments"></div><div class="thumb"></div></div>
  <output class="where"></output>
  ${button("shape", "Draw h", "H")}${button("code", "Algorithm 1", "A")}${button("save", "Picture as PNG", "S")}${button("present", "Present", "F")}${button("help", "Keys", "?")}`;

const KEYS = [
  ["→ ←", "next and previous step"], ["Shift → ←", "next and previous column"], ["Space", "play, pause"],
  ["Home End", "start, result"], ["M", "table of max or of min, where h is negative"], ["Z Shift+Z 0", "zoom in, out, whole table (wheel; drag moves)"], ["↑ ↓", "floors above and below, when zoomed"], ["H", "draw h: drag its bars, or arrows"], ["E", "edit the scores of this column"], ["Ctrl+Z Shift+Ctrl+Z", "undo, redo a change"], ["A", "Algorithm 1 with the current line"],
  ["S", "save the picture as a PNG"], ["F", "present: the stage alone, larger"], ["+ −", "larger and smaller type"], ["D", "dark, light"], ["?", "this list"],
];
const HELP = `<h3>Keys</h3><table>${KEYS.map(([keys, what]) => `<tr><th>${keys.split(" ").map((key) => `<kbd>${key}</kbd>`).join(" ")}</th><td>${what}</td></tr>`).join("")}</table>
  <p>They work while the stage has the focus: click into it. Hover a cell for its card; click one of the last column for its path. Click a true label to change it.</p>`;

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "vl";
  if (model.get("height")) root.style.setProperty("--vl-height", `${model.get("height")}px`);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab's own keys stay away while the stage has the focus
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Trellis. Right arrow: next step. Space: play.");
  root.innerHTML = `<div class="toolbar" role="toolbar" aria-label="Steps">${TOOLBAR}</div><div class="caption" role="status" hidden></div>
    <div class="body"><div class="stage"><div class="head"></div>
      <svg class="ground" aria-hidden="true"><g class="background"></g></svg><canvas class="heat" aria-hidden="true"></canvas>
      <svg class="floors" role="img"><svg class="table"><g class="hair"></g><g class="dots"></g><g class="edges"></g><g class="nodes"></g></svg>
        <g class="prices"></g><g class="values"></g><svg class="table"><g class="trace"></g><g class="overlay"></g></svg><g class="frames"></g></svg>
      <div class="overview" role="group" tabindex="0" aria-label="Overview. Arrows move the view." hidden><canvas></canvas><div class="seen"></div></div>
      <div class="card" role="note"></div></div><div class="aside" hidden><ol class="code" aria-label="Algorithm 1"></ol></div></div>
    <div class="help" role="dialog" aria-label="Keys" hidden>${HELP}</div>
    <div class="words" role="status"></div><div class="grids"></div>
    <div class="shaper"><p><i>h</i>(<i>k</i>) by hand<small>Drag a bar. ← → choose <i>k</i>, ↑ ↓ change it, Esc closes.</small></p><div class="bars" role="slider" tabindex="0" aria-label="h(k)"></div></div><div class="toast"></div><div class="said" role="status" aria-live="polite"></div><div class="probe"></div>`;
  el.appendChild(root);
  const $ = (selector) => root.querySelector(selector);
  const hold = () => root.focus({ preventScroll: true }); // a page that scrolls under the pointer loses the click
  const [svg, head, card, grids, scrub, said] = [".floors", ".head", ".card", ".grids", ".scrub", ".said"].map($);
  const layer = Object.fromEntries(["background", "hair", "dots", "edges", "nodes", "prices", "values", "trace", "overlay", "frames"].map((name) => [name, $(`svg .${name}`)]));

  let P = null, G = null, W = null, path = null, h = null, op = "times";
  let sense = "max", view = { zoom: 1, t: 0, k: 0 }, image = null; // which table, which part of it, and its heat
  let pos = 0, part = 1; // events done, and candidates of the last one looked at
  let drawn = -1, soon = [], nodes = new Map(), edges = new Map(), weighed = null; // what stands on the stage, by event
  let em = 0.6; // width of a digit in the font that this machine really has
  let hover = 0, timer = 0, size = "cell", speed = 1, serial = 0, waiting = null, segments = [], ownGrid = null;
  let pinned = 0, presenting = false, type = 1; // a chosen cell of the last column; the look

  // -- steps
  const parts = (e) => (e > 0 && e <= P.cells && P.cell(e).t > P.start ? P.N : e === P.maximise ? P.K + 1 - P.kmin : 1);

  function go(target, looked) {
    pos = Math.max(0, Math.min(P.count, target));
    pinned = 0;
    part = Math.min(looked || Infinity, parts(pos));
    paint();
    report();
  }

  function forward(by) {
    const open = part < parts(pos);
    if (by === "candidate") return open ? go(pos, part + 1) : go(pos + 1, 1);
    if (by === "column" && pos < P.cells) return go(P.columnEnd[P.cell(open ? pos : pos + 1).t]);
    return go(open ? pos : pos + 1);
  }

  function backward(by) {
    if (by === "candidate" && part > 1) return go(pos, part - 1);
    if (by === "column" && pos <= P.maximise) return go(Array.from(P.columnEnd).reduce((a, end) => (end < pos ? Math.max(a, end) : a), 0));
    return go(pos - 1);
  }

  function play(on) {
    clearInterval(timer);
    timer = 0;
    if (on) {
      if (pos === P.count) go(0);
      timer = setInterval(() => (pos === P.count && part === parts(pos) ? play(false) : forward(size)), TICK / speed);
    }
    const toggle = $('[data-act="play"]');
    toggle.querySelector("path").setAttribute("d", on ? ICONS.pause : ICONS.play);
    toggle.querySelector(".word").textContent = on ? "Pause" : "Play";
    toggle.setAttribute("aria-label", on ? "Pause" : "Play");
  }

  const act = {
    first: () => go(0), columnBack: () => backward("column"), back: () => backward(size), play: () => play(!timer),
    next: () => forward(size), columnNext: () => forward("column"), last: () => go(P.count),
    code: () => {
      const aside = $(".aside");
      aside.hidden = !aside.hidden;
      (aside.hidden ? $(".stage") : aside).append(card); // the card keeps the algorithm company
      press("code", !aside.hidden);
      build();
    },
    zoomIn: () => zoomBy(ZOOM.step), zoomOut: () => zoomBy(1 / ZOOM.step), whole: () => zoomBy(0),
    save,
    present: () => present(!presenting),
    shape: () => {
      const on = root.classList.toggle("shaping");
      press("shape", on);
      build();
      (on ? bars : root).focus({ preventScroll: true });
    },
    beatNext: () => ask({ kind: "beat", index: 1, text: "" }), beatBack: () => ask({ kind: "beat", index: -1, text: "" }),
    help: (open = $(".help").hidden) => { $(".help").hidden = !open; press("help", open); },
  };
  const press = (name, on) => $(`[data-act="${name}"]`).setAttribute("aria-pressed", on);

  // -- the look: present mode, size of type, dark and light
  /** The stage alone, larger; in full screen where the host allows that. */
  function present(on) {
    if (on === presenting) return;
    presenting = on;
    press("present", on);
    root.classList.toggle("present", on);
    if (on && root.requestFullscreen) root.requestFullscreen().catch(() => {}); // refused: it fills the page instead
    if (!on && document.fullscreenElement) document.exitFullscreen();
    setType(on ? Math.max(type, TYPE.present, innerHeight / TYPE.design) : 1);
    hold();
  }

  function setType(wanted) {
    type = Math.max(TYPE.least, Math.min(TYPE.most, wanted));
    root.style.setProperty("--type", type);
    build();
  }

  function switchTheme() {
    root.style.setProperty("--paper", root.classList.contains("dark") ? PAPER.light : PAPER.dark);
    theme();
  }

  /** The stage as it stands, at twice its size, as a PNG: its elements inside an SVG that the browser draws. */
  async function save() {
    const stage = root.querySelector(".body");
    const { offsetWidth: width, offsetHeight: height } = stage;
    const copy = root.cloneNode(false);
    copy.append(stage.cloneNode(true));
    for (const canvas of stage.querySelectorAll("canvas")) {
      const place = copy.querySelector("canvas");
      if (!canvas.width || !canvas.height) {
        place.remove(); // nothing is drawn on it
        continue;
      }
      const picture = Object.assign(document.createElement("img"), { src: canvas.toDataURL(), className: canvas.className });
      picture.style.cssText = canvas.style.cssText;
      place.replaceWith(picture);
    }
    const seen = getComputedStyle(root);
    copy.style.cssText = `--paper:${getComputedStyle($(".probe")).backgroundColor};zoom:1;position:static;padding:0;width:${width}px;height:${height}px;min-height:0;font-family:${seen.fontFamily.replaceAll('"', "'")}`;
    const home = root.getRootNode();
    const rules = [...home.styleSheets, ...(home.adoptedStyleSheets || [])].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).filter((text) => text.includes(".vl"));
    const style = document.createElement("style");
    style.textContent = rules.join("\n");
    copy.prepend(style);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${new XMLSerializer().serializeToString(copy)}</foreignObject></svg>`;
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
    try {
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = getComputedStyle($(".probe")).backgroundColor;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
      const link = Object.assign(document.createElement("a"), { href: canvas.toDataURL("image/png"), download: "trellis.png" });
      link.click();
      announce("Saved as trellis.png");
    } catch (error) {
      announce("This browser cannot save the picture. Export it as SVG instead.");
      console.warn(error);
    }
  }

  /** Look at the table of maxima or at that of minima. */
  function choose(wanted) {
    if (!W.minima) return;
    [sense, image] = [wanted, null];
    build();
    hold();
  }

  let reported = 0;
  function report() {
    if (reported) return;
    reported = setTimeout(() => {
      reported = 0;
      if (P && model.get("step") !== pos) write("step", pos);
    }, REPORT);
  }

  function write(name, value) {
    model.set(name, value);
    model.save_changes();
  }

  // -- painting: only what changed since the last call
  function reveal(done) {
    if (drawn < 0) for (const e of nodes.keys()) mark(e, e <= done ? "on" : "off");
    else for (let e = Math.min(done, drawn) + 1; e <= Math.max(done, drawn); e++) mark(e, e <= done ? "on" : "off");
    for (const e of soon) if (e > done) mark(e, "off");
    soon = [];
    if (G.circles && done < P.cells) for (let e = done + 1, t = P.cell(e).t; e <= P.columnEnd[t]; e++) { mark(e, "soon"); soon.push(e); }
    if (!G.circles) heatUpTo(done);
    drawn = done;
  }

  function mark(e, state) {
    const node = nodes.get(e);
    if (!node) return; // out of view, or one of too many to be an element
    node.setAttribute("class", state);
    if (G.circles) edges.get(e).setAttribute("class", state === "on" ? "on" : "off");
  }

  /** Heat cells as one image, best edges as one path per column. */
  function heatUpTo(done) {
    const columns = layer.edges.children;
    const [from, to] = drawn < 0 ? [P.start, P.T - 1] : [Math.min(done, drawn), Math.max(done, drawn)].map((e) => (e ? P.cell(e).t : P.start));
    const lines = Array.from({ length: P.T }, () => []);
    for (const [e, line] of edges) {
      const { t } = P.cell(e);
      if (line && t >= from && t <= to && e <= done) lines[t].push(line);
    }
    for (let t = from; t <= to && columns.length; t++) columns[t].setAttribute("d", lines[t].join(""));
    if (G.written) return;
    const pen = $("canvas.heat").getContext("2d");
    pen.clearRect(0, 0, G.width, G.height);
    drawHeat(P, G, pen, (image ||= heatImage(P, P[sense], heatColours())), done);
  }

  /** The colours of the levels as the theme mixes them, as pixels. */
  function heatColours() {
    const [low, high] = ["--heat-low", "--heat-high"].map((name) => getComputedStyle(root).getPropertyValue(name));
    const pen = Object.assign(document.createElement("canvas"), { width: HEAT_LEVELS, height: 1 }).getContext("2d");
    for (let n = 0; n < HEAT_LEVELS; n++) {
      pen.fillStyle = `color-mix(in oklab, ${high} ${(100 * n) / (HEAT_LEVELS - 1)}%, ${low})`;
      pen.fillRect(n, 0, 1, 1);
    }
    return new Uint32Array(pen.getImageData(0, 0, HEAT_LEVELS, 1).data.buffer);
  }

  function paint() {
    const done = Math.min(pos, P.cells);
    if (follows()) return draw();
    reveal(done);
    const phase = pos === 0 ? "start" : pos <= P.cells ? "cells" : pos === P.maximise ? "maximise" : "path";
    root.dataset.phase = phase;
    const floor = phase === "path" ? P.K : phase === "maximise" ? P.kmin + part - 1 : -1;
    if (floor !== weighed) {
      layer.values.setAttribute("class", `values ${floor === P.K ? "decided" : ""}`);
      for (const row of layer.values.children) row.setAttribute("class", Number(row.dataset.k) <= floor ? "on" : "off");
      weighed = floor;
    }
    const at = phase === "cells" && !G.circles ? P.cell(pos) : null;
    layer.hair.innerHTML = at ? `<path d="M0 ${G.y(at.k, at.s)}H${G.width}M${G.x(at.t)} 0V${G.height}"/>` : "";
    layer.overlay.innerHTML = phase === "cells" ? cellHtml(P, G, at || P.cell(pos), part, true, P[sense]) : phase === "path" ? pathHtml(P, G, path, pos - P.maximise, decisive(W.best)) : "";
    paintOverview(phase === "cells" ? P.cell(pos) : phase === "path" ? path.cells[pos - P.maximise - 1] : null);
    paintAnswer(phase === "path" ? pos - P.maximise : 0);
    explain();
    $(".thumb").style.left = $(".segments").lastElementChild.style.width = `${100 * fraction(pos)}%`;
    scrub.setAttribute("aria-valuemax", P.count);
    scrub.setAttribute("aria-valuenow", pos);
    const place = phase === "start" ? "start" : phase === "cells" ? `t = ${P.cell(pos).t + 1}` : phase === "maximise" ? "maximise" : "backtrack";
    $(".where").textContent = `${place} · ${pos}/${P.count}`;
    scrub.setAttribute("aria-valuetext", $(".where").textContent);
  }

  /** The card: of the cell under the pointer, else of the step. */
  function explain() {
    const shown = hover && hover <= Math.min(pos, P.cells) ? hover : 0;
    const cell = shown ? P.cell(shown) : pos > 0 && pos <= P.cells && !pinned ? P.cell(pos) : null;
    const text = cell ? cellCard(P, cell, shown && shown !== pos ? P.N : part, P[sense])
      : pinned ? tracedCard(P, W, pinned, h, op)
      : pos === 0 ? startCard(P, W, op)
      : pos === P.maximise ? maximiseCard(P, W, h, op, P.kmin + part - 1)
      : pathCard(P, W, path, h, op, pos - P.maximise);
    const least = cell && sense === "max" && op === "times" && h[cell.k] < 0 && cell.t === P.T - 1 && shown
      ? `<p class="note"><i>h</i>(${cell.k}) is negative: the smallest sum here, ${show(P.min.L[P.at(cell.t, cell.k, cell.s)])}, decides.</p>` : "";
    card.innerHTML = text.html + least;
    const other = shown && shown !== pos;
    card.classList.toggle("peek", Boolean(other || pinned));
    const chosen = !other && pinned ? W.cells.find(({ k, s }) => P.number[P.at(P.T - 1, k, s)] === pinned) : null;
    layer.trace.innerHTML = other ? pathHtml(P, G, follow(P, cell, P[sense]), Infinity, P[sense], true) + cellHtml(P, G, cell, P.N, false, P[sense])
      : chosen ? pathHtml(P, G, follow(P, chosen, decisive(chosen)), Infinity, decisive(chosen), true) + endHtml(P, G, chosen) : "";
    const lines = new Set(linesAt(P, pos, part));
    Array.from($(".code").children).forEach((line, n) => line.classList.toggle("current", lines.has(n)));
    lightGrid(cell, shown && shown !== pos ? P.N : part);
    say(text.words);
  }

  let saying = 0;
  function say(words) {
    clearTimeout(saying);
    saying = setTimeout(() => { if (said.textContent !== words) said.textContent = words; }, 250);
  }

  function paintAnswer(reached) {
    for (const item of head.querySelectorAll(".hat")) {
      const t = Number(item.dataset.t);
      const open = t >= unknown(P, reached);
      const wrong = open && path.y[t] !== P.y[t];
      if (G.gap < LETTERS) item.innerHTML = open ? tick(wrong ? "missed" : "hit", t, path.y[t]).replace(/left:[^;]*/, "left:0") : "";
      else item.textContent = open ? P.labels[path.y[t]] : "";
      item.className = `hat ${open ? (wrong ? "wrong" : "right") : ""}`;
    }
  }

  // -- building, when the problem or the size changed
  /** Card, floors and grids share the room: the grids' height decides what is left for the floors. */
  function arrange() {
    const stage = $(".stage");
    root.classList.remove("beside", "narrow");
    const width = stage.clientWidth;
    const needs = { minima: W.minima, controls: model.get("controls") || presenting, em };
    const stands = $(".aside").hidden ? "" : "aside";
    for (let gap = (width - 322) / Math.max(1, P.T - 1), round = 0; round < 2; round++, gap = G.gap) {
      mode = P.window === 1 && view.zoom === 1 && gap >= P.N * 25 + 44 ? "under" : "one";
      buildGrids();
      G = geometry(P, width, Math.max(220, stage.clientHeight - HEAD), view, needs, stands);
    }
    if (G.stands === "below") {
      const rows = P.states * (P.K + 1);
      const left = stage.clientHeight + grids.offsetHeight - HEAD - CARD.height(P.N) - 2 * CARD.margin; // with the card in sight
      root.classList.add("narrow"); // the page scrolls to what else there is
      G = geometry(P, width, Math.min(600, Math.max(280, 23 * rows, Math.min(25 * rows, left))), view, needs, "below");
    } else if (G.stands === "beside" && mode === "one" && P.window === 1 && !root.classList.contains("shaping")) {
      root.classList.add("beside"); // the grid goes under the card, the floors get its height
      G = geometry(P, width, stage.clientHeight - HEAD, view, needs, "beside");
    }
  }

  function build() {
    if (!P || !root.clientWidth) return;
    W = weigh(P, h, op);
    if (!W.minima) sense = "max";
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `100px ${getComputedStyle(root).fontFamily}`;
    em = pen.measureText("0").width / 100;
    arrange();
    view.zoom = G.zoom;
    $(".zoom").hidden = G.most === 1;
    $(".sense").hidden = !W.minima;
    const packed = root.clientWidth < PACKED && (G.most > 1 || W.minima || (root.clientWidth >= ONE_LINE && wraps()));
    if (packed !== root.classList.contains("packed")) {
      root.classList.toggle("packed", packed); // the toolbar is higher or lower now
      arrange();
      $(".zoom").hidden = G.most === 1;
    }
    for (const choice of root.querySelectorAll("[data-sense]")) choice.setAttribute("aria-checked", choice.dataset.sense === sense);
    const free = G.stands === "below" || G.stands === "aside"; // it stands in the flow of the page
    card.classList.toggle("slim", !free && G.card.width < CARD.slim);
    card.style.cssText = free ? "" : `left:${G.card.left}px;top:${CARD.margin + HEAD}px;width:${G.card.width}px`;
    placeGrids();
    buildSegments();
    draw();
  }

  /** Whether the toolbar takes a second line when its scrub bar stands among the buttons. */
  function wraps() {
    const was = root.classList.contains("packed");
    root.classList.remove("packed");
    const tall = $(".toolbar").offsetHeight > LINE;
    root.classList.toggle("packed", was);
    return tall;
  }

  /** What stands in the view; the room around it stays. */
  function draw() {
    G.clamp();
    for (const drawing of [svg, $(".ground")]) {
      drawing.setAttribute("width", G.width);
      drawing.setAttribute("height", G.height);
    }
    for (const table of root.querySelectorAll(".table")) {
      const [from, to] = G.zoom > 1 ? [G.left, G.end + 1] : [0, G.width];
      for (const [name, value] of Object.entries({ x: from, y: 0, width: to - from, height: G.height, viewBox: `${from} 0 ${to - from} ${G.height}` })) table.setAttribute(name, value);
    }
    svg.setAttribute("class", `floors ${G.circles ? "circles" : "heat"} ${G.r < 11.5 ? "small" : G.r > 17 ? "large" : ""}`);
    $(".ground").setAttribute("class", `ground ${G.circles ? "" : "heat"}`);
    svg.setAttribute("aria-label", `Trellis with loss levels as floors: ${P.cells} cells${G.zoom > 1 ? `, seen from t = ${Math.ceil(view.t) + 1}, k = ${Math.ceil(view.k)} on` : ""}`);
    const canvas = $("canvas.heat");
    const fine = G.circles || G.written ? 0 : devicePixelRatio * type;
    [canvas.width, canvas.height] = [G.width * fine, G.height * fine];
    canvas.style.cssText = `width:${G.width}px;height:${G.height}px`;
    canvas.getContext("2d").scale(fine, fine);
    layer.background.innerHTML = backgroundHtml(P, G);
    const table = tableHtml(P, G, P[sense]);
    layer.dots.innerHTML = table.dots;
    layer.nodes.innerHTML = table.nodes;
    nodes = new Map(Array.from(layer.nodes.children, (node, n) => [table.events[n], node]));
    const lines = table.edges.some(Boolean);
    layer.edges.innerHTML = G.circles ? table.edges.map((d) => `<path class="off" d="${d}"/>`).join("") : lines ? "<path/>".repeat(P.T) : "";
    edges = new Map(table.events.map((e, n) => [e, G.circles ? layer.edges.children[n] : table.edges[n]]));
    [drawn, soon, hover] = [-1, [], 0];
    buildHead();
    judge();
    frame();
  }

  // -- a story: what its beat says, what it points at, and the wish for another one
  let beat = null;
  function tell() {
    const number = beat && beat.number;
    beat = asObject(model.get("caption"));
    if (!beat.text) beat = null;
    else if (beat.number !== number) hold(); // the arrows belong to the story
    const box = $(".caption");
    box.hidden = !beat;
    const turn = (name, sign, title) => `<button type="button" data-act="${name}" aria-label="${title}">${sign}</button>`;
    if (beat) box.innerHTML = `${turn("beatBack", "←", "Previous beat")}<p><b>${escape(beat.title)}</b> ${escape(beat.text)}</p><small>${beat.number} of ${beat.count}</small>${turn("beatNext", "→", "Next beat")}`;
  }

  function frame() {
    const fits = ({ floor = 0, site = 0, cell: [t, k, s] = [0, 0, 0], path }) => floor <= P.K && site < P.T && t < P.T && k <= P.K && s < P.states && (!path || (path.length === P.T && path.every((j) => j < P.N)));
    const marks = beat ? (beat.marks || []).map(asObject).filter(fits) : []; // the problem may have been changed since
    layer.frames.innerHTML = framesHtml(P, G, marks);
    const parts = marks.map(({ part }) => part);
    for (const [name, selector] of Object.entries({ truth: ".head", card: ".card", scores: ".grids", steps: ".toolbar" })) $(selector).classList.toggle("framed", parts.includes(name));
  }

  // -- the part of the table in view
  /** Zoom by a factor; the point (x, y) of the stage stays where it is, by default the current cell. */
  function zoomBy(factor, x, y) {
    if (!G || G.most === 1) return;
    const { t, k, s } = pos > 0 && pos <= P.cells ? P.cell(pos) : path.cells[Math.max(0, pos - P.maximise - 1)] || { t: P.T - 1, k: P.K, s: 0 };
    const [px, py] = x === undefined ? [Math.max(G.left, Math.min(G.end, G.x(t))), Math.max(0, Math.min(G.height, G.y(k, s)))] : [x, y];
    const [site, floor] = x === undefined ? [t, k + 0.5] : [G.siteAt(px), G.floorAt(py)];
    view.zoom = Math.max(1, Math.min(G.most, view.zoom * factor < 1.02 ? 1 : view.zoom * factor));
    arrange();
    view.t = site - (Math.min(px, G.end) - G.left - 22) / (G.gap || 1);
    view.k = floor - (G.height - Math.min(py, G.height)) / G.lane;
    lookAt = pos;
    build();
  }

  function pan(columns, floorsUp) {
    if (!G || G.zoom === 1) return;
    view.t += columns;
    view.k += floorsUp;
    lookAt = pos;
    draw();
  }

  let lookAt = -1; // the step at which the reader chose the view; the next one leads it back to the action
  /** Move the view to the current cell if that is out of it. */
  function follows() {
    if (G.zoom === 1 || lookAt === pos) return false;
    lookAt = pos;
    const cell = pos > 0 && pos <= P.cells ? P.cell(pos) : pos > P.maximise ? path.cells[pos - P.maximise - 1] : pos ? W.best : null;
    if (!cell) return false;
    const [column, floor] = [cell.t - view.t, cell.k - view.k];
    if (column >= Math.min(1, cell.t) && column <= G.columns && floor >= Math.min(1, cell.k) && floor <= G.floors - 1) return false;
    view.t = cell.t - 0.6 * G.columns;
    view.k = cell.k - 0.4 * G.floors;
    return true;
  }

  /** The small picture of the whole table, with the part in view. */
  function paintOverview(cell) {
    const box = $(".overview");
    box.hidden = G.zoom === 1;
    if (box.hidden) return;
    const beside = G.stands === "beside"; // under the card, above the grid
    const top = HEAD + 8 + (beside ? CARD.height(P.N) + 24 : 0);
    const tall = beside ? Math.max(70, Math.min(OVERVIEW, HEAD + G.height - grids.offsetHeight - top - 20)) : OVERVIEW;
    box.style.cssText = `left:${beside ? G.card.left : G.left + 8}px;top:${top}px;height:${tall}px;width:${1.5 * tall}px`;
    const canvas = box.firstChild;
    [canvas.width, canvas.height] = [P.T, (P.K + 1) * P.states];
    const pen = canvas.getContext("2d");
    pen.drawImage((image ||= heatImage(P, P[sense], heatColours())), 0, 0);
    if (cell) {
      pen.fillStyle = getComputedStyle(root).getPropertyValue("--decision");
      const [w, h] = [Math.max(1, P.T / 40), Math.max(1, canvas.height / 25)];
      pen.fillRect(cell.t + 0.5 - w / 2, (P.K - cell.k) * P.states + cell.s + 0.5 - h / 2, w, h);
    }
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    const seen = $(".seen").style;
    [seen.left, seen.width] = [percent(view.t, P.T), percent(Math.min(P.T, G.columns + 1), P.T)];
    [seen.bottom, seen.height] = [percent(view.k, P.K + 1), percent(Math.min(P.K + 1, G.floors), P.K + 1)];
  }

  const decisive = (cell) => (cell.smallest ? P.min : P.max);
  /** ⊙ or h changed: only the last column, the optimum and its path depend on them. */
  function judge() {
    W = weigh(P, h, op);
    if (W.minima !== G.minima) return build();
    path = follow(P, W.best, decisive(W.best));
    const final = finalHtml(P, G, W, h, op, P[sense]);
    if (!grabbed) span = spanOf(h);
    paintBars();
    layer.prices.innerHTML = final.prices;
    layer.values.innerHTML = final.rows;
    weighed = null;
    const title = head.querySelector(".objective");
    $(".code").innerHTML = pseudocode(P, W, op, P[sense]).map(([depth, line]) => `<li style="--depth:${depth}">${line}</li>`).join("");
    title.innerHTML = controls() + `<span>${objective(P, op, `${P.T},<i>k</i>`)}</span>`;
    root.dataset.op = op;
    paint();
  }

  function controls() {
    if (!model.get("controls") && !presenting) return "";
    const rules = Object.keys(asObject(model.get("h"))).map((name) => `<option${name === model.get("rule") ? " selected" : ""}>${escape(name)}</option>`);
    return `<span class="ops" role="radiogroup" aria-label="Combine">${Object.entries(OPS).map(([name, text]) => `<button type="button" role="radio" data-op="${name}" aria-checked="${name === op}">${text}</button>`).join("")}</span>
      <select data-set="rule" aria-label="Loss wrapper h">${rules.join("")}</select>`;
  }

  function buildHead() {
    const can = model.get("editable") !== false;
    const every = [1, 5, 10, 20].find((n) => n * G.gap >= (n > 1 ? 26 : 17)) || 50;
    const letters = G.gap >= LETTERS;
    const seen = Array.from({ length: P.T }, (_, t) => t).filter((t) => G.zoom === 1 || (G.x(t) > G.left && G.x(t) < G.end));
    const items = seen.map((t) => {
      const x = G.x(t);
      const label = escape(P.labels[P.y[t]]);
      const site = (t + 1) % every === 0 || t === 0 ? `<span class="site" style="left:${x}px">${t + 1}</span>` : "";
      if (!letters) return `${site}${tick("truth", t, P.y[t])}<span class="hat" data-t="${t}" style="left:${x}px"></span>`;
      return `${site}<button type="button" class="truth" data-y="${t}" style="left:${x}px" ${can ? "" : "disabled"} aria-label="y ${t + 1} = ${label}" title="True label at t = ${t + 1}${can ? ": click for the next one" : ""}">${label}</button>
        <span class="hat" data-t="${t}" style="left:${x}px"></span>`;
    });
    const focus = head.contains(deepFocus()) ? deepFocus().dataset.y : null;
    head.innerHTML = `<span class="row site" style="top:2px"><i>t</i></span><span class="row" style="top:18px">true <i>y</i></span><span class="row" style="top:37px">best <i>ŷ</i></span>
      ${items.join("")}<div class="objective" style="left:${G.end - G.cell / 2 + 22}px;width:${G.width - G.end + G.cell / 2 - 30}px"></div>`;
    if (focus) head.querySelector(`[data-y="${focus}"]`)?.focus();
    head.classList.toggle("tight", G.gap < 24);
  }

  /** A label where there is no room for a letter: the higher, the later in the alphabet. */
  const tick = (kind, t, j) => `<span class="tick ${kind}" style="left:${G.x(t)}px;width:${Math.max(1, G.gap - 0.6)}px;height:${2 + (12 * j) / Math.max(1, P.N - 1)}px"></span>`;

  const deepFocus = () => root.getRootNode().activeElement || document.activeElement;

  function buildSegments() {
    const counts = [["init", 0, P.columnEnd[P.start], "Initialise"]];
    for (let t = P.start + 1; t < P.T; t++) counts.push([`t=${t + 1}`, P.columnEnd[t - 1], P.columnEnd[t], `Column t = ${t + 1}`]);
    counts.push(["max", P.cells, P.maximise, "Maximise"], ["path", P.maximise, P.count, "Backtrack"]);
    const weight = counts.map(([, a, b]) => Math.sqrt(b - a) + 1.5);
    const total = weight.reduce((a, b) => a + b);
    let left = 0;
    segments = counts.map(([name, from, to, title], n) => {
      const segment = { name, from, to, title, left, width: weight[n] / total };
      left += segment.width;
      return segment;
    });
    const pixels = scrub.clientWidth;
    const crowded = pixels / segments.length < 26;
    const every = [10, 20, 50].find((n) => n * (pixels / segments.length) > 46) || 100;
    const label = ({ name, width }, n) => (width * pixels > 8 + 6.6 * name.length || (crowded && (n === 0 || (n < P.T - P.start - 1 && (n + 1 + P.start) % every === 0))) ? name : "");
    $(".segments").innerHTML = segments.map((segment, n) => `<span class="${crowded && !label(segment, n) ? "bare" : ""}" title="${segment.title}" style="left:${100 * segment.left}%;width:${100 * segment.width}%">${label(segment, n)}</span>`).join("") + `<div class="done"></div>`;
  }

  function fraction(position) {
    const segment = segments.find(({ from, to }) => position >= from && position <= to && to > from) || segments[0];
    return segment.left + (segment.width * (position - segment.from)) / (segment.to - segment.from);
  }

  function positionAt(x) {
    const segment = segments.filter(({ left }) => left <= x).pop() || segments[0];
    return segment.from + Math.round(((x - segment.left) / segment.width) * (segment.to - segment.from));
  }

  // -- the grids of g: never rebuilt while somebody types into one of the same shape
  let shape = "", inputs = new Map(), lit = [], typing = null, mode = "under", inputWidth = 30; // px
  function buildGrids() {
    const t = ownGrid === null ? currentSite() : ownGrid;
    const next = [P.T, P.N, P.window, mode, mode === "one" ? t : "", P.labels.join(), model.get("editable")].join("|");
    if (next !== shape) {
      shape = next;
      const can = model.get("editable") !== false;
      if (mode === "under") {
        inputWidth = 30; // until placed
        grids.innerHTML = Array.from({ length: P.T }, (_, at) => `<div class="grid" data-t="${at}">${gridHtml(P, gridOf(P, at), inputWidth, can, em)}</div>`).join("");
      } else {
        const cells = P.keep * P.N;
        inputWidth = Math.max(26, Math.min(46, (grids.clientWidth - 190 - 20 * P.keep) / cells));
        const what = t === P.start ? "scores of the first labels" : `row: label at t = ${t + 1 - P.window} · column: label at t = ${t + 1}`;
        grids.innerHTML = `<div class="pager"><button type="button" data-grid="-1" aria-label="Scores of the previous site">‹</button><span><i>t</i> = ${t + 1}</span><button type="button" data-grid="1" aria-label="Scores of the next site">›</button><small>${what}</small></div>
          <div class="grid" data-t="${t}">${gridHtml(P, gridOf(P, t), inputWidth, can, em)}</div>`;
      }
      grids.className = `grids ${mode}${P.window > 1 ? " deep" : ""}`;
      grids.style.setProperty("--rows", Math.max(3, P.N));
      grids.style.setProperty("--row", P.N > 4 ? "18px" : "21px");
      inputs = new Map(Array.from(grids.querySelectorAll("input"), (input) => [`${input.dataset.kind}${input.dataset.index}`, input]));
      lit = [];
      complain(null);
    }
    for (const input of inputs.values()) if (input !== typing && !input.classList.contains("bad")) restore(input);
  }

  /** Under their columns, or pushed aside just enough to stay within the stage. */
  function placeGrids() {
    const under = grids.classList.contains("under");
    if (under) inputWidth = Math.min(longest() > inputRoom(34, em) ? 46 : 34, (G.gap - 40) / P.N);
    else if (root.classList.contains("beside")) inputWidth = Math.min(46, 280 / P.N);
    else return;
    for (const grid of grids.querySelectorAll(".grid")) {
      for (const block of grid.querySelectorAll(".block")) block.style.gridTemplateColumns = `14px repeat(${P.N},${inputWidth}px)`;
      if (under) grid.style.left = `${G.x(Number(grid.dataset.t)) - (P.N * inputWidth) / 2 - 18}px`; // 18: name and row labels
    }
    for (const input of inputs.values()) if (input !== typing && !input.classList.contains("bad")) restore(input);
  }

  const longest = () => [...P.first, ...P.steps].reduce((most, g) => Math.max(most, wide(show(g))), 0);
  const currentSite = () => (pos > 0 && pos <= P.cells ? P.cell(pos).t : pos === 0 ? P.start : P.T - 1);
  const stored = (input) => (input.dataset.kind === "first" ? P.first : P.steps)[input.dataset.index];

  function lightGrid(cell, upto) {
    const site = cell ? cell.t : currentSite();
    if (grids.classList.contains("one") && ownGrid === null && Number(grids.querySelector(".grid").dataset.t) !== site && !grids.contains(deepFocus())) {
      ownGrid = site;
      buildGrids();
      ownGrid = null;
    }
    for (const input of lit) input.classList.remove("used", "winner");
    lit = [];
    const use = (input, winner) => {
      if (!input) return;
      input.classList.add("used");
      input.classList.toggle("winner", winner);
      lit.push(input);
    };
    const step = ({ t, s }, i) => inputs.get(`step${((t - P.window) * P.states + s) * P.N + i}`);
    if (!cell) {
      for (const reached of pos > P.maximise ? path.cells.slice(0, pos - P.maximise) : [])
        use(reached.t === P.start ? inputs.get(`first${reached.s}`) : step(reached, path.y[reached.t - P.window]), true);
      return;
    }
    const rows = candidates(P, cell);
    if (!rows) return use(inputs.get(`first${cell.s}`), true);
    for (const row of rows.slice(0, upto)) use(step(cell, row.i), row.winner && upto === P.N);
  }

  // -- drawing h: it acts on the last column only, so the browser judges anew while the hand moves
  const bars = $(".bars");
  let span = null, chosen = 1, grabbed = null, asking = 0;
  function paintBars() {
    if (!root.classList.contains("shaping")) return;
    chosen = Math.min(chosen, P.K);
    bars.innerHTML = barsHtml(h, span, chosen, bars.clientWidth);
    const said = { label: `h(${chosen})`, valuenow: h[chosen], valuemin: span.low, valuemax: span.high, valuetext: `h(${chosen}) = ${show(h[chosen])}` };
    for (const [name, value] of Object.entries(said)) bars.setAttribute(`aria-${name}`, value);
  }

  /** h(k) is now `value`; Python, where there is one, hears of it when the hand rests. */
  function bend(k, value) {
    chosen = k;
    const rounded = Number((Math.round(value / span.step) * span.step).toFixed(10));
    if (rounded !== h[k]) {
      h[k] = rounded;
      judge();
    } else paintBars();
  }

  function handIn() {
    clearTimeout(asking);
    const tables = asObject(model.get("h"));
    model.set("h", { ...Object.fromEntries(Object.entries(tables).map(([rule, table]) => [rule, Array.from(table)])), [OWN]: h.slice() });
    model.set("rule", OWN);
    if (model.get("editable") === false) model.save_changes();
    else ask({ kind: "h", index: 0, text: h.join(", ") });
    judge(); // with room around the new bars, and the name of the rule
  }

  const grab = (event) => {
    const box = bars.getBoundingClientRect();
    const inside = (share) => Math.max(0, Math.min(0.9999, share));
    const k = Math.floor(inside((event.clientX - box.left) / box.width) * h.length);
    if (!grabbed) grabbed = { k, few: h.length <= FEW_BARS };
    // one of few bars is held; over many the pointer draws a curve
    bend(grabbed.few ? grabbed.k : k, span.high - inside((event.clientY - box.top) / box.height) * (span.high - span.low));
  };
  bars.addEventListener("pointerdown", (event) => {
    if (!P) return;
    bars.setPointerCapture(event.pointerId);
    grab(event);
  });
  bars.addEventListener("pointermove", (event) => { if (grabbed) grab(event); });
  for (const end of ["pointerup", "pointercancel"])
    bars.addEventListener(end, () => {
      if (!grabbed) return;
      grabbed = null;
      handIn();
    });
  bars.addEventListener("keydown", (event) => {
    const by = event.shiftKey || event.key.startsWith("Page") ? 10 : 1;
    const choose = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: P.K }[event.key];
    const change = { ArrowUp: by, ArrowDown: -by, PageUp: by, PageDown: -by }[event.key];
    if (choose === undefined && change === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return act.shape();
    if (change === undefined) return bend(Math.max(0, Math.min(P.K, choose)), h[Math.max(0, Math.min(P.K, choose))]);
    bend(chosen, h[chosen] + change * span.step);
    clearTimeout(asking);
    asking = setTimeout(handIn, 400); // several presses are one change
  });

  // -- editing
  function ask(wish, input) {
    waiting = input || null;
    write("edit", { serial: ++serial, ...wish });
  }

  function apply(input) {
    const text = input.value.trim();
    if (text === written(input) || text === String(stored(input))) return undo(input);
    typing = null;
    ask({ kind: input.dataset.kind, index: Number(input.dataset.index), text }, input);
  }

  const written = (input) => fit(stored(input), inputRoom(inputWidth, em));
  const restore = (input) => { input.value = input === deepFocus() ? String(stored(input)) : written(input); };

  function undo(input) {
    typing = null;
    restore(input);
    input.classList.remove("bad");
    complain(null);
  }

  function complain(input, text) {
    grids.querySelectorAll(".error").forEach((bubble) => bubble.remove());
    if (!input) return;
    input.classList.add("bad");
    const bubble = document.createElement("div");
    bubble.className = "error";
    bubble.setAttribute("role", "alert");
    bubble.textContent = text;
    grids.appendChild(bubble);
    const [a, b] = [input.getBoundingClientRect(), grids.getBoundingClientRect()];
    bubble.style.left = `${Math.max(4, Math.min(b.width / type - bubble.offsetWidth - 4, (a.left - b.left) / type - 8))}px`;
    bubble.style.top = `${(a.top - b.top) / type - bubble.offsetHeight - 4}px`;
  }

  function answered() {
    const reply = asObject(model.get("reply"));
    if (reply.serial !== serial) return;
    if (reply.error) return waiting ? complain(waiting, reply.error) : say(reply.error);
    if (waiting) waiting.classList.remove("bad"); // the new value comes with the new problem
    complain(null);
    waiting = null;
  }

  function copy() {
    const { text } = asObject(model.get("copy"));
    if (!text) return;
    if (!navigator.clipboard) return announce("This page may not use the clipboard. Save a file instead.");
    navigator.clipboard.writeText(text).then(
      () => announce("Copied to the clipboard"),
      () => announce("The browser refused the clipboard. Save a file instead.")
    );
  }

  let announcing = 0;
  function announce(words) {
    const note = $(".toast");
    note.textContent = words;
    note.classList.add("on");
    say(words);
    clearTimeout(announcing);
    announcing = setTimeout(() => note.classList.remove("on"), 2500);
  }

  function neighbour(input, key) {
    const here = input.getBoundingClientRect();
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null, least = Infinity;
    for (const other of inputs.values()) {
      const there = other.getBoundingClientRect();
      const [x, y] = [there.left - here.left, there.top - here.top];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 4 && across < 4 && along < least) [best, least] = [other, along];
    }
    return best;
  }

  grids.addEventListener("focusin", ({ target }) => {
    if (target.tagName !== "INPUT") return;
    if (!target.classList.contains("bad")) target.value = String(stored(target));
    target.select();
  });
  grids.addEventListener("input", ({ target }) => { typing = target; });
  grids.addEventListener("focusout", ({ target }) => { if (target.tagName === "INPUT") apply(target); });
  grids.addEventListener("keydown", (event) => {
    const input = event.target;
    if (input.tagName !== "INPUT") return;
    event.stopPropagation();
    if (event.key === "Enter") apply(input);
    else if (event.key === "Escape") { undo(input); input.select(); }
    else if (event.key.startsWith("Arrow")) {
      const inside = event.key === "ArrowLeft" ? input.selectionStart > 0 : event.key === "ArrowRight" ? input.selectionEnd < input.value.length : false;
      const whole = input.selectionStart === 0 && input.selectionEnd === input.value.length;
      const other = inside && !whole ? null : neighbour(input, event.key);
      if (!other) return;
      event.preventDefault();
      other.focus();
    }
  });
  grids.addEventListener("click", ({ target }) => {
    const turn = target.closest("[data-grid]");
    if (!turn) return;
    const shown = Number(grids.querySelector(".grid").dataset.t) + Number(turn.dataset.grid);
    ownGrid = Math.max(P.start, Math.min(P.T - 1, shown));
    buildGrids();
    ownGrid = null;
  });

  // -- pointer and keys
  root.addEventListener("click", ({ target }) => {
    if (!P) return;
    const [control, label, sign, end, which] = ["[data-act]", "[data-y]", "[data-op]", "[data-trace]", "[data-sense]"].map((kind) => target.closest(kind));
    if (end) {
      pin(Number(end.dataset.trace));
      hold(); // the card that had the focus is gone
    }
    else if (which) choose(which.dataset.sense);
    else if (target.closest(".help")) act.help(false);
    else if (control) act[control.dataset.act]();
    else if (label) ask({ kind: "y", index: Number(label.dataset.y), text: String((P.y[label.dataset.y] + 1) % P.N) });
    else if (sign) { write("op", sign.dataset.op); changed(); hold(); }
  });
  root.addEventListener("change", ({ target }) => {
    if (target.dataset.set === "size") size = target.value;
    if (target.dataset.set === "speed") { speed = Number(target.value); if (timer) play(true); }
    if (target.dataset.set === "rule") { write("rule", target.value); changed(); }
    if (target.dataset.set) hold();
  });
  $(".toolbar").addEventListener("mousedown", (event) => {
    if (!event.target.closest("button")) return;
    event.preventDefault(); // a clicked button leaves the keys to the stage
    hold();
  });
  root.addEventListener("keydown", (event) => {
    if (!P || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const kind = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
      if (!kind || model.get("editable") === false) return;
      event.preventDefault();
      return ask({ kind, index: 0, text: "" });
    }
    if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    const turn = beat && !event.shiftKey && { ArrowRight: act.beatNext, PageDown: act.beatNext, ArrowLeft: act.beatBack, PageUp: act.beatBack, ArrowDown: act.next, ArrowUp: act.back }[event.key];
    const keys = { ArrowRight: () => forward(event.shiftKey ? "column" : size), ArrowLeft: () => backward(event.shiftKey ? "column" : size), " ": act.play, Home: act.first, End: act.last, e: () => grids.querySelector(`[data-t="${currentSite()}"] input`)?.focus(),
      h: act.shape, s: save, m: () => choose(sense === "max" ? "min" : "max"), z: event.shiftKey ? act.zoomOut : act.zoomIn, 0: act.whole,
      ArrowUp: G.zoom > 1 && (() => pan(0, G.floors / 4)), ArrowDown: G.zoom > 1 && (() => pan(0, -G.floors / 4)),
      a: act.code, f: act.present, d: switchTheme, "?": () => act.help(), "+": () => setType(type * TYPE.step), "-": () => setType(type / TYPE.step),
      Escape: $(".help").hidden ? presenting && act.present : () => act.help(false) };
    const todo = turn || keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!todo) return;
    event.preventDefault();
    todo();
  });
  const drag = (event) => {
    const box = scrub.getBoundingClientRect();
    go(positionAt(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))));
  };
  scrub.addEventListener("pointerdown", (event) => { scrub.setPointerCapture(event.pointerId); play(false); drag(event); });
  scrub.addEventListener("pointermove", (event) => { if (event.buttons) drag(event); });

  /** The event whose cell lies under the pointer, or 0. */
  function eventAt(event) {
    const box = svg.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / type, (event.clientY - box.top) / type];
    const t = Math.round(G.siteAt(x));
    if (t < P.start || t >= P.T || Math.abs(x - G.x(t)) > G.cell / 2 + 4 || (G.zoom > 1 && (x < G.left || x > G.end))) return 0;
    const k = Math.floor(G.floorAt(y));
    const s = Math.max(0, Math.min(P.states - 1, Math.round((y - G.y(k, 0)) / G.row))); // between two floors: the nearer row
    return k < 0 || k > P.K ? 0 : P.number[P.at(t, k, s)];
  }
  const point = (to) => { if (P && G && to !== hover) { hover = to; explain(); } };
  svg.addEventListener("mousemove", (event) => { if (P && G) point(eventAt(event)); });
  svg.addEventListener("mouseleave", () => point(0));
  /** Choose a cell of the last column, once all are filled; choosing it again lets it go. */
  function pin(e) {
    pinned = pinned === e || pos < P.cells ? 0 : e;
    hover = 0;
    explain();
  }
  let dragged = null; // where the pointer went down, and whether it has moved since
  svg.addEventListener("pointerdown", (event) => { dragged = G && G.zoom > 1 && event.button === 0 ? { x: event.clientX, y: event.clientY, moved: false } : null; });
  svg.addEventListener("pointermove", (event) => {
    if (!dragged || !event.buttons) return;
    const [dx, dy] = [(event.clientX - dragged.x) / type, (event.clientY - dragged.y) / type];
    if (!dragged.moved && Math.hypot(dx, dy) < 4) return;
    if (!dragged.moved) svg.setPointerCapture(event.pointerId);
    [dragged.x, dragged.y, dragged.moved] = [event.clientX, event.clientY, true];
    once(() => pan(-dx / G.gap, dy / G.lane));
  });
  let queued = null;
  /** At most one redrawing per frame; moves add up. */
  function once(move) {
    if (queued) return queued.push(move);
    queued = [move];
    requestAnimationFrame(() => { const moves = queued; queued = null; for (const one of moves) one(); });
  }
  svg.addEventListener("wheel", (event) => {
    // without the focus or Ctrl the wheel belongs to the page around
    if (!P || !G || G.most === 1 || !(event.ctrlKey || root.contains(deepFocus()))) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), (event.clientX - box.left) / type, (event.clientY - box.top) / type);
  }, { passive: false });
  const overview = $(".overview");
  const seek = (event) => {
    const box = overview.getBoundingClientRect();
    view.t = ((event.clientX - box.left) / box.width) * P.T - (G.columns + 1) / 2;
    view.k = (1 - (event.clientY - box.top) / box.height) * (P.K + 1) - G.floors / 2;
    pan(0, 0);
  };
  overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); seek(event); });
  overview.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
  overview.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    pan((way[0] * G.columns) / 4, (way[1] * G.floors) / 4);
  });

  svg.addEventListener("click", (event) => {
    hold();
    if (dragged?.moved) return;
    const e = P && G ? eventAt(event) : 0;
    if (e && P.cell(e).t === P.T - 1) pin(e);
    else if (pinned) pin(pinned);
  });

  // -- what the host sends
  function receive(message) {
    const words = message.words || [];
    root.classList.toggle("undrawn", words.length > 0);
    $(".words").innerHTML = words.length ? `<h2>${escape(message.title)}</h2>${words.map((text) => `<p>${escape(text)}</p>`).join("")}` : "";
    if (words.length) {
      play(false);
      P = G = null; // nothing to step
    }
    if (!message.T || (P && P.revision === message.revision)) return false;
    const old = P;
    P = readProblem(message);
    image = null;
    if (!old || P.reset || old.number.length !== P.number.length) view = { zoom: 1, t: 0, k: 0 };
    if (!old) pos = Math.max(0, Math.min(P.count, model.get("step") || 0)); // drawn anew, or a saved place
    else if (P.reset) pos = Math.min(P.count, P.place);
    else keepPlace(old);
    part = parts(pos);
    return true;
  }

  /** The same (t, k, j) if it still exists, else the end of its column; the answer stays the answer. */
  function keepPlace(old) {
    if (pos >= old.maximise) pos = pos === old.count ? P.count : Math.min(P.count, P.maximise + pos - old.maximise);
    else if (pos > 0) {
      const { t, k, s } = old.cell(pos);
      const column = Math.max(P.start, Math.min(t, P.T - 1));
      pos = (t === column && k <= P.K && s < P.states && P.number[P.at(t, k, s)]) || P.columnEnd[column];
    }
  }

  let pending = 0, retold = true;
  function changed() {
    if (pending) return;
    pending = requestAnimationFrame(() => {
      pending = 0;
      const message = asObject(model.get("problem"));
      const table = asObject(model.get("h"))[model.get("rule")];
      if (message.T && (!table || table.length !== message.K + 1)) return; // the other half of the change is still on its way
      const fresh = receive(message);
      if (!P) return;
      h = Array.from(table);
      op = model.get("op");
      if (retold) tell();
      if (fresh || !G || retold) build();
      else judge();
      retold = false;
      if (fresh) report();
    });
  }

  for (const name of ["problem", "h", "rule", "op", "controls"]) model.on(`change:${name}`, changed);
  model.on("change:caption", () => { retold = true; changed(); });
  model.on("change:reply", answered);
  model.on("change:copy", copy);
  model.on("change:step", () => { if (P && G && !reported && model.get("step") !== pos) go(model.get("step")); });
  let room = "";
  const watcher = new ResizeObserver(() => {
    // below the floors the card makes the page taller, which is no reason to draw anew
    const now = `${root.clientWidth} ${root.classList.contains("narrow") ? "" : root.clientHeight}`;
    if (now === room) return;
    const appeared = room.startsWith("0 ");
    room = now;
    if (appeared) theme(); // what is hidden hears of no change of colours
    if (P && h) build();
    if (appeared && beat) hold();
  });
  watcher.observe(root);

  let shade = false;
  /** Dark or light is read off the background that the host's theme really paints. */
  function theme() {
    const rgb = getComputedStyle($(".probe")).backgroundColor.match(/[\d.]+/g) || [255, 255, 255];
    const dark = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 128;
    if (root.classList.toggle("dark", dark) === shade) return;
    [shade, image] = [dark, null];
    if (P && G && W) draw(); // the image has the old colours
  }
  $(".probe").addEventListener("transitionend", theme);
  const leave = () => { if (presenting && !document.fullscreenElement) present(false); };
  document.addEventListener("fullscreenchange", leave);
  theme();
  changed();
  return () => {
    play(false);
    watcher.disconnect();
    document.removeEventListener("fullscreenchange", leave);
  };
}

export default { render };
