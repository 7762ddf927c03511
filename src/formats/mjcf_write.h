/* SPDX-License-Identifier: Apache-2.0
 * formats/mjcf_write.h - the parts of the MJCF writer that concern contact. found: which solids of
 * the spec touch. */
#pragma once
#include "formats/xml_write.h"
#include "model/contact_pairs.h"

/* returns CARDAN_ERR_UNSUPPORTED for what the format cannot say */
cardan_status cardan__mjcf_check_contacts(const cardan_spec *spec,
                                          const cardan__contacts_found *found,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Hulls as meshes of their points, "hull-3" of shape 2 of the spec; pairs of geoms, "solid-3". */
void cardan__mjcf_put_hulls(const cardan_spec *spec, cardan__text *out);
void cardan__mjcf_put_pairs(const cardan_spec *spec, const cardan__contacts_found *found,
                            cardan__text *out);
