// SPDX-License-Identifier: Apache-2.0
#include "output/describe_contact.h"

#include "model/elements.h"
#include "model/shape_table.h"
#include "output/text_output.h"

static void say_name(cardan__text *out, const char *before, const char *name)
{
  cardan__text_printf(out, "%s\"", before);
  cardan__text_output_name(out, name);
  cardan__text_printf(out, "\"");
}

static void say_more(cardan__text *out, int shown, int n)
{
  if (n > shown) {
    cardan__text_output_label(out, "");
    cardan__text_printf(out, ".. and %d more (all in JSON)", n - shown);
  }
}

/* What a surface says itself: "friction 0.8, restitution 0.3". */
static void say_surface(cardan__text *out, cardan_surface s, const char *otherwise)
{
  bool any = false;
  for (int i = 0; i < CARDAN__NSURFACE; i++) {
    if (*cardan__surface_has(&s, i)) {
      cardan__text_printf(out, "%s%s ", any ? ", " : "", cardan__surface_word[i]);
      cardan__text_output_number(out, *cardan__surface_number(&s, i));
      any = true;
    }
  }
  cardan__text_printf(out, "%s", any ? "" : otherwise);
}

/* How many pairs each contact has. */
static int pairs_of(const cardan_model *model, int contact)
{
  int n = 0;
  for (int i = 0; i < model->npair; i++) {
    n += model->pair[i].contact == contact;
  }
  return n;
}

/* "5: 3 box, 1 sphere, 1 plane" */
static void text_solids(const cardan_model *model, cardan__text *out)
{
  int count[CARDAN__NSHAPE_KIND] = {0};
  bool first = true;
  for (int i = 0; i < model->nsolid; i++) {
    count[model->solid[i].kind]++;
  }
  cardan__text_output_label(out, "solids");
  cardan__text_printf(out, "%d", model->nsolid);
  for (int k = 0; k < CARDAN__NSHAPE_KIND; k++) {
    if (count[k] > 0) {
      cardan__text_printf(out, "%s%d %s", first ? ": " : ", ", count[k],
                          cardan__shape_type_of((cardan_shape_kind)k)->word);
      first = false;
    }
  }
  cardan__text_printf(out, "; %d pair%s of them may touch", model->npair,
                      model->npair == 1 ? "" : "s");
}

/* "frame": 3 convex pieces of a mesh, up to 0.001 m from it; for each such mesh. */
static void text_pieces(const cardan_model *model, int shown, cardan__text *out)
{
  int n = 0;
  for (int i = 0; i<model->nsolid; i += model->solid[i].pieces> 0 ? model->solid[i].pieces : 1) {
    const cardan_solid *s = &model->solid[i];
    if (s->pieces > 0 && n++ < shown) {
      cardan__text_output_label(out, n == 1 ? "meshes" : "");
      say_name(out, "", s->name);
      cardan__text_printf(out, ": %d convex pieces, up to ", s->pieces);
      cardan__text_output_number(out, s->off);
      cardan__text_printf(out, " m from the mesh");
    }
  }
  say_more(out, shown, n);
}

/* "frame": height field of 40 x 30 heights, 4 x 3 m, from -0.2 to 0.5 m; for each. */
static void text_fields(const cardan_model *model, int shown, cardan__text *out)
{
  int n = 0;
  for (int i = 0; i < model->nsolid; i++) {
    const cardan_solid *s = &model->solid[i];
    if (s->field < 0 || n++ >= shown) {
      continue;
    }
    const cardan_height_field *f = &model->field[s->field];
    const double number[4] = {s->size[0], s->size[1], s->size[2] * f->low, s->size[2] * f->high};
    static const char *const behind[4] = {" x ", " m, from ", " to ", " m"};
    cardan__text_output_label(out, n == 1 ? "fields" : "");
    say_name(out, "", s->name);
    cardan__text_printf(out, ": %d x %d heights over ", f->columns, f->rows);
    for (int k = 0; k < 4; k++) {
      cardan__text_output_number(out, number[k]);
      cardan__text_printf(out, "%s", behind[k]);
    }
  }
  say_more(out, shown, n);
}

