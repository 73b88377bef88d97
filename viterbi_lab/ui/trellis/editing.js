/* The scores g under their columns, and edits as wishes of the reader. A grid is never rebuilt while somebody
 * types into one of the same shape. */

import { escape, fit, show, sub, wide } from "./values.js";
import { asObject, candidates } from "./problem.js";
import { firstName } from "./cards.js";

/** The scores of column t as blocks of rows (leaving label i) and columns (new label j). */
function gridOf(P, t) {
  const labels = P.labels;
  const all = Array.from({ length: P.N }, (_, j) => j);
  const middle = P.window === 1 ? 1 : P.N ** (P.window - 2);
  const heads = (count, digitsOf) => Array.from({ length: count }, (_, r) => Array.from({ length: digitsOf }, (_, age) => labels[Math.floor(r / P.N ** age) % P.N]));
  if (t === P.start) {
    const name = P.window === 1 ? `g${sub(1)}` : firstName(P);
    const rows = (r) =>
      P.window === 1
        ? [{ head: "", cells: all.map((j) => ({ index: j, value: P.first[j], args: labels[j] })) }]
        : all.map((i) => ({ head: labels[i], cells: all.map((j) => { const s = i + P.N * r + P.keep * j; return { index: s, value: P.first[s], args: P.args(s) }; }) }));
    return { t, name, kind: "first", blocks: heads(middle, P.window - 2).map((head, r) => ({ head, rows: rows(r) })) };
  }
  const rows = (r) =>
    all.map((i) => ({
      head: labels[i],
      cells: all.map((j) => {
        const s = r + P.keep * j;
        const index = ((t - P.window) * P.states + s) * P.N + i;
        return { index, value: P.steps[index], args: [labels[i], ...P.tuple(s).map((n) => labels[n])].join(", "), i, s };
      }),
    }));
  return { t, name: `g${sub(t + 1)}`, kind: "step", blocks: heads(P.keep, P.window - 1).map((head, r) => ({ head, rows: rows(r) })) };
}

const inputRoom = (width, em) => (width - 4) / (13 * em); // digits of 13 px

function gridHtml(P, grid, width, editable, em) {
  const block = ({ head, rows }) => {
    const caption = head.length ? `<span class="mid">(<i>i</i>, ${escape(head.join(", "))}, <i>j</i>)</span>` : "";
    const top = P.labels.map((l, j) => `<span class="to${j === P.y[grid.t] ? " right" : ""}">${escape(l)}</span>`).join("");
    const lines = rows.map(({ head: i, cells }) => `<span class="from">${escape(i)}</span>` + cells.map((c) => `<input type="text" inputmode="decimal" spellcheck="false" autocomplete="off" ${editable ? "" : "readonly"} data-kind="${grid.kind}" data-index="${c.index}" aria-label="g ${grid.t + 1} (${escape(c.args)})" value="${fit(c.value, inputRoom(width, em))}">`).join(""));
    return `<div class="block" style="grid-template-columns:14px repeat(${P.N},${width}px)">${caption}<span></span>${top}${lines.join("")}</div>`;
  };
  return `<b class="name"><i>${grid.name}</i></b>${grid.blocks.map(block).join("")}`;
}

