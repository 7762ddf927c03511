/* SPDX-License-Identifier: Apache-2.0
 * formats/mbs_read.h - the inside of the .mbs reader, shared by its files.
 *
 *   mbs_read.c          the walk over the text's lists, and the items of the system
 *   mbs_read_node.c     nodes of the item being read, failures at them, the stack of lists
 *   mbs_read_args.c     the arguments of a form: numbers, vectors, names, expressions
 *   mbs_read_frame.c    transforms, places, joints and their options
 *   mbs_read_element.c  constraints, bounds, potentials, forces, motions
 *   mbs_read_contact.c  solids, materials, which solids touch
 *   mbs_read_repeat.c   (repeat i 1 10 ..), its index in numbers and in strings
 *   mbs_read_table.c    the points of (table "data.csv" x)
 *   mbs_read_start.c    (initial ..), (keyframe ..), (armature ..) and (simulate ..)
 *
 * The first failure marks the spec; every call here returns false from then on. */
#pragma once
#include "expr/sexpr.h"
#include "model/spec.h"

/* Where the items being read belong. */
typedef enum {
  CARDAN__MBS_SYSTEM, // items of the system
  CARDAN__MBS_AT,     // frames below a frame that exists
  CARDAN__MBS_FRAME,  // options of a frame, and frames below it
  CARDAN__MBS_JOINT   // the same, and options of the joint, which are already read
} cardan__mbs_place;

/* A list that is being read: the reader's own stack, so that nothing recurses. */
typedef struct {
  cardan__mbs_place place;
  bool active; // false: inside a (when 0 ..)
  int list;    // node of the list
  int next;    // node of its next item, -1: none is left
  int frame;   // parent of the frames in it
  int first;   // of a repeat: its first item, read once for each index, 0: it is none
} cardan__mbs_level;

/* A (repeat ..) whose items are being read: what its index is. */
typedef struct {
  const char *name; // in the tree's text
  cardan_pos pos;   // of the list
  int index, last;
} cardan__mbs_repeat;

/* A table that was read: mbs_read_table.c. */
typedef struct cardan__mbs_table cardan__mbs_table;

enum { CARDAN__MBS_MOST_REPEAT = 16 }; // inside one another

/* A number that depends on parameters and was read to *at, while it has not found its place. */
typedef struct {
  const double *at;
  const cardan__expr *expr;
  cardan_pos pos;
} cardan__mbs_pending;

typedef struct {
  cardan__sexpr tree; // of the system's item that is being read
  cardan__sexpr_reader *parts;
  cardan_report syntax; // of the text, when it is torn: its parentheses or words are wrong
  bool torn;
  cardan_spec *spec;
  const cardan_setting *settings;
  int nsetting;
  bool *setting_used; // nsetting
  cardan__mbs_level *level;
  int depth, capacity;
  cardan__mbs_pending *pending; // of the item being read
  int npending, cap_pending;
  cardan__mbs_repeat repeat[CARDAN__MBS_MOST_REPEAT];
  int nrepeat;
  double repeated_items, repeated_text; // that all repeats so far stand for
  char **made;                          // strings of the item being read, with the index in them
  int nmade, cap_made;
  cardan__mbs_table *table; // the last one
  double table_rows;        // of all tables, wherever they stand
} cardan__mbs;

/* A form whose arguments are being taken one after the other. */
typedef struct {
  cardan__mbs *reader;
  int list;          // node
  int next;          // node of the next argument, -1: none is left
  const char *usage; // how the form is written, for messages
} cardan__mbs_form;

/* ---- mbs_read_node.c ---- */

/* Continues with the items of another list, and then with those of the present one. */
bool cardan__mbs_enter(cardan__mbs *reader, cardan__mbs_level level);

cardan_pos cardan__mbs_pos(const cardan__mbs *reader, int node);
bool cardan__mbs_is_list(const cardan__mbs *reader, int node);
bool cardan__mbs_is_number(const cardan__mbs *reader, int node);
bool cardan__mbs_is_string(const cardan__mbs *reader, int node);
bool cardan__mbs_is_symbol(const cardan__mbs *reader, int node);

/* Fails at a node; always false. */
bool cardan__mbs_fail(cardan__mbs *reader, int node, const char *format, ...) CARDAN_PRINTF(3, 4);

/* Index of the symbol at node in a list of words, case apart; -1: it is none of them. */
int cardan__mbs_word(const cardan__mbs *reader, int node, const char *const *words, int n);

/* `; did you mean "place"?`, or "" when no word is near. */
cardan__shown cardan__mbs_hint(const cardan__mbs *reader, int node, const char *const *words,
                               int n);

/* ---- mbs_read_args.c ---- */

/* The form at a list node, its head taken; the spec's position is set to it. */
cardan__mbs_form cardan__mbs_open(cardan__mbs *reader, int list, const char *usage);

/* Fails at the next argument, or at the form when there is none: "found ..; expected .., as in". */
bool cardan__mbs_expected(cardan__mbs_form *form, const char *what);

/* Takes the next argument. what: "the mass", for messages. */
bool cardan__mbs_number(cardan__mbs_form *form, const char *what, double *value);
bool cardan__mbs_numbers(cardan__mbs_form *form, const char *what, double *value, int n);
bool cardan__mbs_vector(cardan__mbs_form *form, const char *what, cardan_vec3 *value);
bool cardan__mbs_string(cardan__mbs_form *form, const char *what, const char **text,
                        cardan_pos *pos);
