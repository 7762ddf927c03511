// SPDX-License-Identifier: Apache-2.0
// What is laid over the 3-D view on demand: the outline of a selected body, names, earlier and later poses.
import { BackSide, BoxGeometry, BufferAttribute, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Vector2, Vector3, type BufferGeometry, type Camera } from "three";
import type { Model } from "./data";
import { h, shorten } from "./dom";
import type { Part } from "./draw";
import { POSE, type Motion } from "./kinematics";
import type { Batch, Overlay } from "./scene";

const LABELS = 80; // names at one time
const GHOSTS = 8; // poses over the run
const GHOST_PARTS = 20000;
const OUTLINE_PX = 3;

/** The pose of a part: that of its body times its own. */
function placePart(part: Part, P: Float64Array, out: Matrix4): Matrix4 {
  const L = part.local;
  const o = part.body * POSE;
  const at = (r: number, a: number, b: number, c: number) => P[o + 3 * r] * L[a] + P[o + 3 * r + 1] * L[b] + P[o + 3 * r + 2] * L[c];
  return out.set(
    at(0, 0, 3, 6), at(0, 1, 4, 7), at(0, 2, 5, 8), at(0, 9, 10, 11) + P[o + 9],
    at(1, 0, 3, 6), at(1, 1, 4, 7), at(1, 2, 5, 8), at(1, 9, 10, 11) + P[o + 10],
    at(2, 0, 3, 6), at(2, 1, 4, 7), at(2, 2, 5, 8), at(2, 9, 10, 11) + P[o + 11],
    0, 0, 0, 1);
}

/** Directions away from the middle, the same at all vertices of one place, so that a hull has no gaps. */
function outward(geometry: BufferGeometry): BufferGeometry {
  const made = geometry.clone();
  const place = made.getAttribute("position");
  const box = geometry instanceof BoxGeometry;
  const out = new Float32Array(3 * place.count);
  for (let i = 0; i < place.count; i++) {
    const v = new Vector3(place.getX(i), place.getY(i), place.getZ(i));
    v.set(box ? Math.sign(v.x) : v.x, box ? Math.sign(v.y) : v.y, box ? Math.sign(v.z) : v.z).normalize().toArray(out, 3 * i);
  }
  made.setAttribute("outward", new BufferAttribute(out, 3));
  return made;
}

/** The back of a body, some pixels larger than it: seen around it alone. */
function hullMaterial(color: string, size: Vector2): MeshBasicMaterial {
  const material = new MeshBasicMaterial({ color, side: BackSide });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.size = { value: size };
    shader.vertexShader = `attribute vec3 outward;\nuniform vec2 size;\n${shader.vertexShader}`.replace("#include <project_vertex>",
      `#include <project_vertex>
      mat3 turn = mat3(normalize(instanceMatrix[0].xyz), normalize(instanceMatrix[1].xyz), normalize(instanceMatrix[2].xyz));
      vec4 way = projectionMatrix * modelViewMatrix * vec4(turn * outward, 0.0);
      vec2 flat_way = way.xy * size;
      if (dot(flat_way, flat_way) > 0.0) gl_Position.xy += ${(2 * OUTLINE_PX).toFixed(1)} * normalize(flat_way) / size * gl_Position.w;`);
  };
  return material;
}

/** The outline of one body. */
export class Outline implements Overlay {
  readonly group = new Group();
  private meshes: { mesh: InstancedMesh; parts: Part[] }[] = [];
  private readonly material: MeshBasicMaterial;
  private readonly matrix = new Matrix4();

  constructor(
    private readonly motion: Motion,
    private readonly batches: Batch[],
    size: Vector2, // of the canvas, as it is from now on [px]
  ) {
    this.material = hullMaterial("#ff9d2e", size);
  }

