// SPDX-License-Identifier: Apache-2.0
#include "formats/mbs_layout.h"

enum {
  PLEASANT_DEPTH = 12, // deeper lists are avoided where every frame that matters has a name
  LARGEST_DEPTH = 9990 // of open frames: the reader takes 10,000 lists, options and all
};

/* A walk over the frames by index, with the stack of those whose lists are open. */
typedef struct {
  const cardan_spec *spec;
  cardan__layout *layout;
  int *last_child; // largest index among its children, 0: none
  int *height;     // levels of frames below it
  unsigned char *open;
  int *stack; // the open frames; an (at ..) stands for its frame
  int depth;
  int waiting; // open frames without a name that have children still to come
} walk;

static bool has_name(const cardan_spec *spec, int frame)
{
  return cardan__spec_frame_name(spec, frame) != NULL;
}

static bool is_bare_transform(const cardan__spec_frame *f)
{
  return f->form == CARDAN__FORM_TRANSFORM && !f->name && !f->has_mass && f->shape < 0 && !f->color;
}

static void push(walk *w, int frame)
{
  w->stack[w->depth++] = frame;
  w->open[frame] = 1;
  if (w->depth > w->layout->max_depth) {
    w->layout->max_depth = w->depth;
  }
}

/* Opens the list of a new frame. */
static void push_new(walk *w, int frame)
{
  push(w, frame);
  w->waiting += !has_name(w->spec, frame) && w->last_child[frame] > frame;
}

/* Closes lists until only `keep` are open. next: the frame that is about to be written. */
static void pop_to(walk *w, int keep, int next)
{
  while (w->depth > keep) {
    const int frame = w->stack[--w->depth];
    w->open[frame] = 0;
    w->waiting -= !has_name(w->spec, frame) && w->last_child[frame] >= next;
  }
}

/* A new (at "parent" ..) at the level of the system. A parent without a name is given one, and no
 * longer waits: it can be named again. */
static void open_at(walk *w, int parent, int next)
{
  pop_to(w, 0, next);
  if (!has_name(w->spec, parent)) {
    w->layout->naming[parent] = 1;
    w->last_child[parent] = 0;
  }
  push(w, parent);
}

static cardan__layout_way place_frame(walk *w, int i)
{
  const int p = w->spec->frame[i].parent;
  if (p == 0) {
    pop_to(w, 0, i);
    return CARDAN__LAYOUT_NEST;
  }
  if (p == i - 1 && w->last_child[p] == i && is_bare_transform(&w->spec->frame[p]) &&
      w->spec->frame[i].form == CARDAN__FORM_TRANSFORM) {
    pop_to(w, w->depth - 1, i);
    return CARDAN__LAYOUT_MERGE;
  }
  if (!w->open[p]) {
    open_at(w, p, i);
    return CARDAN__LAYOUT_AT;
  }
  while (w->stack[w->depth - 1] != p) {
    pop_to(w, w->depth - 1, i);
  }
  const bool deep = w->depth >= PLEASANT_DEPTH || w->depth + w->height[i] >= LARGEST_DEPTH;
  if ((deep && w->waiting == 0 && has_name(w->spec, p)) || w->depth >= LARGEST_DEPTH) {
    open_at(w, p, i);
    return CARDAN__LAYOUT_AT;
  }
  w->waiting -= !has_name(w->spec, p) && w->last_child[p] == i;
  return CARDAN__LAYOUT_NEST;
}

static void walk_frames(walk *w)
{
  const cardan_spec *spec = w->spec;
  for (int i = spec->nframe - 1; i > 0; i--) {
    const int p = spec->frame[i].parent;
    w->last_child[p] = w->last_child[p] > i ? w->last_child[p] : i;
    w->height[p] = w->height[p] > w->height[i] ? w->height[p] : w->height[i] + 1;
  }
  for (int i = 1; i < spec->nframe; i++) {
    w->layout->way[i] = (unsigned char)place_frame(w, i);
    push_new(w, i);
  }
}

cardan_status cardan__layout_make(const cardan_spec *spec, cardan__layout *layout)
{
  const size_t n = (size_t)spec->nframe;
  cardan__arena arena;
  cardan__arena_init(&arena, spec->allocator);
  *layout = (cardan__layout){0};
  walk w = {.spec = spec, .layout = layout};
  w.last_child = cardan__arena_take(&arena, n, sizeof(*w.last_child));
  w.height = cardan__arena_take(&arena, n, sizeof(*w.height));
  w.open = cardan__arena_take(&arena, n, sizeof(*w.open));
  w.stack = cardan__arena_take(&arena, n + 1, sizeof(*w.stack));
  layout->way = cardan__resize(spec->allocator, NULL, n);
  layout->naming = cardan__resize(spec->allocator, NULL, n);
  const bool have = w.last_child && w.height && w.open && w.stack && layout->way && layout->naming;
  if (have) {
    for (size_t i = 0; i < n; i++) {
      layout->way[i] = layout->naming[i] = 0;
    }
    walk_frames(&w);
  } else {
    cardan__layout_free(spec, layout);
  }
  cardan__arena_free(&arena);
  return have ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__layout_free(const cardan_spec *spec, cardan__layout *layout)
{
  cardan__resize(spec->allocator, layout->way, 0);
  cardan__resize(spec->allocator, layout->naming, 0);
  *layout = (cardan__layout){0};
}
