/* SPDX-License-Identifier: Apache-2.0
 * cardan/model.h - a compiled mechanism: constant, one block of memory, shared freely by threads.
 *
 * Bodies are numbered parents first, in the order of the file; body 0 is the fixed world. Frames
 * that are rigidly attached to one another form one body. Every body is attached to its parent by
 * one elementary joint: revolute, prismatic or helical about or along z of the body's own frame,
 * spherical, free, or one with a motion of its own (src/kinematics/joint.h). Joints of format.md
 * with two or three scalar coordinates are short chains of these with massless bodies between;
 * cardan_joint tells which bodies a joint of the file became.
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
  CARDAN_LINK_FORKED = 8,    // it has other children than the next body
  CARDAN_LINK_LAST = 16,     // of those others, the last
  CARDAN_LINK_RIGHT = 32,    // T_PB = Trans(p) Rx(alpha) Rz(..) in every position: a right angle
  CARDAN_LINK_PARALLEL = 64, // the same, alpha is 0
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
  double restitution; // of an impact on one of them
  double effort;      // most that its drive gives [N | N m], 0: not said; no method uses it
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
  // indices of its entries in cardan_rows: bodies and dofs it touches, fixed at build
  int badr, nb, dadr, nd;
  double length; // what counts as a large violation: 1 for angles, size_length for lengths [m|rad]
  bool scaled;   // it is size_length, or 1 where that is 0
} cardan_row;

typedef struct {
  const char *name; // given, or "KIND1", "KIND2", .. counted over its kind
  cardan_element_kind kind;
  int row, nrow;
  int frame[3], var[2];
  cardan_pos pos;
} cardan_constraint;

enum {
  CARDAN_FORCE_POTENTIAL = 1, // has an energy
  CARDAN_FORCE_VELOCITY = 2,  // depends on v
  CARDAN_FORCE_TIME = 4,      // depends on t
  CARDAN_FORCE_REACTION = 8,  // depends on a joint's reaction
  CARDAN_FORCE_INPUT = 16,    // depends on an input or an auxiliary state
  CARDAN_FORCE_FRICTION = 32, // acts against sliding, up to a limit
  CARDAN_FORCE_PROGRAM = 64   // a program's own (cardan_program): its derivatives are not known
};

typedef struct {
  const char *name;
  cardan_element_kind kind;
  int flags;
  int frame[2];
  int joint;       // friction, dry-friction
  int var;         // q index, -1: none
  int dof;         // v index, -1: none
  int input;       // actuator; -1: none
  double value[6]; // friction: mu, radius, vs; dry-friction: c, 1, vs
  int expr[6];     // indices into model->expr, -1: none
  bool in_world;
  cardan_pos pos;
} cardan_force_element;

typedef struct {
  int frame;
  cardan_xform X_WF;
  bool turned;       // its rotation counts, not its place alone
  bool moves, spins; // it has a velocity of its own, and an angular one:
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
  const double *q, *v; // nq, nv: what it does not name is 0, the identity for a quaternion
  const double *u;     // ninput: what it does not name is the input's own value
  const bool *q_given, *v_given; // nq, nv: it names them
  cardan_pos pos;
} cardan_keyframe;

/* The prescribed motion of a kinematic coordinate. */
typedef struct {
  int body, expr;
} cardan_prescribed;

/* A parameter, or a constant that is worked out from parameters. */
typedef struct {
  const char *name;
  double value;
  bool derived; // cardan_model_set does not take it: it follows others
  cardan_pos pos;
  cardan_pos
      rigid_pos; // where it is used in a place that only reading the text again can fill, such
                 // as the axis of a joint or (when ..); line 0: nowhere
} cardan_parameter;

/* A named expression for tables. */
typedef struct {
  const char *name;
  int expr; // index into model->expr
  cardan_pos pos;
  const char *column; // in tables: "y." and the name; of a closing joint's coordinate, q.c and v.c
  const char *unit;   // "" where it is not known: of the others
} cardan_output;

/* The coordinate of a closing joint that turns: the angle of frame B about an axis of frame A,
 * counted over turns from data->half_turn. */
typedef struct {
  const char *name;
  int frame[2];     // A, B
  cardan_vec3 axis; // in A, of length 1
  double start;     // at a start the angle is taken less whole turns, nearest to this,
  int expr;         // or to this expression of t, a motion's; -1: none
} cardan_turning;

/* An auxiliary state (cardan_aux_state_def). */
typedef struct {
  const char *name;
  double initial;
  double every; // [s], 0: expr is its derivative; else it is what it becomes at a sample
  int expr;     // index into model->expr
  cardan_pos pos;
} cardan_aux_state;

/* What sets an input at samples (cardan_controller_def). */
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

/* A shape that touches others. Those of moving bodies come first, then those of the world, then
 * planes; among them in the order of bodies and frames. */
