# SPDX-License-Identifier: Apache-2.0
"""A state of a model, and what follows from it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from cardan._cardan import ffi, lib
from cardan._error import check
from cardan._views import Array, out as _out, owned, view

if TYPE_CHECKING:
    from cardan._model import Model


class Data:
    """t, q, v and inputs of one model, and everything computed from them.

    q, v, tau_in, u are views on C memory: writing to them changes the state. What depends on t, q,
    v is made anew when it is asked for and they have changed.
    """

    def __init__(self, model: Model) -> None:
        made = ffi.new("cardan_data **")
        check(lib.cardan_data_create(model._c, ffi.NULL, made))
        self.model: Model = model
        self._c: Any = owned(made[0], lib.cardan_data_destroy, model._c)
        self._seen = np.full(1 + model.nq + model.nv, np.nan)
        self._seen_c = ffi.from_buffer("double[]", self._seen, require_writable=True)
        self.q: Array = view(self._c, self._c.q, model.nq)
        self.v: Array = view(self._c, self._c.v, model.nv)

    def kinematics(self) -> None:
        """Makes positions and velocities of bodies now; the other calls do it where it is due."""
        lib.cardan_py_fresh(self.model._c, self._c, self._seen_c)

    def energy(self) -> Tuple[float, float]:
        """Kinetic and potential energy [J]."""
        self.kinematics()
        return (float(lib.cardan_kinetic(self.model._c, self._c)),
                float(lib.cardan_potential(self.model._c, self._c)))

    def mass_matrix(self, out: Optional[Array] = None) -> Array:
        """M(q): (nv, nv)."""
        self.kinematics()
        n = self.model.nv
        pointer, array = _out("out", out, n, n)
        lib.cardan_crba(self.model._c, self._c, pointer)
        return array
