// SPDX-License-Identifier: Apache-2.0
// The cases as a table of which only the rows in sight are there, and one case in full.
import { count, format, h, shorten } from "./dom";
import type { Cases, Column, Selection } from "./sweep_data";

const ROW = 28; // height [px]; style.css has it too
const BEYOND = 6; // rows above and below those in sight
const MOST = 400000; // rows whose heights a browser still adds up

export class CaseTable {
  readonly root: HTMLElement;
  private readonly scroller = h("div", { class: "cases", tabindex: "0", role: "grid", "aria-label": "Cases" });
  private readonly head = h("div", { class: "case-row case-head", role: "row" });
  private readonly body = h("div", { class: "case-body", role: "presentation" });
  private readonly note = h("span", { class: "unit" });
  private readonly columns: Column[];
  private rows = new Uint32Array(0);
  private sortBy = -1;
  private down = false;
  private seen = -1;
  private at = 0; // of the rows, the one that keys are at
  private shown = "";

  constructor(
    private readonly cases: Cases,
    private readonly selection: Selection,
    private readonly open: (number: number) => void,
  ) {
    this.columns = cases.columns.filter((c) => c.role !== "number");
    const width = `88px repeat(${this.columns.length}, minmax(104px, 1fr))`;
    this.scroller.style.setProperty("--columns", width);
    this.scroller.style.setProperty("--least", `${88 + 104 * this.columns.length}px`);
    this.head.append(this.headOf(-1, "case", ""), ...this.columns.map((c) => this.headOf(c.index, c.name, c.unit)));
    this.scroller.append(this.head, this.body);
    this.root = h("section", { class: "panel" }, h("div", { class: "line" }, h("h2", {}, "Cases"), this.note), this.scroller);
    this.scroller.addEventListener("scroll", () => this.fill());
    this.scroller.addEventListener("keydown", (e) => this.key(e));
    this.body.addEventListener("click", (e) => {
      const row = (e.target as HTMLElement).closest<HTMLElement>("[data-case]");
      if (row) {
        open(Number(row.dataset.case));
      }
    });
  }

  private headOf(index: number, name: string, unit: string): HTMLElement {
    const button = h("button", { type: "button", title: `${name}: sort by it` }, shorten(name, 40), unit ? h("small", {}, ` ${unit}`) : null);
    button.addEventListener("click", () => this.sort(index));
    return h("div", { role: "columnheader", "data-index": String(index) }, button);
  }

  sort(index: number): void {
    this.down = this.sortBy === index && !this.down;
    this.sortBy = index;
    this.seen = -1;
    for (const cell of this.head.children) {
      const here = Number((cell as HTMLElement).dataset.index) === index;
      cell.setAttribute("aria-sort", here ? (this.down ? "descending" : "ascending") : "none");
    }
  }

  frame(quiet: boolean): boolean {
    if (this.seen === this.selection.version) {
      return false;
    }
    if (!quiet) {
      return true; // a sort can wait until brushing ends
    }
    this.seen = this.selection.version;
    const rows = new Uint32Array(this.selection.count);
    let k = 0;
    for (let i = 0; i < this.cases.n; i++) {
      if (this.selection.mask[i]) {
        rows[k++] = i;
      }
    }
    const sign = this.down ? -1 : 1;
    if (this.sortBy >= 0) {
      const { value } = this.cases.columns[this.sortBy];
      // what has no value comes last either way
      rows.sort((a, b) => (Number.isNaN(value[a]) ? (Number.isNaN(value[b]) ? a - b : 1) : Number.isNaN(value[b]) ? -1 : sign * (value[a] - value[b]) || a - b));
    } else if (this.down) {
      rows.reverse();
    }
    this.rows = rows;
    this.at = Math.min(this.at, Math.max(0, rows.length - 1));
    this.body.style.height = `${ROW * Math.min(MOST, rows.length)}px`;
    this.scroller.setAttribute("aria-rowcount", String(rows.length));
    const { raw } = this.cases;
    this.note.textContent = `${count(rows.length)} of ${count(raw.cases)}${raw.shown < raw.cases ? ` (${count(raw.shown)} are in the page)` : ""}; click a name to sort, a case to open it`;
    this.shown = "";
    this.fill();
    return false;
  }

