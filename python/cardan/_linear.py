# SPDX-License-Identifier: Apache-2.0
"""The step as a linear map about a node, and the regulator that it calls for."""
from __future__ import annotations

from typing import (
    TYPE_CHECKING, Any, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union, overload)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._arguments import nearest, plain_array
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, NotConverged, check, text
from cardan._state import State
from cardan._views import Array, owned, view

if TYPE_CHECKING:
    from cardan._data import Data
    from cardan._model import Model
    from cardan._sim import Sim

EPS = float(np.finfo(float).eps)


class Linearization:
    """Exact derivatives of one step, x' = A x + B u, y = C x + D u for small changes (methods vi
    and svi).

    x = (q, p): a change of the coordinates as velocities have it (nv of them), and of the momenta
    u: forces on the velocities [N m or N], next values of kinematic coordinates, the model's inputs
    All arrays are read-only views that keep their memory.

    t, dt      the node, and the length of the step [s]
    A, B       (nx, nx), (nx, nu)
    C, D       (ny, nx), (ny, nu): of the model's outputs; NaN where a row is not known exactly
    lambda_x, lambda_u  (nlambda, nx), (nlambda, nu): of the multipliers
    q, p, q_next, p_next, multipliers  at the node and at the next: (nq,), (np,), ..
    states, inputs, outputs, multiplier_names  what rows and columns are: "q.arm", "p.arm"; "u.arm",
               "q+.crank", "input.push"; "y.tip"
    exact      (ny,) which rows of C are known
    dof        (np,) velocity index of each momentum and of each force among the inputs
    """

    def __init__(self, sim: Sim) -> None:
        """For the package itself: see Sim.linearize()."""
        report = ffi.new("cardan_report *")
        out = ffi.new("cardan_linearization **")
        check(lib.cardan_linearize(sim._c, ffi.NULL, out, report), report)
        self._model: Model = sim.model
        c: Any = owned(out[0], lib.cardan_linearization_destroy, sim.model._c)
        self._c: Any = c
        self.t, self.dt = float(c.t), float(c.dt)
        for name, *shape in (
                ("A", c.nx, c.nx), ("B", c.nx, c.nu), ("C", c.ny, c.nx), ("D", c.ny, c.nu),
                ("lambda_x", c.nlambda, c.nx), ("lambda_u", c.nlambda, c.nu),
                ("q", self.model.nq), ("q_next", self.model.nq), ("p", c.np), ("p_next", c.np)):
            setattr(self, name, view(c, getattr(c, name), *shape, writable=False))
        self.multipliers: Array = view(c, getattr(c, "lambda"), c.nlambda, writable=False)
        self.exact: NDArray[np.bool_] = np.array([c.y_exact[k] for k in range(c.ny)], bool)
        self.dof: NDArray[np.intp] = np.array([c.dof[k] for k in range(c.np)], np.intp)
        self.states = _names(c, lib.cardan_linearization_state, c.nx)
        self.inputs = _names(c, lib.cardan_linearization_input, c.nu)
        self.outputs = _names(c, lib.cardan_linearization_output, c.ny)
        self.multiplier_names = _names(c, lib.cardan_linearization_multiplier, c.nlambda)

    A: Array
    B: Array
    C: Array
    D: Array
    lambda_x: Array
    lambda_u: Array
    q: Array
    q_next: Array
    p: Array
    p_next: Array

    @property
    def model(self) -> Model:
        """The model that was linearized."""
        return self._model

    def columns(self, inputs: Sequence[str]) -> List[int]:
        """Indices of inputs by their names."""
        if not isinstance(inputs, (list, tuple)):
            raise ArgumentError(f"inputs is {inputs!r}, expected a list of names")
        for name in inputs:
            if name not in self.inputs:
                raise ArgumentError(f"there is no input {name!r}, expected one of "
                                    f"{', '.join(self.inputs)}{nearest(name, self.inputs)}")
        return [self.inputs.index(name) for name in inputs]

    def deviation(self, data: Data) -> Array:
        """x of a state near the node: the way of its coordinates from q, and its momenta less p,
        (nx,); a regulator's u is -K @ L.deviation(d)."""
        if not isinstance(data, State):
            raise ArgumentError(f"data is {data!r}, expected a Data, such as Sim.data")
        if data.model is not self.model:
            raise ArgumentError("data is of another model")
        data.kinematics()
        nv = self.model.nv
        x, p = np.empty(nv + len(self.p)), np.empty(nv)
        q = np.ascontiguousarray(data.q)
        lib.cardan_q_difference(self.model._c, self._c.q, ffi.from_buffer("double[]", q),
                                ffi.from_buffer("double[]", x, require_writable=True))
        lib.cardan_momenta(self.model._c, data._c,
                           ffi.from_buffer("double[]", p, require_writable=True))
        x[nv:] = p[self.dof] - self.p
        return x

    def __repr__(self) -> str:
        return (f"<cardan.Linearization at t = {self.t:g} s: {len(self.states)} states, "
                f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>")


def _names(c: Any, name: Any, count: int) -> List[str]:
    room = ffi.new("char[]", 256)
    found = []
    for k in range(count):
        name(c, k, room, 256)
        found.append(text(room))
    return found


class Regulator(NamedTuple):
    """What lqr(.., full=True) returns.

    K         (m, nx): u = -K x
    P         (nx, nx): x^T P x is the cost to come
    radius    largest |eigenvalue| of A - B K, below 1
    residual  of Riccati's equation, relative
    """

    K: Array
    P: Array
    radius: float
    residual: float


System = Union[Linearization, Tuple[ArrayLike, ArrayLike]]


@overload
def lqr(system: System, Q: ArrayLike, R: ArrayLike, *, inputs: Optional[Sequence[str]] = None,
        full: Literal[False] = False) -> Array: ...


@overload
def lqr(system: System, Q: ArrayLike, R: ArrayLike, *, inputs: Optional[Sequence[str]] = None,
        full: Literal[True]) -> Regulator: ...


def lqr(system: System, Q: ArrayLike, R: ArrayLike, *, inputs: Optional[Sequence[str]] = None,
        full: bool = False) -> Union[Array, Regulator]:
    """The gain K, (m, nx), of u = -K x that has the least sum of x^T Q x + u^T R u over all steps.

    system  what Sim.linearize() returned; or (A, B)
    Q, R    weights: matrices, their diagonals, or one number for all; Q not negative, R positive
    inputs  names of the m inputs that are used, such as "u.elbow" or "input.push". Default: the
            model's inputs, or where it has none the forces on all velocities
    full    a Regulator: K, P, radius, residual

    Raises ArgumentError where no gain makes the system stable, and says which motion stays.
    """
    A, B, names = _system(system, inputs)
    cost, effort = _weight("Q", Q, len(A), False), _weight("R", R, B.shape[1], True)
    P = _doubled(A, B, cost, effort)
    if P is None:
        raise _no_gain(A, B, cost, names)
    P, K, residual = _polished(A, B, cost, effort, P)
    radius = _radius(A - B @ K)
    if not (radius < 1 and residual <= 1e-9):
        raise _no_gain(A, B, cost, names)
    return Regulator(K, P, radius, residual) if full else K


def _system(system: System, inputs: Optional[Sequence[str]]) -> Tuple[Array, Array, List[str]]:
    """A, B and the names of states."""
    if isinstance(system, Linearization):
        if inputs is None:
            own = [name for name in system.inputs if name.startswith("input.")]
            inputs = own or [name for name in system.inputs if name.startswith("u.")]
        return system.A, system.B[:, system.columns(inputs)], system.states
    if inputs is not None:
        raise ArgumentError("inputs are names, which A and B do not have: give the columns of B")
    try:
        first, second = system
    except (TypeError, ValueError):
        raise ArgumentError("system is neither a Linearization nor A and B") from None
    A, B = plain_array("A", first), plain_array("B", second)
    for name, matrix in (("A", A), ("B", B)):
        if matrix.dtype.kind not in "fiu" or matrix.ndim != 2 or not np.all(np.isfinite(matrix)):
            raise ArgumentError(f"{name} is not a matrix of finite numbers")
    if A.shape[0] != A.shape[1] or B.shape[0] != len(A):
        raise ArgumentError(f"A has the shape {A.shape} and B {B.shape}, expected (n, n), (n, m)")
    return A.astype(float), B.astype(float), [f"x[{k}]" for k in range(len(A))]


def _weight(name: str, given: ArrayLike, n: int, positive: bool) -> Array:
    """A symmetric (n, n) weight that is positive, or not negative."""
    array = plain_array(name, given)
    if array.dtype.kind not in "fiu" or not np.all(np.isfinite(array)):
        raise ArgumentError(f"{name} is not an array of finite numbers")
    if array.shape not in ((), (n,), (n, n)):
        raise ArgumentError(f"{name} has the shape {array.shape}, expected {(n, n)}, {(n,)} or one "
                            "number")
    full = array.astype(float) if array.ndim == 2 else np.diag(np.broadcast_to(array, n) + 0.0)
    if not np.array_equal(full, full.T):
        raise ArgumentError(f"{name} is not symmetric")
    least = float(np.linalg.eigvalsh(full)[0]) if n else 1.0
    if least <= 0 if positive else least < -n * EPS * float(np.abs(full).max(initial=0)):
        raise ArgumentError(f"{name} has the eigenvalue {least:g}, expected "
                            f"{'positive ones' if positive else 'none that is negative'}")
    return full


def _doubled(A: Array, B: Array, Q: Array, R: Array) -> Optional[Array]:
    """P of P = Q + A^T P (I + G P)^-1 A, G = B R^-1 B^T, by doubling: after k passes H is the cost
    of 2^k steps, A their map, G what inputs reach in them. None: it has no limit.

        A <- A W A,  G <- G + A W G A^T,  H <- H + A^T H W A,   W = (I + G H)^-1
    """
    eye = np.eye(len(A))
    G, H = B @ np.linalg.solve(R, B.T), Q.copy()
    for _ in range(64):
        try:
            W = np.linalg.solve(eye + G @ H, np.hstack([A, G]))
        except np.linalg.LinAlgError:
            return None
        WA, WG = W[:, :len(A)], W[:, len(A):]
        with np.errstate(over="ignore", invalid="ignore"):
            step = _even(A.T @ H @ WA)
            G, H, A = _even(G + A @ WG @ A.T), H + step, A @ WA
        sizes = [float(np.linalg.norm(matrix)) for matrix in (H, G, A)]
        if not max(sizes) < 1e100:  # or NaN
            return None
        if np.linalg.norm(step) <= EPS * sizes[0]:
            return H
    return None


def _even(matrix: Array) -> Array:
    """Its symmetric part."""
    return (matrix + matrix.T) / 2


def _gain(A: Array, B: Array, R: Array, P: Array) -> Array:
    """(R + B^T P B)^-1 B^T P A"""
    return np.asarray(np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A))


