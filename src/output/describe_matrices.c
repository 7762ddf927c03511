// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/describe.h"
#include "cardan/matrices.h"
#include "output/json.h"

/* The matrices of a model at one state, as JSON or as a text to read. */

enum { NAME_SIZE = 10240 }; // the longest name of a row

typedef void namer(const cardan_matrices *m, int k, char *name, size_t size);

static void json_names(cardan__json *j, const char *key, const cardan_matrices *m, int n,
                       namer *name_of)
{
  char name[NAME_SIZE];
  cardan__json_open(j, key, '[');
  for (int k = 0; k < n; k++) {
    name_of(m, k, name, sizeof name);
    cardan__json_string(j, NULL, name);
  }
  cardan__json_close(j, ']');
}

static void velocity_name(const cardan_matrices *m, int k, char *name, size_t size)
{
  strncpy(name, m->model->v_name[k], size - 1);
  name[size - 1] = '\0';
}

static void true_name(const cardan_matrices *m, int k, char *name, size_t size)
{
  velocity_name(m, m->dof[k], name, size);
}

static void independent_name(const cardan_matrices *m, int k, char *name, size_t size)
{
  velocity_name(m, m->wdof[k], name, size);
}

static void row_name(const cardan_matrices *m, int k, char *name, size_t size)
{
  cardan_row_name(m->model, k, name, size);
}

/* The true degrees of freedom, and the linear system. */
static void write_system(const cardan_matrices *m, cardan__json *j)
{
  json_names(j, "dofs", m, m->n, true_name);
  cardan__json_matrix(j, "N", m->N, m->nv, m->n);
  if (m->W != m->N) {
    json_names(j, "velocity_dofs", m, m->nw, independent_name);
    cardan__json_matrix(j, "W", m->W, m->nv, m->nw);
  }
  cardan__json_open(j, "reduced", '{');
  cardan__json_matrix(j, "M", m->Mr, m->nw, m->nw);
  cardan__json_matrix(j, "C", m->Cr, m->nw, m->nw);
  cardan__json_matrix(j, "K", m->Kr, m->nw, m->n);
  cardan__json_close(j, '}');
  json_names(j, "states", m, m->nx, cardan_matrices_state);
  json_names(j, "inputs", m, m->nu, cardan_matrices_input);
  json_names(j, "outputs", m, m->ny, cardan_matrices_output);
  cardan__json_matrix(j, "A", m->A, m->nx, m->nx);
  cardan__json_matrix(j, "B", m->B, m->nx, m->nu);
  cardan__json_matrix(j, "Cy", m->Cy, m->ny, m->nx);
  cardan__json_matrix(j, "D", m->D, m->ny, m->nu);
  cardan__json_open(j, "exact", '[');
  for (int k = 0; k < m->ny; k++) {
    cardan__json_bool(j, NULL, m->y_exact[k]);
  }
  cardan__json_close(j, ']');
  cardan__json_numbers(j, "output_error", m->y_error, m->ny);
  cardan__json_bool(j, "equilibrium", m->balanced && !m->moves);
}

static void write_json(const cardan_matrices *m, const char *name, cardan__json *j)
{
  char note[CARDAN_MATRICES_NOTE];
  const cardan_model *model = m->model;
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", name);
  cardan__json_number(j, "mass", m->mass);
  cardan__json_numbers(j, "com", m->com, 3);
  json_names(j, "velocities", m, m->nv, velocity_name);
  cardan__json_number(j, "t", m->t);
  cardan__json_numbers(j, "q", m->q, model->nq);
  cardan__json_numbers(j, "v", m->v, m->nv);
  cardan__json_matrix(j, "M", m->M, m->nv, m->nv);
  cardan__json_matrix(j, "C", m->C, m->nv, m->nv);
  cardan__json_matrix(j, "K", m->K, m->nv, m->nv);
  cardan__json_numbers(j, "gravity", m->gravity, m->nv);
  json_names(j, "rows", m, m->nrow, row_name);
  cardan__json_matrix(j, "G", m->G, m->nrow, m->nv);
  if (m->status == CARDAN_OK) {
    cardan__json_numbers(j, "a", m->a, m->nv);
    cardan__json_numbers(j, "lambda", m->lambda, m->nrow);
    cardan__json_matrix(j, "Kc", m->Kc, m->nv, m->nv);
    write_system(m, j);
  }
  cardan__json_open(j, "notes", '[');
  for (int k = 0; cardan_matrices_note(m, k, note); k++) {
    cardan__json_string(j, NULL, note);
  }
  cardan__json_close(j, ']');
  cardan__json_close(j, '}');
  cardan__text_add(&j->text, "\n", 1);
}

