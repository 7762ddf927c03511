# SPDX-License-Identifier: Apache-2.0
"""Control, forces and events in Python: what they do; their exceptions reach the caller."""
import gc
import threading
import time
import traceback
import weakref

import cardan
import numpy as np
import pytest

THRUSTER = """(system "sled" (gravity 0 0 0)
  (tx "x" (mass 2 1 1 1) (name "sled")) (program "thruster") (initial ("x" 0.5)))"""
MOTOR = """(system "arm" (gravity 0 0 -9.81)
  (ry "a" (tz -1 (mass 1 0.1 0.1 0.1)))
  (input "drive") (actuator "motor" "a" "drive"))"""
BALL = """(system "ball" (gravity 0 0 -10) (tz "z" (mass 1 1 1 1)) (initial ("z" 1)))"""


def test_control_is_called_before_every_step_at_its_node():
    m = cardan.loads(MOTOR)
    seen = []

    def control(t, data, u):
        seen.append((t, data.q.copy(), data.v.copy(), data.pose(1)))
        u[0] = np.cos(t)

    s = m.sim(control=control, dt=0.01)
    by_hand = m.sim(dt=0.01)
    for k in range(20):
        by_hand.u[0] = np.cos(by_hand.t)
        q, v, pose = by_hand.q.copy(), by_hand.v.copy(), by_hand.data.pose(1)
        s.step()
        by_hand.step()
        assert seen[k][0] == k * 0.01
        assert all(np.array_equal(a, b) for a, b in zip(seen[k][1:], (q, v, pose)))
        assert np.array_equal(s.q, by_hand.q)
    assert len(seen) == 20


def test_control_may_push_and_use_all_of_data():
    m = cardan.load("pendulum:3")

    def hold(t, data, u):  # gravity compensation
        data.tau_in[:] = data.inverse(np.zeros(m.nv))

    s = m.sim(control=hold, dt=0.01)
    s.reset(q=[0.3, 0.2, 0.1], v=[0, 0, 0])
    s.step(100)
    # inverse() is exact at rest: rounding alone moves it, and the fall that this starts grows
    assert np.allclose(s.q, [0.3, 0.2, 0.1], atol=1e-9)


def test_torques_that_control_returns_are_taken():
    m = cardan.load("pendulum:3")
    wanted = np.array([0.3, 0.2, 0.1])

    def written(t, data, u):
        data.tau_in[:] = -2 * (data.q - wanted) - data.v

    def returned(t, data, u):
        return list(-2 * (data.q - wanted) - data.v) if t < 0.5 else None  # held from there on

    a, b = m.run(time=0.5, dt=0.01, control=written), m.run(time=0.5, dt=0.01, control=returned)
    assert np.array_equal(a.table, b.table) and np.abs(a.q - wanted).max() > 0
    assert not np.array_equal(a.q, m.run(time=0.5, dt=0.01).q)
    s = m.sim(control=returned, dt=0.01)
    s.step(60)
    assert np.any(s.tau_in != 0)
    one = cardan.load("pendulum:1").sim(control=lambda t, d, u: 0.25)  # one joint: a number will do
    one.step()
    assert one.tau_in.tolist() == [0.25]


@pytest.mark.parametrize("wrong, words", [
    ([1.0, 2.0], r"control returned has the shape \(2,\), expected \(3,\): control returns None, or"),
    (np.zeros((3, 1)), r"the shape \(3, 1\)"),
    ([0, np.nan, 0], "expected a finite number"),
    ("abc", "control returned"),
    (True, "control returned")])
def test_what_control_returns_must_be_torques(wrong, words):
    s = cardan.load("pendulum:3").sim(control=lambda t, d, u: wrong)
    with pytest.raises(cardan.ArgumentError, match=words):
        s.step()
    assert s.stats.steps == 0 and not np.any(s.tau_in)


class Own(Exception):
    pass


def raiser(error, after, value=None):
    calls = [0]

    def function(*args):
        calls[0] += 1
        if calls[0] == after:
            raise error
        return value
    return function


@pytest.mark.parametrize("error", [Own("mine"), KeyboardInterrupt(), SystemExit(3),
                                   StopIteration()])
def test_an_exception_of_control_comes_out_unchanged(error):
    s = cardan.load("pendulum:2").sim(control=raiser(error, 8))
    with pytest.raises(BaseException) as caught:
        s.step(20)
    assert caught.value is error
    assert any("function" in frame.name for frame in traceback.extract_tb(error.__traceback__))
    assert s.stats.steps == 7 and s.t == pytest.approx(0.07)
    s.step(3)
    plain = cardan.load("pendulum:2").sim()
    plain.step(10)
    assert np.array_equal(s.q, plain.q)


def test_an_exception_of_an_event_comes_out_and_the_sim_goes_on():
    error = Own()
    s = cardan.load("pendulum:2").sim(events=[cardan.Event(raiser(error, 12, 1.0))])
    with pytest.raises(Own) as caught:
        s.step(50)
    assert caught.value is error
    steps = s.stats.steps
    s.step(5)
    plain = cardan.load("pendulum:2").sim()
    plain.step(steps + 5)
    assert np.array_equal(s.q, plain.q)


