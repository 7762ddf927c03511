// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "formats/mjcf.h"
#include "formats/text_rounding.h"
#include "spatial/twist.h"

/* Places and turns: pos, and quat, axisangle, euler, xyaxes or zaxis. */

double cardan__mjcf_angle(const cardan__mjcf *m, double angle)
{
  return m->radian ? angle : angle * (acos(-1.0) / 180);
}

cardan_mat3 cardan__mjcf_euler(const cardan__mjcf *m, const double angle[3])
{
  cardan_mat3 R = cardan__mat3_identity();
  for (int i = 0; i < 3; i++) {
    const char c = m->euler[i];
    const bool fixed = c >= 'X' && c <= 'Z'; // about axes that do not turn along
    const int k = fixed ? c - 'X' : c - 'x';
    const cardan_vec3 axis = {k == 0, k == 1, k == 2};
    const cardan_mat3 turn = cardan__mat3_axis_angle(axis, cardan__mjcf_angle(m, angle[i]));
    R = fixed ? cardan__mat3_mul(&turn, &R) : cardan__mat3_mul(&R, &turn);
  }
  return R;
}

static bool no_turn(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute)
{
  cardan__xml_fail(m->spec, item->xml, "%s of <%.40s> has no direction", attribute,
                   item->xml->name);
  return false;
}

static bool is_zero(cardan_vec3 a)
{
  return !(cardan__vec3_norm(a) > 1e-14);
}

static bool from_quat(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v,
                      cardan_mat3 *R)
{
  const double largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fmax(fabs(v[2]), fabs(v[3])));
  const double scale = largest > 1e100 ? 1 / largest : 1; // squares would overflow
  const cardan_quat q = {scale * v[0], scale * v[1], scale * v[2], scale * v[3]};
  if (!(cardan__quat_norm(q) > 1e-14)) {
    return no_turn(m, item, "quat");
  }
  *R = cardan__quat_to_mat3(cardan__quat_normalize(q));
  return true;
}

static bool from_axisangle(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v,
                           cardan_mat3 *R)
{
  const cardan_vec3 axis = {v[0], v[1], v[2]};
  if (is_zero(axis)) {
    return no_turn(m, item, "axisangle");
  }
  *R = cardan__mat3_axis_angle(cardan__vec3_normalize(axis), cardan__mjcf_angle(m, v[3]));
  return true;
}

static bool from_euler(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v,
                       cardan_mat3 *R)
{
  (void)item;
  *R = cardan__mjcf_euler(m, v);
  return true;
}

static bool from_xyaxes(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v,
                        cardan_mat3 *R)
{
  const cardan_vec3 a = {v[0], v[1], v[2]}, b = {v[3], v[4], v[5]};
  if (is_zero(a) || is_zero(cardan__vec3_cross(a, b))) {
    return no_turn(m, item, "xyaxes");
  }
  const cardan_vec3 x = cardan__vec3_normalize(a);
  const cardan_vec3 y = cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(x, b), x, b));
  *R = cardan__mat3_from_columns(x, y, cardan__vec3_cross(x, y));
  return true;
}

static bool from_zaxis(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v,
                       cardan_mat3 *R)
{
  const cardan_vec3 z = {v[0], v[1], v[2]};
  if (is_zero(z)) {
    return no_turn(m, item, "zaxis");
  }
  *R = cardan__mat3_z_to(z);
  return true;
}

static const struct {
  const char *attribute;
  int n;
  bool (*turn)(cardan__mjcf *m, const cardan__mjcf_item *item, const double *v, cardan_mat3 *R);
} turns[] = {{"quat", 4, from_quat},
             {"axisangle", 4, from_axisangle},
             {"euler", 3, from_euler},
             {"xyaxes", 6, from_xyaxes},
             {"zaxis", 3, from_zaxis}};
enum { TURNS = sizeof turns / sizeof turns[0] };

/* The attribute that gives the orientation: the element's own before its defaults'; -1: none. */
static int find_orientation(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  int own = -1, any = -1, count = 0;
  for (int i = 0; i < TURNS; i++) {
    const bool here = cardan__xml_get(item->xml, turns[i].attribute) != NULL;
    count += here;
    own = here ? i : own;
    any = cardan__mjcf_get(m, item, turns[i].attribute) != NULL ? i : any;
  }
  if (count > 1) {
    cardan__xml_fail(m->spec, item->xml,
                     "<%.40s> is turned in two ways; expected one of quat, axisangle, euler, "
                     "xyaxes, zaxis",
                     item->xml->name);
  }
  return own >= 0 ? own : any;
}

bool cardan__mjcf_pose(cardan__mjcf *m, const cardan__mjcf_item *item, cardan_xform *pose)
{
  double p[3] = {0}, v[6] = {0};
  *pose = (cardan_xform){.R = cardan__mat3_identity()};
  if (!cardan__mjcf_values(m, item, "pos", p, 3)) {
    return false;
  }
  pose->p = (cardan_vec3){p[0], p[1], p[2]};
  const int way = find_orientation(m, item);
  if (m->spec->status != CARDAN_OK) {
    return false;
  }
  return way < 0 || (cardan__mjcf_values(m, item, turns[way].attribute, v, turns[way].n) &&
                     turns[way].turn(m, item, v, &pose->R));
}

void cardan__mjcf_digits(cardan__mjcf *m, const cardan__mjcf_item *item)
{
  static const struct {
    const char *attribute;
    bool angle;
  } places[] = {{"pos", false},   {"axis", false},    {"anchor", false},
                {"quat", false},  {"relpose", false}, {"xyaxes", false},
                {"zaxis", false}, {"euler", true},    {"axisangle", true}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *text = cardan__mjcf_get(m, item, places[i].attribute);
    if (text != NULL) {
      cardan__digits_of(m->spec, text, places[i].angle ? cardan__mjcf_angle(m, 1) : 1);
    }
  }
}

int cardan__mjcf_place(cardan__mjcf *m, int frame, const cardan_xform *pose)
{
  bool turned = false;
  for (int i = 0; i < 9; i++) {
    turned = turned || pose->R.m[i / 3][i % 3] != (i % 4 == 0);
  }
  if (turned) {
    return cardan_spec_place(m->spec, frame, pose);
  }
  if (pose->p.x == 0 && pose->p.y == 0 && pose->p.z == 0) {
    return frame;
  }
  return cardan__spec_place(m->spec, frame, pose->p, &(cardan__rotation){.form = CARDAN__ROT_NONE});
}
