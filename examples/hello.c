// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cardan/base.h"

int main(void)
{
  printf("Cardan %s\n", cardan_version());
  return 0;
}
