// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/mechanism.h"
#include "cardan/output.h"
#include "cli.h"
#include "say.h"
#include "still.h"

/* cardan kinematics: a motion that drivers or a record determine, and the forces that it takes. */

enum { FRAMES = 64, ADD_FORCES = 1, ADD_REACTIONS = 2, ADD_MULTIPLIERS = 4 };

typedef struct {
  char *data;
  size_t length, capacity;
  bool failed;
} text;

typedef struct {
  cli_still still;
  const char *out;
  double begin, dt, time; // dt 0: the times of the record
  int64_t every;
  bool hold;
  int add;
  int nframe, frame[FRAMES];
  char *motion_text;
  cardan_record_of_motion *motion;
  cardan_mechanism *mechanism;
  double *tau, *driver; // nv, njoint
  cardan_force *reaction;
  double *low, *high; // 3 nv: least and largest of q (of velocity k's coordinate), v, a
  int64_t rows;
  text table;
} job;

/* ---- text ---- */

static void say(text *t, const char *format, ...) CARDAN_PRINTF(2, 3);
static void say(text *t, const char *format, ...)
{
  char part[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(part, sizeof part, format, args);
  va_end(args);
  const size_t more = n > 0 ? (size_t)n : 0;
  if (t->length + more + 1 > t->capacity && !t->failed) {
    const size_t capacity = 2 * t->capacity + more + 4096;
    char *data = realloc(t->data, capacity);
    t->failed = data == NULL;
    t->data = data != NULL ? data : t->data;
    t->capacity = data != NULL ? capacity : t->capacity;
  }
  if (!t->failed && more < sizeof part) {
    memcpy(t->data + t->length, part, more + 1);
    t->length += more;
  }
}

/* A column's name, in quotes where it needs them. */
static void say_column(text *t, const char *before, const char *name, const char *after)
{
  const bool quoted = strpbrk(name, ",\"\n") != NULL;
  say(t, ",%s%s", quoted ? "\"" : "", before);
  for (const char *c = name; *c != '\0'; c++) {
    say(t, *c == '"' ? "\"\"" : "%c", *c);
  }
  say(t, "%s%s", after, quoted ? "\"" : "");
}

static void say_numbers(text *t, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    say(t, ",%.17g", x[i]);
  }
}

static void say_vector(text *t, cardan_vec3 x)
{
  say(t, ",%.17g,%.17g,%.17g", x.x, x.y, x.z);
}

/* ---- the table ---- */

static void header(job *j)
{
  static const char *const axes[] = {".x", ".y", ".z"};
  static const char *const frames[] = {"p.", "pd.", "pdd.", "w.", "wd."};
  static const char *const parts[] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};
  const cardan_model *m = j->still.model;
  text *t = &j->table;
  say(t, "t");
  for (int i = 0; i < m->nq; i++) {
    say_column(t, "q.", m->q_name[i], "");
  }
  for (int i = 0; i < 2 * m->nv; i++) {
    say_column(t, i < m->nv ? "v." : "a.", m->v_name[i % m->nv], "");
  }
  for (int i = 0; i < 15 * j->nframe; i++) {
    say_column(t, frames[i % 15 / 3], m->frame[j->frame[i / 15]].name, axes[i % 3]);
  }
  const cardan_mechanism_facts facts = cardan_mechanism_about(j->mechanism);
  for (int i = 0; i < facts.nused + facts.nheld && (j->add & ADD_FORCES); i++) {
    const int v = i < facts.nused ? facts.used[i] : facts.held[i - facts.nused];
    say_column(t, "tau.", m->v_name[v], "");
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_FORCES); i++) {
    if (m->joint[i].driven) {
      say_column(t, "f.", m->joint[i].name, "");
    }
  }
  for (int i = 0; i < 6 * m->njoint && (j->add & ADD_REACTIONS); i++) {
    say_column(t, "R.", m->joint[i / 6].name, parts[i % 6]);
  }
  for (int r = 0; r < m->nrow && (j->add & ADD_MULTIPLIERS); r++) {
    char name[256];
    cardan_row_name(m, r, name, sizeof name);
    say_column(t, "lambda.", name, "");
  }
  say(t, "\n");
}

