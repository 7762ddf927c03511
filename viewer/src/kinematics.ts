// SPDX-License-Identifier: Apache-2.0
// From coordinates to poses: T_WB = T_WP X J(q), as in include/cardan/model.h.
import { locate, type Column, type Model, type Run, type Transform } from "./data";

/** A pose is 12 numbers: rotation by rows, then place. Poses of all bodies stand one after another. */
export const POSE = 12;

export function setQuaternion(out: Float64Array, at: number, w: number, x: number, y: number, z: number): void {
  const n = w * w + x * x + y * y + z * z;
  const s = n > 0 ? 2 / n : 0;
  out[at] = 1 - s * (y * y + z * z);
  out[at + 1] = s * (x * y - w * z);
  out[at + 2] = s * (x * z + w * y);
  out[at + 3] = s * (x * y + w * z);
  out[at + 4] = 1 - s * (x * x + z * z);
  out[at + 5] = s * (y * z - w * x);
  out[at + 6] = s * (x * z - w * y);
  out[at + 7] = s * (y * z + w * x);
  out[at + 8] = 1 - s * (x * x + y * y);
}

export function poseOf(X: Transform): Float64Array {
  const pose = new Float64Array(POSE);
  setQuaternion(pose, 0, X[3], X[4], X[5], X[6]);
  pose.set(X.slice(0, 3), 9);
  return pose;
}

/** out = a b; out may be neither of them. */
export function multiply(a: Float64Array, ia: number, b: Float64Array, ib: number, out: Float64Array, io: number): void {
  for (let r = 0; r < 3; r++) {
    const a0 = a[ia + 3 * r];
    const a1 = a[ia + 3 * r + 1];
    const a2 = a[ia + 3 * r + 2];
    for (let c = 0; c < 3; c++) {
      out[io + 3 * r + c] = a0 * b[ib + c] + a1 * b[ib + 3 + c] + a2 * b[ib + 6 + c];
    }
    out[io + 9 + r] = a0 * b[ib + 9] + a1 * b[ib + 10] + a2 * b[ib + 11] + a[ia + 9 + r];
  }
}

/** The motion of one run: coordinates at any time, and the poses they make. */
export class Motion {
  readonly q: Float64Array;
  readonly poses: Float64Array;
  private readonly fixed: Float64Array; // constant part of each joint
  private readonly joint = new Float64Array(POSE);
  private readonly half = new Float64Array(POSE);
  private readonly qColumns: Column[];
  private readonly slopes: (Column | undefined)[]; // of each coordinate, where its velocity is its rate
  private readonly quaternions: number[] = []; // first coordinate of each

  constructor(
    readonly model: Model,
    readonly run: Run,
  ) {
    const n = model.bodies.length;
    this.q = new Float64Array(model.nq);
    this.poses = new Float64Array(n * POSE);
    this.fixed = new Float64Array(n * POSE);
    model.bodies.forEach((b, i) => this.fixed.set(poseOf(b.X), i * POSE));
    this.poses.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);

    this.qColumns = run.list.slice(0, model.nq);
    const velocities = run.list.slice(model.nq).filter((c) => c.name.startsWith("v."));
    this.slopes = new Array<Column | undefined>(model.nq).fill(undefined);
    for (const b of model.bodies) {
      if (b.turns === 3) {
        this.quaternions.push(b.q + (b.slides ?? 0));
      } else if (b.turns || b.slides) {
        this.slopes[b.q] = velocities[b.v];
      }
    }
  }

  /** Coordinates at t: cubic from values and rates where these are known, linear elsewhere. */
  private interpolate(t: number): void {
    const { times } = this.run;
    const [i, s] = locate(times, t);
    const h = s > 0 ? times[i + 1] - times[i] : 0;
    const s2 = s * s;
    const h01 = s2 * (3 - 2 * s);
    const h10 = s * (1 - s) * (1 - s);
    const h11 = s2 * (s - 1);
    for (let k = 0; k < this.q.length; k++) {
      const column = this.qColumns[k];
      const a = column.delta[i];
      if (s === 0) {
        this.q[k] = column.first + a;
        continue;
      }
      const b = column.delta[i + 1];
      const rate = this.slopes[k];
      if (rate) {
        const va = rate.first + rate.delta[i];
        const vb = rate.first + rate.delta[i + 1];
        this.q[k] = column.first + a + h01 * (b - a) + h * (h10 * va + h11 * vb);
      } else {
        this.q[k] = column.first + a + s * (b - a);
      }
    }
    for (const k of this.quaternions) {
      this.blendQuaternion(k, i, s);
    }
  }

  /** q and -q are one rotation: the end is taken on the start's side. Normalised where it is used. */
  private blendQuaternion(k: number, i: number, s: number): void {
    if (s === 0) {
      return;
    }
    const c = this.qColumns;
    let dot = 0;
    for (let j = k; j < k + 4; j++) {
      dot += (c[j].first + c[j].delta[i]) * (c[j].first + c[j].delta[i + 1]);
    }
    const angle = Math.acos(Math.min(1, Math.abs(dot)));
    const near = angle < 1e-4;
    const wa = near ? 1 - s : Math.sin((1 - s) * angle);
    const wb = (near ? s : Math.sin(s * angle)) * (dot < 0 ? -1 : 1);
    for (let j = k; j < k + 4; j++) {
      this.q[j] = wa * (c[j].first + c[j].delta[i]) + wb * (c[j].first + c[j].delta[i + 1]);
    }
  }

  private setJoint(i: number): void {
    const b = this.model.bodies[i];
    const q = this.q;
    const J = this.joint;
    J.fill(0);
    J[0] = J[4] = J[8] = 1;
    if (b.turns === 3) {
      const slides = b.slides ?? 0;
      const e = b.q + slides;
      setQuaternion(J, 0, q[e], q[e + 1], q[e + 2], q[e + 3]);
      for (let k = 0; k < slides; k++) {
        J[9 + k] = q[b.q + k];
      }
    } else if (b.turns) {
      const c = Math.cos(q[b.q]);
      const s = Math.sin(q[b.q]);
      J[0] = J[4] = c;
      J[1] = -s;
      J[3] = s;
      J[11] = (b.pitch ?? 0) * q[b.q];
    } else if (b.slides) {
      J[11] = q[b.q];
    }
  }

  /** Poses of all bodies at t. */
  moveTo(t: number): void {
    if (this.run.times.length > 0) {
      this.interpolate(t);
    }
    const { bodies } = this.model;
    for (let i = 1; i < bodies.length; i++) {
      this.setJoint(i);
      multiply(this.fixed, i * POSE, this.joint, 0, this.half, 0);
      multiply(this.poses, bodies[i].parent * POSE, this.half, 0, this.poses, i * POSE);
    }
  }

  /** World place of a frame's origin at the current poses. */
  framePlace(frame: number, out: [number, number, number]): void {
    const f = this.model.frames[frame];
    const P = this.poses;
    const o = f.body * POSE;
    const [x, y, z] = f.X;
    for (let r = 0; r < 3; r++) {
      out[r] = P[o + 3 * r] * x + P[o + 3 * r + 1] * y + P[o + 3 * r + 2] * z + P[o + 9 + r];
    }
  }
}
