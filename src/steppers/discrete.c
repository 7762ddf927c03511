// SPDX-License-Identifier: Apache-2.0
#include "steppers/discrete.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "cardan/dynamics.h"

// in the order of cardan__vi_guess and cardan__svi_guess
static const char *const guesses[] = {"extrapolate", "current", "euler", "dynamics", "zero", NULL};
static const char *const starts[] = {"state", "two-point", NULL};

const cardan__option cardan__discrete_options[] = {
    {"guess", CARDAN__WORD, CARDAN__FIELD(guess), .words = guesses,
     .help = "where the root finder starts"},
    {"start", CARDAN__WORD, CARDAN__FIELD(start), .words = starts,
     .help = "from coordinates and velocities, or from q0 and q0 moved by dt v0"},
    {"tol", CARDAN__NUMBER, CARDAN__FIELD(tol), .high = 1, .unset = "1e-12",
     .help = "residual of every joint, relative to the momenta in play"},
    {"max-iter", CARDAN__COUNT, CARDAN__FIELD(max_iter), .low = 1, .high = INT_MAX, .initial = 100,
     .help = "evaluations of the residual in a step"},
    {"regularise", CARDAN__NUMBER, CARDAN__FIELD(regularise), .high = 1,
     .help = "part of its diagonal added to the constraints' matrix, to pass singular positions"},
    {NULL}};

void cardan__prescribed_moves(const cardan_model *model, cardan_data *trial,
                              const cardan_data *node, double t, double *dq)
{
  if (model->nprescribed == 0) {
    return;
  }
  trial->t = t;
  cardan_prescribe(model, trial);
  for (int i = 0; i < model->nprescribed; i++) {
    const cardan_body *b = &model->body[model->prescribed[i].body];
    dq[b->vadr] = trial->q[b->qadr] - node->q[b->qadr];
  }
}

cardan_status cardan__no_root(const cardan_model *model, const double *r, const double *inv_scale,
                              double merit, int iterations, cardan_info *info)
{
  double largest = -1;
  int worst = 0;
  for (int k = 0; k < model->nv; k++) {
    const double e = fabs(r[k]) * inv_scale[k];
    if (!(e <= largest)) { // also when it is not a number
      largest = e;
      worst = k;
    }
  }
  *info = (cardan_info){.body = model->v_body[worst],
                        .joint = model->body[model->v_body[worst]].joint,
                        .row = -1,
                        .residual = largest,
                        .iterations = iterations};
  snprintf(info->message, sizeof info->message,
           "the residual is largest at joint \"%.60s\", %.2g of its momentum after %d evaluations",
           model->joint[info->joint].name, largest, iterations);
  return isfinite(merit) ? CARDAN_ERR_NO_CONVERGENCE : CARDAN_ERR_NOT_FINITE;
}

cardan_status cardan__publish_node(cardan__stepper *stepper, cardan_data *data)
{
  const cardan_status status = cardan_forward(stepper->model, data, 0, 0);
  cardan_poses(stepper->model, data);
  return status;
}
