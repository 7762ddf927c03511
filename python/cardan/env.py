# SPDX-License-Identifier: Apache-2.0
"""Models as environments for learning, with gymnasium's signature. Where gymnasium is installed,
Env and VectorEnv are its classes and spaces are its Box; else they have no base class.

    env = cardan.Env(model, reward=lambda s, u: s.y[0], horizon=500)
    obs, info = env.reset(seed=1)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""
from __future__ import annotations

import contextlib
import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor, TimeoutError, wait
from typing import (
    TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._arguments import flag, mapping, number, whole, word
from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._draw import picture
from cardan._error import ArgumentError, Busy, Error, check, failure, text
from cardan._model import Model, a_model
from cardan._options import begun, options_of
from cardan._views import Array, given, owned

try:
    gymnasium: Any = importlib.import_module("gymnasium")
    importlib.import_module("gymnasium.vector")
except ImportError:
    gymnasium = None
if TYPE_CHECKING:
    _Single = object
    _Vector = object
else:
    _Single = object if gymnasium is None else gymnasium.Env
    _Vector = object if gymnasium is None else gymnasium.vector.VectorEnv

Info = Dict[str, Any]
Bools = NDArray[np.bool_]
DRAWS = 20


class Box:
    """All arrays between low and high: what gymnasium.spaces.Box is, as far as it is needed."""

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = np.array(low, np.float64), np.array(high, np.float64)
        self.shape, self.dtype = self.low.shape, np.dtype(np.float64)
        self._random = np.random.default_rng()

    def seed(self, seed: Optional[int] = None) -> None:
        """Makes samples come again."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Array:
        """An even one where there are two bounds; exponential from one, normal without."""
        random, low, high = self._random, self.low, self.high
        below, above = np.isfinite(low), np.isfinite(high)
        floor, roof = np.where(below, low, 0), np.where(above, high, 0)
        far = random.exponential(size=self.shape)
        even = floor + (roof - floor) * random.uniform(size=self.shape)
        free = random.normal(size=self.shape)
        return np.select([below & above, below, above], [even, floor + far, roof - far], free)

    def contains(self, x: Any) -> bool:
        """Is x one of them?"""
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "fiu" or x.shape != self.shape:
            return False
        return bool(np.all(x >= self.low) and np.all(x <= self.high))

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Box) and np.array_equal(self.low, other.low)
                and np.array_equal(self.high, other.high))

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high}, {self.shape}, float64)"


def _box(low: Array, high: Array) -> Any:
    """gymnasium's where there is one."""
    return Box(low, high) if gymnasium is None else gymnasium.spaces.Box(low, high,
                                                                         dtype=np.float64)


class State:
    """What rewards and ends of episodes see, of one copy; of all n, with arrays of n rows, where
    batched ones were requested.

    t     [s]
    q, v  (nq,), (nv,)
    y     (ny,) the model's outputs; s["tip"] is one by its name
    """

    __slots__ = ("t", "q", "v", "y", "_model", "_data")

    def __init__(self, model: Model, row: Array) -> None:
        nq, nv = model.nq, model.nv
        self.t: Any = row[..., 0] if row.ndim > 1 else float(row[0])
        self.q: Array = row[..., 1:1 + nq]
        self.v: Array = row[..., 1 + nq:1 + nq + nv]
        self.y: Array = row[..., 1 + nq + nv:]
        self._model = model
        self._data: Optional[Data] = None

    def __getitem__(self, name: str) -> Any:
        k = lib.cardan_model_output(self._model._c, name.encode()) if isinstance(name, str) else -1
        if k < 0:
            raise ArgumentError(f"there is no output {name!r} in the model")
        return self.y[..., k]

    @property
    def data(self) -> Data:
        """The same state as Data: poses, Jacobians and all else that follows from it."""
        if self.q.ndim > 1:
            raise ArgumentError("there is no data of several copies at once")
        if self._data is None:
            self._data = self._model.data()
            self._data.t, self._data.q, self._data.v = self.t, self.q, self.v
        return self._data


