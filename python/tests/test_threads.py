# SPDX-License-Identifier: Apache-2.0
"""Threads that share a model, each with a sim or a state of its own.

`make test` runs this file again under the thread sanitizer, which sees what two of them touch at
once.
"""
import threading
import time
from typing import Callable, List

import numpy as np
import pytest

import cardan

THREADS = 4


def at_once(work: Callable[[int], object], n: int = THREADS) -> List[object]:
    """work(0), .., work(n - 1), each in a thread, let go together; what they returned."""
    results: List[object] = [None] * n
    gate = threading.Barrier(n)

    def body(k: int) -> None:
        gate.wait()
        try:
            results[k] = work(k)
        except BaseException as fault:
            results[k] = fault

    threads = [threading.Thread(target=body, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("name, method", [
    ("pendulum:5", "vi"), ("closed-chain", "vi"), ("humanoid", "aba"), ("pendulum:5", "svi")])
def test_sims_on_one_model(name: str, method: str) -> None:
    model = cardan.load(name)

    def motion(_: int) -> bytes:
        sim = model.sim(method=method, dt=1e-3)
        for _ in range(20):
            sim.step(3)
        return bytes(sim.q.tobytes() + sim.v.tobytes())

    alone = motion(0)
    assert at_once(motion) == [alone] * THREADS


def test_states_on_one_model() -> None:
    model = cardan.load("humanoid")

    def terms(k: int) -> bytes:
        data = model.data()
        out = np.zeros((model.nv, model.nv))
        for _ in range(20):
            data.v[:] = 0.1 * k
            data.mass_matrix(out=out)
        return bytes(out.tobytes() + np.array(data.energy()).tobytes())

    alone = [terms(k) for k in range(THREADS)]
    assert at_once(terms) == alone


def test_making_and_dropping() -> None:
    """Models, states, sims and views that come and go in every thread."""
    shared = cardan.load("pendulum:5")

    def churn(k: int) -> float:
        total = 0.0
        for _ in range(20):
            view = shared.data().q
            total += float(view.sum()) + float(shared.q0.sum())
            sim = cardan.load("pendulum:3").sim(method="vi", dt=1e-3)
            sim.step(k + 1)
            total += sim.t
        return total

    results = at_once(churn)
    assert results == [churn(k) for k in range(THREADS)]


def test_errors_of_one_thread_are_its_own() -> None:
    model = cardan.load("pendulum:2")

    def wrong(k: int) -> str:
        word = f"no-such-method-{k}"
        for _ in range(20):
            with pytest.raises(cardan.Error, match=word):
                model.sim(method=word)
        return word

    assert at_once(wrong) == [f"no-such-method-{k}" for k in range(THREADS)]


def test_the_interpreter_goes_on_during_a_step() -> None:
    """The lock is released: this thread counts while the other is in C."""
    model = cardan.load("pendulum:5")
    steps, turns = 50_000, 0
    while turns <= 5 and steps < 10_000_000:  # a busy machine may give it few turns in a short call
        steps *= 2
        turns = 0
        sim = model.sim(method="vi", dt=1e-3)
        thread = threading.Thread(target=sim.step, args=(steps,))
        thread.start()
        while thread.is_alive():
            time.sleep(1e-3)
            turns += 1
        thread.join()
        assert sim.t == pytest.approx(1e-3 * steps)
    assert turns > 5, f"this thread had {turns} turns of a millisecond while {steps} steps ran"


def test_rollouts_on_one_model() -> None:
    model = cardan.load("pendulum:5")

    def motion(_: int) -> bytes:
        return bytes(cardan.rollout(model, copies=6, steps=5, threads=2).check().q.tobytes())

    alone = motion(0)
    assert at_once(motion) == [alone] * THREADS


def test_environments_step_on_threads() -> None:
    spec = cardan.Spec("arm")
    spec.mass(spec.joint("theta", axis=(0, 1, 0)), 1, at=(0, 0, -1))
    spec.input("push")
    spec.actuator("theta", "push")
    spec.output("height", "(* -1 (cos q.theta))")
    model = spec.build()

    def motion(_: int) -> bytes:
        env = cardan.VectorEnv(model, 6, reward=lambda s, u: s["height"], threads=3, noise=0.1,
                               horizon=4)
        seen = [env.reset(seed=1)[0]] + [env.step(np.ones((6, 1)))[0] for _ in range(10)]
        env.close()
        return np.array(seen).tobytes()

    alone = motion(0)
    assert at_once(motion) == [alone] * THREADS


def test_one_sim_in_many_threads() -> None:
    """A call that comes while another is under way is refused; those that are not are whole."""
    sim = cardan.load("pendulum:5").sim(method="vi", dt=1e-3)

    def steps(_: int) -> int:
        done = 0
        for _ in range(200):
            try:
                sim.step()
                done += 1
            except cardan.Busy:
                pass
        return done

    done = [k for k in at_once(steps) if isinstance(k, int)]
    assert len(done) == THREADS
    alone = cardan.load("pendulum:5").sim(method="vi", dt=1e-3)
    alone.step(sum(done))
    assert sim.q.tobytes() == alone.q.tobytes() and sim.t == alone.t


def test_one_state_in_many_threads() -> None:
    model = cardan.load("humanoid")
    data = model.data()
    right = data.mass_matrix().tobytes()

    def ask(_: int) -> bool:
        seen = []
        for _ in range(100):
            try:
                seen.append(data.mass_matrix().tobytes())
            except cardan.Busy:
                pass
        return all(one == right for one in seen)

    assert at_once(ask) == [True] * THREADS
