// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/describe.h"
#include "cardan/dynamics.h"
#include "output/json.h"

/* The matrices of a model at one state, as JSON or as a text to read. */

enum { NAME_SIZE = 10240 }; // the longest name of a row

typedef struct {
  const cardan_model *model;
  const char *name;
  double com[3];
  double *M, *C, *K; // nv x nv
  double *gravity;   // nv
  double *G;         // nrow x nv
} matrices;

static void layout(void *what, cardan__carver *c)
{
  matrices *m = what;
  const size_t nv = (size_t)m->model->nv;
  m->M = cardan__carve(c, nv * nv, sizeof(double));
  m->C = cardan__carve(c, nv * nv, sizeof(double));
  m->K = cardan__carve(c, nv * nv, sizeof(double));
  m->gravity = cardan__carve(c, nv, sizeof(double));
  m->G = cardan__carve(c, nv * (size_t)m->model->nrow, sizeof(double));
}

static cardan_status fill(matrices *m, cardan_data *data)
{
  const cardan_model *model = m->model;
  const cardan_vec3 com = cardan_com(model, data, 0, NULL);
  m->com[0] = com.x;
  m->com[1] = com.y;
  m->com[2] = com.z;
  cardan_crba(model, data, m->M);
  cardan_gravity_torques(model, data, m->gravity);
  if (model->nrow > 0) {
    cardan_jacobian(model, data, m->G);
  }
  return cardan_stiffness(model, data, m->K, m->C);
}

static void write_json(const matrices *m, const cardan_data *data, cardan__json *j)
{
  const cardan_model *model = m->model;
  char row[NAME_SIZE];
  cardan__json_open(j, NULL, '{');
  cardan__json_string(j, "model", m->name);
  cardan__json_number(j, "mass", model->mass);
  cardan__json_numbers(j, "com", m->com, 3);
  cardan__json_open(j, "velocities", '[');
  for (int k = 0; k < model->nv; k++) {
    cardan__json_string(j, NULL, model->v_name[k]);
  }
  cardan__json_close(j, ']');
  cardan__json_numbers(j, "q", data->q, model->nq);
  cardan__json_numbers(j, "v", data->v, model->nv);
  cardan__json_matrix(j, "M", m->M, model->nv, model->nv);
  cardan__json_matrix(j, "C", m->C, model->nv, model->nv);
  cardan__json_matrix(j, "K", m->K, model->nv, model->nv);
  cardan__json_numbers(j, "gravity", m->gravity, model->nv);
  cardan__json_open(j, "rows", '[');
  for (int r = 0; r < model->nrow; r++) {
    cardan_row_name(model, r, row, sizeof row);
    cardan__json_string(j, NULL, row);
  }
  cardan__json_close(j, ']');
  cardan__json_matrix(j, "G", m->G, model->nrow, model->nv);
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

static void text_matrix(cardan__text *out, const char *title, const matrices *m, const double *A)
{
  cardan__text_printf(out, "%s\n", title);
  for (int k = 0; k < m->model->nv; k++) {
    text_row(out, m->model->v_name[k], A + (size_t)k * (size_t)m->model->nv, m->model->nv);
  }
}

static void write_text(const matrices *m, cardan__text *out)
{
  const cardan_model *model = m->model;
  char row[NAME_SIZE];
  cardan__text_printf(out, "%s: %.17g kg, centre of mass %.17g %.17g %.17g m\n", m->name,
                      model->mass, m->com[0], m->com[1], m->com[2]);
  text_matrix(out, "M, inertia", m, m->M);
  text_matrix(out, "C, forces by velocities", m, m->C);
  text_matrix(out, "K, forces by coordinates", m, m->K);
  cardan__text_printf(out, "torques that hold it against gravity\n");
  for (int k = 0; k < model->nv; k++) {
    text_row(out, model->v_name[k], &m->gravity[k], 1);
  }
  cardan__text_printf(out, model->nrow > 0 ? "G, rows of the constraints\n" : "");
  for (int r = 0; r < model->nrow; r++) {
    cardan_row_name(model, r, row, sizeof row);
    text_row(out, row, m->G + (size_t)r * (size_t)model->nv, model->nv);
  }
}

cardan_status cardan_describe_matrices(const cardan_model *model, cardan_data *data,
                                       const char *name, bool json,
                                       const cardan_allocator *allocator, char **text,
                                       cardan_report *report)
{
  matrices m = {.model = model, .name = name};
  void *block = cardan__carve_block(allocator, layout, &m);
  cardan__json j;
  *text = NULL;
  cardan_status status = block != NULL ? fill(&m, data) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    cardan__json_init(&j, allocator);
    if (json) {
      write_json(&m, data, &j);
    } else {
      write_text(&m, &j.text);
    }
    *text = j.text.failed ? NULL : j.text.data;
    if (j.text.failed) {
      cardan__text_free(&j.text);
      status = CARDAN_ERR_MEMORY;
    }
  }
  cardan__resize(allocator, block, 0);
  return status == CARDAN_OK
             ? status
             : cardan_fail(report, status, (cardan_pos){0, 0}, "%s",
                           status == CARDAN_ERR_MEMORY ? "out of memory" : data->info.message);
}
