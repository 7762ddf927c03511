// SPDX-License-Identifier: Apache-2.0
#include "model/recipe.h"

#include <string.h>

#include "base/fields.h"

/* Making a recipe: counting, layout, filling. tune.c uses it. */

typedef void visit(void *context, cardan__number_owner of, int item,
                   const cardan__spec_living *number);

static void visit_list(const cardan_spec *spec, int list, cardan__number_owner of, int item,
                       visit *each, void *context)
{
  for (int i = list; i > 0; i = spec->living[i].next) {
    each(context, of, item, &spec->living[i]);
  }
}

/* All numbers of a spec that depend on parameters; those of starts by their index. */
static void visit_all(const cardan_spec *spec, visit *each, void *context)
{
  int shape = 0;
  visit_list(spec, spec->gravity_living, CARDAN__OF_GRAVITY, 0, each, context);
  for (int f = 0; f < spec->nframe; f++) {
    visit_list(spec, spec->frame[f].living, CARDAN__OF_FRAME, f, each, context);
    // the model has the shapes in the order of the frames
    for (int s = spec->frame[f].shape; s >= 0; s = spec->shape[s].next) {
      visit_list(spec, spec->shape[s].living, CARDAN__OF_SHAPE, shape++, each, context);
    }
  }
  for (int i = 0; i < spec->nelement; i++) {
    visit_list(spec, spec->element[i].living, CARDAN__OF_ELEMENT, i, each, context);
  }
  for (int i = 0; i < spec->narmature; i++) {
    visit_list(spec, spec->armature[i].living, CARDAN__OF_ARMATURE, i, each, context);
  }
  for (int i = 0; i < spec->nmaterial; i++) {
    visit_list(spec, spec->material[i].living, CARDAN__OF_MATERIAL, i, each, context);
  }
  for (int i = 0, n = 0; i < spec->ncontact; i++) {
    visit_list(spec, spec->contact[i].living, CARDAN__OF_CONTACT, n, each, context);
    n += !spec->contact[i].never; // the model has no others
  }
  for (int i = 0; i < spec->ninitial; i++) {
    visit_list(spec, spec->initial[i].living, CARDAN__OF_Q0, i, each, context);
  }
}

static void count_number(void *context, cardan__number_owner of, int item,
                         const cardan__spec_living *number)
{
  cardan__counts *counts = context;
  (void)of;
  (void)item;
  cardan__count_tape(number->expr, counts);
  counts->number++;
}

void cardan__count_recipe(const cardan_spec *spec, cardan__counts *counts)
{
  if (spec->nparameter == 0) {
    return;
  }
  visit_all(spec, count_number, counts);
  for (int i = 0; i < spec->ndefine; i++) {
    if (spec->define[i].expr) {
      cardan__count_tape(spec->define[i].expr, counts);
    }
  }
}

#define CARVE_ARRAY(field, room) r->field = cardan__carve(c, (size_t)(room), sizeof *r->field);
#define ZERO(...) 0,

cardan__recipe *cardan__layout_recipe(cardan__carver *c, const cardan_spec *spec,
                                      const cardan__counts *counts, const cardan__tree_counts *tree)
{
  if (spec->nparameter == 0) {
    return NULL;
  }
  cardan__recipe counted;
  cardan__recipe *recipe = CARDAN__CARVE(c, 1, cardan__recipe);
  cardan__recipe *r = recipe != NULL ? recipe : &counted;
  CARDAN__FIELDS_ONCE(CARDAN__RECIPE_NUMBERS(CARDAN__FIELD_MEMBER)
                          CARDAN__RECIPE_ARRAYS(CARDAN__FIELD_MEMBER))
  CARDAN__FIELDS_ALL(cardan__recipe, CARDAN__RECIPE_NUMBERS(ZERO) CARDAN__RECIPE_ARRAYS(ZERO))
  memset(r, 0, sizeof *r);
  // NOLINTNEXTLINE(bugprone-sizeof-expression): some are arrays of pointers
  CARDAN__RECIPE_ARRAYS(CARVE_ARRAY)
  return recipe;
}

