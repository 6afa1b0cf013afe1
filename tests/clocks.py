# SPDX-License-Identifier: GPL-3.0-or-later
"""No clock decides a test: finds sleeps and clocks in the tests of the usual run. `./dev check` runs it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LEFT_OUT = ("tests/bench/", "tests/machine/", "tests/recording/")
"""Not in the usual run: what measures speeds, and computers that boot at their own pace."""

CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "thread_time", "time_ns"}
SLEEPING = re.compile(r"\bsleep [0-9.]")

EXCEPTIONS = {
    "tests/waiting.py": "the one way to wait: it looks again and again, and decides nothing",
}


def clocks(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that sleep, wait for a time or read a clock, and what they do."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="sleep") | ast.Attribute(attr="sleep")):
                yield node.lineno, "sleeps"
            case ast.Call(func=ast.Attribute(attr="wait", value=value), args=[ast.Constant(value=int() | float())]) if (
                "qtbot" in ast.unparse(value)
            ):
                yield node.lineno, "waits for a time"
            case ast.Call(func=ast.Attribute(attr="time", value=ast.Name(id="time"))):
                yield node.lineno, "reads a clock"
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in CLOCKS:
                yield node.lineno, f"reads a clock ({name})"
            case ast.Constant(value=str(text)) if SLEEPING.search(text):
                yield node.lineno, "has a program sleep for a time"


def violations() -> Iterator[str]:
    """Yield all such lines in the tests of the usual run, without the exceptions."""
    for file in sorted(CHECKOUT.glob("tests/**/*.py")):
        name = str(file.relative_to(CHECKOUT))
        if name.startswith(LEFT_OUT) or name in EXCEPTIONS or file == Path(__file__).resolve():
            continue
        for line, action in clocks(file.read_text()):
            yield f"{name}:{line}: {action}; wait for what it is waited for (tests/waiting.py)"


if __name__ == "__main__":
    lines = list(violations())
    print("\n".join(lines) if lines else "No test of the usual run reads a clock.")
    sys.exit(bool(lines))
