# SPDX-License-Identifier: Apache-2.0
"""A million objects made and dropped, and the process is no larger than after the first of them.

CARDAN_COPIES=1000000 makes that many of each kind; the default is a million of all together.
"""
import gc
import os
from typing import Callable

import pytest

import cardan


def built() -> cardan.Model:
    """By a Spec one of whose calls fails."""
    spec = cardan.Spec("arm")
    spec.mass(spec.joint("theta", axis=(0, 1, 0)), 1, at=(0, 0, -1))
    spec.input("push")
    spec.actuator("theta", "push")
    try:
        spec.joint("theta")
    except cardan.ModelError:
        pass
    return spec.build()


MODEL = cardan.load("pendulum:1")
DRIVEN = built()
SIM = MODEL.sim(method="vi", dt=1e-3)
DATA = MODEL.data()
KINDS: dict[str, tuple[int, Callable[[], object]]] = {
    "view of a model": (500_000, lambda: MODEL.q0),
    "view of a sim": (350_000, lambda: SIM.v),
    "Data": (100_000, MODEL.data),
    "Sim": (25_000, lambda: MODEL.sim(method="vi", dt=1e-3)),
    "Model": (10_000, lambda: cardan.load("pendulum:1")),
    "Spec": (2_000, built),
    "Linearization": (10_000, SIM.linearize),
    "Rollout": (1_000, lambda: cardan.rollout(MODEL, copies=3, steps=2)),
    "Env": (1_000, lambda: cardan.Env(DRIVEN, reward=lambda s, u: 0.0).reset()),
}
# a heap moves by some pages; 32 bytes, the least that malloc gives, lost by each Sim are 700 kB
ROOM = 1 << 18


def resident() -> int:
    """Of this process [bytes]."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(make: Callable[[], object], n: int) -> int:
    """Of the process by n objects more [bytes]."""
    before = resident()
    for _ in range(n):
        make()
    return resident() - before


@pytest.mark.parametrize("kind", KINDS)
def test_no_growth(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    usual, make = KINDS[kind]
    n = int(os.environ.get("CARDAN_COPIES", usual))
    growth(make, n // 10)
    gc.collect()
    objects = len(gc.get_objects())
    gc.disable()  # counting references is enough: nothing waits for the collector
    try:
        grown = growth(make, n - n // 10)
        # a new thread may open another heap of malloc's, now and then; a leak grows every time
        for _ in range(3):
            grown = grown if grown <= ROOM else growth(make, n - n // 10)
    finally:
        gc.enable()
    with capsys.disabled():
        print(f"\n{n:,} of {kind}: {grown / 1024:.0f} kB more than after the first tenth of them")
    assert grown <= ROOM
    assert len(gc.get_objects()) <= objects + 1000  # pytest makes some; one of each would be more
