// SPDX-License-Identifier: Apache-2.0
// How long a model file takes to load: best of many times, reading its text and building the model
// apart. Usage: load FILE.. (files, or names of built-in models)
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "cardan/load.h"

static const double patience = 0.3; // for each file [s]

typedef struct {
  double read, build; // [s]
  int times, nframe, nbody, nv;
} timing;

/* One load of a text that is there already; other files that it names are read again. */
static cardan_status load_once(const char *text, size_t length, const char *name,
                               const cardan_files *files, timing *t, cardan_report *report)
{
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  const double begin = cardan__seconds();
  cardan_status status =
      cardan_spec_read_files(text, length, name, NULL, 0, files, NULL, &spec, report);
  const double middle = cardan__seconds();
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, NULL, &model, report);
  }
  const double end = cardan__seconds();
  if (status == CARDAN_OK) {
    t->read = fmin(t->read, middle - begin);
    t->build = fmin(t->build, end - middle);
    t->times++;
    t->nframe = model->nframe;
    t->nbody = model->nbody;
    t->nv = model->nv;
  }
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return status;
}

static cardan_status measure(const char *name, timing *t, size_t *length, cardan_report *report)
{
  char *text = NULL;
  cardan_files *files = NULL;
  cardan_status status = cardan_load_text(name, NULL, &text, length, report);
  if (status == CARDAN_OK) {
    status = cardan_files_open(name, NULL, 0, true, NULL, &files, report);
  }
  const double begin = cardan__seconds();
  while (status == CARDAN_OK && (t->times < 3 || cardan__seconds() - begin < patience)) {
    status = load_once(text, *length, name, files, t, report);
  }
  cardan_files_close(files);
  cardan_free_text(NULL, text);
  return status;
}

int main(int argc, char **argv)
{
  printf("%-32s %8s %7s %7s %5s %10s %10s %6s\n", "file", "kB", "frames", "bodies", "nv",
         "read [ms]", "build [ms]", "times");
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    timing t = {.read = INFINITY, .build = INFINITY};
    cardan_report report = {.message = ""};
    size_t length = 0;
    if (measure(argv[i], &t, &length, &report) != CARDAN_OK) {
      char text[sizeof report.message + 300];
      cardan_report_format(&report, text, sizeof text);
      fprintf(stderr, "%s\n", text);
      failed = 1;
      continue;
    }
    const int width = 32;
    const char *name = argv[i];
    for (const char *c = argv[i]; *c != '\0'; c++) {
      name = *c == '/' ? c + 1 : name;
    }
    printf("%-*.*s %8.1f %7d %7d %5d %10.3f %10.3f %6d\n", width, width, name,
           (double)length / 1000, t.nframe, t.nbody - 1, t.nv, 1e3 * t.read, 1e3 * t.build,
           t.times);
  }
  return failed;
}
