# SPDX-License-Identifier: Apache-2.0
"""Functions of a state, each checked against another one."""
import copy
import gc
import pickle
import weakref
from typing import Any, Callable, List

import numpy as np
import pytest

import cardan
from cardan._views import Array

TREES = ["chain:6", "humanoid", "spherical-chain:4", "spring", "quadruped"]
LOOPS = ["closed-chain", "slider-crank", "scissor:3", "lower-pairs"]

ARM = """(system "arm" (parameter M 1.5)
  (joint revolute "shoulder" (axis 0 1 0) (mass 1 0.1 0.1 0.1)
    (tx 0.5 (joint revolute "elbow" (axis 0 1 0) (tx 0.4 (name "hand") (mass M)))))
  (joint spherical "ball" (mass 1 1 1 1))
  (input "push" 0.25) (torque "elbow" (+ u.push (* -0.3 v.elbow)))
  (output "height" (pz "hand")) (output "lift" (az "hand"))
  (keyframe "home" ("shoulder" 0.5) ("elbow" -1 0.2) (input "push" 2)))"""


def moving(name: str, seed: int = 1) -> cardan.Data:
    """A state in which everything moves; loops closed."""
    m = cardan.load(name)
    d = m.data()
    rng = np.random.default_rng(seed)
    if m.nrow == 0:
        d.q = m.random(seed)
    d.v = rng.uniform(-1, 1, m.nv)
    d.tau_in = rng.uniform(-1, 1, m.nv)
    if m.nrow > 0:
        d.assemble()
    return d


