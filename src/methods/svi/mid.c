// SPDX-License-Identifier: Apache-2.0
#include "methods/svi/mid.h"

#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "model/data.h"

/* First derivatives of the Lagrangian, and how they change, by recursion.
 *
 * With X_i = T_parent,i, S_i constant in body coordinates, V the bodies' twists, P_i the momentum
 * and F_i the applied wrench (gravity, elements) of body i with everything below it, about i's
 * origin and in i's axes,
 *   V_i = Ad_X^-1 V_p + S v                 P_p += Ad_X^-T P_i,   F_p += Ad_X^-T F_i     (E1)
 *   L_v = S^T P_i + armature_i v            L_q = S^T (ad_V^T P_i + F_i)                 (E2)
 * since a turn of joint i by dq changes every twist below it by what ad_V S dq is there.
 *
 * Along (dq, dv) a body turns by w (body axes), and its twist's components change by
 *   w_i = R^T w_p + S.w dq        dV_i = Ad_X^-1 dV_p + ad_V S dq + S dv                 (E3)
 * Changes of P and F are counted in axes that do not turn, about origins that move along: then a
 * translation of all bodies together changes nothing, and only turns count. A tilde marks them, so
 * that dP = ~P - w x P, each part on its own. They add up as P does, but for the origins' distance
 * p, which turns with the parent and slides with the joint, dp = w_p x p + R S.v dq:
 *   ~P_i = I dV_i + w_i x (I V_i),  ~P_p += Ad_X^-T ~P_i + (dp x R P_i.f; 0)             (E4)
 *   ~F_i = ((w_i x h) x g; 0) + ~(elements), and as (E4)                                 (E5)
 *   dL_v = S^T dP                   dL_q = S^T (ad_dV^T P + ad_V^T dP + dF)              (E6) */

static void layout(void *what, cardan__carver *c)
{
  cardan__mid *mid = what;
  const cardan_model *model = mid->model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  mid->dX = cardan__carve(c, nb, sizeof *mid->dX);
  mid->dV = cardan__carve(c, nb, sizeof *mid->dV);
  mid->dP = cardan__carve(c, nb, sizeof *mid->dP);
  mid->dF = cardan__carve(c, nb, sizeof *mid->dF);
  mid->dload = cardan__carve(c, nb, sizeof *mid->dload);
  mid->dtau = cardan__carve(c, nv, sizeof *mid->dtau);
  mid->tau_q = cardan__carve(c, nv, sizeof *mid->tau_q);
  mid->tau_v = cardan__carve(c, nv, sizeof *mid->tau_v);
  mid->sweep = cardan__carve(c, nb, sizeof *mid->sweep);
  mid->A = cardan__carve(c, (size_t)mid->nbranch, sizeof *mid->A);
  mid->branch = cardan__carve(c, nb, sizeof *mid->branch);
  mid->odd = cardan__carve(c, nb, sizeof *mid->odd);
  mid->z = cardan__carve(c, nb, sizeof *mid->z);
  mid->turn = cardan__carve(c, nb, sizeof *mid->turn);
  if (mid->has_rows) {
    mid->lanes = cardan__carve(c, nb, sizeof *mid->lanes);
  }
}

/* Bodies with children that are not next in number get a place in A; depths are counted by parity.
 * */
static void number_branches(cardan__mid *mid)
{
  const cardan_model *model = mid->model;
  mid->nbranch = 0;
  for (int i = 0; i < model->nbody; i++) {
    mid->branch[i] = -1;
  }
  for (int i = 1; i < model->nbody; i++) {
    const int parent = model->body[i].parent;
    mid->odd[i] = !mid->odd[parent];
    if (parent > 0 && parent != i - 1 && mid->branch[parent] < 0) {
      mid->branch[parent] = mid->nbranch++;
    }
  }
}

