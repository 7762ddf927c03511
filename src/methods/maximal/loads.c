// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "forces/forces.h"
#include "methods/maximal/maximal.h"

/* What acts on the bodies: gravity at the centres, the model's elements (wrenches on bodies of the
 * tree and forces on velocities of joints), friction as a method has found it, the
 * caller's own forces, and gyroscopic torques, -w x J w. */

cardan__view cardan__mx_loads_view(const cardan__maximal *mx, const cardan_data *in)
{
  cardan__view view = cardan__mx_view(mx);
  view.u = in->u;
  view.program = in->program;
  view.program_f = in->program_f;
  view.program_tau = in->program_tau;
  return view;
}

static void add_others(cardan__maximal *mx, const cardan_data *in, const cardan__view *view)
{
  const cardan_model *model = mx->model;
  cardan__loads to = {.f_ext = mx->f_ext, .tau = mx->tau};
  for (int i = 1; i < model->nbody; i++) {
    mx->f_ext[i] = cardan__force_add(mx->f_ext[i], in->f_in[i]);
  }
  for (int k = 0; k < model->nv; k++) {
    mx->tau[k] += in->tau_in[k] + mx->friction[k];
  }
  cardan__forces_add(model, view, CARDAN_FORCE_POTENTIAL, &to);
}

/* Weight and - w x J w of a body in space, as what says: added to what is in f, or alone. */
static inline void put_own(const cardan__maximal *mx, int b, int what, bool added,
                           const double *vel, double *f)
{
  const cardan__mx_body *body = &mx->body[b];
  const cardan_vec3 none = {0, 0, 0};
  cardan_vec3 t = added ? cardan__vec3(f[0], f[1], f[2]) : none;
  cardan_vec3 g = added ? cardan__vec3(f[3], f[4], f[5]) : none;
  if (what & CARDAN__MX_POTENTIAL) {
    g = cardan__vec3_axpy(body->m, mx->model->gravity, g);
  }
  if (what & CARDAN__MX_GYROSCOPIC) {
    const cardan_vec3 w = cardan__vec3(vel[0], vel[1], vel[2]);
    t = cardan__vec3_add(t, cardan__vec3_cross(cardan__sym3_mulv(&body->J, w), w));
  }
  f[0] = t.x;
  f[1] = t.y;
  f[2] = t.z;
  f[3] = g.x;
  f[4] = g.y;
  f[5] = g.z;
}

/* The same in a plane, where nothing is gyroscopic. */
static void put_weight(const cardan__maximal *mx, int b, int what, bool added, double *f)
{
  const double m = what & CARDAN__MX_POTENTIAL ? mx->body[b].m : 0;
  const cardan_vec3 g = mx->model->gravity;
  f[0] = added ? f[0] : 0;
  f[1] = (added ? f[1] : 0) + m * cardan__vec3_dot(g, mx->e1);
  f[2] = (added ? f[2] : 0) + m * cardan__vec3_dot(g, mx->e2);
}

/* All but weight and gyroscopic torques, to f. */
static void put_elements(cardan__maximal *mx, const cardan_data *in, int what, double *f)
{
  const cardan_model *model = mx->model;
  const cardan__view view = cardan__mx_loads_view(mx, in);
  memset(mx->f_ext, 0, (size_t)model->nbody * sizeof *mx->f_ext);
  memset(mx->tau, 0, (size_t)model->nv * sizeof *mx->tau);
  if (what & CARDAN__MX_OTHER) {
    add_others(mx, in, &view);
  }
  if (what & CARDAN__MX_POTENTIAL) {
    cardan__loads to = {.f_ext = mx->f_ext, .tau = mx->tau};
    cardan__forces_add_potential(model, &view, &to);
  }
  cardan__mx_to_bodies(mx, mx->f_ext, mx->tau);
  for (int b = 0; b < mx->nbody; b++) {
    cardan__mx_add_wrench(mx, b, mx->f_ext[mx->body[b].body], 1, f + b * mx->dof);
  }
}

void cardan__mx_forces(cardan__maximal *mx, const cardan_data *in, int what, const double *vel,
                       double *f)
{
  const bool elements = mx->model->nforce > 0 || (what & CARDAN__MX_OTHER);
  if (elements) {
    memset(f, 0, (size_t)mx->nx * sizeof *f);
    put_elements(mx, in, what, f);
  }
  for (int b = 0; b < mx->nbody; b++, vel += mx->dof, f += mx->dof) {
    if (mx->planar) {
      put_weight(mx, b, what, elements, f);
    } else {
      put_own(mx, b, what, elements, vel, f);
    }
  }
}

double cardan__mx_power(cardan__maximal *mx, const cardan_data *in)
{
  const cardan_model *model = mx->model;
  const cardan__view view = cardan__mx_loads_view(mx, in);
  double power = cardan__forces_power(model, &view, NULL);
  for (int k = 0; k < model->nv; k++) {
    power += (in->tau_in[k] + mx->friction[k]) * mx->v[k];
  }
  for (int i = 1; i < model->nbody; i++) {
    power += cardan__power(mx->V[i], in->f_in[i]);
  }
  return power;
}

