// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "reproduce/svg_text.h"
#include "reproduce/write.h"

/* A result as Markdown (docs/performance.md) and as a page. */

/* ---- Markdown ---- */

/* A text inside a table of Markdown. */
static void add_cell(cardan__text *text, const char *words)
{
  for (const char *c = words; *c != '\0'; c++) {
    cardan__text_printf(text, *c == '|' ? "\\|" : "%c", *c);
  }
}

static void markdown_row(const cardan__bench_table *t, const cardan__bench_row *row,
                         cardan__text *text)
{
  cardan__text_printf(text, "| ");
  add_cell(text, row->label);
  for (int k = 0; k < t->ncolumn; k++) {
    char cell[CARDAN__BENCH_CELL];
    cardan__bench_cell(row, k, cell);
    cardan__text_printf(text, " | %s", cell);
  }
  if (t->told) {
    cardan__text_printf(text, " | ");
    add_cell(text, row->how);
  }
  cardan__text_printf(text, " |\n");
}

static void markdown_table(const cardan__bench_table *t, cardan__text *text)
{
  cardan__text_printf(text, "### %s\n\n| ", t->title);
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__text_printf(text, "| %s ", t->column[k]);
  }
  cardan__text_printf(text, "%s|\n|---", t->told ? "| how " : "");
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__text_printf(text, "|---:");
  }
  cardan__text_printf(text, "%s|\n", t->told ? "|---" : "");
  for (int r = 0; r < t->nrow; r++) {
    markdown_row(t, &t->row[r], text);
  }
  cardan__text_printf(text, "\n");
  if (t->words[0] != '\0') {
    cardan__text_printf(text, "%s\n\n", t->words);
  }
  char note[CARDAN__BENCH_NOTE];
  for (int r = 0, k = 0; cardan__bench_note(t, &r, &k, note, sizeof note);) {
    cardan__text_printf(text, "- %s\n", note);
  }
  cardan__text_printf(text, "\n");
}

void cardan__bench_markdown(const cardan_bench_result *r, const char *figures, cardan__text *text)
{
  const cardan__bench_machine *m = &r->machine;
  cardan__text_printf(
      text,
      "# Performance\n\nWritten by `make bench` (`cardan bench --markdown FILE`); do not edit.\n\n"
      "%s, %d cores; %s; flags `%s`; BLAS: %s; cardan %s, %s%s.\n\n"
      "Times are processor times: the minimum over several alternating batches. ",
      m->processor, m->cores, m->compiler, m->flags, m->blas, cardan_version(), m->date,
      r->quick ? ", a quick look" : "");
  if (r->nold > 0) {
    cardan__text_printf(text,
                        "In brackets: the numbers of `performance-before.csv`, which the same "
                        "command measured at the commit that the file names. ");
  }
  cardan__text_printf(text, "\n\n");
  for (int k = 0; k < r->ntable; k++) {
    if (k == 0 || strcmp(r->table[k].part, r->table[k - 1].part) != 0) {
      cardan__text_printf(text, "## %s\n\n", r->table[k].part);
      for (int i = 0; i < r->figures.nplot && figures != NULL; i++) {
        const cardan__plot *plot = &r->figures.plot[i];
        if (strncmp(plot->name, r->table[k].part, strlen(r->table[k].part)) == 0) {
          cardan__text_printf(text, "![%s](%s/%s.svg)\n\n", plot->title, figures, plot->name);
        }
      }
    }
    markdown_table(&r->table[k], text);
  }
}

/* ---- the page ---- */

static const char style[] =
    ":root { color-scheme: light dark; --back: #fff; --text: #18212c; --faint: #485463; "
    "--line: #e6eaef }\n"
    "@media (prefers-color-scheme: dark) { :root { --back: #171c23; --text: #e8ecf1; "
    "--faint: #b4bfcb; --line: #29313b } }\n"
    "body { font: 15px/1.5 system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; "
    "background: var(--back); color: var(--text); max-width: 78rem; margin: 2rem auto; "
    "padding: 0 1rem }\n"
    "h1 { margin-bottom: 0 } h2 { margin-top: 2.5rem; text-transform: capitalize } "
    "h3 { margin: 1.5rem 0 .3rem; font-size: 1rem }\n"
    "p, li, .how { color: var(--faint) } .table { overflow-x: auto }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
    "th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--line); "
    "white-space: nowrap }\n"
    "th:first-child, td:first-child, .how { text-align: left } td:first-child { font-weight: 600 "
    "}\n"
    ".before { color: var(--faint); font-size: .85em } .how { font-size: .85em }\n"
    "svg { max-width: 100%; height: auto }\n";

