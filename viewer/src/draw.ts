// SPDX-License-Identifier: Apache-2.0
// What to draw of a model: simple solids fixed to bodies. Shapes of the file where a body has some;
// elsewhere bars along the tree of frames, masses as balls. Joints by kind, frames as three axes.
import type { Body, Frame, Model, Shape } from "./data";
import { multiply, POSE, poseOf } from "./kinematics";

/** A mesh is one by its number among the model's. */
export type Solid = "box" | "sphere" | "cylinder" | number;
export type Layer = "body" | "joint" | "frame";

/** A unit solid (edge 1, as the box around a mesh; radius 1; radius and height 1 along z), scaled and placed in a body. */
export interface Part {
  solid: Solid;
  layer: Layer;
  body: number;
  local: Float64Array; // pose whose rotation is scaled by columns
  color: string;
  name: string;
}

/** A line between two frames. */
export interface Cord {
  kind: "wire" | "spring" | "rail";
  frames: [number, number];
}

/** A half-space that solids lie on: z <= 0 of a pose in a body. */
export interface Plane {
  body: number;
  local: Float64Array;
  color: string;
}

export interface Drawing {
  parts: Part[];
  cords: Cord[];
  planes: Plane[];
  notes: string[];
  unit: number; // thickness of a bar [m]
}

// calm colours that tell neighbours apart, on light and on dark
const palette = ["#5b8fb9", "#d98e5f", "#6aa58c", "#b97a95", "#c2a84e", "#7f86c4", "#8d9aa8", "#a3785a"];
const axisColors = ["#d9534f", "#4caf6d", "#4a84e0"];
const jointColor = "#3d4753";
const drivenColor = "#c9803a";
const tieColor = "#c4536a";

function slidesAlongZ(body: Body): boolean {
  return !body.turns && body.slides === 1;
}

function scaled(pose: Float64Array, x: number, y: number, z: number): Float64Array {
  const out = pose.slice();
  for (let r = 0; r < 3; r++) {
    out[3 * r] *= x;
    out[3 * r + 1] *= y;
    out[3 * r + 2] *= z;
  }
  return out;
}

function moved(pose: Float64Array, z: number): Float64Array {
  const out = pose.slice();
  for (let r = 0; r < 3; r++) {
    out[9 + r] += z * pose[3 * r + 2];
  }
  return out;
}

/** The pose at the middle between two points with z along them, and their distance. */
function between(a: ArrayLike<number>, b: ArrayLike<number>): [Float64Array, number] {
  const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const length = Math.hypot(d[0], d[1], d[2]);
  const z = length > 0 ? d.map((x) => x / length) : [0, 0, 1];
  const e = Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const y = [z[1] * e[2] - z[2] * e[1], z[2] * e[0] - z[0] * e[2], z[0] * e[1] - z[1] * e[0]];
  const n = Math.hypot(y[0], y[1], y[2]);
  y.forEach((v, i) => (y[i] = v / n));
  const x = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]];
  const pose = new Float64Array(POSE);
  for (let r = 0; r < 3; r++) {
    pose.set([x[r], y[r], z[r]], 3 * r);
    pose[9 + r] = (a[r] + b[r]) / 2;
  }
  return [pose, length];
}

function isColor(text: string | undefined): text is string {
  return text !== undefined && /^#[0-9a-f]{6}$/i.test(text);
}

class Builder {
  readonly parts: Part[] = [];
  readonly cords: Cord[] = [];
  readonly planes: Plane[] = [];
  readonly notes: string[] = [];
  private readonly shaped: boolean[];
  private readonly children: number[][];

  constructor(
    private readonly model: Model,
    readonly unit: number,
  ) {
    this.shaped = model.bodies.map(() => false);
    this.children = model.frames.map(() => []);
    model.frames.forEach((f, i) => {
      if (i > 0) {
        this.children[f.parent].push(i);
      }
      if (f.shapes?.some((s) => s.kind !== "mesh" || this.drawn(s))) {
        this.shaped[f.body] = true;
      }
    });
  }

  private add(solid: Solid, layer: Layer, body: number, local: Float64Array, color: string, name: string): void {
    this.parts.push({ solid, layer, body, local, color, name });
  }

  private bodyName(body: number): string {
    const joint = this.model.joints[this.model.bodies[body].joint];
    return body === 0 ? "world" : (joint?.name ?? "");
  }

