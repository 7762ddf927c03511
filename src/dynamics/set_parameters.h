/* SPDX-License-Identifier: Apache-2.0
 * dynamics/set_parameters.h - a compiled model with other values of all its parameters. */
#pragma once
#include "cardan/model.h"

/* As cardan_model_set for all parameters at once, so that only the values together have to be good.
 * value   nparameter, finite, the model's own where parameter.rigid_pos has a line; entries of
 *         derived ones are not read
 * returns as cardan_model_set; after a failure the model is of no use but to be destroyed */
cardan_status cardan__model_set_all(cardan_model *model, const double *value,
                                    cardan_report *report) CARDAN_MUST_USE;
