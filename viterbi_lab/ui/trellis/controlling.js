/* What buttons, menus and labels do. */

import { ZOOM } from "./layout.js";

export function controlling(stage) {
  const { root, $, hold, write, card } = stage;
  const act = {
    first: () => stage.go(0), columnBack: () => stage.backward("column"), back: () => stage.backward(stage.size), play: () => stage.play(!stage.timer),
    next: () => stage.forward(stage.size), columnNext: () => stage.forward("column"), last: () => stage.go(stage.P.count),
    code: () => {
      const aside = $(".aside");
      aside.hidden = !aside.hidden;
      (aside.hidden ? $(".stage") : aside).append(card); // the card keeps the algorithm company
      press("code", !aside.hidden);
      stage.build();
    },
    zoomIn: () => stage.zoomBy(ZOOM.step), zoomOut: () => stage.zoomBy(1 / ZOOM.step), whole: () => stage.zoomBy(0),
    save: stage.save,
    present: () => stage.present(!stage.presenting),
    shape: () => {
      const on = root.classList.toggle("shaping");
      press("shape", on);
      stage.build();
      (on ? stage.bars : root).focus({ preventScroll: true });
    },
    beatNext: () => stage.turn(1), beatBack: () => stage.turn(-1),
    help: (open = $(".help").hidden) => { $(".help").hidden = !open; press("help", open); },
  };
  const press = (name, on) => $(`[data-act="${name}"]`).setAttribute("aria-pressed", on);

  /** Look at the table of maxima or at that of minima. */
  function choose(wanted) {
    if (!stage.W.minima) return;
    [stage.sense, stage.image] = [wanted, null];
    stage.build();
    hold();
  }

  root.addEventListener("click", ({ target }) => {
    if (!stage.P) return;
    const [control, label, sign, end, which] = ["[data-act]", "[data-y]", "[data-op]", "[data-trace]", "[data-sense]"].map((kind) => target.closest(kind));
    if (end) {
      stage.pin(Number(end.dataset.trace));
      hold(); // the card that had the focus is gone
    }
    else if (which) choose(which.dataset.sense);
    else if (target.closest(".help")) act.help(false);
    else if (control) act[control.dataset.act]();
    else if (label) stage.ask({ kind: "y", index: Number(label.dataset.y), text: String((stage.P.y[label.dataset.y] + 1) % stage.P.N) });
    else if (sign) { write("op", sign.dataset.op); stage.changed(); hold(); }
  });
  root.addEventListener("change", ({ target }) => {
    if (target.dataset.set === "size") stage.size = target.value;
    if (target.dataset.set === "speed") { stage.speed = Number(target.value); if (stage.timer) stage.play(true); }
    if (target.dataset.set === "rule") { write("rule", target.value); stage.changed(); }
    if (target.dataset.set) hold();
  });
  $(".toolbar").addEventListener("mousedown", (event) => {
    if (!event.target.closest("button")) return;
    event.preventDefault(); // a clicked button leaves the keys to the stage
    hold();
  });

  Object.assign(stage, { act, press, choose });
}