cardan_status cardan__mid_create(const cardan_model *model, bool holds_rows,
                                 const cardan_allocator *allocator, cardan__mid *mid)
{
  *mid = (cardan__mid){
      .model = model, .elements = model->nforce > 0, .has_rows = model->nrow > 0 || holds_rows};
  for (int i = 1; i < model->nbody; i++) {
    mid->nbranch += model->body[i].parent != i - 1; // at least as many as there are branches
  }
  mid->block = cardan__carve_block(allocator, layout, mid);
  if (mid->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  number_branches(mid);
  return cardan_data_create(model, allocator, &mid->data);
}

void cardan__mid_destroy(cardan__mid *mid, const cardan_allocator *allocator)
{
  cardan_data_destroy(mid->data);
  cardan__resize(allocator, mid->block, 0);
}

/* f_ext and tau: the caller's inputs, and what the elements give. */
static void load(cardan__mid *mid)
{
  const cardan_model *model = mid->model;
  cardan_data *data = mid->data;
  if (!mid->elements && !mid->inputs && mid->unloaded) {
    return; // nothing acts, and nothing did before
  }
  memcpy(data->tau, data->tau_in, (size_t)model->nv * sizeof *data->tau);
  memcpy(data->f_ext, data->f_in, (size_t)model->nbody * sizeof *data->f_ext);
  mid->unloaded = !mid->elements && !mid->inputs;
  if (mid->elements) {
    const cardan__view view = cardan__data_view(model, data);
    cardan__loads to = {.f_ext = data->f_ext, .tau = data->tau};
    cardan_poses(model, data);
    cardan__forces_add(model, &view, 0, &to);
    if (mid->limit != NULL) {
      cardan__friction_apply(model, &view, mid->limit, &to);
    }
  }
}

/* ad_V S of a joint of one velocity. */
static inline cardan_twist cross_axis(const cardan_body *b, cardan_twist V)
{
  return cardan__twist_cross(V, cardan__joint_axis(b, 0));
}

/* V and g, and each body's own P and weight; what the next body needs is at hand. */
static void outward(cardan__mid *mid)
{
  const cardan_model *model = mid->model;
  cardan_data *data = mid->data;
  cardan_twist V = data->V[0]; // of body i - 1, mostly the parent
  cardan_vec3 g = data->g[0] = model->gravity;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->parent != i - 1) {
      V = data->V[b->parent];
      g = data->g[b->parent];
    }
    V = cardan__link_twist(b->flags, &data->X[i], V);
    g = cardan__link_in(b->flags, &data->X[i].R, g);
    if (cardan__joint_is_hinge(b)) {
      V.w.z += data->v[b->vadr];
    } else {
      V = cardan__twist_add(V, cardan__joint_twist(b, data->v + b->vadr));
    }
    data->V[i] = V;
    data->g[i] = g;
    data->P[i] = cardan__inertia_mul(&b->inertia, V);
    data->T[i] = cardan__weight(&b->inertia, g);
  }
  cardan__made(data, CARDAN_FRESH_VELOCITIES, CARDAN_FRESH_BIAS | CARDAN_FRESH_FORWARD);
}

/* (E2) of one joint. */
static inline void derivatives(const cardan__mid *mid, int i, cardan_force P, cardan_force F,
                               double *a, double *b)
{
  const cardan_body *body = &mid->model->body[i];
  const cardan_data *data = mid->data;
  const int k = body->vadr;
  const double rotor = mid->model->armature[k] * data->v[k];
  if (cardan__joint_is_hinge(body)) {
    const cardan_twist V = data->V[i];
    a[k] = P.t.z + rotor;
    b[k] = (V.w.y * P.t.x - V.w.x * P.t.y) + (V.v.y * P.f.x - V.v.x * P.f.y) + F.t.z + data->tau[k];
  } else {
    const cardan_twist S = cardan__joint_axis(body, 0);
    a[k] = cardan__power(S, P) + rotor;
    b[k] = cardan__power(cross_axis(body, data->V[i]), P) + cardan__power(S, F) + data->tau[k];
  }
}

void cardan__mid_eval(cardan__mid *mid, double *a, double *b)
{
  const cardan_model *model = mid->model;
  cardan_data *data = mid->data;
  cardan_force *P = data->P, *F = data->T;
  cardan_force upP = {.t = {0, 0, 0}}, upF = upP; // what body i + 1 hands to its parent
  cardan_joints(model, data);
  outward(mid);
  load(mid);
  for (int i = 1; i < model->nbody && !mid->unloaded; i++) {
    F[i] = cardan__force_add(F[i], data->f_ext[i]);
  }
  P[0] = F[0] = upP;
  for (int i = model->nbody - 1; i > 0; i--) {
    const int parent = model->body[i].parent, link = model->body[i].flags;
    const bool met = i + 1 < model->nbody && model->body[i + 1].parent == i;
    const cardan_force Pi = met ? cardan__force_add(P[i], upP) : P[i];
    const cardan_force Fi = met ? cardan__force_add(F[i], upF) : F[i];
    P[i] = Pi;
    F[i] = Fi;
    derivatives(mid, i, Pi, Fi, a, b);
    upP = cardan__link_force(link, &data->X[i], Pi); // (E1)
    upF = cardan__link_force(link, &data->X[i], Fi);
    if (parent != i - 1) {
      P[parent] = cardan__force_add(P[parent], upP);
      F[parent] = cardan__force_add(F[parent], upF);
    }
  }
}

/* Turns and slides of bodies (dX, of which the elements need both parts) and twists along (dq, dv).
 * */
