/* SPDX-License-Identifier: Apache-2.0
 * hard.h - mechanisms in hard places, as model texts: at rest, redundant, singular, stepped
 * too far, started oddly, with friction that holds; each with what its
 * motion is judged by.
 *
 *   const hard_case *c = hard_find("bennett-50-80");
 *   char *text = hard_model(c);           a text as load_model and run_load take it
 *   ..
 *   free(text); */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  HARD_REST,      // some joint, or every one, has no momentum
  HARD_ROOTS,     // steps so long that the step equations have several roots
  HARD_REDUNDANT, // rows that follow from one another in every position
  HARD_SINGULAR,  // positions where branches of the motion cross
  HARD_FOLDS,     // steps over which the branch of the motion ends
  HARD_STARTS,    // velocities, poses and drivers that loops have to agree with
  HARD_FRICTION,  // friction that holds, or comes to hold
  HARD_NCLASS
} hard_class;

/* What a motion is judged by, and why that can be trusted. */
typedef enum {
  HARD_PATH,   // one degree of freedom: the curve of its positions, on it the energy (path.h)
  HARD_STILL,  // an equilibrium: nothing moves
  HARD_FREE,   // regular, and everything moves: two families of methods with tight tolerances agree
  HARD_TWIN,   // as HARD_FREE, of a simpler model with the same motion; by common names
  HARD_FORM,   // numbers of a closed form, at the end
  HARD_HELD,   // the same, to the tolerances given at the step given: what friction holds is held
  HARD_ENERGY, // too long a step: the energy keeps within a tenth of the largest kinetic
  HARD_REFUSED, // no such motion: the program reports it
  HARD_NREFERENCE
} hard_reference;

/* A number that the table must hold. */
typedef struct {
  const char *column;
  double value, tol;
} hard_number;

enum { HARD_NPARAM = 12, HARD_NEXPECT = 3 };

typedef struct hard_page hard_page; // a text that grows

typedef struct hard_case {
  const char *name;
  void (*write)(hard_page *page, const double *a); // NULL: name, up to a '/', is a built-in model
  double a[HARD_NPARAM];                           // dimensions, as write wants them
  double dt, time;                                 // of the run that is judged [s]
  hard_reference reference;
  const char *options;              // more words for `cardan run`, or NULL
  const char *twin;                 // HARD_TWIN: name of the other case
  hard_number expect[HARD_NEXPECT]; // HARD_FORM, _HELD: at the end. Others: in the first row
} hard_case;

const char *hard_class_name(hard_class class);

/* The cases of a class. */
const hard_case *hard_cases(hard_class class, int *count);

/* A case by its name; fails the test when there is none. */
const hard_case *hard_find(const char *name);

/* Its model: a text, or the name of a built-in one. To be freed. */
char *hard_model(const hard_case *c);

/* Text at the end of a page, as printf has it. For the files hard_*.c. */
void hard_put(hard_page *page, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The lists, one file each: hard_rest.c .. */
extern const hard_case hard_rest[], hard_roots[], hard_redundant[], hard_singular[], hard_folds[],
    hard_starts[], hard_friction[];
extern const int hard_nrest, hard_nroots, hard_nredundant, hard_nsingular, hard_nfolds,
    hard_nstarts, hard_nfriction;
