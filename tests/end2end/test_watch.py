# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder as its service runs it: reached from another process, small, and ended without a trace."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from disktuner.watch import control
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until

MOST_KB = 30_000


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    for name in ("RUNTIME_DIR", "STATE_HOME"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    with subprocess.Popen([COMMAND, "watch", "--record"], stderr=subprocess.PIPE, text=True) as running:
        until(lambda: control.is_on() or running.poll() is not None)
        yield running
        running.kill()


def test_it_keeps_what_is_asked_for_and_ends_as_it_is_told(
    recorder: subprocess.Popen[str], disktuner: Run, tmp_path: Path
) -> None:
    kept = json.loads(disktuner("watch", "--now", "--json").stdout)
    assert kept["on"] and [each["asked"] for each in kept["incidents"]] == [True]
    assert int(re.findall(r"VmHWM:\s*(\d+)", Path(f"/proc/{recorder.pid}/status").read_text())[0]) < MOST_KB
    recorder.send_signal(signal.SIGTERM)
    assert recorder.wait() == 0
    assert list((tmp_path / "RUNTIME_DIR").iterdir()) == []
    assert [path.name for path in (tmp_path / "STATE_HOME").rglob("*.json")] == [f"{kept['incidents'][0]['id']}.json"]


def test_a_second_one_is_refused(recorder: subprocess.Popen[str], disktuner: Run) -> None:
    done = subprocess.run([COMMAND, "watch", "--record"], capture_output=True, text=True, check=False)
    assert done.returncode == 5 and "already" in done.stderr
    assert json.loads(disktuner("watch", "--json").stdout)["on"]
