# SPDX-License-Identifier: Apache-2.0
"""A state of a model, and what follows from it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

import numpy as np

from cardan._cardan import ffi, lib
from cardan._kinematics import Kinematics
from cardan._loops import Loops
from cardan._views import alone

if TYPE_CHECKING:
    from cardan._model import Model


class Data(Kinematics, Loops):
    """t, q, v and inputs of one model, and everything computed from them: m.data() makes one.

    q, v, a, u, z, tau_in, f_in are views on C memory: writing to them changes the state. What depends
    on t, q, v is recomputed when it is read after they have changed. Results are arrays of their
    own; `out`, where a method has it, takes one to write to. One Data belongs to one thread at a
    time.
    """

    __slots__ = ()

    @alone
    def copy(self) -> Data:
        """Another one in the same state, which is its own."""
        self._follow()
        made = Data(self._model)
        lib.cardan_data_copy(self._m, self._c, made._c)
        made._c.program = ffi.NULL  # whose it was may be gone before the copy
        made._u[:], made._tau_in[:], made._f_in[:] = self._u, self._tau_in, self._f_in
        made._z[:] = self._z
        return made

    def __copy__(self) -> Data:
        return self.copy()

    def __deepcopy__(self, memo: Dict[int, Any]) -> Data:
        return self.copy()

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickled as its model and its numbers."""
        d = self.copy()
        return _unpickled, (d.model, d.t, *(
            np.array(array) for array in (d.q, d.v, d.a, d.u, d.tau_in, d.f_in, d.z)))


def _unpickled(model: Model, t: float, *arrays: Any) -> Data:
    made = Data(model)
    made.t = t
    for array, values in zip((made.q, made.v, made.a, made.u, made.tau_in, made.f_in, made.z),
                             arrays):
        array[:] = values
    return made
