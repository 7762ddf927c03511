// SPDX-License-Identifier: Apache-2.0
// The motion as a picture, a GIF or a WebM: what the 3-D view shows, with the time.
import { Gif, paletteOf } from "./gif";

/** What can be filmed: draws the motion at a time into the canvas of the view, at once. */
export interface Actor {
  canvas: HTMLCanvasElement;
  end: number; // [s]
  speed: number;
  draw(t: number): void;
}

const WIDEST = 640; // pixels of a film
const FRAMES = 240; // at most
const PER_SECOND = 25;
const LONGEST = 60; // seconds of a WebM, which takes as long to make

/** The view on its background, with the time in the corner. */
export function paintStill(actor: Actor, t: number, widest = Infinity, even = false): HTMLCanvasElement {
  const { canvas } = actor;
  actor.draw(t);
  const share = Math.min(1, widest / canvas.width);
  const out = document.createElement("canvas");
  const round = (n: number) => Math.max(2, even ? 2 * Math.floor((n * share) / 2) : Math.round(n * share));
  out.width = round(canvas.width);
  out.height = round(canvas.height);
  const style = getComputedStyle(document.documentElement);
  const context = out.getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = style.getPropertyValue("--stage-1").trim();
  context.fillRect(0, 0, out.width, out.height);
  context.drawImage(canvas, 0, 0, out.width, out.height);
  context.fillStyle = style.getPropertyValue("--text-2").trim();
  context.font = `${Math.max(11, Math.round(out.width / 45))}px system-ui, sans-serif`;
  context.fillText(`t = ${t.toFixed(2)} s`, 0.02 * out.width, out.height - 0.02 * out.width);
  return out;
}

const pause = () => new Promise((done) => setTimeout(done, 0));

/** The whole motion; said: how far it is, 0 .. 1. A long motion has fewer frames a second, and the same length. */
export async function filmGif(actor: Actor, said: (share: number) => void): Promise<Blob> {
  const seconds = actor.end / actor.speed;
  const n = Math.max(2, Math.min(FRAMES, Math.round(seconds * PER_SECOND)));
  const delay = Math.max(2, Math.round((100 * seconds) / n));
  const timeOf = (k: number) => (actor.end * k) / (n - 1);
  const at = (k: number) => {
    const still = paintStill(actor, timeOf(k), WIDEST);
    return still.getContext("2d")!.getImageData(0, 0, still.width, still.height);
  };
  const samples = [0, 0.25, 0.5, 0.75, 1].map((s) => at(Math.round(s * (n - 1))));
  const gif = new Gif(samples[0].width, samples[0].height, paletteOf(samples.map((s) => s.data)), delay);
  for (let k = 0; k < n; k++) {
    gif.add(at(k).data);
    said((k + 1) / n);
    await pause();
  }
  return gif.finish();
}

export function canWebm(): boolean {
  return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
}

/** Recorded while it plays, once. */
export async function filmWebm(actor: Actor, said: (share: number) => void): Promise<Blob> {
  const screen = paintStill(actor, 0, 2 * WIDEST, true);
  const context = screen.getContext("2d")!;
  const recorder = new MediaRecorder(screen.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 6e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  const ended = new Promise((done) => (recorder.onstop = done));
  const seconds = Math.min(LONGEST, actor.end / actor.speed);
  recorder.start();
  const begin = performance.now();
  for (let share = 0; share < 1; ) {
    await new Promise((done) => requestAnimationFrame(done));
    share = Math.min(1, (performance.now() - begin) / 1000 / seconds);
    context.drawImage(paintStill(actor, share * actor.end, 2 * WIDEST, true), 0, 0);
    said(share);
  }
  recorder.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}
