// Finished figures of Bokeh side by side, embedded when they come. `parts`: the JSON of each.
//
// They are documents of their own: the page has no models of them, and a visitor who never looks at them
// costs the server nothing.

const views = []

async function draw(place, parts) {
  views.splice(0).forEach((view) => view.remove())
  place.replaceChildren()
  for (const part of parts) {
    const box = document.createElement("div")
    place.append(box)
    const embedded = await Bokeh.embed.embed_item(JSON.parse(part), box)
    views.push(...embedded.roots.filter((view) => view.model.type === "Figure")) // Panel adds one of its own
  }
}

function render({ model, el }) {
  const place = document.createElement("div")
  place.className = "figures"
  el.append(place)
  let last = Promise.resolve() // one after the other: the latest wins
  const follow = () => (last = last.then(() => draw(place, model.get("parts"))))
  model.on("change:parts", follow)
  follow()
  globalThis.viterbiLabFigures = views // for the buttons that save them
}

export default { render }
