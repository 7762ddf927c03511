#!/bin/sh
# A library of one file by the rules of cmake/CardanLevels.cmake, installed and moved: the loader
# takes the best level that this processor runs, and each when it is limited to that. And which
# builds have levels.
# usage: levels.sh CMAKE SOURCE_FOLDER C_COMPILER LOADER
set -eu
cmake=$1 source=$2 cc=$3 loader=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/main.c" <<'END_OF_FILE'
#include <stdio.h>

#include "cardan/base.h"

int main(void)
{
  puts(cardan_cpu_level());
  return 0;
}
END_OF_FILE
cat >"$work/CMakeLists.txt" <<END_OF_FILE
cmake_minimum_required(VERSION 3.22)
project(levels VERSION 0.1.0 LANGUAGES C)
include(GNUInstallDirs)
add_library(cardan_flags INTERFACE)
add_library(cardan::dependencies INTERFACE IMPORTED)
include($source/cmake/CardanLevels.cmake)
message(STATUS "levels: \${cardan_levels}, linked: \${cardan_linked}")
add_library(cardan STATIC $source/src/base/cpu_level.c)
target_include_directories(cardan PUBLIC $source/include PRIVATE $source/src)
set_target_properties(cardan PROPERTIES POSITION_INDEPENDENT_CODE ON)
cardan_add_shared(cardan_shared \$<TARGET_OBJECTS:cardan>)
cardan_add_levels()
add_executable(tell main.c)
target_include_directories(tell PRIVATE $source/include)
target_link_libraries(tell PRIVATE \${cardan_linked})
set_target_properties(tell PROPERTIES INSTALL_RPATH \$ORIGIN/../\${CMAKE_INSTALL_LIBDIR})
install(TARGETS tell cardan_shared)
END_OF_FILE

configure() { "$cmake" -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$cc" "$@" 2>&1; }

# one kind only, where the build says which
for one in NATIVE DETERMINISTIC ASSERTS; do
  configure -DCARDAN_LEVELS=AUTO -DCARDAN_$one=ON >"$work/log"
  grep -q "levels: , linked: cardan;cardan::dependencies" "$work/log" || { cat "$work/log"; exit 1; }
  configure -DCARDAN_$one=OFF >"$work/log"
done
if configure -DCARDAN_LEVELS=x86-64-v3 -DCARDAN_DETERMINISTIC=ON >"$work/log"; then
  echo "a deterministic build took levels" >&2
  exit 1
fi
grep -q "expected no levels" "$work/log"

configure -DCARDAN_LEVELS=AUTO -DCARDAN_DETERMINISTIC=OFF >"$work/log"
grep -q "levels: x86-64-v3;x86-64-v4, linked: cardan_shared" "$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" >"$work/log" || { cat "$work/log" >&2; exit 1; }
"$cmake" --install "$work/build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/moved"
rm -r "$work/build"

expect() {
  test "$1" = "$2" || { echo "found $1, expected $2" >&2; exit 1; }
}
best=x86-64
expect "$("$loader" --glibc-hwcaps-mask none "$work/moved/bin/tell")" x86-64
for level in x86-64-v3 x86-64-v4; do
  if "$loader" --help | grep -q "$level (supported"; then
    expect "$("$loader" --glibc-hwcaps-mask $level "$work/moved/bin/tell")" $level
    best=$level
  fi
done
expect "$("$work/moved/bin/tell")" $best
echo "$best is what the loader takes here"
