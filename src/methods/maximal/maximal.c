// SPDX-License-Identifier: Apache-2.0
#include "methods/maximal/maximal.h"

#include <math.h>
#include <string.h>

#include "model/build_rows.h"
#include "model/data.h"
#include "model/joint_rows.h"

/* From a model to maximal coordinates. The set of rows has the model's frames, two more for each
 * body (used where several joints make one, maximal_joints.c), and these rows:
 *   joints           the rows that hold each body to its parent
 *   prescribed       q - f(t) for every kinematic coordinate: here it is driven like any other
 *   the model's own  as they are, redundant ones too: which of them count is seen where they stand
 * Bodies keep their numbers of the tree in it, so that rows and forces need no translation. */

static cardan_status refuse(cardan_report *report, const cardan_model *model, int body,
                            const char *why)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "the body on joint \"%.60s\" %s", model->joint[model->body[body].joint].name,
                     why);
}

static bool is_massless(const cardan_model *model, int i)
{
  return (model->body[i].flags & CARDAN_LINK_MASSLESS) != 0;
}

/* ---- memory ---- */

static int count_bodies(const cardan_model *model)
{
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    n += !is_massless(model, i);
  }
  return n;
}

/* Room for rows, their bodies, velocities and entries: a joint has at most as many rows as a
 * body velocities, each on two bodies;
 * a row's massless body or velocity may stand for two bodies. */
static void layout_rows(cardan__maximal *mx, cardan__carver *c)
{
  const cardan_model *m = mx->model;
  const int joint_rows = mx->dof * mx->nbody, rows = joint_rows + m->nprescribed + m->nrow;
  const int bodies = 2 * joint_rows + m->nrow_body, dofs = m->nprescribed + m->nrow_dof;
  const int entries = 2 * joint_rows + 2 * (m->nrow_body + dofs);
  mx->set.row = CARDAN__CARVE(c, rows, cardan_row);
  mx->set.row_body = CARDAN__CARVE(c, bodies, int);
  mx->set.row_dof = CARDAN__CARVE(c, dofs, int);
  mx->eq = CARDAN__CARVE(c, rows, int);
  mx->row = CARDAN__CARVE(c, rows, int);
  mx->ent = CARDAN__CARVE(c, rows, int);
  mx->nent = CARDAN__CARVE(c, rows, int);
  mx->ent_body = CARDAN__CARVE(c, entries, int);
  mx->J = CARDAN__CARVE(c, entries * mx->dof, double);
  mx->group = CARDAN__CARVE(c, rows, cardan__mx_group);
  mx->plain = CARDAN__CARVE(c, rows, cardan__mx_plain);
  mx->plain_w = CARDAN__CARVE(c, rows, cardan_vec3);
  mx->rows.w = CARDAN__CARVE(c, bodies, cardan_force);
  mx->rows.c = CARDAN__CARVE(c, dofs, double);
  mx->rows.phi = CARDAN__CARVE(c, rows, double);
  mx->rows.phi_t = CARDAN__CARVE(c, rows, double);
  mx->rows.gamma = CARDAN__CARVE(c, rows, double);
}

/* What fill_bodies and chains of massless bodies write. */
static void layout_bodies(void *what, cardan__carver *c)
{
  cardan__maximal *mx = what;
  const cardan_model *m = mx->model;
  mx->body = CARDAN__CARVE(c, mx->nbody, cardan__mx_body);
  mx->plane = CARDAN__CARVE(c, mx->planar ? mx->nbody : 0, cardan__mx_plane);
  mx->joint = CARDAN__CARVE(c, mx->nbody, cardan__mx_joint);
  mx->link = CARDAN__CARVE(c, m->nbody, int);
  mx->of_body = CARDAN__CARVE(c, m->nbody, int);
  mx->first = CARDAN__CARVE(c, m->nbody, int);
  mx->next = CARDAN__CARVE(c, m->nbody, int);
  mx->X_W = CARDAN__CARVE(c, m->nbody, cardan_xform);
}

