// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "expr/number.h"
#include "model/lower.h"
#include "model/model_fields.h"
#include "model/recipe.h"
#include "spatial/spatial.h"

/* Bytes that the model's strings need at most. */
static size_t count_strings(const cardan_spec *spec)
{
  size_t n = strlen(spec->name) + 1 + CARDAN__MAX_WARNING * CARDAN__WARNING_SIZE;
  n += cardan__count_contact_strings(spec);
  for (int i = 1; i < spec->nframe; i++) {
    const cardan__spec_frame *f = &spec->frame[i];
    const char *var = cardan__spec_var_name(spec, i);
    const cardan__joint_type *type = cardan__joint_type_of(cardan__spec_joint_kind(spec, i));
    // the joint's own name, and those of its coordinates and velocities where they differ from it
    const int names = 1 + (type->nq > 1 ? type->nq + type->nv : 0);
    n += var != NULL ? (strlen(var) + 5) * (size_t)names : 0;
    n += f->name != NULL ? strlen(f->name) + 1 : 0;
    n += f->color != NULL ? strlen(f->color) + 1 : 0;
  }
  for (int i = 0; i < spec->nshape; i++) {
    n += spec->shape[i].shape.file != NULL ? strlen(spec->shape[i].shape.file) + 1 : 0;
  }
  for (int i = 0; i < spec->nelement; i++) {
    n += (spec->element[i].name != NULL ? strlen(spec->element[i].name) : 0) + 48;
    n +=
        cardan__is_bound(spec->element[i].kind) && spec->element[i].name != NULL // of a stop's ends
            ? strlen(spec->element[i].name) + 48
            : 48;
  }
  for (int i = 0; i < spec->ninput; i++) {
    n += strlen(spec->input[i].def.name) + 1;
  }
  for (int i = 0; i < spec->nstate; i++) {
    n += strlen(spec->state[i].name) + 1;
  }
  for (int i = 0; i < spec->nclosing; i++) {
    n += strlen(spec->closing[i].of.name) + 1;
  }
  for (int i = 0; i < spec->ndefine; i++) {
    n += spec->define[i].alive ? strlen(spec->define[i].name) + 1 : 0;
  }
  for (int i = 0; i < spec->noutput; i++) {
    n += strlen(spec->output[i].name) + 3;
  }
  for (int i = 0; i < spec->ndefault; i++) {
    n += strlen(spec->defaults[i].key) + strlen(spec->defaults[i].value) + 2;
  }
  for (int i = 0; i < spec->nkeyframe; i++) {
    n += strlen(spec->keyframe[i].name) + 1;
  }
  return n;
}

static cardan__counts count_all(const cardan_spec *spec)
{
  cardan__counts n = {.string_bytes = count_strings(spec)};
  for (int i = 0; i < spec->nelement; i++) {
    const cardan__spec_element *e = &spec->element[i];
    for (int k = 0; k < 6; k++) {
      if (e->expr[k] != NULL) {
        cardan__count_expr(e->expr[k], &n);
      }
    }
    if (e->kind == CARDAN_ELEMENT_MOTION) {
      n.prescribed++;
    }
    if (cardan__is_constraint(e->kind)) {
      cardan__count_constraint(e, &n);
    } else if (cardan__is_bound(e->kind)) {
      cardan__count_bound(e, &n);
    } else {
      cardan__count_force(e, &n);
    }
  }
  for (int i = 0; i < spec->noutput; i++) {
    cardan__count_expr(spec->output[i].expr, &n);
  }
  cardan__count_aux_states(spec, &n);
  cardan__count_recipe(spec, &n);
  return n;
}

#define CARVE_ARRAY(field, count, room, entry) \
  m->field = cardan__carve(c, (size_t)(room), sizeof *m->field);

