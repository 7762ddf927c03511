// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "expr/build_frames.h"
#include "expr/expr_build.h"
#include "expr/let.h"
#include "expr/parse_table.h"
#include "expr/units.h"

// how a list becomes instructions
typedef enum {
  CHAIN,    // (op a b c) is ((a op b) op c)
  DIRECT,   // an instruction on its arguments
  REVERSED, // the same on its two arguments in reverse
  UNIT,     // a number in a unit
  TABLE,    // a function given by points
  LET,      // names for parts, and the expression that uses them
  POSITION, // a component of a frame's position
  DISTANCE,
  SPEED,    // the rate of a distance
  TWIST,    // a component of a frame's velocity
  TURN,     // an entry of a frame's rotation matrix
  ANGLE,    // of a frame about an axis of another
  VARIABLE, // a coordinate or velocity by name
  SENSE,    // what a sensor reads, of a frame or joint or of the whole
  MULTIPLIER
} shape;

typedef struct {
  const char *word;
  shape shape;
  int op; // instruction; axis of POSITION, TWIST, TURN; leaf kind of a VARIABLE, cardan__sense
  int min, max; // arguments; a CHAIN has no limit
} form;

static const form forms[] = {
    {"+", CHAIN, CARDAN__OP_ADD, 1, 0},
    {"-", CHAIN, CARDAN__OP_SUB, 1, 0},
    {"*", CHAIN, CARDAN__OP_MUL, 1, 0},
    {"/", CHAIN, CARDAN__OP_DIV, 1, 0},
    {"min", CHAIN, CARDAN__OP_MIN, 1, 0},
    {"max", CHAIN, CARDAN__OP_MAX, 1, 0},
    {"^", DIRECT, CARDAN__OP_POW, 2, 2},
    {"neg", DIRECT, CARDAN__OP_NEG, 1, 1},
    {"sin", DIRECT, CARDAN__OP_SIN, 1, 1},
    {"cos", DIRECT, CARDAN__OP_COS, 1, 1},
    {"tan", DIRECT, CARDAN__OP_TAN, 1, 1},
    {"asin", DIRECT, CARDAN__OP_ASIN, 1, 1},
    {"acos", DIRECT, CARDAN__OP_ACOS, 1, 1},
    {"atan", DIRECT, CARDAN__OP_ATAN, 1, 1},
    {"sinh", DIRECT, CARDAN__OP_SINH, 1, 1},
    {"cosh", DIRECT, CARDAN__OP_COSH, 1, 1},
    {"tanh", DIRECT, CARDAN__OP_TANH, 1, 1},
    {"exp", DIRECT, CARDAN__OP_EXP, 1, 1},
    {"log", DIRECT, CARDAN__OP_LOG, 1, 1},
    {"sqrt", DIRECT, CARDAN__OP_SQRT, 1, 1},
    {"abs", DIRECT, CARDAN__OP_ABS, 1, 1},
    {"step", DIRECT, CARDAN__OP_STEP, 1, 1},
    {"atan2", DIRECT, CARDAN__OP_ATAN2, 2, 2},
    {"<", DIRECT, CARDAN__OP_LT, 2, 2},
    {"<=", DIRECT, CARDAN__OP_LE, 2, 2},
    {">", REVERSED, CARDAN__OP_LT, 2, 2},
    {">=", REVERSED, CARDAN__OP_LE, 2, 2},
    {"if", DIRECT, CARDAN__OP_SELECT, 3, 3},
#define UNIT_FORM(word, divides, factor) {word, UNIT, 0, 1, 1},
    CARDAN__UNIT_LIST(UNIT_FORM)
#undef UNIT_FORM
        {"let", LET, 0, 2, 2},
    {"table", TABLE, CARDAN__OP_TABLE, 2, 5},
    {"dist", DISTANCE, CARDAN__OP_NORM, 2, 2},
    {"speed", SPEED, CARDAN__OP_DIV, 2, 2},
    {"angle", ANGLE, CARDAN__OP_ATAN2, 3, 3},
    {"px", POSITION, 0, 1, 1},
    {"py", POSITION, 1, 1, 1},
    {"pz", POSITION, 2, 1, 1},
    {"q", VARIABLE, CARDAN__LEAF_Q, 1, 1},
    {"v", VARIABLE, CARDAN__LEAF_V, 1, 1},
    {"u", VARIABLE, CARDAN__LEAF_U, 1, 1},
    {"z", VARIABLE, CARDAN__LEAF_Z, 1, 1},
#define THREE(prefix, shape, first)                                           \
  {prefix "x", shape, (first), 1, 1}, {prefix "y", shape, (first) + 1, 1, 1}, \
  {                                                                           \
    prefix "z", shape, (first) + 2, 1, 1                                      \
  }
    THREE("v", TWIST, CARDAN__SENSE_V),
    THREE("w", TWIST, CARDAN__SENSE_W),
    THREE("rx", TURN, 0),
    THREE("ry", TURN, 3),
    THREE("rz", TURN, 6),
    THREE("a", SENSE, CARDAN__SENSE_A),
    {"qw", SENSE, CARDAN__SENSE_TURN, 1, 1},
    THREE("q", SENSE, CARDAN__SENSE_TURN + 1),
    THREE("gyro-", SENSE, CARDAN__SENSE_GYRO),
    THREE("vel-", SENSE, CARDAN__SENSE_VEL),
    THREE("acc-", SENSE, CARDAN__SENSE_ACC),
    THREE("com", SENSE, CARDAN__SENSE_COM),
#undef THREE
    {"f", SENSE, CARDAN__SENSE_DRIVER, 1, 1},
    {"kinetic", SENSE, CARDAN__SENSE_KINETIC, 0, 0},
    {"potential", SENSE, CARDAN__SENSE_POTENTIAL, 0, 0},
    {"lambda", MULTIPLIER, CARDAN__SENSE_LAMBDA, 2, 2},
};
enum { NFORM = sizeof forms / sizeof forms[0] };

