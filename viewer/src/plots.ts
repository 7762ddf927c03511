// SPDX-License-Identifier: Apache-2.0
// Plots linked to one another and to the animation: hover shows values, a click seeks, a drag zooms, a
// double click goes back. Where a long run was thinned, a band shows the extremes. One unit to an axis,
// two axes; a column may stand across in place of time.
import uPlot from "uplot";
import { curveColors, decades, ink, logLabels, logSplits, tickLabels } from "./axes";
import type { Run } from "./data";
import { format, h, shorten } from "./dom";
import { drawDoubt, drawLanes, drawTicks, laneStates } from "./lanes";
import { PlotTools } from "./plot_tools";
import { plainLook, sampleAt, samplesOf, type Curve, type Look, type Samples } from "./series";
import { drawPaths, nearestTime, spanOf } from "./xy";

export type { Curve } from "./series";

/** Columns that a reader may put into a plot. */
export interface Source {
  runs: Run[];
  names: string[]; // offered before a search; it finds all
  unit(name: string): string;
  curves(names: string[]): Curve[];
}

export interface PlotOptions {
  title: string;
  unit: string;
  log?: boolean;
  ofSteps?: boolean; // of the step that ends at each time: the start has none
  stacked?: number; // so many of the last curves lie on the one before them, and what is between is filled
  lanes?: boolean; // states of contacts, each curve in a lane of its own
  ticks?: number[]; // times of impacts
  source?: Source;
  added?: boolean; // by the reader; may be removed
  look?: Partial<Look>;
  curves: Curve[];
}

export interface Link {
  seek(t: number): void;
  hover(t: number | null): void;
  zoom(source: TimePlot, low: number, high: number): void;
  remove?(plot: TimePlot): void;
  changed?(): void; // what is shown: columns, looks
}

type Range = [number, number];
type Scale = "y" | "y2";

const HEIGHT = 160;
const LANE = 27; // height of a lane
const CLICK_MS = 260; // after which a click is no half of a double one
export const COLUMN_TYPE = "text/x-cardan-column"; // of a column that is dragged