  /** bodies: those that are outlined; none: nothing */
  set(bodies: Set<number>): void {
    this.meshes.forEach(({ mesh }) => {
      mesh.geometry.dispose();
      this.group.remove(mesh);
    });
    this.meshes = [];
    for (const batch of this.batches.filter((b) => b.motion === this.motion && b.parts[0].layer === "body")) {
      const parts = batch.parts.filter((p) => bodies.has(p.body));
      if (parts.length > 0) {
        const mesh = new InstancedMesh(outward(batch.mesh.geometry), this.material, parts.length);
        mesh.frustumCulled = false;
        this.group.add(mesh);
        this.meshes.push({ mesh, parts });
      }
    }
  }

  moveTo(): void {
    for (const { mesh, parts } of this.meshes) {
      parts.forEach((p, i) => mesh.setMatrixAt(i, placePart(p, this.motion.poses, this.matrix)));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Poses at even times over a range, faint. */
export class Ghosts implements Overlay {
  readonly group = new Group();

  constructor(
    private readonly motion: Motion,
    private readonly batches: Batch[],
  ) {}

  /** low, high: from when to when; NaN: none */
  set(low: number, high: number): void {
    this.group.children.slice().forEach((o) => {
      (o as InstancedMesh).dispose(); // its geometry is the bodies' own
      this.group.remove(o);
    });
    if (Number.isNaN(low)) {
      return;
    }
    const own = this.batches.filter((b) => b.motion === this.motion && b.parts[0].layer === "body");
    const all = own.reduce((n, b) => n + b.parts.length, 0);
    const count = Math.max(1, Math.min(GHOSTS, Math.floor(GHOST_PARTS / Math.max(1, all))));
    const meshes = own.map((b) => {
      const material = new MeshStandardMaterial({ roughness: 0.9, transparent: true, opacity: 0.16, depthWrite: false });
      const mesh = new InstancedMesh(b.mesh.geometry, material, b.parts.length * count);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    });
    const matrix = new Matrix4();
    for (let k = 0; k < count; k++) {
      this.motion.moveTo(low + ((high - low) * k) / Math.max(1, count - 1));
      own.forEach((b, m) => b.parts.forEach((p, i) => {
        meshes[m].setMatrixAt(k * b.parts.length + i, placePart(p, this.motion.poses, matrix));
        const color = meshes[m].material as MeshStandardMaterial;
        b.mesh.getColorAt(i, color.color);
        meshes[m].setColorAt(k * b.parts.length + i, color.color);
      }));
    }
    meshes.forEach((m) => (m.material as MeshStandardMaterial).color.set("#ffffff"));
  }

  moveTo(): void {}
}

/** Names of joints beside them; of many those that find room. */
export class Labels implements Overlay {
  readonly root = h("div", { class: "labels", "aria-hidden": "true" });
  private readonly spans: HTMLElement[];
  shown = false;

  constructor(
    private readonly model: Model,
    private readonly motion: Motion,
    private readonly camera: () => Camera,
    private readonly size: Vector2, // of the canvas [px]
  ) {
    this.spans = model.joints.slice(0, 2000).map((j) => h("span", {}, shorten(j.name, 24)));
  }

  show(on: boolean): void {
    this.shown = on;
    if (!on) {
      this.root.replaceChildren();
    }
  }

  moveTo(): void {
    if (!this.shown) {
      return;
    }
    const { x: width, y: height } = this.size;
    const place = new Vector3();
    const taken = new Set<string>();
    const seen: HTMLElement[] = [];
    for (let j = 0; j < this.spans.length && seen.length < LABELS; j++) {
      place.fromArray(this.motion.poses, this.model.joints[j].last * POSE + 9).project(this.camera());
      const [x, y] = [((place.x + 1) * width) / 2, ((1 - place.y) * height) / 2];
      const cell = `${Math.round(x / 56)} ${Math.round(y / 16)}`;
      if (place.z < 1 && x > 0 && x < width && y > 0 && y < height && !taken.has(cell)) {
        taken.add(cell);
        this.spans[j].style.transform = `translate(${(x + 8).toFixed(1)}px, ${(y - 18).toFixed(1)}px)`;
        seen.push(this.spans[j]);
      }
    }
    if (seen.length !== this.root.childElementCount || seen.some((s, i) => this.root.children[i] !== s)) {
      this.root.replaceChildren(...seen);
    }
  }
}
