// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/outputs.h"
#include "run/result_rows.h"
#include "run/sim.h"

/* The columns of a result: t, q, v, energies, constraint error, iterations, and those of options
 * CARDAN_ADD_... They are the same for every method. A group of columns is a row of the table
 * below: their number, names, units and values. */

static int count_one(const cardan_model *model)
{
  (void)model;
  return 1;
}

static int count_q(const cardan_model *model)
{
  return model->nq;
}

static int count_v(const cardan_model *model)
{
  return model->nv;
}

static int count_measures(const cardan_model *model)
{
  (void)model;
  return 5;
}

static int count_inputs(const cardan_model *model)
{
  return model->ninput;
}

static int count_states(const cardan_model *model)
{
  return model->nz;
}

static int count_outputs(const cardan_model *model)
{
  return model->ny;
}

static int count_momentum(const cardan_model *model)
{
  (void)model;
  return 6;
}

static int count_drivers(const cardan_model *model)
{
  return model->ndriven;
}

static int count_reactions(const cardan_model *model)
{
  return 6 * model->njoint;
}

static int count_multipliers(const cardan_model *model)
{
  return model->nrow;
}

static int count_work(const cardan_model *model)
{
  (void)model;
  return 2;
}

static int count_errors(const cardan_model *model)
{
  return model->nq + 2 * model->nv;
}

static void name_t(const cardan_model *model, int k, char *name, size_t size)
{
  (void)model;
  (void)k;
  snprintf(name, size, "t");
}

static void name_q(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "q.%s", model->q_name[k]);
}

static void name_v(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "v.%s", model->v_name[k]);
}

static void name_measure(const cardan_model *model, int k, char *name, size_t size)
{
  static const char *const names[] = {"kinetic", "potential", "energy", "constraint", "iterations"};
  (void)model;
  snprintf(name, size, "%s", names[k]);
}

static void name_input(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "u.%s", model->input[k].name);
}

static void name_state(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "z.%s", model->state[k].name);
}

static void name_output(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "%s", model->output[k].column);
}

static void name_momentum(const cardan_model *model, int k, char *name, size_t size)
{
  static const char *const names[] = {"P.x", "P.y", "P.z", "L.x", "L.y", "L.z"};
  (void)model;
  snprintf(name, size, "%s", names[k]);
}

static void name_driver(const cardan_model *model, int k, char *name, size_t size)
{
  snprintf(name, size, "f.%s", model->joint[model->driven[k]].name);
}

static void name_reaction(const cardan_model *model, int k, char *name, size_t size)
{
  static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  snprintf(name, size, "R.%s.%s", model->joint[k / 6].name, parts[k % 6]);
}

static void name_multiplier(const cardan_model *model, int k, char *name, size_t size)
{
  const cardan_constraint *c = &model->constraint[model->row[k].constraint];
  snprintf(name, size, "lambda.%s.%d", c->name, k - c->row + 1);
}

static void name_work(const cardan_model *model, int k, char *name, size_t size)
{
  static const char *const names[] = {"work", "balance"};
  (void)model;
  snprintf(name, size, "%s", names[k]);
}

static void name_error(const cardan_model *model, int k, char *name, size_t size)
{
  const int v = k - model->nq;
  if (v < 0) {
    snprintf(name, size, "e.q.%s", model->q_name[k]);
  } else if (v < model->nv) {
    snprintf(name, size, "e.v.%s", model->v_name[v]);
  } else {
    snprintf(name, size, "e.p.%s", model->v_name[v - model->nv]);
  }
}

static void fill_t(cardan_sim *sim, double *out)
{
  out[0] = sim->data->t;
}

static void fill_q(cardan_sim *sim, double *out)
{
  memcpy(out, sim->data->q, (size_t)sim->model->nq * sizeof *out);
}

static void fill_v(cardan_sim *sim, double *out)
{
  memcpy(out, sim->data->v, (size_t)sim->model->nv * sizeof *out);
}

static void fill_measures(cardan_sim *sim, double *out)
{
  out[0] = sim->seen.kinetic;
  out[1] = sim->seen.potential;
  out[2] = out[0] + out[1];
  out[3] = sim->seen.violation;
  out[4] = sim->stats.iterations;
}

static void fill_inputs(cardan_sim *sim, double *out)
{
  memcpy(out, sim->data->u, (size_t)sim->model->ninput * sizeof *out);
}

static void fill_states(cardan_sim *sim, double *out)
{
  memcpy(out, sim->data->z, (size_t)sim->model->nz * sizeof *out);
}

static void fill_momentum(cardan_sim *sim, double *out)
{
  const cardan_force m = cardan_total_momentum(sim->model, sim->data);
  const double values[6] = {m.f.x, m.f.y, m.f.z, m.t.x, m.t.y, m.t.z};
  memcpy(out, values, sizeof values);
}

