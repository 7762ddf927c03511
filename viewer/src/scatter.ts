// SPDX-License-Identifier: Apache-2.0
// Cases as points over two columns; cases of a grid of two axes as a picture, a cell for each.
import { count, format, h, shorten } from "./dom";
import { css, fit, Ink, NO_VALUE, plain, themeColor, tintAt, type Rgb } from "./paint";
import type { Link, Paint } from "./parallel";
import type { Cases, Column, Grid, Selection } from "./sweep_data";

const LEFT = 86;
const BOTTOM = 46;
const TOP = 8;
const RIGHT = 12;
const GUTTER = 16; // for points without a value, left of and below the others
const FEW = 4000; // points that are drawn one by one
const REACH = 14; // of the pointer [px]

interface Window {
  x: [number, number];
  y: [number, number];
}

/** A select with columns. */
export function columnSelect(columns: Column[], label: string, chosen: number, none?: string): HTMLSelectElement {
  const select = h("select", { "aria-label": label },
    none ? h("option", { value: "-1", selected: chosen < 0 }, none) : null,
    ...columns.map((c) => h("option", { value: String(c.index), selected: c.index === chosen, title: c.name }, shorten(c.name, 36))));
  return select;
}

export class Scatter {
  readonly root: HTMLElement;
  x: number;
  y: number;
  private readonly canvas = h("canvas", { tabindex: "0", role: "img" });
  private readonly above = h("canvas", { "aria-hidden": "true" });
  private readonly brush = h("div", { class: "brush", hidden: true });
  private readonly box: HTMLElement;
  private readonly note = h("span", { class: "unit" });
  private readonly zoomIn = h("button", { type: "button", class: "chip" }, "Zoom to selection");
  private readonly zoomOut = h("button", { type: "button", class: "chip" }, "Show all");
  private window?: Window;
  private seen = -1;
  private width = 500;
  private height = 380;
  private color?: Column;
  private readonly ink = { grey: new Ink(), color: new Ink(), bad: new Ink() };

  constructor(
    private readonly cases: Cases,
    private readonly selection: Selection,
    private paint: Paint,
    private readonly link: Link & { tell(text: string): void },
    first: [number, number],
  ) {
    [this.x, this.y] = first;
    const { columns } = cases;
    const xs = columnSelect(columns, "Across", this.x);
    const ys = columnSelect(columns, "Up", this.y);
    xs.addEventListener("change", () => this.setColumns(Number(xs.value), this.y));
    ys.addEventListener("change", () => this.setColumns(this.x, Number(ys.value)));
    this.zoomIn.addEventListener("click", () => this.zoom());
    this.zoomOut.addEventListener("click", () => this.zoom(null));
    const large = h("button", { type: "button", class: "chip", "aria-pressed": "false" }, "Large");
    large.addEventListener("click", () => {
      const on = this.root.classList.toggle("large");
      large.setAttribute("aria-pressed", String(on));
      this.resize();
    });
    this.box = h("div", { class: "scatter-box" }, this.canvas, this.above, this.brush);
    this.root = h("figure", { class: "panel scatter" },
      h("figcaption", {}, h("h2", {}, "Two columns"), this.note),
      h("div", { class: "tools" }, h("label", {}, "Across ", xs), h("label", {}, "Up ", ys), this.zoomIn, this.zoomOut, large),
      this.box);
    this.listen();
  }

  private get cx(): Column {
    return this.cases.columns[this.x];
  }

  private get cy(): Column {
    return this.cases.columns[this.y];
  }

  /** The grid, when its axes are the ones shown and there is a column to show. */
  private get picture(): { grid: Grid; value: Float64Array; turned: boolean } | undefined {
    const { grid } = this.cases;
    const turned = grid !== undefined && this.x === grid.y && this.y === grid.x;
    if (!grid || !this.color || !(turned || (this.x === grid.x && this.y === grid.y))) {
      return undefined;
    }
    const value = this.wholeOf(this.color.index);
    return value && { grid, value, turned };
  }

  /** A column of all cases, where the page has it. */
  private wholeOf(column: number): Float64Array | undefined {
    return this.cases.grid?.pictures.get(column) ?? (this.cases.raw.numbers ? undefined : this.cases.columns[column].value);
  }

  setColumns(x: number, y: number): void {
    this.x = x;
    this.y = y;
    this.window = undefined;
    this.redraw();
  }

  repaint(paint: Paint, color?: Column): void {
    this.paint = paint;
    this.color = color;
    this.redraw();
  }

