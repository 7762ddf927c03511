// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: whether it can be trusted, its cases in several views with one selection, and each of them.
import { App } from "./app";
import { caseOf, CaseTable, columnFacts, command, quoted } from "./cases";
import { count, format, h, shorten } from "./dom";
import { sourceOf } from "./source";
import { Histogram } from "./histogram";
import { css, LEVELS, paletteOf, tintsOf } from "./paint";
import { Parallel, type Link, type Paint } from "./parallel";
import { columnSelect, Scatter } from "./scatter";
import { mostOf, SensitivityPanel } from "./sensitivity";
import { Cases, Selection, type Column, type Ending, type SweepPage } from "./sweep_data";
import { isDark, themeButton } from "./theme";

const AXES = 12; // of the parallel coordinates, at first
const ENDINGS = 8; // kinds of failure with a line of their own
const DOUBTS = 3; // of cases in doubt, those whose sentences stand at the top
const QUIET_MS = 160; // after the last change of the selection

export class SweepView {
  readonly cases: Cases;
  readonly selection: Selection;
  readonly frameTimes: number[] = []; // script time of the last frames that drew something [ms]
  readonly parallel: Parallel;
  readonly scatter: Scatter;
  readonly histogram: Histogram;
  readonly table: CaseTable;
  private motion?: App;
  private color: Column | undefined;
  private pointed = -1;
  private opened = -1;
  private changed = 0;
  private markStale = false;
  private request = 0;
  private readonly abort = new AbortController();
  private readonly tip = h("div", { class: "tip tip-case", hidden: true, "aria-hidden": "true" });
  private readonly legend = h("div", { class: "colors" });
  private readonly said = h("output", { class: "selected" });
  private readonly clearButton = h("button", { type: "button", class: "chip" }, "Clear selection");
  private readonly dialog = h("dialog", { class: "case" });
  private readonly stage = h("div", { class: "motion", hidden: true });
  private readonly main: HTMLElement;
  private readonly top: HTMLElement;
  private readonly themeButton: HTMLButtonElement;

  constructor(
    root: HTMLElement,
    readonly page: SweepPage,
  ) {
    document.documentElement.classList.add("sweep");
    document.title = `${shorten(page.sweep.name || page.sweep.given, 60)}: sweep · Cardan`;
    this.cases = new Cases(page.sweep);
    this.selection = new Selection(this.cases);
    this.color = this.firstColor();
    const link = this.link();
    const paint = this.paint();
    this.parallel = new Parallel(this.cases, this.selection, paint, link, this.firstAxes());
    this.scatter = new Scatter(this.cases, this.selection, paint, link, this.firstPair());
    this.histogram = new Histogram(this.cases, this.selection, link, (this.color ?? this.cases.columns[1]).index);
    this.table = new CaseTable(this.cases, this.selection, link.open);
    this.themeButton = themeButton(() => this.repaint(), this.abort.signal);
    this.main = h("main", {}, this.head(), this.bar(), this.parallel.root,
      h("div", { class: "pair" }, this.scatter.root, h("div", { class: "stack" }, this.histogram.root, this.sensitivity())),
      this.table.root, this.facts());
    this.top = this.header();
    root.replaceChildren(this.top, this.main, this.tip, this.dialog, this.stage);
    this.listen();
    this.repaint();
    this.resize();
    this.say();
    this.request = requestAnimationFrame((t) => this.frame(t));
  }

  private of(...roles: string[]): Column[] {
    return this.cases.columns.filter((c) => roles.includes(c.role));
  }

  private firstColor(): Column | undefined {
    return this.of("collected")[0] ?? this.of("grid", "drawn")[0];
  }

  private firstAxes(): number[] {
    const status = this.page.sweep.failed > 0 ? this.of("status") : [];
    return [...this.of("grid", "drawn"), ...this.of("collected"), ...status].slice(0, AXES).map((c) => c.index);
  }

  /** Of a grid its axes, else the first result over what it depends on most. */
  private firstPair(): [number, number] {
    const { grid } = this.cases;
    const { sensitivity } = this.page.sweep;
    const varied = this.of("grid", "drawn");
    const most = sensitivity && this.cases.columns[sensitivity.inputs[mostOf(sensitivity.outputs[0])]];
    const x = most ?? varied[0] ?? this.cases.columns[0];
    const y = this.of("collected")[0] ?? varied[1] ?? this.cases.columns[1] ?? x;
    return grid ? [grid.x, grid.y] : [x.index, y.index];
  }

  private link(): Link & { tell(text: string): void } {
    return {
      selected: () => this.select(),
      rescaled: () => {
        this.parallel.rescaled();
        this.scatter.rescaled();
        this.histogram.redraw();
        this.repaint();
      },
      open: (number) => this.open(number),
      point: (row) => this.point(row),
      tell: (text) => this.tell(text),
    };
  }

