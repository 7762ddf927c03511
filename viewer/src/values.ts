// SPDX-License-Identifier: Apache-2.0
// Numbers of a model that is being viewed, as sliders: each (define ..) and (parameter ..) that is a number.
// A new value goes to the server, which runs the model with it and sends the page's data again.
import type { Page } from "./data";
import { format, h } from "./dom";

/** As src/expr/units.h has them: a number in such a unit, times this. */
const units: Record<string, number> = {
  deg: Math.PI / 180, rpm: Math.PI / 30, hz: 2 * Math.PI, um: 1e-6, mm: 1e-3, cm: 1e-2, km: 1e3, inch: 0.0254, ft: 0.3048, us: 1e-6, ms: 1e-3,
  kmh: 1 / 3.6, gram: 1e-3, tonne: 1e3, lb: 0.45359237, kn: 1e3, lbf: 4.4482216152605, bar: 1e5,
};

export interface Value {
  name: string;
  value: number; // in the text
  line: number;
}

/** What the text defines as a number, in its order; what is computed from others follows them. */
export function valuesOf(text: string): Value[] {
  const found: Value[] = [];
  text.split("\n").forEach((line, i) => {
    const code = line.replace(/"[^"]*"|;.*$/g, (m) => " ".repeat(m.length));
    const pattern = /\((?:define|parameter)\s+([^\s()";]+)\s+(?:\(([a-z]+)\s+([-+]?[\d.]+(?:e[-+]?\d+)?)\s*\)|([-+]?[\d.]+(?:e[-+]?\d+)?))\s*\)/gi;
    for (const m of code.matchAll(pattern)) {
      const factor = m[2] === undefined ? 1 : units[m[2].toLowerCase()];
      const value = Number(m[3] ?? m[4]) * (factor ?? NaN);
      if (Number.isFinite(value) && !found.some((f) => f.name.toLowerCase() === m[1].toLowerCase())) {
        found.push({ name: m[1], value, line: i + 1 });
      }
    }
  });
  return found;
}

/** From nothing to twice the value; of 0 a unit to both sides. */
function rangeOf(value: number): [number, number] {
  return value === 0 ? [-1, 1] : value > 0 ? [0, 2 * value] : [2 * value, 0];
}

/** The panel outlives the pages that it makes: it is beside them, so that a slider can be held. */
export class Values {
  readonly root = h("aside", { class: "values", "aria-label": "Numbers of the model", hidden: true });
  private readonly list = h("div", { class: "sliders" });
  private readonly said = h("output", { class: "set" });
  private shown = "";
  private readonly waiting = new Map<string, number>();
  private busy = false;

  /** address: where values go, with their names and values behind it */
  constructor(private readonly address: string) {
    const reset = h("button", { type: "button", class: "chip", title: "As the text has them" }, "Reset");
    reset.addEventListener("click", () => void this.reset());
    this.root.append(h("details", {}, h("summary", {}, "Numbers of the model"), this.list, h("div", { class: "chips" }, this.said, reset)));
  }

  /** The page as it is now: other sliders only where the text defines other numbers. */
  update(page: Page): void {
    const values = page.fault ? [] : valuesOf(page.text);
    const key = JSON.stringify(values.map((v) => [v.name, v.value]));
    const set = new Map(page.settings.map(([n, v]) => [n.toLowerCase(), v]));
    if (!page.fault && key !== this.shown) {
      this.shown = key;
      this.root.hidden = values.length === 0;
      this.list.replaceChildren(...values.map((v) => this.slider(v, set.get(v.name.toLowerCase()) ?? v.value)));
    }
    if (!page.fault) {
      this.said.textContent = page.settings.map(([n, v]) => `--set ${n}=${format(v)}`).join(" ");
    }
  }

  private slider({ name, value, line }: Value, now: number): HTMLElement {
    const [low, high] = rangeOf(value);
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: "any", value: String(now), "aria-label": name });
    const number = h("input", { type: "number", step: "any", value: String(Number(now.toPrecision(6))), "aria-label": `${name}, as a number` });
    slider.addEventListener("input", () => {
      number.value = String(Number(Number(slider.value).toPrecision(4)));
      this.send(name, Number(number.value));
    });
    number.addEventListener("change", () => {
      if (Number.isFinite(number.valueAsNumber)) {
        slider.value = number.value;
        this.send(name, number.valueAsNumber);
      }
    });
    return h("label", { title: `line ${line}` }, h("span", {}, name), slider, number);
  }

  /** One request at a time; of values that come meanwhile the last ones. */
  private send(name: string, value: number): void {
    this.waiting.set(name, value);
    void this.flush();
  }

  private async flush(): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    while (this.waiting.size > 0) {
      const [[name, value]] = this.waiting;
      this.waiting.delete(name);
      const url = new URL(this.address, location.href);
      url.search = new URLSearchParams({ name, value: String(value) }).toString();
      await fetch(url, { cache: "no-store" }).catch(() => undefined); // that the server is away is reported elsewhere
    }
    this.busy = false;
  }

  private async reset(): Promise<void> {
    const url = new URL(this.address, location.href);
    url.search = "reset=1";
    this.shown = "";
    await fetch(url, { cache: "no-store" }).catch(() => undefined);
  }
}
