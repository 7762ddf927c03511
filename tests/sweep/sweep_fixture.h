/* SPDX-License-Identifier: Apache-2.0
 * sweep_fixture.h - small sweeps of a pendulum, for what happens around their cases. */
#pragma once
#include <stdio.h>
#include <string.h>

#include "cardan/sweep.h"
#include "folder.h"
#include "support.h"

/* A pendulum of mass M; no model for M < 0. */
static const char sweep_pendulum[] =
    "(system \"swing\" (gravity 0 0 -9.81) (parameter M 1)\n"
    "  (ry \"a\" (tz -1 (name \"bob\") (mass M))) (initial (\"a\" 0.5)))\n";

/* 40 cases, of which the 8 with M = -1 fail. */
static const char sweep_plan[] =
    "(plan (grid M 1 -1 2 3 0.5) (random \"v.a\" (uniform -1 1)) (option method vi aba)\n"
    "  (count 4) (collect (end \"q.a\") (max energy) drift))\n";

static inline cardan_sweep *sweep_make(const char *model, const char *plan, double time)
{
  cardan_sweep *sweep;
  cardan_report report = {0};
  cardan_options options = cardan_options_defaults();
  options.time = time;
  const cardan_record base = {
      .model = "swing.mbs", .text = model, .length = strlen(model), .options = &options};
  if (cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, &report)) {
    fail_msg("%s:%d: %s", report.file, report.pos.line, report.message);
  }
  return sweep;
}
