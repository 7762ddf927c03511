/* SPDX-License-Identifier: Apache-2.0
 * cardan/lazy_library.h - a shared library that is loaded when it is first used, not at a program's
 * start.
 *
 * Without it, Cardan would take four times as long to start, since HDF5, cairo, the HTTP server and
 * their dependencies would be loaded (docs/decisions/2026-11-16-speed-start.md). Calls to such a
 * library use a table of pointers. Calls here may be made from any thread. */
#pragma once
#include "cardan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A symbol of the library, and the address of the pointer to set, which is NULL before. */
typedef struct {
  const char *name;
  void *slot;
} cardan_lazy_library_symbol;

/* Loads `library`, a path or a name that the system's loader finds, and sets the n >= 1 slots. The
 * library is never unloaded. If the slots are set already, the call does nothing.
 * returns CARDAN_ERR_IO with the loader's message; no slot is set then */
CARDAN_API CARDAN_MUST_USE cardan_status cardan_lazy_library_load(
    const char *library, const cardan_lazy_library_symbol *symbol, int n, cardan_report *report);

#ifdef __cplusplus
}
#endif
