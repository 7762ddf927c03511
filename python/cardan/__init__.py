# SPDX-License-Identifier: Apache-2.0
"""Multibody dynamics: robots and mechanisms whose motion stays true over long times.

    import cardan
    m = cardan.load("pendulum:5")
    s = m.sim(method="vi", dt=1e-3)
    s.step(1000)
    print(s.t, s.q)
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from cardan._cardan import lib as _lib
from cardan._data import Data
from cardan._dynamics import Energy
from cardan._elements import SpecFrame
from cardan._error import (
    ArgumentError, AssemblyError, Busy, Error, FileError, Jump, ModelError, ModelSyntaxError,
    ModelWarning, NoInertia, NoRoot, NotConverged, NotFinite, OutOfMemory, Singular, StepTooSmall,
    Stopped, Unsupported, text as _text)
from cardan._kinematics import Gap, Reached
from cardan._linear import Linearization, Regulator, lqr
from cardan._load import builtins, load, loads
from cardan._loops import Assembly, Constraints
from cardan._model import Model
from cardan._parts import Body, Frame, Joint
from cardan._rollout import Rollout, rollout
from cardan._sim import Sim
from cardan._spec import Spec, formats

if _TYPE_CHECKING:
    from cardan.env import Env, VectorEnv
else:
    def __getattr__(name: str) -> object:
        """Env and VectorEnv when they are asked for: they look for gymnasium, which takes long."""
        if name not in ("Env", "VectorEnv"):
            raise AttributeError(f"module 'cardan' has no attribute {name!r}")
        from cardan import env
        return getattr(env, name)

__version__ = _text(_lib.cardan_version())

__all__ = [
    "ArgumentError", "Assembly", "AssemblyError", "Body", "Busy", "Constraints", "Data", "Energy",
    "Env", "Error", "FileError", "Frame", "Gap", "Joint", "Jump", "Linearization", "Model",
    "ModelError", "ModelSyntaxError", "ModelWarning", "NoInertia", "NoRoot", "NotConverged",
    "NotFinite", "OutOfMemory", "Reached", "Regulator", "Rollout", "Sim", "Singular", "Spec",
    "SpecFrame", "StepTooSmall", "Stopped", "Unsupported", "VectorEnv", "builtins", "formats",
    "load", "loads", "lqr", "rollout"]
