// SPDX-License-Identifier: Apache-2.0
// One page: header, stage, player, tabs.
import { Vector3 } from "three";
import { readAddress, writeAddress } from "./address";
import { curveColors } from "./axes";
import { colorOf, comparisonOf, type Compared } from "./compare";
import { duration, impactTimes, valueAt, type Comparison, type Page, type Run } from "./data";
import { format, h, icon, shorten } from "./dom";
import { factsOf, faultOf, noticesOf } from "./facts";
import { errorsOverTime } from "./orders";
import { buildPlots, sourceOf as columnsOf } from "./panels";
import { Ghosts, Labels, Outline } from "./marks";
import { Player } from "./player";
import { TimePlot, type Link } from "./plots";
import { plainLook, type Look } from "./series";
import { View, type Picked } from "./scene";
import { Selection } from "./select";
import { shareMenu } from "./share_menu";
import { sourceOf, type SourceLinks } from "./source";
import { cameraKey, viewButtons } from "./view_tools";
import { isDark, themeButton } from "./theme";
import { verdictOf } from "./verdict";
import { Traces } from "./traces";

const FIT = "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5";
const REFERENCE = "#9aa3ad"; // colour of a comparison's reference
const AWAKE_MS = 500; // longer than numbers wait
const VALUES_MS = 90; // numbers of the legends change at most this often

/** What stays when a page is rebuilt: for a model that is being edited. */
export interface Kept {
  time?: number;
  playing?: boolean;
  tab?: string;
  pose?: View["pose"];
  selected?: string; // name of a joint
  traces?: string[]; // names of frames
  plots?: { names: string[]; look: Look }[]; // those that were added
  range?: [number, number]; // of time, in the plots
  standard?: { title: string; names: string[]; look: Look; hidden: string[] }[]; // the page's own plots
  toggles?: Record<string, boolean>; // what is shown of the picture
  speed?: number;
}

export class App {
  readonly player: Player;
  view?: View;
  readonly frameTimes: number[] = []; // script time of the last frames that drew something [ms]
  private plots: TimePlot[];
  private readonly link: Link;
  private readonly plotStack = h("div", { class: "stack plots" });
  private compared?: Compared;
  private errors?: TimePlot; // of a comparison, over time
  private readonly runs: Run[];
  selection?: Selection;
  private traces?: Traces;
  private ghosts?: Ghosts;
  private labels?: Labels;
  private outline?: Outline;
  private lastFrame = 0;
  private lastValues = 0;
  private request = 0; // 0: the page rests
  private awake = 0; // until when it does not [ms]
  private tab = "";
  private readonly tabBefore?: string; // that was open before a fault
  private readonly abort = new AbortController();
  private readonly tabs = new Map<string, [HTMLButtonElement, HTMLElement]>();

  constructor(
    private readonly root: HTMLElement,
    readonly page: Page,
    kept: Kept = {},
    private readonly first?: { name: string; content: HTMLElement }, // a tab before all others
  ) {
    kept = Object.keys(kept).length > 0 ? kept : this.applyAddress();
    this.runs = page.runs.filter((r) => r.times.length > 0);
    const end = duration(page);
    const longest = this.runs[0]?.times;
    this.player = new Player(end, longest && longest.length > 1 ? Math.max(end / 500, longest[1] - longest[0]) : end / 100,
      this.runs.flatMap(impactTimes), this.runs.length === 1 ? this.runs[0].stats.doubtFrom : null);
    this.link = {
      seek: (t) => this.player.seek(t),
      hover: (t) => this.plots.forEach((p) => p.setHover(t)),
      zoom: (_p, low, high) => this.plots.forEach((p) => p.zoom(low, high)),
      remove: (plot) => this.removePlot(plot),
    };
    this.plots = page.model ? buildPlots(this.measured, end, this.link) : [];
    if (page.comparison) {
      this.compared = this.compare(page.comparison, end);
    }
    document.title = `${shorten(page.model?.name || page.source || "Cardan", 60)} · Cardan`;

    if (page.model) {
      this.selection = this.makeSelection();
    }
    const stage = this.stage();
    const side = this.side();
    root.replaceChildren(this.header(), ...[this.first || page.fault ? null : verdictOf(this.measured, (t) => this.player.seek(t))].filter((v) => v !== null), h("main", { class: !page.fault ? "" : page.model ? "stale" : "faulty" }, stage, side));
    if (page.model) {
      this.startView(stage, kept);
    }
    this.tabBefore = kept.tab;
    this.openTab(kept.tab && this.tabs.has(kept.tab) && !page.fault ? kept.tab : [...this.tabs.keys()][0]);
    root.querySelector(".source .fault")?.scrollIntoView({ block: "center" });
    this.listen();
    this.restore(kept);
    this.player.wake = () => this.wake();
    if (this.view) {
      this.view.wake = () => this.wake();
    }
    this.wake();
  }

