/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/continuous.h - what the methods aba and hamilton share: a state
 * y = [q; x; z], x the velocities or the momenta, z the auxiliary states, an ODE solver over it,
 * projection on the constraints, and work.
 *
 * A formulation says what x is. Everything else (memory, steps, restarts, errors) is here, once. */
#pragma once
#include "methods/continuous/floating.h"
#include "methods/continuous/input_line.h"
#include "methods/continuous/ode.h"
#include "methods/continuous/singular_crossing.h"
#include "methods/method.h"

typedef struct cardan__continuous cardan__continuous;

/* What x is. Evaluations happen in s->own, so that the caller's node stays as it is.
 * create      memory of the formulation's own; sets s->nx (nv unless noted otherwise) and s->dof
 * destroy     gives it back, also after a create that failed half way
 * start       pack at the start of a run; NULL: pack
 * pack        x (nx, out) from own's t, q, v, which satisfy the constraints
 * velocities  own's t, q, v from y at t, and the floating bodies' R
 * slope       x' (nx, out; may be NULL where x are velocities: own's a is it); also own's v, V,
 *             tau, f_ext, friction, and where the model has drivers or moving constraints a and
 *             lambda
 * conjugate   out (nv): momenta at y when x are velocities, velocities when x are momenta
 * accepted    between steps when the constraints are not projected; as in cardan__ode_problem; NULL
 * spans       what the formulation keeps from step to step; NULL: nothing
 * rejoin      as in cardan__method, after a restore; NULL
 * explain     turns the status of a failed step into the one to report; NULL: unchanged */
typedef struct {
  size_t size; // of the formulation's struct, which begins with a cardan__continuous
  bool momenta;
  bool holds;  // contacts, by slope and velocities
  bool passes; // singular positions are those of the rows alone, and passed with care
  bool floats; // x has velocities, or momenta, of floating bodies in axes of the world (floating.h)
  cardan_status (*create)(cardan__continuous *s);
  void (*destroy)(cardan__continuous *s);
  cardan_status (*start)(cardan__continuous *s, double *x);
  cardan_status (*pack)(cardan__continuous *s, double *x);
  cardan_status (*velocities)(cardan__continuous *s, double t, const double *y);
  cardan_status (*slope)(cardan__continuous *s, double t, const double *y, double *xdot);
  cardan_status (*conjugate)(cardan__continuous *s, double t, const double *y, double *out);
  cardan_status (*accepted)(cardan__continuous *s, double t, double *y, bool *changed);
  void (*spans)(cardan__continuous *s, cardan__spans *list);
  void (*rejoin)(cardan__continuous *s);
  cardan_status (*explain)(cardan__continuous *s, cardan_status status);
} cardan__formulation;

struct cardan__continuous {
  cardan__stepper base;
  const cardan__formulation *form;
  cardan__ode *ode;
  cardan_data *own;
  cardan_data *look; // states of a crossing, where own stays as it is; NULL: none is to be made
  cardan__singular_crossing crossing; // through singular positions
  double *y, *y_try;                  // n each: for start, and for local errors
  double *middle;                     // nv: of local errors
  const int *dof;                     // nx: velocity that x[k] belongs to; NULL: k
  cardan__floating *floating;         // nfloating
  cardan__input_line line;            // of inputs that are not held
  double *seen;                       // the caller's inputs of the last step (model/data.h)
  bool rejoined;                      // they count as changed in the next one
  int64_t tried;                      // internal steps before the step that is made
  int nfloating;                      // floating bodies, where the form has them in world axes
  int nq, nx;                         // y has one more: the integral of the power
  int nz;                             // before it stand the auxiliary states with a derivative
  bool works;                         // something of the model has a power
  bool pushed;                        // the caller's own forces have one
  bool project, fixed;                // projects after steps; the integrator has no history
  bool too_far;  // CARDAN_ERR_SINGULAR of the form: an adaptive integrator may have tried too far
  double kq, kv; // Baumgarte's gains, 0 by default
  struct cardan__friction_prediction
      *prediction; // friction that looks ahead: fixed steps; NULL: none does
};

/* The calls of a cardan__method; create is for the method's own create to call. */
cardan_status cardan__continuous_create(const cardan__method *method,
                                        const cardan__formulation *form, const cardan_model *model,
                                        const cardan_options *options,
                                        const cardan_allocator *allocator,
                                        cardan__stepper **out) CARDAN_MUST_USE;
void cardan__continuous_destroy(cardan__stepper *stepper);
cardan_status cardan__continuous_start(cardan__stepper *stepper, cardan_data *data) CARDAN_MUST_USE;
cardan__attempt cardan__continuous_step(cardan__stepper *stepper, cardan_data *data,
                                        double t_next) CARDAN_MUST_USE;
double cardan__continuous_work(const cardan__stepper *stepper);
bool cardan__continuous_errors(cardan__stepper *stepper, double *e_q, double *e_v, double *e_p);
void cardan__continuous_spans(cardan__stepper *stepper, cardan__spans *list);
void cardan__continuous_rejoin(cardan__stepper *stepper, cardan_data *data, bool restored);
cardan_status cardan__continuous_switched(cardan__stepper *stepper,
                                          cardan_data *data) CARDAN_MUST_USE;
cardan_status cardan__continuous_push(cardan__stepper *stepper, cardan_data *data,
                                      const double *dp) CARDAN_MUST_USE;

/* Options of every method over an integrator, and what they say to it. */
extern const cardan__option cardan__continuous_table[];
cardan__ode_options cardan__continuous_options(const cardan_options *options);

/* Does the step under way hold rows beside the model's? */
static inline bool cardan__continuous_held(const cardan__continuous *s)
{
  return s->base.held != NULL && s->base.held->n > 0;
}

/* cardan_forward at a node, with the friction that the steps have and what is closed there. */
cardan_status cardan__continuous_forward(cardan__continuous *s, cardan_data *data, double kq,
                                         double kv) CARDAN_MUST_USE;

/* singular.c
 * _rows   what the crossing asks, of a stepper (self)
 * _sizes  of the rows at a start in s->y, and a little before and after it: one of them may be
 *         short there */
extern const cardan__singular_crossing_rows cardan__continuous_rows;
cardan_status cardan__continuous_sizes(cardan__continuous *s, double t) CARDAN_MUST_USE;

/* y's auxiliary states to data. */
void cardan__continuous_load_aux_states(const cardan__continuous *s, const double *y,
                                        cardan_data *data);

/* Which component of y the work is. */
static inline int cardan__continuous_work_at(const cardan__continuous *s)
{
  return s->nq + s->nx + s->nz;
}

/* Inputs of own, or look, at t, where they are not held. */
static inline void cardan__continuous_inputs(const cardan__continuous *s, double t, cardan_data *to)
{
  if (s->line.lines != NULL) {
    cardan__input_line_at(&s->line, t, to->u);
  }
}

/* own's t and q from y. */
void cardan__continuous_load(cardan__continuous *s, double t, const double *y);
