// SPDX-License-Identifier: Apache-2.0
#include "constraints/sparse_kkt_build.h"

#include <math.h>
#include <string.h>

#include "kinematics/joint.h"

/* The structure of a web: groups, edges, who touches whom, and the order of elimination. */

/* From here on the sparse way is the faster one (bench/loops). */
enum { MANY_ROWS = 24 };

/* The edges of one body all meet in the matrix. A body with more than MEET is cut into pieces of
 * equal inertia, tied together in a row, with so many edges each and their ties. */
enum { MEET = 12 };

/* Least part of its diagonal that an inertia's pivot keeps: a body is no point, nor a line. */
static const double least_inertia = 1e-10;

#define TAKE(web, count, type) \
  (type *)cardan__arena_take(&(web)->arena, (size_t)(count), sizeof(type))

bool cardan__sparse_kkt_suits(const cardan_model *model)
{
  // an armature is between two bodies; what is redundant by digits needs a rank that is given
  return model->nrow >= MANY_ROWS && !model->has_armature && !(model->near > 0.0);
}

/* ---- groups ---- */

/* The plane's axes in the frame of every body with mass: those at q = 0, where every joint's own
 * part is the identity. R: nbody */
static void fill_planes(cardan__sparse_kkt *web, cardan_mat3 *R)
{
  const cardan_model *model = web->model;
  R[0] = cardan__mat3_identity();
  for (int i = 1; i < model->nbody; i++) {
    R[i] = cardan__mat3_mul(&R[model->body[i].parent], &model->body[i].X.R);
    if (web->body_group[i] >= 0) {
      cardan__sparse_kkt_group *g = &web->group[web->body_group[i]];
      const cardan_vec3 n = cardan__mat3_tmulv(&R[i], model->plane_normal);
      const cardan_vec3 aside = fabs(n.x) < 0.8 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 1, 0);
      g->normal = n;
      g->e1 = cardan__vec3_normalize(cardan__vec3_cross(n, aside));
      g->e2 = cardan__vec3_cross(n, g->e1);
    }
  }
}

/* Motion k of a group's basis. */
static cardan_twist basis(const cardan__sparse_kkt *web, const cardan__sparse_kkt_group *g, int k)
{
  if (web->d == 6) {
    return (cardan_twist){{k == 0, k == 1, k == 2}, {k == 3, k == 4, k == 5}};
  }
  const cardan_vec3 none = {0, 0, 0};
  return k == 0 ? (cardan_twist){g->normal, none} : (cardan_twist){none, k == 1 ? g->e1 : g->e2};
}

/* T = L^-T of the group's inertia; false when that is not positive definite. */
static bool fill_inertia(const cardan__sparse_kkt *web, cardan__sparse_kkt_group *g)
{
  const int d = web->d;
  const cardan_inertia *I = &web->model->body[g->body].inertia;
  double L[6][6];
  for (int i = 0; i < d; i++) {
    for (int j = 0; j <= i; j++) {
      L[i][j] = cardan__power(basis(web, g, i), cardan__inertia_mul(I, basis(web, g, j)));
    }
  }
  for (int i = 0; i < d; i++) {
    const double whole = L[i][i];
    for (int j = 0; j <= i; j++) {
      for (int k = 0; k < j; k++) {
        L[i][j] -= L[i][k] * L[j][k];
      }
      if (j < i) {
        L[i][j] /= L[j][j];
      }
    }
    if (!(L[i][i] > least_inertia * whole)) {
      return false;
    }
    L[i][i] = sqrt(L[i][i]);
  }
  for (int j = 0; j < d; j++) { // column j of L^-1 is row j of T
    for (int i = j; i < d; i++) {
      double x = i == j;
      for (int k = j; k < i; k++) {
        x -= L[i][k] * g->T[j * d + k];
      }
      g->T[j * d + i] = x / L[i][i];
    }
  }
  return true;
}

