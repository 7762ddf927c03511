// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system has it, until a reader chooses.
import { h, icon } from "./dom";

const SUN = "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4";
const MOON = "M20 14.2A8.2 8.2 0 0 1 9.8 4 8.2 8.2 0 1 0 20 14.2";

const system = () => matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system().matches;
}

/** The button that switches; changed: the colours are others now, by it or by the system. */
export function themeButton(changed: () => void, signal?: AbortSignal): HTMLButtonElement {
  const button = h("button", { type: "button", class: "round", "aria-label": "Dark or light", title: "Dark or light (T)" });
  const show = () => button.replaceChildren(icon(isDark() ? SUN : MOON));
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
    changed();
  });
  system().addEventListener("change", () => {
    show();
    changed();
  }, { signal });
  show();
  return button;
}
