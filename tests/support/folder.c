// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // mkdtemp, nftw
#include "folder.h"

#include <dirent.h>
#include <ftw.h>
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

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
  (void)st;
  (void)flag;
  (void)ftw;
  return remove(path);
}

void folder_remove(const test_folder *folder)
{
  assert_int_equal(nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

int folder_count(const test_folder *folder)
{
  DIR *directory = opendir(folder->path);
  int n = 0;
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  closedir(directory);
  return n;
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
