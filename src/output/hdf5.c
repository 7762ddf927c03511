// SPDX-License-Identifier: Apache-2.0
#include "output/hdf5.h"

#include <stdio.h>
#include <string.h>

#include "cardan/lazy_library.h"

cardan__hdf5_calls cardan__hdf5;

cardan_status cardan__hdf5_load(cardan_report *report)
{
#define ENTRY(name) {#name, &cardan__hdf5.name##_at},
  static const cardan_lazy_library_symbol symbol[] = {CARDAN__HDF5_CALLS(ENTRY)};
#undef ENTRY
  return cardan_lazy_library_load(CARDAN_HDF5_LIBRARY, symbol, sizeof symbol / sizeof symbol[0],
                                  report);
}

void cardan__hdf5_silence_errors(cardan__hdf5_voice *voice)
{
  *voice = (cardan__hdf5_voice){0};
  H5Eget_auto2(H5E_DEFAULT, &voice->function, &voice->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void cardan__hdf5_restore(const cardan__hdf5_voice *voice)
{
  H5Eset_auto2(H5E_DEFAULT, voice->function, voice->data);
}

typedef struct {
  char *text;
  size_t size;
} why_text;

/* Of the messages on the error stack, the one that quotes the system; else the innermost. */
static herr_t find_reason(unsigned n, const H5E_error2_t *error, void *user)
{
  static const char mark[] = "error message = '";
  const why_text *why = user;
  const char *quoted = error->desc ? strstr(error->desc, mark) : NULL;
  if (quoted) {
    quoted += sizeof mark - 1;
    snprintf(why->text, why->size, "%.*s", (int)strcspn(quoted, "'"), quoted);
    return 1;
  }
  if (n == 0 && error->desc) {
    snprintf(why->text, why->size, "HDF5 says: %s", error->desc);
  }
  return 0;
}

void cardan__hdf5_why(char *text, size_t size)
{
  why_text why = {text, size};
  snprintf(text, size, "HDF5 failed");
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &why);
}

hid_t cardan__hdf5_string(size_t size)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (H5Tset_size(type, size > 0 ? size : 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
    H5Tclose(type);
    return H5I_INVALID_HID;
  }
  return type;
}
