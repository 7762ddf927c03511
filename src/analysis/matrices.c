// SPDX-License-Identifier: Apache-2.0
#include "analysis/matrices.h"

#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/inverse_slopes.h"
#include "expr/expr.h"
#include "linalg/linalg.h"
#include "model/build.h"
#include "model/data.h"

/* Matrices of a model at one state: those of the tree, and the names and notes of all matrices. */

static bool is_kinematic(const cardan_model *model, int k)
{
  return model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
}

static void layout_result(void *what, cardan__carver *c)
{
  cardan_matrices *m = what;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow, n = (size_t)m->n, nx = (size_t)m->nx;
  const bool mixed = m->model->nvelocity_row > 0;
  double **const squares[] = {&m->M, &m->C, &m->K, &m->Kc};
  double **const reduced[] = {&m->Mr, &m->Cr, &m->Kr, &m->Ce, &m->Ke};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = cardan__carve(c, nv * nv, sizeof(double));
  }
  for (size_t i = 0; i < sizeof reduced / sizeof *reduced; i++) {
    *reduced[i] = cardan__carve(c, n * n, sizeof(double));
  }
  m->q = cardan__carve(c, (size_t)m->model->nq, sizeof(double));
  m->v = cardan__carve(c, nv, sizeof(double));
  m->gravity = cardan__carve(c, nv, sizeof(double));
  m->G = cardan__carve(c, nrow * nv, sizeof(double));
  m->a = cardan__carve(c, nv, sizeof(double));
  m->lambda = cardan__carve(c, nrow, sizeof(double));
  m->dof = cardan__carve(c, nv, sizeof(int));
  m->forced = cardan__carve(c, nv, sizeof(int));
  m->N = cardan__carve(c, nv * n, sizeof(double));
  m->wdof = mixed ? cardan__carve(c, nv, sizeof(int)) : m->dof;
  m->W = mixed ? cardan__carve(c, nv * (size_t)m->nw, sizeof(double)) : m->N;
  m->A = cardan__carve(c, nx * nx, sizeof(double));
  m->B = cardan__carve(c, nx * (size_t)m->nu, sizeof(double));
  m->Cy = cardan__carve(c, nx * (size_t)m->ny, sizeof(double));
  m->D = cardan__carve(c, (size_t)m->ny * (size_t)m->nu, sizeof(double));
  m->y_exact = cardan__carve(c, (size_t)m->ny, sizeof(bool));
  m->y_error = cardan__carve(c, (size_t)m->ny, sizeof(double));
}

static void layout_work(void *what, cardan__carver *c)
{
  cardan__matrices_work *w = what;
  const cardan_model *m = w->model;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  const size_t nu = (size_t)m->ninput + (size_t)m->nz;
  double **const squares[] = {&w->S, &w->Rq, &w->Rv, &w->P, &w->bq, &w->bv, &w->square};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = cardan__carve(c, nv * nv, sizeof(double));
  }
  w->T = cardan__carve(c, (nv > nrow ? nv : nrow) * (3 * nv + nu), sizeof(double));
  w->u = cardan__carve(c, nu, sizeof(double));
  w->by_u = cardan__carve(c, nu, sizeof(double));
  w->dy = cardan__carve(c, 4 * (size_t)m->ny, sizeof(double));
  w->dz = cardan__carve(c, (size_t)m->nz, sizeof(double));
  w->apart = cardan__carve(c, 2 * nv, sizeof(double));
  w->rows.model = m;
  cardan__row_slopes_layout(&w->rows, c);
  w->row = cardan__carve(c, nrow, sizeof(int));
  w->pivot = cardan__carve(c, nv, sizeof(int));
  w->order = cardan__carve(c, nv + nrow, sizeof(int));
  w->turn = cardan__carve(c, m->nvelocity_row > 0 ? nrow * nv : 0, sizeof(double));
  w->rate = cardan__carve(c, nrow * (nv > 3 ? nv : 3), sizeof(double));
  w->f = cardan__carve(c, 2 * nv + nu, sizeof(double));
  w->f2 = cardan__carve(c, 2 * nv + nu, sizeof(double));
  const int most = m->nv > m->nrow ? m->nv : m->nrow;
  w->qr = cardan__carve(c, cardan__independent_work(most, most), sizeof(double));
  w->df = cardan__carve(c, (size_t)m->nbody, sizeof(cardan_force));
  w->still = cardan__carve(c, (size_t)m->nbody, sizeof(cardan_twist));
}

void cardan_matrices_destroy(cardan_matrices *matrices)
{
  if (matrices != NULL) {
    const cardan_allocator allocator = matrices->allocator;
    cardan__resize(&allocator, matrices->block, 0);
    cardan__resize(&allocator, matrices, 0);
  }
}