/* Forces of the drivers of all joints, after publish. */
static void read_driver_forces(cardan_sim *sim, double *force)
{
  const cardan__method *method = sim->stepper->method;
  if (method->reactions != NULL) {
    method->reactions(sim->stepper, sim->data, NULL, force);
  } else {
    cardan_driver_forces(sim->model, sim->data, force);
  }
}

/* data->y, after publish where outputs_forward. */
static void compute_outputs(cardan_sim *sim)
{
  if (sim->outputs_forward) {
    read_driver_forces(sim, sim->data->driver);
  }
  cardan__outputs(sim->model, sim->data, sim->data->driver);
  cardan__watch_outputs(sim);
}

cardan_status cardan__sim_outputs(cardan_sim *sim)
{
  const cardan_status status =
      sim->outputs_forward ? sim->stepper->method->publish(sim->stepper, sim->data) : CARDAN_OK;
  if (status == CARDAN_OK) {
    compute_outputs(sim);
  }
  return status;
}

static void fill_outputs(cardan_sim *sim, double *out)
{
  compute_outputs(sim);
  memcpy(out, sim->data->y, (size_t)sim->model->ny * sizeof *out);
}

static void fill_drivers(cardan_sim *sim, double *out)
{
  double *force = (double *)sim->reaction; // njoint wrenches are room enough for njoint numbers
  read_driver_forces(sim, force);
  for (int k = 0; k < sim->model->ndriven; k++) {
    out[k] = force[sim->model->driven[k]];
  }
}

static void fill_reactions(cardan_sim *sim, double *out)
{
  const cardan__method *method = sim->stepper->method;
  if (method->reactions != NULL) {
    method->reactions(sim->stepper, sim->data, sim->reaction, NULL);
  } else {
    cardan_reactions(sim->model, sim->data, sim->reaction);
  }
  for (int j = 0; j < sim->model->njoint; j++) {
    const cardan_force *r = &sim->reaction[j];
    const double values[6] = {r->f.x, r->f.y, r->f.z, r->t.x, r->t.y, r->t.z};
    memcpy(out + 6 * j, values, sizeof values);
  }
}

static void fill_multipliers(cardan_sim *sim, double *out)
{
  memcpy(out, sim->data->lambda, (size_t)sim->model->nrow * sizeof *out);
}

static void fill_work(cardan_sim *sim, double *out)
{
  out[0] = cardan__sim_work(sim);
  out[1] = sim->seen.kinetic + sim->seen.potential - sim->stats.energy_initial - out[0];
}

/* 0 where the method or its integrator has no estimate. */
static void fill_errors(cardan_sim *sim, double *out)
{
  const cardan__method *method = sim->stepper->method;
  const int nq = sim->model->nq, nv = sim->model->nv;
  if (method->errors == NULL || !method->errors(sim->stepper, out, out + nq, out + nq + nv)) {
    memset(out, 0, (size_t)(nq + 2 * nv) * sizeof *out);
  }
}

typedef struct {
  int flag; // CARDAN_ADD_..: shown with one of these; 0: always
  int (*count)(const cardan_model *model);
  void (*name)(const cardan_model *model, int k, char *name, size_t size);
  const char *(*unit)(const cardan_model *model, int k);
  void (*fill)(cardan_sim *sim, double *out);
} column_group;

static const column_group groups[] = {
    {0, count_one, name_t, cardan__unit_time, fill_t},
    {0, count_q, name_q, cardan__unit_q, fill_q},
    {0, count_v, name_v, cardan__unit_v, fill_v},
    {0, count_measures, name_measure, cardan__unit_measure, fill_measures},
    {0, count_inputs, name_input, cardan__unit_none, fill_inputs},
    {0, count_outputs, name_output, cardan__unit_output, fill_outputs},
    {0, count_states, name_state, cardan__unit_state, fill_states},
    {CARDAN_ADD_MOMENTUM, count_momentum, name_momentum, cardan__unit_momentum, fill_momentum},
    {CARDAN_ADD_REACTIONS, count_drivers, name_driver, cardan__unit_driver, fill_drivers},
    {CARDAN_ADD_REACTIONS, count_reactions, name_reaction, cardan__unit_reaction, fill_reactions},
    {CARDAN_ADD_MULTIPLIERS, count_multipliers, name_multiplier, cardan__unit_multiplier,
     fill_multipliers},
    {CARDAN_ADD_WORK, count_work, name_work, cardan__unit_energy, fill_work},
    {CARDAN_ADD_WORK | CARDAN_ADD_CONTACTS, cardan__lost_count, cardan__lost_name,
     cardan__unit_energy, cardan__lost_fill},
    {CARDAN_ADD_CONTACTS, cardan__contact_count, cardan__contact_name, cardan__contact_unit,
     cardan__contact_fill},
    {CARDAN_ADD_TYRES, cardan__tyre_count, cardan__tyre_name, cardan__tyre_unit, cardan__tyre_fill},
    {CARDAN_ADD_ERRORS, count_errors, name_error, cardan__unit_error, fill_errors},
};
enum { NGROUP = sizeof groups / sizeof groups[0] };

