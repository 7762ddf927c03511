// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "picture.h"

/* A build without cairo. */

cardan_status cli_picture_ready(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "this build has no pictures: it was made without cairo");
}

int cli_picture_write(const char *path, const cardan_model *model, const cardan_files *files,
                      const cardan_film *film, bool forces)
{
  (void)files;
  (void)path;
  (void)model;
  (void)film;
  (void)forces;
  return CLI_USAGE;
}
