/* SPDX-License-Identifier: Apache-2.0
 * formats/pieces_cache.h - convex pieces of a mesh from the cache of the model's files, or made and
 * put there.
 *
 * An entry holds everything that its pieces depend on: triangles, factors, what was requested, and
 * the build of the library; and a hash of itself. It is used where all of that is the same to the
 * bit, so a mesh has the same pieces with the cache and without it. */
#pragma once
#include "cardan/spec.h"
#include "formats/mesh_pieces.h"

/* A mesh of fewer triangles is not worth an entry. */
enum { CARDAN__CACHED_FACES = 200 };

/* As cardan__mesh_decompose. files: NULL: without a cache */
cardan_status cardan__mesh_decompose_cached(const cardan_files *files, const cardan__mesh *mesh,
                                            const double factor[3], const cardan__convex *convex,
                                            cardan__arena *arena, cardan__mesh_pieces *pieces,
                                            cardan_report *report) CARDAN_MUST_USE;
