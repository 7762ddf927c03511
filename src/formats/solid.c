// SPDX-License-Identifier: Apache-2.0
#include "formats/solid.h"

#include <math.h>

/* Of a solid with the mean squares x, y, z of its coordinates: V (y + z), and so on. */
static cardan_inertia about_middle(double V, double x, double y, double z)
{
  return (cardan_inertia){.m = V, .xx = V * (y + z), .yy = V * (x + z), .zz = V * (x + y)};
}

cardan_inertia cardan__solid_box(const double half[3])
{
  const double a = half[0], b = half[1], c = half[2];
  return about_middle(8 * a * b * c, a * a / 3, b * b / 3, c * c / 3);
}

cardan_inertia cardan__solid_ellipsoid(const double half[3])
{
  const double a = half[0], b = half[1], c = half[2];
  return about_middle(4.0 / 3 * acos(-1.0) * a * b * c, a * a / 5, b * b / 5, c * c / 5);
}

/* The half balls' centres of mass are 3 r / 8 beyond the faces. */
cardan_inertia cardan__solid_bar(double radius, double half, bool ends)
{
  const double pi = acos(-1.0), r = radius, h = half;
  const double rod = 2 * pi * r * r * h, balls = ends ? 4.0 / 3 * pi * r * r * r : 0;
  const double across =
      rod * (r * r / 4 + h * h / 3) + balls * (2 * r * r / 5 + h * h + 3 * r * h / 4);
  return (cardan_inertia){
      .m = rod + balls, .xx = across, .yy = across, .zz = rod * r * r / 2 + 2 * balls * r * r / 5};
}
