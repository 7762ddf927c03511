// SPDX-License-Identifier: Apache-2.0
#include "formats/xml_spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "formats/mbs_write.h"
#include "model/names.h"

/* file: NULL, the model's own */
static void fail_in(cardan_spec *spec, cardan_status status, const char *file, cardan_pos pos,
                    const char *message)
{
  if (spec->status == CARDAN_OK && file != NULL) {
    cardan__report_file(&spec->report, file);
  }
  cardan__spec_fail_at(spec, status, pos, "%s", message);
}

void cardan__xml_fail(cardan_spec *spec, const cardan__xml *element, const char *format, ...)
{
  char text[sizeof spec->report.message];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fail_in(spec, CARDAN_ERR_MODEL, element->file, element->pos, text);
}

void cardan__xml_note(cardan_spec *spec, const cardan__xml *element, const char *format, ...)
{
  char text[160];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cardan__spec_note_in(spec, element->file, element->pos, "%s", text);
}

void cardan__xml_at(cardan_spec *spec, const cardan__xml *element)
{
  while (element->from != NULL) {
    element = element->from;
  }
  cardan_spec_at(spec, element->pos);
}

static void set_file(cardan__xml *element, const char *file, const cardan__xml *from)
{
  element->file = file;
  element->from = from;
  for (cardan__xml *e = element->child; e != NULL; e = e->next) {
    set_file(e, file, from);
  }
}

cardan__xml *cardan__xml_open(cardan_spec *spec, const cardan__xml *element, const char *name)
{
  cardan_report report = {.message = ""};
  cardan__xml *root = NULL;
  char *data;
  size_t size;
  const cardan__xml *e = element;
  do {
    if (e->file != NULL && strcmp(e->file, name) == 0) {
      cardan__xml_fail(spec, element, "\"%.150s\" is read while it is being read itself", name);
      return NULL;
    }
    e = e->from;
  } while (e != NULL);
  const char *file = cardan__arena_text(&spec->arena, name, strlen(name));
  if (!cardan__spec_memory(spec, file != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return NULL;
  }
  cardan_spec_at(spec, element->pos);
  if (!cardan__spec_open(spec, name, &data, &size)) {
    if (element->file != NULL) {
      cardan__report_file(&spec->report, element->file);
    }
    return NULL;
  }
  const cardan_status status = cardan__xml_read(data, size, &spec->arena, &root, &report);
  cardan__spec_close(spec, data);
  if (status != CARDAN_OK) {
    fail_in(spec, status, file, report.pos, report.message);
    return NULL;
  }
  set_file(root, file, element);
  return root;
}

bool cardan__xml_file_kept(const char *file)
{
  const bool package = strncmp(file, "package://", 10) == 0 || strncmp(file, "model://", 8) == 0;
  return file[0] != '\0' && file[0] != '/' && strstr(file, "..") == NULL &&
         strchr(file, '\\') == NULL && (package || strstr(file, "://") == NULL);
}

/* The first element that is a macro, not yet what it stands for; NULL: none. */
static const cardan__xml *find_macro(const cardan__xml *element)
{
  const cardan__xml *found = strncmp(element->name, "xacro:", 6) == 0 ? element : NULL;
  for (const cardan__xml *e = element->child; e != NULL && found == NULL; e = e->next) {
    found = find_macro(e);
  }
  return found;
}

bool cardan__xml_no_macros(cardan_spec *spec, const cardan__xml *root)
{
  const cardan__xml *macro = find_macro(root);
  if (macro != NULL) {
    cardan__xml_fail(spec, macro, "<%.60s> is a macro: run xacro on this file first", macro->name);
  }
  return macro == NULL;
}

const char *cardan__xml_need(cardan_spec *spec, cardan__xml *element, const char *attribute)
{
  const char *value = cardan__xml_get(element, attribute);
  if (value == NULL) {
    cardan__xml_fail(spec, element, "found <%.40s> without \"%s\"; expected one", element->name,
                     attribute);
  }
  return value;
}

cardan__xml *cardan__xml_need_child(cardan_spec *spec, const cardan__xml *element, const char *name)
{
  cardan__xml *child = cardan__xml_child(element, name);
  if (child == NULL) {
    cardan__xml_fail(spec, element, "found <%.40s> without <%s>; expected one", element->name,
                     name);
  }
  return child;
}

bool cardan__xml_values(cardan_spec *spec, cardan__xml *element, const char *attribute,
                        double *value, int n)
{
  const char *text = cardan__xml_get(element, attribute);
  if (text == NULL) {
    return true;
  }
  const int found = cardan__xml_numbers(text, value, n);
  if (found != n) {
    cardan__xml_fail(spec, element, "%s of <%.40s> is \"%.60s\", expected %d number%s", attribute,
                     element->name, text, n, n == 1 ? "" : "s");
    return false;
  }
  return true;
}

bool cardan__xml_child_values(cardan_spec *spec, const cardan__xml *element, const char *child,
                              double *value, int n)
{
  const cardan__xml *e = cardan__xml_child(element, child);
  if (e != NULL && cardan__xml_numbers(e->text, value, n) != n) {
    cardan__xml_fail(spec, e, "<%.40s> is \"%.60s\", expected %d number%s", child, e->text, n,
                     n == 1 ? "" : "s");
    return false;
  }
  return true;
}

bool cardan__xml_flag(cardan_spec *spec, const cardan__xml *at, const char *text, bool otherwise)
{
  if (text == NULL || text[0] == '\0') {
    return otherwise;
  }
  const bool yes = strcmp(text, "1") == 0 || strcasecmp(text, "true") == 0;
  if (!yes && strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0) {
    cardan__xml_fail(spec, at, "<%.40s> says \"%.40s\", expected true or false", at->name, text);
  }
  return yes;
}

void cardan__xml_color(const double rgb[3], char text[8])
{
  int part[3];
  for (int i = 0; i < 3; i++) {
    part[i] = (int)lround(255 * fmin(1, fmax(0, rgb[i])));
  }
  snprintf(text, 8, "#%02x%02x%02x", part[0], part[1], part[2]);
}

void cardan__xml_follow(cardan_spec *spec, const char *follower, const char *leader, double factor,
                        double offset)
{
  cardan__text text;
  cardan__text_init(&text, spec->allocator);
  cardan__text_printf(&text, "(- (q ");
  cardan__mbs_put_quoted(&text, follower);
  cardan__text_printf(&text, ") ");
  if (leader != NULL) {
    cardan__text_printf(&text, "(* ");
    cardan__text_number(&text, factor);
    cardan__text_printf(&text, " (q ");
    cardan__mbs_put_quoted(&text, leader);
    cardan__text_printf(&text, ")) ");
  }
  cardan__text_number(&text, offset);
  cardan__text_printf(&text, ")");
  if (cardan__spec_memory(spec, text.failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_EQUATION, .expr = {text.data}});
  }
  cardan__text_free(&text);
}

