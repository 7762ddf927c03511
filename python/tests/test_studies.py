# SPDX-License-Identifier: Apache-2.0
"""The studies of examples/sweeps, each at a small size: what they find has to be so."""
import importlib
import pathlib
from typing import Any, Dict

import numpy as np
import pytest

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sweeps"


def found_by(name: str, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Dict[str, Any]:
    """What a study finds."""
    monkeypatch.syspath_prepend(str(STUDIES))
    found: Dict[str, Any] = importlib.import_module(name).main(["--small", "--folder", str(folder)])
    return found


def test_flips(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = found_by("flips", tmp_path, monkeypatch)
    assert found["against the energy"] == 0 and 1.5 < found["least energy"] < 2
    assert found["other when turned"] == 0 and found["apart when turned"] < 1e-6
    assert 0.6 < found["flips"] < 0.7 and found["within 1 ms"] > 0.7


def test_fourbar(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = found_by("fourbar", tmp_path, monkeypatch)
    assert np.allclose(found["ratio"], 1, atol=1 / np.sqrt(2 * 128))  # of 128 random ones: 1 sigma
    assert max(found["index"]) < 0.1


def test_steps(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = found_by("steps", tmp_path, monkeypatch)
    orders = {"vi": 2, "svi": 2, "aba": 4, "hamilton": 4, "baraff": 4, "half-implicit": 1,
              "fully-implicit": 1, "rattle": 2}
    assert found.keys() == orders.keys()
    for method, expected in orders.items():
        assert abs(found[method] - expected) < 0.15, (method, found[method])