export class TimePlot {
  readonly root: HTMLElement;
  look: Look;
  readonly hidden = new Set<string>(); // labels
  private readonly hiddenRuns = new Set<Run>();
  private plot?: uPlot;
  private readonly holder: HTMLElement;
  private readonly playhead = h("div", { class: "playhead" });
  private readonly dots = h("div", { class: "dots", "aria-hidden": "true" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly unit = h("span", { class: "unit" });
  private readonly at = h("output", { class: "at-time", "aria-label": "Time of the values" });
  private readonly tools: PlotTools;
  private values: HTMLElement[] = [];
  private curves: Curve[];
  private samples: Samples[] = [];
  private across: Samples[] = []; // of a column across, for each curve
  private units: string[] = []; // of the axes: one or two
  private readonly observer: ResizeObserver;
  private time = 0;
  private head = NaN; // where the playhead stands [px]
  private hovered: number | null = null;
  private shown: Range;
  private zoomed: { x?: Range; y?: Range; y2?: Range } = {}; // of this plot alone
  private click = 0;

  constructor(
    readonly options: PlotOptions,
    private readonly end: number,
    private readonly link: Link,
  ) {
    this.curves = distinct(options.curves);
    this.look = { ...plainLook, log: options.log ?? false, ...options.look };
    this.shown = [0, end];
    this.holder = h("div", { class: "plot" });
    this.tools = new PlotTools(this, link);
    const title = h("h3", {}, options.title, " ", this.unit);
    this.root = h("figure", { class: "panel time-plot", role: "group" },
      h("figcaption", {}, title, this.legend, h("span", { class: "corner" }, this.at, this.tools.button)), this.tools.root, this.holder, this.tools.table);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.holder);
    this.takeDrops();
    this.build();
  }

  get columns(): string[] {
    return [...new Set(this.curves.map((c) => c.column.name))];
  }

  get isXY(): boolean {
    return this.look.x !== "";
  }

  get range(): Range {
    return this.shown;
  }

  /** Curves that are seen, with what is drawn of them. */
  get seen(): { curve: Curve; samples: Samples; across?: Samples; scale: Scale }[] {
    return this.curves.flatMap((curve, i) => (this.isShown(i)
      ? [{ curve, samples: this.samples[i], across: this.isXY ? this.across[i] : undefined, scale: this.scaleOf(i) }] : []));
  }

  /** The figure as it is drawn, for pictures of it. */
  get drawing(): uPlot {
    return this.plot!;
  }

  set(curves: Curve[]): void {
    this.curves = curves;
    this.zoomed = {};
    this.build();
    this.link.changed?.();
  }

  setLook(look: Partial<Look>): void {
    this.look = { ...this.look, ...look };
    this.zoomed = {};
    this.build();
    this.link.changed?.();
  }

  toggleColumn(name: string, on = !this.columns.includes(name)): void {
    const rest = this.curves.filter((c) => c.column.name !== name);
    const used = rest.map((c) => c.color);
    for (const curve of on ? this.options.source!.curves([name]) : []) {
      const color = curveColors.find((c) => !used.includes(c)) ?? curveColors[rest.length % curveColors.length];
      used.push(color);
      rest.push({ ...curve, color });
    }
    this.set(distinct(rest));
  }

  private takeDrops(): void {
    if (!this.options.source) {
      return;
    }
    const isColumn = (e: DragEvent) => e.dataTransfer?.types.includes(COLUMN_TYPE) ?? false;
    this.root.addEventListener("dragover", (e) => {
      if (isColumn(e)) {
        e.preventDefault();
        this.root.classList.add("target");
      }
    });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("target"));
    this.root.addEventListener("drop", (e) => {
      this.root.classList.remove("target");
      if (isColumn(e)) {
        e.preventDefault();
        this.toggleColumn(e.dataTransfer!.getData(COLUMN_TYPE), true);
      }
    });
  }

  private describe(): void {
    const words = this.seen.slice(0, 6).map(({ curve, samples: s }) => {
      const [low, high] = spanOf([s.values, s.low, s.high]);
      return `${shorten(curve.label)} from ${format(low)} to ${format(high)}`;
    });
    this.root.setAttribute("aria-label", `${this.options.title} against ${this.isXY ? this.look.x : "time"}: ${words.join("; ")}`);
  }

  private get height(): number {
    return this.options.lanes ? 46 + LANE * this.curves.length : this.isXY ? 280 : HEIGHT;
  }

  /** What the curves are at their times, and the units of the axes: the first two that there are. */
  private prepare(): void {
    const { source } = this.options;
    this.samples = this.curves.map((c) => samplesOf(c, this.look, c.unit ?? this.options.unit, this.options.ofSteps));
    this.units = [...new Set(this.samples.map((s) => s.unit))].slice(0, 2);
    if (this.isXY && (!source || !this.curves.every((c) => c.run.byName.has(this.look.x)))) {
      this.look.x = "";
    }
    this.across = this.isXY ? this.curves.map((c) => samplesOf({ ...c, column: c.run.byName.get(this.look.x)!, drift: false, size: false },
      { ...plainLook, degrees: this.look.degrees }, source!.unit(this.look.x))) : [];
    const unit = this.units.length === 2 ? this.units.map((u) => u || "1").join(" | ") : this.units[0] ?? this.options.unit;
    this.unit.textContent = this.options.lanes ? this.options.unit : `${this.look.rate ? "d/dt " : ""}${unit}`;
  }

  private scaleOf(i: number): Scale {
    return this.units.indexOf(this.samples[i].unit) === 1 ? "y2" : "y";
  }

  /** Has it an axis, and is it not switched off? */
  private isShown(i: number): boolean {
    return this.units.includes(this.samples[i].unit) && !this.hidden.has(this.curves[i].label) && !this.hiddenRuns.has(this.curves[i].run);
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
    this.legend.replaceChildren(...this.curves.map((c, i) => this.entry(c, i)));
  }

