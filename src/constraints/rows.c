// SPDX-License-Identifier: Apache-2.0
#include "constraints/rows.h"

#include <string.h>

#include "constraints/row_kind.h"
#include "model/elements.h"

static const cardan__row_kind *const kinds[] = {
#define KIND(kind, id) [kind] = &cardan__row_kind_##id,
    CARDAN_ROW_LIST(KIND)
#undef KIND
};

void cardan__rows_value(const cardan__rowset *set, const cardan__view *view, double *phi)
{
  for (int i = 0; i < set->n; i++) {
    const cardan__row_at at = {set, view, &set->row[i]};
    phi[i] = kinds[at.row->kind]->value(&at);
  }
}

void cardan__rows_jacobian(const cardan__rowset *set, const cardan__view *view, cardan_rows *rows)
{
  memset(rows->w, 0, (size_t)set->nrow_body * sizeof *rows->w);
  memset(rows->c, 0, (size_t)set->nrow_dof * sizeof *rows->c);
  for (int i = 0; i < set->n; i++) {
    const cardan__row_at at = {set, view, &set->row[i]};
    const cardan__entries to = {rows->w + at.row->badr, rows->c + at.row->dadr};
    kinds[at.row->kind]->row(&at, &to);
  }
}

void cardan__rows_rates(const cardan__rowset *set, const cardan__view *view, double *phi_t,
                        double *gamma)
{
  for (int i = 0; i < set->n; i++) {
    const cardan__row_at at = {set, view, &set->row[i]};
    kinds[at.row->kind]->rates(&at, &phi_t[i], gamma ? &gamma[i] : NULL);
  }
}

void cardan__rows_jacobian_rate(const cardan__rowset *set, const cardan__view *view,
                                cardan_force *w, double *c)
{
  memset(w, 0, (size_t)set->nrow_body * sizeof *w);
  memset(c, 0, (size_t)set->nrow_dof * sizeof *c);
  for (int i = 0; i < set->n; i++) {
    const cardan__row_at at = {set, view, &set->row[i]};
    const cardan__entries to = {w + at.row->badr, c + at.row->dadr};
    if (kinds[at.row->kind]->change != NULL) {
      kinds[at.row->kind]->change(&at, &to);
    }
  }
}

const cardan_constraint *cardan__velocity_constraint(const cardan_model *model)
{
  for (int r = 0; r < model->nrow; r++) {
    if (model->row[r].velocity) {
      return &model->constraint[model->row[r].constraint];
    }
  }
  return NULL;
}

cardan_status cardan__check_velocity_rows(const cardan_model *model, cardan_report *report)
{
  const cardan_constraint *c = cardan__velocity_constraint(model);
  int positions = 0;
  for (int r = 0; r < model->nrow; r++) {
    positions += !model->row_redundant[r] && !model->row[r].velocity;
  }
  return c == NULL || positions == model->position_rank
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_UNSUPPORTED, c->pos,
                           "constraints on velocities, such as \"%.60s\", hold what constraints on "
                           "positions hold already: leave them out, or take method aba",
                           c->name);
}
