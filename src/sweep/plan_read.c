// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sweep/plan_inside.h"

/* ---- names ---- */

static bool starts_with(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static bool is_start(const char *name)
{
  return starts_with(name, "q.") || starts_with(name, "v.");
}

/* Where a column is from; NULL: there is none of this name. */
static const cardan_pos *find_column(const cardan__plan *plan, const char *column, bool loose)
{
  for (int k = 0; k < plan->nvaried; k++) {
    const cardan__varied *v = &plan->varied[k];
    const bool either = loose && v->kind != CARDAN__VARIED_START && v->kind != CARDAN__VARIED_INPUT;
    if (strcmp(v->column, column) == 0 || (either && cardan__same_word(v->column, column))) {
      return &v->pos;
    }
  }
  for (int k = 0; k < plan->ncollect; k++) {
    if (strcmp(plan->collect[k].column, column) == 0) {
      return &plan->collect[k].pos;
    }
  }
  return NULL;
}

bool cardan__plan_column_free(cardan__plan_reader *reader, cardan_pos pos, const char *column,
                              bool loose, const char *hint)
{
  if (strcmp(column, "case") == 0 || strcmp(column, "status") == 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, pos,
                             "every result has a column \"%s\"; expected another name", column);
  }
  const cardan_pos *there = find_column(reader->plan, column, loose);
  return there == NULL
             ? true
             : cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, pos,
                                 "\"%s\" is repeated, first in line %d, column %d; expected "
                                 "it once%s",
                                 column, there->line, there->column, hint);
}

static bool name_target(cardan__plan_reader *reader, cardan__varied *to)
{
  char column[CARDAN__PLAN_NAME + 8];
  snprintf(column, sizeof column, "%s%s", to->kind == CARDAN__VARIED_START ? "start." : "",
           to->name);
  to->column = cardan__arena_text(&reader->plan->arena, column, strlen(column));
  return to->column != NULL ? true : cardan__plan_memory(reader);
}

bool cardan__plan_target(cardan__plan_reader *reader, int node, cardan__varied *out)
{
  static const char usage[] = "M, \"q.a\", \"u.push\" or (option dt)";
  const bool option = cardan__sexpr_is_form(&reader->tree, node, "option");
  cardan__plan_form form = option ? cardan__plan_open(reader, node, usage)
                                  : (cardan__plan_form){reader, node, node, usage};
  *out = (cardan__varied){.pos = reader->tree.nodes[node].pos};
  if (!cardan__plan_name(&form, "a name", &out->name) || (option && !cardan__plan_close(&form))) {
    return false;
  }
  out->kind = option                         ? CARDAN__VARIED_OPTION
              : is_start(out->name)          ? CARDAN__VARIED_START
              : starts_with(out->name, "u.") ? CARDAN__VARIED_INPUT
                                             : CARDAN__VARIED_NAME;
  return name_target(reader, out);
}

bool cardan__plan_add_random(cardan__plan_reader *reader, const cardan__varied *varied,
                             const cardan__plan_source *source)
{
  cardan__plan *plan = reader->plan;
  const cardan_allocator *alloc = &plan->arena.alloc;
  const int n = plan->nvaried + 1;
  const bool loose = varied->kind == CARDAN__VARIED_NAME || varied->kind == CARDAN__VARIED_OPTION;
  if (!cardan__plan_column_free(reader, varied->pos, varied->column, loose, "")) {
    return false;
  }
  if (n > CARDAN__PLAN_VARIED) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, varied->pos,
                             "found more than %d names; expected fewer", CARDAN__PLAN_VARIED);
  }
  if (cardan__grow(alloc, (void **)&plan->varied, &plan->cap_varied, n, sizeof *plan->varied) !=
          CARDAN_OK ||
      cardan__grow(alloc, (void **)&plan->source, &plan->cap_source, n, sizeof *plan->source) !=
          CARDAN_OK) {
    return cardan__plan_memory(reader);
  }
  plan->varied[plan->nvaried] = *varied;
  plan->source[plan->nvaried++] = *source;
  return true;
}

/* ---- forms ---- */

