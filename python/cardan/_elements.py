# SPDX-License-Identifier: Apache-2.0
"""Constraints, bounds, potentials, forces and motions of a Spec: one short method for each kind of
cardan/elements.h, which says what its arguments are; Elements._element does the rest."""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import Expr, chars, expression, flag, maybe_chars, number, numbers, word
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError

JOINTS = {kind: getattr(lib, f"CARDAN_JOINT_{kind.upper()}") for kind in (
    "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical",
    "free")}


class SpecFrame:
    """A frame of a Spec, as its calls return it: stands for the frame, or for the joint that
    carries it, wherever a name may."""

    __slots__ = ("spec", "index")

    def __init__(self, spec: Elements, index: int) -> None:
        self.spec, self.index = spec, index

    def __repr__(self) -> str:
        return f"<frame {self.index} of {self.spec!r}>"


FrameLike = Union[SpecFrame, str]


def joint_def(kind: str, axis: Optional[ArrayLike], axis2: Optional[ArrayLike],
              pitch: float) -> Any:
    """A cardan_joint_def *, without a name."""
    made = ffi.new("cardan_joint_def *")
    made.kind = word("kind", kind, JOINTS)
    for name, given in (("axis", axis), ("axis2", axis2)):
        if given is not None:
            xyz = numbers(name, given, 3)
            if not any(xyz):
                raise ArgumentError(f"{name} is 0 0 0, expected a direction")
            setattr(made, name, xyz)
    made.pitch = number("pitch", pitch)
    return made


