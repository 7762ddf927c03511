# SPDX-License-Identifier: Apache-2.0
"""The same motion by several methods."""
import html
import math
import re

import cardan
import numpy as np
import pytest
from page_data import page_data


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
