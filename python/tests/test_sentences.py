# SPDX-License-Identifier: Apache-2.0
"""The messages for input that is slightly wrong."""
import os
from typing import Any, Callable

import numpy as np
import pytest

import cardan


def said(call: Callable[[], object], kind: Any = cardan.ArgumentError) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def pushed() -> cardan.Model:
    spec = cardan.Spec("cart")
    spec.input("push", limit=(-1, 1))
    cart = spec.joint("x", "prismatic", axis=(1, 0, 0))
    spec.mass(cart, 1)
    spec.actuator(cart, "push")
    return spec.build()


def test_assigned_inputs_count() -> None:
    """s.u = .. writes to the sim, as s.u[:] = .. does."""
    one, other = pushed().sim(dt=1e-2), pushed().sim(dt=1e-2)
    one.u, other.u[:] = np.array([0.5]), 0.5
    one.tau_in, other.tau_in[:] = np.array([0.25]), 0.25
    one.f_in = other.f_in[:] = np.full((2, 6), 0.1)
    one.step(10)
    other.step(10)
    assert one.q[0] == other.q[0] != 0
    assert "u has the shape (2,)" in said(lambda: setattr(one, "u", [1, 2]))
    assert "tau_in[0] is nan" in said(lambda: setattr(one, "tau_in", [np.nan]))


def test_assigned_state_is_refused() -> None:
    sim = pushed().sim()
    for name in ("t", "q", "v"):
        assert "reset()" in said(lambda: setattr(sim, name, 0), AttributeError)
    for name in ("dt", "control", "model", "tau"):
        assert "given to Model.sim()" in said(lambda: setattr(sim, name, 0), AttributeError)


@pytest.mark.parametrize("method", ["vi", "aba", "rattle"])
def test_a_force_that_is_no_number_is_named(method: str) -> None:
    def control(t: float, data: cardan.Data, u: Any) -> None:
        data.tau_in[1] = np.nan if t > 0.045 else 0

    model = cardan.load("chain:3")
    message = said(lambda: model.run(time=1, dt=1e-2, method=method, control=control),
                   cardan.NotFinite)
    assert message == "tau_in[1] is nan, expected a finite number"
    sim = model.sim(dt=1e-2, method=method)
    sim.f_in[2, 3] = np.inf
    assert "f_in[2, 3] is inf" in said(sim.step, cardan.NotFinite)


def test_names() -> None:
    model = cardan.load("pendulum:3")
    assert "no joint 'Q1' in the model; did you mean 'q1'?" in said(lambda: model.joint("Q1"))
    assert "expected a name or a number" in said(lambda: model.data().pose(None))  # type: ignore
    assert "no coordinate 'qq1'" in said(lambda: model.sim(dt=1e-2).reset(q={"qq1": 1}))


def test_models() -> None:
    name: Any = "pendulum:3"
    for call in (lambda: cardan.compare(name), lambda: cardan.rollout(name, steps=1),
                 lambda: cardan.Env(name, reward=lambda s, u: 0)):
        assert "model is a str, expected a cardan.Model" in said(call)


def test_files(tmp_path: Any) -> None:
    result = cardan.load("pendulum:3").run(time=0.1)
    assert ".h5 or .csv" in said(lambda: result.model.run(time=0.1, out=tmp_path / "x.xls"))
    assert ".h5, .csv or .npz" in said(lambda: result.save(tmp_path / "x.xls"))
    assert "no such file" in said(lambda: cardan.load_result(tmp_path / "x.h5"), cardan.FileError)
    assert os.listdir(tmp_path) == []


def test_what_a_prompt_offers() -> None:
    assert set(cardan.__all__) <= set(dir(cardan))


def test_events() -> None:
    model = cardan.load("pendulum:3")
    one: Any = cardan.Event(lambda t, data: float(data["q1"]))
    assert "events is one Event" in said(lambda: model.run(time=0.1, events=one))
    for value in (None, "1.5", np.nan):
        found = [cardan.Event(lambda t, data: value)]  # type: ignore[arg-type, return-value]
        assert f"the value of event 0 is {value!r}" in said(
            lambda: model.run(time=0.1, events=found))


def test_a_place_without_a_file() -> None:
    assert str(cardan.ModelError("it has no mass", line=3)) == "line 3: it has no mass"
    assert str(cardan.ModelError("it has no mass", "a.mbs", 3, 5)) == "a.mbs:3:5: it has no mass"
