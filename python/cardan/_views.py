# SPDX-License-Identifier: Apache-2.0
"""Arrays between numpy and C without copies.

owned   what C made, destroyed with the last that needs it
view    C memory as an array that keeps its owner alive
given   an array of the caller's as a pointer that C reads
out     an array of the caller's, or a new one, that C writes (writable: can it?)
alone   a method that no second thread may enter
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Tuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, Busy

Array = NDArray[np.float64]
Shape = Tuple[int, ...]
Method = TypeVar("Method", bound=Callable[..., Any])

EXACT = 2 ** 53  # the largest whole number up to which every one is a double


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


def given(name: str, value: ArrayLike, *shape: int, finite: bool = True) -> Tuple[Any, Array]:
    """value as numbers for C to read: their pointer, and the array that must outlive its use. Any
    sequence of real numbers will do; a copy is made where it is not a contiguous array of doubles.
    """
    array = _doubles(name, value)
    if array.ndim == 0 and shape == (1,):
        array = array.reshape(1)
    if array.shape != shape:
        raise ArgumentError(f"{name} has the shape {array.shape}, expected {shape}")
    pointer = ffi.from_buffer("double[]", array)
    if finite:
        at = lib.cardan_py_not_finite(pointer, array.size)
        if at >= 0:
            raise ArgumentError(f"{_entry(name, at, shape)} is {array.flat[at]}, expected a finite "
                                "number")
    return pointer, array


def _doubles(name: str, value: ArrayLike) -> Array:
    """value as a contiguous array of doubles; what is not real numbers, or would not fit into
    doubles, is refused."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        flags = value.flags
        return value if flags.c_contiguous and flags.aligned else np.array(value, order="C")
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{name} is a masked array, expected one with all its numbers")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as fault:
        raise ArgumentError(f"{name} is not an array of numbers: {fault}") from None
    if array.dtype.kind not in "fiu" and array.size > 0:
        raise ArgumentError(f"{name} is an array of {array.dtype}, expected real numbers")
    if array.dtype.kind in "iu" and array.size > 0 and (
            int(array.max()) > EXACT or int(array.min()) < -EXACT):
        raise ArgumentError(f"{name} has whole numbers above 2^53, which are no doubles")
    return np.array(array, np.float64, order="C")


def _entry(name: str, at: int, shape: Shape) -> str:
    """An entry of an array by its place: "a[3]", "pose[0, 2]"."""
    place = ", ".join(str(k) for k in np.unravel_index(at, shape))
    return f"{name}[{place}]" if shape else name


def out(name: str, array: Optional[Array], *shape: int) -> Tuple[Any, Array]:
    """array, or a new one of zeros where it is None, for C to write: its pointer and itself."""
    array = np.zeros(shape) if array is None else writable(name, array, shape)
    return ffi.from_buffer("double[]", array, require_writable=True), array


def writable(name: str, array: Array, shape: Shape) -> Array:
    """array, which C can write that many doubles to."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        raise ArgumentError(f"{name} is not a numpy array of float64, which C can write to")
    if array.shape != shape:
        raise ArgumentError(f"{name} has the shape {array.shape}, expected {shape}")
    flags = array.flags
    if not flags.c_contiguous or not flags.aligned:
        raise ArgumentError(f"{name} is not contiguous in memory (C order)")
    if not flags.writeable:
        raise ArgumentError(f"{name} is read-only")
    return array


def alone(method: Method) -> Method:
    """A method of an object with a _guard (a threading.RLock): refused, with a sentence, while
    another thread is in one. The guard may be that of a run whose callback this is."""
    @functools.wraps(method)
    def guarded(self: Any, *args: Any, **named: Any) -> Any:
        guard = self._guard
        if not guard.acquire(False):
            raise Busy(f"this {type(self).__name__} is in use by another thread; each needs its "
                       "own")
        try:
            return method(self, *args, **named)
        finally:
            guard.release()
    return cast(Method, guarded)
