# SPDX-License-Identifier: Apache-2.0
"""What came of a sweep: a row for each case, and each case as a run again."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from cardan._arguments import nearest, whole
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, FileError, check, text
from cardan._load import load
from cardan._model import Model
from cardan._options import Option, apply, as_dict, options_of, words_from, words_of
from cardan._page import check_page, framed
from cardan._result import Result, optional
from cardan._sim import Sim
from cardan._source import Begin, Path, Source, h5_lock, path_string
from cardan._table import Record, columns_of_text
from cardan._views import Array, owned


MOST_INLINE = 20_000  # cases of a page inside a notebook, which keeps it


class Case:
    """One case of a sweep, to be run again by itself: Sweep.case makes it.

    number   of it
    settings values given for the model's constants and parameters
    initial  start values by column: {"q.a": 0.3}
    """

    def __init__(self, number: int, source: Source, record: Record) -> None:
        """For the package itself."""
        self.number, self.initial = number, dict(record.initial)
        self.settings: Mapping[str, float] = source.settings
        self._source, self._record = source, record

    def __repr__(self) -> str:
        given = {**self.settings, **self.initial}
        return f"<cardan.Case {self.number} of {self._source.name!r}: {given}>"

    @property
    def model(self) -> Model:
        """With the settings of the case; raises where they are not those of a model."""
        return Model(self._source.model(), self._source)

    @property
    def options(self) -> Dict[str, Option]:
        """All options of the case, by the names that run() takes."""
        return as_dict(self._record.options)

    def _over(self, model: Model, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        """Over what the model says itself the options of the case, and over them arguments."""
        method = arguments.get("method") or self.options["method"]
        own = ffi.new("cardan_options *", self._record.options[0])
        apply(own, words_of({"method": method}))
        if method != self.options["method"]:
            lib.cardan_options_drop_unused(own)  # what another method does not have falls
        usual, mine = as_dict(options_of(model, {"method": method})), as_dict(own)
        differ: Dict[str, Any] = {name: x for name, x in mine.items() if x != usual[name]}
        return {"method": method, **differ, **arguments}

    def _start(self, what: str) -> Optional[Dict[str, float]]:
        found = {name[2:]: value for name, value in self.initial.items()
                 if name.startswith(f"{what}.")}
        return found or None

    def run(self, **arguments: Any) -> Result:
        """The case as a run, with the bits of the sweep where lanes="off" was among its options;
        arguments as of Model.run(), over those of the case."""
        model, record = self.model, self._record
        given: Dict[str, Any] = {what: self._start(what) for what in "qvu"}
        if record.input is not None:
            given["input"] = columns_of_text(record.input)
            given["input_mode"] = "linear" if record.linear else "held"
        return model.run(**{**given, **self._over(model, arguments)})

    def sim(self, **arguments: Any) -> Sim:
        """The case as a sim at its start; arguments as of Model.sim(), over those of the case."""
        if self._record.input is not None:
            raise ArgumentError("the case has inputs over time, which a sim has not: run() takes "
                                "them, or a control() of your own")
        model = self.model
        sim = model.sim(**self._over(model, arguments))
        sim.reset(self._start("q"), self._start("v"), u=self._start("u"))
        return sim


def _open(path: Path) -> Tuple[Any, Any]:
    """The file of a sweep, to be released, and a report for errors of calls on it. Under h5_lock."""
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_sweep_result **")
    check(lib.cardan_sweep_result_open(os.fsencode(path), ffi.NULL, out, report), report)
    return owned(out[0], lib.cardan_sweep_result_close), report


class Sweep:
    """What sweep() returns and open_sweep() reads: a row for each case, in the order of numbers.

    r["L"], r["end.q.a"] are columns: (n,) numbers, or words such as those of status and method;
    r.columns names them.

    path      of the file
    model     that all cases are of, as it is before the plan's values
    plan      its text
    columns   names of the columns
    table     all numbers: (n, columns); words as their index
    messages  by number: why a case failed, or what gives reason to doubt it
    kept      numbers of the cases whose motions are in the file
    """

    def __init__(self, path: str, folder: Any = None) -> None:
        """For the package itself: folder lives as long."""
        self.path, self._folder = path, folder
        with h5_lock:
            study, report = _open(path)
            self._read(study, report)
            ffi.release(study)
        self.model = load(path)
        self._place = {name: k for k, name in enumerate(self.columns)}

    def _read(self, study: Any, report: Any) -> None:
        result = study.result
        self.columns: Tuple[str, ...] = tuple(text(result.column[k]) for k in range(result.ncolumn))
        self.table: Array = np.empty((result.nrow, result.ncolumn))
        check(lib.cardan_result_rows(result, 0, result.nrow, ffi.from_buffer("double[]", self.table),
                                     report), report)
        self.plan = bytes(ffi.buffer(study.plan, study.plan_length)).decode("utf-8",
                                                                            "backslashreplace")
        self._words: Dict[int, List[str]] = {
            study.words[k].column: [text(study.words[k].word[i]) for i in range(study.words[k].n)]
            for k in range(study.nwords)}
        self.messages: Dict[int, str] = {
            study.message[k].number: text(study.message[k].text) for k in range(study.nmessage)}
        self.kept: Tuple[int, ...] = tuple(study.kept[k] for k in range(study.nkept))
        self._options = ffi.new("cardan_options *", result.options)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        bad = len(self.failed)
        return (f"<cardan.Sweep of {self.model.name!r}: {len(self)} cases"
                f"{f', {bad} failed' if bad else ''}>")

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickled as its path."""
        if self._folder is not None:
            raise ArgumentError("a sweep without a file of its own cannot be pickled: expected one "
                                "that was made with out=")
        return open_sweep, (os.path.abspath(self.path),)

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column: (n,), a view; words, or whole numbers of cases, as a copy."""
        if name not in self._place:
            raise ArgumentError(f"there is no column {name!r} in the sweep"
                                + nearest(name, self.columns))
        k = self._place[name]
        column = self.table[:, k]
        if k in self._words:
            return np.array(self._words[k])[column.astype(np.int64)]
        return column.astype(np.int64) if name == "case" else column

    @property
    def status(self) -> NDArray[Any]:
        """How each case ended: (n,) words, "ok" and those of failures."""
        return self["status"]

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(n,) which cases went well."""
        return np.asarray(self.table[:, self._place["status"]] == 0)

    @property
    def failed(self) -> NDArray[np.int64]:
        """Numbers of the cases that failed."""
        return np.flatnonzero(~self.ok)

    @property
    def options(self) -> Dict[str, Option]:
        """The options that all cases have but for those of the plan, by the names that run()
        takes."""
        return as_dict(self._options)

    def case(self, number: int) -> Case:
        """A case, to be run again."""
        number = self._number(number)
        with h5_lock:
            report, out = ffi.new("cardan_report *"), ffi.new("cardan_sweep **")
            check(lib.cardan_sweep_open(os.fsencode(self.path), ffi.NULL, out, report), report)
        sweep = owned(out[0], lib.cardan_sweep_destroy)
        c = ffi.new("cardan_record *")
        check(lib.cardan_sweep_case(sweep, number, c, report), report)
        try:
            return self._case(number, c)
        finally:
            lib.cardan_sweep_case_free(sweep, c)

    def _case(self, number: int, c: Any) -> Case:
        options = ffi.new("cardan_options *", lib.cardan_options_defaults())
        apply(options, words_from(c.options))  # with words of its own
        begin = Begin(text(options.keyframe) or None, options.rank_tol or None,
                      options.closing or None)
        source = Source(text(c.model), bytes(ffi.buffer(c.text, c.length)),
                        {text(c.setting[k].name): c.setting[k].value for k in range(c.nsetting)},
                        begin)
        record = Record(options, c.add, {text(c.initial[k].name): c.initial[k].value
                                         for k in range(c.ninitial)})
        if c.input != ffi.NULL:
            record.input, record.linear = bytes(ffi.buffer(c.input, c.input_length)), c.input_linear
        return Case(number, source, record)

    def _number(self, number: int) -> int:
        return whole("case", number, 0, len(self) - 1)

    def motion(self, number: int) -> Result:
        """The motion of a case that was kept."""
        if self._number(number) not in self.kept:
            raise ArgumentError(f"the motion of case {number} was not kept; case({number}).run() "
                                "makes it again")
        case = self.case(number)
        with h5_lock:
            study, report = _open(self.path)
            rows = ffi.new("cardan_sweep_result_rows *")
            check(lib.cardan_sweep_result_motion(study, self.kept.index(number), rows, report),
                  report)
            columns = [text(rows.column[k]) for k in range(rows.ncolumn)]
            table = np.empty((rows.nrow, rows.ncolumn))
            ffi.memmove(ffi.from_buffer(table), rows.row, table.nbytes)
            lib.cardan_sweep_result_motion_free(rows)
            ffi.release(study)
        return Result(case.model, case._record, columns, table,
                      error=self.messages.get(number) if not self.ok[number] else None)

    # ---- plots and pages

    def _survey(self, report: Any) -> Any:
        """An owned cardan_sweep_summary *; the lock of HDF5 must be held."""
        out = ffi.new("cardan_sweep_summary **")
        check(lib.cardan_sweep_summary_create(os.fsencode(self.path), ffi.NULL, out, report), report)
        return owned(out[0], lib.cardan_sweep_summary_destroy)

    def _described(self, as_json: bool) -> str:
        report, out = ffi.new("cardan_report *"), ffi.new("char **")
        with h5_lock:
            summary = self._survey(report)
            check(lib.cardan_sweep_summary_describe(summary, as_json, ffi.NULL, out))
            ffi.release(summary)
        try:
            return text(out[0])
        finally:
            lib.cardan_free_text(ffi.NULL, out[0])

    def describe(self) -> str:
        """Statistics of the columns, and what they depend on, as a text."""
        return self._described(False)

    def info(self) -> Dict[str, Any]:
        """The same as numbers: cases, failed, columns with mean, sd and quantiles, sensitivity with
        its indices (cardan/sweep_summary.h)."""
        found: Dict[str, Any] = json.loads(self._described(True))
        return found

    def page(self, path: Path) -> None:
        """Writes FILE.html: parallel coordinates, scatter, histograms, sensitivity, the table of
        cases, motions that were kept; in one file without network."""
        check_page(path)
        report = ffi.new("cardan_report *")
        with h5_lock:
            summary = self._survey(report)
            check(lib.cardan_sweep_summary_write(summary, os.fsencode(path), ffi.NULL, report), report)
            ffi.release(summary)

    def _repr_html_(self) -> Optional[str]:
        if not lib.cardan_has_pages() or len(self) > MOST_INLINE:
            return None
        report, out, length = (ffi.new("cardan_report *"), ffi.new("char **"), ffi.new("size_t *"))
        with h5_lock:
            summary = self._survey(report)
            check(lib.cardan_sweep_summary_html(summary, ffi.NULL, ffi.NULL, out, length, report),
                  report)
            ffi.release(summary)
        try:
            page = bytes(ffi.buffer(out[0], length[0])).decode("utf-8", "replace")
        finally:
            lib.cardan_free_text(ffi.NULL, out[0])
        return framed(page, "the cases of a sweep")

    def frame(self) -> Any:
        """As a pandas.DataFrame: a row for each case, words as words."""
        return optional("pandas", "frame()").DataFrame({name: self[name] for name in self.columns})


def open_sweep(path: Path) -> Sweep:
    """Reads the result of a sweep: FILE.h5, of sweep() or of the command `cardan sweep`."""
    name = path_string("path", path)
    if not os.path.exists(name):
        raise FileError(f"cannot read {name}: there is no such file")
    if not lib.cardan_is_result(os.fsencode(name)):
        raise ArgumentError(f"{name!r} is no result: expected an HDF5 file of cardan sweep or of "
                            "sweep()")
    return Sweep(name)
