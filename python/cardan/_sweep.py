# SPDX-License-Identifier: Apache-2.0
"""Many runs by a plan, on threads, and not one lost."""
from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from typing import Any, List, Optional

from cardan._arguments import flag, number, whole, word
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, doubt, failure, text
from cardan._model import Model, a_model
from cardan._options import begun, given_names, options_of, options_of_several
from cardan._plan import Plan, plan_text
from cardan._run import Progress, bar, given_start
from cardan._sim import Names, Values, add_of
from cardan._source import Path, h5_lock, path_string
from cardan._sweep_result import Sweep
from cardan._table import Input, Record, c_record, input_text
from cardan._views import owned

WAIT = 0.05  # between checks for an interrupt [s]


def sweep(model: Model, plan: Plan, out: Optional[Path] = None, *, jobs: int = 0,
          resume: bool = False, timeout: float = 0.0, keep: str = "none", q: Values = None,
          v: Values = None, u: Values = None, add: Names = None, input: Optional[Input] = None,
          input_mode: str = "held", progress: Progress = False, **options: Any) -> Sweep:
    """Runs all cases of a plan on threads without the interpreter's lock, and returns what is kept
    of them. The file is that of the command `cardan sweep`, to the byte.

    plan      its text, which begins with a parenthesis, the path of one (docs/sweep.md), or a list
              of forms as plan() takes them
    out       FILE.h5; a file that lasts as long as what is returned unless given
    jobs      threads; 0: as many as there are cores
    resume    continue what an earlier call, or the command, left behind in FILE.h5.parts
    timeout   of a case by the clock [s]; 0: none
    keep      motions to keep: "none", "all", "worst:5" or "worst:5:COLUMN"
    q, v, u   start values of all cases, as of run(); the plan's go over them
    add       more columns of the motions that are kept, as of run()
    input, input_mode  inputs over time of all cases, as of run()
    progress  True: a bar on a terminal; or a function of the part that is done, 0 .. 1
    options   dt=, time=, method=, .. of all cases, as of run(); the plan's go over them. Where the
              plan has (option method ..) each counts for the methods that have it, at least one

    A case that fails does not stop the others and raises nothing: see Sweep.status and messages.
    After a KeyboardInterrupt, or an exception of progress, what was done is in FILE.h5.parts, and
    resume=True continues it. What could be better about the plan is a MotionWarning.
    """
    a_model(model)
    plan_bytes, plan_name = plan_text(plan)
    methods = _methods(plan_bytes)
    made = (options_of_several(model, options, methods) if methods else
            options_of(model, options))
    record = Record(made, add_of(add), given_start(begun(model, made), q, v, u),
                    given=",".join(given_names(model, options)))
    if input is not None:
        record.linear = word("input_mode", input_mode, {"held": False, "linear": True})
        record.input = input_text(model, input)[0]
    folder = None
    if out is None:
        folder = _Folder()
        out = os.path.join(folder.name, "sweep.h5")
    name = path_string("out", out)
    if not name.endswith((".h5", ".hdf5")):
        raise ArgumentError(f"out is {name!r}, expected a name that ends in .h5")
    how = ffi.new("cardan_sweep_run_options *", {
        "jobs": whole("jobs", jobs, 0), "resume": flag("resume", resume),
        "timeout": number("timeout", timeout)})
    _Run(_created(model, record, plan_bytes, plan_name), how, name, keep, progress).all()
    return Sweep(name, folder)


class _Folder:
    """A folder that goes with the last that refers to it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="cardan-sweep-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def _methods(plan: bytes) -> List[bytes]:
    """Those of (option method ..)."""
    found = ffi.new("const char *[]", lib.CARDAN_SWEEP_PLAN_METHODS)
    n = lib.cardan_sweep_plan_methods(plan, len(plan), ffi.NULL, found)
    return [bytes(ffi.string(found[k])) for k in range(n)]


def _created(model: Model, record: Record, plan: bytes, name: str) -> Any:
    """An owned cardan_sweep *."""
    c, _kept = c_record(model, record)
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_sweep **")
    check(lib.cardan_sweep_create(c, plan, len(plan), os.fsencode(name), ffi.NULL, out, report),
          report)
    made = owned(out[0], lib.cardan_sweep_destroy)
    note = lib.cardan_sweep_note(made)
    if note != ffi.NULL:
        doubt(text(note))
    return made


class _Run:
    """A sweep under way: by another thread than the main one, which handles interrupts."""

    def __init__(self, c: Any, how: Any, out: str, keep: str, progress: Progress) -> None:
        look = bar if progress is True else None if progress is False else progress
        if look is not None and not callable(look):
            raise ArgumentError(f"progress is {progress!r}, expected True, False or a function")
        if not isinstance(keep, str):
            raise ArgumentError(f"keep is {keep!r}, expected a text such as 'worst:5'")
        self.c, self.how, self.out, self.progress = c, how, out, look
        self.stop = False
        self.raised: Optional[BaseException] = None
        self.status = 0
        self.report = ffi.new("cardan_report *")
        self.handle = ffi.new_handle(self)
        self._kept = ffi.new("char[]", os.fsencode(out)), ffi.new("char[]", keep.encode())
        how.out, how.keep = self._kept
        how.look, how.user = lib.cardan_py_on_sweep, self.handle

    def all(self) -> None:
        """Runs it to its end; raises what stopped it."""
        worker = threading.Thread(target=self._work, daemon=True)
        worker.start()
        while worker.is_alive():
            try:
                worker.join(WAIT)  # a signal that another thread got is heard here too
            except BaseException as raised:  # once it has stopped
                self.stop, self.raised = True, raised
        if self.raised is not None:
            raise self.raised
        if self.status != 0:
            raise failure(self.status, self.report)
        if self.progress is not None:
            self.progress(1.0)

    def _work(self) -> None:
        """HDF5 is free for others while the cases run: they are one shard of one, merged then."""
        how, report = self.how, self.report
        with h5_lock:  # a result that is there is looked at
            self.status = lib.cardan_sweep_begin(self.c, how, report)
            if self.status == 0 and os.path.exists(self.out):
                self.status = lib.cardan_sweep_run(self.c, how, ffi.NULL, report)
                return
        if self.status == 0:
            how.resume, how.shards = True, 1
            self.status = lib.cardan_sweep_run(self.c, how, ffi.NULL, report)
        if self.status == 0:
            with h5_lock:
                self.status = lib.cardan_sweep_merge(self.c, how, ffi.NULL, report)

    def look(self, at: Any) -> None:
        """Called now and then."""
        if self.progress is not None and at.cases > 0:
            self.progress(at.done / at.cases)


def _keep(_kind: Any, raised: BaseException, traceback: Any) -> None:
    run = ffi.from_handle(traceback.tb_frame.f_locals["handle"])
    run.raised = raised.with_traceback(traceback)


def _on_sweep(handle: Any, at: Any) -> int:
    run = ffi.from_handle(handle)
    if run.stop:
        return int(lib.CARDAN_ERR_STOPPED)
    run.look(at)
    return 0


ffi.def_extern("cardan_py_on_sweep", error=lib.CARDAN_ERR_STOPPED, onerror=_keep)(_on_sweep)
