# SPDX-License-Identifier: Apache-2.0
"""Whole runs of a model: from a start to a Result."""
from __future__ import annotations

import itertools
import math
import signal
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from cardan._cardan import ffi, lib
from cardan._error import (
    ArgumentError, BlewUp, Error, Jump, MotionWarning, OutOfMemory, Strict, check, doubt, text)
from cardan._hooks import Control, Event, Force
from cardan._options import Option
from cardan._page import FILM_BUDGET, INLINE_BUDGET, check_page, page_columns
from cardan._result import Result
from cardan._sim import Names, Sim, Values, add_of, columns_of, laid_over
from cardan._source import Path
from cardan._table import Input, Record, csv_text, input_text, write_table
from cardan._views import Array, owned, view

if TYPE_CHECKING:
    from cardan._model import Model

Progress = Union[bool, Callable[[float], object]]
MOST_STEPS = 2 ** 53
SENTENCE_SIZE = 1024


class Job:
    """One run: its sim, where the rows go, and what there is to say of it."""

    def __init__(self, model: Model, options: Dict[str, Option], control: Optional[Control],
                 force: Optional[Force], events: Sequence[Event], add: int,
                 beside: Optional[int] = None) -> None:
        self.sim = Sim(model, options, control, force, events, begin=False)
        self.model = self.sim.model
        works = lib.cardan_sim_does_work(self.sim._c) or control is not None or force is not None
        if beside is None:
            beside = lib.CARDAN_ADD_WORK & ~add if works else 0
        self.record = Record(ffi.new("cardan_options *", self.sim._options[0]), add, beside=beside)
        self.columns = columns_of(self.sim._c, add | beside)
        asked = set(columns_of(self.sim._c, add))
        self.record.unasked = tuple(name for name in self.columns if name not in asked)
        self.warnings: List[str] = []
        self.film: Any = None
        self.steps = self._count_steps()
        self.touches = bool(page_columns(self.sim._c) & lib.CARDAN_ADD_CONTACTS)
        self._signals: Any = None
        self._at = ffi.new("cardan_run_state *")
        self._rows = _growing(len(self.columns))
        self._inputs = None
        if control is not None and model._c.ninput > 0:
            self._inputs = self.sim._s.inputs = _growing(model._c.ninput)

    def _count_steps(self) -> int:
        """Steps of dt within the duration of the run."""
        options = self.record.options
        n = int(math.floor(options.time / options.dt + 1e-9))
        if not n < MOST_STEPS:
            raise ArgumentError(f"time {options.time:g} s is more steps of dt {options.dt:g} s "
                                "than can be counted")
        if abs(n * options.dt - options.time) > 1e-9 * options.dt * (1 + n):
            self.warn(f"time {options.time:g} s is no multiple of dt {options.dt:g} s: the run "
                      f"ends at t = {options.begin + n * options.dt:g} s")
        return n

    def warn_of_choices(self) -> None:
        """Says which options have no effect, and which columns are one choice of many."""
        sentence = ffi.new("char[]", SENTENCE_SIZE)
        for index in itertools.count():
            if not lib.cardan_options_notice(self.record.options, index, sentence, SENTENCE_SIZE):
                break
            self.warn(text(sentence))
        c = self.model._c
        shared = [c.constraint[k].name for k in range(c.nconstraint)
                  if any(c.row_shared[c.constraint[k].row + i]
                         for i in range(c.constraint[k].nrow))]
        if shared and self.record.add & (lib.CARDAN_ADD_MULTIPLIERS | lib.CARDAN_ADD_REACTIONS):
            more = f" and {len(shared) - 1} more" if len(shared) > 1 else ""
            self.warn(f'multipliers of "{text(shared[0])}"{more}, and reactions that depend on '
                      "them, are not unique: the table has those of least norm")

    def warn(self, sentence: str) -> None:
        """Keeps a sentence for the result, and says it."""
        self.warnings.append(sentence)
        doubt(sentence)

    def take_input(self, value: Input, mode: str) -> None:
        """Inputs over time, from a table."""
        if mode not in ("held", "linear"):
            raise ArgumentError(f"input_mode is {mode!r}, expected 'held' or 'linear'")
        found, name = input_text(self.model, value)
        self.take_text(found, name, mode)

    def take_text(self, found: bytes, name: str, mode: str) -> None:
        """The same, of its text."""
        report, out = ffi.new("cardan_report *"), ffi.new("cardan_signals **")
        check(lib.cardan_signals_read(self.model._c, found, len(found), name.encode(),
                                      mode == "linear", ffi.NULL, out, report), report)
        self._signals = owned(out[0], lib.cardan_signals_destroy, self.model._c)
        self.sim._keeps = self._signals
        lib.cardan_sim_signals(self.sim._c, self._signals)
        self.record.input, self.record.linear = found, mode == "linear"
        begin, end = lib.cardan_signals_begin(out[0]), lib.cardan_signals_end(out[0])
        options = self.record.options
        if begin > options.begin:
            self.warn(f"{name} begins at t = {begin:g} s: before that, inputs have the model's own "
                      "values")
        if end < options.begin + options.time - options.dt:
            self.warn(f"{name} ends at t = {end:g} s: its last row is held from there on")

    def begin(self, q: Values, v: Values, u: Values, z: Values = None) -> None:
        """Starts the sim; what was given and is not the model's own goes into the record."""
        self.record.initial.update(given_start(self.model, q, v, u, z))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MotionWarning)
            self.sim.reset(q, v, u=u, z=z)
        if self.sim.note:
            self.warn(self.sim.note)

    def take_film(self, budget: int) -> None:
        """Films the run: for its page."""
        report, out = ffi.new("cardan_report *"), ffi.new("cardan_film **")
        check(lib.cardan_film_of_sim(self.sim._c, self.record.add | page_columns(self.sim._c),
                                     budget, ffi.NULL, out, report), report)
        self.film = owned(out[0], lib.cardan_film_destroy, self.model._c)

    def go(self, look: Optional[Callable[[float], object]]) -> int:
        """Takes the steps. returns their status"""
        sinks = [lib.cardan_py_table_sink(self._rows, self.record.add | self.record.beside)]
        if self.film is not None:
            sinks.append(lib.cardan_film_sink(self.film))
        end = ffi.gc(ffi.new("cardan_py_end *"), lib.cardan_py_end_free)
        hooks = self.sim._hooks
        if not (hooks.needs_data() or hooks.force):  # which the file lacks, so that it could not continue
            sinks.append(lib.cardan_py_end_sink(end))
        status = self.take_steps(self.steps, sinks, look)
        if end.state != ffi.NULL:
            self.record.state, self.record.steps = ffi.buffer(end.state, end.size)[:], end.step
        return status

    def take_steps(self, steps: int, sinks: List[Any],
                   look: Optional[Callable[[float], object]] = None) -> int:
        """So many, their rows to sinks."""
        sim = self.sim
        looker = ffi.new("cardan_py_looker *", {"s": sim._s})
        sinks.append(lib.cardan_py_look_sink(looker))  # last: it may end the run
        sim._hooks.look = look
        sim._s.raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        status = int(lib.cardan_py_run(sim._s, steps, ffi.new("cardan_sink[]", sinks),
                                       len(sinks), self._at))
        sim._hooks.look = None
        if status == lib.CARDAN_ERR_STOPPED and sim._hooks.raised is None and sim._s.stopping:
            return 0
        return status

    def result(self, raised: Optional[BaseException]) -> Result:
        """What came of it. raised: what ended it early."""
        sim = self.sim
        error = None if raised is None else str(raised)
        table = _array(self._rows)
        inputs = None if self._inputs is None else _array(self._inputs)
        if inputs is not None:
            self._keep_inputs(inputs)
        return Result(self.model, self.record, self.columns, table, stats=sim.stats,
                      note=sim.note, motion_warning=sim.warning, warnings=self.warnings,
                      seconds=float(self._at.seconds), error=error,
                      status=getattr(raised, "status", 0), crossings=sim.crossings,
                      inputs=inputs, film=self.film, c_stats=lib.cardan_sim_stats(sim._c),
                      repeats=self._repeats())

    def _keep_inputs(self, inputs: Array) -> None:
        """What control wrote, as the table of inputs of the record: a file of the run can then be
        run again without it."""
        options = self.record.options
        t = options.begin + np.arange(len(inputs)) * options.dt  # as the sim has its nodes
        names = ["t", *(f"u.{name}" for name in self.model.input_names)]
        self.record.input = csv_text(names, np.column_stack((t, inputs)))
        self.record.linear = False

    def _repeats(self) -> str:
        """Why a file of this run does not repeat it, "" where it does."""
        hooks = self.sim._hooks
        if hooks.control is not None and (self.sim._s.pushed or self._inputs is None):
            return "control did more than set inputs"
        if any(event.then is not None or event.stop for event in hooks.events):
            return "events changed it"
        return ""


