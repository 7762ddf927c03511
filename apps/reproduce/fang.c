// SPDX-License-Identifier: Apache-2.0
#include "reproduce/fang.h"

static const cardan__item items[] = {
    {.name = "fig-2",
     .title = "Fig. 2: error against step size",
     .claimed =
         "Position error of bar 2 of a double pendulum (a), velocity error of the slider of a "
         "slider-crank (b) and of link 2 of a four-link mechanism (c) over 8 s, half-implicit "
         "(HI) and fully implicit (FI): \"a slope of 1.0 for both integrators\", first-order "
         "convergence.",
     .run =
         "double-pendulum, slider-crank, four-link by half-implicit and fully-implicit, tol "
         "1e-10, nine steps from 1e-4 to 4e-2 s; the pendulum also by rattle. References: rk4 at "
         "1e-4 s for the pendulum, once with the bars' inertia and once with the slender bars of "
         "the authors' program; closed forms of the slider's and the link's velocity. Errors as "
         "printed, sqrt(sum e^2)/n; as RMS, sqrt(sum e^2/n); at the last sample. Quick: steps "
         "down to 4e-4 s, rk4 at 2e-4 s.",
     .make = cardan__fang_orders,
     .seconds = {10, 3}},
    {.name = "fig-3",
     .title = "Fig. 3: energy of the double pendulum",
     .claimed = "The energy drains over time with the fully implicit method and holds steady with "
                "the half-implicit one, which is symplectic.",
     .run = "double-pendulum, 8 s at 1e-3 s by half-implicit and fully-implicit, and by rattle. "
            "Quick is the same.",
     .make = cardan__fang_energy,
     .seconds = {0.2, 0.2}},
    {.name = "fig-4",
     .title = "Fig. 4: double pendulum, time and iterations",
     .claimed = "For steps of 1e-4, 1e-3 and 1e-2 s the half-implicit method takes less processor "
                "time and fewer Newton iterations than the fully implicit one. The numbers given "
                "as theirs are those of the data that the authors published with their program; "
                "the figure shows them as bars.",
     .run =
         "double-pendulum over 8 s: iterations counted as in the authors' program (start, norm, "
         "tolerances, matrix frozen), the same from x = h v, and those of Cardan's methods; time "
         "of Cardan's methods, the best of six runs of up to 4,000 steps, times the steps of 8 s. "
         "Quick: without 1e-4 s, three runs.",
     .make = cardan__fang_pendulum,
     .seconds = {3, 0.5}},
    {.name = "fig-5",
     .title = "Fig. 5: slider-crank, time and iterations",
     .claimed = "The same for the slider-crank.",
     .run = "slider-crank as in Fig. 4.",
     .make = cardan__fang_slider_crank,
     .seconds = {10, 2}},
    {.name = "fig-6",
     .title = "Fig. 6: four-link mechanism, time and iterations",
     .claimed = "The same for the four-link mechanism.",
     .run = "four-link as in Fig. 4.",
     .make = cardan__fang_four_link,
     .seconds = {10, 2}},
    {.name = "fig-8",
     .title = "Fig. 8: scaling with the number of bars",
     .claimed = "N bars on spherical joints, spinning, N = 1 to 32: the half-implicit method is "
                "consistently faster than the fully implicit one. The numbers given as theirs are "
                "from the authors' data, which begin at N = 2.",
     .run =
         "spherical-chain:N for N = 1 to 32 and on to 1,000, 1e-3 s: the first 50 steps, best of "
         "twelve runs, scaled to the 3,000 steps of the authors. Quick: best of four.",
     .make = cardan__fang_scaling,
     .seconds = {6, 3}},
    {.name = "fig-9",
     .title = "Fig. 9: driving torque with friction",
     .claimed = "The torque that drives the crank, for friction mu = 0, 0.2 and 0.4 of the slider: "
                "larger swings with more friction, and a sudden jump where the slider turns.",
     .run =
         "slider-crank --set mu=0, 0.2, 0.4, half-implicit, 1e-3 s, 2 s: the driver's multiplier. "
         "Quick is the same.",
     .make = cardan__fang_torque,
     .seconds = {0.2, 0.2}},
};

