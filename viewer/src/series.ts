// SPDX-License-Identifier: Apache-2.0
// From columns to what a plot shows of them: differences from the start, rates, degrees, angles within
// a turn; and statistics of a range.
import { locate, type Column, type Run } from "./data";

export interface Curve {
  label: string;
  run: Run;
  column: Column;
  color: string;
  unit?: string; // as the plot's, where it is not given
  drift?: boolean; // difference from the first value
  size?: boolean; // without its sign; such curves have no bands
}

/** How a plot shows its curves. */
export interface Look {
  log: boolean; // sizes, on an axis of powers of ten
  rate: boolean; // d/dt
  degrees: boolean;
  wrap: boolean; // angles within half a turn to both sides
  x: string; // column on the axis across, "" for time
}

export const plainLook: Look = { log: false, rate: false, degrees: false, wrap: false, x: "" };

/** A curve on the times of its run; NaN: none. low and high: extremes between the rows of a thinned run. */
export interface Samples {
  values: Float64Array;
  unit: string;
  low?: Float64Array;
  high?: Float64Array;
  turn: number; // of an angle that is wrapped; 0: it is none
}

/** The unit of a rate. */
export function rateUnit(unit: string): string {
  const known: Record<string, string> = { "": "1/s", J: "W", m: "m/s", "m/s": "m/s²", rad: "rad/s", "rad/s": "rad/s²", N: "N/s", "kg m/s": "N", "kg m²/s": "N m" };
  return known[unit] ?? (/[ ,/]/.test(unit) ? `(${unit})/s` : `${unit}/s`);
}

/** d/dt at each row, by the parabola through it and its neighbours; at the ends by the last two rows.
 * Of a thinned run these are rates of the rows that are kept. */
export function rateOf(times: Float64Array, y: Float64Array): Float64Array {
  const n = y.length;
  const out = new Float64Array(n).fill(NaN);
  const slope = (i: number) => (y[i + 1] - y[i]) / (times[i + 1] - times[i]);
  for (let i = 1; i + 1 < n; i++) {
    const a = times[i] - times[i - 1];
    const b = times[i + 1] - times[i];
    out[i] = a > 0 && b > 0 ? (b * slope(i - 1) + a * slope(i)) / (a + b) : NaN;
  }
  if (n > 1) {
    out[0] = slope(0);
    out[n - 1] = slope(n - 2);
  }
  return out;
}

/** An angle within half a turn to both sides. */
export function wrapped(angle: number, turn: number): number {
  return angle - turn * Math.round(angle / turn);
}

function mapped(list: Float32Array | Float64Array | undefined, f: (v: number) => number): Float64Array | undefined {
  return list && Float64Array.from(list, f);
}

/** unit: of the column; ofSteps: the first row has none. */
export function samplesOf(curve: Curve, look: Look, unit: string, ofSteps = false): Samples {
  const { column, run } = curve;
  const base = curve.drift ? 0 : column.first;
  const angle = /^rad/.test(unit);
  const scale = look.degrees && angle ? 180 / Math.PI : 1;
  const turn = look.wrap && unit === "rad" && !look.rate && !curve.drift ? 2 * Math.PI * scale : 0;
  const plain = (d: number) => scale * (base + d);
  const signed = (d: number) => (curve.size ? Math.abs(plain(d)) : turn > 0 ? wrapped(plain(d), turn) : plain(d));
  let values = mapped(column.delta, look.rate ? plain : signed)!;
  let shown = unit;
  if (look.rate) {
    values = rateOf(run.times, values);
    shown = rateUnit(unit);
  }
  if (ofSteps && values.length > 0) {
    values[0] = NaN;
  }
  const bands = !look.rate && !curve.size && turn === 0;
  return {
    values, turn, unit: scale !== 1 ? shown.replace(/^rad/, "°") : shown,
    low: bands ? mapped(column.min, plain) : undefined, high: bands ? mapped(column.max, plain) : undefined,
  };
}

/** The value at a time, linear between rows; where an angle jumps by a turn, that of the nearer row. */
export function sampleAt(times: Float64Array, { values, turn }: Samples, t: number): number {
  const [i, s] = locate(times, t);
  const a = values[i];
  const b = s > 0 ? values[i + 1] : a;
  if (turn > 0 && Math.abs(b - a) > turn / 2) {
    return s < 0.5 ? a : b;
  }
  return s === 1 ? b : s === 0 ? a : a + s * (b - a);
}

export interface Statistics {
  least: number;
  leastAt: number;
  most: number;
  mostAt: number;
  mean: number;
  rms: number;
}

/** Of the rows within low .. high: the extremes, also of what a thinned run left out between them, and the
 * mean and root mean square over time, by trapezia. */
export function statisticsOf(run: Run, s: Samples, low: number, high: number): Statistics {
  const out: Statistics = { least: Infinity, leastAt: NaN, most: -Infinity, mostAt: NaN, mean: NaN, rms: NaN };
  const take = (t: number, a: number, b: number) => {
    if (t >= low && t <= high && a < out.least) {
      [out.least, out.leastAt] = [a, t];
    }
    if (t >= low && t <= high && b > out.most) {
      [out.most, out.mostAt] = [b, t];
    }
  };
  const { times } = run;
  let span = 0;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < times.length; i++) {
    take(times[i], s.values[i], s.values[i]);
    const before = i > 0 && times[i - 1] >= low && times[i] <= high ? times[i] - times[i - 1] : 0;
    const [a, b] = [s.values[i - 1] ?? NaN, s.values[i]];
    if (before > 0 && !Number.isNaN(a + b)) {
      span += before;
      sum += (before * (a + b)) / 2;
      squares += (before * (a * a + a * b + b * b)) / 3;
    }
  }
  run.extremeTimes?.forEach((t, i) => s.low && s.high && take(t, s.low[i], s.high[i]));
  if (span > 0) {
    out.mean = sum / span;
    out.rms = Math.sqrt(squares / span);
  }
  return out;
}
