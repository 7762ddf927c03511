// SPDX-License-Identifier: Apache-2.0
#include "output/model_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/integrable.h"
#include "model/elements.h"
#include "output/text_output.h"

bool cardan__is_loop(const cardan_constraint *constraint)
{
  return cardan__element_joins_frames(cardan__element_of(constraint->kind));
}

typedef struct {
  int low, high;
} body_pair;

static int compare_pairs(const void *a, const void *b)
{
  const body_pair *x = a, *y = b;
  const int low = (x->low > y->low) - (x->low < y->low);
  return low != 0 ? low : (x->high > y->high) - (x->high < y->high);
}

/* Independent closed loops: the tree joins all bodies already, so each further pair of bodies that
 * constraints join closes one more loop, however many constraints join that pair. */
static cardan_status count_loops(const cardan_model *model, const cardan_allocator *allocator,
                                 cardan__model_summary *facts)
{
  const size_t size = (size_t)(model->nconstraint + 1) * sizeof(body_pair);
  body_pair *pair = cardan__resize(allocator, NULL, size);
  if (!pair) {
    return CARDAN_ERR_MEMORY;
  }
  int n = 0;
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    if (!cardan__is_loop(k)) {
      continue;
    }
    const int a = model->frame[k->frame[0]].body, b = model->frame[k->frame[1]].body;
    facts->loop_constraints++;
    if (a != b) {
      pair[n++] = (body_pair){a < b ? a : b, a < b ? b : a};
    }
  }
  qsort(pair, (size_t)n, sizeof *pair, compare_pairs);
  for (int i = 0; i < n; i++) {
    facts->loops += i == 0 || compare_pairs(&pair[i - 1], &pair[i]) != 0;
  }
  cardan__resize(allocator, pair, 0);
  return CARDAN_OK;
}

static void count_parts(const cardan_model *model, cardan__model_summary *facts)
{
  for (int i = 1; i < model->nbody; i++) {
    const bool massless = (model->body[i].flags & CARDAN_LINK_MASSLESS) != 0;
    facts->massless += massless;
    facts->bodies += !massless;
  }
  for (int j = 0; j < model->njoint; j++) {
    facts->joints[model->joint[j].kind]++;
    facts->transforms += model->joint[j].is_transform;
    facts->efforts += model->joint[j].effort > 0;
  }
  for (int r = 0; r < model->nrow; r++) {
    facts->redundant += model->row_redundant[r];
  }
  for (int s = 0; s < model->nshape; s++) {
    facts->meshes += model->shape[s].kind == CARDAN_SHAPE_MESH;
  }
  facts->dof = cardan__text_output_dof(model);
  facts->kinematic = model->nv - facts->dof;
}

static cardan_status ask_methods(const cardan_model *model, cardan__model_summary *facts)
{
  for (int i = 0; i < CARDAN__SUMMARY_METHODS && cardan_method_name(i); i++) {
    cardan_options options = facts->options;
    options.method = cardan_method_name(i);
    cardan_options_drop_unused(&options);
    const cardan_status status = cardan_method_accepts(i, model, &options, &facts->reason[i]);
    if (status == CARDAN_ERR_MEMORY) {
      return status;
    }
    facts->takes[i] = status == CARDAN_OK;
    facts->nmethod = i + 1;
  }
  return CARDAN_OK;
}

/* Can something touch, or be passed? */
static bool has_contacts(const cardan_model *model)
{
  bool limits = false;
  for (int i = 0; i < model->njoint; i++) {
    limits = limits || model->joint[i].has_limit;
  }
  return limits || model->npair + model->nbound > 0;
}

/* Is the start one that a run of the model as it is would refuse, since it passes a limit or a
 * bound, or solids overlap? What else a run may say is not looked for. */
static cardan_status try_start(const cardan_model *model, const cardan_allocator *allocator,
                               const cardan__model_summary *facts, cardan_report *report)
{
  cardan_report found = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_status status = cardan_sim_create(model, &facts->options, allocator, &sim, &found);
  status = status == CARDAN_OK ? cardan_sim_start(sim, &found) : status;
  cardan_sim_destroy(sim);
  return status == CARDAN_ERR_ASSEMBLY ? cardan_fail(report, status, found.pos, "%s", found.message)
                                       : CARDAN_OK;
}

/* Constraints on velocities that an equation of positions could replace. false: no memory */
static bool find_integrable(const cardan_model *model, const cardan_allocator *allocator,
                            cardan_data *data, cardan__model_summary *facts)
{
  if (model->nvelocity_row == 0) {
    return true;
  }
  bool *found = cardan__zeros(allocator, (size_t)model->nconstraint * sizeof *found);
  const int count = found != NULL ? cardan__integrable(model, data, found) : -1;
  for (int c = 0; c < model->nconstraint && count > 0; c++) {
    if (found[c]) {
      if (facts->nintegrable < CARDAN__SUMMARY_INTEGRABLE) {
        facts->integrable[facts->nintegrable] = c;
      }
      facts->nintegrable++;
    }
  }
  cardan__resize(allocator, found, 0);
  return count >= 0;
}

cardan_status cardan__model_summary_find(const cardan_model *model, const char *name,
                                         const cardan_allocator *allocator,
                                         cardan__model_summary *facts, cardan_report *report)
{
  cardan_data *data = NULL;
  *facts = (cardan__model_summary){.name = name, .options = cardan_options_defaults()};
  cardan_status status =
      cardan_options_apply_model(&facts->options, model, CARDAN_OPTIONS_OF_METHOD, report);
  if (status != CARDAN_OK) {
    return status;
  }
  count_parts(model, facts);
  status = ask_methods(model, facts);
  if (status == CARDAN_OK) {
    status = count_loops(model, allocator, facts);
  }
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, allocator, &data);
  }
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  }
  data->posed = data->posed || !facts->options.assemble;
  status = cardan_assemble(model, data, &facts->start, report);
  if (status == CARDAN_OK && !find_integrable(model, allocator, data, facts)) {
    status = cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  cardan_data_destroy(data);
  return status == CARDAN_OK && has_contacts(model) ? try_start(model, allocator, facts, report)
                                                    : status;
}
