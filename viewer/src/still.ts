// SPDX-License-Identifier: Apache-2.0
// A picture of the view to take away: on its background, with the time in the corner. For the page and for workers.

export interface Frame {
  width: number;
  height: number;
  background: string; // colours
  ink: string;
}

/** image: of the view, without its background; t [s] */
export function paintFrame(context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, image: CanvasImageSource, t: number, frame: Frame): void {
  const { width, height } = frame;
  context.fillStyle = frame.background;
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  context.fillStyle = frame.ink;
  context.font = `${Math.max(11, Math.round(width / 45))}px system-ui, sans-serif`;
  context.fillText(`t = ${t.toFixed(2)} s`, 0.02 * width, height - 0.02 * width);
}
