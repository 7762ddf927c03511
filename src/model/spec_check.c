// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/elements.h"

/* What only a whole spec can show: references by name, in the order of the text's items. */

typedef struct {
  const cardan_spec *spec;
  cardan_report *report;
} checker;

/* `; the nearest is "J1"` or "" */
static cardan__shown hint(const char *nearest)
{
  cardan__shown shown = {""};
  if (nearest && strlen(nearest) < sizeof(shown.text) - 24) {
    snprintf(shown.text, sizeof(shown.text), "; did you mean \"%s\"?", nearest);
  }
  return shown;
}

const char *cardan__spec_nearest_frame(const cardan_spec *spec, const char *name)
{
  const char *pair[2] = {cardan__names_nearest(&spec->frame_names, name),
                         cardan__names_nearest(&spec->var_names, name)};
  if (!pair[0] || !pair[1]) {
    return pair[0] ? pair[0] : pair[1];
  }
  return cardan__nearest(name, pair, 2);
}

static cardan_status check_frame(const checker *c, const char *name, cardan_pos pos)
{
  if (cardan__spec_find_frame(c->spec, name) >= 0) {
    return CARDAN_OK;
  }
  const cardan__var_ref ref = cardan__spec_find_var(c->spec, name);
  if (ref.frame >= 0 && c->spec->frame[ref.frame].name) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                       "found no frame \"%s\", only a variable; its frame is named \"%s\"",
                       cardan__show(name).text, cardan__show(c->spec->frame[ref.frame].name).text);
  }
  return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                     "found no frame \"%s\"; expected the name of a frame of this model%s",
                     cardan__show(name).text, hint(cardan__spec_nearest_frame(c->spec, name)).text);
}

/* The coordinates or velocities of a joint: `"u.a" or "u.b"` */
static void list_suffixes(const cardan_spec *spec, int frame, const char *name, bool velocities,
                          char *text, size_t size)
{
  const cardan__joint_type *type = cardan__joint_type_of(cardan__spec_joint_kind(spec, frame));
  const int n = velocities ? type->nv : type->nq;
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < n && used < size; k++) {
    const char *suffix = velocities ? type->v_suffix[k] : type->q_suffix[k];
    const char *between = k == 0 ? "" : k == n - 1 ? " or " : ", ";
    const int wrote = snprintf(text + used, size - used, "%s\"%.24s%s\"", between, name, suffix);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}

static cardan_status wrong_use(const checker *c, const char *name, cardan__var_ref ref,
                               cardan__var_use as, cardan_pos pos)
{
  char choice[256];
  if (as == CARDAN__AS_JOINT) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                       "found \"%s\", one coordinate of a joint; expected the joint itself, \"%s\"",
                       cardan__show(name).text,
                       cardan__show(cardan__spec_var_name(c->spec, ref.frame)).text);
  }
  const char *joint = cardan__spec_var_name(c->spec, ref.frame);
  const cardan__joint_type *type =
      cardan__joint_type_of(cardan__spec_joint_kind(c->spec, ref.frame));
  if (type->nq == 0) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                       "found the fixed joint \"%s\"; expected one that moves",
                       cardan__show(name).text);
  }
  const bool velocities = as != CARDAN__AS_COORDINATE;
  list_suffixes(c->spec, ref.frame, joint, velocities, choice, sizeof(choice));
  return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                     "found \"%s\", which is no single %s of this %s joint; expected %s",
                     cardan__show(name).text, velocities ? "velocity" : "coordinate", type->word,
                     choice);
}

static cardan_status check_var(const checker *c, const char *name, cardan__var_use as,
                               cardan_pos pos)
{
  const cardan__var_ref ref = cardan__spec_find_var(c->spec, name);
  if (ref.frame < 0 && cardan__spec_find_closing(c->spec, name) >= 0) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                       "found \"%s\", the coordinate of a closing joint; expected a joint of the "
                       "tree",
                       cardan__show(name).text);
  }
  if (ref.frame < 0) {
    return cardan_fail(
        c->report, CARDAN_ERR_MODEL, pos,
        "found no %s \"%s\"; expected the name of a variable or joint of this model%s",
        as == CARDAN__AS_JOINT ? "joint" : "variable", cardan__show(name).text,
        hint(cardan__names_nearest(&c->spec->var_names, name)).text);
  }
  const bool whole = cardan__names_get(&c->spec->var_names, name) >= 0;
  const bool moves = cardan__joint_type_of(cardan__spec_joint_kind(c->spec, ref.frame))->nv > 0;
  const bool right = as == CARDAN__AS_COORDINATE   ? ref.q >= 0
                     : as == CARDAN__AS_VELOCITY   ? ref.v >= 0
                     : as == CARDAN__AS_VELOCITIES ? ref.v >= 0 || (whole && moves)
                                                   : whole;
  return right ? CARDAN_OK : wrong_use(c, name, ref, as, pos);
}

