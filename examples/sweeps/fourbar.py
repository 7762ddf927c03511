# SPDX-License-Identifier: Apache-2.0
"""Tolerances of a four-bar: how far the rocker is off where the lengths are not quite as drawn, by
cases drawn at random and by derivatives, and which length is to blame.

The loop is L2 e^(i a) + L3 e^(i b) = L1 + L4 e^(i c), with crank a, coupler b, rocker c. What of its
differential lies along the coupler has no db in it:
  dc = (cos b dL1 - cos(a - b) dL2 - dL3 + cos(c - b) dL4) / (L4 sin(c - b)).
The variances of independent lengths add up, var c = sum (dc/dLk)^2 var Lk, and the parts of the sum
are the sensitivity indices: to first order, which is what the cases have to confirm.
"""
from __future__ import annotations

import math
from typing import Any, Dict, Optional, Sequence

import numpy as np
from common import HERE, Array, arguments, pyplot, swept

import cardan

NAMES = ("L1", "L2", "L3", "L4")
COLOURS = ("#4477aa", "#ccbb44", "#ee6677", "#228833")
SIGMA, CUT = 5e-5, 3  # of a length [m]; cut at so many of it
TIMES = np.arange(8) / 8


def cut_deviation() -> float:
    """Standard deviation of a normal number that is cut at +-CUT, over its own."""
    density = math.exp(-CUT * CUT / 2) / math.sqrt(2 * math.pi)
    return math.sqrt(1 - 2 * CUT * density / math.erf(CUT / math.sqrt(2)))


def slopes(model: cardan.Model) -> Array:
    """dc / dLk at TIMES: (times, lengths) [rad/m], of the model as drawn."""
    motion = model.run()
    rows = np.searchsorted(motion.t, TIMES - 1e-9)
    a, c = motion["crank"][rows], motion["rocker"][rows]
    b = a + motion["coupler"][rows]
    top = np.stack([np.cos(b), -np.cos(a - b), -np.ones_like(a), np.cos(c - b)], 1)
    found: Array = top / (model.parameters["L4"] * np.sin(c - b))[:, None]
    return found


def indices(result: cardan.Sweep) -> Dict[str, Array]:
    """Total indices of the lengths, by columns: those of the summary and the page."""
    study = result.info()["sensitivity"]
    assert study["inputs"] == list(NAMES)
    return {output["name"]: np.array(output["total"])[:, 0] for output in study["outputs"]}


def draw(deviation: Array, linear: Array, path: str) -> None:
    """Variance of the rocker over a turn, and which length it is of."""
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(8, 4.4), dpi=150)
    parts, below = (1e3 * linear) ** 2, np.zeros(len(TIMES))
    for k, name in enumerate(NAMES):
        axes.bar(360 * TIMES, parts[:, k], 32, below, label=name, color=COLOURS[k])
        below += parts[:, k]
    axes.plot(360 * TIMES, (1e3 * deviation) ** 2, "ko", label="cases")
    axes.set(xlabel="crank [deg]", ylabel="variance of the rocker's angle [mrad²]",
             ylim=(0, 1.18 * np.max(below)),
             title="Bars: by derivatives, one length on the other. Dots: by cases")
    axes.set_xticks(360 * TIMES)
    axes.legend(ncol=5, frameon=False, loc="upper center")
    figure.tight_layout()
    figure.savefig(path)
    print(f"picture in {path}")


def main(given: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    args = arguments(__doc__, 64, given)
    model = cardan.load(HERE / "fourbar.mbs")
    result = swept("fourbar", model, args)
    linear = slopes(model) * SIGMA * cut_deviation()
    totals = indices(result)
    found: Dict[str, Any] = {"deviation": [], "ratio": [], "index": []}
    print("crank  sd [mrad]  linear    ratio    total indices of L1 .. L4   by derivatives")
    for k, t in enumerate(TIMES):
        name = f"at.{t:g}.q.rocker"
        deviation, expected = float(np.std(result[name])), float(np.linalg.norm(linear[k]))
        total, share = totals[name], linear[k] ** 2 / expected ** 2
        print(f"{360 * t:5.0f}  {1e3 * deviation:.5f}    {1e3 * expected:.5f}   {deviation / expected:.4f}   "
              + " ".join(f"{x:.3f}" for x in total) + "     " + " ".join(f"{x:.3f}" for x in share))
        found["deviation"].append(deviation)
        found["ratio"].append(deviation / expected)
        found["index"].append(float(np.max(np.abs(total - share))))
    x, y = (float(np.std(result[f"at.0.25.y.{axis}"])) for axis in "xy")
    print(f"the coupler's point at 90 deg: sd {1e6 * x:.1f} um in x, {1e6 * y:.1f} um in y; loops are "
          f"closed to {np.max(result['constraint']):.0e} m")
    draw(np.array(found["deviation"]), linear, str(args.folder / "fourbar.png"))
    return found


if __name__ == "__main__":
    main()
