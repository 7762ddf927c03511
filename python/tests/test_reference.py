# SPDX-License-Identifier: Apache-2.0
"""docs/python.md names everything that is public."""
import inspect
import pathlib
import re
from typing import Set

import cardan

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
PLAIN = (cardan.Stats, cardan.ContactStats)  # whose fields help() lists


def named() -> Set[str]:
    """Words in backquotes of the reference."""
    reference = PAGE.read_text().partition("## All names")[2]
    assert reference
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", reference))))


def public(kind: type) -> Set[str]:
    """Names of a class's own, without those of tuples and exceptions."""
    plain = set(dir(tuple)) | set(dir(OSError))
    return {name for name in dir(kind) if not name.startswith("_")} - plain


def test_every_name_is_on_the_page() -> None:
    found = named()
    missing = [name for name in cardan.__all__ if name not in found]
    for name in cardan.__all__:
        kind = getattr(cardan, name)
        if inspect.isclass(kind) and kind not in PLAIN:
            missing += [f"{name}.{each}" for each in sorted(public(kind) - found)]
    assert missing == []


def test_every_name_on_the_page_is_there() -> None:
    reference = PAGE.read_text().partition("## All names")[2]
    for section, kind in (("Model", cardan.Model), ("Data", cardan.Data), ("Sim", cardan.Sim),
                          ("Spec", cardan.Spec)):
        table = reference.partition(f"### `{section}`\n")[2].partition("\n###")[0]
        first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
        names = {re.sub(r"\(.*", "", name).rpartition(".")[2]
                 for cell in first for name in re.findall(r"`([^`]*)`", cell) if "[" not in name}
        assert names and names - {"model"} <= public(kind), section
