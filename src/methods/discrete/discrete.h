/* SPDX-License-Identifier: Apache-2.0
 * discrete/discrete.h - the engine of discrete mechanics: from node to node by the root of one
 * equation.
 *
 * A node k is a configuration q^k and a momentum p^k as the step before it ends, with that step's
 * share of the forces in it. So steps of any length may follow one another. A step of length h
 * finds the joints' displacements x (velocity space, q^{k+1} = q^k moved by x) and the constraints'
 * impulses lambda from
 *   r(x) - G_k^T lambda = 0,   Phi(q^{k+1}) = 0                                              (D1)
 * where r, an impulse [N m s | N s], is what the equation asks the joints to give. What is in r,
 * how dr/dx is solved and what the momentum at the end is, is defined by the equation; the rest is
 * the same for every discrete Lagrangian:
 *
 *   displacement.c   x, and adding to it
 *   guess.c          initial guess of the root finder; extrapolate.c
 *   branch.c         the step's root: guesses, and whether what they lead to continues the motion
 *   root.c           the root finder: error and merit, safeguards, when a factorisation is kept
 *   sizes.c          how large is what a residual is made of
 *   discrete_linear.c         dr/dx: the equation's own, as a matrix, or M(q^k) / h; GMRES, Broyden
 *   border.c         constraints over it, by Schur complement
 *   node_rows.c      which rows of them at the node, and where
 *   border_sparse.c     many constraints, by GMRES over a sparse factorisation
 *   border_held.c    rows that a step holds: contacts, and other sets of constraints/held_rows.h
 *   rest.c           steps in which nothing moves
 *   boxes.c          dry friction of joints, where it is known which it holds
 *   rolling.c        rows of velocity level, in the middle of the step
 *   rolling_contact.c  the same beside what a step holds
 *   branch_jump.c           whether a step jumps over a gap between branches
 *   start.c          the first node, from a state or from two configurations
 *   node.c           what belongs to a node: poses, momentum -> velocity
 *   ledger.c         work
 *   compose.c        one step of the method: order 2, 4, 6
 *   discrete.c       memory, and the method behind the interface of methods/method.h
 *   step_slopes.c    derivatives of a step; rolling_slopes.c: of one with rows of velocity level
 *
 * A method is a cardan__equation and a struct that begins with cardan__discrete. Nothing here
 * allocates after cardan__discrete_create, but for slopes. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "constraints/row_products.h"
#include "dynamics/columns.h"
#include "linalg/rank_monitor.h"
#include "linalg/semidefinite.h"
#include "methods/discrete/displacement.h"
#include "methods/discrete/extrapolate.h"
#include "methods/method.h"

typedef struct cardan__discrete cardan__discrete;

/* The equation of one step. Calls come in this order: read, layout, make once; enter whenever the
 * node is somewhere new, before start too; then begin, residual, {factor, solve .., residual ..},
 * accept, enter, leave.
 *
 * size      of the struct that begins with cardan__discrete; it starts as zeros
 * read      what of the model and the options it goes by: linear.kind, exact and coupled, root.tol,
 *           floor and loop_floor, and its own
 * layout    its arrays, out of the engine's block; they start as zeros
 * make      all else that it needs; NULL: nothing. close gives that back, also when make failed
 * start     momentum of the node from its q and v; joints and twists are those of the node
 * enter     whatever the equation wants at the node's configuration: cardan__node_place, _pose
 * begin     a step of length d->h starts; tau_in, f_in and has_inputs are the caller's
 * residual  r (nv, out) at d->x; of prescribed coordinates the impulse of the driver. May use
 *           d->trial
 * sizes     of the momenta in play at the last residual, that r is relative to: nv, out; 0: the row
 *           does not count
 * factor    dr/dx at the last residual. May use d->trial
 * solve     X <- (dr/dx)^-1 X as factored; X: nv x k row-major; 0 for prescribed coordinates
 * solve_part the same for n <= CARDAN__SIDES columns x, nv numbers apart, which are 0 but for some
 *           trees, and so is the answer: bodies body[0] .. body[1] - 1; tip: x is 0 but on the way
 *           from there to the world, 0: anywhere. false: it is not so simple. NULL: never
 * linearise what apply needs at the last residual. NULL: nothing
 * apply     y = (dr/dx) x at the last residual, exactly (nv each), the identity for prescribed
 *           coordinates. NULL: solve is exact, and many constraints cost O(n^3)
 * holds     factor leaves out of solve what border.held (nv) says: these velocities do not move
 * jacobian  dr/dx at the last residual, nv x nv row-major, out, rows and columns of prescribed
 *           coordinates those of the identity. NULL: there is no such matrix
 * work      of the forces without a potential and of the caller's, over the step found [J]
 * accept    the momentum at the end of the step becomes the node's; d->r is what the root finder
 *           left. The node's q and t have not moved yet
 * leave     the rest of it, after enter: what the momentum needs of the new node. NULL: nothing
 * momentum  of the node, as wrenches of bodies (P: nbody, out; unchanged when there are none) and
 *           joint parts (p: nv, out)
 * push      p (nv) joins the node's momentum
 * state     spans that, with q, make up the node: momenta
 * factors   spans that solve reads: what factor leaves behind. NULL: every step has its own
 * slopes    derivatives of the step at the root in d->x, to the matrices, p_next and q_next of out,
 *           and p (a pointer); NULL: it has none */
