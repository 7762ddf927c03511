// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/page.h"
#include "output/film_columns.h"
#include "output/film_places.h"
#include "output/sinks.h"
#include "spatial/spatial.h"
#include "steppers/rows.h"
#include "steppers/sim.h"

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
  FORCES_MAX = 96,    // components of reactions that are kept unasked
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
  int nextra;                            // columns of its own, behind those of the rows
  double *extra;                         // nextra: of the row that comes
  cardan_data *still;                    // what they are worked out with: the run does not see it
  cardan_force *reaction;                // njoint
  double weight;                         // of all that moves [N]
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

/* Names and places of the columns that are kept. */
static bool choose_columns(cardan_film *film, const cardan_model *model, const char *const *column,
                           int ncolumn)
{
  film->unit = cardan__arena_take(&film->arena, (size_t)ncolumn, sizeof *film->unit);
  film->name = cardan__arena_take(&film->arena, (size_t)ncolumn, sizeof *film->name);
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
  return true;
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
         (!places || cardan__places_take(&film->places, whole - bytes, &film->arena));
}

static cardan_status create(const cardan_model *model, const char *const *column, int ncolumn,
                            size_t budget, bool places, const cardan_allocator *allocator,
                            cardan_film **out, cardan_report *report)
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
  if (!choose_columns(film, model, column, ncolumn) || !take_memory(film, budget, places)) {
    cardan_film_destroy(film);
    return cardan__no_memory(report);
  }
  *out = film;
  return CARDAN_OK;
}

cardan_status cardan_film_create(const cardan_model *model, const char *const *column, int ncolumn,
                                 size_t budget, const cardan_allocator *allocator,
                                 cardan_film **out, cardan_report *report)
{
  return create(model, column, ncolumn, budget, false, allocator, out, report);
}

/* The columns of rows with those of reactions behind them, in the arena: the forces that joints
 * carry, where they are wanted, are few, and no columns anyway. NULL: no memory */
static const char *const *names_of(const cardan_sim *sim, int add, cardan__arena *arena,
                                   int *nextra)
{
  static const char *const parts[] = {"fx", "fy", "fz"};
  const cardan_model *model = sim->model;
  const char *const *own = cardan__column_names(sim, add, arena);
  const int n = cardan_sim_columns(sim, add);
  const bool wanted = (add & CARDAN_FILM_FORCES) != 0 && (add & CARDAN_ADD_REACTIONS) == 0 &&
                      sim->contacts == NULL; // what touches carries a part of them
  *nextra = wanted && 3 * model->njoint <= FORCES_MAX ? 3 * model->njoint : 0;
  const char **all = cardan__arena_take(arena, (size_t)n + (size_t)*nextra, sizeof *all);
  if (own == NULL || all == NULL) {
    return NULL;
  }
  memcpy(all, own, (size_t)n * sizeof *all);
  for (int k = 0; k < *nextra; k++) {
    const char *joint = model->joint[k / 3].name;
    const size_t size = strlen(joint) + sizeof "R..fx";
    char *text = cardan__arena_take(arena, size, 1);
    if (text == NULL) {
      return NULL;
    }
    snprintf(text, size, "R.%s.%s", joint, parts[k % 3]);
    all[n + k] = text;
  }
  return all;
}

static double weight_of(const cardan_model *model)
{
  double mass = 0;
  for (int i = 1; i < model->nbody; i++) {
    mass += model->body[i].inertia.m;
  }
  return mass * cardan__vec3_norm(model->gravity);
}

static bool take_forces(cardan_film *film, const cardan_model *model, int nextra,
                        const cardan_allocator *allocator)
{
  film->nextra = nextra;
  if (nextra == 0) {
    return true;
  }
  film->weight = weight_of(model);
  film->extra = cardan__arena_take(&film->arena, (size_t)nextra, sizeof *film->extra);
  film->reaction = cardan__arena_take(&film->arena, (size_t)model->njoint, sizeof *film->reaction);
  for (int k = 0; k < nextra && film->extra; k++) {
    film->extra[k] = NAN;
  }
  return film->extra && film->reaction &&
         cardan_data_create(model, allocator, &film->still) == CARDAN_OK &&
         cardan_forward_reserve(model, film->still) == CARDAN_OK;
}

/* To 2^-16 of itself, or of the weight where that is more: bits of rounding do not pack. */
static double coarse(double f, double weight)
{
  const double size = fmax(fabs(f), weight);
  const double unit = size > 0 && isfinite(size) ? ldexp(1.0, ilogb(size) - 16) : 0;
  return unit > 0 ? unit * nearbyint(f / unit) : f;
}

/* The forces of continuous time at the node's state, on a copy of it: a run is the same to the bit,
 * the state that it keeps too. What cannot be told stays not a number. */