static cardan__maximal *layout(cardan__maximal *counted, cardan__carver *c)
{
  const cardan_model *m = counted->model;
  cardan__maximal *mx = CARDAN__CARVE(c, 1, cardan__maximal);
  if (mx != NULL) {
    *mx = *counted;
  } else {
    mx = counted;
  }
  layout_bodies(mx, c);
  mx->set.frame = CARDAN__CARVE(c, m->nframe + 2 * mx->nbody, cardan_frame);
  layout_rows(mx, c);
  mx->V = CARDAN__CARVE(c, m->nbody, cardan_twist);
  mx->A0 = CARDAN__CARVE(c, m->nbody, cardan_twist);
  mx->q = CARDAN__CARVE(c, m->nq, double);
  mx->v = CARDAN__CARVE(c, m->nv, double);
  mx->a0 = CARDAN__CARVE(c, m->nv, double);
  mx->u = CARDAN__CARVE(c, cardan__outside(m), double);
  mx->work = CARDAN__CARVE(c, m->expr_work + 8 * m->max_leaf, double);
  mx->f_ext = CARDAN__CARVE(c, m->nbody, cardan_force);
  mx->f_spare = CARDAN__CARVE(c, m->nbody, cardan_force);
  mx->tau = CARDAN__CARVE(c, m->nv, double);
  mx->tau_spare = CARDAN__CARVE(c, m->nv, double);
  mx->limit = CARDAN__CARVE(c, m->nforce, double);
  mx->friction = CARDAN__CARVE(c, m->nv, double);
  mx->wrench = CARDAN__CARVE(c, m->nbody, cardan_force);
  return mx;
}

/* ---- bodies ---- */

static cardan__sym3 inverse(const cardan__sym3 *S)
{
  const double xx = S->yy * S->zz - S->yz * S->yz, xy = S->xz * S->yz - S->xy * S->zz;
  const double xz = S->xy * S->yz - S->xz * S->yy;
  const double k = 1 / (S->xx * xx + S->xy * xy + S->xz * xz);
  return (cardan__sym3){.xx = k * xx,
                        .xy = k * xy,
                        .xz = k * xz,
                        .yy = k * (S->xx * S->zz - S->xz * S->xz),
                        .yz = k * (S->xy * S->xz - S->xx * S->yz),
                        .zz = k * (S->xx * S->yy - S->xy * S->xy)};
}

/* Positive definite by more than the rounding of moments of this size. */
static bool is_definite(const cardan__sym3 *S, double size)
{
  const double least = 1e-12 * size, d1 = S->xx, l21 = S->xy / d1, l31 = S->xz / d1;
  const double d2 = S->yy - l21 * S->xy, l32 = (S->yz - l21 * S->xz) / d2;
  const double d3 = S->zz - l31 * S->xz - l32 * l32 * d2;
  return d1 > least && d2 > least && d3 > least;
}

