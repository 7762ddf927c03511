// SPDX-License-Identifier: Apache-2.0
#include "formats/mjcf_write.h"
#include "model/build_contact.h"

/* Contacts of a spec as <pair>s of geoms, which touch nothing else: what MuJoCo would make of masks
 * and parents does not come in. */

static cardan_status refuse(cardan_report *report, cardan_pos pos, const char *what)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, pos, "an MJCF file cannot hold %s", what);
}

/* How the two solids of a pair meet. */
static cardan_pair combine_surfaces(const cardan_spec *spec, const cardan__contacts_found *found,
                                    const cardan__pair_found *from)
{
  cardan_surface surface[2];
  cardan_pair pair = {.contact = from->contact};
  for (int k = 0; k < 2; k++) {
    const char *name = spec->shape[found->solid[from->solid[k]].shape].material;
    const int i = name != NULL ? cardan__names_get(&spec->material_names, name) : -1;
    surface[k] = cardan__surface_whole(i >= 0 ? &spec->material[i].surface : NULL);
  }
  cardan__surface_meet(&surface[0], &surface[1], &spec->contact[from->contact].surface, &pair);
  return pair;
}

cardan_status cardan__mjcf_check_contacts(const cardan_spec *spec,
                                          const cardan__contacts_found *found,
                                          cardan_report *report)
{
  for (int i = 0; i < found->npair; i++) {
    const cardan__pair_found *from = &found->pair[i];
    const cardan_pair p = combine_surfaces(spec, found, from);
    const cardan_pos pos = spec->contact[from->contact].pos;
    if (p.restitution > 0) {
      return refuse(report, pos, "the restitution of a contact");
    }
    if (p.statical > p.friction) {
      return refuse(report, pos, "static friction above that of sliding");
    }
    for (int k = 0; k < 2; k++) {
      const cardan__spec_shape *shape = &spec->shape[found->solid[from->solid[k]].shape];
      if (shape->shape.kind == CARDAN_SHAPE_POINT) {
        return refuse(report, shape->pos, "a point that touches");
      }
    }
  }
  return CARDAN_OK;
}

/* A height field from 0 for its lowest place to 1 for its highest, the highest y first. */
static void put_field(const cardan_spec *spec, int index, cardan__text *out)
{
  const cardan__spec_shape *s = &spec->shape[index];
  const cardan_height_field *f = s->field;
  const double range = f->high - f->low, *sides = s->shape.size;
  const double size[4] = {0.5 * sides[0], 0.5 * sides[1], range > 0 ? sides[2] * range : 1,
                          f->base};
  const double count[2] = {f->rows, f->columns};
  cardan__text_printf(out, "<hfield");
  cardan__xml_put_made(out, "name", spec, "hfield", index + 1);
  cardan__xml_put_numbers(out, "nrow", &count[0], 1);
  cardan__xml_put_numbers(out, "ncol", &count[1], 1);
  cardan__xml_put_numbers(out, "size", size, 4);
  cardan__text_printf(out, " elevation=\"");
  for (int row = f->rows - 1; row >= 0; row--) {
    for (int i = 0; i < f->columns; i++) {
      const double h = f->height[row * f->columns + i];
      cardan__text_printf(out, i > 0 || row < f->rows - 1 ? " " : "");
      cardan__text_number(out, range > 0 ? (h - f->low) / range : 0);
    }
  }
  cardan__text_printf(out, "\"/>\n");
}

void cardan__mjcf_put_hulls(const cardan_spec *spec, cardan__text *out)
{
  cardan__text_printf(out, "<asset>\n");
  for (int i = 0; i < spec->nshape; i++) {
    const cardan__spec_shape *s = &spec->shape[i];
    if (s->shape.kind != CARDAN_SHAPE_HULL) {
      continue;
    }
    cardan__text_printf(out, "<mesh");
    cardan__xml_put_made(out, "name", spec, "hull", i + 1);
    cardan__text_printf(out, " vertex=\"");
    for (int k = 0; k < s->npoint; k++) {
      const double x[3] = {s->point[k].x, s->point[k].y, s->point[k].z};
      for (int c = 0; c < 3; c++) {
        cardan__text_printf(out, k + c > 0 ? " " : "");
        cardan__text_number(out, x[c]);
      }
    }
    cardan__text_printf(out, "\"/>\n");
  }
  for (int i = 0; i < spec->nshape; i++) {
    if (spec->shape[i].field != NULL) {
      put_field(spec, i, out);
    }
  }
  cardan__text_printf(out, "</asset>\n");
}

void cardan__mjcf_put_pairs(const cardan_spec *spec, const cardan__contacts_found *found,
                            cardan__text *out)
{
  static const char *const words[2] = {"geom1", "geom2"};
  cardan__text_printf(out, "<contact>\n");
  for (int i = 0; i < found->npair; i++) {
    const cardan__pair_found *from = &found->pair[i];
    const cardan_pair p = combine_surfaces(spec, found, from);
    const double friction[5] = {p.friction, p.friction, p.spinning, p.rolling, p.rolling};
    const double dim = p.rolling > 0 ? 6 : p.spinning > 0 ? 4 : p.friction > 0 ? 3 : 1;
    cardan__text_printf(out, "<pair");
    for (int k = 0; k < 2; k++) {
      cardan__xml_put_made(out, words[k], spec, "solid", found->solid[from->solid[k]].shape + 1);
    }
    cardan__xml_put_numbers(out, "condim", &dim, 1);
    cardan__xml_put_numbers(out, "friction", friction, 5);
    cardan__text_printf(out, "/>\n");
  }
  cardan__text_printf(out, "</contact>\n");
}
