/* SPDX-License-Identifier: Apache-2.0
 * cardan/spec.h - describe a mechanism piece by piece, from a file or in code.
 *
 * A spec is the editable description; cardan_model_build (cardan/model.h) compiles it. It mirrors
 * the model file of docs/format.md form by form: frames are a tree of transforms, frame 0 is the
 * world. Errors are sticky: the first call that fails marks the spec, later calls do nothing, and
 * cardan_spec_status or cardan_model_build returns that failure. So a program may build a whole
 * mechanism and check once. Strings are copied. One spec belongs to one thread at a time. */
#pragma once
#include "cardan/base.h"
#include "cardan/elements.h"
#include "cardan/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_spec cardan_spec;

/* Kinds of joints; their words in a model file, coordinates and axes are in docs/format.md. */
typedef enum {
  CARDAN_JOINT_FIXED,
  CARDAN_JOINT_REVOLUTE,
  CARDAN_JOINT_PRISMATIC,
  CARDAN_JOINT_HELICAL,
  CARDAN_JOINT_CYLINDRICAL,
  CARDAN_JOINT_UNIVERSAL,
  CARDAN_JOINT_PLANAR,
  CARDAN_JOINT_SPHERICAL,
  CARDAN_JOINT_FREE
} cardan_joint_kind;

/* trep's six transforms. */
typedef enum {
  CARDAN_TRANSFORM_TX,
  CARDAN_TRANSFORM_TY,
  CARDAN_TRANSFORM_TZ,
  CARDAN_TRANSFORM_RX,
  CARDAN_TRANSFORM_RY,
  CARDAN_TRANSFORM_RZ
} cardan_transform;

/* A joint as one piece. Zero axes mean the defaults: axis z; universal axis x, axis2 y. */
typedef struct {
  cardan_joint_kind kind;
  const char *name;
  cardan_vec3 axis, axis2; // directions in the joint's frame; any length but 0
  double pitch;            // helical: metres per radian
  bool has_limit;          // stops at both ends of its coordinate (option contacts)
  double limit[2];
  double restitution; // of an impact on a limit, 0 .. 1: speed after over speed before
  double effort;      // most that its drive gives [N | N m], 0: not said; kept and reported
} cardan_joint_def;

/* Mass of a frame: point mass when all inertias are 0. The tensor is about the frame's origin, in
 * its axes; xy, xz, yz are tensor entries, as in URDF. [kg, kg m^2] */
typedef struct {
  double m, xx, yy, zz, xy, xz, yz;
} cardan_mass;

typedef enum {
  CARDAN_SHAPE_BOX,      // size: x, y, z
  CARDAN_SHAPE_SPHERE,   // size: radius
  CARDAN_SHAPE_CYLINDER, // size: radius, height (along z)
  CARDAN_SHAPE_CAPSULE,  // size: radius, height between the cap centres (along z)
  CARDAN_SHAPE_MESH,     // file; size: factors of x, y and z, 0 counts as 1
  // of solids, and ellipsoids for display
  CARDAN_SHAPE_ELLIPSOID, // size: semi-axes along x, y, z
  CARDAN_SHAPE_POINT,
  CARDAN_SHAPE_PLANE, // all of z <= 0
  CARDAN_SHAPE_HULL   // the convex hull of points
} cardan_shape_kind;

typedef struct {
  cardan_shape_kind kind;
  double size[3]; // [m]
  const char
      *file;   // mesh only: a relative path without "..", or package://NAME/.., model://NAME/..
  bool hidden; // of a solid: it is not drawn, since other shapes of the frame show it
} cardan_shape;

/* What a surface is like. Of two that meet: friction is the geometric mean, restitution the larger,
 * spinning and rolling the larger, where the contact itself does not say it.
 * friction     |tangential force| <= friction * normal force while sliding; 0.5 unless said
 * statical     the same while sticking, >= friction; friction unless said
 * restitution  0 .. 1: speed after an impact over speed before; 0 unless said
 * rolling, spinning  |moment| <= length * normal force, about tangents and normal [m]; 0 */
typedef struct {
  double friction, statical, restitution, rolling, spinning;
  bool has_friction, has_statical, has_restitution, has_rolling, has_spinning;
} cardan_surface;