typedef struct {
  size_t size;
  void (*read)(cardan__discrete *d);
  void (*layout)(cardan__discrete *d, cardan__carver *c);
  cardan_status (*make)(cardan__discrete *d);
  void (*close)(cardan__discrete *d);
  cardan_status (*start)(cardan__discrete *d);
  void (*enter)(cardan__discrete *d);
  void (*begin)(cardan__discrete *d);
  cardan_status (*residual)(cardan__discrete *d, double *r);
  void (*sizes)(cardan__discrete *d, double *scale);
  cardan_status (*factor)(cardan__discrete *d);
  void (*solve)(cardan__discrete *d, int k, double *X);
  bool (*solve_part)(cardan__discrete *d, const int body[2], int tip, int n, double *x,
                     const cardan__columns_room *room);
  cardan_status (*linearise)(cardan__discrete *d);
  void (*apply)(cardan__discrete *d, const double *x, double *y);
  bool holds;
  cardan_status (*jacobian)(cardan__discrete *d, double *J);
  double (*work)(cardan__discrete *d);
  void (*accept)(cardan__discrete *d);
  void (*leave)(cardan__discrete *d);
  bool (*momentum)(cardan__discrete *d, cardan_force *P, double *p);
  void (*push)(cardan__discrete *d, const double *p);
  void (*state)(cardan__discrete *d, cardan__spans *list);
  void (*factors)(cardan__discrete *d, cardan__spans *list);
  cardan_status (*slopes)(cardan__discrete *d, cardan__slopes *out);
} cardan__equation;

/* What stands for dr/dx: the equation's factor and solve, its matrix, M(q^k) / h. */
typedef enum { CARDAN__BY_EQUATION, CARDAN__BY_MATRIX, CARDAN__BY_MASS } cardan__linear_kind;

typedef struct {
  cardan__linear_kind kind;
  cardan__linear_kind exact; // where kind does not hold dr/dx: which does
  bool coupled;              // solve is not exact, apply is
  double *jacobian;          // nv x nv, LU
  int *pivot;                // nv
  double *column, *rhs;      // nv
  double *gmres;             // work
  int max_gmres;
  double *broyden; // (max_broyden + 1) x (nv + nrow), NULL: no updates
  int nbroyden, max_broyden;
} cardan__linear;

typedef struct cardan__border_sparse cardan__border_sparse;

/* How the saddle-point system of a step,
 *   [dr/dx -G_k^T; G_n 0][step; sigma] = [-r; -phi],
 * is solved: dense by border.c, sparse by border_sparse.c.
 * enter        G_k at the node's poses
 * advance      G_n at trial, which stands at q^{k+1}, becomes G_k: the step was accepted
 * rows         G_n there
 * subtract     r -= G_k^T lambda
 * sizes        size (nv) += how large the constraints' impulses on each velocity are
 * factor       at the last evaluation; CARDAN_ERR_SINGULAR where the rows have lost rank
 * direction    root.step and sigma from r and phi
 * update_rank  border.rank holds the ratio of the step under way */
