// SPDX-License-Identifier: Apache-2.0
#include "constraints/sparse_kkt_build.h"

#include <math.h>
#include <string.h>

#include "kinematics/joint.h"

/* The structure of a KKT system: groups, edges, adjacency, and the order of elimination. */

/* From here on the sparse way is the faster one (bench/loops). */
enum { MANY_ROWS = 24 };

/* The edges of one body all meet in the matrix. A body with more than MEET is cut into pieces of
 * equal inertia, tied together in a row, with so many edges each and their ties. */
enum { MEET = 12 };

/* Least part of its diagonal that an inertia's pivot keeps: a body is no point, nor a line. */
static const double least_inertia = 1e-10;

#define TAKE(kkt, count, type) \
  (type *)cardan__arena_take(&(kkt)->arena, (size_t)(count), sizeof(type))

bool cardan__sparse_kkt_suits(const cardan_model *model)
{
  // an armature is between two bodies; what is redundant by digits needs a rank that is given;
  // positions are closed without the rows of velocity level
  return model->nrow >= MANY_ROWS && !model->has_armature && !(model->near > 0.0) &&
         model->nvelocity_row == 0;
}

/* ---- groups ---- */

/* The plane's axes in the frame of every body with mass: those at q = 0, where every joint's own
 * part is the identity. R: nbody */
static void fill_planes(cardan__sparse_kkt *kkt, cardan_mat3 *R)
{
  const cardan_model *model = kkt->model;
  R[0] = cardan__mat3_identity();
  for (int i = 1; i < model->nbody; i++) {
    R[i] = cardan__mat3_mul(&R[model->body[i].parent], &model->body[i].X.R);
    if (kkt->body_group[i] >= 0) {
      cardan__sparse_kkt_group *g = &kkt->group[kkt->body_group[i]];
      const cardan_vec3 n = cardan__mat3_tmulv(&R[i], model->plane_normal);
      const cardan_vec3 aside = fabs(n.x) < 0.8 ? cardan__vec3(1, 0, 0) : cardan__vec3(0, 1, 0);
      g->normal = n;
      g->e1 = cardan__vec3_normalize(cardan__vec3_cross(n, aside));
      g->e2 = cardan__vec3_cross(n, g->e1);
    }
  }
}

/* Motion k of a group's basis. */
static cardan_twist basis(const cardan__sparse_kkt *kkt, const cardan__sparse_kkt_group *g, int k)
{
  if (kkt->d == 6) {
    return (cardan_twist){{k == 0, k == 1, k == 2}, {k == 3, k == 4, k == 5}};
  }
  const cardan_vec3 none = {0, 0, 0};
  return k == 0 ? (cardan_twist){g->normal, none} : (cardan_twist){none, k == 1 ? g->e1 : g->e2};
}