  rescaled(): void {
    this.window = undefined;
    this.redraw();
  }

  redraw(): void {
    this.seen = -1;
  }

  resize(): void {
    this.width = this.box.clientWidth || 500;
    this.height = this.box.clientHeight || 380;
    this.redraw();
  }

  /** The part of the scales that is shown. */
  private get shown(): Window {
    if (this.window) {
      return this.window;
    }
    const around = (column: Column): [number, number] => {
      const pad = column.words ? 0 : 0.02;
      return [-pad, 1 + pad];
    };
    const cells = (column: Column, values: number[]): [number, number] => {
      const t = values.map((v) => column.scale.to(v)).filter((p) => !Number.isNaN(p)).sort((a, b) => a - b);
      const half = t.length > 1 ? [(t[1] - t[0]) / 2, (t[t.length - 1] - t[t.length - 2]) / 2] : [0.5, 0.5];
      return t.length > 0 ? [t[0] - half[0], t[t.length - 1] + half[1]] : [0, 1];
    };
    const { picture } = this;
    if (picture) {
      const { grid, turned } = picture;
      return { x: cells(this.cx, turned ? grid.ys : grid.xs), y: cells(this.cy, turned ? grid.xs : grid.ys) };
    }
    return { x: around(this.cx), y: around(this.cy) };
  }

  private zoom(to?: null): void {
    const ends = (column: Column, now: [number, number]): [number, number] => {
      const range = this.selection.ranges.get(column.index)?.map((v) => column.scale.to(v));
      return range && range[1] > range[0] ? (range as [number, number]) : now;
    };
    const { shown } = this;
    this.window = to === null ? undefined : { x: ends(this.cx, shown.x), y: ends(this.cy, shown.y) };
    this.redraw();
  }

  /** Room for points without a value, where there are any: across and up. */
  private gutters: [number, number] = [0, 0];

  private get plot(): [number, number, number, number] {
    const [gx, gy] = this.gutters;
    return [LEFT + gx, TOP, this.width - LEFT - gx - RIGHT, this.height - TOP - BOTTOM - gy];
  }

  /** Pixels of places on the scales; gutters for what has none. */
  private toX([lo, hi]: [number, number]): (t: number) => number {
    const [left, , w] = this.plot;
    const scale = w / (hi - lo);
    return (t) => (t === t ? left + scale * (t - lo) : left - GUTTER / 2);
  }

  private toY([lo, hi]: [number, number]): (t: number) => number {
    const [, top, , height] = this.plot;
    const scale = height / (hi - lo);
    return (t) => (t === t ? top + height - scale * (t - lo) : top + height + GUTTER / 2);
  }

  frame(): boolean {
    if (this.seen === this.selection.version) {
      return false;
    }
    this.seen = this.selection.version;
    this.gutters = [this.cx, this.cy].map((c) => (!this.picture && c.place.some(Number.isNaN) ? GUTTER : 0)) as [number, number];
    const many = this.cases.n > FEW && !this.picture;
    const context = fit(this.canvas, this.width, this.height, many ? 1 : Math.min(2, devicePixelRatio));
    context.clearRect(0, 0, this.width, this.height);
    if (this.picture) {
      this.drawPicture(context);
    } else if (many) {
      this.drawMany(context);
    } else {
      this.drawFew(context);
    }
    this.drawAxes(context);
    this.describe();
    return false;
  }

  private describe(): void {
    const { picture, selection, cases } = this;
    this.note.textContent = picture
      ? `${picture.grid.nx} × ${picture.grid.ny} cells${cases.raw.failed > 0 ? ", failed ones red" : ""}, grey without a value; click one for its case, drag to select`
      : `${count(selection.count - selection.failed)} ended well${selection.failed > 0 ? `, ${count(selection.failed)} failed (hollow)` : ""}; click for a case, drag to select`;
    this.canvas.setAttribute("aria-label", `${this.cy.title} over ${this.cx.title}${this.color ? `, coloured by ${this.color.title}` : ""}: ${picture ? "a picture of the grid" : `${cases.n} points`}`);
    this.zoomIn.hidden = !selection.ranges.has(this.x) && !selection.ranges.has(this.y);
    this.zoomOut.hidden = !this.window;
  }

