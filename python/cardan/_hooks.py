# SPDX-License-Identifier: Apache-2.0
"""What a program does in the course of a run: control, forces, events; answered here for C."""
from __future__ import annotations

import math
from typing import (
    TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple)

import numpy as np
from numpy.typing import ArrayLike

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, NotFinite, failure
from cardan._views import Array, given, view

if TYPE_CHECKING:
    from cardan._data import Data
    from cardan._model import Model

Control = Callable[[float, "Data", Array], object]
Force = Callable[["Instant", Array, Array], object]
State = Tuple[Optional[ArrayLike], Optional[ArrayLike]]


class Event:
    """Something to be found in a run: where a value crosses zero.

    value      value(t, data) -> float: smooth, looked at in every step, and again wherever the
               crossing is sought
    direction  1: from negative to positive only; -1: the other way; 0: both
    then       then(t, data): called at the crossing, just before it. What it returns: None, and
               the motion continues; or a pair (q, v), and it continues from there (None for what
               stays), as after an impulse
    stop       the run ends with the step in which it is found
    name       for Crossing.name

    Two crossings of one value within one step are not seen.
    """

    __slots__ = ("value", "direction", "then", "stop", "name")

    def __init__(self, value: Callable[[float, Data], float], direction: int = 0,
                 then: Optional[Callable[[float, Data], Optional[State]]] = None, *,
                 stop: bool = False, name: str = "") -> None:
        for word, given_function in (("value", value), ("then", then)):
            if given_function is not None and not callable(given_function):
                raise ArgumentError(f"{word} of an event is {given_function!r}, expected a "
                                    "function")
        if isinstance(direction, bool) or direction not in (-1, 0, 1):
            raise ArgumentError(f"direction of an event is {direction!r}, expected -1, 0 or 1")
        self.value, self.direction, self.then = value, int(direction), then
        self.stop, self.name = stop, name

    def __repr__(self) -> str:
        return (f"Event({self.value!r}, direction={self.direction}, then={self.then!r}, "
                f"stop={self.stop}, name={self.name!r})")


class Crossing(NamedTuple):
    """An event that was found: which, when, and where the mechanism stood then."""

    event: int
    name: str
    t: float
    q: Array
    v: Array


class Instant:
    """The moment at which a force is evaluated: a node, the middle of a step, a stage.

    t        time [s]
    q, v, u  coordinates (nq,), velocities (nv,), inputs (ninput,)
    R, p     turns (nbody, 3, 3) and places (nbody, 3) [m] of the bodies in the world; body 0 is
             the world
    V        twists of the bodies in body coordinates: (nbody, 6), angular first [rad/s, m/s]

    The arrays are overwritten in every call: copy what you need later.
    """

    __slots__ = ("q", "v", "u", "R", "p", "V", "_s", "_memory")
    q: Array
    v: Array
    u: Array
    R: Array
    p: Array
    V: Array
    _s: Any

    def __init__(self, model: Any, s: Any) -> None:
        nbody = model.nbody
        poses, V = ffi.new("cardan_xform[]", nbody), ffi.new("cardan_twist[]", nbody)
        state = [ffi.new("double[]", max(n, 1)) for n in (model.nq, model.nv, model.ninput)]
        s.q, s.v, s.u = state
        s.X_W, s.V = poses, V
        rows = view(poses, poses, nbody, 12)
        made = {"q": view(state[0], s.q, model.nq), "v": view(state[1], s.v, model.nv),
                "u": view(state[2], s.u, model.ninput), "V": view(V, V, nbody, 6),
                "R": rows[:, :9].reshape(nbody, 3, 3), "p": rows[:, 9:],
                "_s": s, "_memory": (poses, V, *state)}
        assert np.shares_memory(made["R"], rows)
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} of an instant is what the run is at, and cannot be set")

    @property
    def t(self) -> float:
        """[s]."""
        return float(self._s.t)


