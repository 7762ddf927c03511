// SPDX-License-Identifier: Apache-2.0
// Where wheels and balls that roll, and blades, touch their plane: a dot, and its trace up to now. The trace is fixed in
// the plane's body, so that it turns with a table.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, Line, LineBasicMaterial, Matrix4, MeshStandardMaterial, SphereGeometry } from "three";
import { curveColors } from "./axes";
import { locate, type Model, type Track } from "./data";
import { POSE, type Motion } from "./kinematics";

const TRACK_POINTS = 4000;
const NONE: [number, number, number] = [0, 0, 0];

type Point = [number, number, number];

/** A vector of a body in the world; a point, with its place. */
function toWorld(poses: Float64Array, body: number, x: Point, place: boolean): Point {
  const o = body * POSE;
  return [0, 1, 2].map((r) =>
    poses[o + 3 * r] * x[0] + poses[o + 3 * r + 1] * x[1] + poses[o + 3 * r + 2] * x[2] + (place ? poses[o + 9 + r] : 0)) as Point;
}

const dot = (a: Point, b: Point) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** The point that touches, in the world: of a disc the lowest of its rim (docs/methods/rolling.md), of a blade its place. */
export function contactPoint(track: Track, poses: Float64Array): Point {
  const c = toWorld(poses, track.bodies[0], track.at ?? NONE, true);
  const n = toWorld(poses, track.bodies[1], track.normal ?? NONE, false);
  let down = n;
  if (track.axis) {
    const a = toWorld(poses, track.bodies[0], track.axis, false);
    const along = dot(n, a);
    const m = n.map((x, k) => x - along * a[k]) as Point;
    const size = Math.hypot(...m);
    down = size > 1e-9 ? (m.map((x) => x / size) as Point) : NONE; // it lies flat: no point is the lowest
  }
  return c.map((x, k) => x - track.radius * down[k]) as Point;
}

/** How high above its plane the point is [m]. */
export function heightOf(track: Track, poses: Float64Array): number {
  const p = contactPoint(track, poses);
  const foot = toWorld(poses, track.bodies[1], track.foot ?? NONE, true);
  return dot(toWorld(poses, track.bodies[1], track.normal ?? NONE, false), p.map((x, k) => x - foot[k]) as Point);
}

/** Of one motion. */
export class Tracks {
  readonly group = new Group();
  private readonly times: Float64Array;
  private readonly lines: Line[];
  private readonly dots: InstancedMesh;
  private readonly matrix = new Matrix4();

  /** size: of a dot [m]; color: of the motion, where there are several */
  constructor(private readonly model: Model, private readonly motion: Motion, private readonly size: number, color?: string) {
    const { tracks } = model.symbols;
    const { times } = motion.run;
    const step = Math.max(1, Math.ceil((times.length * Math.max(1, model.bodies.length / 250)) / TRACK_POINTS));
    this.times = Float64Array.from({ length: Math.ceil(times.length / step) }, (_x, i) => times[i * step]);
    const points = tracks.map(() => new Float32Array(3 * this.times.length));
    this.times.forEach((t, i) => {
      motion.moveTo(t);
      tracks.forEach((track, k) => points[k].set(this.inPlane(track), 3 * i));
    });
    const colors = tracks.map((_t, k) => color ?? curveColors[k % curveColors.length]);
    this.lines = points.map((of, k) => this.lineOf(of, colors[k]));
    this.dots = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshStandardMaterial({ roughness: 0.4, depthTest: false, transparent: true }), Math.max(1, tracks.length));
    this.dots.instanceMatrix.setUsage(DynamicDrawUsage);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 10; // in front: what touches is hidden otherwise
    this.dots.count = tracks.length;
    colors.forEach((c, k) => this.dots.setColorAt(k, new Color(c)));
    this.group.add(this.dots);
  }

  /** The point in the axes of the plane's body, a little above the plane, so that the line is not in the floor. */
  private inPlane(track: Track): Point {
    const P = this.motion.poses;
    const o = track.bodies[1] * POSE;
    const p = contactPoint(track, P);
    const d = p.map((x, k) => x - P[o + 9 + k]);
    return [0, 1, 2].map((c) => P[o + c] * d[0] + P[o + 3 + c] * d[1] + P[o + 6 + c] * d[2] + 0.3 * this.size * (track.normal ?? NONE)[c]) as Point;
  }

  private lineOf(points: Float32Array, color: string): Line {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    const line = new Line(geometry, new LineBasicMaterial({ color, transparent: true, opacity: 0.9 }));
    line.frustumCulled = false;
    line.matrixAutoUpdate = false;
    this.group.add(line);
    return line;
  }

  /** The motion is at t. */
  moveTo(t: number): void {
    const { size, matrix } = this;
    const P = this.motion.poses;
    const [i, s] = locate(this.times, t);
    const passed = this.times.length < 2 ? this.times.length : s === 1 ? i + 2 : i + 1;
    this.model.symbols.tracks.forEach((track, k) => {
      const o = track.bodies[1] * POSE;
      this.dots.setMatrixAt(k, matrix.makeScale(size, size, size).setPosition(...contactPoint(track, P)));
      this.lines[k].matrix.set(P[o], P[o + 1], P[o + 2], P[o + 9], P[o + 3], P[o + 4], P[o + 5], P[o + 10], P[o + 6], P[o + 7], P[o + 8], P[o + 11], 0, 0, 0, 1);
      this.lines[k].geometry.setDrawRange(0, passed);
    });
    this.dots.instanceMatrix.needsUpdate = true;
  }
}