void cardan__contacts_text(const cardan_model *model, int shown, cardan__text *out)
{
  if (model->nsolid > 0) {
    text_solids(model, out);
    text_pieces(model, shown, out);
    text_fields(model, shown, out);
  }
  for (int i = 0; i < model->nmaterial && i < shown; i++) {
    cardan__text_output_label(out, i == 0 ? "materials" : "");
    say_name(out, "", model->material[i].name);
    cardan__text_printf(out, ": ");
    say_surface(out, model->material[i].surface, "as usual");
  }
  say_more(out, shown, model->nmaterial);
  for (int i = 0; i < model->ncontact && i < shown; i++) {
    const int n = pairs_of(model, i);
    cardan__text_output_label(out, i == 0 ? "contacts" : "");
    say_name(out, "", model->contact[i].name);
    cardan__text_printf(out, ": %d pair%s, ", n, n == 1 ? "" : "s");
    say_surface(out, model->contact[i].surface, "as their materials say");
  }
  say_more(out, shown, model->ncontact);
  for (int i = 0; i < model->nbound && i < shown; i++) {
    const cardan_bound *bound = &model->bound[i];
    cardan__text_output_label(out, i == 0 ? "bounds" : "");
    cardan__text_printf(out, "%s", cardan__element_word(bound->kind));
    say_name(out, " ", bound->name);
    cardan__text_printf(out, ", restitution ");
    cardan__text_output_number(out, bound->restitution);
  }
  say_more(out, shown, model->nbound);
}

static void json_solids(const cardan_model *model, cardan__json *json)
{
  cardan__json_open(json, "solids", '[');
  for (int i = 0; i < model->nsolid; i++) {
    const cardan_solid *s = &model->solid[i];
    const cardan__shape_type *type = cardan__shape_type_of(s->kind);
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "frame", s->name);
    cardan__json_string(json, "body", cardan_body_name(model, s->body));
    cardan__json_string(json, "kind", type->word);
    cardan__json_numbers(json, "size", s->size, type->nsize);
    cardan__json_string(json, "material",
                        s->material >= 0 ? model->material[s->material].name : NULL);
    if (s->hull >= 0) {
      cardan__json_int(json, "corners", model->hull[s->hull].nvertex);
      cardan__json_int(json, "faces", model->hull[s->hull].nface);
      cardan__json_number(json, "round", s->round);
      if (s->pieces > 0) {
        cardan__json_int(json, "pieces", s->pieces);
        cardan__json_number(json, "off", s->off);
      }
    }
    if (s->field >= 0) {
      const cardan_height_field *f = &model->field[s->field];
      cardan__json_int(json, "rows", f->rows);
      cardan__json_int(json, "columns", f->columns);
      cardan__json_number(json, "low", s->size[2] * f->low);
      cardan__json_number(json, "high", s->size[2] * f->high);
      cardan__json_number(json, "base", f->base);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

static void json_pairs(const cardan_model *model, cardan__json *json)
{
  cardan__json_open(json, "pairs", '[');
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *p = &model->pair[i];
    cardan__json_open(json, NULL, '{');
    cardan__json_open(json, "solids", '[');
    cardan__json_int(json, NULL, p->solid[0]);
    cardan__json_int(json, NULL, p->solid[1]);
    cardan__json_close(json, ']');
    cardan__json_string(json, "contact", model->contact[p->contact].name);
    const double number[CARDAN__NSURFACE] = {p->friction, p->statical, p->restitution, p->rolling,
                                             p->spinning};
    for (int k = 0; k < CARDAN__NSURFACE; k++) {
      cardan__json_number(json, cardan__surface_word[k], number[k]);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

void cardan__contacts_json(const cardan_model *model, cardan__json *json)
{
  cardan__json_open(json, "materials", '[');
  for (int i = 0; i < model->nmaterial; i++) {
    cardan_surface s = model->material[i].surface;
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", model->material[i].name);
    for (int k = 0; k < CARDAN__NSURFACE; k++) {
      if (*cardan__surface_has(&s, k)) {
        cardan__json_number(json, cardan__surface_word[k], *cardan__surface_number(&s, k));
      }
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
  json_solids(model, json);
  cardan__json_open(json, "contacts", '[');
  for (int i = 0; i < model->ncontact; i++) {
    cardan__json_string(json, NULL, model->contact[i].name);
  }
  cardan__json_close(json, ']');
  json_pairs(model, json);
  cardan__json_open(json, "bounds", '[');
  for (int i = 0; i < model->nbound; i++) {
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", model->bound[i].name);
    cardan__json_string(json, "kind", cardan__element_word(model->bound[i].kind));
    cardan__json_number(json, "restitution", model->bound[i].restitution);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}
