/* SPDX-License-Identifier: Apache-2.0
 * picture.h - a run as one picture for papers and READMEs: poses along the motion, and plots. */
#pragma once
#include <stdbool.h>

#include "cardan/page.h"

bool cli_has_pictures(void);

/* Writes FILE.png or FILE.svg. returns an exit status, after saying what is wrong */
int cli_picture_write(const char *path, const cardan_model *model, const cardan_files *files,
                      const cardan_film *film);