static void text_row(cardan__text *out, const char *name, const double *x, int n)
{
  cardan__text_printf(out, "  %-20.60s", name);
  for (int k = 0; k < n; k++) {
    cardan__text_printf(out, " %11.5g", x[k]);
  }
  cardan__text_printf(out, "\n");
}

static void text_matrix(cardan__text *out, const char *title, const cardan_matrices *m,
                        const double *A, int rows, int columns, namer *name_of)
{
  char name[NAME_SIZE];
  if (rows > 0) {
    cardan__text_printf(out, "%s\n", title);
  }
  for (int k = 0; k < rows; k++) {
    name_of(m, k, name, sizeof name);
    text_row(out, name, A + (size_t)k * (size_t)columns, columns);
  }
}

static void text_system(const cardan_matrices *m, cardan__text *out)
{
  char name[NAME_SIZE];
  if (m->nrow > 0) {
    text_matrix(out, "Kc, stiffness of the constraints", m, m->Kc, m->nv, m->nv, velocity_name);
  }
  cardan__text_printf(out, "true degrees of freedom: %d\n", m->n);
  if (m->nw < m->nv) {
    text_matrix(out, "N, velocities by those of the degrees of freedom", m, m->N, m->nv, m->n,
                velocity_name);
    if (m->W != m->N) {
      cardan__text_printf(out, "independent velocities: %d\n", m->nw);
      text_matrix(out, "W, velocities by the independent ones", m, m->W, m->nv, m->nw,
                  velocity_name);
    }
    text_matrix(out, m->W != m->N ? "W^T M W" : "N^T M N", m, m->Mr, m->nw, m->nw,
                independent_name);
    text_matrix(out, "C of them", m, m->Cr, m->nw, m->nw, independent_name);
    text_matrix(out, "K of them, with that of the constraints", m, m->Kr, m->nw, m->n,
                independent_name);
  }
  text_matrix(out, "A, rates of the states by the states", m, m->A, m->nx, m->nx,
              cardan_matrices_state);
  cardan__text_printf(out, "%s", m->nx > 0 ? "B, by the inputs:" : "");
  for (int k = 0; k < m->nu && m->nx > 0; k++) {
    cardan_matrices_input(m, k, name, sizeof name);
    cardan__text_printf(out, " %.60s", name);
  }
  text_matrix(out, "", m, m->B, m->nx, m->nu, cardan_matrices_state);
  text_matrix(out, "Cy, outputs by the states", m, m->Cy, m->ny, m->nx, cardan_matrices_output);
  text_matrix(out, "D, outputs by the inputs", m, m->D, m->ny, m->nu, cardan_matrices_output);
}

static void write_text(const cardan_matrices *m, const char *name, cardan__text *out)
{
  char note[CARDAN_MATRICES_NOTE];
  cardan__text_printf(out, "%s: %.17g kg, centre of mass %.17g %.17g %.17g m\n", name, m->mass,
                      m->com[0], m->com[1], m->com[2]);
  text_matrix(out, "M, inertia", m, m->M, m->nv, m->nv, velocity_name);
  text_matrix(out, "C, forces by velocities", m, m->C, m->nv, m->nv, velocity_name);
  text_matrix(out, "K, forces by coordinates", m, m->K, m->nv, m->nv, velocity_name);
  text_matrix(out, "torques that hold it against gravity", m, m->gravity, m->nv, 1, velocity_name);
  text_matrix(out, "G, rows of the constraints", m, m->G, m->nrow, m->nv, row_name);
  if (m->status == CARDAN_OK) {
    text_system(m, out);
  }
  for (int k = 0; cardan_matrices_note(m, k, note); k++) {
    cardan__text_printf(out, "note: %s\n", note);
  }
}

cardan_status cardan_describe_matrices(const cardan_model *model, cardan_data *data,
                                       const char *name, bool json,
                                       const cardan_allocator *allocator, char **text,
                                       cardan_report *report)
{
  cardan_matrices *m = NULL;
  cardan__json j;
  *text = NULL;
  cardan_status status = cardan_matrices_create(model, data, allocator, &m, report);
  if (status == CARDAN_OK) {
    cardan__json_init(&j, allocator);
    if (json) {
      write_json(m, name, &j);
    } else {
      write_text(m, name, &j.text);
    }
    *text = j.text.failed ? NULL : j.text.data;
    if (j.text.failed) {
      cardan__text_free(&j.text);
      status = cardan__no_memory(report);
    }
  }
  cardan_matrices_destroy(m);
  return status;
}
