# SPDX-License-Identifier: GPL-3.0-or-later
"""By a screen reader's means alone: list, comparison, change, back, export, on a real disk with the real helper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.conftest import LoopDisk

WALK = Path(__file__).parent / "assistive" / "walk.py"


def test_all_of_it_by_accessible_actions_and_keys(loop_disk: Callable[..., LoopDisk], tmp_path: Path) -> None:
    loop = loop_disk(size_mb=512)
    logs = Path(os.environ.get("ACCESS_LOGS", tmp_path / "logs"))
    logs.mkdir(exist_ok=True)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    env = os.environ | {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    command = ["dbus-run-session", "--", sys.executable, "-I", str(WALK), loop.name, str(loop.folder), str(logs)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    print(done.stderr)
    seen = json.loads(done.stdout.splitlines()[-1])
    print(json.dumps(seen, indent=1))
    assert seen["nameless"] == {}