  /** Frames are drawn while something moves, and for a while after anything happened: a page that stands costs none. */
  private wake(): void {
    this.awake = performance.now() + AWAKE_MS;
    if (this.request === 0) {
      this.lastFrame = performance.now();
      this.request = requestAnimationFrame((now) => this.frame(now));
    }
  }

  /** The page without the reference of a comparison, which is no run of its own. */
  private get measured(): Page {
    const { page } = this;
    return { ...page, runs: page.runs.filter((_r, i) => i !== (page.comparison?.reference_run ?? -1)) };
  }

  private compare(comparison: Comparison, end: number): Compared {
    this.errors = errorsOverTime(comparison, (label) => colorOf(comparison, label), end, this.link);
    return comparisonOf(comparison, {
      show: (run, on) => {
        this.view?.showRun(this.runs.indexOf(this.page.runs[run]), on);
        this.plots.forEach((p) => p.hideRun(this.page.runs[run], !on));
        comparison.entries.filter((e) => e.run === run).forEach((e) => this.errors?.hide(`${e.label} · ${format(e.dt)} s`, !on));
      },
      spread: (share) => this.traces?.spread(this.view?.spread(share) ?? []),
    });
  }

  private restore(kept: Kept): void {
    if (kept.time !== undefined) {
      this.player.seek(kept.time);
    }
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (kept.playing ?? (!still && this.player.end > 0)) {
      this.player.play();
    }
    if (kept.pose && this.view) {
      this.view.pose = kept.pose;
    }
    if (kept.selected !== undefined) {
      this.selection?.selectName(kept.selected);
    }
    kept.plots?.slice().reverse().forEach(({ names, look }) => this.addPlot(names, look));
    const frames = this.page.model?.frames ?? [];
    this.setTraces((kept.traces ?? []).map((name) => frames.findIndex((f) => f.name === name)).filter((f) => f > 0));
    this.restorePlots(kept.standard ?? []);
    for (const button of this.root.querySelectorAll<HTMLButtonElement>(".tools [aria-pressed]")) {
      if ((kept.toggles?.[button.textContent!] ?? button.ariaPressed === "true") !== (button.ariaPressed === "true")) {
        button.click();
      }
    }
    if (kept.speed !== undefined) {
      this.player.setSpeed(kept.speed);
    }
    if (kept.range && kept.range[1] <= this.player.end) {
      this.plots.forEach((p) => p.zoom(...kept.range!));
    }
  }

  get kept(): Kept {
    const added = this.plots.filter((p) => p.options.added);
    return {
      time: this.player.time, playing: this.player.playing, tab: this.tab === "Fault" ? this.tabBefore : this.tab, pose: this.view?.pose, selected: this.selection?.name,
      traces: this.traces?.frames.map((f) => this.page.model!.frames[f].name),
      plots: added.map((p) => ({ names: p.columns, look: p.look })).reverse(),
      range: this.plots[0]?.isZoomed ? this.plots[0].range : undefined,
      standard: this.plots.filter((p) => !p.options.added).map((p) => ({ title: p.options.title, names: p.columns, look: p.look, hidden: [...p.hidden] })),
      toggles: Object.fromEntries([...this.root.querySelectorAll(".tools [aria-pressed]")].map((b) => [b.textContent!, b.getAttribute("aria-pressed") === "true"])),
      speed: this.player.speed,
    };
  }