  /** A name of the legend: a click shows or hides its curve, a double click leaves it alone. */
  private entry(c: Curve, i: number): HTMLElement {
    const swatch = h("i", {});
    swatch.style.background = c.color;
    const third = !this.units.includes(this.samples[i].unit);
    const side = this.units.length === 2 && this.scaleOf(i) === "y2" ? " ▸" : "";
    const name = h("button", { type: "button", class: "name", "aria-pressed": String(this.isShown(i)), disabled: third,
      title: third ? `${c.label}: ${this.samples[i].unit || "without a unit"}, for which this plot has no axis left; add a plot` : `${c.label}: click to hide or show, double-click to see it alone` },
    swatch, shorten(c.label) + side);
    name.addEventListener("click", (e) => {
      if (e.detail < 2) {
        this.hide(c.label, !this.hidden.has(c.label));
      }
    });
    name.addEventListener("dblclick", () => this.isolate(c.label));
    return h("li", { title: c.label, class: this.isShown(i) ? "" : "off" }, name, this.values[i]);
  }

  hide(label: string, hidden: boolean): void {
    this.hidden[hidden ? "add" : "delete"](label);
    this.refresh();
  }

  /** All curves of a run. */
  hideRun(run: Run, hidden: boolean): void {
    this.hiddenRuns[hidden ? "add" : "delete"](run);
    this.refresh();
  }

  /** One curve alone, or all when it is alone. */
  isolate(label: string): void {
    const others = this.curves.map((c) => c.label).filter((l) => l !== label);
    const alone = others.every((l) => this.hidden.has(l));
    this.hidden.clear();
    if (!alone) {
      others.forEach((l) => this.hidden.add(l));
    }
    this.refresh();
  }

  /** The same legend elements stay, so that a double click finds the one it began on. */
  private refresh(): void {
    this.curves.forEach((_c, i) => {
      const item = this.legend.children[i] as HTMLElement;
      item.className = this.isShown(i) ? "" : "off";
      item.querySelector("button")?.setAttribute("aria-pressed", String(this.isShown(i)));
    });
    this.draw();
  }

  /** Times of all runs, and each curve on them; runs of one page often share their times. */
  private table(): uPlot.AlignedData {
    if (this.isXY || this.curves.length === 0) {
      return [[0, 1], ...this.curves.map(() => [null, null])] as uPlot.AlignedData;
    }
    const tables = this.curves.map((c, k) => {
      const { values, turn } = this.samples[k];
      const y = Array.from(values, (d, i) => {
        const v = this.look.log ? Math.abs(d) : d;
        const jump = turn > 0 && i > 0 && Math.abs(d - values[i - 1]) > turn / 2; // no line over the whole height
        return !Number.isFinite(v) || jump || (this.look.log && v === 0) ? null : v;
      });
      return [Array.from(c.run.times), y] as uPlot.AlignedData;
    });
    const times = this.curves[0].run.times;
    const same = this.curves.every((c) => c.run.times === times);
    return same ? [tables[0][0], ...tables.map((t) => t[1])] as uPlot.AlignedData : uPlot.join(tables);
  }

