/* SPDX-License-Identifier: Apache-2.0
 * output/describe_inputs.h - the inputs of a model and what they drive, for a description of it. */
#pragma once
#include "cardan/model.h"
#include "output/json.h"

/* As lines under labels, at most `shown` of a kind; as members inputs and actuators. Nothing for a
 * model without inputs as text, empty lists as JSON. */
void cardan__inputs_text(const cardan_model *model, int shown, cardan__text *out);
void cardan__inputs_json(const cardan_model *model, cardan__json *json);
