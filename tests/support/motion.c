// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <string.h>

const double motion_step = 1e-5;

double motion_tol(double size)
{
  return 1e-8 * (1 + size * size * size);
}

motion motion_make(int seed)
{
  support_rng rng = {.state = 500 + (uint64_t)seed};
  cardan_spec *spec = tree_spec(1 + seed % 14, &rng);
  cardan_spec_gravity(spec, (cardan_vec3){1, -2, -9});
  motion m = {.f = fixture_build(spec)};
  tree_random_state(&m.f, &rng);
  assert_true(m.f.model->nq <= MOTION_MOST);
  support_random_vec(&rng, m.f.data->a, m.f.model->nv, 1.0);
  for (int k = 0; k < m.f.model->nv; k++) { // rotors on every third hinge and slide
    const bool can = m.f.model->body[m.f.model->v_body[k]].nv == 1 && k % 3 == 0;
    m.f.model->armature[k] = can ? 0.5 : 0;
    m.f.model->has_armature = m.f.model->has_armature || can;
  }
  memcpy(m.q, m.f.data->q, (size_t)m.f.model->nq * sizeof *m.q);
  memcpy(m.v, m.f.data->v, (size_t)m.f.model->nv * sizeof *m.v);
  return m;
}

void motion_go(motion *m, double s)
{
  const cardan_model *model = m->f.model;
  cardan_data *data = m->f.data;
  double dq[MOTION_MOST];
  for (int k = 0; k < model->nv; k++) {
    dq[k] = s * m->v[k] + 0.5 * s * s * data->a[k];
    data->v[k] = m->v[k] + s * data->a[k];
  }
  cardan_q_move(model, m->q, dq, 1, data->q);
  cardan_joints(model, data);
  cardan_poses(model, data);
  cardan_velocities(model, data);
}

void motion_six(cardan_twist x, double out[6])
{
  const double list[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
  memcpy(out, list, sizeof list);
}
