// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // fstat
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "methods/method.h"
#include "output/file.h"
#include "output/hdf5_get.h"
#include "output/options_text.h"

/* Results read back. What HDF5 does is done in a process of its own (output/sandbox.h): up to
 * cardan__hdf5_read; what follows is done here. */

typedef cardan__result_file result_file;

static bool read_model(result_file *file)
{
  cardan_result *result = &file->result;
  hssize_t n = 0;
  size_t size = 0;
  result->model = cardan__hdf5_get_text(file, file->id, "model");
  result->text = cardan__hdf5_get_strings(file, file->id, "model", &n, &size);
  result->length = result->text ? size - 1 : 0;
  const char *add = cardan__hdf5_get_text(file, file->id, "add");
  return result->version && result->model && result->text && n == 1 && add &&
         (add[0] == '\0' || cardan_add_read(add, &result->add, NULL) == CARDAN_OK);
}

/* The table of inputs, of those that have one. */
static bool read_input(result_file *file)
{
  cardan_result *result = &file->result;
  hssize_t n = 0;
  size_t size = 0;
  const char *mode = cardan__hdf5_get_text(file, file->id, "input-mode");
  if (mode == NULL) {
    return !file->no_memory;
  }
  result->input = cardan__hdf5_get_strings(file, file->id, "input", &n, &size);
  result->input_length = result->input ? size - 1 : 0;
  result->input_linear = strcmp(mode, "linear") == 0;
  return result->input && n == 1 && (result->input_linear || strcmp(mode, "held") == 0);
}

/* The plan of a sweep, its options that were given, and the note of any: of those that have one. */
static bool read_plan(result_file *file)
{
  cardan_result *result = &file->result;
  hssize_t n = 1;
  size_t size = 0;
  result->note = cardan__hdf5_get_text(file, file->id, "note");
  result->given = cardan__hdf5_get_text(file, file->id, "given");
  result->plan = cardan__hdf5_get_strings(file, file->id, "plan", &n, &size);
  result->plan_length = result->plan ? size - 1 : 0;
  return n == 1 && !file->no_memory;
}

typedef struct {
  result_file *file;
  cardan_setting *setting;
  int n, room;
} setting_list;

/* One attribute of /settings or /initial: a number under its name. */
static herr_t read_setting(hid_t at, const char *name, const H5A_info_t *info, void *user)
{
  (void)info;
  setting_list *list = user;
  if (list->n >= list->room) {
    return -1;
  }
  cardan_setting *setting = &list->setting[list->n++];
  setting->name = cardan__hdf5_copy(list->file, name, strlen(name));
  const bool good = cardan__hdf5_get_number(at, name, H5T_FLOAT, sizeof(double), H5T_NATIVE_DOUBLE,
                                            &setting->value) &&
                    isfinite(setting->value) && setting->name;
  return good ? 0 : -1;
}

/* The names are the user's: the only attributes that are not requested by name. Their number is
 * known, and they lie in the header. */
static bool read_settings(result_file *file, const char *name, cardan_setting **setting, int *n)
{
  setting_list list = {.file = file};
  const hid_t group = cardan__hdf5_get_group(file, file->id, name, 0, &list.room);
  if (group < 0) {
    return false;
  }
  list.setting = cardan__hdf5_take(file, (size_t)list.room, sizeof *list.setting);
  const bool good = list.setting &&
                    H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_setting, &list) >= 0;
  H5Gclose(group);
  *setting = list.setting;
  *n = list.n;
  return good && list.n == list.room;
}

/* Those that are known here, as texts. */
static bool read_options(result_file *file)
{
  const char *name;
  int there = 0, known = 0;
  while (cardan_option_name(known) != NULL) {
    known++;
  }
  const hid_t group = cardan__hdf5_get_group(file, file->id, "options", 0, &there);
  if (group < 0) {
    return false;
  }
  file->option_name = cardan__hdf5_take(file, (size_t)known, sizeof *file->option_name);
  file->option_text = cardan__hdf5_take(file, (size_t)known, sizeof *file->option_text);
  for (int k = 0; file->option_name && file->option_text && k < known; k++) {
    name = cardan_option_name(k);
    char *text = cardan__hdf5_get_text(file, group, name);
    if (text) {
      file->option_name[file->noption] = (char *)name;
      file->option_text[file->noption++] = text;
    }
  }
  H5Gclose(group);
  if (file->noption != there && file->odd[0] == '\0') {
    cardan__hdf5_odd(file,
                     "it holds %d options that are not known here: by cardan %.40s, this is %s",
                     there - file->noption, file->result.version, cardan_version());
    file->sentence = true;
  }
  return file->noption == there;
}

