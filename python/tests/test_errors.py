# SPDX-License-Identifier: Apache-2.0
"""Every kind of Error, raised by what it stands for, and what it carries."""
import copy
import pathlib
import pickle
import subprocess
import sys
import threading
from typing import Any, Callable, Dict, Type

import numpy as np
import pytest

import cardan
from cardan._cardan import ffi, lib
from cardan._error import KINDS, check

FOURBAR = """(system (gravity 0 0 -9.81)
  (place (0 0 0) (ry "q1" (mass 1 0.1 0.1 0.1) (tx 1 (name "A") (ry "q2" (mass 1 0.1 0.1 0.1)
    (tx 2 (name "B"))))))
  (place (2 0 0) (ry "q3" (mass 1 0.1 0.1 0.1) (tx 1 (name "C"))))
  (point-constraint "B" "C" 1 0 0 (name "px")) (point-constraint "B" "C" 0 0 1))"""

OPEN = """(system (rz "a" (mass 1 1 1 1) (tx 1 (name "A")))
  (place (9 0 0) (name "B")) (coincide "A" "B" (name "far")))"""

RUNAWAY = """(system (gravity 0 0 0) (tx "x" (mass 1)) (torque "x" (* v.x v.x))
  (initial ("x" 0 1)))"""


def no_memory() -> None:
    """A child that may take no more memory tells which error it gets."""
    code = """
import cardan, resource
m = cardan.load("chain:20000")
with open("/proc/self/statm") as file:
    pages = int(file.read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, ((pages + 256) * 4096, resource.RLIM_INFINITY))
try:
    [m.data() for _ in range(100)]
except cardan.Error as e:
    print(type(e).__name__, e.status, isinstance(e, MemoryError))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"OutOfMemory {lib.CARDAN_ERR_MEMORY} True\n"
    raise cardan.OutOfMemory("in a child")


def not_closed() -> None:
    cardan.loads(OPEN).data().assemble()


def no_inertia() -> None:
    cardan.loads('(system (rz "a"))').data().mass_matrix_inverse()


def singular() -> None:
    cardan.loads(FOURBAR).data().forward()  # flat: it may continue either way


def far_away() -> None:
    d = cardan.load("pendulum:2").data()
    d.inverse_kinematics({d.model.nframe - 1: (50, 0, 0)})


def not_finite() -> None:
    d = cardan.load("pendulum:2").data()
    d.q[1] = np.nan
    d.kinematics()


def stopped() -> None:
    """A sink of one's own that wants no more, which only C has."""
    stop = ffi.callback(
        "cardan_status(void *, cardan_sim *, const cardan_run_state *, cardan_report *)",
        lambda *_: lib.CARDAN_ERR_STOPPED)
    sink = ffi.new("cardan_sink *", {"step": stop})
    s, report = cardan.load("pendulum").sim(), ffi.new("cardan_report *")
    check(lib.cardan_run(s._c, 5, sink, 1, ffi.NULL, report), report)


def jump() -> None:
    cardan.load("double-pendulum").run(method="aba", integrator="euler", dt=0.1, time=2,
                                       strict=True)


STIFF = """(system (tx "x" (mass 1 .1 .1 .1)) (joint-spring "x" 1e6 0) (initial ("x" 0.1)))"""

KINDS_RAISED: Dict[Type[cardan.Error], Callable[[], Any]] = {
    cardan.OutOfMemory: no_memory,
    cardan.ArgumentError: lambda: cardan.load("pendulum:0"),
    cardan.ModelSyntaxError: lambda: cardan.loads("(system\n  (rz"),
    cardan.ModelError: lambda: cardan.loads('(system (rz "a" (mass -1)))'),
    cardan.AssemblyError: not_closed,
    cardan.Unsupported: lambda: cardan.load("closed-chain").data().forward_slopes(),
    cardan.NoInertia: no_inertia,
    cardan.Singular: singular,
    cardan.NotConverged: far_away,
    cardan.NotFinite: not_finite,
    cardan.StepTooSmall: lambda: cardan.loads(RUNAWAY).sim(
        method="aba", integrator="dopri5", dt=0.1).step(20),
    cardan.FileError: lambda: cardan.load("no-such-file.mbs"),
    cardan.Stopped: stopped,
    cardan.NoRoot: lambda: cardan.load("chain:10").sim(method="vi", dt=0.5).step(60),
    cardan.Jump: jump,
    cardan.BlewUp: lambda: cardan.loads(STIFF).run(time=1, method="rattle"),
    cardan.Strict: lambda: cardan.load("pendulum").run(time=1, max_error=1e-9, strict=True),
}