/* The chain of links that ends at body i; false when a velocity in it is another group's. */
static bool add_group(cardan__sparse_kkt *web, int i)
{
  const cardan_model *model = web->model;
  cardan__sparse_kkt_group *g = &web->group[web->ngroup];
  const size_t square = (size_t)web->d * (size_t)web->d;
  double *own = web->own + 3 * square * (size_t)web->ngroup;
  int at = i;
  *g = (cardan__sparse_kkt_group){
      .body = i, .link = web->nlink, .T = own, .E = own + square, .EX = own + 2 * square};
  do {
    g->nlink++;
    at = model->body[at].parent;
  } while (at > 0 && web->body_group[at] < 0);
  g->parent = at > 0 ? web->body_group[at] : -1;
  at = i;
  for (int k = g->nlink - 1; k >= 0; k--, at = model->body[at].parent) {
    web->link[g->link + k] = at;
  }
  web->nlink += g->nlink;
  for (int k = 0; k < g->nlink; k++) {
    const cardan_body *b = &model->body[web->link[g->link + k]];
    for (int j = 0; j < b->nv && !cardan__sparse_kkt_locked(web, b); j++) {
      if (g->n == web->d || web->dof_group[b->vadr + j] >= 0) {
        return false;
      }
      web->dof_group[b->vadr + j] = web->ngroup;
      web->dof_place[b->vadr + j] = g->n;
      g->dof[g->n++] = b->vadr + j;
    }
  }
  g->constant = g->nlink == 1 && cardan__joint_is_constant(&model->body[i]);
  web->body_group[i] = web->ngroup++;
  return true;
}

/* Bodies with mass. */
static int count_groups(const cardan_model *model)
{
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    n += !(model->body[i].flags & CARDAN_LINK_MASSLESS);
  }
  return n;
}

/* Links of all chains together: a prescribed one without mass may be in several. */
static int count_links(const cardan_model *model)
{
  int n = 0;
  for (int i = 1; i < model->nbody; i++) {
    if (!(model->body[i].flags & CARDAN_LINK_MASSLESS)) {
      int at = i;
      do {
        n++;
        at = model->body[at].parent;
      } while (at > 0 && (model->body[at].flags & CARDAN_LINK_MASSLESS));
    }
  }
  return n;
}

/* Groups; *suits: the model has such a form. */
static cardan_status make_groups(cardan__sparse_kkt *web, bool *suits)
{
  const cardan_model *model = web->model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  const int ngroup = count_groups(model);
  web->group = TAKE(web, ngroup, cardan__sparse_kkt_group);
  web->own = TAKE(web, 3 * ngroup * web->d * web->d, double);
  web->link = TAKE(web, count_links(model), int);
  web->body_group = TAKE(web, nb, int);
  web->dof_group = TAKE(web, nv, int);
  web->dof_place = TAKE(web, nv, int);
  cardan_mat3 *R = TAKE(web, web->d == 3 ? nb : 0, cardan_mat3);
  if (!(web->group && web->own && web->link && web->body_group && web->dof_group &&
        web->dof_place && R)) {
    return CARDAN_ERR_MEMORY;
  }
  memset(web->body_group, -1, nb * sizeof *web->body_group);
  memset(web->dof_group, -1, nv * sizeof *web->dof_group);
  *suits = true;
  for (int i = 1; i < model->nbody && *suits; i++) {
    *suits = (model->body[i].flags & CARDAN_LINK_MASSLESS) || add_group(web, i);
  }
  for (int k = 0; k < model->nv && *suits; k++) {
    *suits =
        web->dof_group[k] >= 0 || cardan__sparse_kkt_locked(web, &model->body[model->v_body[k]]);
  }
  if (*suits && web->d == 3) {
    fill_planes(web, R);
  }
  for (int i = 0; i < web->ngroup && *suits; i++) {
    cardan__sparse_kkt_group *g = &web->group[i];
    *suits = fill_inertia(web, g) && (!g->constant || cardan__sparse_kkt_constant_group(web, g));
  }
  return CARDAN_OK;
}

/* ---- edges ---- */

/* Goes through the groups that an edge touches, each once; written where there is room for it. */
typedef struct {
  cardan__sparse_kkt *web;
  int edge;
  int *mark; // ngroup: the last turn that was there
  int turn;
  int room; // of web->touch
} toucher;

static void touch(toucher *t, int group)
{
  cardan__sparse_kkt *web = t->web;
  if (group >= 0 && t->mark[group] != t->turn) {
    t->mark[group] = t->turn;
    if (web->touch != NULL && web->ntouch < t->room) {
      web->touch[web->ntouch].group = group;
    }
    web->ntouch++;
  }
}

