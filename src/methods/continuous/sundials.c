// SPDX-License-Identifier: Apache-2.0
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "methods/continuous/ode_method.h"

/* Adaptive integrators of SUNDIALS: ERKStep of ARKODE with the pairs of Fehlberg and of Dormand and
 * Prince, and CVODE's Adams (fixed-point iteration) and BDF (Newton, dense Jacobian by difference
 * quotients) methods of variable order. Step control is theirs. Both pairs continue with the
 * solution of order 5 (Fehlberg's too, unlike rkf45-fixed).
 * [1] A. C. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation
 *     solvers, ACM Trans. Math. Softw. 31, 2005.
 * [2] D. R. Reynolds et al., ARKODE: A flexible IVP solver infrastructure, ibid. 49, 2023.
 *
 * Their norm of a vector x is sqrt(sum (x_i w_i)^2 / n), w_i = 1 / (rtol |y_i| + atol).     (E1)
 * With partial error control w_i = 0 for i >= nq, and the others get a factor sqrt(n / nq), so that
 * the mean is over nq.
 *
 * A quiet component has no part in it, nor in a Jacobian: n is the others' number there.
 *
 * The one-step methods end a step at every target, as a shorter step costs them nothing but itself.
 * CVODE steps past a target and interpolates with its own polynomial, but never past t_final, nor
 * past the target of an advance that is to stop there. Where
 * `accepted` changes the state, the solver restarts from it (ERKStep keeps its step size).
 * Every solver takes one step of y' = 0 when it is made, after which it allocates nothing. */

/* What ERKStep and CVODE have in common, by name. */
typedef struct {
  int (*evolve)(void *mem, double t, N_Vector y, double *t_reached, int task);
  int (*set_stop_time)(void *mem, double t);
  int (*set_first_step)(void *mem, double h);
  int (*set_min_step)(void *mem, double h);
  int (*set_user_data)(void *mem, void *data);
  int (*set_error_handler)(void *mem,
                           void (*handler)(int, const char *, const char *, char *, void *),
                           void *data);
  int (*set_weights)(void *mem, int (*weights)(N_Vector, N_Vector, void *));
  int (*get_steps)(void *mem, long *n);
  int (*get_last_step)(void *mem, double *h);
  int (*get_error)(void *mem, N_Vector error);
  void (*destroy)(void **mem);
} solver_calls;

static const solver_calls ERK = {
    .evolve = ERKStepEvolve,
    .set_stop_time = ERKStepSetStopTime,
    .set_first_step = ERKStepSetInitStep,
    .set_min_step = ERKStepSetMinStep,
    .set_user_data = ERKStepSetUserData,
    .set_error_handler = ERKStepSetErrHandlerFn,
    .set_weights = ERKStepWFtolerances,
    .get_steps = ERKStepGetNumSteps,
    .get_last_step = ERKStepGetLastStep,
    .get_error = ERKStepGetEstLocalErrors,
    .destroy = ERKStepFree,
};

static const solver_calls CV = {
    .evolve = CVode,
    .set_stop_time = CVodeSetStopTime,
    .set_first_step = CVodeSetInitStep,
    .set_min_step = CVodeSetMinStep,
    .set_user_data = CVodeSetUserData,
    .set_error_handler = CVodeSetErrHandlerFn,
    .set_weights = CVodeWFtolerances,
    .get_steps = CVodeGetNumSteps,
    .get_last_step = CVodeGetLastStep,
    .get_error = CVodeGetEstLocalErrors,
    .destroy = CVodeFree,
};

/* One row of the table of integrators: which solver, with what. */
typedef struct {
  const solver_calls *calls;
  ARKODE_ERKTableID pair; // ERKStep
  int family;             // CVODE: CV_ADAMS or CV_BDF
} solver_kind;

typedef struct {
  const solver_kind *kind;
  SUNContext context;
  void *mem;
  N_Vector y, row, error; // length max(n, 1): a system of no equations gets one that rests
  SUNMatrix jacobian;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  double t, way;  // where the solver stands, with y; +1 or -1: where its steps go
  double t_stop;  // the stop time that it knows
  double h_first; // as begin got it
  double h_retry; // last step that a retry of ERKStep was given; 0: the last step went well
  bool stale;     // it must start from ode->t, ode->y
  bool resting;   // y' = 0 instead of f
  cardan__ode_result called; // what f returned last
  long steps, failures;      // as the solver counted them so far
} solver;

