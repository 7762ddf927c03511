/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/lanes_vi.h - a step of method vi, order 2, in lanes: the same equation, tolerance and
 * guess as methods/vi and methods/discrete, so that a copy's motion is that of the scalar code to
 * the tolerance.
 *
 *   vi_body.h    one body: displacement, logarithm, momenta
 *   vi_tree.h    the node, the residual, sizes
 *   vi_mass.h    M(q^k)^-1
 *   vi_newton.h  the exact Jacobian
 *   vi_limits.h  lanes that are masked out at a limit of a joint, and that copies enter again
 *   vi_loops.h   constraints
 *   vi_feet.h    contacts with a plane; vi_cones.h their law
 *   vi_boxes.h   dry friction of joints
 *
 * The root. A lane starts with directions of RIQN, x - M(q^k)^-1 f: a factorisation of M costs a
 * fifth of that of the Jacobian. Where one such direction does not promise that the next will be
 * the last, Newton's take over, with a factorisation that is kept while it makes the same promise;
 * the lane then begins the next steps with them, longer each time. Which directions a lane takes
 * depends on its own residuals. A lane that is done is not moved any more, and computes the same
 * bits again.
 *
 * A lane leaves where the scalar code would search in other ways: a direction that turns a joint by
 * more than a radian or does not lower the residual, too many evaluations, a root that does not
 * continue the motion (methods/discrete/branch.c).
 *
 * Sizes that the tolerance is relative to are those of at most CARDAN__SCALE_STEPS steps before:
 * they are sums of absolute values, which do not change much in so few; in the first steps, when
 * there may be next to no momenta, they are measured in every one. */
#pragma once
#include "batch/lanes/vi_boxes.h"

/* ---- memory ---- */

/* A part of the block, n of so many bytes each, whole registers. */
static inline void *vi_part(char *base, size_t *used, size_t n, size_t each)
{
  void *at = base != NULL ? base + *used : NULL;
  *used += (n * each + 63) / 64 * 64;
  return at;
}

static inline size_t vi_layout(const cardan__lanes_model *m, char *base, vi_lanes *s)
{
  const size_t nbody = (size_t)m->nbody, nmulti = (size_t)m->nmulti, nv = (size_t)m->nv;
  size_t used = 0;
  double *work = vi_part(base, &used, passes_size(m), sizeof *work);
  s->pass = passes_in(m, work);
  s->head = vi_part(base, &used, 1, sizeof *s->head);
  s->body = vi_part(base, &used, nbody, sizeof *s->body);
  s->size = vi_part(base, &used, nbody, sizeof *s->size);
  s->slope = vi_part(base, &used, nbody, sizeof *s->slope);
  s->slopes = vi_part(base, &used, nmulti, sizeof *s->slopes);
  s->matrix = vi_part(base, &used, (size_t)m->nslot, sizeof *s->matrix);
  s->joint = vi_part(base, &used, nmulti, sizeof *s->joint);
  s->kept = vi_part(base, &used, nmulti, sizeof *s->kept);
  s->field = vi_part(base, &used, nbody, sizeof *s->field);
  real **const vectors[] = {&s->x, &s->f, &s->y, &s->z, &s->c, &s->J, &s->scale, &s->guess};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = vi_part(base, &used, nv, sizeof(real));
  }
  s->box = vi_part(base, &used, (size_t)m->ndry, sizeof *s->box);
  s->minus = vi_part(base, &used, (size_t)m->ndry, sizeof(real));
  const size_t nfoot = (size_t)m->nfoot, places = nfoot + (size_t)m->nguard;
  s->foot = vi_part(base, &used, places, sizeof *s->foot);
  s->normal = vi_part(base, &used, places > 0 ? nbody : 0, sizeof *s->normal);
  s->height = vi_part(base, &used, places > 0 ? nbody : 0, sizeof *s->height);
  const size_t nrow = (size_t)m->nrow, rows = 3 * nfoot + nrow;
  s->row = vi_part(base, &used, nrow, sizeof *s->row);
  s->place = vi_part(base, &used, nrow > 0 ? nbody : 0, sizeof *s->place);
  s->U = vi_part(base, &used, rows * nv, sizeof(real));
  s->S = vi_part(base, &used, rows * rows, sizeof(real));
  s->L = vi_part(base, &used, rows * rows, sizeof(real));
  real **const ways[] = {&s->phi, &s->sigma, &s->rest, &s->b, &s->rhs};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    *ways[i] = vi_part(base, &used, rows, sizeof(real));
  }
  s->redundant = vi_part(base, &used, 1, sizeof(mask));
  s->drag = vi_part(base, &used, rows > 0 ? nv : 0, sizeof(real));
  s->D = vi_part(base, &used, VI_ORDERS * nv, sizeof(real));
  s->size2 = vi_part(base, &used, VI_ORDERS, sizeof(real));
  s->wait = vi_part(base, &used, 2, sizeof(real));
  return used / sizeof(double);
}

