// SPDX-License-Identifier: Apache-2.0
#include "model/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "expr/sexpr.h"
#include "model/elements.h"

/* Coordinates of closing joints. (close revolute "A" "B" (axis u) (coordinate "c")) adds no degree
 * of freedom: c is a function of the poses of A and B (expr/build_frames.c), the angle about u,
 * over turns, or the length along u. Its gradient is a pair of wrenches on the two frames along u,
 * so that everything on c is expressed by elements that every method has:
 *   torque, damping, actuator,  a force or torque F u on B and -F u on A, u in the axes of each
 *   dry-friction
 *   joint-spring                the potential k (c - c0)^2 / 2
 *   motion                      the equation c - f(t) = 0
 *   screw, gear                 the equation of the two coordinates
 *   stop, limit                 the inequalities c - lo >= 0, hi - c >= 0
 * A motion's angle is compared up to whole turns, atan2(sin d, cos d): the start determines how
 * many there are. If an element becomes two, the first one replaces it and the other one is
 * appended, so that indices of elements stay the same. */

static void *copy_items(const cardan_allocator *allocator, const void *items, int n, size_t size)
{
  void *copy = n > 0 ? cardan__resize(allocator, NULL, (size_t)n * size) : NULL;
  if (copy != NULL) {
    memcpy(copy, items, (size_t)n * size);
  }
  return copy;
}

/* Reads an expression from text, into the copy, and frees the text. NULL: the copy has a status. */
static const cardan__expr *read_kept_expr(cardan_spec *low, cardan__text *text)
{
  const bool memory = cardan__spec_memory(low, text->failed ? CARDAN_ERR_MEMORY : CARDAN_OK);
  const unsigned leaves = CARDAN__LEAVES_ALL | CARDAN__LEAVES_SENSE;
  const cardan__expr *expr = memory ? cardan__spec_read_expr(low, text->data, leaves) : NULL;
  cardan__text_free(text);
  return expr;
}

/* ---- expressions ---- */

static bool reads_closing(const cardan_spec *spec, const cardan__expr *expr)
{
  for (int i = 0; i < expr->nleaf; i++) {
    const int kind = cardan__expr_leaf_at(expr, i)->kind;
    if ((kind == CARDAN__LEAF_Q || kind == CARDAN__LEAF_V) &&
        cardan__spec_find_closing(spec, cardan__expr_leaf_name(expr, i)) >= 0) {
      return true;
    }
  }
  return false;
}

/* The same, with closing coordinates replaced by what they are functions of. */
static const cardan__expr *expand(cardan_spec *low, const cardan__expr *expr, cardan_pos pos)
{
  if (expr == NULL || low->status || !reads_closing(low, expr)) {
    return expr;
  }
  cardan__text text;
  cardan__text_init(&text, low->allocator);
  cardan__expr_print(expr, &text);
  low->at = pos;
  return read_kept_expr(low, &text);
}

/* (q "c") or (v "c"). */
static void put_variable(const char *name, const char *word, cardan__text *text)
{
  cardan__text_printf(text, "(%s ", word);
  cardan__sexpr_quote(text, name);
  cardan__text_printf(text, ") ");
}

static void put_number(const cardan_spec *low, int living, int slot, double value,
                       cardan__text *text)
{
  const cardan__expr *expr = cardan__spec_living_at(low, living, slot);
  if (expr) {
    cardan__expr_print(expr, text);
  } else {
    cardan__text_number(text, value);
  }
  cardan__text_printf(text, " ");
}

/* Number i of an element, or its expression if it depends on parameters. */
static void put_value(const cardan_spec *low, const cardan__spec_element *e, int i,
                      cardan__text *text)
{
  put_number(low, e->living, CARDAN__SLOT_VALUE + i, e->value[i], text);
}

/* ---- forces ---- */

static void put_gear(const cardan_spec *low, const cardan__spec_element *e, cardan__text *text)
{
  if (e->value[0] != 0.0) {
    put_value(low, e, 0, text);
  } else {
    cardan__text_printf(text, "1 ");
  }
}

