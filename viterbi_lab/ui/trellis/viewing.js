/* Zoom: the part of a large table in view, and the small picture of the whole. */

import { CARD, HEAD } from "./layout.js";
import { heatImage } from "./heat.js";

const OVERVIEW = 140; // px, the height of the picture of the whole table

export function viewing(stage) {
  const { root, $, deepFocus, svg, grids } = stage;
  /** Zoom by a factor; the point (x, y) of the stage stays where it is, by default the current cell. */
  function zoomBy(factor, x, y) {
    if (!stage.G || stage.G.most === 1) return;
    const { t, k, s } = stage.pos > 0 && stage.pos <= stage.P.cells ? stage.P.cell(stage.pos) : stage.path.cells[Math.max(0, stage.pos - stage.P.maximise - 1)] || { t: stage.P.T - 1, k: stage.P.K, s: 0 };
    const [px, py] = x === undefined ? [Math.max(stage.G.left, Math.min(stage.G.end, stage.G.x(t))), Math.max(0, Math.min(stage.G.height, stage.G.y(k, s)))] : [x, y];
    const [site, floor] = x === undefined ? [t, k + 0.5] : [stage.G.siteAt(px), stage.G.floorAt(py)];
    stage.view.zoom = Math.max(1, Math.min(stage.G.most, stage.view.zoom * factor < 1.02 ? 1 : stage.view.zoom * factor));
    stage.arrange();
    stage.view.t = site - (Math.min(px, stage.G.end) - stage.G.left - 22) / (stage.G.gap || 1);
    stage.view.k = floor - (stage.G.height - Math.min(py, stage.G.height)) / stage.G.lane;
    lookAt = stage.pos;
    stage.build();
  }

  function pan(columns, floorsUp) {
    if (!stage.G || stage.G.zoom === 1) return;
    stage.view.t += columns;
    stage.view.k += floorsUp;
    lookAt = stage.pos;
    stage.draw();
  }

  let lookAt = -1; // the step at which the reader chose the view; the next one leads it back to the action
  /** Move the view to the current cell if that is out of it. */
  function follows() {
    if (stage.G.zoom === 1 || lookAt === stage.pos) return false;
    lookAt = stage.pos;
    const cell = stage.pos > 0 && stage.pos <= stage.P.cells ? stage.P.cell(stage.pos) : stage.pos > stage.P.maximise ? stage.path.cells[stage.pos - stage.P.maximise - 1] : stage.pos ? stage.W.best : null;
    if (!cell) return false;
    const [column, floor] = [cell.t - stage.view.t, cell.k - stage.view.k];
    if (column >= Math.min(1, cell.t) && column <= stage.G.columns && floor >= Math.min(1, cell.k) && floor <= stage.G.floors - 1) return false;
    stage.view.t = cell.t - 0.6 * stage.G.columns;
    stage.view.k = cell.k - 0.4 * stage.G.floors;
    return true;
  }

  /** The small picture of the whole table, with the part in view. */
  function paintOverview(cell) {
    const box = $(".overview");
    box.hidden = stage.G.zoom === 1;
    if (box.hidden) return;
    const beside = stage.G.stands === "beside"; // under the card, above the grid
    const top = HEAD + 8 + (beside ? CARD.height(stage.P.N) + 24 : 0);
    const tall = beside ? Math.max(70, Math.min(OVERVIEW, HEAD + stage.G.height - grids.offsetHeight - top - 20)) : OVERVIEW;
    box.style.cssText = `left:${beside ? stage.G.card.left : stage.G.left + 8}px;top:${top}px;height:${tall}px;width:${1.5 * tall}px`;
    const canvas = box.firstChild;
    [canvas.width, canvas.height] = [stage.P.T, (stage.P.K + 1) * stage.P.states];
    const pen = canvas.getContext("2d");
    pen.drawImage((stage.image ||= heatImage(stage.P, stage.P[stage.sense], stage.heatColours())), 0, 0);
    if (cell) {
      pen.fillStyle = getComputedStyle(root).getPropertyValue("--decision");
      const [w, h] = [Math.max(1, stage.P.T / 40), Math.max(1, canvas.height / 25)];
      pen.fillRect(cell.t + 0.5 - w / 2, (stage.P.K - cell.k) * stage.P.states + cell.s + 0.5 - h / 2, w, h);
    }
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    const seen = $(".seen").style;
    [seen.left, seen.width] = [percent(stage.view.t, stage.P.T), percent(Math.min(stage.P.T, stage.G.columns + 1), stage.P.T)];
    [seen.bottom, seen.height] = [percent(stage.view.k, stage.P.K + 1), percent(Math.min(stage.P.K + 1, stage.G.floors), stage.P.K + 1)];
  }
  svg.addEventListener("wheel", (event) => {
    // without the focus or Ctrl the wheel belongs to the page around
    if (!stage.P || !stage.G || stage.G.most === 1 || !(event.ctrlKey || root.contains(deepFocus()))) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), (event.clientX - box.left) / stage.type, (event.clientY - box.top) / stage.type);
  }, { passive: false });
  const overview = $(".overview");
  const seek = (event) => {
    const box = overview.getBoundingClientRect();
    stage.view.t = ((event.clientX - box.left) / box.width) * stage.P.T - (stage.G.columns + 1) / 2;
    stage.view.k = (1 - (event.clientY - box.top) / box.height) * (stage.P.K + 1) - stage.G.floors / 2;
    pan(0, 0);
  };
  overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); seek(event); });
  overview.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
  overview.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    pan((way[0] * stage.G.columns) / 4, (way[1] * stage.G.floors) / 4);
  });

  Object.assign(stage, { zoomBy, pan, follows, paintOverview });
}
