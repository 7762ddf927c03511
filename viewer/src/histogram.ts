// SPDX-License-Identifier: Apache-2.0
// How the numbers of a column are spread: of all cases and of those selected.
import { count as number, format, h } from "./dom";
import { fit, themeColor } from "./paint";
import type { Link } from "./parallel";
import { columnSelect } from "./scatter";
import type { Cases, Column, Moments, Selection } from "./sweep_data";

const HEIGHT = 210;
const [LEFT, BOTTOM, TOP] = [52, 26, 24];
const STATS_MS = 120; // numbers of a selection are computed at most this often: they take a sort
const names = ["5 %", "25 %", "median", "75 %", "95 %"];

/** As the library's (src/analysis/effects.c), of the cases of a mask that ended well and are not in doubt. */
export function momentsOf(column: Column, mask: Uint8Array, cases: Cases): Moments {
  const x = column.value.filter((v, i) => mask[i] === 1 && cases.failed[i] === 0 && cases.doubtful[i] === 0 && Number.isFinite(v)).sort();
  const n = x.length;
  if (n === 0) {
    return { n, mean: null, sd: null, min: null, max: null, quantiles: [null, null, null, null, null] };
  }
  const shift = x[n >> 1];
  const mean = x.reduce((s, v) => s + (v - shift), 0) / n;
  const squares = x.reduce((s, v) => s + (v - shift - mean) ** 2, 0);
  const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95].map((p) => {
    const at = p * (n - 1);
    const i = Math.floor(at);
    return x[i] + (at - i) * (x[Math.min(n - 1, i + 1)] - x[i]);
  });
  return { n, mean: shift + mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : null, min: x[0], max: x[n - 1], quantiles };
}

export class Histogram {
  readonly root: HTMLElement;
  private column: Column;
  private readonly canvas = h("canvas", { role: "img" });
  private readonly box: HTMLElement;
  private readonly stats = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Statistics of the column" });
  private seen = -1;
  private seenStats = -1;
  private lastStats = 0;

  constructor(
    private readonly cases: Cases,
    private readonly selection: Selection,
    private readonly link: Link,
    first: number,
  ) {
    this.column = cases.columns[first];
    const select = columnSelect(cases.columns.filter((c) => c.role !== "number"), "Column", first);
    select.addEventListener("change", () => this.show(Number(select.value)));
    this.box = h("div", { class: "histogram-box" }, this.canvas);
    this.root = h("figure", { class: "panel histogram" },
      h("figcaption", {}, h("h2", {}, "One column"), h("span", { class: "unit" }, "pale: all; full: selected; red: failed")),
      h("div", { class: "tools" }, h("label", {}, "Column ", select)), this.box, this.stats);
    this.listen();
  }

  show(index: number): void {
    this.column = this.cases.columns[index];
    this.root.querySelector("select")!.value = String(index);
    this.redraw();
  }

  redraw(): void {
    this.seen = -1;
    this.seenStats = -1;
  }

  frame(now: number): boolean {
    if (this.seen !== this.selection.version) {
      this.seen = this.selection.version;
      this.draw();
    }
    const stale = this.seenStats !== this.selection.version;
    if (stale && now - this.lastStats > STATS_MS) {
      this.lastStats = now;
      this.seenStats = this.selection.version;
      this.fillStats();
    }
    return stale;
  }

  private bins(): { count: number; all: Float64Array; chosen: Float64Array; bad: Float64Array; missing: number } {
    const { column, cases, selection } = this;
    const count = column.scale.count ?? Math.min(60, Math.max(8, Math.round(2 * Math.cbrt(cases.n))));
    const [all, chosen, bad] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
    let missing = 0;
    for (let i = 0; i < cases.n; i++) {
      const t = column.place[i];
      if (Number.isNaN(t)) {
        missing++;
      } else {
        const b = Math.min(count - 1, Math.max(0, Math.floor(t * count)));
        all[b]++;
        chosen[b] += selection.mask[i];
        bad[b] += selection.mask[i] & cases.failed[i];
      }
    }
    return { count, all, chosen, bad, missing };
  }

