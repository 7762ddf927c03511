/* SPDX-License-Identifier: Apache-2.0
 * expr/expr.h - the expressions of the model file: read, evaluate, differentiate, print.
 *
 * An expression is a form of the model file, over numbers, named constants and leaves:
 *   t                                   time
 *   q.NAME  (q "any name")              a coordinate       v.NAME  (v "any name")   a velocity
 *   u.NAME  (u "any name")              an input
 *   z.NAME  (z "any name")              an auxiliary state
 *   (px "A") (py "A") (pz "A")          world position of frame A's origin
 *   (dist "A" "B")                      distance of two frames' origins
 *   (speed "A" "B")                     its rate; not a number at distance 0
 *   (vx "A") .. (wx "A") ..             velocity of a frame's origin, angular velocity, world axes
 *   (rxx "A") (rxy "A") .. (rzz "A")    rotation of a frame: rij, its axis j along the world's i
 *   (angle "A" "B" (axis x y z))        of B about an axis of A, from -pi to pi
 *   (+ a ..) (- a ..) (* a ..) (/ a ..) as in Lisp: (- a) negates, (/ a) inverts
 *   (^ a b) (neg a) (sqrt a) (exp a) (log a) (abs a) (min a ..) (max a ..) (deg a): a in degrees
 *   sin cos tan asin acos atan sinh cosh tanh of one argument, (atan2 y x)
 *   (< a b) (> a b) (<= a b) (>= a b)   1 or 0          (step a)   0 for a < 0, else 1
 *   (if c a b)                          a when c is not 0, else b
 *   (let ((x a) (y b)) c)               c, with names for parts of it
 *   (mm a) (rpm a) ..                   a in a unit, expr/units.h
 *   (table "f.csv" a) (table (data (x y) ..) a)   a function given by points, expr/lookup_table.h
 *   NAME                                a parameter, where the scope has one of this name
 * and, where the scope allows them (outputs), what a sensor would read, cardan__sense below.
 * Words are case-insensitive; what follows "q.", "v.", "u." and "z." is a name and kept as written.
 * `pi` is a constant of its own; others come from the scope's lookup.
 *
 * Derivatives are exact, of the branch that is taken. At a kink: abs has slope 1 at 0; at a tie max
 * takes its first argument and min its last, so that (max x 0) and (min x 0) have the slope on the
 * right; comparisons and step have slope 0 everywhere; dist has slope 0 at distance 0. Where a
 * derivative is infinite (sqrt at 0, asin at 1) the result is not finite. A branch that is not
 * taken has no part in any result, even where it is not defined.
 *
 * An expression is one constant block without pointers: it may be copied with memcpy and shared by
 * threads. Evaluation allocates nothing. */
#pragma once
#include "base/text.h"
#include "cardan/base.h"
#include "expr/sexpr.h"

typedef enum {
  CARDAN__LEAF_T,
  CARDAN__LEAF_Q,
  CARDAN__LEAF_V,
  CARDAN__LEAF_FRAME,     // a component of a frame's world position
  CARDAN__LEAF_U,         // an input: held while anything is derived, so it has no rate of its own
  CARDAN__LEAF_PARAMETER, // a named number of the model that may be changed
  CARDAN__LEAF_SENSE,     // what a sensor reads: axis is a cardan__sense
  CARDAN__LEAF_Z,         // an auxiliary state
  CARDAN__LEAF_TWIST,     // a component of a frame's velocity: v then w, world axes
  CARDAN__LEAF_TURN       // an entry of a frame's rotation matrix, 3 row + column
} cardan__leaf_kind;

/* What the words of an output read, each but the last four with its components behind it. F: a
 * frame's name. Velocities in world axes, the first, are leaves of their own: CARDAN__LEAF_TWIST.
 */
