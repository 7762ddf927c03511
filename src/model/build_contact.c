// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build_contact.h"
#include "spatial/height_field.h"
#include "spatial/hull.h"
#include "spatial/spatial.h"

/* Solids, materials, contacts and pairs of a model. */

static const double usual_friction = 0.5;
static const double much_friction = 10; // more than that is hardly meant

size_t cardan__count_contact_strings(const cardan_spec *spec)
{
  size_t n = 0;
  for (int i = 0; i < spec->nmaterial; i++) {
    n += strlen(spec->material[i].name) + 1;
  }
  for (int i = 0; i < spec->ncontact; i++) {
    const cardan__spec_contact *c = &spec->contact[i];
    n += c->name != NULL ? strlen(c->name) + 1 : 24;
    n += c->frame[0] != NULL ? strlen(c->frame[0]) : 0;
    n += c->frame[1] != NULL ? strlen(c->frame[1]) : 0;
  }
  return n;
}

int cardan__count_hulls(const cardan_spec *spec, const cardan__contacts_found *found)
{
  int nhull = 0;
  for (int i = 0; i < found->nsolid; i++) {
    nhull += spec->shape[found->solid[i].shape].shape.kind == CARDAN_SHAPE_HULL ? 2 : 0;
  }
  return nhull;
}

void cardan__layout_hulls(cardan__carver *c, const cardan_spec *spec,
                          const cardan__contacts_found *found, cardan_model *m)
{
  for (int i = 0; i < found->nsolid; i++) {
    const cardan__spec_shape *shape = &spec->shape[found->solid[i].shape];
    if (shape->shape.kind == CARDAN_SHAPE_HULL) {
      cardan_hull unused;
      for (int k = 0; k < 2; k++) {
        cardan__hull_carve(&shape->hull[k], c, m->hull != NULL ? &m->hull[m->nhull++] : &unused);
      }
    }
  }
}

int cardan__count_fields(const cardan_spec *spec, const cardan__contacts_found *found)
{
  int nfield = 0;
  for (int i = 0; i < found->nsolid; i++) {
    nfield += spec->shape[found->solid[i].shape].field != NULL;
  }
  return nfield;
}

void cardan__layout_fields(cardan__carver *c, const cardan_spec *spec,
                           const cardan__contacts_found *found, cardan_model *m)
{
  for (int i = 0; i < found->nsolid; i++) {
    const cardan_height_field *field = spec->shape[found->solid[i].shape].field;
    cardan_height_field unused;
    if (field != NULL) {
      cardan__height_field_carve(field, c, m->field != NULL ? &m->field[m->nfield++] : &unused);
    }
  }
}

/* ---- names ---- */

/* Of a frame, or of the first above it that has one. */
static const char *frame_name(const cardan_model *model, int frame)
{
  while (frame > 0 && model->frame[frame].name[0] == '\0') {
    frame = model->frame[frame].parent;
  }
  return model->frame[frame].name;
}

/* Given, or "A-B", "A-all", "all", with a number where that is another's. taken: names made so far,
 * and the last number behind each. NULL: there is no memory. */
static const char *contact_name(cardan__build *build, const cardan__spec_contact *c,
                                cardan__names *taken)
{
  enum { SIZE = 2 * CARDAN__NAME_MAX + 24 };
  const cardan__names *given = &build->spec->contact_names;
  char plain[SIZE], text[SIZE];
  if (c->name != NULL) {
    return cardan__build_string(build, c->name);
  }
  const char *first = c->frame[0] != NULL ? c->frame[0] : "", *dash = first[0] ? "-" : "";
  snprintf(plain, SIZE, "%s%s%s", first, dash, c->all ? "all" : c->frame[1]);
  memcpy(text, plain, SIZE);
  const int owner = cardan__names_get(given, plain), last = cardan__names_get(taken, plain);
  int number = last > 0 ? last : 1;
  while (cardan__names_get(given, text) >= 0 || cardan__names_get(taken, text) >= 0) {
    snprintf(text, SIZE, "%.*s-%d", SIZE - 13, plain, ++number);
  }
  const char *name = cardan__build_string(build, text);
  // the table keeps the text that it got first: one that lives as long as it does
  const char *key = owner >= 0 ? build->spec->contact[owner].name : last > 0 ? plain : name;
  return cardan__names_set(taken, name, 1) == CARDAN_OK &&
                 cardan__names_set(taken, key, number) == CARDAN_OK
             ? name
             : NULL;
}

/* ---- filling ---- */

