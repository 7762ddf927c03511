# SPDX-License-Identifier: Apache-2.0
"""A state of a model, and what follows from it."""
from __future__ import annotations

from cardan._kinematics import Kinematics
from cardan._loops import Loops


class Data(Kinematics, Loops):
    """t, q, v and inputs of one model, and everything computed from them: m.data() makes one.

    q, v, a, u, tau_in, f_in are views on C memory: writing to them changes the state. What depends
    on t, q, v is made anew when it is asked for and they have changed. Results are arrays of their
    own; `out`, where a method has it, takes one to write to. One Data belongs to one thread at a
    time.
    """

    __slots__ = ()
