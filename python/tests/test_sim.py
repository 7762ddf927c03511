# SPDX-License-Identifier: Apache-2.0
"""Sim: steps, states, what it tells, and that nothing done from outside changes its motion."""
import copy
import ctypes
import decimal
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import cardan
import numpy as np
import pytest

METHODS = ("vi", "svi", "aba", "hamilton", "baraff", "half-implicit", "fully-implicit", "rattle")


@pytest.fixture(scope="module")
def arm():
    return cardan.load("pendulum:3")


def test_steps_are_the_same_one_by_one_and_together(arm):
    one, many = arm.sim(dt=1e-2), arm.sim(dt=1e-2)
    for _ in range(50):
        one.step()
    many.step(50)
    assert one.t == many.t == 0.5
    assert np.array_equal(one.q, many.q) and np.array_equal(one.v, many.v)
    assert one.stats == many.stats


def test_q_follows_and_is_read_only(arm):
    s = arm.sim()
    q, before = s.q, s.q.copy()
    s.step(10)
    assert not np.array_equal(q, before) and np.shares_memory(q, s.q)
    for array in (s.q, s.v, s.data.q, s.data.v):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_views_outlive_the_sim(arm):
    s = arm.sim()
    s.step(3)
    q, u, data = s.q, s.tau_in, s.data
    kept = q.copy()
    gone = weakref.ref(s)
    del s
    assert gone() is None  # no cycle: freed at once
    gc.collect()
    u[:] = 1.0
    assert np.array_equal(q, kept) and data.pose(1).shape == (4, 4)


def test_reset_by_array_by_name_and_by_keyframe():
    m = cardan.load("pendulum:2")
    s = m.sim()
    s.reset(q=[0.1, 0.2], v={m.v_names[1]: 3.0}, t=5.0)
    assert s.t == 5.0 and s.q.tolist() == [0.1, 0.2] and s.v.tolist() == [m.v0[0], 3.0]
    s.step()
    assert s.t == 5.0 + s.options["dt"]
    s.reset()
    assert s.t == 0 and np.array_equal(s.q, m.q0) and s.stats.steps == 0


def test_keyframes():
    m = cardan.loads("""(system "arm" (gravity 0 0 -9.81)
      (ry "a" (tz -1 (mass 1 0.1 0.1 0.1) (name "m")))
      (at "m" (ry "b" (tz -1 (mass 1 0.1 0.1 0.1))))
      (initial ("a" 1)) (keyframe "home" ("a" 0.5 2) ("b" 0.25)))""")
    s = m.sim()
    s.reset(keyframe="home")
    assert s.q.tolist() == [0.5, 0.25] and s.v.tolist() == [2, 0]
    other = m.sim(keyframe="home")
    assert other.options["keyframe"] == "home" and other.model.q0.tolist() == [0.5, 0.25]
    s.step(5)
    other.step(5)
    assert np.array_equal(s.q, other.q) and m.q0.tolist() == [1, 0]
    s.reset(q=m.q0, keyframe="home")  # the array counts, even where it is the model's own
    assert s.q.tolist() == [1, 0] and s.v.tolist() == [2, 0]
    with pytest.raises(cardan.ArgumentError, match="home"):
        s.reset(keyframe="hom")


def test_restart_is_an_impulse(arm):
    s = arm.sim()
    s.step(10)
    v = s.v.copy()
    v[0] += 1.0
    kinetic = s.energy()[0]
    s.start_from_current(v=v)
    assert s.t == pytest.approx(0.1) and s.stats.steps == 10
    assert s.v[0] == pytest.approx(v[0], abs=1e-14)
    assert s.stats.given == pytest.approx(s.energy()[0] - kinetic, abs=1e-12)


def test_step_to(arm):
    s = arm.sim(dt=0.01)
    s.step_to(0.003)
    assert s.t == 0.003
    s.step()
    assert s.t == 0.003 + 0.01
    with pytest.raises(cardan.ArgumentError, match="later"):
        s.step_to(0.0)


@pytest.mark.parametrize("method", METHODS)
def test_save_and_restore_go_on_to_the_same_bits(method):
    m = cardan.load("pendulum:3")
    s = m.sim(method=method)
    s.step(20)
    state = s.snapshot_save()
    assert isinstance(state, bytes)
    s.step(20)
    other = m.sim(method=method)
    other.snapshot_load(state)
    other.step(20)
    assert np.array_equal(s.q, other.q) and np.array_equal(s.v, other.v)
    assert s.stats == other.stats