/* T = L^-T of the group's inertia; false when that is not positive definite. */
static bool fill_inertia(const cardan__sparse_kkt *kkt, cardan__sparse_kkt_group *g)
{
  const int d = kkt->d;
  const cardan_inertia *I = &kkt->model->body[g->body].inertia;
  double L[6][6];
  for (int i = 0; i < d; i++) {
    for (int j = 0; j <= i; j++) {
      L[i][j] = cardan__power(basis(kkt, g, i), cardan__inertia_mul(I, basis(kkt, g, j)));
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
static bool add_group(cardan__sparse_kkt *kkt, int i)
{
  const cardan_model *model = kkt->model;
  cardan__sparse_kkt_group *g = &kkt->group[kkt->ngroup];
  const size_t square = (size_t)kkt->d * (size_t)kkt->d;
  double *own = kkt->own + 3 * square * (size_t)kkt->ngroup;
  int at = i;
  *g = (cardan__sparse_kkt_group){
      .body = i, .link = kkt->nlink, .T = own, .E = own + square, .EX = own + 2 * square};
  do {
    g->nlink++;
    at = model->body[at].parent;
  } while (at > 0 && kkt->body_group[at] < 0);
  g->parent = at > 0 ? kkt->body_group[at] : -1;
  at = i;
  for (int k = g->nlink - 1; k >= 0; k--, at = model->body[at].parent) {
    kkt->link[g->link + k] = at;
  }
  kkt->nlink += g->nlink;
  for (int k = 0; k < g->nlink; k++) {
    const cardan_body *b = &model->body[kkt->link[g->link + k]];
    for (int j = 0; j < b->nv && !cardan__sparse_kkt_locked(kkt, b); j++) {
      if (g->n == kkt->d || kkt->dof_group[b->vadr + j] >= 0) {
        return false;
      }
      kkt->dof_group[b->vadr + j] = kkt->ngroup;
      kkt->dof_place[b->vadr + j] = g->n;
      g->dof[g->n++] = b->vadr + j;
    }
  }
  g->constant = g->nlink == 1 && cardan__joint_is_constant(&model->body[i]);
  kkt->body_group[i] = kkt->ngroup++;
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
static cardan_status make_groups(cardan__sparse_kkt *kkt, bool *suits)
{
  const cardan_model *model = kkt->model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  const int ngroup = count_groups(model);
  kkt->group = TAKE(kkt, ngroup, cardan__sparse_kkt_group);
  kkt->own = TAKE(kkt, 3 * ngroup * kkt->d * kkt->d, double);
  kkt->link = TAKE(kkt, count_links(model), int);
  kkt->body_group = TAKE(kkt, nb, int);
  kkt->dof_group = TAKE(kkt, nv, int);
  kkt->dof_place = TAKE(kkt, nv, int);
  cardan_mat3 *R = TAKE(kkt, kkt->d == 3 ? nb : 0, cardan_mat3);
  if (!(kkt->group && kkt->own && kkt->link && kkt->body_group && kkt->dof_group &&
        kkt->dof_place && R)) {
    return CARDAN_ERR_MEMORY;
  }
  memset(kkt->body_group, -1, nb * sizeof *kkt->body_group);
  memset(kkt->dof_group, -1, nv * sizeof *kkt->dof_group);
  *suits = true;
  for (int i = 1; i < model->nbody && *suits; i++) {
    *suits = (model->body[i].flags & CARDAN_LINK_MASSLESS) || add_group(kkt, i);
  }
  for (int k = 0; k < model->nv && *suits; k++) {
    *suits =
        kkt->dof_group[k] >= 0 || cardan__sparse_kkt_locked(kkt, &model->body[model->v_body[k]]);
  }
  if (*suits && kkt->d == 3) {
    fill_planes(kkt, R);
  }
  for (int i = 0; i < kkt->ngroup && *suits; i++) {
    cardan__sparse_kkt_group *g = &kkt->group[i];
    *suits = fill_inertia(kkt, g) && (!g->constant || cardan__sparse_kkt_constant_group(kkt, g));
  }
  return CARDAN_OK;
}

/* ---- edges ---- */

/* Goes through the groups that an edge touches, each once; written where there is room for it. */
typedef struct {
  cardan__sparse_kkt *kkt;
  int edge;
  int *mark; // ngroup: the last turn that was there
  int turn;
  int room; // of kkt->touch
} toucher;

static void add_touched_group(toucher *t, int group)
{
  cardan__sparse_kkt *kkt = t->kkt;
  if (group >= 0 && t->mark[group] != t->turn) {
    t->mark[group] = t->turn;
    if (kkt->touch != NULL && kkt->ntouch < t->room) {
      kkt->touch[kkt->ntouch].group = group;
    }
    kkt->ntouch++;
  }
}

static void touch_velocity(toucher *t, int dof)
{
  const int group = t->kkt->dof_group[dof];
  if (group >= 0) {
    add_touched_group(t, group);
    add_touched_group(t, t->kkt->group[group].parent);
  }
}

static void touch_row(toucher *t, const cardan_row *row)
{
  const cardan_model *model = t->kkt->model;
  for (int i = row->badr; i < row->badr + row->nb; i++) {
    int link = model->row_body[i];
    for (; link > 0 && t->kkt->body_group[link] < 0; link = model->body[link].parent) {
      for (int k = 0; k < model->body[link].nv; k++) {
        touch_velocity(t, model->body[link].vadr + k);
      }
    }
    add_touched_group(t, link > 0 ? t->kkt->body_group[link] : -1);
  }
  for (int i = row->dadr; i < row->dadr + row->nd; i++) {
    touch_velocity(t, model->row_dof[i]);
  }
}

/* The next edge, of n rows, whose touches were counted from `first` on; none without any. */
static void add_edge(toucher *t, cardan__sparse_kkt_edge e, int first)
{
  cardan__sparse_kkt *kkt = t->kkt;
  e.touch = first;
  e.ntouch = kkt->ntouch - first;
  if (e.ntouch > 0 && e.n > 0) {
    if (kkt->edge != NULL) {
      kkt->edge[t->edge] = e;
    }
    t->edge++;
  }
}

static int list_touched_groups(toucher *t)
{
  cardan__sparse_kkt *kkt = t->kkt;
  const cardan_model *model = kkt->model;
  kkt->ntouch = 0;
  t->edge = t->turn = 0;
  memset(t->mark, 0, (size_t)kkt->ngroup * sizeof *t->mark);
  for (int i = 0; i < kkt->ngroup; i++) {
    const cardan__sparse_kkt_edge e = {.n = kkt->d - kkt->group[i].n, .group = i, .row = -1};
    const int first = kkt->ntouch;
    t->turn++;
    if (e.n > 0) {
      add_touched_group(t, i);
      add_touched_group(t, kkt->group[i].parent);
      add_edge(t, e, first);
    }
  }
  kkt->njoint = t->edge;
  // rows one after another, as long as they touch no other groups than the first one does
  for (int r = 0; r < model->nrow;) {
    cardan__sparse_kkt_edge e = {.n = 1, .group = -1, .row = r};
    const int first = kkt->ntouch;
    t->turn++;
    touch_row(t, &model->row[r++]);
    const int ntouch = kkt->ntouch;
    while (r < model->nrow && e.n < CARDAN__BLOCK_MOST) {
      touch_row(t, &model->row[r]);
      if (kkt->ntouch > ntouch) {
        break;
      }
      r++;
      e.n++;
    }
    kkt->ntouch = ntouch;
    add_edge(t, e, first);
  }
  return t->edge;
}

/* ---- pieces ---- */

/* Edges of every group: degree (ngroup, out); returns how many ties cutting them takes. */
static int count_ties(const cardan__sparse_kkt *kkt, int *degree)
{
  int ties = 0;
  memset(degree, 0, (size_t)kkt->ngroup * sizeof *degree);
  for (int i = 0; i < kkt->ntouch; i++) {
    degree[kkt->touch[i].group]++;
  }
  for (int g = 0; g < kkt->ngroup; g++) {
    ties += degree[g] > MEET ? (degree[g] - 1) / MEET : 0;
  }
  return ties;
}

/* Cuts the groups with many edges: the touches' pieces, and the ties behind the other edges. met:
 * ngroup, zeros */
static void split_large_groups(cardan__sparse_kkt *kkt, const int *degree, int *met)
{
  const int d = kkt->d, nt = kkt->ntouch;
  for (int i = 0; i < nt; i++) {
    cardan__sparse_kkt_touch *t = &kkt->touch[i];
    const int g = t->group, number = met[g]++ / MEET;
    t->piece = g;
    if (degree[g] > MEET && number > 0) {
      // pieces of a group come up in turn: the first edge of one makes it, and its tie
      if (met[g] % MEET == 1) {
        const int piece = kkt->npiece++, before = number == 1 ? g : kkt->last[g];
        kkt->edge[kkt->nedge++] = (cardan__sparse_kkt_edge){
            .n = d, .group = g, .row = -1, .touch = kkt->ntouch, .ntouch = 2};
        kkt->touch[kkt->ntouch++] = (cardan__sparse_kkt_touch){.group = g, .piece = before};
        kkt->touch[kkt->ntouch++] = (cardan__sparse_kkt_touch){.group = g, .piece = piece};
        kkt->last[g] = piece;
      }
      t->piece = kkt->last[g];
    }
  }
  for (int g = 0; g < kkt->ngroup; g++) {
    const int pieces = degree[g] > MEET ? (degree[g] - 1) / MEET + 1 : 1;
    for (int k = 0; k < d * d && pieces > 1; k++) {
      kkt->group[g].T[k] *= sqrt(pieces); // L^-T of a part of the inertia
    }
  }
}

/* W of the ties: V - V' = 0, whatever the configuration. */
static void fill_ties(cardan__sparse_kkt *kkt)
{
  const size_t square = (size_t)kkt->d * (size_t)kkt->d;
  for (int i = kkt->nhold; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    const double *T = kkt->group[e->group].T;
    for (size_t k = 0; k < square; k++) {
      kkt->W[kkt->touch[e->touch].W + k] = T[k];
      kkt->W[kkt->touch[e->touch + 1].W + k] = -T[k];
    }
  }
}

/* ---- memory of edges ---- */

/* Edges and touches, counted first. */
static cardan_status list_edges(cardan__sparse_kkt *kkt)
{
  const size_t n = (size_t)kkt->ngroup;
  toucher t = {.kkt = kkt, .mark = TAKE(kkt, n, int)};
  int *degree = TAKE(kkt, n, int), *met = TAKE(kkt, n, int);
  kkt->last = TAKE(kkt, n, int);
  if (!(t.mark && degree && met && kkt->last)) {
    return CARDAN_ERR_MEMORY;
  }
  kkt->nhold = list_touched_groups(&t);
  const int most = kkt->ntouch; // a tie for every MEET touches at most
  kkt->edge = TAKE(kkt, kkt->nhold + most / MEET, cardan__sparse_kkt_edge);
  kkt->touch = TAKE(kkt, most + 2 * (most / MEET), cardan__sparse_kkt_touch);
  t.room = most;
  if (!(kkt->edge && kkt->touch)) {
    return CARDAN_ERR_MEMORY;
  }
  kkt->nedge = list_touched_groups(&t);
  kkt->npiece = kkt->ngroup;
  if (count_ties(kkt, degree) > 0) {
    split_large_groups(kkt, degree, met);
  } else {
    for (int i = 0; i < kkt->ntouch; i++) {
      kkt->touch[i].piece = kkt->touch[i].group;
    }
  }
  return CARDAN_OK;
}

/* Places of the edges' rows, and work space. */
static cardan_status make_edges(cardan__sparse_kkt *kkt)
{
  int nmu = 0, widest = 0;
  const cardan_status status = list_edges(kkt);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int i = 0; i < kkt->nedge; i++) {
    cardan__sparse_kkt_edge *e = &kkt->edge[i];
    e->mu = nmu;
    nmu += e->n;
    kkt->nrow += e->row >= 0 ? e->n : 0;
    widest = e->ntouch > widest ? e->ntouch : widest;
    for (int k = 0; k < e->ntouch; k++) {
      kkt->touch[e->touch + k].W = kkt->nW;
      kkt->nW += (size_t)e->n * (size_t)kkt->d;
    }
  }
  kkt->W = TAKE(kkt, kkt->nW, double);
  kkt->J = TAKE(kkt, 6 * widest * kkt->d, double);
  kkt->mu = TAKE(kkt, nmu, double);
  kkt->F = TAKE(kkt, kkt->npiece * kkt->d, double);
  kkt->rf = TAKE(kkt, kkt->model->nv, double);
  kkt->rg = TAKE(kkt, kkt->model->nrow, double);
  kkt->x = TAKE(kkt, kkt->model->nv, double);
  kkt->g = TAKE(kkt, kkt->model->nrow, double);
  kkt->wrench = TAKE(kkt, kkt->model->nbody, cardan_force);
  if (!(kkt->W && kkt->J && kkt->mu && kkt->F && kkt->rf && kkt->rg && kkt->x && kkt->g &&
        kkt->wrench)) {
    return CARDAN_ERR_MEMORY;
  }
  fill_ties(kkt);
  return CARDAN_OK;
}

/* ---- the matrix ---- */

/* Edges of each piece: member[start[p]] .., with the place of their rows in W. */
typedef struct {
  int *start, *member, *size;
  size_t *W;
} incidence;

static cardan_status make_incidence(const cardan__sparse_kkt *kkt, cardan__arena *a, incidence *m)
{
  const size_t n = (size_t)kkt->npiece;
  m->start = cardan__arena_take(a, n + 2, sizeof *m->start);
  m->member = cardan__arena_take(a, (size_t)kkt->ntouch, sizeof *m->member);
  m->W = cardan__arena_take(a, (size_t)kkt->ntouch, sizeof *m->W);
  m->size = cardan__arena_take(a, (size_t)kkt->nedge, sizeof *m->size);
  if (!(m->start && m->member && m->W && m->size)) {
    return CARDAN_ERR_MEMORY;
  }
  int *next = m->start + 1; // becomes the end of each list as it is filled
  for (int i = 0; i < kkt->ntouch; i++) {
    next[kkt->touch[i].piece + 1]++;
  }
  for (size_t p = 0; p < n; p++) {
    next[p + 1] += next[p];
  }
  for (int i = 0; i < kkt->nedge; i++) {
    const cardan__sparse_kkt_edge *e = &kkt->edge[i];
    m->size[i] = e->n;
    for (int k = e->touch; k < e->touch + e->ntouch; k++) {
      const int at = next[kkt->touch[k].piece]++;
      m->member[at] = i;
      m->W[at] = kkt->touch[k].W;
    }
  }
  return CARDAN_OK;
}

static void fill_pairs(cardan__sparse_kkt *kkt, const incidence *m)
{
  cardan__sparse_kkt_pair *p = kkt->pair;
  for (int g = 0; g < kkt->npiece; g++) {
    for (int i = m->start[g]; i < m->start[g + 1]; i++) {
      for (int j = m->start[g]; j <= i; j++) {
        const bool turned = !cardan__blocks_after(kkt->blocks, m->member[i], m->member[j]);
        const int late = turned ? j : i, early = turned ? i : j;
        *p = (cardan__sparse_kkt_pair){.late = m->W[late],
                                       .early = m->W[early],
                                       .nlate = m->size[m->member[late]],
                                       .nearly = m->size[m->member[early]]};
        p->place = cardan__blocks_place(kkt->blocks, m->member[late], m->member[early], &p->stride);
        p++;
      }
    }
  }
}

static cardan_status make_matrix(cardan__sparse_kkt *kkt, const cardan_allocator *allocator)
{
  cardan__arena scratch;
  incidence m;
  cardan__arena_init(&scratch, allocator);
  cardan_status status = make_incidence(kkt, &scratch, &m);
  if (status == CARDAN_OK) {
    status = cardan__blocks_create(kkt->nedge, m.size, kkt->npiece, m.start, m.member, allocator,
                                   &kkt->blocks);
  }
  for (int p = 0; p < kkt->npiece && status == CARDAN_OK; p++) {
    const size_t n = (size_t)(m.start[p + 1] - m.start[p]);
    kkt->npair += n * (n + 1) / 2;
  }
  if (status == CARDAN_OK) {
    kkt->pair = TAKE(kkt, kkt->npair, cardan__sparse_kkt_pair);
    status = kkt->pair != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  if (status == CARDAN_OK) {
    fill_pairs(kkt, &m);
    for (int i = 0; i < kkt->nedge; i++) {
      cardan__sparse_kkt_edge *e = &kkt->edge[i];
      e->diagonal = cardan__blocks_place(kkt->blocks, i, i, &e->stride);
    }
  }
  cardan__arena_free(&scratch);
  return status;
}

/* ---- whole ---- */

cardan_status cardan__sparse_kkt_create(const cardan_model *model, const bool *locked,
                                        const cardan_allocator *allocator, cardan__sparse_kkt **out)
{
  cardan__sparse_kkt *kkt = cardan__resize(allocator, NULL, sizeof *kkt);
  bool suits = false;
  *out = NULL;
  if (kkt == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memset(kkt, 0, sizeof *kkt);
  kkt->model = model;
  kkt->locked = locked;
  kkt->d = model->planar ? 3 : 6;
  cardan__arena_init(&kkt->arena, allocator);
  cardan_status status = make_groups(kkt, &suits);
  if (status == CARDAN_OK && suits) {
    status = make_edges(kkt);
  }
  if (status == CARDAN_OK && suits) {
    status = make_matrix(kkt, allocator);
  }
  if (status != CARDAN_OK || !suits) {
    cardan__sparse_kkt_destroy(kkt);
    return status;
  }
  *out = kkt;
  return CARDAN_OK;
}

void cardan__sparse_kkt_destroy(cardan__sparse_kkt *kkt)
{
  if (kkt != NULL) {
    const cardan_allocator allocator = kkt->arena.alloc;
    cardan__blocks_destroy(kkt->blocks);
    cardan__arena_free(&kkt->arena);
    cardan__resize(&allocator, kkt, 0);
  }
}