/* Mass, centre and moments about it; the orientation at q = 0 must be in X_W. */
static cardan_status fill_body(cardan__maximal *mx, int b, cardan_report *report)
{
  cardan__mx_body *to = &mx->body[b];
  const cardan_inertia *I = &mx->model->body[to->body].inertia;
  const double size = I->xx + I->yy + I->zz;
  if (!(I->m > 0)) {
    return refuse(report, mx->model, to->body,
                  "has inertia but no mass, which methods in maximal coordinates need");
  }
  to->m = I->m;
  to->c = cardan__vec3_scale(1 / I->m, I->h);
  const cardan_vec3 c = to->c, h = I->h;
  to->J = (cardan__sym3){.xx = I->xx - (h.y * c.y + h.z * c.z),
                         .yy = I->yy - (h.x * c.x + h.z * c.z),
                         .zz = I->zz - (h.x * c.x + h.y * c.y),
                         .xy = I->xy + h.x * c.y,
                         .xz = I->xz + h.x * c.z,
                         .yz = I->yz + h.y * c.z};
  if (mx->planar) {
    cardan__mx_plane *plane = &mx->plane[b];
    plane->R0 = mx->X_W[to->body].R;
    to->n = cardan__mat3_tmulv(&plane->R0, mx->normal);
    cardan__mx_turn_planar(plane, to->n);
    to->Jn = cardan__vec3_dot(to->n, cardan__sym3_mulv(&to->J, to->n));
    const cardan_vec3 r = cardan__xform_point(&mx->X_W[to->body], c);
    plane->r0 = cardan__vec3_scale(cardan__vec3_dot(mx->normal, r), mx->normal);
    if (!(to->Jn > 1e-12 * size)) {
      return refuse(report, mx->model, to->body,
                    "has no moment of inertia about its centre (a point mass?), which methods in "
                    "maximal coordinates need");
    }
  } else if (!is_definite(&to->J, size)) {
    return refuse(
        report, mx->model, to->body,
        "lacks a moment of inertia about its centre (a point mass or a thin rod?): methods in "
        "maximal coordinates need three that are positive");
  } else {
    to->J_inv = inverse(&to->J);
  }
  return CARDAN_OK;
}

/* The chain that carries body b, from the next body with mass (or the world) outwards. */
static cardan_status fill_chain(cardan__maximal *mx, int b, cardan_report *report)
{
  const cardan_model *model = mx->model;
  cardan__mx_joint *j = &mx->joint[b];
  int i = mx->body[b].body, n = 0;
  do {
    if (mx->of_body[i] >= 0 && n > 0) {
      return refuse(
          report, model, i,
          "carries several others but has no mass, which methods in maximal coordinates need");
    }
    mx->of_body[i] = b;
    n++;
    i = model->body[i].parent;
  } while (i > 0 && is_massless(model, i));
  j->link = mx->nlink;
  j->nlink = n;
  j->parent = i > 0 ? mx->of_body[i] : -1;
  mx->nlink += n;
  i = mx->body[b].body;
  for (int k = n - 1; k >= 0; k--) {
    mx->link[j->link + k] = i;
    j->nv += model->body[i].nv;
    i = model->body[i].parent;
  }
  return CARDAN_OK;
}

/* Lists of children: the first of each tree body, the next of the same parent; 0 ends. */
static void list_children(const cardan_model *model, int *first, int *next)
{
  for (int i = 0; i < model->nbody; i++) {
    first[i] = next[i] = 0;
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const int p = model->body[i].parent;
    next[i] = first[p];
    first[p] = i;
  }
}

/* The tree body after i, depth first; 0 at the end. */
static int next_body(const cardan_model *model, const int *first, const int *next, int i)
{
  if (first[i] != 0) {
    return first[i];
  }
  while (i != 0 && next[i] == 0) {
    i = model->body[i].parent;
  }
  return next[i];
}

/* Bodies are numbered depth first, so that subtrees stay together in memory. */
static cardan_status fill_bodies(cardan__maximal *mx, cardan_report *report)
{
  const cardan_model *model = mx->model;
  int b = 0;
  mx->X_W[0] = cardan__xform_identity();
  for (int i = 0; i < model->nbody; i++) {
    mx->of_body[i] = -1;
  }
  list_children(model, mx->first, mx->next);
  for (int i = mx->first[0]; i != 0; i = next_body(model, mx->first, mx->next, i)) {
    mx->X_W[i] = cardan__xform_mul(&mx->X_W[model->body[i].parent], &model->body[i].X);
    if (!is_massless(model, i)) {
      mx->body[b].body = i;
      cardan_status status = fill_body(mx, b, report);
      if (status == CARDAN_OK) {
        status = fill_chain(mx, b, report);
      }
      if (status != CARDAN_OK) {
        return status;
      }
      b++;
    }
  }
  for (int i = 1; i < model->nbody; i++) {
    if (mx->of_body[i] < 0) {
      return refuse(report, model, i, "has no mass, which methods in maximal coordinates need");
    }
  }
  return CARDAN_OK;
}

