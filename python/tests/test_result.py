# SPDX-License-Identifier: Apache-2.0
"""Whole runs: the same bits as the command's, files, pages, and what a run that fails leaves."""
import dataclasses
import html
import json
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings

import cardan
import numpy as np
import pytest
from cardan._table import write_table
from page_data import page_data

BUILD = pathlib.Path(cardan.__file__).parents[2]
COMMAND = pathlib.Path(os.environ.get("CARDAN_COMMAND", BUILD / "cardan"))
needs_command = pytest.mark.skipif(not COMMAND.is_file(), reason="the command is not built")
MOTOR = """(system "arm" (gravity 0 0 -9.81)
  (ry "a" (tz -1 (mass 1 0.1 0.1 0.1)))
  (input "drive") (actuator "motor" "a" "drive") (initial ("a" 1)))"""


def command(*words):
    done = subprocess.run([str(COMMAND), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_command
@pytest.mark.parametrize("name, options", [
    ("pendulum:5", {}),
    ("closed-chain", {"method": "aba", "integrator": "dopri5", "rtol": 1e-9}),
    ("closed-chain", {"order": 4, "every": 5}),
    ("bouncing-ball", {}),
    ("humanoid", {"dt": 1e-3, "time": 0.5}),
    ("top", {"method": "rattle"}),
])
@pytest.mark.parametrize("add", ["", "momentum,work"])
def test_files_are_those_of_the_command(tmp_path, name, options, add):
    options = {"time": 1, **options}
    words = [word for key, value in options.items()
             for word in (f"--{key.replace('_', '-')}", value)]
    for ending in ("h5", "csv"):
        command("run", name, *words, *(["--add", add] if add else []), "--quiet",
                "--out", tmp_path / f"command.{ending}")
    m = cardan.load(name)
    r = m.run(add=add, out=tmp_path / "python.h5", **options)
    r.save(tmp_path / "python.csv")
    for ending in ("h5", "csv"):
        assert (tmp_path / f"python.{ending}").read_bytes() == (
            tmp_path / f"command.{ending}").read_bytes()
    read = cardan.load_result(tmp_path / "command.h5")
    assert read.columns == r.columns and np.array_equal(read.table, r.table)
    assert read.options == r.options


@needs_command
@pytest.mark.parametrize("options", [{}, {"method": "aba", "integrator": "adams"}])
def test_a_file_can_be_gone_on_with(tmp_path, options):
    m = cardan.load("pendulum:3")
    whole = m.run(time=1, v=[1, 2, 3], out=tmp_path / "whole.h5", **options)
    m.run(time=0.5, v=[1, 2, 3], out=tmp_path / "a.h5", **options)
    r = cardan.continue_result(tmp_path / "a.h5", time=1)
    assert np.array_equal(r.table, whole.table)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "whole.h5").read_bytes()
    m.run(time=0.5, v=[1, 2, 3], out=tmp_path / "b.h5", **options)
    command("run", tmp_path / "b.h5", "--continue", "--time", "1", "--quiet")
    assert (tmp_path / "b.h5").read_bytes() == (tmp_path / "whole.h5").read_bytes()
    with pytest.raises(cardan.ArgumentError, match="already"):
        cardan.continue_result(tmp_path / "a.h5", time=0.1)


@needs_command
def test_a_file_without_the_work_can_be_gone_on_with(tmp_path):
    m = cardan.load("slider-crank")
    r = m.run(time=0.2)
    record = dataclasses.replace(r._record, beside=0, unasked=())
    for name in "ab":  # as releases before wrote them
        write_table(tmp_path / f"{name}.h5", m, record, r.columns, np.ascontiguousarray(r.table))
    assert "work" not in cardan.load_result(tmp_path / "a.h5")
    command("run", tmp_path / "a.h5", "--continue", "--time", "0.4", "--quiet")
    cardan.continue_result(tmp_path / "b.h5", time=0.4)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    whole, read = m.run(time=0.4), cardan.load_result(tmp_path / "a.h5")
    assert read.columns == whole.columns and np.array_equal(read.table, whole.table)


def test_units(tmp_path):
    m = cardan.load("slider-crank")
    r = m.run(time=0.1, add="reactions,multipliers", out=tmp_path / "a.h5")
    r.page(tmp_path / "a.html")
    shown = page_data((tmp_path / "a.html").read_text())["runs"][0]
    for one in (r, cardan.load_result(tmp_path / "a.h5")):
        assert [one.unit(name) for name in shown["columns"]] == shown["units"]
    spin = cardan.load("top").run(time=0.1, add="momentum")
    assert [spin.unit(name) for name in ("t", "top.qw", "v.top.wx", "energy", "P.x", "L.z")] == [
        "s", "", "rad/s", "J", "kg m/s", "kg m^2/s"]
    with pytest.raises(cardan.ArgumentError, match="no column 'elbow'"):
        spin.unit("elbow")


def test_where_work_is_done_a_result_has_it(tmp_path):
    m = cardan.load("slider-crank")
    r = m.run(time=0.5, out=tmp_path / "a.h5")
    with_work = m.run(time=0.5, add="work")
    assert r.columns == with_work.columns[:-2] and "work" not in r.columns
    assert "balance" in r and np.array_equal(r["work"], with_work["work"])
    read = cardan.load_result(tmp_path / "a.h5")
    assert read.columns == r.columns and np.array_equal(read["balance"], r["balance"])
    assert read.drift == np.max(np.abs(r["balance"])) > 0
    again = pickle.loads(pickle.dumps(r))
    assert again.columns == r.columns and np.array_equal(again["balance"], r["balance"])
    for one in (r, read, again):
        one.page(tmp_path / "a.html")
        shown = page_data((tmp_path / "a.html").read_text())["runs"][0]["columns"]
        assert {"work", "balance"} <= set(shown)
    with_contacts = cardan.load("rope").run(time=0.1, add="contacts")
    assert {"work", "balance"}.isdisjoint(with_contacts.columns)
    assert "lost.impact" in with_contacts.columns and "impacts" in with_contacts.columns
    assert np.array_equal(with_contacts.table[:, -1], with_contacts[with_contacts.columns[-1]])
    assert "work" not in cardan.load("pendulum").run(time=0.1)


@needs_command
def test_a_file_can_be_run_again_by_the_command(tmp_path):
    m = cardan.load("pendulum:3", settings={"m": 2.5})
    r = m.run(time=1, q=[0.3, m.q0[1], -0.1], v={m.v_names[2]: 1.5}, order=4,
              out=tmp_path / "a.h5")
    command("run", tmp_path / "a.h5", "--quiet", "--out", tmp_path / "b.h5")
    assert np.array_equal(cardan.load_result(tmp_path / "b.h5").table, r.table)


@needs_command
def test_what_control_wrote_is_run_again_without_it(tmp_path):
    m = cardan.loads(MOTOR)

    def control(t, data, u):
        u[0] = -3 * data["a"] - 0.1 * data["v.a"]

    r = m.run(time=1.37, dt=0.01, control=control, out=tmp_path / "a.h5")
    assert r.u.shape == (137, 1) and r.u[0, 0] == -3.0
    command("run", tmp_path / "a.h5", "--quiet", "--out", tmp_path / "b.h5")
    again = cardan.load_result(tmp_path / "b.h5")
    assert np.array_equal(again.q, r.q) and np.array_equal(again.v, r.v)


def test_a_file_that_does_not_repeat_the_run_says_so(tmp_path):
    m = cardan.loads(MOTOR)

    def push(t, data, u):
        data.tau_in[0] = 1

    with pytest.warns(cardan.MotionWarning, match="another one"):
        m.run(time=0.1, control=push, out=tmp_path / "a.h5")


@needs_command
def test_what_a_killed_run_left_can_be_loaded(tmp_path):
    run = subprocess.Popen([str(COMMAND), "run", "pendulum", "--dt", "1e-5", "--time", "1e4", "--out",
                            str(tmp_path / "r.h5"), "--quiet"])
    partial = tmp_path / "r.partial.h5"
    end = time.monotonic() + 300
    while not (partial.exists() and partial.stat().st_size > 1e6) and time.monotonic() < end:
        time.sleep(0.01)
    run.kill()
    run.wait()
    r = cardan.Result.load(partial)
    assert len(r) > 0 and "was not closed" in r.error
    assert np.array_equal(r.t, 1e-5 * np.arange(len(r)))


def test_columns_by_name():
    m = cardan.load("pendulum:3")
    r = m.run(time=0.5, add=("momentum", "work"))
    name = m.q_names[0]
    assert r.columns[0] == "t" and r.columns[-1] == "balance" and "P.x" in r
    assert np.array_equal(r[f"q.{name}"], r.q[:, 0]) and np.array_equal(r[name], r.q[:, 0])
    assert np.array_equal(r[f"v.{m.v_names[2]}"], r.v[:, 2])
    assert np.array_equal(r.energy, r["kinetic"] + r["potential"])
    assert len(r) == 51 == len(r.t) and r.t[-1] == pytest.approx(0.5)
    assert r.drift == r.stats.drift_max >= np.max(np.abs(r["balance"])) - 1e-15
    assert np.shares_memory(r.t, r.table)
    with pytest.raises(cardan.ArgumentError, match="did you mean 'energy'"):
        r["enrgy"]
    table = r.table
    del r
    assert np.isfinite(table).all()


def test_estimated_error_and_drift():
    m = cardan.loads("(system (gravity 0 0 0) (tx \"x\" (mass 1)) (joint-spring \"x\" 1 0)"
                     "(initial (\"x\" 1)))")
    for dt, warns in ((0.05, False), (1, True)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            r = m.run(method="svi", time=40, dt=dt)
        e = r.estimated_error
        assert e == r.stats.estimated_error and (e.coordinate, e.unit) == ("x", "m")
        true = abs(r.q[-1, 0] - math.cos(40))
        assert 0 < e.value <= e.range < 2.1 and e.samples > 4 and true < 10 * e.value
        assert any("may be off by" in str(w.message) for w in seen) == warns
    r = m.run(method="aba", time=100, dt=0.3)
    line = np.polyfit(r.t, r["energy"], 1)
    assert r.stats.energy_trend == pytest.approx(3600 * line[0], rel=1e-9)
    # extremes are kept for blocks of rows, so that the band is exact but for the trend within one
    band = np.ptp(r["energy"] - np.polyval(line, r.t))
    assert r.stats.energy_band == pytest.approx(band, abs=abs(line[0]) * 100 / 32)
    assert 0 < r.stats.energy_trend_error < abs(r.stats.energy_trend)
    assert m.run(method="aba", integrator="dopri5", time=1).estimated_error is None


def test_repr_is_one_line():
    text = repr(cardan.load("pendulum:2").run(time=1))
    assert "\n" not in text and "pendulum:2" in text and "vi" in text and "101 rows" in text


def test_a_run_that_fails_has_its_rows(tmp_path):
    m = cardan.load("pendulum:5")
    with pytest.raises(cardan.Error) as caught:
        m.run(time=500, dt=0.5, max_iter=3, out=tmp_path / "a.csv")
    result = caught.value.result
    assert len(result) >= 1 and result.error and result.t[-1] == caught.value.t
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert len(rows) == 1 + len(result)
    assert "ended early" in repr(result)
    ok = m.run(time=1)
    assert ok.error is None


def test_an_exception_of_control_ends_a_run_unchanged():
    error = KeyError("mine")

    def control(t, data, u):
        if t > 0.3:
            raise error

    with pytest.raises(KeyError) as caught:
        cardan.load("pendulum:2").run(time=1, control=control)
    assert caught.value is error


def test_ctrl_c_ends_a_run(tmp_path):
    import _thread
    m = cardan.load("pendulum:2")
    started = threading.Event()

    def interrupt():
        started.wait()
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):  # all of it would take hours
        m.run(time=1e8, dt=1e-2, every=100_000, out=tmp_path / "a.csv",
              progress=lambda _: started.set())
    thread.join()
    assert (tmp_path / "a.csv").is_file()


def test_progress_is_reported():
    parts = []
    cardan.load("pendulum:2").run(time=2, progress=parts.append)
    assert parts[-1] == 1.0 and parts == sorted(parts)
    with pytest.raises(cardan.ArgumentError, match="progress"):
        cardan.load("pendulum:2").run(progress=3)


def test_inputs_from_a_table(tmp_path):
    m = cardan.loads(MOTOR)
    t = np.arange(0, 1, 0.01)
    u = np.sin(t)
    (tmp_path / "u.csv").write_text("t,u.drive\n" + "".join(
        f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), u.tolist())))
    by_hand = m.sim(dt=0.01)
    for value in u:
        by_hand.u[0] = value
        by_hand.step()
    for given in (tmp_path / "u.csv", {"t": t, "drive": u}, np.column_stack((t, u))):
        r = m.run(time=1, dt=0.01, input=given)
        assert np.array_equal(r.q[-1], by_hand.q)
    assert not np.array_equal(m.run(time=1, dt=0.01, input=given, input_mode="linear").q, r.q)
    with pytest.warns(cardan.MotionWarning, match="last row is held"):
        m.run(time=2, dt=0.01, input=given)
    for wrong in (np.zeros((3, 5)), {"t": [0, 1], "drive": [0]}, {"t": [0, 1], "drve": [0, 1]},
                  {"t": [0, np.nan], "drive": [0, 1]}, 3.0):
        with pytest.raises(cardan.Error):
            m.run(input=wrong)


