# SPDX-License-Identifier: Apache-2.0
"""A picture of a state, as lines from frame to frame; by matplotlib, where it is installed."""
from __future__ import annotations

import importlib
from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from cardan._cardan import lib
from cardan._data import Data
from cardan._error import Unsupported
from cardan._views import Array


def frame_lines(data: Data) -> List[Tuple[Array, Array]]:
    """For each frame the origins of its parent and of itself in the world (3,) [m]."""
    data.kinematics()
    model, state = data.model._c, data._c
    points = []
    for k in range(model.nframe):
        frame = model.frame[k]
        p = lib.cardan_xform_point(state.X_W[frame.body:frame.body + 1], frame.X_BF.p)
        points.append(np.array([p.x, p.y, p.z]))
    return [(points[model.frame[k].parent], points[k]) for k in range(1, model.nframe)]


def picture(data: Data, size: Tuple[int, int], view: Tuple[float, float]) -> NDArray[np.uint8]:
    """RGB of (width, height) pixels: (height, width, 3), seen from elevation and azimuth [deg]."""
    try:
        agg: Any = importlib.import_module("matplotlib.backends.backend_agg")
        figures: Any = importlib.import_module("matplotlib.figure")
    except ImportError:
        raise Unsupported("render() draws by matplotlib, which is not installed") from None
    figure = figures.Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
    canvas = agg.FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), projection="3d")
    lines = frame_lines(data)
    ends = np.array([end for line in lines for end in line] or [np.zeros(3)])
    for begin, end in lines:
        axes.plot(*np.transpose([begin, end]), color="#4477aa", linewidth=3)
    middle = (ends.min(axis=0) + ends.max(axis=0)) / 2
    half = max(float(np.ptp(ends, axis=0).max()) / 2, 1e-3) * 1.1
    for set_limit, x in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle):
        set_limit(x - half, x + half)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(*view)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3].copy()
