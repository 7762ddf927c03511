/* SPDX-License-Identifier: Apache-2.0
 * cardan/page.h - HTML pages of runs: 3-D motion, plots and summaries in one file.
 *
 *   cardan_film        samples of one run for a page or a picture, in bounded memory
 *   cardan_page_write  one self-contained file: no network, opens from disk
 *   cardan_page_json   the data of such a page alone, for a page that is already open
 *
 * Names, model texts and messages are put into pages as text and cannot act as markup or script.
 * A film belongs to one thread at a time. These calls allocate; call them between steps. */
#pragma once
#include <stdint.h>

#include "cardan/contact.h"
#include "cardan/modes.h"
#include "cardan/run.h"
#include "cardan/sim.h"
#include "cardan/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_film cardan_film;

/* Creates an empty film. *out is NULL on failure.
 * column  ncolumn names of a table of motion: t, then q.NAME and v.NAME of all coordinates and
 *         velocities of the model, then any others
 * budget  approximate size on a page [bytes]; 0: CARDAN_FILM_BUDGET
 * The model must outlive it. With more than 2500 columns velocities are omitted. After the given
 * columns the film has the forces of elements that depend on t, q and v alone, as below. */
enum { CARDAN_FILM_BUDGET = 6000000 };
CARDAN_API cardan_status cardan_film_create(const cardan_model *model, const char *const *column,
                                            int ncolumn, size_t budget,
                                            const cardan_allocator *allocator, cardan_film **out,
                                            cardan_report *report) CARDAN_MUST_USE;
/* Creates a film with the columns of cardan_sim_columns(sim, add). With CARDAN_FILM_FORCES in add
 * also forces, at the samples; NaN where there are none. The bits of the run do not change.
 *   R.JOINT.fx .. fz, f.JOINT  as of CARDAN_ADD_REACTIONS; the first of up to 32 joints
 *   force.NAME                 of a spring, damper, wire or force: > 0 draws its ends together; of
 *                              a torque, actuator, spring or damping on a velocity
 *   force.NAME.fx .. tz        of a wrench; of a bushing, on its second frame; of a closing joint,
 *                              on its second frame (on the first, if the second is in the world)
 * Forces of joints, motions and constraints are those of continuous time without contacts. Forces
 * other than reactions have at most 96 columns, of the first elements of the model. */
enum { CARDAN_FILM_FORCES = 65536 };
CARDAN_API cardan_status cardan_film_of_sim(const cardan_sim *sim, int add, size_t budget,
                                            const cardan_allocator *allocator, cardan_film **out,
                                            cardan_report *report) CARDAN_MUST_USE;
/* A film of the assembled start only, with columns t, q and v: for a model that no method supports.
 * returns also any status of cardan_assemble */
CARDAN_API cardan_status cardan_film_of_start(const cardan_model *model,
                                              const cardan_allocator *allocator, cardan_film **out,
                                              cardan_report *report) CARDAN_MUST_USE;
/* A film of a mode: one period of its oscillation (two seconds if it does not oscillate), with a
 * visible amplitude, loops closed.
 * returns CARDAN_ERR_NO_CONVERGENCE if they cannot be closed, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_film_of_mode(const cardan_modes *modes, int mode,
                                             const cardan_allocator *allocator, cardan_film **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_film_destroy(cardan_film *film); // NULL is fine

/* Appends a row of all columns. Allocates nothing: when the film is full, every second sample is
 * dropped, and for the rows between samples the minimum and maximum of each column are kept. */
CARDAN_API void cardan_film_append(cardan_film *film, const double *row);
/* Sink for cardan_run that appends rows and their contacts; for films of cardan_film_of_sim. */
CARDAN_API cardan_sink cardan_film_sink(cardan_film *film);

/* A closed contact. */
enum { CARDAN_FILM_CONTACTS = 1024 }; // most that are kept of one row
typedef struct {
  cardan_vec3 x, force; // on A of its pair; world axes [m, N]
  int contact;          // index into model->contact
  cardan_touch_state state;
} cardan_film_contact;