def test_warnings_are_heard():
    m = cardan.load("pendulum:2")
    with pytest.warns(cardan.MotionWarning, match="no multiple"):
        r = m.run(time=1.005, dt=0.01)
    assert len(r.warnings) == 1 and r.t[-1] == pytest.approx(1.0)


def test_arguments_that_are_wrong(tmp_path):
    m = cardan.load("pendulum:2")
    for options, word in (({"q": [1]}, "q"), ({"q": "x"}, "q"), ({"v": {"none": 1}}, "none"),
                          ({"add": "momentums"}, "momentums"), ({"out": "a.xls"}, "xls"),
                          ({"out": tmp_path / "none" / "a.csv"}, "none"),
                          ({"report": "a.txt"}, "html"), ({"tme": 1}, "time"),
                          ({"u": [1]}, "u"), ({"out": 3}, "3")):
        with pytest.raises((cardan.ArgumentError, cardan.FileError), match=word):
            m.run(time=0.1, **options)


def test_npz_csv_and_pandas(tmp_path):
    r = cardan.load("pendulum:2").run(time=0.2)
    r.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as kept:
        assert np.array_equal(kept["table"], r.table) and kept["columns"].tolist() == list(
            r.columns)
        assert json.loads(str(kept["options"]))["dt"] == 0.01
    r.save(tmp_path / "a.csv")
    read = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert np.array_equal(read, r.table)
    pandas = pytest.importorskip("pandas")
    frame = r.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == list(r.columns)
    with pytest.raises(cardan.ArgumentError):
        r.save(tmp_path / "a.txt")
    with pytest.raises(cardan.ArgumentError, match="no result"):
        cardan.load_result(tmp_path / "a.csv")


