// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: an axis for each column, a line across them for each case; ranges on axes select.
import { count, h, shorten } from "./dom";
import { css, fit, Ink, plain, themeColor } from "./paint";
import type { Cases, Column, Selection } from "./sweep_data";

const HEIGHT = 270; // of an axis [px]
const RAIL = 26; // below it, for what has no place on it
const PAD = 10;
const GAP = 92; // between axes, at least
const EDGE = 7; // of a range, to drag it by
const FEW = 1500; // cases that are drawn as lines one by one
const SLICE_MS = 7; // of a frame, for drawing more of them

/** What the charts of a sweep ask of their page. */
export interface Link {
  selected(): void; // the selection has changed
  rescaled(column: Column): void;
  open(number: number): void; // a case
  point(row: number): void; // at a case; -1: at none
}

/** How cases are painted. */
export interface Paint {
  palette: Uint8Array;
  tints: Uint8Array;
}

export class Parallel {
  readonly root: HTMLElement;
  readonly order: number[];
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly above = h("canvas", { "aria-hidden": "true" });
  private readonly box = h("div", { class: "parallel-box" });
  private readonly chips = h("div", { class: "chips", role: "group", "aria-label": "Axes to show" });
  private readonly axes = new Map<number, Axis>();
  private readonly all = new Ink();
  private readonly chosen = new Ink();
  private readonly bad = new Ink();
  private next = 0; // of the shuffled cases, to be drawn
  private drawnAll = false;
  private seen = -1; // version of the selection that is drawn
  private gap = GAP;
  private width = 0;
  private grey = plain([0, 0, 0]);
  private red = plain([0, 0, 0]);

