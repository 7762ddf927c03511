// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "model/spec.h"
#include "spatial/height_field.h"
#include "spatial/hull.h"

/* Solids, what their surfaces are like, and which of them touch. */

/* Points of one hull, which cost their square; solids of one model. */
enum { MOST_POINTS = 2000, MOST_SOLIDS = 100000 };

const char *const cardan__surface_word[CARDAN__NSURFACE] = {"friction", "static", "restitution",
                                                            "rolling", "spinning"};

bool cardan__spec_restitution(cardan_spec *spec, double e)
{
  if (!(e >= 0.0 && e <= 1.0)) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a restitution of %g; expected 0 (no bounce) to 1 (all of it)", e);
  }
  return !spec->status;
}

static bool not_negative(cardan_spec *spec, const char *what, double x)
{
  if (x < 0.0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found %s of %g; expected at least 0", what, x);
  }
  return !spec->status;
}

bool cardan__spec_surface(cardan_spec *spec, const cardan_surface *s)
{
  const double numbers[5] = {s->friction, s->statical, s->restitution, s->rolling, s->spinning};
  if (spec->status || !cardan__spec_finite(spec, "a number of a surface", numbers, 5) ||
      !not_negative(spec, "a friction", s->friction) ||
      !not_negative(spec, "a static friction", s->statical) ||
      !not_negative(spec, "a length of rolling friction", s->rolling) ||
      !not_negative(spec, "a length of spinning friction", s->spinning) ||
      !cardan__spec_restitution(spec, s->restitution)) {
    return false;
  }
  if (s->has_friction && s->has_statical && s->statical < s->friction) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a static friction of %g below the friction of %g while sliding; "
                      "expected at least that",
                      s->statical, s->friction);
  }
  return !spec->status;
}

/* Numbers that are not given become 0. */
static cardan_surface zero_unset(const cardan_surface *s)
{
  cardan_surface out = *s;
  for (int i = 0; i < CARDAN__NSURFACE; i++) {
    if (!*cardan__surface_has(&out, i)) {
      *cardan__surface_number(&out, i) = 0;
    }
  }
  return out;
}

void cardan_spec_material(cardan_spec *spec, const char *name, const cardan_surface *surface)
{
  const char *copy = cardan__spec_text(spec, "material's name", name);
  const cardan_surface given = zero_unset(surface);
  if (!copy || !cardan__spec_surface(spec, &given)) {
    return;
  }
  const int before = cardan__names_get(&spec->material_names, copy);
  if (before >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "the material \"%s\" is already given%s; expected a new name",
                      cardan__show(name).text, cardan__cite(spec->material[before].pos).text);
    return;
  }
  if (cardan__spec_grow(spec, (void **)&spec->material, &spec->cap_material, spec->nmaterial,
                        sizeof *spec->material) &&
      cardan__spec_memory(spec, cardan__names_set(&spec->material_names, copy, spec->nmaterial))) {
    spec->material[spec->nmaterial++] =
        (cardan__spec_material){.name = copy, .surface = given, .pos = spec->at};
  }
}

/* ---- solids ---- */

bool cardan__spec_round(cardan_spec *spec, double round)
{
  return cardan__spec_finite(spec, "the round of a hull", &round, 1) &&
         not_negative(spec, "the round of a hull", round);
}