// a list whose arguments are being read
typedef struct {
  const form *form;
  int node, next; // the list; its next argument, -1: none
  int narg;
  int arg[3]; // instructions; of a CHAIN, [0] is the chain so far
  // of a LET: the pair whose expression is being read, -1: none; what the names are for; how many
  // names there were before
  int pair, body, names;
  cardan__table *table; // of a TABLE
} level;

typedef struct {
  const cardan__sexpr *tree;
  const cardan__expr_scope *scope;
  const cardan_allocator *alloc;
  cardan_report *report;
  cardan__builder build;
  cardan__lets lets;
  size_t most_names;
  level *level;
  int depth, capacity;
} parser;

static const form *find_form(const char *word)
{
  for (int i = 0; i < NFORM; i++) {
    if (cardan__same_word(word, forms[i].word)) {
      return &forms[i];
    }
  }
  return NULL;
}

// the kind of leaf that a word such as q.NAME is, -1: none
static int variable_kind(const char *word)
{
  static const char letters[] = "qvuzQVUZ";
  static const int kinds[] = {CARDAN__LEAF_Q, CARDAN__LEAF_V, CARDAN__LEAF_U, CARDAN__LEAF_Z};
  const char *at = *word ? strchr(letters, *word) : NULL;
  return at && word[1] == '.' ? kinds[(at - letters) % 4] : -1;
}

const char *cardan__expr_sense_word(int sense)
{
  const int which = sense > CARDAN__SENSE_LAMBDA ? CARDAN__SENSE_LAMBDA : sense;
  int i = 0;

  while (forms[i].shape < SENSE || forms[i].op != which) {
    i++;
  }
  return forms[i].word;
}

bool cardan__expr_reserved(const char *word)
{
  static const char *const words[] = {"pi", "t", "nan", "inf", "infinity"};

  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (cardan__same_word(word, words[i])) {
      return true;
    }
  }
  return variable_kind(word) >= 0;
}