typedef struct {
  void (*enter)(cardan__discrete *d);
  void (*advance)(cardan__discrete *d);
  void (*rows)(cardan__discrete *d);
  void (*subtract)(cardan__discrete *d);
  void (*sizes)(cardan__discrete *d, double *size);
  cardan_status (*factor)(cardan__discrete *d);
  void (*direction)(cardan__discrete *d);
  void (*update_rank)(cardan__discrete *d);
} cardan__border_solver;

/* The constraints' part of (D1), over the independent rows; with P over all of them, and without
 * matrices. */
typedef struct {
  const cardan__border_solver *solver;
  int n;                        // rows in the step under way: nequal, and those of held cones
  int nloop;                    // independent rows of the model
  int nequal;                   // two-sided rows in the step: nloop, and held equalities
  cardan__held_room room;       // for held rows
  struct cardan__sparse_kkt *P; // constraints/sparse_kkt.h: many rows; NULL: few
  cardan__border_sparse *kkt;   // what border_sparse.c needs besides
  double *dense;                // Gk and Gn for slopes, where they are not kept
  int *row;                     // n: its index in phi
  double *Gk, *Gn;              // n x nv: at node k and at the iterate (room for nrow)
  double *Y, *S; // of two-sided rows, nv x nequal, nequal x nequal: (dr/dx)^-1 G_k^T; LU of G_n Y
  int *pivot;    // nequal
  double *lambda, *sigma;             // n: impulses, and their change
  double *lambda_kept, *lambda_start; // n: before the direction; before the step
  double *phi, phi_tol;               // rows of the model, held equalities, rows of held cones
  // rows at the node, where they are few (node_rows.c)
  cardan__semidefinite choice; // of independent rows; size: squares of what rows were at most
  cardan__rank_monitor rank;   // of S, a pivot relative to its column; of all rows where P is
  double *ahead, *q;           // nv, nq: scratch
  // held cones of the step, m = n - nequal rows (border_held.c)
  const double *J;  // m x nv: their rows at the node
  double *Yc;       // m x nv: Y^T of them
  int *of;          // m: which of the cones
  int *first;       // cones + 1: first row of each
  double *together; // nv x CARDAN__TOGETHER: columns of Yc
  bool whole;       // Yc is not 0 beyond their trees
  cardan__columns_room columns;
  double *SCL, *SLC;      // m x nequal, nequal x m: G_n Y; SLC is over S_LL
  double *Gx;             // m x m
  double *rho;            // their rows': 1 / trace of the normal's or group's part of Gx
  double *bx, *ux, *free; // m: of (N)
  double *ncp;            // work of it
  int *incp;
  // boxes of the step whose sides are known, in place of rows (boxes.c)
  int nbox;                             // 0: none
  bool *held;                           // nv: velocities that friction holds
  double *armature;                     // nv: of the joints at a node, infinite where they are held
  uint64_t sides[2], sides_factored[2]; // bits: boxes that are held; as the factor has them
  bool cones_factored;                  // Gx is of this step
  int unsolved_cone;                    // cone that (N) was not solved for; -1: it was
  double cone_error;                    // of (N) [m/s]
  int worst_cone;                       // cone that is farthest from (N)
} cardan__border;

/* For branch_jump.c. */
typedef struct {
  struct cardan__branch_gap *gap; // constraints/branch_gap.h; NULL: no step is checked
  double h;                       // length of the last step
} cardan__branch_jump;

typedef struct {
  double tol;                // of the residual, relative to its scale
  double floor, loop_floor;  // what rounding leaves of it; near singular positions of loops
  int begun, limit;          // evaluations when the search began; and at which to give up
  bool shortened;            // a direction of it was not followed to its end
  double error, merit;       // largest residual over its tolerance; sum of squares of relative ones
  double *scale, *inv_scale; // nv
  int scale_age;             // steps since it was made; -1: there is none that could be kept
  double scale_h;            // of the step that it was made in
  double *step;              // nv: a direction
  bool *turns;               // nv: is this a rotation?
  cardan__displacement kept; // x before the direction
  bool factored;             // there is a factorisation, of this step or an earlier one
  double h;                  // of the step that it was made in
  int age, wait, patience;   // steps since; steps to go before an old one is tried; the last wait
  double gain;               // by which the last old one reduced the residual, over its age
  double *trace;             // relative residual of every evaluation in the last step
  int ntrace, max_trace;
} cardan__root;

