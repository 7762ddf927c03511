# SPDX-License-Identifier: Apache-2.0
"""What the studies of this folder share: their arguments, and pictures where there is matplotlib."""
from __future__ import annotations

import argparse
import importlib
import pathlib
import re
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

import cardan

HERE = pathlib.Path(__file__).resolve().parent
Array = NDArray[np.float64]


def arguments(about: Optional[str], small: int, given: Optional[Sequence[str]]) -> Any:
    """Those of the command line unless given; small: what a quick look has wherever the plan has
    the number of its first (count ..)."""
    parser = argparse.ArgumentParser(description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a quick look")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."),
                        help="for the result and the picture (here)")
    parser.add_argument("--jobs", type=int, default=0, help="threads (all cores)")
    found = parser.parse_args(given)
    found.count = small if found.small else None
    return found


def swept(name: str, model: cardan.Model, args: Any, **options: Any) -> cardan.Sweep:
    """The result of NAME.plan as NAME.h5, gone on with where it was stopped."""
    plan = (HERE / f"{name}.plan").read_text()
    if args.count is not None:
        counted = re.search(r"\(count (\d+)\)", plan)
        plan = plan.replace(counted[1], str(args.count)) if counted else plan
    found = cardan.sweep(model, plan, args.folder / f"{name}.h5", jobs=args.jobs, resume=True,
                         progress=True, **options)
    print(f"{len(found)} cases, {len(found.failed)} failed")
    for number in found.failed[:3]:
        print(f"  case {number}: {found.messages[int(number)]}")
    return found


def pyplot() -> Any:
    """matplotlib.pyplot without a window; None where it is not installed."""
    try:
        importlib.import_module("matplotlib").use("agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        print("no picture: matplotlib is not installed")
        return None
