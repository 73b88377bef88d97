/*
 * The trellis: Algorithm 1 of Bauer et al. 2014 drawn as a building, stepped in the browser.
 *
 * Floor k holds the prefixes with exactly k wrong labels. A right label runs level, a wrong one climbs:
 * that is Theorem 1. Python computes L and S once; the browser derives every step, candidate, card and
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
 *             The wish for another beat is an edit of kind "beat", index its number
 *   editable  may g and y be edited;  controls  show ⊙ and h inside the stage;  height  px, else all there is
 *
 * values, problem, cards and algorithm say what the picture means, layout, heat and drawing what stands where: pure.
 * The others each give a stage one ability: they keep what is theirs, and put on the stage what others call.
 * Python joins all modules into one, in the order of its imports (viterbi_lab/ui/program.py).
 */

import { building } from "./building.js";
import { controlling } from "./controlling.js";
import { editing } from "./editing.js";
import { hosting } from "./hosting.js";
import { keyboard } from "./keyboard.js";
import { looking } from "./looking.js";
import { painting } from "./painting.js";
import { pointing } from "./pointing.js";
import { saving } from "./saving.js";
import { scrubbing } from "./scrubbing.js";
import { shaping } from "./shaping.js";
import { stepping } from "./stepping.js";
import { telling } from "./telling.js";
import { HELP, TOOLBAR } from "./toolbar.js";
import { viewing } from "./viewing.js";

const ABILITIES = [stepping, painting, building, viewing, telling, scrubbing, editing, shaping, looking, saving, pointing, controlling, keyboard, hosting];
const LAYERS = ["background", "hair", "dots", "edges", "nodes", "prices", "values", "trace", "overlay", "frames"];
const STAGE = `<div class="toolbar" role="toolbar" aria-label="Steps">${TOOLBAR}</div><div class="caption" role="status" hidden></div>
  <div class="body"><div class="stage"><div class="head"></div>
    <svg class="ground" aria-hidden="true"><g class="background"></g></svg><canvas class="heat" aria-hidden="true"></canvas>
    <svg class="floors" role="img"><svg class="table"><g class="hair"></g><g class="dots"></g><g class="edges"></g><g class="nodes"></g></svg>
      <g class="prices"></g><g class="values"></g><svg class="table"><g class="trace"></g><g class="overlay"></g></svg><g class="frames"></g></svg>
    <div class="overview" role="group" tabindex="0" aria-label="Overview. Arrows move the view." hidden><canvas></canvas><div class="seen"></div></div>
    <div class="card" role="note"></div></div><div class="aside" hidden><ol class="code" aria-label="Algorithm 1"></ol></div></div>
  <div class="help" role="dialog" aria-label="Keys" hidden>${HELP}</div>
  <div class="words" role="status"></div><div class="grids"></div>
  <div class="shaper"><p><i>h</i>(<i>k</i>) by hand<small>Drag a bar. ← → choose <i>k</i>, ↑ ↓ change it, Esc closes.</small></p><div class="bars" role="slider" tabindex="0" aria-label="h(k)"></div></div><div class="toast"></div><div class="said" role="status" aria-live="polite"></div><div class="probe"></div>`;

/** What all parts of one stage share. */
function emptyStage(model, root) {
  const $ = (selector) => root.querySelector(selector);
  const [svg, head, card, grids, scrub, said] = [".floors", ".head", ".card", ".grids", ".scrub", ".said"].map($);
  return {
    model, root, $, svg, head, card, grids, scrub, said,
    layer: Object.fromEntries(LAYERS.map((name) => [name, $(`svg .${name}`)])),
    hold: () => root.focus({ preventScroll: true }), // a page that scrolls under the pointer loses the click
    deepFocus: () => root.getRootNode().activeElement || document.activeElement,
    write: (name, value) => {
      model.set(name, value);
      model.save_changes();
    },
    P: null, h: null, op: "times", // the question
    G: null, W: null, path: null, // where everything stands, the last column weighed, and the optimal path
    sense: "max", view: { zoom: 1, t: 0, k: 0 }, image: null, // which table, which part of it, and its heat
    pos: 0, part: 1, reported: 0, // events done, candidates of the last one looked at, and whether a report is due
    timer: 0, size: "cell", speed: 1, // of playing
    drawn: -1, soon: [], nodes: new Map(), edges: new Map(), weighed: null, // what stands on the stage, by event
    em: 0.6, mode: "under", // width of a digit in the font that this machine really has; where the grids stand
    hover: 0, pinned: 0, // the cell under the pointer, and a chosen one of the last column
    span: null, grabbed: null, // what the drawing of h spans, and the bar in the hand
    beat: null, presenting: false, type: 1, // the story told, and the look
  };
}

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "vl";
  if (model.get("height")) root.style.setProperty("--vl-height", `${model.get("height")}px`);
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab's own keys stay away while the stage has the focus
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Trellis. Right arrow: next step. Space: play.");
  root.innerHTML = STAGE;
  el.appendChild(root);
  const stage = emptyStage(model, root);
  for (const give of ABILITIES) give(stage);
  stage.theme();
  stage.changed();
  return () => {
    stage.play(false);
    stage.watcher.disconnect();
    document.removeEventListener("fullscreenchange", stage.leave);
  };
}

export default { render };
