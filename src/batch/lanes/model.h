/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/model.h - a model as kernels in lanes read it: flat records in visiting order, all
 * numbers that copies share. Trees of revolute, prismatic, helical, spherical and free joints; of
 * forces those on single velocities. cardan__lanes_takes says what is not here. */
#pragma once
#include <stdbool.h>

#include "cardan/model.h"

enum {
  CARDAN__LANES_TURNED = 1,    // phi is not 0
  CARDAN__LANES_LIGHT = 2,     // no inertia of its own
  CARDAN__LANES_LEAF = 4,      // it has no children
  CARDAN__LANES_FIRST = 8,     // of its parent's children the first that an inward pass comes to
  CARDAN__LANES_ROOT = 16,     // its parent is the world
  CARDAN__LANES_ROTOR = 32,    // its joint has armature
  CARDAN__LANES_DIAGONAL = 64, // its inertia tensor is
  CARDAN__LANES_CENTRAL = 128, // the one about its centre of mass is
  CARDAN__LANES_SWINGS = 256,  // it has a lever (model/central.h)
  CARDAN__LANES_DRY = 512,     // its joint has dry friction
  CARDAN__LANES_OVER = 1024    // of a model whose solids may touch a plane
};

/* Where a vector points, and what alpha is: many have zeros, which then cost nothing. */
typedef enum {
  CARDAN__SHIFT_ANY,
  CARDAN__SHIFT_NONE,
  CARDAN__SHIFT_X,
  CARDAN__SHIFT_Y,
  CARDAN__SHIFT_Z
} cardan__lanes_shift;
typedef enum { CARDAN__TILT_ANY, CARDAN__TILT_NONE, CARDAN__TILT_QUARTER } cardan__lanes_tilt;

/* One body and its joint, as in cardan_body. */
typedef struct {
  int parent, kind, flags;
  int qadr, vadr;
  int slot;  // where inward passes keep what its children hand on: bodies that do not need it at
             // the same time share one
  int multi; // its number among spherical and free joints; -1: none
  int dry;   // its number among joints with dry friction; -1: none
  cardan__lanes_shift shift; // of p; ANY where that depends on q
  cardan__lanes_shift lever; // of h and c
  cardan__lanes_tilt tilt;
  double cos_phi, sin_phi, cos_alpha, sin_alpha, psi, pitch;
  double cos_psi, sin_psi;
  double p[3];          // X.p
  double axis[3];       // z of X.R: where a prismatic or helical joint goes
  double R[9];          // X.R, rows
  double armature;      // of a joint with one velocity
  double m, h[3], J[6]; // inertia; xx yy zz xy xz yz
  double D[3];          // zz - yy, xx - zz, yy - xx
  double c[3], s[3], k; // by its centre of mass, as model/central.h has it
  double Jc[6];
  // what sizes of momenta go by: |h|, tr J, |h| / m (1-norms), and the way to the farthest point
  // that something may act on
  double moment, trace, arm, reach;
} cardan__lanes_body;

/* -k (q[var] - rest) on v[dof] */
typedef struct {
  int dof, var;
  double k, rest;
} cardan__lanes_spring;

/* gear clamp(F, low, high) on v[dof], F = u, or of a servo kp (u - gear q[var]) - kd gear v[dof] */
typedef struct {
  int dof, var, input;
  int servo;
  double gear, kp, kd, low, high;
} cardan__lanes_actuator;

/* low <= q[var] <= high, v[dof] its rate: one of them may be infinite */
typedef struct {
  int var, dof;
  double low, high;
} cardan__lanes_limit;

/* Dry friction on v[dof], at most `force`: a box row of method vi (vi_boxes.h). */
typedef struct {
  int dof;
  double force;
} cardan__lanes_dry;

/* A ball of a body over the plane: a foot, which lanes hold where it is closed, or a guard, a ball
 * about a solid, which has to be clear of the plane. */
