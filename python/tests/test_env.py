# SPDX-License-Identifier: Apache-2.0
"""Environments for learning."""
import _thread
import importlib.util
import os
import signal
import sys
import threading
import time
import types
from typing import Any, Dict, List, Tuple, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import cardan
import cardan.env

Array = NDArray[np.float64]
Episode = List[Tuple[Any, ...]]


def cart_pole() -> cardan.Model:
    s = cardan.Spec("cart-pole")
    cart = s.variable("tx", "place")
    s.mass(cart, 1)
    pole = s.variable("ry", "angle", parent=cart)
    s.frame("tip", parent=pole, at=(0, 0, 0.5))
    s.mass("tip", 0.2)
    s.input("push", limit=(-20, 20))
    s.actuator("place", "push")
    s.output("height", "(pz \"tip\")")
    s.keyframe("leaning", {"angle": 0.3})
    return s.build()


def upright(state: cardan.env.State, action: Array) -> float:
    return float(state["height"]) - 1e-3 * float(action[0]) ** 2


def fallen(state: cardan.env.State) -> bool:
    return abs(float(state.q[1])) > 0.5


def made(**more: Any) -> cardan.Env:
    given: Dict[str, Any] = dict(reward=upright, horizon=30, substeps=2, terminated=fallen,
                                 noise=0.05, dt=0.01)
    return cardan.Env(cart_pole(), **{**given, **more})


def fails(model: cardan.Model, **more: Any) -> cardan.Env:
    """An environment whose steps fail: the pole turns far too fast for them."""
    return cardan.Env(model, reward=upright, dt=0.1,
                      start=lambda random: ([0, 0], [0, 1e9]), **more)


def test_signature_and_spaces() -> None:
    env = made()
    obs, info = env.reset(seed=1)
    assert obs.shape == env.observation_space.shape == (4,) and info == {}
    assert env.observation_space.contains(obs)
    assert env.action_space.low.tolist() == [-20] and env.action_space.high.tolist() == [20]
    action = env.action_space.sample()
    assert action in env.action_space and np.array([21.0]) not in env.action_space
    obs, reward, terminated, truncated, info = env.step(action)
    assert obs.shape == (4,) and isinstance(reward, float) and info == {}
    assert (terminated, truncated) == (False, False)
    assert env.state.t == pytest.approx(0.02) and np.array_equal(env.state.q, obs[:2])
    assert reward == upright(env.state, action)


def test_steps_have_the_bits_of_a_sim() -> None:
    env = made(noise=0.0)
    env.reset()
    found = [env.step([3.0])[0] for _ in range(10)]
    run = cardan.rollout(cart_pole(), u=np.full((20, 1), 3.0), dt=0.01, lanes="off").check()
    assert np.array(found)[:, :2].tobytes() == run.q[0, 2::2].tobytes()
    assert np.array(found)[:, 2:].tobytes() == run.v[0, 2::2].tobytes()
    assert env.state.y[0] == run.y[0, -1, 0]


def test_seeds_repeat_starts() -> None:
    env = made()
    first, again, other = (env.reset(seed=seed)[0] for seed in (7, 7, 8))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert not np.array_equal(env.reset()[0], other)  # the next of the same series
    assert np.all(np.abs(first) <= 0.05) and np.all(first != 0)
    q, v = [0.1, 0.2], [0.3, 0.4]
    assert env.reset(options={"q": q, "v": v})[0].tolist() == q + v
    env = made(start=lambda random: ([random.normal(), 0], [0, 0]))
    assert env.reset(seed=3)[0][0] == np.random.default_rng(3).normal()


def test_keyframes_are_starts() -> None:
    assert made(keyframe="leaning", noise=0.0).reset()[0].tolist() == [0, 0.3, 0, 0]
    assert made(noise=0.0).reset()[0].tolist() == [0, 0, 0, 0]
    leaning = cardan.rollout(cart_pole(), steps=1, keyframe="leaning").check()
    assert leaning.q[0, 0].tolist() == [0, 0.3]


