// SPDX-License-Identifier: Apache-2.0
// What the library has: methods and which of them accept a model, integrators with their orders,
// built-in models with their sizes.
#include <stdio.h>

#include "cardan/cardan.h"

/* returns how many methods accept the model */
static int list_methods(const cardan_model *model, const cardan_options *options)
{
  const char *name;
  int accepted = 0;
  for (int i = 0; (name = cardan_method_name(i)) != NULL; i++) {
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_method_accepts(i, model, options, &report);
    accepted += status == CARDAN_OK;
    printf("%-16s %-12s %s\n", name, cardan_status_word(status),
           status == CARDAN_OK ? cardan_method_help(i) : report.message);
  }
  return accepted;
}

/* returns the highest order of those that choose their steps themselves */
static int list_integrators(void)
{
  const char *name;
  int highest = 0;
  for (int i = 0; (name = cardan_integrator_name(i)) != NULL; i++) {
    const int order = cardan_integrator_order(i);
    const bool adaptive = cardan_integrator_adaptive(i);
    printf("%-16s order %d%s\n", name, order, adaptive ? ", adaptive" : "");
    highest = adaptive && order > highest ? order : highest;
  }
  return highest;
}

/* returns how many have a size, as pendulum:N has */
static int list_builtins(void)
{
  const char *name;
  int sized = 0;
  for (int i = 0; (name = cardan_builtin_name(i)) != NULL; i++) {
    sized += cardan_builtin_size(i) > 0;
    printf("%-16s size %d: %s\n", name, cardan_builtin_size(i), cardan_builtin_help(i));
  }
  return sized;
}

int main(void)
{
  cardan_report report = {.message = ""};
  const cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  if (cardan_model_load("closed-chain", NULL, 0, NULL, &model, &report) != CARDAN_OK) {
    fprintf(stderr, "%s\n", report.message);
    return 1;
  }
  const int accepted = list_methods(model, &options);
  const int order = list_integrators(), sized = list_builtins();
  cardan_model_destroy(model);
  return accepted > 0 && order >= 4 && sized > 0 ? 0 : 1;
}
