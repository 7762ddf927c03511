// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "methods/maximal/stepper.h"
#include "reproduce/fang.h"
#include "reproduce/motion.h"
#include "run/sim_access.h"

/* Fig. 2 of Fang et al.: errors over 8 s against the step, of half-implicit (HI, tolerance 1e-10)
 * and fully implicit (FI, 1e-10/h^2 on accelerations, which is 1e-10 on displacements: what option
 * tol means for both methods here). The measure that 3.1 prints is
 *   sqrt(sum e_i^2) / n = sqrt(h / 8 s) RMS,   RMS = sqrt(sum e_i^2 / n),  n = 8 s / h     (E1)
 * so that a method of order 1 has slope 1.5 in it. The authors' program draws (a) with it, but (b)
 * and (c) with |e_n| of the last sample alone. */

static const double pi = 3.14159265358979323846;
static const double length = 8; // of every run [s]

enum { STEPS = 9, QUICK = 7 };
static const double steps[STEPS] = {4e-2, 2e-2, 1e-2, 4e-3, 2e-3, 1e-3, 4e-4, 2e-4, 1e-4};

typedef enum { PRINTED, RMS, LAST, MEASURES } measure;
static const char *const measure_names[MEASURES] = {"as printed", "RMS", "last sample"};

/* Sums of one run against one reference. */
typedef struct {
  double squares, last;
  int n;
} errors;

static void add_error(errors *e, double error)
{
  e->squares += error * error;
  e->last = fabs(error);
  e->n++;
}

static double value_of(const errors *e, measure m)
{
  return m == PRINTED ? sqrt(e->squares) / e->n : m == RMS ? sqrt(e->squares / e->n) : e->last;
}

/* ---- measured quantities and closed forms ---- */

/* Velocity of the slider: it is on the x axis, and the pin at the other end of the rod, 0.3 m away,
 * at y = 0.1 + 0.08 sin(2 pi t), z = 0.12 + 0.08 cos(2 pi t). */
static double slider_velocity(double t)
{
  const double w = 2 * pi, s = sin(w * t), c = cos(w * t);
  const double y = 0.1 + 0.08 * s, z = 0.12 + 0.08 * c;
  const double x = sqrt(0.09 - y * y - z * z);
  return -0.08 * w * (y * c - z * s) / x;
}

/* z velocity of the centre of link 2, from B = 2 (0, -sin(pi t), cos(pi t)) to C = D + 7.4 (sin a,
 * 0, cos a), D = (-4, -8.5, 0), 12.2 m apart:
 *   (C - B).(C - B) = 12.2^2:  P sin a + Q cos a = K,  and once more by time for a'. */
static double link_velocity(double t)
{
  const double w = pi, s = sin(w * t), c = cos(w * t), r = 7.4;
  const double dx = -4, dy = -8.5 + 2 * s, dz = -2 * c; // D - B
  const double P = 2 * r * dx, Q = 2 * r * dz;
  const double K = 12.2 * 12.2 - r * r - dx * dx - dy * dy - dz * dz;
  // of the two solutions the one that starts at C = (-7.491, -8.5, 6.525)
  const double a = atan2(P, Q) + acos(K / hypot(P, Q));
  const double dy_t = 2 * w * c, dz_t = 2 * w * s;
  const double a_t =
      -(2 * r * dz_t * cos(a) + 2 * dy * dy_t + 2 * dz * dz_t) / (P * cos(a) - Q * sin(a));
  return 0.5 * (-2 * w * s - r * sin(a) * a_t);
}

/* z of the centre of bar 2. */
static double bar_height(cardan__motion *m)
{
  const int frame = cardan_model_frame(m->model, "bar2");
  return cardan_frame_pose(m->model, cardan_sim_data(m->sim), frame).p.z;
}