static void row_forces(job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_mechanism_facts facts = cardan_mechanism_about(j->mechanism);
  text *t = &j->table;
  cardan_driver_forces(m, j->still.data, j->driver);
  cardan_reactions(m, j->still.data, j->reaction);
  for (int i = 0; i < facts.nused + facts.nheld && (j->add & ADD_FORCES); i++) {
    say(t, ",%.17g", j->tau[i < facts.nused ? facts.used[i] : facts.held[i - facts.nused]]);
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_FORCES); i++) {
    if (m->joint[i].driven) {
      say(t, ",%.17g", j->driver[i]);
    }
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_REACTIONS); i++) {
    say_vector(t, j->reaction[i].f);
    say_vector(t, j->reaction[i].t);
  }
  if (j->add & ADD_MULTIPLIERS) {
    say_numbers(t, j->still.data->lambda, m->nrow);
  }
}

static void row_frames(job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_data *data = j->still.data;
  for (int i = 0; i < j->nframe; i++) {
    const cardan_motion v = cardan_frame_twist(m, data, j->frame[i], CARDAN_ALIGNED);
    const cardan_motion a = cardan_frame_acceleration(m, data, j->frame[i], CARDAN_ALIGNED);
    say_vector(&j->table, cardan_frame_pose(m, data, j->frame[i]).p);
    say_vector(&j->table, v.v);
    say_vector(&j->table, a.v);
    say_vector(&j->table, v.w);
    say_vector(&j->table, a.w);
  }
}

/* Least and largest, for the summary. */
static void look(job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_data *data = j->still.data;
  for (int k = 0; k < m->nv; k++) {
    const cardan_body *b = &m->body[m->v_body[k]];
    const double x[3] = {b->nq == b->nv ? data->q[b->qadr + k - b->vadr] : (double)NAN, data->v[k],
                         data->a[k]};
    for (int i = 0; i < 3; i++) {
      double *low = &j->low[3 * k + i], *high = &j->high[3 * k + i];
      *low = j->rows == 0 || x[i] < *low ? x[i] : *low;
      *high = j->rows == 0 || x[i] > *high ? x[i] : *high;
    }
  }
}

static cardan_status row(job *j, double t, cardan_report *report)
{
  const cardan_model *m = j->still.model;
  const cardan_data *data = j->still.data;
  cardan_status status = cardan_mechanism_move(j->mechanism, t, report);
  if (status == CARDAN_OK && j->add != 0) {
    status = cardan_mechanism_forces(j->mechanism, j->tau, report);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  look(j);
  j->rows++;
  if (j->out == NULL) {
    return CARDAN_OK;
  }
  say(&j->table, "%.17g", t);
  say_numbers(&j->table, data->q, m->nq);
  say_numbers(&j->table, data->v, m->nv);
  say_numbers(&j->table, data->a, m->nv);
  row_frames(j);
  if (j->add != 0) {
    row_forces(j);
  }
  say(&j->table, "\n");
  if (j->table.failed) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  return CARDAN_OK;
}

static void names(const char *what, const cardan_model *m, const int *v, int n)
{
  for (int i = 0; i < n; i++) {
    printf("%s%s", i == 0 ? what : ", ", m->v_name[v[i]]);
  }
  printf("%s", n > 0 ? "\n" : "");
}

static void summary(const job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_mechanism_facts facts = cardan_mechanism_about(j->mechanism);
  printf("%s: %lld places from %g to %g s\n", j->still.source.name, (long long)j->rows, j->begin,
         j->still.data->t);
  names("  recorded      ", m, facts.used, facts.nused);
  names("  not used      ", m, facts.spare, facts.nspare);
  names("  held          ", m, facts.held, facts.nheld);
  for (int k = 0; k < m->nv; k++) {
    const double *low = &j->low[3 * k], *high = &j->high[3 * k];
    printf("  %-12s ", m->v_name[k]);
    if (!isnan(low[0])) {
      printf(" q %.6g .. %.6g ", low[0], high[0]);
    }
    printf(" v %.6g .. %.6g  a %.6g .. %.6g\n", low[1], high[1], low[2], high[2]);
  }
}

/* ---- the run ---- */

/* Time of row k; false: there is none. */
static bool time_of(const job *j, int64_t k, double *t)
{
  if (j->dt > 0) {
    const double steps = (double)k * (double)j->every;
    *t = j->begin + steps * j->dt;
    return steps <= floor((j->time + 1e-9 * j->dt) / j->dt);
  }
  const int64_t at = k * j->every;
  *t = at < cardan_motion_rows(j->motion) ? cardan_motion_time(j->motion, (int)at) : 0;
  return at < cardan_motion_rows(j->motion);
}

static int finish(job *j, cardan_status status, cardan_report *report)
{
  int exit = CLI_DONE;
  cardan_report wrote = {0};
  if (j->out != NULL && j->table.data != NULL &&
      cardan_write_text(j->out, j->table.data, j->table.length, NULL, &wrote) != CARDAN_OK) {
    exit = cli_load_failed(CARDAN_ERR_IO, &wrote);
  }
  if (j->rows > 0 && (j->out == NULL || strcmp(j->out, "-") != 0)) {
    summary(j);
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report->message);
    return status == CARDAN_ERR_UNSUPPORTED ? CLI_USAGE : CLI_STOPPED;
  }
  return exit;
}

