// SPDX-License-Identifier: Apache-2.0
#include "cardan/sampler.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "batch/random.h"
#include "cardan/kinematics.h"
#include "dynamics/set_parameters.h"
#include "formats/csv_read.h"

enum { NAME_SIZE = 256 };

typedef struct {
  const char *name; // as the model has it
  cardan_place place;
  cardan_distribution distribution;
  uint64_t stream; // of random numbers
  int column;      // of the table; -1: the distribution counts
} entry;

struct cardan_sampler {
  const cardan_model *model;
  uint64_t seed;
  cardan__arena arena; // names, and the table
  entry *entry;
  int n, capacity;
  int ncolumn;
  int64_t nrow; // -1: no table
  double *table;
};

/* ---- names ---- */

static const char *prefix_of(cardan_place_kind kind)
{
  static const char *const prefixes[] = {"", "q.", "v.", "u."};
  return prefixes[kind];
}

/* Index-th name of a kind, without its prefix; NULL after the last. */
static const char *name_at(const cardan_model *m, cardan_place_kind kind, int index)
{
  switch (kind) {
  case CARDAN_PLACE_Q:
    return index < m->nq ? m->q_name[index] : NULL;
  case CARDAN_PLACE_V:
    return index < m->nv ? m->v_name[index] : NULL;
  case CARDAN_PLACE_INPUT:
    return index < m->ninput ? m->input[index].name : NULL;
  default:
    return index < m->nparameter ? m->parameter[index].name : NULL;
  }
}

static int find_name(const cardan_model *m, cardan_place_kind kind, const char *name)
{
  switch (kind) {
  case CARDAN_PLACE_Q:
    return cardan_model_q(m, name);
  case CARDAN_PLACE_V:
    return cardan_model_v(m, name);
  case CARDAN_PLACE_INPUT:
    return cardan_model_input(m, name);
  default:
    return cardan_model_parameter(m, name);
  }
}

/* What a name is of by its prefix; *rest: what follows that. */
static cardan_place_kind kind_of(const char *name, const char **rest)
{
  for (int kind = CARDAN_PLACE_Q; kind <= CARDAN_PLACE_INPUT; kind++) {
    const char *prefix = prefix_of((cardan_place_kind)kind);
    if (strncmp(name, prefix, strlen(prefix)) == 0) {
      *rest = name + strlen(prefix);
      return (cardan_place_kind)kind;
    }
  }
  *rest = name;
  return CARDAN_PLACE_PARAMETER;
}

/* Finds the closest name of the same kind, otherwise the same name with the prefix of another. */
static const char *find_similar_name(const cardan_model *m, cardan_place_kind kind,
                                     const char *rest, cardan_place_kind *meant)
{
  const char *near = NULL, *name;
  *meant = kind;
  for (int i = 0; (name = name_at(m, kind, i)) != NULL; i++) {
    const char *pair[2] = {near ? near : name, name};
    const char *nearer = cardan__nearest(rest, pair, 2);
    near = nearer ? nearer : near;
  }
  for (int k = CARDAN_PLACE_PARAMETER; k <= CARDAN_PLACE_INPUT && near == NULL; k++) {
    const int index = find_name(m, (cardan_place_kind)k, rest);
    *meant = (cardan_place_kind)k;
    near = index >= 0 ? name_at(m, (cardan_place_kind)k, index) : NULL;
  }
  return near;
}

static cardan_status unknown(const cardan_model *m, const char *name, cardan_report *report)
{
  const char *rest;
  cardan_place_kind meant;
  const cardan_place_kind kind = kind_of(name, &rest);
  const char *near = find_similar_name(m, kind, rest, &meant);
  if (near != NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "the model has no \"%.60s\"; did you mean \"%s%.60s\"?", name,
                       prefix_of(meant), near);
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "the model has no \"%.60s\", expected q.NAME, v.NAME, u.NAME or the name of a "
                     "(parameter ..)",
                     name);
}

/* May the parameter differ? */
static cardan_status check_parameter(const cardan_parameter *p, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (p->derived) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "\"%.60s\" is computed from parameters, expected one of these", p->name);
  }
  if (p->rigid_pos.line > 0) {
    return cardan_fail(
        report, CARDAN_ERR_ARGUMENT, none,
        "parameter \"%.60s\" is used in line %d of the model, where only reading the "
        "text again can change it; expected another one",
        p->name, p->rigid_pos.line);
  }
  return CARDAN_OK;
}

