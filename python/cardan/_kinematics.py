# SPDX-License-Identifier: Apache-2.0
"""Where a state puts the frames, and how they move."""
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, text
from cardan._state import State, axes_of
from cardan._views import Array, alone, given, out as _out

if TYPE_CHECKING:
    from cardan._model import Name


class Gap(NamedTuple):
    """How far solids are apart [m]; below 0: how far one must be moved to come free. a, b: points
    on the first and on the second, (3,) in the world."""

    gap: float
    a: Array
    b: Array


class InverseKinematics(NamedTuple):
    """Result of inverse_kinematics(): misses of the goals [m, rad], violation of the constraints, and
    how many coordinates are at an end of their limit."""

    iterations: int
    place: float
    turn: float
    violation: float
    limited: int


class Kinematics(State):
    """Poses, twists, accelerations and Jacobians of frames.

    Six numbers of a motion are angular then linear. axes says in which axes and of which point:
    "local", the frame's own axes at its own origin; "world", the world's axes at the world's
    origin; "aligned", the world's axes at the frame's own origin. reference: another frame, in
    place of the world, from which the frame is seen.
    """

    __slots__ = ()

    @alone
    def kinematics(self) -> None:
        """Makes positions and velocities of bodies now; other calls do it where it is due."""
        self._fresh()

    @alone
    def pose(self, frame: Name, reference: Name = 0, out: Optional[Array] = None) -> Array:
        """Pose of a frame, T = [R p; 0 1]: (4, 4). T @ (x, y, z, 1) are the world's coordinates of
        a point given in the frame's, R = T[:3, :3], p = T[:3, 3] [m]."""
        model = self._model
        at, seen_from = model._at("frame", frame), model._at("frame", reference)
        pointer, array = _out("out", out, 4, 4)
        self._fresh()
        lib.cardan_py_pose(self._m, self._c, seen_from, at, pointer)
        return array

    @alone
    def twist(self, frame: Name, axes: str = "aligned", reference: Name = 0,
              out: Optional[Array] = None) -> Array:
        """Angular velocity [rad/s] and velocity [m/s] of a frame: (6,)."""
        model = self._model
        at, seen_from = model._at("frame", frame), model._at("frame", reference)
        kind = axes_of(axes)
        pointer, array = _out("out", out, 6)
        self._fresh()
        lib.cardan_py_twist(self._m, self._c, seen_from, at, kind, pointer)
        return array

    @alone
    def acceleration(self, frame: Name, axes: str = "aligned",
                     out: Optional[Array] = None) -> Array:
        """Rates of the six numbers of twist() at the accelerations d.a, J a + Jdot v: (6,).
        Aligned: angular acceleration [rad/s^2], and that of the frame's origin [m/s^2]; gravity is
        not in it."""
        at, kind = self._model._at("frame", frame), axes_of(axes)
        pointer, array = _out("out", out, 6)
        self._fresh()
        lib.cardan_py_acceleration(self._m, self._c, at, kind, pointer)
        return array

    @alone
    def bias_acceleration(self, frame: Name, axes: str = "aligned",
                          out: Optional[Array] = None) -> Array:
        """What of acceleration() the velocities alone make, Jdot v: (6,)."""
        at, kind = self._model._at("frame", frame), axes_of(axes)
        pointer, array = _out("out", out, 6)
        self._fresh()
        lib.cardan_py_bias(self._m, self._c, at, kind, pointer)
        return array

    @alone
    def jacobian(self, frame: Name, axes: str = "aligned", reference: Name = 0,
                 out: Optional[Array] = None) -> Array:
        """J with J @ v = twist(frame, axes, reference): (6, nv)."""
        model = self._model
        at, seen_from = model._at("frame", frame), model._at("frame", reference)
        kind = axes_of(axes)
        pointer, array = _out("out", out, 6, model.nv)
        self._fresh()
        if seen_from == 0:
            lib.cardan_frame_jacobian(self._m, self._c, at, kind, pointer)
        else:
            lib.cardan_relative_jacobian(self._m, self._c, seen_from, at, kind, pointer)
        return array

    @alone
    def jacobian_rate(self, frame: Name, axes: str = "aligned",
                      out: Optional[Array] = None) -> Array:
        """Jdot along the motion: (6, nv)."""
        at, kind = self._model._at("frame", frame), axes_of(axes)
        pointer, array = _out("out", out, 6, self._model.nv)
        self._fresh()
        lib.cardan_frame_jacobian_rate(self._m, self._c, at, kind, pointer)
        return array

    @alone
    def com(self, body: Name = 0) -> Array:
        """Centre of mass of a body with everything below it, of all by default: (3,) [m], world."""
        return self._com(body)[0]

    @alone
    def com_velocity(self, body: Name = 0) -> Array:
        """Velocity of com(body): (3,) [m/s], world."""
        return self._com(body)[1]

    def _com(self, body: Name) -> Tuple[Array, Array]:
        at = self._model._at("body", body)
        self._fresh()
        velocity = ffi.new("cardan_vec3 *")
        centre = lib.cardan_com(self._m, self._c, at, velocity)
        if np.isnan(centre.x):
            raise ArgumentError(f"body {self._model.body_names[at]!r} and what it carries have no "
                                "mass")
        return (np.array([centre.x, centre.y, centre.z]),
                np.array([velocity.x, velocity.y, velocity.z]))

    @alone
    def com_jacobian(self, body: Name = 0, out: Optional[Array] = None) -> Array:
        """J with J @ v = com_velocity(body): (3, nv)."""
        at = self._model._at("body", body)
        pointer, array = _out("out", out, 3, self._model.nv)
        self._fresh()
        lib.cardan_com_jacobian(self._m, self._c, at, pointer)
        return array

    @alone
    def inverse_kinematics(self, goals: Mapping[Name, ArrayLike]) -> InverseKinematics:
        """Inverse kinematics: moves q to the configuration near it that has frames where they are
        to be, with loops closed and limits kept.

        goals  by frame: its pose (4, 4), its place alone (3,), or its turn alone (3, 3)

        Raises NotConverged where it cannot, and q is then as near as it came."""
        if not isinstance(goals, Mapping):
            raise ArgumentError(f"goals is {goals!r}, expected a mapping of frames to poses")
        array = ffi.new("cardan_goal[]", len(goals))
        for entry, (frame, goal) in zip(array, goals.items()):
            entry.frame = self._model._at("frame", frame)
            _set_goal(entry, f"goals[{frame!r}]", goal)
        self._may_write()
        self._fresh()
        result, report = ffi.new("cardan_inverse_kinematics_result *"), ffi.new("cardan_report *")
        self._stale()
        check(lib.cardan_inverse_kinematics(self._m, self._c, array, len(goals), result, report),
              report)
        return InverseKinematics(result.iterations, result.place, result.turn, result.violation,
                                 result.limited)

    @alone
    def distance(self, first: Name, second: Name) -> Gap:
        """Between the solids of two frames, those of nameless frames below them included: the
        smallest where there are several, infinite where one has none."""
        model = self._model
        a, b = ffi.new("cardan_vec3 *"), ffi.new("cardan_vec3 *")
        found = Gap(np.inf, np.full(3, np.nan), np.full(3, np.nan))
        frames = [model._solid_frames(model._at("frame", name)) for name in (first, second)]
        self._fresh()
        for one, other in itertools.product(*frames):
            gap = float(lib.cardan_distance(self._m, self._c, one, other, a, b))
            if gap < found.gap:
                found = Gap(gap, np.array([a.x, a.y, a.z]), np.array([b.x, b.y, b.z]))
        return found

    @alone
    def smallest_gap(self) -> Tuple[float, Optional[Tuple[str, str]]]:
        """The smallest gap of all pairs that the model has contacts for [m], and the names of the
        two solids; infinite and None where there is none."""
        pair = ffi.new("int *")
        self._fresh()
        gap = float(lib.cardan_smallest_gap(self._m, self._c, pair))
        if pair[0] < 0:
            return gap, None
        one, other = (text(self._m.solid[k].name) for k in self._m.pair[pair[0]].solid)
        return gap, (one, other)


def _set_goal(entry: Any, name: str, goal: ArrayLike) -> None:
    """A cardan_goal of what the caller gave for a frame."""
    shape = np.shape(goal) if not isinstance(goal, str) else ()
    if shape not in ((4, 4), (3,), (3, 3)):
        raise ArgumentError(f"{name} has the shape {shape}, expected a pose (4, 4), a place (3,) "
                            "or a turn (3, 3)")
    array = given(name, goal, *shape)[1]
    entry.place, entry.turn = shape != (3, 3), shape != (3,)
    turn = np.eye(3) if shape == (3,) else array[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-6 or np.linalg.det(turn) < 0:
        raise ArgumentError(f"{name} is no turn: its axes are not unit, at right angles and "
                            "right-handed")
    if shape == (4, 4) and not np.array_equal(array[3], (0, 0, 0, 1)):
        raise ArgumentError(f"{name} is no pose: its last row is not 0 0 0 1")
    entry.pose.R.m = turn.tolist()
    place = array if shape == (3,) else array[:3, 3] if shape == (4, 4) else np.zeros(3)
    entry.pose.p.x, entry.pose.p.y, entry.pose.p.z = place
