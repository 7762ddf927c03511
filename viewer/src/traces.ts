// SPDX-License-Identifier: Apache-2.0
// Paths of frames' origins over the whole run, brighter up to now.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, type Vector3 } from "three";
import { curveColors } from "./axes";
import type { Motion } from "./kinematics";
import type { Overlay } from "./scene";

const TRACE_POINTS = 4000;

interface Path {
  frame: number;
  run: number;
  times: Float64Array;
  whole: Line;
  past: Line;
}

export class Traces implements Overlay {
  readonly group = new Group();
  private paths: Path[] = [];

  /** colors: of the motions, where there are several */
  constructor(
    private readonly motions: Motion[],
    private readonly colors: string[],
  ) {}

  /** The frames that are traced. */
  get frames(): number[] {
    return [...new Set(this.paths.map((p) => p.frame))];
  }

  /** The colour of a frame's path; of several runs each has its own. */
  colorOf(frame: number): string {
    return curveColors[(this.frames.indexOf(frame) + 1) % curveColors.length];
  }

  set(frames: number[]): void {
    const gone = this.paths.filter((p) => !frames.includes(p.frame));
    gone.forEach((p) => this.drop(p));
    this.paths = this.paths.filter((p) => frames.includes(p.frame));
    for (const frame of frames.filter((f) => !this.frames.includes(f))) {
      const color = curveColors[(this.frames.length + 1) % curveColors.length];
      this.paths.push(...this.motions.map((m, r) => this.pathOf(m, r, frame, this.motions.length > 1 ? this.colors[r] : color)));
    }
  }

  private drop(path: Path): void {
    for (const line of [path.whole, path.past]) {
      line.geometry.dispose();
      this.group.remove(line);
    }
  }

  private pathOf(motion: Motion, run: number, frame: number, color: string): Path {
    const { times } = motion.run;
    const step = Math.max(1, Math.ceil((times.length * Math.max(1, motion.model.bodies.length / 250)) / TRACE_POINTS));
    const n = Math.ceil(times.length / step);
    const path = new Float32Array(3 * n);
    const kept = new Float64Array(n);
    const place: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      kept[i] = times[i * step];
      motion.moveTo(kept[i]);
      motion.framePlace(frame, place);
      path.set(place, 3 * i);
    }
    const line = (opacity: number) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(path, 3));
      const made = new Line(geometry, new LineBasicMaterial({ color, transparent: true, opacity }));
      made.frustumCulled = false;
      this.group.add(made);
      return made;
    };
    const made = { frame, run, times: kept, whole: line(0.22), past: line(0.95) };
    this.put(made);
    return made;
  }

  private places: Vector3[] = [];

  private put(path: Path): void {
    const at = this.places[path.run];
    if (at) {
      path.whole.position.copy(at);
      path.past.position.copy(at);
    }
  }

  /** Where the motions have been moved to. */
  spread(places: Vector3[]): void {
    this.places = places;
    this.paths.forEach((p) => this.put(p));
  }

  moveTo(t: number): void {
    for (const path of this.paths) {
      let n = 0;
      for (let high = path.times.length; n < high; ) {
        const middle = (n + high) >> 1;
        if (path.times[middle] <= t) {
          n = middle + 1;
        } else {
          high = middle;
        }
      }
      path.past.geometry.setDrawRange(0, n);
    }
  }
}
