// SPDX-License-Identifier: Apache-2.0
// The floor: a grid at round places of the world that fades out, a shadow on it, and numbers along two of its lines.
import {
  BufferAttribute, BufferGeometry, type Camera, CanvasTexture, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry,
  Quaternion, ShadowMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3,
} from "three";
import { roundLength } from "./camera";

const HALF = 14; // cells from the middle to where the grid has faded
const APART = 84; // from a number to the next, at least [px]
const [WIDE, HIGH] = [84, 16]; // of a number's picture [px]
const SHARP = 2; // its pixels for each pixel of the page
const COMPASS = [250, 96]; // what it takes of the lower left corner [px]
const BUTTONS = [290, 48]; // and these of the lower right
const FLAT = 0.15; // a mechanism that is thinner, of its size, lies in a plane, across which nothing is to be read
const MOST = 9; // numbers along a line
const axes = ["x", "y", "z"] as const;
const inks = [["#9c3530", "#2e6b45", "#2f559e"], ["#eda19c", "#97cfaa", "#9dbdf2"]]; // of their numbers; on dark

/** What a grid is laid on: a level at a height along `up`, and the box of what stands on it. */
export interface Floor {
  up: Vector3; // along an axis of the world
  level: number; // [m] along that axis
  low: Vector3;
  high: Vector3;
  extent: number; // size of the mechanism [m]
}

/** How the picture is seen. pixel: metres that one of the page's pixels covers, at a depth before the camera. */
export interface Sight {
  camera: Camera;
  target: Vector3;
  width: number;
  height: number;
  pixel(depth: number): number;
}

interface Mark {
  value: number; // [m]
  place: Vector3;
  at: [number, number]; // on the page [px]
}

function gridOf(cell: number): LineSegments {
  const lines: number[] = [];
  const rgba: number[] = [];
  const put = (x: number, y: number) => {
    lines.push(x * cell, y * cell, 0);
    rgba.push(0.5, 0.56, 0.64, 0.3 * Math.max(0, 1 - Math.hypot(x, y) / HALF) ** 1.3);
  };
  for (let i = -HALF; i <= HALF; i++) {
    for (let j = -HALF; j < HALF; j++) {
      put(i, j), put(i, j + 1);
      put(j, i), put(j + 1, i);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(lines), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(rgba), 4));
  return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}

/** 1, 2 or 5 of a power of ten, not less than 1. */
function roundUp(n: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(1, n)));
  return decade * [1, 2, 5, 10].find((k) => k * decade >= n * (1 - 1e-9))!;
}

