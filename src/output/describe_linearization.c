// SPDX-License-Identifier: Apache-2.0
#include "cardan/linearize.h"
#include "output/csv_text.h"
#include "output/json.h"

/* Derivatives of a step as a text: CSV, or JSON. */

enum { NAME_SIZE = 10240 }; // the longest name with its prefix

typedef void namer(const cardan_linearization *l, int k, char *name, size_t size);

static void csv_row(cardan__text *text, const char *name, const double *x, int nx, const double *u,
                    int nu)
{
  cardan__csv_name(text, "", name);
  cardan__csv_numbers(text, x, nx);
  cardan__csv_numbers(text, u, nu);
  cardan__text_add(text, "\n", 1);
}

static void write_csv(const cardan_linearization *l, char *name, cardan__text *text)
{
  cardan__text_printf(text, "next");
  for (int k = 0; k < l->nx + l->nu; k++) {
    if (k < l->nx) {
      cardan_linearization_state(l, k, name, NAME_SIZE);
    } else {
      cardan_linearization_input(l, k - l->nx, name, NAME_SIZE);
    }
    cardan__text_add(text, ",", 1);
    cardan__csv_name(text, "", name);
  }
  cardan__text_add(text, "\n", 1);
  for (int i = 0; i < l->nx; i++) {
    cardan_linearization_state(l, i, name, NAME_SIZE);
    csv_row(text, name, l->A + (size_t)i * (size_t)l->nx, l->nx, l->B + (size_t)i * (size_t)l->nu,
            l->nu);
  }
  for (int i = 0; i < l->nlambda; i++) {
    cardan_linearization_multiplier(l, i, name, NAME_SIZE);
    csv_row(text, name, l->lambda_x + (size_t)i * (size_t)l->nx, l->nx,
            l->lambda_u + (size_t)i * (size_t)l->nu, l->nu);
  }
}

static void json_names(cardan__json *j, const char *key, const cardan_linearization *l, int n,
                       namer *name_of, char *name)
{
  cardan__json_open(j, key, '[');
  for (int k = 0; k < n; k++) {
    name_of(l, k, name, NAME_SIZE);
    cardan__json_string(j, NULL, name);
  }
  cardan__json_close(j, ']');
}

static void write_json(const cardan_linearization *l, char *name, cardan__json *j)
{
  cardan__json_open(j, NULL, '{');
  cardan__json_number(j, "t", l->t);
  cardan__json_number(j, "dt", l->dt);
  json_names(j, "state", l, l->nx, cardan_linearization_state, name);
  json_names(j, "input", l, l->nu, cardan_linearization_input, name);
  json_names(j, "multiplier", l, l->nlambda, cardan_linearization_multiplier, name);
  cardan__json_numbers(j, "q", l->q, l->model->nq);
  cardan__json_numbers(j, "p", l->p, l->np);
  cardan__json_numbers(j, "q_next", l->q_next, l->model->nq);
  cardan__json_numbers(j, "p_next", l->p_next, l->np);
  cardan__json_numbers(j, "lambda", l->lambda, l->nlambda);
  cardan__json_matrix(j, "A", l->A, l->nx, l->nx);
  cardan__json_matrix(j, "B", l->B, l->nx, l->nu);
  cardan__json_matrix(j, "lambda_x", l->lambda_x, l->nlambda, l->nx);
  cardan__json_matrix(j, "lambda_u", l->lambda_u, l->nlambda, l->nu);
  json_names(j, "output", l, l->ny, cardan_linearization_output, name);
  cardan__json_matrix(j, "C", l->C, l->ny, l->nx);
  cardan__json_matrix(j, "D", l->D, l->ny, l->nu);
  cardan__json_close(j, '}');
  cardan__text_add(&j->text, "\n", 1);
}

cardan_status cardan_describe_linearization(const cardan_linearization *linear, bool json,
                                            const cardan_allocator *allocator, char **text)
{
  char name[NAME_SIZE];
  cardan__json j;
  cardan__json_init(&j, allocator);
  if (json) {
    write_json(linear, name, &j);
  } else {
    write_csv(linear, name, &j.text);
  }
  *text = j.text.failed ? NULL : j.text.data;
  if (j.text.failed) {
    cardan__text_free(&j.text);
    return CARDAN_ERR_MEMORY;
  }
  return CARDAN_OK;
}
