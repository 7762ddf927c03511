// SPDX-License-Identifier: Apache-2.0
// Bullet's btMultiBody: Featherstone's recursion, pins of a loop by its iterated solver (10 sweeps,
// its default).
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "peer.h"

const char *const peer_name = "Bullet 3.24, double";
const peer_way peer_ways[] = {
    {"step", "step", "multibody", "order 1; loops by 10 sweeps: not converged; double"},
    {"scene", "scene", "",
     "rigid bodies; 10 sweeps of its solver, its default: not converged; double"},
    {nullptr, nullptr, nullptr, nullptr}};

namespace
{

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::unique_ptr<btMultiBody> body;
  std::vector<std::unique_ptr<btMultiBodyPoint2Point>> pins;
  bool floating = false; // body 1 is the base, which is free
  std::vector<int> link; // of each body, -1: the base
};

std::unique_ptr<World> w;

btVector3 vec(const double x[3])
{
  return btVector3(x[0], x[1], x[2]);
}

btQuaternion quat(const double R[9])
{
  double q[4];
  peer_quaternion(R, q);
  return btQuaternion(q[1], q[2], q[3], q[0]);
}

bool along_axes(const peer_body &b)
{
  const double off = std::fabs(b.I[3]) + std::fabs(b.I[4]) + std::fabs(b.I[5]);
  return off <= 1e-12 * (b.I[0] + b.I[1] + b.I[2]);
}

/* Bullet's frames are at centres of mass. */
void add_link(const peer_model *m, int i)
{
  const peer_body &b = m->body[i];
  const btVector3 inertia(b.I[0], b.I[1], b.I[2]), z(0, 0, 1);
  const int parent = w->link[(size_t)b.parent], k = w->link[(size_t)i];
  const btVector3 centre = b.parent > 0 ? vec(m->body[b.parent].c) : btVector3(0, 0, 0);
  const btVector3 pivot = vec(b.X_p) - centre;
  const btQuaternion turn = quat(b.X_R).inverse();
  if (b.kind == PEER_REVOLUTE) {
    w->body->setupRevolute(k, b.mass, inertia, parent, turn, z, pivot, vec(b.c), true);
  } else if (b.kind == PEER_PRISMATIC) {
    w->body->setupPrismatic(k, b.mass, inertia, parent, turn, z, pivot, vec(b.c), true);
  } else {
    w->body->setupSpherical(k, b.mass, inertia, parent, turn, pivot, vec(b.c), true);
  }
}

const char *cannot(const peer_model *m)
{
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body &b = m->body[i];
    if (b.mass == 0) {
      return "a body without mass is not given to Bullet";
    }
    if (!along_axes(b)) {
      return "a body whose inertia is not along its axes is not given to Bullet";
    }
    if (b.kind == PEER_FREE && i > 1) {
      return "Bullet's multibody has one free base";
    }
  }
  return nullptr;
}

} // namespace

const char *peer_build(const peer_model *m)
{
  const char *why = cannot(m);
  if (why != nullptr) {
    return why;
  }
  w.reset(new World);
  w->floating = m->body[1].kind == PEER_FREE;
  const peer_body &base = m->body[1];
  const int links = m->nbody - (w->floating ? 1 : 0);
  w->body.reset(
      new btMultiBody(links, w->floating ? base.mass : 0,
                      w->floating ? btVector3(base.I[0], base.I[1], base.I[2]) : btVector3(0, 0, 0),
                      !w->floating, false));
  for (int i = 0; i <= m->nbody; i++) {
    w->link.push_back(i - (w->floating ? 2 : 1));
  }
  w->link[0] = -1;
  for (int i = w->floating ? 2 : 1; i <= m->nbody; i++) {
    add_link(m, i);
  }
  w->body->finalizeMultiDof();
  w->body->setLinearDamping(0);
  w->body->setAngularDamping(0);
  w->body->setCanSleep(false);
  w->world.setGravity(vec(m->gravity));
  w->world.addMultiBody(w->body.get());
  for (int i = 0; i < m->npin; i++) {
    const peer_pin &p = m->pin[i];
    const btVector3 a = vec(p.p_a) - vec(m->body[p.a].c), b = vec(p.p_b) - vec(m->body[p.b].c);
    w->pins.emplace_back(new btMultiBodyPoint2Point(w->body.get(), w->link[(size_t)p.a],
                                                    w->body.get(), w->link[(size_t)p.b], a, b));
    w->world.addMultiBodyConstraint(w->pins.back().get());
  }
  return nullptr;
}

void peer_drop(void)
{
  for (auto &pin : w->pins) {
    w->world.removeMultiBodyConstraint(pin.get());
  }
  w->world.removeMultiBody(w->body.get());
  w.reset();
}