def test_episodes_end() -> None:
    env = made(noise=0.0)
    env.reset()
    ends = [env.step([0.0])[2:4] for _ in range(30)]
    assert ends[:-1] == [(False, False)] * 29 and ends[-1] == (False, True)
    with pytest.raises(cardan.Error, match="no episode is under way"):
        env.step([0.0])
    env.reset(options={"q": [0, 0.45], "v": [0, 3]})
    for _ in range(30):
        obs, _, terminated, truncated, _ = env.step([0.0])
        if terminated:
            break
    assert terminated and not truncated and abs(obs[1]) > 0.5


def test_observations_of_outputs_and_of_ones_own() -> None:
    env = made(observation="outputs")
    assert env.observation_space.shape == (1,)
    assert env.reset(seed=1)[0][0] == env.state["height"] == env.state.y[0]
    env = made(observation=lambda s: [np.sin(s.q[1]), np.cos(s.q[1]), s.t])
    assert env.observation_space.shape == (3,)
    obs, _ = env.reset(seed=1)
    assert obs[0] == np.sin(env.state.q[1])


def test_state_has_data() -> None:
    env = made()
    env.reset(seed=1)
    env.step([1.0])
    data = env.state.data
    assert np.array_equal(data.q, env.state.q) and np.array_equal(data.v, env.state.v)
    kinetic, _ = data.energy()
    assert kinetic > 0


def test_a_failed_step_ends_the_episode() -> None:
    env = fails(cart_pole(), failed_reward=-5)
    start, _ = env.reset()
    obs, reward, terminated, truncated, info = env.step([0.0])
    assert terminated and not truncated and reward == -5
    assert isinstance(info["error"], cardan.Error) and info["error"].status < 0
    assert np.array_equal(obs, start)  # the last good state
    assert np.array_equal(env.reset()[0], start)
    with pytest.raises(type(info["error"])):
        strict = fails(cart_pole(), strict=True)
        strict.reset()
        strict.step([0.0])


def test_a_sim_that_failed_is_as_good_as_new() -> None:
    env = made(noise=0.0, dt=0.1, substeps=1, terminated=None)
    env.reset()
    want = [env.step([2.0])[0].tobytes() for _ in range(5)]
    env.reset(options={"v": [0, 1e9]})
    assert "error" in env.step([0.0])[4]
    env.reset()
    assert [env.step([2.0])[0].tobytes() for _ in range(5)] == want


def test_rewards_that_raise_come_out() -> None:
    def reward(state: cardan.env.State, action: Array) -> float:
        raise KeyError("mine")
    env = made(reward=reward)
    env.reset()
    with pytest.raises(KeyError, match="mine"):
        env.step([0.0])

    def again(state: cardan.env.State, action: Array) -> float:
        return float(env.step(action)[1])
    env = made(reward=again)
    env.reset()
    with pytest.raises(cardan.Error, match="in use"):
        env.step([0.0])