// NOLINTNEXTLINE(readability-non-const-parameter): the type is the callback's
static void silent(int code, const char *module, const char *function, char *message, void *data)
{
  (void)code;
  (void)module;
  (void)function;
  (void)message;
  (void)data;
}

// what SUNDIALS reads of it: 0, > 0: try a smaller step, < 0: a failure
static int code_of(cardan__ode_result result)
{
  return cardan__ode_is_done(result) ? 0 : result.outcome == CARDAN__ODE_RETRY ? 1 : -1;
}

static int right_hand_side(double t, N_Vector y, N_Vector ydot, void *data)
{
  cardan__ode *ode = data;
  solver *own = ode->own;
  double *rate = N_VGetArrayPointer(ydot);
  if (own->resting || ode->n == 0) {
    rate[0] = 0.0;
  }
  if (own->resting) {
    memset(rate, 0, (size_t)ode->n * sizeof(*rate));
    return 0;
  }
  own->called = cardan__ode_eval(ode, t, N_VGetArrayPointer(y), rate);
  return code_of(own->called);
}

// norms of all but the last component, with the bits that a shorter vector would give
static double counted_wrms(N_Vector x, N_Vector w)
{
  NV_LENGTH_S(x)--;
  const double norm = N_VWrmsNorm_Serial(x, w);
  NV_LENGTH_S(x)++;
  return norm;
}

static double counted_max(N_Vector x)
{
  NV_LENGTH_S(x)--;
  const double norm = N_VMaxNorm_Serial(x);
  NV_LENGTH_S(x)++;
  return norm;
}

// CVODE's own difference quotients allocate, and divide by weights that may be 0
static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector tmp1,
                    N_Vector tmp2, N_Vector tmp3)
{
  cardan__ode *ode = data;
  solver *own = ode->own;
  (void)tmp2;
  (void)tmp3;
  const bool rests = own->resting || ode->ncount == 0;
  if ((rests || ode->problem.nquiet > 0) && SUNMatZero(J) != 0) {
    return -1;
  }
  if (rests) {
    return 0;
  }
  own->called =
      cardan__ode_jacobian(ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f),
                           N_VGetArrayPointer(tmp1), SUNDenseMatrix_Data(J), 1, (size_t)ode->n);
  return code_of(own->called);
}

// (E1)
static int weights(N_Vector y, N_Vector w, void *data)
{
  const cardan__ode *ode = data;
  const double *value = N_VGetArrayPointer(y);
  double *weight = N_VGetArrayPointer(w);
  const int n = ode->ncount, nq = ode->problem.nq;
  const bool partial = ode->options.error_control == CARDAN__ODE_PARTIAL;
  const double counted = partial && nq > 0 ? sqrt((double)n / nq) : 1.0;

  weight[0] = weight[NV_LENGTH_S(w) - 1] = 1.0;
  for (int i = 0; i < n; i++) {
    const double factor = partial && i >= nq ? 0.0 : counted;
    weight[i] = factor / (ode->options.rtol * fabs(value[i]) + ode->options.atol);
  }
  return 0;
}

static int create_erk(solver *own)
{
  own->mem = ERKStepCreate(right_hand_side, 0.0, own->y, own->context);
  if (!own->mem || ERKStepSetTableNum(own->mem, own->kind->pair) != ARK_SUCCESS) {
    return -1;
  }
  // steps end at the targets, so it interpolates at ends only: a cubic costs no evaluation for that
  return ERKStepSetInterpolantDegree(own->mem, 3);
}

static int create_cvode(solver *own, int n)
{
  own->mem = CVodeCreate(own->kind->family, own->context);
  if (!own->mem || CVodeInit(own->mem, right_hand_side, 0.0, own->y) != CV_SUCCESS) {
    return -1;
  }
  if (own->kind->family == CV_ADAMS) {
    own->nonlinear = SUNNonlinSol_FixedPoint(own->y, 0, own->context);
    return own->nonlinear ? CVodeSetNonlinearSolver(own->mem, own->nonlinear) : -1;
  }
  own->jacobian = SUNDenseMatrix(n, n, own->context);
  own->linear = own->jacobian ? SUNLinSol_Dense(own->y, own->jacobian, own->context) : NULL;
  if (!own->linear || CVodeSetLinearSolver(own->mem, own->linear, own->jacobian) != CV_SUCCESS) {
    return -1;
  }
  return CVodeSetJacFn(own->mem, jacobian);
}

