// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "reproduce/write.h"

static void add(cardan__text *text, const char *words)
{
  cardan__text_add(text, words, strlen(words));
}

/* A text inside a table: bars are escaped, line ends are spaces. */
static void add_inside(cardan__text *text, const char *words)
{
  for (const char *c = words; *c != '\0'; c++) {
    if (*c == '|') {
      cardan__text_add(text, "\\", 1);
    }
    cardan__text_add(text, *c == '\n' ? " " : c, 1);
  }
}

static void add_number(cardan__text *text, double value)
{
  char number[CARDAN__NUMBER_SIZE];
  if (isfinite(value)) {
    const double size = fabs(value); // counts are not cut
    const int digits = size >= 1e3 && size < 1e6 ? (int)ceil(log10(size + 1)) : 3;
    cardan__text_add(text, number, cardan__format_number(number, value, digits));
  } else {
    add(text, isnan(value) ? "" : value > 0 ? "any" : "-any");
  }
}

/* "ours", or "ours (theirs)". */
static void add_pair(cardan__text *text, double ours, double theirs)
{
  add_number(text, ours);
  if (isnan(ours)) {
    add(text, "-");
  }
  if (!isnan(theirs)) {
    add(text, " (");
    add_number(text, theirs);
    add(text, ")");
  }
}

static void add_grid(cardan__text *text, const cardan__grid *grid)
{
  cardan__text_printf(text, "%s. Ours, and the paper's in brackets.\n\n|", grid->title);
  for (int i = 0; i < grid->ncolumn; i++) {
    add(text, " ");
    add_inside(text, grid->column[i]);
    add(text, " |");
  }
  add(text, "\n|");
  for (int i = 0; i < grid->ncolumn; i++) {
    add(text, "---|");
  }
  for (int i = 0; i < grid->ncell; i++) {
    add(text, i % grid->ncolumn == 0 ? "\n| " : " ");
    if (grid->cell[i].text != NULL) {
      add_inside(text, grid->cell[i].text);
    } else {
      add_pair(text, grid->cell[i].ours, grid->cell[i].theirs);
    }
    add(text, " |");
  }
  add(text, "\n\n");
}

static void add_claims(cardan__text *text, const cardan__outcome *out)
{
  if (out->nclaim == 0) {
    return;
  }
  add(text, "| number | theirs | ours | expected here |\n|---|---|---|---|\n");
  for (int i = 0; i < out->nclaim; i++) {
    const cardan__claim *c = &out->claim[i];
    add(text, "| ");
    add_inside(text, c->what);
    if (c->unit[0] != '\0') {
      add(text, " [");
      add_inside(text, c->unit);
      add(text, "]");
    }
    add(text, " | ");
    add_number(text, c->theirs);
    add(text, " | ");
    add_number(text, c->ours);
    add(text, " | ");
    add_number(text, c->low);
    add(text, " .. ");
    add_number(text, c->high);
    add(text, cardan__claim_holds(c) ? " |\n"
              : c->timed             ? ": not there in this run, by the clock |\n"
                                     : ": **not there** |\n");
  }
  add(text, "\n");
}

/* Is the verdict not supported by the numbers? A failure reports it itself. */
static bool is_off(const cardan__outcome *out)
{
  return out->verdict != CARDAN__FAILED && !cardan__outcome_holds(out);
}

void cardan__made_markdown(const cardan__made *made, cardan__text *text)
{
  const cardan__outcome *out = made->out;
  char name[CARDAN__FILE_NAME], command[CARDAN__FILE_NAME];
  cardan__made_command(made, command);
  cardan__text_printf(text, "### %s\n\n**Paper:** %s\n\n**Here:** %s\n\n", made->item->title,
                      made->item->claimed, made->item->run);
  for (int i = 0; i < out->nplot; i++) {
    cardan__made_name(made, out->plot[i].name, name);
    cardan__text_printf(text, "![%s](reproduction/%s.svg)\n\n", out->plot[i].title, name);
  }
  for (int i = 0; i < out->ngrid; i++) {
    add_grid(text, &out->grid[i]);
  }
  add_claims(text, out);
  cardan__text_printf(text, "**%s%s.** %s\n\n`%s`\n\n", cardan__verdict_text(out->verdict),
                      is_off(out) ? ", but not as expected" : "", out->words, command);
}

void cardan__made_markdown_row(const cardan__made *made, cardan__text *text)
{
  const cardan__outcome *out = made->out;
  cardan__text_printf(text, "| %s | ", made->paper->name);
  add_inside(text, made->item->title);
  cardan__text_printf(text, " | %s%s | ", cardan__verdict_text(out->verdict),
                      is_off(out) ? ", **not as expected**" : "");
  const char *end = strstr(out->words, ". "); // its first sentence
  cardan__text part;
  cardan__text_init(&part, &text->alloc);
  cardan__text_add(&part, out->words, end ? (size_t)(end - out->words) + 1 : strlen(out->words));
  add_inside(text, part.data ? part.data : "");
  text->failed = text->failed || part.failed;
  cardan__text_free(&part);
  add(text, " |\n");
}

void cardan__paper_markdown_head(const cardan__paper *paper, cardan__text *text)
{
  cardan__text_printf(text, "## %s: %s\n\n%s, %s.\n\n%s\n\n", paper->name, paper->title,
                      paper->authors, paper->published, paper->about);
}

void cardan__paper_markdown_errata(const cardan__paper *paper, cardan__text *text)
{
  if (paper->nerratum == 0) {
    return;
  }
  add(text, "### Errata\n\n| where | printed | should be | proof |\n|---|---|---|---|\n");
  for (int i = 0; i < paper->nerratum; i++) {
    const cardan__erratum *e = &paper->erratum[i];
    const char *const field[] = {e->where, e->printed, e->should, e->proof};
    for (int k = 0; k < 4; k++) {
      add(text, k == 0 ? "| " : " | ");
      add_inside(text, field[k]);
    }
    add(text, " |\n");
  }
  add(text, "\n");
}
