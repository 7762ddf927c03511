/* SPDX-License-Identifier: Apache-2.0
 * constraints/sparse_kkt_build.h - the inside of sparse_kkt.h: sparse_kkt_build.c makes it,
 * sparse_kkt.c uses it. */
#pragma once
#include "base/arena.h"
#include "constraints/sparse_kkt.h"
#include "linalg/blocks.h"
#include "spatial/spatial.h"

/* A body with mass and the massless links before it; letters are those of sparse_kkt.c. */
typedef struct {
  int body;                   // of the tree
  int parent;                 // group, -1: the world
  int link, nlink;            // kkt->link[link ..]: from below the parent to the body itself
  int n, dof[6];              // its velocities that are not prescribed
  bool constant;              // one link, whose S is constant: E is made once
  cardan_vec3 normal, e1, e2; // of the plane, in the body's axes
  double *T;                  // d x d: L^-T, upper triangle
  double *E, *EX;             // d x d
  cardan_xform X;             // parent's body from this one
} cardan__sparse_kkt_group;

/* A group that an edge touches; of one that has many edges the piece of it. */
typedef struct {
  int group, piece;
  size_t W; // place of its rows in kkt->W, n x d
} cardan__sparse_kkt_touch;

/* A joint, (up to six) rows of a constraint, or what ties two pieces of a body together. */
typedef struct {
  int n;              // rows
  int group;          // of a joint: whose
  int row;            // first row of the model, -1: not a constraint
  int touch, ntouch;  // kkt->touch[touch ..]; of a joint its own group first
  int mu;             // its rows in kkt->mu
  ptrdiff_t diagonal; // of its block, whose rows are stride apart
  int stride;
} cardan__sparse_kkt_edge;

/* Two edges that share a body, late eliminated after early (or the same). */
typedef struct {
  size_t late, early; // places in kkt->W
  int nlate, nearly;
  int stride;
  ptrdiff_t place;
} cardan__sparse_kkt_pair;

struct cardan__sparse_kkt {
  const cardan_model *model;
  const bool *locked;
  int d;                    // numbers of a body: 6 or 3
  int nrow;                 // rows that touch something
  int nothing;              // rows that hold nothing, at the last configuration
  double delta;             // of a constraint's diagonal, there
  int ngroup, npiece;       // pieces 0 .. ngroup - 1 are the groups, or the first pieces of them
  int njoint, nhold, nedge; // edges: joints, then constraints, then ties
  int ntouch, nlink;
  size_t npair, nW;
  cardan__sparse_kkt_group *group;
  double *own; // of the groups: T, E, EX one after the other
  cardan__sparse_kkt_edge *edge;
  cardan__sparse_kkt_touch *touch;
  cardan__sparse_kkt_pair *pair;
  int *link;
  int *last;                  // ngroup: the last piece of a group that is cut, while that is done
  int *body_group;            // nbody: -1 for a massless link
  int *dof_group, *dof_place; // nv: -1 for a prescribed coordinate
  cardan__blocks *blocks;
  double *W, *J;        // of all edges; of one: room for 6 rows on every group that it touches
  double *mu, *F;       // ngroup x d: F, U, V in turn
  double *rf, *rg;      // nv, nrow: what refinement leaves
  double *x, *g;        // nv, nrow: of _correct
  cardan_force *wrench; // nbody
  cardan__arena arena;
};

static inline bool cardan__sparse_kkt_locked(const cardan__sparse_kkt *kkt, const cardan_body *b)
{
  return (b->flags & CARDAN_LINK_KINEMATIC) || (kkt->locked != NULL && kkt->locked[b->vadr]);
}

/* sparse_kkt.c: E of a group with constant S. */
bool cardan__sparse_kkt_constant_group(const cardan__sparse_kkt *kkt, cardan__sparse_kkt_group *g);
