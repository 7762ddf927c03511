// SPDX-License-Identifier: Apache-2.0
#include "model/spec.h"

/* Numbers of a spec that depend on parameters. An item (a frame, an element, ..) holds the value
 * as any other number; beside it stands a list of which of its numbers have an expression, so that
 * a text can be written with them and a model can work them out again. */

void cardan__spec_bind(cardan_spec *spec, int *list, int slot, const cardan__expr *expr,
                       cardan_pos pos)
{
  const int at = spec->nliving > 0 ? spec->nliving : 1;
  if (spec->status || !cardan__spec_grow(spec, (void **)&spec->living, &spec->cap_living, at,
                                         sizeof *spec->living)) {
    return;
  }
  spec->living[at] = (cardan__spec_living){.slot = slot, .next = *list, .expr = expr, .pos = pos};
  spec->nliving = at + 1;
  *list = at;
}

const cardan__expr *cardan__spec_living_at(const cardan_spec *spec, int list, int slot)
{
  while (list > 0 && spec->living[list].slot != slot) {
    list = spec->living[list].next;
  }
  return list > 0 ? spec->living[list].expr : NULL;
}

void cardan__spec_stiffen(cardan_spec *spec, const cardan__expr *expr, cardan_pos pos)
{
  for (int i = 0; i < expr->nleaf; i++) {
    const int found = cardan__spec_find_define(spec, cardan__expr_leaf_name(expr, i));
    if (found >= 0 && spec->define[found].rigid_pos.line == 0) {
      spec->define[found].rigid_pos = pos;
    }
  }
}

void cardan__spec_stiffen_derived(cardan_spec *spec)
{
  // a constant depends on those before it
  for (int i = spec->ndefine - 1; i >= 0 && spec->nparameter > 0; i--) {
    const cardan__spec_define *d = &spec->define[i];
    if (d->expr && d->rigid_pos.line > 0) {
      cardan__spec_stiffen(spec, d->expr, d->rigid_pos);
    }
  }
}
