/*
 * Draws a scene of the Tasks view and moves a cursor over its steps, all in the browser.
 *
 * It knows nothing of taxonomies, alignments or parses: Python says what stands where, what each step uses
 * and what the card tells (viterbi_lab/ui/scenes/scene.py). What it asks for is the anywidget model:
 *   scene   JSON text, {title, width, height, boxes, links, steps, answer, joined, verdict}
 *   step    steps done so far, written after every move, read when somebody else sets it
 *   dark    whether the page is dark
 */

const SVG = "http://www.w3.org/2000/svg"
const TICK = 700 // ms a step while playing
const NARROW = 760 // px; below that the card stands under the picture

const element = (name, set = {}, text = "") => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(set)) made.setAttribute(key, value)
  if (text !== "") made.textContent = text
  return made
}

const drawn = (name, set = {}, text = "") => {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(set)) made.setAttribute(key, value)
  if (text !== "") made.textContent = text
  return made
}

/** A curve from the lower edge of one box to the upper edge of another, whichever stands higher. */
function curve(a, b) {
  const [top, low] = a.y <= b.y ? [a, b] : [b, a]
  const [x1, y1, x2, y2] = [top.x + top.w / 2, top.y + top.h, low.x + low.w / 2, low.y]
  if (y2 < y1) return `M${a.x + a.w / 2} ${a.y + a.h / 2} L${b.x + b.w / 2} ${b.y + b.h / 2}`
  const middle = (y1 + y2) / 2
  return `M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`
}