// ` did you mean ..?` into buffer, or nothing
static const char *suggest(const char *nearest, char buffer[CARDAN__DESCRIBE_SIZE])
{
  buffer[0] = '\0';
  if (nearest) {
    snprintf(buffer, CARDAN__DESCRIBE_SIZE, "; did you mean \"%.64s\"?", nearest);
  }
  return buffer;
}

static const char *nearest_form(const char *word)
{
  const char *words[NFORM];

  for (int i = 0; i < NFORM; i++) {
    words[i] = forms[i].word;
  }
  return cardan__nearest(word, words, NFORM);
}

// of pi, t and the scope's constants, a batch at a time
static const char *nearest_constant(const cardan__expr_scope *scope, const char *word)
{
  const char *candidate[64] = {"pi", "t"};
  int n = 2;

  for (int i = 0; scope->constant_name; i++) {
    const char *name = scope->constant_name(scope->context, i);
    if (!name) {
      break;
    }
    if (n == 64) {
      candidate[0] = cardan__nearest(word, candidate, n);
      n = candidate[0] ? 1 : 0;
    }
    candidate[n++] = name;
  }
  return cardan__nearest(word, candidate, n);
}

static cardan_status fail_at(const parser *p, int node, const char *what, const char *more)
{
  char found[CARDAN__DESCRIBE_SIZE];
  return cardan_fail(p->report, CARDAN_ERR_MODEL, p->tree->nodes[node].pos, "found %s; %s%s",
                     cardan__sexpr_describe(p->tree, node, found), what, more);
}

// is this kind of leaf allowed here?
static cardan_status check_leaf(const parser *p, int node, cardan__leaf_kind kind)
{
  static const char *const kinds[] = {"time t", "coordinates", "velocities", "frames", "inputs"};
  char allowed[CARDAN__DESCRIBE_SIZE] = "";

  if (p->scope->leaves & (1u << kind)) {
    return CARDAN_OK;
  }
  if (kind == CARDAN__LEAF_SENSE) {
    return fail_at(p, node, "what a sensor reads may only be used in an (output \"name\" ..)", "");
  }
  if ((p->scope->leaves & CARDAN__LEAVES_ALL) == CARDAN__LEAVES_NONE) {
    return fail_at(p, node, "expected a number: an expression over constants alone", "");
  }
  if (kind == CARDAN__LEAF_TWIST) {
    return fail_at(p, node,
                   "velocities of frames may be used in forces, auxiliary states, controllers and "
                   "outputs: a potential is energy of places alone, constraints are equations of "
                   "places and time",
                   "");
  }
  if (kind == CARDAN__LEAF_Z) {
    return fail_at(
        p, node,
        "an auxiliary state is no coordinate, so that only torques, wrenches, forces, outputs, "
        "controllers and other auxiliary states may depend on one",
        "");
  }
  if (kind == CARDAN__LEAF_U) {
    return fail_at(
        p, node,
        "an input may jump at any time, so that only torques, wrenches and forces may "
        "depend on one: constraints and motions are differentiated in time, and a potential is "
        "energy of coordinates alone",
        "");
  }
  for (int i = 0; i < 5; i++) {
    if (p->scope->leaves & (1u << i)) {
      const size_t n = strlen(allowed);
      snprintf(allowed + n, sizeof allowed - n, "%s%s", n ? ", " : "", kinds[i]);
    }
  }
  return fail_at(p, node, "this expression may only depend on ", allowed);
}

