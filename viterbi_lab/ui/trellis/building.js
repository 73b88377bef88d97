/* Builds the stage when the problem, ⊙, h or the size changed: card, floors and grids share the room. */

import { escape } from "./values.js";
import { asObject, follow, weigh } from "./problem.js";
import { OPS, objective } from "./cards.js";
import { pseudocode } from "./algorithm.js";
import { CARD, HEAD, geometry } from "./layout.js";
import { backgroundHtml, finalHtml, tableHtml } from "./drawing.js";
import { spanOf } from "./shaping.js";

const PACKED = 1060; // px; in a narrower stage the scrub bar has a line of its own if there are many buttons
const ONE_LINE = 780; // px; in a narrower one not even the buttons have one line
const LINE = 40; // px; a higher toolbar has two
export const LETTERS = 9; // px between columns; closer ones have no room for a label

export function building(stage) {
  const { model, root, $, deepFocus, svg, head, card, grids, layer } = stage;
  /** Card, floors and grids share the room: the grids' height decides what is left for the floors. */
  function arrange() {
    const frame = $(".stage");
    root.classList.remove("beside", "narrow");
    const width = frame.clientWidth;
    const needs = { minima: stage.W.minima, controls: model.get("controls") || stage.presenting, em: stage.em };
    const stands = $(".aside").hidden ? "" : "aside";
    for (let gap = (width - 322) / Math.max(1, stage.P.T - 1), round = 0; round < 2; round++, gap = stage.G.gap) {
      stage.mode = stage.P.window === 1 && stage.view.zoom === 1 && gap >= stage.P.N * 25 + 44 ? "under" : "one";
      stage.buildGrids();
      stage.G = geometry(stage.P, width, Math.max(220, frame.clientHeight - HEAD), stage.view, needs, stands);
    }
    if (stage.G.stands === "below") {
      const rows = stage.P.states * (stage.P.K + 1);
      const left = frame.clientHeight + grids.offsetHeight - HEAD - CARD.height(stage.P.N) - 2 * CARD.margin; // with the card in sight
      root.classList.add("narrow"); // the page scrolls to what else there is
      stage.G = geometry(stage.P, width, Math.min(600, Math.max(280, 23 * rows, Math.min(25 * rows, left))), stage.view, needs, "below");
    } else if (stage.G.stands === "beside" && stage.mode === "one" && stage.P.window === 1 && !root.classList.contains("shaping")) {
      root.classList.add("beside"); // the grid goes under the card, the floors get its height
      stage.G = geometry(stage.P, width, frame.clientHeight - HEAD, stage.view, needs, "beside");
    }
  }

  function build() {
    if (!stage.P || !root.clientWidth) return;
    stage.W = weigh(stage.P, stage.h, stage.op);
    if (!stage.W.minima) stage.sense = "max";
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `100px ${getComputedStyle(root).fontFamily}`;
    stage.em = pen.measureText("0").width / 100;
    arrange();
    stage.view.zoom = stage.G.zoom;
    $(".zoom").hidden = stage.G.most === 1;
    $(".sense").hidden = !stage.W.minima;
    const packed = root.clientWidth < PACKED && (stage.G.most > 1 || stage.W.minima || (root.clientWidth >= ONE_LINE && wraps()));
    if (packed !== root.classList.contains("packed")) {
      root.classList.toggle("packed", packed); // the toolbar is higher or lower now
      arrange();
      $(".zoom").hidden = stage.G.most === 1;
    }
    for (const choice of root.querySelectorAll("[data-sense]")) choice.setAttribute("aria-checked", choice.dataset.sense === stage.sense);
    const free = stage.G.stands === "below" || stage.G.stands === "aside"; // it stands in the flow of the page
    card.classList.toggle("slim", !free && stage.G.card.width < CARD.slim);
    card.style.cssText = free ? "" : `left:${stage.G.card.left}px;top:${CARD.margin + HEAD}px;width:${stage.G.card.width}px`;
    stage.placeGrids();
    stage.buildSegments();
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
    stage.G.clamp();
    for (const drawing of [svg, $(".ground")]) {
      drawing.setAttribute("width", stage.G.width);
      drawing.setAttribute("height", stage.G.height);
    }
    for (const table of root.querySelectorAll(".table")) {
      const [from, to] = stage.G.zoom > 1 ? [stage.G.left, stage.G.end + 1] : [0, stage.G.width];
      for (const [name, value] of Object.entries({ x: from, y: 0, width: to - from, height: stage.G.height, viewBox: `${from} 0 ${to - from} ${stage.G.height}` })) table.setAttribute(name, value);
    }
    svg.setAttribute("class", `floors ${stage.G.circles ? "circles" : "heat"} ${stage.G.r < 11.5 ? "small" : stage.G.r > 17 ? "large" : ""}`);
    $(".ground").setAttribute("class", `ground ${stage.G.circles ? "" : "heat"}`);
    svg.setAttribute("aria-label", `Trellis with loss levels as floors: ${stage.P.cells} cells${stage.G.zoom > 1 ? `, seen from t = ${Math.ceil(stage.view.t) + 1}, k = ${Math.ceil(stage.view.k)} on` : ""}`);
    const canvas = $("canvas.heat");
    const fine = stage.G.circles || stage.G.written ? 0 : devicePixelRatio * stage.type;
    [canvas.width, canvas.height] = [stage.G.width * fine, stage.G.height * fine];
    canvas.style.cssText = `width:${stage.G.width}px;height:${stage.G.height}px`;
    canvas.getContext("2d").scale(fine, fine);
    layer.background.innerHTML = backgroundHtml(stage.P, stage.G);
    const table = tableHtml(stage.P, stage.G, stage.P[stage.sense]);
    layer.dots.innerHTML = table.dots;
    layer.nodes.innerHTML = table.nodes;
    stage.nodes = new Map(Array.from(layer.nodes.children, (node, n) => [table.events[n], node]));
    const lines = table.edges.some(Boolean);
    layer.edges.innerHTML = stage.G.circles ? table.edges.map((d) => `<path class="off" d="${d}"/>`).join("") : lines ? "<path/>".repeat(stage.P.T) : "";
    stage.edges = new Map(table.events.map((e, n) => [e, stage.G.circles ? layer.edges.children[n] : table.edges[n]]));
    [stage.drawn, stage.soon, stage.hover] = [-1, [], 0];
    buildHead();
    judge();
    stage.frame();
  }
  /** ⊙ or h changed: only the last column, the optimum and its path depend on them. */
  function judge() {
    stage.W = weigh(stage.P, stage.h, stage.op);
    if (stage.W.minima !== stage.G.minima) return build();
    stage.path = follow(stage.P, stage.W.best, stage.decisive(stage.W.best));
    const final = finalHtml(stage.P, stage.G, stage.W, stage.h, stage.op, stage.P[stage.sense]);
    if (!stage.grabbed) stage.span = spanOf(stage.h);
    stage.paintBars();
    layer.prices.innerHTML = final.prices;
    layer.values.innerHTML = final.rows;
    stage.weighed = null;
    const title = head.querySelector(".objective");
    $(".code").innerHTML = pseudocode(stage.P, stage.W, stage.op, stage.P[stage.sense]).map(([depth, line]) => `<li style="--depth:${depth}">${line}</li>`).join("");
    title.innerHTML = controls() + `<span>${objective(stage.P, stage.op, `${stage.P.T},<i>k</i>`)}</span>`;
    root.dataset.op = stage.op;
    stage.paint();
  }

  function controls() {
    if (!model.get("controls") && !stage.presenting) return "";
    const rules = Object.keys(asObject(model.get("h"))).map((name) => `<option${name === model.get("rule") ? " selected" : ""}>${escape(name)}</option>`);
    return `<span class="ops" role="radiogroup" aria-label="Combine">${Object.entries(OPS).map(([name, text]) => `<button type="button" role="radio" data-op="${name}" aria-checked="${name === stage.op}">${text}</button>`).join("")}</span>
      <select data-set="rule" aria-label="Loss wrapper h">${rules.join("")}</select>`;
  }

  function buildHead() {
    const can = model.get("editable") !== false;
    const every = [1, 5, 10, 20].find((n) => n * stage.G.gap >= (n > 1 ? 26 : 17)) || 50;
    const letters = stage.G.gap >= LETTERS;
    const seen = Array.from({ length: stage.P.T }, (_, t) => t).filter((t) => stage.G.zoom === 1 || (stage.G.x(t) > stage.G.left && stage.G.x(t) < stage.G.end));
    const items = seen.map((t) => {
      const x = stage.G.x(t);
      const label = escape(stage.P.labels[stage.P.y[t]]);
      const site = (t + 1) % every === 0 || t === 0 ? `<span class="site" style="left:${x}px">${t + 1}</span>` : "";
      if (!letters) return `${site}${tick("truth", t, stage.P.y[t])}<span class="hat" data-t="${t}" style="left:${x}px"></span>`;
      return `${site}<button type="button" class="truth" data-y="${t}" style="left:${x}px" ${can ? "" : "disabled"} aria-label="y ${t + 1} = ${label}" title="True label at t = ${t + 1}${can ? ": click for the next one" : ""}">${label}</button>
        <span class="hat" data-t="${t}" style="left:${x}px"></span>`;
    });
    const focus = head.contains(deepFocus()) ? deepFocus().dataset.y : null;
    head.innerHTML = `<span class="row site" style="top:2px"><i>t</i></span><span class="row" style="top:18px">true <i>y</i></span><span class="row" style="top:37px">best <i>ŷ</i></span>
      ${items.join("")}<div class="objective" style="left:${stage.G.end - stage.G.cell / 2 + 22}px;width:${stage.G.width - stage.G.end + stage.G.cell / 2 - 30}px"></div>`;
    if (focus) head.querySelector(`[data-y="${focus}"]`)?.focus();
    head.classList.toggle("tight", stage.G.gap < 24);
  }

  /** A label where there is no room for a letter: the higher, the later in the alphabet. */
  const tick = (kind, t, j) => `<span class="tick ${kind}" style="left:${stage.G.x(t)}px;width:${Math.max(1, stage.G.gap - 0.6)}px;height:${2 + (12 * j) / Math.max(1, stage.P.N - 1)}px"></span>`;

  Object.assign(stage, { arrange, build, draw, judge, tick });
}