  /** Columns and looks of the page's own plots, where they were changed. */
  private restorePlots(standard: NonNullable<Kept["standard"]>): void {
    for (const { title, names, look, hidden } of standard) {
      const plot = this.plots.find((p) => !p.options.added && p.options.title === title);
      if (plot?.options.source && !plot.options.stacked) {
        names.filter((n) => !plot.columns.includes(n) && this.runs[0]?.byName.has(n)).forEach((n) => plot.toggleColumn(n, true));
        plot.columns.filter((n) => !names.includes(n)).forEach((n) => plot.toggleColumn(n, false));
      }
      if (plot && JSON.stringify(plot.look) !== JSON.stringify(look)) {
        plot.setLook(look);
      }
      hidden.forEach((label) => plot?.hide(label, true));
    }
  }

  private makeSelection(): Selection {
    return new Selection({
      page: this.page,
      run: this.runs[0],
      outline: (bodies) => {
        this.outline?.set(bodies);
        this.view?.refresh();
      },
      plot: (names, title) => {
        this.openTab("Plots");
        this.addPlot(names, {}, title).root.scrollIntoView({ block: "nearest" });
      },
      follow: (body) => {
        this.view?.follow(body);
        this.followSelect.value = String(body);
      },
      trace: (frame) => this.setTraces(this.traces!.frames.includes(frame) ? this.traces!.frames.filter((f) => f !== frame) : [...this.traces!.frames, frame]),
      openLine: (line) => this.openLine(line),
      changed: () => {},
    });
  }

  /** Which joints a line of the text makes. */
  private sourceLinks(): SourceLinks {
    const joints = new Map<number, number[]>();
    this.page.model?.joints.forEach((j, i) => j.line && joints.set(j.line, [...(joints.get(j.line) ?? []), i]));
    return { joints, choose: (joint) => this.selection?.select(joint) };
  }

  /** The model's text at a line. */
  openLine(line: number): void {
    this.openTab("Model");
    const rows = this.tabs.get("Model")?.[1].querySelectorAll(".source > li");
    rows?.forEach((row, i) => row.classList.toggle("here", i + 1 === line));
    rows?.[line - 1]?.scrollIntoView({ block: "center" });
  }

  private readonly traceList = h("span", { class: "traces" });

  /** Which frames' paths are shown; each has a chip that takes it away. */
  private setTraces(frames: number[]): void {
    const { traces } = this;
    if (!traces) {
      return;
    }
    traces.set(frames);
    this.view?.refresh();
    this.traceSelect.value = "-1";
    this.traceList.replaceChildren(...traces.frames.map((f) => {
      const name = this.page.model!.frames[f].name || `frame ${f}`;
      const chip = h("button", { type: "button", class: "chip", title: `No path of ${name}`, "aria-label": `No path of ${name}` }, `${shorten(name, 20)} ×`);
      chip.style.borderColor = traces.colorOf(f);
      chip.addEventListener("click", () => this.setTraces(traces.frames.filter((o) => o !== f)));
      return chip;
    }));
  }

  private header(): HTMLElement {
    const { page } = this;
    const name = page.model?.name || page.source || "Cardan";
    const words = page.comparison ? ["comparison"] : this.runs.map((r) => r.label);
    this.themeButton = themeButton(() => this.applyTheme(), this.abort.signal);
    return h("header", {},
      h("h1", { title: name }, shorten(name, 60)),
      ...words.slice(0, 4).map((w) => h("span", { class: "badge" }, shorten(w, 30))),
      page.live ? h("span", { class: "badge live", role: "status", "aria-label": "Follows the file" }, "live") : null,
      h("span", { class: "fill" }),
      page.model && !page.fault ? this.share() : null,
      h("span", { class: "brand" }, `Cardan ${page.version}`),
      this.themeButton);
  }

