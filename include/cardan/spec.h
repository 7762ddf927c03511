/* SPDX-License-Identifier: Apache-2.0
 * cardan/spec.h - editable description of a mechanism, from a file or built in code.
 *
 * cardan_model_build (cardan/model.h) compiles a spec. A spec has the same structure as the model
 * file of docs/format.md: frames are a tree of transforms, frame 0 is the world. Errors are sticky:
 * after the first call that fails, later calls do nothing, and cardan_spec_status or
 * cardan_model_build returns that failure. So a program can build a whole mechanism and check once.
 * Strings are copied. A spec belongs to one thread at a time. */
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

/* A joint. Zero axes mean the defaults: axis z; universal axis x, axis2 y. */
typedef struct {
  cardan_joint_kind kind;
  const char *name;
  cardan_vec3 axis, axis2; // directions in the joint's frame; any length but 0
  double pitch;            // helical: metres per radian
  bool has_limit;          // its coordinate is limited at both ends (option contacts)
  double limit[2];
  double restitution; // of an impact on a limit, 0 .. 1: speed after over speed before
  double effort;      // largest force of its drive [N | N m], 0: not given; only reported
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
  // only for solids; ellipsoids also for display
  CARDAN_SHAPE_ELLIPSOID, // size: semi-axes along x, y, z
  CARDAN_SHAPE_POINT,
  CARDAN_SHAPE_PLANE, // all of z <= 0
  CARDAN_SHAPE_HULL,  // the convex hull of points
  // all below a surface z = f(x, y) over a rectangle about the origin, fixed to the world; size:
  // along x, along y, factor of the heights
  CARDAN_SHAPE_HEIGHT_FIELD
} cardan_shape_kind;

typedef struct {
  cardan_shape_kind kind;
  double size[3]; // [m]
  const char
      *file;   // mesh only: a relative path without "..", or package://NAME/.., model://NAME/..
  bool hidden; // of a solid: not drawn, since the frame has other shapes for display
} cardan_shape;

/* Surface properties. Values that a contact does not give itself are combined from its two
 * surfaces: friction by the geometric mean, restitution, spinning and rolling by the maximum.
 * friction     |tangential force| <= friction * normal force while sliding; default 0.5
 * statical     the same while sticking, >= friction; default: friction
 * restitution  0 .. 1: speed after an impact over speed before; default 0
 * rolling, spinning  |moment| <= length * normal force, about tangents and normal [m]; default 0 */
typedef struct {
  double friction, statical, restitution, rolling, spinning;
  bool has_friction, has_statical, has_restitution, has_rolling, has_spinning;
} cardan_surface;

/* A shape for contact, fixed in a frame. cardan_spec_contact defines which pairs may touch. */
typedef struct {
  cardan_shape shape;   // not MESH: readers convert meshes to a HULL
  const char *material; // NULL: defaults
  double round;         // HULL: radius of its edges [m], 0: one percent of its smallest extent
  int npoint;           // HULL
  const cardan_vec3 *point;
  int rows, columns;    // HEIGHT_FIELD: at least 2 of both, at most 4,000,000 heights
  const double *height; // rows columns: the first row has the lowest y, its first the lowest x
  double base;          // how far it reaches down below its lowest place [m], 0: the longer side
} cardan_solid_def;

/* Pairs of solids that may touch:
 *   frame[0], frame[1]   solids of these two frames
 *   all, frame[0]        solids of this frame with all others
 *   all                  all pairs of different bodies that no joint connects
 * If several definitions apply to a pair, the one with more frames wins, then the later one; never
 * (no-contact) wins over all of them. */
typedef struct {
  const char *name; // optional
  const char *frame[2];
  int frame_at[2]; // frames by index instead of by name; 0: by name
  bool all, never;
  cardan_surface surface;
} cardan_contact_def;

/* One constraint, potential, force or motion; the lists of cardan/elements.h show which fields each
 * kind uses. Expressions are texts in the syntax of docs/format.md, such as "(* 2 (sin t))" or
 * "0.5". */