/* n positions and nw velocities are independent. */
static cardan_matrices *allocate(const cardan_model *model, int n, int nw,
                                 const cardan_allocator *allocator)
{
  cardan_matrices *m = cardan__resize(allocator, NULL, sizeof *m);
  if (m == NULL) {
    return NULL;
  }
  *m = (cardan_matrices){.model = model, .nv = model->nv, .nrow = model->nrow, .ny = model->ny};
  m->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  m->n = n;
  m->nw = nw;
  m->nz = model->nrate;
  m->nx = n + nw + m->nz;
  m->changing = -1;
  m->nu = model->nv + model->ninput;
  m->block = cardan__carve_block(allocator, layout_result, m);
  if (m->block == NULL) {
    cardan_matrices_destroy(m);
    return NULL;
  }
  for (int k = 0; k < model->nv; k++) {
    if (!is_kinematic(model, k)) {
      m->forced[m->nforced++] = k;
    }
  }
  m->nu = m->nforced + model->ninput;
  return m;
}

/* The result, for the degrees of freedom that the model has if its rows are as independent at this
 * state as at the start. */
static cardan_matrices *make_result(const cardan_model *model, const cardan_allocator *allocator)
{
  int held = 0, rows = 0;
  for (int k = 0; k < model->nv; k++) {
    held += is_kinematic(model, k);
  }
  for (int r = 0; r < model->nrow; r++) {
    rows += !model->row_redundant[r];
  }
  const bool mixed = model->nvelocity_row > 0;
  const int nfree = model->nv - held;
  const int n = nfree - (mixed ? model->position_rank : rows);
  const int nw = nfree - (mixed ? model->rank : rows);
  return allocate(model, n > 0 ? n : 0, nw > 0 ? nw : 0, allocator);
}

/* Computes M, C, K, gravity and G at node's state. */
static cardan_status fill_tree(cardan_matrices *m, cardan_data *node)
{
  const cardan_model *model = m->model;
  const cardan_vec3 com = cardan_com(model, node, 0, NULL);
  m->mass = model->mass;
  m->com[0] = com.x;
  m->com[1] = com.y;
  m->com[2] = com.z;
  cardan_crba(model, node, m->M);
  cardan_gravity_torques(model, node, m->gravity);
  if (model->nrow > 0) {
    cardan_jacobian(model, node, m->G);
  }
  return cardan_stiffness(model, node, m->K, m->C);
}

/* Do forces, drivers or constraints depend on time? */
static bool depends_on_time(const cardan_model *model)
{
  bool timed = model->nprescribed > 0;
  for (int i = 0; i < model->nforce && !timed; i++) {
    timed = model->force[i].flags & CARDAN_FORCE_TIME;
  }
  for (int r = 0; r < model->nrow && !timed; r++) {
    const int e = model->row[r].expr;
    timed = e >= 0 && (model->expr[e].expr->uses & CARDAN__LEAVES_T);
  }
  return timed;
}

/* Computes accelerations, multipliers, and the derivatives of the whole residual. Returns false,
 * with the reason in m->why, if they do not exist. */
static bool fill_motion(cardan_matrices *m, cardan__matrices_work *w)
{
  const cardan_model *model = m->model;
  cardan_data *node = w->node;
  const size_t nv = (size_t)m->nv, size = nv * nv;
  node->info.message[0] = '\0';
  cardan_status status = cardan_forward(model, node, 0, 0);
  if (status == CARDAN_OK) {
    memcpy(m->a, node->a, nv * sizeof *m->a);
    memcpy(m->lambda, node->lambda, (size_t)m->nrow * sizeof *m->lambda);
    cardan_kinematics(model, node);
    status = cardan__residual_slopes(model, node, m->a, node->f_in, w->Rq, w->Rv);
  }
  if (status != CARDAN_OK) {
    const char *text = node->info.message;
    m->status = status;
    snprintf(m->why, sizeof m->why, "%s", text[0] != '\0' ? text : cardan_status_text(status));
    return false;
  }
  if (m->nrow > 0) {
    cardan__row_slopes_begin(&w->rows, node);
    cardan__row_slopes_force(&w->rows, node, m->lambda, m->Kc);
    for (size_t i = 0; i < size; i++) {
      m->Kc[i] = 0 - m->Kc[i];
      w->Rq[i] += m->Kc[i];
    }
  }
  return true;
}

