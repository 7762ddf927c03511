/* SPDX-License-Identifier: Apache-2.0
 * reproduce/johnson_ode.h - plane mechanisms in the Open Dynamics Engine, as Johnson and Murphey
 * compare with them: free bodies that hinges and sliders hold together.
 *
 * johnson_ode.c where that library was found, else johnson_ode_none.c, which opens nothing. The
 * plane is x-z, gravity 9.81 m/s^2 along -z, hinges about y; everything starts at rest. */
#pragma once
#include "cardan/base.h"

typedef struct {
  double mass, inertia; // inertia about all three axes [kg, kg m^2]
  double x, z;          // of its centre [m]
} cardan__ode_body;

/* A hinge about y at (x, z) between two bodies, of which one may be the world. */
enum { CARDAN__ODE_WORLD = -1 };
typedef struct {
  int body, other;
  double x, z;
} cardan__ode_pin;

/* How it solves for the forces of the joints, with its settings as they come: by elimination
 * (dWorldStep), with joints as soft as in double precision (force mixing 1e-10) or as in single
 * precision (1e-5), or by 20 sweeps of relaxation (dWorldQuickStep). */
typedef enum { CARDAN__ODE_DOUBLE, CARDAN__ODE_SINGLE, CARDAN__ODE_QUICK } cardan__ode_way;

typedef struct {
  int nbody, npin;
  const cardan__ode_body *body;
  const cardan__ode_pin *pin;
  int slider; // a body that moves along x only; CARDAN__ODE_WORLD: none
} cardan__ode_plan;

typedef struct cardan__ode cardan__ode;

bool cardan__ode_here(void); // was the library found when this was built, and can it be loaded?

/* returns NULL without the library, or without memory */
cardan__ode *cardan__ode_open(const cardan__ode_plan *plan, cardan__ode_way way,
                              const cardan_allocator *allocator);
void cardan__ode_close(cardan__ode *ode); // NULL is fine

void cardan__ode_step(cardan__ode *ode, double dt);

double cardan__ode_energy(const cardan__ode *ode); // [J]

/* Turn of a body about y since the start [rad], within +-pi. */
double cardan__ode_turn(const cardan__ode *ode, int body);
