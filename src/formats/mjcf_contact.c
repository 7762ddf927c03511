// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "formats/mjcf.h"
#include "formats/pairing.h"

/* Which geoms touch, and how. Two of them touch where
 *   a <pair> names them, or
 *   the bits of one's contype and the other's conaffinity meet, and not
 *     - both belong to one body, or to bodies without a joint between them,
 *     - one body is the parent of the other, and not the world (flag filterparent),
 *     - an <exclude> names their bodies.
 * Of two geoms the one with the higher priority says condim and friction; of equals the larger
 * numbers count. condim 1 is without friction, 3 slides, 4 spins too, 6 rolls too; the numbers of
 * friction are those of sliding, then lengths [m] of spinning and rolling: as solids have them. */

/* ---- what geoms say ---- */

static bool read_bits(cardan__mjcf *m, const cardan__mjcf_geom *g, const char *attribute,
                      uint32_t *bits)
{
  double value = 1;
  if (!cardan__mjcf_values(m, &g->item, attribute, &value, 1)) {
    return false;
  }
  if (!(fabs(value) < 4294967296.0) || value != floor(value)) {
    cardan__xml_fail(m->spec, g->item.xml, "%s is %g; expected a whole number of 32 bits",
                     attribute, value);
    return false;
  }
  *bits = (uint32_t)(int64_t)value;
  return true;
}

static bool read_dim(cardan__mjcf *m, const cardan__mjcf_item *item, int *dim)
{
  double value = 3;
  if (!cardan__mjcf_values(m, item, "condim", &value, 1)) {
    return false;
  }
  if (value != 1 && value != 3 && value != 4 && value != 6) {
    cardan__xml_fail(m->spec, item->xml, "condim is %g; expected 1, 3, 4 or 6", value);
    return false;
  }
  *dim = (int)value;
  return true;
}

static bool rough_enough(cardan__mjcf *m, const cardan__xml *xml, const double *friction, int n)
{
  for (int i = 0; i < n; i++) {
    if (!(friction[i] >= 0)) {
      cardan__xml_fail(m->spec, xml, "found a friction of %g; expected none below 0", friction[i]);
      return false;
    }
  }
  return true;
}

/* Notes the first element with numbers of soft contacts. */
static void note_soft(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  static const char *const words[] = {"solref", "solimp", "margin", "gap"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (cardan__mjcf_get(m, item, words[i]) != NULL && m->soft == NULL) {
      m->soft = item->xml;
    }
  }
}

bool cardan__mjcf_read_touch(cardan__mjcf *m, cardan__mjcf_geom *g)
{
  cardan__mjcf_touch *t = &g->touch;
  double priority = 0;
  *t = (cardan__mjcf_touch){.friction = {1, 0.005, 0.0001}};
  (void)cardan__mjcf_get(m, &g->item, "solmix");
  (void)cardan__mjcf_get(m, &g->item, "user");
  if (!read_bits(m, g, "contype", &t->type) || !read_bits(m, g, "conaffinity", &t->affinity) ||
      !read_dim(m, &g->item, &t->dim) ||
      !cardan__mjcf_values(m, &g->item, "priority", &priority, 1) ||
      cardan__mjcf_some(m, &g->item, "friction", t->friction, 3) < 0) {
    return false;
  }
  t->priority = priority;
  t->solid = t->type != 0 || t->affinity != 0;
  if (t->solid) {
    note_soft(m, &g->item);
  } else {
    (void)cardan__mjcf_get(m, &g->item, "solref");
    (void)cardan__mjcf_get(m, &g->item, "solimp");
    (void)cardan__mjcf_get(m, &g->item, "margin");
    (void)cardan__mjcf_get(m, &g->item, "gap");
  }
  return rough_enough(m, g->item.xml, t->friction, 3);
}

/* ---- <contact> ---- */

static cardan__mjcf_couple *add_couple(cardan__mjcf *m, cardan__xml *xml, const char *what,
                                       const cardan__names *names, const char *const words[2])
{
  int of[2];
  for (int i = 0; i < 2; i++) {
    const char *name = cardan__xml_need(m->spec, xml, words[i]);
    of[i] = name != NULL ? cardan__mjcf_find(m, xml, what, names, name) : -1;
    if (of[i] < 0) {
      return NULL;
    }
  }
  if (!cardan__mjcf_grow(m, (void **)&m->couple, &m->room.couple, m->n.couple, sizeof *m->couple)) {
    return NULL;
  }
  cardan__mjcf_couple *c = &m->couple[m->n.couple++];
  *c = (cardan__mjcf_couple){.of = {of[0] < of[1] ? of[0] : of[1], of[0] < of[1] ? of[1] : of[0]}};
  (void)cardan__xml_get(xml, "name");
  xml->read = true;
  return c;
}