def test_every_status_has_a_kind_and_every_kind_is_raised_here() -> None:
    statuses = {getattr(lib, name) for name in dir(lib) if name.startswith("CARDAN_ERR_")}
    assert statuses == set(KINDS)
    assert set(KINDS.values()) == set(KINDS_RAISED)


@pytest.mark.parametrize("kind", KINDS_RAISED, ids=[kind.__name__ for kind in KINDS_RAISED])
def test_kind(kind: Type[cardan.Error]) -> None:
    with pytest.raises(kind) as caught:
        KINDS_RAISED[kind]()
    e = caught.value
    assert type(e) is kind
    assert KINDS[e.status] is kind and e.status < 0
    assert e.message and e.message in str(e) and "\n" not in str(e)


def test_kinds_are_pythons_own_too() -> None:
    assert issubclass(cardan.ArgumentError, ValueError)
    assert issubclass(cardan.FileError, OSError)
    assert issubclass(cardan.OutOfMemory, MemoryError)


def test_a_place_in_a_text() -> None:
    with pytest.raises(cardan.ModelError) as caught:
        cardan.loads('(system\n  (rz "a" (mass x)))', name="mine")
    e = caught.value
    assert (e.file, e.line, e.column) == ("mine.mbs", 2, 17)
    assert str(e).startswith("mine.mbs:2:17: ")


def test_a_place_in_a_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.mbs"
    path.write_text('(system\n\n  (rz "a" (mass -1)))')
    with pytest.raises(cardan.ModelError) as caught:
        cardan.load(path)
    assert caught.value.line == 3 and caught.value.file is not None
    assert caught.value.file.endswith("bad.mbs")


def test_a_joint_without_inertia_is_named() -> None:
    with pytest.raises(cardan.NoInertia) as caught:
        cardan.loads('(system (rz "wrist"))').data().mass_matrix_inverse()
    assert caught.value.joint == "wrist"


def test_errors_are_pickled_with_all_they_carry() -> None:
    e = cardan.NotConverged("it did not", "x.mbs", 3, 4)
    e.t, e.joint, e.residual = 0.5, "elbow", 1e-3
    for again in (pickle.loads(pickle.dumps(e)), copy.copy(e)):
        assert type(again) is cardan.NotConverged and str(again) == str(e)
        assert (again.file, again.line, again.column) == ("x.mbs", 3, 4)
        assert (again.t, again.joint, again.residual) == (0.5, "elbow", 1e-3)
    e2 = pickle.loads(pickle.dumps(cardan.FileError("not there")))
    assert str(e2) == "not there" and isinstance(e2, OSError)


def test_state_stays_after_a_failure() -> None:
    d = cardan.loads(OPEN).data()
    d["a"] = 0.3
    with pytest.raises(cardan.AssemblyError):
        d.assemble()
    assert d["a"] == 0.3
    d.energy()


def test_two_threads_at_once_are_refused() -> None:
    """One of them holds the guard as a call does, while the other comes."""
    d = cardan.load("pendulum").data()
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with d._guard:
            inside.set()
            leave.wait(10)
    other = threading.Thread(target=hold)
    other.start()
    inside.wait(10)
    try:
        with pytest.raises(cardan.Busy, match="another thread"):
            d.energy()
    finally:
        leave.set()
        other.join()
    d.energy()


def test_two_threads_in_earnest() -> None:
    """Long calls that overlap: each answers right or is refused; nothing else happens."""
    d = cardan.load("tree:1000").data()
    expected = d.coriolis()
    busy, faults = [0], []

    def work() -> None:
        for _ in range(30):
            try:
                if not np.array_equal(d.coriolis(), expected):
                    faults.append("other numbers")
            except cardan.Busy:
                busy[0] += 1
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and busy[0] > 0
