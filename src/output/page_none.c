// SPDX-License-Identifier: Apache-2.0
#include "output/page.h"

/* A library without pages. */
const size_t cardan__page_length = 0;
const unsigned char cardan__page_bytes[] = {0};
