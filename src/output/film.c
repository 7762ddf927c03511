// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/page.h"
#include "output/film.h"
#include "output/film_columns.h"
#include "output/film_forces.h"
#include "output/film_places.h"
#include "output/sinks.h"
#include "run/result_rows.h"
#include "run/sim_access.h"

/* A run of any length in bounded memory. Samples are every stride-th row, and the last one; when
 * there is no room for another, every second one goes and the stride doubles. Extremes are the
 * smallest and largest value of each column over equal numbers of rows; when there is no room for
 * another, they are joined in pairs. So samples are exact rows, and nothing that happened between
 * them is lost. */

enum {
  SAMPLES_MIN = 64,
  SAMPLES_MAX = 20000,
  EXTREMES_MIN = 32,
  EXTREMES_MAX = 2048,
  COLUMNS_MAX = 2500, // beyond, velocities are left out
  FLOAT_BYTES = 4     // pages hold 4-byte numbers, 4/3 of that as text
};

struct cardan_film {
  cardan__arena arena;
  const char **name, **unit;             // ncolumn
  int *source;                           // ncolumn: place of each in a row that is given
  int ncolumn, nleft;                    // nleft: velocities that were too many
  int sample_capacity, extreme_capacity; // both even
  int nsample, nextreme;                 // nsample: without the last row
  int64_t nrow, stride, extreme_rows;    // extreme_rows: in a full one
  double *sample;                        // sample_capacity x ncolumn
  double *last;                          // ncolumn
  double *t, *min, *max;                 // extreme_capacity, x ncolumn
  int add;                               // of cardan_film_of_sim
  cardan__film_forces forces;            // columns of its own, behind those of the rows
  bool by_row;                           // the rows alone tell these: there is no sim
  cardan__places places;
};

static int even_between(double wanted, int low, int high)
{
  const double n = fmin(fmax(wanted, low), high);
  return 2 * (int)(n / 2);
}

static bool is_velocity(const char *name)
{
  return name[0] == 'v' && name[1] == '.';
}

/* Names and places of the columns that are kept; those of forces are last. */
static bool choose_columns(cardan_film *film, const cardan_model *model, const char *const *column,
                           int ncolumn)
{
  const size_t most = (size_t)ncolumn + (size_t)film->forces.ncolumn;
  film->unit = cardan__arena_take(&film->arena, most, sizeof *film->unit);
  film->name = cardan__arena_take(&film->arena, most, sizeof *film->name);
  film->source = cardan__arena_take(&film->arena, (size_t)ncolumn, sizeof *film->source);
  if (!film->name || !film->source || !film->unit) {
    return false;
  }
  cardan__column_units(model, column, ncolumn, film->unit);
  for (int k = 0; k < ncolumn; k++) {
    if (ncolumn > COLUMNS_MAX && is_velocity(column[k])) {
      film->nleft++;
      continue;
    }
    film->name[film->ncolumn] = cardan__arena_text(&film->arena, column[k], strlen(column[k]));
    film->source[film->ncolumn] = k;
    film->unit[film->ncolumn] = film->unit[k];
    if (!film->name[film->ncolumn++]) {
      return false;
    }
  }
  const int given = film->ncolumn;
  film->ncolumn += film->forces.ncolumn;
  return cardan__film_forces_name(&film->forces, film->name + given, film->unit + given,
                                  &film->arena);
}

/* Three quarters of the budget go to samples, the rest to pairs of extremes; where places are kept
 * these have a quarter of all of it. */
static bool take_memory(cardan_film *film, size_t budget, bool places)
{
  const double whole = 0.75 * (double)(budget > 0 ? budget : CARDAN_FILM_BUDGET); // before base64
  const double bytes = places ? 0.75 * whole : whole;
  const double column_bytes = FLOAT_BYTES * (double)film->ncolumn;
  film->sample_capacity = even_between(0.75 * bytes / column_bytes, SAMPLES_MIN, SAMPLES_MAX);
  film->extreme_capacity = even_between(0.125 * bytes / column_bytes, EXTREMES_MIN, EXTREMES_MAX);
  const size_t n = (size_t)film->ncolumn, extremes = (size_t)film->extreme_capacity;
  film->sample =
      cardan__arena_take(&film->arena, (size_t)film->sample_capacity, n * sizeof(double));
  film->last = cardan__arena_take(&film->arena, n, sizeof(double));
  film->t = cardan__arena_take(&film->arena, extremes, sizeof(double));
  film->min = cardan__arena_take(&film->arena, extremes, n * sizeof(double));
  film->max = cardan__arena_take(&film->arena, extremes, n * sizeof(double));
  return film->sample && film->last && film->t && film->min && film->max &&
         (!places || cardan__places_create(&film->places, whole - bytes, &film->arena));
}

