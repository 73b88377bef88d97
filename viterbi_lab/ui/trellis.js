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
const PAPER = { dark: "#15181c", light: "#ffffff" };
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
    max: { L: asArray(m.L, Float64Array), S: asArray(m.S, Int16Array) },
    min: { L: asArray(m.L_min, Float64Array), S: asArray(m.S_min, Int16Array) },
  };
  P.at = (t, k, s) => (t * (K + 1) + k) * states + s;
  P.last = (s) => Math.floor(s / P.keep); // j_ℓ, the label of site t
  P.tuple = (s) => Array.from({ length: window }, (_, age) => Math.floor(s / N ** age) % N);
  P.name = (s) => P.tuple(s).map((j) => P.labels[j]).join(P.labels.some((l) => l.length > 1) ? "," : "");
  P.args = (s) => P.tuple(s).map((j) => P.labels[j]).join(",");
  P.before = (s, i) => i + N * (s % P.keep); // the state (i, j_1, …, j_{ℓ-1})
  P.climb = (t, s) => P.cost[t * N + P.last(s)];
  P.events = [null]; // event number → {t, k, s}
  P.number = new Int32Array(T * (K + 1) * states);
  P.columnEnd = new Int32Array(T);
  for (let t = P.start; t < T; t++) {
    for (let k = 0; k <= K; k++)
      for (let s = 0; s < states; s++)
        if (P.max.L[P.at(t, k, s)] > -Infinity) P.number[P.at(t, k, s)] = P.events.push({ t, k, s }) - 1;
    P.columnEnd[t] = P.events.length - 1;
  }
  P.cells = P.events.length - 1;
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
function leader(rows, upto) {
  if (upto >= rows.length) return rows.find((row) => row.winner);
  return rows.slice(0, upto).reduce((best, row) => (row.defined && !(best && best.sum >= row.sum) ? row : best), null);
}