typedef enum {
  CARDAN__SENSE_V = 0,          // (vx F) ..      velocity of the origin, world axes
  CARDAN__SENSE_W = 3,          // (wx F) ..      angular velocity, world axes
  CARDAN__SENSE_A = 6,          // (ax F) ..      acceleration of the origin, world axes
  CARDAN__SENSE_TURN = 9,       // (qw F) (qx F)  unit quaternion to the world, w not negative
  CARDAN__SENSE_GYRO = 13,      // (gyro-x F) ..  angular velocity, own axes
  CARDAN__SENSE_VEL = 16,       // (vel-x F) ..   velocity of the origin, own axes
  CARDAN__SENSE_ACC = 19,       // (acc-x F) ..   acceleration less gravity, own axes
  CARDAN__SENSE_COM = 22,       // (comx F) ..    centre of mass of its body and all below, world
  CARDAN__SENSE_DRIVER = 25,    // (f "joint")    force of the joint's driver
  CARDAN__SENSE_KINETIC = 26,   // (kinetic)      energies of the whole model
  CARDAN__SENSE_POTENTIAL = 27, // (potential)
  CARDAN__SENSE_LAMBDA = 28     // (lambda "c" k) multiplier k of a constraint: LAMBDA + k - 1
} cardan__sense;
enum { CARDAN__SENSE_MOST_LAMBDA = 6 }; // rows of a constraint

/* Does a sense read accelerations, multipliers or driver forces, which follow from all forces? */
static inline bool cardan__sense_needs_forward(int s)
{
  return (s >= CARDAN__SENSE_A && s < CARDAN__SENSE_TURN) ||
         (s >= CARDAN__SENSE_ACC && s < CARDAN__SENSE_COM) || s == CARDAN__SENSE_DRIVER ||
         s >= CARDAN__SENSE_LAMBDA;
}

/* Sets of leaf kinds. */
enum {
  CARDAN__LEAVES_NONE = 0,
  CARDAN__LEAVES_T = 1 << CARDAN__LEAF_T,
  CARDAN__LEAVES_Q = 1 << CARDAN__LEAF_Q,
  CARDAN__LEAVES_V = 1 << CARDAN__LEAF_V,
  CARDAN__LEAVES_FRAME = 1 << CARDAN__LEAF_FRAME,
  CARDAN__LEAVES_U = 1 << CARDAN__LEAF_U,
  CARDAN__LEAVES_PARAMETER = 1 << CARDAN__LEAF_PARAMETER,
  CARDAN__LEAVES_SENSE = 1 << CARDAN__LEAF_SENSE,
  CARDAN__LEAVES_Z = 1 << CARDAN__LEAF_Z,
  CARDAN__LEAVES_TWIST = 1 << CARDAN__LEAF_TWIST,
  CARDAN__LEAVES_TURN = 1 << CARDAN__LEAF_TURN,
  CARDAN__LEAVES_PLACE = CARDAN__LEAVES_FRAME | CARDAN__LEAVES_TURN, // of a frame's pose
  // of every method's expressions: all but parameters and senses
  CARDAN__LEAVES_ALL = 31 | CARDAN__LEAVES_Z | CARDAN__LEAVES_TWIST | CARDAN__LEAVES_TURN
};

typedef struct {
  int kind;       // a cardan__leaf_kind
  int axis;       // of a frame: 0 x, 1 y, 2 z; of a twist, a turn, a sense: which
  int name;       // where its name starts in the expression's text
  cardan_pos pos; // where it was first read
} cardan__expr_leaf;

typedef struct {
  int size;       // bytes of the whole block
  int nins;       // instructions; the last one is the value
  int nleaf;      // leaves, no two the same
  unsigned uses;  // the kinds of its leaves, as a set CARDAN__LEAVES_*
  int leaf, text; // where the leaves and their names start, in bytes from the block's start
  int tables;     // bytes of its tables, which stand before the leaves
  int unused;     // 0: no bytes of a block are undefined
} cardan__expr;

/* A coordinate of a joint that closes a loop: the place of frame B along or about the axis of
 * frame A. */
typedef struct {
  const char *name;     // of the coordinate
  const char *frame[2]; // A, B
  double axis[3];       // in A, of length 1
  bool slides;          // a length along it; else an angle about it
} cardan__closing;

/* The axis of a leaf CARDAN__LEAF_Z that is the half turn, a multiple of pi, from which the angle
 * of a closing joint is counted; its name is the coordinate's. */
enum { CARDAN__HALF_TURN = 1 };