typedef struct {
  const char *name; // of its frame, or of the first above it that has one
  int frame, body;
  int shape;              // index into model->shape: how it is drawn
  int material;           // index, -1: none
  cardan_shape_kind kind; // not MESH
  cardan_xform X_BS;      // its own coordinates to body coordinates
  double size[3];         // as in cardan_shape
  double round;           // HULL: radius of its edges [m]
  int hull;               // HULL: index of the polyhedron as given, else -1. The next one is the
                          // same less `round` on every face, its core: all points at most `round`
                          // from the core are the solid
  double radius;          // of a ball about X_BS.p that holds it, HUGE_VAL for a plane [m]
  cardan_surface surface; // of its material, defaults filled in
  cardan_pos pos;
} cardan_solid;

/* One (contact ..) of the file: what tables have columns for. */
typedef struct {
  const char *name;       // given, or "A-B", "A-all", "all"
  cardan_surface surface; // what it says itself
  cardan_pos pos;
} cardan_contact;

/* Two solids that touch: A = solid[0] and B = solid[1]. Sorted by solid[0], then solid[1]; a solid
 * of the world stands as B, and a plane, since solid[0] < solid[1]. */
typedef struct {
  int solid[2];
  int contact; // which says so
  double friction, statical, restitution, rolling, spinning;
} cardan_pair;

/* A one-sided row (stop, rope, inequality): gap = sign * row's value >= 0. A stop is two,
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
  CARDAN_INERT_NONE,     // it has
  CARDAN_INERT_MASSLESS, // a joint carries no mass
  CARDAN_INERT_LOOP,     // a joint carries a massless body that a constraint holds
  CARDAN_INERT_AXIS      // all mass that a joint carries lies on its axis at the start
} cardan_inert;

/* What the numbers of a model with parameters were made from (src/model/recipe.h). */
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
  bool planar;              // its joints keep every body in a plane,
  cardan_vec3 plane_normal; // across this direction of the world (unit)
  cardan_vec3 gravity;
  double mass;        // of all moving bodies [kg]
  double closing;     // violation with which loops count as closed, where their data
                      // contradict one another: see cardan_model_close [m or rad]
  double closing_own; // the same as it was given or follows from the digits: near rows widen it
  double rank_tol;    // part of itself that a row adds to the others if it counts, as far
                      // as the digits of the data tell: see cardan_model_rank
  bool closing_given, rank_given; // by cardan_model_close, cardan_model_rank
  double size_length;             // a typical length of the mechanism, for tolerances [m]
  cardan_body *body;              // nbody
  struct cardan__inertia_lanes *inertia_lanes; // their inertias once more, eight side by side
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
  bool *q_fixed;                 // nq: assembly leaves it
  bool *q_given, *v_given;   // nq, nv: the file says it; the rest of q0 and v0 is what is not said
  cardan_pose *pose;         // npose: where frames are to be at the start
  cardan_default *defaults;  // ndefault
  cardan_keyframe *keyframe; // nkeyframe
  int start;                 // keyframe that q0, v0 and the inputs' values are of; -1: none
  double *armature;          // nv: inertia of the rotor of each velocity [kg m^2, kg], mostly 0
  bool has_armature;         // one of them is not
  cardan_parameter *parameter;   // nparameter
  double *parameter_value;       // nparameter: the same values, as expressions read them
  cardan_output *output;         // ny
  struct cardan__recipe *recipe; // NULL: no parameters
  unsigned revision;             // counts cardan_model_set
  const char **warning;          // nwarning
  // contact
  int nmaterial, nsolid, nhull, ncontact, npair;
  cardan_material *material; // nmaterial
  cardan_solid *solid;       // nsolid
  cardan_hull *hull;         // nhull
  cardan_contact *contact;   // ncontact
  cardan_pair *pair;         // npair
  int nbound, nbound_row, nbound_body, nbound_dof;
  cardan_bound *bound;   // nbound: in the order of the file
  cardan_row *bound_row; // nbound_row
  int *bound_body;       // nbound_body: body of each entry
  int *bound_dof;        // nbound_dof: v index of each entry
  // from analysis of the assembled start (constraints/rank.c)
  bool *row_redundant; // nrow: follows from the others
  bool *row_shared;    // nrow: its multiplier is not unique; the shortest multipliers are given
  double open;   // violation of the start that its data leave, 0 but for contradictions [m or rad]
  int nnear;     // redundant rows that the digits make so: they are independent by up to near
  double near;   // of these, the largest part of itself that a row adds to the others; 0: none
  int nalmost;   // of a model that cannot move: rows that would be so to within 1e-2, though the
  double almost; // digits do not say it, and by how much they are independent
  int rank;      // of the constraint rows
  int mobility;  // nv - kinematic - rank
  cardan_inert inert;                // whether forces can move it, and if not
  int inert_joint, inert_constraint; // because of which joint, and LOOP: which constraint
  void *block;                       // start of the memory
  cardan_allocator allocator;
} cardan_model;

/* Compiles a spec. The model is finished: its loops were closed once, to find rank, mobility and
 * which constraints are redundant. A model that has a joint without inertia to push against builds
 * too, for kinematics: cardan_model_dynamic says so, and methods refuse it. A start whose loops
 * do not close builds too, with all constraints taken as independent: cardan_sim_start refuses it,
 * unless the options say not to assemble. *out is NULL on failure, and report says which item is at
 * fault. The spec is not changed and may be destroyed. allocator NULL: malloc. */
