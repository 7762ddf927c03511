// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/hdf5_get.h"
#include "output/options_text.h"

/* Results read back. */

typedef cardan__result_file result_file;

bool cardan_is_result(const char *path)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char bytes[sizeof signature];
  FILE *file = fopen(path, "rb");
  if (!file) {
    return false;
  }
  const bool is = fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                  memcmp(bytes, signature, sizeof bytes) == 0;
  fclose(file);
  return is;
}

static bool read_model(result_file *file)
{
  cardan_result *result = &file->result;
  hssize_t n = 0;
  size_t size = 0;
  result->version = cardan__hdf5_get_text(file, file->id, "version");
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
  int n;
} setting_list;

/* One attribute of /settings or /initial: a number under its name. */
static herr_t read_setting(hid_t at, const char *name, const H5A_info_t *info, void *user)
{
  (void)info;
  setting_list *list = user;
  const hid_t id = H5Aopen(at, name, H5P_DEFAULT);
  if (id < 0) {
    return -1;
  }
  const hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  cardan_setting *setting = &list->setting[list->n];
  setting->name = cardan__hdf5_copy(list->file, name, strlen(name));
  const bool good = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) == 1 &&
                    H5Aread(id, H5T_NATIVE_DOUBLE, &setting->value) >= 0 &&
                    isfinite(setting->value) && setting->name;
  list->n++;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return good ? 0 : -1;
}

static bool read_settings(result_file *file, const char *name, cardan_setting **setting, int *n)
{
  H5O_info_t info;
  const hid_t group = cardan__hdf5_get_group(file->id, name);
  bool good = false;
  if (group >= 0 && H5Oget_info(group, &info) >= 0 && info.num_attrs <= INT_MAX) {
    setting_list list = {.file = file};
    list.setting = cardan__hdf5_take(file, info.num_attrs, sizeof *list.setting);
    good = list.setting &&
           H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_setting, &list) >= 0;
    *setting = list.setting;
    *n = list.n;
  }
  if (group >= 0) {
    H5Gclose(group);
  }
  return good;
}

/* One attribute of /options. */
static herr_t read_option(hid_t at, const char *name, const H5A_info_t *info, void *user)
{
  (void)info;
  result_file *file = user;
  const char *text = cardan__hdf5_get_text(file, at, name);
  return text && cardan__option_read(&file->result.options, name, text) == CARDAN_OK ? 0 : -1;
}

static bool read_options(result_file *file)
{
  const hid_t group = cardan__hdf5_get_group(file->id, "options");
  if (group < 0) {
    return false;
  }
  file->result.options = cardan_options_defaults();
  const bool good = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_option, file) >= 0;
  H5Gclose(group);
  return good;
}

/* returns NULL, or what is not as it should be */
static const char *read_all(result_file *file, const char *path)
{
  cardan_result *result = &file->result;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  // nobody writes to a finished result, and not every file system has locks
  H5Pset_file_locking(access, false, true);
  const cardan__hdf5_way way = cardan__hdf5_look(file, path);
  const unsigned along = way == CARDAN__HDF5_GROWING ? H5F_ACC_SWMR_READ : 0;
  file->id = H5Fopen(path, H5F_ACC_RDONLY | along, access);
  H5Pclose(access);
  if (file->id < 0) {
    return "it is no whole HDF5 file: cut short, or of another kind";
  }
  if (!read_model(file)) {
    return "it holds no model and options, expected an HDF5 file written by cardan";
  }
  result->column = cardan__hdf5_get_list(file, file->id, "columns", &result->ncolumn);
  if (!result->column) {
    return "its table is damaged";
  }
  file->table = cardan__hdf5_get_table(file->id, "table", result->ncolumn, &result->nrow);
  if (file->table < 0) {
    return "its table is damaged";
  }
  if (!read_options(file)) {
    return "it holds an option that this version does not know";
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
  if (!cardan__hdf5_get_state(file, path)) {
    return "its state is damaged";
  }
  return NULL;
}

cardan_status cardan_result_open(const char *path, const cardan_allocator *allocator,
                                 cardan_result **out, cardan_report *report)
{
  const cardan_pos none = {0, 0};
  *out = NULL;
  const cardan_status loaded = cardan__hdf5_load(report);
  if (loaded != CARDAN_OK) {
    return loaded;
  }
  result_file *file = cardan__resize(allocator, NULL, sizeof *file);
  if (!file) {
    return cardan__no_memory(report);
  }
  *file = (result_file){.id = H5I_INVALID_HID, .table = H5I_INVALID_HID};
  file->result.file = file;
  cardan__arena_init(&file->arena, allocator);
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  const char *wrong = read_all(file, path);
  cardan__hdf5_restore(&voice);
  if (wrong) {
    const bool no_memory = file->no_memory;
    cardan_result_close(&file->result);
    if (no_memory) {
      return cardan__no_memory(report);
    }
    return cardan_fail(report, CARDAN_ERR_IO, none, "cannot read %.200s: %s", path, wrong);
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
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  if (file->table >= 0) {
    H5Dclose(file->table);
  }
  if (file->id >= 0) {
    H5Fclose(file->id);
  }
  cardan__hdf5_restore(&voice);
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
  if (count == 0) {
    return CARDAN_OK;
  }
  cardan__hdf5_voice voice;
  cardan__hdf5_hush(&voice);
  const bool good = cardan__hdf5_get_rows(result->file->table, first, count, result->ncolumn, rows);
  cardan__hdf5_restore(&voice);
  return good ? CARDAN_OK
              : cardan_fail(report, CARDAN_ERR_IO, none, "the rows of the result cannot be read");
}
