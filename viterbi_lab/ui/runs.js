// The table of runs: one row per run, its chip, the line and the points of its curves, a button that hides or shows the run in all charts.
// An anywidget module like the stage: Panel 1.9.4 mixes up the two kinds of components on one page.

const HEADS = ["Run", "Settings", "Passes", "Constraints", "Objective", "Gap", "Right labels", "Time", "Status"]
const NUMBERS = new Set([2, 3, 4, 5, 6, 7])
const DASHES = {solid: "none", dashed: "6 3", dotted: "2 3", dashdot: "6 3 2 3"}
const SHAPES = {
  circle: "M8 6a5 5 0 1 0 10 0a5 5 0 1 0-10 0", square: "M8.5 1.5h9v9h-9z", triangle: "M13 .5l5.5 10h-11z",
  diamond: "M13 0l5 6-5 6-5-6z", inverted_triangle: "M13 11.5l5.5-10h-11z", hex: "M10 1h6l3 5-3 5h-6l-3-5z",
}
const SVG = "http://www.w3.org/2000/svg"

function chip(row) {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("width", "26")
  svg.setAttribute("height", "12")
  svg.setAttribute("aria-hidden", "true")
  const line = document.createElementNS(SVG, "line")
  const set = {x1: 2, x2: 24, y1: 6, y2: 6, stroke: row.colour, "stroke-width": 2.5, "stroke-dasharray": DASHES[row.dash]}
  for (const [key, value] of Object.entries(set)) line.setAttribute(key, value)
  const point = document.createElementNS(SVG, "path")
  point.setAttribute("d", SHAPES[row.marker])
  point.setAttribute("fill", row.colour)
  svg.append(line, point)
  return svg
}

function render({model, el}) {
  const table = document.createElement("table")
  let presses = 0

  function toggle(row) {
    model.set("press", {serial: ++presses, run: row.number})
    model.save_changes()
  }

  function draw() {
    const head = document.createElement("thead")
    const headRow = head.insertRow()
    HEADS.forEach((name, i) => {
      const cell = document.createElement("th")
      cell.scope = "col"
      cell.textContent = name
      if (NUMBERS.has(i)) cell.className = "number"
      headRow.append(cell)
    })
    const body = document.createElement("tbody")
    for (const row of [...model.get("rows")].reverse()) {
      const tr = body.insertRow()
      tr.className = row.visible ? "" : "hidden"
      const button = document.createElement("button")
      const verb = row.visible ? "Hide" : "Show"
      button.setAttribute("aria-pressed", row.visible)
      button.setAttribute("aria-label", `${verb} run ${row.number + 1}`)
      button.title = `${verb} run ${row.number + 1} in the charts`
      button.append(chip(row), document.createTextNode(` ${row.number + 1}`))
      button.addEventListener("click", () => toggle(row))
      tr.insertCell().append(button)
      for (const [i, key] of ["settings", "passes", "constraints", "objective", "gap", "accuracy", "seconds", "status"].entries()) {
        const cell = tr.insertCell()
        cell.textContent = row[key]
        if (NUMBERS.has(i + 1)) cell.className = "number"
        if (key === "settings") cell.title = row.settings
      }
    }
    table.replaceChildren(head, body)
  }

  model.on("change:rows", draw)
  draw()
  el.append(table)
  return () => model.off("change:rows", draw)
}

export default {render}