/* ---- what was not understood ---- */

typedef struct {
  char name[96]; // "collision", "limit's effort"
  const cardan__xml *first;
  int count;
} kind;

typedef struct {
  cardan_spec *spec;
  cardan__names names;
  kind *kinds;
  int n, capacity;
  bool failed;
} unread;

static void count_unread(void *user, const cardan__xml *element,
                         const cardan__xml_attribute *attribute)
{
  unread *u = user;
  char name[sizeof u->kinds->name];
  snprintf(name, sizeof name, attribute ? "%.40s's %.40s" : "%.40s", element->name,
           attribute ? attribute->name : "");
  int i = cardan__names_get(&u->names, name);
  if (i < 0) {
    const char *kept = cardan__arena_text(&u->spec->arena, name, strlen(name));
    if (kept == NULL || cardan__names_set(&u->names, kept, u->n) != CARDAN_OK ||
        cardan__grow(u->spec->allocator, (void **)&u->kinds, &u->capacity, u->n + 1,
                     sizeof *u->kinds) != CARDAN_OK) {
      u->failed = true;
      return;
    }
    i = u->n++;
    memcpy(u->kinds[i].name, name, sizeof name);
    u->kinds[i].first = element;
  }
  u->kinds[i].count++;
}

bool cardan__xml_note_unread(cardan_spec *spec, const cardan__xml *root)
{
  unread u = {.spec = spec};
  cardan__names_init(&u.names, spec->allocator);
  cardan__xml_unread(root, &u, count_unread);
  for (int i = 0; i < u.n; i++) {
    const kind *k = &u.kinds[i];
    if (k->count == 1) {
      cardan__xml_note(spec, k->first, "%s is not used", k->name);
    } else {
      cardan__xml_note(spec, k->first, "%s is not used, here and in %d more place%s", k->name,
                       k->count - 1, k->count == 2 ? "" : "s");
    }
  }
  cardan__resize(spec->allocator, u.kinds, 0);
  cardan__names_free(&u.names);
  return cardan__spec_memory(spec, u.failed ? CARDAN_ERR_MEMORY : CARDAN_OK);
}

int cardan__xml_joint_type(cardan_spec *spec, cardan__xml *joint, const char *name,
                           const char *const *words, int n)
{
  const char *type = cardan__xml_need(spec, joint, "type");
  char list[256] = "";
  size_t used = 0;
  for (int i = 0; i < n && type != NULL; i++) {
    if (strcmp(type, words[i]) == 0) {
      return i;
    }
    const char *between = i == 0 ? "" : i < n - 1 ? ", " : " or ";
    const int added = snprintf(list + used, sizeof list - used, "%s%s", between, words[i]);
    used += (size_t)added < sizeof list - used ? (size_t)added : 0;
  }
  if (type != NULL) {
    const char *near = cardan__nearest(type, words, n);
    cardan__xml_fail(spec, joint, "joint \"%.60s\" is of type \"%.40s\", expected %s%s%s%s", name,
                     type, list, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  }
  return -1;
}
