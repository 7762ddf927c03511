// SPDX-License-Identifier: Apache-2.0
// Forces as arrows and torques as arcs, with scales of their own, and centres of mass. What acts where, and which columns tell
// its size, src/output/symbols_arrow.c describes; weights act at centres of mass.
import { Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry } from "three";
import { valueAt, type Arrow, type Column, type Maker, type Model, type Run } from "./data";
import { POSE, type Motion } from "./kinematics";
import type { Lens } from "./symbols";

const USUAL = 0.22; // length of an arrow, of the mechanism's extent, of a force that is usual
const MOST = 2; // times that length, at most
const MOST_ARC = (11 / 6) * Math.PI; // of an arc, whose half turn is the scale
const ARC = 24; // pieces of an arc
const RADIUS = [27, 9]; // of the innermost arc, and of each further one [px]

const colors: Record<Maker | "weight", string> = { joint: "#8456c9", spring: "#2f8aa3", cord: "#b8447e", drive: "#d07a1c", load: "#cf3b3b", weight: "#4b8f3f" };

const words: Record<Maker | "weight", string> = { joint: "joints", spring: "springs, dampers", cord: "wires, ropes", drive: "drives", load: "loads", weight: "weights" };

const UP = new Vector3(0, 1, 0); // of the solids that arrows are made of
const ORIGIN: [number, number, number] = [0, 0, 0];

/** An arrow with its columns, and the turn of their axes in the body's. */
interface Told {
  arrow: Arrow;
  columns: Column[];
  turn: Quaternion;
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

function toldBy(model: Model, run: Run): Told[] {
  return model.symbols.arrows.flatMap((arrow) => {
    const columns = arrow.columns.map((name) => run.byName.get(name));
    const [w, x, y, z] = arrow.turn ?? [1, 0, 0, 0];
    return columns.every((c) => c !== undefined) ? [{ arrow, columns: columns as Column[], turn: new Quaternion(x, y, z, w) }] : [];
  });
}

export class ForceView {
  readonly group = new Group(); // arrows
  readonly centres = new Group(); // of mass
  readonly scale: number; // metres of an arrow for each N
  readonly halfTurn: number; // of arcs [N m], 0: there are none
  private readonly told: Told[];
  private readonly masses: Centre[];
  private readonly gravity: Vector3;
  private readonly up: Vector3;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly arcs: InstancedMesh;
  private readonly balls: InstancedMesh;
  readonly most: number; // length of an arrow [m]
  private count = { shafts: 0, heads: 0, arcs: 0 };

