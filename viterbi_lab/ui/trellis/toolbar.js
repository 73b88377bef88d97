/* Buttons, keys and help. */

const SPEEDS = [0.5, 1, 2, 4];

export const ICONS = {
  first: "M3 3h2v10H3zM14 3v10L6 8z", columnBack: "M8 3v10L1 8zM15 3v10L8 8z", back: "M11.5 3v10L4 8z",
  play: "M4.5 2.5l9 5.5-9 5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  code: "M2 3h12v1.6H2zM5 7.2h9v1.6H5zM5 11.4h7V13H5z", present: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  help: "M7.1 10.2h1.7c0-2 2.7-2.3 2.7-4.8C11.5 3.5 10 2.3 8 2.3S4.6 3.6 4.5 5.6h1.8C6.4 4.6 7 3.900 8 3.900s1.700.6 1.700 1.600c0 1.600-2.600 1.900-2.600 4.700zM7 11.700h2v2H7z",
  save: "M7 1h2v7h3l-4 4.500-4-4.500h3zM2 13h12v2H2z",
  shape: "M1 12h3v3H1zM5 9h3v6H5zM9 5h3v10H9zM13 1h2v14h-2z",
  zoomOut: "M2 7h12v2H2z", zoomIn: "M2 7h5V2h2v5h5v2H9v5H7V9H2z", whole: "M2 2h5v2H4v3H2zM14 14H9v-2h3V9h2z",
  next: "M4.5 3v10L12 8z", columnNext: "M1 3v10l7-5zM8 3v10l7-5z", last: "M2 3v10l8-5zM11 3h2v10h-2z",
};

const button = (act, name, key, more = "") =>
  `<button type="button" data-act="${act}" aria-label="${name}" title="${name} (${key})"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[act]}"/></svg>${more}</button>`;

export const TOOLBAR = `
  ${button("first", "Back to the start", "Home")}${button("columnBack", "Previous column", "Shift ←")}${button("back", "Previous step", "←")}
  ${button("play", "Play", "Space", '<span class="word">Play</span>')}
  ${button("next", "Next step", "→")}${button("columnNext", "Next column", "Shift →")}${button("last", "Result", "End")}
  <label>by <select data-set="size" aria-label="Step by"><option value="candidate">candidate</option><option value="cell" selected>cell</option><option value="column">column</option></select></label>
  <select data-set="speed" aria-label="Speed">${SPEEDS.map((v) => `<option value="${v}"${v === 1 ? " selected" : ""}>${v}×</option>`).join("")}</select>
  <span class="ops sense" role="radiogroup" aria-label="Table" hidden><button type="button" role="radio" data-sense="max" title="Table of the largest sums (M)">max</button><button type="button" role="radio" data-sense="min" title="Table of the smallest sums (M)">min</button></span>
  <span class="zoom" role="group" aria-label="Zoom" hidden>${button("zoomOut", "Zoom out", "Shift+Z")}${button("whole", "Whole table", "0")}${button("zoomIn", "Zoom in", "Z")}</span>
  <div class="scrub" role="slider" tabindex="0" aria-label="Step" aria-valuemin="0"><div class="segments"></div><div class="thumb"></div></div>
  <output class="where"></output>
  ${button("shape", "Draw h", "H")}${button("code", "Algorithm 1", "A")}${button("save", "Picture as PNG", "S")}${button("present", "Present", "F")}${button("help", "Keys", "?")}`;

const KEYS = [
  ["→ ←", "next and previous step"], ["Shift → ←", "next and previous column"], ["Space", "play, pause"],
  ["Home End", "start, result"], ["M", "table of max or of min, where h is negative"], ["Z Shift+Z 0", "zoom in, out, whole table (wheel; drag moves)"], ["↑ ↓", "floors above and below, when zoomed"], ["H", "draw h: drag its bars, or arrows"], ["E", "edit the scores of this column"], ["Ctrl+Z Shift+Ctrl+Z", "undo, redo a change"], ["A", "Algorithm 1 with the current line"],
  ["S", "save the picture as a PNG"], ["F", "present: the stage alone, larger"], ["+ −", "larger and smaller type"], ["D", "dark, light"], ["?", "this list"],
];
export const HELP = `<h3>Keys</h3><table>${KEYS.map(([keys, what]) => `<tr><th>${keys.split(" ").map((key) => `<kbd>${key}</kbd>`).join(" ")}</th><td>${what}</td></tr>`).join("")}</table>
  <p>They work while the stage has the focus: click into it. Hover a cell for its card; click one of the last column for its path. Click a true label to change it.</p>`;
