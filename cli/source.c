// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // strndup
#include "source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cardan/load.h"
#include "cli.h"
#include "say.h"

enum { MOST_PATHS = 1000 };

/* --path NAME=DIR or DIR, into name (its own memory) and folder. */
static cardan_status read_path(const char *value, cardan_path *path, cardan_report *report)
{
  const char *equals = strchr(value, '='), *slash = strchr(value, '/');
  *path = (cardan_path){.folder = value};
  if (equals != NULL && (slash == NULL || equals < slash)) {
    path->name = strndup(value, (size_t)(equals - value));
    path->folder = equals + 1;
  }
  return equals == value ? cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                                       "--path is \"%.100s\", expected NAME=DIR or DIR", value)
                         : CARDAN_OK;
}

/* The files that the text may name. */
static cardan_status open_files(cli_source *source, const cli_args *args, cardan_report *report)
{
  cardan_path path[MOST_PATHS];
  cardan_status status = CARDAN_OK;
  int n = 0;
  for (int i = 0; i < args->ngiven && n < MOST_PATHS && status == CARDAN_OK; i++) {
    if (strcmp(args->given[i].name, "path") == 0) {
      status = read_path(args->given[i].value, &path[n++], report);
    }
  }
  if (status == CARDAN_OK) {
    status = cardan_files_open(source->given, path, n, true, NULL, &source->files, report);
  }
  for (int i = 0; i < args->nwrite && status == CARDAN_OK; i++) {
    (void)cardan_files_exclude(source->files, args->write[i]); // there are fewer than it takes
  }
  for (int i = 0; i < n; i++) {
    free((char *)path[i].name);
  }
  return status;
}

/* Is the word a case of a sweep, FILE.h5#17? A file of that name is a file. *mark: where # is. */
static bool is_case(const char *word, const char **mark)
{
  struct stat st;
  *mark = strrchr(word, '#');
  if (*mark == NULL || stat(word, &st) == 0) {
    return false;
  }
  char *path = strndup(word, (size_t)(*mark - word));
  const bool is = path != NULL && stat(path, &st) == 0;
  free(path);
  return is;
}

/* The number of a case, digits alone; -1: it is none. */
static int64_t case_number(const char *text)
{
  const size_t length = strlen(text);
  return length > 0 && length <= 18 && strspn(text, "0123456789") == length
             ? strtoll(text, NULL, 10)
             : -1;
}

/* What a case's record says, as a result would; the strings stay the record's. */
static cardan_result *result_of(const cardan_record *r)
{
  cardan_result *result = calloc(1, sizeof *result);
  if (result != NULL) {
    *result = (cardan_result){.model = (char *)r->model,
                              .text = (char *)r->text,
                              .length = r->length,
                              .options = *r->options,
                              .add = r->add,
                              .setting = (cardan_setting *)r->setting,
                              .nsetting = r->nsetting,
                              .initial = (cardan_setting *)r->initial,
                              .ninitial = r->ninitial,
                              .input = (char *)r->input,
                              .input_length = r->input_length,
                              .input_linear = r->input_linear,
                              .note = (char *)r->note};
  }
  return result;
}

/* FILE.h5#17, its # at mark. */
static cardan_status load_case(cli_source *source, const char *mark, cardan_report *report)
{
  char *path = strndup(source->given, (size_t)(mark - source->given));
  cardan_status status =
      path != NULL ? cardan_sweep_open(path, NULL, &source->sweep, report) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    const int64_t count = cardan_sweep_case_count(source->sweep), number = case_number(mark + 1);
    status = number >= 0 && number < count
                 ? cardan_sweep_case(source->sweep, number, &source->one, report)
                 : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                               "%.200s has no case \"%.40s\", expected %.200s#0 to #%" PRId64, path,
                               mark + 1, path, count - 1);
  }
  if (status == CARDAN_OK) {
    source->result = result_of(&source->one);
    status = source->result != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  free(path);
  return status;
}

