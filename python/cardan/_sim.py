# SPDX-License-Identifier: Apache-2.0
"""Runs of a model in time, step by step."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence,
    Tuple, Union)

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import chars, number, whole
from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._dynamics import Energy
from cardan._error import (
    ArgumentError, Busy, Error, NotFinite, Stopped, check, doubt, failure, text)
from cardan._hooks import Control, Crossing, Event, Force, Hooks, unit
from cardan._linear import Linearization
from cardan._options import Option, as_dict, begun, label, options_of
from cardan._source import named
from cardan._stats import Stats, stats_of
from cardan._views import Array, given, out as _out, owned, view

if TYPE_CHECKING:
    from cardan._model import Model

Values = Union[ArrayLike, Mapping[str, float], None]
Names = Union[str, Iterable[str], None]
MOST_STEPS = 2 ** 62
STATES = ("open", "sticks", "slides")


class Touch(NamedTuple):
    """A place where something touches, or may in the next step.

    name      of the contact, of the joint whose limit it is, or of the stop, rope or inequality
    kind      "contact", "limit" or "bound"
    id        which corner, edge, .. of its pair: the same from node to node
    x, n      point (3,) [m] and unit normal (3,) from B to A in the world; 0 but for contacts
    force     on A in the world: (3,) [N]; 0 but for contacts
    gap       [m or rad]
    normal    force along n, or of the limit [N or N m]
    friction  size of the tangential force [N];  slip  of the tangential velocity [m/s]
    state     "open", "sticks" or "slides"
    """

    name: str
    kind: str
    id: int
    x: Array
    n: Array
    force: Array
    gap: float
    normal: float
    friction: float
    slip: float
    state: str


class NodeData(Data):
    """The state of a sim's node, and what follows from it: as Data, but t, q and v are the sim's
    own, and read-only. u, tau_in and f_in are the sim's: they are held over the next step."""

    __slots__ = ("_s",)

    def __init__(self, model: Model, sim: Any, s: Any) -> None:
        """For the package itself: sim an owned cardan_sim *, s its cardan_py_sim *."""
        made = ffi.new("cardan_data **")
        check(lib.cardan_data_create(model._c, ffi.NULL, made))
        mirror = owned(made[0], lib.cardan_data_destroy, model._c, sim, s)
        node = lib.cardan_sim_data(sim)
        mirror.u, mirror.tau_in, mirror.f_in = node.u, node.tau_in, node.f_in
        mirror.z = node.z
        mirror.program = node.program
        self._s = s
        s.mirror = mirror
        self._attach(model, mirror, mirror, threading.RLock())
        for array in (self._q, self._v, self._z):
            array.flags.writeable = False

    def _follow(self) -> None:
        """To the sim's node."""
        status = lib.cardan_py_node(self._s)
        if status != 0:
            raise busy() if status == lib.CARDAN_PY_BUSY else raised_in(self._s)

    def _check(self, status: int) -> None:
        if self._s.raised:
            raise raised_in(self._s)
        super()._check(status)

    def _may_write(self) -> None:
        raise Error("the data of a sim is at the sim's node: see Sim.reset and "
                    "Sim.start_from_current, or take a copy()")

    @property
    def t(self) -> float:
        """Time of the node [s]."""
        self._follow()
        return float(self._c.t)

    @t.setter
    def t(self, value: float) -> None:
        self._may_write()

    @property
    def q(self) -> Array:
        """Coordinates at the node [rad, m]: (nq,), read-only."""
        self._follow()
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._may_write()

    @property
    def v(self) -> Array:
        """Velocities at the node [rad/s, m/s]: (nv,), read-only."""
        self._follow()
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._may_write()

    def _place(self, name: str) -> Tuple[Array, Union[int, slice]]:
        self._follow()
        return super()._place(name)


def raised_in(s: Any) -> BaseException:
    """What a hook of a cardan_py_sim raised."""
    hooks = ffi.from_handle(s.handle) if s.handle != ffi.NULL else None
    return (hooks and hooks.out()) or Stopped("a hook raised an exception")


def busy() -> Busy:
    """The sim is in use."""
    return Busy("the sim is in use: by another thread, or by the step whose hook calls it; a hook "
                "works with the data it is given")