def _residual(A: Array, B: Array, Q: Array, R: Array, P: Array, K: Array) -> float:
    """Of P = Q + K^T R K + (A - B K)^T P (A - B K), over the size of its terms."""
    closed = A - B @ K
    terms = [Q, K.T @ R @ K, closed.T @ P @ closed, -P]
    size = sum(float(np.linalg.norm(term)) for term in terms)
    return float(np.linalg.norm(np.sum(terms, axis=0)) / size) if size > 0 else 0.0


def _polished(A: Array, B: Array, Q: Array, R: Array, P: Array) -> Tuple[Array, Array, float]:
    """P, K and the residual after Newton's steps, which are taken while they help: each is the cost
    of the gain before, summed by doubling."""
    K = _gain(A, B, R, P)
    residual = _residual(A, B, Q, R, P, K)
    for _ in range(3):
        closed, cost = A - B @ K, _even(Q + K.T @ R @ K)
        if not _radius(closed) < 1:
            break
        for _ in range(64):
            step = closed.T @ cost @ closed
            cost, closed = _even(cost + step), closed @ closed
            if np.linalg.norm(step) <= EPS * np.linalg.norm(cost):
                break
        gain = _gain(A, B, R, cost)
        found = _residual(A, B, Q, R, cost, gain)
        if not found < residual:
            break
        P, K, residual = cost, gain, found
    return P, K, residual


