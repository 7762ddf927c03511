# SPDX-License-Identifier: Apache-2.0
"""What a call from Python adds to one from C: a step and inverse dynamics of the humanoid, in turns
of some calls each by a loop of C (calls.c) and one of Python, the best turn of each.

Usage: PYTHONPATH=build/python python3 python/bench/step.py [TURNS [CALLS]]

Exits with 1 where a step from Python takes 0.5 us more than one from C. (Inverse dynamics checks
two arrays first: it is shown, not judged.)
"""
import ctypes
import pathlib
import sys
import time
from typing import Any, Callable, Tuple

import numpy as np

import cardan
from cardan._cardan import ffi

DEARER = 0.5  # [us], at most
WARM = 20  # calls before those that count
Pair = Tuple[Callable[[int], object], Callable[[int], object]]  # n calls by C, by Python


def c_loops() -> ctypes.CDLL:
    """calls.c, built beside the package."""
    loops = ctypes.CDLL(str(pathlib.Path(cardan.__file__).parent.parent / "bench" / "calls.so"))
    here = ctypes.c_void_p
    loops.bench_steps.argtypes = here, ctypes.c_int, here
    loops.bench_inverse.argtypes = here, here, here, here, ctypes.c_int
    loops.bench_inverse.restype = None
    return loops


def address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def steps(model: cardan.Model, loops: ctypes.CDLL) -> Pair:
    """Of the variational integrator: two sims at one start."""
    by_c = model.sim(method="vi", dt=1e-3)
    by_python = model.sim(method="vi", dt=1e-3)
    report = ffi.new("cardan_report *")

    def python(n: int) -> None:
        step = by_python.step
        for _ in range(n):
            step()

    def c(n: int) -> None:
        status = loops.bench_steps(address(by_c._c), n, address(report))
        assert status == 0, status

    return c, python


def inverses(model: cardan.Model, loops: ctypes.CDLL) -> Pair:
    """Two states alike, and accelerations."""
    states = model.data(), model.data()
    a, tau = np.linspace(-1.0, 1.0, model.nv), np.zeros((2, model.nv))
    for data in states:
        data.v[:] = 0.1

    def python(n: int) -> None:
        inverse, out = states[1].inverse, tau[1]
        for _ in range(n):
            inverse(a, out)

    def c(n: int) -> None:
        loops.bench_inverse(address(model._c), address(states[0]._c), a.ctypes.data,
                            tau.ctypes.data, n)

    return c, python


def seconds(call: Callable[[int], object], n: int) -> float:
    call(WARM)
    began = time.perf_counter()
    call(n)
    return time.perf_counter() - began


def compare(name: str, make: Callable[[], Pair], turns: int, calls: int) -> float:
    """Prints both; how much dearer Python is [us]. Every turn begins at the same state."""
    best = [np.inf, np.inf]
    for turn in range(turns):
        pair = make()
        for k in (turn % 2, 1 - turn % 2):
            best[k] = min(best[k], seconds(pair[k], calls) / calls * 1e6)
    print(f"  {name:16} C {best[0]:.2f} us, Python {best[1]:.2f} us, {best[1] - best[0]:+.2f} us")
    return float(best[1] - best[0])


def main(turns: int = 300, calls: int = 100) -> int:
    model, loops = cardan.load("humanoid"), c_loops()
    print(f"humanoid, best of {turns} turns of {calls} calls each, one beside the other")
    dearer = compare("step", lambda: steps(model, loops), turns, calls)
    compare("inverse dynamics", lambda: inverses(model, loops), turns, calls)
    return int(dearer > DEARER)


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
