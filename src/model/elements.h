/* SPDX-License-Identifier: Apache-2.0
 * model/elements.h - what every kind of constraint, bound, potential, force and motion is made
 * of.
 *
 * A kind is a cardan__element beside the function that builds it (build_constraints.c,
 * build_bounds.c, build_forces.c); the list in cardan/elements.h makes the table (elements.c), so
 * that a kind without one does not link. Checking, reading, writing, building and drawing go by its
 * arguments and entries: none of them names a kind. docs/extending.md walks through a new one. */
#pragma once
#include "model/build.h"

/* One argument of an element, as it is in a model file. */
typedef enum {
  CARDAN__ARG_NONE,
  CARDAN__ARG_FRAME,         // "A"                        frame[index]
  CARDAN__ARG_VAR,           // "q"                        var[index]
  CARDAN__ARG_MAYBE_VAR,     // "q", or nothing
  CARDAN__ARG_INPUT,         // "u"                        var[index], the name of an input
  CARDAN__ARG_NAME,          // "a"                        name
  CARDAN__ARG_VALUE,         // a number                   value[index]
  CARDAN__ARG_VALUE_LIST,    // (x y z)                    value[index ..]
  CARDAN__ARG_EXPR,          // an expression              expr[index]
  CARDAN__ARG_EXPR_LIST,     // (e e e)                    expr[index ..]; 0 when not given in code
  CARDAN__ARG_DIRECTION,     // (x y z), or the three bare n
  CARDAN__ARG_AXES,          // body or world              in_world
  CARDAN__ARG_JOINT,         // word of a joint            joint.kind
  CARDAN__ARG_JOINT_OPTIONS, // (axis x y z) ..            joint
  // options, in any order behind the others
  CARDAN__ARG_FRAME_OPTION,    // (WHAT "F")                 frame[index]
  CARDAN__ARG_VALUE_OPTION,    // (WHAT x), x > 0            value[index]; 0 when not given
  CARDAN__ARG_NUMBER_OPTION,   // (WHAT x), x not 0         value[index]; 0 when not given
  CARDAN__ARG_PAIR_OPTION,     // (WHAT x y), not both 0    value[index ..]; 0 when not given
  CARDAN__ARG_TRIPLE_OPTION,   // (WHAT x y z), not all 0   value[index ..]; 0 when not given
  CARDAN__ARG_QUAD_OPTION,     // (WHAT x y z w), the same
  CARDAN__ARG_SHARE_OPTION,    // (WHAT x), 0 to 1          value[index]; 0 when not given
  CARDAN__ARG_FLAG_OPTION,     // (WHAT)                    value[index]; 1 when given, else 0
  CARDAN__ARG_DIRECTION_OPTION // (WHAT x y z), not 0     n; 0 when not given
} cardan__argument_kind;

typedef struct {
  cardan__argument_kind kind;
  int index;
  const char *what; // for messages, NULL: the usual words; the word of an option
} cardan__argument;

enum { CARDAN__MAX_ARGUMENT = 10 };

/* Sliding speed below which friction is smoothed, when the file does not say [m/s, rad/s]. */
#define CARDAN__FRICTION_SPEED 1e-3

/* How pictures show an element (output/symbols_tie.c). */
typedef enum {
  CARDAN__DRAW_NOT,
  // between two frames
  CARDAN__DRAW_POINT,   // a ring: they meet there
  CARDAN__DRAW_CORD,    // a wire, a rope
  CARDAN__DRAW_COIL,    // a spring; value[1] is its length at rest
  CARDAN__DRAW_DASHPOT, // a damper
  CARDAN__DRAW_RAM,     // a force along the line
  CARDAN__DRAW_BUSHING,
  CARDAN__DRAW_DASHES,  // attraction
  CARDAN__DRAW_ROLLING, // a wheel or ball, by its first row
  CARDAN__DRAW_TYRE,    // a wheel; value[0] is its radius
  CARDAN__DRAW_BLADE,
  // on coordinates
  CARDAN__DRAW_DRIVE,    // an arrow at the joint
  CARDAN__DRAW_TWIST,    // a spring at the joint; value[1] is where it rests
  CARDAN__DRAW_GEAR,     // var[0], var[1] by the row's coefficients: wheels, a rack
  CARDAN__DRAW_THREAD,   // the same: a screw
  CARDAN__DRAW_COUPLING, // coordinates that its expression reads
  CARDAN__DRAW_STOPS     // both ends of a coordinate
} cardan__draw;

