// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/tape.h"
#include "model/build.h"
#include "run/sim.h"
#include "run/switches.h"

/* What is reported of comparisons: of those that were not located, and of those at which a force
 * holds the motion. */

/* The velocity that instruction i reads, of joints whose force element may be dry friction; NULL:
 * none. */
static const char *velocity_read(const cardan_model *model, const cardan_bound_expr *e, int i)
{
  const cardan__ins *ins = &cardan__expr_tape(e->expr)[i];
  if (ins->op == CARDAN__OP_CONST) {
    return NULL;
  }
  if (ins->op == CARDAN__OP_LEAF) {
    const cardan__leaf_ref *leaf = &e->leaf[ins->a];
    return leaf->kind == CARDAN__LEAF_V ? model->v_name[leaf->index] : NULL;
  }
  const bool two = ins->op >= CARDAN__OP_ADD, three = ins->op == CARDAN__OP_SELECT;
  const char *name = velocity_read(model, e, ins->a);
  name = name == NULL && two ? velocity_read(model, e, ins->b) : name;
  return name == NULL && three ? velocity_read(model, e, ins->c) : name;
}

bool cardan__switches_explain(const cardan_sim *sim, char *text, size_t size)
{
  const cardan__switches *s = &sim->switches;
  for (int k = 0; k < s->nstate; k++) {
    const cardan__switch *item = &s->item[s->ntime + k];
    const cardan_bound_expr *e = &sim->model->expr[item->expr];
    const double next = 2 * s->begun[k] - s->last[k];
    if (!isfinite(next) || (next < 0.0) == (s->begun[k] < 0.0)) {
      continue;
    }
    char named[256], instead[160] = "write it as a function without a jump";
    const char *velocity = velocity_read(sim->model, e, item->ins);
    cardan__expr_named(sim, item->expr, named, sizeof named);
    if (velocity != NULL) {
      snprintf(instead, sizeof instead,
               "if it stands for dry friction, write (dry-friction \"%.60s\" N) in its place",
               velocity);
    }
    snprintf(text, size,
             "a comparison in %s changes within this step, and where the force behind it pushes "
             "back, the motion stays at the switch, which no step can: %s",
             named, instead);
    return true;
  }
  return false;
}

void cardan__switches_end(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (s->unlocated == 0 || s->reported) {
    return;
  }
  char named[256], label[64] = "again and again";
  cardan__expr_named(sim, s->item[s->unlocated - 1].expr, named, sizeof named);
  if (!s->locates) {
    cardan_options_label(&sim->options, label, sizeof label);
  }
  s->reported = true;
  snprintf(
      sim->watch_text + used, size - used,
      "%sat t = %.6g a comparison in %s changes%s%s: from there on its moments are not located, "
      "and what it switches depends on dt",
      used > 0 ? "; " : "", s->unlocated_t, named,
      s->locates ? " " : ", and of the state none is located by ", label);
}
