# SPDX-License-Identifier: Apache-2.0
"""Matrices and modes of a state."""
import gc

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
