// SPDX-License-Identifier: Apache-2.0
// Columns to choose from: a list with a search; a click puts one into the plot or takes it out, a drag
// takes it to another plot.
import { h, shorten } from "./dom";
import { COLUMN_TYPE, type TimePlot } from "./plots";

const LISTED = 300; // entries of the list

/** Columns of all runs of a plot's source, in the order of the first. */
export function allNames(plot: TimePlot): string[] {
  return [...new Set(plot.options.source!.runs.flatMap((r) => r.list.map((c) => c.name)))];
}

/** Words of a search in any order, each somewhere in the name. */
export function matches(name: string, search: string): boolean {
  const text = name.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export class Picker {
  readonly root: HTMLDetailsElement;
  private readonly filter = h("input", { type: "search", placeholder: "Find a column, or drag one onto a plot", "aria-label": "Find a column" });
  private readonly chips: HTMLElement;

  constructor(private readonly plot: TimePlot) {
    const { title, source, added } = plot.options;
    const count = allNames(plot).length;
    this.chips = h("div", { class: "chips", role: "group", "aria-label": `${title}: columns to show` });
    this.root = h("details", { class: "choose", open: added && plot.columns.length === 0 },
      h("summary", {}, `Choose from ${source!.names.length < count ? `${source!.names.length} (search finds ${count})` : count}`), this.filter, this.chips);
    this.filter.addEventListener("input", () => this.fill());
    this.root.addEventListener("toggle", () => this.fill());
    this.fill();
  }

  /** Nothing while it is closed: a page has many. */
  fill(): void {
    const wanted = this.filter.value.trim();
    const from = wanted ? allNames(this.plot) : this.plot.options.source!.names;
    const found = this.root.open ? from.filter((n) => matches(n, wanted)) : [];
    const chips = found.slice(0, LISTED).map((name) => this.chip(name));
    if (found.length > LISTED) {
      chips.push(h("span", { class: "more" }, `and ${found.length - LISTED} more: type to find them`));
    } else if (found.length === 0 && this.root.open) {
      chips.push(h("span", { class: "more" }, `no column has “${shorten(wanted)}” in its name`));
    }
    this.chips.replaceChildren(...chips);
  }

  private chip(name: string): HTMLElement {
    const unit = this.plot.options.source!.unit(name);
    const button = h("button", { type: "button", class: "chip", draggable: "true", title: `${name}${unit ? ` [${unit}]` : ""}`,
      "aria-pressed": String(this.plot.columns.includes(name)) }, shorten(name, 36));
    button.addEventListener("click", () => {
      this.plot.toggleColumn(name);
      button.setAttribute("aria-pressed", String(this.plot.columns.includes(name)));
    });
    button.addEventListener("dragstart", (e) => {
      e.dataTransfer?.setData(COLUMN_TYPE, name);
      e.dataTransfer?.setData("text/plain", name);
    });
    return button;
  }

  /** After curves have changed in another way. */
  update(): void {
    const { columns } = this.plot;
    this.chips.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(columns.includes(b.title.replace(/ \[[^\]]*\]$/, "")))));
  }
}