  private bodyColor(body: number, frame?: Frame): string {
    return isColor(frame?.color) ? frame.color : body === 0 ? "#8a939e" : palette[(body - 1) % palette.length];
  }

  /** Has the page the triangles of this mesh? */
  private drawn(shape: Shape): boolean {
    return shape.mesh !== undefined && this.model.meshes?.[shape.mesh]?.vertices !== undefined;
  }

  private meshShape(frame: Frame, shape: Shape): void {
    const { low, high } = this.model.meshes![shape.mesh!];
    const by = shape.size.map((k) => (k === 0 ? 1 : k));
    const place = poseOf(frame.X);
    const box = low!.map((l, i) => high![i] - l);
    for (let r = 0; r < 3; r++) {
      for (let i = 0; i < 3; i++) {
        place[9 + r] += (place[3 * r + i] * by[i] * (low![i] + high![i])) / 2;
      }
    }
    const local = scaled(place, by[0] * box[0], by[1] * box[1], by[2] * box[2]);
    const name = frame.name || this.bodyName(frame.body);
    this.add(shape.mesh!, "body", frame.body, local, this.bodyColor(frame.body, frame), name);
  }

  private shape(frame: Frame, shape: Shape): void {
    const pose = poseOf(frame.X);
    const color = this.bodyColor(frame.body, frame);
    const name = frame.name || this.bodyName(frame.body);
    const [a, b, c] = shape.size;
    const put = (solid: Solid, local: Float64Array) => this.add(solid, "body", frame.body, local, color, name);
    if (shape.kind === "box") {
      put("box", scaled(pose, a, b, c));
    } else if (shape.kind === "ellipsoid") {
      put("sphere", scaled(pose, a, b, c));
    } else if (shape.kind === "plane") {
      this.planes.push({ body: frame.body, local: pose, color });
    } else if (shape.kind === "sphere") {
      put("sphere", scaled(pose, a, a, a));
    } else if (shape.kind === "cylinder" || shape.kind === "capsule") {
      put("cylinder", scaled(pose, a, a, b));
    }
    if (shape.kind === "capsule") {
      put("sphere", scaled(moved(pose, b / 2), a, a, a));
      put("sphere", scaled(moved(pose, -b / 2), a, a, a));
    }
  }

  /** Frames worth an end of a bar: the rest are steps on the way. */
  private isStation(i: number): boolean {
    const f = this.model.frames[i];
    const above = this.model.frames[f.parent];
    return i === 0 || f.body !== above.body || f.mass !== undefined || this.children[i].length !== 1 ||
      this.model.frames[this.children[i][0]].body !== f.body;
  }

  private bar(body: number, a: ArrayLike<number>, b: ArrayLike<number>, color: string, name: string): void {
    const [pose, length] = between(a, b);
    if (length > 1e-9 * (1 + this.unit)) {
      this.add("cylinder", "body", body, scaled(pose, this.unit, this.unit, length), color, name);
    }
  }

  /** Bars from each station to the one above it in the same body, and a ball for each mass. */
  automatic(): void {
    const { frames, bodies, mass } = this.model;
    frames.forEach((f, i) => {
      if (this.shaped[f.body] || i === 0 || !this.isStation(i)) {
        return;
      }
      const color = this.bodyColor(f.body, f);
      const name = f.name || this.bodyName(f.body);
      let up = f.parent;
      while (up > 0 && frames[up].body === f.body && !this.isStation(up)) {
        up = frames[up].parent;
      }
      const worldLeaf = f.body === 0 && this.children[i].length === 0;
      if (frames[up].body === f.body && f.body > 0) {
        this.bar(f.body, frames[up].X, f.X, color, name);
      } else if (f.body > 0 && slidesAlongZ(bodies[f.body])) {
        this.cords.push({ kind: "rail", frames: [f.parent, i] });
      }
      if (f.mass !== undefined && f.mass > 0) {
        const r = this.unit * (1.6 + 3.4 * Math.cbrt(f.mass / mass));
        this.add("sphere", "body", f.body, scaled(poseOf(f.X), r, r, r), color, name);
      } else if (worldLeaf) {
        const r = this.unit * 0.8;
        this.add("sphere", "body", 0, scaled(poseOf(f.X), r, r, r), color, name);
      }
    });
  }

