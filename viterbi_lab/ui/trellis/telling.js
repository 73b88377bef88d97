/* A story: what its beat says, what it points at, and the wish for another one. */

import { escape } from "./values.js";
import { asObject } from "./problem.js";
import { framesHtml } from "./drawing.js";

export function telling(stage) {
  const { model, $, hold, layer } = stage;
  function tell() {
    const number = stage.beat && stage.beat.number;
    stage.beat = asObject(model.get("caption"));
    if (!stage.beat.text) stage.beat = null;
    else if (stage.beat.number !== number) hold(); // the arrows belong to the story
    const box = $(".caption");
    box.hidden = !stage.beat;
    const arrow = (name, sign, title) => `<button type="button" data-act="${name}" aria-label="${title}">${sign}</button>`;
    if (stage.beat) box.innerHTML = `${arrow("beatBack", "←", "Previous beat")}<p><b>${escape(stage.beat.title)}</b> ${escape(stage.beat.text)}</p><small>${stage.beat.number} of ${stage.beat.count}</small>${arrow("beatNext", "→", "Next beat")}`;
  }

  function frame() {
    const fits = ({ floor = 0, site = 0, cell: [t, k, s] = [0, 0, 0], path }) => floor <= stage.P.K && site < stage.P.T && t < stage.P.T && k <= stage.P.K && s < stage.P.states && (!path || (path.length === stage.P.T && path.every((j) => j < stage.P.N)));
    const marks = stage.beat ? (stage.beat.marks || []).map(asObject).filter(fits) : []; // the problem may have been changed since
    layer.frames.innerHTML = framesHtml(stage.P, stage.G, marks);
    const parts = marks.map(({ part }) => part);
    for (const [name, selector] of Object.entries({ truth: ".head", card: ".card", scores: ".grids", steps: ".toolbar" })) $(selector).classList.toggle("framed", parts.includes(name));
  }

  let aim = null; // the beat wished for, while the host has not answered: of quick presses it may hear the last one only
  function turn(by) {
    const wanted = (aim ?? stage.beat.number) + by;
    aim = Math.max(1, Math.min(stage.beat.count, wanted));
    stage.ask({ kind: "beat", index: wanted, text: "" });
  }
  const landed = () => { aim = null; };

  Object.assign(stage, { tell, frame, turn, landed });
}
