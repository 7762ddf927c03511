// SPDX-License-Identifier: Apache-2.0
// A paper that does not exist, with everything that the page of a paper can show.

const list = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const curve = (label, theirs, x, f) => ({ label, theirs, x, y: x.map(f) });

const frames = {
  name: "", title: "Time for 10,000 frames", x: { label: "degrees of freedom", log: true }, y: { label: "time [s]", log: true }, equal: false,
  curves: [
    ...["SVI, Newton", "DRNEA, Newton", "DRNEA, RIQN"].map((label, k) => curve(label, false, list(9, (i) => 10 ** (0.25 * i)), (x) => 0.02 * x ** (3 - k) + 0.05)),
    ...["SVI, Newton", "DRNEA, Newton", "DRNEA, RIQN"].map((label, k) => curve(label, true, [10, 100], (x) => 0.023 * x ** (3 - k))),
    ...list(6, (k) => curve(`a curve of its own, number ${k + 1}`, false, list(9, (i) => 10 ** (0.25 * i)), (x) => 0.3 * (k + 1) * x ** 0.5)),
  ],
};
const energy = {
  name: "a", title: "Energy of a chain of ten bodies", x: { label: "time [s]", log: false }, y: { label: "energy error [J]", log: false }, equal: false,
  curves: [
    curve("RIQN", false, list(1500, (i) => i / 15), (x, i) => (i > 700 && i < 800 ? null : 3e-6 * Math.sin(3 * x) * Math.exp(-x / 60))),
    curve("semi-implicit Euler", false, list(1500, (i) => i / 15), (x) => 2e-6 * Math.sin(x / 7)),
  ],
};
const convergence = {
  name: "b", title: "Residual of one step", x: { label: "iteration", log: false }, y: { label: "residual", log: true }, equal: false,
  curves: [curve("Newton", false, list(6, (i) => i), (_x, i) => (i === 5 ? 0 : 10 ** -(2 ** i))), curve("read off the figure", true, [0, 2, 4], (x) => 10 ** (-1.6 * x)), curve("nothing", false, [], () => 0)],
};
const sizes = {
  name: "", title: "Iterations against size", x: { label: "N", log: true }, y: { label: "iterations", log: false }, equal: false,
  curves: [curve("double pendulum", false, [2, 4, 8, 16, 32], (_x, i) => 4.2 + 0.3 * i), curve("double pendulum", true, [2, 32], (_x, i) => 4 + i)],
};

const picture = {
  name: "c", title: "A bar that turns", x: { label: "x [m]", log: false }, y: { label: "y [m]", log: false }, equal: true,
  curves: list(4, (k) => ({ label: `t = ${k} s`, theirs: false, x: [0, 3 * Math.cos(k / 2)], y: [0, 3 * Math.sin(k / 2)] })),
};

const claim = (what, unit, theirs, ours, low, high) => ({ what, unit, theirs, ours, low, high, holds: ours !== null && (low === null || ours >= low) && (high === null || ours <= high) });

const item = (name, title, verdict, more) => ({
  name, title, verdict, seconds: 12.3456, plots: [], tables: [], claims: [],
  claimed: "The linear-time variational integrator needs a fifteenth of the time of the scalable one at 10 degrees of freedom, and a thirty-second part at 100.",
  run: "A chain of N links of 1 kg and 1 m under gravity, released level, with step 0.01 s; `cardan run chain:10 --method vi`. The time of a step is the best of five.\n\nThe quick run stops at 30 degrees of freedom.",
  command: `cardan reproduce fixture --item ${name}`,
  words: "The exponents are 1.02 and 2.97 where the paper's lines have 1 and 3; the ratio at 10 degrees of freedom is 13.9 against 15.",
  ...more,
  holds: (more.claims ?? []).every((c) => c.holds),
});

export const paper = {
  version: "0.1.0",
  reproduction: {
    paper: "fixture", authors: "J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa", title: "A Paper That Does Not Exist, on Integrators of Linear Time",
    published: "Nowhere 2016, 1 to 16", quick: true,
    about: "A variational integrator keeps energy over long times but must solve for each step. The paper solves in linear time, by the recursion that gives the residual and by an approximate inverse of the inertia matrix.\n\nIt claims that this is as fast as stepping accelerations.",
    items: [
      item("fig-2b", "Fig. 2b: energy of a chain", "reproduced", { plots: [energy] }),
      item("fig-3", "Fig. 3: time against degrees of freedom", "reproduced", {
        plots: [frames],
        claims: [claim("ratio at 10 degrees of freedom", "", 15, 13.94217, 5, 45), claim("exponent of RIQN", "", null, 1.0234, 0.7, 1.3), claim("time of a frame", "µs", 28.1, 1.93, null, 28.1)],
      }),
      item("fig-4", "Fig. 4: convergence from the zero guess, and iterations of each method over the whole of the motion", "differs", {
        plots: [convergence, sizes, picture],
        words: "The paper starts from another guess (erratum 1). With `--guess zero` ours needs one iteration more.",
        claims: [claim("iterations", "", 5.69, 7.4, 5.5, 6), claim("iterations at most", "", 9, 9, 9, 9), claim("a number that could not be had", "m", 1, null, 0, 1)],
      }),
      item("table-1", "Table 1: runtimes", "cannot be known", {
        tables: [{
          title: "Seconds for 10 s of motion", columns: ["method", "N = 1", "N = 2", "N = 4", "N = 8", "N = 16", "N = 32", "remark"],
          rows: ["trapezoidal rule", "midpoint rule", "Euler"].map((name, k) => [name, ...list(6, (i) => ({ ours: 0.0123456 * (k + 1) * 2 ** i, theirs: i % 2 === 0 ? 1.2 * 2 ** i : null })), k === 1 ? "with the guess of the step before" : ""]),
        }],
      }),
    ],
    errata: [
      { where: "Eq. (14)", printed: "h/2 (D1 L + D2 L)", should: "h/2 D1 L + D2 L", proof: "By parts, D2 L has no factor h: the variation of the velocity is (dq_{k+1} - dq_k) / h, and h cancels (`docs/methods/vi.md`)." },
      { where: "Fig. 4, caption", printed: "the initial guess is q_k", should: "it is the explicit step", proof: "From q_k the first residual is 1e-1 and not the 1e-3 that the figure begins with." },
    ],
  },
};

/** The same with an item that could not be computed, stopped with a figure half done. */
export function broken() {
  const failed = { ...item("fig-5", "Fig. 5: a run that ends early", "failed", { words: "no convergence: the step at 0.3 s has no solution", plots: [sizes] }), holds: false };
  return { ...paper, reproduction: { ...paper.reproduction, items: [...paper.reproduction.items, failed] } };
}

/** The same with texts that would do harm as markup, and with as little data as there can be. */
export function hostile() {
  const text = "</script><img src=x onerror=alert(1)>";
  const plot = { ...sizes, title: text, x: { label: text, log: true }, y: { label: text, log: true }, curves: [curve(text, true, [0, -1, null], () => 0), curve(text, false, [], () => 0)] };
  const bare = { ...item(text, text, "differs", { words: text, plots: [plot], tables: [{ title: text, columns: [text], rows: [[text]] }], claims: [claim(text, text, null, null, null, null)] }), claimed: text, run: text, command: text, seconds: null };
  const r = { ...paper.reproduction, quick: false, title: text, authors: text, published: text, about: "", items: [bare], errata: [{ where: text, printed: text, should: text, proof: text }] };
  return { version: "0.1.0", reproduction: r };
}