static void add_escaped(cardan__text *text, const char *words)
{
  cardan__svg_add_text(text, words, strlen(words));
}

static void html_row(const cardan__bench_table *t, const cardan__bench_row *row, cardan__text *text)
{
  cardan__text_printf(text, "<tr><td>");
  add_escaped(text, row->label);
  cardan__text_printf(text, "</td>");
  for (int k = 0; k < t->ncolumn; k++) {
    char now[CARDAN__BENCH_NUMBER], before[CARDAN__BENCH_NUMBER];
    cardan__bench_number(row->value[k], now);
    cardan__bench_number(row->before[k], before);
    cardan__text_printf(text, "<td>%s", now[0] != '\0' || row->note[k] == NULL ? now : "-");
    if (before[0] != '\0') {
      cardan__text_printf(text, " <span class=\"before\">(%s)</span>", before);
    }
    cardan__text_printf(text, "</td>");
  }
  if (t->told) {
    cardan__text_printf(text, "<td class=\"how\">");
    add_escaped(text, row->how);
    cardan__text_printf(text, "</td>");
  }
  cardan__text_printf(text, "</tr>\n");
}

static void html_notes(const cardan__bench_table *t, cardan__text *text)
{
  int n = 0;
  char note[CARDAN__BENCH_NOTE];
  for (int r = 0, k = 0; cardan__bench_note(t, &r, &k, note, sizeof note);) {
    cardan__text_printf(text, "%s<li>", n++ == 0 ? "<ul>\n" : "");
    add_escaped(text, note);
    cardan__text_printf(text, "</li>\n");
  }
  cardan__text_printf(text, "%s", n > 0 ? "</ul>\n" : "");
}

static void html_table(const cardan__bench_table *t, cardan__text *text)
{
  cardan__text_printf(text, "<h3>");
  add_escaped(text, t->title);
  cardan__text_printf(text, "</h3>\n<div class=\"table\"><table><tr><th></th>");
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__text_printf(text, "<th>");
    add_escaped(text, t->column[k]);
    cardan__text_printf(text, "</th>");
  }
  cardan__text_printf(text, "%s</tr>\n", t->told ? "<th class=\"how\">how</th>" : "");
  for (int r = 0; r < t->nrow; r++) {
    html_row(t, &t->row[r], text);
  }
  cardan__text_printf(text, "</table></div>\n<p>");
  add_escaped(text, t->words);
  cardan__text_printf(text, "</p>\n");
  html_notes(t, text);
}

void cardan__bench_html(const cardan_bench_result *r, cardan__text *text)
{
  const cardan__bench_machine *m = &r->machine;
  cardan__text_printf(text,
                      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width\">"
                      "<title>Cardan: performance</title>\n<style>\n%s</style></head><body>\n"
                      "<h1>Performance</h1>\n<p>",
                      style);
  add_escaped(text, m->processor);
  cardan__text_printf(text, ", %d cores; ", m->cores);
  add_escaped(text, m->compiler);
  cardan__text_printf(text, "; <code>");
  add_escaped(text, m->flags);
  cardan__text_printf(text, "</code>; BLAS: ");
  add_escaped(text, m->blas);
  cardan__text_printf(text,
                      "; cardan %s, %s%s. Processor times, the least of several batches, which "
                      "take turns.%s</p>\n",
                      cardan_version(), m->date, r->quick ? ", a quick look" : "",
                      r->nold > 0 ? " In brackets: before." : "");
  for (int k = 0; k < r->ntable; k++) {
    if (k == 0 || strcmp(r->table[k].part, r->table[k - 1].part) != 0) {
      cardan__text_printf(text, "<h2>%s</h2>\n", r->table[k].part);
      for (int i = 0; i < r->figures.nplot; i++) {
        const cardan__plot *plot = &r->figures.plot[i];
        if (strncmp(plot->name, r->table[k].part, strlen(r->table[k].part)) == 0) {
          cardan__plot_svg(plot, text);
        }
      }
    }
    html_table(&r->table[k], text);
  }
  cardan__text_printf(text, "</body></html>\n");
}
