// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"

/* ---- classes ---- */

/* Every attribute is looked for in all of a class and those around it: these are few, and stand
 * before the classes inside. */
enum { MOST_DEFAULTS = 100, MOST_LEVELS = 50 };

static bool is_class(const cardan__xml *e)
{
  return strcmp(e->name, "default") == 0;
}

/* Puts the classes inside one behind its elements, both in their order. */
static void classes_last(cardan__xml *outer)
{
  cardan__xml *first = NULL, **element = &outer->child, **class = &first;
  for (cardan__xml *e = outer->child; e != NULL; e = e->next) {
    cardan__xml ***end = is_class(e) ? &class : &element;
    **end = e;
    *end = &e->next;
  }
  *class = NULL;
  *element = first;
}

static bool is_small(cardan__mjcf *m, const cardan__xml *xml, int parent)
{
  int count = 0, levels = 0;
  for (const cardan__xml *e = xml != NULL ? xml->child : NULL; e != NULL; e = e->next) {
    count += !is_class(e);
  }
  for (int c = parent; c >= 0; c = m->class[c].parent) {
    levels++;
  }
  if (count > MOST_DEFAULTS || levels > MOST_LEVELS) {
    cardan__xml_fail(m->spec, xml, "expected at most %d elements in a default class, and %d levels",
                     MOST_DEFAULTS, MOST_LEVELS);
  }
  return m->spec->status == CARDAN_OK;
}

static int add_class(cardan__mjcf *m, const char *name, cardan__xml *xml, int parent)
{
  if (!is_small(m, xml, parent) ||
      !cardan__mjcf_grow(m, (void **)&m->class, &m->room.class, m->n.class, sizeof *m->class) ||
      !cardan__mjcf_enter(m, xml, "default class", &m->classes, name, m->n.class)) {
    return -1;
  }
  if (xml != NULL) {
    classes_last(xml);
  }
  m->class[m->n.class] = (cardan__mjcf_class){.name = name, .xml = xml, .parent = parent};
  return m->n.class ++;
}

/* The classes inside one. */
static bool add_inner(cardan__mjcf *m, const cardan__xml *outer, int parent)
{
  for (cardan__xml *e = cardan__xml_child(outer, "default"); e;
       e = cardan__xml_next(e, "default")) {
    const char *name = cardan__xml_need(m->spec, e, "class");
    const int inner = name != NULL ? add_class(m, name, e, parent) : -1;
    if (inner < 0 || !add_inner(m, e, inner)) {
      return false;
    }
  }
  return true;
}

bool cardan__mjcf_read_classes(cardan__mjcf *m)
{
  cardan__xml *first = cardan__xml_child(m->root, "default");
  const char *name = first != NULL ? cardan__xml_get(first, "class") : NULL;
  for (cardan__xml *e = first ? cardan__xml_next(first, "default") : NULL; e;
       e = cardan__xml_next(e, "default")) {
    const char *other = cardan__xml_get(e, "class");
    if (other != NULL && strcmp(other, name ? name : "main") != 0) {
      cardan__xml_fail(m->spec, e,
                       "default class \"%.60s\" stands at the top; expected it in \"%.60s\"", other,
                       name ? name : "main");
      return false;
    }
    cardan__mjcf_move_children(first, e); // behind those of the first
  }
  return add_class(m, name ? name : "main", first, -1) >= 0 &&
         (first == NULL || add_inner(m, first, 0));
}

void cardan__mjcf_skip_defaults(cardan__mjcf *m)
{
  for (int i = 0; i < m->n.class; i++) {
    for (cardan__xml *e = m->class[i].xml ? m->class[i].xml->child : NULL; e; e = e->next) {
      if (!e->read) {
        cardan__xml_skip(e);
      }
    }
  }
}

bool cardan__mjcf_open(cardan__mjcf *m, cardan__xml *xml, const char *kind, int around,
                       cardan__mjcf_item *item)
{
  const char *name = cardan__xml_get(xml, "class");
  *item = (cardan__mjcf_item){.xml = xml, .kind = kind ? kind : xml->name, .class = around};
  xml->read = true;
  if (name != NULL) {
    item->class = cardan__mjcf_find(m, xml, "default class", &m->classes, name);
  }
  return item->class >= 0;
}

/* ---- attributes ---- */

/* Reads the attribute in all places that could give it, so that it counts as read everywhere. */
const char *cardan__mjcf_get(const cardan__mjcf *m, const cardan__mjcf_item *item,
                             const char *attribute)
{
  const char *found = cardan__xml_get(item->xml, attribute);
  for (int c = item->class; c >= 0; c = m->class[c].parent) {
    const char *here = NULL; // the last one counts
    for (cardan__xml *e = m->class[c].xml ? m->class[c].xml->child : NULL; e && !is_class(e);
         e = e->next) {
      if (strcmp(e->name, item->kind) == 0) {
        const char *value = cardan__xml_get(e, attribute);
        e->read = true;
        here = value != NULL ? value : here;
      }
    }
    found = found != NULL ? found : here;
  }
  return found;
}

