# SPDX-License-Identifier: Apache-2.0
"""Models built in code: the text that they are, the motion that they make, and what is refused."""
import gc
import inspect
import pathlib
import re
import threading
import weakref
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest

import cardan
from cardan._cardan import lib

ALL = """(system "all"
  (gravity 0 0 -9.81)
  (define L 0.5)
  (parameter K 2)
  (material "rubber" (friction 0.8) (static 0.9) (restitution 0.3))
  (place (0 0 1)
    (joint revolute "shoulder" (axis 0 1 0) (limit -2 2 (restitution 0.5)) (effort 5)
      (mass 1 0.02 0.02 0.001) (shape box 0.1 0.2 1) (color "#4477aa")
      (tz -0.5 (name "elbow-point")
        (ry "elbow" (mass 1)
          (place (0 0 -0.5) (rpy 0 0 0.5) (name "hand") (solid sphere 0.03 (material "rubber")))))))
  (joint prismatic "slide" (axis 1 0 0) (mass 2))
  (joint spherical "ball" (mass 1 1 1 1 0.1 0 0))
  (joint free "base" (mass 1 1 1 1) (solid box 0.1 0.1 0.1 (hidden)))
  (rz (k "crank"))
  (place (1 0 0) (name "wall")
    (shape mesh "parts/wheel.stl" 0.001 0.001 0.001)
    (solid hull (0 0 0) (0.3 0 0) (0 0.2 0) (0.1 0.1 0.2) (round 0.005)))
  (place (0 0 -3) (name "floor") (solid plane))
  (contact "hand" "wall" (name "grip") (friction 0.4))
  (no-contact "base" all)
  (contact "floor" all (name "floor"))
  (input "push" 0 (limit -1 1))
  (input "target" 0.5)
  (state "lag" (initial 1) (derivative (- u.push z.lag)))
  (memory "sum" (initial 0) (every 0.01) (next (+ z.sum q.slide)))
  (controller "target" (every 0.01) (* 0.5 z.sum))
  (point-constraint "hand" "wall" (0 0 1) (in "elbow"))
  (wire "elbow-point" "wall" (+ 2 (* 0.1 (sin t))) (name "winch"))
  (gear "shoulder" "elbow" -2)
  (screw "shoulder" "slide" 0.01)
  (equation (- q.slide (* L (cos q.shoulder))))
  (close revolute "hand" "wall" (axis 0 1 0))
  (coincide "base" "wall")
  (weld "base" "wall")
  (roll "hand" "wall" (disc 0.3) (axis 0 1 0) (flat) (name "rim"))
  (roll "hand" "wall" (ball 0.1) (grip 0.8))
  (skate "hand" "wall" (edge 0 1 0))
  (velocity (- v.slide (* 0.1 q.elbow v.shoulder)) (name "belt"))
  (motion "crank" (* 2 t))
  (stop "slide" -0.5 0.5 (restitution 0.1))
  (rope "hand" "wall" 2)
  (inequality (- q.slide (* 0.1 (cos q.shoulder))) (restitution 0.2) (name "cam"))
  (spring "hand" "world" 100 0.5)
  (joint-spring "elbow" 10 0.25)
  (potential (* K (^ q.elbow 2)))
  (newton-gravity "slide" "elbow" 1)
  (damping 0.1)
  (damping "elbow" 0.2)
  (damper "hand" "wall" 3)
  (torque "ball.wx" 0.1)
  (wrench world "hand" ((sin t) 0 (neg v.slide)) (0 0.5 0))
  (wrench body "hand" (1 0 0) (0 0 0))
  (force "hand" "wall" (* -2 (speed "hand" "wall")))
  (bushing "wall" "hand" (4 3 5) (1 2 3))
  (bushing-coupling "wall" "hand" 1 5 0.5)
  (bushing-damper "wall" "hand" (0.4 0.3 0.5) (0 0 0))
  (tyre "hand" "wall" (disc 0.3) (axis 0 1 0) (linear 8e4 6e4 0.9) (vertical 2e5 500) (camber 20)
    (relaxation 0.4) (name "t"))
  (tyre "hand" "wall" (disc 0.3) (magic 10 1.4 0.9 0) (load 4000))
  (friction "shoulder" 0.2 (radius 0.01) (vs 0.001))
  (dry-friction "elbow" 0.5 (vs 0.001))
  (actuator "motor" "slide" "push" (gear 50) (limit -10 10))
  (actuator "servo" "shoulder" "target" (servo 100 5))
  (program "thruster")
  (armature "elbow" 0.02)
  (output "height" (pz "hand"))
  (initial ("shoulder" 0.3 2) (("slide" 0.2) fixed) ("ball" (1 0 0 0) (0 0 20)))
  (initial (pose "base" (0 0 2) (rpy 0 0 1) (velocity (1 0 0) (0 0 3))))
  (keyframe "home" ("shoulder" 0.4) ("elbow" 1 0.1) (input "push" 0.5))
  (rounding 1e-06 0.0001)
  (simulate (method vi) (dt 0.01) (no-assemble)))
"""