static void touch_velocity(toucher *t, int dof)
{
  const int group = t->web->dof_group[dof];
  if (group >= 0) {
    touch(t, group);
    touch(t, t->web->group[group].parent);
  }
}

static void touch_row(toucher *t, const cardan_row *row)
{
  const cardan_model *model = t->web->model;
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    int link = model->row_body[i];
    for (; link > 0 && t->web->body_group[link] < 0; link = model->body[link].parent) {
      for (int k = 0; k < model->body[link].nv; k++) {
        touch_velocity(t, model->body[link].vadr + k);
      }
    }
    touch(t, link > 0 ? t->web->body_group[link] : -1);
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    touch_velocity(t, model->row_dof[i]);
  }
}

/* The next edge, of n rows, whose touches were counted from `first` on; none without any. */
static void add_edge(toucher *t, cardan__sparse_kkt_edge e, int first)
{
  cardan__sparse_kkt *web = t->web;
  e.touch = first;
  e.ntouch = web->ntouch - first;
  if (e.ntouch > 0 && e.n > 0) {
    if (web->edge != NULL) {
      web->edge[t->edge] = e;
    }
    t->edge++;
  }
}

static int go_through(toucher *t)
{
  cardan__sparse_kkt *web = t->web;
  const cardan_model *model = web->model;
  web->ntouch = 0;
  t->edge = t->turn = 0;
  memset(t->mark, 0, (size_t)web->ngroup * sizeof *t->mark);
  for (int i = 0; i < web->ngroup; i++) {
    const cardan__sparse_kkt_edge e = {.n = web->d - web->group[i].n, .group = i, .row = -1};
    const int first = web->ntouch;
    t->turn++;
    if (e.n > 0) {
      touch(t, i);
      touch(t, web->group[i].parent);
      add_edge(t, e, first);
    }
  }
  web->njoint = t->edge;
  // rows one after another, as long as they touch no other groups than the first one does
  for (int r = 0; r < model->nrow;) {
    cardan__sparse_kkt_edge e = {.n = 1, .group = -1, .row = r};
    const int first = web->ntouch;
    t->turn++;
    touch_row(t, &model->row[r++]);
    const int ntouch = web->ntouch;
    while (r < model->nrow && e.n < CARDAN__BLOCK_MOST) {
      touch_row(t, &model->row[r]);
      if (web->ntouch > ntouch) {
        break;
      }
      r++;
      e.n++;
    }
    web->ntouch = ntouch;
    add_edge(t, e, first);
  }
  return t->edge;
}

/* ---- pieces ---- */

/* Edges of every group: degree (ngroup, out); returns how many ties cutting them takes. */
static int count_ties(const cardan__sparse_kkt *web, int *degree)
{
  int ties = 0;
  memset(degree, 0, (size_t)web->ngroup * sizeof *degree);
  for (int i = 0; i < web->ntouch; i++) {
    degree[web->touch[i].group]++;
  }
  for (int g = 0; g < web->ngroup; g++) {
    ties += degree[g] > MEET ? (degree[g] - 1) / MEET : 0;
  }
  return ties;
}

/* Cuts the groups with many edges: the touches' pieces, and the ties behind the other edges. met:
 * ngroup, zeros */
static void cut(cardan__sparse_kkt *web, const int *degree, int *met)
{
  const int d = web->d, nt = web->ntouch;
  for (int i = 0; i < nt; i++) {
    cardan__sparse_kkt_touch *t = &web->touch[i];
    const int g = t->group, number = met[g]++ / MEET;
    t->piece = g;
    if (degree[g] > MEET && number > 0) {
      // pieces of a group come up in turn: the first edge of one makes it, and its tie
      if (met[g] % MEET == 1) {
        const int piece = web->npiece++, before = number == 1 ? g : web->last[g];
        web->edge[web->nedge++] = (cardan__sparse_kkt_edge){
            .n = d, .group = g, .row = -1, .touch = web->ntouch, .ntouch = 2};
        web->touch[web->ntouch++] = (cardan__sparse_kkt_touch){.group = g, .piece = before};
        web->touch[web->ntouch++] = (cardan__sparse_kkt_touch){.group = g, .piece = piece};
        web->last[g] = piece;
      }
      t->piece = web->last[g];
    }
  }
  for (int g = 0; g < web->ngroup; g++) {
    const int pieces = degree[g] > MEET ? (degree[g] - 1) / MEET + 1 : 1;
    for (int k = 0; k < d * d && pieces > 1; k++) {
      web->group[g].T[k] *= sqrt(pieces); // L^-T of a part of the inertia
    }
  }
}