class Sim:
    """A run of a model by one method, step by step: see Model.sim.

    u, tau_in and f_in can be written: they are held over the next step.
    """

    def __init__(self, model: Model, options: Mapping[str, Option],
                 control: Optional[Control] = None, force: Optional[Force] = None,
                 events: Sequence[Event] = (), *, begin: bool = True) -> None:
        """For the package itself: see Model.sim. begin False: reset() is still to be called."""
        self._started = False
        self._options = options if isinstance(options, ffi.CData) else options_of(model, options)
        self._model = model = begun(model, self._options)
        self._s = s = ffi.new("cardan_py_sim *")
        self._report = ffi.addressof(s, "report")
        report = named(model._source.name)
        check(lib.cardan_model_dynamic(model._c, report), report)
        made = ffi.new("cardan_sim **")
        check(lib.cardan_sim_create(model._c, self._options, ffi.NULL, made, self._report),
              s.report)
        self._c = owned(made[0], lib.cardan_sim_destroy, model._c, s)
        s.sim = self._c
        self._node = node = lib.cardan_sim_data(self._c)
        self._q: Array = view(self._c, node.q, model.nq, writable=False)
        self._v: Array = view(self._c, node.v, model.nv, writable=False)
        self._u: Array = view(self._c, node.u, model._c.ninput)
        self._z: Array = view(self._c, node.z, model._c.nz, writable=False)
        self._tau_in: Array = view(self._c, node.tau_in, model.nv)
        self._f_in: Array = view(self._c, ffi.cast("double *", node.f_in), model._c.nbody, 6)
        self._data: Optional[NodeData] = None
        self._keeps: Any = None  # what the sim reads in its steps
        self._hook(control, force, events)
        if begin:
            self.reset()

    def __del__(self) -> None:
        s = getattr(self, "_s", None)
        if s is not None:  # data that outlives the sim has no program that computes forces
            s.handle = ffi.NULL

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("t", "q", "v"):
            raise AttributeError(f"{name} of a sim follows its steps, and is set by reset() or "
                                 "start_from_current()")
        if not name.startswith("_") and name not in ("u", "tau_in", "f_in"):
            raise AttributeError(f"{name} of a sim cannot be set: options, control, force and "
                                 "events are given to Model.sim()")
        super().__setattr__(name, value)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Neither copied nor pickled: functions and memory of C belong to one sim."""
        raise TypeError("a Sim cannot be copied or pickled: make another with the same options, "
                        "and snapshot_load() there what snapshot_save() gave here")

    def __repr__(self) -> str:
        return (f"<cardan.Sim of {self.model.name!r} by {label(self._options)}, dt "
                f"{self._options.dt:g} s, t = {self.t:g} s>")

    def _hook(self, control: Optional[Control], force: Optional[Force],
              events: Sequence[Event]) -> None:
        s = self._s
        self._hooks = hooks = Hooks(self.model, s, control, force, events)
        self._handle = s.handle = ffi.new_handle(hooks)
        if force is not None:
            s.program = lib.cardan_py_program(s)
            self._node.program = ffi.addressof(s, "program")
        if hooks.needs_data():
            hooks.data, hooks.u = self.data, self.u
            c_hooks = ffi.new("cardan_hooks *", hooks.c_hooks())
            check(lib.cardan_sim_hook(self._c, c_hooks, self._report), s.report)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """For calls on the sim that no other may come between."""
        if lib.cardan_py_take(self._s) != 0:
            raise busy()
        try:
            yield
        finally:
            lib.cardan_py_give(self._s)
        if self._s.raised:
            raise raised_in(self._s)

    def _fail(self, status: int) -> BaseException:
        """Why a call failed: what a hook raised, as it was, or an Error with time, joint and
        residual."""
        if status == lib.CARDAN_PY_BUSY:
            return busy()
        if self._s.raised:
            return raised_in(self._s)
        error, info = self._not_finite() or failure(status, self._s.report), self._node.info
        error.t = float(self._node.t)
        error.joint = text(self.model._c.joint[info.joint].name) if info.joint >= 0 else None
        error.residual = float(info.residual) or None
        return error

    def _not_finite(self) -> Optional[Error]:
        """Where the caller left no number in what a step takes: that is why it failed."""
        for name, array in (("u", self._u), ("tau_in", self._tau_in), ("f_in", self._f_in)):
            for place in np.argwhere(~np.isfinite(array)):
                at = ", ".join(str(k) for k in place)
                return NotFinite(f"{name}[{at}] is {array[tuple(place)]}, expected a finite number")
        return None

    # ---- state

    @property
    def model(self) -> Model:
        """Of the run: the model whose sim() made this, started as the options say."""
        return self._model

    @property
    def t(self) -> float:
        """Time of the node [s]."""
        return float(self._node.t)

    @property
    def q(self) -> Array:
        """Coordinates at the node: (nq,), a read-only view that follows the steps."""
        return self._q

    @property
    def u(self) -> Array:
        """Inputs, held over the next step: (nu,), a view to read and write."""
        return self._u

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self._u[:] = given("u", value, self.model.nu)[1]

    @property
    def z(self) -> Array:
        """Auxiliary states at the node: (nz,), a read-only view that follows the steps."""
        return self._z

    @property
    def tau_in(self) -> Array:
        """Joint forces, held over the next step: (nv,) [N m or N], a view to read and write."""
        return self._tau_in

    @tau_in.setter
    def tau_in(self, value: ArrayLike) -> None:
        self._tau_in[:] = given("tau_in", value, self.model.nv)[1]

    @property
    def f_in(self) -> Array:
        """Wrenches on bodies in body coordinates, torque first, held over the next step: (nbody, 6)
        [N m, N], a view to read and write."""
        return self._f_in

    @f_in.setter
    def f_in(self, value: ArrayLike) -> None:
        self._f_in[:] = given("f_in", value, self.model.nbody, 6)[1]

    @property
    def v(self) -> Array:
        """Velocities at the node: (nv,), read-only. Read it again after a step: some methods compute
        velocities only when they are read."""
        status = lib.cardan_py_node(self._s)
        if status != 0:
            raise self._fail(status)
        return self._v

    @property
    def data(self) -> NodeData:
        """The node as Data: poses, Jacobians, .. of it; after a step, those of the new node when they
        are read."""
        if self._data is None:
            with self._alone():
                if self._data is None:  # still, now that no other thread makes it
                    self._data = NodeData(self.model, self._c, self._s)
        return self._data

    def energy(self) -> Energy:
        """Kinetic and potential energy at the node [J]."""
        with self._alone():
            node = lib.cardan_sim_data(self._c)
            return Energy(float(lib.cardan_kinetic(self.model._c, node)),
                          float(lib.cardan_potential(self.model._c, node)))

    @property
    def stats(self) -> Stats:
        """Effort and quality since the start."""
        with self._alone():
            return stats_of(self.model._c, lib.cardan_sim_stats(self._c))

    @property
    def note(self) -> str:
        """What the start had to change, and springs that the method does not follow at this
        dt: a sentence, "" when nothing."""
        return text(lib.cardan_sim_note(self._c))

    @property
    def warning(self) -> str:
        """What is impossible in a true motion and happened in this one: a sentence, or "". Checked
        when stats, v or data are read."""
        return text(lib.cardan_sim_warning(self._c))

    @property
    def options(self) -> Dict[str, Option]:
        """All options, by the names that sim() takes."""
        return as_dict(lib.cardan_sim_options(self._c))

    @property
    def crossings(self) -> List[Crossing]:
        """Events that were found, in order."""
        return list(self._hooks.crossings)

    @property
    def trace(self) -> Array:
        """Residual of each evaluation of the root finder in the last step, relative: (n,)."""
        with self._alone():
            n = ffi.new("int *")
            residuals = lib.cardan_sim_trace(self._c, n)
            return np.array([residuals[k] for k in range(n[0])], np.float64)

    def touching(self) -> List[Touch]:
        """What touches at the node, or may in the next step."""
        with self._alone():
            n = lib.cardan_sim_touching(self._c, ffi.NULL, 0)
            found = ffi.new("cardan_touching[]", max(n, 1))
            lib.cardan_sim_touching(self._c, found, n)
        return [self._touch(found[k]) for k in range(n)]

    def _touch(self, c: Any) -> Touch:
        model = self.model._c
        if c.pair >= 0:
            kind, name = "contact", model.contact[model.pair[c.pair].contact].name
        elif c.joint >= 0:
            kind, name = "limit", model.joint[c.joint].name
        else:
            kind, name = "bound", model.bound[c.bound].name
        x, n, force = (np.array([at.x, at.y, at.z]) for at in (c.x, c.n, c.force))
        return Touch(text(name), kind, c.id, x, n, force, c.gap, c.normal, c.friction, c.slip,
                     STATES[c.state])

    # ---- motion

    def reset(self, q: Values = None, v: Values = None, *, t: Optional[float] = None,
              keyframe: Optional[str] = None, u: Values = None, z: Values = None) -> None:
        """Starts again: from the model's start, or a keyframe, with the given values in place of theirs.

        q, v, u  arrays (nq,), (nv,), (ninput,), or values by name: {"elbow": 0.3}; z: (nz,)
        t        time of the start, option begin unless given [s]

        Loops are closed from there; note says what that had to change. tau_in, f_in and
        statistics are reset. A start that fails leaves a sim that is not started.
        """
        begin = float(self._options.begin) if t is None else number("t", t)
        at = None if keyframe is None else self.model._at("keyframe", keyframe)
        laid = [laid_over(self.model, what, value) for what, value in
                (("q", q), ("v", v), ("u", u), ("z", z)) if value is not None]
        _can_turn(self.model, self.model.q0 if at is None else self.model.keyframe(at)[0], laid)
        with self._alone():
            model, node, s = self.model._c, self._node, self._s
            lib.cardan_data_reset(model, node)
            if at is not None:
                lib.cardan_keyframe_set(model, node, at)
            node.t = begin
            for values in laid:
                values.to(node)
            if q is not None:
                lib.cardan_py_unit(model, 1, node.q)
            self._hooks.crossings.clear()
            self.tau_in[:], self.f_in[:] = 0, 0
            s.raised = 0
            self._started = False
            status = lib.cardan_sim_start(self._c, self._report)
        self._started_by(status)
        self._doubt_start()

    def start_from_current(self, q: Values = None, v: Values = None) -> None:
        """Continues from the given q and v: an impulse, a coordinate that is set. Time, statistics
        and work stay; the energy that came in this way is stats.given."""
        self._must_be_started()
        laid = [laid_over(self.model, what, value) for what, value in (("q", q), ("v", v))
                if value is not None]
        with self._alone():
            node = lib.cardan_sim_data(self._c)
            _can_turn(self.model, self._q, laid)
            for values in laid:
                values.to(node)
            if q is not None:
                lib.cardan_py_unit(self.model._c, 1, node.q)
            self._started = False
            status = lib.cardan_sim_start_from_current(self._c, self._report)
        self._started_by(status)
        self._doubt_start()

    def _started_by(self, status: int) -> None:
        """After a call that starts the sim: it is, or that failed."""
        report = self._s.report
        if status == lib.CARDAN_ERR_ASSEMBLY:  # the model's fault, at its place in the text
            report.file = self.model._source.name.encode("utf-8", "surrogateescape")[-255:]
        try:
            if status != 0:
                raise self._fail(status)
        finally:
            report.file = b""
        self._started = True

    def _doubt_start(self) -> None:
        """Says what the start had to change."""
        if self.note:
            doubt(self.note)

    def _must_be_started(self) -> None:
        if not self._started:
            raise Error("the sim is not started, since its last reset or restart failed: reset it")

    def step(self, n: int = 1) -> None:
        """n steps of dt; an event with stop=True ends them early.

        A step that fails raises, with t, joint and residual where they are known. The sim then
        is at its last good node, and another call continues from there.
        """
        if type(n) is not int or abs(n) > MOST_STEPS:  # cffi would cut 2.7 of float32 to 2
            n = whole("n", n, 0, MOST_STEPS)
        status = lib.cardan_py_steps(self._s, n)
        if status != 0:
            self._must_be_started()
            raise self._fail(status)

    def step_to(self, t: float) -> None:
        """One step of another length, to time t [s]; steps of dt then continue from there."""
        self._must_be_started()
        status = lib.cardan_py_step_to(self._s, number("t", t))
        if status != 0:
            raise self._fail(status)

    def snapshot_save(self) -> bytes:
        """A snapshot of the run, for snapshot_load(): the node, inputs, statistics, and what the
        method keeps. For the same model and options, by the same library on the same machine."""
        self._must_be_started()
        with self._alone():
            size = lib.cardan_sim_snapshot_size(self._c)
            state = ffi.new("char[]", size)
            status = lib.cardan_sim_snapshot_save(self._c, state, size, self._report)
        if status != 0:
            raise self._fail(status)
        return bytes(ffi.buffer(state, size))

    def snapshot_load(self, state: bytes) -> None:
        """Continues from a snapshot that snapshot_save() returned, to the same bits as the run that
        was saved."""
        try:
            held = ffi.from_buffer(state)
        except (TypeError, ValueError):
            raise ArgumentError(f"state is {type(state).__name__}, expected bytes of "
                                "snapshot_save()") from None
        with self._alone():
            status = lib.cardan_sim_snapshot_load(self._c, held, len(held), self._report)
        self._started_by(status)

    def linearize(self) -> Linearization:
        """Exact derivatives of the step that would come next (methods vi and svi); the sim stays at
        its node."""
        self._must_be_started()
        with self._alone():
            return Linearization(self)

    # ---- rows of the table of motion

    def columns(self, add: Names = None) -> List[str]:
        """Names of the columns of a row; add as in run()."""
        return columns_of(self._c, add_of(add))

    def row(self, add: Names = None, out: Optional[Array] = None) -> Array:
        """The row of the table of motion at the node: as many numbers as columns(add) has names."""
        self._must_be_started()
        flags = add_of(add)
        pointer, array = _out("out", out, lib.cardan_sim_columns(self._c, flags))
        with self._alone():
            status = lib.cardan_sim_row(self._c, flags, pointer)
        check(status)
        return array


class _Laid:
    """Values that the caller gave, checked, on their way to a node."""

    def __init__(self, what: str, values: Dict[int, float], named: bool) -> None:
        self.what, self.values, self.named = what, values, named

    def to(self, node: Any) -> None:
        """Writes them; and, of those by name, that they were given: of an array those count as
        given that are not the model's own."""
        place = getattr(node, self.what)
        for k, value in self.values.items():
            place[k] = value
            if self.named and self.what not in ("u", "z"):
                getattr(node, f"{self.what}_given")[k] = True


