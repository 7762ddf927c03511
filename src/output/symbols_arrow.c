// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/names.h"
#include "output/arrows.h"
#include "output/film.h"
#include "output/symbols.h"
#include "spatial/spatial.h"

/* Arrows: those of a model's forces that the first film has columns of, and how large they are
 * usually. O(columns + arrows). */

enum { LOOKS = 60 }; // samples that are looked at for what is usual

cardan_vec3 cardan_arrow_vector(const cardan_arrow *arrow, const cardan_xform *X_W,
                                const double *row)
{
  const cardan_xform *X = &X_W[arrow->body[0]];
  const double x = row[arrow->column[0]];
  if (arrow->kind == CARDAN_ARROW_PULL) {
    const cardan_vec3 d = cardan__vec3_sub(cardan_xform_point(&X_W[arrow->body[1]], arrow->at[1]),
                                           cardan_xform_point(X, arrow->at[0]));
    const double l = cardan__vec3_norm(d);
    return cardan__vec3_scale(l > 0 ? x / l : 0, d);
  }
  const cardan_vec3 own = arrow->ncolumn == 1
                              ? cardan__vec3(0, 0, x)
                              : cardan__vec3(x, row[arrow->column[1]], row[arrow->column[2]]);
  return arrow->in_world ? own : cardan__mat3_mulv(&X->R, cardan__mat3_mulv(&arrow->R, own));
}

/* Finds the columns of an arrow. */
static bool find_columns(const cardan__names *columns, cardan_arrow *arrow)
{
  char name[10240];
  bool found = true;
  for (int k = 0; k < arrow->ncolumn && found; k++) {
    cardan__arrow_column(arrow, k, name, sizeof name);
    arrow->column[k] = cardan__names_get(columns, name);
    found = arrow->column[k] >= 0;
  }
  return found;
}

/* Of arcs about one axis the next is wider. */
static int ring_of(const cardan_symbols *to, const cardan_arrow *arrow)
{
  int n = 0;
  for (int i = 0; i < to->narrow && arrow->kind == CARDAN_ARROW_TORQUE; i++) {
    n += to->arrow[i].kind == CARDAN_ARROW_TORQUE && to->arrow[i].body[0] == arrow->body[0] &&
         cardan__vec3_norm(cardan__vec3_sub(to->arrow[i].at[0], arrow->at[0])) == 0;
  }
  return n;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The largest force, or torque, of a sample; 0 if none is known. */
static double largest_force(const cardan_symbols *s, const double *row, bool torques)
{
  double most = 0;
  for (int i = 0; i < s->narrow; i++) {
    const cardan_arrow *arrow = &s->arrow[i];
    double sum = 0;
    for (int k = 0; k < arrow->ncolumn; k++) {
      sum = hypot(sum, row[arrow->column[k]]);
    }
    if ((arrow->kind == CARDAN_ARROW_TORQUE) == torques && isfinite(sum)) {
      most = fmax(most, sum);
    }
  }
  return most;
}

/* The largest of a set of contacts. */
static double largest_touch(const cardan_film *film, int set)
{
  const cardan_film_contact *place;
  double t, most = 0;
  const int n = cardan__film_contacts_at(film, set, &t, &place);
  for (int i = 0; i < n; i++) {
    most = fmax(most, cardan__vec3_norm(place[i].force));
  }
  return most;
}

/* Number k of LOOKS that go evenly through n. */
static int sample_index(int k, int n)
{
  return (int)((int64_t)k * (n - 1) / (LOOKS - 1));
}

/* The 90 % quantile of n sizes; 0 for none. */
static double quantile_90(double *size, int n)
{
  qsort(size, (size_t)n, sizeof *size, by_size);
  return n > 0 ? size[9 * (n - 1) / 10] : 0;
}

static double usual_size(const cardan_symbols *s, const cardan_film *film, bool torques)
{
  double size[LOOKS];
  for (int k = 0; k < LOOKS; k++) {
    const int i = sample_index(k, cardan_film_sample_count(film));
    size[k] = largest_force(s, cardan_film_sample(film, i), torques);
  }
  return quantile_90(size, LOOKS);
}

/* Over the rows with contacts. */
static double usual_contact_force(const cardan_film *film)
{
  const int sets = cardan__film_contact_row_count(film);
  double size[LOOKS];
  int n = 0;
  for (int k = 0; k < LOOKS && sets > 0; k++) {
    size[n] = largest_touch(film, sample_index(k, sets));
    n += size[n] > 0;
  }
  return quantile_90(size, n);
}

/* 1, 2 or 5 times a power of ten, not less than x; 0 of 0. */
static double round_up(double x)
{
  static const double steps[] = {1, 2, 5, 10};
  const double decade = x > 0 ? pow(10, floor(log10(x))) : 0;
  int k = 0;
  while (k < 3 && steps[k] * decade < x) {
    k++;
  }
  return steps[k] * decade;
}

/* The scales of forces and torques. With contacts the weight is not used: one contact may carry
 * much less than that of many bodies. */
static void set_scales(cardan__draft *d, const cardan_film *film)
{
  cardan_symbols *to = d->to;
  const double weight = d->model->mass * cardan__vec3_norm(d->model->gravity);
  const double touch = usual_contact_force(film);
  to->force = fmax(usual_size(to, film, false), touch > 0 ? touch : weight);
  to->torque = round_up(usual_size(to, film, true));
}

static void add_arrows(cardan__draft *d, const cardan_film *film, const cardan__names *columns,
                       cardan__arrow *all)
{
  cardan_symbols *to = d->to;
  const int n = cardan__arrows(d->model, all);
  to->arrow = cardan__zeros(&d->alloc, ((size_t)n + 1) * sizeof *to->arrow);
  d->failed = to->arrow == NULL;
  for (int i = 0; i < n && !d->failed; i++) {
    cardan_arrow *arrow = &all[i].to;
    if (find_columns(columns, arrow)) {
      arrow->ring = ring_of(to, arrow);
      to->arrow[to->narrow++] = *arrow;
    } else {
      to->unseen[arrow->of]++;
    }
  }
  set_scales(d, film);
}

void cardan__draft_arrows(cardan__draft *d, const cardan_film *film)
{
  cardan__names columns;
  if (d->failed || film == NULL || cardan_film_sample_count(film) == 0) {
    return;
  }
  cardan__names_init(&columns, &d->alloc);
  cardan__arrow *all =
      cardan__zeros(&d->alloc, ((size_t)cardan__arrows(d->model, NULL) + 1) * sizeof *all);
  d->failed = all == NULL;
  for (int k = 0; k < cardan__film_column_count(film) && !d->failed; k++) {
    d->failed = cardan__names_set(&columns, cardan_film_column(film, k), k) != CARDAN_OK;
  }
  if (!d->failed) {
    add_arrows(d, film, &columns, all);
  }
  cardan__names_free(&columns);
  cardan__resize(&d->alloc, all, 0);
}
