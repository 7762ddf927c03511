// SPDX-License-Identifier: Apache-2.0
// What to draw of bodies: simple solids. Shapes of the file where a body has some; elsewhere its
// skeleton, bars and a ball for each mass (symbols.bars). Frames as three axes. Joints: symbols.ts.
import type { Frame, Model, Shape } from "./data";
import { multiply, POSE, poseOf } from "./kinematics";

/** A mesh is one by its number among the model's. */
export type Solid = "box" | "sphere" | "cylinder" | number;
export type Layer = "body" | "skeleton" | "frame";

/** A unit solid (edge 1, as the box around a mesh; radius 1; radius and height 1 along z), scaled and placed in a body. */
export interface Part {
  solid: Solid;
  layer: Layer;
  body: number;
  local: Float64Array; // pose whose rotation is scaled by columns
  color: string;
  name: string;
}

/** A half-space that solids lie on: z <= 0 of a pose in a body. */
export interface Plane {
  body: number;
  local: Float64Array;
  color: string;
}

export interface Drawing {
  parts: Part[];
  planes: Plane[];
  notes: string[];
  unit: number; // thickness of a bar [m]
}

// calm colours that tell neighbours apart, on light and on dark
const palette = ["#5b8fb9", "#d98e5f", "#6aa58c", "#b97a95", "#c2a84e", "#7f86c4", "#8d9aa8", "#a3785a"];
const axisColors = ["#d9534f", "#4caf6d", "#4a84e0"];
const skeletonColor = "#2f3a46";

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
  readonly planes: Plane[] = [];
  readonly notes: string[] = [];
  private readonly shaped: boolean[];
  readonly unit: number;

  constructor(private readonly model: Model) {
    this.unit = model.symbols.thick;
    this.shaped = model.bodies.map(() => false);
    model.frames.forEach((f) => {
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

  /** Bars and balls: what a body without shapes is, and what those with shapes stand for. */
  skeletons(): void {
    const { frames, mass, symbols } = this.model;
    for (const bar of symbols.bars) {
      const f = frames[bar.frame];
      const shaped = this.shaped[f.body];
      const layer = shaped ? "skeleton" : "body";
      const color = shaped ? skeletonColor : this.bodyColor(f.body, f);
      const name = f.name || this.bodyName(f.body);
      const from = bar.from ?? [0, 0, 0];
      if (bar.mass !== undefined) {
        const r = (shaped ? 0.6 : 1) * (this.unit + symbols.ball * Math.cbrt(mass > 0 ? bar.mass / mass : 0));
        this.add("sphere", layer, f.body, scaled(poseOf([from[0], from[1], from[2], 1, 0, 0, 0]), r, r, r), color, name);
      } else {
        const [pose, length] = between(from, bar.to ?? [0, 0, 0]);
        const r = shaped ? 0.5 * this.unit : this.unit;
        this.add("cylinder", layer, f.body, scaled(pose, r, r, length), color, name);
      }
    }
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

export function drawingOf(model: Model): Drawing {
  const builder = new Builder(model);
  builder.shapes();
  builder.skeletons();
  builder.frameAxes();
  const { parts, planes, notes, unit } = builder;
  return { parts, planes, notes, unit };
}

/** Boxes around cams and toothed wheels, which are symbols and yet as large as in the world. */
export function boxesOf({ symbols }: Model): Pick<Part, "solid" | "body" | "local">[] {
  return symbols.list.filter((s) => ["cam", "wheel"].includes(symbols.glyphs[s.glyph].word)).map(({ glyph, body }) => {
    const places = symbols.glyphs[glyph].parts.map((p) => p.atM ?? [0, 0, 0]);
    const [low, high] = [Math.min, Math.max].map((f) => [0, 1, 2].map((k) => f(...places.map((p) => p[k]))));
    const [x, y, z] = [0, 1, 2].map((k) => high[k] - low[k]);
    return { solid: "box", body, local: Float64Array.of(x, 0, 0, 0, y, 0, 0, 0, z, ...low.map((l, k) => (l + high[k]) / 2)) };
  });
}
