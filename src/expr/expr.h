/* SPDX-License-Identifier: Apache-2.0
 * expr/expr.h - the expressions of the model file: read, evaluate, differentiate, print.
 *
 * An expression is a form of the model file, over numbers, named constants and leaves:
 *   t                                   time
 *   q.NAME  (q "any name")              a coordinate       v.NAME  (v "any name")   a velocity
 *   u.NAME  (u "any name")              an input
 *   (px "A") (py "A") (pz "A")          world position of frame A's origin
 *   (dist "A" "B")                      distance of two frames' origins
 *   (+ a ..) (- a ..) (* a ..) (/ a ..) as in Lisp: (- a) negates, (/ a) inverts
 *   (^ a b) (neg a) (sqrt a) (exp a) (log a) (abs a) (min a ..) (max a ..) (deg a): a in degrees
 *   sin cos tan asin acos atan sinh cosh tanh of one argument, (atan2 y x)
 *   (< a b) (> a b) (<= a b) (>= a b)   1 or 0          (step a)   0 for a < 0, else 1
 *   (if c a b)                          a when c is not 0, else b
 * Words are case-insensitive; what follows "q.", "v." and "u." is a name and kept as written. `pi`
 * is a constant of its own; others come from the scope's lookup.
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
  CARDAN__LEAF_FRAME, // a component of a frame's world position
  CARDAN__LEAF_U      // an input: held while anything is derived, so it has no rate of its own
} cardan__leaf_kind;

/* Sets of leaf kinds. */
enum {
  CARDAN__LEAVES_NONE = 0,
  CARDAN__LEAVES_T = 1 << CARDAN__LEAF_T,
  CARDAN__LEAVES_Q = 1 << CARDAN__LEAF_Q,
  CARDAN__LEAVES_V = 1 << CARDAN__LEAF_V,
  CARDAN__LEAVES_FRAME = 1 << CARDAN__LEAF_FRAME,
  CARDAN__LEAVES_U = 1 << CARDAN__LEAF_U,
  CARDAN__LEAVES_ALL = 31
};

typedef struct {
  int kind;       // a cardan__leaf_kind
  int axis;       // of a frame: 0 x, 1 y, 2 z
  int name;       // where its name starts in the expression's text
  cardan_pos pos; // where it was first read
} cardan__expr_leaf;

typedef struct {
  int size;       // bytes of the whole block
  int nins;       // instructions; the last one is the value
  int nleaf;      // leaves, no two the same
  unsigned uses;  // the kinds of its leaves, as a set CARDAN__LEAVES_*
  int leaf, text; // where the leaves and their names start, in bytes from the block's start
} cardan__expr;

/* What the words of an expression mean where it stands. */
typedef struct {
  /* Value of the named constant; false when there is none. name ends in NUL; compare without case
   * (cardan__same_word). NULL: there are none but pi. */
  bool (*constant)(void *context, const char *name, size_t length, double *value);
  /* Name of constant i = 0, 1, .., NULL after the last: only to suggest one in a message. May be
   * NULL. */
  const char *(*constant_name)(void *context, int i);
  void *context;
  unsigned leaves; // which kinds may stand here, CARDAN__LEAVES_*
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

/* Value of the node as a number of the model file: an expression over constants alone.
 * value   out: finite; written only on success */
cardan_status cardan__expr_number(const cardan__sexpr *tree, int node,
                                  const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                  cardan_report *report, double *value) CARDAN_MUST_USE;

/* Is this word taken, so that no constant can have its name: pi, t, or a number's name? */
bool cardan__expr_reserved(const char *word);

/* Bytes of an expression, and a copy of it into memory of that size, aligned to 8. */
size_t cardan__expr_size(const cardan__expr *expr);
cardan__expr *cardan__expr_copy(const cardan__expr *expr, void *memory);

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

/* E(x), gradient g and Hessian.
 * g       out: nleaf
 * H       out: nleaf x nleaf, exactly symmetric */
double cardan__expr_hessian(const cardan__expr *expr, const double *x, double *work, double *g,
                            double *H);

/* E and its first and second time derivatives along a motion of the leaves.
 * x, x1, x2   leaves and their first and second time derivatives, nleaf (of t itself: t, 1, 0)
 * E           out: 3 */
void cardan__expr_jet(const cardan__expr *expr, const double *x, const double *x1, const double *x2,
                      double *work, double E[3]);
