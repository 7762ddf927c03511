/* SPDX-License-Identifier: Apache-2.0
 * cardan/run.h - the time loop: steps of a sim, and sinks for their results.
 *
 *   cardan_sim_create -> cardan_sim_start -> cardan_run(sim, n, sinks, ..)
 *
 * A sink receives rows of the table of motion, or is called after each step, or both. A row is
 * computed once, with the columns that any sink requests, and passed to each sink with that sink's
 * columns. Tables, films and traces have sinks (cardan_table_sink, cardan_film_sink,
 * cardan_trace_sink); a program can write its own, such as a progress bar, a stop button or a
 * measurement. */
#pragma once
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a call of cardan_run. */
typedef struct {
  int64_t step, steps;  // steps taken in this call, and requested
  double t;             // beginning of the last step [s]
  double seconds;       // time of the steps, without rows and sinks
  double now;           // monotonic clock at the end of the last step [s]
  cardan_status status; // of the last step
  cardan_status row;    // of the last row: CARDAN_OK, why the node has none, or of a warning
} cardan_run_state;

/* Receiver of output. Every function may be NULL; any status other than CARDAN_OK ends the run and
 * is returned by cardan_run.
 * add    CARDAN_ADD_..: columns of its rows in addition to the usual ones
 * every  number of steps between rows; 0: as in the sim's options
 * row    called with the row of the start and after every so many steps:
 *        cardan_sim_columns(sim, add) numbers
 * node   called before each row of the sink, with the sim at the node: for data that no row has
 * step   called after each step and its rows; also after a step that failed (at->status), with the
 *        sim still at time at->t */
typedef struct {
  void *user;
  int add, every;
  cardan_status (*row)(void *user, const double *row, cardan_report *report);
  cardan_status (*step)(void *user, cardan_sim *sim, const cardan_run_state *at,
                        cardan_report *report);
  cardan_status (*node)(void *user, cardan_sim *sim, cardan_report *report);
} cardan_sink;

/* Takes so many steps. When none has been taken since cardan_sim_start, the start's row comes
 * first; a further call continues. Drift and constraint error count at the nodes with a row (every
 * so many steps, as the options say, also when no sink asks for one), at some between rows that are
 * more than ten steps apart (every tenth of the first 1000, every hundredth from there on, and
 * where motion has become faster than ever), and at the last one. Memory for the row is taken
 * before the first step, none after it by the loop itself.
 * sinks   nsink of them, called in order;  end  out: how far it came; may be NULL
 * returns CARDAN_ERR_ARGUMENT, and nothing was done, for a sim that is not started, steps or a
 *         sink's every below 0, or bits of add that are no CARDAN_ADD_..;
 *         the first failure of the sim (a step, or a node that has no row) or of a sink. Sinks have
 *         every row up to there, and the sim stands at its last good node;
 *         CARDAN_ERR_BLEW_UP when the energy balance went far beyond the energies in play: the
 *         motion is wrong from cardan_stats.jump.from on, and sinks have the rows before the node
 *         where that was seen;
 *         CARDAN_ERR_JUMP when a loop is open that the method was to hold closed, and with option
 *         strict when the energy balance jumps: sinks have the rows before it, and the sim stands
 *         at the node behind it;
 *         CARDAN_ERR_STRICT, with option strict, for another warning (cardan_sim_warning). A drift
 *         or an estimated error is seen at the end of each call: sinks have all rows then. */
CARDAN_API cardan_status cardan_run(cardan_sim *sim, int64_t steps, const cardan_sink *sinks,
                                    int nsink, cardan_run_state *end,
                                    cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
