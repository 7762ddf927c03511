// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "model/joint_table.h"
#include "run/result_rows.h"

/* Units of the columns of the table of motion, for pages and readers of tables, which need not
 * guess them from names. "" is a number without a unit, or one whose unit the file
 * does not say (inputs, outputs, auxiliary states, equations). */

/* Does velocity v of the model slide? */
static bool slides(const cardan_model *model, int v)
{
  const cardan_body *body = &model->body[model->v_body[v]];
  return cardan__link_slides(body, v - body->vadr);
}

/* Of a body with a quaternion the places stand before it. */
const char *cardan__unit_q(const cardan_model *model, int k)
{
  const cardan_body *body = &model->body[model->q_body[k]];
  const int quaternion = cardan__quat_of(body->nq, body->nv), own = k - body->qadr;
  if (quaternion >= 0) {
    return own >= quaternion ? "" : "m";
  }
  return cardan__link_slides(body, own) ? "m" : "rad";
}

const char *cardan__unit_v(const cardan_model *model, int k)
{
  return slides(model, k) ? "m/s" : "rad/s";
}

const char *cardan_coordinate_unit(const cardan_model *model, int v)
{
  return slides(model, v) ? "m" : "rad";
}

const char *cardan__unit_measure(const cardan_model *model, int k)
{
  (void)model;
  return k < 3 ? "J" : k == 3 ? "m, rad" : "";
}

const char *cardan__unit_momentum(const cardan_model *model, int k)
{
  (void)model;
  return k < 3 ? "kg m/s" : "kg m^2/s";
}

/* The force that belongs to a joint's one velocity; of several that differ none is known. */
static const char *unit_of_joint(const cardan_model *model, const cardan_joint *joint)
{
  for (int k = 1; k < joint->nv; k++) {
    if (slides(model, joint->vadr + k) != slides(model, joint->vadr)) {
      return "";
    }
  }
  return joint->nv == 0 ? "" : slides(model, joint->vadr) ? "N" : "N m";
}

const char *cardan__unit_driver(const cardan_model *model, int k)
{
  return unit_of_joint(model, &model->joint[model->driven[k]]);
}

const char *cardan__unit_reaction(const cardan_model *model, int k)
{
  (void)model;
  return k % 6 < 3 ? "N" : "N m";
}

/* A multiplier times what its row counts is an energy: a row of lengths has a force. */
static const char *unit_of_row(const cardan_row *row)
{
  return row->kind == CARDAN_ROW_EXPR || row->kind == CARDAN_ROW_VELOCITY ? ""
         : row->scaled                                                    ? "N"
                                                                          : "N m";
}

const char *cardan__unit_multiplier(const cardan_model *model, int k)
{
  return unit_of_row(&model->row[k]);
}

const char *cardan__unit_energy(const cardan_model *model, int k)
{
  (void)model;
  (void)k;
  return "J";
}

const char *cardan__unit_error(const cardan_model *model, int k)
{
  const int v = k - model->nq, p = v - model->nv;
  if (v < 0) {
    return cardan__unit_q(model, k);
  }
  return p < 0 ? cardan__unit_v(model, v) : slides(model, p) ? "kg m/s" : "kg m^2/s";
}

const char *cardan__unit_time(const cardan_model *model, int k)
{
  (void)model;
  (void)k;
  return "s";
}

const char *cardan__unit_output(const cardan_model *model, int k)
{
  return model->output[k].unit;
}

/* Of a tyre: the deflection of its tread. */
const char *cardan__unit_state(const cardan_model *model, int k)
{
  return model->state[k].force >= 0 ? "m" : "";
}

const char *cardan__unit_none(const cardan_model *model, int k)
{
  (void)model;
  (void)k;
  return "";
}

const char *cardan__unit_bound(const cardan_model *model, int bound)
{
  return unit_of_row(&model->bound_row[model->bound[bound].row]);
}

const char *cardan__unit_limit(const cardan_model *model, const cardan_joint *joint)
{
  return unit_of_joint(model, joint);
}

const char *cardan__unit_known(const cardan_model *model, const char *name)
{
  static const char *const frames[][2] = {
      {"p.", "m"}, {"pd.", "m/s"}, {"pdd.", "m/s^2"}, {"wd.", "rad/s^2"}, {"w.", "rad/s"}};
  const bool force = strncmp(name, "tau.", 4) == 0;
  if (force || strncmp(name, "a.", 2) == 0) {
    const char *own = name + (force ? 4 : 2);
    for (int k = 0; k < model->nv; k++) {
      if (strcmp(model->v_name[k], own) == 0) {
        return slides(model, k) ? (force ? "N" : "m/s^2") : (force ? "N m" : "rad/s^2");
      }
    }
  }
  const char *part = strrchr(name, '.'); // of a reaction: R.JOINT.fx
  if (strncmp(name, "R.", 2) == 0 && strlen(part) == 3 && strchr("xyz", part[2])) {
    return part[1] == 'f' ? "N" : part[1] == 't' ? "N m" : "";
  }
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    if (strncmp(name, frames[i][0], strlen(frames[i][0])) == 0) {
      return frames[i][1];
    }
  }
  return "";
}