WRONG = [
    (lambda: cardan.Env(cardan.load("pendulum"), reward=upright), "no inputs"),
    (lambda: made(reward=3), "reward is 3, expected a function"),
    (lambda: made(horizon=0), "horizon is 0"),
    (lambda: made(substeps=0), "substeps is 0"),
    (lambda: made(observation="all"), "observation is 'all', expected state or outputs"),
    (lambda: made(observation=lambda s: 1.0), "observation returned"),
    (lambda: made(noise="a"), "noise is 'a'"),
    (lambda: made(start=lambda random: [0, 0]).reset(), "start returned"),
    (lambda: made(start=lambda random: ([0], [0, 0])).reset(), "q of start has the shape"),
    (lambda: made(metod="vi"), "metod"),
    (lambda: made(start=3), "start is 3, expected a function"),
    (lambda: made(strict=1), "strict is 1, expected True or False"),
    (lambda: made(failed_reward="a"), "failed_reward is 'a'"),
    (lambda: made(render_mode="human"), "render_mode is 'human', expected rgb_array"),
    (lambda: made().reset(seed=-1), "seed is -1"),
    (lambda: made().reset(seed=cast(int, 1.5)), "seed is 1.5"),
    (lambda: vector(2).reset(seed=cast(int, 1.5)), "seed is 1.5"),
    (lambda: made().reset(options=cast(Any, 3)), "options is 3, expected a mapping"),
    (lambda: made().step([0.0]), "no episode is under way"),
    (lambda: made().reset(options={"q": [1]}), "options.*q.* has the shape"),
    (lambda: _begun().step([0.0, 1.0]), r"action has the shape \(2,\), expected \(1,\)"),
    (lambda: _begun().step(["a"]), "action is"),
    (lambda: _begun().state["hight"], "no output 'hight'"),
    (lambda: vector(0), "n is 0"),
    (lambda: vector(2).step(np.zeros((2, 1))), "no episode is under way"),
    (lambda: vector(2).reset(seed=[1]), "seed has 1 entries, expected 2"),
    (lambda: vector(2, threads=0), "threads is 0"),
]


def _begun() -> cardan.Env:
    env = made()
    env.reset()
    return env


@pytest.mark.parametrize("call, match", WRONG, ids=[match for _, match in WRONG])
def test_wrong_arguments_are_named(call: Any, match: str) -> None:
    with pytest.raises(cardan.Error, match=match):
        call()


def test_closed() -> None:
    both: List[Any] = [_begun(), vector(2)]
    for env in both:
        env.close()
        env.close()
        with pytest.raises(cardan.Error, match="closed"):
            env.reset()


def test_render() -> None:
    pytest.importorskip("matplotlib")
    env = made(render_mode="rgb_array")
    env.reset(seed=1)
    shown: Any = env.render()
    assert shown.shape == (480, 480, 3) and shown.dtype == np.uint8
    assert np.any(np.all(shown == (0x44, 0x77, 0xaa), axis=-1))  # the pole
    assert made().render() is None


# ---- several at once ----

def vector(n: int, **more: Any) -> cardan.VectorEnv:
    given: Dict[str, Any] = dict(reward=upright, horizon=30, substeps=2, terminated=fallen,
                                 noise=0.05, dt=0.01)
    return cardan.VectorEnv(cart_pole(), n, **{**given, **more})


def actions(n: int, steps: int) -> Array:
    return np.random.default_rng(5).uniform(-20, 20, (steps, n, 1))


def single(k: int, pushes: Array, **more: Any) -> Episode:
    """What Env k of several would see: started again by the step after an end."""
    env, over = made(**more), False
    seen: Episode = [(env.reset(seed=10 + k)[0].tobytes(), 0.0, False, False)]
    for push in pushes:
        if over:
            seen.append((env.reset()[0].tobytes(), 0.0, False, False))
            over = False
            continue
        obs, reward, terminated, truncated, _ = env.step(push)
        over = terminated or truncated
        seen.append((obs.tobytes(), reward, terminated, truncated))
    return seen


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_of_single_environments(threads: int) -> None:
    n, steps = 5, 80
    pushes = actions(n, steps)
    env = vector(n, threads=threads)
    obs, info = env.reset(seed=10)
    assert obs.shape == env.observation_space.shape == (n, 4) and info == {}
    seen: List[Episode] = [[(obs[k].tobytes(), 0.0, False, False)] for k in range(n)]
    for push in pushes:
        obs, rewards, terminated, truncated, info = env.step(push)
        for k in range(n):
            seen[k].append((obs[k].tobytes(), rewards[k], terminated[k], truncated[k]))
    assert any(entry[2] for entry in seen[0]) and any(entry[3] for each in seen for entry in each)
    for k in range(n):
        assert seen[k] == single(k, pushes[:, k])
    env.close()


