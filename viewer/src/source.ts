// SPDX-License-Identifier: Apache-2.0
// The model's text: line numbers, colours for its words, the line of a fault; lines that make joints select
// their bodies.
import type { Fault } from "./data";
import { h } from "./dom";

/** Joints by line, and what a click on such a line does. */
export interface SourceLinks {
  joints: Map<number, number[]>;
  choose(joint: number): void;
}

const token = /(;.*$)|("(?:[^"\\]|\\.)*"?)|(\()\s*([^\s()";]+)|([()])|(?<![\w.-])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.-])/g;

/** Pieces of a line of a model file with their kinds; a text of another kind stays plain. */
export function colored(line: string): (Node | string)[] {
  const out: (Node | string)[] = [];
  let from = 0;
  const put = (kind: string, text: string) => out.push(h("span", { class: kind }, text));
  for (const m of line.matchAll(token)) {
    out.push(line.slice(from, m.index));
    from = m.index! + m[0].length;
    if (m[1] !== undefined) {
      put("comment", m[1]);
    } else if (m[2] !== undefined) {
      put("string", m[2]);
    } else if (m[3] !== undefined) {
      out.push(m[0].slice(0, m[0].length - m[4].length));
      put(/^[-+]?[\d.]/.test(m[4]) ? "number" : "word", m[4]);
    } else if (m[6] !== undefined) {
      put("number", m[6]);
    } else {
      out.push(m[0]);
    }
  }
  out.push(line.slice(from));
  return out;
}

/** The text; the line of a fault stands out, with a mark below its column. */
export function sourceOf(text: string, fault?: Fault, links?: SourceLinks): HTMLElement {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") {
    lines.pop();
  }
  const isModel = /^\s*[(;]/.test(text);
  const body = h("ol", { class: "source", tabindex: "0", "aria-label": "Model text" });
  lines.forEach((line, i) => {
    const code = h("code", {}, ...(isModel ? colored(line) : [line]), line ? "" : " ");
    const item = h("li", {}, code);
    const joints = links?.joints.get(i + 1);
    if (joints) {
      let next = 0;
      item.classList.add("linked");
      code.title = "Select what this line makes";
      code.addEventListener("click", () => links!.choose(joints[next++ % joints.length]));
    }
    if (fault && fault.line === i + 1) {
      item.classList.add("fault");
      item.setAttribute("aria-invalid", "true");
      if (fault.column > 0) {
        const before = Array.from(line.slice(0, fault.column - 1), (c) => (c === "\t" ? "\t" : " ")).join("");
        item.append(h("code", { class: "mark", "aria-hidden": "true" }, `${before}▲`));
      }
    }
    body.append(item);
  });
  return h("section", { class: "panel wide" }, body);
}