double cardan__mx_driver_power(const cardan__maximal *mx, const double *lambda)
{
  double power = 0;
  for (int e = 0; e < mx->neq; e++) {
    power -= lambda[e] * mx->rows.phi_t[mx->row[e]];
  }
  return power;
}

/* ---- reactions ---- */

/* Wrench of a joint's rows on its child, child's frame. */
static cardan_force held(const cardan__maximal *mx, int b, const double *lambda)
{
  const cardan__mx_joint *j = &mx->joint[b];
  cardan_force F = {.t = {0, 0, 0}};
  for (int r = j->row; r < j->row + j->nrow; r++) {
    const cardan_row *row = &mx->set.row[r];
    F = cardan__force_axpy(lambda[mx->eq[r]], mx->rows.w[row->badr + row->nb - 1], F);
  }
  return F;
}

/* f_ext and tau from everything but gravity that acts on bodies and along joints, the rows of
 * drivers and of the model among it. */
static void load_all(cardan__maximal *mx, const cardan_data *in, const double *lambda)
{
  const cardan_model *model = mx->model;
  const cardan__rowset *set = &mx->set;
  const cardan__view view = cardan__mx_loads_view(mx, in);
  cardan__loads to = {.f_ext = mx->f_ext, .tau = mx->tau};
  memset(mx->f_ext, 0, (size_t)model->nbody * sizeof *mx->f_ext);
  memset(mx->tau, 0, (size_t)model->nv * sizeof *mx->tau);
  add_others(mx, in, &view);
  cardan__forces_add_potential(model, &view, &to);
  for (int r = mx->nrow_joint; r < mx->set.n; r++) {
    const cardan_row *row = &set->row[r];
    const double l = mx->eq[r] >= 0 ? lambda[mx->eq[r]] : 0;
    for (int i = row->badr; i < row->badr + row->nb; i++) {
      cardan_force *on = &mx->f_ext[set->row_body[i]];
      *on = cardan__force_axpy(l, mx->rows.w[i], *on);
    }
    for (int i = row->dadr; i < row->dadr + row->nd; i++) {
      mx->tau[set->row_dof[i]] += l * mx->rows.c[i];
    }
  }
}

/* Wrench on the child from everything that acts along and inside a chain of several links. */
static cardan_force chain_wrench(cardan__maximal *mx, int b)
{
  const cardan__mx_joint *j = &mx->joint[b];
  const int *link = mx->link + j->link, C = mx->body[b].body;
  for (int l = 0; l < j->nlink; l++) {
    const cardan_body *k = &mx->model->body[link[l]];
    memcpy(mx->tau_spare + k->vadr, mx->tau + k->vadr, (size_t)k->nv * sizeof *mx->tau);
    mx->f_spare[link[l]] = l < j->nlink - 1 ? mx->f_ext[link[l]] : (cardan_force){.t = {0, 0, 0}};
  }
  cardan__mx_push_joint(mx, b, mx->f_spare, mx->tau_spare);
  const cardan_force F = mx->f_spare[C];
  for (int l = 0; l < j->nlink; l++) { // spare arrays are 0 between calls
    const cardan_body *k = &mx->model->body[link[l]];
    memset(mx->tau_spare + k->vadr, 0, (size_t)k->nv * sizeof *mx->tau);
    mx->f_spare[link[l]] = (cardan_force){.t = {0, 0, 0}};
  }
  mx->f_spare[j->parent >= 0 ? mx->body[j->parent].body : 0] = (cardan_force){.t = {0, 0, 0}};
  return F;
}

void cardan__mx_joint_wrenches(cardan__maximal *mx, const cardan_data *in, const double *lambda,
                               cardan_force *f)
{
  load_all(mx, in, lambda);
  for (int b = 0; b < mx->nbody; b++) {
    const cardan__mx_joint *j = &mx->joint[b];
    const int *link = mx->link + j->link;
    cardan_force F = held(mx, b, lambda);
    if (j->nlink > 1) {
      F = cardan__force_add(F, chain_wrench(mx, b));
    }
    // inwards: a massless body passes on what it gets, less what acts on itself
    f[link[j->nlink - 1]] = F;
    for (int l = j->nlink - 2; l >= 0; l--) {
      const cardan_xform T = cardan__xform_inv_mul(&mx->X_W[link[l]], &mx->X_W[link[l + 1]]);
      F = cardan__force_sub(cardan__force_to_parent(&T, F), mx->f_ext[link[l]]);
      f[link[l]] = F;
    }
  }
}

void cardan__mx_friction_limits(cardan__maximal *mx, const cardan_data *in, const double *lambda,
                                double *limit)
{
  cardan__mx_joint_wrenches(mx, in, lambda, mx->wrench);
  cardan__friction_limits(mx->model, mx->wrench, limit);
}
