/* SPDX-License-Identifier: Apache-2.0
 * bench/peers/peer.h - another library behind a pipe: what the programs of bench/peers share.
 *
 * `cardan bench --peers` starts the program, which first says on its standard output
 *   peer NAME, double|single
 *   way WORD KIND LABEL | HOW     one line each; KIND: forward, inverse, step, solve
 *   end
 * and then answers requests on its standard input:
 *   model ..              the numbers that read_model of peer.c takes: "ok", or "no REASON"
 *   state q.. v.. ..      the state that everything begins at, with poses; no answer
 *   energy                kinetic and potential (-m g . p) there [J]
 *   time WORD DT N        processor seconds of N calls from there; -1: too many bodies for it
 *   solve WORD X T        seconds, and coordinates at T; X: step or tolerance; or "no REASON"
 * A peer with a way of the kind `scene` also answers
 *   scene ..              bodies over a floor, as read_scene of scene.c takes them: "ok", "no .."
 *   robot PATH            a robot's own file, at its last keyframe: "ok", or "no .."
 *   play DT N ROUNDS      N steps from the start, ROUNDS times; each step at its best. Processor
 *                         seconds of all steps, of the 99th percentile and of the worst step; the
 *                         deepest overlap after a step [m]; the largest number of contacts
 * A request that takes longer than two minutes ends the program. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PEER_REVOLUTE, PEER_PRISMATIC, PEER_SPHERICAL, PEER_FREE } peer_joint;

/* A moving body and its joint to the parent: T_PB(q) = X J(q), J about or along z of the body;
 * spherical: a quaternion w, x, y, z; free: place and quaternion. Velocities of these are angular
 * and linear, in the axes of the body. */
typedef struct {
  int parent; // 0: the world
  peer_joint kind;
  int q, v; // first coordinate and velocity
  double X_p[3], X_R[9];
  double mass, c[3], I[6]; // I: about the centre of mass, xx yy zz xy xz yz, axes of the body
} peer_body;

/* Two points that coincide, of body a and of body b, each in its body's frame. */
typedef struct {
  int a, b;
  double p_a[3], p_b[3];
} peer_pin;

/* A body in the world. */
typedef struct {
  double p[3], R[9], w[3], v[3]; // v: of the frame's origin; both in world axes
} peer_pose;

typedef struct {
  double gravity[3];
  int nbody, npin, nq, nv;
  peer_body *body; // 1 .. nbody
  peer_pin *pin;   // npin
  double *q, *v;
  peer_pose *pose; // 1 .. nbody
} peer_model;

typedef struct {
  const char *word, *kind, *label, *how;
} peer_way;

/* A free body of one shape, whose frame is at its centre of mass. */
typedef enum { PEER_BOX, PEER_SPHERE } peer_shape;
typedef struct {
  peer_shape shape;
  double size[3]; // box: edges; sphere: radius [m]
  double mass, I[3];
  peer_pose pose;
} peer_solid;

/* Bodies over a floor, the plane z = 0, all with the same friction. */
typedef struct {
  int n;
  double gravity[3], friction;
  peer_solid *solid; // n
} peer_scene;

/* What a peer does with scenes. build, load: NULL, or why it cannot; they replace the scene before.
 * start: resets to the start, for steps of that length. look: at the state after a step. */
typedef struct {
  const char *(*build)(const peer_scene *s);
  const char *(*load)(const char *path);
  void (*start)(double dt);
  void (*step)(void);
  void (*look)(double *overlap, int *contacts);
} peer_world;

/* ---- what each program says and does ---- */

extern const char *const peer_name; // "ODE 0.16.2, double"
extern const peer_way peer_ways[];  // word NULL after the last

/* Makes the model; NULL, or why it cannot. */
const char *peer_build(const peer_model *m);
void peer_drop(void);
/* Puts the state of m into the model that was made. */
void peer_reset(const peer_model *m);
void peer_energy(const peer_model *m, double *kinetic, double *potential);
/* n calls from the state that it was reset to; n = 0 comes first, to prepare what is not to be
 * timed. false: it would take too long with so many bodies. */
bool peer_calls(const peer_model *m, int way, double dt, int n);
/* To time T with a step or a tolerance; q out; returns NULL, or why not. NULL: it has no way of
 * that kind. */
extern const char *(*const peer_solve)(const peer_model *m, int way, double x, double T, double *q);

/* NULL: it takes no scenes. */
extern const peer_world *const peer_scenes;

/* ---- shared ---- */

/* Processor time [s]. */
double peer_now(void);
bool peer_read_numbers(double *x, int n);
/* The requests scene, robot and play. returns false when it is none of them, or damaged */
bool peer_answer_scene(const char *word);

int peer_main(void);
/* A rotation as a quaternion w, x, y, z. */
void peer_quaternion(const double R[9], double q[4]);
/* y = R x */
void peer_turn(const double R[9], const double x[3], double y[3]);

#ifdef __cplusplus
}
#endif
