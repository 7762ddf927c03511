// SPDX-License-Identifier: Apache-2.0
#include "methods/vi/vi_elastic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "kinematics/view.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "methods/vi/vi.h"

/* Strains and forces of elements at the middle of the step: vi_elastic.h. */

/* Channels that Woodbury's formula takes; more are left to GMRES. */
enum { MOST_CHANNELS = 36 };

/* Has it a potential that depends on the configuration? */
static bool is_elastic(const cardan_model *model, const cardan_force_element *e)
{
  int body;
  return cardan__strains(model, e) > 0 && (cardan__strain_bodies(model, e, &body, 1) > 0 ||
                                           cardan__strain_dofs(model, e, NULL, 0) > 0);
}

/* ---- which is where ---- */

static bool is_bushing(const cardan_force_element *e)
{
  return e->kind == CARDAN_ELEMENT_BUSHING || e->kind == CARDAN_ELEMENT_BUSHING_COUPLING;
}

/* Reach and body of a tie whose bodies and velocities are known. */
static void find_reach(const cardan_model *model, cardan__tie *tie)
{
  const int *body = tie->body_of;
  const int owner = tie->nd > 0 ? model->v_body[tie->dof_of[0]] : 0;
  bool one = true;
  for (int k = 1; k < tie->nd; k++) {
    one = one && model->v_body[tie->dof_of[k]] == owner;
  }
  tie->reach = CARDAN__TIE_COUPLED;
  if (tie->nb == 0 && one) {
    tie->body = owner;
    tie->reach = tie->n == 1 && model->body[owner].nv == 1 ? CARDAN__TIE_OWN : CARDAN__TIE_JOINT;
  } else if (tie->nb == 1 && tie->nd == 0) {
    tie->body = body[0];
    tie->reach = model->body[body[0]].parent == 0 ? CARDAN__TIE_JOINT : CARDAN__TIE_BODY;
  } else if (tie->nb == 2 && tie->nd == 0 && is_bushing(tie->e)) {
    const int child = body[0] > body[1] ? body[0] : body[1];
    if (model->body[child].parent == body[0] || model->body[child].parent == body[1]) {
      tie->body = child;
      tie->reach = CARDAN__TIE_JOINT;
    }
  }
}

/* Room of a tie's arrays, at most. */
typedef struct {
  size_t numbers, loads, lists, n, nb, nd;
} room;

static room room_of(const cardan_model *model, const cardan_force_element *e)
{
  const size_t n = (size_t)cardan__strains(model, e);
  const size_t nd = (size_t)cardan__strain_dofs(model, e, NULL, 0);
  const size_t nb = n > 2 ? n : 2;
  const bool points = e->kind != CARDAN_ELEMENT_POTENTIAL && e->kind != CARDAN_ELEMENT_JOINT_SPRING;
  const size_t bodies = points ? 2 : nb;
  return (room){.numbers = 4 * n + n * n + 2 * n * nd,
                .loads = 2 * n * bodies,
                .lists = bodies + nd,
                .n = n,
                .nb = bodies,
                .nd = nd};
}

/* Channels of an element, before there is memory for its lists: a few entries say enough. */
static int count_channels(const cardan_model *model, const cardan_force_element *e)
{
  int body[3], dof[7];
  cardan__tie tie = {.e = e, .n = cardan__strains(model, e), .body_of = body, .dof_of = dof};
  tie.nb = cardan__strain_bodies(model, e, body, 3);
  tie.nd = cardan__strain_dofs(model, e, dof, 7);
  find_reach(model, &tie);
  return tie.reach == CARDAN__TIE_COUPLED ? tie.n : 0;
}

void cardan__elastic_read(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  for (int i = 0; i < model->nforce; i++) {
    if (is_elastic(model, &model->force[i])) {
      const room need = room_of(model, &model->force[i]);
      a->n++;
      a->nnumber += need.numbers;
      a->nload += need.loads;
      a->nlist += need.lists;
      a->nchannel += count_channels(model, &model->force[i]);
    }
  }
  a->gmres = a->nchannel > MOST_CHANNELS && s->base.linear.exact == CARDAN__BY_EQUATION;
  a->nchannel = a->gmres ? 0 : a->nchannel;
  s->base.linear.coupled = a->gmres;
}