static cardan_status find_constant(const parser *p, int node, double *value)
{
  const cardan__expr_scope *scope = p->scope;
  const char *word = cardan__sexpr_text(p->tree, node);
  char hint[CARDAN__DESCRIBE_SIZE];

  if (cardan__same_word(word, "pi")) {
    *value = CARDAN__PI;
    return CARDAN_OK;
  }
  if (scope->constant &&
      scope->constant(scope->context, word, (size_t)p->tree->nodes[node].count, value)) {
    return CARDAN_OK;
  }
  if (find_form(word)) {
    return fail_at(p, node, "an operator stands at the head of a list, with its arguments", "");
  }
  return fail_at(p, node, "no constant has this name",
                 suggest(nearest_constant(scope, word), hint));
}

// a coordinate, velocity, input or auxiliary state by name
static cardan_status build_variable(parser *p, int node, cardan__leaf_kind kind, cardan__span name,
                                    int *out)
{
  const cardan_pos pos = p->tree->nodes[node].pos;
  const bool rate = kind == CARDAN__LEAF_V;
  cardan__closing closing;

  if ((rate || kind == CARDAN__LEAF_Q) && p->scope->closing &&
      p->scope->closing(p->scope->context, name.text, (size_t)name.length, &closing)) {
    const cardan_status status = check_leaf(p, node, rate ? CARDAN__LEAF_TWIST : CARDAN__LEAF_TURN);
    *out = status ? -1 : cardan__build_closing(&p->build, &closing, rate, pos);
    return status;
  }
  *out = cardan__build_leaf(&p->build, kind, 0, name, pos);
  return CARDAN_OK;
}

static cardan_status read_symbol(parser *p, int node, int *out)
{
  const cardan_pos pos = p->tree->nodes[node].pos;
  const char *word = cardan__sexpr_text(p->tree, node);
  const int length = p->tree->nodes[node].count;
  const int variable = variable_kind(word);
  cardan_status status;
  double value;

  if (cardan__same_word(word, "t")) {
    status = check_leaf(p, node, CARDAN__LEAF_T);
    *out =
        status ? -1 : cardan__build_leaf(&p->build, CARDAN__LEAF_T, 0, (cardan__span){"", 0}, pos);
    return status;
  }
  if (variable >= 0) {
    const cardan__leaf_kind kind = (cardan__leaf_kind)variable;
    status = check_leaf(p, node, kind);
    if (status == CARDAN_OK && length == 2) {
      status = fail_at(p, node, "expected a name right after the dot", "");
    }
    return status ? status
                  : build_variable(p, node, kind, (cardan__span){word + 2, length - 2}, out);
  }
  *out = cardan__let_find(&p->lets, word);
  if (*out >= 0) {
    return CARDAN_OK;
  }
  if (p->scope->parameter && (p->scope->leaves & CARDAN__LEAVES_PARAMETER)) {
    const char *name = p->scope->parameter(p->scope->context, word, (size_t)length);
    if (name) {
      const cardan__span span = {name, (int)strlen(name)};
      *out = cardan__build_leaf(&p->build, CARDAN__LEAF_PARAMETER, 0, span, pos);
      return CARDAN_OK;
    }
  }
  status = find_constant(p, node, &value);
  *out = status ? -1 : cardan__build_const(&p->build, value, pos);
  return status;
}

static cardan_status read_atom(parser *p, int node, int *out)
{
  const cardan__sexpr_node *n = &p->tree->nodes[node];

  if (n->kind == CARDAN__SEXPR_NUMBER) {
    *out = cardan__build_const(&p->build, n->number, n->pos);
    return CARDAN_OK;
  }
  if (n->kind == CARDAN__SEXPR_SYMBOL) {
    return read_symbol(p, node, out);
  }
  return fail_at(p, node, "expected a number or an expression",
                 p->scope->leaves & CARDAN__LEAVES_Q ? ", such as (q \"name\")" : "");
}

// the string at a node as its scope has it; false: the scope has said what is wrong
static bool take_string(const parser *p, int node, cardan__span *string)
{
  const cardan__expr_scope *scope = p->scope;
  const char *text =
      scope->string ? scope->string(scope->context, node) : cardan__sexpr_text(p->tree, node);
  *string = (cardan__span){text, text ? (int)strlen(text) : 0};
  return text != NULL;
}

