// SPDX-License-Identifier: Apache-2.0
// Contacts over time: a lane for each, coloured while it sticks and while it slides; and ticks where
// there are impacts.
import type uPlot from "uplot";
import { stateColors } from "./contacts";
import { shorten } from "./dom";
import type { Curve } from "./plots";

export const laneStates: [string, string][] = [["sticks", stateColors[1]], ["slides", stateColors[2]]];

/** Times and states of a lane; of a thinned run the highest state between samples. */
function statesOf(curve: Curve): [Float64Array, (i: number) => number] {
  const { run, column } = curve;
  const { max } = column;
  return run.extremeTimes && max
    ? [run.extremeTimes, (i) => Math.round(column.first + max[i])]
    : [run.times, (i) => Math.round(column.first + column.delta[i])];
}

/** Lane k lies between n - k - 1 and n - k on the y axis: its name, and below it the states. */
export function drawLanes(u: uPlot, curves: Curve[], color: string, font: string): void {
  const { ctx } = u;
  const ratio = window.devicePixelRatio || 1;
  const end = u.scales.x.max ?? 0;
  ctx.font = font.replace(/\d+px/, `${11 * ratio}px`);
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  curves.forEach((curve, k) => {
    const [times, state] = statesOf(curve);
    const top = u.valToPos(curves.length - k - 0.55, "y", true);
    const bottom = u.valToPos(curves.length - k - 0.92, "y", true);
    ctx.fillStyle = color;
    ctx.fillText(shorten(curve.label, 40), u.bbox.left + 2 * ratio, top - ratio);
    for (let i = 0; i < times.length; ) {
      const now = state(i);
      let next = i + 1;
      while (next < times.length && state(next) === now) {
        next++;
      }
      if (now > 0) {
        const x = u.valToPos(times[i], "x", true);
        const until = next < times.length ? times[next] : Math.max(times[i], Math.min(end, curve.run.times[curve.run.times.length - 1]));
        ctx.fillStyle = stateColors[now] ?? stateColors[2];
        ctx.fillRect(x, top, Math.max(1, u.valToPos(until, "x", true) - x), bottom - top);
      }
      i = next;
    }
  });
}

/** From a time on all is in doubt: a line there, and a tint behind it. */
export function drawDoubt(u: uPlot, from: number, color: string): void {
  const { ctx, bbox } = u;
  const x = Math.min(Math.max(u.valToPos(from, "x", true), bbox.left), bbox.left + bbox.width);
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.1;
  ctx.fillRect(x, bbox.top, bbox.left + bbox.width - x, bbox.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(x, bbox.top, 1.5 * (window.devicePixelRatio || 1), bbox.height);
}

/** Short strokes on the time axis. */
export function drawTicks(u: uPlot, times: number[], color: string): void {
  const { ctx } = u;
  const ratio = window.devicePixelRatio || 1;
  const bottom = u.bbox.top + u.bbox.height;
  let last = -Infinity;
  ctx.fillStyle = color;
  for (const t of times) {
    const x = Math.round(u.valToPos(t, "x", true));
    if (x !== last && x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) {
      ctx.fillRect(x, bottom - 6 * ratio, ratio, 6 * ratio);
      last = x;
    }
  }
}
