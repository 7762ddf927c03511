// SPDX-License-Identifier: Apache-2.0
// Errors of a comparison: over time against the reference, and over the step, whose slope is the order.
import uPlot from "uplot";
import { decades, ink, logLabels, logSplits } from "./axes";
import type { Comparison, Entry, Run } from "./data";
import { format, h, shorten } from "./dom";
import { TimePlot, type Curve, type Link } from "./plots";

const HEIGHT = 220;

/** Entries that ran: errors over time have their order. */
function measured(comparison: Comparison): Entry[] {
  return comparison.entries.filter((e) => e.refused === null);
}

/** The error of each run at common times as a column of a run of its own. */
function errorRun(comparison: Comparison, entry: Entry, errors: (number | null)[]): Run {
  const n = errors.length;
  const delta = Float32Array.from(errors, (e) => e ?? NaN);
  const column = { name: "error", first: 0, delta };
  return { label: entry.label, times: Float64Array.from((comparison.times ?? []).slice(0, n)), list: [column], byName: new Map([["error", column]]) } as unknown as Run;
}

/** Error over time, logarithmic: at the smallest step of each method at first, the others by their names. */
export function errorsOverTime(comparison: Comparison, colorOf: (label: string) => string, end: number, link: Link): TimePlot | undefined {
  const entries = measured(comparison);
  const lists = comparison.errors ?? [];
  const curves: Curve[] = entries.flatMap((e, i) => (lists[i]?.length ? [{
    label: `${e.label} · ${format(e.dt)} s`, run: errorRun(comparison, e, lists[i]), column: undefined!, color: colorOf(e.label), unit: "m",
  }] : [])).map((c) => ({ ...c, column: c.run.list[0] }));
  if (curves.length === 0) {
    return undefined;
  }
  const plot = new TimePlot({ title: "Error over time", unit: "m", log: true, curves }, end, link);
  entries.filter((e) => entries.some((o) => o.label === e.label && o.dt < e.dt)).forEach((e) => plot.hide(`${e.label} · ${format(e.dt)} s`, true));
  return plot;
}

/** Largest error over the step, both logarithmic; names say the order, the slope of the line. */
export class ErrorOverStep {
  readonly root: HTMLElement;
  private readonly holder = h("div", { class: "plot" });
  private plot?: uPlot;
  private readonly observer: ResizeObserver;
  private readonly entries: Entry[];
  private readonly labels: string[];

  constructor(comparison: Comparison, private readonly colorOf: (label: string) => string) {
    this.entries = measured(comparison).filter((e) => e.error_max !== null && e.error_max > 0);
    this.labels = [...new Set(this.entries.map((e) => e.label))];
    const orderOf = (label: string) => this.entries.find((e) => e.label === label && e.order !== null)?.order ?? null;
    const legend = h("ul", { class: "legend" }, ...this.labels.map((label) => {
      const swatch = h("i", {});
      swatch.style.background = colorOf(label);
      return h("li", { title: label }, swatch, h("span", { class: "name" }, shorten(label, 30)), h("output", {}, orderOf(label) === null ? "" : `order ${format(orderOf(label), 3)}`));
    }));
    const words = this.labels.map((label) => `${label} of order ${format(orderOf(label), 3)}`);
    this.root = h("figure", { class: "panel", role: "group", "aria-label": `Error over step: ${words.join("; ")}` },
      h("figcaption", {}, h("h3", {}, "Error over step ", h("span", { class: "unit" }, "largest, m · dt [s]")), legend), this.holder);
    this.observer = new ResizeObserver(() => {
      const width = this.holder.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) {
        this.plot.setSize({ width, height: HEIGHT });
      }
    });
    this.observer.observe(this.holder);
    this.theme();
  }

  /** Room of a fifth of a decade around all. */
  private span(values: number[]): [number, number] {
    return [Math.min(...values) / 1.6, Math.max(...values) * 1.6];
  }

  theme(): void {
    this.plot?.destroy();
    const { faint, grid, font } = ink();
    const axis: uPlot.Axis = { stroke: faint, font, ticks: { show: false }, grid: { stroke: grid, width: 1, filter: decades }, values: logLabels };
    const tables = this.labels.map((label) => {
      const own = this.entries.filter((e) => e.label === label).sort((a, b) => a.dt - b.dt);
      return [own.map((e) => e.dt), own.map((e) => e.error_max)] as uPlot.AlignedData;
    });
    this.plot = new uPlot({
      width: Math.max(120, this.holder.clientWidth), height: HEIGHT, legend: { show: false }, cursor: { show: false }, padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, distr: 3, range: () => this.span(this.entries.map((e) => e.dt)) },
        y: { distr: 3, range: () => this.span(this.entries.map((e) => e.error_max!)) },
      },
      axes: [{ ...axis, size: 24, grid: { stroke: grid, width: 1 }, splits: (_u, _a, low, high) => logSplits(low, high), filter: (_u, all) => all, values: (_u, all) => all.map((v) => format(v)) },
        { ...axis, size: 58 }],
      series: [{}, ...this.labels.map((label) => ({ label, stroke: this.colorOf(label), width: 1.75, spanGaps: true,
        points: { show: true, size: 7, fill: this.colorOf(label), stroke: this.colorOf(label) } }))],
    }, uPlot.join(tables), this.holder);
    this.plot.ctx.canvas.setAttribute("aria-hidden", "true");
  }

  dispose(): void {
    this.observer.disconnect();
    this.plot?.destroy();
  }
}