static const cardan__erratum errata[] = {
    {"Eqs. (5a), (7a), (11a)", "M r'' (r with two dots)", "M r",
     "(4a) and (4c) in (3a), times h^2: M (r_n+1 - r_n - h r'_n) + P^T h^2 lambda = h^2 f, so b_n "
     "= "
     "-(M r_n + h M r'_n + h^2 f_n) and the unknown is r_n+1."},
    {"Eq. (10)", "third block row P^T_n+1,r and P^T_n+1,A", "without transposes",
     "It is the derivative of Phi, nc rows, by r and A; (12) has it right."},
    {"Eq. (8)", "right-hand side e with blocks -e", "N dq = -e",
     "Newton's method for e = 0; e is defined with the minus signs in (8) and without them in "
     "(11)."},
    {"Sec. 3.1", "error sqrt(sum e^2) / n", "sqrt(sum e^2 / n)",
     "The printed one is sqrt(h / T) times the RMS: a method of order 1 has slope 1.5 in it "
     "(Fig. 2)."},
    {"Fig. 2(a)", "slope 1.0 for both integrators in the printed measure",
     "1.5 (HI); on its way there (FI)",
     "The reference has slender bars (m L^2/12, double_pendulum_ode.py of the authors' program), "
     "the "
     "methods m (L^2 + w^2)/12: errors level off near 4e-3 m RMS, which flattens the slope to "
     "about 1."},
    {"Figs. 2(b), 2(c)", "the measure of Sec. 3.1", "the error of the last sample",
     "plot_convergence_closed_loop.py of the authors' program takes the last sample; the printed "
     "measure has slope 1.5 (Fig. 2)."},
    {"Figs. 2(b), 2(c)", "convergence order of the integrators", "of a backward difference",
     "All coordinates of a fully driven mechanism follow from Phi(q, t) = 0, so HI and FI have the "
     "exact positions and v_n+1 = (q_n+1 - q_n)/h whatever the forces."},
    {"Sec. 3.4", "reaction of the first step", "twice as large",
     "v_0 is exact where v_n is the mean of the step before: Phi(q_0 + h v_0 + h^2 a) = 0 gives J "
     "a = "
     "gamma/2. The authors' program puts the true one in its place."},
    {"Sec. 3", "the four-link's density is 1.5 g/cm^3", "masses 2, 1, 1 kg and Haug's inertias",
     "The values in four_link.py of the authors' program; "
     "motion is the same, torques and iterations are not."},
};

const cardan__paper cardan__fang = {
    .name = "fang",
    .authors = "Luning Fang, Alexandra Kissel, Ruochun Zhang, Dan Negrut",
    .title = "On the Use of Half-Implicit Numerical Integration in Multibody Dynamics",
    .published = "J. Comput. Nonlinear Dyn. 18 (2023), doi 10.1115/1.4056183",
    .about =
        "Every body has its own position and rotation matrix, joints are constraints, and the "
        "differential-algebraic equations are solved as they are, of index 3: positions at the end "
        "of a step satisfy the constraints, and rotations move along the Lie group. The "
        "half-implicit method takes forces and the constraints' directions at the beginning of the "
        "step, the fully implicit one (backward Euler) at its end. The paper claims that both are "
        "of order 1, that the half-implicit one holds the energy, needs no derivatives of forces "
        "and is faster. In Cardan they are methods half-implicit and fully-implicit; rattle is the "
        "second-order scheme that the paper leaves as future work.",
    .item = items,
    .nitem = sizeof items / sizeof *items,
    .erratum = errata,
    .nerratum = sizeof errata / sizeof *errata,
};
