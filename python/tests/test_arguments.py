# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of every method: refused with a sentence that names the argument."""
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import pytest

import cardan

Call = Callable[[Any], Any]


@pytest.fixture(scope="module")
def d() -> cardan.Data:
    """Loops, several joints, and solids do not matter here: a free body on a chain of hinges."""
    data = cardan.load("humanoid").data()
    data.kinematics()
    return data


@pytest.fixture(scope="module")
def loop() -> cardan.Data:
    return cardan.load("closed-chain").data()


def arrays(d: cardan.Data) -> Dict[str, Tuple[Call, Tuple[int, ...]]]:
    """Methods that read an array: by "method: argument", the call and the right shape."""
    m = d.model
    q, v = m.nq, m.nv
    return {
        "inverse: a": (lambda x: d.inverse(x), (v,)),
        "inverse forced: a": (lambda x: d.inverse(x, forces=True), (v,)),
        "regressor: a": (lambda x: d.regressor(x), (v,)),
        "inverse_slopes: a": (lambda x: d.inverse_slopes(x), (v,)),
        "inverse_loops: a": (lambda x: d.inverse_loops(x, range(v)), (v,)),
        "impulse: p": (lambda x: d.copy().impulse(p=x), (v,)),
        "impulse: f": (lambda x: d.copy().impulse(f=x), (m.nbody, 6)),
        "apply_force: force": (lambda x: d.copy().apply_force(1, force=x), (3,)),
        "apply_force: torque": (lambda x: d.copy().apply_force(1, torque=x), (3,)),
        "apply_force: point": (lambda x: d.copy().apply_force(1, point=x), (3,)),
        "move: q": (lambda x: m.move(x, np.zeros(v)), (q,)),
        "move: dq": (lambda x: m.move(m.q0, x), (v,)),
        "difference: q0": (lambda x: m.difference(x, m.q0), (q,)),
        "difference: q1": (lambda x: m.difference(m.q0, x), (q,)),
        "interpolate: q0": (lambda x: m.interpolate(x, m.q0, 0.5), (q,)),
        "interpolate: q1": (lambda x: m.interpolate(m.q0, x, 0.5), (q,)),
        "q_dot: q": (lambda x: m.q_dot(x, np.zeros(v)), (q,)),
        "q_dot: v": (lambda x: m.q_dot(m.q0, x), (v,)),
        "normalize: q": (lambda x: m.normalize(x), (q,)),
        "d.q =: q": (lambda x: setattr(d.copy(), "q", x), (q,)),
        "d.v =: v": (lambda x: setattr(d.copy(), "v", x), (v,)),
        "d.a =: a": (lambda x: setattr(d.copy(), "a", x), (v,)),
        "d.tau_in =: tau_in": (lambda x: setattr(d.copy(), "tau_in", x), (v,)),
        "d.f_in =: f_in": (lambda x: setattr(d.copy(), "f_in", x), (m.nbody, 6)),
        "d[..] =: pelvis": (lambda x: d.copy().__setitem__("pelvis", x), (7,)),
    }


