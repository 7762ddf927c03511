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
CARDAN_API void cardan_free_text(const cardan_allocator *allocator, char *text);

/* A text (.mbs) to a model that is ready to run; file is for messages. */
CARDAN_API cardan_status cardan_model_from_text(const char *text, size_t length, const char *file,
                                                const cardan_setting *settings, int nsetting,
                                                const cardan_allocator *allocator,
                                                cardan_model **out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Both at once. */
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
