# SPDX-License-Identifier: Apache-2.0
"""Arrays outlive the names they came from, and C memory goes with the last that needs it.

`make test` runs this file again under the address sanitizer, which reports every use of freed
memory.
"""
import gc
import pathlib
import weakref

import numpy as np
import pytest

import cardan


@pytest.mark.parametrize("name", ["q", "v"])
def test_data_views_outlive_their_owner(name: str) -> None:
    data = cardan.load("pendulum:5").data()
    getattr(data, name)[:] = np.arange(5.0)
    view = getattr(data, name)
    part = view[1:3]
    del data, view
    gc.collect()
    crowd = [cardan.load("pendulum:5").data() for _ in range(50)]  # would take the memory over
    for other in crowd:
        getattr(other, name)[:] = 99.0
    assert part.tolist() == [1.0, 2.0]
    part[:] = 7.0
    assert all(np.all(getattr(other, name) == 99.0) for other in crowd)


@pytest.mark.parametrize("name", ["q0", "v0"])
def test_model_views_outlive_their_owner(name: str) -> None:
    view = getattr(cardan.load("pendulum:5"), name)
    kept = view.copy()
    gc.collect()
    crowd = [cardan.load("pendulum:5", settings={}) for _ in range(50)]
    assert np.array_equal(view, kept) and len(crowd) == 50
    with pytest.raises(ValueError):
        view[0] = 1.0


def test_sim_views_outlive_their_owner() -> None:
    sim = cardan.load("pendulum:5").sim(method="vi", dt=1e-3)
    q, v = sim.q, sim.v
    sim.step(100)
    there = sim.q.copy(), sim.v.copy()
    v = sim.v
    del sim
    gc.collect()
    others = [cardan.load("pendulum:5").sim(method="vi", dt=1e-3) for _ in range(20)]
    for other in others:
        other.step()
    assert np.array_equal(q, there[0]) and np.array_equal(v, there[1])


def test_the_last_reference_frees_at_once() -> None:
    """No cycles: without the collector, an object is freed with its last reference."""
    gc.disable()
    try:
        model = cardan.load("pendulum:2")
        for make in (model.data, lambda: model.sim(dt=1e-3)):
            made = make()
            watch = weakref.ref(made)
            view = made.q
            del made
            assert watch() is None, "a view, or a cycle, keeps the Python object"
            assert view.shape == (2,)
    finally:
        gc.enable()


def test_model_goes_after_what_is_made_of_it() -> None:
    model = cardan.load("humanoid")
    data, sim = model.data(), model.sim(method="vi", dt=1e-3)
    del model
    gc.collect()
    sim.step(3)
    data.q[:] = sim.q
    assert np.all(np.isfinite(data.energy()))


def test_a_failed_making_leaves_nothing_behind() -> None:
    model = cardan.load("pendulum:2")
    for _ in range(20):
        with pytest.raises(cardan.Error):
            model.sim(method="vi", dt=-1.0)
        with pytest.raises(cardan.Error):
            model.sim(method="no-such-method")
        with pytest.raises(cardan.Error):
            cardan.load("no-such-model")
    assert model.sim(dt=1e-3).t == 0.0


def test_a_run_that_is_written_to_a_file(tmp_path: pathlib.Path) -> None:
    def control(t: float, data: cardan.Data, u: object) -> None:
        data.tau_in[0] = -data.q[0]

    model = cardan.load("pendulum:5")
    with pytest.warns(cardan.MotionWarning, match="another one"):
        table = model.run(time=0.1, control=control, out=tmp_path / "a.h5").table
    gc.collect()
    kept = cardan.load_result(tmp_path / "a.h5")
    assert np.array_equal(kept.table, table)
    assert kept._repr_html_() is not None
