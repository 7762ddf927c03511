#!/bin/sh
# Every command of a tutorial, with what the page says that it prints.
# usage: tutorial.sh CARDAN PAGE.md FOLDER     FOLDER is emptied
# A block of ```mbs is a file: the last name `NAME.mbs` before it. In a block without a language a
# line that begins with "cardan" is a command, which must succeed; the lines below it must be in its
# output, in any place, blanks do not count, and ... stands for any text.
set -eu
cardan=$1
page=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3"

fail() {
  echo "tutorial.sh: $1" >&2
  exit 1
}

# files as they are, and one line for each command or line of output
awk '
  /^```/ { inside = !inside; language = inside ? substr($0, 4) : ""
           if (inside && language == "mbs" && name == "") { exit 1 }
           if (!inside) { name = kept = "" } else { kept = name }
           next }
  !inside && match($0, /`[a-z-]+\.mbs`/) { name = substr($0, RSTART + 1, RLENGTH - 2) }
  inside && language == "mbs" { print > kept }
  inside && language == "" && /^cardan / { print "run " substr($0, 8) }
  inside && language == "" && !/^cardan / { print "has " $0 }
' "$page" >script || fail "a block of mbs without a name"

count=0
while read -r kind line; do
  if [ "$kind" = run ]; then
    count=$((count + 1))
    # shellcheck disable=SC2086 # words of a command
    "$cardan" $line >out 2>&1 </dev/null || fail "cardan $line: exit status $?: $(head -c 2000 out)"
    tr -s ' ' <out >squeezed
    command=$line
  else
    pattern=$(printf '%s\n' "$line" | tr -s ' ' | sed 's/[][\.*^$/]/\\&/g; s/\\\.\\\.\\\./.*/g')
    grep -q "^ *$pattern\$" squeezed || fail "cardan $command: found no line \"$line\" in: $(head -c 2000 out)"
  fi
done <script
[ "$count" -gt 0 ] || fail "$page has no commands"
echo "$count commands"