def outs(d: cardan.Data) -> Dict[str, Tuple[Call, Tuple[int, ...]]]:
    """Methods that write to out: the call and the right shape."""
    m = d.model
    q, v = m.nq, m.nv
    zero = np.zeros(v)
    return {
        "inverse": (lambda x: d.inverse(zero, out=x), (v,)),
        "forward": (lambda x: d.forward(out=x), (v,)),
        "mass_matrix": (lambda x: d.mass_matrix(out=x), (v, v)),
        "mass_matrix_inverse": (lambda x: d.mass_matrix_inverse(out=x), (v, v)),
        "frame_inertia_inverse": (lambda x: d.frame_inertia_inverse(1, out=x), (6, 6)),
        "coriolis": (lambda x: d.coriolis(out=x), (v, v)),
        "bias": (lambda x: d.bias(out=x), (v,)),
        "gravity_torques": (lambda x: d.gravity_torques(out=x), (v,)),
        "regressor": (lambda x: d.regressor(out=x), (v, 10 * (m.nbody - 1))),
        "momenta": (lambda x: d.momenta(out=x), (v,)),
        "centroidal_matrix": (lambda x: d.centroidal_matrix(out=x), (6, v)),
        "pose": (lambda x: d.pose(1, out=x), (4, 4)),
        "twist": (lambda x: d.twist(1, out=x), (6,)),
        "acceleration": (lambda x: d.acceleration(1, out=x), (6,)),
        "bias_acceleration": (lambda x: d.bias_acceleration(1, out=x), (6,)),
        "jacobian": (lambda x: d.jacobian(1, out=x), (6, v)),
        "jacobian_rate": (lambda x: d.jacobian_rate(1, out=x), (6, v)),
        "com_jacobian": (lambda x: d.com_jacobian(out=x), (3, v)),
        "move": (lambda x: m.move(m.q0, zero, out=x), (q,)),
        "difference": (lambda x: m.difference(m.q0, m.q0, out=x), (v,)),
        "interpolate": (lambda x: m.interpolate(m.q0, m.q0, 0.5, out=x), (q,)),
        "q_dot": (lambda x: m.q_dot(m.q0, zero, out=x), (q,)),
    }


def right(shape: Tuple[int, ...]) -> Any:
    """Numbers that no argument is refused for: ones, so that quaternions have a length."""
    return np.ones(shape)


def wrong_arrays(shape: Tuple[int, ...]) -> Iterator[Any]:
    """What is no array of that many finite real numbers."""
    good = right(shape)
    for bad in (np.nan, np.inf):
        broken = good.copy()
        broken[(-1,) * len(shape)] = bad
        yield broken
    yield np.ones((shape[0] + 1, *shape[1:]))
    yield np.ones((*shape, 1))
    yield np.ones(shape[0] - 1)
    yield 1.0
    yield []
    yield good.astype(complex)
    yield good.astype(str)
    yield good.astype(object)
    yield good > 0
    yield np.full(shape, 2**60)
    yield np.ma.masked_all(shape)  # type: ignore[no-untyped-call]
    yield "1" * shape[0]
    yield b"1" * shape[0]
    yield [[1.0], [1.0, 2.0]]
    yield {1.0: 2.0}
    yield np.full(shape, np.datetime64("2020"))


def test_arrays_that_are_read(d: cardan.Data) -> None:
    for name, (call, shape) in arrays(d).items():
        argument = name.rpartition(": ")[2]
        for value in wrong_arrays(shape):
            with pytest.raises(cardan.ArgumentError) as caught:
                call(value)
            assert argument in caught.value.message, (name, value)


def test_arrays_of_all_right_kinds_are_read(d: cardan.Data) -> None:
    """Lists, whole numbers, float32, strided and read-only arrays: the same numbers, the same
    answer."""
    v = d.model.nv
    expected = d.inverse(np.arange(v) * 1.0)
    strided = np.zeros((v, 3))
    strided[:, 1] = np.arange(v)
    fixed = np.arange(v) * 1.0
    fixed.flags.writeable = False
    kinds: List[Any] = [list(range(v)), np.arange(v), np.arange(v, dtype=np.float32),
                        np.arange(v, dtype=">f8"), strided[:, 1], fixed,
                        np.arange(v)[::-1].astype(float)[::-1], tuple(range(v)),
                        np.frombuffer(b"x" + fixed.tobytes(), "u1")[1:].view(np.float64)]
    for kind in kinds:
        assert d.inverse(kind).tobytes() == expected.tobytes()


def wrong_outs(shape: Tuple[int, ...]) -> Iterator[Any]:
    """What C cannot write that many numbers to."""
    yield np.zeros((*shape[:-1], shape[-1] + 1))
    yield np.zeros((*shape, 1))
    yield np.zeros(shape, np.float32)
    yield np.zeros(shape, ">f8")
    yield np.zeros(shape, complex)
    yield np.zeros(shape, int)
    yield np.zeros(shape).tolist()
    yield 0.0
    yield np.zeros((*shape[:-1], 2 * shape[-1]))[..., ::2]
    yield np.zeros(shape)[::-1]
    fixed = np.zeros(shape)
    fixed.flags.writeable = False
    yield fixed
    size = 8 * int(np.prod(shape))
    yield np.zeros(size + 1, "u1")[1:].view(np.float64).reshape(shape)
    if len(shape) == 2:
        yield np.zeros(shape, order="F")