  private themeButton?: HTMLButtonElement;
  private held = false; // a film is being made

  private share(): HTMLElement {
    const { page } = this;
    const name = page.model?.name || page.source || "cardan";
    return shareMenu({
      name,
      actor: { canvas: this.canvas, end: this.player.end, speed: () => this.player.speed, draw: (t) => this.view?.render(t) },
      runs: this.measured.runs.filter((r) => r.times.length > 0),
      time: () => this.player.time,
      range: () => this.plots[0]?.range ?? [0, this.player.end],
      link: (embed) => `${location.href.replace(/#.*/, "")}#${this.address(embed)}`,
      hold: (on) => {
        this.held = on;
        this.view?.refresh();
      },
      closed: this.abort.signal,
    });
  }

  /** What the address says of the page as it is now. */
  private address(embed: boolean): string {
    const { pose, time, ...kept } = this.kept;
    return writeAddress({ ...kept, time, camera: pose && [...pose[0].toArray(), ...pose[1].toArray()], embed });
  }

  private applyAddress(): Kept {
    const { camera, embed, ...place } = readAddress(location.hash);
    document.body.classList.toggle("embed", embed);
    const pose: View["pose"] | undefined = camera && [new Vector3(...camera.slice(0, 3)), new Vector3(...camera.slice(3))];
    return { ...place, plots: place.plots?.map((p) => ({ names: p.names, look: { ...plainLook, ...p.look } })), pose, playing: place.time !== undefined ? false : undefined };
  }

  private applyTheme(): void {
    this.view?.theme(isDark());
    this.plots.forEach((p) => p.theme());
    this.compared?.theme();
  }

  private readonly canvas = h("canvas", { tabindex: "0", role: "img" });
  private readonly tip = h("div", { class: "tip", "aria-hidden": "true" });

  private stage(): HTMLElement {
    const { page } = this;
    if (!page.model) {
      return h("section", { class: "stage", hidden: true });
    }
    const moving = page.model.bodies.length - 1;
    this.canvas.setAttribute("aria-label",
      `3-D view of ${shorten(page.model.name || "the model")}: ${moving} ${moving === 1 ? "body" : "bodies"}, ${page.model.joints.length} joints. Drag to turn, scroll to zoom; keys W, A, S, D turn.`);
    const stale = page.fault ? h("p", { class: "stale-note" }, "The last picture that was whole") : null;
    const box = h("div", { class: "canvas" }, stale, this.canvas, this.tip, this.overlay(), viewButtons(() => this.view), this.selection?.card);
    return h("section", { class: "stage", "aria-label": "Motion" }, box, this.player.root, this.tools());
  }

  /** Whose colours are whose, when motions are overlaid. */
  private overlay(): HTMLElement | null {
    if (this.runs.length < 2) {
      return null;
    }
    return h("ul", { class: "legend over" }, ...this.runs.map((r, i) => {
      const swatch = h("i", {});
      swatch.style.background = this.runColors()[i];
      return h("li", { title: r.label }, swatch, h("span", { class: "name" }, shorten(r.label, 30)));
    }));
  }

  private runColors(): string[] {
    const reference = this.page.runs[this.page.comparison?.reference_run ?? -1];
    return this.runs.map((r, i) => (r === reference ? REFERENCE : curveColors[i % curveColors.length]));
  }

