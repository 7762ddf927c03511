// SPDX-License-Identifier: Apache-2.0
// The page of a paper: what it claims, what was run here, what came out, ours beside theirs.
import type { Claim, Erratum, Grid, Item, PaperPage, Reproduction } from "./data";
import { format, h, shorten } from "./dom";
import { Figure } from "./figure";
import { themeButton } from "./theme";

const DIGITS = 4; // of a number here; counts are whole
const SHORT_UNIT = 8; // letters; such a one stays with its number
const MANY_NUMBERS = 8; // more of them are folded, when all are as expected

const verdicts: Record<Item["verdict"], { kind: string; sign: string; meaning: string }> = {
  reproduced: { kind: "yes", sign: "✓", meaning: "what the paper reports holds here" },
  differs: { kind: "no", sign: "≠", meaning: "it does not, and the words say why" },
  "cannot be known": { kind: "open", sign: "?", meaning: "the paper does not say enough to tell" },
  failed: { kind: "bad", sign: "!", meaning: "it could not be computed; the words are the message" },
};

function badge(verdict: Item["verdict"]): HTMLElement {
  const { kind, sign } = verdicts[verdict];
  return h("span", { class: `verdict ${kind}` }, h("i", { "aria-hidden": "true" }, sign), verdict);
}

/** Beside a verdict that this run does not support; a failure reports it itself. */
function alarm(item: Item): HTMLElement | null {
  return item.holds || item.verdict === "failed" ? null : h("span", { class: "verdict bad" }, h("i", { "aria-hidden": "true" }, "!"), "not as expected");
}

/** A command; its words are not broken at their hyphens. */
function code(text: string): HTMLElement {
  return h("code", {}, ...text.split(" ").flatMap((word, i) => [i > 0 ? " " : "", h("span", {}, word)]));
}

/** Text with `commands` and --options in it, and an empty line between paragraphs. */
function prose(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).map((paragraph) =>
    h("p", {}, ...paragraph.split(/`([^`]*)`|(--[a-z][a-z-]*)/).map((piece, i) => (piece && i % 3 !== 0 ? code(piece) : piece))));
}

/** A number of ours. */
function ourNumber(value: number | null): string {
  return format(value, Number.isInteger(value) ? 7 : DIGITS);
}

function link(item: Item): HTMLElement {
  return h("a", { href: `#${encodeURIComponent(item.name)}` }, item.title);
}