/* A velocity of the body that a joint carries, as the step has it: component 3 to 5, world axes. */
static double body_velocity(cardan__motion *m, const char *joint, int component)
{
  const cardan__mx_stepper *s = (const cardan__mx_stepper *)cardan__sim_stepper(m->sim);
  const int j = cardan_model_joint(m->model, joint);
  for (int b = 0; b < s->mx->nbody; b++) {
    if (m->model->body[s->mx->body[b].body].joint == j) {
      return s->vel[s->mx->dof * b + component];
    }
  }
  return NAN;
}

typedef struct {
  const char *plot, *model, *title, *label;
  const char *joint; // joint whose body's velocity is measured; NULL: the height of bar 2
  int component;
  double (*exact)(double t); // NULL: from a run
} mechanism;

static const mechanism mechanisms[] = {
    {"a", "double-pendulum", "Double pendulum", "bar 2 pos-z diff [m]", NULL, 0, NULL},
    {"b", "slider-crank", "Slider-crank", "slider velo-x diff [m/s]", "x", 3, slider_velocity},
    {"c", "four-link", "Four-link", "link 2 velo-z diff [m/s]", "u", 5, link_velocity},
};
enum { MECHANISMS = 3, METHODS = 3, REFERENCES = 2 };
static const char *const methods[METHODS] = {"half-implicit", "fully-implicit", "rattle"};
static const char *const method_names[METHODS] = {"HI", "FI", "rattle"};

/* ---- runs ---- */

/* All data of Fig. 2. */
typedef struct {
  cardan__job *job;
  int nstep;
  double grid; // of the references: all steps are multiples of it [s]
  // heights of bar 2 there, by rk4: the bars' own inertias; slender ones
  double *height[REFERENCES];
  errors at[MECHANISMS][METHODS][STEPS][REFERENCES];
  double done, all; // steps: what the bar shows
  cardan__arena arena;
} orders;

static cardan_status report_progress(const orders *o, int further)
{
  return cardan__job_tick(o->job, fmin(1, (o->done + further) / o->all));
}

/* The pendulum to about 1e-11 m, on the grid. */
static cardan_status run_reference(orders *o, int which)
{
  // m L^2 / 12 of the authors' reference in place of m (L^2 + w^2) / 12
  static const char *const models[REFERENCES] = {"double-pendulum", "double-pendulum I1=104 I2=13"};
  const int n = (int)lround(length / o->grid);
  cardan__motion m;
  double *z = o->height[which] = cardan__arena_take(&o->arena, (size_t)n + 1, sizeof *z);
  if (z == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  cardan_status status =
      cardan__motion_open(models[which], "method=aba integrator=rk4", o->grid, &m, o->job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  z[0] = bar_height(&m);
  for (int i = 1; i <= n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(m.sim, o->job->report);
    z[i] = bar_height(&m);
    if (status == CARDAN_OK && i % 1000 == 0) {
      status = report_progress(o, i);
    }
  }
  o->done += n;
  cardan__motion_close(&m);
  return status;
}

/* Adds the errors of one node. */
static void add_node_errors(const orders *o, const mechanism *k, cardan__motion *m, double h, int i,
                            errors e[REFERENCES])
{
  if (k->exact != NULL) {
    add_error(&e[0], body_velocity(m, k->joint, k->component) - k->exact(i * h));
    return;
  }
  const int at = i * (int)lround(h / o->grid);
  const double z = bar_height(m);
  for (int r = 0; r < REFERENCES; r++) {
    add_error(&e[r], z - o->height[r][at]);
  }
}

static cardan_status run_one(orders *o, int mechanism_index, int method, int step)
{
  const mechanism *k = &mechanisms[mechanism_index];
  errors *e = o->at[mechanism_index][method][step];
  const double h = steps[step];
  const int n = (int)lround(length / h);
  char options[64];
  cardan__motion m;
  snprintf(options, sizeof options, "method=%s tol=1e-10", methods[method]);
  cardan_status status = cardan__motion_open(k->model, options, h, &m, o->job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 1; i <= n && status == CARDAN_OK; i++) {
    status = cardan_sim_step(m.sim, o->job->report);
    add_node_errors(o, k, &m, h, i, e);
    if (status == CARDAN_OK && i % 1000 == 0) {
      status = report_progress(o, i);
    }
  }
  o->done += n;
  cardan__motion_close(&m);
  return status == CARDAN_OK ? report_progress(o, 0) : status;
}

static cardan_status run_all(orders *o)
{
  cardan_status status = CARDAN_OK;
  o->all = REFERENCES * length / o->grid;
  for (int s = 0; s < o->nstep; s++) {
    o->all += (2 * MECHANISMS + 1) * length / steps[s];
  }
  for (int r = 0; r < REFERENCES && status == CARDAN_OK; r++) {
    status = run_reference(o, r);
  }
  for (int s = 0; s < o->nstep; s++) {
    for (int k = 0; k < MECHANISMS; k++) {
      // rattle has the velocities of a driven mechanism to rounding
      for (int m = 0; m < (k == 0 ? METHODS : METHODS - 1) && status == CARDAN_OK; m++) {
        status = run_one(o, k, m, s);
      }
    }
  }
  return status;
}

/* ---- the figure ---- */

/* Exponent of the error in h by least squares, over the steps up to `longest`. */
static double slope(const orders *o, int k, int method, int reference, measure by, double longest)
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int s = 0; s < o->nstep; s++) {
    const double a = log(steps[s]), b = log(value_of(&o->at[k][method][s][reference], by));
    if (steps[s] <= longest * 1.0001) {
      n += 1;
      x += a;
      y += b;
      xx += a * a;
      xy += a * b;
    }
  }
  return (n * xy - x * y) / (n * xx - x * x);
}
static void draw_curve(const orders *o, cardan__plot *plot, const char *label, int k, int method,
                       int reference, measure by)
{
  cardan__curve *curve = cardan__plot_curve(o->job->out, plot, label, false);
  for (int s = o->nstep - 1; s >= 0; s--) {
    cardan__curve_point(o->job->out, curve, steps[s],
                        value_of(&o->at[k][method][s][reference], by));
  }
}