static inline vi_lanes vi_open(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  vi_lanes s = {.model = m};
  vi_layout(m, (char *)lanes->work, &s);
  s.q = reals(lanes->q);
  s.v = reals(lanes->v);
  s.u = reals(lanes->u);
  s.left = (mask *)(void *)lanes->left;
  s.done = reals(lanes->done);
  s.past = reals(lanes->foot);
  s.evaluations = lanes->evaluations;
  s.e = s.head->e;
  s.near = s.standing = mask_of(0);
  return s;
}

/* ---- displacements ---- */

/* Exponentials of the displacements of joints with several velocities. */
CARDAN__WHOLE mask expand_joints(const vi_lanes *s)
{
  mask bad = mask_of(0);
  for (int i = 1; i < s->model->nbody && s->model->nmulti > 0; i++) {
    const cardan__lanes_body *b = &s->model->body[i];
    if (!is_z(b)) {
      const real6 u = of_array(joint_nv(b), s->x + b->vadr);
      const real half = real_of(0.5);
      bad |= screw_exp((real6){scale3(half, u.w), scale3(half, u.v)}, &s->joint[b->multi]);
    }
  }
  return bad;
}

/* A joint of several velocities moves on by y, in the lanes of a mask. */
static inline mask advance_multi(const vi_lanes *s, const cardan__lanes_body *b, mask on,
                                 const real *y)
{
  const int n = joint_nv(b);
  const real half = real_of(0.5);
  const real6 u = of_array(n, y);
  screw E, *Q = &s->joint[b->multi];
  mask bad = screw_exp((real6){scale3(half, u.w), scale3(half, u.v)}, &E);
  E = screw_mul(*Q, E);
  *Q = (screw){choose4(on, E.r, Q->r), choose4(on, E.d, Q->d)};
  const real6 x = screw_log(Q);
  real e[6];
  to_array(x, e);
  for (int k = 0; k < n; k++) {
    real *to = &s->x[b->vadr + k];
    *to = choose(on, e[k], *to);
  }
  return bad & on;
}

/* x moves on by y in the lanes of a mask. returns those in which a joint would turn too far */
CARDAN__WHOLE mask advance(const vi_lanes *s, mask on, const real *y)
{
  mask bad = mask_of(0);
  for (int i = 1; i < s->model->nbody; i++) {
    const cardan__lanes_body *b = &s->model->body[i];
    if (is_z(b)) {
      real *x = &s->x[b->vadr];
      *x = choose(on, *x + y[b->vadr], *x);
      if (b->kind != CARDAN_LINK_PRISMATIC) {
        bad |= ~is_most(magnitude(y[b->vadr]), real_of(CARDAN__LARGEST_TURN));
      }
    } else {
      bad |= advance_multi(s, b, on, y + b->vadr);
    }
  }
  return bad & on;
}

/* ---- the guess ---- */