class Elements:
    """The part of a Spec that adds elements.

    A frame is what the spec's calls returned, or its name; so is a coordinate or joint, which may
    also be one of several: "ball.wx". Names may be of things that come later. An expression is a
    number or a text such as "(* 2 (sin t))", see docs/format.md. name is optional.
    """

    def _do(self, call: Callable[[Any], Any], *keep: object) -> Any:
        raise NotImplementedError

    def _ends(self, what: str, given: Optional[FrameLike], keep: List[Any]) -> Tuple[Any, int]:
        """A frame or the joint that carries it: name or NULL, and index or 0."""
        if given is None:
            return ffi.NULL, 0
        if isinstance(given, SpecFrame):
            if given.spec is not self:
                raise ArgumentError(f"{what} is a frame of another Spec")
            if given.index > 0:
                return ffi.NULL, given.index
            given = "world"
        keep.append(chars(what, given))
        return keep[-1], 0

    def _element(self, kind: str, name: Optional[str], *, frames: Sequence[Any] = (),
                 var: Sequence[Any] = (), values: Sequence[float] = (), expr: Sequence[Expr] = (),
                 n: Optional[ArrayLike] = None, in_world: bool = False, joint: Any = None) -> None:
        """Adds a cardan_element. frames, var, values, expr: its fields, from the first on."""
        keep: List[Any] = [maybe_chars("name", name)]
        made = ffi.new("cardan_element *", {
            "kind": getattr(lib, f"CARDAN_ELEMENT_{kind.upper()}"), "name": keep[0]})
        for k, frame in enumerate(frames):
            made.frame[k], made.frame_at[k] = self._ends(f"frame {'ABC'[k]}", frame, keep)
        for k, each in enumerate(var):
            made.var[k], made.var_at[k] = self._ends("the coordinate", each, keep)
        for k, value in enumerate(values):
            made.value[k] = number(f"a number of {kind}", value)
        for k, each in enumerate(expr):
            keep.append(chars("expression", expression("expression", each)))
            made.expr[k] = keep[-1]
        if n is not None:
            made.n = numbers("n", n, 3)
        made.in_world = in_world
        if joint is not None:
            made.joint = joint[0]
        self._do(lambda c: lib.cardan_spec_add(c, made), keep)

    # ---- constraints ----

    def point(self, a: FrameLike, b: FrameLike, n: ArrayLike, *, within: Optional[FrameLike] = None,
              name: Optional[str] = None) -> None:
        """n . (p_A - p_B) = 0 for two origins; n: (3,), fixed in the world or the frame within."""
        self._element("point", name, frames=(a, b, within), n=n)

    def coincide(self, a: FrameLike, b: FrameLike, *, name: Optional[str] = None) -> None:
        """Two origins are at one place."""
        self._element("coincide", name, frames=(a, b))

    def wire(self, a: FrameLike, b: FrameLike, length: Expr, *, name: Optional[str] = None) -> None:
        """Two origins keep their distance [m], an expression in t."""
        self._element("wire", name, frames=(a, b), expr=(length,))

    def screw(self, theta: FrameLike, d: FrameLike, pitch: float, *,
              name: Optional[str] = None) -> None:
        """pitch * q_theta - q_d = 0 [m/rad]."""
        self._element("screw", name, var=(theta, d), values=(pitch,))

    def gear(self, a: FrameLike, b: FrameLike, ratio: float, *, name: Optional[str] = None) -> None:
        """q_b = ratio * q_a, and what the start leaves."""
        self._element("gear", name, var=(a, b), values=(ratio,))

    def equation(self, expr: Expr, *, name: Optional[str] = None) -> None:
        """An expression of coordinates, frames and t is 0."""
        self._element("equation", name, expr=(expr,))

    def close(self, kind: str, a: FrameLike, b: FrameLike, *, axis: Optional[ArrayLike] = None,
              axis2: Optional[ArrayLike] = None, pitch: float = 0,
              name: Optional[str] = None) -> None:
        """A joint between two frames of the tree, which closes a loop: kind and options as of
        Spec.joint; axes in frame A."""
        self._element("close", name, frames=(a, b), joint=joint_def(kind, axis, axis2, pitch))

    def weld(self, a: FrameLike, b: FrameLike, *, name: Optional[str] = None) -> None:
        """Two frames are one."""
        self._element("weld", name, frames=(a, b))

    def roll(self, a: FrameLike, b: FrameLike, *, disc: float = 0, ball: float = 0,
             axis: Optional[ArrayLike] = None, flat: bool = False, grip: float = 0,
             name: Optional[str] = None) -> None:
        """A disc of this radius [m] about z of a, or about axis, or a ball, rolls without slip on
        the plane z = 0 of b; flat: without a height, for models in the plane."""
        self._element("roll", name, frames=(a, b), n=_direction("axis", axis),
                      values=(disc, ball, grip, float(flag("flat", flat))))

    def skate(self, a: FrameLike, b: FrameLike, *, edge: Optional[ArrayLike] = None,
              name: Optional[str] = None) -> None:
        """The origin of a does not move across its x axis, or across edge, in the plane of b."""
        self._element("skate", name, frames=(a, b), n=_direction("edge", edge))

    def velocity(self, expr: Expr, *, name: Optional[str] = None) -> None:
        """An expression that is linear in velocities is 0."""
        self._element("velocity", name, expr=(expr,))

    def motion(self, q: FrameLike, expr: Expr, *, name: Optional[str] = None) -> None:
        """q(t) = an expression in t [rad or m]: prescribes a kinematic variable, drives others."""
        self._element("motion", name, var=(q,), expr=(expr,))

    # ---- what must not be passed ----

    def stop(self, q: FrameLike, low: float, high: float, *, restitution: float = 0,
             name: Optional[str] = None) -> None:
        """low <= q <= high [rad or m]; restitution: 0 to 1, of an impact."""
        self._element("stop", name, var=(q,), values=(low, high, restitution))

    def rope(self, a: FrameLike, b: FrameLike, length: Expr, *, restitution: float = 0,
             name: Optional[str] = None) -> None:
        """Two origins are at most that far apart [m]; an expression in t."""
        self._element("rope", name, frames=(a, b), expr=(length,), values=(restitution,))

    def inequality(self, expr: Expr, *, restitution: float = 0, name: Optional[str] = None) -> None:
        """An expression of coordinates, frames and t stays at 0 or above [m or rad]."""
        self._element("inequality", name, expr=(expr,), values=(restitution,))

    # ---- potentials and forces ----

    def spring(self, a: FrameLike, b: FrameLike, stiffness: float, length: float = 0, *,
               name: Optional[str] = None) -> None:
        """Between two origins: stiffness [N/m], rest length [m]."""
        self._element("spring", name, frames=(a, b), values=(stiffness, length))

    def joint_spring(self, q: FrameLike, stiffness: float, rest: float = 0, *,
                     name: Optional[str] = None) -> None:
        """On a coordinate: stiffness [N m/rad or N/m], rest position [rad or m]."""
        self._element("joint_spring", name, var=(q,), values=(stiffness, rest))

    def potential(self, expr: Expr, *, name: Optional[str] = None) -> None:
        """An energy [J] of coordinates and frames."""
        self._element("potential", name, expr=(expr,))

    def newton_gravity(self, a: FrameLike, b: FrameLike, constant: float = 6.6743e-11, *,
                       name: Optional[str] = None) -> None:
        """-G m_A m_B / |p_A - p_B| with the masses given at two frames."""
        self._element("newton_gravity", name, frames=(a, b), values=(constant,))

    def damping(self, coefficient: float, q: Optional[FrameLike] = None, *,
                name: Optional[str] = None) -> None:
        """Against one velocity, or all of them [N m s/rad or N s/m]."""
        self._element("damping", name, var=(q,), values=(coefficient,))

    def damper(self, a: FrameLike, b: FrameLike, coefficient: float, *,
               name: Optional[str] = None) -> None:
        """Between two origins [N s/m]."""
        self._element("damper", name, frames=(a, b), values=(coefficient,))

    def torque(self, q: FrameLike, expr: Expr, *, name: Optional[str] = None) -> None:
        """On a velocity: an expression of t, q, v, frames and inputs [N m or N]."""
        self._element("torque", name, var=(q,), expr=(expr,))

    def wrench(self, frame: FrameLike, force: Sequence[Expr] = (0, 0, 0),
               torque: Sequence[Expr] = (0, 0, 0), *, axes: str = "body",
               name: Optional[str] = None) -> None:
        """A force at a frame's origin [N] and a torque [N m], three expressions each, along the
        axes of the frame ("body") or of the "world"."""
        for what, given in (("force", force), ("torque", torque)):
            if not isinstance(given, (list, tuple, np.ndarray)) or len(given) != 3:
                raise ArgumentError(f"{what} is {given!r}, expected three expressions")
        self._element("wrench", name, frames=(frame,), expr=(*force, *torque),
                      in_world=word("axes", axes, {"body": False, "world": True}))

    def force(self, a: FrameLike, b: FrameLike, expr: Expr, *, name: Optional[str] = None) -> None:
        """Along the line between two origins: an expression as of a torque [N]; positive pushes
        apart."""
        self._element("force", name, frames=(a, b), expr=(expr,))

    def bushing(self, a: FrameLike, b: FrameLike, stiffness: Sequence[float],
                turning: Sequence[float] = (0, 0, 0), *, name: Optional[str] = None) -> None:
        """Holds frame b at frame a: three stiffnesses along a's axes [N/m], three against turns
        about them [N m/rad]."""
        self._element("bushing", name, frames=(a, b), values=(
            *numbers("stiffness", stiffness, 3), *numbers("turning", turning, 3)))

    def bushing_coupling(self, a: FrameLike, b: FrameLike, i: int, j: int, stiffness: float, *,
                         name: Optional[str] = None) -> None:
        """An entry of a bushing's 6 x 6 off its diagonal: directions 1 to 6 are x, y, z and turns
        about them."""
        self._element("bushing_coupling", name, frames=(a, b), values=(stiffness, i, j))

    def bushing_damper(self, a: FrameLike, b: FrameLike, coefficient: Sequence[float],
                       turning: Sequence[float] = (0, 0, 0), *,
                       name: Optional[str] = None) -> None:
        """As bushing, against velocities [N s/m, N m s/rad]."""
        self._element("bushing_damper", name, frames=(a, b), values=(
            *numbers("coefficient", coefficient, 3), *numbers("turning", turning, 3)))

    def tyre(self, wheel: FrameLike, ground: FrameLike, radius: float, *,
             linear: Optional[Tuple[float, float, float]] = None,
             magic: Optional[Tuple[float, float, float, float]] = None,
             vertical: Optional[Tuple[float, float]] = None, load: Optional[float] = None,
             axis: Optional[ArrayLike] = None, camber: float = 0,
             relaxation: Optional[float] = None, name: Optional[str] = None) -> None:
        """A tyre of this radius [m] about z of the wheel, or about axis (to the left of the way
        ahead), on the plane z = 0 of the ground. linear: Cx [N], Cy [N/rad], mu; or magic: B, C, D,
        E. vertical: k [N/m], c [N s/m]; or load [N]. camber: thrust [N/rad], with magic [1/rad];
        relaxation: a length [m]."""
        self._element("tyre", name, frames=(wheel, ground), n=_direction("axis", axis), values=(
            _above("radius", radius), *_some("linear", linear, 3), *_some("magic", magic, 4),
            number("camber", camber), _above("relaxation", relaxation),
            *_some("vertical", vertical, 2), _above("load", load)))

    def friction(self, joint: FrameLike, mu: float, *, radius: Optional[float] = None,
                 vs: Optional[float] = None, name: Optional[str] = None) -> None:
        """Coulomb's, from the joint's reaction. radius: its arm in rotation [m]; vs: speed below
        which it is smoothed [m/s or rad/s]."""
        self._element("friction", name, var=(joint,),
                      values=(mu, _above("radius", radius), _above("vs", vs)))

    def dry_friction(self, q: FrameLike, size: float, *, vs: Optional[float] = None,
                     name: Optional[str] = None) -> None:
        """A force of given size against one velocity [N m or N]; vs as of friction."""
        self._element("dry_friction", name, var=(q,), values=(size, _above("vs", vs)))

    def actuator(self, q: FrameLike, input: str, *, gear: Optional[float] = None,
                 servo: Optional[Tuple[float, float]] = None,
                 limit: Optional[Tuple[float, float]] = None, name: Optional[str] = None) -> None:
        """A motor that an input drives: gear * clamp(u, limit); with servo (kp, kd) it is
        gear * clamp(kp (u - gear q) - kd gear v, limit) [N m or N]. gear is 1 by default."""
        if gear is not None and number("gear", gear) == 0:
            raise ArgumentError("gear is 0, expected a number that is not")
        chars("input", input)
        self._element("actuator", name, var=(q, input),
                      values=(gear or 0.0, *_pair("servo", servo), *_pair("limit", limit)))

    def program(self, name: str) -> None:
        """Forces that a program computes in every evaluation (option force of a run)."""
        chars("name", name)
        self._element("program", name)


