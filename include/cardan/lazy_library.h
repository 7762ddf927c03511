/* SPDX-License-Identifier: Apache-2.0
 * cardan/lazy_library.h - a shared library that is loaded when it is first used, not at a program's
 * start.
 *
 * Cardan's own start would be four times as long with HDF5, cairo, an HTTP server and what these
 * bring along (docs/decisions/2026-11-16-speed-start.md). Such a library has a table of pointers,
 * and its calls go through it. From any thread. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A name of the library, and the address of the pointer to what it names, NULL before. */
typedef struct {
  const char *name;
  void *slot;
} cardan_lazy_library_symbol;

/* Loads `library`, a path or a name that the system's loader knows, for as long as the program
 * runs, and sets the n >= 1 slots. A second call finds them set and does nothing.
 * returns CARDAN_ERR_IO and the loader's words; no slot is set then */
CARDAN_API CARDAN_MUST_USE cardan_status cardan_lazy_library_load(
    const char *library, const cardan_lazy_library_symbol *symbol, int n, cardan_report *report);

#ifdef __cplusplus
}
#endif
