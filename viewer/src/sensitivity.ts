// SPDX-License-Identifier: Apache-2.0
// What a result depends on: indices with their intervals, as bars. The library computed them (src/analysis/sensitivity.c).
import { count, format, h, shorten } from "./dom";
import type { Cases, Index, Influence, Sensitivity } from "./sweep_data";

/** A share as a bar from 0 to 1, its interval as a stroke. */
function bar(index: Index, kind: string): HTMLElement {
  const [value, low, high] = index;
  const within = (v: number) => 100 * Math.min(1, Math.max(0, v));
  const fill = h("i", { class: `fill-${kind}` });
  fill.style.width = `${within(value ?? 0)}%`;
  const parts: HTMLElement[] = [fill];
  if (low !== null && high !== null) {
    const stroke = h("b", {});
    stroke.style.left = `${within(low)}%`;
    stroke.style.width = `${Math.max(0.4, within(high) - within(low))}%`;
    parts.push(stroke);
  }
  return h("span", { class: "share", "aria-hidden": "true" }, ...parts);
}

function numbers([value, low, high]: Index): string {
  if (value === null) {
    return "–";
  }
  const text = (v: number) => v.toFixed(Math.abs(v) < 0.0995 ? 3 : 2).replace("-", "−");
  return low === null || high === null ? text(value) : `${text(value)} (${text(low)} to ${text(high)})`;
}

const firstHead = { blocks: "First order", bins: "First order, by bins", grid: "Main effect" };

export class SensitivityPanel {
  readonly root: HTMLElement;
  private readonly body = h("div", { class: "scroll" });
  private readonly note = h("p", { class: "lead" });

  constructor(
    private readonly cases: Cases,
    private readonly data: Sensitivity,
    private readonly pick: (x: number, y: number) => void,
  ) {
    const select = h("select", { "aria-label": "Result" }, ...data.outputs.map((o, i) => h("option", { value: String(i) }, shorten(cases.columns[o.column].name, 40))));
    select.addEventListener("change", () => this.show(Number(select.value)));
    this.root = h("section", { class: "panel sensitivity" },
      h("div", { class: "line" }, h("h2", {}, "What results depend on"), h("label", { class: "tools" }, "Result ", select)),
      this.body, this.note, ...data.words.map((w) => h("p", { class: "hint" }, w)));
    this.show(0);
  }

  private show(i: number): void {
    const output = this.data.outputs[i];
    const { kind, inputs } = this.data;
    const heads = ["Input", firstHead[kind], ...(output.total ? ["Total order"] : []), "Rank correlation"];
    const order = inputs.map((_k, n) => n).sort((a, b) => size(output, b) - size(output, a));
    this.body.replaceChildren(h("table", { class: "influence" },
      h("caption", {}, `What ${this.cases.columns[output.column].name} depends on`),
      h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...order.map((n) => this.row(output, n)))));
    const unit = kind === "blocks" ? "blocks of cases" : "cases";
    const why = kind === "blocks" ? "in the others a case failed, or has no value of it" : "the others failed, or have no value of it";
    const constant = output.first.every(([v]) => v === null);
    this.note.textContent = constant ? "This result does not vary, or too few cases have it: there is nothing to share out." :
      output.used < output.of ? `From ${count(output.used)} of ${count(output.of)} ${unit}: ${why}, so this speaks only of cases that have one.` :
        `From ${count(output.used)} ${unit}.`;
    this.note.classList.toggle("warn", output.used < output.of);
  }

  private row(output: Influence, n: number): HTMLElement {
    const column = this.cases.columns[this.data.inputs[n]];
    const name = h("button", { type: "button", class: "link", title: `${column.name}: show it against the result` }, shorten(column.name, 30));
    name.addEventListener("click", () => this.pick(column.index, output.column));
    const cell = (index: Index, kind: string) => h("td", { class: "bars" }, bar(index, kind), numbers(index));
    const rank = output.rank[n];
    return h("tr", {}, h("th", { scope: "row" }, name), cell(output.first[n], "first"),
      output.total ? cell(output.total[n], "total") : null, h("td", {}, rank === null ? "–" : format(Number(rank.toFixed(2)))));
  }
}

/** Which of the inputs a result depends on most. */
export function mostOf(output: Influence): number {
  return output.first.reduce((best, _f, n) => (size(output, n) > size(output, best) ? n : best), 0);
}

function size(output: Influence, n: number): number {
  return output.total?.[n][0] ?? output.first[n][0] ?? 0;
}