// the names that a leaf's form holds; a multiplier's second argument is a number
static cardan_status read_names(const parser *p, const form *f, int node, cardan__span name[2])
{
  const int nname = f->shape == MULTIPLIER ? 1 : f->shape == ANGLE ? 2 : f->min;
  int arg = p->tree->nodes[node + 1].next;

  for (int i = 0; i < nname; i++) {
    char what[CARDAN__DESCRIBE_SIZE];
    const cardan__sexpr_node *n = &p->tree->nodes[arg];
    snprintf(what, sizeof what, "\"%s\" takes a name in double quotes", f->word);
    if (n->kind != CARDAN__SEXPR_STRING) {
      return fail_at(p, arg, what, "");
    }
    if (n->count == 0) {
      return fail_at(p, arg, what, ", which is not empty");
    }
    if (!take_string(p, arg, &name[i])) {
      return CARDAN_ERR_MODEL;
    }
    arg = n->next;
  }
  return CARDAN_OK;
}

// the unit vector of (axis x y z), three numbers that are not all 0
static cardan_status read_axis(const parser *p, int node, double n[3])
{
  static const char usage[] = "\"angle\" takes (axis x y z), three numbers that are not all 0";
  const int list = cardan__sexpr_child(p->tree, node, 3);
  const cardan__sexpr_node *nodes = p->tree->nodes;

  if (!cardan__sexpr_is_form(p->tree, list, "axis") || nodes[list].count != 4) {
    return fail_at(p, list, usage, "");
  }
  for (int i = 0; i < 3; i++) {
    const int arg = cardan__sexpr_child(p->tree, list, 1 + i);
    if (nodes[arg].kind != CARDAN__SEXPR_NUMBER) {
      return fail_at(p, arg, usage, "");
    }
    n[i] = nodes[arg].number;
  }
  const double most = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
  if (!(most > 0.0)) {
    return fail_at(p, list, usage, "");
  }
  const double x = n[0] / most, y = n[1] / most, z = n[2] / most;
  const double length = sqrt(x * x + y * y + z * z);
  n[0] = x / length;
  n[1] = y / length;
  n[2] = z / length;
  return CARDAN_OK;
}

// which multiplier (lambda "c" k) means: k from 1
static cardan_status read_multiplier(const parser *p, int node, int *axis)
{
  const int arg = cardan__sexpr_child(p->tree, node, 2);
  const cardan__sexpr_node *n = &p->tree->nodes[arg];

  for (int k = 1; n->kind == CARDAN__SEXPR_NUMBER && k <= CARDAN__SENSE_MOST_LAMBDA; k++) {
    if (n->number == k) {
      *axis += k - 1;
      return CARDAN_OK;
    }
  }
  return fail_at(p, arg, "expected the number of a multiplier of the constraint, from 1", "");
}

// what the scope must allow for a leaf's form: of a form that makes several, the rarest
static cardan__leaf_kind leaf_kind(const form *f)
{
  switch (f->shape) {
  case VARIABLE:
    return (cardan__leaf_kind)f->op;
  case SENSE:
  case MULTIPLIER:
    return CARDAN__LEAF_SENSE;
  case SPEED:
  case TWIST:
    return CARDAN__LEAF_TWIST;
  case TURN:
  case ANGLE:
    return CARDAN__LEAF_TURN;
  default:
    return CARDAN__LEAF_FRAME;
  }
}

