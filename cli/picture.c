// SPDX-License-Identifier: Apache-2.0
#include "picture.h"
#include "cli.h"
#include "say.h"
bool cli_has_pictures(void)
{
  return false;
}
int cli_picture_write(const char *path, const cardan_model *model, const cardan_film *film)
{
  (void)path;
  (void)model;
  (void)film;
  return CLI_USAGE;
}
