// SPDX-License-Identifier: Apache-2.0
// Scenes of bodies on a floor, and robots from their files: requests, and the times of steps.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

/* n friction, gravity; for each body shape size mass I, pose (p, R, w, v). */
static bool read_scene(peer_scene *s)
{
  if (scanf("%d", &s->n) != 1 || s->n < 1 || s->n > 100000 || !peer_read_numbers(&s->friction, 1) ||
      !peer_read_numbers(s->gravity, 3)) {
    return false;
  }
  s->solid = calloc((size_t)s->n, sizeof *s->solid);
  if (s->solid == NULL) {
    return false;
  }
  for (int i = 0; i < s->n; i++) {
    peer_solid *b = &s->solid[i];
    int shape;
    if (scanf("%d", &shape) != 1 || shape < 0 || shape > PEER_SPHERE ||
        !peer_read_numbers(b->size, 3) || !peer_read_numbers(&b->mass, 1) ||
        !peer_read_numbers(b->I, 3) || !peer_read_numbers(b->pose.p, 3) ||
        !peer_read_numbers(b->pose.R, 9) || !peer_read_numbers(b->pose.w, 3) ||
        !peer_read_numbers(b->pose.v, 3)) {
      return false;
    }
    b->shape = (peer_shape)shape;
  }
  return true;
}

static void say(const char *why)
{
  printf("%s%s\n", why == NULL ? "ok" : "no ", why == NULL ? "" : why);
}

static bool build_scene(void)
{
  peer_scene s = {.n = 0};
  const bool good = read_scene(&s);
  if (good) {
    say(peer_scenes->build(&s));
  }
  free(s.solid);
  return good;
}

static bool load_robot(void)
{
  char path[4200];
  if (scanf(" %4199[^\n]", path) != 1) {
    return false;
  }
  say(peer_scenes->load != NULL ? peer_scenes->load(path) : "it reads no robots here");
  return true;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool play(void)
{
  double dt, overlap = 0, all = 0;
  int n, rounds, contacts = 0;
  if (scanf("%lf %d %d", &dt, &n, &rounds) != 3 || n < 1 || n > 1000000 || rounds < 1) {
    return false;
  }
  double *best = calloc((size_t)n, sizeof *best);
  if (best == NULL) {
    return false;
  }
  for (int r = 0; r < rounds; r++) {
    peer_scenes->start(dt);
    for (int i = 0; i < n; i++) {
      const double start = peer_now();
      peer_scenes->step();
      const double seconds = peer_now() - start;
      best[i] = r == 0 ? seconds : fmin(best[i], seconds);
      peer_scenes->look(&overlap, &contacts);
    }
  }
  for (int i = 0; i < n; i++) {
    all += best[i];
  }
  qsort(best, (size_t)n, sizeof *best, compare);
  printf("%.17g %.17g %.17g %.17g %d\n", all, best[(size_t)(0.99 * (n - 1))], best[n - 1], overlap,
         contacts);
  free(best);
  return true;
}

bool peer_answer_scene(const char *word)
{
  return strcmp(word, "scene") == 0   ? build_scene()
         : strcmp(word, "robot") == 0 ? load_robot()
                                      : strcmp(word, "play") == 0 && play();
}