/* What a film of these columns is to be. */
typedef struct {
  size_t budget;
  bool places;
  unsigned forces; // bits 1 << cardan__arrow_source: whose forces have columns of its own
  bool by_row;
} plan;

static bool fill_film(cardan_film *film, const cardan_model *model, const char *const *column,
                      int ncolumn, const plan *p, const cardan_allocator *allocator)
{
  film->by_row = p->by_row;
  return cardan__film_forces_choose(&film->forces, model, p->forces, p->by_row, &film->arena) &&
         choose_columns(film, model, column, ncolumn) && take_memory(film, p->budget, p->places) &&
         cardan__film_forces_take(&film->forces, &film->arena, allocator);
}

static cardan_status create(const cardan_model *model, const char *const *column, int ncolumn,
                            const plan *p, const cardan_allocator *allocator, cardan_film **out,
                            cardan_report *report)
{
  const cardan_pos none = {0, 0};
  *out = NULL;
  if (ncolumn < 1 + model->nq + model->nv || strcmp(column[0], "t") != 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "the table has %d columns, expected t, %d of q, %d of v, and others",
                       ncolumn, model->nq, model->nv);
  }
  cardan_film *film = cardan__resize(allocator, NULL, sizeof *film);
  if (!film) {
    return cardan__no_memory(report);
  }
  *film = (cardan_film){.stride = 1, .extreme_rows = 1};
  cardan__arena_init(&film->arena, allocator);
  if (!fill_film(film, model, column, ncolumn, p, allocator)) {
    cardan_film_destroy(film);
    return cardan__no_memory(report);
  }
  *out = film;
  return CARDAN_OK;
}

enum {
  OF_ELEMENTS = 1 << CARDAN__ARROW_ELEMENT,
  OF_JOINTS = 1 << CARDAN__ARROW_JOINT | 1 << CARDAN__ARROW_DRIVER,
  OF_CONSTRAINTS = 1 << CARDAN__ARROW_CONSTRAINT
};

cardan_status cardan_film_create(const cardan_model *model, const char *const *column, int ncolumn,
                                 size_t budget, const cardan_allocator *allocator,
                                 cardan_film **out, cardan_report *report)
{
  const plan p = {.budget = budget, .forces = OF_ELEMENTS, .by_row = true};
  return create(model, column, ncolumn, &p, allocator, out, report);
}

/* What is to have columns behind those of the rows: forces that joints carry where rows have none,
 * and where nothing touches, which would carry a part of them. */
static unsigned forces_of(const cardan_sim *sim, int add)
{
  if ((add & CARDAN_FILM_FORCES) == 0) {
    return 0;
  }
  const unsigned joints = (add & CARDAN_ADD_REACTIONS) == 0 ? OF_JOINTS : 0;
  return OF_ELEMENTS | (!cardan__sim_has_contacts(sim) ? joints | OF_CONSTRAINTS : 0);
}

cardan_status cardan_film_of_sim(const cardan_sim *sim, int add, size_t budget,
                                 const cardan_allocator *allocator, cardan_film **out,
                                 cardan_report *report)
{
  cardan__arena arena;
  const plan p = {
      .budget = budget, .places = cardan__sim_model(sim)->npair > 0, .forces = forces_of(sim, add)};
  cardan__arena_init(&arena, allocator);
  add &= ~CARDAN_FILM_FORCES;
  const char *const *name = cardan__column_names(cardan__sim_model(sim), add, &arena);
  *out = NULL;
  const cardan_status status =
      name ? create(cardan__sim_model(sim), name, cardan_sim_columns(sim, add), &p, allocator, out,
                    report)
           : cardan__no_memory(report);
  cardan__arena_free(&arena);
  if (*out) {
    (*out)->add = add;
  }
  return status;
}

/* "q.NAME" or "v.NAME" in the arena; NULL: no memory. */
static const char *make_column_name(cardan__arena *arena, char letter, const char *name)
{
  const size_t length = strlen(name) + 2;
  char *text = cardan__arena_take(arena, length + 1, 1);
  if (text) {
    snprintf(text, length + 1, "%c.%s", letter, name);
  }
  return text;
}

const char **cardan__film_names(const cardan_model *model, cardan__arena *arena)
{
  const int n = 1 + model->nq + model->nv;
  const char **column = cardan__arena_take(arena, (size_t)n, sizeof *column);
  bool good = column != NULL;
  for (int k = 0; k < n && good; k++) {
    const int q = k - 1, v = q - model->nq;
    column[k] = k == 0          ? "t"
                : q < model->nq ? make_column_name(arena, 'q', model->q_name[q])
                                : make_column_name(arena, 'v', model->v_name[v]);
    good = column[k] != NULL;
  }
  return good ? column : NULL;
}

