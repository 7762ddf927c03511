// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "forces/strain.h"
#include "methods/method.h"
#include "model/data.h"
#include "run/sim.h"

/* The fastest vibration of springs and servos at the start, against the step.
 *
 *   K = sum of B_e^T H_e B_e (forces/strain.h), and slopes of servos and torques on their own
 *   coordinates;  omega_max^2 = largest eigenvalue of M^-1 K
 * Power iteration with the quotient in K,
 *   f = K x,  a = M^-1 f,  omega^2 >= f.a / x.f,  x <- a / |a|                              (W1)
 * comes to 0.87 to 1.00 of it in 12 solves; of one element alone, f_e = K_e x, the same quotient is
 * a bound from below as well, one solve each. The largest of all counts. Where there are loops M^-1
 * is that of cardan_forward, which holds them. All of it is done on data of its own: no bit of the
 * run depends on it. */

enum { ITERATIONS = 12, MOST_ALONE = 64 };

static const double lag_limit = 0.35;   // omega h: a midpoint rule lags by 1 %
static const double reported_lag = 0.4; // omega h: a longer one is reported (1.3 %)
static const double turns_gain = 2;     // omega h: strains alternate, and turns feed them
static const double swings_below = 0.5; // damping ratio: what is damped more does not swing

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  cardan_twist *still_z;     // nbody: 0
  cardan_twist *z;           // nbody
  double *x, *f, *a, *still; // nv; still: acceleration without forces of x, with loops
  double *y, *dy, *dg;       // strains of one element at most
  double *slope, *unused;    // nv
  bool loops;
  bool springs_only; // servos and torques act at the middle of the step, and hold at any
  double omega2, damping;
  int element;
} search;

static void layout(void *what, cardan__carver *c)
{
  search *s = what;
  const cardan_model *model = s->model;
  int most = 1;
  for (int i = 0; i < model->nforce; i++) {
    const int n = cardan__strains(model, &model->force[i]);
    most = n > most ? n : most;
  }
  s->z = CARDAN__CARVE(c, model->nbody, cardan_twist);
  s->still_z = CARDAN__CARVE(c, model->nbody, cardan_twist);
  double **const vectors[] = {&s->x, &s->f, &s->a, &s->still, &s->slope, &s->unused};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = CARDAN__CARVE(c, model->nv, double);
  }
  double **const strains[] = {&s->y, &s->dy, &s->dg};
  for (size_t i = 0; i < sizeof strains / sizeof *strains; i++) {
    *strains[i] = CARDAN__CARVE(c, most, double);
  }
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Is it a spring, or a servo or torque that holds its own coordinate, and counts? */
static bool holds(const search *s, const cardan_force_element *e)
{
  const bool potential = e->flags & CARDAN_FORCE_POTENTIAL;
  return potential ? cardan__strains(s->model, e) > 0
                   : !s->springs_only && e->dof >= 0 &&
                         cardan__force_kind_of(e->kind)->diagonal != NULL &&
                         !(e->flags & CARDAN_FORCE_FRICTION);
}

/* Adds -K_e x to the loads. needs z of x */
static void add_element(const search *s, const cardan_force_element *e, cardan__loads *to)
{
  const cardan_model *model = s->model;
  const cardan__view view = cardan__data_view(model, s->data);
  const cardan__force_kind *kind = cardan__force_kind_of(e->kind);
  if (e->flags & CARDAN_FORCE_POTENTIAL) {
    const cardan__change change = {.X = s->z, .q = s->x};
    const cardan__slope_at at = {model, &view, &change, to};
    kind->strain(model, &view, e, s->y);
    kind->strain_change(&at, e, s->dy);
    kind->stress_change(model, &view, e, s->y, s->dy, s->dg);
    kind->load(model, &view, e, s->dg, to);
    return;
  }
  s->slope[e->dof] = 0;
  kind->diagonal(model, &view, e, s->slope, s->unused);
  if (s->slope[e->dof] < 0) { // what pushes away is no vibration
    cardan__load_dof(to, e->dof, s->slope[e->dof] * s->x[e->dof]);
  }
}

/* f = K x, or K_e x of one element; ALL, POTENTIALS: of all of them, of those with a potential. */
enum { ALL = -1, POTENTIALS = -2 };

static bool is_meant(const search *s, int i, int element)
{
  const cardan_force_element *e = &s->model->force[i];
  const bool potential = e->flags & CARDAN_FORCE_POTENTIAL;
  return (element == ALL || element == i || (element == POTENTIALS && potential)) && holds(s, e);
}