/* Points of the branch of the motion (branch.c). */
typedef struct {
  cardan__displacement at;
  double *lambda;    // n: impulses there
  double *y, *sigma; // nv, n: the branch's direction
  double *x0;        // nv: where it begins
  double *r0, *phi0; // nv, nrow: residuals there
  double *guess;     // nv: where the search began
  double *unit;      // nv: 1 for turns, for ways over the size of the mechanism
  double close_by;   // other roots are farther from a guess; 0: CARDAN__CLOSE_BY
} cardan__branch;

typedef enum {
  CARDAN__GUESS_EXTRAPOLATE,
  CARDAN__GUESS_CURRENT,
  CARDAN__GUESS_EULER,
  CARDAN__GUESS_DYNAMICS,
  CARDAN__GUESS_ZERO
} cardan__guess;

/* Work since the start [J]: of the steps, and what drivers owe to the last node whose velocity was
 * computed (ledger.c). */
typedef struct {
  double work, owed;
} cardan__account;

typedef struct {
  cardan__account now;
  double *rate; // nprescribed + n: of the drivers
} cardan__ledger;

/* What of a body sizes go by: mass, |m c|, tr(I) about its origin; distances from there of the
 * centre of mass, and of the farthest point that something may act on. */
typedef struct {
  double mass, moment, trace, lever, reach;
} cardan__extent;

/* One body in the step under way: its turn and way in it, and its momenta and impulses, all as
 * 1-norms; sizes.c adds to force and torque, and makes arm, from the parent. */
typedef struct {
  double turn, way, force, torque, arm;
} cardan__size;

enum { CARDAN__STAGES = 9 };

typedef struct {
  int n, now;          // steps of order 2 in one step of the method; the one under way
  const double *gamma; // their lengths, relative; sum 1
  cardan__extrapolation history[CARDAN__STAGES]; // of x, for each stage
  double h;                                      // of the last step, when there is one stage
  char *kept; // the node before the step, for a composition that fails on its way
  // where there are contacts: history[0], h and lambda before they were fitted to the length of the
  // step under way, which may be a try
  cardan__extrapolation shelf;
  double shelf_h, *shelf_lambda;
  bool shelved;
  double *dq; // nv: the way of all stages together, where there are contacts and several stages
} cardan__stages;

struct cardan__discrete {
  cardan__stepper base;
  const cardan_model *model; // base.model
  const cardan__equation *equation;
  cardan_data *node;  // t and q of node k; with poses and mass factorisation once they are computed
  cardan_data *trial; // at node k+1, or wherever the equation looks
  bool works;         // some force or driver does work, other than potentials
  bool friction_acts; // friction in joints is a force of the equation
  bool dry_held;      // but that of given size, which is among held rows
  bool two_point, started;
  cardan__guess guess;

  // the step under way
  double h, t, t_end;       // its length, the time it starts from, and where it ends
  const double *tau_in;     // nv: the caller's own forces
  const cardan_force *f_in; // nbody
  bool has_inputs;          // one of them is not 0
  cardan__displacement x;
  double *r;     // nv
  double *q_end; // nq: where the step ends, once it was tested and is to be taken:
  bool ended;

  cardan__branch branch;
  cardan__root root;
  cardan__linear linear;
  cardan__border border;
  cardan__branch_jump branch_jump;
  cardan__ledger ledger;
  cardan__stages stages;
  struct cardan__rolling *rolling; // rolling.h: rows of velocity level; NULL: there are none
  cardan__extent *extent;          // nbody
  cardan__size *size;              // nbody
  cardan_vec3 *walk;               // nbody: scratch of sizes.c
  cardan_force *wrench;            // nbody: scratch of node.c
  double *momentum;                // nv
  double *no_friction;             // nv: zeros
  double *prescribed;              // nprescribed
  void *block;
};

/* Options that every method over this engine has. */
extern const cardan__option cardan__discrete_options[];

/* discrete.c
 * _accepts  order and start, as all have them; CARDAN_ERR_UNSUPPORTED and a sentence
 * _create   a stepper of that method and equation; all memory is taken here */
