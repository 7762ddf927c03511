# SPDX-License-Identifier: Apache-2.0
"""Matrices and modes of a state."""
import gc
import warnings
from typing import Callable, List

import numpy as np
import pytest

import cardan

TWO = """(system "two" (gravity 0 0 -9.81) (input "push")
  (ry "a" (tz -1 (mass 1) (ry "b" (tz -1 (name "tip") (mass 1)))))
  (torque "a" u.push) (output "tip" (px "tip")))"""


def two() -> cardan.Model:
    return cardan.Spec.read(TWO, format="mbs").build()


def test_double_pendulum() -> None:
    modes = two().modes()
    assert len(modes) == 2 and modes.notes == ()
    assert np.allclose(modes.frequencies * 2 * np.pi,
                       np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * 9.81), rtol=1e-13)
    assert [m.kind for m in modes] == ["swing", "swing"] and not modes.unstable
    shapes = modes.shapes
    gc.collect()
    # absolute angles are as 1 : +-sqrt 2
    assert np.allclose((shapes[:, 0] + shapes[:, 1]) / shapes[:, 0], [np.sqrt(2), -np.sqrt(2)])


def test_matrices() -> None:
    m = two()
    x = m.matrices()
    assert x.states == ["q.a", "q.b", "v.a", "v.b"]
    assert x.inputs == ["u.a", "u.b", "input.push"] and x.outputs == ["y.tip"]
    assert x.equilibrium and x.exact.all()
    assert np.allclose(x.A[2:, :2], -np.linalg.solve(x.M, x.K), rtol=1e-12)
    assert np.array_equal(x.B[:, 0], x.B[:, 2]) and np.allclose(x.Cy, [[-2, -1, 0, 0]])
    assert np.allclose(np.sort(np.linalg.eigvals(x.A).imag)[2:], m.modes().eigenvalues.imag)
    kept = x.M
    del x
    gc.collect()
    assert np.allclose(kept, [[5, 2], [2, 1]])


def test_known_motion() -> None:
    m = cardan.loads('(system (gravity 0 0 -10) (ry "a" (tz -1 (mass 2))))')
    t = np.linspace(0, 1, 21)
    turn = m.kinematics(t, motion={"t": t, "q.a": 2 * t}, forces=True)
    assert np.allclose(turn.v, 2) and np.allclose(turn.a, 0, atol=1e-9) and turn.recorded == ("a",)
    assert turn.tau is not None and np.allclose(turn.tau[:, 0], 20 * np.sin(2 * t), atol=1e-9)
    held = m.kinematics([0.0, 1.0], hold=True, q=[0.5])
    assert held.held == ("a",) and held.tau is None and np.array_equal(held.q, [[0.5], [0.5]])
    with pytest.raises(cardan.Unsupported, match='"a"'):
        m.kinematics(t)
    with pytest.raises(cardan.ArgumentError, match="expected t and q.NAME"):
        m.kinematics(t, motion={"q.a": t})


def test_state_variables() -> None:
    m = cardan.loads('(system (tx "x" (mass 1)) (joint-spring "x" 30 0) (torque "x" z.z)'
                     '(state "z" (derivative (- (* 7 v.x) (* 4 z.z)))))')
    modes = m.modes()
    assert modes.matrices.states == ["q.x", "v.x", "z.z"]
    for mode in modes:
        s = mode.eigenvalue
        assert abs((s * s + 30) * (s + 4) - 7 * s) < 1e-11
        assert np.allclose(mode.z * (s + 4), 7 * s)


def test_another_state() -> None:
    m = two()
    d = m.data()
    d.q[:] = [np.pi, 0]
    modes = m.modes(d)
    assert len(modes.unstable) == 2
    d.q[:] = [0.5, 0]
    assert any("not an equilibrium" in note for note in m.modes(d).notes)


def test_loops() -> None:
    x = cardan.load("closed-chain").matrices()
    assert x.N.shape == (7, 3) and np.abs(x.G @ x.N).max() < 1e-12
    assert np.allclose(x.N[x.dof], np.eye(3))


def test_refused() -> None:
    m = two()
    with pytest.raises(cardan.ArgumentError, match="another model"):
        m.modes(two().data())
    with pytest.raises(cardan.ArgumentError, match="expected a Data"):
        m.matrices(3)  # type: ignore[arg-type]


def looks(m: cardan.Model) -> List[Callable[[], object]]:
    return [m.statics, m.modes, m.matrices, lambda: m.kinematics([0.0, 1.0], hold=True)]


def said(look: Callable[[], object]) -> List[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        look()
    assert all(one.category is cardan.MotionWarning and one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_what_closing_the_loops_changed_is_said() -> None:
    loop = """(system (gravity 0 0 -9.81) (ry "a" (mass 1 0.1 0.1 0.1) (tz -1 (ry "b"
      (mass 1 0.1 0.1 0.1) (tz -1 (name "tip"))))) (place (1 0 -1) (name "pin"))
      (coincide "tip" "pin") (initial ("a" 0.3) ("b" %g)))"""
    for look in looks(cardan.loads(loop % -2.5)):
        assert said(look) == ['closing the loops moved "b" from the -2.5 given to -1.5708; mark it '
                              "fixed to keep it"]
    closed = cardan.loads(loop.replace("0.3", "0") % (-np.pi / 2))
    assert [said(look) for look in looks(closed)] == [[], [], [], []]
    start = cardan.loads(loop % -2.5).data()
    start.assemble()
    assert said(lambda: start.model.modes(start)) == []  # the caller closed the loop


def test_a_table_that_is_left_is_said() -> None:
    m = cardan.loads("""(system (gravity 0 0 -9.81) (ry "a" (tz -1 (mass 1 0.1 0.1 0.1)))
      (torque "a" (table (data (0.5 0) (1 0.1)) q.a linear)))""")
    for look in looks(m):
        words, = said(look)
        assert words.startswith("at t = 0 a table of line 2 is left: ")
        assert words.endswith("is beyond its point at 0.5, and what it says there is no data")
