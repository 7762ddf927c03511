// SPDX-License-Identifier: Apache-2.0
// Pictures that move, as GIF: gifenc in a worker, so that the page stays responsive while frames are read from the graphics
// processor and compressed. The page is one file, and the worker's program a string in it.
import type { Frame } from "./still";

declare const GIF_WORKER: string; // gif_worker.ts bundled, by build.mjs

/** The view at a time; whoever gets it closes it. */
export interface Shot {
  image: ImageBitmap;
  t: number;
}

/** A message to the worker; an empty one ends the film. */
export type GifOrder = { frame: Frame; delay: number; samples: Shot[] } | { shot: Shot } | Record<string, never>;
export type GifAnswer = { count: number } | { bytes: Uint8Array<ArrayBuffer> };

const WAITING = 2; // frames that may lie before the worker

export class Gif {
  private readonly worker: Worker;
  private sent = 0;
  private done = 0; // frames that the worker has compressed
  private bytes?: Uint8Array<ArrayBuffer>;
  private error?: Error;
  private wake = () => {};

  /** delay: of a frame [ms]; samples: some frames, whose colours stand for all. The whole goes round for ever. */
  constructor(frame: Frame, delay: number, samples: Shot[]) {
    const url = URL.createObjectURL(new Blob([GIF_WORKER], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = ({ data }: MessageEvent<GifAnswer>) => {
      this.done = "count" in data ? data.count : this.done;
      this.bytes = "bytes" in data ? data.bytes : undefined;
      this.wake();
    };
    this.worker.onerror = (e) => {
      this.error = new Error(e.message || "the browser starts no worker");
      this.wake();
    };
    this.order({ frame, delay, samples }, samples);
  }

  private order(order: GifOrder, given: Shot[]): void {
    this.worker.postMessage(order, given.map((g) => g.image));
  }

  private async until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      if (this.error) {
        throw this.error;
      }
      await new Promise<void>((done) => (this.wake = done));
    }
  }

  /** Takes the next frame away, and resolves when there is room for another. */
  async add(shot: Shot): Promise<void> {
    this.order({ shot }, [shot]);
    this.sent++;
    await this.until(() => this.sent - this.done <= WAITING);
  }

  async finish(): Promise<Blob> {
    this.order({}, []);
    await this.until(() => this.bytes !== undefined);
    return new Blob([this.bytes!], { type: "image/gif" });
  }

  /** Always at the end, and at any time. */
  close(): void {
    this.worker.terminate();
    this.error = new Error("the film was given up");
    this.wake();
  }
}