export function editing(stage) {
  const { model, root, write, deepFocus, grids } = stage;
  let serial = 0, waiting = null, ownGrid = null;
  let shape = "", inputs = new Map(), lit = [], typing = null, inputWidth = 30; // px
  function buildGrids() {
    const t = ownGrid === null ? currentSite() : ownGrid;
    const next = [stage.P.T, stage.P.N, stage.P.window, stage.mode, stage.mode === "one" ? t : "", stage.P.labels.join(), model.get("editable")].join("|");
    if (next !== shape) {
      shape = next;
      const can = model.get("editable") !== false;
      if (stage.mode === "under") {
        inputWidth = 30; // until placed
        grids.innerHTML = Array.from({ length: stage.P.T }, (_, at) => `<div class="grid" data-t="${at}">${gridHtml(stage.P, gridOf(stage.P, at), inputWidth, can, stage.em)}</div>`).join("");
      } else {
        const cells = stage.P.keep * stage.P.N;
        inputWidth = Math.max(26, Math.min(46, (grids.clientWidth - 190 - 20 * stage.P.keep) / cells));
        const what = t === stage.P.start ? "scores of the first labels" : `row: label at t = ${t + 1 - stage.P.window} · column: label at t = ${t + 1}`;
        grids.innerHTML = `<div class="pager"><button type="button" data-grid="-1" aria-label="Scores of the previous site">‹</button><span><i>t</i> = ${t + 1}</span><button type="button" data-grid="1" aria-label="Scores of the next site">›</button><small>${what}</small></div>
          <div class="grid" data-t="${t}">${gridHtml(stage.P, gridOf(stage.P, t), inputWidth, can, stage.em)}</div>`;
      }
      grids.className = `grids ${stage.mode}${stage.P.window > 1 ? " deep" : ""}`;
      grids.style.setProperty("--rows", Math.max(3, stage.P.N));
      grids.style.setProperty("--row", stage.P.N > 4 ? "18px" : "21px");
      inputs = new Map(Array.from(grids.querySelectorAll("input"), (input) => [`${input.dataset.kind}${input.dataset.index}`, input]));
      lit = [];
      complain(null);
    }
    for (const input of inputs.values()) if (input !== typing && !input.classList.contains("bad")) restore(input);
  }

  /** Under their columns, or pushed aside just enough to stay within the stage. */
  function placeGrids() {
    const under = grids.classList.contains("under");
    if (under) inputWidth = Math.min(longest() > inputRoom(34, stage.em) ? 46 : 34, (stage.G.gap - 40) / stage.P.N);
    else if (root.classList.contains("beside")) inputWidth = Math.min(46, 280 / stage.P.N);
    else return;
    for (const grid of grids.querySelectorAll(".grid")) {
      for (const block of grid.querySelectorAll(".block")) block.style.gridTemplateColumns = `14px repeat(${stage.P.N},${inputWidth}px)`;
      if (under) grid.style.left = `${stage.G.x(Number(grid.dataset.t)) - (stage.P.N * inputWidth) / 2 - 18}px`; // 18: name and row labels
    }
    for (const input of inputs.values()) if (input !== typing && !input.classList.contains("bad")) restore(input);
  }

  const longest = () => [...stage.P.first, ...stage.P.steps].reduce((most, g) => Math.max(most, wide(show(g))), 0);
  const currentSite = () => (stage.pos > 0 && stage.pos <= stage.P.cells ? stage.P.cell(stage.pos).t : stage.pos === 0 ? stage.P.start : stage.P.T - 1);
  const stored = (input) => (input.dataset.kind === "first" ? stage.P.first : stage.P.steps)[input.dataset.index];

  function lightGrid(cell, upto) {
    const site = cell ? cell.t : currentSite();
    if (grids.classList.contains("one") && ownGrid === null && Number(grids.querySelector(".grid").dataset.t) !== site && !grids.contains(deepFocus())) {
      ownGrid = site;
      buildGrids();
      ownGrid = null;
    }
    for (const input of lit) input.classList.remove("used", "winner");
    lit = [];
    const use = (input, winner) => {
      if (!input) return;
      input.classList.add("used");
      input.classList.toggle("winner", winner);
      lit.push(input);
    };
    const step = ({ t, s }, i) => inputs.get(`step${((t - stage.P.window) * stage.P.states + s) * stage.P.N + i}`);
    if (!cell) {
      for (const reached of stage.pos > stage.P.maximise ? stage.path.cells.slice(0, stage.pos - stage.P.maximise) : [])
        use(reached.t === stage.P.start ? inputs.get(`first${reached.s}`) : step(reached, stage.path.y[reached.t - stage.P.window]), true);
      return;
    }
    const rows = candidates(stage.P, cell);
    if (!rows) return use(inputs.get(`first${cell.s}`), true);
    for (const row of rows.slice(0, upto)) use(step(cell, row.i), row.winner && upto === stage.P.N);
  }

  function ask(wish, input) {
    waiting = input || null;
    write("edit", { serial: ++serial, ...wish });
  }

  function apply(input) {
    const text = input.value.trim();
    if (text === written(input) || text === String(stored(input))) return undo(input);
    typing = null;
    ask({ kind: input.dataset.kind, index: Number(input.dataset.index), text }, input);
  }

  const written = (input) => fit(stored(input), inputRoom(inputWidth, stage.em));
  const restore = (input) => { input.value = input === deepFocus() ? String(stored(input)) : written(input); };

  function undo(input) {
    typing = null;
    restore(input);
    input.classList.remove("bad");
    complain(null);
  }

  function complain(input, text) {
    grids.querySelectorAll(".error").forEach((bubble) => bubble.remove());
    if (!input) return;
    input.classList.add("bad");
    const bubble = document.createElement("div");
    bubble.className = "error";
    bubble.setAttribute("role", "alert");
    bubble.textContent = text;
    grids.appendChild(bubble);
    const [a, b] = [input.getBoundingClientRect(), grids.getBoundingClientRect()];
    bubble.style.left = `${Math.max(4, Math.min(b.width / stage.type - bubble.offsetWidth - 4, (a.left - b.left) / stage.type - 8))}px`;
    bubble.style.top = `${(a.top - b.top) / stage.type - bubble.offsetHeight - 4}px`;
  }

  function answered() {
    const reply = asObject(model.get("reply"));
    if (reply.serial !== serial) return;
    stage.landed();
    if (reply.error) return waiting ? complain(waiting, reply.error) : stage.say(reply.error);
    if (waiting) waiting.classList.remove("bad"); // the new value comes with the new problem
    complain(null);
    waiting = null;
  }

  function neighbour(input, key) {
    const here = input.getBoundingClientRect();
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null, least = Infinity;
    for (const other of inputs.values()) {
      const there = other.getBoundingClientRect();
      const [x, y] = [there.left - here.left, there.top - here.top];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 4 && across < 4 && along < least) [best, least] = [other, along];
    }
    return best;
  }

  grids.addEventListener("focusin", ({ target }) => {
    if (target.tagName !== "INPUT") return;
    if (!target.classList.contains("bad")) target.value = String(stored(target));
    target.select();
  });
  grids.addEventListener("input", ({ target }) => { typing = target; });
  grids.addEventListener("focusout", ({ target }) => { if (target.tagName === "INPUT") apply(target); });
  grids.addEventListener("keydown", (event) => {
    const input = event.target;
    if (input.tagName !== "INPUT") return;
    event.stopPropagation();
    if (event.key === "Enter") apply(input);
    else if (event.key === "Escape") { undo(input); input.select(); }
    else if (event.key.startsWith("Arrow")) {
      const inside = event.key === "ArrowLeft" ? input.selectionStart > 0 : event.key === "ArrowRight" ? input.selectionEnd < input.value.length : false;
      const whole = input.selectionStart === 0 && input.selectionEnd === input.value.length;
      const other = inside && !whole ? null : neighbour(input, event.key);
      if (!other) return;
      event.preventDefault();
      other.focus();
    }
  });
  grids.addEventListener("click", ({ target }) => {
    const turn = target.closest("[data-grid]");
    if (!turn) return;
    const shown = Number(grids.querySelector(".grid").dataset.t) + Number(turn.dataset.grid);
    ownGrid = Math.max(stage.P.start, Math.min(stage.P.T - 1, shown));
    buildGrids();
    ownGrid = null;
  });

  Object.assign(stage, { buildGrids, placeGrids, currentSite, lightGrid, ask, answered });
}
