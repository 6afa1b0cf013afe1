# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons are declared once: the guard gives no other."""

from __future__ import annotations

import ast
import inspect

from disktuner.experiment import guard, run
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.reasons import REASONS
from disktuner.workloads import beside, own, starts


def ids_made(module: object) -> set[str]:
    """The ids of the messages that a module makes."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "message" and isinstance(call.args[0], ast.Constant)
    }


def test_the_guard_gives_the_declared_reasons_and_no_others() -> None:
    of_workloads = ids_made(own) | ids_made(beside) | ids_made(starts)
    assert ids_made(guard) | ids_made(run) | (of_workloads & REASONS.keys()) == REASONS.keys()


def test_what_disturbs_does_not_end_anything() -> None:
    assert not [each.id for each in REASONS.values() if not each.invalid and (each.lasting or each.ends)]
    assert {each.ends for each in REASONS.values() if each.ends} <= TEXTS.keys()
