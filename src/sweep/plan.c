// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "sweep/plan_inside.h"

void cardan__plan_destroy(cardan__plan *plan)
{
  if (plan != NULL) {
    const cardan_allocator alloc = plan->arena.alloc;
    cardan__resize(&alloc, plan->varied, 0);
    cardan__resize(&alloc, plan->source, 0);
    cardan__resize(&alloc, plan->axis, 0);
    cardan__resize(&alloc, plan->collect, 0);
    cardan__arena_free(&plan->arena);
    cardan__resize(&alloc, plan, 0);
  }
}

/* Cases of one sample at one point of the grid. */
static int cases_of_sample(const cardan__plan *plan)
{
  return plan->sensitivity ? plan->ndrawn + 2 : 1;
}

int64_t cardan__plan_count(const cardan__plan *plan)
{
  return plan->points * plan->samples * cases_of_sample(plan);
}

int64_t cardan__plan_samples(const cardan__plan *plan)
{
  return plan->samples;
}

bool cardan__plan_sensitivity(const cardan__plan *plan)
{
  return plan->sensitivity;
}

const char *cardan__plan_note(const cardan__plan *plan)
{
  return plan->note;
}

int cardan__plan_nvaried(const cardan__plan *plan)
{
  return plan->nvaried;
}

int cardan__plan_ncollect(const cardan__plan *plan)
{
  return plan->ncollect;
}

const cardan__varied *cardan__plan_varied(const cardan__plan *plan, int k)
{
  return k >= 0 && k < plan->nvaried ? &plan->varied[k] : NULL;
}

int cardan__plan_method(const cardan__plan *plan)
{
  for (int k = 0; k < plan->nvaried; k++) {
    if (plan->varied[k].kind == CARDAN__VARIED_OPTION &&
        strcmp(plan->varied[k].name, "method") == 0) {
      return k;
    }
  }
  return -1;
}

const cardan__collect *cardan__plan_collect(const cardan__plan *plan, int k)
{
  return k >= 0 && k < plan->ncollect ? &plan->collect[k] : NULL;
}

/* ---- values ---- */

/* Point i of an axis for one of its names; of a range both ends are exact. */
static double axis_at(const cardan__plan_axis *axis, int64_t i, int column)
{
  if (axis->value != NULL) {
    return axis->value[i * axis->nname + column];
  }
  const double part = (double)i / (double)(axis->n - 1);
  if (i == 0 || i == axis->n - 1) {
    return i == 0 ? axis->a : axis->b;
  }
  return axis->log ? exp((1 - part) * log(axis->a) + part * log(axis->b))
                   : axis->a + part * (axis->b - axis->a);
}

bool cardan__plan_value(const cardan__plan *plan, int k, int64_t point, double *value)
{
  const cardan__plan_source *s = &plan->source[k];
  if (s->way != CARDAN__PLAN_GRID || point < 0 || point >= plan->axis[s->axis].n) {
    return false;
  }
  *value = axis_at(&plan->axis[s->axis], point, s->column);
  return true;
}

/* A number drawn for sample j; other: for B_j in place of A_j. */
static double draw(const cardan__plan *plan, const cardan__plan_source *s, int64_t j, bool other)
{
  const uint64_t stream = s->stream ^ (uint64_t)other << 63, n = (uint64_t)plan->samples;
  const double p =
      s->way == CARDAN__PLAN_SOBOL   ? cardan__sobol_at(s->sobol[other], s->key[other], (uint64_t)j)
      : s->way == CARDAN__PLAN_LATIN ? cardan__latin_at(plan->seed, stream, n, (uint64_t)j)
                                     : cardan_random(plan->seed, stream, (uint64_t)j);
  return cardan_distribution_at(&s->spread, p);
}

void cardan__plan_values(const cardan__plan *plan, int64_t i, double *value)
{
  CARDAN_ASSERT(i >= 0 && i < cardan__plan_count(plan));
  const int each = cases_of_sample(plan);
  const int turn = (int)(i % each); // A, B, A with number turn - 2 of B
  const int64_t j = i / each % plan->samples, g = i / each / plan->samples;
  for (int k = 0; k < plan->nvaried; k++) {
    const cardan__plan_source *s = &plan->source[k];
    if (s->way == CARDAN__PLAN_GRID) {
      const cardan__plan_axis *axis = &plan->axis[s->axis];
      value[k] = axis_at(axis, g / axis->stride % axis->n, s->column);
    } else {
      value[k] = draw(plan, s, j, turn == 1 || turn == s->drawn + 2);
    }
  }
}
