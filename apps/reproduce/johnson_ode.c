// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine behind the calls of johnson_ode.h. It has its own memory and, for its
// start and its messages, state of the process: this is the only file that touches it.
#include "reproduce/johnson_ode.h"

#include <math.h>
#include <ode/ode.h>

#include "base/arena.h"
#include "cardan/lazy_library.h"

struct cardan__ode {
  const cardan_allocator *allocator;
  cardan__ode_way way;
  dMessageFunction *said; // the handler of its messages before
  dWorldID world;
  int nbody;
  dBodyID body[]; // nbody
};

static const double gravity = 9.81;

/* ODE's calls that are used here, loaded at the first use. */
// clang-format off
#define ODE_CALLS(X) \
  X(BodyCreate) X(BodyGetAngularVel) X(BodyGetLinearVel) X(BodyGetMass) X(BodyGetPosition)         \
  X(BodyGetRotation) X(BodySetMass) X(BodySetPosition) X(CloseODE) X(GetMessageHandler)            \
  X(InitODE2) X(JointAttach) X(JointCreateHinge) X(JointCreateSlider) X(JointSetHingeAnchor)       \
  X(JointSetHingeAxis) X(JointSetSliderAxis) X(MassSetParameters) X(SetMessageHandler)             \
  X(WorldCreate) X(WorldDestroy) X(WorldQuickStep) X(WorldSetCFM) X(WorldSetGravity)               \
  X(WorldStep)
// clang-format on
static struct {
#define FIELD(name) __typeof__(d##name) *(name);
  ODE_CALLS(FIELD)
#undef FIELD
} calls;

bool cardan__ode_here(void)
{
#define ENTRY(name) {"d" #name, &calls.name},
  static const cardan_lazy_library_symbol symbol[] = {ODE_CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_ODE_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  NULL) == CARDAN_OK;
}

/* Singular positions make its solver write lines; a library does not print. */
static void silent(int number, const char *format, va_list args)
{
  (void)number, (void)format, (void)args;
}

static void add_pins(cardan__ode *ode, const cardan__ode_plan *plan)
{
  for (int i = 0; i < plan->npin; i++) {
    const cardan__ode_pin *pin = &plan->pin[i];
    dJointID hinge = calls.JointCreateHinge(ode->world, 0);
    calls.JointAttach(hinge, ode->body[pin->body],
                      pin->other == CARDAN__ODE_WORLD ? 0 : ode->body[pin->other]);
    calls.JointSetHingeAnchor(hinge, pin->x, 0, pin->z);
    calls.JointSetHingeAxis(hinge, 0, 1, 0);
  }
  if (plan->slider != CARDAN__ODE_WORLD) {
    dJointID guide = calls.JointCreateSlider(ode->world, 0);
    calls.JointAttach(guide, ode->body[plan->slider], 0);
    calls.JointSetSliderAxis(guide, 1, 0, 0);
  }
}

cardan__ode *cardan__ode_open(const cardan__ode_plan *plan, cardan__ode_way way,
                              const cardan_allocator *allocator)
{
  cardan__ode *ode =
      cardan__resize(allocator, NULL, sizeof *ode + (size_t)plan->nbody * sizeof(dBodyID));
  if (ode == NULL || !cardan__ode_here() || !calls.InitODE2(0)) {
    cardan__resize(allocator, ode, 0);
    return NULL;
  }
  ode->said = calls.GetMessageHandler();
  calls.SetMessageHandler(silent);
  ode->allocator = allocator;
  ode->way = way;
  ode->nbody = plan->nbody;
  ode->world = calls.WorldCreate();
  calls.WorldSetGravity(ode->world, 0, 0, -gravity);
  calls.WorldSetCFM(ode->world, way == CARDAN__ODE_SINGLE ? 1e-5 : 1e-10);
  for (int i = 0; i < plan->nbody; i++) {
    const cardan__ode_body *b = &plan->body[i];
    dMass mass;
    calls.MassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia, b->inertia, b->inertia, 0, 0, 0);
    ode->body[i] = calls.BodyCreate(ode->world);
    calls.BodySetMass(ode->body[i], &mass);
    calls.BodySetPosition(ode->body[i], b->x, 0, b->z);
  }
  add_pins(ode, plan);
  return ode;
}

void cardan__ode_close(cardan__ode *ode)
{
  if (ode != NULL) {
    calls.WorldDestroy(ode->world);
    calls.SetMessageHandler(ode->said);
    calls.CloseODE();
    cardan__resize(ode->allocator, ode, 0);
  }
}

void cardan__ode_step(cardan__ode *ode, double dt)
{
  if (ode->way == CARDAN__ODE_QUICK) {
    calls.WorldQuickStep(ode->world, dt);
  } else {
    calls.WorldStep(ode->world, dt);
  }
}

double cardan__ode_energy(const cardan__ode *ode)
{
  double sum = 0;
  for (int i = 0; i < ode->nbody; i++) {
    const dReal *v = calls.BodyGetLinearVel(ode->body[i]),
                *w = calls.BodyGetAngularVel(ode->body[i]);
    dMass m;
    calls.BodyGetMass(ode->body[i], &m);
    sum += 0.5 * m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * m.I[0] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) +
           m.mass * gravity * calls.BodyGetPosition(ode->body[i])[2];
  }
  return sum;
}

double cardan__ode_turn(const cardan__ode *ode, int body)
{
  const dReal *R =
      calls.BodyGetRotation(ode->body[body]); // rows of 4; about y: c 0 s, 0 1 0, -s 0 c
  return atan2(R[2], R[0]);
}