Reward = Callable[[State, Array], Any]
Ending = Callable[[State], Any]
Starter = Callable[[np.random.Generator], Tuple[ArrayLike, ArrayLike]]
Observer = Callable[[State], ArrayLike]


class _Copies:
    """n copies of a model, where they start, and what is seen of them: what Env and VectorEnv
    share."""

    def __init__(self, model: Model, n: int, threads: int, substeps: int,
                 observation: Union[str, Observer], start: Optional[Starter], noise: float,
                 options: Mapping[str, Any]) -> None:
        a_model(model)
        if model._c.ninput == 0:
            raise ArgumentError("the model has no inputs, which actions are: add inputs, and "
                                "actuators or torques that read them")
        made = options_of(model, options)
        self.model, self.n = begun(model, made), n
        model = self.model
        self.substeps = whole("substeps", substeps, 1)
        if start is not None and not callable(start):
            raise ArgumentError(f"start is {start!r}, expected a function")
        self.start, self.noise = start, number("noise", noise)
        self.length: Optional[int] = None  # of what an observer of the caller's own returns
        if callable(observation):
            self.observe: Optional[Observer] = observation
        else:
            self.observe = None
            seen = {"state": slice(1, 1 + model.nq + model.nv),
                    "outputs": slice(1 + model.nq + model.nv, None)}
            self.seen = word("observation", observation, seen)
        self.random = [np.random.default_rng() for _ in range(n)]
        report = ffi.new("cardan_report *")
        out = ffi.new("cardan_py_copies **")
        self.dt = float(made.dt) * self.substeps
        check(lib.cardan_py_copies_create(model._c, made, n, out, report), report)
        self.c = owned(out[0], lib.cardan_py_copies_destroy, model._c)
        self.rows = np.full((n, self.c.width), np.nan)
        self.busy = threading.Lock()
        workers = min(whole("threads", threads, 1), n)
        self.stop = False
        self.pool: Optional[ThreadPoolExecutor] = None
        self.process = -1  # whose threads the pool's are
        self.parts = [(n * k // workers, n * (k + 1) // workers) for k in range(workers)]

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While no other thread has them."""
        if self.c is None:
            raise Error("the environment is closed")
        if not self.busy.acquire(blocking=False):
            raise Busy("the environment is in use: by another thread, or by the step whose reward "
                       "or end calls it")
        try:
            yield
        finally:
            self.busy.release()

    def close(self) -> None:
        with contextlib.suppress(Error), self.held():
            self.c = None
            if self.pool is not None and self.process == os.getpid():
                self.pool.shutdown()

    def seed(self, seeds: Sequence[Optional[int]]) -> None:
        for k, seed in enumerate(seeds):
            if seed is not None:
                self.random[k] = np.random.default_rng(whole("seed", seed, 0, 2**128))

    def spaces(self) -> Tuple[Array, Array, int]:
        """Least and largest actions, and how many numbers an observation has."""
        low, high = np.array(self.model.u_limits.T)
        if self.observe is not None:
            row = np.concatenate([[0.0], self.model.q0, self.model.v0, np.zeros(self.model.ny)])
            return low, high, len(self.seen_by(State(self.model, row)))
        return low, high, len(self.rows[0, self.seen])

    def seen_by(self, state: State) -> Array:
        """What an observer of the caller's own makes of a state."""
        assert self.observe is not None
        seen = np.asarray(self.observe(state))
        if seen.ndim != 1 or seen.dtype.kind not in "fiu":
            raise ArgumentError(f"observation returned {seen!r}, expected numbers of shape (k,)")
        if self.length not in (None, len(seen)):
            raise ArgumentError(f"observation returned {len(seen)} numbers, and {self.length} "
                                "before")
        self.length = len(seen)
        return seen.astype(np.float64)

    def observations(self) -> Array:
        """(n, ..), of the rows."""
        if self.observe is None:
            return np.array(self.rows[:, self.seen])
        return np.array([self.seen_by(State(self.model, row)) for row in self.rows])

    def restart(self, which: Bools, options: Optional[Mapping[str, Any]] = None) -> None:
        """New episodes of some copies. A start that was drawn and cannot be taken, such as one
        whose loops do not close, is drawn again, DRAWS times at most."""
        self.rows = self.rows.copy()
        model, options = self.model, _start_options(options)
        q, v = np.tile(model.q0, (self.n, 1)), np.tile(model.v0, (self.n, 1))
        drawn = self.start is not None or self.noise != 0
        for _ in range(DRAWS if drawn else 1):
            for k in np.flatnonzero(which):
                q[k], v[k] = model.q0, model.v0
                self._draw(self.random[k], q[k], v[k])
                for name, row in (("q", q[k]), ("v", v[k])):
                    if name in options:
                        row[:] = given(f"options[{name!r}]", options[name], len(row))[1]
            pointers = [ffi.from_buffer("double[]", array) for array in (q, v, self.rows)]
            lib.cardan_py_unit(model._c, self.n, pointers[0])
            self._each(lib.cardan_py_copies_start, ffi.from_buffer("unsigned char[]", which),
                       *pointers)
            which = np.array([which[k] and self.c.copy[k].status != 0 for k in range(self.n)])
            if not np.any(which):
                return
        fault = self.error(int(np.flatnonzero(which)[0]))
        assert fault is not None
        raise fault

    def _draw(self, random: np.random.Generator, q: Array, v: Array) -> None:
        """A start: what the caller draws, or the model's own moved by noise."""
        if self.start is not None:
            drawn = self.start(random)
            if not isinstance(drawn, tuple) or len(drawn) != 2:
                raise ArgumentError(f"start returned {drawn!r}, expected q and v")
            q[:], v[:] = given("q of start", drawn[0], len(q))[1], given(
                "v of start", drawn[1], len(v))[1]
        elif self.noise != 0:
            way = np.ascontiguousarray(random.uniform(-self.noise, self.noise, len(v)))
            at = ffi.from_buffer("double[]", q)
            lib.cardan_q_move(self.model._c, at, ffi.from_buffer("double[]", way), 1.0, at)
            v += random.uniform(-self.noise, self.noise, len(v))

    def step(self, which: Bools, u: Array) -> None:
        """Steps of some copies, their inputs held: (n, ninput)."""
        self.rows = self.rows.copy()
        lib.cardan_py_copies_act(self.c, ffi.from_buffer("unsigned char[]", which), self.substeps)
        self._each(lib.cardan_py_copies_step, self.substeps, ffi.from_buffer("double[]", u),
                   ffi.from_buffer("double[]", self.rows))

    def _each(self, call: Any, *arguments: Any) -> None:
        """A call for all copies, parts of them on threads, again while it has more to do. What an
        interrupt ends leaves no rows: copies are in the middle of their actions."""
        self.stop = False
        try:
            if len(self.parts) == 1:
                self._part(call, 0, self.n, *arguments)
            else:
                self._shared(call, *arguments)
        except BaseException:
            self.rows = np.full_like(self.rows, np.nan)
            raise

    def _part(self, call: Any, begin: int, end: int, *arguments: Any) -> None:
        while call(self.c, begin, end, *arguments) and not self.stop:
            pass  # here signals are heard

    def _shared(self, call: Any, *arguments: Any) -> None:
        """By all threads; none of them is at work any more when this is left."""
        if self.pool is None or self.process != os.getpid():  # threads do not live on in a fork
            self.pool, self.process = ThreadPoolExecutor(len(self.parts)), os.getpid()
        jobs: List[Any] = []
        try:
            for begin, end in self.parts:
                jobs.append(self.pool.submit(self._part, call, begin, end, *arguments))
            for job in jobs:
                while not job.done():  # a signal that another thread got is heard here too
                    with contextlib.suppress(TimeoutError):
                        job.result(0.05)
                job.result()
        finally:
            self.stop = True
            while not all(job.done() for job in jobs):
                with contextlib.suppress(BaseException):
                    wait(jobs)

    def error(self, k: int) -> Optional[Error]:
        """Of copy k's last call."""
        copy = self.c.copy[k]
        return failure(copy.status, ffi.addressof(copy, "report")) if copy.status != 0 else None


def _start_options(options: Optional[Mapping[str, Any]]) -> Mapping[str, Any]:
    """options of a reset, which may be "q" and "v"."""
    found = mapping("options", options)
    for name in found:
        word("an option of reset", name, {"q": True, "v": True})
    return found


class _Episodes:
    """Episodes of n copies: rewards and ends."""

    def __init__(self, copies: _Copies, reward: Reward, terminated: Optional[Ending], horizon: int,
                 failed_reward: float, strict: bool, batched: bool) -> None:
        for name, function in (("reward", reward), ("terminated", terminated)):
            if function is not None and not callable(function):
                raise ArgumentError(f"{name} is {function!r}, expected a function")
        self.copies, self.reward, self.terminated = copies, reward, terminated
        self.horizon = whole("horizon", horizon, 1)
        self.failed_reward = number("failed_reward", failed_reward)
        self.strict, self.batched = flag("strict", strict), flag("batched", batched)
        self.taken = np.full(copies.n, -1)  # steps of the episode; -1: none is under way

    def begin(self, which: Bools, options: Optional[Mapping[str, Any]] = None) -> None:
        self.taken[which] = -1
        self.copies.restart(which, options)
        self.taken[which] = 0

    def step(self, which: Bools, u: Array) -> Tuple[Array, Bools, Bools, List[Optional[Error]]]:
        """Rewards, terminated, truncated (n,), and what failed."""
        copies = self.copies
        try:
            copies.step(which, u)
        except BaseException:  # an interrupt
            self.taken[:] = -1
            raise
        faults = [copies.error(k) if which[k] else None for k in range(copies.n)]
        failed = np.array([fault is not None for fault in faults])
        for fault in faults:
            if self.strict and fault is not None:
                self.taken[failed] = -1
                raise fault
        self.taken[which] += 1
        good = which & ~failed
        rewards, over = self._judged(good, u)
        rewards[failed] = self.failed_reward
        over |= failed
        cut = good & ~over & (self.taken >= self.horizon)
        self.taken[over | cut] = -1
        return rewards, over, cut, faults

    def _judged(self, good: Bools, u: Array) -> Tuple[Array, Bools]:
        """What the caller's functions say of the copies that stepped."""
        model, rows = self.copies.model, self.copies.rows
        rewards, over = np.zeros(len(rows)), np.zeros(len(rows), bool)
        if self.batched and np.any(good):
            state, shape = State(model, rows[good]), (int(np.count_nonzero(good)),)
            rewards[good] = _said("reward", self.reward(state, u[good]), shape)
            if self.terminated is not None:
                over[good] = _said("terminated", self.terminated(state), shape, bool)
            return rewards, over
        for k in np.flatnonzero(good):
            state = State(model, rows[k])
            rewards[k] = _said("reward", self.reward(state, u[k]), ())
            if self.terminated is not None:
                over[k] = _said("terminated", self.terminated(state), (), bool)
        return rewards, over


def _said(name: str, value: Any, shape: Tuple[int, ...], kind: type = float) -> NDArray[Any]:
    """What a function of the caller's returned: finite numbers, or truth values, of this shape."""
    found = np.asarray(value)
    if found.shape != shape or found.dtype.kind not in ("b" if kind is bool else "fiub"):
        what = "True or False" if kind is bool else "a number"
        raise ArgumentError(f"{name} returned {value!r}, expected " + (
            f"an array {shape}, {what} for each copy" if shape else what))
    if not np.all(np.isfinite(found)):
        raise ArgumentError(f"{name} returned {value!r}, expected finite numbers")
    return found


class Env(_Single):
    """A model as an environment.

    reward       reward(state, action) -> number, of the state that the action led to
    horizon      steps after which an episode is truncated
    substeps     steps of dt for each action, which is held over them
    terminated   terminated(state) -> bool: the episode ends there
    observation  "state": q, then v; "outputs": the model's; or a function of the State -> (k,)
    start        start(random) -> (q, v), random a numpy Generator; the model's start by default
    noise        where start is not said: the model's is moved by up to this, evenly [rad, m, rad/s,
                 m/s]
    failed_reward  of a step that the method could not take: that ends the episode (terminated), and
                 info["error"] is why. strict: it raises in place of that
    options      dt=, method=, .. as of Model.sim()

    An action is one number for each input of the model; one outside of an input's limit counts as
    the limit. observation_space and action_space are gymnasium's Box where it is installed.
    """

    metadata: Dict[str, Any] = {"render_modes": ["rgb_array"]}
    spec: Any = None

    def __init__(self, model: Model, reward: Reward, *, horizon: int = 500, substeps: int = 1,
                 terminated: Optional[Ending] = None,
                 observation: Union[str, Observer] = "state", start: Optional[Starter] = None,
                 noise: float = 0.0, failed_reward: float = 0.0, strict: bool = False,
                 render_mode: Optional[str] = None, **options: Any) -> None:
        if render_mode is not None:
            word("render_mode", render_mode, {"rgb_array": True})
        self.render_mode = render_mode
        self._copies = _Copies(model, 1, 1, substeps, observation, start, noise, options)
        self.model = self._copies.model
        self._episodes = _Episodes(self._copies, reward, terminated, horizon, failed_reward,
                                   strict, False)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1 / self._copies.dt))}
        low, high, seen = self._copies.spaces()
        self.action_space = _box(low, high)
        self.observation_space = _box(np.full(seen, -np.inf), np.full(seen, np.inf))

    @property
    def np_random(self) -> np.random.Generator:
        """What starts are drawn by."""
        return self._copies.random[0]

    @property
    def unwrapped(self) -> Env:
        """Itself."""
        return self

    @property
    def state(self) -> State:
        """Where it stands."""
        return State(self.model, self._copies.rows[0])

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Mapping[str, Any]] = None) -> Tuple[Array, Info]:
        """A new episode: its first observation, and {}. The same seed gives the same start; options
        may have "q" and "v"."""
        with self._copies.held():
            self._copies.seed([seed])
            self._episodes.begin(np.ones(1, bool), options)
            return self._copies.observations()[0], {}

    def step(self, action: ArrayLike) -> Tuple[Array, float, bool, bool, Info]:
        """Observation, reward, terminated, truncated, info."""
        u = given("action", action, len(self.action_space.low))[1]
        with self._copies.held():
            if self._episodes.taken[0] < 0:
                raise Error("no episode is under way: call reset()")
            rewards, over, cut, faults = self._episodes.step(np.ones(1, bool), u.reshape(1, -1))
            info = {} if faults[0] is None else {"error": faults[0]}
            return (self._copies.observations()[0], float(rewards[0]), bool(over[0]), bool(cut[0]),
                    info)

    def render(self) -> Optional[NDArray[np.uint8]]:
        """A picture (480, 480, 3) where render_mode is "rgb_array" (by matplotlib), else None."""
        if self.render_mode is None:
            return None
        return picture(self.state.data, (480, 480), (15, -75))

    def close(self) -> None:
        """Gives up its memory."""
        self._copies.close()

    def __repr__(self) -> str:
        return f"<cardan.Env of {text(self.model._c.name)!r}>"


