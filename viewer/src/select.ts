// SPDX-License-Identifier: Apache-2.0
// A body that is selected, by a click, in the tree or by its line: its outline, a card with its numbers,
// and what can be done with it.
import { BodyStates } from "./body_state";
import { valueAt, type Model, type Page, type Run } from "./data";
import { format, h, shorten } from "./dom";
import { Tree } from "./tree";

/** What a selection needs of the page around it. */
export interface SelectHost {
  page: Page;
  run?: Run;
  outline(bodies: Set<number>): void;
  plot(names: string[], title: string): void;
  follow(body: number): void;
  trace(frame: number): void;
  openLine(line: number): void;
  changed(): void;
}

/** Bodies that a joint carries: those between its first and last have no mass of their own. */
export function bodiesOf(model: Model, joint: number): Set<number> {
  const { first, last } = model.joints[joint];
  return new Set(Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

/** The line of the text that defines a joint; 0: unknown. */
export function lineOf(page: Page, joint: number): number {
  return page.model!.joints[joint].line ?? 0;
}

/** Columns of a joint: coordinates, velocities, reactions. */
function columnsOf(run: Run, name: string): { motion: string[]; reactions: string[] } {
  const of = (side: string) => run.list.map((c) => c.name).filter((n) => n === `${side}.${name}` || n.startsWith(`${side}.${name}.`));
  return { motion: [...of("q"), ...of("v")], reactions: of("R") };
}

export class Selection {
  readonly card = h("section", { class: "card", "aria-label": "Selected body", hidden: true });
  readonly tree: Tree;
  joint = -1;
  private readonly states?: BodyStates;
  private numbers: [HTMLElement, () => string][] = [];

  constructor(private readonly host: SelectHost) {
    const { page, run } = host;
    this.states = run && page.model ? new BodyStates(page.model, run) : undefined;
    this.tree = new Tree(page.model!, (j) => this.select(j === this.joint ? -1 : j));
  }

  /** The joint of a body; the world has none. */
  selectBody(body: number): void {
    this.select(body > 0 ? this.host.page.model!.bodies[body].joint : -1);
  }

  selectName(name: string): void {
    this.select(this.host.page.model!.joints.findIndex((j) => j.name === name));
  }

  get name(): string | undefined {
    return this.host.page.model?.joints[this.joint]?.name;
  }

  select(joint: number): void {
    this.joint = joint;
    this.known = undefined;
    this.host.outline(joint < 0 ? new Set() : bodiesOf(this.host.page.model!, joint));
    this.tree.mark(joint);
    this.card.hidden = joint < 0;
    if (joint >= 0) {
      this.fill();
    }
    this.host.changed();
  }

  private act(label: string, title: string, act: () => void): HTMLElement {
    const button = h("button", { type: "button", class: "chip", title }, label);
    button.addEventListener("click", act);
    return button;
  }

  private fill(): void {
    const { page, run } = this.host;
    const joint = page.model!.joints[this.joint];
    const body = page.model!.bodies[joint.last];
    const columns = run ? columnsOf(run, joint.name) : { motion: [], reactions: [] };
    const frames = page.model!.frames.filter((f, i) => i > 0 && f.body === joint.last && f.name);
    const line = lineOf(page, this.joint);
    const rows: [string, () => string][] = [
      ["Joint", () => `${joint.kind}${joint.driven ? ", driven" : ""}`],
      ["Mass", () => `${format(body.mass)} kg`],
    ];
    this.numbers = [];
    rows.push(...this.stateRows(joint.last), ...this.columnRows(columns));
    const list = h("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => {
      const value = h("dd", {}, text());
      this.numbers.push([value, text]);
      return [h("dt", {}, name), value];
    }));
    const own = frames.length > 0 ? page.model!.frames.indexOf(frames[0]) : joint.frame;
    this.card.replaceChildren(
      h("h2", { title: joint.name }, shorten(joint.name, 40)),
      frames.length > 0 ? h("p", { class: "frames" }, shorten(frames.map((f) => f.name).join(", "), 60)) : "",
      list,
      h("div", { class: "chips" },
        columns.motion.length > 0 ? this.act("Curves", "A plot of its columns", () => this.plots(joint.name, columns)) : null,
        this.act("Follow", "The camera goes along", () => this.host.follow(joint.last)),
        this.act("Trace", "The path of its frame, or no more", () => this.host.trace(own)),
        line > 0 ? this.act(`Line ${line}`, "Its line in the model's text", () => this.host.openLine(line)) : null,
        this.act("Close", "Nothing selected (Escape)", () => this.select(-1))));
  }

  /** How it moves in one plot, what its joint carries in another: a plot has two units. */
  private plots(name: string, { motion, reactions }: { motion: string[]; reactions: string[] }): void {
    if (reactions.length > 0) {
      this.host.plot(reactions, `${name}: reaction`);
    }
    this.host.plot(motion.slice(0, 12), name);
  }

  private stateRows(body: number): [string, () => string][] {
    const { states } = this;
    if (!states) {
      return [];
    }
    const three = (v: number[]) => v.map((x) => format(x, 4)).join(", ");
    const size = (v: number[]) => format(Math.hypot(...v), 4);
    const rows: [string, () => string][] = [
      ["Place", () => `${three(this.state(body).place)} m`],
      ["Turn", () => `${three(this.state(body).turn.map((x) => (180 * x) / Math.PI))} °`],
      ["Speed", () => `${size(this.state(body).velocity)} m/s, ${size(this.state(body).spin)} rad/s`],
    ];
    if (this.state(body).kinetic !== undefined) {
      rows.push(["Energy", () => `${format(this.state(body).kinetic, 4)} J of motion, ${format(this.state(body).potential, 4)} J of height`]);
    }
    return rows;
  }

  private time = 0;
  private known?: ReturnType<BodyStates["at"]>;

  private state(body: number): ReturnType<BodyStates["at"]> {
    return (this.known ??= this.states!.at(this.time, body));
  }

  /** Coordinates, and the size of the force and torque through the joint where the run has them. */
  private columnRows({ motion, reactions }: { motion: string[]; reactions: string[] }): [string, () => string][] {
    const run = this.host.run!;
    const value = (name: string) => valueAt(run, run.byName.get(name)!, this.time);
    const rows = motion.slice(0, 6).map((name): [string, () => string] => [shorten(name, 20), () => format(value(name), 5)]);
    const parts: [string[], string][] = [[reactions.filter((n) => /\.f[xyz]$/.test(n)), "N"], [reactions.filter((n) => /\.t[xyz]$/.test(n)), "N m"]];
    const known = parts.filter(([names]) => names.length === 3);
    if (known.length > 0) {
      rows.push(["Reaction", () => known.map(([names, unit]) => `${format(Math.hypot(...names.map(value)), 4)} ${unit}`).join(", ")]);
    }
    return rows;
  }

  /** The numbers of the card at a time. */
  update(t: number): void {
    if (t === this.time) {
      return;
    }
    this.time = t;
    this.known = undefined;
    for (const [element, text] of this.joint < 0 ? [] : this.numbers) {
      element.textContent = text();
    }
  }
}
