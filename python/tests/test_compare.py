# SPDX-License-Identifier: Apache-2.0
"""The same motion by several methods."""
import html
import math
import os
import pathlib
import re
import subprocess

import cardan
import numpy as np
import pytest
from page_data import page_data

COMMAND = pathlib.Path(os.environ.get(
    "CARDAN_COMMAND", pathlib.Path(cardan.__file__).parents[2] / "cardan"))
needs_command = pytest.mark.skipif(not COMMAND.is_file(), reason="the command is not built")


@pytest.fixture(scope="module")
def found():
    return cardan.compare(cardan.load("closed-chain"), ["vi", "aba/rk4", "baraff", "svi"],
                          dt=[0.02, 0.01, 0.005], time=0.5)


def test_rows(found):
    assert len(found) == 12 and [row.label for row in found.rows[::3]] == [
        "vi", "aba/rk4", "baraff/rk4", "svi"]
    assert [row.dt for row in found.rows[:3]] == [0.02, 0.01, 0.005]
    # orders as the methods have them; steps of this size still show the next term of the error
    for label, order in (("vi", 2), ("svi", 2), ("aba/rk4", 4)):
        assert found[label].order == pytest.approx(order, abs=0.15)
    assert found["aba/rk4"].error < found["vi"].error < 1e-3
    assert found["vi"].stats.steps == 100 and found["vi"].options["dt"] == 0.005
    assert found.reference == "aba/dopri5 at 1e-12" and found.doubt == ""


def test_a_method_that_does_not_take_the_model_says_why(found):
    row = found["baraff/rk4"]
    assert "moment of inertia" in row.refused and row.failed == ""
    assert math.isnan(row.error) and math.isnan(row.seconds) and math.isnan(row.drift)
    assert found["vi"].refused == ""


def test_the_motion_is_that_of_a_run(found):
    r = cardan.load("closed-chain").run(method="vi", dt=0.005, time=0.5)
    assert found["vi"].stats.energy_final == r.stats.energy_final
    assert found["vi"].stats.drift_max <= r.stats.drift_max  # of fewer nodes


def test_table_and_frame(found):
    text = str(found)
    assert text.startswith("closed-chain: errors against aba/dopri5 at 1e-12")
    assert len([line for line in text.splitlines() if line.startswith("  vi ")]) == 3
    assert "\n" not in repr(found) and "3 refused" in repr(found)
    pytest.importorskip("pandas")
    frame = found.frame()
    assert len(frame) == 12 and frame["error"][0] == found[0].error


def test_its_page(found, tmp_path):
    found.page(tmp_path / "a.html")
    written = (tmp_path / "a.html").read_text()
    shown = html.unescape(re.match(r'<iframe srcdoc="([^"]*)"', found._repr_html_())[1])
    assert page_data(shown) == page_data(written)
    with pytest.raises(cardan.ArgumentError, match="html"):
        found.page(tmp_path / "a.txt")


def test_errors_over_time(found):
    assert found.times == pytest.approx(0.02 * np.arange(1, 26)) and len(found.errors) == 12
    for row, error in zip(found.rows, found.errors):
        assert len(error) == (0 if row.refused else 25)
        assert row.refused or (error.max() == row.error and error[-1] == row.error_final)
    with pytest.raises(ValueError):
        found.errors[0][0] = 1.0


def test_its_page_has_them_and_the_reference(found, tmp_path):
    found.page(tmp_path / "a.html")
    data = page_data((tmp_path / "a.html").read_text())
    comparison, labels = data["comparison"], [run["label"] for run in data["runs"]]
    assert labels[comparison["reference_run"]] == found.reference == labels[-1]
    assert [entry["label"] for entry in comparison["entries"] if entry["run"] is not None] == [
        "vi", "aba/rk4", "svi"] == labels[:-1]
    assert comparison["times"] == pytest.approx(found.times.tolist())
    taken = [error for row, error in zip(found.rows, found.errors) if not row.refused]
    assert len(comparison["errors"]) == len(taken) == 9
    for shown, error in zip(comparison["errors"], taken):
        assert shown == pytest.approx(error.tolist(), rel=1e-8)
    again = cardan.compare(found.model, ["vi"], dt=[0.02, 0.01, 0.005], time=0.5)
    del again.rows
    assert np.array_equal(again.errors[2], found.errors[2])


@needs_command
def test_its_page_is_that_of_the_command(found, tmp_path):
    found.page(tmp_path / "a.html")
    subprocess.run([str(COMMAND), "compare", "closed-chain", "--methods", "vi,aba/rk4,baraff,svi",
                    "--dt", "0.02,0.01,0.005", "--time", "0.5", "--report", tmp_path / "b.html",
                    "--quiet"], check=True)
    ours, its = (page_data((tmp_path / name).read_text()) for name in ("a.html", "b.html"))
    for key in ("times", "errors", "reference_run", "reference"):
        assert ours["comparison"][key] == its["comparison"][key]
    for name in ("label", "columns", "units"):
        assert [run[name] for run in ours["runs"]] == [run[name] for run in its["runs"]]


def test_start_values_and_all_methods():
    m = cardan.load("pendulum:2")
    found = cardan.compare(m, time=0.2, q={m.q_names[0]: 0.3}, v=[1.0, 0.0])
    assert {row.label.partition("/")[0] for row in found.rows} >= {"vi", "svi", "aba", "hamilton"}
    r = m.run(time=0.2, q={m.q_names[0]: 0.3}, v=[1.0, 0.0])
    assert found["vi"].stats.energy_initial == r.stats.energy_initial
    one = cardan.compare(m, "vi,aba/rk4", time=0.2, dt=0.01, reference="aba/rk4")
    assert one.reference == "aba/rk4 at dt 0.00125" and np.isfinite(one["vi"].error)


def test_arguments_that_are_wrong():
    m = cardan.load("pendulum:2")
    for words, options, said in ((["xx"], {}, "xx"), ([3], {}, "methods"), ([], {}, "methods"),
                                 (["vi"], {"dt": -1}, "dt"), (["vi"], {"dt": []}, "dt"),
                                 (["vi"], {"dt": [0.01, 0.003]}, "divide"),
                                 (["vi"], {"kq": 3}, "kq"), (["vi"], {"q": [1]}, "q"),
                                 (["vi"], {"reference": "none"}, "none"),
                                 (["vi"] * 300, {}, "256")):
        with pytest.raises(cardan.ArgumentError, match=said):
            cardan.compare(m, words, time=0.1, **options)


def test_an_exception_of_progress_comes_out():
    class Own(Exception):
        pass

    def progress(fraction):
        raise Own

    with pytest.raises(Own):
        cardan.compare(cardan.load("pendulum:5"), ["vi"], dt=1e-3, time=1, progress=progress)
