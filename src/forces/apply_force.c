// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/forces.h"
#include "kinematics/frames.h"
#include "spatial/spatial.h"

/* A wrench w about a point p, both in the coordinates of the axes: about their origin it is
 * (t + p x f; f), Ad_E^T of that is it in the frame, Ad_{X_BF}^-T in the body. */
void cardan_apply_force(const cardan_model *model, cardan_data *data, int frame, cardan_vec3 point,
                        cardan_force w, cardan_axes axes)
{
  const cardan_frame *f = &model->frame[frame];
  const cardan_xform E = cardan__axes_from(model, data, frame, axes);
  w.t = cardan__vec3_add(w.t, cardan__vec3_cross(point, w.f));
  const cardan_force in_body = cardan__force_to_parent(&f->X_BF, cardan__force_to_child(&E, w));
  data->f_in[f->body] = cardan__force_add(data->f_in[f->body], in_body);
}

void cardan_clear_forces(const cardan_model *model, cardan_data *data)
{
  memset(data->f_in, 0, (size_t)model->nbody * sizeof *data->f_in);
}
