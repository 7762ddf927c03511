/* SPDX-License-Identifier: Apache-2.0
 * model/spec.h - the inside of a cardan_spec: what readers fill and cardan_model_build compiles.
 *
 * Everything lives in the spec's arena or in its growing arrays; names are arena strings.
 * References between items are still names here; cardan_model_build resolves them. */
#pragma once
#include "base/arena.h"
#include "cardan/spec.h"
#include "expr/expr.h"
#include "model/joint_table.h"
#include "model/names.h"
#include "model/shape_table.h"

/* Longest name, key or path, in bytes. */
enum { CARDAN__NAME_MAX = 10000 };

/* Most items of one kind: indices, and small multiples of them, fit an int. */
enum { CARDAN__COUNT_MAX = 100000000 };

typedef enum { CARDAN__FORM_TRANSFORM, CARDAN__FORM_PLACE, CARDAN__FORM_JOINT } cardan__frame_form;

/* A rotation as it was written: writing it back and reading gives the same bits of R. */
typedef enum {
  CARDAN__ROT_NONE,
  CARDAN__ROT_RPY,    // roll, pitch, yaw [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)
  CARDAN__ROT_ROTVEC, // axis times angle [rad]
  CARDAN__ROT_QUAT    // w, x, y, z; unit
} cardan__rotation_form;

typedef struct {
  cardan__rotation_form form;
  double value[4];
} cardan__rotation;

/* What every pass over the frames needs is first, side by side. */
typedef struct {
  cardan__frame_form form;
  int parent;                 // frame index, always smaller than the own one
  cardan_transform transform; // FORM_TRANSFORM: which of the six
  int joint;                  // FORM_JOINT: index into spec->joint, else -1
  const char *var;            // FORM_TRANSFORM: name of its variable, NULL when fixed
  const char *name;           // given by (name ..), else NULL
  const char *color;          // "#rrggbb" or NULL
  int shape, last_shape;      // ends of a list in spec->shape, first -1: none
  int living;                 // numbers that depend on parameters, a list in spec->living
  bool kinematic;             // FORM_TRANSFORM with a variable: (k ..)
  bool has_mass;
  double value;       // FORM_TRANSFORM without a variable
  cardan_xform place; // FORM_PLACE
  int rotation; // FORM_PLACE: how place.R was written, index into spec->rotation; -1: not turned
  cardan_pos pos, name_pos, mass_pos;
  cardan_mass mass;
} cardan__spec_frame;

typedef struct {
  cardan_shape shape;
  int next; // of the same frame, -1: last
  bool solid;
  const char *material; // of a solid; NULL: defaults
  double round;         // HULL: as given, 0: one percent of its smallest extent
  int npoint;           // HULL
  const cardan_vec3 *point;
  const cardan_hull *hull;          // HULL: two, of the points, and its core
  double core_round;                // HULL: by which the core is smaller
  const cardan_height_field *field; // HEIGHT_FIELD
  int pieces;                       // HULL: how many convex pieces of a mesh it is one of, else 0
  double off;                       // how far these are from the mesh [m]
  int living;
  cardan_pos pos, material_pos;
} cardan__spec_shape;

typedef struct {
  const char *name;
  cardan_surface surface;
  int living; // of its five numbers, in the order of cardan_surface
  cardan_pos pos;
} cardan__spec_material;

typedef struct {
  const char *name, *frame[2];
  bool all, never;
  cardan_surface surface;
  int living; // as of a material
  cardan_pos pos, name_pos, frame_pos[2];
} cardan__spec_contact;

typedef struct {
  cardan_element_kind kind;
  const char *name, *frame[3], *var[2];
  cardan_vec3 n;
  double value[CARDAN_NVALUE]; // options that are not given are 0
  const cardan__expr *expr[6];
  bool in_world;
  cardan_joint_def joint; // close: axes are never zero here, the defaults are filled in
  int living;
  cardan_pos pos, name_pos, frame_pos[3], var_pos[2];
} cardan__spec_element;

