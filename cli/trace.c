// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <errno.h>
#include <string.h>

#include "cli.h"
#include "say.h"

int cli_trace_open(cli_trace *trace, const cli_args *args)
{
  *trace = (cli_trace){.path = cli_args_value(args, "trace")};
  if (!trace->path) {
    return CLI_DONE;
  }
  trace->file = strcmp(trace->path, "-") == 0 ? stdout : fopen(trace->path, "w");
  if (!trace->file) {
    cli_error("--trace: %s: %s", trace->path, strerror(errno));
    return CLI_USAGE;
  }
  fputs("step,t,evaluation,residual\n", trace->file);
  return CLI_DONE;
}

void cli_trace_step(cli_trace *trace, const cardan_sim *sim, long long step, double t)
{
  int n = 0;
  const double *residual = trace->file ? cardan_sim_trace(sim, &n) : NULL;
  for (int i = 0; i < n; i++) {
    fprintf(trace->file, "%lld,%.17g,%d,%.17g\n", step, t, i + 1, residual[i]);
  }
}

int cli_trace_close(cli_trace *trace, int status)
{
  if (!trace->file) {
    return status;
  }
  bool bad = ferror(trace->file) != 0;
  bad = (trace->file == stdout ? fflush(stdout) : fclose(trace->file)) != 0 || bad;
  trace->file = NULL;
  if (bad) {
    cli_error("--trace: %s could not be written", trace->path);
    return CLI_USAGE;
  }
  return status;
}
