// SPDX-License-Identifier: Apache-2.0
#include "formats/mesh.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "expr/number.h"

typedef struct {
  const char *at, *end;
  int line;
  cardan__arena *arena;
  cardan__mesh *mesh;
  cardan_report *report;
  int vertices, faces; // that there is room for
} reading;

static cardan_status fail_syntax(const reading *r, int line, const char *what)
{
  return cardan_fail(r->report, CARDAN_ERR_SYNTAX, (cardan_pos){line, line > 0}, "%s", what);
}

static cardan_status no_memory(const reading *r)
{
  return cardan_fail(r->report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0},
                     "there is not enough memory for this mesh");
}

/* Room for that many. */
static cardan_status reserve(reading *r, size_t vertices, size_t faces)
{
  cardan__mesh *m = r->mesh;
  if (vertices > INT_MAX || faces > INT_MAX) {
    return fail_syntax(r, 0, "the mesh is too large");
  }
  m->vertex = cardan__arena_take(r->arena, vertices, sizeof *m->vertex);
  m->face = cardan__arena_take(r->arena, faces, sizeof *m->face);
  r->vertices = (int)vertices;
  r->faces = (int)faces;
  return m->vertex != NULL && m->face != NULL ? CARDAN_OK : no_memory(r);
}

static bool add_vertex(reading *r, const double v[3])
{
  if (r->mesh->nvertex == r->vertices || !isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2])) {
    return false;
  }
  r->mesh->vertex[r->mesh->nvertex++] = (cardan_vec3){v[0], v[1], v[2]};
  return true;
}

static bool add_face(reading *r, int64_t a, int64_t b, int64_t c)
{
  const int64_t n = r->mesh->nvertex;
  if (r->mesh->face == NULL || r->mesh->nface == r->faces || a < 0 || b < 0 || c < 0 || a >= n ||
      b >= n || c >= n) {
    return false;
  }
  int *face = r->mesh->face[r->mesh->nface++];
  face[0] = (int)a, face[1] = (int)b, face[2] = (int)c;
  return true;
}

/* ---- binary ---- */

static uint32_t get_u32(const char *at)
{
  const unsigned char *b = (const unsigned char *)at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void get_vector(const char *at, double v[3])
{
  for (int i = 0; i < 3; i++) {
    const uint32_t bits = get_u32(at + (ptrdiff_t)4 * i);
    float number;
    memcpy(&number, &bits, sizeof number);
    v[i] = (double)number;
  }
}

/* 80 bytes of anything, a count, and for each face a normal, three vertices and two bytes. */
static cardan_status read_stl_binary(reading *r, uint32_t count)
{
  cardan_status status = reserve(r, (size_t)3 * count, count);
  const char *at = r->at + 84;
  for (uint32_t i = 0; i < count && status == CARDAN_OK; i++, at += 50) {
    for (ptrdiff_t k = 0; k < 3 && status == CARDAN_OK; k++) {
      double v[3];
      get_vector(at + 12 + 12 * k, v);
      status =
          add_vertex(r, v) ? CARDAN_OK : fail_syntax(r, 0, "a vertex of the mesh is not finite");
    }
    if (status == CARDAN_OK) {
      const int64_t n = 3 * (int64_t)i;
      (void)add_face(r, n, n + 1, n + 2);
    }
  }
  return status;
}

/* Counts of vertices, normals, places of texture, faces; then all of each. */
static cardan_status read_msh(reading *r)
{
  const size_t size = (size_t)(r->end - r->at);
  uint64_t n[4] = {0};
  for (int i = 0; i < 4 && size >= 16; i++) {
    n[i] = get_u32(r->at + (ptrdiff_t)4 * i);
  }
  if (size < 16 || 16 + 12 * n[0] + 12 * n[1] + 8 * n[2] + 12 * n[3] != size) {
    return fail_syntax(r, 0, "the mesh has not as many bytes as its counts say");
  }
  cardan_status status = reserve(r, n[0], n[3]);
  const char *at = r->at + 16;
  for (uint64_t i = 0; i < n[0] && status == CARDAN_OK; i++, at += 12) {
    double v[3];
    get_vector(at, v);
    status = add_vertex(r, v) ? CARDAN_OK : fail_syntax(r, 0, "a vertex of the mesh is not finite");
  }
  at += 12 * n[1] + 8 * n[2];
  for (uint64_t i = 0; i < n[3] && status == CARDAN_OK; i++, at += 12) {
    status = add_face(r, get_u32(at), get_u32(at + 4), get_u32(at + 8))
                 ? CARDAN_OK
                 : fail_syntax(r, 0, "a face of the mesh has a vertex that is not there");
  }
  return status;
}

/* ---- text ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; length 0 at its end, which is not passed. */
static size_t next_word(reading *r, const char **word)
{
  while (r->at < r->end && is_blank(*r->at)) {
    r->at++;
  }
  *word = r->at;
  while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n') {
    r->at++;
  }
  return (size_t)(r->at - *word);
}

static bool next_line(reading *r)
{
  const char *end = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
  r->at = end != NULL ? end + 1 : r->end;
  r->line++;
  return r->at < r->end;
}

static bool is_word(const char *word, size_t length, const char *what)
{
  return length == strlen(what) && strncasecmp(word, what, length) == 0;
}

