// SPDX-License-Identifier: Apache-2.0
#include "forces/tyre.h"

#include <math.h>
#include <string.h>

#include "forces/tyre_law.h"

/* A tyre: the disc of frame A with axis a and radius r on the plane z = 0 of frame B, normal n.
 *
 *   m = n - (n.a) a            the disc's lowest point is at c - r m/|m|                     (E1)
 *   d = r |m| - n.(c - o_B)    its depth in the plane; the disc must not lie: |m| >= FLAT
 *   q = -r m/|m| + d n         from c to the contact, in the plane (load given: d = 0)       (E2)
 *   x = a x n/|m|, y = n x x   heading, and to the left of it
 *   s = v_A + w_A x q - v_B - w_B x (c + q - o_B)      of the material at the contact         (E3)
 *   V_x = x.(v_A - v_B - w_B x (c - o_B)),   camber = asin(n.a)                               (E4)
 * The force f = F_x x + F_y y + N n of tyre_law.c acts on A at the contact, -f on B there; camber's
 * couple about x x q on A, its opposite on B. With (E3), d' = -n.s exactly, so a spring k d has the
 * energy k d^2/2. Changes are by the product rule (dual.h). O(1). */

typedef cardan__slope vec;
typedef cardan__dual dual;

static const double FLAT = 1e-2; // as of a roll: within 0.6 degrees

/* A and B: positions of their origins, c - o_B, velocities. */
typedef struct {
  vec a, n, c, v[2], w[2];
} bodies;

typedef struct {
  vec q, d, x, y, n; // q of (E2), d: from o_B to the contact
  cardan__tyre_motion motion;
} contact;

static vec without_change(cardan_vec3 x)
{
  return (vec){x, {0, 0, 0}};
}

static cardan_vec3 turning(const cardan_model *model, const cardan__view *view, int frame)
{
  const int body = model->frame[frame].body;
  return cardan__mat3_mulv(&view->X_W[body].R, view->V[body].w);
}

static const cardan_vec3 up = {0, 0, 1};

static bodies find_bodies(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e)
{
  cardan_vec3 p[2], v[2], a, n;
  cardan__frame_axis(&model->frame[e->frame[0]], view, e->n, &a, NULL, NULL);
  cardan__frame_axis(&model->frame[e->frame[1]], view, up, &n, NULL, NULL);
  for (int k = 0; k < 2; k++) {
    cardan__frame_point(&model->frame[e->frame[k]], view, &p[k], &v[k], NULL);
  }
  return (bodies){.a = without_change(a),
                  .n = without_change(n),
                  .c = without_change(cardan__vec3_sub(p[0], p[1])),
                  .v = {without_change(v[0]), without_change(v[1])},
                  .w = {without_change(turning(model, view, e->frame[0])),
                        without_change(turning(model, view, e->frame[1]))}};
}

/* With their changes. */
static bodies find_changes(const cardan__slope_at *at, const cardan_force_element *e)
{
  const int A = e->frame[0], B = e->frame[1];
  return (bodies){.a = cardan__slope_direction(at, A, e->n),
                  .n = cardan__slope_direction(at, B, up),
                  .c = cardan__slope_sub(cardan__slope_point(at, A), cardan__slope_point(at, B)),
                  .v = {cardan__slope_velocity(at, A), cardan__slope_velocity(at, B)},
                  .w = {cardan__slope_turning(at, A), cardan__slope_turning(at, B)}};
}

/* |m|; not a number where the disc lies. */
static dual length_of(vec m)
{
  const dual m2 = cardan__slope_times(m, m);
  const double length = sqrt(m2.x) < FLAT ? (double)NAN : sqrt(m2.x);
  return (dual){length, 0.5 * m2.dx / length};
}