/* h v + h^2 a / 2 */
static void first_guess(const cardan__lanes_model *m, cardan__lanes *lanes, const vi_lanes *s)
{
  const real h = real_of(2 * s->e), part = real_of(2 * s->e * s->e);
  const real *a = reals(lanes->a);
  joint_loads(m, lanes);
  forward_dynamics(m, lanes);
  s->head->factored = 0;
  for (int k = 0; k < m->nv; k++) {
    s->x[k] = madd(part, a[k], h * s->v[k]);
  }
}

/* By as many of the steps before as follow each other smoothly (methods/discrete/extrapolate.c),
 * lane by lane. */
CARDAN__WHOLE void extrapolate(const vi_lanes *s)
{
  const int have = s->head->have, nv = s->model->nv;
  real best = real_of(1), least = s->size2[1], weight[VI_ORDERS];
  for (int j = 2; j < have && j < VI_ORDERS; j++) {
    const mask less = is_less(s->size2[j], least);
    best = choose(less, real_of(j), best);
    least = choose(less, s->size2[j], least);
  }
  const int orders = have < VI_ORDERS ? have : VI_ORDERS;
  for (int j = 1; j < orders; j++) {
    weight[j] = choose(is_less(real_of(j), best), real_of(1), real_of(0));
  }
  for (int k = 0; k < nv; k++) {
    real x = s->D[k];
    for (int j = 1; j < orders; j++) {
      x = madd(weight[j], s->D[j * nv + k], x);
    }
    s->x[k] = x;
  }
}

CARDAN__WHOLE void remember(const vi_lanes *s)
{
  const int have = s->head->have, nv = s->model->nv;
  const int orders = have + 1 < VI_ORDERS ? have + 1 : VI_ORDERS;
  real size2[VI_ORDERS];
  for (int j = 0; j < VI_ORDERS; j++) {
    size2[j] = real_of(0);
  }
  for (int k = 0; k < nv; k++) {
    real now = s->x[k];
    for (int j = 0; j < orders; j++) {
      real *D = &s->D[j * nv + k];
      const real old = *D;
      *D = now;
      size2[j] = madd(now, now, size2[j]);
      now = now - old;
    }
  }
  memcpy(s->size2, size2, sizeof size2);
  s->head->have = have < VI_ORDERS ? have + 1 : have;
}

/* ---- the root ---- */

/* Of the last residual, over the tolerance: the largest entry, and the sum of squares. */
typedef struct {
  real error, merit;
} vi_measure;

CARDAN__WHOLE vi_measure measure(const vi_lanes *s)
{
  real largest = real_of(0), sum = real_of(0);
  for (int k = 0; k < s->model->nv; k++) {
    const real e = magnitude(s->f[k]) * s->scale[k];
    largest = larger(e, largest);
    sum = madd(e, e, sum);
  }
  const real inv_tol = real_of(1 / s->head->tol);
  // comparisons above pass over what is not a number
  const mask known = is_most(sum, real_of(DBL_MAX));
  return (vi_measure){choose(known, inv_tol * largest, real_of(HUGE_VAL)), sum};
}

/* open: out, lanes in which a joint with dry friction changed: their error is large. */
static vi_measure evaluate(vi_lanes *s, int sizes, mask *open)
{
  vi_measure now;
  *s->left |= residual(s, sizes);
  if (sizes) {
    measure_sizes(s);
  }
  ++*s->evaluations;
  *open = s->model->ndry > 0 ? change_step_boxes(s) : mask_of(0);
  now = measure(s);
  if (count_rows(s) > 0) {
    const real e = choose(s->standing, measure_feet(s), real_of(0)),
               scaled = real_of(s->head->tol) * e;
    now.error = larger(now.error, e);
    now.merit = madd(scaled, scaled, now.merit);
  }
  if (any(*open)) {
    now.error = choose(*open, real_of(HUGE_VAL), now.error);
    now.merit = choose(*open, real_of(HUGE_VAL), now.merit);
  }
  return now;
}

