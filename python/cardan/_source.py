# SPDX-License-Identifier: Apache-2.0
"""Where a model comes from: its text, and all that is needed to read it again."""
from __future__ import annotations

import itertools
import os
import threading
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from cardan._arguments import chars, flag, mapping, number, whole, word
from cardan._cardan import ffi, lib
from cardan._error import ArgumentError, check, failure, text as as_text
from cardan._views import owned

Path = Union[str, "os.PathLike[str]"]

# HDF5 is not thread-safe: held over every call that reads or writes a .h5 file
h5_lock = threading.RLock()


@dataclass(frozen=True)
class Begin:
    """How the start of a model is closed; None: as its text says."""

    keyframe: Optional[str] = None
    rank_tol: Optional[float] = None
    closing: Optional[float] = None


@dataclass(frozen=True)
class Source:
    """A model's text, and how it was read.

    name      under which the text can be read again: its ending is that of the text's format
    text      the whole of it: where it named other files, one that has them all
    settings  values still to be given to its constants and parameters
    begin     how its start is closed
    files     cardan_files * for the files it names, such as visual meshes; NULL: none
    """

    name: str
    text: bytes
    settings: Mapping[str, float] = field(default_factory=dict)
    begin: Begin = Begin()
    files: Any = ffi.NULL

    def model(self) -> Any:
        """Reads the text and builds the model: an owned cardan_model *."""
        return self.built(self.spec())

    def built(self, spec: Any) -> Any:
        """Builds the model of a spec, started as this source says: an owned cardan_model *."""
        report = named(self.name)
        out = ffi.new("cardan_model **")
        check(lib.cardan_model_build(spec, ffi.NULL, out, report), report)
        model = owned(out[0], lib.cardan_model_destroy)
        start(model, self.begin, report)
        return model

    def spec(self) -> Any:
        """Reads the text: an owned cardan_spec *."""
        report = ffi.new("cardan_report *")
        array, _keep = settings_array(self.settings)
        out = ffi.new("cardan_spec **")
        check(lib.cardan_spec_read_files(self.text, len(self.text), self.name.encode(), array,
                                         len(self.settings), self.files, ffi.NULL, out, report),
              report)
        return owned(out[0], lib.cardan_spec_destroy)

    @property
    def is_mbs(self) -> bool:
        """Is the text .mbs, as that of every name without a format's ending is?"""
        endings = itertools.takewhile(
            lambda ending: ending != ffi.NULL, map(lib.cardan_format_ending, itertools.count(1)))
        return not self.name.lower().endswith(tuple(as_text(ending) for ending in endings))

    def whole(self, spec: Any = None) -> Source:
        """The same as a text in .mbs that needs no other file and no settings: that of spec, or of
        the text."""
        spec = self.spec() if spec is None else spec
        return replace(self, name=f"{self.name}.mbs", text=written(spec, None), settings={})


def named(name: str) -> Any:
    """A cardan_report * of this file, for calls that know the place but not the file."""
    report = ffi.new("cardan_report *")
    report.file = name.encode()[-255:]
    return report


def settings_array(settings: Mapping[str, float]) -> Tuple[Any, Any]:
    """A cardan_setting[], and what must outlive its use."""
    names = [chars("settings", key) for key in settings]
    array = ffi.new("cardan_setting[]", len(names))
    for entry, key, value in zip(array, names, settings.values()):
        entry.name, entry.value = key, value
    return array, names


