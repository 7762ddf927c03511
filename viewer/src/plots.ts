// SPDX-License-Identifier: Apache-2.0
// Plots against time, linked to one another and to the animation: hover shows values, a click seeks,
// a drag zooms, a double click goes back. Where a long run was thinned, a band shows the extremes.
import uPlot from "uplot";
import { locate, type Column, type Run } from "./data";
import { format, h, shorten } from "./dom";
import { drawLanes, drawTicks, laneStates } from "./lanes";

export interface Curve {
  label: string;
  run: Run;
  column: Column;
  color: string;
  drift?: boolean; // difference from the first value
  size?: boolean; // without its sign; such curves have no bands
}

export interface PlotOptions {
  title: string;
  unit: string;
  log?: boolean;
  ofSteps?: boolean; // of the step that ends at each time: the start has none
  stacked?: number; // so many of the last curves lie on the one before them, and what is between is filled
  lanes?: boolean; // states of contacts, each curve in a lane of its own
  ticks?: number[]; // times of impacts
  curves: Curve[];
}

export interface Link {
  seek(t: number): void;
  hover(t: number | null): void;
  zoom(source: TimePlot, low: number, high: number): void;
}

const HEIGHT = 148;
const LANE = 27; // height of a lane

/** Colours of the page at the moment. */
export function ink(): { text: string; faint: string; grid: string; back: string; font: string } {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return { text: get("--text-2"), faint: get("--text-3"), grid: get("--grid"), back: get("--surface"), font: '11px system-ui, "Segoe UI", sans-serif' };
}

/** Ticks that fit: short numbers, a common exponent where they are tiny or huge. */
export function tickLabels(_u: uPlot, values: number[]): string[] {
  const top = Math.max(...values.map(Math.abs));
  if (top !== 0 && (top < 1e-3 || top >= 1e6)) {
    return values.map((v) => (v === 0 ? "0" : v.toExponential(1).replace(/-/g, "−").replace("e+", "e").replace(".0e", "e")));
  }
  return values.map((v) => String(Number(v.toPrecision(6))).replace("-", "−"));
}

/** The exponent of a power of ten; NaN for every other number. */
function powerOf(value: number | null): number {
  const p = value === null ? NaN : Math.log10(value);
  return Math.abs(p - Math.round(p)) < 1e-9 ? Math.round(p) : NaN;
}

