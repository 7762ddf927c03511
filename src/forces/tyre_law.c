// SPDX-License-Identifier: Apache-2.0
#include "forces/tyre_law.h"

#include "cardan/elements.h"

/* Forces of a tyre.
 *
 * Load      N = k d + clamp(c d', -k d, k d), d > 0 the depth of the disc, or given   (T1)
 *           the damper never exceeds the spring: the ground never pulls, and N does not jump
 * Slip      kappa = -W_x/V,  alpha = atan(-W_y/V)                                          (T2)
 *           W: slip velocity, V = |V_x|, smoothed below v0: V = v0 (3/8 + 3/4 x^2 - 1/8 x^4),
 *           x = V_x/v0, which has two continuous derivatives and is not 0
 * Camber    W_y = s_y + tan(k gamma/C_y) |V_r|: a force k |gamma| to the side the wheel leans  (T3)
 *           V_r = V_x - s_x the rolling velocity, |V_r| = |V_r| s(|V_r|/v0) below v0, s of (T7)
 * Size      linear  Q = |(C_x kappa, C_y alpha)|, P = mu N,  F/P = 1 - (1 - Q/(3 P))^3, at most 1:
 *                   a brush under parabolic pressure [1, 3.2]                              (T4)
 *           magic   S = |(kappa, alpha)|,  F = D N sin(C atan(B S - E (B S - atan(B S)))) [1, 4.3],
 *                   C_x = C_y = B C D N                                                    (T5)
 * Direction (F_x, F_y) = -F (C_x W_x, C_y W_y)/Y,   Y = |(C_x W_x, C_y W_y)|               (T6)
 *
 * With a relaxation length l the tread is a spring of stiffness C/l, deflected by u, that slides
 * as Dahl's friction does: no sooner than the law above allows. In place of (T2), V = |V_x| s(x),
 *   u' = -W - a u,  a = Y/(l F),  a = V/l where slip is small                               (T7)
 *   F  = (C/l) (u + t u'), its size at most P                                               (T8)
 * Constant slip gives (T6) exactly; small slip gives l F' + V F = V F(slip), the well-known lag; at
 * rest the tyre is a spring. s(x) = (15 x - 10 x^3 + 3 x^5)/8 for x < 1, else 1. t damps it near
 * rest: t = T (1 - s(|V_x|/v1))/(1 + a T), T = 0.02 s, v1 = 1 m/s, nothing from v1 on. Where a
 * wheel slides so fast that a > A = 4 |V_x|/l + 300/s, u' is A/a of (T7): the force is the same,
 * within 1/A, and steps need not follow the tread over its few mm of deflection.
 *
 * Camber turns the direction of rolling, so what its force does sideways is taken from rolling by a
 * couple F_y tan(k gamma/C_y) |V_r|/V_r, about the axle, times the lever of rolling         (T9)
 * so that power of slip is -F.W: never positive; with (T7) and a <= A, never more than (C/l) u^2/2
 * gave before at constant load.
 *
 * [1] H. Pacejka, Tire and Vehicle Dynamics, 3rd ed., 2012. */

typedef cardan__dual dual;

static const double DAMPING_TIME = 0.02, DAMPING_SPEED = 1.0; // T, v1
static const double SLIDING = 4.0, SLIDING_RATE = 300.0;      // of A
static const double LEAST_LIMIT = 3e-3; // P of (T7) is at least this part of C: a wheel that hardly
                                        // touches the ground
static const double LARGEST_SLIP = 1e6;

/* s(x), x >= 0 */
static dual rise(dual x)
{
  if (x.x >= 1.0) {
    return (dual){1.0, 0.0};
  }
  const double x2 = x.x * x.x;
  return (dual){x.x * (15.0 - 10.0 * x2 + 3.0 * x2 * x2) / 8.0,
                (15.0 - 30.0 * x2 + 15.0 * x2 * x2) / 8.0 * x.dx};
}

/* |v| s(|v|/v0): |v| from v0 on. */
static dual soft_speed(dual v)
{
  const dual a = cardan__dual_abs(v);
  return cardan__dual_mul(a, rise(cardan__dual_scale(1.0 / CARDAN__TYRE_SPEED, a)));
}

/* |v|, but not 0 (T2). */
static dual floor_speed(dual v)
{
  const double x = v.x / CARDAN__TYRE_SPEED, x2 = x * x;
  if (x2 >= 1.0) {
    return cardan__dual_abs(v);
  }
  return (dual){CARDAN__TYRE_SPEED * (0.375 + 0.75 * x2 - 0.125 * x2 * x2),
                (1.5 * x - 0.5 * x * x2) * v.dx};
}

