// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/collision.h"
#include "formats/mbs_read.h"
#include "formats/pieces_cache.h"

/* Solids, materials, and which solids touch. */

/* ---- surfaces ---- */

/* Which option of a surface the next argument is; -1: none. */
static int surface_option(const cardan__mbs_form *form)
{
  const cardan__mbs *reader = form->reader;
  return cardan__mbs_is_list(reader, form->next)
             ? cardan__mbs_word(reader, cardan__sexpr_first(&reader->tree, form->next),
                                cardan__surface_word, CARDAN__NSURFACE)
             : -1;
}

/* Takes one option of a surface, such as (friction 0.5), and judges it at its place. */
static bool read_surface(cardan__mbs_form *form, int which, cardan_surface *surface)
{
  cardan__mbs *reader = form->reader;
  const int node = form->next;
  bool *has = cardan__surface_has(surface, which);
  char usage[32];
  snprintf(usage, sizeof usage, "(%s x)", cardan__surface_word[which]);
  cardan__mbs_form option = cardan__mbs_open(reader, node, usage);
  if (*has) {
    return cardan__mbs_fail(reader, node, "found this option a second time; expected it once");
  }
  *has = true;
  if (!cardan__mbs_number(&option, "a number", cardan__surface_number(surface, which)) ||
      !cardan__mbs_close(&option)) {
    return false;
  }
  cardan_spec_at(reader->spec, cardan__mbs_pos(reader, node));
  form->next = reader->tree.nodes[node].next;
  return cardan__spec_surface(reader->spec, surface);
}

/* The numbers of a surface that depend on parameters. */
static void bind_surface(cardan__mbs *reader, cardan_surface *surface, int *living)
{
  for (int i = 0; i < CARDAN__NSURFACE; i++) {
    cardan__mbs_bind(reader, cardan__surface_number(surface, i), 1, living, i);
  }
}

bool cardan__mbs_material(cardan__mbs *reader, int list)
{
  cardan__mbs_form form =
      cardan__mbs_open(reader, list, "(material \"rubber\" (friction mu) (restitution e))");
  cardan_surface surface = {0};
  const char *name;
  cardan_pos pos;
  int which;
  if (!cardan__mbs_string(&form, "the name of a material", &name, &pos)) {
    return false;
  }
  while ((which = surface_option(&form)) >= 0) {
    if (!read_surface(&form, which, &surface)) {
      return false;
    }
  }
  if (form.next >= 0) {
    return cardan__mbs_expected(&form,
                                "(friction ..), (static ..), (restitution ..), (rolling ..) or "
                                "(spinning ..)");
  }
  cardan_spec_at(reader->spec, pos);
  cardan_spec_material(reader->spec, name, &surface);
  if (reader->spec->status) {
    return false;
  }
  bind_surface(reader, &surface, &reader->spec->material[reader->spec->nmaterial - 1].living);
  return !reader->spec->status;
}

/* ---- contacts ---- */

/* "A" "B", "A" all, or all. */
static bool read_frames(cardan__mbs_form *form, cardan__spec_contact *contact)
{
  cardan__mbs *reader = form->reader;
  for (int i = 0; i < 2 && !contact->all; i++) {
    contact->all = cardan__sexpr_is(&reader->tree, form->next, "all");
    if (contact->all) {
      form->next = reader->tree.nodes[form->next].next;
    } else if (!cardan__mbs_string(form, "the name of a frame, or all", &contact->frame[i],
                                   &contact->frame_pos[i])) {
      return false;
    }
  }
  return true;
}

bool cardan__mbs_contact(cardan__mbs *reader, int list, bool never)
{
  cardan__mbs_form form = cardan__mbs_open(
      reader, list,
      never ? "(no-contact \"A\" \"B\")" : "(contact \"A\" \"B\" (friction mu) (name \"..\"))");
  cardan__spec_contact contact = {.never = never, .pos = cardan__mbs_pos(reader, list)};
  int which;
  bool good = read_frames(&form, &contact);
  while (good && form.next >= 0 && !never) {
    if (cardan__sexpr_is_form(&reader->tree, form.next, "name") && contact.name == NULL) {
      cardan__mbs_form option = cardan__mbs_open(reader, form.next, "(name \"..\")");
      good = cardan__mbs_string(&option, "a name", &contact.name, &contact.name_pos) &&
             cardan__mbs_close(&option);
      form.next = reader->tree.nodes[form.next].next;
    } else if ((which = surface_option(&form)) >= 0) {
      good = read_surface(&form, which, &contact.surface);
    } else {
      good = cardan__mbs_expected(&form, "an option of a surface, or one (name \"..\")");
    }
  }
  if (!good || !cardan__mbs_close(&form)) {
    return false;
  }
  bind_surface(reader, &contact.surface, &contact.living);
  cardan_spec_at(reader->spec, contact.pos);
  cardan__spec_contact_add(reader->spec, &contact);
  return !reader->spec->status;
}

/* ---- shapes ---- */