  private header(): HTMLElement {
    const { sweep, live, version } = this.page;
    const name = sweep.name || sweep.given;
    return h("header", {}, h("h1", { title: name }, shorten(name, 60)), h("span", { class: "badge" }, "sweep"),
      live ? h("span", { class: "badge live", role: "status", "aria-label": "Follows the file" }, "live") : null,
      h("span", { class: "fill" }), h("span", { class: "brand" }, `Cardan ${version}`), this.themeButton);
  }

  private ending(e: Ending): HTMLElement {
    const open = h("button", { type: "button", class: "link" }, `case ${e.first}`);
    open.addEventListener("click", () => this.open(e.first));
    return h("li", {}, h("b", {}, `${count(e.count)} ${e.word}`), ` (${e.meaning}), first `, open, e.message ? `: ${e.message}` : "");
  }

  /** Can the results be trusted? Failures and doubts first. */
  private head(): HTMLElement {
    const { sweep } = this.page;
    const failures = sweep.endings.filter((e) => e.status !== 0);
    const isDoubt = (number: number) => this.cases.rowOf(number) >= 0 && !this.cases.failed[this.cases.rowOf(number)];
    const doubts = [...this.cases.messages].filter(([number]) => isDoubt(number)).slice(0, DOUBTS);
    const share = (100 * sweep.failed) / sweep.cases;
    const verdict = sweep.failed > 0
      ? h("div", { class: "verdict-box bad", role: "alert" },
        h("h2", {}, `${count(sweep.failed)} of ${count(sweep.cases)} cases failed (${share < 0.1 ? "less than 0.1" : format(share, 3)} %)`),
        h("ul", {}, ...failures.slice(0, ENDINGS).map((e) => this.ending(e))),
        h("p", {}, sweep.doubts > 0 ? `Statistics and indices are of the cases that ended well, without the ${count(sweep.doubts)} of them in doubt; charts show those that failed hollow, dashed or at an edge.` : "Statistics and indices are of the cases that ended well; charts show the others hollow, dashed or at an edge."))
      : sweep.doubts > 0 ? h("div", { class: "verdict-box doubt", role: "status" },
        h("h2", {}, sweep.cases === 1 ? "The one case is in doubt" : `All ${count(sweep.cases)} cases ended, ${count(sweep.doubts)} of them in doubt`),
        h("p", {}, "Statistics and indices leave out the cases in doubt; the table marks them."))
      : h("div", { class: "verdict-box yes" }, h("h2", {}, sweep.cases === 1 ? "The one case ended well" : `All ${count(sweep.cases)} cases ended well`));
    const pictures = this.cases.grid?.pictures.size ? "pictures of the grid, statistics" : "statistics";
    const notes = [
      ...sweep.notes,
      ...(sweep.shown < sweep.cases ? [`The charts and the table have a sample of ${count(sweep.shown)} cases; ${pictures} and indices are of all ${count(sweep.cases)}.`] : []),
      ...(sweep.doubts > doubts.length ? [`${count(sweep.doubts)} cases that ended well are in doubt; the table marks those whose sentences are in the page.`] : []),
      ...doubts.map(([number, text]) => `Case ${number} is in doubt: ${text}`),
      ...(this.cases.grid?.left?.length ? [`There is no room for pictures of ${this.cases.grid.left.join(", ")}: they are shown by a sample of the cases.`] : []),
    ];
    return h("section", { class: "panel head" }, verdict,
      notes.length > 0 ? h("ul", { class: "notices", "aria-label": "Notices" }, ...notes.map((t) => h("li", {}, t))) : null);
  }

  /** What is true of all charts: colour, selection. */
  private bar(): HTMLElement {
    const select = columnSelect(this.cases.columns, "Colour", this.color?.index ?? -1, "one colour");
    select.addEventListener("change", () => {
      this.color = this.cases.columns[Number(select.value)];
      this.repaint();
    });
    const endings = h("select", { "aria-label": "Endings" }, h("option", { value: "all" }, "all cases"),
      h("option", { value: "well" }, "that ended well"), h("option", { value: "failed" }, "that failed"));
    endings.hidden = this.page.sweep.failed === 0;
    endings.addEventListener("change", () => {
      this.selection.endings = endings.value as Selection["endings"];
      this.selection.update();
      this.select();
    });
    this.clearButton.addEventListener("click", () => {
      this.selection.clear();
      endings.value = "all";
      this.select();
    });
    const go = h("input", { type: "search", inputmode: "numeric", placeholder: "Case number", "aria-label": "Open a case by its number" });
    go.addEventListener("keydown", (e) => {
      const number = Number(go.value);
      if (e.key === "Enter" && go.value.trim() !== "" && Number.isInteger(number) && number >= 0 && number < this.page.sweep.cases) {
        e.preventDefault(); // else it presses what gets the focus
        this.open(number);
      }
    });
    return h("div", { class: "bar-top", role: "group", "aria-label": "Colour and selection" },
      h("label", {}, "Colour ", select), this.legend, endings, this.said, this.clearButton, h("span", { class: "fill" }), go);
  }