def frames_of(s: cardan.Spec) -> None:
    shoulder = s.joint("shoulder", axis=(0, 1, 0), at=(0, 0, 1), limit=(-2, 2), restitution=0.5,
                       effort=5)
    s.mass(shoulder, 1, (0.02, 0.02, 0.001))
    s.shape("shoulder", "box", (0.1, 0.2, 1), color="#4477aa")
    point = s.transform("tz", -0.5, parent=shoulder, name="elbow-point")
    elbow = s.variable("ry", "elbow", parent=point)
    s.mass(elbow, 1)
    hand = s.frame("hand", parent=elbow, at=(0, 0, -0.5), rpy=(0, 0, 0.5))
    s.solid(hand, "sphere", 0.03, material="rubber")
    s.mass(s.joint("slide", "prismatic", axis=(1, 0, 0)), 2)
    s.mass(s.joint("ball", "spherical"), 1, (1, 1, 1, 0.1, 0, 0))
    base = s.joint("base", "free")
    s.mass(base, 1, np.eye(3))
    s.solid(base, "box", (0.1, 0.1, 0.1), hidden=True)
    s.variable("rz", "crank", kinematic=True)
    s.frame("wall", at=(1, 0, 0))
    s.mesh("wall", "parts/wheel.stl", (0.001, 0.001, 0.001))
    s.solid("wall", "hull", points=[(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0.1, 0.1, 0.2)],
            round=0.005)