/* What the words of an expression mean where it stands. */
typedef struct {
  /* Value of the named constant; false when there is none. name ends in NUL; compare without case
   * (cardan__same_word). NULL: there are none but pi. */
  bool (*constant)(void *context, const char *name, size_t length, double *value);
  /* Name of constant i = 0, 1, .., NULL after the last: only to suggest one in a message. May be
   * NULL. */
  const char *(*constant_name)(void *context, int i);
  /* The parameter of this name, as constant finds one: the name as it was declared, NULL when it is
   * none. Its value is what constant says. May be NULL. */
  const char *(*parameter)(void *context, const char *name, size_t length);
  /* The text of the string at a node of the tree, where it is another than the tree's; it stays
   * until the expression is read. NULL: a failure that the scope reports itself. May be NULL. */
  const char *(*string)(void *context, int node);
  /* The points of a table in a file: x increasing, n >= 2; they stay until the expression is read.
   * file, column: nodes of the tree, a string, and a string or number or -1. What goes wrong the
   * scope reports itself. NULL: there are no files. */
  cardan_status (*table)(void *context, int file, int column, const double **x, const double **y,
                         int *n);
  /* Is this, of a q or v, the coordinate of a closing joint? It is then read as what it is made of.
   * NULL: there are none. */
  bool (*closing)(void *context, const char *name, size_t length, cardan__closing *found);
  void *context;
  unsigned leaves; // which kinds may be here, CARDAN__LEAVES_*
} cardan__expr_scope;

/* Reads the expression at a node of a tree.
 * alloc   NULL: malloc
 * out     the expression, to be given back with cardan__resize(alloc, expr, 0); NULL on failure
 * returns CARDAN_ERR_MODEL with a report (may be NULL), or CARDAN_ERR_MEMORY */
cardan_status cardan__expr_parse(const cardan__sexpr *tree, int node,
                                 const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                 cardan_report *report, cardan__expr **out) CARDAN_MUST_USE;

/* Reads an expression from a text such as "0.5" or "(* 2 (sin t))"; as cardan__expr_parse, with
 * positions in that text. returns CARDAN_ERR_SYNTAX too. */
cardan_status cardan__expr_read(const char *text, size_t length, const cardan__expr_scope *scope,
                                const cardan_allocator *alloc, cardan_report *report,
                                cardan__expr **out) CARDAN_MUST_USE;

/* Value of the node as a number of the model file: an expression over constants and parameters.
 * value   out: finite; written only on success
 * living  out: the expression, where the number depends on parameters, else NULL; to be given back
 *         as that of cardan__expr_parse. May be NULL: parameters then count as constants */
cardan_status cardan__expr_number(const cardan__sexpr *tree, int node,
                                  const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                  cardan_report *report, double *value,
                                  cardan__expr **living) CARDAN_MUST_USE;

/* Is this word taken, so that no constant can have its name: pi, t, or a number's name? */
bool cardan__expr_reserved(const char *word);

/* The word of a cardan__sense: "vx", "gyro-x", "lambda". */
const char *cardan__expr_sense_word(int sense);

/* Bytes of an expression, and a copy of it into memory of that size, aligned to 8. */
size_t cardan__expr_size(const cardan__expr *expr);
cardan__expr *cardan__expr_copy(const cardan__expr *expr, void *memory);

/* Makes constants of the leaves that are parameters, which keep their numbers; the other leaves
 * move up. number(context, name): of a parameter; parameter: values by number. Results have the
 * same bits as those of the expression that is read with the values in it. cardan__expr_tune gives
 * such constants other values; returns whether one was another before. */
void cardan__expr_fix(cardan__expr *expr, int (*number)(const void *context, const char *name),
                      const void *context, const double *parameter);
bool cardan__expr_tune(cardan__expr *expr, const double *parameter);

/* Is there a parameter in it, made a constant, with rate[number] not 0? */
bool cardan__expr_uses(const cardan__expr *expr, const double *rate);

/* Leaf i < nleaf, and its name, "" for t. */
const cardan__expr_leaf *cardan__expr_leaf_at(const cardan__expr *expr, int i);
const char *cardan__expr_leaf_name(const cardan__expr *expr, int i);

