/* SPDX-License-Identifier: Apache-2.0
 * cardan/model.h - a compiled mechanism: constant, one block of memory, shared freely by threads.
 *
 * Bodies are numbered parents first, in the order of the file; body 0 is the fixed world. Frames
 * that are rigidly attached to one another form one body. Every body is attached to its parent by
 * one elementary joint: revolute, prismatic or helical about or along z of the body's own frame,
 * spherical, free, or one with a motion of its own (src/kinematics/joint.h). Joints of format.md
 * with two or three scalar coordinates are short chains of these with massless bodies between;
 * cardan_joint has the range of bodies of each joint of the file.
 *
 * The structs are for reading; their layout is not promised across minor versions.
 * docs/decisions/ explains the choice of body frames. */
#pragma once
#include "cardan/base.h"
#include "cardan/spatial.h"
#include "cardan/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CARDAN_LINK_WORLD,
  CARDAN_LINK_REVOLUTE,
  CARDAN_LINK_PRISMATIC,
  CARDAN_LINK_HELICAL,
  CARDAN_LINK_SPHERICAL,
  CARDAN_LINK_FREE,
  CARDAN_LINK_GENERAL // and above: + cardan_joint_kind, one coordinate, its own T(q)
} cardan_link_kind;

enum {
  CARDAN_LINK_TURNED = 1,    // phi is not 0: a turn about the parent's z comes first
  CARDAN_LINK_KINEMATIC = 2, // its coordinate is prescribed, not solved for
  CARDAN_LINK_MASSLESS = 4,  // no mass of its own
  CARDAN_LINK_FORKED = 8,    // it has children other than the next body
  CARDAN_LINK_LAST = 16,     // it is the last such child of its parent
  CARDAN_LINK_RIGHT = 32,    // T_PB = Trans(p) Rx(alpha) Rz(..) in every position: a right angle
  CARDAN_LINK_PARALLEL = 64, // the same with alpha = 0
  CARDAN_LINK_ALONG_X = 128, // p.x need not be 0
  CARDAN_LINK_ALONG_Y = 256,
  CARDAN_LINK_ALONG_Z = 512
};

/* One moving body and the elementary joint that carries it, T_PB(q) = X J(q) with the constant part
 *   X = Trans(X.p) Rz(phi) Rx(alpha) Rz(psi),
 * J: Rz(q), Trans_z(q), Rz(q) Trans_z(pitch q), Rot(quaternion), Trans(x) Rot(quaternion).
 * 256 bytes, in the order in which the recursions read them. */
typedef struct {
  int parent;
  cardan_link_kind kind;
  int flags;
  int qadr, nq, vadr, nv; // its coordinates and velocities
  int joint;              // index of the joint of the file that it belongs to
  double cos_phi, sin_phi, cos_alpha, sin_alpha, psi;
  double pitch;           // helical [m/rad]
  cardan_xform X;         // the constant part
  cardan_inertia inertia; // about the body frame's origin, in its axes
} cardan_body;

/* A joint (or variable transform) as the file wrote it. */
typedef struct {
  const char *name;
  cardan_joint_kind kind;
  bool kinematic;
  bool driven;       // has a motion: kinematic, or a constraint on one of its coordinates
  bool is_transform; // written as one of trep's six transforms
  bool has_limit;
  double limit[2];
  double restitution; // of an impact on a limit
  double effort;      // largest force of its drive [N | N m], 0: not given; no method uses it
  int first, last;    // its bodies, first..last along the chain
  int frame;          // the frame that it carries (its child's frame)
  int qadr, nq, vadr, nv;
  cardan_vec3 axis, axis2; // in the frame that it is placed at, unit
  double pitch;
  cardan_pos pos;
} cardan_joint;

/* A frame of the file. Frame 0 is the world. */
typedef struct {
  const char *name; // given, or taken from its variable; "" when it has none
  int parent;       // frame
  int body;
  cardan_xform X_BF; // frame coordinates to body coordinates
  bool has_mass;
  cardan_mass mass;
  int shape, nshape; // range in model->shape
  const char *color; // NULL: not given
} cardan_frame;

/* An expression with its leaves bound to this model; values through cardan__view (internal). */
typedef struct cardan_bound_expr cardan_bound_expr;

/* One scalar constraint equation; cardan/elements.h lists the kinds. */
typedef struct {
  cardan_row_kind kind;
  int constraint;
  int frame[3];
  cardan_vec3 u, w, w2; // unit; u and w2 in A, w in B; POINT: u is n, in frame[2]
  double value, coef[2];
  int var[2]; // coordinates (q index)
  int expr;   // index into model->expr, -1: none
  // indices of its entries in cardan_rows: the bodies and dofs that it depends on, fixed at build
  int badr, nb, dadr, nd;
  double length; // scale of its violation: 1 for angles, size_length for lengths [m|rad]
  bool scaled;   // length is size_length, or 1 if that is 0
  bool velocity; // of velocity level: A v = b with rows A that need not be those of a position
} cardan_row;

