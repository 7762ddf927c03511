// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "formats/mjcf.h"
#include "linalg/linalg.h"
#include "spatial/twist.h"

/* Inertia of bodies: what <inertial> says, or the sum of their geoms; then the bounds of
 * <compiler>, and the total mass. */

static bool negative(cardan__mjcf *m, const cardan__xml *xml, const char *what, double value)
{
  cardan__xml_fail(m->spec, xml, "found a %s of %g; expected none below 0", what, value);
  return false;
}

static bool read_given(cardan__mjcf *m, cardan__mjcf_body *b)
{
  const cardan__mjcf_item item = {.xml = b->given, .kind = "inertial", .class = 0};
  double d[3] = {0}, full[6] = {0};
  cardan_xform pose;
  if (cardan__xml_need(m->spec, b->given, "mass") == NULL ||
      !cardan__xml_values(m->spec, b->given, "mass", &b->mass, 1) ||
      !cardan__xml_values(m->spec, b->given, "diaginertia", d, 3) ||
      !cardan__xml_values(m->spec, b->given, "fullinertia", full, 6) ||
      !cardan__mjcf_pose(m, &item, &pose)) {
    return false;
  }
  b->center = cardan__xform_mul(&b->at, &pose);
  if (cardan__xml_get(b->given, "fullinertia") == NULL) {
    b->moment = (cardan__sym3){.xx = d[0], .yy = d[1], .zz = d[2]};
  } else if (cardan__xml_get(b->given, "diaginertia") != NULL) {
    cardan__xml_fail(m->spec, b->given, "found diaginertia and fullinertia; expected one of them");
    return false;
  } else {
    b->moment = (cardan__sym3){full[0], full[1], full[2], full[3], full[4], full[5]};
  }
  return b->mass >= 0 || negative(m, b->given, "mass", b->mass);
}

/* Is it a mesh that touches nothing, without a mass of its own, whose file is not there? */
static bool is_missing_look(cardan__mjcf *m, const cardan__mjcf_geom *g)
{
  double mask[2] = {1, 1};
  return g->kind == CARDAN__MJCF_MESH && cardan__mjcf_get(m, &g->item, "mass") == NULL &&
         cardan__mjcf_values(m, &g->item, "contype", &mask[0], 1) &&
         cardan__mjcf_values(m, &g->item, "conaffinity", &mask[1], 1) && mask[0] == 0 &&
         mask[1] == 0 && cardan__mjcf_mesh_missing(m, &g->item);
}

/* The sum of the geoms in the groups that count; one alone keeps its own axes. Looks whose file is
 * missing are left out with a note, except where a moving body would have nothing else. */
static bool from_geoms(cardan__mjcf *m, cardan__mjcf_body *b)
{
  cardan_inertia sum = {.m = 0}, G;
  const cardan__mjcf_geom *only = NULL, *left_out = NULL;
  int n = 0;
  for (int i = b->geom; i < b->geom + b->ngeom; i++) {
    const cardan__mjcf_geom *g = &m->geom[i];
    if (g->group < m->group_range[0] || g->group > m->group_range[1]) {
      continue;
    }
    if (is_missing_look(m, g)) {
      left_out = left_out == NULL ? g : left_out;
      continue;
    }
    if (!cardan__mjcf_geom_inertia(m, g, &G)) {
      return false;
    }
    if (G.m > 0) {
      const cardan_inertia in_body = cardan__inertia_to_parent(&g->pose, &G);
      sum = cardan__inertia_add(&sum, &in_body);
      only = n++ == 0 ? g : NULL;
    }
  }
  if (left_out != NULL && n == 0 && b->njoint > 0) {
    return cardan__mjcf_geom_inertia(m, left_out, &G); // which says what is missing
  }
  if (left_out != NULL) {
    cardan__xml_note(m->spec, left_out->item.xml,
                     "the file of a mesh that is only drawn is not there, and its mass is not in "
                     "body \"%s\"",
                     cardan__show(b->name != NULL ? b->name : "").text);
  }
  if (n == 0) {
    return true;
  }
  b->mass = sum.m;
  b->center = (cardan_xform){.R = cardan__mat3_identity()};
  if (only != NULL && cardan__mjcf_geom_inertia(m, only, &G)) {
    b->center = only->pose;
    sum = G;
  }
  const cardan_vec3 c = cardan__vec3_scale(1 / sum.m, sum.h);
  b->moment = cardan__inertia_about_com(&sum);
  b->center.p = cardan__xform_point(&b->center, c);
  return true;
}

