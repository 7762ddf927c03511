// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // mkdtemp
#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

test_folder folder_make(void)
{
  test_folder folder;
  const char *base = getenv("TMPDIR");
  snprintf(folder.path, sizeof folder.path, "%.80s/cardan-test-XXXXXX", base ? base : "/tmp");
  assert_non_null(mkdtemp(folder.path));
  return folder;
}

const char *folder_path(const test_folder *folder, const char *name, char buffer[256])
{
  snprintf(buffer, 256, "%s/%s", folder->path, name);
  return buffer;
}

/* Calls remove on each file, or only counts them. */
static int for_files(const test_folder *folder, bool remove_them)
{
  DIR *directory = opendir(folder->path);
  int n = 0;
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    char path[512];
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      n++;
      snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
      if (remove_them) {
        remove(path);
      }
    }
  }
  closedir(directory);
  return n;
}

void folder_remove(const test_folder *folder)
{
  for_files(folder, true);
  assert_int_equal(rmdir(folder->path), 0);
}

int folder_count(const test_folder *folder)
{
  return for_files(folder, false);
}

char *folder_read(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  char *text = malloc(size + 1);
  assert_non_null(text);
  rewind(file);
  assert_int_equal(fread(text, 1, size, file), size);
  text[size] = '\0';
  fclose(file);
  if (length) {
    *length = size;
  }
  return text;
}

void folder_write(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}