/* The coordinate of a close, which is an expression of its frames: what names it is made of others
 * when a model is built (lower.c). */
typedef struct {
  cardan__closing of;
  int turn;                   // its number among those that turn, -1: it slides
  bool hidden;                // of a limit, without a name in the text
  bool rubs;                  // of a lowered spec: it has dry friction
  const cardan__expr *motion; // of a lowered spec: f(t) of its motion; NULL: none
  cardan_pos pos;
} cardan__spec_closing;

typedef struct {
  cardan_initial initial;
  cardan__rotation rotation; // how initial.pose.R was written
  int living;
  cardan_pos pos; // of the variable's or frame's name
} cardan__spec_initial;

/* A constant or a parameter. A constant that is computed from parameters lives with them: alive
 * too, with its expression. */
typedef struct {
  const char *name;
  double value;
  cardan_pos pos;
  bool alive;               // the model's numbers follow it
  int number;               // alive: among those that are
  const cardan__expr *expr; // alive, but not a parameter: its value; else NULL
  cardan_pos rigid_pos;     // alive: where it is in a place that only a reader can fill, such as
                            // (when ..); line 0: nowhere
} cardan__spec_define;

/* A number that depends on parameters: one of a frame, element, shape or start, or of gravity. The
 * numbers of one item are a list; slot says which of its numbers it is. Lists start at 0: none. */
typedef struct {
  int slot;
  int next; // 0: last
  const cardan__expr *expr;
  cardan_pos pos;
} cardan__spec_living;

/* Slots of frames, elements and starts; those of gravity, of a shape's size and of a surface start
 * at 0. */
enum {
  CARDAN__SLOT_TRANSFORM = 0, // of a frame: its value,
  CARDAN__SLOT_PLACE = 1,     // 3: place.p
  CARDAN__SLOT_ROTATION = 4,  // 4: of its rotation as written
  CARDAN__SLOT_MASS = 8,      // 7
  CARDAN__SLOT_PITCH = 15,    // of its joint, as the limit
  CARDAN__SLOT_LIMIT = 16,    // 2
  CARDAN__NFRAME_SLOT = 18,
  CARDAN__SLOT_VALUE = 0,                       // of an element: CARDAN_NVALUE
  CARDAN__SLOT_DIRECTION = CARDAN_NVALUE,       // 3
  CARDAN__SLOT_CLOSE_PITCH = CARDAN_NVALUE + 3, // of the joint in (close helical ..)
  CARDAN__SLOT_START = 0,                       // of a start: 7 values
  CARDAN__SLOT_START_RATE = 7                   // 6
};

typedef struct {
  const char *name;
  const cardan__expr *expr;
  cardan_pos pos;
  const char *unit; // of a closing joint, whose column has no other name; NULL: not known
} cardan__spec_output;

typedef struct {
  cardan_input_def def;
  cardan_pos pos; // of its name
} cardan__spec_input;

/* every 0: expr is the derivative. */
typedef struct {
  const char *name;
  double initial, every;
  const cardan__expr *expr; // NULL: an element computes the derivative
  cardan_pos pos;           // of its name
  int rank;                 // how many of its sort, memory or not, come before it
  int element;              // where there is no expression
} cardan__spec_aux_state;

/* Index of auxiliary state i in the model: those with a derivative are first. */
#define CARDAN__STATE_AT(spec, i) \
  ((spec)->state[i].rank + ((spec)->state[i].every > 0.0 ? (spec)->nrate : 0))

typedef struct {
  const char *input;
  double every;
  const cardan__expr *expr;
  cardan_pos pos; // of the input's name
} cardan__spec_controller;

typedef struct {
  const char *key, *value;
  cardan_pos pos;
} cardan__spec_default;

typedef struct {
  const char *q;
  double inertia;
  int living; // slot 0
  cardan_pos pos;
} cardan__spec_armature;

typedef struct {
  const char *name;
  int first, n; // range in spec->key_value
  cardan_pos pos;
} cardan__spec_keyframe;

