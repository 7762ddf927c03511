# SPDX-License-Identifier: Apache-2.0
"""Going on with a run that was cut off, or to a later time than it had."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional

from cardan._arguments import number
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, FileError, check, doubt, text
from cardan._load import load
from cardan._result import Result
from cardan._run import Job
from cardan._sim import laid_over
from cardan._source import Path, h5_lock, path_string
from cardan._table import c_record

if TYPE_CHECKING:
    from cardan._model import Model

PATH_SIZE = 4096


def continue_result(path: Path, *, time: Optional[float] = None,
                    checkpoint: float = 10.0) -> Result:
    """Continues a result, FILE.h5 or the FILE.partial.h5 of an interrupted run, as
    the command `cardan run FILE.h5 --continue` does: to its end, or to a later time, with the bits
    of a run that was never cut off. FILE.h5 then has all of it, which is returned.

    time        length of the whole run [s]; the file's unless given
    checkpoint  seconds by the clock from one state in the file to the next; 0: at the end alone

    A file without a state (an integrator whose history is not ours: rkf45, dopri5, adams, bdf) is
    run again from its start, its rows compared. A run with control, force or events is not the
    file's alone, and cannot be gone on with.
    """
    name = path_string("path", path)
    if not os.path.exists(name):
        raise FileError(f"cannot read {name}: there is no such file")
    found = ffi.new("char[]", PATH_SIZE)
    partial = lib.cardan_partial_target(os.fsencode(name), found, PATH_SIZE)
    out = os.fsdecode(ffi.string(found)) if partial else name
    with h5_lock:
        if not lib.cardan_is_result(os.fsencode(name)):
            raise ArgumentError(f"{name!r} is no result: expected an HDF5 file of cardan run")
        report, made = ffi.new("cardan_report *"), ffi.new("cardan_result **")
        check(lib.cardan_result_open(os.fsencode(name), ffi.NULL, made, report), report)
        try:
            _go_on(name, out, made[0], time, number("checkpoint", checkpoint))
        finally:
            lib.cardan_result_close(made[0])
    return Result.load(out)


def _go_on(name: str, out: str, file: Any, time: Optional[float], checkpoint: float) -> None:
    if file.plan != ffi.NULL:
        raise ArgumentError(f"{name!r} is the result of a sweep, expected that of a run")
    options = ffi.new("cardan_options *", file.options)
    if file.assumed != ffi.NULL:
        doubt(text(file.assumed))
    if time is not None:
        options.time = number("time", time)
    job = _job(load(name), options, file)
    report, how = ffi.new("cardan_report *"), ffi.new("cardan_continuation *")
    check(lib.cardan_result_continue(job.sim._c, file, ffi.NULL, 0, how, report), report)
    if not (how.step == job.steps and out == name and not how.anew):
        _write(job, file, out, how, checkpoint)


def _job(model: Model, options: Any, file: Any) -> Job:
    """The run of the file, before its start. options: cardan_options *"""
    job = Job(model, options, None, None, (), file.add, file.beside)
    initial = {text(file.initial[k].name): file.initial[k].value for k in range(file.ninitial)}
    for what in "qvuz":
        values = {key[2:]: value for key, value in initial.items() if key.startswith(what + ".")}
        if values:
            laid_over(job.model, what, values).to(job.sim._node)
    if any(key.startswith("q.") for key in initial):
        lib.cardan_py_unit(job.model._c, 1, job.sim._node.q)
    job.record.initial.update(initial)
    if file.input != ffi.NULL:
        job.take_text(bytes(ffi.buffer(file.input, file.input_length)), "the inputs of the file",
                      "linear" if file.input_linear else "held")
    return job


def _write(job: Job, file: Any, out: str, how: Any, checkpoint: float) -> None:
    report = ffi.new("cardan_report *")
    table, states = ffi.new("cardan_table **"), ffi.new("cardan_checkpoint **")
    kept, _memory = c_record(job.model, job.record)
    kept.note = file.note
    check(lib.cardan_table_continue(file, os.fsencode(out), how.row, kept, ffi.NULL, table, report),
          report)
    status = lib.cardan_checkpoint_create(table[0], job.sim._c, checkpoint, ffi.NULL, states,
                                          report)
    if status == 0 and how.step == job.steps:
        status = lib.cardan_checkpoint_save(states[0], report)
    if status == 0:
        job.sim._started = True
        status = job.take_steps(job.steps - how.step,
                                [lib.cardan_table_sink(table[0], file.add | file.beside),
                                 lib.cardan_checkpoint_sink(states[0])])
    raised = job.sim._fail(status) if status != 0 else None
    lib.cardan_checkpoint_destroy(states[0])
    closed = lib.cardan_table_close(table[0], True, report)
    if raised is not None:
        raise raised
    check(closed, report)