  /** The rows in sight. */
  private fill(): void {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - BEYOND);
    const inSight = Math.ceil((this.scroller.clientHeight || 400) / ROW) + 2 * BEYOND;
    const last = Math.min(this.rows.length, MOST, first + inSight);
    const key = `${first} ${last} ${this.seen} ${this.at}`;
    if (key !== this.shown) {
      this.shown = key;
      const rows: HTMLElement[] = [];
      for (let r = first; r < last; r++) {
        rows.push(this.rowOf(r));
      }
      this.body.replaceChildren(...rows);
    }
  }

  private rowOf(r: number): HTMLElement {
    const row = this.rows[r];
    const number = this.cases.number[row];
    const state = [this.cases.failed[row] ? "failed" : this.cases.doubtful[row] || this.cases.messages.has(number) ? "doubt" : "", r === this.at ? "at" : ""].join(" ");
    const moves = this.cases.motions.has(number);
    const line = h("div", { class: `case-row ${state}`, role: "row", "data-case": String(number), "aria-rowindex": String(r + 1) },
      h("div", { role: "rowheader" }, String(number), moves ? h("span", { class: "moves", title: "its motion is in the page" }, "▸") : null),
      ...this.columns.map((c) => h("div", { role: "gridcell" }, shorten(c.text(c.value[row]), 30))));
    line.style.top = `${ROW * r}px`;
    return line;
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.target !== this.scroller) {
      return;
    }
    if (by !== undefined) {
      this.at = Math.min(Math.min(MOST, this.rows.length) - 1, Math.max(0, this.at + by));
      const y = ROW * this.at;
      const { scrollTop, clientHeight } = this.scroller;
      if (y < scrollTop || y > scrollTop + clientHeight - 3 * ROW) {
        this.scroller.scrollTop = y - (by < 0 ? 0 : clientHeight - 3 * ROW);
      }
      this.fill();
    } else if (event.key === "Enter" && this.rows.length > 0) {
      this.open(this.cases.number[this.rows[this.at]]);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A command, and a button that copies it. */
export function command(text: string): HTMLElement {
  const button = h("button", { type: "button", class: "chip" }, "Copy");
  button.addEventListener("click", () => {
    void navigator.clipboard?.writeText(text).then(() => (button.textContent = "Copied"), () => (button.textContent = "Select it and copy"));
  });
  return h("div", { class: "command" }, h("code", {}, text), button);
}

/** A word of a shell's command. */
export function quoted(word: string): string {
  return /^[\w./:#=+,@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** All that the page knows of a case. */
export function caseOf(cases: Cases, number: number, show: () => void): HTMLElement {
  const row = cases.rowOf(number);
  const { grid, raw } = cases;
  const value = (c: Column): number => {
    if (row >= 0) {
      return c.value[row];
    }
    if (grid && c.index === grid.x) {
      return grid.xs[Math.floor(number / grid.ny)];
    }
    return grid && c.index === grid.y ? grid.ys[number % grid.ny] : grid?.pictures.get(c.index)?.[number] ?? NaN;
  };
  const known = (c: Column) => row >= 0 || (grid !== undefined && (c.index === grid.x || c.index === grid.y || grid.pictures.has(c.index)));
  const list = (title: string, roles: string[]) => {
    const columns = cases.columns.filter((c) => roles.includes(c.role) && known(c));
    return columns.length === 0 ? null : h("div", {}, h("h3", {}, title), h("dl", { class: "facts" },
      ...columns.flatMap((c) => [h("dt", { title: c.name }, shorten(c.name, 40)), h("dd", {}, c.text(value(c), Math.max(7, c.digits)), c.unit ? ` ${c.unit}` : "")])));
  };
  const failed = row >= 0 && cases.failed[row] === 1;
  const message = cases.messages.get(number);
  const motion = cases.motions.has(number) ? h("button", { type: "button", class: "main-button" }, "Show its motion") : null;
  motion?.addEventListener("click", show);
  const status = cases.columns.find((c) => c.role === "status");
  const word = row >= 0 && status ? status.text(status.value[row]) : "";
  return h("div", { class: "stack" },
    failed ? h("p", { class: "said bad", role: "status" }, `It failed (${word}). ${message ?? "Run it again to see why: the page has no room for all sentences."}`) :
      message ? h("p", { class: "said bad" }, `In doubt: ${message}`) : null,
    motion,
    list("What differs", ["grid", "drawn"]), list("What was collected", ["collected"]),
    row < 0 ? h("p", { class: "hint" }, "The other columns of this case are not in the page, which has a sample of the cases.") : null,
    h("div", {}, h("h3", {}, "Run it again"), command(`cardan run ${quoted(`${raw.file}#${number}`)} --report ${quoted(`case-${number}.html`)}`)));
}

/** Statistics of each column as a table. */
export function columnFacts(cases: Cases): HTMLElement {
  const rows = cases.columns.filter((c) => c.moments && !c.words && c.role !== "number" && c.role !== "status");
  return h("table", { class: "stats" },
    h("caption", {}, "Statistics of all columns, of cases that ended well and are not in doubt"),
    h("thead", {}, h("tr", {}, ...["column", "unit", "cases", "mean", "sd", "min", "5 %", "median", "95 %", "max"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, ...rows.map((c) => {
      const m = c.moments!;
      return h("tr", {}, h("th", { scope: "row", title: c.name }, shorten(c.name, 40)), h("td", {}, c.unit), h("td", {}, count(m.n)),
        ...[m.mean, m.sd, m.min, m.quantiles[0], m.quantiles[2], m.quantiles[4], m.max].map((v) => h("td", {}, format(v, Math.max(5, c.digits)))));
    })));
}