static void warn_friction(cardan__build *build, const char *what, const char *name,
                          const cardan_surface *s, cardan_pos pos)
{
  if (s->friction > much_friction || s->statical > much_friction) {
    cardan__build_warn(build, "line %d: the %s \"%.60s\" has a friction of %g: is that meant?",
                       pos.line, what, name, fmax(s->friction, s->statical));
  }
}

static void fill_solids(cardan__build *build, const cardan__contacts_found *found)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  int hull = 0, field = 0;
  for (int i = 0; i < found->nsolid; i++) {
    const cardan__solid_found *from = &found->solid[i];
    const cardan__spec_shape *shape = &spec->shape[from->shape];
    cardan_solid *solid = &model->solid[model->nsolid++];
    *solid = (cardan_solid){
        .name = frame_name(model, from->frame),
        .frame = from->frame,
        .body = model->frame[from->frame].body,
        .shape = model->frame[from->frame].shape + from->nth,
        .material =
            shape->material ? cardan__names_get(&spec->material_names, shape->material) : -1,
        .kind = shape->shape.kind,
        .round = shape->core_round,
        .pieces = shape->pieces,
        .off = shape->off,
        .hull = -1,
        .field = -1,
        .pos = shape->pos};
    if (shape->field != NULL) {
      solid->field = field;
      cardan__height_field_copy(shape->field, &model->field[field++]);
    }
    if (solid->kind == CARDAN_SHAPE_HULL) {
      solid->hull = hull;
      cardan__hull_copy(&shape->hull[0], &model->hull[hull++]);
      cardan__hull_copy(&shape->hull[1], &model->hull[hull++]);
    }
  }
}

/* Height fields stay in the world: nothing else is to touch one that moves. */
static cardan_status check_fields(const cardan__build *build)
{
  for (int i = 0; i < build->model->nsolid; i++) {
    const cardan_solid *s = &build->model->solid[i];
    if (s->field >= 0 && s->body != 0) {
      return cardan_fail(build->report, CARDAN_ERR_UNSUPPORTED, s->pos,
                         "found a height field in the moving body \"%.60s\"; expected it in the "
                         "world, or a mesh with (convex n)",
                         s->name);
    }
  }
  return CARDAN_OK;
}

/* Contacts, and (number, out: ncontact of the spec) which each became. */
static cardan_status fill_contacts(cardan__build *build, int *number)
{
  cardan_model *model = build->model;
  cardan__names taken;
  bool good = true;
  cardan__names_init(&taken, &model->allocator);
  for (int i = 0; i < build->spec->ncontact && good; i++) {
    const cardan__spec_contact *from = &build->spec->contact[i];
    number[i] = -1;
    if (!from->never) {
      const char *name = contact_name(build, from, &taken);
      good = name != NULL;
      number[i] = model->ncontact;
      model->contact[model->ncontact++] =
          (cardan_contact){.name = name, .surface = from->surface, .pos = from->pos};
      warn_friction(build, "contact", good ? name : "", &from->surface, from->pos);
    }
  }
  cardan__names_free(&taken);
  return good ? CARDAN_OK : cardan__no_memory(build->report);
}

/* Pairs, and a word on contacts that touch nothing. used: ncontact of the spec, all 0 */
static void fill_pairs(cardan__build *build, const cardan__contacts_found *found, const int *number,
                       int *used)
{
  cardan_model *model = build->model;
  for (int i = 0; i < found->npair; i++) {
    const cardan__pair_found *from = &found->pair[i];
    used[from->contact] = 1;
    model->pair[model->npair++] =
        (cardan_pair){.solid = {from->solid[0], from->solid[1]}, .contact = number[from->contact]};
  }
  for (int i = 0; i < build->spec->ncontact; i++) {
    if (number[i] >= 0 && used[i] == 0) {
      const int line = build->spec->contact[i].pos.line; // 0: it is in no file
      char at[32] = "";
      if (line > 0) {
        snprintf(at, sizeof at, "line %d: ", line);
      }
      cardan__build_warn(
          build, "%sthe contact \"%.60s\" touches nothing: %s", at, model->contact[number[i]].name,
          found->one_body != NULL && found->one_body[i] ? "its two frames are of one body"
          : model->nsolid < 2
              ? "no other body has a (solid ..), or a collision shape of a robot file"
              : "there are no such two solids, or others say what they do");
    }
  }
}

