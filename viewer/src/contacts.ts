// SPDX-License-Identifier: Apache-2.0
// Contacts in the 3-D view: a ball where something touches, and an arrow for the force on the first
// of the two (not the world): blue where it sticks, orange where it slides.
import { Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry } from "three";
import { locate, type Places } from "./data";

export const stateColors = ["#8a939e", "#2f7de0", "#e07a1f"]; // open, sticks, slides

export class ContactArrows {
  readonly group = new Group();
  private readonly balls: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private shown = -1;

  /** unit: thickness of a bar [m]; scale: length of an arrow for each N, longest: of any [m], as other forces have it */
  constructor(
    private readonly places: Places,
    private readonly extent: number,
    private readonly unit: number,
    private readonly scale: number,
    private readonly longest: number,
  ) {
    let most = 0;
    for (let k = 0; k < places.times.length; k++) {
      most = Math.max(most, places.first[k + 1] - places.first[k]);
    }
    const make = (geometry: BufferGeometry) => {
      const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.4, depthTest: false, transparent: true, opacity: 0.92 }), Math.max(1, most));
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 10; // in front: what touches is hidden otherwise
      mesh.count = 0;
      this.group.add(mesh);
      return mesh;
    };
    this.balls = make(new SphereGeometry(1, 12, 8));
    this.shafts = make(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0)); // along y, from the origin
    this.heads = make(new ConeGeometry(1, 1, 12).translate(0, -0.5, 0)); // its tip at the origin
  }

  /** The set of the last row up to t. */
  private at(t: number): number {
    const { times } = this.places;
    const [i, s] = locate(times, t);
    return s > 1 - 1e-6 ? i + 1 : i;
  }

  moveTo(t: number): void {
    const k = this.at(t);
    if (k === this.shown) {
      return;
    }
    this.shown = k;
    const { first, vectors, states } = this.places;
    const begin = first[k] ?? 0;
    const count = (first[k + 1] ?? 0) - begin;
    const thick = Math.max(0.55 * this.unit, 0.004 * this.extent);
    const place = new Vector3();
    const force = new Vector3();
    const tip = new Vector3();
    const turn = new Quaternion();
    const y = new Vector3(0, 1, 0);
    const matrix = new Matrix4();
    const color = new Color();
    for (let n = 0; n < count; n++) {
      place.fromArray(vectors, 6 * (begin + n));
      force.fromArray(vectors, 6 * (begin + n) + 3);
      const length = Math.min(force.length() * this.scale, this.longest);
      const head = Math.min(5 * thick, length);
      turn.setFromUnitVectors(y, force.lengthSq() > 0 ? force.normalize() : y);
      tip.copy(place).addScaledVector(force, length);
      this.balls.setMatrixAt(n, matrix.compose(place, turn, new Vector3(1.6 * thick, 1.6 * thick, 1.6 * thick)));
      this.shafts.setMatrixAt(n, matrix.compose(place, turn, new Vector3(thick, Math.max(length - head, 1e-9), thick)));
      this.heads.setMatrixAt(n, matrix.compose(tip, turn, new Vector3(0.45 * head, head, 0.45 * head)));
      color.set(stateColors[states[begin + n] & 3]);
      [this.balls, this.shafts, this.heads].forEach((m) => m.setColorAt(n, color));
    }
    for (const mesh of [this.balls, this.shafts, this.heads]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
    }
  }
}