static void draw(const orders *o, int k)
{
  char label[64];
  cardan__plot *plot =
      cardan__outcome_plot(o->job->out, mechanisms[k].plot, mechanisms[k].title, "step size [s]",
                           mechanisms[k].label, CARDAN__LOG_X | CARDAN__LOG_Y);
  for (int by = 0; by < (k == 0 ? LAST : MEASURES); by++) {
    for (int m = 0; m < 2; m++) {
      snprintf(label, sizeof label, "%s, %s", method_names[m], measure_names[by]);
      draw_curve(o, plot, label, k, m, 0, (measure)by);
    }
  }
  if (k == 0) {
    draw_curve(o, plot, "HI, as printed, their reference", k, 0, 1, PRINTED);
    draw_curve(o, plot, "FI, as printed, their reference", k, 1, 1, PRINTED);
    draw_curve(o, plot, "rattle, RMS (not in the paper)", k, 2, 0, RMS);
  }
}

/* Slopes in all three measures; the paper says 1.0 for all six curves, in the printed one. */
static void fill_table(const orders *o)
{
  static const char *const columns[] = {"mechanism", "method", "as printed", "RMS", "last sample"};
  cardan__outcome *out = o->job->out;
  cardan__grid *grid = cardan__outcome_grid(out, "slopes over all steps", columns, 5);
  for (int k = 0; k < MECHANISMS; k++) {
    for (int r = 0; r < (k == 0 ? REFERENCES : 1); r++) {
      for (int m = 0; m < 2; m++) {
        cardan__grid_text(out, grid, "%s%s", mechanisms[k].title, r ? ", their reference" : "");
        cardan__grid_text(out, grid, "%s", method_names[m]);
        for (int by = 0; by < MEASURES; by++) {
          cardan__grid_numbers(out, grid, slope(o, k, m, r, (measure)by, 1),
                               by == PRINTED ? 1.0 : (double)NAN);
        }
      }
    }
  }
}