cardan_status cardan_place_find(const cardan_model *model, const char *name, cardan_place *out,
                                cardan_report *report)
{
  const char *rest;
  out->kind = kind_of(name, &rest);
  out->index = find_name(model, out->kind, rest);
  if (out->index < 0) {
    return unknown(model, name, report);
  }
  if (out->kind == CARDAN_PLACE_PARAMETER) {
    return check_parameter(&model->parameter[out->index], report);
  }
  const int body = out->kind == CARDAN_PLACE_Q   ? model->q_body[out->index]
                   : out->kind == CARDAN_PLACE_V ? model->v_body[out->index]
                                                 : 0;
  if ((model->body[body].flags & CARDAN_LINK_KINEMATIC) != 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "\"%.60s\" follows its (motion ..), expected one that is free to start "
                       "anywhere",
                       name);
  }
  return CARDAN_OK;
}

/* ---- what differs ---- */

cardan_status cardan_sampler_create(const cardan_model *model, uint64_t seed,
                                    const cardan_allocator *allocator, cardan_sampler **out,
                                    cardan_report *report)
{
  *out = cardan__resize(allocator, NULL, sizeof **out);
  if (*out == NULL) {
    return cardan__no_memory(report);
  }
  **out = (cardan_sampler){.model = model, .seed = seed, .nrow = -1};
  cardan__arena_init(&(*out)->arena, allocator);
  return CARDAN_OK;
}

void cardan_sampler_destroy(cardan_sampler *sampler)
{
  if (sampler != NULL) {
    const cardan_allocator alloc = sampler->arena.alloc;
    cardan__resize(&alloc, sampler->entry, 0);
    cardan__arena_free(&sampler->arena);
    cardan__resize(&alloc, sampler, 0);
  }
}

/* The name as the model has it, with its prefix, in the sampler's own memory. */
static const char *full_name(cardan_sampler *sampler, cardan_place place)
{
  const char *prefix = prefix_of(place.kind);
  const char *name = name_at(sampler->model, place.kind, place.index);
  const size_t size = strlen(prefix) + strlen(name) + 1;
  char *full = cardan__arena_take(&sampler->arena, size, 1);
  if (full != NULL) {
    snprintf(full, size, "%s%s", prefix, name);
  }
  return full;
}

static cardan_status add(cardan_sampler *sampler, const char *name, entry e, cardan_report *report)
{
  const cardan_status status = cardan_place_find(sampler->model, name, &e.place, report);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int k = 0; k < sampler->n; k++) {
    const cardan_place there = sampler->entry[k].place;
    if (there.kind == e.place.kind && there.index == e.place.index) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "\"%.60s\" is repeated, expected once", name);
    }
  }
  e.name = full_name(sampler, e.place);
  if (e.name == NULL ||
      cardan__grow(&sampler->arena.alloc, (void **)&sampler->entry, &sampler->capacity,
                   sampler->n + 1, sizeof *sampler->entry) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  e.stream = cardan__random_stream(e.name);
  sampler->entry[sampler->n++] = e;
  return CARDAN_OK;
}

cardan_status cardan_sampler_add(cardan_sampler *sampler, const char *name,
                                 const cardan_distribution *distribution, cardan_report *report)
{
  return add(sampler, name, (entry){.distribution = *distribution, .column = -1}, report);
}

/* ---- the table ---- */

static cardan_status read_names(cardan_sampler *sampler, cardan__csv *r)
{
  for (;; cardan__csv_pass(r, 1)) {
    char name[NAME_SIZE];
    cardan__csv_part part;
    cardan_status status = cardan__csv_take(r, &part);
    if (status != CARDAN_OK) {
      return status;
    }
    snprintf(name, sizeof name, "%.*s", (int)(part.length < NAME_SIZE ? part.length : NAME_SIZE),
             part.text);
    status = add(sampler, name, (entry){.column = sampler->ncolumn}, r->report);
    if (status != CARDAN_OK) {
      if (r->report != NULL && status == CARDAN_ERR_ARGUMENT) {
        r->report->pos = part.pos;
      }
      return status;
    }
    sampler->ncolumn++;
    if (cardan__csv_line_end(r)) {
      return CARDAN_OK;
    }
  }
}

static cardan_status read_rows(cardan_sampler *sampler, cardan__csv *r)
{
  const int n = sampler->ncolumn;
  sampler->nrow = 0;
  sampler->table =
      cardan__arena_take(&sampler->arena, cardan__csv_lines(r), (size_t)n * sizeof(double));
  if (sampler->table == NULL) {
    return cardan__no_memory(r->report);
  }
  while (cardan__csv_next_line(r)) {
    if (cardan__csv_line_end(r)) { // an empty line says nothing
      continue;
    }
    double *row = sampler->table + sampler->nrow * n;
    cardan_status status = CARDAN_OK;
    for (int k = 0; k < n && status == CARDAN_OK; k++) {
      status = cardan__csv_next(r, k, n, &row[k]);
    }
    status = status ? status : cardan__csv_row_end(r, n);
    if (status != CARDAN_OK) {
      return status;
    }
    sampler->nrow++;
  }
  return sampler->nrow > 0 ? CARDAN_OK
                           : cardan__csv_wrong(r, "no rows", NULL, "at least one below the header");
}

