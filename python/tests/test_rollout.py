# SPDX-License-Identifier: Apache-2.0
"""Many copies of one model: the bits of single runs, on any number of threads."""
import _thread
import threading
import time
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

import cardan

Array = NDArray[np.float64]

ARM = """(system "arm" (gravity 0 0 -9.81) (parameter LOAD 1)
  (define TWICE (* 2 LOAD))
  (parameter LEAN 0.5) (ry "a" (tz -1 (mass LOAD) (joint revolute "b" (axis LEAN 1 0)
  (tz -1 (name "tip") (mass 1))))) (input "push" 0) (torque "a" u.push)
  (output "height" (pz "tip")) (initial ("a" 0.3)))"""


def arm() -> cardan.Model:
    return cardan.Spec.read(ARM, format="mbs").build()


def starts(m: cardan.Model, n: int) -> Array:
    random = np.random.default_rng(1)
    return m.q0 + random.uniform(-0.1, 0.1, (n, m.nq))


@pytest.mark.parametrize("name, method", [
    ("pendulum:3", "vi"), ("pendulum:3", "aba"), ("closed-chain", "vi"), ("closed-chain", "aba"),
    ("coin", "vi")])
def test_bits_of_single_sims_on_any_threads(name: str, method: str) -> None:
    m = cardan.load(name)
    n, steps = 7, 20
    q0 = starts(m, n) if name.startswith("pendulum") else np.tile(m.q0, (n, 1))
    lanes = "off" if name == "closed-chain" else "auto"  # in lanes to the tolerance of the step
    found = [cardan.rollout(m, q0, steps=steps, dt=1e-3, method=method, threads=k,
                            lanes=lanes).check() for k in (0, 1, 2, 3, 5)]
    for other in found[1:]:
        assert other.q.tobytes() == found[0].q.tobytes()
        assert other.v.tobytes() == found[0].v.tobytes()
    single = m.sim(method=method, dt=1e-3)
    if not name.startswith("pendulum"):
        for k in range(steps):
            single.step()
            assert single.q.tobytes() == found[0].q[3, k + 1].tobytes()
            assert single.v.tobytes() == found[0].v[3, k + 1].tobytes()
    assert found[0].q.shape == (n, steps + 1, m.nq) and found[0].v.shape == (n, steps + 1, m.nv)
    assert np.array_equal(found[0].t, 1e-3 * np.arange(steps + 1))


def test_pieces_do_not_change_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    m = cardan.load("pendulum:3")
    q0 = starts(m, 100)
    whole = cardan.rollout(m, q0, steps=10)
    monkeypatch.setattr("cardan._rollout.PIECE", 1e-6)
    parts = cardan.rollout(m, q0, steps=10)
    assert whole.q.tobytes() == parts.q.tobytes()


def test_starts_inputs_and_parameters_for_all_or_each() -> None:
    m = arm()
    each = cardan.rollout(m, np.tile([0.1, 0.2], (3, 1)), np.zeros((3, 2)), np.ones((3, 5, 1)),
                          parameters={"LOAD": [2, 2, 2]}).check()
    every = cardan.rollout(m, [0.1, 0.2], [0, 0], np.ones((5, 1)), copies=3,
                           parameters={"LOAD": 2}).check()
    held = cardan.rollout(m, [0.1, 0.2], [0, 0], [1], copies=3, steps=5,
                          parameters={"LOAD": 2}).check()
    assert each.q.tobytes() == every.q.tobytes() == held.q.tobytes()
    assert each.y.shape == (3, 6, 1)
    assert np.array_equal(each.q[0], each.q[2])
    # pz of the tip, wrong by rounding of sums of three terms
    a, b = each.q[0, :, 0], each.q[0, :, 1]
    assert np.all(np.abs(each.y[0, :, 0]) <= 2 + 1e-15) and np.all(np.isfinite(a + b))
    other = cardan.rollout(m, [0.1, 0.2], [0, 0], [1], steps=5, parameters={"LOAD": [2, 3]}).check()
    assert len(other) == 2 and not np.array_equal(other.q[0], other.q[1])
    assert other.q[0].tobytes() == each.q[0].tobytes()
    # the model is as it was
    plain = cardan.rollout(m, [0.1, 0.2], [0, 0], [1], steps=5).check()
    assert plain.q[0].tobytes() != each.q[0].tobytes()