cardan_status cardan__fill_contact(cardan__build *build, const cardan__contacts_found *found)
{
  cardan_model *model = build->model;
  const cardan_spec *spec = build->spec;
  const size_t n = (size_t)spec->ncontact;
  int *number = cardan__resize(&model->allocator, NULL, (2 * n + 1) * sizeof *number);
  if (number == NULL) {
    return cardan__no_memory(build->report);
  }
  memset(number, 0, (2 * n + 1) * sizeof *number);
  for (int i = 0; i < spec->nmaterial; i++) {
    const cardan__spec_material *from = &spec->material[i];
    model->material[model->nmaterial++] =
        (cardan_material){.name = cardan__build_string(build, from->name),
                          .surface = from->surface,
                          .pos = from->pos};
    warn_friction(build, "material", from->name, &from->surface, from->pos);
  }
  fill_solids(build, found);
  cardan_status status = check_fields(build);
  status = status ? status : fill_contacts(build, number);
  if (status == CARDAN_OK) {
    fill_pairs(build, found, number, number + n);
  }
  cardan__resize(&model->allocator, number, 0);
  return status == CARDAN_OK ? cardan__settle_contact(model, build->report) : status;
}

/* ---- what numbers decide ---- */

static double radius_of(const cardan_model *model, const cardan_solid *s)
{
  const double *a = s->size;
  double most = 0;
  switch (s->kind) {
  case CARDAN_SHAPE_BOX:
    return 0.5 * sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  case CARDAN_SHAPE_SPHERE:
    return a[0];
  case CARDAN_SHAPE_CYLINDER:
    return hypot(a[0], a[1] / 2);
  case CARDAN_SHAPE_CAPSULE:
    return a[0] + a[1] / 2;
  case CARDAN_SHAPE_ELLIPSOID:
    return fmax(a[0], fmax(a[1], a[2]));
  case CARDAN_SHAPE_PLANE:
    return HUGE_VAL;
  case CARDAN_SHAPE_HULL:
    for (int i = 0; i < model->hull[s->hull].nvertex; i++) {
      most = fmax(most, cardan__vec3_norm(model->hull[s->hull].vertex[i]));
    }
    return most;
  case CARDAN_SHAPE_HEIGHT_FIELD: {
    const cardan_height_field *f = &model->field[s->field];
    const double down = fabs(a[2] * f->low - f->base), up = fabs(a[2] * f->high);
    return hypot(0.5 * hypot(a[0], a[1]), fmax(down, up));
  }
  default:
    return 0;
  }
}

cardan_surface cardan__surface_whole(const cardan_surface *s)
{
  cardan_surface all = s != NULL ? *s : (cardan_surface){.friction = 0};
  all.friction = all.has_friction ? all.friction : usual_friction;
  all.statical = fmax(all.friction, all.statical); // 0 where it is not said
  return all;
}

void cardan__surface_meet(const cardan_surface *a, const cardan_surface *b,
                          const cardan_surface *contact, cardan_pair *pair)
{
  const cardan_surface *c = contact;
  cardan_pair *p = pair;
  p->friction = c->has_friction ? c->friction : sqrt(a->friction * b->friction);
  p->statical = c->has_statical   ? c->statical
                : c->has_friction ? c->friction
                                  : sqrt(a->statical * b->statical);
  p->restitution = c->has_restitution ? c->restitution : fmax(a->restitution, b->restitution);
  p->rolling = c->has_rolling ? c->rolling : fmax(a->rolling, b->rolling);
  p->spinning = c->has_spinning ? c->spinning : fmax(a->spinning, b->spinning);
}

static cardan_status settle_pair(cardan_model *model, cardan_pair *p, cardan_report *report)
{
  const cardan_surface *a = &model->solid[p->solid[0]].surface;
  const cardan_surface *b = &model->solid[p->solid[1]].surface;
  const cardan_contact *contact = &model->contact[p->contact];
  cardan__surface_meet(a, b, &contact->surface, p);
  if (p->statical < p->friction) {
    return cardan_fail(report, CARDAN_ERR_MODEL, contact->pos,
                       "found a static friction of %g below the friction of %g that the materials "
                       "give while sliding; expected at least that",
                       p->statical, p->friction);
  }
  return CARDAN_OK;
}

cardan_status cardan__settle_contact(cardan_model *model, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < model->nsolid; i++) {
    cardan_solid *s = &model->solid[i];
    memcpy(s->size, model->shape[s->shape].size, sizeof s->size);
    s->X_BS = model->frame[s->frame].X_BF;
    s->surface =
        cardan__surface_whole(s->material >= 0 ? &model->material[s->material].surface : NULL);
    s->radius = radius_of(model, s);
  }
  for (int i = 0; i < model->npair && status == CARDAN_OK; i++) {
    status = settle_pair(model, &model->pair[i], report);
  }
  return status;
}