static void stiffness_mul(search *s, int element)
{
  const cardan_model *model = s->model;
  cardan__loads to = {.f_ext = s->data->f_ext, .tau = s->f};
  memset(to.f_ext, 0, (size_t)model->nbody * sizeof *to.f_ext);
  memset(s->f, 0, (size_t)model->nv * sizeof *s->f);
  for (int i = 0; i < model->nforce; i++) {
    if (is_meant(s, i, element)) {
      add_element(s, &model->force[i], &to);
    }
  }
  cardan__tree_pull(model, s->data, to.f_ext, s->f);
  for (int k = 0; k < model->nv; k++) {
    const bool free = !(model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
    s->f[k] = free ? -s->f[k] : 0;
  }
}

/* a = M^-1 f, on the loops. */
static bool solve(search *s)
{
  const cardan_model *model = s->model;
  const size_t size = (size_t)model->nv * sizeof(double);
  if (!s->loops) {
    cardan_factor_solve(model, s->data, NULL, s->f, s->a);
    return true;
  }
  memcpy(s->data->tau_in, s->f, size);
  if (cardan_forward(model, s->data, 0, 0) != CARDAN_OK) {
    return false;
  }
  for (int k = 0; k < model->nv; k++) {
    s->a[k] = s->data->a[k] - s->still[k];
  }
  return true;
}

/* (W1) of f and x; 0: nothing swings. */
static double quotient(const search *s)
{
  const double energy = dot(s->model->nv, s->x, s->f);
  const double omega2 = energy > 0 ? dot(s->model->nv, s->f, s->a) / energy : 0;
  return isfinite(omega2) ? omega2 : 0;
}

static void set_direction(search *s, const double *from)
{
  const int nv = s->model->nv;
  const double size = from != NULL ? sqrt(dot(nv, from, from)) : 1;
  uint32_t random = 12345;
  for (int k = 0; k < nv; k++) {
    random = 1664525U * random + 1013904223U;
    const double some = 0.5 + (double)(random >> 8) / 0x1p24;
    s->x[k] = from == NULL ? (random >> 31 ? some : -some) : size > 0 ? from[k] / size : 0;
  }
  cardan__tree_twists(s->model, s->data, s->x, false, s->z);
}

/* The element with the largest part of x.K x. */
static int largest_part(search *s)
{
  const cardan_model *model = s->model;
  double most = 0;
  int element = -1;
  for (int i = 0; i < model->nforce; i++) {
    cardan__loads power = {.V = s->z, .v = s->x};
    if (holds(s, &model->force[i])) {
      add_element(s, &model->force[i], &power);
    }
    if (-power.power > most) {
      most = -power.power;
      element = i;
    }
  }
  return element;
}

/* Each element alone, in the first direction. */
static bool try_each(search *s)
{
  const cardan_model *model = s->model;
  int n = 0;
  bool good = true;
  for (int i = 0; i < model->nforce; i++) {
    n += holds(s, &model->force[i]);
  }
  for (int i = 0; i < model->nforce && n <= MOST_ALONE && good; i++) {
    if (!holds(s, &model->force[i])) {
      continue;
    }
    stiffness_mul(s, i);
    good = solve(s);
    const double omega2 = good ? quotient(s) : 0;
    if (omega2 > s->omega2) {
      s->omega2 = omega2;
      s->element = i;
    }
  }
  return good;
}

/* Damping ratio of the vibration x of frequency omega: x.D x / (2 omega x.M x), and x.M x from
 * x.K x = energy. Friction is not counted. */
static double damping_ratio(const search *s, double omega, double energy)
{
  const cardan_model *model = s->model;
  const cardan__view view = cardan__data_view(model, s->data);
  const cardan__change change = {.X = s->still_z, .V = s->z, .q = s->unused, .v = s->x};
  cardan__loads power = {.V = s->z, .v = s->x};
  memset(s->unused, 0, (size_t)model->nv * sizeof *s->unused);
  cardan__forces_add_slope(model, &view, &change, CARDAN_FORCE_POTENTIAL, &power);
  return energy > 0 ? -power.power * omega / (2 * energy) : 0;
}

static bool iterate(search *s)
{
  double omega2 = 0;
  for (int i = 0; i < ITERATIONS; i++) {
    stiffness_mul(s, ALL);
    if (!solve(s)) {
      return false;
    }
    omega2 = quotient(s);
    if (!(omega2 > 0)) {
      return true;
    }
    s->damping = damping_ratio(s, sqrt(omega2), dot(s->model->nv, s->x, s->f));
    set_direction(s, s->a);
  }
  if (omega2 > s->omega2) {
    s->omega2 = omega2;
    s->element = largest_part(s);
  }
  return true;
}

/* The state of the start, at rest. */
static bool set_start_at_rest(search *s, const cardan_sim *sim)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  data->t = sim->data->t;
  memcpy(data->q, sim->data->q, (size_t)model->nq * sizeof *data->q);
  memset(data->v, 0, (size_t)model->nv * sizeof *data->v);
  cardan__data_caller(model, sim->data, data);
  memset(data->tau_in, 0, (size_t)model->nv * sizeof *data->tau_in);
  memset(data->f_in, 0, (size_t)model->nbody * sizeof *data->f_in);
  cardan_kinematics(model, data);
  s->loops = model->nrow > 0 && !model->has_friction;
  if (!s->loops) {
    return cardan_factor(model, data) == CARDAN_OK;
  }
  if (cardan_forward(model, data, 0, 0) != CARDAN_OK) {
    return false;
  }
  memcpy(s->still, data->a, (size_t)model->nv * sizeof *s->still);
  return true;
}