static cardan_status check_input(const checker *c, const char *name, cardan_pos pos)
{
  if (cardan__names_get(&c->spec->input_names, name) >= 0) {
    return CARDAN_OK;
  }
  return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                     "found no input \"%s\"; expected the name of an (input ..) of this model%s",
                     cardan__show(name).text,
                     hint(cardan__names_nearest(&c->spec->input_names, name)).text);
}

static cardan_status check_state(const checker *c, const char *name, cardan_pos pos)
{
  if (cardan__names_get(&c->spec->state_names, name) >= 0) {
    return CARDAN_OK;
  }
  return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                     "found no auxiliary state \"%s\"; expected the name of a (state ..) or "
                     "(memory ..) of this model%s",
                     cardan__show(name).text,
                     hint(cardan__names_nearest(&c->spec->state_names, name)).text);
}

/* ---- the parts ---- */

/* A frame without a name of its own takes its variable's: it must be free. */
static cardan_status check_taken_names(const checker *c)
{
  const cardan_spec *spec = c->spec;
  for (int i = 1; i < spec->nframe; i++) {
    const char *name = spec->frame[i].name ? NULL : cardan__spec_frame_name(spec, i);
    const int other = name ? cardan__names_get(&spec->frame_names, name) : -1;
    if (other >= 0) {
      return cardan_fail(c->report, CARDAN_ERR_MODEL, spec->frame[other].name_pos,
                         "the frame name \"%s\" is already used%s, where a frame takes it from its "
                         "variable; expected another name here, or a (name ..) there",
                         cardan__show(name).text, cardan__cite(spec->frame[i].pos).text);
    }
  }
  return CARDAN_OK;
}

/* A closing joint's coordinate is called as no other. */
static cardan_status check_closing_names(const checker *c)
{
  for (int i = 0; i < c->spec->nclosing; i++) {
    const cardan__spec_closing *closing = &c->spec->closing[i];
    if (cardan__spec_find_var(c->spec, closing->of.name).frame >= 0) {
      return cardan_fail(c->report, CARDAN_ERR_MODEL, closing->pos,
                         "found the coordinate \"%s\" of a closing joint, which a joint or "
                         "variable is called too; expected another name",
                         cardan__show(closing->of.name).text);
    }
    for (int rate = 0; rate < 2; rate++) {
      char column[CARDAN__NAME_MAX + 3];
      snprintf(column, sizeof column, "%c.%s", rate ? 'v' : 'q', closing->of.name);
      const int output = cardan__names_get(&c->spec->output_names, column);
      if (output >= 0) {
        return cardan_fail(c->report, CARDAN_ERR_MODEL, c->spec->output[output].pos,
                           "found an output \"%s\", which a closing joint has already%s; expected "
                           "another name",
                           cardan__show(column).text, cardan__cite(closing->pos).text);
      }
    }
  }
  return CARDAN_OK;
}

/* Energies have no name; a constraint's is looked up when it is numbered. */
static cardan_status check_sense(const checker *c, int sense, const char *name, cardan_pos pos)
{
  if (sense >= CARDAN__SENSE_KINETIC) {
    return CARDAN_OK;
  }
  return sense == CARDAN__SENSE_DRIVER ? check_var(c, name, CARDAN__AS_JOINT, pos)
                                       : check_frame(c, name, pos);
}

static cardan_status check_expr(const checker *c, const cardan__expr *expr)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < expr->nleaf && !status; i++) {
    const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
    const char *name = cardan__expr_leaf_name(expr, i);
    if (leaf->kind == CARDAN__LEAF_FRAME || leaf->kind == CARDAN__LEAF_TWIST ||
        leaf->kind == CARDAN__LEAF_TURN) {
      status = check_frame(c, name, leaf->pos);
    } else if (leaf->kind == CARDAN__LEAF_U) {
      status = check_input(c, name, leaf->pos);
    } else if (leaf->kind == CARDAN__LEAF_Z) {
      status = check_state(c, name, leaf->pos);
    } else if (leaf->kind == CARDAN__LEAF_SENSE) {
      status = check_sense(c, leaf->axis, name, leaf->pos);
    } else if ((leaf->kind == CARDAN__LEAF_Q || leaf->kind == CARDAN__LEAF_V) &&
               cardan__spec_find_closing(c->spec, name) < 0) {
      const cardan__var_use as =
          leaf->kind == CARDAN__LEAF_Q ? CARDAN__AS_COORDINATE : CARDAN__AS_VELOCITY;
      status = check_var(c, name, as, leaf->pos);
    }
  }
  return status;
}

