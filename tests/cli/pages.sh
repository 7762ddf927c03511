#!/bin/sh
# --report, --png, --svg, compare and view on the command line: files, messages, exit statuses.
# usage: pages.sh CARDAN FOLDER     FOLDER is emptied
set -eu
cardan=$1
data=$(cd "$(dirname "$0")/../../scripts" && pwd)/page-data
rm -rf "$2"
mkdir -p "$2"
cd "$2"

fail() {
  echo "pages.sh: $1" >&2
  exit 1
}

# refuse STATUS PATTERN ARGUMENT...: it must end so, with one line on the standard error
refuse() {
  wanted=$1 pattern=$2
  shift 2
  status=0
  "$cardan" "$@" >out 2>err || status=$?
  [ "$status" -eq "$wanted" ] || fail "cardan $*: exit status $status, expected $wanted: $(cat err)"
  [ "$(wc -l <err)" -eq 1 ] || fail "cardan $*: more than one line: $(cat err)"
  grep -q "$pattern" err || fail "cardan $*: $(cat err)"
}

refuse 1 'ends in .html' run pendulum --report page.txt
refuse 1 'ends in .png' run pendulum --png picture.svg
refuse 1 'ends in .gif' run pendulum --film picture.png
refuse 1 'cannot write' run pendulum --film nowhere/film.gif
refuse 1 'is for pictures' run pendulum --forces
refuse 1 'no integrator' compare pendulum --methods vi/rk4
refuse 1 'does not divide' compare pendulum --time 0.1 --methods aba --dt 0.02,0.015
refuse 1 'dt' compare pendulum --dt 0.02,,0.01
refuse 1 'none of the methods' compare pendulum --methods rattle --time 0.1 --quiet
refuse 1 'port is' view pendulum --port 70000
refuse 1 'cannot read' view nothing.mbs --no-open
refuse 1 'vi has no --alpha' view pendulum --no-open --alpha 0.3
"$cardan" run pendulum --time 0.1 --out table.csv --quiet
refuse 1 'without its model' view table.csv --no-open

# the page of a sweep; kept motions of cases that have a model, and of one that has none
echo '(system (parameter M 1) (ry "a" (tz -1 (mass M))))' >swing.mbs
echo '(plan (grid M 1 2 -1) (init "q.a" 0.5) (collect (end "q.a")))' >plan.txt
refuse 1 'ends in .html' sweep swing.mbs --plan plan.txt --out r.h5 --report r.txt
refuse 1 'expected --out FILE.h5' sweep swing.mbs --plan plan.txt --out r.csv --report r.html
refuse 1 'expected no --shard' sweep swing.mbs --plan plan.txt --out r.h5 --shard 0/2 --report r.html
[ ! -e r.h5.parts ] || fail "a sweep whose report was refused has begun"
refuse 3 '1 of 3 cases failed' sweep swing.mbs --plan plan.txt --out r.h5 --time 0.1 --keep-motion all --report r.html --quiet
"$data" r.html >r.json
grep -q '"cases":3,"failed":1,' r.json || fail "the page of a sweep does not say what failed"
grep -q '"kept":{"count":[0-9]*,"motions":\[{"case":0,"page":{' r.json || fail "the page has no motions"

# the options on the page are those of the method, in words; data and program are packed
"$cardan" run closed-chain --time 0.5 --report own.html --quiet
"$data" own.html >own.json
grep -q '\["order","2"\]' own.json && ! grep -q '\["alpha"' own.json || fail "options: $(grep -o '"options":.*\]\]' own.json)"
grep -q '"work","balance"' own.json || fail "the page has no balance"
! grep -q '"samples"' own.html || fail "the data of the page is not packed"

