# SPDX-License-Identifier: GPL-3.0-or-later
"""The window reads results in several threads at once, even before the program has read any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

APP, MEASURED = (Path(__file__).resolve().parents[3] / name for name in ("app", "docs/measured"))
READS = f"""
import sys
sys.path.insert(0, {str(APP)!r})
from pathlib import Path
from threading import Barrier, Thread
from disktuner.results.codec import load

sys.setswitchinterval(1e-6)
files = sorted(Path({str(MEASURED)!r}).glob("*.json"))[:1] * 8
together = Barrier(len(files))

def read(file):
    together.wait()
    load(file)

threads = [Thread(target=read, args=(file,)) for file in files]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


def test_threads_that_read_the_first_results_at_once_do_not_end_the_program() -> None:
    runs = [subprocess.run([sys.executable, "-I", "-c", READS], check=False, capture_output=True) for _ in range(5)]
    assert [(process.returncode, process.stderr) for process in runs] == [(0, b"")] * 5
