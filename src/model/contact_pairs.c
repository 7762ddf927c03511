// SPDX-License-Identifier: Apache-2.0
#include "model/contact_pairs.h"

#include <stdlib.h>

/* From the contacts of a spec to pairs of solids, frame by frame: every rule but one (planes and
 * points touch no others of their kind) is about frames. For two frames f, g of different bodies:
 *   no-contact of both, or of one with all      never
 *   the last contact of both                    that one
 *   a joint or loop joint between their bodies  never
 *   the last contact of one of them with all    that one
 *   the last contact of all                     that one
 * A body is known by the frame whose joint carries it, the world by frame 0. O(pairs + frames). */

/* What the contacts that name two frames say of them, f < g. */
typedef struct {
  int f, g;
  int contact; // the last, -1: none
  bool never;
} choice;

/* A frame that has solids: numbers of those that are no planes, and of planes. */
typedef struct {
  int frame, body;
  int first, n, first_plane, nplane;
  int after; // the next one of another body
} toucher;

typedef struct {
  const cardan_spec *spec;
  const cardan_allocator *allocator;
  cardan_report *report;
  cardan__contacts_found *out;
  cardan__kin kin;
  int *with_all;  // nframe: last contact of this frame with all, -1
  bool *isolated; // nframe: it touches nothing
  int all;        // last contact of all, -1
  toucher *touch; // ntouch, by body; those with solids that are no planes are first, nsolid.
                  // What touches nothing is not among them
  int ntouch, nsolid;
  int *touch_of; // nframe: index in touch, -1
  choice *choose;
  int nchoose;
  int looks; // pairs of frames so far
} finder;

/* Most pairs of frames that are looked at: of many, few may be pairs of solids. */
enum { MOST_LOOKS = 100000000 };

static void layout(void *what, cardan__carver *c)
{
  finder *w = what;
  const cardan_spec *spec = w->spec;
  w->out->solid = CARDAN__CARVE(c, spec->nsolid, cardan__solid_found);
  w->out->one_body = CARDAN__CARVE(c, spec->ncontact, bool);
  w->with_all = CARDAN__CARVE(c, spec->nframe, int);
  w->isolated = CARDAN__CARVE(c, spec->nframe, bool);
  w->touch_of = CARDAN__CARVE(c, spec->nframe, int);
  w->touch = CARDAN__CARVE(c, spec->nsolid, toucher);
  w->choose = CARDAN__CARVE(c, spec->ncontact, choice);
}

/* ---- solids ---- */

static int by_place(const void *a, const void *b)
{
  const cardan__solid_found *x = a, *y = b;
  const int order[4] = {x->kind - y->kind, x->body - y->body, x->frame - y->frame,
                        x->rank - y->rank};
  for (int i = 0; i < 4; i++) {
    if (order[i] != 0) {
      return order[i];
    }
  }
  return 0;
}

static void list_solids(finder *w)
{
  const cardan_spec *spec = w->spec;
  cardan__contacts_found *out = w->out;
  for (int f = 1; f < spec->nframe; f++) {
    for (int s = spec->frame[f].shape, nth = 0; s >= 0; s = spec->shape[s].next, nth++) {
      if (spec->shape[s].solid) {
        out->solid[out->nsolid] =
            (cardan__solid_found){.shape = s,
                                  .nth = nth,
                                  .frame = f,
                                  .body = w->kin.body[f],
                                  .kind = spec->shape[s].shape.kind == CARDAN_SHAPE_PLANE ? 2
                                          : w->kin.body[f] == 0                           ? 1
                                                                                          : 0,
                                  .rank = out->nsolid};
        out->nsolid++;
      }
    }
  }
  if (out->nsolid > 0) {
    qsort(out->solid, (size_t)out->nsolid, sizeof *out->solid, by_place);
  }
}

static int by_body(const void *a, const void *b)
{
  const toucher *x = a, *y = b;
  const int order[3] = {(x->n == 0) - (y->n == 0), x->body - y->body, x->frame - y->frame};
  return order[0] != 0 ? order[0] : order[1] != 0 ? order[1] : order[2];
}

static void list_touchers(finder *w)
{
  for (int f = 0; f < w->spec->nframe; f++) {
    w->touch_of[f] = -1;
  }
  for (int i = 0; i < w->out->nsolid; i++) {
    const cardan__solid_found *s = &w->out->solid[i];
    if (w->isolated[s->frame]) {
      continue;
    }
    if (w->touch_of[s->frame] < 0) {
      w->touch_of[s->frame] = w->ntouch;
      w->touch[w->ntouch++] = (toucher){.frame = s->frame, .body = s->body};
    }
    toucher *t = &w->touch[w->touch_of[s->frame]];
    int *first = s->kind == 2 ? &t->first_plane : &t->first, *n = s->kind == 2 ? &t->nplane : &t->n;
    *first = (*n)++ == 0 ? i : *first; // those of a frame stand together
  }
  if (w->ntouch > 0) {
    qsort(w->touch, (size_t)w->ntouch, sizeof *w->touch, by_body);
  }
  for (int i = w->ntouch - 1; i >= 0; i--) {
    toucher *t = &w->touch[i];
    t->after = i + 1 < w->ntouch && t[1].body == t->body ? t[1].after : i + 1;
    w->touch_of[t->frame] = i;
    w->nsolid += t->n > 0;
  }
}

