// SPDX-License-Identifier: Apache-2.0
#include "output/page.h"

#include "base/arena.h"
#include "methods/method.h"
#include "model/joint_table.h"
#include "model/shape_table.h"

/* A model as the page needs it: bodies with the constant part of their joints and how many turns
 * and slides follow it (viewer/src/data.ts), so that the page moves them from the coordinates by
 * T_WB = T_WP X J(q) and knows no kinds of joints; frames and shapes to draw; what ties frames
 * together. */

static void add_numbers(cardan__json *json, const char *key, const double *value, int n)
{
  cardan__json_open(json, key, '[');
  for (int i = 0; i < n; i++) {
    cardan__json_short(json, NULL, value[i]);
  }
  cardan__json_close(json, ']');
}

/* Place and quaternion. */
static void add_transform(cardan__json *json, const char *key, const cardan_xform *X)
{
  const cardan_quat q = cardan_quat_from_mat3(&X->R);
  const double values[7] = {X->p.x, X->p.y, X->p.z, q.w, q.x, q.y, q.z};
  add_numbers(json, key, values, 7);
}

/* First moment m c, then xx yy zz xy xz yz about the body's origin; nothing where all are 0. */
static void add_inertia(cardan__json *json, const cardan_inertia *I)
{
  const double value[9] = {I->h.x, I->h.y, I->h.z, I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
  bool any = I->m != 0;
  for (int i = 0; i < 9; i++) {
    any = any || value[i] != 0;
  }
  if (any) {
    add_numbers(json, "inertia", value, 9);
  }
}

static void add_bodies(cardan__json *json, const cardan_model *model)
{
  cardan__json_open(json, "bodies", '[');
  for (int i = 0; i < model->nbody; i++) {
    const cardan_body *body = &model->body[i];
    const cardan__link_type *type = cardan__link_type_of(body->kind);
    cardan__json_open(json, NULL, '{');
    cardan__json_int(json, "parent", body->parent);
    if (type->nturn > 0) {
      cardan__json_int(json, "turns", type->nturn);
    }
    if (type->nslide > 0) {
      cardan__json_int(json, "slides", type->nslide);
    }
    cardan__json_int(json, "q", body->qadr);
    cardan__json_int(json, "v", body->vadr);
    if (body->pitch != 0) {
      cardan__json_number(json, "pitch", body->pitch);
    }
    cardan__json_int(json, "joint", body->joint);
    cardan__json_short(json, "mass", body->inertia.m);
    add_inertia(json, &body->inertia);
    add_transform(json, "X", &body->X);
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

static void add_shapes(cardan__json *json, const cardan_model *model, const cardan_frame *frame,
                       const cardan__names *meshes)
{
  cardan__json_open(json, "shapes", '[');
  for (int s = frame->shape; s < frame->shape + frame->nshape; s++) {
    const cardan_shape *shape = &model->shape[s];
    const cardan__shape_type *type = cardan__shape_type_of(shape->kind);
    const bool hull = shape->kind == CARDAN_SHAPE_HULL;
    const bool field = shape->kind == CARDAN_SHAPE_HEIGHT_FIELD;
    if (shape->hidden || shape->kind == CARDAN_SHAPE_POINT) {
      continue;
    }
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "kind", hull || field ? "mesh" : type->word);
    if (hull) {
      add_numbers(json, "size", (const double[3]){1, 1, 1}, 3);
      cardan__json_int(json, "mesh", meshes->count + cardan__page_hull(model, s));
    } else if (field) {
      add_numbers(json, "size", shape->size, 3);
      cardan__json_int(json, "mesh", meshes->count + cardan__page_field(model, s));
    } else if (shape->kind == CARDAN_SHAPE_MESH) {
      add_numbers(json, "size", shape->size, 3);
      cardan__json_int(json, "mesh", cardan__names_get(meshes, shape->file));
    } else {
      add_numbers(json, "size", shape->size, type->nsize);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

static void add_frames(cardan__json *json, const cardan_model *model, const cardan__names *meshes)
{
  cardan__json_open(json, "frames", '[');
  for (int f = 0; f < model->nframe; f++) {
    const cardan_frame *frame = &model->frame[f];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", frame->name);
    cardan__json_int(json, "parent", frame->parent);
    cardan__json_int(json, "body", frame->body);
    add_transform(json, "X", &frame->X_BF);
    if (frame->has_mass) {
      cardan__json_short(json, "mass", frame->mass.m);
    }
    if (frame->color) {
      cardan__json_string(json, "color", frame->color);
    }
    if (frame->nshape > 0) {
      add_shapes(json, model, frame, meshes);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

static void add_joints(cardan__json *json, const cardan_model *model)
{
  cardan__json_open(json, "joints", '[');
  for (int j = 0; j < model->njoint; j++) {
    const cardan_joint *joint = &model->joint[j];
    cardan__json_open(json, NULL, '{');
    cardan__json_string(json, "name", joint->name);
    cardan__json_string(json, "kind", cardan__joint_type_of(joint->kind)->word);
    cardan__json_int(json, "first", joint->first);
    cardan__json_int(json, "last", joint->last);
    cardan__json_int(json, "frame", joint->frame);
    cardan__json_bool(json, "driven", joint->driven);
    if (joint->pos.line > 0) {
      cardan__json_int(json, "line", joint->pos.line);
    }
    cardan__json_close(json, '}');
  }
  cardan__json_close(json, ']');
}

/* What pictures draw of it besides shapes, over the ways that the runs went. */
static void add_symbols(cardan__json *json, const cardan_page *page)
{
  const size_t size = ((size_t)page->nrun + 1) * sizeof(cardan_film *);
  const cardan_film **film = cardan__resize(NULL, NULL, size);
  cardan_symbols *symbols = NULL;
  int n = 0;
  for (int r = 0; film != NULL && r < page->nrun; r++) {
    if (page->run[r].film != NULL) {
      film[n++] = page->run[r].film;
    }
  }
  if (film == NULL || cardan_symbols_create(page->model, film, n, NULL, &symbols) != CARDAN_OK) {
    json->text.failed = true;
  } else {
    cardan__page_symbols(json, symbols, n > 0 ? film[0] : NULL);
  }
  cardan_symbols_destroy(symbols);
  cardan__resize(NULL, film, 0);
}

static void add_contacts(cardan__json *json, const cardan_model *model)
{
  cardan__json_open(json, "contacts", '[');
  for (int c = 0; c < model->ncontact; c++) {
    cardan__json_string(json, NULL, model->contact[c].name);
  }
  cardan__json_close(json, ']');
}

void cardan__page_model(cardan__json *json, const cardan_page *page)
{
  const cardan_model *model = page->model;
  const double gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
  cardan__names meshes;
  json->text.failed = !cardan__page_mesh_numbers(model, &meshes) || json->text.failed;
  cardan__json_open(json, "model", '{');
  cardan__json_string(json, "name", model->name);
  add_numbers(json, "gravity", gravity, 3);
  cardan__json_number(json, "mass", model->mass);
  cardan__json_number(json, "length", model->size_length);
  cardan__json_int(json, "nq", model->nq);
  cardan__json_int(json, "nv", model->nv);
  cardan__json_int(json, "rows", model->nrow);
  cardan__json_int(json, "rank", model->rank);
  cardan__json_int(json, "mobility", model->mobility);
  cardan__json_bool(json, "works", cardan__model_works(model) || model->npair + model->nbound > 0);
  add_bodies(json, model);
  add_frames(json, model, &meshes);
  add_joints(json, model);
  add_symbols(json, page);
  add_contacts(json, model);
  cardan__page_meshes(json, model, page->files, &meshes);
  cardan__names_free(&meshes);
  cardan__json_open(json, "warnings", '[');
  for (int w = 0; w < model->nwarning; w++) {
    cardan__json_string(json, NULL, model->warning[w]);
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}
