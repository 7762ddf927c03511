/* SPDX-License-Identifier: Apache-2.0
 * output/describe_contact.h - solids, what their surfaces are like, what touches and what is
 * bounded, for descriptions of a model. */
#pragma once
#include "cardan/model.h"
#include "output/json.h"

/* Lines for people, at most shown of a kind; nothing where there is nothing. */
void cardan__contacts_text(const cardan_model *model, int shown, cardan__text *out);
/* "materials", "solids", "contacts", "pairs", "bounds" */
void cardan__contacts_json(const cardan_model *model, cardan__json *json);
