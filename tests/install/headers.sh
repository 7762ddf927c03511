#!/bin/sh
# Each public header compiles alone, without warnings, as C17 and as C++17; in C beside complex.h too,
# whose macro I no name may be.
# usage: headers.sh SOURCE_FOLDER C_COMPILER
set -eu
source=$1 cc=$2
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I$source/include"
count=0
for header in "$source"/include/cardan/*.h; do
  name=cardan/$(basename "$header")
  printf '#include <complex.h>\n#include "%s"\n' "$name" |
    $cc -x c -std=c17 $flags - || { echo "$name does not compile after complex.h"; exit 1; }
  for language in "c -std=c17" "c++ -std=c++17"; do
    # twice, so that a header without its guard is found too
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
      $cc -x $language $flags - || { echo "$name does not compile alone with -x $language"; exit 1; }
  done
  count=$((count + 1))
done
test "$count" -gt 0
echo "$count headers compile alone as C17 and C++17"
