// SPDX-License-Identifier: Apache-2.0
#include "forces/forces.h"

/* Linear dampers.
 *
 *   damping   tau_k = -c v_k                        one velocity, those of a joint, or all    (E1)
 *   damper    f_A = c l' d/l = -f_B                 d = p_B - p_A, l = |d|, l' = d.d'/l       (E2)
 *
 * (E1) on a spherical joint is -c times the angular velocity; on a free joint, -c times the twist
 * about the body frame's origin. (E2) has no direction at l = 0 and is taken as zero there. */

void cardan__damping_apply(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, cardan__loads *to)
{
  int first = 0, n = model->nv;
  if (e->dof >= 0) {
    first = e->dof;
    n = 1;
  } else if (e->joint >= 0) {
    first = model->joint[e->joint].vadr;
    n = model->joint[e->joint].nv;
  }
  for (int k = first; k < first + n; k++) {
    cardan__load_dof(to, k, -e->value[0] * view->v[k]); // (E1)
  }
}

void cardan__damper_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  cardan_vec3 pA, pB, vA, vB;
  cardan__frame_point(&model->frame[e->frame[0]], view, &pA, &vA, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &pB, &vB, NULL);
  const cardan_vec3 d = cardan__vec3_sub(pB, pA);
  const double l2 = cardan__vec3_dot(d, d);
  if (l2 > 0.0) {
    const double rate_l = cardan__vec3_dot(d, cardan__vec3_sub(vB, vA));    // l l'
    const cardan_vec3 f = cardan__vec3_scale(e->value[0] * rate_l / l2, d); // (E2)
    cardan__load_point(model, view, to, e->frame[0], f);
    cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(f));
  }
}
