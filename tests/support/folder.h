/* SPDX-License-Identifier: Apache-2.0
 * folder.h - a folder of a test's own, and what is in it. */
#pragma once
#include <stddef.h>

typedef struct {
  char path[128];
} test_folder;

/* Makes the folder / removes it with all that is in it. Failures fail the test. */
test_folder folder_make(void);
void folder_remove(const test_folder *folder);

/* "FOLDER/name"; the result is good until the next call with the same buffer. */
const char *folder_path(const test_folder *folder, const char *name, char buffer[256]);

/* How many files are there, hidden ones too. */
int folder_count(const test_folder *folder);

/* A whole file with a NUL behind it, to be freed; NULL when there is none. length may be NULL. */
char *folder_read(const char *path, size_t *length);
void folder_write(const char *path, const char *text);
