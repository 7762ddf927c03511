// SPDX-License-Identifier: Apache-2.0
// Which way is down: an arrow along gravity, with its letter; and whether there is a floor to draw.
import { CanvasTexture, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, Sprite, SpriteMaterial, Vector3 } from "three";

const COLOR = "#8a6d3b";

/** Is gravity straight along the axis that the view calls down? Then a level floor is one that things would fall on. */
export function fallsStraight(gravity: Vector3, up: Vector3): boolean {
  const g = gravity.length();
  return g > 0 && -gravity.dot(up) > (1 - 1e-6) * g;
}

function letter(size: number): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d")!;
  context.font = "italic 600 52px Georgia, serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = COLOR;
  context.fillText("g", 32, 28);
  const sprite = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthWrite: false }));
  sprite.scale.setScalar(size);
  return sprite;
}

/** An arrow of this length from `from`, along gravity. */
export function gravityArrow(gravity: Vector3, from: Vector3, length: number): Group {
  const group = new Group();
  const material = new MeshBasicMaterial({ color: COLOR });
  const shaft = new Mesh(new CylinderGeometry(0.02 * length, 0.02 * length, 0.75 * length, 12), material);
  const tip = new Mesh(new ConeGeometry(0.07 * length, 0.25 * length, 20), material);
  shaft.position.y = 0.375 * length;
  tip.position.y = 0.875 * length;
  const name = letter(0.4 * length);
  name.position.set(0, 0.4 * length, 0).x = 0.28 * length;
  group.add(shaft, tip, name);
  group.position.copy(from);
  group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), gravity.clone().normalize()));
  group.name = "gravity";
  return group;
}
