// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "cardan/load.h"
#include "sweep/sweep_recipe.h"

/* The sweep of a folder, by its recipe. */
static cardan_status open_folder(const char *path, const cardan_allocator *allocator,
                                 cardan_sweep **out, cardan_report *report)
{
  cardan__text file;
  char *text = NULL;
  size_t length = 0;
  cardan__text_init(&file, allocator);
  cardan__text_printf(&file, "%s/sweep", path);
  cardan_status status = file.failed
                             ? cardan__no_memory(report)
                             : cardan_load_text(file.data, allocator, &text, &length, report);
  if (status == CARDAN_OK) {
    status = cardan__recipe_read(text, length, path, allocator, out, report);
  }
  cardan_free_text(allocator, text);
  cardan__text_free(&file);
  return status;
}

cardan_status cardan_sweep_open(const char *path, const cardan_allocator *allocator,
                                cardan_sweep **out, cardan_report *report)
{
  struct stat st;
  cardan_result *result;
  *out = NULL;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    return open_folder(path, allocator, out, report);
  }
  cardan_status status = cardan_result_open(path, allocator, &result, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (result->plan == NULL) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "cannot read %.200s: it is no result of cardan sweep", path);
  } else {
    const cardan_record base = {.model = result->model,
                                .text = result->text,
                                .length = result->length,
                                .options = &result->options,
                                .add = result->add,
                                .setting = result->setting,
                                .nsetting = result->nsetting,
                                .initial = result->initial,
                                .ninitial = result->ninitial,
                                .input = result->input,
                                .input_length = result->input_length,
                                .input_linear = result->input_linear,
                                .note = result->note,
                                .given = result->given};
    status =
        cardan_sweep_create(&base, result->plan, result->plan_length, path, allocator, out, report);
  }
  cardan_result_close(result);
  return status;
}
