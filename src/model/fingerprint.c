// SPDX-License-Identifier: Apache-2.0
#include "model/fingerprint.h"

#include "base/fields.h"
#include "base/hash.h"
#include "expr/tape.h"
#include "model/model_fields.h"

/* ---- every field is listed ----
 * A value for each kind of field, for CARDAN__FIELDS_ALL; x: the struct */
#define VALUE_number(field) 0
#define VALUE_count(field) 0
#define VALUE_label(field) 0
#define VALUE_drawn(field) 0
#define VALUE_later(field) 0
#define VALUE_memory(field) 0
#define VALUE_numbers(field) \
  {                          \
    0                        \
  }
#define VALUE_drawing(field) \
  {                          \
    0                        \
  }
#define VALUE_spatial(field) x->field
#define VALUE_surface(field) x->field
#define VALUE_place(field) x->field
#define VALUE_allocator(field) x->field
#define VALUE(field, kind) VALUE_##kind(field),
#define POINTER(field, ...) 0,
#define MEMBER CARDAN__FIELD_MEMBER

/* ---- numbers have no padding ---- */

_Static_assert(sizeof(cardan_vec3) == 3 * sizeof(double), "a vector is three numbers");
_Static_assert(sizeof(cardan_xform) == 12 * sizeof(double), "a placement is twelve numbers");
_Static_assert(sizeof(cardan_inertia) == 10 * sizeof(double), "an inertia is ten numbers");
_Static_assert(sizeof(cardan_mass) == 7 * sizeof(double), "a mass is seven numbers");
_Static_assert(sizeof(cardan__inertia_lanes) == 10 * CARDAN__LANES * sizeof(double),
               "inertias side by side are numbers");
_Static_assert(sizeof(cardan__ins) == 2 * sizeof(int) + sizeof(double),
               "an instruction has no padding");

/* Is x a number, an enumeration, or a struct of numbers? */
#define IS_NUMBER(x)                                                                            \
  _Generic((x), int : 1, unsigned : 1, double : 1, bool : 1, cardan_vec3 : 1, cardan_xform : 1, \
           cardan_inertia : 1, cardan_mass : 1, cardan__inertia_lanes : 1, default : 0)

/* ---- one function for each kind of field and struct ----
 * at: the field, or the first of count entries of size bytes each; m: the model */

typedef struct {
  const cardan_model *m;
  uint64_t hash;
} mixer;

static inline void mix_bytes(mixer *to, const void *at, int count, size_t size)
{
  to->hash = cardan__hash_bytes(to->hash, at, (size_t)count * size);
}

#define mix_plain(to, x, at, count, size)                                      \
  do {                                                                         \
    _Static_assert(IS_NUMBER(x), "what is hashed as a number has no padding"); \
    mix_bytes(to, at, count, size);                                            \
  } while (0)
#define mix_number(to, at, count, size) mix_plain(to, *(at), at, count, size)
#define mix_numbers(to, at, count, size) mix_plain(to, (*(at))[0], at, count, size)
#define mix_spatial mix_number
#define mix_count mix_number

static inline void ignore(mixer *to, const void *at, int count, size_t size)
{
  (void)to;
  (void)at;
  (void)count;
  (void)size;
}

#define mix_label ignore
#define mix_place ignore
#define mix_drawn ignore
#define mix_later ignore
#define mix_memory ignore
#define mix_drawing ignore
#define mix_allocator ignore

/* Instructions and tables of an expression; the struct of the model that has it says where its
 * leaves get their values. */
static void mix_tape(mixer *to, const cardan__expr *e, int count, size_t size)
{
  (void)count;
  (void)size;
  mix_number(to, &e->nins, 1, sizeof e->nins);
  mix_number(to, &e->uses, 1, sizeof e->uses);
  mix_number(to, &e->tables, 1, sizeof e->tables);
  mix_bytes(to, cardan__expr_tape(e), e->nins, sizeof(cardan__ins));
  mix_bytes(to, cardan__expr_tape(e) + e->nins, e->tables, 1);
}

#define MIX_FIELD(field, kind) mix_##kind(to, &x->field, 1, sizeof x->field);
#define MIX_ENTRIES(field, count, entry) mix_##entry(to, x->field, count, sizeof *x->field);
#define MIX_STRUCT(name, type, FIELDS, ARRAYS)                             \
  static void mix_##name(mixer *to, const type *x, int count, size_t size) \
  {                                                                        \
    const cardan_model *m = to->m;                                         \
    (void)m;                                                               \
    (void)size;                                                            \
    CARDAN__FIELDS_ONCE(ARRAYS(MEMBER) FIELDS(MEMBER))                     \
    CARDAN__FIELDS_ALL(type, ARRAYS(POINTER) FIELDS(VALUE))                \
    for (int i = 0; i < count; i++, x++) {                                 \
      FIELDS(MIX_FIELD)                                                    \
      ARRAYS(MIX_ENTRIES)                                                  \
    }                                                                      \
  }
CARDAN__MODEL_STRUCTS(MIX_STRUCT)

#define MIX_ARRAY(field, count, room, entry) mix_##entry(to, m->field, count, sizeof *m->field);

uint64_t cardan__model_fingerprint(const cardan_model *m)
{
  mixer all = {m, CARDAN__HASH_START}, *to = &all;
  const cardan_model *x = m;
  CARDAN__FIELDS_ONCE(CARDAN__MODEL_FIELDS(MEMBER) CARDAN__MODEL_ARRAYS(MEMBER)
                          CARDAN__MODEL_MEMORY(MEMBER))
  CARDAN__FIELDS_ALL(cardan_model, CARDAN__MODEL_FIELDS(VALUE) CARDAN__MODEL_ARRAYS(POINTER)
                                       CARDAN__MODEL_MEMORY(VALUE))
  // NOLINTBEGIN(bugprone-sizeof-expression): some are pointers, or arrays of them
  CARDAN__MODEL_FIELDS(MIX_FIELD)
  CARDAN__MODEL_ARRAYS(MIX_ARRAY)
  // NOLINTEND(bugprone-sizeof-expression)
  return all.hash;
}
