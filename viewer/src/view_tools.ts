// SPDX-License-Identifier: Apache-2.0
// Buttons and keys of the camera.
import { h } from "./dom";
import type { Preset } from "./camera";
import type { View } from "./scene";

const presets: [Preset, string, string][] = [["front", "Front", "1"], ["right", "Right", "2"], ["top", "Top", "3"], ["corner", "3-D", "4"]];
const TURN = Math.PI / 24;

/** Views from the sides, and whether lines of sight are parallel. */
export function viewButtons(view: () => View | undefined): HTMLElement {
  const parallel = h("button", { type: "button", "aria-pressed": "false", title: "Parallel lines of sight (O)", "data-key": "o" }, "Parallel");
  parallel.addEventListener("click", () => {
    const rig = view()?.rig;
    rig?.setParallel(!rig.parallelOn);
    parallel.setAttribute("aria-pressed", String(rig?.parallelOn ?? false));
  });
  return h("div", { class: "views", role: "group", "aria-label": "View from" }, ...presets.map(([preset, text, key]) => {
    const button = h("button", { type: "button", title: `${text} (${key})`, "data-key": key }, text);
    button.addEventListener("click", () => view()?.look(preset));
    return button;
  }), parallel);
}

/** W A S D turn, page keys zoom. Returns whether it was one of them. */
export function cameraKey(view: View | undefined, event: KeyboardEvent): boolean {
  const turns: Record<string, [number, number]> = { a: [-TURN, 0], d: [TURN, 0], w: [0, -TURN], s: [0, TURN] };
  const turn = turns[event.key.toLowerCase()];
  if (!view) {
    return false;
  }
  if (turn) {
    view.rig.turn(...turn);
  } else if (event.key === "PageUp" || event.key === "PageDown") {
    if (!(event.target as HTMLElement).closest("canvas")) {
      return false; // it scrolls
    }
    view.rig.zoom(event.key === "PageUp" ? 1.15 : 1 / 1.15);
  } else {
    return false;
  }
  return true;
}
