/* The stage as it stands, as a PNG. */

export function saving(stage) {
  const { root, $ } = stage;
  /** The stage as it stands, at twice its size, as a PNG: its elements inside an SVG that the browser draws. */
  async function save() {
    const shown = root.querySelector(".body");
    const { offsetWidth: width, offsetHeight: height } = shown;
    const copy = root.cloneNode(false);
    copy.append(shown.cloneNode(true));
    for (const canvas of shown.querySelectorAll("canvas")) {
      const place = copy.querySelector("canvas");
      if (!canvas.width || !canvas.height) {
        place.remove(); // nothing is drawn on it
        continue;
      }
      const picture = Object.assign(document.createElement("img"), { src: canvas.toDataURL(), className: canvas.className });
      picture.style.cssText = canvas.style.cssText;
      place.replaceWith(picture);
    }
    const seen = getComputedStyle(root);
    copy.style.cssText = `--paper:${getComputedStyle($(".probe")).backgroundColor};zoom:1;position:static;padding:0;width:${width}px;height:${height}px;min-height:0;font-family:${seen.fontFamily.replaceAll('"', "'")}`;
    const home = root.getRootNode();
    const rules = [...home.styleSheets, ...(home.adoptedStyleSheets || [])].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).filter((text) => text.includes(".vl"));
    const style = document.createElement("style");
    style.textContent = rules.join("\n");
    copy.prepend(style);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${new XMLSerializer().serializeToString(copy)}</foreignObject></svg>`;
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
    try {
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = getComputedStyle($(".probe")).backgroundColor;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
      const link = Object.assign(document.createElement("a"), { href: canvas.toDataURL("image/png"), download: "trellis.png" });
      link.click();
      stage.announce("Saved as trellis.png");
    } catch (error) {
      stage.announce("This browser cannot save the picture. Export it as SVG instead.");
      console.warn(error);
    }
  }

  Object.assign(stage, { save });
}
