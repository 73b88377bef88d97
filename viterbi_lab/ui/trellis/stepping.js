/* Steps: forward and back by candidate, cell or column, and play. The step is reported at most every 150 ms. */

import { ICONS } from "./toolbar.js";

const TICK = 800; // ms per step at speed 1
const REPORT = 150; // ms between reports of the step

export function stepping(stage) {
  const { model, $, write } = stage;
  const parts = (e) => (e > 0 && e <= stage.P.cells && stage.P.cell(e).t > stage.P.start ? stage.P.N : e === stage.P.maximise ? stage.P.K + 1 - stage.P.kmin : 1);

  function go(target, looked) {
    stage.pos = Math.max(0, Math.min(stage.P.count, target));
    stage.pinned = 0;
    stage.part = Math.min(looked || Infinity, parts(stage.pos));
    stage.paint();
    report();
  }

  function forward(by) {
    const open = stage.part < parts(stage.pos);
    if (by === "candidate") return open ? go(stage.pos, stage.part + 1) : go(stage.pos + 1, 1);
    if (by === "column" && stage.pos < stage.P.cells) return go(stage.P.columnEnd[stage.P.cell(open ? stage.pos : stage.pos + 1).t]);
    return go(open ? stage.pos : stage.pos + 1);
  }

  function backward(by) {
    if (by === "candidate" && stage.part > 1) return go(stage.pos, stage.part - 1);
    if (by === "column" && stage.pos <= stage.P.maximise) return go(Array.from(stage.P.columnEnd).reduce((a, end) => (end < stage.pos ? Math.max(a, end) : a), 0));
    return go(stage.pos - 1);
  }

  function play(on) {
    clearInterval(stage.timer);
    stage.timer = 0;
    if (on) {
      if (stage.pos === stage.P.count) go(0);
      stage.timer = setInterval(() => (stage.pos === stage.P.count && stage.part === parts(stage.pos) ? play(false) : forward(stage.size)), TICK / stage.speed);
    }
    const toggle = $('[data-act="play"]');
    toggle.querySelector("path").setAttribute("d", on ? ICONS.pause : ICONS.play);
    toggle.querySelector(".word").textContent = on ? "Pause" : "Play";
    toggle.setAttribute("aria-label", on ? "Pause" : "Play");
  }
  function report() {
    if (stage.reported) return;
    stage.reported = setTimeout(() => {
      stage.reported = 0;
      if (stage.P && model.get("step") !== stage.pos) write("step", stage.pos);
    }, REPORT);
  }

  Object.assign(stage, { parts, go, forward, backward, play, report });
}
