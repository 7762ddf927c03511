/* SPDX-License-Identifier: Apache-2.0
 * model/model_fields.h - the fields of a model and of the structs in its arrays, each listed once.
 *
 * From these lists follow the layout of the block (build.c), the copy of a model (copy.c), its
 * fingerprint (fingerprint.c) and the test that changes every field (tests/run/test_fingerprint.c).
 * A field that is in a struct and not in its list does not compile (CARDAN__CHECK_FIELDS).
 *
 * The kind of a field says what the fingerprint and the copy do with it. Part of the identity of a
 * model, since they can change a number of a run:
 *   number     a number or flag
 *   numbers    an array of numbers
 *   spatial    a vector, placement, inertia or mass
 *   count      the length of an array
 *   surface    a cardan_surface
 * Not part of the identity:
 *   label      a text, such as a name: the copy moves the pointer
 *   place      where the text of the model has it
 *   drawn      a number for pictures alone, drawing: several
 *   later      what later calls do with the model, cardan_model_set among them
 *   memory     where the model is stored, and its allocator */
#pragma once
#include "model/build_contact.h"
#include "spatial/body_blocks.h"

/* F(field, kind) of the structs. */
#define CARDAN__BODY_FIELDS(F) \
  F(parent, number)            \
  F(kind, number)              \
  F(flags, number)             \
  F(qadr, number)              \
  F(nq, number)                \
  F(vadr, number)              \
  F(nv, number)                \
  F(joint, number)             \
  F(cos_phi, number)           \
  F(sin_phi, number)           \
  F(cos_alpha, number)         \
  F(sin_alpha, number)         \
  F(psi, number)               \
  F(pitch, number)             \
  F(X, spatial)                \
  F(inertia, spatial)

#define CARDAN__JOINT_FIELDS(F) \
  F(name, label)                \
  F(kind, number)               \
  F(kinematic, number)          \
  F(driven, number)             \
  F(is_transform, number)       \
  F(has_limit, number)          \
  F(limit, numbers)             \
  F(restitution, number)        \
  F(effort, number)             \
  F(first, number)              \
  F(last, number)               \
  F(frame, number)              \
  F(qadr, number)               \
  F(nq, number)                 \
  F(vadr, number)               \
  F(nv, number)                 \
  F(axis, spatial)              \
  F(axis2, spatial)             \
  F(pitch, number)              \
  F(pos, place)

#define CARDAN__FRAME_FIELDS(F) \
  F(name, label)                \
  F(parent, number)             \
  F(body, number)               \
  F(X_BF, spatial)              \
  F(has_mass, number)           \
  F(mass, spatial)              \
  F(shape, drawn)               \
  F(nshape, drawn)              \
  F(color, label)

#define CARDAN__SHAPE_FIELDS(F) \
  F(kind, drawn)                \
  F(size, drawing)              \
  F(file, label)                \
  F(hidden, drawn)

#define CARDAN__CONSTRAINT_FIELDS(F) \
  F(name, label)                     \
  F(kind, number)                    \
  F(row, number)                     \
  F(nrow, number)                    \
  F(frame, numbers)                  \
  F(var, numbers)                    \
  F(grip, number)                    \
  F(pos, place)

#define CARDAN__ROW_FIELDS(F) \
  F(kind, number)             \
  F(constraint, number)       \
  F(frame, numbers)           \
  F(u, spatial)               \
  F(w, spatial)               \
  F(w2, spatial)              \
  F(value, number)            \
  F(coef, numbers)            \
  F(var, numbers)             \
  F(expr, number)             \
  F(badr, number)             \
  F(nb, number)               \
  F(dadr, number)             \
  F(nd, number)               \
  F(length, number)           \
  F(scaled, number)           \
  F(velocity, number)

