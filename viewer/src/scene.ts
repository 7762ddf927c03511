// SPDX-License-Identifier: Apache-2.0
// The 3-D view: solids as instances, so that a thousand bodies are a handful of draw calls.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight,
  DoubleSide, DynamicDrawUsage, Group, HemisphereLight, InstancedMesh, Line, Matrix4, Mesh,
  MeshStandardMaterial, type Object3D, PCFShadowMap, PlaneGeometry, Raycaster, Scene,
  SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { decode, type MeshFile, type Model, type Run } from "./data";
import { Compass, frontOf, Rig, type Preset } from "./camera";
import { ContactArrows } from "./contacts";
import { boxesOf, drawingOf, type Drawing, type Layer, type Part, type Plane, type Solid } from "./draw";
import { fallsStraight, GravityArrow } from "./gravity";
import { Ground } from "./ground";
import { ForceView } from "./forces";
import { Motion, multiply, POSE } from "./kinematics";
import { SymbolView, TieView, type Lens } from "./symbols";
import { heightOf, Tracks } from "./tracks";

const SYMBOL_SCALE = 1.2; // CSS pixels that a pixel of a symbol is

export interface Batch {
  mesh: InstancedMesh;
  parts: Part[];
  motion: Motion;
}

/** What the pointer is on. */
export interface Picked {
  name: string;
  body?: number; // symbols and ties may have none
}

/** What is laid over the bodies, moved with them before each frame is drawn. */
export interface Overlay {
  moveTo(t: number): void;
}

interface Bounds {
  low: Vector3;
  high: Vector3;
}

/** Triangles in a box of edge 1 around the origin. */
function meshGeometry(file: MeshFile): BufferGeometry {
  const vertices = new Uint16Array(decode(file.vertices!));
  const place = Float32Array.from(vertices, (v) => v / 65535 - 0.5);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(place, 3));
  geometry.setIndex(new BufferAttribute(new Uint16Array(decode(file.faces!)), 1));
  return geometry;
}

function geometryOf(solid: Solid, model: Model): BufferGeometry {
  if (typeof solid === "number") {
    return meshGeometry(model.meshes![solid]);
  }
  if (solid === "box") {
    return new BoxGeometry(1, 1, 1);
  }
  return solid === "sphere" ? new SphereGeometry(1, 24, 16) : new CylinderGeometry(1, 1, 1, 40).rotateX(Math.PI / 2);
}

type Extended = Pick<Part, "solid" | "body" | "local">;

/** Box around all frames and solids at the motions' current poses. */
function grow(bounds: Bounds, motions: Motion[], parts: Extended[]): void {
  const place: [number, number, number] = [0, 0, 0];
  const take = (half: number[]) => {
    for (const side of [-1, 1]) {
      const corner = new Vector3(place[0] + side * half[0], place[1] + side * half[1], place[2] + side * half[2]);
      if (Number.isFinite(corner.length())) {
        bounds.low.min(corner);
        bounds.high.max(corner);
      }
    }
  };
  for (const motion of motions) {
    for (let f = 0; f < motion.model.frames.length; f++) {
      motion.framePlace(f, place);
      take([0, 0, 0]);
    }
    const out = new Float64Array(POSE);
    for (const part of parts) {
      multiply(motion.poses, part.body * POSE, part.local, 0, out, 0);
      const unit = part.solid === "box" || typeof part.solid === "number" ? [0.5, 0.5, 0.5] : part.solid === "sphere" ? [1, 1, 1] : [1, 1, 0.5];
      place[0] = out[9];
      place[1] = out[10];
      place[2] = out[11];
      take([0, 3, 6].map((r) => Math.abs(out[r]) * unit[0] + Math.abs(out[r + 1]) * unit[1] + Math.abs(out[r + 2]) * unit[2]));
    }
  }
}

function emptyBounds(): Bounds {
  return { low: new Vector3(Infinity, Infinity, Infinity), high: new Vector3(-Infinity, -Infinity, -Infinity) };
}

/** What can be shown or hidden. */
export type Shown = Layer | "joint" | "contact" | "force" | "centre";