def test_without_pandas_and_matplotlib(monkeypatch):
    r = cardan.load("pendulum:2").run(time=0.1)
    for name in ("pandas", "matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(cardan.Error, match="pandas"):
        r.frame()
    with pytest.raises(cardan.Error, match="matplotlib"):
        r.plot()


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = cardan.load("pendulum:2").run(time=0.5)
    axes = r.plot()
    assert [line.get_label() for line in axes.lines] == [f"q.{name}" for name in r.model.q_names]
    assert r.plot("energy", ax=axes) is axes and len(axes.lines) == 3
    with pytest.raises(cardan.ArgumentError):
        r.plot("none")


@pytest.mark.parametrize("name", ["pendulum:2", "bouncing-ball"])
def test_a_result_shows_itself(tmp_path, name):
    r = cardan.load(name).run(time=1)
    shown = r._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^>]*></iframe>', shown, re.S)
    page = html.unescape(frame[1])
    r.page(tmp_path / "a.html")
    written = (tmp_path / "a.html").read_text()
    assert page.startswith("<!") and page_data(page) == page_data(written)
    assert "http://" not in re.sub(r"http://www\.w3\.org/[\w/]*", "", page)
    assert len(shown) < 4_000_000


def test_a_name_that_is_markup_stays_text():
    evil = '</script><script>alert(1)</script>"\'&'
    m = cardan.loads(f"""(system {json.dumps(evil)} (gravity 0 0 -9.81)
      (ry {json.dumps(evil)} (tz -1 (mass 1 0.1 0.1 0.1))))""")
    shown = m.run(time=0.1)._repr_html_()
    assert shown.count("<") == 2 and page_data(html.unescape(shown))["model"]["name"] == evil
    assert "<script>alert(1)" not in html.unescape(shown)


