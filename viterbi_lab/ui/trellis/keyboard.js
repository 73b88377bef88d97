/* Keys. They work while the stage has the focus, and leave fields alone. */

import { TYPE } from "./looking.js";

export function keyboard(stage) {
  const { model, root, $, grids } = stage;
  root.addEventListener("keydown", (event) => {
    if (!stage.P || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const kind = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
      if (!kind || model.get("editable") === false) return;
      event.preventDefault();
      return stage.ask({ kind, index: 0, text: "" });
    }
    if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    const turn = stage.beat && !event.shiftKey && { ArrowRight: stage.act.beatNext, PageDown: stage.act.beatNext, ArrowLeft: stage.act.beatBack, PageUp: stage.act.beatBack, ArrowDown: stage.act.next, ArrowUp: stage.act.back }[event.key];
    const keys = { ArrowRight: () => stage.forward(event.shiftKey ? "column" : stage.size), ArrowLeft: () => stage.backward(event.shiftKey ? "column" : stage.size), " ": stage.act.play, Home: stage.act.first, End: stage.act.last, e: () => grids.querySelector(`[data-t="${stage.currentSite()}"] input`)?.focus(),
      h: stage.act.shape, s: stage.save, m: () => stage.choose(stage.sense === "max" ? "min" : "max"), z: event.shiftKey ? stage.act.zoomOut : stage.act.zoomIn, 0: stage.act.whole,
      ArrowUp: stage.G.zoom > 1 && (() => stage.pan(0, stage.G.floors / 4)), ArrowDown: stage.G.zoom > 1 && (() => stage.pan(0, -stage.G.floors / 4)),
      a: stage.act.code, f: stage.act.present, d: stage.switchTheme, "?": () => stage.act.help(), "+": () => stage.setType(stage.type * TYPE.step), "-": () => stage.setType(stage.type / TYPE.step),
      Escape: $(".help").hidden ? stage.presenting && stage.act.present : () => stage.act.help(false) };
    const todo = turn || keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!todo) return;
    event.preventDefault();
    todo();
  });
}