/* The hull of the points, and its core. */
static bool make_hulls(cardan_spec *spec, cardan__spec_shape *item)
{
  cardan_report report = {.message = ""};
  cardan_hull *hull = cardan__arena_take(&spec->arena, 2, sizeof *hull);
  if (!cardan__spec_memory(spec, hull ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return false;
  }
  cardan_status status = cardan__hull_make(item->point, item->npoint, CARDAN__HULL_FLAT,
                                           &spec->arena, &hull[0], &report);
  if (status == CARDAN_OK) {
    item->core_round = item->round > 0 ? item->round : 0.01 * cardan__hull_width(&hull[0]);
    status = cardan__hull_core(&hull[0], item->core_round, &spec->arena, &hull[1], &report);
  }
  if (status != CARDAN_OK) {
    cardan__spec_fail(spec, status, "%s", report.message);
  }
  item->hull = hull;
  return status == CARDAN_OK;
}

/* Copies the points of a hull. */
static bool take_points(cardan_spec *spec, const cardan_solid_def *solid, cardan__spec_shape *item)
{
  if (solid->npoint < 4 || solid->npoint > MOST_POINTS) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found a hull of %d points; expected 4 to %d",
                      solid->npoint, MOST_POINTS);
    return false;
  }
  for (int i = 0; i < solid->npoint; i++) {
    const cardan_vec3 p = solid->point[i];
    const double x[3] = {p.x, p.y, p.z};
    if (!cardan__spec_finite(spec, "a coordinate of a point", x, 3)) {
      return false;
    }
  }
  const size_t n = (size_t)solid->npoint;
  cardan_vec3 *copy = cardan__arena_take(&spec->arena, n, sizeof *copy);
  if (!cardan__spec_memory(spec, copy ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return false;
  }
  memcpy(copy, solid->point, n * sizeof *copy);
  item->point = copy;
  item->npoint = solid->npoint;
  item->round = solid->round;
  return cardan__spec_round(spec, solid->round) && make_hulls(spec, item);
}

/* Sides and heights at which gaps still have digits to count with. */
static bool check_field_size(cardan_spec *spec, const double *size,
                             const cardan_height_field *field)
{
  const double least = 1e-4, most = 1e12;
  const double side = size[0] < least || size[0] > most ? size[0] : size[1];
  const double high = fmax(fabs(field->low), fabs(field->high)) * size[2];
  if (side < least || side > most) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found the side %g m of a height field; expected %g to %g", side, least,
                      most);
  } else if (high > most) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found heights of up to %g m; expected at most %g",
                      high, most);
  }
  return !spec->status;
}

/* Copies the heights of a field. */
static bool take_heights(cardan_spec *spec, const cardan_solid_def *solid, cardan__spec_shape *item)
{
  cardan_report report = {.message = ""};
  cardan_height_field *field = cardan__arena_take(&spec->arena, 1, sizeof *field);
  const double *size = item->shape.size;
  const double base = solid->base != 0 ? solid->base : fmax(size[0], size[1]);
  if (!cardan__spec_memory(spec, field ? CARDAN_OK : CARDAN_ERR_MEMORY) ||
      !cardan__spec_finite(spec, "the base of a height field", &base, 1) ||
      !not_negative(spec, "the base of a height field", base)) {
    return false;
  }
  const cardan_status status = cardan__height_field_make(solid->rows, solid->columns, solid->height,
                                                         base, &spec->arena, field, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail(spec, status, "%s", report.message);
  }
  item->field = field;
  return status == CARDAN_OK && field != NULL && check_field_size(spec, size, field);
}

void cardan_spec_solid(cardan_spec *spec, int frame, const cardan_solid_def *solid)
{
  const cardan_shape_kind kind = solid->shape.kind;
  const cardan__shape_type *type = cardan__shape_type_of(kind);
  cardan__spec_shape item = {.shape = {.kind = kind, .hidden = solid->shape.hidden},
                             .solid = true,
                             .material_pos = spec->at};
  if (!cardan__spec_is_frame(spec, frame)) {
    return;
  }
  if (type == NULL || !type->solid) {
    cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                      "found %d as kind of a solid; expected a cardan_shape_kind that touches",
                      (int)kind);
    return;
  }
  if (spec->nsolid == MOST_SOLIDS) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL, "found more than %d solids; expected fewer",
                      MOST_SOLIDS);
    return;
  }
  if (!cardan__spec_sizes(spec, solid->shape.size, &item.shape) ||
      (kind == CARDAN_SHAPE_HULL && !take_points(spec, solid, &item)) ||
      (kind == CARDAN_SHAPE_HEIGHT_FIELD && !take_heights(spec, solid, &item))) {
    return;
  }
  item.material =
      solid->material ? cardan__spec_text(spec, "material's name", solid->material) : NULL;
  cardan__spec_shape_add(spec, frame, &item);
  spec->nsolid += !spec->status;
}

