// SPDX-License-Identifier: Apache-2.0
import { App } from "./app";
import { parseAnyPage, type Page } from "./data";
import { h } from "./dom";
import { followFile } from "./live";
import { showModes } from "./modes";
import { unpack } from "./pack";
import { PaperView } from "./reproduction";
import { SweepView } from "./sweep";
import type { SweepPage } from "./sweep_data";
import { Values } from "./values";

declare global {
  interface Window {
    cardan?: { app: App | PaperView | SweepView };
  }
}

/** A model with its runs; one that is being edited is rebuilt with every change. What was last whole
 * stays, dimmed, while the text has a fault. */
function showModel(root: HTMLElement, page: Page): void {
  let app = new App(root, page);
  let good = page.fault ? undefined : page;
  window.cardan = { app };
  if (!page.live) {
    return;
  }
  const values = new Values(page.live.replace(/data\?.*/, "set"));
  document.body.append(values.root);
  values.update(page);
  followFile(page.live, (text) => {
    const other = parseAnyPage(text);
    if ("reproduction" in other || "sweep" in other) {
      location.reload();
      return;
    }
    good = other.fault ? good : other;
    const next = { ...(other.fault && good ? { ...good, fault: other.fault, text: other.text } : other), live: page.live };
    const { kept } = app;
    const same = app.page.model && next.model && app.page.model.name === next.model.name;
    app.dispose();
    app = new App(root, next, same ? kept : { tab: kept.tab });
    window.cardan = { app };
    values.update(next);
  });
}

/** The cases of a sweep; of a file that is rewritten, those of the new one. */
function showSweep(root: HTMLElement, page: SweepPage): void {
  let app = new SweepView(root, page);
  window.cardan = { app };
  if (page.live) {
    followFile(page.live, (text) => {
      const next = parseAnyPage(text);
      if (!("sweep" in next)) {
        location.reload();
        return;
      }
      app.dispose();
      app = new SweepView(root, { ...next, live: page.live });
      window.cardan = { app };
    });
  }
}

async function show(root: HTMLElement): Promise<void> {
  const page = parseAnyPage(await unpack(document.getElementById("cardan-data")!.textContent ?? ""));
  if ("reproduction" in page) {
    window.cardan = { app: new PaperView(root, page) };
  } else if ("sweep" in page) {
    showSweep(root, page);
  } else if (page.modes && page.runs.length > 0) {
    showModes(root, page, (app) => (window.cardan = { app }));
  } else {
    showModel(root, page);
  }
}

const root = document.getElementById("app")!;
show(root).catch((error: unknown) => {
  root.replaceChildren(h("p", { class: "nogl", role: "alert" }, "This page cannot be shown: its data is not whole.",
    h("small", {}, error instanceof Error ? error.message : String(error))));
});
