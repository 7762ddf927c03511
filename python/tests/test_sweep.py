# SPDX-License-Identifier: Apache-2.0
"""Many runs by a plan: the command's file to the byte, and what is read from it."""
import _thread
import hashlib
import os
import pathlib
import pickle
import subprocess
import threading
import warnings
from typing import List

import numpy as np
import pytest
from page_data import page_data
from test_load import command

import cardan

SWING = """(system "swing" (gravity 0 0 -9.81) (parameter L 1) (parameter m 1) (input "motor" 0)
  (ry "a" (tz (- L) (name "bob") (mass m 0.004 0.004 0.004)))
  (torque "a" u.motor) (output "z" (pz "bob")) (initial ("a" 0.5)) (simulate (dt 0.01) (time 0.5)))"""

PLAN = """(plan (grid L 0.5 1 2) (random "q.a" (normal 0.3 0.1)) (count 5) (seed 3)
  (collect (end "q.a") (max "y.z") drift))
"""


@pytest.fixture
def swing(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> cardan.Model:
    """The model as the file swing.mbs of a folder of its own, which also has the plan."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("swing.mbs").write_text(SWING)
    pathlib.Path("plan.txt").write_text(PLAN)
    return cardan.load("swing.mbs")


def digest(path: str) -> str:
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize("options, words, keep", [
    ({}, [], "none"), ({"method": "aba", "dt": 0.02}, ["--method", "aba", "--dt", "0.02"], "worst:2"),
    ({"v": {"a": 1.0}, "u": {"motor": 0.2}}, ["--init", "v.a=1,u.motor=0.2"], "all")])
def test_the_bytes_of_the_command(swing: cardan.Model, options: "dict[str, object]",
                                  words: "list[str]", keep: str) -> None:
    subprocess.run([command(), "sweep", "swing.mbs", "--plan", "plan.txt", "--out", "a.h5",
                    "--quiet", "--keep-motion", keep, *words], check=True)
    for jobs in (1, 2):
        cardan.sweep(swing, "plan.txt", "b.h5", jobs=jobs, keep=keep, **options)  # type: ignore
        assert digest("a.h5") == digest("b.h5")
        os.remove("b.h5")


def test_options_that_only_some_methods_have(swing: cardan.Model) -> None:
    plan = '(plan (option method vi aba) (collect (end "q.a")))'
    pathlib.Path("methods.txt").write_text(plan)
    subprocess.run([command(), "sweep", "swing.mbs", "--plan", "methods.txt", "--out", "a.h5",
                    "--quiet", "--order", "4", "--integrator", "dop853"], check=True)
    r = cardan.sweep(swing, plan, "b.h5", order=4, integrator="dop853")
    assert digest("a.h5") == digest("b.h5")
    assert r["end.q.a"][0] == r.case(0).run().q[-1, 0] == swing.run(order=4).q[-1, 0]
    aba = swing.run(method="aba", integrator="dop853")
    assert r["end.q.a"][1] == r.case(1).run().q[-1, 0] == aba.q[-1, 0]
    for wrong in ({"alpha": 0.4}, {"solver": "tree"}):
        with pytest.raises(cardan.Error, match="which is for"):
            cardan.sweep(swing, plan, **wrong)  # type: ignore


def test_an_option_that_is_given_does_not_follow_the_text(swing: cardan.Model) -> None:
    pathlib.Path("h.mbs").write_text(SWING.replace("dt 0.01", "dt h").replace(
        "(parameter L 1)", "(parameter L 1) (define h 0.01)"))
    plan = "(plan (grid h 0.01 0.02) (collect steps))"
    pathlib.Path("h.txt").write_text(plan)
    model = cardan.load("h.mbs")
    for options, words, steps in (({}, [], 25), ({"dt": 0.01}, ["--dt", "0.01"], 50)):
        subprocess.run([command(), "sweep", "h.mbs", "--plan", "h.txt", "--out", "a.h5", "--quiet",
                        *words], check=True)
        r = cardan.sweep(model, plan, "b.h5", **options)  # type: ignore
        assert digest("a.h5") == digest("b.h5")
        assert list(r["steps"]) == [50, steps] and r.case(1).run().stats.steps == steps
        os.remove("a.h5")
        os.remove("b.h5")


def test_what_is_kept_is_that_of_runs(swing: cardan.Model) -> None:
    r = cardan.sweep(swing, PLAN, lanes="off")
    assert len(r) == 15 and r.ok.all() and len(r.failed) == 0 and not r.messages
    assert r.columns == ("case", "status", "L", "start.q.a", "end.q.a", "max.y.z", "drift")
    assert np.array_equal(r["case"], np.arange(15)) and r.case(r["case"][3]).number == 3
    assert np.array_equal(r["L"], np.repeat([0.5, 1, 2], 5))
    assert np.array_equal(r["start.q.a"][:5], r["start.q.a"][5:10])
    assert set(r.status) == {"ok"} and r.plan == PLAN and r.model.name == "swing"
    for i in (0, 7, 14):
        one = swing.with_parameters(L=r["L"][i]).run(q={"a": r["start.q.a"][i]})
        assert r["end.q.a"][i] == one["q.a"][-1] and r["drift"][i] == one.drift
        again = r.case(i).run()
        assert np.array_equal(again.table, one.table)


def test_a_case_by_itself(swing: cardan.Model) -> None:
    r = cardan.sweep(swing, PLAN, time=0.3)
    case = r.case(6)
    assert case.number == 6 and case.model.parameters["L"] == 1
    assert case.options["time"] == 0.3 and case.initial == {"q.a": r["start.q.a"][6]}
    sim = case.sim(dt=0.005)
    assert sim.q[0] == r["start.q.a"][6] and sim.options["dt"] == 0.005
    fine = case.run(method="aba", integrator="dop853")
    assert abs(fine["q.a"][-1] - r["end.q.a"][6]) < 1e-3
    for number in (-1, 15):
        with pytest.raises(cardan.ArgumentError, match="case"):
            r.case(number)


def test_inputs_over_time(swing: cardan.Model) -> None:
    table = {"t": [0, 0.1, 0.5], "u.motor": [0.1, -0.4, 1 / 3]}
    for mode in ("held", "linear"):
        r = cardan.sweep(swing, PLAN, input=table, input_mode=mode, lanes="off")
        one = swing.with_parameters(L=r["L"][7]).run(q={"a": r["start.q.a"][7]}, input=table,
                                                     input_mode=mode)
        assert r["end.q.a"][7] == one["q.a"][-1]
        assert np.array_equal(r.case(7).run().table, one.table)
        with pytest.raises(cardan.ArgumentError, match="inputs over time"):
            r.case(7).sim()


def test_failures_are_rows(swing: cardan.Model) -> None:
    r = cardan.sweep(swing, "(plan (grid m -1 1 2) (collect (end \"q.a\")))")
    assert r.failed.tolist() == [0] and r.ok.tolist() == [False, True, True]
    assert r.status.tolist() == ["model", "ok", "ok"]
    assert "mass" in r.messages[0] and np.isnan(r["end.q.a"][0])
    assert np.isfinite(r["end.q.a"][1:]).all()
    with pytest.raises(cardan.ModelError):
        r.case(0).run()
    assert "1 failed" in repr(r)


def test_what_a_method_does_not_have_fails_again(swing: cardan.Model) -> None:
    r = cardan.sweep(swing, "(plan (option method vi aba) (option integrator dop853) "
                            "(collect (end \"q.a\")))", time=0.1)
    assert r.status.tolist() == ["unsupported", "ok"]
    with pytest.raises(cardan.Unsupported, match="integrator"):
        r.case(0).run()
    assert np.array_equal(r.case(0).run(method="aba").table, r.case(1).run().table)
    assert r.case(1).run(method="vi").stats.steps == r.case(1).run().stats.steps


def test_words_motions_and_frames(swing: cardan.Model) -> None:
    pytest.importorskip("pandas")
    r = cardan.sweep(swing, [("option", "method", "vi", "aba"), ("range", "L", 1, 2, ("count", 3)),
                             ("collect", ("end", "q.a"), "drift")], "r.h5", keep="worst:2")
    assert r["method"].tolist() == ["vi"] * 3 + ["aba"] * 3
    frame = r.frame()
    assert list(frame.columns) == list(r.columns) and frame["method"][4] == "aba"
    assert len(r.kept) == 2
    for number in r.kept:
        motion = r.motion(number)
        assert motion["q.a"][-1] == r["end.q.a"][number]
        assert np.array_equal(motion.table, r.case(number).run().table)
    with pytest.raises(cardan.ArgumentError, match="kept"):
        r.motion(next(i for i in range(6) if i not in r.kept))
    again = cardan.open_sweep("r.h5")
    assert again.columns == r.columns and np.array_equal(again.table, r.table, equal_nan=True)
    assert pickle.loads(pickle.dumps(again)).kept == r.kept


def test_files_that_are_none(swing: cardan.Model) -> None:
    cardan.sweep(swing, PLAN, "r.h5")
    swing.run(out="run.h5")
    for path, words in (("swing.mbs", "no result"), ("none.h5", "no such file"),
                        ("run.h5", "no sweep's")):
        with pytest.raises(cardan.Error, match=words):
            cardan.open_sweep(path)
    with pytest.raises(cardan.ArgumentError, match="open_sweep"):
        cardan.load_result("r.h5")
    assert cardan.sweep(swing, PLAN, "r.h5", resume=True).ok.all()
    with pytest.raises(cardan.ArgumentError, match="there already"):
        cardan.sweep(swing, PLAN, "r.h5")
    with pytest.raises(cardan.ArgumentError, match="option time"):
        cardan.sweep(swing, PLAN, "r.h5", resume=True, time=0.3)


def test_what_is_shown(swing: cardan.Model) -> None:
    r = cardan.sweep(swing, PLAN, "r.h5")
    assert "end.q.a" in r.describe()
    info = r.info()
    assert info["cases"] == 15 and info["failed"] == 0
    column = next(entry for entry in info["columns"] if entry["name"] == "end.q.a")
    assert column["mean"] == pytest.approx(r["end.q.a"].mean(), rel=1e-12)
    r.page("r.html")
    columns = page_data(pathlib.Path("r.html").read_text())["sweep"]["columns"]
    assert "end.q.a" in [column["name"] for column in columns]
    shown = r._repr_html_()
    assert shown is not None and shown.startswith("<iframe srcdoc=")


def test_stopped_by_progress_and_resumed(swing: cardan.Model) -> None:
    plan = "(plan (range L 1 2 (count 1500)) (collect (end \"q.a\")))"
    cardan.sweep(swing, plan, "whole.h5", time=2)

    def halt(part: float) -> None:
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        cardan.sweep(swing, plan, "parts.h5", time=2, jobs=1, progress=halt)
    assert os.path.isdir("parts.h5.parts") and not os.path.exists("parts.h5")
    os.unlink("parts.h5.parts/shard-0-of-1")  # as the command leaves it
    seen: List[float] = []
    with pytest.raises(cardan.ArgumentError, match="a sweep was begun, expected option resume"):
        cardan.sweep(swing, plan, "parts.h5", time=2)
    cardan.sweep(swing, plan, "parts.h5", time=2, resume=True, progress=seen.append)
    assert digest("parts.h5") == digest("whole.h5") and not os.path.exists("parts.h5.parts")
    assert seen == sorted(seen) and seen[-1] == 1


def test_an_interrupt_leaves_what_was_done(swing: cardan.Model) -> None:
    plan = "(plan (range L 1 2 (count 100000)) (collect (end \"q.a\")))"
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        cardan.sweep(swing, plan, "r.h5", time=10)
    assert os.path.isdir("r.h5.parts")


def test_a_plan_that_could_be_better(swing: cardan.Model) -> None:
    plan = "(plan (sobol L 1 2) (count %d) (collect (end \"q.a\")))"
    with pytest.warns(cardan.MotionWarning, match="power of two"):
        cardan.sweep(swing, plan % 7, time=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cardan.sweep(swing, plan % 8, time=0.1)


def test_plans_in_python() -> None:
    text = cardan.plan(("grid", "M", 0.5, 1), ("range", "L", np.float64(0.1), 1, ("count", 11), "log"),
                       ("init", "q.a b", ("uniform", -1, 1)), ("grid", "k", np.array([1.5, 2])))
    assert text == ('(plan (grid M 0.5 1) (range L 0.1 1 (count 11) log) (init "q.a b" (uniform -1 1)) '
                    '(grid k 1.5 2.0))\n')
    for wrong in (None, {"a": 1}, float("nan"), "a\nb", "", np.array([np.inf]), True):
        with pytest.raises(cardan.ArgumentError, match="plan"):
            cardan.plan(("grid", "M", wrong))


def test_names_of_all_kinds_in_plans() -> None:
    name = 'a "b" \\n, <c> = ü'
    written = name.replace("\\", "\\\\").replace('"', '\\"')
    model = cardan.loads(f'(system (ry "{written}" (tz -1 (mass 1))))')
    r = cardan.sweep(model, [("init", f"q.{name}", ("grid", 0.25, 0.5)),
                             ("collect", ("end", f"q.{name}"))], time=0.1)
    assert r[f"start.q.{name}"].tolist() == r[f"end.q.{name}"].tolist() == [0.25, 0.5]


@pytest.mark.parametrize("plan, kind, words", [
    ("(plan (grid X 1) (collect drift))", cardan.ArgumentError, "X"),
    ("(plan (grod L 1))", cardan.Error, "grid"),
    ("(plan (grid L 1) (collect (end \"q.b\")))", cardan.ArgumentError, "q.b"),
    (3, cardan.ArgumentError, "plan is 3"), ("none.txt", FileNotFoundError, "none.txt")])
def test_plans_that_are_refused(swing: cardan.Model, plan: object, kind: "type[Exception]",
                                words: str) -> None:
    with pytest.raises(kind, match=words):
        cardan.sweep(swing, plan)  # type: ignore


@pytest.mark.parametrize("arguments, words", [
    ({"jobs": -1}, "jobs"), ({"timeout": float("nan")}, "timeout"), ({"keep": "best"}, "best"),
    ({"keep": 3}, "keep"), ({"progress": 3}, "progress"), ({"out": "r.csv"}, "h5"),
    ({"nonsense": 3}, "nonsense"), ({"q": {"b": 1}}, "b")])
def test_arguments_that_are_refused(swing: cardan.Model, arguments: "dict[str, object]",
                                    words: str) -> None:
    with pytest.raises(cardan.Error, match=words):
        cardan.sweep(swing, PLAN, **arguments)  # type: ignore