/* (E1) to (E4); the deflection is left out. */
static contact find_contact(const cardan_force_element *e, const bodies *b)
{
  const double r = e->value[CARDAN_TYRE_DISC];
  const dual one = {1.0, 0.0}, na = cardan__slope_times(b->n, b->a);
  const vec m = cardan__slope_sub(b->n, cardan__slope_scale(na, b->a));
  const dual size = length_of(m), inverse = cardan__dual_div(one, size);
  const dual height = cardan__slope_times(b->n, b->c);
  contact k = {.n = b->n};
  k.motion.depth = cardan__dual_sub(cardan__dual_scale(r, size), height);
  const dual lift = e->value[CARDAN_TYRE_LOAD] > 0.0 ? (dual){0.0, 0.0} : k.motion.depth;
  k.q = cardan__slope_add(cardan__slope_scale(cardan__dual_scale(-r, inverse), m),
                          cardan__slope_scale(lift, b->n));
  k.d = cardan__slope_add(b->c, k.q);
  k.x = cardan__slope_scale(inverse, cardan__slope_cross(b->a, b->n));
  k.y = cardan__slope_cross(b->n, k.x);
  const vec v = cardan__slope_sub(b->v[0], b->v[1]);
  const vec s = cardan__slope_sub(cardan__slope_add(v, cardan__slope_cross(b->w[0], k.q)),
                                  cardan__slope_cross(b->w[1], k.d));
  k.motion.slip_x = cardan__slope_times(k.x, s);
  k.motion.slip_y = cardan__slope_times(k.y, s);
  k.motion.rate = cardan__dual_scale(-1.0, cardan__slope_times(b->n, s));
  k.motion.along =
      cardan__slope_times(k.x, cardan__slope_sub(v, cardan__slope_cross(b->w[1], b->c)));
  k.motion.camber = cardan__dual_atan2(na, size);
  return k;
}

static double deflection(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, int i)
{
  return e->state >= 0 ? view->u[model->ninput + e->state + i] : 0.0;
}

static contact contact_at(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e)
{
  const bodies b = find_bodies(model, view, e);
  contact k = find_contact(e, &b);
  for (int i = 0; i < 2; i++) {
    k.motion.deflection[i] = (dual){deflection(model, view, e, i), 0.0};
  }
  return k;
}

static contact changing_contact(const cardan__slope_at *at, const cardan_force_element *e)
{
  const bodies b = find_changes(at, e);
  contact k = find_contact(e, &b);
  for (int i = 0; i < 2; i++) {
    const bool moves = e->state >= 0 && at->change->u != NULL;
    k.motion.deflection[i] = (dual){deflection(at->model, at->view, e, i),
                                    moves ? at->change->u[at->model->ninput + e->state + i] : 0.0};
  }
  return k;
}

/* The force, and what it turns A by: about c with camber's couple, and B by, about o_B. */
static void find_loads(const contact *k, const cardan__tyre_force *f, vec *force, vec *on_A,
                       vec *on_B)
{
  const vec couple = cardan__slope_scale(f->couple, cardan__slope_cross(k->x, k->q));
  *force = cardan__slope_add(
      cardan__slope_scale(f->normal, k->n),
      cardan__slope_add(cardan__slope_scale(f->x, k->x), cardan__slope_scale(f->y, k->y)));
  *on_A = cardan__slope_add(cardan__slope_cross(k->q, *force), couple);
  *on_B = cardan__slope_add(cardan__slope_cross(k->d, *force), couple);
}

static void load_both(const cardan_model *model, const cardan__view *view,
                      const cardan_force_element *e, const contact *k, const cardan__tyre_force *f,
                      cardan__loads *to)
{
  vec force, on_A, on_B;
  find_loads(k, f, &force, &on_A, &on_B);
  cardan__load_point(model, view, to, e->frame[0], force.x);
  cardan__load_torque(model, view, to, e->frame[0], on_A.x);
  cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(force.x));
  cardan__load_torque(model, view, to, e->frame[1], cardan__vec3_neg(on_B.x));
}

static void tyre_apply(const cardan_model *model, const cardan__view *view,
                       const cardan_force_element *e, cardan__loads *to)
{
  const contact k = contact_at(model, view, e);
  cardan__tyre_force f;
  cardan__tyre_law(e->value, &k.motion, &f);
  load_both(model, view, e, &k, &f, to);
}

static void tyre_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const contact k = changing_contact(at, e);
  cardan__tyre_force f;
  vec force, on_A, on_B;
  cardan__tyre_law(e->value, &k.motion, &f);
  find_loads(&k, &f, &force, &on_A, &on_B);
  cardan__slope_force(at, e->frame[0], 1.0, 0.0, force);
  cardan__slope_torque(at, e->frame[0], 1.0, 0.0, on_A);
  cardan__slope_force(at, e->frame[1], -1.0, 0.0, force);
  cardan__slope_torque(at, e->frame[1], -1.0, 0.0, on_B);
}

/* ---- rank 1 parts: the forces along x, y and n (channels.h) ---- */

enum { PARTS = 3 };

static bool tyre_channel(const cardan_model *model, const cardan_force_element *e, int part)
{
  (void)model;
  return part < PARTS && (part < 2 || e->value[CARDAN_TYRE_VERTICAL] > 0.0);
}

static void tyre_direction(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, int part, cardan__loads *to)
{
  const contact k = contact_at(model, view, e);
  const dual one = {1.0, 0.0};
  cardan__tyre_force f = {.normal = {0.0, 0.0}};
  *(part == 0 ? &f.x : part == 1 ? &f.y : &f.normal) = one;
  load_both(model, view, e, &k, &f, to);
}

