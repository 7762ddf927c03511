# SPDX-License-Identifier: Apache-2.0
"""The result of a run: named columns of numbers, with plots, pages and files."""
from __future__ import annotations

import importlib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from cardan._arguments import nearest
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, Error, FileError, check, doubt, text
from cardan._hooks import Crossing
from cardan._options import Option, apply, as_dict, label, words_from
from cardan._page import FILM_BUDGET, INLINE_BUDGET, Page, Shown, film_of, inline
from cardan._source import Path, h5_lock, path_string
from cardan._stats import ErrorEstimate, Stats
from cardan._table import Record, write_table
from cardan._views import Array

if TYPE_CHECKING:
    from cardan._model import Model


class Result:
    """The motion of a run: Model.run and load_result make it.

    r["q.elbow"] (or r["elbow"]) is a column, r.t the times; r.columns names all of them. Where
    work is done there are always r["work"] and r["balance"] too. In a notebook a result
    shows itself: the motion in 3-D, plots and facts.

    model      that was run
    columns    names of the columns
    table      all rows: (rows, columns)
    stats      Stats of the run; None of a result that was loaded
    note       what the start had to change; "": nothing
    motion_warning  what no physical motion does and this one did; "": nothing
    warnings   all sentences of warning
    error      why it ended before its time, None when it did not
    crossings  events that were found
    u          inputs of each step as control left them: (steps, ninput); None without control
    seconds    that the stepping took [s]; nan of a result that was loaded
    """

    def __init__(self, model: Model, record: Record, columns: Sequence[str], table: Array, *,
                 stats: Optional[Stats] = None, note: str = "", motion_warning: str = "",
                 warnings: Sequence[str] = (), seconds: float = float("nan"),
                 error: Optional[str] = None, status: int = 0, crossings: Sequence[Crossing] = (),
                 inputs: Optional[Array] = None, film: Any = None, c_stats: Any = None,
                 repeats: str = "") -> None:
        """For the package itself. columns, table: those of record.unasked with them"""
        self._all, self._names = table, tuple(columns)
        kept = [k for k, name in enumerate(columns) if name not in record.unasked]
        last = kept == list(range(len(kept)))
        self.model, self.columns = model, tuple(columns[k] for k in kept)
        self.table = table[:, :len(kept)] if last else table[:, kept]
        self.stats, self.note, self.motion_warning = stats, note, motion_warning
        self.warnings, self.seconds, self.error = list(warnings), seconds, error
        self._status = status
        self.crossings: List[Crossing] = list(crossings)
        self.u = inputs
        self._record, self._film, self._c_stats, self._repeats = record, film, c_stats, repeats
        self._place: Dict[str, int] = {name: k for k, name in enumerate(self._names)}

    def __repr__(self) -> str:
        end = f", t = {self.t[0]:g} .. {self.t[-1]:g} s" if len(self) else ""
        drift = f", drift {self.stats.drift_max:.3g} J" if self.stats is not None else ""
        fault = f", ended early: {self.error}" if self.error else ""
        return (f"<cardan.Result of {self.model.name!r} by {self.method}: {len(self)} rows{end}"
                f"{drift}{fault}>")

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def __contains__(self, name: object) -> bool:
        return name in self._place or f"q.{name}" in self._place

    def __getitem__(self, name: str) -> Array:
        """A column: (rows,), a view."""
        column: Array = self._all[:, self._index(name)]
        return column

    def _index(self, name: str) -> int:
        at = self._place.get(name)
        if at is None:
            at = self._place.get(f"q.{name}")
        if at is None:
            raise ArgumentError(f"there is no column {name!r} in the result"
                                + nearest(name, self.columns))
        return at

    def unit(self, name: str) -> str:
        """The unit of a column, such as "rad/s", "N m"; "m, rad" of lengths or angles, whichever is
        more; "" where it has none or the model does not say it."""
        own = self._names[self._index(name)].encode("utf-8", "surrogateescape")
        return text(lib.cardan_column_unit(self.model._c, own))

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickled with its model and all numbers; the film of contacts stays behind."""
        record = self._record
        kept = (words_from(record.options), record.add, record.initial, record.input, record.linear,
                record.given, record.state, record.steps, record.beside, record.unasked)
        stats = None if self._c_stats is None else bytes(ffi.buffer(_own_stats(self._c_stats)))
        named = {"stats": self.stats, "note": self.note, "motion_warning": self.motion_warning,
                 "warnings": self.warnings, "seconds": self.seconds, "error": self.error,
                 "status": self._status,
                 "crossings": self.crossings, "repeats": self._repeats,
                 "inputs": None if self.u is None else np.array(self.u)}
        return _unpickled, (self.model, kept, self._names, np.array(self._all), stats, named)

    # ---- numbers

    @property
    def t(self) -> Array:
        """Times of the rows: (rows,) [s]."""
        return self["t"]

    @property
    def q(self) -> Array:
        """Coordinates: (rows, nq), a view."""
        return self.table[:, 1:1 + self.model.nq]

    @property
    def v(self) -> Array:
        """Velocities: (rows, nv), a view."""
        first = 1 + self.model.nq
        return self.table[:, first:first + self.model.nv]

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy together: (rows,) [J]."""
        return self["energy"]

    @property
    def drift(self) -> float:
        """Largest drift of the energy, or of the balance where work is done [J]. Of a result that
        was loaded: of its column balance, which it has where work is done, or by add="work"."""
        if self.stats is not None:
            return self.stats.drift_max
        if "balance" not in self._place:
            raise Error("a result that was loaded has its drift in the column balance, and this "
                        "one was run without add=\"work\"")
        return float(np.max(np.abs(self["balance"]), initial=0.0))

    @property
    def estimated_error(self) -> Optional[ErrorEstimate]:
        """The estimated error of the coordinates at the end, of the coordinate that has the largest
        one. None where there is none: of adaptive integrators, of a result that was loaded."""
        return self.stats.estimated_error if self.stats is not None else None

    @property
    def options(self) -> Dict[str, Option]:
        """All options of the run, by the names that run() takes."""
        return as_dict(self._record.options)

    @property
    def method(self) -> str:
        """ "vi", "aba/rk4"."""
        return label(self._record.options)

    # ---- files and other packages

    def frame(self) -> Any:
        """As a pandas.DataFrame, one column for each of the table."""
        return optional("pandas", "frame()").DataFrame(self.table, columns=list(self.columns))

    def save(self, path: Path) -> None:
        """Writes FILE.h5, FILE.csv or FILE.npz.

        .h5 and .csv are those of the command `cardan run --out`: where work is done .h5 has the
        columns work and balance in any case. An .h5 file holds model, options and start, too:
        load_result reads it, and `cardan run FILE.h5` runs it again. What control wrote into u is
        kept as a table of inputs; of what it did beyond that, and of events that changed the
        motion, a MotionWarning says that it is not.
        .npz has table, columns, model, text, settings, options.
        """
        name = path_string("path", path)
        if name.endswith(".npz"):
            self._save_npz(name)
            return
        if not name.endswith((".h5", ".hdf5", ".csv")):
            raise ArgumentError(f"path is {name!r}, expected a name that ends in .h5, .csv or .npz")
        if name.endswith((".h5", ".hdf5")) and self._repeats:
            doubt(f"{name} keeps the motion, but running it again will give another one: "
                  f"{self._repeats}")
        csv = name.endswith(".csv")
        columns, table = (self.columns, self.table) if csv else (self._names, self._all)
        write_table(name, self.model, self._record, columns, np.ascontiguousarray(table))

    def _save_npz(self, name: str) -> None:
        source = self.model._source
        np.savez_compressed(
            name, table=self.table, columns=np.array(self.columns), model=np.array(source.name),
            text=np.array(source.text.decode("utf-8", "replace")),
            settings=np.array(json.dumps(dict(source.settings))),
            options=np.array(json.dumps(self.options)))

    @classmethod
    def load(cls, path: Path) -> Result:
        """Reads FILE.h5, of save() or of the command."""
        name = path_string("path", path)
        from cardan._load import load as load_model
        if not os.path.exists(name):
            raise FileError(f"cannot read {name}: there is no such file")
        with h5_lock:
            if not lib.cardan_is_result(os.fsencode(name)):
                raise ArgumentError(f"{name!r} is no result: expected an HDF5 file of cardan run "
                                    "or Result.save")
            model = load_model(name)
            report, out = ffi.new("cardan_report *"), ffi.new("cardan_result **")
            check(lib.cardan_result_open(os.fsencode(name), ffi.NULL, out, report), report)
            try:
                if out[0].plan != ffi.NULL:
                    raise ArgumentError(f"{name!r} is the result of a sweep, expected that of a "
                                        "run: open_sweep() reads it")
                return cls._of_file(model, out[0], report)
            finally:
                lib.cardan_result_close(out[0])

    @classmethod
    def _of_file(cls, model: Model, file: Any, report: Any) -> Result:
        columns = [text(file.column[k]) for k in range(file.ncolumn)]
        table = np.empty((file.nrow, file.ncolumn))
        check(lib.cardan_result_rows(file, 0, file.nrow, ffi.from_buffer("double[]", table),
                                     report), report)
        record = Record(ffi.new("cardan_options *", file.options), file.add,
                        {text(file.initial[k].name): file.initial[k].value
                         for k in range(file.ninitial)})
        if file.input != ffi.NULL:
            record.input = bytes(ffi.buffer(file.input, file.input_length))
            record.linear = bool(file.input_linear)
        if file.state != ffi.NULL and file.state_row == file.nrow:
            record.state = bytes(ffi.buffer(file.state, file.state_size))
            record.steps = file.state_step
        if file.assumed != ffi.NULL:
            doubt(text(file.assumed))
        record.beside = file.beside
        record.unasked = tuple(name for k, name in enumerate(columns)
                               if not lib.cardan_result_was_requested(file, k))
        cut = "its table was not closed: the run is under way, or was cut off"
        return cls(model, record, columns, table, error=None if file.complete else cut)

    # ---- plots and pages

    def page(self, path: Path) -> None:
        """Writes FILE.html: the motion in 3-D, plots and facts, in one file without network."""
        self._page(FILM_BUDGET).write(path)

    def _repr_html_(self) -> Optional[str]:
        return inline(self._page(INLINE_BUDGET)) if len(self) else None

    def _page(self, budget: int) -> Page:
        film = self._film
        if film is None:
            film = film_of(self.model, self._names, self._all, budget)
        stats = self._c_stats if self._c_stats is not None else self._loaded_stats()
        seconds = self.seconds if self.seconds == self.seconds else -1.0
        return Page(self.model, [Shown(film, self._record.options, stats, seconds, self.note,
                                       self.motion_warning, self.error, status=self._status)])

    def _loaded_stats(self) -> Any:
        """What of a cardan_stats can be read off the rows."""
        stats = ffi.new("cardan_stats *")
        if len(self):
            stats.steps = round((self.t[-1] - self.t[0]) / self._record.options.dt)
            stats.energy_initial, stats.energy_final = self.energy[0], self.energy[-1]
            stats.constraint_max = float(np.max(self["constraint"]))
            stats.error.coordinate = -1
            stats.energy_band = stats.energy_trend = stats.energy_trend_error = float("nan")
            work = "balance" if "balance" in self._place else "energy"
            stats.drift_max = float(np.max(np.abs(self[work] - self[work][0])))
        return stats[0]

    def plot(self, *columns: str, ax: Any = None) -> Any:
        """Draws columns over time by matplotlib: all coordinates unless some are named.

        ax  axes to draw into; a new figure unless given. returns the axes
        """
        pyplot = optional("matplotlib.pyplot", "plot()")
        names = columns or tuple(f"q.{name}" for name in self.model.q_names)
        series: List[Tuple[str, Array]] = [(name, self[name]) for name in names]
        if ax is None:
            ax = pyplot.figure().add_subplot()
        for name, values in series:
            ax.plot(self.t, values, label=name)
        ax.set_xlabel("t [s]")
        units = {self.unit(name) for name, _ in series}
        unit = f"[{units.pop()}]" if len(units) == 1 and "" not in units else ""
        ax.set_ylabel(f"{series[0][0]} {unit}".strip() if len(series) == 1 else unit)
        if 1 < len(series) <= 12:
            ax.legend()
        return ax


def _own_stats(stats: Any) -> Any:
    """A cardan_stats * of a struct."""
    return ffi.new("cardan_stats *", stats)


def _unpickled(model: Model, kept: Tuple[Any, ...], columns: Sequence[str], table: Array,
               stats: Optional[bytes], named: Dict[str, Any]) -> Result:
    words, *rest = kept
    options = ffi.new("cardan_options *", lib.cardan_options_defaults())
    apply(options, words)
    c_stats = None
    if stats is not None:
        c_stats = ffi.new("cardan_stats *")
        ffi.buffer(c_stats)[:] = stats
    return Result(model, Record(options, *rest), columns, table,
                  c_stats=None if c_stats is None else c_stats[0], **named)


def optional(name: str, user: str) -> Any:
    """An optional module."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Error(f"{user} needs {name.partition('.')[0]}, which is not installed") from None


def load_result(path: Path) -> Result:
    """Reads the result of a run: FILE.h5, of Result.save or of the command `cardan run --out`."""
    return Result.load(path)
