# SPDX-License-Identifier: Apache-2.0
"""Models: what a file, a robot or a Spec says, ready to run."""
from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from cardan._arguments import chars, mapping, nearest, number, whole
from cardan._cardan import ffi, lib
from cardan._data import Data
from cardan._error import ArgumentError, check, text
from cardan._hooks import Control, Event, Force
from cardan._prescribed_motion import PrescribedMotion, known
from cardan._modes import Matrices, Modes, matrices_of, modes_of
from cardan._parts import Body, Frame, Joint, body_of, frame_of, joint_of
from cardan._result import Result
from cardan._run import Progress, run
from cardan._sim import Names, Sim, Values
from cardan._source import Begin, Path, Source, keep_begin, path_string, start, written
from cardan._statics import Statics, statics
from cardan._table import Input
from cardan._views import Array, given, out as _out, owned, view

Name = Union[str, int]


class Model:
    """A mechanism: immutable, and shared by any number of threads.

    load() and Spec.build() make one. Frames, joints, .. are called by their names, or by their
    numbers in the order of the names here. Velocities v are not always dq/dt: a spherical joint has
    four numbers in q (a quaternion w, x, y, z) and three in v (angular velocity, body axes), a free
    one seven (position, quaternion) and six (twist in body axes, angular first).
    """

    _c: Any
    _source: Source
    _nq: int
    _nv: int

    def __init__(self, pointer: Any, source: Source) -> None:
        """For the package itself: of an owned cardan_model *, and what it was read from."""
        self.__dict__.update(_c=pointer, _source=source, _nq=int(pointer.nq), _nv=int(pointer.nv))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Model does not change: {name} cannot be set; see load(), "
                             "with_parameters(), with_keyframe()")

    @classmethod
    def _of_spec(cls, spec: Any, source: Source, is_whole: bool = True) -> Model:
        """For the package itself: the model of an owned cardan_spec *. is_whole: its text is the
        one that the spec writes; else source's own."""
        pointer = source.built(spec)
        return cls(pointer, source.whole(spec) if is_whole else source)

    def __repr__(self) -> str:
        return f"<cardan.Model {self.name!r}: nq {self.nq}, nv {self.nv}, {self.njoint} joints>"

    # ---- sizes

    @property
    def name(self) -> str:
        """As its text says, or as it was loaded."""
        return (text(self._c.name) if self._c.name != ffi.NULL else "") or self._source.name

    @property
    def nq(self) -> int:
        """How many coordinates a configuration has."""
        return self._nq

    @property
    def nv(self) -> int:
        """How many velocities there are."""
        return self._nv

    @property
    def nu(self) -> int:
        """How many inputs there are."""
        return int(self._c.ninput)

    @property
    def nz(self) -> int:
        """How many auxiliary states there are, memories among them."""
        return int(self._c.nz)

    @property
    def ny(self) -> int:
        """How many outputs there are."""
        return int(self._c.ny)

    @property
    def nbody(self) -> int:
        """How many bodies, the world (0) included."""
        return int(self._c.nbody)

    @property
    def njoint(self) -> int:
        """How many joints."""
        return int(self._c.njoint)

    @property
    def nframe(self) -> int:
        """How many frames, the world (0) included."""
        return int(self._c.nframe)

    @property
    def nrow(self) -> int:
        """How many scalar constraint equations."""
        return int(self._c.nrow)

    @property
    def mass(self) -> float:
        """Of all bodies that move [kg]."""
        return float(self._c.mass)

    @property
    def gravity(self) -> Array:
        """(3,) [m/s^2], world axes."""
        g = self._c.gravity
        return np.array([g.x, g.y, g.z])

    @property
    def rank(self) -> int:
        """Of the constraint rows, at the start."""
        return int(self._c.rank)

    @property
    def mobility(self) -> int:
        """In how many ways it can move: velocities less prescribed ones less rank."""
        return int(self._c.mobility)

    @property
    def redundant_rows(self) -> Tuple[str, ...]:
        """Constraint rows that follow from the others."""
        return tuple(name for k, name in enumerate(self.row_names) if self._c.row_redundant[k])

    @property
    def warnings(self) -> Tuple[str, ...]:
        """What the reader left out or changed: sentences."""
        return tuple(text(self._c.warning[k]) for k in range(self._c.nwarning))

    # ---- names

    @cached_property
    def _names(self) -> Dict[str, Tuple[str, ...]]:
        """Names of everything, by what it is."""
        c = self._c
        fields = {"joint": (c.joint, c.njoint), "frame": (c.frame, c.nframe),
                  "constraint": (c.constraint, c.nconstraint), "force": (c.force, c.nforce),
                  "input": (c.input, c.ninput), "output": (c.output, c.ny), "z": (c.state, c.nz),
                  "parameter": (c.parameter, c.nparameter), "keyframe": (c.keyframe, c.nkeyframe),
                  "contact": (c.contact, c.ncontact)}
        found = {what: tuple(text(array[k].name) for k in range(n))
                 for what, (array, n) in fields.items()}
        found["q"] = tuple(text(c.q_name[k]) for k in range(c.nq))
        found["v"] = tuple(text(c.v_name[k]) for k in range(c.nv))
        found["body"] = tuple(text(lib.cardan_body_name(c, k)) for k in range(c.nbody))
        found["row"] = tuple(self._row_name(k) for k in range(c.nrow))
        return found

    def _row_name(self, row: int) -> str:
        name = ffi.new("char[]", 256)
        lib.cardan_row_name(self._c, row, name, 256)
        return text(name)

    @cached_property
    def _index(self) -> Dict[str, Dict[str, int]]:
        """Their numbers, by what and by name; of two of a name the first."""
        return {what: {name: k for k, name in reversed(tuple(enumerate(names))) if name}
                for what, names in self._names.items()}

    def _at(self, what: str, name: Name) -> int:
        """The number of a frame, joint, .. by its name or number."""
        if isinstance(name, str):
            index = self._index[what].get(name)
            if index is None:
                word = {"q": "coordinate", "v": "velocity"}.get(what, what)
                raise ArgumentError(f"there is no {word} {name!r} in the model"
                                    + nearest(name, self._index[what]))
            return index
        names = self._names[what]
        if not isinstance(name, (int, np.integer)):
            raise ArgumentError(f"{what} is {name!r}, expected a name or a number")
        if not names:
            raise ArgumentError(f"{what} is {name!r}, but the model has none")
        return whole(what, name, 0, len(names) - 1)

    def _solid_frames(self, frame: int) -> Tuple[int, ...]:
        """The frames that have the solids of a frame: it, and nameless ones that go by its name."""
        c, name = self._c, self.frame_names[frame]
        solids = (c.solid[k] for k in range(c.nsolid))
        return tuple(sorted({solid.frame for solid in solids
                             if solid.frame == frame or (name and text(solid.name) == name)}))

    @property
    def q_names(self) -> Tuple[str, ...]:
        """Names of the coordinates."""
        return self._names["q"]

    @property
    def v_names(self) -> Tuple[str, ...]:
        """Names of the velocities."""
        return self._names["v"]

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """Names of the joints."""
        return self._names["joint"]

    @property
    def frame_names(self) -> Tuple[str, ...]:
        """Names of the frames; "" for one without."""
        return self._names["frame"]

    @property
    def body_names(self) -> Tuple[str, ...]:
        """Names of the bodies."""
        return self._names["body"]

    @property
    def z_names(self) -> Tuple[str, ...]:
        """Names of the auxiliary states: those with a derivative, then memories."""
        return self._names["z"]

    @property
    def input_names(self) -> Tuple[str, ...]:
        """Names of the inputs."""
        return self._names["input"]

    @property
    def output_names(self) -> Tuple[str, ...]:
        """Names of the outputs."""
        return self._names["output"]

    @property
    def parameter_names(self) -> Tuple[str, ...]:
        """Names of the parameters, and of the constants that follow from them."""
        return self._names["parameter"]

    @property
    def keyframe_names(self) -> Tuple[str, ...]:
        """Names of the starts by name."""
        return self._names["keyframe"]

    @property
    def constraint_names(self) -> Tuple[str, ...]:
        """Names of the constraints."""
        return self._names["constraint"]

    @property
    def row_names(self) -> Tuple[str, ...]:
        """Names of the scalar constraint equations: "loop.2"."""
        return self._names["row"]

    @property
    def force_names(self) -> Tuple[str, ...]:
        """Names of the springs, dampers, actuators and other forces."""
        return self._names["force"]

    @property
    def contact_names(self) -> Tuple[str, ...]:
        """Names of the contacts."""
        return self._names["contact"]

    # ---- parts

    def joint(self, name: Name) -> Joint:
        """A joint: type, limit, axis, places of its coordinates, .."""
        return joint_of(self, self._at("joint", name))

    def frame(self, name: Name) -> Frame:
        """A frame: its parent, body, mass."""
        return frame_of(self, self._at("frame", name))

    def body(self, name: Name) -> Body:
        """A body: frames that are rigidly attached to one another; mass, centre, inertia."""
        return body_of(self, self._at("body", name))

    @property
    def q0(self) -> Array:
        """The start as the file has it: (nq,), read-only."""
        return view(self._c, self._c.q0, self.nq, writable=False)

    @property
    def v0(self) -> Array:
        """(nv,), read-only."""
        return view(self._c, self._c.v0, self.nv, writable=False)

    @property
    def z0(self) -> Array:
        """Where the auxiliary states start: (nz,)."""
        return np.array([self._c.state[k].initial for k in range(self.nz)])

    @property
    def u0(self) -> Array:
        """The inputs' own values: (nu,)."""
        return np.array([self._c.input[k].value for k in range(self.nu)])

    @property
    def u_limits(self) -> Array:
        """Limits of the inputs, to which they are clamped where they are used: (nu, 2); infinite
        where there are none."""
        found = np.full((self.nu, 2), (-np.inf, np.inf))
        for k in range(self.nu):
            if self._c.input[k].has_limit:
                found[k] = tuple(self._c.input[k].limit)
        return found

    @property
    def q_limits(self) -> Array:
        """Limits of the coordinates [rad, m]: (nq, 2); infinite where there are none."""
        found = np.full((self.nq, 2), (-np.inf, np.inf))
        for joint in (self._c.joint[k] for k in range(self.njoint)):
            if joint.has_limit:
                found[joint.qadr] = tuple(joint.limit)
        return found

    def keyframe(self, name: Name) -> Tuple[Array, Array, Array]:
        """A start by name: q (nq,), v (nv,), u (nu,)."""
        entry = self._c.keyframe[self._at("keyframe", name)]
        return (view(self._c, entry.q, self.nq, writable=False),
                view(self._c, entry.v, self.nv, writable=False),
                view(self._c, entry.u, self.nu, writable=False))

    # ---- other models of it

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """Values of the parameters, and of the constants that follow from them; read-only."""
        c = self._c
        return MappingProxyType({text(c.parameter[k].name): float(c.parameter[k].value)
                                 for k in range(c.nparameter)})

    def with_parameters(self, values: Optional[Mapping[str, float]] = None,
                        **named: float) -> Model:
        """The model with other values of its parameters: as if its text were read with them, to the
        same bits. with_parameters(PAYLOAD=2)."""
        changed: Dict[str, float] = {}
        for key, value in {**mapping("values", values), **named}.items():
            changed[self._parameter(key)] = number(f"parameter {key}", value)
        source = replace(self._source, settings={**self._source.settings, **changed})
        if any(self._c.parameter[self._at("parameter", key)].rigid_pos.line for key in changed):
            return Model(source.model(), source)
        copy = self._copied()
        report = ffi.new("cardan_report *")
        for key, value in changed.items():
            check(lib.cardan_model_set(copy, key.encode(), value, report), report)
        return Model(copy, source)

    def with_keyframe(self, name: Name) -> Model:
        """The model whose start is this keyframe."""
        key = self.keyframe_names[self._at("keyframe", name)]
        copy = self._copied()
        begin = replace(self._source.begin, keyframe=key)
        report = ffi.new("cardan_report *")
        start(copy, Begin(keyframe=key), report)
        return Model(copy, replace(self._source, begin=begin))

    def _parameter(self, name: Any) -> str:
        """A parameter as the text names it; case does not count."""
        index = lib.cardan_model_parameter(self._c, chars("a parameter", name))
        index = self._at("parameter", name) if index < 0 else index
        if self._c.parameter[index].derived:
            raise ArgumentError(f"parameter {name} is computed from others, and cannot be set")
        return self.parameter_names[int(index)]

    def _copied(self) -> Any:
        """An owned cardan_model *, a copy of this one."""
        out = ffi.new("cardan_model **")
        check(lib.cardan_model_copy(self._c, ffi.NULL, out))
        return owned(out[0], lib.cardan_model_destroy)

    def __copy__(self) -> Model:
        return self  # it never changes

    def __deepcopy__(self, memo: Dict[int, Any]) -> Model:
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickled as a text that needs no other file: one of a robot may name meshes."""
        source = self._source if self._source.is_mbs else self._source.whole()
        return _unpickled, (source.name, source.text, dict(source.settings), source.begin)

    # ---- configurations

    def neutral(self) -> Array:
        """All coordinates 0, quaternions 1: (nq,)."""
        pointer, q = _out("out", None, self.nq)
        lib.cardan_q_zero(self._c, pointer)
        return q

    def random(self, seed: int) -> Array:
        """A random configuration, the same for a seed on every machine: (nq,).

        Coordinates with a limit are even between its ends, other angles between -pi and pi, lengths
        between -1 and 1 m; attitudes are even over all there are. Loops are not closed."""
        pointer, q = _out("out", None, self.nq)
        lib.cardan_q_random(self._c, whole("seed", seed, 0, 2 ** 64 - 1), pointer)
        return q

    def normalize(self, q: ArrayLike) -> Array:
        """q with its quaternions of length 1: a new array (nq,)."""
        pointer, array = _out("q", np.array(given("q", q, self.nq)[1]), self.nq)
        if not lib.cardan_q_normalize(self._c, pointer):
            raise ArgumentError("q has a quaternion of length 0")
        return array

    def move(self, q: ArrayLike, dq: ArrayLike, part: float = 1.0,
             out: Optional[Array] = None) -> Array:
        """q moved by part times dq, q (+) part dq: (nq,). dq: (nv,), as velocities are."""
        from_q, _q = given("q", q, self.nq)
        by, _dq = given("dq", dq, self.nv)
        pointer, array = self._apart("out", out, self.nq, _q, _dq)
        lib.cardan_q_move(self._c, from_q, by, number("part", part), pointer)
        return array

    def difference(self, q0: ArrayLike, q1: ArrayLike, out: Optional[Array] = None) -> Array:
        """dq that moves q0 to q1, the shorter way round: (nv,)."""
        from_q, _q0 = given("q0", q0, self.nq)
        to_q, _q1 = given("q1", q1, self.nq)
        pointer, array = self._apart("out", out, self.nv, _q0, _q1)
        lib.cardan_q_difference(self._c, from_q, to_q, pointer)
        return array

    def interpolate(self, q0: ArrayLike, q1: ArrayLike, part: float,
                    out: Optional[Array] = None) -> Array:
        """From q0 (part 0) to q1 (part 1) on the shortest way: (nq,)."""
        from_q, _q0 = given("q0", q0, self.nq)
        to_q, _q1 = given("q1", q1, self.nq)
        pointer, array = self._apart("out", out, self.nq, _q0, _q1)
        lib.cardan_q_interpolate(self._c, from_q, to_q, number("part", part), pointer)
        return array

    def q_dot(self, q: ArrayLike, v: ArrayLike, out: Optional[Array] = None) -> Array:
        """dq/dt from v, rates of quaternions included: (nq,)."""
        from_q, _q = given("q", q, self.nq)
        by, _v = given("v", v, self.nv)
        pointer, array = self._apart("out", out, self.nq, _q, _v)
        lib.cardan_q_dot(self._c, from_q, by, pointer)
        return array

    @staticmethod
    def _apart(name: str, out: Optional[Array], n: int, *inputs: Array) -> Tuple[Any, Array]:
        """out, which must not lie over what is read."""
        pointer, array = _out(name, out, n)
        if out is not None and any(np.may_share_memory(out, read) for read in inputs):
            raise ArgumentError(f"{name} lies over an array that is read")
        return pointer, array

    # ---- texts

    def describe(self) -> str:
        """What the model is: bodies, joints, freedom, loops, start, methods that take it."""
        return self._described(False)

    def info(self) -> Dict[str, Any]:
        """The same as a dict."""
        found: Dict[str, Any] = json.loads(self._described(True))
        return found

    def _described(self, as_json: bool) -> str:
        report = ffi.new("cardan_report *")
        made = ffi.new("char **")
        check(lib.cardan_describe_model(self._c, self._source.name.encode(), as_json, ffi.NULL,
                                        made, report), report)
        found = text(made[0])
        lib.cardan_free_text(ffi.NULL, made[0])
        return found

    def to_text(self, format: str = "mbs") -> str:
        """The model as a text: "mbs", or another format that can be written, such as "urdf".

        Raises Unsupported where the format cannot hold the model."""
        if not isinstance(format, str):
            raise ArgumentError(f"format is {format!r}, expected a text")
        name = "model." + format.lstrip(".")
        spec = self._source.spec()
        keep_begin(spec, self._source.begin)
        return written(spec, name).decode("utf-8", "surrogateescape")

    def save(self, path: Path) -> None:
        """Writes the model as a file; the ending chooses the format, as in to_text()."""
        name = path_string("path", path)
        found = self.to_text(name.rpartition(".")[2] if "." in name else "")
        raw = found.encode("utf-8", "surrogateescape")
        report = ffi.new("cardan_report *")
        check(lib.cardan_write_text(os.fsencode(name), raw, len(raw), ffi.NULL, report),
              report)

    # ---- use

    def statics(self, q: Optional[ArrayLike] = None, *, u: Optional[ArrayLike] = None,
                t: float = 0.0, stable: bool = False, friction: bool = True, tol: float = 1e-9,
                max_iter: int = 1000) -> Statics:
        """The equilibrium that the model comes to from q (its own start), loops closed, drivers where
        they are at t, inputs u (their own values): Statics.

        stable    continues from a start that is an unstable equilibrium
        friction  can hold the start
        tol       largest force left, of those that balance

        Raises NoRoot where it runs away, NotConverged where none is found."""
        return statics(self, q, u, t, stable, friction, tol, max_iter)

    def kinematics(self, times: ArrayLike, *, motion: Optional[Mapping[str, ArrayLike]] = None,
                   hold: bool = False, q: Optional[ArrayLike] = None,
                   forces: bool = False) -> PrescribedMotion:
        """The places, velocities and accelerations at the times, in their order, that drivers and
        a record determine, loops closed on the branch of q (the model's start): PrescribedMotion.

        motion  what was measured: arrays "t" and "q.NAME", "v.NAME", "a.NAME" of coordinates
        hold    coordinates that nothing moves stay; else they are an error, which names them
        forces  inverse dynamics too: forces on what is recorded or held, and of drivers

        Raises Unsupported where coordinates are free, Singular and NoRoot where it cannot continue."""
        return known(self, times, motion, hold, q, forces)

    def data(self) -> Data:
        """A state of this model, at its start, with everything that can be computed of it."""
        return Data(self)

    def matrices(self, data: Optional[Data] = None) -> Matrices:
        """The model about a state as matrices, through loops, and as a linear system: at the start
        with its loops closed, or at that of data."""
        return matrices_of(self, data)

    def modes(self, data: Optional[Data] = None) -> Modes:
        """Small motions about a state, as of matrices(): frequencies, damping, shapes. Raises
        Singular where the degrees of freedom are not defined."""
        return modes_of(self, data)

    def sim(self, *, control: Optional[Control] = None, force: Optional[Force] = None,
            events: Sequence[Event] = (), **options: Any) -> Sim:
        """A run of this model, step by step; options as on the command line, with _ for -:
        method="vi", dt=1e-3, order=4, adapt=1e-4, rank_tol=1e-6, assemble=False, ..

        control  control(t, data, u), before every step: data is the node's, u the inputs to write;
                 data.tau_in, data.f_in and data.apply_force() too. What it writes is held over the
                 step. It returns None, or joint forces (nv,), which become tau_in
        force    force(at, tau, f), in every evaluation, for a model with (program ..): adds joint
                 forces to tau (nv,) and wrenches on bodies, in body coordinates, to f (nbody, 6);
                 a smooth function of at (Instant) alone
        events   Event objects: where a value crosses zero

        An exception that one of them raises ends the step and reaches the caller unchanged.
        """
        return Sim(self, options, control, force, events)

    def run(self, *, control: Optional[Control] = None, force: Optional[Force] = None,
            events: Sequence[Event] = (), q: Values = None, v: Values = None, u: Values = None,
            z: Values = None,
            add: Names = None, out: Optional[Path] = None, report: Optional[Path] = None,
            input: Optional[Input] = None, input_mode: str = "held", progress: Progress = False,
            **options: Any) -> Result:
        """Runs this model from its start, over time=10 s by steps of dt=1e-2 s unless it says
        otherwise, and gathers a row at the start and after every=1 steps. Options as of sim().

        control, force, events  as of sim()
        q, v, u, z   start values: arrays (nq,), (nv,), (ninput,), (nz,), or by name:
                  {"elbow": 0.3}
        add       more columns: "momentum", "reactions", "multipliers", "work", "errors",
                  "contacts", "tyres", as one word or several
        out       FILE.csv or FILE.h5: the table, as the command `cardan run` writes it
        report    FILE.html: a page with the motion in 3-D, plots and facts
        input     inputs over time: the path of a table in CSV, a mapping of its columns, t and
                  inputs by name, to arrays, or an array (rows, 1 + ninput); input_mode: "held" or
                  "linear" between rows
        progress  True: a bar on a terminal; or a function of the part that is done, 0 .. 1

        A run that fails raises: the exception's `result` has the rows until there, and so have the
        files. What gives reason to doubt the motion is a MotionWarning, and in the Result.
        """
        return run(self, options, control=control, force=force, events=events, q=q, v=v, u=u, z=z,
                   add=add, out=out, report=report, input=input, input_mode=input_mode,
                   progress=progress)


def a_model(value: object) -> None:
    """Refuses what is no Model."""
    if not isinstance(value, Model):
        raise ArgumentError(f"model is a {type(value).__name__}, expected a cardan.Model, which "
                            "load() makes")


def _unpickled(name: str, source_text: bytes, settings: Mapping[str, float],
               begin: Begin) -> Model:
    source = Source(name, source_text, settings, begin)
    return Model(source.model(), source)