/* W of the ties: V - V' = 0, whatever the configuration. */
static void fill_ties(cardan__sparse_kkt *web)
{
  const size_t square = (size_t)web->d * (size_t)web->d;
  for (int i = web->nhold; i < web->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &web->edge[i];
    const double *T = web->group[e->group].T;
    for (size_t k = 0; k < square; k++) {
      web->W[web->touch[e->touch].W + k] = T[k];
      web->W[web->touch[e->touch + 1].W + k] = -T[k];
    }
  }
}

/* ---- memory of edges ---- */

/* Edges and touches, counted first. */
static cardan_status list_edges(cardan__sparse_kkt *web)
{
  const size_t n = (size_t)web->ngroup;
  toucher t = {.web = web, .mark = TAKE(web, n, int)};
  int *degree = TAKE(web, n, int), *met = TAKE(web, n, int);
  web->last = TAKE(web, n, int);
  if (!(t.mark && degree && met && web->last)) {
    return CARDAN_ERR_MEMORY;
  }
  web->nhold = go_through(&t);
  const int most = web->ntouch; // a tie for every MEET touches at most
  web->edge = TAKE(web, web->nhold + most / MEET, cardan__sparse_kkt_edge);
  web->touch = TAKE(web, most + 2 * (most / MEET), cardan__sparse_kkt_touch);
  t.room = most;
  if (!(web->edge && web->touch)) {
    return CARDAN_ERR_MEMORY;
  }
  web->nedge = go_through(&t);
  web->npiece = web->ngroup;
  if (count_ties(web, degree) > 0) {
    cut(web, degree, met);
  } else {
    for (int i = 0; i < web->ntouch; i++) {
      web->touch[i].piece = web->touch[i].group;
    }
  }
  return CARDAN_OK;
}

/* Places of the edges' rows, and work space. */
static cardan_status make_edges(cardan__sparse_kkt *web)
{
  int nmu = 0, widest = 0;
  const cardan_status status = list_edges(web);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < web->nedge; i++) {
    cardan__sparse_kkt_edge *e = &web->edge[i];
    e->mu = nmu;
    nmu += e->n;
    web->nrow += e->row >= 0 ? e->n : 0;
    widest = e->ntouch > widest ? e->ntouch : widest;
    for (int k = 0; k < e->ntouch; k++) {
      web->touch[e->touch + k].W = web->nW;
      web->nW += (size_t)e->n * (size_t)web->d;
    }
  }
  web->W = TAKE(web, web->nW, double);
  web->J = TAKE(web, 6 * widest * web->d, double);
  web->mu = TAKE(web, nmu, double);
  web->F = TAKE(web, web->npiece * web->d, double);
  web->rf = TAKE(web, web->model->nv, double);
  web->rg = TAKE(web, web->model->nrow, double);
  web->x = TAKE(web, web->model->nv, double);
  web->g = TAKE(web, web->model->nrow, double);
  web->wrench = TAKE(web, web->model->nbody, cardan_force);
  if (!(web->W && web->J && web->mu && web->F && web->rf && web->rg && web->x && web->g &&
        web->wrench)) {
    return CARDAN_ERR_MEMORY;
  }
  fill_ties(web);
  return CARDAN_OK;
}

/* ---- the matrix ---- */

/* Edges of each piece: member[start[p]] .., with the place of their rows in W. */
typedef struct {
  int *start, *member, *size;
  size_t *W;
} incidence;

