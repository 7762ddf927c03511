// SPDX-License-Identifier: Apache-2.0
#include "output/options_text.h"

#include <stdio.h>
#include <string.h>

#include "methods/options.h"
#include "output/text_output.h"

void cardan__option_write(const cardan_options *options, int index, char text[CARDAN__OPTION_SIZE])
{
  const char *name = cardan_option_name(index);
  const cardan__how how = cardan__text_output_how(options);
  cardan__option_stored(options, index, text, CARDAN__OPTION_SIZE);
  if (strcmp(name, "method") == 0) {
    snprintf(text, CARDAN__OPTION_SIZE, "%s", how.method);
  } else if (strcmp(name, "integrator") == 0 && how.integrator[0]) {
    snprintf(text, CARDAN__OPTION_SIZE, "%s", how.integrator);
  }
}

cardan_status cardan__option_read(cardan_options *options, const char *name, const char *text)
{
  const char *known;
  for (int i = 0; (known = cardan_option_name(i)) != NULL; i++) {
    char value[CARDAN__OPTION_SIZE];
    cardan__option_stored(options, i, value, sizeof value);
    if (strcmp(known, name) == 0 && strcmp(value, text) == 0) {
      return CARDAN_OK;
    }
  }
  return cardan__option_set_stored(options, name, text, NULL);
}