def test_restore_refuses_what_is_no_state(arm):
    s = arm.sim()
    s.step(5)
    q = s.q.copy()
    for bad in (b"", b"x" * 10_000, s.snapshot_save()[:-1], arm.sim(order=4).snapshot_save()):
        with pytest.raises(cardan.ArgumentError):
            s.snapshot_load(bad)
    with pytest.raises(cardan.ArgumentError, match="bytes"):
        s.snapshot_load("text")
    assert np.array_equal(s.q, q)
    s.step()


@pytest.mark.parametrize("method", METHODS)
def test_looking_changes_nothing(method):
    """Whatever is computed on data between steps, the motion keeps its bits."""
    m = cardan.load("pendulum:3")
    plain, looked = m.sim(method=method), m.sim(method=method)
    for _ in range(20):
        looked.step()
        d = looked.data
        d.mass_matrix(), d.inverse(np.ones(m.nv)), d.forward(), d.pose(1), d.energy()
        looked.stats, looked.energy(), looked.touching(), looked.row()
    plain.step(20)
    assert np.array_equal(plain.q, looked.q) and np.array_equal(plain.v, looked.v)


def test_data_follows_the_node(arm):
    s = arm.sim()
    d = s.data
    own = arm.data()
    for _ in range(5):
        s.step()
        own.q, own.v, own.t = s.q, s.v, s.t
        assert np.array_equal(d.pose(arm.frame_names[-1]), own.pose(arm.frame_names[-1]))
        assert np.array_equal(d.mass_matrix(), own.mass_matrix())
        assert d.t == s.t and np.array_equal(d.q, s.q) and np.array_equal(d.v, s.v)
    for change in (lambda: setattr(d, "q", own.q), lambda: setattr(d, "t", 1.0), d.reset,
                   lambda: d.assemble()):
        with pytest.raises(cardan.Error, match="sim"):
            change()
    copy = d.copy()
    copy.q[0] += 1
    assert type(copy) is cardan.Data and not np.array_equal(copy.q, s.q)


def test_inputs_are_held(arm):
    s, free = arm.sim(), arm.sim()
    s.tau_in[0] = 5.0
    assert np.shares_memory(s.tau_in, s.data.tau_in)
    s.step(10)
    free.step(10)
    assert not np.array_equal(s.q, free.q)
    s.reset()
    assert s.tau_in[0] == 0
    s.step(10)
    assert np.array_equal(s.q, free.q)


def test_an_input_that_is_no_number_fails_and_can_be_mended(arm):
    s = arm.sim()
    s.step(5)
    q = s.q.copy()
    s.tau_in[0] = np.nan
    with pytest.raises(cardan.Error) as caught:
        s.step()
    assert caught.value.t == s.t == pytest.approx(0.05)
    assert np.array_equal(s.q, q)
    s.tau_in[0] = 0
    s.step()
    plain = arm.sim()
    plain.step(6)
    assert np.array_equal(s.q, plain.q)


def test_a_failed_step_says_where(arm):
    s = cardan.load("pendulum:5").sim(dt=0.5, max_iter=3)
    with pytest.raises(cardan.Error) as caught:
        s.step(1000)
    error = caught.value
    assert isinstance(error, (cardan.NotConverged, cardan.NoRoot))
    assert error.t == s.t and error.residual is not None and error.residual > 0
    steps = s.stats.steps
    assert np.all(np.isfinite(s.q)) and np.all(np.isfinite(s.v))
    with pytest.raises(cardan.Error):  # the same step again
        s.step()
    assert s.stats.steps == steps


@pytest.mark.parametrize("method", METHODS)
def test_a_failed_step_leaves_energies_and_momenta(method, arm):
    s = arm.sim(method=method, dt=0.01)
    s.step(5)

    def seen():
        e = s.energy()
        return e.kinetic, e.potential, s.q.tolist(), s.v.tolist(), s.t, s.stats.constraint_max

    before = seen()
    s.tau_in[:] = 1e150
    with pytest.raises(cardan.Error):
        s.step()
    s.tau_in[:] = 0
    assert seen() == before
    s.step(5)
    after, total = seen(), before[0] + before[1]
    assert abs(after[0] + after[1] - total) < 0.1 * abs(total)


