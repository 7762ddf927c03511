# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a step, and regulators from them."""
import gc
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest

import cardan


def cart_pole() -> cardan.Model:
    s = cardan.Spec("cart-pole")
    cart = s.variable("tx", "place")
    s.mass(cart, 1)
    s.mass(s.variable("ry", "angle", parent=cart), 0.2, at=(0, 0, 0.5))
    s.input("push")
    s.actuator("place", "push")
    s.output("tip", "(+ q.place (* 0.5 (sin q.angle)))")
    s.output("speed", "v.place")
    return s.build()


def double_integrator(h: float) -> Tuple[Any, Any]:
    return np.array([[1, h], [0, 1]]), np.array([[0.0], [h]])


def test_names_and_shapes() -> None:
    L = cart_pole().sim(method="vi", dt=0.01).linearize()
    assert L.states == ["q.place", "q.angle", "p.place", "p.angle"]
    assert L.inputs == ["u.place", "u.angle", "input.push"]
    assert L.outputs == ["y.tip", "y.speed"]
    assert L.A.shape == (4, 4) and L.B.shape == (4, 3) and L.C.shape == (2, 4)
    assert L.lambda_x.shape == (0, 4) and L.dt == 0.01 and L.t == 0.0
    assert L.exact.tolist() == [True, False]
    assert np.array_equal(L.C[0], [1, 0.5, 0, 0]) and np.all(np.isnan(L.C[1]))
    # the actuator pushes the cart as a force on it does
    assert np.allclose(L.B[:, 2], L.B[:, 0], rtol=1e-12)


def test_symplectic() -> None:
    A = cart_pole().sim(method="vi", dt=0.01).linearize().A
    J = np.kron([[0, 1], [-1, 0]], np.eye(2))
    # each entry is rounded a few times: entries are below 1
    assert np.abs(A.T @ J @ A - J).max() < 1e-13


def test_against_differences_of_the_step() -> None:
    """Columns of q: (F(q + e) - F(q - e)) / 2e, wrong by e^2 and rounding / e."""
    m = cart_pole()
    L = m.sim(method="vi", dt=0.01).linearize()
    e = 1e-5
    for k in range(2):
        ends = []
        for sign in (1, -1):
            s = cardan.Spec.read(_text(sign * e * (k == 0), sign * e * (k == 1)), format="mbs")
            sim = s.build().sim(method="vi", dt=0.01)
            sim.step()
            ends.append(sim.q.copy())
        assert np.allclose((ends[0] - ends[1]) / (2 * e), L.A[:2, k], atol=1e-8)


def _text(place: float, angle: float) -> str:
    return ("(system (gravity 0 0 -9.81)"
            " (tx \"place\" (mass 1) (ry \"angle\" (tz 0.5 (mass 0.2))))"
            f" (initial (\"place\" {place!r}) (\"angle\" {angle!r})))")


def test_views_outlive_everything_and_are_read_only() -> None:
    A = cart_pole().sim(method="vi", dt=0.01).linearize().A
    gc.collect()
    assert A[0, 0] == pytest.approx(1)
    with pytest.raises(ValueError):
        A[0, 0] = 2


def test_closed_loops_have_multipliers() -> None:
    L = cardan.load("closed-chain").sim(method="vi", dt=1e-3).linearize()
    assert L.lambda_x.shape == (len(L.multiplier_names), len(L.states))
    assert len(L.multiplier_names) > 0 and L.multipliers.shape == (len(L.multiplier_names),)


def test_methods_without_it_say_so() -> None:
    with pytest.raises(cardan.Unsupported):
        cart_pole().sim(method="aba").linearize()


def test_double_integrator_has_the_closed_form() -> None:
    """Q = diag(1, 0), R = r, h -> 0: K -> (1/sqrt(r), sqrt(2/sqrt(r)))."""
    h, r = 1e-4, 0.25
    K = cardan.lqr(double_integrator(h), np.diag([h, 0]), h * r)
    # the continuous gain, to order h
    assert np.allclose(K, [[1 / np.sqrt(r), np.sqrt(2 / np.sqrt(r))]], rtol=5 * h)


