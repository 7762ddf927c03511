// SPDX-License-Identifier: Apache-2.0
// Which plots a page has: energy, momenta, constraint error, effort, and chosen coordinates.
import { curveColors } from "./axes";
import { impactTimes, type Column, type Page, type Run } from "./data";
import { TimePlot, type Curve, type Link, type Source } from "./plots";

const measures = new Set(["energy", "balance", "constraint", "iterations"]); // a plot shows one of them
const touching = /^(c\..*\.(fn|ft|slip|state)|bound\..*|limit\..*)$/;
const CHOSEN = 4; // coordinates shown at first
const LANES = 24; // contacts whose states are shown
const lossColors = ["#c4536a", "#b99b2d", "#8a939e"]; // of impacts, of friction, other work

/** The same quantity of every run, or several quantities of one. */
function curvesOf(runs: Run[], names: string[], drift = false, size = false, unit?: (name: string) => string): Curve[] {
  const many = runs.length > 1;
  const curves: Curve[] = [];
  runs.forEach((run, r) =>
    names.forEach((name, k) => {
      const column = run.byName.get(name);
      if (column) {
        const short = name.replace(/^[qv]\./, "");
        const label = !many ? short : measures.has(name) ? run.label : `${short} · ${run.label}`;
        const color = curveColors[(many && names.length === 1 ? r : many ? r + k * runs.length : k) % curveColors.length];
        curves.push({ label, run, column, color, drift, size, unit: unit?.(name) });
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

/** The sum of columns with signs, as a column. */
function sumOf(run: Run, terms: [string, number][]): Column {
  const columns = terms.map(([name, sign]) => [run.byName.get(name)!, sign] as const);
  const delta = columns[0][0].delta.map((_d, i) => columns.reduce((sum, [c, sign]) => sum + sign * c.delta[i], 0));
  return { name: terms.map(([name]) => name).join(" "), unit: columns[0][0].unit, first: columns.reduce((sum, [c, sign]) => sum + sign * c.first, 0), delta };
}

function largest(column: Column): number {
  return column.delta.reduce((most, d) => (Number.isNaN(d) ? most : Math.max(most, Math.abs(column.first + d))), 0);
}

/** Energies, and on them what impacts and friction at contacts took, and the work of all else that is
 * no potential, where these are more than rounding: the sum of all is flat. */
function energyPlot(run: Run, end: number, ticks: number[], link: Link): TimePlot {
  const curves = curvesOf([run], ["kinetic", "potential", "energy"]);
  const most = Math.max(...curves.map((c) => largest(c.column)));
  const losses = ["lost.impact", "lost.friction"].filter((name) => run.byName.has(name));
  const terms: [string, number][] = [["energy", 1]];
  const stack = (label: string, more: [string, number][], color: string) => {
    if (largest(sumOf(run, more)) > 1e-6 * most) {
      terms.push(...more);
      curves.push({ label: `${curves.length === 3 ? "energy" : "…"} ${label}`, run, column: sumOf(run, terms), color }); // a sum, and named as one
    }
  };
  losses.forEach((name) => stack(`+ ${name.replace("lost.", "lost in ")}`, [[name, 1]], lossColors[name === "lost.impact" ? 0 : 1]));
  if (run.byName.has("work")) {
    stack(losses.length > 0 ? "− other work" : "− work", [["work", -1], ...losses.map((name) => [name, -1] as [string, number])], lossColors[2]);
  }
  return new TimePlot({ title: "Energy", unit: "J", curves, stacked: curves.length - 3, ticks }, end, link);
}

/** What is to stay at zero, and its name. Where work is done the energy changes by it; a table without
 * its column shows the energy, and says what that is. */
export function balanceOf(page: Page, runs: Run[]): ["balance" | "energy", string] {
  if (!runs.every((r) => r.byName.has("balance"))) {
    return ["energy", page.model?.works ? "Energy − start, work not counted" : "Energy − start"];
  }
  return ["balance", isZero(runs, "work") ? "Energy − start" : "Energy − start − work"];
}

/** States of contacts, those that ever touch, in the order of the file. */
function lanesOf(run: Run, end: number, ticks: number[], link: Link): TimePlot[] {
  const states = run.list.filter((c) => /^c\..*\.state$/.test(c.name) && !isZero([run], c.name));
  if (states.length === 0) {
    return [];
  }
  const curves = states.slice(0, LANES).map((column, k) => ({
    label: column.name.slice(2, -".state".length), run, column, color: curveColors[k % curveColors.length],
  }));
  const unit = states.length > LANES ? `the first ${LANES} of ${states.length}` : "";
  return [new TimePlot({ title: "Contacts", unit, curves, lanes: true, ticks }, end, link)];
}

/** What a reader may put into plots: any column; names are those offered first. */
export function sourceOf(page: Page, names: string[]): Source {
  const runs = page.runs.filter((r) => r.times.length > 0);
  const unit = (name: string) => runs[0]?.byName.get(name)?.unit ?? "";
  return { runs, names, unit, curves: (chosen) => curvesOf(runs, chosen, false, false, unit) };
}

/** A plot of some of these columns, to choose from: at first those that move, of two units at most. */
function chooser(page: Page, title: string, columns: Column[], end: number, link: Link, ticks: number[]): TimePlot {
  const source = sourceOf(page, columns.map((c) => c.name));
  const moving = columns.filter((c) => c.delta.some((d) => Math.abs(d) > 1e-9)).map((c) => c.name);
  const likely = moving.length > 0 ? moving : source.names;
  const units = [...new Set(likely.map(source.unit))].slice(0, 2);
  const chosen = likely.filter((n) => units.includes(source.unit(n))).slice(0, source.runs.length > 1 ? 1 : CHOSEN);
  return new TimePlot({ title, unit: units[0] ?? "", curves: source.curves(chosen), ticks, source }, end, link);
}

/** All plots against time, in order. */
export function buildPlots(page: Page, end: number, link: Link): TimePlot[] {
  const runs = page.runs.filter((r) => r.times.length > 0);
  const model = page.model!;
  const plots: TimePlot[] = [];
  const many = runs.length > 1;
  const ticks = runs.length > 0 ? impactTimes(runs[0]) : [];
  const add = (title: string, unit: string, names: string[], more: { drift?: boolean; size?: boolean; log?: boolean; ofSteps?: boolean } = {}) => {
    const curves = curvesOf(runs, names, more.drift, more.size);
    if (!names.every((name) => isZero(runs, name))) {
      plots.push(new TimePlot({ title, unit, ...more, curves, ticks, source: sourceOf(page, names) }, end, link));
    }
  };
  if (runs.length === 0) {
    return plots;
  }
  if (!many && !["kinetic", "potential", "energy"].every((name) => isZero(runs, name))) {
    plots.push(energyPlot(runs[0], end, ticks, link));
  }
  const [measure, words] = balanceOf(page, runs);
  add(words, "J", [measure], { drift: true });
  if (many) {
    add(`Size of ${words[0].toLowerCase()}${words.slice(1)}`, "J", [measure], { drift: true, size: true, log: true });
  }
  const columns = runs[0].list;
  const q = columns.slice(0, model.nq);
  const v = columns.filter((c) => c.name.startsWith("v.") && !q.includes(c)).slice(0, model.nv);
  const u = columns.filter((c) => c.name.startsWith("u.") && !q.includes(c));
  const y = columns.filter((c) => c.name.startsWith("y.") && !q.includes(c));
  const z = columns.filter((c) => c.name.startsWith("z.") && !q.includes(c));
  const closing = columns.filter((c) => /^[qv]\./.test(c.name) && !q.includes(c) && !v.includes(c)); // joints that close loops
  const touch = columns.slice(model.nq).filter((c) => touching.test(c.name) && !isZero(runs, c.name));
  const slip = touch.filter((c) => c.name.endsWith(".slip"));
  const forces = touch.filter((c) => !/^c\..*\.(slip|state)$/.test(c.name));
  const sets: [string, Column[]][] = [["Coordinates", q], ["Velocities", v], ["Inputs", u], ["Outputs", y], ["Closing joints", closing], ["State variables", z], ["Contact forces", forces], ["Slip", slip]];
  if (!many) {
    plots.push(...lanesOf(runs[0], end, ticks, link));
  }
  for (const [title, set] of sets) {
    if (set.length > 0) {
      plots.push(chooser(page, title, set, end, link, ticks));
    }
  }
  if (runs.some((r) => r.byName.has("gap") && largest(r.byName.get("gap")!) > 1e-9)) { // else all is closed
    add("Smallest gap", "m, rad", ["gap"]);
  }
  add("Constraint error", "m, rad", ["constraint"], { log: true });
  add("Solver effort", "evaluations a step", ["iterations"], { ofSteps: true });
  if (!many) {
    add("Momentum", "kg m/s", ["P.x", "P.y", "P.z"]);
    add("Angular momentum", "kg m²/s", ["L.x", "L.y", "L.z"]);
    const reactions = columns.filter((c) => c.name.startsWith("R.") && !q.includes(c));
    if (reactions.length > 0) {
      plots.push(chooser(page, "Reactions", reactions, end, link, ticks));
    }
    const made = columns.slice(model.nq).filter((c) => /^(force|f)\./.test(c.name));
    if (made.length > 0) {
      plots.push(chooser(page, "Forces and drives", made, end, link, ticks));
    }
    const known = /^([fquvyzR]\.|force\.|[PL]\.[xyz]$|kinetic$|potential$|energy$|constraint$|iterations$|work$|balance$|contacts$|gap$|impacts$|lost\.(impact|friction)$)/;
    const others = columns.slice(model.nq + v.length).filter((c) => !known.test(c.name) && !touching.test(c.name));
    if (others.length > 0) {
      plots.push(chooser(page, "Others", others, end, link, ticks));
    }
  }
  return plots;
}