static double clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* (T1) */
static dual normal_force(const double *of, const cardan__tyre_motion *m)
{
  const double k = of[CARDAN_TYRE_VERTICAL], c = of[CARDAN_TYRE_VERTICAL + 1];
  if (of[CARDAN_TYRE_LOAD] > 0.0) {
    return (dual){of[CARDAN_TYRE_LOAD], 0.0};
  }
  if (isnan(m->depth.x)) {
    return m->depth; // a disc that lies
  }
  if (!(m->depth.x > 0.0)) {
    return (dual){0.0, 0.0};
  }
  const dual spring = cardan__dual_scale(k, m->depth), damper = cardan__dual_scale(c, m->rate);
  const double held = clamp(damper.x, -spring.x, spring.x);
  return cardan__dual_add(spring, held == damper.x ? damper
                                  : damper.x > 0.0 ? spring
                                                   : cardan__dual_scale(-1.0, spring));
}

/* What the law needs of the tyre at its load. */
typedef struct {
  bool magic;
  dual C[2], limit; // slopes at no slip; the largest force
  double lean;      // tan(k gamma/C_y) = lean at gamma = 1
} grip;

static grip find_grip(const double *of, dual N)
{
  const double *linear = of + CARDAN_TYRE_LINEAR, *magic = of + CARDAN_TYRE_MAGIC;
  const double k = of[CARDAN_TYRE_CAMBER];
  if (linear[0] > 0.0) {
    return (grip){.C = {{linear[0], 0.0}, {linear[1], 0.0}},
                  .limit = cardan__dual_scale(linear[2], N),
                  .lean = k / linear[1]};
  }
  const double slope = magic[0] * magic[1] * magic[2];
  const dual C = cardan__dual_scale(slope, N);
  return (grip){
      .magic = true, .C = {C, C}, .limit = cardan__dual_scale(magic[2], N), .lean = k / slope};
}

/* ---- size of the force ---- */

/* F/Q of (T4): Q - Q^2/(3 P) + Q^3/(27 P^2), over Q. */
static dual brush(dual Q, dual P)
{
  if (!(Q.x < 3.0 * P.x)) {
    return Q.x > 0.0 ? cardan__dual_div(P, Q) : (dual){0.0, 0.0};
  }
  const dual q = cardan__dual_div(Q, P);
  return cardan__dual_add((dual){1.0, 0.0},
                          cardan__dual_mul(q, cardan__dual_sub(cardan__dual_scale(1.0 / 27.0, q),
                                                               (dual){1.0 / 3.0, 0.0})));
}

/* F/(B C D N S) of (T5). */
static dual magic_part(const double *magic, dual S)
{
  const double B = magic[0], C = magic[1], E = magic[3];
  const dual x = cardan__dual_scale(B, S);
  if (x.x < 1e-8) {
    return (dual){1.0, 0.0};
  }
  const dual inner =
      cardan__dual_add(cardan__dual_scale(1.0 - E, x), cardan__dual_scale(E, cardan__dual_atan(x)));
  const dual y = cardan__dual_sin(cardan__dual_scale(C, cardan__dual_atan(inner)));
  return cardan__dual_div(y, cardan__dual_scale(C, x));
}

/* kappa and alpha of (T2) at speed V, which may be 0. */
static void find_slip(dual Wx, dual Wy, dual V, dual slip[2])
{
  const double most = LARGEST_SLIP * V.x;
  slip[0] = fabs(Wx.x) < most ? cardan__dual_scale(-1.0, cardan__dual_div(Wx, V))
                              : (dual){Wx.x == 0.0 ? 0.0 : copysign(LARGEST_SLIP, -Wx.x), 0.0};
  slip[1] = cardan__dual_atan2(cardan__dual_scale(-1.0, Wy), V);
}

/* F/Y times the speed that makes slip of slip velocity: share = F/Q of (T4), or of (T5), and
 * Q/Y: F = share Q; speed = Y/Q. Both of a tyre whose largest force is P. */
static dual share_of(const double *of, const grip *g, const dual slip[2], dual P, dual *Q)
{
  if (g->magic) {
    const dual S = cardan__dual_hypot(slip[0], slip[1]);
    *Q = cardan__dual_mul(g->C[0], S);
    return magic_part(of + CARDAN_TYRE_MAGIC, S);
  }
  *Q = cardan__dual_hypot(cardan__dual_mul(g->C[0], slip[0]), cardan__dual_mul(g->C[1], slip[1]));
  return brush(*Q, P);
}

/* ---- without and with relaxation ---- */

/* Where Y is 0 the speed that slip refers to is V itself. */
static dual ratio(dual Q, dual Y, dual V)
{
  return Y.x > 0.0 && Q.x > 0.0 ? cardan__dual_div(Q, Y) : cardan__dual_div((dual){1.0, 0.0}, V);
}

/* (T6) */
static void steady(const double *of, const grip *g, dual along, const dual W[2],
                   cardan__tyre_force *f)
{
  const dual V = floor_speed(along);
  const dual Z[2] = {cardan__dual_mul(g->C[0], W[0]), cardan__dual_mul(g->C[1], W[1])};
  dual slip[2], Q;
  find_slip(W[0], W[1], V, slip);
  const dual share = share_of(of, g, slip, g->limit, &Q);
  const dual k = cardan__dual_mul(share, ratio(Q, cardan__dual_hypot(Z[0], Z[1]), V));
  f->x = cardan__dual_scale(-1.0, cardan__dual_mul(k, Z[0]));
  f->y = cardan__dual_scale(-1.0, cardan__dual_mul(k, Z[1]));
}