void cardan__elastic_layout(cardan__vi *s, cardan__carver *c)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  const int nbody = a->n > 0 ? model->nbody : 0, nv = a->n > 0 ? model->nv : 0;
  int most = 6;
  for (int i = 0; i < model->nforce; i++) {
    const int n = cardan__strains(model, &model->force[i]);
    most = n > most ? n : most;
  }
  a->tie = CARDAN__CARVE(c, a->n, cardan__tie);
  a->touched = CARDAN__CARVE(c, nbody, int);
  a->B = CARDAN__CARVE(c, nbody, cardan_force);
  a->load = CARDAN__CARVE(c, nbody, cardan_force);
  a->X = CARDAN__CARVE(c, nbody, cardan_xform);
  a->K = CARDAN__CARVE(c, nbody, cardan__quad);
  a->tied = CARDAN__CARVE(c, nbody, bool);
  a->seen = CARDAN__CARVE(c, nbody, bool);
  a->tau = CARDAN__CARVE(c, nv, double);
  a->Q = CARDAN__CARVE(c, nv, double);
  a->q = CARDAN__CARVE(c, a->n > 0 ? model->nq : 0, double);
  a->unit = CARDAN__CARVE(c, a->n > 0 ? most : 0, double);
  a->block = CARDAN__CARVE(c, a->n > 0 ? 36 * model->nmulti : 0, double);
  a->numbers = CARDAN__CARVE(c, a->nnumber, double);
  a->loads = CARDAN__CARVE(c, a->nload, cardan_force);
  a->lists = CARDAN__CARVE(c, a->nlist, int);
}

/* The ties in the order of the file, without their place among each other. */
static void fill_tie(cardan__vi *s, const cardan_force_element *e, cardan__tie *tie,
                     double **numbers, cardan_force **loads, int **lists)
{
  const cardan_model *model = s->base.model;
  const room has = room_of(model, e);
  const size_t n = has.n;
  double *x = *numbers;
  *tie = (cardan__tie){.e = e, .kind = cardan__force_kind_of(e->kind), .n = (int)n};
  tie->y = x;
  tie->mean = x + n;
  tie->g = x + 2 * n;
  tie->c = x + 3 * n;
  tie->H = x + 4 * n;
  tie->l[0] = tie->H + n * n;
  tie->l[1] = tie->l[0] + n * has.nd;
  tie->L[0] = *loads;
  tie->L[1] = *loads + n * has.nb;
  tie->body_of = *lists;
  tie->dof_of = *lists + has.nb;
  tie->nb = cardan__strain_bodies(model, e, tie->body_of, (int)has.nb);
  tie->nd = cardan__strain_dofs(model, e, tie->dof_of, (int)has.nd);
  find_reach(model, tie);
  tie->linear = e->kind != CARDAN_ELEMENT_POTENTIAL && e->kind != CARDAN_ELEMENT_NEWTON_GRAVITY;
  const int nvalue = e->kind == CARDAN_ELEMENT_BUSHING ? 6 : 1;
  for (int k = 0; k < nvalue && tie->linear; k++) {
    tie->stiffness = fmax(tie->stiffness, fabs(e->value[k]));
  }
  *numbers += has.numbers;
  *loads += has.loads;
  *lists += has.lists;
}

static void touch(cardan__vi_elastic *a, int body)
{
  if (!a->seen[body]) {
    a->seen[body] = true;
    a->touched[a->ntouched++] = body;
  }
}

void cardan__elastic_make(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  int at = 0;
  for (int reach = CARDAN__TIE_OWN; reach <= CARDAN__TIE_COUPLED; reach++) {
    double *numbers = a->numbers;
    cardan_force *loads = a->loads;
    int *lists = a->lists;
    for (int i = 0; i < model->nforce && a->n > 0; i++) {
      if (!is_elastic(model, &model->force[i])) {
        continue;
      }
      cardan__tie tie;
      fill_tie(s, &model->force[i], &tie, &numbers, &loads, &lists);
      if ((int)tie.reach == reach) {
        a->tie[at++] = tie;
      }
    }
  }
  for (int i = 0; i < a->n; i++) {
    const cardan__tie *tie = &a->tie[i];
    for (int k = 0; k < tie->nb; k++) {
      touch(a, tie->body_of[k]);
    }
    for (int k = 0; k < tie->nd; k++) {
      a->moves = a->moves || model->body[model->v_body[tie->dof_of[k]]].nv > 1;
    }
    if (tie->reach == CARDAN__TIE_BODY) {
      a->tied[tie->body] = true;
    }
  }
}

/* ---- views ---- */

static cardan__view next_view(const cardan__vi *s)
{
  cardan__view view = cardan__data_view(s->base.model, s->base.node);
  view.X_W = s->elastic.X;
  view.q = s->elastic.q;
  return view;
}