static void spread(cardan__mid *mid, const double *dq, const double *dv)
{
  const cardan_model *model = mid->model;
  const cardan_data *data = mid->data;
  mid->dX[0] = mid->dV[0] = (cardan_twist){.w = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_twist S = cardan__joint_axis(b, 0), c = cross_axis(b, data->V[i]);
    const cardan_twist V = cardan__twist_to_child(&data->X[i], mid->dV[b->parent]);
    const cardan_twist joint =
        cardan__twist_axpy(dq[b->vadr], c, cardan__twist_scale(dv[b->vadr], S));
    mid->dX[i] =
        cardan__twist_axpy(dq[b->vadr], S, cardan__twist_to_child(&data->X[i], mid->dX[b->parent]));
    mid->dV[i] = cardan__twist_add(V, joint); // (E3)
  }
}

/* The elements' part of (E5) to dF, and of tau to dtau. */
static void spread_loads(cardan__mid *mid, const double *dq, const double *dv)
{
  const cardan_model *model = mid->model;
  const cardan_data *data = mid->data;
  memset(mid->dload, 0, (size_t)model->nbody * sizeof *mid->dload);
  memset(mid->dtau, 0, (size_t)model->nv * sizeof *mid->dtau);
  if (mid->elements) {
    const cardan__view view = cardan__data_view(model, data);
    const cardan__change change = {.X = mid->dX, .V = mid->dV, .q = dq, .v = dv};
    cardan__loads to = {.f_ext = mid->dload, .tau = mid->dtau};
    cardan__forces_add_slope(model, &view, &change, 0, &to);
    if (mid->limit != NULL) {
      cardan__friction_slope(model, &view, &change, mid->limit, &to);
    }
  }
}

/* F + w x (each part of P) */
static cardan_force add_turn(cardan_force F, cardan_vec3 w, cardan_force P)
{
  return (cardan_force){.t = cardan__vec3_add(F.t, cardan__vec3_cross(w, P.t)),
                        .f = cardan__vec3_add(F.f, cardan__vec3_cross(w, P.f))};
}

/* (E4), (E5): what body i adds to its parent's ~P or ~F; dp in the parent's axes. */
static cardan_force pass(const cardan_xform *X, cardan_force dP, cardan_force P, cardan_vec3 dp)
{
  const cardan_vec3 f = cardan__mat3_mulv(&X->R, P.f);
  cardan_force out = cardan__force_to_parent(X, dP);
  out.t = cardan__vec3_add(out.t, cardan__vec3_cross(dp, f));
  return out;
}

void cardan__mid_slope(cardan__mid *mid, const double *dq, const double *dv, double *da, double *db)
{
  const cardan_model *model = mid->model;
  const cardan_data *data = mid->data;
  cardan_force *dP = mid->dP, *dF = mid->dF;
  spread(mid, dq, dv);
  spread_loads(mid, dq, dv);
  dP[0] = dF[0] = (cardan_force){.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_inertia *I = &model->body[i].inertia;
    const cardan_vec3 w = mid->dX[i].w;
    dP[i] = add_turn(cardan__inertia_mul(I, mid->dV[i]), w, cardan__inertia_mul(I, data->V[i]));
    dF[i] = add_turn(mid->dload[i], w, data->f_ext[i]);
    dF[i].t =
        cardan__vec3_add(dF[i].t, cardan__vec3_cross(cardan__vec3_cross(w, I->h), data->g[i]));
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const int k = b->vadr, parent = b->parent;
    const cardan_twist S = cardan__joint_axis(b, 0), c = cross_axis(b, data->V[i]);
    const cardan_vec3 back = cardan__vec3_neg(mid->dX[i].w);
    const cardan_force P = add_turn(dP[i], back, data->P[i]), F = add_turn(dF[i], back, data->T[i]);
    const cardan_twist cV = cross_axis(b, mid->dV[i]);
    da[k] = cardan__power(S, P) + model->armature[k] * dv[k]; // (E6)
    db[k] =
        cardan__power(cV, data->P[i]) + cardan__power(c, P) + cardan__power(S, F) + mid->dtau[k];
    const cardan_xform *X = &data->X[i];
    const cardan_vec3 slide = cardan__vec3_scale(dq[k], cardan__mat3_mulv(&X->R, S.v));
    const cardan_vec3 dp = cardan__vec3_add(cardan__vec3_cross(mid->dX[parent].w, X->p), slide);
    dP[parent] = cardan__force_add(dP[parent], pass(X, dP[i], data->P[i], dp));
    dF[parent] = cardan__force_add(dF[parent], pass(X, dF[i], data->T[i], dp));
  }
}
