# SPDX-License-Identifier: GPL-3.0-or-later
"""What is called by name is there, and is loaded by nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

from disktuner import entry_points

NAMES = [name for name in vars(entry_points) if name.isupper()]
LOADS = "import sys; from disktuner.__main__ import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_there(name: str) -> None:
    assert callable(resolve_name(getattr(entry_points, name)))


def loaded_by(*command: str) -> list[str]:
    """The modules that are loaded once a command has run."""
    environment = os.environ | {"PYTHONPATH": str(Path(entry_points.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", LOADS, *command], env=environment, check=True, capture_output=True, text=True
    )
    return done.stderr.split()


def test_what_runs_all_day_loads_nothing_that_measures() -> None:
    loaded = loaded_by("watch", "--json")
    assert "disktuner_watch.recorder" in loaded
    measures = tuple(f"disktuner.{name}" for name in ("comparison", "experiment", "workloads"))
    assert [name for name in loaded if name.startswith(measures)] == []


def test_nothing_else_loads_what_runs_all_day() -> None:
    assert [name for name in loaded_by("list", "--json") if name.startswith("disktuner_watch")] == []
