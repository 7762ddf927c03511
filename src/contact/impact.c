// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "contact/contact.h"

/* Newton's law of impact, u^+ >= -e u^-, at features that are closed at one moment.
 *
 * Repeat while some row with e > 0 approaches (u < -tol): those that approach, and the supports
 * (e = 0, u <= tol), act together by (N) with b = (1 + e) u for what approaches and b = u else.
 * What strikes passes the impact on to what it touches, in the next round; rows that approach at
 * one moment act at one moment, which keeps symmetries. At last, with e = 0, whatever still
 * approaches.
 *
 * No round adds energy:
 *   T^+ - T^- = sum r (u^+ + u^-) / 2                                                        (E1)
 * where r > 0 has u^+ = -e u^- <= -u^-, and supports have u^+ = 0, u^- <= tol. */

enum { MOST_ROUNDS = 200 };

typedef struct {
  double *G, *b, *r, *u, *own;
} parts;

static parts cut(const cardan__impact *m)
{
  const size_t n = (size_t)m->n;
  double *w = m->work;
  return (parts){
      .G = w, .b = w + n * n, .r = w + n * n + n, .u = w + n * n + 2 * n, .own = w + n * n + 3 * n};
}

size_t cardan__impact_work(int n)
{
  return (size_t)n * (size_t)n + 3 * (size_t)n + cardan__complementarity_work(n);
}

/* Who acts in this round, to index; how many. plastic: all that are closed, without restitution. */
static int choose(const cardan__impact *m, bool plastic)
{
  int count = 0;
  for (int i = 0; i < m->n; i++) {
    if (plastic || m->u[i] < -m->tol || (m->e[i] == 0 && m->u[i] <= m->tol)) {
      m->index[count++] = i;
    }
  }
  return count;
}

/* (N) over those in index, and what it does to all. */
static bool act(cardan__impact *m, int count, bool plastic)
{
  const parts w = cut(m);
  const size_t n = (size_t)m->n, k = (size_t)count;
  for (size_t i = 0; i < k; i++) {
    const int row = m->index[i];
    const double u = m->u[row];
    w.b[i] = !plastic && u < -m->tol ? (1 + m->e[row]) * u : u;
    for (size_t j = 0; j < k; j++) {
      w.G[i * k + j] = m->G[(size_t)row * n + (size_t)m->index[j]];
    }
  }
  const bool good = cardan__complementarity(count, w.G, w.b, 0.5 * m->tol, w.r, w.u, m->set, w.own);
  for (size_t i = 0; i < k; i++) { // as the impulse acts, (E1) with u^- and u^+
    m->gain += 0.5 * w.r[i] * m->u[m->index[i]];
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < k; j++) {
      m->u[i] += m->G[i * n + (size_t)m->index[j]] * w.r[j];
    }
  }
  for (size_t i = 0; i < k; i++) {
    m->gain += 0.5 * w.r[i] * m->u[m->index[i]];
    m->r[m->index[i]] += w.r[i];
  }
  return good;
}

static bool any_approaches(const cardan__impact *m, bool plastic)
{
  bool any = false;
  for (int i = 0; i < m->n; i++) {
    any = any || (m->u[i] < -m->tol && (plastic || m->e[i] > 0));
  }
  return any;
}

bool cardan__impact_solve(cardan__impact *m)
{
  bool good = true;
  m->gain = 0;
  m->rounds = 0;
  memset(m->r, 0, (size_t)m->n * sizeof *m->r);
  while (good && m->rounds < MOST_ROUNDS && any_approaches(m, false)) {
    good = act(m, choose(m, false), false);
    m->rounds++;
  }
  if (good && any_approaches(m, true)) {
    good = act(m, choose(m, true), true);
    m->rounds++;
  }
  return good;
}