def _can_turn(model: Model, q: Array, laid: Sequence[_Laid]) -> None:
    """Refuses what, laid over q, has a quaternion of length 0; before a node is touched."""
    for values in laid:
        if values.what == "q":
            q = q.copy()
            q[list(values.values)] = list(values.values.values())
            unit(model, "q", q)


def laid_over(model: Model, what: str, value: Values) -> _Laid:
    """value, an array or values by name, as start values of q, v, u or z (what)."""
    if isinstance(value, Mapping):
        kind = "input" if what == "u" else what
        return _Laid(what, {model._at(kind, name): number(f"{what}[{name!r}]", x)
                            for name, x in value.items()}, True)
    assert value is not None
    n = {"q": model.nq, "v": model.nv, "u": model._c.ninput, "z": model.nz}[what]
    return _Laid(what, dict(enumerate(given(what, value, n)[1].tolist())), False)


def add_of(add: Names) -> int:
    """CARDAN_ADD_.. of words: "momentum,work" or ("momentum", "work")."""
    if add is None or isinstance(add, str) and add == "":
        return 0
    try:
        words = add if isinstance(add, str) else ",".join(add)
    except TypeError:
        raise ArgumentError(f"add is {add!r}, expected words such as \"momentum\"") from None
    report, flags = ffi.new("cardan_report *"), ffi.new("int *")
    check(lib.cardan_add_read(chars("add", words), flags, report), report)
    return int(flags[0])


def columns_of(sim: Any, add: int) -> List[str]:
    """Names of a sim's columns."""
    name, names = ffi.new("char[]", 512), []
    for k in range(lib.cardan_sim_columns(sim, add)):
        lib.cardan_sim_column(sim, add, k, name, 512)
        names.append(text(name))
    return names
