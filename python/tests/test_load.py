# SPDX-License-Identifier: Apache-2.0
"""Models from names, files, texts and results; what they say; other models made of them."""
import copy
import os
import pathlib
import pickle
import subprocess
import warnings

import numpy as np
import pytest

import cardan

ARM = """(system "arm" (gravity 0 0 -10)
  (parameter L 0.5) (parameter PAYLOAD 1) (define TWICE (* 2 PAYLOAD)) (parameter TILT 0)
  (joint revolute "elbow" (axis 0 (cos TILT) (sin TILT)) (limit -2 2)
    (tz (neg L) (name "hand") (mass PAYLOAD)))
  (input "push" 0.5 (limit -1 1)) (torque "elbow" u.push)
  (output "height" (pz "hand"))
  (initial ("elbow" 0.1))
  (keyframe "up" ("elbow" 0.3 0.2) (input "push" -0.25)))"""

URDF = """<robot name="two">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""


def command() -> str:
    """The command line program of the same build."""
    beside = pathlib.Path(cardan._cardan.__file__).parents[2] / "cardan"
    return os.environ.get("CARDAN_COMMAND", str(beside))


def test_every_builtin_loads_and_is_pickled() -> None:
    for name in cardan.builtins():
        m = cardan.load(name if name != "tree" else "tree:20")
        again = pickle.loads(pickle.dumps(m))
        assert again.q_names == m.q_names
        assert again.q0.tobytes() == m.q0.tobytes()
        assert again.to_text() == m.to_text()


def test_what_a_model_says() -> None:
    m = cardan.loads(ARM)
    assert (m.nq, m.nv, m.nu, m.ny, m.nbody, m.njoint, m.nrow) == (1, 1, 1, 1, 2, 1, 0)
    assert m.name == "arm" and m.mass == 1 and m.mobility == 1 and m.rank == 0
    assert m.gravity.tolist() == [0, 0, -10]
    assert m.joint_names == m.q_names == m.v_names == ("elbow",)
    assert "hand" in m.frame_names and m.frame_names[0] == m.body_names[0] == "world"
    assert m.input_names == ("push",) and m.u0.tolist() == [0.5]
    assert m.u_limits.tolist() == [[-1, 1]] and m.q_limits.tolist() == [[-2, 2]]
    assert m.output_names == ("height",) and m.keyframe_names == ("up",)
    assert m.force_names == ("torque1",) and m.constraint_names == ()
    joint = m.joint("elbow")
    assert joint.type == "revolute" and joint.limit == (-2, 2) and joint.axis.tolist() == [0, 1, 0]
    assert (joint.q, joint.v) == (slice(0, 1), slice(0, 1)) and m.joint(0).name == "elbow"
    q, v, u = m.keyframe("up")
    assert (q.tolist(), v.tolist(), u.tolist()) == ([0.3], [0.2], [-0.25])
    assert "elbow" in m.describe() and m.info()["mobility"] == 1
    assert repr(m).startswith("<cardan.Model 'arm'")


def test_bodies_are_given_in_the_frame_of_their_joint() -> None:
    m = cardan.loads(URDF, "urdf", base="fixed")
    rod = m.body("rod")
    assert rod.mass == 2 and rod.frame == "rod" and rod.joint == "hinge" and rod.parent == "world"
    # the axes of the body turn y to z and back, in doubles
    assert np.allclose(rod.com, [0, 0, -0.5], rtol=0, atol=1e-15)
    assert np.allclose(rod.inertia, np.diag([1, 2, 3]), rtol=0, atol=1e-14)
    d = m.data()
    d["hinge"] = 0.4
    place = d.pose("rod") @ [*rod.com, 1]
    assert np.allclose(place[:3], d.com("rod"), rtol=0, atol=1e-15)


def test_a_model_does_not_change() -> None:
    m = cardan.load("pendulum")
    with pytest.raises(AttributeError, match="does not change"):
        m.nq = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        m.anything = 3
    with pytest.raises(ValueError, match="read-only"):
        m.q0[0] = 1
    with pytest.raises(ValueError):
        m.q0.setflags(write=True)
    with pytest.raises(TypeError):
        m.parameters["L"] = 3  # type: ignore[index]
    assert copy.copy(m) is m and copy.deepcopy(m) is m


def test_parameters() -> None:
    m = cardan.loads(ARM)
    assert dict(m.parameters) == {"L": 0.5, "PAYLOAD": 1, "TWICE": 2, "TILT": 0}
    heavy = m.with_parameters(PAYLOAD=3, l=0.25)  # case does not count
    assert heavy.mass == 3 and m.mass == 1
    read = cardan.loads(ARM, settings={"PAYLOAD": 3, "L": 0.25})
    assert heavy.parameters == read.parameters
    one, other = heavy.data(), read.data()
    assert one.forward().tobytes() == other.forward().tobytes()
    assert pickle.loads(pickle.dumps(heavy)).mass == 3
    again = heavy.with_parameters({"PAYLOAD": 4})
    assert (again.parameters["L"], again.mass) == (0.25, 4)


def test_a_parameter_that_only_reading_again_can_follow() -> None:
    m = cardan.loads(ARM).with_parameters(PAYLOAD=2).with_keyframe("up")
    tilted = m.with_parameters(TILT=0.5)
    assert np.allclose(tilted.joint(0).axis, [0, np.cos(0.5), np.sin(0.5)], rtol=0, atol=1e-15)
    assert tilted.mass == 2 and tilted.q0.tolist() == [0.3]
    again = pickle.loads(pickle.dumps(m)).with_parameters(TILT=0.5)
    assert np.array_equal(again.joint(0).axis, tilted.joint(0).axis)


def test_parameters_that_cannot_be() -> None:
    m = cardan.loads(ARM)
    with pytest.raises(cardan.ArgumentError, match="computed from others"):
        m.with_parameters(TWICE=3)
    with pytest.raises(cardan.ArgumentError, match="did you mean 'PAYLOAD'"):
        m.with_parameters(PAYLAOD=3)
    with pytest.raises(cardan.ModelError):
        m.with_parameters(PAYLOAD=-3)
    with pytest.raises(cardan.ArgumentError, match="PAYLOAD"):
        m.with_parameters(PAYLOAD=np.nan)
    assert m.mass == 1


def test_keyframes() -> None:
    m = cardan.loads(ARM)
    for up in (m.with_keyframe("up"), cardan.loads(ARM, keyframe="up"),
               pickle.loads(pickle.dumps(m.with_keyframe("up"))),
               cardan.loads(m.with_keyframe("up").to_text())):
        assert (up.q0.tolist(), up.v0.tolist(), up.u0.tolist()) == ([0.3], [0.2], [-0.25])
    assert m.q0.tolist() == [0.1]
    with pytest.raises(cardan.ArgumentError, match="up"):
        cardan.loads(ARM, keyframe="upp")


def test_a_robot_on_a_base_and_a_floor(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    assert cardan.load(path, base="fixed").nv == 1
    free = cardan.load(str(path), base="free", floor=-1)
    assert free.nv == 7 and "floor" in free.frame_names and free.contact_names == ("floor",)
    for again in (pickle.loads(pickle.dumps(free)), free.with_parameters()):
        assert again.nv == 7 and "floor" in again.frame_names
    d = free.data()
    assert d.smallest_gap() == (d.distance("base", "floor").gap, ("base", "floor"))
    assert d.distance("base", "floor").gap == pytest.approx(0.9, abs=1e-15)
    assert d.distance("base", "rod").gap == np.inf


def test_meshes_of_a_robot_as_convex_pieces() -> None:
    corners = [(x, y, z) for z in (0, 1) for x, y in
               ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))]
    vertex = " ".join(f"{x} {y} {z}" for x, y, z in corners)
    text = (f"<mujoco><asset><mesh name='l' vertex='{vertex}' face='0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 "
            "6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 "
            "4 11 10 5 0 6 5 6 11'/></asset><worldbody><geom type='mesh' mesh='l'/></worldbody>"
            "</mujoco>")
    with pytest.warns(cardan.ModelWarning, match="1.17 times its volume"):
        assert cardan.loads(text, "xml").to_text().count("(solid hull") == 1
    cut = cardan.loads(text, "xml", convex=4)
    assert cut.to_text().count("(solid hull") == 2
    assert pickle.loads(pickle.dumps(cut)).to_text() == cut.to_text()
    for n in (0, 65, 1.5, "2", True):
        with pytest.raises(cardan.ArgumentError, match="convex"):
            cardan.loads(text, "xml", convex=n)  # type: ignore[arg-type]


def test_files_of_packages(tmp_path: pathlib.Path) -> None:
    """A collision mesh in a package: found by packages= or paths=, and part of the model then."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = ["1 3 2", "1 2 4", "2 3 4", "1 4 3"]
    folder = tmp_path / "elsewhere" / "shapes"
    folder.mkdir(parents=True)
    (folder / "t.obj").write_text("".join(
        [f"v {x} {y} {z}\n" for x, y, z in corners] + [f"f {face}\n" for face in faces]))
    path = tmp_path / "robot" / "r.urdf"
    path.parent.mkdir()
    path.write_text(URDF.replace('<sphere radius="0.1"/>',
                                 '<mesh filename="package://shapes/t.obj"/>'))
    for m in (cardan.load(path, packages={"shapes": folder}, base="fixed"),
              cardan.load(path, paths=[tmp_path / "elsewhere"], base="fixed")):
        folder_less = pickle.loads(pickle.dumps(m))
        assert folder_less.to_text() == m.to_text() and "hull" in m.to_text()
    with pytest.raises(cardan.ArgumentError):
        cardan.load(path, packages={"shapes": tmp_path / "nowhere"})
    with pytest.raises(cardan.ArgumentError, match="paths"):
        cardan.load(path, paths="one")