/* What is sampled may read what a node has of itself. */
static cardan_status check_sample(const checker *c, const cardan__expr *expr)
{
  for (int i = 0; i < expr->nleaf; i++) {
    const cardan__expr_leaf *leaf = cardan__expr_leaf_at(expr, i);
    if (leaf->kind == CARDAN__LEAF_SENSE && cardan__sense_needs_forward(leaf->axis)) {
      return cardan_fail(c->report, CARDAN_ERR_MODEL, leaf->pos,
                         "found (%s ..) in what is sampled; expected positions, velocities, state "
                         "variables, inputs and energies: accelerations and forces follow from "
                         "the inputs that a sample sets",
                         cardan__expr_sense_word(leaf->axis));
    }
  }
  return check_expr(c, expr);
}

static cardan_status check_states(const checker *c)
{
  const cardan_spec *spec = c->spec;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < spec->nstate && !status; i++) {
    status = spec->state[i].expr != NULL ? check_sample(c, spec->state[i].expr) : CARDAN_OK;
  }
  for (int i = 0; i < spec->ncontroller && !status; i++) {
    status = check_input(c, spec->controller[i].input, spec->controller[i].pos);
    status = status ? status : check_sample(c, spec->controller[i].expr);
  }
  return status;
}

/* A name that an element stands on: of an input, a coordinate of the tree or of a closing joint. */
static cardan_status check_end(const checker *c, const cardan__spec_element *e, int i)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  if (i == cardan__element_input(kind)) {
    return check_input(c, e->var[i], e->var_pos[i]);
  }
  return cardan__spec_find_closing(c->spec, e->var[i]) >= 0
             ? cardan__spec_on_closing(c->spec, e, e->var_pos[i], c->report)
             : check_var(c, e->var[i], kind->use, e->var_pos[i]);
}

static cardan_status check_element(const checker *c, const cardan__spec_element *e)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 3 && !status; i++) {
    status = e->frame[i] ? check_frame(c, e->frame[i], e->frame_pos[i]) : CARDAN_OK;
  }
  for (int i = 0; i < 2 && !status && e->kind != CARDAN_ELEMENT_CLOSE; i++) {
    status = e->var[i] ? check_end(c, e, i) : CARDAN_OK;
  }
  for (int i = 0; i < 6 && !status; i++) {
    status = e->expr[i] ? check_expr(c, e->expr[i]) : CARDAN_OK;
  }
  return status;
}

/* The numbers given for a variable: as many as it has coordinates and velocities. */
static cardan_status check_counts(const checker *c, const cardan__spec_initial *item, int nq,
                                  int nv)
{
  const cardan_initial *start = &item->initial;
  if (start->nvalue != nq && start->nvalue != 0) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, item->pos,
                       "found %d initial value(s) for \"%s\"; expected %d", start->nvalue,
                       cardan__show(start->var).text, nq);
  }
  if (start->nvelocity != nv && start->nvelocity != 0) {
    return cardan_fail(c->report, CARDAN_ERR_MODEL, item->pos,
                       "found %d initial velocities for \"%s\"; expected %d", start->nvelocity,
                       cardan__show(start->var).text, nv);
  }
  return CARDAN_OK;
}

/* A joint with a quaternion must not start from a zero one. */
static cardan_status check_quaternion(const checker *c, const cardan__spec_initial *item,
                                      const cardan__joint_type *type)
{
  const int at = cardan__quat_of(type->nq, type->nv);
  if (at < 0 || item->initial.nvalue == 0) {
    return CARDAN_OK;
  }
  for (int k = at; k < at + 4; k++) {
    if (item->initial.value[k] != 0.0) {
      return CARDAN_OK;
    }
  }
  return cardan_fail(c->report, CARDAN_ERR_MODEL, item->pos,
                     "found a zero quaternion for \"%s\"; expected one that can be normalised",
                     cardan__show(item->initial.var).text);
}