bool cli_names_result(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* Is it to be read as a result: by its first bytes, or by its name? */
static bool is_result(const char *word)
{
  return cardan_is_result(word) || cli_names_result(word);
}

/* A result that is there, but is none or damaged, is at fault as a model would be. */
static cardan_status load_result(cli_source *source, const char *mark, cardan_report *report)
{
  struct stat st;
  const cardan_status status =
      mark != NULL ? load_case(source, mark, report)
                   : cardan_result_open(source->given, NULL, &source->result, report);
  return status == CARDAN_ERR_IO && (mark != NULL || stat(source->given, &st) == 0)
             ? CARDAN_ERR_MODEL
             : status;
}

/* Takes the model that a result is of. */
static void take_text(cli_source *source)
{
  source->name = source->result->model;
  source->text = source->result->text;
  source->length = source->result->length;
}

cardan_status cli_load_beside(const char *path, char **text, size_t *length, cardan_report *report)
{
  char here[4096];
  if (strpbrk(path, "/.") != NULL) {
    return cardan_load_text(path, NULL, text, length, report);
  }
  snprintf(here, sizeof here, "./%s", path);
  return cardan_load_text(here, NULL, text, length, report);
}

cardan_status cli_source_load(cli_source *source, const char *word, const cli_args *args,
                              cardan_report *report)
{
  const char *mark;
  *source = (cli_source){.given = word,
                         .name = word,
                         .strict = cli_args_value(args, "strict") != NULL,
                         .floor = cli_args_value(args, "floor"),
                         .base = cli_args_value(args, "base"),
                         .convex = cli_args_value(args, "convex")};
  cardan_status status = open_files(source, args, report);
  if (status == CARDAN_OK && (is_case(word, &mark) || is_result(word))) {
    status = load_result(source, is_case(word, &mark) ? mark : NULL, report);
    if (status == CARDAN_OK) {
      take_text(source);
    }
  } else if (status == CARDAN_OK) {
    status = cardan_load_text(word, NULL, &source->loaded, &source->length, report);
    source->text = source->loaded;
  }
  if (status != CARDAN_OK) {
    cli_source_close(source);
  }
  return status;
}

int cli_source_open(cli_source *source, const char *word, const cli_args *args)
{
  cardan_report report = {0};
  const cardan_status status = cli_source_load(source, word, args, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

bool cli_settings_read(const cli_args *args, cli_pairs *settings)
{
  bool good = true;
  for (int i = 0; i < args->ngiven && good; i++) {
    const struct cli_given *given = &args->given[i];
    if (strcmp(given->name, "set") == 0) {
      good = cli_pairs_read(settings, "set", given->value);
    } else if (strcmp(given->name, "base") == 0) {
      const bool free_base = strcmp(given->value, "free") == 0;
      good = (free_base || strcmp(given->value, "fixed") == 0);
      if (!good) {
        cli_error("--base is \"%.40s\", expected fixed or free", given->value);
      } else {
        good = cli_pairs_set(settings, "base", free_base ? 1 : 0);
      }
    } else if (strcmp(given->name, "convex") == 0) {
      char *end;
      const double n = strtod(given->value, &end);
      good = end != given->value && *end == '\0' && n >= 1 && n <= 64 && n == floor(n);
      if (!good) {
        cli_error("--convex is \"%.40s\", expected a whole number from 1 to 64", given->value);
      } else {
        good = cli_pairs_set(settings, "convex", n);
      }
    }
  }
  return good;
}

/* Adds those of a result that the command line does not say again. */
static bool add_settings(cli_pairs *settings, const cardan_result *result)
{
  cli_pairs both = {0};
  bool good = true;
  for (int i = 0; i < result->nsetting && good; i++) {
    good = cli_pairs_set(&both, result->setting[i].name, result->setting[i].value);
  }
  for (int i = 0; i < settings->n && good; i++) {
    good = cli_pairs_set(&both, settings->item[i].name, settings->item[i].value);
  }
  cli_pairs_free(settings);
  *settings = both;
  return good;
}

/* The text of a spec that was read from several files, in place of the one that named them. */
static cardan_status take_whole(cli_source *source, const cardan_spec *spec, cli_pairs *settings)
{
  static const char ending[] = ".mbs";
  char *text;
  const cardan_status status = cardan_spec_write(spec, NULL, &text);
  if (status != CARDAN_OK) {
    return status;
  }
  const size_t size = strlen(source->name) + sizeof ending;
  source->whole = malloc(size);
  if (source->whole == NULL) {
    cardan_free_text(NULL, text);
    return CARDAN_ERR_MEMORY;
  }
  snprintf(source->whole, size, "%s%s", source->name, ending);
  cardan_free_text(NULL, source->loaded);
  source->text = source->loaded = text;
  source->length = strlen(text);
  cli_pairs_free(settings);
  return CARDAN_OK;
}

/* The plane of --floor. */
static cardan_status add_floor(const char *height, cardan_spec *spec, cardan_report *report)
{
  char *end;
  const double z = strtod(height, &end);
  if (end == height || *end != '\0' || !isfinite(z)) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "--floor is \"%.40s\", expected a height in metres", height);
  }
  cardan_spec_floor(spec, z);
  return cardan_spec_status(spec, report);
}

/* Is it of a robot's format, by its ending? */
static bool is_robot(const char *name)
{
  const char *ending = strrchr(name, '.'), *known;
  bool robot = false;
  for (int i = 1; ending != NULL && (known = cardan_format_ending(i)) != NULL; i++) {
    robot = robot || strcasecmp(ending, known) == 0; // 0: model files
  }
  return robot;
}

/* --base and --convex are for robot files: in a model file constants may have these names. */
static cardan_status check_robot_options(const cli_source *source, cardan_report *report)
{
  const char *name = cli_source_text_name(source);
  if (source->whole != NULL || is_robot(name)) {
    return CARDAN_OK;
  }
  const char *of = source->result != NULL ? " (of a result, which has its robot as one)" : "";
  if (source->base != NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "--base is for robot files (URDF, SDF), and %.100s is a model file%s: write "
                       "(joint free \"NAME\" ..) for a body that moves freely",
                       name, of);
  }
  return source->convex == NULL
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "--convex is for robot files (URDF, SDF, MJCF), and %.100s is a "
                           "model file%s: write (convex %.20s) in the (solid mesh ..)",
                           name, of, source->convex);
}

