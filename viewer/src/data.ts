// SPDX-License-Identifier: Apache-2.0
// The data of a page as the library writes it (src/output/page*.c), decoded.
import { decode } from "./pack";
import type { SweepPage } from "./sweep_data";

export { decode };

/** Place and unit quaternion: x y z, w x y z. */
export type Transform = [number, number, number, number, number, number, number];

/** A body, and the joint that carries it: T_WB = T_WP X J(q), with so many angular velocities, then
 * linear ones. One of them: about or along z, J = Rz(q) Trans_z(pitch q) or Trans_z(q). Three turns are
 * a quaternion, with three slides behind a place. */
export interface Body {
  parent: number;
  turns?: number;
  slides?: number;
  q: number;
  v: number;
  pitch?: number;
  joint: number;
  mass: number;
  inertia?: number[]; // m c, then xx yy zz xy xz yz about the body's origin
  X: Transform;
}

export interface Shape {
  kind: "box" | "sphere" | "cylinder" | "capsule" | "mesh" | "ellipsoid" | "plane";
  /** Of a mesh: factors along x, y and z; 0 counts as 1. */
  size: number[];
  mesh?: number;
}

/** A mesh file: its triangles, thinned, or why there are none. */
export interface MeshFile {
  file: string;
  why?: string;
  triangles?: number; // of the file
  low?: [number, number, number];
  high?: [number, number, number];
  vertices?: string; // 16-bit numbers from low to high, base64
  faces?: string;
}

export interface Frame {
  name: string;
  parent: number;
  body: number;
  X: Transform;
  mass?: number;
  color?: string;
  shapes?: Shape[];
}

export interface Joint {
  name: string;
  kind: string;
  first: number;
  last: number;
  frame: number;
  /** It has a motion of its own: prescribed, or held to it by a constraint. */
  driven: boolean;
  line?: number; // of the text
}

/** What the parts of a symbol are, which decides their colours. */
export type Tint = "joint" | "line" | "inside" | "ground" | "closure" | "drive" | "limit" | "spring";

type Triple = [number, number, number];

/** A solid of a symbol: place and sizes in pixels, and in metres (atM, sizeM) added to them. */
export interface GlyphPart {
  solid: "box" | "sphere" | "cylinder" | "cone" | "ring";
  tint: Tint;
  turn?: [number, number, number, number];
  at?: Triple;
  atM?: Triple;
  size?: Triple;
  sizeM?: Triple;
}

export interface Glyph {
  word: string;
  parts: GlyphPart[];
}

/** A symbol, fixed in a body; faces: it faces the viewer. room: what `pixels` of it may take [m]. */
export interface Symbol {
  glyph: number;
  name?: string;
  kind?: string;
  body: number;
  at?: Triple;
  turn?: [number, number, number, number];
  faces?: boolean;
  room: number;
}

/** What stretches between points of two bodies. length: of a spring at rest. */
export interface SymbolTie {
  draw: "cord" | "coil" | "dashpot" | "ram" | "dashes" | "ground";
  name: string;
  kind: string;
  bodies: [number, number];
  from?: Triple;
  to?: Triple;
  length?: number;
}

/** What rolls or glides on a plane, for the place where it touches (cardan/symbols.h). */
export interface Track {
  name: string;
  kind: string;
  bodies: [number, number]; // that touches, that has the plane
  at?: Triple;
  axis?: Triple; // of a disc
  foot?: Triple;
  normal?: Triple;
  radius: number; // 0: a blade
}

export type Maker = "joint" | "spring" | "cord" | "drive" | "load";

/** A force that columns tell: one along the line between two points, one along z or about it, or three as a vector (cardan/symbols.h). */
export interface Arrow {
  draw: "pull" | "force" | "torque";
  of: Maker;
  name: string;
  kind: string;
  columns: string[];
  body: number;
  at?: Triple;
  other?: number; // body of the second point of a pull
  to?: Triple;
  turn?: [number, number, number, number]; // the columns' axes in the body's,
  world?: boolean; // or they are the world's
  ring?: number; // of arcs about one axis, from the innermost
}

/** A bar of a body's skeleton, or the ball of a mass (cardan/symbols.h). */
export interface Bar {
  frame: number;
  mass?: number;
  from?: Triple;
  to?: Triple;
}

export interface Symbols {
  thick: number; // radius of a bar [m]
  ball: number; // of a ball of all the mass, without that [m]
  pixels: number;
  glyphs: Glyph[];
  list: Symbol[];
  ties: SymbolTie[];
  bars: Bar[];
  tracks: Track[];
  force: number; // of an arrow of usual length [N]
  torque: number; // of an arc of half a turn [N m]
  arrows: Arrow[];
  unseen: Partial<Record<Maker, number>>; // forces that the page has no columns of
}

