// SPDX-License-Identifier: Apache-2.0
// The bodies of a model as a tree of joints, with a search.
import type { Model } from "./data";
import { format, h, shorten } from "./dom";
import { matches } from "./picker";

const LISTED = 400; // rows at one time
const DEEPEST = 14; // further in they are no longer moved to the right

export class Tree {
  readonly root: HTMLElement;
  private readonly list = h("ul", { class: "tree", "aria-label": "Bodies" });
  private readonly filter = h("input", { type: "search", placeholder: "Find a body or a joint", "aria-label": "Find a body or a joint" });
  private readonly depth: number[];
  private readonly order: number[] = [];
  private marked = -1;

  constructor(
    private readonly model: Model,
    private readonly choose: (joint: number) => void,
  ) {
    const parent = model.joints.map((j) => model.bodies[model.bodies[j.first]?.parent ?? 0]?.joint ?? -1);
    const isRoot = (j: number) => !(parent[j] >= 0) || (model.bodies[model.joints[j].first]?.parent ?? 0) === 0;
    this.depth = model.joints.map(() => 0);
    const children: number[][] = model.joints.map(() => []);
    const roots: number[] = [];
    model.joints.forEach((_j, j) => (isRoot(j) ? roots : children[parent[j]]).push(j));
    const stack = roots.reverse();
    while (stack.length > 0) { // a chain of a thousand is too deep for calls
      const j = stack.pop()!;
      this.order.push(j);
      children[j].reverse().forEach((c) => {
        this.depth[c] = this.depth[j] + 1;
        stack.push(c);
      });
    }
    this.filter.addEventListener("input", () => this.fill());
    this.list.addEventListener("keydown", (e) => this.key(e));
    this.root = h("section", { class: "panel" }, this.filter, this.list);
    this.fill();
  }

  private words(j: number): string {
    const joint = this.model.joints[j];
    const frames = this.model.frames.filter((f, i) => i > 0 && f.body === joint.last && f.name).map((f) => f.name);
    return [joint.name, joint.kind, ...frames].join(" ");
  }

  private fill(): void {
    const wanted = this.filter.value.trim();
    const found = wanted ? this.order.filter((j) => matches(this.words(j), wanted)) : this.order;
    const rows = found.slice(0, LISTED).map((j) => this.row(j, wanted === ""));
    if (found.length > LISTED) {
      rows.push(h("li", { class: "more" }, `and ${found.length - LISTED} more: type to find them`));
    } else if (found.length === 0) {
      rows.push(h("li", { class: "more" }, this.order.length === 0 ? "the model has no joints" : "none has such a name"));
    }
    this.list.replaceChildren(...rows);
  }

  private row(j: number, indented: boolean): HTMLElement {
    const joint = this.model.joints[j];
    const mass = this.model.bodies[joint.last]?.mass ?? 0;
    const button = h("button", { type: "button", title: this.words(j), "data-joint": String(j), "aria-pressed": String(j === this.marked) },
      h("b", {}, shorten(joint.name, 40)), " ", h("small", {}, `${joint.kind}${mass > 0 ? ` · ${format(mass, 4)} kg` : ""}`));
    button.style.paddingLeft = `${8 + (indented ? 14 * Math.min(DEEPEST, this.depth[j]) : 0)}px`;
    button.addEventListener("click", () => this.choose(j));
    return h("li", {}, button);
  }

  /** The arrows go from one to the next. */
  private key(e: KeyboardEvent): void {
    const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
    const all = [...this.list.querySelectorAll("button")];
    const next = all[all.indexOf(document.activeElement as HTMLButtonElement) + step];
    if (step !== 0 && next) {
      next.focus();
      e.preventDefault();
      e.stopPropagation();
    }
  }

  mark(joint: number): void {
    this.marked = joint;
    this.list.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.joint === String(joint))));
    this.list.querySelector(`[data-joint="${joint}"]`)?.scrollIntoView({ block: "nearest" });
  }
}
