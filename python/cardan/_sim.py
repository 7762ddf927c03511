# SPDX-License-Identifier: Apache-2.0
"""Runs of a model in time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from cardan._cardan import ffi, lib
from cardan._error import check, failure
from cardan._linear import Linearization
from cardan._views import Array, owned, view

if TYPE_CHECKING:
    from cardan._model import Model


def options_of(model: Model, options: Mapping[str, Any]) -> Any:
    """A cardan_options *: the model's own, then those given; rank_tol=1e-4 is option rank-tol, and
    True stands for a switch."""
    report = ffi.new("cardan_report *")
    made = ffi.new("cardan_options *", lib.cardan_options_defaults())
    words = {name.replace("_", "-"): value for name, value in options.items()}
    if "method" in words:
        check(lib.cardan_options_set(made, b"method", str(words["method"]).encode(), report),
              report)
    check(lib.cardan_options_from_model(made, model._c, report), report)
    for name, value in words.items():
        if value is False or value is None:
            continue
        given = ffi.NULL if value is True else str(value).encode()
        check(lib.cardan_options_set(made, name.encode(), given, report), report)
    return made


class Sim:
    """A run of a model by one method, step by step."""

    def __init__(self, model: Model, options: Mapping[str, Any]) -> None:
        self.model: Model = model
        self._report = ffi.new("cardan_report *")
        self._done = ffi.new("int64_t *")
        made = ffi.new("cardan_sim **")
        self._options = options_of(model, options)
        check(lib.cardan_sim_create(model._c, self._options, ffi.NULL, made, self._report),
              self._report)
        self._c: Any = owned(made[0], lib.cardan_sim_destroy, model._c)
        self._data = lib.cardan_sim_data(self._c)
        self.q: Array = view(self._c, self._data.q, model.nq)
        check(lib.cardan_sim_start(self._c, self._report), self._report)

    @property
    def t(self) -> float:
        """Time of the node [s]."""
        return float(self._data.t)

    @property
    def v(self) -> Array:
        """Velocities at the node: (nv,)."""
        lib.cardan_sim_data(self._c)
        return view(self._c, self._data.v, self.model.nv)

    def step(self, n: int = 1) -> None:
        """n steps of dt. After a failure the sim stands at its last good node."""
        status = lib.cardan_py_steps(self._c, n, self._done, self._report)
        if status != 0:
            raise failure(status, self._report)

    def linearize(self) -> Linearization:
        """Exact derivatives of the step that would come next (methods vi and svi); the sim stays at
        its node."""
        return Linearization(self)