/* ---- which of them touch ---- */

/* Copies the names of a contact's frames: two that differ, or fewer with all. */
static bool take_frames(cardan_spec *spec, cardan__spec_contact *c)
{
  const int most = c->all ? 1 : 2;
  for (int i = 0; i < 2; i++) {
    const bool wanted = i < most && (c->frame[i] != NULL || !c->all);
    c->frame[i] = wanted ? cardan__spec_text(spec, "frame's name", c->frame[i]) : NULL;
  }
  if (!spec->status && c->never && c->frame[0] == NULL) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found (no-contact all); expected a frame in it, or no (contact ..) at all");
  } else if (!spec->status && c->frame[1] != NULL && strcmp(c->frame[0], c->frame[1]) == 0) {
    cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, c->frame_pos[1],
                         "found a contact of \"%s\" with itself; expected two frames",
                         cardan__show(c->frame[0]).text);
  }
  return !spec->status;
}

void cardan__spec_contact_add(cardan_spec *spec, const cardan__spec_contact *contact)
{
  cardan__spec_contact c = *contact;
  c.surface = zero_unset(&contact->surface);
  if (spec->status || !take_frames(spec, &c) || !cardan__spec_surface(spec, &c.surface) ||
      !cardan__spec_grow(spec, (void **)&spec->contact, &spec->cap_contact, spec->ncontact,
                         sizeof *spec->contact)) {
    return;
  }
  if (c.name) {
    c.name = cardan__spec_text(spec, "name", c.name);
    const int before = c.name ? cardan__names_get(&spec->contact_names, c.name) : -1;
    if (before >= 0) {
      cardan__spec_fail_at(spec, CARDAN_ERR_MODEL, c.name_pos,
                           "the contact \"%s\" is already given%s; expected a new name",
                           cardan__show(c.name).text,
                           cardan__cite(spec->contact[before].name_pos).text);
    }
    if (spec->status || !cardan__spec_memory(spec, cardan__names_set(&spec->contact_names, c.name,
                                                                     spec->ncontact))) {
      return;
    }
  }
  spec->contact[spec->ncontact++] = c;
}

void cardan_spec_contact(cardan_spec *spec, const cardan_contact_def *contact)
{
  cardan__spec_contact c = {.name = contact->name,
                            .all = contact->all,
                            .never = contact->never,
                            .surface = contact->surface,
                            .pos = spec->at,
                            .name_pos = spec->at,
                            .frame_pos = {spec->at, spec->at}};
  for (int i = 0; i < 2; i++) {
    c.frame[i] = cardan__spec_frame_at(spec, contact->frame[i], contact->frame_at[i]);
  }
  cardan__spec_contact_add(spec, &c);
}

void cardan_spec_floor(cardan_spec *spec, double height)
{
  static const char name[] = "floor";
  cardan_xform T = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = {0, 0, height}};
  cardan_spec_at(spec, (cardan_pos){0, 0});
  if (!spec->status && cardan__spec_find_frame(spec, name) >= 0) {
    cardan__spec_fail(spec, CARDAN_ERR_MODEL,
                      "found a frame \"%s\" in the model already; expected none where one is to be "
                      "added",
                      name);
  }
  const int frame = cardan_spec_place(spec, 0, &T);
  cardan_spec_frame_name(spec, frame, name);
  cardan_spec_solid(spec, frame, &(cardan_solid_def){.shape = {.kind = CARDAN_SHAPE_PLANE}});
  cardan_spec_contact(spec,
                      &(cardan_contact_def){.name = name, .frame = {name, NULL}, .all = true});
}