/* Which release wrote it, in which layout. returns NULL, or what is wrong */
static const char *read_origin(result_file *file)
{
  cardan_result *result = &file->result;
  result->version = cardan__hdf5_get_text(file, file->id, "version");
  result->format = 1;
  if (!result->version) {
    return "it holds no model and options, expected the result of a run of cardan";
  }
  if (H5Aexists(file->id, "format") > 0 &&
      (!cardan__hdf5_get_number(file->id, "format", H5T_INTEGER, sizeof(int), H5T_NATIVE_INT,
                                &result->format) ||
       result->format < 1)) {
    return "its format number is not finite";
  }
  if (result->format > CARDAN__RESULT_FORMAT) {
    cardan__hdf5_odd(file, "it is of format %d, by cardan %.40s; this is %s, which reads up to %d",
                     result->format, result->version, cardan_version(), CARDAN__RESULT_FORMAT);
    file->sentence = true;
    return "it is of a newer release";
  }
  return NULL;
}

/* How many of these are there? */
static int count_links(const result_file *file, const char *const *name, size_t n)
{
  int there = 0;
  for (size_t k = 0; k < n; k++) {
    there += cardan__hdf5_has(file->id, name[k]);
  }
  return there;
}

/* Is there nothing in the file but what is known? nwords: /words, /words.2 .. */
static bool is_all_known(result_file *file, int nwords)
{
  static const char *const attribute[] = {"version", "format",     "model", "add",
                                          "note",    "input-mode", "given"};
  static const char *const of_all[] = {"table",    "columns", "model", "options",
                                       "settings", "initial", "input", "state"};
  static const char *const of_sweeps[] = {"plan", "messages", "message_cases", "kept"};
  H5G_info_t info = {.nlinks = 0};
  int nattribute = 0, nlink = nwords + count_links(file, of_all, sizeof of_all / sizeof *of_all);
  if (file->result.plan) {
    nlink += count_links(file, of_sweeps, sizeof of_sweeps / sizeof *of_sweeps);
  }
  for (size_t k = 0; k < sizeof attribute / sizeof *attribute; k++) {
    nattribute += H5Aexists(file->id, attribute[k]) > 0;
  }
  const hid_t root = H5Gopen2(file->id, "/", H5P_DEFAULT);
  if (root < 0) {
    return false;
  }
  const int there = cardan__hdf5_attributes(file, root, "");
  const bool counted = H5Gget_info(root, &info) >= 0 && there >= 0;
  H5Gclose(root);
  return counted &&
         ((there == nattribute && info.nlinks == (hsize_t)nlink) ||
          cardan__hdf5_odd(file, "%lld attributes and %lld things in it",
                           (long long)there - nattribute, (long long)info.nlinks - nlink));
}

static const char *read_parts(result_file *file)
{
  cardan_result *result = &file->result;
  if (!read_model(file)) {
    return "it holds no model and options, expected the result of a run of cardan";
  }
  result->column = cardan__hdf5_get_list(file, file->id, "columns", &result->ncolumn);
  if (!result->column) {
    return "the names of its columns are damaged";
  }
  file->table = cardan__hdf5_get_table(file, file->id, "table", result->ncolumn, &result->nrow);
  if (file->table < 0) {
    return "its table is damaged";
  }
  if (!read_options(file)) {
    return "its options are damaged";
  }
  if (!read_settings(file, "settings", &result->setting, &result->nsetting) ||
      !read_settings(file, "initial", &result->initial, &result->ninitial)) {
    return "its settings or start values are damaged";
  }
  if (!read_input(file)) {
    return "its table of inputs is damaged";
  }
  if (!read_plan(file)) {
    return "its plan is damaged";
  }
  return cardan__hdf5_get_state(file) ? NULL : "its state is damaged";
}

const char *cardan__hdf5_read(result_file *file)
{
  file->id = cardan__hdf5_source_open(&file->source);
  if (file->id < 0) {
    return "it is no whole HDF5 file: cut short, or damaged";
  }
  const char *wrong = read_origin(file);
  wrong = wrong ? wrong : read_parts(file);
  cardan_sweep_result words = {.nwords = 0}; // a batch has them too
  if (!wrong && !cardan__hdf5_read_words(file, &words)) {
    wrong = "its words are damaged";
  }
  if (!wrong && (!is_all_known(file, words.nwords) || file->odd[0] != '\0')) {
    wrong = "it is damaged";
  }
  return wrong;
}

/* ---- in the process that asks ---- */

bool cardan_is_result(const char *path)
{
  struct stat st;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  // what a pipe has can be read once
  const bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                  cardan__hdf5_way_of(fd) != CARDAN__HDF5_OTHER &&
                  cardan__hdf5_way_of(fd) != CARDAN__HDF5_EMPTY;
  if (fd >= 0) {
    close(fd);
  }
  return is;
}

