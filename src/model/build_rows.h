/* SPDX-License-Identifier: Apache-2.0
 * model/build_rows.h - rows under construction: those of constraints, and one-sided ones. */
#pragma once
#include "model/build.h"

/* Where rows and their entries go; see cardan_model.row and cardan_model.bound_row. */
typedef struct {
  cardan_row *row;
  int *body, *dof;
  int *n, *nbody, *ndof;
} cardan__row_list;

/* The rows of constraints. */
static inline cardan__row_list cardan__constraint_rows(cardan_model *model)
{
  return (cardan__row_list){.row = model->row,
                            .body = model->row_body,
                            .dof = model->row_dof,
                            .n = &model->nrow,
                            .nbody = &model->nrow_body,
                            .ndof = &model->nrow_dof};
}

/* Appends a row; the bodies of frames that are not -1, coordinates and leaves of its expression are
 * its entries. */
cardan_row *cardan__row_add(const cardan_model *model, cardan__row_list list,
                            const cardan_row *from);

/* Does it touch more than prescribed joints? */
bool cardan__row_moves(const cardan_model *model, cardan__row_list list, const cardan_row *row);

/* Does the row's expression read t? */
bool cardan__row_reads_time(const cardan_model *model, const cardan_row *row);

/* Is the row's expression a number? *value: it. */
bool cardan__row_is_constant(const cardan_model *model, const cardan_row *row, double *value);

/* The coordinate called var[which], whose rate must be a velocity of the model. */
cardan_status cardan__build_coordinate(cardan__build *build, const cardan__spec_element *from,
                                       int which, int *iq);

/* Is it a length, not an angle? */
bool cardan__q_slides(const cardan_model *model, int iq);

/* A row over the element's only expression, to *row; it is not added yet. _wire: frames are the
 * element's, expr its length. */
cardan_status cardan__build_expr_row(cardan__build *build, const cardan__spec_element *from,
                                     cardan_row *row);
cardan_status cardan__build_wire_row(cardan__build *build, const cardan__spec_element *from,
                                     const int frame[2], cardan_row *row);

/* The length of a wire or rope at the start, which depends on time alone, to row->value. */
cardan_status cardan__settle_length(cardan_model *model, cardan_row *row, const char *what,
                                    cardan_pos pos, double *work, cardan_report *report);
/* The same for one that is a constant; marks the spec. */
void cardan__check_length(cardan_spec *spec, const cardan__spec_element *e, const char *what);
