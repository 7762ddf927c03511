// SPDX-License-Identifier: Apache-2.0
// Convex pieces from a cache: the same to the bit as without it; entries of other meshes, requests
// or damaged ones are not used.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/pieces_cache.h"
#include "support.h"

/* A cache of one entry. */
typedef struct {
  char name[64], *data;
  size_t size;
  int loads, stores;
} memory;

static bool load(void *user, const char *name, char **data, size_t *size)
{
  memory *m = user;
  m->loads++;
  if (m->data == NULL || strcmp(m->name, name) != 0) {
    return false;
  }
  *data = malloc(m->size);
  assert_non_null(*data);
  memcpy(*data, m->data, m->size);
  *size = m->size;
  return true;
}

static void store(void *user, const char *name, const char *data, size_t size)
{
  memory *m = user;
  m->stores++;
  free(m->data);
  m->data = malloc(size);
  assert_non_null(m->data);
  memcpy(m->data, data, size);
  m->size = size;
  snprintf(m->name, sizeof m->name, "%s", name);
}

static void release(void *user, char *data)
{
  (void)user;
  free(data);
}

enum { AROUND = 16, SIDES = 7 };

typedef struct {
  cardan__arena arena;
  cardan_vec3 vertex[AROUND * SIDES];
  int face[2 * AROUND * SIDES][3];
  cardan__mesh mesh;
} ring;

/* A ring of 224 triangles. */
static void make_ring(ring *r)
{
  const double turn = 2 * acos(-1.0);
  cardan__arena_init(&r->arena, NULL);
  r->mesh = (cardan__mesh){r->vertex, r->face, AROUND * SIDES, 0};
  for (int i = 0; i < AROUND; i++) {
    for (int k = 0; k < SIDES; k++) {
      const double a = turn * i / AROUND, b = turn * k / SIDES, x = 1 + 0.3 * cos(b);
      const int next = (i + 1) % AROUND, up = (k + 1) % SIDES;
      r->vertex[SIDES * i + k] = (cardan_vec3){x * cos(a), x * sin(a), 0.3 * sin(b)};
      const int quad[4] = {SIDES * i + k, SIDES * next + k, SIDES * next + up, SIDES * i + up};
      for (int half = 0; half < 2; half++) {
        int *face = r->face[r->mesh.nface++];
        face[0] = quad[0];
        face[1] = quad[1 + half];
        face[2] = quad[2 + half];
      }
    }
  }
}

static cardan__mesh_pieces pieces_of(ring *r, const cardan_files *files, int most,
                                     const double *factor)
{
  cardan_report report = {.message = ""};
  cardan__mesh_pieces pieces;
  const cardan__convex convex = {most, 0.05};
  assert_int_equal(
      cardan__mesh_decompose_cached(files, &r->mesh, factor, &convex, &r->arena, &pieces, &report),
      CARDAN_OK);
  return pieces;
}

static void assert_same(const cardan__mesh_pieces *a, const cardan__mesh_pieces *b)
{
  assert_int_equal(a->npiece, b->npiece);
  assert_memory_equal(&a->depth, &b->depth, sizeof a->depth);
  assert_string_equal(a->note, b->note);
  for (int i = 0; i < a->npiece; i++) {
    const cardan__mesh_shell *x = &a->piece[i], *y = &b->piece[i];
    assert_int_equal(x->npoint, y->npoint);
    assert_int_equal(x->nvertex, y->nvertex);
    assert_memory_equal(x->point, y->point, (size_t)x->npoint * sizeof *x->point);
    assert_memory_equal(&x->depth, &y->depth, sizeof x->depth);
    assert_memory_equal(&x->volume, &y->volume, sizeof x->volume);
    assert_memory_equal(&x->filled, &y->filled, sizeof x->filled);
    assert_string_equal(x->note, y->note);
  }
}

static void same_pieces(void **state)
{
  (void)state;
  memory m = {.name = ""};
  const cardan_files files = {.user = &m, .release = release, .load = load, .store = store};
  ring *r = calloc(1, sizeof *r);
  assert_non_null(r);
  make_ring(r);
  const cardan__mesh_pieces plain = pieces_of(r, NULL, 8, NULL),
                            first = pieces_of(r, &files, 8, NULL),
                            again = pieces_of(r, &files, 8, NULL);
  assert_true(plain.npiece > 1);
  assert_int_equal(m.stores, 1);
  assert_int_equal(m.loads, 2);
  assert_same(&plain, &first);
  assert_same(&plain, &again);
  // something else is requested, or it is of another size: another entry
  const double larger[3] = {2, 2, 2};
  assert_int_equal(pieces_of(r, &files, 4, NULL).npiece, 4);
  (void)pieces_of(r, &files, 4, larger);
  r->vertex[0].x += 1e-12;
  (void)pieces_of(r, &files, 4, larger);
  assert_int_equal(m.stores, 4);
  // its hull is made in less time than an entry is read
  (void)pieces_of(r, &files, 1, NULL);
  assert_int_equal(m.stores, 4);
  free(m.data);
  cardan__arena_free(&r->arena);
  free(r);
}

/* Every byte changed, every length: the pieces are made again. */
static void damaged(void **state)
{
  (void)state;
  memory m = {.name = ""}, good;
  const cardan_files files = {.user = &m, .release = release, .load = load, .store = store};
  ring *r = calloc(1, sizeof *r);
  assert_non_null(r);
  make_ring(r);
  const cardan__mesh_pieces plain = pieces_of(r, &files, 2, NULL);
  good = m;
  good.data = malloc(m.size);
  assert_non_null(good.data);
  memcpy(good.data, m.data, m.size);
  support_rng rng = {7};
  for (int i = 0; i < 16; i++) {
    const size_t at = (size_t)support_random_int(&rng, 0, (int)good.size - 1);
    const int stores = m.stores;
    if (i % 2 == 0) {
      m.data[at] = (char)(m.data[at] ^ (1 << i % 8));
    } else {
      m.size = at;
    }
    const cardan__mesh_pieces again = pieces_of(r, &files, 2, NULL);
    assert_same(&plain, &again);
    assert_int_equal(m.stores, stores + 1);
    assert_int_equal(m.size, good.size);
    assert_memory_equal(m.data, good.data, good.size);
  }
  free(good.data);
  free(m.data);
  cardan__arena_free(&r->arena);
  free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_pieces),
      cmocka_unit_test(damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
