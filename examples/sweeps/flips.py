# SPDX-License-Identifier: Apache-2.0
"""Where the double pendulum flips: the time at which one of two bars, let go at rest, first goes
over the top, for a square of starts.

Two equal thin bars of mass m and length L have the potential energy -m g L (3 cos a + cos b) / 2. A
bar can go over only with at least the energy of the lower one pointing up under the hanging upper
one, -m g L (3 - 1) / 2: no start at rest with 3 cos a + cos b > 2 ever flips. The mirror image of a
motion is a motion: the picture is the same when turned half round. No method knows of either.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

import numpy as np
from common import HERE, Array, arguments, pyplot, swept

import cardan


def first_flip(motion: cardan.Result) -> float:
    """When "up" first changes its sign [s]; nan: never."""
    up, t = motion["y.up"], motion.t
    over = np.flatnonzero(up[1:] * up[:-1] < 0)
    if len(over) == 0:
        return float("nan")
    k = over[0]
    return float(t[k] + (t[k + 1] - t[k]) * up[k] / (up[k] - up[k + 1]))


def straightened(x: Array) -> Array:
    """From cells by q1 and q2 to cells by the angles of both bars, q1 and q1 + q2: q1 is -pi + (i +
    1/2) h, q2 is -pi + j h, and their sum, whole turns apart, -pi + (i + j - n/2 + 1/2) h."""
    n = len(x)
    i, k = np.indices((n, n))
    return np.asarray(x[i, (k - i + n // 2) % n])


def closely(result: cardan.Sweep, n: int) -> Array:
    """By how much the time of a flip changes where n of the cases are run at 1e-11 [s]."""
    flip = result["flip"]
    some = np.random.default_rng(1).choice(np.flatnonzero(np.isfinite(flip)), n, replace=False)
    fine = [first_flip(result.case(int(i)).run(method="aba", integrator="dop853", rtol=1e-11,
                                               atol=1e-11)) for i in some]
    return np.asarray(np.abs(np.array(fine) - flip[some]))


def draw(flip: Array, energy: Array, angle: Array, time: float, path: str) -> None:
    """Colour by the time, in logarithm; white: no flip."""
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(9, 7.6), dpi=150)
    image = axes.imshow(flip.T, origin="lower", extent=(-np.pi, np.pi, -np.pi, np.pi),
                        norm=plt.matplotlib.colors.LogNorm(0.1, time), cmap="turbo_r", interpolation="nearest")
    axes.contour(angle, angle, energy.T, levels=[2], colors="black", linewidths=1)
    axes.set(xlabel="angle of the upper bar [rad]", ylabel="angle of the lower bar [rad]",
             title="Time until a bar goes over [s]: between the lines none can")
    figure.colorbar(image, ax=axes, ticks=[0.1, 0.3, 1, 3, 10], format="%g")
    figure.tight_layout()
    figure.savefig(path)
    print(f"picture in {path}")


def main(given: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    args = arguments(__doc__, 20, given)
    result = swept("flips", cardan.load(HERE / "flips.mbs"), args)
    angle = np.unique(result["start.q.q1"])
    n = len(angle)
    flip = straightened(result["flip"].reshape(n, n))
    energy = 3 * np.cos(angle)[:, None] + np.cos(angle)
    time, flips = float(str(result.options["time"])), np.isfinite(flip)
    turned = flip[::-1, ::-1]
    off = closely(result, 6 if args.small else 300)
    found = {
        "flips": float(np.mean(flips)), "held": float(np.mean(energy > 2)),
        "against the energy": int(np.count_nonzero(flips & (energy > 2))),
        "least energy": float(np.max(energy[flips])),
        "other when turned": int(np.count_nonzero(flips != np.isfinite(turned))),
        "apart when turned": float(np.nanmax(np.abs(flip - turned))),
        "within 1 ms": float(np.mean(off < 1e-3))}
    print(f"of {n} x {n} starts {found['flips']:.2%} flip within {time:g} s; of the {found['held']:.2%} "
          f"whose energy does not allow it: {found['against the energy']}")
    print(f"least energy that flips: 3 cos a + cos b = {found['least energy']:.5f}; none can above 2")
    print(f"turned half round: {found['other when turned']} starts differ, times by up to "
          f"{found['apart when turned']:.1e} s")
    print(f"times within 1 ms of those at 1e-11: {found['within 1 ms']:.1%} of {len(off)}")
    draw(flip, energy, angle, time, str(args.folder / "flips.png"))
    return found


if __name__ == "__main__":
    main()
