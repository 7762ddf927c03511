// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "compare_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_errors_make(cli_errors *errors, int n)
{
  const size_t times = CARDAN_COMPARE_TIMES, all = (size_t)n > 0 ? (size_t)n : 1;
  *errors = (cli_errors){.n = n, .reference = -1};
  errors->count = calloc(all, sizeof *errors->count);
  errors->time = calloc(times, sizeof *errors->time);
  errors->error = calloc(all * times, sizeof *errors->error);
  return errors->count && errors->time && errors->error;
}

void cli_errors_free(cli_errors *errors)
{
  free(errors->count);
  free(errors->time);
  free(errors->error);
}

void cli_errors_put(cli_errors *errors, int k, double t, double error)
{
  if (!errors->error || k < 0 || k >= errors->n || errors->count[k] >= CARDAN_COMPARE_TIMES) {
    return;
  }
  const int i = errors->count[k]++;
  errors->time[i] = t;
  errors->error[(size_t)k * CARDAN_COMPARE_TIMES + (size_t)i] = error;
}

static void put_list(FILE *out, const double *value, int n, const char *format)
{
  fputc('[', out);
  for (int i = 0; i < n; i++) {
    fputs(i > 0 ? "," : "", out);
    if (isfinite(value[i])) {
      fprintf(out, format, value[i]);
    } else {
      fputs("null", out);
    }
  }
  fputc(']', out);
}

char *cli_errors_append(const cli_errors *errors, const cardan_contender *contender, int n,
                        const char *json)
{
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) {
    return NULL;
  }
  int most = 0;
  for (int k = 0; k < errors->n; k++) {
    most = errors->count[k] > most ? errors->count[k] : most;
  }
  fwrite(json, 1, (size_t)(strrchr(json, '}') - json), out);
  fputs(",\"times\":", out);
  put_list(out, errors->time, most, "%.9g");
  fputs(",\"errors\":[", out);
  bool first = true;
  for (int k = 0; k < n && k < errors->n; k++) {
    if (!contender[k].refused) {
      fputs(first ? "" : ",", out);
      put_list(out, errors->error + (size_t)k * CARDAN_COMPARE_TIMES, errors->count[k], "%.4g");
      first = false;
    }
  }
  fprintf(out, "],\"reference_run\":%d}", errors->reference);
  if (fclose(out) != 0) {
    free(text);
    text = NULL;
  }
  return text;
}