def test_warnings_and_strict() -> None:
    odd = URDF.replace("<axis", '<unheard of="1"/><axis')
    with pytest.warns(cardan.ModelWarning, match="text.urdf: .*unheard"):
        m = cardan.loads(odd, "urdf", base="fixed")
    assert len(m.warnings) == 1 and "unheard" in m.warnings[0]
    with pytest.raises(cardan.ModelError, match="unheard"):
        cardan.loads(odd, "urdf", base="fixed", strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(m))  # it was reported once


def test_a_result_gives_its_model_with_its_settings(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "arm.mbs"
    path.write_text(ARM)
    out = tmp_path / "run.h5"
    subprocess.run([command(), "run", path, "--set", "PAYLOAD=3", "--keyframe", "up", "--time",
                    "0.01", "--out", out, "--quiet"], check=True)
    m = cardan.load(out)
    assert m.mass == 3 and m.q0.tolist() == [0.3]
    assert cardan.load(out, settings={"PAYLOAD": 2}).mass == 2


def test_writing(tmp_path: pathlib.Path) -> None:
    m = cardan.loads(ARM)
    for ending in ("mbs", "urdf"):
        path = tmp_path / f"arm.{ending}"
        try:
            m.save(path)
        except cardan.Unsupported as e:
            assert ending == "urdf", e
            continue
        assert cardan.load(path).joint("elbow").limit == (-2, 2)
    with pytest.raises(cardan.Unsupported):
        m.to_text("nonsense")
    with pytest.raises(cardan.Unsupported):
        cardan.load("closed-chain").to_text("urdf")
    with pytest.raises(cardan.FileError):
        m.save(tmp_path / "not" / "there.mbs")


def test_texts_that_are_refused() -> None:
    with pytest.raises(cardan.ArgumentError, match="format is 'nonsense', expected mbs"):
        cardan.loads(ARM, "nonsense")
    with pytest.raises(cardan.ArgumentError, match="text is a bytes"):
        cardan.loads(ARM.encode())  # type: ignore[arg-type]
    with pytest.raises(cardan.ArgumentError, match="base is 'flying', expected fixed or free"):
        cardan.loads(URDF, "urdf", base="flying")
    with pytest.raises(cardan.ArgumentError, match=r"settings\['L'\] is '1'"):
        cardan.loads(ARM, settings={"L": "1"})  # type: ignore[dict-item]
    with pytest.raises(cardan.ArgumentError, match="pendulum"):
        cardan.load("pendulumm")
    with pytest.raises(cardan.ArgumentError, match="name is 3"):
        cardan.load(3)  # type: ignore[arg-type]
    with pytest.raises(cardan.ArgumentError, match="NUL"):
        cardan.load("a\0b")
    with pytest.raises(cardan.ArgumentError):
        cardan.loads(ARM, rank_tol=-1)
