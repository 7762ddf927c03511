// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/load.h"
#include "output/json.h"
#include "output/text_output.h"

/* What a method may or may not be able to take, with the smallest model that has it. */
static const struct {
  const char *what, *text;
} features[] = {
    {"open trees", "(system (joint revolute \"a\" (mass 1 1 1 1)))"},
    {"loops", "(system (joint revolute \"a\" (tx 1 (name \"A\") (mass 1 1 1 1)))"
              " (joint prismatic \"b\" (axis 1 0 0) (mass 1 1 1 1) (name \"B\"))"
              " (point-constraint \"A\" \"B\" (1 0 0)))"},
    {"multi-dof joints", "(system (joint free \"a\" (mass 1 1 1 1)))"},
    {"point masses", "(system (joint revolute \"a\" (tx 1 (mass 1))))"},
    {"drivers", "(system (rz (k \"a\") (mass 1 1 1 1)) (motion \"a\" t))"},
    {"dissipation", "(system (joint revolute \"a\" (mass 1 1 1 1)) (damping 1))"},
    {"friction",
     "(system (joint revolute \"a\" (mass 1 1 1 1)) (friction \"a\" 0.1 (radius 0.1)))"},
};
enum { FEATURES = sizeof features / sizeof features[0], METHODS = 16 };

/* takes[method][feature] */
typedef struct {
  int nmethod;
  bool takes[METHODS][FEATURES];
} abilities;

static cardan_status ask_methods(const cardan_allocator *allocator, abilities *able,
                                 cardan_report *report)
{
  const cardan_options options = cardan_options_defaults();
  *able = (abilities){0};
  while (able->nmethod < METHODS && cardan_method_name(able->nmethod)) {
    able->nmethod++;
  }
  for (int f = 0; f < FEATURES; f++) {
    cardan_model *model;
    cardan_status status =
        cardan_model_from_text(features[f].text, strlen(features[f].text), features[f].what, NULL,
                               0, allocator, &model, report);
    if (status != CARDAN_OK) {
      return status;
    }
    for (int i = 0; i < able->nmethod && status != CARDAN_ERR_MEMORY; i++) {
      status = cardan_method_accepts(i, model, &options, NULL);
      able->takes[i][f] = status == CARDAN_OK;
    }
    cardan_model_destroy(model);
    if (status == CARDAN_ERR_MEMORY) {
      return status;
    }
  }
  return CARDAN_OK;
}

static void text_models(cardan__text *out)
{
  const char *name;
  cardan__text_printf(out, "models (cardan make NAME prints one as a file)\n");
  for (int i = 0; (name = cardan_builtin_name(i)) != NULL; i++) {
    char shown[64];
    const int size = cardan_builtin_size(i);
    if (size > 0) {
      snprintf(shown, sizeof shown, "%s:N (%d)", name, size);
    } else {
      snprintf(shown, sizeof shown, "%s", name);
    }
    cardan__text_printf(out, "  %-22s  %s\n", shown, cardan_builtin_help(i));
  }
}

/* One line with what a method takes, or with what it does not; none when there is nothing. */
static void text_abilities(const bool *takes, bool yes, cardan__text *out)
{
  const char *lead = yes ? "takes " : "does not take ";
  int n = 0;
  for (int f = 0; f < FEATURES; f++) {
    if (takes[f] == yes) {
      if (n == 0) {
        cardan__text_printf(out, "  %-16s  %s%s", "", lead, features[f].what);
      } else {
        cardan__text_printf(out, ", %s", features[f].what);
      }
      n++;
    }
  }
  if (n > 0) {
    cardan__text_printf(out, "\n");
  }
}

