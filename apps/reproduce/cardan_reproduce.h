/* SPDX-License-Identifier: Apache-2.0
 * reproduce/cardan_reproduce.h - the figures and tables of the five papers whose methods these
 * are, computed here, with the papers' numbers beside ours.
 *
 *   cardan_reproduce   runs them, and writes pages, tables and pictures into a folder
 *
 * Timings among them are of this machine: ratios within one run are what counts. */
#pragma once
#include "cardan/base.h"

/* The papers, and the items of each, by index; NULL after the last. */
const char *cardan_reproduce_paper(int paper);       // "lee"
const char *cardan_reproduce_item(int paper, int i); // "fig-3"
const char *cardan_reproduce_title(int paper, int i);

/* What an item came to. */
typedef struct {
  const char *paper, *item, *title;
  const char *verdict; // "reproduced", "differs", "cannot be known", or "failed"
  bool holds;          // every number is where it is expected
  bool kept;           // made by an earlier call that was stopped
  double seconds;      // that it took
} cardan_reproduced;

/* What is wanted. Texts belong to the caller; either function may be NULL. */
typedef struct {
  const char *paper;  // a name, or "all"
  const char *item;   // one of the paper's; NULL: all
  const char *folder; // made when it is not there
  bool quick;         // shorter runs, smaller sizes: two minutes for all
  bool anew;          // do not continue a call that was stopped
  void *user;
  /* Several times a second; fraction of everything, 0 to 1. false: stop. */
  bool (*go_on)(void *user, double fraction);
  void (*done)(void *user, const cardan_reproduced *item); // after each item, kept ones too
} cardan_reproduce_options;

/* Runs items and writes into the folder, for each paper whole: PAPER.json (everything), PAPER.csv
 * (every number), PAPER.html (for reading; left out by a library without pages), and
 * reproduction.md (PAPER.md for one paper) with reproduction/PAPER-ITEM.svg. Until all is done,
 * items that are finished are kept in folder/unfinished: a call that is stopped or killed is taken
 * up there by the next one that wants the same.
 * returns CARDAN_ERR_ARGUMENT for an unknown paper or item; CARDAN_ERR_IO, also when another
 *         process works in the folder; CARDAN_ERR_MEMORY; CARDAN_ERR_STOPPED by go_on. An item
 *         that fails is reported through done (verdict "failed"), and the others continue. */
cardan_status cardan_reproduce(const cardan_reproduce_options *options,
                               const cardan_allocator *allocator,
                               cardan_report *report) CARDAN_MUST_USE;
