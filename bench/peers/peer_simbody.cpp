// SPDX-License-Identifier: Apache-2.0
// Simbody: mobilised bodies in a tree, pins of a loop as ball constraints, which its integrators
// project onto.
#include <Simbody.h>

#include <memory>
#include <string>

#include "peer.h"

using namespace SimTK;

const char *const peer_name = "Simbody 3.7, double";
const peer_way peer_ways[] = {
    {"forward", "forward", "realize(Acceleration)", "from new q and u; double"},
    {"inverse", "inverse", "calcResidualForce", "positions and velocities recomputed; double"},
    {"euler", "step", "semi-explicit Euler", "order 1; fixed step; loops projected; double"},
    {"rkm", "solve", "Runge-Kutta-Merson", "adaptive; tolerance; double"},
    {"rk3", "solve", "Runge-Kutta 3", "adaptive; tolerance; double"},
    {"cpodes", "solve", "CPodes", "adaptive; tolerance; double"},
    {nullptr, nullptr, nullptr, nullptr}};

namespace
{

struct World {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::unique_ptr<Force::UniformGravity> gravity;
  std::vector<MobilizedBody> body;
  State start;
  std::unique_ptr<Integrator> integrator; // of steps
  std::unique_ptr<TimeStepper> stepper;
};

const int MOST_PINS = 200; // its constraints are dense

std::unique_ptr<World> world;
std::string complaint;

/* What an exception says, as one line. */
const char *complain(const std::exception &e)
{
  complaint = e.what();
  for (char &c : complaint) {
    c = c == '\n' ? ' ' : c;
  }
  return complaint.c_str();
}

Vec3 vec(const double x[3])
{
  return Vec3(x[0], x[1], x[2]);
}

Transform transform(const double R[9], const double p[3])
{
  return Transform(Rotation(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true),
                   vec(p));
}

/* Its inertias are about the body's origin. */
MassProperties mass_of(const peer_body &b)
{
  const Vec3 c = vec(b.c);
  const Inertia central(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
  return MassProperties(b.mass, c, central.shiftFromMassCenter(-c, b.mass));
}

MobilizedBody join(MobilizedBody &parent, const peer_body &b)
{
  const Transform X = transform(b.X_R, b.X_p);
  const Body::Rigid body(mass_of(b));
  switch (b.kind) {
  case PEER_REVOLUTE:
    return MobilizedBody::Pin(parent, X, body, Transform());
  case PEER_PRISMATIC: { // it slides along x of its frames, which is to be our z
    const Transform turn(Rotation(-Pi / 2, YAxis));
    return MobilizedBody::Slider(parent, X * turn, body, turn);
  }
  case PEER_SPHERICAL:
    return MobilizedBody::Ball(parent, X, body, Transform());
  default:
    return MobilizedBody::Free(parent, X, body, Transform());
  }
}

} // namespace

const char *peer_build(const peer_model *m)
{
  try {
    world.reset(new World);
    world->gravity.reset(new Force::UniformGravity(world->forces, world->matter, vec(m->gravity)));
    world->body.push_back(world->matter.Ground());
    for (int i = 1; i <= m->nbody; i++) {
      world->body.push_back(join(world->body[(size_t)m->body[i].parent], m->body[i]));
    }
    for (int i = 0; i < m->npin; i++) {
      const peer_pin &p = m->pin[i];
      Constraint::Ball(world->body[(size_t)p.a], vec(p.p_a), world->body[(size_t)p.b], vec(p.p_b));
    }
    world->start = world->system.realizeTopology();
    world->system.realizeModel(world->start);
  } catch (const std::exception &e) {
    return complain(e);
  }
  return nullptr;
}

void peer_drop(void)
{
  world.reset();
}

/* Its spherical and free joints have their spin in the axes of the parent's frame. */
void peer_reset(const peer_model *m)
{
  State &s = world->start;
  s.setTime(0);
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body &b = m->body[i];
    const MobilizedBody &body = world->body[(size_t)i];
    const double *q = m->q + b.q, *v = m->v + b.v;
    if (b.kind <= PEER_PRISMATIC) {
      body.setOneQ(s, 0, q[0]);
      body.setOneU(s, 0, v[0]);
      continue;
    }
    const int at = b.kind == PEER_FREE ? 3 : 0;
    const Rotation R(Quaternion(q[at], q[at + 1], q[at + 2], q[at + 3]));
    body.setQToFitTransform(s, Transform(R, b.kind == PEER_FREE ? vec(q) : Vec3(0)));
    const Vec3 w = R * vec(v);
    body.setUToFitVelocity(s, SpatialVec(w, b.kind == PEER_FREE ? R * vec(v + 3) : Vec3(0)));
  }
  world->system.realize(s, Stage::Velocity);
}