typedef struct {
  cardan_element_kind kind;
  const char *name;     // optional
  const char *frame[3]; // A, B, and the frame that n is fixed in (NULL: the world)
  const char *var[2];   // coordinates or joint; an actuator's input; the coordinate of a close
  cardan_vec3 n;        // direction of a point constraint; axis of a roll or tyre, edge of a skate
  double value[CARDAN_NVALUE];
  const char *expr[6];
  bool in_world;          // wrench: components in world axes, else in the frame's
  cardan_joint_def joint; // close: kind, axes, pitch
  int frame_at[3];        // frames by index instead of by name; 0: by name
  int var_at[2];          // coordinate or joint by the index of the frame that it carries; likewise
} cardan_element;

/* An input: an external number, constant over each step, which torques, wrenches and actuators
 * read. Elements that read it clamp it to its limits. */
typedef struct {
  const char *name;
  double value;   // initial value
  bool has_limit; // lo < hi
  double limit[2];
} cardan_input_def;

/* An auxiliary state z.NAME in addition to the coordinates: a filter, the current of a motor, the
 * integral of an error.
 *   every = 0   expr is its derivative, dz/dt = f(t, q, v, u, z)
 *   every > 0   a memory: it is set to expr at samples t = t0 + k every, with t0 the start of a
 *               run,
 *               and constant between them */
typedef struct {
  const char *name;
  double initial;   // at the start
  double every;     // [s]
  const char *expr; // of t, q.NAME, v.NAME, u.NAME, z.NAME and frames; a memory: as controllers
} cardan_aux_state_def;

/* A controller: at samples t = t0 + k every the input is set to expr, and held until the next
 * sample. Controllers and memories that are sampled at the same time read the values from before
 * it. */
typedef struct {
  const char *input;
  double every; // [s], > 0
  const char
      *expr; // as an auxiliary state's, and all that outputs read but accelerations and forces
} cardan_controller_def;

/* A starting value for a joint or coordinate, or (frame != NULL) a pose for a body.
 * Values not given are 0, the identity for a quaternion. */
typedef struct {
  const char *var;
  int nvalue, nvelocity; // 0: not given
  double value[7], velocity[6];
  bool fixed; // assembly does not change it
  const char *frame;
  cardan_xform
      pose; // of that frame in the world, R all 0: only its position; nvelocity 6: velocity of its
            // origin (3) and angular (3) in world axes, 3: of its origin only, 0: not given
  const char *input;    // keyframes only: if not NULL, value[0] is the value of this input
  int var_at, frame_at; // as in cardan_element, instead of var and frame
} cardan_initial;

/* Creates an empty spec; *out is NULL on failure. allocator NULL: malloc. */
CARDAN_API cardan_status cardan_spec_create(const cardan_allocator *allocator,
                                            cardan_spec **out) CARDAN_MUST_USE;
CARDAN_API void cardan_spec_destroy(cardan_spec *spec); // NULL is fine

/* Sets the source position of the following calls, for messages; readers use it. */
CARDAN_API void cardan_spec_at(cardan_spec *spec, cardan_pos pos);

CARDAN_API void cardan_spec_name(cardan_spec *spec, const char *name);
CARDAN_API void cardan_spec_gravity(cardan_spec *spec, cardan_vec3 g); // [m/s^2]
CARDAN_API void cardan_spec_define(cardan_spec *spec, const char *name, double value);

/* A named number that cardan_model_set can change in the compiled model. In a model file it may be
 * used instead of any number; in code, in expressions. It shares a namespace with the constants of
 * cardan_spec_define. */
CARDAN_API void cardan_spec_parameter(cardan_spec *spec, const char *name, double value);

/* A named output: an expression that may also read velocities, accelerations, multipliers and
 * energies (docs/format.md, "Outputs"). cardan_outputs computes it; its column in tables is
 * y.NAME. */
CARDAN_API void cardan_spec_output(cardan_spec *spec, const char *name, const char *expr);

/* Rounding unit of lengths and angles [m, rad]; 0 (the default): they are exact. Readers determine
 * it from the digits of the text. Loops whose data contradict one another by no more than this are
 * closed as far as possible (cardan_model.closing). */
