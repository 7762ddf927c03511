/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/stepper.h - what the methods baraff, half-implicit, fully-implicit and rattle
 * share: the state of all bodies at a node, the linear system, accelerations, output. */
#pragma once
#include "constraints/branch_gap.h"
#include "methods/discrete/extrapolate.h"
#include "methods/maximal/kkt.h"
#include "methods/method.h"

/* Products of one solution by GMRES: two clusters of eigenvalues take 5 to 14 (displace.c). */
enum { CARDAN__MX_PRODUCTS = 32 };
/* Trees with more numbers than this, bodies' and rows', have no room for such solutions: without
 * loops only steps far too long need them, to know another root. */
enum { CARDAN__MX_TESTED = 50000 };

/* What was factored last. */
typedef struct {
  bool rows_wait;        // rows need not be evaluated to be factored
  const double *rows_at; // where they were factored and not evaluated, NULL: mx->J is theirs
  double *cfg;           // the configuration that was factored last (baraff), NULL: not kept
  double t;              // and its time
  bool known;            // cfg and t are known, and the factors are theirs;
  bool rows_known;       // mx->J too
} cardan__mx_factored;

/* What corrections by held factors leave (maximal_project.c). */
typedef struct {
  double *last, *before; // neq: what the first correction by held factors left of the rows
  int have;              // of them
  double h;              // their step [s]
  bool held;             // the factors are those of the node, and may serve the projection
} cardan__mx_overshoot;

/* The iteration for the displacement of a step (displace.c). */
typedef struct {
  cardan__extrapolation history; // of x
  double history_h;              // its step [s]
  double *pull;                  // nx: J_n^T l; where rows wait only this is known of l
  bool pulls;                    // in the step under way
  double lambda_scale;           // of the multipliers that pull makes; 0: they are in lambda
  bool linear;                   // R is M x and no more
  bool again;                    // lambda is that of a search for nearly the same x
  double *J_trial;               // nentry x dof: rows at the trial
  double *krylov;                // of GMRES; NULL: there is no room
} cardan__mx_displacement;

/* Work of cardan__mx_least (least.c). */
typedef struct {
  double *p, *q, *r, *y; // neq
  double *x, *f;         // nx
} cardan__mx_least_work;

/* Whole turns of joints over a step (turn_count.c). */
typedef struct {
  double *q;        // nq: coordinates of the node
  double *expected; // nq: what the displacement of the step makes of them
  bool predicted;   // mx->q has such coordinates, not those near the node
} cardan__mx_turns;

/* What was published of a node, once it was: a step that fails overwrites it (published.c). */
typedef struct {
  double t, *cfg, *vel;     // the node
  double *acc, *lambda;     // nx, neq
  double *limit, *friction; // of mx
  cardan_force *w;          // of mx->rows, as reactions read them, nw and nc of them
  double *c;
  int nw, nc;
  bool known;
} cardan__mx_published;

/* What checks that no step jumps over a gap between branches (gaps.c). */
typedef struct {
  cardan__branch_gap *gap; // NULL: no step is looked at
  double d, rate;          // at the last factorisation of the step before, -1: there is none; [1/s]
  double *q, *x;           // nq, nv
} cardan__mx_gap_watch;

/* The methods' structs begin with this. */
typedef struct {
  cardan__stepper base;
  cardan__maximal *mx;
  cardan__kkt *kkt;
  double *cfg, *vel;         // the node
  double *cfg_try, *vel_try; // on the way to the next
  double *cfg_ahead;         // a little further on than a singular position
  double *f, *rhs;           // nx
  double *x, *dx;            // nx: displacement of the step, its last correction
  double *acc;               // nx: accelerations of the bodies
  double acc_scale;          // acc is this times vel - vel_try; 0: it is there
  double *nu, *kicked;       // neq, nx: of friction over a kick (rattle)
  cardan__mx_factored factored;
  double *lambda, *dl, *g;   // neq; lambda as forces: M acc = f + J^T lambda
  double tol, length;        // of corrections: lengths count relative to this one
  double size;               // of the last correction
  double pivot_ratio;        // d where accelerations were requested; see crossing.c
  double way;                // of projections, as far as they moved
  bool closely;              // projections end in rounding
  cardan__mx_overshoot over; // of projections; baraff, where rows wait
  double idle_limit;         // largest |Phi| of a row that follows from the others
  bool works, forces;        // something does work; something besides gravity acts: of the model,
  bool model_works;          // or in the step under way the caller's forces
  int others;                // CARDAN__MX_OTHER where such forces act, else 0
  double *seen;              // the caller's inputs of the last step (model/data.h)
  bool rejoined;             // they count as changed in the next one
  int64_t steps;             // since start
  bool published;            // acc and lambda belong to the node
  double work;               // [J]
  double lead;               // forces at the start of the next step are those so far ahead [s]
  double ahead;              // how far friction looks ahead, in steps
  struct cardan__friction_prediction *prediction; // NULL: no friction
  bool displaces; // it steps by cardan__mx_displace: half-implicit, rattle
  cardan__mx_displacement displacement;
  cardan__mx_least_work least;
  cardan__mx_published shown;
  cardan__mx_gap_watch gaps;
  cardan__mx_turns turns;
  struct cardan__mx_rolling *rolling; // rows of velocity level in a step; NULL: none (and baraff)
  void *block;
} cardan__mx_stepper;