/* Lays out the model's block; the model itself comes first. */
static cardan_model *layout(cardan__carver *c, cardan__build *build, const cardan__counts *n,
                            const cardan__tree_counts *tree)
{
  const cardan_spec *spec = build->spec;
  const cardan__contacts_found *found = build->contacts;
  const size_t nkeyframe = (size_t)spec->nkeyframe;
  cardan_model *model = CARDAN__CARVE(c, 1, cardan_model);
  cardan_model counted;
  cardan_model *m = model != NULL ? model : &counted;
  memset(m, 0, sizeof *m);
  CARDAN__MODEL_ARRAYS(CARVE_ARRAY)
  cardan__layout_hulls(c, spec, found, m);
  cardan__layout_fields(c, spec, found, m);
  build->key_q = CARDAN__CARVE(c, nkeyframe * (size_t)tree->nq, double);
  build->key_q_given = CARDAN__CARVE(c, nkeyframe * (size_t)tree->nq, bool);
  build->key_v_given = CARDAN__CARVE(c, nkeyframe * (size_t)tree->nv, bool);
  build->key_u = CARDAN__CARVE(c, nkeyframe * (size_t)spec->ninput, double);
  build->key_v = CARDAN__CARVE(c, nkeyframe * (size_t)tree->nv, double);
  m->recipe = cardan__layout_recipe(c, spec, n, tree);
  build->strings_size = n->string_bytes;
  build->strings = CARDAN__CARVE(c, n->string_bytes, char);
  build->leaf = CARDAN__CARVE(c, n->leaf, cardan__leaf_ref);
  build->expr_memory = CARDAN__CARVE(c, n->expr_bytes, char);
  return model;
}

/* The motion of a kinematic coordinate. */
static cardan_status fill_prescribed(cardan__build *build, const cardan__spec_element *e, int joint)
{
  cardan_model *model = build->model;
  cardan_prescribed *p = &model->prescribed[model->nprescribed];
  p->body = model->joint[joint].last;
  const cardan_status status = cardan__build_moves(build, e, model->joint[joint].qadr);
  if (status != CARDAN_OK) {
    return status;
  }
  model->nprescribed++;
  return cardan__build_expr(build, e->expr[0], e->pos, &p->expr);
}

/* Notes which joint a motion drives; its name was checked before. */
static void mark_driven(cardan__build *build, const cardan__spec_element *e)
{
  cardan_model *model = build->model;
  const int q = cardan__build_find_q(build, e->var[0]);
  cardan_joint *joint = &model->joint[model->body[model->q_body[q]].joint];
  if (!joint->driven) {
    joint->driven = true;
    model->driven[model->ndriven++] = (int)(joint - model->joint);
  }
}

/* target: out, the constraint, (first) bound or force that it became, -1: none; may be NULL */
static cardan_status fill_element(cardan__build *build, const cardan__spec_element *e, int *target)
{
  const bool constraint = cardan__is_constraint(e->kind), bound = cardan__is_bound(e->kind);
  const cardan_model *model = build->model;
  int unused;
  target = target != NULL ? target : &unused;
  *target = constraint ? model->nconstraint : bound ? model->nbound : model->nforce;
  if (e->kind == CARDAN_ELEMENT_MOTION) {
    const int frame = cardan__names_get(&build->spec->var_names, e->var[0]);
    if (frame >= 0 && build->spec->frame[frame].kinematic) {
      *target = -1;
      return fill_prescribed(build, e, build->frame_joint[frame]);
    }
  }
  return constraint ? cardan__fill_constraint(build, e)
         : bound    ? cardan__fill_bound(build, e)
                    : cardan__fill_force(build, e);
}

/* Every kinematic coordinate needs a motion. */
static cardan_status check_prescribed(cardan__build *build)
{
  const cardan_model *model = build->model;
  int kinematic = 0;
  for (int j = 0; j < model->njoint; j++) {
    kinematic += model->joint[j].kinematic;
  }
  if (kinematic == model->nprescribed) {
    return CARDAN_OK;
  }
  for (int j = 0; j < model->njoint; j++) {
    if (model->joint[j].kinematic && !build->moved[model->joint[j].qadr]) {
      return cardan_fail(
          build->report, CARDAN_ERR_MODEL, model->joint[j].pos,
          "the kinematic variable \"%.60s\" has no motion, expected a (motion \"%.60s\" ..)",
          model->joint[j].name, model->joint[j].name);
    }
  }
  return CARDAN_OK;
}