def test_scalar_system_is_exact() -> None:
    """x' = a x + b u: P is the positive root of b^2 P^2 + (r - a^2 r - q b^2) P - q r = 0."""
    a, b, q, r = 1.2, 0.5, 2.0, 3.0
    found = cardan.lqr(([[a]], [[b]]), q, r, full=True)
    half = (r - a * a * r - q * b * b) / (2 * b * b)
    P = -half + np.sqrt(half * half + q * r / (b * b))
    assert found.P[0, 0] == pytest.approx(P, rel=1e-14)
    assert found.K[0, 0] == pytest.approx(a * b * P / (r + b * b * P), rel=1e-14)
    assert found.radius == pytest.approx(abs(a - b * found.K[0, 0]), rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_riccati_residual_of_random_systems(seed: int) -> None:
    random = np.random.default_rng(seed)
    A = random.normal(size=(12, 12)) / 3
    B = random.normal(size=(12, 3))
    half = random.normal(size=(12, 12))
    Q, R = half @ half.T, np.diag(random.uniform(0.1, 2, 3))
    Q = (Q + Q.T) / 2
    found = cardan.lqr((A, B), Q, R, full=True)
    P = found.P
    right = Q + A.T @ P @ A - A.T @ P @ B @ np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    # rounding of products of 12 terms, over the largest of them
    assert np.abs(right - P).max() < 1e-12 * np.abs(A.T @ P @ A).max()
    assert found.residual < 1e-13 and found.radius < 1
    assert np.all(np.linalg.eigvalsh(P) > 0)


def test_the_gain_balances_the_pole() -> None:
    m = cart_pole()
    L = m.sim(method="vi", dt=0.01).linearize()
    found = cardan.lqr(L, [10, 10, 1, 1], 1, full=True)  # of the model's own input
    assert found.K.shape == (1, 4) and found.radius < 1 and found.residual < 1e-12
    assert np.array_equal(found.K, cardan.lqr(L, [10, 10, 1, 1], 1, inputs=["input.push"]))
    x = np.array([0.0, 0.2, 0.0, 0.0])
    for _ in range(2000):
        x = (L.A - L.B[:, [2]] @ found.K) @ x
    assert np.abs(x).max() < 1e-6


def test_the_gain_balances_the_real_pole() -> None:
    m = cart_pole()
    L = m.sim(method="vi", dt=0.01).linearize()
    K = cardan.lqr(L, [10, 10, 1, 1], 1)
    env = cardan.Env(m, reward=lambda s, u: -abs(s.q[1]), method="vi", dt=0.01, horizon=2001)
    env.reset(options={"q": [0, 0.2]})
    for _ in range(2000):
        env.step(-K @ L.deviation(env.state.data))
    assert np.abs(env.state.q).max() < 1e-6 and np.abs(env.state.v).max() < 1e-6


def test_deviation_is_zero_at_the_node_and_linear_near_it() -> None:
    m = cart_pole()
    L = m.sim(method="vi", dt=0.01).linearize()
    d = m.data()
    assert np.array_equal(L.deviation(d), np.zeros(4))
    d.q[:] = (0.1, 0.2)
    d.v[:] = (1, 0)
    # p of the cart: (1 + 0.2) v; of the pole: 0.2 * 0.5 cos(angle) v
    assert np.allclose(L.deviation(d), [0.1, 0.2, 1.2, 0.1 * np.cos(0.2)], rtol=1e-14)
    with pytest.raises(cardan.ArgumentError, match="another model"):
        L.deviation(cart_pole().data())


def test_what_cannot_be_made_stable_is_said() -> None:
    A = np.diag([1.1, 0.5])
    with pytest.raises(cardan.ArgumentError, match=r"do not reach .*1\.1 in x\[0\]"):
        cardan.lqr((A, [[0.0], [1.0]]), 1, 1)
    with pytest.raises(cardan.ArgumentError, match=r"Q does not weigh .* x\[0\]"):
        cardan.lqr((np.diag([1.0, 0.5]), np.eye(2)), [0, 1], 1)
    s = cardan.Spec("two carts", gravity=(0, 0, 0))
    s.mass(s.variable("tx", "one"), 1)
    s.mass(s.variable("tx", "two"), 1)
    L = s.build().sim(method="vi", dt=0.01).linearize()
    with pytest.raises(cardan.ArgumentError, match="do not reach .*two"):
        cardan.lqr(L, 1, 1, inputs=["u.one"])


WRONG: List[Tuple[Callable[[Any], Any], str]] = [
    (lambda L: cardan.lqr(L, -1, 1), "Q has the eigenvalue -1"),
    (lambda L: cardan.lqr(L, 1, 0), "R has the eigenvalue 0, expected positive"),
    (lambda L: cardan.lqr(L, np.ones(3), 1), r"Q has the shape \(3,\)"),
    (lambda L: cardan.lqr(L, np.triu(np.ones((4, 4))), 1), "Q is not symmetric"),
    (lambda L: cardan.lqr(L, 1j, 1), "Q is not an array of finite numbers"),
    (lambda L: cardan.lqr(L, [[1, 2], [3]], 1), "Q is .*expected numbers"),
    (lambda L: cardan.lqr(L, np.nan, 1), "Q is not an array of finite numbers"),
    (lambda L: cardan.lqr(L, 1, 1, inputs=["input.pus"]), "did you mean 'input.push'"),
    (lambda L: cardan.lqr(L, 1, 1, inputs="u.place"), "expected a list of names"),
    (lambda L: cardan.lqr((L.A, L.B), 1, 1, inputs=["u.place"]), "A and B do not have"),
    (lambda L: cardan.lqr((L.A, L.B[:2]), 1, 1), r"expected \(n, n\), \(n, m\)"),
    (lambda L: cardan.lqr(L.t, 1, 1), "neither a Linearization"),
]


@pytest.mark.parametrize("call, match", WRONG, ids=[match for _, match in WRONG])
def test_wrong_arguments_are_named(call: Callable[[Any], Any], match: str) -> None:
    L = cart_pole().sim(method="vi", dt=0.01).linearize()
    with pytest.raises(cardan.ArgumentError, match=match):
        call(L)
