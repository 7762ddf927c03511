// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "formats/mesh.h"

// Any bytes as a mesh, the first of them choosing the format: its faces have vertices that are
// there, its inertia is finite, and a failure has a sentence.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"a.stl", "a.obj", "a.msh"};
  cardan_report report = {.message = ""};
  cardan__arena arena;
  cardan__mesh mesh;
  cardan_inertia G;
  if (size == 0) {
    return 0;
  }
  cardan__arena_init(&arena, NULL);
  const cardan_status status = cardan__mesh_read((const char *)data + 1, size - 1,
                                                 names[data[0] % 3], &arena, &mesh, &report);
  if (status != CARDAN_OK && report.message[0] == '\0') {
    abort();
  }
  for (int i = 0; i < mesh.nface && status == CARDAN_OK; i++) {
    for (int k = 0; k < 3; k++) {
      if (mesh.face[i][k] < 0 || mesh.face[i][k] >= mesh.nvertex) {
        abort();
      }
    }
  }
  for (int matter = 0; matter < 3 && status == CARDAN_OK; matter++) {
    if (cardan__mesh_inertia(&mesh, (cardan__mesh_matter)matter, &G) &&
        !(G.m > 0 && isfinite(G.xx + G.yy + G.zz))) {
      abort();
    }
  }
  cardan__arena_free(&arena);
  return 0;
}