  private drawMany(context: CanvasRenderingContext2D): void {
    const { width, height } = this.canvas;
    const { cases, selection, paint, shown } = this;
    const { grey, color, bad } = this.ink;
    const [tx, ty] = [this.cx.place, this.cy.place];
    const [toX, toY] = [this.toX(shown.x), this.toY(shown.y)];
    [grey, color, bad].forEach((ink) => ink.clear(width, height));
    for (let i = 0; i < cases.n; i++) {
      const x = (toX(tx[i]) + 0.5) | 0;
      const y = (toY(ty[i]) + 0.5) | 0;
      if (!selection.mask[i]) {
        grey.dot(x, y, 0);
      } else if (cases.failed[i]) {
        for (let d = -2; d <= 2; d++) { // a hollow square
          bad.dot(x + d, y - 2, 0);
          bad.dot(x + d, y + 2, 0);
          bad.dot(x - 2, y + d, 0);
          bad.dot(x + 2, y + d, 0);
        }
      } else {
        const t = paint.tints[i];
        color.dot(x, y, t);
        color.dot(x + 1, y, t);
        color.dot(x, y + 1, t);
        color.dot(x + 1, y + 1, t);
      }
    }
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    grey.over(pixels, plain(themeColor("--text-3")), 0.15, 0.4);
    color.over(pixels, paint.palette, 0.65, 1);
    bad.over(pixels, plain(themeColor("--bad")), 0.7, 1);
    context.putImageData(image, 0, 0);
    this.clip(context);
  }

  /** Points of a zoomed window end at its frame. */
  private clip(context: CanvasRenderingContext2D): void {
    const [left, top, w, height] = this.plot;
    const [gx, gy] = this.gutters;
    context.clearRect(0, 0, left - gx, this.height);
    context.clearRect(left + w + 2, 0, RIGHT, this.height);
    context.clearRect(0, 0, this.width, top - 2);
    context.clearRect(0, top + height + gy, this.width, BOTTOM);
  }

  private drawFew(context: CanvasRenderingContext2D): void {
    const { cases, selection, paint, shown } = this;
    const radius = cases.n > 500 ? 2.6 : 3.6;
    const [toX, toY] = [this.toX(shown.x), this.toY(shown.y)];
    const bad = themeColor("--bad").join(" ");
    const grey = themeColor("--text-3").join(" ");
    for (const chosen of [0, 1]) {
      for (let i = 0; i < cases.n; i++) {
        if (selection.mask[i] === chosen) {
          context.beginPath();
          context.arc(toX(this.cx.place[i]), toY(this.cy.place[i]), radius, 0, 7);
          if (cases.failed[i]) {
            context.lineWidth = 1.4;
            context.strokeStyle = `rgb(${chosen ? bad : grey} / ${chosen ? 1 : 0.4})`;
            context.stroke();
          } else {
            context.fillStyle = chosen ? css(paint.palette, paint.tints[i], 0.85) : `rgb(${grey} / 0.25)`;
            context.fill();
          }
        }
      }
    }
    this.clip(context);
  }

  /** For each pixel of an edge the index of the cell there, -1: none. */
  private cells(values: number[], column: Column, shown: [number, number], pixels: number): Int32Array {
    const t = values.map((v) => column.scale.to(v));
    const order = t.map((_v, i) => i).filter((i) => !Number.isNaN(t[i])).sort((a, b) => t[a] - t[b]);
    const at = new Int32Array(pixels).fill(-1);
    let k = 0;
    for (let p = 0; p < pixels; p++) {
      const s = shown[0] + ((p + 0.5) / pixels) * (shown[1] - shown[0]);
      while (k + 1 < order.length && s > (t[order[k]] + t[order[k + 1]]) / 2) {
        k++;
      }
      at[p] = order[k] ?? -1;
    }
    return at;
  }

  /** Is a cell selected, as far as the page knows? By its place, and by columns that it has of all cases. */
  private cellTest(grid: Grid): (i: number, j: number) => boolean {
    const within = (v: number, [lo, hi]: [number, number]) => v >= lo && v <= hi;
    const tests: ((i: number, j: number) => boolean)[] = [];
    for (const [k, range] of this.selection.ranges) {
      const values = this.wholeOf(k);
      if (k === grid.x) {
        tests.push((i) => within(grid.xs[i], range));
      } else if (k === grid.y) {
        tests.push((_i, j) => within(grid.ys[j], range));
      } else if (values) {
        tests.push((i, j) => within(values[i * grid.ny + j], range));
      }
    }
    return (i, j) => tests.every((t) => t(i, j));
  }