def test_rows_record_and_out() -> None:
    m = arm()
    whole = cardan.rollout(m, steps=10)
    third = cardan.rollout(m, steps=10, every=3, record=("q",))
    assert third.v.shape == (1, 0, 2) and third.y.shape == (1, 0, 1)
    assert np.array_equal(third.q, whole.q[:, ::3]) and np.array_equal(third.t, whole.t[::3])
    again = cardan.rollout(m, [0.5, 0.5], steps=10, out=whole)
    assert again.q is whole.q and again.q[0, 0, 0] == 0.5
    with pytest.raises(cardan.ArgumentError, match="out.q has the shape"):
        cardan.rollout(m, steps=11, out=whole)
    assert cardan.rollout(m, steps=0).q.shape == (1, 1, 2)
    assert cardan.rollout(m, steps=3, copies=0).q.shape == (0, 4, 2)


def test_a_failed_copy_leaves_the_others_whole() -> None:
    """A copy whose arm turns far too fast for its steps."""
    m = cardan.load("pendulum:3")
    v0 = np.zeros((40, m.nv))
    v0[[17, 33]] = 1e9
    found = cardan.rollout(m, None, v0, steps=20, dt=0.1)
    good = cardan.rollout(m, None, np.zeros((40, m.nv)), steps=20, dt=0.1).check()
    assert np.flatnonzero(~found.ok).tolist() == [17, 33]
    assert np.all(np.isnan(found.q[17, -1])) and np.all(np.isfinite(found.q[17, 0]))
    rest = np.flatnonzero(found.ok)
    assert found.q[rest].tobytes() == good.q[rest].tobytes()
    assert found.message.startswith("copy 17: ") and "(2 of 40 failed)" in found.message
    with pytest.raises(cardan.Error, match="copy 17: ") as caught:
        found.check()
    assert caught.value.status == found.status[17] < 0
    assert "2 failed" in repr(found)


STIFF = """(system (tx "x" (mass 1 .1 .1 .1)) (joint-spring "x" 1e6 0) (initial ("x" 0.1)))"""


@pytest.mark.parametrize("lanes", ["auto", "off"])
def test_a_motion_that_blew_up_is_not_ok(lanes: str) -> None:
    m = cardan.loads(STIFF)
    q0 = np.array([[0.1], [0.0], [0.2]])
    with pytest.warns(cardan.MotionWarning, match="2 of 3 copies blew up; copy 0: .*blew up"):
        found = cardan.rollout(m, q0, steps=40, dt=0.01, lanes=lanes, method="aba")
    assert found.ok.tolist() == [False, True, False]
    assert np.isfinite(found.q[0, 0, 0]) and np.isnan(found.q[0, -1, 0])
    assert np.abs(found.q[found.ok]).max() == 0
    with pytest.raises(cardan.BlewUp, match="the motion blew up"):
        found.check()