/* Writes -M^-1 f, and -J^-1 f in the lanes of newton, to y; factors J again in the lanes of
 * renew. */
static void compute_direction(vi_lanes *s, mask on, mask newton, mask renew)
{
  const int nv = s->model->nv;
  aim_boxes(s);
  const mask bad = any(on & ~newton) ? update_mass(s, choose_pivots(s)) : mask_of(0);
  if (any(on & ~newton)) {
    for (int k = 0; k < nv; k++) {
      s->y[k] = -s->f[k];
    }
    if (count_rows(s) > 0) {
      direct_feet(s, on, s->y, s->z);
    } else {
      solve_mass(s, s->y);
    }
  }
  *s->left |= bad & on & ~newton;
  if (any(on & newton)) {
    *s->left |= any(renew) ? factor_newton(s, renew) : mask_of(0);
    for (int k = 0; k < nv; k++) {
      s->z[k] = -s->f[k];
    }
    solve_newton(s, s->z);
    for (int k = 0; k < nv; k++) {
      s->y[k] = choose(newton, s->z[k], s->y[k]);
    }
  }
}

/* Starts a step: lanes that needed Newton's directions use them for some steps before RIQN's are
 * tried again. */
static mask start_wait(const vi_lanes *s)
{
  const mask newton = is_less(real_of(0), s->wait[0]);
  s->wait[0] = s->wait[0] - real_of(1);
  return newton;
}

static void set_wait(const vi_lanes *s, mask on)
{
  const real longer = lengthen_wait(s->wait[1]);
  s->wait[1] = choose(on, longer, s->wait[1]);
  s->wait[0] = choose(on, longer, s->wait[0]);
}

/* Evaluations of a search, most where joints have dry friction: some of them only tell which of
 * these are held. */
enum { VI_SEARCH_DRY = 2 * CARDAN__LANES_SEARCH };

/* Lanes without a root: the scalar code takes the step, where the node is known, or all of the
 * motion. */
static void give_up(vi_lanes *s, mask failed)
{
  if (cardan__lanes_settles(s->model)) {
    s->near |= failed;
  } else {
    *s->left |= failed;
  }
}

/* From the guess in x; lanes that find no root leave. returns those that did not find it soon */
static mask find_root(vi_lanes *s)
{
  const real one = real_of(1);
  const int most = cardan__lanes_settles(s->model) ? VI_SEARCH_DRY : CARDAN__LANES_SEARCH;
  mask many = mask_of(0), open;
  mask newton = start_wait(s) & ~s->standing, old = mask_of(0), failed = mask_of(0);
  real since = real_of(0); // evaluations in which no joint changed
  const int64_t k = s->head->steps;
  s->changes = real_of(0);
  vi_measure now = evaluate(s, k < CARDAN__SCALE_STEPS || k % CARDAN__SCALE_STEPS == 0, &open);
  for (int i = 1;; i++) {
    const mask on = is_less(one, now.error) & ~(*s->left | failed | s->near);
    if (!any(on)) {
      break;
    }
    if (i == most) {
      failed |= on;
      break;
    }
    since = choose(open, real_of(0), since + one);
    many |= is_most(real_of(CARDAN__EASY_SEARCH), since) & on & ~s->standing;
    const vi_measure before = now;
    const mask fresh = on & newton & ~old;
    compute_direction(s, on, newton, fresh);
    failed |= advance(s, on, s->y);
    now = evaluate(s, 0, &open);
    const mask fell = is_less(now.merit, before.merit), done = is_most(now.error, one);
    failed |= fresh & ~fell & ~done & ~open;
    const mask promising = is_gain_enough(before.error, now.error);
    old = newton & promising & ~open;
    const mask slow = on & ~newton & ~done & ~promising & ~open & ~s->standing;
    const mask quick = on & ~newton & done;
    s->wait[1] = choose(quick, real_of(0), s->wait[1]);
    set_wait(s, slow);
    newton |= slow;
  }
  give_up(s, failed);
  return many;
}