function raised(power: number): string {
  return `10${String(power).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;
}

/** Powers of ten, every so many of them that they do not crowd; where there are few, 2 and 5 times
 * them too, and where there is none of these, all. */
export function logLabels(_u: uPlot, values: (number | null)[]): string[] {
  const powers = values.map(powerOf);
  const count = powers.filter((p) => !Number.isNaN(p)).length;
  if (count >= 3) {
    const every = Math.ceil(count / 6);
    return powers.map((p) => (Number.isNaN(p) || p % every !== 0 ? "" : raised(p)));
  }
  const main = values.map((v) => v !== null && [1, 2, 5].some((m) => !Number.isNaN(powerOf(v / m))));
  const all = main.filter(Boolean).length < 2;
  return values.map((v, i) => (v !== null && (all || main[i]) ? format(v, all ? 6 : 1) : ""));
}

/** Where the numbers of a log axis stand, whatever it spans: powers of ten, 1 2 5 times them over few
 * decades, round steps within less than one. */
export function logSplits(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const within = (v: number) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const mantissas = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
  const splits = powers.flatMap((k) => mantissas.map((m) => Number(`${m}e${k}`))).filter(within);
  if (splits.length >= 3) {
    return splits;
  }
  const unit = 10 ** Math.floor(Math.log10((high - low) / 4));
  const step = unit * ([1, 2, 5].find((m) => m * unit * 6 >= high - low) ?? 10);
  const start = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - start + 1 }, (_, i) => Number(((start + i) * step).toPrecision(12)));
}

/** Grid lines at powers of ten alone. */
export function decades(_u: uPlot, values: number[]): (number | null)[] {
  return values.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
}

export class TimePlot {
  readonly root: HTMLElement;
  private plot?: uPlot;
  private readonly holder: HTMLElement;
  private readonly playhead: HTMLElement;
  private readonly legend: HTMLElement;
  private values: HTMLElement[] = [];
  private curves: Curve[];
  private readonly observer: ResizeObserver;
  private time = 0;
  private head = NaN; // where the playhead stands [px]
  private hovered: number | null = null;
  private shown: [number, number];

  constructor(
    private readonly options: PlotOptions,
    private readonly end: number,
    private readonly link: Link,
  ) {
    this.curves = options.curves;
    this.shown = [0, end];
    this.legend = h("ul", { class: "legend" });
    this.holder = h("div", { class: "plot" });
    this.playhead = h("div", { class: "playhead" });
    const title = h("h3", {}, options.title, " ", h("span", { class: "unit" }, options.unit));
    this.root = h("figure", { class: "panel", role: "group" }, h("figcaption", {}, title, this.legend), this.holder);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.holder);
    this.build();
  }

  set(curves: Curve[]): void {
    this.curves = curves;
    this.build();
  }

  private describe(): void {
    const words = this.curves.slice(0, 6).map((c) => {
      let low = Infinity;
      let high = -Infinity;
      for (const list of [c.column.min ?? c.column.delta, c.column.max ?? c.column.delta]) {
        for (const d of list) {
          low = Math.min(low, d);
          high = Math.max(high, d);
        }
      }
      const base = c.drift ? 0 : c.column.first;
      return `${shorten(c.label)} from ${format(base + low)} to ${format(base + high)}`;
    });
    this.root.setAttribute("aria-label", `${this.options.title} against time: ${words.join("; ")}`);
  }

  private get height(): number {
    return this.options.lanes ? 34 + LANE * this.curves.length : HEIGHT;
  }

  private laneLegend(): void {
    this.values = [];
    this.legend.replaceChildren(...laneStates.map(([name, color]) => {
      const swatch = h("i", {});
      swatch.style.background = color;
      return h("li", {}, swatch, h("span", { class: "name" }, name));
    }));
  }

  private buildLegend(): void {
    if (this.options.lanes) {
      return this.laneLegend();
    }
    this.values = this.curves.map(() => h("output", {}, "–"));
    this.legend.replaceChildren(
      ...this.curves.map((c, i) => {
        const swatch = h("i", {});
        swatch.style.background = c.color;
        return h("li", { title: c.label }, swatch, h("span", { class: "name" }, shorten(c.label)), this.values[i]);
      }),
    );
  }

  /** Times of all runs, and each curve on them; runs of one page often share their times. */
  private table(): uPlot.AlignedData {
    const tables = this.curves.map((c) => {
      const base = c.drift ? 0 : c.column.first;
      const y = Array.from(c.column.delta, (d, i) => {
        const v = c.size ? Math.abs(base + d) : base + d;
        const missing = !Number.isFinite(v) || (this.options.log && v <= 0) || (i === 0 && this.options.ofSteps);
        return missing ? null : v;
      });
      return [Array.from(c.run.times), y] as uPlot.AlignedData;
    });
    if (tables.length === 0) {
      return [[]];
    }
    const times = this.curves[0].run.times;
    const same = this.curves.every((c) => c.run.times === times);
    return same ? [tables[0][0], ...tables.map((t) => t[1])] as uPlot.AlignedData : uPlot.join(tables);
  }

  /** The range of y with the extremes that lie in sight. */
  private range(u: uPlot, low: number | null, high: number | null): [number, number] {
    if (this.options.lanes) {
      return [0, this.curves.length];
    }
    const { min: x0 = 0, max: x1 = this.end } = u.scales.x;
    let a = low ?? Infinity;
    let b = high ?? -Infinity;
    for (const c of this.curves) {
      const t = c.size ? undefined : c.run.extremeTimes;
      const { min, max } = c.column;
      for (let i = 0; t && min && max && i < t.length; i++) {
        if (t[i] >= x0 && t[i] <= x1) {
          const base = c.drift ? 0 : c.column.first;
          if (!this.options.log || base + min[i] > 0) {
            a = Math.min(a, base + min[i]);
          }
          b = Math.max(b, base + max[i]);
        }
      }
    }
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      return this.options.log ? [1e-16, 1] : [-1, 1];
    }
    if (this.options.log) {
      const l = Math.floor(Math.log10(a) - 0.1);
      const k = Math.ceil(Math.log10(b) + 0.1);
      return [10 ** Math.max(l, k - 14), 10 ** Math.max(k, l + 1)];
    }
    const pad = b > a ? 0.07 * (b - a) : Math.abs(a) * 0.1 || 1;
    return [a - pad, b + pad];
  }

  /** What lies below the curves. */
  private drawBelow(u: uPlot): void {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    if (this.options.lanes) {
      drawLanes(u, this.curves, ink().text, ink().font);
    } else {
      this.drawBands(u);
    }
    ctx.globalAlpha = 1;
    drawTicks(u, this.options.ticks ?? [], ink().text);
    ctx.restore();
  }

  private drawBands(u: uPlot): void {
    const { ctx } = u;
    for (const c of this.curves) {
      const t = c.size ? undefined : c.run.extremeTimes;
      const { min, max } = c.column;
      if (!t || !min || !max) {
        continue;
      }
      const base = c.drift ? 0 : c.column.first;
      ctx.globalAlpha = 0.28;
      ctx.fillStyle = c.color;
      for (let i = 0; i < t.length; i++) {
        const next = i + 1 < t.length ? t[i + 1] : c.run.times[c.run.times.length - 1];
        const x = u.valToPos(t[i], "x", true);
        const low = this.options.log ? Math.max(base + min[i], 1e-300) : base + min[i];
        const y0 = u.valToPos(base + max[i], "y", true);
        const y1 = u.valToPos(low, "y", true);
        ctx.fillRect(x, y0, Math.max(1, u.valToPos(next, "x", true) - x), Math.max(0, y1 - y0));
      }
    }
  }

  /** The y axis: nothing beside lanes, powers of ten, or plain numbers. */
  private axisOfValues(axis: uPlot.Axis, grid: string): uPlot.Axis {
    if (this.options.lanes) {
      return { ...axis, size: 58, gap: 4, grid: { show: false }, values: () => [] };
    }
    return this.options.log
      ? { ...axis, size: 58, gap: 4, values: logLabels, grid: { stroke: grid, width: 1, filter: decades } }
      : { ...axis, size: 58, gap: 4, values: tickLabels };
  }

  /** Areas between stacked curves. */
  private areas(): uPlot.Band[] {
    const n = this.curves.length;
    return Array.from({ length: this.options.stacked ?? 0 }, (_, k) => ({ series: [n - k, n - k - 1] as [number, number], fill: `${this.curves[n - k - 1].color}55` }));
  }

  private build(): void {
    this.describe();
    this.buildLegend();
    this.plot?.destroy();
    const { faint, grid, font } = ink();
    const axis: uPlot.Axis = { stroke: faint, font, ticks: { show: false }, grid: { stroke: grid, width: 1 } };
    const options: uPlot.Options = {
      width: Math.max(120, this.holder.clientWidth),
      height: this.height,
      legend: { show: false },
      padding: [8, 14, 0, 0],
      bands: this.areas(),
      pxAlign: 0,
      cursor: {
        y: false,
        points: { size: 6 },
        drag: { x: true, y: false, dist: 6 },
        bind: { dblclick: () => () => (this.link.zoom(this, 0, this.end), null) },
      },
      scales: {
        x: { time: false, range: () => this.shown },
        y: { distr: this.options.log ? 3 : 1, range: (u, a, b) => this.range(u, a, b) },
      },
      axes: [
        { ...axis, size: 24, gap: 3 },
        this.axisOfValues(axis, grid),
      ],
      series: [
        {},
        ...this.curves.map((c) => ({ label: c.label, stroke: c.color, width: this.options.lanes ? 0 : 1.5, points: { show: false }, spanGaps: true })),
      ],
      hooks: {
        drawAxes: [(u) => this.drawBelow(u)],
        setCursor: [(u) => this.onCursor(u)],
        setSelect: [(u) => this.onSelect(u)],
        ready: [(u) => this.onReady(u)],
      },
    };
    this.plot = new uPlot(options, this.table(), this.holder);
    this.head = NaN;
    this.setTime(this.time);
    this.setValues();
  }

  private onReady(u: uPlot): void {
    u.over.append(this.playhead);
    u.ctx.canvas.setAttribute("aria-hidden", "true"); // the figure's label says what it shows
    let down = 0;
    u.over.addEventListener("mousedown", (e) => (down = e.clientX));
    u.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) < 5) {
        this.link.seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x"));
      }
    });
    u.over.addEventListener("mouseleave", () => this.link.hover(null));
  }

  private onCursor(u: uPlot): void {
    const { left } = u.cursor;
    if (left !== undefined && left !== null && left >= 0 && u.over.matches(":hover")) {
      this.link.hover(u.posToVal(left, "x"));
    }
  }

  private onSelect(u: uPlot): void {
    if (u.select.width > 0) {
      const low = u.posToVal(u.select.left, "x");
      const high = u.posToVal(u.select.left + u.select.width, "x");
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      this.link.zoom(this, low, high);
    }
  }

  zoom(low: number, high: number): void {
    this.shown = [low, high];
    this.plot?.setScale("x", { min: low, max: high });
    this.head = NaN;
    this.setTime(this.time);
  }

  /** The playhead; cheap enough for every frame. */
  setTime(t: number): void {
    this.time = t;
    const u = this.plot;
    if (!u) {
      return;
    }
    const x = Math.round(u.valToPos(t, "x"));
    if (x !== this.head) {
      this.head = x;
      this.playhead.style.transform = `translateX(${x}px)`;
      this.playhead.style.visibility = x < 0 || x > u.over.clientWidth ? "hidden" : "visible";
    }
  }

  /** A time under the mouse in one of the plots, null for none. */
  setHover(t: number | null): void {
    this.hovered = t;
    const u = this.plot;
    if (u && !u.over.matches(":hover")) {
      u.setCursor({ left: t === null ? -10 : u.valToPos(t, "x"), top: 10 }, false);
    }
    this.setValues();
  }

  /** Numbers of the legend, at the hovered time or at the animation's. */
  setValues(): void {
    const t = this.hovered ?? this.time;
    this.curves.slice(0, this.values.length).forEach((c, i) => {
      const [at, s] = locate(c.run.times, t);
      const a = c.column.delta[at];
      const b = s > 0 ? c.column.delta[at + 1] : a;
      const value = (c.drift ? 0 : c.column.first) + (s === 1 ? b : a + s * (b - a));
      const text = format(c.size ? Math.abs(value) : value);
      if (this.values[i].textContent !== text) {
        this.values[i].textContent = text;
      }
    });
  }

  private resize(): void {
    const width = this.holder.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
      this.head = NaN;
      this.setTime(this.time);
    }
  }

  theme(): void {
    this.build();
  }

  dispose(): void {
    this.observer.disconnect();
    this.plot?.destroy();
  }
}