class VectorEnv(_Vector):
    """n copies of an Env that are stepped at once on threads, without the interpreter's lock; each
    has the bits of an Env of its own.

    Arguments are those of Env, and
    threads  that step, as many as there are cores by default
    batched  reward and terminated are called once for all copies that stepped: their state has
             arrays of m rows, actions are (m, k), and they return (m,)

    Arrays have n rows. An episode that ends is reset by the next step, as gymnasium's
    AutoresetMode.NEXT_STEP has it: that step passes over the copy's action and returns its first
    observation, reward 0, not ended. seed=s gives copy k the seed s + k.
    """

    metadata: Dict[str, Any] = {"render_modes": [], "autoreset_mode": (
        "NextStep" if gymnasium is None or not hasattr(gymnasium.vector, "AutoresetMode")
        else gymnasium.vector.AutoresetMode.NEXT_STEP)}
    spec: Any = None
    render_mode: Optional[str] = None

    def __init__(self, model: Model, n: int, reward: Reward, *, horizon: int = 500,
                 substeps: int = 1, terminated: Optional[Ending] = None,
                 observation: Union[str, Observer] = "state", start: Optional[Starter] = None,
                 noise: float = 0.0, failed_reward: float = 0.0, strict: bool = False,
                 threads: Optional[int] = None, batched: bool = False, **options: Any) -> None:
        self.num_envs = whole("n", n, 1)
        self._copies = _Copies(model, self.num_envs, _cores() if threads is None else threads,
                               substeps, observation, start, noise, options)
        self.model = self._copies.model
        self._episodes = _Episodes(self._copies, reward, terminated, horizon, failed_reward,
                                   strict, batched)
        low, high, seen = self._copies.spaces()
        ends = np.full(seen, -np.inf), np.full(seen, np.inf)
        self.single_action_space = _box(low, high)
        self.single_observation_space = _box(*ends)
        self.action_space = _box(np.tile(low, (n, 1)), np.tile(high, (n, 1)))
        self.observation_space = _box(*(np.tile(end, (n, 1)) for end in ends))

    @property
    def state(self) -> State:
        """Where the copies stand: arrays of n rows."""
        return State(self.model, self._copies.rows)

    def reset(self, *, seed: Union[int, Sequence[Optional[int]], None] = None,
              options: Optional[Mapping[str, Any]] = None) -> Tuple[Array, Info]:
        """New episodes of all copies: (n, ..) observations, and {}. seed: one, or one for each."""
        n = self.num_envs
        seeds: List[Optional[int]] = [None] * n
        if isinstance(seed, (int, np.integer)):
            seeds = [int(seed) + k for k in range(n)]
        elif isinstance(seed, (list, tuple, np.ndarray)):
            seeds = list(seed)
        elif seed is not None:
            raise ArgumentError(f"seed is {seed!r}, expected a whole number, or {n} of them")
        if len(seeds) != n:
            raise ArgumentError(f"seed has {len(seeds)} entries, expected {n}")
        with self._copies.held():
            self._copies.seed(seeds)
            self._episodes.begin(np.ones(n, bool), options)
            return self._copies.observations(), {}

    def step(self, actions: ArrayLike) -> Tuple[Array, Array, Bools, Bools, Info]:
        """(n, ..) observations, (n,) rewards, terminated and truncated, and info: "error" has what
        failed for each copy that did, "_error" which did."""
        u = given("actions", actions, *self.action_space.low.shape)[1]
        with self._copies.held():
            if np.any(np.isnan(self._copies.rows[:, 0])):
                raise Error("no episode is under way: call reset()")
            ended = self._episodes.taken < 0
            rewards, over, cut, faults = self._episodes.step(~ended, u)
            if np.any(ended):
                self._episodes.begin(ended)
            return self._copies.observations(), rewards, over, cut, _gathered(faults)

    def close(self, **kwargs: Any) -> None:
        """Gives up memory and threads."""
        self.closed = True
        if hasattr(self, "_copies"):  # else it was never whole
            self._copies.close()

    def __repr__(self) -> str:
        return f"<cardan.VectorEnv of {self.num_envs} {text(self.model._c.name)!r}>"


def _gathered(faults: List[Optional[Error]]) -> Info:
    """Faults as gymnasium gathers what copies say."""
    which = np.array([fault is not None for fault in faults])
    if not np.any(which):
        return {}
    errors = np.empty(len(faults), object)
    errors[:] = faults
    return {"error": errors, "_error": which}


def _cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
