#!/bin/sh
# Installs into a new folder, moves that folder, and builds and runs a program against it: by
# find_package with the shared and the static library, and by pkg-config.
# usage: install.sh CMAKE SOURCE_FOLDER BUILD_FOLDER C_COMPILER LIBRARY_FOLDER_NAME
set -eu
cmake=$1 source=$2 build=$3 cc=$4 libdir=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved
test ! -e "$build/cardan" || "$prefix/bin/cardan" --help >"$work/help.txt"

# documents and examples, in folders as in the source, and the command's own manual page
doc=$prefix/share/doc/cardan
for file in README.md LICENSE docs/format.md docs/images examples/hello.c examples/models; do
  test -e "$doc/$file" || { echo "$file is not installed" >&2; exit 1; }
done
if test -e "$build/cardan"; then
  "$prefix/bin/cardan" help --man | cmp - "$prefix/share/man/man1/cardan.1"
  "$prefix/bin/cardan" check "$doc/examples/models/swing.mbs" >"$work/check.txt"
  if command -v man >/dev/null; then
    said=$(MANWIDTH=80 man --warnings -l "$prefix/share/man/man1/cardan.1" 2>&1 >"$work/man.txt")
    test -z "$said" || { echo "the manual page: $said" >&2; exit 1; }
  fi
fi

if grep -rl --include='*.cmake' --include='*.pc' -e "$source/" -e "$build/" -e "$work" "$prefix"; then
  echo "an installed file names a folder of this build" >&2
  exit 1
fi

# only the public names leave the shared library
names=$(nm -D --defined-only "$prefix/$libdir/libcardan.so" | awk '{print $3}')
hidden=$(printf '%s\n' "$names" | grep -v '^cardan_[a-z0-9]' || true)
test -z "$hidden" || { echo "names that should be hidden: $hidden" >&2; exit 1; }

# the README shows the example as it is, but for its license line
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/README.md" >"$work/readme.c"
tail -n +2 "$source/examples/hello.c" | diff "$work/readme.c" - ||
  { echo "README.md and examples/hello.c differ" >&2; exit 1; }

mkdir "$work/user"
cp "$source/examples/hello.c" "$work/user/hello.c"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(cardan REQUIRED COMPONENTS static)
foreach(kind cardan static)
  add_executable(hello_${kind} hello.c)
  target_link_libraries(hello_${kind} PRIVATE cardan::${kind})
endforeach()
END
"$cmake" -S "$work/user" -B "$work/user/build" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
"$cmake" --build "$work/user/build" >"$work/build.log" || { cat "$work/build.log" >&2; exit 1; }

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
test "$(pkg-config --modversion cardan)" = "$(
  sed -n 's/.*CARDAN_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' "$source/include/cardan/base.h" |
    paste -sd.
)"
"$cc" -std=c17 "$work/user/hello.c" $(pkg-config --cflags --libs cardan) -lm -o "$work/user/hello_pc"

# a program of its own folder finds the library where the README's word says
grep -qF -e '-Wl,-rpath,$(pkg-config --variable=libdir cardan)' "$source/README.md"
"$cc" -std=c17 "$work/user/hello.c" $(pkg-config --cflags --libs cardan) -lm \
  -Wl,-rpath,"$(pkg-config --variable=libdir cardan)" -o "$work/user/hello_rpath"
env -u LD_LIBRARY_PATH "$work/user/hello_rpath" >"$work/hello_rpath.txt"

for program in build/hello_cardan build/hello_static hello_pc; do
  LD_LIBRARY_PATH=$prefix/$libdir "$work/user/$program" >"$work/$(basename "$program").txt"
done
test -s "$work/hello_pc.txt"
cmp "$work/hello_pc.txt" "$work/hello_cardan.txt"
cmp "$work/hello_pc.txt" "$work/hello_static.txt"
cmp "$work/hello_pc.txt" "$work/hello_rpath.txt"
cat "$work/hello_pc.txt"