CARDAN_API void cardan_spec_rounding(cardan_spec *spec, double unit);

/* Coarsest rounding unit of any length or angle [m, rad]; 0 (the default): exact. Rows that are
 * redundant to this accuracy count as redundant (cardan_model.rank_tol). */
CARDAN_API void cardan_spec_coarsest(cardan_spec *spec, double unit);

/* Add a frame. Each call returns the index of the new frame, which is also its index in the
 * compiled model; it is used as parent of other frames and in elements. Returns 0 (the world) after
 * a failure, see cardan_spec_status. Unnamed joints and variables (NULL) are named "joint12" for
 * frame 12.
 * _transform  a fixed translation along, or rotation about, an axis [m | rad]
 * _variable   the same with a coordinate; kinematic: a CARDAN_ELEMENT_MOTION prescribes it
 * _place      any fixed transform
 * _joint      a joint at its parent frame */
CARDAN_API int cardan_spec_transform(cardan_spec *spec, int parent, cardan_transform kind,
                                     double value);
CARDAN_API int cardan_spec_variable(cardan_spec *spec, int parent, cardan_transform kind,
                                    const char *var, bool kinematic);
CARDAN_API int cardan_spec_place(cardan_spec *spec, int parent, const cardan_xform *T);
CARDAN_API int cardan_spec_joint(cardan_spec *spec, int parent, const cardan_joint_def *joint);

/* Properties of a frame. An unnamed frame has the name of its variable or joint. */
CARDAN_API void cardan_spec_frame_name(cardan_spec *spec, int frame, const char *name);
CARDAN_API void cardan_spec_mass(cardan_spec *spec, int frame, const cardan_mass *mass);
CARDAN_API void cardan_spec_shape(cardan_spec *spec, int frame, const cardan_shape *shape);
CARDAN_API void cardan_spec_color(cardan_spec *spec, int frame, const char *rrggbb);
CARDAN_API void cardan_spec_solid(cardan_spec *spec, int frame, const cardan_solid_def *solid);

/* Contact: named surfaces, and pairs of solids that may touch. */
CARDAN_API void cardan_spec_material(cardan_spec *spec, const char *name,
                                     const cardan_surface *surface);
CARDAN_API void cardan_spec_contact(cardan_spec *spec, const cardan_contact_def *contact);
/* Adds a ground: a plane normal to z at this height [m] in a frame "floor" of the world, and a
 * contact "floor" of it with all solids. */
CARDAN_API void cardan_spec_floor(cardan_spec *spec, double height);

/* Index of a named frame, -1 if there is none. */
CARDAN_API int cardan_spec_find_frame(const cardan_spec *spec, const char *name);
/* Name of a frame, for expressions that refer to it: its own or its joint's; otherwise it is named
 * "frame12" for frame 12. The string belongs to the spec. NULL after a failure. */
CARDAN_API const char *cardan_spec_frame_named(cardan_spec *spec, int frame);

CARDAN_API void cardan_spec_input(cardan_spec *spec, const cardan_input_def *input);
CARDAN_API void cardan_spec_aux_state(cardan_spec *spec, const cardan_aux_state_def *state);
CARDAN_API void cardan_spec_controller(cardan_spec *spec, const cardan_controller_def *controller);
CARDAN_API void cardan_spec_add(cardan_spec *spec, const cardan_element *element);
CARDAN_API void cardan_spec_initial(cardan_spec *spec, const cardan_initial *initial);
/* Removes all start values, including poses. */
CARDAN_API void cardan_spec_forget_initial(cardan_spec *spec);

/* Adds the inertia I of a rotor that moves with coordinate q [kg m^2 | kg], including its gear
 * ratio: it adds I v^2 / 2 to the kinetic energy. q must have a velocity of its own; at most once
 * for each coordinate. */
CARDAN_API void cardan_spec_armature(cardan_spec *spec, const char *q, double inertia);

/* A named start of n values: of variables and joints, as for cardan_spec_initial (no poses, `fixed`
 * false), and of inputs. Values that are not given are 0, the identity for a quaternion, and the
 * initial values of inputs. */
