// SPDX-License-Identifier: Apache-2.0
// Colours of cases, and pictures of very many of them, pixel by pixel.
import type { Cases, Column } from "./sweep_data";

// viridis, by Stéfan van der Walt and Nathaniel Smith (CC0), every tenth
const stops = ["440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884", "44bf70", "7ad151", "bddf26", "fde725"];
const categories = ["4a84e0", "e0803a", "3fa37a", "c4536a", "9a6fd0", "b99b2d", "3aa5b8", "8a939e"];
export const LEVELS = 254; // of a palette; the one after them is for what has no value
export const NO_VALUE = 255;

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
  most = 0;

  constructor(
    public width = 0,
    public height = 0,
  ) {
    this.clear(width, height);
  }

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
    this.most = 0;
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

  /** Lays the ink over an image: one case shows as `least`, most of them as `full`, in between by the logarithm. */
  over(image: ImageData, palette: Uint8Array, least: number, full: number): void {
    const { count, tint } = this;
    const { data } = image;
    let most = 1;
    for (let p = 0; p < count.length; p++) {
      most = count[p] > most ? count[p] : most;
    }
    this.most = most;
    const table = new Float32Array(1024);
    const top = Math.log(1 + most);
    for (let k = 1; k < table.length; k++) {
      table[k] = least + (full - least) * (most > 1 ? Math.log(1 + k) / top : 1);
    }
    for (let p = 0; p < count.length; p++) {
      const c = count[p];
      if (c !== 0) {
        const a = c < 1024 ? table[c] : least + (full - least) * (Math.log(1 + c) / top);
        const t = 3 * ((tint[p] / c + 0.5) | 0);
        const q = 4 * p;
        const below = data[q + 3] / 255;
        const alpha = a + below * (1 - a);
        for (let k = 0; k < 3; k++) {
          data[q + k] = (palette[t + k] * a + data[q + k] * below * (1 - a)) / alpha;
        }
        data[q + 3] = 255 * alpha;
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