/* ---- what acts at the nodes ----
 *
 * vi takes H at the middle of the step, but gravity, and how stress that is there turns with
 * bodies,
 *   K_n x = -dF x - K x,   F = -dV of gravity and of all elements                           (W2)
 * at the nodes: it survives these while x.K_n x h^2 < 4 (x.M x + h^2 / 4 x.K x) for every x, and
 * one x says that it does not. */

/* F at the start moved by part of x, to out. */
static void potential_force(search *s, const double *q, double part, double *out)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  cardan_q_move(model, q, s->x, part, data->q);
  cardan_kinematics(model, data);
  cardan_gravity_torques(model, data, out);
  for (int k = 0; k < model->nv; k++) {
    out[k] = -out[k];
  }
  const cardan__view view = cardan__data_view(model, data);
  cardan__loads to = {.f_ext = data->f_ext, .tau = out};
  memset(to.f_ext, 0, (size_t)model->nbody * sizeof *to.f_ext);
  cardan__forces_add_potential(model, &view, &to);
  cardan__tree_pull(model, data, to.f_ext, out);
}

/* f = K_n x by differences; *middle: x.K x. The data are at the start again. */
static bool node_stiffness_mul(search *s, const double *q, double *middle)
{
  const cardan_model *model = s->model;
  const double part = 1e-4; // of displacements of the size of 1
  stiffness_mul(s, ALL);
  *middle = dot(model->nv, s->x, s->f);
  stiffness_mul(s, POTENTIALS);
  potential_force(s, q, part, s->slope);
  potential_force(s, q, -part, s->unused);
  potential_force(s, q, 0, s->a);
  for (int k = 0; k < model->nv; k++) {
    const bool free = !(model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC);
    s->f[k] = free ? (s->unused[k] - s->slope[k]) / (2 * part) - s->f[k] : 0;
  }
  return s->loops || cardan_factor(model, s->data) == CARDAN_OK;
}

/* omega^2 of what swings fastest by K_n alone, and of x with its share of K at steps of h; 0: it
 * is not found. *joint: which moves most. */
static double node_frequency(search *s, const double *q, double h, double *held, int *joint)
{
  const cardan_model *model = s->model;
  double omega2 = 0, mass = 0, middle;
  *held = 0;
  set_direction(s, NULL);
  for (int i = 0; i <= ITERATIONS; i++) {
    const bool known = node_stiffness_mul(s, q, &middle);
    const double energy = dot(model->nv, s->x, s->f);
    if (mass > 0) {
      omega2 = energy / mass;
      *held = energy / (mass + 0.25 * h * h * middle);
    }
    if (!known || !solve(s)) {
      return 0;
    }
    const double size2 = dot(model->nv, s->a, s->a);
    mass = size2 > 0 ? dot(model->nv, s->a, s->f) / size2 : 0; // of the next x: M x = f / |a|
    if (!(mass > 0)) {
      return 0;
    }
    if (i < ITERATIONS) {
      set_direction(s, s->a);
    }
  }
  int most = 0;
  for (int k = 0; k < model->nv; k++) {
    most = fabs(s->x[k]) > fabs(s->x[most]) ? k : most;
  }
  *joint = model->body[model->v_body[most]].joint;
  return isfinite(omega2) && isfinite(*held) ? omega2 : 0;
}

/* ---- what it means for the method ---- */

static double longest_step(const cardan_sim *sim, double omega, bool *lags)
{
  const cardan__method *method = sim->stepper->method;
  *lags = false;
  return method->longest == NULL
             ? HUGE_VAL
             : method->longest(method, &sim->options, fmax(omega * sim->options.time, 1), lags);
}

