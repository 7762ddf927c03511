# SPDX-License-Identifier: Apache-2.0
"""Forces and accelerations of a state, and their derivatives.

    M(q) a + c(q, v) = tau + sum J_i^T f_i + G^T lambda,   G a = gamma
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import number
from cardan._cardan import ffi, lib
from cardan._error import NotFinite, Unsupported, check
from cardan._state import State, axes_of
from cardan._views import Array, alone, given, out as _out, writable

if TYPE_CHECKING:
    from cardan._model import Name

DOUBLE = np.dtype(np.float64)


class Energy(NamedTuple):
    """Of the bodies that move [J]; potential: in gravity and in springs."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """The sum of both."""
        return self.kinetic + self.potential


class Dynamics(State):
    """Inverse and forward dynamics, the terms of the equation of motion, momentum, derivatives."""

    __slots__ = ()

    # ---- the equation

    @alone
    def inverse(self, a: Optional[ArrayLike] = None, out: Optional[Array] = None, *,
                forces: bool = False) -> Array:
        """Joint forces that make the accelerations a, M a + c: (nv,) [N m, N]. Of the tree: loops
        are inverse_loops()'s.

        a       (nv,); None: 0
        forces  subtract what the model's own springs, dampers, inputs, .. and tau_in, f_in give:
                a drive must supply the rest. Friction is not included"""
        if type(a) is np.ndarray and a.dtype is DOUBLE and a.shape == self._read.shape:
            self._read[:] = a
        else:
            self._read[:] = 0 if a is None else given("a", a, self._model.nv, finite=False)[1]
        if out is not None:
            writable("out", out, self._made.shape)
        self._follow()
        fault = lib.cardan_py_inverse(self._m, self._c, self._read_c, self._made_c)
        if fault >= 0:
            raise self._fault(fault)
        if forces:
            self._programmed()
            self._fresh()
            lib.cardan_py_inverse_forced(self._m, self._c, self._read_c, self._made_c)
        if out is None:
            return self._made.copy()
        out[:] = self._made
        return out

    @alone
    def forward(self, out: Optional[Array] = None, *, kq: float = 0.0, kv: float = 0.0) -> Array:
        """Accelerations of the whole model: its forces, tau_in, f_in, u, loops, friction, motions:
        (nv,) [rad/s^2, m/s^2]; they are in d.a too. Contacts and limits are not in it: they are a
        Sim's.

        kq, kv  Baumgarte's feedback on the constraints [1/s^2, 1/s]"""
        pointer, array = _out("out", out, self._model.nv)
        self._forward(number("kq", kq), number("kv", kv))
        array[:] = self._a
        return array

    def _forward(self, kq: float = 0.0, kv: float = 0.0) -> None:
        self._programmed()
        self._fresh()
        self._check(lib.cardan_forward(self._m, self._c, kq, kv))
        at = lib.cardan_py_not_finite(self._c.a, self._model.nv)
        if at >= 0:
            raise NotFinite(f"the acceleration of {self._model.v_names[at]!r} is not finite; look "
                            "at tau_in, f_in, u and the velocities")

    @alone
    def mass_matrix(self, out: Optional[Array] = None) -> Array:
        """M(q): (nv, nv)."""
        n = self._model.nv
        pointer, array = _out("out", out, n, n)
        self._fresh()
        lib.cardan_crba(self._m, self._c, pointer)
        return array

    @alone
    def mass_matrix_inverse(self, out: Optional[Array] = None) -> Array:
        """M(q)^-1: (nv, nv); rows and columns of prescribed coordinates are 0."""
        n = self._model.nv
        pointer, array = _out("out", out, n, n)
        self._fresh()
        self._check(lib.cardan_factor(self._m, self._c))
        lib.cardan_inertia_inverse(self._m, self._c, pointer)
        return array

    @alone
    def frame_inertia_inverse(self, frame: Name, axes: str = "aligned",
                              out: Optional[Array] = None) -> Array:
        """J M^-1 J^T of a frame: its acceleration under unit torques and forces at it, (6, 6),
        angular then linear; singular where it cannot move. Loops are not in it."""
        at, kind = self._model._at("frame", frame), axes_of(axes)
        pointer, array = _out("out", out, 6, 6)
        self._fresh()
        self._check(lib.cardan_factor(self._m, self._c))
        lib.cardan_frame_inertia_inverse(self._m, self._c, at, kind, pointer)
        return array

    @alone
    def coriolis(self, out: Optional[Array] = None) -> Array:
        """C(q, v): (nv, nv). C @ v are the velocity forces, and Mdot - 2 C is skew."""
        n = self._model.nv
        pointer, array = _out("out", out, n, n)
        self._fresh()
        lib.cardan_coriolis(self._m, self._c, pointer)
        return array

    @alone
    def bias(self, out: Optional[Array] = None) -> Array:
        """c(q, v) = C v + g: joint forces that balance the motion at a = 0, (nv,) [N m, N]."""
        pointer, array = _out("out", out, self._model.nv)
        self._fresh()
        lib.cardan_bias_torques(self._m, self._c, pointer)
        return array

    @alone
    def gravity_torques(self, out: Optional[Array] = None) -> Array:
        """g(q): joint forces that hold the tree at rest, (nv,) [N m, N]."""
        pointer, array = _out("out", out, self._model.nv)
        self._fresh()
        lib.cardan_gravity_torques(self._m, self._c, pointer)
        return array

    @alone
    def forces(self) -> Tuple[Array, Array]:
        """What the model's springs, dampers, inputs, .. do, friction left out: joint forces (nv,)
        [N m, N], and wrenches on bodies, torque and force in body coordinates, (nbody, 6)."""
        self._programmed()
        self._fresh()
        lib.cardan_forces(self._m, self._c)
        n = self._model.nbody
        wrenches = np.frombuffer(ffi.buffer(self._c.f_ext, 48 * n), np.float64).reshape(n, 6)
        return self._copied(self._c.tau, self._model.nv), wrenches.copy()

    @alone
    def regressor(self, a: Optional[ArrayLike] = None, out: Optional[Array] = None) -> Array:
        """Y with Y @ pi = inverse(a): (nv, 10 (nbody - 1)); pi are ten numbers of each body that
        moves: m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the body's own origin.
        Rotors are not in it."""
        nv = self._model.nv
        read, _keep = (ffi.NULL, None) if a is None else given("a", a, nv)
        pointer, array = _out("out", out, nv, 10 * (self._model.nbody - 1))
        self._fresh()
        lib.cardan_regressor(self._m, self._c, read, pointer)
        return array

    @alone
    def apply_force(self, frame: Name, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0),
                    point: ArrayLike = (0, 0, 0), axes: str = "aligned") -> None:
        """Adds a force [N] at a point [m] of a frame, and a torque [N m], to f_in, which forward()
        and steps take until clear_forces(). From then on it is fixed in the body.

        axes  of all three: "local" the frame's own, "world" the world's, "aligned" the world's axes
              from the frame's origin"""
        at, kind = self._model._at("frame", frame), axes_of(axes)
        f, t, p = (given(name, value, 3)[1].tolist() for name, value in (
            ("force", force), ("torque", torque), ("point", point)))
        self._fresh()
        lib.cardan_apply_force(self._m, self._c, at, p, {"t": t, "f": f}, kind)

    @alone
    def clear_forces(self) -> None:
        """f_in is 0 again."""
        lib.cardan_clear_forces(self._m, self._c)

    # ---- energy and momentum

    @alone
    def energy(self) -> Energy:
        """Kinetic energy of the bodies that move, and potential energy of gravity and springs [J].
        """
        self._fresh()
        return Energy(float(lib.cardan_kinetic(self._m, self._c)),
                      float(lib.cardan_potential(self._m, self._c)))

    @alone
    def momentum(self) -> Array:
        """Angular momentum about the world's origin [N m s], and linear [N s], world axes: (6,)."""
        self._fresh()
        return _six(lib.cardan_total_momentum(self._m, self._c))

    @alone
    def momenta(self, out: Optional[Array] = None) -> Array:
        """p = M v, one for each velocity: (nv,)."""
        pointer, array = _out("out", out, self._model.nv)
        self._fresh()
        lib.cardan_momenta(self._m, self._c, pointer)
        return array

    @alone
    def centroidal(self) -> Array:
        """Momentum about the centre of mass, angular then linear, world axes: (6,)."""
        self._fresh()
        return _six(lib.cardan_centroidal(self._m, self._c, ffi.NULL))

    @alone
    def centroidal_matrix(self, out: Optional[Array] = None) -> Array:
        """A with A @ v = centroidal(): (6, nv)."""
        pointer, array = _out("out", out, 6, self._model.nv)
        self._fresh()
        lib.cardan_centroidal(self._m, self._c, pointer)
        return array

    @alone
    def centroidal_rate(self) -> Array:
        """Rate of centroidal() at the accelerations d.a, what acts from outside: (6,) [N m, N]."""
        self._fresh()
        return _six(lib.cardan_centroidal_rate(self._m, self._c))

    # ---- derivatives

    @alone
    def inverse_slopes(self, a: Optional[ArrayLike] = None) -> Tuple[Array, Array, Array]:
        """Derivatives of inverse(a): by q, in directions as move() takes them, by v, and by a,
        which is M: (nv, nv) each."""
        n = self._model.nv
        read, _keep = (ffi.NULL, None) if a is None else given("a", a, n)
        found = [_out("out", None, n, n) for _ in range(3)]
        self._fresh()
        ffi.memmove(self._c.f_ext, bytes(48 * self._model.nbody), 48 * self._model.nbody)
        self._check(lib.cardan_inverse_slopes(self._m, self._c, read, *(p for p, _ in found)))
        return found[0][1], found[1][1], found[2][1]

    @alone
    def forward_slopes(self) -> Tuple[Array, Array, Array]:
        """Derivatives of forward(): by q, in directions as move() takes them, by v, and by joint
        forces: (nv, nv) each. Models with constraints, friction or a program are Unsupported."""
        n = self._model.nv
        found = [_out("out", None, n, n) for _ in range(3)]
        self._forward()
        self._check(lib.cardan_forward_slopes(self._m, self._c, *(p for p, _ in found)))
        return found[0][1], found[1][1], found[2][1]

    @alone
    def stiffness(self) -> Tuple[Array, Array]:
        """K and C of small motions about the state, M x'' + C x' + K x = 0: (nv, nv) each; of the
        tree, constraints add their own."""
        n = self._model.nv
        found = [_out("out", None, n, n) for _ in range(2)]
        self._fresh()
        self._check(lib.cardan_stiffness(self._m, self._c, *(p for p, _ in found)))
        return found[0][1], found[1][1]

    @alone
    def parameter_slopes(self, name: Name) -> Tuple[Array, Optional[Array]]:
        """Derivatives by a parameter at q, v, u: of the joint forces that the accelerations of
        forward() need (nv,), and of these accelerations (nv,); the latter None for models with
        constraints."""
        at, n = self._model._at("parameter", name), self._model.nv
        (r_dp, r), (a_dp, a) = _out("out", None, n), _out("out", None, n)
        has_rows = self._model.nrow > 0
        self._forward()
        report = ffi.new("cardan_report *")
        check(lib.cardan_parameter_slopes(self._m, self._c, at, r_dp,
                                          ffi.NULL if has_rows else a_dp, report), report)
        return r, None if has_rows else a

    # ---- outputs

    @alone
    def outputs(self, out: Optional[Array] = None) -> Array:
        """The model's outputs: (ny,), in the order of output_names; NaN where one is not defined.
        """
        pointer, array = _out("out", out, self._model.ny)
        self._programmed()
        self._fresh()
        self._check(lib.cardan_outputs(self._m, self._c))
        array[:] = self._copied(self._c.y, self._model.ny)
        return array

    def output(self, name: Name) -> float:
        """One of the model's outputs."""
        at = self._model._at("output", name)
        return float(self.outputs()[at])

    @alone
    def output_slopes(self, name: Name) -> Tuple[Array, Array]:
        """Exact derivatives of an output by q, in directions as move() takes them, and by v: (nv,)
        each. Unsupported for one that reads more than t, inputs, positions and velocities."""
        at, n = self._model._at("output", name), self._model.nv
        (y_dq, by_q), (y_dv, by_v) = _out("out", None, n), _out("out", None, n)
        self._fresh()
        if not lib.cardan_output_slopes(self._m, self._c, at, y_dq, y_dv):
            raise Unsupported(f"output {self._model.output_names[at]!r} reads more than t, inputs, "
                              "coordinates, positions and velocities")
        return by_q, by_v

    def _copied(self, pointer: object, n: int) -> Array:
        """A copy of n doubles of C's."""
        if n == 0:
            return np.empty(0)
        return np.frombuffer(ffi.buffer(pointer, 8 * n), np.float64).copy()


def _six(force: object) -> Array:
    """The six numbers of a cardan_force."""
    found = ffi.new("cardan_force *", force)
    return np.frombuffer(ffi.buffer(found), np.float64).copy()