def test_batched_rewards_are_the_same() -> None:
    n = 6
    calls = []

    def rewards(state: cardan.env.State, action: Array) -> Array:
        calls.append(len(action))
        return np.asarray(state["height"] - 1e-3 * action[:, 0] ** 2)
    one = vector(n)
    all_at_once = vector(n, reward=rewards, batched=True,
                         terminated=lambda s: np.abs(s.q[:, 1]) > 0.5)
    one.reset(seed=10)
    all_at_once.reset(seed=10)
    for push in actions(n, 60):
        a, b = one.step(push), all_at_once.step(push)
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4]))
    assert len(calls) == 60 and max(calls) == n


def test_one_that_fails_does_not_stop_the_others() -> None:
    def start(random: np.random.Generator) -> Any:
        return [0, 0], [0, 1e9 if random.integers(2) else 0]
    env = vector(8, start=start, dt=0.1, terminated=None)
    env.reset(seed=0)
    _, rewards, terminated, _, info = env.step(np.zeros((8, 1)))
    assert np.any(terminated) and not np.all(terminated)
    assert np.array_equal(info["_error"], terminated)
    for k in range(8):
        assert isinstance(info["error"][k], cardan.Error) == terminated[k]
    _, rewards, again, _, _ = env.step(np.zeros((8, 1)))
    assert np.all(rewards[terminated] == 0) and not np.any(again[terminated])


def test_starts_that_cannot_be_taken_are_drawn_again() -> None:
    s = cardan.Spec("held")
    arm = s.variable("ry", "a")
    s.mass(arm, 1, at=(0, 0, -1))
    s.joint("slide", "prismatic", axis=(1, 0, 0))
    s.mass("slide", 1)
    s.input("push")
    s.torque("a", "u.push")
    s.equation("(- (log q.a) q.slide)")  # a below 0 has no value
    s.initial("a", 1)
    m = s.build()
    env = cardan.Env(m, reward=lambda s, u: 0.0,
                     start=lambda random: ([random.uniform(-1, 1), 0], [0, 0]))
    for seed in range(20):
        assert env.reset(seed=seed)[0][0] > 0


def test_two_threads_are_refused_or_served() -> None:
    env = vector(4)
    env.reset(seed=1)
    said: List[str] = []

    def work() -> None:
        for _ in range(50):
            try:
                env.step(np.zeros((4, 1)))
            except cardan.Error as fault:
                said.append(str(fault))
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use" in text for text in said)


def fake_gymnasium() -> types.ModuleType:
    """As much of gymnasium 1.1 as the package uses."""
    module, vectors, spaces = (types.ModuleType(name) for name in (
        "gymnasium", "gymnasium.vector", "gymnasium.spaces"))

    class SomeEnv:
        @property
        def np_random(self) -> Any:
            raise AssertionError("the environment has its own")

    class SomeVectorEnv:
        closed = False

        def __del__(self) -> None:
            if not getattr(self, "closed", True):
                self.close()  # type: ignore[attr-defined]

    class SomeBox:
        def __init__(self, low: Any, high: Any, shape: Any = None, dtype: Any = np.float32,
                     seed: Any = None) -> None:
            self.low, self.high, self.dtype, self.shape = low, high, np.dtype(dtype), low.shape
    vars(module).update(Env=SomeEnv, vector=vectors, spaces=spaces)
    vars(spaces).update(Box=SomeBox)
    vars(vectors).update(VectorEnv=SomeVectorEnv,
                         AutoresetMode=types.SimpleNamespace(NEXT_STEP="next step"))
    return module