#define CARDAN__FORCE_FIELDS(F) \
  F(name, label)                \
  F(kind, number)               \
  F(flags, number)              \
  F(frame, numbers)             \
  F(joint, number)              \
  F(var, number)                \
  F(dof, number)                \
  F(input, number)              \
  F(value, numbers)             \
  F(expr, numbers)              \
  F(n, spatial)                 \
  F(state, number)              \
  F(in_world, number)           \
  F(pos, place)

#define CARDAN__POSE_FIELDS(F) \
  F(frame, number)             \
  F(X_WF, spatial)             \
  F(turned, number)            \
  F(moves, number)             \
  F(spins, number)             \
  F(v, spatial)                \
  F(w, spatial)                \
  F(pos, place)

/* What (simulate ..) says counts as options of a run, which a saved state compares by themselves.
 */
#define CARDAN__DEFAULT_FIELDS(F) \
  F(key, label)                   \
  F(value, label)                 \
  F(pos, place)

#define CARDAN__KEYFRAME_FIELDS(F) \
  F(name, label)                   \
  F(pos, place)

#define CARDAN__PRESCRIBED_FIELDS(F) \
  F(body, number)                    \
  F(expr, number)

#define CARDAN__PARAMETER_FIELDS(F) \
  F(name, label)                    \
  F(value, number)                  \
  F(derived, later)                 \
  F(pos, place)                     \
  F(rigid_pos, place)

#define CARDAN__OUTPUT_FIELDS(F) \
  F(name, label)                 \
  F(expr, number)                \
  F(pos, place)                  \
  F(column, label)               \
  F(unit, label)

#define CARDAN__INPUT_FIELDS(F) \
  F(name, label)                \
  F(value, number)              \
  F(has_limit, number)          \
  F(limit, numbers)

#define CARDAN__AUX_STATE_FIELDS(F) \
  F(name, label)                    \
  F(initial, number)                \
  F(every, number)                  \
  F(expr, number)                   \
  F(force, number)                  \
  F(pos, place)

#define CARDAN__CONTROLLER_FIELDS(F) \
  F(input, number)                   \
  F(every, number)                   \
  F(expr, number)                    \
  F(pos, place)

#define CARDAN__TURNING_FIELDS(F) \
  F(name, label)                  \
  F(frame, numbers)               \
  F(axis, spatial)                \
  F(start, number)                \
  F(expr, number)

#define CARDAN__SURFACE_FIELDS(F) \
  F(friction, number)             \
  F(statical, number)             \
  F(restitution, number)          \
  F(rolling, number)              \
  F(spinning, number)             \
  F(has_friction, number)         \
  F(has_statical, number)         \
  F(has_restitution, number)      \
  F(has_rolling, number)          \
  F(has_spinning, number)

#define CARDAN__MATERIAL_FIELDS(F) \
  F(name, label)                   \
  F(surface, surface)              \
  F(pos, place)

#define CARDAN__SOLID_FIELDS(F) \
  F(name, label)                \
  F(frame, number)              \
  F(body, number)               \
  F(shape, drawn)               \
  F(material, number)           \
  F(kind, number)               \
  F(X_BS, spatial)              \
  F(size, numbers)              \
  F(round, number)              \
  F(hull, number)               \
  F(field, number)              \
  F(pieces, drawn)              \
  F(off, drawn)                 \
  F(radius, number)             \
  F(surface, surface)           \
  F(pos, place)

#define CARDAN__HULL_FIELDS(F) \
  F(nvertex, count)            \
  F(nface, count)              \
  F(nedge, count)

#define CARDAN__HEIGHT_FIELD_FIELDS(F) \
  F(rows, count)                       \
  F(columns, count)                    \
  F(nblock, count)                     \
  F(low, number)                       \
  F(high, number)                      \
  F(base, number)

#define CARDAN__CONTACT_FIELDS(F) \
  F(name, label)                  \
  F(surface, surface)             \
  F(pos, place)

