/* SPDX-License-Identifier: Apache-2.0
 * cardan/sim.h - run a model in time with one of the methods.
 *
 *   cardan_options o = cardan_options_defaults();      then fields, or cardan_options_set
 *   cardan_sim_create -> [change data's q, v] -> cardan_sim_start -> cardan_sim_step, ..
 *
 * create and start take all memory; step takes none. A sim belongs to one thread at a time; any
 * number of them may share a model. The same model, options and start give the same bits. */
#pragma once
#include <stdint.h>

#include "cardan/contact.h"
#include "cardan/data.h"
#include "cardan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

CARDAN_API cardan_options cardan_options_defaults(void);

/* Sets one option from its name (as on the command line, without dashes) and a text.
 * value NULL (or "yes", as in files) for options without a value. A value that the library does not
 * define must outlive the options; the others are replaced by constants of the library.
 * returns CARDAN_ERR_ARGUMENT and a sentence in report for an unknown option or a wrong value */
CARDAN_API cardan_status cardan_options_set(cardan_options *options, const char *name,
                                            const char *value,
                                            cardan_report *report) CARDAN_MUST_USE;

/* The options by index, for saving; NULL name after the last. value: a text that cardan_options_set
 * reads back, cut to size; "" for a word or a switch that is not set, and for a number
 * that is not and has no initial value in its bounds: do not pass it to cardan_options_set. */
CARDAN_API const char *cardan_option_name(int index);
CARDAN_API void cardan_option_value(const cardan_options *options, int index, char *value,
                                    size_t size);

/* An option with the methods that share its values, for help texts. A name may appear several
 * times, with different values for different methods. */
typedef struct {
  const char *name, *help;
  char takes[160];   // "newton|riqn", "X" for a number, "N" for a whole one, "" for a switch
  char initial[64];  // its default, "" if help has it
  char methods[160]; // methods that have it, separated by commas; "": all
} cardan_option_info;
/* returns false after the last */
CARDAN_API bool cardan_option_at(int index, cardan_option_info *out);

/* Does the method (NULL: the default) have an option of that name?
 * returns CARDAN_ERR_UNSUPPORTED, and in report which methods do and what this one has;
 *         CARDAN_ERR_ARGUMENT for a method or an option that there is not */
