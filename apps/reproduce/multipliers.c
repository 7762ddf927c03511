// SPDX-License-Identifier: Apache-2.0
#include "reproduce/multipliers.h"

#include <math.h>

#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "reproduce/motion.h"

static cardan_status build(const char *name, const cardan_allocator *allocator, cardan_model **out,
                           cardan_report *report)
{
  cardan_spec *spec = NULL;
  char *text = NULL;
  size_t length;
  cardan_status status = cardan_load_text(name, allocator, &text, &length, report);
  if (status == CARDAN_OK) {
    status = cardan_spec_read(text, length, name, NULL, 0, allocator, &spec, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, allocator, out, report);
  }
  cardan_spec_destroy(spec);
  cardan_free_text(allocator, text);
  return status;
}

/* The rows at the start, and a right-hand side that has no pattern. */
static cardan_status linearise(cardan__multipliers *m, cardan_data *data)
{
  const size_t n = (size_t)m->mx->nx, neq = (size_t)m->mx->neq;
  const size_t ncfg = (size_t)m->mx->ncfg * (size_t)m->mx->nbody;
  double *at = cardan__arena_take(&m->arena, ncfg + n, sizeof *at);
  m->f = cardan__arena_take(&m->arena, 2 * (n + neq), sizeof *m->f);
  if (at == NULL || m->f == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  m->g = m->f + n;
  m->x = m->g + neq;
  m->lambda = m->x + n;
  for (size_t i = 0; i < n + neq; i++) {
    m->f[i] = sin((double)i);
  }
  cardan_kinematics(m->model, data);
  cardan__mx_take(m->mx, data->X_W, data->V, at, at + ncfg);
  cardan__mx_place(m->mx, at, at + ncfg);
  cardan__mx_jacobian(m->mx);
  return CARDAN_OK;
}

cardan_status cardan__multipliers_open(const char *name, const cardan_allocator *allocator,
                                       cardan__multipliers *out, cardan_report *report)
{
  cardan_data *data = NULL;
  *out = (cardan__multipliers){0};
  cardan__arena_init(&out->arena, allocator);
  cardan_status status = build(name, allocator, &out->model, report);
  if (status == CARDAN_OK) {
    status = cardan_data_create(out->model, allocator, &data);
  }
  if (status == CARDAN_OK) {
    status = cardan__maximal_create(out->model, true, allocator, &out->mx, report);
  }
  if (status == CARDAN_OK) {
    status = linearise(out, data);
  }
  cardan_data_destroy(data);
  if (status != CARDAN_OK) {
    cardan__multipliers_close(out);
  }
  return status;
}

void cardan__multipliers_close(cardan__multipliers *m)
{
  cardan__arena_free(&m->arena);
  cardan__maximal_destroy(m->mx);
  cardan_model_destroy(m->model);
  *m = (cardan__multipliers){0};
}

/* Measures the time of n factorisations and solutions. */
static cardan_status solve_often(const cardan__multipliers *m, cardan__kkt *kkt, int n,
                                 double *seconds)
{
  const double start = cardan__clock();
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    int row;
    status = cardan__kkt_factor(kkt, &row);
    cardan__kkt_solve(kkt, m->f, m->g, m->x, m->lambda);
  }
  *seconds = cardan__clock() - start;
  return status;
}

cardan_status cardan__multipliers_seconds(cardan__multipliers *m, cardan__kkt_kind kind,
                                          int batches, double *seconds, cardan_report *report)
{
  enum { MOST = 1 << 20 };
  const double shortest = 0.01, long_enough = 0.5; // of a batch [s]
  cardan__kkt *kkt = NULL;
  double taken = 0;
  int n = 1;
  cardan_status status = cardan__kkt_create(m->mx, kind, &m->arena.alloc, &kkt);
  *seconds = HUGE_VAL;
  for (int batch = 0; batch < batches && taken < long_enough && status == CARDAN_OK; batch++) {
    status = solve_often(m, kkt, n, &taken);
    while (status == CARDAN_OK && taken < shortest && n < MOST) {
      n *= 2;
      status = solve_often(m, kkt, n, &taken);
    }
    *seconds = fmin(*seconds, taken / n);
  }
  cardan__kkt_destroy(kkt);
  return status == CARDAN_OK
             ? CARDAN_OK
             : cardan_fail(report, status, (cardan_pos){0, 0}, "the multipliers have no solution");
}
