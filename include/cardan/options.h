/* SPDX-License-Identifier: Apache-2.0
 * cardan/options.h - the options of a run. cardan/sim.h has the calls that set, list and check
 * them.
 */
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of an option that is a text. */
enum { CARDAN_OPTION_TEXT = 64 };

/* Options of a run. Words are those of the command line; NULL means the default given here. Every
 * method has method, dt, time, begin, every and assemble, and some of the others (cardan_option_at
 * lists them). An option that is set but that the chosen method does not have is an error. An
 * option counts as set if it differs from its value in cardan_options_defaults. */
typedef struct {
  const char *method;        // NULL: "vi"
  const char *integrator;    // NULL: "rk4"
  const char *form;          // hamilton with loops: "augmented" (the default) or "reduced"
  const char *stabilise;     // loops: "none", "baumgarte", "project" (the default)
  const char *error_control; // adaptive: "full" (the default) or "partial", coordinates only
  double kq, kv;             // Baumgarte's gains [1/s^2, 1/s]; kv < 0: 2 sqrt(kq)
  double rtol, atol;         // adaptive integrators
  double dt, time;           // step, and the length of the run [s]
  double begin;              // t at the start [s]
  int every;                 // number of steps between rows of output
  double tol;                // iterations of implicit steps: last change, relative; 0: to round-off
  int max_iter;
  bool assemble;      // close the loops before the start
  const char *solver; // root finder, direct or iterative solver: each method's first is its default
  const char
      *kinetic;      // vi: kinetic energy over a step, "swing" (the default) or "se3", as published
  const char *guess; // vi, svi: "extrapolate" (the default), "current", "euler", "dynamics", "zero"
  const char *start; // vi, svi: from "state" (the default) or "two-point", q0 and q0 moved by dt v0
  int order;         // vi, svi: 2 (the default), 4 or 6
  const char *potentials; // vi: springs and other potentials act at the "middle" of the step (the
                          // default) or at its "nodes", as published
  const char *planar;     // maximal methods: "auto" (the default), plane bodies where it can; "off"
  double alpha;     // svi: quadrature point between two nodes, 0 .. 1; 1/2 (the default): order 2
  const char *eval; // svi: "recursive" (the default), O(n), or "tree", as published
  bool cache;       // svi by the tree: derivatives are kept as long as the state
  double
      closing; // of loops whose data contradict one another: the model's (cardan_model_set_closing)
  double rank_tol; // what counts as redundant: the model's (cardan_model_set_rank_tol)
  bool strict;     // what the start had to change, or a warning, is an error (cardan_run)
  double adapt;    // a step in parts where its energy changes by more of the kinetic one; 0: never
  char keyframe[CARDAN_OPTION_TEXT]; // the model's start (cardan_model_set_start); "": as it is
  const char *contacts; // "on" (the default): contacts, limits and stops hold; "auto": where the
                        // method can, else it warns, and what starts inside the world's solids is
                        // moved out of them (docs/robots.md); "off": they are passed over
  const char *impacts;  // "located": a step is cut where a gap closes; "step": what closes within a
                        // step lands and is struck at its end; "auto" (the default): located while
                        // a step has few events (docs/methods/contact.md); vi and svi
  int max_impacts;      // of a contact in one step; later ones are without restitution (located)
  const char *lanes;    // many copies (rollout.h): "auto" (the default), several at once in vector
                        // registers where supported; "off": one by one
  double max_error;     // estimated error that is warned of [rad or m]; 0: 7 % of the range
  double regularise;    // no effect: accepted with a warning (cardan_options_notice)
} cardan_options;

#ifdef __cplusplus
}
#endif
