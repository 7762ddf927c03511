/* SPDX-License-Identifier: Apache-2.0
 * cardan/sweep_summary.h - what a sweep shows: statistics, what its results depend on, and a page
 * of it.
 *
 *   cardan_sweep_summary_create -> cardan_sweep_summary_describe   a summary, for people or as JSON
 *                        -> cardan_sweep_summary_write      one self-contained HTML file
 *
 * Statistics and indices are of the cases that ended well; how many did not is always said. What
 * they are and how they are estimated: docs/sweep.md. As for all HDF5 files: one thread of a
 * program at a time. Names, plans and messages are put into pages as text and cannot act as
 * markup. */
#pragma once
#include "cardan/page.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sweep_summary cardan_sweep_summary;

/* Reads FILE.h5 of a sweep, all of it, and computes.
 * path     also as the page and its commands name it
 * returns CARDAN_ERR_IO for a file that cannot be read or is no sweep's, CARDAN_ERR_UNSUPPORTED for
 *         one of more numbers than are held in memory (2^27), CARDAN_ERR_MEMORY; *out is NULL */
CARDAN_API cardan_status cardan_sweep_summary_create(const char *path,
                                                     const cardan_allocator *allocator,
                                                     cardan_sweep_summary **out,
                                                     cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_summary_destroy(cardan_sweep_summary *summary); // NULL is fine

/* JSON keys: cases, failed, doubts, columns [{name, role, cases, mean, sd, min, max, quantiles {5,
 * 25, 50, 75, 95}}], sensitivity {kind: blocks, bins or grid, inputs [], words [], outputs [{name,
 * used, of, first [[value, low, high]], total, rank []}]} or null.
 * returns CARDAN_ERR_MEMORY, *text NULL; else give it back with cardan_free_text */
CARDAN_API cardan_status cardan_sweep_summary_describe(const cardan_sweep_summary *summary,
                                                       bool json, const cardan_allocator *allocator,
                                                       char **text) CARDAN_MUST_USE;

/* The page, or its data alone, and as a file: as those of cardan/page.h. A page has at most 200,000
 * cases and some 24 MB of them, else one of each stretch of equal length; of grids of two axes
 * pictures with all cases, up to 32 MB; and some 12 MB of motions that were kept. It says what it
 * leaves out. */
CARDAN_API cardan_status cardan_sweep_summary_html(cardan_sweep_summary *summary, const char *live,
                                                   const cardan_allocator *allocator, char **text,
                                                   size_t *length,
                                                   cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_sweep_summary_json(cardan_sweep_summary *summary,
                                                   const cardan_allocator *allocator, char **text,
                                                   size_t *length,
                                                   cardan_report *report) CARDAN_MUST_USE;
CARDAN_API cardan_status cardan_sweep_summary_write(cardan_sweep_summary *summary, const char *path,
                                                    const cardan_allocator *allocator,
                                                    cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
