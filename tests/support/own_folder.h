/* SPDX-License-Identifier: Apache-2.0
 * own_folder.h - a folder for all tests of a program, or one for each: set-up, tear-down. */
#pragma once
#include "cardan/base.h"
#include "folder.h"
#include "support.h"

static test_folder folder;

static int make_folder(void **state)
{
  (void)state;
  folder = folder_make();
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  folder_remove(&folder);
  return 0;
}

static inline void good(cardan_status status)
{
  assert_int_equal(status, CARDAN_OK);
}