  constructor(
    private readonly cases: Cases,
    private readonly selection: Selection,
    private paint: Paint,
    private readonly link: Link,
    first: number[],
  ) {
    this.order = first;
    this.box.append(this.canvas, this.above);
    const details = h("details", { class: "choose" }, h("summary", {}, "Axes"), this.chips);
    this.root = h("figure", { class: "panel parallel", "aria-label": "Parallel coordinates" },
      h("figcaption", {}, h("h2", {}, "Cases across columns"),
        h("span", { class: "unit" }, "drag along an axis to select, its name to move it; double-click clears")),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Axes" }, this.box), details);
    this.fillChips();
    this.setAxes();
    this.box.addEventListener("pointermove", (e) => this.hover(e));
    this.box.addEventListener("pointerleave", () => link.point(-1));
    this.box.addEventListener("click", (e) => this.click(e));
  }

  private fillChips(): void {
    this.chips.replaceChildren(...this.cases.columns.filter((c) => c.role !== "number").map((c) => {
      const chip = h("button", { type: "button", class: "chip", title: c.name, "aria-pressed": String(this.order.includes(c.index)) }, shorten(c.name, 32));
      chip.addEventListener("click", () => {
        const at = this.order.indexOf(c.index);
        if (at >= 0) {
          this.order.splice(at, 1);
        } else {
          this.order.push(c.index);
        }
        chip.setAttribute("aria-pressed", String(at < 0));
        this.setAxes();
        this.redraw();
      });
      return chip;
    }));
  }

  private setAxes(): void {
    for (const axis of this.axes.values()) {
      axis.root.remove();
    }
    this.axes.clear();
    for (const k of this.order) {
      const axis = new Axis(this.cases.columns[k], this.selection, {
        changed: () => this.link.selected(),
        rescale: () => this.link.rescaled(this.cases.columns[k]),
        flip: () => this.redraw(),
        drag: (x, done) => this.drag(k, x, done),
        step: (by) => this.step(k, by),
      });
      this.axes.set(k, axis);
      this.box.append(axis.root);
    }
    this.resize();
  }

  /** Where the axis with number a of the order stands. */
  private at(a: number): number {
    return Math.round(PAD + this.gap / 2 + a * this.gap);
  }

  resize(): void {
    const outer = this.root.querySelector(".scroll")!.clientWidth || 600;
    this.gap = Math.max(GAP, (outer - 2 * PAD) / Math.max(1, this.order.length));
    this.width = Math.floor(2 * PAD + this.gap * this.order.length);
    this.box.style.width = `${this.width}px`;
    const missing = this.order.some((k) => this.cases.columns[k].place.some(Number.isNaN));
    this.box.classList.toggle("railed", missing);
    this.order.forEach((k, a) => this.axes.get(k)!.place(this.at(a), this.gap));
    this.redraw();
  }

  /** An axis is dragged by its name: others make room when it is let go. */
  private drag(k: number, x: number, done: boolean): void {
    const left = x - this.box.getBoundingClientRect().left;
    this.axes.get(k)!.place(left, this.gap);
    const from = this.order.indexOf(k);
    const to = Math.min(this.order.length - 1, Math.max(0, Math.round((left - PAD - this.gap / 2) / this.gap)));
    if (to !== from) {
      this.order.splice(from, 1);
      this.order.splice(to, 0, k);
      this.order.forEach((o, a) => o !== k && this.axes.get(o)!.place(this.at(a), this.gap));
      this.redraw();
    }
    if (done) {
      this.axes.get(k)!.place(this.at(this.order.indexOf(k)), this.gap);
      this.redraw();
    }
  }

  private step(k: number, by: number): void {
    const from = this.order.indexOf(k);
    const to = Math.min(this.order.length - 1, Math.max(0, from + by));
    this.order.splice(from, 1);
    this.order.splice(to, 0, k);
    this.order.forEach((o, a) => this.axes.get(o)!.place(this.at(a), this.gap));
    this.redraw();
  }

  repaint(paint: Paint): void {
    this.paint = paint;
    this.grey = plain(themeColor("--text-3"));
    this.red = plain(themeColor("--bad"));
    this.redraw();
  }

  rescaled(): void {
    this.axes.forEach((a) => a.show());
    this.resize();
  }

  redraw(): void {
    this.drawnAll = false;
    this.seen = -1;
  }

  private y(column: Column, row: number): number {
    const t = column.place[row];
    return Number.isNaN(t) ? HEIGHT + RAIL - 12 : Math.round((column.flipped ? t : 1 - t) * (HEIGHT - 1));
  }

  private trace(ink: Ink, row: number, tint: number): void {
    const { columns } = this.cases;
    let x0 = this.at(0);
    let y0 = this.y(columns[this.order[0]], row);
    for (let a = 1; a < this.order.length; a++) {
      const x1 = this.at(a);
      const y1 = this.y(columns[this.order[a]], row);
      ink.line(x0, y0, x1, y1, tint);
      x0 = x1;
      y0 = y1;
    }
  }

  /** Draws for some milliseconds. returns whether there is more to draw */
  frame(): boolean {
    if (this.order.length < 2) {
      fit(this.canvas, this.width, HEIGHT + RAIL, 1).clearRect(0, 0, this.width, HEIGHT + RAIL);
      return false;
    }
    if (this.seen !== this.selection.version) {
      this.seen = this.selection.version;
      this.axes.forEach((a) => a.show());
      this.begin();
    }
    if (this.next >= this.cases.n) {
      return false;
    }
    if (this.cases.n <= FEW) {
      this.strokes();
      this.next = this.cases.n;
      return false;
    }
    this.more(performance.now() + SLICE_MS);
    this.compose();
    return this.next < this.cases.n;
  }

  private begin(): void {
    const height = HEIGHT + RAIL;
    this.next = 0;
    if (this.cases.n > FEW) {
      if (!this.drawnAll) {
        this.all.clear(this.width, height);
      }
      this.chosen.clear(this.width, height);
      this.bad.clear(this.width, height);
    }
  }

  private more(until: number): void {
    const { cases, selection, paint } = this;
    const { shuffled, failed } = cases;
    while (this.next < cases.n && (this.next % 64 !== 0 || performance.now() < until)) {
      const row = shuffled[this.next++];
      if (!this.drawnAll) {
        this.trace(this.all, row, 0);
      }
      if (selection.mask[row]) {
        this.trace(failed[row] ? this.bad : this.chosen, row, paint.tints[row]);
      }
    }
    this.drawnAll = this.drawnAll || this.next >= cases.n;
  }

  private compose(): void {
    const context = fit(this.canvas, this.width, HEIGHT + RAIL, 1);
    const image = context.createImageData(this.canvas.width, this.canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    this.all.over(pixels, this.grey, 0.05, 0.25);
    this.chosen.over(pixels, this.paint.palette, 0.16, 1);
    this.bad.over(pixels, this.red, 0.35, 1);
    context.putImageData(image, 0, 0);
  }

  private path(context: CanvasRenderingContext2D, row: number): void {
    context.beginPath();
    this.order.forEach((k, a) => context.lineTo(this.at(a), this.y(this.cases.columns[k], row)));
    context.stroke();
  }

  private strokes(): void {
    const { cases, selection, paint } = this;
    const context = fit(this.canvas, this.width, HEIGHT + RAIL, Math.min(2, devicePixelRatio));
    context.clearRect(0, 0, this.width, HEIGHT + RAIL);
    const alpha = Math.min(0.9, Math.max(0.12, 60 / Math.max(1, selection.count)));
    const grey = themeColor("--text-3").join(" ");
    const bad = themeColor("--bad").join(" ");
    for (const chosen of [0, 1]) {
      for (let i = 0; i < cases.n; i++) {
        const row = cases.shuffled[i];
        if (selection.mask[row] === chosen) {
          const failed = cases.failed[row] === 1;
          context.setLineDash(failed ? [5, 4] : []);
          context.lineWidth = chosen ? 1.3 : 1;
          context.strokeStyle = !chosen ? `rgb(${grey} / 0.1)` : failed ? `rgb(${bad} / ${Math.max(0.5, alpha)})` : css(paint.palette, paint.tints[row], alpha);
          this.path(context, row);
        }
      }
    }
  }

  /** The case under the pointer, if one is near. */
  private near(event: PointerEvent | MouseEvent): number {
    const bounds = this.canvas.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    const a = Math.floor((x - this.at(0)) / this.gap);
    if (a < 0 || a >= this.order.length - 1 || y < 0 || y > HEIGHT + RAIL) {
      return -1;
    }
    const [left, right] = [this.cases.columns[this.order[a]], this.cases.columns[this.order[a + 1]]];
    const s = (x - this.at(a)) / (this.at(a + 1) - this.at(a));
    let best = -1;
    let least = 5;
    for (let i = 0; i < this.cases.n; i++) {
      if (this.selection.mask[i]) {
        const d = Math.abs((1 - s) * this.y(left, i) + s * this.y(right, i) - y);
        if (d < least) {
          least = d;
          best = i;
        }
      }
    }
    return best;
  }

  private hover(event: PointerEvent): void {
    if (event.buttons === 0) {
      this.link.point((event.target as HTMLElement).closest(".axis") ? -1 : this.near(event));
    }
  }

  private click(event: MouseEvent): void {
    const row = (event.target as HTMLElement).closest(".axis") ? -1 : this.near(event);
    if (row >= 0) {
      this.link.open(this.cases.number[row]);
    }
  }

  /** Rows that stand out: the one pointed at, the one that is open. */
  mark(rows: number[]): void {
    const context = fit(this.above, this.width, HEIGHT + RAIL, Math.min(2, devicePixelRatio));
    context.clearRect(0, 0, this.width, HEIGHT + RAIL);
    const text = themeColor("--text").join(" ");
    const surface = themeColor("--surface").join(" ");
    for (const row of rows.filter((r) => r >= 0)) {
      for (const [width, color] of [[5, surface], [2.2, text]] as const) {
        context.lineWidth = width;
        context.strokeStyle = `rgb(${color} / 0.9)`;
        this.path(context, row);
      }
    }
  }
}

interface AxisLink {
  changed(): void;
  rescale(): void;
  flip(): void;
  drag(x: number, done: boolean): void;
  step(by: number): void;
}

/** One axis: its name, ticks, and the range that is selected on it. */
class Axis {
  readonly root: HTMLElement;
  private readonly track = h("div", { class: "track-y" });
  private readonly range = h("div", { class: "range", hidden: true });
  private readonly ticks = h("div", { class: "ticks", "aria-hidden": "true" });
  private readonly none = h("span", { class: "none", "aria-hidden": "true" });

  constructor(
    private readonly column: Column,
    private readonly selection: Selection,
    private readonly link: AxisLink,
  ) {
    const name = h("span", { class: "name", title: `${column.title}: drag to move` },
      ...shorten(column.name, 40).split(/(?<=\.)/).flatMap((piece, i) => [i > 0 ? h("wbr", {}) : "", piece]));
    const flip = h("button", { type: "button", title: "Turn over", "aria-label": `Turn ${shorten(column.name)} over` }, "⇅");
    flip.addEventListener("click", () => this.flip());
    const log = h("button", { type: "button", title: "Logarithmic", "aria-pressed": "false", "aria-label": `${shorten(column.name)} logarithmic` }, "log");
    log.hidden = !column.scale.positive;
    log.addEventListener("click", () => this.toggleLog());
    this.track.append(this.range, this.ticks);
    const bar = h("div", { class: "bar", tabindex: "0", role: "slider", "aria-orientation": "vertical",
      "aria-label": `${column.title}: arrows move a range, with shift its size, escape clears` }, this.track);
    this.root = h("div", { class: `axis ${column.role}` },
      h("div", { class: "head" }, name, h("span", { class: "unit" }, column.unit || "\u00a0"), h("span", { class: "tools-y" }, flip, log)), bar, this.none);
    this.dragName(name);
    this.dragRange(bar);
    bar.addEventListener("keydown", (e) => this.key(e));
    bar.addEventListener("dblclick", () => this.set(null));
    this.show();
  }

  place(x: number, gap: number): void {
    this.root.style.left = `${x - gap / 2}px`;
    this.root.style.width = `${gap}px`;
  }

  private flip(): void {
    this.column.flipped = !this.column.flipped;
    this.show();
    this.link.flip();
  }

  private toggleLog(): void {
    this.column.setLog(!this.column.scale.log);
    this.link.rescale();
  }

  /** From 0 at the top to 1. */
  private share(value: number): number {
    const t = this.column.scale.to(value);
    return this.column.flipped ? t : 1 - t;
  }

  private value(share: number): number {
    return this.column.scale.from(this.column.flipped ? share : 1 - share);
  }

  show(): void {
    const { column } = this;
    const range = this.selection.ranges.get(column.index);
    this.range.hidden = !range;
    if (range) {
      const [a, b] = range.map((v) => Math.min(1, Math.max(0, this.share(v))) || 0).sort((p, q) => p - q);
      this.range.style.top = `${100 * a}%`;
      this.range.style.height = `${Math.max(0.6, 100 * (b - a))}%`;
    }
    const scaled = `${column.scale.log} ${column.flipped}`;
    if (scaled !== this.scaled) {
      this.scaled = scaled;
      this.showTicks();
    }
    const bar = this.root.querySelector(".bar")!;
    const now = range ? `${column.text(range[0], 4)} to ${column.text(range[1], 4)}` : "all";
    if (bar.getAttribute("aria-valuetext") !== now) {
      bar.setAttribute("aria-valuetext", now);
      bar.setAttribute("aria-valuenow", String(range?.[0] ?? 0));
    }
  }

  private scaled = "";

  /** What changes with the scale alone. */
  private showTicks(): void {
    const { column } = this;
    this.ticks.replaceChildren(...column.scale.ticks(5).map(([v, text]) => {
      const tick = h("span", { title: text }, shorten(text, 14));
      tick.style.top = `${100 * this.share(v)}%`;
      return tick;
    }));
    const missing = column.place.reduce((n, t) => n + (Number.isNaN(t) ? 1 : 0), 0);
    this.none.textContent = missing > 0 ? `${count(missing)} ${column.scale.log ? "not > 0" : "no value"}` : "";
    this.root.querySelector("[aria-pressed]")!.setAttribute("aria-pressed", String(column.scale.log));
  }

  /** From ends in shares of the axis. */
  private set(ends: [number, number] | null): void {
    const values = ends?.map((s) => this.value(Math.min(1, Math.max(0, s)))) as [number, number] | undefined;
    this.selection.set(this.column.index, values ?? null);
    this.link.changed();
  }

  private dragName(name: HTMLElement): void {
    name.addEventListener("pointerdown", (e) => {
      name.setPointerCapture(e.pointerId);
      this.root.classList.add("moving");
      const move = (m: PointerEvent) => this.link.drag(m.clientX, false);
      name.addEventListener("pointermove", move);
      const end = (m: PointerEvent) => {
        name.removeEventListener("pointermove", move);
        this.root.classList.remove("moving");
        this.link.drag(m.clientX, true);
      };
      name.addEventListener("pointerup", end, { once: true });
    });
  }

  /** The range as shares, from the top. */
  private get ends(): [number, number] | null {
    const range = this.selection.ranges.get(this.column.index);
    return range ? (range.map((v) => this.share(v)).sort((a, b) => a - b) as [number, number]) : null;
  }

  /** A new range, or the one that is there: moved, or by one of its ends. */
  private dragRange(bar: HTMLElement): void {
    bar.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) {
        return;
      }
      bar.setPointerCapture(e.pointerId);
      const bounds = this.track.getBoundingClientRect();
      const at = (m: PointerEvent) => Math.min(1, Math.max(0, (m.clientY - bounds.top) / bounds.height));
      const start = at(e);
      const edge = EDGE / bounds.height;
      const old = this.ends;
      const inside = old && start > old[0] - edge && start < old[1] + edge;
      const fixed = inside && start < old[0] + edge ? old[1] : inside && start > old[1] - edge ? old[0] : null;
      const move = (m: PointerEvent) => {
        const now = at(m);
        if (inside && fixed === null) {
          const by = Math.min(1 - old[1], Math.max(-old[0], now - start));
          this.set([old[0] + by, old[1] + by]);
        } else if (Math.abs(m.clientY - e.clientY) > 2 || fixed !== null) {
          this.set([fixed ?? start, now]);
        }
      };
      bar.addEventListener("pointermove", move);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
    });
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowUp: -0.05, ArrowDown: 0.05 }[event.key] ?? 0;
    const [a, b] = this.ends ?? [0.4, 0.6];
    if (event.altKey && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
      this.link.step(event.key === "ArrowLeft" ? -1 : 1);
      (event.currentTarget as HTMLElement).focus();
    } else if (by !== 0) {
      this.set(event.shiftKey ? [a + by, Math.max(a + by, b - by)] : !this.ends ? [a, b] : [a + by, b + by]);
    } else if (event.key === "Escape") {
      this.set(null);
    } else if (event.key === "f") {
      this.flip();
    } else if (event.key === "l" && this.column.scale.positive) {
      this.toggleLog();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
