/* Tables too large for digits: a colour for every cell, between the extremes of its column. */

export const HEAT_LEVELS = 12;

/** Smallest and largest sum of a column, between which its heat goes. */
export function extremes(P, table, t) {
  let [low, high] = [Infinity, -Infinity];
  for (let at = P.at(t, 0, 0); at < P.at(t + 1, 0, 0); at++)
    if (P.number[at]) [low, high] = [Math.min(low, table.L[at]), Math.max(high, table.L[at])];
  return [low, high];
}

export const heat = (L, [low, high]) => (high > low ? Math.floor(((L - low) / (high - low)) * (HEAT_LEVELS - 0.001)) : HEAT_LEVELS - 1);

/** The whole table as an image of one pixel per cell: columns from left to right, k = 0 at the bottom. */
export function heatImage(P, table, colours) {
  const rows = (P.K + 1) * P.states;
  const image = new ImageData(P.T, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let t = P.start; t < P.T; t++) {
    const range = extremes(P, table, t);
    for (let k = 0; k <= P.K; k++)
      for (let s = 0; s < P.states; s++) {
        const at = P.at(t, k, s);
        if (P.number[at]) pixels[((P.K - k) * P.states + s) * P.T + t] = colours[heat(table.L[at], range)];
      }
  }
  const canvas = Object.assign(document.createElement("canvas"), { width: P.T, height: rows });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Draw the first `done` cells of the heat image where they stand. */
export function drawHeat(P, G, pen, image, done) {
  const { t: [first, last], k: [low, high] } = G.range();
  const highest = G.y(P.K, 0) - G.row / 2;
  pen.save();
  pen.beginPath();
  pen.rect(G.left, 0, G.end - G.left + 1, G.height);
  pen.clip();
  pen.imageSmoothingEnabled = G.row < 1; // then several cells share a pixel
  /** `rows` rows of column t from `from` on, counted from the top. */
  const strip = (t, from, rows) => {
    if (rows > 0) pen.drawImage(image, t, from, 1, rows, G.x(t) - G.cell / 2, highest + from * G.row, G.cell, rows * G.row);
  };
  for (let t = first; t <= last; t++) {
    if (done >= P.columnEnd[t]) strip(t, 0, image.height);
    else if (done > (t > P.start ? P.columnEnd[t - 1] : 0)) {
      const { k, s } = P.cell(done); // whole floors below, and a part of this one
      strip(t, (P.K + 1 - k) * P.states, k * P.states);
      strip(t, (P.K - k) * P.states, s + 1);
    }
  }
  if (G.row > 4) for (let k = low; k <= high; k++) for (let s = 0; s < P.states; s++) pen.clearRect(G.left, G.y(k, s) - G.row / 2, G.end - G.left, 1);
  pen.restore();
}