  /** The range of an axis up, with the extremes that lie in sight. */
  private rangeOf(scale: Scale): Range {
    if (this.options.lanes) {
      return [0, this.curves.length];
    }
    const given = this.zoomed[scale];
    if (given) {
      return given;
    }
    const [x0, x1] = this.isXY ? [-Infinity, Infinity] : this.shown;
    const parts = this.seen.filter((s) => s.scale === scale).flatMap(({ curve, samples: s }) =>
      [within(curve.run.times, s.values, x0, x1), within(curve.run.extremeTimes, s.low, x0, x1), within(curve.run.extremeTimes, s.high, x0, x1)]);
    const [a, b] = spanOf(parts, this.look.log);
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      return this.look.log ? [1e-16, 1] : [-1, 1];
    }
    if (this.look.log) {
      const l = Math.floor(Math.log10(a) - 0.1);
      const k = Math.ceil(Math.log10(b) + 0.1);
      return [10 ** Math.max(l, k - 14), 10 ** Math.max(k, l + 1)];
    }
    const pad = differ(a, b) ? 0.07 * (b - a) : Math.abs(a) * 0.1 || 1;
    return [a - pad, b + pad];
  }

  private rangeAcross(): Range {
    if (!this.isXY) {
      const [low, high] = this.shown;
      return high > low ? this.shown : [low - 0.5, low + 0.5]; // one row
    }
    const [a, b] = spanOf(this.seen.map((s) => s.across!.values));
    const pad = differ(a, b) ? 0.05 * (b - a) : Math.abs(a) * 0.1 || 1;
    return this.zoomed.x ?? (Number.isFinite(a) ? [a - pad, b + pad] : [0, 1]);
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
    } else if (this.isXY) {
      drawPaths(u, this.seen);
    } else {
      this.drawBands(u);
    }
    ctx.globalAlpha = 1;
    if (!this.isXY) {
      const from = this.doubtFrom();
      if (from !== null) {
        drawDoubt(u, from, ink().bad);
      }
      drawTicks(u, this.options.ticks ?? [], ink().text);
    }
    ctx.restore();
  }

  /** When the motion became doubtful, where all curves are of one run. */
  private doubtFrom(): number | null {
    const run = this.curves[0]?.run;
    const from = run && this.curves.every((c) => c.run === run) ? run.stats.doubtFrom : null;
    return typeof from === "number" ? from : null;
  }

  private drawBands(u: uPlot): void {
    const { ctx } = u;
    for (const { curve, samples: { low, high }, scale } of this.seen) {
      const t = curve.run.extremeTimes;
      if (!t || !low || !high) {
        continue;
      }
      ctx.globalAlpha = 0.28;
      ctx.fillStyle = curve.color;
      for (let i = 0; i < t.length; i++) {
        const next = i + 1 < t.length ? t[i + 1] : curve.run.times[curve.run.times.length - 1];
        const [a, b] = this.look.log ? sizes(low[i], high[i]) : [low[i], high[i]];
        const x = u.valToPos(t[i], "x", true);
        const y0 = u.valToPos(b, scale, true);
        ctx.fillRect(x, y0, Math.max(1, u.valToPos(next, "x", true) - x), Math.max(0, u.valToPos(a, scale, true) - y0));
      }
    }
  }

  /** A y axis: nothing beside lanes, powers of ten, or plain numbers. */
  private axisOfValues(axis: uPlot.Axis, grid: string, scale: Scale): uPlot.Axis {
    const two = this.units.length === 2;
    const own: uPlot.Axis = { ...axis, scale, size: scale === "y" ? 58 : 46, gap: 4, side: scale === "y" ? 3 : 1,
      ...(two ? { label: this.units[scale === "y" ? 0 : 1] || "1", labelSize: 16, labelFont: axis.font as string, labelGap: 0 } : {}) };
    const lines = scale === "y" ? { stroke: grid, width: 1 } : { show: false };
    if (this.options.lanes) {
      return { ...own, grid: { show: false }, values: () => [] };
    }
    const splits = (_u: uPlot, _i: number, low: number, high: number): number[] => logSplits(low, high); // uPlot's own end at 1e-16
    return this.look.log ? { ...own, splits, values: logLabels, grid: { ...lines, filter: decades } } : { ...own, values: tickLabels, grid: lines };
  }

  /** Areas between stacked curves. */
  private areas(): uPlot.Band[] {
    const n = this.curves.length;
    return Array.from({ length: this.options.stacked ?? 0 }, (_, k) => ({ series: [n - k, n - k - 1] as [number, number], fill: `${this.curves[n - k - 1].color}55` }));
  }

  private build(): void {
    this.prepare();
    this.buildLegend();
    this.draw();
    this.tools.update();
  }

  private draw(): void {
    this.describe();
    this.plot?.destroy();
    const { faint, grid, font } = ink();
    const axis: uPlot.Axis = { stroke: faint, font, ticks: { show: false }, grid: { stroke: grid, width: 1 } };
    const scale = (s: Scale) => ({ distr: (this.look.log ? 3 : 1) as 3 | 1, range: () => this.rangeOf(s) });
    const across = this.isXY ? `${this.look.x} [${this.across[0]?.unit || "1"}]` : "t [s]";
    const options: uPlot.Options = {
      width: Math.max(120, this.holder.clientWidth),
      height: this.height,
      legend: { show: false },
      padding: [8, this.units.length === 2 ? 0 : this.shown[1] >= 1000 ? 24 : 14, 0, 0], // half of the last number
      bands: this.areas(),
      pxAlign: 0,
      cursor: {
        y: false, points: { size: 6 }, drag: { x: true, y: !this.options.lanes, uni: 24, dist: 6, setScale: false },
        bind: {
          dblclick: () => () => (this.unzoom(), null),
          mousedown: (_u, _t, handle) => (e) => (isPan(e) ? null : (handle(e), null)),
        },
      },
      scales: { x: { time: false, range: () => this.rangeAcross() }, y: scale("y"), y2: scale("y2") },
      axes: [
        { ...axis, size: 22, gap: 3, label: across, labelSize: 14, labelFont: font, labelGap: 0 },
        this.axisOfValues(axis, grid, "y"),
        ...(this.units.length === 2 ? [this.axisOfValues(axis, grid, "y2")] : []),
      ],
      series: [{}, ...this.curves.map((c, i) => ({ label: c.label, stroke: c.color, scale: this.scaleOf(i), show: this.isShown(i),
        width: this.options.lanes ? 0 : 1.5, points: { show: !this.options.lanes && this.samples[i].values.length === 1, size: 7 }, spanGaps: this.samples[i].turn === 0 }))],
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
    u.over.append(this.playhead, this.dots);
    u.ctx.canvas.setAttribute("aria-hidden", "true"); // the figure's label says what it shows
    let down = [0, 0];
    u.over.addEventListener("mousedown", (e) => {
      down = [e.clientX, e.clientY];
      if (isPan(e)) {
        e.preventDefault();
        this.pan(u, e);
      }
    });
    u.over.addEventListener("click", (e) => {
      if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 5 && !isPan(e)) {
        this.seek(this.timeAt(u, e), e.detail);
      }
    });
    u.over.addEventListener("mouseleave", () => this.link.hover(null));
    u.over.addEventListener("wheel", (e) => this.wheel(u, e), { passive: false });
  }

  /** The time that a place in the plot stands for. */
  private timeAt(u: uPlot, e: MouseEvent): number {
    const box = u.over.getBoundingClientRect();
    const [left, top] = [e.clientX - box.left, e.clientY - box.top];
    return this.isXY ? nearestTime(u, this.seen, left, top) : u.posToVal(left, "x");
  }

  /** At once, unless a second click may follow to undo a zoom: that one does not seek. */
  private seek(t: number, clicks: number): void {
    window.clearTimeout(this.click);
    if (Number.isNaN(t)) {
      return;
    }
    if (!this.isZoomed) {
      this.link.seek(t);
    } else if (clicks < 2) {
      this.click = window.setTimeout(() => this.link.seek(t), CLICK_MS);
    }
  }

  private onCursor(u: uPlot): void {
    const { left, top } = u.cursor;
    if (left !== undefined && left !== null && left >= 0 && u.over.matches(":hover")) {
      const t = this.isXY ? nearestTime(u, this.seen, left, top ?? 0) : u.posToVal(left, "x");
      this.link.hover(Number.isNaN(t) ? null : t);
    }
  }

  private onSelect(u: uPlot): void {
    const { left, top, width, height } = u.select;
    if (width <= 0 && height <= 0) {
      return;
    }
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (height > 0 && height < u.over.clientHeight) {
      (["y", "y2"] as Scale[]).forEach((s) => (this.zoomed[s] = [u.posToVal(top + height, s), u.posToVal(top, s)]));
    }
    if (width > 0 && width < u.over.clientWidth) {
      this.zoomAcross(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    } else {
      this.rescale();
    }
  }

  get isZoomed(): boolean {
    return this.shown[0] > 0 || this.shown[1] < this.end || Object.keys(this.zoomed).length > 0;
  }

  /** Time is zoomed in all plots, a column across in this one. */
  private zoomAcross(low: number, high: number): void {
    if (this.isXY) {
      this.zoomed.x = [low, high];
      this.rescale();
    } else {
      const width = Math.min(high - low, this.end);
      const from = Math.min(Math.max(0, low), this.end - width);
      this.link.zoom(this, from, from + width);
    }
  }

  private unzoom(): void {
    window.clearTimeout(this.click);
    this.zoomed = {};
    this.link.zoom(this, 0, this.end);
  }

  /** Shift or the middle button: what is shown moves with the mouse. */
  private pan(u: uPlot, start: MouseEvent): void {
    const x = this.rangeAcross();
    const scales = (["y", "y2"] as Scale[]).map((s) => [s, this.rangeOf(s)] as const);
    const move = (e: MouseEvent) => {
      const dx = (start.clientX - e.clientX) / u.over.clientWidth;
      const dy = (e.clientY - start.clientY) / u.over.clientHeight;
      if (!this.options.lanes && Math.abs(e.clientY - start.clientY) > 4) {
        scales.forEach(([s, range]) => (this.zoomed[s] = stretched(range, 1, 0, dy, this.look.log)));
      }
      const [low, high] = stretched(x, 1, 0, dx, false);
      this.zoomAcross(low, high);
    };
    const stop = () => {
      window.removeEventListener("mousemove", move);
      window.removeEventListener("mouseup", stop);
    };
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", stop);
  }

  /** With Ctrl the wheel zooms about the cursor, with shift too up and down; alone it scrolls the page. */
  private wheel(u: uPlot, e: WheelEvent): void {
    if (!e.ctrlKey && !e.metaKey) {
      return;
    }
    e.preventDefault();
    const box = u.over.getBoundingClientRect();
    const factor = Math.exp(Math.max(-0.5, Math.min(0.5, 0.002 * (e.deltaY || e.deltaX))));
    if (e.shiftKey && !this.options.lanes) {
      const place = 1 - (e.clientY - box.top) / box.height;
      (["y", "y2"] as Scale[]).forEach((s) => (this.zoomed[s] = stretched(this.rangeOf(s), factor, place, 0, this.look.log)));
      this.rescale();
    } else {
      const [low, high] = stretched(this.rangeAcross(), factor, (e.clientX - box.left) / box.width, 0, false);
      this.zoomAcross(low, high);
    }
  }

  private rescale(): void {
    this.plot?.setScale("x", { min: this.rangeAcross()[0], max: this.rangeAcross()[1] });
    this.plot?.redraw(true, true);
    this.head = NaN;
    this.setTime(this.time);
    this.tools.update();
  }

  zoom(low: number, high: number): void {
    this.shown = [low, high];
    this.rescale();
  }

  /** The playhead; cheap enough for every frame. */
  setTime(t: number): void {
    const moved = t !== this.time;
    this.time = t;
    const u = this.plot;
    if (!u) {
      return;
    }
    this.playhead.hidden = this.isXY;
    if (this.isXY) {
      if (moved || Number.isNaN(this.head)) {
        this.head = 0;
        this.moveDots(u);
      }
      return;
    }
    const x = Math.round(u.valToPos(t, "x"));
    if (x !== this.head) {
      this.head = x;
      this.dots.replaceChildren();
      this.playhead.style.transform = `translateX(${x}px)`;
      const width = u.bbox.width / devicePixelRatio; // asking an element would lay out the page in each frame
      this.playhead.style.visibility = x < 0 || x > width ? "hidden" : "visible";
    }
  }

  /** Where each curve is now, in a plot of one column over another. */
  private moveDots(u: uPlot): void {
    const t = this.hovered ?? this.time;
    this.dots.replaceChildren(...this.seen.map(({ curve, samples, across, scale }) => {
      const dot = h("i", {});
      const [x, y] = [sampleAt(curve.run.times, across!, t), sampleAt(curve.run.times, samples, t)];
      dot.style.background = curve.color;
      dot.style.transform = `translate(${u.valToPos(x, "x")}px, ${u.valToPos(this.look.log ? Math.abs(y) : y, scale)}px)`;
      return dot;
    }));
  }

  /** A time under the mouse in one of the plots, null for none. */
  setHover(t: number | null): void {
    this.hovered = t;
    const u = this.plot;
    if (u && this.isXY) {
      this.moveDots(u);
    } else if (u && !u.over.matches(":hover")) {
      u.setCursor({ left: t === null ? -10 : u.valToPos(t, "x"), top: 10 }, false);
    }
    this.setValues();
  }

  /** Numbers of the legend, at the hovered time or at the animation's; and which of them it is. */
  setValues(): void {
    const t = this.hovered ?? this.time;
    const set = (e: HTMLElement, text: string) => e.textContent !== text && (e.textContent = text);
    set(this.at, this.options.lanes ? "" : `t ${format(t, 5)} s`);
    this.at.classList.toggle("hovering", this.hovered !== null);
    this.curves.slice(0, this.values.length).forEach((c, i) => set(this.values[i], format(sampleAt(c.run.times, this.samples[i], t))));
  }

  private resize(): void {
    const width = this.holder.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
      this.head = NaN;
      queueMicrotask(() => this.setTime(this.time)); // sizes are then those of the elements
    }
  }

  theme(): void {
    this.draw();
  }

  dispose(): void {
    window.clearTimeout(this.click);
    this.observer.disconnect();
    this.plot?.destroy();
  }
}

