#!/bin/sh
# Checks that scripts/lint-rooms passes a small project that keeps to its rooms and fails it after
# each kind of violation, with a sentence that names it.
# usage: rooms.sh SOURCE_FOLDER WORK_FOLDER COMPILER
set -eu
lint=$1/scripts/lint-rooms
work=$2
compiler=$3

# a library of three rooms, two families of methods and their engine, and a command
make_project() {
  rm -rf "$work"
  mkdir -p "$work/include/cardan" "$work/cli" "$work/examples" "$work/python" "$work/src/base" "$work/src/model"
  for family in discrete vi svi; do
    mkdir -p "$work/src/methods/$family"
  done
  cd "$work"
  printf 'set(rooms base model\n          methods)\n' >CMakeLists.txt
  echo 'void cardan_base(void);' >include/cardan/base.h
  echo 'void cardan_sim(void);' >include/cardan/sim.h
  echo 'void cardan__part(void);' >src/model/part.h
  echo 'void cardan__vi(void);' >src/methods/vi/vi.h
  file src/base/base.c '#include "cardan/base.h"' 'void cardan_base(void) {}'
  file src/model/part.c '#include "part.h"' '#include "cardan/base.h"' \
    'void cardan__part(void) { cardan_base(); }'
  file src/methods/discrete/root.c '#include "model/part.h"' \
    'void cardan__root(void); void cardan__root(void) { cardan__part(); }'
  file src/methods/vi/vi.c '#include "methods/vi/vi.h"' 'void cardan__root(void);' \
    'void cardan__vi(void) { cardan__root(); }'
  file src/methods/svi/svi.c 'void cardan__root(void);' \
    'void cardan__svi(void); void cardan__svi(void) { cardan__root(); }'
  file src/run/sim.c '#include "cardan/sim.h"' '#include "vi/vi.h"' \
    'void cardan_sim(void) { cardan__vi(); }'
  file cli/main.c '#include "cardan/sim.h"' 'int main(void) { cardan_sim(); return 0; }'
}

# file NAME LINE...: writes it and compiles it to where CMake would
file() {
  name=$1
  shift
  printf '%s\n' "$@" >"$name"
  case $name in
    cli/*) object=build/cli/CMakeFiles/cardan_cli.dir/${name#cli/}.o ;;
    *) object=build/CMakeFiles/cardan.dir/$name.o ;;
  esac
  mkdir -p "$(dirname "$object")"
  "$compiler" -Iinclude -Isrc -c "$name" -o "$object"
}

# expect_failure SENTENCE
expect_failure() {
  if "$lint" build . >said; then
    echo "passed in spite of: $1" >&2
    exit 1
  fi
  grep -qxF "lint-rooms: $1" said || { echo "expected: $1"; echo "said:"; cat said; exit 1; } >&2
  [ "$(wc -l <said)" -eq 1 ] || { echo "expected one sentence:"; cat said; exit 1; } >&2
}

make_project
"$lint" build . || { echo "failed what keeps to its rooms" >&2; exit 1; }

file src/base/base.c '#include "model/part.h"' 'void cardan_base(void) {}'
expect_failure 'src/base/base.c:1: includes src/model/part.h'

make_project
file src/base/base.c 'void cardan__part(void);' 'void cardan_base(void) { cardan__part(); }'
expect_failure 'src/base/base.c: calls cardan__part of src/model/part.c'

make_project
file src/model/part.c '#include "cardan/sim.h"' 'void cardan__part(void) {}'
expect_failure 'src/model/part.c:1: includes include/cardan/sim.h'

make_project
file src/methods/svi/svi.c '#include "methods/vi/vi.h"' 'void cardan__svi(void) {}'
expect_failure 'src/methods/svi/svi.c:1: includes src/methods/vi/vi.h'

make_project
file src/methods/discrete/root.c 'void cardan__vi(void);' 'void cardan__root(void) { cardan__vi(); }'
expect_failure 'src/methods/discrete/root.c: calls cardan__vi of src/methods/vi/vi.c'

make_project
echo '#include "model/part.h"' >include/cardan/base.h
expect_failure 'include/cardan/base.h:1: includes src/model/part.h'

make_project
file cli/main.c '#include "model/part.h"' 'int main(void) { return 0; }'
expect_failure 'cli/main.c:1: includes src/model/part.h'

make_project
file cli/main.c 'void cardan__part(void);' 'int main(void) { cardan__part(); return 0; }'
expect_failure 'cli/main.c: calls cardan__part of src/model/part.c'

make_project
mkdir src/cellar
file src/cellar/new.c 'void cardan__new(void);' 'void cardan__new(void) {}'
expect_failure 'src/cellar is not among the rooms of CMakeLists.txt'

# the object of a file that is no longer there says nothing
make_project
file src/base/old.c 'void cardan__part(void);' 'void cardan__old(void) { cardan__part(); }'
rm src/base/old.c
"$lint" build . || { echo "looked at an object without its source" >&2; exit 1; }
