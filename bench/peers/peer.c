// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 120 }; // [s] for a request

double peer_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void peer_turn(const double R[9], const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) {
    y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
  }
}

/* By the largest of the four, whose sign is positive. */
void peer_quaternion(const double R[9], double q[4])
{
  const double t[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                       1 - R[0] - R[4] + R[8]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    k = t[i] > t[k] ? i : k;
  }
  const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
  const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const double raw[4][4] = {
      {t[0], x, y, z}, {x, t[1], xy, xz}, {y, xy, t[2], yz}, {z, xz, yz, t[3]}};
  for (int i = 0; i < 4; i++) {
    q[i] = raw[k][i] / (2 * sqrt(t[k]));
  }
}

bool peer_read_numbers(double *x, int n)
{
  for (int i = 0; i < n; i++) {
    if (scanf("%lf", &x[i]) != 1) {
      return false;
    }
  }
  return true;
}

static void free_model(peer_model *m)
{
  free(m->body);
  free(m->pin);
  free(m->q);
  free(m->pose);
  *m = (peer_model){.nbody = 0};
}

/* nbody npin nq nv, gravity; for each body parent kind q v, X (p, R), mass, c, I; for each pin
 * a b p_a p_b. */
static bool read_model(peer_model *m)
{
  free_model(m);
  if (scanf("%d %d %d %d", &m->nbody, &m->npin, &m->nq, &m->nv) != 4 || m->nbody < 1 ||
      m->npin < 0 || m->nq < 1 || m->nv < 1 || m->nbody > 1000000 || m->npin > 1000000 ||
      m->nq > 7 * m->nbody || m->nv > 6 * m->nbody || !peer_read_numbers(m->gravity, 3)) {
    return false;
  }
  m->body = calloc((size_t)m->nbody + 1, sizeof *m->body);
  m->pose = calloc((size_t)m->nbody + 1, sizeof *m->pose);
  m->pin = calloc((size_t)m->npin + 1, sizeof *m->pin);
  m->q = calloc((size_t)m->nq + (size_t)m->nv, sizeof *m->q);
  if (m->body == NULL || m->pose == NULL || m->pin == NULL || m->q == NULL) {
    return false;
  }
  m->v = m->q + m->nq;
  for (int i = 1; i <= m->nbody; i++) {
    peer_body *b = &m->body[i];
    int kind;
    if (scanf("%d %d %d %d", &b->parent, &kind, &b->q, &b->v) != 4 || b->parent < 0 ||
        b->parent >= i || kind < 0 || kind > PEER_FREE || !peer_read_numbers(b->X_p, 3) ||
        !peer_read_numbers(b->X_R, 9) || !peer_read_numbers(&b->mass, 1) ||
        !peer_read_numbers(b->c, 3) || !peer_read_numbers(b->I, 6)) {
      return false;
    }
    b->kind = (peer_joint)kind;
  }
  for (int i = 0; i < m->npin; i++) {
    peer_pin *p = &m->pin[i];
    if (scanf("%d %d", &p->a, &p->b) != 2 || p->a < 0 || p->a > m->nbody || p->b < 0 ||
        p->b > m->nbody || !peer_read_numbers(p->p_a, 3) || !peer_read_numbers(p->p_b, 3)) {
      return false;
    }
  }
  return true;
}

static bool read_state(peer_model *m)
{
  bool good = peer_read_numbers(m->q, m->nq) && peer_read_numbers(m->v, m->nv);
  for (int i = 1; i <= m->nbody && good; i++) {
    peer_pose *x = &m->pose[i];
    good = peer_read_numbers(x->p, 3) && peer_read_numbers(x->R, 9) && peer_read_numbers(x->w, 3) &&
           peer_read_numbers(x->v, 3);
  }
  return good;
}

static int find_way(const char *word)
{
  for (int k = 0; peer_ways[k].word != NULL; k++) {
    if (strcmp(peer_ways[k].word, word) == 0) {
      return k;
    }
  }
  return -1;
}

static bool answer_time(const peer_model *m)
{
  char word[32];
  double dt;
  int n;
  if (scanf("%31s %lf %d", word, &dt, &n) != 3 || find_way(word) < 0) {
    return false;
  }
  peer_reset(m);
  bool done = peer_calls(m, find_way(word), dt, 0);
  const double start = peer_now();
  done = done && peer_calls(m, find_way(word), dt, n);
  printf("%.17g\n", done ? peer_now() - start : -1);
  return true;
}

static bool answer_solve(const peer_model *m)
{
  char word[32];
  double x, T;
  double *q = calloc((size_t)m->nq, sizeof *q);
  bool good = q != NULL && scanf("%31s %lf %lf", word, &x, &T) == 3 && find_way(word) >= 0 &&
              peer_solve != NULL;
  if (good) {
    peer_reset(m);
    const double start = peer_now();
    const char *why = peer_solve(m, find_way(word), x, T, q);
    const double seconds = peer_now() - start;
    if (why != NULL) {
      printf("no %s\n", why);
    } else {
      printf("%.17g", seconds);
      for (int i = 0; i < m->nq; i++) {
        printf(" %.17g", q[i]);
      }
      printf("\n");
    }
  }
  free(q);
  return good;
}

/* One request. returns false when it is none: the program ends then */
static bool answer(const char *word, peer_model *m, bool *made)
{
  if (strcmp(word, "model") == 0) {
    if (*made) {
      peer_drop();
    }
    *made = false;
    if (!read_model(m)) {
      return false;
    }
    const char *why = peer_build(m);
    *made = why == NULL;
    printf("%s%s\n", why == NULL ? "ok" : "no ", why == NULL ? "" : why);
    return true;
  }
  if (strcmp(word, "state") == 0) {
    return read_state(m);
  }
  if (peer_scenes != NULL && peer_answer_scene(word)) {
    return true;
  }
  if (!*made) {
    return false;
  }
  if (strcmp(word, "energy") == 0) {
    double kinetic, potential;
    peer_reset(m);
    peer_energy(m, &kinetic, &potential);
    printf("%.17g %.17g\n", kinetic, potential);
    return true;
  }
  return strcmp(word, "time") == 0 ? answer_time(m) : strcmp(word, "solve") == 0 && answer_solve(m);
}

int peer_main(void)
{
  peer_model m = {.nbody = 0};
  bool made = false;
  char word[32];
  printf("peer %s\n", peer_name);
  for (const peer_way *w = peer_ways; w->word != NULL; w++) {
    printf("way %s %s %s | %s\n", w->word, w->kind, w->label, w->how);
  }
  printf("end\n");
  fflush(stdout);
  while (scanf("%31s", word) == 1) {
    alarm(PATIENCE);
    const bool good = answer(word, &m, &made);
    alarm(0);
    fflush(stdout);
    if (!good) {
      free_model(&m);
      return 1;
    }
  }
  if (made) {
    peer_drop();
  }
  free_model(&m);
  return 0;
}
