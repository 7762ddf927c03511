// SPDX-License-Identifier: Apache-2.0
// The mechanisms of section VI as free bodies with hinges, for the Open Dynamics Engine. The paper
// says of its own models there no more than that the closed chain has seven bodies. A point mass
// has no inertia and a body of that engine needs some: INERTIA is used instead.
#include <math.h>
#include <stdio.h>

#include "base/assert.h"
#include "cardan/kinematics.h"
#include "reproduce/johnson.h"

static const double INERTIA = 1e-3; // [kg m^2]; with a tenth of it ODE loses as much, to 2 percent

static cardan_status open_world(const cardan__ode_plan *plan, cardan__ode_way way,
                                cardan__ode **out, cardan_report *report)
{
  *out = cardan__ode_open(plan, way, NULL);
  return *out ? CARDAN_OK
              : cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "not enough memory");
}

cardan_status cardan__world_pendulum(cardan__ode_way way, cardan__ode **out, cardan_report *report)
{
  const double angle = CARDAN__PI / 4;
  const cardan__ode_body body[] = {{1, INERTIA, sin(angle), -cos(angle)}};
  const cardan__ode_pin pin[] = {{0, CARDAN__ODE_WORLD, 0, 0}};
  return open_world(&(cardan__ode_plan){1, 1, body, pin, CARDAN__ODE_WORLD}, way, out, report);
}

/* The bodies and hinges of Listing 1 by the names of their frames; the built-in model, assembled,
 * says where they are. */
cardan_status cardan__world_closed_chain(cardan__ode_way way, cardan__ode **out,
                                         cardan_report *report)
{
  enum { I, G, L, N, B, D, F, BODIES, PINS = 9 };
  static const char *const name[BODIES] = {"I", "G", "L", "N", "B", "D", "F"};
  static const struct {
    const char *name;
    int body, other;
  } hinge[PINS] = {{"J", I, CARDAN__ODE_WORLD},
                   {"H", I, G},
                   {"K", L, CARDAN__ODE_WORLD},
                   {"M", L, N},
                   {"A", B, CARDAN__ODE_WORLD},
                   {"C", B, D},
                   {"E", D, F},
                   {"G", G, F},
                   {"O", N, G}};
  cardan__ode_body body[BODIES];
  cardan__ode_pin pin[PINS];
  cardan__motion m;
  *out = NULL;
  const cardan_status status = cardan__motion_open("closed-chain", "method=svi", 0.01, &m, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_data *data = cardan_sim_data(m.sim);
  for (int i = 0; i < BODIES; i++) {
    const cardan_vec3 p = cardan_frame_pose(m.model, data, cardan_model_frame(m.model, name[i])).p;
    body[i] = (cardan__ode_body){1, INERTIA, p.x, p.z};
  }
  for (int i = 0; i < PINS; i++) {
    const int frame = cardan_model_frame(m.model, hinge[i].name);
    const cardan_vec3 p = cardan_frame_pose(m.model, data, frame).p;
    pin[i] = (cardan__ode_pin){hinge[i].body, hinge[i].other, p.x, p.z};
  }
  cardan__motion_close(&m);
  return open_world(&(cardan__ode_plan){BODIES, PINS, body, pin, CARDAN__ODE_WORLD}, way, out,
                    report);
}

/* Row n has bars 2n and 2n + 1, pinned in the middle; each hangs at the end of the bar before it on
 * the same side, the first ones at the origin and at the slider. */
cardan_status cardan__world_lift(int rows, cardan__ode_way way, cardan__ode **out,
                                 cardan_report *report)
{
  cardan__ode_body body[2 * CARDAN__LIFT_ROWS + 1];
  cardan__ode_pin pin[3 * CARDAN__LIFT_ROWS];
  const double c = cos(CARDAN__PI / 4), s = sin(CARDAN__PI / 4);
  const int slider = 2 * rows;
  int npin = 0;
  CARDAN_ASSERT(rows <= CARDAN__LIFT_ROWS);
  for (int n = 0; n < rows; n++) {
    const int a = 2 * n, b = 2 * n + 1;
    const double x = n % 2 == 0 ? 0 : c; // upper end of bar a; that of bar b is at c - x
    body[a] = body[b] = (cardan__ode_body){1, 1.0 / 12, c / 2, -(n + 0.5) * s};
    pin[npin++] = (cardan__ode_pin){a, b, c / 2, -(n + 0.5) * s};
    pin[npin++] = (cardan__ode_pin){a, n == 0 ? CARDAN__ODE_WORLD : a - 2, x, -n * s};
    pin[npin++] = (cardan__ode_pin){b, n == 0 ? slider : b - 2, c - x, -n * s};
  }
  body[slider] = (cardan__ode_body){1, 1.0 / 12, c, 0};
  return open_world(&(cardan__ode_plan){2 * rows + 1, npin, body, pin, slider}, way, out, report);
}