class Hooks:
    """The functions of one sim, and the exception of one that raised."""

    def __init__(self, model: Model, s: Any, control: Optional[Control], force: Optional[Force],
                 events: Sequence[Event]) -> None:
        for word, function in (("control", control), ("force", force)):
            if function is not None and not callable(function):
                raise ArgumentError(f"{word} is {function!r}, expected a function")
        self.control, self.force, self.events = control, force, _listed(events)
        self.look: Optional[Callable[[float], object]] = None
        self.raised: Optional[BaseException] = None
        self.crossings: List[Crossing] = []
        self.model, self._s = model, s
        s.on = _ANSWERS
        self.data: Any = None
        self.u: Array = np.empty(0)
        self._direction = ffi.new("int[]", [event.direction for event in self.events] or 1)
        self.at: Optional[Instant] = None
        self.tau, self.f = np.empty(0), np.empty(0)
        if force is not None:
            self._make_instant(model)

    def _make_instant(self, model: Model) -> None:
        if not model._c.has_program:
            raise ArgumentError("force is given, but the model asks for none: it has no "
                                "(program ..)")
        s = self._s
        self.at = Instant(model._c, s)
        nv, nbody = model.nv, model.nbody
        self._memory = tau, f = ffi.new("double[]", max(nv, 1)), ffi.new("cardan_force[]", nbody)
        s.tau, s.f = tau, f
        self.tau, self.f = view(tau, tau, nv), view(f, f, nbody, 6)

    def needs_data(self) -> bool:
        """Is there a function that is given data?"""
        return self.control is not None or bool(self.events)

    def c_hooks(self) -> Any:
        """The cardan_hooks of these; they belong to this object."""
        return lib.cardan_py_hooks(self._s, self.control is not None, len(self.events),
                                   self._direction)

    def out(self) -> Optional[BaseException]:
        """The exception that a function raised, once; None: none did."""
        raised, self.raised = self.raised, None
        self._s.raised = 0
        return raised

    def push(self, returned: Any) -> None:
        """Takes the joint forces that control returned: tau_in of the step."""
        try:
            self.data.tau_in[:] = given("what control returned", returned, self.model.nv)[1]
        except ArgumentError as fault:
            raise ArgumentError(f"{fault.message}: control returns None, or joint forces, one for "
                                "each velocity; inputs are written to u") from None

    def cross(self, k: int) -> None:
        """Answers event k at its crossing."""
        event, data = self.events[k], self.data
        t = data.t
        self.crossings.append(Crossing(k, event.name, t, data.q.copy(), data.v.copy()))
        self._s.stopping = 1 if event.stop else self._s.stopping
        state = event.then(t, data) if event.then is not None else None
        if state is None:
            return
        try:
            q, v = state
        except (TypeError, ValueError):
            raise ArgumentError(f"then of event {k} returned {state!r}, expected None or a pair "
                                "(q, v)") from None
        self._go_on(q, v)

    def _go_on(self, q: Optional[ArrayLike], v: Optional[ArrayLike]) -> None:
        """From here on with q and v."""
        model, s = self.model, self._s
        node = lib.cardan_sim_data(s.sim)
        state = [(given(name, value, n), place) for name, value, n, place in
                 (("q", q, model.nq, node.q), ("v", v, model.nv, node.v)) if value is not None]
        if q is not None:
            unit(model, "q of then", state[0][0][1].copy())
        for (pointer, array), place in state:
            ffi.memmove(place, pointer, array.nbytes)
        if q is not None:
            lib.cardan_py_unit(model._c, 1, node.q)
        status = lib.cardan_sim_start_from_current(s.sim, ffi.addressof(s, "report"))
        if status != 0:
            raise failure(status, s.report)


def unit(model: Model, name: str, q: Array) -> None:
    """Gives quaternions of q, a contiguous array (nq,) of the package's own, the length 1."""
    if not lib.cardan_py_unit(model._c, 1, ffi.from_buffer("double[]", q)):
        raise ArgumentError(f"{name} has a quaternion of length 0, expected one that can be "
                            "normalised")


def _listed(events: Iterable[Event]) -> List[Event]:
    """events, each one looked at."""
    if isinstance(events, Event):
        raise ArgumentError("events is one Event, expected a sequence of them: [event]")
    if not isinstance(events, Iterable):
        raise ArgumentError(f"events is {events!r}, expected a list of cardan.Event objects")
    found = list(events)
    for event in found:
        if not isinstance(event, Event):
            raise ArgumentError(f"events has {event!r}, expected cardan.Event objects")
    return found


def _keep(_kind: Any, raised: BaseException, traceback: Any) -> None:
    """Keeps what a function here raised, until the call that led to it comes back; even what comes
    in at its first line, such as KeyboardInterrupt."""
    hooks = ffi.from_handle(traceback.tb_frame.f_locals["handle"])
    hooks.raised = raised.with_traceback(traceback)
    hooks._s.raised = 1


def _on_control(handle: Any) -> int:
    hooks = ffi.from_handle(handle)
    returned = hooks.control(hooks.data.t, hooks.data, hooks.u)
    if returned is not None:
        hooks.push(returned)
    return 0


def _on_event(handle: Any, k: int) -> float:
    hooks = ffi.from_handle(handle)
    found = hooks.events[k].value(hooks.data.t, hooks.data)
    try:
        value = math.nan if isinstance(found, (str, bytes)) else float(found)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ArgumentError(f"the value of event {k} is {found!r}, expected a finite number")
    return value


def _on_crossing(handle: Any, k: int) -> int:
    ffi.from_handle(handle).cross(k)
    return 0


def _on_force(handle: Any) -> int:
    hooks = ffi.from_handle(handle)
    hooks.force(hooks.at, hooks.tau, hooks.f)
    s = hooks._s
    for name, array, pointer in (("tau", hooks.tau, s.tau), ("f", hooks.f, s.f)):
        at = lib.cardan_py_not_finite(ffi.cast("double *", pointer), array.size)
        if at >= 0:
            raise NotFinite(f"force left {array.flat[at]} in {name}, expected finite numbers")
    return 0


def _on_look(handle: Any, fraction: float) -> int:
    hooks = ffi.from_handle(handle)
    if hooks.look is not None:
        hooks.look(fraction)
    return 0


def _answers() -> Any:
    """The cardan_py_answers of the functions here."""
    for function in (_on_control, _on_crossing, _on_force, _on_look):
        ffi.def_extern(f"cardan_py{function.__name__}", error=1, onerror=_keep)(function)
    ffi.def_extern("cardan_py_on_event", error=math.nan, onerror=_keep)(_on_event)
    return {"control": lib.cardan_py_on_control, "event": lib.cardan_py_on_event,
            "crossing": lib.cardan_py_on_crossing, "force": lib.cardan_py_on_force,
            "look": lib.cardan_py_on_look}


_ANSWERS = _answers()
