/* SPDX-License-Identifier: Apache-2.0
 * cardan/elements.h - all kinds of constraints, bounds, motions, potentials and forces.
 *
 * One line for each kind: enumerator, short name, word in a model file. Every table over kinds is
 * generated from these lists, so that a kind without its entry does not compile or link:
 *   cardan__element_ID   (src/model)        how it is written, read, checked and built
 *   cardan__force_ID     (src/forces)       what a force does
 *   cardan__row_kind_ID  (src/constraints)  what a scalar constraint equation is
 * docs/extending.md walks through adding one. */
#pragma once

#define CARDAN_CONSTRAINT_LIST(X)                                                                \
  X(CARDAN_ELEMENT_POINT, point, "point-constraint") /* frame A B [in F], n */                   \
  X(CARDAN_ELEMENT_COINCIDE, coincide, "coincide")   /* frame A B */                             \
  X(CARDAN_ELEMENT_WIRE, wire, "wire")               /* frame A B, expr[0] = length(t) */        \
  X(CARDAN_ELEMENT_SCREW, screw, "screw")            /* var theta d, value[0] = pitch */         \
  X(CARDAN_ELEMENT_GEAR, gear, "gear")               /* var a b, value[0] = ratio */             \
  X(CARDAN_ELEMENT_EQUATION, equation, "equation")   /* expr[0](q, t) = 0 */                     \
  X(CARDAN_ELEMENT_CLOSE, close, "close")            /* frame A B, joint, [var c] */             \
  X(CARDAN_ELEMENT_WELD, weld, "weld")               /* frame A B */                             \
  X(CARDAN_ELEMENT_MOTION, motion, "motion")         /* var q, expr[0](t) */                     \
  X(CARDAN_ELEMENT_ROLL, roll, "roll") /* frame A B, n = axis, value = disc, ball, grip, flat */ \
  X(CARDAN_ELEMENT_SKATE, skate, "skate")          /* frame A B, n = edge */                     \
  X(CARDAN_ELEMENT_VELOCITY, velocity, "velocity") /* expr[0](v, q, t, frames) = 0 */

/* One-sided constraints (option contacts). */
#define CARDAN_BOUND_LIST(X)                                                       \
  X(CARDAN_ELEMENT_STOP, stop, "stop") /* var q, value = lo, hi, restitution */    \
  X(CARDAN_ELEMENT_ROPE, rope, "rope") /* frame A B, expr[0] = length(t), value */ \
  X(CARDAN_ELEMENT_INEQUALITY, inequality, "inequality") /* expr[0](q, t) >= 0, value */

#define CARDAN_FORCE_LIST(X)                                                                       \
  X(CARDAN_ELEMENT_SPRING, spring, "spring")                   /* frame A B, value = k, x0 */      \
  X(CARDAN_ELEMENT_JOINT_SPRING, joint_spring, "joint-spring") /* var q, value = k, q0 */          \
  X(CARDAN_ELEMENT_POTENTIAL, potential, "potential")          /* expr[0](q, frames) */            \
  X(CARDAN_ELEMENT_NEWTON_GRAVITY, newton_gravity, "newton-gravity") /* frame A B, value[0] = G */ \
  X(CARDAN_ELEMENT_DAMPING, damping, "damping")    /* [var q], value[0] = c; no q: all */          \
  X(CARDAN_ELEMENT_DAMPER, damper, "damper")       /* frame A B, value[0] = c */                   \
  X(CARDAN_ELEMENT_TORQUE, torque, "torque")       /* var q, expr[0](t, q, v, u) */                \
  X(CARDAN_ELEMENT_WRENCH, wrench, "wrench")       /* frame F, in_world, expr = f (3), t (3) */    \
  X(CARDAN_ELEMENT_FRICTION, friction, "friction") /* var joint, value = mu, radius, vs */         \
  X(CARDAN_ELEMENT_ACTUATOR, actuator, "actuator") /* var q input, value = gear, kp, kd, lo, hi */ \
  X(CARDAN_ELEMENT_DRY_FRICTION, dry_friction, "dry-friction") /* var q, value = c, vs */          \
  X(CARDAN_ELEMENT_PROGRAM, program, "program") /* name; cardan_program computes it */             \
  X(CARDAN_ELEMENT_FORCE, force,                                                                   \
    "force") /* frame A B, expr[0](t, q, v, u, frames) along the line */                           \
  X(CARDAN_ELEMENT_BUSHING, bushing, "bushing") /* frame A B, value = k (3), kappa (3) */          \
  X(CARDAN_ELEMENT_BUSHING_COUPLING, bushing_coupling,                                             \
    "bushing-coupling") /* frame A B, value = k, i, j */                                           \
  X(CARDAN_ELEMENT_BUSHING_DAMPER, bushing_damper,                                                 \
    "bushing-damper")                  /* frame A B, value = c (3), gamma (3) */                   \
  X(CARDAN_ELEMENT_TYRE, tyre, "tyre") /* frame A B, n = axis, value = CARDAN_TYRE_.. */

