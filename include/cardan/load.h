/* SPDX-License-Identifier: Apache-2.0
 * cardan/load.h - loads a model by name.
 *
 * A name is a built-in model ("pendulum", "chain:100") or a model file's path. Loading reads the
 * text and builds the model. */
#pragma once
#include "cardan/model.h"
#include "cardan/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the text of a built-in model or of a file. *text is NUL-terminated and has *length bytes;
 * free it with cardan_free_text.
 * returns CARDAN_ERR_IO if a file cannot be read, CARDAN_ERR_ARGUMENT for an unknown built-in name
 *         or a size out of range */
CARDAN_API cardan_status cardan_load_text(const char *name, const cardan_allocator *allocator,
                                          char **text, size_t *length,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Reads and builds a model from a text in the format .mbs; file is for messages. */
CARDAN_API cardan_status cardan_model_from_text(const char *text, size_t length, const char *file,
                                                const cardan_setting *settings, int nsetting,
                                                const cardan_allocator *allocator,
                                                cardan_model **out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* A search path for files that a text names: the folder of package or model NAME; with name NULL a
 * folder that contains packages, models or files. */
typedef struct {
  const char *name, *folder;
} cardan_path;

/* File access for cardan_spec_read_files.
 *   relative paths                       searched in the model's folder, then in the given folders
 *   package://NAME/.., model://NAME/..   searched in the folder given for NAME, in the given
 *                                        folders of packages, then in a folder NAME, or one
 *                                        whose package.xml has the name NAME, beside or above
 *                                        the model
 * Only regular files of at most 256 MiB are opened which, after following links, are inside one of
 * these folders or inside the package of the model; all others are refused.
 * model        the model file's path
 * environment  also search ROS_PACKAGE_PATH and GZ_SIM_RESOURCE_PATH, as the command does, and use
 *              the user's cache: CARDAN_CACHE (a folder, or off), XDG_CACHE_HOME
 * returns CARDAN_ERR_ARGUMENT if a given folder does not exist; otherwise close it after use */
CARDAN_API cardan_status cardan_files_open(const char *model, const cardan_path *path, int npath,
                                           bool environment, const cardan_allocator *allocator,
                                           cardan_files **out,
                                           cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_files_close(cardan_files *files); // NULL is fine

/* Excludes a file that is about to be written: if a text refers to it, by any path, reading fails
 * with a sentence and a position. No effect if the file does not exist yet.
 * files   from cardan_files_open
 * returns false if 32 files are excluded already */
CARDAN_API bool cardan_files_exclude(cardan_files *files, const char *path);

/* Loads and builds a model by name. Other files that its text names are searched as by
 * cardan_files_open without paths or environment. */
CARDAN_API cardan_status cardan_model_load(const char *name, const cardan_setting *settings,
                                           int nsetting, const cardan_allocator *allocator,
                                           cardan_model **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* The built-in models by index; NULL after the last. size: the default size, 0 if it has none. */
CARDAN_API const char *cardan_builtin_name(int index);
CARDAN_API const char *cardan_builtin_help(int index);
CARDAN_API int cardan_builtin_size(int index);

#ifdef __cplusplus
}
#endif