CARDAN_API void cardan_spec_keyframe(cardan_spec *spec, const char *name,
                                     const cardan_initial *value, int n);

/* A default option of runs, such as ("method", "vi"), ("dt", "0.01") or ("no-assemble", NULL).
 * cardan_options_apply_model checks that the option exists and that the method has it. */
CARDAN_API void cardan_spec_default(cardan_spec *spec, const char *key, const char *value);

/* CARDAN_OK, or the first failure, whose report is copied to report (which may be NULL). */
CARDAN_API cardan_status cardan_spec_status(const cardan_spec *spec,
                                            cardan_report *report) CARDAN_MUST_USE;

/* A value that overrides a (define NAME ..) or (parameter NAME ..) of a model text. */
typedef struct {
  const char *name;
  double value;
} cardan_setting;

/* Reads a model text. file: name for messages; its ending selects the format
 * (cardan_format_ending), an unknown ending or none means .mbs (docs/format.md). *out is NULL on
 * failure.
 * returns CARDAN_ERR_SYNTAX, CARDAN_ERR_MODEL or CARDAN_ERR_MEMORY, with the place in report;
 *         CARDAN_ERR_ARGUMENT for a setting of a constant that the text does not define. */
CARDAN_API cardan_status cardan_spec_read(const char *text, size_t length, const char *file,
                                          const cardan_setting *settings, int nsetting,
                                          const cardan_allocator *allocator, cardan_spec **out,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Access to other files that a text names: parts of the model, meshes. name is as in the text: a
 * path relative to the model's folder, or package://NAME/.., model://NAME/.., file://..
 * read     reads a whole file; *data is passed to release later. On failure *data is not released,
 *          and the report says where the file was searched and what would help
 * load     reads an entry of a cache of what was computed from files, by a name of letters, digits
 *          and '-'; *data is passed to release later. false: there is none
 * store    writes an entry, if it can. Both NULL: there is no cache
 * cardan_files_open (cardan/load.h) creates one for folders. */
typedef struct {
  void *user;
  cardan_status (*read)(void *user, const char *name, char **data, size_t *size,
                        cardan_report *report);
  void (*release)(void *user, char *data);
  bool (*load)(void *user, const char *name, char **data, size_t *size);
  void (*store)(void *user, const char *name, const char *data, size_t size);
} cardan_files;

/* As cardan_spec_read, for a text that may name other files. files NULL: naming one is an error. */
CARDAN_API cardan_status cardan_spec_read_files(const char *text, size_t length, const char *file,
                                                const cardan_setting *settings, int nsetting,
                                                const cardan_files *files,
                                                const cardan_allocator *allocator,
                                                cardan_spec **out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Number of other files that were read for the model. If it is not 0, the text alone does not
 * define the model; cardan_spec_write writes a text that does. */
CARDAN_API int cardan_spec_files(const cardan_spec *spec);

/* Checks that all of the text was used. A reader reports ignored parts as warnings of the model;
 * this call returns the first of them as a failure.
 * returns CARDAN_OK, or CARDAN_ERR_MODEL with the place in report */
CARDAN_API cardan_status cardan_spec_strict(const cardan_spec *spec,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Writes the spec as a model text in the format of file's ending; NULL: .mbs. *out is allocated by
 * the spec's allocator; free it with cardan_free_text. Reading and building it gives the same
 * model.
 * returns CARDAN_ERR_UNSUPPORTED for an ending that is unknown or read-only, and for a model that
 *         the format cannot represent; report (may be NULL) says what, and where */
CARDAN_API cardan_status cardan_spec_write_as(const cardan_spec *spec, const char *file, char **out,
                                              cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_spec_write(const cardan_spec *spec, const char *file,
                                           char **out) CARDAN_MUST_USE; // without a report

/* The formats by index: file ending, such as ".mbs"; NULL after the last. */
CARDAN_API const char *cardan_format_ending(int index);
CARDAN_API const char *cardan_format_help(int index);
CARDAN_API bool cardan_format_writes(int index);

#ifdef __cplusplus
}
#endif
