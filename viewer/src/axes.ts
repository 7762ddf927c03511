// SPDX-License-Identifier: Apache-2.0
// What axes look like: colours, where numbers stand, and how they are written.
import type uPlot from "uplot";
import { format } from "./dom";

export const curveColors = ["#4a84e0", "#e0803a", "#3fa37a", "#c4536a", "#9a6fd0", "#b99b2d", "#3aa5b8", "#8a939e"];

/** Colours of the page at the moment. */
export function ink(): { text: string; faint: string; grid: string; back: string; bad: string; font: string } {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return { text: get("--text-2"), faint: get("--text-3"), grid: get("--grid"), back: get("--surface"), bad: get("--bad"), font: '11px system-ui, "Segoe UI", sans-serif' };
}

/** Ticks that fit: short numbers, a common exponent where they are tiny or huge. */
export function tickLabels(_u: uPlot, values: number[]): string[] {
  const top = Math.max(...values.map(Math.abs));
  if (top !== 0 && (top < 1e-3 || top >= 1e6)) {
    return values.map((v) => (v === 0 ? "0" : v.toExponential(1).replace(/-/g, "−").replace("e+", "e").replace(".0e", "e")));
  }
  return values.map((v) => String(Number(v.toPrecision(6))).replace("-", "−"));
}

/** The exponent of a power of ten; NaN for every other number. */
function powerOf(value: number | null): number {
  const p = value === null ? NaN : Math.log10(value);
  return Math.abs(p - Math.round(p)) < 1e-9 ? Math.round(p) : NaN;
}

function raised(power: number): string {
  return `10${String(power).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;
}

/** Powers of ten, every so many of them that they do not crowd; where there are few, 2 and 5 times
 * them too, and where there is none of these, all. */
export function logLabels(_u: uPlot, values: (number | null)[]): string[] {
  const powers = values.map(powerOf);
  const count = powers.filter((p) => !Number.isNaN(p)).length;
  if (count >= 3) {
    const every = Math.ceil(count / 6);
    return powers.map((p) => (Number.isNaN(p) || p % every !== 0 ? "" : raised(p)));
  }
  const main = values.map((v) => v !== null && [1, 2, 5].some((m) => !Number.isNaN(powerOf(v / m))));
  const all = main.filter(Boolean).length < 2;
  return values.map((v, i) => (v !== null && (all || main[i]) ? format(v, all ? 6 : 1) : ""));
}

/** Where the numbers of a log axis stand, whatever it spans: powers of ten, 1 2 5 times them over few
 * decades, round steps within less than one. */
export function logSplits(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const within = (v: number) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const mantissas = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
  const splits = powers.flatMap((k) => mantissas.map((m) => Number(`${m}e${k}`))).filter(within);
  if (splits.length >= 3) {
    return splits;
  }
  const unit = 10 ** Math.floor(Math.log10((high - low) / 4));
  const step = unit * ([1, 2, 5].find((m) => m * unit * 6 >= high - low) ?? 10);
  const start = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - start + 1 }, (_, i) => Number(((start + i) * step).toPrecision(12)));
}

/** Grid lines at powers of ten alone. */
export function decades(_u: uPlot, values: number[]): (number | null)[] {
  return values.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
}
