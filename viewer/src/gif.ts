// SPDX-License-Identifier: Apache-2.0
// Pictures that move, as GIF 89a: one palette for all frames, by cutting the box of colours that are there
// at its median again and again; frames compressed by LZW.

const COLORS = 256;

interface Box {
  colors: number[]; // 15 bits: 5 each
}

function channel(color: number, k: number): number {
  return (color >> (10 - 5 * k)) & 31;
}

function widest({ colors }: Box): [number, number] {
  let best: [number, number] = [0, -1];
  for (let k = 0; k < 3; k++) {
    let low = 31;
    let high = 0;
    for (const c of colors) {
      low = Math.min(low, channel(c, k));
      high = Math.max(high, channel(c, k));
    }
    best = high - low > best[1] ? [k, high - low] : best;
  }
  return best;
}

function index15(rgba: Uint8ClampedArray, i: number): number {
  return ((rgba[i] >> 3) << 10) | ((rgba[i + 1] >> 3) << 5) | (rgba[i + 2] >> 3);
}

/** At most 256 colours that stand for those of some frames: 3 bytes each. */
export function paletteOf(frames: Uint8ClampedArray[]): Uint8Array {
  const counts = new Uint32Array(1 << 15);
  const sums = new Float64Array(3 << 15);
  for (const rgba of frames) {
    for (let i = 0; i < rgba.length; i += 4) {
      const c = index15(rgba, i);
      counts[c]++;
      for (let k = 0; k < 3; k++) {
        sums[3 * c + k] += rgba[i + k];
      }
    }
  }
  const boxes: Box[] = [{ colors: Array.from(counts.keys()).filter((c) => counts[c] > 0) }];
  while (boxes.length < COLORS) {
    const spans = boxes.map((b) => (b.colors.length > 1 ? widest(b)[1] : -1));
    const at = spans.indexOf(Math.max(...spans));
    if (spans[at] < 1) {
      break;
    }
    const [k] = widest(boxes[at]);
    const sorted = boxes[at].colors.sort((a, b) => channel(a, k) - channel(b, k));
    const half = sorted.reduce((n, c) => n + counts[c], 0) / 2;
    let cut = 1;
    for (let n = counts[sorted[0]]; cut < sorted.length - 1 && n < half; cut++) {
      n += counts[sorted[cut]];
    }
    boxes.splice(at, 1, { colors: sorted.slice(0, cut) }, { colors: sorted.slice(cut) });
  }
  const palette = new Uint8Array(3 * COLORS);
  boxes.forEach(({ colors }, b) => {
    const n = colors.reduce((s, c) => s + counts[c], 0);
    for (let k = 0; k < 3; k++) {
      palette[3 * b + k] = Math.round(colors.reduce((s, c) => s + sums[3 * c + k], 0) / Math.max(1, n));
    }
  });
  return palette;
}

/** Codes of 9 to 12 bits in blocks of at most 255 bytes. */
function compress(pixels: Uint8Array, out: number[]): void {
  const table = new Int16Array(4096 * 256);
  const [clear, end] = [256, 257];
  let [size, next, bits, held] = [9, 258, 0, 0];
  let block: number[] = [];
  const flush = () => {
    out.push(block.length, ...block);
    block = [];
  };
  const put = (code: number) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      block.push(held & 255);
      held >>>= 8;
      if (block.length === 255) {
        flush();
      }
    }
  };
  out.push(8);
  put(clear);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = prefix * 256 + pixels[i];
    if (table[key] > 0) {
      prefix = table[key];
      continue;
    }
    put(prefix);
    prefix = pixels[i];
    if (next === 4096) {
      put(clear);
      table.fill(0);
      [size, next] = [9, 258];
    } else {
      size = next === 1 << size ? size + 1 : size;
      table[key] = next++;
    }
  }
  put(prefix);
  put(end);
  if (bits > 0) {
    block.push(held & 255);
  }
  if (block.length > 0) {
    flush();
  }
  out.push(0);
}

export class Gif {
  private readonly bytes: number[] = [];
  private readonly nearest = new Int16Array(1 << 15).fill(-1);

  /** delay: of a frame, in hundredths of a second; the whole goes round for ever */
  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly palette: Uint8Array,
    private readonly delay: number,
  ) {
    this.text("GIF89a");
    this.short(width, height);
    this.bytes.push(0xf7, 0, 0, ...palette, 0x21, 0xff, 11);
    this.text("NETSCAPE2.0");
    this.bytes.push(3, 1, 0, 0, 0);
  }

  private text(s: string): void {
    this.bytes.push(...Array.from(s, (c) => c.charCodeAt(0)));
  }

  private short(...values: number[]): void {
    values.forEach((v) => this.bytes.push(v & 255, v >> 8));
  }

  private colorOf(rgba: Uint8ClampedArray, i: number): number {
    const c = index15(rgba, i);
    if (this.nearest[c] < 0) {
      let best = Infinity;
      for (let p = 0; p < COLORS; p++) {
        const d = (this.palette[3 * p] - rgba[i]) ** 2 + (this.palette[3 * p + 1] - rgba[i + 1]) ** 2 + (this.palette[3 * p + 2] - rgba[i + 2]) ** 2;
        if (d < best) {
          best = d;
          this.nearest[c] = p;
        }
      }
    }
    return this.nearest[c];
  }

  add(rgba: Uint8ClampedArray): void {
    const pixels = new Uint8Array(this.width * this.height);
    for (let i = 0; i < pixels.length; i++) {
      pixels[i] = this.colorOf(rgba, 4 * i);
    }
    this.bytes.push(0x21, 0xf9, 4, 4);
    this.short(this.delay);
    this.bytes.push(0, 0, 0x2c);
    this.short(0, 0, this.width, this.height);
    this.bytes.push(0);
    compress(pixels, this.bytes);
  }

  finish(): Blob {
    this.bytes.push(0x3b);
    return new Blob([Uint8Array.from(this.bytes)], { type: "image/gif" });
  }
}
