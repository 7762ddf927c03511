# SPDX-License-Identifier: Apache-2.0
"""Callbacks are held by what calls them and by nothing else: no reference is lost or kept, whatever
became of the run."""
import gc
import sys
from typing import Any, Callable, Dict, List, Tuple

import pytest

import cardan

BALL = """(system "ball" (gravity 0 0 -10) (tz "z" (mass 1 1 1 1)) (program "wind")
  (initial ("z" 1)))"""
TIMES = 50


class Own(Exception):
    pass


class Hook:
    """Counts its calls and raises in call number `fails_at`; an object, so that its references can
    be counted."""

    def __init__(self, answer: Any, fails_at: int = -1) -> None:
        self.answer, self.fails_at, self.calls = answer, fails_at, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls == self.fails_at:
            raise Own(arguments[0])
        return self.answer(*arguments) if callable(self.answer) else self.answer


def hooks(fails: str) -> Dict[str, Hook]:
    """One of each kind; the one that is named raises in its third call (then: in its first)."""
    answers: List[Tuple[str, Any]] = [
        ("control", None), ("force", None), ("value", lambda t, data: data.q[0] - 0.99),
        ("then", None)]
    third: Callable[[str], int] = lambda name: (1 if name == "then" else 3) if name == fails else -1
    return {name: Hook(answer, third(name)) for name, answer in answers}


def arguments(made: Dict[str, Hook]) -> Dict[str, Any]:
    return {"control": made["control"], "force": made["force"],
            "events": [cardan.Event(made["value"], then=made["then"])]}


def counts(made: Dict[str, Hook]) -> Dict[str, int]:
    return {name: sys.getrefcount(hook) for name, hook in made.items()}


def start_again(made: Dict[str, Hook]) -> None:
    for hook in made.values():
        hook.calls = 0


def by_sim(model: cardan.Model, made: Dict[str, Hook]) -> None:
    model.sim(dt=0.01, **arguments(made)).step(10)


def by_run(model: cardan.Model, made: Dict[str, Hook]) -> None:
    model.run(time=0.1, dt=0.01, **arguments(made))


@pytest.mark.parametrize("fails", ["none", "control", "force", "value", "then"])
@pytest.mark.parametrize("go", [by_sim, by_run])
def test_references(go: Callable[[cardan.Model, Dict[str, Hook]], None], fails: str) -> None:
    model = cardan.loads(BALL)
    made = hooks(fails)
    before = counts(made)
    for _ in range(TIMES):
        start_again(made)
        if fails == "none":
            go(model, made)
        else:
            with pytest.raises(Own):
                go(model, made)
    assert fails != "none" or all(hook.calls > 0 for hook in made.values())
    gc.collect()
    assert counts(made) == before
