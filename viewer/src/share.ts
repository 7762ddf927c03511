// SPDX-License-Identifier: Apache-2.0
// Things to take away: a plot as a picture, a drawing or a table.
import { ink, logSplits } from "./axes";
import type { Run } from "./data";
import { format } from "./dom";
import type { TimePlot } from "./plots";

/** Offers bytes as a file. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A name for a file: letters, digits, dashes. */
export function fileName(title: string, ending: string): string {
  const words = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${words || "cardan"}.${ending}`;
}

/** A cell of a table: quoted where it needs to be, so that names cannot make other cells. */
function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** The rows that are seen, of the curves that are seen, run by run: t, then each curve. */
export function plotCsv(plot: TimePlot): string {
  const [low, high] = plot.range;
  const runs = [...new Set(plot.seen.map((s) => s.curve.run))];
  const lines: string[] = [];
  for (const run of runs) {
    const of = plot.seen.filter((s) => s.curve.run === run);
    const across = plot.isXY ? [[plot.look.x, of[0].across!] as const] : [];
    const columns = [...across, ...of.map((s) => [s.curve.label, s.samples] as const)];
    lines.push(["t [s]", ...columns.map(([name, s]) => cell(s.unit ? `${name} [${s.unit}]` : name))].join(","));
    run.times.forEach((t, i) => {
      if (t >= low && t <= high) {
        lines.push([t, ...columns.map(([, s]) => s.values[i])].map((v) => (Number.isNaN(v) ? "" : String(v))).join(","));
      }
    });
  }
  return `${lines.join("\n")}\n`;
}

/** All columns of a run, of the rows within a range. */
export function runCsv(run: Run, low: number, high: number): string {
  const lines = [["t", ...run.list.map((c) => cell(c.name))].join(",")];
  run.times.forEach((t, i) => {
    if (t >= low && t <= high) {
      lines.push([t, ...run.list.map((c) => c.first + c.delta[i])].map((v) => (Number.isNaN(v) ? "" : String(v))).join(","));
    }
  });
  return `${lines.join("\n")}\n`;
}

export function savePlotCsv(plot: TimePlot): void {
  save(fileName(plot.options.title, "csv"), new Blob([plotCsv(plot)], { type: "text/csv" }));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
}

/** Round numbers within a range. */
function splitsOf(low: number, high: number, log: boolean): number[] {
  if (log) {
    return logSplits(low, high);
  }
  const unit = 10 ** Math.floor(Math.log10((high - low) / 4));
  const step = unit * ([1, 2, 5].find((m) => m * unit * 6 >= high - low) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

interface Frame {
  x: (v: number) => number;
  y: (v: number, scale: string) => number;
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 360, 70, 44, 690, 310];

function frameOf(plot: TimePlot): Frame {
  const { scales } = plot.drawing;
  const to = (scale: string) => {
    const { min = 0, max = 1, distr } = scales[scale];
    const f = distr === 3 ? Math.log10 : (v: number) => v;
    return (v: number) => (f(v) - f(min!)) / (f(max!) - f(min!));
  };
  return { x: (v) => LEFT + to("x")(v) * (RIGHT - LEFT), y: (v, scale) => BOTTOM - to(scale)(v) * (BOTTOM - TOP) };
}

/** The path of one curve: what lies outside the frame is clipped by the drawing. */
function pathOf(plot: TimePlot, k: number, f: Frame): string {
  const { curve, samples: { values, turn }, across, scale } = plot.seen[k];
  const [low, high] = plot.isXY ? [-Infinity, Infinity] : plot.range;
  const { times } = curve.run;
  let path = "";
  let open = false;
  for (let i = 0; i < times.length; i++) {
    const inside = (times[i + 1] ?? times[i]) >= low && (times[i - 1] ?? times[i]) <= high;
    const v = plot.look.log ? Math.abs(values[i]) : values[i];
    const good = inside && Number.isFinite(v) && !(plot.look.log && v === 0);
    const jump = turn > 0 && i > 0 && Math.abs(values[i] - values[i - 1]) > turn / 2;
    if (good) {
      path += `${open && !jump ? "L" : "M"}${f.x(across ? across.values[i] : times[i]).toFixed(2)} ${f.y(v, scale).toFixed(2)}`;
    }
    open = good;
  }
  return path;
}

function axesSvg(plot: TimePlot, f: Frame, units: string[]): string {
  const { text, grid } = ink();
  const { x, y, y2 } = plot.drawing.scales;
  let out = "";
  for (const v of splitsOf(x.min!, x.max!, false)) {
    out += `<path d="M${f.x(v).toFixed(1)} ${TOP}V${BOTTOM}" stroke="${grid}"/><text x="${f.x(v).toFixed(1)}" y="${BOTTOM + 16}" text-anchor="middle">${format(v)}</text>`;
  }
  for (const v of splitsOf(y.min!, y.max!, plot.look.log)) {
    out += `<path d="M${LEFT} ${f.y(v, "y").toFixed(1)}H${RIGHT}" stroke="${grid}"/><text x="${LEFT - 6}" y="${(f.y(v, "y") + 4).toFixed(1)}" text-anchor="end">${format(v, 4)}</text>`;
  }
  for (const v of units.length === 2 ? splitsOf(y2.min!, y2.max!, plot.look.log) : []) {
    out += `<text x="${RIGHT + 4}" y="${(f.y(v, "y2") + 4).toFixed(1)}">${format(v, 3)}</text>`;
  }
  const across = plot.isXY ? `${plot.look.x} [${plot.seen[0]?.across!.unit || "1"}]` : "t [s]";
  return `${out}<text x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${escaped(across)}</text><path d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}" stroke="${text}" fill="none"/>`;
}

/** The plot as a drawing of its own, in the colours of the page. */
export function plotSvg(plot: TimePlot): string {
  const { text, back } = ink();
  const f = frameOf(plot);
  const units = [...new Set(plot.seen.map((s) => s.samples.unit))];
  let at = LEFT;
  const legend = plot.seen.map(({ curve, samples }) => {
    const label = `${curve.label}${samples.unit ? ` [${samples.unit}]` : ""}`;
    const item = `<path d="M${at} 32h14" stroke="${curve.color}" stroke-width="2.5"/><text x="${at + 19}" y="36">${escaped(label)}</text>`;
    at += 34 + 6.4 * label.length;
    return item;
  });
  const curves = plot.seen.map(({ curve }, k) => `<path d="${pathOf(plot, k, f)}" stroke="${curve.color}" stroke-width="1.5" stroke-linejoin="round" fill="none"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${text}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="${back}"/><clipPath id="frame"><rect x="${LEFT}" y="${TOP}" width="${RIGHT - LEFT}" height="${BOTTOM - TOP}"/></clipPath>
<text x="${LEFT}" y="18" font-weight="600">${escaped(plot.options.title)}</text>${legend.join("")}
${axesSvg(plot, f, units)}
<g clip-path="url(#frame)">${curves.join("\n")}</g>
</svg>
`;
}

export function savePlotSvg(plot: TimePlot): void {
  save(fileName(plot.options.title, "svg"), new Blob([plotSvg(plot)], { type: "image/svg+xml" }));
}

/** The drawing above at twice its size, so that names and numbers are on it too. */
export function savePlotPng(plot: TimePlot): void {
  const picture = new Image();
  picture.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * WIDTH;
    canvas.height = 2 * HEIGHT;
    canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && save(fileName(plot.options.title, "png"), blob));
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(plotSvg(plot))}`;
}