static bool read_vector(reading *r, double v[3])
{
  for (int i = 0; i < 3; i++) {
    const char *word;
    const size_t length = next_word(r, &word);
    if (length == 0 || cardan__number_read(word, length, &v[i]) != CARDAN__NUMBER_OK) {
      return false;
    }
  }
  return true;
}

/* Counts the lines whose first word is `first`, and the words that follow it in them. */
static size_t count_lines(const reading *r, const char *first, size_t *words)
{
  reading scan = *r;
  size_t n = 0;
  *words = 0;
  do {
    const char *word;
    const size_t length = next_word(&scan, &word);
    if (is_word(word, length, first)) {
      n++;
      while (next_word(&scan, &word) > 0) {
        (*words)++;
      }
    }
  } while (next_line(&scan));
  return n;
}

/* Lines "vertex x y z", three for a face; all others say what follows from them. */
static cardan_status read_stl_text(reading *r)
{
  size_t words;
  const size_t n = count_lines(r, "vertex", &words);
  cardan_status status = reserve(r, n, n / 3);
  if (status == CARDAN_OK && n % 3 != 0) {
    status = fail_syntax(r, 0, "the mesh has a face without three vertices");
  }
  for (bool more = true; more && status == CARDAN_OK; more = next_line(r)) {
    const char *word;
    const size_t length = next_word(r, &word);
    double v[3];
    if (!is_word(word, length, "vertex")) {
      continue;
    }
    if (!read_vector(r, v) || !add_vertex(r, v)) {
      return fail_syntax(r, r->line, "expected three numbers of a vertex");
    }
    const int64_t last = r->mesh->nvertex - 1;
    if (last % 3 == 2) {
      (void)add_face(r, last - 2, last - 1, last);
    }
  }
  return status;
}

static cardan_status read_stl(reading *r)
{
  const size_t size = (size_t)(r->end - r->at);
  const uint32_t count = size >= 84 ? get_u32(r->at + 80) : 0;
  if (size >= 84 && size == 84 + (size_t)50 * count) {
    return read_stl_binary(r, count);
  }
  if (size >= 5 && strncasecmp(r->at, "solid", 5) == 0) {
    return read_stl_text(r);
  }
  return fail_syntax(r, 0,
                     "the mesh is neither a text that begins with \"solid\", nor has it as many "
                     "bytes as its count of faces says");
}

/* A corner "7", "7/1", "7//3", "-1" as the index of its vertex; -1: it is none. */
static int64_t corner(const reading *r, const char *word, size_t length)
{
  const char *slash = memchr(word, '/', length);
  double number;
  length = slash != NULL ? (size_t)(slash - word) : length;
  if (cardan__number_read(word, length, &number) != CARDAN__NUMBER_OK || number != floor(number) ||
      !(fabs(number) < INT_MAX)) {
    return -1;
  }
  return (int64_t)(number < 0 ? r->mesh->nvertex + number : number - 1);
}

/* A polygon as triangles from its first corner; false: a corner is none, or there are two. */
static bool read_polygon(reading *r)
{
  const char *word;
  size_t length;
  int64_t first = -1, last = -1;
  int n = 0;
  while ((length = next_word(r, &word)) > 0 && word[0] != '#') {
    const int64_t at = corner(r, word, length);
    if (at < 0 || (n >= 2 && !add_face(r, first, last, at))) {
      return false;
    }
    first = n == 0 ? at : first;
    last = at;
    n++;
  }
  return n >= 3;
}

static cardan_status read_obj(reading *r)
{
  size_t words, corners;
  const size_t vertices = count_lines(r, "v", &words);
  const size_t polygons = count_lines(r, "f", &corners);
  cardan_status status = reserve(r, vertices, corners > 2 * polygons ? corners - 2 * polygons : 0);
  for (bool more = true; more && status == CARDAN_OK; more = next_line(r)) {
    const char *word;
    const size_t length = next_word(r, &word);
    double v[3];
    if (is_word(word, length, "v") && (!read_vector(r, v) || !add_vertex(r, v))) {
      status = fail_syntax(r, r->line, "expected three numbers of a vertex");
    } else if (is_word(word, length, "f") && !read_polygon(r)) {
      status = fail_syntax(r, r->line, "expected three or more vertices that are there");
    }
  }
  return status;
}

static const struct {
  const char *ending;
  cardan_status (*read)(reading *r);
} formats[] = {{".stl", read_stl}, {".obj", read_obj}, {".msh", read_msh}};

cardan_status cardan__mesh_read(const char *data, size_t size, const char *name,
                                cardan__arena *arena, cardan__mesh *mesh, cardan_report *report)
{
  const char *ending = strrchr(name, '.');
  reading r = {.at = data, .end = data + size, .line = 1, .arena = arena, .mesh = mesh};
  r.report = report;
  *mesh = (cardan__mesh){.nvertex = 0};
  for (size_t i = 0; i < sizeof formats / sizeof *formats && ending != NULL; i++) {
    if (strcasecmp(ending, formats[i].ending) == 0) {
      return formats[i].read(&r);
    }
  }
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "\"%.150s\" is no mesh that can be read here; expected .stl, .obj or .msh",
                     name);
}
