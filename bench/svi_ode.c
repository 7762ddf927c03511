// SPDX-License-Identifier: Apache-2.0
// The same pendulum in the Open Dynamics Engine: a small body on a hinge.
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>

#include "svi.h"

void bench_ode(void)
{
  const double g = 9.81, inertia = 1e-3, angle = 3.14159265358979323846 / 4;
  dInitODE2(0);
  const dWorldID world = dWorldCreate();
  const dBodyID body = dBodyCreate(world);
  const dJointID hinge = dJointCreateHinge(world, 0);
  dMass mass;
  dWorldSetGravity(world, 0, 0, -g);
  dMassSetParameters(&mass, 1, 0, 0, 0, inertia, inertia, inertia, 0, 0, 0);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, sin(angle), 0, -cos(angle));
  dJointAttach(hinge, body, 0);
  dJointSetHingeAnchor(hinge, 0, 0, 0);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  double start = 0, at[4] = {0};
  for (int k = 0; k <= 500000; k++) {
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body),
                *p = dBodyGetPosition(body);
    const double energy = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                          0.5 * inertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) + g * p[2];
    start = k == 0 ? energy : start;
    at[0] = k == 1000 ? energy - start : at[0];
    at[1] = k == 10000 ? energy - start : at[1];
    at[2] = k == 100000 ? energy - start : at[2];
    at[3] = energy - start;
    dWorldStep(world, 0.01);
  }
  printf("  ODE's                  %.2e J after 10 s, %.2e after 100 s, %.2e after 1000 s, %.2e "
         "after 5000 s\n",
         at[0], at[1], at[2], at[3]);
  dWorldDestroy(world);
  dCloseODE();
}