static void fill_shapes(cardan__build *build)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  for (int f = 0; f < spec->nframe; f++) {
    model->frame[f].shape = model->nshape;
    for (int s = spec->frame[f].shape; s >= 0; s = spec->shape[s].next) {
      cardan_shape *shape = &model->shape[model->nshape++];
      *shape = spec->shape[s].shape;
      shape->file = shape->file != NULL ? cardan__build_string(build, shape->file) : NULL;
    }
    model->frame[f].nshape = model->nshape - model->frame[f].shape;
  }
}

static void fill_defaults(cardan__build *build)
{
  cardan_model *model = build->model;
  for (int i = 0; i < build->spec->ndefault; i++) {
    const cardan__spec_default *d = &build->spec->defaults[i];
    model->defaults[model->ndefault++] =
        (cardan_default){.key = cardan__build_string(build, d->key),
                         .value = cardan__build_string(build, d->value),
                         .pos = d->pos};
  }
}

static void fill_inputs(cardan__build *build)
{
  cardan_model *model = build->model;
  for (int i = 0; i < build->spec->ninput; i++) {
    cardan_input_def *input = &model->input[model->ninput++];
    *input = build->spec->input[i].def;
    input->name = cardan__build_string(build, input->name);
  }
}

static void fill_parameters(cardan__build *build)
{
  cardan_model *model = build->model;
  for (int i = 0; i < build->spec->ndefine; i++) {
    const cardan__spec_define *d = &build->spec->define[i];
    if (d->alive) {
      model->parameter_value[model->nparameter] = d->value;
      model->parameter[model->nparameter++] =
          (cardan_parameter){.name = cardan__build_string(build, d->name),
                             .value = d->value,
                             .derived = d->expr != NULL,
                             .pos = d->pos,
                             .rigid_pos = d->rigid_pos};
    }
  }
}

/* "y." and the name; of a closing joint's coordinate the name itself. */
static const char *column_of(cardan__build *build, const cardan__spec_output *from)
{
  char text[CARDAN__SUFFIXED_NAME];
  snprintf(text, sizeof text, "%s%s", from->unit ? "" : "y.", from->name);
  return cardan__build_string(build, text);
}

static cardan_status fill_outputs(cardan__build *build)
{
  cardan_model *model = build->model;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < build->spec->noutput && status == CARDAN_OK; i++) {
    const cardan__spec_output *from = &build->spec->output[i];
    cardan_output *output = &model->output[model->ny++];
    output->column = column_of(build, from);
    output->name = output->column + (from->unit ? 0 : 2);
    output->unit = from->unit ? from->unit : "";
    output->pos = from->pos;
    status = cardan__build_expr(build, from->expr, from->pos, &output->expr);
  }
  return status;
}

/* What the reader of a text wants said. */
static void take_notes(cardan__build *build)
{
  const cardan_spec *spec = build->spec;
  for (int i = 0; i < spec->nnote; i++) {
    const cardan__spec_note_item *note = &spec->note[i];
    if (note->file != NULL) {
      cardan__build_warn(build, "%.80s, line %d: %s", note->file, note->pos.line, note->text);
    } else {
      cardan__build_warn(build, "line %d: %s", note->pos.line, note->text);
    }
  }
}

/* Length of the longest path of constant offsets from the world: an upper bound of where things
 * are. */
static void measure(cardan_model *model, double *path)
{
  path[0] = 0;
  model->size_length = 0;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    path[i] = path[b->parent] + cardan__vec3_norm(b->X.p);
  }
  for (int f = 0; f < model->nframe; f++) {
    const double length = path[model->frame[f].body] + cardan__vec3_norm(model->frame[f].X_BF.p);
    model->size_length = fmax(model->size_length, length);
  }
}

/* A tolerance that (simulate ..) sets; else what it is. */
static double or_default(const cardan_model *model, const char *key, double usual)
{
  for (int i = 0; i < model->ndefault; i++) {
    double value = 0.0;
    const char *text = model->defaults[i].value;
    if (strcmp(model->defaults[i].key, key) == 0 &&
        cardan__number_read(text, strlen(text), &value) == CARDAN__NUMBER_OK && value > 0.0) {
      return value;
    }
  }
  return usual;
}

