# SPDX-License-Identifier: Apache-2.0
"""The C side of the package: what of include/cardan it sees, and its own few lines of C.

Usage: build_cardan.py OUT.c COMPILER [CPPFLAGS ..]        CMake calls it (python/CMakeLists.txt)

The compiler's preprocessor reads the public headers, and cffi reads its output, so that every
struct and call here is the one of the library, checked once more when OUT.c is compiled. The
interpreter's lock is released in every call.
"""
import pathlib
import re
import subprocess
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent

# called by the package's C, answered in Python: cardan/_hooks.py, _compare.py, _sweep.py
CALLBACKS = """
extern "Python" int cardan_py_on_control(void *handle);
extern "Python" double cardan_py_on_event(void *handle, int k);
extern "Python" int cardan_py_on_crossing(void *handle, int k);
extern "Python" int cardan_py_on_force(void *handle);
extern "Python" int cardan_py_on_look(void *handle, double fraction);
extern "Python" int cardan_py_on_begin(void *handle, int contender, cardan_sim *sim,
                                       cardan_sink *sinks, int *nsink);
extern "Python" int cardan_py_on_compare(void *handle, double fraction);
extern "Python" cardan_status cardan_py_on_sweep(void *handle, const cardan_sweep_progress *at);
"""


def declarations(header: pathlib.Path, compiler: str, flags: list[str]) -> str:
    """What a header and those of Cardan below it declare, as cffi reads it: no macros, no
    attributes, nothing of the system's headers."""
    command = [compiler, "-E", "-D__attribute__(x)=", *flags, str(header)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}:\n{done.stderr}")
    kept, ours = [], False
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            ours = pathlib.Path(marker[1]).parent.name == "cardan"
        elif ours and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def builder(compiler: str, flags: list[str]) -> cffi.FFI:
    ffi = cffi.FFI()
    ffi.cdef(declarations(HERE / "cardan" / "_glue.h", compiler, flags))
    ffi.cdef(CALLBACKS)
    ffi.set_source("cardan._cardan", '#include "_glue.h"\n')
    return ffi


if __name__ == "__main__":
    out, compiler, *flags = sys.argv[1:]
    builder(compiler, flags).emit_c_code(out)