/* Computes all matrices at data's state. */
static cardan_status fill_all(cardan_matrices *m, cardan__matrices_work *w, const cardan_data *data,
                              cardan_report *report)
{
  const cardan_model *model = m->model;
  cardan_data_copy(model, data, w->node);
  cardan_kinematics(model, w->node);
  m->t = data->t;
  memcpy(w->u, data->u, (size_t)(model->ninput + model->nz) * sizeof *w->u);
  memcpy(m->q, w->node->q, (size_t)model->nq * sizeof *m->q);
  memcpy(m->v, w->node->v, (size_t)model->nv * sizeof *m->v);
  for (int k = 0; k < model->nv; k++) {
    m->moves = m->moves || m->v[k] != 0.0;
  }
  m->timed = depends_on_time(model);
  const cardan_status status = fill_tree(m, w->node);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "%s",
                       status == CARDAN_ERR_MEMORY ? "out of memory" : w->node->info.message);
  }
  if (!fill_motion(m, w) || !cardan__matrices_true(m, w) || !cardan__matrices_linear(m, w)) {
    m->n = m->nw = m->nx = 0;
  }
  return m->status == CARDAN_ERR_MEMORY ? cardan__no_memory(report) : CARDAN_OK;
}

cardan_status cardan_matrices_create(const cardan_model *model, const cardan_data *data,
                                     const cardan_allocator *allocator, cardan_matrices **out,
                                     cardan_report *report)
{
  const cardan_pos none = {0, 0};
  cardan__matrices_work w = {.model = model};
  *out = NULL;
  if (model->nv > CARDAN_MATRICES_MOST) {
    return cardan_fail(
        report, CARDAN_ERR_UNSUPPORTED, none,
        "the model has %d velocities, expected at most %d: matrices and modes are dense, of "
        "time that grows as the third power",
        model->nv, CARDAN_MATRICES_MOST);
  }
  cardan_matrices *m = make_result(model, allocator);
  w.block = m != NULL ? cardan__carve_block(allocator, layout_work, &w) : NULL;
  cardan_status status =
      w.block != NULL ? cardan_data_create(model, allocator, &w.node) : CARDAN_ERR_MEMORY;
  status = status != CARDAN_OK ? cardan__no_memory(report) : fill_all(m, &w, data, report);
  cardan_data_destroy(w.node);
  cardan__resize(allocator, w.block, 0);
  if (status != CARDAN_OK) {
    cardan_matrices_destroy(m);
    return status;
  }
  *out = m;
  return CARDAN_OK;
}

/* ---- names and notes ---- */

void cardan_matrices_state(const cardan_matrices *m, int k, char *name, size_t size)
{
  const int y = k - m->n, z = y - m->nw;
  const char *what = y < 0 ? "q" : z < 0 ? "v" : "z";
  snprintf(name, size, "%s.%s", what,
           z >= 0   ? m->model->state[z].name
           : y >= 0 ? m->model->v_name[m->wdof[y]]
                    : m->model->v_name[m->dof[k]]);
}

void cardan_matrices_input(const cardan_matrices *m, int k, char *name, size_t size)
{
  if (k < m->nforced) {
    snprintf(name, size, "u.%s", m->model->v_name[m->forced[k]]);
  } else {
    snprintf(name, size, "input.%s", m->model->input[k - m->nforced].name);
  }
}

void cardan_matrices_output(const cardan_matrices *m, int k, char *name, size_t size)
{
  snprintf(name, size, "%s", m->model->output[k].column);
}

bool cardan_matrices_note(const cardan_matrices *m, int index, char *note)
{
  enum { NOTES = 8 };
  const cardan_model *model = m->model;
  char text[NOTES][CARDAN_MATRICES_NOTE];
  int n = 0;
  if (m->status != CARDAN_OK) {
    snprintf(text[n++], sizeof *text, "%s", m->why);
  } else if (m->changing >= 0) {
    snprintf(text[n++], sizeof *text,
             "not an equilibrium: auxiliary state \"%.80s\" changes by %.3g a second",
             model->state[m->changing].name, m->change);
  }
  if (m->status == CARDAN_OK && !m->balanced && (m->changing < 0 || m->unbalanced >= 0)) {
    snprintf(text[n++], sizeof *text,
             "not an equilibrium: \"%.80s\" accelerates by %.3g; the matrices are of the motion at "
             "this instant",
             model->v_name[m->unbalanced], m->a[m->unbalanced]);
  }
  if (m->moves) {
    snprintf(text[n++], sizeof *text,
             "velocities are not zero: the matrices are those at these velocities");
  }
  if (m->timed) {
    snprintf(text[n++], sizeof *text,
             "forces, drivers or constraints depend on time: they are taken at t = %.6g", m->t);
  }
  if (model->ncontroller > 0) {
    snprintf(text[n++], sizeof *text, "controllers are not active: inputs are constant");
  }
  if (model->nz > model->nrate) {
    snprintf(text[n++], sizeof *text, "memories are constant between their samples");
  }
  if (model->has_friction) {
    snprintf(text[n++], sizeof *text, "friction is not included");
  }
  if (model->nbound_row > 0 || model->npair > 0) {
    snprintf(text[n++], sizeof *text, "contacts, stops, ropes and inequalities are not included");
  }
  if (index >= 0 && index < n) {
    memcpy(note, text[index], CARDAN_MATRICES_NOTE);
  }
  return index >= 0 && index < n;
}