typedef struct {
  const char *word, *usage;
  /* Gives a name its values, from the form's next argument on: (WORD NAME ..), and in (init NAME
   * (WORD ..)). NULL: another form. */
  bool (*give)(cardan__plan_form *form, const cardan__varied *to);
  bool (*read)(cardan__plan_form *form); // the whole form
} form_kind;

static cardan__plan_words form_words(bool giving); // those that give values, or all
static const form_kind *kind_at(const cardan__plan_reader *reader, int node, bool giving);

static bool is_list(const cardan__plan_form *form)
{
  return cardan__plan_is(form->reader, form->next, CARDAN__SEXPR_LIST);
}

static bool is_spread(const cardan__plan_form *form)
{
  return is_list(form) &&
         cardan__plan_word(form->reader, form->next, cardan__plan_distributions()) >= 0;
}

/* HOW as the one argument that is left: (grid ..), a distribution, or a number. */
static bool read_how(cardan__plan_form *form, const cardan__varied *to)
{
  cardan__plan_reader *reader = form->reader;
  const form_kind *kind = kind_at(reader, form->next, true);
  if (kind != NULL) {
    cardan__plan_form inner = cardan__plan_open(reader, form->next, form->usage);
    cardan__plan_advance(form);
    return cardan__plan_close(form) && kind->give(&inner, to);
  }
  if (is_spread(form)) {
    return cardan__plan_random(form, to);
  }
  const char *near = is_list(form) ? cardan__plan_near(reader, form->next, form_words(true)) : NULL;
  if (near == NULL && is_list(form)) {
    near = cardan__plan_near(reader, form->next, cardan__plan_distributions());
  }
  if (near != NULL) {
    char found[CARDAN__DESCRIBE_SIZE];
    return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, form->next),
                             "found %s; did you mean \"%s\"?",
                             cardan__sexpr_describe(&reader->tree, form->next, found), near);
  }
  return cardan__plan_set(form, to);
}

/* (init "q.a" HOW), (input "u.push" HOW) */
static bool read_of_kind(cardan__plan_form *form, cardan__varied_kind kind, const char *what)
{
  cardan__varied to;
  if (!cardan__plan_is(form->reader, form->next, CARDAN__SEXPR_STRING) &&
      !cardan__plan_is(form->reader, form->next, CARDAN__SEXPR_SYMBOL)) {
    return cardan__plan_expected(form, what);
  }
  if (!cardan__plan_target(form->reader, form->next, &to)) {
    return false;
  }
  if (to.kind != kind) {
    return cardan__plan_expected(form, what);
  }
  cardan__plan_advance(form);
  return read_how(form, &to);
}

static bool read_init(cardan__plan_form *form)
{
  return read_of_kind(form, CARDAN__VARIED_START, "a start value, \"q.NAME\" or \"v.NAME\"");
}

static bool read_input(cardan__plan_form *form)
{
  return read_of_kind(form, CARDAN__VARIED_INPUT, "an input, \"u.NAME\"");
}

/* The values of an option: v .., or HOW. */
static bool read_values(cardan__plan_form *form, const char *name)
{
  cardan__varied to = {.kind = CARDAN__VARIED_OPTION,
                       .name = name,
                       .pos = cardan__plan_pos(form->reader, form->list)};
  if (!name_target(form->reader, &to)) {
    return false;
  }
  return kind_at(form->reader, form->next, true) || is_spread(form)
             ? read_how(form, &to)
             : cardan__plan_choice(form, &to);
}

static bool read_option(cardan__plan_form *form)
{
  const char *name;
  return cardan__plan_name(form, "the name of an option", &name) && read_values(form, name);
}

static bool read_keyframe(cardan__plan_form *form)
{
  for (int node = form->next; node >= 0; node = form->reader->tree.nodes[node].next) {
    if (!cardan__plan_is(form->reader, node, CARDAN__SEXPR_SYMBOL) &&
        !cardan__plan_is(form->reader, node, CARDAN__SEXPR_STRING)) {
      form->next = node;
      return cardan__plan_expected(form, "the name of a keyframe");
    }
  }
  return read_values(form, "keyframe");
}