  private draw(): void {
    const { column } = this;
    const width = this.box.clientWidth || 400;
    const context = fit(this.canvas, width, HEIGHT, Math.min(2, devicePixelRatio));
    const { count, all, chosen, bad, missing } = this.bins();
    const most = Math.max(1, ...all);
    const plot = width - LEFT - 10;
    const high = HEIGHT - TOP - BOTTOM;
    context.clearRect(0, 0, width, HEIGHT);
    const color = (name: string, alpha: number) => `rgb(${themeColor(name).join(" ")} / ${alpha})`;
    for (let b = 0; b < count; b++) {
      const x = LEFT + (plot * b) / count;
      const w = Math.max(1, plot / count - 1);
      for (const [value, style] of [[all[b], color("--accent", 0.25)], [chosen[b], color("--accent", 1)], [bad[b], color("--bad", 1)]] as const) {
        const y = (high * value) / most;
        context.fillStyle = style;
        context.fillRect(x, TOP + high - y, w, y);
      }
    }
    context.fillStyle = color("--text-2", 1);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText("0", LEFT - 6, TOP + high + 4);
    context.fillText(number(most), LEFT - 6, TOP + 8);
    context.textAlign = "center";
    let last = -Infinity;
    for (const [v, label] of column.scale.ticks(Math.max(2, plot / 90))) {
      const x = LEFT + plot * column.scale.to(v);
      const half = context.measureText(label).width / 2;
      if (x - half > last + 8 && x - half > 0) {
        context.fillText(label, Math.min(x, width - half - 1), HEIGHT - 8);
        last = x + half;
      }
    }
    context.fillStyle = color("--line", 1);
    context.fillRect(LEFT, TOP + high, plot, 1);
    if (missing > 0) {
      context.fillStyle = color("--bad", 1);
      context.textAlign = "right";
      context.fillText(`${number(missing)} ${column.scale.log ? "not above 0" : "without a value"}`, width - 12, 14);
    }
    this.canvas.setAttribute("aria-label", `Histogram of ${column.title}: ${this.cases.n} cases, ${this.selection.count} selected, ${missing} without a value`);
  }

  private fillStats(): void {
    const { column, selection, cases } = this;
    const some = selection.isAll ? undefined : momentsOf(column, selection.mask, cases);
    const all = column.moments;
    this.stats.replaceChildren();
    if (!all || column.words) {
      return;
    }
    const row = (head: string, m: Moments) => h("tr", {}, h("th", { scope: "row" }, head),
      h("td", {}, number(m.n)), ...[m.mean, m.sd, m.min, ...m.quantiles, m.max].map((v) => h("td", {}, format(v, v === m.sd ? 3 : column.digits))));
    this.stats.append(h("table", { class: "stats" },
      h("caption", {}, `Statistics of ${column.title}, of cases that ended well and are not in doubt`),
      h("thead", {}, h("tr", {}, ...["which", "cases", "mean", "sd", "min", ...names, "max"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, row("all", all), some ? row("selected", some) : null)));
  }

  /** Dragging across selects. */
  private listen(): void {
    this.canvas.addEventListener("pointerdown", (e) => {
      const bounds = this.canvas.getBoundingClientRect();
      const share = (m: PointerEvent) => Math.min(1, Math.max(0, (m.clientX - bounds.left - LEFT) / (bounds.width - LEFT - 10)));
      const start = share(e);
      this.canvas.setPointerCapture(e.pointerId);
      const move = (m: PointerEvent) => {
        if (Math.abs(m.clientX - e.clientX) > 3) {
          this.selection.set(this.column.index, [this.column.scale.from(start), this.column.scale.from(share(m))]);
          this.link.selected();
        }
      };
      this.canvas.addEventListener("pointermove", move);
      this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
    });
    this.canvas.addEventListener("dblclick", () => {
      this.selection.set(this.column.index, null);
      this.link.selected();
    });
  }
}
