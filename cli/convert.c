// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli.h"
#include "say.h"
#include "source.h"

/* cardan convert: a model as another file. So far there is one format: what comes out is the model
 * as the library understands it, constants filled in, in the layout of its own writer. */

static bool ends_in(const char *text, const char *ending)
{
  const size_t n = strlen(text), m = strlen(ending);
  return n > m && strcmp(text + n - m, ending) == 0;
}

static int write_model(const cli_source *source, const char *target)
{
  cardan_spec *spec;
  cardan_report report = {0};
  const cardan_result *result = source->result;
  cardan_status status =
      cardan_spec_read(source->text, source->length, source->given, result ? result->setting : NULL,
                       result ? result->nsetting : 0, NULL, &spec, &report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  char *text;
  status = cardan_spec_write(spec, &text);
  if (status == CARDAN_OK) {
    status = cardan_write_text(target, text, strlen(text), NULL, &report);
    cardan_spec_free_text(spec, text);
  }
  cardan_spec_destroy(spec);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int convert(const cli_args *args)
{
  const char *target = args->word[1];
  if (strcmp(target, "-") != 0 && !ends_in(target, ".mbs")) {
    cli_error("cannot tell the format of \"%s\", expected a name that ends in .mbs, or -", target);
    return CLI_USAGE;
  }
  cli_source source;
  int exit = cli_source_open(&source, args->word[0]);
  if (exit == CLI_DONE) {
    exit = write_model(&source, target);
    cli_source_close(&source);
  }
  return exit;
}

const cli_command cli_convert = {
    .name = "convert",
    .words = "MODEL FILE",
    .nword = 2,
    .help = "write a model as another file: .mbs, or - for the standard output",
    .text = "examples\n"
            "  cardan convert arm.mbs tidy.mbs\n"
            "  cardan convert result.h5 -\n",
    .run = convert,
};
