// SPDX-License-Identifier: Apache-2.0
import { App } from "./app";
import { parsePage } from "./data";
import { h } from "./dom";
import { followFile } from "./live";

declare global {
  interface Window {
    cardan?: { app: App };
  }
}

const root = document.getElementById("app")!;
try {
  const page = parsePage(document.getElementById("cardan-data")!.textContent ?? "");
  window.cardan = { app: new App(root, page) };
  if (page.live) {
    followFile(page.live, (next) => {
      const old = window.cardan!.app;
      const { kept } = old;
      const same = old.page.model && next.model && old.page.model.name === next.model.name;
      old.dispose();
      window.cardan = { app: new App(root, next, same ? kept : { tab: kept.tab }) };
    });
  }
} catch (error) {
  root.replaceChildren(h("p", { class: "nogl", role: "alert" }, "This page cannot be shown: its data is not whole.",
    h("small", {}, error instanceof Error ? error.message : String(error))));
}