CARDAN_API cardan_status cardan_method_has_option(const char *method, const char *name,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Checks that the options' method has all options that are set, with values in range.
 * cardan_sim_create calls it too.
 * returns CARDAN_ERR_UNSUPPORTED for an option or a value that belongs to another method,
 *         CARDAN_ERR_ARGUMENT for a value out of bounds, with a sentence in report */
CARDAN_API cardan_status cardan_options_check(const cardan_options *options,
                                              cardan_report *report) CARDAN_MUST_USE;

/* Warnings about valid options, by index, such as one that no longer has an effect. text: a
 * sentence, cut to size. returns false after the last */
CARDAN_API bool cardan_options_notice(const cardan_options *options, int index, char *text,
                                      size_t size);

/* Resets options that the options' method does not have to their values in cardan_options_defaults.
 * For options that are meant for several methods. */
CARDAN_API void cardan_options_drop_unused(cardan_options *options);

/* Which options of a model apply_model accepts.
 * METHOD       those of the options' method. A method that is set already is kept; where the model
 *              names another one, its options that the kept method lacks are skipped. Otherwise an
 *              option that the model's method lacks is an error
 * ALL_METHODS  those of any method: for options that are meant for several methods, each of which
 *              then keeps its own (cardan_options_drop_unused) */
typedef enum { CARDAN_OPTIONS_OF_METHOD, CARDAN_OPTIONS_OF_ALL_METHODS } cardan_options_scope;

/* Sets the options that the model's file gives in (simulate ..), in the order written.
 * returns CARDAN_ERR_MODEL with the place in the text */
CARDAN_API cardan_status cardan_options_apply_model(cardan_options *options,
                                                    const cardan_model *model,
                                                    cardan_options_scope scope,
                                                    cardan_report *report) CARDAN_MUST_USE;

/* Applies the options keyframe, closing and rank-tol to the model, if they are set and differ from
 * the model's. Call it before the model is shared, and before a data or sim of it is created.
 * returns as cardan_model_set_start, cardan_model_set_rank_tol and cardan_model_set_closing */
CARDAN_API cardan_status cardan_options_prepare(const cardan_options *options, cardan_model *model,
                                                cardan_report *report) CARDAN_MUST_USE;

/* The methods by index; NULL after the last. accepts: CARDAN_OK, or CARDAN_ERR_UNSUPPORTED with the
 * reason; the options are checked as if they named this method. */
CARDAN_API const char *cardan_method_name(int index);
CARDAN_API const char *cardan_method_help(int index);
CARDAN_API cardan_status cardan_method_accepts(int index, const cardan_model *model,
                                               const cardan_options *options,
                                               cardan_report *report) CARDAN_MUST_USE;

/* "vi", "aba/rk4": the method, and the integrator if the method has one; cut to size. */
CARDAN_API void cardan_options_label(const cardan_options *options, char *label, size_t size);

/* The integrators by index, for methods with an option integrator; NULL after the last. */
CARDAN_API const char *cardan_integrator_name(int index);
CARDAN_API int cardan_integrator_order(int index);
CARDAN_API bool cardan_integrator_adaptive(int index);

/* A jump between two checked nodes, which no correct motion has: the energy balance changed by a
 * large part of the kinetic energy, far more than before in this run, or a loop opened. */
typedef struct {
  double from, to;        // [s]
  double energy, kinetic; // change of the balance; the kinetic energy it is compared with [J]
  double violation;       // of the constraints then [m or rad]
} cardan_jump;

/* What makes an estimated error uncertain: bits. cardan_error_doubts says them. */
enum {
  CARDAN_DOUBT_EVENTS = 1,   // impacts, or events of hooks: what they magnify is not seen
  CARDAN_DOUBT_CHAOS = 2,    // two joints or more swing by more than 2.5 rad
  CARDAN_DOUBT_FEW = 4,      // few steps were measured, or make most of it
  CARDAN_DOUBT_ROUNDING = 8, // it is at the level of rounding, whose growth is not seen
  CARDAN_DOUBT_LOST = 16,    // it is as large as the range
  CARDAN_DOUBT_STOPS = 32    // dry friction stops the joint within steps, which makes most of it
};

/* The error that the steps of a run have added up to, of the coordinate that has the largest one:
 * by step doubling at sampled steps, for methods of fixed steps (docs/methods/estimate.md). */
typedef struct {
  int coordinate; // the velocity that it belongs to (cardan_error_coordinate); -1: none is made
  double value;   // at the node [rad or m], at most the range; NaN: none
  double range;   // that the coordinate went through so far [rad or m]
  int samples;    // steps that were measured
  int doubts;     // CARDAN_DOUBT_..
} cardan_error_estimate;

/* Effort and quality since the start. */
typedef struct {
  int64_t steps;
  int64_t evaluations;                  // of the equations of motion
  int64_t accepted, rejected, restarts; // internal steps of adaptive integrators
  int iterations;                       // in the last step: residual or right-hand-side evaluations
  double iterations_mean, iterations_std;
  int iterations_max;
  double energy_initial, energy_final, drift_max; // drift: of the balance where work is done [J]
  double constraint_max;                          // largest violation so far [m or rad]
  int64_t looks;    // nodes that drift and violation are of, the start's among them
  int64_t jumps;    // how many
  cardan_jump jump; // the first; after it the motion is in doubt
  double given;     // energy that cardan_sim_start_from_current added [J]
  int64_t events;   // number of events for which hooks were called
  int64_t parted;   // number of steps that were subdivided (option adapt)
  double part;      // smallest substep [s]
  cardan_contact_stats contact;
  cardan_error_estimate error; // of the coordinates
  /* Of what drift is of: a line through it by least squares, [J/s], and its standard error, inf:
   * too few nodes; peak to peak around that line [J]. NaN: not known */
  double energy_trend, energy_trend_error, energy_band;
} cardan_stats;

typedef struct cardan_sim cardan_sim;

CARDAN_API cardan_status cardan_sim_create(const cardan_model *model, const cardan_options *options,
                                           const cardan_allocator *allocator, cardan_sim **out,
                                           cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sim_destroy(cardan_sim *sim); // NULL is fine

/* The state: t, q, v of the last accepted node, and its kinematics. Before start the caller may
 * change t, q, v and z (and then calls start); between steps the inputs u, tau_in and f_in, which
 * every method holds over the next step. A controller sets its input when the node of a sample is
 * reached. Adaptive integrators, which reuse derivatives from the step before, restart after a
 * change. A pointer from an earlier call shows t and q of the newest node; all other fields are
 * updated only by this call, cardan_sim_row, cardan_sim_stats and cardan_sim_observe. */
CARDAN_API cardan_data *cardan_sim_data(cardan_sim *sim);
CARDAN_API const cardan_options *cardan_sim_options(const cardan_sim *sim);
/* Changes that the start had to make, and the spring that the method does not follow or survive at
 * this dt: a sentence for the user, "" if none. */
CARDAN_API const char *cardan_sim_note(const cardan_sim *sim);

/* Why the motion is in doubt: the first jump of stats, or (after cardan_run) a drift that is a
 * large part of the kinetic energy; a sentence, "" if there is none. Checked at the same nodes as
 * drift and constraint error (cardan_sim_observe). */
CARDAN_API const char *cardan_sim_warning(const cardan_sim *sim);

/* Closes the loops (unless an option prevents it) and prepares the method at the data's state.
 * returns CARDAN_ERR_ASSEMBLY, also with option strict for a start that has a note,
 *         CARDAN_ERR_NOT_POSDEF, .. with a sentence in report */
CARDAN_API cardan_status cardan_sim_start(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* One step of dt. On failure the data is as before the step, and so are rows, energies, momenta and
 * statistics, bit for bit; report says the time, the step, what failed, where, and what to try.
 * Reactions and multipliers of half-implicit and fully-implicit are then those of accelerations at
 * the node, unless a row had them before; poses of baraff are the same to rounding.
 * returns CARDAN_ERR_ARGUMENT before a start, or a loaded snapshot, that succeeded;
 *         CARDAN_ERR_BLEW_UP from a node that was observed and at which the motion had blown up;
 *         what failed */
CARDAN_API cardan_status cardan_sim_step(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* Sets a stop flag, which a signal handler or another thread may set during a step: once it is not
 * 0, a step soon ends with CARDAN_ERR_STOPPED, at the node where it began. The flag belongs to the
 * caller; NULL (the default): none. */
CARDAN_API void cardan_sim_stop(cardan_sim *sim, const volatile int *stop);

/* Takes one step to time t; further steps of dt continue from there. vi, svi and rattle keep the
 * node's momentum, so unequal steps are as accurate as equal ones; half-implicit and fully-implicit
 * lose some energy at each change of the step.
 * returns as cardan_sim_step; CARDAN_ERR_ARGUMENT for a t that is not later than the node */
CARDAN_API cardan_status cardan_sim_step_to(cardan_sim *sim, double t,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Continues from q and v that the caller changed in data, such as by an impulse. Loops are closed
 * as at the start; t, statistics and work are kept, and the added energy counts as work
 * (cardan_stats.given).
 * returns as cardan_sim_start; after a failure the sim is not started */
CARDAN_API cardan_status cardan_sim_start_from_current(cardan_sim *sim,
                                                       cardan_report *report) CARDAN_MUST_USE;

/* Callbacks during a run; every entry may be NULL. A status other than CARDAN_OK ends the step and
 * is returned by it.
 * control   called before every step, with data at its node: may write u, tau_in and f_in, which
 *           are held over the step
 * event     returns value k (0 .. nevent - 1) at a node whose kinematics are computed. A step in
 *           which it changes sign is split at the crossing, to rounding of t. A smooth value that
 *           crosses zero once in a step is found; two crossings of one value in one step are missed
 * direction nevent: -1 from positive to negative only, 1 the other way, 0 both. NULL: both
 * at_event  called at that node, just before the crossing, once for each value that crosses there.
 *           It may change data's q and v and must then call cardan_sim_start_from_current. The step
 *           then continues to its original end. Rows and sinks receive only nodes at the ends of
 *           steps. Effects of callbacks are not rolled back: a step that fails ends at its last
 *           event, and the next step continues from there to the same end */
typedef struct {
  void *user;
  cardan_status (*control)(void *user, cardan_data *data, cardan_report *report);
  int nevent;
  const int *direction;
  double (*event)(void *user, int k, const cardan_data *data);
  cardan_status (*at_event)(void *user, int k, cardan_sim *sim, cardan_report *report);
} cardan_hooks;

/* Sets the hooks of a sim and allocates the memory that events need; NULL removes them. The struct
 * is copied, but the array `direction` is not. Call it between steps, not from within a hook.
 * returns CARDAN_ERR_MEMORY; CARDAN_ERR_ARGUMENT for events without a function */
CARDAN_API cardan_status cardan_sim_hook(cardan_sim *sim, const cardan_hooks *hooks,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Updates velocities, kinematics and statistics to the last node. Drift and constraint error are
 * checked at the nodes where this, cardan_sim_data, cardan_sim_row or cardan_sim_stats is called.
 * returns why the node has no velocity (a singular position); the old velocity is then kept */
CARDAN_API cardan_status cardan_sim_observe(cardan_sim *sim);

CARDAN_API cardan_stats cardan_sim_stats(cardan_sim *sim);

/* Why an estimate is uncertain, in words: "" if it is not; cut to size. */
CARDAN_API void cardan_error_doubts(const cardan_error_estimate *estimate, char *text, size_t size);
/* The name of the coordinate of an estimate: that of the velocity, of a free body's place that of
 * the coordinate, in whose axes its error is. */
CARDAN_API const char *cardan_error_coordinate(const cardan_model *model, int coordinate);
/* The unit of the coordinate that velocity v belongs to: "m" or "rad". */
CARDAN_API const char *cardan_coordinate_unit(const cardan_model *model, int v);

/* Snapshots, to continue a run from: the node, the caller's inputs u, tau_in and f_in,
 * statistics, and what the method keeps from step to step (guesses, old factors, sizes of steps).
 * From a snapshot that was loaded, in this sim or in another one of the same model and options
 * (`every` may differ, and `time` where the integrator has no steps of its own choice; it need not
 * be started), a run continues to the same bits as the one that was saved. Saving changes nothing,
 * but for rkf45, dopri5, adams and bdf, whose history is not ours: they restart at the node,
 * where they were saved and where they are restored. The bytes are for the same library on the same
 * machine.
 * _size     bytes that a snapshot needs
 * _save     state: size bytes, any alignment
 *           returns CARDAN_ERR_ARGUMENT before the start or for too few bytes
 * _load     returns CARDAN_ERR_ARGUMENT and a sentence for bytes that are not a snapshot of this
 *           model with these options, that are of another version or CPU level, truncated or
 *           damaged; the sim is then unchanged */
CARDAN_API size_t cardan_sim_snapshot_size(cardan_sim *sim);
CARDAN_API cardan_status cardan_sim_snapshot_save(cardan_sim *sim, void *state, size_t size,
                                                  cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_sim_snapshot_load(cardan_sim *sim, const void *state, size_t size,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Returns whether saving does not change the run, so that a run that is saved and restored is
 * bitwise that of an uninterrupted run. */
CARDAN_API bool cardan_sim_is_bit_resumable(const cardan_sim *sim);

/* Version and CPU level (cardan_cpu_level) of the library that wrote a snapshot, "" if it is not a
 * snapshot.
 * returns whether it is a snapshot in a format that this library reads */
enum { CARDAN_ORIGIN_SIZE = 16 };
CARDAN_API bool cardan_snapshot_origin(const void *state, size_t size,
                                       char version[CARDAN_ORIGIN_SIZE],
                                       char level[CARDAN_ORIGIN_SIZE]);

/* Relative residual of each evaluation of the root finder in the last step; n out: their number.
 * NULL and 0 if the method has no root finder. */
CARDAN_API const double *cardan_sim_trace(const cardan_sim *sim, int *n);

/* Columns of the table of motion in addition to the usual ones. */
enum {
  CARDAN_ADD_MOMENTUM = 1,
  CARDAN_ADD_REACTIONS = 2,
  CARDAN_ADD_MULTIPLIERS = 4,
  CARDAN_ADD_WORK = 8,
  CARDAN_ADD_ERRORS = 16,   // estimated local errors e.q, e.v, e.p of the last internal step
  CARDAN_ADD_CONTACTS = 32, // contacts with their forces; energy dissipated by impacts and friction
  CARDAN_ADD_TYRES = 64,    // slip and forces of tyres
  CARDAN_ADD_ALL = 127
};
/* Returns whether the total energy may change: by drivers, forces without a potential, friction,
 * constraints that move in time, contacts or stops. Results have CARDAN_ADD_WORK in this case.
 * Forces that a program writes to tau_in and f_in are not considered. */
CARDAN_API bool cardan_sim_does_work(const cardan_sim *sim);
CARDAN_API int cardan_sim_columns(const cardan_sim *sim, int add); // how many
/* Name of column k, such as "q.theta", cut to size. */
CARDAN_API void cardan_sim_column(const cardan_sim *sim, int add, int k, char *name, size_t size);
/* Unit of column k, such as "rad/s", "N m", "kg m^2/s"; "m, rad" for a maximum over lengths and
 * angles. "": none, or not known from the model. */
CARDAN_API const char *cardan_sim_unit(const cardan_sim *sim, int add, int k);
/* Unit of a column by its name, "" for a name that is not a column of the model. O(columns) */
CARDAN_API const char *cardan_column_unit(const cardan_model *model, const char *name);
/* Index of the column with this name, -1 if there is none. O(columns). */
CARDAN_API int cardan_sim_find_column(const cardan_sim *sim, int add, const char *name);
/* Values of all columns: row out, cardan_sim_columns(sim, add) numbers. */
CARDAN_API cardan_status cardan_sim_row(cardan_sim *sim, int add, double *row) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
