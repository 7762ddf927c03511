# SPDX-License-Identifier: Apache-2.0
"""Arrays between numpy and C without copies.

owned   what C made, destroyed with the last that needs it
view    C memory as an array that keeps its owner alive
given   an array of the caller's as a pointer that C reads
out     an array of the caller's, or a new one, that C writes
"""
from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._cardan import ffi
from cardan._error import ArgumentError

Array = NDArray[np.float64]
Shape = Tuple[int, ...]


class _Memory:
    """C memory as numpy asks for it; what views hang on, and what keeps the owner."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, address: int, shape: Shape, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "data": (address, not writable), "shape": shape, "typestr": "<f8"}


def owned(pointer: Any, destroy: Callable[[Any], None], *keeps: object) -> Any:
    """pointer, destroyed when nothing refers to it any more, and before what it keeps."""
    def end(last: Any, _keeps: object = keeps) -> None:
        destroy(last)
    return ffi.gc(pointer, end)


def view(owner: object, pointer: Any, *shape: int, writable: bool = True) -> Array:
    """The doubles at pointer as an array of that shape. owner, what owned() returned, lives as long
    as the array."""
    if 0 in shape:
        return np.empty(shape)
    address = int(ffi.cast("uintptr_t", pointer))
    return np.asarray(_Memory(owner, address, shape, writable))


def given(name: str, value: ArrayLike, *shape: int) -> Tuple[Any, Array]:
    """value as numbers for C to read: their pointer, and the array that must outlive its use. Any
    sequence of numbers will do; a copy is made where it is not a contiguous array of doubles."""
    try:
        array = np.ascontiguousarray(value, np.float64)
    except (TypeError, ValueError) as fault:
        raise ArgumentError(f"{name} is not an array of numbers: {fault}") from None
    if array.shape != shape and not (array.ndim == 0 and shape == (1,)):
        raise ArgumentError(f"{name} has the shape {array.shape}, expected {shape}")
    return ffi.from_buffer("double[]", array), array


def out(name: str, array: Optional[Array], *shape: int) -> Tuple[Any, Array]:
    """array, or a new one of zeros where it is None, for C to write: its pointer and itself."""
    if array is None:
        array = np.zeros(shape)
    elif not isinstance(array, np.ndarray) or array.dtype != np.float64:
        raise ArgumentError(f"{name} is not a numpy array of float64, in place of which C writes")
    elif array.shape != shape:
        raise ArgumentError(f"{name} has the shape {array.shape}, expected {shape}")
    elif not array.flags.c_contiguous:
        raise ArgumentError(f"{name} is not contiguous in memory (C order)")
    elif not array.flags.writeable:
        raise ArgumentError(f"{name} is read-only")
    return ffi.from_buffer("double[]", array, require_writable=True), array
