// SPDX-License-Identifier: Apache-2.0
// A figure of a paper: our curves as lines, the paper's numbers as points in the same colours. Hover
// shows values, a drag zooms, a double click goes back, names switch curves.
import uPlot from "uplot";
import type { Plot, PlotCurve } from "./data";
import { format, h, shorten } from "./dom";
import { curveColors, ink, logLabels, logSplits, tickLabels } from "./axes";

const FEW_POINTS = 40; // a curve of no more has markers
const HINT = "Hover for values, drag to zoom, double-click to go back. By keys: arrows, + and −, 0.";

type Range = [number, number];

/** A curve with what it looks like. */
interface Drawn extends PlotCurve {
  style: number;
  color: string;
  name: string; // as the legend has it
  shown: boolean;
}

/** Ours and theirs of one label are one: colour and shape are those of the first. apps/reproduce/svg.c
 * does the same. */
function styled(curves: PlotCurve[]): Drawn[] {
  let styles = 0;
  const done: Drawn[] = [];
  for (const c of curves) {
    const twin = done.find((d) => d.label === c.label && d.theirs !== c.theirs);
    const style = twin?.style ?? styles++;
    const mark = c.theirs && !c.label.includes("(paper)") ? " (paper)" : "";
    done.push({ ...c, style, color: curveColors[style % curveColors.length], name: c.label + mark, shown: true });
  }
  return done;
}

