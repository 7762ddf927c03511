// SPDX-License-Identifier: Apache-2.0
#include "reproduce/lee.h"

/* Lee, Liu, Park, Srinivasa: texts of the items, and errata. */

static const cardan__item items[] = {
    {.name = "fig-2b",
     .title = "Fig. 2b: energy of a chain of 10 bodies",
     .claimed =
         "A passive chain of ten bodies on hinges under gravity is simulated in steps of 1 ms. The "
         "variational integrator (RIQN) does not lose energy, semi-implicit Euler does.",
     .run = "lee-chain:10 (links of 1.5 m and 1 kg, all hinges parallel, random angles and rates), "
            "1,000,000 frames of 1 ms; --quick: 100,000. RIQN is method vi with solver riqn, "
            "semi-implicit Euler is method aba with integrator semi-implicit. The energy is "
            "looked at in every tenth frame; curves are drawn by the least and the largest of "
            "each stretch.",
     .make = cardan__lee_energy,
     .seconds = {8, 0.8}},
    {.name = "fig-3",
     .title = "Fig. 3: time for 10,000 frames against degrees of freedom",
     .claimed =
         "Two ways to evaluate the discrete Euler-Lagrange equation, SVI in O(n^2) and DRNEA in "
         "O(n), each with three root finders: Newton, Broyden, RIQN. DRNEA + RIQN is the fastest. "
         "With the same root finder DRNEA is 15 times faster than SVI at 10 DOFs and 32 times at "
         "100; with DRNEA, RIQN is 3.8 times faster at 10 DOFs and 53 times at 100.",
     .run = "lee-chain:N, N = 5 to 100, steps of 1 ms, tolerance 1e-10. SVI is method svi with "
            "eval tree (the published recursion, derivatives cached), DRNEA is method vi; Newton "
            "is the paper's Algorithm 4 and a dense solution. Two curves are not in the paper: "
            "exact Newton in O(n), and SVI with nothing cached. Processor time of the first 1,000 "
            "frames (at N = 100 50 for SVI + Newton, 3 for SVI with nothing cached), each piece "
            "at its best of 3 runs, scaled to 10,000; --quick: N = 10, 30, 100, 200 frames, 2 "
            "runs. The iteration starts from IG3, semi-implicit Euler; the ratios are also given "
            "from IG1, the current configuration.",
     .make = cardan__lee_speed,
     .seconds = {60, 8}},
    {.name = "fig-4a",
     .title = "Fig. 4a: convergence in one step, from the zero configuration",
     .claimed = "The residual of one step, iteration by iteration, started from q = 0: Newton's "
                "method converges quadratically, RIQN more slowly.",
     .run = "One step of 1 ms of lee-chain:10 with its angles scaled to within 0.05, 0.2 and pi/2 "
            "rad, from q = 0, and from the current configuration (IG1); at most 20 evaluations, no "
            "joint "
            "moved by more than 1 rad in an iteration. "
            "The residual of each joint is relative to the momenta in play; the largest is drawn. "
            "Beyond the paper: one step of a free plate (tumbler) that turns by 0.01 to 0.5 rad in "
            "it; chain:10 at dt from 1 to 78 ms over 10 s; the humanoid thrown at 25 to 400 m/s, "
            "200 steps of 1 ms, all with the default guess. --quick is the same.",
     .make = cardan__lee_convergence,
     .seconds = {0.3, 0.3}},
    {.name = "fig-4b",
     .title = "Fig. 4b: iterations over the frames",
     .claimed =
         "Iterations of the root finder in each frame: Newton's method 4 with a deviation of "
         "0, RIQN 5.69 with a deviation of 1.16.",
     .run = "lee-chain:10, 10,000 frames of 1 ms, started from the current configuration (IG1), "
            "tolerance 1e-10; evaluations of the residual are counted. The same for 50 links and "
            "1,000 frames. Then what the counts depend on: all three guesses of the paper, three "
            "tolerances, 10 and 50 links (2,000 frames); inertias of 1, 0.195 (a bar's own) and "
            "0.05 kg m^2; 20 other random starts. --quick: 500 frames for the first table, 6 "
            "starts of 2,000 frames.",
     .make = cardan__lee_iterations,
     .seconds = {9, 3}},
};

