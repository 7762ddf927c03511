// SPDX-License-Identifier: Apache-2.0
// Elements without markup: every string that comes from a model goes in as text.

type Child = Node | string | null | undefined | false;

/** An element with attributes and children; strings become text. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/** An icon of 24 units: paths of strokes. */
export function icon(path: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

/** A number for people: six digits, no more zeros than needed. */
export function format(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return "–";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "∞" : "−∞";
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    return value.toExponential(Math.min(digits, 4) - 1).replace(/\.?0+e/, "e").replace(/-/g, "−").replace("e+", "e");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** A count for people: 1,000,000. */
export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** Long names keep their start; the whole is in the tooltip. */
export function shorten(text: string, limit = 40): string {
  const letters = Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : text;
}