/** A circle, square, diamond or triangle of radius r, added to a path. */
function addMarker(path: Path2D, style: number, x: number, y: number, r: number): void {
  const corners = [
    [], [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  ][style % 4];
  if (corners.length === 0) {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([a, b], k) => (k === 0 ? path.moveTo(x + r * a, y + r * b) : path.lineTo(x + r * a, y + r * b)));
  path.closePath();
}

/** Long lines are thinner one after the other, so that one that lies on another does not hide it. */
function lineWidth(c: PlotCurve, before: number): number {
  return c.x.length <= FEW_POINTS ? 1.6 : [2.6, 1.9][before] ?? 1.3;
}

/** Low and high with a little room; a log axis has it in its own measure. */
function widen([low, high]: Range, log: boolean, share: number): Range {
  if (!(low <= high)) {
    return log ? [1, 10] : [0, 1];
  }
  if (log) {
    const [a, b] = widen([Math.log10(low), Math.log10(high)], false, share);
    return [10 ** Math.max(a, b - 25), 10 ** b];
  }
  const pad = high > low ? share * (high - low) : 0.3 * Math.abs(low) || 1;
  return [low - pad, high + pad];
}

export class Figure {
  readonly root: HTMLElement;
  readonly curves: Drawn[];
  private plot?: uPlot;
  private readonly holder: HTMLElement;
  private readonly at = h("p", { class: "at", "aria-live": "polite" }, HINT);
  private readonly values: HTMLElement[];
  private readonly rings: HTMLElement[];
  private readonly observer: ResizeObserver;
  private zoomed: { x?: Range; y?: Range } = {};

  constructor(private readonly data: Plot) {
    this.curves = styled(data.curves);
    this.values = this.curves.map(() => h("output", {}));
    this.rings = this.curves.map((c) => {
      const ring = h("i", { class: "ring", hidden: true });
      ring.style.borderColor = c.color;
      return ring;
    });
    this.holder = h("div", { class: "plot", tabindex: "0", role: "img", "aria-label": this.description() });
    this.root = h("figure", { class: "panel figure" },
      h("figcaption", {}, h("h3", {}, data.title)), this.holder, this.at,
      h("ul", { class: "curves", "aria-label": "Curves" }, ...this.curves.map((c, i) => this.entry(c, i))));
    this.holder.addEventListener("keydown", (e) => this.key(e));
    this.holder.addEventListener("blur", () => this.hover(null));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.holder);
    this.build();
  }

  /** The zoom, for whoever drives the page by program; empty when all is shown. */
  get zoom(): { x?: Range; y?: Range } {
    return this.zoomed;
  }

  private description(): string {
    const { x, y, title } = this.data;
    const words = this.curves.map((c) => {
      const ys = c.y.filter((v): v is number => v !== null);
      return ys.length > 0 ? `${shorten(c.name)} from ${format(Math.min(...ys), 3)} to ${format(Math.max(...ys), 3)}` : `${shorten(c.name)} without points`;
    });
    return `${title}: ${y.label} against ${x.label}. ${words.join("; ")}.`;
  }

  /** A name of the legend: a button that shows or hides its curve. */
  private entry(c: Drawn, i: number): HTMLElement {
    const ns = "http://www.w3.org/2000/svg";
    const sample = document.createElementNS(ns, "svg");
    sample.setAttribute("viewBox", "0 0 26 14");
    sample.setAttribute("aria-hidden", "true");
    sample.style.color = c.color;
    const add = (d: string, kind: string) => {
      const path = document.createElementNS(ns, "path");
      path.setAttribute("d", d);
      path.setAttribute("class", kind);
      sample.append(path);
    };
    if (!c.theirs) {
      add("M1 7h24", c.style >= curveColors.length ? "dashed" : "line");
    }
    if (this.hasMarkers(c)) {
      const shape = ["M17 7a4 4 0 1 0-8 0a4 4 0 1 0 8 0z", "M9.4 3.4h7.2v7.2h-7.2z", "M13 2l5 5l-5 5l-5-5z", "M13 2.2l4.4 8h-8.8z"][c.style % 4];
      add(shape, c.theirs ? "hollow" : "solid");
    }
    const button = h("button", { type: "button", "aria-pressed": "true", title: c.name }, sample, h("span", { class: "name" }, c.name));
    button.addEventListener("click", () => {
      c.shown = !c.shown;
      button.setAttribute("aria-pressed", String(c.shown));
      this.rescale();
    });
    return h("li", {}, button, this.values[i]);
  }

  private hasMarkers(c: Drawn): boolean {
    return c.theirs || (c.x.length <= FEW_POINTS && !this.data.equal);
  }

  /** Can the point be drawn on these axes? */
  private has(x: number | null, y: number | null): boolean {
    return x !== null && y !== null && (!this.data.x.log || x > 0) && (!this.data.y.log || y > 0);
  }

  /** The span of one coordinate over the points in sight; between: of x, when that is zoomed. */
  private span(axis: "x" | "y", between?: Range): Range {
    let low = Infinity;
    let high = -Infinity;
    for (const c of this.curves.filter((d) => d.shown)) {
      c.x.forEach((x, i) => {
        const y = c.y[i];
        if (this.has(x, y) && (!between || (x! >= between[0] && x! <= between[1]))) {
          const v = axis === "x" ? x! : y!;
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      });
    }
    return [low, high];
  }

  /** What the axes show: the zoom or all, with one scale for both in a picture. */
  private ranges(): { x: Range; y: Range } {
    const x = this.zoomed.x ?? widen(this.span("x"), this.data.x.log, 0.02);
    const y = this.zoomed.y ?? widen(this.span("y", this.zoomed.x), this.data.y.log, 0.06);
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.plot?.over ?? {};
    if (!this.data.equal || width === 0 || height === 0) {
      return { x, y };
    }
    const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const about = ([low, high]: Range, pixels: number): Range => [(low + high - unit * pixels) / 2, (low + high + unit * pixels) / 2];
    return { x: about(x, width), y: about(y, height) };
  }

  private rescale(): void {
    const ranges = this.ranges();
    this.plot?.batch(() => {
      for (const axis of ["x", "y"] as const) {
        const [min, max] = ranges[axis];
        this.plot!.setScale(axis, { min, max });
      }
    });
    this.plot?.redraw();
    this.hover(null);
  }

  private line(u: uPlot, c: Drawn): Path2D {
    const path = new Path2D();
    let down = false;
    c.x.forEach((x, i) => {
      if (!this.has(x, c.y[i])) {
        down = false;
        return;
      }
      const px = u.valToPos(x!, "x", true);
      const py = u.valToPos(c.y[i]!, "y", true);
      if (down) {
        path.lineTo(px, py);
      } else {
        path.moveTo(px, py);
        path.lineTo(px, py); // a point alone is a dot
      }
      down = true;
    });
    return path;
  }

  private markers(u: uPlot, c: Drawn, radius: number): Path2D {
    const path = new Path2D();
    c.x.forEach((x, i) => {
      if (this.has(x, c.y[i])) {
        addMarker(path, c.style, u.valToPos(x!, "x", true), u.valToPos(c.y[i]!, "y", true), radius);
      }
    });
    return path;
  }

  /** Lines first, so that the paper's points lie on top. */
  private draw(u: uPlot): void {
    const { ctx } = u;
    const dot = uPlot.pxRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left - 5 * dot, u.bbox.top - 5 * dot, u.bbox.width + 10 * dot, u.bbox.height + 10 * dot);
    ctx.clip();
    ctx.lineJoin = ctx.lineCap = "round";
    let lines = 0;
    for (const c of [...this.curves].sort((a, b) => Number(a.theirs) - Number(b.theirs)).filter((d) => d.shown)) {
      ctx.strokeStyle = ctx.fillStyle = c.color;
      if (!c.theirs) {
        ctx.lineWidth = lineWidth(c, lines++) * dot;
        ctx.setLineDash(c.style >= curveColors.length ? [6 * dot, 4 * dot] : []);
        ctx.stroke(this.line(u, c));
        ctx.setLineDash([]);
      }
      if (this.hasMarkers(c)) {
        const path = this.markers(u, c, (c.theirs ? 4 : 2.6) * dot);
        if (c.theirs) {
          ctx.fillStyle = ink().back;
        }
        ctx.fill(path);
        if (c.theirs) {
          ctx.lineWidth = 1.6 * dot;
          ctx.stroke(path);
        }
      }
    }
    ctx.restore();
  }

  private axis(which: "x" | "y"): uPlot.Axis {
    const { faint, text, grid, font } = ink();
    const { label, log } = this.data[which];
    const size = (_u: uPlot, labels: string[] | null) =>
      which === "x" ? 26 : Math.max(36, 14 + 6.3 * Math.max(0, ...(labels ?? []).map((l) => l.length)));
    return {
      stroke: faint, font, labelFont: font.replace("11px", "12px"), label, labelSize: 20, labelGap: 2, gap: 5, size,
      ticks: { show: false }, grid: { stroke: grid, width: 1 }, border: { show: true, stroke: text, width: 0.5 },
      ...(log ? { splits: (_s: uPlot, _i: number, low: number, high: number) => logSplits(low, high), filter: (_s: uPlot, v: number[]) => v, values: logLabels } : { values: tickLabels }),
    };
  }

  private get height(): number {
    const high = this.holder.clientWidth < 480 ? 280 : 360;
    return this.data.equal ? high + 120 : high;
  }

  private build(): void {
    this.plot?.destroy();
    const scale = (axis: "x" | "y"): uPlot.Scale => ({ time: false, distr: this.data[axis].log ? 3 : 1, range: () => this.ranges()[axis] });
    const options: uPlot.Options = {
      width: Math.max(120, this.holder.clientWidth),
      height: this.height,
      legend: { show: false },
      padding: [10, 16, 0, 0],
      pxAlign: 0,
      cursor: {
        points: { show: false },
        drag: { x: true, y: true, uni: 40, dist: 6, setScale: false },
        bind: { dblclick: () => () => (this.setZoom({}), null) },
      },
      scales: { x: scale("x"), y: scale("y") },
      axes: [this.axis("x"), this.axis("y")],
      // uPlot has the axes and the mouse; the curves, each with an x of its own, are drawn here
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(u) => this.draw(u)],
        setCursor: [(u) => this.hover(u.cursor.left ?? null)],
        setSelect: [(u) => this.select(u)],
        ready: [(u) => u.over.append(...this.rings)],
      },
    };
    const { x, y } = this.ranges();
    this.plot = new uPlot(options, [x, y], this.holder);
    this.rescale(); // its size is known now
    this.plot.ctx.canvas.setAttribute("aria-hidden", "true");
  }

  private select(u: uPlot): void {
    const { left, top, width, height } = u.select;
    if (width <= 0 && height <= 0) {
      return;
    }
    const zoom: { x?: Range; y?: Range } = { ...this.zoomed };
    if (width > 0 && width < u.over.clientWidth) {
      zoom.x = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    }
    if (height > 0 && height < u.over.clientHeight) {
      zoom.y = [u.posToVal(top + height, "y"), u.posToVal(top, "y")];
    }
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.setZoom(zoom);
  }

  private setZoom(zoom: { x?: Range; y?: Range }): void {
    this.zoomed = zoom;
    this.rescale();
  }

  /** The point of a curve that stands nearest to a place across, in pixels from the left. */
  private nearest(u: uPlot, c: Drawn, left: number): number {
    let best = -1;
    let distance = Infinity;
    c.x.forEach((x, i) => {
      const d = this.has(x, c.y[i]) ? Math.abs(u.valToPos(x!, "x") - left) : Infinity;
      if (d < distance) {
        distance = d;
        best = i;
      }
    });
    return best;
  }

  /** Values of the legend at a place across, null for none; rings show whose they are. */
  private hover(left: number | null): void {
    const u = this.plot;
    const on = u !== undefined && left !== null && left >= 0;
    const text = on ? `${this.data.x.label}: ${format(u.posToVal(left, "x"), 4)}` : HINT;
    if (this.at.textContent !== text) {
      this.at.textContent = text;
    }
    this.curves.forEach((c, k) => {
      const i = on && c.shown ? this.nearest(u, c, left) : -1;
      const x = i >= 0 ? u!.valToPos(c.x[i]!, "x") : -1;
      const y = i >= 0 ? u!.valToPos(c.y[i]!, "y") : -1;
      const seen = i >= 0 && x >= -1 && x <= u!.over.clientWidth + 1;
      const away = seen && Math.abs(x - left!) > 4;
      this.values[k].textContent = seen ? `${format(c.y[i], 4)}${away ? ` at ${format(c.x[i], 4)}` : ""}` : "";
      this.rings[k].hidden = !seen || y < 0 || y > u!.over.clientHeight;
      this.rings[k].style.transform = `translate(${x}px, ${y}px)`;
    });
  }

  /** Shows a part of what is shown, about the cursor. */
  private zoomBy(factor: number): void {
    const u = this.plot!;
    const width = u.over.clientWidth;
    const { left = 0 } = u.cursor;
    const middle = left >= 0 ? left : width / 2;
    this.setZoom({ x: [u.posToVal(middle - factor * middle, "x"), u.posToVal(middle + factor * (width - middle), "x")] });
  }

  private key(event: KeyboardEvent): void {
    const u = this.plot;
    if (!u || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const width = u.over.clientWidth;
    const from = u.cursor.left !== undefined && u.cursor.left >= 0 ? u.cursor.left : width / 2;
    const step = (event.shiftKey ? 0.1 : 0.01) * width;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => u.setCursor({ left: Math.max(0, from - step), top: u.over.clientHeight / 2 }),
      ArrowRight: () => u.setCursor({ left: Math.min(width, from + step), top: u.over.clientHeight / 2 }),
      "+": () => this.zoomBy(0.5),
      "-": () => this.zoomBy(2),
      "0": () => this.setZoom({}),
    };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  private resize(): void {
    const width = this.holder.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
      this.rescale();
    }
  }

  theme(): void {
    this.build();
  }
}