export interface Model {
  name: string;
  gravity: [number, number, number];
  mass: number;
  length: number;
  nq: number;
  nv: number;
  rows: number;
  rank: number;
  mobility: number;
  works: boolean; // something in it can do work: drivers, damping, friction, contacts
  bodies: Body[];
  frames: Frame[];
  joints: Joint[];
  symbols: Symbols;
  contacts: string[];
  meshes?: MeshFile[];
  warnings: string[];
}

export interface ContactStats {
  impacts: number;
  plastic: number;
  guarded: number;
  lost: number | null;
  friction: number | null;
  overlap: number | null;
  events: number;
  solves: number;
  sweeps: number;
  newtons: number;
  error: number | null;
}

/** The coordinate with the largest estimated error at the end (src/run/estimate.c). */
export interface EstimatedError {
  coordinate: string;
  value: number | null;
  unit: string;
  range: number | null;
  samples: number;
  uncertain: string | null;
}

export interface Stats {
  steps: number;
  evaluations: number;
  iterationsMean: number | null;
  iterationsStd: number | null;
  iterationsMax: number;
  energyInitial: number | null;
  energyFinal: number | null;
  driftMax: number | null;
  energyBand: number | null; // peak to peak around the trend
  energyTrend: number | null; // [J per hour]
  energyTrendError: number | null;
  estimated_error?: EstimatedError | null;
  constraintMax: number | null;
  doubtFrom?: number | null; // when the motion became doubtful; null: never
  contact: ContactStats;
}

interface RawPlaces {
  cut: number;
  t: string;
  count: string;
  vectors: string;
  states: string;
}

interface RawRun {
  label: string | null;
  dt?: number;
  time?: number;
  options?: [string, string][];
  wallSeconds?: number;
  note: string | null;
  watch: string | null;
  error: string | null;
  ended?: string | null; // the error's status as a word
  stats: Stats;
  rows?: number;
  stride?: number;
  columns?: string[];
  units?: string[]; // of the columns, "": none (src/run/result_rows_units.c)
  left?: number; // velocities that were too many
  first?: (number | null)[];
  t?: string;
  samples?: string;
  extremeRows?: number;
  extremeT?: string;
  extremes?: string;
  places?: RawPlaces;
}

/** Where contacts touch, at some rows: set k has the entries first[k] .. first[k + 1] - 1. */
export interface Places {
  cut: number; // places that were too many of one row
  times: Float64Array;
  first: Uint32Array;
  vectors: Float32Array; // place, force: 6 numbers each
  states: Uint16Array; // 4 contact + state
}

export interface Fault {
  file: string;
  line: number;
  column: number;
  message: string;
}

/** One method at one step size in a comparison (src/analysis/compare.c). */
export interface Entry {
  label: string;
  dt: number;
  run: number | null;
  refused: string | null;
  failed: string | null;
  steps: number;
  wall_seconds: number;
  steps_per_second: number | null;
  evaluations: number;
  error_max: number | null;
  error_final: number | null;
  drift_max: number | null;
  band: number | null;
  trend: number | null; // [J per hour]
  trend_error: number | null;
  parted: number | null; // from then on another motion than the reference [s]
  constraint_max: number | null;
  order: number | null;
}

export interface Comparison {
  reference: string;
  entries: Entry[];
  times?: number[]; // common times, and errors at them of each entry that was not refused
  errors?: (number | null)[][];
  reference_run?: number; // its motion, behind those of the entries; -1: there is none
}

/** One curve of a figure. theirs: numbers that the paper prints. */
export interface PlotCurve {
  label: string;
  theirs: boolean;
  x: (number | null)[];
  y: (number | null)[]; // null breaks the line
}

export interface Axis {
  label: string;
  log: boolean;
}

/** A figure of a paper, drawn as the paper draws it. */
export interface Plot {
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  equal: boolean; // a picture: a metre is as long across as up
  curves: PlotCurve[];
}

/** A table of a paper. A cell is a text, or our number beside the paper's. */
export interface Grid {
  title: string;
  columns: string[];
  rows: (string | { ours: number | null; theirs: number | null })[][];
}

/** A number of the paper beside ours, and where ours is expected; an end null is open. */
export interface Claim {
  what: string;
  unit: string;
  theirs: number | null;
  ours: number | null;
  low: number | null;
  high: number | null;
  holds: boolean;
  timed?: boolean; // it follows from measured times: no verdict depends on it
}

/** A figure or table of a paper, as it came out here. */
export interface Item {
  name: string;
  title: string;
  claimed: string;
  run: string;
  command: string;
  verdict: "reproduced" | "differs" | "cannot be known" | "failed";
  holds: boolean;
  words: string;
  seconds: number | null;
  plots: Plot[];
  tables: Grid[];
  claims: Claim[];
}

export interface Erratum {
  where: string;
  printed: string;
  should: string;
  proof: string;
}

/** A paper reproduced (apps/reproduce). */
export interface Reproduction {
  paper: string;
  authors: string;
  title: string;
  published: string;
  about: string;
  quick: boolean;
  items: Item[];
  errata: Erratum[];
}

