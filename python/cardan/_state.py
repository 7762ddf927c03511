# SPDX-License-Identifier: Apache-2.0
"""The state that a Data holds: numbers by array and by name, and what is made of them in time."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import nearest, number, word
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, Error, NotFinite, Unsupported, failure, text
from cardan._views import Array, alone, given, owned, view

if TYPE_CHECKING:
    from cardan._model import Model, Name

AXES: Dict[str, int] = {
    "local": lib.CARDAN_LOCAL, "world": lib.CARDAN_WORLD, "aligned": lib.CARDAN_ALIGNED}

Self = TypeVar("Self", bound="State")


class State:
    """t, q, v and inputs of a model, as views on C memory."""

    __slots__ = ("_model", "_c", "_m", "_owner", "_guard", "_seen", "_seen_c", "_read", "_read_c",
                 "_made", "_made_c", "_q", "_v", "_a", "_u", "_z", "_tau_in", "_f_in",
                 "__weakref__")

    def __init__(self, model: Model) -> None:
        if not hasattr(model, "_source"):
            raise ArgumentError(f"model is {model!r}, expected a Model")
        made = ffi.new("cardan_data **")
        status = lib.cardan_data_create(model._c, ffi.NULL, made)
        if status != 0:
            raise failure(status)
        pointer = owned(made[0], lib.cardan_data_destroy, model._c)
        self._attach(model, pointer, pointer, threading.RLock())

    @classmethod
    def _borrowed(cls: Type[Self], model: Model, pointer: Any, owner: object,
                  guard: Any = None) -> Self:
        """For the package itself: over a cardan_data * that belongs to owner, such as a sim's;
        guard: the sim's RLock."""
        made = cls.__new__(cls)
        made._attach(model, pointer, owner, threading.RLock() if guard is None else guard)
        return made

    def _attach(self, model: Model, pointer: Any, owner: object, guard: Any) -> None:
        """Views, and all else, over a cardan_data *. owner keeps its memory; guard: an RLock."""
        self._model = model
        self._m, self._c, self._owner = model._c, pointer, owner
        self._guard = guard
        self._seen = np.full(1 + model.nq + model.nv, np.nan)
        self._seen_c = ffi.from_buffer("double[]", self._seen, require_writable=True)
        # where inverse() reads and writes: a copy is cheaper than a pointer to the caller's array
        self._read, self._made = np.zeros(model.nv), np.zeros(model.nv)
        self._read_c = ffi.from_buffer("double[]", self._read, require_writable=True)
        self._made_c = ffi.from_buffer("double[]", self._made, require_writable=True)
        self._q = view(owner, pointer.q, model.nq)
        self._v = view(owner, pointer.v, model.nv)
        self._a = view(owner, pointer.a, model.nv)
        self._u = view(owner, pointer.u, model.nu)
        self._z = view(owner, pointer.z, model.nz)
        self._tau_in = view(owner, pointer.tau_in, model.nv)
        self._f_in = view(owner, pointer.f_in, model.nbody, 6)

    def __repr__(self) -> str:
        return f"<cardan.{type(self).__name__} of {self._model.name!r} at t = {self.t:g}>"

    @property
    def model(self) -> Model:
        """The model that this is a state of."""
        return self._model

    # ---- the numbers

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._c.t)

    @t.setter
    def t(self, value: float) -> None:
        self._may_write()
        self._c.t = number("t", value)

    @property
    def q(self) -> Array:
        """Coordinates [rad, m]: (nq,), a view to read and write."""
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._may_write()
        self._q[:] = given("q", value, self._model.nq)[1]

    @property
    def v(self) -> Array:
        """Velocities [rad/s, m/s]: (nv,), a view to read and write."""
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._may_write()
        self._v[:] = given("v", value, self._model.nv)[1]

    @property
    def a(self) -> Array:
        """Accelerations [rad/s^2, m/s^2], as forward() left them or as written: (nv,), a view."""
        return self._a

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self._a[:] = given("a", value, self._model.nv)[1]

    @property
    def u(self) -> Array:
        """Inputs of the model: (nu,), a view to read and write."""
        return self._u

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self._u[:] = given("u", value, self._model.nu)[1]

    @property
    def z(self) -> Array:
        """Auxiliary states of the model: (nz,), a view to read and write."""
        return self._z

    @z.setter
    def z(self, value: ArrayLike) -> None:
        self._may_write()
        self._z[:] = given("z", value, self._model.nz)[1]

    @property
    def tau_in(self) -> Array:
        """Joint forces of one's own [N m, N], which forward() adds: (nv,), a view, 0 at first."""
        return self._tau_in

    @tau_in.setter
    def tau_in(self, value: ArrayLike) -> None:
        self._tau_in[:] = given("tau_in", value, self._model.nv)[1]

    @property
    def f_in(self) -> Array:
        """Wrenches of one's own on bodies, which forward() adds: torque [N m] and force [N] in the
        body's coordinates, (nbody, 6), a view, 0 at first. apply_force() is easier."""
        return self._f_in

    @f_in.setter
    def f_in(self, value: ArrayLike) -> None:
        self._f_in[:] = given("f_in", value, self._model.nbody, 6)[1]

    # ---- by name

    def _place(self, name: str) -> Tuple[Array, Union[int, slice]]:
        """Array and place that a name stands for."""
        index = self._model._index
        if not isinstance(name, str):
            raise ArgumentError(f"{name!r} is no name of a coordinate; of numbers use d.q[..]")
        found = self._within("q", name, self._q)
        kind, dot, rest = name.partition(".")
        arrays: Dict[str, Array] = {"q": self._q, "v": self._v, "a": self._a,
                                    "tau_in": self._tau_in}
        if found is None and dot and kind in arrays:
            found = self._within("q" if kind == "q" else "v", rest, arrays[kind])
        if found is None and kind == "u" and rest in index["input"]:
            found = self._u, index["input"][rest]
        if found is None and kind == "z" and rest in index["z"]:
            found = self._z, index["z"][rest]
        if found is None:
            what = "input" if kind == "u" else "z" if kind == "z" else "v" if kind in ("v", "a", "tau_in") else "q"
            known = (*index[what], *index["joint"])
            near = nearest(rest if dot and kind in (*arrays, "u", "z") else name, known)
            raise ArgumentError(f"there is no {name!r} in the model{near}")
        return found

    def _within(self, what: str, name: str, array: Array) -> Optional[
            Tuple[Array, Union[int, slice]]]:
        """A coordinate or velocity by its own name, or all of a joint's."""
        at = self._model._index[what].get(name)
        if at is not None:
            return array, at
        joint = self._model._index["joint"].get(name)
        if joint is None:
            return None
        c = self._m.joint[joint]
        return array, slice(c.qadr, c.qadr + c.nq) if what == "q" else slice(
            c.vadr, c.vadr + c.nv)

    def __getitem__(self, name: str) -> Any:
        """d["elbow"]: a coordinate by its name, or the coordinates of a joint with several, as a
        view. "v.elbow", "a.elbow", "tau_in.elbow" and "u.push" likewise."""
        array, at = self._place(name)
        return float(array[at]) if isinstance(at, int) else array[at]

    def __setitem__(self, name: str, value: Any) -> None:
        array, at = self._place(name)
        if array is self._q or array is self._v:
            self._may_write()
        if isinstance(at, int):
            array[at] = number(name, value)
        else:
            array[at] = given(name, value, at.stop - at.start)[1]

    # ---- the state as a whole

    @alone
    def reset(self: Self) -> Self:
        """Back to the model's start, as m.data() makes it: u is its own, tau_in and f_in are 0."""
        self._may_write()
        lib.cardan_data_reset(self._m, self._c)
        self._tau_in[:] = 0
        self._f_in[:] = 0
        self._stale()
        return self

    @alone
    def keyframe(self: Self, name: Name) -> Self:
        """Takes q, v and u of a keyframe."""
        index = self._model._at("keyframe", name)
        self._may_write()
        lib.cardan_keyframe_set(self._m, self._c, index)
        self._stale()
        return self

    # ---- what is made of it

    def _stale(self) -> None:
        """What was made is not of the state any more."""
        self._seen[0] = np.nan

    def _follow(self) -> None:
        """Before anything is made of the state: for those that follow a run."""

    def _may_write(self) -> None:
        """Before t, q or v are written: for those that may not."""

    def _programmed(self) -> None:
        """Before forces are computed: those of a program must be there."""
        if self._m.has_program and self._c.program == ffi.NULL:
            raise Unsupported("the model has forces of a program, (program ..), which this Data "
                              "does not know: see Sim.data of a sim with force=")

    def _fresh(self) -> None:
        """Positions, twists and bias accelerations of t, q, v as they are."""
        self._follow()
        fault = lib.cardan_py_fresh(self._m, self._c, self._seen_c)
        if fault >= 0:
            raise self._fault(fault)

    def _fault(self, at: int) -> Error:
        """What is wrong with a number that cardan_py_fresh or cardan_py_inverse names."""
        model = self._model
        if at == 0:
            return NotFinite(f"t is {self.t}, expected a finite number")
        names = [*(f"q[{k!r}]" for k in model.q_names), *(f"v[{k!r}]" for k in model.v_names),
                 *(f"a[{k}]" for k in range(model.nv))]
        if at <= model.nq and np.isfinite(self._q[at - 1]):
            return ArgumentError(f"the quaternion from {names[at - 1]} on has the length 0")
        if at <= model.nq + model.nv:
            value = np.concatenate((self._q, self._v))[at - 1]
            return NotFinite(f"{names[at - 1]} is {value}, expected a finite number")
        return ArgumentError(f"{names[at - 1]} is not finite")

    def _check(self, status: int) -> None:
        """Raises what a call on this data left in its info."""
        if status == 0:
            return
        info = self._c.info
        error = failure(status, sentence=text(info.message))
        if info.joint >= 0:
            error.joint = self._model.joint_names[info.joint]
        elif info.body > 0:
            error.joint = self._model.joint_names[self._m.body[info.body].joint]
        error.t, error.residual = self.t, float(info.residual) or None
        raise error


def axes_of(axes: str) -> int:
    """"local", "world" or "aligned" as C has it."""
    return word("axes", axes, AXES)
