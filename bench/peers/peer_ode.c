// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine: bodies held together by joints, in maximal coordinates. Pins of a loop
// are ball joints. Its default force mixing and error reduction.
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

const char *const peer_name = "ODE 0.16.2, double";
const peer_way peer_ways[] = {
    {"quick", "step", "quick step", "order 1; 20 sweeps: not converged; double"},
    {"world", "step", "world step", "order 1; direct and dense; double"},
    {NULL, NULL, NULL, NULL}};

static dWorldID world;
static dBodyID *bodies; // 1 ..
static int nbody;

enum { DENSE_MOST = 110 }; // bodies: its direct step is cubic in them

static void put_body(dBodyID body, const peer_body *b, const peer_pose *x)
{
  double c[3], r[3], q[4];
  peer_turn(x->R, b->c, c);
  // velocity of the centre of mass: v + w x (R c)
  r[0] = x->v[0] + x->w[1] * c[2] - x->w[2] * c[1];
  r[1] = x->v[1] + x->w[2] * c[0] - x->w[0] * c[2];
  r[2] = x->v[2] + x->w[0] * c[1] - x->w[1] * c[0];
  peer_quaternion(x->R, q);
  dBodySetPosition(body, x->p[0] + c[0], x->p[1] + c[1], x->p[2] + c[2]);
  dBodySetQuaternion(body, q);
  dBodySetLinearVel(body, r[0], r[1], r[2]);
  dBodySetAngularVel(body, x->w[0], x->w[1], x->w[2]);
}

void peer_reset(const peer_model *m)
{
  for (int i = 1; i <= m->nbody; i++) {
    put_body(bodies[i], &m->body[i], &m->pose[i]);
  }
}

/* The joint of a body, where its frame is now. */
static void join(const peer_model *m, int i)
{
  const peer_body *b = &m->body[i];
  const peer_pose *x = &m->pose[i];
  dBodyID parent = b->parent > 0 ? bodies[b->parent] : 0;
  const double axis[3] = {x->R[2], x->R[5], x->R[8]};
  if (b->kind == PEER_REVOLUTE) {
    dJointID j = dJointCreateHinge(world, 0);
    dJointAttach(j, bodies[i], parent);
    dJointSetHingeAnchor(j, x->p[0], x->p[1], x->p[2]);
    dJointSetHingeAxis(j, axis[0], axis[1], axis[2]);
  } else if (b->kind == PEER_PRISMATIC) {
    dJointID j = dJointCreateSlider(world, 0);
    dJointAttach(j, bodies[i], parent);
    dJointSetSliderAxis(j, axis[0], axis[1], axis[2]);
  } else if (b->kind == PEER_SPHERICAL) {
    dJointID j = dJointCreateBall(world, 0);
    dJointAttach(j, bodies[i], parent);
    dJointSetBallAnchor(j, x->p[0], x->p[1], x->p[2]);
  }
}

static void pin(const peer_model *m, const peer_pin *p)
{
  double at[3] = {p->p_a[0], p->p_a[1], p->p_a[2]};
  if (p->a > 0) {
    const peer_pose *x = &m->pose[p->a];
    peer_turn(x->R, p->p_a, at);
    for (int k = 0; k < 3; k++) {
      at[k] += x->p[k];
    }
  }
  dJointID j = dJointCreateBall(world, 0);
  dJointAttach(j, p->a > 0 ? bodies[p->a] : 0, p->b > 0 ? bodies[p->b] : 0);
  dJointSetBallAnchor(j, at[0], at[1], at[2]);
}

/* Bodies alone; joints are made at the first state in which loops are closed. */
static bool joined;

const char *peer_build(const peer_model *m)
{
  for (int i = 1; i <= m->nbody; i++) {
    if (m->body[i].mass == 0) {
      return "ODE takes no body without mass";
    }
  }
  dInitODE2(0);
  world = dWorldCreate();
  dWorldSetGravity(world, m->gravity[0], m->gravity[1], m->gravity[2]);
  bodies = calloc((size_t)m->nbody + 1, sizeof(dBodyID));
  nbody = m->nbody;
  joined = false;
  for (int i = 1; i <= m->nbody; i++) {
    const peer_body *b = &m->body[i];
    dMass mass;
    bodies[i] = dBodyCreate(world);
    dMassSetParameters(&mass, b->mass, 0, 0, 0, b->I[0], b->I[1], b->I[2], b->I[3], b->I[4],
                       b->I[5]);
    dBodySetMass(bodies[i], &mass);
  }
  return NULL;
}

void peer_drop(void)
{
  dWorldDestroy(world);
  free(bodies);
  dCloseODE();
}

void peer_energy(const peer_model *m, double *kinetic, double *potential)
{
  *kinetic = *potential = 0;
  for (int i = 1; i <= nbody; i++) {
    dMass mass;
    dVector3 w;
    dBodyGetMass(bodies[i], &mass);
    const dReal *p = dBodyGetPosition(bodies[i]), *v = dBodyGetLinearVel(bodies[i]);
    dBodyVectorFromWorld(bodies[i], dBodyGetAngularVel(bodies[i])[0],
                         dBodyGetAngularVel(bodies[i])[1], dBodyGetAngularVel(bodies[i])[2], w);
    for (int r = 0; r < 3; r++) {
      *kinetic += 0.5 * mass.mass * v[r] * v[r];
      *potential -= mass.mass * m->gravity[r] * p[r];
      for (int c = 0; c < 3; c++) {
        *kinetic += 0.5 * w[r] * mass.I[4 * r + c] * w[c];
      }
    }
  }
}

bool peer_calls(const peer_model *m, int way, double dt, int n)
{
  if (!joined) {
    for (int i = 1; i <= m->nbody; i++) {
      join(m, i);
    }
    for (int i = 0; i < m->npin; i++) {
      pin(m, &m->pin[i]);
    }
    joined = true;
  }
  const bool quick = strcmp(peer_ways[way].word, "quick") == 0;
  if (!quick && m->nbody > DENSE_MOST) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (quick) {
      dWorldQuickStep(world, dt);
    } else {
      dWorldStep(world, dt);
    }
  }
  return true;
}

const char *(*const peer_solve)(const peer_model *m, int way, double x, double T, double *q) = NULL;

const peer_world *const peer_scenes = NULL;

int main(void)
{
  return peer_main();
}
