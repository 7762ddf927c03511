/* SPDX-License-Identifier: Apache-2.0
 * model/build.h - how a spec becomes a model: count, lay out one block, fill.
 *
 * cardan_model_build runs, in this order: count (each part adds to counts), one allocation, frames
 * and bodies (build_tree.c), names, then expressions, constraints, forces and the start. */
#pragma once
#include "base/arena.h"
#include "cardan/model.h"
#include "model/names.h"
#include "model/spec.h"

/* Where a leaf of an expression gets its value. */
typedef struct {
  cardan__leaf_kind kind;
  int index; // q index, v index, frame or input; SENSE: frame, joint or row
  int axis;  // FRAME: 0, 1, 2; SENSE: which
} cardan__leaf_ref;

struct cardan_bound_expr {
  const cardan__expr *expr;
  int nleaf;
  const cardan__leaf_ref *leaf;
  cardan_pos pos;
};

typedef struct {
  int n, body, dof; // rows, and their entries
} cardan__row_counts;

/* Upper bounds, found before the block is made. */
typedef struct {
  cardan__row_counts row, bound_row;
  int constraint, bound, force, expr, prescribed;
  size_t leaf;         // leaf references of all expressions
  size_t expr_bytes;   // tapes of all expressions
  size_t expr_work;    // most that one needs [doubles]
  int number;          // that depend on parameters
  size_t string_bytes; // names and warnings
} cardan__counts;

typedef struct {
  const cardan_spec *spec;
  cardan_model *model;
  cardan_report *report;
  int *frame_joint;                     // spec frame -> model joint, -1
  bool *moved;                          // nq: coordinates that have a motion so far
  cardan__names constraint_index;       // names of constraints, given or counted -> constraint
  cardan__names friction[2];            // velocities and joints with friction -> element
  int kind_count[CARDAN_NELEMENT_KIND]; // so far of each kind
  const struct cardan__contacts_found *contacts; // which solids there are, and which touch
  double *key_q, *key_v, *key_u;                 // values of all keyframes
  bool *key_q_given, *key_v_given;               // which of them are named
  char *strings;                                 // pool for names, string_bytes long
  size_t strings_used, strings_size;
  cardan__leaf_ref *leaf;
  size_t leaf_used;
  char *expr_memory;
  size_t expr_used;
  double *work; // of expressions, while the model is built
} cardan__build;

/* Room for a name of the longest allowed length with a suffix such as ".qw". */
enum { CARDAN__SUFFIXED_NAME = 10016 };

/* Copies a string into the model's pool. */
const char *cardan__build_string(cardan__build *build, const char *text);

/* Warns of numbers that are hardly meant, element by element and of masses (build_doubts.c). */
cardan_status cardan__build_doubts(cardan__build *build) CARDAN_MUST_USE;

/* Finds a joint with no mass below it (model->inert). mass_below: scratch, nbody */
void cardan__fill_inert(cardan_model *model, double *mass_below);

/* Notes that coordinate q has the motion e. returns CARDAN_ERR_MODEL when it has another */
cardan_status cardan__build_moves(cardan__build *build, const cardan__spec_element *e,
                                  int q) CARDAN_MUST_USE;

/* Adds a warning, printf style, cut at CARDAN__WARNING_SIZE bytes; more than CARDAN__MAX_WARNING
 * are counted in the last. */
enum { CARDAN__MAX_WARNING = 32, CARDAN__WARNING_SIZE = 200 };
void cardan__build_warn(cardan__build *build, const char *format, ...) CARDAN_PRINTF(2, 3);

/* "there is no WHAT .., did you mean ..?" */
cardan_status cardan__build_unknown(cardan__build *build, const char *what, const char *name,
                                    const cardan__names *names, cardan_pos pos);

/* Index lookups with an error at pos that names the nearest right word. CARDAN_ERR_MODEL on
 * failure. */
cardan_status cardan__build_frame(cardan__build *build, const char *name, cardan_pos pos,
                                  int *frame);
cardan_status cardan__build_joint(cardan__build *build, const char *name, cardan_pos pos,
                                  int *joint);
