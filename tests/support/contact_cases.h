/* SPDX-License-Identifier: Apache-2.0
 * contact_cases.h - motions with contact whose end is known: in closed form, or from equations in
 * the fewest coordinates with their events located (hybrid.h). */
#pragma once
#include <stdbool.h>

enum { CONTACT_MOST = 8 };

typedef struct {
  const char *name;
  const char *model; // a text
  int nq;            // how many of its first coordinates are known
  double T;          // [s]
  int steps;         // of the coarsest run: T / steps is its dt
  int events;        // impacts, lift-offs, .. up to T
  /* q out: the coordinates at T. steps: of the reference; closed forms do not read it.
   * returns how many events there were */
  int (*end)(double T, int steps, double *q);
} contact_case;

extern const contact_case contact_planar[], contact_round[];
extern const int ncontact_planar, ncontact_round;

/* Impact of one contact in a plane: u velocities (normal, tangent), W their mobility, mu, e: the
 * impulse r out, by the exact cone, Newton's restitution, none along the tangent. */
void contact_impulse(const double u[2], double W[2][2], double mu, double e, double r[2]);

/* A disc in steady motion: axis leaning by tilt from the vertical, its plane turning at rate about
 * it. Its spin about its own axis, and the speed of its centre. */
typedef struct {
  double m, r, half; // mass, radius, half its thickness
  double A, C;       // inertias across and along the axis
  double tilt, rate;
  double spin, speed; // out: angular velocity along the axis, of the centre along the tangent
} contact_coin;
void contact_coin_steady(contact_coin *coin);

/* The end of the case "coin" once more, from the equations of a body that rolls. */
int contact_coin_rolls(double T, int steps, double *q);
