/* SPDX-License-Identifier: Apache-2.0
 * methods/method.h - the interface that every method stands behind. A new method is a file and its
 * name in the list below. */
#pragma once
#include "base/attempt.h"
#include "base/spans.h"
#include "cardan/sim.h"
#include "constraints/held_rows.h"
#include "methods/options.h"

/* A method at work; each one's struct begins with this. */
typedef struct cardan__stepper cardan__stepper;

/* What kicks add to the derivatives of a step, where there are rows of velocity level
 * (discrete/rolling.h): r has K^T nu in it, and p' = P(..) + sum p_lambda lambda - K1^T nu with nu
 * = e(q', p^-), p^- what p' is before the kicks. Arrays are the caller's; rows that count are also
 * those of the middle, c(q, q') = 0. */
typedef struct {
  int n, nrow;        // kicks; rows that count
  double *K, *K1;     // n x nv
  double *e_q1, *e_p; // n x nv: by q' at fixed p^-, and by p^-
  double *p_q1;       // nv x nv: of -K1^T nu
  double *c_q, *c_q1; // nrow x nv: of the rows, by q and q'
  double *p_lambda;   // nrow x nv: of p^- by impulses
  double *Gk;         // nrow x nv
  double *lambda;     // nrow
  int *row;           // nrow: of the model
  double *p, *kick;   // nv
  double *q;          // nq
} cardan__kick_slopes;

/* Derivatives of the step from one node to the next, r(q, q', u, lambda) = 0 and p' = P(q, q', u),
 * where r has p_k and G_k^T lambda in it. Matrices are nv x nv row-major, changes of q in
 * velocities. */
typedef struct {
  double *r_q, *r_q1; // by q_k (G_k^T lambda left out) and by q_{k+1}
  double *p_q, *p_q1; // of p'
  double r_u, p_u;    // by forces on velocities: r_u 1, p_u 1
  int nindependent;
  const int *row;             // nindependent: row of the model
  const double *Gk, *Gn;      // nindependent x nv, at the two nodes
  const double *lambda;       // nindependent: impulses
  const double *p;            // nv
  double *p_next;             // nv, out
  double *q_next;             // nq, out
  cardan__kick_slopes *kicks; // rows of velocity level; NULL: there are none
} cardan__slopes;