typedef struct {
  const char *name; // given, or "KIND1", "KIND2", .. numbered within its kind
  cardan_element_kind kind;
  int row, nrow;
  int frame[3], var[2];
  double grip; // ROLL: friction that a warning compares its forces with; 0: no warning
  cardan_pos pos;
} cardan_constraint;

enum {
  CARDAN_FORCE_POTENTIAL = 1, // has an energy
  CARDAN_FORCE_VELOCITY = 2,  // depends on v
  CARDAN_FORCE_TIME = 4,      // depends on t
  CARDAN_FORCE_REACTION = 8,  // depends on a joint's reaction
  CARDAN_FORCE_INPUT = 16,    // depends on an input, or on an auxiliary state of the text
  CARDAN_FORCE_FRICTION = 32, // opposes sliding, up to a limit
  CARDAN_FORCE_PROGRAM = 64   // computed by a callback (cardan_program): no derivatives
};

typedef struct {
  const char *name;
  cardan_element_kind kind;
  int flags;
  int frame[2];
  int joint;                   // friction, dry-friction
  int var;                     // q index, -1: none
  int dof;                     // v index, -1: none
  int input;                   // actuator; -1: none
  double value[CARDAN_NVALUE]; // friction: mu, radius, vs; dry-friction: c, 1, vs
  int expr[6];                 // indices into model->expr, -1: none
  cardan_vec3 n;               // tyre: axis of the wheel, in frame A, of length 1
  int state;                   // tyre: the first of its auxiliary states, -1: it has none
  bool in_world;
  cardan_pos pos;
} cardan_force_element;

typedef struct {
  int frame;
  cardan_xform X_WF;
  bool turned;       // it includes the orientation; otherwise only the position
  bool moves, spins; // it includes the velocity of the origin, the angular velocity:
  cardan_vec3 v, w;  // of the frame's origin, and angular, in world axes [m/s, rad/s]
  cardan_pos pos;
} cardan_pose;

typedef struct {
  const char *key, *value;
  cardan_pos pos;
} cardan_default;

/* A start by name: cardan_keyframe_set (cardan/data.h). */
typedef struct {
  const char *name;
  const double *q, *v; // nq, nv: entries that it does not name are 0, identity for a quaternion
  const double *u;     // ninput: entries that it does not name are the inputs' initial values
  const bool *q_given, *v_given; // nq, nv: it names the entry
  cardan_pos pos;
} cardan_keyframe;

/* The prescribed motion of a kinematic coordinate. */
typedef struct {
  int body, expr;
} cardan_prescribed;

/* A parameter, or a constant that is computed from parameters. */
typedef struct {
  const char *name;
  double value;
  bool derived; // computed from others: cardan_model_set rejects it
  cardan_pos pos;
  cardan_pos
      rigid_pos; // of a use that cannot change without reading the text again, such as the axis
                 // of a joint or (when ..); line 0: none
} cardan_parameter;

/* A named expression for tables. */
typedef struct {
  const char *name;
  int expr; // index into model->expr
  cardan_pos pos;
  const char *column; // in tables: "y." and the name; of a closing joint's coordinate, q.c and v.c
  const char *unit;   // of closing coordinates; "": not known
} cardan_output;

/* The rotational coordinate of a closing joint: the angle of frame B about an axis of frame A,
 * unwrapped with data->half_turn. */
typedef struct {
  const char *name;
  int frame[2];     // A, B
  cardan_vec3 axis; // in A, of length 1
  double start;     // at a start the angle is reduced by whole turns to the value nearest to this,
  int expr;         // or to this expression of t (of a motion), -1: none
} cardan_turning;

/* An auxiliary state (cardan_aux_state_def). */
typedef struct {
  const char *name;
  double initial;
  double every; // sampling period [s]; 0: expr is its derivative, else its value at a sample
  int expr;     // index into model->expr, -1: a force element computes its derivative
  int force;    // that element, -1: none
  cardan_pos pos;
} cardan_aux_state;

/* A controller, which sets an input at its samples (cardan_controller_def). */
typedef struct {
  int input;
  double every; // [s]
  int expr;     // index into model->expr
  cardan_pos pos;
} cardan_controller;

/* A surface by name. */
typedef struct {
  const char *name;
  cardan_surface surface;
  cardan_pos pos;
} cardan_material;

