# SPDX-License-Identifier: Apache-2.0
"""Values of the package against those of a C program (reference.c), to the last bit."""
import pathlib
import subprocess
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import cardan

MODELS = ["pendulum:5", "chain:10", "humanoid", "spherical-chain:8", "arm:5", "human", "tumbler",
          "spring", "kepler", "quadruped", "closed-chain", "lower-pairs", "slider-crank",
          "scissor:4", "wire", "screw", "gear", "cam"]


def program() -> pathlib.Path:
    """The reference program, beside the package in the build folder."""
    return pathlib.Path(cardan._cardan.__file__).parents[1] / "reference"


@pytest.fixture(scope="module")
def reference() -> Dict[str, Dict[str, List[float]]]:
    """Numbers by model and key."""
    done = subprocess.run([program(), *MODELS], capture_output=True, text=True, check=True)
    found: Dict[str, Dict[str, List[float]]] = {name: {} for name in MODELS}
    for line in done.stdout.splitlines():
        name, key, *numbers = line.split()
        found[name][key] = [float.fromhex(number) for number in numbers]
    return found


def begun(name: str) -> cardan.Data:
    """The state of reference.c."""
    m = cardan.load(name)
    d = m.data()
    d.t = 0.25
    k = np.arange(m.nv)
    d.v = 0.25 * (k % 5) - 0.5
    d.tau_in = 0.125 * (k % 4)
    if m.nrow > 0:
        d.assemble()
    else:
        d.q = m.random(3)
    return d


def asked(d: cardan.Data) -> Dict[str, Callable[[], Any]]:
    """The same questions as in reference.c, by key."""
    m, last = d.model, d.model.nframe - 1
    a, q1 = 0.5 * (np.arange(m.nv) % 3) - 0.25, m.random(11)
    pose = lambda: np.concatenate((d.pose(last)[:3, :3].ravel(), d.pose(last)[:3, 3]))
    return {
        "q": lambda: d.q, "v": lambda: d.v, "random": lambda: q1,
        "move": lambda: m.move(q1, a, 0.5), "difference": lambda: m.difference(d.q, q1),
        "interpolate": lambda: m.interpolate(d.q, q1, 0.25), "q_dot": lambda: m.q_dot(q1, a),
        "inverse": lambda: d.inverse(a), "pose": pose, "twist": lambda: d.twist(last),
        "bias_acceleration": lambda: d.bias_acceleration(last, "world"),
        "jacobian": lambda: d.jacobian(last, "local"),
        "jacobian_rate": lambda: d.jacobian_rate(last),
        "relative_jacobian": lambda: d.jacobian(last, reference=1),
        "com": d.com, "com_jacobian": d.com_jacobian, "mass_matrix": d.mass_matrix,
        "coriolis": d.coriolis, "bias": d.bias, "gravity_torques": d.gravity_torques,
        "regressor": lambda: d.regressor(a), "momenta": d.momenta, "momentum": d.momentum,
        "centroidal": d.centroidal, "centroidal_matrix": d.centroidal_matrix,
        "energy": d.energy, "mass_matrix_inverse": d.mass_matrix_inverse,
        "constraint_values": lambda: d.constraints().value,
        "constraint_gamma": lambda: d.constraints().gamma,
        "constraint_jacobian": lambda: d.constraints().jacobian,
        "forward": d.forward, "multipliers": d.multipliers,
        "acceleration": lambda: (d.forward(), d.acceleration(last))[1], "reactions": d.reactions}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_bits_are_those_of_c(reference: Dict[str, Dict[str, List[float]]], name: str,
                                 backwards: bool) -> None:
    """In whatever order they are requested."""
    d = begun(name)
    calls = asked(d)
    assert calls.keys() == reference[name].keys()
    for key in sorted(calls, reverse=backwards):
        found = np.asarray(calls[key](), np.float64).ravel()
        expected = np.array(reference[name][key])
        assert found.tobytes() == expected.tobytes(), key


def test_answers_follow_the_state() -> None:
    """What was made of one state is not given for another."""
    d, other = begun("humanoid"), begun("humanoid")
    last = d.model.nframe - 1
    for seed in (3, 5, 3):
        d.inverse()
        d.q[:] = d.model.random(seed)
        other.q = d.model.random(5)
        other.forward()
        other.q = d.model.random(seed)
        assert np.array_equal(d.pose(last), other.pose(last))
        assert np.array_equal(d.forward(), other.forward())
        assert np.array_equal(d.mass_matrix(), other.mass_matrix())