/* ---- bounds ---- */

/* No principal moment below a bound: S = V^T diag V, from the rows of V S V^T. */
static void raise_moments(cardan__sym3 *S, double bound)
{
  double A[9] = {S->xx, S->xy, S->xz, S->xy, S->yy, S->yz, S->xz, S->yz, S->zz}, V[9], size[3];
  double least[3];
  cardan__sym3_eigenvalues(S, least);
  if (least[0] >= bound) {
    return;
  }
  cardan__orthogonal_rows(3, 3, A, V, size);
  cardan__sym3 raised = {0};
  for (int i = 0; i < 3; i++) {
    const cardan_vec3 v = {V[3 * i], V[3 * i + 1], V[3 * i + 2]};
    raised = cardan__sym3_sub_rank1(&raised, -fmax(size[i], bound), v);
  }
  *S = raised;
}

static bool apply_bounds(cardan__mjcf *m, cardan__mjcf_body *b)
{
  double I[3];
  if (m->bound_mass > 0 && b->mass < m->bound_mass) {
    b->mass = m->bound_mass;
  }
  if (m->bound_inertia > 0) {
    raise_moments(&b->moment, m->bound_inertia);
  }
  cardan__sym3_eigenvalues(&b->moment, I);
  if (m->balance && I[2] > I[0] + I[1]) {
    const double mean = (I[0] + I[1] + I[2]) / 3;
    b->moment = (cardan__sym3){.xx = mean, .yy = mean, .zz = mean};
  }
  return true;
}

/* Is a body part of the world: no joint up to it? */
static bool is_static(const cardan__mjcf *m, int body)
{
  while (body > 0 && m->body[body].njoint == 0) {
    body = m->body[body].parent;
  }
  return body == 0;
}

static void scale_total(cardan__mjcf *m)
{
  double total = 0;
  for (int i = 1; i < m->n.body; i++) {
    total += m->fuse && is_static(m, i) ? 0 : m->body[i].mass;
  }
  const double k = total > 0 && m->total_mass > 0 ? m->total_mass / total : 1;
  for (int i = 1; i < m->n.body && k != 1; i++) {
    cardan__sym3 *S = &m->body[i].moment;
    m->body[i].mass *= k;
    *S = (cardan__sym3){k * S->xx, k * S->yy, k * S->zz, k * S->xy, k * S->xz, k * S->yz};
  }
}

bool cardan__mjcf_inertias(cardan__mjcf *m)
{
  for (int i = 1; i < m->n.body; i++) {
    cardan__mjcf_body *b = &m->body[i];
    // what is part of the world needs no mass, and no mesh for it, unless all are to make a sum
    const bool needed = !is_static(m, i) || (m->total_mass > 0 && !m->fuse);
    const bool geoms =
        needed && (m->inertia_from == 1 || (m->inertia_from == 0 && b->given == NULL));
    b->center = (cardan_xform){.R = cardan__mat3_identity()};
    if ((b->given != NULL && !read_given(m, b)) || (geoms && !from_geoms(m, b)) ||
        !apply_bounds(m, b)) {
      return false;
    }
    if (!geoms) {
      for (int k = b->geom; k < b->geom + b->ngeom; k++) { // requested, and not used
        (void)cardan__mjcf_get(m, &m->geom[k].item, "mass");
        (void)cardan__mjcf_get(m, &m->geom[k].item, "density");
        (void)cardan__mjcf_get(m, &m->geom[k].item, "shellinertia");
      }
    }
  }
  scale_total(m);
  return true;
}
