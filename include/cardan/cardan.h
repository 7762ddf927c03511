/* SPDX-License-Identifier: Apache-2.0
 * cardan/cardan.h - the whole public API. */
#pragma once
#include "cardan/base.h"
#include "cardan/compare.h"
#include "cardan/constraints.h"
#include "cardan/data.h"
#include "cardan/describe.h"
#include "cardan/dynamics.h"
#include "cardan/forces.h"
#include "cardan/linalg.h"
#include "cardan/load.h"
#include "cardan/model.h"
#include "cardan/naudet.h"
#include "cardan/output.h"
#include "cardan/page.h"
#include "cardan/sim.h"
#include "cardan/spatial.h"
#include "cardan/spec.h"
