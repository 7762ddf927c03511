/* SPDX-License-Identifier: Apache-2.0
 * forces/forces.h - what acts on a mechanism besides gravity and reactions, at one view of it.
 *
 *   elastic.c   spring, joint-spring, newton-gravity, potential    have an energy
 *   bushing.c   bushing, bushing-coupling: an energy; bushing-damper: takes it out
 *   passive.c   damping, damper                                    take energy out
 *   applied.c   torque, wrench, force                              anything
 *   tyre.c      tyre: where it touches; tyre_law.c: how large its forces are
 *   coulomb.c   friction, from a joint's reaction; dry-friction    take energy out
 *   friction.c  how large friction is: the iteration that makes it agree with its reactions
 *   stick.c     friction that stops what it can within a step (friction_prediction.h)
 *   forces.c    the table of kinds (kind.h), and sums over a model's elements
 *   force_slopes.c   sums of how these change with the state
 *   force_parts.c    what kinds have in common, and its changes
 *   gravity.c   gravity, which every body feels
 *
 * Elements read a cardan__view and nothing else, so every method evaluates them where its own
 * mathematics asks for it. Nothing here allocates or keeps state. */
#pragma once
#include "cardan/forces.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* Where elements put what they do: wrenches on bodies and forces on velocities, added to f_ext and
 * tau; or, with f_ext NULL, only their power, added to power. */
typedef struct {
  cardan_force *f_ext;   // nbody, body coordinates
  double *tau;           // nv
  const cardan_twist *V; // nbody, read for power only
  const double *v;       // nv, read for power only
  double power;          // [W]
} cardan__loads;

static inline void cardan__load_body(cardan__loads *to, int body, cardan_force w)
{
  if (to->f_ext) {
    to->f_ext[body] = cardan__force_add(to->f_ext[body], w);
  } else {
    to->power += cardan__power(to->V[body], w);
  }
}

static inline void cardan__load_dof(cardan__loads *to, int k, double force)
{
  if (to->f_ext) {
    to->tau[k] += force;
  } else {
    to->power += force * to->v[k];
  }
}

/* A world force at the origin of a frame. */
static inline void cardan__load_point(const cardan_model *model, const cardan__view *view,
                                      cardan__loads *to, int frame, cardan_vec3 f)
{
  const cardan_frame *at = &model->frame[frame];
  cardan__load_body(to, at->body, cardan__frame_wrench(at, view, f));
}

/* A world torque on a frame's body. */
static inline void cardan__load_torque(const cardan_model *model, const cardan__view *view,
                                       cardan__loads *to, int frame, cardan_vec3 t)
{
  const int body = model->frame[frame].body;
  const cardan_force w = {.t = cardan__mat3_tmulv(&view->X_W[body].R, t)};
  cardan__load_body(to, body, w);
}

/* Adds the forces of all elements whose flags have none of `without`; friction never counts here.
 * Reads view->V, v only where an element depends on them. */
void cardan__forces_add(const cardan_model *model, const cardan__view *view, int without,
                        cardan__loads *to);

/* Adds those of one element alone. */
void cardan__forces_add_one(const cardan_model *model, const cardan__view *view, int element,
                            cardan__loads *to);

/* Adds the forces of the elements that have a potential, and of no others. Reads no V, v, t. */
void cardan__forces_add_potential(const cardan_model *model, const cardan__view *view,
                                  cardan__loads *to);

/* f_ext (nbody) and tau (nv), out: the forces of all elements but friction. */
void cardan__forces_apply(const cardan_model *model, const cardan__view *view, cardan_force *f_ext,
                          double *tau);

/* Auxiliary states of an element (element->state >= 0): rate (CARDAN_NELEMENT_STATE, out),
 * their derivatives; _by_state: the change of these by a unit of state i of them. */
void cardan__force_rates(const cardan_model *model, const cardan__view *view, int element,
                         double *rate);
void cardan__force_rates_by_state(const cardan_model *model, const cardan__view *view, int element,
                                  int i, double *rate);

/* Potential energy of the elements [J]; gravity's is not among them. */
double cardan__forces_energy(const cardan_model *model, const cardan__view *view);

/* Power [W] of the elements without a potential, at view's V and v; of friction too when limit
 * (nforce, see below) is not NULL. Its integral over time is what they put into the energy. */
double cardan__forces_power(const cardan_model *model, const cardan__view *view,
                            const double *limit);