/* Of the node's accelerations, multipliers and rows: room for them, saving them once they are
 * published, and bringing them back after a step that failed (published.c). */
void cardan__mx_published_layout(cardan__mx_stepper *s, cardan__carver *c);
void cardan__mx_published_save(cardan__mx_stepper *s, double t);
bool cardan__mx_published_known(const cardan__mx_stepper *s, double t);
void cardan__mx_published_restore(cardan__mx_stepper *s);

/* Options of all methods, and of those that iterate for the step: all but baraff. */
extern const cardan__option cardan__mx_options[], cardan__mx_step_options[];

/* accepts of all methods: can the model be taken? */
cardan_status cardan__mx_accepts(const cardan_model *model, const cardan_options *options,
                                 cardan_report *report);

/* Makes a stepper of size bytes, with the solver that the options name, else one that suits.
 * displaces: it steps by cardan__mx_displace */
cardan_status cardan__mx_open(size_t size, const cardan__method *method, bool displaces,
                              const cardan_model *model, const cardan_options *options,
                              const cardan_allocator *allocator,
                              cardan__mx_stepper **out) CARDAN_MUST_USE;
void cardan__mx_close(cardan__mx_stepper *s);

/* cfg and vel from data's t, q, v (and, unassembled, the poses of the model); data's q and v
 * back. */
cardan_status cardan__mx_begin(cardan__mx_stepper *s, cardan_data *data) CARDAN_MUST_USE;

/* A step begins: the caller's inputs may be others, and do work. returns whether they are others */
bool cardan__mx_inputs(cardan__mx_stepper *s, const cardan_data *data);

/* vel where forces or rows read twists in a step; else NULL. */
static inline const double *cardan__mx_seen(const cardan__mx_stepper *s, const double *vel)
{
  return s->forces || s->mx->any_by_rows ? vel : NULL;
}

/* ---- turn_count.c ---- */

/* A step begins: mx->q is that of the node, data->q, from which turns are counted. */
void cardan__mx_turns_begin(cardan__mx_stepper *s, const cardan_data *data);
/* mx->q for the place that the displacement x (nx) leads to from q (nq, not mx->q), from which
 * angles may be whole turns away. */
void cardan__mx_turns_at(cardan__mx_stepper *s, const double *q, const double *x);
/* Are the turns of the step to cfg_try known, whose displacement is s->x? Then mx->q has them.
 * returns CARDAN_ERR_STEP_TOO_SMALL and the joint whose turns are not */
cardan_status cardan__mx_count_turns(cardan__mx_stepper *s, cardan_data *data,
                                     double t) CARDAN_MUST_USE;

/* Redundant rows of velocity level that contradict the others at velocities vel, which keep these;
 * J is that of cfg. returns CARDAN_ERR_JUMP and the name of one */
cardan_status cardan__mx_check_rates(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                     const double *vel) CARDAN_MUST_USE;

/* Poses of mx, and twists where they are seen, are those of the node: a step begins. */
void cardan__mx_place_node(cardan__mx_stepper *s);

/* The instant at which forces of the coming step's start are evaluated, where a switch of the state
 * lies within lead ahead of the node: cfg_try, vel_try, moved there along vel and acc. */
void cardan__mx_look_past_switch(cardan__mx_stepper *s);

/* Accelerations and multipliers at cfg and vel, which is the instant looked at, with Baumgarte's
 * feedback; friction that agrees with its own reactions. The rows' J is factored there; in a
 * singular position all of it is taken where cardan__mx_factor_ahead takes the rows.
 * writes  acc, lambda, rows, limit of mx;  returns CARDAN_ERR_SINGULAR and others */
cardan_status cardan__mx_accelerate(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                    const double *vel, double kq, double kv) CARDAN_MUST_USE;