def test_a_report_of_the_run(tmp_path):
    r = cardan.load("closed-chain").run(time=0.5, report=tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert page_data(text) and r.error is None
    with pytest.raises(cardan.FileError):
        cardan.load("closed-chain").run(time=0.5, report=tmp_path / "none" / "a.html")


def test_a_loaded_result_shows_itself_and_has_no_stats(tmp_path):
    m = cardan.load("pendulum:2")
    m.run(time=0.5, add="work", out=tmp_path / "a.h5")
    r = cardan.Result.load(tmp_path / "a.h5")
    assert r.stats is None and r.drift > 0 and r._repr_html_()
    m.run(time=0.5, out=tmp_path / "b.h5")
    with pytest.raises(cardan.Error, match="balance"):
        cardan.load_result(tmp_path / "b.h5").drift


def test_a_result_can_be_pickled(tmp_path):
    m = cardan.load("closed-chain")
    r = m.run(time=0.5, method="aba", integrator="dopri5", rtol=1e-7, add="work")
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again.table, r.table) and again.columns == r.columns
    assert again.options == r.options and again.stats == r.stats and repr(again) == repr(r)
    assert again._repr_html_()
    again.save(tmp_path / "a.h5")
    read = cardan.load_result(tmp_path / "a.h5")
    assert np.array_equal(read.table, r.table) and read.options == r.options


def test_warnings_point_at_the_caller():
    with pytest.warns(cardan.MotionWarning) as caught:
        cardan.load("pendulum:2").run(time=1.005, dt=0.01)
    assert caught[0].filename == __file__


def test_what_the_command_warns_of_is_heard_too():
    with pytest.warns(cardan.MotionWarning, match="no effect"):
        cardan.load("closed-chain").run(time=0.1, regularise=1e-9)
    with pytest.warns(cardan.MotionWarning, match="not unique"):
        cardan.load("fourbar-3d").run(time=0.1, add="multipliers")
