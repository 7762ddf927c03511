// SPDX-License-Identifier: Apache-2.0
// The data of a sweep's page as the library writes it (src/sweep/summary_page.c), decoded; scales and the selection.
import { decode, pageOf, type Model, type Page, type RawPage } from "./data";
import { format } from "./dom";

const DECADES = 1e4; // errors and efforts that span more are shown by their logarithm at first

export type Role = "number" | "status" | "grid" | "drawn" | "collected";

/** Of the cases that ended well; null: not known. */
export interface Moments {
  n: number;
  mean: number | null;
  sd: number | null;
  min: number | null;
  max: number | null;
  quantiles: (number | null)[]; // 5, 25, 50, 75, 95 %
}

interface RawColumn {
  name: string;
  role: Role;
  how?: string; // what was taken of a column of the motion: "end", "max"
  of?: string | null; // which
  words?: string[];
  base?: number; // numbers are differences from it
  data?: string; // of numbers of cases there is none
  moments?: Moments;
}

/** An estimate with the ends of its confidence interval. */
export type Index = [number | null, number | null, number | null];

/** What a result depends on; lists are in the order of `inputs`. */
export interface Influence {
  column: number;
  used: number; // cases, or blocks of them, that count
  of: number;
  first: Index[];
  total?: Index[];
  rank: (number | null)[];
}

export interface Sensitivity {
  kind: "blocks" | "bins" | "grid";
  inputs: number[]; // columns
  words: string[]; // what the numbers are, sentences
  outputs: Influence[];
}

/** Cases by how they ended. */
export interface Ending {
  status: number;
  word: string;
  meaning: string;
  count: number;
  first: number; // case
  message: string | null; // of that case
}

/** A grid of two axes: case = i ny + j, at x[i], y[j]; pictures of columns that are thinned otherwise. */
interface RawGrid {
  x: number;
  y: number;
  nx: number;
  ny: number;
  xs: number[];
  ys: number[];
  pictures?: { column: number; base: number; data: string }[];
  left?: string[]; // columns for whose pictures there is no room
}

export interface Grid extends Omit<RawGrid, "pictures"> {
  pictures: Map<number, Float64Array>;
}

interface RawSweep {
  file: string; // of the result, as it was named
  given: string; // the model, as it was named
  name: string; // of the model
  model?: Model; // with what all cases share
  units?: string[]; // of the columns of motions that the columns are of
  text: string;
  plan: string;
  options: [string, string][];
  settings: [string, number | null][];
  initial: [string, number | null][];
  cases: number;
  failed: number;
  doubts: number; // cases that ended well, with a message
  endings: Ending[];
  shown: number;
  numbers?: string; // of the cases shown, where these are not all
  doubtful?: string; // of each case shown, 1 where it ended well and is in doubt; none is
  columns: RawColumn[];
  grid?: RawGrid;
  messages: { count: number; cases: number[]; texts: string[] };
  notes: string[]; // of the plan, and of how options came about
  sensitivity?: Sensitivity;
  kept: { count: number; motions: { case: number; page: RawPage }[] };
}

export interface SweepPage {
  version: string;
  live?: string;
  sweep: RawSweep;
}

/** Numbers from lo to hi as 0 to 1, or words, those that occur; by the logarithm where that is wanted and all or some are above 0. */
export class Scale {
  log = false;

  constructor(
    private readonly ends: [number, number],
    private readonly least: number, // above 0
    readonly words?: string[],
    private readonly present: number[] = [], // words that occur, ascending
  ) {}

  get lo(): number {
    return this.log ? this.least : this.ends[0];
  }

  get hi(): number {
    return this.ends[1];
  }

  /** Can it be shown by its logarithm? */
  get positive(): boolean {
    return !this.words && this.least < Infinity && this.ends[1] > this.least;
  }

  /** Of words, how many occur. */
  get count(): number | undefined {
    return this.words && this.present.length;
  }

  /** NaN for what is not on the scale. */
  to(value: number): number {
    const { lo, hi } = this;
    if (!Number.isFinite(value)) {
      return NaN;
    }
    if (this.words) {
      const at = this.present.findIndex((k) => k >= value - 1e-9);
      return at < 0 ? 1 : (at + (this.present[at] === value ? 0.5 : 0)) / this.present.length;
    }
    if (this.log) {
      return value > 0 ? Math.log(value / lo) / Math.log(hi / lo) : NaN;
    }
    return hi > lo ? (value - lo) / (hi - lo) : 0.5;
  }