/* X and q of node k+1. */
static void place_next(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_data *node = s->base.node;
  cardan__vi_elastic *a = &s->elastic;
  a->X[0] = node->X_W[0];
  for (int k = 0; k < a->ntouched; k++) {
    const int i = a->touched[k];
    const cardan__screw Q = cardan__vi_displaced(s, i);
    const cardan_xform dT = {.R = cardan__quat_to_mat3(Q.r), .p = cardan__screw_translation(&Q)};
    a->X[i] = cardan_xform_mul(&node->X_W[i], &dT);
  }
  if (a->moves) {
    cardan_q_move(model, node->q, s->base.x.dq, 1, a->q);
    return;
  }
  for (int i = 0; i < a->n; i++) {
    for (int k = 0; k < a->tie[i].nd && a->tie[i].reach != CARDAN__TIE_OWN; k++) {
      const cardan_body *b = &model->body[model->v_body[a->tie[i].dof_of[k]]];
      a->q[b->qadr] = node->q[b->qadr] + s->base.x.dq[b->vadr];
    }
  }
}

/* ---- forces ---- */

/* Largest entry of the second derivative of U at y; of springs and bushings their largest number,
 * which does not change. */
static void measure_stiffness(cardan__vi *s, cardan__tie *tie, const double *y)
{
  if (tie->linear) {
    return;
  }
  const cardan__view view = cardan__data_view(s->base.model, s->base.node);
  double *unit = s->elastic.unit;
  tie->stiffness = 0;
  memset(unit, 0, (size_t)tie->n * sizeof *unit);
  for (int j = 0; j < tie->n; j++) {
    unit[j] = 1;
    tie->kind->stress_change(s->base.model, &view, tie->e, y, unit, tie->c);
    unit[j] = 0;
    for (int i = 0; i < tie->n; i++) {
      tie->stiffness = fmax(tie->stiffness, fabs(tie->c[i]));
    }
  }
}

void cardan__elastic_begin(cardan__vi *s)
{
  cardan__vi_elastic *a = &s->elastic;
  const cardan__view view = cardan__data_view(s->base.model, s->base.node);
  for (int i = 0; i < a->n; i++) {
    cardan__tie *tie = &a->tie[i];
    tie->kind->strain(s->base.model, &view, tie->e, tie->y);
    measure_stiffness(s, tie, tie->y);
  }
  for (int k = 0; k < a->ntouched; k++) {
    const int i = a->touched[k];
    a->B[k] = cardan__lane_force(s->lanes[cardan__block_of(i)].B, cardan__lane_of(i));
  }
}

/* Mean strain and stress of a tie. */
static void strain(cardan__vi *s, cardan__tie *tie, const cardan__view *next)
{
  const cardan_model *model = s->base.model;
  if (tie->reach == CARDAN__TIE_OWN) {
    tie->mean[0] = tie->y[0] + 0.5 * s->base.x.dq[model->body[tie->body].vadr];
  } else {
    tie->kind->strain(model, next, tie->e, tie->mean);
    for (int j = 0; j < tie->n; j++) {
      tie->mean[j] = 0.5 * (tie->y[j] + tie->mean[j]);
    }
  }
  tie->kind->stress(model, next, tie->e, tie->mean, tie->g);
}

/* Forces of a tie of reach joint at data's configuration: to that joint alone, since they cancel
 * below it. */
static void load_joint(cardan__vi *s, const cardan__tie *tie, const cardan__view *view, double *out)
{
  const cardan_model *model = s->base.model;
  const cardan_body *b = &model->body[tie->body];
  cardan_force *load = s->elastic.load;
  cardan__loads to = {.f_ext = load, .tau = out};
  double part[6] = {0};
  tie->kind->load(model, view, tie->e, tie->g, &to);
  cardan__joint_project(b, load[tie->body], part);
  for (int k = 0; k < b->nv && tie->nb > 0; k++) {
    out[b->vadr + k] += part[k];
  }
  for (int k = 0; k < tie->nb; k++) {
    load[tie->body_of[k]] = (cardan_force){.t = {0, 0, 0}};
  }
}

/* Forces of all ties with the stresses there are: on bodies to load, on joints to out (nv). */
static void load_all(cardan__vi *s, const cardan__view *view, double *out)
{
  cardan__vi_elastic *a = &s->elastic;
  cardan__loads to = {.f_ext = a->load, .tau = out};
  memset(out, 0, (size_t)s->base.model->nv * sizeof *out);
  for (int i = 0; i < a->n; i++) {
    const cardan__tie *tie = &a->tie[i];
    if (tie->reach == CARDAN__TIE_OWN) {
      out[s->base.model->body[tie->body].vadr] -= tie->g[0];
    } else if (tie->reach == CARDAN__TIE_JOINT) {
      load_joint(s, tie, view, out);
    } else {
      tie->kind->load(s->base.model, view, tie->e, tie->g, &to);
    }
  }
  a->load[0] = (cardan_force){.t = {0, 0, 0}};
}