static cardan_status make_incidence(const cardan__sparse_kkt *web, cardan__arena *a, incidence *m)
{
  const size_t n = (size_t)web->npiece;
  m->start = cardan__arena_take(a, n + 2, sizeof *m->start);
  m->member = cardan__arena_take(a, (size_t)web->ntouch, sizeof *m->member);
  m->W = cardan__arena_take(a, (size_t)web->ntouch, sizeof *m->W);
  m->size = cardan__arena_take(a, (size_t)web->nedge, sizeof *m->size);
  if (!(m->start && m->member && m->W && m->size)) {
    return CARDAN_ERR_MEMORY;
  }
  int *next = m->start + 1; // becomes the end of each list as it is filled
  for (int i = 0; i < web->ntouch; i++) {
    next[web->touch[i].piece + 1]++;
  }
  for (size_t p = 0; p < n; p++) {
    next[p + 1] += next[p];
  }
  for (int i = 0; i < web->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &web->edge[i];
    m->size[i] = e->n;
    for (int k = e->touch; k < e->touch + e->ntouch; k++) {
      const int at = next[web->touch[k].piece]++;
      m->member[at] = i;
      m->W[at] = web->touch[k].W;
    }
  }
  return CARDAN_OK;
}

static void fill_pairs(cardan__sparse_kkt *web, const incidence *m)
{
  cardan__sparse_kkt_pair *p = web->pair;
  for (int g = 0; g < web->npiece; g++) {
    for (int i = m->start[g]; i < m->start[g + 1]; i++) {
      for (int j = m->start[g]; j <= i; j++) {
        const bool turned = !cardan__blocks_after(web->blocks, m->member[i], m->member[j]);
        const int late = turned ? j : i, early = turned ? i : j;
        *p = (cardan__sparse_kkt_pair){.late = m->W[late],
                                       .early = m->W[early],
                                       .nlate = m->size[m->member[late]],
                                       .nearly = m->size[m->member[early]]};
        p->place = cardan__blocks_place(web->blocks, m->member[late], m->member[early], &p->stride);
        p++;
      }
    }
  }
}

static cardan_status make_matrix(cardan__sparse_kkt *web, const cardan_allocator *allocator)
{
  cardan__arena scratch;
  incidence m;
  cardan__arena_init(&scratch, allocator);
  cardan_status status = make_incidence(web, &scratch, &m);
  if (status == CARDAN_OK) {
    status = cardan__blocks_create(web->nedge, m.size, web->npiece, m.start, m.member, allocator,
                                   &web->blocks);
  }
  for (int p = 0; p < web->npiece && status == CARDAN_OK; p++) {
    const size_t n = (size_t)(m.start[p + 1] - m.start[p]);
    web->npair += n * (n + 1) / 2;
  }
  if (status == CARDAN_OK) {
    web->pair = TAKE(web, web->npair, cardan__sparse_kkt_pair);
    status = web->pair != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  if (status == CARDAN_OK) {
    fill_pairs(web, &m);
    for (int i = 0; i < web->nedge; i++) {
      cardan__sparse_kkt_edge *e = &web->edge[i];
      e->diagonal = cardan__blocks_place(web->blocks, i, i, &e->stride);
    }
  }
  cardan__arena_free(&scratch);
  return status;
}

/* ---- whole ---- */

cardan_status cardan__sparse_kkt_create(const cardan_model *model, const bool *locked,
                                        const cardan_allocator *allocator, cardan__sparse_kkt **out)
{
  cardan__sparse_kkt *web = cardan__resize(allocator, NULL, sizeof *web);
  bool suits = false;
  *out = NULL;
  if (web == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(web, 0, sizeof *web);
  web->model = model;
  web->locked = locked;
  web->d = model->planar ? 3 : 6;
  cardan__arena_init(&web->arena, allocator);
  cardan_status status = make_groups(web, &suits);
  if (status == CARDAN_OK && suits) {
    status = make_edges(web);
  }
  if (status == CARDAN_OK && suits) {
    status = make_matrix(web, allocator);
  }
  if (status != CARDAN_OK || !suits) {
    cardan__sparse_kkt_destroy(web);
    return status;
  }
  *out = web;
  return CARDAN_OK;
}

void cardan__sparse_kkt_destroy(cardan__sparse_kkt *web)
{
  if (web != NULL) {
    const cardan_allocator allocator = web->arena.alloc;
    cardan__blocks_destroy(web->blocks);
    cardan__arena_free(&web->arena);
    cardan__resize(&allocator, web, 0);
  }
}