function scroller(label: string, table: HTMLElement): HTMLElement {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

function numbersHold(item: Item): string {
  const held = item.claims.filter((c) => c.holds).length;
  return item.claims.length > 0 ? `${held} of ${item.claims.length}` : "–";
}

/** All items with their verdicts. */
function summaryOf(items: Item[]): HTMLElement {
  const rows = items.map((item) => h("tr", { class: item.holds ? "" : "off" },
    h("th", { scope: "row" }, link(item)),
    h("td", {}, badge(item.verdict), alarm(item)),
    h("td", { "data-head": "Numbers as expected" }, numbersHold(item)),
    h("td", { class: "words" }, ...prose(item.words))));
  return h("section", { class: "panel", id: "outcome" },
    h("h2", {}, "What came out"),
    h("table", { class: "stacks summary" },
      h("caption", {}, "All figures and tables with their verdicts"),
      h("thead", {}, h("tr", {}, ...["Item", "Verdict", "Numbers as expected", "In words"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...rows)));
}

/** Our number with the paper's behind it, set off. */
function pair(ours: number | null, theirs: number | null): (Node | string)[] {
  const their = theirs === null ? [] : [" ", h("span", { class: "theirs" }, `(${format(theirs)})`)];
  return [h("span", {}, ourNumber(ours)), ...their];
}

function gridOf(grid: Grid): HTMLElement {
  const body = grid.rows.map((row) => h("tr", {}, ...row.map((cell, k) => {
    if (typeof cell === "string") {
      return k === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: "word" }, cell);
    }
    return h("td", {}, ...pair(cell.ours, cell.theirs));
  })));
  const wordy = (k: number) => k > 0 && grid.rows.every((row) => typeof row[k] === "string");
  const both = grid.rows.flat().some((cell) => typeof cell !== "string" && cell.theirs !== null);
  return h("div", { class: "grid" },
    h("h3", {}, grid.title, both ? h("span", { class: "key" }, "ours ", h("span", { class: "theirs" }, "(theirs)")) : null),
    scroller(grid.title, h("table", {},
      h("caption", {}, grid.title),
      h("thead", {}, h("tr", {}, ...grid.columns.map((c, k) => h("th", { scope: "col", class: wordy(k) ? "word" : undefined }, c)))),
      h("tbody", {}, ...body))));
}

/** Where our number is expected; an open end is null. */
function expected({ low, high }: Claim): string {
  if (low === null || high === null) {
    return low !== null ? `at least ${ourNumber(low)}` : high !== null ? `at most ${ourNumber(high)}` : "any";
  }
  return low === high ? `exactly ${ourNumber(low)}` : `${ourNumber(low)} to ${ourNumber(high)}`;
}

function claimsOf(item: Item): HTMLElement {
  const rows = item.claims.map((c) => {
    const space = c.unit.length <= SHORT_UNIT ? "\u00a0" : " ";
    const measure = (value: number | null, text: string) =>
      h("span", {}, text, value !== null && c.unit ? h("small", {}, space + c.unit) : null);
    const ok = c.holds ? h("span", { class: "ok" }, "✓ yes") : c.timed ? h("span", { title: "It follows from measured times, which other work on the machine moves" }, "not in this run (timed)") : h("span", { class: "off" }, "✗ no");
    return h("tr", { class: c.holds || c.timed ? "" : "off" },
      h("th", { scope: "row" }, c.what),
      h("td", { "data-head": "Paper", class: "theirs" }, measure(c.theirs, format(c.theirs))),
      h("td", { "data-head": "Here", class: "ours" }, measure(c.ours, ourNumber(c.ours))),
      h("td", { "data-head": "Expected here" }, expected(c)),
      h("td", { "data-head": "As expected" }, ok));
  });
  const open = !item.holds || item.claims.length <= MANY_NUMBERS;
  return h("details", { class: "grid", open },
    h("summary", {}, h("h3", {}, "Numbers"), h("span", { class: "unit" }, `${numbersHold(item)} as expected`)),
    h("table", { class: "stacks claims" },
      h("caption", {}, `Numbers of ${item.title}: the paper's, ours, and where ours is expected`),
      h("thead", {}, h("tr", {}, ...["What", "Paper", "Here", "Expected here", "As expected"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...rows)));
}

/** Figures outside of the expected range, first of all. */
function warningOf(item: Item): HTMLElement | null {
  if (item.holds || item.verdict === "failed") {
    return null;
  }
  const off = item.claims.filter((c) => !c.holds && !c.timed).map((c) => c.what);
  const what = off.length > 0 ? `: ${off.join("; ")}.` : ".";
  return h("p", { class: "warning", role: "note" }, h("b", {}, "Not as expected"), `${what} This run does not support the verdict; the table of numbers has the details.`);
}

function itemOf(item: Item, figures: Figure[]): HTMLElement {
  const { kind } = verdicts[item.verdict];
  const took = item.seconds !== null ? h("span", { class: "took" }, `took ${format(item.seconds, 2)} s`) : null;
  return h("section", { class: "item panel", id: item.name, "aria-label": item.title },
    h("div", { class: "head" }, h("h2", {}, item.title), badge(item.verdict), alarm(item)),
    warningOf(item),
    h("dl", { class: "story" },
      h("dt", {}, "The paper reports"), h("dd", {}, ...prose(item.claimed)),
      h("dt", {}, "Run here"), h("dd", {}, ...prose(item.run))),
    h("div", { class: `outcome ${kind}` }, ...prose(item.words)),
    ...figures.map((f) => f.root),
    ...item.tables.map(gridOf),
    item.claims.length > 0 ? claimsOf(item) : null,
    h("p", { class: "command" }, h("span", {}, "Made by"), code(item.command), took));
}

function erratumOf(e: Erratum): HTMLElement {
  return h("li", {},
    h("h3", {}, e.where),
    h("dl", { class: "story" },
      h("dt", {}, "Printed"), h("dd", {}, ...prose(e.printed)),
      h("dt", {}, "Should be"), h("dd", {}, ...prose(e.should)),
      h("dt", {}, "Proof"), h("dd", {}, ...prose(e.proof))));
}

function errataOf(errata: Erratum[]): HTMLElement | null {
  return errata.length === 0 ? null : h("section", { class: "panel errata", id: "errata" },
    h("h2", {}, "Errata"),
    h("p", { class: "lead" }, "Errors found in the paper on the way, each with its proof."),
    h("ol", {}, ...errata.map(erratumOf)));
}

function countsOf(items: Item[]): HTMLElement {
  const kinds = (Object.keys(verdicts) as Item["verdict"][]).filter((v) => v !== "failed" || items.some((i) => i.verdict === v));
  return h("ul", { class: "counts", "aria-label": "Verdicts" }, ...kinds.map((v) =>
    h("li", {}, h("b", {}, String(items.filter((i) => i.verdict === v).length)), badge(v), h("small", {}, verdicts[v].meaning))));
}

function introOf(r: Reproduction): HTMLElement {
  const off = r.items.filter((i) => !i.holds);
  const warning = off.length === 0 ? null : h("p", { class: "warning", role: "note" },
    h("b", {}, `${off.length} of ${r.items.length} items not as expected: `),
    ...off.flatMap((i, k) => [k > 0 ? ", " : "", link(i)]), ". A number there is not where it was expected, or could not be had: see which, before you trust the rest.");
  const quick = r.quick ? h("p", { class: "quick" }, h("b", {}, "A quick run. "), "The runs are shorter, smaller or fewer than the paper's; each item says which. The whole: ", code(`cardan reproduce ${r.paper}`), ".") : null;
  return h("section", { class: "intro" },
    h("h1", {}, r.title),
    h("p", { class: "authors" }, r.authors),
    h("p", { class: "published" }, r.published),
    warning,
    h("div", { class: "about" }, ...prose(r.about)),
    h("p", { class: "how" }, "What the paper reports was run again with Cardan. Lines and plain numbers are ours; ",
      h("span", { class: "theirs" }, "hollow points and numbers like this"), " are the paper's, as it prints them."),
    quick,
    countsOf(r.items));
}

function navOf(r: Reproduction): HTMLElement {
  const entry = (to: string, text: string, kind: string, sign: string) =>
    h("li", {}, h("a", { href: `#${encodeURIComponent(to)}` }, h("i", { class: kind, "aria-hidden": "true" }, sign), text));
  return h("nav", { "aria-label": "Items" }, h("ul", {},
    entry("outcome", "What came out", "", ""),
    ...r.items.map((i) => (i.holds ? entry(i.name, i.title, verdicts[i.verdict].kind, verdicts[i.verdict].sign) : entry(i.name, i.title, "bad", "!"))),
    r.errata.length > 0 ? entry("errata", "Errata", "", "") : null));
}

export class PaperView {
  readonly figures: Figure[] = [];

  constructor(root: HTMLElement, page: PaperPage) {
    const r = page.reproduction;
    document.title = `${shorten(r.title, 60)} · Cardan`;
    document.documentElement.classList.add("paper");
    const theme = themeButton(() => this.figures.forEach((f) => f.theme()));
    const sections = r.items.map((item) => {
      const figures = item.plots.map((plot) => new Figure(plot));
      this.figures.push(...figures);
      return itemOf(item, figures);
    });
    root.replaceChildren(
      h("header", {}, h("span", { class: "kicker" }, "A paper reproduced"), h("span", { class: "badge" }, r.paper), r.quick ? h("span", { class: "badge" }, "quick") : null,
        h("span", { class: "fill" }), h("span", { class: "brand" }, `Cardan ${page.version}`), theme),
      h("main", {}, navOf(r), h("article", {}, introOf(r), summaryOf(r.items), ...sections, errataOf(r.errata))));
    window.addEventListener("keydown", (e) => {
      if (e.key.toLowerCase() === "t" && !e.ctrlKey && !e.metaKey && !e.altKey) {
        theme.click();
      }
    });
    // the sections were not there yet when the browser looked for the address's
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }
}