  private startView(stage: HTMLElement, kept: Kept): void {
    const { page } = this;
    const still: Run = { ...(page.runs[0] ?? {}), label: "", times: new Float64Array(0), list: [], byName: new Map() } as Run;
    try {
      this.view = new View(this.canvas, page.model!, this.runs.length > 0 ? this.runs : [still], this.runColors());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      stage.querySelector(".canvas")!.replaceChildren(h("p", { class: "nogl", role: "alert" },
        "This browser does not draw in 3-D (WebGL): the plots and facts are still here.", h("small", {}, why)));
      return;
    }
    this.view.theme(isDark());
    this.addOverlays(this.view);
    const notices = noticesOf(this.measured, this.view.drawing.notes);
    if (notices) {
      stage.prepend(notices);
    }
    if (this.view.travels && !kept.pose) {
      this.view.follow(this.view.mainBody);
      this.followSelect.value = String(this.view.mainBody);
    }
  }

  private addOverlays(view: View): void {
    const [motion] = view.motions;
    this.traces = new Traces(view.motions, this.runColors());
    this.outline = new Outline(motion, view.batches, view.size);
    this.ghosts = new Ghosts(motion, view.batches);
    this.labels = new Labels(this.page.model!, motion, () => view.camera, view.size);
    view.scene.add(this.traces.group, this.outline.group, this.ghosts.group);
    view.overlays.push(this.traces, this.outline, this.labels);
    this.canvas.after(this.labels.root);
  }

  private showGhosts(on: boolean): void {
    const [low, high] = this.plots[0]?.range ?? [0, this.player.end];
    this.ghosts?.set(on ? low : NaN, high);
    this.view?.refresh();
  }

  private readonly followSelect = h("select", { "aria-label": "Follow a body" });
  private readonly traceSelect = h("select", { "aria-label": "Trace a point" });

