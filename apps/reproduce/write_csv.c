// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "output/result_table.h"
#include "reproduce/write.h"

typedef struct {
  const char *kind, *name, *series;
  bool theirs;
} series;

static void add_line(cardan__text *text, const cardan__made *made, const series *s, double x,
                     double y)
{
  const char *const field[] = {made->paper->name, made->item->name, s->kind,
                               s->name,           s->series,        s->theirs ? "theirs" : "ours"};
  for (int i = 0; i < 6; i++) {
    if (field[i][0] != '\0') {
      cardan__csv_field(text, field[i]);
    }
    cardan__text_add(text, ",", 1);
  }
  if (!isnan(x)) {
    cardan__text_number(text, x);
  }
  cardan__text_add(text, ",", 1);
  if (!isnan(y)) {
    cardan__text_number(text, y);
  }
  cardan__text_add(text, "\n", 1);
}

static void add_plot(cardan__text *text, const cardan__made *made, const cardan__plot *plot)
{
  for (int i = 0; i < plot->ncurve; i++) {
    const cardan__curve *curve = &plot->curve[i];
    const series s = {"plot", plot->title, curve->label, curve->theirs};
    for (int k = 0; k < curve->n; k++) {
      add_line(text, made, &s, curve->x[k], curve->y[k]);
    }
  }
}

/* x is the number of the row, from 1. */
static void add_grid(cardan__text *text, const cardan__made *made, const cardan__grid *grid)
{
  for (int i = 0; i < grid->ncell; i++) {
    const cardan__cell *cell = &grid->cell[i];
    const int row = i / grid->ncolumn + 1;
    series s = {"table", grid->title, grid->column[i % grid->ncolumn], false};
    if (cell->text != NULL) {
      continue;
    }
    add_line(text, made, &s, row, cell->ours);
    if (!isnan(cell->theirs)) {
      s.theirs = true;
      add_line(text, made, &s, row, cell->theirs);
    }
  }
}

void cardan__made_csv(const cardan__made *made, cardan__text *text)
{
  const cardan__outcome *out = made->out;
  for (int i = 0; i < out->nplot; i++) {
    add_plot(text, made, &out->plot[i]);
  }
  for (int i = 0; i < out->ngrid; i++) {
    add_grid(text, made, &out->grid[i]);
  }
  for (int i = 0; i < out->nclaim; i++) {
    series s = {"number", out->claim[i].what, out->claim[i].unit, false};
    add_line(text, made, &s, NAN, out->claim[i].ours);
    if (!isnan(out->claim[i].theirs)) {
      s.theirs = true;
      add_line(text, made, &s, NAN, out->claim[i].theirs);
    }
  }
}
