// SPDX-License-Identifier: Apache-2.0
// Forces as arrows with a scale of their own, and centres of mass. Reactions are what the joint's carrier does to the body
// behind it (columns R.JOINT.fx .. fz, in the axes of the frame that it carries), springs pull at both ends, weights act at centres of mass.
import { Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry } from "three";
import { valueAt, type Column, type Model, type Run } from "./data";
import { POSE, poseOf, type Motion } from "./kinematics";
import type { Lens } from "./symbols";

const USUAL = 0.22; // length of an arrow, of the mechanism's extent, of a force that is usual
const MOST = 2; // times that length, at most
const SETS = 60; // times that are looked at for what is usual

const colors = { reaction: "#8456c9", spring: "#2f8aa3", weight: "#4b8f3f" };

interface Reaction {
  body: number;
  local: Float64Array; // of the joint's frame in the body
  columns: [Column, Column, Column];
}

interface Centre {
  body: number;
  mass: number;
  at: Vector3;
}

/** Centres of mass of the bodies, in their axes. */
function centresOf(model: Model): Centre[] {
  const sum = new Map<number, Centre>();
  for (const bar of model.symbols.bars) {
    if (bar.mass === undefined) {
      continue;
    }
    const { body } = model.frames[bar.frame];
    const centre = sum.get(body) ?? { body, mass: 0, at: new Vector3() };
    centre.mass += bar.mass;
    centre.at.addScaledVector(new Vector3(...(bar.from ?? [0, 0, 0])), bar.mass);
    sum.set(body, centre);
  }
  return [...sum.values()].map((c) => ({ ...c, at: c.at.divideScalar(c.mass) }));
}

function reactionsOf(model: Model, run: Run): Reaction[] {
  return model.joints.flatMap((joint) => {
    const columns = ["fx", "fy", "fz"].map((part) => run.byName.get(`R.${joint.name}.${part}`));
    return columns.every((c) => c !== undefined) && joint.last > 0 ? [{ body: joint.last, local: poseOf(model.frames[joint.frame].X), columns: columns as Reaction["columns"] }] : [];
  });
}

export class ForceView {
  readonly group = new Group(); // arrows
  readonly centres = new Group(); // of mass
  readonly scale: number; // metres of an arrow for each N
  private readonly reactions: Reaction[];
  private readonly masses: Centre[];
  private readonly gravity: Vector3;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly balls: InstancedMesh;
  private readonly most: number; // length of an arrow [m]
  private count = 0;

