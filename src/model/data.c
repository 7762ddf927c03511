// SPDX-License-Identifier: Apache-2.0
#include "cardan/data.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/fields.h"
#include "model/data_fields.h"
#include "spatial/spatial.h"

_Static_assert(sizeof(cardan_force) == 6 * sizeof(double), "forces are copied as numbers");

#define CARVE_ARRAY(field, room, kind) \
  d->field = cardan__carve(c, (size_t)(room), sizeof *d->field);

/* Lays out the block of a data; the data itself comes first. */
static cardan_data *layout(cardan__carver *c, const cardan_model *m)
{
  cardan_data counted;
  cardan_data *data = CARDAN__CARVE(c, 1, cardan_data);
  cardan_data *d = data != NULL ? data : &counted;
  memset(d, 0, sizeof *d);
  d->model = m;
  d->armature = m->armature;
  CARDAN__DATA_ARRAYS(CARVE_ARRAY)
  CARDAN__DATA_ROW_ARRAYS(CARVE_ARRAY)
  CARDAN__DATA_MORE_ARRAYS(CARVE_ARRAY)
  d->z = data != NULL ? d->u + m->ninput : NULL;
  d->half_turn = data != NULL ? d->z + m->nz : NULL;
  return data;
}

size_t cardan_data_size(const cardan_model *model)
{
  cardan__carver c = {0};
  layout(&c, model);
  return cardan__carver_size(&c);
}

/* A data over size zeros. */
static cardan_data *init(const cardan_model *model, void *mem, size_t size)
{
  cardan__carver c = cardan__carver_over(mem);
  cardan_data *data = layout(&c, model);
  data->size = size;
  cardan_data_reset(model, data);
  return data;
}

cardan_data *cardan_data_init(const cardan_model *model, void *mem)
{
  const size_t size = cardan_data_size(model);
  return init(model, memset(mem, 0, size), size);
}

#define COPY_saved(field) to->field = from->field;
#define COPY_made(field) to->field = from->field;
#define COPY_shared(field)
#define COPY_own(field)
#define COPY(field, kind) COPY_##kind(field)
#define ZERO(...) 0,
#define MEMBER CARDAN__FIELD_MEMBER

/* Every field of a cardan_data is listed, or one of its four structs. */
static inline void check_fields(const cardan_data *d)
{
  CARDAN__FIELDS_ONCE(CARDAN__DATA_HEAD(MEMBER) CARDAN__DATA_NODE(MEMBER) CARDAN__DATA_ARRAYS(
      MEMBER) CARDAN__DATA_MORE_ARRAYS(MEMBER) CARDAN__DATA_TAIL(MEMBER))
  CARDAN__FIELDS_ALL(cardan_data, CARDAN__DATA_HEAD(ZERO) d->info,
                     CARDAN__DATA_NODE(ZERO) CARDAN__DATA_ARRAYS(ZERO) d->rows, d->bounds,
                     CARDAN__DATA_MORE_ARRAYS(ZERO) CARDAN__DATA_TAIL(ZERO) d->allocator)
}

void cardan_data_copy(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  check_fields(from);
  // behind the structs are the same arrays in the same order, q first
  cardan__carver c = {0};
  layout(&c, model);
  const size_t first = (size_t)((const char *)from->q - (const char *)from);
  CARDAN_ASSERT(from->model == model && to->model == model);
  memcpy((char *)to + first, (const char *)from + first, c.used - first);
  CARDAN__DATA_NODE(COPY)
  to->info = from->info;
  to->fresh = from->fresh & ~(unsigned)CARDAN_FRESH_LOOPS;
}

void cardan_data_reset(const cardan_model *model, cardan_data *data)
{
  int multi = 0;
  data->t = 0;
  data->fresh = 0;
  data->posed = model->npose == 0 || model->start >= 0;
  data->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  memcpy(data->q, model->q0, (size_t)model->nq * sizeof *data->q);
  memcpy(data->v, model->v0, (size_t)model->nv * sizeof *data->v);
  memcpy(data->q_given, model->q_given, (size_t)model->nq * sizeof *data->q_given);
  memcpy(data->v_given, model->v_given, (size_t)model->nv * sizeof *data->v_given);
  for (int i = 0; i < model->ninput; i++) {
    data->u[i] = model->input[i].value;
  }
  for (int i = 0; i < model->nz; i++) {
    data->z[i] = model->state[i].initial;
  }
  memset(data->half_turn, 0, (size_t)model->nturning * sizeof *data->half_turn);
  memset(data->a, 0, (size_t)model->nv * sizeof *data->a);
  memset(data->lambda, 0, (size_t)model->nrow * sizeof *data->lambda);
  memset(data->friction, 0, (size_t)model->nforce * sizeof *data->friction);
  memset(data->friction_tau, 0, (size_t)model->nv * sizeof *data->friction_tau);
  data->X[0] = cardan__xform_identity();
  data->X_W[0] = cardan__xform_identity();
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    data->multi_of[i] = b->nv > 1 ? multi++ : -1;
    // constant for prismatic joints, the others overwrite them
    data->X[i] = b->X;
    data->cos_sin[2 * i] = cos(b->psi);
    data->cos_sin[2 * i + 1] = sin(b->psi);
  }
}