/* A shape that takes part in contact. Order: solids of moving bodies, of the world, planes; within
 * each group by body and frame. */
typedef struct {
  const char *name; // of its frame, or of the first above it that has one
  int frame, body;
  int shape;              // index into model->shape, for drawing
  int material;           // index, -1: none
  cardan_shape_kind kind; // not MESH
  cardan_xform X_BS;      // its own coordinates to body coordinates
  double size[3];         // as in cardan_shape
  double round;           // HULL: radius of its edges [m]
  int hull;               // HULL: index of the polyhedron as given, else -1. The next polyhedron is
                          // its core, offset inwards by `round`; the solid is the set of points at
                          // most `round` from the core
  int field;              // HEIGHT_FIELD: index, else -1
  int pieces;             // HULL: how many convex pieces of a mesh it is one of, else 0; they are
                          // next to one another
  double off;             // how far these are from the surface of the mesh [m]
  double radius;          // of a bounding sphere about X_BS.p, HUGE_VAL for a plane [m]
  cardan_surface surface; // of its material, defaults filled in
  cardan_pos pos;
} cardan_solid;

/* One (contact ..) of the file; tables have columns for each. */
typedef struct {
  const char *name;       // given, or "A-B", "A-all", "all"
  cardan_surface surface; // the values given in it
  cardan_pos pos;
} cardan_contact;

/* Two solids that may touch: A = solid[0] and B = solid[1]. Sorted by solid[0], then solid[1].
 * Since solid[0] < solid[1], solids of the world and planes are always B. */
typedef struct {
  int solid[2];
  int contact; // the contact that defines the pair
  double friction, statical, restitution, rolling, spinning;
} cardan_pair;

/* A one-sided row (stop, rope, inequality): gap = sign * row's value >= 0. A stop has two of them,
 * "NAME.low" and "NAME.high". */
typedef struct {
  const char *name; // given, or "rope1", ..
  cardan_element_kind kind;
  int row; // index into model->bound_row
  double sign;
  double restitution;
  cardan_pos pos;
} cardan_bound;

/* Why a model has no equations of motion, see cardan_model_dynamic. */
typedef enum {
  CARDAN_INERT_NONE,     // it has equations of motion
  CARDAN_INERT_MASSLESS, // a joint carries no mass
  CARDAN_INERT_LOOP,     // a joint carries a massless body that a constraint holds
  CARDAN_INERT_AXIS      // all mass that a joint carries lies on its axis at the start
} cardan_inert;

/* How the numbers of a model are computed from its parameters (src/model/recipe.h). */
struct cardan__recipe;

