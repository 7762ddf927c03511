/* SPDX-License-Identifier: Apache-2.0
 * Sims and runs as Python drives them: one caller at a time, in pieces short enough for Ctrl-C,
 * with hooks that are answered in Python, and rows gathered in C. */
#pragma once
#include "cardan/cardan.h"

/* What calls here return beside a cardan_status: another call is under way, of another thread or of
 * a hook's own caller. */
enum { CARDAN_PY_BUSY = 1 };

/* The clock [s], and how long C may run before Python can handle a signal [s]. */
double cardan_py_now(void);
extern const double cardan_py_piece;

/* What answers in Python, cardan/_hooks.py, given the handle of its object. The functions take the
 * interpreter's lock for themselves. returns 0; else an exception is pending */
typedef struct {
  int (*control)(void *handle);
  double (*event)(void *handle, int k); // NaN where one waits
  int (*crossing)(void *handle, int k);
  int (*force)(void *handle);
  int (*look)(void *handle, double fraction);
} cardan_py_answers;

/* For Python's main thread, once: Ctrl-C is heard inside a step, too. */
void cardan_py_hear(void);

/* A sim, and what Python has with it. The memory is Python's, and outlives the sim. */
typedef struct {
  cardan_sim *sim;
  int busy;             // 1 while a call is under way
  const void *owner;    // thread of that call
  int answering;        // answers of Python's that are under way in it
  int forcing;          // 1 while a force of (program ..) is being answered
  const void *thread;   // that a hook is answered in; NULL: none is
  cardan_report report; // of the last call that failed
  cardan_py_answers on;
  void *handle;        // of what answers; NULL: nothing does any more
  int raised;          // 1: a hook raised an exception, which is pending
  int stopping;        // 1: an event was found that ends the run
  int raises;          // 1: Ctrl-C raises an exception, and does not call what someone else chose
  cardan_data *mirror; // NULL, or data of Python's own that follows the node
  cardan_program program;
  /* what a force of (program ..) sees and gives, arrays of Python's own */
  double t, *q, *v, *u, *tau;
  cardan_xform *X_W;
  cardan_twist *V;
  cardan_force *f;
  /* inputs of every step, as control left them, where they are wanted */
  struct cardan_py_table *inputs;
  int pushed; // 1: tau_in or f_in was not 0 in some step
} cardan_py_sim;

/* Locks the sim for one caller, which unlocks it. A lock that the thread itself holds, interrupted
 * before it could unlock, is taken over. Within a force callback the lock is refused: the step or
 * the node's data that needs the force is not complete.
 * returns 0, CARDAN_PY_BUSY */
int cardan_py_take(cardan_py_sim *s);
void cardan_py_give(cardan_py_sim *s);

/* n steps, or fewer where an event stops them. Python's observer (s->on.look) runs about 20 times a
 * second. returns a status of cardan_sim_step, CARDAN_PY_BUSY */
int cardan_py_steps(cardan_py_sim *s, int64_t n);
int cardan_py_step_to(cardan_py_sim *s, double t);

/* Brings velocities and statistics, and t, q, v of the mirror, up to the node; within a hook they
 * are there already. returns 0, CARDAN_ERR_STOPPED where one raised, CARDAN_PY_BUSY */
int cardan_py_node(cardan_py_sim *s);

/* The hooks and the program whose answers are those of s->on, with s as their user.
 * control, nevent  whether there is one, and how many */
cardan_hooks cardan_py_hooks(cardan_py_sim *s, bool control, int nevent, const int *direction);
cardan_program cardan_py_program(cardan_py_sim *s);

/* Rows that grow: n rows of width numbers. */
typedef struct cardan_py_table {
  double *at;
  int64_t n, room;
  int width;
} cardan_py_table;
cardan_py_table *cardan_py_table_create(int width); // NULL: no memory
void cardan_py_table_destroy(cardan_py_table *table);
cardan_sink cardan_py_table_sink(cardan_py_table *table, int add);

/* The state of a run at its end, for its file; state NULL: it has none. free gives it back. */
typedef struct {
  void *state;
  size_t size;
  int64_t step;
} cardan_py_end;
void cardan_py_end_free(cardan_py_end *end);
cardan_sink cardan_py_end_sink(cardan_py_end *end);

/* Rows 0 .. n - 1 of width numbers into a table that is open, or onto a film. */
cardan_status cardan_py_write_rows(cardan_table *table, const double *rows, int64_t n, int width,
                                   cardan_report *report);
void cardan_py_film_rows(cardan_film *film, const double *rows, int64_t n, int width);

/* Calls Python's observer about 20 times a second. */
typedef struct {
  cardan_py_sim *s;
  double next; // when
} cardan_py_looker;
cardan_sink cardan_py_look_sink(cardan_py_looker *looker);

/* cardan_run for one caller. returns its status, CARDAN_PY_BUSY */
int cardan_py_run(cardan_py_sim *s, int64_t steps, const cardan_sink *sinks, int nsink,
                  cardan_run_state *end);

/* A comparison that Python observes: cardan/_compare.py. */
typedef struct {
  int (*begin)(void *handle, int contender, cardan_sim *sim, cardan_sink *sinks, int *nsink);
  int (*look)(void *handle, double fraction);
  void *handle;
  int n, current; // contenders, and the one that runs; -1: the reference
  double next;    // when to call the observer again
  cardan_compare_errors *errors;
} cardan_py_comparing;
cardan_compare_hooks cardan_py_compare_hooks(cardan_py_comparing *comparing);