/* What the element is on: a joint, or two bodies. */
static void name_element(const search *s, char *text, size_t size)
{
  const cardan_model *model = s->model;
  const cardan_force_element *e = &model->force[s->element];
  const int q = e->kind == CARDAN_ELEMENT_JOINT_SPRING ? e->var : -1;
  const int v =
      e->kind == CARDAN_ELEMENT_ACTUATOR || e->kind == CARDAN_ELEMENT_TORQUE ? e->dof : -1;
  if (q >= 0 || v >= 0) {
    const int body = q >= 0 ? model->q_body[q] : model->v_body[v];
    snprintf(text, size, "joint \"%.60s\"", model->joint[model->body[body].joint].name);
  } else {
    snprintf(text, size, "\"%.60s\"", e->name);
  }
}

/* The rate that explicit steps must follow: omega, or of an overdamped vibration its fast decay. */
static double fastest_rate(const search *s)
{
  const double omega = sqrt(s->omega2), zeta = s->damping;
  return zeta > 1 ? omega * (zeta + sqrt(zeta * zeta - 1)) : omega;
}

static void write_warning(cardan_sim *sim, const search *s)
{
  const double omega = sqrt(s->omega2), h = sim->options.dt, x = omega * h;
  const double rate = fastest_rate(s);
  const double hertz = omega / 6.283185307179586;
  const cardan__method *method = sim->stepper->method;
  bool lags;
  const double longest = longest_step(sim, rate, &lags);
  char what[96], text[400];
  name_element(s, what, sizeof what);
  if (rate * h > longest) {
    snprintf(
        text, sizeof text,
        "fastest spring: %s, %.3g Hz; %s does not survive it at dt %g (rate times dt = %.3g, its "
        "limit is %.2g): use dt %.2g, or %s",
        what, hertz, method->name, h, rate * h, longest, 0.9 * longest / rate,
        cardan__option_own(method, "potentials") != NULL ? "option potentials middle"
        : cardan__option_own(method, "alpha") != NULL    ? "option alpha 0.5"
                                                         : "method vi");
    cardan__sim_note_text(sim, text);
  } else if (lags && x > reported_lag && s->damping < swings_below) {
    snprintf(text, sizeof text,
             "fastest spring: %s, %.3g Hz; at dt %g (omega h = %.3g) it is stable, its swings are "
             "not followed (phase lags by %.2g %%)%s; dt %.2g for 1 %%",
             what, hertz, h, x, 100 * (1 - 2 * atan(0.5 * x) / x),
             x > turns_gain ? ", and where the model turns its energy may grow in the end" : "",
             lag_limit / omega);
    cardan__sim_note_text(sim, text);
  }
}

static void say_of_nodes(cardan_sim *sim, search *s)
{
  const double h = sim->options.dt;
  double held;
  int joint = 0;
  const double omega2 = node_frequency(s, sim->data->q, h, &held, &joint);
  if (held * h * h > 4 && omega2 > 0) {
    char text[300];
    snprintf(
        text, sizeof text,
        "gravity and the stress of springs at the start let joint \"%.60s\" swing at %.3g Hz by "
        "their direction alone, which acts at the nodes: vi does not survive that at dt %g "
        "(omega h = %.3g, its limit is 2): use dt %.2g",
        s->model->joint[joint].name, sqrt(omega2) / 6.283185307179586, h, sqrt(held) * h,
        1.8 / sqrt(omega2));
    cardan__sim_note_text(sim, text);
  }
}

/* Does the method have springs alone at the nodes? */
static bool takes_nodes(const cardan_sim *sim)
{
  const cardan__method *method = sim->stepper->method;
  return cardan__option_own(method, "potentials") != NULL &&
         cardan__option_choice(method, "potentials", &sim->options) == 1;
}

cardan_status cardan__sim_note_stiff(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  search s = {.model = model, .element = -1};
  s.springs_only = takes_nodes(sim);
  bool any = false;
  for (int i = 0; i < model->nforce; i++) {
    any = any || holds(&s, &model->force[i]);
  }
  bool lags;
  const double most = longest_step(sim, 1e6, &lags);
  if (!any || sim->skips_stiff || (!lags && most == HUGE_VAL)) {
    return CARDAN_OK;
  }
  void *block = cardan__carve_block(&sim->allocator, layout, &s);
  cardan_status status = block == NULL ? CARDAN_ERR_MEMORY : CARDAN_OK;
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, &sim->allocator, &s.data);
  }
  if (status == CARDAN_OK && set_start_at_rest(&s, sim)) {
    set_direction(&s, NULL);
    if (try_each(&s) && iterate(&s) && s.element >= 0) {
      write_warning(sim, &s);
    }
    if (lags && cardan__option_own(sim->stepper->method, "potentials") != NULL) {
      say_of_nodes(sim, &s);
    }
  }
  cardan_data_destroy(s.data);
  cardan__resize(&sim->allocator, block, 0);
  return status;
}