/* What a reader wants said of its text, without being in the way. */
typedef struct {
  const char *text;
  const char *file; // another file than the model's own; NULL: that one
  cardan_pos pos;
} cardan__spec_note_item;

struct cardan_spec {
  const cardan_allocator *allocator; // points at own_allocator, or NULL
  cardan_allocator own_allocator;
  cardan__arena arena;
  const char *name;   // "" when not given
  double rounding;    // unit of the last digit of lengths and angles; 0: they are exact
  double coarsest;    // the same of those with the fewest decimals
  bool says_rounding; // both were given, or are not those of its numbers: a text has to say them
  cardan_vec3 gravity;
  cardan_pos gravity_pos;
  int gravity_living;
  cardan_pos at; // position of the calls being made
  cardan_status status;
  bool checked; // cardan__spec_check found it good, and no item or name was added since
  cardan_report report;
  const cardan_files *files; // that the text may name; NULL: none. Only while it is read
  int nfile;                 // that were read
  size_t file_bytes;         // in all
  int nframe, njoint, nshape, nrotation, nelement, ninitial, ndefine, ndefault, nnote, nliving,
      noutput, ninput, nparameter; // nparameter: constants that are alive
  int cap_frame, cap_joint, cap_shape, cap_rotation, cap_element, cap_initial, cap_define,
      cap_default, cap_note, cap_input, cap_living, cap_output;
  int nstate, nrate, ncontroller; // nrate: auxiliary states with a derivative
  int cap_state, cap_controller;
  int nclosing, cap_closing, nturn; // nturn: of those that turn
  bool lowered; // coordinates of closing joints are read as what they are made of (lower.c)
  int narmature, nkeyframe, nkey_value;
  int cap_armature, cap_keyframe, cap_key_value;
  int nsolid, nmaterial, ncontact; // nsolid: of the shapes
  int cap_material, cap_contact;
  cardan__spec_material *material;
  cardan__spec_contact *contact;
  cardan__spec_armature *armature;
  cardan__spec_keyframe *keyframe;
  cardan__spec_initial *key_value; // of all keyframes
  cardan__spec_frame *frame;       // [0] is the world
  cardan_joint_def *joint;         // axes are never zero here, the defaults are filled in
  cardan__spec_shape *shape;
  cardan__rotation *rotation;
  cardan__spec_element *element;
  cardan__spec_initial *initial;
  cardan__spec_define *define;
  cardan__spec_default *defaults;
  cardan__spec_input *input;
  cardan__spec_aux_state *state;
  cardan__spec_controller *controller;
  cardan__spec_closing *closing;
  cardan__spec_living *living; // [0] is not used
  cardan__spec_output *output;
  cardan__spec_note_item *note; // warnings of the model, with their place
  cardan__names frame_names;    // names given by (name ..) -> frame; see cardan_spec_find_frame
  cardan__names var_names;      // variable or joint name -> frame that carries it
  cardan__names element_names;  // -> element
  cardan__names initial_names;  // variable named in (initial ..) -> initial
  cardan__names armature_names; // coordinate -> armature
  cardan__names keyframe_names; // -> keyframe
  cardan__names key_names;      // keyframe, and variable or input -> key_value
  cardan__names define_names;   // constant -> define, in small letters
  cardan__names input_names;    // -> input
  cardan__names output_names;
  cardan__names state_names;
  cardan__names controller_names; // input -> controller
  cardan__names closing_names;    // coordinate of a close -> closing
  cardan__names material_names;   // -> material
  cardan__names contact_names;    // given to contacts -> contact
};

/* Frame by name: given, else taken from its variable or joint, else "world" is frame 0; -1: none.
 * cardan_spec_find_frame is the same. */
int cardan__spec_find_frame(const cardan_spec *spec, const char *name);

/* The frame name nearest to this one in spelling, among given and taken ones; NULL: none. */
const char *cardan__spec_nearest_frame(const cardan_spec *spec, const char *name);

/* Name of a frame: given, else that of its variable or joint, else NULL. */
const char *cardan__spec_frame_name(const cardan_spec *spec, int frame);

