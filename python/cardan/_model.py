# SPDX-License-Identifier: Apache-2.0
"""Models: what a file, a robot or a Spec says, ready to run."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Union

from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._error import ArgumentError, check, text
from cardan._sim import Sim
from cardan._views import Array, owned, view


def load(name: Union[str, "os.PathLike[str]"],
         settings: Optional[Mapping[str, float]] = None) -> Model:
    """A model by the name of a built-in one ("pendulum:5") or the path of a file.

    settings  values for its (define ..) and (parameter ..) constants
    """
    report = ffi.new("cardan_report *")
    out = ffi.new("cardan_model **")
    setting, names = settings_of(settings or {})
    check(lib.cardan_model_load(os.fspath(name).encode(), setting, len(names), ffi.NULL, out,
                                report), report)
    return Model(out[0])


def settings_of(settings: Mapping[str, float]) -> Any:
    names = [ffi.new("char[]", key.encode()) for key in settings]
    array = ffi.new("cardan_setting[]", len(names))
    for entry, key, value in zip(array, names, settings.values()):
        entry.name, entry.value = key, value
    return array, names


class Model:
    """A mechanism: immutable, and shared by any number of threads."""

    def __init__(self, pointer: Any) -> None:
        """For the package itself: takes over a cardan_model *. See load() and Spec.build()."""
        self._c = owned(pointer, lib.cardan_model_destroy)

    @property
    def nq(self) -> int:
        """How many coordinates a configuration has."""
        return int(self._c.nq)

    @property
    def nv(self) -> int:
        """How many velocities there are."""
        return int(self._c.nv)

    @property
    def mass(self) -> float:
        """Of all bodies that move [kg]."""
        return float(self._c.mass)

    @property
    def q0(self) -> Array:
        """The start as the file has it: (nq,), read-only."""
        return view(self._c, self._c.q0, self.nq, writable=False)

    @property
    def v0(self) -> Array:
        """(nv,), read-only."""
        return view(self._c, self._c.v0, self.nv, writable=False)

    @property
    def q_names(self) -> List[str]:
        """Names of the coordinates."""
        return [text(self._c.q_name[k]) for k in range(self.nq)]

    def data(self) -> Data:
        """A state of this model, at its start, with everything that can be computed of it."""
        return Data(self)

    def sim(self, **options: Any) -> Sim:
        """A run of this model; options as on the command line: method="vi", dt=1e-3, .."""
        return Sim(self, options)

    def _frame(self, name: Union[str, int]) -> int:
        """Index of a frame by its name or number."""
        index = name if isinstance(name, int) else lib.cardan_model_frame(self._c, name.encode())
        if not 0 <= index < self._c.nframe:
            raise ArgumentError(f"there is no frame {name!r} in the model")
        return int(index)
