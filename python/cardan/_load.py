# SPDX-License-Identifier: Apache-2.0
"""From a name, a file or a text to a model."""
from __future__ import annotations

import itertools
import warnings
from typing import Dict, Mapping, Optional, Sequence

from cardan._arguments import chars, number, word
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, ModelWarning, check, text as as_text
from cardan._model import Model
from cardan._source import (
    Begin, Path, Source, open_files, path_string, read_result, read_text, settings_and_base)
from cardan._spec import formats


def load(name: Path, *, settings: Optional[Mapping[str, float]] = None,
         base: Optional[str] = None, convex: Optional[int] = None, floor: Optional[float] = None,
         packages: Optional[Mapping[str, Path]] = None, paths: Sequence[Path] = (),
         environment: bool = True, strict: bool = False, keyframe: Optional[str] = None,
         rank_tol: Optional[float] = None, closing: Optional[float] = None) -> Model:
    """A model by the name of a built-in one ("pendulum:5") or the path of a file.

    Files: .mbs (docs/format.md), .urdf, .sdf, MJCF .xml, and .h5 results, which hold the model they
    were run with. builtins() lists the names.

    settings    values for its (define ..) and (parameter ..) constants
    base        what a robot's root link does where its file does not say: "fixed" or "free"
    convex      most convex pieces that each collision mesh of a robot becomes, 1 to 64
    floor       height of a plane that all solids touch, added as the frame "floor" [m]
    packages    folders of packages and models by name, for package://NAME/.. and model://NAME/..
    paths       folders that hold packages, models or files
    environment look in ROS_PACKAGE_PATH and GZ_SIM_RESOURCE_PATH too
    strict      what of the file is not used is an error (ModelError), not a warning
    keyframe    start from this keyframe of the model
    rank_tol    part of itself that a constraint row must add to the others, if it counts
    closing     violation with which loops count as closed, where their data contradict one another

    What the reader left out or changed is in the model's `warnings`, and is given as ModelWarning.
    """
    given = path_string("name", name)
    files = open_files(given, packages, paths, environment)
    begin = _begin(keyframe, rank_tol, closing)
    found = read_result(given)
    values = settings_and_base(settings, base, convex)
    if found is None:
        source = Source(given, read_text(given), values, begin, files)
    else:
        kept, text, own, was = found
        source = Source(kept, text, {**own, **values}, _laid_over(was, begin), files)
    return _made(source, strict, floor)


def loads(text: str, format: str = "mbs", *, settings: Optional[Mapping[str, float]] = None,
          base: Optional[str] = None, convex: Optional[int] = None,
          floor: Optional[float] = None, strict: bool = False,
          keyframe: Optional[str] = None, rank_tol: Optional[float] = None,
          closing: Optional[float] = None, name: str = "text") -> Model:
    """A model from its text.

    format  of the text: "mbs", "urdf", "sdf", "xml" (MJCF)
    name    for messages: an error says name.format:line:column
    Everything else is as for load(). A text that names other files is refused: load() opens them.
    """
    if not isinstance(text, str):
        raise ArgumentError(f"text is a {type(text).__name__}, expected a str")
    ending = format.lstrip(".") if isinstance(format, str) else format
    word("format", ending, formats())
    chars("name", name)
    source = Source(f"{name}.{ending}", text.encode("utf-8", "surrogateescape"),
                    settings_and_base(settings, base, convex), _begin(keyframe, rank_tol, closing))
    return _made(source, strict, floor)


def builtins() -> Dict[str, str]:
    """The built-in models: their names and what they are. Most take a size, "pendulum:5"."""
    found: Dict[str, str] = {}
    for k in itertools.count():
        if lib.cardan_builtin_name(k) == ffi.NULL:
            break
        found[as_text(lib.cardan_builtin_name(k))] = as_text(lib.cardan_builtin_help(k))
    return found


def _begin(keyframe: Optional[str], rank_tol: Optional[float], closing: Optional[float]) -> Begin:
    if keyframe is not None:
        chars("keyframe", keyframe)
    return Begin(keyframe, None if rank_tol is None else number("rank_tol", rank_tol),
                 None if closing is None else number("closing", closing))


def _laid_over(was: Begin, begin: Begin) -> Begin:
    """begin, and of a result's what it does not say."""
    return Begin(was.keyframe if begin.keyframe is None else begin.keyframe,
                 was.rank_tol if begin.rank_tol is None else begin.rank_tol,
                 was.closing if begin.closing is None else begin.closing)


def _made(source: Source, strict: bool, floor: Optional[float]) -> Model:
    """The model of a source, whole: a text that needs other files, or gets a floor, becomes one
    that has all."""
    spec = source.spec()
    report = ffi.new("cardan_report *")
    if strict:
        check(lib.cardan_spec_strict(spec, report), report)
    if floor is not None:
        lib.cardan_spec_floor(spec, number("floor", floor))
        check(lib.cardan_spec_status(spec, report), report)
    model = Model._of_spec(spec, source, floor is not None or lib.cardan_spec_files(spec) > 0)
    for sentence in model.warnings:
        warnings.warn(ModelWarning(f"{source.name}: {sentence}"), stacklevel=3)
    return model