void cardan_keyframe_set(const cardan_model *model, cardan_data *data, int index)
{
  CARDAN_ASSERT(index >= 0 && index < model->nkeyframe);
  const cardan_keyframe *key = &model->keyframe[index];
  memcpy(data->q, key->q, (size_t)model->nq * sizeof *data->q);
  memcpy(data->v, key->v, (size_t)model->nv * sizeof *data->v);
  memcpy(data->u, key->u, (size_t)model->ninput * sizeof *data->u);
  memcpy(data->q_given, key->q_given, (size_t)model->nq * sizeof *data->q_given);
  memcpy(data->v_given, key->v_given, (size_t)model->nv * sizeof *data->v_given);
  data->posed = true;
  data->fresh = 0;
}

void cardan__data_caller(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  memcpy(to->u, from->u, cardan__outside(model) * sizeof *to->u);
  to->program = from->program;
}

void cardan__data_inputs(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  cardan__data_caller(model, from, to);
  memcpy(to->tau_in, from->tau_in, (size_t)model->nv * sizeof *to->tau_in);
  memcpy(to->f_in, from->f_in, (size_t)model->nbody * sizeof *to->f_in);
}

size_t cardan__inputs_size(const cardan_model *model)
{
  return (size_t)model->ninput + (size_t)model->nz + (size_t)model->nv + 6 * (size_t)model->nbody;
}

/* now: seen itself, to become the data's, or NULL */
static bool compare_inputs(const cardan_model *model, const cardan_data *data, bool states,
                           const double *seen, double *now)
{
  const struct {
    const void *from;
    size_t n;
  } part[] = {{data->u, (size_t)(model->ninput + (states ? model->nrate : 0))},
              {data->z + model->nrate, (size_t)(model->nz - model->nrate)},
              {data->tau_in, (size_t)model->nv},
              {data->f_in, 6 * (size_t)model->nbody}};
  bool changed = false;
  size_t at = 0;
  for (int i = 0; i < 4; i++) {
    const size_t bytes = part[i].n * sizeof *seen;
    if (memcmp(seen + at, part[i].from, bytes) != 0) {
      changed = true;
      if (now != NULL) {
        memcpy(now + at, part[i].from, bytes);
      }
    }
    at += part[i].n;
  }
  return changed;
}

bool cardan__inputs_differ(const cardan_model *model, const cardan_data *data, bool states,
                           const double *seen)
{
  return compare_inputs(model, data, states, seen, NULL);
}

bool cardan__inputs_take(const cardan_model *model, const cardan_data *data, bool states,
                         double *seen)
{
  return compare_inputs(model, data, states, seen, seen);
}

/* Is one of n numbers not 0? By their bits but the sign, to the end: for vector registers. */
static bool has_nonzero(int n, const double *x)
{
  uint64_t any = 0;
  for (int k = 0; k < n; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], sizeof bits);
    any |= bits;
  }
  return any << 1 != 0;
}

bool cardan__inputs_push(const cardan_model *model, const double *tau_in, const cardan_force *f_in)
{
  return has_nonzero(model->nv, tau_in) || has_nonzero(6 * (model->nbody - 1), &f_in[1].t.x);
}

bool cardan__inputs_finite(const cardan_model *model, const double *tau_in,
                           const cardan_force *f_in)
{
  const double *f = &f_in[0].t.x; // of the world too: it is 0
  int64_t other = 0;
  for (int k = 0; k < model->nv; k++) {
    other |= !(fabs(tau_in[k]) <= DBL_MAX);
  }
  for (int k = 0; k < 6 * model->nbody; k++) {
    other |= !(fabs(f[k]) <= DBL_MAX);
  }
  return other == 0;
}

cardan_status cardan_data_create(const cardan_model *model, const cardan_allocator *allocator,
                                 cardan_data **out)
{
  const size_t size = cardan_data_size(model);
  void *memory = size > 0 ? cardan__zeros(allocator, size) : NULL;
  *out = NULL;
  if (memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *out = init(model, memory, size);
  (*out)->block = memory;
  (*out)->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  return CARDAN_OK;
}

void cardan_data_destroy(cardan_data *data)
{
  if (data != NULL) {
    const cardan_allocator allocator = data->allocator;
    if (data->loops != NULL) {
      if (data->loops->close != NULL) {
        data->loops->close(data->loops);
      }
      cardan__resize(&allocator, data->loops->block, 0);
      data->loops = NULL;
    }
    if (data->slopes != NULL) {
      cardan__resize(&allocator, data->slopes->block, 0);
      cardan__resize(&allocator, data->slopes, 0);
      data->slopes = NULL;
    }
    cardan__resize(&allocator, data->block, 0);
  }
}