/* a l of (T7): Y/F, at a load that is not 0. */
static dual sliding_speed(const double *of, const grip *g, dual along, const dual W[2])
{
  const dual V = soft_speed(along);
  const grip unit = g->magic ? find_grip(of, (dual){1.0, 0.0}) : *g;
  const dual Z[2] = {cardan__dual_mul(unit.C[0], W[0]), cardan__dual_mul(unit.C[1], W[1])};
  const dual Y = cardan__dual_hypot(Z[0], Z[1]);
  const double least = LEAST_LIMIT * fmax(unit.C[0].x, unit.C[1].x);
  const dual P = unit.limit.x > least ? unit.limit : (dual){least, 0.0};
  dual slip[2], Q;
  if (Y.x == 0.0) {
    return V;
  }
  find_slip(W[0], W[1], V, slip);
  const dual share = share_of(of, &unit, slip, P, &Q);
  if (!g->magic && Q.x >= 3.0 * P.x) {
    return cardan__dual_div(Y, P);
  }
  return cardan__dual_div(Y, cardan__dual_mul(share, Q));
}

/* (T7), (T8) */
static void relaxed(const double *of, const grip *g, const cardan__tyre_motion *m, const dual W[2],
                    cardan__tyre_force *f)
{
  const double length = of[CARDAN_TYRE_RELAXATION];
  const dual one = {1.0, 0.0};
  dual F[2];
  if (!(f->normal.x > 0.0)) { // in the air it goes back
    for (int i = 0; i < 2; i++) {
      f->rate[i] = cardan__dual_scale(-1.0 / DAMPING_TIME, m->deflection[i]);
    }
    return;
  }
  const dual a = cardan__dual_scale(1.0 / length, sliding_speed(of, g, m->along, W));
  const dual fastest = cardan__dual_add(
      cardan__dual_scale(SLIDING / length, cardan__dual_abs(m->along)), (dual){SLIDING_RATE, 0.0});
  const dual slowed = a.x > fastest.x ? cardan__dual_div(fastest, a) : one;
  const dual fade = cardan__dual_sub(
      one, rise(cardan__dual_scale(1.0 / DAMPING_SPEED, cardan__dual_abs(m->along))));
  const dual t = cardan__dual_div(cardan__dual_scale(DAMPING_TIME, fade),
                                  cardan__dual_add(one, cardan__dual_scale(DAMPING_TIME, a)));
  for (int i = 0; i < 2; i++) {
    const dual u = m->deflection[i];
    f->rate[i] = cardan__dual_scale(
        -1.0, cardan__dual_mul(slowed, cardan__dual_add(W[i], cardan__dual_mul(a, u))));
    F[i] = cardan__dual_scale(
        1.0 / length,
        cardan__dual_mul(g->C[i], cardan__dual_add(u, cardan__dual_mul(t, f->rate[i]))));
  }
  const dual size = cardan__dual_hypot(F[0], F[1]);
  const dual part = size.x > g->limit.x ? cardan__dual_div(g->limit, size) : one;
  f->x = cardan__dual_mul(part, F[0]);
  f->y = cardan__dual_mul(part, F[1]);
}

void cardan__tyre_law(const double *of, const cardan__tyre_motion *m, cardan__tyre_force *f)
{
  const dual none = {0.0, 0.0};
  *f = (cardan__tyre_force){.normal = normal_force(of, m)};
  const grip g = find_grip(of, f->normal);
  const dual rolling = cardan__dual_sub(m->along, m->slip_x);
  const dual lean = cardan__dual_scale(g.lean, m->camber);
  const double tangent = tan(lean.x);
  const dual tilt = {tangent, (1.0 + tangent * tangent) * lean.dx};
  const dual W[2] = {m->slip_x,
                     cardan__dual_add(m->slip_y, cardan__dual_mul(tilt, soft_speed(rolling)))};
  dual slip[2];
  find_slip(m->slip_x, m->slip_y, floor_speed(m->along), slip);
  f->kappa = slip[0].x;
  f->alpha = slip[1].x;
  if (of[CARDAN_TYRE_RELAXATION] > 0.0) {
    relaxed(of, &g, m, W, f);
  } else if (f->normal.x > 0.0 || isnan(f->normal.x)) {
    steady(of, &g, m->along, W, f);
  }
  // |V_r|/V_r, smoothed
  const dual size = rise(cardan__dual_scale(1.0 / CARDAN__TYRE_SPEED, cardan__dual_abs(rolling)));
  const dual sense = rolling.x > 0.0   ? size
                     : rolling.x < 0.0 ? cardan__dual_scale(-1.0, size)
                                       : (dual){0.0, 15.0 / 8.0 * rolling.dx / CARDAN__TYRE_SPEED};
  f->couple = f->y.x == 0.0 && f->y.dx == 0.0
                  ? none
                  : cardan__dual_mul(f->y, cardan__dual_mul(tilt, sense)); // (T9)
}
