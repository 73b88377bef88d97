/* The card: why a cell has its value, in HTML and in words. */

import { braced, escape, extent, plus, show, sub } from "./values.js";
import { candidates, follow, leader, unknown, weigh } from "./problem.js";

const MOST_SPELT = 24; // labels that the card writes out; the row ŷ has them all
export const OPS = { plain: "plain", plus: "+ margin", times: "· slack" };
const floors = (c) => (c === 1 ? "one floor up" : `${c} floors up`);

function bar(value, values) {
  const { left, width } = extent(value, Math.min(...values), Math.max(...values));
  return `<span class="track"><span class="fill" style="margin-left:${left}%;width:${width}%"></span></span>`;
}

/** L or S of one of the two tables; the maxima need no mark. */
export const letter = (name, { least }) => `<i>${name}</i>${least ? "<sup>min</sup>" : ""}`;

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

export function firstName(P) {
  return Array.from({ length: P.window }, (_, t) => `<i>g</i>${sub(t + 1)}`).join("+");
}

/** One cell of the last column as arithmetic: "13 · 4", "(13 + 0.5) · 4", "16 + 3". */
function arithmetic(P, cell, h, op) {
  if (op === "plain") return show(cell.sum);
  const inner = P.offset && op === "times" ? `(${show(cell.sum)} ${plus(P.offset)})` : P.offset ? `${show(cell.sum)} ${plus(P.offset)}` : op === "times" ? braced(cell.sum) : show(cell.sum);
  return op === "times" ? `${inner} · ${braced(h[cell.k])}` : `${inner} ${plus(h[cell.k])}`;
}

export function objective(P, op, L) {
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