void peer_reset(const peer_model *m)
{
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body &b = m->body[i];
    const peer_pose &x = m->pose[i];
    const int k = w->link[(size_t)i];
    if (b.kind == PEER_FREE) {
      double c[3];
      peer_turn(x.R, b.c, c);
      w->body->setBasePos(vec(x.p) + vec(c));
      w->body->setWorldToBaseRot(quat(x.R).inverse());
      w->body->setBaseOmega(vec(x.w));
      w->body->setBaseVel(vec(x.v) + vec(x.w).cross(vec(c)));
    } else if (b.kind == PEER_SPHERICAL) {
      const double *q = m->q + b.q;
      btScalar turn[4] = {q[1], q[2], q[3], q[0]},
               spin[3] = {m->v[b.v], m->v[b.v + 1], m->v[b.v + 2]};
      w->body->setJointPosMultiDof(k, turn);
      w->body->setJointVelMultiDof(k, spin);
    } else {
      w->body->setJointPos(k, m->q[b.q]);
      w->body->setJointVel(k, m->v[b.v]);
    }
  }
}

void peer_energy(const peer_model *m, double *kinetic, double *potential)
{
  btAlignedObjectArray<btQuaternion> turns;
  btAlignedObjectArray<btVector3> places, spins, speeds;
  spins.resize(m->nbody + 2);
  speeds.resize(m->nbody + 2);
  w->body->forwardKinematics(turns, places);
  w->body->compTreeLinkVelocities(&spins[0], &speeds[0]);
  *kinetic = *potential = 0;
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body &b = m->body[i];
    const int k = w->link[(size_t)i];
    const btVector3 p =
        k < 0 ? w->body->getBasePos() : w->body->getLink(k).m_cachedWorldTransform.getOrigin();
    const btVector3 spin = spins[k + 1], speed = speeds[k + 1];
    *kinetic += 0.5 * (b.mass * speed.dot(speed) + b.I[0] * spin.x() * spin.x() +
                       b.I[1] * spin.y() * spin.y() + b.I[2] * spin.z() * spin.z());
    *potential -= b.mass * vec(m->gravity).dot(p);
  }
}

bool peer_calls(const peer_model *m, int way, double dt, int n)
{
  (void)m;
  (void)way;
  for (int i = 0; i < n; i++) {
    w->world.stepSimulation(dt, 0);
  }
  return true;
}

const char *(*const peer_solve)(const peer_model *m, int way, double x, double T,
                                double *q) = nullptr;

/* ---- scenes ---- */

namespace
{

struct Scene {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  btStaticPlaneShape plane{btVector3(0, 0, 1), 0};
  std::unique_ptr<btRigidBody> floor;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  ~Scene()
  {
    for (auto &b : bodies) {
      world.removeRigidBody(b.get());
    }
    if (floor) {
      world.removeRigidBody(floor.get());
    }
  }
};

std::unique_ptr<Scene> scene;
std::vector<peer_solid> scene_solids;
peer_scene scene_of;
double scene_dt = 0;

void add_solid(Scene &to, const peer_solid &b, double friction)
{
  if (b.shape == PEER_BOX) {
    to.shapes.emplace_back(new btBoxShape(vec(b.size) / 2));
  } else {
    to.shapes.emplace_back(new btSphereShape(b.size[0]));
  }
  btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, to.shapes.back().get(), vec(b.I));
  info.m_friction = friction;
  info.m_startWorldTransform = btTransform(quat(b.pose.R), vec(b.pose.p));
  to.bodies.emplace_back(new btRigidBody(info));
  btRigidBody &body = *to.bodies.back();
  body.setLinearVelocity(vec(b.pose.v));
  body.setAngularVelocity(vec(b.pose.w));
  body.setActivationState(DISABLE_DEACTIVATION);
  to.world.addRigidBody(&body);
}

const char *build_scene(const peer_scene *s)
{
  scene_of = *s;
  scene_solids.assign(s->solid, s->solid + s->n);
  return nullptr;
}

/* Bullet multiplies the friction of both bodies: each has the root. */
void start_scene(double dt)
{
  scene_dt = dt;
  scene.reset(new Scene);
  scene->world.setGravity(vec(scene_of.gravity));
  const double friction = std::sqrt(scene_of.friction);
  btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &scene->plane, btVector3(0, 0, 0));
  info.m_friction = friction;
  scene->floor.reset(new btRigidBody(info));
  scene->world.addRigidBody(scene->floor.get());
  for (const peer_solid &b : scene_solids) {
    add_solid(*scene, b, friction);
  }
}

void step_scene(void)
{
  scene->world.stepSimulation(scene_dt, 0);
}

/* Depths as its own collision detection finds them, which adds margins to boxes inwards. */
void look_at_scene(double *overlap, int *contacts)
{
  int n = 0;
  for (int i = 0; i < scene->dispatcher.getNumManifolds(); i++) {
    const btPersistentManifold *m = scene->dispatcher.getManifoldByIndexInternal(i);
    for (int k = 0; k < m->getNumContacts(); k++) {
      *overlap = std::fmax(*overlap, -m->getContactPoint(k).getDistance());
      n += m->getContactPoint(k).getDistance() <= 0 ? 1 : 0;
    }
  }
  *contacts = n > *contacts ? n : *contacts;
}

const peer_world rigid_bodies = {build_scene, nullptr, start_scene, step_scene, look_at_scene};

} // namespace

const peer_world *const peer_scenes = &rigid_bodies;

int main()
{
  return peer_main();
}