def test_with_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    fake: Any = fake_gymnasium()
    monkeypatch.setitem(sys.modules, "gymnasium", fake)
    monkeypatch.setitem(sys.modules, "gymnasium.vector", fake.vector)
    spec: Any = importlib.util.spec_from_file_location("cardan_env_again", cardan.env.__file__)
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    env = module.Env(cart_pole(), reward=upright)
    assert isinstance(env, fake.Env) and isinstance(env.action_space, fake.spaces.Box)
    assert env.action_space.dtype == np.float64
    assert env.reset(seed=4)[0].shape == (4,) and env.step([1.0])[0].shape == (4,)
    assert isinstance(env.np_random, np.random.Generator)
    envs = module.VectorEnv(cart_pole(), 3, reward=upright)
    assert isinstance(envs, fake.vector.VectorEnv)
    assert envs.metadata["autoreset_mode"] == "next step"
    assert envs.observation_space.shape == (3, 4) and envs.single_action_space.shape == (1,)
    with pytest.raises(cardan.Error):
        module.VectorEnv(cart_pole(), 0, reward=upright)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_long_action(threads: int) -> None:
    env = cardan.VectorEnv(cart_pole(), 4, upright, substeps=10**9, dt=0.01, threads=threads)
    env.reset()
    timer = threading.Timer(1, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):  # all of it would take an hour
        timer.start()
        env.step(np.zeros((4, 1)))
    with pytest.raises(cardan.Error, match="reset"):  # the copies are in the middle of the action
        env.step(np.zeros((4, 1)))
    env.reset()
    env.close()


def test_a_long_action_has_the_bits_of_its_steps() -> None:
    """Steps are taken in pieces of 0.05 s, of which this has several."""
    m, n = cart_pole(), 60_000
    env = cardan.VectorEnv(m, 2, lambda s, a: 0.0, substeps=n, dt=1e-3, threads=1)
    env.reset(options={"q": [0, 0.3]})
    obs = env.step([[1.0], [2.0]])[0]
    for k in range(2):
        sim = m.sim(dt=1e-3)
        sim.reset(q=[0, 0.3])
        sim.u[:] = k + 1
        sim.step(n)
        assert np.array_equal(obs[k], np.concatenate((sim.q, sim.v)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_threads_after_a_fork() -> None:
    env = cardan.VectorEnv(cart_pole(), 4, upright, dt=0.01, threads=2)
    env.reset(seed=1)
    env.step(np.ones((4, 1)))
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # rather than wait for threads that are not there
        env.step(np.ones((4, 1)))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("reward", [None, "3", np.nan, 1j, np.ones(2), np.ones(1)])
def test_a_reward_that_is_no_number(reward: Any) -> None:
    def said(state: cardan.env.State, action: Array) -> Any:
        return reward
    envs: List[Any] = [cardan.Env(cart_pole(), said),
                       cardan.VectorEnv(cart_pole(), 3, said, batched=True)]
    for env in envs:
        env.reset()
        with pytest.raises(cardan.ArgumentError, match="^reward returned"):
            env.step(np.zeros(env.action_space.shape))


def test_what_functions_say_of_all_copies_is_one_for_each() -> None:
    def env(reward: Any, terminated: Any) -> cardan.VectorEnv:
        made = cardan.VectorEnv(cart_pole(), 3, lambda s, a: reward, batched=True,
                                terminated=lambda s: terminated)
        made.reset()
        return made
    with pytest.raises(cardan.ArgumentError, match=r"returned 1.0, expected an array \(3,\)"):
        env(1.0, np.zeros(3, bool)).step(np.zeros((3, 1)))
    for wrong in (True, None, np.zeros(3), np.zeros(2, bool)):
        with pytest.raises(cardan.ArgumentError, match="terminated returned"):
            env(np.zeros(3), wrong).step(np.zeros((3, 1)))
    env(np.zeros(3), np.zeros(3, bool)).step(np.zeros((3, 1)))


def test_observations_keep_their_length() -> None:
    lengths = iter((2, 2, 3))
    env = made(observation=lambda s: np.zeros(next(lengths)))
    env.reset()
    with pytest.raises(cardan.ArgumentError, match="3 numbers, and 2 before"):
        env.step([0.0])


@pytest.mark.parametrize("options", [{"Q": [0, 0]}, [("q", [0, 0])], 5])
def test_options_of_reset_are_known(options: Any) -> None:
    with pytest.raises(cardan.ArgumentError, match="option"):
        made().reset(options=options)
