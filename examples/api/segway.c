// SPDX-License-Identifier: Apache-2.0
// A robot on two wheels that rolling constrains: A and B of one step by differences of the motion,
// the gains of two linear quadratic regulators from them (lean and way, heading), and the robot let
// go at 0.2 rad under these gains. They are those of the built-in model segway.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

/* x = (way, heading, lean, and their rates): what is free under the rolling constraints, but for
 * the place, which nothing depends on. u: torque of both motors, and of one less the other, halved.
 */
enum { N = 6, WAY = 0, HEADING, LEAN, RATE };

static const double r = 0.2, half = 0.3; // of the model [m]

typedef struct {
  cardan_sim *sim;
  const cardan_model *model;
} robot;

static int q_of(const robot *a, const char *name)
{
  int k = 0;
  while (strcmp(a->model->q_name[k], name) != 0) {
    k++;
  }
  return k;
}

/* Starts at x, straight ahead along the world's x axis. No coordinate is a quaternion: v[k] is the
 * rate of q[k]. */
static cardan_status start(const robot *a, const double x[N], cardan_report *report)
{
  cardan_data *data = cardan_sim_data(a->sim);
  const int base = q_of(a, "base.x"), lean = q_of(a, "lean"), l = q_of(a, "l"), rr = q_of(a, "r");
  memset(data->q, 0, (size_t)a->model->nq * sizeof *data->q);
  memset(data->v, 0, (size_t)a->model->nv * sizeof *data->v);
  data->t = 0;
  data->q[base + 2] = x[HEADING];
  data->q[lean] = x[LEAN];
  data->q[l] = (x[WAY] - half * x[HEADING]) / r - x[LEAN];
  data->q[rr] = (x[WAY] + half * x[HEADING]) / r - x[LEAN];
  data->v[base] = cos(x[HEADING]) * x[RATE + WAY];
  data->v[base + 1] = sin(x[HEADING]) * x[RATE + WAY];
  data->v[base + 2] = x[RATE + HEADING];
  data->v[lean] = x[RATE + LEAN];
  data->v[l] = (x[RATE + WAY] - half * x[RATE + HEADING]) / r - x[RATE + LEAN];
  data->v[rr] = (x[RATE + WAY] + half * x[RATE + HEADING]) / r - x[RATE + LEAN];
  return cardan_sim_start(a->sim, report);
}

static void state(const robot *a, double x[N])
{
  const cardan_data *data = cardan_sim_data(a->sim);
  const int base = q_of(a, "base.x"), lean = q_of(a, "lean"), l = q_of(a, "l"), rr = q_of(a, "r");
  x[WAY] = r * (data->q[lean] + 0.5 * (data->q[l] + data->q[rr]));
  x[RATE + WAY] = r * (data->v[lean] + 0.5 * (data->v[l] + data->v[rr]));
  x[HEADING] = data->q[base + 2];
  x[RATE + HEADING] = data->v[base + 2];
  x[LEAN] = data->q[lean];
  x[RATE + LEAN] = data->v[lean];
}

static void set_torques(const robot *a, const double u[2])
{
  cardan_data *data = cardan_sim_data(a->sim);
  data->tau_in[q_of(a, "l")] = 0.5 * u[0] - u[1];
  data->tau_in[q_of(a, "r")] = 0.5 * u[0] + u[1];
}

/* x after one step from x under u. */
static cardan_status step(const robot *a, double x[N], const double u[2], cardan_report *report)
{
  cardan_status status = start(a, x, report);
  if (status == CARDAN_OK) {
    set_torques(a, u);
    status = cardan_sim_step(a->sim, report);
    state(a, x);
  }
  return status;
}

/* Column k of [A B], by central differences: rows of N + 2 numbers. */
static cardan_status column(const robot *a, int k, double AB[N][N + 2], cardan_report *report)
{
  const double e = 1e-4;
  double end[2][N] = {{0}};
  cardan_status status = CARDAN_OK;
  for (int side = 0; side < 2 && status == CARDAN_OK; side++) {
    double u[2] = {0};
    *(k < N ? &end[side][k] : &u[k - N]) = side == 0 ? -e : e;
    status = step(a, end[side], u, report);
  }
  for (int i = 0; i < N; i++) {
    AB[i][k] = (end[1][i] - end[0][i]) / (2 * e);
  }
  return status;
}

/* Half of the state, of one input: the way and lean of the drive, the heading of the turn. Each is
 * a system of its own, since the robot is symmetric. */
typedef struct {
  int n, of[N];          // numbers in x
  double A[N * N], b[N]; // n x n
  double w[N], rho;      // weights on x and u
} half_system;

static void multiply(int n, const double *A, const double *B, bool transposed, double *C)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      C[n * i + j] = 0;
      for (int k = 0; k < n; k++) {
        C[n * i + j] += (transposed ? A[n * k + i] : A[n * i + k]) * B[n * k + j];
      }
    }
  }
}