/* ---- rows ---- */

static void touch(int *list, int *n, int value)
{
  for (int i = 0; i < *n; i++) {
    if (list[i] == value) {
      return;
    }
  }
  list[(*n)++] = value;
}

static cardan_status refuse_chain(const cardan__maximal *mx, int b, cardan_report *report)
{
  return refuse(
      report, mx->model, mx->body[b].body,
      "hangs by a chain of massless bodies that makes no joint these methods know: give the "
      "bodies of the chain mass and inertia");
}

/* The rows of the joint that carries body b. */
static cardan_status add_joint(cardan__maximal *mx, int b, cardan_report *report)
{
  cardan__rowset *set = &mx->set;
  cardan__mx_joint *j = &mx->joint[b];
  const int child = mx->body[b].body, parent = j->parent >= 0 ? mx->body[j->parent].body : 0;
  cardan_row rows[CARDAN__PAIR_ROWS];
  j->row = set->n;
  j->nrow = cardan__mx_joint_rows(mx, b, rows);
  if (j->nrow < 0) {
    return refuse_chain(mx, b, report);
  }
  for (int i = 0; i < j->nrow; i++) {
    cardan_row *row = &set->row[set->n++];
    *row = rows[i];
    row->constraint = b;
    row->badr = set->nrow_body;
    row->dadr = set->nrow_dof;
    if (parent > 0) {
      set->row_body[row->badr + row->nb++] = parent;
    }
    set->row_body[row->badr + row->nb++] = child;
    set->nrow_body += row->nb;
  }
  return CARDAN_OK;
}

static void add_prescribed(cardan__maximal *mx)
{
  cardan__rowset *set = &mx->set;
  for (int i = 0; i < mx->model->nprescribed; i++) {
    const cardan_prescribed *p = &mx->model->prescribed[i];
    const cardan_body *b = &mx->model->body[p->body];
    set->row[set->n++] = (cardan_row){.kind = CARDAN_ROW_MOTION,
                                      .constraint = i,
                                      .frame = {-1, -1, -1},
                                      .var = {b->qadr, -1},
                                      .expr = p->expr,
                                      .badr = set->nrow_body,
                                      .dadr = set->nrow_dof,
                                      .nd = 1,
                                      .length = 1};
    set->row_dof[set->nrow_dof++] = b->vadr;
  }
}

static void add_model_rows(cardan__maximal *mx)
{
  const cardan_model *model = mx->model;
  cardan__rowset *set = &mx->set;
  for (int r = 0; r < model->nrow; r++) {
    cardan_row *row = &set->row[set->n++];
    *row = model->row[r];
    row->badr += set->nrow_body;
    row->dadr += set->nrow_dof;
  }
  if (model->nrow > 0) {
    memcpy(set->row_body + set->nrow_body, model->row_body,
           (size_t)model->nrow_body * sizeof *model->row_body);
    memcpy(set->row_dof + set->nrow_dof, model->row_dof,
           (size_t)model->nrow_dof * sizeof *model->row_dof);
  }
  set->nrow_body += model->nrow_body;
  set->nrow_dof += model->nrow_dof;
}