// y, and whatever the solver knows, at t
static bool reinitialise(solver *own, double t)
{
  own->t = own->t_stop = t;
  own->steps = own->failures = 0;
  return (own->kind->calls == &ERK ? ERKStepReInit(own->mem, right_hand_side, t, own->y)
                                   : CVodeReInit(own->mem, t, own->y)) == 0;
}

/* Steps of y' = 0 from t = 0, the old way to a stop at 1, and then one the new way. It makes the
 * solver take all the memory it will ever need, forget a stop time that it did not reach, and gives
 * its step a sign, by which ARKODE checks a stop time before it reads the first target. */
static bool rehearse(solver *own, double way)
{
  const solver_calls *calls = own->kind->calls;
  const double old = own->way;
  double t;
  own->resting = true;
  bool good = reinitialise(own, 0.0) && calls->set_first_step(own->mem, old) == 0 &&
              calls->set_stop_time(own->mem, old) == 0 &&
              calls->evolve(own->mem, 2.0 * old, own->y, &t, CV_NORMAL) == CV_TSTOP_RETURN;
  if (way != old) {
    good = good && reinitialise(own, 0.0) && calls->set_first_step(own->mem, way) == 0 &&
           calls->evolve(own->mem, way, own->y, &t, CV_ONE_STEP) >= 0;
  }
  own->resting = false;
  own->way = way;
  return good;
}

