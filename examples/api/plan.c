// SPDX-License-Identifier: Apache-2.0
// How long a pendulum takes from rest to its lowest point, by how far it swings: a sweep over ten
// starts on all cores, its result read, each case against the closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

static const char text[] = "(system \"pendulum\" (gravity 0 0 -9.81)"
                           " (ry \"angle\" (tz -1 (mass 1) (name \"bob\"))))";
static const char plan[] = "(plan (range \"q.angle\" 0.3 3 (count 10))"
                           " (collect (cross \"q.angle\" 0 (as quarter)) drift))";
static const char file[] = "plan_example.h5";

/* A quarter of the period of a swing of amplitude a: pi/2 / agm(1, cos(a/2)) sqrt(l/g). */
static double quarter(double a)
{
  double x = 1, y = cos(0.5 * a);
  for (int i = 0; i < 8; i++) {
    const double mean = 0.5 * (x + y);
    y = sqrt(x * y);
    x = mean;
  }
  return 0.5 * acos(-1.0) / x / sqrt(9.81);
}

/* Rows: case, status, start.q.angle, quarter, drift. */
static bool check(const cardan_sweep_result *sweep_result, cardan_report *report)
{
  double row[5];
  bool good = sweep_result->result->ncolumn == 5;
  for (int64_t i = 0; i < sweep_result->result->nrow && good; i++) {
    good = cardan_result_rows(sweep_result->result, i, 1, row, report) == CARDAN_OK && row[1] == 0;
    printf("from %.1f rad %.5f s, in closed form %.5f s\n", row[2], row[3], quarter(row[2]));
    good = good && fabs(row[3] - quarter(row[2])) < 1e-5; // the method is of order 2 in dt
  }
  return good && sweep_result->result->nrow == 10;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  options.dt = 0.001;
  options.time = 3;
  const cardan_record base = {
      .model = "pendulum.mbs", .text = text, .length = strlen(text), .options = &options};
  const cardan_sweep_run_options how = {.out = file}; // all cores, nothing else
  cardan_sweep *sweep = NULL;
  cardan_sweep_result *sweep_result = NULL;
  remove(file);
  cardan_status status =
      cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, &report);
  for (int k = 0; status == CARDAN_OK && k < cardan_sweep_column_count(sweep); k++) {
    printf("%s%s", k > 0 ? ", " : "columns: ", cardan_sweep_column(sweep, k));
  }
  printf("\n");
  status = status ? status : cardan_sweep_run(sweep, &how, NULL, &report);
  status = status ? status : cardan_sweep_result_open(file, NULL, &sweep_result, &report);
  const bool good = status == CARDAN_OK && check(sweep_result, &report);
  if (!good) {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sweep_result_close(sweep_result);
  cardan_sweep_destroy(sweep);
  remove(file);
  return good ? 0 : 1;
}
