// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/contact.h"
#include "run/result_rows.h"
#include "run/sim.h"

/* Columns of what touches:
 *   contacts, gap, impacts                      how many are closed, the smallest gap, so far
 *   c.NAME.fn, .ft, .slip, .state               for each (contact ..) of the file
 *   bound.NAME                                  for each stop, rope, inequality
 *   limit.JOINT                                 for each joint with limits
 * Forces of a contact are sums of sizes over all places where its pairs touch; its slip is the
 * largest, and it slides when one of them does. */

enum { COUNTS = 3, OF_CONTACT = 4 };
enum { FEW = 4096 }; // pairs whose gaps are all looked at for a row

static bool has_limit(const cardan_joint *joint)
{
  return joint->has_limit && !joint->kinematic && joint->nq == 1;
}

static int count_limited(const cardan_model *model)
{
  int n = 0;
  for (int j = 0; j < model->njoint; j++) {
    n += has_limit(&model->joint[j]);
  }
  return n;
}

static bool touches(const cardan_model *model)
{
  return model->npair > 0 || model->nbound > 0 || count_limited(model) > 0;
}

/* ---- losses ---- */

int cardan__lost_count(const cardan_model *model)
{
  return !touches(model) ? 0 : model->npair > 0 ? 2 : 1;
}

void cardan__lost_name(const cardan_model *model, int k, char *name, size_t size)
{
  (void)model;
  snprintf(name, size, "%s", k == 0 ? "lost.impact" : "lost.friction");
}

void cardan__lost_fill(cardan_sim *sim, double *out)
{
  const int n = cardan__lost_count(sim->model);
  const cardan_contact_stats none = {0};
  const cardan_contact_stats *stats = sim->contacts != NULL ? &sim->contacts->ledger.stats : &none;
  const double values[2] = {stats->lost, stats->friction};
  memcpy(out, values, (size_t)n * sizeof *out);
}

/* ---- contacts ---- */

int cardan__contact_count(const cardan_model *model)
{
  return touches(model)
             ? COUNTS + OF_CONTACT * model->ncontact + model->nbound + count_limited(model)
             : 0;
}

/* The n-th joint with limits. */
static const cardan_joint *limited_at(const cardan_model *model, int n)
{
  const cardan_joint *joint = model->joint;
  while (!has_limit(joint) || n-- > 0) {
    joint++;
  }
  return joint;
}

void cardan__contact_name(const cardan_model *model, int k, char *name, size_t size)
{
  static const char *const counts[COUNTS] = {"contacts", "gap", "impacts"};
  static const char *const parts[OF_CONTACT] = {"fn", "ft", "slip", "state"};
  const int contact = k - COUNTS;
  const int bound = contact - OF_CONTACT * model->ncontact, limit = bound - model->nbound;
  if (contact < 0) {
    snprintf(name, size, "%s", counts[k]);
  } else if (bound < 0) {
    snprintf(name, size, "c.%s.%s", model->contact[contact / OF_CONTACT].name,
             parts[contact % OF_CONTACT]);
  } else if (limit < 0) {
    snprintf(name, size, "bound.%s", model->bound[bound].name);
  } else {
    snprintf(name, size, "limit.%s", limited_at(model, limit)->name);
  }
}

const char *cardan__contact_unit(const cardan_model *model, int k)
{
  static const char *const counts[COUNTS] = {"", "m, rad", ""};
  static const char *const parts[OF_CONTACT] = {"N", "N", "m/s", ""};
  const int contact = k - COUNTS;
  const int bound = contact - OF_CONTACT * model->ncontact, limit = bound - model->nbound;
  if (contact < 0) {
    return counts[k];
  }
  if (bound < 0) {
    return parts[contact % OF_CONTACT];
  }
  return limit < 0 ? cardan__unit_bound(model, bound)
                   : cardan__unit_limit(model, limited_at(model, limit));
}

/* Adds one place to the columns of its contact. */
static void add_place(const cardan_touching *place, double *column)
{
  column[0] += place->normal;
  column[1] += place->friction;
  if (place->state != CARDAN_TOUCH_OPEN) {
    column[2] = fmax(column[2], place->slip);
    column[3] = fmax(column[3], place->state);
  }
}

/* Column of a joint among those with limits, from that of an earlier or the same joint: *seen. */
static int limit_column(const cardan_model *model, int joint, int *seen, int column)
{
  if (joint < *seen) {
    *seen = column = 0;
  }
  for (; *seen < joint; ++*seen) {
    column += has_limit(&model->joint[*seen]);
  }
  return column;
}

void cardan__contact_fill(cardan_sim *sim, double *out)
{
  const cardan_model *model = sim->model;
  double *bound = out + COUNTS + OF_CONTACT * model->ncontact, *limit = bound + model->nbound;
  int seen = 0, column = 0;
  cardan_touching place;
  if (!touches(model)) {
    return;
  }
  memset(out, 0, (size_t)cardan__contact_count(model) * sizeof *out);
  out[1] = model->npair <= FEW ? cardan_smallest_gap(model, sim->data, NULL) : HUGE_VAL;
  out[2] = sim->contacts != NULL ? (double)sim->contacts->ledger.stats.impacts : 0.0;
  for (int k = 0; k < cardan__touching_count(sim); k++) {
    cardan__touching_at(sim, k, &place);
    out[0] += place.state != CARDAN_TOUCH_OPEN;
    out[1] = fmin(out[1], place.gap);
    if (place.pair >= 0) {
      add_place(&place, out + COUNTS + OF_CONTACT * model->pair[place.pair].contact);
    } else if (place.bound >= 0) {
      bound[place.bound] += place.normal;
    } else if (place.joint >= 0) {
      column = limit_column(model, place.joint, &seen, column);
      limit[column] += place.id == 0 ? place.normal : -place.normal;
    }
  }
  out[1] = out[1] < HUGE_VAL ? out[1] : (double)NAN; // nothing is there
}