/* gear clamp(F, lo, hi), with F = u, or F = kp (u - gear q) - kd gear v of a servo. */
static void put_motor(const cardan_spec *low, const cardan__spec_element *e, cardan__text *text)
{
  const bool limited = e->value[3] != 0.0 || e->value[4] != 0.0;
  const bool servo = e->value[1] != 0.0 || e->value[2] != 0.0;
  cardan__text_printf(text, "(* ");
  put_gear(low, e, text);
  if (limited) {
    cardan__text_printf(text, "(max ");
    put_value(low, e, 3, text);
    cardan__text_printf(text, "(min ");
    put_value(low, e, 4, text);
  }
  if (servo) {
    cardan__text_printf(text, "(- (* ");
    put_value(low, e, 1, text);
    cardan__text_printf(text, "(- ");
  }
  put_variable(e->var[1], "u", text);
  if (servo) {
    cardan__text_printf(text, "(* ");
    put_gear(low, e, text);
    put_variable(e->var[0], "q", text);
    cardan__text_printf(text, "))) (* ");
    put_value(low, e, 2, text);
    put_gear(low, e, text);
    put_variable(e->var[0], "v", text);
    cardan__text_printf(text, "))");
  }
  cardan__text_printf(text, limited ? ")))" : ")");
}

/* -c s(v / vs) of docs/forces.md: s(x) = x (15 + x^2 (3 x^2 - 10)) / 8 on -1 .. 1, and 1 beyond. */
static void put_friction(const cardan_spec *low, const cardan__spec_element *e, cardan__text *text)
{
  cardan__text_printf(text, "(let ((x (max -1 (min 1 (/ ");
  put_variable(e->var[0], "v", text);
  if (e->value[1] != 0.0) {
    put_value(low, e, 1, text);
  } else {
    cardan__text_number(text, CARDAN__FRICTION_SPEED);
  }
  cardan__text_printf(text, "))))) (* -0.125 ");
  put_value(low, e, 0, text);
  cardan__text_printf(text, "x (+ 15 (* (^ x 2) (- (* 3 (^ x 2)) 10)))))");
}

/* The force or torque of an element. */
static void put_force(const cardan_spec *low, const cardan__spec_element *e, cardan__text *text)
{
  if (e->kind == CARDAN_ELEMENT_TORQUE) {
    cardan__expr_print(e->expr[0], text);
  } else if (e->kind == CARDAN_ELEMENT_DAMPING) {
    cardan__text_printf(text, "(* -1 ");
    put_value(low, e, 0, text);
    put_variable(e->var[0], "v", text);
    cardan__text_printf(text, ")");
  } else if (e->kind == CARDAN_ELEMENT_DRY_FRICTION) {
    put_friction(low, e, text);
  } else {
    put_motor(low, e, text);
  }
}

/* Replaces element number at; at < 0: appends it. */
static void put_element(cardan_spec *low, int at, const cardan__spec_element *made)
{
  if (!low->status && at >= 0) {
    low->element[at] = *made;
  } else if (!low->status && cardan__spec_grow(low, (void **)&low->element, &low->cap_element,
                                               low->nelement, sizeof *low->element)) {
    low->element[low->nelement++] = *made;
  }
}

static cardan__spec_element begin_element(const cardan__spec_element *e, cardan_element_kind kind)
{
  return (cardan__spec_element){
      .kind = kind, .name = e->name, .pos = e->pos, .name_pos = e->name_pos, .frame_pos = {e->pos}};
}

