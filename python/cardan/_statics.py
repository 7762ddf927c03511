# SPDX-License-Identifier: Apache-2.0
"""Where a mechanism stays."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._arguments import number, whole
from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._error import check, text
from cardan._views import Array, given, owned

if TYPE_CHECKING:
    from cardan._model import Model


class Statics(NamedTuple):
    """An equilibrium: q (nq,); stable: "stable", "unstable", "neutral" or, where the
    stiffness is not symmetric and does not tell, "not known"; energy [J]; multipliers
    (nrow,) [N, N m]; stiffness (nfree,) rising [N/m], directions (nfree, nv); residual [N] of the
    forces that balance, scale [N]; info: all of it as a dict, as `cardan statics --json` prints it:
    springs, reactions, drivers, bounds, friction, ..; eigenvalues (nfree,) of the stiffness itself
    [N/m], complex, which is not symmetric where roll, skate or velocity carry load: stiffness is then
    that of its symmetric part"""

    q: Array
    stable: str
    energy: float
    multipliers: Array
    stiffness: Array
    directions: Array
    residual: float
    scale: float
    info: Dict[str, Any]
    eigenvalues: NDArray[np.complex128]


def statics(model: Model, q: Optional[ArrayLike], u: Optional[ArrayLike], t: float, stable: bool,
            friction: bool, tol: float, max_iter: int) -> Statics:
    """For the package itself: see Model.statics()."""
    data = Data(model)
    data._c.t = number("t", t)
    if q is not None:
        _, array = given("q", q, model.nq)
        data.q[:] = array
    if u is not None:
        _, array = given("u", u, model.nu)
        data.u[:] = array
    data._close()
    options = ffi.new("cardan_statics_options *", {
        "tol": number("tol", tol), "iterations": whole("max_iter", max_iter, 1, 2**31 - 1),
        "leave_unstable": bool(stable), "no_friction": not friction})
    report = ffi.new("cardan_report *")
    out = ffi.new("cardan_statics **")
    check(lib.cardan_statics_find(model._c, data._c, options, ffi.NULL, out, report), report)
    c: Any = owned(out[0], lib.cardan_statics_destroy, model._c)
    data._stale()
    data._tell_tables()
    made = ffi.new("char **")
    check(lib.cardan_describe_statics(c, model._source.name.encode(), True, ffi.NULL, made), report)
    info = json.loads(text(made[0]))
    lib.cardan_free_text(ffi.NULL, made[0])
    return Statics(
        np.array([c.q[i] for i in range(model.nq)]), info["stable"], info["energy"],
        np.array([getattr(c, "lambda")[i] for i in range(model.nrow)]),
        np.array(info["stiffness"]), np.array(info["directions"]).reshape(c.nfree, model.nv),
        info["residual"], info["scale"], info,
        np.array(info["eigenvalues_re"]) + 1j * np.array(info["eigenvalues_im"]))
