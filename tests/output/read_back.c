// SPDX-License-Identifier: Apache-2.0
// Reads all of a result, for scripts/check-hostile.
//   read_back FILE [ROWS]          "read NUMBER NROW", or what is wrong with it, and status 2
//   read_back --mend WHOLE FILE    check numbers of HDF5's headers, of a copy of WHOLE with changes
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5_blocks.h"
#include "read_all.h"

static uint8_t *load(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    *size = (size_t)ftell(file);
    bytes = malloc(*size + 1);
    rewind(file);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (file) {
    fclose(file);
  }
  return bytes;
}

static int mend(const char *whole, const char *path)
{
  enum { MOST = 4096 };
  static h5_block block[MOST];
  size_t size = 0, length = 0;
  uint8_t *original = load(whole, &size), *bytes = load(path, &length);
  FILE *file = original && bytes ? fopen(path, "wb") : NULL;
  bool good = file != NULL;
  if (good) {
    const int n = h5_blocks_find(original, size, block, MOST);
    h5_blocks_mend(bytes, length, block, n);
    good = fwrite(bytes, 1, length, file) == length;
    good = fclose(file) == 0 && good;
    printf("%d blocks\n", n);
  }
  free(original);
  free(bytes);
  return good ? 0 : 1;
}

int main(int argc, char **argv)
{
  cardan_report report = {.message = ""};
  uint64_t number;
  int64_t nrow;
  if (argc == 4 && strcmp(argv[1], "--mend") == 0) {
    return mend(argv[2], argv[3]);
  }
  if (argc < 2) {
    return 1;
  }
  const int64_t most = argc > 2 ? strtoll(argv[2], NULL, 10) : -1;
  if (read_all(argv[1], most, &nrow, &number, &report) != CARDAN_OK) {
    printf("%s\n", report.message);
    return 2;
  }
  printf("read %016" PRIx64 " %" PRId64 "\n", number, nrow);
  return 0;
}
