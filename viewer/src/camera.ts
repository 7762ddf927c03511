// SPDX-License-Identifier: Apache-2.0
// The camera: perspective or parallel, zoom to the cursor, views along the axes; what tells where one looks from
// and how large things are.
import { MathUtils, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { h } from "./dom";
import { forceText, roundForce } from "./forces";

const FOV = 32; // degrees
const NARROW = "(max-width: 900px)"; // where the page is one column, which a finger scrolls

/** Views along the axes of the world, and from a corner, as directions to look from. up: against gravity. */
export type Preset = "front" | "right" | "top" | "corner";

/** Across up: the side that a mechanism is looked at from. */
export function frontOf(up: Vector3): Vector3 {
  return Math.abs(up.y) > 0.5 || Math.abs(up.x) > 0.5 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
}

export class Rig {
  readonly controls: OrbitControls;
  private readonly perspective: PerspectiveCamera;
  private readonly parallel = new OrthographicCamera();
  private flat = false;
  private aspect = 1;
  private height = 1; // of the canvas [px]

  constructor(canvas: HTMLCanvasElement, private readonly extent: number, readonly up: Vector3, private readonly changed: () => void) {
    this.perspective = new PerspectiveCamera(FOV, 1, extent / 200, extent * 400);
    this.perspective.up.copy(up);
    this.parallel.up.copy(up);
    this.controls = new OrbitControls(this.perspective, canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, zoomToCursor: true, maxDistance: 200 * extent, minDistance: 1e-3 * extent });
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", changed);
    canvas.style.touchAction = matchMedia(NARROW).matches ? "pan-y" : "none";
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.flat ? this.parallel : this.perspective;
  }

  get parallelOn(): boolean {
    return this.flat;
  }

  /** The same picture of the plane through the target, seen the other way. */
  setParallel(on: boolean): void {
    if (on === this.flat) {
      return;
    }
    const from = this.camera;
    const offset = from.position.clone().sub(this.controls.target);
    const shown = this.shownHeight();
    this.flat = on;
    const to = this.camera;
    if (!on) {
      offset.setLength(shown / (2 * Math.tan(MathUtils.degToRad(FOV) / 2)));
    }
    to.position.copy(this.controls.target).add(offset);
    if (on) {
      this.parallel.zoom = 1;
      this.setFrame(shown);
    }
    this.controls.object = to;
    this.controls.update();
    this.changed();
  }

  /** Metres from the lower to the upper edge, in the plane through the target. */
  shownHeight(): number {
    return this.flat
      ? (this.parallel.top - this.parallel.bottom) / this.parallel.zoom
      : 2 * Math.tan(MathUtils.degToRad(FOV) / 2) * this.perspective.position.distanceTo(this.controls.target);
  }

  private setFrame(height: number): void {
    const half = height / 2;
    Object.assign(this.parallel, { top: half, bottom: -half, left: -half * this.aspect, right: half * this.aspect, near: -200 * this.extent, far: 400 * this.extent });
    this.parallel.updateProjectionMatrix();
  }

  resize(width: number, height: number): void {
    this.aspect = width / height;
    this.height = height;
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    this.setFrame(this.parallel.top - this.parallel.bottom || 1);
  }

  /** Frames a box from a direction, as near as all its corners allow. */
  fit(low: Vector3, high: Vector3, back: Vector3): void {
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const helper = Math.abs(back.dot(this.up)) > 0.999 ? frontOf(this.up).negate() : this.up;
    const right = helper.clone().cross(back).normalize();
    const top = back.clone().cross(right);
    const tanV = Math.tan(MathUtils.degToRad(FOV) / 2);
    const tanH = tanV * this.aspect;
    let distance = 0.6 * this.extent;
    for (let k = 0; k < 8; k++) {
      const c = new Vector3(k & 1 ? low.x : high.x, k & 2 ? low.y : high.y, k & 4 ? low.z : high.z).sub(middle);
      const need = Math.max(Math.abs(c.dot(right)) / tanH, Math.abs(c.dot(top)) / tanV);
      distance = Math.max(distance, c.dot(back) + 1.16 * need);
    }
    this.controls.target.copy(middle);
    this.perspective.position.copy(middle).addScaledVector(back, distance);
    this.parallel.position.copy(this.perspective.position);
    this.parallel.zoom = 1;
    this.setFrame(2 * tanV * distance);
    this.controls.update();
    this.changed();
  }

  /** From a side, as far away as now. */
  look(preset: Preset): void {
    const front = frontOf(this.up);
    const right = this.up.clone().cross(front);
    const tilt = 1e-4; // so that seen from straight above the turn about the vertical is defined
    const back = { front, right, top: this.up.clone().addScaledVector(front, tilt), corner: front.clone().addScaledVector(right, 0.85).addScaledVector(this.up, 0.5) }[preset].normalize();
    this.lookFrom(back);
  }

  /** From a direction of length 1. */
  lookFrom(back: Vector3): void {
    const { camera, controls } = this;
    const distance = camera.position.distanceTo(controls.target);
    camera.position.copy(controls.target).addScaledVector(back, distance);
    controls.update();
    this.changed();
  }

  move(step: Vector3): void {
    this.perspective.position.add(step);
    this.parallel.position.add(step);
    this.controls.target.add(step);
  }

  /** Turns by angles about the vertical and the horizontal, for keys. */
  turn(around: number, over: number): void {
    const { camera, controls } = this;
    const offset = camera.position.clone().sub(controls.target);
    const right = this.up.clone().cross(offset).normalize();
    const now = offset.angleTo(this.up);
    offset.applyAxisAngle(right, MathUtils.clamp(now + over, 0.02, Math.PI - 0.02) - now);
    offset.applyAxisAngle(this.up, around);
    camera.position.copy(controls.target).add(offset);
    controls.update();
    this.changed();
  }

  zoom(by: number): void {
    const { controls } = this;
    if (this.flat) {
      this.parallel.zoom *= by;
      this.parallel.updateProjectionMatrix();
    } else {
      this.perspective.position.sub(controls.target).divideScalar(by).add(controls.target);
    }
    controls.update();
    this.changed();
  }

  /** Metres that a pixel covers at a depth before the camera. */
  pixelAt(depth: number): number {
    return this.flat ? this.shownHeight() / this.height : (2 * Math.tan(MathUtils.degToRad(FOV) / 2) * Math.max(depth, this.perspective.near)) / this.height;
  }
}

