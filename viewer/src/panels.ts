// SPDX-License-Identifier: Apache-2.0
// Which plots a page has: energy, momenta, constraint error, effort, and chosen coordinates.
import type { Column, Model, Page, Run } from "./data";
import { h, shorten } from "./dom";
import { TimePlot, type Curve, type Link } from "./plots";

export const curveColors = ["#4a84e0", "#e0803a", "#3fa37a", "#c4536a", "#9a6fd0", "#b99b2d", "#3aa5b8", "#8a939e"];
const measures = new Set(["energy", "balance", "constraint", "iterations"]); // a plot shows one of them
const CHOSEN = 4; // coordinates shown at first
const LISTED = 300; // entries of the list to choose from

function unitOf(model: Model, name: string): string {
  const [side, ...rest] = name.split(".");
  const index = rest.join(".");
  const joint = model.joints.find((j) => index === j.name || index.startsWith(`${j.name}.`));
  const suffix = joint ? index.slice(joint.name.length) : "";
  const body = joint ? model.bodies[joint.first] : undefined;
  const whole = suffix === "" && body !== undefined && !body.turns && body.slides === 1;
  const isLength = whole || [".d", ".x", ".y", ".z", ".vx", ".vy", ".vz"].includes(suffix);
  const unit = isLength ? "m" : suffix.startsWith(".q") ? "" : "rad";
  return side === "v" ? `${unit || "rad"}/s` : unit;
}

/** The same quantity of every run, or several quantities of one. */
function curvesOf(runs: Run[], names: string[], drift = false, size = false): Curve[] {
  const many = runs.length > 1;
  const curves: Curve[] = [];
  runs.forEach((run, r) =>
    names.forEach((name, k) => {
      const column = run.byName.get(name);
      if (column) {
        const short = name.replace(/^[qv]\./, "");
        const label = !many ? short : measures.has(name) ? run.label : `${short} · ${run.label}`;
        const color = curveColors[(many && names.length === 1 ? r : many ? r + k * runs.length : k) % curveColors.length];
        curves.push({ label, run, column, color, drift, size });
      }
    }),
  );
  return curves;
}

function isZero(runs: Run[], name: string): boolean {
  return runs.every((r) => {
    const c = r.byName.get(name);
    return !c || (c.first === 0 && c.delta.every((d) => d === 0) && (c.max?.every((d) => d === 0) ?? true));
  });
}

/** A plot whose curves are picked from a list. */
class Chooser {
  readonly root: HTMLElement;
  readonly plot: TimePlot;
  private readonly chosen: string[];
  private readonly chips: HTMLElement;

  constructor(page: Page, title: string, columns: Column[], end: number, link: Link) {
    const { runs } = page;
    const names = columns.map((c) => c.name);
    const units = [...new Set(names.slice(0, 50).map((n) => unitOf(page.model!, n)))].filter(Boolean).join(", ");
    const moving = columns.filter((c) => c.delta.some((d) => Math.abs(d) > 1e-9)).map((c) => c.name);
    this.chosen = (moving.length > 0 ? moving : names).slice(0, runs.length > 1 ? 1 : CHOSEN);
    this.plot = new TimePlot({ title, unit: units, curves: curvesOf(runs, this.chosen) }, end, link);
    this.chips = h("div", { class: "chips", role: "group", "aria-label": `${title} to show` });
    this.root = this.plot.root;
    if (names.length > 1) {
      this.root.append(this.picker(names, runs));
    }
  }

  private picker(names: string[], runs: Run[]): HTMLElement {
    const filter = h("input", { type: "search", placeholder: "Find a name", "aria-label": "Find a name" });
    const fill = () => {
      const wanted = filter.value.toLowerCase();
      const found = names.filter((n) => n.toLowerCase().includes(wanted));
      const chips = found.slice(0, LISTED).map((name) => this.chip(name, runs));
      if (found.length > LISTED) {
        chips.push(h("span", { class: "more" }, `and ${found.length - LISTED} more: type to find them`));
      }
      this.chips.replaceChildren(...chips);
    };
    filter.addEventListener("input", fill);
    fill();
    const details = h("details", { class: "choose" }, h("summary", {}, `Choose from ${names.length}`));
    if (names.length > 12) {
      details.append(filter);
    }
    details.append(this.chips);
    return details;
  }

  private chip(name: string, runs: Run[]): HTMLElement {
    const button = h("button", { type: "button", class: "chip", title: name, "aria-pressed": String(this.chosen.includes(name)) },
      shorten(name.replace(/^[qv]\./, ""), 32));
    button.addEventListener("click", () => {
      const at = this.chosen.indexOf(name);
      if (at >= 0) {
        this.chosen.splice(at, 1);
      } else {
        this.chosen.push(name);
      }
      button.setAttribute("aria-pressed", String(at < 0));
      this.plot.set(curvesOf(runs, this.chosen));
    });
    return button;
  }
}

/** All plots against time, in order. */
export function buildPlots(page: Page, end: number, link: Link): TimePlot[] {
  const runs = page.runs.filter((r) => r.times.length > 0);
  const model = page.model!;
  const plots: TimePlot[] = [];
  const many = runs.length > 1;
  const add = (title: string, unit: string, names: string[], more: { drift?: boolean; size?: boolean; log?: boolean; ofSteps?: boolean } = {}) => {
    const curves = curvesOf(runs, names, more.drift, more.size);
    if (!names.every((name) => isZero(runs, name))) {
      plots.push(new TimePlot({ title, unit, ...more, curves }, end, link));
    }
  };
  if (runs.length === 0) {
    return plots;
  }
  if (!many) {
    add("Energy", "J", ["kinetic", "potential", "energy"]);
  }
  const balance = runs.every((r) => r.byName.has("balance"));
  add(balance ? "Energy − start − work" : "Energy − start", "J", [balance ? "balance" : "energy"], { drift: true });
  if (many) {
    add(balance ? "Size of energy − start − work" : "Size of energy − start", "J", [balance ? "balance" : "energy"], { drift: true, size: true, log: true });
  }
  const columns = runs[0].list;
  const q = columns.slice(0, model.nq);
  const v = columns.filter((c) => c.name.startsWith("v.") && !q.includes(c)).slice(0, model.nv);
  const u = columns.filter((c) => c.name.startsWith("u.") && !q.includes(c));
  const y = columns.filter((c) => c.name.startsWith("y.") && !q.includes(c));
  const sets: [string, Column[]][] = [["Coordinates", q], ["Velocities", v], ["Inputs", u], ["Outputs", y]];
  for (const [title, set] of sets) {
    if (set.length > 0) {
      plots.push(new Chooser({ ...page, runs }, title, set, end, link).plot);
    }
  }
  add("Constraint error", "m, rad", ["constraint"], { log: true });
  add("Solver effort", "evaluations a step", ["iterations"], { ofSteps: true });
  if (!many) {
    add("Momentum", "kg m/s", ["P.x", "P.y", "P.z"]);
    add("Angular momentum", "kg m²/s", ["L.x", "L.y", "L.z"]);
    const known = /^([quvy]\.|[PL]\.[xyz]$|kinetic$|potential$|energy$|constraint$|iterations$|balance$)/;
    const others = columns.slice(model.nq + v.length).filter((c) => !known.test(c.name));
    if (others.length > 0) {
      plots.push(new Chooser({ ...page, runs }, "Others", others, end, link).plot);
    }
  }
  return plots;
}
