# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the long tests that look at what was changed: reads file names, prints test files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SUBJECTS = {
    "tests/bus": ("helper/", "resources/dbus-1/", "resources/polkit-1/", "resources/systemd/", "resources/libexec/"),
    "tests/end2end": ("app/disktuner/comparison/", "app/disktuner/experiment/", "app/disktuner/workloads/"),
    "tests/gui": ("app/disktuner/gui/", "app/disktuner/drawing/", "app/disktuner_watch/"),
    "tests/packages": ("packaging/", "resources/", "requirements/"),
    "tests/unit/fleet": ("app/disktuner_fleet/", "resources/ansible_collections/"),
    "tests/unit/helper": ("helper/",),
    "tests/unit/watch": ("app/disktuner_watch/",),
    "tests/unit/watch/field": ("app/disktuner_watch/field/",),
}
"""What the tests of a folder look at, besides themselves; a folder of tests/unit looks at the floor of its name."""


def long_tests() -> Iterator[str]:
    """Return the files that hold long tests."""
    for file in sorted(CHECKOUT.glob("tests/**/test_*.py")):
        if "pytest.mark.long" in file.read_text():
            yield str(file.relative_to(CHECKOUT))


def subjects(test: str) -> tuple[str, ...]:
    """Return the prefixes of the files that a test file looks at."""
    folder = str(Path(test).parent).replace("tests/distribution", "tests/unit")
    floor = f"app/disktuner/{Path(folder).name}/" if folder.startswith("tests/unit/") else folder
    return (str(Path(test).parent), *SUBJECTS.get(folder, (floor,)))


def touched(changed: Iterable[str]) -> list[str]:
    """Return the test files that look at any of the changed files."""
    names = list(changed)
    return [test for test in long_tests() if any(name.startswith(subjects(test)) for name in names)]


if __name__ == "__main__":
    print("\n".join(touched(line.strip() for line in sys.stdin)))