/* All forces that act, as cardan__mx_forces names them. */
static inline int cardan__mx_all_forces(const cardan__mx_stepper *s)
{
  return CARDAN__MX_POTENTIAL | CARDAN__MX_GYROSCOPIC | s->others;
}

/* ---- maximal_trial.c ---- */

/* The instant at a configuration and velocities: poses, twists, coordinates, rates. */
void cardan__mx_look(cardan__mx_stepper *s, const double *cfg, const double *vel, double t);

/* acc, and lambda where rows do not wait, of the forces in f; g holds the right-hand side of the
 * rows. */
void cardan__mx_solve_accelerations(cardan__mx_stepper *s);

/* The largest correction in dx [rad, or lengths of the mechanism]. */
double cardan__mx_size(const cardan__mx_stepper *s, const double *dx);

/* d (crossing.c) at the last factorisation. */
double cardan__mx_pivot_ratio(const cardan__mx_stepper *s);

/* Fills data->info for row r of the set, with a sentence "what" about the residual. */
cardan_status cardan__mx_fail(cardan__mx_stepper *s, cardan_data *data, cardan_status status, int r,
                              double residual, int iterations);

/* Newton's iteration for the displacement x of a step, and its multipliers in lambda. */

/* cfg_try = cfg moved by x, and the violations there. */
void cardan__mx_place_trial(cardan__mx_stepper *s);
/* Part of the correction in dx, dl to x, lambda; size is its size. */
void cardan__mx_add(cardan__mx_stepper *s, double part);
/* Solves for the correction of the residual, which is dx (nx) or NULL: 0, and of the violations,
 * and adds it. solve: from dx, g to dx, dl, false when it fails; NULL: by the factors. Returns
 * false when the correction is not a number. */
bool cardan__mx_correct(cardan__mx_stepper *s, const double *residual,
                        bool (*solve)(cardan__mx_stepper *s));
/* The message of an iteration that did not get there. */
cardan_status cardan__mx_gave_up(cardan__mx_stepper *s, cardan_data *data);

/* ---- maximal_friction.c ---- */

/* Velocities that depend on friction too. solve: vel, out of the friction there is now.
 * work: nx, scratch. */
typedef struct {
  void *self;
  void (*solve)(void *self);
  const double *vel;
  double *work;
} cardan__mx_kick;

/* Friction at the instant looked at (velocities vel), from none, that agrees with the reactions of
 * the accelerations; it looks ahead of vel, or of what kick makes of it when there is one. needs g
 * and the factors of _accelerate. writes friction and limit of mx, acc, lambda, f */
cardan_status cardan__mx_agree_friction(cardan__mx_stepper *s, cardan_data *data, const double *vel,
                                        const cardan__mx_kick *kick) CARDAN_MUST_USE;
/* A step of length h comes: friction is predicted over the method's part of it. */
void cardan__mx_friction_ahead(cardan__mx_stepper *s, double h);
/* mx->friction at the instant's velocities and mx->limit: the law, of `wide` times its vs, without
 * prediction. */
void cardan__mx_slide(cardan__mx_stepper *s, double wide);

/* lambda becomes the shortest of those that make the same forces, where rows that are factored
 * follow from others (least.c). */
void cardan__mx_least(cardan__mx_stepper *s);

/* ---- maximal_factor.c ---- */

/* Are the factors those of cfg at the instant's time? */
bool cardan__mx_is_factored(const cardan__mx_stepper *s, const double *cfg);

/* J at the instant, factored. */
cardan_status cardan__mx_factor_here(cardan__mx_stepper *s, cardan_data *data) CARDAN_MUST_USE;

/* mx->J and rows.w become those that were factored last, which half-implicit and rattle may not
 * need. The poses of mx are then those of that factorisation. */
void cardan__mx_rows(cardan__mx_stepper *s);

/* The same at cfg and vel, which is the instant; in a singular position a little further on, along
 * the velocities or displacements in ahead (nx): there the rows are the limits of those along the
 * motion. Rows that are lost there too follow from the others all the way, and stay idle.
 * returns CARDAN_ERR_SINGULAR where ahead is no direction */
cardan_status cardan__mx_factor_ahead(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                      const double *vel, const double *ahead) CARDAN_MUST_USE;

/* Has that lost rows of velocity level which the model does not count as redundant? No branch of
 * positions continues the motion then. returns CARDAN_ERR_SINGULAR and the name of one */
cardan_status cardan__mx_lost_rates(const cardan__mx_stepper *s, cardan_data *data) CARDAN_MUST_USE;

