// SPDX-License-Identifier: Apache-2.0
// Which way is down: an arrow along gravity, with its letter; and whether there is a floor to draw.
import { type Camera, CanvasTexture, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3 } from "three";

const COLOR = "#8a6d3b";

/** Is gravity straight along the axis that the view calls down? Then a level floor is one that things would fall on. */
export function fallsStraight(gravity: Vector3, up: Vector3): boolean {
  const g = gravity.length();
  return g > 0 && -gravity.dot(up) > (1 - 1e-6) * g;
}

const ARROW = 64; // [px]
const LEFT = 44; // from the edge to it [px]: above the compass, below what names the runs
const BELOW = 0.3; // of the height, to its tail

function letter(): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d")!;
  context.font = "italic 600 52px Georgia, serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = COLOR;
  context.fillText("g", 32, 28);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  return new Sprite(new SpriteMaterial({ map, depthTest: false, depthWrite: false }));
}

/** An arrow along gravity at the left of the picture, as large on the screen wherever one looks from. */
export class GravityArrow {
  readonly group = new Group();
  private readonly name = letter();
  private readonly place = new Vector3();
  private readonly right = new Vector3();

  constructor(gravity: Vector3) {
    const material = new MeshBasicMaterial({ color: COLOR, depthTest: false, transparent: true });
    const shaft = new Mesh(new CylinderGeometry(0.02, 0.02, 0.75, 12), material);
    const tip = new Mesh(new ConeGeometry(0.08, 0.25, 20), material);
    shaft.position.y = 0.375;
    tip.position.y = 0.875;
    this.name.scale.setScalar(0.4);
    this.group.add(shaft, tip, this.name);
    this.group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), gravity.clone().normalize());
    this.group.name = "gravity";
    this.group.traverse((part) => (part.renderOrder = 10));
  }

  /** To its place, as deep as the target of the camera, whose matrices are of now. */
  move(camera: Camera, target: Vector3, pixel: number, width: number): void {
    const length = ARROW * pixel;
    const { z } = this.place.copy(target).project(camera);
    this.place.set((2 * LEFT) / width - 1, 1 - 2 * BELOW, z).unproject(camera);
    this.group.position.copy(this.place);
    this.group.scale.setScalar(length);
    this.right.setFromMatrixColumn(camera.matrixWorld, 0).applyQuaternion(this.group.quaternion.clone().invert());
    this.name.position.set(0, 0.4, 0).addScaledVector(this.right, 0.28);
  }
}