/* Has no leaves? Then also its value (value may be NULL). */
bool cardan__expr_is_constant(const cardan__expr *expr, double *value);

/* Same instructions and leaves, source positions apart? */
bool cardan__expr_equal(const cardan__expr *a, const cardan__expr *b);

/* Appends the expression in the syntax of the model file: reading it gives an equal expression.
 * Constants appear by value. A lack of memory marks the text as failed. */
void cardan__expr_print(const cardan__expr *expr, cardan__text *text);

/* Is it a sum of leaves, each times a number, and a constant, as it is written?
 * form    out: the constant, then the factors of the leaves: 1 + nleaf
 * work    nins (1 + nleaf) doubles */
bool cardan__expr_linear(const cardan__expr *expr, double *work, double *form);

/* The first instruction that is not linear in leaves of these kinds (CARDAN__LEAVES_*), the others
 * taken as constants; -1: there is none. Then also, out: does it depend on them, and has it a part
 * that does not (affine)? work: nins bytes */
int cardan__expr_nonlinear(const cardan__expr *expr, unsigned kinds, unsigned char *work,
                           bool *linear, bool *affine);

/* Appends what instruction `part` computes, as cardan__expr_print does. */
void cardan__expr_print_part(const cardan__expr *expr, int part, cardan__text *text);

/* Number of doubles of work space that any of the calls below needs at most. */
size_t cardan__expr_work(const cardan__expr *expr);

/* E(x).  x: values of the leaves, nleaf; work: at least nins doubles. */
double cardan__expr_value(const cardan__expr *expr, const double *x, double *work);

/* E(x) and its gradient.  g out: nleaf; work: at least 2 nins doubles. */
double cardan__expr_gradient(const cardan__expr *expr, const double *x, double *work, double *g);

/* E(x), gradient g and the product H u of the Hessian with a direction.
 * u       nleaf; g, hu: out, nleaf. With u = dx/dt, hu is the gradient of dE/dt in x. */
double cardan__expr_hessian_times(const cardan__expr *expr, const double *x, const double *u,
                                  double *work, double *g, double *hu);

/* The same where parameters change too, parameter[i] for number i (NULL: none do): hu is the change
 * of g, the result that of E. */
double cardan__expr_change(const cardan__expr *expr, const double *x, const double *u,
                           const double *parameter, double *work, double *g, double *hu);

/* E(x), gradient g and Hessian.
 * g       out: nleaf
 * H       out: nleaf x nleaf, exactly symmetric */
double cardan__expr_hessian(const cardan__expr *expr, const double *x, double *work, double *g,
                            double *H);

/* Do the leaves lead out of the range of a table that has a part in the result?
 * A billionth of the range counts as rounding.
 * work    at least 2 nins doubles
 * x, end  out, where they do: the table's argument, and the end of its range that it is beyond */
bool cardan__expr_beyond(const cardan__expr *expr, const double *leaf, double *work, double *x,
                         double *end);

/* E and its first and second time derivatives along a motion of the leaves.
 * x, x1, x2   leaves and their first and second time derivatives, nleaf (of t itself: t, 1, 0)
 * E           out: 3 */
void cardan__expr_jet(const cardan__expr *expr, const double *x, const double *x1, const double *x2,
                      double *work, double E[3]);

/* Has it an angle, an (atan2 y x), that jumps from pi to -pi at half a turn? Those of closing
 * joints, which are counted over turns, do not. */
bool cardan__expr_has_angles(const cardan__expr *expr);

/* Which jump comes with an angle that is at half a turn within a time h, before or behind? That of
 * (sin (angle ..)) has none.
 * x, x1, x2   as of _jet
 * work        as of _work
 * angle       out, where there is one: the angle and its rate [rad, rad/s] */
typedef enum { CARDAN__WRAP_NONE, CARDAN__WRAP_SLOPE, CARDAN__WRAP_VALUE } cardan__wrap;
cardan__wrap cardan__expr_wraps(const cardan__expr *expr, const double *x, const double *x1,
                                const double *x2, double h, double *work, double angle[2]);
