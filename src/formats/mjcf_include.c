// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"

/* <include file>: what is in the root of another file takes the place of the element, anywhere
 * in the text. A file may be included once, as MuJoCo defines. A file that does not exist is an
 * error, unless its name says that it defines appearance only (colours, textures, lights). */

const char *cardan__mjcf_path(cardan__mjcf *m, const cardan__xml *element, const char *name)
{
  const char *slash = element->file != NULL ? strrchr(element->file, '/') : NULL;
  char *data;
  size_t size;
  if (slash == NULL) {
    return name;
  }
  const char *path = cardan__mjcf_join(m, element->file, (size_t)(slash - element->file) + 1, name);
  if (path == NULL) {
    return NULL;
  }
  if (!cardan__spec_try_open(m->spec, path, &data, &size)) {
    return name;
  }
  cardan__spec_close(m->spec, data);
  return path;
}

/* Does the name, as "./common/skybox.xml" or "materials.xml", say that it defines appearance? */
static bool names_appearance(const char *name)
{
  static const char *const word[] = {"skybox", "visual", "material", "texture", "light", "camera"};
  const char *slash = strrchr(name, '/');
  const char *file = slash != NULL ? slash + 1 : name;
  for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
    const size_t n = strlen(word[i]);
    if (strncmp(file, word[i], n) == 0) {
      const char *rest = file[n] == 's' ? file + n + 1 : file + n;
      return strcmp(rest, ".xml") == 0;
    }
  }
  return false;
}

/* Is it a file of appearance that does not exist? Then a note reports it. */
static bool is_missing_appearance(cardan__mjcf *m, const cardan__xml *include, const char *path)
{
  char *data;
  size_t size;
  if (!names_appearance(path)) {
    return false;
  }
  if (cardan__spec_try_open(m->spec, path, &data, &size)) {
    cardan__spec_close(m->spec, data);
    return false;
  }
  cardan__xml_note(m->spec, include,
                   "\"%s\" does not exist; its name says that it defines only appearance, and the "
                   "model is read without it",
                   cardan__show(path).text);
  return true;
}

/* first: the elements of an included file, none if a file of appearance is missing; false after a
 * failure. */
static bool open_include(cardan__mjcf *m, cardan__xml *include, cardan__xml **first)
{
  const char *name = cardan__xml_need(m->spec, include, "file");
  const char *path = name != NULL ? cardan__mjcf_path(m, include, name) : NULL;
  if (path == NULL) {
    return false;
  }
  if (is_missing_appearance(m, include, path)) {
    return true;
  }
  if (cardan__names_get(&m->included, path) >= 0) {
    cardan__xml_fail(m->spec, include, "\"%.150s\" is included for the second time; expected once",
                     path);
    return false;
  }
  const cardan__xml *root = cardan__xml_open(m->spec, include, path);
  if (root == NULL) {
    return false;
  }
  if (strcmp(root->name, "mujoco") != 0 && strcmp(root->name, "mujocoinclude") != 0) {
    cardan__xml_fail(m->spec, root, "found <%.40s>, expected <mujoco> or <mujocoinclude>",
                     root->name);
    return false;
  }
  *first = root->child;
  return cardan__spec_memory(m->spec, cardan__names_set(&m->included, root->file, 0));
}

/* Puts the elements of the file in the place of *link, which is an <include>. */
static bool replace_include(cardan__mjcf *m, cardan__xml **link)
{
  cardan__xml *include = *link, *first = NULL;
  if (!open_include(m, include, &first)) {
    return false;
  }
  *link = first != NULL ? first : include->next;
  for (cardan__xml *e = first; e != NULL; e = e->next) {
    e->parent = include->parent;
    if (e->next == NULL) {
      e->next = include->next;
      break;
    }
  }
  return true;
}

static bool include_files(cardan__mjcf *m, cardan__xml *outer, int depth)
{
  if (depth > CARDAN__XML_DEPTH) {
    cardan__xml_fail(m->spec, outer, "elements are nested too deep");
    return false;
  }
  for (cardan__xml **link = &outer->child; *link != NULL;) {
    if (strcmp((*link)->name, "include") == 0) {
      if (!replace_include(m, link)) {
        return false;
      }
    } else {
      if (!include_files(m, *link, depth + 1)) {
        return false;
      }
      link = &(*link)->next;
    }
  }
  return true;
}

bool cardan__mjcf_include(cardan__mjcf *m, cardan__xml *root)
{
  const cardan__names before = m->included; // of the file around this one
  cardan__names_init(&m->included, m->spec->allocator);
  const bool ok = include_files(m, root, 0);
  cardan__names_free(&m->included);
  m->included = before;
  return ok;
}

void cardan__mjcf_unlink(cardan__xml *outer, const cardan__xml *inner)
{
  cardan__xml **link = &outer->child;
  while (*link != NULL && *link != inner) {
    link = &(*link)->next;
  }
  if (*link != NULL) {
    *link = inner->next;
  }
}

void cardan__mjcf_move_children(cardan__xml *to, cardan__xml *from)
{
  cardan__xml **end = &to->child;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = from->child;
  from->child = NULL;
}