/* Coulomb friction is split in two, since the first part changes while a method iterates and the
 * second only needs v: how large friction can get, and which way and how far it acts.
 * _limit    mu |N| of one friction element [N], from the wrenches f through the bodies' joints
 *           (nbody, onto each body, in its coordinates); dry-friction: the c that is given
 * _limits   the same for all; limit: nforce, out, 0 for elements of other kinds
 * _element  adds the friction forces of one element at view's v; they are proportional to limit
 * _apply    adds those of all elements, limit: nforce
 * _lengths  r_k of an element's joint: velocities v_k slide at u_k = r_k v_k; returns how many
 * _adr      the first of these velocities
 * _slide    g (n, out) = limit s(|u|/vs) u/|u|, what acts against sliding velocities u (n) [N]
 * _slides   its derivative, n x n row-major, out */
double cardan__friction_limit(const cardan_model *model, const cardan_force_element *element,
                              const cardan_force *f);
void cardan__friction_limits(const cardan_model *model, const cardan_force *f, double *limit);
void cardan__friction_element(const cardan_model *model, const cardan__view *view,
                              const cardan_force_element *element, double limit, cardan__loads *to);
void cardan__friction_apply(const cardan_model *model, const cardan__view *view,
                            const double *limit, cardan__loads *to);
int cardan__friction_adr(const cardan_model *model, const cardan_force_element *element);
int cardan__friction_lengths(const cardan_model *model, const cardan_force_element *element,
                             double r[6]);
void cardan__friction_slide(const cardan_force_element *element, double limit, int n,
                            const double *u, double *g);
void cardan__friction_slides(const cardan_force_element *element, double limit, int n,
                             const double *u, double *slope);

struct cardan__friction_prediction;

/* What the iteration of friction asks of a formulation. limit (nforce) and force are 0 at first,
 * and the last solve was without friction. */
typedef struct {
  void *self;
  const cardan_force *(*wrenches)(void *self); // of the last solve, f as above
  void (*solve)(void *self);                   // with the friction there is now
  const cardan__view *view;
  double *limit;
  double *force;  // nv: friction on the velocities
  double *tau;    // nv: where its changes are added too; NULL: solve takes all of it from force
  bool dry_given; // dry friction is known, and among the loads: its limits are 0
  // friction that looks ahead (friction_prediction.h): NULL, it does not; else the velocities that
  // it sees after the last solve, v + ahead a, to seen (nv, out)
  struct cardan__friction_prediction *prediction;
  void (*see)(void *self, double *seen);
} cardan__friction_system;

/* Friction, accelerations and reactions that agree, to 1e-12 of the largest force in any joint.
 * returns CARDAN_ERR_NO_CONVERGENCE with the joint and a sentence in info (friction.c) */
cardan_status cardan__friction_agree(const cardan_model *model,
                                     const cardan__friction_system *system,
                                     cardan_info *info) CARDAN_MUST_USE;

/* ---- derivatives (force_slopes.c) ---- */

/* A small change of what a view shows. */
typedef struct {
  const cardan_twist *X; // nbody: each body moves by this twist, body coordinates
  const cardan_twist *V; // nbody: change of its twist's components; NULL: none
  const double *q;       // nv: change of the coordinates, in velocities (cardan_q_dot)
  const double *v;       // nv; NULL: none
  const double *u;       // ninput + nz: of inputs and auxiliary states; NULL: none
  double t;
  const double *parameter; // nparameter: those in expressions; NULL: none
} cardan__change;

/* Adds, to f_ext and tau of `to`, the change of what cardan__forces_add gives (components in body
 * coordinates): exact derivatives. Needs view->V and v where an element depends on them. */
void cardan__forces_add_slope(const cardan_model *model, const cardan__view *view,
                              const cardan__change *change, int without, cardan__loads *to);

/* The change of cardan__force_rates. */
void cardan__force_rates_slope(const cardan_model *model, const cardan__view *view,
                               const cardan__change *change, int element, double *rate);

/* The same for cardan__forces_add_potential. */
void cardan__forces_add_potential_slope(const cardan_model *model, const cardan__view *view,
                                        const cardan__change *change, cardan__loads *to);

/* The same for friction at given limits (nforce). */
void cardan__friction_slope(const cardan_model *model, const cardan__view *view,
                            const cardan__change *change, const double *limit, cardan__loads *to);

/* Does any element couple velocities or bodies that are not one joint's own: is there more to its
 * slope than tau_k by q_k and v_k of the same k? */
bool cardan__forces_couple(const cardan_model *model);

/* tau_q, tau_v (nv, out): derivatives of tau_k by q_k and v_k alone, where forces on single
 * velocities (damping, joint-spring, torque) have any. */
void cardan__forces_diagonal(const cardan_model *model, const cardan__view *view, double *tau_q,
                             double *tau_v);