/** Small motions about a state (cardan modes); run k of the page shows list[k]. */
export interface Modes {
  count: number;
  dof: number;
  notes: string[];
  list: { kind: "rigid" | "still" | "swing" | "decay" | "grow"; frequency: number; damping: number; re: number; im: number; unstable: boolean; doubtful: boolean }[];
}

export interface RawPage {
  version: string;
  source: string | null;
  text: string;
  live?: string;
  fault?: Fault;
  model?: Model;
  settings: [string, number | null][];
  runs: RawRun[];
  comparison?: Comparison;
  modes?: Modes;
}

/** One column: its first value, and differences from it. */
export interface Column {
  name: string;
  unit: string; // "rad/s", "N m", ..; "": none, or not known
  first: number;
  delta: Float32Array;
  min?: Float32Array;
  max?: Float32Array;
}

export interface Run extends Omit<RawRun, "places"> {
  label: string;
  times: Float64Array;
  list: Column[];
  byName: Map<string, Column>;
  extremeTimes?: Float64Array;
  places?: Places;
}

export interface Page extends Omit<RawPage, "runs"> {
  runs: Run[];
}

function decodePlaces(raw: RawPlaces): Places {
  const count = new Uint16Array(decode(raw.count));
  const first = new Uint32Array(count.length + 1);
  count.forEach((n, i) => (first[i + 1] = first[i] + n));
  return {
    cut: raw.cut, times: new Float64Array(decode(raw.t)), first,
    vectors: new Float32Array(decode(raw.vectors)), states: new Uint16Array(decode(raw.states)),
  };
}

// The numbers are little-endian, as every machine that browsers run on.
function decodeRun(raw: RawRun): Run {
  const times = new Float64Array(decode(raw.t ?? ""));
  const samples = new Float32Array(decode(raw.samples ?? ""));
  const extremeTimes = raw.extremeT ? new Float64Array(decode(raw.extremeT)) : undefined;
  const extremes = raw.extremes ? new Float32Array(decode(raw.extremes)) : undefined;
  const list: Column[] = [];
  const n = times.length;
  const m = extremeTimes?.length ?? 0;
  (raw.columns ?? []).slice(1).forEach((name, k) => {
    const column: Column = {
      name,
      unit: (raw.units?.[k + 1] ?? "").replace("^2", "²"),
      first: raw.first?.[k + 1] ?? 0,
      delta: samples.subarray(k * n, (k + 1) * n),
    };
    if (extremes) {
      column.min = extremes.subarray(2 * k * m, (2 * k + 1) * m);
      column.max = extremes.subarray((2 * k + 1) * m, (2 * k + 2) * m);
    }
    list.push(column);
  });
  const byName = new Map(list.map((c) => [c.name, c]));
  const { t: _t, samples: _s, extremes: _e, extremeT: _x, places, ...facts } = raw;
  return { ...facts, label: raw.label ?? "run", times, list, byName, extremeTimes, places: places && decodePlaces(places) };
}

/** A page is of a model and its runs, of a paper, or of a sweep (sweep_data.ts). */
export interface PaperPage {
  version: string;
  reproduction: Reproduction;
}

export function pageOf(raw: RawPage): Page {
  return { ...raw, runs: raw.runs.map(decodeRun) };
}

export function parseAnyPage(text: string): Page | PaperPage | SweepPage {
  const raw = JSON.parse(text) as RawPage | PaperPage | SweepPage;
  return "reproduction" in raw || "sweep" in raw ? raw : pageOf(raw);
}

/** The sample interval that holds t: index of its left end, and how far t is in it (0..1). */
export function locate(times: Float64Array, t: number): [number, number] {
  const n = times.length;
  if (n < 2 || !(t > times[0])) {
    return [0, 0];
  }
  if (t >= times[n - 1]) {
    return [n - 2, 1];
  }
  let low = 0;
  let high = n - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return [low, (t - times[low]) / (times[high] - times[low])];
}

/** A column's value at time t, linear between samples. */
export function valueAt(run: Run, column: Column, t: number): number {
  if (run.times.length === 0) {
    return NaN;
  }
  const [i, s] = locate(run.times, t);
  const a = column.delta[i];
  const b = s > 0 ? column.delta[i + 1] : a;
  return column.first + (s === 1 ? b : a + s * (b - a));
}

/** Times of rows by which the count of impacts has grown. */
export function impactTimes(run: Run): number[] {
  const count = run.byName.get("impacts");
  const times: number[] = [];
  let last = count ? -count.first : 0; // the start may have some
  for (let i = 0; count && i < run.times.length; i++) {
    if (count.delta[i] > last) {
      times.push(run.times[i]);
    }
    last = count.delta[i];
  }
  return times;
}

export function duration(page: Page): number {
  return page.runs.reduce((end, r) => Math.max(end, r.times[r.times.length - 1] ?? 0), 0);
}
