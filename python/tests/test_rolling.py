# SPDX-License-Identifier: Apache-2.0
"""What is done with models that have constraints on velocities, beside running them."""
import numpy as np
import pytest

import cardan

BLADE = """(system (gravity 0.981 0 -9.761)
  (tx "x" (ty "y" (rz "a" (name "blade") (mass 2 1 1 1)))) (skate "blade" "world")
  %s (initial ("a" (/ pi 2))))"""


def blade(more: str = "") -> cardan.Model:
    return cardan.Spec.read(BLADE % more, format="mbs").build()


def test_statics_and_modes() -> None:
    across = blade().statics()
    assert across.stable == "not known" and across.info["at_start"]
    assert np.allclose(abs(across.multipliers), 2 * 0.981, rtol=1e-14)
    assert np.allclose(across.eigenvalues, 0, atol=1e-7)
    assert np.allclose(across.stiffness, np.array([-1, 1]) * 0.981 * np.sqrt(2), rtol=1e-8)
    m = blade('(joint-spring "x" 10 0) (joint-spring "y" 3 1) (joint-spring "a" 3 1.4)')
    rest = m.statics()
    data = m.data()
    data.q[:] = rest.q
    modes = m.modes(data)
    s = np.array([mode.eigenvalue for mode in modes if mode.kind == "swing"])
    assert np.allclose(np.sort(s.imag), np.sort(np.sqrt(rest.eigenvalues.real / 2)), rtol=1e-8)


def test_matrices() -> None:
    x = cardan.load("bicycle").matrices()
    assert x.N.shape == (9, 7) and x.W.shape == (9, 3) and x.A.shape == (10, 10)
    assert x.Mr.shape == (3, 3) and x.Kr.shape == (3, 7) and len(x.velocity_dof) == 3
    assert np.allclose(x.G @ x.W, 0, atol=1e-14)
    assert x.states[7:] == [f"v.{x.model.v_names[k]}" for k in x.velocity_dof]


def test_linearize() -> None:
    sim = cardan.load("sleigh").sim(method="svi", dt=0.01)
    sim.step()
    linear = sim.linearize()
    A = np.asarray(linear.A)
    z = np.linalg.eigvals(A)
    assert A.shape == (6, 6) and np.sum(abs(z) < 1e-6) == 1 and not np.any(abs(z + 1) < 0.1)


def test_kinematics() -> None:
    m = cardan.Spec.read("""(system (tx (k "x") (ty (k "y") (tz "z" (mass 1 1 1 1))))
      (velocity (- v.z (* q.y v.x))) (motion "x" (cos t)) (motion "y" (sin t)))""",
                         format="mbs").build()
    known = m.kinematics(np.linspace(0, 2 * np.pi, 9))
    assert abs(known.q[-1][2] + np.pi) < 1e-12
    with pytest.raises(cardan.Unsupported, match="2 coordinates have nothing that moves"):
        cardan.load("sleigh").kinematics([0, 1])