/* The contacts of the last row. returns their number */
CARDAN_API int cardan_film_last_contacts(const cardan_film *film,
                                         const cardan_film_contact **place);

/* Contents: columns with their names, samples in order of time, including the last row. */
CARDAN_API const char *cardan_film_column(const cardan_film *film, int k);
CARDAN_API int cardan_film_find(const cardan_film *film, const char *name); // -1: no such column
CARDAN_API int cardan_film_sample_count(const cardan_film *film);
CARDAN_API const double *cardan_film_sample(const cardan_film *film, int i); // all columns
CARDAN_API int64_t cardan_film_row_count(const cardan_film *film);           // that were appended

/* Minima and maxima between samples, in order of time: the number of entries, and for entry i the
 * time of its first row and the values of all columns. NaN is ignored. */
CARDAN_API int cardan_film_extreme_count(const cardan_film *film);
CARDAN_API void cardan_film_extreme(const cardan_film *film, int i, double *t, const double **min,
                                    const double **max);

/* One run of a page. Strings may be NULL. */
typedef struct {
  const char *label; // "vi", "aba/rk4"
  const cardan_film *film;
  const cardan_options *options;
  cardan_stats stats;
  double wall_seconds;  // of the stepping alone; < 0: not known
  const char *note;     // what the start had to change
  const char *warning;  // what the checks of the motion found
  const char *error;    // why the run ended before its time
  cardan_status status; // the same as a status; CARDAN_OK: it did not, or it is not known
} cardan_page_run;

/* Contents of a page. Everything belongs to the caller. */
typedef struct {
  const char *source; // the model as the user named it: "pendulum:5", "arm.mbs"
  const char *text;   // the model text, length bytes
  size_t length;
  const cardan_model *model;     // NULL if the text has an error
  const cardan_report *fault;    // error in the text or in the contents; NULL: none
  const cardan_files *files;     // opens the meshes of shapes; NULL: they are not drawn
  const cardan_setting *setting; // values given for (define ..) constants
  int nsetting;
  const cardan_page_run *run;
  int nrun;
  const char *comparison;    // JSON of cardan_describe_comparison_page, NULL: none
  const cardan_modes *modes; // the runs are films of the first nrun modes; NULL: they are not
} cardan_page;

/* Returns whether the library was built with pages; building them needs Node.js. */
CARDAN_API bool cardan_has_pages(void);

/* Checks, before a long run, whether a page can be written at path; changes nothing there.
 * returns as cardan_page_write */
CARDAN_API cardan_status cardan_page_check(const char *path, cardan_report *report) CARDAN_MUST_USE;

/* Writes the page as FILE.html, whole or not at all; "-" is the standard output.
 * returns CARDAN_ERR_UNSUPPORTED in a library without pages, CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_page_write(const cardan_page *page, const char *path,
                                           const cardan_allocator *allocator,
                                           cardan_report *report) CARDAN_MUST_USE;

/* The page, or only its data, as a text; free it with cardan_free_text. live: the address that an
 * open page polls for updates, NULL: none */
CARDAN_API cardan_status cardan_page_html(const cardan_page *page, const char *live,
                                          const cardan_allocator *allocator, char **text,
                                          size_t *length, cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_page_json(const cardan_page *page,
                                          const cardan_allocator *allocator, char **text,
                                          size_t *length, cardan_report *report) CARDAN_MUST_USE;

/* A page with the caller's data, as a text; free it with cardan_free_text. `cardan reproduce`
 * writes its pages with it.
 * json     an object of a kind that the viewer supports (viewer/src/data.ts), json_length bytes, in
 *          which no '<' opens a tag
 * returns  CARDAN_ERR_UNSUPPORTED in a library without pages, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_page_from_json(const char *json, size_t json_length,
                                               const cardan_allocator *allocator, char **text,
                                               size_t *length,
                                               cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