/* The words of those that may be here; "" where one may not. */
static void shape_words(bool solid, const char *words[CARDAN__NSHAPE_KIND])
{
  for (int k = 0; k < CARDAN__NSHAPE_KIND; k++) {
    const cardan__shape_type *type = cardan__shape_type_of((cardan_shape_kind)k);
    const bool may = solid ? type->solid || k == CARDAN_SHAPE_MESH : type->seen;
    words[k] = may ? type->word : "";
  }
}

/* "box, sphere, .. or hull" of these words. */
static void list_shapes(const char *const words[CARDAN__NSHAPE_KIND], char *text, size_t size)
{
  size_t used = 0;
  int last = 0;
  for (int k = 0; k < CARDAN__NSHAPE_KIND; k++) {
    last = words[k][0] != '\0' ? k : last;
  }
  for (int k = 0; k < CARDAN__NSHAPE_KIND && used < size; k++) {
    if (words[k][0] != '\0') {
      const char *between = used == 0 ? "" : k == last ? " or " : ", ";
      const int n = snprintf(text + used, size - used, "%s%s", between, words[k]);
      used += n > 0 ? (size_t)n : 0;
    }
  }
}

bool cardan__mbs_shape_kind(cardan__mbs_form *form, bool solid, cardan_shape_kind *kind)
{
  cardan__mbs *reader = form->reader;
  const char *words[CARDAN__NSHAPE_KIND];
  char all[128] = "", found[CARDAN__DESCRIBE_SIZE];
  shape_words(solid, words);
  const int which = cardan__mbs_word(reader, form->next, words, CARDAN__NSHAPE_KIND);
  if (which < 0) {
    list_shapes(words, all, sizeof all);
    return cardan__mbs_fail(reader, form->next >= 0 ? form->next : form->list,
                            "found %s; expected the shape %s%s",
                            cardan__sexpr_describe(&reader->tree, form->next, found), all,
                            cardan__mbs_hint(reader, form->next, words, CARDAN__NSHAPE_KIND).text);
  }
  *kind = (cardan_shape_kind)which;
  form->next = reader->tree.nodes[form->next].next;
  return true;
}

/* ---- solids ---- */

typedef struct {
  cardan_solid_def def;
  cardan_vec3 *point; // of a hull, npoint of them
  int npoint, capacity;
  bool rounded;
  cardan__convex convex; // of a mesh, most 0: not given
  cardan_pos material_pos;
} solid;

/* A point of a hull. */
static bool read_point(cardan__mbs_form *form, solid *s)
{
  cardan_spec *spec = form->reader->spec;
  return cardan__spec_grow(spec, (void **)&s->point, &s->capacity, s->npoint, sizeof *s->point) &&
         cardan__mbs_vector(form, "a point (x y z)", &s->point[s->npoint++]);
}

/* (convex n) or (convex n depth) of a mesh. */
static bool read_convex(cardan__mbs_form *option, cardan__convex *convex)
{
  cardan__mbs *reader = option->reader;
  double n = 0;
  if (!cardan__mbs_number(option, "a number of pieces", &n) ||
      (option->next >= 0 && !cardan__mbs_number(option, "a length", &convex->depth))) {
    return false;
  }
  if (!(n >= 1 && n <= CARDAN__CONVEX_MOST && n == floor(n))) {
    return cardan__mbs_fail(reader, option->list,
                            "found %g convex pieces; expected a whole number from 1 to %d", n,
                            (int)CARDAN__CONVEX_MOST);
  }
  if (convex->depth < 0) {
    return cardan__mbs_fail(reader, option->list,
                            "found %g as distance of the pieces from the mesh; expected 0 or more",
                            convex->depth);
  }
  convex->most = (int)n;
  return true;
}

static bool read_solid_option(cardan__mbs_form *form, solid *s)
{
  cardan__mbs *reader = form->reader;
  const cardan__sexpr *tree = &reader->tree;
  const int node = form->next;
  const bool mesh = s->def.shape.kind == CARDAN_SHAPE_MESH;
  const bool hull = mesh || s->def.shape.kind == CARDAN_SHAPE_HULL;
  const bool field = s->def.shape.kind == CARDAN_SHAPE_HEIGHT_FIELD;
  if (s->def.shape.kind == CARDAN_SHAPE_HULL && cardan__mbs_is_vector(reader, node)) {
    return read_point(form, s);
  }
  cardan__mbs_form option = {reader, node, -1, form->usage};
  bool good = false;
  if (field && cardan__sexpr_is_form(tree, node, "base") && s->def.base == 0) {
    good = cardan__mbs_base(form, &s->def.base);
    form->next = tree->nodes[node].next;
    return good;
  }
  if (cardan__sexpr_is_form(tree, node, "material") && s->def.material == NULL) {
    option = cardan__mbs_open(reader, node, "(material \"rubber\")");
    good =
        cardan__mbs_string(&option, "the name of a material", &s->def.material, &s->material_pos);
  } else if (cardan__sexpr_is_form(tree, node, "round") && hull && !s->rounded) {
    option = cardan__mbs_open(reader, node, "(round r)");
    s->rounded = true;
    good = cardan__mbs_number(&option, "a length", &s->def.round) &&
           cardan__spec_round(reader->spec, s->def.round);
    if (good && s->def.round == 0) { // which the spec takes for the usual
      cardan__spec_fail_at(reader->spec, CARDAN_ERR_MODEL, cardan__mbs_pos(reader, node),
                           "found the round 0 of a hull; expected more than 0");
      return false;
    }
  } else if (cardan__sexpr_is_form(tree, node, "convex") && mesh && s->convex.most == 0) {
    option = cardan__mbs_open(reader, node, "(convex n depth)");
    good = read_convex(&option, &s->convex);
  } else if (cardan__sexpr_is_form(tree, node, "hidden") && !s->def.shape.hidden) {
    option = cardan__mbs_open(reader, node, "(hidden)");
    s->def.shape.hidden = good = true;
  } else {
    return cardan__mbs_expected(form, mesh    ? "one (material ..), (convex ..), (round ..) or "
                                                "(hidden)"
                                      : hull  ? "one (material ..), (round ..) or (hidden)"
                                      : field ? "one (material ..), (base ..) or (hidden)"
                                              : "one (material ..) or (hidden)");
  }
  form->next = tree->nodes[node].next;
  return good && cardan__mbs_close(&option);
}

