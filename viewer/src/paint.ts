// SPDX-License-Identifier: Apache-2.0
// Colours of cases, and pictures of very many of them, pixel by pixel.
import type { Cases, Column } from "./sweep_data";

// viridis, by Stéfan van der Walt and Nathaniel Smith (CC0), every tenth
const stops = ["440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884", "44bf70", "7ad151", "bddf26", "fde725"];
const categories = ["4a84e0", "e0803a", "3fa37a", "c4536a", "9a6fd0", "b99b2d", "3aa5b8", "8a939e"];
export const LEVELS = 254; // of a palette; the one after them is for what has no value
export const NO_VALUE = 255;

const TABLE = 1024; // counts of a pixel that are distinguished

export type Rgb = [number, number, number];

function rgb(hex: string): Rgb {
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)) as Rgb;
}

/** A colour of the page by its name, as numbers. */
export function themeColor(name: string): Rgb {
  return rgb(getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1));
}

/** Colours of a column: 256 of them, three bytes each. Light pages leave out the lightest end, dark ones the darkest. */
export function paletteOf(column: Column | undefined, dark: boolean): Uint8Array {
  const palette = new Uint8Array(3 * 256);
  const [from, to] = dark ? [0.18, 1] : [0, 0.9];
  for (let i = 0; i <= LEVELS; i++) {
    const t = (from + (i / LEVELS) * (to - from)) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(t));
    const [a, b] = [rgb(stops[k]), rgb(stops[k + 1])];
    palette.set(column ? a.map((v, c) => v + (t - k) * (b[c] - v)) : themeColor("--accent"), 3 * i);
  }
  column?.words?.forEach((_w, i) => palette.set(rgb(categories[i % categories.length]), 3 * i));
  palette.set(themeColor("--text-3"), 3 * NO_VALUE);
  return palette;
}

/** Which colour of the palette each case has. */
export function tintsOf(cases: Cases, column: Column | undefined): Uint8Array {
  const tints = new Uint8Array(cases.n);
  for (let i = 0; column && i < cases.n; i++) {
    tints[i] = tintAt(column, column.value[i]);
  }
  return tints;
}

export function tintAt(column: Column, value: number): number {
  if (column.words) {
    return Number.isFinite(value) ? value % categories.length : NO_VALUE;
  }
  const t = column.scale.to(value);
  return Number.isNaN(t) ? NO_VALUE : Math.round(Math.min(1, Math.max(0, t)) * LEVELS);
}

export function css(palette: Uint8Array, tint: number, alpha = 1): string {
  return `rgb(${palette[3 * tint]} ${palette[3 * tint + 1]} ${palette[3 * tint + 2]} / ${alpha})`;
}

/** How often each pixel was met, and by which tints: the order of cases does not matter. */
export class Ink {
  private count = new Uint32Array(0);
  private tint = new Uint32Array(0);
  width = 0;
  height = 0;

  clear(width: number, height: number): void {
    if (width * height !== this.count.length) {
      this.count = new Uint32Array(width * height);
      this.tint = new Uint32Array(width * height);
    } else {
      this.count.fill(0);
      this.tint.fill(0);
    }
    this.width = width;
    this.height = height;
  }

  dot(x: number, y: number, tint: number): void {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) {
      const p = y * this.width + x;
      this.count[p]++;
      this.tint[p] += tint;
    }
  }

  /** From the left to the right, one pixel of each column: y0 at x0, y1 at x1. */
  line(x0: number, y0: number, x1: number, y1: number, tint: number): void {
    const { count, tint: tints, width } = this;
    const slope = (y1 - y0) / (x1 - x0);
    let y = y0 + 0.5;
    for (let x = x0; x < x1; x++) {
      const p = (y | 0) * width + x;
      count[p]++;
      tints[p] += tint;
      y += slope;
    }
  }

  /** Pixels that were met as colours with alpha in a table, from `least` for one case to `full` for the most of a pixel, by
   * the logarithm; those of the layers below elsewhere. */
  over(pixels: Uint32Array, palette: Uint8Array, least: number, full: number): void {
    const { count, tint } = this;
    let most = 1;
    for (let p = 0; p < count.length; p++) {
      most = count[p] > most ? count[p] : most;
    }
    const last = Math.min(most, TABLE - 1);
    const alphas = new Uint32Array(last + 1);
    for (let k = 1; k <= last; k++) {
      const share = most > 1 ? Math.log(k) / Math.log(most) : 1;
      alphas[k] = Math.round(255 * (least + (full - least) * share)) << 24;
    }
    const colors = new Uint32Array(256);
    for (let t = 0; t < 256; t++) {
      colors[t] = (palette[3 * t + 2] << 16) | (palette[3 * t + 1] << 8) | palette[3 * t];
    }
    for (let p = 0; p < count.length; p++) {
      const c = count[p];
      if (c !== 0) {
        pixels[p] = colors[(tint[p] / c + 0.5) | 0] | alphas[c < last ? c : last];
      }
    }
  }
}

/** A palette of one colour. */
export function plain(color: Rgb): Uint8Array {
  const palette = new Uint8Array(3 * 256);
  for (let i = 0; i < 256; i++) {
    palette.set(color, 3 * i);
  }
  return palette;
}

/** A canvas that fits its box, its context in CSS pixels, and how many of its own each has. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasRenderingContext2D {
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
