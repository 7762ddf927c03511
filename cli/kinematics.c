// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/output.h"
#include "cardan/prescribed_motion.h"
#include "cli.h"
#include "interrupt.h"
#include "outputs.h"
#include "pages.h"
#include "say.h"
#include "still.h"

/* cardan kinematics: a motion that drivers or a record determine, and the forces that it takes. */

enum { FRAMES = 64, ADD_FORCES = 1, ADD_REACTIONS = 2, ADD_MULTIPLIERS = 4 };

typedef struct {
  cli_still still;
  const char *out, *report;
  double begin, dt, time; // dt 0: the times of the record
  int64_t every;
  bool hold;
  int add;
  int nframe, frame[FRAMES];
  char *motion_text;
  cardan_recording *motion;
  cardan_prescribed_motion *mechanism;
  double *tau, *driver; // nv, njoint
  cardan_force *reaction;
  double *low, *high; // 3 nv: least and largest of q (of velocity k's coordinate), v, a
  int64_t rows;
  int n, room;    // columns
  char **name;    // n
  double *number; // n: a row, of which the first `at` are there
  int at;
  bool failed; // no memory
  cardan_table *table;
  cardan_film *film;
} job;

/* ---- the columns ---- */

static void column(job *j, const char *before, const char *name, const char *after)
{
  const size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
  if (j->n == j->room && !j->failed) {
    const int room = 2 * j->room + 64;
    char **more = realloc(j->name, (size_t)room * sizeof *more);
    j->failed = more == NULL;
    j->name = more != NULL ? more : j->name;
    j->room = more != NULL ? room : j->room;
  }
  char *text = j->failed ? NULL : malloc(size);
  j->failed = text == NULL;
  if (text != NULL) {
    snprintf(text, size, "%s%s%s", before, name, after);
    j->name[j->n++] = text;
  }
}

static void columns_of_forces(job *j)
{
  static const char *const parts[] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};
  const cardan_model *m = j->still.model;
  const cardan_prescribed_motion_facts facts = cardan_prescribed_motion_about(j->mechanism);
  for (int i = 0; i < facts.nused + facts.nheld && (j->add & ADD_FORCES); i++) {
    const int v = i < facts.nused ? facts.used[i] : facts.held[i - facts.nused];
    column(j, "tau.", m->v_name[v], "");
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_FORCES); i++) {
    if (m->joint[i].driven) {
      column(j, "f.", m->joint[i].name, "");
    }
  }
  for (int i = 0; i < 6 * m->njoint && (j->add & ADD_REACTIONS); i++) {
    column(j, "R.", m->joint[i / 6].name, parts[i % 6]);
  }
  for (int r = 0; r < m->nrow && (j->add & ADD_MULTIPLIERS); r++) {
    char name[256];
    cardan_row_name(m, r, name, sizeof name);
    column(j, "lambda.", name, "");
  }
}

static void columns(job *j)
{
  static const char *const axes[] = {".x", ".y", ".z"};
  static const char *const frames[] = {"p.", "pd.", "pdd.", "w.", "wd."};
  const cardan_model *m = j->still.model;
  column(j, "t", "", "");
  for (int i = 0; i < m->nq; i++) {
    column(j, "q.", m->q_name[i], "");
  }
  for (int i = 0; i < 2 * m->nv; i++) {
    column(j, i < m->nv ? "v." : "a.", m->v_name[i % m->nv], "");
  }
  for (int i = 0; i < 15 * j->nframe; i++) {
    column(j, frames[i % 15 / 3], m->frame[j->frame[i / 15]].name, axes[i % 3]);
  }
  columns_of_forces(j);
  j->number = calloc((size_t)j->n + 1, sizeof *j->number);
  j->failed = j->failed || j->number == NULL;
}

/* ---- the rows ---- */

static void put(job *j, const double *x, int n)
{
  memcpy(j->number + j->at, x, (size_t)n * sizeof *x);
  j->at += n;
}

static void put_vector(job *j, cardan_vec3 x)
{
  const double part[3] = {x.x, x.y, x.z};
  put(j, part, 3);
}

static void row_forces(job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_prescribed_motion_facts facts = cardan_prescribed_motion_about(j->mechanism);
  cardan_driver_forces(m, j->still.data, j->driver);
  cardan_reactions(m, j->still.data, j->reaction);
  for (int i = 0; i < facts.nused + facts.nheld && (j->add & ADD_FORCES); i++) {
    put(j, &j->tau[i < facts.nused ? facts.used[i] : facts.held[i - facts.nused]], 1);
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_FORCES); i++) {
    if (m->joint[i].driven) {
      put(j, &j->driver[i], 1);
    }
  }
  for (int i = 0; i < m->njoint && (j->add & ADD_REACTIONS); i++) {
    put_vector(j, j->reaction[i].f);
    put_vector(j, j->reaction[i].t);
  }
  if (j->add & ADD_MULTIPLIERS) {
    put(j, j->still.data->lambda, m->nrow);
  }
}

