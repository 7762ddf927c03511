// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <string.h>

#include "batch/lanes/model.h"
#include "model/build_rows.h"
#include "spatial/spatial.h"

/* Loops of a model in lanes: independent rows on places and directions of frames, and on two
 * coordinates. */

static bool is_taken(const cardan_row *r)
{
  return r->kind == CARDAN_ROW_POINT || r->kind == CARDAN_ROW_DOT || r->kind == CARDAN_ROW_OFFSET ||
         r->kind == CARDAN_ROW_WIRE || r->kind == CARDAN_ROW_COORD;
}

const char *cardan__lanes_loops_takes(const cardan_model *model)
{
  int n = 0;
  for (int i = 0; i < model->nrow; i++) {
    const cardan_row *r = &model->row[i];
    double length;
    if (!is_taken(r)) {
      return "of a constraint other than points, axes, constant lengths and gears";
    }
    if (r->kind == CARDAN_ROW_WIRE && !cardan__row_is_constant(model, r, &length)) {
      return "of a length that changes";
    }
    for (int k = 0; k < 2 && r->kind == CARDAN_ROW_COORD; k++) {
      if (model->body[model->q_body[r->var[k]]].nv != 1) {
        return "of a gear on a joint of several velocities";
      }
    }
    n += !model->row_redundant[i];
  }
  return n <= CARDAN__LANES_ROWS ? NULL : "of more than 8 rows of loops";
}

static void put3(double *to, cardan_vec3 from)
{
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

static void mark_path(const cardan_model *model, int body, cardan__lanes_row *to, char *path)
{
  to->last = body > to->last ? body : to->last;
  for (int i = body; i > 0; i = model->body[i].parent) {
    path[i] = 1;
  }
}

static void put_frames(const cardan_model *model, const cardan_row *r, cardan__lanes_row *to)
{
  for (int k = 0; k < 3; k++) {
    const bool used = k < 2 || r->kind == CARDAN_ROW_POINT;
    const cardan_frame *f = &model->frame[used ? r->frame[k] : 0];
    to->body[k] = f->body;
    put3(to->at[k], f->X_BF.p);
  }
  const cardan_frame *u = &model->frame[r->frame[r->kind == CARDAN_ROW_POINT ? 2 : 0]];
  put3(to->u, cardan__mat3_mulv(&u->X_BF.R, r->u));
  put3(to->w, cardan__mat3_mulv(&model->frame[r->frame[1]].X_BF.R, r->w));
}

static void put_row(const cardan_model *model, const cardan_row *r, cardan__lanes_row *to,
                    char *path)
{
  *to = (cardan__lanes_row){.kind = (int)r->kind, .value = r->value, .path = path};
  memset(path, 0, (size_t)model->nbody);
  if (r->kind == CARDAN_ROW_WIRE) {
    cardan__row_is_constant(model, r, &to->value);
  }
  if (r->kind != CARDAN_ROW_COORD) {
    put_frames(model, r, to);
  }
  for (int k = 0; k < 3 && r->kind != CARDAN_ROW_COORD; k++) {
    mark_path(model, to->body[k], to, path);
  }
  for (int k = 0; k < 2 && r->kind == CARDAN_ROW_COORD; k++) {
    const int body = model->q_body[r->var[k]];
    to->var[k] = r->var[k];
    to->dof[k] = model->body[body].vadr;
    to->coef[k] = r->coef[k];
    mark_path(model, body, to, path);
  }
}

int cardan__lanes_put_loops(const cardan_model *model, cardan__lanes_row *row, char *path)
{
  int n = 0;
  for (int i = 0; i < model->nrow; i++) {
    if (!model->row_redundant[i]) {
      put_row(model, &model->row[i], &row[n], path + (size_t)n * (size_t)model->nbody);
      n++;
    }
  }
  return n;
}