def test_an_exception_at_a_crossing_comes_out():
    def then(t, data):
        raise Own(t)

    m = cardan.loads(BALL)
    s = m.sim(events=[cardan.Event(lambda t, d: d["z"] - 0.5, then=then)], dt=0.01)
    with pytest.raises(Own) as caught:
        s.step(100)
    assert caught.value.args[0] == pytest.approx(np.sqrt(0.1), abs=1e-12)
    assert s.q[0] == pytest.approx(0.5, abs=1e-12)


def test_events_are_found_where_they_are():
    m = cardan.loads(BALL)
    down = cardan.Event(lambda t, d: d.q[0] - 0.5, -1, name="half")
    up = cardan.Event(lambda t, d: d.q[0] - 0.5, 1)
    s = m.sim(events=[down, up], dt=0.01)
    s.step(50)
    (crossing,) = s.crossings
    # free fall is exact in vi at its nodes: z = 1 - 5 t^2
    assert crossing.event == 0 and crossing.name == "half"
    assert crossing.t == pytest.approx(np.sqrt(0.1), abs=1e-13)
    assert crossing.q[0] == pytest.approx(0.5, abs=1e-13)
    assert crossing.v[0] == pytest.approx(-10 * np.sqrt(0.1), abs=1e-12)
    s.reset()
    assert s.crossings == []


def test_an_event_may_change_the_state():
    m = cardan.loads(BALL)
    bounce = cardan.Event(lambda t, d: d.q[0], -1, lambda t, d: (None, -d.v))
    s = m.sim(events=[bounce], dt=0.01)
    s.step(300)
    fall = np.sqrt(0.2)
    times = [crossing.t for crossing in s.crossings]
    assert np.allclose(times, fall * (1 + 2 * np.arange(len(times))), atol=1e-9)
    assert len(times) == 3 and sum(s.energy()) == pytest.approx(10.0, abs=1e-9)


def test_an_event_may_stop_the_run():
    m = cardan.loads(BALL)
    stop = cardan.Event(lambda t, d: d.q[0], stop=True)
    s = m.sim(events=[stop], dt=0.01)
    s.step(1000)
    assert s.t == pytest.approx(0.45)  # the end of the step in which it lies: sqrt(0.2) = 0.447
    s.step(5)
    assert s.t == pytest.approx(0.5)
    r = m.run(events=[stop], dt=0.01, time=3)
    assert r.t[-1] == pytest.approx(0.45) and r.error is None and len(r.crossings) == 1


def test_events_and_hooks_that_are_none():
    m = cardan.load("pendulum:2")
    for wrong in ({"control": 3}, {"events": [print]}, {"force": 3}, {"force": print}):
        with pytest.raises(cardan.ArgumentError):
            m.sim(**wrong)
    for wrong in ((3,), (print, 2), (print, 0, 3), (print, True)):
        with pytest.raises(cardan.ArgumentError, match="event"):
            cardan.Event(*wrong)
    s = m.sim(events=[cardan.Event(lambda t, d: np.nan)])
    with pytest.raises(cardan.ArgumentError, match="finite"):
        s.step()
    s = m.sim(events=[cardan.Event(lambda t, d: t - 0.005, then=lambda t, d: 5)])
    with pytest.raises(cardan.ArgumentError, match="pair"):
        s.step()


@pytest.mark.parametrize("method", ["vi", "aba", "hamilton"])
def test_a_force_of_the_program_in_every_evaluation(method):
    m = cardan.loads(THRUSTER)
    with pytest.raises(cardan.Unsupported, match="program"):
        m.sim(method=method)

    def spring(at, tau, f):
        assert at.q.shape == at.v.shape == (1,) and at.R.shape == (m.nbody, 3, 3)
        assert at.p[1, 0] == at.q[0]
        tau[0] += -8 * at.q[0]

    s = m.sim(method=method, force=spring, dt=1e-3)
    s.step(1000)
    # x'' = -4 x; the midpoint rule's error is about (omega h)^2 t omega / 24 amplitude = 4e-7
    assert s.q[0] == pytest.approx(0.5 * np.cos(2 * s.t), abs=1e-6)


def test_a_wrench_of_the_program():
    m = cardan.loads(THRUSTER)

    def thrust(at, tau, f):  # along the world's x axis, in the body's own
        f[1, 3:] = at.R[1].T @ [4, 0, 0]

    s = m.sim(force=thrust, dt=0.01)
    s.step(100)
    assert s.v[0] == pytest.approx(2.0, abs=1e-12)  # a = f / m = 2 over 1 s


def test_an_exception_of_a_force_comes_out():
    m = cardan.loads(THRUSTER)
    error = Own()
    s = m.sim(force=raiser(error, 10))
    with pytest.raises(Own) as caught:
        s.step(100)
    assert caught.value is error and np.isfinite(s.q[0])
    steps = s.stats.steps
    s.step(2)
    assert s.stats.steps == steps + 2
    with pytest.raises(Own):
        m.sim(method="aba", force=raiser(Own(), 1)).step()


