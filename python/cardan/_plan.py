# SPDX-License-Identifier: Apache-2.0
"""Plans of sweeps as text: docs/sweep.md has what a plan may say."""
from __future__ import annotations

import numbers
import os
import re
from typing import Any, Iterable, List, Sequence, Tuple, Union

import numpy as np

from cardan._arguments import number
from cardan._error import ArgumentError
from cardan._source import Path, path_string

Plan = Union[Path, Sequence[Any]]

# what the reader takes for one word: no parenthesis, quote, comment or blank, and no number
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.+*/<>=!?:-]*")


def plan(*forms: Any) -> str:
    """A plan as text, from forms as tuples or lists:

        plan(("grid", "M", 0.5, 1, 2), ("range", "L", 0.2, 0.4, ("count", 11)),
             ("collect", ("end", "q.a"), "drift"))

    Words stay words and numbers their bits; an array stands for its numbers:
    ("grid", "M", np.geomspace(0.1, 10, 21)). What is no word is written between quotes.
    """
    return f"(plan {' '.join(_written(forms))})\n"


def _written(forms: Iterable[Any]) -> List[str]:
    found: List[str] = []
    for form in forms:
        if isinstance(form, str):
            found.append(form if _SYMBOL.fullmatch(form) else _quoted(form))
        elif isinstance(form, (tuple, list)):
            found.append(f"({' '.join(_written(form))})")
        elif isinstance(form, np.ndarray):
            found += [repr(number("plan", x)) for x in form.ravel()]
        elif isinstance(form, numbers.Integral) and not isinstance(form, bool):
            found.append(str(int(form)))
        elif isinstance(form, numbers.Real) and not isinstance(form, bool):
            found.append(repr(number("plan", float(form))))
        else:
            raise ArgumentError(f"plan has {form!r}, expected words, numbers, arrays and tuples "
                                "of them")
    return found


def _quoted(word: str) -> str:
    if not word or any(ord(c) < 32 or ord(c) == 127 for c in word):
        raise ArgumentError(f"plan has the name {word!r}, expected one of characters that print")
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plan_text(given: Plan) -> Tuple[bytes, str]:
    """The text of a plan and its name for messages. given: the text, which begins with a
    parenthesis or a comment; the path of one; or a sequence of forms."""
    if isinstance(given, str) and given.lstrip().startswith(("(", ";")):
        return given.encode("utf-8", "surrogateescape"), "plan"
    if isinstance(given, (str, os.PathLike)):
        name = path_string("plan", given)
        with open(name, "rb") as file:
            return file.read(), name
    if not isinstance(given, Sequence):
        raise ArgumentError(f"plan is {given!r}, expected a text, the path of one, or a list of "
                            "forms")
    return plan(*given).encode(), "plan"