cardan_status cardan_sampler_table(cardan_sampler *sampler, const char *text, size_t length,
                                   const char *file, cardan_report *report)
{
  cardan__csv r = cardan__csv_begin(text, length, report);
  cardan__report_file(report, file ? file : "");
  if (sampler->nrow >= 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "found a second table, expected one");
  }
  if (r.text == r.end) {
    return cardan__csv_wrong(&r, "nothing", NULL, "a header line with names");
  }
  const cardan_status status = read_names(sampler, &r);
  return status == CARDAN_OK ? read_rows(sampler, &r) : status;
}

/* ---- values ---- */

int cardan_sampler_count(const cardan_sampler *sampler)
{
  return sampler->n;
}

const char *cardan_sampler_name(const cardan_sampler *sampler, int k)
{
  return sampler->entry[k].name;
}

cardan_place cardan_sampler_place(const cardan_sampler *sampler, int k)
{
  return sampler->entry[k].place;
}

int64_t cardan_sampler_rows(const cardan_sampler *sampler)
{
  return sampler->nrow;
}

void cardan_sampler_at(const cardan_sampler *sampler, int64_t copy, int64_t n, double *value)
{
  for (int k = 0; k < sampler->n; k++) {
    const entry *e = &sampler->entry[k];
    if (e->column >= 0) {
      value[k] = sampler->table[copy * sampler->ncolumn + e->column];
    } else if (e->distribution.kind == CARDAN_DISTRIBUTION_EVEN) {
      value[k] =
          cardan_distribution_at(&e->distribution, n > 1 ? (double)copy / (double)(n - 1) : 0.0);
    } else {
      value[k] = cardan_distribution_at(&e->distribution,
                                        cardan_random(sampler->seed, e->stream, (uint64_t)copy));
    }
  }
}

/* Writes the values of one kind. */
static void write_values(const cardan_sampler *sampler, cardan_place_kind kind, const double *value,
                         double *to)
{
  for (int k = 0; k < sampler->n; k++) {
    if (sampler->entry[k].place.kind == kind) {
      to[sampler->entry[k].place.index] = value[k];
    }
  }
}

static bool has(const cardan_sampler *sampler, cardan_place_kind kind)
{
  for (int k = 0; k < sampler->n; k++) {
    if (sampler->entry[k].place.kind == kind) {
      return true;
    }
  }
  return false;
}

static void copy_start(const cardan_model *m, double *q, double *v)
{
  if (q != NULL) {
    memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  }
  if (v != NULL) {
    memcpy(v, m->v0, (size_t)m->nv * sizeof *v);
  }
}

/* The model's start, as it is with these parameters. */
static cardan_status own_start(const cardan_sampler *sampler, const double *param, double *q,
                               double *v, cardan_report *report)
{
  cardan_model *own = NULL;
  copy_start(sampler->model, q, v);
  if (!has(sampler, CARDAN_PLACE_PARAMETER)) {
    return CARDAN_OK;
  }
  if (cardan_model_copy(sampler->model, &sampler->arena.alloc, &own) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  const cardan_status status = cardan__model_set_all(own, param, NULL);
  if (status == CARDAN_OK) {
    copy_start(own, q, v);
  }
  cardan_model_destroy(own);
  return status == CARDAN_ERR_MEMORY ? cardan__no_memory(report) : CARDAN_OK;
}

cardan_status cardan_sampler_apply(const cardan_sampler *sampler, const double *value, double *q,
                                   double *v, double *u, double *param, cardan_report *report)
{
  const cardan_model *m = sampler->model;
  if (param != NULL) {
    memcpy(param, m->parameter_value, (size_t)m->nparameter * sizeof *param);
    write_values(sampler, CARDAN_PLACE_PARAMETER, value, param);
  }
  if (u != NULL) {
    for (int i = 0; i < m->ninput; i++) {
      u[i] = m->input[i].value;
    }
    write_values(sampler, CARDAN_PLACE_INPUT, value, u);
  }
  const cardan_status status =
      q != NULL || v != NULL ? own_start(sampler, param, q, v, report) : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  if (v != NULL) {
    write_values(sampler, CARDAN_PLACE_V, value, v);
  }
  if (q != NULL) {
    write_values(sampler, CARDAN_PLACE_Q, value, q);
    if (!cardan_q_normalize(m, q)) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "a quaternion has length 0, expected one that can be normalised");
    }
  }
  return CARDAN_OK;
}

void cardan_sampler_mark_given(const cardan_sampler *sampler, cardan_model *model)
{
  for (int k = 0; k < sampler->n; k++) {
    const cardan_place place = sampler->entry[k].place;
    if (place.kind == CARDAN_PLACE_Q) {
      model->q_given[place.index] = true;
    } else if (place.kind == CARDAN_PLACE_V) {
      model->v_given[place.index] = true;
    }
  }
}