/* ---- is it the step's? (methods/discrete/branch.c) ---- */

/* Unit of entry j of a joint's displacement: turns in rad, ways in sizes of the mechanism. */
static inline real unit_of(const cardan__lanes_body *b, int j, double inv_length)
{
  return real_of(b->kind == CARDAN_LINK_PRISMATIC || j >= 3 ? inv_length : 1);
}

static inline double inverse_length(const vi_lanes *s)
{
  return s->model->length > 0 ? 1 / s->model->length : 1;
}

/* Largest entry of |a - b|; b NULL: of a. */
static inline real distance(const vi_lanes *s, const real *a, const real *b)
{
  const double inv_length = inverse_length(s);
  real largest = real_of(0);
  for (int i = 1; i < s->model->nbody; i++) {
    const cardan__lanes_body *body = &s->model->body[i];
    for (int j = 0; j < joint_nv(body); j++) {
      const int k = body->vadr + j;
      const real d = b != NULL ? a[k] - b[k] : a[k];
      largest = larger(magnitude(d) * unit_of(body, j, inv_length), largest);
    }
  }
  return largest;
}

/* Near its guess, and not far from the last displacement. */
CARDAN__WHOLE mask is_easy(const vi_lanes *s)
{
  const double inv_length = inverse_length(s);
  const real *last = s->head->have > 0 ? s->D : s->x;
  real size = real_of(0), off = real_of(0), swing = real_of(0);
  for (int i = 1; i < s->model->nbody; i++) {
    const cardan__lanes_body *b = &s->model->body[i];
    for (int j = 0; j < joint_nv(b); j++) {
      const int k = b->vadr + j;
      const real unit = unit_of(b, j, inv_length), x = s->x[k];
      size = larger(magnitude(x) * unit, size);
      off = larger(magnitude(x - s->guess[k]) * unit, off);
      swing = larger(magnitude(x - last[k]) * unit, swing);
    }
  }
  return is_steady(size, swing) & is_near_guess(size, off);
}

/* Stores x and joint in guess and kept, and sets them to no displacement in the lanes of a mask;
 * restore_guess copies them back. */
static void store_guess(const vi_lanes *s, mask on)
{
  const screw none = screw_identity();
  memcpy(s->guess, s->x, (size_t)s->model->nv * sizeof *s->x);
  memcpy(s->kept, s->joint, (size_t)s->model->nmulti * sizeof *s->joint);
  for (int k = 0; k < s->model->nv; k++) {
    s->x[k] = choose(on, real_of(0), s->x[k]);
  }
  for (int j = 0; j < s->model->nmulti; j++) {
    screw *Q = &s->joint[j];
    *Q = (screw){choose4(on, none.r, Q->r), choose4(on, none.d, Q->d)};
  }
}

static void restore_guess(const vi_lanes *s)
{
  memcpy(s->x, s->guess, (size_t)s->model->nv * sizeof *s->x);
  memcpy(s->joint, s->kept, (size_t)s->model->nmulti * sizeof *s->joint);
}

/* Returns the lanes whose root is on the branch of zero displacement, so that it continues the
 * motion: the tangent of the branch there, y = -J^-1 f(0), is then close to x. The guess is
 * overwritten; all other data of lanes outside `on` are unchanged. */
static mask continues_motion(vi_lanes *s, mask on)
{
  const int nv = s->model->nv;
  real work = real_of(0);
  store_guess(s, on);
  mask bad = residual(s, 0);
  for (int k = 0; k < nv; k++) {
    s->y[k] = -s->f[k];
  }
  restore_guess(s);
  bad |= residual(s, 0) | factor_newton(s, on);
  memcpy(s->z, s->y, (size_t)nv * sizeof *s->y);
  stay_boxes(s);
  solve_newton(s, s->z);
  for (int k = 0; k < nv; k++) {
    work = madd(s->x[k], s->y[k], work);
  }
  *s->evaluations += 2;
  const real size = distance(s, s->x, NULL);
  return is_regular(size, distance(s, s->x, s->z)) & goes_forwards(size, work) & ~bad;
}