def given_start(model: Model, q: Values, v: Values, u: Values,
                z: Values = None) -> Dict[str, float]:
    """Start values that were given, by their columns: those by name, and of arrays what is not the
    model's own."""
    own = {"q": model.q0, "v": model.v0}
    found: Dict[str, float] = {}
    for what, value, names in (("q", q, model.q_names), ("v", v, model.v_names),
                               ("u", u, model.input_names), ("z", z, model.z_names)):
        if value is not None:
            laid = laid_over(model, what, value)
            found.update((f"{what}.{names[k]}", x) for k, x in laid.values.items()
                         if laid.named or what in ("u", "z") or x != own[what][k])
    return found


def _growing(width: int) -> Any:
    """An owned cardan_py_table *."""
    made = lib.cardan_py_table_create(width)
    if made == ffi.NULL:
        raise OutOfMemory("out of memory")
    return owned(made, lib.cardan_py_table_destroy)


def _array(rows: Any) -> Array:
    return view(rows, rows.at, rows.n, rows.width)


def bar(fraction: float) -> None:
    """A line on a terminal that shows how far a run is."""
    if sys.stderr.isatty():
        done = int(round(40 * fraction))
        end = "\n" if fraction >= 1 else ""
        sys.stderr.write(f"\r[{'#' * done}{'.' * (40 - done)}] {100 * fraction:3.0f} %{end}")
        sys.stderr.flush()


