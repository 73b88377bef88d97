/* h drawn by hand: it acts on the last column only, so the browser judges anew while the hand moves. */

import { fit, show } from "./values.js";
import { asObject } from "./problem.js";

const FEW_BARS = 12; // of h
const OWN = "own list"; // the rule of h that the reader draws

/** A step of 1, 2 or 5 times a power of ten, at least `least`. */
const niceStep = (least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((n) => n * power >= least * 0.999);
};

/** What a drawing of h spans: zero, every value, and room to drag above and below. */
export function spanOf(h) {
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

export function shaping(stage) {
  const { model, root, $ } = stage;
  const bars = $(".bars");
  let chosen = 1, asking = 0;
  function paintBars() {
    if (!root.classList.contains("shaping")) return;
    chosen = Math.min(chosen, stage.P.K);
    bars.innerHTML = barsHtml(stage.h, stage.span, chosen, bars.clientWidth);
    const said = { label: `h(${chosen})`, valuenow: stage.h[chosen], valuemin: stage.span.low, valuemax: stage.span.high, valuetext: `h(${chosen}) = ${show(stage.h[chosen])}` };
    for (const [name, value] of Object.entries(said)) bars.setAttribute(`aria-${name}`, value);
  }

  /** h(k) is now `value`; Python, where there is one, hears of it when the hand rests. */
  function bend(k, value) {
    chosen = k;
    const rounded = Number((Math.round(value / stage.span.step) * stage.span.step).toFixed(10));
    if (rounded !== stage.h[k]) {
      stage.h[k] = rounded;
      stage.judge();
    } else paintBars();
  }

  function handIn() {
    clearTimeout(asking);
    const tables = asObject(model.get("h"));
    model.set("h", { ...Object.fromEntries(Object.entries(tables).map(([rule, table]) => [rule, Array.from(table)])), [OWN]: stage.h.slice() });
    model.set("rule", OWN);
    if (model.get("editable") === false) model.save_changes();
    else stage.ask({ kind: "h", index: 0, text: stage.h.join(", ") });
    stage.judge(); // with room around the new bars, and the name of the rule
  }

  const grab = (event) => {
    const box = bars.getBoundingClientRect();
    const inside = (share) => Math.max(0, Math.min(0.9999, share));
    const k = Math.floor(inside((event.clientX - box.left) / box.width) * stage.h.length);
    if (!stage.grabbed) stage.grabbed = { k, few: stage.h.length <= FEW_BARS };
    // one of few bars is held; over many the pointer draws a curve
    bend(stage.grabbed.few ? stage.grabbed.k : k, stage.span.high - inside((event.clientY - box.top) / box.height) * (stage.span.high - stage.span.low));
  };
  bars.addEventListener("pointerdown", (event) => {
    if (!stage.P) return;
    bars.setPointerCapture(event.pointerId);
    grab(event);
  });
  bars.addEventListener("pointermove", (event) => { if (stage.grabbed) grab(event); });
  for (const end of ["pointerup", "pointercancel"])
    bars.addEventListener(end, () => {
      if (!stage.grabbed) return;
      stage.grabbed = null;
      handIn();
    });
  bars.addEventListener("keydown", (event) => {
    const by = event.shiftKey || event.key.startsWith("Page") ? 10 : 1;
    const choose = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: stage.P.K }[event.key];
    const change = { ArrowUp: by, ArrowDown: -by, PageUp: by, PageDown: -by }[event.key];
    if (choose === undefined && change === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return stage.act.shape();
    if (change === undefined) return bend(Math.max(0, Math.min(stage.P.K, choose)), stage.h[Math.max(0, Math.min(stage.P.K, choose))]);
    bend(chosen, stage.h[chosen] + change * stage.span.step);
    clearTimeout(asking);
    asking = setTimeout(handIn, 400); // several presses are one change
  });

  Object.assign(stage, { bars, paintBars });
}
