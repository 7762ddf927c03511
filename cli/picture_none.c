// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "picture.h"

/* A build without cairo. */

bool cli_has_pictures(void)
{
  return false;
}

int cli_picture_write(const char *path, const cardan_model *model, const cardan_files *files,
                      const cardan_film *film)
{
  (void)files;
  (void)path;
  (void)model;
  (void)film;
  return CLI_USAGE;
}
