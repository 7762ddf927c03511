// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "constraints/assemble.h"
#include "spatial/spatial.h"

/* The sense of pairs that hold directions. With R = R_A^T R_B, the rows u . R w = 0 of pairs.c
 * leave more than the pair itself:
 *
 *   rows                          roots                                        the pair
 *   D(e1, a) D(e2, a)             R a = a, R a = -a                            a . R a = 1
 *   D(e1, a) D(e2, a) D(e1, e2)   R = 1, half turns about a, e1, e2            tr R = 3, not -1
 *   D(a1, a2)                     R = turn about a1, turn about a2: all are the pair
 *
 * The first are those of hinges, cylinders, screws and planes, the second those of welds and
 * slides. More rows make the others no roots:
 *   |R a - a|^2   with D(a, a) = 1                                                             (E1)
 *   |R - 1|^2     with all nine products of a, e1, e2                                          (E2)
 * Both have their one minimum over R at the pair, and what were false roots are maxima or saddles.
 * At the pair the new rows have no slope that the old ones have not. */

enum { MOST_MORE = 6 };

/* Directions of the rows of a constraint: first of its DOTs, and how many; 0: no sense to lose. */
static int directions(const cardan_model *model, const cardan_constraint *c, int *first)
{
  int n = 0;
  for (int r = c->row; r < c->row + c->nrow; r++) {
    if (model->row[r].kind == CARDAN_ROW_DOT) {
      *first = n == 0 ? r : *first;
      n++;
    }
  }
  return n >= 2 ? n : 0;
}

/* cos of the angle by which the pair is off: 1 or -1 where its rows are 0. */
static double sense(const cardan_model *model, const cardan_data *data, const cardan_row *row,
                    int n)
{
  const cardan_xform A = cardan_frame_pose(model, data, row->frame[0]);
  const cardan_xform B = cardan_frame_pose(model, data, row->frame[1]);
  const cardan_mat3 R = cardan__mat3_tmul(&A.R, &B.R);
  return n == 2 ? cardan__vec3_dot(row->w, cardan__mat3_mulv(&R, row->w))
                : 0.5 * (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1.0);
}

int cardan__wrong_sense(const cardan_model *model, const cardan_data *data)
{
  for (int i = 0; i < model->nconstraint; i++) {
    int first = 0;
    const int n = directions(model, &model->constraint[i], &first);
    if (n > 0 && sense(model, data, &model->row[first], n) < 0.0) {
      return i;
    }
  }
  return -1;
}

/* The rows of (E1) and (E2) that a pair does not have, to more; returns how many. */
static int missing_rows(const cardan_row *row, int n, cardan_row more[MOST_MORE])
{
  const cardan_vec3 a = row[0].w, e1 = row[0].u, e2 = row[1].u;
  const struct {
    cardan_vec3 u, w;
    double value;
  } all[MOST_MORE] = {{a, a, 1}, {e1, e1, 1}, {e2, e2, 1}, {a, e1, 0}, {a, e2, 0}, {e2, e1, 0}};
  const int count = n == 2 ? 1 : MOST_MORE;
  for (int i = 0; i < count; i++) {
    more[i] = row[0];
    more[i].u = all[i].u;
    more[i].w = all[i].w;
    more[i].value = all[i].value;
  }
  return count;
}

static void layout(void *what, cardan__carver *c)
{
  cardan__sensed *s = what;
  const cardan_model *m = &s->model;
  s->model.row = CARDAN__CARVE(c, m->nrow, cardan_row);
  s->model.row_body = CARDAN__CARVE(c, m->nrow_body, int);
  s->data.rows.w = CARDAN__CARVE(c, m->nrow_body, cardan_force);
  s->data.rows.phi = CARDAN__CARVE(c, m->nrow, double);
}

cardan_status cardan__sensed_open(cardan__sensed *s, const cardan_model *model, cardan_data *data)
{
  cardan_row more[MOST_MORE];
  int first = 0;
  *s = (cardan__sensed){.model = *model, .data = *data};
  for (int i = 0; i < model->nconstraint; i++) {
    const int n = directions(model, &model->constraint[i], &first);
    const int count = n > 0 ? missing_rows(&model->row[first], n, more) : 0;
    s->model.nrow += count;
    s->model.nrow_body += count * (n > 0 ? model->row[first].nb : 0);
  }
  s->block = cardan__carve_block(&data->allocator, layout, s);
  if (s->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memcpy(s->model.row, model->row, (size_t)model->nrow * sizeof *model->row);
  memcpy(s->model.row_body, model->row_body, (size_t)model->nrow_body * sizeof *model->row_body);
  int nrow = model->nrow, entries = model->nrow_body;
  for (int i = 0; i < model->nconstraint; i++) {
    const int n = directions(model, &model->constraint[i], &first);
    const int count = n > 0 ? missing_rows(&model->row[first], n, more) : 0;
    for (int k = 0; k < count; k++) {
      memcpy(s->model.row_body + entries, model->row_body + more[k].badr,
             (size_t)more[k].nb * sizeof *model->row_body);
      more[k].badr = entries;
      entries += more[k].nb;
      s->model.row[nrow++] = more[k];
    }
  }
  return CARDAN_OK;
}

void cardan__sensed_close(cardan__sensed *s)
{
  cardan__resize(&s->data.allocator, s->block, 0);
  s->block = NULL;
}
