// SPDX-License-Identifier: Apache-2.0
#include "output/film_places.h"

#include <math.h>
#include <string.h>

#include "run/sim_access.h"

enum { SETS = 8192, PLACE_BYTES = 26 }; // SETS is even; bytes of a point on a page, before base64

bool cardan__places_create(cardan__places *p, double bytes, cardan__arena *arena)
{
  p->stride = 1;
  p->most = (int)fmax(bytes / PLACE_BYTES, 2 * CARDAN_FILM_CONTACTS);
  p->most_sets = SETS;
  p->t = cardan__arena_take(arena, SETS, sizeof *p->t);
  p->first = cardan__arena_take(arena, SETS + 1, sizeof *p->first);
  p->place = cardan__arena_take(arena, (size_t)p->most, sizeof *p->place);
  p->now = cardan__arena_take(arena, CARDAN_FILM_CONTACTS, sizeof *p->now);
  return p->t && p->first && p->place && p->now;
}

void cardan__places_read(cardan__places *p, cardan_sim *sim)
{
  cardan_touching it;
  p->nnow = 0;
  for (int k = 0; k < cardan__touching_count(sim) && p->most > 0; k++) {
    cardan__touching_at(sim, k, &it);
    if (it.pair < 0 || it.state == CARDAN_TOUCH_OPEN) {
      continue;
    }
    if (p->nnow == CARDAN_FILM_CONTACTS) {
      p->cut++;
      continue;
    }
    p->now[p->nnow++] =
        (cardan_film_contact){.x = it.x,
                              .force = it.force,
                              .contact = cardan__sim_model(sim)->pair[it.pair].contact,
                              .state = it.state};
  }
}

/* Removes sets 1, 3, 5 .. */
static void remove_every_second(cardan__places *p)
{
  int n = 0, end = 0;
  for (int k = 0; k < p->nset; k += 2) {
    const int first = p->first[k], count = p->first[k + 1] - first;
    memmove(p->place + end, p->place + first, (size_t)count * sizeof *p->place);
    p->t[n] = p->t[k];
    p->first[n++] = end;
    end += count;
  }
  p->nset = n;
  p->nplace = p->first[n] = end;
  p->stride *= 2;
}

void cardan__places_add(cardan__places *p, int64_t row, double t)
{
  // row = nset stride for a row that is stored; there is room for two sets of one row, so this ends
  while (p->most > 0 && row % p->stride == 0 &&
         (p->nset == p->most_sets || p->nplace + p->nnow > p->most)) {
    remove_every_second(p);
  }
  if (p->most == 0 || row % p->stride != 0) {
    return;
  }
  p->t[p->nset] = t;
  p->first[p->nset++] = p->nplace;
  memcpy(p->place + p->nplace, p->now, (size_t)p->nnow * sizeof *p->place);
  p->nplace += p->nnow;
  p->first[p->nset] = p->nplace;
}
