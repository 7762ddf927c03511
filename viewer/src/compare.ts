// SPDX-License-Identifier: Apache-2.0
// A comparison: the table of methods, and error against what it cost.
import uPlot from "uplot";
import type { Comparison, Entry } from "./data";
import { format, h, shorten } from "./dom";
import { ErrorOverStep } from "./orders";
import { curveColors, decades, ink, logLabels } from "./axes";

const HEIGHT = 260;

function cells(e: Entry): string[] {
  if (e.refused) {
    return [];
  }
  return [
    format(e.dt), format(e.error_final, 3), format(e.error_max, 3), format(e.order, 3), format(e.band, 3), format(e.trend, 3),
    format(e.constraint_max, 3), format(e.steps_per_second, 3), format(e.wall_seconds, 3),
  ];
}

const heads: [string, string][] = [
  ["Method", ""], ["Step", "s"], ["Error at end", "m"], ["Largest error", "m"], ["Order", ""], ["Energy band", "J"], ["Trend", "J/h"],
  ["Constraint", "m, rad"], ["Steps", "1/s"], ["Took", "s"],
];

/** Runs of the page have this order too, so their colours are the same. */
export function colorOf(comparison: Comparison, label: string): string {
  const labels = [...new Set(comparison.entries.filter((e) => !e.refused).map((e) => e.label))];
  return curveColors[labels.indexOf(label) % curveColors.length];
}

/** A box that shows or hides a run, in the picture and in the plots. */
function runSwitch(label: string, run: number, show: (run: number, on: boolean) => void): HTMLElement {
  const box = h("input", { type: "checkbox", checked: true, "aria-label": `Show ${label}` });
  box.addEventListener("change", () => show(run, box.checked));
  return box;
}

/** The reference as a ghost, and how far apart motions are drawn. */
function motionTools(comparison: Comparison, host: ComparedHost): HTMLElement {
  const reference = comparison.reference_run ?? -1;
  const apart = h("input", { type: "range", min: "0", max: "1.5", step: "0.01", value: "0", "aria-label": "How far apart motions are drawn" });
  apart.addEventListener("input", () => host.spread(Number(apart.value)));
  return h("div", { class: "plot-tools" },
    reference >= 0 ? h("label", {}, runSwitch("the reference", reference, host.show), " the reference as a ghost") : null,
    h("label", { class: "apart" }, "apart ", apart));
}

function tableOf(comparison: Comparison, host: ComparedHost): HTMLElement {
  const { show } = host;
  const tools = motionTools(comparison, host);
  const rows = comparison.entries.map((e) => {
    const swatch = h("i", { class: "swatch" });
    swatch.style.background = e.refused ? "transparent" : colorOf(comparison, e.label);
    const row = h("tr", {}, h("th", { scope: "row", title: e.label }, e.run !== null ? runSwitch(e.label, e.run, show) : null, swatch, shorten(e.label, 30)));
    if (e.refused) {
      row.append(h("td", { colspan: "9", class: "refused" }, e.refused));
    } else {
      row.append(...cells(e).map((text) => h("td", {}, text)));
    }
    return row;
  });
  const failed = comparison.entries.filter((e) => e.failed).map((e) => h("li", { class: "bad" }, `${e.label} at ${format(e.dt)}: ${e.failed}`));
  return h("section", { class: "panel" },
    h("h3", {}, "Methods side by side"),
    tools,
    h("p", { class: "lead" }, "Error is the distance from the reference, ", h("b", {}, comparison.reference), "; a turn counts as its angle times the model's length."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Methods side by side" },
      h("table", { class: "compare" },
        h("thead", {}, h("tr", {}, ...heads.map(([name, unit]) => h("th", { scope: "col" }, name, unit ? h("small", {}, ` ${unit}`) : null)))),
        h("tbody", {}, ...rows))),
    failed.length > 0 ? h("ul", { class: "notices" }, ...failed) : null);
}

/** What a run cost: the seconds of this machine, or evaluations, which are the same on every one. */
const costs = {
  "seconds taken": (e: Entry) => e.wall_seconds,
  evaluations: (e: Entry) => e.evaluations,
};

