# SPDX-License-Identifier: Apache-2.0
"""What rollout() adds to the C call: 1,024 copies of the humanoid, in turn beside each other, the
best of several by the clock and by what all cores spent. Exits with 1 where the clock has 5 % more.

Usage: PYTHONPATH=build/python python3 python/bench/rollout.py [COPIES [STEPS [TURNS]]]
"""
import sys
import time
from typing import Callable, List, Tuple

import numpy as np

import cardan
from cardan._cardan import ffi, lib
from cardan._options import options_of
from cardan._views import Array


def pointer(array: Array) -> object:
    return ffi.from_buffer("double[]", array.reshape(-1))


def c_call(model: cardan.Model, q0: Array, steps: int) -> None:
    """cardan_rollout itself, into new arrays as rollout() makes them."""
    n = len(q0)
    q, v = np.empty((n, steps + 1, model.nq)), np.empty((n, steps + 1, model.nv))
    options = options_of(model, {"dt": 1e-3})
    inputs, outputs = pointer(q0), (pointer(q), pointer(v))
    status = lib.cardan_rollout(ffi.new("cardan_rollout_args *", {
        "model": model._c, "options": options, "nbatch": n, "nstep": steps, "q0": inputs,
        "q": outputs[0], "v": outputs[1]}), ffi.NULL)
    assert status == 0, status


def seconds(call: Callable[[], object]) -> Tuple[float, float]:
    """By the clock, and of all cores."""
    began, spent = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - spent


def main(copies: int = 1024, steps: int = 100, turns: int = 7) -> int:
    model = cardan.load("humanoid")
    q0 = np.tile(model.q0, (copies, 1))
    c: List[Tuple[float, float]] = []
    python: List[Tuple[float, float]] = []
    for _ in range(turns):
        c.append(seconds(lambda: c_call(model, q0, steps)))
        python.append(seconds(lambda: cardan.rollout(model, q0, steps=steps, dt=1e-3)))
    scale = 1e6 / (copies * steps)
    print(f"humanoid, {copies} copies, {steps} steps, best of {turns}")
    for what, k in (("clock", 0), ("cores", 1)):
        ours, theirs = min(pair[k] for pair in python), min(pair[k] for pair in c)
        print(f"  {what}: C {theirs * scale:.3f} us a step, Python {ours * scale:.3f} us, "
              f"{100 * (ours / theirs - 1):+.1f} %")
    return int(min(python)[0] > 1.05 * min(c)[0])


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