export class View {
  readonly motions: Motion[];
  readonly drawing: Drawing;
  readonly travels: boolean; // it leaves the place it starts at: better followed
  private readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly overlays: Overlay[] = [];
  readonly rig: Rig;
  private readonly compass: Compass;
  readonly forces: ForceView;
  readonly batches: Batch[] = [];
  private readonly symbols: SymbolView;
  private readonly ties: TieView[];
  private readonly layers: Record<Shown, Group> = { body: new Group(), skeleton: new Group(), joint: new Group(), frame: new Group(), contact: new Group(), force: new Group(), centre: new Group() };
  private arrows: ContactArrows[] = [];
  private readonly tracks: Tracks[];
  private gravity?: GravityArrow;
  private readonly slabs: { holder: Group; plane: Plane; place: Matrix4 }[] = [];
  private readonly up = new Vector3(0, 0, 1);
  private readonly start: Bounds;
  private readonly whole: Bounds;
  private readonly extent: number;
  private ground?: Ground;
  private followed = -1;
  private changed = true; // something but the time, since the last frame
  wake = () => {}; // called when that is so
  readonly size = new Vector2(1, 1); // of the canvas [px]; asking it would lay out the page in each frame
  private shown = NaN; // the time of the last frame
  private readonly followPlace = new Vector3();
  private readonly observer: ResizeObserver;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly model: Model,
    runs: Run[],
    private readonly colors: string[],
  ) {
    this.motions = runs.map((r) => new Motion(model, r));
    this.drawing = drawingOf(model);
    this.symbols = new SymbolView(model, this.motions[0]);
    this.ties = this.motions.map((m, r) => new TieView(model, m, runs.length > 1 ? colors[r] : undefined));
    [this.start, this.whole] = this.measure([...this.drawing.parts.filter((p) => p.layer === "body"), ...boxesOf(model)]);
    this.extent = this.start.high.distanceTo(this.start.low) || 1;
    this.travels = model.bodies.length > 1 && this.whole.high.distanceTo(this.whole.low) > 4 * this.extent;

    const g = new Vector3(...model.gravity);
    if (g.length() > 0) {
      const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
      const best = axes.reduce((a, b) => (Math.abs(b.dot(g)) > Math.abs(a.dot(g)) + 1e-9 ? b : a));
      this.up.copy(best).multiplyScalar(best.dot(g) > 0 ? -1 : 1);
    }

    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.rig = new Rig(canvas, this.extent, this.up, () => this.refresh());

    this.addLights();
    this.addSolids();
    this.layers.joint.add(this.symbols.group);
    this.ties.forEach((t) => this.layers.body.add(t.group));
    this.forces = new ForceView(model, this.motions[0], this.motions[0].run, this.extent);
    this.addArrows(runs);
    this.tracks = this.motions.map((m, r) => new Tracks(model, m, Math.max(this.drawing.unit, 0.008 * this.extent), runs.length > 1 ? colors[r] : undefined));
    this.tracks.forEach((t) => this.layers.contact.add(t.group));
    this.motions.forEach((m) => m.moveTo(0));
    this.layers.force.add(this.forces.group);
    this.layers.centre.add(this.forces.centres);
    this.addPlanes();
    this.addGround();
    this.layers.frame.visible = this.layers.skeleton.visible = this.layers.force.visible = this.layers.centre.visible = false;
    this.scene.add(...Object.values(this.layers));
    this.compass = new Compass(this.rig, this.ground?.group.visible ? this.ground.cell : undefined);
    this.compass.name(this.forces.makers);
    canvas.parentElement!.append(this.compass.root);
    this.resize();
    this.fit();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas.parentElement!);
  }

  /** Boxes at the start, and over the whole motion. */
  private measure(parts: Extended[], most = 120): [Bounds, Bounds] {
    const start = emptyBounds();
    const whole = emptyBounds();
    const end = Math.max(0, ...this.motions.map((m) => m.run.times[m.run.times.length - 1] ?? 0));
    const steps = Math.min(most, 8 + Math.round(60000 / (1 + this.model.frames.length)));
    for (let k = steps; k >= 0; k--) {
      this.motions.forEach((m) => m.moveTo(k > 0 ? (k / steps) * end : 0));
      grow(whole, this.motions, parts);
    }
    grow(start, this.motions, parts); // they are at the start now
    for (const b of [start, whole]) {
      if (!Number.isFinite(b.low.x)) {
        b.low.set(0, 0, 0);
        b.high.set(0, 0, 0);
      }
    }
    return [start, whole];
  }

  private addLights(): void {
    const e = this.extent;
    const side = new Vector3(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) {
      side.set(0, 1, 0);
    }
    const sun = new DirectionalLight(0xffffff, 2.2);
    const middle = this.start.low.clone().add(this.start.high).multiplyScalar(0.5);
    const toward = this.up.clone().cross(side);
    sun.position.copy(middle).addScaledVector(this.up, 2.4 * e).addScaledVector(side, 0.9 * e).addScaledVector(toward, -1.3 * e);
    sun.target.position.copy(middle);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 2.5;
    sun.shadow.normalBias = 0.01 * e;
    const c = sun.shadow.camera;
    c.left = c.bottom = -1.6 * e;
    c.right = c.top = 1.6 * e;
    c.near = 0.1 * e;
    c.far = 8 * e;
    const sky = new HemisphereLight(0xffffff, 0x8d97a5, 1.5);
    sky.position.copy(this.up);
    this.scene.add(sun, sun.target, sky, new AmbientLight(0xffffff, 0.35));
  }

  /** One mesh for each run, layer and solid. */
  private addSolids(): void {
    const many = this.motions.length > 1;
    this.motions.forEach((motion, r) => {
      for (const layer of ["body", "skeleton", "frame"] as Layer[]) {
        for (const solid of new Set(this.drawing.parts.map((p) => p.solid))) {
          const parts = this.drawing.parts.filter((p) => p.layer === layer && p.solid === solid);
          if (parts.length === 0 || (layer !== "body" && r > 0)) {
            continue;
          }
          const material = new MeshStandardMaterial({ roughness: 0.52, metalness: 0.06 });
          if (typeof solid === "number") { // facets: thinning leaves no normals; mirrored ones too
            Object.assign(material, { flatShading: true, side: DoubleSide });
          }
          if (many && r > 0) {
            Object.assign(material, { transparent: true, opacity: 0.55, depthWrite: false });
          }
          const mesh = new InstancedMesh(geometryOf(solid, motion.model), material, parts.length);
          mesh.frustumCulled = false;
          mesh.castShadow = layer === "body";
          if (layer === "skeleton") { // through the shapes that it is inside of
            Object.assign(material, { depthTest: false, transparent: true, opacity: 0.85 });
            mesh.renderOrder = 5;
          }
          mesh.instanceMatrix.setUsage(DynamicDrawUsage);
          mesh.renderOrder += r;
          parts.forEach((p, i) => mesh.setColorAt(i, new Color(many && layer === "body" ? this.colors[r] : p.color)));
          this.layers[layer].add(mesh);
          this.batches.push({ mesh, parts, motion });
        }
      }
    });
  }

  private addArrows(runs: Run[]): void {
    this.arrows = runs.flatMap((run) => (run.places ? [new ContactArrows(run.places, this.extent, this.drawing.unit, this.forces.scale, this.forces.most)] : []));
    this.arrows.forEach((a) => this.layers.contact.add(a.group));
  }

  /** How high a plane is that lies level in the world; NaN for others. */
  private levelOf(plane: Plane): number {
    const normal = new Vector3(plane.local[2], plane.local[5], plane.local[8]);
    return plane.body === 0 && normal.dot(this.up) > 1 - 1e-6 ? this.up.dot(new Vector3().fromArray(plane.local, 9)) : NaN;
  }

  /** Planes that are not level: a square of each, where the motion is. */
  private addPlanes(): void {
    const middle = this.whole.low.clone().add(this.whole.high).multiplyScalar(0.5);
    for (const plane of this.drawing.planes.filter((p) => Number.isNaN(this.levelOf(p)))) {
      const L = plane.local;
      const place = new Matrix4().set(L[0], L[1], L[2], L[9], L[3], L[4], L[5], L[10], L[6], L[7], L[8], L[11], 0, 0, 0, 1);
      const material = new MeshStandardMaterial({ color: plane.color, roughness: 0.9, transparent: true, opacity: 0.45, side: DoubleSide, depthWrite: false });
      const size = (plane.body === 0 ? 2.4 : 1.2) * Math.max(this.extent, plane.body === 0 ? 0.6 * this.whole.high.distanceTo(this.whole.low) : 0);
      const mesh = new Mesh(new PlaneGeometry(size, size), material);
      mesh.receiveShadow = true;
      if (plane.body === 0) {
        const foot = middle.clone().applyMatrix4(place.clone().invert()).setZ(0);
        mesh.position.copy(foot);
      }
      const holder = new Group();
      holder.matrixAutoUpdate = false;
      holder.add(mesh);
      this.layers.body.add(holder);
      this.slabs.push({ holder, plane, place });
    }
  }

  private movePlanes(): void {
    const P = this.motions[0].poses;
    for (const { holder, plane, place } of this.slabs) {
      const o = plane.body * POSE;
      holder.matrix.set(P[o], P[o + 1], P[o + 2], P[o + 9], P[o + 3], P[o + 4], P[o + 5], P[o + 10], P[o + 6], P[o + 7], P[o + 8], P[o + 11], 0, 0, 0, 1).multiply(place);
    }
  }

  /** How high level planes of the world are that something touches at the start, rolling or gliding. */
  private trackLevels(): number[] {
    const [motion] = this.motions;
    return this.model.symbols.tracks
      .filter((t) => t.bodies[1] === 0 && this.up.dot(new Vector3(...(t.normal ?? [0, 0, 0]))) > 1 - 1e-6)
      .filter((t) => Math.abs(heightOf(t, motion.poses)) < 1e-6 * this.extent)
      .map((t) => this.up.dot(new Vector3(...(t.foot ?? [0, 0, 0]))));
  }

  /** A grid and a shadow below everything, where gravity points straight down on it; on the plane that things lie on,
   * where there is one; and the way that gravity points. */
  private addGround(): void {
    const { up, extent } = this;
    const { low, high } = this.travels ? this.start : this.whole;
    const axis = (["x", "y", "z"] as const).find((a) => Math.abs(up[a]) > 0.5)!;
    const below = (up[axis] > 0 ? low[axis] : -high[axis]) - 0.03 * extent;
    const levels = [...this.drawing.planes.map((p) => this.levelOf(p)), ...this.trackLevels()].filter((h) => !Number.isNaN(h));
    this.ground = new Ground({ up, level: (levels.length > 0 ? Math.min(...levels) : below) * Math.sign(up[axis]), low, high, extent });
    const g = new Vector3(...this.model.gravity);
    const slopes = this.drawing.planes.some((p) => p.body === 0); // these are the ground
    const away = up[axis] > 0 ? this.start.low[axis] - this.whole.low[axis] : this.whole.high[axis] - this.start.high[axis];
    // nothing falls on a floor that is made up, or through it
    this.ground.group.visible = levels.length > 0 || (fallsStraight(g, up) && !slopes && !(this.travels && away > extent));
    this.scene.add(this.ground.group);
    if (g.length() > 0) {
      this.gravity = new GravityArrow(g);
      this.scene.add(this.gravity.group);
    }
  }

  /** Direction to look from: across the plane of a planar mechanism, else from a corner. */
  private direction(): Vector3 {
    const size = this.whole.high.clone().sub(this.whole.low);
    const sizes = size.toArray().sort((x, y) => x - y);
    const axis = sizes[0] < 0.12 * sizes[1] ? (["x", "y", "z"] as const).find((a) => size[a] === sizes[0]) : undefined;
    const side = new Vector3(1, 0, 0);
    const front = frontOf(this.up);
    if (Math.abs(this.up.x) > 0.5) {
      side.set(0, 1, 0);
    }
    if (axis && Math.abs(this.up[axis]) < 0.5) {
      const normal = new Vector3().setComponent("xyz".indexOf(axis), front[axis] < 0 ? -1 : 1);
      const along = this.up.clone().cross(normal);
      return normal.addScaledVector(along, 0.28).addScaledVector(this.up, 0.2).normalize();
    }
    return front.addScaledVector(side, 0.85).addScaledVector(this.up, 0.5).normalize();
  }

  /** The camera back to where everything is seen: as near as all corners of the box allow. */
  fit(): void {
    const { low, high } = this.travels ? this.start : this.whole;
    this.rig.fit(low, high, this.direction());
    if (this.followed >= 0) {
      this.rig.move(this.bodyPlace(this.followed).sub(this.followStart));
      this.rig.controls.update();
    }
  }

  /** From a side of the world. */
  look(preset: Preset): void {
    this.rig.look(preset);
  }

  /** The body that is followed when all of it goes away: the heaviest. */
  get mainBody(): number {
    const { bodies } = this.model;
    return bodies.reduce((best, b, i) => (i > 0 && (best === 0 || b.mass > bodies[best].mass) ? i : best), 0);
  }

  get camera() {
    return this.rig.camera;
  }

  private readonly followStart = new Vector3();

  private bodyPlace(body: number): Vector3 {
    const P = this.motions[0].poses;
    return new Vector3(P[body * POSE + 9], P[body * POSE + 10], P[body * POSE + 11]);
  }

  /** body -1: none. The camera moves along with it from now on. */
  follow(body: number): void {
    this.refresh();
    this.followed = body;
    if (body >= 0) {
      this.followPlace.copy(this.bodyPlace(body));
      this.followStart.copy(this.followPlace);
    }
  }

  show(layer: Shown, visible: boolean): void {
    this.layers[layer].visible = visible;
    this.refresh();
  }

  /** Shows or hides one of the motions. */
  showRun(run: number, on: boolean): void {
    this.objectsOf(run).forEach((o) => (o.visible = on));
    this.refresh();
  }

  private share = 0; // by which motions are parted

  /** Parts overlaid motions sideways, each by so much of the mechanism's size from the one before. */
  spread(share: number): Vector3[] {
    const side = this.up.clone().cross(this.direction()).normalize();
    const places = this.motions.map((_m, r) => side.clone().multiplyScalar(r * share * this.extent));
    places.forEach((p, r) => this.objectsOf(r).forEach((o) => o.position.copy(p)));
    const shift = side.multiplyScalar((0.5 * (this.motions.length - 1) * (share - this.share)) * this.extent); // all stay in sight
    this.rig.move(shift);
    this.share = share;
    this.refresh();
    return places;
  }

  private objectsOf(run: number): Object3D[] {
    const motion = this.motions[run];
    return [...this.batches.filter((b) => b.motion === motion).map((b) => b.mesh), this.ties[run].group, this.tracks[run].group];
  }

  /** Something else than the time has changed. */
  refresh(): void {
    this.changed = true;
    this.wake();
  }

  private moveSolids(): void {
    for (const { mesh, parts, motion } of this.batches) {
      if (!mesh.parent!.visible) {
        continue;
      }
      const out = mesh.instanceMatrix.array as Float32Array;
      const P = motion.poses;
      for (let i = 0; i < parts.length; i++) {
        const L = parts[i].local;
        const o = parts[i].body * POSE;
        const m = 16 * i;
        for (let r = 0; r < 3; r++) {
          const a = P[o + 3 * r];
          const b = P[o + 3 * r + 1];
          const c = P[o + 3 * r + 2];
          out[m + r] = a * L[0] + b * L[3] + c * L[6];
          out[m + 4 + r] = a * L[1] + b * L[4] + c * L[7];
          out[m + 8 + r] = a * L[2] + b * L[5] + c * L[8];
          out[m + 12 + r] = a * L[9] + b * L[10] + c * L[11] + P[o + 9 + r];
        }
        out[m + 15] = 1;
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private readonly lens: Lens = {
    axes: new Float64Array(9),
    pixel: (x, y, z) => {
      const e = this.camera.matrixWorldInverse.elements;
      const depth = -(e[2] * x + e[6] * y + e[10] * z + e[14]);
      return SYMBOL_SCALE * this.rig.pixelAt(depth);
    },
  };

  /** What is as large on the screen wherever the camera is. */
  private moveSymbols(): void {
    this.camera.updateMatrixWorld();
    const e = this.camera.matrixWorld.elements;
    const axes = this.lens.axes as Float64Array;
    for (let r = 0; r < 3; r++) {
      axes.set([e[r], e[4 + r], e[8 + r]], 3 * r);
    }
    if (this.layers.force.visible) {
      this.forces.move(this.shown, this.lens);
    }
    if (this.layers.centre.visible) {
      this.forces.moveCentres(this.lens);
    }
    if (this.layers.joint.visible) {
      this.symbols.move(this.lens);
    }
    this.ties.forEach((t) => t.move(this.lens));
    if (this.changed || this.followed >= 0) {
      this.moveAids(axes);
    }
  }

  /** What depends on the camera alone. axes: of the camera, by rows */
  private moveAids(axes: Float64Array): void {
    const { camera, size } = this;
    const { target } = this.rig.controls;
    this.gravity?.move(camera, target, this.rig.pixelAt(camera.position.distanceTo(target)), size.x);
    this.ground?.move({ camera, target, width: size.x, height: size.y, pixel: (depth) => this.rig.pixelAt(depth) });
    const forces = this.layers.force.visible;
    const arrows = forces || (this.arrows.length > 0 && this.layers.contact.visible);
    this.compass.move(axes, arrows ? this.forces.scale : 0, forces, this.forces.halfTurn);
  }

  /** Everything at time t, drawn; nothing is done, and false returned, while nothing changes. */
  render(t: number): boolean {
    this.rig.controls.update();
    if (t === this.shown && !this.changed) {
      return false;
    }
    this.shown = t;
    for (const m of this.motions) {
      m.moveTo(t);
    }
    this.moveSolids();
    this.movePlanes();
    if (this.layers.contact.visible) {
      this.arrows.forEach((a) => a.moveTo(t));
      this.tracks.forEach((a) => a.moveTo(t));
    }
    if (this.followed >= 0) {
      const now = this.bodyPlace(this.followed);
      const step = now.clone().sub(this.followPlace);
      this.rig.move(step);
      this.followPlace.copy(now);
      this.rig.controls.update();
    }
    this.moveSymbols();
    this.changed = false;
    this.camera.updateMatrixWorld();
    this.overlays.forEach((o) => o.moveTo(t));
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** What is under a point of the canvas, undefined for nothing. x, y: -1 .. 1 */
  pick(x: number, y: number): Picked | undefined {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.camera);
    let best = Infinity;
    let found: Picked | undefined;
    const batches: { mesh: InstancedMesh; parts: Picked[] }[] = [...this.batches, ...(this.layers.joint.visible ? this.symbols.batches : []), ...this.ties.flatMap((t) => t.batches)];
    for (const { mesh, parts } of batches) {
      if (!mesh.parent!.visible) {
        continue;
      }
      mesh.boundingSphere = null;
      for (const hit of ray.intersectObject(mesh, false)) {
        if (hit.distance < best && hit.instanceId !== undefined) {
          best = hit.distance;
          found = parts[hit.instanceId];
        }
      }
    }
    return found;
  }

  theme(dark: boolean): void {
    this.refresh();
    this.symbols.paint(dark);
    this.ties.forEach((t) => t.paint(dark));
    this.ground?.theme(dark);
  }

  resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    const width = Math.max(1, box.width);
    const height = Math.max(1, box.height);
    this.renderer.setSize(width, height, false);
    this.size.set(width, height);
    this.refresh();
    this.rig.resize(width, height);
  }

  /** Where the camera is, to go back there in another view of the same mechanism. */
  get pose(): [Vector3, Vector3] {
    return [this.camera.position.clone(), this.rig.controls.target.clone()];
  }

  set pose([position, target]: [Vector3, Vector3]) {
    this.camera.position.copy(position);
    this.rig.controls.target.copy(target);
    this.rig.controls.update();
  }

  dispose(): void {
    this.observer.disconnect();
    this.rig.controls.dispose();
    this.compass.root.remove();
    this.scene.traverse((o) => {
      if (o instanceof Mesh || o instanceof Line) {
        o.geometry.dispose();
      }
    });
    this.renderer.dispose();
    this.renderer.forceContextLoss(); // a browser has few of them, and a page that follows a file makes many
  }
}
