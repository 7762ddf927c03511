// SPDX-License-Identifier: Apache-2.0
// The state of a page behind the # of its address: time, camera, what is selected, plots, tab; `embed` for
// the motion alone. Others open it and see the same.
import type { Look } from "./series";

export interface Place {
  time?: number;
  camera?: number[]; // position, then target
  selected?: string;
  tab?: string;
  traces?: string[];
  plots?: { names: string[]; look: Partial<Look> }[];
  range?: [number, number];
  embed: boolean;
}

const flags = ["log", "rate", "degrees", "wrap"] as const;

function numbers(text: string | null, n: number): number[] | undefined {
  const list = (text ?? "").split(",").map(Number);
  return text && list.length === n && list.every(Number.isFinite) ? list : undefined;
}

/** One plot: columns, then how it looks, each escaped for itself. */
function plotText({ names, look }: { names: string[]; look: Partial<Look> }): string {
  const words = flags.filter((f) => look[f]);
  return [names.map(encodeURIComponent).join("*"), words.join("*"), encodeURIComponent(look.x ?? "")].join("~");
}

function plotOf(text: string): { names: string[]; look: Partial<Look> } {
  const [names = "", words = "", x = ""] = text.split("~");
  const look: Partial<Look> = { x: decodeURIComponent(x) };
  words.split("*").forEach((w) => flags.forEach((f) => f === w && (look[f] = true)));
  return { names: names.split("*").filter(Boolean).map(decodeURIComponent), look };
}

export function writeAddress(place: Place): string {
  const out = new URLSearchParams();
  const short = (v: number) => String(Number(v.toPrecision(6)));
  const put = (key: string, value: string | undefined) => value !== undefined && value !== "" && out.append(key, value);
  put("t", place.time === undefined ? undefined : short(place.time));
  put("camera", place.camera?.map(short).join(","));
  put("select", place.selected);
  put("tab", place.tab);
  put("range", place.range?.map(short).join(","));
  place.traces?.forEach((name) => put("trace", name));
  place.plots?.forEach((p) => put("plot", plotText(p)));
  const text = out.toString();
  return place.embed ? `embed${text ? `&${text}` : ""}` : text;
}

/** What is not understood is left out. */
export function readAddress(hash: string): Place {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const time = numbers(given.get("t"), 1)?.[0];
  const range = numbers(given.get("range"), 2) as [number, number] | undefined;
  let plots: Place["plots"] = [];
  try {
    plots = given.getAll("plot").map(plotOf);
  } catch {
    // escapes that are none
  }
  return {
    time, range: range && range[0] < range[1] ? range : undefined, camera: numbers(given.get("camera"), 6), selected: given.get("select") ?? undefined,
    tab: given.get("tab") ?? undefined, traces: given.getAll("trace"), plots, embed: given.has("embed"),
  };
}