/* options  its own, beside those that every method has: tables, each ended by a row without a name;
 *          what is not there is refused before accepts or create see it
 * states   its integrator has the auxiliary states (data->z) among its own; else they are stepped
 *          beside it, and data's are held over a step as inputs are (run/aux_states.h)
 * old_side a step that is cut at a switch of the state ends just before it: forces of the end count
 * velocity_rows  holds rows of velocity level: rolling, blades, (velocity ..)
 * rows_note  warning of a run with such rows: "holds .. such as X, " and this. NULL: none
 * any_joint  takes joints whose S depends on q too (kinematics/joint.h)
 * accepts  CARDAN_OK, or CARDAN_ERR_UNSUPPORTED and one sentence why not
 * create   takes all memory; room: for held rows, NULL: none
 * start    from data's t, q, v, which satisfy the constraints; also a restart
 * step     attempts a step to t_next; data's t, q, v move to the new node. If it fails, or a test
 *          refuses its end, data's t, q, v are as before, and so is what node, publish, work and
 *          the next step make of them, or rolls_back is set; on failure data->info says what failed
 *          and where
 * node     v of the node, for a method that steps without it: called when v is read. NULL: step
 *          leaves v in data
 * publish  everything else that belongs to the node: kinematics, a, lambda, tau, f_ext in data
 * work     done on the mechanism by everything without a potential, since the start [J]
 * nodal    of a method whose velocities are those of the middle of the step before, and at a start,
 *          of one of length h: kinetic [J, out] at the node. NULL: velocities are the node's own
 * errors   estimated local errors of the last internal step: coordinates (nq), velocities and
 *          momenta (nv each); false where there is no estimate. NULL: never
 * kinematics, violation, reactions: of a method whose bodies are not where the tree puts them.
 * Poses and
 *          twists of the node into data; the largest violation of all that it holds together; joint
 *          reactions and driver forces (njoint each, either may be NULL), after publish. NULL: the
 *          tree's own
 * slopes   derivatives of the step of length h that would come next from data's node; matrices,
 *          p_next and q_next are the caller's, the rest the stepper's. data is left as it is. NULL:
 *          it has none
 * spans    the memory that the next step reads, beside data's t, q, v and inputs, and what of it
 *          stays: the pieces are the same for every stepper of one model and options
 * rejoin   after spans were copied out (restored: false) or in (true): what is not among them is
 *          made again from them, so that the run saved and the run restored continue to the same
 *          bits. NULL: nothing is
 * push     the node's velocities jump: data->v are the new ones, dp (nv) is the generalised impulse
 *          that did it; 0 where only forces change. NULL: the method holds no contacts
 * join     dp (nv) joins the node's momentum as a part of the step that led there; velocities are
 *          computed again. NULL: the method has velocities for its state
 * node_held  as node, with dp (nv) in its momentum and the joints at rest whose boxes the last step
 *          held by their sides (cardan__held_rows.sided); r (nv), out: the impulses that this
 *          takes. The momentum stays as it was. NULL: no step has sides
 * switched forces switch at the node, whose time in data is behind that: what the method keeps of
 *          forces there is made again, and its history begins. stepper->lead: the node is on the
 *          old side of a switch of the state, and the motion reaches the new one within that time.
 *          NULL: it evaluates no force that may switch at a node
 * longest  the largest omega h of an undamped vibration that its steps survive, HUGE_VAL: any.
 *          turns: omega times the length of the run, in rad; *lags, out: it is a midpoint rule,
 *          whose swings lag by 1 - 2 atan(x/2) / x at x = omega h. NULL: any, and it does not
 * order    of its error in dt, with these options. NULL: of its integrator, or option order
 * kicks_whole  forces of the start act over all of the first step, not over half of it
 * trace    residuals of the root finder's evaluations in the last step, *n of them. NULL: it has
 *          none */
struct cardan__method {
  const char *name, *help;
  const cardan__option *options[CARDAN__OPTION_TABLES];
  bool any_joint, states, kicks_whole, old_side, velocity_rows;
  const char *rows_note;
  cardan_status (*accepts)(const cardan_model *model, const cardan_options *options,
                           cardan_report *report);
  cardan_status (*create)(const cardan_model *model, const cardan_options *options,
                          const cardan__held_room *room, const cardan_allocator *allocator,
                          cardan__stepper **out);
  void (*destroy)(cardan__stepper *stepper);
  cardan_status (*start)(cardan__stepper *stepper, cardan_data *data);
  cardan__attempt (*step)(cardan__stepper *stepper, cardan_data *data, double t_next);
  cardan_status (*node)(cardan__stepper *stepper, cardan_data *data);
  cardan_status (*node_held)(cardan__stepper *stepper, cardan_data *data, const double *dp,
                             double *r);
  cardan_status (*publish)(cardan__stepper *stepper, cardan_data *data);
  double (*work)(const cardan__stepper *stepper);
  cardan_status (*nodal)(cardan__stepper *stepper, cardan_data *data, double h, double *kinetic);
  bool (*errors)(cardan__stepper *stepper, double *e_q, double *e_v, double *e_p);
  void (*kinematics)(cardan__stepper *stepper, cardan_data *data);
  double (*violation)(cardan__stepper *stepper);
  void (*reactions)(cardan__stepper *stepper, cardan_data *data, cardan_force *reaction,
                    double *driver);
  void (*spans)(cardan__stepper *stepper, cardan__spans *list);
  void (*rejoin)(cardan__stepper *stepper, cardan_data *data, bool restored);
  cardan_status (*push)(cardan__stepper *stepper, cardan_data *data, const double *dp);
  void (*join)(cardan__stepper *stepper, const double *dp);
  cardan_status (*switched)(cardan__stepper *stepper, cardan_data *data);
  double (*longest)(const cardan__method *method, const cardan_options *options, double turns,
                    bool *lags);
  int (*order)(const cardan_options *options);
  const double *(*trace)(const cardan__stepper *stepper, int *n);
  cardan_status (*slopes)(cardan__stepper *stepper, cardan_data *data, double h,
                          cardan__slopes *out);
};