  private drawPicture(context: CanvasRenderingContext2D): void {
    const { grid, value, turned } = this.picture!;
    const color = this.color!;
    const { shown, paint } = this;
    const [left, top, w, height] = this.plot;
    const ratio = this.canvas.width / this.width;
    const [nw, nh] = [Math.round(w * ratio), Math.round(height * ratio)];
    const across = this.cells(turned ? grid.ys : grid.xs, this.cx, shown.x, nw);
    const up = this.cells(turned ? grid.xs : grid.ys, this.cy, shown.y, nh);
    const test = this.selection.isAll ? () => true : this.cellTest(grid);
    const image = context.createImageData(nw, nh);
    const pixels = new Uint32Array(image.data.buffer);
    const table = new Uint32Array(256);
    for (let t = 0; t < 256; t++) {
      table[t] = (255 << 24) | (paint.palette[3 * t + 2] << 16) | (paint.palette[3 * t + 1] << 8) | paint.palette[3 * t];
    }
    const solid = ([r, g, b]: Rgb) => (255 << 24) | (b << 16) | (g << 8) | r;
    table[NO_VALUE] = solid(themeColor("--line"));
    const bad = solid(themeColor("--bad"));
    const status = this.cases.columns.find((c) => c.role === "status");
    const ended = status && this.wholeOf(status.index);
    for (let q = 0; q < nh; q++) {
      for (let p = 0; p < nw; p++) {
        const [i, j] = turned ? [up[nh - 1 - q], across[p]] : [across[p], up[nh - 1 - q]];
        if (i >= 0 && j >= 0) {
          const k = i * grid.ny + j;
          const c = ended && ended[k] !== 0 ? bad : table[tintAt(color, value[k])];
          pixels[q * nw + p] = test(i, j) ? c : (c & 0xffffff) | (60 << 24);
        }
      }
    }
    context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
  }

  private drawAxes(context: CanvasRenderingContext2D): void {
    const [left, top, w, height] = this.plot;
    const { shown } = this;
    const [toX, toY] = [this.toX(shown.x), this.toY(shown.y)];
    const [gx, gy] = this.gutters;
    const text = `rgb(${themeColor("--text-2").join(" ")})`;
    context.font = "12px system-ui, sans-serif";
    context.strokeStyle = `rgb(${themeColor("--text-3").join(" ")} / 0.5)`;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, w - 1, height - 1);
    context.fillStyle = text;
    context.textAlign = "center";
    let last = -Infinity;
    for (const [v, label] of zoomTicks(this.cx, shown.x, Math.max(2, w / 90))) {
      const x = toX(this.cx.scale.to(v));
      const half = context.measureText(label).width / 2;
      if (x >= left - 1 && x <= left + w + 1 && x - half > last + 8) {
        context.fillRect(x, top + height + gy, 1, 5);
        context.fillText(label, Math.min(x, this.width - half - 2), top + height + gy + 18);
        last = x + half;
      }
    }
    context.textAlign = "right";
    for (const [v, label] of zoomTicks(this.cy, shown.y, Math.max(2, height / 50))) {
      const y = toY(this.cy.scale.to(v));
      if (y >= top - 1 && y <= top + height + 1) {
        context.fillRect(left - gx - 5, y, 5, 1);
        context.fillText(shorten(label, 9), left - gx - 8, y + 4);
      }
    }
    context.fillStyle = `rgb(${themeColor("--text").join(" ")})`;
    context.textAlign = "center";
    context.font = "550 12px system-ui, sans-serif";
    context.fillText(shorten(this.cx.title, Math.floor(w / 8)), left + w / 2, this.height - 8);
    context.save();
    context.translate(12, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(shorten(this.cy.title, Math.floor(height / 8)), 0, 0);
    context.restore();
  }

  /** The case at a place of the canvas: its row, or, of a picture, its number. */
  private find(x: number, y: number): { row: number; number: number } | undefined {
    const { picture, shown, cases } = this;
    const [left, top, w, height] = this.plot;
    if (picture) {
      const { grid, turned } = picture;
      if (x < left || y < top || x >= left + w || y >= top + height) {
        return undefined;
      }
      const a = this.cells(turned ? grid.ys : grid.xs, this.cx, shown.x, Math.round(w))[Math.min(Math.round(w) - 1, Math.floor(x - left))];
      const b = this.cells(turned ? grid.xs : grid.ys, this.cy, shown.y, Math.round(height))[Math.min(Math.round(height) - 1, Math.floor(top + height - y))];
      const number = turned ? b * grid.ny + a : a * grid.ny + b;
      return { row: cases.rowOf(number), number };
    }
    let best = -1;
    let least = REACH * REACH;
    const [tx, ty] = [this.cx.place, this.cy.place];
    const [toX, toY] = [this.toX(shown.x), this.toY(shown.y)];
    const { mask } = this.selection;
    for (let i = 0; i < cases.n; i++) {
      if (mask[i]) {
        const dx = toX(tx[i]) - x;
        const dy = toY(ty[i]) - y;
        const d = dx * dx + dy * dy;
        if (d < least) {
          least = d;
          best = i;
        }
      }
    }
    return best >= 0 ? { row: best, number: cases.number[best] } : undefined;
  }

