// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "outputs.h"
#include "say.h"
#include "source.h"

/* cardan convert: a model as another file, in the format of its ending: the model as the library
 * understands it, constants filled in, in the layout of its own writer. */

/* The endings that can be written, "a, b or c"; cut to size. */
static void endings(char *out, size_t size)
{
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; cardan_format_ending(i) != NULL && used < size; i++) {
    if (cardan_format_writes(i)) {
      const int n = snprintf(out + used, size - used, "%s%s", used > 0 ? " or " : "",
                             cardan_format_ending(i));
      used += n > 0 ? (size_t)n : 0;
    }
  }
}

static bool can_write(const char *target)
{
  const char *ending = strrchr(target, '.');
  for (int i = 0; cardan_format_ending(i) != NULL && ending != NULL; i++) {
    if (cardan_format_writes(i) && strcasecmp(cardan_format_ending(i), ending) == 0) {
      return true;
    }
  }
  return strcmp(target, "-") == 0;
}

static int write_model(cli_source *source, cli_pairs *settings, const char *target)
{
  cardan_spec *spec;
  cardan_report report = {0};
  cardan_status status = cli_source_spec(source, settings, &spec, &report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  char *text;
  status = cardan_spec_write_as(spec, strcmp(target, "-") == 0 ? NULL : target, &text, &report);
  if (status == CARDAN_OK) {
    status = cardan_write_text(target, text, strlen(text), NULL, &report);
    cardan_free_text(NULL, text);
  }
  cardan_spec_destroy(spec);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int convert(const cli_args *args)
{
  const char *target = args->word[1];
  if (!can_write(target)) {
    char known[64];
    endings(known, sizeof known);
    cli_error("cannot tell the format of \"%s\", expected a name that ends in %s, or -", target,
              known);
    return CLI_USAGE;
  }
  cli_source source;
  cli_pairs settings = {0};
  int exit = cli_settings_read(args, &settings) ? CLI_DONE : CLI_USAGE;
  if (exit == CLI_DONE) {
    exit = cli_source_open(&source, args->word[0], args);
  }
  if (exit == CLI_DONE) {
    exit = write_model(&source, &settings, target);
    cli_wrote(target, exit, false);
    cli_source_close(&source);
  }
  cli_pairs_free(&settings);
  return exit;
}

static const cli_option options[] = {
    CLI_SETTING_OPTIONS,
    CLI_STRICT_OPTION,
    {"force", NULL, "FILE may be the model itself, which is then lost"},
    {NULL, NULL, NULL},
};

const cli_command cli_convert = {
    .name = "convert",
    .words = "MODEL FILE",
    .nword = 2,
    .target = 2,
    .help = "write a model as another file: .mbs, .urdf, .xml, or - for standard output (.mbs)",
    .text = "examples\n"
            "  cardan convert arm.mbs tidy.mbs\n"
            "  cardan convert robot.urdf robot.mbs\n"
            "  cardan convert result.h5 -\n",
    .option = options,
    .run = convert,
};