  constructor(model: Model, private readonly motion: Motion, private readonly run: Run, extent: number) {
    this.told = toldBy(model, run);
    this.masses = centresOf(model);
    this.gravity = new Vector3(...model.gravity);
    this.up = this.gravity.length() > 0 ? this.gravity.clone().normalize().negate() : new Vector3(0, 0, 1);
    this.most = MOST * USUAL * extent;
    this.scale = (USUAL * extent) / (model.symbols.force || 1);
    const torques = this.told.filter(({ arrow }) => arrow.draw === "torque").length;
    this.halfTurn = torques > 0 ? model.symbols.torque : 0;
    const n = 2 * this.told.length + this.masses.length;
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
    this.arcs = make(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), ARC * torques, this.group);
    this.balls = make(new SphereGeometry(1, 20, 14), this.masses.length + 1, this.centres);
    this.balls.material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 });
  }

  /** What makes the forces that there are: its word and colour. */
  get makers(): [string, string][] {
    const list = (Object.keys(words) as (Maker | "weight")[]).filter((m) => (m === "weight" ? this.masses.length > 0 && this.gravity.length() > 0 : this.told.some(({ arrow }) => arrow.of === m)));
    return list.map((m) => [words[m], colors[m]]);
  }

  private readonly place = new Vector3();
  private readonly force = new Vector3();
  private readonly tip = new Vector3();
  private readonly turn = new Quaternion();
  private readonly matrix = new Matrix4();
  private readonly sizes = new Vector3();
  private readonly color = new Color();

  /** The next instance of a mesh: from a point along a unit vector, so long and thick. */
  private put(of: "shafts" | "heads" | "arcs", at: Vector3, along: Vector3, length: number, thick: number, maker: keyof typeof colors): void {
    const i = this.count[of]++;
    this.turn.setFromUnitVectors(UP, along);
    this[of].setMatrixAt(i, this.matrix.compose(at, this.turn, this.sizes.set(thick, length, thick)));
    this[of].setColorAt(i, this.color.set(colors[maker]));
  }

  /** The force at the place, as the next arrow. */
  private straight(maker: keyof typeof colors, u: number): void {
    const { place, force } = this;
    const size = force.length();
    if (!(size * this.scale > 1e-4 * this.most)) {
      return; // nothing to see, or not a number
    }
    const length = Math.min(size * this.scale, this.most);
    const head = Math.min(9 * u, length);
    force.divideScalar(size);
    this.put("shafts", place, force, Math.max(length - head, 1e-9), 1.6 * u, maker);
    this.put("heads", this.tip.copy(place).addScaledVector(force, length), force, head, 0.42 * head, maker);
  }

  /** The torque about the place, as the next arc: from above against gravity round its direction, by the right hand. */
  private arc(maker: keyof typeof colors, ring: number, u: number): void {
    const { place, force } = this;
    const size = force.length();
    const angle = Math.min((Math.PI * size) / this.halfTurn, MOST_ARC);
    if (!(angle > 1e-3)) {
      return;
    }
    force.divideScalar(size);
    const x = this.up.clone().addScaledVector(force, -this.up.dot(force));
    if (x.length() < 0.05) {
      x.set(1, 0, 0).addScaledVector(force, -force.x);
    }
    x.normalize();
    const y = new Vector3().crossVectors(force, x);
    const radius = (RADIUS[0] + RADIUS[1] * ring) * u;
    const head = Math.min(9 * u, 0.8 * radius * angle);
    const point = (phi: number, out: Vector3) => out.copy(place).addScaledVector(x, radius * Math.cos(phi)).addScaledVector(y, radius * Math.sin(phi));
    const end = angle - (0.8 * head) / radius;
    const from = point(0, new Vector3());
    const step = new Vector3();
    for (let k = 1; k <= ARC; k++) {
      step.copy(point((end * k) / ARC, this.tip)).sub(from);
      const length = step.length();
      this.put("arcs", from, step.divideScalar(length), 1.05 * length, 1.5 * u, maker);
      from.copy(this.tip);
    }
    step.copy(point(angle, this.tip)).sub(from).normalize();
    this.put("heads", this.tip, step, head, 0.42 * head, maker);
  }

  private toWorld(body: number, x: number, y: number, z: number, out: Vector3, turn: boolean): Vector3 {
    const P = this.motion.poses;
    const o = body * POSE;
    const row = (r: number) => P[o + 3 * r] * x + P[o + 3 * r + 1] * y + P[o + 3 * r + 2] * z + (turn ? 0 : P[o + 9 + r]);
    return out.set(row(0), row(1), row(2));
  }

  move(t: number, lens: Lens): void {
    const pixel = (p: Vector3) => lens.pixel(p.x, p.y, p.z);
    this.count = { shafts: 0, heads: 0, arcs: 0 };
    for (const { arrow, columns, turn } of this.told) {
      const values = columns.map((c) => valueAt(this.run, c, t));
      this.toWorld(arrow.body, ...(arrow.at ?? ORIGIN), this.place, false);
      if (arrow.draw === "pull") {
        this.pull(arrow, values[0], pixel);
        continue;
      }
      this.force.set(0, 0, values[0]);
      if (values.length === 3) {
        this.force.set(values[0], values[1], values[2]);
      }
      if (!arrow.world) {
        const { x, y, z } = this.force.applyQuaternion(turn);
        this.toWorld(arrow.body, x, y, z, this.force, true);
      }
      if (arrow.draw === "torque") {
        this.arc(arrow.of, arrow.ring ?? 0, pixel(this.place));
      } else {
        this.straight(arrow.of, pixel(this.place));
      }
    }
    for (const { body, mass, at } of this.masses) {
      this.toWorld(body, at.x, at.y, at.z, this.place, false);
      this.force.copy(this.gravity).multiplyScalar(mass);
      this.straight("weight", pixel(this.place));
    }
    for (const of of ["shafts", "heads", "arcs"] as const) {
      const mesh = this[of];
      mesh.count = this.count[of];
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
    }
  }

  /** Both ends are drawn toward one another by so much, or pushed apart. */
  private pull(arrow: Arrow, size: number, pixel: (p: Vector3) => number): void {
    const a = this.place.clone();
    const b = this.toWorld(arrow.other!, ...(arrow.to ?? ORIGIN), new Vector3(), false);
    const length = a.distanceTo(b);
    for (const [here, there] of [[a, b], [b, a]]) {
      this.place.copy(here);
      this.force.copy(there).sub(here).multiplyScalar(length > 0 ? size / length : 0);
      this.straight(arrow.of, pixel(here));
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

/** A force as text, in a unit that suits it. */
export function forceText(force: number): string {
  const [unit, factor] = force >= 1e6 ? ["MN", 1e-6] : force >= 1000 ? ["kN", 1e-3] : force >= 1 ? ["N", 1] : force >= 1e-3 ? ["mN", 1000] : ["µN", 1e6];
  return `${Number((force * factor).toPrecision(3))} ${unit}`;
}

/** A round force, for a bar of about so many pixels that each cover so many metres. */
export function roundForce(about: number): number {
  const decade = 10 ** Math.floor(Math.log10(about));
  const part = about / decade;
  return decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}
