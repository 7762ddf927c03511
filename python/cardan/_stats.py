# SPDX-License-Identifier: Apache-2.0
"""Effort and quality of a run, as plain numbers."""
from __future__ import annotations

from typing import Any, Dict, NamedTuple


class ContactStats(NamedTuple):
    """Contacts and limits of a run.

    impacts, plastic   how many; without restitution, since a step had too many
    guarded            impacts whose restitution was lessened: they would have gained energy
    lost, friction     energy that impacts, and friction at contacts, took [J]
    overlap            deepest of a node [m or rad]
    events, closed     most in one step; contacts at the node
    gap                smallest at the node [m or rad]; inf: none in reach
    solves, sweeps, newtons  cone problems, and what they took
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


class Stats(NamedTuple):
    """Effort and quality since the start of a run.

    steps, evaluations  of the equations of motion
    accepted, rejected, restarts  internal steps of adaptive integrators
    iterations          in the last step: evaluations of the residual or of the right-hand side
    iterations_mean, iterations_std, iterations_max  over all steps
    energy_initial, energy_final  [J]
    drift_max           largest drift of the energy, or of the balance where work is done [J]
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
    constraint_max: float
    looks: int
    jumps: int
    jump: JumpSeen
    given: float
    events: int
    parted: int
    part: float
    contact: ContactStats


def stats_of(c: Any) -> Stats:
    """Of a cardan_stats."""
    jump = JumpSeen(getattr(c.jump, "from"), c.jump.to, c.jump.energy, c.jump.kinetic,
                    c.jump.violation)
    contact = ContactStats(*(getattr(c.contact, name) for name in ContactStats._fields))
    made: Dict[str, Any] = {name: getattr(c, name) for name in Stats._fields}
    made.update(jump=jump, contact=contact)
    return Stats(**made)
