// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "base/clock.h"
#include "cardan/continue.h"
#include "run/sim_access.h"

/* States of a run in its table. Saving costs a copy of what the method keeps, and a commit of the
 * table: once in `seconds`, and after a step that took so long that it does not matter. The next
 * may take as long, and a signal that ends it then loses nothing. */

static const double long_step = 0.3; // [s]

struct cardan_checkpoint {
  cardan_allocator allocator;
  cardan_table *table;
  cardan_sim *sim;
  double seconds;
  double last, spent; // the clock at the last one; time in steps so far [s]
  void *state;
  size_t size;
};

cardan_status cardan_checkpoint_create(cardan_table *table, cardan_sim *sim, double seconds,
                                       const cardan_allocator *allocator, cardan_checkpoint **out,
                                       cardan_report *report)
{
  *out = NULL;
  if (!(seconds >= 0 && isfinite(seconds))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "checkpoints every %g s, expected 0 or more", seconds);
  }
  cardan_checkpoint *c = cardan__resize(allocator, NULL, sizeof *c);
  if (c == NULL) {
    return cardan__no_memory(report);
  }
  *c = (cardan_checkpoint){
      .table = table, .sim = sim, .seconds = seconds, .last = cardan__seconds()};
  c->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  *out = c;
  return CARDAN_OK;
}

void cardan_checkpoint_destroy(cardan_checkpoint *checkpoint)
{
  if (checkpoint != NULL) {
    const cardan_allocator allocator = checkpoint->allocator;
    cardan__resize(&allocator, checkpoint->state, 0);
    cardan__resize(&allocator, checkpoint, 0);
  }
}

cardan_status cardan_checkpoint_save(cardan_checkpoint *c, cardan_report *report)
{
  if (!cardan_sim_is_bit_resumable(c->sim)) {
    return CARDAN_OK; // it would not be the same motion any more
  }
  const size_t size = cardan_sim_snapshot_size(c->sim);
  if (size > c->size) {
    cardan__resize(&c->allocator, c->state, 0);
    c->state = cardan__resize(&c->allocator, NULL, size);
    c->size = c->state != NULL ? size : 0;
  }
  if (c->state == NULL) {
    return cardan__no_memory(report);
  }
  const cardan_status status = cardan_sim_snapshot_save(c->sim, c->state, size, report);
  return status == CARDAN_OK ? cardan_table_snapshot(c->table, cardan__sim_counts(c->sim)->steps,
                                                     c->state, size, report)
                             : status;
}

static cardan_status look_on(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  cardan_checkpoint *c = user;
  const double step = at->seconds - c->spent;
  (void)sim;
  c->spent = at->seconds;
  const bool timely = c->seconds > 0 && (at->now - c->last >= c->seconds || step >= long_step);
  if (at->status != CARDAN_OK || at->row != CARDAN_OK || !(timely || at->step == at->steps)) {
    return CARDAN_OK;
  }
  c->last = at->now;
  return cardan_checkpoint_save(c, report);
}

cardan_sink cardan_checkpoint_sink(cardan_checkpoint *checkpoint)
{
  return (cardan_sink){.user = checkpoint, .step = look_on};
}