/* Bounds: errors are those of an independent program to its two digits; slopes of driven mechanisms
 * are those of a backward difference, with a next term of 2 % at the longest steps; the pendulum's
 * are the slopes that the list of steps gives, whole or quick. */
static void claim_orders(const orders *o)
{
  cardan__outcome *out = o->job->out;
  const int at = 5; // h = 1e-3
  cardan__outcome_claim(out, "(a) HI, slope of the RMS up to h = 1e-2", "", 1,
                        slope(o, 0, 0, 0, RMS, 1e-2), 0.97, 1.12);
  cardan__outcome_claim(out, "(a) HI, slope as printed up to h = 1e-2", "", 1,
                        slope(o, 0, 0, 0, PRINTED, 1e-2), 1.47, 1.62);
  cardan__outcome_claim(out, "(a) FI, slope of the RMS up to h = 1e-3", "", 1,
                        slope(o, 0, 1, 0, RMS, 1e-3), 0.7, 1.0);
  cardan__outcome_claim(out, "(a) HI, slope as printed, against their reference, all steps", "", 1,
                        slope(o, 0, 0, 1, PRINTED, 1), 1.05, 1.4);
  cardan__outcome_claim(out, "(a) FI, slope as printed, against their reference, all steps", "", 1,
                        slope(o, 0, 1, 1, PRINTED, 1), 0.95, 1.2);
  cardan__outcome_claim(out, "(a) HI, RMS at h = 1e-3", "m", NAN,
                        value_of(&o->at[0][0][at][0], RMS), 2.0e-3, 2.2e-3);
  cardan__outcome_claim(out, "(a) FI, RMS at h = 1e-3", "m", NAN,
                        value_of(&o->at[0][1][at][0], RMS), 0.24, 0.26);
  cardan__outcome_claim(out, "(a) HI, RMS against their reference at the shortest step", "m", NAN,
                        value_of(&o->at[0][0][o->nstep - 1][1], RMS), 3.6e-3, 3.9e-3);
  cardan__outcome_claim(out, "(a) rattle, slope of the RMS up to h = 1e-2", "", NAN,
                        slope(o, 0, 2, 0, RMS, 1e-2), 1.95, 2.05);
  for (int k = 1; k < MECHANISMS; k++) {
    for (int m = 0; m < 2; m++) {
      char what[80];
      snprintf(what, sizeof what, "(%s) %s, slope at the last sample, as drawn", mechanisms[k].plot,
               method_names[m]);
      cardan__outcome_claim(out, what, "", 1, slope(o, k, m, 0, LAST, 1), 0.95, 1.05);
      snprintf(what, sizeof what, "(%s) %s, slope as printed", mechanisms[k].plot, method_names[m]);
      cardan__outcome_claim(out, what, "", 1, slope(o, k, m, 0, PRINTED, 1), 1.47, 1.53);
    }
  }
}

cardan_status cardan__fang_orders(cardan__job *job)
{
  orders o = {.job = job, .nstep = job->quick ? QUICK : STEPS, .grid = job->quick ? 2e-4 : 1e-4};
  cardan__arena_init(&o.arena, job->allocator);
  const cardan_status status = run_all(&o);
  if (status == CARDAN_OK) {
    for (int k = 0; k < MECHANISMS; k++) {
      draw(&o, k);
    }
    fill_table(&o);
    claim_orders(&o);
    cardan__outcome_say(
        job->out, CARDAN__DIFFERS,
        "Both methods are of order 1, as claimed: the RMS has slope %.2f (HI, up to 1e-2 s) and "
        "comes to 1 for FI below 1e-3 s. But the printed measure, sqrt(sum e^2)/n, is no RMS and "
        "has slope 1.5 for order 1. That Fig. 2(a) has slope 1.0 in it comes from the reference: "
        "the authors' program computes it with slender bars (m L^2/12), the methods with bars of "
        "0.05 m (m (L^2 + w^2)/12), so errors level off at %.1e m; with that reference the printed "
        "measure has slope %.2f (HI) and %.2f (FI) here. Figs. 2(b) and (c) are drawn from the "
        "last "
        "sample alone: slope %.2f, as claimed. There both methods agree, since a driver and the "
        "constraints fix the positions, and v = (q_n+1 - q_n)/h: a backward difference is tested, "
        "not the dynamics.",
        slope(&o, 0, 0, 0, RMS, 1e-2), value_of(&o.at[0][0][o.nstep - 1][1], RMS),
        slope(&o, 0, 0, 1, PRINTED, 1), slope(&o, 0, 1, 1, PRINTED, 1),
        slope(&o, 1, 0, 0, LAST, 1));
  }
  cardan__arena_free(&o.arena);
  return status;
}