/* What that does where cardan__mx_factor_here has found a singular position. */
cardan_status cardan__mx_factor_past(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                     const double *vel, const double *ahead) CARDAN_MUST_USE;

/* In a singular position, whose rows are factored: the instant at cfg_ahead, and its factors. A
 * mechanism at rest can only continue along its fall, if the rows that are lost stay lost along
 * it. */
cardan_status cardan__mx_look_ahead(cardan__mx_stepper *s, cardan_data *data, const double *cfg,
                                    const double *vel, const double *ahead) CARDAN_MUST_USE;

/* Moves cfg, then vel, to the constraints by the least change in the mass metric. over.held: along
 * the rows that are factored. */
cardan_status cardan__mx_project(cardan__mx_stepper *s, cardan_data *data, double t, double *cfg,
                                 double *vel) CARDAN_MUST_USE;

/* ---- crossing.c: what continuous/singular_crossing.h asks ---- */

/* d at t, cfg and vel moved along vel for ahead seconds. */
cardan_status cardan__mx_pivot_ratio_at(cardan__mx_stepper *s, cardan_data *data, double t,
                                        const double *cfg, const double *vel, double ahead,
                                        double *d) CARDAN_MUST_USE;
/* cfg, vel and work at t become those at t + over; lands: projected on the constraints.
 * returns CARDAN_ERR_SINGULAR where they may be on another branch then */
cardan_status cardan__mx_branch_jump(cardan__mx_stepper *s, cardan_data *data, double t,
                                     double over, bool lands, double *cfg, double *vel,
                                     double *work) CARDAN_MUST_USE;

/* ---- displace.c: the same where forces act along the rows that are factored ---- */

/* Writes minus the residual of the momentum at x to dx, without the forces of the rows. */
typedef void (*cardan__mx_residual)(cardan__mx_stepper *s, double h);
/* x of a step of length h as the steps before let expect it. */
void cardan__mx_guess(cardan__mx_stepper *s, double h);
/* x, and cfg_try from the guess in x; the rows of the node must be factored. lambda by the next. */
cardan_status cardan__mx_displace(cardan__mx_stepper *s, cardan_data *data, double h,
                                  cardan__mx_residual residual) CARDAN_MUST_USE;

/* The multipliers of the displacement that was found, times scale, become lambda: at once, or when
 * cardan__mx_late is called. */
void cardan__mx_scale_multipliers(cardan__mx_stepper *s, double scale);
/* What a step has left until it is read: acc and lambda. Before the next factorisation, and
 * before anything is written to vel_try or pull. */
void cardan__mx_late(cardan__mx_stepper *s);

/* ---- gaps.c: steps over what the motion does not cross ---- */

/* A run starts. */
void cardan__mx_gaps_begin(cardan__mx_stepper *s);
/* The step from the node to cfg_try at t; rows were factored for it. returns CARDAN_ERR_NO_ROOT,
 * and what it jumps over in data->info */
cardan_status cardan__mx_watch_gaps(cardan__mx_stepper *s, cardan_data *data,
                                    double t) CARDAN_MUST_USE;

/* May cfg_try and vel_try at t be the new node? returns CARDAN_ERR_NOT_FINITE, and what watches
 * steps returns: the node there is then stays the last, and nothing of it may have changed */
cardan_status cardan__mx_check(cardan__mx_stepper *s, cardan_data *data, double t) CARDAN_MUST_USE;
/* They are: they change places with cfg and vel, and data gets t and q. */
void cardan__mx_advance(cardan__mx_stepper *s, cardan_data *data, double t);

/* Calls of cardan__method that are the same for all. */
void cardan__mx_destroy(cardan__stepper *stepper);
cardan_status cardan__mx_node(cardan__stepper *stepper, cardan_data *data);
void cardan__mx_kinematics(cardan__stepper *stepper, cardan_data *data);
double cardan__mx_closed(cardan__stepper *stepper);
cardan_status cardan__mx_publish(cardan__stepper *stepper, cardan_data *data);
/* The same with velocities vel (nx) of the bodies at the node, where vel of s has others. */
cardan_status cardan__mx_publish_at(cardan__mx_stepper *s, cardan_data *data,
                                    const double *vel) CARDAN_MUST_USE;
void cardan__mx_reactions(cardan__stepper *stepper, cardan_data *data, cardan_force *reaction,
                          double *driver);
double cardan__mx_work(const cardan__stepper *stepper);
void cardan__mx_spans(cardan__stepper *stepper, cardan__spans *list);
void cardan__mx_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored);