/* Is it an option of the method's own? */
static bool is_own(const cardan_option_info *option, const char *method)
{
  const size_t n = strlen(method);
  for (const char *at = option->methods; at != NULL && *at != '\0'; at = strchr(at, ',')) {
    at += strspn(at, ", ");
    if (strncmp(at, method, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
      return true;
    }
  }
  return false;
}

static void text_options(const char *method, cardan__text *out)
{
  cardan_option_info o;
  const char *lead = "options ";
  cardan__text_printf(out, "  %-16s  ", "");
  for (int i = 0; cardan_option_at(i, &o); i++) {
    if (is_own(&o, method)) {
      cardan__text_printf(out, "%s%s", lead, o.name);
      lead = ", ";
    }
  }
  cardan__text_printf(out, "\n");
}

static void json_options(const char *method, cardan__json *j)
{
  cardan_option_info o;
  cardan__json_open(j, "options", '[');
  for (int i = 0; cardan_option_at(i, &o); i++) {
    if (method != NULL ? is_own(&o, method) : o.methods[0] == '\0') {
      cardan__json_open(j, NULL, '{');
      cardan__json_string(j, "name", o.name);
      cardan__json_string(j, "takes", o.takes[0] ? o.takes : NULL);
      cardan__json_string(j, "default", o.initial[0] ? o.initial : NULL);
      cardan__json_string(j, "help", o.help);
      cardan__json_close(j, '}');
    }
  }
  cardan__json_close(j, ']');
}

static void text_methods(const abilities *able, cardan__text *out)
{
  cardan__text_printf(out, "\nmethods (option method)\n");
  for (int i = 0; i < able->nmethod; i++) {
    cardan__text_printf(out, "  %-16s  %s\n", cardan_method_name(i), cardan_method_help(i));
    for (int yes = 1; yes >= 0; yes--) {
      text_abilities(able->takes[i], yes != 0, out);
    }
    text_options(cardan_method_name(i), out);
  }
}

static void text_integrators(cardan__text *out)
{
  const char *name, *between = "for ";
  cardan__text_printf(out, "\nintegrators (option integrator, ");
  for (int i = 0; (name = cardan_method_name(i)) != NULL; i++) {
    if (cardan_method_has_option(name, "integrator", NULL) == CARDAN_OK) {
      cardan__text_printf(out, "%s%s", between, name);
      between = ", ";
    }
  }
  cardan__text_printf(out, ")\n");
  for (int i = 0; (name = cardan_integrator_name(i)) != NULL; i++) {
    cardan__text_printf(out, "  %-16s  order %d%s\n", name, cardan_integrator_order(i),
                        cardan_integrator_adaptive(i) ? ", chooses its own steps" : "");
  }
}

static void write_json(const abilities *able, cardan__json *j)
{
  const char *name;
  cardan__json_open(j, NULL, '{');
  cardan__json_open(j, "models", '[');
  for (int i = 0; (name = cardan_builtin_name(i)) != NULL; i++) {
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", name);
    cardan__json_int(j, "size", cardan_builtin_size(i));
    cardan__json_string(j, "help", cardan_builtin_help(i));
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  cardan__json_open(j, "methods", '[');
  for (int i = 0; i < able->nmethod; i++) {
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", cardan_method_name(i));
    cardan__json_string(j, "help", cardan_method_help(i));
    cardan__json_open(j, "takes", '{');
    for (int f = 0; f < FEATURES; f++) {
      cardan__json_bool(j, features[f].what, able->takes[i][f]);
    }
    cardan__json_close(j, '}');
    json_options(cardan_method_name(i), j);
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  json_options(NULL, j);
  cardan__json_open(j, "integrators", '[');
  for (int i = 0; (name = cardan_integrator_name(i)) != NULL; i++) {
    cardan__json_open(j, NULL, '{');
    cardan__json_string(j, "name", name);
    cardan__json_int(j, "order", cardan_integrator_order(i));
    cardan__json_bool(j, "adaptive", cardan_integrator_adaptive(i));
    cardan__json_close(j, '}');
  }
  cardan__json_close(j, ']');
  cardan__json_close(j, '}');
}

cardan_status cardan_describe_library(bool json, const cardan_allocator *allocator, char **text,
                                      cardan_report *report)
{
  abilities able;
  *text = NULL;
  cardan_status status = ask_methods(allocator, &able, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__json out;
  cardan__json_init(&out, allocator);
  if (json) {
    write_json(&able, &out);
  } else {
    text_models(&out.text);
    text_methods(&able, &out.text);
    text_integrators(&out.text);
  }
  status = cardan__text_output_finish(&out.text, text);
  return status == CARDAN_OK ? CARDAN_OK
                             : cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
}
