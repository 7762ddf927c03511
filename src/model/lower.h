/* SPDX-License-Identifier: Apache-2.0
 * model/lower.h - coordinates of closing joints, said with what every method has. */
#pragma once
#include "model/spec.h"

/* A copy of a spec that was checked, in which nothing names the coordinate of a closing joint:
 * elements on one, expressions that read one, and its columns are made of others (lower.c). The
 * copy shares what it does not change with the spec, which must outlive it. Where there is nothing
 * to lower it is the spec itself.
 * allocator  of the copy; NULL: malloc
 * returns    CARDAN_ERR_MEMORY, with a report; _free is right after it too */
cardan_status cardan__lower(const cardan_spec *spec, const cardan_allocator *allocator,
                            cardan_spec *low, cardan_report *report) CARDAN_MUST_USE;
void cardan__lower_free(cardan_spec *low);