cardan_status cardan__discrete_accepts(const cardan_model *model, const cardan_options *options,
                                       cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__discrete_create(const cardan__method *method,
                                      const cardan__equation *equation, const cardan_model *model,
                                      const cardan_options *options, const cardan__held_room *room,
                                      const cardan_allocator *allocator,
                                      cardan__stepper **out) CARDAN_MUST_USE;

/* The entries of a cardan__method, in discrete.c unless noted. */
void cardan__discrete_destroy(cardan__stepper *stepper);
cardan_status cardan__discrete_start(cardan__stepper *stepper, cardan_data *data) CARDAN_MUST_USE;
cardan__attempt cardan__discrete_step(cardan__stepper *stepper, cardan_data *data,
                                      double t_next) CARDAN_MUST_USE;
cardan_status cardan__discrete_velocity(cardan__stepper *stepper,
                                        cardan_data *data) CARDAN_MUST_USE; // node.c
cardan_status cardan__discrete_node_held(cardan__stepper *stepper, cardan_data *data,
                                         const double *dp, double *r) CARDAN_MUST_USE; // node.c
cardan_status cardan__discrete_publish(cardan__stepper *stepper, cardan_data *data) CARDAN_MUST_USE;
double cardan__discrete_work(const cardan__stepper *stepper); // ledger.c
void cardan__discrete_spans(cardan__stepper *stepper, cardan__spans *list);
void cardan__discrete_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored);
const double *cardan__discrete_trace(const cardan__stepper *stepper, int *n);
cardan_status cardan__discrete_slopes(cardan__stepper *stepper, cardan_data *data, double h,
                                      cardan__slopes *out) CARDAN_MUST_USE; // step_slopes.c

/* _inputs    the caller's inputs, in data, are those of the step to come
 * _friction  what of friction in joints is a force, and what held rows have */
void cardan__discrete_inputs(cardan__discrete *d, cardan_data *data);
void cardan__discrete_friction(cardan__discrete *d);

#define CARDAN__DISCRETE_ENTRIES                                                                   \
  .destroy = cardan__discrete_destroy, .start = cardan__discrete_start,                            \
  .step = cardan__discrete_step, .node = cardan__discrete_velocity,                                \
  .node_held = cardan__discrete_node_held, .publish = cardan__discrete_publish,                    \
  .work = cardan__discrete_work, .spans = cardan__discrete_spans,                                  \
  .rejoin = cardan__discrete_rejoin, .push = cardan__discrete_push, .join = cardan__discrete_join, \
  .trace = cardan__discrete_trace, .slopes = cardan__discrete_slopes

/* boxes.c: are the cones of the step boxes alone, whose sides are guessed? Then
 * _begin     they are rows no more
 * _guess     d->x of joints that are held becomes 0
 * _subtract  their impulses leave the residual; to border.lambda
 * _agree     was the guess right at the root? Then held->side, and what the rows ask for in phi */
bool cardan__boxes_begin(cardan__discrete *d);
void cardan__boxes_guess(cardan__discrete *d);
void cardan__boxes_subtract(cardan__discrete *d);
bool cardan__boxes_agree(cardan__discrete *d);

/* rest.c: is the step one at rest? Then x and the residual are its own. */
cardan_status cardan__rest_try(cardan__discrete *d, bool *rests) CARDAN_MUST_USE;

/* guess.c: d->x for the step under way. */
cardan_status cardan__guess_make(cardan__discrete *d, cardan__guess guess) CARDAN_MUST_USE;

/* branch.c: x and lambda of the step, from guess to root; a failure is in node->info, and lambda as
 * before. */
cardan_status cardan__branch_solve(cardan__discrete *d) CARDAN_MUST_USE;

/* root.c
 * _find      x and lambda that solve (D1), from the guess in d->x, by at most so many evaluations;
 *            a failure is in node->info
 * _evaluate  residuals at d->x and lambda; the first of a search also sets the scale, unless that
 *            of an earlier step is kept
 * _factor    all that directions need, at the last evaluation
 * _advance   x and lambda by that part of the direction in root.step and border.sigma
 * _forget    nothing of earlier steps is kept
 * _start     a motion begins: nor is anything known of it */