/* A name that no variable has for a joint of that kind, "joint12" for the frame to come; NULL and
 * the spec marked when there is no memory. */
const char *cardan__spec_free_var(cardan_spec *spec, cardan_joint_kind kind);

/* The name to use, of one given as text or (at > 0) by a frame's index: of that frame, or of what
 * it carries. NULL and the spec marked: there is no such frame, it carries nothing, or both are
 * given; NULL alone: neither is given. */
const char *cardan__spec_frame_at(cardan_spec *spec, const char *name, int at);
const char *cardan__spec_var_at(cardan_spec *spec, const char *name, int at);

/* Name of the variable or joint that a frame carries, NULL: none. */
const char *cardan__spec_var_name(const cardan_spec *spec, int frame);

/* What a name in the space of variables stands for: the frame that carries the joint or variable
 * (-1: nothing has this name), which of its coordinates (-1: none) and which of its velocities.
 * Both are -1 for a joint of several degrees of freedom as a whole. */
typedef struct {
  int frame, q, v;
} cardan__var_ref;
cardan__var_ref cardan__spec_find_var(const cardan_spec *spec, const char *name);

/* How an element uses such a name. */
typedef enum {
  CARDAN__AS_COORDINATE,
  CARDAN__AS_VELOCITY,
  CARDAN__AS_VELOCITIES, // one, or all of a joint
  CARDAN__AS_JOINT
} cardan__var_use;

cardan_joint_kind cardan__spec_joint_kind(const cardan_spec *spec, int frame); // FIXED: none

/* The frame whose variable or joint already has this name, or one that the joint's coordinates and
 * velocities would get (a variable "u.a" beside a universal joint "u"); -1: the name is free. */
int cardan__spec_var_clash(const cardan_spec *spec, const char *name, cardan_joint_kind kind);

/* Checks what only a whole spec can show: every frame and variable that is referred to exists,
 * initial values are as many as their joint has, names taken from variables are free. The reader
 * has done it for what it returns; cardan_model_build does it for a spec made in code.
 * returns CARDAN_OK, or the spec's own failure, or CARDAN_ERR_MODEL with the place in report */
cardan_status cardan__spec_check(const cardan_spec *spec, cardan_report *report) CARDAN_MUST_USE;

/* The transform of a frame that does not move; of one that does, the identity. */
cardan_xform cardan__spec_fixed(const cardan__spec_frame *frame);

/* Adds a fixed transform whose rotation is given as it was written. */
int cardan__spec_place(cardan_spec *spec, int parent, cardan_vec3 p,
                       const cardan__rotation *rotation);

/* Adds an element whose expressions are already parsed (they must live in the spec's arena). Names
 * are copied. */
void cardan__spec_add(cardan_spec *spec, const cardan__spec_element *element);

/* spec_closing.c. The coordinate of a close, index into spec->closing; -1: none. Enters those of an
 * element that was added. */
int cardan__spec_find_closing(const cardan_spec *spec, const char *name);
void cardan__spec_closing_add(cardan_spec *spec, const cardan__spec_element *close);
/* The coordinate that the limit of a close, element number at, is of; hidden: room for a name. */
enum { CARDAN__HIDDEN_NAME = 32 };
const char *cardan__spec_limited(const cardan__spec_element *close, int at,
                                 char hidden[CARDAN__HIDDEN_NAME]);
/* Of cardan__expr_scope; context: the spec. */
bool cardan__spec_closing_of(void *context, const char *name, size_t length,
                             cardan__closing *found);
/* May an element stand on such a coordinate, named at pos? */
cardan_status cardan__spec_on_closing(const cardan_spec *spec, const cardan__spec_element *e,
                                      cardan_pos pos, cardan_report *report) CARDAN_MUST_USE;

/* Adds an initial value; a pose's R is made from rotation. */
void cardan__spec_initial_add(cardan_spec *spec, const cardan_initial *initial,
                              const cardan__rotation *rotation);