static cardan_status sundials_create(cardan__ode *ode)
{
  solver *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  const int n = ode->n > 0 ? ode->n : 1;
  ode->own = own;
  own->kind = ode->method->data;
  own->way = 1.0;
  const solver_calls *calls = own->kind->calls;
  if (SUNContext_Create(NULL, &own->context) != 0) {
    return CARDAN_ERR_MEMORY;
  }
  own->y = N_VNew_Serial(n, own->context);
  own->row = N_VNew_Serial(n, own->context);
  own->error = N_VNew_Serial(n, own->context);
  if (!own->y || !own->row || !own->error) {
    return CARDAN_ERR_MEMORY;
  }
  N_VConst(0.0, own->y);
  if (ode->problem.nquiet > 0 && n > 1) { // its clones take them over
    own->y->ops->nvwrmsnorm = counted_wrms;
    own->y->ops->nvmaxnorm = counted_max;
  }
  bool good = (calls == &ERK ? create_erk(own) : create_cvode(own, n)) == 0;
  good = good && calls->set_error_handler(own->mem, silent, NULL) == 0;
  good = good && calls->set_user_data(own->mem, ode) == 0;
  good = good && calls->set_weights(own->mem, weights) == 0;
  good = good && rehearse(own, 1.0);
  return good ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static void sundials_destroy(cardan__ode *ode)
{
  solver *own = ode->own;
  if (!own) {
    return;
  }
  if (own->mem) {
    own->kind->calls->destroy(&own->mem);
  }
  if (own->nonlinear) {
    SUNNonlinSolFree(own->nonlinear);
  }
  if (own->linear) {
    SUNLinSolFree(own->linear);
  }
  if (own->jacobian) {
    SUNMatDestroy(own->jacobian);
  }
  if (own->error) {
    N_VDestroy(own->error);
  }
  if (own->row) {
    N_VDestroy(own->row);
  }
  if (own->y) {
    N_VDestroy(own->y);
  }
  SUNContext_Free(&own->context);
}

static cardan_status sundials_begin(cardan__ode *ode, double h)
{
  solver *own = ode->own;
  own->stale = true;
  own->h_first = h;
  return CARDAN_OK;
}

// one-step methods keep the size of their last step, CVODE its order 1 and its own choice
static void sundials_leave(cardan__ode *ode)
{
  const solver *own = ode->own;
  sundials_begin(ode, own->kind->calls == &ERK ? fabs(ode->counters.last_step) : 0.0);
}

// failed steps since the solver was initialised
static long get_failures(solver *own, long steps)
{
  long attempts = 0, errors = 0, solves = 0;
  if (own->kind->calls == &ERK) {
    ERKStepGetNumStepAttempts(own->mem, &attempts);
    return attempts - steps;
  }
  CVodeGetNumErrTestFails(own->mem, &errors);
  CVodeGetNumStepSolveFails(own->mem, &solves);
  return errors + solves;
}

// adds what the solver counted since the last call
static void count_steps(cardan__ode *ode)
{
  solver *own = ode->own;
  long steps = 0;
  own->kind->calls->get_steps(own->mem, &steps);
  const long failures = get_failures(own, steps);
  if (steps > own->steps) {
    own->kind->calls->get_last_step(own->mem, &ode->counters.last_step);
    own->kind->calls->get_error(own->mem, own->error);
    memcpy(ode->error, N_VGetArrayPointer(own->error), (size_t)ode->n * sizeof(double));
  }
  ode->counters.accepted += steps - own->steps;
  ode->counters.rejected += failures - own->failures;
  own->steps = steps;
  own->failures = failures;
}

// a return flag of the solver; CVODE and ARKODE give the same numbers the same meaning here
static cardan__ode_result verdict(const solver *own, int flag)
{
  switch (flag) {
  case CV_SUCCESS:
  case CV_TSTOP_RETURN:
    return cardan__ode_result_of(CARDAN_OK);
  case CV_RHSFUNC_FAIL:
  case CV_FIRST_RHSFUNC_ERR:
  case CV_REPTD_RHSFUNC_ERR:
  case CV_UNREC_RHSFUNC_ERR:
  case CV_CONV_FAILURE:
  case CV_LSETUP_FAIL:
    return !cardan__ode_is_done(own->called) ? own->called
                                             : cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
  case CV_TOO_MUCH_ACC:
  case CV_ERR_FAILURE:
    return cardan__ode_result_of(CARDAN_ERR_STEP_TOO_SMALL);
  case CV_MEM_FAIL:
    return cardan__ode_result_of(CARDAN_ERR_MEMORY);
  case CV_ILL_INPUT:
  case CV_TOO_CLOSE:
    return cardan__ode_result_of(CARDAN_ERR_ARGUMENT);
  default:
    return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
  }
}

static void copy(cardan__ode *ode, double *to, const double *from)
{
  memcpy(to, from, (size_t)ode->n * sizeof(double));
}

// the solver starts from ode->t, ode->y as if it had never stood anywhere else
static bool start(cardan__ode *ode, double way)
{
  solver *own = ode->own;
  if (own->way != way && !rehearse(own, way)) {
    return false;
  }
  copy(ode, N_VGetArrayPointer(own->y), ode->y);
  own->stale = false;
  const double h = own->h_first;
  own->h_first = own->h_retry = 0.0;
  return reinitialise(own, ode->t) && own->kind->calls->set_first_step(own->mem, way * h) == 0;
}

// `accepted` changed the state: the solver continues from it, ERKStep with the step size it had
static bool jump(cardan__ode *ode)
{
  solver *own = ode->own;
  ode->counters.restarts++;
  if (own->kind->calls != &ERK) {
    own->stale = true;
    return true;
  }
  copy(ode, N_VGetArrayPointer(own->y), ode->y);
  own->t = own->t_stop = ode->t;
  return ERKStepReset(own->mem, ode->t, own->y) == 0;
}

// the smallest step that still moves t on the way to the stop time
static double min_step(const solver *own, double t_stop)
{
  return 16.0 * DBL_EPSILON * fmax(fabs(own->t), fabs(t_stop));
}

static bool set_bounds(cardan__ode *ode, double t_target)
{
  solver *own = ode->own;
  const double t_stop = own->kind->calls == &ERK ? t_target : cardan__ode_bound(ode, t_target);
  if (own->t_stop == t_stop) {
    return true;
  }
  own->t_stop = t_stop;
  return own->kind->calls->set_stop_time(own->mem, t_stop) == 0 &&
         own->kind->calls->set_min_step(own->mem, min_step(own, t_stop)) == 0;
}

/* f requested a smaller step. CVODE takes one by itself, ERKStep of SUNDIALS 6 takes the request
 * for an end: it starts again from the last good state, ode->t, y, with a quarter of the step.
 * returns the request when that is too small */
static cardan__ode_result shrink(cardan__ode *ode, double t_target)
{
  solver *own = ode->own;
  double h = own->h_retry;
  if (h == 0.0 && (ERKStepGetCurrentStep(own->mem, &h) != 0 || !(own->way * h > 0.0))) {
    h = t_target - ode->t;
  }
  h *= 0.25;
  if (fabs(h) < min_step(own, t_target)) {
    return own->called;
  }
  own->h_retry = h;
  copy(ode, N_VGetArrayPointer(own->y), ode->y);
  const bool good = reinitialise(own, ode->t) && ERKStepSetInitStep(own->mem, h) == ARK_SUCCESS &&
                    set_bounds(ode, t_target);
  return cardan__ode_result_of(good ? CARDAN_OK : CARDAN_ERR_ARGUMENT);
}

/* Internal steps until the solver stands at t_target or beyond; ode->t, y follow up to the last
 * step before. A failure makes the solver stale, but for the limit of steps. */
static cardan__ode_result walk(cardan__ode *ode, double t_target)
{
  solver *own = ode->own;
  const int64_t tried = ode->counters.accepted + ode->counters.rejected;
  cardan__ode_result result = cardan__ode_result_of(CARDAN_OK);
  while (cardan__ode_is_done(result) && own->way * (t_target - own->t) > 0.0) {
    if (own->way * (own->t - ode->t) > 0.0) {
      copy(ode, ode->y, N_VGetArrayPointer(own->y));
      ode->t = own->t;
    }
    if (ode->counters.accepted + ode->counters.rejected - tried >= ode->options.max_steps) {
      return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
    }
    double t = own->t;
    own->called = cardan__ode_result_of(CARDAN_OK);
    result = verdict(own, own->kind->calls->evolve(own->mem, own->t_stop, own->y, &t, CV_ONE_STEP));
    own->t = t;
    count_steps(ode);
    if (cardan__ode_is_done(result) && !cardan__ode_finite(ode->n, N_VGetArrayPointer(own->y))) {
      result = cardan__ode_retry(CARDAN_ERR_NOT_FINITE);
    } else if (cardan__ode_is_done(result)) {
      own->h_retry = 0.0;
    } else if (result.outcome == CARDAN__ODE_RETRY && own->kind->calls == &ERK) {
      result = shrink(ode, t_target);
    }
  }
  own->stale = !cardan__ode_is_done(result);
  return result;
}

static cardan__ode_result sundials_advance(cardan__ode *ode, double t_target)
{
  solver *own = ode->own;
  if (own->stale && !start(ode, t_target > ode->t ? 1.0 : -1.0)) {
    return cardan__ode_result_of(CARDAN_ERR_ARGUMENT);
  }
  if (!set_bounds(ode, t_target)) {
    own->stale = true;
    return cardan__ode_result_of(CARDAN_ERR_ARGUMENT);
  }
  cardan__ode_result result = walk(ode, t_target);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  N_Vector at_target = own->y;
  if (own->kind->calls != &ERK && own->t != t_target) {
    at_target = own->row;
    result = verdict(own, CVodeGetDky(own->mem, t_target, 0, at_target));
  }
  bool changed = false;
  if (cardan__ode_is_done(result)) {
    result = cardan__ode_check(ode, t_target, N_VGetArrayPointer(at_target), &changed);
  }
  if (!cardan__ode_is_done(result)) {
    own->stale = true;
    return result;
  }
  copy(ode, ode->y, N_VGetArrayPointer(at_target));
  ode->t = t_target;
  own->stale = changed && !jump(ode) ? true : own->stale;
  return cardan__ode_result_of(CARDAN_OK);
}

static const solver_kind RKF45 = {.calls = &ERK, .pair = ARKODE_FEHLBERG_6_4_5};
static const solver_kind DOPRI5 = {.calls = &ERK, .pair = ARKODE_DORMAND_PRINCE_7_4_5};
static const solver_kind ADAMS = {.calls = &CV, .family = CV_ADAMS};
static const solver_kind BDF = {.calls = &CV, .family = CV_BDF};

#define SUNDIALS_ROW(method_name, method_order, kind)                                    \
  {                                                                                      \
    .name = (method_name), .order = (method_order), .adaptive = true, .estimates = true, \
    .data = &(kind), .create = sundials_create, .begin = sundials_begin,                 \
    .advance = sundials_advance, .destroy = sundials_destroy, .leave = sundials_leave    \
  }

const cardan__ode_method cardan__ode_rkf45 = SUNDIALS_ROW("rkf45", 5, RKF45);
const cardan__ode_method cardan__ode_dopri5 = SUNDIALS_ROW("dopri5", 5, DOPRI5);
const cardan__ode_method cardan__ode_adams = SUNDIALS_ROW("adams", 12, ADAMS);
const cardan__ode_method cardan__ode_bdf = SUNDIALS_ROW("bdf", 5, BDF);