CARDAN_API cardan_status cardan_model_build(const cardan_spec *spec,
                                            const cardan_allocator *allocator, cardan_model **out,
                                            cardan_report *report) CARDAN_MUST_USE;

/* The same start with another tolerance: rank, mobility and redundant constraints are found again.
 * Before the model is shared, and before anything is made of it.
 * closing  of loops whose data contradict one another, as those of overconstrained linkages do to
 *          within their digits: Newton's steps end with a violation that none can lessen, and up to
 *          this one the loop is closed. 0: what the digits of the file allow, one unit of the last
 *          (times 1 + size_length, at most 1e-3), and 1e-7 size_length at least, or (simulate
 *          (closing ..)). Loops that can be closed are closed to 1e-12, whatever it is.
 * returns CARDAN_ERR_ARGUMENT below 0; else as cardan_model_build, and the model stays usable */
CARDAN_API cardan_status cardan_model_close(cardan_model *model, double closing,
                                            cardan_report *report) CARDAN_MUST_USE;

/* The same for what counts as redundant. Numbers that were rounded make rows independent that ought
 * to follow from others: an axis that is 1e-4 rad off the parallel ones of a planar loop locks it.
 * tol  rows that add no more than this part of themselves to the others, at the start and at places
 *      around it, are redundant; up to there loops may stay open (closing grows to tol (1 +
 *      size_length)). 0: what the digits of the file say, three units of the coarsest last digit of
 *      4 to 14, relative to the size of the mechanism where that is less than 1, at most 3e-3; 1e-5
 *      at least, or (simulate (rank-tol ..))
 * returns CARDAN_ERR_ARGUMENT below 0 and above 0.1; else as cardan_model_build */
CARDAN_API cardan_status cardan_model_rank(cardan_model *model, double tol,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Makes a keyframe the model's start, in place of (initial ..) and of its poses: q0, v0, what is
 * given of them, and the inputs' values; rank, mobility and redundant constraints are found again.
 * Before the model is shared, and before anything is made of it; (simulate (keyframe "NAME")) does
 * the same. cardan_keyframe_set (cardan/data.h) leaves the model as it is.
 * returns CARDAN_ERR_ARGUMENT for a name that no keyframe has, and the nearest in report; else as
 *         cardan_model_build, and the model stays usable */
CARDAN_API cardan_status cardan_model_start(cardan_model *model, const char *keyframe,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Has every joint inertia to push against? Then there are equations of motion.
 * returns CARDAN_OK, or CARDAN_ERR_MODEL with the joint, its place in the text, and what to do */
CARDAN_API cardan_status cardan_model_dynamic(const cardan_model *model,
                                              cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_model_destroy(cardan_model *model); // NULL is fine

/* Names by index. Of frames, joints, constraints, forces and inputs they are fields, and of
 * coordinates and velocities arrays above; elements without a name of their own have their word and
 * number, "spring2". cardan_body_name: of the frame that the body's joint carries, of the velocity
 * for the bodies before the last of a joint with several; never NULL. cardan_row_name: "loop.2",
 * cut to size. Columns of results: cardan_sim_column, cardan_sim_find_column. */
CARDAN_API const char *cardan_body_name(const cardan_model *model, int body);
CARDAN_API void cardan_row_name(const cardan_model *model, int row, char *name, size_t size);

/* A copy of a model in a block of its own, with all that its parameters need.
 * returns CARDAN_ERR_MEMORY; *out is then NULL */
CARDAN_API cardan_status cardan_model_copy(const cardan_model *model,
                                           const cardan_allocator *allocator,
                                           cardan_model **out) CARDAN_MUST_USE;

/* Gives a parameter another value: masses, inertias, placements, springs, expressions, the start,
 * every number that depends on it, and what follows from those, as if the text were read with that
 * value, to the same bits; only warnings stay. For a model that no other thread or sim uses: if
 * it is shared, copy it first. Reset a data of the model (cardan_data_reset); its sims refuse to
 * continue and must be created again. O(frames + elements), no allocation, but where the model has
 * constraints and their geometry or the start changes: those are then closed and ranked as by
 * cardan_model_close.
 * returns CARDAN_ERR_ARGUMENT when there is no such parameter, it is worked out from others, or
 *         stands where only reading the text again can follow it (a joint's axis, (when ..), ..);
 *         CARDAN_ERR_NOT_FINITE, or CARDAN_ERR_MODEL for a value that a text could not have, such
 *         as a negative mass: the model is then as it was. Whether every joint still has inertia
 *         to push against, the first step says */
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
/* The controller of an input by its index, -1: it has none. */
CARDAN_API int cardan_model_controller(const cardan_model *model, int input);
CARDAN_API int cardan_model_keyframe(const cardan_model *model, const char *name);

#ifdef __cplusplus
}
#endif