@pytest.mark.parametrize("name", TREES)
def test_forward_and_inverse_undo_each_other(name: str) -> None:
    d = moving(name)
    d.apply_force(d.model.nframe - 1, force=(1, 2, 3), torque=(0.1, 0.2, 0.3), point=(0.1, 0, 0))
    left = d.inverse(d.forward(), forces=True)
    assert np.abs(left).max() < 1e-9 * (1 + np.abs(d.inverse(d.a)).max())  # rounding of M^-1
    assert np.allclose(d.inverse(d.a), d.mass_matrix() @ d.a + d.bias(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", TREES + LOOPS)
def test_terms_fit_together(name: str) -> None:
    d = moving(name)
    m = d.model
    inertia = d.mass_matrix()
    scale = np.abs(inertia).max()
    bias = d.coriolis() @ d.v + d.gravity_torques()
    assert np.allclose(bias, d.bias(), rtol=0, atol=1e-11 * scale)
    assert np.allclose(d.momenta(), inertia @ d.v, rtol=0, atol=1e-12 * scale)
    assert d.energy().kinetic == pytest.approx(d.v @ inertia @ d.v / 2, rel=1e-12)
    assert d.energy().total == sum(d.energy())
    assert np.allclose(d.centroidal_matrix() @ d.v, d.centroidal(), rtol=0, atol=1e-11 * scale)
    assert np.allclose(d.com_jacobian() @ d.v, d.com_velocity(), rtol=0, atol=1e-12 * scale)
    assert np.allclose(d.centroidal()[3:], m.mass * d.com_velocity(), rtol=0, atol=1e-11 * scale)
    for axes in ("local", "world", "aligned"):
        for frame in (1, m.nframe - 1):
            J = d.jacobian(frame, axes)
            assert np.allclose(J @ d.v, d.twist(frame, axes), rtol=0, atol=1e-12 * (1 + scale))
            rate = J @ d.a + d.jacobian_rate(frame, axes) @ d.v
            assert np.allclose(rate, d.acceleration(frame, axes), rtol=0, atol=1e-10 * (1 + scale))


def slope(d: cardan.Data, f: Callable[[cardan.Data], Array], by: str, j: int, h: float = 1e-6) -> Array:
    """Central difference of f(d) by one direction of q or v."""
    found = []
    for sign in (1, -1):
        e = d.copy()
        if by == "q":
            dq = np.zeros(d.model.nv)
            dq[j] = 1
            e.q = d.model.move(d.q, dq, sign * h)
        else:
            e.v[j] += sign * h
        found.append(np.array(f(e)))
    difference: Array = (found[0] - found[1]) / (2 * h)
    return difference


@pytest.mark.parametrize("name", ["chain:6", "spherical-chain:4", "spring", "humanoid"])
def test_slopes_are_those_of_differences(name: str) -> None:
    """Central differences with h = 1e-6 are right to about 1e-9 of the size."""
    d = moving(name)
    a = d.forward()
    tau_dq, tau_dv, inertia = d.inverse_slopes(a)
    a_dq, a_dv, a_dtau = d.forward_slopes()
    assert np.array_equal(inertia, d.inverse_slopes(a)[2])
    for j in (0, d.model.nv - 1):
        for exact, f, by in ((tau_dq, lambda e: e.inverse(a), "q"),
                             (tau_dv, lambda e: e.inverse(a), "v"),
                             (a_dq, lambda e: e.forward(), "q"),
                             (a_dv, lambda e: e.forward(), "v")):
            near = slope(d, f, by, j)
            assert np.allclose(exact[:, j], near, rtol=0, atol=1e-7 * (1 + np.abs(exact).max()))
    assert np.allclose(a_dtau @ inertia, np.eye(d.model.nv), rtol=0, atol=1e-8)


def test_regressor() -> None:
    d = moving("chain:6")
    a = np.arange(d.model.nv) * 0.1
    pi = []
    for k in range(1, d.model.nbody):
        i = d.model._c.body[k].inertia
        pi += [i.m, i.h.x, i.h.y, i.h.z, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]
    assert np.allclose(d.regressor(a) @ pi, d.inverse(a), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    d = moving(name)
    assert d.constraint_max() < 1e-10
    c = d.constraints()
    assert np.abs(c.jacobian @ d.v + c.rate).max() < 1e-9
    a = d.forward()
    assert np.abs(c.jacobian @ a - c.gamma).max() < 1e-7 * (1 + np.abs(a).max())
    rest = d.inverse(a, forces=True) - c.jacobian.T @ d.multipliers()
    assert np.abs(rest).max() < 1e-7 * (1 + np.abs(d.multipliers()).max())
    expected = c.jacobian @ np.linalg.inv(d.mass_matrix()) @ c.jacobian.T
    assert np.allclose(d.delassus(), expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    d.v[:] += 0.1
    d.impulse(p=np.ones(d.model.nv))
    assert np.abs(c.jacobian @ d.v + c.rate).max() < 1e-9


def test_inverse_through_loops() -> None:
    d = moving("closed-chain")
    d.tau_in = np.zeros(d.model.nv)
    d.a[:] = 0.3
    a = d.close_accelerations()
    names = d.model.v_names
    tau, multipliers = d.inverse_loops(a, names)
    assert multipliers.shape == (d.model.nrow,)
    for name, value in zip(names, tau):
        d[f"tau_in.{name}"] = value
    assert np.allclose(d.forward(), a, rtol=0, atol=1e-8)


def test_inverse_kinematics() -> None:
    d = cardan.load("humanoid").data()
    goal, last = cardan.load("humanoid").data(), d.model.nframe - 1
    goal.q = d.model.move(d.q, 0.2 * np.ones(d.model.nv))
    assert d.inverse_kinematics({last: goal.pose(last), 0: np.eye(3)}).place < 1e-9
    assert np.allclose(d.pose(last), goal.pose(last), rtol=0, atol=1e-9)
    place = d.pose(last)[:3, 3] + 0.05
    d.inverse_kinematics({last: place})
    assert np.allclose(d.pose(last)[:3, 3], place, rtol=0, atol=1e-9)


def test_poses_and_references() -> None:
    d = moving("humanoid")
    one, last = 5, d.model.nframe - 1
    relative = d.pose(last, reference=one)
    assert np.allclose(d.pose(one) @ relative, d.pose(last), rtol=0, atol=1e-13)
    assert relative[3].tolist() == [0, 0, 0, 1]
    J = d.jacobian(last, reference=one)
    assert np.allclose(J @ d.v, d.twist(last, reference=one), rtol=0, atol=1e-12)


def test_names_as_indices() -> None:
    d = cardan.loads(ARM).data()
    d["elbow"] = 0.3
    assert d["elbow"] == d["q.elbow"] == d.q[1] == 0.3 and isinstance(d["elbow"], float)
    d["v.elbow"], d["tau_in.shoulder"], d["a.elbow"] = 1, 2.5, np.float32(0.5)
    assert (d.v[1], d.tau_in[0], d.a[1]) == (1, 2.5, 0.5)
    d["u.push"] = 3
    assert d.u.tolist() == [3]
    d["ball"] = (0, 1, 0, 0)
    assert d["ball"].tolist() == d.q[2:].tolist() == [0, 1, 0, 0]
    d["ball"][2] = 0.5  # a view
    assert d.q[4] == 0.5
    d["v.ball"] = [1, 2, 3]
    assert d.v[2:].tolist() == [1, 2, 3]


def test_outputs_and_parameters() -> None:
    m = cardan.loads(ARM)
    d = m.data().keyframe("home")
    assert d.u.tolist() == [2] and d["v.elbow"] == 0.2
    assert d.output("height") == d.outputs()[0] == pytest.approx(d.pose("hand")[2, 3], abs=1e-15)
    d.forward()
    assert d.output("lift") == pytest.approx(d.acceleration("hand")[5], rel=1e-12)
    y_dq, y_dv = d.output_slopes("height")
    assert np.allclose(y_dq, d.jacobian("hand")[5], rtol=0, atol=1e-14) and not y_dv.any()
    with pytest.raises(cardan.Unsupported, match="lift"):
        d.output_slopes("lift")
    _, a_dp = d.parameter_slopes("M")
    heavier = m.with_parameters(M=1.5 + 1e-6).data().keyframe("home")
    assert a_dp is not None
    assert np.allclose(a_dp, (heavier.forward() - d.forward()) / 1e-6, rtol=0, atol=1e-4)


def test_stiffness_of_a_pendulum() -> None:
    d = cardan.loads('(system (ry "a" (tz -2 (mass 3))) (gravity 0 0 -10))').data()
    K, C = d.stiffness()
    assert K[0, 0] == pytest.approx(3 * 10 * 2, rel=1e-14) and C[0, 0] == 0


def test_reset_copy_and_pickle() -> None:
    d = moving("humanoid")
    d.t = 0.5
    d.apply_force(3, force=(1, 0, 0))
    for other in (d.copy(), copy.copy(d), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert other.t == 0.5 and other.forward().tobytes() == d.forward().tobytes()
        other.q[:] = 0
        assert d.q.any()
    new = d.model.data()
    d.reset()
    assert (d.t, d.q.tolist(), d.v.tolist()) == (0, new.q.tolist(), new.v.tolist())
    assert not d.tau_in.any() and not d.f_in.any()
    d.apply_force(3, force=(1, 0, 0))
    d.clear_forces()
    assert not d.f_in.any()


def test_prescribed_motion_is_followed() -> None:
    d = cardan.loads('(system (rz (k "crank")) (motion "crank" (* 2 t)))').data()
    d.t = 0.25
    d.kinematics()
    assert (d["crank"], d["v.crank"]) == (0.5, 2)


def test_forces_of_a_program_are_not_left_out() -> None:
    d = cardan.loads('(system (rz "a" (mass 1 1 1 1)) (program "p"))').data()
    uses: List[Callable[[], Any]] = [d.forward, d.forces, d.outputs,
                                     lambda: d.inverse(forces=True)]
    for use in uses:
        with pytest.raises(cardan.Unsupported, match="program"):
            use()
    d.inverse()
    d.mass_matrix()


def test_views_outlive_their_owner_and_data_its_names() -> None:
    d = cardan.load("humanoid").data()
    alive = weakref.ref(d)
    q, expected = d.q, d.q.copy()
    del d
    gc.disable()  # counting alone frees it
    try:
        assert alive() is None
    finally:
        gc.enable()
    assert np.array_equal(q, expected)
    q[:] = 1
    last = cardan.load("pendulum").data()
    joint = last.model.joint(0)
    del last
    assert joint.name and joint.axis.shape == (3,)


def test_statics() -> None:
    """A chain between two pins hangs; mirrored it is an arch that stands, and falls when asked to."""
    chain = cardan.load("pinned-chain:10")
    rest = chain.statics()
    assert rest.stable == "stable" and rest.residual < 1e-9 * rest.scale
    assert rest.stiffness.shape == (8,) and rest.directions.shape == (8, 10)
    assert rest.multipliers[1] == pytest.approx(rest.info["multipliers"][chain.row_names[1]])
    arch = chain.statics(-rest.q)
    assert arch.stable == "unstable" and arch.info["negative"] == 8
    assert chain.statics(-rest.q, stable=True).energy == pytest.approx(rest.energy, rel=1e-12)
    falling = cardan.loads('(system (gravity 0 0 -9.81) (tz "z" (mass 1)))')
    with pytest.raises(cardan.NoRoot, match="runs away"):
        falling.statics()
    with pytest.raises(cardan.ArgumentError):
        chain.statics(max_iter=0)