def test_a_failed_step_of_a_robot_with_limits_leaves_its_energy():
    robots = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "robots")
    s = cardan.load(os.path.join(robots, "arm.xml")).sim(method="aba", dt=0.01)
    s.step(3)
    before = s.energy()
    with pytest.raises(cardan.Error):
        s.step_to(s.t + 3)
    after = s.energy()
    assert (after.kinetic, after.potential) == (before.kinetic, before.potential)


def test_a_start_that_fails_leaves_a_sim_that_says_so(arm):
    s = arm.sim()
    with pytest.raises(cardan.ArgumentError, match=r"q\[1\]"):
        s.reset(q=[0, np.nan, 0])
    s.step()  # nothing had been touched
    m = cardan.load("closed-chain")
    s = m.sim()
    with pytest.raises(cardan.AssemblyError, match="cannot be closed") as caught:
        s.reset(q={"J": -0.1})
    assert caught.value.file == "closed-chain" and caught.value.line
    with pytest.raises(cardan.Error, match="not started"):
        s.step()
    s.reset()
    s.step()


def test_stiff_spring():
    # 1 kg on 1e6 N/m at 10 ms: held at the middle of the step, lost at the nodes, and said
    m = cardan.Spec.read('(system (tx "x" (mass 1 .1 .1 .1)) (joint-spring "x" 1e6 0)'
                         ' (initial ("x" 0.01)))', format="mbs").build()
    s = m.sim(dt=0.01)
    s.step(100)
    assert abs(s.data.q[0]) < 0.0101
    assert 'joint "x", 159 Hz' in s.note and "not followed" in s.note
    assert "use dt 0.0018" in m.sim(dt=0.01, potentials="nodes").note


def test_stats_options_note_and_columns(arm):
    s = arm.sim(method="aba", integrator="dopri5", rtol=1e-9, every=3)
    options = s.options
    assert (options["method"], options["integrator"], options["rtol"], options["every"]) == (
        "aba", "dopri5", 1e-9, 3)
    assert options["assemble"] is True and options["strict"] is False
    s.step(4)
    assert s.stats.steps == 4 and s.stats.accepted > 0 and s.stats.contact.impacts == 0
    assert s.note == "" and s.warning == ""
    assert s.columns()[:2] == ["t", f"q.{arm.q_names[0]}"]
    row = s.row("momentum")
    assert len(row) == len(s.columns("momentum")) == len(s.columns()) + 6
    assert row[0] == s.t and np.array_equal(row[1:4], s.q) and np.array_equal(row[4:7], s.v)
    assert row[s.columns().index("energy")] == sum(s.energy())


def test_options_that_are_wrong(arm):
    for options, word in (({"metod": "vi"}, "method"), ({"dt": -1}, "dt"), ({"dt": "x"}, "dt"),
                          ({"dt": float("nan")}, "dt"), ({"order": 3}, "order"),
                          ({"every": 1.5}, "every"), ({"dt": [1]}, "dt"), ({"dt": 1j}, "dt"),
                          ({"assemble": 1}, "assemble"), ({"keyframe": "none"}, "keyframe")):
        with pytest.raises(cardan.ArgumentError, match=word):
            arm.sim(**options)
    with pytest.raises(cardan.Unsupported, match="rtol"):
        arm.sim(method="vi", rtol=1e-9)


def test_trace_has_the_residuals_of_the_last_step(arm):
    s = arm.sim()
    s.step(3)
    trace = s.trace
    assert len(trace) == s.stats.iterations and trace[-1] < trace[0] or len(trace) == 1


def test_touching_names_what_touches():
    s = cardan.load("bouncing-ball").sim()
    s.step(300)
    touching = [touch for touch in s.touching() if touch.state != "open"]
    assert touching and touching[0].kind == "contact" and touching[0].gap < 1e-6
    assert touching[0].n.tolist() == [0, 0, 1] and touching[0].force[2] == touching[0].normal
    assert s.stats.contact.impacts > 0


