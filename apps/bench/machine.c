// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/threads.h"
#include "bench/bench.h"

/* What the numbers depend on. Nothing that names the machine or its folders. */

static void find_processor(char *text, size_t size)
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(text, size, "unknown");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
      snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
      break;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
}

/* OpenBLAS says which one it is, and which kernels it took. */
static void find_blas(char *text, size_t size)
{
  void *config = dlsym(RTLD_DEFAULT, "openblas_get_config");
  void *core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  char *(*ask[2])(void);
  if (config == NULL || core == NULL) {
    snprintf(text, size, "not OpenBLAS");
    return;
  }
  memcpy(&ask[0], &config, sizeof config);
  memcpy(&ask[1], &core, sizeof core);
  const char *words = ask[0]();
  const char *second = strchr(words, ' ');
  const size_t name = second != NULL ? strcspn(second + 1, " ") : 0;
  snprintf(text, size, "%.*s, kernels %s, one thread",
           second != NULL ? (int)((size_t)(second - words) + 1 + name) : (int)strlen(words), words,
           ask[1]());
}

void cardan__bench_find_machine(cardan__bench_machine *m)
{
  const time_t now = time(NULL);
  struct tm day;
  find_processor(m->processor, sizeof m->processor);
  find_blas(m->blas, sizeof m->blas);
#if defined(__clang__)
  snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#else
  snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#endif
  snprintf(m->flags, sizeof m->flags, "%s (%s)", CARDAN__BENCH_FLAGS, cardan_cpu_level());
  m->cores = cardan__cores();
  if (gmtime_r(&now, &day) == NULL || strftime(m->date, sizeof m->date, "%Y-%m-%d", &day) == 0) {
    m->date[0] = '\0';
  }
}
