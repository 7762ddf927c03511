# SPDX-License-Identifier: Apache-2.0
"""The C side of the package: what of include/cardan it sees, and its own few lines of C.

Usage: build_cardan.py OUT.c COMPILER [CPPFLAGS ..]        CMake calls it (python/CMakeLists.txt)

The compiler's preprocessor reads the public headers, cffi what comes out of it, so that every
struct and call here is the one of the library, checked once more when OUT.c is compiled. The
interpreter's lock is released in every call.
"""
import pathlib
import re
import subprocess
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent

# called by the library, answered in Python: cardan/_sim.py
CALLBACKS = """
extern "Python" cardan_status cardan_py_control(void *user, cardan_data *data,
                                                cardan_report *report);
extern "Python" void cardan_py_force(void *user, const cardan_instant *at, cardan_force *f,
                                     double *tau);
extern "Python" double cardan_py_event(void *user, int k, const cardan_data *data);
extern "Python" cardan_status cardan_py_at_event(void *user, int k, cardan_sim *sim,
                                                 cardan_report *report);
extern "Python" cardan_status cardan_py_row(void *user, const double *row, cardan_report *report);
extern "Python" cardan_status cardan_py_step(void *user, cardan_sim *sim,
                                             const cardan_run_state *at, cardan_report *report);
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
