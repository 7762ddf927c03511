// SPDX-License-Identifier: Apache-2.0
// How a body moves at a time: place, turn, velocities and energy, from the coordinates that a page holds.
import { locate, type Model, type Run } from "./data";
import { Motion, POSE } from "./kinematics";

export interface BodyState {
  place: [number, number, number]; // of its frame [m]
  turn: [number, number, number]; // from the world's axes, as axis times angle [rad]
  velocity: [number, number, number]; // of its frame [m/s]
  spin: [number, number, number]; // in the world's axes [rad/s]
  kinetic?: number; // [J]; undefined: the page does not know its inertia
  potential?: number; // of its weight [J]
}

type Vector = [number, number, number];

const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** R^T a, of the rotation of a pose. */
function toBody(P: Float64Array, a: Vector): Vector {
  return [0, 1, 2].map((c) => P[c] * a[0] + P[3 + c] * a[1] + P[6 + c] * a[2]) as Vector;
}

/** Axis times angle of a rotation by rows. */
export function turnOf(R: ArrayLike<number>): Vector {
  const skew: Vector = [R[7] - R[5], R[2] - R[6], R[3] - R[1]];
  const sine = Math.hypot(...skew) / 2;
  const angle = Math.atan2(sine, (R[0] + R[4] + R[8] - 1) / 2);
  if (sine > 1e-9) {
    return skew.map((s) => (s * angle) / (2 * sine)) as Vector;
  }
  if (angle < 1) {
    return [0, 0, 0];
  }
  // half a turn: the axis is the largest column of R + 1
  const columns = [0, 1, 2].map((c) => [R[c] + (c === 0 ? 1 : 0), R[3 + c] + (c === 1 ? 1 : 0), R[6 + c] + (c === 2 ? 1 : 0)] as Vector);
  const axis = columns.reduce((a, b) => (Math.hypot(...b) > Math.hypot(...a) ? b : a));
  return axis.map((x) => (x * angle) / Math.hypot(...axis)) as Vector;
}

/** Bodies of one run at times of their own; the motions that are drawn stay where they are. */
export class BodyStates {
  private readonly now: Motion;
  private readonly before: Motion;
  private readonly after: Motion;

  constructor(
    private readonly model: Model,
    private readonly run: Run,
  ) {
    [this.now, this.before, this.after] = [0, 1, 2].map(() => new Motion(model, run));
  }

  private poseAt(motion: Motion, t: number, body: number): Float64Array {
    motion.moveTo(t);
    return motion.poses.subarray(body * POSE, (body + 1) * POSE);
  }

  /** Velocity and spin of a body, in one, by the difference of its poses at two times. */
  private rates(t0: number, t1: number, body: number): number[] {
    const A = this.poseAt(this.before, t0, body);
    const B = this.poseAt(this.after, t1, body);
    const rate = t1 > t0 ? 1 / (t1 - t0) : 0;
    const between = new Float64Array(9); // B A^T: the turn from before to after
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        between[3 * r + c] = B[3 * r] * A[3 * c] + B[3 * r + 1] * A[3 * c + 1] + B[3 * r + 2] * A[3 * c + 2];
      }
    }
    return [...[9, 10, 11].map((k) => (B[k] - A[k]) * rate), ...turnOf(between).map((x) => x * rate)];
  }

  /** Velocities by differences within a fiftieth of a row: between rows motions are cubic. At the first and the
   * last time there is one side alone: 2 D(d) - D(2 d) has an error of d^2 as well, and is 0 for what starts at rest. */
  at(t: number, body: number): BodyState {
    const { times } = this.run;
    const first = times[0] ?? 0;
    const last = times[times.length - 1] ?? 0;
    const [i] = locate(times, t);
    const d = 0.02 * ((times[i + 1] ?? last) - (times[i] ?? 0));
    const P = this.poseAt(this.now, t, body);
    const side = t - d < first ? 1 : t + d > last ? -1 : 0;
    const span = (k: number): [number, number] => (side > 0 ? [t, Math.min(last, t + k * d)] : [Math.max(first, t - k * d), t]);
    const far = side !== 0 ? this.rates(...span(2), body) : [];
    const both = side !== 0 ? this.rates(...span(1), body).map((r, k) => 2 * r - far[k]) : this.rates(t - d, t + d, body);
    const [velocity, spin] = [both.slice(0, 3) as Vector, both.slice(3) as Vector];
    return { place: [P[9], P[10], P[11]], turn: turnOf(P), velocity, spin, ...this.energy(body, P, velocity, spin) };
  }

  /** T = 1/2 (m v.v + 2 v.(w x h) + w.I w) in the body's axes, h = m c; V = -g.(m p + R h) */
  private energy(body: number, P: Float64Array, velocity: Vector, spin: Vector): { kinetic?: number; potential?: number } {
    const { mass: m, inertia: I } = this.model.bodies[body];
    if (!I) {
      return m === 0 ? { kinetic: 0, potential: 0 } : {};
    }
    const [v, w] = [toBody(P, velocity), toBody(P, spin)];
    const first: Vector = [I[0], I[1], I[2]];
    const Iw: Vector = [I[3] * w[0] + I[6] * w[1] + I[7] * w[2], I[6] * w[0] + I[4] * w[1] + I[8] * w[2], I[7] * w[0] + I[8] * w[1] + I[5] * w[2]];
    const g = this.model.gravity;
    return {
      kinetic: 0.5 * (m * dot(v, v) + 2 * dot(v, cross(w, first)) + dot(w, Iw)),
      potential: -m * dot(g, [P[9], P[10], P[11]]) - dot(toBody(P, g), first),
    };
  }
}