/* ---- the end of a step ---- */

/* Rotates the remaining residual of a joint of several velocities with the body, so that it is
 * constant in space. */
static inline void rotate_residual(const vi_lanes *s, const cardan__lanes_body *b, int i)
{
  const screw *Q = &s->body[i].Q;
  const int n = joint_nv(b);
  const real6 F = of_array(n, s->f + b->vadr);
  const real4 back = {Q->r.w, scale3(real_of(-1), Q->r.v)};
  const real3 half = screw_half_way(Q);
  real e[6];
  to_array(
      (real6){quat_rotate(back, cross3_sub(add3(half, half), F.v, F.w)), quat_rotate(back, F.v)},
      e);
  memcpy(s->f + b->vadr, e, (size_t)n * sizeof *e);
}

/* q moved by x. */
static inline mask move_joint_by(const vi_lanes *s, const cardan__lanes_body *b)
{
  real *q = s->q + b->qadr;
  if (is_z(b)) {
    q[0] = q[0] + s->x[b->vadr];
    return mask_of(0);
  }
  const screw *Q = &s->joint[b->multi];
  real *e = q + (b->kind == CARDAN_LINK_FREE ? 3 : 0);
  const real4 at = {e[0], {e[1], e[2], e[3]}};
  if (b->kind == CARDAN_LINK_FREE) {
    const real3 half = screw_half_way(Q), p = quat_rotate(at, add3(half, half));
    q[0] = q[0] + p.x;
    q[1] = q[1] + p.y;
    q[2] = q[2] + p.z;
  }
  const real4 to = quat_mul(at, Q->r);
  e[0] = to.w;
  e[1] = to.v.x;
  e[2] = to.v.y;
  e[3] = to.v.z;
  return normalise(e);
}

/* Work of damping and actuators over the step, Q . x. */
static inline void add_work(const vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  real sum = real_of(0);
  for (int k = 0; k < m->nv && m->damped; k++) {
    sum = nmadd(real_of(m->damping[k] / (2 * s->e)) * s->x[k], s->x[k], sum);
  }
  for (int j = 0; j < m->nactuator; j++) {
    const cardan__lanes_actuator *a = &m->actuator[j];
    sum = madd(actuate(s, a), s->x[a->dof], sum);
  }
  *s->done = *s->done + sum;
}

/* (T4), and the node that the step leads to. */
CARDAN__WHOLE void accept(vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  mask bad = mask_of(0);
  for (int i = 1; i < m->nbody && m->nmulti > 0; i++) {
    const cardan__lanes_body *b = &m->body[i];
    if (!is_z(b)) {
      rotate_residual(s, b, i);
    }
  }
  memcpy(s->J, s->f, (size_t)m->nv * sizeof *s->f);
  add_drag(s, -1, 1, s->J);
  subtract_actuators(s, s->J);
  subtract_springs(s, s->J);
  for (int k = 0; k < m->nv; k++) {
    s->J[k] = -s->J[k];
  }
  add_work(s);
  for (int i = 1; i < m->nbody; i++) {
    bad |= move_joint_by(s, &m->body[i]);
  }
  remember(s);
  s->head->e = s->e;
  *s->left |= bad | place_node(s) | is_out_of_range(m->nq, s->q);
}

/* ---- the method ---- */

static size_t vi_doubles(const cardan__lanes_model *m)
{
  vi_lanes unused;
  return vi_layout(m, NULL, &unused);
}