def checked_settings(settings: Optional[Mapping[str, Any]]) -> Dict[str, float]:
    """settings of a caller, each a finite number."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise ArgumentError("settings is not a mapping of names to numbers")
    return {key: number(f"settings[{key!r}]", value) for key, value in settings.items()}


def settings_and_base(settings: Optional[Mapping[str, Any]], base: Optional[str],
                      convex: Optional[int] = None) -> Dict[str, float]:
    """settings, and base ("fixed" or "free") and convex as two of them (cardan/spec.h)."""
    values = checked_settings(settings)
    if base is not None:
        values["base"] = word("base", base, {"fixed": 0.0, "free": 1.0})
    if convex is not None:
        values["convex"] = float(whole("convex", convex, 1, 64))
    return values


def path_string(argument: str, value: Path) -> str:
    """The path that a str or PathLike is."""
    try:
        path = os.fspath(value)
    except TypeError:
        raise ArgumentError(f"{argument} is {value!r}, expected a name or a path") from None
    if not isinstance(path, str) or "\0" in path:
        raise ArgumentError(f"{argument} is {path!r}, expected a text without NUL")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ArgumentError(f"{argument} is {path!r}, which no file can be called") from None
    return path


def start(model: Any, begin: Begin, report: Any) -> None:
    """Closes the start of a model that is not used yet as begin says, unless it is closed."""
    if begin.keyframe is not None:
        check(lib.cardan_model_set_start(model, chars("keyframe", begin.keyframe), report), report)
    if begin.rank_tol is not None and begin.rank_tol != model.rank_tol:
        check(lib.cardan_model_set_rank_tol(model, begin.rank_tol, report), report)
    if begin.closing is not None and begin.closing != model.closing_own:
        check(lib.cardan_model_set_closing(model, begin.closing, report), report)


def keep_begin(spec: Any, begin: Begin) -> None:
    """Writes begin into a spec, as (simulate ..) has it."""
    for key, value in (("keyframe", begin.keyframe), ("rank-tol", begin.rank_tol),
                       ("closing", begin.closing)):
        if value is not None:
            word = value if isinstance(value, str) else repr(value)
            lib.cardan_spec_default(spec, key.encode(), chars(key, word))


def written(spec: Any, name: Optional[str]) -> bytes:
    """A spec as text in the format of name's ending; None: .mbs."""
    report = ffi.new("cardan_report *")
    out = ffi.new("char **")
    file = ffi.NULL if name is None else name.encode()
    check(lib.cardan_spec_write_as(spec, file, out, report), report)
    text: bytes = ffi.string(out[0])
    lib.cardan_free_text(ffi.NULL, out[0])
    return text


def open_files(model: str, packages: Optional[Mapping[str, Path]], paths: Sequence[Path],
               environment: bool) -> Any:
    """Files that a model's text may name: an owned cardan_files *."""
    packages = mapping("packages", packages)
    if isinstance(paths, str) or not isinstance(paths, Sequence):
        raise ArgumentError(f"paths is {paths!r}, expected a sequence of folders")
    pairs: List[Tuple[Any, str]] = [
        (chars("packages", key), path_string(f"packages[{key!r}]", folder))
        for key, folder in packages.items()]
    pairs += [(ffi.NULL, path_string("paths", folder)) for folder in paths]
    array = ffi.new("cardan_path[]", len(pairs))
    keep = []
    for entry, (key, folder) in zip(array, pairs):
        entry.name = key
        keep.append(ffi.new("char[]", os.fsencode(folder)))
        entry.folder = keep[-1]
    report = ffi.new("cardan_report *")
    out = ffi.new("cardan_files **")
    check(lib.cardan_files_open(os.fsencode(model), array, len(pairs),
                                flag("environment", environment), ffi.NULL, out, report), report)
    return owned(out[0], lib.cardan_files_close)


def read_text(name: str) -> bytes:
    """The text of a built-in model or of a file."""
    report = ffi.new("cardan_report *")
    text, length = ffi.new("char **"), ffi.new("size_t *")
    check(lib.cardan_load_text(os.fsencode(name), ffi.NULL, text, length, report), report)
    found: bytes = ffi.buffer(text[0], length[0])[:]
    lib.cardan_free_text(ffi.NULL, text[0])
    return found


def read_result(path: str) -> Optional[Tuple[str, bytes, Dict[str, float], Begin]]:
    """Name, text, settings and begin of the model of an HDF5 result; None: it is no result."""
    with h5_lock:
        if not lib.cardan_is_result(os.fsencode(path)):
            return None
        report = ffi.new("cardan_report *")
        out = ffi.new("cardan_result **")
        status = lib.cardan_result_open(os.fsencode(path), ffi.NULL, out, report)
        if status != 0:
            raise failure(status, report)
        result = out[0]
        try:
            settings = {as_text(result.setting[k].name): result.setting[k].value
                        for k in range(result.nsetting)}
            options = result.options
            begin = Begin(as_text(options.keyframe) or None, options.rank_tol or None,
                          options.closing or None)
            return (as_text(result.model), ffi.buffer(result.text, result.length)[:], settings,
                    begin)
        finally:
            lib.cardan_result_close(result)
