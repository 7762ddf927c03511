// SPDX-License-Identifier: Apache-2.0
#include "bench/contact.h"

void contact_mujoco(const char *file)
{
  (void)file;
  contact_stop("mujoco", "it was not found when this was built (libmujoco-dev)");
}
