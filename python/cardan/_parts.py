# SPDX-License-Identifier: Apache-2.0
"""Joints, frames and bodies of a model, as plain values."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from cardan._cardan import ffi
from cardan._views import Array

if TYPE_CHECKING:
    from cardan._model import Model

_KIND = ffi.typeof("cardan_joint_kind").elements  # number -> "CARDAN_JOINT_REVOLUTE"


@dataclass(frozen=True)
class Joint:
    """A joint as the file has it.

    type       "revolute", "prismatic", "helical", "cylindrical", "universal", "planar",
               "spherical", "free", "fixed"
    q, v       its coordinates and velocities, as slices of q and v
    limit      of its coordinate, (lo, hi) [rad | m]; None: there is none
    axis, axis2  (3,), unit, in the frame that it is placed at
    pitch      helical [m/rad]
    effort     most that its drive gives [N m | N]; None: not said
    restitution  of an impact on a limit, 0 .. 1
    kinematic  its motion is prescribed, not solved for
    driven     it has a motion, prescribed or as a constraint
    frame      name of the frame that it carries
    """

    name: str
    index: int
    type: str
    q: slice
    v: slice
    limit: Optional[Tuple[float, float]]
    axis: Array
    axis2: Array
    pitch: float
    effort: Optional[float]
    restitution: float
    kinematic: bool
    driven: bool
    frame: str


@dataclass(frozen=True)
class Frame:
    """A frame of the file.

    parent  name of the frame that it is placed in; None: it is the world
    body    name of the body that it is fixed to
    mass    fixed to it [kg]; 0: none
    color   "rrggbb"; None: not given
    """

    name: str
    index: int
    parent: Optional[str]
    body: str
    mass: float
    color: Optional[str]


@dataclass(frozen=True)
class Body:
    """A rigid body: the frames between two joints.

    parent   name of the parent body; None: it is the world
    joint    name of the joint that carries it; None: it is the world
    frame    name of the frame that its joint carries, in which com and inertia are; None: it is
             one of the massless bodies within a joint of several coordinates
    mass     [kg]
    com      (3,) centre of mass [m]; 0 without mass
    inertia  (3, 3) about the centre of mass, in the frame's axes [kg m^2]
    """

    name: str
    index: int
    parent: Optional[str]
    joint: Optional[str]
    frame: Optional[str]
    mass: float
    com: Array
    inertia: Array


def joint_of(model: Model, index: int) -> Joint:
    """A joint by its number."""
    c = model._c.joint[index]
    return Joint(
        name=model.joint_names[index], index=index,
        type=_KIND[int(c.kind)].rpartition("_")[2].lower(),
        q=slice(c.qadr, c.qadr + c.nq), v=slice(c.vadr, c.vadr + c.nv),
        limit=(float(c.limit[0]), float(c.limit[1])) if c.has_limit else None,
        axis=_vector(c.axis), axis2=_vector(c.axis2), pitch=float(c.pitch),
        effort=float(c.effort) or None, restitution=float(c.restitution),
        kinematic=bool(c.kinematic), driven=bool(c.driven), frame=model.frame_names[c.frame])


def frame_of(model: Model, index: int) -> Frame:
    """A frame by its number."""
    c = model._c.frame[index]
    return Frame(
        name=model.frame_names[index], index=index,
        parent=model.frame_names[c.parent] if index > 0 else None,
        body=model.body_names[c.body], mass=float(c.mass.m) if c.has_mass else 0.0,
        color=ffi.string(c.color).decode() if c.color != ffi.NULL else None)


def body_of(model: Model, index: int) -> Body:
    """A body by its number."""
    c = model._c.body[index]
    frame = _carried(model, index)
    com, inertia = _centred(c.inertia)
    if frame is not None:
        place = model._c.frame[frame].X_BF
        turn = np.array([list(row) for row in place.R.m])
        com = turn.T @ (com - _vector(place.p)) if c.inertia.m > 0 else com
        inertia = turn.T @ inertia @ turn
    return Body(
        name=model.body_names[index], index=index,
        parent=model.body_names[c.parent] if index > 0 else None,
        joint=model.joint_names[c.joint] if index > 0 else None,
        frame=None if frame is None else model.frame_names[frame],
        mass=float(c.inertia.m), com=com, inertia=inertia)


def _carried(model: Model, body: int) -> Optional[int]:
    """The frame that a body's joint carries; of the world the world."""
    if body == 0:
        return 0
    joint = model._c.joint[model._c.body[body].joint]
    return int(joint.frame) if joint.last == body else None


def _centred(inertia: Any) -> Tuple[Array, Array]:
    """Centre of mass, and the tensor about it, of a cardan_inertia."""
    i = inertia
    about_origin = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]])
    if not i.m > 0:
        return np.zeros(3), about_origin
    com = _vector(i.h) / i.m
    return com, about_origin - i.m * (com @ com * np.eye(3) - np.outer(com, com))


def _vector(v: Any) -> Array:
    return np.array([v.x, v.y, v.z])
