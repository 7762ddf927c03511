# SPDX-License-Identifier: Apache-2.0
"""Effort and quality of a run, as plain numbers."""
from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional

from cardan._cardan import ffi, lib
from cardan._error import text


class ContactStats(NamedTuple):
    """Contacts and limits of a run.

    impacts, plastic   how many; without restitution, since a step had too many
    guarded            impacts whose restitution was lessened: they would have gained energy
    lost, friction     energy that impacts, and friction at contacts, took [J]
    overlap            deepest of a node [m or rad]
    events, closed     most in one step; contacts at the node
    steps_located, steps_step  steps whose impacts were located, were at the end of a step
    gap                smallest at the node [m or rad]; inf: none in reach
    solves, sweeps, newtons  cone problems, and what they took
    attempts           of steps: more than steps, where impacts are located or bodies land
    error              largest that one was left with [m/s]
    """

    impacts: int
    plastic: int
    guarded: int
    lost: float
    friction: float
    overlap: float
    events: int
    closed: int
    gap: float
    solves: int
    sweeps: int
    newtons: int
    attempts: int
    steps_located: int
    steps_step: int
    error: float


class JumpSeen(NamedTuple):
    """Something that no motion does, between two nodes: see Sim.warning.

    start, end        [s]
    energy, kinetic   change of the balance; the kinetic energy that it is held against [J]
    violation         of the constraints then [m or rad]
    """

    start: float
    end: float
    energy: float
    kinetic: float
    violation: float


class ErrorEstimate(NamedTuple):
    """The estimated error of the coordinate that has the largest one, at the end of a run: the
    error that the steps have added up to, from some that were also taken in halves
    (docs/methods/estimate.md).

    coordinate   its name, by the velocity that belongs to it ("body.wx" of an attitude)
    value, unit  [rad or m], at most the range
    range        that the coordinate went through
    samples      steps that were measured
    uncertain    why the truth may be far from it, such as impacts or chaos; "": no such reason
    """

    coordinate: str
    value: float
    unit: str
    range: float
    samples: int
    uncertain: str


class Stats(NamedTuple):
    """Effort and quality since the start of a run.

    steps, evaluations  of the equations of motion
    accepted, rejected, restarts  internal steps of adaptive integrators
    iterations          in the last step: evaluations of the residual or of the right-hand side
    iterations_mean, iterations_std, iterations_max  over all steps
    energy_initial, energy_final  [J]
    drift_max           largest drift of the energy, or of the balance where work is done [J]
    energy_band         of what drift_max is of: peak to peak around its trend [J]
    energy_trend, energy_trend_error  slope of a line through it, by least squares, and the standard
                        error of that [J per hour]; inf: too few nodes
    estimated_error     ErrorEstimate; None of adaptive integrators, and with forces of a program
    constraint_max      largest violation so far [m or rad]
    looks               nodes that drift and violation are of, the start's among them
    jumps, jump         how many, and the first; after it the motion is in doubt
    given               energy that restarts brought [J]
    events              crossings that were found
    parted, part        steps that were taken in parts (option adapt), and the smallest part [s]
    contact             ContactStats

    Drift and violation are measured at the nodes that were read: rows of a run, or where v, data or
    stats was read.
    """

    steps: int
    evaluations: int
    accepted: int
    rejected: int
    restarts: int
    iterations: int
    iterations_mean: float
    iterations_std: float
    iterations_max: int
    energy_initial: float
    energy_final: float
    drift_max: float
    energy_band: float
    energy_trend: float
    energy_trend_error: float
    estimated_error: Optional[ErrorEstimate]
    constraint_max: float
    looks: int
    jumps: int
    jump: JumpSeen
    given: float
    events: int
    parted: int
    part: float
    contact: ContactStats


HOUR = 3600.0


def error_of(model: Any, c: Any) -> Optional[ErrorEstimate]:
    """Of a cardan_error_estimate of a cardan_model."""
    if c.coordinate < 0 or c.samples == 0 or math.isnan(c.value):
        return None
    why = ffi.new("char[]", 512)
    lib.cardan_error_doubts(ffi.new("cardan_error_estimate *", c), why, 512)
    unit = text(lib.cardan_coordinate_unit(model, c.coordinate))
    name = text(lib.cardan_error_coordinate(model, c.coordinate))
    return ErrorEstimate(name, c.value, unit, c.range, c.samples, text(why))


def stats_of(model: Any, c: Any) -> Stats:
    """Of a cardan_stats of a cardan_model."""
    jump = JumpSeen(getattr(c.jump, "from"), c.jump.to, c.jump.energy, c.jump.kinetic,
                    c.jump.violation)
    contact = ContactStats(*(getattr(c.contact, name) for name in ContactStats._fields))
    made: Dict[str, Any] = {name: getattr(c, name) for name in Stats._fields
                            if name != "estimated_error"}
    made.update(jump=jump, contact=contact, energy_trend=HOUR * c.energy_trend,
                energy_trend_error=HOUR * c.energy_trend_error,
                estimated_error=error_of(model, c.error))
    return Stats(**made)
