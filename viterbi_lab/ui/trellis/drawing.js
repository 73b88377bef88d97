/* The parts of the picture as SVG: floors, cells, one step, the last column, paths, and what a story frames. */

import { braced, escape, extent, fit, plus } from "./values.js";
import { candidates, leader } from "./problem.js";
import { OTHER, SIGN, edge } from "./layout.js";
import { extremes, heat } from "./heat.js";

const MOST_EDGES = 3000; // best edges drawn in a heat map at once

export function backgroundHtml(P, G) {
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

/** The cells that can be seen, as elements if they can be read, and the best edges into them. */
export function tableHtml(P, G, table) {
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

/** What one cell was made from: candidate edges, their g, the sources, the cell itself. */
export function cellHtml(P, G, cell, upto, now, table) {
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
export const endHtml = (P, G, { t, k, s }) =>
  G.circles ? `<circle class="end" cx="${G.x(t)}" cy="${G.y(k, s)}" r="${G.r + 1}"/>` : `<rect class="hovered" x="${G.x(t) - G.cell / 2 - 1}" y="${G.y(k, s) - Math.max(5, G.row) / 2}" width="${G.cell + 2}" height="${Math.max(5, G.row)}"/>`;

/** The last column under ⊙ and h: the price of each floor, the values, their bars. */
export function finalHtml(P, G, W, h, op, table) {
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
export function pathHtml(P, G, path, reached, table, thin = false) {
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
export function framesHtml(P, G, marks) {
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
