// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "cardan/compare.h"

cardan_status cardan_compare_errors_create(int n, const cardan_allocator *allocator,
                                           cardan_compare_errors **out)
{
  const size_t times = CARDAN_COMPARE_TIMES, all = n > 0 ? (size_t)n : 1;
  cardan_compare_errors *errors = cardan__zeros(allocator, sizeof *errors);
  *out = errors;
  if (errors == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  errors->n = n;
  errors->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  errors->count = cardan__zeros(allocator, all * sizeof *errors->count);
  errors->time = cardan__zeros(allocator, times * sizeof *errors->time);
  errors->error = cardan__zeros(allocator, all * times * sizeof *errors->error);
  if (errors->count == NULL || errors->time == NULL || errors->error == NULL) {
    cardan_compare_errors_destroy(errors);
    *out = NULL;
    return CARDAN_ERR_MEMORY;
  }
  return CARDAN_OK;
}

void cardan_compare_errors_destroy(cardan_compare_errors *errors)
{
  if (errors != NULL) {
    const cardan_allocator allocator = errors->allocator;
    cardan__resize(&allocator, errors->count, 0);
    cardan__resize(&allocator, errors->time, 0);
    cardan__resize(&allocator, errors->error, 0);
    cardan__resize(&allocator, errors, 0);
  }
}

void cardan_compare_errors_put(void *errors, int contender, double t, double error)
{
  cardan_compare_errors *e = errors;
  if (contender < 0 || contender >= e->n || e->count[contender] >= CARDAN_COMPARE_TIMES) {
    return;
  }
  const int i = e->count[contender]++;
  e->time[i] = t;
  e->error[(size_t)contender * CARDAN_COMPARE_TIMES + (size_t)i] = error;
}
