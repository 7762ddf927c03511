# SPDX-License-Identifier: Apache-2.0
"""The same motion by several methods: error, drift and cost side by side."""
from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from cardan._arguments import chars, number
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, doubt, failure, text
from cardan._model import Model, a_model
from cardan._options import Option, as_dict, begun, label, options_of_several, words_of
from cardan._page import Page, Shown, inline, page_columns
from cardan._result import optional
from cardan._sim import Values, laid_over
from cardan._source import Path
from cardan._stats import Stats, stats_of
from cardan._views import Array, owned, view

MOST = 256  # runs
BUDGET = 2_000_000  # bytes of all films of a page


class Contender(NamedTuple):
    """One method at one step size.

    label    "vi", "aba/rk4"
    dt       step, or the interval between rows of an adaptive integrator [s]
    refused  why the method does not take the model or an option, "" where it does
    failed   why it ended early, "" where it did not
    status   "ok", "refused", or how it failed as a word: "blew-up", "no-convergence", ..
    warning  what no motion does and this one did, "" for nothing
    error    how far the worst body is from the reference, over all common times [m]; nan: not known
    error_final  the same at the last common time [m]
    order    fitted over the step sizes of this label; nan: too few
    drift    largest drift of the energy, or of the balance where work is done [J]; this and what
             follows is nan where it was refused
    band, trend  the same, peak to peak around its trend [J]; the trend [J per hour]
    parted   from when on the run is another motion than the reference [s]: its error was above a
             tenth of the model's length ever after; nan: it never was
    constraint  largest violation [m or rad]
    seconds  that the stepping took [s]
    stats    everything else
    options  of the run
    """

    label: str
    dt: float
    refused: str
    failed: str
    status: str
    warning: str
    error: float
    error_final: float
    order: float
    drift: float
    band: float
    trend: float
    parted: float
    constraint: float
    seconds: float
    stats: Stats
    options: Dict[str, Option]


class Comparison:
    """What compare() found: rows, one Contender for each method and step size.

    In a notebook it shows itself: motions overlaid, work-precision and energy plots.

    model      that was run
    rows       in the order of methods, then of dt
    times      at which errors are known, (n,) [s]: the nodes of the largest dt, at most 1000
    errors     of each row its error at these times [m], (n,), fewer of one that ended early, none
               of one that was refused
    reference  what errors are measured against: "aba/dopri5 at 1e-12"
    doubt      why there is no reference, and the errors are nan; "" where there is one
    """

    def __init__(self, model: Model, contenders: Any, n: int, reference: str, doubt: str,
                 runs: _Runs) -> None:
        """For the package itself."""
        self.model, self.reference, self.doubt = model, reference, doubt
        self._c, self._n, self._films, self._errors = contenders, n, runs.films, runs.errors
        self.rows: List[Contender] = [_contender(model, contenders[k]) for k in range(n)]
        most = int(lib.CARDAN_COMPARE_TIMES)
        count = [runs.errors.count[k] for k in range(n)]
        times = view(runs.errors, runs.errors.time, most, writable=False)
        errors = view(runs.errors, runs.errors.error, max(n, 1), most, writable=False)
        self.times: Array = times[:max(count, default=0)]
        self.errors: List[Array] = [errors[k, :count[k]] for k in range(n)]

    def __repr__(self) -> str:
        taken = sum(not row.refused for row in self.rows)
        return (f"<cardan.Comparison of {self.model.name!r}: {taken} runs, "
                f"{self._n - taken} refused, against {self.reference}>")

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, k: Union[int, str]) -> Contender:
        """A row by its number, or the one of a label at its smallest step."""
        if isinstance(k, str):
            found = [row for row in self.rows if row.label == k]
            if not found:
                known = ", ".join(dict.fromkeys(row.label for row in self.rows))
                raise ArgumentError(f"there is no {k!r} among what was compared: {known}")
            return min(found, key=lambda row: row.dt)
        return self.rows[k]

    def __str__(self) -> str:
        return self.table

    @property
    def table(self) -> str:
        """The table of the command `cardan compare`."""
        out = ffi.new("char **")
        check(lib.cardan_describe_comparison(
            self._c, self._n, self._named(), self.reference.encode(), ffi.NULL, False, ffi.NULL,
            out))
        return _taken(out).decode("utf-8", "replace")

    def _named(self) -> bytes:
        return self.model._source.name.encode("utf-8", "surrogateescape")

    def _described(self) -> bytes:
        """What its page has, as JSON."""
        out = ffi.new("char **")
        *run, reference = self._places()
        check(lib.cardan_describe_comparison_page(
            self._c, self._n, self._named(), self.reference.encode(), ffi.new("int[]", run),
            self._errors, reference, ffi.NULL, out))
        return _taken(out)

    def _places(self) -> List[int]:
        """Of each contender, and of the reference, the index of its motion on a page, -1: it is not
        shown."""
        places, n = [], 0
        for film in self._films:
            places.append(n if film is not None else -1)
            n += film is not None
        return places

    def frame(self) -> Any:
        """As a pandas.DataFrame: one row for each contender."""
        names = [name for name in Contender._fields if name not in ("stats", "options")]
        rows = [[getattr(row, name) for name in names] for row in self.rows]
        return optional("pandas", "frame()").DataFrame(rows, columns=names)

    def page(self, path: Path) -> None:
        """Writes FILE.html: motions overlaid, work-precision and energy plots."""
        self._page().write(path)

    def _repr_html_(self) -> Optional[str]:
        return inline(self._page())

    def _page(self) -> Page:
        shown = [Shown(film, ffi.addressof(c.options), c.stats, c.wall_seconds, "", text(c.warning),
                       text(c.message) if c.status != 0 else None, status=c.status)
                 for film, c in zip(self._films, (self._c[k] for k in range(self._n)))
                 if film is not None]
        if self._films[-1] is not None:  # the reference, behind all others
            shown.append(Shown(self._films[-1], ffi.NULL, ffi.new("cardan_stats *")[0], -1.0,
                               label=self.reference))
        return Page(self.model, shown, self._described())