/* F u on B, -F u on A: as a torque, or as a force, whose line goes through both origins. */
static void lower_pair(cardan_spec *low, int at, const cardan__spec_element *e,
                       const cardan__closing *c)
{
  for (int side = 0; side < 2 && !low->status; side++) {
    cardan__spec_element wrench = begin_element(e, CARDAN_ELEMENT_WRENCH);
    wrench.name = side == 1 ? e->name : NULL;
    wrench.frame[0] = c->frame[side];
    for (int i = 0; i < 6 && !low->status; i++) {
      const double u = i / 3 == (c->slides ? 0 : 1) ? c->axis[i % 3] : 0.0;
      cardan__text text;
      cardan__text_init(&text, low->allocator);
      if (u != 0.0) {
        cardan__text_printf(&text, "(* ");
        cardan__text_number(&text, side == 1 ? u : -u);
        cardan__text_printf(&text, " ");
        put_force(low, e, &text);
        cardan__text_printf(&text, ")");
      } else {
        cardan__text_printf(&text, "0");
      }
      wrench.expr[i] = read_kept_expr(low, &text);
    }
    put_element(low, side == 1 ? at : -1, &wrench);
  }
}

/* ---- one expression ---- */

static void lower_one(cardan_spec *low, int at, cardan__spec_element made, cardan__text *text)
{
  made.expr[0] = read_kept_expr(low, text);
  put_element(low, at, &made);
}

static void lower_spring(cardan_spec *low, int at, const cardan__spec_element *e)
{
  cardan__text text;
  cardan__text_init(&text, low->allocator);
  cardan__text_printf(&text, "(* 0.5 ");
  put_value(low, e, 0, &text);
  cardan__text_printf(&text, "(^ (- ");
  put_variable(e->var[0], "q", &text);
  put_value(low, e, 1, &text);
  cardan__text_printf(&text, ") 2))");
  lower_one(low, at, begin_element(e, CARDAN_ELEMENT_POTENTIAL), &text);
}

static void lower_motion(cardan_spec *low, int at, const cardan__spec_element *e, int closing)
{
  const bool slides = low->closing[closing].of.slides;
  cardan__text text;
  cardan__text_init(&text, low->allocator);
  cardan__text_printf(&text, "(let ((d (- ");
  put_variable(e->var[0], "q", &text);
  cardan__expr_print(e->expr[0], &text);
  cardan__text_printf(&text, "))) %s)", slides ? "d" : "(atan2 (sin d) (cos d))");
  low->closing[closing].motion = e->expr[0];
  lower_one(low, at, begin_element(e, CARDAN_ELEMENT_EQUATION), &text);
}

/* The value that (initial ..) gives a coordinate, of the tree or of a closing joint; else 0. */
static void put_start(const cardan_spec *low, const char *name, cardan__text *text)
{
  const cardan__var_ref ref = cardan__spec_find_var(low, name);
  int slot = 0, at = cardan__names_get(&low->initial_names, name);
  if (at < 0 && ref.frame >= 0 && ref.q >= 0) { // its joint as a whole
    at = cardan__names_get(&low->initial_names, cardan__spec_var_name(low, ref.frame));
    slot = ref.q;
  }
  if (at >= 0 && low->initial[at].initial.nvalue > slot) {
    put_number(low, low->initial[at].living, CARDAN__SLOT_START + slot,
               low->initial[at].initial.value[slot], text);
  } else {
    cardan__text_printf(text, "0 ");
  }
}

/* pitch theta - d = 0;   b - ratio a = b0 - ratio a0 */
static void lower_coupling(cardan_spec *low, int at, const cardan__spec_element *e)
{
  cardan__text text;
  cardan__text_init(&text, low->allocator);
  if (e->kind == CARDAN_ELEMENT_SCREW) {
    cardan__text_printf(&text, "(- (* ");
    put_value(low, e, 0, &text);
    put_variable(e->var[0], "q", &text);
    cardan__text_printf(&text, ") ");
    put_variable(e->var[1], "q", &text);
    cardan__text_printf(&text, ")");
  } else {
    cardan__text_printf(&text, "(- ");
    put_variable(e->var[1], "q", &text);
    put_start(low, e->var[1], &text);
    cardan__text_printf(&text, "(* ");
    put_value(low, e, 0, &text);
    cardan__text_printf(&text, "(- ");
    put_variable(e->var[0], "q", &text);
    put_start(low, e->var[0], &text);
    cardan__text_printf(&text, ")))");
  }
  lower_one(low, at, begin_element(e, CARDAN_ELEMENT_EQUATION), &text);
}