  private toggle(label: string, key: string, on: boolean, act: (on: boolean) => void): HTMLElement {
    const button = h("button", { type: "button", class: "chip", "aria-pressed": String(on), title: `${label} (${key})`, "data-key": key.toLowerCase() }, label);
    button.addEventListener("click", () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      act(now);
    });
    return button;
  }

  private tools(): HTMLElement {
    const { model } = this.page;
    const most = 500;
    const bodies = model!.bodies.map((b, i) => [i, i === 0 ? "nothing" : model!.joints[b.joint]?.name ?? `body ${i}`] as const);
    this.followSelect.append(...bodies.slice(0, most).map(([i, name]) => h("option", { value: String(i === 0 ? -1 : i) }, shorten(name, 30))));
    this.followSelect.addEventListener("change", () => this.view?.follow(Number(this.followSelect.value)));
    const frames = model!.frames.map((f, i) => [i, f.name] as const).filter(([i, name]) => i > 0 && name !== "");
    this.traceSelect.append(h("option", { value: "-1" }, "a point"), ...frames.slice(0, most).map(([i, name]) => h("option", { value: String(i) }, shorten(name, 30))));
    this.traceSelect.addEventListener("change", () => {
      const frame = Number(this.traceSelect.value);
      this.setTraces(frame < 0 ? [] : [...(this.traces?.frames ?? []), frame]);
    });
    const fit = h("button", { type: "button", class: "chip", title: "Show everything (0)", "data-key": "0" }, icon(FIT), "Fit");
    fit.addEventListener("click", () => this.view?.fit());
    return h("div", { class: "tools", role: "group", "aria-label": "What to show" },
      fit,
      this.toggle("Joints", "J", true, (on) => this.view?.show("joint", on)),
      this.toggle("Skeleton", "K", false, (on) => this.view?.show("skeleton", on)),
      this.toggle("Frames", "F", false, (on) => this.view?.show("frame", on)),
      this.runs.some((r) => r.places) || model!.symbols.tracks.length > 0 ? this.toggle("Contacts", "C", true, (on) => this.view?.show("contact", on)) : null,
      this.toggle("Forces", "V", false, (on) => this.view?.show("force", on)),
      this.toggle("Mass", "M", false, (on) => this.view?.show("centre", on)),
      this.toggle("Labels", "L", false, (on) => {
        this.labels?.show(on);
        this.view?.refresh();
      }),
      this.toggle("Ghosts", "G", false, (on) => this.showGhosts(on)),
      h("label", {}, "Follow ", this.followSelect),
      h("label", {}, "Trace ", this.traceSelect), this.traceList);
  }

  private side(): HTMLElement {
    const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Plots and facts" });
    const panels = h("div", { class: "panels" });
    const add = (name: string, content: HTMLElement) => {
      const id = name.toLowerCase().replace(/\W/g, "-");
      const button = h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` }, name);
      const panel = h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, h("h2", { class: "unseen" }, name), content);
      button.addEventListener("click", () => this.openTab(name));
      button.addEventListener("keydown", (e) => this.tabKey(e));
      bar.append(button);
      panels.append(panel);
      this.tabs.set(name, [button, panel]);
    };
    const { page } = this;
    if (page.fault) {
      add("Fault", h("div", { class: "stack" }, faultOf(page.fault), sourceOf(page.text, page.fault)));
    }
    if (this.first) {
      add(this.first.name, this.first.content);
    }
    const energies = this.compared ? 2 : 0; // plots that belong beside the table of methods
    if (this.compared) {
      this.compared.root.append(...this.plots.slice(0, energies).map((p) => p.root));
      if (this.errors) { // the table, then errors over time
        this.compared.root.firstElementChild!.after(this.errors.root);
        this.plots.push(this.errors);
      }
      add("Comparison", this.compared.root);
    }
    if (this.plots.length > energies) {
      this.plotStack.append(this.plotBar(), ...this.plots.slice(energies).filter((p) => p !== this.errors).map((p) => p.root),
        h("p", { class: "hint" }, "Drag to zoom in time, in values or both, shift-drag to move, Ctrl and the wheel to zoom about the cursor, double-click to go back; click to go to a time. Names hide and show their curves, a double click leaves one alone."));
      add("Plots", this.plotStack);
    }
    if (this.selection && page.model!.joints.length > 0) {
      add("Bodies", this.selection.tree.root);
    }
    if (page.model || page.runs.length > 0) {
      add("Facts", factsOf(this.first ? { ...page, runs: [] } : this.measured));
    }
    if (!page.fault && page.text) {
      add("Model", sourceOf(page.text, undefined, this.sourceLinks()));
    }
    return h("section", { class: "side", "aria-label": "Plots and facts" }, bar, panels);
  }

  private plotBar(): HTMLElement {
    const button = h("button", { type: "button", class: "chip" }, "Add a plot");
    button.addEventListener("click", () => this.addPlot([]).root.querySelector("input")?.focus());
    return h("div", { class: "plot-bar" }, button);
  }

  /** A plot of a reader's own, before all others. */
  addPlot(names: string[], look: Partial<Look> = {}, title = "Plot"): TimePlot {
    const offered = this.runs[0]?.list.map((c) => c.name) ?? [];
    const source = columnsOf(this.measured, offered);
    const plot = new TimePlot({ title, unit: "", curves: source.curves(names.filter((n) => offered.includes(n))), source, added: true, look },
      this.player.end, this.link);
    const [low, high] = this.plots[0]?.range ?? [0, this.player.end];
    this.plots.push(plot);
    this.plotStack.firstElementChild!.after(plot.root);
    plot.zoom(low, high);
    return plot;
  }

  private removePlot(plot: TimePlot): void {
    this.plots = this.plots.filter((p) => p !== plot);
    plot.root.remove();
    plot.dispose();
  }

  /** Zoomed plots turn over when the motion leaves what they show. */
  private followTime(): void {
    const [low, high] = this.plots[0]?.range ?? [0, 0];
    const { time, playing, end } = this.player;
    const width = high - low;
    if (playing && width > 0 && width < end && (time > high || time < low)) {
      const from = Math.min(Math.max(0, time - 0.05 * width), end - width);
      this.plots.forEach((p) => p.zoom(from, from + width));
    }
  }

  private tabKey(event: KeyboardEvent): void {
    const names = [...this.tabs.keys()];
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) {
      const next = names[(names.indexOf(this.tab) + step + names.length) % names.length];
      this.openTab(next);
      this.tabs.get(next)![0].focus();
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Are plots to be seen? Else they stand still. */
  private get plotsOpen(): boolean {
    return this.tab === "Plots" || this.tab === "Comparison";
  }

  private openTab(name: string): void {
    this.tab = name;
    this.wake();
    for (const [key, [button, panel]] of this.tabs) {
      button.setAttribute("aria-selected", String(key === name));
      button.tabIndex = key === name ? 0 : -1;
      panel.hidden = key !== name;
    }
  }

  private listen(): void {
    const { signal } = this.abort;
    for (const type of ["pointermove", "pointerdown", "pointerup", "wheel", "keydown", "keyup", "input", "change", "click", "resize"]) {
      window.addEventListener(type, () => this.wake(), { signal, capture: true, passive: true });
    }
    window.addEventListener("keydown", (e) => this.key(e), { signal });
    window.addEventListener("beforeprint", () => this.plots.forEach((p) => {
      p.setTime(this.player.time);
      p.setValues();
    }), { signal });
    this.canvas.addEventListener("pointermove", (e) => this.hover(e), { signal });
    let down = [NaN, NaN];
    this.canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]), { signal });
    this.canvas.addEventListener("pointerup", (e) => {
      if (e.button === 0 && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4) {
        this.selection?.selectBody(this.partAt(e)?.body ?? 0);
      }
    }, { signal });
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true), { signal });
    this.tip.hidden = true;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input[type=search], select, textarea, .source")) {
      return;
    }
    if (event.key === " " && target.closest("button, summary")) {
      return; // it presses what has the focus
    }
    if (event.key.toLowerCase() === "t" && this.themeButton) {
      this.themeButton.click();
      return;
    }
    if (event.key === "Escape") {
      this.selection?.select(-1);
      return;
    }
    const button = this.root.querySelector<HTMLButtonElement>(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button) {
      button.click();
    } else if (this.player.key(event) || cameraKey(this.view, event)) {
      event.preventDefault();
    }
  }

  private partAt(event: PointerEvent): Picked | undefined {
    const box = this.canvas.getBoundingClientRect();
    return this.view?.pick((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
  }

  private hover(event: PointerEvent): void {
    if (event.buttons !== 0 || !this.view) {
      this.tip.hidden = true;
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const name = this.partAt(event)?.name ?? "";
    this.tip.hidden = name === "";
    this.tip.textContent = shorten(name, 60);
    this.tip.style.transform = `translate(${x + 14}px, ${y + 10}px)`;
  }

  private frame(now: number): void {
    const begin = performance.now();
    // the first frame may have begun before the page was ready
    this.player.advance(Math.min(0.1, Math.max(0, (now - this.lastFrame) / 1000)));
    this.lastFrame = now;
    const drawn = !this.held && this.view?.render(this.player.time);
    this.followTime();
    if (this.plotsOpen) {
      this.plots.forEach((p) => p.setTime(this.player.time));
    }
    if (now - this.lastValues > VALUES_MS) {
      this.lastValues = now;
      if (this.plotsOpen) {
        this.plots.forEach((p) => p.setValues());
      }
      this.selection?.update(this.player.time);
    }
    if (drawn) {
      this.frameTimes.push(performance.now() - begin);
      if (this.frameTimes.length > 600) {
        this.frameTimes.splice(0, 300);
      }
    }
    const on = drawn || this.held || this.player.playing || performance.now() < this.awake;
    this.request = on ? requestAnimationFrame((t) => this.frame(t)) : 0;
  }

  /** Value of a column of a run at a time; for whoever drives the page by program. */
  value(name: string, t: number, run = 0): number {
    const column = this.runs[run]?.byName.get(name);
    return column ? valueAt(this.runs[run], column, t) : NaN;
  }

  dispose(): void {
    this.wake = () => {};
    cancelAnimationFrame(this.request);
    this.abort.abort();
    this.view?.dispose();
    this.plots.forEach((p) => p.dispose());
    this.compared?.dispose();
  }
}
