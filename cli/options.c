// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

bool cli_is_sim_option(const char *name)
{
  const char *known;
  for (int i = 0; (known = cardan_option_name(i)) != NULL; i++) {
    if (strcmp(known, name) == 0) {
      return true;
    }
  }
  return false;
}

bool cli_takes_sim_option(const cli_command *command, const char *name)
{
  const bool method = strcmp(name, "method") == 0;
  return command->simulates && cli_is_sim_option(name) && !(command->several && method);
}

bool cli_is_switch(const char *name)
{
  // an option that can be set without a value takes none
  cardan_options scratch = cardan_options_defaults();
  return cardan_options_set(&scratch, name, NULL, NULL) == CARDAN_OK;
}

cardan_status cli_options_apply(const cli_args *args, cardan_options *options,
                                cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < args->ngiven && status == CARDAN_OK; i++) {
    const struct cli_given *given = &args->given[i];
    if (cli_is_sim_option(given->name)) {
      status = cardan_options_set(options, given->name, given->value, report);
    }
  }
  return status;
}

static const char *method_name(const cardan_options *options)
{
  return options->method ? options->method : cardan_method_name(0);
}

/* Names of what differs, with commas between. */
static void name_changes(const cardan_options *a, const cardan_options *b, char *list, size_t size)
{
  const char *name;
  list[0] = '\0';
  for (int i = 0; (name = cardan_option_name(i)) != NULL; i++) {
    char was[256], is[256];
    const size_t used = strlen(list);
    cardan_option_value(a, i, was, sizeof was);
    cardan_option_value(b, i, is, sizeof is);
    if (strcmp(was, is) != 0) {
      snprintf(list + used, size - used, "%soption %s", used > 0 ? ", " : "", name);
    }
  }
}

cardan_status cli_options_of_result(const cli_args *args, const cardan_options *result,
                                    cardan_options *options, char lost[CLI_LOST_SIZE],
                                    cardan_report *report)
{
  const char *method = cli_args_value(args, "method");
  const bool another = method && strcmp(method, method_name(result)) != 0;
  *options = *result;
  options->method = method ? method : options->method;
  const cardan_options all = *options;
  cardan_options_drop_unused(options);
  name_changes(&all, another ? &all : options, lost, CLI_LOST_SIZE);
  return cli_options_apply(args, options, report);
}

cardan_status cli_options_find(const cli_args *args, const cardan_model *model,
                               cardan_options *options, cardan_report *report)
{
  *options = cardan_options_defaults();
  options->method = cli_args_value(args, "method");
  const cardan_status status =
      cardan_options_apply_model(options, model, CARDAN_OPTIONS_OF_METHOD, report);
  return status == CARDAN_OK ? cli_options_apply(args, options, report) : status;
}

cardan_status cli_options_of_several(const cli_args *args, const cardan_model *model,
                                     const cardan_options *result, cardan_options *options,
                                     cardan_report *report)
{
  *options = result ? *result : cardan_options_defaults();
  const cardan_status status =
      result ? CARDAN_OK
             : cardan_options_apply_model(options, model, CARDAN_OPTIONS_OF_ALL_METHODS, report);
  return status == CARDAN_OK ? cli_options_apply(args, options, report) : status;
}

cardan_status cli_options_check(const cli_args *args, const cardan_options *options,
                                cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < args->ngiven && status == CARDAN_OK; i++) {
    if (cli_is_sim_option(args->given[i].name)) {
      status = cardan_method_has_option(method_name(options), args->given[i].name, report);
    }
  }
  return status == CARDAN_OK ? cardan_options_check(options, report) : status;
}

void cli_options_given(const cli_args *args, bool all, char list[CLI_GIVEN_SIZE])
{
  const char *name;
  list[0] = '\0';
  for (int i = 0; (name = cardan_option_name(i)) != NULL; i++) {
    const size_t used = strlen(list);
    if (all || cli_args_value(args, name)) {
      snprintf(list + used, CLI_GIVEN_SIZE - used, "%s,", name);
    }
  }
}

/* Has the method the option, with its value? */
static cardan_status check_given(const char *method, const struct cli_given *given,
                                 cardan_report *report)
{
  cardan_options options = cardan_options_defaults();
  options.method = method;
  cardan_status status = cardan_method_has_option(method, given->name, report);
  status = status ? status : cardan_options_set(&options, given->name, given->value, report);
  return status ? status : cardan_options_check(&options, report);
}

cardan_status cli_options_check_several(const cli_args *args, const char *const *method, int n,
                                        cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < args->ngiven && status == CARDAN_OK; i++) {
    const struct cli_given *given = &args->given[i];
    bool has = !cli_is_sim_option(given->name);
    for (int k = 0; k < n && !has; k++) {
      has = check_given(method[k], given, NULL) == CARDAN_OK;
    }
    status = has ? CARDAN_OK : check_given(method[0], given, report);
  }
  return status;
}
