#!/bin/sh
# Installs the package by pip without network into an environment of its own, uses it there from
# another folder, lets mypy find its types; builds a wheel that any Python from 3.9 on takes.
# usage: install.sh SOURCE_FOLDER BUILD_FOLDER PYTHON
set -eu
source=$1 build=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH
export CARDAN_BUILD="$build" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
version=$(sed -n 's/.*CARDAN_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' "$source/include/cardan/base.h" |
  paste -sd.)

"$python" -m venv --system-site-packages "$work/venv"
cd "$work"
venv/bin/pip -q install --no-index --no-build-isolation "$source/python"
venv/bin/python - "$work/venv" "$version" <<'END'
import importlib.metadata, sys
import cardan
folder, version = sys.argv[1:]
assert cardan.__file__.startswith(folder), cardan.__file__
assert cardan.__version__ == importlib.metadata.version("cardan") == version
sim = cardan.load("double-pendulum").sim(dt=1e-3)
sim.step(100)
print(f"cardan {version} from {cardan.__file__}: t = {sim.t:g} s")
END

# the installed types are found, and they say something: an int is no str. What mypy made of numpy
# in the test of types serves again
cat >right.py <<'END'
import cardan
n: int = cardan.load("pendulum:2").nq
END
sed 's/int/str/' right.py >wrong.py
"$python" -m mypy --strict --cache-dir "$build/mypy" --python-executable venv/bin/python \
  right.py wrong.py >said || true
grep -q 'wrong.py:2: error: .*has type "int", variable has type "str"' said &&
  grep -q '^Found 1 error' said || { cat said >&2; exit 1; }

venv/bin/pip -q wheel --no-index --no-build-isolation --no-deps -w wheels "$source/python"
ls wheels
ls wheels | grep -qx "cardan-$version-cp39-abi3-linux_[a-z0-9_]*\.whl"
"$python" -m zipfile -l wheels/*.whl >listed
for file in py.typed _cardan.pyi _cardan.abi3.so __init__.py; do
  grep -q "^cardan/$file " listed || { echo "no $file in the wheel" >&2; exit 1; }
done
! grep -q '_glue' listed || { echo "C sources in the wheel" >&2; exit 1; }

# the sources of the package alone are not enough to build it, and it reports it
! "$python" "$source/python/setup.py" -q sdist 2>said || { echo "made an sdist" >&2; exit 1; }
grep -q "there is no sdist of cardan" said || { cat said >&2; exit 1; }
