/* Numbers and texts as people read them. */

export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const signed = (text) => text.replaceAll("-", "−").replace("Infinity", "∞");
export const sub = (text) => `<sub>${text}</sub>`;

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
const power = (value, digits) => value.toExponential(digits).replace(/\.?0*e\+?/, "e");

/** A number as people write it: at most `digits` decimals, but two digits of a small one; never 0 for what is none. */
export function show(value, digits = 2) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return signed(String(value + 0));
  if (size >= 1e6 || size < 1e-4) return signed(power(value, 1));
  return signed(trimmed(value.toFixed(Math.max(digits, 1 - Math.floor(Math.log10(size))))));
}

export const wide = (text) => text.length - 0.5 * text.split(".").length + 0.5; // in digits

/** The same where there is room for so many digits only: fewer decimals, no 0 before the point, at last ≈0. */
export function fit(value, room) {
  const exact = show(value);
  if (wide(exact) <= room || !Number.isFinite(value)) return exact;
  const shorter = [1, 0].map((digits) => trimmed(value.toFixed(digits))).filter(Number);
  shorter.push(...[2, 1].map((digits) => trimmed(value.toFixed(digits)).replace(/^(-?)0\./, "$1.")), power(value, 0));
  const found = shorter.find((text) => Number(text) && wide(text) <= room);
  return found ? signed(found) : Math.abs(value) < 1 ? "≈0" : signed(power(value, 0));
}

export const plus = (value) => (value < 0 ? `− ${show(-value)}` : `+ ${show(value)}`);
export const braced = (value) => (value < 0 ? `(${show(value)})` : show(value));

/** Left edge and width, in percent, of a bar that starts at zero. */
export function extent(value, low, high) {
  const [a, b] = [Math.min(low, 0), Math.max(high, 0)];
  const span = b - a || 1;
  return { left: (100 * (Math.min(value, 0) - a)) / span, width: Math.max(1, (100 * Math.abs(value)) / span) };
}