typedef struct {
  int body, rows; // rows: 3, or 1 without friction
  int pair, spot; // of the model; which of the pair's spots
  bool holds;     // static friction, mu, is larger than that of sliding
  bool bounces;   // it has restitution
  double c[3], radius, mu;
} cardan__lanes_foot;

/* A row of a loop between bodies (constraints/row_frames.c): points `at` of the first two, u fixed
 * in the first (POINT: in the third), w in the second; value: of a WIRE its length. Or COORD. */
typedef struct {
  int kind; // a cardan_row_kind
  int body[3];
  double at[3][3], u[3], w[3], value;
  int dof[2], var[2]; // COORD
  double coef[2];
  int last;         // its body with the largest number
  const char *path; // nbody: bodies that it moves, up to the world
} cardan__lanes_row;

enum { CARDAN__LANES_ROWS = 8 }; // most rows of loops

enum { CARDAN__LANES_FEET = 16 }; // most feet of a model; what is beyond has guards

/* Bounds of an input; -HUGE_VAL and HUGE_VAL: none. */
typedef struct {
  double low, high;
} cardan__lanes_input;

typedef struct {
  int nbody; // world included: record 0
  int nq, nv, ninput;
  int nmulti, nslot;
  int nspring, nactuator;
  int nlimit; // 0 where they are not watched
  int ndry;
  int nrow;                             // of loops
  int nfoot, nguard;                    // of foot, in that order; 0 where solids do not touch
  double plane_normal[3], plane_offset; // the plane is n . x = offset
  int damped;                           // is any of damping not 0?
  int rotors;                           // or of armature?
  double gravity[3];
  double length;                          // model->size_length
  const cardan__lanes_body *body;         // nbody
  const double *damping;                  // nv
  const cardan__lanes_spring *spring;     // nspring
  const cardan__lanes_actuator *actuator; // nactuator
  const cardan__lanes_input *input;       // ninput
  const cardan__lanes_limit *limit;       // nlimit
  const cardan__lanes_dry *dry;           // ndry
  const cardan__lanes_foot *foot;         // nfoot + nguard
  const cardan__lanes_row *row;           // nrow
  void *block;                            // start of the memory
} cardan__lanes_model;

/* May the scalar code step a copy for a while? Lanes then store the node before each step. */
static inline bool cardan__lanes_may_fall_back(const cardan__lanes_model *m)
{
  return m->nlimit > 0 || m->ndry > 0 || m->nfoot + m->nguard + m->nrow > 0;
}

/* Does method vi make the velocities of every node? */
static inline bool cardan__lanes_settles(const cardan__lanes_model *m)
{
  return m->ndry > 0 || m->nfoot + m->nguard + m->nrow > 0;
}

/* Why a model cannot go in lanes, as the end of a sentence, "of loops"; NULL: it can. */
const char *cardan__lanes_takes(const cardan_model *model);

/* Has it dry friction in joints? Only the stepper of method vi takes that. */
bool cardan__lanes_has_dry(const cardan_model *model);

/* Why its loops do not go in lanes, as the end of a sentence; NULL: it has none, or they do. Only
 * the stepper of method vi takes them. model_loops.c */
const char *cardan__lanes_loops_takes(const cardan_model *model);
int cardan__lanes_put_loops(const cardan_model *model, cardan__lanes_row *row, char *path);

/* Why its solids do not touch in lanes, as the end of a sentence; NULL: all of them are over one
 * plane that is fixed to the world. Only the stepper of method vi takes that. model_feet.c */
const char *cardan__lanes_feet_takes(const cardan_model *model);
void cardan__lanes_put_feet(const cardan_model *model, cardan__lanes_model *to,
                            cardan__lanes_body *body, cardan__lanes_foot *foot);

/* For a model that is taken; one block. NULL: no memory. */
cardan__lanes_model *cardan__lanes_model_create(const cardan_model *model);
void cardan__lanes_model_destroy(cardan__lanes_model *model); // NULL is fine
