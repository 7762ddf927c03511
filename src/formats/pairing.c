// SPDX-License-Identifier: Apache-2.0
#include "formats/pairing.h"

#include <math.h>
#include <string.h>

#include "model/contact_pairs.h"

/* What is wanted of every two, as a number: NOTHING, a surface of the table, or OWN where the table
 * is full. A contact of all, or of one with all, is taken where it needs fewer words than the
 * contacts that it stands for, with the exceptions to it. */

enum { NOTHING = -1, OWN = -2, NEVER = -3, SURFACES = 256 };

typedef struct {
  cardan_spec *spec;
  const cardan__pairing *from;
  int n;
  short *want;   // n x n; NEVER: not requested
  bool *open;    // n x n: would (contact all) have them?
  int *with_all; // n: surface of its contact with all, NOTHING: none
  int *order;    // n: the later one counts
  int all, ncontact;
  int nsurface, count[SURFACES];
  cardan_surface surface[SURFACES];
} pairing;

static void layout(void *what, cardan__carver *c)
{
  pairing *p = what;
  const size_t n = (size_t)p->n;
  p->want = (short *)cardan__carve(c, n * n, sizeof(short));
  p->open = (bool *)cardan__carve(c, n * n, sizeof(bool));
  p->with_all = (int *)cardan__carve(c, n, sizeof(int));
  p->order = (int *)cardan__carve(c, n, sizeof(int));
}

static bool is_same_surface(const cardan_surface *a, const cardan_surface *b)
{
  return a->friction == b->friction && a->restitution == b->restitution &&
         a->rolling == b->rolling && a->spinning == b->spinning &&
         a->has_restitution == b->has_restitution && a->has_rolling == b->has_rolling &&
         a->has_spinning == b->has_spinning;
}

static short number_of(pairing *p, const cardan_surface *s)
{
  for (int i = 0; i < p->nsurface; i++) {
    if (is_same_surface(s, &p->surface[i])) {
      return (short)i;
    }
  }
  if (p->nsurface == SURFACES) {
    return OWN;
  }
  p->surface[p->nsurface] = *s;
  return (short)p->nsurface++;
}

/* What is wanted of all; returns the number of pairs that touch. */
static int choose_surfaces(pairing *p, const cardan__kin *kin)
{
  const cardan__toucher *item = p->from->item;
  int touching = 0;
  for (int a = 0; a < p->n; a++) {
    p->with_all[a] = NOTHING;
    for (int b = 0; b <= a; b++) {
      const int f = item[a].frame, g = item[b].frame;
      const bool joined = cardan__kin_joined(kin, f, g);
      const bool never = kin->body[f] == kin->body[g] || (item[a].plane && item[b].plane) ||
                         (joined && p->from->joined_never);
      cardan_surface s = {.friction = 0};
      short want = never ? NEVER : NOTHING;
      if (!never && p->from->want(p->from->of, a, b, &s)) {
        want = number_of(p, &s);
        touching++;
      }
      p->want[a * p->n + b] = p->want[b * p->n + a] = want;
      p->open[a * p->n + b] = p->open[b * p->n + a] = !never && !joined;
    }
  }
  return touching;
}

/* ---- contacts with all ---- */

/* The contact with all that applies to two solids so far. */
static int find_with_all(const pairing *p, int a, int b)
{
  const int x = p->with_all[a], y = p->with_all[b];
  if (!p->open[a * p->n + b]) {
    return NOTHING;
  }
  return x < 0 && y < 0 ? p->all : (y < 0 || (x >= 0 && p->order[a] > p->order[b]) ? x : y);
}

/* The surface that most of the open pairs from row a to row b have, and how many; 0: none has. */
static int most_wanted(pairing *p, int from, int to, int *surface)
{
  int most = 0;
  memset(p->count, 0, sizeof p->count);
  for (int i = from * p->n; i < to * p->n; i++) {
    if (p->want[i] >= 0 && p->open[i] && ++p->count[p->want[i]] > most) {
      most = p->count[p->want[i]];
      *surface = p->want[i];
    }
  }
  return most;
}

static void add(pairing *p, const cardan_contact_def *def, int at)
{
  cardan__xml_at(p->spec, p->from->item[at].xml);
  cardan_spec_contact(p->spec, def);
}

static void choose_all(pairing *p)
{
  int surface = NOTHING, open = 0, wanted = 0;
  const int most = most_wanted(p, 0, p->n, &surface);
  for (int i = 0; i < p->n * p->n; i++) {
    open += p->open[i];
    wanted += p->open[i] && p->want[i] != NOTHING;
  }
  p->all = NOTHING;
  if (most > 0 && 2 + open - most < wanted) { // each pair counts twice
    p->all = surface;
    add(p, &(cardan_contact_def){.all = true, .surface = p->surface[surface]}, 0);
  }
}

static void choose_one(pairing *p, int a)
{
  int surface = NOTHING, before = 0, after = 0;
  const int most = most_wanted(p, a, a + 1, &surface);
  for (int b = 0; b < p->n && most > 0; b++) {
    if (p->open[a * p->n + b]) {
      before += find_with_all(p, a, b) != p->want[a * p->n + b];
      after += surface != p->want[a * p->n + b];
    }
  }
  if (most > 0 && after + 1 < before) {
    p->with_all[a] = surface;
    p->order[a] = ++p->ncontact;
    add(p,
        &(cardan_contact_def){
            .frame_at = {p->from->item[a].frame}, .all = true, .surface = p->surface[surface]},
        a);
  }
}

/* ---- the others ---- */

static void add_exceptions(pairing *p)
{
  for (int a = 0; a < p->n && p->spec->status == CARDAN_OK; a++) {
    for (int b = 0; b < a; b++) {
      const int want = p->want[a * p->n + b];
      if (want == NEVER || want == find_with_all(p, a, b)) {
        continue;
      }
      cardan_contact_def def = {.frame_at = {p->from->item[b].frame, p->from->item[a].frame},
                                .never = want == NOTHING};
      if (want >= 0) {
        def.surface = p->surface[want];
      } else if (want == OWN) {
        (void)p->from->want(p->from->of, a, b, &def.surface);
      }
      add(p, &def, a);
    }
  }
}

int cardan__pair_up(cardan_spec *spec, const cardan__pairing *pairs)
{
  pairing p = {.spec = spec, .from = pairs, .n = pairs->n, .all = NOTHING};
  cardan__kin kin = {.memory = NULL};
  int touching = 0;
  if (pairs->n < 2 || spec->status != CARDAN_OK) {
    return 0;
  }
  void *memory = cardan__carve_block(spec->allocator, layout, &p);
  cardan_status status = memory != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    status = cardan__kin_find(spec, spec->allocator, &kin);
  }
  (void)cardan__spec_memory(spec, status);
  if (status == CARDAN_OK && kin.body != NULL) {
    touching = choose_surfaces(&p, &kin);
    choose_all(&p);
    for (int a = 0; a < p.n && spec->status == CARDAN_OK; a++) {
      choose_one(&p, a);
    }
    add_exceptions(&p);
  }
  cardan__kin_free(&kin, spec->allocator);
  cardan__resize(spec->allocator, memory, 0);
  return spec->status == CARDAN_OK ? touching : -1;
}