def _radius(A: Array) -> float:
    return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))


def _no_gain(A: Array, B: Array, Q: Array, names: List[str]) -> Exception:
    """Why there is no gain: a motion that does not die out and that the inputs do not reach, or one
    on the stability limit that Q does not see (Popov, Belevitch, Hautus)."""
    values, vectors = np.linalg.eig(A.T)  # left eigenvectors: what an input must push
    scale = float(np.linalg.norm(B))
    for value, left in zip(values, vectors.T):
        if abs(value) > 1 - 1e-9 and np.linalg.norm(left @ B) <= 1e-9 * scale:
            return ArgumentError(
                f"the inputs cannot make the system stable: they do not reach the motion of "
                f"eigenvalue {abs(value):.6g} in {_most(left, names)}")
    values, vectors = np.linalg.eig(A)
    weight = float(np.linalg.norm(Q))
    for value, right in zip(values, vectors.T):
        if abs(abs(value) - 1) < 1e-9 and np.linalg.norm(Q @ right) <= 1e-9 * weight:
            return ArgumentError(
                f"Q does not weigh the motion of eigenvalue {abs(value):.6g} in "
                f"{_most(right, names)}, which then stays as it is")
    return NotConverged("Riccati's equation was not solved: the inputs hardly reach a motion that "
                        "does not die out, or the weights are of too different sizes")


def _most(vector: NDArray[np.complex128], names: List[str]) -> str:
    """The states that have most of a vector."""
    share = np.abs(vector) / np.abs(vector).max()
    return ", ".join(names[k] for k in np.argsort(-share)[:3] if share[k] > 0.3)
