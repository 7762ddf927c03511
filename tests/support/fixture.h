/* SPDX-License-Identifier: Apache-2.0
 * fixture.h - models with their data, for the tests of all rooms. Whatever goes wrong here fails
 * the test, with the report's sentence. */
#pragma once
#include "cardan/cardan.h"
#include "support.h"

typedef struct {
  cardan_model *model;
  cardan_data *data;
} fixture;

/* Fails the test unless status is CARDAN_OK; says what, and what the report says. */
void expect_ok(cardan_status status, const cardan_report *report, const char *what);

/* A built-in model, or a model text: what has a '(' in it. setting: "NAME=VALUE" or NULL. */
cardan_model *load_model(const char *model, const char *setting);

/* In a model text, what by with, which is as long. */
void replace(char *text, const char *what, const char *with);

/* A model as load_model takes it, and data at its start. */
fixture fixture_load(const char *model);
/* The same from a spec, which is given back. */
fixture fixture_build(cardan_spec *spec);
void fixture_free(fixture *f);
