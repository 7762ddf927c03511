// SPDX-License-Identifier: Apache-2.0
// What the calls on one state cost on a model, in microseconds and relative to forward dynamics.
//   build/bench/calls [MODEL]      (default humanoid)
// Times are the best of several batches.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cardan/cardan.h"

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  int frame;
  double *out;     // room for the largest result
  cardan_sim *sim; // by vi, at its start
} subject;

static void forward(subject *s)
{
  if (cardan_forward(s->model, s->data, 0, 0) != CARDAN_OK) {
    fprintf(stderr, "calls: %s\n", s->data->info.message);
    exit(1);
  }
}

static void kinematics(subject *s)
{
  cardan_kinematics(s->model, s->data);
}

static void frame_acceleration(subject *s)
{
  cardan_frame_acceleration(s->model, s->data, s->frame, CARDAN_ALIGNED);
}

static void frame_jacobian(subject *s)
{
  cardan_frame_jacobian(s->model, s->data, s->frame, CARDAN_ALIGNED, s->out);
}

static void frame_jacobian_rate(subject *s)
{
  cardan_frame_jacobian_rate(s->model, s->data, s->frame, CARDAN_ALIGNED, s->out);
}

static void gravity_torques(subject *s)
{
  cardan_gravity_torques(s->model, s->data, s->out);
}

static void bias_torques(subject *s)
{
  cardan_bias_torques(s->model, s->data, s->out);
}

static void crba(subject *s)
{
  cardan_crba(s->model, s->data, s->out);
}

static void coriolis(subject *s)
{
  cardan_coriolis(s->model, s->data, s->out);
}

static void inertia_inverse(subject *s)
{
  cardan_inertia_inverse(s->model, s->data, s->out);
}

static void frame_inertia_inverse(subject *s)
{
  cardan_frame_inertia_inverse(s->model, s->data, s->frame, CARDAN_ALIGNED, s->out);
}

static void com_jacobian(subject *s)
{
  cardan_com_jacobian(s->model, s->data, 0, s->out);
}

static void centroidal(subject *s)
{
  cardan_centroidal(s->model, s->data, s->out);
}

static void centroidal_rate(subject *s)
{
  cardan_centroidal_rate(s->model, s->data);
}

static void regressor(subject *s)
{
  cardan_regressor(s->model, s->data, s->data->a, s->out);
}

/* A and B of a step, made and given back. */
static void linearize(subject *s)
{
  cardan_linearization *linear = NULL;
  cardan_report report = {.message = ""};
  if (cardan_linearize(s->sim, NULL, &linear, &report) != CARDAN_OK) {
    fprintf(stderr, "calls: %s\n", report.message);
    exit(1);
  }
  cardan_linearization_destroy(linear);
}

static const struct {
  const char *name;
  void (*run)(subject *s);
} list[] = {{"cardan_forward", forward},
            {"cardan_kinematics", kinematics},
            {"cardan_frame_acceleration", frame_acceleration},
            {"cardan_frame_jacobian", frame_jacobian},
            {"cardan_frame_jacobian_rate", frame_jacobian_rate},
            {"cardan_gravity_torques", gravity_torques},
            {"cardan_bias_torques", bias_torques},
            {"cardan_crba", crba},
            {"cardan_coriolis", coriolis},
            {"cardan_inertia_inverse", inertia_inverse},
            {"cardan_frame_inertia_inverse", frame_inertia_inverse},
            {"cardan_com_jacobian", com_jacobian},
            {"cardan_centroidal", centroidal},
            {"cardan_centroidal_rate", centroidal_rate},
            {"cardan_regressor", regressor},
            {"cardan_linearize", linearize}};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for one call: the best of 20 batches of at least 1 ms. */
static double measure(void (*run)(subject *s), subject *s)
{
  double best = 1e9;
  long calls = 1;
  for (int batch = 0; batch < 20;) {
    const double start = now();
    for (long i = 0; i < calls; i++) {
      run(s);
    }
    const double spent = now() - start;
    if (spent < 1e-3) {
      calls *= 2;
    } else {
      best = spent / (double)calls < best ? spent / (double)calls : best;
      batch++;
    }
  }
  return best;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "humanoid";
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  subject s = {.model = NULL};
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_data_create(model, NULL, &s.data);
  if (status != CARDAN_OK) {
    fprintf(stderr, "calls: %s\n", report.message);
    return 1;
  }
  const size_t nv = (size_t)model->nv, width = nv + 10 * (size_t)model->nbody;
  s.model = model;
  s.frame = model->nframe - 1;
  s.out = calloc((nv + 6) * width + 36, sizeof *s.out);
  if (s.out == NULL) {
    return 1;
  }
  const cardan_options options = cardan_options_defaults();
  status = cardan_sim_create(model, &options, NULL, &s.sim, &report);
  status = status ? status : cardan_sim_start(s.sim, &report);
  if (status != CARDAN_OK) {
    fprintf(stderr, "calls: %s\n", report.message);
    return 1;
  }
  forward(&s);
  kinematics(&s);
  double unit = 0;
  printf("%s: %d bodies, %d velocities\n", name, model->nbody - 1, model->nv);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const double t = measure(list[i].run, &s);
    unit = i == 0 ? t : unit;
    printf("%-30s %9.3f us   %6.2f\n", list[i].name, 1e6 * t, t / unit);
  }
  free(s.out);
  cardan_sim_destroy(s.sim);
  cardan_data_destroy(s.data);
  cardan_model_destroy(model);
  return 0;
}
