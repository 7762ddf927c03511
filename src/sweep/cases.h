/* SPDX-License-Identifier: Apache-2.0
 * sweep/cases.h - a case of a sweep, from its number to what is kept of it.
 *
 * A case is what `cardan run MODEL --set .. --init .. --OPTION ..` with its values does, to the
 * same bits. A worker keeps a model and a sim from case to case where the next one can use them. */
#pragma once
#include "cardan/output.h"
#include "sweep/plan.h"

/* A sweep: a model's text with options, settings, start values and inputs, and a plan over them.
 * Constant once made; shared by workers. */
struct cardan_sweep {
  cardan_allocator alloc;
  cardan_record base; // all of it the sweep's own copy
  char *plan_text;
  size_t plan_length;
  cardan__plan *plan;
};

/* How a case ended. */
typedef struct {
  int64_t number;
  cardan_status status;
  char message[512]; // "" or why it failed
  double *value;     // ncollect; of a case that failed: up to where it came, else NaN
} cardan__case;

typedef struct cardan__worker cardan__worker;

/* For one thread. returns CARDAN_ERR_MEMORY, or what is wrong with the sweep whatever the case */
cardan_status cardan__worker_create(const cardan_sweep *sweep, cardan__worker **out,
                                    cardan_report *report) CARDAN_MUST_USE;
void cardan__worker_destroy(cardan__worker *worker); // NULL is fine

/* Runs cases first .. first + n - 1: out, n of them with room for their values. A case's failure is
 * in out; the call's own means that no case of it counts. The results do not depend on n, or on
 * what the worker did before.
 * seconds  that one may take by the clock, 0: any: after them it has status CARDAN_ERR_STOPPED
 * stop     looked at after each step, may be NULL: when it is set, the call returns
 *          CARDAN_ERR_STOPPED
 * returns CARDAN_ERR_MEMORY too */
cardan_status cardan__worker_run(cardan__worker *worker, int64_t first, int n, double seconds,
                                 const volatile int *stop, cardan__case *out,
                                 cardan_report *report) CARDAN_MUST_USE;

/* The same for one case with its motion: sinks as of cardan_run. */
cardan_status cardan__worker_motion(cardan__worker *worker, int64_t number,
                                    const cardan_sink *sinks, int nsink, cardan__case *out,
                                    cardan_report *report) CARDAN_MUST_USE;