void peer_energy(const peer_model *m, double *kinetic, double *potential)
{
  (void)m;
  world->system.realize(world->start, Stage::Dynamics);
  *kinetic = world->system.calcKineticEnergy(world->start);
  *potential = world->system.calcPotentialEnergy(world->start);
}

bool peer_calls(const peer_model *m, int way, double dt, int n)
{
  State &s = world->start;
  const char kind = peer_ways[way].kind[0];
  if (kind == 's') {
    if (m->npin > MOST_PINS) {
      return false;
    }
    if (n == 0) {
      world->stepper.reset();
      world->integrator.reset(new SemiExplicitEulerIntegrator(world->system, dt));
      world->stepper.reset(new TimeStepper(world->system, *world->integrator));
      world->stepper->initialize(s);
    } else {
      world->stepper->stepTo(n * dt);
    }
    return true;
  }
  Vector residual;
  const Vector udot(s.getNU(), 0.1);
  for (int i = 0; i < n; i++) {
    s.updQ();
    s.updU();
    if (kind == 'f') {
      world->system.realize(s, Stage::Acceleration);
    } else {
      world->system.realize(s, Stage::Velocity);
      world->matter.calcResidualForceIgnoringConstraints(s, Vector(), Vector_<SpatialVec>(), udot,
                                                         residual);
    }
  }
  return true;
}

static const char *solve(const peer_model *m, int way, double x, double T, double *q)
{
  try {
    std::unique_ptr<Integrator> integrator;
    const std::string word = peer_ways[way].word;
    if (word == "rkm") {
      integrator.reset(new RungeKuttaMersonIntegrator(world->system));
    } else if (word == "rk3") {
      integrator.reset(new RungeKutta3Integrator(world->system));
    } else {
      integrator.reset(new CPodesIntegrator(world->system));
    }
    integrator->setAccuracy(x);
    integrator->setConstraintTolerance(x);
    integrator->setFinalTime(T);
    TimeStepper stepper(world->system, *integrator);
    stepper.initialize(world->start);
    stepper.stepTo(T);
    const State &s = integrator->getState();
    for (int i = 1; i <= m->nbody; i++) {
      const peer_body &b = m->body[i];
      const MobilizedBody &body = world->body[(size_t)i];
      if (b.kind <= PEER_PRISMATIC) {
        q[b.q] = body.getOneQ(s, 0);
        continue;
      }
      const Transform X = body.getMobilizerTransform(s);
      const Quaternion turn = X.R().convertRotationToQuaternion();
      const int at = b.kind == PEER_FREE ? 3 : 0;
      for (int k = 0; k < 4; k++) {
        q[b.q + at + k] = turn[k];
      }
      for (int k = 0; k < at; k++) {
        q[b.q + k] = X.p()[k];
      }
    }
  } catch (const std::exception &e) {
    return complain(e);
  }
  return nullptr;
}

const char *(*const peer_solve)(const peer_model *m, int way, double x, double T,
                                double *q) = solve;

const peer_world *const peer_scenes = nullptr;

int main()
{
  return peer_main();
}