/* What the file says, or what its digits allow. Numbers that are exact as they are come from
 * drawings all the same, and programs for these take points as one that are not quite. */
static const double drawn = 1e-7;                 // of the size of the mechanism: digits of a float
static const double least_rank = 1e-5;            // see constraints/rank.c
static const double units = 3.0, coarsest = 3e-3; // rows are sums of several numbers
static void fill_tolerances(cardan_model *model, double rounding, double coarsest_digit)
{
  const double length = model->size_length, part = length > 0.0 ? fmin(1.0, length) : 1.0;
  if (!model->closing_given) {
    const double digits = fmax(1e-12, fmin(rounding, 1e-3)) * (1.0 + length);
    model->closing_own = or_default(model, "closing", fmax(digits, drawn * length));
    // what near rows have widened stays until they are looked at again (constraints/rank.c)
    model->closing = model->near > 0.0 ? model->closing : model->closing_own;
  }
  if (!model->rank_given) {
    model->rank_tol = fmax(least_rank, fmin(units * coarsest_digit / part, coarsest));
    model->rank_tol = fmin(0.1, or_default(model, "rank-tol", model->rank_tol));
  }
}

/* A rotor turns with one number: a velocity that is the rate of a coordinate. */
static cardan_status fill_armatures(cardan__build *build)
{
  cardan_model *model = build->model;
  for (int i = 0; i < build->spec->narmature; i++) {
    const cardan__spec_armature *a = &build->spec->armature[i];
    const int k = cardan__build_find_v(build, a->q);
    if (model->body[model->v_body[k]].nv > 1) {
      return cardan_fail(
          build->report, CARDAN_ERR_MODEL, a->pos,
          "found an armature of \"%.60s\", a part of a %s joint; expected a coordinate with a "
          "velocity of its own",
          a->q,
          cardan__joint_type_of(model->joint[model->body[model->v_body[k]].joint].kind)->word);
    }
    model->armature[k] = a->inertia;
    model->has_armature = model->has_armature || a->inertia > 0.0;
  }
  return CARDAN_OK;
}

void cardan__model_measure(cardan_model *model, double rounding, double coarsest_digit,
                           double *path)
{
  measure(model, path);
  fill_tolerances(model, rounding, coarsest_digit);
}

static cardan_status fill_all(cardan__build *build, cardan__raw_link *raw, double *per_body)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  model->name = cardan__build_string(build, spec->name);
  model->gravity = spec->gravity;
  model->nframe = spec->nframe;
  fill_parameters(build);
  cardan__fill_tree(build, raw);
  fill_shapes(build);
  fill_defaults(build);
  fill_inputs(build);
  cardan__model_measure(model, spec->rounding, spec->coarsest, per_body);
  cardan__fill_plane(model, raw);
  cardan_status status = cardan__fill_start(build);
  if (status == CARDAN_OK && model->recipe != NULL) {
    memcpy(model->recipe->q_raw, model->q0, (size_t)model->nq * sizeof *model->q0);
    memcpy(model->recipe->v_raw, model->v0, (size_t)model->nv * sizeof *model->v0);
  }
  if (status == CARDAN_OK) {
    status = cardan__normalize_start(model, model->q0, build->report);
  }
  status = status == CARDAN_OK ? cardan__fill_keyframes(build) : status;
  status = status == CARDAN_OK ? fill_armatures(build) : status;
  status = status == CARDAN_OK ? cardan__fill_contact(build, build->contacts) : status;
  for (int i = 0; i < spec->nelement && status == CARDAN_OK; i++) {
    status =
        fill_element(build, &spec->element[i], model->recipe ? &model->recipe->target[i] : NULL);
    if (status == CARDAN_OK && spec->element[i].kind == CARDAN_ELEMENT_MOTION) {
      mark_driven(build, &spec->element[i]);
    }
  }
  if (status == CARDAN_OK) {
    status = cardan__begin_by_default(build);
  }
  if (status == CARDAN_OK) {
    status = check_prescribed(build);
  }
  if (status == CARDAN_OK) {
    status = fill_outputs(build);
  }
  status = status == CARDAN_OK ? cardan__fill_aux_states(build) : status;
  status = status == CARDAN_OK ? cardan__fill_turnings(build) : status;
  if (status == CARDAN_OK) {
    take_notes(build);
    status = cardan__build_doubts(build);
  }
  if (status == CARDAN_OK) {
    cardan__fill_inert(model, per_body);
    cardan__fill_recipe(build, raw);
  }
  model->rank = model->nrow;
  model->position_rank = model->nrow - model->nvelocity_row;
  model->mobility = model->nv - model->nprescribed - model->nrow;
  return status;
}

