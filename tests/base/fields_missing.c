// SPDX-License-Identifier: Apache-2.0
// A list that leaves out a field does not compile, though the field lies in padding; with -DLISTED
// it names all fields, and compiles.
#include <stdbool.h>

#include "base/fields.h"

typedef struct {
  int n;
  bool known, hidden;
  double x[2];
} item;

#ifdef LISTED
#define HIDDEN(F) F(hidden, flag)
#else
#define HIDDEN(F)
#endif
#define FIELDS(F) \
  F(n, number)    \
  F(known, flag)  \
  HIDDEN(F)       \
  F(x, array)

#define VALUE_number 0
#define VALUE_flag 0
#define VALUE_array \
  {                 \
    0               \
  }
#define VALUE(field, kind) VALUE_##kind,

int main(void)
{
  CARDAN__FIELDS_ONCE(FIELDS(CARDAN__FIELD_MEMBER))
  CARDAN__FIELDS_ALL(item, FIELDS(VALUE))
  return 0;
}
