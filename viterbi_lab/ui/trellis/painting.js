/* Shows a step: only what changed since the last one is touched. */

import { show } from "./values.js";
import { follow, unknown } from "./problem.js";
import { cellCard, maximiseCard, pathCard, startCard, tracedCard } from "./cards.js";
import { linesAt } from "./algorithm.js";
import { HEAT_LEVELS, drawHeat, heatImage } from "./heat.js";
import { cellHtml, endHtml, pathHtml } from "./drawing.js";
import { LETTERS } from "./building.js";

export function painting(stage) {
  const { root, $, head, card, scrub, said, layer } = stage;
  function reveal(done) {
    if (stage.drawn < 0) for (const e of stage.nodes.keys()) mark(e, e <= done ? "on" : "off");
    else for (let e = Math.min(done, stage.drawn) + 1; e <= Math.max(done, stage.drawn); e++) mark(e, e <= done ? "on" : "off");
    for (const e of stage.soon) if (e > done) mark(e, "off");
    stage.soon = [];
    if (stage.G.circles && done < stage.P.cells) for (let e = done + 1, t = stage.P.cell(e).t; e <= stage.P.columnEnd[t]; e++) { mark(e, "soon"); stage.soon.push(e); }
    if (!stage.G.circles) heatUpTo(done);
    stage.drawn = done;
  }

  function mark(e, state) {
    const node = stage.nodes.get(e);
    if (!node) return; // out of view, or one of too many to be an element
    node.setAttribute("class", state);
    if (stage.G.circles) stage.edges.get(e).setAttribute("class", state === "on" ? "on" : "off");
  }

  /** Heat cells as one image, best edges as one path per column. */
  function heatUpTo(done) {
    const columns = layer.edges.children;
    const [from, to] = stage.drawn < 0 ? [stage.P.start, stage.P.T - 1] : [Math.min(done, stage.drawn), Math.max(done, stage.drawn)].map((e) => (e ? stage.P.cell(e).t : stage.P.start));
    const lines = Array.from({ length: stage.P.T }, () => []);
    for (const [e, line] of stage.edges) {
      const { t } = stage.P.cell(e);
      if (line && t >= from && t <= to && e <= done) lines[t].push(line);
    }
    for (let t = from; t <= to && columns.length; t++) columns[t].setAttribute("d", lines[t].join(""));
    if (stage.G.written) return;
    const pen = $("canvas.heat").getContext("2d");
    pen.clearRect(0, 0, stage.G.width, stage.G.height);
    drawHeat(stage.P, stage.G, pen, (stage.image ||= heatImage(stage.P, stage.P[stage.sense], heatColours())), done);
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
    const done = Math.min(stage.pos, stage.P.cells);
    if (stage.follows()) return stage.draw();
    reveal(done);
    const phase = stage.pos === 0 ? "start" : stage.pos <= stage.P.cells ? "cells" : stage.pos === stage.P.maximise ? "maximise" : "path";
    root.dataset.phase = phase;
    const floor = phase === "path" ? stage.P.K : phase === "maximise" ? stage.P.kmin + stage.part - 1 : -1;
    if (floor !== stage.weighed) {
      layer.values.setAttribute("class", `values ${floor === stage.P.K ? "decided" : ""}`);
      for (const row of layer.values.children) row.setAttribute("class", Number(row.dataset.k) <= floor ? "on" : "off");
      stage.weighed = floor;
    }
    const at = phase === "cells" && !stage.G.circles ? stage.P.cell(stage.pos) : null;
    layer.hair.innerHTML = at ? `<path d="M0 ${stage.G.y(at.k, at.s)}H${stage.G.width}M${stage.G.x(at.t)} 0V${stage.G.height}"/>` : "";
    layer.overlay.innerHTML = phase === "cells" ? cellHtml(stage.P, stage.G, at || stage.P.cell(stage.pos), stage.part, true, stage.P[stage.sense]) : phase === "path" ? pathHtml(stage.P, stage.G, stage.path, stage.pos - stage.P.maximise, decisive(stage.W.best)) : "";
    stage.paintOverview(phase === "cells" ? stage.P.cell(stage.pos) : phase === "path" ? stage.path.cells[stage.pos - stage.P.maximise - 1] : null);
    paintAnswer(phase === "path" ? stage.pos - stage.P.maximise : 0);
    explain();
    $(".thumb").style.left = $(".segments").lastElementChild.style.width = `${100 * stage.fraction(stage.pos)}%`;
    scrub.setAttribute("aria-valuemax", stage.P.count);
    scrub.setAttribute("aria-valuenow", stage.pos);
    const place = phase === "start" ? "start" : phase === "cells" ? `t = ${stage.P.cell(stage.pos).t + 1}` : phase === "maximise" ? "maximise" : "backtrack";
    $(".where").textContent = `${place} · ${stage.pos}/${stage.P.count}`;
    scrub.setAttribute("aria-valuetext", $(".where").textContent);
  }

  /** The card: of the cell under the pointer, else of the step. */
  function explain() {
    const shown = stage.hover && stage.hover <= Math.min(stage.pos, stage.P.cells) ? stage.hover : 0;
    const cell = shown ? stage.P.cell(shown) : stage.pos > 0 && stage.pos <= stage.P.cells && !stage.pinned ? stage.P.cell(stage.pos) : null;
    const text = cell ? cellCard(stage.P, cell, shown && shown !== stage.pos ? stage.P.N : stage.part, stage.P[stage.sense])
      : stage.pinned ? tracedCard(stage.P, stage.W, stage.pinned, stage.h, stage.op)
      : stage.pos === 0 ? startCard(stage.P, stage.W, stage.op)
      : stage.pos === stage.P.maximise ? maximiseCard(stage.P, stage.W, stage.h, stage.op, stage.P.kmin + stage.part - 1)
      : pathCard(stage.P, stage.W, stage.path, stage.h, stage.op, stage.pos - stage.P.maximise);
    const least = cell && stage.sense === "max" && stage.op === "times" && stage.h[cell.k] < 0 && cell.t === stage.P.T - 1 && shown
      ? `<p class="note"><i>h</i>(${cell.k}) is negative: the smallest sum here, ${show(stage.P.min.L[stage.P.at(cell.t, cell.k, cell.s)])}, decides.</p>` : "";
    card.innerHTML = text.html + least;
    const other = shown && shown !== stage.pos;
    card.classList.toggle("peek", Boolean(other || stage.pinned));
    const chosen = !other && stage.pinned ? stage.W.cells.find(({ k, s }) => stage.P.number[stage.P.at(stage.P.T - 1, k, s)] === stage.pinned) : null;
    layer.trace.innerHTML = other ? pathHtml(stage.P, stage.G, follow(stage.P, cell, stage.P[stage.sense]), Infinity, stage.P[stage.sense], true) + cellHtml(stage.P, stage.G, cell, stage.P.N, false, stage.P[stage.sense])
      : chosen ? pathHtml(stage.P, stage.G, follow(stage.P, chosen, decisive(chosen)), Infinity, decisive(chosen), true) + endHtml(stage.P, stage.G, chosen) : "";
    const lines = new Set(linesAt(stage.P, stage.pos, stage.part));
    Array.from($(".code").children).forEach((line, n) => line.classList.toggle("current", lines.has(n)));
    stage.lightGrid(cell, shown && shown !== stage.pos ? stage.P.N : stage.part);
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
      const open = t >= unknown(stage.P, reached);
      const wrong = open && stage.path.y[t] !== stage.P.y[t];
      if (stage.G.gap < LETTERS) item.innerHTML = open ? stage.tick(wrong ? "missed" : "hit", t, stage.path.y[t]).replace(/left:[^;]*/, "left:0") : "";
      else item.textContent = open ? stage.P.labels[stage.path.y[t]] : "";
      item.className = `hat ${open ? (wrong ? "wrong" : "right") : ""}`;
    }
  }

  const decisive = (cell) => (cell.smallest ? stage.P.min : stage.P.max);

  Object.assign(stage, { heatColours, paint, explain, say, decisive });
}