/* A shape that touches others, fixed in a frame. Which pairs do, cardan_spec_contact says. */
typedef struct {
  cardan_shape shape;   // not MESH: its reader makes a HULL of it
  const char *material; // NULL: defaults
  double round;         // HULL: radius of its edges [m], 0: one percent of its smallest extent
  int npoint;           // HULL
  const cardan_vec3 *point;
} cardan_solid_def;

/* Which solids touch: those of two frames; all and frame[0]: of one with every other; all alone:
 * every pair of different bodies that no joint joins. What names more frames wins, then what comes
 * later; never (no-contact) wins over all. */
typedef struct {
  const char *name; // optional
  const char *frame[2];
  int frame_at[2]; // by index in place of a name; 0: by name
  bool all, never;
  cardan_surface surface;
} cardan_contact_def;

/* One constraint, potential, force or motion; which fields count is said in the lists of
 * cardan/elements.h. Expressions are texts in the syntax of docs/format.md, such as
 * "(* 2 (sin t))" or "0.5". */
typedef struct {
  cardan_element_kind kind;
  const char *name;     // optional
  const char *frame[3]; // A, B, and the frame that n is fixed in (NULL: the world)
  const char *var[2];   // coordinates or joint; an actuator's input; the coordinate of a close
  cardan_vec3 n;        // direction of a point constraint
  double value[6];
  const char *expr[6];
  bool in_world;          // wrench: components in world axes, else in the frame's
  cardan_joint_def joint; // close: kind, axes, pitch
  int frame_at[3];        // frames by index in place of a name; 0: by name
  int var_at[2];          // coordinate or joint by the index of the frame that it carries; likewise
} cardan_element;

/* An input: a number from outside, held over each step, that torques, wrenches and actuators read.
 * Where it is used it is clamped to its limit. */
typedef struct {
  const char *name;
  double value;   // at the start, and until another is set
  bool has_limit; // lo < hi
  double limit[2];
} cardan_input_def;

/* An auxiliary state z.NAME beside the coordinates: a filter, the current of a motor, the integral
 * of an error. every 0: its derivative is expr, dz/dt = f(t, q, v, u, z). every > 0: a memory,
 * which keeps its value between samples, at t = t0 + k every from the start t0 of a run, and there
 * becomes expr. */
typedef struct {
  const char *name;
  double initial;   // at the start
  double every;     // [s]
  const char *expr; // of t, q.NAME, v.NAME, u.NAME, z.NAME and frames; a memory's as a controller's
} cardan_aux_state_def;

/* A controller: at t = t0 + k every the input becomes expr, and is held until the next sample. All
 * that is sampled at one time reads the values from before it. */
typedef struct {
  const char *input;
  double every; // [s], > 0
  const char
      *expr; // as an auxiliary state's, and what outputs read without accelerations and forces
} cardan_controller_def;

/* A starting value for a joint or coordinate, or (frame != NULL) a pose for a body.
 * Values not given are 0, the identity for a quaternion. */
typedef struct {
  const char *var;
  int nvalue, nvelocity; // 0: not given
  double value[7], velocity[6];
  bool fixed; // assembly does not move it
  const char *frame;
  cardan_xform
      pose; // of that frame in the world, R all 0: its place alone; nvelocity 6: of its origin (3)
            // and angular (3) in world axes, 3: of its origin alone, 0: not given
  const char *input;    // keyframes only, not NULL: value[0] is one of this input
  int var_at, frame_at; // as in cardan_element, in place of var and frame
} cardan_initial;

/* Creates an empty spec; *out is NULL on failure. allocator NULL: malloc. */
CARDAN_API cardan_status cardan_spec_create(const cardan_allocator *allocator,
                                            cardan_spec **out) CARDAN_MUST_USE;
CARDAN_API void cardan_spec_destroy(cardan_spec *spec); // NULL is fine

/* Source position that the following calls belong to, for messages; readers set it. */
CARDAN_API void cardan_spec_at(cardan_spec *spec, cardan_pos pos);

CARDAN_API void cardan_spec_name(cardan_spec *spec, const char *name);
CARDAN_API void cardan_spec_gravity(cardan_spec *spec, cardan_vec3 g); // [m/s^2]
CARDAN_API void cardan_spec_define(cardan_spec *spec, const char *name, double value);