def elements_of(s: cardan.Spec) -> None:
    hand, base = s.find("hand"), s.find("base")
    s.point("hand", "wall", (0, 0, 1), within="elbow")
    s.wire("elbow-point", "wall", "(+ 2 (* 0.1 (sin t)))", name="winch")
    s.gear("shoulder", "elbow", -2)
    s.screw("shoulder", "slide", 0.01)
    s.equation("(- q.slide (* L (cos q.shoulder)))")
    s.close("revolute", hand, "wall", axis=(0, 1, 0))
    s.coincide(base, "wall")
    s.weld(base, "wall")
    s.roll(hand, "wall", disc=0.3, axis=(0, 1, 0), flat=True, name="rim")
    s.roll(hand, "wall", ball=0.1, grip=0.8)
    s.skate(hand, "wall", edge=(0, 1, 0))
    s.velocity("(- v.slide (* 0.1 q.elbow v.shoulder))", name="belt")
    s.motion("crank", "(* 2 t)")
    s.stop("slide", -0.5, 0.5, restitution=0.1)
    s.rope(hand, "wall", 2)
    s.inequality("(- q.slide (* 0.1 (cos q.shoulder)))", restitution=0.2, name="cam")
    s.spring(hand, s.world, 100, 0.5)
    s.joint_spring(s.find("elbow"), 10, 0.25)
    s.potential("(* K (^ q.elbow 2))")
    s.newton_gravity("slide", "elbow", 1)
    s.damping(0.1)
    s.damping(0.2, "elbow")
    s.damper(hand, "wall", 3)
    s.torque("ball.wx", 0.1)
    s.wrench(hand, ("(sin t)", 0, "(neg v.slide)"), (0, 0.5, 0), axes="world")
    s.wrench(hand, (1, 0, 0))
    s.force(hand, "wall", "(* -2 (speed \"hand\" \"wall\"))")
    s.bushing("wall", hand, (4, 3, 5), (1, 2, 3))
    s.bushing_coupling("wall", hand, 1, 5, 0.5)
    s.bushing_damper("wall", hand, (0.4, 0.3, 0.5))
    s.tyre(hand, "wall", 0.3, axis=(0, 1, 0), linear=(8e4, 6e4, 0.9), vertical=(2e5, 500),
           camber=20, relaxation=0.4, name="t")
    s.tyre(hand, "wall", 0.3, magic=(10, 1.4, 0.9, 0), load=4000)
    s.friction("shoulder", 0.2, radius=0.01, vs=0.001)
    s.dry_friction("elbow", 0.5, vs=0.001)
    s.actuator("slide", "push", gear=50, limit=(-10, 10), name="motor")
    s.actuator("shoulder", "target", servo=(100, 5), name="servo")
    s.program("thruster")


def everything() -> cardan.Spec:
    """One of each."""
    s = cardan.Spec("all")
    s.define("L", 0.5)
    s.parameter("K", 2)
    s.material("rubber", friction=0.8, static=0.9, restitution=0.3)
    frames_of(s)
    s.contact("hand", "wall", name="grip", friction=0.4)
    s.no_contact("base")
    s.floor(-3)
    s.input("push", limit=(-1, 1))
    s.input("target", 0.5)
    s.aux_state("lag", "(- u.push z.lag)", initial=1)
    s.memory("sum", "(+ z.sum q.slide)", every=0.01)
    s.controller("target", "(* 0.5 z.sum)", every=0.01)
    elements_of(s)
    s.armature("elbow", 0.02)
    s.output("height", "(pz \"hand\")")
    s.initial("shoulder", 0.3, 2)
    s.initial("slide", 0.2, fixed=True)
    s.initial("ball", (1, 0, 0, 0), (0, 0, 20))
    s.pose("base", (0, 0, 2), rpy=(0, 0, 1), velocity=(1, 0, 0), angular=(0, 0, 3))
    s.keyframe("home", {"shoulder": 0.4, "elbow": 1}, velocities={"elbow": 0.1},
               inputs={"push": 0.5})
    s.rounding(1e-6, 1e-4)
    s.simulate(method="vi", dt=0.01, no_assemble=True)
    return s


def pendulum() -> cardan.Spec:
    s = cardan.Spec("pendulum")
    arm = s.joint("theta", axis=(0, 1, 0))
    s.mass(arm, 1.5, (0.1, 0.1, 0.01), at=(0, 0, -0.4))
    s.initial(arm, 0.5)
    return s


def test_everything_is_the_same_model_as_its_text() -> None:
    written = everything().text()
    assert cardan.Spec.read(written, format="mbs").text() == written
    expected = cardan.Spec.read(ALL, format="mbs").text()
    # a turn is kept as its quaternion, in code as in a text
    assert re.sub(r"\(quat [^)]*\)", "TURN", written) == re.sub(r"\(rpy [^)]*\)", "TURN", expected)


def test_every_kind_of_element_has_a_method() -> None:
    kinds = [name[len("CARDAN_ELEMENT_"):].lower() for name in dir(lib)
             if name.startswith("CARDAN_ELEMENT_")]
    assert len(kinds) == lib.CARDAN_NELEMENT_KIND
    used = inspect.getsource(elements_of)
    for kind in kinds:
        assert inspect.getdoc(getattr(cardan.Spec, kind)), kind
        assert f"s.{kind}(" in used, kind


