# SPDX-License-Identifier: Apache-2.0
"""Failures of the library as exceptions: one class for each status."""
from __future__ import annotations

import sys
import warnings
from typing import Any, Optional, Tuple

from cardan._cardan import ffi, lib


class Error(Exception):
    """What the library could not do; str(e) is one sentence.

    status  its number, as in cardan/base.h (negative)
    message the sentence without its place
    file, line, column  the place in a model text, None where there is none
    t       of a step that failed: the time at which it began [s]; the sim is still at that node
    joint   of a step that failed: the name of the joint where, None where it is not one joint
    residual  what an iteration was left with, None where none was
    result  of a run that failed: the Result until there, else None
    """

    status: int = 0

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        place = f"line {place}" if place and file is None else place
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.file, self.line, self.column = file, line, column
        self.t: Optional[float] = None
        self.joint: Optional[str] = None
        self.residual: Optional[float] = None
        self.result: Any = None

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.file, self.line, self.column), self.__dict__


class ModelWarning(UserWarning):
    """What a reader left out of a model, or changed in it."""


class MotionWarning(UserWarning):
    """A reason to doubt a motion, or a difference from the options that were given."""


class Busy(Error, RuntimeError):
    """An object is in use: by another thread, or by the call that this one is inside of."""

    status = lib.CARDAN_ERR_ARGUMENT


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""


class ArgumentError(Error, ValueError):
    """An argument is out of its range."""


class ModelSyntaxError(Error):
    """A model text, or a plan, cannot be read."""


class ModelError(Error):
    """A model is at fault."""


class AssemblyError(Error):
    """The loops of a mechanism cannot be closed."""


class Unsupported(Error):
    """The chosen method cannot take this model, or has no such option."""


class NoInertia(Error):
    """A joint has no inertia to push against."""


class Singular(Error):
    """The constraints lost rank: a singular position."""


class NotConverged(Error):
    """An iteration did not converge."""


class NotFinite(Error):
    """A number is not finite."""


class StepTooSmall(Error):
    """The step size fell below its limit."""


class FileError(Error, OSError):
    """Reading or writing a file failed."""


class Stopped(Error):
    """Stopped by the caller."""


class NoRoot(Error):
    """No solution continues the motion."""


class Jump(Error):
    """The energy balance jumps, or a loop opens."""


class BlewUp(Error):
    """A motion blew up: its energy balance went far beyond the energies in play."""


class Strict(Error):
    """A warning about a motion, which option strict makes an error."""


KINDS: dict[int, type[Error]] = {
    lib.CARDAN_ERR_MEMORY: OutOfMemory,
    lib.CARDAN_ERR_ARGUMENT: ArgumentError,
    lib.CARDAN_ERR_SYNTAX: ModelSyntaxError,
    lib.CARDAN_ERR_MODEL: ModelError,
    lib.CARDAN_ERR_ASSEMBLY: AssemblyError,
    lib.CARDAN_ERR_UNSUPPORTED: Unsupported,
    lib.CARDAN_ERR_NOT_POSDEF: NoInertia,
    lib.CARDAN_ERR_SINGULAR: Singular,
    lib.CARDAN_ERR_NO_CONVERGENCE: NotConverged,
    lib.CARDAN_ERR_NOT_FINITE: NotFinite,
    lib.CARDAN_ERR_STEP_TOO_SMALL: StepTooSmall,
    lib.CARDAN_ERR_IO: FileError,
    lib.CARDAN_ERR_STOPPED: Stopped,
    lib.CARDAN_ERR_NO_ROOT: NoRoot,
    lib.CARDAN_ERR_JUMP: Jump,
    lib.CARDAN_ERR_BLEW_UP: BlewUp,
    lib.CARDAN_ERR_STRICT: Strict,
}
for _status, _kind in KINDS.items():
    _kind.status = _status


def doubt(sentence: str) -> None:
    """Gives a MotionWarning at the line that called the package."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cardan."):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, MotionWarning, stacklevel=level)


def text(chars: Any) -> str:
    """A C string as a Python one; bytes that are not UTF-8 become backslash escapes."""
    found: bytes = ffi.string(chars)
    return found.decode("utf-8", "backslashreplace")


def failure(status: int, report: Any = None, sentence: str = "") -> Error:
    """The exception for a status; report: a cardan_report *, or None; sentence: in place of it."""
    message = text(report.message) if report else sentence
    place = report.pos if report and report.pos.line > 0 else None
    return KINDS[status](
        message or text(lib.cardan_status_text(status)),
        (text(report.file) or None) if report else None,
        place.line if place else None,
        place.column if place and place.column > 0 else None,
    )


def check(status: int, report: Any = None) -> None:
    """Raises unless status is CARDAN_OK."""
    if status != 0:
        raise failure(status, report)