/* Inputs that a table moves along straight lines: the line that t lies on, as
 * cardan__signals_line has it (formats/signals_line.h). */
typedef struct {
  void (*line)(const void *table, double t, double near, double *u, double *rate, double *t0,
               double *until);
  const void *table;
} cardan__input_lines;

struct cardan__stepper {
  const cardan__method *method;
  const cardan_model *model;
  const cardan_options *options;
  cardan_allocator allocator;
  const char *solver;      // chosen by create where the options leave it open; NULL: they do not
  cardan__held_rows *held; // what its steps hold beside the model's rows; NULL: nothing is to be
  bool holds, tests;       // it can do that; and looks where a step ends before it goes there
  bool stops;              // adaptive: internal steps end where the step does
  double lead;             // for switched [s]; 0: the node is behind the switch
  bool locates;    // a step is a trial of where forces switch: its end must solve its equations
  bool rolls_back; // a step that fails may change what spans lists: it is restored
  const cardan__input_lines *lines; // of inputs, for integrators that choose their steps; NULL
  const volatile int *stop;         // not 0: the step is to end (cardan_sim_stop); NULL: none
  int iterations;                   // residual or right-hand-side evaluations in the last step
  int64_t evaluations, accepted, rejected, restarts; // since start
};

/* Is the step to end? Long loops ask it in every turn, and return CARDAN_ERR_STOPPED. */
static inline bool cardan__stepper_stopped(const cardan__stepper *stepper)
{
  return stepper->stop != NULL && *stepper->stop != 0;
}

/* Its own accepts, and whether it takes the joints there are.
 * returns what accepts does: CARDAN_OK, or CARDAN_ERR_UNSUPPORTED and why in report */
cardan_status cardan__method_takes(const cardan__method *method, const cardan_model *model,
                                   const cardan_options *options,
                                   cardan_report *report) CARDAN_MUST_USE;

/* Is there something that this method cannot hold, other than limits of joints? what: out, the
 * first of it for a message, cut to size; pos: its place in the file. Methods that hold limits hold
 * stops too; the rest needs cones. */
bool cardan__method_cannot_hold(const cardan__method *method, const cardan_model *model,
                                const cardan_options *options, char *what, size_t size,
                                cardan_pos *pos);

/* Every method, the default first: cardan__method_vi and so on. */
#define CARDAN__METHOD_LIST(X) \
  X(vi)                        \
  X(svi)                       \
  X(aba)                       \
  X(hamilton)                  \
  X(baraff)                    \
  X(half_implicit)             \
  X(fully_implicit)            \
  X(rattle)
#define CARDAN__METHOD_EXTERN(name) extern const cardan__method cardan__method_##name;
CARDAN__METHOD_LIST(CARDAN__METHOD_EXTERN)
#undef CARDAN__METHOD_EXTERN

/* Is the integrator's history not ours to copy (continuous/ode.h)? */
bool cardan__integrator_foreign(int index);
/* Is it an implicit one with fixed steps, which options tol and max-iter are for? */
bool cardan__integrator_iterates(int index);

/* NULL when there is none. */
const cardan__method *cardan__method_at(int index);
const cardan__method *cardan__method_find(const char *name);
const cardan__method *cardan__method_of(const cardan_options *options); // the first: the default

/* Does anything in the model do work other than its potentials: drivers, dampers, torques,
 * friction? */
bool cardan__model_works(const cardan_model *model);

/* The same, but of constraints those alone that depend on time. */
bool cardan__model_nonconservative(const cardan_model *model);

/* Power [W] of all that at data's state. needs cardan_forward; writes f, A. */
double cardan__power_in(const cardan_model *model, cardan_data *data);
