#!/bin/sh
# Checks that scripts/lint-rooms passes a small project that keeps to its rooms and fails it after
# each kind of violation, with a sentence that names it.
# usage: rooms.sh SOURCE_FOLDER WORK_FOLDER COMPILER
set -eu
lint=$1/scripts/lint-rooms
work=$2
compiler=$3

# the project, as it was first compiled
make_project() {
  cd /
  rm -rf "$work"
  cp -r "$work.first" "$work"
  cd "$work"
}

# a library of three rooms, two families of methods and their engine, and a command
compile_project() {
  rm -rf "$work" "$work.first"
  mkdir -p "$work/include/cardan" "$work/scripts" "$work/cli" "$work/src/base" "$work/src/model"
  for family in discrete vi svi; do
    mkdir -p "$work/src/methods/$family"
  done
  cd "$work"
  cat >scripts/rooms.txt <<'TABLE'
# a comment
base:
@tools: base
model: @tools
model/inside.h: methods/vi
methods: @tools model
methods/discrete: @tools model methods
methods/vi: model methods methods/discrete
methods/svi: methods methods/discrete
cli: public
TABLE
  echo 'void cardan_base(void);' >include/cardan/base.h
  echo 'void cardan_sim(void);' >include/cardan/sim.h
  echo 'void cardan__part(void);' >src/model/part.h
  echo '#define INSIDE 1' >src/model/inside.h
  echo 'void cardan__vi(void);' >src/methods/vi/vi.h
  file src/base/base.c '#include "cardan/base.h"' 'void cardan_base(void) {}'
  file src/model/part.c '#include "part.h"' '#include "cardan/base.h"' '#include "inside.h"' \
    'void cardan__part(void) { cardan_base(); }'
  file src/methods/discrete/root.c '#include "model/part.h"' \
    'void cardan__root(void); void cardan__root(void) { cardan__part(); }'
  file src/methods/vi/vi.c '#include "methods/vi/vi.h"' '#include "model/inside.h"' \
    'void cardan__root(void);' 'void cardan__vi(void) { cardan__root(); }'
  file src/methods/svi/svi.c 'void cardan__root(void);' \
    'void cardan__svi(void); void cardan__svi(void) { cardan__root(); }'
  file src/methods/sim.c '#include "cardan/sim.h"' '#include "vi/vi.h"' \
    'void cardan_sim(void) { cardan__vi(); }'
  file cli/main.c '#include "cardan/sim.h"' 'int main(void) { cardan_sim(); return 0; }'
  cp -r "$work" "$work.first"
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

# two files of one room that call each other
make_cycle() {
  file src/model/a.c 'void cardan__b(void);' 'void cardan__a(void) { cardan__b(); }'
  file src/model/b.c 'void cardan__a(void);' 'void cardan__b(void) { cardan__a(); }'
}

# debt LINE...: the list of known violations
debt() {
  printf '%s\n' "$@" >scripts/lint-debt.txt
}

expect_pass() {
  "$lint" build . || { echo "failed: $1" >&2; exit 1; }
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

compile_project
expect_pass 'a project that keeps to its rooms'

# uses, by include and by symbol
file src/base/base.c '#include "model/part.h"' 'void cardan_base(void) {}'
expect_failure 'src/base/base.c:1: includes src/model/part.h, but base may not use model'

make_project
file src/base/base.c 'void cardan__part(void);' 'void cardan_base(void) { cardan__part(); }'
debt 'across 1' '  src/base/base.c' '  src/model/part.c'
expect_failure \
  'src/base/base.c: uses cardan__part of src/model/part.c, but base may not use model'

make_project
file src/model/part.c '#include "cardan/sim.h"' 'void cardan__part(void) {}'
expect_failure 'src/model/part.c:1: includes include/cardan/sim.h, but model may use none of its rooms'

make_project
file src/methods/svi/svi.c '#include "methods/vi/vi.h"' 'void cardan__svi(void) {}'
expect_failure \
  'src/methods/svi/svi.c:1: includes src/methods/vi/vi.h, but methods/svi may not use methods/vi'

make_project
file src/methods/sim.c '#include "model/inside.h"' 'void cardan_sim(void) {}'
expect_failure 'src/methods/sim.c:1: includes src/model/inside.h, which is private to model'

make_project
echo '#include "model/part.h"' >include/cardan/base.h
expect_failure 'include/cardan/base.h:1: includes src/model/part.h, but a public header may not use model'

make_project
file cli/main.c '#include "model/part.h"' 'int main(void) { return 0; }'
expect_failure 'cli/main.c:1: includes src/model/part.h, but cli may not use model'

make_project
file cli/main.c 'void cardan__part(void);' 'int main(void) { cardan__part(); return 0; }'
expect_failure 'cli/main.c: uses cardan__part of src/model/part.c, but cli may not use model'

# the table
make_project
mkdir src/cellar
file src/cellar/new.c 'void cardan__new(void);' 'void cardan__new(void) {}'
expect_failure 'src/cellar/new.c: its folder has no line in scripts/rooms.txt'

make_project
echo 'attic: base' >>scripts/rooms.txt
expect_failure 'scripts/rooms.txt: there is no folder src/attic'

make_project
sed -i 's/^base:/base: model/' scripts/rooms.txt
expect_failure 'scripts/rooms.txt: these rooms may use each other: base model'

# cycles of files, in a layer and across layers
make_project
make_cycle
expect_failure 'src/model/a.c: is in a new cycle: src/model/a.c -> src/model/b.c (cardan__b) -> src/model/a.c (cardan__a)'

make_project
file src/methods/discrete/root.c 'void cardan__vi(void);' 'void cardan__root(void) { cardan__vi(); }'
debt 'uses methods/vi' '  src/methods/discrete/root.c'
expect_failure 'src/methods/discrete/root.c: is in a new cycle: src/methods/discrete/root.c -> src/methods/vi/vi.c (cardan__vi) -> src/methods/discrete/root.c (cardan__root)'

make_project
file src/base/base.c 'void cardan__part(void);' 'void cardan_base(void) { cardan__part(); }'
debt 'uses model' '  src/base/base.c'
expect_failure 'src/base/base.c: is in a new cycle: src/base/base.c -> src/model/part.c (cardan__part) -> src/base/base.c (cardan_base)'

# debt: what is listed passes, may not grow, and goes when it is settled
make_project
file src/base/base.c '#include "model/part.h"' 'void cardan_base(void) {}'
make_cycle
"$lint" --renew build .
expect_pass 'what was listed'
file src/model/a.c 'void cardan__b(void); void cardan__c(void);' \
  'void cardan__a(void) { cardan__b(); cardan__c(); }'
file src/model/c.c 'void cardan__b(void);' 'void cardan__c(void) { cardan__b(); }'
expect_failure 'src/model/c.c: joins a cycle: src/model/c.c -> src/model/b.c (cardan__b) -> src/model/a.c (cardan__a) -> src/model/c.c (cardan__c)'
rm src/model/c.c
make_cycle
file src/base/base.c 'void cardan_base(void) {}'
expect_failure "scripts/lint-debt.txt: remove the line 'src/base/base.c' of 'uses model': it is settled"
sed -i '/base.c/d' scripts/lint-debt.txt
expect_pass 'a list without what is settled'
sed -i 's|  src/model/b.c|&\n  src/model/part.c|' scripts/lint-debt.txt
expect_failure "scripts/lint-debt.txt: remove the line 'src/model/part.c' of 'cycle model 1': it is settled"

# the object of a file that is no longer there is skipped
make_project
file src/base/old.c 'void cardan__part(void);' 'void cardan__old(void) { cardan__part(); }'
rm src/base/old.c
expect_pass 'an object without its source'

# the viewer imports nothing from outside its folder
make_project
mkdir -p viewer/src
echo 'import { x } from "../../cli/x.mjs";' >viewer/src/page.ts
expect_failure 'viewer/src/page.ts:1: imports from outside the viewer'
