// SPDX-License-Identifier: Apache-2.0
// The clock of the animation and its controls.
import { h, icon } from "./dom";

const PLAY = "M7 4.5v15l12.5-7.5z";
const PAUSE = "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";
const LOOP = "M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4";
const MARKS = 400; // strokes that fit
const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 50];

export class Player {
  time = 0;
  wake = () => {}; // called when there is something to show
  playing = false;
  speed = 1;
  private rate = 1; // of the motion's time to that of the viewer, at speed 1
  private again = true; // at the end it begins again
  readonly root: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock: HTMLOutputElement;
  private readonly speedSelect: HTMLSelectElement;
  private shownClock = "";

  /** end: last time; step: what an arrow key moves by; ticks: times to mark; doubtFrom: when the motion became doubtful. */
  constructor(
    readonly end: number,
    private readonly step: number,
    ticks: number[] = [],
    doubtFrom?: number | null,
  ) {
    this.button = h("button", { type: "button", class: "play", "aria-label": "Play", title: "Play (space)" }, icon(PLAY));
    this.button.addEventListener("click", () => this.toggle());
    this.slider = h("input", { type: "range", min: "0", max: String(end), step: "any", value: "0", "aria-label": "Time" });
    this.slider.disabled = end === 0;
    this.slider.addEventListener("input", () => {
      this.pause();
      this.time = Number(this.slider.value);
      this.wake();
    });
    this.clock = h("output", { class: "clock" });
    this.speedSelect = h("select", { "aria-label": "Speed" }, ...speeds.map((s) => h("option", { value: String(s), selected: s === 1 }, `${s}×`)));
    this.speedSelect.addEventListener("change", () => (this.speed = Number(this.speedSelect.value)));
    this.root = h("div", { class: "player", role: "group", "aria-label": "Animation" }, this.button,
      h("div", { class: "track" }, this.slider, this.marks(ticks), this.doubt(doubtFrom)), this.clock, this.speedSelect, this.loopButton());
    this.show();
  }

  private loopButton(): HTMLElement {
    const button = h("button", { type: "button", class: "round loop", "aria-pressed": "true", "aria-label": "Loop", title: "Loop (R)", "data-key": "r" }, icon(LOOP));
    button.addEventListener("click", () => {
      this.again = !this.again;
      button.setAttribute("aria-pressed", String(this.again));
    });
    return button;
  }

  /** Strokes below the slider, at most one for each share of its length. */
  private marks(ticks: number[]): HTMLElement | null {
    const shares = [...new Set(ticks.map((t) => Math.round((MARKS * t) / this.end)))];
    if (shares.length === 0) {
      return null;
    }
    return h("div", { class: "marks", title: "Impacts", "aria-hidden": "true" }, ...shares.map((s) => {
      const mark = h("i", {});
      mark.style.left = `${(100 * s) / MARKS}%`;
      return mark;
    }));
  }

  /** A stroke below the slider over all that is in doubt. */
  private doubt(from?: number | null): HTMLElement | null {
    if (typeof from !== "number" || this.end === 0) {
      return null;
    }
    const stroke = h("i", { class: "doubt", title: "In doubt from here on" });
    stroke.style.left = `${100 * Math.min(1, Math.max(0, from / this.end))}%`;
    return h("div", { class: "marks" }, stroke);
  }

  toggle(): void {
    if (this.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  play(): void {
    if (this.end === 0) {
      return;
    }
    if (this.time >= this.end) {
      this.time = 0;
    }
    this.setPlaying(true);
  }

  pause(): void {
    this.setPlaying(false);
  }

  private setPlaying(playing: boolean): void {
    if (playing !== this.playing) {
      this.playing = playing;
      this.wake();
      this.button.replaceChildren(icon(playing ? PAUSE : PLAY));
      this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
      this.button.title = playing ? "Pause (space)" : "Play (space)";
    }
  }

  seek(t: number): void {
    this.time = Math.min(this.end, Math.max(0, t));
    this.show();
    this.wake();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.speedSelect.value = String(speed);
  }

  changeSpeed(by: number): void {
    const at = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + by));
    this.speed = speeds[at];
    this.speedSelect.value = String(this.speed);
  }

  /** Keys of the whole page; true when it was one of them. */
  key(event: KeyboardEvent): boolean {
    const far = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case " ": this.toggle(); break;
      case "ArrowLeft": this.pause(); this.seek(this.time - far * this.step); break;
      case "ArrowRight": this.pause(); this.seek(this.time + far * this.step); break;
      case "Home": this.seek(0); break;
      case "End": this.pause(); this.seek(this.end); break;
      case "+": case "=": this.changeSpeed(1); break;
      case "-": this.changeSpeed(-1); break;
      default: return false;
    }
    return true;
  }

  /** From now on the motion lasts so many seconds, and begins again at its end. */
  repeat(seconds: number): void {
    this.rate = this.end > 0 ? this.end / seconds : 1;
    this.again = true;
  }

  /** Moves on by a frame of `seconds`. */
  advance(seconds: number): void {
    if (this.playing) {
      this.time += seconds * this.speed * this.rate;
      if (this.again && this.time >= this.end) {
        this.time %= this.end;
      } else if (this.time >= this.end) {
        this.time = this.end;
        this.pause();
      }
    }
    this.show();
  }

  private show(): void {
    const digits = this.end >= 100 ? 1 : this.end >= 1 || this.end === 0 ? 2 : this.end >= 0.01 ? 4 : 8;
    const text = `${this.time.toFixed(digits)} s`;
    if (text !== this.shownClock) {
      this.shownClock = text;
      this.clock.textContent = text;
      this.slider.value = String(this.time);
      this.slider.setAttribute("aria-valuetext", `${text} of ${this.end.toFixed(digits)} s`);
      this.slider.style.setProperty("--done", `${this.end > 0 ? (100 * this.time) / this.end : 0}%`);
    }
  }
}