static cardan_status read_leaf(parser *p, const form *f, int node, int *out)
{
  const cardan_pos pos = p->tree->nodes[node].pos;
  const cardan__leaf_kind kind = leaf_kind(f);
  int axis = f->shape == VARIABLE ? 0 : f->op;
  double n[3];
  cardan__span name[2] = {{"", 0}, {"", 0}};
  cardan_status status = check_leaf(p, node, kind);

  if (status == CARDAN_OK) {
    status = read_names(p, f, node, name);
  }
  if (status == CARDAN_OK && f->shape == MULTIPLIER) {
    status = read_multiplier(p, node, &axis);
  }
  if (status == CARDAN_OK && f->shape == ANGLE) {
    status = read_axis(p, node, n);
  }
  if (status == CARDAN_OK && f->shape == VARIABLE) {
    return build_variable(p, node, kind, name[0], out);
  }
  if (status == CARDAN_OK) {
    *out = f->shape == DISTANCE ? cardan__build_distance(&p->build, name, pos)
           : f->shape == SPEED  ? cardan__build_speed(&p->build, name, pos)
           : f->shape == ANGLE  ? cardan__build_angle(&p->build, name, n, pos)
                                : cardan__build_leaf(&p->build, kind, axis, name[0], pos);
  }
  return status;
}

// the form of a list by its head, with as many arguments as it takes; NULL and *status otherwise
static const form *check_form(const parser *p, int node, cardan_status *status)
{
  const int head = cardan__sexpr_first(p->tree, node), narg = p->tree->nodes[node].count - 1;
  char hint[CARDAN__DESCRIBE_SIZE];

  if (head < 0) {
    *status = fail_at(p, node, "expected a number or an expression", "");
    return NULL;
  }
  if (p->tree->nodes[head].kind != CARDAN__SEXPR_SYMBOL) {
    *status = fail_at(p, head, "expected an operator such as + or sin after \"(\"", "");
    return NULL;
  }
  const char *word = cardan__sexpr_text(p->tree, head);
  const form *f = find_form(word);
  if (!f) {
    *status =
        fail_at(p, head, "this is no operator of an expression", suggest(nearest_form(word), hint));
    return NULL;
  }
  if (narg < f->min || (f->shape != CHAIN && narg > f->max)) {
    *status =
        cardan_fail(p->report, CARDAN_ERR_MODEL, p->tree->nodes[node].pos,
                    "found %d argument%s of \"%s\"; expected %s%d", narg, narg == 1 ? "" : "s",
                    f->word, f->shape == CHAIN ? "at least " : "", f->min);
    return NULL;
  }
  return f;
}

/* Are the names of a (let ((x a) (y b)) ..) names? */
static cardan_status check_pairs(const parser *p, int list)
{
  static const char usage[] = "expected (let ((name expression) ..) expression)";
  const cardan__sexpr_node *nodes = p->tree->nodes;
  int pair = cardan__sexpr_first(p->tree, list);

  if (pair < 0) {
    return fail_at(p, list, usage, "");
  }
  for (; pair >= 0; pair = nodes[pair].next) {
    const int name = cardan__sexpr_first(p->tree, pair);
    if (name < 0 || nodes[pair].count != 2 || nodes[name].kind != CARDAN__SEXPR_SYMBOL) {
      return fail_at(p, pair, usage, "");
    }
    if (cardan__expr_reserved(cardan__sexpr_text(p->tree, name))) {
      return fail_at(p, name, "this word is taken and cannot be a name", "");
    }
  }
  return CARDAN_OK;
}

// the next argument of a list; of a LET the expressions of its pairs, then its own
static int next_argument(const parser *p, level *top)
{
  const cardan__sexpr_node *nodes = p->tree->nodes;
  const int node = top->next;

  if (top->form->shape == TABLE) {
    top->next = -1; // options follow
    return node;
  }
  if (top->form->shape != LET || node == top->body) {
    top->next = nodes[node].next;
    return node;
  }
  top->pair = node;
  top->next = nodes[node].next >= 0 ? nodes[node].next : top->body;
  return nodes[node + 1].next; // behind the name
}