bool cardan__mbs_expr(cardan__mbs_form *form, const char *what, unsigned leaves,
                      const cardan__expr **expr);

/* The numbers value[0..n) that depend on parameters get their places: slot, slot + 1, .. in an
 * item's list. What is read and never bound is a number that no later change of a parameter can
 * reach; cardan__mbs_unbound reports it to the spec, before the numbers go out of scope. */
void cardan__mbs_bind(cardan__mbs *reader, const double *value, int n, int *list, int slot);
void cardan__mbs_unbound(cardan__mbs *reader);

/* What the words of an expression mean here. */
cardan__expr_scope cardan__mbs_scope(cardan__mbs *reader, unsigned leaves);

/* Nothing may be left. */
bool cardan__mbs_close(cardan__mbs_form *form);

/* Is the node a list of numbers, such as (0 0 1), and not a number written as (/ 1 2)? */
bool cardan__mbs_is_vector(cardan__mbs *reader, int node);

/* mbs_read_field.c: takes the file or (heights ..) of a height field, whose numbers live in the
 * spec's arena; and takes (base b), which stays the next argument. */
bool cardan__mbs_heights(cardan__mbs_form *form, cardan_solid_def *def);
bool cardan__mbs_base(cardan__mbs_form *form, double *base);

/* Takes an optional (rpy ..), (rotvec ..) or (quat ..). */
bool cardan__mbs_rotation(cardan__mbs_form *form, cardan__rotation *rotation);

/* ---- mbs_read_frame.c ---- */

typedef enum {
  CARDAN__MBS_NO_FRAME,
  CARDAN__MBS_TRANSFORM,
  CARDAN__MBS_PLACE,
  CARDAN__MBS_JOINT_FRAME,
  CARDAN__MBS_OPTION,      // name, mass, shape, color, solid
  CARDAN__MBS_JOINT_OPTION // axis, axis2, pitch, limit
} cardan__mbs_frame_word;

/* What the head of a list is among the words of frames; index out: which of its group. */
cardan__mbs_frame_word cardan__mbs_frame_head(const cardan__mbs *reader, int list, int *index);

/* Reads a frame below parent and enters its list. */
bool cardan__mbs_frame(cardan__mbs *reader, int list, cardan__mbs_frame_word word, int parent);

/* Reads an option of a frame. */
bool cardan__mbs_option(cardan__mbs *reader, int list, int index, int frame);

/* The kind of a joint, and its options among the arguments from form->next on; others are passed
 * over, and form->next stays. */
bool cardan__mbs_joint_kind(cardan__mbs_form *form, cardan_joint_kind *kind);
bool cardan__mbs_joint_options(cardan__mbs_form *form, cardan_joint_def *def);

extern const char *const cardan__mbs_frame_words[];
enum { CARDAN__MBS_NFRAME_WORD = 8, CARDAN__MBS_NOPTION = 5, CARDAN__MBS_NJOINT_OPTION = 5 };

/* ---- mbs_read_contact.c ---- */

/* The word of a shape, or of a solid. */
bool cardan__mbs_shape_kind(cardan__mbs_form *form, bool solid, cardan_shape_kind *kind);
bool cardan__mbs_solid(cardan__mbs *reader, int list, int frame);
bool cardan__mbs_material(cardan__mbs *reader, int list);
bool cardan__mbs_contact(cardan__mbs *reader, int list, bool never);

/* ---- mbs_read_repeat.c ---- */

/* Reads the head of a (repeat ..) below a frame, or of one that does not count, and enters it. */
bool cardan__mbs_repeat_enter(cardan__mbs *reader, int list, const cardan__mbs_level *outer);

/* The list of the topmost level is at its end: is it to be read once more, with the next index? */
bool cardan__mbs_repeat_again(cardan__mbs *reader);

/* The index of this name, of a repeat around the item; false when there is none. */
bool cardan__mbs_repeat_index(const cardan__mbs *reader, const char *name, double *value);

/* The string at a node, with expressions in braces evaluated, until the item is read; NULL after a
 * failure. */
const char *cardan__mbs_repeat_string(cardan__mbs *reader, int node);

/* Forgets the strings of an item. After a failure: says with which indices it failed. */
void cardan__mbs_repeat_item(cardan__mbs *reader);
void cardan__mbs_repeat_failed(cardan__mbs *reader);

/* ---- mbs_read_table.c: of cardan__expr_scope ---- */

cardan_status cardan__mbs_table_points(void *context, int file, int column, const double **x,
                                       const double **y, int *n) CARDAN_MUST_USE;

/* ---- mbs_read_state.c ---- */

bool cardan__mbs_aux_state(cardan__mbs *reader, int list, bool memory);
bool cardan__mbs_controller(cardan__mbs *reader, int list);

/* ---- mbs_read_element.c, mbs_read_start.c ---- */

bool cardan__mbs_element(cardan__mbs *reader, int list, cardan_element_kind kind);
bool cardan__mbs_initial(cardan__mbs *reader, int list);
bool cardan__mbs_armature(cardan__mbs *reader, int list);
bool cardan__mbs_keyframe(cardan__mbs *reader, int list);
bool cardan__mbs_simulate(cardan__mbs *reader, int list);

/* ---- mbs_read.c: of cardan__format ---- */

cardan_status cardan__mbs_read(cardan_spec *spec, const char *text, size_t length,
                               const cardan_setting *settings, int nsetting) CARDAN_MUST_USE;