#define CARDAN__PAIR_FIELDS(F) \
  F(solid, numbers)            \
  F(contact, number)           \
  F(friction, number)          \
  F(statical, number)          \
  F(restitution, number)       \
  F(rolling, number)           \
  F(spinning, number)

#define CARDAN__BOUND_FIELDS(F) \
  F(name, label)                \
  F(kind, number)               \
  F(row, number)                \
  F(sign, number)               \
  F(restitution, number)        \
  F(pos, place)

#define CARDAN__EXPR_FIELDS(F) \
  F(nleaf, count)              \
  F(pos, place)

#define CARDAN__LEAF_FIELDS(F) \
  F(kind, number)              \
  F(index, number)             \
  F(axis, number)

/* F(field, count, entry) of arrays that structs point to. x: the struct, m: the model; entry: how
 * one entry counts, as a field's kind or the name of a struct. */
#define CARDAN__NO_ARRAYS(F)

#define CARDAN__KEYFRAME_ARRAYS(F) \
  F(q, m->nq, number)              \
  F(v, m->nv, number)              \
  F(u, m->ninput, number)          \
  F(q_given, m->nq, number)        \
  F(v_given, m->nv, number)

#define CARDAN__HULL_ARRAYS(F)                             \
  F(vertex, x->nvertex, number)                            \
  F(normal, x->nface, number)                              \
  F(offset, x->nface, number)                              \
  F(first, x->nface + 1, number)                           \
  F(corner, x->nface > 0 ? x->first[x->nface] : 0, number) \
  F(edge, 2 * x->nedge, number)

#define CARDAN__HEIGHT_FIELD_ARRAYS(F)    \
  F(height, x->rows * x->columns, number) \
  F(top, x->nblock, number)               \
  F(plane, 2 * (x->rows - 1) * (x->columns - 1), number)

/* expr: one block, of which instructions and tables count (fingerprint.c). */
#define CARDAN__EXPR_ARRAYS(F) \
  F(expr, 1, tape)             \
  F(leaf, x->nleaf, leaf)

/* F(struct, type, fields, arrays): all of these structs, those that are fields of others first. */
#define CARDAN__MODEL_STRUCTS(F)                                                          \
  F(surface, cardan_surface, CARDAN__SURFACE_FIELDS, CARDAN__NO_ARRAYS)                   \
  F(leaf, cardan__leaf_ref, CARDAN__LEAF_FIELDS, CARDAN__NO_ARRAYS)                       \
  F(body, cardan_body, CARDAN__BODY_FIELDS, CARDAN__NO_ARRAYS)                            \
  F(joint, cardan_joint, CARDAN__JOINT_FIELDS, CARDAN__NO_ARRAYS)                         \
  F(frame, cardan_frame, CARDAN__FRAME_FIELDS, CARDAN__NO_ARRAYS)                         \
  F(shape, cardan_shape, CARDAN__SHAPE_FIELDS, CARDAN__NO_ARRAYS)                         \
  F(constraint, cardan_constraint, CARDAN__CONSTRAINT_FIELDS, CARDAN__NO_ARRAYS)          \
  F(row, cardan_row, CARDAN__ROW_FIELDS, CARDAN__NO_ARRAYS)                               \
  F(force, cardan_force_element, CARDAN__FORCE_FIELDS, CARDAN__NO_ARRAYS)                 \
  F(pose, cardan_pose, CARDAN__POSE_FIELDS, CARDAN__NO_ARRAYS)                            \
  F(preset, cardan_default, CARDAN__DEFAULT_FIELDS, CARDAN__NO_ARRAYS)                    \
  F(keyframe, cardan_keyframe, CARDAN__KEYFRAME_FIELDS, CARDAN__KEYFRAME_ARRAYS)          \
  F(prescribed, cardan_prescribed, CARDAN__PRESCRIBED_FIELDS, CARDAN__NO_ARRAYS)          \
  F(parameter, cardan_parameter, CARDAN__PARAMETER_FIELDS, CARDAN__NO_ARRAYS)             \
  F(output, cardan_output, CARDAN__OUTPUT_FIELDS, CARDAN__NO_ARRAYS)                      \
  F(input, cardan_input_def, CARDAN__INPUT_FIELDS, CARDAN__NO_ARRAYS)                     \
  F(aux_state, cardan_aux_state, CARDAN__AUX_STATE_FIELDS, CARDAN__NO_ARRAYS)             \
  F(controller, cardan_controller, CARDAN__CONTROLLER_FIELDS, CARDAN__NO_ARRAYS)          \
  F(turning, cardan_turning, CARDAN__TURNING_FIELDS, CARDAN__NO_ARRAYS)                   \
  F(material, cardan_material, CARDAN__MATERIAL_FIELDS, CARDAN__NO_ARRAYS)                \
  F(solid, cardan_solid, CARDAN__SOLID_FIELDS, CARDAN__NO_ARRAYS)                         \
  F(hull, cardan_hull, CARDAN__HULL_FIELDS, CARDAN__HULL_ARRAYS)                          \
  F(field, cardan_height_field, CARDAN__HEIGHT_FIELD_FIELDS, CARDAN__HEIGHT_FIELD_ARRAYS) \
  F(contact, cardan_contact, CARDAN__CONTACT_FIELDS, CARDAN__NO_ARRAYS)                   \
  F(pair, cardan_pair, CARDAN__PAIR_FIELDS, CARDAN__NO_ARRAYS)                            \
  F(bound, cardan_bound, CARDAN__BOUND_FIELDS, CARDAN__NO_ARRAYS)                         \
  F(expr, cardan_bound_expr, CARDAN__EXPR_FIELDS, CARDAN__EXPR_ARRAYS)