# what was written is reported, unless it is to be quiet
"$cardan" run pendulum --time 0.1 --report said.html --svg said.svg >out 2>err
[ "$(grep '^wrote ' err | tr '\n' ' ')" = "wrote said.html wrote said.svg " ] || fail "it says: $(cat err)"
"$cardan" run pendulum --time 0.1 --film said.gif >out 2>err
grep -q '^wrote said.gif$' err && [ "$(head -c 6 said.gif)" = GIF89a ] || fail "there is no film: $(cat err)"
"$cardan" run pendulum --time 0.1 --report said.html --quiet >out 2>err
[ ! -s out ] && [ ! -s err ] || fail "it is not quiet: $(cat out err)"

# a case of a sweep in the browser is its run, from its own start
"$cardan" view 'r.h5#1' --no-open >url 2>viewed &
server=$!
until [ -s url ]; do
  kill -0 $server || fail "cardan view r.h5#1: $(cat viewed)"
  sleep 0.02
done
python3 - "$(cat url)" >viewed.html <<'END'
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.stdout.write(opener.open(sys.argv[1]).read().decode())
END
kill -TERM $server && wait $server || fail "cardan view r.h5#1 ended by $?"
"$cardan" run 'r.h5#1' --report ran.html --quiet
for page in viewed ran; do
  "$data" $page.html | grep -o '"samples":"[^"]*"' >$page.txt || fail "$page.html has no motion"
done
cmp -s viewed.txt ran.txt || fail "the motion of a case in the browser is not that of its run"
refuse 1 'has no case "3"' view 'r.h5#3' --no-open
refuse 1 'vi has no --alpha' view 'r.h5#1' --no-open --alpha 0.3

# pictures: of a model with shapes, one without, and of an empty model
echo '(system "empty")' >empty.mbs
echo '(system (gravity 0 0 -9.81) (ry "a" (tz -1 (mass 1)) (tz -1 (tx "b" (mass 2)))))' >bare.mbs
for model in slider-crank bare.mbs empty.mbs; do
  "$cardan" run $model --method aba --time 0.5 --png picture.png --svg picture.svg --quiet
  [ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail "$model: no PNG"
  grep -q '</svg>' picture.svg || fail "$model: no SVG"
done

# forces are drawn where they are requested, in films too; no other line is as wide as their shafts
echo '(system (gravity 0 0 -10) (ry "a" (tz -1 (mass 2 1 1 1))) (torque "a" 3))' >turned.mbs
for forces in '' --forces; do
  "$cardan" run turned.mbs --time 0.5 --svg turned$forces.svg --film turned$forces.gif $forces --quiet
done
arrows() {
  grep -c 'stroke-width:2;\|stroke-width="2"' "$1" || true
}
[ "$(arrows turned.svg)" -eq 0 ] || fail "arrows without --forces: $(arrows turned.svg)"
# the hinge's force, the weight, the torque's arc, the bar of the scale
[ "$(arrows turned--forces.svg)" -eq 4 ] || fail "$(arrows turned--forces.svg) arrows of 4"
cmp -s turned.gif turned--forces.gif && fail "a film without its forces"

# a library that is loaded when it is used, and cannot be, is reported before the run
for late in 'libcairo run pendulum --png late.png' 'libhdf5[a-z_]* run pendulum --out late.h5' \
  'libmicrohttpd view pendulum --no-open'; do
  set -f && set -- $late && set +f
  name=$(grep -ao "$1\.so\.[0-9]*" "$cardan" | head -n 1)
  mkdir -p broken && : >"broken/$name"
  shift
  (export LD_LIBRARY_PATH=broken && refuse 1 "$name cannot be loaded" "$@")
done
[ ! -e late.png ] && [ ! -e late.h5 ] || fail "files of what could not be loaded"

# a method that cannot take the model reports it once, whatever the number of steps
"$cardan" compare pendulum --methods aba/rk4,rattle --time 0.2 --dt 0.02,0.01 >table
[ "$(grep -c 'rattle .*not run: ' table)" -eq 1 ] || fail "refusals: $(cat table)"
[ "$(grep -c 'aba/rk4' table)" -eq 2 ] || fail "table: $(cat table)"
echo "pages.sh: done"
