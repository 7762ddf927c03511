#!/bin/sh
# docs/api.md names every call on one state, and every example, and counts its own table rightly.
# usage: api_page.sh SOURCE_FOLDER
set -eu
source=$1 page=$1/docs/api.md
failed=0
fail() { echo "$1"; failed=1; }

# a call is named whole, or by its end behind another's: `cardan_frame_acceleration`, `_bias`
for header in data kinematics constraints forces dynamics; do
  for call in $(sed -n 's/^CARDAN_API.*[ *]\(cardan_[a-z0-9_]*\)(.*/\1/p' "$source/include/cardan/$header.h"); do
    end=_${call##*_} two=$(echo "$call" | sed 's/.*\(_[a-z0-9]*_[a-z0-9]*\)$/\1/')
    grep -qF -e "\`$call" -e "\`$end\`" -e "\`$two\`" -e "$end\`" "$page" ||
      fail "docs/api.md does not name $call of cardan/$header.h"
  done
done

for example in "$source"/examples/api/*.c; do
  grep -qF "| \`$(basename "$example")\` |" "$page" ||
    fail "docs/api.md does not list examples/api/$(basename "$example")"
done

count() { grep -c "| $1 |" "$page"; }
words="Have $(count have), partly $(count partly), missing $(count missing)."
grep -qxF "$words" "$page" || fail "docs/api.md: its table says: $words"
test $(($(count have) + $(count partly) + $(count missing))) = 63 || fail "docs/api.md: not 63 rows"
exit $failed
