// SPDX-License-Identifier: Apache-2.0
// Can this run be trusted? One line on top: how it was made, what its energy and its loops are off by,
// what it cost. Green, or amber with the reason; a click on a number goes to where it is worst.
import { type Column, type Comparison, type Entry, type Model, type Page, type Run } from "./data";
import { count, format, h } from "./dom";

const BALANCE = 1e-2; // of the energies in play: more is seen in the motion
const OPEN = 1e-6; // of the mechanism: what the digits of files leave in loops (src/run/watch.c)

/** A size and the time where it is. */
export interface Worst {
  value: number;
  time: number;
}

/** Largest size of a column, or of its difference from the first value; samples, and the extremes between. */
export function worstOf(run: Run, column: Column, drift: boolean): Worst {
  const base = drift ? 0 : column.first;
  const worst = { value: 0, time: run.times[0] ?? 0 };
  const look = (times: Float64Array | undefined, list: Float32Array | undefined) => {
    for (let i = 0; times && list && i < list.length; i++) {
      const size = Math.abs(base + list[i]);
      if (size > worst.value) {
        worst.value = size;
        worst.time = times[i];
      }
    }
  };
  look(run.times, column.delta);
  look(run.extremeTimes, column.min);
  look(run.extremeTimes, column.max);
  return worst;
}

function spanOf(column: Column): number {
  const all = [...column.delta, ...(column.min ?? []), ...(column.max ?? [])].filter(Number.isFinite);
  return all.reduce((high, d) => Math.max(high, d), -Infinity) - all.reduce((low, d) => Math.min(low, d), Infinity);
}

const DIGITS = 1e-8; // of 1 rad or m: an estimated error that roots and digits leave
const LARGE = 0.1; // of the range of a coordinate: an estimated error that is seen (src/run/estimate_find.c)
const ROUNDING = 1e-9; // of the potential energy: where nothing moves, its last digits are all that there is

/** What the balance is held against: the kinetic energy, what the potential went through, the work done. */
export function energyScale(run: Run): number {
  const get = (name: string) => run.byName.get(name);
  const kinetic = get("kinetic");
  const potential = get("potential");
  const work = get("work");
  const most = (column?: Column) => (column ? worstOf(run, column, false).value : 0);
  return Math.max(most(kinetic), potential ? spanOf(potential) : 0, most(work), ROUNDING * most(potential));
}

/** The balance where it is in the table, the energy where no work is done; undefined: neither tells. */
export function balanceColumn(run: Run, model: Model): Column | undefined {
  return run.byName.get("balance") ?? (model.works ? undefined : run.byName.get("energy"));
}

interface Part {
  text: string;
  title: string;
  bad: boolean;
  time?: number;
}

function energyPart(run: Run, model: Model): Part | null {
  const column = balanceColumn(run, model);
  const scale = energyScale(run);
  const seen = column && worstOf(run, column, true);
  const known = run.stats.steps > 0 ? run.stats.driftMax ?? 0 : 0; // of all nodes that were looked at
  if ((!seen && run.stats.steps === 0) || scale === 0) {
    return null;
  }
  const value = Math.max(seen?.value ?? 0, known);
  const share = value / scale;
  const { energyBand: band, energyTrend: trend } = run.stats;
  const parts = run.stats.steps > 0 && band !== null && trend !== null ? ` It moves in a band of ${format(band, 3)} J around a trend of ${format(trend, 3)} J an hour.` : "";
  return {
    text: `energy off by ${format(share, 2)} of its scale`, bad: !(share <= BALANCE), time: seen?.time,
    title: `The energy less the work done differs from that at the start by up to ${format(value, 3)} J; the scale is ${format(scale, 3)} J, the largest of kinetic energy, change of the potential, and work.${parts}`,
  };
}

/** The error of the coordinates, that energy and loops do not show. */
function errorPart(run: Run): Part | null {
  const e = run.stats.estimated_error;
  if (!e || e.value === null || e.range === null) {
    return null;
  }
  const bad = e.value > LARGE * e.range && e.value > DIGITS * Math.max(1, e.range);
  return {
    text: `${e.coordinate} off by about ${format(e.value, 2)} ${e.unit}${e.uncertain ? ", uncertain" : ""}`, bad, time: run.times[run.times.length - 1],
    title: `The error at the end, estimated from ${e.samples} steps that were also taken in halves; the coordinate's range is ${format(e.range, 3)} ${e.unit}.${e.uncertain ? ` Uncertain: ${e.uncertain}.` : ""}`,
  };
}

function loopPart(run: Run, model: Model): Part | null {
  const column = run.byName.get("constraint");
  if (!column || model.rows === 0) {
    return null;
  }
  const seen = worstOf(run, column, false);
  const value = Math.max(seen.value, run.stats.constraintMax ?? 0);
  return {
    text: `loops closed to ${format(value, 2)}`, bad: !(value <= OPEN * Math.max(model.length, 1)), time: seen.time,
    title: `The largest violation of a constraint, in metres or radians: ${format(value, 3)}.`,
  };
}

