// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <string.h>

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

cardan_status cli_options_find(const cli_args *args, const cardan_model *model,
                               const cardan_options *result, cardan_options *options,
                               cardan_report *report)
{
  const char *method = cli_args_value(args, "method");
  cardan_status status = CARDAN_OK;
  *options = result ? *result : cardan_options_defaults();
  const bool another = result && method && strcmp(method, method_name(result)) != 0;
  options->method = method ? method : options->method;
  if (another) {
    cardan_options_fit(options);
  } else if (!result) {
    status = cardan_options_from_model(options, model, report);
  }
  return status == CARDAN_OK ? cli_options_apply(args, options, report) : status;
}

cardan_status cli_options_check(const cli_args *args, const cardan_options *options,
                                cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < args->ngiven && status == CARDAN_OK; i++) {
    if (cli_is_sim_option(args->given[i].name)) {
      status = cardan_option_check(method_name(options), args->given[i].name, report);
    }
  }
  return status == CARDAN_OK ? cardan_options_check(options, report) : status;
}
