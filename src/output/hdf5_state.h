/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_state.h - the state of a run in its result: dataset /state, of bytes, with its row,
 * its step and a check number in front. It is made with the file, without a byte, and filled when
 * the table is closed. */
#pragma once
#include "output/hdf5_get.h"
#include "output/state_file.h"

bool cardan__hdf5_state_open(hid_t file);
bool cardan__hdf5_state_write(hid_t file, const cardan__state *state);

/* state->bytes: in the result's memory; size 0 when there is none.
 * returns false when it is damaged */
bool cardan__hdf5_state_read(cardan__result_file *file, cardan__state *state);
