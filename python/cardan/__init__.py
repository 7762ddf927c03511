# SPDX-License-Identifier: Apache-2.0
"""Multibody dynamics: robots and mechanisms whose motion stays true over long times.

    import cardan
    m = cardan.load("pendulum:5")
    s = m.sim(method="vi", dt=1e-3)
    s.step(1000)
    print(s.t, s.q)
"""
import threading as _threading
from typing import TYPE_CHECKING as _TYPE_CHECKING

from cardan._cardan import lib as _lib
from cardan._compare import Comparison, Contender, compare
from cardan._data import Data
from cardan._dynamics import Energy
from cardan._elements import SpecFrame
from cardan._error import (
    ArgumentError, AssemblyError, BlewUp, Busy, Error, FileError, Jump, ModelError,
    ModelSyntaxError,
    ModelWarning, MotionWarning, NoInertia, NoRoot, NotConverged, NotFinite, OutOfMemory,
    Singular, StepTooSmall, Stopped, Strict, Unsupported, text as _text)
from cardan._kinematics import Gap, InverseKinematics
from cardan._prescribed_motion import PrescribedMotion
from cardan._linear import Linearization, Regulator, lqr
from cardan._hooks import Crossing, Event, Instant
from cardan._load import builtins, load, loads
from cardan._loops import Assembly, Constraints
from cardan._model import Model
from cardan._modes import Matrices, Mode, Modes
from cardan._parts import Body, Frame, Joint
from cardan._plan import plan
from cardan._points import points
from cardan._rollout import Rollout, rollout
from cardan._result import Result, load_result
from cardan._continue import continue_result
from cardan._sim import Sim, Touch
from cardan._spec import Spec, formats
from cardan._statics import Statics
from cardan._stats import ContactStats, ErrorEstimate, Stats
from cardan._sweep_result import Case, Sweep, open_sweep
from cardan._sweep import sweep

if _TYPE_CHECKING:
    from cardan.env import Env, VectorEnv
else:
    def __getattr__(name: str) -> object:
        """Imports Env and VectorEnv on first use: they try to import gymnasium, which is slow."""
        if name not in ("Env", "VectorEnv"):
            raise AttributeError(f"module 'cardan' has no attribute {name!r}")
        from cardan import env
        return getattr(env, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

if _threading.current_thread() is _threading.main_thread():
    _lib.cardan_py_hear()

__version__ = _text(_lib.cardan_version())

__all__ = [
    "ArgumentError", "Assembly", "AssemblyError", "BlewUp", "Body", "Busy", "Case", "Comparison",
    "Constraints", "ContactStats", "Contender", "Crossing", "Data", "Energy", "Env", "Error",
    "ErrorEstimate", "Event", "FileError", "Frame", "Gap", "Instant", "InverseKinematics", "Joint", "Jump",
    "Linearization", "Matrices", "Mode", "Model", "ModelError", "ModelSyntaxError", "ModelWarning",
    "Modes", "MotionWarning", "NoInertia", "NoRoot", "NotConverged", "NotFinite", "OutOfMemory",
    "PrescribedMotion", "Regulator", "Result", "Rollout", "Sim", "Singular", "Spec", "SpecFrame",
    "Statics", "Stats", "StepTooSmall", "Stopped", "Strict", "Sweep", "Touch", "Unsupported",
    "VectorEnv", "builtins", "compare", "continue_result", "formats", "load", "load_result", "loads", "lqr",
    "open_sweep", "plan", "points", "rollout", "sweep"]