void cardan__elastic_act(cardan__vi *s)
{
  cardan__vi_elastic *a = &s->elastic;
  const double half = 0.5 * s->base.h;
  place_next(s);
  const cardan__view node = cardan__data_view(s->base.model, s->base.node), next = next_view(s);
  for (int i = 0; i < a->n; i++) {
    strain(s, &a->tie[i], &next);
  }
  load_all(s, &node, a->Q);
  for (int k = 0; k < a->ntouched; k++) {
    const int i = a->touched[k];
    cardan__lane_set_force(s->lanes[cardan__block_of(i)].B, cardan__lane_of(i),
                           cardan__force_axpy(half, a->load[i], a->B[k]));
    a->load[i] = (cardan_force){.t = {0, 0, 0}};
  }
  for (int k = 0; k < s->base.model->nv; k++) {
    s->c[k] = s->c0[k] + half * ((cardan__vi_acts(s) ? s->Q[k] : 0) + a->Q[k]);
  }
}

static double size1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* A place or a coordinate is known to eps of its size, and a force to that times a stiffness. */
void cardan__elastic_sizes(cardan__vi *s, double *scale)
{
  const cardan_model *model = s->base.model;
  cardan__vi_elastic *a = &s->elastic;
  const double half = 0.5 * fabs(s->base.h);
  const double place = CARDAN__PLACE_ROUNDING * DBL_EPSILON / s->base.root.tol;
  for (int i = 0; i < a->n; i++) {
    const cardan__tie *tie = &a->tie[i];
    double far = 0;
    for (int k = 0; k < tie->nb; k++) {
      far += size1(a->X[tie->body_of[k]].p) + s->base.extent[tie->body_of[k]].reach;
    }
    for (int j = 0; j < tie->n; j++) {
      far += tie->nd > 0 || tie->nb == 0 ? fabs(tie->mean[j]) : 0;
    }
    const double force = half * place * tie->stiffness * far;
    for (int k = 0; k < tie->nb; k++) {
      s->base.size[tie->body_of[k]].force += force;
      s->base.size[tie->body_of[k]].torque += force * s->base.extent[tie->body_of[k]].reach;
    }
    for (int k = 0; k < tie->nd; k++) {
      scale[tie->dof_of[k]] += force;
    }
  }
  for (int k = 0; k < model->nv; k++) {
    scale[k] += half * fabs(a->Q[k]);
  }
}

void cardan__elastic_leave(cardan__vi *s)
{
  cardan__vi_elastic *a = &s->elastic;
  const double half = 0.5 * s->base.h;
  const cardan__view node = cardan__data_view(s->base.model, s->base.node);
  load_all(s, &node, a->tau);
  for (int k = 0; k < a->ntouched; k++) {
    const int i = a->touched[k], l = cardan__lane_of(i);
    cardan__lane *P = s->P[cardan__block_of(i)].F;
    cardan__lane_set_force(P, l, cardan__force_axpy(half, a->load[i], cardan__lane_force(P, l)));
    a->load[i] = (cardan_force){.t = {0, 0, 0}};
  }
  for (int k = 0; k < s->base.model->nv; k++) {
    s->pj[k] += half * a->tau[k];
  }
}

/* ---- for the derivatives of a step ---- */

void cardan__elastic_between(cardan__vi *s, const cardan_data *next)
{
  const cardan_model *model = s->base.model;
  const cardan__view node = cardan__data_view(model, s->base.node),
                     view = cardan__data_view(model, next);
  for (int i = 0; i < s->elastic.n; i++) {
    cardan__tie *tie = &s->elastic.tie[i];
    tie->kind->strain(model, &node, tie->e, tie->y);
    tie->kind->strain(model, &view, tie->e, tie->mean);
    for (int j = 0; j < tie->n; j++) {
      tie->mean[j] = 0.5 * (tie->y[j] + tie->mean[j]);
    }
    tie->kind->stress(model, &node, tie->e, tie->mean, tie->g);
  }
}

void cardan__elastic_load(const cardan__vi *s, const cardan__view *view, cardan__loads *to)
{
  for (int i = 0; i < s->elastic.n; i++) {
    const cardan__tie *tie = &s->elastic.tie[i];
    tie->kind->load(s->base.model, view, tie->e, tie->g, to);
  }
}

void cardan__elastic_change(cardan__vi *s, const cardan__view view[2], const cardan__change *change,
                            cardan__loads *moved, cardan__loads *still)
{
  const cardan_model *model = s->base.model;
  const cardan__slope_at at = {model, &view[0], change, moved};
  double *dg = s->elastic.unit;
  for (int i = 0; i < s->elastic.n; i++) {
    const cardan__tie *tie = &s->elastic.tie[i];
    tie->kind->strain_change(&at, tie->e, tie->c);
    for (int j = 0; j < tie->n; j++) {
      tie->c[j] *= 0.5;
    }
    tie->kind->stress_change(model, &view[0], tie->e, tie->mean, tie->c, dg);
    tie->kind->load_change(&at, tie->e, tie->g, dg);
    tie->kind->load(model, &view[1], tie->e, dg, still);
  }
}