def test_motion_has_the_bits_of_the_same_text() -> None:
    s = pendulum()
    a, b = s.build().sim(dt=0.01), cardan.Spec.read(s.text(), format="mbs").build().sim(dt=0.01)
    a.step(100)
    b.step(100)
    assert a.q.tobytes() == b.q.tobytes() and a.v.tobytes() == b.v.tobytes()
    assert a.q[0] != 0.5


def test_pendulum_period() -> None:
    s = cardan.Spec()
    arm = s.joint("theta", axis=(1, 0, 0))
    s.mass(arm, 2.0, at=(0, 0, -1))
    s.initial("theta", 1e-4)
    sim = s.build().sim(method="vi", dt=1e-3)
    half = np.pi / np.sqrt(9.81)
    sim.step(int(round(half / 1e-3)))
    # the time is off by at most half a step, where the angle has its extremum
    assert abs(sim.q[0] + 1e-4) < 1e-4 * (0.5 * 9.81 * 1e-6)


def test_place_by_matrix_rpy_and_quaternion() -> None:
    T = np.eye(4)
    T[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    T[:3, 3] = (1, 2, 3)
    places: List[Dict[str, Any]] = [{"at": T}, {"at": (1, 2, 3), "rpy": (0, 0, np.pi / 2)},
                                    {"at": (1, 2, 3), "quat": (2, 0, 0, 2)}]
    for where in places:
        s = pendulum()
        s.frame("f", **where)
        m = s.build()
        placed = m._c.frame[m.frame("f").index].X_BF
        # right angles are exact, however they are given
        assert [list(row) for row in placed.R.m] == T[:3, :3].tolist()
        assert (placed.p.x, placed.p.y, placed.p.z) == (1, 2, 3)


def test_a_failed_call_changes_nothing_and_says_where() -> None:
    s = pendulum()
    before = s.text()
    with pytest.raises(cardan.ModelError, match="theta.*already used") as caught:
        s.joint("theta", at=(1, 2, 3))  # the frame that it is placed by goes too
    assert caught.value.file == __file__
    assert caught.value.line == inspect.currentframe().f_lineno - 2  # type: ignore[union-attr]
    assert s.text() == before
    s.frame("tip", parent="theta", at=(0, 0, -1))
    assert s.build().nq == 1


def test_a_fault_that_build_finds_has_the_line_of_its_call() -> None:
    s = pendulum()
    s.spring("theta", "wal", 1)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    with pytest.raises(cardan.ModelError, match="no frame \"wal\"") as caught:
        s.build()
    assert (caught.value.file, caught.value.line) == (__file__, line)


WRONG: List[Tuple[Callable[[Any], Any], str]] = [
    (lambda s: s.joint("a", "revolut"), "kind is 'revolut'.*did you mean 'revolute'"),
    (lambda s: s.joint("a", axis=(0, 0, 0)), "axis is 0 0 0"),
    (lambda s: s.joint("a", axis=(0, 1)), "axis has 2 numbers, expected 3"),
    (lambda s: s.joint("a", axis="y"), "axis is 'y'"),
    (lambda s: s.joint("a", axis=(0, 1j, 0)), "axis is"),
    (lambda s: s.joint("a\0b"), "name has a NUL"),
    (lambda s: s.joint("a", parent="nowhere"), "no frame 'nowhere' yet, for parent"),
    (lambda s: s.joint("a", parent=pendulum().world), "parent is a frame of another Spec"),
    (lambda s: s.joint("world"), "is the name of the root"),
    (lambda s: s.frame("a", at=(0, 0, float("nan"))), "at is .*nan.*finite"),
    (lambda s: s.frame("a", rpy=(0, 0, 0), quat=(1, 0, 0, 0)), "both given"),
    (lambda s: s.frame("a", quat=(0, 0, 0, 0)), "quat is 0 0 0 0"),
    (lambda s: s.frame("a", at=np.ones((4, 4))), "last row"),
    (lambda s: s.mass("theta", "1"), "mass is '1', expected a number"),
    (lambda s: s.mass("theta", 10**400), "mass is 1000"),
    (lambda s: s.mass("theta", 1, np.arange(9.0).reshape(3, 3)), "inertia is not a symmetric"),
    (lambda s: s.mass("theta", 1, (1, 2)), "inertia has 2 numbers, expected 3 or 6"),
    (lambda s: s.shape("theta", "box", (1, 2)), "size has 2 numbers, expected 3"),
    (lambda s: s.solid("theta", "hull"), "points are not given"),
    (lambda s: s.solid("theta", "height-field", (1, 1, 1), heights=[[0, 1], [1]]), "expected num"),
    (lambda s: s.solid("theta", "height-field", (1, 1, 1), heights=[[0, 1j], [1, 0]]), "of type"),
    (lambda s: s.solid("theta", "height-field", (1, 1, 1), heights=[["a", "b"]]), "of type"),
    (lambda s: s.solid("theta", "height-field", (1, 1, 1), heights=[[0, np.nan], [0, 0]]),
     r"heights\[0, 1\] is nan"),
    (lambda s: s.solid(s.world, "sphere", 1), "frame 0, the world; expected a frame from 1"),
    (lambda s: s.roll("theta", "world", disc=1, axis=(0, 0, 0)), "axis is .*not zero"),
    (lambda s: s.roll("theta", "world", disc=-1), "the radius -1 m; expected more than 0"),
    (lambda s: s.roll("theta", "world", disc=1, flat="yes"), "flat is 'yes', expected True"),
    (lambda s: s.skate("theta", "world", edge=(0, 1)), "edge has 2 numbers, expected 3"),
    (lambda s: s.skate("theta", "world", edge=(0, 0, 0)), "edge is"),
    (lambda s: s.solid("theta", "box", (1, 1, 1), round=0.1), "of a hull"),
    (lambda s: s.spring("theta", "world", None), "a number of spring is None"),
    (lambda s: s.spring("theta", 3, 1.0), "frame B is 3, expected a text"),
    (lambda s: s.actuator("theta", "u", gear=0), "gear is 0"),
    (lambda s: s.actuator("theta", "u", limit=(0, 0)), "limit is 0 0"),
    (lambda s: s.friction("theta", 0.1, radius=0), "radius is 0, expected more than 0"),
    (lambda s: s.wrench("theta", "(sin t)"), "force is .*expected three expressions"),
    (lambda s: s.wrench("theta", axes="local"), "axes is 'local', expected body or world"),
    (lambda s: s.torque("theta", "(sin"), "in the expression"),
    (lambda s: s.frame("a", at=[[1, 2], [3]]), "at is .*expected numbers"),
    (lambda s: s.frame("a", at=np.zeros(3).view(np.ma.MaskedArray)), "at is a masked array"),
    (lambda s: s.initial("theta", 1, fixed=1), "fixed is 1, expected True or False"),
    (lambda s: s.keyframe("a", 3), "values is 3, expected a mapping"),
    (lambda s: s.text(None), "format is None"),
    (lambda s: s.solid("theta", "plane", 1), "size is given, which a plane has not"),
    (lambda s: cardan.Spec.read("\ud800"), "no file can be called"),
    (lambda s: cardan.Spec.read("\ud800", format="mbs"), "source is not a text of Unicode"),
    (lambda s: s.read("pendulum", paths=3), "paths is 3"),
    (lambda s: s.read("pendulum", packages=3), "packages is 3"),
    (lambda s: s.contact(b="theta"), "b is given without a"),
    (lambda s: s.initial("theta", range(9)), "value has 9 numbers"),
    (lambda s: s.simulate(Method="vi"), "found the default \"Method\""),
    (lambda s: s.text("sdf"), "sdf"),
    (lambda s: cardan.Spec.read("(system)", format="mb"), "did you mean 'mbs'"),
    (lambda s: cardan.Spec.read("(system (tx))", format="mbs"), "text.mbs:1:"),
    (lambda s: cardan.Spec.read("no such file.mbs"), "no such file.mbs"),
]


@pytest.mark.parametrize("call, match", WRONG, ids=[match for _, match in WRONG])
def test_wrong_arguments_are_named(call: Callable[[Any], Any], match: str) -> None:
    s = pendulum()
    before = s.text()
    with pytest.raises(cardan.Error, match=match):
        call(s)
    assert s.text() == before


def test_read_change_write(tmp_path: pathlib.Path) -> None:
    s = cardan.Spec.read("pendulum:2", settings={"m": 2})
    s.frame("extra", parent=s.find("m1"), at=(0.1, 0, 0))
    s.write(tmp_path / "p.mbs")
    assert cardan.load(tmp_path / "p.mbs").mass == 4.0
    s = pendulum()
    with pytest.raises(cardan.Unsupported, match="cannot hold a start"):
        s.write(tmp_path / "p.urdf")
    s = cardan.Spec("robot")
    s.mass(s.joint("theta", axis=(0, 1, 0), limit=(-1, 1), effort=3), 1.5, (0.1, 0.1, 0.01))
    s.write(tmp_path / "p.urdf")
    assert cardan.load(tmp_path / "p.urdf").mass == 1.5
    with pytest.raises(cardan.FileError, match="cannot write"):
        s.write(tmp_path / "no" / "p.mbs")


def test_what_was_left_out_is_said() -> None:
    text = ("<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
            "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
            "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
            "<gazebo reference='b'/></robot>")
    s = cardan.Spec.read(text, format="urdf", base="free")
    with pytest.warns(cardan.ModelWarning):
        free = s.build()
    with pytest.warns(cardan.ModelWarning):
        fixed = cardan.Spec.read(text, format="urdf", base="fixed").build()
    assert free.nv == fixed.nv + 6 and len(free.warnings) > 0


def test_a_spec_is_gone_with_its_last_name() -> None:
    gc.disable()
    try:
        s = everything()
        gone = weakref.ref(s)
        del s
        assert gone() is None
    finally:
        gc.enable()


def test_threads_are_refused_or_served() -> None:
    """Two threads at one Spec: each call is made whole, or refused with a sentence."""
    s = cardan.Spec()
    made = [0, 0]

    def work(k: int) -> None:
        for _ in range(300):
            try:
                s.frame(at=(0, 0, 1))
                made[k] += 1
            except cardan.Error as fault:
                assert "another thread" in str(fault)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert s.frame("last").index == sum(made) + 1


def test_points_are_a_function() -> None:
    """A spline of a cubic is the cubic; lines hold; what is wrong is reported."""
    x = np.array([-2.0, -1.0, 0.5, 1.0, 3.0])
    s = cardan.Spec()
    q = s.joint("q", "prismatic")
    s.mass(q, 1)
    s.output("cubic", cardan.points(x, x ** 3, "q.q"))
    s.output("lines", cardan.points([0, 1], [2, 4], "(* 2 q.q)", linear=True, hold=True))
    d = s.build().data()
    for value in (-1.7, 0.2, 2.9):
        d.q[:] = value
        d.kinematics()
        cubic, lines = d.outputs()
        assert cubic == pytest.approx(value ** 3, abs=1e-12)
        assert lines == pytest.approx(2 + 2 * min(max(2 * value, 0), 1), abs=1e-12)
    for wrong in (([0, 1], [1]), ([0], [1]), ([0, 0], [1, 2]), ([0, 1], [1, np.nan]),
                  ("a", "b"), ([[0, 1]], [[0, 1]])):
        with pytest.raises(cardan.ArgumentError):
            cardan.points(*wrong)
    with pytest.raises(cardan.Error, match="differentiated twice"):
        s.motion(q, cardan.points([0, 1], [2, 4], linear=True))
