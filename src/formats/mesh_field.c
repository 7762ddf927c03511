// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "cardan/mesh.h"

/* Every how many vertices of the grid so many triangles are made of. */
static int stride_of(const cardan_height_field *field, int most)
{
  int stride = 1;
  while (2 * ((field->columns - 2) / stride + 1) * ((field->rows - 2) / stride + 1) > most) {
    stride++;
  }
  return stride;
}

static int cut(int at, int last)
{
  return at < last ? at : last;
}

cardan_status cardan_height_field_mesh(const cardan_height_field *field, int most,
                                       const cardan_allocator *allocator, cardan_mesh **out)
{
  const int stride = stride_of(field, most < 4 ? 4 : most);
  const int nx = (field->columns - 2) / stride + 1, ny = (field->rows - 2) / stride + 1;
  const size_t nv = (size_t)(nx + 1) * (size_t)(ny + 1), nf = 2 * (size_t)nx * (size_t)ny;
  cardan_mesh *mesh = cardan__resize(allocator, NULL, sizeof *mesh);
  void *block = cardan__resize(allocator, NULL, nv * sizeof(cardan_vec3) + nf * sizeof(int[3]));
  *out = NULL;
  if (mesh == NULL || block == NULL) {
    cardan__resize(allocator, mesh, 0);
    cardan__resize(allocator, block, 0);
    return CARDAN_ERR_MEMORY;
  }
  *mesh = (cardan_mesh){.vertex = block, .nvertex = (int)nv, .nface = (int)nf, .block = block};
  mesh->face = (int(*)[3])(void *)(mesh->vertex + nv);
  mesh->nface_file = 2 * (field->columns - 1) * (field->rows - 1);
  mesh->allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  for (int j = 0; j <= ny; j++) {
    for (int i = 0; i <= nx; i++) {
      const int x = cut(i * stride, field->columns - 1), y = cut(j * stride, field->rows - 1);
      mesh->vertex[j * (nx + 1) + i] =
          (cardan_vec3){(double)x / (field->columns - 1) - 0.5, (double)y / (field->rows - 1) - 0.5,
                        field->height[y * field->columns + x]};
    }
  }
  for (int c = 0; c < nx * ny; c++) {
    const int low = c / nx * (nx + 1) + c % nx, high = low + nx + 1;
    const int face[2][3] = {{low, low + 1, high + 1}, {low, high + 1, high}};
    for (int k = 0; k < 6; k++) {
      mesh->face[2 * c + k / 3][k % 3] = face[k / 3][k % 3];
    }
  }
  *out = mesh;
  return CARDAN_OK;
}
