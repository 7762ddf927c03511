// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/arena.h"
#include "output/symbols.h"
#include "spatial/rotation.h"

/* Skeletons: bars along the tree of frames within a body, past frames that are only steps on the
 * way, and a ball for each mass; of the world the lines between the points that it holds. */

/* Children of each frame: how many, and the last of them. */
typedef struct {
  int *count, *last;
} tree;

/* Is a frame the end of a bar? */
static bool is_station(const cardan_model *model, const tree *t, int f)
{
  const cardan_frame *frame = &model->frame[f];
  return f == 0 || frame->body != model->frame[frame->parent].body || frame->has_mass ||
         t->count[f] != 1 || model->frame[t->last[f]].body != frame->body;
}

static void add_frame(cardan__draft *d, const tree *t, int f)
{
  const cardan_model *model = d->model;
  const cardan_frame *frame = &model->frame[f];
  int above = frame->parent;
  while (above > 0 && model->frame[above].body == frame->body && !is_station(model, t, above)) {
    above = model->frame[above].parent;
  }
  const cardan_vec3 a = model->frame[above].X_BF.p, b = frame->X_BF.p;
  if (model->frame[above].body == frame->body &&
      cardan__vec3_norm(cardan__vec3_sub(b, a)) > 1e-9 * d->extent) {
    cardan__draft_bar(d, &(cardan_bar){.body = frame->body, .frame = f, .a = a, .b = b});
  }
  if (frame->has_mass && frame->mass.m > 0) {
    cardan__draft_bar(
        d, &(cardan_bar){.body = frame->body, .frame = f, .a = b, .b = b, .mass = frame->mass.m});
  }
}

void cardan__draft_bars(cardan__draft *d)
{
  const cardan_model *model = d->model;
  const size_t size = (size_t)model->nframe * sizeof(int);
  tree t = {.count = cardan__zeros(&d->alloc, size), .last = cardan__zeros(&d->alloc, size)};
  d->failed = d->failed || t.count == NULL || t.last == NULL;
  for (int f = 1; f < model->nframe && !d->failed; f++) {
    t.count[model->frame[f].parent]++;
    t.last[model->frame[f].parent] = f;
  }
  for (int f = 1; f < model->nframe && !d->failed; f++) {
    if (model->frame[f].body > 0 && is_station(model, &t, f)) {
      add_frame(d, &t, f);
    }
  }
  cardan__resize(&d->alloc, t.count, 0);
  cardan__resize(&d->alloc, t.last, 0);
}

/* The ground link: each point joined to the nearest of those before it, in Prim's order, which
 * makes the shortest tree; O(n^2), of the first MOST. */
void cardan__draft_world(cardan__draft *d)
{
  enum { MOST = 64 };
  const int n = d->nground < MOST ? d->nground : MOST;
  double way[MOST];
  int from[MOST];
  bool in[MOST] = {false};
  for (int i = 0; i < n; i++) {
    way[i] = HUGE_VAL;
    from[i] = 0;
  }
  for (int k = 0, next = 0; k < n; k++) {
    in[next] = true;
    if (k > 0) {
      cardan__draft_tie(d, &(cardan_tie){.kind = CARDAN_TIE_GROUND,
                                         .name = "",
                                         .word = "ground",
                                         .at = {d->ground[from[next]], d->ground[next]}});
    }
    int nearest = -1;
    for (int i = 0; i < n; i++) {
      const double w = cardan__vec3_norm(cardan__vec3_sub(d->ground[i], d->ground[next]));
      if (!in[i] && w < way[i]) {
        way[i] = w;
        from[i] = next;
      }
      nearest = !in[i] && (nearest < 0 || way[i] < way[nearest]) ? i : nearest;
    }
    next = nearest;
  }
}
