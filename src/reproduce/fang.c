// SPDX-License-Identifier: Apache-2.0
#include "reproduce/paper.h"

const cardan__paper cardan__fang = {.name = "fang"};
