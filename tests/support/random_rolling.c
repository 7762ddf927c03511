// SPDX-License-Identifier: Apache-2.0
#include "random_rolling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"
#include "random_loops.h"

const char *random_rolling_name(const cardan_model *m, support_rng *rng, bool velocity)
{
  for (int i = 0; i < 200; i++) {
    if (velocity) {
      const int k = (int)(support_random_in(rng, 0, 1) * m->nv);
      if (k < m->nv && m->body[m->v_body[k]].nv == 1) {
        return m->v_name[k];
      }
    } else {
      const int f = 1 + (int)(support_random_in(rng, 0, 1) * (m->nframe - 1));
      if (f < m->nframe && m->frame[f].body > 0 && m->frame[f].name[0] != '\0') {
        return m->frame[f].name;
      }
    }
  }
  return NULL;
}

/* One random item, to text; false where the model has nothing for it. */
static bool add_item(const cardan_model *m, support_rng *rng, char *text, size_t size)
{
  const int kind = (int)(support_random_in(rng, 0, 1) * 4);
  const char *a = random_rolling_name(m, rng, kind == 3), *b = random_rolling_name(m, rng, true);
  if (a == NULL || (kind == 3 && b == NULL)) {
    return false;
  }
  if (kind == 0) {
    snprintf(text, size, "(skate \"%s\" \"world\" (edge 1 0.3 0.2))\n", a);
  } else if (kind == 1) {
    snprintf(text, size, "(roll \"%s\" \"world\" (ball 0.2) (flat))\n", a);
  } else if (kind == 2) {
    snprintf(text, size,
             "(velocity (+ (vx \"%s\") (* 0.3 (py \"%s\") (wz \"%s\")) (* 0.1 (sin (py \"%s\")) "
             "(vz \"%s\"))))\n",
             a, a, a, a, a);
  } else {
    snprintf(text, size,
             "(velocity (+ (* (+ 1.5 (cos (q \"%s\"))) (v \"%s\")) (* 0.4 (v \"%s\"))))\n", b, a,
             b);
  }
  return true;
}

cardan_model *random_rolling_model(uint64_t seed, char *whole)
{
  support_rng rng = {seed + 1000};
  loops_kind kind;
  char *text = loops_random_text(seed, &kind), items[1024] = "";
  cardan_report report = {.message = ""};
  cardan_model *model = NULL, *out = NULL;
  if (cardan_model_from_text(text, strlen(text), "random.mbs", NULL, 0, NULL, &model, &report) ==
      CARDAN_OK) {
    const int n = 1 + (int)(support_random_in(&rng, 0, 1) * 3);
    for (int i = 0; i < n; i++) {
      char item[256];
      if (add_item(model, &rng, item, sizeof item)) {
        strcat(items, item);
      }
    }
    const size_t end = (size_t)(strrchr(text, ')') - text);
    snprintf(whole, RANDOM_ROLLING_TEXT, "%.*s\n%s)", (int)end, text, items);
    if (cardan_model_from_text(whole, strlen(whole), "rolling.mbs", NULL, 0, NULL, &out, &report) !=
        CARDAN_OK) {
      out = NULL;
    } else if (out->mobility < 1 || out->nvelocity_row == 0) {
      cardan_model_destroy(out);
      out = NULL;
    }
  }
  cardan_model_destroy(model);
  free(text);
  return out;
}

void random_rolling_write(uint64_t seed, const char *text)
{
  const char *folder = getenv("ROLLING_TEXTS");
  char path[256];
  if (folder != NULL) {
    snprintf(path, sizeof path, "%s/%d.mbs", folder, (int)seed);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
  }
}

double random_rolling_difference(const cardan_model *model, const double *a, const double *b)
{
  double worst = 0;
  for (int k = 0; k < model->nq; k++) {
    worst = fmax(worst, fabs(a[k] - b[k]));
  }
  return worst;
}