/* What follows the kind: sizes, or the file, and options. */
static bool read_solid_parts(cardan__mbs_form *form, solid *s)
{
  const cardan__shape_type *type = cardan__shape_type_of(s->def.shape.kind);
  cardan_pos pos;
  bool good = s->def.shape.kind != CARDAN_SHAPE_HEIGHT_FIELD || cardan__mbs_heights(form, &s->def);
  good = good && cardan__mbs_numbers(form, "a number", s->def.shape.size, type->nsize);
  if (good && s->def.shape.kind == CARDAN_SHAPE_MESH) {
    good = cardan__mbs_string(form, "the name of a file", &s->def.shape.file, &pos) &&
           (form->next < 0 || cardan__mbs_is_list(form->reader, form->next) ||
            cardan__mbs_numbers(form, "a factor", s->def.shape.size, 3));
  }
  while (good && form->next >= 0) {
    good = read_solid_option(form, s);
  }
  return good;
}

/* A mesh becomes its convex hull, or convex pieces: from here on the text that is written back
 * needs no file. */
static bool add_mesh(cardan_spec *spec, solid *s, int frame)
{
  const cardan_pos pos = spec->at;
  cardan_report report = {.message = ""};
  cardan__mesh mesh;
  cardan__mesh_pieces pieces;
  char *data = NULL;
  size_t size = 0;
  if (!cardan__spec_path(spec, s->def.shape.file) ||
      !cardan__spec_finite(spec, "a factor of a mesh", s->def.shape.size, 3) ||
      !cardan__spec_open(spec, s->def.shape.file, &data, &size)) {
    return false;
  }
  cardan_status status =
      cardan__mesh_read(data, size, s->def.shape.file, &spec->arena, &mesh, &report);
  cardan__spec_close(spec, data);
  if (status == CARDAN_OK) {
    status = cardan__mesh_decompose_cached(spec->files, &mesh, s->def.shape.size, &s->convex,
                                           &spec->arena, &pieces, &report);
  }
  if (status != CARDAN_OK) {
    cardan__spec_fail(spec, status == CARDAN_ERR_MEMORY ? status : CARDAN_ERR_MODEL,
                      "in the mesh \"%s\": %s", cardan__show(s->def.shape.file).text,
                      report.message);
    return false;
  }
  if (pieces.note[0] != '\0') {
    cardan__spec_note(spec, pos, "%s", pieces.note);
  }
  cardan__collision_pieces(spec, frame, &s->def, &pieces);
  return !spec->status;
}

bool cardan__mbs_solid(cardan__mbs *reader, int list, int frame)
{
  cardan__mbs_form form = cardan__mbs_open(reader, list, "(solid box x y z)");
  cardan_spec *spec = reader->spec;
  solid s = {.def = {.round = 0}};
  int before = 0;
  if (!cardan__mbs_shape_kind(&form, true, &s.def.shape.kind)) {
    return false;
  }
  const cardan__shape_type *type = cardan__shape_type_of(s.def.shape.kind);
  form.usage = type->as_solid;
  bool good = read_solid_parts(&form, &s);
  if (good) {
    cardan_spec_at(spec, cardan__mbs_pos(reader, list));
    s.def.point = s.point;
    s.def.npoint = s.npoint;
    before = spec->nshape;
    if (s.def.shape.kind == CARDAN_SHAPE_MESH) {
      (void)add_mesh(spec, &s, frame);
    } else {
      cardan_spec_solid(spec, frame, &s.def);
    }
    good = !spec->status;
  }
  cardan__resize(spec->allocator, s.point, 0);
  if (!good) {
    return false;
  }
  for (int i = before; i < spec->nshape; i++) {
    spec->shape[i].material_pos = s.material_pos;
  }
  cardan__mbs_bind(reader, s.def.shape.size, type->nsize, &spec->shape[before].living, 0);
  return !spec->status;
}
