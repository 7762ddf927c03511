// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "output/json.h"
#include "reproduce/write.h"

/* The data of a page; viewer/src/reproduction.ts reads it. */

void cardan__made_name(const cardan__made *made, const char *plot, char name[CARDAN__FILE_NAME])
{
  snprintf(name, CARDAN__FILE_NAME, "%s-%s%s%s", made->paper->name, made->item->name,
           plot[0] != '\0' ? "-" : "", plot);
}

void cardan__made_command(const cardan__made *made, char command[CARDAN__FILE_NAME])
{
  snprintf(command, CARDAN__FILE_NAME, "cardan reproduce %s --item %s%s", made->paper->name,
           made->item->name, made->quick ? " --quick" : "");
}

static void add_numbers(cardan__json *json, const char *key, const double *value, int n)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    cardan__json_short(json, NULL, value[i]);
  }
  cardan__json_close(json, ']');
}

static void add_axis(cardan__json *json, const char *key, const char *label, bool log)
{
  cardan__json_open(json, key, '{');
  cardan__json_string(json, "label", label);
  cardan__json_bool(json, "log", log);
  cardan__json_close(json, '}');
}

static void add_plot(cardan__json *json, const cardan__plot *plot)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "name", plot->name);
  cardan__json_string(json, "title", plot->title);
  add_axis(json, "x", plot->x_label, plot->x_log);
  add_axis(json, "y", plot->y_label, plot->y_log);
  cardan__json_bool(json, "equal", plot->equal);
  cardan__json_open(json, "curves", '[');
  for (int i = 0; i < plot->ncurve; i++) {
    const cardan__curve *curve = &plot->curve[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "label", curve->label);
    cardan__json_bool(json, "theirs", curve->theirs);
    add_numbers(json, "x", curve->x, curve->n);
    add_numbers(json, "y", curve->y, curve->n);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

static void add_cell(cardan__json *json, const cardan__cell *cell)
{
  if (cell->text != NULL) {
    cardan__json_string(json, NULL, cell->text);
    return;
  }
  cardan__json_open(json, NULL, '{');
  cardan__json_number(json, "ours", cell->ours);
  cardan__json_number(json, "theirs", cell->theirs);
  cardan__json_close(json, '}');
}

static void add_grid(cardan__json *json, const cardan__grid *grid)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "title", grid->title);
  cardan__json_open(json, "columns", '[');
  for (int i = 0; i < grid->ncolumn; i++) {
    cardan__json_string(json, NULL, grid->column[i]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "rows", '[');
  for (int i = 0; i < grid->ncell; i++) {
    if (i % grid->ncolumn == 0) {
      cardan__json_open(json, NULL, '[');
    }
    add_cell(json, &grid->cell[i]);
    if ((i + 1) % grid->ncolumn == 0 || i + 1 == grid->ncell) {
      cardan__json_close(json, ']');
    }
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

static void add_claim(cardan__json *json, const cardan__claim *claim)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "what", claim->what);
  cardan__json_string(json, "unit", claim->unit);
  cardan__json_number(json, "theirs", claim->theirs);
  cardan__json_number(json, "ours", claim->ours);
  cardan__json_number(json, "low", claim->low);
  cardan__json_number(json, "high", claim->high);
  cardan__json_bool(json, "holds", cardan__claim_holds(claim));
  cardan__json_bool(json, "timed", claim->timed);
  cardan__json_close(json, '}');
}

static void add_words(cardan__json *json, const cardan__made *made)
{
  char command[CARDAN__FILE_NAME];
  cardan__made_command(made, command);
  cardan__json_string(json, "name", made->item->name);
  cardan__json_string(json, "title", made->item->title);
  cardan__json_string(json, "claimed", made->item->claimed);
  cardan__json_string(json, "run", made->item->run);
  cardan__json_string(json, "command", command);
  cardan__json_string(json, "verdict", cardan__verdict_text(made->out->verdict));
  cardan__json_bool(json, "holds", cardan__outcome_holds(made->out));
  cardan__json_string(json, "words", made->out->words);
  cardan__json_short(json, "seconds", made->seconds);
}

/* Hands what was built over to text. */
static void move_text(cardan__json *json, cardan__text *text)
{
  cardan__text_add(text, json->text.data ? json->text.data : "", json->text.length);
  text->failed = text->failed || json->text.failed;
  cardan__text_free(&json->text);
}

void cardan__made_json(const cardan__made *made, cardan__text *text)
{
  const cardan__outcome *out = made->out;
  cardan__json json;
  cardan__json_init(&json, &text->alloc);
  cardan__json_open(&json, NULL, '{');
  add_words(&json, made);
  cardan__json_open(&json, "plots", '[');
  for (int i = 0; i < out->nplot; i++) {
    add_plot(&json, &out->plot[i]);
  }
  cardan__json_close(&json, ']');
  cardan__json_open(&json, "tables", '[');
  for (int i = 0; i < out->ngrid; i++) {
    add_grid(&json, &out->grid[i]);
  }
  cardan__json_close(&json, ']');
  cardan__json_open(&json, "claims", '[');
  for (int i = 0; i < out->nclaim; i++) {
    add_claim(&json, &out->claim[i]);
  }
  cardan__json_close(&json, ']');
  cardan__json_close(&json, '}');
  move_text(&json, text);
}

static void add_errata(cardan__json *json, const cardan__paper *paper)
{
  cardan__json_open(json, "errata", '[');
  for (int i = 0; i < paper->nerratum; i++) {
    const cardan__erratum *e = &paper->erratum[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "where", e->where);
    cardan__json_string(json, "printed", e->printed);
    cardan__json_string(json, "should", e->should);
    cardan__json_string(json, "proof", e->proof);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

void cardan__paper_json(const cardan__paper *paper, bool quick, const char *items,
                        cardan__text *text)
{
  cardan__json json;
  cardan__json_init(&json, &text->alloc);
  cardan__json_open(&json, NULL, '{');
  cardan__json_string(&json, "version", cardan_version());
  cardan__json_open(&json, "reproduction", '{');
  cardan__json_string(&json, "paper", paper->name);
  cardan__json_string(&json, "authors", paper->authors);
  cardan__json_string(&json, "title", paper->title);
  cardan__json_string(&json, "published", paper->published);
  cardan__json_string(&json, "about", paper->about);
  cardan__json_bool(&json, "quick", quick);
  cardan__json_open(&json, "items", '[');
  cardan__json_raw(&json, NULL, items);
  cardan__json_close(&json, ']');
  add_errata(&json, paper);
  cardan__json_close(&json, '}');
  cardan__json_close(&json, '}');
  move_text(&json, text);
}
