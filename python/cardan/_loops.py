# SPDX-License-Identifier: Apache-2.0
"""Constraints of a state: how far they are open, closing them, and what they do."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from cardan._cardan import ffi, lib
from cardan._dynamics import Dynamics
from cardan._error import ArgumentError, check, doubt, text
from cardan._views import Array, alone, given, out as _out

if TYPE_CHECKING:
    from cardan._model import Name

WORDS = 512  # bytes of a sentence


class Constraints(NamedTuple):
    """The constraint rows, in the order of row_names: value Phi (nrow,) [m, rad]; jacobian J
    (nrow, nv) and rate Phi_t (nrow,), dPhi/dt = J v + Phi_t; gamma (nrow,), J a = gamma."""

    value: Array
    jacobian: Array
    rate: Array
    gamma: Array


class Assembly(NamedTuple):
    """What assemble() did: Newton steps, the violation left [m or rad], the largest change of a
    coordinate and of a velocity, and the names of these (None: none changed)."""

    iterations: int
    violation: float
    q_change: float
    q_name: Optional[str]
    v_change: float
    v_name: Optional[str]


class Loops(Dynamics):
    """Loops, couplings and drivers."""

    __slots__ = ()

    @alone
    def constraints(self) -> Constraints:
        """Values, Jacobian and rates of all constraint rows."""
        model = self._model
        n = model.nrow
        pointer, jacobian = _out("out", None, n, model.nv)
        self._fresh()
        lib.cardan_constraints(self._m, self._c)
        rows = self._c.rows
        found = [self._copied(p, n) for p in (rows.phi, rows.phi_t, rows.gamma)]
        lib.cardan_jacobian(self._m, self._c, pointer)
        return Constraints(found[0], jacobian, found[1], found[2])

    @alone
    def constraint_max(self) -> float:
        """The largest violation of a constraint row [m or rad]; 0 without constraints."""
        self._fresh()
        return float(lib.cardan_constraint_max(self._m, self._c))

    @alone
    def assemble(self) -> Assembly:
        """Closes the loops at t, from q and v, which are seeds: the result is the branch near to
        them. Raises AssemblyError where it cannot, with q and v as before."""
        r, model = self._assembled(), self._model
        return Assembly(r.iterations, r.violation,
                        r.q_change, model.q_names[r.q_index] if r.q_index >= 0 else None,
                        r.v_change, model.v_names[r.v_index] if r.v_index >= 0 else None)

    def _assembled(self) -> Any:
        """The same: a cardan_assembly *."""
        self._may_write()
        self._fresh()
        result, report = ffi.new("cardan_assembly *"), ffi.new("cardan_report *")
        self._stale()
        check(lib.cardan_assemble(self._m, self._c, result, report), report)
        return result

    def _close(self) -> None:
        """Closes the loops of a start, and says what that changed of what was given."""
        words = ffi.new("char[]", WORDS)
        lib.cardan_assembly_text(self._m, self._c, self._assembled(), words, WORDS)
        if words[0] != b"\0":
            doubt(text(words))

    def _tell_tables(self) -> bool:
        """Says where the state leads an expression beyond the points of its table."""
        left, words = ffi.new("cardan_exceeded_table *"), ffi.new("char[]", WORDS)
        self._fresh()
        found = bool(lib.cardan_table_exceeded(self._m, self._c, left))
        if found:
            lib.cardan_exceeded_table_text(left, self._c.t, words, WORDS)
            doubt(text(words))
        return found

    @alone
    def delassus(self, out: Optional[Array] = None) -> Array:
        """G M^-1 G^T of the constraints: (nrow, nrow)."""
        n = self._model.nrow
        pointer, array = _out("out", out, n, n)
        self._fresh()
        self._check(lib.cardan_factor(self._m, self._c))
        lib.cardan_constraints(self._m, self._c)
        self._check(lib.cardan_delassus(self._m, self._c, pointer))
        return array

    @alone
    def multipliers(self) -> Array:
        """Forces of the constraint rows at the accelerations of forward(), which is called: (nrow,)
        [N, N m]; the shortest where rows are redundant."""
        self._forward()
        return self._copied(getattr(self._c, "lambda"), self._model.nrow)

    @alone
    def reactions(self) -> Array:
        """Reaction of every joint at the accelerations of forward(), which is called: torque and
        force onto the child, in its frame's axes and about its origin, (njoint, 6) [N m, N]. Along
        the joint's own motion it is 0."""
        n = self._model.njoint
        array = np.zeros((n, 6))
        self._forward()
        lib.cardan_reactions(self._m, self._c,
                             ffi.cast("cardan_force *", ffi.from_buffer("double[]", array)))
        return array

    @alone
    def driver_forces(self) -> Array:
        """Force or torque of the driver of each joint, 0 where it has none, at the accelerations of
        forward(), which is called: (njoint,) [N m, N]."""
        pointer, array = _out("out", None, self._model.njoint)
        self._forward()
        lib.cardan_driver_forces(self._m, self._c, pointer)
        return array

    @alone
    def impulse(self, p: Optional[ArrayLike] = None, f: Optional[ArrayLike] = None) -> Array:
        """Changes v as impulses do, loops kept: v + M^-1 (p + sum J^T f + G^T L).

        p  on velocities, (nv,) [N m s, N s];  f  on bodies, in body coordinates, (nbody, 6)
        returns L, the impulses of the constraint rows: (nrow,)"""
        model = self._model
        on_v, _p = (ffi.NULL, None) if p is None else given("p", p, model.nv)
        on_body, _f = (ffi.NULL, None) if f is None else given("f", f, model.nbody, 6)
        pointer, array = _out("out", None, model.nrow)
        self._may_write()
        self._fresh()
        self._stale()
        self._check(lib.cardan_impulse(self._m, self._c, ffi.cast("cardan_force *", on_body), on_v,
                                       pointer))
        return array

    @alone
    def close_accelerations(self) -> Array:
        """Moves d.a, by the least change in the mass metric, to accelerations that keep the
        constraints: (nv,), a copy."""
        self._fresh()
        at = lib.cardan_py_not_finite(self._c.a, self._model.nv)
        if at >= 0:
            raise ArgumentError(f"a[{at}] is {self._a[at]}, expected a finite number")
        self._check(lib.cardan_close_accelerations(self._m, self._c))
        return np.array(self._a)

    @alone
    def inverse_loops(self, a: ArrayLike, actuated: Sequence[Name]) -> Tuple[Array, Array]:
        """Forces of chosen actuators that, with the model's own forces and the constraints, make
        the accelerations a; the shortest where there are more than needed.

        a         (nv,), must keep the constraints: close_accelerations()
        actuated  velocities by name
        returns   forces (len(actuated),) [N m, N], and multipliers (nrow,)"""
        model = self._model
        read, _keep = given("a", a, model.nv)
        if isinstance(actuated, str):
            raise ArgumentError("actuated is one text, expected a sequence of names of velocities")
        chosen = [model._at("v", name) for name in actuated]
        (tau, forces), (rows, multipliers) = _out("out", None, len(chosen)), _out(
            "out", None, model.nrow)
        self._programmed()
        self._fresh()
        self._stale()
        self._check(lib.cardan_inverse_loops(self._m, self._c, read, chosen, len(chosen), tau,
                                             rows))
        return forces, multipliers