  constructor(private readonly model: Model, private readonly motion: Motion, private readonly run: Run, extent: number) {
    this.reactions = reactionsOf(model, run);
    this.masses = centresOf(model);
    this.gravity = new Vector3(...model.gravity);
    this.most = MOST * USUAL * extent;
    this.scale = (USUAL * extent) / this.usual();
    const n = this.reactions.length + this.masses.length + 2 * model.symbols.ties.length;
    const make = (geometry: BufferGeometry, count: number, group: Group) => {
      const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.4, depthTest: false, transparent: true, opacity: 0.92 }), Math.max(1, count));
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 9;
      mesh.count = 0;
      group.add(mesh);
      return mesh;
    };
    this.shafts = make(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), n, this.group);
    this.heads = make(new ConeGeometry(1, 1, 14).translate(0, -0.5, 0), n, this.group);
    this.balls = make(new SphereGeometry(1, 20, 14), this.masses.length + 1, this.centres);
    this.balls.material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 });
  }

  get any(): boolean {
    return this.reactions.length > 0 || this.masses.length > 0 || this.model.symbols.ties.some((t) => t.stiffness);
  }

  /** What nine of ten of the largest forces stay below, and no less than the weight of all. */
  private usual(): number {
    const { times } = this.run;
    const largest: number[] = [];
    for (let k = 0; k < SETS && times.length > 0; k++) {
      const t = (times[times.length - 1] * k) / SETS;
      let size = 0;
      for (const r of this.reactions) {
        const f = Math.hypot(...r.columns.map((c) => valueAt(this.run, c, t)));
        size = Number.isFinite(f) ? Math.max(size, f) : size;
      }
      largest.push(size);
    }
    largest.sort((a, b) => a - b);
    return Math.max(largest[Math.floor(0.9 * (largest.length - 1))] ?? 0, this.model.mass * this.gravity.length()) || 1;
  }

  private readonly place = new Vector3();
  private readonly force = new Vector3();
  private readonly tip = new Vector3();
  private readonly turn = new Quaternion();
  private readonly matrix = new Matrix4();
  private readonly sizes = new Vector3();
  private readonly color = new Color();

  /** The force at the place, as the next arrow. */
  private arrow(kind: keyof typeof colors, u: number): void {
    const { place, force } = this;
    const size = force.length();
    if (!(size * this.scale > 1e-4 * this.most)) {
      return; // nothing to see, or not a number
    }
    const length = Math.min(size * this.scale, this.most);
    const thick = 1.6 * u;
    const head = Math.min(9 * u, length);
    this.turn.setFromUnitVectors(new Vector3(0, 1, 0), force.divideScalar(size));
    this.tip.copy(place).addScaledVector(force, length);
    this.shafts.setMatrixAt(this.count, this.matrix.compose(place, this.turn, this.sizes.set(thick, Math.max(length - head, 1e-9), thick)));
    this.heads.setMatrixAt(this.count, this.matrix.compose(this.tip, this.turn, this.sizes.set(0.42 * head, head, 0.42 * head)));
    this.color.set(colors[kind]);
    this.shafts.setColorAt(this.count, this.color);
    this.heads.setColorAt(this.count, this.color);
    this.count++;
  }

  private toWorld(body: number, x: number, y: number, z: number, out: Vector3, turn: boolean): Vector3 {
    const P = this.motion.poses;
    const o = body * POSE;
    const row = (r: number) => P[o + 3 * r] * x + P[o + 3 * r + 1] * y + P[o + 3 * r + 2] * z + (turn ? 0 : P[o + 9 + r]);
    return out.set(row(0), row(1), row(2));
  }

  move(t: number, lens: Lens): void {
    const pixel = (p: Vector3) => lens.pixel(p.x, p.y, p.z);
    this.count = 0;
    for (const { body, columns, local: L } of this.reactions) {
      this.toWorld(body, L[9], L[10], L[11], this.place, false);
      const [x, y, z] = columns.map((c) => valueAt(this.run, c, t));
      this.toWorld(body, L[0] * x + L[1] * y + L[2] * z, L[3] * x + L[4] * y + L[5] * z, L[6] * x + L[7] * y + L[8] * z, this.force, true);
      this.arrow("reaction", pixel(this.place));
    }
    for (const tie of this.model.symbols.ties) {
      if (tie.stiffness) {
        this.spring(tie.bodies, tie.from, tie.to, tie.stiffness, tie.length ?? 0, pixel);
      }
    }
    for (const { body, mass, at } of this.masses) {
      this.toWorld(body, at.x, at.y, at.z, this.place, false);
      this.force.copy(this.gravity).multiplyScalar(mass);
      this.arrow("weight", pixel(this.place));
    }
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
    }
  }

  /** A spring pulls both its ends toward one another by k (length - at rest). */
  private spring(bodies: [number, number], from: number[] = [0, 0, 0], to: number[] = [0, 0, 0], k: number, rest: number, pixel: (p: Vector3) => number): void {
    const a = this.toWorld(bodies[0], from[0], from[1], from[2], new Vector3(), false);
    const b = this.toWorld(bodies[1], to[0], to[1], to[2], new Vector3(), false);
    const length = a.distanceTo(b);
    for (const [here, there] of [[a, b], [b, a]]) {
      this.place.copy(here);
      this.force.copy(there).sub(here).multiplyScalar(length > 0 ? (k * (length - rest)) / length : 0);
      this.arrow("spring", pixel(here));
    }
  }

  /** Balls at the centres of the bodies' masses, and a larger one at that of all. */
  moveCentres(lens: Lens): void {
    const all = this.tip.set(0, 0, 0);
    const none = this.turn.identity();
    let mass = 0;
    const put = (i: number, p: Vector3, pixels: number, color: string) => {
      const r = pixels * lens.pixel(p.x, p.y, p.z);
      this.balls.setMatrixAt(i, this.matrix.compose(p, none, this.sizes.set(r, r, r)));
      this.balls.setColorAt(i, this.color.set(color));
    };
    this.masses.forEach((m, i) => {
      this.toWorld(m.body, m.at.x, m.at.y, m.at.z, this.place, false);
      put(i, this.place, 3, "#e0a020");
      if (m.body > 0) {
        all.addScaledVector(this.place, m.mass);
        mass += m.mass;
      }
    });
    if (mass > 0) {
      put(this.masses.length, all.divideScalar(mass), 6, "#d03050");
    }
    this.balls.count = this.masses.length + (mass > 0 ? 1 : 0);
    this.balls.instanceMatrix.needsUpdate = true;
    if (this.balls.instanceColor) {
      this.balls.instanceColor.needsUpdate = true;
    }
  }
}

/** A round force, for a bar of about so many pixels that each cover so many metres: N, and its text. */
export function roundForce(about: number): [number, string] {
  const decade = 10 ** Math.floor(Math.log10(about));
  const part = about / decade;
  const force = decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  const [unit, factor] = force >= 1e6 ? ["MN", 1e-6] : force >= 1000 ? ["kN", 1e-3] : force >= 1 ? ["N", 1] : force >= 1e-3 ? ["mN", 1000] : ["µN", 1e6];
  return [force, `${Number((force * factor).toPrecision(3))} ${unit}`];
}