void cardan__film_state(const cardan_data *data, double t, double *row)
{
  const cardan_model *model = data->model;
  row[0] = t;
  memcpy(row + 1, data->q, (size_t)model->nq * sizeof *row);
  memcpy(row + 1 + model->nq, data->v, (size_t)model->nv * sizeof *row);
}

/* The film of a data, which is assembled; names are in the arena. */
static cardan_status film_start(cardan_data *data, cardan__arena *arena, cardan_film **out,
                                cardan_report *report)
{
  const cardan_model *model = data->model;
  const int n = 1 + model->nq + model->nv;
  const char **column = cardan__film_names(model, arena);
  double *row = cardan__arena_take(arena, (size_t)n, sizeof *row);
  if (column == NULL || row == NULL) {
    return cardan__no_memory(report);
  }
  cardan_status status = cardan_assemble(model, data, NULL, report);
  if (status == CARDAN_ERR_ASSEMBLY && !data->posed) { // shown as its coordinates have it
    data->posed = true;
    status = cardan_assemble(model, data, NULL, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_film_create(model, column, n, 0, &arena->alloc, out, report);
  }
  if (status == CARDAN_OK) {
    cardan__film_state(data, data->t, row);
    cardan_film_append(*out, row);
  }
  return status;
}

cardan_status cardan_film_of_start(const cardan_model *model, const cardan_allocator *allocator,
                                   cardan_film **out, cardan_report *report)
{
  cardan__arena arena;
  cardan_data *data = NULL;
  *out = NULL;
  if (cardan_data_create(model, allocator, &data) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  cardan__arena_init(&arena, allocator);
  const cardan_status status = film_start(data, &arena, out, report);
  cardan__arena_free(&arena);
  cardan_data_destroy(data);
  return status;
}

void cardan_film_destroy(cardan_film *film)
{
  if (film) {
    cardan_data_destroy(film->forces.still);
    const cardan_allocator alloc = film->arena.alloc;
    cardan__arena_free(&film->arena);
    cardan__resize(&alloc, film, 0);
  }
}

/* Keeps every second sample. */
static void thin_samples(cardan_film *film)
{
  const size_t n = (size_t)film->ncolumn;
  for (int i = 1; 2 * i < film->nsample; i++) {
    memcpy(film->sample + (size_t)i * n, film->sample + 2 * (size_t)i * n, n * sizeof(double));
  }
  film->nsample /= 2;
  film->stride *= 2;
}

/* Joins entries 2i and 2i + 1. */
static void join_extremes(cardan_film *film)
{
  const size_t n = (size_t)film->ncolumn;
  for (int i = 0; i < film->nextreme / 2; i++) {
    double *min = film->min + (size_t)i * n, *max = film->max + (size_t)i * n;
    const double *min2 = film->min + 2 * (size_t)i * n, *max2 = film->max + 2 * (size_t)i * n;
    for (size_t k = 0; k < n; k++) {
      min[k] = fmin(min2[k], min2[n + k]);
      max[k] = fmax(max2[k], max2[n + k]);
    }
    film->t[i] = film->t[2 * i];
  }
  film->nextreme /= 2;
  film->extreme_rows *= 2;
}

static void add_extreme(cardan_film *film)
{
  const size_t n = (size_t)film->ncolumn, bytes = n * sizeof(double);
  if (film->nrow % film->extreme_rows == 0) {
    if (film->nextreme == film->extreme_capacity) {
      join_extremes(film);
    }
    const size_t i = (size_t)film->nextreme++;
    film->t[i] = film->last[0];
    memcpy(film->min + i * n, film->last, bytes);
    memcpy(film->max + i * n, film->last, bytes);
    return;
  }
  // fmin and fmax pass over what is not a number
  double *min = film->min + (size_t)(film->nextreme - 1) * n;
  double *max = film->max + (size_t)(film->nextreme - 1) * n;
  for (size_t k = 0; k < n; k++) {
    min[k] = fmin(min[k], film->last[k]);
    max[k] = fmax(max[k], film->last[k]);
  }
}

/* Is the row that comes one whose forces are looked at? Others are no samples. */
static bool keeps_forces(const cardan_film *film)
{
  return film->forces.ncolumn > 0 && film->nrow % film->stride == 0;
}

/* What was looked at, into the last row; the next one has none unless its node has some. */
static void take_forces(cardan_film *film)
{
  const int n = film->forces.ncolumn;
  if (n > 0) {
    memcpy(film->last + film->ncolumn - n, film->forces.value, (size_t)n * sizeof(double));
    cardan__film_forces_clear(&film->forces);
  }
}

void cardan_film_append(cardan_film *film, const double *row)
{
  const int given = film->ncolumn - film->forces.ncolumn;
  for (int k = 0; k < given; k++) {
    film->last[k] = row[film->source[k]];
  }
  if (film->by_row && keeps_forces(film)) {
    cardan__film_forces_row(&film->forces, row);
  }
  take_forces(film);
  if (film->nrow % film->stride == 0) {
    if (film->nsample == film->sample_capacity) {
      thin_samples(film); // capacity is even, so this row is one of the new stride
    }
    const size_t n = (size_t)film->ncolumn;
    memcpy(film->sample + (size_t)film->nsample * n, film->last, n * sizeof(double));
    film->nsample++;
  }
  add_extreme(film);
  cardan__places_add(&film->places, film->nrow, film->last[0]);
  film->nrow++;
}

void cardan__film_append_contacts(cardan_film *film, cardan_sim *sim)
{
  if (cardan_sim_observe(sim) == CARDAN_OK) {
    cardan__places_read(&film->places, sim);
    if (!film->by_row && keeps_forces(film)) {
      cardan__film_forces_look(&film->forces, cardan__sim_node(sim));
    }
  }
}

static cardan_status sink_node(void *user, cardan_sim *sim, cardan_report *report)
{
  (void)report;
  cardan__film_append_contacts(user, sim);
  return CARDAN_OK;
}

static cardan_status sink_row(void *user, const double *row, cardan_report *report)
{
  (void)report;
  cardan_film_append(user, row);
  return CARDAN_OK;
}

/* Is the last row not among the samples? */
static bool has_rest(const cardan_film *film)
{
  return film->nrow > 0 && (film->nrow - 1) % film->stride != 0;
}

/* The last row is shown whether it is a sample or not: its forces are looked at when it is clear
 * that it is the last. */
static cardan_status sink_step(void *user, cardan_sim *sim, const cardan_run_state *at,
                               cardan_report *report)
{
  cardan_film *film = user;
  (void)report;
  const bool ends = at->step == at->steps || at->status != CARDAN_OK;
  if (ends && has_rest(film) && film->last[0] == cardan__sim_node(sim)->t) {
    cardan__film_forces_look(&film->forces, cardan__sim_node(sim));
    take_forces(film);
  }
  return CARDAN_OK;
}

cardan_sink cardan_film_sink(cardan_film *film)
{
  return (cardan_sink){.user = film,
                       .add = film->add,
                       .row = sink_row,
                       .node = sink_node,
                       .step = film->forces.ncolumn > 0 ? sink_step : NULL};
}

int cardan__film_column_count(const cardan_film *film)
{
  return film->ncolumn;
}

const char *cardan_film_column(const cardan_film *film, int k)
{
  return film->name[k];
}

const char *cardan__film_unit(const cardan_film *film, int k)
{
  return film->unit[k];
}

int cardan__film_dropped_columns(const cardan_film *film)
{
  return film->nleft;
}

int cardan_film_find(const cardan_film *film, const char *name)
{
  for (int k = 0; k < film->ncolumn; k++) {
    if (strcmp(film->name[k], name) == 0) {
      return k;
    }
  }
  return -1;
}

int cardan_film_sample_count(const cardan_film *film)
{
  return film->nsample + (has_rest(film) ? 1 : 0);
}

const double *cardan_film_sample(const cardan_film *film, int i)
{
  return i < film->nsample ? film->sample + (size_t)i * (size_t)film->ncolumn : film->last;
}

int64_t cardan_film_row_count(const cardan_film *film)
{
  return film->nrow;
}

int64_t cardan__film_stride(const cardan_film *film)
{
  return film->stride;
}

int cardan_film_extreme_count(const cardan_film *film)
{
  return film->nextreme;
}

int64_t cardan__film_rows_per_extreme(const cardan_film *film)
{
  return film->extreme_rows;
}

void cardan_film_extreme(const cardan_film *film, int i, double *t, const double **min,
                         const double **max)
{
  const size_t at = (size_t)i * (size_t)film->ncolumn;
  *t = film->t[i];
  *min = film->min + at;
  *max = film->max + at;
}

int cardan__film_contact_row_count(const cardan_film *film)
{
  return film->places.nset;
}

int cardan__film_contacts_at(const cardan_film *film, int i, double *t,
                             const cardan_film_contact **contact)
{
  const cardan__places *p = &film->places;
  *t = p->t[i];
  *contact = p->place + p->first[i];
  return p->first[i + 1] - p->first[i];
}

int cardan_film_last_contacts(const cardan_film *film, const cardan_film_contact **place)
{
  *place = film->places.now;
  return film->places.nnow;
}

int64_t cardan__film_dropped_contacts(const cardan_film *film)
{
  return film->places.cut;
}
