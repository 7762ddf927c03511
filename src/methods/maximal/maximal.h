/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/maximal.h - a model in maximal coordinates: every body a pose and a twist.
 *
 *   3-D     configuration (r, quaternion) of each body, velocity (w, r'): r and r' of the centre of
 *           mass in world axes, w in body axes. Mass matrix diag(J, m 1), constant.
 *   planar  configuration (theta, x, y), velocity (theta', x', y'): a model that cannot leave a
 *           plane needs no more, and a hinge is two rows. theta turns about the plane's normal.
 *
 * A body here is a body of the tree that has mass. Massless bodies between two of them are parts of
 * a joint: the chain of elementary joints from one body with mass to the next is one joint of the
 * model, or several that make one (maximal_joints.c), and holds by rows (cardan_row) like any loop.
 * So the constraints are one set for tree joints, prescribed coordinates and the model's own
 * constraints, evaluated by constraints/rows.h on poses and twists; the poses of massless bodies
 * and the model's q and v, which rows and forces may read, follow from the chains
 * (maximal_coordinates.c).
 *
 *   maximal_joints.c       chains of joints as pairs       maximal.c  model -> bodies, chains, rows
 *   poses.c      numbers <-> poses, twists  maximal_coordinates.c  q, v of joints <-> poses, twists
 *   maximal_pairs.c        rows of a pair at once
 *   maximal_rows.c         Phi, J, gamma                   loads.c      forces, friction, reactions
 *   graph.c        spanning tree over all rows     kkt.c          [M J^T; J 0][x; l] = [f; g]
 * After create nothing allocates. One of these belongs to one thread at a time. */
#pragma once
#include "base/arena.h"
#include "constraints/rows.h"
#include "spatial/spatial.h"

enum { CARDAN__MX_DOF = 6, CARDAN__MX_LINKS = 6 }; // largest numbers of a body, of a chain

typedef struct {
  int body;       // of the tree
  cardan_vec3 c;  // centre of mass, body frame [m]
  double m;       // [kg]
  cardan__sym3 J; // about the centre of mass, body axes [kg m^2]
  cardan__sym3 J_inv;
  cardan_vec3 n; // planar: normal in body axes,
  double Jn;     // moment of inertia about it
} cardan__mx_body;

/* Pose of a body in a plane at theta = x = y = 0, and what a cosine and a sine make of it. */
typedef struct {
  cardan_mat3 R0, Rc, Rs;
  cardan_vec3 r0;
} cardan__mx_plane;

/* The chain of elementary joints that carries body i; its child is body i itself. */
typedef struct {
  int parent;      // body here, -1: the world
  int link, nlink; // its bodies of the tree: mx->link[link ..], the last one the child
  int nv;          // velocities of the chain
  int row, nrow;   // its rows in the set; drivers of prescribed coordinates come elsewhere
  bool by_rows;    // a row depends on its coordinates or on a massless body in it
} cardan__mx_joint;

/* A row along or between directions fixed in two bodies, or along one of the world:
 * maximal_pairs.c. */
typedef struct {
  cardan_vec3 u; // s u, in the axes of A's body, or of the world by the group
  double value;  // k
  bool again;    // turned, with w of the row before
} cardan__mx_plain;

/* Rows that follow one another: plain ones between the same two frames, those along, s u.d - k,
 * before those turned, u.(R w) - k; or others. */
typedef struct {
  bool plain, world;      // world: u of its rows are directions of the world
  int row, n, badr, dadr; // the first; how many; where entries of the first stand
  int nalong;             // of n
  int A, B;               // tree bodies of the frames
  int on_A, on_B;         // their places among the bodies of a row, -1: the world
  cardan_vec3 p_A, p_B;   // origins of the frames, body coordinates [m]
} cardan__mx_group;

typedef struct cardan__maximal {
  const cardan_model *model;
  cardan__rowset set; // the rows of everything: see maximal.c
  cardan_allocator allocator;
  void *block;
  bool planar;
  cardan_vec3 normal, e1, e2; // planar: normal and axes of the plane, world
  int nbody;                  // bodies with mass
  int dof, ncfg;              // of a body: 6 and 7, or 3 and 3
  int nx;                     // dof * nbody
  int nlink;
  cardan__mx_body *body;   // nbody
  cardan__mx_plane *plane; // nbody where planar
  cardan__mx_joint *joint; // nbody
  int *link;               // bodies of the tree, chain by chain
  int *of_body;            // tree body -> body here; the body whose chain it is in when massless
  int *first, *next;       // tree bodies: first child, next of the same parent; 0: none
  // rows of the set: joints, then prescribed coordinates, then the model's own
  int nrow_joint, nrow_prescribed, row_model;
  int neq;         // rows that count: all but those that vanish everywhere in a plane
  int nredundant;  // of them: given by the others wherever the mechanism goes, by the model
  int *eq;         // row -> equation, -1: does not count
  int *row;        // equation -> row
  int *ent, *nent; // row -> its entries in J, one for each body that it touches
  int nentry;
  int *ent_body;           // nentry
  double *J;               // nentry x dof
  cardan__mx_group *group; // ngroup: all rows, in their order
  int ngroup;
  cardan__mx_plain *plain;    // rows; of those in plain groups
  cardan_vec3 *plain_w;       // w of rows turned, in the axes of B's body
  bool any_by_rows, any_time; // a row reads coordinates; a row depends on time
  // one instant, as rows and forces see it
  double t;
  cardan_xform *X_W;    // tree bodies
  const double *placed; // the configuration that X_W belongs to, NULL: none that is kept
  cardan_twist *V, *A0;
  double *q, *v, *a0; // the model's coordinates, velocities; accelerations at rest of all bodies
  double *work;       // of expressions
  double *u;          // inputs, auxiliary states, half turns: rows read the last
  cardan_rows rows;   // of the set
  cardan_force *f_ext, *f_spare; // tree bodies
  double *tau, *tau_spare;       // nv; the spare ones are 0 between calls
  double *limit, *friction;      // nforce, nv: largest friction forces, and what friction does
  cardan_force *wrench;          // tree bodies
} cardan__maximal;

/* A model in maximal coordinates at its own start. planar: use the plane where there is one.
 * returns CARDAN_ERR_UNSUPPORTED and a sentence that names the joint of the body which cannot be
 *         taken; CARDAN_ERR_MEMORY */
cardan_status cardan__maximal_create(const cardan_model *model, bool planar,
                                     const cardan_allocator *allocator, cardan__maximal **out,
                                     cardan_report *report) CARDAN_MUST_USE;
void cardan__maximal_destroy(cardan__maximal *mx); // NULL is fine

/* Whether cardan__maximal_create would take the model, without its rows.
 * returns what it would return */
cardan_status cardan__maximal_takes(const cardan_model *model, bool planar,
                                    const cardan_allocator *allocator,
                                    cardan_report *report) CARDAN_MUST_USE;

/* ---- maximal_joints.c ---- */

/* Rows that hold body b to its parent, without their entries, to rows (at most 6);
 * the frames that they name are the model's, or two of its own in mx->set. Poses of mx are those at
 * q = 0. Returns how many, -1: the chain of joints makes no pair that rows can hold. */
int cardan__mx_joint_rows(cardan__maximal *mx, int b, cardan_row *rows);
bool cardan__mx_joint_known(const cardan__maximal *mx, int b); // would there be rows?

/* ---- poses.c, maximal_coordinates.c ---- */

/* Rc and Rs of a body in the plane, whose R0 and n are known. */
void cardan__mx_turn_planar(cardan__mx_plane *plane, cardan_vec3 n);

/* Configuration and velocity of the bodies from tree poses and twists, and the other way: X_W and V
 * of mx from cfg and vel (NULL: leaves V). */
void cardan__mx_take(cardan__maximal *mx, const cardan_xform *X_W, const cardan_twist *V,
                     double *cfg, double *vel);
void cardan__mx_place(cardan__maximal *mx, const double *cfg, const double *vel);
/* The same where X_W may be that of cfg already: cfg was the last to be placed, and only _drift and
 * _normalize may have written to it since. */
void cardan__mx_place_again(cardan__maximal *mx, const double *cfg, const double *vel);
/* out = cfg moved by x, velocities times a time; out may be cfg. */
void cardan__mx_drift(cardan__maximal *mx, const double *cfg, const double *x, double *out);
/* dcfg/dt of velocities vel. */
void cardan__mx_rate(const cardan__maximal *mx, const double *cfg, const double *vel, double *rate);
/* Normalises quaternions; false when one is zero or not finite. */
bool cardan__mx_normalize(cardan__maximal *mx, double *cfg);

/* Coordinates q of the joints (and poses of massless bodies) from X_W; angles near the last ones.
 * all: of every joint, else only of those that rows read. _rates: v likewise (and twists of
 * massless bodies) from V; A0 and a0 if accelerations are requested. */
void cardan__mx_coordinates(cardan__maximal *mx, bool all);
/* mx->q = q with the angles of joints moved as the bodies' displacement x (nx) turns them, for
 * cardan__mx_coordinates to count whole turns from. q must not be mx->q. */
void cardan__mx_predict_turns(cardan__maximal *mx, const double *q, const double *x);
void cardan__mx_rates(cardan__maximal *mx, bool all, bool accelerations);
/* Accelerations a (nv) of the model's coordinates from those of the bodies, acc (nx). needs
 * _rates */
void cardan__mx_joint_accelerations(cardan__maximal *mx, const double *acc, double *a);

/* Pushes wrenches on massless bodies and forces on coordinates to the bodies with mass: f_ext (tree
 * bodies, spoilt where massless), tau (nv). needs _coordinates of all joints concerned */
void cardan__mx_to_bodies(const cardan__maximal *mx, cardan_force *f_ext, double *tau);
/* The same for the joint of body b alone. */
void cardan__mx_push_joint(const cardan__maximal *mx, int b, cardan_force *f_ext, double *tau);
/* A wrench on tree body of b (its frame) as a generalised force, dof numbers: out += scale
 * times it. */
void cardan__mx_add_wrench(const cardan__maximal *mx, int b, cardan_force F, double scale,
                           double *out);

/* ---- maximal_pairs.c ---- */

/* Groups of the rows of the set, whose entries are known. */
void cardan__mx_group_rows(cardan__maximal *mx);
/* Violations of all rows. */
void cardan__mx_group_values(const cardan__maximal *mx, const cardan__view *view, double *phi);
/* rows.w and c of a group, and mx->J where it is plain. */
void cardan__mx_group_jacobian(cardan__maximal *mx, const cardan__view *view,
                               const cardan__mx_group *g);
/* phi_t of all rows, and gamma where it is not NULL, as constraints/rows.h has them. */
void cardan__mx_group_rates(const cardan__maximal *mx, const cardan__view *view, double *phi_t,
                            double *gamma);

/* ---- maximal_rows.c ---- */

/* The view of the instant. */
cardan__view cardan__mx_view(const cardan__maximal *mx);
/* The same with the inputs, auxiliary states and program of a data. */
cardan__view cardan__mx_loads_view(const cardan__maximal *mx, const cardan_data *in);
/* Violations of all rows to mx->rows.phi. needs _place and, for any_by_rows, _coordinates */
void cardan__mx_values(cardan__maximal *mx);
/* mx->J (and rows.w, c). needs the same */
void cardan__mx_jacobian(cardan__maximal *mx);
/* The rows of velocity level alone: their J, rows.w and c, and phi_t. needs the same */
void cardan__mx_velocity_rows(cardan__maximal *mx);
/* rows.phi_t; and gamma (of J a = gamma) on request, which needs _rates with accelerations. needs
 * _jacobian at the same place */
void cardan__mx_rates_of_rows(cardan__maximal *mx, bool gamma);
/* out (neq) = scale times numbers of the rows, of those that count. */
void cardan__mx_equations(const cardan__maximal *mx, double scale, const double *of_rows,
                          double *out);
/* out (neq) = J x */
void cardan__mx_apply(const cardan__maximal *mx, const double *x, double *out);
/* f (nx) += scale J^T lambda (neq) */
void cardan__mx_transpose(const cardan__maximal *mx, double scale, const double *lambda, double *f);
/* Largest |Phi| over all rows; NaN when one is not a number; *row says which. */
double cardan__mx_violation(const cardan__maximal *mx, int *row);
/* Name of what row r belongs to: a joint or a constraint. */
const char *cardan__mx_row_name(const cardan__maximal *mx, int r);

/* ---- loads.c ---- */

enum { CARDAN__MX_POTENTIAL = 1, CARDAN__MX_OTHER = 2, CARDAN__MX_GYROSCOPIC = 4 };

/* f (nx) = generalised forces at the instant: gravity and elements with a potential, all others
 * with mx->friction and the caller's tau_in and f_in, gyroscopic torques; as what
 * says. needs _place, _coordinates and _rates of all joints. */
void cardan__mx_forces(cardan__maximal *mx, const cardan_data *in, int what, const double *vel,
                       double *f);
/* Power of the forces without potential and of the caller's [W] at the instant; the same needs. */
double cardan__mx_power(cardan__maximal *mx, const cardan_data *in);
/* Power of rows that move with time: - sum lambda phi_t. lambda: neq, as in M a = f + J^T lambda */
double cardan__mx_driver_power(const cardan__maximal *mx, const double *lambda);
/* f (tree bodies, out): wrench through each body's joint from lambda (neq) and what acts along it
 * at the instant, along the axis of a single link excepted. rows.w must belong to lambda. */
void cardan__mx_joint_wrenches(cardan__maximal *mx, const cardan_data *in, const double *lambda,
                               cardan_force *f);
/* Friction limits mu |N| from the same, to limit (nforce). */
void cardan__mx_friction_limits(cardan__maximal *mx, const cardan_data *in, const double *lambda,
                                double *limit);
/* M x and M^-1 x on nx numbers; y may be x. _sub: y = from - M x; y may be from. _impulse:
 * y = h M x + k f */
void cardan__mx_mass_mul(const cardan__maximal *mx, const double *x, double *y);
void cardan__mx_mass_sub(const cardan__maximal *mx, const double *from, const double *x, double *y);
void cardan__mx_impulse(const cardan__maximal *mx, double h, const double *x, double k,
                        const double *f, double *y);
void cardan__mx_mass_solve(const cardan__maximal *mx, const double *x, double *y);
