#!/bin/sh
# Are the command and the shared library hardened, and do they name no folder of the build?
# usage: hardened.sh SOURCE_FOLDER FILE...
set -eu
source=$1
shift
for file in "$@"; do
  case $(readelf -lW "$file") in
  *GNU_RELRO*) ;;
  *) echo "$file: no RELRO" >&2; exit 1 ;;
  esac
  case $(readelf -dW "$file") in
  *BIND_NOW*) ;;
  *) echo "$file: not bound at its start, so that RELRO is not full" >&2; exit 1 ;;
  esac
  for name in __stack_chk_fail '__[a-z]*_chk'; do
    readelf -sW --dyn-syms "$file" | grep -q " $name@" ||
      { echo "$file: no call of $name: no stack protector, or no _FORTIFY_SOURCE" >&2; exit 1; }
  done
  # the folder of a path that is run or loaded from there may be in the build's own RUNPATH alone
  paths=$(readelf -p .rodata -p .debug_str -p .debug_line_str "$file" 2>/dev/null | grep -cF "$source/" || true)
  test "$paths" = 0 || { echo "$file: $paths texts name $source" >&2; exit 1; }
done
