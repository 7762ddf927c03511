# SPDX-License-Identifier: Apache-2.0
"""Multibody dynamics: robots and mechanisms whose motion stays true over long times.

    import cardan
    m = cardan.load("pendulum:5")
    s = m.sim(method="vi", dt=1e-3)
    s.step(1000)
    print(s.t, s.q)
"""
from cardan._cardan import lib as _lib
from cardan._data import Data
from cardan._elements import SpecFrame
from cardan._error import (
    ArgumentError, AssemblyError, Error, FileError, Jump, ModelError, ModelSyntaxError, NoInertia,
    NoRoot, NotConverged, NotFinite, OutOfMemory, Singular, StepTooSmall, Stopped, Unsupported,
    text as _text)
from cardan._linear import Linearization, Regulator, lqr
from cardan._model import Model, load
from cardan._rollout import Rollout, rollout
from cardan._sim import Sim
from cardan._spec import Spec, formats

__version__ = _text(_lib.cardan_version())

__all__ = [
    "ArgumentError", "AssemblyError", "Data", "Error", "FileError", "Jump", "Linearization",
    "Model", "ModelError", "ModelSyntaxError", "NoInertia", "NoRoot", "NotConverged", "NotFinite",
    "OutOfMemory", "Regulator", "Rollout", "Sim", "Singular", "Spec", "SpecFrame", "StepTooSmall",
    "Stopped", "Unsupported", "formats", "load", "lqr", "rollout"]
