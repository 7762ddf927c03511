# SPDX-License-Identifier: Apache-2.0
"""Models built in code."""
from __future__ import annotations

import contextlib
import os
import sys
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import (
    Expr, chars, expression, flag, is_table, mapping, maybe_chars, number, numbers, plain_array,
    table, word)
from cardan._cardan import ffi, lib
from cardan._elements import Elements, FrameLike, SpecFrame, joint_def
from cardan._error import (
    ArgumentError, Busy, Error, FileError, ModelWarning, check, failure, text)
from cardan._model import Model
from cardan._source import (
    Path, Source, open_files, path_string, read_text, settings_and_base)
from cardan._views import owned

TRANSFORMS = {kind: getattr(lib, f"CARDAN_TRANSFORM_{kind.upper()}")
              for kind in ("tx", "ty", "tz", "rx", "ry", "rz")}
# kinds of shapes: how many sizes each has
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "point": 0, "plane": 0}
SURFACE = ("friction", "statical", "restitution", "rolling", "spinning")


def _caller() -> Tuple[str, int]:
    """File and line of the code outside of this package that is at work."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cardan."):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class Spec(Elements):
    """A mechanism described piece by piece, and compiled by build().

        s = cardan.Spec("pendulum")
        arm = s.joint("theta", axis=(0, 1, 0))
        s.mass(arm, 1.5, at=(0, 0, -0.4))
        m = s.build()

    It mirrors the model file of docs/format.md form by form. A call that fails says why and changes
    nothing. Where only build() can see a fault, its message names the file and line of the call.
    """

    def __init__(self, name: str = "", *, gravity: ArrayLike = (0, 0, -9.81)) -> None:
        """gravity: (3,) [m/s^2]."""
        self._begin(_empty)
        if not isinstance(name, str) or name:
            self._named(name)
        self.gravity(gravity)

    def _begin(self, make: Callable[[], Any]) -> None:
        self._make = make           # the spec that the calls below begin with
        self._calls: List[Tuple[int, Callable[[Any], Any], object]] = []
        self._files: Dict[int, str] = {}  # of the calls' lines; "" for more than one
        self._busy = threading.Lock()
        self._source: Optional[Source] = None  # what it was read from
        self._c = make()

    @classmethod
    def read(cls, source: Path, *, format: Optional[str] = None,
             settings: Optional[Mapping[str, float]] = None, base: Optional[str] = None,
             packages: Optional[Mapping[str, Path]] = None, paths: Sequence[Path] = (),
             environment: bool = True) -> Spec:
        """The spec of a model file or built-in model, to be changed or written in another format.

        source  path or built-in name; with format ("mbs", "urdf", "sdf", ..) the text itself, which
                then names no other files
        The others are as for load().
        """
        values = settings_and_base(settings, base)
        if format is None:
            name = path_string("source", source)
            files = open_files(name, packages, paths, environment)
            found = Source(name, read_text(name), values, files=files)
        else:
            ending = format.lstrip(".") if isinstance(format, str) else format
            word("format", ending, formats())
            if not isinstance(source, str):
                raise ArgumentError(f"source is a {type(source).__name__}, expected a str")
            chars("source", source.replace("\0", " "))  # a NUL the reader itself finds
            found = Source(f"text.{ending}", source.encode(), values)
        made = cls.__new__(cls)
        made._begin(found.spec)
        made._source = found
        return made

    def __repr__(self) -> str:
        return f"<cardan.Spec of {len(self._calls)} calls>"

    # ---- how calls are made ----

    @contextlib.contextmanager
    def _held(self) -> Iterator[Any]:
        """The C spec, while no other thread has it."""
        if not self._busy.acquire(blocking=False):
            raise Busy("this Spec is in use by another thread")
        try:
            yield self._c
        finally:
            self._busy.release()

    def _do(self, call: Callable[[Any], Any], *keep: object) -> Any:
        """Makes a call on the C spec; one that fails raises, and is as if it had not been made.
        keep: what its arguments point to. (call does not hold the Spec, which would keep itself.)
        """
        file, line = _caller()
        line = line if self._source is None else 0
        with self._held() as c:
            self._files[line] = file if self._files.get(line, file) == file else ""
            report = ffi.new("cardan_report *")
            lib.cardan_spec_at(c, (line, 0))
            done = call(c)
            status = lib.cardan_spec_status(c, report)
            if status != 0:
                self._again()
                raise self._failure(status, report)
            self._calls.append((line, call, keep))
            return done

    def _again(self) -> None:
        """A failed call marks a C spec for good: makes another, by the calls that went well."""
        self._c = self._make()
        for line, call, _ in self._calls:
            lib.cardan_spec_at(self._c, (line, 0))
            call(self._c)

    def _failure(self, status: int, report: Any) -> Error:
        """The exception, with the place of the call."""
        file = self._files.get(report.pos.line, "").encode("utf-8", "replace")
        if self._source is None and len(file) < 256 and report.file[0] == b"\0":
            report.file = file
        return failure(status, report)

    def _index(self, what: str, frame: Optional[FrameLike]) -> int:
        """A frame that is there, None: the world."""
        if frame is None:
            return 0
        keep: List[Any] = []
        name, index = self._ends(what, frame, keep)
        if not isinstance(frame, SpecFrame):
            index = self._find(name)
            if index < 0 and frame != "world":
                raise ArgumentError(f"there is no frame {frame!r} yet, for {what}")
        return max(index, 0)

    def _find(self, name: Any) -> int:
        """A frame that was given that name, -1: none."""
        with self._held() as c:
            return int(lib.cardan_spec_find_frame(c, name))

    # ---- the system as a whole ----

    def _named(self, name: str) -> None:
        given = chars("name", name)
        self._do(lambda c: lib.cardan_spec_name(c, given))

    def gravity(self, g: ArrayLike) -> None:
        """(3,) [m/s^2]; (0, 0, -9.81) by default."""
        xyz = numbers("gravity", g, 3)
        self._do(lambda c: lib.cardan_spec_gravity(c, xyz))

    def define(self, name: str, value: float) -> None:
        """A constant, for expressions."""
        given, x = chars("name", name), number("value", value)
        self._do(lambda c: lib.cardan_spec_define(c, given, x))

    def parameter(self, name: str, value: float) -> None:
        """A number for expressions, which can be changed in the model (Model.with_parameters)."""
        given, x = chars("name", name), number("value", value)
        self._do(lambda c: lib.cardan_spec_parameter(c, given, x))

    def output(self, name: str, expr: Expr) -> None:
        """Something to compute beside the motion: the column y.NAME."""
        given, what = chars("name", name), chars("expr", expression("expr", expr))
        self._do(lambda c: lib.cardan_spec_output(c, given, what))

    def input(self, name: str, value: float = 0, *,
              limit: Optional[Tuple[float, float]] = None) -> None:
        """A number from outside, held over each step, that torques, wrenches and actuators read;
        clamped to limit (low, high) where it is used."""
        given = chars("name", name)
        made = ffi.new("cardan_input_def *", {"name": given, "value": number("value", value)})
        if limit is not None:
            made.has_limit, made.limit = True, numbers("limit", limit, 2)
        self._do(lambda c: lib.cardan_spec_input(c, made), given)

    def aux_state(self, name: str, derivative: Expr, *, initial: float = 0) -> None:
        """An auxiliary state, z.NAME in expressions, with dz/dt = derivative."""
        self._state(name, initial, 0.0, "derivative", derivative)

    def memory(self, name: str, next: Expr, *, every: float, initial: float = 0) -> None:
        """An auxiliary state that becomes next at every sample, at k every [s] from the start."""
        self._state(name, initial, number("every", every), "next", next)

    def _state(self, name: str, initial: float, every: float, what: str, expr: Expr) -> None:
        given, read = chars("name", name), chars(what, expression(what, expr))
        made = ffi.new("cardan_aux_state_def *", {"name": given, "expr": read, "every": every,
                                              "initial": number("initial", initial)})
        if what == "next" and not every > 0:
            raise ArgumentError(f"every is {every!r}, expected a sample time above 0")
        self._do(lambda c: lib.cardan_spec_aux_state(c, made), given, read)

    def controller(self, input: str, expr: Expr, *, every: float) -> None:
        """Sets an input to expr at every sample, at k every [s] from the start; held in between."""
        given, read = chars("input", input), chars("expr", expression("expr", expr))
        made = ffi.new("cardan_controller_def *", {"input": given, "expr": read,
                                                   "every": number("every", every)})
        self._do(lambda c: lib.cardan_spec_controller(c, made), given, read)

    def rounding(self, finest: float, coarsest: Optional[float] = None) -> None:
        """What lengths and angles are rounded to [m, rad]; default 0: they are exact."""
        unit = number("finest", finest)
        most = unit if coarsest is None else number("coarsest", coarsest)

        def call(c: Any) -> None:
            lib.cardan_spec_rounding(c, unit)
            lib.cardan_spec_coarsest(c, most)
        self._do(call)

    def simulate(self, **options: Any) -> None:
        """Defaults of a run, such as method="vi", dt=0.01; no_assemble=True."""
        given = [(chars("option", key.replace("_", "-")),
                  ffi.NULL if value is True else chars(key, str(value)))
                 for key, value in options.items()]

        def call(c: Any) -> None:
            for key, value in given:
                lib.cardan_spec_default(c, key, value)
        self._do(call)

    # ---- frames ----

    @property
    def world(self) -> SpecFrame:
        """The root of all frames."""
        if self._find(b"world") > 0:
            raise ArgumentError("another frame of this model is called \"world\"")
        return SpecFrame(self, 0)

    def _frame(self, call: Callable[[Any], Any], name: Optional[str], *keep: object) -> SpecFrame:
        given = maybe_chars("name", name)
        _not_world(name)

        def both(c: Any) -> int:
            index = call(c)
            if index > 0 and given:
                lib.cardan_spec_frame_name(c, index, given)
            return int(index)
        return SpecFrame(self, self._do(both, *keep))

    def find(self, name: str) -> SpecFrame:
        """The frame of that name that is there."""
        return SpecFrame(self, self._index("find", name))

    def frame(self, name: Optional[str] = None, *, parent: Optional[FrameLike] = None,
              at: Optional[ArrayLike] = None, rpy: Optional[ArrayLike] = None,
              quat: Optional[ArrayLike] = None) -> SpecFrame:
        """A frame fixed in parent (the world by default).

        at    (3,) its origin in the parent [m]; or (4, 4), the whole transform
        rpy   (3,) roll, pitch, yaw [rad]: Rz(yaw) Ry(pitch) Rx(roll)
        quat  (4,) w, x, y, z, in place of rpy
        """
        index, T = self._index("parent", parent), _transform(at, rpy, quat)
        return self._frame(lambda c: lib.cardan_spec_place(c, index, T), name)

    def transform(self, kind: str, value: float, *, parent: Optional[FrameLike] = None,
                  name: Optional[str] = None) -> SpecFrame:
        """A frame a fixed step from parent: along "tx", "ty", "tz" [m] or about "rx", "ry", "rz"
        [rad]."""
        index, which = self._index("parent", parent), word("kind", kind, TRANSFORMS)
        step = number("value", value)
        return self._frame(lambda c: lib.cardan_spec_transform(c, index, which, step), name)

    def variable(self, kind: str, variable: Optional[str] = None, *, kinematic: bool = False,
                 parent: Optional[FrameLike] = None, name: Optional[str] = None) -> SpecFrame:
        """The same with a coordinate; kinematic: a motion() prescribes it."""
        _not_world(variable)
        index, which = self._index("parent", parent), word("kind", kind, TRANSFORMS)
        given, follows = maybe_chars("variable", variable), flag("kinematic", kinematic)
        return self._frame(
            lambda c: lib.cardan_spec_variable(c, index, which, given, follows), name)

    def joint(self, name: str, kind: str = "revolute", *, parent: Optional[FrameLike] = None,
              axis: Optional[ArrayLike] = None, axis2: Optional[ArrayLike] = None,
              at: Optional[ArrayLike] = None, rpy: Optional[ArrayLike] = None,
              quat: Optional[ArrayLike] = None, pitch: float = 0,
              limit: Optional[Tuple[float, float]] = None, restitution: float = 0,
              effort: float = 0) -> SpecFrame:
        """A joint; returns the frame that it carries.

        kind    fixed, revolute, prismatic, helical, cylindrical, universal, planar, spherical, free
        parent  the parent frame, by default the world; at, rpy, quat: where in it, as
                of frame()
        axis, axis2  (3,) directions of any length; z by default, of a universal joint x and y
        pitch   of a helical one [m/rad]
        limit   (low, high) of its coordinate [rad or m]; restitution of an impact there, 0 to 1
        effort  most that its drive gives [N m or N], for information; 0: not said
        """
        _not_world(name)
        made, given = joint_def(kind, axis, axis2, pitch), chars("name", name)
        made.name = given
        if limit is not None:
            made.has_limit, made.limit = True, numbers("limit", limit, 2)
        made.restitution = number("restitution", restitution)
        made.effort = number("effort", effort)
        place = _placer(self._index("parent", parent), at, rpy, quat)

        def call(c: Any) -> int:
            return int(lib.cardan_spec_joint(c, place(c), made))
        return self._frame(call, None, given)

    def mass(self, frame: FrameLike, mass: float, inertia: Optional[ArrayLike] = None, *,
             at: Optional[ArrayLike] = None, rpy: Optional[ArrayLike] = None,
             quat: Optional[ArrayLike] = None) -> None:
        """Mass of a frame [kg], its centre at the frame's origin; at, rpy, quat: elsewhere in it,
        as of frame().

        inertia  about that centre [kg m^2]: (3,) xx, yy, zz; (6,) then xy, xz, yz, as tensor
                 entries; or (3, 3). A point mass by default.
        """
        made = ffi.new("cardan_mass *", [number("mass", mass), *_inertia(inertia)])
        place = _placer(self._index("frame", frame), at, rpy, quat)
        self._do(lambda c: lib.cardan_spec_mass(c, place(c), made))

    def armature(self, q: FrameLike, inertia: float) -> None:
        """Inertia of a rotor that turns with a coordinate [kg m^2; kg where it slides]."""
        x = number("inertia", inertia)
        keep: List[Any] = []
        given, index = self._ends("q", q, keep)
        self._do(lambda c: lib.cardan_spec_armature(
            c, given or lib.cardan_spec_frame_named(c, index), x), keep)

    # ---- shapes and contact ----

    def shape(self, frame: FrameLike, kind: str, size: ArrayLike = (), *,
              color: Optional[str] = None) -> None:
        """A visual shape, in the frame's axes [m].

        kind, size  "box" (x, y, z); "sphere" (r,); "cylinder" and "capsule" (r, height along z);
                    "ellipsoid" (semi-axes)
        color       "#rrggbb", of the frame
        """
        made, index = _shape(kind, size), self._index("frame", frame)
        rgb = maybe_chars("color", color)

        def call(c: Any) -> None:
            lib.cardan_spec_shape(c, index, made)
            if rgb:
                lib.cardan_spec_color(c, index, rgb)
        self._do(call)

    def mesh(self, frame: FrameLike, file: str, scale: ArrayLike = (1, 1, 1)) -> None:
        """A visual mesh: a path relative to the model's file, without "..", or
        package://NAME/.."""
        given, index = chars("file", file), self._index("frame", frame)
        made = ffi.new("cardan_shape *", {"kind": lib.CARDAN_SHAPE_MESH, "file": given,
                                          "size": numbers("scale", scale, 3)})
        self._do(lambda c: lib.cardan_spec_shape(c, index, made), given)

    def color(self, frame: FrameLike, rrggbb: str) -> None:
        """Of a frame's shapes: "#4477aa"."""
        given, index = chars("rrggbb", rrggbb), self._index("frame", frame)
        self._do(lambda c: lib.cardan_spec_color(c, index, given))

    def solid(self, frame: FrameLike, kind: str, size: ArrayLike = (), *,
              material: Optional[str] = None, hidden: bool = False,
              points: Optional[ArrayLike] = None, round: float = 0,
              heights: Optional[ArrayLike] = None, base: float = 0) -> None:
        """A shape that touches others, if contact() is called for it.

        kind, size  as of shape(); "point"; "plane", all of z <= 0; "hull" of points;
                    "height-field" of heights, size: along x, along y, factor of the heights; on
                    a frame that is fixed to the world, such as frame("ground")
        heights     (rows, columns) of a height field: heights[0] has the lowest y; base: how far
                    it reaches down below its lowest place [m], 0: the longer side
        points      (n, 3) of a hull [m]; round: radius of its edges [m], 0: 1 % of its size
        """
        given, index = maybe_chars("material", material), self._index("frame", frame)
        made = ffi.new("cardan_solid_def *", {"material": given, "round": number("round", round),
                                              "base": number("base", base)})
        grid = _heights(heights) if kind == "height-field" else None
        corners = ffi.new("cardan_vec3[]", _points(points)) if kind == "hull" else None
        if corners is not None:
            made.shape.kind = lib.CARDAN_SHAPE_HULL
            made.npoint, made.point = len(corners), corners
        elif points is not None or round != 0:
            raise ArgumentError(f"points and round are of a hull, not of a {kind}")
        elif grid is not None:
            made.shape.kind = lib.CARDAN_SHAPE_HEIGHT_FIELD
            made.shape.size = numbers("size", size, 3)
            made.rows, made.columns = grid.shape
            made.height = ffi.cast("const double *", ffi.from_buffer(grid))
        elif heights is not None or base != 0:
            raise ArgumentError(f"heights and base are of a height-field, not of a {kind}")
        else:
            made.shape = _shape(kind, size)[0]
        made.shape.hidden = flag("hidden", hidden)
        self._do(lambda c: lib.cardan_spec_solid(c, index, made), given, corners, grid)

    def material(self, name: str, *, friction: Optional[float] = None,
                 static: Optional[float] = None, restitution: Optional[float] = None,
                 rolling: Optional[float] = None, spinning: Optional[float] = None) -> None:
        """A surface by name. friction while sliding (0.5 by default), static while sticking (as
        friction), restitution 0 to 1 (0), rolling and spinning lengths [m] (0)."""
        given = chars("name", name)
        made = ffi.new("cardan_surface *",
                       _surface(friction, static, restitution, rolling, spinning))
        self._do(lambda c: lib.cardan_spec_material(c, given, made))

    def contact(self, a: Optional[FrameLike] = None, b: Optional[FrameLike] = None, *,
                friction: Optional[float] = None, static: Optional[float] = None,
                restitution: Optional[float] = None, rolling: Optional[float] = None,
                spinning: Optional[float] = None, name: Optional[str] = None) -> None:
        """The solids of frames a and b touch; of a and all others; without frames, all of them.
        Numbers as of material(), in place of those of the two materials."""
        self._contact(a, b, name, False,
                      _surface(friction, static, restitution, rolling, spinning))

    def no_contact(self, a: FrameLike, b: Optional[FrameLike] = None) -> None:
        """The solids of frames a and b, or of a and all others, do not touch."""
        self._contact(a, b, None, True, _surface())

    def _contact(self, a: Optional[FrameLike], b: Optional[FrameLike], name: Optional[str],
                 never: bool, surface: Dict[str, Any]) -> None:
        if a is None and b is not None:
            raise ArgumentError("b is given without a")
        keep: List[Any] = [maybe_chars("name", name)]
        made = ffi.new("cardan_contact_def *", {
            "name": keep[0], "all": b is None, "never": never, "surface": surface})
        for k, frame in enumerate((a, b)):
            made.frame[k], made.frame_at[k] = self._ends("ab"[k], frame, keep)
        self._do(lambda c: lib.cardan_spec_contact(c, made), keep)

    def floor(self, height: float = 0) -> None:
        """A plane across z at this height [m], the frame "floor", that all solids touch."""
        z = number("height", height)
        self._do(lambda c: lib.cardan_spec_floor(c, z))

    # ---- where a motion starts ----

    def initial(self, q: FrameLike, value: Optional[Union[float, ArrayLike]] = None,
                velocity: Optional[Union[float, ArrayLike]] = None, *, fixed: bool = False) -> None:
        """Start of a coordinate, or of all of a joint's: value [rad or m], velocity [rad/s or m/s];
        fixed: closing loops does not move it."""
        keep: List[Any] = []
        made = ffi.new("cardan_initial *")
        made.var, made.var_at = self._ends("q", q, keep)
        _start(made, value, velocity)
        made.fixed = flag("fixed", fixed)
        self._do(lambda c: lib.cardan_spec_initial(c, made), keep)

    def pose(self, frame: FrameLike, at: ArrayLike, *, rpy: Optional[ArrayLike] = None,
             quat: Optional[ArrayLike] = None, velocity: Optional[ArrayLike] = None,
             angular: Optional[ArrayLike] = None) -> None:
        """Start of a body by the place of one of its frames in the world, for starts that are not
        assembled. velocity of its origin [m/s] and angular velocity [rad/s]: (3,), world axes."""
        keep: List[Any] = []
        made = ffi.new("cardan_initial *")
        made.frame, made.frame_at = self._ends("frame", frame, keep)
        made.pose = _transform(at, rpy, quat)[0]
        if velocity is not None or angular is not None:
            made.nvelocity = 6
            made.velocity = [*numbers("velocity", (0, 0, 0) if velocity is None else velocity, 3),
                             *numbers("angular", (0, 0, 0) if angular is None else angular, 3)]
        self._do(lambda c: lib.cardan_spec_initial(c, made), keep)

    def keyframe(self, name: str, values: Mapping[str, Union[float, ArrayLike]], *,
                 velocities: Optional[Mapping[str, Union[float, ArrayLike]]] = None,
                 inputs: Optional[Mapping[str, float]] = None) -> None:
        """Another start, by name: values and velocities of coordinates or joints, as of initial(),
        and values of inputs. What is not named is 0, an input's own value."""
        given, values = chars("name", name), mapping("values", values)
        speeds, inputs = mapping("velocities", velocities), mapping("inputs", inputs)
        made = ffi.new("cardan_initial[]", len({*values, *speeds}) + len(inputs))
        keep: List[Any] = []
        for entry, q in zip(made, dict.fromkeys([*values, *speeds])):
            entry.var, _ = self._ends("a coordinate", q, keep)
            _start(entry, values.get(q), speeds.get(q))
        for entry, u in zip(made[len(made) - len(inputs):len(made)], inputs):
            keep.append(chars("an input", u))
            entry.input, entry.nvalue = keep[-1], 1
            entry.value[0] = number(f"inputs[{u!r}]", inputs[u])
        self._do(lambda c: lib.cardan_spec_keyframe(c, given, made, len(made)), keep)

    # ---- what becomes of it ----

    def build(self) -> Model:
        """The model. The spec is unchanged and may be extended. What was ignored in a text that was
        read, or is odd, is in the model's `warnings`, and is given as ModelWarning."""
        report = ffi.new("cardan_report *")
        out = ffi.new("cardan_model **")
        with self._held() as c:
            status = lib.cardan_model_build(c, ffi.NULL, out, report)
        if status != 0:
            raise self._failure(status, report)
        files = ffi.NULL if self._source is None else self._source.files
        source = Source("spec.mbs", self.text().encode("utf-8", "surrogateescape"), files=files)
        model = Model(owned(out[0], lib.cardan_model_destroy), source)
        for sentence in model.warnings:
            warnings.warn(ModelWarning(sentence), stacklevel=2)
        return model

    def text(self, format: str = "mbs") -> str:
        """The model text in a format that can be written (formats())."""
        report = ffi.new("cardan_report *")
        out = ffi.new("char **")
        chars("format", format)
        ending = chars("format", f".{format.lstrip('.')}")
        with self._held() as c:
            status = lib.cardan_spec_write_as(c, ending, out, report)
            if status != 0:
                raise self._failure(status, report)
            try:
                return bytes(ffi.string(out[0])).decode("utf-8", "surrogateescape")
            finally:
                lib.cardan_free_text(ffi.NULL, out[0])

    def write(self, path: Path) -> None:
        """Writes the model text to a file, in the format of its ending (.mbs, .urdf, ..)."""
        name = path_string("path", path)
        whole = self.text(os.path.splitext(name)[1] or "mbs")
        try:
            with open(name, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                file.write(whole)
        except OSError as fault:
            raise FileError(f"cannot write {name}: {fault.strerror}") from fault


def formats() -> Dict[str, Tuple[str, bool]]:
    """The formats of model files by ending: what each is, and whether it can be written."""
    found: Dict[str, Tuple[str, bool]] = {}
    while lib.cardan_format_ending(len(found)) != ffi.NULL:
        k = len(found)
        found[text(lib.cardan_format_ending(k)).lstrip(".")] = (
            text(lib.cardan_format_help(k)), bool(lib.cardan_format_writes(k)))
    return found


def _empty() -> Any:
    out = ffi.new("cardan_spec **")
    check(lib.cardan_spec_create(ffi.NULL, out))
    return owned(out[0], lib.cardan_spec_destroy)


def _not_world(name: Optional[str]) -> None:
    if isinstance(name, str) and name == "world":
        raise ArgumentError("\"world\" is the name of the root of all frames")


def _transform(at: Optional[ArrayLike], rpy: Optional[ArrayLike],
               quat: Optional[ArrayLike]) -> Any:
    """A cardan_xform *."""
    if rpy is not None and quat is not None:
        raise ArgumentError("rpy and quat are both given, expected one of them")
    if at is not None and is_table("at", at):
        return _matrix(at, rpy, quat)
    p = numbers("at", (0, 0, 0) if at is None else at, 3)
    if quat is None:
        return ffi.new("cardan_xform *", lib.cardan_xform_rpy(
            p, *numbers("rpy", (0, 0, 0) if rpy is None else rpy, 3)))
    w = numbers("quat", quat, 4)
    if not any(w):
        raise ArgumentError("quat is 0 0 0 0, expected one that can be normalised")
    return ffi.new("cardan_xform *", lib.cardan_xform_quat(p, lib.cardan_quat_normalize(w)))


def _placer(parent: int, at: Optional[ArrayLike], rpy: Optional[ArrayLike],
            quat: Optional[ArrayLike]) -> Callable[[Any], int]:
    """What returns parent, or adds a frame placed in it if one of the others is given."""
    if at is None and rpy is None and quat is None:
        return lambda c: parent
    T = _transform(at, rpy, quat)
    return lambda c: int(lib.cardan_spec_place(c, parent, T))


def _matrix(at: ArrayLike, rpy: Optional[ArrayLike], quat: Optional[ArrayLike]) -> Any:
    if rpy is not None or quat is not None:
        raise ArgumentError("at is a whole transform, expected neither rpy nor quat beside it")
    rows = table("at", at, 4)
    if len(rows) != 4 or rows[3] != (0, 0, 0, 1):
        raise ArgumentError("at is not a (4, 4) transform whose last row is 0 0 0 1")
    made = ffi.new("cardan_xform *")
    made.R.m = [row[:3] for row in rows[:3]]
    made.p = [row[3] for row in rows[:3]]
    return made


def _inertia(inertia: Optional[ArrayLike]) -> List[float]:
    """xx, yy, zz, xy, xz, yz."""
    if inertia is None:
        return [0.0] * 6
    if not is_table("inertia", inertia):
        given = numbers("inertia", inertia, 3, 6)
        return [*given, *[0.0] * (6 - len(given))]
    rows = table("inertia", inertia, 3)
    if len(rows) != 3 or list(zip(*rows)) != rows:
        raise ArgumentError("inertia is not a symmetric (3, 3) matrix")
    return [rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]]