typedef struct cardan_model {
  const char *name;
  size_t size; // of the block [bytes]
  int nbody;   // world included
  int njoint, nframe, nshape;
  int nq, nv;
  int nconstraint, nrow;
  int nrow_body, nrow_dof; // entries of all rows
  int nforce, nexpr, nprescribed, ndriven, ninput;
  int npose, ndefault, nwarning;
  int nkeyframe;
  int nparameter, ny;
  int nz, nrate; // auxiliary states; the first nrate have a derivative, the others are memories
  int ncontroller;
  int nturning;
  int nrubbing;  // closing joints with dry friction
  int nmulti;    // bodies with a spherical or free joint
  int expr_work; // doubles that evaluating any expression needs
  int max_leaf;  // most leaves of any expression
  bool has_friction;
  bool has_program;         // (program ..): a force that data->program computes
  bool planar;              // its joints keep every body in a plane
  cardan_vec3 plane_normal; // normal of that plane in world axes (unit)
  cardan_vec3 gravity;
  double mass;        // of all moving bodies [kg]
  double closing;     // violation up to which loops with contradictory data count as closed, see
                      // cardan_model_set_closing [m or rad]
  double closing_own; // the same before nearly dependent rows widen it: given, or from the digits
  double rank_tol;    // a row counts as independent if the part of it that is orthogonal to the
                      // other rows exceeds this fraction of it: see cardan_model_set_rank_tol
  bool closing_given, rank_given; // by cardan_model_set_closing, cardan_model_set_rank_tol
  double size_length;             // a typical length of the mechanism, for tolerances [m]
  cardan_body *body;              // nbody
  struct cardan__inertia_lanes *inertia_lanes; // copy of their inertias, eight side by side
  cardan_joint *joint;                         // njoint
  cardan_frame *frame;                         // nframe
  cardan_shape *shape;                         // nshape
  const char **q_name, **v_name; // nq, nv: as table columns use them, without "q." and "v."
  int *q_body, *v_body;          // nq, nv: the body that each belongs to
  cardan_constraint *constraint; // nconstraint
  cardan_row *row;               // nrow
  int *row_body;                 // nrow_body: body of each entry
  int *row_dof;                  // nrow_dof: v index of each entry
  cardan_force_element *force;   // nforce
  cardan_bound_expr *expr;       // nexpr
  cardan_prescribed *prescribed; // nprescribed
  int *driven;                   // ndriven: joints that have a motion, in the order of the motions
  cardan_input_def *input;       // ninput, in the order of the file
  cardan_aux_state *state;       // nz: those with a derivative, then memories, each likewise
  cardan_controller *controller; // ncontroller
  cardan_turning *turning;       // nturning: coordinates of closing joints that turn
  double *q0, *v0;               // nq, nv: the start as written (quaternions normalised)
  bool *q_fixed;                 // nq: assembly does not change it
  bool *q_given, *v_given;       // nq, nv: the file gives the entry of q0, v0; others are defaults
  cardan_pose *pose;             // npose: poses of frames at the start
  cardan_default *defaults;      // ndefault
  cardan_keyframe *keyframe;     // nkeyframe
  int start;                     // keyframe from which q0, v0 and the inputs' values are; -1: none
  double *armature;              // nv: inertia of the rotor of each velocity [kg m^2, kg], or 0
  bool has_armature;             // an entry of armature is not 0
  cardan_parameter *parameter;   // nparameter
  double *parameter_value;       // nparameter: the same values, as expressions read them
  cardan_output *output;         // ny
  struct cardan__recipe *recipe; // NULL: no parameters
  unsigned revision;             // counts cardan_model_set
  const char **warning;          // nwarning
  // contact
  int nmaterial, nsolid, nhull, nfield, ncontact, npair;
  cardan_material *material;  // nmaterial
  cardan_solid *solid;        // nsolid
  cardan_hull *hull;          // nhull
  cardan_height_field *field; // nfield
  cardan_contact *contact;    // ncontact
  cardan_pair *pair;          // npair
  int nbound, nbound_row, nbound_body, nbound_dof;
  cardan_bound *bound;   // nbound: in the order of the file
  cardan_row *bound_row; // nbound_row
  int *bound_body;       // nbound_body: body of each entry
  int *bound_dof;        // nbound_dof: v index of each entry
  // from analysis of the assembled start (constraints/rank.c)
  bool *row_redundant; // nrow: depends linearly on the others
  bool *row_shared;    // nrow: its multiplier is not unique; computed with minimum norm
  double open;         // violation at the start that contradictory data make inevitable [m or rad]
  int nnear;           // rows that are redundant only within the rounding of the data
  double near;         // largest independent fraction of these rows; 0: none
  int nalmost;        // if the model cannot move: rows with an independent fraction below 1e-2, but
  double almost;      // above the rounding of the data; and the largest of these fractions
  int rank;           // of the constraint rows
  int mobility;       // nv - kinematic - rank
  int nvelocity_row;  // rows of velocity level among the nrow
  int position_rank;  // of the other rows; rank, where there are none of velocity level
  cardan_inert inert; // whether forces can move it, and if not
  int inert_joint, inert_constraint; // because of which joint, and LOOP: which constraint
  void *block;                       // start of the memory
  cardan_allocator allocator;
} cardan_model;

/* Compiles a spec. The loops are closed once to determine rank, mobility and redundant constraints.
 * Two kinds of models build, but cannot run:
 *   a joint that moves no inertia     for kinematics; cardan_model_dynamic and methods refuse it
 *   a start whose loops do not close  all constraints count as independent; cardan_sim_start
 *                                     refuses it, unless option assemble is off
 * *out is NULL on failure, and report names the item at fault. The spec is not changed and may be
 * destroyed. allocator NULL: malloc. */