function effortPart(run: Run): Part | null {
  const column = run.byName.get("iterations");
  if (!column || run.stats.steps === 0) {
    return null;
  }
  const mean = format(run.stats.iterationsMean, 3);
  return {
    text: `${mean} ${mean === "1" ? "evaluation" : "evaluations"} a step`, bad: false, time: worstOf(run, column, false).time,
    title: `Evaluations of the equations of motion; at most ${count(run.stats.iterationsMax)} in a step.`,
  };
}

/** How it was made: method, step, steps, time taken. */
function madeOf(run: Run): string[] {
  const s = run.stats;
  return [
    run.label,
    run.dt !== undefined ? `dt ${format(run.dt)} s` : "",
    s.steps > 0 ? `${count(s.steps)} ${s.steps === 1 ? "step" : "steps"}` : "",
    s.steps > 0 && run.wallSeconds !== undefined ? `took ${format(run.wallSeconds, 2)} s` : "",
  ].filter(Boolean);
}

const named = (e: Entry) => `${e.label} at dt ${format(e.dt)} s`;

/** The line of a comparison: how many runs there are, which is nearest, which became other motions, and from when on. */
function comparisonVerdict(comparison: Comparison, seek: (t: number) => void): HTMLElement {
  const ran = comparison.entries.filter((e) => !e.refused);
  const failed = ran.filter((e) => e.failed);
  const parted = ran.filter((e) => e.parted !== null && e.parted !== undefined);
  const known = ran.filter((e) => e.error_final !== null && !parted.includes(e)).sort((a, b) => a.error_final! - b.error_final!);
  const bad = failed.length > 0 || parted.length > 0;
  const word = failed.length > 0 ? "some ended early" : parted.length > 0 ? "parted" : known.length > 0 ? "agree" : "not judged";
  const lines = [
    `${count(ran.length)} ${ran.length === 1 ? "run" : "runs"} against ${comparison.reference}`,
    known.length > 0 ? `nearest: ${named(known[0])}, ${format(known[0].error_final, 2)} m off at the end` : "",
    failed.length > 0 ? `${count(failed.length)} ended early` : "",
  ].filter(Boolean);
  const first = Math.min(...parted.map((e) => e.parted!));
  const mark = h("button", { type: "button", class: "grade", title: "Go to where the first run parts from the reference" }, word);
  mark.addEventListener("click", () => seek(Number.isFinite(first) ? first : 0));
  return h("section", { class: `judged ${bad ? "amber" : known.length > 0 ? "green" : ""}`, "aria-label": "Verdict" }, mark,
    ...lines.map((text) => h("span", {}, text)),
    ...parted.map((e) => {
      const button = h("button", { type: "button", class: "bad", title: "Its error stays above a tenth of the model's length from there on. Click to go there." }, `${named(e)}: another motion from t = ${format(e.parted, 3)} s on`);
      button.addEventListener("click", () => seek(e.parted!));
      return button;
    }));
}

/** The line; null where there is no run, or several: their table says it of each. */
export function verdictOf(page: Page, seek: (t: number) => void): HTMLElement | null {
  if (page.comparison) {
    return comparisonVerdict(page.comparison, seek);
  }
  const run = page.runs[0];
  if (!page.model || page.runs.length !== 1 || page.modes || page.comparison || (run.times.length < 2 && !run.error)) {
    return null;
  }
  const parts = [energyPart(run, page.model), errorPart(run), loopPart(run, page.model), effortPart(run)].filter((p): p is Part => p !== null);
  const bad = Boolean(run.error || run.watch) || parts.some((p) => p.bad);
  const word = run.ended === "blew-up" ? "blew up" : run.error ? "ended early" : run.watch ? "in doubt" : bad ? "look closer" : parts.length > 0 ? "sound" : "not judged";
  const worst = run.ended === "blew-up" && typeof run.stats.doubtFrom === "number" ? run.stats.doubtFrom : run.error ? run.times[run.times.length - 1] : parts.find((p) => p.bad)?.time ?? parts[0]?.time ?? 0;
  const go = (t: number) => () => seek(t);
  const mark = h("button", { type: "button", class: "grade", title: "Go to the worst time" }, word);
  mark.addEventListener("click", go(worst));
  return h("section", { class: `judged ${bad ? "amber" : parts.length > 0 ? "green" : ""}`, "aria-label": "Verdict" }, mark,
    ...madeOf(run).map((text) => h("span", {}, text)),
    ...parts.map((p) => {
      const button = h("button", { type: "button", class: p.bad ? "bad" : "", title: `${p.title} Click to go to its worst time.` }, p.text);
      button.addEventListener("click", go(p.time ?? 0));
      return button;
    }));
}

/** What statistics a table leaves to be known, where none came with it: a result of an older library, or cut off. */
export function completed(run: Run, model: Model): Run["stats"] {
  const { stats: s } = run;
  if (s.steps > 0 || run.times.length < 2) {
    return s;
  }
  const get = (name: string) => run.byName.get(name);
  const end = (c?: Column) => (c ? c.first + c.delta[c.delta.length - 1] : null);
  const balance = balanceColumn(run, model);
  const constraint = get("constraint");
  return {
    ...s, energyInitial: get("energy")?.first ?? null, energyFinal: end(get("energy")),
    driftMax: balance ? worstOf(run, balance, true).value : null,
    constraintMax: constraint ? worstOf(run, constraint, false).value : null,
  };
}
