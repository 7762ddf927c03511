// SPDX-License-Identifier: Apache-2.0
// Curves of one column over another: paths that may turn back, drawn and found point by point.
import type uPlot from "uplot";
import type { Curve, Samples } from "./series";

interface Path {
  curve: Curve;
  samples: Samples;
  across?: Samples;
  scale: string;
}

/** The least and the largest of some lists; of their sizes other than 0 on a log axis. */
export function spanOf(lists: (Float64Array | undefined)[], log = false): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (let i = 0; list && i < list.length; i++) {
      const v = log ? Math.abs(list[i]) : list[i];
      if (Number.isFinite(v) && !(log && v === 0)) {
        low = v < low ? v : low;
        high = v > high ? v : high;
      }
    }
  }
  return [low, high];
}

function placeOf(u: uPlot, { samples, across, scale }: Path, i: number, raw: boolean): [number, number] {
  const y = u.scales[scale].distr === 3 ? Math.abs(samples.values[i]) : samples.values[i];
  return [u.valToPos(across!.values[i], "x", raw), u.valToPos(y, scale, raw)];
}

export function drawPaths(u: uPlot, paths: Path[]): void {
  const { ctx } = u;
  ctx.lineWidth = 1.5 * (window.devicePixelRatio || 1);
  ctx.lineJoin = "round";
  for (const path of paths) {
    ctx.strokeStyle = path.curve.color;
    ctx.beginPath();
    let open = false;
    for (let i = 0; i < path.samples.values.length; i++) {
      const [x, y] = placeOf(u, path, i, true);
      const { turn, values } = path.samples;
      const jump = turn > 0 && i > 0 && Math.abs(values[i] - values[i - 1]) > turn / 2;
      if (Number.isFinite(x) && Number.isFinite(y)) {
        ctx[open && !jump ? "lineTo" : "moveTo"](x, y);
        open = true;
      } else {
        open = false;
      }
    }
    ctx.stroke();
  }
}

/** The time of the point that lies nearest to a place in pixels; NaN when none is near. */
export function nearestTime(u: uPlot, paths: Path[], left: number, top: number): number {
  const reach = 40;
  let best = reach;
  let time = NaN;
  for (const path of paths) {
    for (let i = 0; i < path.samples.values.length; i++) {
      const [x, y] = placeOf(u, path, i, false);
      const d = Math.hypot(x - left, y - top);
      if (d < best) {
        best = d;
        time = path.curve.run.times[i];
      }
    }
  }
  return time;
}