static void row_frames(job *j)
{
  const cardan_model *m = j->still.model;
  const cardan_data *data = j->still.data;
  for (int i = 0; i < j->nframe; i++) {
    const cardan_twist v = cardan_frame_twist(m, data, j->frame[i], CARDAN_ALIGNED);
    const cardan_twist a = cardan_frame_acceleration(m, data, j->frame[i], CARDAN_ALIGNED);
    put_vector(j, cardan_frame_pose(m, data, j->frame[i]).p);
    put_vector(j, v.v);
    put_vector(j, a.v);
    put_vector(j, v.w);
    put_vector(j, a.w);
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
  cardan_status status = cardan_prescribed_motion_move(j->mechanism, t, report);
  if (status == CARDAN_OK) {
    cli_still_tables(&j->still);
  }
  if (status == CARDAN_OK && j->add != 0) {
    status = cardan_prescribed_motion_forces(j->mechanism, j->tau, report);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  look(j);
  j->rows++;
  j->at = 0;
  put(j, &t, 1);
  put(j, data->q, m->nq);
  put(j, data->v, m->nv);
  put(j, data->a, m->nv);
  row_frames(j);
  if (j->add != 0) {
    row_forces(j);
  }
  if (j->film != NULL) {
    cardan_film_append(j->film, j->number);
  }
  return j->table != NULL ? cardan_table_row(j->table, j->number, report) : CARDAN_OK;
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
  const cardan_prescribed_motion_facts facts = cardan_prescribed_motion_about(j->mechanism);
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
  *t = at < cardan_recording_row_count(j->motion) ? cardan_recording_time(j->motion, (int)at) : 0;
  return at < cardan_recording_row_count(j->motion);
}

/* The page of what was moved through. error: why it ended early, NULL: it did not. */
static int write_page(const job *j, const char *error)
{
  cardan_report report = {0};
  const cardan_page_run run = {
      .label = "kinematics", .film = j->film, .wall_seconds = -1, .error = error};
  cardan_page page = cli_still_page(&j->still);
  page.run = &run;
  page.nrun = 1;
  const cardan_status status = cardan_page_write(&page, j->report, NULL, &report);
  const int exit = status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
  cli_wrote(j->report, exit, false);
  return exit;
}

static int finish(job *j, cardan_status status, cardan_report *report)
{
  int exit = CLI_DONE;
  cardan_report wrote = {0};
  if (j->table != NULL) {
    const cardan_status closed = cardan_table_close(j->table, j->rows > 0, &wrote);
    exit = closed == CARDAN_OK       ? CLI_DONE
           : status == CARDAN_ERR_IO ? CLI_USAGE // its row said so
                                     : cli_load_failed(closed, &wrote);
    j->table = NULL;
    cli_wrote(j->out, j->rows > 0 ? exit : CLI_STOPPED, false);
  }
  if (j->film != NULL && j->rows > 0 && exit == CLI_DONE) {
    exit = write_page(j, status == CARDAN_OK ? NULL : report->message);
  }
  if (j->rows > 0 && (j->out == NULL || strcmp(j->out, "-") != 0)) {
    summary(j);
  }
  if (status == CARDAN_ERR_STOPPED) {
    cli_error("stopped by a signal after %lld places; %s", (long long)j->rows,
              j->out != NULL && j->rows > 0 ? "their rows are kept" : "nothing was kept");
    return 128 + cli_interrupted();
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report->message);
    return status == CARDAN_ERR_UNSUPPORTED || status == CARDAN_ERR_IO ? CLI_USAGE : CLI_STOPPED;
  }
  return exit;
}

/* What rows need, and where they go. */
static cardan_status open_all(job *j, cardan_report *report)
{
  const cardan_model *m = j->still.model;
  const size_t nv = (size_t)m->nv + 1, njoint = (size_t)m->njoint + 1;
  cardan_status status = CARDAN_OK;
  j->tau = calloc(7 * nv + njoint, sizeof *j->tau);
  j->reaction = calloc(njoint, sizeof *j->reaction);
  columns(j);
  if (j->tau == NULL || j->reaction == NULL || j->failed) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  j->low = j->tau + nv;
  j->high = j->low + 3 * nv;
  j->driver = j->high + 3 * nv;
  const char *const *names = (const char *const *)j->name;
  if (j->out != NULL) {
    status = cardan_table_open(j->out, names, j->n, NULL, NULL, &j->table, report);
  }
  if (status == CARDAN_OK && j->report != NULL) {
    status = cardan_film_create(m, names, j->n, 0, NULL, &j->film, report);
  }
  return status;
}

static int run(job *j)
{
  cardan_report report = {0};
  const cardan_prescribed_motion_options options = {.motion = j->motion, .hold = j->hold};
  j->still.data->t = j->begin;
  cardan_status status = cardan_prescribed_motion_create(j->still.model, j->still.data, &options,
                                                         NULL, &j->mechanism, &report);
  if (status == CARDAN_ERR_UNSUPPORTED && report.pos.line > 0) {
    snprintf(report.file, sizeof report.file, "%.200s", j->still.source.given);
    return cli_load_failed(status, &report);
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report.message);
    return status == CARDAN_ERR_UNSUPPORTED || status == CARDAN_ERR_ASSEMBLY ? CLI_MODEL
                                                                             : CLI_STOPPED;
  }
  cli_interrupt_begin("its file has no rows yet");
  status = open_all(j, &report);
  if (status != CARDAN_OK) {
    cli_interrupt_end();
    return cli_load_failed(status, &report);
  }
  double t;
  for (int64_t k = 0; status == CARDAN_OK && time_of(j, k, &t); k++) {
    status = cli_interrupted() ? CARDAN_ERR_STOPPED : row(j, t, &report);
  }
  cli_interrupt_end();
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
  if (cardan_options_apply_model(&options, j->still.model, CARDAN_OPTIONS_OF_ALL_METHODS,
                                 &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_MODEL;
  }
  j->dt = j->motion != NULL ? 0 : options.dt;
  j->time = options.time;
  j->begin = j->still.data->t;
  double most = HUGE_VAL;
  if (j->motion != NULL) {
    j->begin = cardan_recording_time(j->motion, 0);
    j->time = most =
        cardan_recording_time(j->motion, cardan_recording_row_count(j->motion) - 1) - j->begin;
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

/* Angles of encoders and of atan2 begin again after a turn, and splines do not know. */
static void say_leap(const job *j)
{
  const cardan_model *m = j->still.model;
  double from[3], to[3];
  int k, row;
  if (cardan_recording_find_jump(m, j->motion, &k, &row)) {
    const double t = cardan_recording_time(j->motion, row),
                 next = cardan_recording_time(j->motion, row + 1);
    cardan_recording_at(j->motion, k, t, from);
    cardan_recording_at(j->motion, k, next, to);
    cli_warning(
        "q.%.60s of the record goes from %.6g at t = %.6g to %.6g at t = %.6g, more than half "
        "a turn: expected an angle that is counted on over turns, or rows that are nearer",
        m->q_name[cardan_recording_coordinate(j->motion, k)], from[0], t, to[0], next);
  }
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
    status = cardan_recording_read(j->still.model, j->motion_text, length, path, NULL, &j->motion,
                                   &report);
  }
  if (status == CARDAN_OK) {
    say_leap(j);
  }
  return status == CARDAN_OK ? CLI_DONE : cli_table_failed(status, &report);
}

static bool has_ending(const job *j)
{
  static const char *const endings[] = {".csv", ".h5", ".hdf5"};
  const char *dot = j->out != NULL ? strrchr(j->out, '.') : NULL;
  bool good = j->out == NULL || strcmp(j->out, "-") == 0;
  for (int i = 0; i < 3 && dot != NULL; i++) {
    good = good || strcmp(dot, endings[i]) == 0;
  }
  if (!good) {
    cli_error("--out is \"%.200s\", expected a name that ends in .csv or .h5, or -", j->out);
  }
  return good;
}

static void free_all(job *j)
{
  (void)!cardan_table_close(j->table, false, NULL);
  cardan_film_destroy(j->film);
  cardan_prescribed_motion_destroy(j->mechanism);
  cardan_recording_destroy(j->motion);
  cardan_free_text(NULL, j->motion_text);
  for (int i = 0; i < j->n; i++) {
    free(j->name[i]);
  }
  free(j->name);
  free(j->number);
  free(j->tau);
  free(j->reaction);
  cli_still_close(&j->still);
}

static int kinematics(const cli_args *args)
{
  job j = {.out = cli_args_value(args, "out"),
           .report = cli_args_value(args, "report"),
           .hold = cli_args_value(args, "hold") != NULL};
  if (!read_add(&j, cli_args_value(args, "add")) || !has_ending(&j) ||
      cli_report_check(j.report) != CLI_DONE) {
    return CLI_USAGE;
  }
  int exit = cli_still_open(&j.still, args);
  exit = exit == CLI_DONE ? read_motion(&j, cli_args_value(args, "motion")) : exit;
  exit = exit == CLI_DONE ? read_times(&j, args) : exit;
  exit = exit == CLI_DONE && !read_frames(&j, args) ? CLI_USAGE : exit;
  exit = exit == CLI_DONE ? run(&j) : exit;
  free_all(&j);
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
    {"out", "FILE", "where the table goes: .csv, .h5, - for the standard output"},
    {"report", "FILE.html", "a page with the motion and all columns"},
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