/* A number by name that lives on in the compiled model, where cardan_model_set changes it. In a
 * model file it may stand wherever a number may; in code, in expressions. One namespace with the
 * constants above. */
CARDAN_API void cardan_spec_parameter(cardan_spec *spec, const char *name, double value);

/* A named output: an expression that may also read velocities, accelerations, multipliers and
 * energies (docs/format.md, "Outputs"). cardan_outputs computes it, tables hold it as y.NAME. */
CARDAN_API void cardan_spec_output(cardan_spec *spec, const char *name, const char *expr);

/* What lengths and angles are rounded to [m, rad], 0 (the default): they are exact. A reader finds
 * it from the digits of its text. Loops that contradict themselves by no more than that are closed
 * as far as they can be (cardan_model.closing). */
CARDAN_API void cardan_spec_rounding(cardan_spec *spec, double unit);

/* The coarsest that any of them is rounded to, where they differ [m, rad]; 0 (the default): exact.
 * What is redundant to within that is so (cardan_model.rank_tol). */
CARDAN_API void cardan_spec_coarsest(cardan_spec *spec, double unit);

/* Frames. Each returns the new frame's index, to be given as parent of others and to elements, and
 * the frame's index in the model that is built; 0 (the world) after a failure, which the spec
 * remembers. A joint or variable without a name (NULL) gets one, "joint12" for frame 12.
 * _transform  a fixed step along or about an axis [m | rad]
 * _variable   the same with a coordinate; kinematic: a CARDAN_ELEMENT_MOTION prescribes it
 * _place      any fixed transform
 * _joint      a joint placed at its parent frame */
CARDAN_API int cardan_spec_transform(cardan_spec *spec, int parent, cardan_transform kind,
                                     double value);
CARDAN_API int cardan_spec_variable(cardan_spec *spec, int parent, cardan_transform kind,
                                    const char *var, bool kinematic);
CARDAN_API int cardan_spec_place(cardan_spec *spec, int parent, const cardan_xform *T);
CARDAN_API int cardan_spec_joint(cardan_spec *spec, int parent, const cardan_joint_def *joint);

/* Options of a frame. A frame without a name takes the name of its variable or joint. */
CARDAN_API void cardan_spec_frame_name(cardan_spec *spec, int frame, const char *name);
CARDAN_API void cardan_spec_mass(cardan_spec *spec, int frame, const cardan_mass *mass);
CARDAN_API void cardan_spec_shape(cardan_spec *spec, int frame, const cardan_shape *shape);
CARDAN_API void cardan_spec_color(cardan_spec *spec, int frame, const char *rrggbb);
CARDAN_API void cardan_spec_solid(cardan_spec *spec, int frame, const cardan_solid_def *solid);

/* Contact: surfaces by name, and which solids touch. */
CARDAN_API void cardan_spec_material(cardan_spec *spec, const char *name,
                                     const cardan_surface *surface);
CARDAN_API void cardan_spec_contact(cardan_spec *spec, const cardan_contact_def *contact);
/* A ground for a model that has none: a plane across z at this height [m], the frame "floor" of the
 * world, and a contact "floor" of it with all solids. */
CARDAN_API void cardan_spec_floor(cardan_spec *spec, double height);

/* Index of a named frame, -1 when there is none. */
CARDAN_API int cardan_spec_find_frame(const cardan_spec *spec, const char *name);
/* Name of a frame, for expressions that refer to it: its own, or its joint's; one that has neither
 * is given one, "frame12" for frame 12. It is the spec's. NULL after a failure. */
CARDAN_API const char *cardan_spec_frame_named(cardan_spec *spec, int frame);

CARDAN_API void cardan_spec_input(cardan_spec *spec, const cardan_input_def *input);
CARDAN_API void cardan_spec_aux_state(cardan_spec *spec, const cardan_aux_state_def *state);
CARDAN_API void cardan_spec_controller(cardan_spec *spec, const cardan_controller_def *controller);
CARDAN_API void cardan_spec_add(cardan_spec *spec, const cardan_element *element);
CARDAN_API void cardan_spec_initial(cardan_spec *spec, const cardan_initial *initial);
/* Takes back all of them, poses too, for others. */
CARDAN_API void cardan_spec_forget_initial(cardan_spec *spec);

