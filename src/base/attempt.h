/* SPDX-License-Identifier: Apache-2.0
 * base/attempt.h - the outcome of one attempt of a step. */
#pragma once
#include "cardan/base.h"

/* Why a test refused the end of an attempt that the method itself could solve. The run reacts to
 * each by another attempt from the same node. */
typedef enum {
  CARDAN__ACCEPTED,  // it did not: the attempt is the step, or `status` says what failed
  CARDAN__CROSSED,   // a gap is passed, or a held contact pulls. where: its feature
  CARDAN__TOO_SHORT, // it ends before the event that is being located
  CARDAN__MIDSTEP,   // a gap seems to close and to open again on the way. value: when [s]; the time
                     // of the node: velocities are needed to tell
  CARDAN__MOVED,     // a body moved farther than near pairs were searched for
  CARDAN__SLIPPED,   // static friction is overcome
  CARDAN__RAN,       // the place of a contact ran too far. value: a length of step that may do [s]
  CARDAN__JUMPED,    // and does so however short the step is
  CARDAN__WOKE       // something moves, in a step that was to be one at rest
} cardan__reason;

/* status  CARDAN_OK, or the error of the method; data then are as before the attempt
 * why     not CARDAN__ACCEPTED: refused, status is CARDAN_OK, and data are as before the attempt */
typedef struct {
  cardan_status status;
  cardan__reason why;
  int where;    // a feature; -1: none
  double value; // a time or a length of time [s]
} cardan__attempt;

static inline cardan__attempt cardan__attempt_of(cardan_status status)
{
  return (cardan__attempt){.status = status, .why = CARDAN__ACCEPTED, .where = -1};
}

static inline cardan__attempt cardan__attempt_refused(cardan__reason why, int where, double value)
{
  return (cardan__attempt){.status = CARDAN_OK, .why = why, .where = where, .value = value};
}

/* Is data at the end of the step? */
static inline bool cardan__attempt_accepted(cardan__attempt attempt)
{
  return attempt.status == CARDAN_OK && attempt.why == CARDAN__ACCEPTED;
}
