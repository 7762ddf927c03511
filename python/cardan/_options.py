# SPDX-License-Identifier: Apache-2.0
"""Options of a run: those of the command line, with _ for -."""
from __future__ import annotations

import itertools
import numbers
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

from cardan._arguments import chars
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, text
from cardan._source import Begin, start as start_as
from cardan._views import owned

if TYPE_CHECKING:
    from cardan._model import Model

Option = Union[str, float, int, bool, None]
VALUE_SIZE = 256
NEGATED = ("assemble", "cache")  # switches that are on: the command line has no-assemble, no-cache


def options_of(model: Model, options: Mapping[str, Option]) -> Any:
    """A cardan_options *: the model's own, then those given. rank_tol=1e-4 is option rank-tol; True
    stands for a switch; None and, of a switch, False for what is not given."""
    report = ffi.new("cardan_report *")
    made = ffi.new("cardan_options *", lib.cardan_options_defaults())
    words = words_of(options)
    if "method" in words:
        check(lib.cardan_options_set(made, b"method", words["method"], report), report)
    check(lib.cardan_options_apply_model(made, model._c, lib.CARDAN_OPTIONS_OF_METHOD, report),
          report)
    apply(made, _begin_words(model))
    apply(made, words)
    method = made.method or lib.cardan_method_name(0)
    for name in words:
        check(lib.cardan_method_has_option(method, name.encode(), report), report)
    check(lib.cardan_options_check(made, report), report)
    return made


def options_of_several(model: Model, options: Mapping[str, Option],
                       methods: Sequence[bytes] = ()) -> Any:
    """The same for several methods: each of them takes what it has; one of methods must."""
    report = ffi.new("cardan_report *")
    made = ffi.new("cardan_options *", lib.cardan_options_defaults())
    check(lib.cardan_options_apply_model(made, model._c, lib.CARDAN_OPTIONS_OF_ALL_METHODS,
                                         report), report)
    apply(made, _begin_words(model))
    words = words_of(options)
    apply(made, words)
    for name, value in words.items() if methods else ():
        if all(_has(method, name, value, ffi.NULL) != 0 for method in methods):
            check(_has(methods[0], name, value, report), report)
    return made


def _has(method: bytes, name: str, value: Any, report: Any) -> int:
    """Has the method the option, with its value? A status."""
    made = ffi.new("cardan_options *", lib.cardan_options_defaults())
    return int(lib.cardan_options_set(made, b"method", method, report) or
               lib.cardan_method_has_option(method, name.encode(), report) or
               lib.cardan_options_set(made, name.encode(), value, report) or
               lib.cardan_options_check(made, report))


def apply(made: Any, words: Mapping[str, Any]) -> None:
    """Sets options by their names and texts."""
    report = ffi.new("cardan_report *")
    for name, value in words.items():
        check(lib.cardan_options_set(made, name.encode(), value, report), report)


def words_of(options: Mapping[str, Option]) -> Dict[str, Any]:
    """Names and texts as the command line has them; NULL for a switch."""
    words: Dict[str, Any] = {}
    for key, value in options.items():
        name = key.replace("_", "-")
        if name in NEGATED:
            if not isinstance(value, bool):
                raise ArgumentError(f"{key} is {value!r}, expected True or False")
            name, value = f"no-{name}", not value
        word = _word(key, value)
        if word is not None:
            words[name] = word
    return words


def given_names(model: Model, options: Mapping[str, Option]) -> Sequence[str]:
    """Of options, as the command line has them, those that do not come from the model's text."""
    return [*_begin_words(model), *words_of(options)]


def _begin_words(model: Model) -> Dict[str, Any]:
    """The start that load() was given, as options of a run, so that its file records them too."""
    begin = model._source.begin
    return words_of({"keyframe": begin.keyframe, "rank_tol": begin.rank_tol,
                   "closing": begin.closing})


def _word(key: str, value: Option) -> Any:
    """The text of a value, NULL for a switch, None for what is not given."""
    if value is None or value is False:
        return None
    if value is True:
        return ffi.NULL
    if isinstance(value, str):
        return chars(key, value)
    if isinstance(value, numbers.Integral):
        return str(int(value)).encode()
    if isinstance(value, numbers.Real):
        return repr(float(value)).encode()
    raise ArgumentError(f"{key} is {value!r}, expected a number, a word or True")


def as_dict(options: Any) -> Dict[str, Option]:
    """What options are set to, by their Python names: numbers, words, True and False; None for a
    word that is not set, and for a number that is not and has no initial value."""
    found: Dict[str, Option] = dict(_entry(name, text(value)) for name, value in _values(options))
    found["method"] = found["method"] or text(lib.cardan_method_name(0))
    return found


def words_from(options: Any) -> Dict[str, bytes]:
    """What options are set to, as apply() takes it; to the same bits."""
    return {name: bytes(ffi.string(value)) for name, value in _values(options)
            if ffi.string(value)}


def _values(options: Any) -> Iterator[Tuple[str, Any]]:
    """All options by name, with their values in one char[] that each overwrites."""
    value = ffi.new("char[]", VALUE_SIZE)
    for index in itertools.count():
        name = lib.cardan_option_name(index)
        if name == ffi.NULL:
            return
        lib.cardan_option_value(options, index, value, VALUE_SIZE)
        yield text(name), value


def _entry(name: str, value: str) -> Any:
    key = name.replace("-", "_")
    if lib.cardan_options_set(ffi.new("cardan_options *", lib.cardan_options_defaults()),
                              name.encode(), ffi.NULL, ffi.NULL) == 0:  # a switch
        return (key[3:], value == "") if key.startswith("no_") else (key, value != "")
    try:
        number = float(value)
        return key, int(value) if value.lstrip("-").isdigit() else number
    except ValueError:
        return key, value or None


def begun(model: Model, options: Any) -> Model:
    """The model, or, where options ask for another keyframe, rank_tol or closing than it has, a
    copy that has them."""
    c = model._c
    start = text(c.keyframe[c.start].name) if c.start >= 0 else ""
    keyframe: Optional[str] = text(options.keyframe)
    begin = Begin(keyframe if keyframe and keyframe != start else None,
                  options.rank_tol if options.rank_tol not in (0, c.rank_tol) else None,
                  options.closing if options.closing not in (0, c.closing_own) else None)
    if begin == Begin():
        return model
    report, out = ffi.new("cardan_report *"), ffi.new("cardan_model **")
    check(lib.cardan_model_copy(c, ffi.NULL, out))
    copy = owned(out[0], lib.cardan_model_destroy)
    start_as(copy, begin, report)
    return type(model)(copy, model._source)


def label(options: Any) -> str:
    """ "vi", "aba/rk4"."""
    found = ffi.new("char[]", VALUE_SIZE)
    lib.cardan_options_label(options, found, VALUE_SIZE)
    return text(found)
