/* SPDX-License-Identifier: Apache-2.0
 * cardan/sweep_summary.h - statistics and sensitivity indices of a sweep's result, and its page.
 *
 *   cardan_sweep_summary_create -> cardan_sweep_summary_describe   a summary, for people or as JSON
 *                        -> cardan_sweep_summary_write      one self-contained HTML file
 *
 * Statistics and indices are computed from the cases that succeeded; the number of failed cases is
 * always reported. docs/sweep.md has their definitions and estimators. As for all HDF5 files, only
 * one thread of a program at a time may use them. Names, plans and messages are put into pages as
 * text and cannot act as markup. */
#pragma once
#include "cardan/page.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sweep_summary cardan_sweep_summary;

/* Reads all of a sweep's FILE.h5 and computes its summary.
 * path     also shown on the page and in its commands
 * returns CARDAN_ERR_IO for a file that cannot be read or is not of a sweep, CARDAN_ERR_UNSUPPORTED
 *         for a file with more than 2^27 numbers, CARDAN_ERR_MEMORY; *out is then NULL */
CARDAN_API cardan_status cardan_sweep_summary_create(const char *path,
                                                     const cardan_allocator *allocator,
                                                     cardan_sweep_summary **out,
                                                     cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_summary_destroy(cardan_sweep_summary *summary); // NULL is fine

/* JSON keys: cases, failed, doubts, columns [{name, role, cases, mean, sd, min, max, quantiles {5,
 * 25, 50, 75, 95}}], sensitivity {kind: blocks, bins or grid, inputs [], words [], outputs [{name,
 * used, of, first [[value, low, high]], total, rank []}]} or null.
 * Free the text with cardan_free_text.
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_sweep_summary_describe(const cardan_sweep_summary *summary,
                                                       bool json, const cardan_allocator *allocator,
                                                       char **text) CARDAN_MUST_USE;

/* The page, only its data, or the page as a file; as in cardan/page.h. A page has at most 200,000
 * cases (about 24 MB); of more cases it has one of each interval of equal length. For grids of two
 * axes it has pictures of all cases, up to 32 MB. It has about 12 MB of recorded motions. The page
 * says what it omits. */
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