/** Curves whose short names are those of others too have the whole ones. */
function distinct(curves: Curve[]): Curve[] {
  const twice = (c: Curve) => curves.some((o) => o.label === c.label && o.column.name !== c.column.name);
  return curves.map((c) => (twice(c) ? { ...c, label: c.column.name } : c));
}

function isPan(e: MouseEvent): boolean {
  return e.button === 1 || e.shiftKey;
}

/** Sizes of what lies between two values: a band over zero reaches down for ever. */
function sizes(low: number, high: number): Range {
  return low > 0 ? [low, high] : high < 0 ? [-high, -low] : [1e-300, Math.max(-low, high)];
}

/** A range made longer about a place in it (0 .. 1), or moved by a share of its length. */
function stretched([low, high]: Range, factor: number, place: number, by: number, log: boolean): Range {
  if (log) {
    const [a, b] = stretched([Math.log10(low), Math.log10(high)], factor, place, by, false);
    return [10 ** a, 10 ** b];
  }
  const length = high - low;
  const from = low + place * length * (1 - factor) + by * length;
  return [from, from + factor * length];
}

/** Do the ends of a range differ by more than rounding? Ticks closer than that do not advance. */
function differ(a: number, b: number): boolean {
  return b - a > 1e-11 * Math.max(Math.abs(a), Math.abs(b));
}

/** The part of a list whose times lie within a range. */
function within(times: Float64Array | undefined, list: Float64Array | undefined, low: number, high: number): Float64Array | undefined {
  if (!times || !list || (low <= times[0] && high >= times[times.length - 1])) {
    return list;
  }
  const first = times.findIndex((t) => t >= low);
  const last = times.findIndex((t) => t > high);
  return first < 0 ? list.subarray(0, 0) : list.subarray(first, last < 0 ? undefined : last);
}