/* Values of a variable or joint; keyframe: the one that they are in, -1: the initial ones. */
static cardan_status check_values(const checker *c, const cardan__spec_initial *item, int keyframe)
{
  const cardan_spec *spec = c->spec;
  const char *name = item->initial.var;
  const int whole = cardan__names_get(&spec->var_names, name);
  const cardan__joint_type *type =
      whole >= 0 ? cardan__joint_type_of(cardan__spec_joint_kind(spec, whole)) : NULL;
  if (type != NULL && type->nq > 0) {
    const cardan_status status = check_counts(c, item, type->nq, type->nv);
    return status ? status : check_quaternion(c, item, type);
  }

  // one coordinate, which may be part of a joint that has values of its own
  const cardan_status status = check_var(c, name, CARDAN__AS_COORDINATE, item->pos);
  if (status) {
    return status;
  }
  const cardan__var_ref ref = cardan__spec_find_var(spec, name);
  const char *joint = cardan__spec_var_name(spec, ref.frame);
  const int other = keyframe < 0 ? cardan__names_get(&spec->initial_names, joint)
                                 : cardan__spec_keyframe_has(spec, keyframe, joint);
  if (other >= 0) {
    const cardan__spec_initial *before = keyframe < 0 ? spec->initial : spec->key_value;
    return cardan_fail(c->report, CARDAN_ERR_MODEL, item->pos,
                       "found a value for \"%s\", but the joint \"%s\" has one already%s",
                       cardan__show(name).text, cardan__show(joint).text,
                       cardan__cite(before[other].pos).text);
  }
  return check_counts(c, item, 1, ref.v >= 0 ? 1 : 0);
}

static cardan_status check_initial(const checker *c, const cardan__spec_initial *item)
{
  return item->initial.frame ? check_frame(c, item->initial.frame, item->pos)
                             : check_values(c, item, -1);
}

static cardan_status check_keyframe(const checker *c, int keyframe)
{
  const cardan__spec_keyframe *k = &c->spec->keyframe[keyframe];
  cardan_status status = CARDAN_OK;
  for (int i = k->first; i < k->first + k->n && !status; i++) {
    const cardan__spec_initial *value = &c->spec->key_value[i];
    status = value->initial.input == NULL ? check_values(c, value, keyframe)
                                          : check_input(c, value->initial.input, value->pos);
  }
  return status;
}

static cardan_status check_material(const checker *c, const cardan__spec_shape *shape)
{
  const char *name = shape->material;
  if (name == NULL || cardan__names_get(&c->spec->material_names, name) >= 0) {
    return CARDAN_OK;
  }
  return cardan_fail(
      c->report, CARDAN_ERR_MODEL, shape->material_pos,
      "found no material \"%s\"; expected the name of a (material ..) of this model%s",
      cardan__show(name).text, hint(cardan__names_nearest(&c->spec->material_names, name)).text);
}

/* A frame of a contact exists, and has something to touch with. */
static cardan_status check_touching(const checker *c, const char *name, cardan_pos pos)
{
  const cardan_status status = check_frame(c, name, pos);
  if (status) {
    return status;
  }
  const cardan_spec *spec = c->spec;
  for (int s = spec->frame[cardan__spec_find_frame(spec, name)].shape; s >= 0;
       s = spec->shape[s].next) {
    if (spec->shape[s].solid) {
      return CARDAN_OK;
    }
  }
  return cardan_fail(c->report, CARDAN_ERR_MODEL, pos,
                     "found the frame \"%s\" in a contact, but it has no solid; expected a "
                     "(solid ..) among its options",
                     cardan__show(name).text);
}

static cardan_status check_contact(const checker *c, const cardan__spec_contact *contact)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 2 && !status; i++) {
    if (contact->frame[i] != NULL) {
      status = check_touching(c, contact->frame[i], contact->frame_pos[i]);
    }
  }
  return status;
}

cardan_status cardan__spec_check(const cardan_spec *spec, cardan_report *report)
{
  const checker c = {spec, report};
  cardan_status status = cardan_spec_status(spec, report);
  if (status || spec->checked) {
    return status;
  }
  status = check_taken_names(&c);
  status = status ? status : check_closing_names(&c);
  for (int i = 0; i < spec->nelement && !status; i++) {
    status = check_element(&c, &spec->element[i]);
  }
  for (int i = 0; i < spec->ninitial && !status; i++) {
    status = check_initial(&c, &spec->initial[i]);
  }
  for (int i = 0; i < spec->narmature && !status; i++) {
    status = check_var(&c, spec->armature[i].q, CARDAN__AS_VELOCITY, spec->armature[i].pos);
  }
  for (int i = 0; i < spec->nkeyframe && !status; i++) {
    status = check_keyframe(&c, i);
  }
  for (int i = 0; i < spec->noutput && !status; i++) {
    status = check_expr(&c, spec->output[i].expr);
  }
  status = status ? status : check_states(&c);
  for (int i = 0; i < spec->nshape && !status; i++) {
    status = check_material(&c, &spec->shape[i]);
  }
  for (int i = 0; i < spec->ncontact && !status; i++) {
    status = check_contact(&c, &spec->contact[i]);
  }
  return status;
}
