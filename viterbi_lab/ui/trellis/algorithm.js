/* Algorithm 1 of Bauer et al. 2014, condensed, and which of its lines a step is at. */

import { firstName, letter, objective } from "./cards.js";

/** Algorithm 1, condensed: [depth, line]. */
export function pseudocode(P, W, op, table) {
  const [j, cost] = P.window === 1 ? ["<i>j</i>", "[<i>j</i> ≠ <i>y</i><sub>t</sub>]"] : ["<b>j</b>", "cost of the newest label"];
  const first = P.window === 1 ? "1" : String(P.window);
  return [
    [0, `for each ${j}: <i>L</i><sub>${first},<i>k</i></sub>(${j}) ← ${firstName(P)}(${j}), <i>k</i> its wrong labels`],
    [0, `for <i>t</i> = ${P.window + 1} … ${P.T}`],
    [1, "for <i>k</i> = 0 … <i>t</i>, for each " + j],
    [2, `<i>c</i> ← ${cost}`],
    [2, `${letter("L", table)}<sub><i>t</i>,<i>k</i></sub>(${j}) ← ${table.word}<sub><i>i</i></sub> ${letter("L", table)}<sub><i>t</i>−1,<i>k</i>−<i>c</i></sub>(<i>i</i>${P.window > 1 ? ",…" : ""}) + <i>g</i><sub><i>t</i></sub>(<i>i</i>,${j})`],
    [2, `${letter("S", table)}<sub><i>t</i>,<i>k</i></sub>(${j}) ← the smallest <i>i</i> that attains it`],
    [0, `<i>k</i>, ${j} ← argmax<sub><i>k</i>,${j}</sub> ${objective(P, op, "<i>T</i>,<i>k</i>")}${W.minima ? ", with <i>L</i><sup>min</sup> where <i>h</i>(<i>k</i>) &lt; 0" : ""}`],
    [0, `for <i>t</i> = ${P.T} … ${P.window + 1}: note ${j}, then`],
    [1, `<i>i</i> ← <i>S</i><sub><i>t</i>,<i>k</i></sub>(${j}), <i>k</i> ← <i>k</i> − <i>c</i>, ${j} ← <i>i</i>`],
  ];
}

/** Which of its lines the step is at, from 0. */
export function linesAt(P, pos, part) {
  if (pos === 0) return [];
  if (pos <= P.cells) return P.cell(pos).t === P.start ? [0] : part < P.N ? [4] : [4, 5];
  return pos === P.maximise ? [6] : [8];
}