/* ---- stops ---- */

/* A name with an ending, as the stop of a tree's coordinate has it; NULL: there is no name. */
static const char *append_ending(cardan_spec *low, const char *name, const char *end)
{
  char text[CARDAN__SUFFIXED_NAME];
  snprintf(text, sizeof text, "%s%s", name ? name : "", end);
  return name ? cardan__spec_text(low, "name", text) : NULL;
}

/* at: the element that the lower end replaces; -1: it is appended. */
static void lower_stop(cardan_spec *low, int at, const cardan__spec_element *e)
{
  for (int side = 0; side < 2 && !low->status; side++) {
    cardan__spec_element made = begin_element(e, CARDAN_ELEMENT_INEQUALITY);
    cardan__text text;
    made.name = append_ending(low, e->name, side == 0 ? ".low" : ".high");
    made.value[0] = e->value[2];
    cardan__text_init(&text, low->allocator);
    cardan__text_printf(&text, "(* %d (- ", side == 0 ? 1 : -1);
    put_variable(e->var[0], "q", &text);
    put_value(low, e, side, &text);
    cardan__text_printf(&text, "))");
    lower_one(low, side == 0 ? at : -1, made, &text);
  }
  const cardan__expr *living = cardan__spec_living_at(low, e->living, CARDAN__SLOT_VALUE + 2);
  if (living && !low->status) { // the restitution
    cardan__spec_stiffen(low, living, e->pos);
    cardan__spec_stiffen_derived(low);
  }
}

/* The limit of a (close ..), element number at. */
static void lower_limit(cardan_spec *low, int at, const cardan__spec_element *close)
{
  char hidden[CARDAN__HIDDEN_NAME];
  const cardan__spec_element stop = {
      .name = close->name,
      .var = {cardan__spec_limited(close, at, hidden)},
      .value = {close->joint.limit[0], close->joint.limit[1], close->joint.restitution},
      .pos = close->pos,
      .name_pos = close->name_pos};
  lower_stop(low, -1, &stop);
}

/* ---- whole ---- */

/* The closing coordinate that an element acts on, -1: none. */
static int find_closing(const cardan_spec *low, const cardan__spec_element *e)
{
  const cardan__element *kind = cardan__element_of(e->kind);
  for (int i = 0; i < 2; i++) {
    const bool other = i == cardan__element_input(kind) || e->kind == CARDAN_ELEMENT_CLOSE;
    const int at = e->var[i] && !other ? cardan__spec_find_closing(low, e->var[i]) : -1;
    if (at >= 0) {
      return at;
    }
  }
  return -1;
}

static void lower_element(cardan_spec *low, int at)
{
  const cardan__spec_element e = low->element[at];
  const int closing = find_closing(low, &e);
  low->at = e.pos;
  switch (closing >= 0 ? (int)e.kind : -1) {
  case CARDAN_ELEMENT_TORQUE:
  case CARDAN_ELEMENT_DAMPING:
  case CARDAN_ELEMENT_ACTUATOR:
  case CARDAN_ELEMENT_DRY_FRICTION:
    low->closing[closing].rubs |= e.kind == CARDAN_ELEMENT_DRY_FRICTION;
    lower_pair(low, at, &e, &low->closing[closing].of);
    return;
  case CARDAN_ELEMENT_JOINT_SPRING:
    lower_spring(low, at, &e);
    return;
  case CARDAN_ELEMENT_MOTION:
    lower_motion(low, at, &e, closing);
    return;
  case CARDAN_ELEMENT_SCREW:
  case CARDAN_ELEMENT_GEAR:
    lower_coupling(low, at, &e);
    return;
  case CARDAN_ELEMENT_STOP:
    lower_stop(low, at, &e);
    return;
  default:
    break;
  }
  for (int i = 0; i < 6; i++) {
    const cardan__expr *expr = expand(low, e.expr[i], e.pos);
    low->element[at].expr[i] = expr;
  }
  if (e.kind == CARDAN_ELEMENT_CLOSE && e.joint.has_limit) {
    low->element[at].joint.has_limit = false;
    lower_limit(low, at, &e);
  }
}