  private sensitivity(): HTMLElement | null {
    const { sensitivity } = this.page.sweep;
    return sensitivity ? new SensitivityPanel(this.cases, sensitivity, (x, y) => {
      this.scatter.setColumns(x, y);
      this.histogram.show(y);
      this.scatter.root.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }).root : null;
  }

  private facts(): HTMLElement {
    const { sweep } = this.page;
    const pairs = (list: [string, number | null][]) => list.map(([n, v]) => `${n} = ${format(v)}`).join(", ");
    const rows: [string, string][] = [
      ["Model", `${sweep.name || "unnamed"}, given as ${sweep.given}`],
      ["Result", sweep.file],
      ["Cases", `${count(sweep.cases)}: ${count(sweep.cases - sweep.failed)} ended well${sweep.doubts > 0 ? ` (${count(sweep.doubts)} of them in doubt)` : ""}, ${count(sweep.failed)} failed`],
      ["In this page", sweep.shown < sweep.cases ? `${count(sweep.shown)} cases, one of each stretch of equal length, by chance${this.cases.grid?.pictures.size ? "; pictures of the grid have all of them" : ""}` : "all of them"],
      ["Motions", sweep.kept.count === 0 ? "none were kept (--keep-motion)" : `${sweep.kept.motions.length} of ${sweep.kept.count} that were kept are in the page`],
      ["Numbers", "have 24 bits here; the result has all of them"],
      ["Cardan", this.page.version],
    ];
    if (sweep.settings.length > 0) {
      rows.push(["Set", pairs(sweep.settings)]);
    }
    if (sweep.initial.length > 0) {
      rows.push(["Start values", pairs(sweep.initial)]);
    }
    const options = h("table", { class: "options" }, h("caption", {}, "Options of all cases"),
      h("tbody", {}, ...sweep.options.map(([n, v]) => h("tr", {}, h("th", { scope: "row" }, n), h("td", {}, v)))));
    const folded = (title: string, ...content: HTMLElement[]) => h("details", {}, h("summary", {}, title), ...content);
    return h("section", { class: "panel" }, h("h2", {}, "The sweep"),
      h("dl", { class: "facts" }, ...rows.flatMap(([n, v]) => [h("dt", {}, n), h("dd", {}, v)])),
      h("details", { open: true }, h("summary", {}, "Plan"), sourceOf(sweep.plan)),
      folded("Statistics of all columns", h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Statistics" }, columnFacts(this.cases))),
      folded("Options", options), folded("Model text", sourceOf(sweep.text)));
  }

  private paint(): Paint {
    return { palette: paletteOf(this.color, isDark()), tints: tintsOf(this.cases, this.color) };
  }

  private repaint(): void {
    const paint = this.paint();
    this.parallel.repaint(paint);
    this.scatter.repaint(paint, this.color);
    this.histogram.redraw();
    this.fillLegend(paint.palette);
    this.markStale = true;
  }

  private fillLegend(palette: Uint8Array): void {
    const { color } = this;
    this.legend.replaceChildren();
    if (!color) {
      return;
    }
    if (color.words) {
      this.legend.append(...color.words.filter((_w, i) => color.value.includes(i)).slice(0, 8).map((w) => {
        const swatch = h("i", { class: "swatch" });
        swatch.style.background = css(palette, color.words!.indexOf(w) % 8);
        return h("span", {}, swatch, shorten(w, 18));
      }));
      return;
    }
    if (!(color.scale.hi >= color.scale.lo)) {
      this.legend.append("no values");
      return;
    }
    const strip = h("i", { class: "strip" });
    strip.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map((t) => css(palette, Math.round(t * LEVELS))).join(", ")})`;
    this.legend.append(h("span", {}, format(color.scale.lo, color.digits)), strip, h("span", {}, `${format(color.scale.hi, color.digits)} ${color.unit}`),
      color.scale.log ? h("span", { class: "unit" }, "log") : "");
  }

  private select(): void {
    this.changed = performance.now();
    this.say();
  }

  private say(): void {
    const { selection, cases } = this;
    this.said.textContent = selection.isAll ? `${count(cases.n)} case${cases.n === 1 ? "" : "s"}` : `${count(selection.count)} of ${count(cases.n)} selected${selection.failed > 0 ? `, ${count(selection.failed)} of them failed` : ""}`;
    this.clearButton.hidden = selection.isAll;
  }

  private point(row: number): void {
    if (row !== this.pointed) {
      this.pointed = row;
      this.markStale = true;
      const seen = [...new Set([this.scatter.x, this.scatter.y, this.color?.index ?? 0])].map((k) => this.cases.columns[k]).filter((c) => c?.role !== "number");
      this.tell(row < 0 ? "" : [`case ${this.cases.number[row]}${this.cases.failed[row] ? ", failed" : ""}`, ...seen.map((c) => `${shorten(c.name, 30)} ${c.text(c.value[row])} ${c.unit}`)].join("\n"));
    } else if (row < 0) {
      this.tip.hidden = true;
    }
  }

  private tell(text: string): void {
    this.tip.hidden = text === "";
    this.tip.textContent = text;
  }

  /** One case in full. */
  open(number: number): void {
    this.opened = this.cases.rowOf(number);
    this.markStale = true;
    const close = h("button", { type: "button", class: "round", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.setAttribute("aria-label", `Case ${number}`);
    this.dialog.replaceChildren(h("div", { class: "line" }, h("h2", {}, `Case ${number}`), h("span", { class: "fill" }), close),
      caseOf(this.cases, number, () => this.showMotion(number)));
    if (!this.dialog.open) {
      this.dialog.show();
    }
    close.focus();
  }

  /** The motion of a case over the whole page; escape goes back. */
  private showMotion(number: number): void {
    const page = this.cases.motion(number);
    if (!page) {
      return;
    }
    this.dialog.close();
    const inside = h("div", { class: "motion-app" });
    const back = h("button", { type: "button", class: "chip" }, "← Back to the sweep");
    back.addEventListener("click", () => this.hideMotion());
    this.stage.replaceChildren(h("div", { class: "line motion-head" }, back, h("b", {}, `Case ${number}`),
      command(`cardan run ${quoted(`${this.page.sweep.file}#${number}`)}`)), inside);
    this.main.hidden = this.top.hidden = true;
    this.stage.hidden = false;
    document.documentElement.classList.remove("sweep");
    this.motion = new App(inside, page);
    back.focus();
  }

  private hideMotion(): void {
    this.motion?.dispose();
    this.motion = undefined;
    this.stage.hidden = true;
    this.stage.replaceChildren();
    this.main.hidden = this.top.hidden = false;
    document.documentElement.classList.add("sweep");
    this.repaint();
  }

  private listen(): void {
    const { signal } = this.abort;
    window.addEventListener("resize", () => this.resize(), { signal });
    window.addEventListener("pointermove", (e) => {
      const right = e.clientX > innerWidth - 240;
      this.tip.style.left = `${e.clientX + (right ? -14 : 14)}px`;
      this.tip.style.top = `${e.clientY + 12}px`;
      this.tip.classList.toggle("left", right);
    }, { signal });
    window.addEventListener("keydown", (e) => this.key(e), { signal });
    this.dialog.addEventListener("close", () => {
      this.opened = -1;
      this.markStale = true;
    });
  }

  private key(event: KeyboardEvent): void {
    const typing = (event.target as HTMLElement).closest("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || typing) {
      return;
    }
    if (event.key === "Escape") {
      if (this.motion) {
        this.hideMotion();
      } else if (this.dialog.open) {
        this.dialog.close();
      } else {
        this.clearButton.click();
      }
    } else if (event.key.toLowerCase() === "t" && !this.motion) {
      this.themeButton.click();
    }
  }

  private resize(): void {
    this.parallel.resize();
    this.scatter.resize();
    this.histogram.redraw();
    this.markStale = true;
  }

  private frame(now: number): void {
    if (!this.main.hidden) {
      const begin = performance.now();
      const before = this.selection.version;
      const quiet = begin - this.changed > QUIET_MS;
      const drew = [this.parallel.frame(), this.scatter.frame(), this.histogram.frame(now), this.table.frame(quiet)].some(Boolean);
      if (this.markStale) {
        this.markStale = false;
        this.parallel.mark([this.opened, this.pointed]);
        this.scatter.mark([this.opened, this.pointed]);
      }
      if (drew || before !== this.lastVersion) {
        this.lastVersion = before;
        this.frameTimes.push(performance.now() - begin);
        if (this.frameTimes.length > 2000) {
          this.frameTimes.splice(0, 1000);
        }
      }
    }
    this.request = requestAnimationFrame((t) => this.frame(t));
  }

  private lastVersion = -1;

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.abort.abort();
    this.motion?.dispose();
    document.documentElement.classList.remove("sweep");
  }
}