static void look_at_forces(cardan_film *film, const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  cardan_data_copy(model, sim->data, film->still);
  if (cardan_forward(model, film->still, 0, 0) != CARDAN_OK) {
    return;
  }
  cardan_reactions(model, film->still, film->reaction);
  for (int j = 0; j < model->njoint; j++) {
    const cardan_vec3 f = film->reaction[j].f;
    film->extra[3 * j] = coarse(f.x, film->weight);
    film->extra[3 * j + 1] = coarse(f.y, film->weight);
    film->extra[3 * j + 2] = coarse(f.z, film->weight);
  }
}

cardan_status cardan_film_of_sim(const cardan_sim *sim, int add, size_t budget,
                                 const cardan_allocator *allocator, cardan_film **out,
                                 cardan_report *report)
{
  cardan__arena arena;
  int nextra;
  cardan__arena_init(&arena, allocator);
  const char *const *name = names_of(sim, add, &arena, &nextra);
  *out = NULL;
  cardan_status status = name ? create(sim->model, name, cardan_sim_columns(sim, add) + nextra,
                                       budget, sim->model->npair > 0, allocator, out, report)
                              : cardan__no_memory(report);
  cardan__arena_free(&arena);
  if (*out) {
    (*out)->add = add & ~CARDAN_FILM_FORCES;
    if (!take_forces(*out, sim->model, nextra, allocator)) {
      cardan_film_destroy(*out);
      *out = NULL;
      status = cardan__no_memory(report);
    }
  }
  return status;
}

/* "q.NAME" or "v.NAME" in the arena; NULL: no memory. */
static const char *named(cardan__arena *arena, char letter, const char *name)
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
                : q < model->nq ? named(arena, 'q', model->q_name[q])
                                : named(arena, 'v', model->v_name[v]);
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
    cardan_film_row(*out, row);
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
    cardan_data_destroy(film->still);
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

void cardan_film_row(cardan_film *film, const double *row)
{
  const int given = film->ncolumn - film->nextra;
  for (int k = 0; k < given; k++) {
    film->last[k] = row[film->source[k]];
  }
  for (int k = 0; k < film->nextra; k++) {
    film->last[given + k] = film->extra[k];
    film->extra[k] = NAN; // unless the next node says it
  }
  if (film->nrow % film->stride == 0) {
    if (film->nsample == film->sample_capacity) {
      thin_samples(film); // capacity is even, so this row is one of the new stride
    }
    const size_t n = (size_t)film->ncolumn;
    memcpy(film->sample + (size_t)film->nsample * n, film->last, n * sizeof(double));
    film->nsample++;
  }
  add_extreme(film);
  cardan__places_keep(&film->places, film->nrow, film->last[0]);
  film->nrow++;
}

void cardan_film_node(cardan_film *film, cardan_sim *sim)
{
  if (cardan_sim_observe(sim) == CARDAN_OK) {
    cardan__places_look(&film->places, sim);
    if (film->nextra > 0 && film->nrow % film->stride == 0) { // else it is no sample
      look_at_forces(film, sim);
    }
  }
}

static cardan_status sink_node(void *user, cardan_sim *sim, cardan_report *report)
{
  (void)report;
  cardan_film_node(user, sim);
  return CARDAN_OK;
}

static cardan_status sink_row(void *user, const double *row, cardan_report *report)
{
  (void)report;
  cardan_film_row(user, row);
  return CARDAN_OK;
}

cardan_sink cardan_film_sink(cardan_film *film)
{
  return (cardan_sink){.user = film, .add = film->add, .row = sink_row, .node = sink_node};
}

int cardan_film_columns(const cardan_film *film)
{
  return film->ncolumn;
}

const char *cardan_film_column(const cardan_film *film, int k)
{
  return film->name[k];
}

const char *cardan_film_unit(const cardan_film *film, int k)
{
  return film->unit[k];
}

int cardan_film_left(const cardan_film *film)
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

/* Is the last row not among the samples? */
static bool has_rest(const cardan_film *film)
{
  return film->nrow > 0 && (film->nrow - 1) % film->stride != 0;
}

int cardan_film_samples(const cardan_film *film)
{
  return film->nsample + (has_rest(film) ? 1 : 0);
}

const double *cardan_film_sample(const cardan_film *film, int i)
{
  return i < film->nsample ? film->sample + (size_t)i * (size_t)film->ncolumn : film->last;
}

int64_t cardan_film_rows(const cardan_film *film)
{
  return film->nrow;
}

int64_t cardan_film_stride(const cardan_film *film)
{
  return film->stride;
}

int cardan_film_extremes(const cardan_film *film)
{
  return film->nextreme;
}

int64_t cardan_film_extreme_rows(const cardan_film *film)
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

int cardan_film_sets(const cardan_film *film)
{
  return film->places.nset;
}

int cardan_film_set(const cardan_film *film, int i, double *t, const cardan_film_place **place)
{
  const cardan__places *p = &film->places;
  *t = p->t[i];
  *place = p->place + p->first[i];
  return p->first[i + 1] - p->first[i];
}

int cardan_film_last(const cardan_film *film, const cardan_film_place **place)
{
  *place = film->places.now;
  return film->places.nnow;
}

int64_t cardan_film_cut(const cardan_film *film)
{
  return film->places.cut;
}
