// SPDX-License-Identifier: Apache-2.0
#include "formats/pieces_cache.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu_level.h"
#include "base/hash.h"
#include "base/text.h"

/* An entry: a hash of what follows, the length of the key, the key, the pieces. Numbers are as in
 * memory: an entry is for the build that wrote it, which is part of the key. */

#ifdef __FMA__
#define FUSED "fused"
#else
#define FUSED "not fused"
#endif

static void add_bytes(cardan__text *t, const void *bytes, size_t size)
{
  cardan__text_add(t, bytes, size);
}

/* All that the pieces depend on. */
static void add_key(cardan__text *t, const cardan__mesh *mesh, const double factor[3],
                    const cardan__convex *convex)
{
  const double scale[3] = {factor != NULL ? factor[0] : 0, factor != NULL ? factor[1] : 0,
                           factor != NULL ? factor[2] : 0};
  cardan__text_printf(t, "cardan pieces 1, %s, %s, %s, level %d\n", cardan_version(), __VERSION__,
                      FUSED, cardan__cpu_level());
  add_bytes(t, scale, sizeof scale);
  add_bytes(t, &convex->most, sizeof convex->most);
  add_bytes(t, &convex->depth, sizeof convex->depth);
  add_bytes(t, &mesh->nvertex, sizeof mesh->nvertex);
  add_bytes(t, &mesh->nface, sizeof mesh->nface);
  add_bytes(t, mesh->vertex, (size_t)mesh->nvertex * sizeof *mesh->vertex);
  add_bytes(t, mesh->face, (size_t)mesh->nface * sizeof *mesh->face);
}

static void add_pieces(cardan__text *t, const cardan__mesh_pieces *p)
{
  add_bytes(t, &p->npiece, sizeof p->npiece);
  add_bytes(t, &p->depth, sizeof p->depth);
  add_bytes(t, p->note, sizeof p->note);
  for (int i = 0; i < p->npiece; i++) {
    const cardan__mesh_shell *s = &p->piece[i];
    add_bytes(t, &s->npoint, sizeof s->npoint);
    add_bytes(t, &s->nvertex, sizeof s->nvertex);
    const double numbers[3] = {s->depth, s->volume, s->filled};
    add_bytes(t, numbers, sizeof numbers);
    add_bytes(t, s->note, sizeof s->note);
    add_bytes(t, s->point, (size_t)s->npoint * sizeof *s->point);
  }
}

/* ---- reading: an entry may be damaged ---- */

typedef struct {
  const char *at;
  size_t left;
} bytes;

static bool take(bytes *b, void *to, size_t size)
{
  if (size > b->left) {
    return false;
  }
  memcpy(to, b->at, size);
  b->at += size;
  b->left -= size;
  return true;
}

static bool take_shell(bytes *b, cardan__arena *arena, cardan__mesh_shell *s)
{
  double numbers[3];
  *s = (cardan__mesh_shell){.npoint = 0};
  if (!take(b, &s->npoint, sizeof s->npoint) || !take(b, &s->nvertex, sizeof s->nvertex) ||
      !take(b, numbers, sizeof numbers) || !take(b, s->note, sizeof s->note) || s->npoint < 4 ||
      s->npoint > CARDAN__MESH_HULL || s->note[sizeof s->note - 1] != '\0') {
    return false;
  }
  s->depth = numbers[0];
  s->volume = numbers[1];
  s->filled = numbers[2];
  s->point = cardan__arena_take(arena, (size_t)s->npoint, sizeof *s->point);
  bool good = s->point != NULL && take(b, s->point, (size_t)s->npoint * sizeof *s->point);
  for (int i = 0; i < s->npoint && good; i++) {
    good = isfinite(s->point[i].x) && isfinite(s->point[i].y) && isfinite(s->point[i].z);
  }
  return good;
}

/* Reads an entry. returns false unless it is complete and of this key */
static bool take_pieces(bytes b, const cardan__text *key, cardan__arena *arena,
                        cardan__mesh_pieces *p)
{
  uint64_t hash = 0, length = 0;
  if (!take(&b, &hash, sizeof hash) ||
      hash != cardan__hash_bytes(CARDAN__HASH_START, b.at, b.left) ||
      !take(&b, &length, sizeof length) || length != key->length || length > b.left ||
      memcmp(b.at, key->data, key->length) != 0) {
    return false;
  }
  b.at += length;
  b.left -= length;
  if (!take(&b, &p->npiece, sizeof p->npiece) || !take(&b, &p->depth, sizeof p->depth) ||
      !take(&b, p->note, sizeof p->note) || p->npiece < 1 || p->npiece > CARDAN__CONVEX_MOST ||
      p->note[sizeof p->note - 1] != '\0') {
    return false;
  }
  p->piece = cardan__arena_take(arena, (size_t)p->npiece, sizeof *p->piece);
  bool good = p->piece != NULL;
  for (int i = 0; i < p->npiece && good; i++) {
    good = take_shell(&b, arena, &p->piece[i]);
  }
  return good && b.left == 0;
}

static bool load(const cardan_files *files, const char *name, const cardan__text *key,
                 cardan__arena *arena, cardan__mesh_pieces *pieces)
{
  char *data = NULL;
  size_t size = 0;
  if (!files->load(files->user, name, &data, &size)) {
    return false;
  }
  const bool good = take_pieces((bytes){data, size}, key, arena, pieces);
  files->release(files->user, data);
  return good;
}

static void store(const cardan_files *files, const char *name, const cardan__text *key,
                  const cardan__mesh_pieces *pieces)
{
  cardan__text t;
  const uint64_t length = key->length;
  uint64_t hash = 0;
  cardan__text_init(&t, NULL);
  add_bytes(&t, &hash, sizeof hash);
  add_bytes(&t, &length, sizeof length);
  add_bytes(&t, key->data, key->length);
  add_pieces(&t, pieces);
  if (!t.failed) {
    hash = cardan__hash_bytes(CARDAN__HASH_START, t.data + sizeof hash, t.length - sizeof hash);
    memcpy(t.data, &hash, sizeof hash);
    files->store(files->user, name, t.data, t.length);
  }
  cardan__text_free(&t);
}

cardan_status cardan__mesh_decompose_cached(const cardan_files *files, const cardan__mesh *mesh,
                                            const double factor[3], const cardan__convex *convex,
                                            cardan__arena *arena, cardan__mesh_pieces *pieces,
                                            cardan_report *report)
{
  char name[40];
  cardan__text key;
  if (files == NULL || files->load == NULL || files->store == NULL || convex->most <= 1 ||
      mesh->nface < CARDAN__CACHED_FACES || mesh->nface > CARDAN__CONVEX_FACES) {
    return cardan__mesh_decompose(mesh, factor, convex, arena, pieces, report);
  }
  cardan__text_init(&key, NULL);
  add_key(&key, mesh, factor, convex);
  if (key.failed) {
    cardan__text_free(&key);
    return cardan__mesh_decompose(mesh, factor, convex, arena, pieces, report);
  }
  (void)snprintf(name, sizeof name, "pieces-%016" PRIx64,
                 cardan__hash_bytes(CARDAN__HASH_START, key.data, key.length));
  cardan_status status = CARDAN_OK;
  if (!load(files, name, &key, arena, pieces)) {
    status = cardan__mesh_decompose(mesh, factor, convex, arena, pieces, report);
    if (status == CARDAN_OK) {
      store(files, name, &key, pieces);
    }
  }
  cardan__text_free(&key);
  return status;
}
