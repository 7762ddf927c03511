# SPDX-License-Identifier: Apache-2.0
"""Arguments that are numbers, words and texts, looked at before C sees them. Each of these returns
what C takes, or raises an ArgumentError that names the argument."""
from __future__ import annotations

import difflib
import math
from typing import Any, Iterable, List, Mapping, Optional, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._cardan import ffi
from cardan._error import ArgumentError

Expr = Union[float, str]
T = TypeVar("T")


def numbers(name: str, value: ArrayLike, *lengths: int) -> Tuple[float, ...]:
    """value as that many finite numbers; several lengths: any of them."""
    array = plain_array(name, value)
    if array.dtype.kind not in "fiu" or array.ndim != 1:
        raise ArgumentError(f"{name} is {value!r}, expected a list of {_or(lengths)} numbers")
    if array.size not in lengths:
        raise ArgumentError(f"{name} has {array.size} numbers, expected {_or(lengths)}")
    if not np.all(np.isfinite(array)):
        raise ArgumentError(f"{name} is {value!r}, expected finite numbers")
    return tuple(float(entry) for entry in array)


def table(name: str, value: ArrayLike, width: int) -> List[Tuple[float, ...]]:
    """value as rows of so many finite numbers each."""
    array = plain_array(name, value)
    if array.ndim != 2:
        raise ArgumentError(f"{name} has the shape {array.shape}, expected (n, {width})")
    return [numbers(name, row, width) for row in array]


def plain_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """value as an array of anything; no entry of it masked, its lists of one length."""
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{name} is a masked array, expected one with all its numbers")
    try:
        return np.asarray(value)
    except ValueError:
        raise ArgumentError(f"{name} is {value!r}, expected numbers") from None


def is_table(name: str, value: Optional[ArrayLike]) -> bool:
    """Has value rows and columns?"""
    return value is not None and plain_array(name, value).ndim == 2


def mapping(name: str, value: Optional[Mapping[str, T]]) -> Mapping[str, T]:
    """value as a mapping; None: an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name} is {value!r}, expected a mapping by names")
    return value


def flag(name: str, value: bool) -> bool:
    """value as True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name} is {value!r}, expected True or False")
    return bool(value)


def number(name: str, value: float) -> float:
    """value as one finite number."""
    if type(value) is float and math.isfinite(value):
        return value
    array = plain_array(name, value)
    if array.dtype.kind not in "fiu" or array.ndim != 0:
        raise ArgumentError(f"{name} is {value!r}, expected a number")
    if not np.isfinite(array):
        raise ArgumentError(f"{name} is {value!r}, expected a finite number")
    return float(array)


def whole(name: str, value: int, least: int, most: int = 2**31 - 1) -> int:
    """value as a whole number from least to most."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentError(f"{name} is {value!r}, expected a whole number")
    if not least <= value <= most:
        raise ArgumentError(f"{name} is {value}, expected {least} to {most}")
    return int(value)


def chars(name: str, value: str) -> Any:
    """value as a char[], which must outlive its use."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is {value!r}, expected a text")
    if "\0" in value:
        raise ArgumentError(f"{name} has a NUL in it: {value!r}")
    try:
        return ffi.new("char[]", value.encode())
    except UnicodeEncodeError:
        raise ArgumentError(f"{name} is not a text of Unicode: {value!r}") from None


def maybe_chars(name: str, value: Optional[str]) -> Any:
    """The same, NULL for None."""
    return ffi.NULL if value is None else chars(name, value)


def expression(name: str, value: Expr) -> str:
    """A number, or an expression as docs/format.md has it, as a text."""
    if isinstance(value, str):
        return value
    return repr(number(name, value))


def word(name: str, value: str, words: Mapping[str, T]) -> T:
    """What stands for the word value."""
    if isinstance(value, str) and value in words:
        return words[value]
    raise ArgumentError(f"{name} is {value!r}, expected {_or(words)}{nearest(value, words)}")


def nearest(value: object, words: Iterable[str]) -> str:
    """"; did you mean ..?", or nothing."""
    known = list(words)
    close = [entry for entry in known if entry.lower() == str(value).lower()]
    close = close or difflib.get_close_matches(str(value), known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _or(words: Iterable[object]) -> str:
    *most, last = [str(entry) for entry in words]
    return f"{', '.join(most)} or {last}" if most else last