int cardan__mjcf_some(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                      double *value, int n)
{
  const char *text = cardan__mjcf_get(m, item, attribute);
  if (text == NULL) {
    return 0;
  }
  const int found = cardan__xml_numbers(text, value, n);
  if (found < 1 || found > n) {
    cardan__xml_fail(m->spec, item->xml, "%s of <%.40s> is \"%.60s\", expected 1 to %d numbers",
                     attribute, item->xml->name, text, n);
    return -1;
  }
  return found;
}

bool cardan__mjcf_values(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                         double *value, int n)
{
  const char *text = cardan__mjcf_get(m, item, attribute);
  if (text != NULL && cardan__xml_numbers(text, value, n) != n) {
    cardan__xml_fail(m->spec, item->xml, "%s of <%.40s> is \"%.60s\", expected %d number%s",
                     attribute, item->xml->name, text, n, n == 1 ? "" : "s");
    return false;
  }
  return true;
}

int cardan__mjcf_word(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                      const char *const *words, int n, int absent)
{
  const char *text = cardan__mjcf_get(m, item, attribute);
  for (int i = 0; i < n && text != NULL; i++) {
    if (strcmp(text, words[i]) == 0) {
      return i;
    }
  }
  if (text == NULL) {
    return absent;
  }
  char list[200] = "";
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s",
             i == 0       ? ""
             : i == n - 1 ? " or "
                          : ", ",
             words[i]);
  }
  cardan__xml_fail(m->spec, item->xml, "%s of <%.40s> is \"%.40s\", expected %s", attribute,
                   item->xml->name, text, list);
  return -1;
}

bool cardan__mjcf_limited(cardan__mjcf *m, const cardan__mjcf_item *item, const char *attribute,
                          const char *range)
{
  static const char *const words[] = {"false", "true", "auto"};
  const int word = cardan__mjcf_word(m, item, attribute, words, 3, 2);
  double ends[2] = {0};
  return cardan__mjcf_values(m, item, range, ends, 2) &&
         (word == 1 || (word == 2 && !m->no_autolimits && ends[0] < ends[1]));
}

/* ---- names ---- */

bool cardan__mjcf_grow(cardan__mjcf *m, void **items, int *room, int count, size_t size)
{
  return cardan__spec_memory(m->spec,
                             cardan__grow(m->spec->allocator, items, room, count + 1, size));
}

bool cardan__mjcf_enter(cardan__mjcf *m, const cardan__xml *xml, const char *what,
                        cardan__names *names, const char *name, int index)
{
  if (name == NULL) {
    return true;
  }
  if (cardan__names_get(names, name) >= 0) {
    cardan__xml_fail(m->spec, xml, "there are two of %s \"%.60s\"", what, name);
    return false;
  }
  return cardan__spec_memory(m->spec, cardan__names_set(names, name, index));
}

int cardan__mjcf_find(cardan__mjcf *m, const cardan__xml *xml, const char *what,
                      const cardan__names *names, const char *name)
{
  const int found = cardan__names_get(names, name);
  if (found < 0) {
    const char *near = cardan__names_nearest(names, name);
    cardan__xml_fail(m->spec, xml, "there is no %s \"%.60s\"%s%.60s%s", what, name,
                     near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                     near != NULL ? "\"?" : "");
  }
  return found;
}

const char *cardan__mjcf_join(cardan__mjcf *m, const char *a, size_t length, const char *b)
{
  const size_t more = strlen(b) + 1;
  char *both = cardan__arena_take(&m->spec->arena, length + more, 1);
  if (both == NULL) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return NULL;
  }
  memcpy(both, a, length);
  memcpy(both + length, b, more);
  return both;
}

const char *cardan__mjcf_unique(cardan__mjcf *m, cardan__names *names, const char *name,
                                const char *ending)
{
  char text[CARDAN__NAME_MAX + 40];
  snprintf(text, sizeof text, "%.*s", CARDAN__NAME_MAX, name);
  const int tried = cardan__names_get(names, text); // its value: the last number behind the name
  if (tried >= 0) {
    snprintf(text, sizeof text, "%.*s%s", CARDAN__NAME_MAX, name, ending);
  }
  int i = tried > 0 ? tried : 1;
  while (cardan__names_get(names, text) >= 0) {
    snprintf(text, sizeof text, "%.*s%s%d", CARDAN__NAME_MAX, name, ending, ++i);
  }
  const char *kept = cardan__arena_text(&m->spec->arena, text, strlen(text));
  if (kept == NULL || cardan__names_set(names, kept, 0) != CARDAN_OK ||
      (cardan__names_get(names, name) >= 0 && cardan__names_set(names, name, i) != CARDAN_OK)) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return NULL;
  }
  return kept;
}

const char *cardan__mjcf_label(cardan__mjcf *m, const char *name, const char *ending)
{
  return cardan__mjcf_unique(m, &m->labels, name, ending);
}