def _taken(out: Any) -> bytes:
    """The text of a char **, which goes back."""
    try:
        return bytes(ffi.string(out[0]))
    finally:
        lib.cardan_free_text(ffi.NULL, out[0])


def _contender(model: Model, c: Any) -> Contender:
    message = text(c.message)
    refused, failed = bool(c.refused), c.status != 0 and not c.refused
    stats = stats_of(model._c, c.stats)
    drift, band, trend, constraint, seconds = (math.nan if refused else float(x) for x in (
        stats.drift_max, stats.energy_band, stats.energy_trend, stats.constraint_max,
        c.wall_seconds))
    return Contender(
        text(c.label), c.options.dt, message if refused else "", message if failed else "",
        "refused" if refused else text(lib.cardan_status_word(c.status)), text(c.warning),
        c.error_max, c.error_final, c.order, drift, band, trend, c.parted, constraint, seconds, stats,
        as_dict(ffi.addressof(c.options)))


class _Runs:
    """Observes the contenders while they run: films for the page, progress and Ctrl-C."""

    def __init__(self, model: Model, contenders: Any, n: int,
                 progress: Optional[Callable[[float], object]]) -> None:
        self.model, self.progress, self.n = model, progress, n
        self.films: List[Any] = [None] * (n + 1)  # the last is the reference's
        made = ffi.new("cardan_compare_errors **")
        check(lib.cardan_compare_errors_create(n, ffi.NULL, made))
        self.errors = owned(made[0], lib.cardan_compare_errors_destroy)
        self.raised: Optional[BaseException] = None
        smallest: Dict[str, int] = {}
        for k in range(n):
            best = smallest.setdefault(label(ffi.addressof(contenders[k].options)), k)
            if contenders[k].options.dt < contenders[best].options.dt:
                smallest[label(ffi.addressof(contenders[k].options))] = k
        self.shown = {-1, *smallest.values()}
        self.handle = ffi.new_handle(self)
        self.c = ffi.new("cardan_py_comparing *", {
            "begin": lib.cardan_py_on_begin, "look": lib.cardan_py_on_compare,
            "handle": self.handle, "n": n, "errors": self.errors})

    def begin(self, k: int, sim: Any, sinks: Any, nsink: Any) -> None:
        """Sinks of run k: a film of the reference, and of each label at its smallest step."""
        if k not in self.shown or not lib.cardan_has_pages():
            return
        report, out = ffi.new("cardan_report *"), ffi.new("cardan_film **")
        more = page_columns(sim) & ~lib.CARDAN_ADD_MOMENTUM
        budget = BUDGET // len(self.shown)
        check(lib.cardan_film_of_sim(sim, more, budget, ffi.NULL, out, report), report)
        self.films[k] = owned(out[0], lib.cardan_film_destroy, self.model._c)
        sinks[nsink[0]] = lib.cardan_film_sink(out[0])
        sinks[nsink[0]].every = 1
        nsink[0] += 1


def _keep(_kind: Any, raised: BaseException, traceback: Any) -> None:
    runs = ffi.from_handle(traceback.tb_frame.f_locals["handle"])
    runs.raised = raised.with_traceback(traceback)


def _on_begin(handle: Any, k: int, sim: Any, sinks: Any, nsink: Any) -> int:
    ffi.from_handle(handle).begin(k, sim, sinks, nsink)
    return 0


def _on_compare(handle: Any, fraction: float) -> int:
    runs = ffi.from_handle(handle)
    if runs.progress is not None:
        runs.progress(fraction)
    return 0


for _function in (_on_begin, _on_compare):
    ffi.def_extern(f"cardan_py{_function.__name__}", error=1, onerror=_keep)(_function)


