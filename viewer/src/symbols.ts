// SPDX-License-Identifier: Apache-2.0
// Joints, ground, closures, springs and drives: what src/output/symbols*.c describes, made of a few solids.
// Lengths are sums p u + m: p pixels that stay as large on the screen, m metres of the mechanism.
import {
  BoxGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, GreaterDepth, Group, InstancedBufferAttribute, InstancedMesh,
  MeshStandardMaterial, SphereGeometry, TorusGeometry, type BufferGeometry,
} from "three";
import type { Glyph, GlyphPart, Model, Symbol, SymbolTie, Tint } from "./data";
import { multiply, POSE, poseOf, setQuaternion, type Motion } from "./kinematics";

type Solid = GlyphPart["solid"];

export const tints: Record<Tint, [string, string]> = { // on light, on dark
  joint: ["#39434f", "#b9c3cf"],
  line: ["#7b8794", "#8e9aa8"],
  inside: ["#ffffff", "#12161c"],
  ground: ["#5d6772", "#9aa5b1"],
  closure: ["#c4536a", "#ff8fa3"],
  drive: ["#c9752a", "#f0a35c"],
  limit: ["#9150ab", "#cf9be6"],
  spring: ["#3f7d93", "#7fc0d8"],
};

const RING_WIRE = 0.5; // of the ring's radius 1, before it is scaled
const TURN_SEGMENTS = 10; // of one turn of a coil
const DASHES = 11;

/** One instance: a part of a symbol, or a piece of a tie. What pick() finds. */
export interface Mark {
  name: string;
  body: number;
  tint: Tint;
}

interface Fixed extends Mark {
  symbol: number;
  turn: Float64Array; // 3 x 3
  at: [number, number, number];
  atM: [number, number, number];
  size: [number, number, number];
  sizeM: [number, number, number];
}

export interface MarkBatch {
  mesh: InstancedMesh;
  parts: Mark[];
}

/** How many metres a pixel covers at a place. */
export interface Lens {
  pixel(x: number, y: number, z: number): number;
  axes: ArrayLike<number>; // 3 x 3 by rows: columns are right, up and back of the camera
}

function geometryOf(solid: Solid): BufferGeometry {
  switch (solid) {
    case "box": return new BoxGeometry(1, 1, 1);
    case "sphere": return new SphereGeometry(1, 16, 12);
    case "cylinder": return new CylinderGeometry(1, 1, 1, 20).rotateX(Math.PI / 2);
    case "cone": return new ConeGeometry(1, 1, 20).rotateX(Math.PI / 2);
    case "ring": return new TorusGeometry(1, RING_WIRE, 10, 44);
  }
}

