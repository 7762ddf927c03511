// SPDX-License-Identifier: Apache-2.0
#define CARDAN__WIDTH 4
#include "batch/lanes/width.h"