function pictureOf(text: string, ink: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = SHARP * WIDE;
  canvas.height = SHARP * HIGH;
  const context = canvas.getContext("2d")!;
  context.font = `500 ${SHARP * 12}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = ink;
  context.fillText(text, canvas.width / 2, canvas.height / 2);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  return map;
}

export class Ground {
  readonly group = new Group();
  readonly cell: number; // of the grid [m]
  private readonly shadow = new ShadowMaterial({ opacity: 0.16, depthWrite: false });
  private readonly flat = new Group(); // the grid and the shadow
  private readonly numbers = new Group();
  private readonly materials = new Map<string, SpriteMaterial>();
  private readonly across: number[]; // the two axes of the world that lie in the floor
  private readonly normal: number;
  private dark = false;

  constructor(private readonly floor: Floor) {
    const { up, level, low, high, extent } = floor;
    this.cell = roundLength(extent / 7);
    this.normal = axes.findIndex((a) => Math.abs(up[a]) > 0.5);
    this.across = [0, 1, 2].filter((k) => k !== this.normal);
    const middle = low.clone().add(high).multiplyScalar(0.5);
    this.across.forEach((k) => middle.setComponent(k, this.cell * Math.round(middle.getComponent(k) / this.cell))); // lines at round places
    middle.setComponent(this.normal, level);

    const plane = new Mesh(new PlaneGeometry(3.2 * extent, 3.2 * extent), this.shadow);
    plane.position.z = -1e-3 * extent;
    plane.receiveShadow = true;
    const { flat } = this;
    flat.position.copy(middle);
    flat.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up));
    flat.add(plane, gridOf(this.cell));
    this.numbers.name = "numbers";
    this.group.add(flat, this.numbers);
  }

  theme(dark: boolean): void {
    this.shadow.opacity = dark ? 0.4 : 0.16;
    this.dark = dark;
    this.materials.clear();
  }

  private materialOf(text: string, axis: number): SpriteMaterial {
    const key = `${axes[axis]} ${text}`;
    let material = this.materials.get(key);
    if (!material) {
      material = new SpriteMaterial({ map: pictureOf(text, inks[this.dark ? 1 : 0][axis]), depthWrite: false });
      this.materials.set(key, material);
    }
    return material;
  }

  /** Places along axis k at each multiple of the step, on a side of the mechanism: -1 or 1 along the other axis. */
  private lineOf(k: number, step: number, side: number): [number, Vector3][] {
    const { low, high, level } = this.floor;
    const other = this.across[0] === k ? this.across[1] : this.across[0];
    const edge = side * this.cell * Math.ceil((side * (side > 0 ? high : low).getComponent(other)) / this.cell + 0.25);
    const first = Math.floor(low.getComponent(k) / step);
    const count = Math.min(Math.ceil(high.getComponent(k) / step) - first + 1, MOST);
    return Array.from({ length: count }, (_v, i) => [(first + i) * step,
      new Vector3().setComponent(this.normal, level).setComponent(other, edge).setComponent(k, (first + i) * step)]);
  }

  /** Those of a line that are seen, and have room beside what is taken: places on the page. */
  private roomFor(line: [number, Vector3][], { camera, width, height }: Sight, taken: [number, number][]): Mark[] {
    const found: Mark[] = [];
    for (const [value, place] of line) {
      const there = place.clone().project(camera);
      const [x, y] = [((there.x + 1) * width) / 2, ((1 - there.y) * height) / 2 + HIGH];
      const corner = (x < COMPASS[0] && y > height - COMPASS[1]) || (x > width - BUTTONS[0] && y > height - BUTTONS[1]);
      const free = [...taken, ...found.map((m) => m.at)].every(([a, b]) => Math.abs(a - x) > 0.8 * WIDE || Math.abs(b - y) > 1.2 * HIGH);
      if (Math.abs(there.z) < 1 && x > WIDE / 2 && x < width - WIDE / 2 && y > 0 && y < height - HIGH / 2 && !corner && free) {
        found.push({ value, place, at: [x, y] });
      }
    }
    return found;
  }

  /** Of a mechanism that travels and is followed: the grid comes with it, by whole cells. */
  private moveGrid(target: Vector3): void {
    for (const k of this.across) {
      const cells = (target.getComponent(k) - this.flat.position.getComponent(k)) / this.cell;
      if (Math.abs(cells) > HALF / 4) {
        this.flat.position.setComponent(k, this.flat.position.getComponent(k) + this.cell * Math.round(cells));
      }
    }
  }

  /** Numbers to their places, before the mechanism where two of them are seen there, else behind it. */
  move(sight: Sight): void {
    const { camera, target } = sight;
    if (!this.group.visible) {
      return;
    }
    this.moveGrid(target);
    const { low, high } = this.floor;
    const toEye = camera.position.clone().multiplyScalar(2).sub(low).sub(high);
    const step = this.cell * roundUp((APART * sight.pixel(camera.position.distanceTo(target))) / this.cell);
    const taken: [number, number][] = [];
    let used = 0;
    for (const k of this.across.filter((a) => high.getComponent(a) - low.getComponent(a) > FLAT * this.floor.extent)) {
      const near = toEye.getComponent(this.across[0] === k ? this.across[1] : this.across[0]) >= 0 ? 1 : -1;
      const [before, behind] = [near, -near].map((side) => this.roomFor(this.lineOf(k, step, side), sight, taken));
      const marks = before.length > 1 || before.length >= behind.length ? before : behind;
      const named = marks.length > 0 && marks[0].at[1] > marks[marks.length - 1].at[1] ? 0 : marks.length - 1; // the end in front
      marks.forEach((m, i) => {
        const number = String(Number(m.value.toPrecision(6))).replace("-", "−");
        this.put(used++, i === named ? `${axes[k]} = ${number} m` : number, k, m.place, sight);
        taken.push(m.at);
      });
    }
    this.numbers.children.forEach((s, i) => (s.visible = i < used));
  }

  private put(i: number, text: string, axis: number, place: Vector3, { camera, pixel }: Sight): void {
    if (i === this.numbers.children.length) {
      const sprite = new Sprite();
      sprite.center.set(0.5, 1.2); // it hangs below its place
      this.numbers.add(sprite);
    }
    const sprite = this.numbers.children[i] as Sprite;
    const size = pixel(-place.clone().applyMatrix4(camera.matrixWorldInverse).z);
    sprite.material = this.materialOf(text, axis);
    sprite.position.copy(place);
    sprite.scale.set(WIDE * size, HIGH * size, 1);
    sprite.name = text;
  }
}
