# SPDX-License-Identifier: Apache-2.0
"""Functions given by points, in expressions of a Spec."""
from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import Expr, expression
from cardan._error import ArgumentError


def points(x: ArrayLike, y: ArrayLike, of: Expr = "t", *, linear: bool = False,
           hold: bool = False) -> str:
    """The expression of a function through the points (x, y), at the expression `of`: a cubic
    spline, or with linear lines from point to point; beyond the points it goes straight on, or with
    hold stays at its end's value. Motions, constraints and potentials take neither linear nor hold.
    x increases."""
    try:
        at, value = (np.asarray(each, dtype=float) for each in (x, y))
    except (TypeError, ValueError):
        raise ArgumentError("x and y are not numbers, expected two lists of them") from None
    if at.ndim != 1 or at.shape != value.shape or at.size < 2:
        raise ArgumentError(f"x has the shape {at.shape} and y {value.shape}, expected two lists "
                            "of one length, at least 2")
    if not (np.isfinite(at).all() and np.isfinite(value).all() and (np.diff(at) > 0).all()):
        raise ArgumentError("x must increase, and x and y must be finite")
    pairs = " ".join(f"({a!r} {b!r})" for a, b in zip(at.tolist(), value.tolist()))
    words = (" linear" if linear else "") + (" hold" if hold else "")
    return f"(table (data {pairs}) {expression('of', of)}{words})"
