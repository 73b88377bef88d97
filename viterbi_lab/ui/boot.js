// The program is trellis.js and trellis.css, packed by gzip and written in base 85 (five letters are four bytes).
// Nothing is fetched.
async function unpacked() {
  const letters = document.getElementById("program").textContent;
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  const whole = new DataView(new ArrayBuffer(Math.ceil(letters.length / 5) * 4));
  for (let at = 0; at < letters.length; at += 5) whole.setUint32((at / 5) * 4, [...letters.slice(at, at + 5).padEnd(5, "~")].reduce((n, letter) => n * 85 + alphabet.indexOf(letter), 0));
  const packed = whole.buffer.slice(0, Math.floor((letters.length * 4) / 5));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
// Draws the stage of a model in <main>. Without the program what stands there stays.
async function draw(model) {
  const { js, css } = await unpacked();
  window.stageModel = model;
  const style = document.createElement("style");
  style.textContent = css;
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = js + '\nconst el = document.querySelector("main"); el.textContent = ""; render({ model: window.stageModel, el }); el.firstChild.focus();';
  document.head.append(style, script);
}
