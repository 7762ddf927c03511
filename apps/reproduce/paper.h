/* SPDX-License-Identifier: Apache-2.0
 * reproduce/paper.h - the five papers: what each reports, and the functions that compute it here.
 *
 * One file for each paper (lee.c, johnson.c, ..) defines its cardan__paper with a row for every
 * figure and table; paper.c has the list. A new item is a function and a row. */
#pragma once
#include "reproduce/outcome.h"

/* One item at work. */
typedef struct cardan__job cardan__job;
struct cardan__job {
  bool quick; // the short way: the same numbers from shorter runs, smaller sizes, fewer repeats
  const cardan_allocator *allocator;
  cardan__outcome *out;
  cardan_report *report;
  void *user;
  bool (*go_on)(void *user, double fraction); // NULL: always
};

/* To be called several times a second, between runs or every so many steps; fraction: of the item,
 * 0 to 1. returns CARDAN_ERR_STOPPED when the user wants it to end: the item returns that */
cardan_status cardan__job_tick(cardan__job *job, double fraction) CARDAN_MUST_USE;

typedef struct {
  const char *name;    // "fig-3", "table-1", "fig-4a"
  const char *title;   // "Fig. 3: time for 10,000 frames"
  const char *claimed; // what the paper reports, in our words
  const char *run;     // what is run here: model, method, options, sizes; what --quick shortens
  /* Fills job->out. returns CARDAN_ERR_STOPPED; what a simulation returns, with a sentence */
  cardan_status (*make)(cardan__job *job);
  double seconds[2]; // about how long on a desk machine: whole, quick. For the bar.
} cardan__item;

/* An error found in the paper, with its proof or where that stands. */
typedef struct {
  const char *where, *printed, *should, *proof;
} cardan__erratum;

typedef struct {
  const char *name; // "lee"
  const char *authors, *title, *published;
  const char *about; // a paragraph: what the method is, what the paper claims for it
  const cardan__item *item;
  int nitem;
  const cardan__erratum *erratum;
  int nerratum;
} cardan__paper;

/* In the order of the list; NULL after the last. */
const cardan__paper *cardan__paper_at(int index);

extern const cardan__paper cardan__lee, cardan__johnson, cardan__huang, cardan__fang,
    cardan__naudet;