function render({ model, el }) {
  const root = element("div", { class: "scene", tabindex: "0", role: "group" })
  const bar = element("div", { class: "bar" })
  const heading = element("div", { class: "question" })
  const picture = element("div", { class: "picture" })
  const card = element("div", { class: "card", role: "status", "aria-live": "polite" })
  const body = element("div", { class: "body" })
  body.append(picture, card)
  root.append(bar, heading, body)
  el.append(root)

  let scene = null
  let step = 0
  let parts = []
  let joins = []
  let timer = null

  const buttons = {}
  const moves = [
    ["first", "|◀", "First step", () => go(0)],
    ["back", "◀", "Previous step", () => go(step - 1)],
    ["play", "▶ Play", "Play", () => play()],
    ["next", "▶", "Next step", () => go(step + 1)],
    ["phase", "▶▶", "Next part", () => go(nextPhase())],
    ["last", "▶|", "Result", () => go(scene.steps.length)],
  ]
  for (const [name, sign, label, act] of moves) {
    buttons[name] = element("button", { type: "button", "aria-label": label, title: label, class: name }, sign)
    buttons[name].addEventListener("click", () => {
      if (name !== "play") stop()
      act()
    })
    bar.append(buttons[name])
  }
  const slider = element("input", { type: "range", min: "0", value: "0", "aria-label": "Step" })
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)) })
  const counter = element("span", { class: "counter" })
  bar.append(slider, counter)

  function nextPhase() {
    const now = scene.steps[Math.max(step - 1, 0)].phase
    let s = step
    while (s < scene.steps.length && (s === step || scene.steps[s].phase === now)) s += 1
    if (step === 0) { s = 1; while (s < scene.steps.length && scene.steps[s].phase === scene.steps[0].phase) s += 1 }
    return s
  }

  function stop() {
    clearInterval(timer)
    timer = null
    buttons.play.textContent = "▶ Play"
  }

  function play() {
    if (timer) return stop()
    if (step >= scene.steps.length) go(0)
    buttons.play.textContent = "❚❚ Pause"
    timer = setInterval(() => {
      go(step + 1)
      if (step >= scene.steps.length) stop()
    }, TICK)
  }

  function go(to, told = false) {
    step = Math.max(0, Math.min(to, scene.steps.length))
    show()
    if (!told) {
      model.set("step", step)
      model.save_changes()
    }
  }

  function build() {
    const text = model.get("scene")
    if (!text) return
    const before = scene
    scene = JSON.parse(text)
    stop()
    heading.textContent = scene.title
    root.setAttribute("aria-label", scene.title)
    slider.max = String(scene.steps.length)
    const svg = drawn("svg", { viewBox: `-3 -3 ${scene.width + 6} ${scene.height + 6}`, role: "img", "aria-label": scene.title })
    svg.style.maxWidth = `${scene.width * 1.5}px`
    svg.style.aspectRatio = `${scene.width + 6} / ${scene.height + 6}`
    for (const [a, b] of scene.links) svg.append(drawn("path", { class: "link", d: curve(scene.boxes[a], scene.boxes[b]) }))
    joins = scene.joined.map(([a, b]) => {
      const line = drawn("path", { class: "joined", d: curve(scene.boxes[a], scene.boxes[b]) })
      svg.append(line)
      return line
    })
    const stepOf = new Map(scene.steps.map((s, i) => [s.box, i]))
    parts = scene.boxes.map((box, number) => {
      const group = drawn("g", { class: `box ${box.style}${box.truth ? " truth" : ""}` })
      const radius = box.style === "cell" || box.style === "letter" ? 0 : 6
      const inset = box.truth && box.style === "cell" ? 1.5 : 0 // else the frame lies under the next cell
      group.append(drawn("rect", { x: box.x + inset, y: box.y + inset, width: box.w - 2 * inset, height: box.h - 2 * inset, rx: radius }))
      const middle = box.x + box.w / 2
      const two = box.sub !== "" && box.h > 40
      const main = drawn("text", { x: middle, y: box.y + box.h * (two ? 0.34 : 0.52) }, box.text)
      group.append(main)
      let sub = null
      if (two) {
        sub = drawn("text", { x: middle, y: box.y + box.h * 0.74, class: "sub" }, box.sub)
        group.append(sub)
      }
      if (box.truth) group.append(drawn("title", {}, "part of the true output"))
      if (stepOf.has(number)) {
        group.addEventListener("click", () => { stop(); go(stepOf.get(number) + 1) })
        group.addEventListener("pointerenter", () => peek(stepOf.get(number)))
        group.addEventListener("pointerleave", () => show())
      }
      svg.append(group)
      return { group, main, sub, box }
    })
    picture.replaceChildren(svg)
    // the same picture with other numbers keeps the cursor; another one begins anew
    if (!before) go(model.get("step"), true)
    else if (before.steps.length === scene.steps.length) show()
    else go(0)
  }

  function light(current) {
    const decided = step >= scene.steps.length
    const uses = new Set(current ? current.uses : [])
    const wins = new Set(current ? current.wins : [])
    const answer = new Set(decided ? scene.answer : [])
    parts.forEach(({ group, main, sub, box }, number) => {
      const known = box.at <= step
      group.classList.toggle("soon", !known)
      group.classList.toggle("now", Boolean(current) && current.box === number)
      group.classList.toggle("uses", uses.has(number) && !wins.has(number))
      group.classList.toggle("wins", wins.has(number))
      group.classList.toggle("answer", answer.has(number))
      if (box.style === "cell" || box.style === "chip") main.style.visibility = known ? "visible" : "hidden"
      if (sub) sub.style.visibility = known ? "visible" : "hidden"
    })
    for (const line of joins) line.classList.toggle("on", decided)
  }

  function show() {
    if (!scene) return
    const current = step > 0 ? scene.steps[step - 1] : null
    light(current)
    slider.value = String(step)
    counter.textContent = current ? `${current.phase} · ${step}/${scene.steps.length}` : `0/${scene.steps.length}`
    buttons.back.disabled = buttons.first.disabled = step === 0
    buttons.next.disabled = buttons.last.disabled = buttons.phase.disabled = step >= scene.steps.length
    tell(current, false)
  }

  function peek(number) {
    light(scene.steps[number])
    tell(scene.steps[number], true)
  }

  function tell(current, peeked) {
    card.classList.toggle("peek", peeked)
    if (!current) {
      card.replaceChildren(
        element("h3", {}, "Ready"),
        element("p", { class: "note" }, "Step with → or the buttons; green frames are the true output. Point at what is filled to see why."),
      )
      return
    }
    const told = current.card
    const head = element("h3", {}, told.title)
    const made = [head]
    if (told.chip) made.push(element("p", { class: "chip" }, told.chip))
    made.push(element("p", { class: "formula" }, told.formula))
    const table = element("table")
    const row = element("tr")
    for (const column of told.columns) row.append(element("th", { scope: "col" }, column))
    table.append(row)
    told.rows.forEach((cells, r) => {
      const line = element("tr", { class: r === told.winner ? "win" : "" })
      cells.forEach((text, c) => line.append(element("td", {}, c === cells.length - 1 && r === told.winner ? `${text} ←` : text)))
      table.append(line)
    })
    made.push(table, element("p", { class: "result" }, told.result))
    card.replaceChildren(...made)
  }

  root.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement) return
    const acts = {
      ArrowRight: () => go(event.shiftKey ? nextPhase() : step + 1),
      ArrowLeft: () => go(step - 1),
      Home: () => go(0),
      End: () => go(scene.steps.length),
      " ": () => play(),
    }
    if (!acts[event.key] || !scene) return
    if (event.key !== " ") stop()
    acts[event.key]()
    event.preventDefault()
  })

  const watcher = new ResizeObserver(() => {
    if (!root.isConnected) return // the page is taken apart
    const narrow = root.classList.toggle("narrow", root.clientWidth < NARROW)
    root.getRootNode().host.style.minHeight = narrow ? `${root.offsetHeight}px` : "" // the page makes room for the card
  })
  watcher.observe(root)
  const told = () => { if (scene && model.get("step") !== step) go(model.get("step"), true) }
  const shade = () => root.classList.toggle("dark", Boolean(model.get("dark")))
  shade()
  model.on("change:dark", shade)
  model.on("change:scene", build)
  model.on("change:step", told)
  build()
  return () => {
    stop()
    watcher.disconnect()
    model.off("change:dark", shade)
    model.off("change:scene", build)
    model.off("change:step", told)
  }
}

export default { render }
