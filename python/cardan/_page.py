# SPDX-License-Identifier: Apache-2.0
"""Runs as pages: the motion in 3-D, plots and facts in one HTML file, or inside a notebook."""
from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check
from cardan._options import label
from cardan._source import Path, path_string, settings_array
from cardan._views import Array, owned

if TYPE_CHECKING:
    from cardan._model import Model

FILM_BUDGET = int(lib.CARDAN_FILM_BUDGET)
INLINE_BUDGET = 1_500_000  # bytes of a film inside a notebook, which keeps it
HEIGHT = 640  # of a page inside a notebook [px]


@dataclass
class Shown:
    """One run of a page: its film, options and statistics in C, and what there is to say of it."""

    film: Any
    options: Any
    stats: Any
    seconds: float
    note: str = ""
    warning: str = ""
    error: Optional[str] = None
    label: Optional[str] = None  # that of the options, where they are there
    status: int = 0  # of the error


def page_columns(sim: Any) -> int:
    """CARDAN_ADD_.. that a page of a sim shows beyond the usual columns."""
    touches = (lib.cardan_sim_columns(sim, lib.CARDAN_ADD_CONTACTS)
               > lib.cardan_sim_columns(sim, 0))
    more = lib.CARDAN_ADD_CONTACTS if touches else 0
    return int(lib.CARDAN_FILM_FORCES | lib.CARDAN_ADD_MOMENTUM | lib.CARDAN_ADD_WORK
               | lib.CARDAN_ADD_TYRES | more)


def film_of(model: Model, columns: Sequence[str], table: Array, budget: int) -> Any:
    """A film of rows that there are already: an owned cardan_film *."""
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_film **")
    names = [ffi.new("char[]", name.encode("utf-8", "surrogateescape")) for name in columns]
    check(lib.cardan_film_create(model._c, ffi.new("char *[]", names), len(names), budget,
                                 ffi.NULL, out, report), report)
    film = owned(out[0], lib.cardan_film_destroy, model._c)
    lib.cardan_py_film_rows(film, ffi.from_buffer("double[]", table), *table.shape)
    return film


def check_page(path: Path) -> None:
    """Raises where no page could be written."""
    name = path_string("report", path)
    if not name.endswith(".html"):
        raise ArgumentError(f"{name!r} is no name of a page, expected one that ends in .html")
    report = ffi.new("cardan_report *")
    check(lib.cardan_page_check(os.fsencode(name), report), report)


class Page:
    """A page in the making: a cardan_page, and everything that it points to."""

    def __init__(self, model: Model, runs: Sequence[Shown],
                 comparison: Optional[bytes] = None) -> None:
        source = model._source
        self._kept: List[Any] = [model, runs, source]
        settings, names = settings_array(source.settings)
        shown = ffi.new("cardan_page_run[]", len(runs))
        for entry, one in zip(shown, runs):
            self._fill(entry, one)
        self.c = ffi.new("cardan_page *", {
            "source": self._text(source.name), "text": ffi.from_buffer("char[]", source.text),
            "length": len(source.text), "model": model._c, "files": source.files,
            "setting": settings, "nsetting": len(source.settings), "run": shown,
            "nrun": len(runs)})
        if comparison is not None:
            self.c.comparison = self._text(comparison)
        self._kept += [settings, names, shown]

    def _text(self, value: Any) -> Any:
        encoded = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
        self._kept.append(ffi.new("char[]", encoded))
        return self._kept[-1]

    def _fill(self, entry: Any, one: Shown) -> None:
        entry.label = self._text(label(one.options) if one.label is None else one.label)
        entry.film, entry.options, entry.stats = one.film, one.options, one.stats
        entry.wall_seconds = one.seconds
        entry.note, entry.warning = self._text(one.note), self._text(one.warning)
        if one.error is not None:
            entry.error = self._text(one.error)
        entry.status = one.status

    def write(self, path: Path) -> None:
        """As FILE.html."""
        check_page(path)
        report = ffi.new("cardan_report *")
        check(lib.cardan_page_write(self.c, os.fsencode(path), ffi.NULL, report), report)

    def html(self) -> str:
        """The whole page as a text."""
        report, length = ffi.new("cardan_report *"), ffi.new("size_t *")
        out = ffi.new("char **")
        check(lib.cardan_page_html(self.c, ffi.NULL, ffi.NULL, out, length, report), report)
        try:
            return bytes(ffi.buffer(out[0], length[0])).decode("utf-8", "replace")
        finally:
            lib.cardan_free_text(ffi.NULL, out[0])


def inline(page: Page) -> Optional[str]:
    """A page as a part of another one. None in a library without pages."""
    return framed(page.html(), "the motion, in three dimensions") if lib.cardan_has_pages() else None


def framed(text: str, title: str) -> str:
    """The text of a page in a frame of its own, which needs no network and cannot reach what is
    around it."""
    return (f'<iframe srcdoc="{html.escape(text, quote=True)}" '
            'sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {HEIGHT}px; border: 0" title="{title}"></iframe>')