def test_steps_that_are_no_number(arm):
    s = arm.sim()
    for n, word in ((-1, "at least 0"), (1.5, "whole"), ("1", "whole"), (None, "whole"),
                    (2 ** 70, "expected 0 to"), (-2 ** 70, "expected 0 to"),
                    (np.float32(2.7), "whole"), (np.array(2.7), "whole"), (True, "whole"),
                    (decimal.Decimal("2.7"), "whole")):
        with pytest.raises(cardan.ArgumentError, match=word):
            s.step(n)
    s.step(0)
    s.step(np.int64(2))
    assert s.stats.steps == 2


def test_two_threads_at_once_are_refused():
    s = cardan.load("pendulum:5").sim()
    faults = []
    done = threading.Event()

    def steps():
        while not done.is_set():
            try:
                s.step(10_000)
            except cardan.Busy:  # the other thread's call was there first
                pass

    thread = threading.Thread(target=steps)
    thread.start()
    while not faults:  # until one of them has met a call of the other thread
        for call in (s.step, lambda: s.v, lambda: s.stats, s.reset, lambda: s.data.q):
            try:
                call()
            except cardan.Busy as fault:
                faults.append(fault)
                time.sleep(0.001)
    done.set()
    thread.join()
    assert "in use" in str(faults[0])


def test_ctrl_c_stops_a_long_call():
    s = cardan.load("pendulum:5").sim(dt=1e-5)
    import _thread

    def interrupt():
        while True:
            try:
                s.v
            except cardan.Busy:
                _thread.interrupt_main()
                return

    thread = threading.Thread(target=interrupt, daemon=True)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        while True:
            try:
                s.step(10 ** 9)  # an hour
            except cardan.Busy:  # the thread was reading s.v
                pass
    thread.join()
    steps = s.stats.steps
    s.step()
    assert 0 < steps == s.stats.steps - 1


def test_what_an_interrupt_left_taken_is_taken_again(arm):
    """An interrupt may come between taking the sim and giving it back."""
    s = arm.sim()
    from cardan._cardan import lib
    assert lib.cardan_py_take(s._s) == 0
    s.step()
    assert s.stats.steps == 1
    assert lib.cardan_py_take(s._s) == 0
    faults = []

    def other():
        try:
            s.step()
        except cardan.Busy as fault:
            faults.append(fault)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert len(faults) == 1
    s.step()


def test_notes_point_at_the_caller():
    m = cardan.load("closed-chain")
    with pytest.warns(cardan.MotionWarning, match="closing the loops moved") as caught:
        m.sim().reset(q={"K": 0.3})
    assert caught[0].filename == __file__


@pytest.mark.parametrize("call", ["reset", "start_from_current"])
def test_a_start_without_attitude_leaves_the_sim_as_it_was(call):
    s, plain = (cardan.load("tumbler").sim(method="vi", dt=1e-3) for _ in range(2))
    s.step(3)
    plain.step(5)
    q = s.q.copy()
    for wrong in (np.zeros(7), {"body.qw": 0, "body.qx": 0, "body.qy": 0, "body.qz": 0}):
        with pytest.raises(cardan.ArgumentError, match="length 0"):
            getattr(s, call)(q=wrong)
        assert np.array_equal(s.q, q) and s.t == 0.003
    s.step(2)
    assert np.array_equal(s.q, plain.q)


def test_a_sim_is_not_copied(arm):
    s = arm.sim(control=lambda t, d, u: None)
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"save\(\)"):
            make(s)
    s.step()


def test_the_model_of_a_sim_stays(arm):
    s = arm.sim()
    with pytest.raises(AttributeError, match="cannot be set"):
        s.model = cardan.load("humanoid")
    with pytest.raises(AttributeError):
        s.linearize().model = cardan.load("humanoid")
    assert s.model is arm


def test_quaternions_of_a_start_keep_their_bits():
    """Those of this model are of length 1 up to rounding, which normalising them would change."""
    m = cardan.load("pile")
    assert not np.array_equal(m.normalize(m.q0), m.q0)
    given, own = m.sim(dt=1e-3), m.sim(dt=1e-3)
    given.reset(q=m.q0)
    assert np.array_equal(given.q, own.q)
    given.step(3)
    own.step(3)
    assert np.array_equal(given.q, own.q) and np.array_equal(given.v, own.v)