static bool is_requested(const column_group *group, int add)
{
  return group->flag == 0 || (group->flag & add) != 0;
}

int cardan__column_count(const cardan_model *model, int add)
{
  int n = 0;
  for (int g = 0; g < NGROUP; g++) {
    n += is_requested(&groups[g], add) ? groups[g].count(model) : 0;
  }
  return n;
}

int cardan_sim_columns(const cardan_sim *sim, int add)
{
  return cardan__column_count(sim->model, add);
}

void cardan__column_name(const cardan_model *model, int add, int k, char *name, size_t size)
{
  for (int g = 0; g < NGROUP; g++) {
    const int n = is_requested(&groups[g], add) ? groups[g].count(model) : 0;
    if (k < n) {
      groups[g].name(model, k, name, size);
      return;
    }
    k -= n;
  }
}

void cardan_sim_column(const cardan_sim *sim, int add, int k, char *name, size_t size)
{
  cardan__column_name(sim->model, add, k, name, size);
}

const char *cardan_sim_unit(const cardan_sim *sim, int add, int k)
{
  for (int g = 0; g < NGROUP; g++) {
    const int n = is_requested(&groups[g], add) ? groups[g].count(sim->model) : 0;
    if (k < n) {
      return groups[g].unit(sim->model, k);
    }
    k -= n;
  }
  return "";
}

/* How many of n columns are the first ones of a group, in its order; their units. */
static int match_group(const cardan_model *model, const column_group *group,
                       const char *const *column, int n, const char **unit)
{
  char own[10240]; // names of a model have 10000 bytes at most
  const int most = group->count(model);
  int k = 0;
  for (; k < n && k < most; k++) {
    group->name(model, k, own, sizeof own);
    if (strcmp(own, column[k]) != 0) {
      break;
    }
    unit[k] = group->unit(model, k);
  }
  return k;
}

void cardan__column_units(const cardan_model *model, const char *const *column, int n,
                          const char **unit)
{
  for (int k = 0, next = 0; k < n;) {
    int found = 0;
    for (int g = next; g < NGROUP && found == 0; g++) {
      found = match_group(model, &groups[g], column + k, n - k, unit + k);
      next = found > 0 ? g + 1 : next;
    }
    if (found == 0) {
      unit[k] = cardan__unit_known(model, column[k]);
    }
    k += found > 0 ? found : 1;
  }
}

const char *cardan_column_unit(const cardan_model *model, const char *name)
{
  char own[10240];
  for (int g = 0; g < NGROUP; g++) {
    for (int k = 0; k < groups[g].count(model); k++) {
      groups[g].name(model, k, own, sizeof own);
      if (strcmp(own, name) == 0) {
        return groups[g].unit(model, k);
      }
    }
  }
  return "";
}

int cardan__column_find(const cardan_model *model, int add, const char *name)
{
  char own[10240]; // names of a model have 10000 bytes at most
  const int n = cardan__column_count(model, add);
  for (int k = 0; k < n; k++) {
    cardan__column_name(model, add, k, own, sizeof own);
    if (strcmp(own, name) == 0) {
      return k;
    }
  }
  return -1;
}

int cardan_sim_find_column(const cardan_sim *sim, int add, const char *name)
{
  return cardan__column_find(sim->model, add, name);
}

cardan_status cardan_sim_row(cardan_sim *sim, int add, double *row)
{
  const bool before = sim->settled; // a program may have changed inputs since
  const cardan_status settled = cardan__sim_settle(sim);
  if (settled != CARDAN_OK) {
    return settled;
  }
  if (before) {
    cardan__sim_measure(sim);
  }
  if (sim->outputs_forward || (add & (CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS))) {
    const cardan_status status = sim->stepper->method->publish(sim->stepper, sim->data);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  for (int g = 0; g < NGROUP; g++) {
    if (is_requested(&groups[g], add)) {
      groups[g].fill(sim, row);
      row += groups[g].count(sim->model);
    }
  }
  return CARDAN_OK;
}

void cardan__row_part(const cardan_sim *sim, int all, const double *row, int add, double *part)
{
  for (int g = 0; g < NGROUP; g++) {
    const size_t n = (size_t)groups[g].count(sim->model);
    if (is_requested(&groups[g], add)) {
      memcpy(part, row, n * sizeof *part);
      part += n;
    }
    row += is_requested(&groups[g], all) ? n : 0;
  }
}
