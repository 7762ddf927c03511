// SPDX-License-Identifier: Apache-2.0
#include "paper_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/linalg.h"
#include "reproduce/motion.h"
#include "support.h"

static bool go_on(void *user, double fraction)
{
  double *before = user;
  assert_true(fraction >= *before - 1e-12 && fraction <= 1 + 1e-12);
  *before = fraction;
  return true;
}

/* Every number within its bounds; those that follow from measured times are only printed. */
static void check_claims(const cardan__outcome *out)
{
  int checked = 0, wrong = 0;
  for (int i = 0; i < out->nclaim; i++) {
    const cardan__claim *c = &out->claim[i];
    const bool holds = cardan__claim_holds(c);
    printf("  %-72s ours %-10.4g theirs %-8.4g expected %.3g .. %.3g %s%s%s\n", c->what, c->ours,
           c->theirs, c->low, c->high, c->unit, c->timed ? " (timed)" : "",
           holds ? "" : ": outside its bounds");
    assert_true(c->low < c->high);
    checked += !c->timed;
    wrong += !c->timed && !holds;
  }
  assert_true(checked > 0 && wrong == 0);
  assert_int_not_equal(out->verdict, CARDAN__FAILED);
}

/* Curves with points, of which few enough to draw, with x and at least one y that are numbers. */
static void check_plots(const cardan__outcome *out)
{
  for (int i = 0; i < out->nplot; i++) {
    const cardan__plot *plot = &out->plot[i];
    assert_true(plot->ncurve > 0 && strlen(plot->title) > 0);
    assert_true(strlen(plot->x_label) > 0 && strlen(plot->y_label) > 0);
    for (int k = 0; k < plot->ncurve; k++) {
      const cardan__curve *c = &plot->curve[k];
      int drawn = 0;
      for (int j = 0; j < c->n; j++) {
        assert_true(isfinite(c->x[j]) && !(plot->x_log && c->x[j] <= 0));
        drawn += isfinite(c->y[j]) && !(plot->y_log && c->y[j] <= 0);
      }
      printf("  plot \"%s\": curve \"%s\", %d points\n", plot->title, c->label, c->n);
      assert_in_range(c->n, 1, 1500);
      assert_true(drawn > 0);
    }
  }
}

static void check_grids(const cardan__outcome *out)
{
  for (int i = 0; i < out->ngrid; i++) {
    const cardan__grid *grid = &out->grid[i];
    printf("  table \"%s\"\n   ", grid->title);
    for (int k = 0; k < grid->ncolumn; k++) {
      printf(" | %s", grid->column[k]);
    }
    for (int k = 0; k < grid->ncell; k++) {
      const cardan__cell *cell = &grid->cell[k];
      printf("%s | ", k % grid->ncolumn == 0 ? "\n   " : "");
      cell->text ? printf("%s", cell->text) : printf("%.4g (%.4g)", cell->ours, cell->theirs);
    }
    printf("\n");
    assert_true(grid->ncell > 0 && grid->ncell % grid->ncolumn == 0);
  }
}

static void check_item(const cardan__paper *paper, const cardan__item *item)
{
  cardan_report report = {.message = ""};
  cardan__outcome out;
  double fraction = 0;
  cardan__job job = {.quick = getenv("CARDAN_WHOLE") == NULL,
                     .out = &out,
                     .report = &report,
                     .user = &fraction,
                     .go_on = go_on};
  assert_true(strlen(item->title) > 0 && strlen(item->claimed) > 0 && strlen(item->run) > 0);
  cardan__outcome_init(&out, NULL);
  const double start = cardan__clock();
  const cardan_status status = item->make(&job);
  printf("%s %s: %s %s, %.2f s (said: %g, quick %g)\n", paper->name, item->name, item->title,
         report.message, cardan__clock() - start, item->seconds[0], item->seconds[1]);
  assert_int_equal(status, CARDAN_OK);
  assert_false(out.failed);
  printf("  %s: %s\n", cardan__verdict_text(out.verdict), out.words);
  assert_true(strlen(out.words) > 0);
  check_plots(&out);
  check_grids(&out);
  check_claims(&out);
  cardan__outcome_free(&out);
}

void check_paper(const cardan__paper *paper)
{
  const char *only = getenv("CARDAN_ITEM");
  cardan_blas_one_thread(); // as the command does: times of small matrices by several are noise
  assert_true(paper->nitem > 0);
  for (int i = 0; i < paper->nitem; i++) {
    if (only == NULL || strcmp(only, paper->item[i].name) == 0) {
      check_item(paper, &paper->item[i]);
    }
  }
  for (int i = 0; i < paper->nerratum; i++) {
    const cardan__erratum *e = &paper->erratum[i];
    assert_true(e->where != NULL && e->printed != NULL && e->should != NULL && e->proof != NULL);
  }
}

static bool stop(void *user, double fraction)
{
  (void)user;
  (void)fraction;
  return false;
}

void check_paper_stops(const cardan__paper *paper)
{
  for (int i = 0; i < paper->nitem; i++) {
    cardan_report report = {.message = ""};
    cardan__outcome out;
    cardan__job job = {.quick = true, .out = &out, .report = &report, .go_on = stop};
    cardan__outcome_init(&out, NULL);
    assert_int_equal(paper->item[i].make(&job), CARDAN_ERR_STOPPED);
    cardan__outcome_free(&out);
  }
}