static void vi_start(const cardan__lanes_model *m, cardan__lanes *lanes,
                     const cardan_options *options)
{
  vi_lanes s;
  vi_layout(m, (char *)lanes->work, &s);
  *s.head = (vi_head){
      .tol = root_tolerance(options->tol, m->nbody), .e = 0.5 * options->dt, .dt = options->dt};
  s = vi_open(m, lanes);
  s.wait[0] = s.wait[1] = real_of(0);
  start_boxes(&s, mask_of(-1));
  *s.evaluations = 0;
  start_state(m, lanes);
  *s.left |= place_node(&s) | factor_mass(&s);
  start_momenta(&s, mask_of(-1));
  place_loops(&s);
  start_loops(&s, mask_of(-1));
  if (place_count(m) > 0) {
    place_feet(&s, mask_of(-1));
    start_feet(&s, mask_of(-1));
  }
}

/* What lanes share is as if the others had come here by steps. */
static void vi_enter(const cardan__lanes_model *m, cardan__lanes *lanes, const int64_t *on,
                     int64_t k, double h)
{
  vi_lanes s = vi_open(m, lanes);
  mask come;
  s.head->steps = k;
  s.head->have = k < VI_ORDERS ? (int)k : VI_ORDERS;
  s.head->e = s.e = 0.5 * h;
  memcpy(&come, on, sizeof come);
  *s.left |= place_node(&s) & come;
  start_momenta(&s, come);
  place_loops(&s);
  start_loops(&s, come);
  if (place_count(m) > 0) {
    place_feet(&s, come);
    start_feet(&s, come);
  }
  reset_history(&s, come);
  start_boxes(&s, come);
}

static void vi_step(const cardan__lanes_model *m, cardan__lanes *lanes, double h)
{
  vi_lanes s = vi_open(m, lanes);
  begin_fallback(&s, lanes);
  list_feet(&s);
  start_impulses(&s, 0.5 * h);
  begin_step(&s, 0.5 * h);
  s.kappa = find_kappa(&s);
  if (s.head->have == 0) {
    first_guess(m, lanes, &s);
  } else if (s.head->have == 1) {
    memcpy(s.x, s.D, (size_t)m->nv * sizeof *s.x);
  } else {
    extrapolate(&s);
  }
  hold_guess(&s);
  memcpy(s.guess, s.x, (size_t)m->nv * sizeof *s.x);
  *s.left |= expand_joints(&s);
  mask hard = (find_root(&s) | ~is_easy(&s)) & ~(*s.left | s.near);
  if (any(hard)) {
    give_up(&s, hard & (s.standing | ~continues_motion(&s, hard)));
  }
  check_step_limits(&s, lanes);
  if (place_count(m) + m->nrow > 0) {
    s.near |= check_step_feet(&s) & ~*s.left;
  }
  accept(&s);
  s.head->steps++;
  place_loops(&s);
  if (place_count(m) > 0) {
    place_feet(&s, mask_of(-1));
    part_feet(&s);
  }
  if (cardan__lanes_settles(m)) {
    s.near |= end_boxes(&s, reals(lanes->node_v));
    mask_out(lanes, s.near);
  }
}

/* M v = sum of J_i^T P_i + pj; that of the start is the one given. */
static void vi_node(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  vi_lanes s = vi_open(m, lanes);
  const real he = real_of(2 * s.e * s.e), inv_h = real_of(0.5 / s.e);
  if (s.head->have == 0 || cardan__lanes_settles(m)) { // every step ends with it
    return;
  }
  for (int i = 1; i < m->nbody; i++) {
    s.body[i].F = add_weight(&s, &m->body[i], i, he, s.body[i].N);
  }
  project_all(&s, s.v);
  for (int k = 0; k < m->nv; k++) {
    s.v[k] = s.v[k] + s.J[k];
  }
  if (!s.head->factored) {
    *s.left |= factor_mass(&s);
  }
  solve_mass(&s, s.v);
  for (int k = 0; k < m->nv; k++) {
    s.v[k] = inv_h * s.v[k];
  }
  *s.left |= is_out_of_range(m->nv, s.v);
}