static int run(job *j)
{
  const cardan_model *m = j->still.model;
  cardan_report report = {0};
  const cardan_mechanism_options options = {.motion = j->motion, .hold = j->hold};
  j->still.data->t = j->begin;
  cardan_status status =
      cardan_mechanism_create(m, j->still.data, &options, NULL, &j->mechanism, &report);
  if (status != CARDAN_OK) {
    cli_error("%s", report.message);
    return status == CARDAN_ERR_UNSUPPORTED || status == CARDAN_ERR_ASSEMBLY ? CLI_MODEL
                                                                             : CLI_STOPPED;
  }
  const size_t nv = (size_t)m->nv + 1, njoint = (size_t)m->njoint + 1;
  j->tau = calloc(7 * nv + njoint, sizeof *j->tau);
  j->reaction = calloc(njoint, sizeof *j->reaction);
  if (j->tau == NULL || j->reaction == NULL) {
    cli_error("out of memory");
    return CLI_STOPPED;
  }
  j->low = j->tau + nv;
  j->high = j->low + 3 * nv;
  j->driver = j->high + 3 * nv;
  header(j);
  double t;
  for (int64_t k = 0; status == CARDAN_OK && time_of(j, k, &t); k++) {
    status = row(j, t, &report);
  }
  return finish(j, status, &report);
}

/* ---- the command line ---- */

static bool number(const cli_args *args, const char *name, double *out)
{
  const char *given = cli_args_value(args, name);
  char *end = NULL;
  if (given == NULL) {
    return true;
  }
  *out = strtod(given, &end);
  if (end == given || *end != '\0' || !(*out > 0) || !isfinite(*out)) {
    cli_error("--%s is \"%.40s\", expected a number > 0", name, given);
    return false;
  }
  return true;
}

static bool read_add(job *j, const char *given)
{
  static const char *const words[] = {"forces", "reactions", "multipliers"};
  for (const char *at = given; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    int found = -1;
    for (int i = 0; i < 3; i++) {
      found = strlen(words[i]) == length && strncmp(words[i], at, length) == 0 ? i : found;
    }
    if (found < 0) {
      cli_error("--add has \"%.*s\", expected forces, reactions or multipliers",
                (int)(length < 40 ? length : 40), at);
      return false;
    }
    j->add |= 1 << found;
    at += length + (at[length] == ',');
  }
  return true;
}

static bool read_frames(job *j, const cli_args *args)
{
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, "frame") == 0) {
      const int frame = cardan_model_frame(j->still.model, args->given[i].value);
      if (frame < 0 || j->nframe == FRAMES) {
        cli_error("--frame is \"%.60s\", expected the name of a frame of the model, %d at most",
                  args->given[i].value, FRAMES);
        return false;
      }
      j->frame[j->nframe++] = frame;
    }
  }
  return true;
}

