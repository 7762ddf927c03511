// SPDX-License-Identifier: Apache-2.0
// What was run: the model, the method, its options, the summary; and the model's text.
import type { Fault, Maker, Model, Page, Run } from "./data";
import { count as number, format, h } from "./dom";
import { completed } from "./verdict";

type Row = [string, string | Node];

function list(rows: Row[]): HTMLElement {
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function modelFacts(page: Page): HTMLElement {
  const model = page.model!;
  const loops = model.rows === 0 ? "none" : `${count(model.rows, "row")}, rank ${model.rank}`;
  const rows: Row[] = [
    ["Model", model.name || "unnamed"],
    ...(page.source ? [["Given as", page.source] as Row] : []),
    ["Bodies", count(model.bodies.length - 1, "body", "bodies")],
    ["Joints", String(model.joints.length)],
    ["Coordinates", `${model.nq} (${count(model.nv, "velocity", "velocities")})`],
    ["Constraints", loops],
    ["Mobility", String(model.mobility)],
    ["Mass", `${format(model.mass)} kg`],
    ["Gravity", `${model.gravity.map((g) => format(g)).join(", ")} m/s²`],
  ];
  if (page.settings.length > 0) {
    rows.push(["Set", page.settings.map(([n, v]) => `${n} = ${format(v)}`).join(", ")]);
  }
  return h("section", { class: "panel" }, h("h3", {}, "Model"), list(rows));
}

/** What touched, where anything did. */
function contactFacts(run: Run): Row[] {
  const c = run.stats.contact;
  const rows: Row[] = [];
  if (c.impacts > 0 || c.solves > 0) {
    const plastic = c.plastic > 0 ? `, ${c.plastic} without restitution, as a step had many` : "";
    const guarded = c.guarded > 0 ? `, ${c.guarded} with less, as they would have gained energy` : "";
    rows.push(
      ["Impacts", `${c.impacts}${plastic}${guarded}; at most ${c.events} in a step`],
      ["Lost in impacts", `${format(c.lost)} J`],
      ["Lost in friction", `${format(c.friction)} J`],
      ["Deepest overlap", `${format(c.overlap)} m or rad`],
    );
  }
  if (c.solves > 0) {
    rows.push(["Cone problems", `${c.solves}: ${format(c.sweeps / c.solves, 3)} sweeps and ${format(c.newtons / c.solves, 3)} Newton steps each, largest error ${format(c.error, 3)} m/s`]);
  }
  if (run.places && run.places.cut > 0) {
    rows.push(["Contact places", `${run.places.cut} are not shown: a row has more than 1024`]);
  }
  return rows;
}

/** Forces that have no arrows, and why. */
function forceFacts(run: Run, model: Model): Row[] {
  const words: Record<Maker, [string, string]> = { joint: ["joint", "joints"], spring: ["spring or damper", "springs and dampers"], cord: ["wire or rope", "wires and ropes"], drive: ["drive", "drives"], load: ["wrench", "wrenches"] };
  const { unseen } = model.symbols;
  const list = (Object.keys(unseen) as Maker[]).map((maker) => count(unseen[maker]!, ...words[maker]));
  const why = run.byName.has("contacts") ? "what touches carries a part of them, or they have too many columns" : "they have too many columns, or the table has none of them";
  return list.length > 0 ? [["No arrows of", `${list.join(", ")}: ${why}`]] : [];
}

/** Energy, loops and effort: those that there are. */
function qualityFacts(run: Run, model?: Model): Row[] {
  const s = model ? completed(run, model) : run.stats;
  const rows: Row[] = [];
  if (s.energyInitial !== null && s.energyFinal !== null && (s.energyInitial !== 0 || s.energyFinal !== 0)) {
    rows.push(["Energy", `${format(s.energyInitial)} J at the start, ${format(s.energyFinal)} J at the end`]);
  }
  if (s.driftMax !== null && run.times.length > 1) {
    rows.push([model?.works ? "Largest drift, work counted" : "Largest drift", `${format(s.driftMax)} J`]);
  }
  if (s.steps > 0 && s.energyBand !== null && s.energyTrend !== null) {
    const error = s.energyTrendError !== null ? ` ± ${format(s.energyTrendError, 2)}` : "";
    rows.push(["Drift as band and trend", `${format(s.energyBand, 3)} J, peak to peak, around ${format(s.energyTrend, 3)}${error} J an hour`]);
  }
  const e = s.estimated_error;
  if (e) {
    rows.push(["Estimated error", `about ${format(e.value, 2)} ${e.unit} at the end, of ${e.coordinate}, whose range is ${format(e.range, 3)} ${e.unit}${e.uncertain ? `; uncertain: ${e.uncertain}` : ""}`]);
  }
  if (s.constraintMax !== null && (model?.rows ?? 1) > 0 && run.times.length > 1) {
    rows.push(["Constraint error", `${format(s.constraintMax)} m or rad`]);
  }
  if (s.steps > 0) {
    rows.push(["Effort a step", `${format(s.iterationsMean, 4)} ± ${format(s.iterationsStd, 3)}, at most ${s.iterationsMax}`], ["Evaluations", number(s.evaluations)]);
  }
  return rows;
}

function runFacts(run: Run, page: Page): HTMLElement {
  const one = page.runs.length === 1;
  const s = run.stats;
  const rows: Row[] = [["Method", run.label]];
  if (run.dt !== undefined) {
    rows.push(["Step", `${format(run.dt)} s`]);
  }
  const last = run.times[run.times.length - 1] ?? 0;
  rows.push(["Time", run.time !== undefined && run.error ? `${format(last)} of ${format(run.time)} s` : `${format(last)} s`]);
  if (s.steps > 0) {
    rows.push(["Steps", number(s.steps)]);
  }
  if (run.wallSeconds !== undefined && s.steps > 0 && run.wallSeconds > 0) {
    rows.push(["Took", `${format(run.wallSeconds, 3)} s, ${format(s.steps / run.wallSeconds, 3)} steps a second`]);
  }
  rows.push(...qualityFacts(run, page.model));
  rows.push(...contactFacts(run));
  if (page.model && run === page.runs[0]) {
    rows.push(...forceFacts(run, page.model));
  }
  if (run.rows !== undefined && (run.stride ?? 1) > 1) {
    rows.push(["In this page", `one of every ${run.stride} of ${number(run.rows)} rows; bands show the extremes between`]);
  }
  if (run.left) {
    rows.push(["Left out", `${number(run.left)} velocities: the table has more than 2500 columns`]);
  }
  rows.push(["Cardan", page.version]);
  const section = h("section", { class: "panel" }, h("h3", {}, one ? "Run" : `Run: ${run.label}`), list(rows));
  if (run.options) {
    const table = h("table", { class: "options" }, h("caption", {}, "Options of the run"),
      h("tbody", {}, ...run.options.map(([n, v]) => h("tr", {}, h("th", { scope: "row" }, n), h("td", {}, v)))));
    section.append(h("details", {}, h("summary", {}, "All options"), table));
  }
  return section;
}

export function factsOf(page: Page): HTMLElement {
  const root = h("div", { class: "stack" });
  if (page.model) {
    root.append(modelFacts(page));
  }
  page.runs.forEach((run) => root.append(runFacts(run, page)));
  return root;
}

export function faultOf(fault: Fault): HTMLElement {
  const place = [fault.file, fault.line > 0 ? `line ${fault.line}` : "", fault.column > 0 ? `column ${fault.column}` : ""];
  return h("section", { class: "panel fault-card", role: "alert" },
    h("h3", {}, "The model cannot be shown"),
    h("p", { class: "message" }, fault.message),
    h("p", { class: "place" }, place.filter(Boolean).join(", ")));
}

/** Things a reader should know first: why a run ended early or is in doubt, what the start changed, warnings. */
export function noticesOf(page: Page, drawing: string[]): HTMLElement | null {
  const items: HTMLElement[] = [];
  const add = (kind: string, text: string) => items.push(h("li", { class: kind }, text));
  const many = page.runs.length > 1;
  for (const run of page.runs) {
    const label = many ? `${run.label}: ` : "";
    if (run.error) {
      add("bad", `${label}the run ended early. ${run.error}`);
    }
    if (run.watch && run.watch !== run.error) { // what blew up has one sentence for both
      add("bad", `${label}in doubt: ${run.watch}`);
    }
    if (run.note) {
      add("note", `${label}${run.note}`);
    }
    if (run.left) {
      add("note", `${label}${number(run.left)} velocities are not in this page, which has room for 2500 columns: the motion runs straight from row to row, and the table of --out has them all.`);
    }
  }
  for (const text of [...(page.model?.warnings ?? []), ...drawing]) {
    add("note", text);
  }
  const most = 12;
  if (items.length > most) {
    const rest = items.length - most;
    items.length = most;
    add("note", `and ${rest} more`);
  }
  return items.length > 0 ? h("ul", { class: "notices", "aria-label": "Notices" }, ...items) : null;
}
