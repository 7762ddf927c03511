# SPDX-License-Identifier: Apache-2.0
"""A model about one state: its matrices, and small motions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, text
from cardan._state import State
from cardan._views import Array, owned, view

if TYPE_CHECKING:
    from cardan._data import Data
    from cardan._model import Model


class Matrices:
    """A state as matrices: of the tree, of the true degrees of freedom, and as the linear system
    s' = A s + B u, y = Cy s + D u (docs/modes.md). Arrays are read-only views that keep their
    memory.

    t, q, v, a, multipliers  the state, its accelerations and multipliers
    M, C, K, Kc, gravity, G  of the tree: (nv, nv), Kc the stiffness of the constraints; (nv,);
               (nrow, nv)
    dof, N     (n,) velocity index of each true degree of freedom; (nv, n): dq = N x
    Mr, Cr, Kr (n, n): Mr x'' + Cr x' + Kr x = 0
    velocity_dof, W  (nw,), (nv, nw): the independent velocities y, of which roll, skate and velocity
               leave fewer than n: then Mr y' + Cr y + Kr x = 0, (nw, nw), (nw, nw), (nw, n);
               dof and N without these
    A, B, Cy, D  (nx, nx), (nx, nu), (ny, nx), (ny, nu): nx = n + nw, and one for each auxiliary
               state that has a derivative
    states, inputs, outputs  names: "q.arm", "v.arm", "z.filter"; "u.arm", "input.push"; "y.tip"
    exact      (ny,) rows of Cy and D that are no differences
    output_error  (ny,) how far entries of those that are may be off
    equilibrium  it rests, and nothing accelerates
    notes      sentences on what is left out, or is not as for an equilibrium
    why        "", or why there are no degrees of freedom: n is 0 then
    """

    def __init__(self, model: Model, pointer: Any) -> None:
        """For the package itself: of an owned cardan_matrices *; see Model.matrices()."""
        c = pointer
        nv, n, nw, nx = int(c.nv), int(c.n), int(c.nw), int(c.nx)
        self._model, self._c = model, c
        self.t = float(c.t)
        for name, *shape in (
                ("q", model.nq), ("v", nv), ("a", nv), ("M", nv, nv), ("C", nv, nv), ("K", nv, nv),
                ("Kc", nv, nv), ("gravity", nv), ("G", c.nrow, nv), ("N", nv, n), ("W", nv, nw),
                ("Mr", nw, nw), ("Cr", nw, nw), ("Kr", nw, n), ("A", nx, nx), ("B", nx, c.nu), ("Cy", c.ny, nx),
                ("D", c.ny, c.nu)):
            setattr(self, name, view(c, getattr(c, name), *shape, writable=False))
        self.multipliers: Array = view(c, getattr(c, "lambda"), c.nrow, writable=False)
        self.dof: NDArray[np.intp] = np.array([c.dof[k] for k in range(n)], np.intp)
        self.velocity_dof: NDArray[np.intp] = np.array([c.wdof[k] for k in range(nw)], np.intp)
        self.exact: NDArray[np.bool_] = np.array([c.y_exact[k] for k in range(c.ny)], bool)
        self.output_error: Array = view(c, c.y_error, c.ny, writable=False)
        self.states = _names(c, lib.cardan_matrices_state, nx)
        self.inputs = _names(c, lib.cardan_matrices_input, c.nu)
        self.outputs = _names(c, lib.cardan_matrices_output, c.ny)
        self.equilibrium = bool(c.balanced and not c.moves)
        self.why = text(c.why)
        self.notes = _notes(c)

    q: Array
    v: Array
    a: Array
    M: Array
    C: Array
    K: Array
    Kc: Array
    gravity: Array
    G: Array
    N: Array
    W: Array
    Mr: Array
    Cr: Array
    Kr: Array
    A: Array
    B: Array
    Cy: Array
    D: Array

    @property
    def model(self) -> Model:
        """Whose they are."""
        return self._model

    def __repr__(self) -> str:
        return (f"<cardan.Matrices at t = {self.t:g} s: {len(self.M)} velocities, {len(self.dof)} "
                "degrees of freedom>")


class Mode(NamedTuple):
    """One small motion, Re(shape e^(eigenvalue t)).

    kind        "rigid" (moves on freely), "still" (stays where it is put), "swing", "decay", "grow"
    eigenvalue  s [1/s]
    frequency   [Hz]
    damping     -re / |s|
    shape       (nv,) complex: changes of the coordinates, as velocities have them; the largest is 1
    error       how far rounding may have moved s [1/s]
    residual    of the equation, relative to its terms
    unstable    it grows, by more than rounding
    doubtful    rounding may move s by as much as it is
    z           (nz,) complex: the same of the auxiliary states that have a derivative
    """

    kind: str
    eigenvalue: complex
    frequency: float
    damping: float
    shape: NDArray[np.complex128]
    error: float
    residual: float
    unstable: bool
    doubtful: bool
    z: NDArray[np.complex128]


class Modes:
    """Small motions about a state, by rising frequency: a sequence of Mode.

    matrices     that they are of
    frequencies, damping  (n,) [Hz], ratios
    eigenvalues  (n,) complex [1/s]
    shapes       (n, nv) complex
    notes        sentences on what is left out, or is not as for an equilibrium
    """

    def __init__(self, model: Model, pointer: Any) -> None:
        """For the package itself: of an owned cardan_modes *; see Model.modes()."""
        self.matrices = Matrices(model, ffi.gc(pointer.matrices, lambda _, keep=pointer: None))
        self._modes = tuple(_mode(pointer.mode[k], model.nv, pointer.matrices.nz)
                            for k in range(pointer.n))
        self.notes = self.matrices.notes
        self.frequencies: Array = np.array([m.frequency for m in self._modes])
        self.damping: Array = np.array([m.damping for m in self._modes])
        self.eigenvalues: NDArray[np.complex128] = np.array(
            [m.eigenvalue for m in self._modes], complex)
        self.shapes: NDArray[np.complex128] = np.array(
            [m.shape for m in self._modes], complex).reshape(len(self._modes), model.nv)

    def __len__(self) -> int:
        return len(self._modes)

    def __getitem__(self, k: int) -> Mode:
        return self._modes[k]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    @property
    def unstable(self) -> Tuple[Mode, ...]:
        """Those that grow."""
        return tuple(m for m in self._modes if m.unstable)

    def __repr__(self) -> str:
        return (f"<cardan.Modes: {len(self)} of {len(self.matrices.dof)} degrees of freedom, "
                f"{len(self.unstable)} unstable>")


def _mode(c: Any, nv: int, nz: int) -> Mode:
    shape = np.array([complex(c.shape[k], c.quarter[k]) for k in range(nv)], complex)
    z = np.array([complex(c.z[k], c.z_quarter[k]) for k in range(nz)], complex)
    return Mode(text(lib.cardan_mode_word(c.kind)), complex(c.re, c.im), float(c.frequency),
                float(c.damping), shape, float(c.error), float(c.residual), bool(c.unstable),
                bool(c.doubtful), z)


def _names(c: Any, name: Any, count: int) -> List[str]:
    room = ffi.new("char[]", 256)
    found = []
    for k in range(count):
        name(c, k, room, 256)
        found.append(text(room))
    return found


def _notes(c: Any) -> Tuple[str, ...]:
    room = ffi.new("char[]", lib.CARDAN_MATRICES_NOTE)
    found: List[str] = []
    while lib.cardan_matrices_note(c, len(found), room):
        found.append(text(room))
    return tuple(found)


def _state(model: Model, data: Optional[Data]) -> Any:
    """The cardan_data * of data, or one at the model's start with its loops closed."""
    if data is None:
        data = model.data()
        data._close()
        data._tell_tables()
    if not isinstance(data, State):
        raise ArgumentError(f"data is {data!r}, expected a Data, such as Model.data()")
    if data.model is not model:
        raise ArgumentError("data is of another model")
    data._fresh()
    return data


def matrices_of(model: Model, data: Optional[Data]) -> Matrices:
    """See Model.matrices()."""
    state = _state(model, data)
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_matrices **")
    check(lib.cardan_matrices_create(model._c, state._c, ffi.NULL, out, report), report)
    return Matrices(model, owned(out[0], lib.cardan_matrices_destroy, model._c))


def modes_of(model: Model, data: Optional[Data]) -> Modes:
    """See Model.modes()."""
    state = _state(model, data)
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_modes **")
    check(lib.cardan_modes_create(model._c, state._c, ffi.NULL, out, report), report)
    return Modes(model, owned(out[0], lib.cardan_modes_destroy, model._c))