/* Of a spec that was checked, and lowered. */
static cardan_status compile(const cardan_spec *spec, const cardan_allocator *allocator,
                             cardan_model **out, cardan_report *report)
{
  cardan__build build = {.spec = spec, .report = report};
  cardan__contacts_found contacts;
  cardan_status status = cardan__contacts_find(spec, allocator, &contacts, build.report);
  if (status != CARDAN_OK) {
    cardan__contacts_free(&contacts, allocator);
    return status;
  }
  build.contacts = &contacts;
  cardan__names_init(&build.constraint_index, allocator);
  cardan__names_init(&build.friction[0], allocator);
  cardan__names_init(&build.friction[1], allocator);

  const cardan__tree_counts tree = cardan__count_tree(spec);
  const cardan__counts counts = count_all(spec);
  cardan__carver carver = {0};
  layout(&carver, &build, &counts, &tree);
  const size_t size = cardan__carver_size(&carver);
  void *memory = size > 0 ? cardan__zeros(allocator, size) : NULL;
  cardan__raw_link *raw = cardan__resize(allocator, NULL, (size_t)tree.link * sizeof *raw);
  double *per_body = cardan__resize(allocator, NULL, (size_t)tree.link * sizeof *per_body);
  build.frame_joint = cardan__resize(allocator, NULL, (size_t)spec->nframe * sizeof(int));
  build.moved = cardan__zeros(allocator, (size_t)tree.nq + 1);
  build.work = cardan__resize(allocator, NULL, (counts.expr_work + 1) * sizeof *build.work);
  if (memory == NULL || raw == NULL || per_body == NULL || build.frame_joint == NULL ||
      build.moved == NULL || build.work == NULL) {
    status = cardan__no_memory(build.report);
  } else {
    build.frame_joint[0] = -1;
    carver = cardan__carver_over(memory);
    build.model = layout(&carver, &build, &counts, &tree);
    build.model->size = size;
    build.model->block = memory;
    build.model->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
    status = fill_all(&build, raw, per_body);
  }
  cardan__contacts_free(&contacts, allocator);
  cardan__names_free(&build.constraint_index);
  cardan__names_free(&build.friction[0]);
  cardan__names_free(&build.friction[1]);
  cardan__resize(allocator, build.work, 0);
  cardan__resize(allocator, build.moved, 0);
  cardan__resize(allocator, build.frame_joint, 0);
  cardan__resize(allocator, per_body, 0);
  cardan__resize(allocator, raw, 0);
  if (status != CARDAN_OK) {
    cardan__resize(allocator, memory, 0);
    return status;
  }
  *out = build.model;
  return CARDAN_OK;
}

cardan_status cardan__model_compile(const cardan_spec *spec, const cardan_allocator *allocator,
                                    cardan_model **out, cardan_report *report)
{
  cardan_report unused = {.message = ""};
  cardan_report *to = report != NULL ? report : &unused;
  cardan_spec low;
  *out = NULL;
  cardan_status status = cardan__spec_check(spec, to);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__report_file(to, spec->report.file);
  status = cardan__lower(spec, allocator, &low, to);
  status = status == CARDAN_OK ? compile(&low, allocator, out, to) : status;
  cardan__lower_free(&low);
  return status;
}

void cardan_model_destroy(cardan_model *model)
{
  if (model != NULL) {
    const cardan_allocator allocator = model->allocator;
    cardan__resize(&allocator, model->block, 0);
  }
}
