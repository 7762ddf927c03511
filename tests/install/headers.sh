#!/bin/sh
# Each public header compiles alone, without warnings, as C17 and as C++17; and cardan.h, which holds
# them all, in both after the headers of the C library whose macros are short words (I, major, unix,
# NAN, B0, SA_..), with its extensions on: no public name may be one of them.
# usage: headers.sh SOURCE_FOLDER C_COMPILER
set -eu
source=$1 cc=$2
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I$source/include"
crowd="math errno signal limits stdlib sys/types sys/sysmacros sys/param sys/ioctl termios"
count=0
for header in "$source"/include/cardan/*.h; do
  name=cardan/$(basename "$header")
  for language in "c -std=c17" "c++ -std=c++17"; do
    # twice, so that a header without its guard is found too
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
      $cc -x $language $flags - || { echo "$name does not compile alone with -x $language"; exit 1; }
  done
  test "$name" = cardan/cardan.h || grep -q "\"$name\"" "$source/include/cardan/cardan.h" ||
    { echo "cardan.h does not include $name"; exit 1; }
  count=$((count + 1))
done
test "$count" -gt 0

# complex.h of C++ is another header
after() { for each in $1; do printf '#include <%s.h>\n' "$each"; done; echo '#include "cardan/cardan.h"'; }
after "complex $crowd" | $cc -x c -std=gnu17 -D_GNU_SOURCE $flags - ||
  { echo "cardan.h does not compile after the C library's headers"; exit 1; }
after "$crowd" | $cc -x c++ -std=gnu++17 $flags - ||
  { echo "cardan.h does not compile after the C library's headers, as C++"; exit 1; }
echo "$count headers compile alone as C17 and C++17"