/** Error against cost, both logarithmic, one line for each method through its steps from long to short. */
class WorkPrecision {
  readonly root: HTMLElement;
  private readonly holder = h("div", { class: "plot" });
  private readonly axis = h("select", { "aria-label": "Cost of a run" }, ...Object.keys(costs).map((name) => h("option", { value: name }, name)));
  private plot?: uPlot;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly comparison: Comparison,
    private readonly entries: Entry[],
  ) {
    const legend = h("ul", { class: "legend" }, ...this.labels().map((label) => {
      const swatch = h("i", {});
      swatch.style.background = colorOf(comparison, label);
      return h("li", { title: label }, swatch, h("span", { class: "name" }, shorten(label, 30)));
    }));
    const text = entries.map((e) => `${e.label} at ${format(e.dt)}: ${format(e.error_final, 3)} in ${format(e.wall_seconds, 3)} s and ${e.evaluations} evaluations`);
    this.root = h("figure", { class: "panel work", role: "group", "aria-label": `Error against work. ${text.join("; ")}` },
      h("figcaption", {}, h("h3", {}, "Error against work ", h("span", { class: "unit" }, "m at the end · "), this.axis), legend), this.holder);
    this.axis.addEventListener("change", () => this.theme());
    this.observer = new ResizeObserver(() => {
      const width = this.holder.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) {
        this.plot.setSize({ width, height: HEIGHT });
      }
    });
    this.observer.observe(this.holder);
    this.theme();
  }

  private labels(): string[] {
    return [...new Set(this.entries.map((e) => e.label))];
  }

  private cost(e: Entry): number {
    return costs[this.axis.value as keyof typeof costs](e);
  }

  /** Runs of one method, by step: their order does not hang on how long each happened to take. */
  private line(label: string): Entry[] {
    return this.entries.filter((e) => e.label === label).sort((a, b) => b.dt - a.dt);
  }

  /** The lines, in the order of steps; a plot of columns could only join them in the order of cost. */
  private drawLines(u: uPlot): void {
    const { ctx } = u;
    ctx.save();
    ctx.lineWidth = 1.75 * devicePixelRatio;
    for (const label of this.labels()) {
      ctx.strokeStyle = colorOf(this.comparison, label);
      ctx.beginPath();
      this.line(label).forEach((e) => ctx.lineTo(u.valToPos(this.cost(e), "x", true), u.valToPos(e.error_final!, "y", true)));
      ctx.stroke();
    }
    ctx.restore();
  }

  theme(): void {
    this.plot?.destroy();
    const { faint, grid, font } = ink();
    const tables = this.labels().map((label) => {
      const points = this.line(label).sort((a, b) => this.cost(a) - this.cost(b));
      return [points.map((e) => this.cost(e)), points.map((e) => e.error_final)] as uPlot.AlignedData;
    });
    const span = (values: number[]): [number, number] => {
      const low = Math.min(...values);
      const high = Math.max(...values);
      return [10 ** Math.floor(Math.log10(low) - 0.05), 10 ** Math.ceil(Math.log10(high) + 0.05)];
    };
    const axis: uPlot.Axis = { stroke: faint, font, ticks: { show: false }, grid: { stroke: grid, width: 1, filter: decades }, values: logLabels };
    this.plot = new uPlot({
      width: Math.max(120, this.holder.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, distr: 3, range: () => span(this.entries.map((e) => this.cost(e))) },
        y: { distr: 3, range: () => span(this.entries.map((e) => e.error_final!)) },
      },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 58 }],
      series: [{}, ...this.labels().map((label) => {
        const color = colorOf(this.comparison, label);
        return { label, stroke: color, paths: () => null, points: { show: true, size: 7, fill: color, stroke: color } };
      })],
      hooks: { drawAxes: [(u) => this.drawLines(u)] },
    }, uPlot.join(tables), this.holder);
    this.plot.ctx.canvas.setAttribute("aria-hidden", "true");
  }

  dispose(): void {
    this.observer.disconnect();
    this.plot?.destroy();
  }
}

/** What a comparison does with the picture. */
export interface ComparedHost {
  show(run: number, on: boolean): void;
  spread(share: number): void; // of the mechanism's size
}

export interface Compared {
  root: HTMLElement;
  work: WorkPrecision | null;
  theme(): void;
  dispose(): void;
}

export function comparisonOf(comparison: Comparison, host: ComparedHost): Compared {
  const good = comparison.entries.filter((e) => e.error_final !== null && e.error_final > 0 && e.wall_seconds > 0 && e.evaluations > 0);
  const several = new Set(good.map((e) => e.dt)).size > 1;
  const work = several ? new WorkPrecision(comparison, good) : null;
  const steps = several ? new ErrorOverStep(comparison, (label) => colorOf(comparison, label)) : null;
  return {
    root: h("div", { class: "stack" }, tableOf(comparison, host), steps?.root, work?.root), work,
    theme: () => [work, steps].forEach((f) => f?.theme()),
    dispose: () => [work, steps].forEach((f) => f?.dispose()),
  };
}
