// SPDX-License-Identifier: Apache-2.0
// The motion as a picture, a GIF or a WebM: what the 3-D view shows, with the time.
import { Gif, type Shot } from "./gif";
import { paintFrame, type Frame } from "./still";

/** What can be filmed: draws the motion at a time into the canvas of the view, at once. */
export interface Actor {
  canvas: HTMLCanvasElement;
  end: number; // [s]
  speed(): number; // of the player
  draw(t: number): void;
}

const WIDEST = 640; // pixels of a film
const FRAMES = 240; // at most
const PER_SECOND = 25;
const LONGEST = 60; // seconds of a WebM, which takes as long to make

/** A frame for the view, at most so many pixels wide; even: as films of the browser have them. */
function frameFor({ canvas }: Actor, widest = Infinity, even = false): Frame {
  const share = Math.min(1, widest / canvas.width);
  const round = (n: number) => Math.max(2, even ? 2 * Math.floor((n * share) / 2) : Math.round(n * share));
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return { width: round(canvas.width), height: round(canvas.height), background: color("--stage-1"), ink: color("--text-2") };
}

function canvasOf({ width, height }: Frame): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  return [canvas, canvas.getContext("2d")!];
}

export function paintStill(actor: Actor, t: number): HTMLCanvasElement {
  const frame = frameFor(actor);
  const [canvas, context] = canvasOf(frame);
  actor.draw(t);
  paintFrame(context, actor.canvas, t, frame);
  return canvas;
}

/** How far a film is, 0 .. 1; and whether it is wanted still. */
export interface Making {
  said(share: number): void;
  signal: AbortSignal;
}

const pause = () => new Promise((done) => setTimeout(done, 0));

/** The whole motion. A long one has fewer frames a second, and the same length. Between frames the page does what
 * else it has to do. */
export async function filmGif(actor: Actor, { said, signal }: Making): Promise<Blob> {
  const seconds = actor.end / actor.speed();
  const n = Math.max(2, Math.min(FRAMES, Math.round(seconds * PER_SECOND)));
  const shoot = async (k: number): Promise<Shot> => {
    await pause();
    signal.throwIfAborted();
    const t = (actor.end * k) / (n - 1);
    actor.draw(t);
    return { image: await createImageBitmap(actor.canvas), t };
  };
  const samples: Shot[] = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    samples.push(await shoot(Math.round(share * (n - 1))));
  }
  const gif = new Gif(frameFor(actor, WIDEST), Math.max(20, Math.round((1000 * seconds) / n)), samples);
  try {
    for (let k = 0; k < n; k++) {
      await gif.add(await shoot(k));
      said((k + 1) / n);
    }
    return await gif.finish();
  } finally {
    gif.close();
  }
}

export function canWebm(): boolean {
  return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
}

/** Recorded while it plays, once. */
export async function filmWebm(actor: Actor, { said, signal }: Making): Promise<Blob> {
  const frame = frameFor(actor, 2 * WIDEST, true);
  const [screen, context] = canvasOf(frame);
  const recorder = new MediaRecorder(screen.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 6e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  const ended = new Promise((done) => (recorder.onstop = done));
  const seconds = Math.min(LONGEST, actor.end / actor.speed());
  recorder.start();
  const begin = performance.now();
  for (let share = 0; share < 1; ) {
    await new Promise((done) => requestAnimationFrame(done));
    share = Math.min(1, (performance.now() - begin) / 1000 / seconds);
    if (signal.aborted) {
      break;
    }
    actor.draw(share * actor.end);
    paintFrame(context, actor.canvas, share * actor.end, frame);
    said(share);
  }
  recorder.stop();
  await ended;
  signal.throwIfAborted();
  return new Blob(parts, { type: "video/webm" });
}