/* Begins a keyframe, and adds a value to the last one. */
void cardan__spec_keyframe_begin(cardan_spec *spec, const char *name);
void cardan__spec_keyframe_add(cardan_spec *spec, const cardan_initial *value);

/* The value that a keyframe has for a variable, index into spec->key_value; -1: none. */
int cardan__spec_keyframe_has(const cardan_spec *spec, int keyframe, const char *var);

/* The numbers of a surface in the order of its fields, their words in a model file, and whether
 * each is given. */
enum { CARDAN__NSURFACE = 5 };
extern const char *const cardan__surface_word[CARDAN__NSURFACE];

static inline double *cardan__surface_number(cardan_surface *surface, int i)
{
  double *const number[CARDAN__NSURFACE] = {&surface->friction, &surface->statical,
                                            &surface->restitution, &surface->rolling,
                                            &surface->spinning};
  return number[i];
}

static inline bool *cardan__surface_has(cardan_surface *surface, int i)
{
  bool *const has[CARDAN__NSURFACE] = {&surface->has_friction, &surface->has_statical,
                                       &surface->has_restitution, &surface->has_rolling,
                                       &surface->has_spinning};
  return has[i];
}

/* Adds a contact, with the places of its names; see cardan_spec_contact. */
void cardan__spec_contact_add(cardan_spec *spec, const cardan__spec_contact *contact);

/* Marks the spec as failed (the first failure counts), at its current position or at pos. */
void cardan__spec_fail(cardan_spec *spec, cardan_status status, const char *format, ...)
    CARDAN_PRINTF(3, 4);
void cardan__spec_fail_at(cardan_spec *spec, cardan_status status, cardan_pos pos,
                          const char *format, ...) CARDAN_PRINTF(4, 5);

/* Adds a note; the model built has it among its warnings, with its line. file: another one than the
 * model's own; NULL: that one. */
void cardan__spec_note(cardan_spec *spec, cardan_pos pos, const char *format, ...)
    CARDAN_PRINTF(3, 4);
void cardan__spec_note_in(cardan_spec *spec, const char *file, cardan_pos pos, const char *format,
                          ...) CARDAN_PRINTF(4, 5);

/* The whole of another file that the model needs, by the name in its text; to be given back to
 * cardan__spec_close. open: a failure marks the spec, at its current place; try_open: it does not.
 * Both count the file (cardan_spec_files), and fail where there are too many. */
bool cardan__spec_open(cardan_spec *spec, const char *name, char **data, size_t *size);
bool cardan__spec_try_open(cardan_spec *spec, const char *name, char **data, size_t *size);
void cardan__spec_close(cardan_spec *spec, char *data); // NULL is fine

/* A name cut to what a message can hold: cardan__show(name).text */
typedef struct {
  char text[64];
} cardan__shown;
cardan__shown cardan__show(const char *name);

/* " (already used at line 3)": cardan__cite(pos).text; "" when pos is not from a text. */
cardan__shown cardan__cite(cardan_pos pos);

/* ---- for the spec's own files: checks that mark the spec as failed, false or NULL then ---- */

/* Was memory to be had? */
bool cardan__spec_memory(cardan_spec *spec, cardan_status status);

/* Are all n values finite? what: "a length", for the message. */
bool cardan__spec_finite(cardan_spec *spec, const char *what, const double *value, int n);

/* A copy of a text that is not empty, not too long, and plain UTF-8. what: "frame's name". */
const char *cardan__spec_text(cardan_spec *spec, const char *what, const char *text);

/* Room for one more item behind count, with whatever was there; see cardan__grow_bare. */
bool cardan__spec_grow(cardan_spec *spec, void **items, int *capacity, int count, size_t item_size);

/* Checks of a mass, a limit, and a size of a shape. */
bool cardan__spec_mass_check(cardan_spec *spec, const cardan_mass *mass);
bool cardan__spec_limit(cardan_spec *spec, double low, double high);
bool cardan__spec_size(cardan_spec *spec, double size);