/* F(field, kind) of the model itself. */
#define CARDAN__MODEL_FIELDS(F) \
  F(name, label)                \
  F(size, memory)               \
  F(nbody, count)               \
  F(njoint, count)              \
  F(nframe, count)              \
  F(nshape, drawn)              \
  F(nq, count)                  \
  F(nv, count)                  \
  F(nconstraint, count)         \
  F(nrow, count)                \
  F(nrow_body, count)           \
  F(nrow_dof, count)            \
  F(nforce, count)              \
  F(nexpr, count)               \
  F(nprescribed, count)         \
  F(ndriven, count)             \
  F(ninput, count)              \
  F(npose, count)               \
  F(ndefault, later)            \
  F(nwarning, later)            \
  F(nkeyframe, count)           \
  F(nparameter, count)          \
  F(ny, count)                  \
  F(nz, count)                  \
  F(nrate, count)               \
  F(ncontroller, count)         \
  F(nturning, count)            \
  F(nrubbing, number)           \
  F(nmulti, number)             \
  F(expr_work, number)          \
  F(max_leaf, number)           \
  F(has_friction, number)       \
  F(has_program, number)        \
  F(planar, number)             \
  F(plane_normal, spatial)      \
  F(gravity, spatial)           \
  F(mass, number)               \
  F(closing, number)            \
  F(closing_own, number)        \
  F(rank_tol, number)           \
  F(closing_given, later)       \
  F(rank_given, later)          \
  F(size_length, number)        \
  F(start, number)              \
  F(has_armature, number)       \
  F(recipe, later)              \
  F(revision, later)            \
  F(nmaterial, count)           \
  F(nsolid, count)              \
  F(nhull, count)               \
  F(nfield, count)              \
  F(ncontact, count)            \
  F(npair, count)               \
  F(nbound, count)              \
  F(nbound_row, count)          \
  F(nbound_body, count)         \
  F(nbound_dof, count)          \
  F(open, number)               \
  F(nnear, number)              \
  F(near, number)               \
  F(nalmost, number)            \
  F(almost, number)             \
  F(rank, number)               \
  F(mobility, number)           \
  F(nvelocity_row, number)      \
  F(position_rank, number)      \
  F(inert, number)              \
  F(inert_joint, number)        \
  F(inert_constraint, number)