cardan_status cardan__root_find(cardan__discrete *d, int most) CARDAN_MUST_USE;
cardan_status cardan__root_evaluate(cardan__discrete *d, bool first) CARDAN_MUST_USE;
cardan_status cardan__root_factor(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__root_advance(cardan__discrete *d, double part);
void cardan__root_forget(cardan__discrete *d);
void cardan__root_start(cardan__discrete *d);

/* sizes.c
 * _measure  every body's extent, once
 * _rows     to scale (nv), which holds the joints' own sizes, what passes through them, from
 *           d->size of every body; X the placements there, unit what a turn of 1 is in rad, and a
 *           way of 1 in m */
void cardan__sizes_measure(cardan__discrete *d);
void cardan__sizes_rows(cardan__discrete *d, const cardan_xform *X, double unit, double *scale);

/* discrete_linear.c
 * _factor   at the last evaluation
 * _solve    X <- (dr/dx)^-1 X, nv x k row-major
 * _part     columns over some trees, as the equation's solve_part
 * _broyden  improves (root.step, border.sigma) by the steps before it */
cardan_status cardan__linear_factor(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__linear_solve(cardan__discrete *d, int k, double *X);
bool cardan__linear_part(cardan__discrete *d, const int body[2], int tip, int n, double *x,
                         const cardan__columns_room *room);
void cardan__linear_broyden(cardan__discrete *d);

/* border.c
 * _dense      the solver for few rows
 * _keep       lambda as it is, for _restore: the step found no root
 * _values     phi at q^{k+1}, and trial there */
extern const cardan__border_solver cardan__border_dense;
void cardan__border_keep(cardan__discrete *d);
void cardan__border_restore(cardan__discrete *d);
void cardan__border_values(cardan__discrete *d);

/* The solver of the rows, dense or sparse (cardan__border_solver). */
static inline void cardan__border_enter(cardan__discrete *d)
{
  d->border.solver->enter(d);
}

static inline void cardan__border_advance(cardan__discrete *d)
{
  d->border.solver->advance(d);
}

static inline void cardan__border_rows(cardan__discrete *d)
{
  d->border.solver->rows(d);
}

static inline void cardan__border_subtract(cardan__discrete *d)
{
  d->border.solver->subtract(d);
}

static inline void cardan__border_sizes(cardan__discrete *d, double *size)
{
  d->border.solver->sizes(d, size);
}

static inline cardan_status CARDAN_MUST_USE cardan__border_factor(cardan__discrete *d)
{
  return d->border.solver->factor(d);
}

static inline void cardan__border_direction(cardan__discrete *d)
{
  d->border.solver->direction(d);
}

static inline void cardan__border_update_rank(cardan__discrete *d)
{
  d->border.solver->update_rank(d);
}

/* node_rows.c
 * _begin    a run starts at the node: sizes of rows. Uses trial
 * _of_node  Gk and border.row at the node, which stays where it is, or becomes what trial is
 * _gather   the rows of border.row at data's poses, to G (room for nrow)
 * _beside   trial at q moved by a little of x; false: x is nothing */
void cardan__rows_begin(cardan__discrete *d);
void cardan__rows_of_node(cardan__discrete *d, bool stays);
void cardan__rows_gather(cardan__discrete *d, cardan_data *data, double *G);
bool cardan__rows_beside(cardan__discrete *d, const double *q, const double *x);

/* border_sparse.c: the solver for many rows
 * _open    makes border.P, and the solver this one, where it suits; _close  gives it back
 * _layout  memory; _make  what of it is constant
 * _dense   Gk and Gn as matrices, in memory of their own */
cardan_status cardan__border_sparse_open(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__border_sparse_close(cardan__discrete *d);
void cardan__border_sparse_layout(cardan__discrete *d, cardan__carver *c);
void cardan__border_sparse_make(cardan__discrete *d);
cardan_status cardan__border_sparse_dense(cardan__discrete *d) CARDAN_MUST_USE;

/* border_held.c: what stepper.held has
 * _begin   rows of the step that begins: they follow those of the loops
 * _rows    to G, at the places after those; _values  to phi, after the model's: trial is there;
 *          _rows_of_node  likewise those that the step begins with
 * _error   of (N) at the last evaluation, relative to what is accepted, and border.worst_cone;
 * HUGE_VAL
 *          before there is a direction
 * _factor  what is known of Gx once it is made
 * _solve   (N) of a direction: free (m) is u of r_old, r (m) out; false: not solved
 * _unsolved, _unsettled  report it in node->info; return CARDAN_ERR_NO_CONVERGENCE
 * _load    forces of held rows, on the inputs of data in the middle of the step (friction in
 * joints)
 * _name    of a row of border.row, for messages; returns text
 * _test    of a step from q_node by dq, which ends at q: as cardan__held_calls.test. needs
 *          stepper.held */
void cardan__hold_begin(cardan__discrete *d);
void cardan__hold_rows(const cardan__discrete *d, double *G);
void cardan__hold_rows_of_node(const cardan__discrete *d, double *G);
void cardan__hold_values(const cardan__discrete *d, double *phi);
double cardan__hold_error(cardan__discrete *d);
void cardan__hold_load(const cardan__discrete *d, cardan_data *middle);
void cardan__hold_factor(cardan__discrete *d);

/* Rows of the held cones, for their products. */
cardan__contact_rows cardan__hold_blocks(const cardan__discrete *d);
bool cardan__hold_solve(cardan__discrete *d, const double *free, double *r);
cardan_status cardan__hold_unsolved(cardan__discrete *d);
cardan_status cardan__hold_unsettled(cardan__discrete *d);
const char *cardan__hold_name(const cardan__discrete *d, int row, char *text, size_t size);
cardan__attempt cardan__hold_test(cardan__discrete *d, const double *q_node, const double *dq,
                                  const double *q) CARDAN_MUST_USE;
cardan_status cardan__discrete_push(cardan__stepper *stepper, cardan_data *data, const double *dp);
void cardan__discrete_join(cardan__stepper *stepper, const double *dp);

/* branch_jump.c: the root in d->x is of another motion: CARDAN_ERR_NO_ROOT, and node->info says
 * why. Else the ratio of border.rank joins its history. needs branch_jump.gap */
cardan_status cardan__branch_jump_check(cardan__discrete *d) CARDAN_MUST_USE;

/* start.c
 * _node   the first node, at data's t, q, v
 * _given  the first step from two configurations */
cardan_status cardan__start_node(cardan__discrete *d, cardan_data *data) CARDAN_MUST_USE;
cardan_status cardan__start_given(cardan__discrete *d) CARDAN_MUST_USE;

/* node.c
 * _enter  the node's q or t is new
 * _place  node's joints (X); _pose  and its poses: once for each node */
void cardan__node_enter(cardan__discrete *d);
void cardan__node_place(cardan__discrete *d);
void cardan__node_pose(cardan__discrete *d);
/* node->v and a of prescribed coordinates at the node's time. */
void cardan__node_rates(const cardan__discrete *d);
/* node->v of the momentum, without the rows; a failure is in node->info. */
cardan_status cardan__node_velocity(cardan__discrete *d) CARDAN_MUST_USE;
/* Mass factorisation at the node; a failure is in node->info. */
cardan_status cardan__node_factor(cardan__discrete *d) CARDAN_MUST_USE;

/* ledger.c
 * _add   the step's work, before the node moves on
 * _node  what drivers owe to the node, whose velocity is in node->v */
void cardan__ledger_add(cardan__discrete *d);
void cardan__ledger_node(cardan__discrete *d);

/* compose.c
 * _composition  coefficients of order 2, 4 or 6
 * _state        all spans of the node (node_state.c); _size  and their bytes
 * _step         one step of the method; the node is as before when it fails
 * step_begin    a step of order 2 and length h from the node; step_accept  its end becomes it */
const double *cardan__composition(int order, int *nstage);
void cardan__compose_state(cardan__discrete *d, cardan__spans *list);
size_t cardan__compose_size(cardan__discrete *d);
cardan__attempt cardan__compose_step(cardan__discrete *d, double t_next) CARDAN_MUST_USE;
void cardan__step_begin(cardan__discrete *d, double h, double t_end);
void cardan__step_accept(cardan__discrete *d);

/* Does the step under way hold cones? */
static inline bool cardan__has_cones(const cardan__discrete *d)
{
  return d->border.n > d->border.nequal;
}

/* What rows of held cones ask for, in phi. */
static inline double *cardan__cone_values(const cardan__discrete *d)
{
  return d->border.phi + d->model->nrow + (d->border.nequal - d->border.nloop);
}

/* Is this velocity prescribed? */
static inline bool cardan__prescribed(const cardan_model *model, int k)
{
  return model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
}