  shapes(): void {
    const meshes: string[] = [];
    for (const f of this.model.frames) {
      for (const s of f.shapes ?? []) {
        if (s.kind === "mesh" && this.drawn(s)) {
          this.meshShape(f, s);
        } else if (s.kind === "mesh") {
          const { file, why } = this.model.meshes![s.mesh!];
          meshes.push(`${file} (${why})`);
        } else {
          this.shape(f, s);
        }
      }
    }
    if (meshes.length > 0) {
      const names = [...new Set(meshes)];
      const shown = names.slice(0, 3).join("; ");
      this.notes.push(`Meshes are not drawn, but their skeleton: ${shown}${names.length > 3 ? `; and ${names.length - 3} more` : ""}`);
    }
  }

  joints(): void {
    const u = this.unit;
    const here = poseOf([0, 0, 0, 1, 0, 0, 0]);
    this.model.bodies.forEach((b, i) => {
      if (i === 0) {
        return;
      }
      const joint = this.model.joints[b.joint];
      const color = joint?.driven ? drivenColor : jointColor;
      const name = joint ? `${joint.name} · ${joint.kind}` : "";
      const put = (solid: Solid, x: number, y: number, z: number) =>
        this.add(solid, "joint", i, scaled(here, x * u, y * u, z * u), color, name);
      if (slidesAlongZ(b)) {
        put("box", 2.6, 2.6, 5);
      } else if (b.turns === 1 && b.pitch) {
        put("cylinder", 1.45, 1.45, 5.5);
        put("cylinder", 2, 2, 1.2);
      } else if (b.turns === 1) {
        put("cylinder", 1.45, 1.45, 4.4);
      } else if (!b.slides) {
        put("sphere", 2, 2, 2);
      }
    });
    for (const tie of this.model.ties) {
      if (tie.draw !== "point") {
        this.cords.push({ kind: tie.draw === "coil" ? "spring" : "wire", frames: tie.frames });
      } else {
        const f = this.model.frames[tie.frames[0]];
        const local = scaled(poseOf(f.X), 1.9 * u, 1.9 * u, 1.9 * u);
        this.add("sphere", "joint", f.body, local, tieColor, `${tie.name} · ${tie.kind}`);
      }
    }
  }

  /** Axes of the frames that have a name; of the bodies when none has. */
  frameAxes(): void {
    const named = this.model.frames.filter((f, i) => i === 0 || f.name !== "");
    for (const f of named) {
      const pose = poseOf(f.X);
      const length = (f.body === 0 ? 14 : 10) * this.unit;
      axisColors.forEach((color, axis) => {
        const out = new Float64Array(POSE);
        // z of the solid along the axis, from the origin on
        const turn = [
          [0, 0, 1, 1, 0, 0, 0, 1, 0],
          [0, 1, 0, 0, 0, 1, 1, 0, 0],
          [1, 0, 0, 0, 1, 0, 0, 0, 1],
        ][axis];
        const local = new Float64Array(POSE);
        local.set(turn);
        local[9 + axis] = length / 2;
        multiply(pose, 0, scaled(local, 0.32 * this.unit, 0.32 * this.unit, length), 0, out, 0);
        this.add("cylinder", "frame", f.body, out, color, f.name);
      });
    }
  }
}

/** From the slender ones among the shapes; a share of the extent where there are none. */
function thickness(model: Model, extent: number): number {
  const least: number[] = [];
  for (const f of model.frames) {
    for (const s of f.shapes ?? []) {
      if (s.kind !== "mesh" && s.kind !== "plane") {
        // a ball is no measure of how thick bars are
        const ball = s.kind === "sphere" || s.kind === "ellipsoid";
        least.push(s.kind === "box" ? Math.min(...s.size) / 2 : ball ? 0.4 * Math.min(...s.size) : s.size[0]);
      }
    }
  }
  least.sort((a, b) => a - b);
  const typical = least.length > 0 ? 0.75 * least[least.length >> 2] : 0.011 * extent;
  return Math.min(Math.max(typical, 0.0008 * extent), 0.014 * extent);
}

export function drawingOf(model: Model, extent: number): Drawing {
  const builder = new Builder(model, thickness(model, extent));
  builder.shapes();
  builder.automatic();
  builder.joints();
  builder.frameAxes();
  const { parts, cords, planes, notes, unit } = builder;
  return { parts, cords, planes, notes, unit };
}
