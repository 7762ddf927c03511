/* SPDX-License-Identifier: Apache-2.0
 * formats/pairing.h - which solids of a robot's file touch, in few words.
 *
 * Formats say for every two shapes whether they touch, and how rough they are together; a spec has
 * (contact all), contacts of one with all, contacts and no-contacts of two. Here the first becomes
 * the second, with few of them. */
#pragma once
#include "formats/xml_spec.h"

/* A frame with one solid. */
typedef struct {
  int frame;
  bool plane;
  const cardan__xml *xml; // where it stands
} cardan__toucher;

typedef struct {
  int n;
  const cardan__toucher *item;
  const void *of; // the reader's
  /* Do two of them touch, and (surface, which is all 0) how? Two of one body, and two planes, are
   * not requested. */
  bool (*want)(const void *of, int a, int b, cardan_surface *surface);
  bool joined_never; // nor are those of bodies that a joint joins
} cardan__pairing;

/* Most solids of one file that pairs are made of. */
enum { CARDAN__PAIRING_MOST = 1400 };

/* Contacts into the spec, whose frames and elements are all there.
 * returns how many pairs touch; -1 after a failure of memory, which marks the spec */
int cardan__pair_up(cardan_spec *spec, const cardan__pairing *pairs);