def test_arrays_that_are_written(d: cardan.Data) -> None:
    for name, (call, shape) in outs(d).items():
        for value in wrong_outs(shape):
            with pytest.raises(cardan.ArgumentError) as caught:
                call(value)
            assert "out" in caught.value.message, (name, value)


def test_out_is_what_comes_back(d: cardan.Data) -> None:
    for name, (call, shape) in outs(d).items():
        out = np.full(shape, np.nan)
        assert call(out) is out, name
        assert out.tobytes() == call(None).tobytes(), name


def test_out_may_be_what_is_read_by_inverse_and_must_not_elsewhere(d: cardan.Data) -> None:
    m = d.model
    a = np.arange(m.nv) * 0.1
    expected = d.inverse(a.copy())
    assert d.inverse(a, out=a) is a and a.tobytes() == expected.tobytes()
    q = np.array(m.q0)
    with pytest.raises(cardan.ArgumentError, match="out lies over"):
        m.move(q, np.zeros(m.nv), out=q)


def names(d: cardan.Data) -> Dict[str, Call]:
    """Methods that take a name, by what it is of."""
    m = d.model
    return {
        "frame pose": lambda x: d.pose(x), "frame pose reference": lambda x: d.pose(1, x),
        "frame twist": lambda x: d.twist(x), "frame jacobian": lambda x: d.jacobian(x),
        "frame acceleration": lambda x: d.acceleration(x),
        "frame bias_acceleration": lambda x: d.bias_acceleration(x),
        "frame jacobian_rate": lambda x: d.jacobian_rate(x),
        "frame frame_inertia_inverse": lambda x: d.frame_inertia_inverse(x),
        "frame apply_force": lambda x: d.apply_force(x),
        "frame distance": lambda x: d.distance(x, 0),
        "frame inverse_kinematics": lambda x: d.inverse_kinematics({x: np.zeros(3)}),
        "frame frame": lambda x: m.frame(x),
        "joint joint": lambda x: m.joint(x), "body body": lambda x: m.body(x),
        "body com": lambda x: d.com(x), "body com_velocity": lambda x: d.com_velocity(x),
        "body com_jacobian": lambda x: d.com_jacobian(x),
        "keyframe keyframe": lambda x: d.keyframe(x), "keyframe model": lambda x: m.keyframe(x),
        "output output": lambda x: d.output(x),
        "output output_slopes": lambda x: d.output_slopes(x),
        "parameter parameter_slopes": lambda x: d.parameter_slopes(x),
        "v inverse_loops": lambda x: d.inverse_loops(np.zeros(m.nv), [x]),
    }


def test_names_that_there_are_not(d: cardan.Data) -> None:
    for name, call in names(d).items():
        what = name.split()[0]
        for value in ("nothing", "", "a\0b", "\udc80", -1, 10**6, 2**70, 1.0, None, True, b"hand"):
            with pytest.raises((cardan.ArgumentError, TypeError)) as caught:
                call(value)
            assert what in str(caught.value), (name, value)


def test_the_nearest_name_is_told(d: cardan.Data) -> None:
    with pytest.raises(cardan.ArgumentError, match="did you mean 'pelvis'"):
        d.pose("pelviss")
    with pytest.raises(cardan.ArgumentError, match="did you mean 'pelvis'"):
        d["plevis"]
    for name in ("v.nothing", "u.nothing", "x.pelvis", "", "q.", 3, None):
        with pytest.raises(cardan.ArgumentError):
            d[name]  # type: ignore[index]
        with pytest.raises(cardan.ArgumentError):
            d[name] = 1.0  # type: ignore[index]