cardan_status cardan__build_q(cardan__build *build, const char *name, cardan_pos pos, int *q);

/* The coordinate or velocity called "NAME" or "NAME.qw", -1: none; needs cardan__fill_tree. */
int cardan__build_find_q(const cardan__build *build, const char *name);
int cardan__build_find_v(const cardan__build *build, const char *name);

/* Copies an expression into the model and binds its leaves; index in model->expr to *out
 * (-1 when expr is NULL). */
cardan_status cardan__build_expr(cardan__build *build, const cardan__expr *expr, cardan_pos pos,
                                 int *out);

/* A copy of an expression in the model's block, its parameters made constants. */
cardan__expr *cardan__build_tape(cardan__build *build, const cardan__expr *expr);

/* Counting and filling of the parts; count is called once per element of its part. _tape counts
 * an expression that is not one of model->expr. */
void cardan__count_expr(const cardan__expr *expr, cardan__counts *counts);

/* Auxiliary states and controllers (build_states.c). */
void cardan__count_aux_states(const cardan_spec *spec, cardan__counts *counts);
cardan_status cardan__fill_aux_states(cardan__build *build) CARDAN_MUST_USE;
cardan_status cardan__fill_turnings(cardan__build *build) CARDAN_MUST_USE;
void cardan__count_tape(const cardan__expr *expr, cardan__counts *counts);
bool cardan__is_constraint(
    cardan_element_kind kind); // POINT .. WELD, and MOTION on a dynamic coordinate
bool cardan__is_bound(cardan_element_kind kind); // STOP .. INEQUALITY
void cardan__count_bound(const cardan__spec_element *element, cardan__counts *counts);
cardan_status cardan__fill_bound(cardan__build *build, const cardan__spec_element *element);
void cardan__count_constraint(const cardan__spec_element *element, cardan__counts *counts);
void cardan__count_force(const cardan__spec_element *element, cardan__counts *counts);
cardan_status cardan__fill_constraint(cardan__build *build, const cardan__spec_element *element);
cardan_status cardan__fill_force(cardan__build *build, const cardan__spec_element *element);

/* The numbers of constraint or force i from those of its element: the last part of filling it, and
 * what a parameter has done again. work: of expressions; needs q0, frames and their masses */
cardan_status cardan__settle_constraint(cardan_model *model, const cardan__spec_element *element,
                                        int i, double *work, cardan_report *report);
cardan_status cardan__settle_force(cardan_model *model, const cardan__spec_element *element, int i,
                                   cardan_report *report);
/* The same for the bounds of an element, i the first of them. */
cardan_status cardan__settle_bound(cardan_model *model, const cardan__spec_element *element, int i,
                                   double *work, cardan_report *report);

/* size_length, and the tolerances that follow; rounding, coarsest_digit: of the spec; path: nbody,
 * scratch. */
void cardan__model_measure(cardan_model *model, double rounding, double coarsest_digit,
                           double *path);
/* Makes the quaternions of a start q unit ones. */
cardan_status cardan__normalize_start(const cardan_model *model, double *q,
                                      cardan_report *report) CARDAN_MUST_USE;

/* Start values q0, v0, q_fixed and poses, keyframes (build_start.c). */
cardan_status cardan__fill_start(cardan__build *build);
cardan_status cardan__fill_keyframes(cardan__build *build);
/* The keyframe of (simulate (keyframe ..)), if there is one, becomes the start. After the elements:
 * what the start leaves of a gear is that of (initial ..). */
cardan_status cardan__begin_by_default(cardan__build *build);

/* The start of the model is that of a keyframe (build_start.c); without what rank.c has to say. */
cardan_status cardan__model_begin(cardan_model *model, const char *keyframe,
                                  cardan_report *report) CARDAN_MUST_USE;

/* A spec to a model whose rows all count as independent: cardan_model_build without its last part,
 * which needs kinematics and more (dynamics/set_parameters.c). */
cardan_status cardan__model_compile(const cardan_spec *spec, const cardan_allocator *allocator,
                                    cardan_model **out, cardan_report *report) CARDAN_MUST_USE;
