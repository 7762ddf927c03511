# SPDX-License-Identifier: Apache-2.0
"""Many copies of one model, run at once on threads."""
from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan._arguments import mapping, nearest, whole
from cardan._cardan import ffi, lib
from cardan._error import KINDS, ArgumentError, doubt, failure, text
from cardan._model import Model, a_model
from cardan._options import begun, options_of
from cardan._views import Array, given, out as out_array

PIECE = 0.3  # about how long a piece of copies takes [s]: an interrupt skips the pieces that follow
NOT_RUN = 1  # no cardan_status


@dataclass(frozen=True)
class Rollout:
    """What rollout() returns, for n copies and rows at the start and every `every` steps.

    t       (rows,) [s]
    q, v, y  (n, rows, nq), (n, rows, nv), (n, rows, ny): coordinates, velocities, the model's
            outputs; of a copy that failed NaN after its last good row. No rows where not recorded
    status  (n,) how each ended: 0, or the status of its Error
    message of the failed copy of lowest number, "" when all went well
    """

    t: Array
    q: Array
    v: Array
    y: Array
    status: NDArray[np.int32]
    message: str

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(n,) which copies went well."""
        return np.asarray(self.status == 0)

    def __len__(self) -> int:
        return len(self.status)

    def check(self) -> Rollout:
        """Itself; raises the Error of the first copy that failed."""
        failed = np.flatnonzero(self.status)
        if len(failed):
            raise KINDS[int(self.status[failed[0]])](self.message)
        return self

    def __repr__(self) -> str:
        bad = np.count_nonzero(self.status)
        return (f"<cardan.Rollout of {len(self)} copies, {len(self.t)} rows to t = "
                f"{self.t[-1]:g} s{f', {bad} failed' if bad else ''}>")


def rollout(model: Model, q0: Optional[ArrayLike] = None, v0: Optional[ArrayLike] = None,
            u: Optional[ArrayLike] = None, *, steps: Optional[int] = None,
            copies: Optional[int] = None,
            parameters: Optional[Mapping[str, Union[float, ArrayLike]]] = None, threads: int = 0,
            record: Sequence[str] = ("q", "v", "y"), out: Optional[Rollout] = None,
            **options: Any) -> Rollout:
    """Runs n copies of a model, each a number of steps of dt, on threads without the interpreter's
    lock. A copy's bits do not depend on the number of threads or on the other copies; with
    lanes="off" they are those of a Sim by itself, else some go several at once in vector registers
    and have its motion to round-off (docs/methods/lanes.md).

    q0, v0      (n, nq), (n, nv), starts, whose loops are closed; (nq,), (nv,): one for all; the
                model's own by default
    u           (n, steps, ninput): inputs, held over each step; (steps, ninput): for all copies;
                (ninput,): for all steps too; the model's own values by default
    steps       how many, unless u says it
    copies      n, where no array says it; 1 by default
    parameters  name: (n,) values, or one for all, in place of the model's
    threads     0: as many as there are cores
    record      which of q, v and y to keep
    out         what an earlier call of the same size returned: its arrays are written again
    options     dt=, every=, method=, .. as of Model.sim()

    A copy that fails does not stop the others and raises nothing: see Rollout.status and check().
    Motions that blew up give a MotionWarning.
    After a KeyboardInterrupt the copies that are under way end in the background.
    """
    a_model(model)
    made = options_of(model, options)
    model = begun(model, made)
    c = model._c
    if not isinstance(record, Sequence):
        raise ArgumentError(f"record is {record!r}, expected a list of \"q\", \"v\" and \"y\"")
    count = _Count(copies)
    starts = [count.array("q0", q0, model.nq), count.array("v0", v0, model.nv)]
    nstep, held = _inputs(count, u, steps, int(c.ninput))
    values = _parameters(count, model, parameters)
    n = count.n
    shapes = (model.nq,), (model.nv,), (nstep, c.ninput), (c.nparameter,)
    laid = [None if array is None else np.ascontiguousarray(np.broadcast_to(array, (n, *shape)))
            for array, shape in zip((*starts, held, values), shapes)]
    if laid[0] is not None:
        laid[0] = laid[0].copy()
        lib.cardan_py_unit(c, n, ffi.from_buffer("double[]", laid[0].reshape(-1)))
    rows = nstep // max(int(made.every), 1) + 1
    kept = _kept(record, out, n, rows, {"q": model.nq, "v": model.nv, "y": int(c.ny)})
    run = _Run(model, made, whole("threads", threads, 0), nstep, laid,
               [kept[name] if name in record else None for name in "qvy"],
               np.full(n, NOT_RUN, np.int32))
    run.all()
    _warn_of_blown(run.status, run.message)
    t = made.begin + made.dt * made.every * np.arange(rows)
    return Rollout(t, kept["q"], kept["v"], kept["y"], run.status, run.message)


def _warn_of_blown(status: NDArray[np.int32], message: str) -> None:
    """Warns where motions blew up. message: of the first copy that failed."""
    blown = np.flatnonzero(status == lib.CARDAN_ERR_BLEW_UP)
    if len(blown):
        first = f"copy {blown[0]}: "
        how = message if message.startswith(first) else first + "see Rollout.status"
        doubt(f"the motion of {len(blown)} of {len(status)} copies blew up; {how}")


class _Count:
    """How many copies there are, as arguments say it one after another."""

    def __init__(self, copies: Optional[int]) -> None:
        self.n = 1 if copies is None else whole("copies", copies, 0)
        self.said = None if copies is None else "copies"

    def say(self, name: str, n: int) -> None:
        if self.said is not None and n != self.n:
            raise ArgumentError(f"{name} is of {n} copies, but {self.said} of {self.n}")
        self.n, self.said = n, name

    def array(self, name: str, value: Optional[ArrayLike], *shape: int) -> Optional[Array]:
        """value as numbers of that shape, for each copy or for all."""
        if value is None:
            return None
        array = _doubles(name, value)
        if array.shape == shape:
            return array
        if array.ndim != len(shape) + 1 or array.shape[1:] != shape:
            raise ArgumentError(f"{name} has the shape {array.shape}, expected "
                                f"{('n', *shape)}, or {shape or 'one number'} for all copies"
                                .replace("'n'", "n"))
        self.say(name, len(array))
        return array


def _doubles(name: str, value: ArrayLike) -> Array:
    """Finite numbers of any shape."""
    try:
        shape = np.shape(value)
    except ValueError as fault:
        raise ArgumentError(f"{name} is not an array of numbers: {fault}") from None
    return given(name, value, *shape)[1]


def _inputs(count: _Count, u: Optional[ArrayLike], steps: Optional[int],
            ninput: int) -> Tuple[int, Optional[Array]]:
    """Number of steps, and the inputs."""
    if steps is not None:
        steps = whole("steps", steps, 0, 2**62)
    if u is None:
        if steps is None:
            raise ArgumentError("steps is not given, and u, which could say how many, neither")
        return steps, None
    array = _doubles("u", u)
    if steps is None:
        if array.ndim not in (2, 3):
            raise ArgumentError(f"u has the shape {array.shape}, and steps is not given; expected "
                                f"(n, steps, {ninput}) or (steps, {ninput})")
        steps = array.shape[-2]
    if array.shape == (ninput,):
        array = np.broadcast_to(array, (steps, ninput))
    return steps, count.array("u", array, steps, ninput)


def _parameters(count: _Count, model: Model,
                said: Optional[Mapping[str, Union[float, ArrayLike]]]) -> Optional[Array]:
    """(n, nparameter) values."""
    said = mapping("parameters", said)
    if not said:
        return None
    c = model._c
    names = {text(c.parameter[k].name): k for k in range(c.nparameter)}
    columns: Dict[int, Array] = {}
    for name, value in said.items():
        if name not in names:
            raise ArgumentError(f"there is no parameter {name!r}{nearest(name, names)}")
        parameter = c.parameter[names[name]]
        if parameter.derived:
            raise ArgumentError(f"the parameter {name!r} is computed from others")
        if parameter.rigid_pos.line > 0:
            raise ArgumentError(f"the parameter {name!r} is used where only reading the text again "
                                f"can change it (line {parameter.rigid_pos.line})")
        array = count.array(f"parameters[{name!r}]", value)
        columns[names[name]] = np.empty(0) if array is None else array
    own = [c.parameter_value[k] for k in range(c.nparameter)]
    table = np.tile(np.asarray(own), (count.n, 1))
    for k, column in columns.items():
        table[:, k] = column
    return table


def _kept(record: Sequence[str], out: Optional[Rollout], n: int, rows: int,
          widths: Mapping[str, int]) -> Dict[str, Array]:
    """The arrays that rows are written to; without rows where they are not recorded."""
    if out is not None and not isinstance(out, Rollout):
        raise ArgumentError(f"out is {out!r}, expected what an earlier call returned")
    if not isinstance(record, (list, tuple, str)):
        raise ArgumentError(f"record is {record!r}, expected names of arrays")
    for name in record:
        if not isinstance(name, str) or name not in widths:
            raise ArgumentError(f"record has {name!r}, expected \"q\", \"v\" or \"y\"")
    kept: Dict[str, Array] = {}
    for name, width in widths.items():
        if out is not None and name in record:
            kept[name] = out_array(f"out.{name}", getattr(out, name), n, rows, width)[1]
        else:
            kept[name] = np.empty((n, rows if name in record else 0, width))
    return kept


class _Run:
    """Copies that are run in pieces, so that an interrupt is heard."""

    def __init__(self, model: Model, options: Any, threads: int, steps: int,
                 given: List[Optional[Array]], kept: List[Optional[Array]],
                 status: NDArray[np.int32]) -> None:
        self.model, self.options, self.threads, self.steps = model, options, threads, steps
        self.given, self.kept, self.status = given, kept, status
        self.message = ""
        self.stop = False
        self.fault: Optional[BaseException] = None

    def all(self) -> None:
        """Runs them; in the main thread, which handles interrupts, by another thread that it waits for."""
        if threading.current_thread() is not threading.main_thread():
            self.pieces()
        else:
            worker = threading.Thread(target=self._guarded, daemon=True)
            worker.start()
            try:
                while worker.is_alive():
                    worker.join(0.05)  # a signal that another thread got is heard here too
            except BaseException:
                self.stop = True
                raise
        if self.fault is not None:
            raise self.fault

    def _guarded(self) -> None:
        try:
            self.pieces()
        except BaseException as fault:  # raised again in the thread that waits
            self.fault = fault

    def pieces(self) -> None:
        """Piece after piece, each about as long as PIECE."""
        n, at, size = len(self.status), 0, 4 * max(self.threads, 1)
        while at < n or n == 0:
            size = min(size, n - at)
            began = time.perf_counter()
            self.piece(at, size)
            spent = time.perf_counter() - began
            at += size
            if self.stop or n == 0:
                return
            size = int(min(16 * size, max(1, size * PIECE / max(spent, 1e-9))))
            size = max(size, self.threads, 1)

    def piece(self, at: int, size: int) -> None:
        """Copies at .. at + size - 1."""
        report = ffi.new("cardan_report *")
        pointers = [ffi.NULL if array is None else
                    ffi.from_buffer("double[]", array[at:at + size].reshape(-1))
                    for array in (*self.given, *self.kept)]
        part = self.status[at:at + size]
        arguments = ffi.new("cardan_rollout_args *", {
            "model": self.model._c, "options": self.options, "nthread": self.threads,
            "nbatch": size, "nstep": self.steps,
            "status": ffi.cast("cardan_status *", part.ctypes.data),
            **dict(zip(("q0", "v0", "u", "param", "q", "v", "y"), pointers))})
        status = lib.cardan_rollout(arguments, report)
        if status == 0:
            return
        if not len(part) or part[0] == NOT_RUN:
            raise failure(status, report)
        if not self.message:
            self.message = _placed(text(report.message), at)
        self.message = re.sub(r"\(\d+ of \d+ failed\)$", self._failed(), self.message)

    def _failed(self) -> str:
        bad = np.count_nonzero((self.status != 0) & (self.status != NOT_RUN))
        return f"({bad} of {len(self.status)} failed)"


def _placed(message: str, at: int) -> str:
    """The sentence of a piece that begins with copy at."""
    number: Callable[[Any], str] = lambda found: f"copy {int(found[1]) + at}:"
    return re.sub(r"^copy (\d+):", number, message)
