# SPDX-License-Identifier: Apache-2.0
"""Motion that is known: by drivers, or by what was measured."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import number
from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._error import ArgumentError, check, text
from cardan._views import Array, given, owned

if TYPE_CHECKING:
    from cardan._model import Model


class PrescribedMotion(NamedTuple):
    """A motion that drivers, a record and held coordinates determine: t (n,), q (n, nq), v and a
    (n, nv); with forces tau (n, nv), on recorded and held velocities, drivers (n, njoint) [N, N m]
    and multipliers (n, nrow), else None; recorded, held, spare: names of velocities that a record
    moves, that nothing does, and whose record is not used since others give them."""

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Optional[Array]
    drivers: Optional[Array]
    multipliers: Optional[Array]
    recorded: Tuple[str, ...]
    held: Tuple[str, ...]
    spare: Tuple[str, ...]


def _table(motion: Mapping[str, ArrayLike]) -> bytes:
    """The record as the text of a table, all digits."""
    columns = {str(name): np.asarray(x, float) for name, x in motion.items()}
    lengths = {x.shape for x in columns.values()}
    if "t" not in columns or len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise ArgumentError(f"motion has {', '.join(columns) or 'nothing'}, expected t and q.NAME, "
                            "v.NAME, a.NAME, each an array of the same length")
    names = ["t"] + [name for name in columns if name != "t"]
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = np.column_stack([columns[name] for name in names])
    return "\n".join([quoted] + [",".join(map(repr, map(float, row))) for row in rows]).encode()


def _record(model: Model, motion: Optional[Mapping[str, ArrayLike]], report: Any) -> Any:
    if motion is None:
        return ffi.NULL
    raw, out = _table(motion), ffi.new("cardan_recording **")
    check(lib.cardan_recording_read(model._c, raw, len(raw), b"motion", ffi.NULL, out, report),
          report)
    return owned(out[0], lib.cardan_recording_destroy, model._c)


def known(model: Model, times: ArrayLike, motion: Optional[Mapping[str, ArrayLike]], hold: bool,
          q: Optional[ArrayLike], forces: bool) -> PrescribedMotion:
    """For the package itself: see Model.kinematics()."""
    at = np.array(times, float)
    if at.ndim != 1 or at.size == 0 or not np.isfinite(at).all():
        raise ArgumentError(f"times has the shape {at.shape}, expected one or more finite numbers")
    data, report = Data(model), ffi.new("cardan_report *")
    data._c.t = number("times", float(at[0]))
    if q is not None:
        data.q[:] = given("q", q, model.nq)[1]
    data._close()
    record = _record(model, motion, report)
    options = ffi.new("cardan_prescribed_motion_options *", {"motion": record, "hold": bool(hold)})
    out = ffi.new("cardan_prescribed_motion **")
    check(lib.cardan_prescribed_motion_create(model._c, data._c, options, ffi.NULL, out, report),
          report)
    mechanism = owned(out[0], lib.cardan_prescribed_motion_destroy, model._c)
    def room(width: int) -> Array:
        return np.empty((at.size, width))

    recorded, held, spare = _about(model, mechanism)
    found = PrescribedMotion(at, room(model.nq), room(model.nv), room(model.nv),
                        room(model.nv) if forces else None, room(model.njoint) if forces else None,
                        room(model.nrow) if forces else None, recorded, held, spare)
    tau, drivers = np.empty(model.nv), np.empty(model.njoint)
    left = False
    for k, t in enumerate(at):
        check(lib.cardan_prescribed_motion_move(mechanism, t, report), report)
        left = left or data._tell_tables()
        found.q[k], found.v[k], found.a[k] = data.q, data.v, data.a
        if found.tau is not None and found.drivers is not None and found.multipliers is not None:
            check(lib.cardan_prescribed_motion_forces(
                mechanism, ffi.cast("double *", tau.ctypes.data), report), report)
            lib.cardan_driver_forces(model._c, data._c,
                                     ffi.cast("double *", drivers.ctypes.data))
            found.tau[k], found.drivers[k] = tau, drivers
            found.multipliers[k] = [getattr(data._c, "lambda")[r] for r in range(model.nrow)]
    return found


def _about(model: Model, mechanism: Any) -> Tuple[Tuple[str, ...], ...]:
    facts = lib.cardan_prescribed_motion_about(mechanism)
    return tuple(tuple(text(model._c.v_name[index[k]]) for k in range(n)) for n, index in (
        (facts.nused, facts.used), (facts.nheld, facts.held), (facts.nspare, facts.spare)))