  /** The value at a place; between words their mean. */
  from(t: number): number {
    const { lo, hi } = this;
    if (this.words) {
      const n = this.present.length;
      const u = t * n;
      const k = Math.min(n - 1, Math.max(0, Math.floor(u)));
      const next = u - k >= 0.5 ? this.present[k + 1] ?? this.present[k] + 1 : this.present[k - 1] ?? this.present[k] - 1;
      return u - k === 0.5 ? this.present[k] : (this.present[k] + next) / 2;
    }
    return this.log ? lo * (hi / lo) ** t : lo + t * (hi - lo);
  }

  /** Powers of ten, with 2 and 5 times them where these are few. */
  private powers(count: number): [number, string][] {
    const { lo, hi } = this;
    const first = Math.floor(Math.log10(lo));
    const last = Math.floor(Math.log10(hi) + 1e-9);
    const many = last - first > 3;
    const every = many ? Math.ceil((last - first) / count) : 1;
    const ticks: [number, string][] = [];
    for (let p = first; p <= last; p += every) {
      for (const m of many ? [1] : [1, 2, 5]) {
        const v = m * 10 ** p;
        if (v >= lo * (1 - 1e-9) && v <= hi * (1 + 1e-9)) {
          ticks.push([v, format(v, 3)]);
        }
      }
    }
    return ticks.length > 1 ? ticks : [0, 0.5, 1].map((t) => [this.from(t), format(this.from(t), 3)]);
  }

  /** Some round numbers of the scale, or its words. */
  ticks(count: number): [number, string][] {
    const { lo, hi } = this;
    if (this.words) {
      const every = Math.max(1, Math.ceil(this.present.length / (2 * count)));
      return this.present.filter((_k, i) => i % every === 0).map((k) => [k, this.words![k] ?? String(k)]);
    }
    if (!(hi > lo)) {
      return Number.isFinite(lo) ? [[lo, format(lo, 5)]] : [];
    }
    if (this.log) {
      return this.powers(count);
    }
    const raw = (hi - lo) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999)!;
    const ticks: [number, string][] = [];
    const digits = Math.min(12, Math.max(1, Math.ceil(Math.log10(Math.max(Math.abs(lo), Math.abs(hi)) / step)) + 1));
    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) {
      ticks.push([k * step, format(Math.abs(k) < 1e-9 ? 0 : k * step, digits)]);
    }
    return ticks;
  }
}

/** Unit of a column, from that of the column of motions it is of: parameters have none that the page knows of. */
function unitHere({ how }: RawColumn, plain: string): string {
  switch (how) {
    case undefined: return "";
    case "cross": case "time": return "s";
    case "drift": return "J";
    case "integral": return plain ? `${plain} s` : "";
    default: return plain.replace(/\^2/g, "²");
  }
}

/** Values of an axis each of which is the same multiple of the one before, three of them at least. */
function isGeometric(values: Float64Array): boolean {
  const steps = [...new Set(values)].sort((a, b) => a - b);
  const ratio = steps[1] / steps[0];
  return steps.length > 2 && steps[0] > 0 && steps.every((v, i) => i === 0 || Math.abs(v / steps[i - 1] / ratio - 1) < 0.01);
}

/** A column of the cases shown. */
export class Column {
  readonly value: Float64Array;
  readonly scale: Scale;
  /** On the scale, 0 to 1; NaN: not on it. */
  readonly place: Float32Array;
  flipped = false;

  readonly unit: string;
  readonly digits: number; // that tell its numbers apart

  constructor(
    readonly index: number,
    private readonly raw: RawColumn,
    number: Float64Array, // of the cases
    unit = "",
  ) {
    const data = raw.data === undefined ? number : new Float32Array(decode(raw.data));
    const base = raw.base ?? 0;
    this.unit = unitHere(raw, unit);
    this.value = new Float64Array(data.length);
    let lo = Infinity;
    let hi = -Infinity;
    let least = Infinity;
    for (let i = 0; i < data.length; i++) {
      const v = base + data[i];
      this.value[i] = v;
      if (Number.isFinite(v)) {
        lo = Math.min(lo, v);
        hi = Math.max(hi, v);
        least = v > 0 ? Math.min(least, v) : least;
      }
    }
    const present = raw.words ? [...new Set(this.value)].filter(Number.isFinite).sort((a, b) => a - b) : [];
    this.scale = new Scale([lo, hi], least, raw.words, present);
    const wide = ["drift", ""].includes(raw.how ?? "-") && lo > 0 && hi / lo > DECADES;
    this.scale.log = this.scale.positive && (wide || (raw.role === "grid" && isGeometric(this.value)));
    this.digits = Math.min(9, Math.max(4, Math.ceil(Math.log10(Math.max(Math.abs(lo), Math.abs(hi)) / (hi - lo))) + 3)) || 6;
    this.place = new Float32Array(data.length);
    this.put();
  }