/* Checks that a form occurs once; *seen: its node. */
static bool check_once(cardan__plan_form *form, int *seen)
{
  const cardan__plan_reader *reader = form->reader;
  if (*seen != 0) {
    const cardan_pos first = cardan__plan_pos(reader, *seen);
    return cardan__plan_fail(
        form->reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, form->list),
        "found %s a second time, first in line %d, column %d; expected it once", form->usage,
        first.line, first.column);
  }
  *seen = form->list;
  return true;
}

static bool read_count(cardan__plan_form *form)
{
  cardan__plan_reader *reader = form->reader;
  return check_once(form, &reader->count) &&
         cardan__plan_whole(form, "how many samples", 1, CARDAN__PLAN_SAMPLES,
                            &reader->plan->samples) &&
         cardan__plan_close(form);
}

static bool read_seed(cardan__plan_form *form)
{
  int64_t seed = 0;
  const bool good = check_once(form, &form->reader->seed) &&
                    cardan__plan_whole(form, "a seed", 0, CARDAN__PLAN_CASES, &seed);
  form->reader->plan->seed = (uint64_t)seed;
  return good && cardan__plan_close(form);
}

static bool read_sensitivity(cardan__plan_form *form)
{
  form->reader->plan->sensitivity = true;
  return check_once(form, &form->reader->sensitivity) && cardan__plan_close(form);
}

static bool read_collect(cardan__plan_form *form)
{
  return check_once(form, &form->reader->collect) && cardan__plan_collect_form(form);
}

/* ---- the plan ---- */

static const form_kind forms[] = {
    // those that give values are first
    {"grid", "(grid M 0.5 1 2)", cardan__plan_grid, NULL},
    {"range", "(range L 0.2 0.4 (count 11))", cardan__plan_range, NULL},
    {"random", "(random k (normal 100 5))", cardan__plan_random, NULL},
    {"sobol", "(sobol c 0 1)", cardan__plan_sobol, NULL},
    {"latin", "(latin c (normal 100 5))", cardan__plan_latin, NULL},
    {"set", "(set M 2)", cardan__plan_set, NULL},
    {"list", "(list (A B) (1 2) (3 4))", NULL, cardan__plan_list},
    {"init", "(init \"q.a\" (uniform -1 1))", NULL, read_init},
    {"input", "(input \"u.push\" (grid 0 1))", NULL, read_input},
    {"option", "(option dt 0.001 0.01)", NULL, read_option},
    {"keyframe", "(keyframe \"up\" \"down\")", NULL, read_keyframe},
    {"count", "(count 1024)", NULL, read_count},
    {"seed", "(seed 1)", NULL, read_seed},
    {"sensitivity", "(sensitivity)", NULL, read_sensitivity},
    {"collect", "(collect (end \"q.a\") drift)", NULL, read_collect},
};
enum { NFORM = sizeof forms / sizeof *forms };

static cardan__plan_words form_words(bool giving)
{
  int n = 0;
  while (n < NFORM && (!giving || forms[n].give != NULL)) {
    n++;
  }
  return (cardan__plan_words){forms, sizeof *forms, n};
}

static const form_kind *kind_at(const cardan__plan_reader *reader, int node, bool giving)
{
  const int word = cardan__plan_word(reader, node, form_words(giving));
  return word >= 0 && cardan__plan_is(reader, node, CARDAN__SEXPR_LIST) ? &forms[word] : NULL;
}

/* (WORD NAME ..) */
static bool read_named(cardan__plan_form *form, const form_kind *kind)
{
  cardan__varied to;
  if (form->next < 0) {
    return cardan__plan_expected(form, "a name");
  }
  if (!cardan__plan_target(form->reader, form->next, &to)) {
    return false;
  }
  cardan__plan_advance(form);
  return kind->give(form, &to);
}