static const cardan__erratum errata[] = {
    {"(16b), (16c)", "D2 Ld = -Ad^T dlog^T G V + .., D1 Ld = dlog^T G V + ..",
     "both with the opposite sign",
     "Differentiate (9): Ld grows with the displacement, so D1 Ld, by its start, is -dlog^T G V. "
     "In (16a) the sign does not matter; in (17) as printed a force would push backwards. (20) to "
     "(22) have the right signs. Gradients of the discrete action: test_drnea."},
    {"(21a), Algorithm 2 line 8", "no gravity", "+ dt T^k* dP(T^k), which is -dt G (0; R^T g)",
     "The two halves in (16b) and (16c) do not appear in (21a). Without them a chain would float; "
     "the residual with them is the gradient of the action to 4e-15 (test_drnea)."},
    {"(16b), (16c)", "T^k* P(T^k)", "T^k* dP(T^k)", "An impulse is the potential's derivative."},
    {"(3) against (22), (25)", "one f", "f of (22) is minus f of (3)",
     "By (17) and (20), S^T F - Q is minus D2 Ld + D1 Ld. (25) subtracts dt M^-1 e, right for the "
     "e "
     "of (22), which grows with q^(k+1); with that of (3) RIQN would diverge."},
    {"(23) to (25)", "M(q^k_(l)); ABI with zero velocity",
     "M(q^k); ABI with zero velocity and zero gravity",
     "The matrix of the node, as in Algorithm 3; an ABI call with gravity adds dt^2 times the "
     "acceleration of falling in every iteration, and the residual is no longer zero at its end."},
    {"Algorithm 4 line 8", "derivative of dlog^T: no formula",
     "K = (dlog^T G dlog + D dlog) / dt, D of docs/methods/variational.md",
     "K - K^T = -abar(mu), and columns agree with differences to 7e-14 (test_drnea). To leave the "
     "term out is worse than RIQN: it contracts by 6e-2 at 0.01 rad in a step, RIQN by 1e-2."},
    {"section 3.1", "V_i = S_i qdot_i", "V_i = Ad^-1 V_parent + S_i qdot_i",
     "A body on a resting joint moves with its parent."},
    {"below (18)", "T_(l,i)^k is a function of q_i^(k+1)", "of q_i^k", "Its index says k."},
    {"section 2, Algorithm 2", "start from two configurations",
     "from (q0, v0): m_i^- = G_i V_i(0), half a step of forces",
     "No start from a state is given; q1 = q0 + dt v0 makes the method one of order 1 "
     "(test_vi_orders)."},
    {"section 1", "symplectic (energy-conserving)", "symplectic: the energy error is bounded",
     "The energy of Fig. 2b varies by a bounded amount, of order dt^2, and is not conserved."},
    {"(10); Algorithms 1 and 3", "dT^k = T^(k-1) T^(k+1); ||f < eps||",
     "dT^k = (T^k)^-1 T^(k+1); ||f|| < eps",
     "The displacement from t_k to t_(k+1), as the text says and (19) uses. Typographical, and "
     "perhaps "
     "of the copy that was read here, which is text made from the PDF."},
};

const cardan__paper cardan__lee = {
    .name = "lee",
    .authors = "Jeongseok Lee, C. Karen Liu, Frank C. Park, Siddhartha S. Srinivasa",
    .title = "A Linear-Time Variational Integrator for Multibody Systems",
    .published = "Algorithmic Foundations of Robotics XII (WAFR 2016), Springer 2020, pp. 352-367",
    .about =
        "A variational integrator finds each step as the root of the discrete Euler-Lagrange "
        "equation. The paper evaluates that equation by one sweep out and one in over the tree "
        "(DRNEA, discrete recursive Newton-Euler), and replaces the inverse Jacobian of Newton's "
        "method by an impulse response of the articulated bodies (RIQN, recursive impulse-based "
        "quasi-Newton): both in time linear in the degrees of freedom n, where the scalable "
        "variational integrator of Johnson and Murphey (SVI) takes O(n^2) and Newton's method "
        "O(n^3). Cardan's method vi has DRNEA, RIQN, and an exact Newton direction in O(n).",
    .item = items,
    .nitem = sizeof items / sizeof items[0],
    .erratum = errata,
    .nerratum = sizeof errata / sizeof errata[0]};
