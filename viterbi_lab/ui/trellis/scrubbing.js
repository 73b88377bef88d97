/* The bar of all steps, in its phases. */

export function scrubbing(stage) {
  const { $, scrub } = stage;
  let segments = [];
  function buildSegments() {
    const counts = [["init", 0, stage.P.columnEnd[stage.P.start], "Initialise"]];
    for (let t = stage.P.start + 1; t < stage.P.T; t++) counts.push([`t=${t + 1}`, stage.P.columnEnd[t - 1], stage.P.columnEnd[t], `Column t = ${t + 1}`]);
    counts.push(["max", stage.P.cells, stage.P.maximise, "Maximise"], ["path", stage.P.maximise, stage.P.count, "Backtrack"]);
    const weight = counts.map(([, a, b]) => Math.sqrt(b - a) + 1.5);
    const total = weight.reduce((a, b) => a + b);
    let left = 0;
    segments = counts.map(([name, from, to, title], n) => {
      const segment = { name, from, to, title, left, width: weight[n] / total };
      left += segment.width;
      return segment;
    });
    const pixels = scrub.clientWidth;
    const crowded = pixels / segments.length < 26;
    const every = [10, 20, 50].find((n) => n * (pixels / segments.length) > 46) || 100;
    const label = ({ name, width }, n) => (width * pixels > 8 + 6.6 * name.length || (crowded && (n === 0 || (n < stage.P.T - stage.P.start - 1 && (n + 1 + stage.P.start) % every === 0))) ? name : "");
    $(".segments").innerHTML = segments.map((segment, n) => `<span class="${crowded && !label(segment, n) ? "bare" : ""}" title="${segment.title}" style="left:${100 * segment.left}%;width:${100 * segment.width}%">${label(segment, n)}</span>`).join("") + `<div class="done"></div>`;
  }

  function fraction(position) {
    const segment = segments.find(({ from, to }) => position >= from && position <= to && to > from) || segments[0];
    return segment.left + (segment.width * (position - segment.from)) / (segment.to - segment.from);
  }

  function positionAt(x) {
    const segment = segments.filter(({ left }) => left <= x).pop() || segments[0];
    return segment.from + Math.round(((x - segment.left) / segment.width) * (segment.to - segment.from));
  }
  const drag = (event) => {
    const box = scrub.getBoundingClientRect();
    stage.go(positionAt(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))));
  };
  scrub.addEventListener("pointerdown", (event) => { scrub.setPointerCapture(event.pointerId); stage.play(false); drag(event); });
  scrub.addEventListener("pointermove", (event) => { if (event.buttons) drag(event); });

  Object.assign(stage, { buildSegments, fraction });
}
