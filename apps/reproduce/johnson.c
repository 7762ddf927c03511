// SPDX-License-Identifier: Apache-2.0
#include "reproduce/johnson.h"

/* E. R. Johnson, T. D. Murphey, Scalable variational integrators for constrained mechanical systems
 * in generalized coordinates, IEEE Transactions on Robotics 25(6), 2009. */

#define ODE_NOTE " Without libode-dev when Cardan is built, ODE's curves are left out."

static const cardan__item items[] = {
    {.name = "fig-1",
     .title = "Fig. 1: energy of a pendulum over 5000 s",
     .claimed = "A variational integrator does not conserve the energy of a planar pendulum at "
                "each step of 0.01 s, but keeps its average; the Open Dynamics Engine (ODE), which "
                "integrates forces, slowly loses it.",
     .run = "The built-in model `pendulum` (1 kg, 1 m, from 45 degrees) by method svi, 5000 s at "
            "0.01 s; the same as a body on a hinge in ODE, dWorldStep." ODE_NOTE
            " --quick runs the same.",
     .make = cardan__johnson_fig_1,
     .seconds = {1.2, 1.2}},
    {.name = "fig-7",
     .title = "Fig. 7: runtime with and without caching",
     .claimed = "Keeping what the tree of transforms has computed until the configuration changes "
                "makes the simulation of an N-link pendulum drastically faster, and its time grow "
                "at a slower rate.",
     .run = "`pendulum:N`, method svi with --eval tree --guess current (the published algorithm "
            "from its own guess), with and without --no-cache, and by O(n) recursions; 20 s at "
            "0.01 s, from the cost of the first steps times 2000. Processor time, pieces of 50 us "
            "at their best of several runs. --quick: up to 10 links of 20, fewer steps.",
     .make = cardan__johnson_fig_7,
     .seconds = {2.5, 0.5}},
    {.name = "fig-8",
     .title = "Fig. 8: energy of a closed chain over 120 s",
     .claimed = "Seven links in two closed loops (Fig. 6, Listing 1), 120 s at 0.01 s: the "
                "variational integrator keeps the energy near constant, ODE introduces "
                "significant damping. trep took 22.1 s, ODE 1.86 s.",
     .run = "The built-in model `closed-chain` (Listing 1, parenthesis mended) by method svi; "
            "seven bodies with nine hinges in ODE, dWorldStep, each with an inertia of 1e-3 kg "
            "m^2 in place of a point mass; and by method aba, semi-implicit Euler with Baumgarte "
            "feedback, forces on accelerations with damped springs." ODE_NOTE
            " --quick times fewer runs.",
     .make = cardan__johnson_fig_8,
     .seconds = {1.5, 1}},
    {.name = "fig-11",
     .title = "Fig. 11: scissor lift of five segments, 10 s",
     .claimed = "The variational integrator at 0.01 s (1.74 s of computing) tracks the benchmark, "
                "the same lift as one degree of freedom, almost perfectly. ODE at 0.01, 0.001 and "
                "0.0001 s (0.19, 1.85, 18.47 s) loses the energy, at the smaller steps more "
                "slowly, and has a wrong period in all three.",
     .run = "`scissor:5` by method svi; the corrected Lagrangian by Runge-Kutta of order 4 at 2e-4 "
            "s or less; 11 bodies, 15 hinges and a slider in ODE with three of its settings, each "
            "a default of its own: dWorldStep with the joints' softness of double and of single "
            "precision, and dWorldQuickStep." ODE_NOTE " --quick leaves out 0.0001 s.",
     .make = cardan__johnson_fig_11,
     .seconds = {11, 1.2}},
    {.name = "fig-12",
     .title = "Fig. 12: the same lift after 1000 s",
     .claimed = "After 1000 s there is a slight phase shift from accumulated error, but amplitude, "
                "shape and frequency are still close to the benchmark's.",
     .run = "`scissor:5` by method svi, 1000 s at 0.01 s, beside the benchmark; the last 10 s are "
            "drawn. --quick runs the same.",
     .make = cardan__johnson_fig_12,
     .seconds = {2.5, 2.5}},
    {.name = "fig-13",
     .title = "Fig. 13: runtime at equal error against segments",
     .claimed = "With the step chosen so that the error (47), the integral of the squared "
                "difference to the benchmark, passes 0.1 after 15 s, ODE scales so poorly with the "
                "number of segments that the figure needs a logarithmic axis; the variational "
                "integrator is faster at equal error.",
     .run = "`scissor:N` by method svi and in ODE with three of its settings; the step is halved "
            "and bisected until the time is 15 s to 1 percent." ODE_NOTE
            " --quick: N up to 6 (ours) and 4 (ODE) of 12 and 8.",
     .make = cardan__johnson_fig_13,
     .seconds = {45, 3}},
    {.name = "lift-size",
     .title = "Beyond the paper: how many segments at 0.01 s",
     .claimed = "Nothing: the paper varies the number of segments (Fig. 13) and does not say where "
                "its program ends.",
     .run = "`scissor:N` by methods svi and vi, 120 s at 0.01 s, and 50 segments for 20 s at "
            "0.0005 s. "
            "--quick: 4 and 8 segments, 12 s.",
     .make = cardan__johnson_lift_size,
     .seconds = {15, 0.3}},
};