/* Opens it for reading. returns NULL, or why it is nothing to read */
static const char *open_source(result_file *file, const char *path)
{
  struct stat st;
  file->source.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file->source.fd < 0 || fstat(file->source.fd, &st) != 0) {
    return strerror(errno);
  }
  if (!S_ISREG(st.st_mode)) {
    return "it is no file, expected a result";
  }
  const cardan__hdf5_way way = cardan__hdf5_way_of(file->source.fd);
  file->source.size = (uint64_t)st.st_size;
  file->source.growing = way == CARDAN__HDF5_GROWING;
  file->device = (uint64_t)st.st_dev;
  file->inode = (uint64_t)st.st_ino;
  file->result.complete = way != CARDAN__HDF5_GROWING;
  return way == CARDAN__HDF5_OTHER ? "it is no HDF5 file, expected a result"
         : way == CARDAN__HDF5_EMPTY
             ? "it is no HDF5 file: empty, or of a run that ended before its first row"
             : NULL;
}

/* Options that changed what a method computes, with what it computed before there were any. */
static const struct {
  const char *name, *value;
} later[] = {{"kinetic", "se3"}, {"potentials", "nodes"}, {"impacts", "located"}};

static bool has_option(const result_file *file, const char *name)
{
  bool has = false;
  for (int k = 0; k < file->noption; k++) {
    has = has || strcmp(file->option_name[k], name) == 0;
  }
  return has;
}

static void say_assumed(result_file *file, const char *name, const char *value)
{
  static const char first[] = "it was written before some options of its method, and a run from it "
                              "has them as its method then was:";
  const size_t at = strlen(file->assumed);
  snprintf(file->assumed + at, sizeof file->assumed - at, "%s %s %s", at > 0 ? "," : first, name,
           value);
  file->result.assumed = file->assumed;
}

static bool apply_later(result_file *file)
{
  cardan_options *options = &file->result.options;
  bool good = true;
  for (size_t k = 0; k < sizeof later / sizeof *later; k++) {
    const char *name = later[k].name;
    if (!has_option(file, name) &&
        cardan_method_has_option(options->method, name, NULL) == CARDAN_OK) {
      good = good && cardan_options_set(options, name, later[k].value, NULL) == CARDAN_OK;
      say_assumed(file, later[k].name, later[k].value);
    }
  }
  return good;
}

static bool apply_options(result_file *file)
{
  cardan_options *options = &file->result.options;
  *options = cardan_options_defaults();
  bool good = true;
  for (int k = 0; k < file->noption && good; k++) {
    good = cardan__option_read(options, file->option_name[k], file->option_text[k]) == CARDAN_OK;
  }
  return good && apply_later(file);
}

static cardan_status open_all(result_file *file, const char *path, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  const char *wrong = open_source(file, path);
  if (wrong) {
    return cardan_fail(report, CARDAN_ERR_IO, none, "cannot read %.200s: %s", path, wrong);
  }
  const cardan_status status = cardan__sandbox_open(file, path, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (!apply_options(file)) {
    return cardan_fail(report, CARDAN_ERR_IO, none,
                       "cannot read %.200s: it holds an option that is not known here: it was "
                       "written by cardan %.40s, this is %s",
                       path, file->result.version, cardan_version());
  }
  if (!file->result.complete && !cardan__hdf5_get_state_beside(file, path)) {
    return cardan__no_memory(report);
  }
  return CARDAN_OK;
}

cardan_status cardan_result_open(const char *path, const cardan_allocator *allocator,
                                 cardan_result **out, cardan_report *report)
{
  *out = NULL;
  const cardan_status loaded = cardan__hdf5_load(report);
  if (loaded != CARDAN_OK) {
    return loaded;
  }
  (void)!H5open(); // here once, or in each process that reads
  result_file *file = cardan__resize(allocator, NULL, sizeof *file);
  if (!file) {
    return cardan__no_memory(report);
  }
  *file = (result_file){.id = H5I_INVALID_HID, .table = H5I_INVALID_HID, .source = {.fd = -1}};
  file->result.file = file;
  cardan__arena_init(&file->arena, allocator);
  const cardan_status status = open_all(file, path, report);
  if (file->source.fd >= 0) {
    close(file->source.fd); // the other process has it
  }
  if (status != CARDAN_OK) {
    cardan_result_close(&file->result);
    return status;
  }
  *out = &file->result;
  return CARDAN_OK;
}

void cardan_result_close(cardan_result *result)
{
  if (!result) {
    return;
  }
  result_file *file = result->file;
  cardan__sandbox_close(file);
  const cardan_allocator alloc = file->arena.alloc;
  cardan__arena_free(&file->arena);
  cardan__resize(&alloc, file, 0);
}

cardan_status cardan_result_rows(cardan_result *result, int64_t first, int64_t count, double *rows,
                                 cardan_report *report)
{
  const cardan_pos none = {0, 0};
  if (first < 0 || count < 0 || count > result->nrow - first) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                       "found a request for rows beyond the %lld of the result",
                       (long long)result->nrow);
  }
  return count == 0 ? CARDAN_OK : cardan__sandbox_rows(result->file, first, count, rows, report);
}
