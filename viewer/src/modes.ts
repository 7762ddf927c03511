// SPDX-License-Identifier: Apache-2.0
// Small motions about a state: a table to choose from, and the one that is chosen, turning round.
import { App, type Kept } from "./app";
import type { Modes, Page } from "./data";
import { format, h } from "./dom";

const TURN = 2; // seconds that one turn of a swing is shown for

const words = {
  rigid: "rigid: moves on freely",
  still: "stays where it is put",
  swing: "swings",
  decay: "decays",
  grow: "grows",
};

/** The table of modes; choose is called with the number of the selected one. */
function tableOf(modes: Modes, chosen: number, choose: (k: number) => void): HTMLElement {
  const rows = modes.list.map((m, k) => {
    const button = h("button", { type: "button", class: "chip", "aria-pressed": String(k === chosen) }, `Mode ${k + 1}`);
    button.addEventListener("click", () => choose(k));
    const kind = m.doubtful ? "in doubt" : m.kind === "swing" && m.unstable ? "swings, and grows" : words[m.kind];
    return h("tr", {}, h("th", { scope: "row" }, button), h("td", {}, kind), h("td", {}, m.kind === "swing" ? format(m.frequency, 6) : "–"),
      h("td", {}, m.kind === "swing" ? format(m.damping, 3) : "–"), h("td", {}, format(m.re, 4)));
  });
  const heads: [string, string][] = [["Mode", ""], ["What it does", ""], ["Frequency", "Hz"], ["Damping", ""], ["Growth", "1/s"]];
  const rest = modes.count - modes.list.length;
  return h("div", { class: "stack" }, h("section", { class: "panel" },
    h("h3", {}, "Small motions"),
    h("p", { class: "lead" }, `${modes.dof} degrees of freedom, ${modes.count} modes`, rest > 0 ? `, ${rest} of them not on this page` : "",
      ". Shapes are enlarged, and shown without decay; what does not swing goes to and fro. A turn takes two seconds, the clock shows the mode's own time."),
    modes.notes.length > 0 ? h("ul", { class: "notices" }, ...modes.notes.map((n) => h("li", { class: "note" }, n))) : null,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Modes" },
      h("table", { class: "compare" },
        h("thead", {}, h("tr", {}, ...heads.map(([name, unit]) => h("th", { scope: "col" }, name, unit ? h("small", {}, ` ${unit}`) : null)))),
        h("tbody", {}, ...rows)))));
}

/** The page with mode k; another one is another App in its place, seen from the same side. */
export function showModes(root: HTMLElement, page: Page, shown: (app: App) => void, k = 0, kept: Kept = {}): void {
  const modes = page.modes!;
  const one: Page = { ...page, runs: page.runs.slice(k, k + 1), modes: undefined };
  let app: App | undefined = undefined;
  const table = tableOf(modes, k, (next) => {
    const { pose } = app!.kept;
    app!.dispose();
    showModes(root, page, shown, next, { pose, tab: "Modes", playing: true });
    root.querySelectorAll<HTMLButtonElement>(".compare .chip")[next]?.focus();
  });
  app = new App(root, one, kept, { name: "Modes", content: table });
  app.player.repeat(TURN);
  shown(app);
}
