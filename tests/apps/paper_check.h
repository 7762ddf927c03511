/* SPDX-License-Identifier: Apache-2.0
 * paper_check.h - runs every item of a paper in its short form and checks its outcome.
 *
 * CARDAN_ITEM=fig-3 runs that item only, CARDAN_WHOLE=1 the long way; `ctest -V` shows the numbers
 * and the words. */
#pragma once
#include "reproduce/paper.h"

/* Runs all items and asserts: the texts are there, every number that does not follow from measured
 * times is within its bounds, each plot has curves with points, each table is whole, and progress
 * grows to at most 1. */
void check_paper(const cardan__paper *paper);

/* An item that is set to stop at its first tick returns CARDAN_ERR_STOPPED, and gives all its
 * memory back. */
void check_paper_stops(const cardan__paper *paper);