static cardan_status add_argument(parser *p, int value)
{
  level *top = &p->level[p->depth - 1];

  if (top->form->shape == LET && top->pair >= 0) {
    const char *name = cardan__sexpr_text(p->tree, top->pair + 1);
    top->pair = -1;
    return cardan__let_bind(&p->lets, p->alloc, p->most_names, name, value);
  }
  if (top->form->shape == CHAIN && top->narg > 0) {
    top->arg[0] = cardan__build(&p->build, (cardan__op)top->form->op, top->arg[0], value, 0,
                                p->tree->nodes[top->node].pos);
  } else {
    top->arg[top->narg] = value;
  }
  top->narg++;
  return CARDAN_OK;
}

// a number in a unit
static int build_unit(cardan__builder *b, const form *f, int number, cardan_pos pos)
{
  const cardan__unit *unit = cardan__unit_of(f->word);
  const int factor = cardan__build_const(b, unit->factor, pos);
  return cardan__build(b, unit->divides ? CARDAN__OP_DIV : CARDAN__OP_MUL, number, factor, 0, pos);
}

// the instruction of a list whose arguments are all there
static int end_list(parser *p, const level *top)
{
  cardan__builder *b = &p->build;
  const cardan_pos pos = p->tree->nodes[top->node].pos;
  const cardan__op op = (cardan__op)top->form->op;
  const int *arg = top->arg;

  switch (top->form->shape) {
  case CHAIN:
    if (top->narg == 1 && op == CARDAN__OP_SUB) {
      return cardan__build(b, CARDAN__OP_NEG, arg[0], 0, 0, pos);
    }
    if (top->narg == 1 && op == CARDAN__OP_DIV) {
      return cardan__build(b, op, cardan__build_const(b, 1.0, pos), arg[0], 0, pos);
    }
    return arg[0];
  case UNIT:
    return build_unit(b, top->form, arg[0], pos);
  case LET:
    cardan__let_drop(&p->lets, top->names);
    return arg[0];
  case REVERSED:
    return cardan__build(b, op, arg[1], arg[0], 0, pos);
  default:
    if (op == CARDAN__OP_SELECT) {
      return cardan__build(b, op, arg[1], arg[2], arg[0], pos);
    }
    return cardan__build(b, op, arg[0], top->narg > 1 ? arg[1] : 0, 0, pos);
  }
}

static cardan_status end_form(parser *p, level *top, int *value)
{
  cardan__table *table = top->table;

  if (top->form->shape != TABLE) {
    *value = end_list(p, top);
    return CARDAN_OK;
  }
  top->table = NULL;
  return cardan__build_table(&p->build, table, top->arg[0], p->tree->nodes[top->node].pos, value);
}

// begins a list of arguments; a leaf's form is read at once
static cardan_status begin_form(parser *p, int node, bool *done, int *value)
{
  cardan_status status = CARDAN_OK;
  const form *f = check_form(p, node, &status);

  if (!f) {
    return status;
  }
  *done = f->shape >= POSITION;
  if (*done) {
    return read_leaf(p, f, node, value);
  }
  if (p->depth == p->capacity && cardan__grow(p->alloc, (void **)&p->level, &p->capacity,
                                              p->depth + 1, sizeof p->level[0]) != CARDAN_OK) {
    return CARDAN_ERR_MEMORY;
  }
  level new = {.form = f, .node = node, .next = p->tree->nodes[node + 1].next, .pair = -1};
  if (f->shape == LET) {
    status = check_pairs(p, new.next);
    new.body = p->tree->nodes[new.next].next;
    new.next = cardan__sexpr_first(p->tree, new.next);
    new.names = p->lets.n;
  } else if (f->shape == TABLE) {
    status =
        cardan__table_parse(p->tree, node, p->scope, p->alloc, p->report, &new.table, &new.next);
  }
  p->level[p->depth++] = new;
  return status;
}

