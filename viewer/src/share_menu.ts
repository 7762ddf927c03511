// SPDX-License-Identifier: Apache-2.0
// What can be sent: a link to what is seen, a picture, a film, the numbers; and a printed page.
import type { Run } from "./data";
import { h } from "./dom";
import { canWebm, filmGif, filmWebm, paintStill, type Actor, type Making } from "./film";
import { fileName, runCsv, save } from "./share";

export interface ShareHost {
  name: string;
  actor?: Actor; // undefined: nothing is drawn
  runs: Run[];
  time(): number;
  range(): [number, number];
  link(embed: boolean): string;
  hold(on: boolean): void; // the page draws nothing itself while a film is made
  closed: AbortSignal; // of the page
}

type Maker = (actor: Actor, making: Making) => Promise<Blob>;

/** A film, with how far it is and a button to give it up, in a box; one at a time. */
async function filmed(host: ShareHost, ending: string, make: Maker, box: HTMLElement, buttons: HTMLButtonElement[]): Promise<void> {
  const stop = new AbortController();
  const cancel = h("button", { type: "button", class: "chip" }, "Cancel");
  const share = h("progress", { max: "1", value: "0", "aria-label": `How much of the ${ending} is made` });
  cancel.addEventListener("click", () => stop.abort());
  host.closed.addEventListener("abort", () => stop.abort(), { once: true, signal: stop.signal });
  box.replaceChildren(share, cancel);
  buttons.forEach((b) => (b.disabled = true));
  host.hold(true);
  try {
    save(fileName(host.name, ending), await make(host.actor!, { said: (s) => (share.value = s), signal: stop.signal }));
  } catch (error) {
    if (!stop.signal.aborted) {
      throw error;
    }
  } finally {
    box.replaceChildren();
    buttons.forEach((b) => (b.disabled = false));
    host.hold(false);
  }
}

export function shareMenu(host: ShareHost): HTMLElement {
  const said = h("p", { role: "status" });
  const films: HTMLButtonElement[] = [];
  const item = (label: string, title: string, act: () => void | Promise<void>) => {
    const button = h("button", { type: "button", class: "chip", title }, label);
    button.addEventListener("click", () => void Promise.resolve(act()).catch((e) => (said.textContent = `That did not work: ${e instanceof Error ? e.message : e}`)));
    return button;
  };
  const making = h("div", { class: "making" });
  const film = (ending: string, make: Maker) => () => filmed(host, ending, make, making, films);
  const copy = (embed: boolean) => async () => {
    const link = host.link(embed);
    field.value = link;
    field.hidden = false;
    field.select();
    await navigator.clipboard?.writeText(link).then(() => (said.textContent = "The link is copied."), () => (said.textContent = "Copy the link above."));
  };
  const field = h("input", { type: "text", readonly: true, hidden: true, "aria-label": "Link" });
  const { actor } = host;
  if (actor && actor.end > 0) {
    films.push(item("GIF", "The motion, at the speed of the player", film("gif", filmGif)));
  }
  if (actor && actor.end > 0 && canWebm()) {
    films.push(item("WebM", "The motion, recorded while it plays", film("webm", filmWebm)));
  }
  const items = [
    item("Link", "To this time, camera, selection and plots", copy(false)),
    item("Embed", "A link to the motion alone, for a frame in another page", copy(true)),
    actor ? item("Picture", "What is seen, as PNG", () => paintStill(actor, host.time()).toBlob((blob) => blob && save(fileName(host.name, "png"), blob))) : null,
    ...films,
    ...host.runs.slice(0, 8).map((run) => item(host.runs.length > 1 ? `CSV of ${run.label}` : "CSV", "All columns, in the range of the plots",
      () => save(fileName(`${host.name} ${run.label}`, "csv"), new Blob([runCsv(run, ...host.range())], { type: "text/csv" })))),
    item("Print", "Picture, plots and facts on paper", () => window.print()),
  ];
  const menu = h("details", { class: "share" }, h("summary", { class: "chip" }, "Share"), h("div", { class: "menu" }, ...items, field, making, said));
  menu.addEventListener("keydown", (e) => {
    if (e.key === "Escape") {
      menu.open = false;
      e.stopPropagation();
    }
  });
  return menu;
}