def _above(name: str, value: Optional[float]) -> float:
    """What is not said is 0 in C; said, it is more than that."""
    if value is None:
        return 0.0
    if not number(name, value) > 0:
        raise ArgumentError(f"{name} is {value!r}, expected more than 0")
    return number(name, value)


def _direction(name: str, value: Optional[ArrayLike]) -> Optional[Tuple[float, ...]]:
    """value as a direction that is not zero; None: none given."""
    if value is None:
        return None
    n = numbers(name, value, 3)
    if not any(n):
        raise ArgumentError(f"{name} is {n}, expected a direction that is not zero")
    return n


def _some(name: str, value: Optional[Sequence[float]], n: int) -> Tuple[float, ...]:
    """n numbers, which are all 0 in C where they are not said."""
    if value is None:
        return (0.0,) * n
    given = numbers(name, value, n)
    if not any(given):
        raise ArgumentError(f"{name} is {given}, expected numbers that are not all 0")
    return tuple(given)


def _pair(name: str, value: Optional[Tuple[float, float]]) -> Tuple[float, ...]:
    """Two numbers, which are both 0 in C where they are not said."""
    if value is None:
        return (0.0, 0.0)
    pair = numbers(name, value, 2)
    if not any(pair):
        raise ArgumentError(f"{name} is 0 0, expected two numbers that are not both 0")
    return pair