static bool read_exclude(cardan__mjcf *m, cardan__xml *xml)
{
  static const char *const words[2] = {"body1", "body2"};
  return add_couple(m, xml, "body", &m->bodies, words) != NULL;
}

/* friction: along two tangents, spinning, rolling about two. */
static bool read_pair(cardan__mjcf *m, cardan__xml *xml)
{
  static const char *const words[2] = {"geom1", "geom2"};
  double f[5] = {1, 1, 0.005, 0.0001, 0.0001};
  cardan__mjcf_item item;
  cardan__mjcf_couple *c = add_couple(m, xml, "geom", &m->geoms, words);
  if (c == NULL || !cardan__mjcf_open(m, xml, NULL, 0, &item) || !read_dim(m, &item, &c->dim)) {
    return false;
  }
  c->pair = true;
  const int given = cardan__mjcf_some(m, &item, "friction", f, 5);
  (void)cardan__mjcf_get(m, &item, "solreffriction");
  note_soft(m, &item);
  if (given < 0 || !rough_enough(m, xml, f, 5)) {
    return false;
  }
  if ((given > 1 && f[0] != f[1]) || (given > 4 && f[3] != f[4] && c->dim == 6)) {
    cardan__xml_note(m->spec, xml, "friction is the same in all directions here: the first counts");
  }
  c->friction[0] = f[0];
  c->friction[1] = f[2];
  c->friction[2] = f[3];
  m->geom[c->of[0]].touch.solid = m->geom[c->of[1]].touch.solid = true;
  return true;
}

/* Pairs of geoms, then bodies that are excluded; by numbers. */
static int by_couple(const void *a, const void *b)
{
  const cardan__mjcf_couple *x = a, *y = b;
  const int order[3] = {y->pair - x->pair, x->of[0] - y->of[0], x->of[1] - y->of[1]};
  return order[0] != 0 ? order[0] : order[1] != 0 ? order[1] : order[2];
}

bool cardan__mjcf_read_contacts(cardan__mjcf *m)
{
  bool ok = true;
  for (cardan__xml *c = cardan__xml_child(m->root, "contact"); c && ok;
       c = cardan__xml_next(c, "contact")) {
    c->read = true;
    for (cardan__xml *e = cardan__xml_child(c, "exclude"); e && ok;
         e = cardan__xml_next(e, "exclude")) {
      ok = read_exclude(m, e);
    }
    for (cardan__xml *e = cardan__xml_child(c, "pair"); e && ok; e = cardan__xml_next(e, "pair")) {
      ok = read_pair(m, e);
    }
  }
  if (m->n.couple > 0) {
    qsort(m->couple, (size_t)m->n.couple, sizeof *m->couple, by_couple);
  }
  return ok;
}

/* ---- solids ---- */

bool cardan__mjcf_solid(cardan__mjcf *m, cardan__mjcf_geom *g, const cardan_shape *shape, int frame)
{
  cardan_solid_def def = {.shape = *shape};
  const bool mesh = g->kind == CARDAN__MJCF_MESH;
  const cardan__mesh_pieces *pieces = mesh ? cardan__mjcf_mesh_pieces(m, &g->item) : NULL;
  if ((mesh && pieces == NULL) ||
      (g->kind == CARDAN__MJCF_HFIELD && !cardan__mjcf_hfield(m, &g->item, &def))) {
    return false;
  }
  // the same for all of its pairs: for floors that are added
  const cardan_surface surface = cardan__mjcf_surface(g->touch.dim, g->touch.friction);
  def.material = cardan__collision_material(m->spec, &surface);
  if (mesh) {
    cardan__collision_pieces(m->spec, frame, &def, pieces);
  } else {
    cardan_spec_solid(m->spec, frame, &def);
  }
  g->frame = frame;
  return m->spec->status == CARDAN_OK;
}

/* ---- pairs ---- */

cardan_surface cardan__mjcf_surface(int dim, const double friction[3])
{
  return (cardan_surface){.friction = dim >= 3 ? friction[0] : 0,
                          .has_friction = true,
                          .spinning = dim >= 4 ? friction[1] : 0,
                          .has_spinning = dim >= 4,
                          .rolling = dim >= 6 ? friction[2] : 0,
                          .has_rolling = dim >= 6};
}

/* Geoms that are solids, in the order of the text. */
typedef struct {
  const cardan__mjcf *m;
  int *geom;
} solids;

static const cardan__mjcf_couple *find_couple(const cardan__mjcf *m, bool pair, int a, int b)
{
  const cardan__mjcf_couple key = {.pair = pair, .of = {a < b ? a : b, a < b ? b : a}};
  return m->n.couple > 0 ? bsearch(&key, m->couple, (size_t)m->n.couple, sizeof key, by_couple)
                         : NULL;
}