def test_words_and_states_that_are_none(arm):
    s = arm.sim()
    for wrong in (5, [1], "momentum\0", "\ud800", np.zeros(2)):
        with pytest.raises(cardan.ArgumentError, match="add"):
            s.columns(wrong)
    for wrong in (5, "x", np.zeros((4, 4))[::2, ::2]):
        with pytest.raises(cardan.ArgumentError, match="state"):
            s.snapshot_load(wrong)


def test_state_variables_and_what_is_sampled():
    spec = cardan.Spec("motor")
    spec.input("volt", 12)
    disc = spec.joint("w", axis=(0, 0, 1))
    spec.mass(disc, 1, inertia=(0.01, 0.01, 0.01))
    spec.aux_state("i", "(/ (- u.volt (* 2 z.i) (* 0.1 v.w)) 0.05)", initial=0.5)
    spec.memory("before", "z.i", every=0.1)
    spec.controller("volt", "(- 12 (* 0.01 z.before))", every=0.1)
    spec.torque(disc, "(* 0.1 z.i)")
    with pytest.raises(cardan.ArgumentError, match="above 0"):
        spec.memory("never", "0", every=0)
    model = spec.build()
    assert (model.nz, model.z_names, model.z0.tolist()) == (2, ("i", "before"), [0.5, 0])
    sim = model.sim(dt=0.02, method="aba")
    assert sim.z.tolist() == [0.5, 0.5] and sim.u.tolist() == [12]
    sim.step(5)
    assert sim.z[1] == sim.z[0] == sim.data.z[0] == sim.data["z.i"] and sim.u[0] == 12 - 0.005
    again = pickle.loads(pickle.dumps(sim.data))
    assert np.array_equal(again.z, sim.z)
    with pytest.raises(ValueError, match="read-only"):
        sim.z[0] = 1
    sim.reset(z={"i": 2})
    assert sim.z.tolist() == [2, 2]
    result = model.run(time=0.2, z=[3, 0])
    assert result["z.i"][0] == 3 and "z.before" in result.columns


@pytest.mark.parametrize("way", ["step", "step_to", "run"])
def test_an_interrupt_ends_a_step(way: str) -> None:
    """One that would take minutes: at a dt of days an integrator that chooses its steps makes 1e5 of
    them. The sim stands where the step began."""
    m = cardan.load("chain:200")
    options = {"method": "aba", "integrator": "dopri5", "dt": 1e6}
    sim = m.sim(**options)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        if way == "run":
            m.run(time=1e6, **options)
        else:
            sim.step() if way == "step" else sim.step_to(1e6)
    timer.join()
    assert sim.t == 0


class Alarm:
    """A timer of the kernel that sends SIGINT, however busy the interpreter is."""

    class Event(ctypes.Structure):
        _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int),
                    ("notify", ctypes.c_int), ("rest", ctypes.c_char * 48)]

    def __init__(self) -> None:
        self.c = ctypes.CDLL(None, use_errno=True)
        self.timer = ctypes.c_void_p()
        event = Alarm.Event(None, signal.SIGINT, 0, b"")
        assert self.c.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event),
                                   ctypes.byref(self.timer)) == 0

    def after(self, ns: int) -> None:
        self.c.timer_settime(self.timer, 0, (ctypes.c_long * 4)(0, 0, 0, ns), None)

    def end(self) -> None:
        self.c.timer_delete(self.timer)


@pytest.mark.parametrize("way", ["step", "step_to", "run"])
def test_an_interrupt_at_the_beginning_of_a_step(way: str) -> None:
    """A signal that comes while C is being entered ends the one long step that follows, too."""
    m = cardan.load("chain:200")
    options = {"method": "aba", "integrator": "dopri5", "dt": 1e6}
    sim, alarm = m.sim(**options), Alarm()
    for k in range(400):
        with pytest.raises(KeyboardInterrupt):
            alarm.after(1000 + 150 * k)
            if way == "run":
                m.run(time=1e6, **options)
            else:
                sim.step() if way == "step" else sim.step_to(1e6)
    alarm.end()
    assert sim.t == 0


def test_an_interrupt_that_nobody_raises() -> None:
    """A step continues, to the same bits, where the user's own handler says nothing."""
    options = {"method": "aba", "integrator": "dopri5", "dt": 30}
    m, seen = cardan.load("chain:40"), []
    other = m.sim(**options)
    other.step()
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        sim = m.sim(**options)
        timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        sim.step()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT] and np.array_equal(sim.q, other.q)