// reads the expression at node with a stack of its own; *root is its instruction
static cardan_status parse(parser *p, int node, int *root)
{
  for (;;) {
    bool done = true;
    int value = -1;
    cardan_status status = p->tree->nodes[node].kind == CARDAN__SEXPR_LIST
                               ? begin_form(p, node, &done, &value)
                               : read_atom(p, node, &value);
    // hand a value to its list; lists that are complete become values in turn
    while (done && status == CARDAN_OK) {
      if (p->depth == 0) {
        *root = value;
        return CARDAN_OK;
      }
      status = add_argument(p, value);
      done = p->level[p->depth - 1].next < 0;
      if (done) {
        p->depth--;
        status = end_form(p, &p->level[p->depth], &value);
      }
    }
    if (status != CARDAN_OK) {
      return status;
    }
    node = next_argument(p, &p->level[p->depth - 1]);
  }
}

/* A bound on the instructions and names that the expression at node takes. A word makes one
 * instruction and one more where it joins a chain; a list two at its end and one more likewise,
 * which its own node and its head pay for; `dist` makes 16, `speed` 34, `angle` 90, a variable
 * where it may be a closing joint's 95. */
static void bound(const cardan__sexpr *tree, int node, bool closing, size_t *nins, size_t *nname)
{
  const int end = tree->nodes[node].kind == CARDAN__SEXPR_LIST ? tree->nodes[node].text : node + 1;

  *nins = *nname = 1;
  for (int i = node; i < end; i++) {
    if (cardan__sexpr_is_form(tree, i, "data")) { // the points of a table
      i = tree->nodes[i].text - 1;
      continue;
    }
    const bool variable = closing && tree->nodes[i].kind == CARDAN__SEXPR_SYMBOL &&
                          (variable_kind(cardan__sexpr_text(tree, i)) >= 0 ||
                           cardan__sexpr_is(tree, i, "q") || cardan__sexpr_is(tree, i, "v"));
    *nname += variable ? 3 : 0;
    *nins += variable                             ? 97
             : cardan__sexpr_is(tree, i, "dist")  ? 16
             : cardan__sexpr_is(tree, i, "speed") ? 34
             : cardan__sexpr_is(tree, i, "angle") ? 90
                                                  : 2;
    *nname +=
        tree->nodes[i].kind == CARDAN__SEXPR_SYMBOL || tree->nodes[i].kind == CARDAN__SEXPR_STRING;
  }
}

cardan_status cardan__expr_parse(const cardan__sexpr *tree, int node,
                                 const cardan__expr_scope *scope, const cardan_allocator *alloc,
                                 cardan_report *report, cardan__expr **out)
{
  parser p = {.tree = tree, .scope = scope, .alloc = alloc, .report = report};
  size_t nins, nname;
  int root = -1;

  CARDAN_ASSERT(node >= 0 && node < tree->nnode);
  *out = NULL;
  bound(tree, node, scope->closing != NULL, &nins, &nname);
  p.most_names = nname;
  cardan_status status = cardan__builder_init(&p.build, alloc, nins, nname);
  if (status == CARDAN_OK) {
    status = parse(&p, node, &root);
  }
  if (status == CARDAN_ERR_MEMORY) {
    cardan_fail(report, status, (cardan_pos){0}, "out of memory for an expression");
  }
  if (status == CARDAN_OK) {
    status = cardan__builder_finish(&p.build, root, report, out);
  }
  cardan__builder_free(&p.build);
  cardan__let_free(&p.lets, alloc);
  for (int i = 0; i < p.depth; i++) {
    cardan__resize(alloc, p.level[i].table, 0);
  }
  cardan__resize(alloc, p.level, 0);
  return status;
}

cardan_status cardan__expr_read(const char *text, size_t length, const cardan__expr_scope *scope,
                                const cardan_allocator *alloc, cardan_report *report,
                                cardan__expr **out)
{
  cardan__sexpr tree;

  *out = NULL;
  cardan_status status = cardan__sexpr_read(&tree, text, length, alloc, report);
  if (status == CARDAN_OK) {
    status = cardan__expr_parse(&tree, 0, scope, alloc, report, out);
    cardan__sexpr_free(&tree);
  }
  return status;
}