/* Its memory; the list of its fields ends with the arrays below and these. */
#define CARDAN__MODEL_MEMORY(F) \
  F(block, memory)              \
  F(allocator, allocator)

/* F(field, count, room, entry): the arrays of the model in the order of the layout.
 * count  entries in use; m: the model
 * room   entries that the layout reserves, from spec, tree (cardan__tree_counts), n
 *        (cardan__counts) and found (cardan__contacts_found)
 * entry  as of the arrays above */
#define CARDAN__MODEL_ARRAYS(F)                                                  \
  F(body, m->nbody, tree->link, body)                                            \
  F(inertia_lanes, cardan__blocks(m->nbody), cardan__blocks(tree->link), number) \
  F(joint, m->njoint, tree->joint, joint)                                        \
  F(frame, m->nframe, spec->nframe, frame)                                       \
  F(shape, m->nshape, spec->nshape, shape)                                       \
  F(q_name, m->nq, tree->nq, label)                                              \
  F(v_name, m->nv, tree->nv, label)                                              \
  F(q_body, m->nq, tree->nq, number)                                             \
  F(v_body, m->nv, tree->nv, number)                                             \
  F(constraint, m->nconstraint, n->constraint, constraint)                       \
  F(row, m->nrow, n->row.n, row)                                                 \
  F(row_body, m->nrow_body, n->row.body, number)                                 \
  F(row_dof, m->nrow_dof, n->row.dof, number)                                    \
  F(bound, m->nbound, n->bound, bound)                                           \
  F(bound_row, m->nbound_row, n->bound_row.n, row)                               \
  F(bound_body, m->nbound_body, n->bound_row.body, number)                       \
  F(bound_dof, m->nbound_dof, n->bound_row.dof, number)                          \
  F(force, m->nforce, n->force, force)                                           \
  F(expr, m->nexpr, n->expr, expr)                                               \
  F(prescribed, m->nprescribed, n->prescribed, prescribed)                       \
  F(driven, m->ndriven, n->prescribed, number)                                   \
  F(input, m->ninput, spec->ninput, input)                                       \
  F(state, m->nz, spec->nstate, aux_state)                                       \
  F(controller, m->ncontroller, spec->ncontroller, controller)                   \
  F(turning, m->nturning, spec->nturn, turning)                                  \
  F(q0, m->nq, tree->nq, number)                                                 \
  F(v0, m->nv, tree->nv, number)                                                 \
  F(q_fixed, m->nq, tree->nq, number)                                            \
  F(q_given, m->nq, tree->nq, number)                                            \
  F(v_given, m->nv, tree->nv, number)                                            \
  F(pose, m->npose, spec->ninitial, pose)                                        \
  F(defaults, m->ndefault, spec->ndefault, preset)                               \
  F(armature, m->nv, tree->nv, number)                                           \
  F(keyframe, m->nkeyframe, spec->nkeyframe, keyframe)                           \
  F(parameter, m->nparameter, spec->nparameter, parameter)                       \
  F(parameter_value, m->nparameter, spec->nparameter, number)                    \
  F(output, m->ny, spec->noutput, output)                                        \
  F(warning, m->nwarning, CARDAN__MAX_WARNING, label)                            \
  F(row_redundant, m->nrow, n->row.n, number)                                    \
  F(row_shared, m->nrow, n->row.n, number)                                       \
  F(material, m->nmaterial, spec->nmaterial, material)                           \
  F(solid, m->nsolid, found->nsolid, solid)                                      \
  F(contact, m->ncontact, spec->ncontact, contact)                               \
  F(pair, m->npair, found->npair, pair)                                          \
  F(hull, m->nhull, cardan__count_hulls(spec, found), hull)                      \
  F(field, m->nfield, cardan__count_fields(spec, found), field)