/* The body that carries a body: itself, or the first above it that has joints. */
static int carrier(const cardan__mjcf *m, int body)
{
  while (body > 0 && m->body[body].njoint == 0) {
    body = m->body[body].parent;
  }
  return body;
}

static bool is_filtered(const cardan__mjcf *m, int a, int b)
{
  const int x = carrier(m, a), y = carrier(m, b);
  const bool parents = x > 0 && y > 0 && !m->off_filter &&
                       (carrier(m, m->body[x].parent) == y || carrier(m, m->body[y].parent) == x);
  return x == y || parents || find_couple(m, false, a, b) != NULL;
}

/* The surface of a pair has all coefficients that its dimension implies. */
static cardan_surface fill_surface(cardan_surface s, int dim)
{
  s.has_spinning = s.has_spinning || dim >= 4;
  s.has_rolling = s.has_rolling || dim >= 6;
  return s;
}

static bool find_pair_surface(const void *of, int a, int b, cardan_surface *surface)
{
  const solids *s = of;
  const cardan__mjcf *m = s->m;
  const cardan__mjcf_geom *g = &m->geom[s->geom[a]], *h = &m->geom[s->geom[b]];
  const cardan__mjcf_touch *x = &g->touch, *y = &h->touch;
  const int dim = x->dim > y->dim ? x->dim : y->dim;
  const cardan__mjcf_couple *pair = find_couple(m, true, s->geom[a], s->geom[b]);
  if (pair != NULL && m->collision != CARDAN__MJCF_MASKED) {
    *surface = fill_surface(cardan__mjcf_surface(pair->dim, pair->friction), dim);
    return true;
  }
  if (m->collision == CARDAN__MJCF_PAIRED ||
      ((x->type & y->affinity) | (y->type & x->affinity)) == 0 ||
      is_filtered(m, g->body, h->body)) {
    return false;
  }
  const double f[3] = {fmax(x->friction[0], y->friction[0]), fmax(x->friction[1], y->friction[1]),
                       fmax(x->friction[2], y->friction[2])};
  const cardan__mjcf_touch *first = x->priority > y->priority   ? x
                                    : y->priority > x->priority ? y
                                                                : NULL;
  *surface = first != NULL ? fill_surface(cardan__mjcf_surface(first->dim, first->friction), dim)
                           : cardan__mjcf_surface(dim, f);
  return true;
}

/* Frames of solids by the names of their geoms. */
static void name_solids(cardan__mjcf *m)
{
  for (int i = 0; i < m->n.geom && m->spec->status == CARDAN_OK; i++) {
    const cardan__mjcf_geom *g = &m->geom[i];
    const char *label =
        g->frame > 0 && g->name != NULL ? cardan__mjcf_label(m, g->name, ".geom") : NULL;
    if (label != NULL) {
      cardan_spec_frame_name(m->spec, g->frame, label);
    }
  }
}

static void pair_solids(cardan__mjcf *m, int n)
{
  solids of = {.m = m, .geom = cardan__arena_take(&m->spec->arena, (size_t)n, sizeof(int))};
  cardan__toucher *item = cardan__arena_take(&m->spec->arena, (size_t)n, sizeof *item);
  if (of.geom == NULL || item == NULL) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return;
  }
  for (int i = 0, k = 0; i < m->n.geom; i++) {
    const cardan__mjcf_geom *g = &m->geom[i];
    if (g->frame > 0) {
      of.geom[k] = i;
      item[k++] = (cardan__toucher){
          .frame = g->frame, .plane = g->kind == CARDAN__MJCF_PLANE, .xml = g->item.xml};
    }
  }
  if (cardan__pair_up(
          m->spec, &(cardan__pairing){.n = n, .item = item, .of = &of, .want = find_pair_surface}) >
      0) {
    cardan_spec_default(m->spec, "contacts", "auto");
    if (m->soft != NULL) {
      cardan__xml_note(m->spec, m->soft,
                       "contacts are rigid, and without bounce: solref, solimp, margin and gap are "
                       "not used");
    }
  }
}

void cardan__mjcf_build_contacts(cardan__mjcf *m)
{
  int n = 0;
  const cardan__mjcf_geom *last = NULL;
  for (int i = 0; i < m->n.geom; i++) {
    n += m->geom[i].frame > 0;
    last = m->geom[i].frame > 0 ? &m->geom[i] : last;
  }
  if (m->off_contact || n < 1 || m->spec->status != CARDAN_OK) {
    return;
  }
  name_solids(m);
  if (n > CARDAN__PAIRING_MOST) {
    cardan__xml_note(m->spec, last->item.xml,
                     "contacts are not used: %d geoms touch, and pairs are made of %d at most", n,
                     (int)CARDAN__PAIRING_MOST);
    return;
  }
  pair_solids(m, n);
}
