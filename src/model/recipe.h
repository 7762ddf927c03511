/* SPDX-License-Identifier: Apache-2.0
 * model/recipe.h - how a model with parameters works its numbers out again.
 *
 * A model whose spec has parameters keeps, in its own block, what its numbers were made from: the
 * frames, rotations and elements of the spec (their numbers, without names), and an expression
 * for each number that depends on parameters. cardan__model_tune writes those and runs the
 * functions that filled the model in the first place, so that the bits are those of a model that
 * is built with the other value. */
#pragma once
#include "model/build_tree.h"

/* What a number belongs to. */
typedef enum {
  CARDAN__OF_GRAVITY,
  CARDAN__OF_FRAME,
  CARDAN__OF_SHAPE, // of the model
  CARDAN__OF_ELEMENT,
  CARDAN__OF_Q0, // of the start; item: the coordinate
  CARDAN__OF_V0,
  CARDAN__OF_ARMATURE, // item: the velocity
  CARDAN__OF_MATERIAL, // of the model, as contacts
  CARDAN__OF_CONTACT
} cardan__number_owner;

typedef struct {
  cardan__number_owner of;
  int item, slot;
  cardan__expr *expr; // over parameters alone, as constants (cardan__expr_fix)
  cardan_pos pos;
} cardan__number;

/* An expression of the model in which parameters stand. */
typedef struct {
  cardan__expr *expr;
  int index;  // in model->expr
  bool moves; // a constraint's or a motion's: where things are depends on it
} cardan__tunable;

typedef struct cardan__recipe {
  int nnumber, ntunable, nelement;
  double rounding, coarsest;     // of the spec
  cardan__number *number;        // nnumber
  cardan__expr **derived;        // nparameter: of a derived one, else NULL
  cardan__tunable *tunable;      // ntunable
  cardan__spec_frame *frame;     // nframe
  cardan__rotation *rotation;    // as they were written
  cardan__spec_element *element; // nelement
  int *target;                   // nelement: its constraint or force, -1: a prescribed motion
  double *q_raw;                 // nq: q0 before quaternions are normalised
  double *v_raw;                 // nv: v0
  cardan__raw_link *raw;         // nbody: scratch, with what of the links is constant
  double *per_body;              // nbody: scratch
  double *work;                  // of expressions
} cardan__recipe;

/* F(field, room): its arrays; the layout and the copy of a model follow from the list. spec, counts
 * and tree: as of cardan__layout_recipe */
#define CARDAN__RECIPE_ARRAYS(F) \
  F(number, counts->number)      \
  F(derived, spec->nparameter)   \
  F(tunable, counts->expr)       \
  F(frame, spec->nframe)         \
  F(rotation, spec->nrotation)   \
  F(element, spec->nelement)     \
  F(target, spec->nelement)      \
  F(q_raw, tree->nq)             \
  F(v_raw, tree->nv)             \
  F(raw, tree->link)             \
  F(per_body, tree->link)        \
  F(work, counts->expr_work)

/* F(field, kind): its numbers. */
#define CARDAN__RECIPE_NUMBERS(F) \
  F(nnumber, number)              \
  F(ntunable, number)             \
  F(nelement, number)             \
  F(rounding, number)             \
  F(coarsest, number)

/* Numbers that depend on parameters, and bytes of their expressions. */
void cardan__count_recipe(const cardan_spec *spec, cardan__counts *counts);
/* Cuts a recipe's memory. */
cardan__recipe *cardan__layout_recipe(cardan__carver *c, const cardan_spec *spec,
                                      const cardan__counts *counts,
                                      const cardan__tree_counts *tree);
/* Fills it, after everything else of the model; raw: of cardan__fill_tree. */
void cardan__fill_recipe(cardan__build *build, const cardan__raw_link *raw);

/* Gives parameter i the value x and works everything out again but what needs kinematics; *moves:
 * whether the constraints have to be looked at again. After a failure the model is as before.
 * returns CARDAN_ERR_MODEL, CARDAN_ERR_NOT_FINITE, CARDAN_ERR_UNSUPPORTED with a report */
cardan_status cardan__model_tune(cardan_model *model, int i, double x, bool *moves,
                                 cardan_report *report) CARDAN_MUST_USE;

/* The same for all at once: value, nparameter, of which those of derived ones are not read. After a
 * failure the model is neither as before nor as asked. */
cardan_status cardan__model_tune_all(cardan_model *model, const double *value, bool *moves,
                                     cardan_report *report) CARDAN_MUST_USE;
