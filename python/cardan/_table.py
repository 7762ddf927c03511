# SPDX-License-Identifier: Apache-2.0
"""Tables of motion between memory and files."""
from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check
from cardan._source import Path, h5_lock, path_string, settings_array
from cardan._views import Array, given

if TYPE_CHECKING:
    from cardan._model import Model

Input = Union[str, "os.PathLike[str]", Mapping[str, ArrayLike], ArrayLike]


@dataclass
class Record:
    """What a run was, beside its model: what an HDF5 file keeps of it.

    options   cardan_options *, as they were when the run began
    add       CARDAN_ADD_..: requested columns
    beside    and those that FILE.h5 and pages have beside them
    initial   start values by column name, such as "q.theta"
    input     the table of inputs, None where there was none; linear: how it is read between rows
    given     names of options that were given, with commas between
    state     of the run at its end, after `steps` steps; b"": none
    unasked   names of the columns of `beside`
    """

    options: Any
    add: int = 0
    initial: Dict[str, float] = field(default_factory=dict)
    input: Optional[bytes] = None
    linear: bool = False
    given: str = ""
    state: bytes = b""
    steps: int = 0
    beside: int = 0
    unasked: Tuple[str, ...] = ()


def write_table(path: Path, model: Model, record: Record, columns: Sequence[str],
                table: Optional[Array]) -> None:
    """Writes rows as FILE.csv or FILE.h5, as the command does. table None: only looks whether they
    could be written there."""
    name = path_string("path", path)
    if not name.endswith((".h5", ".hdf5", ".csv")):
        raise ArgumentError(f"{name!r} is no name of a table, expected one that ends in .h5 or "
                            ".csv")
    report = ffi.new("cardan_report *")
    c_columns = [ffi.new("char[]", column.encode("utf-8", "surrogateescape"))
                 for column in columns]
    kept, _memory = c_record(model, record)
    out = ffi.new("cardan_table **")
    with h5_lock:
        check(lib.cardan_table_open(os.fsencode(name), ffi.new("char *[]", c_columns),
                                    len(columns), kept, ffi.NULL, out, report), report)
        status = 0
        if table is not None:
            rows = ffi.from_buffer("double[]", table)
            status = lib.cardan_py_write_rows(out[0], rows, *table.shape, report)
            if status == 0 and record.state:
                status = lib.cardan_table_snapshot(out[0], record.steps, record.state,
                                                len(record.state), report)
        good = table is not None and status == 0
        closed = lib.cardan_table_close(out[0], good, report)
    check(status or closed, report)


def c_record(model: Model, record: Record) -> Tuple[Any, Any]:
    """The cardan_record *, and what must outlive its use."""
    source = model._source
    settings, setting_names = settings_array(source.settings)
    initial, initial_names = settings_array(record.initial)
    name, source_text = ffi.new("char[]", os.fsencode(source.name)), ffi.from_buffer(source.text)
    given_names = ffi.new("char[]", record.given.encode()) if record.given else ffi.NULL
    made = ffi.new("cardan_record *", {
        "model": name, "text": ffi.cast("char *", source_text), "length": len(source.text),
        "options": record.options, "add": record.add, "beside": record.beside, "setting": settings,
        "nsetting": len(source.settings), "initial": initial, "ninitial": len(record.initial),
        "input_linear": record.linear, "given": given_names})
    if record.input is not None:
        made.input, made.input_length = ffi.from_buffer(record.input), len(record.input)
    return made, (settings, setting_names, initial, initial_names, name, source_text,
                  given_names, record.input)


def input_text(model: Model, value: Input) -> Tuple[bytes, str]:
    """A table of inputs as its text in CSV, and its name for messages. value: the path of one, a
    mapping of columns, or an array (rows, 1 + ninput) of t and all inputs."""
    if isinstance(value, (str, os.PathLike)):
        name = path_string("input", value)
        with open(name, "rb") as file:
            return file.read(), name
    if isinstance(value, Mapping):
        names = list(value)
        columns = [np.atleast_1d(np.asarray(value[name])) for name in names]
        rows = given("input", np.stack(_of_one_length(columns), 1), len(columns[0]),
                     len(names))[1]
    else:
        names = ["t", *(f"u.{name}" for name in model.input_names)]
        shape = np.shape(value)
        if len(shape) != 2 or shape[1] != len(names):
            raise ArgumentError(f"input has the shape {shape}, expected (rows, {len(names)}): t "
                                "and all inputs")
        rows = given("input", value, *shape)[1]
    return csv_text(names, rows), "input"


def _of_one_length(columns: Sequence[Any]) -> Sequence[Any]:
    if not columns or any(column.shape != columns[0].shape or column.ndim != 1
                          for column in columns):
        raise ArgumentError("input has columns of different lengths, expected a mapping of t and "
                            "inputs to arrays of one length")
    return columns


def csv_text(names: Sequence[str], rows: Array) -> bytes:
    """Rows under names as CSV; numbers read back to the same bits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows.tolist())
    return text.getvalue().encode("utf-8", "surrogateescape")


def columns_of_text(text: bytes) -> Dict[str, Array]:
    """A table in CSV by its columns, to the same bits."""
    names, *rows = csv.reader(io.StringIO(text.decode("utf-8", "surrogateescape")))
    table = np.array([[float(x) for x in row] for row in rows if row])
    return {name: table[:, k] for k, name in enumerate(names)}
