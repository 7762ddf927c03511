/* SPDX-License-Identifier: Apache-2.0
 * cardan/page.h - runs as pages: the motion in 3-D, plots and facts in one HTML file.
 *
 *   cardan_film        what a page or a picture shows of one run, in bounded memory
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

/* Makes an empty film. *out is NULL on failure.
 * column  ncolumn names of a table of motion: t, then q.NAME and v.NAME of all coordinates and
 *         velocities of the model, then any others
 * budget  about how many bytes of a page it may take; 0: CARDAN_FILM_BUDGET
 * The model must outlive it. When there are more than 2500 columns velocities are left out. Behind
 * those that are given stand the forces of elements that t, q and v tell, as below. */
enum { CARDAN_FILM_BUDGET = 6000000 };
CARDAN_API cardan_status cardan_film_create(const cardan_model *model, const char *const *column,
                                            int ncolumn, size_t budget,
                                            const cardan_allocator *allocator, cardan_film **out,
                                            cardan_report *report) CARDAN_MUST_USE;
/* The same with the columns of cardan_sim_columns(sim, add). With CARDAN_FILM_FORCES in add also
 * forces, at the samples; not a number where there are none. The run is the same to the bit.
 *   R.JOINT.fx .. fz, f.JOINT  as of CARDAN_ADD_REACTIONS; the first of up to 32 joints
 *   force.NAME                 of a spring, damper, wire or force: > 0 draws its ends together; of
 *                              a torque, actuator, spring or damping on a velocity
 *   force.NAME.fx .. tz        of a wrench; of what a bushing does to its second frame; likewise
 *                              forces that close loops (on the first, if the second is the world's)
 * Joints, motions and constraints have those of continuous time, where nothing touches. All but
 * reactions have 96 columns at most, the first ones of the model. */
enum { CARDAN_FILM_FORCES = 65536 };
CARDAN_API cardan_status cardan_film_of_sim(const cardan_sim *sim, int add, size_t budget,
                                            const cardan_allocator *allocator, cardan_film **out,
                                            cardan_report *report) CARDAN_MUST_USE;
/* The start alone, loops closed, in the columns t, q and v: of a model that no method moves.
 * returns as cardan_assemble, too */
CARDAN_API cardan_status cardan_film_of_start(const cardan_model *model,
                                              const cardan_allocator *allocator, cardan_film **out,
                                              cardan_report *report) CARDAN_MUST_USE;
/* A mode as a motion: one turn of its swing (in two seconds, of one that does not swing), enlarged
 * so that it is seen, loops closed.
 * returns CARDAN_ERR_NO_CONVERGENCE where they cannot be, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_film_of_mode(const cardan_modes *modes, int mode,
                                             const cardan_allocator *allocator, cardan_film **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_film_destroy(cardan_film *film); // NULL is fine

/* Appends a row of all columns. Takes no memory: when the film is full, every second sample is
 * dropped, and what lies between samples is kept as smallest and largest value of each column. */
CARDAN_API void cardan_film_append(cardan_film *film, const double *row);
/* Its rows from cardan_run, and where contacts touch at them; for films of cardan_film_of_sim. */
CARDAN_API cardan_sink cardan_film_sink(cardan_film *film);

/* A place where a contact was closed. */
enum { CARDAN_FILM_CONTACTS = 1024 }; // most that are kept of one row
typedef struct {
  cardan_vec3 x, force; // on A of its pair; world axes [m, N]
  int contact;          // index into model->contact
  cardan_touch_state state;
} cardan_film_contact;

/* The contacts of the last row. returns how many */
CARDAN_API int cardan_film_last_contacts(const cardan_film *film,
                                         const cardan_film_contact **place);

/* What is kept: columns with their names, samples in order of time, the last row among them. */
CARDAN_API const char *cardan_film_column(const cardan_film *film, int k);
CARDAN_API int cardan_film_find(const cardan_film *film, const char *name); // -1: no such column
CARDAN_API int cardan_film_sample_count(const cardan_film *film);
CARDAN_API const double *cardan_film_sample(const cardan_film *film, int i); // all columns
CARDAN_API int64_t cardan_film_row_count(const cardan_film *film);           // that were appended

/* Smallest and largest values between samples, in order of time: how many entries, and of entry i
 * the time of its first row and, for all columns, the values. NaN counts in neither. */
CARDAN_API int cardan_film_extreme_count(const cardan_film *film);
CARDAN_API void cardan_film_extreme(const cardan_film *film, int i, double *t, const double **min,
                                    const double **max);

/* One run of a page. Strings may be NULL where there is nothing to say. */
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

/* What a page shows. Everything belongs to the caller. */
typedef struct {
  const char *source; // the model as the user named it: "pendulum:5", "arm.mbs"
  const char *text;   // the model text, length bytes
  size_t length;
  const cardan_model *model;     // NULL when the text has a fault
  const cardan_report *fault;    // of the text, or of what was to be shown; NULL: none
  const cardan_files *files;     // opens the meshes of shapes; NULL: they are not drawn
  const cardan_setting *setting; // values given for (define ..) constants
  int nsetting;
  const cardan_page_run *run;
  int nrun;
  const char *comparison; // JSON of cardan_describe_comparison_page, NULL: none
  const cardan_modes
      *modes; // the runs are films of the first nrun of them, to choose from; NULL: not
} cardan_page;

/* Was the library built with the pages? Without Node.js it is built without them. */
CARDAN_API bool cardan_has_pages(void);

/* Could a page be written at path? For before a long run; nothing changes there.
 * returns as cardan_page_write */
CARDAN_API cardan_status cardan_page_check(const char *path, cardan_report *report) CARDAN_MUST_USE;

/* Writes the page as FILE.html, whole or not at all; "-" is the standard output.
 * returns CARDAN_ERR_UNSUPPORTED in a library without pages, CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_page_write(const cardan_page *page, const char *path,
                                           const cardan_allocator *allocator,
                                           cardan_report *report) CARDAN_MUST_USE;

/* The page, or its data alone, as a text from allocator: give it back with cardan_free_text
 * (cardan/load.h). live: the address that an open page asks for news, NULL: none */
CARDAN_API cardan_status cardan_page_html(const cardan_page *page, const char *live,
                                          const cardan_allocator *allocator, char **text,
                                          size_t *length, cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_page_json(const cardan_page *page,
                                          const cardan_allocator *allocator, char **text,
                                          size_t *length, cardan_report *report) CARDAN_MUST_USE;

/* A page with the caller's data, as a text from allocator: `cardan reproduce` writes its papers so.
 * json     an object of a kind that the viewer knows (viewer/src/data.ts), json_length bytes, in
 *          which no '<' opens a tag
 * returns  CARDAN_ERR_UNSUPPORTED in a library without pages, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_page_from_json(const char *json, size_t json_length,
                                               const cardan_allocator *allocator, char **text,
                                               size_t *length,
                                               cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