/* The numbers of a tyre among its values. */
enum {
  CARDAN_TYRE_DISC,                            // radius [m]
  CARDAN_TYRE_LINEAR,                          // Cx [N], Cy [N/rad], mu; 0: magic
  CARDAN_TYRE_MAGIC = CARDAN_TYRE_LINEAR + 3,  // B, C, D, E; 0: linear
  CARDAN_TYRE_CAMBER = CARDAN_TYRE_MAGIC + 4,  // k [N/rad], of magic [1/rad]
  CARDAN_TYRE_RELAXATION,                      // length [m]; 0: none
  CARDAN_TYRE_VERTICAL,                        // k [N/m], c [N s/m]; 0: load
  CARDAN_TYRE_LOAD = CARDAN_TYRE_VERTICAL + 2, // [N]; 0: vertical
  CARDAN_TYRE_VALUES
};

/* Most numbers of an element, and the auxiliary states of one that has any. */
enum { CARDAN_NVALUE = CARDAN_TYRE_VALUES, CARDAN_NELEMENT_STATE = 2 };

#define CARDAN_ELEMENT_LIST(X) CARDAN_CONSTRAINT_LIST(X) CARDAN_BOUND_LIST(X) CARDAN_FORCE_LIST(X)

/* Constraints come first, then bounds. */
typedef enum {
#define CARDAN_ELEMENT_ENUM(kind, id, word) kind,
  CARDAN_ELEMENT_LIST(CARDAN_ELEMENT_ENUM)
#undef CARDAN_ELEMENT_ENUM
} cardan_element_kind;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a term of a sum
#define CARDAN_ELEMENT_ONE(kind, id, word) +1
enum {
  CARDAN_NCONSTRAINT_KIND = 0 CARDAN_CONSTRAINT_LIST(CARDAN_ELEMENT_ONE),
  CARDAN_NBOUND_KIND = 0 CARDAN_BOUND_LIST(CARDAN_ELEMENT_ONE),
  CARDAN_NELEMENT_KIND = 0 CARDAN_ELEMENT_LIST(CARDAN_ELEMENT_ONE)
};
#undef CARDAN_ELEMENT_ONE

/* Scalar constraint equations in body poses, coordinates and time. Each constraint consists of some
 * of them (src/constraints has the formulas). Those of velocity level hold velocities and no
 * positions; the others hold both. d = p_B - p_A; u is fixed in frame A's axes, w in
 * frame B's. */
#define CARDAN_ROW_LIST(X)                                                                        \
  X(CARDAN_ROW_POINT, point)       /* n . (p_A - p_B), n fixed in frame[2] (0: world) */          \
  X(CARDAN_ROW_DOT, dot)           /* u . w - value */                                            \
  X(CARDAN_ROW_OFFSET, offset)     /* u . d - value */                                            \
  X(CARDAN_ROW_WIRE, wire)         /* (d . d - L(t)^2) / (2 L(t)) */                              \
  X(CARDAN_ROW_SCREW, screw)       /* u . d - coef[0] * (angle about u from w2 in A to w in B) */ \
  X(CARDAN_ROW_COORD, coord)       /* coef[0] q0 + coef[1] q1 - value: screw, gear */             \
  X(CARDAN_ROW_MOTION, motion)     /* q - f(t) */                                                 \
  X(CARDAN_ROW_EXPR, expr)         /* expr(q, frames, t) */                                       \
  X(CARDAN_ROW_HEIGHT, height)     /* of the rim over the plane z = 0 of frame B: a roll */       \
  X(CARDAN_ROW_SLIP, slip)         /* velocity level: velocity of a roll's contact along w */     \
  X(CARDAN_ROW_SKATE, skate)       /* velocity level: of A's origin across u, in B's plane */     \
  X(CARDAN_ROW_VELOCITY, velocity) /* velocity level: expr(v, q, frames, t), linear in v */

typedef enum {
#define CARDAN_ROW_ENUM(kind, id) kind,
  CARDAN_ROW_LIST(CARDAN_ROW_ENUM)
#undef CARDAN_ROW_ENUM
} cardan_row_kind;
