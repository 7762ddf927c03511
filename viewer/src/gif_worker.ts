// SPDX-License-Identifier: Apache-2.0
// The encoder of a GIF, in a worker: gif.ts has the other end. One palette for all frames, of colours of 16 bits.
import { applyPalette, GIFEncoder, quantize } from "gifenc";
import type { GifAnswer, GifOrder, Shot } from "./gif";
import { paintFrame, type Frame } from "./still";

const COLORS = 256;
const FORMAT = "rgb565";
const encoder = GIFEncoder();
let frame: Frame;
let context: OffscreenCanvasRenderingContext2D;
let delay = 0;
let palette: number[][] = [];
let count = 0;

function pixelsOf({ image, t }: Shot): Uint8ClampedArray {
  paintFrame(context, image, t, frame);
  image.close();
  return context.getImageData(0, 0, frame.width, frame.height).data;
}

function begin(samples: Shot[]): void {
  const all = new Uint8ClampedArray(4 * frame.width * frame.height * samples.length);
  samples.forEach((s, i) => all.set(pixelsOf(s), (i * all.length) / samples.length));
  palette = quantize(all, COLORS, { format: FORMAT });
}

function add(shot: Shot): void {
  const pixels = applyPalette(pixelsOf(shot), palette, FORMAT);
  encoder.writeFrame(pixels, frame.width, frame.height, { palette: count === 0 ? palette : undefined, delay });
  count++;
}

const say = (answer: GifAnswer) => postMessage(answer);

addEventListener("message", ({ data }: MessageEvent<GifOrder>) => {
  if ("samples" in data) {
    ({ frame, delay } = data);
    context = new OffscreenCanvas(frame.width, frame.height).getContext("2d", { willReadFrequently: true })!;
    begin(data.samples);
  } else if ("shot" in data) {
    add(data.shot);
    say({ count });
  } else {
    encoder.finish();
    say({ bytes: encoder.bytes() });
  }
});