/* Where the k-th number of a start went: a coordinate or a velocity. */
static void find_start(cardan__build *build, int initial, cardan__number *number)
{
  const cardan_model *model = build->model;
  const char *name = build->spec->initial[initial].initial.var;
  const int frame = cardan__names_get(&build->spec->var_names, name);
  const int joint = frame >= 0 ? build->frame_joint[frame] : -1;
  const bool rate = number->slot >= CARDAN__SLOT_START_RATE;
  const int q = joint >= 0 ? model->joint[joint].qadr : cardan__build_find_q(build, name);
  const int v = joint >= 0 ? model->joint[joint].vadr : model->body[model->q_body[q]].vadr;
  number->of = rate ? CARDAN__OF_V0 : CARDAN__OF_Q0;
  number->item = rate ? v + number->slot - CARDAN__SLOT_START_RATE : q + number->slot;
}

static void fill_number(void *context, cardan__number_owner of, int item,
                        const cardan__spec_living *from)
{
  cardan__build *build = context;
  cardan__recipe *recipe = build->model->recipe;
  cardan__number *number = &recipe->number[recipe->nnumber++];
  *number = (cardan__number){.of = of, .item = item, .slot = from->slot, .pos = from->pos};
  number->expr = cardan__build_tape(build, from->expr);
  if (of == CARDAN__OF_Q0) {
    find_start(build, item, number);
  } else if (of == CARDAN__OF_ARMATURE) {
    number->item = cardan__build_find_v(build, build->spec->armature[item].q);
  }
}

/* An element without its names, which belong to the spec and are used in messages only. */
static cardan__spec_element without_names(const cardan__spec_element *from)
{
  cardan__spec_element e = *from;
  e.name = e.joint.name = NULL;
  memset(e.expr, 0, sizeof e.expr);
  for (int i = 0; i < 3; i++) {
    e.frame[i] = "";
  }
  for (int i = 0; i < 2; i++) {
    e.var[i] = "";
  }
  return e;
}

/* Expressions of rows and motions decide where things are. */
static void mark_moving(cardan_model *model)
{
  cardan__recipe *recipe = model->recipe;
  for (int i = 0; i < recipe->ntunable; i++) {
    cardan__tunable *t = &recipe->tunable[i];
    for (int r = 0; r < model->nrow; r++) {
      t->moves = t->moves || model->row[r].expr == t->index;
    }
    for (int p = 0; p < model->nprescribed; p++) {
      t->moves = t->moves || model->prescribed[p].expr == t->index;
    }
  }
}

void cardan__fill_recipe(cardan__build *build, const cardan__raw_link *raw)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  cardan__recipe *recipe = model->recipe;
  if (recipe == NULL) {
    return;
  }
  recipe->rounding = spec->rounding;
  recipe->coarsest = spec->coarsest;
  recipe->nelement = spec->nelement;
  memcpy(recipe->raw, raw, (size_t)model->nbody * sizeof *raw);
  memcpy(recipe->frame, spec->frame, (size_t)spec->nframe * sizeof *spec->frame);
  for (int f = 0; f < spec->nframe; f++) {
    recipe->frame[f].name = recipe->frame[f].color = recipe->frame[f].var = NULL;
  }
  if (spec->nrotation > 0) {
    memcpy(recipe->rotation, spec->rotation, (size_t)spec->nrotation * sizeof *spec->rotation);
  }
  for (int i = 0; i < spec->nelement; i++) {
    recipe->element[i] = without_names(&spec->element[i]);
  }
  for (int i = 0, n = 0; i < spec->ndefine; i++) {
    const cardan__spec_define *d = &spec->define[i];
    if (d->alive) {
      recipe->derived[n++] = d->expr != NULL ? cardan__build_tape(build, d->expr) : NULL;
    }
  }
  visit_all(spec, fill_number, build);
  mark_moving(model);
}