/* K of u = -K x by the Riccati recursion, in Joseph's form, which keeps P symmetric:
 *   K = b^T P A / (rho + b^T P b),   C = A - b K,   P <- W + rho K^T K + C^T P C */
static void gain(const half_system *s, double K[N])
{
  const int n = s->n;
  double P[N * N] = {0}, C[N * N], PA[N * N], next[N * N];
  for (int step = 0; step < 20000; step++) {
    double scale = s->rho;
    multiply(n, P, s->A, false, PA);
    for (int j = 0; j < n; j++) {
      K[j] = 0;
      for (int i = 0; i < n; i++) {
        K[j] += s->b[i] * PA[n * i + j];
        scale += s->b[i] * P[n * i + j] * s->b[j];
      }
    }
    for (int j = 0; j < n; j++) {
      K[j] /= scale;
    }
    for (int i = 0; i < n * n; i++) {
      C[i] = s->A[i] - s->b[i / n] * K[i % n];
    }
    multiply(n, P, C, false, PA);
    multiply(n, C, PA, true, next);
    for (int i = 0; i < n * n; i++) {
      P[i] = next[i] + s->rho * K[i / n] * K[i % n] + (i / n == i % n ? s->w[i / n] : 0);
    }
  }
}

/* Gains on the way, lean and their rates for both motors, on the heading for their difference. */
static cardan_status design(const robot *a, double K[2][N], cardan_report *report)
{
  half_system systems[2] = {
      {.n = 4, .of = {WAY, LEAN, RATE + WAY, RATE + LEAN}, .w = {1, 20, 1, 1}, .rho = 0.002},
      {.n = 2, .of = {HEADING, RATE + HEADING}, .w = {1, 1}, .rho = 0.02}};
  double AB[N][N + 2];
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < N + 2 && status == CARDAN_OK; k++) {
    status = column(a, k, AB, report);
  }
  for (int u = 0; u < 2 && status == CARDAN_OK; u++) {
    half_system *s = &systems[u];
    double own[N];
    for (int i = 0; i < s->n * s->n; i++) {
      s->A[i] = AB[s->of[i / s->n]][s->of[i % s->n]];
      s->b[i % s->n] = AB[s->of[i % s->n]][N + u];
    }
    gain(s, own);
    for (int i = 0; i < s->n; i++) {
      K[u][s->of[i]] = own[i];
    }
  }
  return status;
}

/* Ten seconds under u = -K x. */
static cardan_status balance(const robot *a, double K[2][N], double x[N], cardan_report *report)
{
  cardan_status status = start(a, x, report);
  for (int i = 0; i < 2000 && status == CARDAN_OK; i++) {
    double u[2] = {0};
    state(a, x);
    for (int k = 0; k < N; k++) {
      u[0] -= K[0][k] * x[k];
      u[1] -= K[1][k] * x[k];
    }
    set_torques(a, u);
    status = cardan_sim_step(a->sim, report);
  }
  state(a, x);
  return status;
}

/* Are the gains those of the model, to the digits that it has? */
static bool compare(const cardan_model *model, double K[2][N])
{
  static const struct {
    const char *name;
    int input, of;
  } gains[] = {{"k-place", 0, WAY},       {"k-speed", 0, RATE + WAY},
               {"k-lean", 0, LEAN},       {"k-rate", 0, RATE + LEAN},
               {"k-heading", 1, HEADING}, {"k-turning", 1, RATE + HEADING}};
  bool same = true;
  for (int i = 0; i < 6; i++) {
    const double ours = -K[gains[i].input][gains[i].of];
    const double theirs = model->parameter_value[cardan_model_parameter(model, gains[i].name)];
    printf("%-10s %9.3f  in the model %9.3f\n", gains[i].name, ours, theirs);
    same = same && fabs(ours - theirs) < 0.01 + 1e-3 * fabs(ours);
  }
  return same;
}

int main(void)
{
  static const cardan_setting off[] = {{"k-place", 0}, {"k-speed", 0},   {"k-lean", 0},
                                       {"k-rate", 0},  {"k-heading", 0}, {"k-turning", 0}};
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  options.dt = 0.005;
  cardan_model *model = NULL, *given = NULL;
  cardan_sim *sim = NULL;
  double K[2][N] = {{0}}, x[N] = {[LEAN] = 0.2};
  cardan_status status = cardan_model_load("segway", NULL, 0, NULL, &given, &report);
  status = status ? status : cardan_model_load("segway", off, 6, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  const robot a = {sim, model};
  status = status ? status : design(&a, K, &report);
  status = status ? status : balance(&a, K, x, &report);
  bool good = status == CARDAN_OK && fabs(x[WAY]) < 1e-2 && fabs(x[LEAN]) < 1e-3;
  if (status == CARDAN_OK) {
    printf("from 0.2 rad, after 10 s: way %.1e m, lean %.1e rad\n", x[WAY], x[LEAN]);
    good = compare(given, K) && good;
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_model_destroy(given);
  return good ? 0 : 1;
}
