/* Present mode, size of type, dark and light. */

export const TYPE = { least: 0.85, most: 1.6, step: 1.15, present: 1.25, design: 620 }; // sizes of type, 1 is normal; px of height the picture is drawn for
const PAPER = { dark: "#15181c", light: "#ffffff" };

export function looking(stage) {
  const { root, $, hold } = stage;
  /** The stage alone, larger; in full screen where the host allows that. */
  function present(on) {
    if (on === stage.presenting) return;
    stage.presenting = on;
    stage.press("present", on);
    root.classList.toggle("present", on);
    if (on && root.requestFullscreen) root.requestFullscreen().catch(() => {}); // refused: it fills the page instead
    if (!on && document.fullscreenElement) document.exitFullscreen();
    setType(on ? Math.max(stage.type, TYPE.present, innerHeight / TYPE.design) : 1);
    hold();
  }

  function setType(wanted) {
    stage.type = Math.max(TYPE.least, Math.min(TYPE.most, wanted));
    root.style.setProperty("--type", stage.type);
    stage.build();
  }

  function switchTheme() {
    root.style.setProperty("--paper", root.classList.contains("dark") ? PAPER.light : PAPER.dark);
    theme();
  }

  let shade = false;
  /** Dark or light is read off the background that the host's theme really paints. */
  function theme() {
    const rgb = getComputedStyle($(".probe")).backgroundColor.match(/[\d.]+/g) || [255, 255, 255];
    const dark = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 128;
    if (root.classList.toggle("dark", dark) === shade) return;
    [shade, stage.image] = [dark, null];
    if (stage.P && stage.G && stage.W) stage.draw(); // the image has the old colours
  }
  $(".probe").addEventListener("transitionend", theme);
  const leave = () => { if (stage.presenting && !document.fullscreenElement) present(false); };
  document.addEventListener("fullscreenchange", leave);

  Object.assign(stage, { present, setType, switchTheme, theme, leave });
}
