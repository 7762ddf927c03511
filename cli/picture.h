/* SPDX-License-Identifier: Apache-2.0
 * picture.h - a run as one picture for papers and READMEs: poses along the motion, and plots. */
#pragma once
#include "cardan/page.h"

/* Before a picture, and before the run that it is of.
 * returns CARDAN_OK, or a failure and why there are no pictures: a build without cairo, say */
CARDAN_MUST_USE cardan_status cli_picture_ready(cardan_report *report);

/* Writes FILE.png or FILE.svg, or the motion as FILE.gif. forces: those that the film tells are
 * drawn too. returns an exit status, after saying what is wrong */
int cli_picture_write(const char *path, const cardan_model *model, const cardan_files *files,
                      const cardan_film *film, bool forces);
