/* The pointer over the floors: cards by hovering, paths by a click, the view by dragging. */

export function pointing(stage) {
  const { hold, svg } = stage;
  /** The event whose cell lies under the pointer, or 0. */
  function eventAt(event) {
    const box = svg.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / stage.type, (event.clientY - box.top) / stage.type];
    const t = Math.round(stage.G.siteAt(x));
    if (t < stage.P.start || t >= stage.P.T || Math.abs(x - stage.G.x(t)) > stage.G.cell / 2 + 4 || (stage.G.zoom > 1 && (x < stage.G.left || x > stage.G.end))) return 0;
    const k = Math.floor(stage.G.floorAt(y));
    const s = Math.max(0, Math.min(stage.P.states - 1, Math.round((y - stage.G.y(k, 0)) / stage.G.row))); // between two floors: the nearer row
    return k < 0 || k > stage.P.K ? 0 : stage.P.number[stage.P.at(t, k, s)];
  }
  const point = (to) => { if (stage.P && stage.G && to !== stage.hover) { stage.hover = to; stage.explain(); } };
  svg.addEventListener("mousemove", (event) => { if (stage.P && stage.G) point(eventAt(event)); });
  svg.addEventListener("mouseleave", () => point(0));
  /** Choose a cell of the last column, once all are filled; choosing it again lets it go. */
  function pin(e) {
    stage.pinned = stage.pinned === e || stage.pos < stage.P.cells ? 0 : e;
    stage.hover = 0;
    stage.explain();
  }
  let dragged = null; // where the pointer went down, and whether it has moved since
  svg.addEventListener("pointerdown", (event) => { dragged = stage.G && stage.G.zoom > 1 && event.button === 0 ? { x: event.clientX, y: event.clientY, moved: false } : null; });
  svg.addEventListener("pointermove", (event) => {
    if (!dragged || !event.buttons) return;
    const [dx, dy] = [(event.clientX - dragged.x) / stage.type, (event.clientY - dragged.y) / stage.type];
    if (!dragged.moved && Math.hypot(dx, dy) < 4) return;
    if (!dragged.moved) svg.setPointerCapture(event.pointerId);
    [dragged.x, dragged.y, dragged.moved] = [event.clientX, event.clientY, true];
    once(() => stage.pan(-dx / stage.G.gap, dy / stage.G.lane));
  });
  let queued = null;
  /** At most one redrawing per frame; moves add up. */
  function once(move) {
    if (queued) return queued.push(move);
    queued = [move];
    requestAnimationFrame(() => { const moves = queued; queued = null; for (const one of moves) one(); });
  }

  svg.addEventListener("click", (event) => {
    hold();
    if (dragged?.moved) return;
    const e = stage.P && stage.G ? eventAt(event) : 0;
    if (e && stage.P.cell(e).t === stage.P.T - 1) pin(e);
    else if (stage.pinned) pin(stage.pinned);
  });

  Object.assign(stage, { pin });
}
