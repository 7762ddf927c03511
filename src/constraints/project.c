// SPDX-License-Identifier: Apache-2.0
#include "constraints/project.h"

#include <math.h>

static const double longest_step = 0.5; // [rad, or sizes of the mechanism]

/* A step after which the next one would be rounding: Newton's error is its square, or its product
 * with the contradiction. */
static const double settled = 1e-9;

/* Newton with the first factorisation as long as it gains a digit each time; steps are limited, so
 * that a start far from assembled finds its way. */
static cardan_status positions(const cardan__projection *p, cardan__projected *end)
{
  double before = HUGE_VAL, size = HUGE_VAL;
  int more = p->more;
  for (int i = 0;; i++) {
    const double now = p->violation(p->self, &end->row);
    end->violation = now;
    end->iterations = i;
    end->contradiction = size <= settled && p->contradiction > 0.0;
    if ((now <= p->tol && more-- <= 0) || (end->contradiction && now <= p->contradiction)) {
      return CARDAN_OK;
    }
    if (i == p->most + p->more || (end->contradiction && now > p->tol) || !isfinite(now)) {
      return CARDAN_ERR_NO_CONVERGENCE;
    }
    if (i == 0 || now > 0.1 * before) {
      const cardan_status status = p->factor(p->self, false);
      if (status != CARDAN_OK) {
        return status;
      }
    }
    before = now;
    size = p->solve(p->self);
    p->move(p->self, size > longest_step ? longest_step / size : 1.0); // (E1)
  }
}

cardan_status cardan__project_rates(const cardan__projection *p)
{
  const cardan_status status = p->factor(p->self, true);
  if (status == CARDAN_OK) {
    p->rates(p->self);
    p->solve(p->self);
    p->kick(p->self); // (E2)
  }
  return status;
}

cardan_status cardan__project_with(const cardan__projection *p, cardan__projected *end)
{
  *end = (cardan__projected){.row = -1};
  const cardan_status status = positions(p, end);
  return status == CARDAN_OK ? cardan__project_rates(p) : status;
}
