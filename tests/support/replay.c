// SPDX-License-Identifier: Apache-2.0
// The main of a fuzz test in builds without libFuzzer: runs every file of a folder once.
// usage: PROGRAM FOLDER
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static bool replay(const char *folder, const char *name)
{
  enum { LARGEST = 1 << 24 };
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(LARGEST);
  bool done = false;
  if (file && bytes) {
    const size_t size = fread(bytes, 1, LARGEST, file);
    // a block of its exact size, so that a read past the end is caught
    uint8_t *exact = malloc(size + (size == 0));
    for (size_t i = 0; exact && i < size; i++) {
      exact[i] = bytes[i];
    }
    done = exact && !ferror(file) && LLVMFuzzerTestOneInput(exact, size) == 0;
    free(exact);
  }
  free(bytes);
  if (file) {
    fclose(file);
  }
  if (!done) {
    printf("%s: failed\n", path);
  }
  return done;
}

int main(int argc, char **argv)
{
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (!folder) {
    printf("usage: %s FOLDER\n", argv[0]);
    return EXIT_FAILURE;
  }
  int count = 0;
  bool good = true;
  for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (entry->d_name[0] != '.') {
      good = replay(argv[1], entry->d_name) && good;
      count++;
    }
  }
  closedir(folder);
  printf("%d inputs\n", count);
  return good && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