WRONG: List[Tuple[Dict[str, Any], str]] = [
    (dict(), "steps is not given"),
    (dict(steps=-1), "steps is -1, expected 0"),
    (dict(steps=2.5), "steps is 2.5, expected a whole number"),
    (dict(steps=True), "steps is True"),
    (dict(steps=5, threads=-1), "threads is -1"),
    (dict(steps=5, copies=-1), "copies is -1"),
    (dict(steps=5, q0=[1, 2, 3]), r"q0 has the shape \(3,\), expected \(n, 2\), or \(2,\)"),
    (dict(steps=5, q0=["a", "b"]), "q0 is an array of <U1"),
    (dict(steps=5, q0=[1j, 0]), "q0 is an array of complex128"),
    (dict(steps=5, q0=[0, np.nan]), r"q0\[1\] is nan, expected a finite number"),
    (dict(steps=5, q0=np.zeros((2, 2)), v0=np.zeros((3, 2))), "v0 is of 3 copies, but q0 of 2"),
    (dict(steps=5, copies=4, v0=np.zeros((3, 2))), "v0 is of 3 copies, but copies of 4"),
    (dict(u=[1.0]), "u has the shape .* and steps is not given"),
    (dict(steps=4, u=np.zeros((5, 1))), r"u has the shape \(5, 1\), expected \(n, 4, 1\)"),
    (dict(steps=4, u=np.full((4, 1), np.inf)), r"u\[0, 0\] is inf"),
    (dict(steps=5, parameters={"LOD": 1}), "no parameter 'LOD'; did you mean 'LOAD'"),
    (dict(steps=5, parameters={"TWICE": 1}), "'TWICE' is computed from others"),
    (dict(steps=5, parameters={"LEAN": 1}), "'LEAN' is used where only reading"),
    (dict(steps=5, parameters={"LOAD": [[1]]}),
     r"LOAD.* has the shape \(1, 1\), expected \(n,\), or one number"),
    (dict(steps=5, record=("x",)), "record has 'x'"),
    (dict(steps=5, record=3), "record is 3"),
    (dict(steps=5, out=3), "out is 3, expected what an earlier call returned"),
    (dict(steps=5, parameters=3), "parameters is 3, expected a mapping"),
    (dict(steps=5, metod="vi"), "metod"),
    (dict(steps=5, dt=-1), "dt"),
    (dict(steps=5, method="vi", integrator="rk4"), "integrator"),
]


@pytest.mark.parametrize("arguments, match", WRONG, ids=[match for _, match in WRONG])
def test_wrong_arguments_are_named(arguments: Dict[str, Any], match: str) -> None:
    with pytest.raises(cardan.Error, match=match):
        cardan.rollout(arm(), **arguments)


def test_an_interrupt_comes_out_at_once() -> None:
    m = cardan.load("chain:100")
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):  # all of it would take days
        cardan.rollout(m, copies=10000, steps=10**8, record=(), threads=2)


def test_other_threads_work_meanwhile() -> None:
    """The interpreter's lock is free: a thread in Python counts on while C runs."""
    m = cardan.load("pendulum:3")
    count, done = [0], threading.Event()

    def work() -> None:
        while not done.is_set():
            count[0] += 1
            time.sleep(1e-4)
    other = threading.Thread(target=work)
    other.start()
    time.sleep(0.01)
    for k in range(12):  # a busy machine may give the other thread nothing in a short call
        before = count[0]
        cardan.rollout(m, copies=100, steps=200 * 2**k, record=(), threads=1)
        after = count[0]
        if after > before + 5:
            break
    done.set()
    other.join()
    assert after > before + 5


def test_from_several_threads_at_once() -> None:
    m = cardan.load("pendulum:3")
    found: List[bytes] = [b""] * 4

    def work(k: int) -> None:
        found[k] = cardan.rollout(m, starts(m, 20), steps=20).q.tobytes()
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and found[0]


def test_record_is_a_sequence_of_known_names() -> None:
    for wrong in (iter(("q", "v")), 5, ("q", 1), ("q", "x")):
        with pytest.raises(cardan.ArgumentError, match="record"):
            cardan.rollout(arm(), steps=2, record=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["pile", "tumbler"])
@pytest.mark.parametrize("length", [1.0, 1.1])
def test_quaternions_are_taken_as_a_sim_takes_them(name: str, length: float) -> None:
    m = cardan.load(name)
    q0 = np.array(m.q0)
    q0[3:7] *= length
    sim = m.sim(dt=1e-3)
    sim.reset(q=q0)
    found = cardan.rollout(m, q0, steps=3, dt=1e-3, lanes="off").check()
    assert np.array_equal(found.q[0, 0], sim.q)
    sim.step(3)
    assert np.array_equal(found.q[0, -1], sim.q) and np.array_equal(found.v[0, -1], sim.v)
    assert q0[3] == m.q0[3] * length  # not written to