/* Times: of the command line, else of the record, else of the model's (simulate ..). */
static int read_times(job *j, const cli_args *args)
{
  cardan_options options = cardan_options_defaults();
  cardan_report report = {0};
  uint64_t every = 1;
  if (cardan_options_of_model(&options, j->still.model, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_MODEL;
  }
  j->dt = j->motion != NULL ? 0 : options.dt;
  j->time = options.time;
  j->begin = j->still.data->t;
  double most = HUGE_VAL;
  if (j->motion != NULL) {
    j->begin = cardan_motion_time(j->motion, 0);
    j->time = most = cardan_motion_time(j->motion, cardan_motion_rows(j->motion) - 1) - j->begin;
  }
  if (!number(args, "dt", &j->dt) || !number(args, "time", &j->time) ||
      !cli_args_whole(args, "every", 1, 1000000000, 1, &every)) {
    return CLI_USAGE;
  }
  if (j->time > most * (1 + 1e-9)) {
    cli_error(
        "--time is %g, and the record of --motion is %g s long, from t = %g: expected at most "
        "that",
        j->time, most, j->begin);
    return CLI_USAGE;
  }
  j->every = (int64_t)every;
  if (j->dt > 0 && j->time / j->dt > 1e8) {
    cli_error("--time %g is more than 1e8 steps of --dt %g", j->time, j->dt);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

static int read_motion(job *j, const char *path)
{
  cardan_report report = {0};
  size_t length = 0;
  char file[4096];
  if (path == NULL) {
    return CLI_DONE;
  }
  // without a folder or an ending it would be a built-in model
  snprintf(file, sizeof file, "%s%s", strpbrk(path, "/.") ? "" : "./", path);
  cardan_status status = cardan_load_text(file, NULL, &j->motion_text, &length, &report);
  if (status == CARDAN_OK) {
    status =
        cardan_motion_read(j->still.model, j->motion_text, length, path, NULL, &j->motion, &report);
  }
  return status == CARDAN_OK ? CLI_DONE : cli_table_failed(status, &report);
}

static bool has_ending(const job *j)
{
  const size_t length = j->out != NULL ? strlen(j->out) : 0;
  if (j->out == NULL || strcmp(j->out, "-") == 0) {
    return true;
  }
  if (length < 5 || strcmp(j->out + length - 4, ".csv") != 0) {
    cli_error("--out is \"%.200s\", expected a name that ends in .csv, or -", j->out);
    return false;
  }
  return true;
}

static int kinematics(const cli_args *args)
{
  job j = {.out = cli_args_value(args, "out"), .hold = cli_args_value(args, "hold") != NULL};
  if (!read_add(&j, cli_args_value(args, "add"))) {
    return CLI_USAGE;
  }
  int exit = cli_still_open(&j.still, args);
  exit = exit == CLI_DONE && !has_ending(&j) ? CLI_USAGE : exit;
  exit = exit == CLI_DONE ? read_motion(&j, cli_args_value(args, "motion")) : exit;
  exit = exit == CLI_DONE ? read_times(&j, args) : exit;
  exit = exit == CLI_DONE && !read_frames(&j, args) ? CLI_USAGE : exit;
  exit = exit == CLI_DONE ? run(&j) : exit;
  cardan_mechanism_destroy(j.mechanism);
  cardan_motion_destroy(j.motion);
  cardan_free_text(NULL, j.motion_text);
  free(j.table.data);
  free(j.tau);
  free(j.reaction);
  cli_still_close(&j.still);
  return exit;
}

static const cli_option options[] = {
    {"motion", "FILE.csv", "recorded motion: columns t, q.NAME and, where known, v.NAME, a.NAME"},
    {"hold", NULL, "coordinates that nothing moves stay where they start"},
    {"time", "T", "length of the motion [s] (the record's, the model's)"},
    {"dt", "H", "time between places [s] (the record's rows, the model's)"},
    {"every", "N", "every N-th of them (1)"},
    {"frame", "NAME", "position, velocities and accelerations of a frame too; may be repeated"},
    {"add", "LIST", "forces, reactions, multipliers: inverse dynamics"},
    {"out", "FILE.csv", "where the table goes, - for the standard output"},
    CLI_STILL_OPTIONS,
    {NULL, NULL, NULL},
};

const cli_command cli_kinematics = {
    .name = "kinematics",
    .words = "MODEL",
    .nword = 1,
    .help = "positions, velocities, accelerations under drivers or a recorded motion; its forces",
    .text =
        "Nothing may be left free: drivers, a record and --hold determine all coordinates. The\n"
        "others follow from the loops, on the branch of the start. Columns: t, q.NAME, v.NAME,\n"
        "a.NAME; of a frame p, pd, pdd (its origin), w, wd; with --add forces tau.NAME on\n"
        "recorded coordinates and f.JOINT of drivers, then R.JOINT.fx .. and lambda.NAME.\n"
        "\n"
        "examples\n"
        "  cardan kinematics crank.mbs --time 2 --dt 0.01 --out motion.csv --add forces\n"
        "  cardan kinematics arm.urdf --motion m.csv --add forces --out torques.csv\n",
    .option = options,
    .run = kinematics,
};