static cardan_status fill_rows(cardan__maximal *mx, cardan_report *report)
{
  const cardan_model *model = mx->model;
  cardan__rowset *set = &mx->set;
  memcpy(set->frame, model->frame, (size_t)model->nframe * sizeof *set->frame);
  for (int b = 0; b < mx->nbody; b++) {
    const cardan_status status = add_joint(mx, b, report);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  mx->nrow_joint = set->n;
  add_prescribed(mx);
  mx->nrow_prescribed = model->nprescribed;
  mx->row_model = set->n;
  add_model_rows(mx);
  return CARDAN_OK;
}

/* The joint of body b moves frames or coordinates that a row reads: the row touches both its
 * bodies. */
static void touch_joint(cardan__maximal *mx, int b, int *list, int *n)
{
  mx->joint[b].by_rows = true;
  mx->any_by_rows = true;
  touch(list, n, b);
  if (mx->joint[b].parent >= 0) {
    touch(list, n, mx->joint[b].parent);
  }
}

/* A row of velocity level may read coordinates and places that it does not move: those of joints,
 * and of bodies without mass, must be known where the row is evaluated. */
static void read_leaves(cardan__maximal *mx, const cardan_row *row)
{
  const cardan_model *model = mx->model;
  const cardan_bound_expr *bound = row->velocity && row->expr >= 0 ? &model->expr[row->expr] : NULL;
  for (int i = 0; bound != NULL && i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    const bool place = leaf->kind == CARDAN__LEAF_FRAME || leaf->kind == CARDAN__LEAF_TURN;
    const int body = leaf->kind == CARDAN__LEAF_Q ? model->q_body[leaf->index]
                     : place                      ? model->frame[leaf->index].body
                                                  : 0;
    if (leaf->kind == CARDAN__LEAF_Q || (place && is_massless(model, body))) {
      mx->joint[mx->of_body[body]].by_rows = mx->any_by_rows = true;
    }
  }
}

/* Which bodies every row touches. */
static void fill_entries(cardan__maximal *mx)
{
  const cardan__rowset *set = &mx->set;
  for (int r = 0; r < set->n; r++) {
    const cardan_row *row = &set->row[r];
    int *list = mx->ent_body + mx->nentry, n = 0;
    read_leaves(mx, row);
    for (int i = row->badr; i < row->badr + row->nb; i++) {
      const int body = set->row_body[i];
      if (is_massless(mx->model, body)) {
        touch_joint(mx, mx->of_body[body], list, &n);
      } else {
        touch(list, &n, mx->of_body[body]);
      }
    }
    for (int i = row->dadr; i < row->dadr + row->nd; i++) {
      touch_joint(mx, mx->of_body[mx->model->v_body[set->row_dof[i]]], list, &n);
    }
    mx->ent[r] = mx->nentry;
    mx->nent[r] = n;
    mx->nentry += n;
  }
}

/* ---- which rows count ---- */

static bool is_redundant(const cardan__maximal *mx, int r)
{
  return r >= mx->row_model && mx->model->row_redundant[r - mx->row_model];
}

/* May the row be the same wherever bodies are, since it touches one of them at most? */
static bool may_be_constant(const cardan__maximal *mx, int r)
{
  const cardan_row *row = &mx->set.row[r];
  return row->nd == 0 && mx->nent[r] <= 1 && !cardan__row_reads_time(mx->model, row);
}

/* Rows that hold bodies across the plane have no part in it, and rows between frames of one body
 * nowhere: theirs is 0 wherever bodies are. Marks those that are not 0 at a place of no meaning, in
 * eq; cfg: room for one. */
static void mark_live(cardan__maximal *mx, double *cfg, double seed)
{
  for (int i = 0; i < mx->ncfg * mx->nbody; i++) {
    cfg[i] = sin(seed * (i + 1));
  }
  cardan__mx_place(mx, cfg, NULL);
  cardan__mx_coordinates(mx, true);
  cardan__mx_jacobian(mx);
  for (int r = 0; r < mx->set.n; r++) {
    double largest = 0;
    for (int k = mx->ent[r] * mx->dof; k < (mx->ent[r] + mx->nent[r]) * mx->dof; k++) {
      largest = fmax(largest, fabs(mx->J[k]));
    }
    mx->eq[r] = mx->eq[r] >= 0 || largest > 1e-9 ? 0 : -1;
  }
}

static cardan_status number_rows(cardan__maximal *mx, cardan_report *report)
{
  const size_t size = (size_t)(mx->ncfg * mx->nbody + 1) * sizeof(double);
  bool dead = false;
  for (int r = 0; r < mx->set.n; r++) {
    const bool looks = is_redundant(mx, r) && (mx->planar || may_be_constant(mx, r));
    mx->eq[r] = looks ? -1 : 0;
    dead = dead || looks;
  }
  if (dead) {
    double *cfg = cardan__resize(&mx->allocator, NULL, size);
    if (cfg == NULL) {
      return cardan__no_memory(report);
    }
    mark_live(mx, cfg, 1);
    mark_live(mx, cfg, sqrt(2));
    cardan__resize(&mx->allocator, cfg, 0);
  }
  for (int r = 0; r < mx->set.n; r++) {
    if (mx->eq[r] >= 0) {
      mx->nredundant += is_redundant(mx, r);
      mx->any_time = mx->any_time || mx->set.row[r].expr >= 0;
      mx->eq[r] = mx->neq;
      mx->row[mx->neq++] = r;
    }
  }
  return CARDAN_OK;
}

/* ---- the whole ---- */

/* Friction needs what presses a joint's surfaces together, also across the plane. */
static void choose_plane(cardan__maximal *mx, bool planar)
{
  mx->planar = planar && mx->model->planar && !mx->model->has_friction;
  mx->dof = mx->planar ? 3 : 6;
  mx->ncfg = mx->planar ? 3 : 7;
  mx->nx = mx->dof * mx->nbody;
  if (mx->planar) {
    const cardan_vec3 n = mx->model->plane_normal;
    const cardan_vec3 ref = fabs(n.x) < 0.9 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 1, 0);
    mx->normal = n;
    mx->e1 = cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(ref, n), n, ref));
    mx->e2 = cardan__vec3_cross(n, mx->e1);
  }
}