/* ---- what the contacts say ---- */

static int by_frames(const void *a, const void *b)
{
  const choice *x = a, *y = b;
  return x->f != y->f ? x->f - y->f : x->g != y->g ? x->g - y->g : x->contact - y->contact;
}

/* One choice for each two frames: the last contact, and none if one forbids it. */
static void merge_choices(finder *w)
{
  int n = 0;
  if (w->nchoose > 0) {
    qsort(w->choose, (size_t)w->nchoose, sizeof *w->choose, by_frames);
  }
  for (int i = 0; i < w->nchoose; i++) {
    const choice c = w->choose[i];
    if (n > 0 && w->choose[n - 1].f == c.f && w->choose[n - 1].g == c.g) {
      w->choose[n - 1].contact = c.never ? w->choose[n - 1].contact : c.contact;
      w->choose[n - 1].never = w->choose[n - 1].never || c.never;
    } else {
      w->choose[n++] = c;
    }
  }
  w->nchoose = n;
}

static void read_contacts(finder *w)
{
  const cardan_spec *spec = w->spec;
  w->all = -1;
  for (int f = 0; f < spec->nframe; f++) {
    w->with_all[f] = -1;
  }
  for (int i = 0; i < spec->ncontact; i++) {
    const cardan__spec_contact *c = &spec->contact[i];
    const int f = c->frame[0] ? cardan__spec_find_frame(spec, c->frame[0]) : -1;
    const int g = c->frame[1] ? cardan__spec_find_frame(spec, c->frame[1]) : -1;
    if (g >= 0) {
      w->choose[w->nchoose++] =
          (choice){.f = f < g ? f : g, .g = f < g ? g : f, .contact = i, .never = c->never};
    } else if (f >= 0 && c->never) {
      w->isolated[f] = true;
    } else if (f >= 0) {
      w->with_all[f] = i;
    } else {
      w->all = i;
    }
  }
  merge_choices(w);
}

static const choice *find_choice(const finder *w, int f, int g)
{
  const int low = f < g ? f : g, high = f < g ? g : f;
  int from = 0, to = w->nchoose;
  while (from < to) {
    const int middle = (from + to) / 2;
    const choice *c = &w->choose[middle];
    if (c->f == low && c->g == high) {
      return c;
    }
    if (c->f < low || (c->f == low && c->g < high)) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return NULL;
}

/* The contact of two frames, -1: they do not touch. */
static int decide(const finder *w, const toucher *x, const toucher *y)
{
  const choice *named = x->body != y->body ? find_choice(w, x->frame, y->frame) : NULL;
  if (x->body == y->body || named != NULL) {
    return named == NULL || named->never ? -1 : named->contact;
  }
  const int a = w->with_all[x->frame], b = w->with_all[y->frame];
  const int contact = a >= 0 || b >= 0 ? (a > b ? a : b) : w->all;
  return contact >= 0 && !cardan__kin_joined(&w->kin, x->frame, y->frame) ? contact : -1;
}

/* ---- pairs ---- */

/* contact: because of which, -1: none */
static cardan_status too_many(const finder *w, int contact, int most, const char *what)
{
  const cardan_pos nowhere = {0, 0};
  return cardan_fail(w->report, CARDAN_ERR_MODEL,
                     contact >= 0 ? w->spec->contact[contact].pos : nowhere,
                     "found more than %d pairs of %s; expected fewer: name frames in (contact ..), "
                     "in place of all",
                     most, what);
}

static cardan_status add_pair(finder *w, int a, int b, int contact)
{
  cardan__contacts_found *out = w->out;
  const cardan_spec *spec = w->spec;
  if (spec->shape[out->solid[a].shape].shape.kind == CARDAN_SHAPE_POINT &&
      spec->shape[out->solid[b].shape].shape.kind == CARDAN_SHAPE_POINT) {
    return CARDAN_OK; // which never meet
  }
  if (out->npair == CARDAN__MOST_PAIRS) {
    return too_many(w, contact, CARDAN__MOST_PAIRS, "solids that may touch");
  }
  if (cardan__grow(w->allocator, (void **)&out->pair, &out->cap_pair, out->npair + 1,
                   sizeof *out->pair) != CARDAN_OK) {
    return cardan__no_memory(w->report);
  }
  out->pair[out->npair++] = (cardan__pair_found){{a < b ? a : b, a < b ? b : a}, contact};
  return CARDAN_OK;
}

/* Solids of x that are no planes with all of y, and planes of x with the others of y. */
static cardan_status add_pairs(finder *w, const toucher *x, const toucher *y, int contact)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < x->n && !status; i++) {
    for (int k = 0; k < y->n && !status; k++) {
      status = add_pair(w, x->first + i, y->first + k, contact);
    }
    for (int k = 0; k < y->nplane && !status; k++) {
      status = add_pair(w, x->first + i, y->first_plane + k, contact);
    }
  }
  for (int i = 0; i < x->nplane && !status; i++) {
    for (int k = 0; k < y->n && !status; k++) {
      status = add_pair(w, y->first + k, x->first_plane + i, contact);
    }
  }
  return status;
}

