#!/bin/sh
# Checks that scripts/lint-words passes a small project and fails it after each kind of violation,
# with a sentence that names it.
# usage: words.sh SOURCE_FOLDER WORK_FOLDER
set -eu
lint=$1/scripts/lint-words
work=$2

make_project() {
  rm -rf "$work"
  mkdir -p "$work/scripts" "$work/docs/decisions" "$work/src"
  cd "$work"
  cat >scripts/words.txt <<'WORDS'
# a comment
told | reported | functions report
go(?:es)? on | continues | one verb
WORDS
  # identifiers, code in Markdown, longer words and pages of their time have no such words
  printf '%s\n' 'int told(int goes_on);' '/* untold */' >src/a.c
  printf '%s\n' '# Title' 'See `told`:' '```' 'told' '```' >docs/a.md
  echo 'It is told.' >docs/decisions/old.md
}

expect_pass() {
  "$lint" . || { echo "failed: $1" >&2; exit 1; }
}

# expect_failure SENTENCE...
expect_failure() {
  if "$lint" . >said; then
    echo "passed in spite of: $1" >&2
    exit 1
  fi
  for sentence in "$@"; do
    grep -qxF "lint-words: $sentence" said || { echo "expected: $sentence"; cat said; exit 1; } >&2
  done
  [ "$(wc -l <said)" -eq $# ] || { echo "expected $# sentences:"; cat said; exit 1; } >&2
}

make_project
expect_pass 'a project without such words'

# in a comment, in a message, over the end of a line, in a page
echo '/* Told once. */' >>src/a.c
expect_failure 'src/a.c: 1 listed words, 0 allowed' "src/a.c:3: 'Told': write reported"
make_project
echo 'fail("it is told");' >>src/a.c
expect_failure 'src/a.c: 1 listed words, 0 allowed' "src/a.c:3: 'told': write reported"
make_project
printf '%s\n' '/* it goes' ' * on. */' >>src/a.c
expect_failure 'src/a.c: 1 listed words, 0 allowed' "src/a.c:3: 'goes on': write continues"
make_project
echo 'The run goes on.' >>docs/a.md
expect_failure 'docs/a.md: 1 listed words, 0 allowed' "docs/a.md:6: 'goes on': write continues"

# debt: counts of what is listed pass, may not rise, and fall with the words
"$lint" --renew .
expect_pass 'what was listed'
echo 'It is told.' >>docs/a.md
expect_failure 'docs/a.md: 2 listed words, 1 allowed' "docs/a.md:6: 'goes on': write continues" \
  "docs/a.md:7: 'told': write reported"
sed -i '6,7d' docs/a.md
expect_failure "scripts/words-debt.txt: docs/a.md has 0 now, not 1: 'scripts/lint-words --renew'"
rm docs/a.md
expect_failure 'scripts/words-debt.txt: remove the line of docs/a.md: there is no such file'