cardan_status cli_source_spec(cli_source *source, cli_pairs *settings, cardan_spec **spec,
                              cardan_report *report)
{
  *spec = NULL;
  cardan_status status = check_robot_options(source, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (source->result && !add_settings(settings, source->result)) {
    return CARDAN_ERR_MEMORY;
  }
  status = cardan_spec_read_files(source->text, source->length, cli_source_text_name(source),
                                  settings->item, settings->n, source->files, NULL, spec, report);
  if (status == CARDAN_OK && source->strict) {
    status = cardan_spec_strict(*spec, report);
  }
  if (status == CARDAN_OK && source->floor != NULL) {
    status = add_floor(source->floor, *spec, report);
  }
  if (status == CARDAN_OK && (cardan_spec_files(*spec) > 0 || source->floor != NULL)) {
    status = take_whole(source, *spec, settings);
  }
  if (status != CARDAN_OK) {
    cardan_spec_destroy(*spec);
    *spec = NULL;
  }
  return status;
}

cardan_status cli_source_build(cli_source *source, cli_pairs *settings, cardan_model **model,
                               cardan_report *report)
{
  cardan_spec *spec;
  *model = NULL;
  cardan_status status = cli_source_spec(source, settings, &spec, report);
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, NULL, model, report);
    cardan_spec_destroy(spec);
  }
  return status;
}

int cli_source_model(cli_source *source, cli_pairs *settings, cardan_model **model)
{
  cardan_report report = {0};
  const cardan_status status = cli_source_build(source, settings, model, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

int cli_source_dynamic(const cli_source *source, const cardan_model *model)
{
  cardan_report report = {0};
  const cardan_status status = cardan_model_dynamic(model, &report);
  snprintf(report.file, sizeof report.file, "%.200s", source->given);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

const char *cli_source_text_name(const cli_source *source)
{
  return source->whole != NULL ? source->whole : source->name;
}

int cli_source_begin(const cli_source *source, const cardan_options *options, cardan_model *model)
{
  cardan_report report = {0};
  snprintf(report.file, sizeof report.file, "%.200s", source->given);
  const cardan_status status = cardan_options_prepare(options, model, &report);
  if (status == CARDAN_ERR_ARGUMENT) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

void cli_source_close(cli_source *source)
{
  cardan_free_text(NULL, source->loaded);
  cardan_files_close(source->files);
  if (source->sweep != NULL) {
    free(source->result);
    cardan_sweep_case_free(source->sweep, &source->one);
    cardan_sweep_destroy(source->sweep);
  } else {
    cardan_result_close(source->result);
  }
  free(source->whole);
  *source = (cli_source){0};
}

bool cli_begin_read(const cli_args *args, cardan_options *options)
{
  static const char *const names[] = {"keyframe", "closing", "rank-tol"};
  cardan_report report = {0};
  *options = cardan_options_defaults();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = cli_args_value(args, names[i]);
    if (value && cardan_options_set(options, names[i], value, &report) != CARDAN_OK) {
      cli_error("%s", report.message);
      return false;
    }
  }
  return true;
}