static cardan_status try_frames(finder *w, const toucher *x, const toucher *y)
{
  const int contact = decide(w, x, y);
  if (w->looks++ == MOST_LOOKS) {
    return too_many(w, contact, MOST_LOOKS, "frames with solids");
  }
  return contact >= 0 ? add_pairs(w, x, y, contact) : CARDAN_OK;
}

/* Every two frames: one that has more than planes, and another. Those of one body are leapt. */
static cardan_status pair_all(finder *w)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < w->nsolid && !status; i++) {
    const toucher *x = &w->touch[i];
    for (int k = i; k < w->ntouch && !status;) {
      const toucher *y = &w->touch[k];
      status = y->body != x->body ? try_frames(w, x, y) : CARDAN_OK;
      k = y->body != x->body ? k + 1 : y->after;
    }
  }
  return status;
}

/* Each frame that touches all, with every other; planes with what has more than planes. */
static cardan_status pair_some(finder *w)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < w->ntouch && !status; i++) {
    const toucher *x = &w->touch[i];
    const int n = w->with_all[x->frame] < 0 ? 0 : x->n > 0 ? w->ntouch : w->nsolid;
    for (int k = 0; k < n && !status;) {
      const toucher *y = &w->touch[k];
      const bool other = y->body != x->body;
      // where both touch all, the first has had the second
      if (other && (k > i || w->with_all[y->frame] < 0)) {
        status = try_frames(w, x, y);
      }
      k = other ? k + 1 : y->after;
    }
  }
  return status;
}

/* Two frames that a contact names, where none of the others has had them. */
static cardan_status pair_named(finder *w, const choice *c)
{
  if (c->never || w->touch_of[c->f] < 0 || w->touch_of[c->g] < 0) {
    return CARDAN_OK;
  }
  const toucher *x = &w->touch[w->touch_of[c->f]], *y = &w->touch[w->touch_of[c->g]];
  const cardan__spec_contact *contact = &w->spec->contact[c->contact];
  w->out->one_body[c->contact] = x->body == y->body;
  if (x->n == 0 && y->n == 0) {
    return cardan_fail(w->report, CARDAN_ERR_MODEL, contact->pos,
                       "found a contact of the planes \"%s\" and \"%s\"; expected a solid that a "
                       "plane can touch",
                       cardan__show(contact->frame[0]).text, cardan__show(contact->frame[1]).text);
  }
  const bool had = w->all >= 0 || w->with_all[c->f] >= 0 || w->with_all[c->g] >= 0;
  return had ? CARDAN_OK : try_frames(w, x, y);
}

static int by_solids(const void *a, const void *b)
{
  const cardan__pair_found *x = a, *y = b;
  return x->solid[0] != y->solid[0] ? x->solid[0] - y->solid[0] : x->solid[1] - y->solid[1];
}

cardan_status cardan__contacts_find(const cardan_spec *spec, const cardan_allocator *allocator,
                                    cardan__contacts_found *found, cardan_report *report)
{
  finder w = {.spec = spec, .allocator = allocator, .report = report, .out = found};
  *found = (cardan__contacts_found){.nsolid = 0};
  if (spec->nsolid == 0) {
    return CARDAN_OK;
  }
  found->memory = cardan__carve_block(allocator, layout, &w);
  if (found->memory == NULL || cardan__kin_find(spec, allocator, &w.kin) != CARDAN_OK) {
    return cardan__no_memory(w.report);
  }
  list_solids(&w);
  read_contacts(&w);
  list_touchers(&w);
  cardan_status status = w.all >= 0 ? pair_all(&w) : pair_some(&w);
  for (int i = 0; i < w.nchoose && status == CARDAN_OK; i++) {
    status = pair_named(&w, &w.choose[i]);
  }
  if (status == CARDAN_OK && found->npair > 0) {
    qsort(found->pair, (size_t)found->npair, sizeof *found->pair, by_solids);
  }
  cardan__kin_free(&w.kin, allocator);
  return status;
}

void cardan__contacts_free(cardan__contacts_found *found, const cardan_allocator *allocator)
{
  cardan__resize(allocator, found->pair, 0);
  cardan__resize(allocator, found->memory, 0);
}