/* ---- Fig. 3 ---- */

typedef struct {
  double low, high, last; // of the energy, from its start [J]
} band;

static cardan_status run_energy(cardan__job *job, int method, cardan__plot *plot, band *out)
{
  enum { NODES = 8000, EVERY = 8, TICK = 1000 };
  char options[64];
  cardan__motion m;
  snprintf(options, sizeof options, "method=%s", methods[method]);
  cardan_status status =
      cardan__motion_open("double-pendulum", options, length / NODES, &m, job->report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__curve *curve = cardan__plot_curve(job->out, plot, method_names[method], false);
  double start = 0;
  for (int i = 0; i <= NODES && status == CARDAN_OK; i++) {
    const cardan_data *data = cardan_sim_data(m.sim);
    const double E = cardan_kinetic(m.model, data) + cardan_potential(m.model, data);
    start = i == 0 ? E : start;
    out->last = E - start;
    out->low = fmin(out->low, out->last);
    out->high = fmax(out->high, out->last);
    if (i % EVERY == 0) {
      cardan__curve_point(job->out, curve, i * length / NODES, out->last);
    }
    if (i % TICK == 0) {
      status = cardan__job_tick(job, (method + (double)i / NODES) / METHODS);
    }
    if (i < NODES && status == CARDAN_OK) {
      status = cardan_sim_step(m.sim, job->report);
    }
  }
  cardan__motion_close(&m);
  return status;
}

cardan_status cardan__fang_energy(cardan__job *job)
{
  band of[METHODS] = {{0}};
  cardan__plot *plot =
      cardan__outcome_plot(job->out, "", "Energy of double pendulum system over time", "time [s]",
                           "KE + PE, from the start [J]", CARDAN__LINEAR);
  for (int m = 0; m < METHODS; m++) {
    const cardan_status status = run_energy(job, m, plot, &of[m]);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  // an independent program has [-385.0, -380.1] J about -382.6, -610 J at the end, 0.012 J
  cardan__outcome_claim(job->out, "HI, lowest energy", "J", NAN, of[0].low, -2.6, -2.3);
  cardan__outcome_claim(job->out, "HI, highest energy", "J", NAN, of[0].high, 2.3, 2.6);
  cardan__outcome_claim(job->out, "FI, energy after 8 s", "J", NAN, of[1].last, -229, -226);
  cardan__outcome_claim(job->out, "FI, highest energy", "J", NAN, of[1].high, 0, 1e-6);
  cardan__outcome_claim(job->out, "rattle, width of the band", "J", NAN, of[2].high - of[2].low, 0,
                        0.02);
  cardan__outcome_say(
      job->out, CARDAN__REPRODUCED,
      "As claimed: fully implicit energy drains, by %.0f J in 8 s, and half-implicit energy holds, "
      "between %.1f and %+.1f J of its start. The paper prints no numbers for this figure. Energy "
      "is counted from the start, as the authors' program does, where it is -382.6 J with heights "
      "from the pivot. rattle, the second-order half-implicit scheme that the paper leaves as "
      "future "
      "work, stays within %.3f J.",
      -of[1].last, of[0].low, of[0].high, of[2].high - of[2].low);
  return CARDAN_OK;
}