def compare(model: Model, methods: Union[str, Sequence[str], None] = None, *,
            dt: Union[float, Sequence[float], None] = None, reference: Optional[str] = None,
            q: Values = None, v: Values = None,
            progress: Optional[Callable[[float], object]] = None,
            **options: Option) -> Comparison:
    """The same motion by several methods, each from the same start to the same time.

    methods    "vi", "aba/rk4", ..: METHOD or METHOD/INTEGRATOR; all methods unless given
    dt         one step or several [s], which must divide the largest; the order is then fitted
    reference  METHOD or METHOD/INTEGRATOR that errors are measured against, at a tight tolerance;
               "aba/dopri5" unless given, "vi" where there are contacts
    q, v       start values, as of run()
    progress   a function of the part that is done, 0 .. 1
    options    as of run(), such as time=2; each counts for the methods that have it

    A method that does not take the model has its row, with the reason (refused).
    """
    a_model(model)
    common = options_of_several(model, options)
    model = begun(model, common)
    chosen = _labels(methods)
    steps = _steps(dt, common.dt)
    n = len(chosen) * len(steps)
    if n > MOST:
        raise ArgumentError(f"{n} runs are more than the {MOST} that can be compared")
    contenders = ffi.new("cardan_contender[]", max(n, 1))
    _fill(contenders, common, chosen, steps)
    _check_options(contenders, n, options, reference)
    against = _reference(model, common, reference, contenders, n)
    runs = _Runs(model, contenders, n, progress)
    report = ffi.new("cardan_report *")
    hooks = ffi.new("cardan_compare_hooks *", lib.cardan_py_compare_hooks(runs.c))
    start = model.data()
    for what, value in (("q", q), ("v", v)):
        if value is not None:
            laid_over(model, what, value).to(start._c)
    status = lib.cardan_compare(model._c, start._c.q, start._c.v, against, contenders, n, hooks,
                                ffi.NULL, report)
    if status != 0:
        raise runs.raised or failure(status, report)
    name = label(against)
    name += " at 1e-12" if against.rtol <= 1e-12 else f" at dt {against.dt:g}"
    found = Comparison(model, contenders, n, name, text(report.message), runs)
    for sentence in _doubts(found):
        doubt(sentence)
    return found


def _labels(methods: Union[str, Sequence[str], None]) -> List[str]:
    if methods is None:
        names = (lib.cardan_method_name(k) for k in range(100))
        return [text(name) for name in itertools.takewhile(lambda name: name != ffi.NULL, names)]
    found = methods.split(",") if isinstance(methods, str) else list(methods)
    if not found or not all(isinstance(name, str) for name in found):
        raise ArgumentError(f"methods is {methods!r}, expected names such as 'vi', 'aba/rk4'")
    return found


def _steps(dt: Union[float, Sequence[float], None], own: float) -> List[float]:
    if dt is None:
        return [own]
    steps = [number("dt", step) for step in np.atleast_1d(dt).ravel().tolist()]
    if not steps or min(steps) <= 0:
        raise ArgumentError(f"dt is {dt!r}, expected steps above 0")
    return steps


def _fill(contenders: Any, common: Any, labels: Sequence[str], steps: Sequence[float]) -> None:
    """Every method at every step."""
    report = ffi.new("cardan_report *")
    for k, name in enumerate(labels):
        one = ffi.new("cardan_options *", common[0])
        check(lib.cardan_options_set_label(one, chars("methods", name), report), report)
        lib.cardan_options_drop_unused(one)
        for i, step in enumerate(steps):
            one.dt = step
            contenders[k * len(steps) + i].options = one[0]


def _check_options(contenders: Any, n: int, options: Mapping[str, Option],
                   reference: Optional[str]) -> None:
    """An option that none of the methods has is a mistake."""
    report = ffi.new("cardan_report *")
    methods = {contenders[k].options.method for k in range(n)}
    if reference is not None:
        one = ffi.new("cardan_options *", lib.cardan_options_defaults())
        check(lib.cardan_options_set_label(one, chars("reference", reference), report), report)
        methods.add(one.method)
    for name in words_of(options):
        if not any(lib.cardan_method_has_option(method, name.encode(), report) == 0
                   for method in methods):
            raise ArgumentError(f"none of the methods compared takes this: {text(report.message)}")


def _reference(model: Model, common: Any, name: Optional[str], contenders: Any, n: int) -> Any:
    """Options of the reference."""
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_options *")
    touches = model._c.npair > 0 or any(
        model._c.bound[k].kind != lib.CARDAN_ELEMENT_STOP for k in range(model._c.nbound))
    off = common.contacts != ffi.NULL and text(common.contacts) == "off"
    word = name or ("vi" if touches and not off else None)
    check(lib.cardan_reference_options(common, ffi.NULL if word is None else word.encode(),
                                       contenders, n, out, report), report)
    return out


def _doubts(found: Comparison) -> List[str]:
    """The warnings of a comparison."""
    doubts = [f"{found.doubt}; errors are left out"] if found.doubt else []
    doubts += [f"{row.label} at dt {row.dt:g}: {row.failed or row.warning}"
               for row in found.rows if row.failed or row.warning]
    return doubts
