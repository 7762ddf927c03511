// SPDX-License-Identifier: Apache-2.0
// Does stepping leave the memory where it was? Resident memory of the process after a thousand
// steps, and after all of them.
//   build/bench/steady [MODEL [STEPS [METHOD]]]      (default humanoid, a million, vi)
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"

/* The process's own memory [kB], without mapped files; -1: the system does not say. */
static long resident(void)
{
  char line[256];
  long size = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && size < 0 && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "RssAnon:", 8) == 0) {
      size = strtol(line + 8, NULL, 10);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return size;
}

static cardan_status run(cardan_sim *sim, int64_t steps, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int64_t i = 0; i < steps && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  return status;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "humanoid";
  const int64_t steps = argc > 2 ? strtoll(argv[2], NULL, 10) : 1000000;
  const int64_t first = steps < 1000 ? steps : 1000;
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  options.method = argc > 3 ? argv[3] : "vi";
  options.dt = 1e-3;
  cardan_options_fit(&options);
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  status = status ? status : run(sim, first, &report);
  const long before = resident();
  status = status ? status : run(sim, steps - first, &report);
  const long after = resident();
  if (status == CARDAN_OK) {
    printf("%s by %s: %ld kB after %" PRId64 " steps, %ld after %" PRId64 "\n", name,
           options.method, before, first, after, steps);
  } else {
    fprintf(stderr, "steady: %s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status == CARDAN_OK ? 0 : 1;
}
