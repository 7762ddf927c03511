/* SPDX-License-Identifier: Apache-2.0
 * contact/feature_rows.h - rows between two bodies, for the files of features. */
#pragma once
#include "contact/feature.h"
#include "spatial/spatial.h"

/* A row between two bodies: d . (v_A(x) - v_B(x)) + c . (w_A - w_B), world axes. */
typedef struct {
  cardan_vec3 x, d, c;
} cardan__contact_row;

/* Does row j of a feature turn? */
bool cardan__feature_turns(const cardan__feature *f, int j);

/* A and B of a spot. */
void cardan__feature_bodies(const cardan_model *model, const cardan__feature *f, int body[2]);

/* J (n x nv, out): the rows, along the paths from both bodies to where these meet. */
void cardan__contact_rows_pull(const cardan_model *model, const cardan_data *data,
                               const int body[2], int n, const cardan__contact_row *row, double *J);

/* Row (nv, out) of a limit or a bound at data. */
void cardan__feature_one_row(const cardan_model *model, const cardan_data *data,
                             const cardan__feature *f, double *J);

/* Gap of any feature at data; touch: out for spots, NULL: not wanted. */
double cardan__feature_look(const cardan_model *model, const cardan_data *data,
                            const cardan__feature *f, cardan__touch *touch);
