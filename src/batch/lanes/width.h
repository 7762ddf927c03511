/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/width.h - the kernels compiled for CARDAN__WIDTH copies, as a table of that name. */
#pragma once
#include "batch/lanes/lanes_vi.h"
#include "batch/lanes/rk4.h"

#define CARDAN__JOIN(a, b) a##b
#define CARDAN__OF_WIDTH(name, width) CARDAN__JOIN(name, width)

static size_t dynamics_size(const cardan__lanes_model *m)
{
  return passes_size(m);
}

CARDAN__WHOLE void inverse_of(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  inverse_dynamics(m, lanes);
}

CARDAN__WHOLE void forward_of(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  forward_dynamics(m, lanes);
}

CARDAN__WHOLE void loads_of(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  joint_loads(m, lanes);
}

CARDAN__WHOLE void semi_implicit_start(const cardan__lanes_model *m, cardan__lanes *lanes,
                                       const cardan_options *options)
{
  (void)options; // it keeps nothing
  start_state(m, lanes);
}

CARDAN__WHOLE void semi_implicit_step(const cardan__lanes_model *m, cardan__lanes *lanes, double h)
{
  store_node(m, lanes);
  joint_loads(m, lanes);
  forward_of(m, lanes);
  move_semi_implicit(m, lanes, h);
  check_limits(m, lanes, h);
}

static size_t rk4_work_size(const cardan__lanes_model *m)
{
  return rk4_size(m);
}

CARDAN__WHOLE void rk4_step(const cardan__lanes_model *m, cardan__lanes *lanes, double h)
{
  store_node(m, lanes);
  begin_rk4(m, lanes);
  for (int stage = 0; stage < 4; stage++) {
    const rk4_work w = rk4_in(m, lanes->work);
    *(mask *)(void *)lanes->left |= rate_all(m, lanes, &w);
    joint_loads(m, lanes);
    forward_of(m, lanes);
    move_rk4(m, lanes, stage, h);
  }
  check_limits(m, lanes, h);
}

const cardan__lanes_kernels CARDAN__OF_WIDTH(cardan__lanes_width_, CARDAN__WIDTH) = {
    .width = CARDAN__WIDTH,
    .fused = CARDAN__FUSED,
    .size = dynamics_size,
    .inverse = inverse_of,
    .loads = loads_of,
    .forward = forward_of,
    .semi_implicit = {dynamics_size, semi_implicit_start, semi_implicit_step, NULL, NULL},
    .rk4 = {rk4_work_size, semi_implicit_start, rk4_step, NULL, NULL},
    .vi = {vi_doubles, vi_start, vi_step, vi_node, vi_enter},
};
