# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of schedulers, and that both programs know it from one file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.unit.vocabulary.test_schedulers import CHECKOUT, ROW, USE


def test_one_row_adds_a_scheduler_to_both_programs(tmp_path: Path) -> None:
    for folder in ("app", "helper"):
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    with (tmp_path / "helper/disktuner_helper/schedulers.toml").open("a") as file:
        file.write(ROW)
    paths = f"import sys; sys.path[:0] = [{str(tmp_path / 'app')!r}, {str(tmp_path / 'helper')!r}]\n"
    completed = subprocess.run([sys.executable, "-P", "-c", paths + USE], capture_output=True, text=True, check=True)
    name, limits, loadable, runs, allowed, limiting, module = json.loads(completed.stdout)
    assert (name, limits, loadable, runs) == ("maple:sync_expire=9", True, ["maple"], 2)
    assert (allowed, limiting, module) == ({"iosched/sync_expire": 9}, ["bfq", "maple"], "mq-maple")