def run(model: Model, options: Dict[str, Option], *, control: Optional[Control],
        force: Optional[Force], events: Sequence[Event], q: Values, v: Values, u: Values,
        z: Values, add: Names, out: Optional[Path], report: Optional[Path], input: Optional[Input],
        input_mode: str, progress: Progress) -> Result:
    """For the package itself: see Model.run."""
    look = bar if progress is True else None if progress is False else progress
    if look is not None and not callable(look):
        raise ArgumentError(f"progress is {progress!r}, expected True, False or a function")
    job = Job(model, options, control, force, events, add_of(add))
    job.warn_of_choices()
    if input is not None:
        job.take_input(input, input_mode)
    if report is not None:
        check_page(report)
    if out is not None:
        write_table(out, job.model, job.record, job.columns, None)
    if report is not None or job.touches:
        job.take_film(FILM_BUDGET if report is not None else INLINE_BUDGET)
    job.begin(q, v, u, z)
    status = job.go(look)
    raised = job.sim._fail(status) if status != 0 else None
    result = job.result(raised)
    if result.motion_warning and not isinstance(raised, (Jump, BlewUp, Strict)):
        job.warn(result.motion_warning)
    if out is not None:
        result.save(out)
    if report is not None:
        result.page(report)
    if raised is not None:
        if isinstance(raised, Error):
            raised.result = result
        raise raised
    return result
