/* SPDX-License-Identifier: Apache-2.0
 * model/contact_pairs.h - which solids of a spec touch.
 *
 * All of it is found from the spec alone, before the model's block is made. */
#pragma once
#include "model/spec.h"

typedef struct {
  int shape; // of the spec
  int nth;   // of its frame's shapes
  int frame, body;
  int kind; // 0: of a moving body, 1: of the world, 2: a plane
  int rank; // in the order of the text
} cardan__solid_found;

typedef struct {
  int solid[2]; // numbers of solids, the lower first
  int contact;  // of the spec
} cardan__pair_found;

typedef struct cardan__contacts_found {
  int nsolid, npair, cap_pair;
  cardan__solid_found *solid; // by kind, then body, frame and text
  cardan__pair_found *pair;   // by solid[0], then solid[1]
  bool *one_body;             // ncontact of the spec: it names two frames of one body
  void *memory;
} cardan__contacts_found;

/* Bodies of a spec, each known by the frame whose joint carries it, the world by 0; and which of
 * them joints join. */
typedef struct {
  const cardan_spec *spec;
  int *body;        // nframe: of each frame
  bool *massive;    // nframe: of those that carry bodies
  int njoined;      // by joints that close loops, and frames held together
  int (*joined)[2]; // the lower body first, sorted
  void *memory;
} cardan__kin;

/* returns CARDAN_ERR_MEMORY, else CARDAN_OK; goes back by _free, also after a failure */
cardan_status cardan__kin_find(const cardan_spec *spec, const cardan_allocator *allocator,
                               cardan__kin *kin) CARDAN_MUST_USE;
void cardan__kin_free(cardan__kin *kin, const cardan_allocator *allocator);

/* Are the bodies of two frames joined, so that only a contact that names both lets them touch? By
 * joints with nothing massive between them, or in a loop. The world holds bodies and is none. */
bool cardan__kin_joined(const cardan__kin *kin, int f, int g);

/* Most pairs of one model. */
enum { CARDAN__MOST_PAIRS = 1000000 };

/* returns CARDAN_ERR_MEMORY, CARDAN_ERR_MODEL with the place: too many pairs, or two planes. What
 * is found goes back by cardan__contacts_free, also after a failure. */
cardan_status cardan__contacts_find(const cardan_spec *spec, const cardan_allocator *allocator,
                                    cardan__contacts_found *found,
                                    cardan_report *report) CARDAN_MUST_USE;
void cardan__contacts_free(cardan__contacts_found *found, const cardan_allocator *allocator);