CARDAN_API cardan_status cardan_model_build(const cardan_spec *spec,
                                            const cardan_allocator *allocator, cardan_model **out,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Sets the closing tolerance and recomputes rank, mobility and redundant constraints.
 * Call it before the model is shared, and before a data or sim of it is created.
 * closing  tolerance for loops with contradictory data, such as overconstrained linkages with
 *          rounded dimensions: Newton's method ends at a least violation above 0, and the loop
 *          counts as closed up to this violation. 0: from (simulate (closing ..)), otherwise one
 *          unit of the last digit of the file (times 1 + size_length, at most 1e-3), at least 1e-7
 *          size_length. Loops that can be closed are always closed to 1e-12.
 * returns CARDAN_ERR_ARGUMENT below 0; else as cardan_model_build, and the model stays usable */
CARDAN_API cardan_status cardan_model_set_closing(cardan_model *model, double closing,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Sets the rank tolerance and recomputes rank, mobility and redundant constraints; otherwise as
 * cardan_model_set_closing. Rounded data can make redundant rows independent: an axis that is 1e-4
 * rad off the parallel axes of a planar loop locks it.
 * tol  a row is redundant if, at the start and at configurations around it, at most this fraction
 *      of it is orthogonal to the other rows; closing grows to tol (1 + size_length). 0: from
 *      (simulate (rank-tol ..)), otherwise three units of the coarsest last digit of the numbers in
 *      the file (of those with 4 to 14 digits), relative to the size of the mechanism if that is
 *      below 1, between 1e-5 and 3e-3
 * returns CARDAN_ERR_ARGUMENT below 0 and above 0.1; else as cardan_model_build */
CARDAN_API cardan_status cardan_model_set_rank_tol(cardan_model *model, double tol,
                                                   cardan_report *report) CARDAN_MUST_USE;

/* Makes a keyframe the model's start, in place of (initial ..) and of its poses: q0, v0, q_given,
 * v_given and the inputs' values; recomputes rank, mobility and redundant constraints. Call it
 * before the model is shared, and before a data or sim of it is created. (simulate (keyframe
 * "NAME")) has the same effect. cardan_keyframe_set (cardan/data.h) does not change the model.
 * returns CARDAN_ERR_ARGUMENT for an unknown name, with the closest one in report; else as
 *         cardan_model_build, and the model stays usable */
CARDAN_API cardan_status cardan_model_set_start(cardan_model *model, const char *keyframe,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Checks that the model has equations of motion: that every joint moves some inertia.
 * returns CARDAN_OK, or CARDAN_ERR_MODEL with the joint, its position in the text, and what to
 * do */
CARDAN_API cardan_status cardan_model_dynamic(const cardan_model *model,
                                              cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_model_destroy(cardan_model *model); // NULL is fine

/* Names by index. Frames, joints, constraints, forces and inputs have a field `name`; coordinates
 * and velocities have the arrays q_name and v_name. Unnamed elements have their word and number,
 * "spring2". For columns of results see cardan_sim_column and cardan_sim_find_column.
 * cardan_body_name  name of the frame that the body's joint carries; for all bodies but the last of
 *                   a joint with several bodies, the name of the velocity; never NULL
 * cardan_row_name   name of a constraint row, "loop.2", cut to size */
CARDAN_API const char *cardan_body_name(const cardan_model *model, int body);
CARDAN_API void cardan_row_name(const cardan_model *model, int row, char *name, size_t size);

/* Copies a model to a block of its own; parameters of the copy can be set.
 * returns CARDAN_ERR_MEMORY; *out is then NULL */
CARDAN_API cardan_status cardan_model_copy(const cardan_model *model,
                                           const cardan_allocator *allocator,
                                           cardan_model **out) CARDAN_MUST_USE;

/* Sets a parameter and recomputes every number that depends on it: masses, inertias, placements,
 * springs, expressions, the start. The result is bitwise that of reading the text with this value,
 * except that warnings are not updated. The model must not be in use by another thread or sim; copy
 * a shared model first. Reset each data of the model (cardan_data_reset); its sims refuse to
 * continue and must be created again. O(frames + elements), no allocation; but if the geometry of
 * constraints or their start changes, the loops are closed and ranked again as by
 * cardan_model_set_closing.
 * returns CARDAN_ERR_ARGUMENT if there is no such parameter, if it is computed from others, or if
 * it
 *         is used where it cannot change without reading the text again (a joint's axis, (when
 *         ..));
 *         CARDAN_ERR_NOT_FINITE, or CARDAN_ERR_MODEL for a value that a text must not have, such
 *         as a negative mass: the model is then unchanged. A joint that no longer moves any inertia
 *         is reported by the first step */
CARDAN_API cardan_status cardan_model_set(cardan_model *model, const char *parameter, double value,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Indices by name, -1 when there is none. O(n). */
CARDAN_API int cardan_model_parameter(const cardan_model *model, const char *name); // any case
CARDAN_API int cardan_model_output(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_frame(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_joint(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_body(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_constraint(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_force(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_q(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_v(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_input(const cardan_model *model, const char *name);
CARDAN_API int cardan_model_z(const cardan_model *model, const char *name); // an auxiliary state
/* Index of the controller of an input, -1 if it has none. */
CARDAN_API int cardan_model_controller(const cardan_model *model, int input);
CARDAN_API int cardan_model_keyframe(const cardan_model *model, const char *name);

#ifdef __cplusplus
}
#endif
