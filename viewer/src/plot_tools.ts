// SPDX-License-Identifier: Apache-2.0
// What can be done with a plot: how it shows its curves, which they are, statistics of the range.
import { h, icon, shorten } from "./dom";
import { format } from "./dom";
import { allNames, Picker } from "./picker";
import type { Link, TimePlot } from "./plots";
import { statisticsOf, type Look } from "./series";
import { savePlotCsv, savePlotPng, savePlotSvg } from "./share";

const DOTS = "M6 12h.01M12 12h.01M18 12h.01";
const ACROSS = 400; // columns to choose from for the axis across

export class PlotTools {
  readonly button: HTMLButtonElement;
  readonly root: HTMLElement;
  readonly table = h("div", { class: "scroll statistics", hidden: true });
  private readonly toggles: [keyof Look, HTMLButtonElement][] = [];
  private readonly x?: HTMLSelectElement;
  private readonly picker?: Picker;
  private counting = false;

  constructor(
    private readonly plot: TimePlot,
    link: Link,
  ) {
    this.button = h("button", { type: "button", class: "more-button", "aria-label": `Options of ${plot.options.title}`, title: "Options of this plot", "aria-expanded": "false" }, icon(DOTS));
    this.root = h("div", { class: "plot-tools", role: "group", "aria-label": `Options of ${plot.options.title}`, hidden: true });
    this.button.addEventListener("click", () => this.open(this.root.hidden));
    const { lanes, source, added, stacked } = plot.options;
    if (lanes) {
      this.button.hidden = true;
      return;
    }
    this.root.append(this.look("Log", "log", "Sizes on an axis of powers of ten"), this.look("d/dt", "rate", "Rates, from neighbouring rows"),
      this.look("Degrees", "degrees", "Angles in degrees"), this.look("Wrapped", "wrap", "Angles within half a turn to both sides"));
    if (source && !stacked) {
      this.x = this.across();
      this.root.append(h("label", {}, "across ", this.x));
      this.picker = new Picker(plot);
    }
    this.root.append(this.statistics(), ...this.saves());
    if (added) {
      this.root.append(this.act("Remove", "Take this plot away", () => link.remove?.(plot)));
    }
    if (this.picker) {
      this.root.append(this.picker.root);
    }
    this.open(added === true && plot.columns.length === 0);
  }

  open(on: boolean): void {
    this.root.hidden = !on;
    this.button.setAttribute("aria-expanded", String(on));
  }

  private act(label: string, title: string, act: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "chip", title }, label);
    button.addEventListener("click", act);
    return button;
  }

  private look(label: string, key: "log" | "rate" | "degrees" | "wrap", title: string): HTMLElement {
    const button = this.act(label, title, () => this.plot.setLook({ [key]: !this.plot.look[key] }));
    this.toggles.push([key, button]);
    return button;
  }

  /** What stands across: time, or a column, so that q and v of a joint are its phase plane. */
  private across(): HTMLSelectElement {
    const names = allNames(this.plot).slice(0, ACROSS);
    const select = h("select", { "aria-label": "Across" }, h("option", { value: "" }, "time"), ...names.map((n) => h("option", { value: n }, shorten(n, 30))));
    select.addEventListener("change", () => this.plot.setLook({ x: select.value }));
    return select;
  }

  private statistics(): HTMLElement {
    const button = this.act("Statistics", "Statistics of what is shown", () => {
      this.counting = !this.counting;
      button.setAttribute("aria-pressed", String(this.counting));
      this.update();
    });
    button.setAttribute("aria-pressed", "false");
    return button;
  }

  private saves(): HTMLElement[] {
    const { plot } = this;
    return [this.act("CSV", "The rows that are seen, as a table", () => savePlotCsv(plot)),
      this.act("SVG", "This plot as a drawing", () => savePlotSvg(plot)),
      this.act("PNG", "This plot as a picture", () => savePlotPng(plot))];
  }

  /** After the plot has changed. */
  update(): void {
    for (const [key, button] of this.toggles) {
      button.setAttribute("aria-pressed", String(this.plot.look[key]));
    }
    if (this.x) {
      this.x.value = this.plot.look.x;
    }
    this.picker?.update();
    this.table.hidden = !this.counting;
    if (this.counting) {
      this.table.replaceChildren(this.statisticsTable());
    }
  }

  private statisticsTable(): HTMLElement {
    const [low, high] = this.plot.range;
    const rows = this.plot.seen.map(({ curve, samples }) => {
      const s = statisticsOf(curve.run, samples, low, high);
      return h("tr", {}, h("th", { scope: "row", title: curve.label }, shorten(curve.label, 24), h("small", {}, ` ${samples.unit}`)),
        ...[s.least, s.leastAt, s.most, s.mostAt, s.mean, s.rms].map((v) => h("td", {}, Number.isFinite(v) ? format(v, 5) : "–")));
    });
    const thinned = this.plot.seen.some(({ curve }) => (curve.run.stride ?? 1) > 1);
    return h("table", { class: "compare" },
      h("caption", {}, "Statistics of the range"),
      h("thead", {}, h("tr", {}, ...[`${format(low, 4)} to ${format(high, 4)} s`, "least", "at", "most", "at", thinned ? "mean of kept rows" : "mean", "rms"].map((n) => h("th", { scope: "col" }, n)))),
      h("tbody", {}, ...rows));
  }
}
