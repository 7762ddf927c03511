// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/mesh_split.h"
#include "spatial/hull.h"

/* Parts become pieces: of all pairs of them the one whose common hull adds least volume is joined,
 * as long as there are too many, or it adds next to nothing. That undoes cuts through what is
 * convex by itself. */

enum { HULL = 64 };

typedef struct {
  cardan_vec3 *point; // corners of the hull
  int n;
  double volume;
} group;

typedef struct {
  const cardan__split *split;
  cardan__arena *arena;
  group *group;
  double *added;     // n n: by joining i < j
  cardan_vec3 *both; // room
  int n;
} merging;

/* The hull of some points as a group's. A part that has none keeps its points. */
static cardan_status take_hull(merging *m, const cardan_vec3 *point, int n, group *g)
{
  cardan_hull hull;
  cardan__hull_loss loss;
  cardan_report unused;
  cardan_status status = cardan__hull_thin(point, n, HULL, m->arena, &hull, &loss, &unused);
  if (status != CARDAN_OK && status != CARDAN_ERR_MODEL) {
    return status;
  }
  const bool solid = status == CARDAN_OK;
  g->n = solid ? hull.nvertex : n < HULL ? n : HULL;
  g->point = cardan__arena_take(m->arena, (size_t)g->n, sizeof *g->point);
  if (g->point == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  memcpy(g->point, solid ? hull.vertex : point, (size_t)g->n * sizeof *g->point);
  g->volume = solid ? cardan__hull_volume(&hull, NULL) : 0;
  return CARDAN_OK;
}

static int join_points(merging *m, int i, int j)
{
  const group *a = &m->group[i], *b = &m->group[j];
  memcpy(m->both, a->point, (size_t)a->n * sizeof *m->both);
  memcpy(m->both + a->n, b->point, (size_t)b->n * sizeof *m->both);
  return a->n + b->n;
}

static cardan_status compare(merging *m, int i, int j)
{
  const int low = i < j ? i : j, high = i < j ? j : i;
  double volume;
  const cardan_status status = cardan__hull_points_volume(
      m->both, join_points(m, low, high), m->split->allocator, &volume, m->split->report);
  m->added[low * m->n + high] = volume - m->group[low].volume - m->group[high].volume;
  return status;
}

/* The pair that adds least, -1: there is none. */
static int least_pair(const merging *m, const int *piece)
{
  int best = -1;
  for (int i = 0; i < m->n; i++) {
    for (int j = i + 1; j < m->n; j++) {
      const bool both = piece[i] == i && piece[j] == j;
      best = both && (best < 0 || m->added[i * m->n + j] < m->added[best]) ? i * m->n + j : best;
    }
  }
  return best;
}

static cardan_status start_merging(merging *m, int *piece)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < m->n && status == CARDAN_OK; i++) {
    int n;
    const cardan_vec3 *corner = cardan__part_corners(&m->split->part[i], true, m->arena, &n);
    status = corner != NULL ? take_hull(m, corner, n, &m->group[i]) : CARDAN_ERR_MEMORY;
    piece[i] = i;
    for (int k = 0; k < i && status == CARDAN_OK; k++) {
      status = compare(m, k, i);
    }
  }
  return status;
}

/* Joins j to i. */
static cardan_status join(merging *m, int i, int j, int *piece)
{
  cardan_status status = take_hull(m, m->both, join_points(m, i, j), &m->group[i]);
  for (int k = 0; k < m->n; k++) {
    piece[k] = piece[k] == j ? i : piece[k];
  }
  for (int k = 0; k < m->n && status == CARDAN_OK; k++) {
    status = k != i && piece[k] == k ? compare(m, i, k) : CARDAN_OK;
  }
  return status;
}

/* Numbers pieces from 0 on; piece[i] is the first part of each. */
static int number_pieces(int *piece, int n)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    piece[i] = piece[i] == i ? count++ : piece[piece[i]];
  }
  return count;
}

cardan_status cardan__split_merge(const cardan__split *split, int most, int *piece, int *pieces)
{
  cardan__arena arena;
  cardan__arena_init(&arena, split->allocator);
  merging m = {.split = split, .arena = &arena, .n = split->npart};
  m.group = cardan__arena_take(&arena, (size_t)m.n, sizeof *m.group);
  m.added = cardan__arena_take(&arena, (size_t)m.n * (size_t)m.n, sizeof *m.added);
  m.both = cardan__arena_take(&arena, 2 * HULL, sizeof *m.both);
  int left = m.n;
  cardan_status status = m.group == NULL || m.added == NULL || m.both == NULL
                             ? CARDAN_ERR_MEMORY
                             : start_merging(&m, piece);
  while (status == CARDAN_OK && left > 1) {
    const int pair = least_pair(&m, piece);
    if (left <= most && !(m.added[pair] <= CARDAN__SPLIT_SAME * split->whole)) {
      break;
    }
    status = join(&m, pair / m.n, pair % m.n, piece);
    left--;
  }
  *pieces = number_pieces(piece, m.n);
  cardan__arena_free(&arena);
  return status;
}
