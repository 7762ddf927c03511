// SPDX-License-Identifier: Apache-2.0
#include "cardan/kinematics.h"
#include "kinematics/view.h"
#include "model/data.h"

/* Frames of the file as points and axes of their bodies. */

cardan_xform cardan_frame_pose(const cardan_model *model, const cardan_data *data, int frame)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_POSES);
  const cardan_frame *f = &model->frame[frame];
  return cardan__xform_mul(&data->X_W[f->body], &f->X_BF);
}

cardan__view cardan__data_view(const cardan_model *model, const cardan_data *data)
{
  (void)model;
  return (cardan__view){.X_W = data->X_W,
                        .V = data->V,
                        .A0 = data->A0,
                        .q = data->q,
                        .v = data->v,
                        .a_prescribed = data->a,
                        .u = data->u,
                        .program = data->program,
                        .program_f = data->program_f,
                        .program_tau = data->program_tau,
                        .t = data->t,
                        .work = data->scratch};
}

void cardan__frame_point(const cardan_frame *f, const cardan__view *view, cardan_vec3 *p,
                         cardan_vec3 *v, cardan_vec3 *a)
{
  const cardan_xform *X = &view->X_W[f->body];
  const cardan_vec3 r = f->X_BF.p;
  if (p != NULL) {
    *p = cardan__xform_point(X, r);
  }
  if (v != NULL) {
    const cardan_twist *V = &view->V[f->body];
    *v = cardan__mat3_mulv(&X->R, cardan__vec3_add(V->v, cardan__vec3_cross(V->w, r)));
  }
  if (a != NULL) {
    const cardan_twist *A = &view->A0[f->body];
    const cardan_vec3 w = view->V[f->body].w;
    const cardan_vec3 turn = cardan__vec3_add(cardan__vec3_cross(A->w, r),
                                              cardan__vec3_cross(w, cardan__vec3_cross(w, r)));
    *a = cardan__mat3_mulv(&X->R, cardan__vec3_add(A->v, turn));
  }
}

void cardan__frame_axis(const cardan_frame *f, const cardan__view *view, cardan_vec3 u,
                        cardan_vec3 *d, cardan_vec3 *d1, cardan_vec3 *d2)
{
  const cardan_mat3 *R = &view->X_W[f->body].R;
  const cardan_vec3 e = cardan__mat3_mulv(&f->X_BF.R, u);
  *d = cardan__mat3_mulv(R, e);
  if (d1 != NULL) {
    *d1 = cardan__mat3_mulv(R, cardan__vec3_cross(view->V[f->body].w, e));
  }
  if (d2 != NULL) {
    const cardan_vec3 w = view->V[f->body].w;
    const cardan_vec3 turn = cardan__vec3_cross(w, cardan__vec3_cross(w, e));
    *d2 = cardan__mat3_mulv(R, cardan__vec3_add(cardan__vec3_cross(view->A0[f->body].w, e), turn));
  }
}

cardan_force cardan__frame_wrench(const cardan_frame *at, const cardan__view *view, cardan_vec3 f)
{
  const cardan_vec3 f_B = cardan__mat3_tmulv(&view->X_W[at->body].R, f);
  return (cardan_force){.t = cardan__vec3_cross(at->X_BF.p, f_B), .f = f_B};
}