  private listen(): void {
    let start: [number, number] | null = null;
    let moved = false;
    const at = (e: PointerEvent): [number, number] => {
      const bounds = this.canvas.getBoundingClientRect();
      return [e.clientX - bounds.left, e.clientY - bounds.top];
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (e.button === 0) {
        this.canvas.setPointerCapture(e.pointerId);
        start = at(e);
        moved = false;
      }
    });
    this.canvas.addEventListener("pointermove", (e) => {
      const now = at(e);
      if (!start) {
        this.tell(now);
      } else if (moved || Math.hypot(now[0] - start[0], now[1] - start[1]) > 4) {
        moved = true;
        this.select(start, now);
      }
    });
    this.canvas.addEventListener("pointerup", (e) => {
      this.brush.hidden = true;
      const found = !moved && start ? this.find(...at(e)) : undefined;
      start = null;
      if (found) {
        this.link.open(found.number);
      }
    });
    this.canvas.addEventListener("pointerleave", () => this.link.point(-1));
    const clear = () => {
      this.selection.set(this.x, null);
      this.selection.set(this.y, null);
      this.link.selected();
    };
    this.canvas.addEventListener("dblclick", clear);
    this.canvas.addEventListener("keydown", (e) => e.key === "Escape" && clear());
  }

  private tell(now: [number, number]): void {
    const found = this.find(...now);
    this.link.point(found?.row ?? -1);
    if (found && found.row < 0 && this.picture) {
      const { grid, value } = this.picture;
      const [i, j] = [Math.floor(found.number / grid.ny), found.number % grid.ny];
      this.link.tell(`case ${found.number}\n${this.cases.columns[grid.x].name} ${format(grid.xs[i])}\n${this.cases.columns[grid.y].name} ${format(grid.ys[j])}\n${this.color!.name} ${this.color!.text(value[found.number])}`);
    }
  }

  /** Ranges of both columns from two corners. */
  private select(a: [number, number], b: [number, number]): void {
    const [left, top, w, height] = this.plot;
    const { shown } = this;
    const within = (v: number, lo: number, hi: number) => Math.min(hi, Math.max(lo, v));
    const [x0, x1] = [a[0], b[0]].map((v) => within(v, left, left + w)).sort((p, q) => p - q);
    const [y0, y1] = [a[1], b[1]].map((v) => within(v, top, top + height)).sort((p, q) => p - q);
    Object.assign(this.brush.style, { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
    this.brush.hidden = false;
    const value = (column: Column, s: number, ends: [number, number]) => column.scale.from(ends[0] + s * (ends[1] - ends[0]));
    this.selection.ranges.set(this.x, [value(this.cx, (x0 - left) / w, shown.x), value(this.cx, (x1 - left) / w, shown.x)]);
    this.selection.set(this.y, [value(this.cy, (top + height - y1) / height, shown.y), value(this.cy, (top + height - y0) / height, shown.y)]);
    this.link.selected();
  }

  /** Rows that stand out. */
  mark(rows: number[]): void {
    const context = fit(this.above, this.width, this.height, Math.min(2, devicePixelRatio));
    context.clearRect(0, 0, this.width, this.height);
    for (const row of rows.filter((r) => r >= 0)) {
      const x = this.toX(this.shown.x)(this.cx.place[row]);
      const y = this.toY(this.shown.y)(this.cy.place[row]);
      for (const [width, name] of [[4.5, "--surface"], [2, "--text"]] as const) {
        context.beginPath();
        context.arc(x, y, 7, 0, 7);
        context.lineWidth = width;
        context.strokeStyle = `rgb(${themeColor(name).join(" ")})`;
        context.stroke();
      }
    }
  }
}

/** Ticks of the part of a scale that is shown. */
function zoomTicks(column: Column, [lo, hi]: [number, number], about: number): [number, string][] {
  const { scale } = column;
  const wanted = Math.min(40, about / Math.max(1e-3, Math.min(1, hi - lo)));
  return scale.ticks(wanted).filter(([v]) => scale.to(v) >= lo - 1e-9 && scale.to(v) <= hi + 1e-9);
}
