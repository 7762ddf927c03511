# SPDX-License-Identifier: Apache-2.0
"""How the error of every method goes with its step: a mechanism with two loops, from the same start
to the same end, against its motion at a tolerance of 1e-12; orders, drift and cost beside."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

import numpy as np
from common import Array, arguments, pyplot, swept

import cardan

TIME = 2.0


def order(dt: Array, error: Array) -> float:
    """Slope of log error over log dt, at the three least steps."""
    return float(np.polyfit(np.log(dt[:3]), np.log(error[:3]), 1)[0])


def draw(result: cardan.Sweep, error: Array, path: str) -> None:
    """Error over the step, and over the work."""
    plt = pyplot()
    if plt is None:
        return
    figure, panes = plt.subplots(1, 2, figsize=(11, 4.4), dpi=150, sharey=True)
    for pane, x, label in zip(panes, ("dt", "evaluations"), ("dt [s]", "evaluations of a run")):
        for k, method in enumerate(dict.fromkeys(result["method"])):
            mine = (result["method"] == method) & result.ok
            pane.loglog(result[x][mine], error[mine], "osD^v<>p"[k % 8] + "-", ms=4, label=method)
        pane.set(xlabel=label)
        pane.grid(True, which="major", alpha=0.3)
    panes[0].set_ylabel("largest error of a coordinate at the end [rad]")
    panes[1].legend(frameon=False, bbox_to_anchor=(1, 1), loc="upper left")
    figure.suptitle(f"closed-chain over {TIME:g} s")
    figure.tight_layout()
    figure.savefig(path)
    print(f"picture in {path}")


def main(given: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    args = arguments(__doc__, 0, given)
    # methods in maximal coordinates do not take points without inertia
    model = cardan.load("closed-chain", settings={"I": 0.01})
    result = swept("steps", model, args, time=TIME)
    truth = model.run(time=TIME, dt=0.01, method="aba", integrator="dop853", rtol=1e-12,
                      atol=1e-12).q[-1]
    ends = np.stack([result[f"end.q.{name}"] for name in model.q_names], 1)
    error: Array = np.max(np.abs(ends - truth), 1)
    found: Dict[str, Any] = {}
    print("method          " + " ".join(f"dt {dt:<8g}" for dt in np.unique(result["dt"]))
          + " order  drift [J]  constraint  evaluations")
    for method in dict.fromkeys(result["method"]):
        mine = np.flatnonzero((result["method"] == method) & result.ok)
        mine = mine[np.argsort(result["dt"][mine])]
        least = mine[0]
        found[str(method)] = order(result["dt"][mine], error[mine])
        print(f"{method:15} " + " ".join(f"{e:11.2e}" for e in error[mine])
              + f"  {found[str(method)]:4.2f}   {result['drift'][least]:8.1e}    "
              f"{result['constraint'][least]:7.0e}  {result['evaluations'][least]:11.0f}")
    draw(result, error, str(args.folder / "steps.png"))
    return found


if __name__ == "__main__":
    main()