/** The last column under ⊙ and h, (16): every cell's value and the first best one, by k, then state. */
export function weigh(P, h, op) {
  const cells = [];
  let best = null;
  for (let k = P.kmin; k <= P.K; k++) {
    const smallest = op === "times" && h[k] < 0; // a negative factor wants the smallest sum
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
const signed = (text) => text.replace("-", "−").replace("Infinity", "∞");
const sub = (text) => `<sub>${text}</sub>`;
const floors = (c) => (c === 1 ? "one floor up" : `${c} floors up`);

/** A number as people write it: whole ones whole, others with at most `digits` decimals. */
export function show(value, digits = 2) {
  if (Number.isInteger(value) || !Number.isFinite(value)) return signed(String(value));
  const size = Math.abs(value);
  return signed(size >= 1e5 || size < 10 ** -digits ? value.toExponential(1) : String(Number(value.toFixed(digits))));
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

/** "Why this cell": what stands in the card, as HTML and in words. `upto` candidates have been looked at. */
export function cellCard(P, cell, upto = P.N) {
  const { t, k, s } = cell;
  const [T1, j, y] = [t + 1, P.last(s), P.y[t]];
  const args = escape(P.args(s));
  const name = `<i>L</i>${sub(`${T1},${k}`)}(${args})`;
  const label = escape(P.labels[j]);
  const up = P.climb(t, s);
  const L = P.max.L[P.at(t, k, s)];
  const right = j === y;
  const rows = candidates(P, cell);
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
  const best = leader(rows, upto);
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
    : `${name} ${done ? "=" : "≥"} ${show(best.L)} ${plus(best.g)} = <b>${show(best.sum)}</b>` +
      (done ? `<span class="gap"></span><i>S</i>${sub(`${T1},${k}`)}(${args}) = <b>${winner}</b>${ties.length ? ", the smallest" : ""}` : "");
  const tied = done && ties.length ? `Tie: ${[P.labels[best.i], ...ties].map(escape).join(" and ")} give ${show(L)}; the smallest is kept.` : "";
  return {
    html: `<h3>${done ? `Why ${show(L)}${ties.length ? ", a tie" : ""}` : "So far"} <span class="chip ${up ? "up" : "level"}">${verdict}</span></h3>
      <p>${name} = max${sub("<i>i</i>")} <i>L</i>${sub(`${t},${k - up}`)}(${source}) + <i>g</i>${sub(T1)}(<i>i</i>,${args})</p>
      <table><thead><tr><th><i>i</i></th><th><i>L</i>${sub(`${t},${k - up}`)}</th><th><i>g</i>${sub(T1)}</th><th>sum</th><th></th></tr></thead>
      <tbody>${rows.map(line).join("")}</tbody></table>
      <p class="result">${result}</p>`,
    words:
      `t = ${T1}, k = ${k}, label ${P.args(s)}. ${right ? "Right label" : `Wrong label, y is ${P.labels[y]}`}: ${up ? floors(up) : "same floor"}. ` +
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

function negativeFloors(W) {
  const negative = [...new Set(W.cells.filter((cell) => cell.smallest).map((cell) => cell.k))];
  if (!negative.length) return "";
  const which = negative.length > 4 ? `${negative.length} floors` : `k = ${negative.join(", ")}`;
  return `<p class="note"><i>h</i> is negative at ${which}: there the <b>smallest</b> sum decides (min).</p>`;
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
      ${equal && upto >= P.K ? `<p class="note">Tie: ${equal + 1} cells give ${show(best.value)}; the lowest floor, then the smallest label is kept.</p>` : ""}${negativeFloors(W)}`,
    words: best ? `Maximise: the best of ${seen.length} cells is ${arithmetic(P, best, h, op)} = ${show(best.value)} at k = ${best.k}, label ${P.args(best.s)}.` : "",
  };
}

/** The two cells that come after the best, to be looked at by a click. */
function runnersUp(P, W, h, op) {
  const rest = W.cells.filter((cell) => cell !== W.best).sort((a, b) => b.value - a.value || a.k - b.k || a.s - b.s).slice(0, 2);
  const one = (cell) => `<button type="button" data-trace="${P.number[P.at(P.T - 1, cell.k, cell.s)]}">${arithmetic(P, cell, h, op)}${op === "plain" ? "" : ` = ${show(cell.value)}`}</button>`;
  return rest.length ? `<p class="note">Next best: ${rest.map(one).join(" ")}</p>` : "";
}

/** A cell of the last column that somebody chose: the labelling behind it, and how far it is from the best. */
export function tracedCard(P, W, e, h, op) {
  const { k, s } = P.events[e];
  const cell = W.cells.find((other) => other.k === k && other.s === s);
  if (!cell) return { html: `<h3>Not asked for</h3><p>Floor <i>k</i> = ${k} is excluded: <i>k</i> starts at ${P.kmin}.</p>`, words: `Floor ${k} is excluded.` };
  const { y } = follow(P, cell, cell.smallest ? P.min : P.max);
  const labels = y.map((j, t) => `<span class="${j === P.y[t] ? "right" : "wrong"}">${escape(P.labels[j])}</span>`);
  const behind = W.best.value - cell.value;
  const rank = 1 + W.cells.filter((other) => other.value > cell.value).length;
  const place = cell === W.best ? "the best" : behind ? `number ${rank} of ${W.cells.length}, ${show(behind)} behind the best` : "as good as the best; the tie rule decides";
  return {
    html: `<h3>Path to this cell <span class="chip plain">score ${show(cell.sum)}, ${k} wrong</span></h3>
      <p class="answer"><i>y</i> = (${labels.join(", ")})</p>
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
  const labels = path.y.map((j, at) => (at < unknown(P, reached) ? "·" : `<span class="${j === P.y[at] ? "right" : "wrong"}">${escape(P.labels[j])}</span>`));
  const S = `<i>S</i>${W.best.smallest ? sub("min ") : ""}${sub(`${t + 1},${k}`)}(${escape(P.args(s))})`;
  const next = whole ? "" : `<p>${S} = <b>${escape(P.labels[table.S[P.at(t, k, s)]])}</b>: go to t = ${t} on ${P.climb(t, s) ? (P.climb(t, s) === 1 ? "the floor below" : `floor ${k - P.climb(t, s)}`) : "the same floor"}</p>`;
  const score = `score ${show(W.best.sum)}, ${W.best.k} wrong`;
  return {
    html: `<h3><span>${whole ? "The answer" : "Follow <i>S</i> back"}</span> <span class="chip plain">${score}</span></h3>${next}
      <p class="answer"><i>y</i>* = (${labels.join(", ")})</p>
      <p class="result"><i>L</i>* = ${arithmetic(P, W.best, h, op)}${op === "plain" && !P.offset ? "" : ` = <b>${show(W.best.value)}</b>`} on floor <i>k</i> = ${W.best.k}</p>
      ${whole && path.y.some((j, at) => j !== P.y[at]) ? `<p class="note"><span class="wrong">Underlined</span>: differs from the true <i>y</i>.</p>` : ""}${whole ? runnersUp(P, W, h, op) : ""}${negativeFloors(W)}`,
    words: whole
      ? `The answer is ${path.y.map((j) => P.labels[j]).join(", ")}, ${score}, value ${show(W.best.value)}.`
      : `Back at t = ${t + 1}, k = ${k}, label ${P.args(s)}.`,
  };
}

/** Before the first step: what is asked, and how to read the picture. */
export function startCard(P, op) {
  const score = P.offset && op !== "plain" ? (op === "times" ? `(score ${plus(P.offset)})` : `score ${plus(P.offset)}`) : "score";
  const aim = op === "plain" ? score : `${score} ${op === "times" ? "·" : "+"} <i>h</i>(wrong labels)`;
  return {
    html: `<h3>What is asked</h3><p>Which of ${show(P.N ** P.T, 0)} labellings has the largest<br>${aim}?</p>
      <p class="note"><b>Floor <i>k</i></b> holds prefixes with <i>k</i> wrong labels.<br>
      A <span class="right">right label</span> runs level, a <span class="wrong">wrong one</span> climbs one floor.<br>
      <kbd>→</kbd> one cell, <kbd>Shift →</kbd> one column, <kbd>Space</kbd> play</p>`,
    words: `Trellis with T = ${P.T} sites, N = ${P.N} labels, ${P.K + 1} floors. Press the right arrow for the first cell.`,
  };
}

/** Algorithm 1, condensed: [depth, line]. */
function pseudocode(P, op) {
  const [j, cost] = P.window === 1 ? ["<i>j</i>", "[<i>j</i> ≠ <i>y</i><sub>t</sub>]"] : ["<b>j</b>", "cost of the newest label"];
  const first = P.window === 1 ? "1" : String(P.window);
  return [
    [0, `for each ${j}: <i>L</i><sub>${first},<i>k</i></sub>(${j}) ← ${firstName(P)}(${j}), <i>k</i> its wrong labels`],
    [0, `for <i>t</i> = ${P.window + 1} … ${P.T}`],
    [1, "for <i>k</i> = 0 … <i>t</i>, for each " + j],
    [2, `<i>c</i> ← ${cost}`],
    [2, `<i>L</i><sub><i>t</i>,<i>k</i></sub>(${j}) ← max<sub><i>i</i></sub> <i>L</i><sub><i>t</i>−1,<i>k</i>−<i>c</i></sub>(<i>i</i>${P.window > 1 ? ",…" : ""}) + <i>g</i><sub><i>t</i></sub>(<i>i</i>,${j})`],
    [2, `<i>S</i><sub><i>t</i>,<i>k</i></sub>(${j}) ← the smallest <i>i</i> that attains it`],
    [0, `<i>k</i>, ${j} ← argmax<sub><i>k</i>,${j}</sub> ${objective(P, op, "<i>T</i>,<i>k</i>")}`],
    [0, `for <i>t</i> = ${P.T} … ${P.window + 1}: note ${j}, then`],
    [1, `<i>i</i> ← <i>S</i><sub><i>t</i>,<i>k</i></sub>(${j}), <i>k</i> ← <i>k</i> − <i>c</i>, ${j} ← <i>i</i>`],
  ];
}

/** Which of its lines the step is at, from 0. */
function linesAt(P, pos, part) {
  if (pos === 0) return [];
  if (pos <= P.cells) return P.events[pos].t === P.start ? [0] : part < P.N ? [4] : [4, 5];
  return pos === P.maximise ? [6] : [8];
}

// ---- Drawing ------------------------------------------------------------------------------------

const CARD = { width: 350, least: 280, slim: 316, margin: 6, height: (N) => 108 + 20 * Math.max(3, N) };
const HEAD = 56; // px above the floors: site numbers, true labels, answer
const MINIMA = 44; // px for the smallest sums beside the last column, where they decide
const widest = (width) => Math.max(240, 0.25 * width); // px between columns, else edges become too flat to read
const NARROW = 820; // px; in a narrower stage the card stands under the floors
const LEAST_FLOORS = 560; // px the floors keep where the card stands beside them

/** Where everything stands in a stage of the given size: floors fill the height, k = 0 at the bottom; the card stands
 *  inside the empty triangle, beside the floors, below them, or aside with Algorithm 1. */
function geometry(P, width, height, { minima, controls }, forced = "") {
  const lane = height / (P.K + 1);
  const pad = Math.min(7, lane * 0.08);
  const row = (lane - 2 * pad) / P.states;
  const circles = row >= CIRCLE_ROW;
  const r = Math.min(20, row * 0.47);
  const written = row >= DIGIT_ROW; // digits in the cells, names beside the rows
  const left = circles || written ? 82 : 48;
  const right = circles ? 196 + (minima ? MINIMA : 0) : controls ? 196 : 150;
  const G = { height, lane, pad, row, circles, written, r, left, right, minima, stands: forced };
  const place = (available) => {
    G.width = available;
    G.gap = Math.min(widest(available), (available - left - right - 44) / Math.max(1, P.T - 1));
    G.cell = circles ? 2 * r : Math.max(3, Math.min(written ? 34 : 26, G.gap * 0.62));
  };
  G.x = (t) => left + 22 + t * G.gap;
  G.y = (k, s) => height - (k + 1) * lane + pad + (s + 0.5) * row;
  const highest = (t) => {
    for (let k = P.K; k > 0; k--) for (let s = 0; s < P.states; s++) if (P.number[P.at(t, k, s)]) return G.y(k, s) - r;
    return height - lane;
  };
  place(width);
  const bottom = CARD.margin + CARD.height(P.N);
  let free = width - right;
  for (let t = P.T - 1; t >= P.start; t--) if (highest(t) < bottom + 4) free = G.x(t) - (t > P.start ? G.gap * 0.5 : r + 10);
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

/** A number short enough for a circle. */
const digits = (value) => show(value, Math.abs(value) < 10 ? 1 : Math.abs(value) < 100 ? 1 : 0);

function backgroundHtml(P, G) {
  const parts = [];
  const every = G.lane >= 13 ? 1 : 5;
  for (let k = 0; k <= P.K; k++) {
    const top = G.height - (k + 1) * G.lane;
    parts.push(`<rect class="lane${k % 2}" x="0" y="${top}" width="${G.width}" height="${G.lane}"/>`);
    if (k % every === 0)
      parts.push(`<text class="k" x="22" y="${top + G.lane / 2}">${G.written ? `<tspan class="it">k</tspan> = ${k}` : k}</text>`);
    if (G.written) for (let s = 0; s < P.states; s++) parts.push(`<text class="state" x="${G.left - 6}" y="${G.y(k, s)}">${escape(P.name(s))}</text>`);
  }
  parts.push(`<text class="axis" transform="translate(9 ${G.height / 2}) rotate(-90)">wrong labels so far${G.written ? "" : ", k"}</text>`);
  return parts.join("");
}

function tableHtml(P, G, ties) {
  const dots = [], edges = [], nodes = [];
  const range = Array.from({ length: P.T }, () => [Infinity, -Infinity]);
  for (const { t, k, s } of P.events.slice(1)) {
    const L = P.max.L[P.at(t, k, s)];
    range[t] = [Math.min(range[t][0], L), Math.max(range[t][1], L)];
  }
  for (let e = 1; e <= P.cells; e++) {
    const { t, k, s } = P.events[e];
    const [x, y, L] = [G.x(t), G.y(k, s), P.max.L[P.at(t, k, s)]];
    const i = P.max.S[P.at(t, k, s)];
    const source = t > P.start ? { t: t - 1, k: k - P.climb(t, s), s: P.before(s, i) } : null;
    if (G.circles) {
      dots.push(`<circle cx="${x}" cy="${y}" r="2.5"/>`);
      edges.push(`<path class="off" d="${source ? edge(G, source, { t, k, s }) : ""}"/>`);
      const tie = ties[e] ? `<g class="tie" transform="translate(${-G.r * 0.95} ${G.r * 0.8})"><circle r="5.5"/><path d="M-2.6 -1.5H2.6M-2.6 1.5H2.6"/><title>Tie between predecessors; the smallest is kept</title></g>` : "";
      nodes.push(`<g class="off" transform="translate(${x} ${y})"><circle r="${G.r}"/><text>${digits(L)}</text>${tie}</g>`);
    } else {
      const level = range[t][1] > range[t][0] ? Math.floor(((L - range[t][0]) / (range[t][1] - range[t][0])) * (HEAT_LEVELS - 0.001)) : HEAT_LEVELS - 1;
      const h = Math.max(1, G.row - (G.row > 4 ? 1 : 0.3));
      const box = `x="${(x - G.cell / 2).toFixed(1)}" y="${(y - h / 2).toFixed(1)}" width="${G.cell.toFixed(1)}" height="${h.toFixed(1)}"`;
      nodes.push(G.written && G.cell > 25 ? `<g class="off" data-h="${level}"><rect ${box} rx="2"/><text x="${x}" y="${y}">${digits(L)}</text></g>` : `<rect class="off" data-h="${level}" ${box}/>`);
      edges.push(source ? edge(G, source, { t, k, s }) : "");
    }
  }
  return { dots: dots.join(""), edges, nodes: nodes.join("") };
}

/** What one cell was made from: candidate edges, their g, the sources, the cell itself. */
function cellHtml(P, G, cell, upto, now) {
  const all = candidates(P, cell) || [];
  const rows = all.slice(0, upto).filter((row) => row.defined);
  const best = leader(all, upto) || null;
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
    const value = best ? best.sum : P.max.L[P.at(cell.t, cell.k, cell.s)];
    const unknown = cell.t > P.start && !best;
    parts.push(`<g class="${now ? "now" : "hovered"}" transform="translate(${x} ${y})"><circle r="${G.r + (now ? 1 : 0)}"/><text>${unknown ? "?" : digits(value)}</text></g>`);
  } else {
    const h = Math.max(5, G.row);
    parts.push(`<rect class="${now ? "now" : "hovered"}" x="${x - G.cell / 2 - 1}" y="${y - h / 2}" width="${G.cell + 2}" height="${h}"/>`);
    if (now && G.written && best) parts.push(`<text class="now" x="${x}" y="${y}">${digits(best.sum)}</text>`);
  }
  return parts.join("");
}

/** A ring around a chosen cell of the last column. */
const endHtml = (P, G, { t, k, s }) =>
  G.circles ? `<circle class="end" cx="${G.x(t)}" cy="${G.y(k, s)}" r="${G.r + 1}"/>` : `<rect class="hovered" x="${G.x(t) - G.cell / 2 - 1}" y="${G.y(k, s) - Math.max(5, G.row) / 2}" width="${G.cell + 2}" height="${Math.max(5, G.row)}"/>`;

/** The last column under ⊙ and h: the price of each floor, the values, their bars. */
function finalHtml(P, G, W, h, op) {
  const values = W.cells.map((cell) => cell.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = G.x(P.T - 1) + G.cell / 2;
  const parts = [];
  const price = op === "plain" ? () => "" : op === "plus" ? (k) => plus(h[k]) : (k) => `· ${braced(h[k])}`;
  const shift = W.minima ? MINIMA : 0;
  const valueAt = G.circles ? x + shift + 98 : 0;
  const barFrom = G.circles ? valueAt + 9 : x + 14;
  const barSpan = Math.max(20, G.width - barFrom - (G.circles ? 12 : 62));
  for (let k = P.kmin; G.circles && k <= P.K; k++) {
    const rows = W.cells.filter((cell) => cell.k === k);
    if (!rows.length || op === "plain") continue;
    const ys = rows.map((cell) => G.y(k, cell.s));
    const [a, b] = [Math.min(...ys) - G.r, Math.max(...ys) + G.r];
    parts.push(`<path class="brace" d="M${x + shift + 8} ${a}h4V${b}h-4"/><text class="price" x="${x + shift + 18}" y="${(a + b) / 2}">${price(k)}</text>`);
  }
  const shown = W.cells.map((cell) => {
    const y = G.y(cell.k, cell.s);
    const { left, width } = extent(cell.value, low, high);
    const best = cell === W.best ? " best" : "";
    const height = G.circles ? 10 : Math.max(1, G.row * 0.7);
    const least = cell.smallest && G.circles ? `<text class="least" x="${x + 6}" y="${y}">min ${digits(cell.sum)}</text>` : "";
    const text = G.circles
      ? `<text class="value${best}" x="${valueAt}" y="${y}">${show(cell.value)}</text>`
      : best ? `<text class="value best" x="${G.width - 8}" y="${y}">${show(cell.value)}</text>` : "";
    return `<g data-k="${cell.k}">${least}${text}<rect class="bar${best}" x="${barFrom + (left * barSpan) / 100}" y="${y - height / 2}" width="${(width * barSpan) / 100}" height="${height}" rx="${Math.min(2, height / 2)}"/></g>`;
  });
  return { prices: parts.join(""), rows: shown.join("") };
}

/** The path as far as it has been followed back: `reached` cells from the right. */
function pathHtml(P, G, W, path, reached, thin) {
  const cells = path.cells.slice(0, reached);
  const table = W && W.best.smallest ? P.min : P.max;
  const parts = [];
  for (let n = 1; n < cells.length; n++) parts.push(`<path class="${thin ? "trace" : "path"}" d="${edge(G, cells[n], cells[n - 1])}"/>`);
  if (thin) return parts.join("");
  for (const { t, k, s } of cells) {
    const [x, y] = [G.x(t), G.y(k, s)];
    parts.push(
      G.circles
        ? `<g class="path" transform="translate(${x} ${y})"><circle r="${G.r + 1}"/><text>${digits(table.L[P.at(t, k, s)])}</text></g>`
        : `<rect class="path" x="${x - G.cell / 2}" y="${y - Math.max(4, G.row) / 2}" width="${G.cell}" height="${Math.max(4, G.row)}"/>` +
          (G.written ? `<text class="path" x="${x}" y="${y}">${digits(table.L[P.at(t, k, s)])}</text>` : "")
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
    if (floor !== undefined) return box(3, G.height - (floor + 1) * G.lane + 2, G.width - 6, G.lane - 4);
    if (site !== undefined) return box(G.x(site) - half, 3, 2 * half, G.height - 6);
    if (cell) return node({ t: cell[0], k: cell[1], s: cell[2] });
    if (part === "final") return box(G.x(P.T - 1) - half, 3, G.width - G.x(P.T - 1) + half - 4, G.height - 6);
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

function gridHtml(P, grid, width, editable) {
  const block = ({ head, rows }) => {
    const caption = head.length ? `<span class="mid">(<i>i</i>, ${escape(head.join(", "))}, <i>j</i>)</span>` : "";
    const top = P.labels.map((l, j) => `<span class="to${j === P.y[grid.t] ? " right" : ""}">${escape(l)}</span>`).join("");
    const lines = rows.map(({ head: i, cells }) => `<span class="from">${escape(i)}</span>` + cells.map((c) => `<input type="text" inputmode="decimal" spellcheck="false" autocomplete="off" ${editable ? "" : "readonly"} data-kind="${grid.kind}" data-index="${c.index}" aria-label="g ${grid.t + 1} (${escape(c.args)})" value="${show(c.value)}">`).join(""));
    return `<div class="block" style="grid-template-columns:14px repeat(${P.N},${width}px)">${caption}<span></span>${top}${lines.join("")}</div>`;
  };
  return `<b class="name"><i>${grid.name}</i></b>${grid.blocks.map(block).join("")}`;
}

// ---- The reader's hands ---------------------------------------------------------------------------

const ICONS = {
  first: "M3 3h2v10H3zM14 3v10L6 8z", columnBack: "M8 3v10L1 8zM15 3v10L8 8z", back: "M11.5 3v10L4 8z",
  play: "M4.5 2.5l9 5.5-9 5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  code: "M2 3h12v1.6H2zM5 7.2h9v1.6H5zM5 11.4h7V13H5z", present: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  help: "M7.1 10.2h1.7c0-2 2.7-2.3 2.7-4.8C11.5 3.5 10 2.3 8 2.3S4.6 3.6 4.5 5.6h1.8C6.4 4.6 7 3.900 8 3.900s1.700.6 1.700 1.600c0 1.600-2.600 1.900-2.600 4.700zM7 11.700h2v2H7z",
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
  <div class="scrub" role="slider" tabindex="0" aria-label="Step" aria-valuemin="0"><div class="segments"></div><div class="thumb"></div></div>
  <output class="where"></output>
  ${button("code", "Algorithm 1", "A")}${button("present", "Present", "F")}${button("help", "Keys", "?")}`;

const KEYS = [
  ["→ ←", "next and previous step"], ["Shift → ←", "next and previous column"], ["Space", "play, pause"],
  ["Home End", "start, result"], ["E", "edit the scores of this column"], ["Ctrl+Z Shift+Ctrl+Z", "undo, redo a change"], ["A", "Algorithm 1 with the current line"],
  ["F", "present: the stage alone, larger"], ["+ −", "larger and smaller type"], ["D", "dark, light"], ["?", "this list"],
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
      <svg class="floors" role="img" aria-label="Trellis with loss levels as floors"><g class="background"></g><g class="hair"></g><g class="dots"></g><g class="edges"></g>
        <g class="nodes"></g><g class="prices"></g><g class="values"></g><g class="trace"></g><g class="overlay"></g><g class="frames"></g></svg>
      <div class="card" role="note"></div></div><div class="aside" hidden><ol class="code" aria-label="Algorithm 1"></ol></div></div>
    <div class="help" role="dialog" aria-label="Keys" hidden>${HELP}</div>
    <div class="grids"></div><div class="toast"></div><div class="said" role="status" aria-live="polite"></div><div class="probe"></div>`;
  el.appendChild(root);
  const $ = (selector) => root.querySelector(selector);
  const hold = () => root.focus({ preventScroll: true }); // a page that scrolls under the pointer loses the click
  const [svg, head, card, grids, scrub, said] = [".floors", ".head", ".card", ".grids", ".scrub", ".said"].map($);
  const layer = Object.fromEntries(["background", "hair", "dots", "edges", "nodes", "prices", "values", "trace", "overlay", "frames"].map((name) => [name, $(`svg .${name}`)]));

  let P = null, G = null, W = null, path = null, h = null, op = "times", ties = [];
  let pos = 0, part = 1; // events done, and candidates of the last one looked at
  let drawn = 0, soon = [], nodes = [], edges = [], edgesAt = -1, weighed = null; // what stands on the stage
  let hover = 0, timer = 0, size = "cell", speed = 1, serial = 0, waiting = null, segments = [], ownGrid = null;
  let pinned = 0, presenting = false, type = 1; // a chosen cell of the last column; the look

  // -- steps
  const parts = (e) => (e > 0 && e <= P.cells && P.events[e].t > P.start ? P.N : e === P.maximise ? P.K + 1 - P.kmin : 1);

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
    if (by === "column" && pos < P.cells) return go(P.columnEnd[P.events[open ? pos : pos + 1].t]);
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
    present: () => present(!presenting),
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
    for (let e = Math.min(done, drawn) + 1; e <= Math.max(done, drawn); e++) mark(e, e <= done ? "on" : "off");
    for (const e of soon) if (e > done) mark(e, "off");
    soon = [];
    if (G.circles && done < P.cells) for (let e = done + 1, t = P.events[e].t; e <= P.columnEnd[t]; e++) { mark(e, "soon"); soon.push(e); }
    if (!G.circles) heatEdges(done);
    drawn = done;
  }

  function mark(e, state) {
    nodes[e - 1].setAttribute("class", state);
    if (G.circles) edges[e - 1].setAttribute("class", state === "on" ? "on" : "off");
  }

  function heatEdges(done) {
    if (G.row < 4) return;
    const now = done ? P.events[done].t : -1;
    for (let t = Math.min(now, edgesAt); t <= Math.max(now, edgesAt); t++)
      if (t > P.start) layer.edges.children[t].setAttribute("d", edges.slice(P.columnEnd[t - 1], Math.min(done, P.columnEnd[t])).join(""));
    edgesAt = now;
  }

  function paint() {
    const done = Math.min(pos, P.cells);
    reveal(done);
    const phase = pos === 0 ? "start" : pos <= P.cells ? "cells" : pos === P.maximise ? "maximise" : "path";
    root.dataset.phase = phase;
    const floor = phase === "path" ? P.K : phase === "maximise" ? P.kmin + part - 1 : -1;
    if (floor !== weighed) {
      layer.values.setAttribute("class", `values ${floor === P.K ? "decided" : ""}`);
      for (const row of layer.values.children) row.setAttribute("class", Number(row.dataset.k) <= floor ? "on" : "off");
      weighed = floor;
    }
    const at = phase === "cells" && !G.circles ? P.events[pos] : null;
    layer.hair.innerHTML = at ? `<path d="M0 ${G.y(at.k, at.s)}H${G.width}M${G.x(at.t)} 0V${G.height}"/>` : "";
    layer.overlay.innerHTML = phase === "cells" ? cellHtml(P, G, P.events[pos], part, true) : phase === "path" ? pathHtml(P, G, W, path, pos - P.maximise) : "";
    paintAnswer(phase === "path" ? pos - P.maximise : 0);
    explain();
    $(".thumb").style.left = $(".segments").lastElementChild.style.width = `${100 * fraction(pos)}%`;
    scrub.setAttribute("aria-valuemax", P.count);
    scrub.setAttribute("aria-valuenow", pos);
    const place = phase === "start" ? "start" : phase === "cells" ? `t = ${P.events[pos].t + 1}` : phase === "maximise" ? "maximise" : "backtrack";
    $(".where").textContent = `${place} · ${pos}/${P.count}`;
    scrub.setAttribute("aria-valuetext", $(".where").textContent);
  }

  /** The card: of the cell under the pointer, else of the step. */
  function explain() {
    const shown = hover && hover <= Math.min(pos, P.cells) ? hover : 0;
    const cell = shown ? P.events[shown] : pos > 0 && pos <= P.cells && !pinned ? P.events[pos] : null;
    const text = cell ? cellCard(P, cell, shown && shown !== pos ? P.N : part)
      : pinned ? tracedCard(P, W, pinned, h, op)
      : pos === 0 ? startCard(P, op)
      : pos === P.maximise ? maximiseCard(P, W, h, op, P.kmin + part - 1)
      : pathCard(P, W, path, h, op, pos - P.maximise);
    const least = cell && op === "times" && h[cell.k] < 0 && cell.t === P.T - 1 && shown
      ? `<p class="note"><i>h</i>(${cell.k}) is negative: the smallest sum here, ${show(P.min.L[P.at(cell.t, cell.k, cell.s)])}, decides.</p>` : "";
    card.innerHTML = text.html + least;
    const other = shown && shown !== pos;
    card.classList.toggle("peek", Boolean(other || pinned));
    const chosen = !other && pinned ? W.cells.find(({ k, s }) => P.number[P.at(P.T - 1, k, s)] === pinned) : null;
    layer.trace.innerHTML = other ? pathHtml(P, G, null, follow(P, cell), Infinity, true) + cellHtml(P, G, cell, P.N, false)
      : chosen ? pathHtml(P, G, null, follow(P, chosen, chosen.smallest ? P.min : P.max), Infinity, true) + endHtml(P, G, chosen) : "";
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
      item.textContent = open ? P.labels[path.y[t]] : "";
      item.className = `hat ${open ? (wrong ? "wrong" : "right") : ""}`;
    }
  }

  // -- building, when the problem or the size changed
  /** Card, floors and grids share the room: the grids' height decides what is left for the floors. */
  function arrange() {
    const stage = $(".stage");
    root.classList.remove("beside", "narrow");
    const width = stage.clientWidth;
    const needs = { minima: W.minima, controls: model.get("controls") || presenting };
    const stands = $(".aside").hidden ? "" : "aside";
    for (let gap = (width - 322) / Math.max(1, P.T - 1), round = 0; round < 2; round++, gap = G.gap) {
      mode = P.window === 1 && gap >= P.N * 25 + 44 ? "under" : "one";
      buildGrids();
      G = geometry(P, width, Math.max(220, stage.clientHeight - HEAD), needs, stands);
    }
    if (G.stands === "below") {
      root.classList.add("narrow"); // now the page scrolls: the floors take what they need
      G = geometry(P, width, Math.min(600, Math.max(280, 25 * P.states * (P.K + 1))), needs, "below");
    } else if (G.stands === "beside" && mode === "one" && P.window === 1) {
      root.classList.add("beside"); // the grid goes under the card, the floors get its height
      G = geometry(P, width, stage.clientHeight - HEAD, needs, "beside");
    }
  }

  function build() {
    if (!P || !root.clientWidth) return;
    W = weigh(P, h, op);
    arrange();
    svg.setAttribute("width", G.width);
    svg.setAttribute("height", G.height);
    svg.setAttribute("class", `floors ${G.circles ? "circles" : "heat"} ${G.r < 11.5 ? "small" : G.r > 17 ? "large" : ""}`);
    layer.background.innerHTML = backgroundHtml(P, G);
    const table = tableHtml(P, G, ties);
    layer.dots.innerHTML = table.dots;
    layer.nodes.innerHTML = table.nodes;
    nodes = Array.from(layer.nodes.children);
    layer.edges.innerHTML = G.circles ? table.edges.join("") : "<path/>".repeat(P.T);
    edges = G.circles ? Array.from(layer.edges.children) : table.edges;
    [drawn, soon, edgesAt, hover] = [0, [], -1, 0];
    const free = G.stands === "below" || G.stands === "aside"; // it stands in the flow of the page
    card.classList.toggle("slim", !free && G.card.width < CARD.slim);
    card.style.cssText = free ? "" : `left:${G.card.left}px;top:${CARD.margin + HEAD}px;width:${G.card.width}px`;
    buildHead();
    placeGrids();
    buildSegments();
    judge();
    frame();
  }

  // -- a story: what its beat says, what it points at, and the wish for another one
  let beat = null;
  function tell() {
    beat = asObject(model.get("caption"));
    if (!beat.text) beat = null;
    const box = $(".caption");
    box.hidden = !beat;
    const turn = (name, sign, title) => `<button type="button" data-act="${name}" aria-label="${title}">${sign}</button>`;
    if (beat) box.innerHTML = `${turn("beatBack", "←", "Previous beat")}<p><b>${escape(beat.title)}</b> ${escape(beat.text)}</p><small>${beat.number} of ${beat.count}</small>${turn("beatNext", "→", "Next beat")}`;
  }

  function frame() {
    const marks = beat ? (beat.marks || []).map(asObject) : [];
    layer.frames.innerHTML = framesHtml(P, G, marks);
    const parts = marks.map(({ part }) => part);
    for (const [name, selector] of Object.entries({ truth: ".head", card: ".card", scores: ".grids", steps: ".toolbar" })) $(selector).classList.toggle("framed", parts.includes(name));
  }

  /** ⊙ or h changed: only the last column, the optimum and its path depend on them. */
  function judge() {
    W = weigh(P, h, op);
    if (W.minima !== G.minima) return build();
    path = follow(P, W.best, W.best.smallest ? P.min : P.max);
    const final = finalHtml(P, G, W, h, op);
    layer.prices.innerHTML = final.prices;
    layer.values.innerHTML = final.rows;
    weighed = null;
    const title = head.querySelector(".objective");
    $(".code").innerHTML = pseudocode(P, op).map(([depth, line]) => `<li style="--depth:${depth}">${line}</li>`).join("");
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
    const every = G.gap >= 17 ? 1 : 5;
    const items = Array.from({ length: P.T }, (_, t) => {
      const x = G.x(t);
      const site = (t + 1) % every === 0 || t === 0 ? t + 1 : "";
      return `<span class="site" style="left:${x}px">${site}</span>
        <button type="button" class="truth" data-y="${t}" style="left:${x}px" ${can ? "" : "disabled"} aria-label="y ${t + 1} = ${escape(P.labels[P.y[t]])}" title="True label at t = ${t + 1}${can ? ": click for the next one" : ""}">${escape(P.labels[P.y[t]])}</button>
        <span class="hat" data-t="${t}" style="left:${x}px"></span>`;
    });
    const focus = head.contains(deepFocus()) ? deepFocus().dataset.y : null;
    head.innerHTML = `<span class="row site" style="top:2px"><i>t</i></span><span class="row" style="top:18px">true <i>y</i></span><span class="row" style="top:37px">best <i>ŷ</i></span>
      ${items.join("")}<div class="objective" style="left:${G.x(P.T - 1) + 22}px;width:${G.width - G.x(P.T - 1) - 30}px"></div>`;
    if (focus) head.querySelector(`[data-y="${focus}"]`).focus();
    head.classList.toggle("tight", G.gap < 24);
  }

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
    const label = ({ name, width }, n) => (width * pixels > 8 + 6.6 * name.length || (crowded && (n === 0 || (n + 1 + P.start) % 10 === 0)) ? name : "");
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
  let shape = "", inputs = new Map(), lit = [], typing = null, mode = "under";
  function buildGrids() {
    const t = ownGrid === null ? currentSite() : ownGrid;
    const next = [P.T, P.N, P.window, mode, mode === "one" ? t : "", P.labels.join(), model.get("editable")].join("|");
    if (next !== shape) {
      shape = next;
      const can = model.get("editable") !== false;
      if (mode === "under") {
        grids.innerHTML = Array.from({ length: P.T }, (_, at) => `<div class="grid" data-t="${at}">${gridHtml(P, gridOf(P, at), 30, can)}</div>`).join("");
      } else {
        const cells = P.keep * P.N;
        const width = Math.max(26, Math.min(40, (grids.clientWidth - 190 - 20 * P.keep) / cells));
        const what = t === P.start ? "scores of the first labels" : `row: label at t = ${t + 1 - P.window} · column: label at t = ${t + 1}`;
        grids.innerHTML = `<div class="pager"><button type="button" data-grid="-1" aria-label="Scores of the previous site">‹</button><span><i>t</i> = ${t + 1}</span><button type="button" data-grid="1" aria-label="Scores of the next site">›</button><small>${what}</small></div>
          <div class="grid" data-t="${t}">${gridHtml(P, gridOf(P, t), width, can)}</div>`;
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
    if (root.classList.contains("beside")) grids.querySelector(".block").style.gridTemplateColumns = `14px repeat(${P.N},${Math.min(44, 270 / P.N)}px)`;
    if (!grids.classList.contains("under")) return;
    const width = Math.min(34, (G.gap - 40) / P.N);
    for (const grid of grids.querySelectorAll(".grid")) {
      grid.querySelector(".block").style.gridTemplateColumns = `14px repeat(${P.N},${width}px)`;
      grid.style.left = `${G.x(Number(grid.dataset.t)) - (P.N * width) / 2 - 18}px`; // 18: name and row labels
    }
  }

  const currentSite = () => (pos > 0 && pos <= P.cells ? P.events[pos].t : pos === 0 ? P.start : P.T - 1);
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

  // -- editing
  function ask(wish, input) {
    waiting = input || null;
    write("edit", { serial: ++serial, ...wish });
  }

  function apply(input) {
    const text = input.value.trim();
    if (text === show(stored(input)) || text === String(stored(input))) return undo(input);
    typing = null;
    ask({ kind: input.dataset.kind, index: Number(input.dataset.index), text }, input);
  }

  const restore = (input) => { input.value = input === deepFocus() ? String(stored(input)) : show(stored(input)); };

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
    const [control, label, sign, end] = ["[data-act]", "[data-y]", "[data-op]", "[data-trace]"].map((kind) => target.closest(kind));
    if (end) {
      pin(Number(end.dataset.trace));
      hold(); // the card that had the focus is gone
    }
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
    const t = Math.round((x - G.x(0)) / (G.gap || 1));
    if (t < P.start || t >= P.T || Math.abs(x - G.x(t)) > G.cell / 2 + 4) return 0;
    const k = Math.floor((G.height - y) / G.lane);
    const s = Math.floor((y - (G.height - (k + 1) * G.lane) - G.pad) / G.row);
    return k < 0 || k > P.K || s < 0 || s >= P.states ? 0 : P.number[P.at(t, k, s)];
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
  svg.addEventListener("click", (event) => {
    hold();
    const e = P && G ? eventAt(event) : 0;
    if (e && P.events[e].t === P.T - 1) pin(e);
    else if (pinned) pin(pinned);
  });

  // -- what the host sends
  function receive() {
    const message = asObject(model.get("problem"));
    if (!message.T || (P && P.revision === message.revision)) return false;
    const old = P;
    P = readProblem(message);
    ties = P.events.map((cell) => Boolean(cell && (candidates(P, cell) || []).some((row) => row.tie)));
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
      const { t, k, s } = old.events[pos];
      const column = Math.max(P.start, Math.min(t, P.T - 1));
      pos = (t === column && k <= P.K && s < P.states && P.number[P.at(t, k, s)]) || P.columnEnd[column];
    }
  }

  let pending = 0, retold = true;
  function changed() {
    if (pending) return;
    pending = requestAnimationFrame(() => {
      pending = 0;
      const fresh = receive();
      const table = asObject(model.get("h"))[model.get("rule")];
      if (!P || !table || table.length !== P.K + 1) return; // the other half of the change is still on its way
      h = Array.from(table);
      op = model.get("op");
      if (retold) tell();
      if (fresh || !G || retold) build();
      else judge();
      if (retold && beat) hold(); // the arrows belong to the story
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
    if (P && h) build();
    if (appeared && beat) hold();
  });
  watcher.observe(root);

  /** Dark or light is read off the background that the host's theme really paints. */
  function theme() {
    const rgb = getComputedStyle($(".probe")).backgroundColor.match(/[\d.]+/g) || [255, 255, 255];
    root.classList.toggle("dark", 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 128);
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
