// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "model/contact_pairs.h"

/* Bodies of a spec, and which of them joints join. */

static void layout(void *what, cardan__carver *c)
{
  cardan__kin *kin = what;
  kin->body = (int *)cardan__carve(c, (size_t)kin->spec->nframe, sizeof(int));
  kin->massive = (bool *)cardan__carve(c, (size_t)kin->spec->nframe, sizeof(bool));
  kin->joined = (int(*)[2])cardan__carve(c, (size_t)kin->spec->nelement, sizeof(int[2]));
}

static void find_bodies(cardan__kin *kin)
{
  const cardan_spec *spec = kin->spec;
  for (int f = 1; f < spec->nframe; f++) {
    const cardan__spec_frame *frame = &spec->frame[f];
    const bool moves = cardan__joint_type_of(cardan__spec_joint_kind(spec, f))->nv > 0;
    const cardan_mass *m = &frame->mass;
    const bool heavy = frame->has_mass && (m->m > 0 || m->xx > 0 || m->yy > 0 || m->zz > 0);
    kin->body[f] = moves ? f : kin->body[frame->parent];
    kin->massive[kin->body[f]] = kin->massive[kin->body[f]] || heavy;
  }
}

static int by_bodies(const void *a, const void *b)
{
  const int *x = a, *y = b;
  return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

/* Joints that close loops, and frames held together. */
static void list_joined(cardan__kin *kin)
{
  for (int i = 0; i < kin->spec->nelement; i++) {
    const cardan__spec_element *e = &kin->spec->element[i];
    if (e->kind == CARDAN_ELEMENT_CLOSE || e->kind == CARDAN_ELEMENT_WELD ||
        e->kind == CARDAN_ELEMENT_COINCIDE) {
      const int f = cardan__spec_find_frame(kin->spec, e->frame[0]);
      const int g = cardan__spec_find_frame(kin->spec, e->frame[1]);
      const int a = f >= 0 ? kin->body[f] : 0, b = g >= 0 ? kin->body[g] : 0;
      int *pair = kin->joined[kin->njoined++];
      pair[0] = a < b ? a : b;
      pair[1] = a < b ? b : a;
    }
  }
  if (kin->njoined > 0) {
    qsort(kin->joined, (size_t)kin->njoined, sizeof *kin->joined, by_bodies);
  }
}

cardan_status cardan__kin_find(const cardan_spec *spec, const cardan_allocator *allocator,
                               cardan__kin *kin)
{
  *kin = (cardan__kin){.spec = spec};
  kin->memory = cardan__carve_block(allocator, layout, kin);
  if (kin->memory == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  find_bodies(kin);
  list_joined(kin);
  return CARDAN_OK;
}

void cardan__kin_free(cardan__kin *kin, const cardan_allocator *allocator)
{
  cardan__resize(allocator, kin->memory, 0);
  kin->memory = NULL;
}

/* Is body a a descendant of b, by joints with nothing massive between them? */
static bool hangs(const cardan__kin *kin, int a, int b)
{
  while (a > 0) {
    a = kin->body[kin->spec->frame[a].parent];
    if (a == b || kin->massive[a]) {
      break;
    }
  }
  return a == b && a > 0;
}

bool cardan__kin_joined(const cardan__kin *kin, int f, int g)
{
  const int a = kin->body[f], b = kin->body[g];
  const int key[2] = {a < b ? a : b, a < b ? b : a};
  return a > 0 && b > 0 &&
         (hangs(kin, a, b) || hangs(kin, b, a) ||
          (kin->njoined > 0 &&
           bsearch(key, kin->joined, (size_t)kin->njoined, sizeof key, by_bodies) != NULL));
}