def _shape(kind: str, size: ArrayLike) -> Any:
    """A cardan_shape *."""
    count = word("kind", kind, SIZES)
    made = ffi.new("cardan_shape *", {"kind": getattr(lib, f"CARDAN_SHAPE_{kind.upper()}")})
    given = _one_or_more("size", size, count) if count else ()
    if count == 0 and not (isinstance(size, tuple) and size == ()):
        raise ArgumentError(f"size is given, which a {kind} has not")
    for k, length in enumerate(given):
        made.size[k] = length
    return made


def _points(points: Optional[ArrayLike]) -> List[Tuple[float, ...]]:
    if points is None:
        raise ArgumentError("points are not given, which a hull has")
    return table("points", points, 3)


def _heights(heights: Optional[ArrayLike]) -> Any:
    if heights is None:
        raise ArgumentError("heights are not given, which a height-field has")
    grid = plain_array("heights", heights)
    if grid.ndim != 2:
        raise ArgumentError(f"heights have {grid.ndim} dimensions, expected rows and columns")
    if grid.dtype.kind not in "fiu":
        raise ArgumentError(f"heights are of type {grid.dtype}, expected numbers")
    wrong = np.argwhere(~np.isfinite(grid))
    if len(wrong) > 0:
        row, column = wrong[0]
        raise ArgumentError(
            f"heights[{row}, {column}] is {grid[row, column]}, expected a finite number")
    return np.ascontiguousarray(grid, dtype=float)


def _surface(*given: Optional[float]) -> Dict[str, Any]:
    """Fields of a cardan_surface."""
    fields: Dict[str, Any] = {}
    for name, value in zip(SURFACE, given):
        if value is not None:
            fields[name] = number(name.replace("statical", "static"), value)
            fields[f"has_{name}"] = True
    return fields


def _one_or_more(name: str, value: Union[float, ArrayLike], *lengths: int) -> Tuple[float, ...]:
    """Numbers, where one may stand for a list of it."""
    if isinstance(value, (int, float, np.number)):
        return numbers(name, [number(name, value)], *lengths)  # type: ignore[arg-type]
    return numbers(name, value, *lengths)


def _start(entry: Any, value: Optional[Union[float, ArrayLike]],
           velocity: Optional[Union[float, ArrayLike]]) -> None:
    """Value and velocity of a cardan_initial."""
    for name, given, most in (("value", value, 7), ("velocity", velocity, 6)):
        if given is None:
            continue
        flat = _one_or_more(name, given, *range(1, most + 1))
        setattr(entry, f"n{name}", len(flat))
        for k, x in enumerate(flat):
            getattr(entry, name)[k] = x
