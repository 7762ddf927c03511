// SPDX-License-Identifier: Apache-2.0
// Motions in steps too long for them: where the equations of a step have several roots
// (hard_roots), and where the branch of roots that continues the motion ends (hard_folds).
#include "hard.h"

/* Links in the x-z plane, hinges about y, hanging from the origin: n = a[0] of length a[1] and mass
 * a[2], the next each a[3] times as long; the first at a[4], the others at a[5] to the last. */
static void write_links(hard_page *p, const double *a)
{
  const int n = (int)a[0];
  double length = a[1];
  hard_put(p, "  (gravity 0 0 -9.81)\n");
  for (int i = 1; i <= n; i++, length *= a[3]) {
    const double I = a[2] * length * length / 12;
    hard_put(p, "  (ry \"q%d\" (tz %.17g (mass %.17g %.17g %.17g 0.01)) (tz %.17g\n", i,
             -length / 2, a[2], I, I, -length);
  }
  for (int i = 1; i <= n; i++) {
    hard_put(p, "))");
  }
  hard_put(p, "\n  (initial (\"q1\" %.17g)", a[4]);
  for (int i = 2; i <= n; i++) {
    hard_put(p, " (\"q%d\" %.17g)", i, a[5]);
  }
  hard_put(p, ")\n");
}

const hard_case hard_roots[] = {
    {"chain:10", .dt = 0.078, .time = 2.34, .reference = HARD_ENERGY},
    {"chain:10/0.09", .dt = 0.09, .time = 9, .reference = HARD_ENERGY},
    {"chain:10/0.1", .dt = 0.1, .time = 10, .reference = HARD_ENERGY},
    {"chain-planar:10", .dt = 0.03, .time = 5.25, .reference = HARD_ENERGY},
    {"chain-planar:6", .dt = 0.06, .time = 6, .reference = HARD_ENERGY},
    {"scissor:5", .dt = 0.05012, .time = 5.012, .reference = HARD_ENERGY},
    {"double-pendulum", .dt = 0.1359, .time = 9.9207, .reference = HARD_ENERGY},
    {"biped", .dt = 0.01053, .time = 5.265, .reference = HARD_ENERGY, .options = "--order 4"},
    {"lee-chain:10", .dt = 0.02, .time = 4, .reference = HARD_ENERGY},
    {"spherical-chain:8", .dt = 0.02, .time = 4, .reference = HARD_ENERGY},
    {"pendulum:5", .dt = 0.06, .time = 6, .reference = HARD_ENERGY},
    {"links-2", write_links, {2, 1, 1, 0.5, 2.5, 0.5}, 0.08, 8, .reference = HARD_ENERGY},
    {"links-3", write_links, {3, 0.6, 2, 0.8, 2, 1}, 0.06, 6, .reference = HARD_ENERGY},
    {"links-5", write_links, {5, 0.3, 1, 1.2, 1.8, 0.4}, 0.05, 5, .reference = HARD_ENERGY},
};
const int hard_nroots = sizeof hard_roots / sizeof *hard_roots;

const hard_case hard_folds[] = {
    {"scissor:8", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"scissor:10", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"scissor:12", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"scissor:15", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"scissor:20", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"scissor:30", .dt = 0.01, .time = 5, .reference = HARD_ENERGY},
    {"chain:10/0.15", .dt = 0.15, .time = 6, .reference = HARD_ENERGY},
    {"chain:10/0.2", .dt = 0.2, .time = 6, .reference = HARD_ENERGY},
    {"chain:30", .dt = 0.04, .time = 4, .reference = HARD_ENERGY},
    {"lee-chain:10/0.08", .dt = 0.08, .time = 4, .reference = HARD_ENERGY},
    {"spherical-chain:8/0.08", .dt = 0.08, .time = 4, .reference = HARD_ENERGY},
    {"scissor:8/adapt", .dt = 0.01, .time = 5, .reference = HARD_ENERGY, .options = "--adapt 1e-3"},
    {"scissor:12/adapt", .dt = 0.01, .time = 5, .reference = HARD_ENERGY,
     .options = "--adapt 1e-3"},
    {"scissor:15/adapt", .dt = 0.01, .time = 5, .reference = HARD_ENERGY,
     .options = "--adapt 1e-3"},
    {"scissor:30/adapt", .dt = 0.01, .time = 5, .reference = HARD_ENERGY,
     .options = "--adapt 1e-3"},
    {"chain:10/0.2-adapt", .dt = 0.2, .time = 6, .reference = HARD_ENERGY,
     .options = "--adapt 1e-3"},
    {"lee-chain:10/0.08-adapt", .dt = 0.08, .time = 4, .reference = HARD_ENERGY,
     .options = "--adapt 1e-3"},
};
const int hard_nfolds = sizeof hard_folds / sizeof *hard_folds;
