/* SPDX-License-Identifier: Apache-2.0
 * model/data_fields.h - the fields of a cardan_data, each listed once: its layout and copy (data.c)
 * and what a saved state has of it (run/saved_state.c) follow from these lists. A field that is in
 * the struct and not in a list does not compile.
 *
 * The kind of a field:
 *   saved   a part of the state of a run, or set by the caller
 *   made    computed from those; a copy has it, a saved state does not
 *   own     of this data alone: a copy keeps its own
 *   shared  a pointer into another array of the data
 * Structs in it are info (made), rows and bounds, of which the arrays are listed, and the allocator
 * (own). */
#pragma once
#include "model/data.h"
#include "spatial/body_blocks.h"

/* F(field, kind): numbers and pointers, before info, before rows, and behind them. */
#define CARDAN__DATA_HEAD(F) \
  F(model, own)              \
  F(size, own)

#define CARDAN__DATA_NODE(F) \
  F(fresh, own)              \
  F(t, saved)                \
  F(posed, made)             \
  F(z, shared)               \
  F(half_turn, shared)       \
  F(program, made)

#define CARDAN__DATA_TAIL(F) \
  F(dry_friction, own)       \
  F(prediction, own)         \
  F(armature, own)           \
  F(loops, own)              \
  F(slopes, own)             \
  F(block, own)

/* F(field, room, kind): arrays in the order of the layout; m: the model. q comes first. */
#define CARDAN__DATA_ARRAYS(F)                      \
  F(q, m->nq, saved)                                \
  F(v, m->nv, saved)                                \
  F(q_given, m->nq, made)                           \
  F(v_given, m->nv, made)                           \
  F(a, m->nv, made)                                 \
  F(tau_in, m->nv, saved)                           \
  F(f_in, m->nbody, saved)                          \
  F(u, cardan__outside(m), saved)                   \
  F(program_f, m->has_program ? m->nbody : 0, made) \
  F(program_tau, m->has_program ? m->nv : 0, made)  \
  F(tau, m->nv, made)                               \
  F(X, m->nbody, made)                              \
  F(cos_sin, 2 * m->nbody, made)                    \
  F(X_W, m->nbody, made)                            \
  F(V, m->nbody, made)                              \
  F(A0, m->nbody, made)                             \
  F(Ag, m->nbody, made)                             \
  F(A, m->nbody, made)                              \
  F(f_ext, m->nbody, made)                          \
  F(f, m->nbody, made)                              \
  F(g, m->nbody, made)                              \
  F(p, m->nbody, made)                              \
  F(own, cardan__blocks(m->nbody), made)            \
  F(P, m->nbody, made)                              \
  F(T, m->nbody, made)                              \
  F(rest, m->nv, made)                              \
  F(tau_work, m->nv, made)                          \
  F(Ic, m->nbody, made)                             \
  F(Ic_rate, m->nbody, made)                        \
  F(factor, m->nbody, made)                         \
  F(multi, m->nmulti, made)                         \
  F(multi_of, m->nbody, made)

/* Of the rows of constraints and of the one-sided rows. */
#define CARDAN__DATA_ROW_ARRAYS(F)  \
  F(rows.w, m->nrow_body, made)     \
  F(rows.c, m->nrow_dof, made)      \
  F(rows.phi, m->nrow, made)        \
  F(rows.phi_t, m->nrow, made)      \
  F(rows.gamma, m->nrow, made)      \
  F(bounds.w, m->nbound_body, made) \
  F(bounds.c, m->nbound_dof, made)

/* Arrays behind the rows. scratch: work of expressions, and their leaves with two derivatives and
 * gradients. */
#define CARDAN__DATA_MORE_ARRAYS(F)                                        \
  F(lambda, m->nrow, made)                                                 \
  F(friction, m->nforce, made)                                             \
  F(friction_tau, m->nv, made)                                             \
  F(parameter_rate, m->nparameter, made)                                   \
  F(y, m->ny, made)                                                        \
  F(y_work, m->ny + m->nrate + m->nvelocity_row > 0 ? 7 * m->nv : 0, made) \
  F(driver, m->ny > 0 ? m->njoint : 0, made)                               \
  F(scratch, (size_t)m->expr_work + 8 * (size_t)m->max_leaf, made)