static cardan__maximal count(const cardan_model *model, bool planar,
                             const cardan_allocator *allocator)
{
  cardan__maximal counted = {.model = model, .set = {.model = model}};
  counted.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  counted.nbody = count_bodies(model);
  choose_plane(&counted, planar);
  return counted;
}

cardan_status cardan__maximal_takes(const cardan_model *model, bool planar,
                                    const cardan_allocator *allocator, cardan_report *report)
{
  cardan__maximal mx = count(model, planar, allocator);
  void *block = cardan__carve_block(allocator, layout_bodies, &mx);
  if (block == NULL) {
    return cardan__no_memory(report);
  }
  cardan_status status = fill_bodies(&mx, report);
  for (int b = 0; b < mx.nbody && status == CARDAN_OK; b++) {
    status = cardan__mx_joint_known(&mx, b) ? CARDAN_OK : refuse_chain(&mx, b, report);
  }
  cardan__resize(allocator, block, 0);
  return status;
}

cardan_status cardan__maximal_create(const cardan_model *model, bool planar,
                                     const cardan_allocator *allocator, cardan__maximal **out,
                                     cardan_report *report)
{
  cardan__maximal counted = count(model, planar, allocator);
  cardan__carver c = {0};
  *out = NULL;
  layout(&counted, &c);
  const size_t size = cardan__carver_size(&c);
  void *memory = size > 0 ? cardan__resize(allocator, NULL, size) : NULL;
  if (memory == NULL) {
    return cardan__no_memory(report);
  }
  memset(memory, 0, size);
  c = cardan__carver_over(memory);
  cardan__maximal *mx = layout(&counted, &c);
  mx->block = memory;
  cardan_status status = fill_bodies(mx, report);
  if (status == CARDAN_OK) {
    status = fill_rows(mx, report);
  }
  if (status != CARDAN_OK) {
    cardan__maximal_destroy(mx);
    return status;
  }
  fill_entries(mx);
  cardan__mx_group_rows(mx);
  status = number_rows(mx, report);
  if (status != CARDAN_OK) {
    cardan__maximal_destroy(mx);
    return status;
  }
  memcpy(mx->q, model->q0, (size_t)model->nq * sizeof *mx->q);
  *out = mx;
  return CARDAN_OK;
}

void cardan__maximal_destroy(cardan__maximal *mx)
{
  if (mx != NULL) {
    const cardan_allocator allocator = mx->allocator;
    cardan__resize(&allocator, mx->block, 0);
  }
}
