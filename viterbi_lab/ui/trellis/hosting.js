/* What the host sends, and what it must be told. */

import { escape } from "./values.js";
import { asObject, readProblem } from "./problem.js";

export function hosting(stage) {
  const { model, root, $, hold } = stage;
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
    stage.say(words);
    clearTimeout(announcing);
    announcing = setTimeout(() => note.classList.remove("on"), 2500);
  }

  function receive(message) {
    const words = message.words || [];
    root.classList.toggle("undrawn", words.length > 0);
    $(".words").innerHTML = words.length ? `<h2>${escape(message.title)}</h2>${words.map((text) => `<p>${escape(text)}</p>`).join("")}` : "";
    if (words.length) {
      stage.play(false);
      stage.P = stage.G = null; // nothing to step
    }
    if (!message.T || (stage.P && stage.P.revision === message.revision)) return false;
    const old = stage.P;
    stage.P = readProblem(message);
    stage.image = null;
    if (!old || stage.P.reset || old.number.length !== stage.P.number.length) stage.view = { zoom: 1, t: 0, k: 0 };
    if (!old) stage.pos = Math.max(0, Math.min(stage.P.count, model.get("step") || 0)); // drawn anew, or a saved place
    else if (stage.P.reset) stage.pos = Math.min(stage.P.count, stage.P.place);
    else keepPlace(old);
    stage.part = stage.parts(stage.pos);
    return true;
  }

  /** The same (t, k, j) if it still exists, else the end of its column; the answer stays the answer. */
  function keepPlace(old) {
    if (stage.pos >= old.maximise) stage.pos = stage.pos === old.count ? stage.P.count : Math.min(stage.P.count, stage.P.maximise + stage.pos - old.maximise);
    else if (stage.pos > 0) {
      const { t, k, s } = old.cell(stage.pos);
      const column = Math.max(stage.P.start, Math.min(t, stage.P.T - 1));
      stage.pos = (t === column && k <= stage.P.K && s < stage.P.states && stage.P.number[stage.P.at(t, k, s)]) || stage.P.columnEnd[column];
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
      if (!stage.P) return;
      stage.h = Array.from(table);
      stage.op = model.get("op");
      if (retold) stage.tell();
      if (fresh || !stage.G || retold) stage.build();
      else stage.judge();
      retold = false;
      if (fresh) stage.report();
    });
  }

  for (const name of ["problem", "h", "rule", "op", "controls"]) model.on(`change:${name}`, changed);
  model.on("change:caption", () => { retold = true; changed(); });
  model.on("change:reply", stage.answered);
  model.on("change:copy", copy);
  model.on("change:step", () => { if (stage.P && stage.G && !stage.reported && model.get("step") !== stage.pos) stage.go(model.get("step")); });
  let room = "";
  const watcher = new ResizeObserver(() => {
    // below the floors the card makes the page taller, which is no reason to draw anew
    const now = `${root.clientWidth} ${root.classList.contains("narrow") ? "" : root.clientHeight}`;
    if (now === room) return;
    const appeared = room.startsWith("0 ");
    room = now;
    if (appeared) stage.theme(); // what is hidden hears of no change of colours
    if (stage.P && stage.h) stage.build();
    if (appeared && stage.beat) hold();
  });
  watcher.observe(root);

  Object.assign(stage, { announce, changed, watcher });
}
