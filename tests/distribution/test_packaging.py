# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of the packages agree: the list of files, the changelog, the digests that reviewers rely on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.unit.test_packaging import CHECKOUT


@pytest.mark.parametrize("name", ["disktuner-helper.service", "disktuner-watch.service"])
def test_systemd_takes_the_units_without_a_word(name: str, tmp_path: Path) -> None:
    unit = (CHECKOUT / "resources/systemd" / name).read_text()
    unit_file = tmp_path / name
    unit_file.write_text(re.sub(r"(?<=^ExecStart=).*", "/bin/true", unit, flags=re.MULTILINE))
    completed = subprocess.run(["systemd-analyze", "verify", unit_file], capture_output=True, text=True, check=False)
    complaints = [line for line in completed.stderr.splitlines() if "disktuner" in line]
    assert complaints == []