  get name(): string {
    return this.raw.name;
  }

  get role(): Role {
    return this.raw.role;
  }

  get moments(): Moments | undefined {
    return this.raw.moments;
  }

  get words(): string[] | undefined {
    return this.raw.words;
  }

  get title(): string {
    return this.unit ? `${this.name} [${this.unit}]` : this.name;
  }

  private put(): void {
    for (let i = 0; i < this.value.length; i++) {
      this.place[i] = this.scale.to(this.value[i]);
    }
  }

  setLog(log: boolean): void {
    this.scale.log = log && this.scale.positive;
    this.put();
  }

  text(value: number, digits = Math.max(6, this.digits)): string {
    return this.words?.[value] ?? format(value, digits);
  }
}

/** The cases of a page. */
export class Cases {
  readonly n: number;
  readonly number: Float64Array;
  readonly columns: Column[];
  readonly failed: Uint8Array;
  readonly doubtful: Uint8Array; // ended well, in doubt
  readonly grid?: Grid;
  readonly messages: Map<number, string>;
  readonly motions: Map<number, RawPage>;
  /** A fixed order without pattern: a beginning of it stands for all. */
  readonly shuffled: Uint32Array;
  private readonly rows = new Map<number, number>();

  constructor(readonly raw: RawSweep) {
    this.n = raw.shown;
    this.number = raw.numbers ? new Float64Array(decode(raw.numbers)) : Float64Array.from({ length: this.n }, (_x, i) => i);
    this.columns = raw.columns.map((c, k) => new Column(k, c, this.number, raw.units?.[k]));
    const status = this.columns.find((c) => c.role === "status");
    this.failed = new Uint8Array(this.n);
    this.doubtful = raw.doubtful ? Uint8Array.from(new Uint16Array(decode(raw.doubtful))) : new Uint8Array(this.n);
    for (let i = 0; i < this.n; i++) {
      this.failed[i] = status && status.value[i] !== 0 ? 1 : 0;
      if (raw.numbers) {
        this.rows.set(this.number[i], i);
      }
    }
    this.grid = raw.grid && {
      ...raw.grid,
      pictures: new Map((raw.grid.pictures ?? []).map((p) => [p.column, Float64Array.from(new Float32Array(decode(p.data)), (v) => v + p.base)])),
    };
    this.messages = new Map(raw.messages.cases.map((c, i) => [c, raw.messages.texts[i]]));
    this.motions = new Map(raw.kept.motions.map((m) => [m.case, m.page]));
    this.shuffled = shuffle(this.n);
  }

  /** Row of a case; -1: it is not in the page. */
  rowOf(number: number): number {
    return this.raw.numbers ? this.rows.get(number) ?? -1 : number >= 0 && number < this.n ? number : -1;
  }

  motion(number: number): Page | undefined {
    const raw = this.motions.get(number);
    return raw && pageOf(raw);
  }
}

function shuffle(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_x, i) => i);
  let state = 1;
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 4294967296) * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Which cases are looked at: those within the ranges of all columns that have one. */
export class Selection {
  readonly ranges = new Map<number, [number, number]>();
  readonly mask: Uint8Array;
  endings: "all" | "well" | "failed" = "all";
  count: number;
  failed = 0;
  version = 0;

  constructor(private readonly cases: Cases) {
    this.mask = new Uint8Array(cases.n).fill(1);
    this.count = cases.n;
    this.update();
  }

  get isAll(): boolean {
    return this.ranges.size === 0 && this.endings === "all";
  }

  set(column: number, range: [number, number] | null): void {
    if (range) {
      this.ranges.set(column, [Math.min(...range), Math.max(...range)]);
    } else {
      this.ranges.delete(column);
    }
    this.update();
  }

  clear(): void {
    this.ranges.clear();
    this.endings = "all";
    this.update();
  }

  update(): void {
    const { mask, cases } = this;
    const { failed } = cases;
    const keepWell = this.endings !== "failed" ? 1 : 0;
    const keepFailed = this.endings !== "well" ? 1 : 0;
    for (let i = 0; i < mask.length; i++) {
      mask[i] = failed[i] ? keepFailed : keepWell;
    }
    for (const [k, [lo, hi]] of this.ranges) {
      const { value } = cases.columns[k];
      for (let i = 0; i < mask.length; i++) {
        if (!(value[i] >= lo && value[i] <= hi)) {
          mask[i] = 0;
        }
      }
    }
    this.count = 0;
    this.failed = 0;
    for (let i = 0; i < mask.length; i++) {
      this.count += mask[i];
      this.failed += mask[i] & failed[i];
    }
    this.version++;
  }
}