def test_numbers(d: cardan.Data) -> None:
    m = d.model
    hinge = m.joint(5).name
    calls: Dict[str, Call] = {
        "t": lambda x: setattr(d.copy(), "t", x), "part": lambda x: m.move(m.q0, m.v0, x),
        "kq": lambda x: d.forward(kq=x), "kv": lambda x: d.forward(kv=x),
        "floor": lambda x: cardan.load("pendulum", floor=x),
        "rank_tol": lambda x: cardan.load("pendulum", rank_tol=x),
        "closing": lambda x: cardan.load("pendulum", closing=x),
        hinge: lambda x: d.copy().__setitem__(hinge, x)}
    for name, call in calls.items():
        for value in (np.nan, np.inf, "1", 1j, True, [1.0, 2.0], 10**400, b"1", object()):
            with pytest.raises(cardan.ArgumentError) as caught:
                call(value)
            assert name in caught.value.message, (name, value)
    for seed in (-1, 2**64, 1.0, "1", True, None):
        with pytest.raises(cardan.ArgumentError, match="seed"):
            m.random(seed)  # type: ignore[arg-type]
    for axes in ("World", "", None, 1):
        with pytest.raises(cardan.ArgumentError, match="axes"):
            d.twist(1, axes)  # type: ignore[arg-type]


def test_goals(loop: cardan.Data) -> None:
    turned = np.eye(4)
    turned[0, 0] = -1
    skewed = np.eye(3)
    skewed[0, 1] = 0.1
    shifted = np.eye(4)
    shifted[3, 0] = 1
    for goal in (turned, skewed, shifted, np.zeros(2), "x", None, [np.nan, 0, 0], np.eye(5)):
        with pytest.raises(cardan.ArgumentError, match="goals"):
            loop.inverse_kinematics({1: goal})  # type: ignore[dict-item]


def test_states_that_cannot_be(d: cardan.Data) -> None:
    """Values written through the views are checked only by the calls that use them."""
    uses: List[Call] = [lambda e: e.kinematics(), lambda e: e.inverse(), lambda e: e.forward(),
                        lambda e: e.pose(1), lambda e: e.energy(), lambda e: e.assemble()]
    for use in uses:
        for array, at, value in (("q", 9, np.nan), ("v", 2, np.inf), ("q", 0, -np.inf)):
            e = d.copy()
            getattr(e, array)[at] = value
            with pytest.raises(cardan.NotFinite, match=rf"^{array}\["):
                use(e)
        e = d.copy()
        e.q[3:7] = 0
        with pytest.raises(cardan.ArgumentError, match="quaternion"):
            use(e)
    e = d.copy()
    e.tau_in[4] = np.nan
    with pytest.raises(cardan.NotFinite):
        e.forward()
    e.tau_in[4] = 0
    assert np.isfinite(e.forward()).all()


def test_a_state_of_no_model(d: cardan.Data) -> None:
    for model in (None, "pendulum", d, cardan.load("pendulum").sim()):
        with pytest.raises(cardan.ArgumentError, match="model is"):
            cardan.Data(model)  # type: ignore[arg-type]


def test_attributes_that_there_are_not(d: cardan.Data) -> None:
    with pytest.raises(AttributeError):
        d.tau = np.zeros(3)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        d.model = d.model  # type: ignore[misc]


def test_what_is_no_mapping_and_no_data() -> None:
    m = cardan.load("pendulum:2")
    with pytest.raises(cardan.ArgumentError, match="goals is"):
        m.data().inverse_kinematics([1, 2])  # type: ignore[arg-type]
    with pytest.raises(cardan.ArgumentError, match="values is"):
        m.with_parameters([1, 2])  # type: ignore[arg-type]
    sim = m.sim()
    for wrong in (sim, None, np.zeros(2)):
        with pytest.raises(cardan.ArgumentError, match="data is .* expected a Data"):
            sim.linearize().deviation(wrong)  # type: ignore[arg-type]
    with pytest.raises(cardan.ArgumentError):
        cardan.Spec(np.zeros(2))  # type: ignore[arg-type]
