/* SPDX-License-Identifier: Apache-2.0
 * cardan/load.h - from a name to a model that is ready to run.
 *
 * A name is a built-in model ("pendulum", "chain:100") or a model file's path. Loading reads the
 * text and builds the model. */
#pragma once
#include "cardan/model.h"
#include "cardan/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a built-in model or of a file. *text is NUL-terminated, *length bytes, from
 * allocator: give it back with cardan_free_text. returns CARDAN_ERR_IO when a file cannot be read,
 * CARDAN_ERR_ARGUMENT for an unknown built-in name or a size out of its range */
CARDAN_API cardan_status cardan_load_text(const char *name, const cardan_allocator *allocator,
                                          char **text, size_t *length,
                                          cardan_report *report) CARDAN_MUST_USE;

/* A text (.mbs) to a model that is ready to run; file is for messages. */
CARDAN_API cardan_status cardan_model_from_text(const char *text, size_t length, const char *file,
                                                const cardan_setting *settings, int nsetting,
                                                const cardan_allocator *allocator,
                                                cardan_model **out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Where files that a text names are looked for: the folder of package or model NAME, or, name NULL,
 * a folder that holds packages, models or files. */
typedef struct {
  const char *name, *folder;
} cardan_path;

/* Files for cardan_spec_read_files over folders: paths in the model's folder and those given;
 * package://NAME/.. and model://NAME/.. in the folder given for it, in those that hold such, else
 * in a folder NAME, or one whose package.xml says NAME, beside the model or above it. What is
 * opened lies in one of these folders or in the package that the model belongs to, links followed,
 * and is a regular file of at most 256 MiB; anything else is refused.
 * model        the model file's path
 * environment  also the folders of ROS_PACKAGE_PATH and GZ_SIM_RESOURCE_PATH, as the command does
 * returns CARDAN_ERR_ARGUMENT for a given folder that is not there; else close it after use */
CARDAN_API cardan_status cardan_files_open(const char *model, const cardan_path *path, int npath,
                                           bool environment, const cardan_allocator *allocator,
                                           cardan_files **out,
                                           cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_files_close(cardan_files *files); // NULL is fine

/* A file that is about to be written: where a text names it, under whatever name, reading fails
 * with a sentence at its place. Without effect where there is no such file yet.
 * files   of cardan_files_open
 * returns false: there are too many, 32 */
CARDAN_API bool cardan_files_spare(cardan_files *files, const char *path);

/* Text and model at once; other files that the text names are looked for as by cardan_files_open,
 * without paths or environment. */
CARDAN_API cardan_status cardan_model_load(const char *name, const cardan_setting *settings,
                                           int nsetting, const cardan_allocator *allocator,
                                           cardan_model **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* The built-in models by index; NULL after the last. size: default size, 0 where none is taken. */
CARDAN_API const char *cardan_builtin_name(int index);
CARDAN_API const char *cardan_builtin_help(int index);
CARDAN_API int cardan_builtin_size(int index);

#ifdef __cplusplus
}
#endif