/* d (force of this part)/d (one number of the motion, which is set to change by 1) */
static double partial(const cardan_force_element *e, const cardan__tyre_motion *m, dual *number,
                      int part)
{
  cardan__tyre_force f;
  number->dx = 1.0;
  cardan__tyre_law(e->value, m, &f);
  number->dx = 0.0;
  return part == 0 ? f.x.dx : part == 1 ? f.y.dx : f.normal.dx;
}

/* By the velocities at the contact and of the centre, and by the depth. That these turn with the
 * wheel is left out. */
static void tyre_gradient(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, int part, double by_q, double by_v,
                          cardan__loads *to)
{
  contact k = contact_at(model, view, e);
  cardan__tyre_motion *m = &k.motion;
  const double depth = partial(e, m, &m->depth, part), rate = partial(e, m, &m->rate, part);
  const double along = by_v * partial(e, m, &m->along, part);
  const cardan__tyre_force at_contact = {.x = {by_v * partial(e, m, &m->slip_x, part), 0.0},
                                         .y = {by_v * partial(e, m, &m->slip_y, part), 0.0},
                                         .normal = {-by_v * rate - by_q * depth, 0.0}};
  load_both(model, view, e, &k, &at_contact, to);
  const cardan_vec3 f = cardan__vec3_scale(along, k.x.x);
  const cardan_vec3 c = cardan__vec3_sub(k.d.x, k.q.x);
  cardan__load_point(model, view, to, e->frame[0], f);
  cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(f));
  cardan__load_torque(model, view, to, e->frame[1], cardan__vec3_neg(cardan__vec3_cross(c, f)));
}

/* ---- auxiliary states: the deflection of the tread ---- */

static void tyre_rates(const cardan_model *model, const cardan__view *view,
                       const cardan_force_element *e, double *rate)
{
  const contact k = contact_at(model, view, e);
  cardan__tyre_force f;
  cardan__tyre_law(e->value, &k.motion, &f);
  rate[0] = f.rate[0].x;
  rate[1] = f.rate[1].x;
}

static void tyre_rates_slope(const cardan__slope_at *at, const cardan_force_element *e,
                             double *rate)
{
  const contact k = changing_contact(at, e);
  cardan__tyre_force f;
  cardan__tyre_law(e->value, &k.motion, &f);
  rate[0] = f.rate[0].dx;
  rate[1] = f.rate[1].dx;
}

static void tyre_rates_by_state(const cardan_model *model, const cardan__view *view,
                                const cardan_force_element *e, int i, double *rate)
{
  contact k = contact_at(model, view, e);
  cardan__tyre_force f;
  k.motion.deflection[i].dx = 1.0;
  cardan__tyre_law(e->value, &k.motion, &f);
  rate[0] = f.rate[0].dx;
  rate[1] = f.rate[1].dx;
}

const cardan__force_kind cardan__force_tyre = {.apply = tyre_apply,
                                               .slope = tyre_slope,
                                               .channel = tyre_channel,
                                               .direction = tyre_direction,
                                               .gradient = tyre_gradient,
                                               .rates = tyre_rates,
                                               .rates_slope = tyre_rates_slope,
                                               .rates_by_state = tyre_rates_by_state};

/* ---- what tables and warnings show ---- */

int cardan__lying_tyre(const cardan_model *model, const cardan__view *view, double h)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind != CARDAN_ELEMENT_TYRE) {
      continue;
    }
    const bodies b = find_bodies(model, view, e);
    const cardan_vec3 turn = cardan__vec3_sub(b.w[0].x, b.w[1].x); // of a, as B has it
    const double na = cardan__vec3_dot(b.n.x, b.a.x);
    const double rate = cardan__vec3_dot(b.n.x, cardan__vec3_cross(turn, b.a.x));
    const double size = sqrt(fmax(1.0 - na * na, 0.0)); // |m|
    if (size < FLAT || size - h * na * rate / size < FLAT) {
      return i;
    }
  }
  return -1;
}

cardan__tyre_reading cardan__read_tyre(const cardan_model *model, const cardan__view *view,
                                       const cardan_force_element *e)
{
  const contact k = contact_at(model, view, e);
  cardan__tyre_force f;
  cardan__tyre_law(e->value, &k.motion, &f);
  return (cardan__tyre_reading){.kappa = f.kappa,
                                .alpha = f.alpha,
                                .camber = k.motion.camber.x,
                                .depth = k.motion.depth.x,
                                .force = {f.x.x, f.y.x, f.normal.x}};
}