/* The columns q.c and v.c. */
static void add_columns(cardan_spec *low, const cardan__spec_closing *closing)
{
  static const char *const unit[2][2] = {{"rad", "rad/s"}, {"m", "m/s"}};
  for (int rate = 0; rate < 2 && !low->status && !closing->hidden; rate++) {
    char name[CARDAN__SUFFIXED_NAME];
    cardan__text text;
    cardan__text_init(&text, low->allocator);
    put_variable(closing->of.name, rate ? "v" : "q", &text);
    low->at = closing->pos;
    snprintf(name, sizeof name, "%c.%s", rate ? 'v' : 'q', closing->of.name);
    const char *column = cardan__spec_text(low, "name", name);
    const cardan__expr *expr = read_kept_expr(low, &text);
    if (expr && column &&
        cardan__spec_grow(low, (void **)&low->output, &low->cap_output, low->noutput,
                          sizeof *low->output)) {
      low->output[low->noutput++] = (cardan__spec_output){.name = column,
                                                          .expr = expr,
                                                          .pos = closing->pos,
                                                          .unit = unit[closing->of.slides][rate]};
    }
  }
}

static void lower_all(cardan_spec *low)
{
  const int nelement = low->nelement;
  for (int i = 0; i < nelement && !low->status; i++) {
    lower_element(low, i);
  }
  for (int i = 0; i < low->noutput; i++) {
    low->output[i].expr = expand(low, low->output[i].expr, low->output[i].pos);
  }
  for (int i = 0; i < low->nstate; i++) {
    if (low->state[i].expr != NULL) {
      low->state[i].expr = expand(low, low->state[i].expr, low->state[i].pos);
    }
  }
  for (int i = 0; i < low->ncontroller; i++) {
    low->controller[i].expr = expand(low, low->controller[i].expr, low->controller[i].pos);
  }
  for (int i = 0; i < low->nclosing; i++) {
    add_columns(low, &low->closing[i]);
  }
}

cardan_status cardan__lower(const cardan_spec *spec, const cardan_allocator *allocator,
                            cardan_spec *low, cardan_report *report)
{
  *low = *spec;
  if (spec->nclosing == 0) {
    return CARDAN_OK;
  }
  low->allocator = allocator;
  low->lowered = true;
  cardan__arena_init(&low->arena, allocator);
#define COPY(list, n, cap)                                                     \
  (low->list = copy_items(allocator, spec->list, spec->n, sizeof *spec->list), \
   low->cap = low->list ? spec->n : 0, low->list != NULL || spec->n == 0)
  bool complete = COPY(element, nelement, cap_element);
  complete = COPY(output, noutput, cap_output) && complete;
  complete = COPY(state, nstate, cap_state) && complete;
  complete = COPY(controller, ncontroller, cap_controller) && complete;
  complete = COPY(closing, nclosing, cap_closing) && complete;
  complete = COPY(define, ndefine, cap_define) && complete;
#undef COPY
  if (complete) {
    lower_all(low);
  }
  low->checked = true;
  return complete && !low->status                       ? CARDAN_OK
         : complete && low->status != CARDAN_ERR_MEMORY ? cardan_spec_status(low, report)
                                                        : cardan__no_memory(report);
}

void cardan__lower_free(cardan_spec *low)
{
  if (low->lowered) {
    void *arrays[] = {low->element,    low->output,  low->state,
                      low->controller, low->closing, low->define};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
      cardan__resize(low->allocator, arrays[i], 0);
    }
    cardan__arena_free(&low->arena);
    low->lowered = false;
  }
}