/* A file that stays below the model's folder, or a package's? */
bool cardan__spec_path(cardan_spec *spec, const char *file);

/* Is there such a frame, and may it have options? The world has none. */
bool cardan__spec_is_frame(cardan_spec *spec, int frame);

/* The sizes of a shape that is not a mesh, checked and copied to shape, whose kind is set. */
bool cardan__spec_sizes(cardan_spec *spec, const double *size, cardan_shape *shape);

/* Puts a shape behind the frame's others. */
void cardan__spec_shape_add(cardan_spec *spec, int frame, const cardan__spec_shape *shape);

/* Checks of a restitution, of a surface, and of the round of a hull. */
bool cardan__spec_restitution(cardan_spec *spec, double e);
bool cardan__spec_surface(cardan_spec *spec, const cardan_surface *surface);
bool cardan__spec_round(cardan_spec *spec, double round);

/* Checks a joint and fills in the default axes. */
bool cardan__spec_joint_def(cardan_spec *spec, cardan_joint_def *def);

/* The matrix of a rotation; a quaternion is normalised in place. */
bool cardan__spec_rotation(cardan_spec *spec, cardan__rotation *rotation, cardan_mat3 *R);

/* How the rotation of a transform given in code is kept: as its unit quaternion. */
bool cardan__spec_pose_rotation(cardan_spec *spec, const cardan_xform *T,
                                cardan__rotation *rotation);

/* A constant that is alive and has this expression, or (expr NULL) a parameter. */
void cardan__spec_define_add(cardan_spec *spec, const char *name, double value, bool alive,
                             const cardan__expr *expr);
void cardan__spec_output_add(cardan_spec *spec, const char *name, const cardan__expr *expr);

/* Leaves of the derivative of an auxiliary state, and of what is sampled. */
enum {
  CARDAN__STATE_LEAVES = CARDAN__LEAVES_ALL,
  CARDAN__SAMPLE_LEAVES = CARDAN__LEAVES_ALL | CARDAN__LEAVES_SENSE
};
/* spec_state.c; expr is the definition's, read. */
void cardan__spec_aux_state_add(cardan_spec *spec, const cardan_aux_state_def *state,
                                const cardan__expr *expr);
/* Those that the last element, e, has: their names are its own and part[0 .. n-1]. */
void cardan__spec_element_states(cardan_spec *spec, const cardan__spec_element *e,
                                 const char *const *part, int n);
void cardan__spec_controller_add(cardan_spec *spec, const cardan_controller_def *controller,
                                 const cardan__expr *expr);

/* An expression given in code as text, kept in the spec; NULL and the spec marked: it is none. */
const cardan__expr *cardan__spec_read_expr(cardan_spec *spec, const char *text, unsigned leaves);

/* Makes a number of an item depend on parameters by expr, which lives in the spec's arena; list:
 * the item's. The number itself holds the value already. */
void cardan__spec_bind(cardan_spec *spec, int *list, int slot, const cardan__expr *expr,
                       cardan_pos pos);
/* The expression of a slot in an item's list, NULL: it is a plain number. */
const cardan__expr *cardan__spec_living_at(const cardan_spec *spec, int list, int slot);
/* The constant or parameter of this name, case apart; -1: none. */
int cardan__spec_find_define(const cardan_spec *spec, const char *name);
/* What a derived constant cannot follow, the parameters in it cannot either; at the end. */
void cardan__spec_stiffen_derived(cardan_spec *spec);
/* Notes that a number at pos, which nothing can change later, depends on the parameters of expr. */
void cardan__spec_stiffen(cardan_spec *spec, const cardan__expr *expr, cardan_pos pos);

/* The spec's constants and parameters, for reading expressions and numbers; parameters are among
 * the leaves. */
cardan__expr_scope cardan__spec_scope(cardan_spec *spec, unsigned leaves);

/* A copy of an expression in the spec's arena; expr itself goes back to the spec's allocator. */
const cardan__expr *cardan__spec_keep_expr(cardan_spec *spec, cardan__expr *expr);