/* Inertia of a rotor that turns with coordinate q, geared or not [kg m^2, kg where q slides]:
 * I v^2 / 2 more of kinetic energy. q has a velocity of its own; once for each. */
CARDAN_API void cardan_spec_armature(cardan_spec *spec, const char *q, double inertia);

/* A start by name, of n values: of variables and joints, as cardan_spec_initial takes them (no
 * poses, nothing fixed), and of inputs. What is not named is 0, the identity for a quaternion, an
 * input's own value. */
CARDAN_API void cardan_spec_keyframe(cardan_spec *spec, const char *name,
                                     const cardan_initial *value, int n);

/* A default for a run, such as ("method", "vi"), ("dt", "0.01") or ("no-assemble", NULL). Whether
 * there is such an option, and whether the method has it, cardan_options_apply_model says. */
CARDAN_API void cardan_spec_default(cardan_spec *spec, const char *key, const char *value);

/* CARDAN_OK, or the first failure, whose report is copied to report (which may be NULL). */
CARDAN_API cardan_status cardan_spec_status(const cardan_spec *spec,
                                            cardan_report *report) CARDAN_MUST_USE;

/* A value for a (define NAME ..) or (parameter NAME ..) of a model text, given from outside. */
typedef struct {
  const char *name;
  double value;
} cardan_setting;

/* Reads a model text. file: for messages, and its ending chooses the format; one that is not among
 * those below, or none, means the first, .mbs (docs/format.md). *out is NULL on failure.
 * returns CARDAN_ERR_SYNTAX, CARDAN_ERR_MODEL or CARDAN_ERR_MEMORY, with the place in report;
 *         CARDAN_ERR_ARGUMENT for a setting of a constant that the text does not define. */
CARDAN_API cardan_status cardan_spec_read(const char *text, size_t length, const char *file,
                                          const cardan_setting *settings, int nsetting,
                                          const cardan_allocator *allocator, cardan_spec **out,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Other files that a text may name: parts of the model, meshes. name is as the text has it: a path
 * relative to the model's folder, or package://NAME/.., model://NAME/.., file://..
 * read     the whole of a file; *data is given back to release. On failure nothing is to release,
 *          and the report says why: where it was looked for, and what would help
 * cardan_files_open (cardan/load.h) makes one over folders. */
typedef struct {
  void *user;
  cardan_status (*read)(void *user, const char *name, char **data, size_t *size,
                        cardan_report *report);
  void (*release)(void *user, char *data);
} cardan_files;

/* The same for a text that may name other files; files NULL: it may not, and one that does is an
 * error at its place. */
CARDAN_API cardan_status cardan_spec_read_files(const char *text, size_t length, const char *file,
                                                const cardan_setting *settings, int nsetting,
                                                const cardan_files *files,
                                                const cardan_allocator *allocator,
                                                cardan_spec **out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* How many other files were read for the model. Where it is not 0 the text alone is not the model;
 * cardan_spec_write gives one that is. */
CARDAN_API int cardan_spec_files(const cardan_spec *spec);

/* Was all of the text used? What a reader leaves out it says in a warning of the model; here the
 * first of them is a failure.
 * returns CARDAN_OK, or CARDAN_ERR_MODEL with the place in report */
CARDAN_API cardan_status cardan_spec_strict(const cardan_spec *spec,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Writes the spec as a model text in the format of file's ending; NULL: .mbs. *out is a string from
 * the spec's allocator, to be given to cardan_free_text; reading it back and building gives
 * the same model.
 * returns CARDAN_ERR_UNSUPPORTED for an ending that is unknown or only read, and for a model that
 *         the format cannot hold; report (may be NULL) says what, and where */
CARDAN_API cardan_status cardan_spec_write_as(const cardan_spec *spec, const char *file, char **out,
                                              cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_spec_write(const cardan_spec *spec, const char *file,
                                           char **out) CARDAN_MUST_USE; // without a report

/* The formats by index: ending, with its point; NULL after the last. */
CARDAN_API const char *cardan_format_ending(int index);
CARDAN_API const char *cardan_format_help(int index);
CARDAN_API bool cardan_format_writes(int index);

#ifdef __cplusplus
}
#endif