typedef struct {
  const char *usage; // an example, for messages
  cardan__argument argument[CARDAN__MAX_ARGUMENT];
  unsigned leaves;     // that its expressions may have, CARDAN__LEAVES_*
  cardan__var_use use; // what its variables name
  cardan__draw draw;
  /* What its own numbers may be, beyond being finite; marks the spec. NULL: anything. */
  void (*check)(cardan_spec *spec, cardan__spec_element *element);
  /* A constraint, or a bound: most rows that it has; adds them to the constraint under
   * construction, or to the bounds. */
  int nrow;
  cardan_status (*rows)(cardan__build *build, const cardan__spec_element *from);
  /* Writes what its numbers decide into its rows, which are there: when it is built, and when a
   * parameter changed. NULL: nothing. */
  cardan_status (*settle_rows)(cardan_model *model, const cardan__spec_element *from,
                               const cardan_constraint *c, double *work, cardan_report *report);
  /* The same for a bound, the first of its nrow. */
  cardan_status (*settle_bounds)(cardan_model *model, const cardan__spec_element *from,
                                 cardan_bound *b, double *work, cardan_report *report);
  /* A force: CARDAN_FORCE_* that every one has; fills what its functions in src/forces read. */
  int flags;
  unsigned affine; // bit i: its force is value[i] times something, and something
  cardan_status (*force)(cardan__build *build, const cardan__spec_element *from,
                         cardan_force_element *to);
  /* Auxiliary states that it has where value[state_value] is given: their names behind its own.
   * NULL: none. */
  const char *state[CARDAN_NELEMENT_STATE];
  int state_value;
  /* The same for its values, which are those of the element. */
  cardan_status (*settle)(cardan_model *model, cardan_force_element *e, cardan_report *report);
  /* What its numbers are allowed to be and hardly meant to: warnings, with its line
   * (build_doubts.c). NULL: nothing. returns CARDAN_ERR_MEMORY */
  cardan_status (*doubt)(cardan__build *build, const cardan__spec_element *from);
} cardan__element;

/* Doubts of several kinds (build_doubts.c): value[0] is a stiffness, a coefficient of damping, a
 * ratio or a pitch; all six values are a bushing's; a friction that acts on what another does. */
cardan_status cardan__doubt_stiffness(cardan__build *build, const cardan__spec_element *from);
cardan_status cardan__doubt_damping(cardan__build *build, const cardan__spec_element *from);
cardan_status cardan__doubt_bushing(cardan__build *build, const cardan__spec_element *from);
cardan_status cardan__doubt_ratio(cardan__build *build, const cardan__spec_element *from);
cardan_status cardan__doubt_friction(cardan__build *build, const cardan__spec_element *from);
/* The same for the inertia of frame f. */
void cardan__doubt_inertia(cardan__build *build, int f);

#define CARDAN__ELEMENT(kind, id, word) extern const cardan__element cardan__element_##id;
CARDAN_ELEMENT_LIST(CARDAN__ELEMENT)
#undef CARDAN__ELEMENT

const cardan__element *cardan__element_of(cardan_element_kind kind);
const char *cardan__element_word(cardan_element_kind kind);

/* Numbers of an option, (WHAT x ..); 0: it has none, or is none. */
int cardan__option_numbers(cardan__argument_kind kind);

/* Numbers, counted with those of options; expressions. */
int cardan__element_values(const cardan__element *element);
int cardan__element_exprs(const cardan__element *element);

/* Which of its variables names an input, -1: none. */
int cardan__element_input(const cardan__element *element);

/* What an option of the file, (WHAT x) or (WHAT x y), expects in place of value number i as it is;
 * NULL: it is good, or no option's. */
const char *cardan__element_option_wants(const cardan__element *element,
                                         const cardan__spec_element *e, int i);

/* Does it stand between two frames, frame[0] and frame[1]? */
bool cardan__element_joins_frames(const cardan__element *element);
