// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "model/model_fields.h"
#include "model/recipe.h"

/* A model is one block: a copy of it is the block again, with every pointer into the old one moved.
 * model_fields.h lists the pointers; tests/model/test_parameters.c checks that no word of a copy is
 * an address in the old block. */

typedef struct {
  const char *from, *end; // the old block
  char *to;
} mover;

static void *moved(const mover *by, const void *pointer)
{
  const char *p = pointer;
  return p >= by->from && p <= by->end ? by->to + (p - by->from) : (void *)p;
}

/* MOVE(by, x): the pointer x, of any type. */
#define MOVE(by, x) ((x) = moved((by), (x)))

/* ---- one function for each kind of field and struct ----
 * at: the field, or the first of count entries */

static inline void move_label(const mover *by, const char **at, int count)
{
  for (int i = 0; i < count; i++) {
    MOVE(by, at[i]);
  }
}

static inline void keep_value(const mover *by, const void *at, int count)
{
  (void)by;
  (void)at;
  (void)count;
}

#define move_number keep_value
#define move_count keep_value
#define move_place keep_value
#define move_drawn keep_value
#define move_later keep_value
#define move_memory keep_value
#define move_numbers keep_value
#define move_spatial keep_value
#define move_drawing keep_value
#define move_allocator keep_value

/* Of arrays inside structs the pointer alone: their entries have none. */
#define MOVE_FIELD(field, kind) move_##kind(by, &x->field, 1);
#define MOVE_POINTER(field, count, entry) MOVE(by, x->field);
// NOLINTBEGIN(bugprone-macro-parentheses): type is one
#define MOVE_STRUCT(name, type, FIELDS, ARRAYS)                                               \
  static __attribute__((unused)) inline void move_##name(const mover *by, type *x, int count) \
  {                                                                                           \
    for (int i = 0; i < count; i++, x++) {                                                    \
      FIELDS(MOVE_FIELD)                                                                      \
      ARRAYS(MOVE_POINTER)                                                                    \
    }                                                                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
CARDAN__MODEL_STRUCTS(MOVE_STRUCT)

#define MOVE_ARRAY(field, count, room, entry) \
  MOVE(by, m->field);                         \
  move_##entry(by, m->field, count);

static void move_model(const mover *by, cardan_model *m)
{
  cardan_model *x = m;
  CARDAN__MODEL_FIELDS(MOVE_FIELD)
  CARDAN__MODEL_ARRAYS(MOVE_ARRAY)
  MOVE(by, m->recipe);
}

#define MOVE_RECIPE(field, room) MOVE(by, recipe->field);

/* Its arrays, and the expressions in them. */
static void move_recipe(const mover *by, cardan_model *model)
{
  cardan__recipe *recipe = model->recipe;
  CARDAN__RECIPE_ARRAYS(MOVE_RECIPE)
  for (int i = 0; i < recipe->nnumber; i++) {
    MOVE(by, recipe->number[i].expr);
  }
  for (int i = 0; i < recipe->ntunable; i++) {
    MOVE(by, recipe->tunable[i].expr);
  }
  for (int i = 0; i < model->nparameter; i++) {
    MOVE(by, recipe->derived[i]);
  }
}

cardan_status cardan_model_copy(const cardan_model *model, const cardan_allocator *allocator,
                                cardan_model **out)
{
  char *memory = cardan__resize(allocator, NULL, model->size);
  *out = NULL;
  if (memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  // the model is first, at the first aligned address; the room to align it differs
  cardan__carver carver = cardan__carver_over(memory);
  cardan_model *copy = cardan__carve(&carver, 1, sizeof *copy);
  const size_t shift = (size_t)((const char *)model - (const char *)model->block);
  const size_t other = (size_t)((char *)copy - memory);
  const size_t used = model->size - (shift > other ? shift : other);
  const mover by = {(const char *)model, (const char *)model + used, (char *)copy};
  memcpy(copy, model, used);
  move_model(&by, copy);
  if (copy->recipe != NULL) {
    move_recipe(&by, copy);
  }
  copy->block = memory;
  copy->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  *out = copy;
  return CARDAN_OK;
}
