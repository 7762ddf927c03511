/* SPDX-License-Identifier: Apache-2.0
 * contact/between.h - what may happen to gaps between the nodes of a step that has both ends open.
 *
 * A gap that is open at both ends of a step may have been closed on the way, for two reasons:
 *   it turned round        the parabola through the gaps at three nodes, or through two and the
 *                          rate at the first, dips below 0; what that misses is of third order
 *   it was passed through  two solids that move by more than they are thick are on the other sides
 *                          of one another; they are looked at on the way, q moved by parts of dq,
 *                          centres of mass of free bodies along straight lines
 * Both say when to look; whether it is so, a step that ends there tells. Nothing here allocates. */
#pragma once
#include "cardan/data.h"

/* The rate of a gap at a node, from it, the one `before` seconds ago and the next, h later: that of
 * the parabola through the three. */
double cardan__gap_rate(double before, double last, double gap, double h, double next);

/* When a gap with this rate is least on the way to the next one, h later: a time in (0, h), and
 * that least value of the parabola, out; 0 where it is least at an end. */
double cardan__gap_valley(double gap, double rate, double h, double next, double *least);

/* How thick each solid is [m], out (nsolid): the least distance of two parallel planes that hold
 * it, or less; of planes HUGE_VAL, of points 0. Once for a model: hulls cost O(vertices faces). */
void cardan__solids_width(const cardan_model *model, double *width);

/* From pose X of a solid's body to Y: the way of its centre; and the largest of a point of it, or
 * more, less the way u [m]. */
cardan_vec3 cardan__solid_shift(const cardan_solid *solid, const cardan_xform *X,
                                const cardan_xform *Y);
double cardan__solid_way(const cardan_solid *solid, const cardan_xform *X, const cardan_xform *Y,
                         cardan_vec3 u);

/* The part of the way dq from node to end, in (0, 1), at which two solids overlap that are apart at
 * both ends; 0: none does. Only pairs that move by more than half of what both are thick together
 * are looked at, from place to place as far as their gap allows or by a quarter of that, in at most
 * 256 places.
 * X      poses at the node, nbody
 * end    with poses; its q is the node's moved by dq, to rounding. Poses and q are so afterwards
 * pair   n of them
 * width  of cardan__solids_width
 * tol    an overlap of less is none; what is no farther apart at an end touches there [m]
 * list   n; in: 0, or 1 where the step holds the pair, which is then not looked at if it touches
 *        at the node. Changed
 * which  out: the pair, of the model; may be NULL */
double cardan__pairs_between(const cardan_model *model, const double *q, const cardan_xform *X,
                             const double *dq, cardan_data *end, int n, const int *pair,
                             const double *width, double tol, int *list, int *which);
