# SPDX-License-Identifier: Apache-2.0
"""Models from names, files, texts and results."""
import copy
import pathlib
import pickle

import numpy as np
import pytest

import cardan

ARM = """
(system "arm"
  (parameter L 0.5) (parameter PAYLOAD 1)
  (joint revolute "elbow" (axis 0 1 0) (limit -2 2)
    (tz (- 0 L) (name "hand") (mass PAYLOAD)))
  (keyframe "up" (elbow 0.3)))
"""

URDF = """<robot name="two">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""


def test_every_builtin_loads_and_is_pickled() -> None:
    for name in cardan.builtins():
        m = cardan.load(name if name != "tree" else "tree:20")
        again = pickle.loads(pickle.dumps(m))
        assert again.q_names == m.q_names
        assert again.q0.tobytes() == m.q0.tobytes()
        assert again.to_text() == m.to_text()