/** A ring's wire has a thickness of its own: the share of its radius is a number of each instance. */
function thinRing(material: MeshStandardMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute float wire;\n${shader.vertexShader}`.replace("#include <begin_vertex>",
      `vec3 middle = vec3(normalize(position.xy), 0.0);
       vec3 transformed = middle + (position - middle) * (wire / ${RING_WIRE.toFixed(2)});`);
  };
}

function nameOf(item: { name?: string; kind?: string }, word: string): string {
  return item.name ? `${item.name} · ${item.kind}` : word;
}

/** The instances of one solid, and the same seen through what is before them. */
class Stock {
  readonly mesh: InstancedMesh;
  readonly behind: InstancedMesh;
  readonly wire?: InstancedBufferAttribute;

  constructor(solid: Solid, most: number, readonly parts: Mark[], group: Group) {
    const geometry = geometryOf(solid);
    const solidMaterial = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 });
    const faint = new MeshStandardMaterial({ roughness: 0.8, transparent: true, opacity: 0.42, depthFunc: GreaterDepth, depthWrite: false });
    if (solid === "ring") {
      this.wire = new InstancedBufferAttribute(new Float32Array(Math.max(1, most)), 1).setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
      geometry.setAttribute("wire", this.wire);
      [solidMaterial, faint].forEach(thinRing);
    }
    this.mesh = new InstancedMesh(geometry, solidMaterial, Math.max(1, most));
    this.behind = new InstancedMesh(geometry, faint, Math.max(1, most));
    this.behind.instanceMatrix = this.mesh.instanceMatrix;
    this.behind.renderOrder = 3;
    for (const mesh of [this.mesh, this.behind]) {
      mesh.frustumCulled = false;
      mesh.count = most;
    }
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    (this.mesh.instanceMatrix.array as Float32Array).forEach((_v, i, a) => (a[i] = i % 16 === 15 ? 1 : 0));
    group.add(this.mesh, this.behind);
  }

  paint(dark: boolean, colors?: (mark: Mark) => string | undefined): void {
    const color = new Color();
    this.parts.forEach((p, i) => this.mesh.setColorAt(i, color.set(colors?.(p) ?? tints[p.tint][dark ? 1 : 0])));
    this.behind.instanceColor = this.mesh.instanceColor;
    if (this.mesh.instanceColor) {
      this.mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Columns a, b, c and the place of instance i. */
  set(i: number, m: Float64Array): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const o = 16 * i;
    for (let r = 0; r < 3; r++) {
      out[o + r] = m[3 * r];
      out[o + 4 + r] = m[3 * r + 1];
      out[o + 8 + r] = m[3 * r + 2];
      out[o + 12 + r] = m[9 + r];
    }
  }

  done(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.wire) {
      this.wire.needsUpdate = true;
    }
  }
}

const NONE: [number, number, number] = [0, 0, 0];

/** Symbols of joints and elements, of the first motion. */
export class SymbolView {
  readonly group = new Group();
  readonly batches: MarkBatch[] = [];
  private readonly stocks: Stock[] = [];
  private readonly fixed: Fixed[][] = [];
  private readonly locals: Float64Array[];
  private readonly world = new Float64Array(POSE);
  private readonly out = new Float64Array(POSE);

  constructor(private readonly model: Model, private readonly motion: Motion) {
    const { list, glyphs } = model.symbols;
    this.locals = list.map((s) => poseOf([...(s.at ?? NONE), ...(s.turn ?? [1, 0, 0, 0])] as Parameters<typeof poseOf>[0]));
    const bySolid = new Map<Solid, Fixed[]>();
    list.forEach((s, i) => {
      for (const part of glyphs[s.glyph].parts) {
        const of = bySolid.get(part.solid) ?? [];
        of.push(this.fix(s, i, part, glyphs[s.glyph]));
        bySolid.set(part.solid, of);
      }
    });
    for (const [solid, parts] of bySolid) {
      const stock = new Stock(solid, parts.length, parts, this.group);
      this.stocks.push(stock);
      this.fixed.push(parts);
      this.batches.push({ mesh: stock.mesh, parts });
    }
  }

  private fix(s: Symbol, symbol: number, part: GlyphPart, glyph: Glyph): Fixed {
    const turn = new Float64Array(9);
    const [w, x, y, z] = part.turn ?? [1, 0, 0, 0];
    setQuaternion(turn, 0, w, x, y, z);
    return {
      name: nameOf(s, glyph.word), body: s.body, tint: part.tint, symbol, turn,
      at: part.at ?? NONE, atM: part.atM ?? NONE, size: part.size ?? NONE, sizeM: part.sizeM ?? NONE,
    };
  }

  paint(dark: boolean): void {
    this.stocks.forEach((s) => s.paint(dark));
  }

  move(lens: Lens): void {
    const { list, pixels } = this.model.symbols;
    const { world: W, out } = this;
    this.stocks.forEach((stock, k) => {
      let last = -1;
      let u = 0;
      this.fixed[k].forEach((f, i) => {
        const s = list[f.symbol];
        if (f.symbol !== last) { // parts of one symbol stand one behind another
          multiply(this.motion.poses, s.body * POSE, this.locals[f.symbol], 0, W, 0);
          if (s.faces) {
            for (let j = 0; j < 9; j++) {
              W[j] = lens.axes[j];
            }
          }
          u = Math.min(lens.pixel(W[9], W[10], W[11]), s.room / pixels);
          last = f.symbol;
        }
        const x = f.at[0] * u + f.atM[0];
        const y = f.at[1] * u + f.atM[1];
        const z = f.at[2] * u + f.atM[2];
        const ring = stock.wire !== undefined;
        const a = f.size[0] * u + f.sizeM[0];
        const b = ring ? a : f.size[1] * u + f.sizeM[1];
        const c = ring ? a : f.size[2] * u + f.sizeM[2];
        const T = f.turn;
        for (let r = 0; r < 3; r++) {
          const p = W[3 * r];
          const q = W[3 * r + 1];
          const w = W[3 * r + 2];
          out[3 * r] = a * (p * T[0] + q * T[3] + w * T[6]);
          out[3 * r + 1] = b * (p * T[1] + q * T[4] + w * T[7]);
          out[3 * r + 2] = c * (p * T[2] + q * T[5] + w * T[8]);
          out[9 + r] = p * x + q * y + w * z + W[9 + r];
        }
        stock.set(i, out);
        if (stock.wire) {
          (stock.wire.array as Float32Array)[i] = (f.size[1] * u + f.sizeM[1]) / a;
        }
      });
      stock.done();
    });
  }

  /** Places of the symbols in the world, for a box around them. */
  places(take: (x: number, y: number, z: number) => void): void {
    this.model.symbols.list.forEach((s, i) => {
      multiply(this.motion.poses, s.body * POSE, this.locals[i], 0, this.world, 0);
      take(this.world[9], this.world[10], this.world[11]);
    });
  }
}

const tieTints: Record<SymbolTie["draw"], Tint> = { cord: "joint", coil: "spring", dashpot: "spring", ram: "drive", dashes: "line", ground: "ground" };

/** How many pieces a tie is made of. */
function piecesOf(tie: SymbolTie, turns: number, segments: number): number {
  switch (tie.draw) {
    case "coil": return turns * segments + 2;
    case "dashpot": return 4;
    case "ram": return 2;
    case "dashes": return DASHES;
    default: return 1;
  }
}

/** Turns of a coil of that length at rest, wound with that radius. */
function turnsOf(length: number, radius: number): number {
  return length > 0 ? Math.min(14, Math.max(4, Math.round(length / (2.6 * radius)))) : 7;
}

/** What stretches between two points: wires, springs, dampers, of one motion. */
export class TieView {
  readonly group = new Group();
  readonly batches: MarkBatch[] = [];
  private readonly stock?: Stock;
  private readonly first: number[] = [];
  private readonly turns: number[] = [];
  private readonly segments: number;
  private readonly ends = [new Float64Array(3), new Float64Array(3)];
  private readonly axes = new Float64Array(9); // by rows: along, and two across
  private readonly out = new Float64Array(POSE);

  /** color: of the motion, where several are overlaid */
  constructor(private readonly model: Model, private readonly motion: Motion, private readonly color?: string) {
    const { ties, thick } = model.symbols;
    const coils = ties.filter((t) => t.draw === "coil").length;
    this.segments = coils > 200 ? 5 : TURN_SEGMENTS;
    const marks: Mark[] = [];
    for (const tie of ties) {
      const turns = turnsOf(tie.length ?? 0, 4 * thick);
      this.turns.push(turns);
      this.first.push(marks.length);
      const mark = { name: nameOf(tie, tie.kind), body: tie.bodies[1], tint: tieTints[tie.draw] };
      for (let k = piecesOf(tie, turns, this.segments); k > 0; k--) {
        marks.push(mark);
      }
    }
    if (marks.length > 0) {
      this.stock = new Stock("cylinder", marks.length, marks, this.group);
      this.batches.push({ mesh: this.stock.mesh, parts: marks });
    }
  }

  paint(dark: boolean): void {
    this.stock?.paint(dark, () => this.color);
  }

  private place(body: number, at: [number, number, number], out: Float64Array): void {
    const P = this.motion.poses;
    const o = body * POSE;
    for (let r = 0; r < 3; r++) {
      out[r] = P[o + 3 * r] * at[0] + P[o + 3 * r + 1] * at[1] + P[o + 3 * r + 2] * at[2] + P[o + 9 + r];
    }
  }

  /** A piece from one share of the way to another, beside it by so much. */
  private piece(i: number, s0: number, s1: number, radius: number, x0 = 0, y0 = 0, x1 = 0, y1 = 0): void {
    const [a, b] = this.ends;
    const { axes: A, out } = this;
    let n = 0;
    for (let r = 0; r < 3; r++) {
      const p = a[r] + s0 * (b[r] - a[r]) + x0 * A[3 + r] + y0 * A[6 + r];
      const q = a[r] + s1 * (b[r] - a[r]) + x1 * A[3 + r] + y1 * A[6 + r];
      out[3 * r + 2] = q - p;
      out[9 + r] = (p + q) / 2;
      n += (q - p) ** 2;
    }
    n = Math.sqrt(n) || 1;
    // two directions across: from that of the three axes which is least along it
    const z = [out[2] / n, out[5] / n, out[8] / n];
    const k = Math.abs(z[0]) < 0.6 ? 0 : Math.abs(z[1]) < 0.6 ? 1 : 2;
    const e = [0, 0, 0];
    e[k] = 1;
    const y = [z[1] * e[2] - z[2] * e[1], z[2] * e[0] - z[0] * e[2], z[0] * e[1] - z[1] * e[0]];
    const m = Math.hypot(y[0], y[1], y[2]) || 1;
    for (let r = 0; r < 3; r++) {
      out[3 * r + 1] = (radius * y[r]) / m;
    }
    out[0] = (radius * (y[1] * z[2] - y[2] * z[1])) / m;
    out[3] = (radius * (y[2] * z[0] - y[0] * z[2])) / m;
    out[6] = (radius * (y[0] * z[1] - y[1] * z[0])) / m;
    this.stock!.set(i, out);
  }

  /** Directions across the tie, which do not jump while it swings slowly. */
  private setAxes(): number {
    const [a, b] = this.ends;
    const A = this.axes;
    let n = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    const length = n;
    n = n || 1;
    for (let r = 0; r < 3; r++) {
      A[r] = (b[r] - a[r]) / n;
    }
    const y = Math.abs(A[1]) < 0.9;
    const cross = y ? [-A[2], 0, A[0]] : [0, A[2], -A[1]];
    const m = Math.hypot(cross[0], cross[1], cross[2]) || 1;
    for (let r = 0; r < 3; r++) {
      A[3 + r] = cross[r] / m;
    }
    A[6] = A[1] * A[5] - A[2] * A[4];
    A[7] = A[2] * A[3] - A[0] * A[5];
    A[8] = A[0] * A[4] - A[1] * A[3];
    return length;
  }

  private coil(i: number, turns: number, u: number, length: number): void {
    const t = this.model.symbols.thick;
    const wire = 1.1 * u + 0.1 * t;
    const radius = Math.min(5 * u + 1.6 * t, 0.3 * length + wire);
    const end = 0.07;
    const n = turns * this.segments;
    this.piece(i, 0, end, wire, 0, 0, radius, 0);
    for (let k = 0; k < n; k++) {
      const s = end + ((1 - 2 * end) * k) / n;
      const s1 = end + ((1 - 2 * end) * (k + 1)) / n;
      const a = (2 * Math.PI * k) / this.segments;
      const b = (2 * Math.PI * (k + 1)) / this.segments;
      this.piece(i + 1 + k, s, s1, wire, radius * Math.cos(a), radius * Math.sin(a), radius * Math.cos(b), radius * Math.sin(b));
    }
    this.piece(i + 1 + n, 1 - end, 1, wire, radius, 0, 0, 0);
  }

  move(lens: Lens): void {
    if (!this.stock) {
      return;
    }
    const t = this.model.symbols.thick;
    this.model.symbols.ties.forEach((tie, k) => {
      this.place(tie.bodies[0], tie.from ?? NONE, this.ends[0]);
      this.place(tie.bodies[1], tie.to ?? NONE, this.ends[1]);
      const [a, b] = this.ends;
      const length = this.setAxes();
      const u = lens.pixel((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
      const i = this.first[k];
      if (tie.draw === "coil") {
        this.coil(i, this.turns[k], Math.min(u, length / 20), length);
      } else if (tie.draw === "dashpot") { // a cup, the rod that ends in it
        this.piece(i, 0, 0.35, 1.1 * u);
        this.piece(i + 1, 0.35, 0.7, 5 * u + 1.2 * t);
        this.piece(i + 2, 0.7, 1, 1.6 * u);
        this.piece(i + 3, 0.69, 0.71, 6 * u + 1.4 * t);
      } else if (tie.draw === "ram") {
        this.piece(i, 0, 0.55, 4 * u + 1.1 * t);
        this.piece(i + 1, 0.55, 1, 1.8 * u + 0.4 * t);
      } else if (tie.draw === "dashes") {
        for (let d = 0; d < DASHES; d++) {
          this.piece(i + d, d / DASHES, (d + 0.55) / DASHES, 0.8 * u);
        }
      } else {
        this.piece(i, 0, 1, (tie.draw === "cord" ? 1.5 : 0.9) * u);
      }
    });
    this.stock.done();
  }
}