static bool read_item(cardan__plan_reader *reader, int node)
{
  const form_kind *kind = kind_at(reader, node, false);
  if (kind == NULL) {
    char found[CARDAN__DESCRIBE_SIZE];
    const cardan_pos pos = cardan__plan_pos(reader, node);
    const bool list = cardan__plan_is(reader, node, CARDAN__SEXPR_LIST);
    const char *near = list ? cardan__plan_near(reader, node, form_words(false)) : NULL;
    cardan__sexpr_describe(&reader->tree, node, found);
    return near != NULL ? cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, pos,
                                            "found %s; did you mean \"%s\"?", found, near)
                        : cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, pos,
                                            "found %s; expected a form of a plan, as in %s", found,
                                            forms[0].usage);
  }
  cardan__plan_form form = cardan__plan_open(reader, node, kind->usage);
  return kind->give != NULL ? read_named(&form, kind) : kind->read(&form);
}

/* What the forms must be together. */
static bool check_whole(cardan__plan_reader *reader)
{
  cardan__plan *plan = reader->plan;
  const cardan_pos whole = cardan__plan_pos(reader, 0);
  if (reader->collect == 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, whole,
                             "the plan does not say what to keep of each case; expected one form "
                             "more, as in (collect (end \"q.a\") (max \"energy\") drift)");
  }
  if (plan->ndrawn > 0 && reader->count == 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, whole,
                             "the plan does not say how many samples to draw; expected one form "
                             "more, as in (count 1024)");
  }
  const int odd = plan->ndrawn > 0 ? 0 : reader->count ? reader->count : reader->sensitivity;
  if (odd != 0) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, odd),
                             "nothing is drawn, so that samples would all be the same; expected a "
                             "number that is, as in (random k (normal 100 5))");
  }
  const int64_t each = plan->sensitivity ? plan->ndrawn + 2 : 1;
  if (plan->samples > CARDAN__PLAN_CASES / plan->points / each) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, reader->count),
                             "the plan has more than 2^53 cases; expected fewer");
  }
  int64_t stride = 1;
  for (int k = plan->naxis - 1; k >= 0; k--) {
    plan->axis[k].stride = stride;
    stride *= plan->axis[k].n;
  }
  return cardan__plan_settle(reader);
}

static void read_plan(cardan__plan_reader *reader)
{
  if (!cardan__sexpr_is_form(&reader->tree, 0, "plan")) {
    char found[CARDAN__DESCRIBE_SIZE];
    cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, 0),
                      "found %s; expected a plan, as in (plan (grid M 0.5 1 2) "
                      "(collect (end \"q.a\") drift))",
                      cardan__sexpr_describe(&reader->tree, 0, found));
    return;
  }
  cardan__plan_form all = cardan__plan_open(reader, 0, "");
  while (all.next >= 0 && read_item(reader, all.next)) {
    cardan__plan_advance(&all);
  }
  if (reader->status == CARDAN_OK) {
    check_whole(reader);
  }
}

cardan_status cardan__plan_read(const char *text, size_t length, const char *file,
                                const cardan_allocator *allocator, cardan__plan **out,
                                cardan_report *report)
{
  cardan__plan_reader reader = {.status = CARDAN_OK};
  cardan__report_file(&reader.report, file ? file : "");
  *out = NULL;
  reader.plan = cardan__resize(allocator, NULL, sizeof *reader.plan);
  if (reader.plan == NULL) {
    cardan__plan_memory(&reader);
  } else {
    *reader.plan = (cardan__plan){.points = 1, .samples = 1, .seed = 1};
    cardan__arena_init(&reader.plan->arena, allocator);
    reader.status = length <= CARDAN__PLAN_BYTES
                        ? cardan__sexpr_read(&reader.tree, text, length, allocator, &reader.report)
                        : cardan_fail(&reader.report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                                      "found a plan of %zu bytes; expected at most %d", length,
                                      CARDAN__PLAN_BYTES);
  }
  if (reader.status == CARDAN_OK) {
    read_plan(&reader);
  }
  cardan__sexpr_free(&reader.tree);
  if (reader.status == CARDAN_OK) {
    *out = reader.plan;
  } else {
    cardan__plan_destroy(reader.plan);
    if (report != NULL) {
      *report = reader.report;
    }
  }
  return reader.status;
}
