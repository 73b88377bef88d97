/*
 * The address of the page. What stands behind its ? says where the reader is, so that Back, Forward, reload
 * and a copied link lead there.
 *
 *   heard   {serial, query}           written here: the reader went back or forward
 *   place   {serial, leaving, query, push}   a new place; `leaving` is the old one with its last step
 *   copy    {serial, query}           to be put on the clipboard as a whole address
 *
 * It is not behind a #: Panel answers a new one by pushing it once more, which cuts off the way forward.
 */

const KEPT = ["hide", "theme"]; // not a place, but how it is shown

const CSS = `
.note { position: fixed; z-index: 9999; right: 12px; top: 54px; display: none; gap: 8px; align-items: center; padding: 8px 12px; border-radius: 8px;
  background: var(--panel-on-background-color, #1b1f24); color: var(--panel-background-color, #ffffff); font: 14px Inter, Roboto, system-ui, sans-serif; }
.note.on { display: flex; }
.note input { width: 420px; font: inherit; }`;

function render({ model, el }) {
  el.innerHTML = `<style>${CSS}</style><div class="note" role="status"><span></span><input readonly aria-label="Link" hidden></div>`;
  const [note, words, field] = [".note", ".note span", ".note input"].map((selector) => el.querySelector(selector));
  const asObject = (value) => (value instanceof Map ? Object.fromEntries(value) : value || {});
  function whole(query) {
    const kept = [...new URLSearchParams(location.search)].filter(([name]) => KEPT.includes(name));
    return `${location.pathname}?${query}${kept.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("")}`;
  }

  let serial = 0;
  function hear() {
    model.set("heard", { serial: ++serial, query: location.search.slice(1) });
    model.save_changes();
  }

  function arrive() {
    const { leaving, query, push } = asObject(model.get("place"));
    if (push) history.replaceState(null, "", whole(leaving));
    if (push) history.pushState(null, "", whole(query));
    else if (query) history.replaceState(null, "", whole(query));
  }
  model.on("change:place", arrive);

  let telling = 0;
  function tell(text, link) {
    words.textContent = text;
    field.hidden = !link;
    field.value = link || "";
    note.classList.add("on");
    if (link) field.select();
    clearTimeout(telling);
    telling = setTimeout(() => note.classList.remove("on"), link ? 20000 : 2500);
  }

  model.on("change:copy", () => {
    const link = location.origin + whole(asObject(model.get("copy")).query);
    const byHand = () => tell("The browser refused the clipboard. Copy it here:", link);
    if (!navigator.clipboard) return byHand();
    navigator.clipboard.writeText(link).then(() => tell("Link copied"), byHand);
  });

  addEventListener("popstate", hear);
  arrive();
  return () => removeEventListener("popstate", hear);
}

export default { render };