static const cardan__erratum errata[] = {
    {"(22)", "d2L/dq dq' (1 - alpha) - d2L/dq dq' alpha: the same matrix twice",
     "d2L/dq dq' (1 - alpha) - (d2L/dq dq')^T alpha",
     "D2 of (20): the first term differentiates dL/dq by q', the second dL/dq' by q, and these are "
     "transposes. At alpha = 1/2 they do not cancel; `test_tree` compares with differences."},
    {"(28), (29)", "d2L/dq dq'", "its transpose, (26)^T",
     "d/dt of dL/dq'_i is the sum over j of d2L/dq'_i dq_j q'_j: rows belong to q', (26) has them "
     "for q."},
    {"(3), (8)", "the conditions stand one row off their terms",
     "0 when i is not above or at k; the local term for i = k; else the recursion",
     "With R2 only g_i depends on q_i: for i not above k the derivative is 0, not a recursion."},
    {"(4), (7), (8), (10), Table I", "anc(k) without k", "anc(k) with k",
     "For i = k the rows `i not in anc(k)` would come first (the top-most case wins) and give 0."},
    {"(6), (7)", "g^-1 V g where a derivative is meant: the primes are lost",
     "g^-1' V g + g^-1 V g' in (6), g^-1'' V g + 2 g^-1' V g' + g^-1 V g'' in (7)",
     "The product rule on (5)."},
    {"IV-C.2, second derivative of a spring's length", "-1/2 x^-2", "-1 x^-2",
     "d/dq of x^-1 is -x^-2 dx/dq."},
    {"IV-E, f_d^- and f_d^+", "weights 1/2 and 1/2", "1 - alpha and alpha",
     "The virtual work f . (1 - alpha) dq_k + f . alpha dq_{k+1} of the same quadrature; equal at "
     "alpha = 1/2."},
    {"the root finder, twice in V-A", "while |f| < tolerance", "while |f| > tolerance",
     "As printed it ends before its first iteration, or never."},
    {"V-A", "q = (1 - alpha) q_k + q_{k+1}", "q = (1 - alpha) q_k + alpha q_{k+1}",
     "(19); the algorithm below it has the alpha."},
    {"VI-C, Lagrangian of the scissor lift", "1/2 sin^2, and I inside m_L L^2 (..)",
     "1/4 sin^2, and I outside",
     "The centre of a bar is at x = L/2 cos theta: its velocity squared has L^2/4 sin^2, twice for "
     "the two bars of a row and a half for 1/2 m v^2. With 1/4 the simulated lift meets the "
     "benchmark with order 2 (`test_lift`), with 1/2 it is off by a radian in 10 s (Fig. 11)."},
    {"VI-C, Fig. 10", "caption: no rotational inertia; text: rotational inertia I",
     "one of the two", "They contradict one another; I = 1/12 m L^2 is used here."},
    {"Listing 1", "(tx -1.5 is never closed", "one more ) after the frame O",
     "As printed the arm at A would be attached to the arm at K, and one ) is missing at the end."},
    {"Table II", "(MASS $string); a direction without parentheses", "numbers; (1 0 0)",
     "Listing 1 and the text have numbers, and the direction in parentheses."},
    {"IV-A, point masses", "L = q'^T M q + V", "L = 1/2 q'^T M q' - V", "Kinetic less potential."},
    {"VI-C.1", "ODE has linear dynamics", "its iterated solver has",
     "dWorldStep factors the matrix of all joint rows, a cube of their number; dWorldQuickStep "
     "is linear in them for a fixed number of sweeps."},
};

const cardan__paper cardan__johnson = {
    .name = "johnson",
    .authors = "E. Johnson, T. Murphey",
    .title = "Scalable variational integrators for constrained mechanical systems in generalized "
             "coordinates",
    .published = "IEEE Transactions on Robotics 25(6), 2009",
    .about =
        "A mechanism is a tree of simple transforms, each with one coordinate. From it come "
        "positions, velocities and all their derivatives by recursion, kept until the "
        "configuration changes, and with them the discrete Euler-Lagrange equations of any "
        "mechanism in generalized coordinates: a variational integrator (midpoint rule), loops "
        "closed by constraints that hold at every step. The paper claims for it, and for the "
        "program trep, energy and constraints that do not drift where the Open Dynamics Engine "
        "(ODE) loses energy, and times that scale. Method svi is that integrator; --eval tree "
        "is the published way to its equations.",
    .item = items,
    .nitem = sizeof items / sizeof items[0],
    .erratum = errata,
    .nerratum = sizeof errata / sizeof errata[0],
};