def test_an_exception_of_a_force_comes_out_of_data_too():
    fail = []

    def force(at, tau, f):
        if fail:
            raise Own

    s = cardan.loads(THRUSTER).sim(force=force)
    s.step(3)
    s.data.forward()
    fail.append(1)
    with pytest.raises(Own):
        s.data.forward()
    fail.clear()
    s.data.forward()
    s.step()


def test_data_that_outlives_a_sim_with_a_force():
    s = cardan.loads(THRUSTER).sim(force=lambda at, tau, f: None)
    s.step()
    data = s.data
    del s
    gc.collect()
    with pytest.raises(cardan.Error):
        data.forward()


def test_a_sim_within_its_own_hook_is_refused():
    m = cardan.load("pendulum:2")
    faults = []

    def control(t, data, u):
        for call in (s.step, s.reset, s.snapshot_save, lambda: s.stats, lambda: s.row()):
            with pytest.raises(cardan.Busy) as caught:
                call()
            faults.append(str(caught.value))
        assert np.array_equal(s.q, data.q) and np.array_equal(s.v, data.v) and s.t == t

    s = m.sim(control=control)
    s.step(2)
    assert len(faults) == 10 and "hook" in faults[0]


def test_hooks_are_freed_with_their_sim():
    class Control:
        def __call__(self, t, data, u):
            pass

    control = Control()
    gone = weakref.ref(control)
    s = cardan.load("pendulum:2").sim(control=control, events=[cardan.Event(lambda t, d: 1.0)])
    s.step()
    del s, control
    assert gone() is None

    def cycle():
        def control(t, data, u):
            assert s is not None
        s = cardan.load("pendulum:2").sim(control=control)
        s.step()
        return weakref.ref(s)
    gone = cycle()
    gc.collect()
    assert gone() is None


def test_other_threads_run_while_c_steps():
    class Enough(Exception):
        pass

    begun, enough, ended = threading.Event(), threading.Event(), []

    def control(t, d, u):
        begun.set()
        if enough.is_set():
            raise Enough

    def steps():
        try:
            s.step(10 ** 9)  # hours
        except Enough:
            ended.append(True)

    s = cardan.load("pendulum:5").sim(control=control)
    thread = threading.Thread(target=steps)
    thread.start()
    begun.wait()
    for _ in range(10):  # turns of this thread, all of them within that call
        time.sleep(0)
    enough.set()
    thread.join()
    assert ended == [True]


@pytest.mark.parametrize("call", ["forward", "step"])
def test_a_force_cannot_ask_for_what_asks_for_it(call):
    """The data of the node is in the midst of forward() then: it would add up forces twice."""
    m = cardan.loads(THRUSTER)

    def force(at, tau, f):
        tau[0] = 1
        if again:
            s.data.forward() if call == "forward" else s.step()

    again = []
    s = m.sim(force=force, dt=0.01)
    assert s.data.forward() == 0.5
    again.append(True)
    with pytest.raises(cardan.Busy):
        s.data.forward()
    again.clear()
    assert s.data.forward() == 0.5 and s.t == 0


def test_the_arrays_of_an_instant_stay_where_c_finds_them():
    m = cardan.loads(THRUSTER)
    faults = []

    def force(at, tau, f):
        for change in (lambda: tau.resize(10, refcheck=False), lambda: setattr(at, "q", None),
                       lambda: at.q.resize(0, refcheck=False)):
            with pytest.raises((ValueError, AttributeError)) as fault:
                change()
            faults.append(fault)
        gc.collect()

    s = m.sim(force=force, dt=0.01)
    s.step(3)
    assert s.q[0] == 0.5 and len(faults) >= 9


def test_a_force_that_is_no_number_is_named():
    m = cardan.loads(THRUSTER)
    for name in ("tau", "f"):
        def force(at, tau, f):
            (tau if name == "tau" else f[1])[0] = np.nan

        with pytest.raises(cardan.NotFinite, match=f"nan in {name}"):
            m.sim(force=force, dt=0.01).step()


def test_events_of_any_kind_of_collection():
    m = cardan.loads(BALL)
    made = [cardan.Event(lambda t, d: t - 0.0155, stop=True)]
    for events in (made, tuple(made), iter(made), (event for event in made)):
        s = m.sim(dt=1e-3, events=events)
        s.step(100)
        assert s.t == pytest.approx(0.016) and len(s.crossings) == 1
    for wrong in (made[0], 5, [lambda t, d: t]):
        with pytest.raises(cardan.ArgumentError, match="events"):
            m.sim(dt=1e-3, events=wrong)


def test_what_then_returns_is_normalised_or_refused():
    m = cardan.load("tumbler")

    def at(q):
        event = cardan.Event(lambda t, d: t - 0.0015, then=lambda t, d: (q, None))
        return m.sim(method="vi", dt=1e-3, events=[event])

    long, unit = at(2 * m.q0), at(m.q0)
    long.step(5)
    unit.step(5)
    assert np.array_equal(long.q, unit.q)  # twice is exact
    with pytest.raises(cardan.ArgumentError, match="q of then has a quaternion of length 0"):
        at(np.zeros(7)).step(5)