/** A round length of about so many metres: 1, 2 or 5 of a power of ten. */
export function roundLength(about: number): number {
  const decade = 10 ** Math.floor(Math.log10(about));
  const part = about / decade;
  return decade * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

export function lengthText(metres: number): string {
  const [unit, factor] = metres >= 1000 ? ["km", 1e-3] : metres >= 1 ? ["m", 1] : metres >= 0.01 ? ["cm", 100] : metres >= 0.001 ? ["mm", 1000] : ["µm", 1e6];
  return `${Number((metres * factor).toPrecision(3))} ${unit}`;
}

const SVG = "http://www.w3.org/2000/svg";
const axisColors = ["var(--axis-x)", "var(--axis-y)", "var(--axis-z)"];

/** The axes of the world in a corner, which are also buttons, and a bar of a round length. */
export class Compass {
  readonly root: HTMLElement;
  private readonly lines: SVGLineElement[] = [];
  private readonly dots: SVGGElement[] = [];
  private readonly bar = h("i", {});
  private readonly text = h("span", {});
  private readonly forceBar = h("b", {});
  private readonly forceText = h("span", { class: "force" });
  private readonly torqueText = h("em", { class: "torque" });
  private readonly key = h("ul", { class: "makers" }); // whose forces have which colour
  private shown = "";

  constructor(private readonly rig: Rig, cell: number | undefined) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "-34 -34 68 68");
    svg.setAttribute("aria-hidden", "true");
    ["x", "y", "z"].forEach((name, k) => {
      const line = document.createElementNS(SVG, "line");
      line.setAttribute("stroke", axisColors[k]);
      const dot = document.createElementNS(SVG, "g");
      const circle = document.createElementNS(SVG, "circle");
      circle.setAttribute("r", "7.5");
      circle.setAttribute("fill", axisColors[k]);
      const text = document.createElementNS(SVG, "text");
      text.textContent = name;
      dot.append(circle, text);
      dot.addEventListener("click", () => this.along(k));
      svg.append(line, dot);
      this.lines.push(line);
      this.dots.push(dot);
    });
    const grid = cell === undefined ? null : h("small", {}, `grid ${lengthText(cell)}`);
    this.root = h("div", { class: "compass" }, svg as unknown as HTMLElement, h("div", { class: "scale", "aria-hidden": "true" }, this.key, this.torqueText, this.forceBar, this.forceText, this.bar, this.text, grid));
  }

  /** Whose forces have which colour. */
  name(makers: [string, string][]): void {
    this.key.replaceChildren(...makers.map(([word, color]) => h("li", { style: `--tint: ${color}` }, word)));
  }

  /** Looks along an axis of the world, from its far end. */
  private along(axis: number): void {
    const back = new Vector3().setComponent(axis, 1);
    if (Math.abs(back.dot(this.rig.up)) > 0.99) {
      this.rig.look("top");
      return;
    }
    this.rig.lookFrom(back);
  }

  /** axes: of the camera in the world, by rows; force: metres of an arrow for each N, 0: none are shown; all: not those of contacts alone; halfTurn: N m of an arc of half a turn, 0: there are none. */
  move(axes: ArrayLike<number>, force: number, all: boolean, halfTurn: number): void {
    const metres = this.rig.pixelAt(this.rig.camera.position.distanceTo(this.rig.controls.target));
    const length = roundLength(90 * metres);
    const state = `${Array.from({ length: 9 }, (_v, i) => axes[i].toFixed(3))} ${length} ${(length / metres).toFixed(1)} ${force} ${all}`;
    if (state === this.shown) {
      return;
    }
    this.shown = state;
    for (let k = 0; k < 3; k++) {
      const x = 24 * axes[3 * k];
      const y = -24 * axes[3 * k + 1];
      this.lines[k].setAttribute("x2", x.toFixed(1));
      this.lines[k].setAttribute("y2", y.toFixed(1));
      this.dots[k].setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      this.dots[k].setAttribute("opacity", axes[3 * k + 2] < -0.2 ? "0.55" : "1");
    }
    this.bar.style.width = `${(length / metres).toFixed(1)}px`;
    this.text.textContent = lengthText(length);
    this.key.hidden = !all;
    this.forceBar.hidden = this.forceText.hidden = force === 0;
    if (force > 0) {
      const size = roundForce((90 * metres) / force);
      this.forceBar.style.width = `${((size * force) / metres).toFixed(1)}px`;
      this.forceText.textContent = forceText(size);
    }
    this.torqueText.hidden = !all || halfTurn === 0;
    this.torqueText.textContent = `half a turn: ${forceText(halfTurn)} m`;
  }
}
